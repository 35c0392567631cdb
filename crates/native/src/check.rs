//! A check of a compiled program, in a process of its own: whatever the program does, whoever asked gets an answer.

use crate::child::{self, Child};
use crate::compile::{Compiled, Problem};
use crate::image::Image;
use crate::inline::Unseen;
use crate::layouts::AddressOrder;
use crate::machine::{Point, machine, set_up};
use crate::{crash, likeness, sandbox, threads, wakeups, world};
use quotient_report::Execution;
use quotient_report::execution::{Action, text};
use quotient_report::verdict::Verdict;
use quotient_runtime::native::{Callee, Changes, EventId, Explorer, Host, LocationId, Mark, Site};
use quotient_runtime::{Failure, Knowledge, Limits, Model, Outcome, Places, Settings, Stop, ViolationKind, retell};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory model.
    pub model: Model,
    /// Whether one execution stands for all that differ in the names of like threads.
    pub symmetry: bool,
    /// Whether threads with the same function and different arguments are taken for like ones, if nothing contradicts it.
    pub ids: bool,
    /// Whether a weak exchange may fail without a reason.
    pub spurious_failures: bool,
    /// How often a thread that waits to be notified may wake up without a reason.
    pub spurious_wakeups: u32,
    /// Whether time passes only by sleeping and by waiting in vain.
    pub still_clock: bool,
    /// How many events an execution may have.
    pub max_events: u32,
    /// Stop after so many executions.
    pub max_executions: Option<u64>,
    /// Stop after this time, compiling included.
    pub max_time: Option<Duration>,
    /// Since when the time counts.
    pub started: Instant,
    /// Stop when the processes that explore take more than this many bytes together.
    pub max_memory: Option<u64>,
    /// Stop when this is set.
    pub interrupted: Option<Arc<AtomicBool>>,
    /// Whether the program is kept from acting on the world.
    pub sandbox: bool,
    /// How long a thread may run without a visible operation.
    pub patience: Duration,
    /// What to do about memory that is never freed.
    pub leaks: Leaks,
    /// What to do about threads that wait for ever when the program has ended.
    pub stuck: Stuck,
    /// How often a loop may go back to its beginning each time that it is entered; more is cut off.
    pub unroll: Option<u32>,
    /// Whether accesses to volatile variables are relaxed atomic operations.
    pub relaxed_volatile: bool,
    /// One execution to run instead of exploring.
    pub replay: Option<String>,
    /// How many processes explore.
    pub jobs: u32,
    /// In which order the memory of threads is laid out.
    pub address_order: AddressOrder,
    /// Whether everything on stacks that is said to be dead is overwritten after each operation, which must change nothing.
    pub noise: bool,
}

/// What to do about memory that is never freed and that nothing refers to any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaks {
    /// Nothing.
    Ignore,
    /// Mention it.
    Warn,
    /// It is a violation.
    Error,
}

/// What to do about threads that wait for ever when the program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// Nothing.
    Ignore,
    /// Mention it.
    Note,
    /// It is a violation.
    Error,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: Model::Rc11,
            symmetry: true,
            ids: false,
            spurious_failures: false,
            spurious_wakeups: 0,
            still_clock: false,
            max_events: 100_000,
            max_executions: None,
            max_time: None,
            started: Instant::now(),
            max_memory: None,
            interrupted: None,
            sandbox: sandbox::is_available(),
            patience: Duration::from_secs(10),
            leaks: Leaks::Warn,
            stuck: Stuck::Note,
            unroll: None,
            relaxed_volatile: false,
            replay: None,
            jobs: 1,
            address_order: AddressOrder::Auto,
            noise: false,
        }
    }
}

