//! The heaps of the threads. Each thread allocates from its own, one block after the other, so that addresses depend only
//! on what the thread itself has done. No memory is used twice within an execution, so that nothing freed is mistaken
//! for something new.

use crate::calls::threads::mix;
use crate::machine::{ByAddress, Machine};
use crate::memory::shadow::First;
use crate::memory::address_space::{self, Part};
use std::ptr;

/// A block of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub start: usize,
    pub size: usize,
    /// Where it was allocated.
    pub pc: usize,
    /// How many events its thread had had by then.
    pub position: u32,
    /// The alignment that was asked for.
    pub align: usize,
    /// What has made it.
    pub maker: Maker,
    /// Whether it was filled with zeros.
    pub zeroed: bool,
    /// Where and by whom it was freed.
    pub freed: Option<(usize, u32)>,
}

/// What has made a block, and so what has to free it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// `malloc` and what belongs to it.
    Malloc,
    /// `new`; whether it was given an alignment.
    New(bool),
    /// `new[]`; whether it was given an alignment.
    NewArray(bool),
}

/// The heap of one thread.
#[derive(Default)]
struct Own {
    blocks: Vec<Block>,
    next: usize,
}

/// All heaps.
#[derive(Default)]
pub(crate) struct Heap {
    own: Vec<Own>,
    /// Memory that constructors have allocated is there in every execution: its blocks, and what is in them.
    early: (usize, Vec<u8>),
    /// For each large block, by its address: a bit for every page of it that has been looked at.
    looked_at: ByAddress<Vec<u64>>,
}

/// Of a block that is not larger, all of the shadow is looked through when it is freed; of others, the pages that were
/// looked at.
const SMALL: usize = 4096;

/// At least so many bytes lie between two blocks.
const GAP: usize = 16;
/// What new memory is filled with, so that a read of it can be told from a read of what code without instrumentation
/// has written.
pub(crate) const FILL: u8 = 0xD9;

impl Heap {
    /// Forgets all blocks but those of constructors.
    pub(crate) fn reset(&mut self) {
        self.looked_at.clear();
        for own in self.own.iter_mut().skip(1) {
            own.blocks.clear();
            own.next = 0;
        }
        let Some(first) = self.own.first_mut() else { return };
        first.blocks.truncate(self.early.0);
        first.blocks.iter_mut().for_each(|block| block.freed = None);
        let (start, _) = address_space::heap(0);
        first.next = start + self.early.1.len();
        // SAFETY: the memory of constructors is at the beginning of the first heap, which is mapped.
        unsafe { ptr::copy_nonoverlapping(self.early.1.as_ptr(), start as *mut u8, self.early.1.len()) };
    }

    /// What has been allocated up to now belongs to constructors.
    pub(crate) fn keep(&mut self) {
        let Some(first) = self.own.first() else { return };
        if first.next == 0 {
            return;
        }
        let (start, _) = address_space::heap(0);
        // SAFETY: this part of the first heap is mapped and in use.
        let contents = unsafe { std::slice::from_raw_parts(start as *const u8, first.next - start) };
        self.early = (first.blocks.len(), contents.to_vec());
    }

    /// A new block of a thread, whose address, if there is room for it, is found here. Of its shadow nothing is touched:
    /// a cell learns what it is about when it is looked at for the first time.
    pub(crate) fn allocate(&mut self, thread: u32, align: usize, block: Block) -> Option<usize> {
        if self.own.len() <= thread as usize {
            self.own.resize_with(thread as usize + 1, Own::default);
        }
        let (start, end) = address_space::heap(thread);
        let own = &mut self.own[thread as usize];
        if own.next == 0 {
            own.next = start;
        }
        let start = (own.next + GAP).next_multiple_of(align.max(16));
        let next = start.checked_add(block.size)?.next_multiple_of(8);
        if next + GAP > end {
            return None;
        }
        own.next = next;
        own.blocks.push(Block { start, ..block });
        Some(start)
    }

    /// The last block that begins at or before an address of the heap of `thread`.
    pub(crate) fn block(&self, thread: u32, address: usize) -> Option<&Block> {
        let own = self.own.get(thread as usize)?;
        let index = own.blocks.partition_point(|block| block.start <= address).checked_sub(1)?;
        own.blocks.get(index)
    }

    /// The first block that begins behind an address of the heap of `thread`, if it is near.
    pub(crate) fn block_behind(&self, thread: u32, address: usize) -> Option<&Block> {
        let own = self.own.get(thread as usize)?;
        let index = own.blocks.partition_point(|block| block.start <= address);
        own.blocks.get(index).filter(|block| block.start - address <= GAP)
    }

    /// The block at an address is freed, here and by this thread.
    pub(crate) fn free(&mut self, owner: u32, address: usize, by: (usize, u32)) {
        let Some(own) = self.own.get_mut(owner as usize) else { return };
        if let Ok(index) = own.blocks.binary_search_by_key(&address, |block| block.start) {
            own.blocks[index].freed = Some(by);
        }
    }

