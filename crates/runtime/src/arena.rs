//! Memory that lasts for one execution: blocks are cut off one after the other, none is used twice, and when the
//! execution has ended the next one begins at the front again. They are cut off from below or from above, so that of two
//! blocks the later one has the higher or the lower address.
//!
//! A program may keep what it has allocated beyond the execution. A chunk with such blocks is left to them, and goes when
//! the last of them is freed, by whomever.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI64, Ordering};

const CHUNK: usize = 1 << 16;
const LAYOUT: Layout = match Layout::from_size_align(CHUNK, CHUNK) {
    Ok(layout) => layout,
    Err(_) => panic!("the size is a power of two"),
};

/// Larger blocks are for the system's allocator, and those that are to be aligned to more.
pub(crate) const LARGEST: usize = CHUNK / 16;
pub(crate) const ALIGN: usize = 16;

/// A chunk that is left to what an execution keeps is paid for by so many executions that keep nothing.
const PRICE: u32 = 64;
/// A thread that owes more gets no new chunks.
const MOST_OWED: u32 = 16 * PRICE;

/// What a chunk begins with.
#[repr(C, align(16))]
struct Chunk {
    /// While an execution is being ended: blocks that have been cut off and not been freed by the execution itself.
    live: i64,
    /// Less one for every block that was freed by others; plus `live` when the chunk has been left.
    balance: AtomicI64,
}

/// The chunks of an OS thread.
pub(crate) struct Arena {
    chunks: Vec<NonNull<Chunk>>,
    /// The chunk in use, and the rest of it.
    current: usize,
    next: usize,
    end: usize,
    owed: u32,
    /// Whether blocks are cut off from above.
    descending: bool,
}

impl Arena {
    pub(crate) const fn new() -> Self {
        Arena { chunks: Vec::new(), current: 0, next: 0, end: 0, owed: 0, descending: false }
    }

    /// Cuts off a block, if there is room in the chunk in use.
    #[inline(always)]
    pub(crate) fn cut(&mut self, size: usize) -> Option<NonNull<u8>> {
        let size = (size + (ALIGN - 1)) & !(ALIGN - 1);
        if size > self.end - self.next {
            return None;
        }
        let block = if self.descending {
            self.end -= size;
            self.end
        } else {
            self.next += size;
            self.next - size
        };
        // SAFETY: there is room, so this is an address in a chunk.
        Some(unsafe { NonNull::new_unchecked(ptr::with_exposed_provenance_mut(block)) })
    }

    /// Cuts off a block, from the next chunk if there is no room in the one in use.
    pub(crate) fn cut_anywhere(&mut self, size: usize) -> Option<NonNull<u8>> {
        self.cut(size).or_else(|| {
            self.open_chunk()?;
            self.cut(size)
        })
    }

    /// Whether blocks are cut off from above.
    pub(crate) fn is_descending(&self) -> bool {
        self.descending
    }

    /// From now on blocks are cut off from below, or from above. There are none now.
    pub(crate) fn turn(&mut self, descending: bool) {
        self.descending = descending;
        self.chunks.sort_unstable();
        if descending {
            self.chunks.reverse();
        }
        self.begin_again();
    }

    /// Goes on to the next chunk, which may have to be made.
    fn open_chunk(&mut self) -> Option<()> {
        let next = if self.end == 0 { 0 } else { self.current + 1 };
        if next == self.chunks.len() {
            if self.owed > MOST_OWED {
                return None;
            }
            // SAFETY: the layout is not empty.
            let chunk = NonNull::new(unsafe { System.alloc(LAYOUT) })?.cast::<Chunk>();
            // SAFETY: the memory is new, and there is room.
            unsafe { chunk.write(Chunk { live: 0, balance: AtomicI64::new(0) }) };
            self.chunks.push(chunk);
        }
        self.begin_chunk(next);
        Some(())
    }

    fn begin_chunk(&mut self, index: usize) {
        self.current = index;
        let start = self.chunks[index].as_ptr().expose_provenance();
        (self.next, self.end) = (start + size_of::<Chunk>(), start + CHUNK);
    }

    /// The execution has ended; it has freed all blocks itself.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.owed = self.owed.saturating_sub(1);
        self.begin_again();
    }

    #[inline]
    fn begin_again(&mut self) {
        if self.chunks.is_empty() {
            (self.current, self.next, self.end) = (0, 0, 0);
        } else {
            self.begin_chunk(0);
        }
    }

    /// The execution has ended; it has not freed these blocks itself, but others may have.
    pub(crate) fn reset_but(&mut self, kept: impl Iterator<Item = usize>) {
        self.owed = self.owed.saturating_sub(1);
        for block in kept {
            // SAFETY: the block is in a chunk that is in use; only this OS thread counts.
            unsafe { (*chunk_at(block).as_ptr()).live += 1 };
        }
        let used = if self.chunks.is_empty() { 0 } else { self.current + 1 };
        let mut index = 0;
        for _ in 0..used {
            let chunk = self.chunks[index];
            // SAFETY: the chunk has not been left, so it is there.
            let Chunk { live, balance } = unsafe { &mut *chunk.as_ptr() };
            if *live == 0 || balance.fetch_add(*live, Ordering::AcqRel) + *live == 0 {
                (*live, *balance.get_mut()) = (0, 0);
                index += 1;
            } else {
                // Whoever frees the last block frees the chunk.
                self.chunks.remove(index);
                self.owed += PRICE;
            }
        }
        self.begin_again();
    }
}

/// A block is freed by somebody else than the execution that it belongs to, or later.
///
/// # Safety
///
/// The block is from an arena, and is freed once.
pub(crate) unsafe fn free_later(block: NonNull<u8>) {
    let chunk = chunk_of(block);
    // SAFETY: the chunk is there as long as it has a block that is not freed.
    let last = unsafe { (*chunk.as_ptr()).balance.fetch_sub(1, Ordering::AcqRel) } == 1;
    if last {
        // SAFETY: it has been left, and this was its last block.
        unsafe { System.dealloc(chunk.as_ptr().cast(), LAYOUT) };
    }
}

#[inline]
fn chunk_of(block: NonNull<u8>) -> NonNull<Chunk> {
    chunk_at(block.as_ptr().expose_provenance())
}

/// The chunk that an address is in.
#[inline]
fn chunk_at(address: usize) -> NonNull<Chunk> {
    let start = address & !(CHUNK - 1);
    NonNull::new(ptr::with_exposed_provenance_mut(start)).expect("no block is in the first chunk of memory")
}
