//! The exploration that the current OS thread works on, and how a modelled thread asks it.

mod leftover;

use crate::Failure;
use crate::call::{Answer, Call, OpCode, OpHeader, OpWords, Reply, ask};
use crate::loops::Loops;
use crate::native::Host;
use crate::ops::{MemoryCell, ThreadId};
use crate::panics::Unclaimed;
use crate::readers::Readers;
use crate::threads::{PrimaryPhase, Slot, Strand, leave, suspend};
use crate::watch::Pulse;
use crate::{failure, memory, workers};
use quotient_dpor::graph::{Event, EventId, Kind, LocationId, Update, When};
use quotient_dpor::{Explorer, Operation, Step, ViolationKind};
use std::any::Any;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::panic::Location;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Everything about the exploration that the current OS thread works on.
pub(crate) struct Context {
    pub explorer: Explorer,
    pub slots: Vec<Slot>,
    /// Coroutines that run no thread.
    pub strands: Vec<Strand>,
    pub stack_size: usize,
    pub current: ThreadId,
    /// Differs between any two executions of the process.
    pub execution: u64,
    /// The execution is over, and stacks are being unwound: operations work on `leftover` memory.
    pub abandoning: bool,
    /// Threads are being taken apart, children before their parents.
    pub taking_apart: bool,
    /// A coroutine could not be unwound: this OS thread must not go on.
    pub poisoned: bool,
    /// Run the same graph again: something was tried that did not work out.
    pub retry: bool,
    /// Begin the exploration again: an assumption of the reduction does not hold.
    pub restart: bool,
    /// Memory as abandoned threads see it: sequential, starting from the newest values.
    leftover: HashMap<LocationId, u64>,
    /// How many places were first used after the end.
    leftover_places: u32,
    leftover_steps: u32,
    pub panic_place: Option<failure::SourcePosition>,
    /// The thread that did something wrong.
    pub culprit: Option<u32>,
    pub registrations: Vec<Option<(&'static str, &'static Location<'static>)>>,
    pub kept: Vec<Box<dyn Any>>,
    pub loops: Loops,
    /// Classes of threads that the program can tell apart.
    pub distinguished: HashSet<u64>,
    /// How often a thread may be woken without a reason.
    pub spurious_wakeups: u32,
    /// Whether a panic unwinds its thread and ends only that.
    pub unwinds: bool,
    /// Threads that have panicked in this execution, and that nobody has joined.
    pub panics: Vec<Unclaimed>,
    /// Whether blocks that are allocated later have lower addresses; and whether this run is one with the other order.
    pub descending: bool,
    pub flipped: bool,
    /// What is known of a dependence on that order.
    pub orders_addresses: Option<String>,
    /// The read locks and write locks of this execution.
    pub readers: Readers,
    /// Where a thread has waited for a condition variable, if one has.
    pub waits_at: Option<&'static Location<'static>>,
    /// Whether the counts of shared references are visible operations.
    pub observe_references: bool,
    /// Whether threads take turns as they did before when an execution is repeated.
    pub keep_order: bool,
    /// The program seems not to be deterministic; the execution is being run again.
    pub suspect: Option<Failure>,
    /// Where the places of this execution are: a static may be in use by other checks as well, which then have left
    /// their own number in it.
    bindings: Vec<(usize, LocationId)>,
    /// Whether a modelled thread runs, not the scheduler.
    pub in_program: bool,
    /// Whether the program has run before on this OS thread.
    pub warm: bool,
    /// The first execution, to be repeated in the end.
    pub first: Option<Box<Explorer>>,
    /// Visible operations so far.
    pub steps: u32,
    /// For whoever watches over the exploration.
    pub pulse: Arc<Pulse>,
    /// The thread that was let run last, how far it was, and how often it has asked since without getting further.
    stands: (ThreadId, u32, u32),
    /// Who keeps the memory of a native program.
    pub host: Option<Arc<dyn Host>>,
}

thread_local! {
    static CURRENT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
}

pub(crate) fn set_context(context: *mut Context) {
    CURRENT.set(context);
}

/// What the current OS thread works on, or null.
pub(crate) fn current() -> *mut Context {
    CURRENT.get()
}

/// Whether the current OS thread is inside a check.
#[inline]
pub(crate) fn checking() -> bool {
    !CURRENT.get().is_null()
}

/// Calls `f` with the current context. `f` must not run any of the program's code.
#[inline(always)]
#[track_caller]
pub(crate) fn with<R>(f: impl FnOnce(&mut Context) -> R) -> R {
    let context = CURRENT.get();
    if context.is_null() {
        outside();
    }
    // SAFETY: the pointer is set for as long as the context lives, on this OS thread only. Calls do not nest, because
    // `f` runs nothing that could call back.
    f(unsafe { &mut *context })
}

#[cold]
#[track_caller]
fn outside() -> ! {
    panic!("{OUTSIDE}")
}

/// How many events a thread of the program that runs has had.
#[inline]
pub(crate) fn events_of(thread: u32) -> u32 {
    with(|context| context.explorer.position(thread))
}

/// The next number of an execution; workers take blocks.
pub(crate) fn next_executions() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(BLOCK, Ordering::Relaxed)
}

