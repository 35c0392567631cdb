//! Functions that read a number from a text. They are given a copy, so that they cannot read what is not there; how far they
//! have come says what they have read.

use super::{Arguments, effects};
use crate::calls::abi;
use crate::machine::machine;
use crate::memory::shadow::Touch;
use std::ptr;

/// `strtol` and others that have a text, where to put its rest, and a base.
pub(crate) fn number(function: usize, arguments: &Arguments, unit: usize) -> usize {
    let [text, rest, base, ..] = *arguments;
    if !machine().running.get() {
        return super::call_real(function, arguments);
    }
    let copy = copy(text, unit);
    let mut end = 0usize;
    let result = super::call_real(function, &[copy.as_ptr() as usize, &raw mut end as usize, base, 0, 0, 0]);
    tell(text, end - copy.as_ptr() as usize, rest, unit);
    result
}

/// A copy of a text as far as it is there, with a zero.
pub(crate) fn copy(text: usize, unit: usize) -> Vec<u8> {
    let mut copy: Vec<u8> = Vec::new();
    for element in effects::elements(text, unit, usize::MAX) {
        copy.extend_from_slice(&element.to_le_bytes()[..unit]);
    }
    copy.resize(copy.len() + unit, 0);
    copy
}

/// Tells that so many bytes were read, and one element more; and puts where it ended.
pub(crate) fn tell(text: usize, read: usize, rest: usize, unit: usize) {
    abi::range(text, read + unit, Touch::Read);
    if rest != 0 {
        put(rest, &(text + read).to_le_bytes());
    }
}

/// Writes to the program's memory, as the program would.
pub(crate) fn put(to: usize, bytes: &[u8]) {
    if machine().running.get() {
        abi::range(to, bytes.len(), Touch::Write);
    }
    // SAFETY: the memory exists, or the access would have been refused.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
}

/// The same for C code: gives a copy of a text, of which one exists at a time.
pub(crate) extern "C" fn begin(text: usize) -> usize {
    super::caller::note();
    let copy = copy(text, 1);
    COPY.with_borrow_mut(|kept| {
        *kept = copy;
        kept.as_ptr() as usize
    })
}

/// The copy was read up to an address.
pub(crate) extern "C" fn end(text: usize, end: usize, rest: usize) {
    super::caller::note();
    let start = COPY.with_borrow(|copy| copy.as_ptr() as usize);
    tell(text, end - start, rest, 1);
}

thread_local! {
    static COPY: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
}
