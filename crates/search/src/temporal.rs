//! Temporal searches: whether some run of a model violates a claim about whole runs. An automaton watches the runs
//! (`observer.rs`), and a search looks for a cycle that it accepts, or for a run whose every continuation it accepts.
//!
//! | part | what it is | file |
//! |---|---|---|
//! | `System` | what a model can do from a state in which everyone may move | `system.rs` |
//! | `Successors` | what can happen in a state | `successors.rs` |
//! | `Observer` | the automaton that accepts violating runs | `observer.rs` |
//! | `Claimed` | a never claim as an automaton | `claimed.rs` |
//! | `Search` | strongly connected components, found on the fly | `scc.rs` |
//! | `Stack` | the successors that are still to be followed | `stack.rs` |
//! | `Nested` | nested depth-first search, as SPIN's verifiers do it | `nested.rs` |
//! | `Component` | a component looked at again: the cycle to be told | `component.rs` |
//! | | the violation that is told first, by distance | `shortest.rs` |
//! | | strong fairness inside a component | `strong.rs` |
//! | `Threads` | weak fairness where threads change places, come and go | `threads.rs` |
//! | | cycles that close but for what nobody reads | `unroll.rs` |
//! | `Keys`, `Partition` | under which bytes and names pairs are stored | `names.rs` |
//! | `Saving`, `Before` | checkpoints | `saved.rs` |
//! | | which reductions the property allows | `reduction.rs`, `stabiliser.rs`, `unapplied.rs` |
//! | `Family` | conjuncts of which one is enough | `conjuncts.rs` |

mod bits;
mod claimed;
mod component;
mod conjuncts;
mod names;
mod nested;
mod observer;
mod reduction;
mod saved;
mod scc;
mod shortest;
mod stabiliser;
mod stack;
mod strong;
mod successors;
mod system;
mod threads;
mod unapplied;
mod unroll;

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use quotient_canon::{HeapReducer, HeapStrategy, Reducer};
use quotient_ir::{Claim, ClaimKind, Expr, Model};
use quotient_por::Reduction;
use quotient_report::source::Span;
use quotient_step::Fault;
use quotient_step::machine::{Naming, Program};
use quotient_step::replay::Path;

use crate::engine::Expander;
use crate::{Order, Progress, Reduce, Session, Stop};
pub use bits::Bits;
use names::Keys;
use observer::{Observer, Watched};
use reduction::Reductions;
use saved::Saving;
use system::{System, Watch};
pub use unapplied::Unapplied;

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// Those in which a process that can move from some time on without a break does move.
    Weak,
    /// Those in which a process that can move again and again does move again and again.
    Strong,
}

/// How cycles are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// By strongly connected components.
    #[default]
    Scc,
    /// By a nested depth-first search that counts as SPIN's verifiers do.
    Nested,
}

/// What to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Reductions and limits. `all_errors` is for the nested search only.
    pub search: crate::Options,
    /// Which runs count.
    pub fairness: Fairness,
    /// The process types that fairness is about; all if nothing is said.
    pub fair_to: Option<Bits>,
    /// How cycles are looked for.
    pub algorithm: Algorithm,
    /// A rule that is left out. That is wrong, and is there to see that it is noticed.
    #[doc(hidden)]
    pub left_out: Option<LeftOut>,
}

/// A rule that a test leaves out.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// One of partial-order reduction.
    Order(quotient_por::Rule),
    /// Processes that take each other's places are treated fairly together.
    Partition,
}

/// What a run shows that violates a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LassoKind {
    /// A cycle with an acceptance label, of a process or of a never claim.
    AcceptanceCycle,
    /// A cycle without a progress label.
    NonProgressCycle,
    /// The formula is false on the run.
    LtlViolated,
    /// A never claim has come to its end.
    ClaimCompleted,
    /// An assertion of a never claim fails.
    ClaimAssertion,
}

/// A run that violates a claim: a beginning, and a cycle that repeats forever.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// What it shows.
    pub kind: LassoKind,
    /// The events of the beginning, and then those of the cycle.
    pub path: Path,
    /// Where the cycle begins in the path. If that is its end, nothing can happen any more, and the last state repeats for
    /// ever. None if the run violates the claim however it goes on.
    pub loop_start: Option<usize>,
}