/// How many executions a worker numbers on its own.
pub(crate) const BLOCK: u64 = 1 << 16;
const LOCATION_BITS: u32 = 24;
/// How often a thread that is replayed may ask without getting any further.
const MOST_WITHOUT_PROGRESS: u32 = 50_000_000;

impl Context {
    pub(crate) fn new(explorer: Explorer, stack_size: usize) -> Self {
        Context {
            explorer,
            slots: Vec::new(),
            strands: workers::kept_strands(stack_size),
            stack_size,
            current: ThreadId(0),
            execution: next_executions(),
            abandoning: false,
            taking_apart: false,
            poisoned: false,
            retry: false,
            restart: false,
            leftover: HashMap::new(),
            leftover_places: 0,
            leftover_steps: 0,
            panic_place: None,
            culprit: None,
            registrations: Vec::new(),
            kept: Vec::new(),
            loops: Loops::default(),
            distinguished: HashSet::new(),
            spurious_wakeups: 0,
            unwinds: false,
            panics: Vec::new(),
            descending: false,
            flipped: false,
            orders_addresses: None,
            readers: Readers::default(),
            waits_at: None,
            observe_references: false,
            keep_order: false,
            suspect: None,
            bindings: Vec::new(),
            in_program: false,
            warm: false,
            first: None,
            steps: 0,
            pulse: Arc::default(),
            stands: (ThreadId(0), 0, 0),
            host: None,
        }
    }

    /// Forgets the execution that has ended.
    pub(crate) fn reset(&mut self) {
        self.execution += 1;
        if self.execution.is_multiple_of(BLOCK) {
            self.execution = next_executions();
        }
        self.abandoning = false;
        self.taking_apart = false;
        let repeats = std::mem::take(&mut self.retry);
        self.restart = false;
        self.leftover.clear();
        self.leftover_places = 0;
        self.leftover_steps = 0;
        self.registrations.clear();
        self.panics.clear();
        self.readers.reset();
        self.loops.reset(repeats);
        self.steps = 0;
        self.stands = (ThreadId(0), 0, 0);
        self.bindings.clear();
    }

    /// A thread that is replayed comes to its next event sooner or later. Notes that it is let run, or asks to wait in a loop;
    /// ends the execution when it has done so too often.
    pub(crate) fn see_progress(&mut self, thread: ThreadId) {
        let position = self.explorer.position(thread.0);
        if (self.stands.0, self.stands.1) != (thread, position) || position == self.explorer.graph().len_of(thread.0) {
            self.stands = (thread, position, 0);
            return;
        }
        self.stands.2 += 1;
        if self.stands.2 > MOST_WITHOUT_PROGRESS && !self.abandoning && !self.is_supposing() {
            self.explorer.report_other_way(thread.0, "waits in a loop", None);
            self.abandoning = true;
        }
    }

