//! One search engine for models: depth-first in SPIN's order or breadth-first, with or without partial-order
//! reduction, storing what it met in a visited set that is exact. It never prints; it fills an [`Exploration`] and calls an
//! observer.
//!
//! # Where things are
//!
//! - `explore.rs` is what callers see: it starts searches, and starts again without a reduction that was not right.
//! - `engine.rs` puts the parts of a search together, and says what they are; `engine/advance.rs` is one turn of its
//!   loop. The parts know little of each other: `engine/expander.rs` says what a state can do next, with the machine and
//!   partial-order reduction; `engine/frontier.rs` and `engine/breadth.rs` in which order states are expanded;
//!   `engine/visited.rs` what was seen, under which key; `engine/visitor.rs` what is done when a state is entered, met
//!   again and left (nothing, for safety). Order and visitor are parameters of the engine, so that they cost nothing
//!   where they do nothing. The visited set is a parameter of the order; `storage.rs` chooses it.
//! - `engine/closure.rs` takes local steps without a choice at once, and chooses who moves alone, as the model alone says
//!   (`--reduce full`). With `--reduce spin` the proviso on the stack decides, in `engine.rs`.
//! - `engine/stack.rs` is the run that the search is on, `frame.rs` its frames, `engine/deep.rs` packs what lies deep in
//!   it; `engine/postponed.rs` a successor that waits to be looked up; `engine/atomic.rs` passes through atomic
//!   sequences, `engine/limits.rs` watches time and memory, `engine/violation.rs` notes what went wrong; `path.rs` finds
//!   the events between stored states.
//! - With symmetry, a state is looked up by its representative's bytes, and the search goes on from the state itself
//!   (figure 4 of "Symmetric Spin"). The proviso of partial-order reduction sees representatives.
//! - `engine/nets.rs` checks what the reductions rely on, with the reference interpreter: `engine/commute.rs` that
//!   renaming and moving commute, `engine/leftout.rs` that what was left out commutes with what was not;
//!   `engine/sample.rs` keeps the states to look at. What a net catches is dropped, and `explore` starts again.
//! - `engine/saved.rs` is what a checkpoint holds, `engine/format.rs` how it is written, `checkpoint.rs` who keeps it;
//!   `segments.rs` has the lists and queues of breadth-first search.
//! - `temporal.rs` checks claims about whole runs: `temporal/system.rs` makes the successors of a state in which everyone
//!   may move, `observer.rs` is the automaton that accepts violations, `scc.rs` looks for accepting components on the
//!   fly, with fairness as more marks, `nested.rs` is SPIN's nested search with its counts, `strong.rs` is strong
//!   fairness, `component.rs` finds the cycle that is told and `shortest.rs` the shortest one; `reduction.rs` and
//!   `stabiliser.rs` say which reductions a property allows, `names.rs` who is who under symmetry. It shares the expander
//!   with the engine of safety searches, and nothing else.
//! - `naive.rs` is a search of fifty lines on the reference interpreter, to which tests hold the engine.
//!
//! # What must stay true
//!
//! - It never prints. It fills an `Exploration` and calls an observer.
//! - All that a search does depends on what `engine/saved.rs` writes. Whoever adds a field to a part of `Engine` that
//!   outlives a step adds it there; `tests/checkpoints.rs` compares everything.
//! - The search expands concrete states, so the stack is always a real run, with every step that was not stored.
//! - With `--reduce full`, what is stored and explored from a state is a function of the state. Whoever asks what was
//!   visited before breaks the proof in `docs/src/reduction.md`; `tests/models.rs` compares both orders.

#![forbid(unsafe_code)]

pub mod checkpoint;
mod engine;
mod explore;
mod frame;
pub mod modular;
pub mod naive;
mod path;
mod segments;
mod storage;
pub mod temporal;

pub use checkpoint::{Keeper, Session};
pub use explore::{Progress, explore, explore_in};
pub use quotient_step::replay::{Error, Event, Path};
pub use storage::Storage;

