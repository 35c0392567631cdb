//! Compiles the loader, which takes the place of ptrace where that is forbidden. It needs gcc or clang: the command `cc`, or what
//! `CC` names.
#![allow(clippy::print_stdout)] // This is how Cargo is told.

use std::path::PathBuf;
use std::process::Command;

/// The loader stands alone: no C library, no vector registers, an address far from what programs use.
const FLAGS: [&str; 14] = [
    "-O2",
    "-ffreestanding",
    "-fno-builtin",
    "-fPIE",
    "-fno-stack-protector",
    "-fcf-protection=none",
    "-mgeneral-regs-only",
    "-static",
    "-nostdlib",
    "-no-pie",
    "-Wl,-Ttext-segment=0x0ffe00000000",
    "-Wl,--build-id=none",
    "-Wl,-z,noexecstack",
    "-w",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=loader");
    println!("cargo:rerun-if-env-changed=CC");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|one| one == value);
    if !is("CARGO_CFG_TARGET_OS", "linux")
        || !is("CARGO_CFG_TARGET_ARCH", "x86_64")
        || std::env::var_os("CARGO_CFG_QUOTIENT_ELSEWHERE").is_some()
    {
        return; // Processes are not checked there.
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo says where to"));
    let text = std::env::var("CC").ok().filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "cc".to_owned());
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words).args(FLAGS).arg("loader/loader.c").arg("-o").arg(out.join("loader"));
    let status = command.status();
    assert!(
        status.as_ref().is_ok_and(|status| status.success()),
        "{command:?}: {status:?}; a C compiler is needed to build this: install gcc or clang, or name one in CC"
    );
}
