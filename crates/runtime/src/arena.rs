//! Memory that lasts for one execution: blocks are cut off one after the other, none is used twice, and when the
//! execution has ended the next one begins at the front again.
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

/// Larger blocks are for the system's allocator.
const LARGEST: usize = CHUNK / 16;
const ALIGN: usize = 16;

/// A chunk that is left to what an execution keeps is paid for by so many executions that keep nothing.
const PRICE: u32 = 64;
/// A thread that owes more gets no new chunks.
const MOST_OWED: u32 = 16 * PRICE;

/// What a chunk begins with.
#[repr(C, align(16))]
struct Chunk {
    /// Blocks that have been cut off and not been freed by the execution itself.
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
}

impl Arena {
    pub const fn new() -> Self {
        Arena { chunks: Vec::new(), current: 0, next: 0, end: 0, owed: 0 }
    }

    /// Cuts off a block.
    #[inline]
    pub fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() > LARGEST || layout.align() > ALIGN {
            return None;
        }
        let size = layout.size().next_multiple_of(ALIGN);
        if self.next + size > self.end {
            self.open_chunk()?;
        }
        let block = self.next;
        self.next += size;
        // SAFETY: the chunk is in use, so it is there; only this OS thread counts what it has cut off.
        unsafe { (*self.chunks[self.current].as_ptr()).live += 1 };
        NonNull::new(ptr::with_exposed_provenance_mut(block))
    }

    /// Goes on to the next chunk, which may have to be made.
    #[cold]
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
        self.current = next;
        let start = self.chunks[next].as_ptr().expose_provenance();
        (self.next, self.end) = (start + size_of::<Chunk>(), start + CHUNK);
        Some(())
    }

    /// A block of the execution is freed by the execution, on the OS thread that this arena belongs to.
    #[inline]
    pub fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the block is in a chunk that is in use; only this OS thread counts.
        unsafe { (*chunk_of(block).as_ptr()).live -= 1 };
    }

    /// The execution has ended.
    pub fn reset(&mut self) {
        if self.end == 0 {
            return;
        }
        let mut index = 0;
        self.owed = self.owed.saturating_sub(1);
        for _ in 0..=self.current {
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
        (self.current, self.next, self.end) = (0, 0, 0);
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
    let address = block.as_ptr().expose_provenance() & !(CHUNK - 1);
    NonNull::new(ptr::with_exposed_provenance_mut(address)).expect("no block is in the first chunk of memory")
}
