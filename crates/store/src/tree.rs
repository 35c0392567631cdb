//! A visited set that keeps states as trees: equal parts of states are kept once. It follows the tree compression of LTSmin,
//! with the components of a state as the lowest level, as in SPIN's collapse.
//!
//! | part | what it is | file |
//! |---|---|---|
//! | `Plan` | which bytes of a state are leaves, which are paired | `plan.rs` |
//! | `Nodes` | every leaf and every pair once, with a number | `nodes.rs` |
//! | `Roots` | the pair at the top of each state, which is its entry | `roots.rs` |
//!
//! A state is compared with the *base*, a state whose nodes are known: the one that the search goes on from. Only leaves that
//! differ are looked up, and the pairs above them. The last bases are kept, so that the search can go back to them.

mod nodes;
mod plan;
mod roots;
mod saved;

use crate::exact::{Entry, Insert};
use crate::store::Store;
pub use nodes::MOST_NUMBERS;
use nodes::{Node, Nodes, leaf, node, pair, word_at};
use plan::{Below, Plan, PlanLeaf, Plans};
use roots::Roots;

const ON_STACK: u64 = 1;

/// A visited set of trees, with no more than so many leaves and pairs.
#[derive(Debug)]
pub struct Tree<const NUMBERS: usize = MOST_NUMBERS> {
    nodes: Nodes,
    roots: Roots,
    plans: Plans,
    /// The base, and states that were the base before it, in a ring. After the base comes the state that was prepared last.
    bases: [Base; BASES],
    base: usize,
    /// Tables do not grow if the set takes more bytes than this with them.
    most: usize,
}

/// How many states are kept whose nodes are known. A search seldom goes back further than this at once; then the tree is followed.
const BASES: usize = 64;
/// How many of them are looked at.
const NEAR: usize = 3;

impl<const NUMBERS: usize> Default for Tree<NUMBERS> {
    fn default() -> Self {
        Tree {
            nodes: Nodes::new(NUMBERS),
            roots: Roots::default(),
            plans: Plans::default(),
            bases: std::array::from_fn(|_| Base::default()),
            base: 0,
            most: usize::MAX,
        }
    }
}

/// A state whose nodes are known.
#[derive(Debug, Default)]
struct Base {
    /// The word of its root; 0 if there is no state here.
    word: u64,
    /// Its plan.
    plan: usize,
    /// Its bytes.
    bytes: Vec<u8>,
    /// By place of the plan, the number of its node; 0 where there is nothing.
    numbers: Vec<u32>,
}

impl Base {
    /// Becomes another one.
    #[inline(always)]
    fn copy_nodes(&mut self, other: &Base) {
        self.plan = other.plan;
        self.numbers.clear();
        self.numbers.extend_from_slice(&other.numbers);
    }

    #[inline(always)]
    fn copy_bytes(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
    }

    /// Gives a leaf other bytes.
    #[inline(always)]
    fn write(&mut self, at: &PlanLeaf, bytes: u64) {
        self.bytes[at.start()..at.end as usize].copy_from_slice(&bytes.to_le_bytes()[..at.length()]);
    }
}

/// The numbers at the two places of a pair.
#[inline(always)]
fn halves(numbers: &[u32], pair: usize) -> [u32; 2] {
    numbers.as_chunks().0[pair]
}

/// Notes which words may differ of two states of the same length. The last word is the last eight bytes.
#[inline(always)]
fn compare<P: Pending>(state: &[u8], known: &[u8], different: &mut P) {
    // Four words at once.
    let (blocks, rest) = state.as_chunks::<32>();
    let (known_blocks, known_rest) = known.as_chunks::<32>();
    for (number, (block, known)) in blocks.iter().zip(known_blocks).enumerate() {
        if block != known {
            let words = block.as_chunks::<8>().0.iter().zip(known.as_chunks::<8>().0);
            words.enumerate().filter(|(_, (a, b))| a != b).for_each(|(word, _)| different.add(4 * number + word));
        }
    }
    let words = rest.as_chunks::<8>().0.iter().zip(known_rest.as_chunks::<8>().0);
    for (word, (a, b)) in words.enumerate() {
        if a != b {
            different.add(4 * blocks.len() + word);
        }
    }
    if !state.len().is_multiple_of(8) {
        different.add(state.len() / 8);
    }
}

/// A set of numbers.
trait Pending {
    /// An empty set for numbers below this.
    fn of(count: usize) -> Self;

    fn add(&mut self, number: usize);

