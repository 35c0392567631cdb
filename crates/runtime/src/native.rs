//! What it takes to run code that was not written for the checker: C and C++ programs.
//!
//! Such a program has memory of its own, which its host keeps and resets; its stacks cannot be unwound, so they are given
//! up as they are; and its places in the code have no [`Location`], so the host makes some up ([`new_site`]) and says
//! later where they are (`place_of` of the host).

use crate::call::Reply;
use crate::context::{Context, checking, with};
pub use crate::environment::Environment;
pub use crate::host::{COUNTS, Callee, Changes, Execution, Host, LikeThreads, Mark, Names};
use crate::ops::{Likeness, ThreadId};
use crate::threads::{self, PrimaryPhase, Slot};
use corosensei::stack::{Stack, StackPointer};
pub use quotient_dpor::graph::{EventId, LocationId, OpCode, OpWords, Order, Rmw, Update, When};
pub use quotient_dpor::{Explorer, Operation};
use quotient_dpor::{ViolationKind, graph};
use std::panic::Location;

/// A place in the code of a native program. Only its identity means something.
pub type Site = &'static Location<'static>;

/// Makes up a place in the code.
#[track_caller]
pub fn new_site() -> Site {
    Box::leak(Box::new(*Location::caller()))
}

/// The stack of a thread: its own, or lent by a host.
pub(crate) enum ThreadStack {
    Own(corosensei::stack::DefaultStack),
    Lent { lowest: StackPointer, highest: StackPointer },
}

// SAFETY: a lent stack has memory below it that cannot be accessed, as the host promises; its ends are at page boundaries.
unsafe impl Stack for ThreadStack {
    fn base(&self) -> StackPointer {
        match self {
            ThreadStack::Own(stack) => stack.base(),
            ThreadStack::Lent { highest, .. } => *highest,
        }
    }

    fn limit(&self) -> StackPointer {
        match self {
            ThreadStack::Own(stack) => stack.limit(),
            ThreadStack::Lent { lowest, .. } => *lowest,
        }
    }
}

impl ThreadStack {
    pub(crate) fn lent((lowest, highest): (usize, usize)) -> Self {
        let pointer = |address| StackPointer::new(address).expect("the address of a stack");
        ThreadStack::Lent { lowest: pointer(lowest), highest: pointer(highest) }
    }
}

/// Lets others run.
fn suspend() {
    let own = Environment::now();
    threads::suspend();
    own.enter();
}

/// Performs a visible operation of the current thread, which `make` puts together when it is the thread's turn. `top` is
/// the lowest address of the stack that belongs to the program. Returns the value and whether an exchange has happened.
/// Does not return when the execution is given up.
pub fn perform(site: Site, top: usize, mut make: impl FnMut(&mut Explorer, u32) -> Operation) -> (u64, bool) {
    loop {
        let mut value = 0;
        let result = with(|context| {
            let index = context.current.0 as usize;
            context.slots[index].top = top;
            context.pulse.rest();
            let result = context.answer_native(site, &mut make, &mut value);
            context.pulse.run();
            result
        });
        match result {
            Reply::Happened | Reply::Failed => {
                with(|context| {
                    if context.loops.noise {
                        context.make_noise();
                    }
                });
                return (value, result == Reply::Happened);
            }
            Reply::Wait => suspend(),
            Reply::Leave | Reply::Lost | Reply::Outside => give_up(),
        }
    }
}

/// An operation that was in the graph.
#[derive(Clone, Copy, Debug)]
pub struct Replayed {
    /// What it has given.
    pub value: u64,
    /// Whether an exchange has happened.
    pub happened: bool,
    /// How many events the thread has had now.
    pub position: u32,
}

/// Performs a visible operation of the current thread if it is the next one in the graph, and nothing else has to be looked
/// at. Otherwise nothing has happened.
#[inline(never)]
pub fn replay(location: LocationId, asked: &OpWords, site: Site) -> Option<Replayed> {
    with(|context| {
        let (value, happened) = context.replay_at(location, asked, site)?;
        Some(Replayed { value, happened, position: context.explorer.position(context.current.0) })
    })
}

/// Performs an operation that is not about memory.
#[inline(always)]
pub fn perform_bare(site: Site, top: usize, operation: Operation) -> u64 {
    match replay(0, &operation.asked(), site) {
        Some(replayed) => replayed.value,
        None => perform_bare_anew(site, top, operation),
    }
}

