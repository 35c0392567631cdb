//! The exact visited set: an open-addressing table of tagged addresses into an arena of states.
//!
//! A slot holds 24 bits of the hash and the 40-bit address of the state, so that almost every mismatch is settled
//! without touching the state. A state in the arena has a byte for marks and its length before its bytes.

use rapidhash::v3::rapidhash_v3;

/// Where a state is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry(u64);

/// What inserting found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// The state is new.
    New(Entry),
    /// The state was there.
    Old(Entry),
}

const ADDRESS_BITS: u32 = 40;
const ADDRESS: u64 = (1 << ADDRESS_BITS) - 1;
const EMPTY: u64 = u64::MAX;
const CHUNK_BITS: u32 = 20;
const CHUNK: usize = 1 << CHUNK_BITS;
const FIRST_SLOTS: usize = 1 << 12;
/// Bytes before a state: marks, and its length.
const HEADER: usize = 3;
/// The longest state that can be kept.
pub const LONGEST_STATE: usize = u16::MAX as usize;

const ON_STACK: u8 = 1;

/// An exact visited set.
#[derive(Clone, Debug)]
pub struct Exact {
    slots: Vec<u64>,
    count: usize,
    chunks: Vec<Box<[u8]>>,
    /// The next free byte, as an address.
    end: u64,
}

impl Default for Exact {
    fn default() -> Self {
        Exact { slots: vec![EMPTY; FIRST_SLOTS], count: 0, chunks: Vec::new(), end: 0 }
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

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        self.slots.len() * 8 + self.chunks.iter().map(|chunk| chunk.len()).sum::<usize>()
    }

    /// Bytes that states and the slots they occupy take, without what is allocated ahead.
    pub fn bytes_used(&self) -> usize {
        self.end as usize + self.slots.len() * 8
    }

    /// Inserts a state, at most [`LONGEST_STATE`] bytes long.
    #[inline]
    pub fn insert(&mut self, state: &[u8]) -> Insert {
        let hash = rapidhash_v3(state);
        let tag = hash & !ADDRESS;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                break;
            }
            if slot & !ADDRESS == tag && self.state(Entry(slot & ADDRESS)) == state {
                return Insert::Old(Entry(slot & ADDRESS));
            }
            at = (at + 1) & mask;
        }
        let entry = self.append(state);
        self.slots[at] = tag | entry.0;
        self.count += 1;
        if self.count * 4 > self.slots.len() * 3 {
            self.grow();
        }
        Insert::New(entry)
    }

    /// Looks a state up.
    pub fn find(&self, state: &[u8]) -> Option<Entry> {
        let hash = rapidhash_v3(state);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return None;
            }
            if slot & !ADDRESS == hash & !ADDRESS && self.state(Entry(slot & ADDRESS)) == state {
                return Some(Entry(slot & ADDRESS));
            }
            at = (at + 1) & mask;
        }
    }

    /// A state's bytes.
    #[inline(always)]
    pub fn state(&self, entry: Entry) -> &[u8] {
        let chunk = &self.chunks[(entry.0 >> CHUNK_BITS) as usize];
        let at = entry.0 as usize & (CHUNK - 1);
        let length = usize::from(u16::from_le_bytes([chunk[at + 1], chunk[at + 2]]));
        &chunk[at + HEADER..at + HEADER + length]
    }

    /// Notes whether a state is on the stack of a depth-first search.
    #[inline]
    pub fn set_on_stack(&mut self, entry: Entry, on_stack: bool) {
        let marks = &mut self.chunks[(entry.0 >> CHUNK_BITS) as usize][entry.0 as usize & (CHUNK - 1)];
        if on_stack {
            *marks |= ON_STACK;
        } else {
            *marks &= !ON_STACK;
        }
    }

    /// Whether a state is on the stack of a depth-first search.
    #[inline]
    pub fn is_on_stack(&self, entry: Entry) -> bool {
        self.chunks[(entry.0 >> CHUNK_BITS) as usize][entry.0 as usize & (CHUNK - 1)] & ON_STACK != 0
    }

    /// All states, in the order they were inserted.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.entries().map(|entry| self.state(entry))
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut at = 0u64;
        let mut left = self.count;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            left -= 1;
            // A state that did not fit at the end of a chunk went to the next one.
            let offset = at as usize & (CHUNK - 1);
            let chunk = &self.chunks[(at >> CHUNK_BITS) as usize];
            if offset + HEADER > CHUNK || chunk[offset] & LAST != 0 {
                at = ((at >> CHUNK_BITS) + 1) << CHUNK_BITS;
            }
            let entry = Entry(at);
            at += (HEADER + self.state(entry).len()) as u64;
            Some(entry)
        })
    }

    fn append(&mut self, state: &[u8]) -> Entry {
        debug_assert!(state.len() <= LONGEST_STATE);
        let offset = self.end as usize & (CHUNK - 1);
        let fits = offset + HEADER + state.len() <= CHUNK;
        if self.chunks.is_empty() || (offset == 0 && self.end >> CHUNK_BITS == self.chunks.len() as u64) {
            self.chunks.push(vec![0; CHUNK].into_boxed_slice());
        } else if !fits {
            if offset + HEADER <= CHUNK {
                self.chunks[(self.end >> CHUNK_BITS) as usize][offset] = LAST;
            }
            self.end = ((self.end >> CHUNK_BITS) + 1) << CHUNK_BITS;
            self.chunks.push(vec![0; CHUNK].into_boxed_slice());
        }
        let entry = Entry(self.end);
        let at = self.end as usize & (CHUNK - 1);
        let chunk = &mut self.chunks[(self.end >> CHUNK_BITS) as usize];
        chunk[at] = 0;
        chunk[at + 1..at + 3].copy_from_slice(&(state.len() as u16).to_le_bytes());
        chunk[at + HEADER..at + HEADER + state.len()].copy_from_slice(state);
        self.end += (HEADER + state.len()) as u64;
        entry
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![EMPTY; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for entry in self.entries() {
            let hash = rapidhash_v3(self.state(entry));
            let mut at = hash as usize & mask;
            while slots[at] != EMPTY {
                at = (at + 1) & mask;
            }
            slots[at] = hash & !ADDRESS | entry.0;
        }
        self.slots = slots;
    }
}

/// A mark for "the rest of this chunk is unused".
const LAST: u8 = 128;

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
        let states: Vec<Vec<u8>> = (0..200u32).map(|i| [&i.to_le_bytes()[..], &vec![7; 60_000]].concat()).collect();
        for state in &states {
            assert!(matches!(set.insert(state), Insert::New(_)));
        }
        assert!(set.iter().eq(states.iter().map(|s| &s[..])));
        assert!(states.iter().all(|s| matches!(set.insert(s), Insert::Old(_))));
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
