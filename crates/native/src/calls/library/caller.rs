//! Where the program called a library. The C++ library that is linked into the program, and the C code that Quotient adds,
//! call functions on behalf of the program: reports name the program's own line.

use crate::machine::machine;
use std::ffi::c_void;

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> i32, data: *mut c_void) -> i32;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// What is looked for in a stack.
struct Wanted<'a> {
    is_it: &'a dyn Fn(usize) -> bool,
    found: usize,
    /// How many more frames are looked at.
    left: usize,
}

/// Frames that are looked at before giving up.
const DEPTH: usize = 200;

/// Notes where the program has called, if it was not the program that made the last call; whether it was.
#[inline]
pub(crate) fn note() -> bool {
    let machine = machine();
    // SAFETY: the program has called, so it has been attached.
    let pc = unsafe { (*machine.shared.get()).pc };
    let is_users = pc.wrapping_sub(machine.users.get().0) < machine.users.get().1;
    if !is_users {
        note_slowly();
    }
    is_users
}

#[cold]
fn note_slowly() {
    let found = innermost(&|pc| machine().image().is_some_and(|image| image.is_users(pc)));
    let machine = machine();
    let pc = if found != 0 { found } else { machine.last_pc.get() };
    if pc != 0 {
        // SAFETY: as above.
        unsafe { (*machine.shared.get()).pc = pc };
    }
}

/// The innermost return address that is in a file of the user's, not in a header of the system; the given one if there is
/// none, or if it is.
pub(crate) fn users_line(pc: usize) -> usize {
    let is_in = |pc: usize| machine().image().is_some_and(|image| image.symbols.is_in_users_file(pc));
    if machine().image().is_none() || is_in(pc) {
        return pc;
    }
    match innermost(&is_in) {
        0 => pc,
        found => found,
    }
}

/// The innermost return address on the stack of which something is true; 0 if there is none.
fn innermost(is_it: &dyn Fn(usize) -> bool) -> usize {
    let mut wanted = Wanted { is_it, found: 0, left: DEPTH };
    // SAFETY: all code on the stack has tables for this, which ends where the program was called first.
    unsafe { _Unwind_Backtrace(look, (&raw mut wanted).cast()) };
    wanted.found
}

extern "C" fn look(context: *mut c_void, data: *mut c_void) -> i32 {
    // SAFETY: this is what `innermost` has given, and the unwinder's own.
    let (wanted, pc) = unsafe { (&mut *data.cast::<Wanted<'_>>(), _Unwind_GetIP(context)) };
    wanted.left = wanted.left.saturating_sub(1);
    if (wanted.is_it)(pc) {
        wanted.found = pc;
    }
    // Anything but 0 ends the walk.
    i32::from(wanted.found != 0 || wanted.left == 0)
}
