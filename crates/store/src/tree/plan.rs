//! How a state of given components is made a tree: which bytes are leaves, and which places are paired.
//! Components are cut into leaves, but neighbours whose bytes fit into one leaf are that leaf: as a pair they would have as many
//! values. A pair is cut between components where that keeps both halves large.

use std::collections::HashMap;

use super::nodes::LEAF_BYTES;

/// A place in the tree of a state. Its children have greater numbers than it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlanNode {
    pub(super) parent: u32,
    /// The children; 0 for a leaf. The root of a state with one leaf has no right child.
    pub(super) left: u32,
    pub(super) right: u32,
    /// Which bytes of the state are below it.
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The tree of all states of one length and one cut. The root is place 0.
#[derive(Debug, Default)]
pub(super) struct Plan {
    cut: Box<[u32]>,
    length: usize,
    pub(super) places: Vec<PlanNode>,
    /// By byte, the place of its leaf.
    pub(super) leaves: Vec<u32>,
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
        plan.places.push(PlanNode { end: length as u32, ..PlanNode::default() });
        match leaves.len() {
            1 => plan.places[0].left = plan.add(0, &leaves, 0, &firsts),
            _ => plan.divide(0, &leaves, 0, &firsts),
        }
        plan.leaves = vec![0; length];
        for (at, place) in (0..).zip(&plan.places).filter(|(_, place)| place.left == 0) {
            plan.leaves[place.start as usize..place.end as usize].fill(at);
        }
        plan
    }

    /// Adds a place for some leaves, the first of which has number `first`; `firsts` are those that begin a component.
    fn add(&mut self, parent: u32, leaves: &[(u32, u32)], first: usize, firsts: &[usize]) -> u32 {
        let at = self.places.len() as u32;
        let (start, end) = (leaves[0].0, leaves[leaves.len() - 1].1);
        self.places.push(PlanNode { parent, start, end, ..PlanNode::default() });
        if leaves.len() > 1 && (end - start) as usize > LEAF_BYTES {
            self.divide(at, leaves, first, firsts);
        }
        at
    }

    /// Gives a place its children.
    fn divide(&mut self, at: u32, leaves: &[(u32, u32)], first: usize, firsts: &[usize]) {
        let middle = leaves.len().div_ceil(2);
        let near = leaves.len() / 4;
        let distance = |&number: &usize| (number as isize - (first + middle) as isize).unsigned_abs();
        let begins = firsts.iter().copied().filter(|&number| number > first && number < first + leaves.len());
        let best = begins.filter(|number| distance(number) <= near).min_by_key(distance);
        let half = best.map_or(middle, |number| number - first);
        let left = self.add(at, &leaves[..half], first, firsts);
        let right = self.add(at, &leaves[half..], first + half, firsts);
        let place = &mut self.places[at as usize];
        (place.left, place.right) = (left, right);
    }

    /// Whether it is for states of this length and cut.
    #[inline(always)]
    pub(super) fn is_for(&self, cut: &[u32], length: usize) -> bool {
        self.length == length && *self.cut == *cut
    }
}

/// Plans that were made, by what they are for.
#[derive(Debug, Default)]
pub(super) struct Plans {
    all: Vec<Plan>,
    numbers: HashMap<(usize, Box<[u32]>), usize>,
    bytes: usize,
}

/// Plans are made anew after so many bytes of them, so that they need not be counted.
const MOST_BYTES: usize = 1 << 20;

impl Plans {
    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> &Plan {
        &self.all[number]
    }

    /// The number of the plan for states of this length and cut. Numbers that were given before may be so no more.
    #[cold]
    pub(super) fn number(&mut self, cut: &[u32], length: usize) -> usize {
        if let Some(&number) = self.numbers.get(&(length, Box::from(cut))) {
            return number;
        }
        if self.bytes > MOST_BYTES {
            *self = Plans::default();
        }
        let plan = Plan::new(cut, length);
        let places = plan.places.len() * size_of::<PlanNode>() + plan.leaves.len() * size_of::<u32>();
        self.bytes += size_of::<Plan>() + places + 3 * size_of_val(cut);
        self.all.push(plan);
        self.numbers.insert((length, cut.into()), self.all.len() - 1);
        self.all.len() - 1
    }
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
            let mut leaves = plan.leaves.clone();
            leaves.dedup();
            let mut at = 0;
            for &leaf in &leaves {
                let PlanNode { start, end, left, .. } = plan.places[leaf as usize];
                assert!(left == 0 && start == at && end as usize - start as usize <= LEAF_BYTES);
                assert!(plan.leaves[start as usize..end as usize].iter().all(|&other| other == leaf));
                at = end;
            }
            assert_eq!(at as usize, length);
            let ends: Vec<usize> = cut.iter().map(|&end| end as usize).chain([length]).collect();
            for (start, end) in [0].iter().chain(&ends).zip(&ends) {
                // What fits into a leaf is in one.
                assert!(
                    (start + 1..*end).all(|byte| end - start > LEAF_BYTES || plan.leaves[byte] == plan.leaves[*start])
                );
            }
            for (number, place) in plan.places.iter().enumerate().skip(1) {
                assert!((place.parent as usize) < number);
                let parent = plan.places[place.parent as usize];
                assert_eq!(place.left == 0, (place.end - place.start) as usize <= LEAF_BYTES);
                assert!(parent.left as usize == number || parent.right as usize == number);
            }
            let depth = |&leaf: &u32| {
                let up = |&at: &u32| (at != 0).then(|| plan.places[at as usize].parent);
                std::iter::successors(Some(leaf), up).count() - 1
            };
            let deepest = leaves.iter().map(depth).max().unwrap_or(0);
            assert!(1 << (deepest / 2) <= leaves.len().max(2), "{deepest} for {}", leaves.len());
        }
    }
}
