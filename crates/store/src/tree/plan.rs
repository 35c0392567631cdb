//! How a state of given components is made a tree: which bytes are leaves, and which places are paired.
//! Components are cut into leaves, but neighbours whose bytes fit into one leaf are that leaf: as a pair they would have as many
//! values. A pair is cut between components where that keeps both halves large.

use std::collections::HashMap;

use super::nodes::{LEAF_BYTES, below, leaf_word, word_at};

/// A part of a state that is kept as a leaf.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlanLeaf {
    /// Where it ends in the state.
    pub(super) end: u32,
    /// Where it is in the tree.
    pub(super) place: u32,
    /// Of states with eight bytes or more: which eight bytes have it, and how many bits are before it.
    from: u32,
    shift: u32,
    /// Its bits after these, and the word of a leaf of this length whose bytes are 0.
    mask: u64,
    empty: u64,
}

impl PlanLeaf {
    fn new((start, end): (u32, u32), place: u32, length: usize) -> PlanLeaf {
        let from = start.min((length as u32).saturating_sub(8));
        let bytes = (end - start) as usize;
        PlanLeaf { end, place, from, shift: 8 * (start - from), mask: below(bytes), empty: leaf_word(0, bytes) }
    }

    /// Where it begins in the state.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        (self.from + self.shift / 8) as usize
    }

    /// How many bytes it has.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        self.end as usize - self.start()
    }

    /// The word of this leaf of a state with eight bytes or more.
    #[inline(always)]
    pub(super) fn word(&self, state: &[u8]) -> u64 {
        word_at(state, self.from as usize) >> (self.shift % 64) & self.mask | self.empty
    }
}

/// What is at a place of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    /// The leaf with this number.
    Leaf(u32),
    /// The pair with this number.
    Pair(u32),
}

/// The tree of all states of one length and one cut.
///
/// Pair 1 is at the top. Pair *k* has two places, 2*k* and 2*k* + 1, and the pairs below it have greater numbers. Where one leaf
/// is the whole state, it is at place 2, and there is nothing at place 3.
#[derive(Debug, Default)]
pub(super) struct Plan {
    cut: Box<[u32]>,
    pub(super) length: usize,
    pub(super) leaves: Vec<PlanLeaf>,
    /// By byte, the number of its leaf.
    pub(super) leaf_of: Vec<u32>,
    /// By pair, the place at which it is.
    pub(super) places: Vec<u32>,
    /// By place, what is there.
    pub(super) below: Vec<Below>,
}

impl Plan {
    /// A plan for states of this length whose components end there.
    fn new(cut: &[u32], length: usize) -> Plan {
        let mut plan = Plan { cut: cut.into(), length, ..Plan::default() };
        let mut leaves = Vec::new();
        let mut firsts = Vec::new();
        let mut start = 0;
        for end in cut.iter().map(|&end| (end as usize).min(length)).chain([length]).filter(|&end| end > 0) {
            if end > start {
                firsts.push(leaves.len());
                // A component is cut into leaves of about the same size.
                let parts = (end - start).div_ceil(LEAF_BYTES);
                let at = |part: usize| (start + (end - start) * part / parts) as u32;
                leaves.extend((0..parts).map(|part| (at(part), at(part + 1))));
                start = end;
            }
        }
        if leaves.is_empty() {
            leaves.push((0, 0));
        }
        // There is no pair 0.
        plan.places = vec![0];
        plan.below = vec![Below::Pair(0), Below::Pair(1)];
        match leaves.len() {
            1 => {
                plan.add_pair(1);
                plan.add(2, &leaves, 0, &firsts);
            }
            _ => plan.divide(1, &leaves, 0, &firsts),
        }
        plan.leaf_of = vec![0; length];
        for (number, leaf) in (0..).zip(&plan.leaves) {
            plan.leaf_of[leaf.start()..leaf.end as usize].fill(number);
        }
        plan
    }

    /// Adds a pair at a place, with nothing below it yet.
    fn add_pair(&mut self, place: u32) -> u32 {
        let pair = self.places.len() as u32;
        self.places.push(place);
        self.below.extend([Below::Pair(0); 2]);
        self.below[place as usize] = Below::Pair(pair);
        pair
    }

    /// Puts some leaves below a place, the first of which has number `first`; `firsts` are those that begin a component.
    fn add(&mut self, place: u32, leaves: &[(u32, u32)], first: usize, firsts: &[usize]) {
        let (start, end) = (leaves[0].0, leaves[leaves.len() - 1].1);
        if leaves.len() > 1 && (end - start) as usize > LEAF_BYTES {
            return self.divide(place, leaves, first, firsts);
        }
        self.below[place as usize] = Below::Leaf(self.leaves.len() as u32);
        self.leaves.push(PlanLeaf::new((start, end), place, self.length));
    }

