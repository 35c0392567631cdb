//! C and C++ programs, each with what it must show in its header: `// expect verdict=violated kind=race line=6`. Without
//! `symmetry=on`, a line with a number of executions is about all of them. `mentions` is part of the message, `prints`
//! of the program's output, `warns` of a warning, `notes` of a note; `flags` are for Quotient and `cflags` for the compiler. If both gcc and clang are installed,
//! they must agree.

mod compilers;

use compilers::installed;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Compilers for C and C++.
#[derive(Clone, Copy)]
struct Compilers {
    c: &'static str,
    cpp: &'static str,
}

const SYSTEM: Compilers = Compilers { c: "cc", cpp: "c++" };

/// Runs the command; gives the exit code, standard output and standard error.
fn quotient(args: &[String]) -> (i32, String, String) {
    quotient_with(SYSTEM, args)
}

/// The same with certain compilers.
fn quotient_with(compilers: Compilers, args: &[String]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    let output = command.args(args).env("CC", compilers.c).env("CXX", compilers.cpp).output();
    let output = output.expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// What must not depend on the compiler: verdict, kind and line of the violation, executions, and those given up.
type Seen = [String; 5];

/// Where the number of executions that were given up stands.
const GIVEN_UP: usize = 4;

/// Checks a program with one line of expectations; if it is not as it should be, what is wrong with it.
fn check(compilers: Compilers, file: &Path, line: &str) -> Result<Seen, String> {
    let mut args = vec!["check".to_owned(), file.display().to_string(), "--format=json".to_owned()];
    let mut compiler_flags = Vec::new();
    let mut expected: Vec<(&str, &str)> = Vec::new();
    for word in line.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("{word} has no value"))?;
        match key {
            "model" => args.push(format!("--memory-model={value}")),
            "flags" => args.push(value.to_owned()),
            "cflags" => compiler_flags.push(value.to_owned()),
            "symmetry" => args.push(format!("--symmetry={value}")),
            _ => expected.push((key, value)),
        }
    }
    if line.contains("executions=") && !line.contains("symmetry=") {
        args.push("--symmetry=off".to_owned());
    }
    if !compiler_flags.is_empty() {
        args.push("--".to_owned());
        args.extend(compiler_flags);
    }
    let (code, stdout, stderr) = quotient_with(compilers, &args);
    let answer: Value = serde_json::from_str(&stdout).map_err(|error| format!("{error}: {stdout}{stderr}"))?;
    let violation = &answer["violations"][0];
    for (key, value) in expected {
        let found = match key {
            "verdict" => answer["verdict"].as_str().unwrap_or_default().to_owned(),
            "kind" => violation["kind"].as_str().unwrap_or_default().to_owned(),
            "line" => violation["location"]["line"].to_string(),
            "executions" => answer["stats"]["executions"].to_string(),
            "exit" => code.to_string(),
            "mentions" if violation["message"].as_str().is_some_and(|message| message.contains(value)) => {
                value.to_owned()
            }
            "notes" if answer["notes"].to_string().contains(value) => value.to_owned(),
            "warns" if answer["warnings"].to_string().contains(value) => value.to_owned(),
            "prints" if answer["output"].as_str().is_some_and(|output| output.contains(value)) => value.to_owned(),
            _ => String::new(),
        };
        if found != value {
            return Err(format!("{key} is `{found}`, not `{value}`\n{stdout}"));
        }
    }
    let verdict = answer["verdict"].as_str().unwrap_or_default();
    let exit = match verdict {
        "holds" => 0,
        "violated" => 1,
        "inconclusive" => 3,
        _ => 2,
    };
    if code != exit {
        return Err(format!("exit code {code}, verdict {verdict}"));
    }
    replay(compilers, &answer, &args)?;
    let stats = &answer["stats"];
    let seen = [&answer["verdict"], &violation["kind"], &violation["location"]["line"], &stats["executions"]];
    let [verdict, kind, line, executions] = seen.map(Value::to_string);
    Ok([verdict, kind, line, executions, stats["blocked"].to_string()])
}

/// A violation can be had again by the text that its report gives, unless it is that things happen only once.
fn replay(compilers: Compilers, answer: &Value, args: &[String]) -> Result<(), String> {
    let violation = &answer["violations"][0];
    if violation["kind"] == "nondeterminism" {
        return Ok(());
    }
    let Some(script) = violation["replay"].as_str().filter(|script| !script.is_empty()) else { return Ok(()) };
    let mut again = args.to_vec();
    again.insert(1, format!("--replay={script}"));
    let (_, stdout, stderr) = quotient_with(compilers, &again);
    let second: Value = serde_json::from_str(&stdout).map_err(|error| format!("{error}: {stdout}{stderr}"))?;
    let kind = &second["violations"][0]["kind"];
    if *kind != violation["kind"] {
        return Err(format!("replayed, it shows {kind} instead of {}", violation["kind"]));
    }
    Ok(())
}

