//! The representative functions by name, after section 3 of "Symmetric Spin" (Bošnački, Dams, Holenderski), and
//! `canonical`, which is this project's own.

use std::fmt;
use std::str::FromStr;

use crate::UnknownStrategy;

/// How the representative of a state is chosen among the states that differ from it by a renaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// The least state that any renaming gives: tries them all.
    Full,
    /// Sorts the members by the main array, once.
    Sorted,
    /// The least state among all renamings that sort the main array.
    Segmented,
    /// As `Sorted`, by control states instead of an array.
    PcSorted,
    /// As `Segmented`, by control states instead of an array.
    PcSegmented,
    /// The least state among the few renamings that refinement of the state's own structure leaves.
    #[default]
    Canonical,
}

impl Strategy {
    /// All strategies.
    pub const ALL: [Strategy; 6] = [
        Strategy::Full,
        Strategy::Sorted,
        Strategy::Segmented,
        Strategy::PcSorted,
        Strategy::PcSegmented,
        Strategy::Canonical,
    ];

    /// Whether all states that differ by a renaming get the same representative. If not, the number of states depends
    /// on the order of the search.
    pub const fn is_canonical(self) -> bool {
        !matches!(self, Strategy::Sorted | Strategy::PcSorted)
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Strategy::Full => "full",
            Strategy::Sorted => "sorted",
            Strategy::Segmented => "segmented",
            Strategy::PcSorted => "pc-sorted",
            Strategy::PcSegmented => "pc-segmented",
            Strategy::Canonical => "canonical",
        }
    }

    /// Whether members are sorted by control states.
    pub(crate) const fn by_control(self) -> bool {
        matches!(self, Strategy::PcSorted | Strategy::PcSegmented)
    }

    /// Whether members are sorted by an array.
    pub(crate) const fn by_array(self) -> bool {
        matches!(self, Strategy::Sorted | Strategy::Segmented)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Strategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let known = || Strategy::ALL.map(Strategy::name).join(", ");
        let unknown = || UnknownStrategy { name: text.to_string(), kind: "", known: known() };
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == text).ok_or_else(unknown)
    }
}
