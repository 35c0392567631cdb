//! The visible operations of a program: what the library's atomics, locks and threads are made of.

pub use crate::body::{Body, Task};
use crate::call::{Call, OpCode};
use crate::context::{self, Context, visible, visible_bare, with};
pub use crate::panics::{catch, catch_end, claim, is_unwinding, rethrow, unwinds};
pub use crate::readers::{gives_read_lock, has_read_lock, has_write_lock};
use crate::threads::{PrimaryPhase, Slot, leave};
use crate::{ViolationKind, memory};
use quotient_dpor::graph::{Clock, EventId, Kind};
pub use quotient_graph::{Order, Rmw, When};
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// A place in memory whose accesses the checker sees. It holds no value: values live in the execution graph.
#[derive(Debug, Default)]
pub struct MemoryCell {
    pub(crate) slot: AtomicU64,
}

impl MemoryCell {
    /// A place that no execution has touched.
    pub const fn new() -> Self {
        MemoryCell { slot: AtomicU64::new(0) }
    }
}

/// Like [`with`], for what makes the engine's own tables grow: the memory is not the program's, whose blocks are numbered.
#[track_caller]
fn as_engine<R>(f: impl FnOnce(&mut Context) -> R) -> R {
    memory::as_engine(|| with(f))
}

/// Runs something of the library's, no code of the program's: the memory that it allocates is not the program's.
#[inline]
pub fn as_library<R>(f: impl FnOnce() -> R) -> R {
    memory::as_engine(f)
}

/// Reads. `init` is the value of a place that nobody has written in this execution (the same in all calls).
#[inline(always)]
#[track_caller]
pub fn load(place: &MemoryCell, init: u64, order: Order) -> u64 {
    visible(Call::access(OpCode::Load, place, init, order, 0), Location::caller()).0
}

/// Writes.
#[inline(always)]
#[track_caller]
pub fn store(place: &MemoryCell, init: u64, value: u64, order: Order) {
    store_at(place, init, value, order, Location::caller());
}

/// Writes, on behalf of a place in the program that cannot be found by asking who calls: a destructor.
#[inline(always)]
pub fn store_at(place: &MemoryCell, init: u64, value: u64, order: Order, site: &'static Location<'static>) {
    visible(Call::access(OpCode::Write, place, init, order, value), site);
}

/// Reads and writes in one step, on behalf of a place in the program that cannot be found by asking who calls.
pub fn update_at(
    place: &MemoryCell,
    init: u64,
    (op, operand): (Rmw, u64),
    bits: u8,
    order: Order,
    site: &'static Location<'static>,
) -> u64 {
    visible(Call::fetch(place, init, op, operand, bits, order), site).0
}

/// Reads and writes in one step; gives the old value. `bits` is the width: 8, 16, 32 or 64.
#[inline(always)]
#[track_caller]
pub fn update(place: &MemoryCell, init: u64, op: Rmw, operand: u64, bits: u8, order: Order) -> u64 {
    visible(Call::fetch(place, init, op, operand, bits, order), Location::caller()).0
}

/// Compare and exchange: the old value, as `Ok` when the exchange has happened.
///
/// # Errors
///
/// The old value, if it is not the expected one.
#[inline(always)]
#[track_caller]
pub fn exchange(
    place: &MemoryCell,
    init: u64,
    expected: u64,
    new: u64,
    success: Order,
    failure: Order,
    weak: bool,
) -> Result<u64, u64> {
    let weak = weak && with(|context| context.explorer.settings().spurious_failures);
    let mut call = Call::access(OpCode::Exchange, place, init, success, expected);
    call.asked.second = new;
    (call.asked.what.failure, call.asked.what.weak) = (failure, weak);
    let (value, happened) = visible(call, Location::caller());
    if happened { Ok(value) } else { Err(value) }
}

/// A blocking read-modify-write: waits until `when` holds of the value, then updates it in the same step. Returns the
/// old value. Every write to such a place must be a read-modify-write, or a store by the thread that holds it.
/// `why` finishes the sentence "thread 2 waits …" in a deadlock report, e.g. "for a mutex".
#[inline(always)]
#[track_caller]
pub fn acquire(
    place: &MemoryCell,
    init: u64,
    when: When,
    op: Rmw,
    operand: u64,
    order: Order,
    why: &'static str,
) -> u64 {
    say_why(why);
    let mut call = Call::fetch(place, init, op, operand, 64, order).when(when);
    call.asked.what.failure = Order::Relaxed;
    visible(call, Location::caller()).0
}

