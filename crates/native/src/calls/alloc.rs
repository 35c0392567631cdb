//! The functions that allocate and free memory: what they do by the standards of C, C++ and POSIX, and their misuse.

use crate::calls::abi::{self, copy_as_a_whole};
use crate::calls::errno;
use crate::machine::{ProgramError, machine, violate};
use crate::memory::heap::{Block, FILL, Maker};
use crate::memory::shadow::{Fault, Touch};
use crate::memory::address_space::{self, Part};
use quotient_runtime::native;
use std::ptr;

/// No machine has so much memory: asking for it fails. Less than this, and more than there is, is not an answer about the
/// program.
const HUGE: usize = 1 << 46;

fn allocate(size: usize, align: usize, zeroed: bool, maker: Maker) -> *mut u8 {
    let machine = machine();
    let pc = machine.pc();
    let here = machine.here.get();
    if size > HUGE {
        errno::set(libc::ENOMEM);
        return ptr::null_mut();
    }
    let block = Block { start: 0, size, pc, position: here.position, align, maker, zeroed, freed: None };
    let found = machine.heap.borrow_mut().allocate(here.thread, align, block);
    let Some(block) = found else {
        violate(
            ProgramError::Unsupported,
            format!("the heap of thread {} is full: {size} more bytes are asked for", here.thread),
            pc,
        )
    };
    // SAFETY: the block is new memory of the heap.
    unsafe { ptr::write_bytes(block as *mut u8, if zeroed { 0 } else { FILL }, size) };
    block as *mut u8
}

pub(crate) extern "C" fn malloc(size: usize) -> *mut u8 {
    allocate(size, 16, false, Maker::Malloc)
}

pub(crate) extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    let Some(size) = count.checked_mul(size) else {
        errno::set(libc::ENOMEM);
        return ptr::null_mut();
    };
    allocate(size, 16, true, Maker::Malloc)
}

pub(crate) extern "C" fn new(size: usize) -> *mut u8 {
    allocate(size, 16, false, Maker::New(false))
}

pub(crate) extern "C" fn new_array(size: usize) -> *mut u8 {
    allocate(size, 16, false, Maker::NewArray(false))
}

pub(crate) extern "C" fn new_aligned(size: usize, align: usize) -> *mut u8 {
    check_alignment(align);
    allocate(size, align, false, Maker::New(true))
}

pub(crate) extern "C" fn new_array_aligned(size: usize, align: usize) -> *mut u8 {
    check_alignment(align);
    allocate(size, align, false, Maker::NewArray(true))
}

fn check_alignment(align: usize) {
    if !align.is_power_of_two() {
        let pc = machine().pc();
        violate(
            ProgramError::Misuse,
            format!("memory is asked for with an alignment of {align}, which is no power of two"),
            pc,
        );
    }
}

pub(crate) extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
    check_alignment(align);
    allocate(size, align, false, Maker::Malloc)
}

pub(crate) extern "C" fn posix_memalign(result: *mut *mut u8, align: usize, size: usize) -> i32 {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let block = allocate(size, align, false, Maker::Malloc);
    if block.is_null() {
        return libc::ENOMEM;
    }
    abi::range(result as usize, size_of::<usize>(), Touch::Write);
    // SAFETY: the program has given the address of a pointer, which exists, or the call before would not have returned.
    unsafe { *result = block };
    0
}

/// What was written stays written, whoever wrote it; atomic variables go on with the value that they had.
pub(crate) extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        return allocate(size, 16, false, Maker::Malloc);
    }
    let found = match address_space::part_of(block as usize) {
        Some((thread, Part::Heap)) => machine().heap.borrow().block(thread, block as usize).copied(),
        _ => None,
    };
    let is_fine = |found: &Block| found.start == block as usize && found.freed.is_none() && found.maker == Maker::Malloc;
    let Some(old) = found.filter(is_fine).filter(|_| size > 0) else {
        // Whatever is wrong with it is wrong with freeing it.
        free(block);
        return ptr::null_mut();
    };
    let new = allocate(size, 16, false, Maker::Malloc);
    if new.is_null() {
        return new;
    }
    let kept = old.size.min(size);
    copy_as_a_whole(old.start, kept);
    // SAFETY: both blocks have at least so many bytes, and they do not overlap.
    unsafe { ptr::copy_nonoverlapping(block, new, kept) };
    let machine = machine();
    for offset in (0..kept).step_by(8) {
        let written = machine.cell(old.start + offset).map_or(0, |cell| cell.written.get());
        if let Some(cell) = machine.cell(new as usize + offset).filter(|_| written != 0) {
            cell.written.set(written & cell.valid.get());
        }
    }
    free(block);
    new
}

pub(crate) extern "C" fn malloc_usable_size(block: *mut u8) -> usize {
    match address_space::part_of(block as usize) {
        Some((thread, Part::Heap)) => machine().heap.borrow().block(thread, block as usize).map_or(0, |block| block.size),
        _ => 0,
    }
}

pub(crate) extern "C" fn free(block: *mut u8) {
    give_back(block, Maker::Malloc, None);
}

pub(crate) extern "C" fn delete(block: *mut u8) {
    give_back(block, Maker::New(false), None);
}

pub(crate) extern "C" fn delete_array(block: *mut u8) {
    give_back(block, Maker::NewArray(false), None);
}

pub(crate) extern "C" fn delete_sized(block: *mut u8, size: usize) {
    give_back(block, Maker::New(false), Some(size));
}

pub(crate) extern "C" fn delete_array_sized(block: *mut u8, size: usize) {
    give_back(block, Maker::NewArray(false), Some(size));
}

