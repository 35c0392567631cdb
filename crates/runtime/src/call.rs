//! How a modelled thread enters the checker.
//!
//! Whether a loop changes anything is told by the thread's stack (see [`crate::spin`]), so nothing of the checker's may
//! be left there: an operation is passed in registers, and the stack below the caller is the checker's alone.

use crate::ops::Place;
use quotient_dpor::Operation;
use quotient_dpor::graph::{Order, Rmw, Update, When};
use std::panic::Location;

/// A visible operation in a few words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Everything but the numbers.
    pub what: What,
    /// The place it is about, or null.
    pub place: *const Place,
    /// The value of a place that nobody has written.
    pub init: u64,
    /// Value, operand or expected value; class, thread or number of options.
    pub first: u64,
    /// The new value of an exchange; what is waited for.
    pub second: u64,
}

/// What kind of operation a call is, in eight bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct What {
    pub code: Code,
    pub order: Order,
    pub failure: Order,
    pub rmw: Rmw,
    pub bits: u8,
    pub condition: Condition,
    pub weak: bool,
    pub frees: bool,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    Load,
    Fetch,
    Exchange,
    Write,
    Fence,
    Choose,
    Spawn,
    Join,
    Block,
    Main,
    Help,
    End,
    /// The thread waits in a loop.
    Spin,
}

/// The kinds of [`When`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Condition {
    Always,
    Is,
    IsNot,
    Below,
    AtLeast,
    Clear,
    AnySet,
}

impl Call {
    /// An operation that is about no place.
    #[inline]
    pub fn bare(code: Code, first: u64) -> Self {
        let what = What {
            code,
            order: Order::Relaxed,
            failure: Order::Relaxed,
            rmw: Rmw::Add,
            bits: 64,
            condition: Condition::Always,
            weak: false,
            frees: false,
        };
        Call { what, place: std::ptr::null(), init: 0, first, second: 0 }
    }

    /// An access.
    #[inline]
    pub fn access(code: Code, place: &Place, init: u64, order: Order) -> Self {
        let call = Call::bare(code, 0);
        Call { place, init, what: What { order, failure: order, ..call.what }, ..call }
    }

    /// An access that waits.
    #[inline]
    pub fn when(mut self, when: When) -> Self {
        let (condition, value) = match when {
            When::Always => (Condition::Always, 0),
            When::Is(value) => (Condition::Is, value),
            When::IsNot(value) => (Condition::IsNot, value),
            When::Below(value) => (Condition::Below, value),
            When::AtLeast(value) => (Condition::AtLeast, value),
            When::Clear(value) => (Condition::Clear, value),
            When::AnySet(value) => (Condition::AnySet, value),
        };
        (self.what.condition, self.second) = (condition, value);
        self
    }

    /// The operation, at a location that is still to be filled in.
    #[inline]
    pub fn operation(&self) -> Operation {
        let What { order, failure, weak, frees, .. } = self.what;
        let read =
            |update: Update, when: When| Operation::Read { location: 0, orders: (order, failure), update, when, weak };
        match self.what.code {
            Code::Load => read(Update::Load, self.condition()),
            Code::Fetch => {
                let (op, bits) = (self.what.rmw, self.what.bits);
                read(Update::Fetch { op, operand: self.first, bits }, self.condition())
            }
            Code::Exchange => read(Update::Exchange { expected: self.first, new: self.second }, When::Always),
            Code::Write => Operation::Write { location: 0, order, value: self.first, frees },
            Code::Fence => Operation::Fence(order),
            Code::Choose => Operation::Choose(self.first as u32),
            Code::Spawn => Operation::Spawn { class: self.first },
            Code::Join => Operation::Join(self.first as u32),
            Code::Block | Code::Spin => Operation::Block(0),
            Code::Main => Operation::Main(self.first),
            Code::Help => Operation::Help(self.first),
            Code::End => Operation::End,
        }
    }

    #[inline]
    fn condition(&self) -> When {
        match self.what.condition {
            Condition::Always => When::Always,
            Condition::Is => When::Is(self.second),
            Condition::IsNot => When::IsNot(self.second),
            Condition::Below => When::Below(self.second),
            Condition::AtLeast => When::AtLeast(self.second),
            Condition::Clear => When::Clear(self.second),
            Condition::AnySet => When::AnySet(self.second),
        }
    }
}

/// What has become of a call, and the value that goes with it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Answer {
    pub value: u64,
    pub result: Result,
}

/// What has become of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Result {
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
#[inline]
pub(crate) fn ask(call: Call, site: &'static Location<'static>) -> Answer {
    enter(call.what, call.place, call.init, call.first, call.second, site)
}

/// Calls `context::answer` with the registers that the caller expects to keep saved on the stack, and their address:
/// what is on the stack from there on is the whole state of the program's thread.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn enter(
    what: What,
    place: *const Place,
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
    what: What,
    place: *const Place,
    init: u64,
    first: u64,
    second: u64,
    site: &'static Location<'static>,
) -> Answer {
    let marker = 0usize;
    crate::context::answer(what, place, init, first, second, site, std::ptr::from_ref(&marker) as usize)
}
