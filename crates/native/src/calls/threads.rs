//! The program's threads: how they start and end, what is local to them, and which are alike.

use crate::calls::arguments::Call;
use crate::calls::atomic::Atomic;
use crate::calls::keys::{self, Key};
use crate::calls::lifetime;
use crate::calls::locals::{self, Locals};
use crate::calls::process_end;
use crate::check::likeness::Start;
use crate::machine::{Machine, ProgramError, machine, violate};
use crate::memory::bits;
use crate::memory::{address_space, zones};
use quotient_runtime::native::{Environment, self, Operation, Order, When};
use quotient_runtime::ops::{Likeness, ThreadId};

/// What is known of the threads of an execution.
#[derive(Default)]
pub(crate) struct Threads {
    /// Those of this execution, and behind them new ones that have storage of earlier ones.
    threads: Vec<Thread>,
    /// How many there are.
    count: usize,
    /// The keys for thread-specific data.
    pub(super) keys: Vec<Key>,
    early_keys: Vec<Key>,
    /// How often a thread may wake up without a reason.
    pub most_woken: u32,
    /// Whether threads tell that they end, so that others can ask.
    pub say_ends: bool,
    /// Whether keys may be deleted.
    pub deletes_keys: bool,
}

/// One thread.
#[derive(Default)]
struct Thread {
    /// The function that it runs, and the argument.
    start: (usize, usize),
    /// What it has of its own when it begins.
    environment: Option<Environment>,
    result: usize,
    fate: Fate,
    /// The lowest address of its stack that is in use, when it does not run.
    top: usize,
    /// The lowest that this has been, or that the stack pointer was when the thread was given up; 0 if it has none.
    lowest: usize,
    tokens: u32,
    /// What has become of its variables.
    locals: Locals,
    /// What it has for each key.
    specific: Vec<usize>,
    /// Whether a wait has come to nothing, and the thread takes its mutex again before it says so.
    in_vain: bool,
    /// How often it has woken up without a reason.
    woken: u32,
    /// What it has started, each function and argument once.
    starts: Vec<Started>,
    /// How many threads it has started.
    started: u64,
    /// Says who it is, in the same way in every execution.
    path: u64,
    helping: Helping,
    /// Destructors of its variables: function and object.
    at_exit: Vec<(usize, usize)>,
}

/// A thread that another one has started.
#[derive(Clone, Copy)]
struct Started {
    code: usize,
    argument: usize,
    /// The class of those with the same function and argument.
    exact: u64,
    /// The class of those with the same function.
    family: u64,
}

/// What becomes of a thread.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Fate {
    #[default]
    Joinable,
    Joined,
    Detached,
}

/// What the next compare-and-exchange of a thread stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Helping {
    /// Itself.
    #[default]
    No,
    /// An operation that others may leave to it.
    Primary,
    /// An operation that is left to another thread.
    Helps,
}

impl Thread {
    /// A new thread, in the storage of an earlier one.
    fn renew(&mut self) {
        let Thread { start, environment, result, fate, top, lowest, tokens, locals, .. } = self;
        (*start, *environment, *result, *fate) = ((0, 0), None, 0, Fate::default());
        (*top, *lowest, *tokens, *locals) = (0, 0, 0, Locals::default());
        let Thread { specific, in_vain, woken, starts, started, path, helping, at_exit, .. } = self;
        (*in_vain, *woken, *started, *path, *helping) = (false, 0, 0, 0, Helping::default());
        specific.clear();
        at_exit.clear();
        starts.clear();
    }
}

impl Thread {
    /// Its stack is in use from here on while it does not run.
    #[inline]
    fn note_top(&mut self, top: usize) {
        self.top = top;
        self.lowest = if self.lowest == 0 { top } else { self.lowest.min(top) };
    }

    /// Another one has waited for it to end; returns its result.
    fn join(&mut self) -> usize {
        self.fate = Fate::Joined;
        self.result
    }
}

