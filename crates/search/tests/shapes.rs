//! States mean the same to every machine: whichever meets a kind of states first, and in whatever order, the bytes are the
//! same, and another machine can read them.

mod common;

use std::collections::BTreeSet;

use common::parse;
use quotient_ir::Model;
use quotient_step::Control;
use quotient_step::machine::{Machine, Program};
use quotient_step::reference::{Interpreter, Moves, State};

/// Processes that come and go: by `init`, by each other, in several orders.
const MODELS: &[&str] = &[
    "proctype a() { skip } proctype b() { skip } init { run a(); run b(); run a(); run a() }",
    "proctype a() { skip } proctype b() { chan c = [1] of { byte }; c!1 } init { do :: run a() :: run b() :: break od }",
    "byte n; proctype a() { if :: n < 6 -> n++; run a(); run a() :: else fi } init { run a() }",
    "active [3] proctype a() { skip } active proctype b() { run c(); run c() } proctype c() { skip }",
];

/// Some states of a model, in the order of a search.
fn states(model: &Model, most: usize) -> Vec<State> {
    let interpreter = Interpreter { model, promises: false };
    let (mut states, mut work) = (Vec::new(), vec![(interpreter.initial().0, Control::Free)]);
    let mut seen = std::collections::HashSet::new();
    while let (Some((state, control)), true) = (work.pop(), states.len() < most) {
        if control == Control::Free {
            if !seen.insert(state.clone()) {
                continue;
            }
            states.push(state.clone());
        }
        match interpreter.executable(&state, control) {
            Moves::Some(outcomes) => work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next)),
            Moves::Release => work.push((state, Control::Free)),
            Moves::End | Moves::Deadlock => {}
        }
    }
    states
}

#[test]
fn a_state_has_the_same_bytes_whoever_meets_it_first() {
    for text in MODELS {
        let model = parse(text);
        let states = states(&model, 2_000);
        let shapes: BTreeSet<Vec<usize>> =
            states.iter().map(|state| state.processes.iter().map(|process| process.proctype).collect()).collect();
        assert!(shapes.len() > 3, "{text}: {}", shapes.len());
        let (program, again) = (Program::new(&model), Program::new(&model));
        let (mut first, mut second) = (Machine::new(&program, false), Machine::new(&program, false));
        let (mut third, mut reader) = (Machine::new(&again, false), Machine::new(&again, false));
        let forward: Vec<Vec<u8>> = states.iter().map(|state| first.encode(state)).collect();
        let mut backward: Vec<Vec<u8>> = states.iter().rev().map(|state| second.encode(state)).collect();
        backward.reverse();
        let mut elsewhere: Vec<Vec<u8>> = states.iter().rev().map(|state| third.encode(state)).collect();
        elsewhere.reverse();
        assert_eq!(forward, backward, "{text}");
        assert_eq!(forward, elsewhere, "{text}");
        assert_eq!(forward.iter().collect::<BTreeSet<_>>().len(), states.len(), "{text}");
        for (bytes, state) in forward.iter().zip(&states) {
            reader.load(bytes);
            assert_eq!(reader.decode(), *state, "{text}");
        }
    }
}

#[test]
fn a_machine_can_follow_another_one() {
    for text in MODELS {
        let model = parse(text);
        let (program, again) = (Program::new(&model), Program::new(&model));
        let (mut first, mut second) = (Machine::new(&program, false), Machine::new(&again, false));
        let bytes: Vec<Vec<u8>> = states(&model, 500).iter().map(|state| first.encode(state)).collect();
        let lineage = first.lineage();
        assert!(second.follow(&lineage) && second.lineage() == lineage, "{text}");
        assert!(bytes.iter().all(|state| second.knows(state)), "{text}");
        for (at, damage) in [(0, (9, 0, 1)), (1, (0, 900, 2)), (lineage.len() - 1, (0, 0, 0))] {
            let mut lineage = lineage.clone();
            lineage[at] = damage;
            assert!(!Machine::new(&again, false).follow(&lineage), "{text}: {damage:?}");
        }
    }
}
