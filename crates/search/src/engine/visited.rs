//! What was visited, and under which key. Without symmetry reduction a state's key is its visible bytes; with it, those of
//! its representative (figure 4 of "Symmetric Spin"): the search goes on from the state itself.

use quotient_canon::{Arrangement, Reducer};
use quotient_step::machine::{Component, Machine, Shape};
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Exact, Insert};

/// The visited states. It may look at the machine's state and rename a copy of it; it may not move the machine, and nothing
/// but this part knows what a key is.
pub(crate) struct Visited<'m> {
    /// The keys.
    pub(super) set: Exact,
    /// Finds the representatives under which states are stored; none without symmetry reduction.
    pub(super) reducer: Option<Reducer<'m>>,
    /// How many states were stored and how many bytes they took, once the visited set is gone.
    gone: Option<(u64, u64)>,
}

impl<'m> Visited<'m> {
    /// Nothing was visited yet.
    pub(crate) fn new(reducer: Option<Reducer<'m>>) -> Self {
        Visited { set: Exact::new(), reducer, gone: None }
    }

    /// Whether states that differ by a renaming are taken for one.
    #[inline(always)]
    pub(super) fn is_symmetric(&self) -> bool {
        self.reducer.is_some()
    }

    /// Looks the machine's state up, and adds it; none if it is too long to be kept.
    #[inline]
    pub(super) fn insert(&mut self, machine: &Machine) -> Option<Insert> {
        if !fits(machine) {
            return None;
        }
        let key = match &mut self.reducer {
            None => machine.visible(),
            Some(reducer) => key(reducer, machine),
        };
        Some(self.set.insert(key))
    }

    /// Gets ready to look the machine's state up; gives back the hash of its key, and puts the key there if it is not the
    /// visible part of the state.
    #[inline]
    pub(super) fn prepare(&mut self, machine: &Machine, renamed: &mut Vec<u8>) -> u64 {
        let hash = match &mut self.reducer {
            None => self.set.hash(machine.visible()),
            Some(reducer) => {
                let key = key(reducer, machine);
                renamed.clear();
                renamed.extend_from_slice(key);
                self.set.hash(key)
            }
        };
        self.set.prefetch(hash);
        hash
    }

    /// How many states were stored, and how many bytes they take.
    pub(super) fn sizes(&self) -> (u64, u64) {
        self.gone.unwrap_or((self.set.len() as u64, self.set.bytes() as u64))
    }

    /// Forgets everything but how much it was.
    pub(super) fn let_go(&mut self) {
        self.gone = Some(self.sizes());
        self.set = Exact::new();
    }

    /// Takes note of whether a state is on the stack.
    #[inline]
    pub(super) fn set_on_stack(&mut self, entry: Entry, on: bool) {
        if self.gone.is_none() {
            self.set.set_on_stack(entry, on);
        }
    }
}

/// Whether the machine's state can be kept.
#[inline(always)]
pub(super) fn fits(machine: &Machine) -> bool {
    machine.visible().len() <= LONGEST_STATE
}

/// The bytes that the machine's state is looked up by: the visible ones of its representative.
#[inline]
fn key<'a>(reducer: &'a mut Reducer, machine: &'a Machine) -> &'a [u8] {
    let (number, shape) = machine.shape();
    let representative = reducer.representative(number, || arrangement(shape), machine.state());
    &representative[machine.program().schema.hidden as usize..]
}

/// The components of a shape, as renamings see them.
pub(super) fn arrangement(shape: &Shape) -> Arrangement {
    let place = |component: &Component| (component.ty as usize, component.offset);
    Arrangement {
        processes: shape.processes.iter().map(place).collect(),
        channels: shape.channels.iter().map(place).collect(),
    }
}
