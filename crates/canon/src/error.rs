//! What can be in the way of a reduction by symmetry, as types. Each message is a sentence without a full stop.

use quotient_ir::{NamesId, SetId};

use crate::Strategy;

/// Why a model cannot be reduced by a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// There is no symmetry.
    #[error("no symmetry was declared or found")]
    NoSymmetry,
    /// Processes that change places come later.
    #[error("processes that change places are not created at the start")]
    CreatedLater,
    /// The symmetry renames nothing.
    #[error("nothing in it changes places")]
    NothingMoves,
    /// Processes of this type change places and can end.
    #[error("processes of type {0} can end, and SPIN removes the youngest first")]
    CanEnd(String),
    /// The strategy needs processes of a scalarset.
    #[error("{strategy} sorts processes, and {set} indexes none")]
    NoProcesses {
        /// The strategy.
        strategy: Strategy,
        /// The scalarset.
        set: String,
    },
    /// The strategy needs an array that a scalarset indexes.
    #[error("{strategy} needs an array of plain values, and {set} indexes none")]
    NoArray {
        /// The strategy.
        strategy: Strategy,
        /// The scalarset.
        set: String,
    },
    /// The symmetry does not fit the model's states.
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

/// What does not fit together in a symmetry and the states that it is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Misfit {
    #[error("scalarset {set} has {size} members; it can have 1 to 255")]
    SetSize { set: String, size: usize },
    #[error("{ty} has {states} control states, not {positions}")]
    ControlCount { ty: String, states: usize, positions: usize },
    #[error("a control state of {0} stands for a member that does not exist")]
    ControlMember(String),
    #[error("a control state of {0} stands for too many members")]
    ControlTooMany(String),
    #[error("two control states of {0} have the same position")]
    ControlTwice(String),
    #[error("some members have a control state of {0} that others do not have")]
    ControlMissing(String),
    #[error("a process of type {0} tells which states are renamed, and changes places itself")]
    SteadyMoves(String),
    #[error("whether states are renamed depends on the member that {0} is at")]
    SteadyDepends(String),
    #[error("`{0}` cannot change places with `{1}`: their types differ")]
    ChannelTypes(String, String),
    #[error("`{0}` is indexed by a member that its scalarset does not have")]
    IndexMember(String),
    #[error("`{0}` cannot change places with others of its class: their types differ")]
    ClassTypes(String),
    #[error("`{0}` has the same position as another of its class")]
    PositionTwice(String),
    #[error("a channel cannot be the name of a member")]
    ChannelName,
    #[error("there is no table of names {0}")]
    NoNames(NamesId),
    #[error("the values of a table of names are not in order")]
    NamesOrder,
    #[error("a table names member {member} of scalarset {set}, which does not exist")]
    NamesMember { member: u8, set: SetId },
    #[error("a variable is too narrow for all members of its scalarset")]
    TooNarrow,
    #[error("two values of a table stand for one member")]
    NameTwice,
    #[error("a table has names for some members of a scalarset and not for others")]
    NameMissing,
    #[error("some members have a channel or a process that others do not have")]
    IdMissing,
    #[error("some members have variables that others do not have")]
    VariableMissing,
}

/// A name that no strategy has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a strategy{kind}: there are {known}")]
pub struct UnknownStrategy {
    pub(crate) name: String,
    /// Which kind of strategies was asked for.
    pub(crate) kind: &'static str,
    /// The names that there are.
    pub(crate) known: String,
}
