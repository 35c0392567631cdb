//! Ends all processes that this one has started, when it is about to end itself without waiting for the thread that follows them.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// How long it is waited until they are gone.
const LONGEST: Duration = Duration::from_millis(500);
const GLANCE: Duration = Duration::from_millis(5);

/// Ends them. Those that are stopped go as well.
pub fn end_all() {
    let started = Instant::now();
    loop {
        let running: Vec<Pid> = children().into_iter().filter(|&child| is_running(child)).collect();
        if running.is_empty() || started.elapsed() > LONGEST {
            return;
        }
        for child in running {
            // It may be gone by now; its number is not given to another process before we have waited for it.
            let _ = kill(child, Signal::SIGKILL);
        }
        std::thread::sleep(GLANCE);
    }
}

/// The processes whose parent this one is.
fn children() -> Vec<Pid> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let texts = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let numbers = |text: String| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<i32>>();
    texts.flat_map(numbers).map(Pid::from_raw).collect()
}

/// Whether a process has not ended yet.
fn is_running(process: Pid) -> bool {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    let state = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    !matches!(state, Some("Z" | "X") | None)
}
