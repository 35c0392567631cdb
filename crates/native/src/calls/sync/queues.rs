//! Queues of threads that wait to be notified: condition variables and futexes. A thread that waits has a token, a location of
//! its own that whoever notifies it writes to.

use super::{FREE, Mutex, acquire, choose, holds, initialise, state};
use crate::calls::atomic::Atomic;
use crate::calls::lifetime::{self, Kind, check};
use crate::machine::{ProgramError, machine, violate};
use quotient_runtime::native::{self, Operation, Order, Rmw, When};

const CONDITION: &str = "condition variable";

pub(crate) extern "C" fn cond_init(cond: usize, attributes: usize) -> i32 {
    machine().note_deed(cond as u64);
    lifetime::check_attributes(attributes as *const i32);
    initialise(cond, 48, Kind::Condition);
    0
}

pub(crate) extern "C" fn cond_destroy(cond: usize) -> i32 {
    machine().note_deed(cond as u64);
    check(cond, CONDITION);
    // It has its turn among those who notify and wait: they may come before, or find that it was destroyed.
    take_turn(&state(cond), false);
    let is_waited_for = machine().primitives.borrow().queues.get(&cond).is_some_and(|queue| !queue.is_empty());
    if is_waited_for {
        let pc = machine().pc();
        violate(ProgramError::Misuse, "a condition variable is destroyed while a thread waits for it".to_owned(), pc);
    }
    lifetime::destroy(cond, Kind::Condition);
    0
}

/// Puts the calls that look at a queue in one order: waits until nobody holds it, and holds it if asked to.
fn take_turn(atomic: &Atomic, hold: bool) {
    take_turn_ordered(atomic, hold, Order::Relaxed);
}

/// The same; the order says whether memory is ordered as well.
pub(crate) fn take_turn_ordered(atomic: &Atomic, hold: bool, order: Order) {
    native::say_why("for a queue of waiting threads");
    atomic.update(Rmw::Swap, hold as u64, When::Is(FREE), order);
}

/// Joins the queue at an address; gives the token to wait for.
pub(crate) fn join_queue(atomic: &Atomic) -> usize {
    take_turn(atomic, false);
    enter(atomic)
}

/// Puts the current thread, whose turn it is, into a queue; gives the token to wait for.
fn enter(queue: &Atomic) -> usize {
    let here = machine().here.get().thread;
    let token = machine().threads.borrow_mut().new_token(here);
    machine().primitives.borrow_mut().queue(queue.address).push(token);
    token
}

/// Joins the queue of a condition variable. All who wait there must do so with the same mutex.
pub(crate) fn join_with(cond: &Atomic, mutex: usize) -> usize {
    let token = join_queue(cond);
    lifetime::refuse_if_destroyed(cond.address, CONDITION);
    let (others, before) = {
        let mut primitives = machine().primitives.borrow_mut();
        (primitives.queue(cond.address).len() > 1, primitives.waiting_with.insert(cond.address, mutex))
    };
    if before.is_some_and(|known| others && known != mutex) {
        let message = "a condition variable is waited for with two mutexes at the same time".to_owned();
        violate(ProgramError::Misuse, message, cond.pc);
    }
    token
}

const NOTIFIED: u64 = 1;

pub(crate) fn wait_for(token: usize, atomic: &Atomic, why: &'static str, order: Order) {
    native::say_why(why);
    let token = Atomic { address: token, size: 8, ..*atomic };
    token.wait(When::Is(NOTIFIED), order);
}

/// Takes a waiter out of a queue, if it is there still.
pub(crate) fn forget_waiter(queue: usize, token: usize) -> bool {
    let mut primitives = machine().primitives.borrow_mut();
    let waiters = primitives.queue(queue);
    let position = waiters.iter().position(|&waiter| waiter == token);
    position.map(|position| waiters.remove(position)).is_some()
}

/// Whether the current thread, which is in a queue, wakes up without a reason; then it has left the queue.
pub(crate) fn wakes_without_reason(queue: &Atomic, token: usize, order: Order) -> bool {
    let here = machine().here.get().thread;
    machine().waits_for_others.set(true);
    let may_wake = machine().threads.borrow_mut().may_wake(here);
    if !may_wake || choose(2, queue) == 0 {
        return false;
    }
    machine().woken_at.set(Some(queue.pc));
    machine().threads.borrow_mut().note_woken(here);
    if !crate::calls::timed::leave_queue(queue, token, order) {
        // There is a reason after all: this is an execution in which the thread was just woken.
        let site = machine().site(queue.pc);
        machine().note_operation(Operation::Block(0), queue.pc);
        native::block(site, queue.frame);
    }
    true
}

/// Lets a waiter go on.
fn notify(token: usize, atomic: &Atomic, order: Order) {
    Atomic { address: token, size: 8, ..*atomic }.store(NOTIFIED, order);
}

/// Takes one waiter out of the queue, which the current thread holds, any of them; `None` if there is none.
fn take_one(atomic: &Atomic, order: Order) -> Option<usize> {
    let waiting = machine().primitives.borrow().queues.get(&atomic.address).map_or(0, Vec::len);
    let chosen = match waiting {
        0 => None,
        1 => Some(0),
        several => Some(choose(several as u32, atomic)),
    };
    let take = |chosen: u32| machine().primitives.borrow_mut().queue(atomic.address).remove(chosen as usize);
    let token = chosen.map(take);
    atomic.store(FREE, if order == Order::AcqRel { Order::Release } else { order });
    token
}

/// Takes all waiters out of a queue.
fn take_all(queue: usize) -> Vec<usize> {
    machine().primitives.borrow_mut().queues.remove(&queue).unwrap_or_default()
}

