//! Memory that nobody has written: blocks of the heap are filled when they are allocated, local variables by the compiler
//! where they are declared (`-ftrivial-auto-var-init=pattern`). Who reads what they were filled with, and has not been
//! written since, reads nothing.

use crate::abi::{read_memory, shadow_of_write};
use crate::heap::FILL;
use crate::locals::{self, Leaf};
use crate::machine::{Mistake, machine, violate};
use crate::shadow::{Cell, mask_of};
use crate::world::{self, Part};

/// What the compilers in use fill variables with. Clang fills floating-point numbers with ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fills {
    /// GCC has compiled some of the program.
    pub gcc: bool,
    /// Clang has.
    pub clang: bool,
}

const GCC: u8 = 0xFE;
const CLANG: u8 = 0xAA;
const CLANG_FLOAT: u8 = 0xFF;

/// Whether memory may be as it was when it was allocated or declared.
#[inline]
pub fn looks_new(address: usize, size: usize) -> bool {
    // SAFETY: the caller has seen that the memory exists.
    let first = unsafe { *(address as *const u8) };
    matches!(first, FILL | GCC | CLANG | CLANG_FLOAT) && is_new(address, size, first)
}

#[cold]
fn is_new(address: usize, size: usize, first: u8) -> bool {
    let machine = machine();
    let fits = match world::part_of(address) {
        Some((_, Part::Heap)) => first == FILL,
        Some((_, Part::Stack)) if first == GCC => machine.fills.gcc,
        Some((_, Part::Stack)) => machine.fills.clang && first != FILL,
        _ => false,
    };
    // SAFETY: as above.
    fits && unsafe { std::slice::from_raw_parts(address as *const u8, size) }.iter().all(|&byte| byte == first)
}

/// A read of a stack has seen something else than what variables are filled with. If that is there later, and nobody has
/// said that he writes, a new variable has been declared: GCC fills arrays and structures without a call.
#[inline]
pub fn seen(cell: &mut Cell, address: usize, mask: u8) {
    if cell.written & mask != 0 {
        forget(cell, address & !7, mask);
    }
}

#[inline(never)]
fn forget(cell: &mut Cell, granule: usize, mask: u8) {
    for byte in (0..8).filter(|byte| mask >> byte & 1 != 0) {
        // SAFETY: the caller has seen that the memory exists.
        let value = unsafe { *((granule + byte) as *const u8) };
        if !matches!(value, GCC | CLANG | CLANG_FLOAT) {
            cell.written &= !(1 << byte);
        }
    }
}

/// A read of memory that looks new and has not been written. What the debug information does not know to be a variable
/// of this size is let pass: it may be part of a copy, or something that the compiler keeps there.
#[cold]
pub fn read(cell: &mut Cell, address: usize, size: usize, pc: usize) {
    cell.written |= mask_of(address, size);
    let machine = machine();
    let thread = machine.here.thread;
    let Some((owner, Part::Stack)) = world::part_of(address) else {
        let what = machine.describe_memory(address);
        let message = format!("thread {thread} reads {size} bytes of {what} that nobody has written");
        violate(Mistake::Uninitialised, message, pc)
    };
    let found = locals::find(owner, address);
    // Code has said that this number is declared here, and nobody has written it since.
    let declared = machine.declared.get(&address).filter(|&&(length, _)| length == size).map(|&(_, pc)| pc);
    // SAFETY: the memory exists.
    let is_ones = unsafe { read_memory(address, 1) } == u64::from(CLANG_FLOAT);
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
    violate(Mistake::Uninitialised, message, pc)
}

/// Code says that it has come to the declaration of a variable: from here on nobody has written it.
fn declared(address: usize, size: usize) {
    shadow_of_write(address, size);
    let machine = machine();
    if !machine.running {
        return;
    }
    let pc = machine.last_pc;
    machine.declared.insert(address, (size, pc));
    let mut at = address;
    while at < address + size {
        let part = (8 - (at & 7)).min(address + size - at);
        if matches!(world::part_of(at), Some((_, Part::Stack)))
            && let Some(cell) = machine.cell(at)
        {
            cell.written &= !mask_of(at, part);
        }
        at += part;
    }
}

macro_rules! declarations {
    ($($name:ident $size:literal),*) => {
        $(
            pub extern "C" fn $name(address: usize) {
                declared(address, $size);
            }
        )*
    };
}

declarations!(declared1 1, declared2 2, declared4 4, declared8 8, declared16 16);

pub extern "C" fn declared_range(address: usize, size: usize) {
    declared(address, size);
}

/// The same, where it is filled by a call.
pub extern "C" fn declared_memset(to: *mut u8, byte: i32, size: usize) -> *mut u8 {
    declared(to as usize, size);
    // SAFETY: the variable exists.
    unsafe { std::ptr::write_bytes(to, byte as u8, size) };
    to
}

/// The same, where it is filled by a copy.
pub extern "C" fn declared_memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    declared(to as usize, size);
    // SAFETY: the variable exists, and so does the constant that it is filled with.
    unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
    to
}
