//! What programs do through functions of the C and C++ libraries. Every function of the table of `quotient_native::library` is
//! called in C programs that are made from the table: as it should be, in a race with another thread, with memory that
//! was freed, and with memory that is too small. The programs of `programs/c/library` have their expectations in them, in lines
//! `// expect verdict=violated kind=race` with the keys of `native.rs`; `notes` is part of a note, `opt` as in
//! `native_loops.rs`. They are checked with each compiler at one level of optimisation, which changes from line to line; with
//! `QUOTIENT_ALL_LIBRARY=1` at every level.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use quotient_native::library::{Function, book, rows};
use quotient_native::{Options, check, compile};
use serde_json::Value;

/// Checks that run side by side.
const JOBS: usize = 2;

const COMPILERS: [(&str, &str); 2] = [("gcc", "g++"), ("clang", "clang++")];

fn is_installed(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn installed() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMPILERS.into_iter().filter(|compilers| is_installed(compilers.0) && is_installed(compilers.1))
}

/// What is wrong with a function, or with how it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Right,
    OtherWrites,
    OtherReads,
    Freed,
    Short,
    Both,
}

impl Mode {
    fn kind(self) -> Option<&'static str> {
        match self {
            Mode::Right => None,
            Mode::OtherWrites | Mode::OtherReads | Mode::Both => Some("race"),
            Mode::Freed => Some("use-after-free"),
            Mode::Short => Some("out-of-bounds"),
        }
    }
}

/// One call of one function.
#[derive(Clone, Copy, Debug)]
struct Case {
    row: usize,
    variable: char,
    mode: Mode,
}

/// The variables of the examples: name, type, what is in the memory they point to, how much of it there is, and how much if
/// it is too small.
const VARIABLES: [(char, &str, &str, usize, usize); 12] = [
    ('a', "char *", "\"1234\"", 5, 2),
    ('b', "char *", "\"1234\"", 5, 2),
    ('c', "char *", "\"qrs\"", 4, 2),
    ('f', "char *", "\"%s\"", 3, 2),
    ('w', "wchar_t *", "L\"1234\"", 20, 8),
    ('v', "wchar_t *", "L\"1234\"", 20, 8),
    ('x', "wchar_t *", "L\"qrs\"", 16, 8),
    ('t', "struct tm *", "&some_time", 56, 16),
    ('k', "time_t *", "&some_seconds", 8, 4),
    ('e', "int *", "&some_seconds", 4, 2),
    ('d', "double *", "&some_time", 16, 4),
    ('p', "char **", "&some_pointer", 8, 4),
];

/// The variable that an argument is, if it is one and nothing more.
fn variable(function: &Function, argument: u8) -> Option<char> {
    let inside = function.example.trim_start_matches('(').split_once('(')?.1;
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            _ => {}
        }
        if !(letter == ',' && depth == 0) {
            parts.last_mut()?.push(letter);
        }
    }
    let part = parts.get(usize::from(argument))?.trim();
    let name = part.rsplit(')').next()?.trim();
    let first = name.chars().next().filter(|_| name.len() == 1)?;
    VARIABLES.iter().map(|variable| variable.0).find(|&variable| variable == first)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (row, function) in rows().iter().enumerate() {
        cases.push(Case { row, variable: 'a', mode: Mode::Right });
        if function.keeps.is_some() {
            cases.push(Case { row, variable: 'a', mode: Mode::Both });
        }
        for (spans, other) in [(function.reads, Mode::OtherWrites), (function.writes, Mode::OtherReads)] {
            for argument in spans.iter().flat_map(|span| span.arguments()) {
                let Some(variable) = variable(function, argument) else { continue };
                cases.extend([other, Mode::Freed, Mode::Short].map(|mode| Case { row, variable, mode }));
            }
        }
    }
    cases
}