use std::collections::BTreeSet;
use std::time::Duration;

use quotient_canon::{Counts, HeapStrategy, Strategy};
use quotient_ir::Property;
use quotient_por::HeapRule;
use quotient_step::Choice;
use quotient_step::reference::State;
use serde::{Deserialize, Serialize};

/// In which order states are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Depth-first, in SPIN's order.
    #[default]
    DepthFirst,
    /// Breadth-first: a counterexample is a shortest one (counted in stored states).
    BreadthFirst,
}

/// What a search leaves out, beside symmetric states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reduce {
    /// Nothing.
    #[default]
    Off,
    /// What SPIN's partial-order reduction leaves out, as far as that is right. It depends on the order of the search.
    Spin,
    /// What depends on the model alone: what nobody will read is written over, local steps without a choice are taken at
    /// once, and one process alone is expanded where that is enough.
    Full,
}

impl Reduce {
    /// Whether anything is left out.
    pub fn is_on(self) -> bool {
        self != Reduce::Off
    }
}

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// In which order.
    pub order: Order,
    /// What is left out beside symmetric states.
    pub reduce: Reduce,
    /// Believe what SPIN's partial-order reduction believes, although it is not checked (see [`quotient_por::Trust`]). For
    /// reproducing SPIN's numbers: errors can be lost.
    pub trust: bool,
    /// Symmetry reduction, where the model has a symmetry that allows it.
    pub symmetry: Option<Strategy>,
    /// Which states of a model with a heap are taken for one.
    pub heap: HeapStrategy,
    /// In a model with a heap, making a record is local where its process alone can reach it.
    pub symmetric_independence: bool,
    /// How visited states are kept.
    pub store: Storage,
    /// On how many states, sampled at random, to check that the reductions are right; besides there are the first ones of
    /// every kind. None are checked if it is 0. In a large search fewer are, so that it costs little.
    pub selfcheck: usize,
    /// Go on after the first violation.
    pub all_errors: bool,
    /// Stop after so many states.
    pub max_states: Option<u64>,
    /// Do not go deeper than so many steps.
    pub max_depth: Option<u64>,
    /// Stop after so long.
    pub max_time: Option<Duration>,
    /// Stop when the visited set and the stack take so many bytes.
    pub max_memory: Option<u64>,
    /// Process types, a bit each, whose steps are taken for local whatever they do. That is wrong, and is there to see
    /// that it is noticed.
    #[doc(hidden)]
    pub believed: u64,
    /// A rule for models with a heap that is left out, in the same way.
    #[doc(hidden)]
    pub left_out: Option<HeapRule>,
}

/// How many states are sampled to check reductions, unless it is said.
pub const SELFCHECK: usize = 256;

impl Default for Options {
    fn default() -> Self {
        Options {
            order: Order::DepthFirst,
            reduce: Reduce::Off,
            trust: false,
            symmetry: None,
            heap: HeapStrategy::default(),
            symmetric_independence: true,
            store: Storage::Auto,
            selfcheck: SELFCHECK,
            all_errors: false,
            max_states: None,
            max_depth: None,
            max_time: None,
            max_memory: None,
            believed: 0,
            left_out: None,
        }
    }
}

/// Why a search ended before everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The first violation was asked for, and found.
    Violation,
    /// As many states as allowed.
    States,
    /// Some paths were cut at the depth allowed.
    Depth,
    /// As long as allowed.
    Time,
    /// As much memory as allowed.
    Memory,
    /// The observer asked for it.
    Interrupted,
    /// A state is longer than the visited set can keep.
    StateSize,
    /// The visited set has no numbers left for parts of states.
    StoreFull,
}

/// Whether searches check a property of a model. Claims about whole runs are not checked yet.
pub fn checks(property: Property) -> bool {
    matches!(property, Property::Assertion | Property::InvalidEndState)
}