    /// The location of a place in this execution.
    pub(crate) fn locate(&mut self, place: &MemoryCell, init: u64) -> LocationId {
        let slot = place.slot.load(Ordering::Relaxed);
        if slot >> LOCATION_BITS == self.execution {
            return (slot & ((1 << LOCATION_BITS) - 1)) as LocationId;
        }
        let address = ptr::from_ref(place) as usize;
        let init = self.name(init);
        let known = || self.bindings.iter().rev().find(|(bound, _)| *bound == address).map(|&(_, location)| location);
        let known = if slot == 0 { None } else { known() };
        let location = known.unwrap_or_else(|| match self.explorer.location_of_next(self.current.0) {
            Some(location) => {
                self.explorer.set_init(self.current.0, location, init);
                location
            }
            None => self.explorer.new_location(init),
        });
        self.explorer.set_origin(location, memory::block_of(address).map(|block| (block.thread, block.position)));
        place.slot.store(self.execution << LOCATION_BITS | location as u64, Ordering::Relaxed);
        if known.is_none() {
            self.bindings.push((address, location));
        }
        location
    }

    /// A primary operation may read, and then exchange once; anything else ends the execution.
    #[inline]
    fn strays_from_primary(&mut self, operation: &Operation, site: &'static Location<'static>) -> bool {
        self.slots[self.current.0 as usize].primary != PrimaryPhase::Outside && self.ends_primary(operation, site)
    }

    fn ends_primary(&mut self, operation: &Operation, site: &'static Location<'static>) -> bool {
        let phase = &mut self.slots[self.current.0 as usize].primary;
        match (*phase, *operation) {
            (PrimaryPhase::Outside, _)
            | (PrimaryPhase::Reading, Operation::Read { update: Update::Load, when: When::Always, .. }) => false,
            (PrimaryPhase::Reading, Operation::Read { update: Update::Exchange { .. }, .. }) => {
                *phase = PrimaryPhase::Exchanged;
                false
            }
            _ => {
                let message =
                    "a primary operation does something else than reads and one compare-and-exchange".to_owned();
                self.violate_at(ViolationKind::Annotation, message, Some(site));
                true
            }
        }
    }

    /// The program can tell this thread from those like it. True if that is new: the check begins again without that
    /// likeness, and the thread must not go on.
    pub(crate) fn distinguish(&mut self, thread: ThreadId) -> bool {
        self.distinguish_class(self.class_of(thread))
    }

    /// The program can tell the threads of a class apart. True if that is new, as in [`distinguish`](Self::distinguish).
    pub(crate) fn distinguish_class(&mut self, class: u64) -> bool {
        let new = self.can_distinguish_class(class) && self.distinguished.insert(class);
        self.restart |= new;
        self.abandoning |= new;
        new
    }

    /// Whether it would be new that the program can tell this thread from others.
    pub(crate) fn can_distinguish(&self, thread: ThreadId) -> bool {
        self.can_distinguish_class(self.class_of(thread))
    }

    fn class_of(&self, thread: ThreadId) -> u64 {
        self.explorer.graph().threads().get(thread.0 as usize).map_or(0, |thread| thread.class)
    }

    pub(crate) fn can_distinguish_class(&self, class: u64) -> bool {
        !self.abandoning && class != 0 && self.explorer.settings().symmetry && !self.distinguished.contains(&class)
    }

    /// Like threads may be joined in any order, as long as nothing but joins of threads that are like others happens before
    /// all are joined: otherwise the program tells them apart, and the check has to begin again.
    #[inline]
    fn joins_only_some(&mut self, operation: &Operation) -> bool {
        self.explorer.has_classes() && self.tells_apart(operation)
    }

