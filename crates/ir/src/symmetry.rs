//! What may be renamed in a model without changing how it behaves.
//!
//! A [`Symmetry`] names the scalarsets of a model (sets whose members differ by name only) and says, for every element
//! of a state, where it stands among the elements that a renaming exchanges. A renaming is one permutation per
//! scalarset, taken from that set's [`Group`]. It acts on a state in two ways:
//!
//! - *places*: the content of an element (a global, a channel, a process, a local) at position `(class, members)` moves
//!   to the element of the same class at the renamed members;
//! - *values*: a field of sort [`crate::Sort::Member`] has its value renamed, and a field of sort
//!   [`crate::Sort::Channel`] follows the channel that it refers to.
//!
//! Front ends fill it in (declared by the user, described in a file or detected); representative functions read it.

use quotient_report::source::Span;

use crate::ProctypeId;

/// Index of a scalarset in [`Symmetry::sets`].
pub type SetId = usize;

/// What the user of a front end declared to be symmetric: types, and dimensions of arrays. Slots and fields of a
/// declared type have the sort [`crate::Sort::Member`] with the set's index here. Nothing is known yet about
/// processes, channels or whether the declaration is true.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// The declared scalarsets.
    pub sets: Vec<DeclaredSet>,
    /// The dimensions of arrays that are indexed by them, for every slot that lies along one.
    pub axes: Vec<Axis>,
}

/// A declared scalarset; its members are the values from zero on.
#[derive(Clone, Debug)]
pub struct DeclaredSet {
    /// The name of the type.
    pub name: String,
    /// How many members it has; this value stands for none of them.
    pub size: usize,
    /// Where it is declared.
    pub span: Span,
}

/// A dimension of an array, as one slot of it sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Whose slot it is; `None` for a global variable.
    pub proctype: Option<ProctypeId>,
    /// The slot.
    pub slot: usize,
    /// Which of the indices in the slot's name, from the left.
    pub dimension: usize,
    /// The scalarset that indexes it.
    pub set: SetId,
}

/// The symmetry of a model. The vectors of positions are as long as what they describe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// The scalarsets.
    pub sets: Vec<Scalarset>,
    /// Position of each global variable slot.
    pub globals: Vec<Position>,
    /// Position of each local variable slot, by process type.
    pub locals: Vec<Vec<Position>>,
    /// Position of each channel that exists in every state reduced, in order of channel ids from one.
    pub channels: Vec<Position>,
    /// Position of each process, in order of process ids.
    pub processes: Vec<Position>,
}

/// A set whose members differ by name only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalarset {
    /// The user's name for it, or one made up from the process family.
    pub name: String,
    /// How many members it has.
    pub size: usize,
    /// Which renamings of the members leave the model as it is.
    pub group: Group,
}

/// A group of permutations of `0..n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// All permutations.
    Symmetric,
    /// The rotations of a ring.
    Cyclic,
    /// The rotations and reflections of a ring.
    Dihedral,
}

/// Where an element stands among those that a renaming exchanges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Elements take each other's places only within a class.
    pub class: u32,
    /// The members that index this element, outermost first; none for an element that stays where it is.
    pub members: Vec<(SetId, u8)>,
}
