//! What a program asks for, and what it is told.

use quotient_graph::{LocationId, OpCode, OpWords, Order, ThreadId, Update, When};
use std::panic::Location as Site;

/// A visible operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    /// A read, and what follows it in the same step.
    Read {
        /// Where.
        location: LocationId,
        /// The order if the update happens (or there is none), and if an exchange fails.
        orders: (Order, Order),
        /// What follows.
        update: Update,
        /// What the value must be for the operation to happen at all.
        when: When,
        /// Whether an exchange may fail without a reason.
        weak: bool,
    },
    /// A write.
    Write {
        /// Where.
        location: LocationId,
        /// How.
        order: Order,
        /// What.
        value: u64,
        /// Whether the location ceases to exist.
        frees: bool,
    },
    /// A fence.
    Fence(Order),
    /// A free choice among so many options.
    Choose(u32),
    /// The clock is read: a choice between no time that has passed (0) and a long one (1).
    Clock {
        /// The time that it is at least.
        least: u64,
        /// Whether that is past everything that anybody waits for.
        late: bool,
    },
    /// A new thread; threads of the same class, if not 0, are alike.
    Spawn {
        /// The class.
        class: u64,
    },
    /// The end of another thread is awaited.
    Join(ThreadId),
    /// The thread can go no further: its last events, so many, are an iteration that it would repeat forever. 0 means
    /// that an assumption does not hold.
    Block(u32),
    /// The thread begins an operation that others may leave to it.
    Primary(u64),
    /// The thread leaves an operation to the one who runs it.
    Help(u64),
    /// The thread ends.
    End,
}

impl Operation {
    /// What it is, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Read { update: Update::Load, .. } => "a read",
            Operation::Read { .. } => "an update",
            Operation::Write { .. } => "a write",
            Operation::Fence(_) => "a fence",
            Operation::Choose(_) => "a choice",
            Operation::Clock { .. } => "a look at the clock",
            Operation::Spawn { .. } => "the start of a thread",
            Operation::Join(_) => "a wait for another thread",
            Operation::Block(_) => "a wait forever",
            Operation::Primary(_) => "the beginning of a primary operation",
            Operation::Help(_) => "help",
            Operation::End => "its end",
        }
    }

    /// Where in the program it is: the end of a thread is nowhere.
    pub(crate) fn place(&self, site: &'static Site<'static>) -> Option<&'static Site<'static>> {
        (*self != Operation::End).then_some(site)
    }

    /// How many ways there are for it to come out, whatever the others do; `None` if it is no choice.
    pub(crate) fn options(&self) -> Option<u32> {
        match *self {
            Operation::Choose(options) => Some(options),
            Operation::Clock { .. } => Some(2),
            _ => None,
        }
    }

    /// Where it accesses memory, if it does.
    pub fn location(&self) -> Option<LocationId> {
        match *self {
            Operation::Read { location, .. } | Operation::Write { location, .. } => Some(location),
            _ => None,
        }
    }

    /// The same in three words, without the place.
    #[inline]
    pub fn asked(&self) -> OpWords {
        match *self {
            Operation::Read { orders, update, when, weak, .. } => OpWords::read(orders, update, when, weak),
            Operation::Write { order, value, frees, .. } => {
                let mut asked = OpWords::plain(OpCode::Write, value);
                (asked.what.order, asked.what.failure, asked.what.frees) = (order, order, frees);
                asked
            }
            Operation::Fence(order) => {
                let mut asked = OpWords::plain(OpCode::Fence, 0);
                asked.what.order = order;
                asked
            }
            Operation::Choose(options) => OpWords::plain(OpCode::Choose, options.into()),
            Operation::Clock { least, late } => {
                let mut asked = OpWords::plain(OpCode::Clock, least);
                asked.what.weak = late;
                asked
            }
            Operation::Spawn { class } => OpWords::plain(OpCode::Spawn, class),
            Operation::Join(child) => OpWords::plain(OpCode::Join, child.into()),
            Operation::Block(_) => OpWords::plain(OpCode::Block, 0),
            Operation::Primary(value) => OpWords::plain(OpCode::Primary, value),
            Operation::Help(value) => OpWords::plain(OpCode::Help, value),
            Operation::End => OpWords::plain(OpCode::End, 0),
        }
    }

    /// The operation that was asked for, at a location if it is an access.
    #[inline]
    pub fn of(asked: &OpWords, location: LocationId) -> Self {
        let first = asked.first;
        match asked.what.code {
            OpCode::Load | OpCode::Fetch | OpCode::Exchange => Operation::Read {
                location,
                orders: (asked.what.order, asked.what.failure),
                update: asked.update(),
                when: asked.when(),
                weak: asked.what.weak,
            },
            OpCode::Write => {
                Operation::Write { location, order: asked.what.order, value: first, frees: asked.what.frees }
            }
            OpCode::Fence => Operation::Fence(asked.what.order),
            OpCode::Choose => Operation::Choose(first as u32),
            OpCode::Clock => Operation::Clock { least: first, late: asked.what.weak },
            OpCode::Spawn => Operation::Spawn { class: first },
            OpCode::Join => Operation::Join(first as u32),
            OpCode::Block | OpCode::Spin => Operation::Block(0),
            OpCode::Primary => Operation::Primary(first),
            OpCode::Help => Operation::Help(first),
            OpCode::End => Operation::End,
        }
    }

    /// Says where an access takes place.
    #[inline]
    pub fn set_location(&mut self, place: LocationId) {
        if let Operation::Read { location, .. } | Operation::Write { location, .. } = self {
            *location = place;
        }
    }
}

/// What a thread is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The operation has happened. The number is the value read, the choice, or the new thread; whether an exchange
    /// has happened is told apart.
    Done(u64, bool),
    /// It is not this thread's turn: ask again when it is.
    Wait,
    /// This execution goes no further.
    Abandon,
}
