//! Programs and options with which the checker would not see what the program does: it must say so, and never that all is well.

mod common;
mod compilers;

use common::{Dir, Ran};
use compilers::installed;
use std::path::Path;

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c/hostile/forged").join(name);
    path.to_str().expect("a path").to_owned()
}

/// Checks a program with a compiler, with these options of the compiler.
fn check(compiler: &str, name: &str, flags: &[&str]) -> Ran {
    let directory = Dir::new(&[]);
    let mut command = directory.command(&["check", &program(name), "--max-time=60", "--", "-w"]);
    Ran::new(command.args(flags).env("CC", compiler).output().expect("the command runs"))
}

/// The answer must be that nothing is known, with this in it.
fn nothing_is_known(compiler: &str, name: &str, flags: &[&str], why: &str) {
    let Ran { code, stdout, stderr } = check(compiler, name, flags);
    assert_eq!(code, Some(3), "{compiler} {name} {flags:?}: {stdout}{stderr}");
    assert!(stdout.contains(why), "{compiler} {name} {flags:?}: no `{why}` in {stdout}");
}

#[test]
fn inline_assembly_is_not_trusted() {
    for (compiler, _) in installed() {
        for way in 1..=11 {
            nothing_is_known(compiler, "assembly.c", &[&format!("-DWAY={way}")], "assembly.c:");
        }
    }
}

#[test]
fn code_that_no_compiler_has_made_is_not_trusted() {
    let directory = Dir::new(&[(
        "code.s",
        ".text\n.globl inc\ninc:\n push %rax\n mov y@GOTPCREL(%rip),%rax\n incl (%rax)\n pop %rax\n ret\n",
    )]);
    let code = format!("-DCODE=\"{}\"", directory.0.join("code.s").display());
    for (compiler, _) in installed() {
        for way in 1..=7 {
            let flags = [&*format!("-DWAY={way}"), &*code];
            nothing_is_known(compiler, "top_level.c", &flags, "not seen");
        }
    }
}

#[test]
fn code_that_the_program_makes_is_not_run() {
    for (compiler, _) in installed() {
        nothing_is_known(compiler, "made_code.c", &[], "`mprotect`");
        nothing_is_known(compiler, "made_code.c", &["-DBY_NAME"], "`mprotect`");
    }
}

#[test]
fn options_that_hide_what_the_program_does_are_refused() {
    let flags = [
        "-flto",
        "-ffat-lto-objects",
        "-fno-sanitize=thread",
        "-fno-sanitize=all",
        "-fsplit-stack",
        "-Wl,--wrap=pthread_create",
        "-Wl,-z,noseparate-code",
        "-masm=intel",
    ];
    for (compiler, _) in installed() {
        for flag in flags {
            let Ran { code, stdout, stderr } = check(compiler, "race.c", &[flag]);
            assert_eq!(code, Some(2), "{compiler} {flag}: {stdout}{stderr}");
            assert!(stderr.contains(flag), "{compiler} {flag}: {stderr}");
        }
    }
}

/// What is said in the name of the compiler cannot be refused, but must not matter.
#[test]
fn options_in_the_name_of_the_compiler_do_not_matter() {
    for flags in ["-flto", "-fvisibility=hidden"] {
        let Ran { code, stdout, stderr } = check(&format!("gcc {flags}"), "race.c", &[]);
        assert_eq!(code, Some(1), "{flags}: {stdout}{stderr}");
        assert!(stdout.contains("data race"), "{flags}: {stdout}");
    }
    let Ran { code, stdout, stderr } = check("gcc", "race.c", &["-fvisibility=hidden"]);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
}

#[test]
fn functions_that_accesses_are_reported_to_are_not_replaced() {
    let hooks = [
        "void __tsan_write4(void *p) {} void __tsan_read4(void *p) {}",
        "static void __tsan_write4(void *p) { (void)p; } void *user = __tsan_write4;",
        "int own(volatile int *p, int v, int m) __asm__(\"__tsan_atomic32_fetch_add\"); int own(volatile int *p, int v, int m) { return 0; }",
        "void quotient_flush(void) {}",
    ];
    for (compiler, _) in installed() {
        for hook in hooks {
            let Ran { code, stdout, stderr } = check(compiler, "race.c", &[&format!("-DHOOKS={hook}")]);
            assert_eq!(code, Some(2), "{compiler} {hook}: {stdout}{stderr}");
            assert!(stderr.contains("which is reserved"), "{compiler} {hook}: {stderr}");
        }
        // Settings of such tools are harmless.
        let settings = "const char *__tsan_default_options(void) { return \"\"; }";
        let Ran { code, stdout, stderr } = check(compiler, "race.c", &[&format!("-DHOOKS={settings}")]);
        assert_eq!(code, Some(1), "{compiler}: {stdout}{stderr}");
    }
}