    /// What is to be known of the 8 bytes at an address of the heap of `thread` that nobody has looked at in this execution.
    pub(crate) fn first_look(&mut self, thread: u32, address: usize) -> First {
        let granule = address & !7;
        let nothing = First { valid: 0, written: 0, allocation: None };
        let Some(own) = self.own.get(thread as usize) else { return nothing };
        // A block begins with a cell of its own.
        let index = own.blocks.partition_point(|block| block.start <= granule).wrapping_sub(1);
        let Some(block) = own.blocks.get(index).filter(|block| granule < block.start + block.size) else {
            return nothing;
        };
        if block.size > SMALL {
            let page = (granule - block.start) / SMALL;
            let pages = self.looked_at.entry(block.start).or_insert_with(|| vec![0; block.size / SMALL / 64 + 1]);
            pages[page / 64] |= 1 << (page % 64);
        }
        if block.freed.is_some() {
            return nothing;
        }
        let left = (block.start + block.size - granule).min(8);
        let valid = ((1u32 << left) - 1) as u8;
        if thread == 0 && index < self.early.0 {
            return First { valid, written: 0xFF, allocation: None };
        }
        let written = if block.zeroed { valid } else { 0 };
        First { valid, written, allocation: Some((block.pc, block.position)) }
    }

    /// The parts of a block whose shadow may have been looked at: their beginnings and ends.
    pub(crate) fn parts_looked_at(&self, block: &Block) -> Vec<(usize, usize)> {
        let end = block.start + block.size;
        if block.size <= SMALL {
            return vec![(block.start, end)];
        }
        let Some(pages) = self.looked_at.get(&block.start) else { return Vec::new() };
        let is_set = |page: &usize| pages[page / 64] >> (page % 64) & 1 != 0;
        let pages = (0..pages.len() * 64).filter(is_set).map(|page| block.start + page * SMALL);
        pages.map(|start| (start, end.min(start + SMALL))).collect()
    }

    /// Whether a constructor has allocated the block that begins at an address.
    pub(crate) fn is_early(&self, thread: u32, address: usize) -> bool {
        thread == 0 && address - address_space::heap(0).0 < self.early.1.len()
    }

    /// All blocks that are not freed, but those of constructors.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Block> {
        let early = self.early.0;
        let later = self
            .own
            .iter()
            .enumerate()
            .flat_map(move |(thread, own)| own.blocks.iter().skip(if thread == 0 { early } else { 0 }));
        later.filter(|block| block.freed.is_none())
    }

    /// The thread that has allocated the block at an address, and which of its blocks it is.
    pub(crate) fn origin_of(&self, address: usize) -> Option<(u32, u32)> {
        let (owner, Part::Heap) = address_space::part_of(address)? else { return None };
        let block = self.block(owner, address)?;
        Some((owner, ((block.start - address_space::heap(owner).0) / 8) as u32))
    }

    /// How many blocks a thread has allocated.
    pub(crate) fn count(&self, thread: u32) -> u64 {
        self.own.get(thread as usize).map_or(0, |own| own.blocks.len() as u64)
    }

    /// A number for the blocks that a thread has allocated after so many; 0 if there are none.
    pub(crate) fn made_since(&self, thread: u32, count: u64) -> u64 {
        let blocks = self.own.get(thread as usize).map_or(&[][..], |own| &own.blocks[count as usize..]);
        blocks.iter().fold(0, |all, block| mix(all, (block.size as u64) << 1 | u64::from(block.zeroed)))
    }
}

/// The blocks that are not freed and that nothing refers to: no global variable, and no block that is referred to.
pub(crate) fn leaked(machine: &Machine) -> Vec<Block> {
    let blocks: Vec<Block> = machine.heap.borrow().live().copied().collect();
    if blocks.is_empty() {
        return blocks;
    }
    let mut sorted: Vec<usize> = (0..blocks.len()).collect();
    sorted.sort_by_key(|&index| blocks[index].start);
    let mut reached = vec![false; blocks.len()];
    let mut pending: Vec<(usize, usize)> = machine.image().into_iter().flat_map(|image| image.writable()).collect();
    pending.push((address_space::locals(0), address_space::locals(0) + machine.image().map_or(0, |image| image.locals().1)));
    let (start, _) = address_space::heap(0);
    pending.push((start, start + machine.heap.borrow().early.1.len()));
    while let Some((start, end)) = pending.pop() {
        for address in (start.next_multiple_of(8)..end.saturating_sub(7)).step_by(8) {
            // SAFETY: the range is memory of the program.
            let value = unsafe { ptr::read_volatile(address as *const usize) };
            // Structures keep bits of their own in the low ends of addresses, or refer behind the end.
            let found = sorted.partition_point(|&index| blocks[index].start <= value).checked_sub(1);
            let Some(index) = found.map(|position| sorted[position]) else { continue };
            let block = blocks[index];
            if value <= block.start + block.size && !std::mem::replace(&mut reached[index], true) {
                pending.push((block.start, block.start + block.size));
            }
        }
    }
    blocks.into_iter().zip(reached).filter(|(_, reached)| !reached).map(|(block, _)| block).collect()
}
