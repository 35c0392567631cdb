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
use nodes::{Node, Nodes, below, eight_bytes, leaf, node, pair};
use plan::{Below, PlanLeaf, Plans};
use roots::Roots;

const ON_STACK: u64 = 1;

/// A visited set of trees, with no more than so many leaves and pairs.
#[derive(Debug)]
pub struct Tree<const NUMBERS: usize = MOST_NUMBERS> {
    nodes: Nodes,
    roots: Roots,
    plans: Plans,
    base: Base,
    /// Pairs to look at while a state is read, with the numbers below them.
    work: Vec<(u32, [u32; 2])>,
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
    /// Its bytes, with [`PADDING`] after them; while there are changes, those of the state before them.
    bytes: Vec<u8>,
    /// By pair of the plan, the numbers of the nodes at its two places; 0 where there is nothing.
    pairs: Vec<[u32; 2]>,
    /// The places whose nodes changed when the last state was prepared, with the numbers before.
    changes: Vec<(u32, u32)>,
    /// A bit for each pair below which something changed.
    pending: Vec<u64>,
}

/// Eight bytes can be read and written wherever a leaf starts.
const PADDING: usize = 8;

impl Base {
    /// The number of the node at a place.
    #[inline(always)]
    fn number(&mut self, place: u32) -> &mut u32 {
        &mut self.pairs[place as usize / 2][place as usize % 2]
    }

    /// Gives a place another node.
    #[inline(always)]
    fn change(&mut self, place: u32, number: u32) {
        let before = std::mem::replace(self.number(place), number);
        self.changes.push((place, before));
        let pair = place / 2;
        self.pending[pair as usize / 64] |= 1 << (pair % 64);
    }

    /// Gives a leaf other bytes.
    #[inline(always)]
    fn write(&mut self, at: PlanLeaf, bytes: u64) {
        let mask = below((at.end - at.start) as usize);
        if let Some(word) = self.bytes[at.start as usize..].first_chunk_mut() {
            *word = (u64::from_le_bytes(*word) & !mask | bytes).to_le_bytes();
        }
    }

    /// Its bytes.
    #[inline(always)]
    fn state(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - PADDING]
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
        if self.base.changes.is_empty() {
            return;
        }
        if self.base.changes.len() * 2 > self.base.pairs.len() * 3 {
            return self.keep();
        }
        let mut changes = std::mem::take(&mut self.base.changes);
        for (place, number) in changes.drain(..) {
            *self.base.number(place) = number;
        }
        self.base.changes = changes;
    }

    /// Makes the last state the base.
    #[inline]
    fn keep(&mut self) {
        let Tree { nodes, plans, base, .. } = self;
        let plan = plans.get(base.plan);
        let mut changes = std::mem::take(&mut base.changes);
        // Leaves were changed before pairs.
        for (place, _) in changes.drain(..) {
            let Below::Leaf(leaf) = plan.below[place as usize] else { break };
            if let Node::Leaf(bytes, _) = node(nodes.word(*base.number(place))) {
                base.write(plan.leaves[leaf as usize], bytes);
            }
        }
        base.changes = changes;
    }

    /// Makes a state the base, without help of the one before.
    fn rebase(&mut self, state: &[u8], cut: &[u32]) -> Option<()> {
        let Tree { nodes, plans, base, .. } = self;
        base.valid = false;
        base.plan = plans.number(cut, state.len());
        let plan = plans.get(base.plan);
        base.changes.clear();
        base.bytes.clear();
        base.bytes.extend_from_slice(state);
        base.bytes.extend_from_slice(&[0; PADDING]);
        base.pairs.clear();
        base.pairs.resize(plan.places.len(), [0; 2]);
        base.pending.clear();
        base.pending.resize(plan.places.len().div_ceil(64), 0);
        for &PlanLeaf { start, end, place } in &plan.leaves {
            *base.number(place) = nodes.number(leaf(state, start as usize, end as usize))?;
        }
        // Pairs come after those above them. The one at the top has no node.
        for (at, &place) in plan.places.iter().enumerate().skip(2).rev() {
            *base.number(place) = nodes.number(pair(base.pairs[at]))?;
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
        let mut at = 0;
        while at < state.len() {
            let mut differs = eight_bytes(state, at) ^ eight_bytes(base.state(), at);
            while differs != 0 {
                let byte = at + differs.trailing_zeros() as usize / 8;
                if byte >= done {
                    let PlanLeaf { start, end, place } = plan.leaves[plan.leaf_of[byte] as usize];
                    done = end as usize;
                    base.change(place, nodes.number(leaf(state, start as usize, done))?);
                }
                differs = if done >= at + 8 { 0 } else { differs & u64::MAX << (8 * (done - at)) };
            }
            at += 8;
        }
        for word in (0..base.pending.len()).rev() {
            while base.pending[word] != 0 {
                let bit = base.pending[word].ilog2();
                base.pending[word] ^= 1 << bit;
                let at = word * 64 + bit as usize;
                // The pair at the top has no node.
                if at > 1 {
                    base.change(plan.places[at], nodes.number(pair(base.pairs[at]))?);
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
        let plan = plans.get(base.plan);
        work.clear();
        work.push((1, roots::root(entry.address())));
        while let Some((at, numbers)) = work.pop() {
            let before = std::mem::replace(&mut base.pairs[at as usize], numbers);
            for side in 0..2 {
                let number = numbers[side];
                if before[side] == number {
                    continue;
                }
                // A state of one leaf has nothing at its second place; others have.
                if number == 0 || before[side] == 0 {
                    return false;
                }
                match (node(nodes.word(number)), plan.below[2 * at as usize + side]) {
                    (Node::Leaf(bytes, length), Below::Leaf(leaf)) => {
                        let leaf = plan.leaves[leaf as usize];
                        if (leaf.end - leaf.start) as usize != length {
                            return false;
                        }
                        base.write(leaf, bytes);
                    }
                    (Node::Pair(numbers), Below::Pair(pair)) => work.push((pair, numbers)),
                    _ => return false,
                }
            }
        }
        base.valid = true;
        true
    }

    /// Appends a state's bytes.
    fn read(&self, entry: Entry, bytes: &mut Vec<u8>) {
        let [left, right] = roots::root(entry.address());
        let mut work = vec![right, left];
        while let Some(number) = work.pop() {
            if number == 0 {
                continue;
            }
            match node(self.nodes.word(number)) {
                Node::Leaf(leaf, length) => bytes.extend_from_slice(&leaf.to_le_bytes()[..length]),
                Node::Pair([left, right]) => work.extend([right, left]),
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
        let word = roots::word(self.base.pairs[1]);
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
            bytes.extend_from_slice(&[0; PADDING]);
            self.base.bytes = bytes;
        }
        self.base.state()
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
