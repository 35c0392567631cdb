//! An allocator that knows which thread of which execution has allocated what.
//!
//! It finds accesses to memory that was published without synchronisation or freed before. Memory that an execution
//! frees is used again only when the execution has ended (see [`crate::arena`]; large blocks wait in a quarantine), so no
//! address is used twice and executions stay comparable. Blocks carry a header, because they may be freed by whoever has them. It can be the global allocator of a program
//! that does other things as well; those allocations are passed on.

use crate::arena::{self, Arena};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

/// The allocator: `#[global_allocator] static ALLOCATOR: Tracked = Tracked;`.
#[derive(Debug, Default)]
pub struct Tracked;

/// What stands in front of every block.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    /// The execution that has allocated the block, or 0.
    execution: u64,
    /// Its number among the blocks of that execution.
    number: u32,
    /// Whether it is from an arena.
    arena: bool,
}

impl Header {
    /// Of a block that no execution has allocated.
    const NOBODYS: Header = Header { execution: 0, number: 0, arena: false };
}

/// A block that an execution has allocated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub start: usize,
    pub end: usize,
    /// The thread that has allocated it.
    pub thread: u32,
    /// How many events that thread had then.
    pub position: u32,
    /// How many blocks that thread had allocated before.
    number: u32,
    freed: bool,
}

/// The blocks of the current execution on this OS thread.
struct Ledger {
    blocks: Vec<Block>,
    /// For each thread, the places of its blocks in `blocks`.
    by_thread: Vec<Vec<u32>>,
    /// What is to be given back when the execution has ended: address of the header, layout with header.
    quarantine: Vec<(usize, Layout)>,
    /// From the lowest to the highest address in a block that has been freed.
    freed: (usize, usize),
    arena: Arena,
}

/// The span of freed blocks while there are none.
const NOTHING: (usize, usize) = (usize::MAX, 0);

impl Ledger {
    const fn new() -> Self {
        Ledger {
            blocks: Vec::new(),
            by_thread: Vec::new(),
            quarantine: Vec::new(),
            freed: NOTHING,
            arena: Arena::new(),
        }
    }
}

/// The execution, thread and position that run now; execution 0 while the engine itself runs.
struct Point {
    execution: Cell<u64>,
    /// The thread in the upper half, the position in the lower.
    place: Cell<u64>,
}

impl Point {
    #[inline]
    fn thread(&self) -> u32 {
        (self.place.get() >> 32) as u32
    }

    #[inline]
    fn position(&self) -> u32 {
        self.place.get() as u32
    }
}

thread_local! {
    static POINT: Point = const { Point { execution: Cell::new(0), place: Cell::new(0) } };
    /// Never dropped, so that it can be used for as long as its OS thread allocates; workers are few, and kept.
    static LEDGER: UnsafeCell<ManuallyDrop<Ledger>> = const { UnsafeCell::new(ManuallyDrop::new(Ledger::new())) };
}

/// Says that the program runs now.
#[inline]
pub(crate) fn set_point(execution: u64, thread: u32, position: u32) {
    POINT.with(|point| {
        point.execution.set(execution);
        point.place.set(u64::from(thread) << 32 | u64::from(position));
    });
}

/// Says that the engine runs now.
#[inline]
pub(crate) fn leave_program() {
    POINT.with(|point| point.execution.set(0));
}

/// Runs something of the engine's on behalf of the program: what it allocates is not the program's.
#[inline]
pub(crate) fn as_engine<R>(f: impl FnOnce() -> R) -> R {
    let execution = POINT.with(|point| point.execution.replace(0));
    let result = f();
    POINT.with(|point| point.execution.set(execution));
    result
}

/// Whether the program runs now, not the engine.
#[inline]
pub(crate) fn program_runs() -> bool {
    running_execution() != 0
}

#[inline]
fn running_execution() -> u64 {
    POINT.with(|point| point.execution.get())
}

/// Says how many events the thread that runs has had.
#[inline]
pub(crate) fn set_position(position: u32) {
    POINT.with(|point| point.place.set(point.place.get() >> 32 << 32 | u64::from(position)));
}