/// How large an automaton is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Its states.
    pub states: usize,
    /// Its acceptance sets.
    pub sets: u32,
}

/// Which reductions were applied.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// Partial-order reduction; otherwise why it was not, if it was asked for.
    pub order: Option<Result<(), Unapplied>>,
    /// Symmetry reduction; likewise.
    pub symmetry: Option<Result<(), Unapplied>>,
}

/// What a temporal search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Runs that violate the claim. If there is none and the search was not stopped, the claim holds.
    pub lassos: Vec<Lasso>,
    /// How many there were, with the errors of steps if SPIN counts them.
    pub errors: u64,
    /// Steps that went wrong. They are safety's business; runs end there.
    pub faults: u64,
    /// A proposition that cannot be worked out, and the run to the state where it is so. It stops the search.
    pub unknown: Option<(Fault, Path)>,
    /// Pairs of a state and an automaton's state that were stored.
    pub states: u64,
    /// The same, counted again for each search that visits them.
    pub visited: u64,
    /// Pairs met again.
    pub matched: u64,
    /// The longest path, in steps.
    pub depth: u64,
    /// Bytes of the visited set.
    pub store_bytes: u64,
    /// Those of them that tell the states.
    pub payload_bytes: u64,
    /// Bytes of the largest state.
    pub state_bytes: u64,
    /// How long it took.
    pub time: Duration,
    /// Why it ended early.
    pub stop: Option<Stop>,
    /// The automaton.
    pub automaton: Size,
    /// Which reductions were applied.
    pub applied: Applied,
    /// A promise that partial-order reduction relied on was not kept, or left behind.
    broken: bool,
    /// A violation was not found again in the user's names.
    torn: bool,
    /// Some run was cut: it was longer than the limit on depth, or an atomic sequence went on and on.
    cut: bool,
    /// For a model with a heap, which states were taken for one, and why not more.
    pub heap: Option<(HeapStrategy, Option<Unapplied>)>,
    /// For each proposition of a formula, whether it was ever true, and ever false.
    pub ever: Vec<(bool, bool)>,
    /// A shortest violation was asked for, and there may be a shorter one than that which is told.
    pub may_be_shorter: bool,
    /// How many conjuncts of the formula were not checked because renamings exchange them with one that was.
    pub by_symmetry: u64,
}

impl Found {
    /// Adds what was found about a part of the formula, whose propositions have these numbers in the whole.
    fn add(&mut self, part: Found, propositions: &[usize]) {
        for (&number, ever) in propositions.iter().zip(part.ever) {
            self.ever[number] = ever;
        }
        self.errors += part.errors;
        self.faults += part.faults;
        self.states += part.states;
        self.visited += part.visited;
        self.matched += part.matched;
        self.depth = self.depth.max(part.depth);
        self.store_bytes = self.store_bytes.max(part.store_bytes);
        self.payload_bytes = self.payload_bytes.max(part.payload_bytes);
        self.state_bytes = self.state_bytes.max(part.state_bytes);
        self.automaton.states += part.automaton.states;
        self.automaton.sets = self.automaton.sets.max(part.automaton.sets);
        (self.time, self.applied, self.lassos) = (part.time, part.applied, part.lassos);
        (self.stop, self.unknown, self.broken) = (part.stop, part.unknown, part.broken);
        self.heap = part.heap;
        self.may_be_shorter = part.may_be_shorter;
    }
}

/// Why a claim cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It is too large.
    #[error("{0}")]
    TooLarge(String),
    /// It contains something that is not supported.
    #[error("{message} is not supported")]
    Unsupported {
        /// Where.
        span: Span,
        /// What.
        message: String,
    },
    /// The options do not go together.
    #[error("{0}")]
    Options(&'static str),
    /// The checkpoint to go on from cannot be used.
    #[error("{1}")]
    Checkpoint(io::ErrorKind, String),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Checkpoint(error.kind(), error.to_string())
    }
}

