//! What may be renamed in a model without changing how it behaves.
//!
//! A [`Symmetry`] names the scalarsets of a model (sets whose members differ by name only) and says, for every element
//! of a state, where it stands among the elements that a renaming exchanges. A renaming is one permutation per
//! scalarset, taken from that set's [`Group`]. It acts on a state in two ways:
//!
//! - *places*: the content of an element (a global, a channel, a process, a local) at position `(class, members)` moves
//!   to the element of the same class at the renamed members;
//! - *values*: a value that [`Names`] says to stand for a member becomes the one that stands for the renamed member, and a
//!   field of sort [`crate::Sort::Channel`] follows the channel that it refers to.
//!
//! Front ends fill it in (declared by the user, described in a file or detected); representative functions read it.

use quotient_report::source::Span;

use crate::{ProctypeId, Scalar};

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

/// The symmetry of a model. The vectors are as long as what they describe; an empty one says that all of it stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// The scalarsets.
    pub sets: Vec<Scalarset>,
    /// The ways in which values stand for members.
    pub names: Vec<Names>,
    /// Global variable slots.
    pub globals: Vec<Element>,
    /// Local variable slots, by process type.
    pub locals: Vec<Vec<Element>>,
    /// What the values of message fields stand for, by channel type.
    pub fields: Vec<Vec<Option<NamesId>>>,
    /// Position of each channel that exists in every state reduced, in order of channel ids from one.
    pub channels: Vec<Position>,
    /// Position of each process, in order of process ids.
    pub processes: Vec<Position>,
    /// Position of each control state, by process type: a process that is renamed also changes from `at member 1` to
    /// `at member 2`.
    pub controls: Vec<Vec<Position>>,
    /// Which states are renamed; all of them if nothing is said.
    pub steady: Option<Steady>,
    /// What nobody will read: states that differ there only are the same.
    pub unread: Unread,
}

impl Symmetry {
    /// A value that a variable can hold and that stands for no member; `None` if every one that it can hold is a name.
    pub fn neutral(&self, scalar: Scalar, element: Option<&Element>) -> Option<i32> {
        let names = element.and_then(|element| element.names).and_then(|names| self.names.get(names));
        let is_free =
            |value: &i32| scalar.truncate(*value) == *value && names.is_none_or(|names| names.member(*value).is_none());
        // There is one among the first values, if there is one at all.
        (0..=names.map_or(0, |names| names.values.len() as i32)).find(is_free)
    }
}

/// Index of a way to name members in [`Symmetry::names`].
pub type NamesId = usize;

/// A variable: where it stands, and what its values stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Where it stands.
    pub position: Position,
    /// What its values stand for; `None` for plain numbers and for channels.
    pub names: Option<NamesId>,
}

/// Values that stand for members; any other value stands for none and is never renamed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names {
    /// Each value with the member that it stands for, lowest value first.
    pub values: Vec<(i32, SetId, u8)>,
}

impl Names {
    /// The members of one set, from a value on, in order.
    pub fn run(set: SetId, first: i32, size: usize) -> Self {
        Names { values: (0..size).map(|k| (first + k as i32, set, k as u8)).collect() }
    }

    /// The member that a value stands for.
    pub fn member(&self, value: i32) -> Option<(SetId, u8)> {
        let at = self.values.binary_search_by_key(&value, |&(value, _, _)| value).ok()?;
        Some((self.values[at].1, self.values[at].2))
    }

    /// The value that stands for a member.
    pub fn value(&self, member: (SetId, u8)) -> Option<i32> {
        self.values.iter().find(|&&(_, set, k)| (set, k) == member).map(|&(value, _, _)| value)
    }
}

/// States are renamed only while a process is at one of some control states, which it never leaves again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// The process; a state in which it does not live any more is renamed.
    pub process: usize,
    /// For each control state of its type, whether states are renamed while it is there.
    pub controls: Vec<bool>,
}

/// Variables whose values nobody will read before they are written again. Representatives have zero there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Global variable slots.
    pub globals: Vec<usize>,
    /// Local variable slots, by process type and control state.
    pub locals: Vec<Vec<Vec<usize>>>,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// Elements take each other's places only within a class.
    pub class: u32,
    /// The members that index this element, outermost first; none for an element that stays where it is.
    pub members: Vec<(SetId, u8)>,
}
