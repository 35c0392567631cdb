//! How a modelled thread enters the checker.
//!
//! Whether a loop changes anything is told by the thread's stack (see [`crate::loops`]), so nothing of the checker's may
//! be left there: an operation is passed in registers, and the stack below the caller is the checker's alone.

use crate::ops::MemoryCell;
pub(crate) use quotient_dpor::graph::{OpCode, OpHeader, OpWords};
use quotient_dpor::graph::{Order, Rmw, When};
use std::panic::Location;

/// A visible operation, and the place that it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub asked: OpWords,
    /// The place, or null.
    pub place: *const MemoryCell,
    /// The value of a place that nobody has written.
    pub init: u64,
}

impl Call {
    /// An operation that is about no place.
    #[inline(always)]
    pub(crate) fn bare(code: OpCode, first: u64) -> Self {
        Call { asked: OpWords::plain(code, first), place: std::ptr::null(), init: 0 }
    }

    /// An access.
    #[inline(always)]
    pub(crate) fn access(code: OpCode, place: &MemoryCell, init: u64, order: Order, first: u64) -> Self {
        let mut asked = OpWords::plain(code, first);
        (asked.what.order, asked.what.failure) = (order, order);
        Call { asked, place, init }
    }

    /// A read-modify-write.
    #[inline(always)]
    pub(crate) fn fetch(place: &MemoryCell, init: u64, op: Rmw, operand: u64, bits: u8, order: Order) -> Self {
        let mut call = Call::access(OpCode::Fetch, place, init, order, operand);
        (call.asked.what.rmw, call.asked.what.bits) = (op, bits);
        call
    }

    /// An access that waits.
    #[inline(always)]
    pub(crate) fn when(self, when: When) -> Self {
        Call { asked: self.asked.waiting(when), ..self }
    }
}

/// What has become of a call, and the value that goes with it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Answer {
    pub value: u64,
    pub result: Reply,
}

/// What has become of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Reply {
    /// It has happened.
    Happened,
    /// An exchange has failed.
    Failed,
    /// It is to be asked again when it is the thread's turn.
    Wait,
    /// The execution is abandoned.
    Leave,
    /// The thread cannot be stopped.
    Lost,
    /// There is no check.
    Outside,
}

/// Asks for a call.
#[inline(always)]
pub(crate) fn ask(call: Call, site: &'static Location<'static>) -> Answer {
    let OpWords { what, first, second } = call.asked;
    enter(what, call.place, call.init, first, second, site)
}

/// Calls `context::answer` with the registers that the caller expects to keep saved on the stack, and their address:
/// what is on the stack from there on is the whole state of the program's thread.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn enter(
    what: OpHeader,
    place: *const MemoryCell,
    init: u64,
    first: u64,
    second: u64,
    site: &'static Location<'static>,
) -> Answer {
    core::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rax, rsp",
        "push rax",
        "call {answer}",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        answer = sym crate::context::answer,
    )
}

/// As on x86-64, but the registers are wherever the compiler saves them: a little more of the stack is looked at.
#[cfg(not(target_arch = "x86_64"))]
#[inline(never)]
extern "C" fn enter(
    what: OpHeader,
    place: *const MemoryCell,
    init: u64,
    first: u64,
    second: u64,
    site: &'static Location<'static>,
) -> Answer {
    let marker = 0usize;
    crate::context::answer(what, place, init, first, second, site, std::ptr::from_ref(&marker) as usize)
}
