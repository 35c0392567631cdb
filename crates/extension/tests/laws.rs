//! The built-in extensions obey the laws, and extensions that are broken on purpose do not.

use quotient_extension::laws::{self, Law};
use quotient_extension::{
    Call, Extension, Failure, Operation, Parameter, Registry, Stopped, Term, ValueType, built_in,
};

#[test]
fn built_in_extensions_obey_the_laws() {
    for extension in built_in() {
        laws::check(&*extension, 3_000).unwrap_or_else(|broken| panic!("{}: {broken}", extension.name()));
    }
}

/// An extension with one type of unordered values and two operations, of which the second is given.
#[derive(Debug)]
struct Odd {
    operations: [Operation; 2],
    second: fn(&mut Call<'_>) -> Result<i32, Stopped>,
}

const OWN: Term = Term::Own(0);
const ELEMENT: Term = Term::Variable(0);

impl Extension for Odd {
    fn name(&self) -> &str {
        "test.Odd"
    }

    fn types(&self) -> &[ValueType] {
        const { &[ValueType::of(1, &[ELEMENT], true)] }
    }

    fn operations(&self) -> &[Operation] {
        &self.operations
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        if operation == 1 {
            return (self.second)(call);
        }
        let element = call.arg(1);
        call.value_mut(0).push(&[element]);
        Ok(0)
    }
}

fn broken(second: Operation, apply: fn(&mut Call<'_>) -> Result<i32, Stopped>) -> Option<Law> {
    laws::check(&Odd { operations: [ADD, second], second: apply }, 500).err().map(|broken| broken.law)
}

const ADD: Operation = Operation::action("add", &[Parameter::writes(OWN), Parameter::reads(ELEMENT)]);
const READS: &[Parameter] = &[Parameter::reads(OWN)];
const WRITES: &[Parameter] = &[Parameter::writes(OWN)];

#[test]
fn what_is_broken_is_found() {
    let least = |call: &mut Call<'_>| call.value(0).entries().map(|e| e[0]).min().ok_or(Failure::Empty.into());
    assert_eq!(broken(Operation::expression("least", READS, ELEMENT), least), Some(Law::Renaming));
    let first = |call: &mut Call<'_>| call.value(0).entry(0).map(|e| e[0]).ok_or(Failure::Empty.into());
    assert_eq!(broken(Operation::expression("first", READS, ELEMENT), first), Some(Law::Order));
    let forgets = |call: &mut Call<'_>| {
        call.value_mut(0).clear();
        Ok(0)
    };
    assert_eq!(broken(Operation::expression("size", READS, Term::Int), forgets), Some(Law::Reads));
    assert_eq!(broken(Operation::action("clear", WRITES), forgets), None);
    let invents = |call: &mut Call<'_>| {
        call.value_mut(0).push(&[77]);
        Ok(0)
    };
    // Once it is in a value, it is not renamed as others are.
    let found = broken(Operation::action("invent", WRITES), invents);
    assert!(matches!(found, Some(Law::Shape | Law::Renaming)), "{found:?}");
    let drops_first = |call: &mut Call<'_>| {
        if !call.value(0).is_empty() {
            call.value_mut(0).remove(0);
        }
        Ok(0)
    };
    assert_eq!(broken(Operation::action("drop", WRITES), drops_first), Some(Law::Order));
    let chooses = |call: &mut Call<'_>| call.choose(2).map(|chosen| chosen as i32);
    assert_eq!(broken(Operation::expression("coin", READS, Term::Int), chooses), Some(Law::Choices));
    assert_eq!(broken(Operation::expression("coin", READS, Term::Int).choosing(), chooses), None);
    let certain = |_: &mut Call<'_>| Ok(1);
    assert_eq!(broken(Operation::expression("coin", READS, Term::Int).choosing(), certain), Some(Law::Choices));
    let strange = |_: &mut Call<'_>| Ok(2);
    assert_eq!(broken(Operation::expression("is", READS, Term::Boolean), strange), Some(Law::Shape));
}

#[test]
fn what_is_not_the_same_twice_is_found() {
    use std::sync::atomic::{AtomicI32, Ordering};
    static CALLS: AtomicI32 = AtomicI32::new(0);
    let counts = |_: &mut Call<'_>| Ok(CALLS.fetch_add(1, Ordering::Relaxed));
    assert_eq!(broken(Operation::expression("count", READS, Term::Int), counts), Some(Law::Repeatable));
}

#[test]
fn ones_own_can_be_added() {
    let mut registry = Registry::default();
    registry.add(Odd { operations: [ADD, ADD], second: |_| Ok(0) });
    assert!(registry.find("test.Odd").is_some());
    assert!(registry.find("quotient.Set").is_some());
    assert!(registry.find("quotient.Sets").is_none());
}
