//! Memory that nobody has written: blocks of the heap are filled when they are allocated, local variables by the compiler
//! where they are declared (`-ftrivial-auto-var-init=pattern`). Who reads what they were filled with, and has not been
//! written since, reads nothing.

use crate::calls::abi::{self, read_memory};
use crate::machine::{Machine, ProgramError, machine, violate};
use crate::memory::bits;
use crate::memory::heap::FILL;
use crate::memory::locals::{self, Leaf};
use crate::memory::shadow::{Cell, Touch, mask_of};
use crate::memory::address_space::{self, Part};

/// What the compilers in use fill variables with. Clang fills floating-point numbers with ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fills {
    /// GCC has compiled some of the program.
    pub gcc: bool,
    /// Clang has.
    pub clang: bool,
}

/// A block of `alloca`, or an array that is filled by a call.
#[derive(Clone, Copy)]
pub(crate) struct StackBlock {
    owner: u32,
    start: usize,
    end: usize,
    /// The frame pointer of the function that has made it, if it is a block of `alloca`, and where that was.
    made_by: Option<(usize, usize)>,
}

impl StackBlock {
    /// Notes that it begins.
    fn note(self, machine: &Machine) {
        let mut blocks = machine.stack_blocks.borrow_mut();
        // What lies below is of functions that have returned.
        blocks.retain(|block| block.owner != self.owner || block.start >= self.end);
        blocks.push(self);
    }
}

/// The size of the block or array that begins at an address.
pub(crate) fn size_of_block(machine: &Machine, start: usize) -> Option<usize> {
    machine.stack_blocks.borrow().iter().find(|block| block.start == start).map(|block| block.end - start)
}

const GCC: u8 = 0xFE;
const CLANG: u8 = 0xAA;
const CLANG_FLOAT: u8 = 0xFF;

/// Whether memory may be as it was when it was allocated or declared.
#[inline]
pub(crate) fn looks_new(address: usize, size: usize) -> bool {
    // SAFETY: the caller has seen that the memory exists.
    let first = unsafe { *(address as *const u8) };
    matches!(first, FILL | GCC | CLANG | CLANG_FLOAT) && is_new(address, size, first)
}

#[cold]
fn is_new(address: usize, size: usize, first: u8) -> bool {
    let machine = machine();
    let fits = match address_space::part_of(address) {
        Some((_, Part::Heap)) => first == FILL,
        Some((_, Part::Stack)) if first == GCC => machine.fills.get().gcc,
        Some((_, Part::Stack)) => machine.fills.get().clang && first != FILL,
        _ => false,
    };
    // SAFETY: as above.
    fits && unsafe { std::slice::from_raw_parts(address as *const u8, size) }.iter().all(|&byte| byte == first)
}

/// A read of a stack has seen something else than what variables are filled with. If that is there later, and nobody has
/// said that he writes, a new variable has been declared: GCC fills arrays and structures without a call.
#[inline]
pub(crate) fn seen(machine: &Machine, cell: &Cell, address: usize, mask: u8) {
    if cell.written.get() & mask != 0 && machine.fills.get().gcc {
        // SAFETY: the caller has seen that the memory exists, and so do all 8 bytes of a stack.
        let other = unsafe { *((address & !7) as *const u64) } ^ u64::from_ne_bytes([GCC; 8]);
        let is_fill_among = other.wrapping_sub(0x0101_0101_0101_0101) & !other & 0x8080_8080_8080_8080;
        if is_fill_among == 0 {
            cell.forget_written(mask);
        }
    }
}

/// A read of memory that looks new and has not been written. What the debug information does not know to be a variable
/// of this size is let pass: it may be part of a copy, or something that the compiler keeps there.
#[cold]
pub(crate) fn read(cell: &Cell, address: usize, size: usize, pc: usize) {
    if !bits::note(address, size, pc) {
        report(cell, address, size, pc);
    }
}

/// Memory of a heap is given away of which nobody has written anything. Of a structure, not every byte need have been written.
pub(crate) fn refuse_new(address: usize, size: usize) {
    let machine = machine();
    if !machine.running.get() || size == 0 || !matches!(address_space::part_of(address), Some((_, Part::Heap))) {
        return;
    }
    let granules = (address & !7..address + size).step_by(8);
    let is_unwritten = |granule: usize| {
        let start = granule.max(address);
        let mask = mask_of(start, (granule + 8).min(address + size) - start);
        machine.cell(granule).is_some_and(|cell| cell.written.get() & mask == 0)
    };
    if granules.clone().all(is_unwritten)
        && looks_new(address, size)
        && let Some(cell) = machine.cell(address)
    {
        report(cell, address, size.min(8 - (address & 7)), machine.quick_pc());
    }
}

/// So many bytes of a number of 16 have a meaning, if it is a `long double`.
const WIDE: usize = 10;

/// A read of 16 bytes of a stack, which may be a structure and may be one number.
pub(crate) fn read_wide(address: usize) {
    let machine = machine();
    if !machine.running.get() || !matches!(address_space::part_of(address), Some((_, Part::Stack))) {
        return;
    }
    let (Some(cell), Some(next)) = (machine.cell(address), machine.cell(address + 8)) else { return };
    let is_unwritten = cell.written.get() == 0 && next.written.get() == 0;
    if is_unwritten && address.is_multiple_of(16) && looks_new(address, WIDE) {
        next.note_written(0xFF);
        report(cell, address, 16, machine.quick_pc());
    }
}

