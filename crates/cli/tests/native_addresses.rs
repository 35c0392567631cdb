//! The programs of `programs/c/addresses`: programs that compute with the addresses of like threads' memory, and programs
//! that only seem to. The answer must not depend on the compiler, on how much it optimises, or on symmetry.

mod ways;

use std::path::Path;
use std::process::Command;

use ways::compilers::COMPILERS;
use ways::{Programs, answer};

#[test]
fn addresses_tell_threads_apart_only_if_the_program_computes_with_them() {
    let group = ways::by_compiler_and_symmetry;
    ways::check_all(&Programs { directory: "addresses", options: &[], both_symmetries: true, group });
}

#[test]
fn an_execution_with_descending_addresses_can_be_replayed() {
    let file = ways::expectations::programs("addresses").join("unlike.c");
    let flags = ["-DGREATER=mine>before"];
    let found = answer(&file, COMPILERS[0], &[], &flags).expect("an answer");
    let replay = found["violations"][0]["replay"].as_str().expect("a text").to_owned();
    assert!(replay.starts_with("descending:"), "{replay}");
    let again = answer(&file, COMPILERS[0], &["--replay", &replay], &flags).expect("an answer");
    assert_eq!(again["verdict"], "violated");
    assert_eq!(again["violations"][0]["replay"], replay.as_str());
}

#[test]
fn one_order_only_says_that_the_program_depends_on_it() {
    let file = ways::expectations::programs("addresses").join("unlike.c");
    let flags = ["-DGREATER=mine>before"];
    let answer = answer(&file, COMPILERS[0], &["--address-order=ascending"], &flags).expect("an answer");
    assert_eq!(answer["verdict"], "holds");
    assert!(answer["warnings"].to_string().contains("unlike.c:18"), "{}", answer["warnings"]);
}

#[test]
fn the_order_of_addresses_is_not_for_models() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/conformance");
    let file = std::fs::read_dir(model).expect("models").map(|entry| entry.expect("a file").path());
    let file = file.into_iter().find(|file| file.extension().is_some_and(|end| end == "pml")).expect("a model");
    let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
    let output = command.arg("check").arg(file).arg("--address-order=both").output().expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
}
