//! Models with a heap: published numbers, and the engine against the naive search with brute force over all renamings.

mod heap_models;

use std::collections::BTreeSet;

use heap_models::oracle::{self, Renamings};
use heap_models::{example, list, philosophers, random};
use quotient_canon::HeapStrategy;
use quotient_search::{Exploration, Options, Order, Storage, explore};
use quotient_step::machine::{Attempt, Machine, Program};
use quotient_step::reference::{Interpreter, Moves, Outcome, State};
use quotient_step::replay::errors;
use quotient_step::{Choice, Control};

fn search(model: &quotient_ir::Model, options: Options) -> Exploration {
    let options = Options { all_errors: true, ..options };
    let found = explore(model, &options, &mut |_| true);
    assert_eq!(found.stop, None);
    found
}

fn counts(model: &quotient_ir::Model, strategy: &str) -> (u64, u64) {
    let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
    let found = search(model, Options { heap, ..Options::default() });
    assert_eq!(found.heap, Some(heap));
    (found.states, found.matched)
}

/// Table 1 of "Space-reduction strategies for model checking dynamic software": states and states seen again, for philosophers
/// without symmetry of threads (NTS), with threads sorted by control states (PCS) and by what they reach (kBOTS). The column
/// of `canonical` is ours. The states of the table have one more: the one in which the main thread has done nothing.
#[test]
fn philosophers_are_those_of_the_paper() {
    for (number, strategy, expected) in [
        (3, "heap", (36, 41)),
        (3, "pc", (19, 21)),
        (3, "kbots", (14, 15)),
        (3, "canonical", (14, 15)),
        (5, "heap", (393, 1024)),
        (5, "pc", (250, 659)),
        (5, "kbots", (160, 410)),
        (5, "canonical", (81, 208)),
        (7, "heap", (4287, 17394)),
        (7, "pc", (3337, 13683)),
        (7, "kbots", (2207, 8937)),
        (7, "canonical", (615, 2490)),
        (10, "heap", (154_451, 961_681)),
        (10, "pc", (137_863, 860_763)),
        (10, "kbots", (99_976, 623_240)),
        (10, "canonical", (15_490, 96_440)),
    ] {
        assert_eq!(counts(&philosophers(number), strategy), expected, "{number} philosophers, {strategy}");
    }
}

const NOTHING: Renamings = Renamings { threads: false, records: false, entries: false };
const RECORDS: Renamings = Renamings { threads: false, records: true, entries: false };
const THREADS: Renamings = Renamings { threads: true, records: false, entries: true };
const BOTH: Renamings = Renamings { threads: true, records: true, entries: true };

fn naive(model: &quotient_ir::Model, renamings: Renamings) -> (u64, u64) {
    let found = oracle::explore(model, renamings, u64::MAX).expect("there is no limit");
    (found.states, found.transitions)
}

/// States and transitions of a search.
fn edges(model: &quotient_ir::Model, strategy: &str) -> (u64, u64) {
    let (states, matched) = counts(model, strategy);
    (states, states - 1 + matched)
}

#[test]
fn the_example_of_the_paper_has_its_orbits() {
    let model = example();
    assert_eq!(naive(&model, NOTHING), (49, 57));
    assert_eq!(naive(&model, RECORDS), (26, 37));
    assert_eq!(naive(&model, THREADS), (28, 34));
    assert_eq!(naive(&model, BOTH), (17, 25));
    assert_eq!(edges(&model, "none"), (49, 57));
    assert_eq!(edges(&model, "heap"), (26, 37));
    assert_eq!(edges(&model, "canonical"), (17, 25));
}

#[test]
fn lists_have_their_orbits() {
    for (threads, inserts, canonical, heap, none) in
        [(2, 3, (3149, 5663), 6264, 136_333), (3, 1, (251, 458), 1171, 5455), (4, 1, (723, 1622), 9416, 152_949)]
    {
        let model = list(threads, inserts);
        assert_eq!(edges(&model, "canonical"), canonical, "{threads} threads, {inserts} inserts");
        assert_eq!(edges(&model, "heap").0, heap, "{threads} threads, {inserts} inserts");
        assert_eq!(edges(&model, "none").0, none, "{threads} threads, {inserts} inserts");
        if threads < 4 {
            assert_eq!(naive(&model, BOTH), canonical);
        }
    }
}