/// A violation and the run that leads to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// What went wrong.
    pub error: Error,
    /// The run; for a fault its last event shows it.
    pub path: Path,
    /// Whether it is the first of its kind at its place.
    pub first: bool,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Violations, in the order found. After [`MOST_VIOLATIONS`], only the first of each kind at each place is kept; and
    /// after a few million steps in all, none.
    pub violations: Vec<Violation>,
    /// How many there were.
    pub errors: u64,
    /// The kinds of all of them, by [`Error::kind`].
    pub kinds: BTreeSet<&'static str>,
    /// States stored.
    pub states: u64,
    /// States met again.
    pub matched: u64,
    /// Steps that kept control inside an atomic sequence.
    pub atomic_steps: u64,
    /// The longest path, in steps.
    pub depth: u64,
    /// How visited states were kept: `exact` or `tree`.
    pub store: &'static str,
    /// Bytes of the visited set.
    pub store_bytes: u64,
    /// Bytes of it that tell the states, without what finds them.
    pub payload_bytes: u64,
    /// Bytes of the largest state.
    pub state_bytes: u64,
    /// Steps without a choice that were taken at once, so that nothing was stored before them.
    pub skipped: u64,
    /// States at which the moves of one process were enough.
    pub reduced: u64,
    /// On how many of them that was checked.
    pub order_checked: u64,
    /// What symmetry reduction did, where it was applied.
    pub symmetry: Option<Reduced>,
    /// For a model with a heap, which states were taken for one. It is [`HeapStrategy::Heap`] where threads cannot change
    /// places ([`quotient_canon::heap::obstacle`]).
    pub heap: Option<HeapStrategy>,
    /// Reductions that turned out not to be right: the search was started again without them.
    pub dropped: Vec<Dropped>,
    /// Which statements were executed, by process type.
    pub reached: Vec<Vec<bool>>,
    /// Why it ended early.
    pub stop: Option<Stop>,
    /// How long it took, with the searches before the checkpoint it went on from.
    pub time: Duration,
}

/// What symmetry reduction did.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// How often and for how long representatives were looked for.
    pub counts: Counts,
    /// How many states the stored ones stand for, where that can be told.
    pub represented: Option<Represented>,
    /// On how many states renaming and moving were checked to commute.
    pub checked: usize,
}

/// A reduction that turned out not to be right.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Dropped {
    /// Symmetry reduction: the model is not symmetric in the way that was said.
    Symmetry {
        /// A state at which that shows.
        asymmetry: Box<Asymmetry>,
        /// How many states were looked at.
        checked: usize,
    },
    /// Partial-order reduction.
    Order(Disorder),
}

/// Why partial-order reduction was dropped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Disorder {
    /// A process that promised to be alone on a channel ended, and someone else could still use it.
    Promise {
        /// The type of the process.
        proctype: usize,
    },
    /// The moves of a process were taken for enough, but another one's do not commute with them.
    Step {
        /// The state.
        state: Box<State>,
        /// The process that was chosen.
        process: usize,
        /// What another one can do.
        other: Choice,
    },
    /// In a model with a heap, states that were left out may have more records than allowed.
    Records {
        /// How many they may have.
        may_be: u64,
    },
}

/// How many states there would be without symmetry reduction, as far as the search went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Represented {
    /// The sum of the sizes of the orbits.
    pub states: u64,
    /// Whether all orbits were counted, and not a sample of them.
    pub exact: bool,
}

/// A state whose renamed self behaves differently.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asymmetry {
    /// The state.
    pub state: State,
    /// The state renamed.
    pub renamed: State,
    /// What one of them can do and the other, with names changed, cannot; none when they differ in whether a run may end
    /// there.
    pub choice: Option<Choice>,
    /// Whether it is the renamed state that can do it.
    pub of_renamed: bool,
}

/// How many violations are kept with their runs, beside the first of each kind at each place.
pub const MOST_VIOLATIONS: usize = 100;
