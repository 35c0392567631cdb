//! The heaps of the threads. Each thread allocates from its own, one block after the other, so that addresses depend only
//! on what the thread itself has done. No memory is used twice within an execution, so that nothing freed is mistaken
//! for something new.

use crate::machine::{Machine, Mistake, machine, violate};
use crate::shadow::{Fault, Touch};
use crate::world::{self, Part};
use std::ptr;

/// A block of memory.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub start: usize,
    pub size: usize,
    /// Where it was allocated.
    pub pc: usize,
    /// Where and by whom it was freed.
    pub freed: Option<(usize, u32)>,
}

/// The heap of one thread.
#[derive(Default)]
struct Own {
    blocks: Vec<Block>,
    next: usize,
}

/// All heaps.
#[derive(Default)]
pub struct Heap {
    own: Vec<Own>,
    /// Memory that constructors have allocated is there in every execution: its blocks, and what is in them.
    early: (usize, Vec<u8>),
}

/// At least so many bytes lie between two blocks.
const GAP: usize = 16;
/// What new memory is filled with, so that a read of it can be told from a read of what code without instrumentation
/// has written.
const FILL: u8 = 0xD9;

impl Heap {
    /// Forgets all blocks but those of constructors.
    pub fn reset(&mut self) {
        for own in self.own.iter_mut().skip(1) {
            own.blocks.clear();
            own.next = 0;
        }
        let Some(first) = self.own.first_mut() else { return };
        first.blocks.truncate(self.early.0);
        first.blocks.iter_mut().for_each(|block| block.freed = None);
        let (start, _) = world::heap(0);
        first.next = start + self.early.1.len();
        // SAFETY: the memory of constructors is at the beginning of the first heap, which is mapped.
        unsafe { ptr::copy_nonoverlapping(self.early.1.as_ptr(), start as *mut u8, self.early.1.len()) };
    }

    /// What has been allocated up to now belongs to constructors.
    pub fn keep(&mut self) {
        let Some(first) = self.own.first() else { return };
        if first.next == 0 {
            return;
        }
        let (start, _) = world::heap(0);
        // SAFETY: this part of the first heap is mapped and in use.
        let contents = unsafe { std::slice::from_raw_parts(start as *const u8, first.next - start) };
        self.early = (first.blocks.len(), contents.to_vec());
    }

    fn allocate(&mut self, thread: u32, size: usize, align: usize, pc: usize) -> Option<usize> {
        if self.own.len() <= thread as usize {
            self.own.resize_with(thread as usize + 1, Own::default);
        }
        let (start, end) = world::heap(thread);
        let own = &mut self.own[thread as usize];
        if own.next == 0 {
            own.next = start;
        }
        let block = (own.next + GAP).next_multiple_of(align.max(16));
        let next = block.checked_add(size)?.next_multiple_of(8);
        if next + GAP > end {
            return None;
        }
        own.next = next;
        own.blocks.push(Block { start: block, size, pc, freed: None });
        Some(block)
    }

    /// The last block that begins at or before an address of the heap of `thread`.
    pub fn block(&self, thread: u32, address: usize) -> Option<&Block> {
        let own = self.own.get(thread as usize)?;
        let index = own.blocks.partition_point(|block| block.start <= address).checked_sub(1)?;
        own.blocks.get(index)
    }

    fn block_mut(&mut self, thread: u32, address: usize) -> Option<&mut Block> {
        let own = self.own.get_mut(thread as usize)?;
        let index = own.blocks.binary_search_by_key(&address, |block| block.start).ok()?;
        own.blocks.get_mut(index)
    }

    /// Which bytes of the 8 at an address of the first heap belong to constructors.
    pub fn early_mask(&self, address: usize) -> u8 {
        let (start, _) = world::heap(0);
        if address.wrapping_sub(start) >= self.early.1.len() {
            return 0;
        }
        let Some(block) = self.block(0, address | 7) else { return 0 };
        let granule = address & !7;
        (0..8)
            .filter(|byte| (block.start..block.start + block.size).contains(&(granule + byte)))
            .fold(0, |mask, byte| mask | 1 << byte)
    }

    /// All blocks that are not freed, but those of constructors.
    pub fn live(&self) -> impl Iterator<Item = &Block> {
        let early = self.early.0;
        let later = self
            .own
            .iter()
            .enumerate()
            .flat_map(move |(thread, own)| own.blocks.iter().skip(if thread == 0 { early } else { 0 }));
        later.filter(|block| block.freed.is_none())
    }

    /// The thread that has allocated the block at an address, and which of its blocks it is.
    pub fn origin_of(&self, address: usize) -> Option<(u32, u32)> {
        let (owner, Part::Heap) = world::part_of(address)? else { return None };
        let block = self.block(owner, address)?;
        Some((owner, ((block.start - world::heap(owner).0) / 8) as u32))
    }

    /// How many blocks a thread has allocated.
    pub fn count(&self, thread: u32) -> u64 {
        self.own.get(thread as usize).map_or(0, |own| own.blocks.len() as u64)
    }
}

impl Machine {
    /// Says that a block exists and has not been written.
    fn announce(&mut self, start: usize, size: usize, written: bool) {
        let mut address = start;
        while address < start + size {
            let left = (start + size - address).min(8);
            let mask = ((1u32 << left) - 1) as u8;
            if let Some(cell) = self.cell(address) {
                cell.valid = mask;
                cell.written = if written { mask } else { 0 };
            }
            address += 8;
        }
    }
}

/// Whether memory still is as it was when it was allocated.
pub fn is_untouched(address: usize, size: usize) -> bool {
    // SAFETY: the caller has seen that the memory exists.
    unsafe { std::slice::from_raw_parts(address as *const u8, size) }.iter().all(|&byte| byte == FILL)
}