    fn tells_apart(&mut self, operation: &Operation) -> bool {
        let thread = self.current.0;
        let graph = self.explorer.graph();
        let chain = |member: u32| graph.threads().get(member as usize).map_or(EventId::NONE, |thread| thread.chain);
        let slot = &mut self.slots[thread as usize];
        if let Operation::Join(member) = *operation
            && chain(member) != EventId::NONE
        {
            if slot.joined.iter().all(|other| chain(other.0) != chain(member)) {
                slot.joined.push(ThreadId(member));
            }
            return false;
        }
        if slot.joined.is_empty() {
            return false;
        }
        let joined = std::mem::take(&mut slot.joined);
        let last = EventId::new(thread, graph.len_of(thread) - 1);
        let ends = thread == 0 && *operation == Operation::End;
        let only_some = joined.iter().filter(|joined| !self.explorer.has_ended_before(chain(joined.0), last));
        let classes: Vec<u64> = only_some.map(|joined| graph.threads()[joined.0 as usize].class).collect();
        if classes.is_empty() || ends || self.explorer.next_event(thread).is_some() {
            return false;
        }
        self.distinguished.extend(classes);
        self.restart = true;
        self.abandoning = true;
        true
    }
}

/// Asks for an operation about no place: a thread's start or end, or waiting for one. Returns the new thread. `why` is what
/// to say of a thread that has to wait, as the end of a sentence.
#[inline(always)]
pub(crate) fn visible_bare(code: OpCode, first: u64, why: &'static str, site: &'static Location<'static>) -> u64 {
    // SAFETY: as in `with`.
    let context = unsafe { CURRENT.get().as_mut() };
    let replayed = context.and_then(|context| context.replay(None, OpWords::plain(code, first), site));
    replayed.map_or_else(|| ask_bare(code, first, why, site), |answer| answer.value)
}

#[inline(never)]
fn ask_bare(code: OpCode, first: u64, why: &'static str, site: &'static Location<'static>) -> u64 {
    if checking() {
        with(|context| context.slots[context.current.0 as usize].why = why);
    }
    visible_anew(Call::bare(code, first), site).0
}

/// Asks for a visible operation of the current thread. Returns the value, and whether an exchange has happened.
#[inline(always)]
pub(crate) fn visible(call: Call, site: &'static Location<'static>) -> (u64, bool) {
    let OpWords { what, first, second } = call.asked;
    let Answer { value, result } = replay(what, call.place, first, second, site);
    // In the user's functions, where a comparison by a function would take the address of the answer.
    if matches!(result, Reply::Wait) { visible_anew(call, site) } else { (value, matches!(result, Reply::Happened)) }
}

/// Asks for an operation that the graph does not answer at once.
#[inline(always)]
fn visible_anew(call: Call, site: &'static Location<'static>) -> (u64, bool) {
    let Answer { value, result } = ask(call, site);
    if !matches!(result, Reply::Happened | Reply::Failed) {
        not_answered(result, site);
    }
    (value, matches!(result, Reply::Happened))
}

/// Answers an operation, if nothing but replaying it needs to be done; otherwise it has to wait.
#[inline(never)]
extern "C" fn replay(
    what: OpHeader,
    place: *const MemoryCell,
    first: u64,
    second: u64,
    site: &'static Location<'static>,
) -> Answer {
    // SAFETY: as in `with`.
    let context = unsafe { CURRENT.get().as_mut() };
    // SAFETY: the place is null or was made from a reference that the caller still holds.
    let place = unsafe { place.as_ref() };
    let answer = context.and_then(|context| context.replay(place, OpWords { what, first, second }, site));
    answer.unwrap_or(Answer { value: 0, result: Reply::Wait })
}

