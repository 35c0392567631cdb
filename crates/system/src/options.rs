//! How a search of a set of processes is made, as data. Follows the paper and section 7 of the design: what is left out, and how it is
//! found out what may be.

/// How a search is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// States are remembered, and not entered twice.
    pub stateful: bool,
    /// Which moves of a state are enough.
    pub persistent: Persistent,
    /// What was tried before is not tried again after something that it is independent of.
    pub sleep: bool,
    /// When two transitions are independent.
    pub independence: Independence,
    /// What is symmetric.
    pub symmetry: Symmetry,
    /// How symmetric states are found.
    pub compare: Compare,
    /// The largest number of transitions in a run.
    pub most_depth: Option<usize>,
    /// The largest number of transitions in all.
    pub most_transitions: Option<u64>,
    /// The largest number of states that are remembered.
    pub most_states: Option<u64>,
    /// A process that was started, and not made by another, may only exit with status 0.
    pub exit_status: bool,
    /// Looks for runs that go on forever and in which a process never ends, as long as scheduling is as fair as this.
    pub livelock: Option<Fairness>,
    /// Goes on after the first violation.
    pub all_violations: bool,
    /// Keeps the final states and the nodes of processes, for comparisons.
    pub keep: bool,
    /// A rule that is left out.
    pub damage: Option<Damage>,
}

/// What is expected of whoever decides who moves next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Whoever can always move moves at some time.
    Weak,
    /// Whoever can move again and again moves at some time.
    Strong,
}

/// Which moves of a state are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistent {
    /// All.
    All,
    /// Those of processes that nobody else can interfere with.
    Reach,
    /// One that gives back a semaphore, if there is one; else all. That is the paper's, and is right if semaphores are only
    /// taken and given back; where they are not, all.
    Paper,
}

/// When two transitions are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Independence {
    /// If they touch different things.
    Touches,
    /// If they touch different things, or if both orders were tried out and lead to the same state.
    Tried,
}

/// What is symmetric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Nothing.
    None,
    /// The processes that there are at the start may be rotated.
    Ring,
    /// The processes that there are at the start may change places.
    Full,
    /// These sets of programs, by index, may change places.
    Sets(Vec<Vec<usize>>),
}

/// How symmetric states are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Of moves that a renaming of the state to itself takes to each other, one is made.
    States,
    /// The same, but whether the state is renamed to itself is told by its run, as in the paper.
    Traces,
    /// One state is remembered for all that are renamed to each other.
    Canonical,
}

/// A rule that is left out, to see that it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// What sleeps goes on sleeping, whatever is done.
    SleepForever,
    /// One process is always enough.
    NoClosure,
    /// Symmetry is believed.
    BelieveSymmetry,
    /// A cycle may be closed by a reduced choice.
    NoProviso,
    /// What closes a cycle may sleep.
    SleepAfterCycle,
}

impl Options {
    /// States are remembered, and all reductions are used that need nothing to be declared.
    #[must_use]
    pub fn stateful() -> Self {
        Self {
            stateful: true,
            persistent: Persistent::Reach,
            sleep: true,
            independence: Independence::Tried,
            symmetry: Symmetry::None,
            compare: Compare::Canonical,
            most_depth: None,
            most_transitions: None,
            most_states: None,
            exit_status: false,
            livelock: None,
            all_violations: false,
            keep: false,
            damage: None,
        }
    }

    /// No states are remembered; the same reductions are used.
    #[must_use]
    pub fn stateless() -> Self {
        Self { stateful: false, compare: Compare::States, ..Self::stateful() }
    }

    /// What the paper does with "partial orders", and with symmetry if that is set.
    #[must_use]
    pub fn paper() -> Self {
        Self {
            persistent: Persistent::Paper,
            independence: Independence::Touches,
            compare: Compare::Traces,
            ..Self::stateless()
        }
    }

    /// No reduction at all.
    #[must_use]
    pub fn plain(stateful: bool) -> Self {
        Self { stateful, persistent: Persistent::All, sleep: false, ..Self::stateful() }
    }
}
