//! What counts: barriers and semaphores.

use super::{initialise, state};
use crate::calls::atomic::Atomic;
use crate::calls::arguments::Call;
use crate::calls::errno;
use crate::calls::lifetime::{self, Kind, check};
use crate::calls::threads::mix;
use crate::machine::{ProgramError, machine, violate};
use quotient_runtime::native::{self, EventId, Order, Rmw, When};

pub(crate) extern "C" fn barrier_init(barrier: usize, attributes: usize, count: u32) -> i32 {
    machine().note_deed(mix(barrier as u64, count.into()));
    lifetime::check_attributes(attributes as *const i32);
    if count == 0 {
        let pc = machine().pc();
        violate(ProgramError::Misuse, "a barrier for no threads".to_owned(), pc);
    }
    initialise(barrier, 32, Kind::Barrier);
    // SAFETY: the memory exists; a barrier has more than the two numbers that are its state.
    unsafe { *((barrier + THREADS) as *mut u64) = u64::from(count) };
    0
}

pub(crate) extern "C" fn barrier_destroy(barrier: usize) -> i32 {
    machine().note_deed(barrier as u64);
    lifetime::destroy(barrier, Kind::Barrier);
    0
}

/// Where a barrier has the number of its threads.
const THREADS: usize = 16;

/// Arrivals are counted at the barrier's address; rounds that are over behind it.
pub(crate) extern "C" fn barrier_wait(barrier: usize) -> i32 {
    check(barrier, "barrier");
    let arrivals = state(barrier);
    // SAFETY: the barrier has been initialised, as has been checked.
    let threads = unsafe { *((barrier + THREADS) as *const u64) };
    let rounds = Atomic { address: arrivals.address + 8, ..arrivals };
    let earlier = arrivals.update(Rmw::Add, 1, When::Always, Order::AcqRel);
    let round = earlier / threads;
    if earlier % threads == threads - 1 {
        rounds.store(round + 1, Order::Release);
        lifetime::release_all(barrier);
        return -1;
    }
    let _use = lifetime::wait(barrier);
    native::say_why("at a barrier");
    rounds.wait(When::AtLeast(round + 1), Order::Acquire);
    0
}

pub(crate) extern "C" fn sem_init(semaphore: usize, _shared: i32, value: u32) -> i32 {
    machine().note_deed(mix(semaphore as u64, value.into()));
    let value = u64::from(value);
    if value > MOST {
        return errno::fail(libc::EINVAL);
    }
    initialise(semaphore, 32, Kind::Semaphore);
    // SAFETY: the memory exists; a semaphore has more than the number that is its state.
    unsafe {
        *(semaphore as *mut u64) = value;
        *((semaphore + IS_NEARLY_FULL) as *mut bool) = value > MOST - POSTS;
    }
    0
}

/// The largest value of a semaphore.
const MOST: u64 = i32::MAX as u64;
/// More often than this no execution adds to a semaphore.
const POSTS: u64 = 1 << 30;
/// Where a semaphore says whether it can come to its largest value.
const IS_NEARLY_FULL: usize = 16;

pub(crate) extern "C" fn sem_destroy(semaphore: usize) -> i32 {
    machine().note_deed(semaphore as u64);
    lifetime::destroy(semaphore, Kind::Semaphore);
    0
}

pub(crate) extern "C" fn sem_wait(semaphore: usize) -> i32 {
    check(semaphore, "semaphore");
    let _use = lifetime::wait(semaphore);
    native::say_why("for a semaphore");
    state(semaphore).update(Rmw::Sub, 1, When::AtLeast(1), Order::Acquire);
    0
}

/// Takes one if there is one; an error otherwise, as after a timeout.
pub(crate) extern "C" fn sem_trywait(semaphore: usize) -> i32 {
    check(semaphore, "semaphore");
    let atomic = state(semaphore);
    let mut seen = atomic.load(Order::Relaxed);
    while seen > 0 {
        let (newer, happened) = atomic.exchange(seen, seen - 1, Order::Acquire, Order::Relaxed, false);
        if happened {
            return 0;
        }
        seen = newer;
    }
    errno::fail(libc::EAGAIN)
}

pub(crate) extern "C" fn sem_post(semaphore: usize) -> i32 {
    check(semaphore, "semaphore");
    let atomic = state(semaphore);
    // SAFETY: the semaphore has been initialised, as has been checked.
    if !unsafe { *((semaphore + IS_NEARLY_FULL) as *const bool) } {
        atomic.update(Rmw::Add, 1, When::Always, Order::AcqRel);
        return 0;
    }
    let mut seen = atomic.load(Order::Relaxed);
    while seen < MOST {
        let (newer, happened) = atomic.exchange(seen, seen + 1, Order::AcqRel, Order::Relaxed, false);
        if happened {
            return 0;
        }
        seen = newer;
    }
    errno::fail(libc::EOVERFLOW)
}

pub(crate) extern "C" fn sem_getvalue(semaphore: usize, value: *mut i32) -> i32 {
    let call = Call::here();
    check(semaphore, "semaphore");
    let now = state(semaphore).load(Order::Relaxed);
    call.give(value, now as i32);
    0
}

/// The current thread has just changed the count of a semaphore or of a latch of the C++ library, which has so many bytes and may be
/// `most`. The library does not look whether it may be what it is now; the event says what it was changed to.
pub(crate) extern "C" fn counted(address: usize, size: usize, most: isize, is_latch: i32) {
    let machine = machine();
    if !machine.running.get() || !matches!(size, 4 | 8) {
        return;
    }
    // Whoever was woken may have destroyed it by now.
    let Ok(Some(location)) = machine.location_at(address, size) else { return };
    let here = machine.here.get();
    let written = native::look(|explorer, _| {
        let own = (0..here.position).rev().map(|position| explorer.graph().event(EventId::new(here.thread, position)));
        let mut writes = own.filter(|event| event.is_write() && event.location == location);
        writes.next().map(|event| event.value)
    });
    let Some(value) = written else { return };
    let value = if size == 4 { value as i32 as isize } else { value as isize };
    if is_latch != 0 && value < 0 {
        let message = format!("a latch is counted down below zero, to {value}");
        violate(ProgramError::Misuse, message, machine.pc());
    }
    if is_latch == 0 && !(0..=most).contains(&value) {
        let message = format!("a semaphore is released beyond its max(), which is {most}");
        violate(ProgramError::Misuse, message, machine.pc());
    }
}
