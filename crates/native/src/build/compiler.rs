//! The user's compiler of a language: what it is called, what kind it is, and how it is run.

use crate::problem::Problem;
use crate::build::{declare, frames};
use crate::input::Language;
use crate::build::{said, watch};
use std::ffi::OsString;
use std::process::{Child, Command, Stdio};

/// A compiler that has been asked what it is.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    /// The words of the command: what the environment says, or the system's compiler.
    words: Vec<OsString>,
    pub language: Language,
    /// Whether it is GCC, which has other words for some options than Clang.
    pub is_gcc: bool,
    /// Whether it can fill local variables.
    pub fills: bool,
    /// Whether it can put room around local variables.
    pub zones: bool,
    /// Whether it can be told that all of a function's variables may be known to others.
    pub shares_all: bool,
    /// What it says it is.
    pub version: String,
}

/// Clang asks whether the address of a part of a variable is given away, not that of the variable, and leaves out what a function
/// does to such a part. So it is told to take every address for one that is given away. In code that is not optimised, every variable
/// would be reported, and fewer loops would be found to wait: there, `own` looks at such parts.
pub(crate) const SHARES_ALL: [&str; 2] = ["-mllvm", "-capture-tracking-max-uses-to-explore=0"];

impl Compiler {
    /// Asks the compiler of a language: it says which macros it defines, if it takes the option.
    pub(crate) fn ask(language: Language) -> Compiler {
        let (variable, default, name) = if language == Language::C { ("CC", "cc", "c") } else { ("CXX", "c++", "c++") };
        let text = std::env::var(variable).ok().filter(|text| !text.trim().is_empty());
        let words = text.as_deref().unwrap_or(default).split_whitespace().map(OsString::from).collect();
        let mut compiler =
            Compiler { words, language, is_gcc: true, fills: true, zones: false, shares_all: false, version: String::new() };
        let macros = |options: &[&str]| {
            let output = compiler.command().args(options).args(["-E", "-dM", "-x", name, "/dev/null"]).output();
            output.ok().filter(|output| output.status.success()).map(|output| output.stdout)
        };
        let (macros, fills) = match macros(&[declare::FILL]) {
            Some(macros) => (macros, true),
            None => (macros(&[]).unwrap_or_default(), false),
        };
        let macros = String::from_utf8_lossy(&macros);
        compiler.is_gcc = !macros.contains("#define __clang__ ");
        let takes = |flags: &[&str]| {
            let mut command = compiler.command();
            command.args(["-fsanitize=thread", "-x", name, "-S", "-o", "/dev/null", "/dev/null"]);
            command.args(flags).output().is_ok_and(|output| output.status.success())
        };
        let zones = !compiler.is_gcc && takes(&frames::FLAGS);
        let shares_all = !compiler.is_gcc && takes(&SHARES_ALL);
        (compiler.zones, compiler.shares_all) = (zones, shares_all);
        let version = macros.lines().find_map(|line| line.strip_prefix("#define __VERSION__ "));
        let kind = if compiler.is_gcc { "gcc" } else { "clang" };
        compiler.version = format!("{kind} {}", version.unwrap_or("of an unknown version").trim_matches('"'));
        compiler.fills = fills;
        compiler
    }

    /// The command, to which options can be added.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The options of a command, without the words of the compiler.
    pub(crate) fn options(&self, command: &Command) -> Vec<OsString> {
        command.get_args().skip(self.words.len() - 1).map(Into::into).collect()
    }
}

/// Starts a compiler.
pub(crate) fn start(command: &mut Command) -> Result<Child, Problem> {
    let name = command.get_program().to_string_lossy().into_owned();
    watch::start(command).map_err(|error| Problem {
        message: format!("the compiler `{name}` cannot be run: {error}"),
        help: vec!["install gcc or clang, or name a compiler in CC (for C) or CXX (for C++)".to_owned()],
    })
}

/// Waits for a compiler; gives what it has said.
pub(crate) fn finish(job: Child, failure: &str) -> Result<String, Problem> {
    let output = watch::wait(job).map_err(|error| Problem::new(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    Err(Problem { message: failure.to_owned(), help: vec![said::with_lines_of_sources(said.trim_end())] })
}
