//! A visited set that keeps states as trees: equal parts of states are kept once. It follows the tree compression of LTSmin,
//! with the components of a state as the lowest level, as in SPIN's collapse.
//!
//! | part | what it is | file |
//! |---|---|---|
//! | `Plan` | which bytes of a state are leaves, which are paired | `plan.rs` |
//! | `Nodes` | every leaf and every pair once, with a number | `nodes.rs` |
//! | `Roots` | the pair at the top of each state, which is its entry | `roots.rs` |
//!
//! A state is compared with the *base*, a state whose nodes are known: the one before it, or the one that was read last.
//! Only leaves that differ are looked up, and the pairs above them.

mod nodes;
mod plan;
mod roots;
mod saved;

use crate::exact::{Entry, Insert};
use crate::store::Store;
pub use nodes::MOST_NUMBERS;
use nodes::{Node, Nodes, eight_bytes, leaf, node, pair};
use plan::Plans;
use roots::Roots;

const ON_STACK: u64 = 1;

/// A visited set of trees, with no more than so many leaves and pairs.
#[derive(Debug)]
pub struct Tree<const NUMBERS: usize = MOST_NUMBERS> {
    nodes: Nodes,
    roots: Roots,
    plans: Plans,
    base: Base,
    /// Nodes to look at while a state is read.
    work: Vec<(u32, u32)>,
    /// Tables do not grow if the set takes more bytes than this with them.
    most: usize,
}

impl<const NUMBERS: usize> Default for Tree<NUMBERS> {
    fn default() -> Self {
        Tree {
            nodes: Nodes::new(NUMBERS),
            roots: Roots::default(),
            plans: Plans::default(),
            base: Base::default(),
            work: Vec::new(),
            most: usize::MAX,
        }
    }
}

/// A state whose nodes are known.
#[derive(Debug, Default)]
struct Base {
    /// Whether there is one.
    valid: bool,
    /// Its plan.
    plan: usize,
    /// Its bytes; while there are changes, those of the state before them.
    bytes: Vec<u8>,
    /// The number of the node at each place of the plan; 0 for the root, which has none.
    numbers: Vec<u32>,
    /// The places whose nodes changed when the last state was prepared, with the numbers before.
    changes: Vec<(u32, u32)>,
    /// A bit for each place whose children changed.
    pending: Vec<u64>,
}

impl Base {
    /// Gives a place another node.
    #[inline(always)]
    fn change(&mut self, place: u32, number: u32, parent: u32) {
        let before = std::mem::replace(&mut self.numbers[place as usize], number);
        self.changes.push((place, before));
        self.pending[parent as usize / 64] |= 1 << (parent % 64);
    }
}

impl<const NUMBERS: usize> Tree<NUMBERS> {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes back what the last state changed, unless that was nearly everything: then the base is the last state.
    #[inline]
    fn take_back(&mut self) {
        let Base { plan, numbers, changes, .. } = &mut self.base;
        if changes.is_empty() {
            return;
        }
        if changes.len() * 4 > self.plans.get(*plan).places.len() * 3 {
            return self.keep();
        }
        for (at, number) in changes.drain(..) {
            numbers[at as usize] = number;
        }
    }

    /// Makes the last state the base.
    #[inline]
    fn keep(&mut self) {
        let Tree { nodes, plans, base, .. } = self;
        let Some(plan) = (!base.changes.is_empty()).then(|| plans.get(base.plan)) else { return };
        for (at, _) in base.changes.drain(..) {
            let place = plan.places[at as usize];
            if let (0, Node::Leaf(bytes, length)) = (place.left, node(nodes.word(base.numbers[at as usize]))) {
                let start = place.start as usize;
                base.bytes[start..start + length].copy_from_slice(&bytes[..length]);
            }
        }
    }

    /// Makes a state the base, without help of the one before.
    fn rebase(&mut self, state: &[u8], cut: &[u32]) -> Option<()> {
        let Tree { nodes, plans, base, .. } = self;
        base.valid = false;
        base.plan = plans.number(cut, state.len());
        let places = &plans.get(base.plan).places;
        base.changes.clear();
        base.bytes.clear();
        base.bytes.extend_from_slice(state);
        base.numbers.clear();
        base.numbers.resize(places.len(), 0);
        base.pending.clear();
        base.pending.resize(places.len().div_ceil(64), 0);
        // Children come after their parents. The root has no node.
        for (at, place) in places.iter().enumerate().skip(1).rev() {
            let word = match place.left {
                0 => leaf(state, place.start as usize, place.end as usize),
                _ => pair(base.numbers[place.left as usize], base.numbers[place.right as usize]),
            };
            base.numbers[at] = nodes.number(word)?;
        }
        base.valid = true;
        Some(())
    }

    /// Finds the nodes of a state of the base's plan, looking up only what differs.
    #[inline]
    fn update(&mut self, state: &[u8]) -> Option<()> {
        let Tree { nodes, plans, base, .. } = self;
        let plan = plans.get(base.plan);
        base.valid = false;
        // What is before this byte is done with.
        let mut done = 0;
        for at in (0..state.len()).step_by(8) {
            let mut differs = eight_bytes(state, at) ^ eight_bytes(&base.bytes, at);
            while differs != 0 {
                let byte = at + differs.trailing_zeros() as usize / 8;
                if byte >= done {
                    let place = plan.leaves[byte];
                    let found = plan.places[place as usize];
                    done = found.end as usize;
                    let number = nodes.number(leaf(state, found.start as usize, done))?;
                    base.change(place, number, found.parent);
                }
                differs = if done >= at + 8 { 0 } else { differs & u64::MAX << (8 * (done - at)) };
            }
        }
        for word in (0..base.pending.len()).rev() {
            while base.pending[word] != 0 {
                let bit = 63 - base.pending[word].leading_zeros();
                base.pending[word] &= !(1 << bit);
                let at = word as u32 * 64 + bit;
                if at != 0 {
                    let place = plan.places[at as usize];
                    let word = pair(base.numbers[place.left as usize], base.numbers[place.right as usize]);
                    base.change(at, nodes.number(word)?, place.parent);
                }
            }
        }
        base.valid = true;
        Some(())
    }

