//! Panics that the program expects: they unwind their thread, and whoever joins it gets to know. Otherwise a panic ends the
//! check at once (see `hook`).
//!
//! All threads of an execution share the OS thread that explores, and with it what std knows of panics. So who unwinds is
//! noted for each thread: when it panics, and when the panic is caught. If nobody else unwinds, std is right.

use crate::context::{Context, checking, with};
use crate::failure::SourcePosition;
use crate::threads::{Abandoned, leave};
use quotient_dpor::{Violation, ViolationKind};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A panic that has ended a thread, and that nobody has asked for yet.
#[derive(Clone, Debug)]
pub(crate) struct Unclaimed {
    pub thread: u32,
    pub message: String,
    pub place: Option<SourcePosition>,
}

impl Context {
    /// Whether the current thread unwinds.
    pub(crate) fn is_unwinding(&mut self) -> bool {
        if !self.unwinds {
            return std::thread::panicking();
        }
        let current = self.current.0 as usize;
        let others = self.slots.iter().enumerate().any(|(index, slot)| index != current && slot.unwinding);
        if !others && self.in_program {
            self.slots[current].unwinding = std::thread::panicking();
        }
        self.slots[current].unwinding
    }

    /// The panic of a thread that nobody has asked for, when an execution has ended.
    pub(crate) fn unclaimed(&mut self) -> Option<Violation> {
        let Unclaimed { thread, message, place } = self.panics.first()?.clone();
        (self.culprit, self.panic_place) = (Some(thread), place);
        let message = format!("{message} (nobody joins the thread that has panicked)");
        Some(Violation { kind: ViolationKind::Panic, message, events: Vec::new(), site: None })
    }

    /// Which threads have panicked, as the end of a sentence.
    pub(crate) fn say_panics(&self) -> String {
        self.panics.iter().map(|one| format!("; thread {} has panicked: {}", one.thread, one.message)).collect()
    }
}

/// Whether panics unwind their thread, and end only that.
#[inline]
pub fn unwinds() -> bool {
    checking() && with(|context| context.unwinds)
}

/// Whether the current thread unwinds from a panic that ends only that thread.
#[inline]
pub fn is_unwinding() -> bool {
    unwinds() && with(Context::is_unwinding)
}

/// Calls `body`, and catches a panic of it if panics unwind. That of an execution which is over goes on.
///
/// # Errors
/// What the panic has said.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    if !unwinds() {
        return Ok(body());
    }
    let payload = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => return Ok(result),
        Err(payload) => payload,
    };
    if payload.is::<Abandoned>() {
        resume_unwind(payload);
    }
    let over = with(|context| {
        let current = context.current.0 as usize;
        context.slots[current].unwinding = false;
        context.abandoning
    });
    if over {
        leave();
    }
    Err(payload)
}

/// Calls what a thread does. If it panics, and panics unwind, somebody must join the thread.
///
/// # Errors
/// What the panic has said.
pub fn catch_end<R>(body: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    let result = catch(body);
    if let Err(payload) = &result {
        with(|context| {
            let thread = context.current.0;
            let (message, place) = context.slots[thread as usize].panic.take().unwrap_or_default();
            let message = if message.is_empty() { crate::hook::message_of(&**payload) } else { message };
            context.panics.push(Unclaimed { thread, message, place });
        });
    }
    result
}

/// Somebody asks how a thread has ended that has panicked.
pub fn claim(thread: crate::ops::ThreadId) {
    with(|context| context.panics.retain(|one| one.thread != thread.0));
}

/// Goes on with a panic that was caught.
pub fn rethrow(payload: Box<dyn Any + Send>) -> ! {
    with(|context| {
        let current = context.current.0 as usize;
        context.slots[current].unwinding = true;
    });
    resume_unwind(payload)
}
