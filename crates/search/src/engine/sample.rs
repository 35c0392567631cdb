//! Random samples of what a search meets, the same in every run.

use serde::{Deserialize, Serialize};

/// How many states are looked at to tell how large orbits are.
pub(super) const ORBITS: usize = 100;

/// More states than this are not kept for being the first of their kind.
const MOST_FIRSTS: usize = 1024;

/// A sample of fixed size: whatever is offered is in it with the same probability (Li's algorithm L). Most offers cost a
/// comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Reservoir<T> {
    pub(super) kept: Vec<T>,
    size: usize,
    offered: u64,
    /// The next offer that is taken.
    next: u64,
    weight: f64,
    random: Random,
}

impl<T> Reservoir<T> {
    pub(super) fn new(size: usize) -> Self {
        Reservoir { kept: Vec::new(), size, offered: 0, next: 0, weight: 1.0, random: Random(0x5eed) }
    }

    /// Whether the next offer is to be taken; then it is made with [`Self::take`].
    #[inline]
    pub(super) fn wants(&mut self) -> bool {
        self.offered += 1;
        self.offered > self.next && self.size > 0
    }

    /// Whether this is a sample of so many.
    pub(super) fn is_of(&self, size: usize) -> bool {
        self.size == size && self.kept.len() <= size
    }

    #[cold]
    pub(super) fn take(&mut self, item: T) {
        if self.kept.len() < self.size {
            self.kept.push(item);
        } else {
            let place = self.random.below(self.size);
            self.kept[place] = item;
        }
        if self.kept.len() == self.size {
            self.weight *= (self.random.fraction().ln() / self.size as f64).exp();
            let skipped = self.random.fraction().ln() / (1.0 - self.weight).ln();
            self.next = self.offered.saturating_add(skipped as u64);
        } else {
            self.next = self.offered;
        }
    }
}

/// States to look at again: a sample of all, and the first of every kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Samples {
    pub(super) any: Reservoir<Vec<u8>>,
    pub(super) firsts: Vec<Vec<u8>>,
    /// The shapes that were met.
    shapes: Vec<bool>,
    on: bool,
}

impl Samples {
    /// A sample of so many states; `on` says whether the first of every kind are kept too.
    pub(super) fn new(size: usize, on: bool) -> Self {
        Samples { any: Reservoir::new(size), firsts: Vec::new(), shapes: Vec::new(), on }
    }

    /// Whether this is a sample of the same size.
    pub(super) fn is_like(&self, other: &Samples) -> bool {
        self.any.is_of(other.any.size) && self.on == other.on
    }

    #[inline]
    pub(super) fn offer(&mut self, state: &[u8], shape: u32) {
        if self.any.wants() {
            self.any.take(state.to_vec());
        }
        if self.on && !self.shapes.get(shape as usize).copied().unwrap_or(false) {
            self.shapes.resize(self.shapes.len().max(shape as usize + 1), false);
            self.shapes[shape as usize] = true;
            self.first(state);
        }
    }

    /// Keeps a state from which something was done for the first time.
    #[cold]
    pub(super) fn first(&mut self, state: &[u8]) {
        if self.on && self.firsts.len() < MOST_FIRSTS && self.firsts.last().is_none_or(|last| last != state) {
            self.firsts.push(state.to_vec());
        }
    }
}

/// States at which one process was enough, and which one: a sample of all, and the first for every control state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Choices {
    pub(super) any: Reservoir<(Vec<u8>, usize)>,
    pub(super) firsts: Vec<(Vec<u8>, usize)>,
    /// The control states at which a process was chosen, by process type.
    seen: Vec<Vec<bool>>,
}

impl Choices {
    pub(super) fn new(size: usize, seen: Vec<Vec<bool>>) -> Self {
        Choices { any: Reservoir::new(size), firsts: Vec::new(), seen }
    }

    /// Whether this is a sample of the same size, for the same model.
    pub(super) fn is_like(&self, other: &Choices) -> bool {
        let lengths = |choices: &Choices| choices.seen.iter().map(Vec::len).collect::<Vec<_>>();
        self.any.is_of(other.any.size) && lengths(self) == lengths(other)
    }

    /// Takes note that a process was enough in a state, at a control state of its type.
    #[inline]
    pub(super) fn offer(&mut self, state: &[u8], process: usize, (ty, control): (usize, usize)) {
        if self.any.wants() {
            self.any.take((state.to_vec(), process));
        }
        if self.any.size > 0 && !self.seen[ty][control] {
            self.seen[ty][control] = true;
            self.firsts.push((state.to_vec(), process));
        }
    }
}

/// SplitMix64.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    #[inline]
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A number between 0 and 1, neither of them.
    fn fraction(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_kept_with_the_same_probability() {
        let mut counts = [0_u32; 10];
        for seed in 0..2_000 {
            let mut reservoir = Reservoir::new(20);
            reservoir.random = Random(seed);
            for item in 0..1_000 {
                if reservoir.wants() {
                    reservoir.take(item);
                }
            }
            assert_eq!(reservoir.kept.len(), 20);
            reservoir.kept.iter().for_each(|item| counts[item / 100] += 1);
        }
        // 4,000 of each are expected; the standard deviation is 60.
        assert!(counts.iter().all(|count| (3_700..4_300).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_small_search_is_looked_at_as_a_whole() {
        let mut samples = Samples::new(10, true);
        for state in 0..10_u8 {
            samples.offer(&[state], u32::from(state / 5));
        }
        assert_eq!(samples.any.kept.len(), 10);
        assert_eq!(samples.firsts, [vec![0], vec![5]]);
    }
}
