//! A check of a compiled program: by one process or several, again and again until all is known that has to be.

pub(crate) mod answer;
pub(crate) mod carried;
pub(crate) mod child;
pub(crate) mod crash;
pub(crate) mod host;
pub(crate) mod keep;
pub(crate) mod layouts;
pub(crate) mod likeness;
pub(crate) mod order;
pub(crate) mod processes;
pub(crate) mod sandbox;
pub(crate) mod wakeups;

use crate::build::compile::Compiled;
use crate::problem::Problem;
use crate::calls::threads;
use crate::machine::{machine, set_up};
use crate::memory::image::Image;
use crate::memory::{address_space, zones};
use answer::{Found, tell_of_assembly};
use carried::Saved;
use child::Child;
use host::Native;
use keep::{Keeper, JobProgress, Stage};
use crate::options::Options;
use processes::wait_for;
use quotient_report::Answer;
use quotient_report::stats::{ProgramStats, Stats};
use quotient_report::verdict::{StopReason, Verdict};
use quotient_runtime::{Knowledge, Limits, Settings, ViolationKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// How the memory of threads is laid out, and what comes of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    /// Whether it is in descending order of addresses.
    pub descending: bool,
    /// What was found when it was in the other order.
    pub first: Option<&'a Found>,
}

/// Checks a program whose threads have their memory in ascending order of addresses, or in descending order; from the
/// beginning, or from where another check was.
///
/// # Errors
/// The program cannot be loaded, or ends the process that checks it before the check begins.
pub(crate) fn check_layout(
    program: &Compiled,
    options: &Options,
    layout: Layout<'_>,
    resumed: Option<Stage>,
) -> Result<Found, Problem> {
    let Layout { descending, first } = layout;
    let mut jobs = if options.replay.is_some() || options.ids { 1 } else { options.jobs.max(1) };
    let mut knowledge = Knowledge::default();
    let mut notes = Vec::new();
    let mut places = Vec::new();
    if let Some(stage) = resumed {
        (jobs, knowledge) = (stage.jobs, stage.knowledge());
        (notes, places) = (stage.notes, stage.parts);
    }
    loop {
        let keeper = Keeper::new(options, (descending, first), &knowledge, &notes, jobs);
        places.resize_with(jobs as usize, JobProgress::default);
        let (mut children, mut parts) = (Vec::new(), Vec::new());
        for (index, place) in std::mem::take(&mut places).into_iter().enumerate() {
            let share = (jobs > 1).then_some((index as u32, jobs));
            let saved = match place {
                JobProgress::End(part) => {
                    keeper.as_ref().inspect(|keeper| keeper.set(index, JobProgress::End(part.clone())));
                    parts.push(*part);
                    continue;
                }
                JobProgress::Middle(saved) => Some(saved),
                JobProgress::Beginning => None,
            };
            keeper.as_ref().zip(saved.as_ref()).inspect(|(keeper, saved)| {
                keeper.set(index, JobProgress::Middle((*saved).clone()));
            });
            let work = || work(program, options, share, &knowledge, descending, saved.as_deref());
            children.push(Child::start(index, work)?);
        }
        parts.extend(wait_for(children, options, keeper.as_ref())?);
        let mut again = differing_results(&parts, &mut knowledge);
        if jobs > 1 && parts.iter().any(|part| part.found.answer.stats.program().likeness_runs > 0 && !part.is_decisive()) {
            // Who uses what has to be seen in all executions together.
            (jobs, again) = (1, true);
        }
        if !again && parts.iter().all(|part| part.learnt.is_none()) {
            if let Some(keeper) = keeper.filter(|_| parts.iter().any(|part| !part.is_done())) {
                keeper.write();
            }
            let waits = parts.iter().any(|part| part.waits);
            let mut found = together(parts, notes);
            let answer = &mut found.answer;
            tell_of_assembly(answer, &program.unseen);
            answer.warnings.extend(program.warnings.iter().cloned());
            answer.notes.extend(program.unseen_notes.iter().cloned());
            if waits && wakeups::are_asked_for(options, answer) {
                answer.warnings.extend(try_wakeups(program, options, knowledge, descending)?);
            }
            return Ok(found);
        }
        for part in parts {
            if let Some(learnt) = part.learnt {
                learnt.add_to(&mut knowledge);
                notes.extend(part.found.answer.notes);
            }
        }
    }
}

