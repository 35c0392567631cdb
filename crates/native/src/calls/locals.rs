//! Thread-local variables: where those of a thread are, and how their life ends with it.

use crate::calls::abi;
use crate::machine::{Machine, machine};
use crate::memory::address_space;
use crate::memory::shadow::Touch;
use std::ptr;

/// What has become of the variables of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Locals {
    /// Nobody has asked for them.
    #[default]
    Untouched,
    /// They have their first values, or later ones.
    Alive,
    /// The thread has ended.
    Gone,
}

/// What the compiler asks for to find a thread-local variable.
#[repr(C)]
pub(crate) struct Variable {
    module: usize,
    offset: usize,
}

pub(crate) extern "C" fn tls_get_addr(variable: *const Variable) -> usize {
    // SAFETY: compiled code gives the address of what the linker has put there.
    let offset = unsafe { (*variable).offset };
    let machine = machine();
    let here = machine.here.get().thread;
    start(machine, here) + offset
}

/// The variables of a thread, which have their first values before anybody looks.
fn start(machine: &Machine, thread: u32) -> usize {
    let start = address_space::locals(thread);
    if machine.threads.borrow().locals(thread) == Locals::Untouched {
        machine.threads.borrow_mut().replace_locals(thread, Locals::Alive);
        let (template, size) = machine.image().map_or((&[][..], 0), |image| image.locals());
        // SAFETY: the memory for the variables is mapped, and they fit, which was checked when the object was loaded.
        unsafe {
            ptr::copy_nonoverlapping(template.as_ptr(), start as *mut u8, template.len());
            ptr::write_bytes((start + template.len()) as *mut u8, 0, size - template.len());
        }
    }
    start
}

/// A thread ends, and so do its variables: whoever uses them without being ordered before races with that.
pub(super) fn end(thread: u32, pc: usize) {
    let machine = machine();
    if machine.threads.borrow_mut().replace_locals(thread, Locals::Gone) != Locals::Alive {
        return;
    }
    let start = address_space::locals(thread);
    let size = machine.image().map_or(0, |image| image.locals().1);
    for address in (start..start + size).step_by(8) {
        let Some(cell) = machine.cell_in_use(address) else { continue };
        cell.valid.set(0xFF);
        if let Err(fault) = machine.touch(cell, address, 8, Touch::End, pc) {
            abi::fail(fault, address, 8, Touch::End, pc);
        }
        cell.valid.set(0);
        if machine.is_noting() {
            machine.note_access(address, 8, Touch::End, pc);
        }
    }
}