impl Threads {
    pub(crate) fn reset(&mut self) {
        for (number, thread) in self.all().iter().enumerate() {
            zones::forget(number as u32, thread.lowest);
        }
        self.threads[..self.count].iter_mut().for_each(Thread::renew);
        self.count = 0;
        self.keys.clone_from(&self.early_keys);
    }

    /// What there is now is there in every execution.
    pub(crate) fn keep(&mut self) {
        self.early_keys.clone_from(&self.keys);
    }

    #[inline(always)]
    fn thread(&mut self, number: u32) -> &mut Thread {
        let number = number as usize;
        if self.count <= number {
            self.make_room(number + 1);
        }
        &mut self.threads[number]
    }

    /// There are so many threads now.
    #[inline(never)]
    fn make_room(&mut self, count: usize) {
        if self.threads.len() < count {
            self.threads.resize_with(count, Thread::default);
        }
        self.count = count;
    }

    /// A thread, whose stack is in use from `top` on, starts another one.
    fn begins_another(&mut self, number: u32, top: usize) {
        let thread = self.thread(number);
        thread.top = top;
        thread.started += 1;
    }

    /// What a thread has for each key.
    pub(super) fn specific(&mut self, number: u32) -> &mut Vec<usize> {
        &mut self.thread(number).specific
    }

    /// What becomes of the variables of a thread; returns what had become of them before.
    pub(super) fn replace_locals(&mut self, number: u32, locals: Locals) -> Locals {
        std::mem::replace(&mut self.thread(number).locals, locals)
    }

    /// What has become of the variables of a thread.
    pub(crate) fn locals(&self, number: u32) -> Locals {
        self.all().get(number as usize).map(|thread| thread.locals).unwrap_or_default()
    }

    /// The threads that there are.
    fn all(&self) -> &[Thread] {
        &self.threads[..self.count]
    }

    #[inline(always)]
    pub(crate) fn note_top(&mut self, number: u32, top: usize) {
        self.thread(number).note_top(top);
    }

    /// The lowest address in use of the stack of a thread that does not run.
    #[inline]
    pub(crate) fn top(&self, number: u32) -> usize {
        self.all().get(number as usize).map_or(0, |thread| thread.top)
    }

    #[inline]
    pub(crate) fn take_helping(&mut self, number: u32) -> Helping {
        std::mem::take(&mut self.thread(number).helping)
    }

    /// An address for something that only this thread makes.
    pub(crate) fn new_token(&mut self, number: u32) -> usize {
        let thread = self.thread(number);
        thread.tokens += 1;
        address_space::token(number, thread.tokens - 1)
    }

    /// The last token that a thread has made was of no use to anybody.
    pub(crate) fn give_back(&mut self, number: u32, token: usize) {
        let thread = self.thread(number);
        if thread.tokens > 0 && address_space::token(number, thread.tokens - 1) == token {
            thread.tokens -= 1;
        }
    }

    /// Notes that a thread will say that its wait has come to nothing, or that it has.
    pub(crate) fn set_in_vain(&mut self, number: u32, in_vain: bool) {
        self.thread(number).in_vain = in_vain;
    }

    /// Whether a thread may wake up without a reason once more.
    pub(crate) fn may_wake(&mut self, number: u32) -> bool {
        let most = self.most_woken;
        self.thread(number).woken < most
    }

    pub(crate) fn note_woken(&mut self, number: u32) {
        self.thread(number).woken += 1;
    }

    /// Whether no thread has been started yet.
    pub(crate) fn is_alone(&self) -> bool {
        self.all().iter().all(|thread| thread.started == 0) && self.count <= 1
    }

    /// How many threads there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// What a thread that has ended, or is about to, has left for who joins it.
    pub(crate) fn result(&self, number: u32) -> usize {
        self.all().get(number as usize).map_or(0, |thread| thread.result)
    }

    /// How many threads have been started, and tokens made: what a loop that only waits does not change. And what a thread
    /// knows that is in the middle of a wait.
    pub(crate) fn count(&self, number: u32) -> u64 {
        let thread = self.all().get(number as usize);
        let number =
            |thread: &Thread| u64::from(thread.in_vain) << 63 | thread.started << 32 | u64::from(thread.tokens);
        thread.map_or(0, number)
    }
}

