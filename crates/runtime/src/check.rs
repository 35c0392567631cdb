//! Runs the program until every execution is explored, or something is found.
//!
//! The exploration has an OS thread of its own (or several): a program that panics while it unwinds leaves that thread
//! in a state from which it cannot go on, and then the exploration moves to another one.

use crate::again::{Again, repeat, repeat_first};
use crate::body::Body;
use crate::context::{Context, checking, set_context};
use crate::failure::{Failure, hopeless};
use crate::loops::{self, Difference, Loops, Undecided};
use crate::native::Host;
use crate::ops::ThreadId;
use crate::threads::{Slot, drop_quietly, give_up_all, lose_all, resume, unwind_all};
use crate::watch::{Pulse, watch};
use crate::workers::Fate;
use crate::{hook, likeness, memory, overflow, workers};
use quotient_dpor::{Ending, Estimate, Explorer, Publication, Settings, Statistics, Task, Violation, ViolationKind};
use std::collections::HashSet;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The program to be checked.
type Program = Arc<dyn Fn() + Send + Sync>;

/// Is told how far an exploration is.
pub type Progress = Arc<dyn Fn(&Statistics) + Send + Sync>;

/// When to stop early.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// After so many executions.
    pub executions: Option<u64>,
    /// After this time.
    pub time: Option<Duration>,
}

/// How to check.
#[derive(Clone)]
pub struct Options {
    /// What is explored.
    pub settings: Settings,
    /// When to stop early.
    pub limits: Limits,
    /// How many OS threads explore.
    pub jobs: usize,
    /// The size of a modelled thread's stack.
    pub stack_size: usize,
    /// One execution to run instead of exploring; see [`Failure::script`].
    pub replay: Option<String>,
    /// Instead of exploring, estimate the number of executions from so many random walks.
    pub walks: Option<u32>,
    /// How often each thread may be woken without a reason in an execution.
    pub spurious_wakeups: u32,
    /// Whether a panic unwinds its thread and ends only that, as in a program that is not checked; a panic that leaves
    /// `main`, or a thread that nobody joins, is still a violation.
    pub unwinds: bool,
    /// Whether blocks of memory that are allocated later have lower addresses than earlier ones. A host has its own way.
    pub descending: bool,
    /// Whether executions that are run twice have the other order the second time. What depends on it is found out.
    pub flips: bool,
    /// Whether everything on the stacks of a native program that is said to be dead is overwritten after each operation.
    pub noise: bool,
    /// How long a thread may run without a visible operation.
    pub patience: Duration,
    /// Is told now and then how far the exploration is.
    pub progress: Option<Progress>,
    /// Who keeps the memory of the program, if it is a native one; then there can be only one job.
    pub host: Option<Arc<dyn Host>>,
    /// The part to be explored, and how many there are: other processes explore the others.
    pub share: Option<(u32, u32)>,
    /// What another check has found out about the program.
    pub knowledge: Knowledge,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            settings: Settings::default(),
            limits: Limits::default(),
            jobs: 1,
            stack_size: 256 << 10,
            replay: None,
            walks: None,
            spurious_wakeups: 0,
            unwinds: false,
            descending: false,
            flips: false,
            noise: false,
            patience: Duration::from_secs(20),
            progress: None,
            host: None,
            share: None,
            knowledge: Knowledge::default(),
        }
    }
}

/// Why an exploration ended before it was exhaustive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There were more executions than allowed.
    Executions,
    /// There was no time left.
    Time,
    /// Only one execution was asked for.
    Replay,
    /// A loop goes on changing something.
    Loop,
}

/// Where random walks begin; always the same, so that an estimate can be repeated.
const SEED: u64 = 0x51_07_1E_47;

impl Options {
    /// How many OS threads explore.
    fn workers(&self) -> usize {
        if self.replay.is_some() || self.walks.is_some() || self.host.is_some() { 1 } else { self.jobs.max(1) }
    }
}

