//! Memory that the program gives to functions that are done here: what they read of it, and the results that they put there. It
//! is looked at as if the program read and wrote it itself.

use crate::calls::abi;
use crate::machine::machine;
use crate::memory::shadow::Touch;

/// A call of such a function. Others may run before it ends, so what is known of its beginning is kept.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// Where the program has called from.
    pub pc: usize,
    /// The lowest address of the stack that belongs to the program.
    pub frame: usize,
    /// The stack pointer.
    sp: usize,
    /// Whether the user's code has called, and not a library on its behalf.
    pub is_users: bool,
}

impl Call {
    /// The call that the program has just made.
    pub(crate) fn here() -> Call {
        let machine = machine();
        let (pc, frame) = (machine.pc(), machine.frame());
        // SAFETY: the program has called, so it has been attached.
        let (last, sp) = unsafe { ((*machine.shared.get()).pc, (*machine.shared.get()).sp) };
        Call { pc, frame, sp, is_users: last == pc }
    }

    /// Does something as if the program had just made this call.
    fn again(self, something: impl FnOnce()) {
        let shared = machine().shared.get();
        // SAFETY: the program has called, so it has been attached; and nothing of it runs before these are put back.
        let before = unsafe { ((*shared).pc, (*shared).sp) };
        // SAFETY: as above.
        unsafe { ((*shared).pc, (*shared).sp) = (self.pc, self.sp) };
        something();
        // SAFETY: as above.
        unsafe { ((*shared).pc, (*shared).sp) = before };
    }

    /// The function reads there, unless it is null. What a library of the program has written is not known, so only the user's own
    /// code must have written it.
    pub(crate) fn reads<T>(self, at: *const T) {
        let (address, size) = (at as usize, size_of::<T>());
        if at.is_null() {
            return;
        }
        self.again(|| match self.is_users {
            true => abi::range(address, size, Touch::Read),
            false => abi::copy_as_a_whole(address, size),
        });
    }

    /// The function reads something there whose parts need not all have been written, unless it is null.
    pub(crate) fn reads_parts(self, address: usize, size: usize) {
        if address != 0 {
            self.again(|| abi::copy_as_a_whole(address, size));
        }
    }

    /// The function writes there.
    pub(crate) fn writes<T>(self, at: *mut T) {
        self.again(|| match size_of::<T>() {
            8 => abi::write8(at as usize),
            size => abi::range(at as usize, size, Touch::Write),
        });
    }

    /// Puts a result there.
    pub(crate) fn give<T>(self, at: *mut T, result: T) {
        self.writes(at);
        // SAFETY: the memory is the program's, and has been looked at.
        unsafe { at.write_unaligned(result) };
    }
}
