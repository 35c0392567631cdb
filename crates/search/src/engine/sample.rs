//! A random sample of the states met, the same in every run.

/// How many states are looked at to tell how large orbits are.
pub(super) const ORBITS: usize = 100;

/// A sample of fixed size: every state offered is in it with the same probability (Vitter's algorithm R).
#[derive(Clone, Debug)]
pub(super) struct Samples {
    pub(super) states: Vec<Vec<u8>>,
    size: usize,
    offered: u64,
    random: Random,
}

impl Samples {
    pub(super) fn new(size: usize) -> Self {
        Samples { states: Vec::new(), size, offered: 0, random: Random(0x5eed) }
    }

    #[inline]
    pub(super) fn offer(&mut self, state: &[u8]) {
        self.offered += 1;
        if self.states.len() < self.size {
            self.states.push(state.to_vec());
            return;
        }
        let place = self.random.below(self.offered as usize);
        if let Some(old) = self.states.get_mut(place) {
            old.clear();
            old.extend_from_slice(state);
        }
    }
}

/// SplitMix64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    #[inline]
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % bound.max(1) as u64) as usize
    }
}
