//! Queues and stacks.

use crate::{Call, Contents, Extension, Failure, Operation, Parameter, Stopped, Term, ValueType, truth};

/// `quotient.Queue`: first in, first out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue;

/// `quotient.Stack`: last in, first out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack;

const OWN: Term = Term::Own(0);
const ELEMENT: Term = Term::Variable(0);
const TYPES: &[ValueType] = &[ValueType::of(1, &[ELEMENT], false)];

const READS: &[Parameter] = &[Parameter::reads(OWN)];
const WRITES: &[Parameter] = &[Parameter::writes(OWN)];
const PUTS: &[Parameter] = &[Parameter::writes(OWN), Parameter::reads(ELEMENT)];
const ASKS: &[Parameter] = &[Parameter::reads(OWN), Parameter::reads(ELEMENT)];
const MAKES: &[Parameter] = &[Parameter::reads(ELEMENT)];

const fn operations(put: &'static str, take: &'static str, look: &'static str) -> [Operation; 8] {
    [
        Operation::expression("create", MAKES, OWN).repeated(),
        Operation::action(put, PUTS),
        Operation::expression(take, WRITES, ELEMENT),
        Operation::expression(look, READS, ELEMENT),
        Operation::expression("isEmpty", READS, Term::Boolean),
        Operation::expression("size", READS, Term::Int),
        Operation::expression("contains", ASKS, Term::Boolean),
        Operation::action("clear", WRITES),
    ]
}

const OF_QUEUE: [Operation; 8] = operations("enqueue", "dequeue", "front");
const OF_STACK: [Operation; 8] = operations("push", "pop", "top");

impl Extension for Queue {
    fn name(&self) -> &str {
        "quotient.Queue"
    }

    fn types(&self) -> &[ValueType] {
        TYPES
    }

    fn operations(&self) -> &[Operation] {
        &OF_QUEUE
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        apply(operation, call, |_| 0)
    }
}

impl Extension for Stack {
    fn name(&self) -> &str {
        "quotient.Stack"
    }

    fn types(&self) -> &[ValueType] {
        TYPES
    }

    fn operations(&self) -> &[Operation] {
        &OF_STACK
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        apply(operation, call, |value| value.len().saturating_sub(1))
    }
}

/// Carries out an operation; the function says which element is next.
fn apply(operation: usize, call: &mut Call<'_>, next: impl Fn(&Contents) -> usize) -> Result<i32, Stopped> {
    match operation {
        0 => {
            for number in 0..call.len() {
                let element = call.arg(number);
                call.made().push(&[element]);
            }
        }
        1 => {
            let element = call.arg(1);
            call.value_mut(0).push(&[element]);
        }
        2 | 3 => {
            let value = call.value(0);
            let number = next(value);
            let element = value.entry(number).ok_or(Failure::Empty)?[0];
            if operation == 2 {
                call.value_mut(0).remove(number);
            }
            return Ok(element);
        }
        4 => return Ok(truth(call.value(0).is_empty())),
        5 => return Ok(call.value(0).len() as i32),
        6 => return Ok(truth(call.value(0).position(|entry| entry[0] == call.arg(1)).is_some())),
        _ => call.value_mut(0).clear(),
    }
    Ok(0)
}
