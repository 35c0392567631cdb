//! The exact visited set: an open-addressing table of tagged addresses into an arena of states.
//!
//! A slot holds 24 bits of the hash and the 40-bit address of the state, so that almost every mismatch is settled
//! without touching the state. A state in the arena has a byte for marks and its length before its bytes; the length
//! takes one byte, or three for a long state.

use std::num::NonZeroU64;

use rapidhash::v3::rapidhash_v3;

use crate::pages::Pages;

/// Where a state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry(NonZeroU64);

impl Entry {
    #[inline(always)]
    pub(crate) fn new(address: u64) -> Entry {
        Entry(NonZeroU64::new(address).expect("no state has address 0"))
    }

    /// The entry with this [address](Self::address), whether or not something is kept there.
    #[inline(always)]
    pub fn at(address: u64) -> Option<Entry> {
        NonZeroU64::new(address).map(Entry)
    }

    /// A number by which [`Exact::entry`] finds it again.
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.0.get()
    }
}

/// What inserting found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The state is new.
    New(Entry),
    /// The state was there.
    Old(Entry),
}

const ADDRESS_BITS: u32 = 40;
pub(crate) const ADDRESS: u64 = (1 << ADDRESS_BITS) - 1;
/// No state has address 0.
const EMPTY: u64 = 0;
pub(crate) const FIRST_ADDRESS: u64 = 8;
pub(crate) const CHUNK_BITS: u32 = 26;
pub(crate) const CHUNK: usize = 1 << CHUNK_BITS;
const FIRST_SLOTS: usize = 1 << 12;
/// Bytes before a state: marks, and its length.
pub(crate) const HEADER: usize = 2;
/// Bytes before a state whose length does not fit a byte.
pub(crate) const LONG_HEADER: usize = 4;
/// In the place of a length: the length follows.
pub(crate) const LONG: u8 = u8::MAX;
/// The longest state that can be kept.
pub const LONGEST_STATE: usize = u16::MAX as usize;

const ON_STACK: u8 = 1;
/// A mark for "the rest of this chunk is unused".
pub(crate) const LAST: u8 = 128;

/// An exact visited set.
#[derive(Debug)]
pub struct Exact {
    slots: Pages,
    pub(crate) count: usize,
    pub(crate) chunks: Vec<Pages>,
    /// The next free byte, as an address.
    pub(crate) end: u64,
    /// The table does not grow if it takes more bytes than this with the states.
    most: usize,
}

impl Default for Exact {
    fn default() -> Self {
        Exact { slots: Pages::new(FIRST_SLOTS * 8), count: 0, chunks: Vec::new(), end: FIRST_ADDRESS, most: usize::MAX }
    }
}

impl Exact {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many states it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes it takes: the table, and as much of the arena as is in use.
    pub fn bytes(&self) -> usize {
        self.end as usize + self.slots.words().len() * 8
    }

    /// Bytes of the states, with their marks and lengths.
    pub fn payload(&self) -> usize {
        (self.end - FIRST_ADDRESS) as usize
    }

    /// The hash of a state, for [`Self::insert_hashed`].
    #[inline]
    pub fn hash(&self, state: &[u8]) -> u64 {
        rapidhash_v3(state)
    }

