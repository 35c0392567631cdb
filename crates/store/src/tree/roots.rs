//! The roots of the tree: one slot for each state, in the order of the slots' words, with gaps.
//! It follows linear probing in sorted order: a word lies at its home or right after words that are smaller.
//!
//! A root is a pair of numbers of nodes. Its word is what an invertible mix makes of it, so that words are spread evenly and
//! a word alone tells its pair. The two lowest bits of a slot are marks. Since homes ascend with words, the table grows in
//! one pass from end to end, chunk by chunk.

use std::io;

use super::nodes::{NUMBER_BITS, halves, pair};
use crate::pages::Pages;

/// Bits for marks in a slot.
pub(super) const MARK_BITS: u32 = 2;
const MARKS: u64 = (1 << MARK_BITS) - 1;
/// Bits of a pair.
const BITS: u32 = 2 * NUMBER_BITS;
const WORD: u64 = (1 << BITS) - 1;
const CHUNK_BITS: u32 = 18;
/// Slots in a chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
const FIRST_LENGTH: usize = 1 << 10;

const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// The number by which an odd one is multiplied to get 1, modulo 2⁶⁴.
const fn inverse(odd: u64) -> u64 {
    let mut found = odd;
    let mut round = 0;
    // Each round doubles the number of low bits that are right; there are three at the start.
    while round < 5 {
        found = found.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(found)));
        round += 1;
    }
    found
}

/// The word of a root.
#[inline(always)]
pub(super) fn word(numbers: [u32; 2]) -> u64 {
    let mut mixed = pair(numbers);
    for factor in FACTORS {
        mixed ^= mixed >> NUMBER_BITS;
        mixed = mixed.wrapping_mul(factor) & WORD;
    }
    mixed
}

/// The root of a word.
#[inline(always)]
pub(super) fn root(word: u64) -> [u32; 2] {
    let mut mixed = word;
    for inverse in INVERSES.into_iter().rev() {
        mixed = mixed.wrapping_mul(inverse) & WORD;
        mixed ^= mixed >> NUMBER_BITS;
    }
    halves(mixed)
}

/// The words of all roots.
#[derive(Debug)]
pub(super) struct Roots {
    chunks: Vec<Pages>,
    /// Chunks for more slots, all 0.
    spare: Vec<Pages>,
    pub(super) count: usize,
    /// Homes are below this.
    length: usize,
    /// No slot from here on was ever used.
    end: usize,
}

impl Default for Roots {
    fn default() -> Self {
        let chunks = vec![Pages::new(CHUNK * 8)];
        Roots { chunks, spare: Vec::new(), count: 0, length: FIRST_LENGTH, end: FIRST_LENGTH }
    }
}

impl Roots {
    #[inline(always)]
    fn home(&self, word: u64) -> usize {
        home(word << MARK_BITS, self.length)
    }

    #[inline(always)]
    fn slot(&self, at: usize) -> u64 {
        self.chunks[at >> CHUNK_BITS].words()[at & (CHUNK - 1)]
    }

    #[inline(always)]
    fn slot_mut(&mut self, at: usize) -> &mut u64 {
        &mut self.chunks[at >> CHUNK_BITS].words_mut()[at & (CHUNK - 1)]
    }

    /// Asks the processor to fetch what looking up a word will read first.
    #[inline]
    pub(super) fn prefetch(&self, word: u64) {
        let home = self.home(word);
        self.chunks[home >> CHUNK_BITS].prefetch(home & (CHUNK - 1));
    }

    /// Where a word is, or where it belongs.
    #[inline]
    fn place(&self, word: u64) -> Result<usize, usize> {
        let mut at = self.home(word);
        // Slots that were never used are 0.
        while at < self.end {
            let chunk = &self.chunks[at >> CHUNK_BITS].words()[at & (CHUNK - 1)..];
            for &slot in chunk {
                let found = slot >> MARK_BITS;
                if found >= word {
                    return if found == word { Ok(at) } else { Err(at) };
                }
                if found == 0 {
                    return Err(at);
                }
                at += 1;
            }
        }
        Err(at)
    }

    /// Whether a word is there.
    pub(super) fn has(&self, word: u64) -> bool {
        self.place(word).is_ok()
    }

    /// Adds a word; false if it was there. There is room for it: see [`Self::is_full`].
    #[inline]
    pub(super) fn insert(&mut self, word: u64) -> bool {
        let at = match self.place(word) {
            Ok(_) => return false,
            Err(at) => at,
        };
        self.shift_in(at, word << MARK_BITS);
        self.count += 1;
        true
    }

    /// Puts a slot there; those from there on up to the next gap move on.
    #[inline]
    fn shift_in(&mut self, mut at: usize, mut slot: u64) {
        loop {
            self.reach(at + 1);
            let chunk = &mut self.chunks[at >> CHUNK_BITS].words_mut()[at & (CHUNK - 1)..];
            for place in chunk {
                at += 1;
                slot = std::mem::replace(place, slot);
                if slot == 0 {
                    return self.reach(at);
                }
            }
        }
    }

    /// Makes sure that there are slots up to `end`.
    #[inline(always)]
    fn reach(&mut self, end: usize) {
        if end > self.end {
            self.extend(end);
        }
    }

    #[cold]
    fn extend(&mut self, end: usize) {
        while self.chunks.len() << CHUNK_BITS < end {
            self.chunks.push(self.spare.pop().unwrap_or_else(|| Pages::new(CHUNK * 8)));
        }
        self.end = end;
    }

    /// The marks of a word that is there.
    #[inline]
    pub(super) fn marks(&self, word: u64) -> u64 {
        self.place(word).map_or(0, |at| self.slot(at) & MARKS)
    }

