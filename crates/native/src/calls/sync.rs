//! What threads wait for each other with: mutexes here, the others beside. The state that decides who may go on is a location of the execution graph, at the address of the object; what
//! only its holder looks at is kept here, as ordinary memory.

mod counts;
mod hints;
mod locks;
mod once;
mod queues;

pub(crate) use counts::*;
pub(crate) use hints::*;
pub(crate) use locks::*;
pub(crate) use once::*;
pub(crate) use queues::*;

use crate::calls::atomic::Atomic;
use crate::calls::lifetime::{self, Kind, check};
use crate::machine::{ByAddress, ProgramError, machine, violate};
use quotient_runtime::native::{self, Order, Rmw, When};

/// What is known about the objects of an execution, by their addresses.
#[derive(Default)]
pub(crate) struct Primitives {
    mutexes: ByAddress<Mutex>,
    /// The tokens that threads wait for, by condition variable or futex.
    queues: ByAddress<Vec<usize>>,
    /// The mutex with which threads wait, by condition variable.
    waiting_with: ByAddress<usize>,
    /// How many threads have locked a read-write lock for reading.
    readers: ByAddress<i64>,
    /// The mutexes that constructors have used.
    early_mutexes: Vec<(usize, Mutex)>,
    /// The read-write locks that constructors have used.
    early_readers: Vec<(usize, i64)>,
}

impl Primitives {
    /// The thread that holds a mutex.
    fn holder(&self, mutex: usize) -> Option<u32> {
        self.mutexes.get(&mutex).and_then(|mutex| mutex.holder)
    }

    /// What the holder of a mutex knows.
    fn mutex(&mut self, mutex: usize) -> &mut Mutex {
        self.mutexes.entry(mutex).or_default()
    }

    /// The tokens that threads wait for.
    fn queue(&mut self, address: usize) -> &mut Vec<usize> {
        self.queues.entry(address).or_default()
    }

    /// A new object is at an address.
    fn forget(&mut self, address: usize) {
        self.mutexes.remove(&address);
        self.readers.remove(&address);
        self.queues.remove(&address);
    }

    /// Where the mutexes are that have been locked; the state of each is the number of its holder.
    pub(crate) fn mutex_addresses(&self) -> std::collections::HashSet<usize> {
        self.mutexes.keys().map(|mutex| mutex & !7).collect()
    }

    /// A number for how often a thread has locked each mutex that it holds.
    pub(crate) fn depth(&self, thread: u32) -> u64 {
        let held = self.mutexes.iter().filter(|(_, mutex)| mutex.holder == Some(thread));
        held.fold(0, |sum: u64, (&address, mutex)| {
            sum.wrapping_add(u64::from(mutex.depth).wrapping_mul(address as u64))
        })
    }

    pub(crate) fn reset(&mut self) {
        self.mutexes.clear();
        self.queues.clear();
        self.waiting_with.clear();
        self.readers.clear();
        self.mutexes.extend(self.early_mutexes.iter().copied());
        self.readers.extend(self.early_readers.iter().copied());
    }

