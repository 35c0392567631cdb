//! Lists and queues that grow by segments of one size. They never copy what they hold, so they take no more memory while
//! they grow than they say.

use std::collections::VecDeque;

/// Bytes of a segment.
const SEGMENT: usize = 1 << 20;

/// A list that is only added to.
#[derive(Debug)]
pub(crate) struct List<T> {
    segments: Vec<Vec<T>>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { segments: Vec::new() }
    }
}

impl<T: Copy> List<T> {
    /// How many items there are in a segment.
    const EACH: usize = SEGMENT / std::mem::size_of::<T>();

    pub(crate) fn len(&self) -> usize {
        match self.segments.as_slice() {
            [] => 0,
            [full @ .., last] => full.len() * Self::EACH + last.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        match self.segments.last_mut() {
            Some(last) if last.len() < Self::EACH => last.push(item),
            // The first one grows as it must: most searches are small.
            None => self.segments.push(vec![item]),
            Some(_) => {
                let mut segment = Vec::with_capacity(Self::EACH);
                segment.push(item);
                self.segments.push(segment);
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<T> {
        self.segments.get(index / Self::EACH)?.get(index % Self::EACH).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> {
        self.segments.iter().flatten().copied()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.capacity() * std::mem::size_of::<T>()).sum()
    }
}

/// A queue of states.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    segments: VecDeque<Vec<u8>>,
    /// Where the first state starts in the first segment.
    start: usize,
    length: usize,
    bytes: usize,
}

/// Bytes before a state: its length.
const LENGTH: usize = 4;

impl Queue {
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, state: &[u8]) {
        let needed = LENGTH + state.len();
        let fits = |last: &Vec<u8>| last.len() + needed <= last.capacity().max(SEGMENT);
        if !self.segments.back().is_some_and(fits) {
            // The first one grows as it must: most searches are small.
            let size = if self.segments.is_empty() { needed } else { needed.max(SEGMENT) };
            let segment = Vec::with_capacity(size);
            self.bytes += segment.capacity();
            self.segments.push_back(segment);
        }
        let last = self.segments.back_mut().expect("there is one");
        let before = last.capacity();
        last.extend_from_slice(&(state.len() as u32).to_le_bytes());
        last.extend_from_slice(state);
        self.bytes += last.capacity() - before;
        self.length += 1;
    }

    /// Takes the first state out; false if there is none.
    pub(crate) fn pop(&mut self, state: &mut Vec<u8>) -> bool {
        let Some(first) = self.segments.front() else { return false };
        let Some((found, end)) = state_at(first, self.start) else { return false };
        state.clear();
        state.extend_from_slice(found);
        self.start = end;
        self.length -= 1;
        if self.start == first.len() {
            self.bytes -= first.capacity();
            self.segments.pop_front();
            self.start = 0;
        }
        true
    }

    /// The states, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.segments.iter().enumerate().flat_map(|(number, segment)| {
            let mut at = if number == 0 { self.start } else { 0 };
            std::iter::from_fn(move || {
                let (state, end) = state_at(segment, at)?;
                at = end;
                Some(state)
            })
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The state that starts somewhere in a segment, and where it ends.
fn state_at(segment: &[u8], start: usize) -> Option<(&[u8], usize)> {
    let (length, rest) = segment.get(start..)?.split_first_chunk::<LENGTH>()?;
    let length = u32::from_le_bytes(*length) as usize;
    Some((&rest[..length], start + LENGTH + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_everything_in_order() {
        let mut list = List::default();
        for item in 0..500_000_u64 {
            assert_eq!(list.len() as u64, item);
            list.push(item);
        }
        assert!(list.iter().eq(0..500_000));
        assert!((0..500_000).all(|item| list.get(item as usize) == Some(item)));
        assert_eq!(list.get(500_000), None);
        assert!(list.bytes() < 500_000 * 8 + 2 * SEGMENT, "{}", list.bytes());
    }

    #[test]
    fn a_queue_gives_back_what_it_got() {
        let mut queue = Queue::default();
        let state = |number: usize| vec![number as u8; number % 700];
        let (mut pushed, mut popped) = (0, 0);
        let mut got = Vec::new();
        for round in 0..20_000 {
            for _ in 0..1 + round % 5 {
                queue.push(&state(pushed));
                pushed += 1;
            }
            for _ in 0..1 + round % 3 {
                assert!(queue.pop(&mut got));
                assert_eq!(got, state(popped));
                popped += 1;
            }
        }
        assert_eq!(queue.len(), pushed - popped);
        assert!(queue.iter().eq((popped..pushed).map(state)));
        let held: usize = queue.segments.iter().map(Vec::capacity).sum();
        assert_eq!(queue.bytes(), held);
        while queue.pop(&mut got) {}
        assert_eq!((queue.len(), queue.bytes()), (0, 0));
    }

    #[test]
    fn a_state_may_be_longer_than_a_segment() {
        let mut queue = Queue::default();
        let states = [vec![1; 3], vec![2; 2 * SEGMENT], vec![], vec![3; SEGMENT]];
        states.iter().for_each(|state| queue.push(state));
        let mut got = Vec::new();
        for state in &states {
            assert!(queue.pop(&mut got));
            assert_eq!(&got, state);
        }
        assert!(!queue.pop(&mut got));
    }
}