/// What a check has found.
#[derive(Debug)]
pub struct Outcome {
    /// What has been explored.
    pub statistics: Statistics,
    /// What is wrong.
    pub failure: Option<Failure>,
    /// Why not everything was explored.
    pub stop: Option<Stop>,
    /// The loop that was not followed to its end, if that is why.
    pub undecided: Option<String>,
    /// What random walks say about the number of executions, if that was asked for.
    pub estimate: Option<Estimate>,
    /// What was found out about the program on the way.
    pub knowledge: Knowledge,
    /// Whether some of that was found out by this check of a part, so that all parts have to be explored again.
    pub learnt: bool,
    /// How many events, nodes and edges have been looked at to check graphs and to list revisits.
    pub work: u64,
    /// Where a thread has waited for a condition variable or to be unparked, if one has.
    pub waits_at: Option<&'static Location<'static>>,
}

impl Outcome {
    /// What is known when one execution was run: nothing about others.
    fn of_replay(state: &State, failure: Option<Failure>, knowledge: Knowledge) -> Self {
        let stop = Some(Stop::Replay);
        Outcome {
            statistics: state.statistics,
            failure,
            stop,
            undecided: None,
            estimate: None,
            knowledge,
            learnt: false,
            work: state.work,
            waits_at: state.waits_at,
        }
    }
}

/// What the workers share.
pub(crate) struct Control {
    program: Program,
    pub(crate) options: Options,
    pub(crate) deadline: Option<Instant>,
    state: Mutex<State>,
    pub(crate) changed: Condvar,
    pub(crate) stop: AtomicBool,
    hungry: AtomicU64,
    pub(crate) executions: AtomicU64,
    pub(crate) seed: Knowledge,
}

impl Control {
    /// What is explored. Threads that can be told by the order of addresses are not alike.
    fn settings(&self) -> Settings {
        let mut settings = self.options.settings.clone();
        settings.symmetry &= self.seed.orders_addresses.is_none();
        settings
    }

    /// What the workers have found. One that has died has left it as it should be.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What has been learnt about the program, which makes the exploration begin again.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Classes of threads that were spawned alike, but turned out to be told apart by the program.
    pub told_apart: HashSet<u64>,
    /// Whether the counts of shared references are visible operations.
    pub observe_references: bool,
    /// Whether threads take turns as they did before when an execution is repeated: the program has state that Quotient does
    /// not see.
    pub keep_order: bool,
    /// Where the program does something else if later blocks have lower addresses, if it does.
    pub orders_addresses: Option<String>,
    /// Whether others get to know of memory without being ordered after all that was written there.
    pub distrusts_publication: bool,
    /// How many rounds of a loop that goes on changing something are followed.
    pub rounds: u32,
}

impl Default for Knowledge {
    fn default() -> Self {
        Knowledge {
            told_apart: HashSet::new(),
            observe_references: false,
            keep_order: false,
            orders_addresses: None,
            distrusts_publication: false,
            rounds: loops::ROUNDS,
        }
    }
}

#[derive(Default)]
pub(crate) struct State {
    tasks: Vec<Task>,
    pub(crate) working: usize,
    pub(crate) statistics: Statistics,
    pub(crate) failure: Option<Failure>,
    pub(crate) stop: Option<Stop>,
    /// Of every worker that works.
    pub(crate) pulses: Vec<Arc<Pulse>>,
    estimate: Option<Estimate>,
    learnt: Option<Knowledge>,
    /// What memory threads let others know of.
    publication: Publication,
    /// A loop that was not followed further.
    cut: Option<Undecided>,
    /// Where a thread has waited for a condition variable, if one has.
    waits_at: Option<&'static Location<'static>>,
    work: u64,
}

impl State {
    /// A worker has come to its end.
    fn forget(&mut self, pulse: &Arc<Pulse>) {
        self.pulses.retain(|other| !Arc::ptr_eq(other, pulse));
    }
}