/// Looks for a run that violates a claim. The observer is called now and then; the search ends when it gives back false.
///
/// # Errors
/// Why the claim cannot be checked.
pub fn check(
    model: &Model,
    claim: &Claim,
    options: &Options,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> Result<Found, Refused> {
    check_in(model, claim, options, Session::default(), observer)
}

/// As [`check`], keeping checkpoints, or going on from one.
///
/// # Errors
/// Why the claim cannot be checked, or the checkpoint not be used.
pub fn check_in(
    model: &Model,
    claim: &Claim,
    options: &Options,
    session: Session<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> Result<Found, Refused> {
    if options.algorithm == Algorithm::Nested && options.fairness != Fairness::None {
        return Err(Refused::Options("the nested search knows no fairness; use the default algorithm"));
    }
    let seen = if options.algorithm == Algorithm::Scc { model.seen_by(Some(claim)) } else { Cow::Borrowed(model) };
    let model = &*seen;
    let mut saving = Saving::new(session, claim.propositions.len())?;
    let Some(families) = conjuncts::families(model, claim, options) else {
        return check_whole(&model.naming(claim), claim, options, &mut saving, observer);
    };
    let mut all = saving.before.found();
    for (number, family) in families.iter().enumerate().skip(saving.before.parts) {
        let found = check_whole(&model.naming(&family.claim), &family.claim, options, &mut saving, observer)?;
        let is_last = !found.lassos.is_empty() || found.stop.is_some() || found.unknown.is_some();
        all.by_symmetry += family.others as u64;
        all.add(found, &family.propositions);
        if is_last {
            break;
        }
        saving.before.take(number + 1, &all);
    }
    all.time = saving.elapsed();
    Ok(all)
}

/// Looks for a run that violates a claim, which is not taken apart.
fn check_whole(
    model: &Model,
    claim: &Claim,
    options: &Options,
    saving: &mut Saving<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> Result<Found, Refused> {
    let nested = options.algorithm == Algorithm::Nested;
    let automaton = Observer::new(model, claim, nested)?;
    let mut reductions = Reductions::new(model, claim, &automaton, options);
    let asked = ClaimRequest { options, automaton: &automaton, kind: kind(claim), started: saving.started };
    if saving.before.broken {
        reductions.drop_order(Unapplied::NotKept);
    }
    if saving.before.torn {
        reductions.drop_symmetry(Unapplied::NotFoundAgain);
    }
    // In a model with a heap, what nobody reads keeps its value.
    let may_reset = options.search.reduce == Reduce::Full && !nested && model.heap.is_none();
    let mut resets = may_reset && !saving.before.unread;
    let mut found = search(model, asked, &reductions, resets, saving, observer)?;
    if found.broken {
        reductions.drop_order(Unapplied::NotKept);
        saving.before.broken = true;
        found = search(model, asked, &reductions, resets, saving, observer)?;
    }
    if found.torn {
        reductions.drop_symmetry(Unapplied::NotFoundAgain);
        saving.before.torn = true;
        found = search(model, asked, &reductions, resets, saving, observer)?;
    }
    if resets || model.heap.is_some() {
        let lassos: Option<Vec<Lasso>> = found.lassos.iter().map(|lasso| unroll::unrolled(model, lasso)).collect();
        resets = lassos.is_some();
        match lassos {
            Some(lassos) => found.lassos = lassos,
            None => {
                saving.before.unread = true;
                found = search(model, asked, &reductions, resets, saving, observer)?;
            }
        }
    }
    if options.search.order == Order::BreadthFirst && !nested && !found.lassos.is_empty() {
        let shorter = shortest::shortest(system(&mut Program::new(model), asked, None), asked, observer);
        let (lasso, is_shortest) = match shorter {
            Some((lasso, is_shortest)) if model.heap.is_some() => (unroll::unrolled(model, &lasso), is_shortest),
            Some((lasso, is_shortest)) => (Some(lasso), is_shortest),
            None => (None, false),
        };
        found.may_be_shorter = !is_shortest || lasso.is_none();
        found.lassos = lasso.into_iter().chain(std::mem::take(&mut found.lassos)).take(1).collect();
    }
    found.applied = reductions.applied();
    found.heap = reductions.heap.clone();
    if !matches!(claim.kind, ClaimKind::Ltl { .. }) {
        found.ever.clear();
    }
    found.automaton = automaton.size();
    found.time = saving.elapsed();
    Ok(found)
}

/// One search with the reductions that are applied.
fn search(
    model: &Model,
    asked: ClaimRequest,
    reductions: &Reductions,
    resets: bool,
    saving: &mut Saving<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<Found> {
    let mut program = Program::new(model);
    if resets {
        // What a formula reads is not dead (`quotient_ir::dead`), nor is what a claim does.
        program = program.with_resets();
    }
    let order = match &reductions.order {
        Some(Ok(order)) => Some(order.clone()),
        _ => None,
    };
    let schema = program.schema.clone();
    let mut system = system(&mut program, asked, order);
    let strategy = reductions.heap.as_ref().map(|(strategy, _)| *strategy);
    if strategy == Some(HeapStrategy::None) {
        system.machine().name_records(Naming::Allocation);
    }
    let heap = strategy.and_then(|strategy| HeapReducer::new(model, &schema, strategy));
    let reducer = match &reductions.symmetry {
        Some(Ok((model, strategy))) => Reducer::new(model, &schema, *strategy),
        _ => None,
    };
    let node_bytes = if asked.automaton.nodes.len() <= 1 << 8 { 1 } else { 2 };
    let keys = Keys { reducer, heap, hidden: schema.hidden as usize, node_bytes };
    match asked.options.algorithm {
        Algorithm::Nested => nested::search(system, asked, saving, observer),
        Algorithm::Scc => scc::search(system, keys, asked, saving, observer),
    }
}

/// The states of a model with what is watched of them.
fn system<'p, 'm>(program: &'p mut Program<'m>, asked: ClaimRequest, order: Option<Reduction>) -> System<'p, 'm> {
    let watched = &asked.automaton.watched;
    let code: Vec<Watch> = watched
        .iter()
        .map(|watched| match watched.expr() {
            Some((expr, span)) => {
                let rest = watched.at_rest().map(|(expr, span)| program.watch(&expr, span));
                Watch::Code(program.watch(&expr, span), rest)
            }
            None => Watch::Accepting,
        })
        .collect();
    let asks_timeout = watched.iter().any(|watched| match watched {
        Watched::Expr(expr, _) => expr.any(&|e| matches!(e, Expr::Timeout)),
        _ => false,
    });
    let promises = order.is_some();
    let expander = Expander::new(program, order, true, promises);
    let fair = (asked.options.fairness != Fairness::None).then(|| asked.options.fair_to.unwrap_or(Bits::ALL));
    System::new(expander, code, asks_timeout, fair)
}

/// What a search is to do.
#[derive(Clone, Copy)]
struct ClaimRequest<'a> {
    options: &'a Options,
    automaton: &'a Observer<'a>,
    kind: LassoKind,
    started: Instant,
}

impl ClaimRequest<'_> {
    /// Whether so many stored pairs are as many as allowed.
    fn is_full(&self, states: u64) -> bool {
        self.options.search.max_states.is_some_and(|most| states >= most)
    }

    /// Why the search must end now, if it must: it has stored so many states, and takes so many bytes.
    fn limit(&self, states: u64, bytes: u64) -> Option<Stop> {
        let options = &self.options.search;
        if self.is_full(states) {
            Some(Stop::States)
        } else if options.max_time.is_some_and(|most| self.started.elapsed() >= most) {
            Some(Stop::Time)
        } else if options.max_memory.is_some_and(|most| bytes >= most) {
            Some(Stop::Memory)
        } else {
            None
        }
    }
}

/// The limits are looked at once in so many turns.
const TICK: u64 = 1024;

fn kind(claim: &Claim) -> LassoKind {
    match claim.kind {
        ClaimKind::Ltl { .. } => LassoKind::LtlViolated,
        ClaimKind::Progress => LassoKind::NonProgressCycle,
        _ => LassoKind::AcceptanceCycle,
    }
}