/// A number for two numbers, which is never 0.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    (a ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15)).rotate_left(23).wrapping_mul(0xD6E8_FEB8_6659_FD93) | 1
}

/// The number of an idempotent operation.
pub(crate) fn operation_number(object: usize, from: usize, to: usize) -> u64 {
    mix(mix(object as u64, from as u64), to as u64)
}

/// A handle is an address in the memory of the thread, as in glibc: who orders handles, or computes with them, does so with addresses.
/// Nothing is there, and no thread needs so many tokens.
const HANDLE: u32 = (1 << 16) - 1;

pub(crate) fn handle(thread: u32) -> usize {
    address_space::token(thread, HANDLE)
}

/// The thread with a handle, and what becomes of it.
fn thread_of(handle: usize) -> Option<(u32, Fate)> {
    let (number, _) = address_space::part_of(handle)?;
    let threads = machine().threads.borrow();
    let exists = (number as usize) < threads.count.max(1) && self::handle(number) == handle;
    exists.then(|| (number, threads.all().get(number as usize).map(|thread| thread.fate).unwrap_or_default()))
}

/// Starts a thread that runs a function with an argument, and puts its handle where the program wants it.
#[inline(always)]
fn spawn(call: Call, handle_at: *mut usize, (function, argument): (usize, usize), claimed: bool, detached: bool) -> i32 {
    let machine_now = machine();
    let Call { pc, frame, .. } = call;
    if !call.is_users {
        // C11 and C++ put the handle there before the thread begins.
        call.writes(handle_at);
    }
    if !machine_now.running.get() {
        violate(ProgramError::Misuse, "a constructor starts a thread before `main` begins".to_owned(), pc);
    }
    if native::is_supposing() {
        violate(ProgramError::Misuse, String::new(), pc);
    }
    let here = machine_now.here.get().thread;
    let site = machine_now.site(pc);
    let matters = machine_now.likeness.borrow().matters;
    let start = matters.then(|| {
        let code = code_of(machine_now, function, argument);
        classify(machine_now, code, argument, claimed, pc)
    });
    machine_now.threads.borrow_mut().begins_another(here, frame);
    let likeness = start.map_or(Likeness::Unlike, |(start, _)| Likeness::Class(start.class));
    // A box of nothing takes no memory: what the thread runs is noted below.
    let child = native::spawn(site, frame, Box::new(run), None, likeness).0;
    let machine = machine();
    machine.refresh();
    if let Some((start, path)) = start {
        machine.likeness.borrow_mut().note_start(child, start);
        machine.threads.borrow_mut().thread(child).path = path;
    }
    if child as usize >= address_space::THREADS {
        violate(ProgramError::Unsupported, format!("there are more than {} threads", address_space::THREADS), pc);
    }
    let fate = if detached { Fate::Detached } else { Fate::Joinable };
    {
        let mut threads = machine.threads.borrow_mut();
        let thread = threads.thread(child);
        (thread.fate, thread.start) = (fate, (function, argument));
        thread.environment = Some(Environment::of_child());
    }
    if call.is_users {
        // POSIX does not say that this comes before what the thread does.
        call.writes(handle_at);
    }
    // SAFETY: the memory has been looked at.
    unsafe { handle_at.write_unaligned(handle(child)) };
    0
}

/// Which threads the next one is like, and who it is.
fn classify(machine: &Machine, code: usize, argument: usize, claimed: bool, pc: usize) -> (Start, u64) {
    let by_function = machine.likeness.borrow().by_function;
    let mut threads = machine.threads.borrow_mut();
    let parent = threads.thread(machine.here.get().thread);
    let new = mix(mix(parent.path, parent.started), pc as u64);
    // Whether anything has happened between the starts that tells such threads apart is for the explorer to say.
    let same = parent.starts.iter().filter(|start| start.code == code);
    let family = same.clone().next().map_or(new, |start| start.family);
    let known = same.clone().find(|start| start.argument == argument);
    let exact = match known {
        Some(start) => start.exact,
        None => {
            parent.starts.push(Started { code, argument, exact: new, family });
            new
        }
    };
    let path = mix(parent.path, parent.started + 1);
    let class = match claimed || by_function {
        // They have turned out not to be alike; those with the same argument may still be.
        true if native::is_distinguished(family) => mix(exact, 1),
        true => family,
        false => exact,
    };
    (Start { class, family, argument, claimed, pc }, path)
}