    /// Gives a word that is there other marks.
    #[inline]
    pub(super) fn set_marks(&mut self, word: u64, marks: u64) {
        if let Ok(at) = self.place(word) {
            let slot = self.slot_mut(at);
            *slot = *slot & !MARKS | marks & MARKS;
        }
    }

    /// Whether the table should grow before more is added: 13 of 16 slots are taken.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.count * 16 > self.length * 13
    }

    /// Whether 15 of 16 slots are taken.
    pub(super) fn is_crowded(&self) -> bool {
        self.count * 16 > self.length * 15
    }

    /// Whether so many slots are taken that looking up takes too long.
    pub(super) fn must_grow(&self) -> bool {
        self.count * 32 > self.length * 31
    }

    /// How many more slots there are after it has grown once.
    pub(super) fn more(&self) -> usize {
        longer(self.length) - self.length
    }

    /// Makes the table longer.
    #[cold]
    pub(super) fn grow(&mut self) {
        self.spread(longer(self.length));
    }

    /// Gives the table a length, and every slot its place. The slots are in ascending order, wherever they are. Chunks whose slots
    /// have moved are used again, so that there are never two tables.
    fn spread(&mut self, length: usize) {
        let before = std::mem::take(&mut self.chunks);
        let mut rest = std::mem::take(&mut self.end);
        self.length = length;
        let mut next = 0;
        for mut chunk in before {
            let used = rest.min(CHUNK);
            rest -= used;
            for &slot in &chunk.words()[..used] {
                if slot != 0 {
                    next = next.max(home(slot, length));
                    if next >= self.end {
                        // Up to the end of a chunk.
                        self.extend((next | (CHUNK - 1)) + 1);
                    }
                    *self.slot_mut(next) = slot;
                    next += 1;
                }
            }
            chunk.words_mut()[..used].fill(0);
            self.spare.push(chunk);
        }
        self.extend(length.max(next));
        // A small table keeps one, since it grows often.
        self.spare.truncate(usize::from(self.chunks.len() == 1));
    }

    /// All slots in use, in ascending order.
    pub(super) fn slots(&self) -> impl Iterator<Item = u64> {
        (0..self.end).map(|at| self.slot(at)).filter(|&slot| slot != 0)
    }

    /// The table of these slots; none if they are not in ascending order. No memory is taken for slots that do not come.
    pub(super) fn collect(slots: impl Iterator<Item = io::Result<u64>>) -> io::Result<Option<Roots>> {
        let mut roots = Roots::default();
        let mut before = 0;
        for slot in slots {
            let slot = slot?;
            if slot >> MARK_BITS <= before {
                return Ok(None);
            }
            before = slot >> MARK_BITS;
            roots.reach(roots.count + 1);
            *roots.slot_mut(roots.count) = slot;
            roots.count += 1;
        }
        let mut length = FIRST_LENGTH;
        while roots.count * 16 > length * 13 {
            length = longer(length);
        }
        roots.spread(length);
        Ok(Some(roots))
    }

    /// Bytes of the words, and of the whole table.
    pub(super) fn bytes(&self) -> (usize, usize) {
        (self.count * 8, self.end * 8)
    }
}

/// The next length of a table.
fn longer(length: usize) -> usize {
    length + length / 4
}

/// Where a slot belongs in a table of a length, if there is room.
#[inline(always)]
fn home(slot: u64, length: usize) -> usize {
    ((u128::from(slot) * length as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_word_tells_its_root() {
        let numbers = [0, 1, 2, 3, 1000, 1 << 20, (1 << 30) + 7, (1 << 31) - 1];
        let mut words = BTreeSet::new();
        for (left, right) in numbers.into_iter().flat_map(|left| numbers.map(|right| (left, right))) {
            assert_eq!(root(word([left, right])), [left, right]);
            assert_eq!(word([left, right]) == 0, (left, right) == (0, 0));
            assert!(words.insert(word([left, right])) && word([left, right]) <= WORD);
        }
    }

    #[test]
    fn slots_stay_sorted_and_reachable_however_full_the_table_is() {
        for fullest in [13, 16, 31] {
            let mut roots = Roots::default();
            let mut known = BTreeSet::new();
            for number in 1..30_000_u32 {
                // Some homes are taken again and again, the last ones among them.
                let word = match number % 3 {
                    0 => WORD - u64::from(number),
                    1 => word([number % 500 + 1, number]),
                    _ => word([number, number]),
                };
                assert_eq!(roots.insert(word), known.insert(word));
                if roots.count * 32 > roots.length * fullest {
                    roots.grow();
                }
            }
            assert!(roots.slots().map(|slot| slot >> MARK_BITS).eq(known.iter().copied()));
            assert!(known.iter().all(|&word| roots.has(word)));
            assert!(!(1..1000).any(|number| roots.has(word([7, 40_000 + number]))));
        }
    }

    #[test]
    fn a_table_of_several_chunks_grows_and_keeps_its_slots() {
        let mut roots = Roots::default();
        for number in 1..=3 * CHUNK as u32 {
            let word = word([number, number ^ 5]);
            assert!(roots.insert(word));
            roots.set_marks(word, u64::from(number) & MARKS);
            if roots.is_full() {
                roots.grow();
            }
        }
        assert!(roots.chunks.len() > 3 && roots.spare.is_empty());
        assert!(
            roots.slots().zip(roots.slots().skip(1)).all(|(before, after)| before >> MARK_BITS < after >> MARK_BITS)
        );
        for number in 1..=3 * CHUNK as u32 {
            let word = word([number, number ^ 5]);
            assert!(roots.has(word) && roots.marks(word) == u64::from(number) & MARKS, "{number}");
        }
    }
}
