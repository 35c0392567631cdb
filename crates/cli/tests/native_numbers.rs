//! The C programs with known numbers, each with the lines of its header, which are those of the Rust program of the same
//! name: with and without symmetry reduction the counts are the same. Under all four memory models ten of them have the
//! same counts as the Rust program has when it is run beside.

mod compilers;

use compilers::installed;
use std::path::{Path, PathBuf};
use std::process::Command;

use quotient::{Builder, MemoryModel};
use serde_json::Value;

/// Larger numbers take too long without optimisation.
const MOST: u64 = 3000;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

/// With clang as well, numbers up to this.
const MOST_WITH_CLANG: u64 = 300;

/// Checks a C program; gives the number of executions.
fn executions(name: &str, n: usize, variant: Option<&str>, model: &str, symmetry: &str) -> u64 {
    executions_with("cc", name, n, variant, model, symmetry, 1)
}

/// The same with a certain compiler and several processes.
fn executions_with(
    cc: &str,
    name: &str,
    n: usize,
    variant: Option<&str>,
    model: &str,
    symmetry: &str,
    jobs: u32,
) -> u64 {
    let file = directory().join("c").join(format!("{name}.c"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    command.env("CC", cc).arg("check").arg(file).args(["--format=json", "--leaks=off"]).arg(format!("-DN={n}"));
    command.arg(format!("--jobs={jobs}"));
    command.arg(format!("--memory-model={model}")).arg(format!("--symmetry={symmetry}"));
    command.args(variant.map(|variant| format!("-D{variant}")));
    let output = command.output().expect("the command runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer");
    assert_eq!(answer["verdict"], "holds", "{name} n={n} {model} {symmetry}: {answer:#}");
    answer["stats"]["executions"].as_u64().expect("a number of executions")
}

/// The lines of expectations of a program, and those of the Rust program.
fn lines(name: &str) -> Vec<String> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(path).expect("a program");
        text.lines().filter(|line| line.starts_with("// expect ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = read(directory().join("c").join(format!("{name}.c")));
    assert_eq!(lines, read(directory().join(format!("{name}.rs"))), "{name}: the headers differ");
    lines
}

fn check(name: &str) {
    for line in lines(name) {
        let mut words: Vec<&str> = line.split_whitespace().skip(2).collect();
        let variant = (!words[0].contains('=')).then(|| words.remove(0));
        let value = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
        let n = value("n").map_or(2, |n| n.parse().expect("a number"));
        for symmetry in ["off", "on"] {
            let Some(expected) = value(symmetry).map(|number| number.parse::<u64>().expect("a number")) else {
                continue;
            };
            for (cc, _) in installed() {
                if expected <= if cc == "gcc" { MOST } else { MOST_WITH_CLANG } {
                    let model = value("model").unwrap_or("rc11");
                    let found = executions_with(cc, name, n, variant, model, symmetry, 1);
                    assert_eq!(found, expected, "{name}: {line}, symmetry {symmetry}, {cc}");
                }
            }
        }
    }
}

macro_rules! programs {
    ($($name:ident),+) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )+
    };
}

programs!(
    cas_mutex,
    dglm_queue,
    fetch_add,
    fetch_add_array,
    ms_queue,
    mutex,
    r_rww_rww,
    rdcss,
    readers,
    rev_ex,
    sp_cyc,
    ticket,
    treiber,
    ttas,
    ttas_swap,
    twa_lock,
    w_r_r_rev
);

/// The Rust programs.
macro_rules! rust_programs {
    ($($module:ident: $name:ident, $path:literal;)+) => {
        $(
            #[path = $path]
            #[allow(dead_code, reason = "not every variant is used here")]
            mod $module;
        )+

        const RUST: [(&str, fn(usize)); 10] = [$((stringify!($name), $module::program)),+];
    };
}

rust_programs! {
    rust_cas_mutex: cas_mutex, "../../../programs/cas_mutex.rs";
    rust_fetch_add: fetch_add, "../../../programs/fetch_add.rs";
    rust_fetch_add_array: fetch_add_array, "../../../programs/fetch_add_array.rs";
    rust_ms_queue: ms_queue, "../../../programs/ms_queue.rs";
    rust_r_rww_rww: r_rww_rww, "../../../programs/r_rww_rww.rs";
    rust_rdcss: rdcss, "../../../programs/rdcss.rs";
    rust_readers: readers, "../../../programs/readers.rs";
    rust_rev_ex: rev_ex, "../../../programs/rev_ex.rs";
    rust_treiber: treiber, "../../../programs/treiber.rs";
    rust_ttas: ttas, "../../../programs/ttas.rs";
}

#[test]
fn rust_and_c_agree_under_every_memory_model() {
    let models =
        [("sc", MemoryModel::Sc), ("tso", MemoryModel::Tso), ("ra", MemoryModel::Ra), ("rc11", MemoryModel::Rc11)];
    for (name, program) in RUST {
        for (word, model) in models {
            for symmetry in [false, true] {
                let report = Builder::new().model(model).symmetry(symmetry).run(move || program(3));
                let in_c = executions(name, 3, None, word, if symmetry { "on" } else { "off" });
                assert_eq!(in_c, report.executions(), "{name} under {word}, symmetry {symmetry}");
            }
        }
    }
}

/// Several processes explore the same executions as one.
#[test]
fn several_processes() {
    for (name, n, expected) in [("fetch_add", 6, (720, 1)), ("ttas", 4, (576, 24)), ("treiber", 4, (38, 10))] {
        for jobs in [2, 5] {
            assert_eq!(
                executions_with("cc", name, n, None, "rc11", "off", jobs),
                expected.0,
                "{name}, {jobs} processes"
            );
            assert_eq!(
                executions_with("cc", name, n, None, "rc11", "on", jobs),
                expected.1,
                "{name}, {jobs} processes"
            );
        }
    }
}