/// Calls `f` with the ledger; what `f` allocates is not entered.
#[inline]
fn with_ledger<R>(f: impl FnOnce(&mut Ledger) -> R) -> R {
    // SAFETY: the ledger belongs to this OS thread, and calls do not nest: allocations made by `f` are the engine's, and
    // do not come here.
    as_engine(|| LEDGER.with(|ledger| f(unsafe { &mut *ledger.get() })))
}

/// The block of the current execution that contains an address, if it is known.
pub(crate) fn block_of(address: usize) -> Option<Block> {
    let contains = |block: &&Block| (block.start..block.end).contains(&address) && !block.freed;
    with_ledger(|ledger| ledger.blocks.iter().rev().find(contains).copied())
}

/// Whether the current execution has freed the block that contained an address.
pub(crate) fn is_freed(address: usize) -> bool {
    let contains = |block: &Block| block.freed && (block.start..block.end).contains(&address);
    with_ledger(|ledger| ledger.freed.0 <= address && address < ledger.freed.1 && ledger.blocks.iter().any(contains))
}

/// The execution has ended: what it has freed is given back.
pub(crate) fn end_execution() {
    with_ledger(|ledger| {
        ledger.blocks.clear();
        ledger.by_thread.iter_mut().for_each(Vec::clear);
        ledger.freed = NOTHING;
        ledger.arena.reset();
        for (address, layout) in ledger.quarantine.drain(..) {
            // SAFETY: the block came from the system allocator with this layout and is freed once, here.
            unsafe { System.dealloc(address as *mut u8, layout) };
        }
    });
}

/// Names of addresses begin with this: an address in a block is named by the thread, the number of the block among those
/// of the thread, and the offset.
const IN_BLOCK: u64 = 0xA5D7 << 48;
const THREAD_BITS: u32 = 10;
const NUMBER_BITS: u32 = 16;
const OFFSET_BITS: u32 = 22;

/// The name of an address in a block of the current execution. Addresses change from run to run, names do not.
pub(crate) fn name_of(address: u64) -> Option<u64> {
    let Block { start, thread, number, .. } = with_ledger(|ledger| {
        // The address just behind a block may belong to it, too, but never to the one that follows: there is a header.
        let contains = |block: &&Block| (block.start..=block.end).contains(&(address as usize));
        ledger.blocks.iter().rev().find(contains).copied()
    })?;
    let offset = address - start as u64;
    let fits = thread < 1 << THREAD_BITS && number < 1 << NUMBER_BITS && offset < 1 << OFFSET_BITS;
    let name = u64::from(thread) << (NUMBER_BITS + OFFSET_BITS) | u64::from(number) << OFFSET_BITS | offset;
    fits.then_some(IN_BLOCK | name)
}

/// The address that has this name in the current run.
pub(crate) fn named(name: u64) -> Option<u64> {
    if name & (0xFFFF << 48) != IN_BLOCK {
        return None;
    }
    let thread = (name >> (NUMBER_BITS + OFFSET_BITS)) as usize & ((1 << THREAD_BITS) - 1);
    let number = (name >> OFFSET_BITS) as usize & ((1 << NUMBER_BITS) - 1);
    let offset = name & ((1 << OFFSET_BITS) - 1);
    with_ledger(|ledger| {
        let place = *ledger.by_thread.get(thread)?.get(number)?;
        Some(ledger.blocks[place as usize].start as u64 + offset)
    })
}

/// The layout of a block with its header, and how far behind the header the block begins.
#[inline]
fn with_header(layout: Layout) -> Option<(Layout, usize)> {
    let header = Layout::new::<Header>();
    let align = layout.align().max(header.size());
    if layout.size() > isize::MAX as usize / 2 || align > 1 << 30 {
        return None;
    }
    // SAFETY: the alignment is a power of two, and the size with it is far from what a layout can have at most.
    Some((unsafe { Layout::from_size_align_unchecked(layout.size() + align, align) }, align))
}