/// A blocking read. Once `when` holds it must hold forever.
#[inline(always)]
#[track_caller]
pub fn wait(place: &MemoryCell, init: u64, when: When, order: Order, why: &'static str) -> u64 {
    say_why(why);
    visible(Call::access(OpCode::Load, place, init, order, 0).when(when), Location::caller()).0
}

#[inline]
fn say_why(why: &'static str) {
    with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].why = why;
    });
}

/// Reports a non-atomic read of the place to the race detector (the data itself is the caller's).
#[inline]
#[track_caller]
pub fn read_plain(place: &MemoryCell) {
    load(place, 0, Order::Plain);
}

/// Reports a non-atomic write of the place to the race detector.
#[inline]
#[track_caller]
pub fn write_plain(place: &MemoryCell) {
    store(place, 0, 0, Order::Plain);
}

/// A non-atomic read of a place that also has atomic accesses (`get_mut`, `into_inner`): gives its value.
#[inline]
#[track_caller]
pub fn load_plain(place: &MemoryCell, init: u64) -> u64 {
    load(place, init, Order::Plain)
}

/// A non-atomic write of a place that also has atomic accesses.
#[inline]
#[track_caller]
pub fn store_plain(place: &MemoryCell, init: u64, value: u64) {
    store(place, init, value, Order::Plain);
}

/// A memory fence.
#[inline(always)]
#[track_caller]
pub fn fence(order: Order) {
    let mut call = Call::bare(OpCode::Fence, 0);
    call.asked.what.order = order;
    visible(call, Location::caller());
}

/// A choice that nobody decides: all of `0..options` are explored.
#[track_caller]
pub fn choose(options: usize) -> usize {
    assert!(options > 0, "a choice needs at least one option");
    if options == 1 {
        return 0;
    }
    visible(Call::bare(OpCode::Choose, options as u64), Location::caller()).0 as usize
}

/// The thread found that it must wait, in a loop (`spin_loop`, `yield_now`): it goes on when what it has read changes.
#[inline(always)]
#[track_caller]
pub fn spin() {
    visible(Call::bare(OpCode::Spin, 0), Location::caller());
}

/// Discards executions in which `condition` is false.
#[track_caller]
pub fn assume(condition: bool) {
    if !condition {
        let site = Location::caller();
        loop {
            visible(Call::bare(OpCode::Block, 0), site);
            if abandoning() {
                return;
            }
            crate::threads::suspend();
        }
    }
}

/// Begins the primary operation of an idempotent pair; `operation` identifies it and its arguments. Until
/// [`end_primary_operation`] the thread may read, and then exchange once.
#[track_caller]
pub fn primary_operation(operation: u64) {
    visible(Call::bare(OpCode::Primary, operation), Location::caller());
    set_primary(PrimaryPhase::Reading);
}

/// Ends the primary operation.
#[track_caller]
pub fn end_primary_operation() {
    let before = set_primary(PrimaryPhase::Outside);
    if before == PrimaryPhase::Reading && !abandoning() {
        fail(
            ProgramError::Annotation,
            "a primary operation must end with a compare-and-exchange, and this one does not".into(),
        );
    }
}

fn set_primary(phase: PrimaryPhase) -> PrimaryPhase {
    with(|context| {
        let index = context.current.0 as usize;
        std::mem::replace(&mut context.slots[index].primary, phase)
    })
}

/// Leaves an idempotent operation to the thread that runs it.
#[track_caller]
pub fn help_operation(operation: u64) {
    visible(Call::bare(OpCode::Help, operation), Location::caller());
}

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

/// Whether the check makes use of the likeness of threads.
#[inline]
pub fn looks_for_likeness() -> bool {
    with(|context| context.explorer.settings().symmetry)
}

/// Starts a thread.
#[track_caller]
pub fn spawn(body: Box<dyn FnOnce()>, name: Option<String>, likeness: Likeness) -> ThreadId {
    let thread = start(likeness);
    set_body(thread, body.into());
    if let Some(name) = name {
        set_name(thread, name);
    }
    thread
}

/// Starts a thread. What it does has to be said at once, with [`set_body`].
#[inline(always)]
#[track_caller]
pub fn start(likeness: Likeness) -> ThreadId {
    let class = match likeness {
        Likeness::Class(class) => class_unless_distinguished(class),
        Likeness::Unlike => 0,
    };
    start_at(class, Location::caller())
}

