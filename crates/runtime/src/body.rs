//! What a modelled thread does.

use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// What a thread does. If it is dropped instead of being run, so is all that it would have used.
pub struct Body {
    work: Work,
}

enum Work {
    Once(Box<dyn FnOnce()>),
    Shared(Arc<dyn Fn()>),
    Task(NonNull<()>, &'static Task),
}

/// What can be done with some data: one of both, once. After that the data is not used any more.
#[derive(Debug)]
pub struct Task {
    /// Does what is to be done.
    pub run: unsafe fn(NonNull<()>),
    /// Drops what would have been used.
    pub discard: unsafe fn(NonNull<()>),
}

impl Body {
    /// Calls a closure that others may call, too.
    #[inline]
    pub fn shared(closure: Arc<dyn Fn()>) -> Self {
        Body { work: Work::Shared(closure) }
    }

    /// Runs a task on its data.
    ///
    /// # Safety
    ///
    /// The functions of the task may be called with the data, on any OS thread, for as long as the body is there.
    #[inline]
    pub unsafe fn task(data: NonNull<()>, task: &'static Task) -> Self {
        Body { work: Work::Task(data, task) }
    }

    /// Does what is to be done.
    #[inline]
    pub(crate) fn run(self) {
        let body = ManuallyDrop::new(self);
        // SAFETY: the body is not used any more, nor dropped.
        match unsafe { ptr::read(&raw const body.work) } {
            // SAFETY: whoever has made the body allows it.
            Work::Task(data, task) => unsafe { (task.run)(data) },
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
        if let Work::Task(data, task) = self.work {
            // SAFETY: whoever has made the body allows it.
            unsafe { (task.discard)(data) };
        }
    }
}
