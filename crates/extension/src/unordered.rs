//! Sets and bags: the order of their elements means nothing.

use crate::{Call, Contents, Extension, Failure, Operation, Parameter, Stopped, Term, ValueType, truth};

const OWN: Term = Term::Own(0);
const ELEMENT: Term = Term::Variable(0);

const TYPES: &[ValueType] = &[ValueType::of(1, &[ELEMENT], true)];

const OPERATIONS: &[Operation] = &[
    Operation::expression("create", &[Parameter::reads(ELEMENT)], OWN).repeated(),
    Operation::action("add", &[Parameter::writes(OWN), Parameter::reads(ELEMENT)]),
    Operation::action("remove", &[Parameter::writes(OWN), Parameter::reads(ELEMENT)]),
    Operation::action("clear", &[Parameter::writes(OWN)]),
    Operation::action("addAll", &[Parameter::writes(OWN), Parameter::reads(OWN)]),
    Operation::expression("isEmpty", &[Parameter::reads(OWN)], Term::Boolean),
    Operation::expression("size", &[Parameter::reads(OWN)], Term::Int),
    Operation::expression("contains", &[Parameter::reads(OWN), Parameter::reads(ELEMENT)], Term::Boolean),
    Operation::expression("count", &[Parameter::reads(OWN), Parameter::reads(ELEMENT)], Term::Int),
    Operation::expression("choose", &[Parameter::reads(OWN)], ELEMENT).choosing(),
    Operation::expression("take", &[Parameter::writes(OWN)], ELEMENT).choosing(),
];

/// `quotient.Set`: each element is there once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Set;

/// `quotient.Bag`: an element can be there several times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bag;

impl Extension for Set {
    fn name(&self) -> &str {
        "quotient.Set"
    }

    fn types(&self) -> &[ValueType] {
        TYPES
    }

    fn operations(&self) -> &[Operation] {
        OPERATIONS
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        apply(operation, call, |value, element| {
            if find(value, element).is_none() {
                value.push(&[element]);
            }
        })
    }
}

impl Extension for Bag {
    fn name(&self) -> &str {
        "quotient.Bag"
    }

    fn types(&self) -> &[ValueType] {
        TYPES
    }

    fn operations(&self) -> &[Operation] {
        OPERATIONS
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        apply(operation, call, |value, element| value.push(&[element]))
    }
}

fn find(value: &Contents, element: i32) -> Option<usize> {
    value.position(|entry| entry[0] == element)
}

/// One of the elements. Those that are there several times are one alternative.
fn choose(call: &Call<'_>) -> Result<i32, Stopped> {
    let mut elements: Vec<i32> = Vec::new();
    for entry in call.value(0).entries() {
        if !elements.contains(&entry[0]) {
            elements.push(entry[0]);
        }
    }
    match elements.len() {
        0 => call.fail(Failure::Empty),
        number => Ok(elements[call.choose(number)?]),
    }
}

fn remove(value: &mut Contents, element: i32) {
    if let Some(number) = find(value, element) {
        value.remove(number);
    }
}

fn apply(operation: usize, call: &mut Call<'_>, add: impl Fn(&mut Contents, i32)) -> Result<i32, Stopped> {
    match OPERATIONS[operation].name {
        "create" => {
            for number in 0..call.len() {
                let element = call.arg(number);
                add(call.made(), element);
            }
        }
        "add" => {
            let element = call.arg(1);
            add(call.value_mut(0), element);
        }
        "remove" => {
            let element = call.arg(1);
            remove(call.value_mut(0), element);
        }
        "clear" => call.value_mut(0).clear(),
        "addAll" => {
            for entry in call.value(1).clone().entries() {
                add(call.value_mut(0), entry[0]);
            }
        }
        "isEmpty" => return Ok(truth(call.value(0).is_empty())),
        "size" => return Ok(call.value(0).len() as i32),
        "contains" => return Ok(truth(find(call.value(0), call.arg(1)).is_some())),
        "count" => return Ok(call.value(0).entries().filter(|entry| entry[0] == call.arg(1)).count() as i32),
        "choose" => return choose(call),
        _ => {
            let element = choose(call)?;
            remove(call.value_mut(0), element);
            return Ok(element);
        }
    }
    Ok(0)
}