pub(crate) extern "C" fn delete_aligned(block: *mut u8, align: usize) {
    check_aligned_as(block, align);
    give_back(block, Maker::New(true), None);
}

pub(crate) extern "C" fn delete_array_aligned(block: *mut u8, align: usize) {
    check_aligned_as(block, align);
    give_back(block, Maker::NewArray(true), None);
}

pub(crate) extern "C" fn delete_sized_aligned(block: *mut u8, size: usize, align: usize) {
    check_aligned_as(block, align);
    give_back(block, Maker::New(true), Some(size));
}

pub(crate) extern "C" fn delete_array_sized_aligned(block: *mut u8, size: usize, align: usize) {
    check_aligned_as(block, align);
    give_back(block, Maker::NewArray(true), Some(size));
}

/// A block that is deleted with an alignment must have been made with the same. What else is wrong with it is said later.
fn check_aligned_as(block: *mut u8, align: usize) {
    let Some((owner, Part::Heap)) = address_space::part_of(block as usize).filter(|_| machine().running.get()) else { return };
    let found = machine().heap.borrow().block(owner, block as usize).copied();
    let is_with_alignment = |found: &Block| {
        found.start == block as usize && found.freed.is_none() && matches!(found.maker, Maker::New(true) | Maker::NewArray(true))
    };
    if let Some(found) = found.filter(is_with_alignment).filter(|found| found.align != align) {
        let machine = machine();
        let message = format!(
            "`delete` frees a block with an alignment of {align}, but it was allocated at {} with one of {}",
            machine.describe(found.pc),
            found.align
        );
        violate(ProgramError::InvalidFree, message, machine.pc());
    }
}

/// What makes such blocks, and what frees them.
fn names(maker: Maker) -> (&'static str, &'static str) {
    match maker {
        Maker::Malloc => ("malloc", "free"),
        Maker::New(false) => ("new", "delete"),
        Maker::New(true) => ("new with an alignment", "delete with an alignment"),
        Maker::NewArray(false) => ("new[]", "delete[]"),
        Maker::NewArray(true) => ("new[] with an alignment", "delete[] with an alignment"),
    }
}

/// Frees a block, as if it had been made by `maker` with this size.
fn give_back(block: *mut u8, maker: Maker, size: Option<usize>) {
    if block.is_null() {
        return;
    }
    let machine = machine();
    let pc = machine.pc();
    let address = block as usize;
    if !machine.running.get() {
        return;
    }
    let (owner, found) = find(address, pc);
    if let Some((freed, by)) = found.freed {
        let message = format!(
            "double free: the block was freed before at {} by thread {by}, and allocated at {}",
            machine.describe(freed),
            machine.describe(found.pc)
        );
        violate(ProgramError::DoubleFree, message, pc)
    }
    let ((made_by, right), (_, used)) = (names(found.maker), names(maker));
    if found.maker != maker {
        let place = machine.describe(found.pc);
        let message = format!("`{used}` frees a block that `{made_by}` has made at {place}; `{right}` would have to");
        violate(ProgramError::InvalidFree, message, pc)
    }
    if let Some(size) = size.filter(|&size| size != found.size) {
        let place = machine.describe(found.pc);
        let message =
            format!("`{used}` frees {size} bytes, but the block that was allocated at {place} has {}", found.size);
        violate(ProgramError::InvalidFree, message, pc)
    }
    let parts = machine.heap.borrow().parts_looked_at(&found);
    for (start, end) in parts {
        for granule in (start..end).step_by(8) {
            let size = (end - granule).min(8);
            if let Some(cell) = machine.cell_in_use(granule) {
                match machine.touch(cell, granule, size, Touch::Free, pc) {
                    Err(Fault::Race(other)) => abi::race(other, Touch::Free, granule, pc),
                    Err(Fault::Place(class)) => native::distinguish_class(class),
                    Err(Fault::Outside) | Ok(()) => {}
                }
                cell.valid.set(0);
            }
        }
    }
    if machine.is_noting() {
        for granule in (address..address + found.size).step_by(8) {
            machine.note_access(granule, (address + found.size - granule).min(8), Touch::Free, pc);
        }
    }
    let is_early = machine.heap.borrow().is_early(owner, address);
    if !is_early
        && let Some(other) = machine.races_with_allocation(owner, found.pc, found.position)
    {
        abi::race(other, Touch::Free, address, pc);
    }
    machine.note_deed(address as u64);
    machine.heap.borrow_mut().free(owner, address, (pc, machine.here.get().thread));
}

/// The block at an address that is to be freed, and whose it is.
fn find(address: usize, pc: usize) -> (u32, Block) {
    let machine = machine();
    let owner = match address_space::part_of(address) {
        Some((owner, Part::Heap)) => owner,
        other => {
            let what = match other {
                Some((_, Part::Stack)) => "is on a stack",
                _ if machine.is_in_image(address) => "is a global variable",
                _ => "was not allocated",
            };
            violate(ProgramError::InvalidFree, format!("free of memory that {what}: {address:#x}"), pc)
        }
    };
    let found = machine.heap.borrow().block(owner, address).copied();
    if let Some(block) = found.filter(|block| block.start == address) {
        return (owner, block);
    }
    let message = match found.filter(|block| address < block.start + block.size) {
        Some(block) => format!(
            "free of an address inside a block: {} bytes behind its beginning, which was allocated at {}",
            address - block.start,
            machine.describe(block.pc)
        ),
        None => format!("free of memory that was not allocated: {address:#x}"),
    };
    violate(ProgramError::InvalidFree, message, pc)
}
