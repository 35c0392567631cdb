//! Waiting with a deadline. The time can be over at every moment, so such a wait never blocks: it looks once, and that it
//! waits and then succeeds is the execution in which it looks later. If it fails, its clock shows the deadline.

use crate::calls::arguments::Call;
use crate::calls::atomic::Atomic;
use crate::calls::clock::{self, Time};
use crate::calls::{errno, sync, threads};
use crate::machine::{ProgramError, machine, violate};
use libc::timespec;
use quotient_runtime::native::Order;

const SECOND: i64 = 1_000_000_000;

/// Until when somebody waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deadline {
    At(Time),
    Never,
    /// It is no time.
    Invalid,
}

/// The deadline that the program has given.
fn deadline(time: *const timespec) -> Deadline {
    Call::here().reads(time);
    // SAFETY: the program gives null or the address of a time.
    let Some(time) = (unsafe { time.as_ref() }) else { return Deadline::Never };
    if !(0..SECOND).contains(&time.tv_nsec) {
        return Deadline::Invalid;
    }
    let time = time.tv_sec.max(0).saturating_mul(SECOND).saturating_add(time.tv_nsec) as Time;
    if clock::is_never(time) { Deadline::Never } else { Deadline::At(time) }
}

impl Deadline {
    /// The wait has come to nothing; gives the error for that.
    fn pass(self) -> i32 {
        if let Deadline::At(time) = self {
            clock::pass(time);
            return libc::ETIMEDOUT;
        }
        libc::EINVAL
    }
}

pub(crate) extern "C" fn mutex_timedlock(mutex: usize, time: *const timespec) -> i32 {
    let deadline = deadline(time);
    if deadline == Deadline::Never || machine().running.get() && sync::is_refused(mutex) {
        return sync::mutex_lock(mutex);
    }
    match sync::try_lock(mutex, libc::ETIMEDOUT) {
        libc::ETIMEDOUT => deadline.pass(),
        result => result,
    }
}

pub(crate) extern "C" fn mutex_clocklock(mutex: usize, _clock: i32, time: *const timespec) -> i32 {
    mutex_timedlock(mutex, time)
}

pub(crate) extern "C" fn cond_timedwait(cond: usize, mutex: usize, time: *const timespec) -> i32 {
    let deadline = deadline(time);
    match deadline {
        Deadline::Never => return sync::cond_wait(cond, mutex),
        Deadline::Invalid => return libc::EINVAL,
        Deadline::At(_) => {}
    }
    let (queue, lock, depth) = sync::cond_wait_checked(cond, mutex);
    let token = sync::join_with(&queue, mutex);
    sync::release(mutex, &lock);
    let in_vain = leave_queue(&queue, token, Order::Relaxed);
    // The thread is not in the same state as one that was notified.
    let here = machine().here.get().thread;
    machine().threads.borrow_mut().set_in_vain(here, in_vain);
    sync::acquire_again(mutex, &lock, depth);
    machine().threads.borrow_mut().set_in_vain(here, false);
    if in_vain { deadline.pass() } else { 0 }
}

pub(crate) extern "C" fn cond_clockwait(cond: usize, mutex: usize, _clock: i32, time: *const timespec) -> i32 {
    cond_timedwait(cond, mutex, time)
}

/// Leaves a queue, unless the thread was notified before; says whether it has left.
pub(crate) fn leave_queue(queue: &Atomic, token: usize, order: Order) -> bool {
    sync::take_turn_ordered(queue, false, order);
    let left = sync::forget_waiter(queue.address, token);
    if left {
        let here = machine().here.get().thread;
        machine().threads.borrow_mut().give_back(here, token);
    }
    left
}

pub(crate) extern "C" fn rwlock_timedrdlock(lock: usize, time: *const timespec) -> i32 {
    timed(lock, time, sync::rwlock_rdlock, sync::rwlock_tryrdlock)
}

pub(crate) extern "C" fn rwlock_clockrdlock(lock: usize, _clock: i32, time: *const timespec) -> i32 {
    rwlock_timedrdlock(lock, time)
}

