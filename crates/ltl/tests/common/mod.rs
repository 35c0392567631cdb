//! What the tests of this crate share: random numbers and words. Everything follows from a seed.

/// Random numbers from a seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// A word that repeats, and where its cycle begins.
    pub(crate) fn word(&mut self, propositions: usize) -> (Vec<u64>, usize) {
        let length = 1 + self.below(6);
        let word = (0..length).map(|_| self.below(1 << propositions) as u64).collect();
        (word, self.below(length))
    }
}