/// How many random models are looked at; more with `QUOTIENT_HEAPS=20000`.
fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("QUOTIENT_HEAPS").ok().and_then(|number| number.parse().ok()).unwrap_or(500)
}

/// More states than this of a random model are not looked at.
const MOST_STATES: u64 = 3_000;

/// Everything that the machine can do in a state: choices, faults, and where they lead.
fn moves(machine: &mut Machine, state: &[u8], only: Option<usize>, oldest_first: bool) -> Vec<Step> {
    let program = machine.program();
    machine.load(state);
    let processes = machine.processes();
    let mut found = Vec::new();
    for number in 0..processes {
        let process = if oldest_first { number } else { processes - 1 - number };
        if only.is_some_and(|only| only != process) {
            continue;
        }
        let (ty, control) = machine.control(process);
        let compiled = &program.proctypes[ty];
        let range = compiled.states[control].first..compiled.states[control].end;
        let mut moved = false;
        machine.enter(process, false);
        for (transition, number) in range.enumerate() {
            let mv = &compiled.moves[number as usize];
            let attempt = machine.attempt(mv, moved);
            let faults: Vec<&'static str> = machine.take_faults().iter().map(|fault| fault.kind.name()).collect();
            moved |= attempt != Attempt::Blocked;
            if attempt != Attempt::Blocked || !faults.is_empty() {
                let choice = Choice { process, transition, partner: None };
                let next =
                    (attempt == Attempt::Moved).then(|| (machine.state().to_vec(), mv.atomic.then_some(process)));
                found.push(Step { choice, faults, next, blocked: attempt == Attempt::Blocked });
            }
            // As a search does it: only what was done is taken back.
            if attempt != Attempt::Blocked {
                machine.reload();
            }
        }
    }
    found
}

/// What the machine or the interpreter can do.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    choice: Choice,
    faults: Vec<&'static str>,
    next: Option<(Vec<u8>, Option<usize>)>,
    blocked: bool,
}

fn only(control: Control) -> Option<usize> {
    match control {
        Control::Free => None,
        Control::Exclusive(process) => Some(process),
    }
}

/// Whatever the interpreter can do in a state the machine can do, in the same order, and with the same faults; and it comes to
/// the same states, up to the names of records. Conversions lose nothing.
#[test]
fn machine_and_interpreter_agree_on_random_models() {
    let steps = compare_steps(&random::model);
    assert!(steps > 10_000, "only {steps} steps were compared");
}

/// The same with values of extensions.
#[test]
fn machine_and_interpreter_agree_on_values() {
    let steps = compare_steps(&random::model_with_values);
    assert!(steps > 10_000, "only {steps} steps were compared");
}