fn allocate(size: usize, align: usize, zeroed: bool) -> *mut u8 {
    let machine = machine();
    let pc = machine.pc();
    let thread = machine.here.thread;
    if size > isize::MAX as usize {
        return ptr::null_mut();
    }
    let Some(block) = machine.heap.allocate(thread, size, align, pc) else {
        violate(
            Mistake::Unsupported,
            format!("the heap of thread {thread} is full: {size} more bytes are asked for"),
            pc,
        )
    };
    machine.announce(block, size, zeroed);
    // SAFETY: the block is new memory of the heap.
    unsafe { ptr::write_bytes(block as *mut u8, if zeroed { 0 } else { FILL }, size) };
    block as *mut u8
}

pub extern "C" fn malloc(size: usize) -> *mut u8 {
    allocate(size, 16, false)
}

pub extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    count.checked_mul(size).map_or(ptr::null_mut(), |size| allocate(size, 16, true))
}

pub extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
    allocate(size, align, false)
}

pub extern "C" fn new_aligned(size: usize, align: usize) -> *mut u8 {
    allocate(size, align, false)
}

pub extern "C" fn posix_memalign(result: *mut *mut u8, align: usize, size: usize) -> i32 {
    let block = allocate(size, align, false);
    // SAFETY: the program has given the address of a pointer.
    unsafe { *result = block };
    0
}

pub extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        return allocate(size, 16, false);
    }
    let old = match world::part_of(block as usize) {
        Some((thread, Part::Heap)) => machine().heap.block_mut(thread, block as usize).map(|block| block.size),
        _ => None,
    };
    let Some(old) = old else {
        free(block);
        return ptr::null_mut();
    };
    let new = allocate(size, 16, false);
    let kept = old.min(size);
    // SAFETY: both blocks have at least so many bytes, and they do not overlap.
    unsafe { ptr::copy_nonoverlapping(block, new, kept) };
    machine().announce(new as usize, kept, true);
    if size > kept {
        machine().announce_tail(new as usize, kept, size);
    }
    free(block);
    new
}

impl Machine {
    /// Says that a block exists of which only the first bytes have been written.
    fn announce_tail(&mut self, start: usize, written: usize, size: usize) {
        self.announce(start, size, false);
        for address in (start..start + written).step_by(8) {
            if let Some(cell) = self.cell(address) {
                cell.written = cell.valid;
            }
        }
    }
}

pub extern "C" fn malloc_usable_size(block: *mut u8) -> usize {
    match world::part_of(block as usize) {
        Some((thread, Part::Heap)) => machine().heap.block(thread, block as usize).map_or(0, |block| block.size),
        _ => 0,
    }
}

pub extern "C" fn free(block: *mut u8) {
    if block.is_null() {
        return;
    }
    let machine = machine();
    let pc = machine.pc();
    let address = block as usize;
    if !machine.running {
        return;
    }
    let owner = match world::part_of(address) {
        Some((owner, Part::Heap)) => owner,
        other => {
            let what = match other {
                Some((_, Part::Stack)) => "is on a stack",
                _ if machine.is_in_image(address) => "is a global variable",
                _ => "was not allocated",
            };
            violate(Mistake::InvalidFree, format!("free of memory that {what}: {address:#x}"), pc)
        }
    };
    let here = machine.here;
    let Some(found) = machine.heap.block_mut(owner, address).map(|block| *block) else {
        let inside = machine.heap.block(owner, address).filter(|block| address < block.start + block.size);
        let message = match inside.copied() {
            Some(block) => format!(
                "free of an address inside a block: {} bytes behind its beginning, which was allocated at {}",
                address - block.start,
                machine.describe(block.pc)
            ),
            None => format!("free of memory that was not allocated: {address:#x}"),
        };
        violate(Mistake::InvalidFree, message, pc)
    };
    if let Some((freed, by)) = found.freed {
        let message = format!(
            "double free: the block was freed before at {} by thread {by}, and allocated at {}",
            machine.describe(freed),
            machine.describe(found.pc)
        );
        violate(Mistake::DoubleFree, message, pc)
    }
    for granule in (address..address + found.size).step_by(8) {
        let size = (address + found.size - granule).min(8);
        if let Some(cell) = machine.cell(granule) {
            if let Err(Fault::Race(other)) = machine.touch(cell, granule, size, Touch::Free, pc) {
                crate::abi::race(other, Touch::Free, granule, pc);
            }
            cell.valid = 0;
        }
        if machine.likeness.is_noting() {
            machine.note_access(granule, size, Touch::Free, pc);
        }
    }
    machine.note_deed();
    if let Some(block) = machine.heap.block_mut(owner, address) {
        block.freed = Some((pc, here.thread));
    }
}

/// The blocks that are not freed and that nothing refers to: no global variable, and no block that is referred to.
pub fn leaked(machine: &Machine) -> Vec<Block> {
    let blocks: Vec<Block> = machine.heap.live().copied().collect();
    if blocks.is_empty() {
        return blocks;
    }
    let mut sorted: Vec<usize> = (0..blocks.len()).collect();
    sorted.sort_by_key(|&index| blocks[index].start);
    let mut reached = vec![false; blocks.len()];
    let mut pending: Vec<(usize, usize)> = machine.image.iter().flat_map(|image| image.writable()).collect();
    pending.push((world::locals(0), world::locals(0) + machine.image.as_ref().map_or(0, |image| image.locals().1)));
    let (start, _) = world::heap(0);
    pending.push((start, start + machine.heap.early.1.len()));
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
