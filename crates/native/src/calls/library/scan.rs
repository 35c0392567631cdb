//! `sscanf`: the C library reads into memory of Quotient's, and what it has put there is written to where the program
//! wants it.

use super::effects::text;
use super::format::List;
use super::numbers::put;
use super::{caller, own};
use crate::calls::abi;
use crate::machine::{ProgramError, machine, violate};
use crate::memory::shadow::Touch;
use std::ffi::CStr;

/// What a conversion writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// So many bytes.
    Bytes(usize),
    /// A string with its zero, of elements of so many bytes.
    Text(usize),
    /// A string in new memory, with its zero, of elements of so many bytes.
    New(usize),
    /// How much has been read so far, in so many bytes. It does not count as a conversion.
    Count(usize),
}

/// `vsscanf`.
pub(crate) extern "C" fn scan(from: usize, format: usize, list: *mut List) -> i32 {
    unsafe extern "C" {
        fn vsscanf(from: usize, format: usize, list: *mut List) -> i32;
    }
    if !machine().running.get() {
        // SAFETY: the program calls this function with these arguments.
        return unsafe { vsscanf(from, format, list) };
    }
    caller::note();
    let size = text(from, 1, usize::MAX);
    abi::range(from, size, Touch::Read);
    abi::range(format, text(format, 1, usize::MAX), Touch::Read);
    // SAFETY: the strings have been looked at, and the list is the caller's.
    let (words, mut wanted) = unsafe { (CStr::from_ptr(format as *const _), List::at(list)) };
    let Some(targets) = parse(words.to_bytes()) else {
        let pc = machine().pc();
        violate(ProgramError::Unsupported, "`sscanf` has a format that cannot be checked".to_owned(), pc);
    };
    // No conversion takes more than all characters, each of which can be a wide one.
    let room = (size + 16) * 4;
    let mut memory: Vec<Vec<u8>> = targets
        .iter()
        .map(|target| vec![if matches!(target, Target::Count(_)) { UNTOUCHED } else { 0 }; target.room(room)])
        .collect();
    let pointers: Vec<usize> = memory.iter_mut().map(|memory| memory.as_mut_ptr() as usize).collect();
    let mut own = List::of(&pointers);
    // SAFETY: there is room for what every conversion can write.
    let result = unsafe { vsscanf(from, format, &raw mut own) };
    let mut done = 0;
    for (target, memory) in targets.iter().zip(&memory) {
        let to = wanted.pointer();
        match *target {
            Target::Count(size) => {
                if memory[..size].iter().any(|&byte| byte != UNTOUCHED) {
                    put(to, &memory[..size]);
                }
            }
            _ if done >= result => {}
            Target::Bytes(size) => {
                put(to, &memory[..size]);
                done += 1;
            }
            Target::Text(unit) => {
                let mut size = 0;
                while memory[size..size + unit].iter().any(|&byte| byte != 0) {
                    size += unit;
                }
                put(to, &memory[..size + unit]);
                done += 1;
            }
            Target::New(unit) => {
                let block = usize::from_le_bytes(memory[..8].try_into().unwrap_or_default());
                let is_end = |size: &usize| (0..unit).all(|byte| {
                    // SAFETY: the C library has put a string there, with an end.
                    unsafe { *((block + size + byte) as *const u8) == 0 }
                });
                let size = (0..).step_by(unit).find(is_end).unwrap_or_default() + unit;
                // SAFETY: the string is so long, and the C library has allocated it itself.
                let bytes = unsafe {
                    let bytes = std::slice::from_raw_parts(block as *const u8, size).to_vec();
                    libc::free(block as *mut libc::c_void);
                    bytes
                };
                put(to, &own::new_text(&bytes).to_le_bytes());
                done += 1;
            }
        }
    }
    result
}

/// What is in memory for a count that has not been written.
const UNTOUCHED: u8 = 0xD9;

impl Target {
    fn room(self, all: usize) -> usize {
        match self {
            Target::Bytes(size) => size.max(16),
            Target::New(_) => 16,
            Target::Text(_) => all,
            Target::Count(size) => size,
        }
    }
}

/// What a format writes; nothing if it asks for more than is known here.
fn parse(format: &[u8]) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let is_left_out = rest.next_if_eq(&b'*').is_some();
        let mut width = 0usize;
        let mut has_width = false;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            width = width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            has_width = true;
        }
        let is_new = rest.next_if_eq(&b'm').is_some();
        let mut modifiers = Vec::new();
        while let Some(modifier) = rest.next_if(|byte| b"hlLqjzt".contains(byte)) {
            modifiers.push(modifier);
        }
        let unit = if modifiers == b"l" { 4 } else { 1 };
        let integer = match &*modifiers {
            b"hh" => 1,
            b"h" => 2,
            b"" => 4,
            _ => 8,
        };
        let target = match rest.next()? {
            b'%' => continue,
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => Target::Bytes(integer),
            b'p' => Target::Bytes(8),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => Target::Bytes(match &*modifiers {
                b"" => 4,
                b"l" => 8,
                _ => 16,
            }),
            b's' if is_new => Target::New(unit),
            b's' => Target::Text(unit),
            b'c' if !is_new => Target::Bytes(unit * if has_width { width } else { 1 }),
            b'n' => Target::Count(integer),
            b'[' => {
                rest.next_if_eq(&b'^');
                rest.next_if_eq(&b']');
                while rest.next()? != b']' {}
                if is_new { Target::New(unit) } else { Target::Text(unit) }
            }
            // Characters in memory that is allocated, and arguments with numbers.
            _ => return None,
        };
        if !is_left_out {
            targets.push(target);
        }
    }
    Some(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_recognised() {
        assert_eq!(parse(b"a b"), Some(vec![]));
        let expected = vec![Target::Bytes(4), Target::Bytes(8), Target::Text(1), Target::Count(4)];
        assert_eq!(parse(b"%d %ld%% %*s %10s%n"), Some(expected));
        assert_eq!(parse(b"%[^]x]%3c%lf"), Some(vec![Target::Text(1), Target::Bytes(3), Target::Bytes(8)]));
        assert_eq!(parse(b"%ms%10ml[a]%*ms"), Some(vec![Target::New(1), Target::New(4)]));
        assert_eq!(parse(b"%mc"), None);
        assert_eq!(parse(b"%1$d"), None);
    }
}