#[cold]
#[inline(never)]
fn not_answered(result: Reply, site: &'static Location<'static>) -> ! {
    assert!(result == Reply::Leave, "{OUTSIDE} (at {site})");
    leave()
}

const OUTSIDE: &str =
    "this operation belongs to a check: call it from inside `quotient::check` or a `#[quotient::test]`";

/// An operation on its way to the explorer.
struct Request<'a> {
    asked: OpWords,
    place: Option<&'a MemoryCell>,
    init: u64,
    site: &'static Location<'static>,
}

/// Asks until there is an answer; between, the thread is suspended. `saved` is the lowest address of the stack that
/// belongs to the program, the registers that it expects to find again included.
pub(crate) extern "C" fn answer(
    what: OpHeader,
    place: *const MemoryCell,
    init: u64,
    first: u64,
    second: u64,
    site: &'static Location<'static>,
    saved: usize,
) -> Answer {
    let context = CURRENT.get();
    if context.is_null() {
        return Answer { value: 0, result: Reply::Outside };
    }
    let asked = OpWords { what, first, second };
    // SAFETY: the place is null or was made from a reference that the caller still holds.
    let place = unsafe { place.as_ref() };
    consult(context, &Request { asked, place, init, site }, saved)
}

/// Asks for an operation that the graph does not answer.
#[inline(never)]
fn consult(shared: *mut Context, request: &Request, saved: usize) -> Answer {
    memory::leave_program();
    loop {
        // SAFETY: as in `with`; the context stays where it is while the thread is suspended.
        let context = unsafe { &mut *shared };
        context.pulse.rest();
        let index = context.current.0 as usize;
        context.slots[index].top = saved;
        let answer = match request.asked.what.code {
            OpCode::Spin => Answer { value: 0, result: context.spins(request.site) },
            _ => context.answer(request),
        };
        match answer.result {
            Reply::Wait => {
                suspend();
                // SAFETY: as above.
                if let Some(answer) = unsafe { &mut *shared }.replay(request.place, request.asked, request.site) {
                    back_to_program();
                    return answer;
                }
            }
            Reply::Lost => loop {
                suspend();
            },
            _ => {
                let is_performed = matches!(answer.result, Reply::Happened | Reply::Failed);
                if context.loops.noise && is_performed && context.in_program {
                    context.make_noise();
                }
                back_to_program();
                return answer;
            }
        }
    }
}

/// The program goes on: what it allocates from now on is its own.
pub(crate) fn back_to_program() {
    let (execution, thread) = with(|context| {
        let thread = context.current.0;
        let execution = if context.in_program { context.execution } else { 0 };
        context.pulse.run();
        (execution, thread)
    });
    memory::set_point(execution, thread);
}

impl Context {
    /// Answers an operation from the graph, if nothing but that needs to be done.
    #[inline(always)]
    fn replay(
        &mut self,
        place: Option<&MemoryCell>,
        mut asked: OpWords,
        site: &'static Location<'static>,
    ) -> Option<Answer> {
        let mut location = 0;
        if let Some(place) = place {
            let bound = place.slot.load(Ordering::Relaxed);
            if bound >> LOCATION_BITS != self.execution {
                return None;
            }
            asked = self.with_names(asked);
            location = (bound & ((1 << LOCATION_BITS) - 1)) as LocationId;
        }
        let (value, happened) = self.replay_at(location, &asked, site)?;
        Some(self.done(value, happened))
    }

    /// Like [`replay`](Self::replay), of an operation whose location and names are known.
    #[inline(always)]
    pub(crate) fn replay_at(
        &mut self,
        location: LocationId,
        asked: &OpWords,
        site: &'static Location<'static>,
    ) -> Option<(u64, bool)> {
        let thread = self.current.0;
        let slot = &self.slots[thread as usize];
        if self.abandoning || slot.primary != PrimaryPhase::Outside || !slot.joined.is_empty() {
            return None;
        }
        if !self.loops.is_idle(thread, self.explorer.position(thread)) {
            return None;
        }
        if asked.what.code == OpCode::Join && self.explorer.has_classes() {
            return None;
        }
        let answer = self.explorer.replay_asked(thread, location, asked, site)?;
        self.beat(site);
        Some(answer)
    }

