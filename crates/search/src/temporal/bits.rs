//! Sets of process numbers, and the marks that a cycle collects. A run is accepted if the marks of its cycle are complete.

/// A set of numbers below 256: processes, or their types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Bits([u64; 4]);

impl FromIterator<usize> for Bits {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut bits = Bits::default();
        numbers.into_iter().for_each(|number| bits.insert(number));
        bits
    }
}

impl Bits {
    pub(super) const ALL: Bits = Bits([u64::MAX; 4]);

    #[inline]
    pub(super) fn insert(&mut self, number: usize) {
        self.0[number >> 6 & 3] |= 1 << (number & 63);
    }

    #[inline]
    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number >> 6 & 3] >> (number & 63) & 1 == 1
    }

    #[inline]
    pub(super) fn add(&mut self, other: Bits) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    /// The numbers that are not in it.
    #[inline]
    pub(super) fn others(self) -> Bits {
        Bits(self.0.map(|word| !word))
    }

    /// Those of its numbers that are not in another set.
    #[inline]
    pub(super) fn without(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }

    /// The set of one number.
    #[inline]
    pub(super) fn one(number: usize) -> Bits {
        let mut bits = Bits::default();
        bits.insert(number);
        bits
    }

    /// The numbers in it.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        (0..256).filter(move |&number| self.contains(number))
    }

    /// Its bytes, to be kept beside a state.
    pub(super) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(8).zip(self.0).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// The set that these bytes were made of.
    pub(super) fn of_bytes(bytes: &[u8]) -> Bits {
        let word = |at: usize| bytes[at * 8..at * 8 + 8].try_into().map_or(0, u64::from_le_bytes);
        Bits(std::array::from_fn(word))
    }
}

/// What a part of a run has of what a violating cycle must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Marks {
    /// Acceptance sets of the automaton.
    pub(super) sets: u64,
    /// Processes that are treated fairly: they moved, or could not.
    pub(super) fair: Bits,
}

impl Marks {
    #[inline]
    pub(super) fn add(&mut self, other: Marks) {
        self.sets |= other.sets;
        self.fair.add(other.fair);
    }
}