pub(crate) extern "C" fn rwlock_timedwrlock(lock: usize, time: *const timespec) -> i32 {
    timed(lock, time, sync::rwlock_wrlock, sync::rwlock_trywrlock)
}

pub(crate) extern "C" fn rwlock_clockwrlock(lock: usize, _clock: i32, time: *const timespec) -> i32 {
    rwlock_timedwrlock(lock, time)
}

/// Waits forever, or tries once.
fn timed(
    object: usize,
    time: *const timespec,
    wait: extern "C" fn(usize) -> i32,
    attempt: extern "C" fn(usize) -> i32,
) -> i32 {
    let deadline = deadline(time);
    if deadline == Deadline::Never || sync::holds(object) {
        // Whoever has it already is told so.
        return wait(object);
    }
    match attempt(object) {
        0 => 0,
        _ => deadline.pass(),
    }
}

pub(crate) extern "C" fn sem_timedwait(semaphore: usize, time: *const timespec) -> i32 {
    match timed(semaphore, time, sync::sem_wait, sync::sem_trywait) {
        0 => 0,
        error => errno::fail(error),
    }
}

pub(crate) extern "C" fn sem_clockwait(semaphore: usize, _clock: i32, time: *const timespec) -> i32 {
    sem_timedwait(semaphore, time)
}

/// How a wait for a futex has ended.
const WOKEN: i32 = 1;
const OTHER_VALUE: i32 = 0;

/// Waits if the value is as expected, until a deadline or, if `relative`, for a time; without one, until it is woken. Returns
/// 1 if it was woken, 0 if the value is another one, or an error with a minus.
pub(crate) extern "C" fn futex_wait(address: usize, expected: u32, time: *const timespec, relative: i32) -> i32 {
    let deadline = match deadline(time) {
        Deadline::At(time) if relative != 0 => Deadline::At(time.saturating_add(clock::least())),
        deadline => deadline,
    };
    if deadline == Deadline::Invalid {
        return -libc::EINVAL;
    }
    let Some((queue, token)) = sync::join_futex(address, expected) else { return OTHER_VALUE };
    if deadline != Deadline::Never {
        return if leave_queue(&queue, token, Order::AcqRel) { -deadline.pass() } else { WOKEN };
    }
    if !sync::wakes_without_reason(&queue, token, Order::AcqRel) {
        sync::wait_for(token, &queue, "to be woken", Order::Acquire);
    }
    WOKEN
}

pub(crate) extern "C" fn tryjoin(thread: usize, result: *mut usize) -> i32 {
    let call = Call::here();
    match has_ended(thread, call.pc) {
        true => threads::join_from(thread, result, call),
        false => libc::EBUSY,
    }
}

pub(crate) extern "C" fn timedjoin(thread: usize, result: *mut usize, time: *const timespec) -> i32 {
    let call = Call::here();
    let deadline = deadline(time);
    match deadline {
        Deadline::Invalid => libc::EINVAL,
        Deadline::At(_) if !has_ended(thread, call.pc) => deadline.pass(),
        _ => threads::join_from(thread, result, call),
    }
}

pub(crate) extern "C" fn clockjoin(thread: usize, result: *mut usize, _clock: i32, time: *const timespec) -> i32 {
    timedjoin(thread, result, time)
}

/// Whether another thread has ended, as far as the current one can see.
fn has_ended(thread: usize, pc: usize) -> bool {
    if !machine().threads.borrow().say_ends {
        let message =
            "a library that is linked into the program calls pthread_tryjoin_np or pthread_timedjoin_np, which can \
                       be checked only in source files"
                .to_owned();
        violate(ProgramError::Unsupported, message, pc);
    }
    match threads::joinable(thread) {
        Some(child) => Atomic::called(threads::end_token(child), 8).load(Order::Acquire) == threads::ENDED,
        // What is wrong is said when it is joined.
        None => true,
    }
}
