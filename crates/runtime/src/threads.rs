//! The coroutines of an execution, on pooled stacks.

use crate::body::Body;
use crate::context::{Context, back_to_program, with};
use crate::failure::SourcePosition;
use crate::memory;
use crate::native::{Host, ThreadStack};
use crate::ops::ThreadId;
use crate::{hook, ops};
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};
use quotient_dpor::graph::Thread;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;

/// A coroutine, which runs one thread after the other. It has memory of its own, because the thread that it runs may
/// need more slots.
pub(crate) struct Strand(Box<Fiber>);

struct Fiber {
    /// There is none when the thread that it ran was given up.
    coroutine: Option<Coroutine<(), (), (), ThreadStack>>,
    /// The highest address of its stack.
    base: usize,
    /// The lowest, in a page that cannot be accessed.
    limit: usize,
}

impl Fiber {
    fn on(stack: ThreadStack) -> Self {
        let (base, limit) = (stack.base().get(), stack.limit().get());
        Fiber { coroutine: Some(Coroutine::with_stack(stack, |yielder, ()| run_threads(yielder))), base, limit }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if let Some(coroutine) = &mut self.coroutine {
            // SAFETY: no thread is running, so nothing is on the stack that has to be dropped.
            unsafe { coroutine.force_reset() };
        }
    }
}

/// What the runtime knows of a modelled thread.
pub(crate) struct Slot {
    /// What the thread does, until it has started.
    pub body: Option<Body>,
    /// What runs it, from its start to its end.
    strand: Option<Strand>,
    /// What has run it before, on a stack that is for it alone.
    pub lent: Option<Strand>,
    yielder: *const Yielder<(), ()>,
    /// The highest address of its stack.
    pub base: usize,
    /// The lowest, in a page that cannot be accessed.
    pub limit: usize,
    /// The lowest address in use when it was suspended.
    pub top: usize,
    pub name: Option<String>,
    /// What it waits for, as the end of a sentence.
    pub why: &'static str,
    /// What to do when it ends.
    pub at_exit: Vec<Box<dyn FnOnce()>>,
    /// Whether it has ended, but not given back its strand.
    ended: bool,
    /// Whether its stack is being unwound.
    pub unwinding: bool,
    /// What its last panic has said, and where, if panics unwind.
    pub panic: Option<(String, Option<SourcePosition>)>,
    /// Where it was last woken without a reason.
    pub woken_at: Option<&'static Location<'static>>,
    /// How far it is in a primary operation that others may leave to it.
    pub primary: PrimaryPhase,
    /// How often it has been woken without a reason.
    pub woken: u32,
    /// Of each kind of like threads that it has joined last one, while it may not have joined them all.
    pub joined: Vec<ThreadId>,
    /// What it has left for who joins it: the words of its result.
    pub result: Vec<u64>,
}

/// Where a thread is in relation to the primary operation of an idempotent pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrimaryPhase {
    /// Not in one.
    Outside,
    /// It has only read so far.
    Reading,
    /// It has done its exchange.
    Exchanged,
}

impl Slot {
    pub(crate) fn empty() -> Self {
        Slot {
            body: None,
            strand: None,
            lent: None,
            yielder: ptr::null(),
            base: 0,
            limit: 0,
            top: 0,
            name: None,
            why: "",
            at_exit: Vec::new(),
            ended: false,
            unwinding: false,
            panic: None,
            woken_at: None,
            primary: PrimaryPhase::Outside,
            joined: Vec::new(),
            result: Vec::new(),
            woken: 0,
        }
    }

    /// Makes the slot ready for a thread.
    pub(crate) fn prepare(&mut self, body: impl Into<Body>, name: Option<String>) {
        self.begin(body.into());
        self.name = name;
    }

    /// Makes the slot ready for a thread without a name.
    #[inline(always)]
    pub(crate) fn begin(&mut self, body: Body) {
        self.body = Some(body);
        self.name = None;
        self.why = "";
        self.unwinding = false;
        self.panic = None;
        self.woken_at = None;
        self.primary = PrimaryPhase::Outside;
        self.joined.clear();
        self.result.clear();
        self.woken = 0;
    }

