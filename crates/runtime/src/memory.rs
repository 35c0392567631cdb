//! An allocator that knows which thread of which execution has allocated what.
//!
//! It finds accesses to memory that was published without synchronisation or freed before. Memory that an execution
//! frees is used again only when the execution has ended (see [`crate::arena`]; large blocks wait in a quarantine), so no
//! address is used twice and executions stay comparable. Blocks carry a header, because they may be freed by whoever has
//! them. It can be the global allocator of a program that does other things as well; those allocations are passed on.

use crate::arena::{self, Arena};
use crate::context;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// How many blocks that thread had allocated before, once somebody has asked for a name.
    number: u32,
    freed: bool,
    arena: bool,
}

/// The blocks of the current execution on this OS thread.
struct Ledger {
    blocks: Vec<Block>,
    /// How many of them have been freed.
    frees: usize,
    /// From the lowest to the highest address in a block that has been freed.
    freed: (usize, usize),
    /// Whether `blocks` is in the order of addresses.
    ordered: bool,
    arena: Arena,
    /// For each thread, the places of its blocks in `blocks`; of those among the first `numbered` ones.
    by_thread: Vec<Vec<u32>>,
    numbered: usize,
    /// What is to be given back when the execution has ended: address of the header, layout with header.
    quarantine: Vec<(usize, Layout)>,
    /// Whether several threads have allocated blocks in the last execution.
    several: bool,
}

/// The span of freed blocks while there are none.
const NOTHING: (usize, usize) = (usize::MAX, 0);

impl Ledger {
    const fn new() -> Self {
        Ledger {
            blocks: Vec::new(),
            frees: 0,
            freed: NOTHING,
            ordered: true,
            arena: Arena::new(),
            by_thread: Vec::new(),
            numbered: 0,
            quarantine: Vec::new(),
            several: false,
        }
    }

    /// Whether another block can be entered without more memory.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.blocks.len() < self.blocks.capacity()
    }

    /// Enters a block, and writes its header. There must be room.
    ///
    /// # Safety
    ///
    /// There is memory for the block, and for a header in front of it.
    #[inline(always)]
    unsafe fn enter(&mut self, local: &Local, block: *mut u8, size: usize, arena: bool) {
        let number = self.blocks.len();
        let header = Header { execution: local.execution.get(), number: number as u32, arena };
        // SAFETY: the caller says so.
        unsafe { block.cast::<Header>().sub(1).write(header) };
        let start = block as usize;
        let thread = local.thread.get();
        let position = context::events_of(thread);
        let entry = Block { start, end: start + size, thread, position, number: 0, freed: false, arena };
        if let Some(room) = self.blocks.spare_capacity_mut().first_mut() {
            room.write(entry);
            // SAFETY: the entry has been written, and there is room for it.
            unsafe { self.blocks.set_len(number + 1) };
        }
    }

    /// Notes that the execution frees a block.
    #[inline(always)]
    fn free(&mut self, number: u32) {
        // It is there: the header of the block says so.
        let Some(block) = self.blocks.get_mut(number as usize) else { return };
        self.frees += usize::from(!block.freed);
        block.freed = true;
        self.freed = (self.freed.0.min(block.start), self.freed.1.max(block.end));
    }

    /// The block that contains an address, or ends just before it. The address behind a block is never in the one that
    /// follows: there is a header.
    fn find(&self, address: usize) -> Option<usize> {
        let contains = |block: &Block| (block.start..=block.end).contains(&address);
        if self.ordered && self.arena.is_descending() {
            let place = self.blocks.partition_point(|block| block.start > address);
            self.blocks.get(place).filter(|&block| contains(block)).map(|_| place)
        } else if self.ordered {
            let behind = self.blocks.partition_point(|block| block.start <= address);
            behind.checked_sub(1).filter(|&place| contains(&self.blocks[place]))
        } else {
            self.blocks.iter().rposition(contains)
        }
    }

    /// Numbers the blocks of each thread.
    fn number(&mut self) {
        for (place, block) in self.blocks.iter_mut().enumerate().skip(self.numbered) {
            let thread = block.thread as usize;
            if self.by_thread.len() <= thread {
                self.by_thread.resize_with(thread + 1, Vec::new);
            }
            block.number = self.by_thread[thread].len() as u32;
            self.by_thread[thread].push(place as u32);
        }
        self.numbered = self.blocks.len();
    }
}