/// Compares all steps of random models; gives back how many there were.
fn compare_steps(model: &dyn Fn(u64) -> quotient_ir::Model) -> usize {
    let mut steps = 0;
    for seed in seeds() {
        let model = model(seed);
        // Who meets whom is not a matter of one process; searches compare that below.
        if model.uses.rendezvous {
            continue;
        }
        let interpreter = Interpreter { model: &model, promises: false };
        let program = Program::new(&model);
        let mut machine = Machine::new(&program, false);
        let oldest_first = model.heap.as_ref().is_some_and(|heap| heap.order == quotient_ir::heap::Order::OldestFirst);
        let (initial, _) = interpreter.initial();
        machine.initial();
        assert_eq!(machine.encode(&initial), machine.state(), "seed {seed}: the initial state");
        machine.take_faults();
        let mut seen: BTreeSet<(Vec<u8>, Option<usize>)> = BTreeSet::new();
        let mut work: Vec<(State, Control)> = vec![(initial, Control::Free)];
        while let Some((state, control)) = work.pop() {
            let bytes = machine.encode(&state);
            let is_crowded = state.processes.len() > 6;
            if is_crowded || seen.len() as u64 > MOST_STATES || !seen.insert((bytes.clone(), only(control))) {
                continue;
            }
            assert!(machine.knows(&bytes), "seed {seed}: a state is not known");
            let decoded = machine.decode_bytes(&bytes);
            assert_eq!(machine.encode(&decoded), bytes, "seed {seed}: a state that was read is another one");
            let outcomes = match interpreter.moves(&state, control) {
                Moves::Some(outcomes) => outcomes,
                Moves::Release | Moves::End | Moves::Deadlock => Vec::new(),
            };
            let expected: Vec<Step> = outcomes
                .iter()
                .map(|Outcome { choice, faults, next, blocked }| Step {
                    choice: *choice,
                    faults: faults.iter().map(|fault| fault.kind.name()).collect(),
                    next: next.as_ref().map(|(state, control)| (machine.encode(state), only(*control))),
                    blocked: *blocked,
                })
                .collect();
            let found = moves(&mut machine, &bytes, only(control), oldest_first);
            assert_eq!(found, expected, "seed {seed}, in {state:#?}");
            steps += found.len();
            work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next));
        }
    }
    steps
}

