//! Room around local variables. Clang lays out frames as for AddressSanitizer: what belongs to no variable, and variables whose
//! block has ended, are marked in a map with a byte for every 8 bytes of a stack. Its code sets most marks; `glue/zones.c` has
//! the rest. Accesses are reported to Quotient as ever, which looks at the marks of what lies on a stack.
//!
//! A frame that is left without returning leaves its marks behind. Whoever throws, or ends a thread, removes all marks of
//! the thread's stack, and those of threads that were given up are removed before the next execution.

use crate::calls::abi::read_memory;
use crate::machine::{Machine, ProgramError, machine, violate};
use crate::memory::address_space::{self, PAGE, Part};
use crate::memory::shadow::Touch;
use std::ffi::CStr;
use std::io::Result;

/// The mark of an address is here, behind an eighth of it.
const MAP: usize = 0x7fff_8000;

/// Numbers that appear in code for a map, and hardly in other code: the beginning, and how far it is to what is marked.
pub(crate) const IN_CODE: std::ops::Range<i64> = MAP as i64..MAP as i64 + (1 << 20);

/// The room below the first variable of a frame.
const FIRST: u8 = 0xf1;
/// A variable whose block has ended.
const ENDED: u8 = 0xf8;
/// Room beside a block of `alloca`.
const BLOCK: [u8; 2] = [0xca, 0xcb];

/// What a frame begins with, in its room: this number, and where its description is.
const FRAME: u64 = 0x41b5_8ab3;

fn place(address: usize) -> usize {
    (address >> 3) + MAP
}

/// Maps the marks of the memory of threads.
pub(crate) fn map() -> Result<()> {
    address_space::reserve(place(address_space::WORLD), address_space::SIZE / 8).map(|_| ())
}

/// Maps those of the stack on which constructors run. Nobody looks at them.
pub(crate) fn map_for_constructors() -> Result<()> {
    const BELOW: usize = 16 << 20;
    let local = 0u8;
    let here = (&raw const local).addr();
    let start = place(here - BELOW) & !(PAGE - 1);
    let end = place(here + BELOW).next_multiple_of(PAGE);
    address_space::reserve(start, end - start).map(|_| ())
}

/// Whether an address is one of the map.
pub(crate) fn is_map(address: usize) -> bool {
    address.wrapping_sub(place(address_space::WORLD)) < address_space::SIZE / 8
}

/// The mark of an address, which is on a stack.
#[inline]
fn mark(address: usize) -> u8 {
    // SAFETY: the map is there for the memory of all threads.
    unsafe { *(place(address) as *const u8) }
}

/// Removes the marks of a stack from an address upwards.
#[inline]
pub(crate) fn forget(thread: u32, from: usize) {
    if from == 0 || from == usize::MAX {
        // It has never waited: nobody else has run while it had anything on its stack.
        return;
    }
    let (start, end) = address_space::stack(thread);
    if (start..end).contains(&from) {
        // SAFETY: the map is there for the memory of all threads.
        unsafe { std::ptr::write_bytes(place(from) as *mut u8, 0, (end - from) / 8 + 1) };
    }
}

/// An access within 8 bytes of a stack must not be to what is marked.
#[inline]
pub(crate) fn check(address: usize, size: usize, touch: Touch, pc: usize) {
    let mark = mark(address);
    if mark != 0 && (mark > 7 || (address & 7) + size > usize::from(mark)) {
        report(address, size, touch, pc);
    }
}

#[cold]
fn report(address: usize, size: usize, touch: Touch, pc: usize) -> ! {
    let machine = machine();
    let verb = if touch.writes() { "writes" } else { "reads" };
    let thread = machine.here.get().thread;
    let mark = mark(address);
    let variable = variable(machine, address);
    // A block of `alloca` whose size is known is a variable without a name.
    let name = |name: &str| if name.is_empty() { "a local variable".to_owned() } else { format!("`{name}`") };
    if mark == ENDED {
        let what = variable.map_or_else(|| name(""), |variable| name(&variable.name));
        let message = format!("thread {thread} accesses {what}, whose block has ended");
        violate(ProgramError::DeadStack, message, pc);
    }
    let place = match variable {
        _ if BLOCK.contains(&mark) => {
            "beside a block of `alloca`, or an array with a length that was computed".to_owned()
        }
        None => "beside a local variable".to_owned(),
        Some(one) if address < one.start => {
            format!("{} bytes before {}, which has {}", one.start - address, name(&one.name), one.size)
        }
        Some(one) => {
            let distance = address - one.start;
            format!("{distance} bytes behind the beginning of {}, which has {}", name(&one.name), one.size)
        }
    };
    violate(ProgramError::OutOfBounds, format!("out of bounds: thread {thread} {verb} {size} bytes, {place}"), pc)
}

/// A variable of a frame.
struct Variable {
    name: String,
    start: usize,
    size: usize,
}

/// The variable at an address of a stack, or the one that is nearest.
fn variable(machine: &Machine, address: usize) -> Option<Variable> {
    const MOST: usize = 1 << 17;
    let is_begin = |at: usize| {
        let is_stack = matches!(address_space::part_of(at), Some((_, Part::Stack))) && !address_space::is_guarded(at);
        // SAFETY: it is memory of a stack.
        is_stack && mark(at) == FIRST && unsafe { read_memory(at, 8) } == FRAME
    };
    let begin = (0..MOST).map(|count| (address & !7) - 8 * count).find(|&at| is_begin(at))?;
    // SAFETY: it is memory of a stack.
    let text = unsafe { read_memory(begin + 8, 8) } as usize;
    if !machine.is_in_image(text) {
        return None;
    }
    // SAFETY: the compiler has put the address of a string there.
    let text = unsafe { CStr::from_ptr(text as *const _) }.to_string_lossy();
    let variables = variables(&text).into_iter().map(|(offset, size, name)| Variable {
        name: name.to_owned(),
        start: begin + offset,
        size,
    });
    variables.min_by_key(|one| {
        if address < one.start { one.start - address } else { (address + 1).saturating_sub(one.start + one.size) }
    })
}

/// What a description says, such as `2 32 4 1 a 48 16 4 b:11`: how many variables, and for each the place, the size, how long the
/// rest is, and the name, with the line if that is known.
fn variables(text: &str) -> Vec<(usize, usize, &str)> {
    let mut rest = text;
    let number = |rest: &mut &str| -> Option<usize> {
        let (word, behind) = rest.split_once(' ')?;
        *rest = behind;
        word.parse().ok()
    };
    let mut found = Vec::new();
    for _ in 0..number(&mut rest).unwrap_or(0) {
        let (Some(offset), Some(size), Some(length)) = (number(&mut rest), number(&mut rest), number(&mut rest)) else {
            break;
        };
        let Some(name) = rest.get(..length) else { break };
        found.push((offset, size, name.split(':').next().unwrap_or_default()));
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read() {
        assert_eq!(variables("2 32 4 1 a 48 16 4 b:11"), [(32, 4, "a"), (48, 16, "b")]);
        assert_eq!(variables("1 32 8 9"), []);
        assert_eq!(variables(""), []);
    }
}
