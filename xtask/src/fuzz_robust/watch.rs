//! One run of a program, and what must not happen in it: a panic, a crash, a hang, an exit code that is not documented, a
//! process or a file that stays behind. One run at a time, so that whatever is left is known to be of this one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use crate::process::run_limited;

/// A command and its limits.
#[derive(Clone, Debug)]
pub struct Call {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// How long it may take, the grace included.
    pub limit: Duration,
    /// How many kilobytes of addresses it may have; a check of a C program has its own ways.
    pub addresses: Option<u64>,
    /// Whether it is a test, which may fail.
    pub is_test: bool,
}

impl Call {
    /// A call of the quotient binary for a model.
    pub fn new(program: &Path, arguments: &[&str]) -> Self {
        Call {
            program: program.to_path_buf(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            environment: Vec::new(),
            limit: Duration::from_secs(20),
            addresses: Some(4 << 20),
            is_test: false,
        }
    }

    /// The command as it can be repeated by hand.
    pub fn text(&self) -> String {
        let quote = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
        let words = self.environment.iter().map(|(name, value)| format!("{name}={}", quote(value)));
        let program = std::iter::once(quote(&self.program.display().to_string()));
        words.chain(program).chain(self.arguments.iter().map(|one| quote(one))).collect::<Vec<_>>().join(" ")
    }
}

/// How a run has ended.
pub struct Ended {
    pub code: Option<i32>,
    /// Everything that it has written.
    pub text: String,
    /// What is wrong with it.
    pub problem: Option<String>,
}

/// What a program says when it has failed itself.
const CONFESSIONS: [&str; 8] = [
    "panicked at",
    "internal error",
    "mistake of Quotient",
    "Quotient has made a mistake",
    "a mistake of the engine",
    "memory allocation of",
    "was ended by signal",
    "has ended without an answer",
];
/// Where a panic is a mistake, and not that of a test.
const ENGINES: [&str; 4] = ["crates/dpor/", "crates/graph/", "crates/memory/", "crates/runtime/"];
/// More memory than this is too much for one of these runs, in kilobytes.
const MOST_MEMORY: i64 = 1500 << 10;
/// How long a process may stay after the command has ended.
const LINGER: Duration = Duration::from_secs(2);

/// Runs a command in a directory and looks at how it ends.
pub fn watch(call: &Call, directory: &Path) -> std::io::Result<Ended> {
    let temporary = directory.join("temporary");
    fs::create_dir_all(&temporary)?;
    let mut command = match call.addresses {
        None => Command::new(&call.program),
        Some(most) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("ulimit -v {most}; exec \"$@\"")).arg("sh").arg(&call.program);
            shell
        }
    };
    command.args(&call.arguments).env("TMPDIR", &temporary).envs(call.environment.iter().cloned());
    let before = most_memory();
    let started = Instant::now();
    let outcome = run_limited(&mut command, directory, call.limit)?;
    let text = outcome.text();
    let left = fs::read_dir(&temporary)?.filter_map(Result::ok).map(|entry| entry.file_name()).collect::<Vec<_>>();
    let confession = match call.is_test {
        true => confession_of_test(&text),
        false => CONFESSIONS.into_iter().find_map(|words| text.lines().find(|line| line.contains(words))),
    };
    let is_usual = match call.is_test {
        true => matches!(outcome.code, Some(0 | 101)) || wants_too_much(&text),
        false => matches!(outcome.code, Some(0..=3)),
    };
    let remaining = remaining();
    let problem = if outcome.timed_out {
        Some(format!("it hangs: {} s", started.elapsed().as_secs()))
    } else if let Some(line) = confession {
        Some(format!("it says: {}", line.trim()))
    } else if !is_usual {
        Some(format!("it ends with {:?}", outcome.code))
    } else if !remaining.is_empty() {
        Some(format!("processes stay behind: {remaining:?}"))
    } else if !left.is_empty() {
        Some(format!("files stay behind: {left:?}"))
    } else if most_memory() > MOST_MEMORY.max(before) {
        Some(format!("it takes {} MB", most_memory() >> 10))
    } else {
        None
    };
    for name in left {
        let _ = fs::remove_dir_all(temporary.join(&name)).or_else(|_| fs::remove_file(temporary.join(&name)));
    }
    Ok(Ended { code: outcome.code, text, problem })
}

/// Where a test says that the library has failed. To use the library outside a check is a mistake of the test.
fn confession_of_test(text: &str) -> Option<&str> {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_outside = lines.peek().is_some_and(|next| next.contains("belongs to a check"));
        let panics = line.contains("panicked at") && !is_outside && ENGINES.iter().any(|engine| line.contains(engine));
        if panics || line.contains("mistake of") {
            return Some(line);
        }
    }
    None
}

/// Whether a test has asked for more memory than there is: then Rust ends the process. The library is not to do so.
fn wants_too_much(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| !line.contains("memory allocation of")).skip(1);
    lines
        .find(|line| line.contains("quotient") || line.contains("tests::"))
        // The names of small closures are gone from the stack: then it is whoever has called one.
        .is_some_and(|line| line.contains("tests::") || line.contains("body::Body::run"))
}

/// The most memory that a child has ever taken, in kilobytes.
fn most_memory() -> i64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss())
}

/// Processes whose parents are gone become children of this one. Those that do not go away by themselves are named, and ended.
fn remaining() -> Vec<String> {
    let started = Instant::now();
    loop {
        while matches!(waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)), Ok(status) if status.pid().is_some()) {}
        let children = children();
        if children.is_empty() {
            return Vec::new();
        }
        if started.elapsed() > LINGER {
            for (process, _) in &children {
                let _ = kill(Pid::from_raw(*process), Signal::SIGKILL);
                let _ = waitpid(Pid::from_raw(*process), None);
            }
            return children.into_iter().map(|(_, name)| name).collect();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The children of this process, by their numbers and names.
fn children() -> Vec<(i32, String)> {
    let own = std::process::id();
    let Ok(tasks) = fs::read_dir(format!("/proc/{own}/task")) else { return Vec::new() };
    let lists = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    let numbers: Vec<i32> =
        lists.flat_map(|list| list.split_whitespace().filter_map(|one| one.parse().ok()).collect::<Vec<_>>()).collect();
    let name = |number: &i32| fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default().trim().to_owned();
    numbers.iter().map(|number| (*number, name(number))).collect()
}