#[inline(never)]
fn perform_bare_anew(site: Site, top: usize, operation: Operation) -> u64 {
    perform(site, top, |_, _| operation).0
}

/// Looks at the clock, which says at least `least`; `late` if that is past everything that anybody waits for. Returns the time
/// that it is at least, and whether a long time has passed since.
pub fn look_at_clock(site: Site, top: usize, least: u64, late: bool) -> (u64, bool) {
    let passed = perform(site, top, |_, _| Operation::Clock { least, late }).0 == 1;
    with(|context| if context.is_supposing() { (context.loops.told_time, passed) } else { (least, passed) })
}

/// How many events of each thread the current one, which has had `position` events, depends on.
pub fn known_events(position: u32) -> Vec<u32> {
    with(|context| {
        let last = EventId::new(context.current.0, position.saturating_sub(1));
        context.explorer.graph().clock(last, graph::Clock::Prefix).to_vec()
    })
}

/// Waits for a thread to end.
pub fn join(site: Site, top: usize, thread: ThreadId) {
    if replay(0, &Operation::Join(thread.0).asked(), site).is_none() {
        say_why("for another thread to end");
        perform_bare_anew(site, top, Operation::Join(thread.0));
    }
}

/// The current thread goes no further in this execution.
pub fn give_up() -> ! {
    loop {
        suspend();
    }
}

/// Says what the next blocking operation waits for, as the end of a sentence. Nobody asks before a check has begun.
pub fn say_why(why: &'static str) {
    if !checking() {
        return;
    }
    with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].why = why;
    });
}

impl Context {
    fn answer_native(
        &mut self,
        site: Site,
        make: &mut impl FnMut(&mut Explorer, u32) -> Operation,
        value: &mut u64,
    ) -> Reply {
        if self.abandoning {
            return Reply::Leave;
        }
        let thread = self.current.0;
        match self.explorer.next_event(thread).map(|event| event.kind) {
            Some(graph::Kind::Block) => {
                if self.leaves_its_loop(site) {
                    return Reply::Leave;
                }
                self.explorer.step(thread, &Operation::Block(0), site);
                return Reply::Wait;
            }
            None if self.explorer.must_wait(thread) => return Reply::Wait,
            _ => {}
        }
        self.beat(site);
        let operation = make(&mut self.explorer, thread);
        let answer = self.take_step(&operation, site);
        *value = answer.value;
        answer.result
    }
}

/// The location of memory that has not been accessed in this execution, for `make` of [`perform`].
pub fn locate(explorer: &mut Explorer, thread: u32, init: u64) -> LocationId {
    match explorer.location_of_next(thread) {
        Some(location) => {
            explorer.set_init(thread, location, init);
            location
        }
        None => explorer.new_location(init),
    }
}

/// The same, only if the next event of the current thread says which it is; `origin` is the thread that has made the memory,
/// and which of its blocks it is.
pub fn locate_next(init: u64, origin: Option<(u32, u32)>) -> Option<LocationId> {
    with(|context| {
        let thread = context.current.0;
        let location = context.explorer.location_of_next(thread).filter(|_| !context.abandoning)?;
        context.explorer.set_init(thread, location, init);
        context.explorer.set_origin(location, origin);
        Some(location)
    })
}

/// The location that the next event of a thread accesses, if it stands for some memory already in this run.
pub fn location_known(explorer: &Explorer, thread: u32) -> Option<LocationId> {
    let next = explorer.location_of_next(thread).or_else(|| explorer.location_as_told(thread));
    next.filter(|&location| explorer.is_bound(location))
}

/// Discards the execution: the current thread can go no further.
pub fn block(site: Site, top: usize) -> ! {
    loop {
        perform(site, top, |_, _| Operation::Block(0));
        suspend();
    }
}

/// The current thread says that it waits in a loop.
pub fn spin(site: Site, top: usize) {
    loop {
        let result = with(|context| {
            let index = context.current.0 as usize;
            context.slots[index].top = top;
            context.spins(site)
        });
        match result {
            Reply::Happened | Reply::Failed => return,
            Reply::Wait => suspend(),
            Reply::Leave | Reply::Lost | Reply::Outside => give_up(),
        }
    }
}

/// Calls `f` with the explorer and the current thread.
pub fn look<R>(f: impl FnOnce(&Explorer, u32) -> R) -> R {
    with(|context| f(&context.explorer, context.current.0))
}

