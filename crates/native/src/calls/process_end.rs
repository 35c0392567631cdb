//! How the process ends: `exit`, `quick_exit`, the return of `main`, the end of the last thread; and what is registered for that.
//!
//! Who ends the process first runs what was registered, while the other threads go on. Everybody else who wants to end it
//! waits for ever. So all of them meet at one place, and whoever comes first there ends the process. In the same way, those who
//! register something meet at another place with the one who takes what was registered. Neither place orders memory: only
//! what a thread has done before it registers a function comes before that function runs.

use crate::calls::atomic::Atomic;
use crate::calls::threads;
use crate::machine::machine;
use crate::memory::{address_space, bits};
use quotient_runtime::native::{self, Operation, Order, Rmw, When};
use std::cell::{Cell, RefCell};

/// What the process does when it ends.
#[derive(Default)]
pub(crate) struct Ends {
    /// For `exit`, the last first.
    handlers: RefCell<Vec<Handler>>,
    /// For `quick_exit`.
    quick: RefCell<Vec<Handler>>,
    /// What constructors have registered, in every execution.
    early: RefCell<[Vec<Handler>; 2]>,
    /// The thread that ends the process.
    ender: Cell<Option<u32>>,
    /// Whether all other threads have ended.
    is_alone: Cell<bool>,
}

/// A function that was registered.
#[derive(Clone, Copy)]
struct Handler {
    function: usize,
    argument: usize,
    /// Who has registered it, if others may run it, and the token that says so.
    by: Option<(u32, usize)>,
}

/// Which of the two lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Exit,
    Quick,
}

impl Ends {
    fn list(&self, how: How) -> &RefCell<Vec<Handler>> {
        if how == How::Exit { &self.handlers } else { &self.quick }
    }

    pub(crate) fn reset(&self) {
        let early = self.early.borrow();
        self.handlers.borrow_mut().clone_from(&early[0]);
        self.quick.borrow_mut().clone_from(&early[1]);
        self.ender.set(None);
        self.is_alone.set(false);
    }

    /// What there is now is there in every execution.
    pub(crate) fn keep(&self) {
        self.early.replace([self.handlers.borrow().clone(), self.quick.borrow().clone()]);
    }

    /// Whether no part is borrowed.
    pub(crate) fn is_free(&self) -> bool {
        self.handlers.try_borrow_mut().is_ok() && self.quick.try_borrow_mut().is_ok() && self.early.try_borrow_mut().is_ok()
    }
}

/// The two places lie behind all tokens that the first thread needs, and before those of its keys.
const PLACES: u32 = 1 << 16;

/// Where those meet who end the process.
fn end_place() -> usize {
    address_space::token(0, PLACES)
}

/// Where those meet who register functions, and who takes them.
fn list_place() -> usize {
    address_space::token(0, PLACES + 1)
}

/// What an address stands for, in words and short, if it is one of these places.
pub(crate) fn name_of(address: usize) -> Option<(&'static str, &'static str)> {
    match address {
        _ if address == end_place() => Some(("the end of the process", "end")),
        _ if address == list_place() => Some(("what is registered for the end of the process", "handlers")),
        _ => None,
    }
}

/// A place, for the operation that has just been called, or at the end of a thread's function.
fn place(address: usize, at_end: bool) -> Atomic {
    let here = machine().here.get().thread;
    let atomic = if at_end { threads::end_of(here) } else { Atomic::called(address, 8) };
    Atomic { address, size: 8, ..atomic }
}

/// Whether another thread may end the process or register something from here on.
fn others_may_run() -> bool {
    !machine().ends.is_alone.get() && threads::others_may_run()
}

/// Registers a function for the end.
fn register(how: How, function: usize, argument: usize) {
    machine().note_deed(threads::mix(function as u64, argument as u64));
    let mut by = None;
    if machine().running.get() && others_may_run() {
        let here = machine().here.get().thread;
        let token = machine().threads.borrow_mut().new_token(here);
        place(token, false).store(1, Order::Release);
        place(list_place(), false).update(Rmw::Add, 1, When::Always, Order::Relaxed);
        by = Some((here, token));
    }
    machine().ends.list(how).borrow_mut().push(Handler { function, argument, by });
}

pub(crate) extern "C" fn cxa_atexit(function: usize, argument: usize, _object: usize) -> i32 {
    register(How::Exit, function, argument);
    0
}