    /// Shows that the exploration goes on.
    #[inline]
    pub(crate) fn beat(&mut self, site: &'static Location<'static>) {
        self.steps += 1;
        self.pulse.site.store(ptr::from_ref(site).cast_mut(), Ordering::Relaxed);
        self.pulse.beats.store(self.execution << 32 | self.steps as u64, Ordering::Relaxed);
    }

    /// The words that the checker keeps in the program's memory, and what is in them.
    pub(crate) fn bound_places(&self) -> Vec<(usize, u64)> {
        let bound = |&(address, location): &(usize, LocationId)| {
            (address, self.execution << LOCATION_BITS | u64::from(location))
        };
        self.bindings.iter().map(bound).collect()
    }

    /// Where a location is in memory; 0 if that is not known.
    pub(crate) fn address_bound_to(&self, location: LocationId) -> usize {
        self.bindings.iter().rev().find(|&&(_, bound)| bound == location).map_or(0, |&(address, _)| address)
    }

    #[inline(never)]
    fn answer(&mut self, request: &Request) -> Answer {
        let without_value = |result: Reply| Answer { value: 0, result };
        let thread = self.current.0;
        if self.abandoning {
            return self.answer_leftover(request);
        }
        if self.explorer.must_wait(thread) {
            return without_value(Reply::Wait);
        }
        let is_block = |event: &Event| event.kind == Kind::Block;
        if self.explorer.next_event(thread).is_some_and(is_block) && request.asked.what.code != OpCode::Block {
            if self.leaves_its_loop(request.site) {
                return without_value(Reply::Leave);
            }
            // The thread was found to wait in a loop that has no other mark.
            self.explorer.step(thread, &Operation::Block(0), request.site);
            return without_value(Reply::Wait);
        }
        self.beat(request.site);
        let mut location = 0;
        if let Some(place) = request.place {
            if memory::is_freed(ptr::from_ref(place) as usize) {
                let message = format!("thread {thread} accesses memory that has been freed");
                self.violate_at(ViolationKind::Memory, message, Some(request.site));
                return without_value(Reply::Leave);
            }
            location = self.locate(place, request.init);
        }
        let operation = Operation::of(&self.with_names(request.asked), location);
        let answer = self.take_step(&operation, request.site);
        if answer.result == Reply::Leave && self.is_unwinding() {
            // A destructor that is run by a panic cannot be left: a second panic would end the process.
            return self.answer_leftover(request);
        }
        answer
    }

    /// Performs an operation of the current thread, whose turn it is.
    #[inline]
    pub(crate) fn take_step(&mut self, operation: &Operation, site: &'static Location<'static>) -> Answer {
        let thread = self.current.0;
        if self.joins_only_some(operation) || self.strays_from_primary(operation, site) {
            return Answer { value: 0, result: Reply::Leave };
        }
        let step = match self.before_step(operation, site) {
            None => self.explorer.step(thread, operation, site),
            Some(Some((value, happened))) => Step::Done(value, happened),
            Some(None) if self.abandoning => Step::Abandon,
            Some(None) => Step::Wait,
        };
        match step {
            Step::Done(value, happened) => self.done(value, happened),
            Step::Wait => Answer { value: 0, result: Reply::Wait },
            Step::Abandon => {
                self.abandoning = true;
                Answer { value: 0, result: Reply::Leave }
            }
        }
    }

    /// The answer to an operation that has been performed.
    #[inline]
    fn done(&self, value: u64, happened: bool) -> Answer {
        let result = if happened { Reply::Happened } else { Reply::Failed };
        Answer { value: self.value_named(value), result }
    }
}
