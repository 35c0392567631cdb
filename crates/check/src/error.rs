//! Why there is no answer. Each error says what is wrong in words; [`Error::diagnostics`] has the same with places in the
//! sources.

use std::sync::LazyLock;

use quotient_explain::Unconfirmed;
use quotient_explain::target::TargetError;
use quotient_explain::trace_file::TraceFileError;
use quotient_native::Problem;
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::SourceMap;

use crate::checkpoint::CheckpointError;

/// Why an input cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input, or a description that goes with it, is wrong.
    #[error("{}", first(.diagnostics))]
    Rejected {
        /// The file that is wrong.
        input: String,
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
        /// The files that the diagnostics are about.
        sources: Box<SourceMap>,
    },
    /// An option does not fit the input, or the others.
    #[error("{message}")]
    Option {
        /// What does not fit.
        message: String,
        /// What to do about it.
        help: Vec<String>,
    },
    /// A file will not be written.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A run cannot be saved.
    #[error(transparent)]
    TraceFile(#[from] TraceFileError),
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A program cannot be compiled or run.
    #[error(transparent)]
    Program(#[from] Problem),
    /// Processes cannot be run.
    #[error("{0}")]
    Processes(String),
    /// A run does not show the violation that the engine found with it: a bug of Quotient.
    #[error("internal error: {kind} does not replay: {problem}")]
    Unconfirmed {
        /// The kind of the violation.
        kind: &'static str,
        /// What the run shows.
        problem: Unconfirmed,
    },
    /// A checkpoint or the state of a search cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// An option that does not fit.
    pub(crate) fn option(message: impl Into<String>) -> Self {
        Error::Option { message: message.into(), help: Vec::new() }
    }

    /// What is wrong, with places in [`Error::sources`].
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostic = Diagnostic::global(self.to_string());
        match self {
            Error::Rejected { diagnostics, .. } => return diagnostics.clone(),
            Error::Option { help, .. } => diagnostic.help = help.clone(),
            Error::Program(problem) => diagnostic.help = problem.help.clone(),
            Error::Unconfirmed { .. } => {
                diagnostic =
                    diagnostic.help("this is a bug in Quotient: a violation was found, but its run cannot be repeated");
            }
            _ => {}
        }
        vec![diagnostic]
    }

    /// The files that the diagnostics are about.
    pub fn sources(&self) -> &SourceMap {
        static NONE: LazyLock<SourceMap> = LazyLock::new(SourceMap::default);
        match self {
            Error::Rejected { sources, .. } => sources,
            _ => &NONE,
        }
    }

    /// The file that is wrong, if it need not be the one that was to be checked.
    pub fn input(&self) -> Option<&str> {
        match self {
            Error::Rejected { input, .. } => Some(input),
            _ => None,
        }
    }
}

fn first(diagnostics: &[Diagnostic]) -> String {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    error.or(diagnostics.first()).map_or_else(|| "the input is wrong".to_string(), |one| one.message.clone())
}
