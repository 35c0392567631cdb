//! Processes that explore: whatever the program does to its own, whoever asked gets an answer.

use crate::check::Part;
use crate::compile::Problem;
use crate::libc_calls::EXIT_IN_CONSTRUCTOR;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A process that explores, and where it sends what it finds.
pub struct Child {
    process: i32,
    pipe: File,
}

impl Child {
    /// Starts a process that does some work and sends the result.
    pub fn start(work: impl FnOnce() -> Result<Part, Problem>) -> Result<Self, Problem> {
        let mut ends = [0; 2];
        // SAFETY: there is room for two ends.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(Problem::new(format!("no pipe: {}", std::io::Error::last_os_error())));
        }
        // SAFETY: the child does what it does in `work`, and ends there. Other threads of this process, if there are any,
        // do not exist in it; the allocator of the C library is made to survive that.
        let process = unsafe { libc::fork() };
        if process < 0 {
            return Err(Problem::new(format!("no process for the program: {}", std::io::Error::last_os_error())));
        }
        if process == 0 {
            // Whoever stops the checker stops the program as well.
            // SAFETY: this sets a number of the process.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            // SAFETY: the end is open and nobody else's.
            let mut pipe = unsafe { File::from_raw_fd(ends[1]) };
            let result = work().map_err(|problem| (problem.message, problem.help));
            let sent = pipe.write_all(&serde_json::to_vec(&result).unwrap_or_default());
            // SAFETY: the process ends without running anything else; the program's threads are gone with it.
            unsafe { libc::_exit(sent.is_err() as i32) }
        }
        // SAFETY: the ends are open and nobody else's.
        let pipe = unsafe {
            libc::close(ends[1]);
            File::from_raw_fd(ends[0])
        };
        Ok(Child { process, pipe })
    }

    /// Waits for the result; `ends` is called before the process is forgotten.
    pub fn finish(mut self, ends: impl FnOnce()) -> Result<Part, Problem> {
        let mut text = Vec::new();
        let _ = self.pipe.read_to_end(&mut text);
        ends();
        let mut status = 0;
        // SAFETY: the child is ours and is waited for once.
        unsafe { libc::waitpid(self.process, &mut status, 0) };
        let answer: Option<Result<Part, (String, Vec<String>)>> = serde_json::from_slice(&text).ok();
        match answer {
            Some(answer) => answer.map_err(|(message, help)| Problem { message, help }),
            None => Err(died(status)),
        }
    }
}

/// Waits for all processes, or until one has found something; then the others are stopped.
pub fn wait_for(children: Vec<Child>) -> Result<Vec<Part>, Problem> {
    let running: Mutex<Vec<i32>> = Mutex::new(children.iter().map(|child| child.process).collect());
    let running = || running.lock().unwrap_or_else(PoisonError::into_inner);
    let settled = AtomicBool::new(false);
    let finish = |child: Child| {
        let process = child.process;
        let result = child.finish(|| running().retain(|&other| other != process));
        if settled.load(Ordering::Relaxed) {
            return None;
        }
        if result.as_ref().map_or(true, Part::settles) && !settled.swap(true, Ordering::Relaxed) {
            for &process in running().iter() {
                // SAFETY: the process is our child, and has not been waited for.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
        }
        Some(result)
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = children.into_iter().map(|child| scope.spawn(|| finish(child))).collect();
        waiting.into_iter().filter_map(|thread| thread.join().expect("waiting does not panic")).collect()
    })
}

/// The process has ended without an answer.
fn died(status: i32) -> Problem {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        return Problem::new(format!(
            "the program has crashed the process that checks it (signal {signal}): in a constructor, or in code that is not instrumented"
        ));
    }
    if libc::WEXITSTATUS(status) == EXIT_IN_CONSTRUCTOR {
        return Problem::new("the program ends before `main` begins: a constructor calls `exit`");
    }
    Problem::new("the process that checks the program has ended without an answer")
}

/// A constructor has done something wrong: there is no execution to show yet.
pub fn fail_in_constructor(message: &str) -> ! {
    let text = format!("quotient: before `main` begins: {message}\n");
    // SAFETY: the text is there; the process was made for this program and ends.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(1)
    }
}
