//! What there is on systems where programs cannot be checked: the same functions, and a problem that says what is missing.

use crate::options::Options;
use crate::problem::Problem;
use quotient_report::Answer;
use std::path::PathBuf;

/// A program that has been compiled: there is none here.
#[derive(Debug)]
pub enum Compiled {}

/// What comes of compiling: nothing here.
#[derive(Debug)]
pub enum Build {
    /// A program that can be checked.
    Program(Box<Compiled>),
    /// The answer of a check that was stopped before.
    Stopped(Box<Answer>),
}

/// Says why the files are not compiled.
///
/// # Errors
/// Always.
pub fn compile(
    files: &[PathBuf],
    _defines: &[String],
    _flags: &[String],
    _options: &Options,
) -> Result<Build, Problem> {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Err(Problem {
        message: format!(
            "cannot check {}: C and C++ programs are checked on Linux with an x86-64 processor only",
            files.join(", ")
        ),
        help: vec!["models and Rust programs can be checked on this system".to_owned()],
    })
}

/// Checks a program.
///
/// # Errors
/// Never, because there is no program.
pub fn check(program: &Compiled, _options: &Options) -> Result<Answer, Problem> {
    match *program {}
}

/// Removes what compilers have left: nothing.
pub fn remove_all() {}

/// Says nothing: nothing is known of addresses.
pub fn when_addresses_are_used_up(_text: impl FnOnce(u64) -> String) {}

/// Whether there is a sandbox.
pub(crate) fn is_sandbox_available() -> bool {
    false
}
