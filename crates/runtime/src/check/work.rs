//! The workers: each explores parts of all executions, and gives away some when others have nothing to do.

use super::resume::{self, When};
use super::{Control, Knowledge, Stop};
use crate::again::{Again, repeat, repeat_first};
use crate::body::Body;
use crate::context::{Context, set_context};
use crate::failure::{Failure, hopeless, waiting};
use crate::loops::Loops;
use crate::ops::ThreadId;
use crate::threads::{Slot, drop_quietly, give_up_all, lose_all, resume, unwind_all};
use crate::watch::watch;
use crate::workers::Fate;
use crate::{hook, likeness, memory, overflow, workers};
use quotient_dpor::graph::{EventId, LocationId};
use quotient_dpor::{Ending, Explorer, Task, Violation, ViolationKind};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// Where random walks begin; always the same, so that an estimate can be repeated.
const SEED: u64 = 0x51_07_1E_47;

/// Starts the workers and waits for them, watching that they move.
pub(super) fn explore(control: &Arc<Control>) {
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
    if control.options.keeps_position {
        first.keep_position();
    }
    if let Some(resumed) = control.resumed() {
        first.go_to(resumed.position.clone());
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
            report_engine_panic(&control);
            Fate::Lost
        })
    }));
}

/// The engine has panicked: nothing can be said about the program. What it was working on is left as it is.
fn report_engine_panic(control: &Control) {
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
    InTheMiddle {
        /// Whether the execution is to be run again, because of a question about a loop.
        retries: bool,
    },
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
    context.distinguished = control.seed.distinguished.clone();
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
    context.retry = start == Start::InTheMiddle { retries: true };
    control.state().pulses.push(context.pulse.clone());
    context.host = control.options.host.clone();
    // A host finds that out by itself.
    context.explorer.checks_publication = context.host.is_none();
    if context.explorer.is_there_already() {
        resume::arrive(control, &context);
    }
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
            let start = if busy { Start::InTheMiddle { retries: context.retry } } else { Start::Idle };
            start_worker(control, explorer, loops, start);
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
    control.idle_workers.fetch_add(1, Ordering::Relaxed);
    loop {
        let done = control.stop.load(Ordering::Relaxed);
        if !done && let Some(task) = state.tasks.pop() {
            control.idle_workers.fetch_sub(1, Ordering::Relaxed);
            return Some(task);
        }
        if done || control.idle_workers.load(Ordering::Relaxed) == control.options.workers() as u64 {
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
            resume::tell(control, context, When::Before);
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
        if control.options.keeps_position {
            resume::tell(control, context, When::IfWanted);
        }
        if control.idle_workers.load(Ordering::Relaxed) > 0
            && let Some(task) = context.explorer.donate()
        {
            control.state().tasks.push(task);
            control.changed.notify_all();
        }
        if context.poisoned {
            // Going on elsewhere takes far longer than what the execution has done.
            context.explorer.look_at_clock();
            if stop_if_late(control, &context.explorer) {
                resume::tell(control, context, When::Before);
                return end_exploration(control, context);
            }
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
            let distinguished = context.distinguished.clone();
            let (observe_references, keep_order) = (context.observe_references, context.keep_order);
            let orders_addresses = context.orders_addresses.clone();
            control.state().learnt = Some(Knowledge {
                distinguished,
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
pub(super) fn fail(control: &Control, failure: Failure) {
    control.state().failure.get_or_insert(failure);
    control.stop.store(true, Ordering::Relaxed);
}

/// If there is no time left, nobody need go on, and not everything has been explored.
pub(super) fn stop_if_late(control: &Control, explorer: &Explorer) -> bool {
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
            wrong.or_else(|| context.explorer.check_annotations()).or_else(|| overwritten(context))
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
    if context.explorer.is_on_the_way() {
        return resume::go_on(control, context);
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
        if stop_if_late(control, &context.explorer) {
            resume::tell(control, context, When::After);
        }
        if stop == Some(Stop::Replay) {
            control.state().stop = stop;
        }
        return false;
    }
    if stop.is_some() {
        resume::tell(control, context, When::Before);
        control.state().stop = stop;
        control.stop.store(true, Ordering::Relaxed);
        return false;
    }
    true
}

/// Whether a native program has ended, and with it those who wait forever: such an execution is complete.
fn has_ended(control: &Control, context: &mut Context) -> bool {
    let Some(host) = context.host.clone().filter(|host| host.has_ended()) else { return false };
    let stuck: Vec<_> = waiting(context).into_iter().filter(|one| !one.is_for_end()).collect();
    let stuck: Vec<_> = stuck.into_iter().map(|one| (one.thread, one.why, one.site)).collect();
    if !stuck.is_empty() && host.is_wrong_at_end(&stuck) {
        return false;
    }
    context.explorer.count_as_complete();
    control.executions.fetch_add(1, Ordering::Relaxed);
    true
}

/// Ends a random walk; false when there have been enough.
fn next_walk(control: &Control, context: &mut Context, walks: u32, complete: bool) -> bool {
    let mut state = control.state();
    let estimate = state.estimate.get_or_insert_default();
    context.explorer.end_walk(complete, estimate);
    let out_of_time = control.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    estimate.walks < walks && !out_of_time
}

/// A write that the program has said to be the last one to its location, and that is not.
fn overwritten(context: &Context) -> Option<Violation> {
    let graph = context.explorer.graph();
    let last = |location: LocationId| graph.location(location).writes.last().copied();
    let said = context.host.as_ref()?.said_to_be_final().into_iter();
    let all = said.flat_map(|(thread, range)| range.map(move |position| EventId::new(thread, position)));
    let mut writes = all.filter(|&id| graph.event(id).is_write());
    let write = writes.find(|&id| last(graph.event(id).location) != Some(id))?;
    let message = format!("thread {} says that a write is final, but it is overwritten", write.thread());
    let events = [write].into_iter().chain(last(graph.event(write).location)).collect();
    Some(Violation { kind: ViolationKind::Annotation, message, events, site: Some(graph.event(write).site) })
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
        context.forget_noted_unless(thread);
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
