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
    packet: Arc<dyn Outcome<T> + Send + Sync>,
    handle: OnceLock<Thread>,
}

/// What a thread does, and where it leaves its result.
struct Packet<T, F> {
    joined: AtomicBool,
    result: UnsafeCell<Option<T>>,
    /// Until the thread starts.
    body: UnsafeCell<Option<F>>,
}

// SAFETY: the body is taken by the thread; the result is put there by the thread, and taken by whoever has waited for its
// end. All threads of an execution run on one OS thread, and no reference to either is kept.
unsafe impl<T: Send, F: Send> Sync for Packet<T, F> {}

/// A packet whose type is forgotten.
pub trait Delivery {
    /// Whether somebody has waited for the thread.
    fn is_joined(&self) -> bool;
}

/// A packet of which only the type of the result is known.
trait Outcome<T>: Delivery {
    /// Takes the result, if there is one, for somebody who has waited for the thread.
    fn collect(&self) -> Option<T>;
}

impl<T, F> Delivery for Packet<T, F> {
    fn is_joined(&self) -> bool {
        self.joined.load(Ordering::Relaxed)
    }
}

impl<T, F> Outcome<T> for Packet<T, F> {
    fn collect(&self) -> Option<T> {
        self.joined.store(true, Ordering::Relaxed);
        // SAFETY: the thread has ended, or its execution is over.
        unsafe { (*self.result.get()).take() }
    }
}

impl<T, F> Packet<T, F> {
    fn take_body(&self) -> Option<F> {
        // SAFETY: nobody else looks at the body, and the reference is not kept.
        unsafe { (*self.body.get()).take() }
    }
}

impl<T, F: FnOnce() -> T> ops::Task for Packet<T, F> {
    fn run(&self) {
        if let Some(body) = self.take_body() {
            let result = body();
            // SAFETY: nobody else looks at the result while the thread runs, and nothing is there that could be dropped.
            unsafe { self.result.get().write(Some(result)) };
        }
    }

    fn discard(&self) {
        drop(self.take_body());
    }
}

/// Starts a thread.
///
/// # Safety
/// What `body` and its result borrow must outlive the thread.
#[track_caller]
pub unsafe fn start<'a, F, T>(name: Option<String>, body: F) -> Started<T>
where
    F: FnOnce() -> T + Send + 'a,
    T: Send + 'a,
{
    let id = if ops::looks_for_likeness() { start_like(&body) } else { ops::start(ops::Likeness::Unlike) };
    let packet = Arc::new(Packet {
        joined: AtomicBool::new(false),
        result: UnsafeCell::new(None),
        body: UnsafeCell::new(Some(body)),
    });
    let task: Arc<dyn ops::Task + 'a> = packet.clone();
    // SAFETY: only the lifetime changes; the caller promises that it lasts.
    let task = unsafe { transmute::<Arc<dyn ops::Task + 'a>, Arc<dyn ops::Task>>(task) };
    ops::set_body(id, ops::Body::task(task));
    if let Some(name) = name {
        ops::set_name(id, name);
    }
    let packet: Arc<dyn Outcome<T> + Send + Sync + 'a> = packet;
    // SAFETY: only the lifetime changes. The body is gone when the thread has ended, and when it is discarded; the result
    // is dropped before what it borrows, as the caller promises.
    let packet =
        unsafe { transmute::<Arc<dyn Outcome<T> + Send + Sync + 'a>, Arc<dyn Outcome<T> + Send + Sync>>(packet) };
    Started { id, packet, handle: OnceLock::new() }
}

/// Starts a thread that is like the one before if it does the same work. What it does is still to be said.
#[track_caller]
fn start_like<F: FnOnce() -> T, T>(body: &F) -> ops::ThreadId {
    let mut buffer = Buffer::new();
    start_with(Work::of(body, &mut buffer))
}

#[track_caller]
fn start_with(work: Option<Work>) -> ops::ThreadId {
    let id = ops::start(likeness::of(work));
    likeness::note_spawn(id);
    id
}

/// Starts a thread that does some work, and is like the one before if that does the same work.
#[track_caller]
pub fn spawn(body: ops::Body, work: Work) -> ops::ThreadId {
    let id = if ops::looks_for_likeness() { start_with(Some(work)) } else { ops::start(ops::Likeness::Unlike) };
    ops::set_body(id, body);
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
        match self.packet.collect() {
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
            let packet: Arc<dyn Outcome<T> + '_> = self.packet.clone();
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
        self.packet.clone()
    }
}

/// The value of the unit type, if that is what `T` is.
fn unit<T>() -> Option<T> {
    let is_unit = size_of::<T>() == 0 && type_name::<T>() == type_name::<()>();
    // SAFETY: no other type has the unit type's name, so `T` is the unit type.
    is_unit.then(|| unsafe { transmute_copy::<(), T>(&()) })
}