    /// Takes the greatest number.
    fn last(&mut self) -> Option<usize>;

    /// Takes the smallest number.
    fn first(&mut self) -> Option<usize>;
}

/// How many numbers fit into a word.
const FEW: usize = 64;

/// Whether numbers of pairs, and of the words of states, fit into a word.
#[inline(always)]
fn are_few(plan: &Plan) -> bool {
    plan.places.len() <= FEW && plan.length <= 8 * FEW
}

impl Pending for u64 {
    #[inline(always)]
    fn of(count: usize) -> u64 {
        debug_assert!(count <= FEW);
        0
    }

    #[inline(always)]
    fn add(&mut self, number: usize) {
        *self |= 1 << (number % FEW);
    }

    #[inline(always)]
    fn last(&mut self) -> Option<usize> {
        let bit = self.checked_ilog2()?;
        *self ^= 1 << bit;
        Some(bit as usize)
    }

    #[inline(always)]
    fn first(&mut self) -> Option<usize> {
        let bit = self.trailing_zeros();
        (*self != 0).then(|| {
            *self &= *self - 1;
            bit as usize
        })
    }
}

impl Pending for Vec<u64> {
    fn of(count: usize) -> Vec<u64> {
        vec![0; count.div_ceil(FEW)]
    }

    fn add(&mut self, number: usize) {
        self[number / FEW].add(number);
    }

    fn last(&mut self) -> Option<usize> {
        let at = self.iter().rposition(|&word| word != 0)?;
        Some(at * FEW + self[at].last()?)
    }

    fn first(&mut self) -> Option<usize> {
        let at = self.iter().position(|&word| word != 0)?;
        Some(at * FEW + self[at].first()?)
    }
}

/// The place after one in the ring of bases.
#[inline(always)]
fn after(base: usize) -> usize {
    (base + 1) % BASES
}

/// A base, and the one after it.
#[inline(always)]
fn two(bases: &mut [Base; BASES], base: usize) -> [&mut Base; 2] {
    bases.get_disjoint_mut([base, after(base)]).expect("they are two, and in the ring")
}

impl<const NUMBERS: usize> Tree<NUMBERS> {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the nodes of a state, without help of the base; gives the word of its root.
    fn build(&mut self, state: &[u8], cut: &[u32]) -> Option<u64> {
        let Tree { nodes, plans, bases, base, .. } = self;
        // Numbers of plans may change.
        if let Some(number) = plans.find(cut, state.len()) {
            bases[after(*base)].plan = number;
        } else {
            if plans.are_many() {
                bases.iter_mut().for_each(|base| base.word = 0);
            }
            bases[after(*base)].plan = plans.add(cut, state.len());
        }
        let built = &mut bases[after(*base)];
        let plan = plans.get(built.plan);
        built.word = 0;
        built.copy_bytes(state);
        built.numbers.clear();
        built.numbers.resize(plan.below.len(), 0);
        for at in &plan.leaves {
            let word = if state.len() < 8 { leaf(state, at.start(), at.end as usize) } else { at.word(state) };
            built.numbers[at.place as usize] = nodes.number(word)?.get();
        }
        // Pairs come after those above them. The one at the top has no node.
        for at in (2..plan.places.len()).rev() {
            let number = nodes.number(pair(halves(&built.numbers, at)))?;
            built.numbers[plan.places[at] as usize] = number.get();
        }
        built.word = roots::word(halves(&built.numbers, 1));
        Some(built.word)
    }

    /// Finds the nodes of a state of the base's plan with eight bytes or more, looking up only what differs; gives the word of
    /// its root.
    #[inline]
    fn update<P: Pending>(&mut self, state: &[u8]) -> Option<u64> {
        let Tree { nodes, plans, bases, base, .. } = self;
        let [base, next] = two(bases, *base);
        let plan = plans.get(base.plan);
        next.word = 0;
        next.copy_nodes(base);
        let (known, numbers) = (&base.bytes[..state.len()], &mut next.numbers[..]);
        let mut pending = P::of(plan.places.len());
        let mut different = P::of(state.len().div_ceil(8));
        compare(state, known, &mut different);
        // What is before this byte is done with.
        let mut done = 0;
        while let Some(word) = different.first() {
            let start = (8 * word).min(state.len() - 8);
            let mut differs = word_at(state, start) ^ word_at(known, start);
            while differs != 0 {
                let byte = start + differs.trailing_zeros() as usize / 8;
                if byte >= done {
                    let leaf = &plan.leaves[plan.leaf_of[byte] as usize];
                    done = leaf.end as usize;
                    let place = leaf.place as usize;
                    numbers[place] = nodes.number(leaf.word(state))?.get();
                    pending.add(place / 2);
                }
                differs = if done >= start + 8 { 0 } else { differs & u64::MAX << (8 * (done - start)) };
            }
        }
        while let Some(at) = pending.last() {
            // The pair at the top has no node.
            if at > 1 {
                let place = plan.places[at] as usize;
                numbers[place] = nodes.number(pair(halves(numbers, at)))?.get();
                pending.add(place / 2);
            }
        }
        next.copy_bytes(state);
        next.word = roots::word(halves(&next.numbers, 1));
        Some(next.word)
    }

