//! The functions that instrumented code calls for plain accesses to memory of every size, and what is checked for all
//! accesses.

use crate::calls::library::caller;
use crate::calls::locals::Locals;
use crate::machine::{Machine, ProgramError, Point, machine, violate};
use crate::memory::proc_maps;
use crate::memory::shadow::{Cell, Entry, Fault, Touch, mask_of};
use crate::memory::unwritten;
use crate::memory::zones;
use crate::memory::address_space::{self, Part};
use quotient_runtime::graph::Clock;
use quotient_runtime::native::{self, EventId, LocationId};
use std::ptr;

/// A plain access within 8 bytes.
#[inline(always)]
fn plain(address: usize, size: usize, touch: Touch) {
    let machine = machine();
    if !machine.running.get() {
        return;
    }
    let pc = machine.quick_pc();
    let Some(cell) = machine.cell(address) else {
        return foreign(address, size, touch, pc);
    };
    if let Err(fault) = machine.touch(cell, address, size, touch, pc) {
        fail(fault, address, size, touch, pc);
    }
    let mask = mask_of(address, size);
    if touch.writes() {
        cell.note_written(mask);
        overwrite(machine, cell, address, size);
    } else {
        if cell.written.get() & mask != mask && unwritten::looks_new(address, size) {
            unwritten::read(cell, address, size, pc);
        }
        if cell.has_location() {
            bring_up_to_date(machine, address, size);
        }
    }
    if machine.is_noting() {
        machine.note_access(address, size, touch, pc);
    }
    if check_stack(machine, (address, size), touch, pc) && !touch.writes() {
        unwritten::seen(machine, cell, address, mask);
    }
}

/// What a plain write within 8 bytes does besides.
#[inline(always)]
pub(crate) fn overwrite(machine: &Machine, cell: &Cell, address: usize, size: usize) {
    if cell.has_location() {
        replace_locations(machine, cell, address, size);
    }
    note(machine, address, size);
}

/// A plain write takes the place of locations.
#[cold]
fn replace_locations(machine: &Machine, cell: &Cell, address: usize, size: usize) {
    if cell.reaches_beyond(address, size) {
        bring_up_to_date(machine, address, size);
        machine.keep_atomic(cell, address);
    }
    machine.unbind(cell, address, size);
}

/// Notes what is in memory that is about to be written, if that matters.
#[inline(always)]
pub(crate) fn note(machine: &Machine, address: usize, size: usize) {
    let Point { thread, position } = machine.here.get();
    machine.written[thread as usize].note(position, || !address_space::is_on_stack(address, thread));
    if machine.watched.get() == Some(thread) {
        keep_in_journal(machine, address, size);
    }
}

/// Notes what is in memory that a thread which may be in a loop is about to write.
#[inline(never)]
fn keep_in_journal(machine: &Machine, address: usize, size: usize) {
    // SAFETY: the memory exists, or the access would have been refused.
    let before = unsafe { read_memory(address, size) };
    machine.journal.borrow_mut().push((address, size as u8, before));
}

/// A plain read of memory that is also accessed by atomic operations: puts the newest value that the thread knows of
/// there, which is the only one that it can read without a race.
#[cold]
pub(crate) fn bring_up_to_date(machine: &Machine, address: usize, size: usize) {
    if let Ok(Some(location)) = machine.location_at(address & !15, 16) {
        let value = newest(machine, location);
        // SAFETY: the memory is a location of the program, so it exists.
        return unsafe { write_value(machine, address & !15, 16, value) };
    }
    let (start, width) = match machine.location_at(address, size) {
        Ok(Some(_)) => (address, size),
        // Part of a location, or more than one: all of those in the 8 bytes.
        _ => (address & !7, 0),
    };
    let candidates = if width != 0 {
        vec![(start, width)]
    } else {
        (0..8).flat_map(|o| [1, 2, 4, 8].map(|w| (start + o, w))).collect()
    };
    for (start, width) in candidates {
        if start & 7 > 8 - width {
            continue;
        }
        if let Ok(Some(location)) = machine.location_at(start, width) {
            let value = newest(machine, location);
            // SAFETY: the memory is a location of the program, so it exists.
            unsafe { write_memory(start, width, value) };
        }
    }
}

