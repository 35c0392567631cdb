//! Compiles the C code and the stubs that are linked into every program that is checked, so that no check has to. It needs
//! gcc or clang: the command `cc`, or what `CC` names.
#![allow(clippy::print_stdout)] // This is how Cargo is told.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of C code.
const UNITS: [&str; 6] = ["glue", "time", "ends", "memory", "zones", "library"];
/// Files of assembly that are as they are.
const ASSEMBLY: [&str; 3] = ["begin", "glue_begin", "throw"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=glue");
    println!("cargo:rerun-if-env-changed=CC");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|one| one == value);
    if !is("CARGO_CFG_TARGET_OS", "linux")
        || !is("CARGO_CFG_TARGET_ARCH", "x86_64")
        || std::env::var_os("CARGO_CFG_QUOTIENT_ELSEWHERE").is_some()
    {
        return; // Programs are not checked there.
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo says where to"));
    let glue = Path::new("glue");
    for name in UNITS {
        let assembly = out.join(name).with_extension("s");
        let mut command = compiler();
        command.args(["-S", "-O1", "-fPIC", "-fexceptions", "-fno-builtin", "-w", "-pthread", "-fvisibility=hidden"]);
        // Who has called is found by frames; and the objects are for every compiler and every machine.
        command.args(["-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-lto", "-fno-stack-protector"]);
        command.args(["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0"]);
        run(command.arg(glue.join(name).with_extension("c")).arg("-o").arg(&assembly));
        // What is defined gives way to other definitions.
        let text = read(&assembly).replace("\t.globl\t", "\t.weak\t");
        std::fs::write(&assembly, text).expect("the directory can be written");
        assemble(&assembly, &out.join(name));
    }
    for name in ASSEMBLY {
        assemble(&glue.join(name).with_extension("s"), &out.join(name));
    }
    let parts = ["stubs.s", "list.s", "call.s"].map(|part| read(&glue.join(part)));
    for (name, flush) in [("stubs", 0), ("flushing_stubs", 1)] {
        let assembly = out.join(name).with_extension("s");
        let text = format!("\t.set FLUSH, {flush}\n{}", parts.concat());
        std::fs::write(&assembly, text).expect("the directory can be written");
        assemble(&assembly, &out.join(name));
    }
}

fn compiler() -> Command {
    let text = std::env::var("CC").ok().filter(|text| !text.trim().is_empty());
    let text = text.as_deref().unwrap_or("cc");
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words);
    command
}

fn assemble(assembly: &Path, object: &Path) {
    run(compiler().arg("-c").arg(assembly).arg("-o").arg(object.with_extension("o")));
}

fn run(command: &mut Command) {
    let status = command.status();
    let done = status.as_ref().is_ok_and(|status| status.success());
    assert!(
        done,
        "{command:?}: {status:?}; a C compiler is needed to build this: install gcc or clang, or name one in CC"
    );
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
