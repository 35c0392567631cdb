//! What is done once: `pthread_once`, and the static variables of C++ functions.

use super::FREE;
use crate::calls::atomic::Atomic;
use crate::machine::machine;
use quotient_runtime::native::{self, Order, Rmw, When};

const NEW: u64 = 0;
const RUNNING: u64 = 2;
const DONE: u64 = 1;

/// Whether the caller must do what is done once. It is marked as done as compiled code marks static variables.
pub(crate) extern "C" fn once_begin(once: usize) -> i32 {
    if !machine().running.get() {
        // SAFETY: the program has given the address of a flag.
        return unsafe { *(once as *const u8) == 0 } as i32;
    }
    let atomic = Atomic::called(once, 1);
    loop {
        match atomic.exchange(NEW, RUNNING, Order::Acquire, Order::Acquire, false) {
            (_, true) => return 1,
            (RUNNING, false) => native::say_why("for another thread's initialisation"),
            _ => return 0,
        }
        if atomic.wait(When::Below(RUNNING), Order::Acquire) == DONE {
            return 0;
        }
        // The other thread has left it by an exception: it is as if nobody had begun.
    }
}

/// What is done once has failed: the next one tries again.
pub(crate) extern "C" fn once_abort(once: usize) {
    if machine().running.get() {
        Atomic::called(once, 1).store(NEW, Order::Release);
    }
}

pub(crate) extern "C" fn once_end(once: usize) {
    if !machine().running.get() {
        // SAFETY: as above.
        return unsafe { *(once as *mut u8) = DONE as u8 };
    }
    Atomic::called(once, 1).store(DONE, Order::Release);
}

/// The lock that whoever initialises a static variable has is the byte behind the one that says that it is done.
fn guard_lock(guard: usize) -> Atomic {
    Atomic::called(guard + 1, 1)
}

pub(crate) extern "C" fn guard_acquire(guard: usize) -> i32 {
    if !machine().running.get() {
        // SAFETY: compiled code gives the address of a guard.
        return unsafe { *(guard as *const u8) == 0 } as i32;
    }
    let (done, lock) = (Atomic::called(guard, 1), guard_lock(guard));
    if done.load(Order::Acquire) == DONE {
        return 0;
    }
    native::say_why("for another thread's initialisation");
    lock.update(Rmw::Swap, 1, When::Is(FREE), Order::Acquire);
    if done.load(Order::Acquire) != DONE {
        return 1;
    }
    lock.store(FREE, Order::Release);
    0
}

pub(crate) extern "C" fn guard_release(guard: usize) {
    if !machine().running.get() {
        // SAFETY: as above.
        return unsafe { *(guard as *mut u8) = DONE as u8 };
    }
    Atomic::called(guard, 1).store(DONE, Order::Release);
    guard_lock(guard).store(FREE, Order::Release);
}

pub(crate) extern "C" fn guard_abort(guard: usize) {
    if machine().running.get() {
        guard_lock(guard).store(FREE, Order::Release);
    }
}
