//! Checks of small C and C++ programs by the lines `// expect` in them, in several ways each.
//!
//! A line has words `key=value`: `verdict` and `kind` (with commas between those that are right), `executions`, `mentions`
//! (a part of the message), `at` (the place of the violation), `says` and `silent` (what warnings and notes say, or not),
//! `flags` and `cflags` (options of the check and of the compiler).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Checks that run side by side.
const JOBS: usize = 2;

struct Expectation {
    file: PathBuf,
    line: String,
}

/// A compiler and a level of optimisation.
#[derive(Clone, Copy, Debug)]
struct Way {
    compilers: (&'static str, &'static str),
    level: usize,
}

impl Expectation {
    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.line.split_whitespace().filter_map(|word| word.split_once('='));
        words.filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// What is wrong with the answer, if anything.
    fn check(&self, way: Way, more: &[&str]) -> Result<Value, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        command.env("CC", way.compilers.0).env("CXX", way.compilers.1);
        command.arg("check").arg(&self.file).args(["--format=json", "--max-events=2000", "--max-executions=5000"]);
        command.args(self.values("flags")).args(more);
        command.arg("--").arg(format!("-O{}", way.level)).args(self.values("cflags"));
        let output = command.output().expect("the command runs");
        let stdout = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&stdout).map_err(|_| format!("{stdout}{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// What is wrong with an answer.
    fn problem(&self, answer: &Value) -> Option<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let violation = &answer["violations"][0];
        let message = text(&violation["message"]);
        let stats = &answer["stats"];
        let found = [
            ("verdict", text(&answer["verdict"])),
            ("kind", text(&violation["kind"])),
            ("executions", text(&stats["executions"])),
        ];
        for (key, found) in found {
            if let Some(wanted) = self.values(key).next().filter(|wanted| !wanted.split(',').any(|one| one == found)) {
                return Some(format!("{key} is {found}, not {wanted}: {message} {} {stats}", answer["reason"]));
            }
        }
        if let Some(part) = self.values("mentions").find(|part| !message.contains(part)) {
            return Some(format!("{part} is not mentioned: {message}"));
        }
        let at = &violation["location"];
        let place = format!("{}:{}", text(&at["file"]), at["line"]);
        if let Some(wanted) = self.values("at").find(|wanted| !place.ends_with(wanted)) {
            return Some(format!("it is at {place}, not at {wanted}: {message}"));
        }
        let said = format!("{} {}", answer["warnings"], answer["notes"]);
        if let Some(part) = self.values("says").find(|part| !said.contains(part)) {
            return Some(format!("nothing is said of {part}: {said}"));
        }
        self.values("silent").find(|part| said.contains(part)).map(|part| format!("{part} is in what is said: {said}"))
    }
}

fn is_installed(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn ways() -> Vec<Way> {
    let all = [("gcc", "g++"), ("clang", "clang++")];
    let installed = all.into_iter().filter(|names| is_installed(names.0) && is_installed(names.1));
    installed.flat_map(|compilers| (0..4).map(move |level| Way { compilers, level })).collect()
}

fn expectations(directory: &str) -> Vec<Expectation> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c").join(directory);
    let only = std::env::var("QUOTIENT_ONLY").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the directory of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"))
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let before = all.len();
        let lines = text.lines().filter_map(|line| line.strip_prefix("// expect "));
        all.extend(lines.map(|line| Expectation { file: file.clone(), line: line.to_owned() }));
        assert!(all.len() > before, "{} expects nothing", file.display());
    }
    all
}

/// Does some work for every item, and gives what it says.
fn side_by_side<T: Sync>(items: &[T], work: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(problem) = work(item) {
                        wrong.lock().expect("nobody panics with it").push(problem);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("nobody has panicked");
    wrong.sort();
    wrong
}

/// Checks every line in one way, which changes from line to line; in every way with `QUOTIENT_ALL_WAYS=1`, or if the line
/// has the word `everywhere`.
pub fn check_all(directory: &str) {
    let (ways, expectations) = (ways(), expectations(directory));
    let everything = std::env::var_os("QUOTIENT_ALL_WAYS").is_some_and(|value| value != "0");
    let mut work = Vec::new();
    for (number, expectation) in expectations.iter().enumerate() {
        let all = everything || expectation.line.split_whitespace().any(|word| word == "everywhere");
        let chosen = if all { &ways[..] } else { &ways[number * 5 % ways.len()..][..1] };
        work.extend(chosen.iter().map(|&way| (expectation, way)));
    }
    let wrong = side_by_side(&work, |&(expectation, way)| {
        let problem = match expectation.check(way, &[]) {
            Ok(answer) => expectation.problem(&answer),
            Err(said) => Some(format!("no answer: {said}")),
        }?;
        let name = expectation.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(format!("{name}, {} -O{}: {}\n  {problem}", way.compilers.0, way.level, expectation.line))
    });
    assert!(wrong.is_empty(), "{}\n{} of {} checks are wrong", wrong.join("\n"), wrong.len(), work.len());
}

/// Runs the execution of every violation once more, by its text, and sees that it shows the same.
pub fn replay_all(directory: &str) {
    let ways = ways();
    let mut work = expectations(directory);
    work.retain(|one| one.values("verdict").any(|verdict| verdict == "violated"));
    let numbered: Vec<_> = work.iter().enumerate().collect();
    let wrong = side_by_side(&numbered, |&(number, expectation)| {
        let way = ways[number * 3 % ways.len()];
        let replay = || {
            let first = expectation.check(way, &[])?;
            let text = first["violations"][0]["replay"].as_str().ok_or("there is nothing to replay")?.to_owned();
            let again = expectation.check(way, &["--replay", &text])?;
            let (before, after) = (&first["violations"][0]["message"], &again["violations"][0]["message"]);
            if before == after { Ok(()) } else { Err(format!("{before} becomes {after}")) }
        };
        let problem: Result<(), String> = replay();
        problem.err().map(|problem| format!("{} {}: {problem}", expectation.file.display(), expectation.line))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
