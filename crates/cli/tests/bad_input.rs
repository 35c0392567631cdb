//! Bad input and bad circumstances: a clear message, the right exit code, and never a panic.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use common::{Dir, HOLDS, RACE, Ran};

/// Checks that a file is refused, in both formats; gives the message.
fn refused(dir: &Dir, args: &[&str]) -> String {
    let human = dir.run(&[&["check"], args].concat());
    assert_eq!((human.code, human.stdout.as_str()), (Some(2), ""), "{args:?}: {}", human.stderr);
    assert!(human.stderr.starts_with("error: ") && !human.stderr.contains("panicked"), "{args:?}: {}", human.stderr);
    let json = dir.run(&[&["check", "--format", "json"], args].concat());
    assert_eq!((json.code, json.stderr.as_str()), (Some(2), ""), "{args:?}");
    let answer = json.json();
    assert_eq!(answer["schema"], 2);
    assert_eq!(answer["error"]["diagnostics"][0]["severity"], "error", "{args:?}");
    let message = answer["error"]["diagnostics"][0]["message"].as_str().expect("a message").to_string();
    assert!(human.stderr.contains(&message), "{args:?}: {message}");
    message
}

#[test]
fn a_file_that_cannot_be_used_is_refused() {
    let dir = Dir::new(&[("empty.pml", ""), ("wrong.pml", "active proctype P() {\n   x = 1\n}\n")]);
    fs::write(dir.0.join("binary.pml"), [0u8, 159, 146, 150, 0, 1, 2]).expect("a file");
    assert!(refused(&dir, &["missing.pml"]).starts_with("cannot read `missing.pml`"));
    assert!(refused(&dir, &["."]).contains("is a directory"));
    assert!(refused(&dir, &["binary.pml"]).contains("not a text file"));
    assert!(refused(&dir, &["empty.pml"]).contains("empty"));
    refused(&dir, &["wrong.pml"]);
    let answer = dir.run(&["check", "wrong.pml", "--format", "json"]).json();
    let location = &answer["error"]["diagnostics"][0]["location"];
    assert_eq!((&location["file"], &location["line"]), (&"wrong.pml".into(), &2.into()));
    assert!(refused(&dir, &["empty.pml", "-D", "1x=2"]).contains("not a name"));
}

