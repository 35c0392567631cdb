//! What a search asks of a visited set, whichever it is. It follows from how the engine of `search` works: a state is
//! prepared, looked up a little later, marked while it is on the stack, and read when the search comes back to it.

use std::io::{self, Read, Write};

use crate::exact::{Entry, Exact, Insert};

/// A visited set.
pub trait Store: Default {
    /// Its name in answers.
    const NAME: &'static str;
    /// Whether it asks for the cut of a state.
    const CUTS: bool;

    /// Gets ready to look a state up, and has what is read first fetched. Returns what [`Self::insert_prepared`] needs;
    /// none if the set has no room for the state and never will.
    ///
    /// `cut` says where the components of the state end, in ascending order, if the set [asks](Self::CUTS). A state has
    /// the same cut each time.
    fn prepare(&mut self, state: &[u8], cut: &[u32]) -> Option<u64>;

    /// Looks a state up, and adds it, that was prepared; states may have been read since.
    fn insert_prepared(&mut self, state: &[u8], prepared: u64) -> Insert;

    /// Looks a state up, and adds it; none if the set has no room for it and never will.
    fn insert(&mut self, state: &[u8], cut: &[u32]) -> Option<Insert>;

    /// A state's bytes.
    fn state(&mut self, entry: Entry) -> &[u8];

    /// Says that the search goes on from a stored state, which may make its successors cheaper to look up.
    #[inline(always)]
    fn approach(&mut self, _entry: Entry) {}

    /// A copy of a state's bytes.
    fn copy(&self, entry: Entry) -> Vec<u8>;

    /// Notes whether a state is on the stack of a depth-first search.
    fn set_on_stack(&mut self, entry: Entry, on_stack: bool);

    /// Whether a state is on the stack of a depth-first search.
    fn is_on_stack(&self, entry: Entry) -> bool;

    /// How many states it holds.
    fn len(&self) -> usize;

    /// Whether it is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes it takes.
    fn bytes(&self) -> usize;

    /// Bytes that tell the states, without what finds them.
    fn payload(&self) -> usize;

    /// Lets tables grow as long as the set takes no more than so many bytes with them. What is too full to be searched
    /// grows all the same; see [`Self::is_crowded`].
    fn allow(&mut self, bytes: usize);

    /// Whether a table should have grown, was not allowed to, and is almost full.
    fn is_crowded(&self) -> bool;

    /// Writes the set.
    ///
    /// # Errors
    /// The writer's.
    fn save(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Reads what [`Self::save`] wrote. Entries are what they were.
    ///
    /// # Errors
    /// The reader's, or what was read is no set.
    fn load(input: &mut dyn Read) -> io::Result<Self>;

    /// The entry with this [address](Entry::address), if a state could be there.
    fn entry(&self, address: u64) -> Option<Entry>;
}

impl Store for Exact {
    const NAME: &'static str = "exact";
    const CUTS: bool = false;

    #[inline(always)]
    fn prepare(&mut self, state: &[u8], _: &[u32]) -> Option<u64> {
        let hash = self.hash(state);
        self.prefetch(hash);
        Some(hash)
    }

    #[inline(always)]
    fn insert_prepared(&mut self, state: &[u8], prepared: u64) -> Insert {
        self.insert_hashed(state, prepared)
    }

    #[inline(always)]
    fn insert(&mut self, state: &[u8], _: &[u32]) -> Option<Insert> {
        Some(self.insert(state))
    }

    #[inline(always)]
    fn state(&mut self, entry: Entry) -> &[u8] {
        Exact::state(self, entry)
    }

    fn copy(&self, entry: Entry) -> Vec<u8> {
        Exact::state(self, entry).to_vec()
    }

    #[inline(always)]
    fn set_on_stack(&mut self, entry: Entry, on_stack: bool) {
        self.set_on_stack(entry, on_stack);
    }

    #[inline(always)]
    fn is_on_stack(&self, entry: Entry) -> bool {
        self.is_on_stack(entry)
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn payload(&self) -> usize {
        self.payload()
    }

    fn allow(&mut self, bytes: usize) {
        self.allow(bytes);
    }

    fn is_crowded(&self) -> bool {
        self.is_crowded()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.save(out)
    }

    fn load(input: &mut dyn Read) -> io::Result<Self> {
        Exact::load(input)
    }

    fn entry(&self, address: u64) -> Option<Entry> {
        self.entry(address)
    }
}
