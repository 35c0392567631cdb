//! What compiled code calls when an index is not one of its array: the checks of `-fsanitize=bounds` and `vla-bound`, whose
//! descriptions have a fixed form.

use crate::machine::{ProgramError, machine, violate};
use std::ffi::{CStr, c_char};

/// A place in the source.
#[repr(C)]
pub(crate) struct SourceLocation {
    file: *const c_char,
    line: u32,
    column: u32,
}

/// A type: what kind it is, what else there is to know, and then its name.
#[repr(C)]
pub(crate) struct Type {
    kind: u16,
    information: u16,
    name: [c_char; 0],
}

/// What is known of an index.
#[repr(C)]
pub(crate) struct Index {
    place: SourceLocation,
    array: *const Type,
    index: *const Type,
}

/// What is known of an array with a length that was computed.
#[repr(C)]
pub(crate) struct Length {
    place: SourceLocation,
    of: *const Type,
}

impl Type {
    /// Its name, which is in quotation marks.
    fn name(&self) -> String {
        // SAFETY: the compiler puts a string behind the rest.
        let name = unsafe { CStr::from_ptr(self.name.as_ptr()) };
        format!("`{}`", name.to_string_lossy().trim_matches('\''))
    }

    /// A value of this type as a number.
    fn number(&self, value: usize) -> String {
        let bits = 1u32 << (self.information >> 1).min(6);
        let is_signed = self.kind == 0 && self.information & 1 == 1;
        let shift = 64 - bits.min(64);
        if is_signed { (((value << shift) as isize) >> shift).to_string() } else { value.to_string() }
    }
}

/// # Safety
/// They must be what the compiler has put into the program.
pub(crate) unsafe extern "C" fn index(of: *const Index, value: usize) {
    // SAFETY: as the caller promises.
    let (array, index) = unsafe { (&*(*of).array, &*(*of).index) };
    let pc = machine().pc();
    let thread = machine().here.get().thread;
    let message = format!(
        "out of bounds: thread {thread} uses index {} of an array of type {}",
        index.number(value),
        array.name()
    );
    violate(ProgramError::OutOfBounds, message, pc);
}

/// # Safety
/// They must be what the compiler has put into the program.
pub(crate) unsafe extern "C" fn length(of: *const Length, value: usize) {
    // SAFETY: as the caller promises.
    let of = unsafe { &*(*of).of };
    let pc = machine().pc();
    let thread = machine().here.get().thread;
    let message = format!("out of bounds: thread {thread} declares an array with a length of {}", of.number(value));
    violate(ProgramError::OutOfBounds, message, pc);
}