    /// Makes a state the base that was so not long ago; false if there is none.
    #[inline(always)]
    fn go_back(&mut self, word: u64) -> bool {
        let found = (0..NEAR).map(|back| (self.base + BASES - back) % BASES).find(|&at| self.bases[at].word == word);
        self.base = found.unwrap_or(self.base);
        found.is_some()
    }

    /// Makes the base a stored state by following its tree where it differs; false if their plans differ.
    #[inline]
    fn follow<P: Pending>(&mut self, word: u64) -> bool {
        let Tree { nodes, plans, bases, base, .. } = self;
        let base = &mut bases[*base];
        let plan = plans.get(base.plan);
        base.word = 0;
        let mut pending = P::of(plan.places.len());
        let (mut at, mut numbers) = (1, roots::root(word));
        loop {
            for (side, number) in numbers.into_iter().enumerate() {
                let place = 2 * at + side;
                let before = base.numbers[place];
                if before == number {
                    continue;
                }
                // A state of one leaf has nothing at its second place; others have.
                if number == 0 || before == 0 {
                    return false;
                }
                base.numbers[place] = number;
                match (node(nodes.word(number)), plan.below[place]) {
                    (Node::Leaf(bytes, length), Below::Leaf(leaf)) => {
                        let leaf = &plan.leaves[leaf as usize];
                        if leaf.length() != length {
                            return false;
                        }
                        base.write(leaf, bytes);
                    }
                    (Node::Pair(_), Below::Pair(pair)) => pending.add(pair as usize),
                    _ => return false,
                }
            }
            let Some(next) = pending.first() else { break };
            at = next;
            let Node::Pair(below) = node(nodes.word(base.numbers[plan.places[at] as usize])) else { return false };
            numbers = below;
        }
        base.word = word;
        true
    }

    /// Reads a state whose plan is not that of the base.
    #[cold]
    fn read_next(&mut self, entry: Entry) -> &[u8] {
        let next = after(self.base);
        self.bases[next].word = 0;
        let mut bytes = std::mem::take(&mut self.bases[next].bytes);
        bytes.clear();
        self.read(entry, &mut bytes);
        self.bases[next].bytes = bytes;
        &self.bases[next].bytes
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
        let base = &self.bases[self.base];
        let plan = (base.word != 0).then(|| self.plans.get(base.plan));
        let word = match plan.filter(|plan| state.len() >= 8 && plan.is_for(cut, state.len())) {
            Some(plan) if are_few(plan) => self.update::<u64>(state)?,
            Some(_) => self.update::<Vec<u64>>(state)?,
            None => self.build(state, cut)?,
        };
        self.roots.prefetch(word);
        Some(word)
    }

    #[inline]
    fn insert_prepared(&mut self, _: &[u8], prepared: u64) -> Insert {
        let entry = Entry::new(prepared);
        if !self.roots.insert(prepared) {
            return Insert::Old(entry);
        }
        // The search goes on from here, so this is the base of what comes, unless another state was read since.
        if self.bases[after(self.base)].word == prepared {
            self.base = after(self.base);
        }
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
    fn approach(&mut self, entry: Entry) {
        self.go_back(entry.address());
    }

    #[inline]
    fn state(&mut self, entry: Entry) -> &[u8] {
        let word = entry.address();
        if !self.go_back(word) {
            let base = &self.bases[self.base];
            let plan = (base.word != 0).then(|| self.plans.get(base.plan));
            let found = match plan {
                Some(plan) if are_few(plan) => self.follow::<u64>(word),
                Some(_) => self.follow::<Vec<u64>>(word),
                None => false,
            };
            if !found {
                return self.read_next(entry);
            }
        }
        &self.bases[self.base].bytes
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
