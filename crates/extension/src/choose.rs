//! Choices: a number of a range, or one of some values.

use crate::{Call, Extension, Failure, Operation, Parameter, Stopped, Term, ValueType};

/// `quotient.Choose`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choose;

const OPERATIONS: &[Operation] = &[
    Operation::expression("between", &[Parameter::reads(Term::Int), Parameter::reads(Term::Int)], Term::Int).choosing(),
    Operation::expression("element", &[Parameter::reads(Term::Variable(0))], Term::Variable(0)).repeated().choosing(),
];

/// More transitions than this are not made for one statement.
const MOST: i64 = 1_000;

impl Extension for Choose {
    fn name(&self) -> &str {
        "quotient.Choose"
    }

    fn types(&self) -> &[ValueType] {
        &[]
    }

    fn operations(&self) -> &[Operation] {
        OPERATIONS
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        if operation == 1 {
            return match call.len() {
                0 => call.fail(Failure::Empty),
                number => Ok(call.arg(call.choose(number)?)),
            };
        }
        let (low, high) = (i64::from(call.arg(0)), i64::from(call.arg(1)));
        match usize::try_from(high - low + 1) {
            Err(_) | Ok(0) => call.fail(Failure::Empty),
            Ok(number) => Ok((low + call.choose(number)? as i64) as i32),
        }
    }

    fn alternatives(&self, operation: usize, constants: &[Option<i32>]) -> Option<u32> {
        match (operation, constants) {
            (0, [Some(low), Some(high)]) => Some((i64::from(*high) - i64::from(*low) + 1).clamp(1, MOST) as u32),
            (1, args) => Some(args.len().max(1) as u32),
            _ => None,
        }
    }
}
