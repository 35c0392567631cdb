//! What a thread has asked for, in three words: small enough to be passed in registers, kept with every event, and
//! compared when the event is replayed.

use crate::{Order, Rmw, Update, When};

/// An operation, but for the place that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpWords {
    /// Everything but the numbers.
    pub what: OpHeader,
    /// Value, operand or expected value; class, thread or number of options; the time that it is at least.
    pub first: u64,
    /// The new value of an exchange; what is waited for.
    pub second: u64,
}

/// What kind of operation it is, in eight bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct OpHeader {
    /// The operation.
    pub code: OpCode,
    /// Its memory order.
    pub order: Order,
    /// The memory order of an exchange that fails.
    pub failure: Order,
    /// The operator of a read-modify-write.
    pub rmw: Rmw,
    /// The width of the location that it works on.
    pub bits: u8,
    /// What it waits for.
    pub condition: Condition,
    /// Whether an exchange may fail without a reason; whether a clock is past everything that was waited for.
    pub weak: bool,
    /// Whether a write frees the location.
    pub frees: bool,
}

/// The operations.
#[expect(missing_docs, reason = "the names say it; see `Kind`")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum OpCode {
    Load,
    Fetch,
    Exchange,
    Write,
    Fence,
    Choose,
    /// A choice as well: whether time has passed.
    Clock,
    Spawn,
    Join,
    Block,
    Primary,
    Help,
    End,
    /// No event: the thread waits in a loop.
    Spin,
}

impl OpCode {
    /// Whether the operation accesses memory.
    #[inline]
    pub fn is_access(self) -> bool {
        matches!(self, OpCode::Load | OpCode::Fetch | OpCode::Exchange | OpCode::Write)
    }
}

/// The kinds of [`When`].
#[expect(missing_docs, reason = "see `When`")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Condition {
    Always,
    Is,
    IsNot,
    Below,
    AtLeast,
    Clear,
    AnySet,
}

impl OpHeader {
    /// An operation without any particulars.
    #[inline(always)]
    pub const fn plain(code: OpCode) -> Self {
        OpHeader {
            code,
            order: Order::Relaxed,
            failure: Order::Relaxed,
            rmw: Rmw::Add,
            bits: 64,
            condition: Condition::Always,
            weak: false,
            frees: false,
        }
    }

    #[inline(always)]
    fn word(self) -> u64 {
        // SAFETY: it is eight bytes, and none of them is padding.
        unsafe { std::mem::transmute(self) }
    }
}

impl PartialEq for OpHeader {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.word() == other.word()
    }
}

impl Eq for OpHeader {}

impl OpWords {
    /// An operation without any particulars.
    #[inline(always)]
    pub const fn plain(code: OpCode, first: u64) -> Self {
        OpWords { what: OpHeader::plain(code), first, second: 0 }
    }

    /// A read, and what follows it.
    #[inline]
    pub fn read(orders: (Order, Order), update: Update, when: When, weak: bool) -> Self {
        let (code, first) = match update {
            Update::Load => (OpCode::Load, 0),
            Update::Fetch { operand, .. } => (OpCode::Fetch, operand),
            Update::Exchange { expected, .. } => (OpCode::Exchange, expected),
        };
        let mut asked = OpWords::plain(code, first).waiting(when);
        (asked.what.order, asked.what.failure, asked.what.weak) = (orders.0, orders.1, weak);
        match update {
            Update::Fetch { op, bits, .. } => (asked.what.rmw, asked.what.bits) = (op, bits),
            Update::Exchange { new, .. } => asked.second = new,
            Update::Load => {}
        }
        asked
    }

    /// The same, waiting for a condition.
    #[inline(always)]
    pub fn waiting(mut self, when: When) -> Self {
        (self.what.condition, self.second) = match when {
            When::Always => (Condition::Always, self.second),
            When::Is(value) => (Condition::Is, value),
            When::IsNot(value) => (Condition::IsNot, value),
            When::Below(value) => (Condition::Below, value),
            When::AtLeast(value) => (Condition::AtLeast, value),
            When::Clear(value) => (Condition::Clear, value),
            When::AnySet(value) => (Condition::AnySet, value),
        };
        self
    }

    /// What follows a read.
    #[inline]
    pub fn update(&self) -> Update {
        match self.what.code {
            OpCode::Fetch => Update::Fetch { op: self.what.rmw, operand: self.first, bits: self.what.bits },
            OpCode::Exchange => Update::Exchange { expected: self.first, new: self.second },
            _ => Update::Load,
        }
    }

    /// What is waited for.
    #[inline]
    pub fn when(&self) -> When {
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
