//! What a modelled thread does.

use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

/// What a thread does. If it is dropped instead of being run, so is all that it would have used.
pub struct Body {
    work: Work,
}

enum Work {
    Once(Box<dyn FnOnce()>),
    Shared(Arc<dyn Fn()>),
    Task(Arc<dyn Task>),
}

/// Something to be done once, in memory that it shares with others, who may keep it for longer.
pub trait Task {
    /// Does it.
    fn run(&self);
    /// It will not be done: drops what it would have used.
    fn discard(&self);
}

impl Body {
    /// Calls a closure that others may call, too.
    #[inline]
    pub fn shared(closure: Arc<dyn Fn()>) -> Self {
        Body { work: Work::Shared(closure) }
    }

    /// Runs a task.
    #[inline]
    pub fn task(task: Arc<dyn Task>) -> Self {
        Body { work: Work::Task(task) }
    }

    /// Does what is to be done.
    #[inline]
    pub(crate) fn run(self) {
        let body = ManuallyDrop::new(self);
        // SAFETY: the body is not used any more, nor dropped.
        match unsafe { ptr::read(&raw const body.work) } {
            Work::Task(task) => task.run(),
            Work::Once(closure) => closure(),
            Work::Shared(closure) => closure(),
        }
    }
}

impl From<Box<dyn FnOnce()>> for Body {
    #[inline]
    fn from(closure: Box<dyn FnOnce()>) -> Self {
        Body { work: Work::Once(closure) }
    }
}

impl Drop for Body {
    #[inline]
    fn drop(&mut self) {
        if let Work::Task(task) = &self.work {
            task.discard();
        }
    }
}