/// What is no model is not taken for one in Promela, unless that is asked for.
#[test]
fn programs_that_are_not_read_are_named() {
    let files = ["a.rs", "a.py", "a.go", "noname", "a.spin"].map(|name| (name, "// nothing\n"));
    let dir = Dir::new(&files.map(|(name, text)| (name, if name == "a.py" { "" } else { text })));
    assert_eq!(refused(&dir, &["a.rs"]), "`a.rs` is a Rust program; these are checked by `cargo test`");
    assert_eq!(refused(&dir, &["a.py"]), "`a.py` is not a model: Python is not read");
    assert_eq!(refused(&dir, &["a.go"]), "`a.go` is not a model: Go is not read");
    let told = dir.run(&["check", "a.py"]).stderr;
    assert!(told.contains("Quotient reads Promela (.pml), dSPIN's Promela (.dprom), BIR (.bir), C (.c)"), "{told}");
    for other in [&["noname"][..], &["a.spin"], &["a.rs", "--language", "promela"]] {
        assert_eq!(refused(&dir, other), "the model is empty", "{other:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new(&[("secret.pml", HOLDS)]);
    let path = dir.0.join("secret.pml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("my own file");
    // The superuser can read everything.
    if fs::read(&path).is_err() {
        assert!(refused(&dir, &["secret.pml"]).starts_with("cannot read `secret.pml`"));
    }
}

#[test]
fn files_that_include_each_other_are_refused() {
    let dir = Dir::new(&[("a.pml", "#include \"b.pml\"\n"), ("b.pml", "#include \"a.pml\"\n")]);
    let message = refused(&dir, &["a.pml"]);
    assert!(message.contains("include"), "{message}");
}

#[test]
fn lines_are_shown_only_of_files_that_may_be_meant() {
    let elsewhere = Dir::new(&[("secrets", "root:hunter2\n"), ("common.pml", "int y = = 1;\n")]);
    let path = |name: &str| elsewhere.0.join(name).display().to_string();
    let secrets = path("secrets");
    let dir = Dir::new(&[
        ("foreign.pml", &format!("#include \"{secrets}\"\n")),
        ("source.pml", &format!("#include \"{}\"\n", path("common.pml"))),
        ("beside.pml", "#include \"declarations\"\n"),
        ("declarations", "int y = = 1;\n"),
        ("include.c", &format!("#include \"{secrets}\"\n")),
        (
            "line.c",
            &format!("#include <assert.h>\nint x;\nint main(void) {{\n#line 1 \"{secrets}\"\n  assert(x);\n}}\n"),
        ),
    ]);
    let said = |file: &str| {
        let ran = dir.run(&["check", file]);
        ran.stdout + &ran.stderr
    };
    for file in ["foreign.pml", "include.c", "line.c"] {
        let text = said(file);
        assert!(text.contains("secrets:1") && !text.contains("hunter2"), "{text}");
    }
    for file in ["source.pml", "beside.pml"] {
        let text = said(file);
        assert!(text.contains("1 | int y = = 1;"), "{text}");
    }
}

#[test]
fn a_model_of_100_000_lines_is_checked() {
    // One process has 50,000 statements; the rest is spread over others, since a process has at most 65,535 states.
    let mut model = "int x;\n".to_string();
    for proctype in ["init", "proctype A()", "proctype B()"] {
        model.push_str(&format!("{proctype} {{\n"));
        for line in 0..if proctype == "init" { 50_000 } else { 25_000 } {
            model.push_str(&format!("   x = {line};\n"));
        }
        model.push_str("   assert(x == 1)\n}\n");
    }
    let dir = Dir::new(&[("long.pml", &model)]);
    let ran = dir.run(&["check", "long.pml", "--format", "json", "--unreached"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert_eq!(ran.json()["violations"][0]["location"]["line"], 50_003);
    assert_eq!(ran.json()["violations"][0]["trace_length"], 50_001);
}

#[test]
fn a_model_that_runs_out_of_memory_is_inconclusive() {
    let model = "int x, y;\nactive [2] proctype P() { do :: x++ :: y++ od }\n";
    let dir = Dir::new(&[("big.pml", model)]);
    let ran = dir.run(&["check", "big.pml", "--reduce", "off", "--max-memory", "16M"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    assert!(ran.stdout.contains("INCONCLUSIVE: no error in what was covered"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the limit on memory (--max-memory)"), "{}", ran.stdout);
}

#[test]
fn options_that_cannot_be_honoured_are_refused() {
    let dir = Dir::new(&[("holds.pml", HOLDS)]);
    let refused = [
        (&["--symmetry", "full"][..], "no two processes are of the same type"),
        (&["--symmetry", "require"], "no two processes are of the same type"),
        (&["--symmetry", "half"], "--symmetry"),
        (&["--selfcheck", "some"], "not a number"),
        (&["--order-free-termination"], "no processes change places"),
        (&["--symmetry-file", "nowhere.sym"], "nowhere.sym"),
        (&["--reduce", "maybe"], "--reduce"),
        (&["--order", "random"], "--order"),
        (&["--max-memory", "lots"], "not a size"),
        (&["--max-time", "0"], "more than zero"),
        (&["--max-states", "0"], "--max-states"),
        (&["--property", "p1"], "--property"),
        (&["--no-such-option"], "--no-such-option"),
        (&["-D", "=3"], "needs a name"),
    ];
    for (args, message) in refused {
        let ran = dir.run(&[&["check", "holds.pml"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let model = "byte x;\nactive proctype P() { do :: x < 250 -> x++ :: x == 250 -> assert(false) od }\n";
    let dir = Dir::new(&[("long.pml", model)]);
    for format in ["human", "json"] {
        let mut command = dir.command(&["check", "long.pml", "--full-trace", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        assert_eq!((child.wait().expect("it ends").code(), stderr.as_str()), (Some(1), ""), "{format}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_tells_what_it_covered() {
    let dir = Dir::new(&[("big.pml", "int x, y;\nactive [2] proctype P() { do :: x++ :: y++ od }\n")]);
    let mut command = dir.command(&["check", "big.pml", "--reduce", "off", "--max-memory", "2G"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    // The first line is there before the search starts, and Ctrl-C is dealt with before that.
    stdout.read_line(&mut text).expect("a line");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    stdout.read_to_string(&mut text).expect("text");
    let ran = Ran { code: child.wait().expect("it ends").code(), stdout: text, stderr: String::new() };
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    assert!(ran.stdout.contains("but the search stopped because it was interrupted"), "{}", ran.stdout);
}

#[test]
fn help_describes_every_command() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    for command in ["check", "replay", "simulate"] {
        let ran = dir.run(&[command, "--help"]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("Usage: quotient") && ran.stdout.contains("Exit codes:"), "{}", ran.stdout);
    }
    assert_eq!(dir.run(&[]).code, Some(2));
}

#[test]
fn a_run_without_end_is_refused() {
    let ran = Dir::new(&[]).run(&["replay", "/dev/zero"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("it is a device, which may have no end"), "{}", ran.stderr);
}

#[test]
fn an_answer_that_cannot_be_written_is_told_of() {
    let dir = Dir::new(&[("m.pml", "active proctype P() { skip }")]);
    for format in ["human", "json"] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("the device that is full");
        let output = dir.command(&["check", "m.pml", "--format", format]).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("error: cannot write the answer").count(), 1, "{said}");
    }
}