/// The value of the last write to a location, in coherence order, that happens before now.
fn newest(machine: &Machine, location: LocationId) -> u64 {
    let here = machine.here.get();
    native::look(|explorer, _| {
        let graph = explorer.graph();
        let last = EventId::new(here.thread, here.position.saturating_sub(1));
        let known = |write: &&EventId| graph.covers(last, Clock::Before, **write);
        let write = graph.location(location).writes.iter().rev().find(known);
        write.map_or(graph.location(location).init, |&write| graph.value_of(write, location))
    })
}

/// An access to memory that is not the program's: of the C library, or of the checker, or nobody's.
#[cold]
pub(crate) fn foreign(address: usize, size: usize, touch: Touch, pc: usize) {
    if !proc_maps::may_access(machine(), address, size, touch.writes()) {
        fail(Fault::Outside, address, size, touch, pc);
    }
}

/// An access within 8 bytes of a stack must be to a part that is in use, and to a variable. Whether it is to a stack.
#[inline(always)]
fn check_stack(machine: &Machine, memory: (usize, usize), touch: Touch, pc: usize) -> bool {
    // SAFETY: the program has called, so it has been attached.
    check_stack_above(machine, unsafe { (*machine.shared.get()).sp }, memory, touch, pc)
}

/// The same for a thread whose stack is in use from `own` on.
#[inline(always)]
pub(crate) fn check_stack_above(
    machine: &Machine,
    own: usize,
    memory: (usize, usize),
    touch: Touch,
    pc: usize,
) -> bool {
    let is_on_stack = address_space::is_on_a_stack(memory.0);
    if is_on_stack {
        check_on_stack(machine, own, memory, touch, pc);
    }
    is_on_stack
}

/// The same for an access that is to a stack.
#[inline(never)]
fn check_on_stack(machine: &Machine, own: usize, (address, size): (usize, usize), touch: Touch, pc: usize) {
    let offset = address.wrapping_sub(address_space::WORLD);
    let owner = address_space::owner(offset);
    let here = machine.here.get().thread;
    let top = if owner == here { own } else { machine.threads.borrow().top(owner) };
    if address < top || owner != here && is_between_frames(top, address) {
        dead_stack(here, owner, top == usize::MAX, pc);
    }
    zones::check(address, size, touch, pc);
}

/// Whether an address on the stack of a thread that waits is where a call has saved registers, or where it returns to: whoever
/// accesses that thinks of a variable that was there before.
fn is_between_frames(top: usize, address: usize) -> bool {
    /// What the stub of the call has saved, and where it returns to.
    const SAVED: usize = 56;
    /// A frame pointer, and where the function returns to.
    const PAIR: usize = 16;
    /// Where the stub has saved the frame pointer.
    const POINTER: usize = 40;
    let start = address & !(address_space::REGION - 1);
    let end = start + address_space::STACK;
    // A thread that has not begun has no frames.
    if !(start..end - SAVED - PAIR).contains(&top) {
        return false;
    }
    if address < top + SAVED {
        return true;
    }
    // SAFETY: these are words of the stack of a thread, above what is in use, which are mapped.
    let word = |at: usize| unsafe { *(at as *const usize) };
    let (mut below, mut pointer) = (top, word(top + POINTER));
    // Frames are in the order of their calls; what is not a frame pointer ends the chain.
    while pointer > below && pointer <= address && pointer.is_multiple_of(8) && pointer + PAIR <= end {
        if address < pointer + PAIR {
            return true;
        }
        (below, pointer) = (pointer, word(pointer));
    }
    false
}

#[cold]
fn dead_stack(here: u32, owner: u32, has_ended: bool, pc: usize) -> ! {
    let message = if has_ended {
        format!("thread {here} accesses the stack of thread {owner}, which has ended")
    } else {
        format!("thread {here} accesses a local variable of a function that has returned")
    };
    violate(ProgramError::DeadStack, message, pc)
}

/// What an access has done wrong. A thread that is told what did not happen does not know what orders it after others.
#[cold]
pub(crate) fn fail(fault: Fault, address: usize, size: usize, touch: Touch, pc: usize) {
    match fault {
        Fault::Race(_) | Fault::Place(_) if native::is_supposing() => {}
        // Streams such as `std::cout` may be used by several threads, and so may what the C++ library keeps.
        Fault::Race(_) | Fault::Place(_) if machine().is_of_library(address) => {}
        Fault::Race(other) => race(other, touch, address, pc),
        Fault::Place(class) => native::distinguish_class(class),
        Fault::Outside => outside(address, size, touch, pc),
    }
}