impl Options {
    /// How much of the time is left.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.max_time.map(|most| most.saturating_sub(self.started.elapsed()))
    }

    /// How long the time has been over.
    pub(crate) fn time_over(&self) -> Duration {
        self.max_time.map_or(Duration::ZERO, |most| self.started.elapsed().saturating_sub(most))
    }

    /// Whether somebody wants the check to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// What a check has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the check stopped early.
    pub stop: Option<String>,
    /// What is wrong.
    pub violation: Option<Execution>,
    /// What the violating execution has printed.
    pub output: String,
    /// What to know besides.
    pub warnings: Vec<String>,
    /// What else could be done.
    pub notes: Vec<String>,
    /// Why nothing can be said, if that is so.
    pub reason: Option<String>,
    /// Whether the program orders addresses in the memory of different threads.
    pub orders_addresses: bool,
    /// How big it was.
    pub stats: Stats,
}

/// The size of a check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions that were given up because a thread could not go on.
    pub blocked: u64,
    /// Events of all executions.
    pub events: u64,
    /// Backward revisits.
    pub revisits: u64,
    /// The most events an execution has had.
    pub longest: u64,
    /// Whether threads that were started alike turned out to be told apart.
    pub told_apart: bool,
    /// How many times an execution was run again to see that threads are alike.
    pub retraced: u64,
    /// How long it took.
    pub seconds: f64,
}

impl Stats {
    /// Adds what another process has explored at the same time.
    pub(crate) fn add(&mut self, other: &Stats) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.events += other.events;
        self.revisits += other.revisits;
        self.longest = self.longest.max(other.longest);
        self.told_apart |= other.told_apart;
        self.retraced += other.retraced;
        self.seconds = self.seconds.max(other.seconds);
    }
}

impl Answer {
    /// What was found, for people.
    pub fn text(&self) -> String {
        let Stats { executions, blocked, .. } = self.stats;
        let explored = format!("{executions} executions, and {blocked} given up");
        let mut out = match (&self.violation, &self.reason) {
            (Some(execution), _) => format!("{}{}", text::render(&without_replay(execution)), again(execution)),
            (None, Some(reason)) if self.verdict == Verdict::Violated => format!("VIOLATED: {reason}\n"),
            (None, Some(reason)) => format!("INCONCLUSIVE: {reason}\n"),
            (None, None) => format!("nothing is wrong: {explored}\n"),
        };
        if !self.output.is_empty() {
            out.push_str("\nprinted by the program in this execution:\n");
            for line in self.output.lines() {
                out.push_str(&format!("  {line}\n"));
            }
        }
        if self.stop.as_deref() == Some(name_of(Stop::Replay)) {
            if self.violation.is_some() {
                out.push_str("this is the one execution that was run again; no other was run\n");
            }
        } else if self.violation.is_some() || self.reason.is_some() {
            out.push_str(&format!("explored so far: {explored}\n"));
        }
        for warning in &self.warnings {
            out.push_str(&format!("warning: {warning}\n"));
        }
        for note in &self.notes {
            out.push_str(&format!("note: {note}\n"));
        }
        harmless(&out)
    }
}

/// A text in which nothing controls a terminal: what a program prints, and names that it gives to things, are part of it.
fn harmless(text: &str) -> String {
    let is_plain = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    text.chars().map(|character| if is_plain(character) { character } else { '\u{fffd}' }).collect()
}

/// How to have the same execution again is said in another way than for Rust programs.
fn without_replay(execution: &Execution) -> Execution {
    Execution { replay: String::new(), ..execution.clone() }
}

fn again(execution: &Execution) -> String {
    match execution.replay.len() {
        0 => String::new(),
        1..1000 => format!("\nto run exactly this execution again, add: --replay '{}'\n", execution.replay),
        _ => "\nto run exactly this execution again, add --replay with the text `replay` of the JSON form\n".to_owned(),
    }
}