/// Checks a program.
///
/// # Panics
///
/// If it is called from a program that is being checked.
pub fn check(options: Options, program: Program) -> Outcome {
    assert!(!checking(), "a check inside a check: the inner one would have to be explored again in every execution");
    hook::install();
    if options.host.is_none() {
        overflow::install();
    }
    let deadline = options.limits.time.map(|time| Instant::now() + time);
    let mut knowledge = options.knowledge.clone();
    let mut misfit: Option<Failure> = None;
    let mut endless: Option<Undecided> = None;
    loop {
        let control = Arc::new(Control {
            program: program.clone(),
            options: options.clone(),
            deadline,
            state: Mutex::default(),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            hungry: AtomicU64::new(0),
            executions: AtomicU64::new(0),
            seed: knowledge.clone(),
        });
        explore(&control);
        let mut state = control.state();
        let learnt = state.learnt.take().or_else(|| learn_at_the_end(&control, &state));
        let is_new = learnt.is_some();
        knowledge = learnt.unwrap_or(knowledge);
        let is_settled = |failure: &Failure| failure.violation.kind == ViolationKind::Nondeterminism;
        endless = state.cut.clone().or(endless);
        if is_new && options.share.is_none() && !state.failure.as_ref().is_some_and(is_settled) {
            continue;
        }
        let mut failure = state.failure.take();
        if let (Some(failure), Some(endless)) = (&mut failure, &endless)
            && failure.violation.kind == ViolationKind::Bound
        {
            let message = &failure.violation.message;
            failure.violation.message = format!("{}: {message}", describe(&options, endless));
        }
        if options.replay.is_some() {
            let is_misfit = |failure: &Failure| failure.violation.kind == ViolationKind::Replay;
            match (failure.as_ref().filter(|&failure| is_misfit(failure)), misfit.take()) {
                // It may be an execution in which the counts of references are visible operations.
                (Some(_), None) if options.host.is_none() && !knowledge.observe_references => {
                    misfit = failure;
                    knowledge.observe_references = true;
                    continue;
                }
                (Some(_), Some(first)) => return Outcome::of_replay(&state, Some(first), knowledge),
                _ => return Outcome::of_replay(&state, failure, knowledge),
            }
        }
        return Outcome {
            statistics: state.statistics,
            failure,
            stop: state.stop.or(if state.cut.is_some() { Some(Stop::Loop) } else { None }),
            undecided: state.cut.as_ref().map(|cut| describe(&options, cut)),
            estimate: state.estimate,
            knowledge,
            work: state.work,
            waits_at: state.waits_at,
            learnt: is_new,
        };
    }
}

/// More events than this in an exploration that has followed loops for many rounds: then they are not followed further.
const MANY_EVENTS: u64 = 2_000_000;
const MANY_ROUNDS: u32 = 16;

/// What has been learnt only by the whole exploration.
fn learn_at_the_end(control: &Control, state: &State) -> Option<Knowledge> {
    let seed = &control.seed;
    if state.failure.is_some() || state.stop.is_some() || control.options.replay.is_some() {
        return None;
    }
    if state.publication.is_broken() && !seed.distrusts_publication {
        return Some(Knowledge { distrusts_publication: true, ..seed.clone() });
    }
    let too_much = seed.rounds >= MANY_ROUNDS && state.statistics.events > MANY_EVENTS;
    let rounds = seed.rounds.saturating_mul(loops::MORE_ROUNDS);
    let in_vain = control.options.walks.is_some();
    (state.cut.is_some() && !too_much && !in_vain).then(|| Knowledge { rounds, ..seed.clone() })
}

/// Says which loop goes on for ever, and what it changes.
fn describe(options: &Options, cut: &Undecided) -> String {
    let place = match options.host.as_ref().and_then(|host| host.place_of(cut.site)) {
        Some((file, line, _)) => format!("{file}:{line}"),
        None => format!("{}:{}", cut.site.file(), cut.site.line()),
    };
    let named = |address: &Option<usize>| {
        let host = options.host.as_ref()?;
        Some(host.describe_memory((*address)?))
    };
    let what = match &cut.difference {
        Some(difference) => match (difference.name(), difference) {
            (Some(name), _) => format!("`{name}`"),
            (None, Difference::Memory(address)) => {
                named(address).unwrap_or_else(|| "something in the memory of the program".to_owned())
            }
            (None, _) => "one of its variables".to_owned(),
        },
        None => "what others see".to_owned(),
    };
    format!("the loop at {place} changes {what} in every round")
}

