//! Values of options that are words: the choices that a check has. They are written on a command line and in the identity of
//! a search as they are named here.

use std::convert::Infallible;
use std::str::FromStr;

use quotient_canon::{HeapStrategy, Strategy};
use serde::{Deserialize, Serialize};

/// Declares a choice between words. The first is the default.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $(#[$first_about:meta])* $first:ident, $($(#[$word_about:meta])* $word:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
        #[non_exhaustive]
        pub enum $name {
            #[default]
            $(#[$first_about])*
            $first,
            $($(#[$word_about])* $word,)*
        }
    };
}

words! {
    /// What the search of a model leaves out, beside symmetric states.
    Reduce {
        /// All that the model allows, the same in every order
        #[cfg_attr(feature = "clap", value(alias = "on"))]
        Full,
        /// What SPIN's partial-order reduction leaves out, as far as that is right
        Spin,
        /// Nothing
        Off,
    }
}

words! {
    /// Whether something is done.
    Switch {
        /// It is
        On,
        /// It is not
        Off,
    }
}

/// The language of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Language {
    /// SPIN's
    Promela,
    /// dSPIN's: Promela with references, functions, and records that are made and deleted
    Dspin,
    /// Bogor's
    Bir,
}

impl Language {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Dspin => "dspin",
            Language::Bir => "bir",
        }
    }

    /// The language of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Language::Promela, Language::Dspin, Language::Bir].into_iter().find(|language| language.name() == name)
    }
}

words! {
    /// Whose states of a model are counted.
    CountAs {
        /// Those of the model as it is written
        Quotient,
        /// Those that SPIN has without its optimisations
        Spin,
        /// Those that SPIN has by default
        SpinDefault,
    }
}

words! {
    /// In which order the states of a model are searched.
    Order {
        /// Depth-first, in SPIN's order
        Dfs,
        /// Breadth-first
        Bfs,
    }
}

impl Order {
    /// The order in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Order::Dfs => "depth-first",
            Order::Bfs => "breadth-first",
        }
    }
}

words! {
    /// How visited states of a model are kept.
    Store {
        /// Whole, since that is faster
        Auto,
        /// Whole
        Exact,
        /// As trees that share equal parts
        Tree,
    }
}

words! {
    /// How cycles of a model are looked for.
    Algorithm {
        /// By strongly connected components
        Scc,
        /// By a nested depth-first search that counts as SPIN does
        Ndfs,
    }
}

words! {
    /// Which processes get their turn.
    Fair {
        /// Who can move from some time on without a break
        Weak,
        /// Who can move again and again
        Strong,
    }
}

/// Something that an answer is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Property {
    /// Safety, and all claims that the input states.
    All,
    /// Safety only.
    Safety,
    /// Safety only, and nothing is said of the others.
    None,
    /// No run visits states with acceptance labels forever.
    Acceptance,
    /// Every run visits states with progress labels forever.
    Progress,
    /// The claim of this name, or this formula.
    Claim(String),
}

impl FromStr for Property {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "all" => Property::All,
            "safety" => Property::Safety,
            "none" => Property::None,
            "acceptance" => Property::Acceptance,
            "progress" => Property::Progress,
            other => Property::Claim(other.to_string()),
        })
    }
}

/// Whether and how symmetry is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Symmetry {
    /// Where there is one
    #[default]
    #[cfg_attr(feature = "clap", value(alias = "on"))]
    Auto,
    /// Not at all
    Off,
    /// In programs, also between threads that differ only in an id
    Ids,
    /// It is an error if there is none
    Require,
    /// One state per orbit
    Canonical,
    /// All renamings are tried
    Full,
    /// All renamings that sort the main array are tried
    Segmented,
    /// The same, by control states instead of an array
    PcSegmented,
    /// Members are sorted by the main array, once
    Sorted,
    /// The same, by control states instead of an array
    PcSorted,
    /// In models with a heap, records keep the names that they were made with
    None,
    /// In models with a heap, the names of records do not matter
    Heap,
    /// In models with a heap, threads are sorted by control states as well
    Pc,
    /// In models with a heap, threads are sorted by all that they reach as well; with kbots:K, in K steps
    Kbots,
    /// The same, by what they reach in so many steps.
    #[cfg_attr(feature = "clap", value(skip))]
    KbotsTo(u32),
}

words! {
    /// The memory model of a program.
    MemoryModel {
        /// Repaired C11
        Rc11,
        /// Sequential consistency
        Sc,
        /// Total store order
        Tso,
        /// Release and acquire
        Ra,
    }
}

words! {
    /// What to do about memory that is never freed.
    Leaks {
        /// Mention it
        Warn,
        /// Nothing
        Off,
        /// It is a violation
        Error,
    }
}

words! {
    /// What to do about threads that wait forever at the end.
    StuckThreads {
        /// Mention them
        Note,
        /// Nothing
        Off,
        /// They are a violation
        Error,
    }
}

words! {
    /// How time passes.
    Clock {
        /// At every look at the clock
        Free,
        /// Only by sleeping and by waiting in vain
        Still,
    }
}

words! {
    /// In which order of addresses threads have their memory.
    AddressOrder {
        /// Ascending, and descending as well if the program depends on it
        Auto,
        /// Ascending only
        Ascending,
        /// Both, one after the other
        Both,
    }
}

words! {
    /// What accesses to volatile variables are.
    Volatile {
        /// As C says: they race
        Plain,
        /// Relaxed atomic operations, as kernels and older libraries mean them
        Relaxed,
    }
}

words! {
    /// Whether a program is kept from acting on the world.
    Sandbox {
        /// It is
        On,
        /// It is not
        Off,
    }
}

impl Symmetry {
    /// The strategy asked for, if any.
    pub(crate) fn strategy(self) -> Option<Strategy> {
        Some(match self {
            Symmetry::Off | Symmetry::Ids => return None,
            Symmetry::None | Symmetry::Heap | Symmetry::Pc | Symmetry::Kbots | Symmetry::KbotsTo(_) => return None,
            Symmetry::Auto | Symmetry::Require | Symmetry::Canonical => Strategy::Canonical,
            Symmetry::Full => Strategy::Full,
            Symmetry::Segmented => Strategy::Segmented,
            Symmetry::PcSegmented => Strategy::PcSegmented,
            Symmetry::Sorted => Strategy::Sorted,
            Symmetry::PcSorted => Strategy::PcSorted,
        })
    }

    /// The strategy asked for a model with a heap, if it is one for such models.
    pub(crate) fn heap_strategy(self) -> Option<HeapStrategy> {
        Some(match self {
            Symmetry::Auto | Symmetry::Require | Symmetry::Canonical => HeapStrategy::Canonical,
            Symmetry::Off | Symmetry::None => HeapStrategy::None,
            Symmetry::Heap => HeapStrategy::Heap,
            Symmetry::Pc => HeapStrategy::Pc,
            Symmetry::Kbots => HeapStrategy::Bots(None),
            Symmetry::KbotsTo(steps) => HeapStrategy::Bots(Some(steps)),
            Symmetry::Ids
            | Symmetry::Full
            | Symmetry::Segmented
            | Symmetry::PcSegmented
            | Symmetry::Sorted
            | Symmetry::PcSorted => return None,
        })
    }

    /// Whether it is for models with a heap only.
    pub(crate) fn needs_heap(self) -> bool {
        matches!(self, Symmetry::None | Symmetry::Heap | Symmetry::Pc | Symmetry::Kbots | Symmetry::KbotsTo(_))
    }
}
