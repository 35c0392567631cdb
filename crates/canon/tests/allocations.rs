//! Finding a representative allocates nothing, once a few states of the model have been seen.

mod common;

use std::collections::HashSet;
use std::path::Path;

use quotient_canon::{Arrangement, Reducer, Strategy};
use quotient_counting::{Counting, allocations};
use quotient_ir::Model;
use quotient_step::Control;
use quotient_step::machine::{Component, Machine, Program};
use quotient_step::reference::{Interpreter, Moves};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many states of a model are looked at.
const STATES: usize = 2000;

/// A state's shape and bytes.
struct State {
    shape: u32,
    arrangement: Arrangement,
    bytes: Vec<u8>,
}

/// A model of the project with the symmetry that is declared or found.
fn load(name: &str, processes: u32) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).with_extension("pml");
    let defines = ["N", "CACHES", "SENDERS"].map(|name| (name.to_string(), Some(processes.to_string()))).to_vec();
    let loaded =
        quotient_promela::load(&path, &quotient_promela::Options { defines, ..quotient_promela::Options::default() });
    let mut model = loaded.model.expect("a model");
    quotient_symmetry::detect(&mut model);
    model
}

/// A state with its shape.
fn arranged(machine: &mut Machine, bytes: Vec<u8>) -> State {
    machine.load(&bytes);
    let (shape, components) = machine.shape();
    let place = |component: &Component| (component.ty as usize, component.offset);
    let processes = components.processes.iter().map(place).collect();
    let channels = components.channels.iter().map(place).collect();
    State { shape, arrangement: Arrangement { processes, channels }, bytes }
}

/// The first states of a model, in breadth-first order.
fn states(model: &Model, program: &Program) -> Vec<State> {
    let mut machine = Machine::new(program, false);
    let interpreter = Interpreter { model, promises: false };
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    let mut work = std::collections::VecDeque::from([(interpreter.initial().0, Control::Free)]);
    while let Some((state, control)) = work.pop_front() {
        if control == Control::Free {
            let bytes = machine.encode(&interpreter.visible(&state));
            if !seen.insert(bytes.clone()) {
                continue;
            }
            found.push(arranged(&mut machine, bytes));
            if found.len() == STATES {
                break;
            }
        }
        match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next)),
            Moves::Release => work.push_back((state, Control::Free)),
            Moves::End | Moves::Deadlock => {}
        }
    }
    found
}

#[test]
fn none_per_state() {
    let mut checked = 0;
    for (name, processes) in [
        ("peterson", 4),
        ("german", 4),
        ("scalarset-cache", 3),
        ("scalarset-mutex", 5),
        ("scalarset-queue-server", 5),
        ("base-station-channels", 3),
        ("base-station-variables", 3),
        ("dining-philosophers", 7),
    ] {
        let model = load(name, processes);
        let program = Program::new(&model);
        let states = states(&model, &program);
        for strategy in Strategy::ALL {
            if quotient_canon::obstacle(&model, strategy).is_some() {
                assert!(strategy != Strategy::Canonical, "{name} has a symmetry");
                continue;
            }
            let mut reducer = Reducer::new(&model, &program.schema, strategy).expect("a symmetry");
            let mut round = |states: &mut dyn Iterator<Item = &State>| {
                let representative = |state: &State| {
                    let found = reducer.representative(state.shape, || state.arrangement.clone(), &state.bytes);
                    found.iter().map(|&byte| usize::from(byte)).sum::<usize>()
                };
                states.map(representative).sum::<usize>()
            };
            // The first state may be the only one without all processes. Every eighth of the others shows the rest, but
            // for a buffer or two that are not as large as they will ever be.
            round(&mut states.iter().take(1).chain(states.iter().rev().step_by(8)));
            let before = allocations();
            round(&mut states.iter());
            let warm = allocations();
            assert!(warm - before <= 4, "{name}, {strategy}: {} allocations", warm - before);
            round(&mut states.iter());
            assert_eq!(allocations(), warm, "{name}, {strategy}");
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} strategies");
    none_per_random_state();
}

/// The same of tables of names, control states that move and what nobody reads. Counting allocations needs a process
/// in which nothing else runs, so this is no test of its own.
fn none_per_random_state() {
    for seed in 0..100 {
        let random = &mut common::Random(seed << 32 | 3);
        let model = common::model(random);
        let program = Program::new(&model);
        let mut machine = Machine::new(&program, false);
        let states: Vec<State> = (0..20)
            .map(|_| {
                let bytes = machine.encode(&common::state(random, &model));
                arranged(&mut machine, bytes)
            })
            .collect();
        for strategy in Strategy::ALL {
            let mut reducer = Reducer::new(&model, &program.schema, strategy).expect("a symmetry");
            let mut round = || {
                for state in &states {
                    reducer.representative(state.shape, || state.arrangement.clone(), &state.bytes);
                }
            };
            round();
            let before = allocations();
            round();
            assert_eq!(allocations(), before, "model {seed}, {strategy}");
        }
    }
}
