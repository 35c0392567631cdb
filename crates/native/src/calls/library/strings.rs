//! Functions that take a string apart: each call gives a part of it, and what is left is kept in a pointer.

use super::effects::{self, elements, text};
use super::numbers::put;
use super::{Arguments, KEPT, kept};
use crate::calls::abi;
use crate::memory::shadow::Touch;

pub(super) fn strtok(&[string, set, ..]: &Arguments, unit: usize) -> usize {
    next_token(string, set, kept(KEPT[0].0), unit)
}

pub(super) fn strtok_r(&[string, set, rest, ..]: &Arguments, unit: usize) -> usize {
    next_token(string, set, rest, unit)
}

/// Reads a pointer as the program would.
fn pointer(at: usize) -> usize {
    abi::range(at, 8, Touch::Read);
    // SAFETY: the memory exists, or the access would have been refused.
    unsafe { (at as *const usize).read_unaligned() }
}

/// The next part of a string that has none of a set of elements; the rest is at `rest`.
fn next_token(string: usize, set: usize, rest: usize, unit: usize) -> usize {
    abi::range(set, text(set, unit, usize::MAX), Touch::Read);
    let set = elements(set, unit, usize::MAX);
    let string = if string == 0 { pointer(rest) } else { string };
    if string == 0 {
        return 0;
    }
    let (skipped, _) = effects::peek(string, unit, usize::MAX, |value| !set.contains(&value));
    let start = string + skipped * unit;
    let (length, _) = effects::peek(start, unit, usize::MAX, |value| value == 0 || set.contains(&value));
    let end = start + length * unit;
    abi::range(string, end + unit - string, Touch::Read);
    if length == 0 {
        put(rest, &end.to_le_bytes());
        return 0;
    }
    put(rest, &end_of_part(end, unit).unwrap_or(end).to_le_bytes());
    start
}

pub(super) fn strsep(&[rest, set, ..]: &Arguments, unit: usize) -> usize {
    abi::range(set, text(set, unit, usize::MAX), Touch::Read);
    let set = elements(set, unit, usize::MAX);
    let start = pointer(rest);
    if start == 0 {
        return 0;
    }
    let (length, _) = effects::peek(start, unit, usize::MAX, |value| value == 0 || set.contains(&value));
    let end = start + length * unit;
    abi::range(start, end + unit - start, Touch::Read);
    put(rest, &end_of_part(end, unit).unwrap_or(0).to_le_bytes());
    start
}

/// Ends a part of a string with a zero, unless the string ends there; gives where the next part begins.
fn end_of_part(end: usize, unit: usize) -> Option<usize> {
    // SAFETY: the memory has been read.
    let ends = unsafe { std::slice::from_raw_parts(end as *const u8, unit) }.iter().all(|&byte| byte == 0);
    if ends {
        return None;
    }
    put(end, &vec![0; unit]);
    Some(end + unit)
}
