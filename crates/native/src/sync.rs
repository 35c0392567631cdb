//! What threads wait for each other with: mutexes, condition variables, read-write locks, barriers, semaphores, once,
//! futexes. The state that decides who may go on is a location of the execution graph, at the address of the object; what
//! only its holder looks at is kept here, as ordinary memory.

use crate::atomic::Atomic;
use crate::lifetime::{self, Kind, check};
use crate::machine::{ByAddress, Mistake, machine, violate};
use quotient_runtime::native::{self, Operation, Order, Rmw, When};

/// What is known about the objects of an execution, by their addresses.
#[derive(Default)]
pub struct Primitives {
    mutexes: ByAddress<Mutex>,
    /// The tokens that threads wait for, by condition variable or futex.
    queues: ByAddress<Vec<usize>>,
    /// How many threads have locked a read-write lock for reading.
    readers: ByAddress<i64>,
}

impl Primitives {
    /// Where the mutexes are that have been locked; the state of each is the number of its holder.
    pub fn mutex_addresses(&self) -> std::collections::HashSet<usize> {
        self.mutexes.keys().map(|mutex| mutex & !7).collect()
    }

    pub fn reset(&mut self) {
        self.mutexes.clear();
        self.queues.clear();
        self.readers.clear();
    }
}

/// What the holder of a mutex knows.
#[derive(Clone, Copy, Default)]
struct Mutex {
    holder: Option<u32>,
    depth: u32,
}

const FREE: u64 = 0;
const NORMAL: i32 = 0;
const RECURSIVE: i32 = 1;
const ERRORCHECK: i32 = 2;

/// Where glibc keeps the kind of a mutex; its static initialisers put it there.
const KIND: usize = 16;

/// The object is new.
fn initialise(address: usize, size: usize, kind: Kind) {
    lifetime::before_making(address, kind);
    crate::abi::range(address, size, crate::shadow::Touch::Initialise);
    // SAFETY: the memory exists, or the call before would not have returned.
    unsafe { std::ptr::write_bytes(address as *mut u8, 0, size) };
    let primitives = &mut machine().primitives;
    primitives.mutexes.remove(&address);
    primitives.queues.remove(&address);
    lifetime::made(address, kind);
}

/// The operation that has just been called, on the state of an object.
fn state(address: usize) -> Atomic {
    Atomic::called(address & !7, 8)
}

fn kind(address: usize) -> i32 {
    // SAFETY: a mutex has at least so many bytes, and it has been checked to exist.
    unsafe { *((address + KIND) as *const i32) & 3 }
}

pub extern "C" fn mutex_init(mutex: usize, attributes: *const i32) -> i32 {
    machine().note_deed();
    if machine().primitives.mutexes.get(&mutex).is_some_and(|mutex| mutex.holder.is_some()) {
        let pc = machine().pc();
        violate(Mistake::Misuse, "a mutex is initialised while it is locked".to_owned(), pc);
    }
    initialise(mutex, 40, Kind::Mutex);
    // SAFETY: the program gives null or attributes, whose first number is the kind.
    let kind = unsafe { attributes.as_ref() }.copied().unwrap_or(NORMAL);
    // SAFETY: the memory exists.
    unsafe { *((mutex + KIND) as *mut i32) = kind };
    0
}

pub extern "C" fn mutex_destroy(mutex: usize) -> i32 {
    machine().note_deed();
    check(mutex, "mutex");
    if machine().running && machine().primitives.mutexes.get(&mutex).is_some_and(|mutex| mutex.holder.is_some()) {
        let pc = machine().pc();
        violate(Mistake::Misuse, "a mutex is destroyed while it is locked".to_owned(), pc);
    }
    lifetime::destroy(mutex, Kind::Mutex);
    0
}