#[inline(never)]
fn start_at(class: u64, site: &'static Location<'static>) -> ThreadId {
    ThreadId(visible_bare(OpCode::Spawn, class, "", site) as u32)
}

/// Says what a thread does that has just been started.
#[inline(always)]
pub fn set_body(thread: ThreadId, body: Body) {
    // If there is no slot the body is dropped, which may run code of the program.
    if let Some(mut slot) = new_slot(thread) {
        // SAFETY: nothing else refers to the slot now.
        unsafe { slot.as_mut() }.begin(body);
    }
}

/// Gives a thread that has just been started a name, which reports show.
pub fn set_name(thread: ThreadId, name: String) {
    if let Some(mut slot) = new_slot(thread) {
        // SAFETY: nothing else refers to the slot now.
        unsafe { slot.as_mut() }.name = Some(name);
    }
}

/// What is known of a thread that has just been started; room is made for it. None when the execution is being abandoned:
/// then there is no such thread.
fn new_slot(thread: ThreadId) -> Option<NonNull<Slot>> {
    with(|context| {
        let index = thread.0 as usize;
        if context.abandoning {
            return None;
        }
        if context.slots.len() <= index {
            make_slots(context, index + 1);
        }
        Some(NonNull::from(&mut context.slots[index]))
    })
}

#[cold]
#[inline(never)]
fn make_slots(context: &mut Context, count: usize) {
    memory::as_engine(|| context.slots.resize_with(count, Slot::empty));
}

/// The class of a thread that is about to be spawned; 0 if the program is known to tell such threads apart.
fn class_unless_distinguished(class: u64) -> u64 {
    if with(|context| context.distinguished.contains(&class)) { 0 } else { class.max(1) }
}

/// Waits until the thread has ended.
#[inline]
#[track_caller]
pub fn join(thread: ThreadId) {
    join_at(thread, Location::caller());
}

#[inline(never)]
fn join_at(thread: ThreadId, site: &'static Location<'static>) {
    visible_bare(OpCode::Join, thread.0.into(), "for another thread to end", site);
}

/// Whether the thread has ended (the answer depends on the schedule, so both are explored).
#[track_caller]
pub fn is_finished(thread: ThreadId) -> bool {
    distinguish(thread);
    if choose(2) == 0 {
        return false;
    }
    join(thread);
    true
}

/// Whether all that a thread does is before what the calling thread does now: the caller is that thread, or knows that it
/// has ended.
pub fn is_over(thread: ThreadId) -> bool {
    with(|context| {
        let graph = context.explorer.graph();
        let (current, length) = (context.current.0, graph.len_of(thread.0));
        let position = context.explorer.position(current);
        thread.0 == current
            || length > 0 && position > 0 && {
                let last = EventId::new(thread.0, length - 1);
                let here = EventId::new(current, position - 1);
                graph.event(last).kind == Kind::End && graph.covers(here, Clock::Before, last)
            }
    })
}

/// The current thread, which is about to end, leaves a result of so many bytes for who joins it.
///
/// # Safety
/// The memory can be read. Its bytes need not have values.
pub unsafe fn note_result(result: *const u8, size: usize) {
    as_engine(|context| {
        let index = context.current.0 as usize;
        let words = &mut context.slots[index].result;
        words.clear();
        for start in (0..size).step_by(8) {
            let bytes = (start..size.min(start + 8)).rev();
            // SAFETY: the caller's promise; the read is volatile because nothing is known about what was written there.
            let word = bytes.fold(0, |word, at| word << 8 | u64::from(unsafe { result.add(at).read_volatile() }));
            words.push(word);
        }
    });
}

/// The thread ends.
pub(crate) fn end() {
    visible_bare(OpCode::End, 0, "", Location::caller());
}

/// The calling thread. Asking lets a program tell like threads apart, so it ends their likeness.
pub fn current() -> ThreadId {
    let thread = current_unobserved();
    distinguish(thread);
    thread
}

/// The program can tell this thread from those like it: the check begins again without that likeness.
pub fn distinguish(thread: ThreadId) {
    if with(|context| context.distinguish(thread) && !context.is_unwinding()) {
        leave();
    }
}

/// Whether the counts of shared references are visible operations in this check.
#[inline]
pub fn observe_references() -> bool {
    with(|context| context.observe_references)
}