/// What the allocator knows on an OS thread.
struct Local {
    /// The execution that runs now; 0 while the engine itself runs.
    execution: Cell<u64>,
    /// The thread that runs.
    thread: Cell<u32>,
    ledger: UnsafeCell<Ledger>,
}

thread_local! {
    /// Never dropped, so that it can be used for as long as its OS thread allocates; workers are few, and kept.
    static LOCAL: ManuallyDrop<Local> = const {
        ManuallyDrop::new(Local {
            execution: Cell::new(0),
            thread: Cell::new(0),
            ledger: UnsafeCell::new(Ledger::new()),
        })
    };
}

/// What the allocator knows on this OS thread.
#[inline(always)]
fn local<'a>() -> &'a Local {
    // SAFETY: it is there as long as the OS thread is, which the reference cannot leave; no function here keeps it.
    unsafe { &*LOCAL.with(|local| ptr::from_ref::<Local>(local)) }
}

impl Local {
    /// The ledger.
    ///
    /// # Safety
    ///
    /// Nobody else may have it. What is done with it must not allocate for the program.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    unsafe fn ledger(&self) -> &mut Ledger {
        // SAFETY: it belongs to this OS thread, and the caller promises that nobody else uses it.
        unsafe { &mut *self.ledger.get() }
    }
}

/// Says that the program runs now.
#[inline]
pub(crate) fn set_point(execution: u64, thread: u32) {
    let local = local();
    local.execution.set(execution);
    local.thread.set(thread);
}

/// An execution begins. Of two blocks the later one has the higher address in it, or the lower one.
pub(crate) fn begin_execution(descending: bool) {
    with_ledger(|ledger| {
        if !ledger.blocks.is_empty() {
            // The last execution was left as it was, with all its memory.
            std::mem::forget(std::mem::replace(ledger, Ledger::new()));
        }
        if ledger.arena.is_descending() != descending {
            ledger.arena.turn(descending);
        }
    });
}

/// Whether several threads have allocated blocks in the last execution that has ended, so that there is something to compare.
pub(crate) fn had_several_owners() -> bool {
    look_up(|ledger| ledger.several)
}

/// Says that the engine runs now.
#[inline]
pub(crate) fn leave_program() {
    local().execution.set(0);
}

/// Runs something of the engine's on behalf of the program: what it allocates is not the program's.
#[inline]
pub(crate) fn as_engine<R>(f: impl FnOnce() -> R) -> R {
    let local = local();
    let execution = local.execution.replace(0);
    let result = f();
    local.execution.set(execution);
    result
}

/// Whether the program runs now, not the engine.
#[inline]
pub(crate) fn program_runs() -> bool {
    local().execution.get() != 0
}

/// Calls `f` with the ledger; what `f` allocates is not entered.
fn with_ledger<R>(f: impl FnOnce(&mut Ledger) -> R) -> R {
    // SAFETY: calls do not nest: allocations made by `f` are the engine's, and do not come here.
    as_engine(|| f(unsafe { local().ledger() }))
}

/// Calls `f` with the ledger. It must not allocate.
#[inline]
fn look_up<R>(f: impl FnOnce(&Ledger) -> R) -> R {
    // SAFETY: calls do not nest, because `f` does not allocate.
    f(unsafe { local().ledger() })
}

/// The block of the current execution that contains an address, if it is known.
pub(crate) fn block_of(address: usize) -> Option<Block> {
    look_up(|ledger| {
        let block = ledger.blocks[ledger.find(address)?];
        (address < block.end && !block.freed).then_some(block)
    })
}

/// Whether the current execution has freed the block that contained an address.
#[inline]
pub(crate) fn is_freed(address: usize) -> bool {
    look_up(|ledger| ledger.freed.0 <= address && address < ledger.freed.1 && was_freed(ledger, address))
}

fn was_freed(ledger: &Ledger, address: usize) -> bool {
    let block = ledger.find(address).map(|place| &ledger.blocks[place]);
    block.is_some_and(|block| address < block.end && block.freed)
}

/// Whether all memory that the program allocates is known: it is if a host keeps it, or the global allocator is [`Tracked`].
pub(crate) fn sees_the_heap(has_host: bool) -> bool {
    has_host || IN_USE.load(Ordering::Relaxed)
}

