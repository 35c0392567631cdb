//! Termination: what becomes of a process that has come to its end. This is the one place that says so; what else depends on
//! it (numbers of shapes, who may move, what is symmetric) asks here.

/// When processes of a type that have come to their end are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Termination {
    /// Once they are the youngest, as in SPIN. A process that waits for a younger one to go can be told from one that does
    /// not, so like processes are not alike at their end.
    #[default]
    YoungestFirst,
    /// They stay where they have ended, so the order in which they end does not matter. Such a type has no
    /// [`crate::Action::End`].
    AnyOrder,
    /// They are removed when they end, whoever is older or younger: threads of a [heap model](crate::heap), which end by
    /// [`crate::HeapAction::Exit`].
    Removed,
}

impl Termination {
    /// Whether a process that has come to its end can be removed when so many processes live.
    #[inline]
    pub fn removes(self, process: usize, processes: usize) -> bool {
        match self {
            Termination::YoungestFirst => process + 1 == processes,
            Termination::AnyOrder => false,
            Termination::Removed => true,
        }
    }

    /// Whether the order in which like processes end does not matter.
    pub fn is_symmetric(self) -> bool {
        match self {
            Termination::YoungestFirst => false,
            Termination::AnyOrder | Termination::Removed => true,
        }
    }
}
