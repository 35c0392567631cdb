//! The programs of `programs/c/library`, which use the C and C++ libraries, and the table in the book. A program has its
//! expectations in lines `// expect verdict=violated kind=race` with the keys of `native.rs`; `notes` is part of a note, and
//! with `silent` nothing is said not to be checked; `compiler` says with which one it is true, if not with both. They are checked with each compiler at one level of optimisation, which changes from line to
//! line; with `QUOTIENT_ALL_LIBRARY=1` at every level. `QUOTIENT_LIBRARY=name` takes some files only.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use quotient_native::library::book;
use serde_json::Value;

/// Checks that run side by side.
const JOBS: usize = 2;

const COMPILERS: [(&str, &str); 2] = [("gcc", "g++"), ("clang", "clang++")];

fn is_installed(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn installed() -> Vec<(&'static str, &'static str)> {
    COMPILERS.into_iter().filter(|compilers| is_installed(compilers.0) && is_installed(compilers.1)).collect()
}

/// The table in the book is the one in the code. With `QUOTIENT_WRITE_BOOK=1` it is written.
#[test]
fn the_book_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/c-library.md");
    let text = std::fs::read_to_string(&path).expect("the book");
    let (begin, end) = ("<!-- functions:begin -->\n", "<!-- functions:end -->");
    let (before, rest) = text.split_once(begin).expect("where the table begins");
    let (table, after) = rest.split_once(end).expect("where the table ends");
    if std::env::var_os("QUOTIENT_WRITE_BOOK").is_some() {
        std::fs::write(&path, format!("{before}{begin}{}{end}{after}", book())).expect("the book");
    } else {
        assert_eq!(table, book(), "docs/src/c-library.md is not what the code says");
    }
}

/// One line of expectations of one file, and a way to check it.
struct Check {
    file: PathBuf,
    line: String,
    compilers: (&'static str, &'static str),
    level: usize,
}

impl Check {
    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.line.split_whitespace().filter_map(|word| word.split_once('='));
        words.filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// What is wrong with the answer, if anything.
    fn run(&self) -> Option<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        command.env("CC", self.compilers.0).env("CXX", self.compilers.1);
        command
            .arg("check")
            .arg(&self.file)
            .args(["--format=json", "--max-executions=2000"])
            .args(self.values("flags"));
        command.arg("--").arg(format!("-O{}", self.level)).args(self.values("cflags"));
        let output = command.output().expect("the command runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let Ok(answer) = serde_json::from_str::<Value>(&stdout) else {
            return Some(format!("no answer: {stdout}{}", String::from_utf8_lossy(&output.stderr)));
        };
        let violation = &answer["violations"][0];
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let message = text(&violation["message"]);
        let unexpected = |key: &str, found: String| {
            self.values(key)
                .find(|wanted| *wanted != found)
                .map(|wanted| format!("{key} is {found}, not {wanted} {message}"))
        };
        let missing = |key: &str, found: String| {
            self.values(key).find(|part| !found.contains(part)).map(|part| format!("{part} is not in {found}"))
        };
        unexpected("verdict", text(&answer["verdict"]))
            .or_else(|| unexpected("kind", text(&violation["kind"])))
            .or_else(|| unexpected("line", text(&violation["location"]["line"])))
            .or_else(|| unexpected("executions", text(&answer["stats"]["executions"])))
            .or_else(|| missing("mentions", message.clone()))
            .or_else(|| missing("prints", text(&answer["output"])))
            .or_else(|| missing("notes", answer["notes"].to_string()))
            .or_else(|| {
                let silent =
                    self.values("silent").next().is_some() && answer["notes"].to_string().contains("is not checked");
                silent.then(|| format!("there are notes: {}", answer["notes"]))
            })
    }
}

#[test]
fn programs_show_what_they_should() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/library");
    let only = std::env::var("QUOTIENT_LIBRARY").unwrap_or_default();
    let all = std::env::var_os("QUOTIENT_ALL_LIBRARY").is_some();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the directory of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"))
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    let (mut checks, mut lines) = (Vec::new(), 0);
    let installed = installed();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let before = checks.len();
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            for &compilers in &installed {
                if line.contains("compiler=") && !line.contains(&format!("compiler={}", compilers.0)) {
                    continue;
                }
                lines += 1;
                let levels = (0..4).filter(|level| all || *level == lines * 3 % 4);
                checks.extend(levels.map(|level| Check {
                    file: file.clone(),
                    line: line.to_owned(),
                    compilers,
                    level,
                }));
            }
        }
        assert!(checks.len() > before || installed.is_empty(), "{} expects nothing", file.display());
    }
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some(check) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(what) = check.run() {
                        let Check { file, line, compilers, level } = check;
                        let one = format!("{} ({line}) {} -O{level}: {what}", file.display(), compilers.0);
                        wrong.lock().expect("the list").push(one);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("the list");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
