//! What a checker can be given: a type for models ([`Buffer`]), an order in which states are looked at ([`FewestFirst`]), and
//! states that are taken for one ([`SortedThreads`]).

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use quotient_canon::Representative;
use quotient_extension::{Call, Extension, Failure, Operation, Parameter, Stopped, Term, ValueType};
use quotient_ir::schema::{HeapLayout, Schema};
use quotient_search::modular::{Frontier, Pending};

const OWN: Term = Term::Own(0);
const ELEMENT: Term = Term::Variable(0);

const OPERATIONS: &[Operation] = &[
    Operation::expression("create", &[Parameter::reads(Term::Int)], OWN),
    Operation::action("put", &[Parameter::writes(OWN), Parameter::reads(ELEMENT)]),
    Operation::expression("take", &[Parameter::writes(OWN)], ELEMENT),
    Operation::expression("isFull", &[Parameter::reads(OWN)], Term::Boolean),
    Operation::expression("isEmpty", &[Parameter::reads(OWN)], Term::Boolean),
];

/// `example.Buffer`: a queue that has room for so many elements. How many is at the head of the value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Buffer;

impl Extension for Buffer {
    fn name(&self) -> &str {
        "example.Buffer"
    }

    fn types(&self) -> &[ValueType] {
        const { &[ValueType { name: "type", variables: 1, head: &[Term::Int], entry: &[ELEMENT], unordered: false }] }
    }

    fn operations(&self) -> &[Operation] {
        OPERATIONS
    }

    fn apply(&self, operation: usize, call: &mut Call<'_>) -> Result<i32, Stopped> {
        let is_full = |call: &Call<'_>| call.value(0).len() as i32 >= call.value(0).head()[0];
        match operation {
            0 => {
                let room = call.arg(0);
                if room < 0 {
                    return Err(Failure::Invalid.into());
                }
                call.made().head_mut()[0] = room;
            }
            1 if is_full(call) => return Err(Failure::Full.into()),
            1 => {
                let element = call.arg(1);
                call.value_mut(0).push(&[element]);
            }
            2 if call.value(0).is_empty() => return Err(Failure::Empty.into()),
            2 => return Ok(call.value_mut(0).remove(0)[0]),
            3 => return Ok(i32::from(is_full(call))),
            _ => return Ok(i32::from(call.value(0).is_empty())),
        }
        Ok(0)
    }
}

/// States with the fewest threads come first, so that what happens at the end is seen early.
#[derive(Clone, Debug, Default)]
pub struct FewestFirst(BTreeMap<usize, Vec<Pending>>);

impl Frontier for FewestFirst {
    fn push(&mut self, pending: Pending) {
        self.0.entry(pending.state.processes.len()).or_default().push(pending);
    }

    fn pop(&mut self) -> Option<Pending> {
        let mut fewest = self.0.first_entry()?;
        let pending = fewest.get_mut().pop();
        if fewest.get().is_empty() {
            fewest.remove();
        }
        pending
    }
}

/// Threads are sorted by their bytes: who was started first does not matter. It is for models whose records know nothing of
/// threads, as those without locks and `tid`.
#[derive(Clone, Debug)]
pub struct SortedThreads {
    layout: HeapLayout,
}

impl SortedThreads {
    /// For a model with a heap; none if it has none, or if records know threads.
    pub fn new(schema: &Schema) -> Option<Self> {
        let layout = schema.heap.as_deref()?.clone();
        let knows_threads =
            layout.records.iter().any(|record| record.lock.is_some() || record.kind == quotient_ir::RecordKind::Thread);
        (!knows_threads).then_some(SortedThreads { layout })
    }
}

impl Representative for SortedThreads {
    fn representative(&mut self, state: &[u8]) -> Vec<u8> {
        let (mut processes, mut records) = (Vec::new(), Vec::new());
        let end = self.layout.scan(state, &mut processes, &mut records);
        let starts = processes.iter().map(|&start| start as usize);
        let ends = starts.clone().skip(1).chain([end]);
        let mut threads: Vec<&[u8]> = starts.clone().zip(ends).map(|(start, end)| &state[start..end]).collect();
        threads.sort_unstable();
        let before = starts.clone().next().unwrap_or(end);
        [&state[..before], &threads.concat(), &state[end..]].concat()
    }
}
