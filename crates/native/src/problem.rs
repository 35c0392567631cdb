//! Why a program cannot be checked, in words for its author.

/// Why a program cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// One sentence.
    pub message: String,
    /// What the compiler says, or what to do about it.
    pub help: Vec<String>,
}

impl Problem {
    /// A problem that needs no further words.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), help: Vec::new() }
    }
}