    /// Asks the processor to fetch what looking up a hash will read first.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.slots.prefetch(hash as usize & (self.slots.words().len() - 1));
    }

    /// Inserts a state, at most [`LONGEST_STATE`] bytes long.
    #[inline]
    pub fn insert(&mut self, state: &[u8]) -> Insert {
        self.insert_hashed(state, rapidhash_v3(state))
    }

    /// Inserts a state whose hash is known.
    #[inline]
    pub fn insert_hashed(&mut self, state: &[u8], hash: u64) -> Insert {
        let (at, tag) = match self.probe(state, hash) {
            Ok(entry) => return Insert::Old(entry),
            Err(free) => free,
        };
        let entry = self.append(state);
        let slots = self.slots.words_mut();
        slots[at] = tag | entry.address();
        self.count += 1;
        if self.count * 16 > slots.len() * 13 {
            self.make_room();
        }
        Insert::New(entry)
    }

    /// Lets the table grow as long as the set takes no more than so many bytes with it. What is too full to be searched
    /// grows all the same; see [`Self::is_crowded`].
    pub fn allow(&mut self, bytes: usize) {
        self.most = bytes;
    }

    /// Whether the table should have grown, was not allowed to, and is almost full.
    pub fn is_crowded(&self) -> bool {
        self.count * 16 > self.slots.words().len() * 15
    }

    /// Looks a state up.
    pub fn find(&self, state: &[u8]) -> Option<Entry> {
        self.probe(state, rapidhash_v3(state)).ok()
    }

    /// The state's entry, or the free slot it belongs into and its tag.
    #[inline(always)]
    fn probe(&self, state: &[u8], hash: u64) -> Result<Entry, (usize, u64)> {
        let tag = hash & !ADDRESS;
        let slots = self.slots.words();
        let mask = slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = slots[at];
            if slot == EMPTY {
                return Err((at, tag));
            }
            if slot & !ADDRESS == tag && self.state(Entry::new(slot & ADDRESS)) == state {
                return Ok(Entry::new(slot & ADDRESS));
            }
            at = (at + 1) & mask;
        }
    }

    /// A state's bytes.
    #[inline(always)]
    pub fn state(&self, entry: Entry) -> &[u8] {
        let chunk = self.chunks[(entry.address() >> CHUNK_BITS) as usize].bytes();
        let at = entry.address() as usize & (CHUNK - 1);
        match chunk[at + 1] {
            LONG => {
                let length = usize::from(u16::from_le_bytes([chunk[at + 2], chunk[at + 3]]));
                &chunk[at + LONG_HEADER..at + LONG_HEADER + length]
            }
            length => &chunk[at + HEADER..at + HEADER + usize::from(length)],
        }
    }

    fn marks(&mut self, entry: Entry) -> &mut u8 {
        &mut self.chunks[(entry.address() >> CHUNK_BITS) as usize].bytes_mut()[entry.address() as usize & (CHUNK - 1)]
    }

    /// Notes whether a state is on the stack of a depth-first search.
    #[inline]
    pub fn set_on_stack(&mut self, entry: Entry, on_stack: bool) {
        let marks = self.marks(entry);
        if on_stack {
            *marks |= ON_STACK;
        } else {
            *marks &= !ON_STACK;
        }
    }

    /// Whether a state is on the stack of a depth-first search.
    #[inline]
    pub fn is_on_stack(&self, entry: Entry) -> bool {
        let chunk = self.chunks[(entry.address() >> CHUNK_BITS) as usize].bytes();
        chunk[entry.address() as usize & (CHUNK - 1)] & ON_STACK != 0
    }

    /// All states, in the order they were inserted.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.entries().map(|entry| self.state(entry))
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut at = FIRST_ADDRESS;
        let mut left = self.count;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            left -= 1;
            // A state that did not fit at the end of a chunk went to the next one.
            let offset = at as usize & (CHUNK - 1);
            if self.chunks[(at >> CHUNK_BITS) as usize].bytes()[offset] & LAST != 0 {
                at = ((at >> CHUNK_BITS) + 1) << CHUNK_BITS;
            }
            let entry = Entry::new(at);
            at += (header(self.state(entry).len()) + self.state(entry).len()) as u64;
            Some(entry)
        })
    }

    fn append(&mut self, state: &[u8]) -> Entry {
        debug_assert!(state.len() <= LONGEST_STATE);
        let header = header(state.len());
        let offset = self.end as usize & (CHUNK - 1);
        let number = (self.end >> CHUNK_BITS) as usize;
        // A state never ends at the very end of a chunk, so that there is always room for the mark.
        if offset + header + state.len() >= CHUNK {
            self.chunks[number].bytes_mut()[offset] = LAST;
            self.end = (number as u64 + 1) << CHUNK_BITS;
        }
        let number = (self.end >> CHUNK_BITS) as usize;
        if number == self.chunks.len() {
            self.chunks.push(Pages::new(CHUNK));
        }
        let entry = Entry::new(self.end);
        let at = self.end as usize & (CHUNK - 1);
        let place = &mut self.chunks[number].bytes_mut()[at..at + header + state.len()];
        match u8::try_from(state.len()) {
            Ok(length) if length != LONG => place[1] = length,
            _ => {
                place[1] = LONG;
                place[2..4].copy_from_slice(&(state.len() as u16).to_le_bytes());
            }
        }
        place[header..].copy_from_slice(state);
        self.end += place.len() as u64;
        entry
    }

    /// Doubles the table, unless that would take too much memory.
    #[cold]
    fn make_room(&mut self) {
        let slots = self.slots.words().len();
        if self.bytes() + slots * 8 <= self.most || self.count * 32 > slots * 31 {
            self.build_table(slots * 2);
        }
    }

    /// Makes a table of the size that it has for so many states.
    pub(crate) fn fit_table(&mut self) {
        let mut slots = FIRST_SLOTS;
        while self.count * 16 > slots * 13 {
            slots *= 2;
        }
        self.build_table(slots);
    }

    /// Makes a table of so many slots. The old one is not needed and goes first, so that there are never two. States are
    /// hashed again in batches, so that the slots of a batch are fetched together.
    fn build_table(&mut self, slots: usize) {
        const BATCH: usize = 32;
        self.slots = Pages::new(0);
        let mut table = Exact { slots: Pages::new(slots * 8), ..Exact::new() };
        table.slots.touch();
        let mask = slots - 1;
        let mut batch: Vec<(u64, Entry)> = Vec::with_capacity(BATCH);
        let mut entries = self.entries();
        loop {
            batch.clear();
            batch.extend(entries.by_ref().take(BATCH).map(|entry| (rapidhash_v3(self.state(entry)), entry)));
            if batch.is_empty() {
                break;
            }
            batch.iter().for_each(|&(hash, _)| table.prefetch(hash));
            let slots = table.slots.words_mut();
            for &(hash, entry) in &batch {
                let mut at = hash as usize & mask;
                while slots[at] != EMPTY {
                    at = (at + 1) & mask;
                }
                slots[at] = hash & !ADDRESS | entry.address();
            }
        }
        drop(entries);
        self.slots = table.slots;
    }
}

