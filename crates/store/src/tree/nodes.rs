//! The nodes of the tree: a list of words, each kept once, and an index that finds a word's number.
//! A word is a leaf with up to seven bytes of a state, or a pair of numbers of other words.

use std::num::NonZeroU32;

use crate::pages::Pages;

/// A word with this bit is a leaf.
const LEAF: u64 = 1 << 63;
/// The most bytes of a leaf.
pub(super) const LEAF_BYTES: usize = 7;
/// Bits of a number.
pub(super) const NUMBER_BITS: u32 = 31;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;
/// The most leaves and pairs that a set of trees can have.
pub const MOST_NUMBERS: usize = NUMBER as usize;
const CHUNK_BITS: u32 = 18;
/// Words in a chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
const FIRST_SLOTS: usize = 1 << 10;
/// How many words are remembered that were looked up last.
const RECENT: usize = 1 << 12;

/// What a word says.
pub(super) enum Node {
    /// Some bytes of a state, the first one lowest, and how many. Those after them are 0.
    Leaf(u64, usize),
    /// The numbers of two words.
    Pair([u32; 2]),
}

/// The word of the leaf for some bytes of a state.
#[inline(always)]
pub(super) fn leaf(state: &[u8], start: usize, end: usize) -> u64 {
    leaf_word(eight_bytes(state, start), end - start)
}

/// The word of the leaf for the first bytes of eight, at most seven.
#[inline(always)]
pub(super) fn leaf_word(bytes: u64, length: usize) -> u64 {
    debug_assert!(length <= LEAF_BYTES);
    LEAF | (length as u64) << 56 | bytes & below(length)
}

/// A word in which so many low bytes, at most seven, are all ones.
#[inline(always)]
pub(super) fn below(bytes: usize) -> u64 {
    (1 << (8 * bytes)) - 1
}