/// What goes wrong when threads wake up without a reason.
fn try_wakeups(
    program: &Compiled,
    options: &Options,
    mut knowledge: Knowledge,
    descending: bool,
) -> Result<Option<String>, Problem> {
    let options = wakeups::options(options);
    for _ in 0..MOST_TRIES {
        let child = Child::start(0, || work(program, &options, None, &knowledge, descending, None))?;
        let part = child.finish(&options, None, || {})?;
        match part.learnt {
            Some(learnt) => learnt.add_to(&mut knowledge),
            None => return Ok(wakeups::warning(&part)),
        }
    }
    Ok(None)
}

/// If it takes more than this to learn how the program is to be explored, nothing is said of wake-ups.
const MOST_TRIES: u32 = 8;

/// What one process has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    pub found: Found,
    /// What is known of the program, if some of it is new: then all parts are to be explored again.
    learnt: Option<Learnt>,
    /// What like threads have returned, by class.
    results: Vec<(u64, usize)>,
    /// Whether a thread has waited, without a deadline, to be notified.
    pub waits: bool,
    /// Where a thread has woken up without a reason in the last execution.
    pub woken_at: Option<String>,
}

/// What is known of a program; see [`Knowledge`].
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Learnt {
    distinguished: Vec<u64>,
    keep_order: bool,
    rounds: u32,
}

impl Learnt {
    fn of(knowledge: &Knowledge) -> Self {
        let Knowledge { distinguished, keep_order, rounds, .. } = knowledge;
        Learnt { distinguished: distinguished.iter().copied().collect(), keep_order: *keep_order, rounds: *rounds }
    }

    fn add_to(self, knowledge: &mut Knowledge) {
        knowledge.distinguished.extend(self.distinguished);
        knowledge.keep_order |= self.keep_order;
        knowledge.rounds = knowledge.rounds.max(self.rounds);
    }
}

/// Notes classes of like threads that have returned one thing in one part and another elsewhere, which tells them apart.
fn differing_results(parts: &[Part], knowledge: &mut Knowledge) -> bool {
    if parts.iter().any(Part::is_decisive) {
        return false;
    }
    let mut all: Vec<(u64, usize)> = parts.iter().flat_map(|part| &part.results).copied().collect();
    all.sort_unstable();
    all.dedup();
    let before = knowledge.distinguished.len();
    knowledge.distinguished.extend(all.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0));
    knowledge.distinguished.len() > before
}

impl Part {
    /// An answer, and nothing that is of use for another one.
    pub(crate) fn without_more(answer: Answer) -> Self {
        let found = Found { answer, orders_addresses: false };
        Part { found, learnt: None, results: Vec::new(), waits: false, woken_at: None }
    }

    /// Whether there is certainly nothing left to be explored.
    pub(crate) fn is_done(&self) -> bool {
        let Answer { verdict, stop, violations, .. } = &self.found.answer;
        *verdict != Verdict::Inconclusive || !violations.is_empty() || *stop == Some(StopReason::Loop)
    }

    /// Whether nobody is interested in what the others find.
    pub(crate) fn is_decisive(&self) -> bool {
        self.found.answer.verdict == Verdict::Violated || self.learnt.is_some()
    }
}

/// What all parts say together.
fn together(parts: Vec<Part>, mut notes: Vec<String>) -> Found {
    let orders_addresses = parts.iter().any(|part| part.found.orders_addresses);
    let mut answers: Vec<Answer> = parts.into_iter().map(|part| part.found.answer).collect();
    let mut stats = Stats::from(ProgramStats::default());
    let mut warnings: Vec<String> = Vec::new();
    for answer in &answers {
        stats.add_beside(&answer.stats);
        notes.extend(answer.notes.iter().cloned());
        for warning in &answer.warnings {
            if !warnings.contains(warning) {
                warnings.push(warning.clone());
            }
        }
    }
    let weight = |answer: &Answer| match answer.verdict {
        Verdict::Violated => 2,
        Verdict::Inconclusive => 1,
        _ => 0,
    };
    answers.sort_by_key(weight);
    let mut answer = answers.pop().expect("there is at least one part");
    notes.sort();
    notes.dedup();
    (answer.stats, answer.warnings, answer.notes) = (stats, warnings, notes);
    answer.needs_an_execution();
    Found { answer, orders_addresses }
}