/// The order in which shared references are dropped matters to the program: the check begins again, and drops are
/// visible operations then.
pub fn need_references() {
    let restart = with(|context| {
        let new = !context.abandoning && !context.observe_references;
        if new {
            context.observe_references = true;
            context.restart = true;
            context.abandoning = true;
        }
        new
    });
    if restart && !with(Context::is_unwinding) {
        leave();
    }
}

/// The calling thread, for the library's own use: the program must not be able to see it.
#[inline]
pub fn current_unobserved() -> ThreadId {
    with(|context| context.current)
}

/// The class of the thread that the calling thread has spawned at this moment of the execution when that was recorded.
pub fn recorded_class() -> Option<u64> {
    with(|context| {
        let (thread, explorer) = (context.current.0, &context.explorer);
        let events = &explorer.graph().threads().get(thread as usize)?.events;
        let event = events.get(explorer.position(thread) as usize)?;
        (event.kind == Kind::Spawn).then_some(event.asked.first)
    })
}

/// The name of a thread.
pub fn thread_name(thread: ThreadId) -> Option<String> {
    with(|context| context.slots.get(thread.0 as usize).and_then(|slot| slot.name.clone()))
}

/// How many visible operations the calling thread has done in this execution.
pub fn operations() -> u32 {
    with(|context| context.steps)
}

/// Whether the calling code runs inside a check.
#[inline]
pub fn checking() -> bool {
    context::checking()
}

/// Whether the current execution is being abandoned: its stacks unwind and operations have no effect.
#[inline]
pub fn abandoning() -> bool {
    with(|context| context.abandoning)
}

/// A number that differs between any two executions, for resetting what lives in statics.
#[inline]
pub fn execution_number() -> u64 {
    with(|context| context.execution)
}

/// Whether the current thread may still be woken without a reason in this execution.
pub fn may_wake_without_reason() -> bool {
    with(|context| {
        let index = context.current.0 as usize;
        !context.abandoning && context.slots[index].woken < context.spurious_wakeups
    })
}

/// The current thread waits for a condition variable or to be unparked.
#[track_caller]
pub fn may_be_woken() {
    let site = Location::caller();
    with(|context| context.waits_at = context.waits_at.or(Some(site)));
}

/// The current thread has been woken without a reason.
#[track_caller]
pub fn wakes_without_reason() {
    let site = Location::caller();
    with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].woken += 1;
        context.slots[index].woken_at = Some(site);
    });
}

/// Registers an object that must be freed before a complete execution ends; `what` names it in the leak report.
#[inline]
#[track_caller]
pub fn register(what: &'static str) -> Registration {
    let site = Location::caller();
    as_engine(|context| {
        context.registrations.push(Some((what, site)));
        Registration { number: context.registrations.len() as u32 - 1, execution: context.execution }
    })
}

/// A live registered object.
#[derive(Debug)]
pub struct Registration {
    number: u32,
    execution: u64,
}

/// Ends a registration.
#[inline]
pub fn unregister(registration: Registration) {
    if !checking() {
        return;
    }
    with(|context| {
        if registration.execution == context.execution {
            context.registrations[registration.number as usize] = None;
        }
    });
}

/// Keeps a value until the current execution has ended, and drops it then (for the contents of statics).
pub fn keep(value: Box<dyn std::any::Any>) {
    as_engine(|context| context.kept.push(value));
}

/// Runs `destructor` on the current thread just before it ends, last registered first (for thread locals).
pub fn at_thread_exit(destructor: Box<dyn FnOnce()>) {
    as_engine(|context| {
        let index = context.current.0 as usize;
        context.slots[index].at_exit.push(destructor);
    });
}

/// What a library object reports as the program's mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramError {
    /// A lock was released by a thread that does not hold it, and the like.
    Misuse,
    /// Memory was freed twice, or never allocated.
    Memory,
    /// A helping annotation does not hold.
    Annotation,
}

/// Ends the execution with a violation.
#[track_caller]
pub fn fail(mistake: ProgramError, message: String) -> ! {
    let site = Location::caller();
    let kind = match mistake {
        ProgramError::Misuse => ViolationKind::Misuse,
        ProgramError::Memory => ViolationKind::Memory,
        ProgramError::Annotation => ViolationKind::Annotation,
    };
    with(|context| context.violate_at(kind, message, Some(site)));
    leave()
}
