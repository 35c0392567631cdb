//! Successors on the stack of a search, the next one first. Each has in front how long its state is and who is served on the way there,
//! if only fair runs count, and behind it room for the automaton's state, so that the two together can be looked up where they lie.

use std::ops::Range;

use quotient_step::machine::Machine;

use super::bits::Bits;

/// In the place of the one process that is served: all of them follow.
const SEVERAL: u8 = u8::MAX;

/// So many bytes tell how long a state is.
const LENGTH: usize = 4;

/// Successors, those of one pair after those of another.
#[derive(Debug)]
pub(super) struct Stack {
    bytes: Vec<u8>,
    /// How many bytes an automaton's state takes.
    room: usize,
    /// Whether it is told who is served.
    fair: bool,
}

impl Stack {
    pub(super) fn new(room: usize, fair: bool) -> Self {
        Stack { bytes: Vec::new(), room, fair }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes what [`Self::bytes`] gave.
    pub(super) fn set_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// Where the next successor will be.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// How many bytes of memory it takes.
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Forgets all but so many bytes.
    #[inline]
    pub(super) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
    }

    /// A state that lies here.
    #[inline]
    pub(super) fn state(&self, state: Range<usize>) -> &[u8] {
        &self.bytes[state]
    }

    /// The bytes of a state that lies here and of an automaton's state.
    #[inline]
    pub(super) fn pair(&mut self, state: Range<usize>, node: u16) -> &[u8] {
        let end = state.end + self.room;
        let [low, high] = node.to_le_bytes();
        let pair = &mut self.bytes[state.start..end];
        let length = state.end - state.start;
        pair[length] = low;
        if self.room > 1 {
            pair[length + 1] = high;
        }
        pair
    }

    /// Adds a state on the way to which one process is served.
    #[inline]
    pub(super) fn push_one(&mut self, state: &[u8], served: u8) {
        self.bytes.reserve(state.len() + LENGTH + 3);
        self.bytes.extend_from_slice(&(state.len() as u32).to_le_bytes());
        if self.fair {
            self.bytes.push(served);
        }
        self.bytes.extend_from_slice(state);
        self.make_room();
    }

    /// Leaves room for the automaton's state.
    #[inline]
    fn make_room(&mut self) {
        self.bytes.push(0);
        if self.room > 1 {
            self.bytes.push(0);
        }
    }

    /// Adds a state on the way to which some processes are served.
    pub(super) fn push(&mut self, state: &[u8], served: Bits) {
        if !self.fair {
            return self.push_one(state, SEVERAL);
        }
        let [a, b, c, d] = (state.len() as u32).to_le_bytes();
        self.bytes.extend_from_slice(&[a, b, c, d, SEVERAL]);
        self.bytes.extend_from_slice(&served.to_bytes());
        self.bytes.extend_from_slice(state);
        self.make_room();
    }

    /// The state of the successor at some place.
    #[inline]
    pub(super) fn state_at(&self, at: usize) -> Range<usize> {
        let length = self.bytes[at..at + LENGTH].try_into().map_or(0, u32::from_le_bytes) as usize;
        let start = at + LENGTH + self.tells(at);
        start..start + length
    }

    /// Where the successor is that follows a state.
    #[inline]
    pub(super) fn after(&self, state: &Range<usize>) -> usize {
        state.end + self.room
    }

    /// Who is served on the way to the successor at some place.
    #[inline]
    pub(super) fn served(&self, at: usize) -> Bits {
        match self.tells(at) {
            0 => Bits::default(),
            1 => Bits::one(self.bytes[at + LENGTH].into()),
            _ => Bits::of_bytes(&self.bytes[at + LENGTH + 1..at + LENGTH + 33]),
        }
    }

    /// How many bytes tell who is served.
    #[inline]
    fn tells(&self, at: usize) -> usize {
        match self.fair {
            false => 0,
            true if self.bytes[at + LENGTH] == SEVERAL => 33,
            true => 1,
        }
    }

    /// The successors that lie from one place to another: where each begins, and its state. Nothing if there are not so many, or not
    /// only they.
    pub(super) fn all(
        &self,
        machine: &Machine,
        whole: Range<usize>,
        number: u32,
    ) -> Option<Vec<(usize, Range<usize>)>> {
        (whole.end <= self.bytes.len()).then_some(())?;
        let (mut at, mut all) = (whole.start, Vec::new());
        for _ in 0..number {
            (at.checked_add(LENGTH + usize::from(self.fair))? <= whole.end).then_some(())?;
            let state = self.state_at(at);
            (self.after(&state) <= whole.end && machine.knows(&self.bytes[state.clone()])).then_some(())?;
            let next = self.after(&state);
            all.push((at, state));
            at = next;
        }
        (at == whole.end).then_some(all)
    }
}