/// Loads and explores the program, or a part of its executions, in a process of its own.
fn work(
    program: &Compiled,
    options: &Options,
    share: Option<(u32, u32)>,
    knowledge: &Knowledge,
    descending: bool,
    saved: Option<&Saved>,
) -> Result<Part, Problem> {
    let resume = match saved.map(Saved::take_up) {
        Some(None) => return Err(Problem::new("the checkpoint makes no sense: it was made by something else")),
        Some(Some(whereabouts)) => Some(Arc::new(whereabouts)),
        None => None,
    };
    address_space::set_descending(descending);
    set_up(options.leaks, options.unroll);
    machine().relaxed_volatile.set(options.relaxed_volatile);
    machine().fills.set(program.fills);
    address_space::map().map_err(|error| Problem::new(format!("no memory for the program's threads: {error}")))?;
    zones::map().and_then(|()| zones::map_for_constructors()).map_err(|error| {
        Problem::new(format!("no memory for what is known of stacks: {error}"))
    })?;
    crash::install().map_err(|error| Problem::new(format!("no memory for signals: {error}")))?;
    crash::prepare_thread();
    child::enter_sandbox(options)?;
    let mut image = Image::load(&program.object())
        .map_err(|error| Problem::new(format!("the program cannot be loaded: {error}")))?;
    let main = image.main;
    image.keep();
    let machine = machine();
    assert!(machine.image.set(image).is_ok(), "a process loads one program");
    machine.heap.borrow_mut().keep();
    machine.threads.borrow_mut().keep();
    machine.lives.borrow_mut().keep();
    machine.primitives.borrow_mut().keep();
    machine.ends.keep();
    machine.threads.borrow_mut().say_ends = program.tries_to_join;
    machine.threads.borrow_mut().deletes_keys = program.deletes_keys;
    machine.reads_errno.set(program.reads_errno);
    machine.threads.borrow_mut().most_woken = options.spurious_wakeups;
    machine.clocks.borrow_mut().still = options.still_clock;
    machine.stuck.set(options.stuck);
    let engine = quotient_runtime::Options {
        settings: Settings {
            model: options.model,
            symmetry: options.symmetry,
            spurious_failures: options.spurious_failures,
            max_events: options.max_events,
            max_threads: address_space::THREADS as u32 - 1,
        },
        limits: Limits {
            executions: options.max_executions.map(|most| most.div_ceil(share.map_or(1, |(_, of)| of.into()))),
            time: options.time_left(),
        },
        replay: options.replay.clone(),
        stall_timeout: options.stall_timeout,
        noise: options.noise,
        host: Some(Arc::new(Native)),
        share,
        knowledge: knowledge.clone(),
        keeps_position: options.checkpoints.is_some(),
        resume,
        ..quotient_runtime::Options::default()
    };
    machine.likeness.borrow_mut().matters = options.symmetry;
    machine.likeness.borrow_mut().by_function = options.ids && options.symmetry;
    let started = Instant::now();
    let outcome = quotient_runtime::check(engine.clone(), Arc::new(move || threads::run_main(main)));
    if let Some(failure) = outcome.failure.as_ref().filter(|failure| failure.violation.kind == ViolationKind::Replay) {
        let message = &failure.violation.message;
        if options.replay.is_none() {
            return Err(Problem::new(message));
        }
        return Err(Problem::new(format!("the text of --replay is not an execution of this program: {message}")));
    }
    let learnt = outcome.learnt.then(|| Learnt::of(&outcome.knowledge));
    let results = machine.likeness.borrow().results();
    let mut found = answer::of(outcome, options, started.elapsed());
    let first = share.is_none_or(|(index, _)| index == 0);
    let is_asked = options.symmetry && !options.ids && options.replay.is_none();
    if is_asked && first && learnt.is_none() && found.answer.violations.is_empty() {
        let engine = quotient_runtime::Options { keeps_position: false, resume: None, ..engine };
        found.answer.notes.extend(likeness::offer(engine, main));
    }
    Ok(Part { found, learnt, results, waits: machine.waits_for_others.get(), woken_at: wakeups::place() })
}
