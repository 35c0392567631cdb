//! What was visited, and under which key. Without symmetry reduction a state's key is its visible bytes; with it, those of
//! its representative (figure 4 of "Symmetric Spin"): the search goes on from the state itself.

use quotient_canon::{Arrangement, Counts, HeapReducer, Reducer};
use quotient_step::machine::{Component, Machine, Shape};
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Insert, Store};

use crate::Stop;

/// The visited states. It may look at the machine's state and rename a copy of it; it may not move the machine, and nothing
/// but this part knows what a key is.
pub(crate) struct Visited<'m, S> {
    /// The keys.
    pub(super) set: S,
    /// Finds the representatives under which states are stored; none without symmetry reduction.
    pub(super) reducer: Option<Reducer<'m>>,
    /// The same for models with a heap.
    pub(super) heap: Option<HeapReducer>,
    /// The last key of a model with a heap, regrouped, and where its components end.
    grouped: (Vec<u8>, Vec<u32>),
    /// Where the components of keys end, by the index of the shape; empty for one that was not met.
    cuts: Vec<Box<[u32]>>,
    /// How much was stored, once the visited set is gone.
    gone: Option<Sizes>,
}

/// How much was stored.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) states: u64,
    pub(super) bytes: u64,
    pub(super) payload: u64,
}

impl<'m, S: Store> Visited<'m, S> {
    /// Nothing was visited yet.
    pub(crate) fn new(reducer: Option<Reducer<'m>>, heap: Option<HeapReducer>) -> Self {
        Visited { set: S::default(), reducer, heap, grouped: Default::default(), cuts: Vec::new(), gone: None }
    }

    /// What was done to find representatives; none without symmetry reduction.
    pub(super) fn counts(&self) -> Option<Counts> {
        let heap = self.heap.as_ref().map(HeapReducer::counts);
        self.reducer.as_ref().map(Reducer::counts).or(heap)
    }

    /// Goes on with what was counted before.
    pub(super) fn count_from(&mut self, counts: Counts) {
        if let Some(reducer) = &mut self.reducer {
            reducer.count_from(counts);
        }
        if let Some(heap) = &mut self.heap {
            heap.count_from(counts);
        }
    }

    /// Whether states that differ by a renaming are taken for one.
    #[inline(always)]
    pub(super) fn is_symmetric(&self) -> bool {
        self.reducer.is_some() || self.heap.is_some()
    }

    /// Looks the machine's state up, and adds it; says why it cannot be kept.
    #[inline]
    pub(super) fn insert(&mut self, machine: &Machine) -> Result<Insert, Stop> {
        if !fits(machine) {
            return Err(Stop::StateSize);
        }
        let Visited { set, reducer, heap, grouped, cuts, .. } = self;
        let key = match (reducer, heap) {
            (None, None) => machine.visible(),
            (Some(reducer), _) => key(reducer, machine),
            (None, Some(heap)) => heap_key(heap, machine),
        };
        let (key, cut) = cut::<S>(cuts, grouped, machine, key);
        set.insert(key, cut).ok_or(Stop::StoreFull)
    }

    /// Gets ready to look the machine's state up; gives back what the set needs for that, and puts the key there if it is
    /// not the visible part of the state. None if the set has no numbers left.
    #[inline]
    pub(super) fn prepare(&mut self, machine: &Machine, renamed: &mut Vec<u8>) -> Option<u64> {
        let key = match (&mut self.reducer, &mut self.heap) {
            (None, None) => return self.prepare_key(machine, machine.visible()),
            (Some(reducer), _) => key(reducer, machine),
            (None, Some(heap)) => heap_key(heap, machine),
        };
        renamed.clear();
        renamed.extend_from_slice(key);
        self.prepare_key(machine, renamed)
    }

    /// The same, if the key of the machine's state is known.
    #[inline(always)]
    pub(super) fn prepare_key(&mut self, machine: &Machine, key: &[u8]) -> Option<u64> {
        let (key, cut) = cut::<S>(&mut self.cuts, &mut self.grouped, machine, key);
        self.set.prepare(key, cut)
    }

    /// How much is stored, or was.
    pub(super) fn sizes(&self) -> Sizes {
        let Visited { set, gone, .. } = self;
        gone.unwrap_or_else(|| Sizes {
            states: set.len() as u64,
            bytes: set.bytes() as u64,
            payload: set.payload() as u64,
        })
    }

    /// Forgets everything but how much it was.
    pub(super) fn let_go(&mut self) {
        self.gone = Some(self.sizes());
        self.set = S::default();
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

/// The same for a model with a heap.
#[inline]
fn heap_key<'a>(reducer: &'a mut HeapReducer, machine: &'a Machine) -> &'a [u8] {
    &reducer.representative(machine.state())[machine.program().schema.hidden as usize..]
}

/// A key and where its components end, if the set asks: the global variables, then processes and channels as they lie. A
/// representative has the shape of its state. In a model with a heap each key has its own components, and is regrouped.
#[inline(always)]
fn cut<'a, S: Store>(
    cuts: &'a mut Vec<Box<[u32]>>,
    grouped: &'a mut (Vec<u8>, Vec<u32>),
    machine: &Machine,
    key: &'a [u8],
) -> (&'a [u8], &'a [u32]) {
    if !S::CUTS {
        return (key, &[]);
    }
    if let Some(layout) = &machine.program().schema.heap {
        layout.regroup(key, machine.program().schema.hidden, &mut grouped.0, &mut grouped.1);
        return (&grouped.0, &grouped.1);
    }
    let number = machine.shape().0 as usize;
    if cuts.get(number).is_none_or(|cut| cut.is_empty()) {
        add_cut(cuts, machine);
    }
    (key, &cuts[number])
}

#[cold]
fn add_cut(cuts: &mut Vec<Box<[u32]>>, machine: &Machine) {
    let (number, shape) = machine.shape();
    let starts = shape.processes.iter().chain(&shape.channels).map(|component| component.offset);
    let mut ends: Vec<u32> = starts.chain([shape.size]).map(|end| end - machine.program().schema.hidden).collect();
    ends.sort_unstable();
    let number = number as usize;
    cuts.resize(cuts.len().max(number + 1), Box::default());
    cuts[number] = ends.into();
}

/// The components of a shape, as renamings see them.
pub(crate) fn arrangement(shape: &Shape) -> Arrangement {
    let place = |component: &Component| (component.ty as usize, component.offset);
    Arrangement {
        processes: shape.processes.iter().map(place).collect(),
        channels: shape.channels.iter().map(place).collect(),
    }
}