pub(crate) fn cond_wait_checked(cond: usize, mutex: usize) -> (Atomic, Atomic, u32) {
    check(cond, CONDITION);
    check(mutex, "mutex");
    if !holds(mutex) {
        let pc = machine().pc();
        let here = machine().here.get().thread;
        let message = format!("thread {here} waits for a condition variable with a mutex that it does not hold");
        violate(ProgramError::Misuse, message, pc);
    }
    let depth = machine().primitives.borrow_mut().mutex(mutex).depth;
    (state(cond), state(mutex), depth)
}

/// Unlocks a mutex to wait. As in glibc, one that was locked several times is unlocked once, so that it stays locked.
pub(crate) fn release(mutex: usize, atomic: &Atomic) {
    let is_last = {
        let mut primitives = machine().primitives.borrow_mut();
        let known = primitives.mutex(mutex);
        let is_last = known.depth <= 1;
        *known = if is_last { Mutex::default() } else { Mutex { depth: known.depth - 1, ..*known } };
        is_last
    };
    if is_last {
        atomic.store(FREE, Order::Release);
    }
}

/// Locks it again after that.
pub(crate) fn acquire_again(mutex: usize, atomic: &Atomic, depth: u32) {
    if depth == 1 {
        acquire(mutex, atomic);
    }
    machine().primitives.borrow_mut().mutex(mutex).depth = depth;
}

pub(crate) extern "C" fn cond_wait(cond: usize, mutex: usize) -> i32 {
    let (queue, lock, depth) = cond_wait_checked(cond, mutex);
    let token = join_with(&queue, mutex);
    release(mutex, &lock);
    if !wakes_without_reason(&queue, token, Order::Relaxed) {
        wait_for(token, &queue, "for a condition variable", Order::Relaxed);
    }
    acquire_again(mutex, &lock, depth);
    0
}

pub(crate) extern "C" fn cond_signal(cond: usize) -> i32 {
    check(cond, CONDITION);
    let queue = state(cond);
    take_turn(&queue, true);
    lifetime::refuse_if_destroyed(cond, CONDITION);
    if let Some(token) = take_one(&queue, Order::Relaxed) {
        notify(token, &queue, Order::Relaxed);
    }
    0
}

pub(crate) extern "C" fn cond_broadcast(cond: usize) -> i32 {
    check(cond, CONDITION);
    let queue = state(cond);
    take_turn(&queue, false);
    lifetime::refuse_if_destroyed(cond, CONDITION);
    for token in take_all(queue.address) {
        notify(token, &queue, Order::Relaxed);
    }
    0
}

/// A futex at an address in the program: its queue has a place of its own, beside the value. The system keeps it under a lock,
/// so whoever is woken knows what was before.
fn futex_queue(address: usize) -> Atomic {
    let atomic = Atomic::called(address, 4);
    Atomic {
        address: crate::memory::address_space::token(crate::memory::address_space::THREADS as u32 - 1, (address >> 2) as u32),
        size: 8,
        ..atomic
    }
}

/// Joins the queue of a futex if its value is as expected; gives the queue and the token to wait for.
pub(crate) fn join_futex(address: usize, expected: u32) -> Option<(Atomic, usize)> {
    let queue = futex_queue(address);
    // The system looks at the value under a lock, which orders memory.
    take_turn_ordered(&queue, true, Order::AcqRel);
    let value = Atomic { address, size: 4, ..queue }.load(Order::SeqCst);
    let token = (value == u64::from(expected)).then(|| enter(&queue));
    queue.store(FREE, Order::Release);
    token.map(|token| (queue, token))
}

/// A thread is about to look whether it waits for a value at an address to change, in `std::atomic::wait`. Up to
/// [`wait_end`], nobody can notify those who wait there.
///
/// As with a futex, those who notify and those who wait have an order, and memory has it, too: on Linux that is so.
pub(crate) extern "C" fn wait_begin(address: usize) {
    take_turn_ordered(&value_queue(address), true, Order::AcqRel);
}

/// It has looked, and waits or goes on.
pub(crate) extern "C" fn wait_end(address: usize, waits: bool) {
    let queue = value_queue(address);
    let token = waits.then(|| enter(&queue));
    queue.store(FREE, Order::Release);
    if let Some(token) = token
        && !wakes_without_reason(&queue, token, Order::AcqRel)
    {
        wait_for(token, &queue, "to be notified of another value", Order::Acquire);
    }
}

/// Those who wait for a value at an address are notified: one of them, or all.
pub(crate) extern "C" fn notify_at(address: usize, all: bool) {
    wake(&value_queue(address), all);
}

/// The queue of those who wait for a value at an address, which is none of the program's own.
fn value_queue(address: usize) -> Atomic {
    let atomic = Atomic::called(address, 1);
    Atomic {
        address: crate::memory::address_space::token(crate::memory::address_space::THREADS as u32 - 1, address as u32),
        size: 8,
        ..atomic
    }
}

pub(crate) extern "C" fn futex_wake(address: usize, count: i32) {
    wake(&futex_queue(address), count != 1);
}

/// Wakes one of those who wait in a queue, or all.
fn wake(queue: &Atomic, all: bool) {
    if !all {
        take_turn_ordered(queue, true, Order::AcqRel);
        if let Some(token) = take_one(queue, Order::AcqRel) {
            notify(token, queue, Order::Release);
        }
        return;
    }
    take_turn_ordered(queue, false, Order::AcqRel);
    for token in take_all(queue.address) {
        notify(token, queue, Order::Release);
    }
}