#[cold]
fn outside(address: usize, size: usize, touch: Touch, pc: usize) -> ! {
    let machine = machine();
    let verb = if touch.writes() { "writes" } else { "reads" };
    let thread = machine.here.get().thread;
    let part = address_space::part_of(address);
    let block = part.and_then(|(owner, _)| machine.heap.borrow().block(owner, address).copied());
    let (mistake, message) = match part {
        _ if address < 4096 => {
            let message = format!("thread {thread} {verb} {size} bytes through a null pointer (address {address:#x})");
            (ProgramError::NullPointer, message)
        }
        Some((owner, Part::Heap)) if is_before_block(owner, address) => {
            let block = machine.heap.borrow().block_behind(owner, address).copied();
            let (distance, length, place) =
                block.map_or((0, 0, 0), |block| (block.start - address, block.size, block.pc));
            let message = format!(
                "out of bounds: thread {thread} {verb} {size} bytes, {distance} bytes before a block of {length} bytes that \
                 was allocated at {}",
                machine.describe(place)
            );
            (ProgramError::OutOfBounds, message)
        }
        Some((_, Part::Heap)) => match block {
            Some(block) if address < block.start + block.size.max(1) && block.freed.is_some() => {
                let (freed, by) = block.freed.unwrap_or_default();
                let message = format!(
                    "use after free: thread {thread} {verb} {size} bytes of a block that was freed at {} by thread {by}, \
                     and allocated at {}",
                    machine.describe(freed),
                    machine.describe(block.pc)
                );
                (ProgramError::UseAfterFree, message)
            }
            Some(block) => (
                ProgramError::OutOfBounds,
                format!(
                    "out of bounds: thread {thread} {verb} {size} bytes, {} bytes behind the beginning of a block of {} bytes \
                 that was allocated at {}",
                    address - block.start,
                    block.size,
                    machine.describe(block.pc)
                ),
            ),
            None => {
                let message = format!("thread {thread} {verb} {size} bytes of memory that was not allocated");
                (ProgramError::WildPointer, format!("{message} (address {address:#x})"))
            }
        },
        None if machine.is_in_image(address) => (ProgramError::OutOfBounds, beside_variable(None, address, size, verb)),
        Some((owner, Part::Local)) if machine.threads.borrow().locals(owner) == Locals::Gone => {
            let what = machine.describe_memory(address);
            let message = format!("thread {thread} {verb} {size} bytes of {what}, which has ended");
            (ProgramError::DeadStack, message)
        }
        Some((owner, Part::Local)) => {
            (ProgramError::OutOfBounds, beside_variable(Some(owner), address, size, verb))
        }
        _ => {
            let message = format!("thread {thread} {verb} {size} bytes through a wild pointer (address {address:#x})");
            (ProgramError::WildPointer, message)
        }
    };
    violate(mistake, message, pc)
}

/// Whether an address of a heap is nearer to the beginning of a block than to the end of the one before.
fn is_before_block(owner: u32, address: usize) -> bool {
    let heap = machine().heap.borrow();
    let end = heap.block(owner, address).map_or(0, |block| block.start + block.size);
    heap.block_behind(owner, address).is_some_and(|next| address >= end && next.start - address < address + 1 - end)
}

/// In words: an access to what lies between two global variables, or between two of a thread.
fn beside_variable(owner: Option<u32>, address: usize, size: usize, verb: &str) -> String {
    let machine = machine();
    let thread = machine.here.get().thread;
    let symbols = machine.image().map(|image| &image.symbols);
    // The access may begin within the variable.
    let place = (address..address + size).find_map(|at| match owner {
        None => symbols?.neighbour(at),
        Some(owner) => symbols?.neighbour_among_locals(at - address_space::locals(owner)),
    });
    let what = match place {
        Some((name, length, offset)) if offset >= 0 => {
            format!("{offset} bytes behind the beginning of `{name}`, which has {length}")
        }
        Some((name, _, offset)) => format!("{} bytes before `{name}`", -offset),
        None => format!("at {address:#x}"),
    };
    format!("out of bounds: thread {thread} {verb} {size} bytes, {what}")
}

/// Two accesses race.
#[cold]
pub(crate) fn race(earlier: Entry, touch: Touch, address: usize, pc: usize) -> ! {
    let pc = caller::users_line(pc);
    let machine = machine();
    let message = format!(
        "data race on {}: {} by thread {} at {}, and {} by thread {} at {}, are not ordered",
        machine.describe_memory(address),
        touch.describe(),
        machine.here.get().thread,
        machine.describe(pc),
        earlier.touch().describe(),
        earlier.thread,
        machine.describe(earlier.pc),
    );
    let before = Point { thread: u32::from(earlier.thread), position: earlier.position };
    if !native::is_supposing() {
        let now = (machine.here.get(), touch.describe(), pc);
        machine.racing.replace(vec![now, (before, earlier.touch().describe(), earlier.pc)]);
    }
    let volatile = touch.is_volatile() || earlier.touch().is_volatile();
    let message = if volatile { format!("{message}; `volatile` is not atomic") } else { message };
    violate(ProgramError::Race, message, pc)
}