/// Bytes before a state of this length.
#[inline(always)]
fn header(length: usize) -> usize {
    if length < usize::from(LONG) { HEADER } else { LONG_HEADER }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn agrees_with_a_hash_map_on_random_states() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let mut set = Exact::new();
        let mut known: HashMap<Vec<u8>, Entry> = HashMap::new();
        for _ in 0..200_000 {
            let length = (random() % 40) as usize;
            let state: Vec<u8> = (0..length).map(|_| (random() % 3) as u8).collect();
            match (set.insert(&state), known.get(&state)) {
                (Insert::New(entry), None) => {
                    known.insert(state, entry);
                }
                (Insert::Old(entry), Some(&expected)) => assert_eq!(entry, expected),
                (found, expected) => panic!("{state:?}: {found:?} but {expected:?}"),
            }
        }
        assert_eq!(set.len(), known.len());
        assert_eq!(set.iter().count(), known.len());
        for (state, &entry) in &known {
            assert_eq!(set.state(entry), &state[..]);
            assert_eq!(set.find(state), Some(entry));
        }
    }

    #[test]
    fn long_states_cross_no_chunk_and_survive_growth() {
        let mut set = Exact::new();
        let states: Vec<Vec<u8>> = (0..2500u32).map(|i| [&i.to_le_bytes()[..], &vec![7; 60_000]].concat()).collect();
        for state in &states {
            assert!(matches!(set.insert(state), Insert::New(_)));
        }
        assert!(set.iter().eq(states.iter().map(|s| &s[..])));
        assert!(states.iter().all(|s| matches!(set.insert(s), Insert::Old(_))));
    }

    #[test]
    fn a_table_that_may_not_grow_gets_crowded_and_loses_nothing() {
        let mut set = Exact::new();
        set.allow(0);
        let mut crowded = 0;
        for state in 0..20_000_u32 {
            assert!(matches!(set.insert(&state.to_le_bytes()), Insert::New(_)));
            crowded += u32::from(set.is_crowded());
        }
        // From 30 to 31 of 32 slots in each table that it has had: 4,096, 8,192 and 16,384.
        assert_eq!(crowded, 128 + 256 + 512);
        assert!((0..20_000_u32).all(|state| set.find(&state.to_le_bytes()).is_some()));
    }

    #[test]
    fn stack_marks_are_per_state() {
        let mut set = Exact::new();
        let Insert::New(a) = set.insert(b"a") else { panic!("a is new") };
        let Insert::New(b) = set.insert(b"b") else { panic!("b is new") };
        set.set_on_stack(a, true);
        assert!(set.is_on_stack(a) && !set.is_on_stack(b));
        set.set_on_stack(a, false);
        assert!(!set.is_on_stack(a));
        assert_eq!(set.insert(b"a"), Insert::Old(a));
    }
}
