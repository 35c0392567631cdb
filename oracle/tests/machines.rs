//! The axioms of SC and TSO give what the machines give.

use std::collections::BTreeSet;

use quotient_oracle::random::{Shape, program};
use quotient_oracle::{Execution, MemoryModel, Outcome, Program, buffered, executions, interleavings};

/// Programs of several shapes.
fn programs(count: u64) -> impl Iterator<Item = Program> {
    let shapes = [
        Shape::default(),
        Shape { total: 7, weak: true, updates: 60, ..Shape::default() },
        Shape { total: 6, threads: 2..=3, locks: 50, ..Shape::default() },
        Shape { total: 8, locations: 2..=2, fences: 20, updates: 15, ..Shape::default() },
    ];
    (0..count).map(move |seed| program(seed, shapes[(seed % 4) as usize].clone()))
}

fn outcomes(program: &Program, executions: &BTreeSet<Execution>) -> BTreeSet<Outcome> {
    let outcome = |execution: &Execution| Outcome {
        registers: execution.registers(program).expect("an execution of the program"),
        memory: execution.memory(program),
    };
    executions.iter().map(outcome).collect()
}

#[test]
fn sc_axioms_agree_with_interleavings() {
    for program in programs(2_400) {
        let found = executions(&program, MemoryModel::Sc).expect("small");
        assert_eq!(found, interleavings(&program), "{program}");
    }
}

#[test]
fn tso_axioms_agree_with_store_buffers() {
    for program in programs(2_400) {
        let found = executions(&program, MemoryModel::Tso).expect("small");
        assert_eq!(outcomes(&program, &found), buffered(&program), "{program}");
    }
}
