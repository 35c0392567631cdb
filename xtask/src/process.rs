//! Runs a command with a time limit, its output collected in files of a scratch directory.
//! Files instead of pipes, because a killed child must never leave a reader waiting.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How a command ended.
pub struct Outcome {
    /// The exit code; `None` when the command was killed, by us or by a signal.
    pub code: Option<i32>,
    /// Whether the time limit was reached.
    pub timed_out: bool,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
}

impl Outcome {
    /// Both outputs, for messages.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// Runs `command` in `directory` for at most `limit`.
pub fn run_limited(command: &mut Command, directory: &Path, limit: Duration) -> io::Result<Outcome> {
    let (out, err) = (directory.join(".stdout"), directory.join(".stderr"));
    let mut child = command
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .spawn()?;
    let start = Instant::now();
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            timed_out = true;
            child.kill()?;
            break child.wait()?;
        }
        let pause = if start.elapsed().as_millis() < 50 { 1 } else { 10 };
        std::thread::sleep(Duration::from_millis(pause));
    };
    let read = |path: &Path| Ok::<_, io::Error>(String::from_utf8_lossy(&fs::read(path)?).into_owned());
    Ok(Outcome { code: status.code(), timed_out, stdout: read(&out)?, stderr: read(&err)? })
}

/// A directory of its own under the system's temporary one, removed when dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes a new, empty directory.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("xtask-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing useful can be done when the temporary directory cannot be cleaned.
        let _ = fs::remove_dir_all(&self.0);
    }
}