/// Checks all programs of a directory with all compilers that are installed. With each of them the answers must have the
/// same number of complete executions.
fn check_all(directory: &str) {
    let compilers: Vec<Compilers> = installed().into_iter().map(|(c, cpp)| Compilers { c, cpp }).collect();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs").join(directory);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the directory of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a program");
        let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// expect ")).collect();
        assert!(!lines.is_empty(), "{} expects nothing", file.display());
        for line in lines {
            let mut seen: Vec<Seen> = Vec::new();
            for &compilers in &compilers {
                match check(compilers, file, line) {
                    Ok(answer) => seen.push(answer),
                    Err(problem) => wrong.push(format!("{}, {}: {line}\n  {problem}", file.display(), compilers.c)),
                }
            }
            // Where a compiler has made two copies of a loop, one more round of it is looked at before it is given up.
            if let [gcc, clang] = &seen[..]
                && gcc[..GIVEN_UP] != clang[..GIVEN_UP]
            {
                wrong.push(format!("{}: {line}\n  gcc {gcc:?}, clang {clang:?}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn c_programs_show_what_they_must() {
    check_all("c/cases");
}

#[test]
fn cpp_programs_show_what_they_must() {
    check_all("cpp/cases");
}

/// Writes a program to a directory of its own; gives its path.
fn write(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join(name);
    std::fs::write(&file, text).expect("the program is written");
    file
}

/// Checks what cannot be checked; gives what was said about it.
fn refused(args: &[&str], variable: Option<(&str, &str)>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.arg("check").args(args).envs(variable);
    let output = command.output().expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    said
}

#[test]
fn what_does_not_compile_is_refused_with_the_words_of_the_compiler() {
    let file = write("broken.c", "int main(void) { return missing; }\n");
    let said = refused(&[&file.to_string_lossy()], None);
    assert!(said.contains("does not compile") && said.contains("missing"), "{said}");
    let file = write("linkless.c", "int missing(void);\nint main(void) { return missing(); }\n");
    let said = refused(&[&file.to_string_lossy()], None);
    assert!(said.contains("does not link") && said.contains("missing"), "{said}");
}

#[test]
fn a_program_needs_a_main_a_file_and_a_compiler() {
    let file = write("headless.c", "int other(void) { return 0; }\n");
    let said = refused(&[&file.to_string_lossy()], None);
    assert!(said.contains("no function `main`"), "{said}");
    let said = refused(&["no/such/file.c"], None);
    assert!(said.contains("no such file"), "{said}");
    let said = refused(&[&file.to_string_lossy()], Some(("CC", "no-such-compiler")));
    assert!(said.contains("no-such-compiler") && said.contains("install"), "{said}");
}

#[test]
fn options_of_models_are_refused_for_programs_and_the_other_way_round() {
    let file = write("plain.c", "int main(void) { return 0; }\n");
    let said = refused(&[&file.to_string_lossy(), "--max-states=5"], None);
    assert!(said.contains("--max-states is for models"), "{said}");
    let model = write("plain.pml", "active proctype P() { skip }\n");
    let said = refused(&[&model.to_string_lossy(), "--memory-model=sc"], None);
    assert!(said.contains("--memory-model is for C and C++ programs"), "{said}");
}

#[test]
fn several_files_make_one_program() {
    let one = write("one.c", "int two(void);\nint main(void) { return two() - 2; }\n");
    let two = write("two.cpp", "extern \"C\" int two() { return LIMIT; }\n");
    let args = ["check", &one.to_string_lossy(), &two.to_string_lossy(), "-DLIMIT=2"].map(str::to_owned);
    let (code, stdout, stderr) = quotient(&args);
    assert_eq!(code, 0, "{stdout}{stderr}");
}

#[test]
fn a_loop_that_is_cut_off_is_no_success() {
    let text = "#include <stdatomic.h>\natomic_int x;\nint main(void) { for (int i = 0; i < 9; i++) x++; }\n";
    let file = write("long.c", text).display().to_string();
    let verdict = |limit: &str| quotient(&["check".to_owned(), file.clone(), format!("--unroll={limit}")]).0;
    assert_eq!((verdict("4"), verdict("20")), (3, 0));
}

/// Neither access is a step of the execution, so the steps alone would not show them.
#[test]
fn a_race_is_shown_with_both_accesses_and_the_reason() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nint data;\natomic_int ready;\n\
                void *producer(void *a) {\n  data = 42;\n  atomic_store_explicit(&ready, 1, memory_order_relaxed);\n\
                  return a;\n}\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, producer, 0);\n\
                  if (atomic_load(&ready)) return data - 42;\n  pthread_join(t, 0);\n}\n";
    let file = write("both.c", text).display().to_string();
    let (code, stdout, stderr) = quotient(&["check".to_owned(), file.clone()]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    let why = stdout.split("Why:").nth(1).unwrap_or_default();
    for part in ["thread 1: a plain write", "6 | data = 42;", "main: a plain read", "return data - 42;"] {
        assert!(why.contains(part), "{part} is missing: {stdout}");
    }
    assert!(why.contains("the write does not release"), "{stdout}");
    let (_, stdout, _) = quotient(&["check".to_owned(), file, "--format=json".to_owned()]);
    let answer: Value = serde_json::from_str(&stdout).expect("an answer");
    let related = answer["violations"][0]["related"].as_array().map_or(0, Vec::len);
    assert_eq!(related, 2, "{stdout}");
}

#[test]
fn programs_for_genmc_run_unchanged() {
    let text = "#include <genmc.h>\n#include <stdatomic.h>\natomic_int x;\n\
                void *worker(void *a) { atomic_fetch_add(&x, 1); return a; }\n\
                int main(void) {\n  pthread_t a = __VERIFIER_spawn(worker, 0);\n\
                  pthread_t b = __VERIFIER_spawn_symmetric(worker, 0, a);\n\
                  __VERIFIER_join(a);\n  __VERIFIER_join_symmetric(b);\n  __VERIFIER_assume(x == 2);\n}\n";
    let file = write("genmc.c", text).display().to_string();
    let (code, stdout, stderr) = quotient(&["check".to_owned(), file]);
    assert_eq!(code, 0, "{stdout}{stderr}");
}