/// An object that is locked must not be destroyed.
fn refuse_if_held(address: usize, what: &str) {
    if let Some(holder) = machine().primitives.mutexes.get(&address).and_then(|lock| lock.holder) {
        let pc = machine().pc();
        violate(Mistake::Misuse, format!("a {what} is destroyed while thread {holder} holds it"), pc);
    }
    if machine().primitives.readers.get(&address).is_some_and(|&readers| readers > 0) {
        let pc = machine().pc();
        violate(Mistake::Misuse, format!("a {what} is destroyed while it is locked for reading"), pc);
    }
}

/// A thread has locked for reading, or unlocked.
fn count_reader(lock: usize, change: i64) {
    *machine().primitives.readers.entry(lock).or_default() += change;
}

/// Whether the current thread holds a mutex.
pub fn holds(mutex: usize) -> bool {
    let here = machine().here.thread;
    machine().primitives.mutexes.get(&mutex).is_some_and(|mutex| mutex.holder == Some(here))
}

/// The current thread has a mutex now.
fn hold(mutex: usize) {
    let here = machine().here.thread;
    machine().primitives.mutexes.insert(mutex, Mutex { holder: Some(here), depth: 1 });
}

fn deepen(mutex: usize) {
    machine().primitives.mutexes.entry(mutex).or_default().depth += 1;
}

fn acquire(mutex: usize, atomic: &Atomic) {
    machine().note_mutex(mutex);
    let _use = lifetime::wait(mutex);
    native::say_why("for a mutex");
    let here = u64::from(machine().here.thread);
    atomic.update(Rmw::Swap, here + 1, When::Is(FREE), Order::Acquire);
    hold(mutex);
}

pub extern "C" fn mutex_lock(mutex: usize) -> i32 {
    if !machine().running {
        return 0;
    }
    check(mutex, "mutex");
    if holds(mutex) {
        match kind(mutex) {
            RECURSIVE => {
                deepen(mutex);
                return 0;
            }
            ERRORCHECK => return libc::EDEADLK,
            _ => {
                let pc = machine().pc();
                let here = machine().here.thread;
                let message = format!("deadlock: thread {here} locks a mutex that it holds already");
                violate(Mistake::Deadlock, message, pc);
            }
        }
    }
    acquire(mutex, &state(mutex));
    0
}

/// Locks if that is possible at once.
pub fn try_lock(mutex: usize, otherwise: i32) -> i32 {
    if !machine().running {
        return 0;
    }
    check(mutex, "mutex");
    if holds(mutex) {
        if kind(mutex) == RECURSIVE {
            deepen(mutex);
            return 0;
        }
        return otherwise;
    }
    machine().note_mutex(mutex);
    let here = u64::from(machine().here.thread);
    let (_, happened) = state(mutex).exchange(FREE, here + 1, Order::Acquire, Order::Relaxed, false);
    if !happened {
        return otherwise;
    }
    hold(mutex);
    0
}

pub extern "C" fn mutex_trylock(mutex: usize) -> i32 {
    try_lock(mutex, libc::EBUSY)
}

/// Whether locking a mutex is refused at once, however long the current thread would wait.
pub fn is_refused(mutex: usize) -> bool {
    check(mutex, "mutex");
    holds(mutex) && kind(mutex) == ERRORCHECK
}

pub extern "C" fn mutex_unlock(mutex: usize) -> i32 {
    if !machine().running {
        return 0;
    }
    check(mutex, "mutex");
    if !holds(mutex) {
        if kind(mutex) == ERRORCHECK {
            return libc::EPERM;
        }
        let pc = machine().pc();
        let here = machine().here.thread;
        let holder = machine().primitives.mutexes.get(&mutex).and_then(|mutex| mutex.holder);
        let holder = holder.map_or("nobody".to_owned(), |holder| format!("thread {holder}"));
        let message = format!("thread {here} unlocks a mutex that it does not hold; {holder} does");
        violate(Mistake::Misuse, message, pc);
    }
    let known = machine().primitives.mutexes.entry(mutex).or_default();
    known.depth -= 1;
    if known.depth > 0 {
        return 0;
    }
    known.holder = None;
    state(mutex).store(FREE, Order::Release);
    0
}