/// Eight bytes of a state from there on; 0 for those after its end.
#[inline(always)]
pub(super) fn eight_bytes(state: &[u8], at: usize) -> u64 {
    if let Some(bytes) = state[at..].first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    // The last eight, without those before.
    if let Some(bytes) = state.last_chunk::<8>() {
        return u64::from_le_bytes(*bytes).unbounded_shr(8 * (8 + at - state.len()) as u32);
    }
    state[at..].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Eight bytes of a state from there on, which it must have.
#[inline(always)]
pub(super) fn word_at(state: &[u8], at: usize) -> u64 {
    state[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// The word of a pair.
#[inline(always)]
pub(super) fn pair([left, right]: [u32; 2]) -> u64 {
    u64::from(left) << NUMBER_BITS | u64::from(right)
}

/// The numbers in the word of a pair.
#[inline(always)]
pub(super) fn halves(word: u64) -> [u32; 2] {
    [(word >> NUMBER_BITS & NUMBER) as u32, (word & NUMBER) as u32]
}

/// What a word says.
#[inline(always)]
pub(super) fn node(word: u64) -> Node {
    if word & LEAF != 0 {
        let length = (word >> 56 & 7) as usize;
        return Node::Leaf(word & below(LEAF_BYTES), length);
    }
    Node::Pair(halves(word))
}

/// Words with numbers from 1 on. Number 0 is nothing.
#[derive(Debug)]
pub(super) struct Nodes {
    chunks: Vec<Pages>,
    pub(super) count: usize,
    /// The numbers of words, by their hashes.
    index: Pages,
    /// Words that were looked up not long ago, by their hashes, with their numbers: most words are asked for again soon, and the
    /// index is larger than the processor's caches.
    recent: Box<[(u64, u32); RECENT]>,
    /// There are no more numbers than this.
    pub(super) most: usize,
    /// The index does not get more bytes than this, unless it is too full to be searched.
    allowed: usize,
}

impl Nodes {
    /// No words yet, and no more than so many.
    pub(super) fn new(most: usize) -> Self {
        Nodes {
            chunks: Vec::new(),
            count: 0,
            index: Pages::new(FIRST_SLOTS * 4),
            recent: Box::new([(0, 0); RECENT]),
            most: most.min(MOST_NUMBERS),
            allowed: usize::MAX,
        }
    }

    /// The word with this number, which must be given away already.
    #[inline(always)]
    pub(super) fn word(&self, number: u32) -> u64 {
        let at = number as usize - 1;
        self.chunks[at >> CHUNK_BITS].words()[at & (CHUNK - 1)]
    }

    /// The number of a word; none if there is none left.
    #[inline]
    pub(super) fn number(&mut self, word: u64) -> Option<NonZeroU32> {
        let hash = hash(word);
        let (recent, number) = self.recent[hash % RECENT];
        NonZeroU32::new(if recent == word { number } else { self.find(word, hash) })
    }

    /// The same for one that was not looked up lately; 0 if there is no number left.
    #[inline(never)]
    fn find(&mut self, word: u64, hash: usize) -> u32 {
        let index = self.index.halves();
        let mask = index.len() - 1;
        let mut at = hash & mask;
        let number = loop {
            match index[at] {
                0 => break self.add(word, at),
                number if self.word(number) == word => break number,
                _ => at = (at + 1) & mask,
            }
        };
        if number != 0 {
            self.recent[hash % RECENT] = (word, number);
        }
        number
    }

    /// Adds a word whose number belongs there in the index; 0 if there is no number left.
    fn add(&mut self, word: u64, at: usize) -> u32 {
        if self.count == self.most {
            return 0;
        }
        let number = self.push(word);
        self.index.halves_mut()[at] = number;
        let slots = self.slots();
        if self.count * 4 > slots * 3 && (slots * 8 <= self.allowed || self.count * 32 > slots * 31) {
            self.build_index(slots * 2);
        }
        number
    }

    /// Adds a word that the index does not know yet.
    pub(super) fn push(&mut self, word: u64) -> u32 {
        let (chunk, at) = (self.count >> CHUNK_BITS, self.count & (CHUNK - 1));
        if chunk == self.chunks.len() {
            self.chunks.push(Pages::new(CHUNK * 8));
        }
        self.chunks[chunk].words_mut()[at] = word;
        self.count += 1;
        self.count as u32
    }

    /// Makes the index for all words there are.
    pub(super) fn fit_index(&mut self) {
        let mut slots = FIRST_SLOTS;
        while self.count * 4 > slots * 3 {
            slots *= 2;
        }
        self.build_index(slots);
    }

    /// Makes an index of so many slots. The old one goes first, so that there are never two.
    #[cold]
    fn build_index(&mut self, slots: usize) {
        self.index = Pages::new(0);
        let mut built = Pages::new(slots * 4);
        let (index, mask) = (built.halves_mut(), slots - 1);
        for number in 1..=self.count as u32 {
            let mut at = hash(self.word(number)) & mask;
            while index[at] != 0 {
                at = (at + 1) & mask;
            }
            index[at] = number;
        }
        self.index = built;
    }

    /// Lets the index grow up to so many bytes.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.allowed = bytes;
    }

    /// Whether 15 of 16 slots of the index are taken.
    pub(super) fn is_crowded(&self) -> bool {
        self.count * 16 > self.slots() * 15
    }

    fn slots(&self) -> usize {
        self.index.halves().len()
    }

    /// All words, in the order of their numbers.
    pub(super) fn words(&self) -> impl Iterator<Item = &[u64]> {
        let used = |chunk: usize| (self.count - (chunk << CHUNK_BITS)).min(CHUNK);
        self.chunks.iter().enumerate().map(move |(number, chunk)| &chunk.words()[..used(number)])
    }

    /// Bytes of the words, and of the index.
    pub(super) fn bytes(&self) -> (usize, usize) {
        (self.count * 8, self.slots() * 4)
    }
}

#[inline(always)]
fn hash(word: u64) -> usize {
    ((word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}