/// Starts a thread.
pub fn spawn(site: Site, top: usize, body: Box<dyn FnOnce()>, name: Option<String>, likeness: Likeness) -> ThreadId {
    let class = match likeness {
        Likeness::Class(class) if !with(|context| context.distinguished.contains(&class)) => class.max(1),
        _ => 0,
    };
    let child = perform_bare(site, top, Operation::Spawn { class });
    with(|context| {
        let index = child as usize;
        if context.slots.len() <= index {
            context.slots.resize_with(index + 1, Slot::empty);
        }
        context.slots[index].prepare(body, name);
    });
    ThreadId(child as u32)
}

/// The class of a thread, if there are others that are like it.
pub fn class_among_others(thread: u32) -> Option<u64> {
    with(|context| {
        let threads = context.explorer.graph().threads();
        let one = threads.get(thread as usize).filter(|one| one.chain != EventId::NONE)?;
        let alike = threads.iter().filter(|other| other.exists && other.chain == one.chain).count();
        (alike > 1).then_some(one.class)
    })
}

/// Whether the program is known to tell threads of this class apart.
pub fn is_distinguished(class: u64) -> bool {
    with(|context| context.distinguished.contains(&class))
}

/// Whether this thread belongs to a class of threads that count as alike.
pub fn is_in_class(thread: u32) -> bool {
    with(|context| context.can_distinguish(ThreadId(thread)))
}

/// The class of a thread; 0 if it has none.
pub fn class_of(thread: u32) -> u64 {
    look(|explorer, _| explorer.graph().threads().get(thread as usize).map_or(0, |thread| thread.class))
}

/// The program can tell this thread from those like it: the check begins again without that likeness.
pub fn distinguish(thread: ThreadId) {
    if with(|context| context.distinguish(thread)) {
        give_up();
    }
}

/// Whether there are threads that count as alike.
#[inline]
pub fn has_like_threads() -> bool {
    look(|explorer, _| explorer.has_classes())
}

/// A plain access, before the event `old` of its thread, is before what the current thread does after so many events. The
/// class of threads that the program tells apart by that, if they do not count as told apart yet.
pub fn class_told_apart_by_place(old: EventId, events: u32) -> Option<u64> {
    let class = look(|explorer, thread| explorer.orders_by_place(old, thread, events))?;
    with(|context| context.can_distinguish_class(class)).then_some(class)
}

/// The program can tell the threads of a class apart: the check begins again without their likeness.
pub fn distinguish_class(class: u64) {
    if with(|context| context.distinguish_class(class)) {
        give_up();
    }
}

/// Begins the primary operation of an idempotent pair.
pub fn primary_operation(site: Site, top: usize, operation: u64) {
    perform(site, top, |_, _| Operation::Primary(operation));
    set_primary(PrimaryPhase::Reading);
}

/// Ends the primary operation; false if it had no exchange.
pub fn end_primary_operation() -> bool {
    set_primary(PrimaryPhase::Outside) != PrimaryPhase::Reading
}

fn set_primary(phase: PrimaryPhase) -> PrimaryPhase {
    with(|context| {
        let index = context.current.0 as usize;
        std::mem::replace(&mut context.slots[index].primary, phase)
    })
}

/// Whether the current thread is told what did not happen, to see what it would do: nothing that it does is to last.
pub fn is_supposing() -> bool {
    with(|context| context.is_supposing())
}

/// Ends the execution with a violation, unless the thread is told what did not happen.
pub fn violate(kind: ViolationKind, message: String, site: Option<Site>) -> ! {
    with(|context| {
        if context.is_supposing() {
            context.give_up();
        } else if !context.abandoning {
            context.violate_at(kind, message, site);
        }
    });
    give_up()
}

/// The code of the function that an address is in, and not only of a part of it, as exceptions know it.
pub fn function_around(pc: usize) -> Option<std::ops::Range<usize>> {
    crate::loops::function_around(pc)
}

/// The bytes that belong to the same local variable as one, in code that is not optimised; or those between two variables. Offsets
/// are from the frame pointer. `None` if it is not known where variables are.
pub fn place_in_frame(function: usize, offset: i64) -> Option<std::ops::Range<i64>> {
    crate::loops::place_in_frame(function, offset)
}

/// The number of the execution that runs, which no other has.
pub fn execution_number() -> u64 {
    with(|context| context.execution)
}
