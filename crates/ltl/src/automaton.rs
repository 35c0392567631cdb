//! Generalised Büchi automata whose acceptance marks are on edges. A run is accepted if it goes through edges of every
//! acceptance set infinitely often; if there is no set, every infinite run is accepted.

use std::fmt;

/// A conjunction of propositions and negated propositions, as two sets of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Propositions that must be true: bit `p` for proposition `p`.
    pub yes: u64,
    /// Propositions that must be false.
    pub no: u64,
}

impl Cube {
    /// The cube that is always true.
    pub const TRUE: Self = Self { yes: 0, no: 0 };

    /// Whether it is true where exactly the propositions of `letter` are.
    pub fn contains(self, letter: u64) -> bool {
        letter & self.yes == self.yes && letter & self.no == 0
    }

    /// The conjunction; `None` if it can never be true.
    #[must_use]
    pub fn and(self, other: Self) -> Option<Self> {
        let both = Self { yes: self.yes | other.yes, no: self.no | other.no };
        (both.yes & both.no == 0).then_some(both)
    }

    /// Whether it is true wherever `other` is.
    pub fn covers(self, other: Self) -> bool {
        self.yes & !other.yes == 0 && self.no & !other.no == 0
    }
}

/// An edge of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// What must be true of the state that the automaton reads.
    pub guard: Cube,
    /// Where the edge leads.
    pub target: u16,
    /// The acceptance sets that the edge belongs to: bit `k` for set `k`.
    pub marks: u64,
}

/// A generalised Büchi automaton. It begins in state 0 and reads one state of a run with every edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The edges that leave each state.
    pub states: Vec<Vec<Edge>>,
    /// The number of acceptance sets.
    pub sets: u32,
}

impl Automaton {
    /// An automaton that accepts nothing.
    pub(crate) fn empty() -> Self {
        Self { states: vec![Vec::new()], sets: 0 }
    }

    /// The marks of all sets.
    pub fn all_marks(&self) -> u64 {
        all_marks(self.sets)
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }
}

/// The marks of this many sets.
pub(crate) fn all_marks(sets: u32) -> u64 {
    if sets >= 64 { u64::MAX } else { (1 << sets) - 1 }
}

/// Why a formula has no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// It has more than 64 propositions.
    Propositions,
    /// More than 64 things are promised for later in it.
    Sets,
    /// Its automaton has too many states or edges.
    States,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Propositions => "the formula has more than 64 propositions",
            Self::Sets => "the formula has more than 64 operators that promise something for later",
            Self::States => "the automaton of the formula is too large",
        })
    }
}

impl std::error::Error for TooLarge {}
