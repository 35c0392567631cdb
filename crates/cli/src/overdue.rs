//! Sees to it that there is an answer in time, whatever the main thread is busy with: a model that takes long to read, a process that
//! never comes to its next call. If the time is over, or a signal has come, and nobody has looked at that for a while, an
//! answer is given here, and the program ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use quotient_report::answer::{Answer, to_json};
use quotient_report::processes::ProcessStats;
use quotient_report::stats::{Explored, ModelStats, ProgramStats, Stats};
use quotient_report::summary;
use quotient_report::text::Palette;
use quotient_report::verdict::StopReason;

use crate::args::{Format, Output};
use crate::{interrupt, output};

/// How often it is looked whether somebody looks.
const GLANCE: Duration = Duration::from_millis(20);
/// How long a check may take to end when it is to.
const GRACE: Duration = Duration::from_millis(900);
/// Whoever has looked so short a time before the end will look again.
const JUST_BEFORE: Duration = Duration::from_millis(500);
/// But not later than this.
const LATEST: Duration = Duration::from_secs(5);
/// The same for a check that writes checkpoints, which takes time.
const TO_WRITE: Duration = Duration::from_secs(600);

/// What is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Model,
    Program,
    Processes,
}

/// A check, as this sees it.
#[derive(Debug)]
pub(crate) struct Overdue {
    started: Instant,
    max_time: Option<Duration>,
    interrupted: Arc<AtomicBool>,
    grace: Duration,
    /// When somebody has looked last, in milliseconds from the start, and whether the signal was seen.
    looked: AtomicU64,
    saw_signal: AtomicBool,
    /// Something wrong was found, which is to be told however long that takes.
    found: AtomicBool,
    /// Whether an answer is there. Who gives one holds this.
    answered: Mutex<bool>,
    input: String,
    kind: Kind,
    output: Output,
}

impl Overdue {
    /// Begins to watch over a check.
    pub(crate) fn watch(
        (input, kind): (String, Kind),
        output: Output,
        max_time: Option<Duration>,
        writes: bool,
    ) -> Arc<Self> {
        let overdue = Arc::new(Overdue {
            started: Instant::now(),
            max_time,
            interrupted: interrupt::flag(),
            grace: if writes { TO_WRITE } else { GRACE },
            looked: AtomicU64::new(0),
            saw_signal: AtomicBool::new(false),
            found: AtomicBool::new(false),
            answered: Mutex::new(false),
            input,
            kind,
            output,
        });
        let watcher = Arc::clone(&overdue);
        // Without such a thread limits hold as well as the check itself keeps them.
        let _ = thread::Builder::new().name("overdue".to_owned()).spawn(move || watcher.run());
        overdue
    }

    /// Somebody looks whether the check is to stop now.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.looked.store(self.now().as_millis() as u64, Ordering::Relaxed);
        let interrupted = self.interrupted.load(Ordering::Relaxed);
        if interrupted {
            self.saw_signal.store(true, Ordering::Relaxed);
        }
        interrupted
    }

    /// Something wrong was found: the limit on time does not matter any more.
    pub(crate) fn found(&self) {
        self.found.store(true, Ordering::Relaxed);
    }

    /// There is an answer: it is given, however long that takes.
    pub(crate) fn is_answered(&self) {
        // If the other thread has answered, this waits until the program has ended.
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn run(&self) {
        let mut signalled = None;
        loop {
            thread::sleep(GLANCE);
            let now = self.now();
            if self.interrupted.load(Ordering::Relaxed) && signalled.is_none() {
                signalled = Some(now);
            }
            let looked = Duration::from_millis(self.looked.load(Ordering::Relaxed));
            let late =
                signalled.is_some_and(|since| now > since + self.grace && !self.saw_signal.load(Ordering::Relaxed));
            let over = self.max_time.is_some_and(|limit| {
                let has_just_looked = looked + JUST_BEFORE > limit;
                now > limit + self.grace && !has_just_looked || now > limit + self.grace.max(LATEST) && looked < limit
            });
            let (stop, reason) = match (late, over) {
                (true, _) => (StopReason::Interrupted, "the check was interrupted"),
                (_, true) if !self.found.load(Ordering::Relaxed) => (StopReason::MaxTime, "the time was not enough"),
                _ => continue,
            };
            let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            if *answered {
                return;
            }
            self.answer(stop, reason);
            interrupt::end(3);
        }
    }

    /// Ends with an answer, too, if addresses are limited and there are none left.
    pub(crate) fn answers_without_addresses(&self) {
        quotient_native::when_addresses_are_used_up(|limit| {
            let why = format!("the addresses were not enough: the limit on them is {limit} MB (`ulimit -v`)");
            self.text(StopReason::MaxMemory, &why)
        });
    }

    fn answer(&self, stop: StopReason, reason: &str) {
        let text = self.text(stop, reason);
        // Somebody may be writing just now, and wait for a reader.
        let (sender, receiver) = std::sync::mpsc::channel();
        let _ = thread::Builder::new().spawn(move || {
            output::out(&text);
            let _ = sender.send(());
        });
        let _ = receiver.recv_timeout(GRACE);
    }

    /// An answer that says why there is none.
    fn text(&self, stop: StopReason, reason: &str) -> String {
        let explored = match self.kind {
            Kind::Model => Explored::Model(Box::<ModelStats>::default()),
            Kind::Program => Explored::Program(ProgramStats::default()),
            Kind::Processes => Explored::Processes(ProcessStats::default()),
        };
        let stats = Stats { explored, seconds: self.now().as_secs_f64(), peak_memory_bytes: 0 };
        let mut answer = Answer::new(&self.input, false, Some(stop), &[], stats);
        answer.reason = Some(format!("{reason}, and the check could not say how far it is"));
        let palette = Palette { color: output::color(self.output.color, &std::io::stdout()) };
        match self.output.format {
            Format::Json => to_json(&answer),
            Format::Human => summary::verdict(&answer, palette),
        }
    }
}