// SAFETY: blocks come from the system allocator, or from an arena, with room for a header in front; the part behind it has
// the size and alignment that were asked for. The header is read back from just in front of the block.
unsafe impl GlobalAlloc for Tracked {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((outer, offset)) = with_header(layout) else { return ptr::null_mut() };
        if program_runs() {
            return allocate(outer, offset, layout, false);
        }
        // SAFETY: the layout is not empty, it has a header.
        let base = unsafe { System.alloc(outer) };
        // SAFETY: `base` is null, or has room for the header and the block.
        unsafe { begin(base, offset, Header::NOBODYS) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some((outer, offset)) = with_header(layout) else { return ptr::null_mut() };
        if program_runs() {
            return allocate(outer, offset, layout, true);
        }
        // SAFETY: the layout is not empty, it has a header.
        let base = unsafe { System.alloc_zeroed(outer) };
        // SAFETY: `base` is null, or has room for the header and the block.
        unsafe { begin(base, offset, Header::NOBODYS) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((outer, offset)) = with_header(layout) else { return };
        // SAFETY: the block was made by `begin`, so a header stands in front of it.
        let header = unsafe { block.sub(size_of::<Header>()).cast::<Header>().read() };
        // SAFETY: the block begins `offset` behind what the arena or the system allocator gave, which is not null.
        let base = unsafe { NonNull::new_unchecked(block.sub(offset)) };
        let execution = running_execution();
        if execution != 0 && header.execution == execution {
            with_ledger(|ledger| {
                let block = &mut ledger.blocks[header.number as usize];
                block.freed = true;
                ledger.freed = (ledger.freed.0.min(block.start), ledger.freed.1.max(block.end));
                if header.arena {
                    ledger.arena.free(base);
                } else {
                    ledger.quarantine.push((base.as_ptr() as usize, outer));
                }
            });
        } else if header.arena {
            // SAFETY: the header says where it is from.
            unsafe { arena::free_later(base) };
        } else {
            // SAFETY: the block came from the system allocator with this layout.
            unsafe { System.dealloc(base.as_ptr(), outer) };
        }
    }
}

/// Allocates a block for an execution and enters it in the ledger.
#[inline]
fn allocate(outer: Layout, offset: usize, layout: Layout, zeroed: bool) -> *mut u8 {
    let (execution, thread, position) = POINT.with(|point| (point.execution.get(), point.thread(), point.position()));
    with_ledger(|ledger| {
        let from_arena = ledger.arena.allocate(outer);
        let base = match from_arena {
            Some(base) => base.as_ptr(),
            // SAFETY: the layout is not empty, it has a header.
            None => unsafe { System.alloc(outer) },
        };
        let header = Header { execution, number: ledger.blocks.len() as u32, arena: from_arena.is_some() };
        // SAFETY: `base` is null, or has room for the header and the block.
        let block = unsafe { begin(base, offset, header) };
        if block.is_null() {
            return block;
        }
        if zeroed {
            // SAFETY: there is room for the block.
            unsafe { ptr::write_bytes(block, 0, layout.size()) };
        }
        if ledger.by_thread.len() <= thread as usize {
            ledger.by_thread.resize_with(thread as usize + 1, Vec::new);
        }
        let own = &mut ledger.by_thread[thread as usize];
        let number = own.len() as u32;
        own.push(header.number);
        let start = block as usize;
        ledger.blocks.push(Block { start, end: start + layout.size(), thread, position, number, freed: false });
        block
    })
}

/// Writes the header of a new block; gives where the block begins.
///
/// # Safety
///
/// `base` must be null, or have room for a block behind `offset` bytes, of which the last are for the header.
unsafe fn begin(base: *mut u8, offset: usize, header: Header) -> *mut u8 {
    if base.is_null() {
        return base;
    }
    // SAFETY: there is room for `offset` bytes and the block.
    let block = unsafe { base.add(offset) };
    // SAFETY: the header goes just in front of the block, within the `offset` bytes.
    unsafe { block.sub(size_of::<Header>()).cast::<Header>().write(header) };
    block
}