    /// Whether there is something of the thread that has to be taken apart.
    fn is_left(&self) -> bool {
        self.is_running() || self.body.is_some() || !self.at_exit.is_empty()
    }

    /// Whether the thread has started and not ended.
    pub(crate) fn is_running(&self) -> bool {
        self.strand.is_some()
    }
}

/// The payload that unwinds the stack of a thread whose execution is abandoned.
pub(crate) struct Abandoned;

/// Lets a thread run until it suspends itself or ends.
pub(crate) fn resume(context: *mut Context, thread: ThreadId) {
    let index = thread.0 as usize;
    let fiber = {
        // SAFETY: the context outlives the exploration, and nothing else refers to it while no coroutine is running.
        let context = unsafe { &mut *context };
        let fiber: *mut Fiber = match &mut context.slots[index].strand {
            Some(Strand(fiber)) => &raw mut **fiber,
            None => match start(context, thread) {
                Some(Strand(fiber)) => &raw mut **fiber,
                None => return,
            },
        };
        context.current = thread;
        context.in_program = true;
        fiber
    };
    // SAFETY: the fiber stays where it is while its thread runs, and nothing else refers to it.
    let Some(coroutine) = (unsafe { &mut (*fiber).coroutine }) else { return };
    coroutine.resume(());
    memory::leave_program();
    // SAFETY: as above; the coroutine is suspended or has ended.
    let context = unsafe { &mut *context };
    context.in_program = false;
    context.pulse.rest();
    let slot = &mut context.slots[index];
    if slot.ended
        && let Some(strand) = slot.strand.take()
    {
        // A thread is always run on the same stack, so that its addresses are the same in all executions.
        slot.lent = Some(strand);
    }
}

/// Gives a thread a strand, unless it has nothing to do.
fn start(context: &mut Context, thread: ThreadId) -> Option<&mut Strand> {
    let slot = &mut context.slots[thread.0 as usize];
    slot.body.as_ref()?;
    let used = slot.lent.take().or_else(|| context.strands.pop());
    let strand = match used {
        Some(strand) if strand.0.coroutine.is_some() => strand,
        strand => make_strand(strand, context.host.as_deref(), thread, context.stack_size),
    };
    (slot.base, slot.limit) = (strand.0.base, strand.0.limit);
    slot.ended = false;
    Some(slot.strand.insert(strand))
}

/// A strand with a new coroutine, on a stack of its own or on one that the host lends. It may use memory of an old one.
#[inline(never)]
fn make_strand(old: Option<Strand>, host: Option<&dyn Host>, thread: ThreadId, stack_size: usize) -> Strand {
    let stack = match host {
        Some(host) => ThreadStack::lent(host.stack(thread.0)),
        None => {
            let stack = DefaultStack::new(stack_size);
            ThreadStack::Own(stack.expect("memory for the stack of a modelled thread"))
        }
    };
    let fiber = Fiber::on(stack);
    match old {
        Some(mut strand) => {
            *strand.0 = fiber;
            strand
        }
        None => Strand(Box::new(fiber)),
    }
}

/// Gives up the coroutines of a native program as they are: nothing on their stacks has to be taken apart.
pub(crate) fn give_up_all(context: &mut Context) {
    for slot in &mut context.slots {
        slot.body = None;
        slot.at_exit.clear();
        if let Some(mut strand) = slot.strand.take() {
            if let Some(mut coroutine) = strand.0.coroutine.take() {
                // SAFETY: what is on the stack belongs to the native program, or to functions of its host that own
                // nothing.
                unsafe { coroutine.force_reset() };
            }
            slot.lent = Some(strand);
        }
    }
}

/// Forgets the coroutines, which cannot be unwound. Their stacks are lost.
pub(crate) fn lose_all(context: &mut Context) {
    for slot in &mut context.slots {
        std::mem::forget((slot.strand.take(), slot.body.take(), std::mem::take(&mut slot.at_exit)));
    }
}

/// What a coroutine does: it runs the current thread to its end, and waits for the next one.
fn run_threads(yielder: &Yielder<(), ()>) {
    loop {
        run_thread(yielder);
        yielder.suspend(());
    }
}