/// Checks a program whose threads have their memory in ascending order of addresses, or in descending order.
///
/// # Errors
/// The program cannot be loaded, or ends the process that checks it before the check begins.
pub fn check_layout(program: &Compiled, options: &Options, descending: bool) -> Result<Answer, Problem> {
    let mut jobs = if options.replay.is_some() || options.ids { 1 } else { options.jobs.max(1) };
    let mut knowledge = Knowledge::default();
    let mut notes = Vec::new();
    loop {
        let children = (0..jobs).map(|index| {
            let share = (jobs > 1).then_some((index, jobs));
            Child::start(|| work(program, options, share, &knowledge, descending))
        });
        let parts = wait_for(children.collect::<Result<_, _>>()?, options)?;
        let mut again = differing_results(&parts, &mut knowledge);
        if jobs > 1 && parts.iter().any(|part| part.answer.stats.retraced > 0 && !part.settles()) {
            // Who uses what has to be seen in all executions together.
            (jobs, again) = (1, true);
        }
        if !again && parts.iter().all(|part| part.learnt.is_none()) {
            let waits = parts.iter().any(|part| part.waits);
            let mut answer = together(parts, notes);
            tell_of_assembly(&mut answer, &program.unseen);
            answer.warnings.extend(program.warnings.iter().cloned());
            answer.notes.extend(program.unseen_notes.iter().cloned());
            if waits && wakeups::are_asked_for(options, &answer) {
                answer.warnings.extend(try_wakeups(program, options, knowledge, descending)?);
            }
            return Ok(answer);
        }
        for part in parts {
            if let Some(learnt) = part.learnt {
                learnt.add_to(&mut knowledge);
                notes.extend(part.answer.notes);
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
        let child = Child::start(|| work(program, &options, None, &knowledge, descending))?;
        let part = child.finish(&options, || {})?;
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
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    pub answer: Answer,
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
#[derive(Debug, Serialize, Deserialize)]
struct Learnt {
    told_apart: Vec<u64>,
    keep_order: bool,
    rounds: u32,
}

impl Learnt {
    fn of(knowledge: &Knowledge) -> Self {
        let Knowledge { told_apart, keep_order, rounds, .. } = knowledge;
        Learnt { told_apart: told_apart.iter().copied().collect(), keep_order: *keep_order, rounds: *rounds }
    }

    fn add_to(self, knowledge: &mut Knowledge) {
        knowledge.told_apart.extend(self.told_apart);
        knowledge.keep_order |= self.keep_order;
        knowledge.rounds = knowledge.rounds.max(self.rounds);
    }
}

/// Notes classes of like threads that have returned one thing in one part and another elsewhere, which tells them apart.
fn differing_results(parts: &[Part], knowledge: &mut Knowledge) -> bool {
    if parts.iter().any(Part::settles) {
        return false;
    }
    let mut all: Vec<(u64, usize)> = parts.iter().flat_map(|part| &part.results).copied().collect();
    all.sort_unstable();
    all.dedup();
    let before = knowledge.told_apart.len();
    knowledge.told_apart.extend(all.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0));
    knowledge.told_apart.len() > before
}

impl Part {
    /// An answer, and nothing that is of use for another one.
    pub(crate) fn without_more(answer: Answer) -> Self {
        Part { answer, learnt: None, results: Vec::new(), waits: false, woken_at: None }
    }

    /// Whether nobody is interested in what the others find.
    fn settles(&self) -> bool {
        self.answer.verdict == Verdict::Violated || self.learnt.is_some()
    }
}

/// Waits for all processes, or until one has found something; then the others are stopped.
fn wait_for(children: Vec<Child>, options: &Options) -> Result<Vec<Part>, Problem> {
    let running: Mutex<Vec<i32>> = Mutex::new(children.iter().map(|child| child.process).collect());
    let running = || running.lock().unwrap_or_else(PoisonError::into_inner);
    let settled = AtomicBool::new(false);
    let finish = |child: Child| {
        let process = child.process;
        let result = child.finish(options, || running().retain(|&other| other != process));
        if settled.load(Ordering::Relaxed) {
            return None;
        }
        if result.as_ref().map_or(true, Part::settles) && !settled.swap(true, Ordering::Relaxed) {
            for &process in running().iter() {
                // SAFETY: the process is our child, and has not been waited for.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
        }
        Some(result)
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = children.into_iter().map(|child| scope.spawn(|| finish(child))).collect();
        waiting.into_iter().filter_map(|thread| thread.join().expect("waiting does not panic")).collect()
    })
}

/// What all parts say together.
fn together(parts: Vec<Part>, mut notes: Vec<String>) -> Answer {
    let mut answers: Vec<Answer> = parts.into_iter().map(|part| part.answer).collect();
    let mut stats = Stats::default();
    let mut warnings: Vec<String> = Vec::new();
    let orders_addresses = answers.iter().any(|answer| answer.orders_addresses);
    for answer in &answers {
        stats.add(&answer.stats);
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
    if answer.verdict == Verdict::Holds && stats.executions == 0 {
        answer.verdict = Verdict::Inconclusive;
        answer.reason = Some("no execution ran to its end, so nothing was checked".to_owned());
    }
    notes.sort();
    notes.dedup();
    Answer { stats, warnings, notes, orders_addresses, ..answer }
}

/// What inline assembly does to memory is not seen: nothing can be said of a program that has some.
fn tell_of_assembly(answer: &mut Answer, unseen: &[Unseen]) {
    for Unseen { place, instruction, accesses } in unseen.iter().take(MOST_UNSEEN) {
        let what = if *accesses { "accesses memory" } else { "orders accesses" };
        answer.warnings.push(format!("inline assembly {what} and is not seen: `{instruction}` at {place}"));
    }
    if unseen.len() > MOST_UNSEEN {
        answer.warnings.push(format!("so do {} more pieces of inline assembly", unseen.len() - MOST_UNSEEN));
    }
    if answer.verdict == Verdict::Holds && unseen.iter().any(|one| one.accesses) {
        answer.verdict = Verdict::Inconclusive;
        answer.reason =
            Some("nothing wrong was found, but inline assembly accesses memory, which is not seen".to_owned());
    }
}

/// More inline assembly than this is only counted.
const MOST_UNSEEN: usize = 5;

/// Loads and explores the program, or a part of its executions, in a process of its own.
fn work(
    program: &Compiled,
    options: &Options,
    share: Option<(u32, u32)>,
    knowledge: &Knowledge,
    descending: bool,
) -> Result<Part, Problem> {
    world::set_descending(descending);
    set_up(options.leaks, options.unroll);
    machine().relaxed_volatile = options.relaxed_volatile;
    machine().fills = program.fills;
    world::map().map_err(|error| Problem::new(format!("no memory for the program's threads: {error}")))?;
    crash::install().map_err(|error| Problem::new(format!("no memory for signals: {error}")))?;
    crash::prepare_thread();
    child::enter_sandbox(options)?;
    let mut image = Image::load(&program.object())
        .map_err(|error| Problem::new(format!("the program cannot be loaded: {error}")))?;
    let main = image.main;
    image.keep();
    let machine = machine();
    machine.image = Some(image);
    machine.heap.keep();
    machine.threads.keep();
    machine.lives.keep();
    machine.early_exit_handlers.clone_from(&machine.exit_handlers);
    machine.early_quick_exit_handlers.clone_from(&machine.quick_exit_handlers);
    machine.threads.say_ends = program.tries_to_join;
    machine.threads.most_woken = options.spurious_wakeups;
    machine.clocks.still = options.still_clock;
    machine.stuck = options.stuck;
    let engine = quotient_runtime::Options {
        settings: Settings {
            model: options.model,
            symmetry: options.symmetry,
            spurious_failures: options.spurious_failures,
            max_events: options.max_events,
            max_threads: world::THREADS as u32 - 1,
        },
        limits: Limits {
            executions: options.max_executions.map(|most| most.div_ceil(share.map_or(1, |(_, of)| of.into()))),
            time: options.time_left(),
        },
        replay: options.replay.clone(),
        patience: options.patience,
        noise: options.noise,
        host: Some(Arc::new(Native)),
        share,
        knowledge: knowledge.clone(),
        ..quotient_runtime::Options::default()
    };
    machine.likeness.matters = options.symmetry;
    machine.likeness.by_function = options.ids && options.symmetry;
    let started = Instant::now();
    let outcome = quotient_runtime::check(engine.clone(), Arc::new(move || threads::run_main(main)));
    if let Some(failure) = outcome.failure.as_ref().filter(|failure| failure.violation.kind == ViolationKind::Replay) {
        let message = &failure.violation.message;
        return Err(Problem::new(format!("the text of --replay is not an execution of this program: {message}")));
    }
    let learnt = outcome.learnt.then(|| Learnt::of(&outcome.knowledge));
    let results = machine.likeness.results();
    let mut answer = answer(outcome, options, started.elapsed());
    let first = share.is_none_or(|(index, _)| index == 0);
    let is_asked = options.symmetry && !options.ids && options.replay.is_none();
    if is_asked && first && learnt.is_none() && answer.violation.is_none() {
        answer.notes.extend(likeness::offer(engine, main));
    }
    Ok(Part { answer, learnt, results, waits: machine.waits_for_others, woken_at: wakeups::place() })
}

fn answer(mut outcome: Outcome, options: &Options, time: Duration) -> Answer {
    let machine = machine();
    if let Some(failure) = &mut outcome.failure {
        say_who_holds(failure);
    }
    let mut violation = outcome.failure.as_ref().map(|failure| retell(failure, options.model, None));
    let kind = outcome.failure.as_ref().map(|failure| failure.violation.kind);
    if let (Some(violation), Some(mistake)) = (&mut violation, machine.mistake)
        && kind != Some(ViolationKind::Nondeterminism)
    {
        violation.kind = mistake.name().to_owned();
    }
    let statistics = outcome.statistics;
    let (verdict, reason) = match (kind, outcome.stop) {
        (Some(ViolationKind::Bound | ViolationKind::Nondeterminism), _) => (Verdict::Inconclusive, None),
        (Some(_), _) => (Verdict::Violated, None),
        (None, Some(Stop::Replay)) if statistics.complete == 0 => (
            Verdict::Inconclusive,
            Some("this execution does not run to its end, and shows nothing wrong; it is the only one that was run"),
        ),
        (None, Some(Stop::Replay)) => {
            (Verdict::Inconclusive, Some("this execution shows nothing wrong; it is the only one that was run"))
        }
        (None, Some(Stop::Executions)) => (Verdict::Inconclusive, Some("the limit on executions was reached")),
        (None, Some(Stop::Time)) => (Verdict::Inconclusive, Some("the time was not enough")),
        (None, Some(Stop::Loop)) => (Verdict::Inconclusive, outcome.undecided.as_deref()),
        (None, _) if statistics.cyclic > 0 => (
            Verdict::Inconclusive,
            Some(
                "like threads write to the same memory in ways for which one execution per orbit may not be enough; \
                 check again with --symmetry off",
            ),
        ),
        (None, _) if machine.cut.is_some() => (Verdict::Inconclusive, machine.cut),
        (None, _) => (Verdict::Holds, None),
    };
    let warning = machine.leak_warning.take().map(|(message, site)| {
        let place = site.and_then(|site| Native.place_of(site));
        place.map_or(message.clone(), |(file, line, _)| format!("{message} ({file}:{line})"))
    });
    let mut warnings = Vec::from_iter(warning);
    warnings.extend(machine.order.warnings(machine));
    warnings.extend(violation.as_ref().and_then(explain_names));
    let mut notes = likeness::notes(!outcome.knowledge.told_apart.is_empty());
    notes.extend(machine.order.notes(machine));
    notes.extend(machine.stuck_note.take());
    let output =
        if violation.is_some() { String::from_utf8_lossy(&machine.output).into_owned() } else { String::new() };
    Answer {
        verdict,
        stop: outcome.stop.map(|stop| name_of(stop).to_owned()),
        violation,
        output,
        warnings,
        notes,
        reason: reason.map(str::to_owned),
        orders_addresses: !machine.order.compared.is_empty(),
        stats: Stats {
            executions: statistics.complete,
            blocked: statistics.blocked,
            events: statistics.events,
            revisits: statistics.revisits,
            longest: statistics.longest,
            told_apart: !outcome.knowledge.told_apart.is_empty(),
            retraced: machine.likeness.runs,
            seconds: time.as_secs_f64(),
        },
    }
}

/// What the names of values of 16 bytes stand for that a report has.
fn explain_names(execution: &Execution) -> Option<String> {
    let accesses = execution.steps.iter().filter_map(|step| match &step.action {
        Action::Access(access) => Some([access.expected, access.read, access.written]),
        _ => None,
    });
    let names: BTreeSet<u64> = accesses.flatten().flatten().collect();
    let explain = |name: u64| machine().wide.named(name).map(|value| format!("{name:#x} is {value:#x}"));
    let explained: Vec<String> = names.into_iter().filter_map(explain).collect();
    (!explained.is_empty()).then(|| format!("values of 16 bytes have names in this report: {}", explained.join(", ")))
}

fn name_of(stop: Stop) -> &'static str {
    match stop {
        Stop::Executions => "max-executions",
        Stop::Time => "max-time",
        Stop::Replay => "replay",
        Stop::Loop => "loop",
    }
}

/// Adds to the message of a deadlock who holds what the others wait for.
fn say_who_holds(failure: &mut Failure) {
    if failure.violation.kind != ViolationKind::Deadlock {
        return;
    }
    let machine = machine();
    let mut held = Vec::new();
    for waiting in &failure.waiting {
        let Some(location) = waiting.location else { continue };
        let last = failure.graph.location(location).last();
        if waiting.why == "for a mutex" && last.is_real() && failure.graph.event(last).value != 0 {
            let address = machine.names.get(location as usize).map_or(0, |name| name.0);
            let place = Native.place_of(failure.graph.event(last).site);
            let place = place.map_or(String::new(), |(file, line, _)| format!(" since {file}:{line}"));
            let one = format!("thread {} holds {}{place}", last.thread(), machine.describe_memory(address));
            if !held.contains(&one) {
                held.push(one);
            }
        }
    }
    if !held.is_empty() {
        failure.violation.message = format!("{}; {}", failure.violation.message, held.join(", "));
    }
}

/// The host of the program that this process has loaded.
struct Native;

impl Host for Native {
    fn begin(&self) {
        child::note_begin();
        crash::prepare_thread();
        let machine = machine();
        machine.running = false;
        if let Some(image) = &machine.image {
            image.restore();
        }
        machine.begin();
        machine.running = true;
    }

    fn stack(&self, thread: u32) -> (usize, usize) {
        world::stack(thread)
    }

    fn callee(&self, function: usize) -> Callee {
        machine().image.as_ref().map_or(Callee::Unknown, |image| image.symbols.callee(function))
    }

    fn watch(&self, thread: u32) {
        machine().journal = Some((thread, Vec::new()));
    }

    fn unwatch(&self) {
        machine().journal = None;
    }

    fn mark(&self, thread: u32) -> Mark {
        let machine = machine();
        let notes = machine.journal.as_ref().map_or(0, |(_, journal)| journal.len());
        Mark {
            notes,
            counts: [machine.heap.count(thread), machine.threads.count(thread), machine.deeds[thread as usize]],
        }
    }

    fn changes(&self, thread: u32, since: Mark) -> Changes {
        let Mark { counts, .. } = self.mark(thread);
        let machine = machine();
        // What is in use of the stack is looked at as a whole, and what is below does not matter.
        let (lowest, highest) = world::stack(thread);
        let journal = machine.journal.as_ref().map_or(&[][..], |(_, journal)| &journal[since.notes..]);
        let mut words = BTreeMap::new();
        for &(address, size, old) in journal.iter().filter(|(address, ..)| !(lowest..highest).contains(address)) {
            for (offset, &old) in old.to_le_bytes()[..usize::from(size)].iter().enumerate() {
                // SAFETY: the memory was written through this address, and exists for the whole execution.
                let new = unsafe { *((address + offset) as *const u8) };
                words.entry(address + offset).or_insert((u64::from(old), u64::from(new)));
            }
        }
        Changes { words, counts: std::array::from_fn(|index| counts[index].wrapping_sub(since.counts[index])) }
    }

    fn has_written(&self, thread: u32, after: u32, before: u32) -> bool {
        let written = machine().written.get(thread as usize);
        written.is_some_and(|written| written.iter().any(|position| (after..=before).contains(position)))
    }

    fn address_of(&self, location: LocationId) -> usize {
        machine().names.get(location as usize).map_or(0, |&(address, _)| address)
    }

    fn describe_memory(&self, address: usize) -> String {
        machine().describe_memory(address)
    }

    fn has_ended(&self) -> bool {
        machine().ended
    }

    fn is_wrong_at_end(&self, stuck: &[(u32, &'static str, Site)]) -> bool {
        let machine = machine();
        if machine.stuck == Stuck::Note && machine.stuck_note.is_none() {
            let one = |&(thread, why, site): &(u32, &str, Site)| {
                let place = Native.place_of(site).map_or(String::new(), |(file, line, _)| format!(" ({file}:{line})"));
                format!("thread {thread} waits {why}{place}")
            };
            let list: Vec<String> = stuck.iter().map(one).collect();
            machine.stuck_note = Some(format!(
                "in some executions threads wait for ever when the program ends: {}; --stuck-threads error makes that an error",
                list.join(", ")
            ));
        }
        machine.stuck == Stuck::Error
    }

    fn leak(&self) -> Option<(String, Option<Site>)> {
        let machine = machine();
        if machine.leaks == Leaks::Ignore || (machine.leaks == Leaks::Warn && machine.leak_warning.is_some()) {
            return None;
        }
        let leaked = crate::heap::leaked(machine);
        let first = leaked.first()?;
        let others = if leaked.len() == 1 { String::new() } else { format!(", and {} more", leaked.len() - 1) };
        let message = format!("leak: a block of {} bytes is never freed{others}", first.size);
        let site = machine.site(first.pc);
        if machine.leaks == Leaks::Warn {
            machine.leak_warning = Some((message, Some(site)));
            return None;
        }
        Some((message, Some(site)))
    }

    fn place_of(&self, site: Site) -> Option<(String, u32, u32)> {
        let machine = machine();
        let pc = *machine.places.get(&(std::ptr::from_ref(site) as usize))?;
        machine.image.as_ref()?.symbols.place(pc)
    }

    fn related(&self) -> Vec<(EventId, String, Site)> {
        let machine = machine();
        let racing = std::mem::take(&mut machine.racing);
        let event = |point: Point| EventId::new(point.thread, point.position);
        racing.into_iter().map(|(point, what, pc)| (event(point), what.to_owned(), machine.site(pc))).collect()
    }

    fn name_of(&self, location: LocationId) -> Option<String> {
        let machine = machine();
        let (address, _) = *machine.names.get(location as usize)?;
        (address != 0).then(|| machine.label(address))
    }

    fn is_in_doubt(&self, class: u64) -> bool {
        machine().likeness.is_in_doubt(class)
    }

    fn before_retrace(&self, _class: u64, places: &Places) {
        likeness::before_retrace(places);
    }

    fn renamed_value(&self, places: &Places, location: LocationId, value: u64) -> u64 {
        likeness::renamed_value(places, location, value)
    }

    fn after_retrace(&self, class: u64, places: &Places, explorer: &Explorer) -> Option<String> {
        likeness::after_retrace(class, places, explorer)
    }

    fn why_not(&self) -> String {
        "they start or join threads, or depend on each other in a way that cannot be run again in other places"
            .to_owned()
    }

    fn refute(&self, class: u64, members: &[u32], reason: String) -> Option<(String, Option<Site>)> {
        likeness::refute(class, members, reason)
    }
}