/// Whether [`Tracked`] has ever been asked for memory.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The names of the blocks of the current execution, each with what is in it. `places` are words that the checker
/// keeps there, with what it has written: they count as 0.
pub(crate) fn contents(places: &[(usize, u64)]) -> Vec<(usize, Vec<u64>)> {
    with_ledger(|ledger| {
        ledger.number();
        let blocks = ledger.blocks.iter().filter(|block| !block.freed);
        let name = |block: &Block| (block.thread as usize) << 32 | block.number as usize;
        blocks.map(|block| (name(block), content(ledger, block, places))).collect()
    })
}

/// Whether the execution that runs has any blocks.
pub(crate) fn has_blocks() -> bool {
    look_up(|ledger| !ledger.blocks.is_empty())
}

/// What a word stands for: an address in a block of the execution that runs is different in every run, its name is not.
pub(crate) fn unaddressed(word: u64) -> u64 {
    if has_blocks_around(word) { name_of(word).unwrap_or(word) } else { word }
}

/// Whether an address may be in a block.
fn has_blocks_around(address: u64) -> bool {
    look_up(|ledger| ledger.find(address as usize).is_some())
}

fn content(ledger: &Ledger, block: &Block, places: &[(usize, u64)]) -> Vec<u64> {
    let mut words = Vec::with_capacity((block.end - block.start) / 8 + 7);
    let mut at = block.start;
    while at < block.end {
        // SAFETY: the block is allocated, and belongs to the execution that has been stopped; the read is volatile because
        // nothing is known about what, if anything, was written there.
        let (word, size) = unsafe {
            if block.end - at >= 8 {
                (ptr::read_volatile(at as *const u64), 8)
            } else {
                (u64::from(ptr::read_volatile(at as *const u8)), 1)
            }
        };
        let word = match ledger.find(word as usize) {
            _ if size == 8 && places.contains(&(at, word)) => 0,
            Some(place) => ledger.blocks[place].name(word).unwrap_or(word),
            None => word,
        };
        words.push(word);
        at += size;
    }
    words
}

/// The execution has ended: what it has freed is given back.
pub(crate) fn end_execution() {
    with_ledger(|ledger| {
        ledger.several = ledger.blocks.iter().any(|block| block.thread != ledger.blocks[0].thread);
        if ledger.frees == ledger.blocks.len() {
            ledger.arena.reset();
        } else {
            let kept = ledger.blocks.iter().filter(|block| block.arena && !block.freed);
            ledger.arena.reset_but(kept.map(|block| block.start));
        }
        ledger.blocks.clear();
        (ledger.frees, ledger.freed, ledger.ordered) = (0, NOTHING, true);
        if ledger.numbered != 0 {
            ledger.by_thread.iter_mut().for_each(Vec::clear);
            ledger.numbered = 0;
        }
        for (address, layout) in ledger.quarantine.drain(..) {
            // SAFETY: the block came from the system allocator with this layout and is freed once, here.
            unsafe { System.dealloc(address as *mut u8, layout) };
        }
    });
}

/// Names of addresses begin with this: an address in a block is named by the thread, the number of the block among those
/// of the thread, and the offset.
const IN_BLOCK: u64 = *quotient_dpor::NAMES.start() << 48;
const THREAD_BITS: u32 = 10;
const NUMBER_BITS: u32 = 16;
const OFFSET_BITS: u32 = 22;

/// The name of an address in a block of the current execution. Addresses change from run to run, names do not.
pub(crate) fn name_of(address: u64) -> Option<u64> {
    // The address just behind a block may belong to it, too.
    let place = look_up(|ledger| ledger.find(address as usize))?;
    let block = with_ledger(|ledger| {
        ledger.number();
        ledger.blocks[place]
    });
    block.name(address)
}