    /// What there is now is there in every execution.
    pub(crate) fn keep(&mut self) {
        self.early_mutexes = self.mutexes.iter().map(|(&address, &mutex)| (address, mutex)).collect();
        self.early_readers = self.readers.iter().map(|(&address, &readers)| (address, readers)).collect();
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
    crate::calls::abi::range(address, size, crate::memory::shadow::Touch::Initialise);
    // SAFETY: the memory exists, or the call before would not have returned.
    unsafe { std::ptr::write_bytes(address as *mut u8, 0, size) };
    machine().primitives.borrow_mut().forget(address);
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

/// What the kind of a mutex of C11 has if it may be locked with a deadline; `glue.c` has the same.
const TIMED: i32 = 0x100;

/// Whether a mutex was made to be locked with a deadline.
pub(crate) fn is_timed(mutex: usize) -> bool {
    // SAFETY: a mutex has at least so many bytes, and it has been made.
    unsafe { *((mutex + KIND) as *const i32) & TIMED != 0 }
}

pub(crate) extern "C" fn mutex_init(mutex: usize, attributes: *const i32) -> i32 {
    machine().note_deed(mutex as u64);
    lifetime::check_attributes(attributes);
    if holder(mutex).is_some() {
        let pc = machine().pc();
        violate(ProgramError::Misuse, "a mutex is initialised while it is locked".to_owned(), pc);
    }
    initialise(mutex, 40, Kind::Mutex);
    // SAFETY: the program gives null or attributes, whose first number is the kind.
    let kind = unsafe { attributes.as_ref() }.copied().unwrap_or(NORMAL);
    // SAFETY: the memory exists.
    unsafe { *((mutex + KIND) as *mut i32) = kind };
    0
}

pub(crate) extern "C" fn mutex_destroy(mutex: usize) -> i32 {
    machine().note_deed(mutex as u64);
    check(mutex, "mutex");
    if machine().running.get() && holder(mutex).is_some() {
        let pc = machine().pc();
        violate(ProgramError::Misuse, "a mutex is destroyed while it is locked".to_owned(), pc);
    }
    lifetime::destroy(mutex, Kind::Mutex);
    0
}

/// An object that is locked must not be destroyed.
fn refuse_if_held(address: usize, what: &str) {
    if let Some(holder) = holder(address) {
        let pc = machine().pc();
        violate(ProgramError::Misuse, format!("a {what} is destroyed while thread {holder} holds it"), pc);
    }
    let is_read = machine().primitives.borrow().readers.get(&address).is_some_and(|&readers| readers > 0);
    if is_read {
        let pc = machine().pc();
        violate(ProgramError::Misuse, format!("a {what} is destroyed while it is locked for reading"), pc);
    }
}

/// How many threads have locked for reading.
fn readers(lock: usize) -> u64 {
    machine().primitives.borrow().readers.get(&lock).map_or(0, |&readers| readers.max(0) as u64)
}

/// A thread has locked for reading, or unlocked.
fn count_reader(lock: usize, change: i64) {
    *machine().primitives.borrow_mut().readers.entry(lock).or_default() += change;
}

/// The thread that holds a mutex.
fn holder(mutex: usize) -> Option<u32> {
    machine().primitives.borrow().holder(mutex)
}

/// Whether the current thread holds a mutex.
pub(crate) fn holds(mutex: usize) -> bool {
    holder(mutex) == Some(machine().here.get().thread)
}

/// The current thread has a mutex now.
fn hold(mutex: usize) {
    let here = machine().here.get().thread;
    machine().primitives.borrow_mut().mutexes.insert(mutex, Mutex { holder: Some(here), depth: 1 });
}

fn deepen(mutex: usize) {
    machine().primitives.borrow_mut().mutex(mutex).depth += 1;
}

fn acquire(mutex: usize, atomic: &Atomic) {
    machine().note_mutex(mutex);
    let _use = lifetime::wait(mutex);
    native::say_why("for a mutex");
    let here = u64::from(machine().here.get().thread);
    atomic.update(Rmw::Swap, here + 1, When::Is(FREE), Order::Acquire);
    hold(mutex);
}

pub(crate) extern "C" fn mutex_lock(mutex: usize) -> i32 {
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
                let here = machine().here.get().thread;
                let message = format!("deadlock: thread {here} locks a mutex that it holds already");
                violate(ProgramError::Deadlock, message, pc);
            }
        }
    }
    acquire(mutex, &state(mutex));
    0
}

/// Locks if that is possible at once.
pub(crate) fn try_lock(mutex: usize, otherwise: i32) -> i32 {
    check(mutex, "mutex");
    if holds(mutex) {
        if kind(mutex) == RECURSIVE {
            deepen(mutex);
            return 0;
        }
        return otherwise;
    }
    machine().note_mutex(mutex);
    let here = u64::from(machine().here.get().thread);
    let (_, happened) = state(mutex).exchange(FREE, here + 1, Order::Acquire, Order::Relaxed, false);
    if !happened {
        return otherwise;
    }
    hold(mutex);
    0
}

pub(crate) extern "C" fn mutex_trylock(mutex: usize) -> i32 {
    try_lock(mutex, libc::EBUSY)
}

/// Whether locking a mutex is refused at once, however long the current thread would wait.
pub(crate) fn is_refused(mutex: usize) -> bool {
    check(mutex, "mutex");
    holds(mutex) && kind(mutex) == ERRORCHECK
}

pub(crate) extern "C" fn mutex_unlock(mutex: usize) -> i32 {
    check(mutex, "mutex");
    if !holds(mutex) {
        if kind(mutex) == ERRORCHECK {
            return libc::EPERM;
        }
        let pc = machine().pc();
        let here = machine().here.get().thread;
        let holder = holder(mutex).map_or("nobody".to_owned(), |holder| format!("thread {holder}"));
        let message = format!("thread {here} unlocks a mutex that it does not hold; {holder} does");
        violate(ProgramError::Misuse, message, pc);
    }
    let is_last = {
        let mut primitives = machine().primitives.borrow_mut();
        let known = primitives.mutex(mutex);
        known.depth -= 1;
        if known.depth == 0 {
            known.holder = None;
        }
        known.depth == 0
    };
    if is_last {
        state(mutex).store(FREE, Order::Release);
    }
    0
}
