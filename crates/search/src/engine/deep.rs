//! A stack that can be very deep. Its top lies open; what is below is packed, so that a search that goes down for millions
//! of steps takes a few bytes for each of them.

use std::io::{self, Read, Write};

/// What can be packed. Items are packed one after the other, each by how it differs from the one before.
pub(super) trait Pack: Copy {
    /// What is known of the item before.
    type Before: Default;

    /// Writes an item.
    fn put<W: Write + ?Sized>(&self, before: &mut Self::Before, out: &mut W) -> io::Result<()>;

    /// Reads an item.
    fn get<R: Read + ?Sized>(before: &mut Self::Before, input: &mut R) -> io::Result<Self>;
}

/// So many items are packed together. Twice as many may lie open.
const BLOCK: usize = 512;

/// A stack whose lower part is packed.
#[derive(Debug)]
pub(super) struct Deep<T> {
    blocks: Vec<Box<[u8]>>,
    open: Vec<T>,
    /// Bytes of all blocks.
    packed: usize,
}

impl<T> Default for Deep<T> {
    fn default() -> Self {
        Deep { blocks: Vec::new(), open: Vec::new(), packed: 0 }
    }
}

impl<T: Pack> Deep<T> {
    /// How many items lie below those that are open.
    #[inline(always)]
    fn below(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.below() + self.open.len()
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        // The top is always open.
        self.open.is_empty()
    }

    #[inline(always)]
    pub(super) fn last(&self) -> Option<&T> {
        self.open.last()
    }

    #[inline(always)]
    pub(super) fn last_mut(&mut self) -> Option<&mut T> {
        self.open.last_mut()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, item: T) {
        self.open.push(item);
        if self.open.len() == 2 * BLOCK {
            self.pack();
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<T> {
        let item = self.open.pop();
        if self.open.is_empty() {
            self.unpack();
        }
        item
    }

    /// Takes off what lies above the first `length` items.
    #[inline(always)]
    pub(super) fn truncate(&mut self, length: usize) {
        while length < self.below() {
            self.open.clear();
            self.unpack();
        }
        self.open.truncate(length - self.below());
        if self.open.is_empty() {
            self.unpack();
        }
    }

    /// The items from number `first` on.
    #[inline(always)]
    pub(super) fn from(&mut self, first: usize) -> &mut [T] {
        while first < self.below() {
            self.unpack();
        }
        let below = self.below();
        &mut self.open[first - below..]
    }

    /// The highest item that passes a test. Nothing is unpacked for good.
    pub(super) fn last_that(&self, test: impl Fn(&T) -> bool) -> Option<T> {
        let open = self.open.iter().rev().copied().find(&test);
        open.or_else(|| self.blocks.iter().rev().find_map(|block| items(block).into_iter().rev().find(&test)))
    }

    /// All items, from the lowest to the top.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> {
        self.blocks.iter().flat_map(|block| items(block)).chain(self.open.iter().copied())
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.packed + self.blocks.capacity() * size_of::<Box<[u8]>>() + self.open.capacity() * size_of::<T>()
    }

    #[cold]
    fn pack(&mut self) {
        let mut block = Vec::with_capacity(BLOCK * size_of::<T>() / 2);
        let mut before = T::Before::default();
        for item in self.open.drain(..BLOCK) {
            item.put(&mut before, &mut block).expect("memory takes it");
        }
        self.packed += block.len();
        self.blocks.push(block.into_boxed_slice());
    }

    /// Opens the highest block that is packed, if there is one.
    #[cold]
    fn unpack(&mut self) {
        let Some(block) = self.blocks.pop() else { return };
        self.packed -= block.len();
        self.open.splice(0..0, items(&block));
    }
}

/// The items of a block.
fn items<T: Pack>(block: &[u8]) -> Vec<T> {
    let (mut before, mut input) = (T::Before::default(), block);
    (0..BLOCK).map(|_| T::get(&mut before, &mut input).expect("it was packed here")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::format::{get_signed, put_signed};

    impl Pack for i64 {
        type Before = i64;

        fn put<W: Write + ?Sized>(&self, before: &mut i64, out: &mut W) -> io::Result<()> {
            put_signed(out, self - std::mem::replace(before, *self))
        }

        fn get<R: Read + ?Sized>(before: &mut i64, input: &mut R) -> io::Result<i64> {
            *before += get_signed(input)?;
            Ok(*before)
        }
    }

    #[test]
    fn it_is_a_stack_however_deep() {
        let (mut deep, mut plain) = (Deep::default(), Vec::new());
        let mut random = 7_u64;
        let mut next = |bound: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 33) % bound
        };
        for round in 0..3_000_i64 {
            match next(10) {
                0..5 => {
                    for item in 0..next(900) as i64 {
                        deep.push(round * item);
                        plain.push(round * item);
                    }
                }
                5..7 => {
                    for _ in 0..next(700) {
                        assert_eq!(deep.pop(), plain.pop());
                    }
                }
                7 => {
                    let length = next(plain.len() as u64 + 1) as usize;
                    deep.truncate(length);
                    plain.truncate(length);
                }
                8 => {
                    let first = plain.len() - next(2_000.min(plain.len() as u64) + 1) as usize;
                    assert_eq!(deep.from(first), &plain[first..]);
                }
                _ => {
                    if let (Some(a), Some(b)) = (deep.last_mut(), plain.last_mut()) {
                        (*a, *b) = (round, round);
                    }
                }
            }
            assert_eq!((deep.len(), deep.last(), deep.is_empty()), (plain.len(), plain.last(), plain.is_empty()));
            let seventh = |item: &i64| item % 7 == round % 7;
            assert_eq!(deep.last_that(seventh), plain.iter().rev().copied().find(seventh));
            if round % 50 == 0 {
                assert!(deep.iter().eq(plain.iter().copied()));
            }
        }
    }
}
