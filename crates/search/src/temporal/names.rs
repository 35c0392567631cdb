//! Under which bytes a pair is stored, and under which names processes go there. With symmetry reduction a pair is stored as
//! its representative, and the search goes on from the pair itself; so names change only where a cycle closes, and the
//! processes that take each other's places on the cycles of a component form a partition.

use quotient_canon::{HeapReducer, Reducer};
use quotient_step::machine::Machine;

use super::bits::Bits;
use crate::engine::arrangement;

/// For each process id, the one that it has in the representative.
pub(super) type Ids = Box<[u8]>;

/// What makes the bytes of pairs.
pub(super) struct Keys<'m> {
    pub(super) reducer: Option<Reducer<'m>>,
    /// The same for models with a heap whose threads change places.
    pub(super) heap: Option<HeapReducer>,
    pub(super) hidden: usize,
    /// How many bytes an automaton's state takes.
    pub(super) node_bytes: usize,
}

impl Keys<'_> {
    /// Whether a pair that was looked up need not have had the only representative of its orbit.
    pub(super) fn has_several(&self) -> bool {
        let counts = self.reducer.as_ref().map(Reducer::counts).or(self.heap.as_ref().map(HeapReducer::counts));
        counts.is_some_and(|counts| counts.normalised > 0)
    }

    /// Whether a pair is stored as it is.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.reducer.is_none() && self.heap.is_none()
    }

    /// The bytes of the pair of a state and an automaton's state.
    pub(super) fn make(&mut self, key: &mut Vec<u8>, machine: &mut Machine, state: &[u8], node: u16) {
        key.clear();
        match (&mut self.reducer, &mut self.heap) {
            (None, None) => key.extend_from_slice(&state[self.hidden..]),
            (None, Some(heap)) => key.extend_from_slice(&heap.representative(state)[self.hidden..]),
            (Some(reducer), _) => {
                machine.load(state);
                let (number, shape) = machine.shape();
                let representative = reducer.representative(number, || arrangement(shape), machine.state());
                key.extend_from_slice(&representative[self.hidden..]);
            }
        }
        let [low, high] = node.to_le_bytes();
        key.push(low);
        if self.node_bytes > 1 {
            key.push(high);
        }
    }

    /// The state of a pair, with nothing in the place of what is hidden, and the automaton's state.
    pub(super) fn split(&self, key: &[u8]) -> (Vec<u8>, u16) {
        let (state, node) = key.split_at(key.len() - self.node_bytes);
        let mut bytes = vec![0; self.hidden];
        bytes.extend_from_slice(state);
        (bytes, node.iter().rev().fold(0, |number, &byte| number << 8 | u16::from(byte)))
    }

    /// What the ids of processes become in the representative of a state.
    pub(super) fn ids(&mut self, machine: &mut Machine, state: &[u8]) -> Ids {
        machine.load(state);
        let processes = machine.processes() as u8;
        let (number, shape) = machine.shape();
        let identity = || (0..processes).collect();
        let Some(reducer) = &mut self.reducer else { return identity() };
        let images = reducer.representative_and_images(number, || arrangement(shape), state).1.map(<[u8]>::to_vec);
        match (images, reducer.plan(number, || arrangement(shape), state)) {
            (Some(images), Some(plan)) => plan.process_ids(&images)[..usize::from(processes)].into(),
            _ => identity(),
        }
    }
}

/// Which processes take each other's places: for each id one that stands for its class.
#[derive(Clone, Debug)]
pub(super) struct Partition(Box<[u8; 256]>);

impl Default for Partition {
    fn default() -> Self {
        Partition(Box::new(std::array::from_fn(|id| id as u8)))
    }
}

impl Partition {
    /// For each id one that stands for its class.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0[..]
    }

    /// The partition with these bytes, if there is one: who stands for others has no greater number.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; 256] = bytes.try_into().ok()?;
        let in_order = bytes.iter().enumerate().all(|(id, &other)| usize::from(other) <= id);
        in_order.then(|| Partition(Box::new(bytes)))
    }

    fn find(&self, id: u8) -> u8 {
        let mut at = id;
        while self.0[usize::from(at)] != at {
            at = self.0[usize::from(at)];
        }
        at
    }

    fn unite(&mut self, a: u8, b: u8) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[usize::from(a.max(b))] = a.min(b);
    }

    /// Takes the classes of another partition together, too.
    pub(super) fn join(&mut self, other: &Partition) {
        (0..=255).for_each(|id| self.unite(id, other.find(id)));
    }

    /// Takes note of an edge that leads from a state with some ids to one that is stored with others.
    pub(super) fn close(&mut self, from: &Ids, to: &Ids) {
        for (id, name) in from.iter().enumerate() {
            if let Some(other) = to.iter().position(|other| other == name) {
                self.unite(id as u8, other as u8);
            }
        }
    }

    /// Whether some member of every class is in a set.
    pub(super) fn covers(&self, set: Bits) -> bool {
        let mut covered = Bits::default();
        set.numbers().for_each(|id| covered.insert(usize::from(self.find(id as u8))));
        (0..=255).all(|id| covered.contains(usize::from(self.find(id))))
    }
}
