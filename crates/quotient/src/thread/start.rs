//! The start and the end of a thread, which all ways to spawn have in common.

use std::any::type_name;
use std::cell::UnsafeCell;
use std::mem::{needs_drop, transmute, transmute_copy};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::likeness::{self, Buffer, Work};
use super::{Result, Thread};
use crate::ops;

/// A thread that has been started, and the way to its result.
pub struct Started<T> {
    id: ops::ThreadId,
    packet: Arc<Packet<T>>,
    handle: OnceLock<Thread>,
}

/// Where a thread leaves its result.
struct Packet<T> {
    result: UnsafeCell<Option<T>>,
    joined: AtomicBool,
}

// SAFETY: the result is put there by the thread, and taken by whoever has waited for its end. All threads of an execution
// run on one OS thread, and no reference to the result is kept.
unsafe impl<T: Send> Sync for Packet<T> {}

/// A packet whose type is forgotten.
pub trait Delivery {
    /// Whether somebody has waited for the thread.
    fn is_joined(&self) -> bool;
}

impl<T> Delivery for Packet<T> {
    fn is_joined(&self) -> bool {
        self.joined.load(Ordering::Relaxed)
    }
}

/// Starts a thread.
///
/// # Safety
/// What `body` and its result borrow must outlive the thread.
#[track_caller]
pub unsafe fn start<'a, F, T>(name: Option<String>, body: F) -> Started<T>
where
    F: FnOnce() -> T + 'a,
    T: 'a,
{
    let mut buffer = Buffer::new();
    let work = if ops::looks_for_likeness() { Work::of(&body, &mut buffer) } else { None };
    let packet = Arc::new(Packet { result: UnsafeCell::new(None), joined: AtomicBool::new(false) });
    let delivered = packet.clone();
    let run: Box<dyn FnOnce() + 'a> = Box::new(move || delivered.put(body()));
    // SAFETY: only the lifetime changes; the caller promises that it lasts.
    let run = unsafe { transmute::<Box<dyn FnOnce() + 'a>, Box<dyn FnOnce()>>(run) };
    Started { id: spawn(run, name, work), packet, handle: OnceLock::new() }
}

/// Starts a thread that is like the one before if it does the same work.
#[track_caller]
pub fn spawn(run: Box<dyn FnOnce()>, name: Option<String>, work: Option<Work>) -> ops::ThreadId {
    if !ops::looks_for_likeness() {
        return ops::spawn(run, name, ops::Likeness::Unlike);
    }
    let id = ops::spawn(run, name, likeness::of(work));
    likeness::note_spawn(id);
    id
}

impl<T> Started<T> {
    pub fn id(&self) -> ops::ThreadId {
        self.id
    }

    /// Waits for the thread and takes its result.
    #[track_caller]
    pub fn join(&self) -> Result<T> {
        ops::join(self.id);
        self.packet.joined.store(true, Ordering::Relaxed);
        match self.packet.take() {
            Some(result) => Ok(result),
            // The execution is being abandoned, and a destructor has asked.
            None => unit().ok_or_else(|| Box::new("the execution is being abandoned") as Box<_>),
        }
    }

    #[track_caller]
    pub fn is_finished(&self) -> bool {
        ops::is_finished(self.id)
    }

    /// The handle, with which a program can tell the thread from others.
    pub fn handle(&self) -> &Thread {
        ops::distinguish(self.id);
        self.handle.get_or_init(|| Thread::of(self.id))
    }

    /// Keeps the result until the execution ends. Otherwise it would be dropped by the thread or by the one that
    /// spawned it, whoever comes last, and the program could tell.
    pub fn detach(&self) {
        if needs_drop::<T>() && !self.packet.is_joined() && ops::checking() {
            let packet: Arc<dyn Delivery + '_> = self.packet.clone();
            // SAFETY: only the lifetime changes. A result that borrows comes from a scope, which does not detach, or
            // from `spawn_unchecked`, whose caller has promised to join.
            ops::keep(Box::new(unsafe { transmute::<Arc<dyn Delivery + '_>, Arc<dyn Delivery>>(packet) }));
        }
    }

    /// The packet, without its lifetime.
    ///
    /// # Safety
    /// It must be dropped before what the result borrows.
    pub unsafe fn delivery<'a>(&self) -> Arc<dyn Delivery + Send + Sync>
    where
        T: Send + 'a,
    {
        let packet: Arc<dyn Delivery + Send + Sync + 'a> = self.packet.clone();
        // SAFETY: only the lifetime changes; the caller promises that it lasts.
        unsafe { transmute::<Arc<dyn Delivery + Send + Sync + 'a>, Arc<dyn Delivery + Send + Sync>>(packet) }
    }
}

impl<T> Packet<T> {
    fn put(&self, result: T) {
        // SAFETY: nobody else looks at the result while the thread runs, and nothing is there that could be dropped.
        unsafe { *self.result.get() = Some(result) };
    }

    fn take(&self) -> Option<T> {
        // SAFETY: the thread has ended, or its execution is over.
        unsafe { (*self.result.get()).take() }
    }
}

/// The value of the unit type, if that is what `T` is.
fn unit<T>() -> Option<T> {
    let is_unit = size_of::<T>() == 0 && type_name::<T>() == type_name::<()>();
    // SAFETY: no other type has the unit type's name, so `T` is the unit type.
    is_unit.then(|| unsafe { transmute_copy::<(), T>(&()) })
}