/// The same, if it is no half of a change of bits.
pub(crate) fn report(cell: &Cell, address: usize, size: usize, pc: usize) {
    cell.note_written(mask_of(address, size.min(8)));
    let machine = machine();
    let thread = machine.here.get().thread;
    let Some((owner, Part::Stack)) = address_space::part_of(address) else {
        let what = machine.describe_memory(address);
        let message = format!("thread {thread} reads {size} bytes of {what} that nobody has written");
        violate(ProgramError::Uninitialised, message, pc)
    };
    let found = locals::find(owner, address);
    // Code has said that this number is declared here, and nobody has written it since.
    let declared = if size > 8 { None } else { cell.declared_at(address, size) };
    // SAFETY: the memory exists.
    let is_ones = unsafe { read_memory(address, 1) } == u64::from(CLANG_FLOAT);
    if found.is_none()
        && declared.is_none()
        && let Some(place) = maker_of_block(machine, owner, address)
    {
        let place = machine.describe(place);
        let what = format!("a block of `alloca` made at {place} that nobody has written");
        violate(ProgramError::Uninitialised, format!("thread {thread} reads {size} bytes of {what}"), pc)
    }
    let (name, place) = match (found, declared) {
        (Some(found), _) => {
            let Some(Leaf { is_float, .. }) = found.leaf.filter(|leaf| leaf.size == size) else { return };
            if found.is_parameter || is_ones && !is_float {
                return;
            }
            (Some(found.name.clone()), found.place(machine))
        }
        (None, Some(pc)) => (locals::name_of_declared(pc), machine.describe(pc)),
        (None, None) => return,
    };
    let name = name.map_or("a local variable".to_owned(), |name| format!("`{name}`"));
    let whose = if owner == thread { String::new() } else { format!(" of thread {owner}") };
    let message =
        format!("thread {thread} reads {name}{whose}, which was declared at {place} and has not been written since");
    violate(ProgramError::Uninitialised, message, pc)
}

/// Where the block of `alloca` at an address was made, if the function that has made it is still there.
fn maker_of_block(machine: &Machine, owner: u32, address: usize) -> Option<usize> {
    let blocks = machine.stack_blocks.borrow();
    let block = blocks.iter().find(|block| block.owner == owner && (block.start..block.end).contains(&address))?;
    block.made_by.filter(|&(frame, _)| locals::is_in_frame(owner, frame, block.start)).map(|(_, pc)| pc)
}

/// A block of `alloca` begins: it is filled as a variable would be.
pub(crate) extern "C" fn declared_block(start: usize, size: usize) -> usize {
    let machine = machine();
    let Some((owner, Part::Stack)) = address_space::part_of(start).filter(|_| machine.running.get()) else { return start };
    declared_range(start, size);
    let fill = if machine.fills.get().gcc { GCC } else { CLANG };
    // SAFETY: the block exists. The stub has saved the frame pointer of its caller at the end of its frame.
    let frame = unsafe {
        std::ptr::write_bytes(start as *mut u8, fill, size);
        *((machine.frame() + 40) as *const usize)
    };
    StackBlock { owner, start, end: start + size, made_by: Some((frame, machine.pc())) }.note(machine);
    start
}

/// Code says that it has come to the declaration of a number: from here on nobody has written it.
fn declared(address: usize, size: usize) {
    let machine = machine();
    let is_stack = matches!(address_space::part_of(address), Some((_, Part::Stack)));
    if !machine.running.get() || !is_stack || (address & 7) + size > 8 {
        return declared_range(address, size);
    }
    if !machine.fills.get().clang && !machine.is_noting() {
        // The debug information of GCC always says where such a variable is.
        match machine.cell_in_use(address) {
            None => return,
            Some(cell) if !cell.has_location() => return cell.forget_written(mask_of(address, size)),
            Some(_) => {}
        }
    }
    let pc = machine.quick_pc();
    let Some(cell) = machine.cell(address) else { return };
    if let Err(fault) = machine.touch(cell, address, size, Touch::Declare, pc) {
        abi::fail(fault, address, size, Touch::Declare, pc);
    }
    abi::overwrite(machine, cell, address, size);
    cell.forget_written(mask_of(address, size));
    if machine.is_noting() {
        machine.note_access(address, size, Touch::Write, pc);
    }
}

macro_rules! declarations {
    ($($name:ident $size:literal),*) => {
        $(
            pub(crate) extern "C" fn $name(address: usize) {
                declared(address, $size);
            }
        )*
    };
}

declarations!(declared1 1, declared2 2, declared4 4, declared8 8, declared16 16);

/// The same for an array or a structure. Of a shadow that nobody has looked at there is nothing to say.
pub(crate) extern "C" fn declared_range(address: usize, size: usize) {
    let machine = machine();
    if !matches!(address_space::part_of(address), Some((_, Part::Stack))) || machine.is_noting() {
        abi::range(address, size, Touch::Write);
    }
    if !machine.running.get() {
        return;
    }
    let mut at = address;
    while at < address + size {
        let part = (8 - (at & 7)).min(address + size - at);
        if let Some(cell) = machine.cell_in_use(at) {
            abi::overwrite(machine, cell, at, part);
            cell.forget_written(mask_of(at, part));
        }
        at += part;
    }
}

/// The same, where it is filled by a call.
pub(crate) extern "C" fn declared_memset(to: *mut u8, byte: i32, size: usize) -> *mut u8 {
    declared_range(to as usize, size);
    let (machine, start) = (machine(), to as usize);
    if let Some((owner, Part::Stack)) = address_space::part_of(start).filter(|_| machine.running.get()) {
        StackBlock { owner, start, end: start + size, made_by: None }.note(machine);
    }
    // SAFETY: the variable exists.
    unsafe { std::ptr::write_bytes(to, byte as u8, size) };
    to
}

/// The same, where it is filled by a copy.
pub(crate) extern "C" fn declared_memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    declared_range(to as usize, size);
    // SAFETY: the variable exists, and so does the constant that it is filled with.
    unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
    to
}