/// Stands for what a thread runs. The C++ library starts all threads with a function of its own, and an object whose first
/// word says which function of the program that leads to.
fn code_of(machine: &Machine, function: usize, argument: usize) -> usize {
    let is_users = machine.image().is_none_or(|image| image.is_users(function));
    match address_space::part_of(argument) {
        // SAFETY: the library has just made the object.
        Some((_, address_space::Part::Heap)) if !is_users => unsafe { *(argument as *const usize) },
        _ => function,
    }
}

/// What a thread does.
fn run() {
    let machine = machine();
    machine.refresh();
    let (start, environment) = {
        let mut threads = machine.threads.borrow_mut();
        let thread = threads.thread(machine.here.get().thread);
        (thread.start, thread.environment)
    };
    let (function, argument) = start;
    environment.unwrap_or_else(Environment::at_start).enter();
    let call = machine.call.get();
    // SAFETY: `call` is a function of the object that calls what it is given, which here is what the program has given.
    let call: extern "C" fn(usize, usize, usize) -> usize = unsafe { std::mem::transmute(call) };
    let result = call(function, argument, 0);
    finish(result);
}

/// The thread has nothing left to do but to tidy up.
fn finish(result: usize) {
    let machine_now = machine();
    bits::expect_written(machine_now);
    let here = machine_now.here.get().thread;
    let has_destructors = {
        let mut threads = machine_now.threads.borrow_mut();
        let say_ends = threads.say_ends;
        let thread = threads.thread(here);
        thread.result = result;
        let has_destructors = !thread.at_exit.is_empty() || !thread.specific.is_empty();
        if !has_destructors && !say_ends && thread.locals == Locals::Untouched {
            // As with most threads, that was all.
            thread.locals = if here == 0 { Locals::Untouched } else { Locals::Gone };
            thread.note_top(usize::MAX);
            return;
        }
        has_destructors
    };
    if has_destructors {
        run_destructors(here);
    }
    // The first thread has its variables until the process ends.
    if here != 0 {
        locals::end(here, end_of(here).pc);
    }
    if machine().threads.borrow().say_ends {
        say_end(here);
    }
    machine().threads.borrow_mut().note_top(here, usize::MAX);
}

/// Says that a thread has ended.
fn say_end(thread: u32) {
    Atomic { address: end_token(thread), size: 8, ..end_of(thread) }.store(ENDED, Order::Release);
}

/// The first thread says that it has ended, if it has not done so, to those who wait for that: it ends the process later.
pub(super) fn tell_end(thread: u32) {
    let says = machine().threads.borrow().say_ends;
    if !says && others_may_run() {
        say_end(thread);
    }
}

/// Whether another thread may do something from here on, as far as the current one knows.
pub(super) fn others_may_run() -> bool {
    let here = machine().here.get().thread as usize;
    let threads = machine().threads.borrow();
    // Whoever was joined by a thread that was not joined itself may be later than the current one.
    threads.all().iter().enumerate().any(|(number, thread)| number != here && thread.fate != Fate::Joined)
}

/// An operation that a thread does when nothing is left of its functions. Where it was last is not known: others may have
/// been called since.
pub(super) fn end_of(thread: u32) -> Atomic {
    let start = machine().threads.borrow_mut().thread(thread).start.0;
    let pc = if start == 0 { machine().pc() } else { start + 1 };
    Atomic { address: 0, size: 8, pc, frame: address_space::stack(thread).1 }
}

/// What stands for the end of a thread, if threads tell.
pub(crate) fn end_token(thread: u32) -> usize {
    address_space::token(thread, u32::MAX)
}