/// Starts the workers and waits for them, watching that they move.
fn explore(control: &Arc<Control>) {
    let mut first = Explorer::new(control.settings());
    if let Some(script) = &control.options.replay
        && let Err(reason) = first.follow(script)
    {
        control.state().failure = Some(Failure::of_replay(format!("this is not the text of an execution: {reason}")));
        return;
    }
    if control.options.walks.is_some() {
        first.walk(SEED);
    }
    if let Some((index, of)) = control.options.share {
        first.take_share(index, of);
    }
    let jobs = control.options.workers();
    control.state().working = jobs;
    start_worker(control, first, Loops::default(), Start::AtTheBeginning);
    for _ in 1..jobs {
        start_worker(control, Explorer::new(control.settings()), Loops::default(), Start::Idle);
    }
    watch(control);
}

fn start_worker(control: &Arc<Control>, explorer: Explorer, loops: Loops, start: Start) {
    let control = control.clone();
    workers::start(Box::new(move || {
        let fate = catch_unwind(AssertUnwindSafe(|| work(&control, explorer, loops, start)));
        fate.unwrap_or_else(|_| {
            give_in(&control);
            Fate::Lost
        })
    }));
}

/// The engine has panicked: nothing can be said about the program. What it was working on is left as it is.
fn give_in(control: &Control) {
    set_context(std::ptr::null_mut());
    let mistake = hook::take_mistake().unwrap_or_else(|| "no message".to_owned());
    let message = format!("the checker itself has failed, which is a mistake in Quotient: {mistake}");
    let mut state = control.state();
    state.failure.get_or_insert_with(|| Failure::without_execution(message, None));
    state.working -= 1;
    control.stop.store(true, Ordering::Relaxed);
    control.changed.notify_all();
}

/// What a worker finds in its explorer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Nothing: it has to wait for a task.
    Idle,
    /// The whole exploration.
    AtTheBeginning,
    /// What another worker has left.
    InTheMiddle,
}

/// Explores until there is nothing left to do.
fn work(control: &Arc<Control>, explorer: Explorer, loops: Loops, start: Start) -> Fate {
    let mut busy = start != Start::Idle;
    if control.options.host.is_none() {
        overflow::prepare_thread();
    }
    // A panic of the engine must not drop it: there may be coroutines.
    let mut context = ManuallyDrop::new(Box::new(Context::new(explorer, control.options.stack_size)));
    context.loops = loops;
    context.told_apart = control.seed.told_apart.clone();
    context.spurious_wakeups = control.options.spurious_wakeups;
    context.descending = control.options.descending;
    context.orders_addresses.clone_from(&control.seed.orders_addresses);
    context.unwinds = control.options.unwinds && control.options.host.is_none();
    context.loops.rounds = control.seed.rounds;
    context.loops.noise = control.options.noise;
    context.explorer.publication.distrusted = control.seed.distrusts_publication;
    context.observe_references = control.seed.observe_references;
    context.keep_order = control.seed.keep_order;
    context.explorer.keep_order(control.seed.keep_order);
    context.explorer.set_deadline(control.deadline);
    context.explorer.has_exact_sites(control.options.host.is_none());
    context.warm = start != Start::AtTheBeginning;
    control.state().pulses.push(context.pulse.clone());
    context.host = control.options.host.clone();
    // A host finds that out by itself.
    context.explorer.checks_publication = context.host.is_none();
    let pointer: *mut Context = &mut **context;
    set_context(pointer);
    loop {
        if !busy {
            match next_task(control) {
                // SAFETY: no coroutine is running.
                Some(task) => busy = unsafe { (*pointer).explorer.adopt(task) },
                None => break,
            }
            if !busy {
                // SAFETY: as above.
                stop_if_late(control, unsafe { &(*pointer).explorer });
                continue;
            }
        }
        busy = explore_task(control, pointer);
        if context.poisoned {
            set_context(std::ptr::null_mut());
            // The exploration goes on elsewhere; what is left here cannot be taken apart.
            let idle = Explorer::new(control.settings());
            let explorer = std::mem::replace(&mut context.explorer, idle);
            let loops = std::mem::take(&mut context.loops);
            lose_all(&mut context);
            control.state().forget(&context.pulse);
            start_worker(control, explorer, loops, if busy { Start::InTheMiddle } else { Start::Idle });
            return Fate::Lost;
        }
    }
    look_back(control, pointer);
    set_context(std::ptr::null_mut());
    // A thread that was left while it unwound has left std's count of panics behind.
    let lost = context.poisoned || std::thread::panicking();
    if lost {
        lose_all(&mut context);
    }
    let mut strands = std::mem::take(&mut context.strands);
    if context.host.is_none() {
        strands.extend(context.slots.iter_mut().filter_map(|slot| slot.lent.take()));
    }
    workers::keep_strands(context.stack_size, strands);
    let mut state = control.state();
    state.statistics.add(&context.explorer.statistics());
    state.publication.add(&context.explorer.publication);
    if let Some(undecided) = &context.loops.cut {
        state.cut.get_or_insert_with(|| undecided.clone());
    }
    state.work += context.explorer.work();
    state.waits_at = state.waits_at.or(context.waits_at);
    state.forget(&context.pulse);
    state.working -= 1;
    control.changed.notify_all();
    drop(state);
    if lost {
        return Fate::Lost;
    }
    drop(ManuallyDrop::into_inner(context));
    Fate::Reusable
}