    /// Makes a stored state the base by following its tree where it differs from the base's; false if their plans differ.
    #[inline]
    fn follow(&mut self, entry: Entry) -> bool {
        let Tree { nodes, plans, base, work, .. } = self;
        if !std::mem::take(&mut base.valid) {
            return false;
        }
        let places = &plans.get(base.plan).places;
        let (left, right) = roots::root(entry.address());
        work.clear();
        work.extend([(places[0].left, left), (places[0].right, right)]);
        while let Some((at, number)) = work.pop() {
            // Where one leaf is the whole state, there is no right half: place 0 and number 0.
            if base.numbers[at as usize] == number {
                continue;
            }
            let place = places[at as usize];
            if at == 0 || number == 0 {
                return false;
            }
            match node(nodes.word(number)) {
                Node::Leaf(bytes, length) => {
                    let (start, end) = (place.start as usize, place.end as usize);
                    if place.left != 0 || end - start != length {
                        return false;
                    }
                    base.bytes[start..end].copy_from_slice(&bytes[..length]);
                }
                Node::Pair(left, right) if place.left != 0 => work.extend([(place.left, left), (place.right, right)]),
                Node::Pair(..) => return false,
            }
            base.numbers[at as usize] = number;
        }
        base.valid = true;
        true
    }

    /// Appends a state's bytes.
    fn read(&self, entry: Entry, bytes: &mut Vec<u8>) {
        let (left, right) = roots::root(entry.address());
        let mut work = vec![right, left];
        while let Some(number) = work.pop() {
            if number == 0 {
                continue;
            }
            match node(self.nodes.word(number)) {
                Node::Leaf(leaf, length) => bytes.extend_from_slice(&leaf[..length]),
                Node::Pair(left, right) => work.extend([right, left]),
            }
        }
    }

    /// Lets the table of roots grow, unless that would take too much memory.
    #[cold]
    fn make_room(&mut self) {
        let more = self.roots.more() * 8;
        if self.bytes() + more <= self.most || self.roots.must_grow() {
            self.roots.grow();
        }
    }
}

impl<const NUMBERS: usize> Store for Tree<NUMBERS> {
    const NAME: &'static str = "tree";
    const CUTS: bool = true;

    #[inline]
    fn prepare(&mut self, state: &[u8], cut: &[u32]) -> Option<u64> {
        self.take_back();
        if self.base.valid && self.plans.get(self.base.plan).is_for(cut, state.len()) {
            self.update(state)?;
        } else {
            self.rebase(state, cut)?;
        }
        let base = &self.base;
        let root = self.plans.get(base.plan).places[0];
        let word = roots::word(base.numbers[root.left as usize], base.numbers[root.right as usize]);
        self.roots.prefetch(word);
        Some(word)
    }

    #[inline]
    fn insert_prepared(&mut self, _: &[u8], prepared: u64) -> Insert {
        let entry = Entry::new(prepared);
        if !self.roots.insert(prepared) {
            return Insert::Old(entry);
        }
        // The search goes on from here, so this is the base of what comes.
        self.keep();
        if self.roots.is_full() {
            self.make_room();
        }
        Insert::New(entry)
    }

    #[inline]
    fn insert(&mut self, state: &[u8], cut: &[u32]) -> Option<Insert> {
        let prepared = self.prepare(state, cut)?;
        Some(self.insert_prepared(state, prepared))
    }

    #[inline]
    fn state(&mut self, entry: Entry) -> &[u8] {
        self.take_back();
        if !self.follow(entry) {
            let mut bytes = std::mem::take(&mut self.base.bytes);
            bytes.clear();
            self.read(entry, &mut bytes);
            self.base.bytes = bytes;
        }
        &self.base.bytes
    }

    fn copy(&self, entry: Entry) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.read(entry, &mut bytes);
        bytes
    }

    fn set_on_stack(&mut self, entry: Entry, on_stack: bool) {
        let marks = self.roots.marks(entry.address());
        let marks = if on_stack { marks | ON_STACK } else { marks & !ON_STACK };
        self.roots.set_marks(entry.address(), marks);
    }

    fn is_on_stack(&self, entry: Entry) -> bool {
        self.roots.marks(entry.address()) & ON_STACK != 0
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.roots.count
    }

    fn bytes(&self) -> usize {
        let ((words, index), (_, table)) = (self.nodes.bytes(), self.roots.bytes());
        words + index + table
    }

    fn payload(&self) -> usize {
        self.nodes.bytes().0 + self.roots.bytes().0
    }

    fn allow(&mut self, bytes: usize) {
        self.most = bytes;
        let index = self.nodes.bytes().1;
        self.nodes.allow(bytes.saturating_sub(self.bytes() - index));
    }

    fn is_crowded(&self) -> bool {
        self.roots.is_crowded() || self.nodes.is_crowded()
    }

    fn save(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        self.write(out)
    }

    fn load(input: &mut dyn std::io::Read) -> std::io::Result<Self> {
        Self::read_from(input)
    }

    fn entry(&self, address: u64) -> Option<Entry> {
        Entry::at(address).filter(|_| self.roots.has(address))
    }
}

#[cfg(test)]
mod tests;