/// A program that calls every function as the variable CASE of its environment says: row, variable, mode.
fn program() -> String {
    let mut text = String::from(
        "#define _GNU_SOURCE\n#include <errno.h>\n#include <inttypes.h>\n#include <math.h>\n#include <pthread.h>\n\
         #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\n#include <sys/uio.h>\n\
         #include <time.h>\n#include <unistd.h>\n#include <wchar.h>\n\
         int __xpg_strerror_r(int, char *, size_t);\n\
         static struct tm some_time = {.tm_mday = 1};\nstatic time_t some_seconds;\n\
         static char some_text[] = \"1234\", *some_pointer = some_text;\nstatic volatile long result;\n\
         static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }\n\
         static int compare_more(const void *a, const void *b, void *more) { (void)more; return compare(a, b); }\n\
         static int row, variable, mode;\nenum { right, writes, reads, freed, small, both };\n\
         static void *block(const void *contents, size_t size, size_t room) {\n\
           char *memory = malloc(room);\n\
           for (size_t i = 0; i < room; i++) memory[i] = i < size ? ((const char *)contents)[i] : 0;\n\
           return memory;\n}\nstruct set {\n",
    );
    for (name, type_, ..) in VARIABLES {
        let _ = writeln!(text, "  {type_}{name};");
    }
    text.push_str("};\nstatic struct set ours, theirs;\nstatic void *touched;\n");
    text.push_str("static void fill(struct set *s, int is_ours) {\n");
    for (name, _, contents, size, short) in VARIABLES {
        let _ = writeln!(
            text,
            "  s->{name} = is_ours && variable == '{name}' && mode == small ? block({contents}, {short}, {short}) : \
             block({contents}, {size}, 64);\n  if (is_ours && variable == '{name}') touched = s->{name};"
        );
    }
    text.push_str("}\n");
    for (row, function) in rows().iter().enumerate() {
        let _ = writeln!(text, "static void call{row}(struct set *s) {{\n  size_t n = 4; (void)n;");
        for (name, type_, ..) in VARIABLES {
            let _ = writeln!(text, "  {type_}{name} = s->{name}; (void){name};");
        }
        let _ = writeln!(text, "  result = (long)({});\n}}", function.example);
    }
    text.push_str("static void call(struct set *s) {\n  switch (row) {\n");
    for row in 0..rows().len() {
        let _ = writeln!(text, "  case {row}: call{row}(s); break;");
    }
    text.push_str(
        "  }\n}\nstatic void *other(void *argument) {\n\
           if (mode == writes) *(char *)touched = '1';\n\
           if (mode == reads && *(char *)touched == 77) result = 1;\n\
           if (mode == both) call(&theirs);\n\
           return argument;\n}\n\
         int main(void) {\n\
           const char *text = getenv(\"CASE\");\n\
           row = (text[0] - '0') * 100 + (text[1] - '0') * 10 + text[2] - '0';\n\
           variable = text[3];\n  mode = text[4] - '0';\n\
           fill(&ours, 1);\n\
           if (mode == both) fill(&theirs, 0);\n\
           if (mode == freed) free(touched);\n\
           pthread_t thread;\n\
           if (mode != right) pthread_create(&thread, 0, other, 0);\n\
           call(&ours);\n\
           if (mode != right) pthread_join(thread, 0);\n  return 0;\n}\n",
    );
    // What is volatile must not race: every thread may write the result.
    text.replace("static volatile long result;", "static _Thread_local volatile long result;")
}

/// Every function of the table, with both compilers. Cases share a program, and which one it is stands in the environment.
#[test]
fn every_function_of_the_table_is_seen() {
    let directory = std::env::temp_dir().join(format!("quotient-library-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join("table.c");
    std::fs::write(&file, program()).expect("a program");
    let mut wrong = Vec::new();
    for (number, compilers) in installed().enumerate() {
        // SAFETY: other tests of this file give their programs an environment of their own.
        unsafe { std::env::set_var("CC", compilers.0) };
        let options = Options { max_executions: Some(50), ..Options::default() };
        let level = ["-O2", "-O0"][number % 2].to_owned();
        let compiled = compile(std::slice::from_ref(&file), &[], &[level], &options).expect("a program that compiles");
        for case in cases() {
            let text = format!("{:03}{}{}", case.row, case.variable, case.mode as u8);
            // SAFETY: as above.
            unsafe { std::env::set_var("CASE", &text) };
            let answer = check(&compiled, &options).expect("an answer");
            let found = answer.violation.as_ref().map(|violation| violation.kind.as_str());
            if found != case.mode.kind() || answer.reason.is_some() {
                let example = rows()[case.row].example;
                let message = answer.violation.map(|violation| violation.message);
                wrong.push(format!(
                    "{compilers:?} {example}: {case:?} shows {found:?}: {message:?} {:?}",
                    answer.reason
                ));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases().len() > 500, "only {} cases", cases().len());
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
                let silent = self.values("silent").next().is_some() && answer["notes"] != serde_json::json!([]);
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
    let mut checks = Vec::new();
    let mut lines = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let before = checks.len();
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            for compilers in installed() {
                lines += 1;
                let levels = (0..4).filter(|level| all || level % 4 == lines * 3 % 4);
                checks.extend(levels.map(|level| Check {
                    file: file.clone(),
                    line: line.to_owned(),
                    compilers,
                    level,
                }));
            }
        }
        assert!(checks.len() > before || installed().next().is_none(), "{} expects nothing", file.display());
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