/// As many states as orbits by brute force, with the same errors, whatever the order and the store; every strategy finds the
/// same kinds of errors, and every violation can be repeated.
#[test]
fn random_models_have_their_orbits() {
    let (compared, with_errors) = compare_orbits(&random::model, MOST_STATES / 4);
    assert!(compared > 200, "only {compared} models were small enough");
    for kind in ["null-reference", "bad-cast", "invalid-end-state", "heap-limit", "uncaught-exception", "leak"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// The same with values of extensions. Only `canonical` does without the order of what is in unordered values.
#[test]
fn values_have_their_orbits() {
    let (compared, with_errors) = compare_orbits(&random::model_with_values, MOST_STATES / 12);
    assert!(compared > 100, "only {compared} models were small enough");
    for kind in ["empty-value", "missing-element", "too-many-alternatives", "heap-limit", "invalid-end-state"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// The same with channels that are records.
#[test]
fn machine_and_interpreter_agree_on_channels() {
    let steps = compare_steps(&random::model_with_channels);
    assert!(steps > 10_000, "only {steps} steps were compared");
}

#[test]
fn channels_have_their_orbits() {
    let (compared, with_errors) = compare_orbits(&random::model_with_channels, MOST_STATES / 6);
    assert!(compared > 150, "only {compared} models were small enough");
    for kind in ["channel-misuse", "bad-cast", "null-reference", "heap-limit", "invalid-end-state"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// Channels that are there from the beginning are the same as records: as many states, and the same errors.
#[test]
fn fixed_channels_can_be_records() {
    use quotient_generate::channels::{Form, generate};
    let mut compared = 0;
    for seed in seeds() {
        let program = generate(seed);
        for strategy in ["heap", "canonical"] {
            let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
            let found = |form: Form| {
                let options =
                    Options { heap, max_states: Some(MOST_STATES), all_errors: true, ..Options::default() };
                let found = explore(&read(&program.written(form), 6), &options, &mut |_| true);
                found.stop.is_none().then_some((found.states, found.matched, found.kinds))
            };
            let (fixed, records) = (found(Form::Fixed), found(Form::Records));
            assert_eq!(fixed, records, "seed {seed}, {strategy}\n{}", program.written(Form::Records));
            compared += usize::from(fixed.is_some());
        }
    }
    assert!(compared > 300, "only {compared} programs were compared");
}

/// A random program that takes addresses of variables, and calls functions through variables.
fn with_addresses(seed: u64) -> quotient_ir::Model {
    read(&quotient_generate::addresses::generate(seed).addresses(), 14)
}

fn read(text: &str, most_records: usize) -> quotient_ir::Model {
    let dynamic = quotient_promela::Dynamic { most_records, ..Default::default() };
    let options = quotient_promela::Options { dynamic: Some(dynamic), ..Default::default() };
    let loaded =
        quotient_promela::load_with(std::path::Path::new("m.dprom"), &options, &|_| Ok(text.as_bytes().to_vec()));
    let problems: Vec<&String> = loaded.diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    loaded.model.unwrap_or_else(|| panic!("{problems:?}\n{text}"))
}

/// The same with addresses of variables and values that are functions.
#[test]
fn machine_and_interpreter_agree_on_addresses() {
    let steps = compare_steps(&with_addresses);
    assert!(steps > 5_000, "only {steps} steps were compared");
}

#[test]
fn addresses_have_their_orbits() {
    let (compared, with_errors) = compare_orbits(&with_addresses, MOST_STATES / 12);
    assert!(compared > 100, "only {compared} models were small enough");
    for kind in ["null-reference", "dangling-reference", "double-delete", "no-function", "assertion"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// Whoever writes a record for every variable whose address is taken, and deletes it where the variable ends, has the same errors.
#[test]
fn addresses_are_references_to_records() {
    let mut compared = 0;
    for seed in seeds() {
        let program = quotient_generate::addresses::generate(seed);
        let kinds = |text: &str| {
            let options = Options { max_states: Some(MOST_STATES / 2), all_errors: true, ..Options::default() };
            let found = quotient_search::explore(&read(text, 40), &options, &mut |_| true);
            // A part of a record that was deleted is used before the record is deleted again.
            let kind = |kind: &&'static str| if *kind == "double-delete" { "dangling-reference" } else { *kind };
            found.stop.is_none().then(|| found.kinds.iter().map(kind).collect::<BTreeSet<_>>())
        };
        let (Some(first), Some(second)) = (kinds(&program.addresses()), kinds(&program.records())) else { continue };
        // Without addresses there are not as many records.
        if first.contains("heap-limit") || second.contains("heap-limit") {
            continue;
        }
        compared += 1;
        assert_eq!(first, second, "seed {seed}\n{}\n{}", program.addresses(), program.records());
    }
    assert!(compared > 100, "only {compared} programs were compared");
}

/// Compares searches of random models with orbits by brute force; gives back how many there were, and their errors.
fn compare_orbits(model: &dyn Fn(u64) -> quotient_ir::Model, limit: u64) -> (usize, BTreeSet<&'static str>) {
    let (mut compared, mut with_errors) = (0, BTreeSet::new());
    for seed in seeds() {
        let model = model(seed);
        let Some(both) = oracle::explore(&model, BOTH, limit) else { continue };
        let Some(records) = oracle::explore(&model, RECORDS, MOST_STATES) else { continue };
        compared += 1;
        let mut expected: BTreeSet<&'static str> = both.faults.clone();
        expected.extend((both.deadlocks > 0).then_some(quotient_step::replay::DEADLOCK));
        with_errors.extend(expected.iter().copied());
        for strategy in ["heap", "pc", "kbots:1", "kbots", "canonical"] {
            let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
            for (order, store) in [
                (Order::DepthFirst, Storage::Exact),
                (Order::BreadthFirst, Storage::Exact),
                (Order::DepthFirst, Storage::Tree),
                (Order::BreadthFirst, Storage::Tree),
            ] {
                let what = format!("seed {seed}, {strategy}, {order:?}, {store:?}");
                let found = search(&model, Options { heap, order, store, ..Options::default() });
                match strategy {
                    "heap" => assert_eq!(found.states, records.states, "{what}"),
                    "canonical" => assert_eq!(found.states, both.states, "{what}"),
                    _ => assert!((both.states..=records.states).contains(&found.states), "{what}"),
                }
                assert_eq!(found.kinds, expected, "{what}");
                for violation in &found.violations {
                    let shown = errors(Interpreter { model: &model, promises: false }, &violation.path);
                    let shown = shown.unwrap_or_else(|at| panic!("{what}: event {at} cannot happen"));
                    assert!(shown.contains(&violation.error), "{what}: {:?} is not shown", violation.error);
                }
            }
        }
    }
    (compared, with_errors)
}
