//! The visible operations of a program: what the library's atomics, locks and threads are made of.

pub use quotient_graph::{Order, Rmw, When};
use std::panic::Location;
use std::sync::atomic::AtomicU64;

/// A place in memory whose accesses the checker sees. It holds no value: values live in the execution graph.
#[derive(Debug)]
pub struct Place {
    slot: AtomicU64,
}

impl Place {
    /// A place that no execution has touched.
    pub const fn new() -> Self {
        Place { slot: AtomicU64::new(0) }
    }
}

/// Reads. `init` is the value of a place that nobody has written in this execution (the same in all calls).
#[track_caller]
pub fn load(place: &Place, init: u64, order: Order) -> u64 { unreachable!() }

/// Writes.
#[track_caller]
pub fn store(place: &Place, init: u64, value: u64, order: Order) { unreachable!() }

/// Reads and writes in one step; gives the old value. `bits` is the width: 8, 16, 32 or 64.
#[track_caller]
pub fn update(place: &Place, init: u64, op: Rmw, operand: u64, bits: u8, order: Order) -> u64 { unreachable!() }

/// Compare and exchange: the old value, as `Ok` when the exchange has happened.
#[track_caller]
pub fn exchange(place: &Place, init: u64, expected: u64, new: u64, success: Order, failure: Order, weak: bool) -> Result<u64, u64> { unreachable!() }

/// A blocking read-modify-write: waits until `when` holds of the value, then updates it in the same step. Gives the
/// old value. Every write to such a place must be a read-modify-write, or a store by the thread that holds it.
/// `why` finishes the sentence "thread 2 waits …" in a deadlock report, e.g. "for a mutex".
#[track_caller]
pub fn acquire(place: &Place, init: u64, when: When, op: Rmw, operand: u64, order: Order, why: &'static str) -> u64 { unreachable!() }

/// A blocking read. Once `when` holds it must hold for ever.
#[track_caller]
pub fn wait(place: &Place, init: u64, when: When, order: Order, why: &'static str) -> u64 { unreachable!() }

/// Reports a non-atomic read of the place to the race detector (the data itself is the caller's).
#[track_caller]
pub fn read_plain(place: &Place) { unreachable!() }

/// Reports a non-atomic write of the place to the race detector.
#[track_caller]
pub fn write_plain(place: &Place) { unreachable!() }

/// A non-atomic read of a place that also has atomic accesses (`get_mut`, `into_inner`): gives its value.
#[track_caller]
pub fn load_plain(place: &Place, init: u64) -> u64 { unreachable!() }

/// A non-atomic write of a place that also has atomic accesses.
#[track_caller]
pub fn store_plain(place: &Place, init: u64, value: u64) { unreachable!() }

/// A memory fence.
#[track_caller]
pub fn fence(order: Order) { unreachable!() }

/// A choice that nobody decides: all of `0..options` are explored.
#[track_caller]
pub fn choose(options: usize) -> usize { unreachable!() }

/// The thread found that it must wait, in a loop (`spin_loop`, `yield_now`): it goes on when what it has read changes.
#[track_caller]
pub fn spin() { unreachable!() }

/// Discards executions in which `condition` is false.
#[track_caller]
pub fn assume(condition: bool) { unreachable!() }

/// The number of a thread within an execution; the main closure is thread 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// How a thread is known to be like its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Like no other.
    Unlike,
    /// Threads spawned one after the other with equal numbers run the same code on the same data.
    Class(u64),
}

/// Starts a thread.
#[track_caller]
pub fn spawn(body: Box<dyn FnOnce()>, name: Option<String>, likeness: Likeness) -> ThreadId { unreachable!() }

/// Waits until the thread has ended.
#[track_caller]
pub fn join(thread: ThreadId) { unreachable!() }

/// Whether the thread has ended (a visible operation: the answer depends on the schedule).
#[track_caller]
pub fn is_finished(thread: ThreadId) -> bool { unreachable!() }

/// The calling thread. Asking lets a program tell like threads apart, so it ends their likeness.
pub fn current() -> ThreadId { unreachable!() }

/// The calling thread, for the library's own use: the program must not be able to see it.
pub fn current_unobserved() -> ThreadId { unreachable!() }

/// The name of a thread.
pub fn thread_name(thread: ThreadId) -> Option<String> { unreachable!() }

/// Whether the calling code runs inside a check.
pub fn checking() -> bool { unreachable!() }

/// Whether the current execution is being abandoned: its stacks unwind and operations have no effect.
pub fn abandoning() -> bool { unreachable!() }

/// A number that differs between any two executions, for resetting what lives in statics.
pub fn execution_number() -> u64 { unreachable!() }

/// Registers an object that must be freed before a complete execution ends; `what` names it in the leak report.
#[track_caller]
pub fn register(what: &'static str) -> Registration { unreachable!() }

/// A live registered object.
#[derive(Debug)]
pub struct Registration {
    number: u32,
    execution: u64,
}

/// Ends a registration.
#[track_caller]
pub fn unregister(registration: Registration) { unreachable!() }

/// Keeps a value until the current execution has ended, and drops it then (for the contents of statics).
pub fn keep(value: Box<dyn std::any::Any>) { unreachable!() }

/// Runs `destructor` on the current thread just before it ends, last registered first (for thread locals).
pub fn at_thread_exit(destructor: Box<dyn FnOnce()>) { unreachable!() }

/// What a library object reports as the program's mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A lock was released by a thread that does not hold it, and the like.
    Misuse,
    /// Memory was freed twice, or never allocated.
    Memory,
    /// A helping annotation does not hold.
    Annotation,
}

/// Ends the execution with a violation.
#[track_caller]
pub fn fail(mistake: Mistake, message: String) -> ! { let _ = Location::caller(); unreachable!() }
