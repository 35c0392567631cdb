//! Read-write locks and spin locks.

use super::{FREE, count_reader, hold, holder, holds, initialise, readers, refuse_if_held, state};
use crate::calls::atomic::Atomic;
use crate::calls::lifetime::{self, Kind, check};
use crate::machine::{ProgramError, machine, violate};
use quotient_runtime::native::{self, Order, Rmw, When};

/// More than there can be readers.
const WRITER: u64 = 1 << 32;

pub(crate) extern "C" fn rwlock_init(lock: usize, attributes: usize) -> i32 {
    machine().note_deed(lock as u64);
    lifetime::check_attributes(attributes as *const i32);
    if is_locked(lock) {
        let pc = machine().pc();
        violate(ProgramError::Misuse, "a read-write lock is initialised while it is locked".to_owned(), pc);
    }
    initialise(lock, 56, Kind::ReadWriteLock);
    0
}

/// Whether somebody holds a read-write lock: known from the calls and still to be seen in memory, which may be another's now.
fn is_locked(lock: usize) -> bool {
    let held = if holder(lock).is_some() { WRITER } else { readers(lock) };
    // SAFETY: whoever locked it has seen that the memory exists; what a stack or a heap has had stays mapped.
    held != FREE && machine().running.get() && unsafe { *((lock & !7) as *const u64) } == held
}

pub(crate) extern "C" fn rwlock_destroy(lock: usize) -> i32 {
    machine().note_deed(lock as u64);
    refuse_if_held(lock, "read-write lock");
    lifetime::destroy(lock, Kind::ReadWriteLock);
    0
}

pub(crate) extern "C" fn rwlock_rdlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    if holds(lock) {
        return libc::EDEADLK;
    }
    let _use = lifetime::wait(lock);
    native::say_why("for a read lock");
    state(lock).update(Rmw::Add, 1, When::Below(WRITER), Order::Acquire);
    count_reader(lock, 1);
    0
}

pub(crate) extern "C" fn rwlock_tryrdlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    let atomic = state(lock);
    let mut seen = atomic.load(Order::Relaxed);
    while seen < WRITER {
        let (newer, happened) = atomic.exchange(seen, seen + 1, Order::Acquire, Order::Relaxed, false);
        if happened {
            count_reader(lock, 1);
            return 0;
        }
        seen = newer;
    }
    libc::EBUSY
}

pub(crate) extern "C" fn rwlock_wrlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    if holds(lock) {
        return libc::EDEADLK;
    }
    let _use = lifetime::wait(lock);
    native::say_why("for a write lock");
    state(lock).update(Rmw::Swap, WRITER, When::Is(FREE), Order::Acquire);
    hold(lock);
    0
}

pub(crate) extern "C" fn rwlock_trywrlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    let (_, happened) = state(lock).exchange(FREE, WRITER, Order::Acquire, Order::Relaxed, false);
    if !happened {
        return libc::EBUSY;
    }
    hold(lock);
    0
}

pub(crate) extern "C" fn rwlock_unlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    let atomic = state(lock);
    if holds(lock) {
        machine().primitives.borrow_mut().mutexes.remove(&lock);
        atomic.store(FREE, Order::Release);
        return 0;
    }
    let old = atomic.update(Rmw::Sub, 1, When::Always, Order::Release);
    if old == FREE || old >= WRITER {
        let here = machine().here.get().thread;
        let message = format!("thread {here} unlocks a read-write lock that it does not hold");
        violate(ProgramError::Misuse, message, atomic.pc);
    }
    count_reader(lock, -1);
    0
}

pub(crate) extern "C" fn spin_init(lock: usize, _shared: i32) -> i32 {
    machine().note_deed(lock as u64);
    initialise(lock, 4, Kind::SpinLock);
    0
}

pub(crate) extern "C" fn spin_destroy(lock: usize) -> i32 {
    machine().note_deed(lock as u64);
    refuse_if_held(lock, "spin lock");
    lifetime::destroy(lock, Kind::SpinLock);
    0
}

pub(crate) extern "C" fn spin_lock(lock: usize) -> i32 {
    check(lock, "spin lock");
    if holds(lock) {
        let pc = machine().pc();
        let here = machine().here.get().thread;
        violate(ProgramError::Deadlock, format!("deadlock: thread {here} locks a spin lock that it holds"), pc);
    }
    let _use = lifetime::wait(lock);
    native::say_why("for a spin lock");
    Atomic::called(lock, 4).update(Rmw::Swap, 1, When::Is(FREE), Order::Acquire);
    hold(lock);
    0
}

pub(crate) extern "C" fn spin_trylock(lock: usize) -> i32 {
    check(lock, "spin lock");
    let (_, happened) = Atomic::called(lock, 4).exchange(FREE, 1, Order::Acquire, Order::Relaxed, false);
    if !happened {
        return libc::EBUSY;
    }
    hold(lock);
    0
}

pub(crate) extern "C" fn spin_unlock(lock: usize) -> i32 {
    check(lock, "spin lock");
    if !holds(lock) {
        let pc = machine().pc();
        let here = machine().here.get().thread;
        violate(ProgramError::Misuse, format!("thread {here} unlocks a spin lock that it does not hold"), pc);
    }
    machine().primitives.borrow_mut().mutexes.remove(&lock);
    Atomic::called(lock, 4).store(FREE, Order::Release);
    0
}