/// The value of such a token at the end.
pub(crate) const ENDED: u64 = 1;

/// The thread with this handle, if the current one may wait for it.
pub(crate) fn joinable(handle: usize) -> Option<u32> {
    let (child, fate) = thread_of(handle)?;
    (fate == Fate::Joinable && child != machine().here.get().thread).then_some(child)
}

fn run_destructors(here: u32) {
    run_local_destructors(here);
    keys::run_destructors(here);
}

/// Destroys the variables of a thread that have destructors.
pub(super) fn run_local_destructors(here: u32) {
    let call = machine().call.get();
    // SAFETY: as in `run`.
    let call: extern "C" fn(usize, usize, usize) -> usize = unsafe { std::mem::transmute(call) };
    let last = || machine().threads.borrow_mut().thread(here).at_exit.pop();
    while let Some((function, object)) = last() {
        call(function, object, 0);
    }
}

/// What the first thread does: `main`, then what was registered for the end.
pub(crate) fn run_main(main: usize) {
    Environment::at_start().enter();
    machine().refresh();
    let call = machine().call.get();
    // SAFETY: as in `run`.
    let call: extern "C" fn(usize, usize, usize) -> usize = unsafe { std::mem::transmute(call) };
    let (arguments, _) = machine().image().map_or((0, 0), |image| image.arguments());
    call(main, 1, arguments);
    process_end::after_main();
}

/// `main` has returned, and the process is about to end: destructors of keys do not run.
pub(super) fn finish_main() {
    machine().threads.borrow_mut().thread(0).specific.clear();
    finish(0);
}

pub(crate) extern "C" fn create(
    handle_at: *mut usize,
    attributes: *const i32,
    function: usize,
    argument: usize,
) -> i32 {
    let call = Call::here();
    if !attributes.is_null() {
        call.reads_parts(attributes as usize, size_of::<libc::pthread_attr_t>());
        lifetime::check_attributes(attributes);
    }
    // SAFETY: the program gives null or attributes, whose first number says whether the thread is detached.
    let detached = unsafe { attributes.as_ref() }.is_some_and(|&state| state == 1);
    spawn(call, handle_at, (function, argument), false, detached)
}

pub(crate) extern "C" fn create_symmetric(handle_at: *mut usize, function: usize, argument: usize) -> i32 {
    spawn(Call::here(), handle_at, (function, argument), true, false)
}

pub(crate) extern "C" fn join(thread: usize, result: *mut usize) -> i32 {
    join_from(thread, result, Call::here())
}

/// Waits for a thread to end, on behalf of who has made this call.
pub(crate) fn join_from(thread: usize, result: *mut usize, call: Call) -> i32 {
    let machine_now = machine();
    let Call { pc, frame, .. } = call;
    let Some((child, fate)) = thread_of(thread) else {
        violate(ProgramError::Misuse, format!("join of something that is not a thread: {thread:#x}"), pc)
    };
    let here = machine_now.here.get().thread;
    if fate != Fate::Joinable || child == here {
        refuse_join(child, fate, pc);
    }
    let site = machine_now.site(pc);
    machine_now.note_waits(frame);
    if child == 0 {
        // The first thread has more to do when it has ended.
        native::say_why("for another thread to end");
        Atomic { address: end_token(0), size: 8, pc, frame }.wait(When::Is(ENDED), Order::Acquire);
    } else {
        native::join(site, frame, ThreadId(child));
    }
    let machine = machine();
    machine.refresh();
    // Meanwhile it may have detached itself, or somebody else may have joined or detached it.
    let ended = {
        let mut threads = machine.threads.borrow_mut();
        let thread = threads.thread(child);
        if thread.fate == Fate::Joinable { Ok(thread.join()) } else { Err(thread.fate) }
    };
    let value = ended.unwrap_or_else(|since| refuse_join(child, since, pc));
    if !result.is_null() {
        take_result(child, value, pc);
        call.give(result, value);
    }
    0
}

