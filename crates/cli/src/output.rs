//! Writing to standard output and standard error. A reader that has gone away (`| head`) is no error.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::args::Color;

/// What to say when a command cannot be carried out (exit code 2).
#[derive(Debug)]
pub(crate) struct Failure {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
}

/// Something that was to be written is lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes text to standard output.
pub(crate) fn out(text: &str) {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    let Err(error) = written else { return };
    if error.kind() != io::ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        err(&format!("error: cannot write the answer: {error}\n"));
    }
}

/// Whether something that was to be written is lost, and not for want of a reader.
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes text to standard error.
pub(crate) fn err(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether to use colours on a stream.
pub(crate) fn color(wanted: Color, stream: &impl IsTerminal) -> bool {
    match wanted {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !unwanted && stream.is_terminal()
        }
    }
}