pub(crate) extern "C" fn at_quick_exit(function: usize) -> i32 {
    register(How::Quick, function, 0);
    0
}

/// Takes what was registered last.
fn take(how: How) -> Option<(usize, usize)> {
    if others_may_run() {
        place(list_place(), true).update(Rmw::Add, 1, When::Always, Order::Relaxed);
    }
    let Handler { function, argument, by } = machine().ends.list(how).borrow_mut().pop()?;
    if let Some((_, token)) = by.filter(|&(thread, _)| thread != machine().here.get().thread) {
        place(token, true).wait(When::Is(1), Order::Acquire);
    }
    Some((function, argument))
}

/// Calls a function of the program.
fn call(function: usize, argument: usize) {
    // SAFETY: `call` is a function of the object that calls what it is given: here what the program has registered.
    let call: extern "C" fn(usize, usize, usize) -> usize = unsafe { std::mem::transmute(machine().call.get()) };
    call(function, argument, 0);
}

fn run_registered(how: How) {
    while let Some((function, argument)) = take(how) {
        call(function, argument);
    }
}

/// Runs what was registered for the end of the program, last first; then the destructors of the program's files.
fn run_exit_handlers() {
    run_registered(How::Exit);
    let destructors = machine().image().map_or(Vec::new(), |image| image.destructors());
    for destructor in destructors.into_iter().rev() {
        call(destructor, 0);
        run_registered(How::Exit);
    }
}

/// The current thread wants to end the process. It goes on if it is the first; otherwise it waits for ever.
fn begin(at_end: bool) {
    let here = machine().here.get().thread;
    if machine().ends.ender.get() == Some(here) {
        // What is registered calls `exit` again.
        return;
    }
    if others_may_run() {
        let (_, is_first) = place(end_place(), at_end).exchange(0, 1, Order::Relaxed, Order::Relaxed, false);
        if !is_first {
            wait_for_end(at_end);
        }
    }
    machine().ends.ender.set(Some(here));
}

/// The thread goes no further. Nobody sees it end: whoever waits for that is gone with the process.
fn wait_for_end(at_end: bool) -> ! {
    let here = machine().here.get().thread;
    native::say_why("for the end of the program");
    let Atomic { pc, frame, .. } = place(0, at_end);
    let site = machine().site(pc);
    machine().note_waits(frame);
    native::perform(site, frame, |_, _| Operation::Join(here));
    native::give_up()
}

/// The thread that ends the program does not go on. Others may, until they have ended or wait: what they do could have
/// happened before the process was gone.
pub(crate) extern "C" fn exit(status: i32) {
    if machine().running.get() {
        begin(false);
        threads::run_local_destructors(machine().here.get().thread);
        run_exit_handlers();
    }
    exit_now(status);
}

/// The same without what was registered for the end.
pub(crate) extern "C" fn exit_now(_status: i32) {
    if machine().running.get() {
        bits::expect_written(machine());
        machine().ended.set(true);
        if machine().here.get().thread == 0 {
            threads::end();
        }
        wait_for_end(false);
    }
    crate::check::child::complain("the program ends before `main` begins: a constructor calls `exit`")
}

/// Ends the program with nothing but what was registered for this.
pub(crate) extern "C" fn quick_exit(status: i32) {
    if machine().running.get() {
        begin(false);
        run_registered(How::Quick);
    }
    exit_now(status);
}

/// `main` has returned.
pub(crate) fn after_main() {
    begin(true);
    // As the process ends here, no thread does: destructors of keys do not run.
    threads::finish_main();
    run_exit_handlers();
    machine().ended.set(true);
}

/// The first thread has ended, and `main` has not returned. With the last thread the process ends as if that had called
/// `exit`: the first thread does that in its place.
pub(crate) fn after_first_thread() {
    threads::tell_end(0);
    let Atomic { pc, frame, .. } = threads::end_of(0);
    let site = machine().site(pc);
    let mut next = 1;
    // Whoever has been started by one of these has a higher number.
    while (next as usize) < machine().threads.borrow().len() {
        native::say_why("for the last thread to end");
        native::perform(site, frame, |_, _| Operation::Join(next));
        machine().refresh();
        next += 1;
    }
    machine().ends.ender.set(Some(0));
    machine().ends.is_alone.set(true);
    run_exit_handlers();
    machine().ended.set(true);
}