pub extern "C" fn cond_init(cond: usize, _attributes: usize) -> i32 {
    machine().note_deed();
    initialise(cond, 48, Kind::Condition);
    0
}

pub extern "C" fn cond_destroy(cond: usize) -> i32 {
    machine().note_deed();
    check(cond, "condition variable");
    if machine().primitives.queues.get(&cond).is_some_and(|queue| !queue.is_empty()) {
        let pc = machine().pc();
        violate(Mistake::Misuse, "a condition variable is destroyed while a thread waits for it".to_owned(), pc);
    }
    lifetime::destroy(cond, Kind::Condition);
    0
}

/// Puts the calls that look at a queue in one order: waits until nobody holds it, and holds it if asked to.
pub fn take_turn(atomic: &Atomic, hold: bool) {
    take_turn_ordered(atomic, hold, Order::Relaxed);
}

fn take_turn_ordered(atomic: &Atomic, hold: bool, order: Order) {
    native::say_why("for a queue of waiting threads");
    atomic.update(Rmw::Swap, hold as u64, When::Is(FREE), order);
}

/// Joins the queue at an address; gives the token to wait for.
pub fn join_queue(atomic: &Atomic) -> usize {
    take_turn(atomic, false);
    let here = machine().here.thread;
    let token = machine().threads.new_token(here);
    machine().primitives.queues.entry(atomic.address).or_default().push(token);
    token
}

const NOTIFIED: u64 = 1;

pub fn wait_for(token: usize, atomic: &Atomic, why: &'static str) {
    native::say_why(why);
    let token = Atomic { address: token, size: 8, ..*atomic };
    token.wait(When::Is(NOTIFIED), Order::Relaxed);
}

/// Takes a waiter out of a queue, if it is there still.
pub fn forget_waiter(queue: usize, token: usize) -> bool {
    let waiters = machine().primitives.queues.entry(queue).or_default();
    let position = waiters.iter().position(|&waiter| waiter == token);
    position.map(|position| waiters.remove(position)).is_some()
}

/// Whether the current thread, which is in a queue, wakes up without a reason; then it has left the queue.
pub fn wakes_without_reason(queue: &Atomic, token: usize) -> bool {
    let here = machine().here.thread;
    machine().waits_for_others = true;
    if !machine().threads.may_wake(here) || choose(2, queue) == 0 {
        return false;
    }
    machine().woken_at = Some(queue.pc);
    machine().threads.note_woken(here);
    if !crate::timed::leave_queue(queue, token) {
        // There is a reason after all: this is an execution in which the thread was just woken.
        let site = machine().site(queue.pc);
        machine().note_operation(Operation::Block(0), queue.pc);
        native::block(site, queue.frame);
    }
    true
}

/// Lets a waiter go on.
fn notify(token: usize, atomic: &Atomic) {
    Atomic { address: token, size: 8, ..*atomic }.store(NOTIFIED, Order::Relaxed);
}

/// Takes one waiter out of the queue, any of them; `None` if there is none.
fn take_one(atomic: &Atomic, order: Order) -> Option<usize> {
    take_turn_ordered(atomic, true, order);
    let waiting = machine().primitives.queues.get(&atomic.address).map_or(0, Vec::len);
    let chosen = match waiting {
        0 => None,
        1 => Some(0),
        several => Some(choose(several as u32, atomic)),
    };
    let queue = machine().primitives.queues.entry(atomic.address).or_default();
    let token = chosen.map(|chosen| queue.remove(chosen as usize));
    atomic.store(FREE, if order == Order::AcqRel { Order::Release } else { order });
    token
}