/// Runs the current thread. When it has returned, nothing is left on the stack that would have to be dropped.
#[inline(never)]
fn run_thread(yielder: &Yielder<(), ()>) {
    let (body, execution, thread) = with(|context| {
        let thread = context.current.0;
        let slot = &mut context.slots[thread as usize];
        slot.yielder = yielder;
        context.pulse.run();
        (slot.body.take(), context.execution, thread)
    });
    memory::set_point(execution, thread);
    let result = catch_unwind(AssertUnwindSafe(|| {
        if let Some(body) = body {
            body.run();
        }
        run_exit_handlers();
        ops::end();
    }));
    if let Err(payload) = result {
        if !payload.is::<Abandoned>() && with(|context| context.unwinds) {
            with(|context| hook::record_payload(context, &*payload));
        }
        // What was registered for the end of the thread is dropped unrun, or run, on the abandoned execution.
        let _ = catch_unwind(AssertUnwindSafe(run_exit_handlers));
        if !payload.is::<Abandoned>() {
            with(|context| hook::record_payload(context, &*payload));
        }
    }
    with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].ended = true;
    });
}

#[inline]
fn run_exit_handlers() {
    while let Some(handler) = with(Context::next_exit_handler) {
        handler();
    }
}

/// Gives control back to the scheduler until it is this thread's turn again.
#[inline(never)]
pub(crate) fn suspend() {
    let yielder = with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].yielder
    });
    // SAFETY: the yielder lives on the stack of the coroutine that is running now.
    unsafe { (*yielder).suspend(()) };
    with(|context| context.pulse.run());
}

/// Leaves an abandoned execution by unwinding the stack.
pub(crate) fn leave() -> ! {
    if with(|context| context.host.is_some()) {
        // The stack of a native program is given up as it is.
        crate::native::give_up();
    }
    if with(|context| context.in_program && !context.taking_apart && context.explorer.violation().is_none()) {
        // Its children go first: they may use what is on this stack.
        suspend();
        back_to_program();
    }
    with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].unwinding = true;
    });
    resume_unwind(Box::new(Abandoned))
}

/// Unwinds every coroutine of an execution that has ended otherwise, children before their parents, whose data they may
/// use.
pub(crate) fn unwind_all(context: *mut Context) {
    // SAFETY: nothing else refers to the context while no coroutine runs.
    while let Some(thread) = unsafe { &*context }.next_to_unwind() {
        let index = thread.0 as usize;
        // SAFETY: as above.
        let (body, handlers) = unsafe {
            let slot = &mut (&mut *context).slots[index];
            (slot.body.take(), std::mem::take(&mut slot.at_exit))
        };
        drop_quietly(body);
        resume(context, thread);
        drop_quietly(handlers);
        // SAFETY: as above.
        if unsafe { (*context).poisoned } {
            return;
        }
    }
}

/// Drops what belongs to the program. A destructor may panic; nobody is interested any more.
pub(crate) fn drop_quietly<T>(value: T) {
    DROPPING.set(true);
    with(|context| context.pulse.run());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
    with(|context| context.pulse.rest());
    DROPPING.set(false);
}

thread_local! {
    static DROPPING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the scheduler drops what belongs to the program.
pub(crate) fn dropping() -> bool {
    DROPPING.get()
}

impl Context {
    #[inline]
    fn next_exit_handler(&mut self) -> Option<Box<dyn FnOnce()>> {
        let index = self.current.0 as usize;
        self.slots[index].at_exit.pop()
    }

    /// A thread that has not been taken apart and has no children left.
    fn next_to_unwind(&self) -> Option<ThreadId> {
        if !self.slots.iter().any(Slot::is_left) {
            return None;
        }
        let alive = |index: usize| self.slots.get(index).is_some_and(Slot::is_left);
        let threads = self.explorer.graph().threads();
        let has_children = |parent: usize| {
            let child = |(index, thread): (usize, &Thread)| {
                thread.exists
                    && thread.spawned_by.is_real()
                    && thread.spawned_by.thread() as usize == parent
                    && alive(index)
            };
            threads.iter().enumerate().any(child)
        };
        (0..self.slots.len()).find(|&index| alive(index) && !has_children(index)).map(|index| ThreadId(index as u32))
    }
}
