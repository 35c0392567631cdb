//! The compilers that programs are tested with. There must be one: without it, nothing would be tested.

use std::process::Command;

/// A compiler for C and one for C++.
pub(crate) type Compilers = (&'static str, &'static str);

/// All that a program may be tested with.
pub(crate) const COMPILERS: [Compilers; 2] = [("gcc", "g++"), ("clang", "clang++")];

/// GCC and Clang, as far as they are installed.
pub(crate) fn installed() -> Vec<Compilers> {
    let is_installed =
        |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found: Vec<Compilers> =
        COMPILERS.into_iter().filter(|names| is_installed(names.0) && is_installed(names.1)).collect();
    assert!(!found.is_empty(), "there is neither gcc with g++ nor clang with clang++: nothing would be tested");
    found
}
