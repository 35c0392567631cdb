//! Maps from keys to values.

use crate::{Call, Extension, Failure, Operation, Parameter, Stopped, Term, ValueType, truth};

/// `quotient.Map`: each key has one value. The order of the keys means nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Map;

const OWN: Term = Term::Own(0);
const KEY: Term = Term::Variable(0);
const VALUE: Term = Term::Variable(1);

const OPERATIONS: &[Operation] = &[
    Operation::expression("create", &[], OWN),
    Operation::action("put", &[Parameter::writes(OWN), Parameter::reads(KEY), Parameter::reads(VALUE)]),
    Operation::action("remove", &[Parameter::writes(OWN), Parameter::reads(KEY)]),
    Operation::action("clear", &[Parameter::writes(OWN)]),
    Operation::expression("get", &[Parameter::reads(OWN), Parameter::reads(KEY)], VALUE),
    Operation::expression("containsKey", &[Parameter::reads(OWN), Parameter::reads(KEY)], Term::Boolean),
    Operation::expression("containsValue", &[Parameter::reads(OWN), Parameter::reads(VALUE)], Term::Boolean),
    Operation::expression("isEmpty", &[Parameter::reads(OWN)], Term::Boolean),
    Operation::expression("size", &[Parameter::reads(OWN)], Term::Int),
    Operation::expression("chooseKey", &[Parameter::reads(OWN)], KEY).choosing(),
];

impl Extension for Map {
    fn name(&self) -> &str {
        "quotient.Map"
    }

    fn types(&self) -> &[ValueType] {
        const { &[ValueType::of(2, &[KEY, VALUE], true)] }
    }

    fn operations(&self) -> &[Operation] {
        OPERATIONS
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        let name = OPERATIONS[operation].name;
        if name == "create" {
            return Ok(0);
        }
        let find = |call: &Call<'_>| call.value(0).position(|entry| entry[0] == call.arg(1));
        match name {
            "put" => {
                let (found, entry) = (find(call), [call.arg(1), call.arg(2)]);
                match found {
                    Some(number) => call.value_mut(0).set(number, &entry),
                    None => call.value_mut(0).push(&entry),
                }
            }
            "remove" => {
                if let Some(number) = find(call) {
                    call.value_mut(0).remove(number);
                }
            }
            "clear" => call.value_mut(0).clear(),
            "get" => {
                let found = find(call).and_then(|number| call.value(0).entry(number));
                return found.map(|entry| entry[1]).ok_or(Failure::Missing.into());
            }
            "containsKey" => return Ok(truth(find(call).is_some())),
            "containsValue" => return Ok(truth(call.value(0).entries().any(|entry| entry[1] == call.arg(1)))),
            "isEmpty" => return Ok(truth(call.value(0).is_empty())),
            "size" => return Ok(call.value(0).len() as i32),
            _ => {
                let keys = call.value(0);
                if keys.is_empty() {
                    return call.fail(Failure::Empty);
                }
                let chosen = call.choose(keys.len())?;
                return keys.entry(chosen).map(|entry| entry[0]).ok_or(Failure::Missing.into());
            }
        }
        Ok(0)
    }
}