/// Waits for a task; `None` when all work is done.
fn next_task(control: &Control) -> Option<Task> {
    let mut state = control.state();
    if control.options.workers() == 1 {
        return None;
    }
    control.hungry.fetch_add(1, Ordering::Relaxed);
    loop {
        let done = control.stop.load(Ordering::Relaxed);
        if !done && let Some(task) = state.tasks.pop() {
            control.hungry.fetch_sub(1, Ordering::Relaxed);
            return Some(task);
        }
        if done || control.hungry.load(Ordering::Relaxed) == control.options.workers() as u64 {
            control.stop.store(true, Ordering::Relaxed);
            control.changed.notify_all();
            return None;
        }
        state = control.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Explores everything from the current graph on. True if there is more, but this OS thread cannot go on.
fn explore_task(control: &Arc<Control>, pointer: *mut Context) -> bool {
    loop {
        run_once(control, pointer);
        // SAFETY: no coroutine is running between two runs.
        if unsafe { &mut *pointer }.question_is_in_vain() {
            continue;
        }
        match repeat(control, pointer) {
            Again::Same => {}
            Again::Anew => {
                // SAFETY: no coroutine is running between two runs.
                begin_again(control, unsafe { &mut *pointer });
                continue;
            }
            Again::Different(failure) => {
                fail(control, *failure);
                // SAFETY: as above.
                return end_exploration(control, unsafe { &mut *pointer });
            }
        }
        // SAFETY: no coroutine is running between two runs.
        let context = unsafe { &mut *pointer };
        if context.explorer.violation().is_none() && stop_if_late(control, &context.explorer) {
            return end_exploration(control, context);
        }
        if !context.restart && !context.retry && !context.poisoned && context.explorer.violation().is_none() {
            likeness::verify(control, pointer);
        }
        // SAFETY: as above.
        let context = unsafe { &mut *pointer };
        let mut more = true;
        if may_be_order(control, context) {
            let failure = context.explorer.clear_violation().map(|violation| Failure::of(context, violation));
            match (context.suspect.take(), failure) {
                // It is run once more: what comes from the order comes again.
                (None, failure) => {
                    context.suspect = failure;
                    continue;
                }
                (Some(first), Some(second)) if first.violation.message == second.violation.message => {
                    context.keep_order = true;
                    context.restart = true;
                }
                (Some(first), _) => {
                    fail(control, first);
                    return end_exploration(control, context);
                }
            }
        } else if let Some(suspect) = context.suspect.take() {
            fail(control, suspect);
            return end_exploration(control, context);
        }
        if context.restart {
            begin_anew(control, pointer);
            more = false;
        } else if !context.retry || context.explorer.violation().is_some() {
            more = conclude(control, context);
        }
        // SAFETY: as above.
        let context = unsafe { &mut *pointer };
        if !more || control.stop.load(Ordering::Relaxed) {
            return end_exploration(control, context);
        }
        if control.hungry.load(Ordering::Relaxed) > 0
            && let Some(task) = context.explorer.donate()
        {
            control.state().tasks.push(task);
            control.changed.notify_all();
        }
        if context.poisoned {
            return true;
        }
    }
}

/// Something new is known of the program: the exploration is to begin again, unless the program has changed meanwhile.
fn begin_anew(control: &Arc<Control>, pointer: *mut Context) {
    match repeat_first(control, pointer) {
        Some(failure) => fail(control, failure),
        None => {
            // SAFETY: no coroutine is running between two runs.
            let context = unsafe { &*pointer };
            let told_apart = context.told_apart.clone();
            let (observe_references, keep_order) = (context.observe_references, context.keep_order);
            let orders_addresses = context.orders_addresses.clone();
            control.state().learnt = Some(Knowledge {
                told_apart,
                observe_references,
                keep_order,
                orders_addresses,
                ..control.seed.clone()
            });
            control.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Everything is explored. Whoever has the first execution repeats it.
fn look_back(control: &Arc<Control>, pointer: *mut Context) {
    let state = control.state();
    let is_over = state.failure.is_none() && state.stop.is_none() && state.learnt.is_none();
    drop(state);
    if is_over && let Some(failure) = repeat_first(control, pointer) {
        fail(control, failure);
    }
}

/// Forgets the first execution.
fn begin_again(control: &Control, context: &mut Context) {
    context.explorer.forget_run();
    if let Some(script) = &control.options.replay {
        // It was understood before.
        let _ = context.explorer.follow(script);
    }
}

/// Whether the program seems not to be deterministic only because threads did not take turns as they did before.
fn may_be_order(control: &Control, context: &Context) -> bool {
    let kind = context.explorer.violation().map(|violation| violation.kind);
    kind == Some(ViolationKind::Nondeterminism)
        && !control.seed.keep_order
        && context.explorer.has_left_order()
        && control.options.replay.is_none()
}

/// Something is wrong with the program: nobody need go on.
fn fail(control: &Control, failure: Failure) {
    control.state().failure.get_or_insert(failure);
    control.stop.store(true, Ordering::Relaxed);
}

/// If there is no time left, nobody need go on, and not everything has been explored.
fn stop_if_late(control: &Control, explorer: &Explorer) -> bool {
    let late = explorer.is_out_of_time();
    if late {
        control.state().stop = Some(Stop::Time);
        control.stop.store(true, Ordering::Relaxed);
    }
    late
}

/// There is nothing left to do here. False, as [`explore_task`] says it.
fn end_exploration(control: &Control, context: &mut Context) -> bool {
    context.explorer.forget_tasks();
    control.changed.notify_all();
    false
}

/// Looks at an execution that has ended, and goes to the next one. False if there is none.
fn conclude(control: &Control, context: &mut Context) -> bool {
    let ending = context.explorer.finish();
    control.executions.fetch_add(matches!(ending, Ending::Complete) as u64, Ordering::Relaxed);
    let violation = match ending {
        Ending::Violation => context.explorer.clear_violation(),
        Ending::Complete => {
            let wrong = context.unclaimed().or_else(|| context.writer_between()).or_else(|| leak(context));
            wrong.or_else(|| context.explorer.check_annotations())
        }
        Ending::Stuck | Ending::Blocked => {
            let hopeless = hopeless(context).filter(|_| !has_ended(control, context));
            let hopeless = hopeless.map(|mut violation| {
                violation.message.push_str(&context.say_panics());
                violation
            });
            hopeless.or_else(|| context.explorer.check_annotations())
        }
        Ending::Abandoned => None,
    };
    if let Some(violation) = violation {
        fail(control, Failure::of(context, violation));
        return false;
    }
    if let Some(walks) = control.options.walks
        && ending != Ending::Abandoned
    {
        return next_walk(control, context, walks, ending == Ending::Complete);
    }
    let stop = if control.options.replay.is_some() {
        Some(Stop::Replay)
    } else if control.options.limits.executions.is_some_and(|most| control.executions.load(Ordering::Relaxed) >= most) {
        Some(Stop::Executions)
    } else if control.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        Some(Stop::Time)
    } else {
        None
    };
    if !context.explorer.backtrack() {
        stop_if_late(control, &context.explorer);
        if stop == Some(Stop::Replay) {
            control.state().stop = stop;
        }
        return false;
    }
    if stop.is_some() {
        control.state().stop = stop;
        control.stop.store(true, Ordering::Relaxed);
        return false;
    }
    true
}

/// Whether a native program has ended, and with it those who wait for ever: such an execution is complete.
fn has_ended(control: &Control, context: &mut Context) -> bool {
    let ended = context.host.as_ref().is_some_and(|host| host.has_ended());
    if ended {
        context.explorer.count_as_complete();
        control.executions.fetch_add(1, Ordering::Relaxed);
    }
    ended
}

/// Ends a random walk; false when there have been enough.
fn next_walk(control: &Control, context: &mut Context, walks: u32, complete: bool) -> bool {
    let mut state = control.state();
    let estimate = state.estimate.get_or_insert_default();
    context.explorer.end_walk(complete, estimate);
    let out_of_time = control.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    estimate.walks < walks && !out_of_time
}

fn leak(context: &Context) -> Option<Violation> {
    if let Some((message, site)) = context.host.as_ref().and_then(|host| host.leak()) {
        return Some(Violation { kind: ViolationKind::Leak, message, events: Vec::new(), site });
    }
    let alive = context.registrations.iter().filter_map(|&one| one);
    let (what, site) = alive.clone().next()?;
    let more = alive.count() - 1;
    let others = if more == 0 { String::new() } else { format!(", and {more} more") };
    let message = format!("leak: {what} is never freed{others}");
    Some(Violation { kind: ViolationKind::Leak, message, events: Vec::new(), site: Some(site) })
}

/// Runs the program once, and takes its threads apart.
pub(crate) fn run_once(control: &Arc<Control>, pointer: *mut Context) {
    {
        // SAFETY: no coroutine is running yet.
        let context = unsafe { &mut *pointer };
        context.reset();
        match &context.host {
            Some(host) => host.begin(),
            None => memory::begin_execution(context.descending != context.flipped),
        }
        context.explorer.start(Location::caller());
        context.prepare_for_question();
        if context.slots.is_empty() {
            context.slots.push(Slot::empty());
        }
        let program = control.program.clone();
        let main = &mut context.slots[0];
        let name = main.name.take().unwrap_or_else(|| "main".to_owned());
        main.prepare(Body::shared(program), Some(name));
    }
    loop {
        // SAFETY: no coroutine is running here.
        let context = unsafe { &mut *pointer };
        if context.poisoned || context.abandoning {
            break;
        }
        let Some(thread) = context.explorer.next_thread() else { break };
        context.see_progress(ThreadId(thread));
        resume(pointer, ThreadId(thread));
        // SAFETY: as above.
        if unsafe { (*pointer).poisoned } && hook::has_mistake() {
            // The engine has panicked on the program's stack, where a panic cannot be caught.
            resume_unwind(Box::new("a mistake of the engine"));
        }
    }
    // SAFETY: no coroutine is running here.
    let context = unsafe { &mut *pointer };
    context.abandoning = true;
    if context.explorer.violation().is_some() {
        // The last execution of the check. A thread that panicked may have taken away what others still use, so they
        // are left as they are.
        lose_all(context);
        std::mem::forget(std::mem::take(&mut context.kept));
        return;
    }
    if context.host.is_some() {
        return give_up_all(context);
    }
    context.taking_apart = true;
    unwind_all(pointer);
    // SAFETY: as above.
    let kept = unsafe { std::mem::take(&mut (*pointer).kept) };
    if !kept.is_empty() {
        drop_quietly(kept);
    }
    memory::end_execution();
}