impl Block {
    /// The name of an address in the block, which has been numbered.
    fn name(&self, address: u64) -> Option<u64> {
        let Block { start, thread, number, .. } = *self;
        let offset = address - start as u64;
        let fits = thread < 1 << THREAD_BITS && number < 1 << NUMBER_BITS && offset < 1 << OFFSET_BITS;
        let name = u64::from(thread) << (NUMBER_BITS + OFFSET_BITS) | u64::from(number) << OFFSET_BITS | offset;
        fits.then_some(IN_BLOCK | name)
    }
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
        ledger.number();
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
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let local = local();
        let fits = layout.size() <= LARGEST_IN_ARENA && layout.align() <= arena::ALIGN;
        if fits && local.execution.get() != 0 {
            // SAFETY: nothing below allocates.
            let ledger = unsafe { local.ledger() };
            if ledger.has_room()
                && let Some(base) = ledger.arena.cut(size_of::<Header>() + layout.size())
            {
                // SAFETY: the arena has given memory for the header and the block.
                unsafe {
                    let block = base.as_ptr().add(size_of::<Header>());
                    ledger.enter(local, block, layout.size(), true);
                    return block;
                }
            }
        }
        allocate(local, layout, System::alloc)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !program_runs() {
            return allocate(local(), layout, System::alloc_zeroed);
        }
        // SAFETY: the caller's promise.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: there is room for the block.
            unsafe { ptr::write_bytes(block, 0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: a header stands in front of every block.
        let header = unsafe { &*block.cast::<Header>().sub(1) };
        let local = local();
        // No block of an arena belongs to execution 0.
        if header.arena && header.execution == local.execution.get() {
            // SAFETY: nothing below allocates.
            unsafe { local.ledger() }.free(header.number);
        } else {
            // SAFETY: the caller's promise.
            unsafe { free(block, layout) };
        }
    }
}

/// The largest block that the arena has room for.
const LARGEST_IN_ARENA: usize = arena::LARGEST - size_of::<Header>();

/// Allocates a block for the engine, or one for which the ledger or the arena has to grow, or one that is too large for
/// the arena.
#[inline(never)]
fn allocate(local: &Local, layout: Layout, from_system: unsafe fn(&System, Layout) -> *mut u8) -> *mut u8 {
    let Some((outer, offset)) = with_header(layout) else { return ptr::null_mut() };
    IN_USE.store(true, Ordering::Relaxed);
    if local.execution.get() != 0 {
        return allocate_for_program(local, layout, outer, offset);
    }
    // SAFETY: the layout is not empty, it has a header.
    let base = unsafe { from_system(&System, outer) };
    if base.is_null() {
        return base;
    }
    // SAFETY: there is room for `offset` bytes, of which the last are the header, and the block.
    unsafe {
        let block = base.add(offset);
        block.cast::<Header>().sub(1).write(Header::NOBODYS);
        block
    }
}

#[cold]
fn allocate_for_program(local: &Local, layout: Layout, outer: Layout, offset: usize) -> *mut u8 {
    let execution = local.execution.replace(0);
    // SAFETY: what is allocated below is the engine's, for which nobody needs the ledger.
    let ledger = unsafe { local.ledger() };
    ledger.blocks.reserve(1);
    let fits = outer.size() <= arena::LARGEST && outer.align() <= arena::ALIGN;
    let from_arena = if fits { ledger.arena.cut_anywhere(outer.size()) } else { None };
    // SAFETY: the layout is not empty, it has a header.
    let base = from_arena.map_or_else(|| unsafe { System.alloc(outer) }, NonNull::as_ptr);
    local.execution.set(execution);
    if base.is_null() {
        return base;
    }
    // SAFETY: there is room for `offset` bytes, of which the last are for the header, and the block.
    unsafe {
        let block = base.add(offset);
        // What comes from the arena next is behind this block only if this one is from the arena, too.
        let descending = ledger.arena.is_descending();
        let in_order = ledger.blocks.last().is_none_or(|last| (last.start > block as usize) == descending);
        ledger.ordered &= from_arena.is_some() && in_order;
        ledger.enter(local, block, layout.size(), from_arena.is_some());
        block
    }
}

/// Frees a block that is not from the arena, or not of the execution that runs.
///
/// # Safety
///
/// The block was allocated with this layout and is freed once.
#[inline(never)]
unsafe fn free(block: *mut u8, layout: Layout) {
    let Some((outer, offset)) = with_header(layout) else { return };
    // SAFETY: a header stands in front of every block.
    let header = unsafe { block.cast::<Header>().sub(1).read() };
    // SAFETY: the block begins `offset` behind what the arena or the system allocator gave, which is not null.
    let base = unsafe { NonNull::new_unchecked(block.sub(offset)) };
    let execution = local().execution.get();
    if header.arena {
        // SAFETY: the header says where it is from.
        unsafe { arena::free_later(base) };
    } else if execution != 0 && header.execution == execution {
        with_ledger(|ledger| {
            ledger.free(header.number);
            ledger.quarantine.push((base.as_ptr() as usize, outer));
        });
    } else {
        // SAFETY: the block came from the system allocator with this layout.
        unsafe { System.dealloc(base.as_ptr(), outer) };
    }
}