fn choose(options: u32, atomic: &Atomic) -> u32 {
    let site = machine().site(atomic.pc);
    machine().note_operation(Operation::Choose(options), atomic.pc);
    let (value, _) = native::perform(site, atomic.frame, |_, _| Operation::Choose(options));
    machine().refresh();
    value as u32
}

/// A choice that nobody decides.
pub extern "C" fn nondet(options: u32) -> u32 {
    if options < 2 { 0 } else { choose(options, &Atomic::called(0, 0)) }
}

pub fn cond_wait_checked(cond: usize, mutex: usize) -> (Atomic, Atomic, u32) {
    check(cond, "condition variable");
    check(mutex, "mutex");
    if !holds(mutex) {
        let pc = machine().pc();
        let here = machine().here.thread;
        let message = format!("thread {here} waits for a condition variable with a mutex that it does not hold");
        violate(Mistake::Misuse, message, pc);
    }
    let depth = machine().primitives.mutexes.entry(mutex).or_default().depth;
    (state(cond), state(mutex), depth)
}

pub fn release(mutex: usize, atomic: &Atomic) {
    machine().primitives.mutexes.insert(mutex, Mutex::default());
    atomic.store(FREE, Order::Release);
}

pub fn acquire_again(mutex: usize, atomic: &Atomic, depth: u32) {
    acquire(mutex, atomic);
    machine().primitives.mutexes.entry(mutex).or_default().depth = depth;
}

pub extern "C" fn cond_wait(cond: usize, mutex: usize) -> i32 {
    let (queue, lock, depth) = cond_wait_checked(cond, mutex);
    let token = join_queue(&queue);
    release(mutex, &lock);
    if !wakes_without_reason(&queue, token) {
        wait_for(token, &queue, "for a condition variable");
    }
    acquire_again(mutex, &lock, depth);
    0
}

pub extern "C" fn cond_signal(cond: usize) -> i32 {
    check(cond, "condition variable");
    let queue = state(cond);
    if let Some(token) = take_one(&queue, Order::Relaxed) {
        notify(token, &queue);
    }
    0
}

pub extern "C" fn cond_broadcast(cond: usize) -> i32 {
    check(cond, "condition variable");
    let queue = state(cond);
    take_turn(&queue, false);
    for token in machine().primitives.queues.remove(&queue.address).unwrap_or_default() {
        notify(token, &queue);
    }
    0
}

/// A futex at an address in the program: its queue has a place of its own, beside the value.
fn futex_queue(address: usize) -> Atomic {
    let atomic = Atomic::called(address, 4);
    Atomic { address: crate::world::token(crate::world::THREADS as u32 - 1, (address >> 2) as u32), size: 8, ..atomic }
}

/// Joins the queue of a futex if its value is as expected; gives the queue and the token to wait for.
pub fn join_futex(address: usize, expected: u32) -> Option<(Atomic, usize)> {
    let queue = futex_queue(address);
    // The system looks at the value under a lock, which orders memory.
    take_turn_ordered(&queue, true, Order::AcqRel);
    let value = Atomic { address, size: 4, ..queue }.load(Order::SeqCst);
    let token = (value == u64::from(expected)).then(|| {
        let here = machine().here.thread;
        let token = machine().threads.new_token(here);
        machine().primitives.queues.entry(queue.address).or_default().push(token);
        token
    });
    queue.store(FREE, Order::Release);
    token.map(|token| (queue, token))
}

pub extern "C" fn futex_wake(address: usize, count: i32) {
    let queue = futex_queue(address);
    if count == 1 {
        if let Some(token) = take_one(&queue, Order::AcqRel) {
            notify(token, &queue);
        }
        return;
    }
    take_turn_ordered(&queue, false, Order::AcqRel);
    for token in machine().primitives.queues.remove(&queue.address).unwrap_or_default() {
        notify(token, &queue);
    }
}

/// More than there can be readers.
const WRITER: u64 = 1 << 32;