/// A plain access of any size and alignment.
#[inline(never)]
pub(crate) fn range(address: usize, size: usize, touch: Touch) {
    if (address & 7) + size <= 8 && size > 0 {
        return plain(address, size, touch);
    }
    long_range(address, size, touch);
}

#[inline(never)]
fn long_range(address: usize, size: usize, touch: Touch) {
    let mut at = address;
    let end = address.saturating_add(size);
    while at < end {
        let part = (8 - (at & 7)).min(end - at);
        plain(at, part, touch);
        at += part;
    }
}

/// The same for what is copied as a whole: padding need not have been written.
pub(crate) fn copy_as_a_whole(address: usize, size: usize) {
    let machine = machine();
    if !machine.running.get() {
        return;
    }
    let pc = machine.quick_pc();
    let mut at = address;
    while at < address + size {
        let part = (8 - (at & 7)).min(address + size - at);
        match machine.cell(at) {
            Some(cell) => {
                if let Err(fault) = machine.touch(cell, at, part, Touch::Read, pc) {
                    fail(fault, at, part, Touch::Read, pc);
                }
                if cell.has_location() {
                    bring_up_to_date(machine, at, part);
                }
            }
            None => foreign(at, part, Touch::Read, pc),
        }
        if machine.is_noting() {
            machine.note_access(at, part, Touch::Read, pc);
        }
        check_stack(machine, (at, part), Touch::Read, pc);
        at += part;
    }
}

/// # Safety
/// So many bytes, at most 8, must be readable there.
#[inline]
pub(crate) unsafe fn read_memory(address: usize, size: usize) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        match size {
            1 => u64::from(*(address as *const u8)),
            2 => u64::from(ptr::read_unaligned(address as *const u16)),
            4 => u64::from(ptr::read_unaligned(address as *const u32)),
            8 => ptr::read_unaligned(address as *const u64),
            _ => {
                let mut bytes = [0; 8];
                ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size);
                u64::from_le_bytes(bytes)
            }
        }
    }
}

/// # Safety
/// So many bytes, at most 8, must be writable there.
#[inline]
pub(crate) unsafe fn write_memory(address: usize, size: usize, value: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match size {
            1 => *(address as *mut u8) = value as u8,
            2 => ptr::write_unaligned(address as *mut u16, value as u16),
            4 => ptr::write_unaligned(address as *mut u32, value as u32),
            8 => ptr::write_unaligned(address as *mut u64, value),
            _ => ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), address as *mut u8, size),
        }
    }
}

/// The value, as the execution graph has it, of memory of up to 16 bytes.
///
/// # Safety
/// So many bytes must be readable there.
pub(crate) unsafe fn read_value(machine: &Machine, address: usize, size: usize) -> u64 {
    // SAFETY: as the caller promises; memory of 16 bytes is aligned.
    unsafe { if size == 16 { machine.wide.borrow_mut().name(*(address as *const u128)) } else { read_memory(address, size) } }
}

/// # Safety
/// So many bytes must be writable there.
pub(crate) unsafe fn write_value(machine: &Machine, address: usize, size: usize, value: u64) {
    if size == 16 {
        // SAFETY: as the caller promises; memory of 16 bytes is aligned.
        unsafe { *(address as *mut u128) = machine.wide.borrow().value(value) };
    } else {
        // SAFETY: as the caller promises.
        unsafe { write_memory(address, size, value) };
    }
}

macro_rules! plain_accesses {
    ($($read:ident $write:ident $size:literal),*) => {
        $(
            pub(crate) extern "C" fn $read(address: usize) {
                plain_or_split(address, $size, Touch::Read);
            }
            pub(crate) extern "C" fn $write(address: usize) {
                plain_or_split(address, $size, Touch::Write);
            }
        )*
    };
}

#[inline(always)]
pub(crate) fn plain_or_split(address: usize, size: usize, touch: Touch) {
    if (address & 7) + size <= 8 { plain(address, size, touch) } else { range(address, size, touch) }
}

plain_accesses!(read1 write1 1, read2 write2 2, read4 write4 4, read8 write8 8);

