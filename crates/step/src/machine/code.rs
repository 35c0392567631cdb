//! Code: expressions and assignments as a flat sequence of small operations on numbered registers.
//!
//! Every operand has its address in the state's bytes worked out at compile time, relative to the state's start or to
//! the executing process. An operation with one register works on it in place; one with a second operand finds it in
//! the next register.

use quotient_ir::{Scalar, Width};

/// Where a sequence of operations starts in [`super::Program::code`].
pub type CodeRef = u32;

/// How a field lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// One byte, unsigned.
    U8,
    /// Two bytes, unsigned.
    U16,
    /// Two bytes, signed.
    I16,
    /// Four bytes.
    I32,
}

impl Memory {
    /// How a scalar lies in memory.
    pub fn of(scalar: Scalar) -> Memory {
        match (scalar.width, scalar.bytes()) {
            (Width::Short, _) => Memory::I16,
            (_, 1) => Memory::U8,
            (_, 2) => Memory::U16,
            _ => Memory::I32,
        }
    }

    /// Reads a field.
    #[inline(always)]
    pub fn read(self, bytes: &[u8], at: usize) -> i32 {
        match self {
            Memory::U8 => i32::from(bytes[at]),
            Memory::U16 => i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
            Memory::I16 => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
            Memory::I32 => i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
        }
    }

    /// Writes a field, cutting the value to its bytes.
    #[inline(always)]
    pub fn write(self, bytes: &mut [u8], at: usize, value: i32) {
        match self {
            Memory::U8 => bytes[at] = value as u8,
            Memory::U16 | Memory::I16 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            Memory::I32 => bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

/// The bits a value keeps beyond what its bytes cut off; `None` when the bytes do it all.
pub(super) fn mask(scalar: Scalar) -> Option<i32> {
    match scalar.width {
        Width::Bit => Some(1),
        Width::Unsigned(bits) if !matches!(bits, 8 | 16 | 32) => Some((1i64.wrapping_shl(u32::from(bits)) - 1) as i32),
        _ => None,
    }
}

/// A register.
pub(super) type Reg = u16;

/// One operation.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Op {
    /// Ends the sequence; its value is in the register.
    Return(Reg),
    Const(Reg, i32),
    // Loads: from the state's start (`Global`) or the process's (`Local`).
    GlobalByte(Reg, u32),
    LocalByte(Reg, u32),
    Global(Reg, Memory, u32),
    Local(Reg, Memory, u32),
    // Loads at an offset that the register holds.
    GlobalByteAt(Reg, u32),
    LocalByteAt(Reg, u32),
    GlobalAt(Reg, Memory, u32),
    LocalAt(Reg, Memory, u32),
    // Stores of the register's value.
    SetGlobalByte(Reg, u32),
    SetLocalByte(Reg, u32),
    SetGlobal(Reg, Memory, u32),
    SetLocal(Reg, Memory, u32),
    // Stores at an offset that the next register holds.
    SetGlobalAt(Reg, Memory, u32),
    SetLocalAt(Reg, Memory, u32),
    /// Checks an index against the length in the site table.
    Bound(Reg, u32),
    Scale(Reg, i32),
    Mask(Reg, i32),
    Truth(Reg),
    Not(Reg),
    Neg(Reg),
    BitNot(Reg),
    Add(Reg),
    Sub(Reg),
    Mul(Reg),
    /// The second number is a site, for division by zero.
    Div(Reg, u32),
    Rem(Reg, u32),
    BitAnd(Reg),
    BitXor(Reg),
    BitOr(Reg),
    Shl(Reg),
    Shr(Reg),
    Eq(Reg),
    Ne(Reg),
    Lt(Reg),
    Le(Reg),
    Gt(Reg),
    Ge(Reg),
    AddConst(Reg, i32),
    EqConst(Reg, i32),
    NeConst(Reg, i32),
    LtConst(Reg, i32),
    LeConst(Reg, i32),
    GtConst(Reg, i32),
    GeConst(Reg, i32),
    Jump(u32),
    IfZero(Reg, u32),
    IfNotZero(Reg, u32),
    Pid(Reg),
    ProcessCount(Reg),
    Timeout(Reg),
    // Channel tests: the register holds the channel's id.
    Length(Reg),
    Full(Reg),
    NotFull(Reg),
    Empty(Reg),
    NotEmpty(Reg),
    /// Anything rare, by its number in [`super::Program::rare`].
    Rare(Reg, u32),
    /// Something with the heap, by its number in [`super::Program::heap_ops`].
    Heap(Reg, u32),
    /// A fault of kind assertion at a site when the register is zero.
    Assert(Reg, u32),
}