    /// Puts a pair at a place, and some leaves below it.
    fn divide(&mut self, place: u32, leaves: &[(u32, u32)], first: usize, firsts: &[usize]) {
        let middle = leaves.len().div_ceil(2);
        let near = leaves.len() / 4;
        let distance = |&number: &usize| (number as isize - (first + middle) as isize).unsigned_abs();
        let begins = firsts.iter().copied().filter(|&number| number > first && number < first + leaves.len());
        let best = begins.filter(|number| distance(number) <= near).min_by_key(distance);
        let half = best.map_or(middle, |number| number - first);
        let pair = self.add_pair(place);
        self.add(2 * pair, &leaves[..half], first, firsts);
        self.add(2 * pair + 1, &leaves[half..], first + half, firsts);
    }

    /// Whether it is for states of this length and cut.
    #[inline(always)]
    pub(super) fn is_for(&self, cut: &[u32], length: usize) -> bool {
        self.length == length && *self.cut == *cut
    }
}

/// Plans that were made, by what they are for.
#[derive(Debug)]
pub(super) struct Plans {
    all: Vec<Plan>,
    /// Numbers that were asked for last, by hashes of what they are for.
    recent: [usize; RECENT],
    numbers: HashMap<(usize, Box<[u32]>), usize>,
    bytes: usize,
}

impl Default for Plans {
    fn default() -> Self {
        Plans { all: Vec::new(), recent: [0; RECENT], numbers: HashMap::new(), bytes: 0 }
    }
}

/// Plans are made anew after so many bytes of them, so that they need not be counted.
const MOST_BYTES: usize = 1 << 20;

impl Plans {
    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> &Plan {
        &self.all[number]
    }

    /// The number of the plan for states of this length and cut, if there is one.
    pub(super) fn find(&mut self, cut: &[u32], length: usize) -> Option<usize> {
        let recent = &mut self.recent[hash(cut, length) % RECENT];
        if self.all.get(*recent).is_some_and(|plan| plan.is_for(cut, length)) {
            return Some(*recent);
        }
        *recent = *self.numbers.get(&(length, Box::from(cut)))?;
        Some(*recent)
    }

    /// Whether the next plan that is added is the first one again, and those that were there are not there any more.
    pub(super) fn are_many(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Adds a plan for states of this length and cut.
    #[cold]
    pub(super) fn add(&mut self, cut: &[u32], length: usize) -> usize {
        if self.are_many() {
            *self = Plans::default();
        }
        let plan = Plan::new(cut, length);
        let leaves = size_of_val(&plan.leaves[..]) + size_of_val(&plan.leaf_of[..]);
        let pairs = size_of_val(&plan.places[..]) + size_of_val(&plan.below[..]);
        self.bytes += size_of::<Plan>() + leaves + pairs + 3 * size_of_val(cut);
        self.all.push(plan);
        self.numbers.insert((length, cut.into()), self.all.len() - 1);
        self.all.len() - 1
    }
}

/// How many numbers of plans are remembered that were asked for last.
const RECENT: usize = 64;

fn hash(cut: &[u32], length: usize) -> usize {
    let mix = |hash: u64, &end: &u32| (hash.rotate_left(5) ^ u64::from(end)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (cut.iter().fold(length as u64, mix) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_cover_the_state_and_small_components_are_in_one() {
        for (cut, length) in [
            (vec![], 0),
            (vec![], 1),
            (vec![3], 3),
            (vec![0, 3, 3, 20], 61),
            ((1..200).map(|end| end * 3).collect(), 597),
            (vec![1000, 1003, 1006], 1006),
        ] {
            let plan = Plan::new(&cut, length);
            assert!(plan.is_for(&cut, length) && !plan.is_for(&cut, length + 1));
            let mut at = 0;
            for (number, leaf) in (0..).zip(&plan.leaves) {
                let (start, end) = (leaf.start(), leaf.end as usize);
                assert!(start == at && end - start <= LEAF_BYTES && end - start == leaf.length());
                assert!(plan.leaf_of[start..end].iter().all(|&other| other == number));
                assert_eq!(plan.below[leaf.place as usize], Below::Leaf(number));
                at = end;
            }
            assert_eq!(at, length);
            let ends: Vec<usize> = cut.iter().map(|&end| end as usize).chain([length]).collect();
            for (start, end) in [0].iter().chain(&ends).zip(&ends) {
                // What fits into a leaf is in one.
                assert!(
                    (start + 1..*end)
                        .all(|byte| end - start > LEAF_BYTES || plan.leaf_of[byte] == plan.leaf_of[*start])
                );
            }
            // Pairs are below pairs of smaller numbers, and every place has a leaf or a pair that knows of it.
            for (pair, &place) in (0..).zip(&plan.places).skip(1) {
                assert!(place / 2 < pair);
                assert_eq!(plan.below[place as usize], Below::Pair(pair));
            }
            let empty = usize::from(plan.leaves.len() == 1);
            assert_eq!(plan.leaves.len() + empty, plan.places.len());
            let depth = |leaf: &PlanLeaf| {
                let up = |&at: &u32| (at != 1).then(|| plan.places[at as usize / 2]);
                std::iter::successors(Some(leaf.place), up).count() - 1
            };
            let leaves = &plan.leaves;
            let deepest = leaves.iter().map(depth).max().unwrap_or(0);
            assert!(1 << (deepest / 2) <= leaves.len().max(2), "{deepest} for {}", leaves.len());
        }
    }
}