#[test]
fn nothing_is_opened_or_mapped_by_number() {
    let directory = Dir::new(&[("file", "secret")]);
    let name = format!("-DFILE_NAME=\"{}\"", directory.0.join("file").display());
    for (way, call) in [(1, "openat"), (2, "mmap"), (3, "mprotect"), (4, "munmap"), (5, "mremap")] {
        nothing_is_known("gcc", "calls.c", &[&format!("-DWAY={way}"), &name], &format!("system call `{call}`"));
    }
}

#[test]
fn the_program_goes_wrong_and_not_the_checker() {
    for (compiler, _) in installed() {
        for (way, expected, said) in [
            (1, 0, ""),
            (2, 0, ""),
            (3, 0, ""),
            (4, 3, "exit"),
            (5, 1, "address 0x0"),
            (6, 1, "address"),
            (7, 1, "address"),
            (8, 1, "stack overflow"),
            (9, 0, ""),
        ] {
            let Ran { code, stdout, stderr } = check(compiler, "ends.c", &[&format!("-DWAY={way}")]);
            assert_eq!(code, Some(expected), "{compiler} {way}: {stdout}{stderr}");
            assert!(stdout.contains(said), "{compiler} {way}: {stdout}");
            assert!(!stdout.contains(".rs:"), "{compiler} {way}: {stdout}");
        }
    }
}

/// The name of a file is no option of the compiler, whatever it begins with.
#[test]
fn names_of_files_are_no_options() {
    let ran = "ran";
    let directory = Dir::new(&[
        ("@w.c", "int main(void) { return 0; }\n"),
        ("w.c", "-wrapper sh,-c,'echo > ran' real.c\n"),
        ("real.c", "int main(void) { return 0; }\n"),
        ("-o.c", "int main(void) { return 0; }\n"),
    ]);
    for name in ["@w.c", "./-o.c"] {
        let Ran { code, stdout, stderr } = directory.run(&["check", name]);
        assert_eq!(code, Some(0), "{name}: {stdout}{stderr}");
    }
    std::fs::create_dir(directory.0.join("@d")).expect("a directory");
    let output = directory.command(&["check", "real.c"]).env("TMPDIR", "@d").output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!directory.0.join(ran).exists(), "a command was run");
}

/// A program that is as large as the limit on memory is not read.
#[test]
fn what_a_program_has_at_its_beginning_counts() {
    let directory = Dir::new(&[("large.c", "int a[1 << 28] = {1};\nint main(void) { return 0; }\n")]);
    let Ran { code, stdout, stderr } = directory.run(&["check", "large.c", "--max-memory=100M", "--format=json"]);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    assert!(stdout.contains("at its beginning") && stdout.contains("\"max-memory\""), "{stdout}");
}

/// Of files that are no sources only places are told.
#[test]
fn messages_do_not_quote_other_files() {
    let directory = Dir::new(&[("secret", "sesame99 open\n")]);
    let place = directory.0.display();
    let files = Dir::new(&[
        ("a.c", &*format!("int main(void) {{ return\n#include \"{place}/secret\"\n; }}\n")),
        ("a.pml", &*format!("int x;\ninit {{ x =\n#include \"{place}/secret\"\n}}\n")),
        ("b.pml", &*format!("int x;\n#define A sesame99\ninit {{ x = y }}\n#include \"{place}/secret\"\n")),
    ]);
    for name in ["a.c", "a.pml"] {
        for (compiler, _) in installed() {
            let mut command = files.command(&["check", name]);
            let Ran { code, stdout, stderr } = Ran::new(command.env("CC", compiler).output().expect("it runs"));
            assert_eq!(code, Some(2), "{name}: {stdout}{stderr}");
            assert!(stderr.contains("secret") && !stderr.contains("sesame"), "{name}: {stderr}");
        }
    }
    // What the model says itself is told.
    let Ran { stderr, .. } = files.run(&["check", "b.pml"]);
    assert!(stderr.contains("`y`"), "{stderr}");
}
