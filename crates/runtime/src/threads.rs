//! The coroutines of an execution, on pooled stacks.

use crate::context::{Context, back_to_program, with};
use crate::memory;
use crate::native::ThreadStack;
use crate::ops::ThreadId;
use crate::{hook, ops};
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use quotient_dpor::graph::Thread;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

/// A thread's coroutine.
type Fiber = Coroutine<(), (), (), ThreadStack>;

/// What the runtime knows of a modelled thread.
pub(crate) struct Slot {
    /// What the thread does, until it has started.
    pub body: Option<Box<dyn FnOnce()>>,
    fiber: Option<Fiber>,
    yielder: *const Yielder<(), ()>,
    /// The highest address of its stack.
    pub base: usize,
    /// The lowest address in use when it was suspended.
    pub top: usize,
    pub name: Option<String>,
    /// What it waits for, as the end of a sentence.
    pub why: &'static str,
    /// What to do when it ends.
    pub at_exit: Vec<Box<dyn FnOnce()>>,
    /// Whether its stack is being unwound.
    pub unwinding: bool,
    /// How far it is in a main operation that others may leave to it.
    pub main: Main,
    /// How often it has been woken without a reason.
    pub woken: u32,
    /// One of several like threads that it has joined last, while it may not have joined them all.
    pub joined: Option<ThreadId>,
}

/// Where a thread is in relation to the main operation of an idempotent pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Main {
    /// Not in one.
    Outside,
    /// It has only read so far.
    Reading,
    /// It has done its exchange.
    Exchanged,
}

impl Slot {
    pub fn empty() -> Self {
        Slot {
            body: None,
            fiber: None,
            yielder: ptr::null(),
            base: 0,
            top: 0,
            name: None,
            why: "",
            at_exit: Vec::new(),
            unwinding: false,
            main: Main::Outside,
            joined: None,
            woken: 0,
        }
    }

    /// Makes the slot ready for a thread.
    pub fn prepare(&mut self, body: Box<dyn FnOnce()>, name: Option<String>) {
        self.body = Some(body);
        self.name = name;
        self.yielder = ptr::null();
        self.why = "";
        self.unwinding = false;
        self.main = Main::Outside;
        self.joined = None;
        self.woken = 0;
    }

    /// Whether the thread has started and not ended.
    pub fn is_running(&self) -> bool {
        self.fiber.is_some()
    }
}

/// The payload that unwinds the stack of a thread whose execution is abandoned.
pub(crate) struct Abandoned;

/// Lets a thread run until it suspends itself or ends.
pub(crate) fn resume(context: *mut Context, thread: ThreadId) {
    let index = thread.0 as usize;
    let taken = {
        // SAFETY: the context outlives the exploration, and nothing else refers to it while no coroutine is running.
        let context = unsafe { &mut *context };
        context.current = thread;
        context.in_program = true;
        let slot = &mut context.slots[index];
        slot.fiber.take().or_else(|| {
            let body = slot.body.take()?;
            let stack = match &context.host {
                Some(host) => ThreadStack::lent(host.stack(thread.0)),
                None => context.stacks.pop().unwrap_or_else(|| {
                    let stack = DefaultStack::new(context.stack_size);
                    ThreadStack::Own(stack.expect("memory for the stack of a modelled thread"))
                }),
            };
            slot.base = stack.base().get();
            Some(Coroutine::with_stack(stack, move |yielder, ()| thread_main(yielder, body)))
        })
    };
    let Some(mut fiber) = taken else { return };
    let ended = matches!(fiber.resume(()), CoroutineResult::Return(()));
    memory::leave_program();
    // SAFETY: as above; the coroutine is suspended or has ended.
    let context = unsafe { &mut *context };
    context.in_program = false;
    if ended && context.host.is_none() {
        context.stacks.push(fiber.into_stack());
    } else if ended {
        drop(fiber);
    } else {
        context.slots[index].fiber = Some(fiber);
    }
}

/// Gives up the coroutines of a native program as they are: nothing on their stacks has to be taken apart.
pub(crate) fn give_up_all(context: &mut Context) {
    for slot in &mut context.slots {
        slot.body = None;
        slot.at_exit.clear();
        if let Some(mut fiber) = slot.fiber.take() {
            // SAFETY: what is on the stack belongs to the native program, or to functions of its host that own nothing.
            unsafe { fiber.force_reset() };
        }
    }
}

/// Forgets the coroutines, which cannot be unwound. Their stacks are lost.
pub(crate) fn lose_all(context: &mut Context) {
    for slot in &mut context.slots {
        std::mem::forget((slot.fiber.take(), slot.body.take(), std::mem::take(&mut slot.at_exit)));
    }
}

fn thread_main(yielder: &Yielder<(), ()>, body: Box<dyn FnOnce()>) {
    with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].yielder = yielder;
    });
    back_to_program();
    let result = catch_unwind(AssertUnwindSafe(|| {
        body();
        run_exit_handlers();
        ops::end();
    }));
    if let Err(payload) = result {
        // What was registered for the end of the thread is dropped unrun, or run, on the abandoned execution.
        let _ = catch_unwind(AssertUnwindSafe(run_exit_handlers));
        if !payload.is::<Abandoned>() {
            with(|context| hook::record_payload(context, &*payload));
        }
    }
}

fn run_exit_handlers() {
    while let Some(handler) = with(|context| {
        let index = context.current.0 as usize;
        context.slots[index].at_exit.pop()
    }) {
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
}

/// Leaves an abandoned execution by unwinding the stack.
pub(crate) fn leave() -> ! {
    if with(|context| context.host.is_some()) {
        // The stack of a native program is given up as it is.
        crate::native::give_up();
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
    let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
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
    /// A thread that has not been taken apart and has no children left.
    fn next_to_unwind(&self) -> Option<ThreadId> {
        let alive = |index: usize| {
            self.slots
                .get(index)
                .is_some_and(|slot| slot.is_running() || slot.body.is_some() || !slot.at_exit.is_empty())
        };
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