/// A thread cannot be joined by the current one.
#[cold]
fn refuse_join(child: u32, fate: Fate, pc: usize) -> ! {
    let why = match fate {
        Fate::Joinable => violate(ProgramError::Deadlock, format!("thread {child} waits for itself to end"), pc),
        Fate::Joined => "has been joined before",
        Fate::Detached => "has been detached",
    };
    violate(ProgramError::Misuse, format!("join of thread {child}, which {why}"), pc)
}

/// A thread takes the result of another. If not all threads that are alike have the same, that tells them apart.
fn take_result(child: u32, value: usize, pc: usize) {
    let machine = machine();
    if machine.is_noting() {
        machine.note_result(child, value, pc);
    } else if let Some(class) = native::class_among_others(child) {
        let is_usual = machine.likeness.borrow_mut().is_usual_result(class, value);
        if !is_usual {
            native::distinguish(ThreadId(child));
        }
    }
}

pub(crate) extern "C" fn detach(thread: usize) -> i32 {
    let pc = machine().pc();
    let Some((child, fate)) = thread_of(thread) else {
        violate(ProgramError::Misuse, format!("detach of something that is not a thread: {thread:#x}"), pc)
    };
    if fate != Fate::Joinable {
        violate(ProgramError::Misuse, format!("detach of thread {child}, which has been joined or detached before"), pc);
    }
    machine().threads.borrow_mut().thread(child).fate = Fate::Detached;
    machine().note_deed(child.into());
    0
}

pub(crate) extern "C" fn exit(result: usize) {
    finish(result);
    if machine().here.get().thread == 0 {
        process_end::after_first_thread();
    }
    end();
}

/// The thread ends here.
pub(crate) fn end() -> ! {
    let (pc, frame) = (machine().pc(), machine().frame());
    let site = machine().site(pc);
    native::perform(site, frame, |_, _| Operation::End);
    native::give_up()
}

pub(crate) extern "C" fn current() -> usize {
    if !machine().running.get() {
        return handle(0);
    }
    let here = machine().here.get().thread;
    native::distinguish(ThreadId(here));
    handle(here)
}

pub(crate) extern "C" fn thread_atexit(function: usize, object: usize) -> i32 {
    machine().note_deed(mix(function as u64, object as u64));
    let here = machine().here.get().thread;
    machine().threads.borrow_mut().thread(here).at_exit.push((function, object));
    0
}

/// The thread calls a function that nobody has looked at: it may have done something that lasts.
pub(crate) extern "C" fn deed() {
    machine().note_unknown_deed();
}

pub(crate) extern "C" fn primary_begin(object: usize, from: usize, to: usize) {
    let (pc, frame) = (machine().pc(), machine().frame());
    let site = machine().site(pc);
    machine().note_waits(frame);
    native::primary_operation(site, frame, operation_number(object, from, to));
    machine().refresh();
}

pub(crate) extern "C" fn primary_end() {
    let pc = machine().pc();
    if !native::end_primary_operation() {
        let message = "a primary operation must end with a compare-and-exchange, and this one does not".to_owned();
        violate(ProgramError::Annotation, message, pc);
    }
}

pub(crate) extern "C" fn help(object: usize, from: usize, to: usize) {
    let (pc, frame) = (machine().pc(), machine().frame());
    let site = machine().site(pc);
    let operation = operation_number(object, from, to);
    machine().note_waits(frame);
    native::perform(site, frame, |_, _| Operation::Help(operation));
    machine().refresh();
}

fn set_helping(helping: Helping) {
    let here = machine().here.get().thread;
    machine().threads.borrow_mut().thread(here).helping = helping;
}

pub(crate) extern "C" fn helped_begin() {
    set_helping(Helping::Primary);
}

pub(crate) extern "C" fn helping_begin() {
    set_helping(Helping::Helps);
}

pub(crate) extern "C" fn helped_end() {
    let here = machine().here.get().thread;
    let helping = machine().threads.borrow_mut().take_helping(here);
    if helping != Helping::No {
        let pc = machine().pc();
        let message = "a helped or helping exchange was announced, but none was done".to_owned();
        violate(ProgramError::Annotation, message, pc);
    }
}