pub extern "C" fn rwlock_init(lock: usize, _attributes: usize) -> i32 {
    machine().note_deed();
    initialise(lock, 56, Kind::ReadWriteLock);
    0
}

pub extern "C" fn rwlock_destroy(lock: usize) -> i32 {
    machine().note_deed();
    refuse_if_held(lock, "read-write lock");
    lifetime::destroy(lock, Kind::ReadWriteLock);
    0
}

pub extern "C" fn rwlock_rdlock(lock: usize) -> i32 {
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

pub extern "C" fn rwlock_tryrdlock(lock: usize) -> i32 {
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

pub extern "C" fn rwlock_wrlock(lock: usize) -> i32 {
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

pub extern "C" fn rwlock_trywrlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    let (_, happened) = state(lock).exchange(FREE, WRITER, Order::Acquire, Order::Relaxed, false);
    if !happened {
        return libc::EBUSY;
    }
    hold(lock);
    0
}

pub extern "C" fn rwlock_unlock(lock: usize) -> i32 {
    check(lock, "read-write lock");
    let atomic = state(lock);
    if holds(lock) {
        machine().primitives.mutexes.remove(&lock);
        atomic.store(FREE, Order::Release);
        return 0;
    }
    let old = atomic.update(Rmw::Sub, 1, When::Always, Order::Release);
    if old == FREE || old >= WRITER {
        let here = machine().here.thread;
        let message = format!("thread {here} unlocks a read-write lock that it does not hold");
        violate(Mistake::Misuse, message, atomic.pc);
    }
    count_reader(lock, -1);
    0
}

pub extern "C" fn barrier_init(barrier: usize, _attributes: usize, count: u32) -> i32 {
    machine().note_deed();
    if count == 0 {
        let pc = machine().pc();
        violate(Mistake::Misuse, "a barrier for no threads".to_owned(), pc);
    }
    initialise(barrier, 32, Kind::Barrier);
    // SAFETY: the memory exists; a barrier has more than the two numbers that are its state.
    unsafe { *((barrier + THREADS) as *mut u64) = u64::from(count) };
    0
}

pub extern "C" fn barrier_destroy(barrier: usize) -> i32 {
    machine().note_deed();
    lifetime::destroy(barrier, Kind::Barrier);
    0
}

/// Where a barrier has the number of its threads.
const THREADS: usize = 16;

/// Arrivals are counted at the barrier's address; rounds that are over behind it.
pub extern "C" fn barrier_wait(barrier: usize) -> i32 {
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

pub extern "C" fn spin_init(lock: usize, _shared: i32) -> i32 {
    machine().note_deed();
    initialise(lock, 4, Kind::SpinLock);
    0
}

pub extern "C" fn spin_destroy(lock: usize) -> i32 {
    machine().note_deed();
    refuse_if_held(lock, "spin lock");
    lifetime::destroy(lock, Kind::SpinLock);
    0
}

pub extern "C" fn spin_lock(lock: usize) -> i32 {
    check(lock, "spin lock");
    if holds(lock) {
        let pc = machine().pc();
        let here = machine().here.thread;
        violate(Mistake::Deadlock, format!("deadlock: thread {here} locks a spin lock that it holds"), pc);
    }
    let _use = lifetime::wait(lock);
    native::say_why("for a spin lock");
    Atomic::called(lock, 4).update(Rmw::Swap, 1, When::Is(FREE), Order::Acquire);
    hold(lock);
    0
}

pub extern "C" fn spin_trylock(lock: usize) -> i32 {
    check(lock, "spin lock");
    let (_, happened) = Atomic::called(lock, 4).exchange(FREE, 1, Order::Acquire, Order::Relaxed, false);
    if !happened {
        return libc::EBUSY;
    }
    hold(lock);
    0
}

pub extern "C" fn spin_unlock(lock: usize) -> i32 {
    check(lock, "spin lock");
    if !holds(lock) {
        let pc = machine().pc();
        let here = machine().here.thread;
        violate(Mistake::Misuse, format!("thread {here} unlocks a spin lock that it does not hold"), pc);
    }
    machine().primitives.mutexes.remove(&lock);
    Atomic::called(lock, 4).store(FREE, Order::Release);
    0
}

pub extern "C" fn sem_init(semaphore: usize, _shared: i32, value: u32) -> i32 {
    machine().note_deed();
    initialise(semaphore, 32, Kind::Semaphore);
    // SAFETY: the memory exists.
    unsafe { *(semaphore as *mut u64) = u64::from(value) };
    0
}

pub extern "C" fn sem_destroy(semaphore: usize) -> i32 {
    machine().note_deed();
    lifetime::destroy(semaphore, Kind::Semaphore);
    0
}

pub extern "C" fn sem_wait(semaphore: usize) -> i32 {
    check(semaphore, "semaphore");
    let _use = lifetime::wait(semaphore);
    native::say_why("for a semaphore");
    state(semaphore).update(Rmw::Sub, 1, When::AtLeast(1), Order::Acquire);
    0
}

/// Takes one if there is one; an error otherwise, as after a timeout.
pub extern "C" fn sem_trywait(semaphore: usize) -> i32 {
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
    // SAFETY: the address of this OS thread's error number is valid.
    unsafe { *libc::__errno_location() = libc::EAGAIN };
    -1
}

pub extern "C" fn sem_post(semaphore: usize) -> i32 {
    check(semaphore, "semaphore");
    state(semaphore).update(Rmw::Add, 1, When::Always, Order::AcqRel);
    0
}

pub extern "C" fn sem_getvalue(semaphore: usize, value: *mut i32) -> i32 {
    check(semaphore, "semaphore");
    let now = state(semaphore).load(Order::Relaxed);
    // SAFETY: the program has given the address of a number.
    unsafe { *value = now as i32 };
    0
}

const NEW: u64 = 0;
const RUNNING: u64 = 2;
const DONE: u64 = 1;

/// Whether the caller must do what is done once. It is marked as done as compiled code marks static variables.
pub extern "C" fn once_begin(once: usize) -> i32 {
    if !machine().running {
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
pub extern "C" fn once_abort(once: usize) {
    if machine().running {
        Atomic::called(once, 1).store(NEW, Order::Release);
    }
}

pub extern "C" fn once_end(once: usize) {
    if !machine().running {
        // SAFETY: as above.
        return unsafe { *(once as *mut u8) = DONE as u8 };
    }
    Atomic::called(once, 1).store(DONE, Order::Release);
}

/// The lock that whoever initialises a static variable has is the byte behind the one that says that it is done.
fn guard_lock(guard: usize) -> Atomic {
    Atomic::called(guard + 1, 1)
}

pub extern "C" fn guard_acquire(guard: usize) -> i32 {
    if !machine().running {
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

pub extern "C" fn guard_release(guard: usize) {
    if !machine().running {
        // SAFETY: as above.
        return unsafe { *(guard as *mut u8) = DONE as u8 };
    }
    Atomic::called(guard, 1).store(DONE, Order::Release);
    guard_lock(guard).store(FREE, Order::Release);
}

pub extern "C" fn guard_abort(guard: usize) {
    if machine().running {
        guard_lock(guard).store(FREE, Order::Release);
    }
}

pub extern "C" fn assume(condition: i32) {
    if condition == 0 && machine().running {
        let (pc, frame) = (machine().pc(), machine().frame());
        let site = machine().site(pc);
        machine().note_operation(Operation::Block(0), pc);
        native::block(site, frame);
    }
}

/// The thread waits for others, in a loop.
pub extern "C" fn spin() -> i32 {
    if machine().running {
        let (pc, frame) = (machine().pc(), machine().frame());
        let site = machine().site(pc);
        machine().note_operation(Operation::Block(1), pc);
        native::spin(site, frame);
        machine().refresh();
    }
    0
}