/// Sixteen bytes are hardly ever one number: most often a structure is copied. But a `long double` is.
pub(crate) extern "C" fn read16(address: usize) {
    copy_as_a_whole(address, 16);
    unwritten::read_wide(address);
}

pub(crate) extern "C" fn write16(address: usize) {
    range(address, 16, Touch::Write);
}

pub(crate) extern "C" fn read_range(address: usize, size: usize) {
    copy_as_a_whole(address, size);
}

pub(crate) extern "C" fn write_range(address: usize, size: usize) {
    range(address, size, Touch::Write);
}

/// A constructor or destructor says of which class the object is from here on. If it is of that class already, nothing changes
/// for others who look at it.
pub(crate) extern "C" fn vptr_update(address: usize, new: usize) {
    let machine = machine();
    let is_there = address & 7 == 0 && machine.cell(address).is_some_and(|cell| cell.valid.get() == 0xFF);
    // SAFETY: the memory exists.
    let is_same = machine.running.get() && is_there && unsafe { *(address as *const usize) } == new;
    plain_or_split(address, 8, if is_same { Touch::Read } else { Touch::Write });
}

pub(crate) extern "C" fn nothing() {}

/// Memory must be there that the library uses, with a lock of its own.
pub(crate) fn refuse_gone(address: usize) {
    let machine = machine();
    let pc = caller::users_line(machine.pc());
    if machine.cell(address).is_some_and(|cell| cell.valid.get() & mask_of(address, 1) == 0) {
        fail(Fault::Outside, address, 1, Touch::Write, pc);
    }
    check_stack(machine, (address, 1), Touch::Write, pc);
}

/// Code that is not instrumented reads what it copies (0), writes (1), or reads what must have been written (2).
pub(crate) extern "C" fn host_range(address: usize, size: usize, how: i32) {
    caller::note();
    match how {
        1 => range(address, size, Touch::Write),
        2 => range(address, size, Touch::Read),
        _ => copy_as_a_whole(address, size),
    }
}

/// Copies memory that must not overlap, unless it is copied to where it is.
pub(crate) extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    caller::note();
    if !ptr::eq(to, from) {
        refuse_overlap((to as usize, size), &[(from as usize, size)]);
    }
    memmove(to, from, size)
}

/// Memory is written that the same function reads, and must not.
pub(crate) fn refuse_overlap((to, size): (usize, usize), read: &[(usize, usize)]) {
    let machine = machine();
    let overlaps = |&&(from, length): &&(usize, usize)| {
        from < to.saturating_add(size) && to < from.saturating_add(length) && size > 0 && length > 0
    };
    if let Some(&(from, length)) = read.iter().find(overlaps).filter(|_| machine.running.get()) {
        let what = machine.describe_memory(to);
        let message = format!(
            "a function writes {size} bytes at {what}, and reads {length} bytes that lie {} bytes {}: they overlap, which it does not allow",
            from.abs_diff(to),
            if from < to { "before that" } else { "behind that" },
        );
        violate(ProgramError::Misuse, message, caller::users_line(machine.pc()));
    }
}

pub(crate) extern "C" fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    caller::note();
    copy_as_a_whole(from as usize, size);
    range(to as usize, size, Touch::Write);
    // SAFETY: both ranges exist.
    unsafe { ptr::copy(from, to, size) };
    to
}

pub(crate) extern "C" fn memset(to: *mut u8, byte: i32, size: usize) -> *mut u8 {
    caller::note();
    range(to as usize, size, Touch::Write);
    // SAFETY: the range exists.
    unsafe { ptr::write_bytes(to, byte as u8, size) };
    to
}

pub(crate) extern "C" fn memcmp(a: *const u8, b: *const u8, size: usize) -> i32 {
    caller::note();
    copy_as_a_whole(a as usize, size);
    copy_as_a_whole(b as usize, size);
    crate::check::order::compares(a, b, size);
    // SAFETY: both ranges exist.
    let (first, second) = unsafe { (std::slice::from_raw_parts(a, size), std::slice::from_raw_parts(b, size)) };
    // What comes out depends on the bytes up to the first that differ, so these must have been written.
    let same = first.iter().zip(second).take_while(|(one, other)| one == other).count();
    for side in [a, b] {
        range(side as usize, size.min(same + 1), Touch::Read);
        if same < size {
            // It decides alone.
            range(side as usize + same, 1, Touch::Read);
        }
    }
    first.cmp(second) as i32
}
