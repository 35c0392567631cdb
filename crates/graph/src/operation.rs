//! What an access does to a value: memory orders, read-modify-write operators, conditions to wait for.
//!
//! Operators are data, not closures: the explorer can then try an operation on a value that the program has not seen
//! yet, without running the program.

/// How strongly an access or a fence orders memory; `Plain` is a non-atomic access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Order {
    /// Not atomic: a race is an error.
    Plain,
    /// Atomic, without ordering.
    Relaxed,
    /// Orders what follows after the write that is read.
    Acquire,
    /// Orders what precedes before the write.
    Release,
    /// Both `Acquire` and `Release`.
    AcqRel,
    /// Takes part in the single total order.
    SeqCst,
}

impl Order {
    /// Whether a read of this order acquires.
    #[inline]
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether a write of this order releases.
    #[inline]
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// The name that Rust programmers know.
    pub fn name(self) -> &'static str {
        match self {
            Order::Plain => "plain",
            Order::Relaxed => "Relaxed",
            Order::Acquire => "Acquire",
            Order::Release => "Release",
            Order::AcqRel => "AcqRel",
            Order::SeqCst => "SeqCst",
        }
    }
}

/// The operator of a read-modify-write, at a width of 8 to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Rmw {
    /// Wrapping addition.
    Add,
    /// Wrapping subtraction.
    Sub,
    /// Bitwise and.
    And,
    /// Negated bitwise and.
    Nand,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The unsigned maximum.
    Max,
    /// The unsigned minimum.
    Min,
    /// The signed maximum.
    MaxSigned,
    /// The signed minimum.
    MinSigned,
    /// The operand replaces the value.
    Swap,
}

impl Rmw {
    /// The new value; `bits` is the width of the location (8, 16, 32 or 64), and values are kept zero-extended.
    #[inline]
    pub fn apply(self, old: u64, operand: u64, bits: u8) -> u64 {
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        let new = match self {
            Rmw::Add => old.wrapping_add(operand),
            Rmw::Sub => old.wrapping_sub(operand),
            Rmw::And => old & operand,
            Rmw::Nand => !(old & operand),
            Rmw::Or => old | operand,
            Rmw::Xor => old ^ operand,
            Rmw::Max => old.max(operand),
            Rmw::Min => old.min(operand),
            Rmw::MaxSigned => signed(old).max(signed(operand)) as u64,
            Rmw::MinSigned => signed(old).min(signed(operand)) as u64,
            Rmw::Swap => operand,
        };
        new & (u64::MAX >> (64 - bits))
    }
}

/// What a blocking operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Nothing: the operation does not block.
    Always,
    /// The value is this.
    Is(u64),
    /// The value is not this.
    IsNot(u64),
    /// The value is smaller.
    Below(u64),
    /// The value is this or larger.
    AtLeast(u64),
    /// None of these bits is set.
    Clear(u64),
    /// At least one of these bits is set.
    AnySet(u64),
}

impl When {
    /// Whether the wait is over.
    #[inline]
    pub fn holds(self, value: u64) -> bool {
        match self {
            When::Always => true,
            When::Is(expected) => value == expected,
            When::IsNot(other) => value != other,
            When::Below(bound) => value < bound,
            When::AtLeast(bound) => value >= bound,
            When::Clear(mask) => value & mask == 0,
            When::AnySet(mask) => value & mask != 0,
        }
    }
}

/// What follows a read within the same operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    /// Nothing: the operation is a load.
    Load,
    /// A write of the operator's result.
    Fetch {
        /// The operator.
        op: Rmw,
        /// Its right-hand side.
        operand: u64,
        /// The width of the location.
        bits: u8,
    },
    /// A write of `new` if the value is `expected`.
    Exchange {
        /// The value that lets the write happen.
        expected: u64,
        /// The value written.
        new: u64,
    },
}

/// What an operation does with the value that it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It cannot go on with this value.
    Waits,
    /// It only reads.
    Reads,
    /// It writes this value back at once.
    Writes(u64),
}

impl Update {
    /// What happens after reading `value` once `when` holds.
    #[inline]
    pub fn outcome(self, when: When, value: u64) -> Outcome {
        if !when.holds(value) {
            return Outcome::Waits;
        }
        match self {
            Update::Load => Outcome::Reads,
            Update::Fetch { op, operand, bits } => Outcome::Writes(op.apply(value, operand, bits)),
            Update::Exchange { expected, new } if expected == value => Outcome::Writes(new),
            Update::Exchange { .. } => Outcome::Reads,
        }
    }
}
