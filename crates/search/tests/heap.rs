//! Models with a heap: published numbers, and the engine against the naive search with brute force over all renamings.

mod heap_models;

use std::collections::BTreeSet;

use heap_models::oracle::{self, Renamings};
use heap_models::{equal, example, list, philosophers, random};
use quotient_canon::HeapStrategy;
use quotient_ir::{Action, Expr};
use quotient_search::{Exploration, Options, Order, Reduce, Storage, explore};
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

const NOTHING: Renamings = Renamings { threads: false, records: false, entries: false, members: false };
const RECORDS: Renamings = Renamings { threads: false, records: true, entries: false, members: false };
const THREADS: Renamings = Renamings { threads: true, records: false, entries: true, members: false };
const BOTH: Renamings = Renamings { threads: true, records: true, entries: true, members: false };

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
                let options = Options { heap, max_states: Some(MOST_STATES), all_errors: true, ..Options::default() };
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

/// A random program with a scalarset, whose members are proved to differ by name only.
fn with_members(seed: u64) -> quotient_ir::Model {
    let mut model = read(&quotient_generate::members::generate(seed).written(), 4);
    let detection = quotient_symmetry::detect(&mut model);
    assert!(model.heap.as_ref().is_some_and(|heap| heap.members_alike), "seed {seed}: {:?}", detection.reasons);
    model
}

/// Names of records, the order of threads and the names of members at once: as many states as orbits by brute force.
#[test]
fn members_of_scalarsets_have_their_orbits() {
    let (mut compared, mut with_errors, mut fewer) = (0, BTreeSet::new(), 0);
    for seed in seeds() {
        let model = with_members(seed);
        let limit = MOST_STATES / 4;
        let Some(all) = oracle::explore(&model, Renamings { members: true, ..BOTH }, limit) else { continue };
        let Some(records) = oracle::explore(&model, RECORDS, 4 * MOST_STATES) else { continue };
        compared += 1;
        fewer += usize::from(all.states < records.states);
        let mut expected: BTreeSet<&'static str> = records.faults.clone();
        expected.extend((records.deadlocks > 0).then_some(quotient_step::replay::DEADLOCK));
        with_errors.extend(expected.iter().copied());
        for (order, reduce, store) in [
            (Order::DepthFirst, Reduce::Off, Storage::Exact),
            (Order::BreadthFirst, Reduce::Off, Storage::Tree),
            (Order::DepthFirst, Reduce::Full, Storage::Tree),
            (Order::BreadthFirst, Reduce::Spin, Storage::Exact),
        ] {
            let what = format!("seed {seed}, {order:?}, {reduce:?}, {store:?}");
            let found = search(&model, Options { order, reduce, store, ..Options::default() });
            match reduce {
                Reduce::Off => assert_eq!(found.states, all.states, "{what}"),
                _ => assert!(found.states <= records.states, "{what}"),
            }
            assert_eq!(found.kinds, expected, "{what}");
            for violation in &found.violations {
                let shown = errors(Interpreter { model: &model, promises: false }, &violation.path);
                assert!(shown.is_ok_and(|shown| shown.contains(&violation.error)), "{what}: {:?}", violation.error);
            }
        }
    }
    assert!(compared > 100 && fewer > 50, "{compared} models, {fewer} with fewer states");
    for kind in ["assertion", "invalid-end-state"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// A program with a scalarset and one more process.
fn with_process(body: &str) -> String {
    format!(
        "scalarset S[2]; typedef node; typedef node {{ S owner; byte key; node &next }};
         S last; bit count[S]; byte plain[3]; node &g; chan c = [1] of {{ S, node & }};
         function f(S x; node &n) : node & {{ n.owner = x; return n }}
         active [S] proctype T(S me) {{ node &p; p = new node; p = f(me, p);
           l: if :: g = p :: last = p.owner :: c!me,p :: c?last,p fi; goto l }}
         active proctype Q() {{ S m; node &p; byte i; p = new node; {body}; e: false }}"
    )
}

/// What is not known to be symmetric keeps its names, and what is wrong is told where it is.
#[test]
fn members_that_have_numbers_keep_their_names() {
    for (body, reason) in [
        ("m = p.owner; p.owner = m; select (m : S); count[m] = 1; p = f(m, p); last == p.owner", None),
        ("(forall (i : S) (count[i] == 0))", Some("an element for a member is named by a number")),
        ("for (i : S) { count[i] = 1 }", Some("an element for a member is named by a number")),
        ("if :: select (m : S) :: select (m : S) fi; { S late; late = m; last = late }", None),
    ] {
        let mut model = read(&with_process(body), 5);
        let found = quotient_symmetry::detect(&mut model);
        let told = found.reasons.first().map(|reason| reason.message.clone());
        match reason {
            None => assert_eq!(told, None, "{body}"),
            Some(reason) => assert!(told.as_ref().is_some_and(|told| told.contains(reason)), "{body}: {told:?}"),
        }
        assert_eq!(model.heap.is_some_and(|heap| heap.members_alike), reason.is_none(), "{body}");
    }
}

/// Two blocks have arrays of one name: as many states as with two names. An array that is declared after the first statement has its
/// first element set to zero there, as in SPIN, which names a member by its number.
#[test]
fn arrays_of_one_name_are_told_apart() {
    let found = |name: &str| {
        let text = format!(
            "scalarset S[2]; typedef node; typedef node {{ S owner }}; node &g;
             active proctype Q() {{ S m; {{ byte x[S]; {{ byte {name}[S]; g = new node; select (m : S); {name}[m] = 2 }};
               select (m : S); x[m] = 1; select (m : S); assert(x[m] == 1) }}; false }}"
        );
        let mut model = read(&text, 4);
        let told = quotient_symmetry::detect(&mut model).reasons;
        assert!(told.iter().any(|told| told.message.contains("named by a number")), "{told:?}");
        assert!(!model.heap.as_ref().is_some_and(|heap| heap.members_alike));
        let found = search(&model, Options::default());
        (found.states, found.matched, found.kinds)
    };
    assert_eq!(found("x"), found("z"));
}

/// Without the proof errors would be lost: members that are named by numbers are not alike.
#[test]
fn without_the_proof_errors_are_lost() {
    let text = "scalarset S[2]; typedef node; typedef node { S owner }; S last; node &g;
        active proctype Q() { S m; g = new node; select (m : S); last = m; false }";
    let mut lost = 0;
    for number in 0..2 {
        let mut model = read(text, 5);
        // The thread that asserts something of one member.
        let heap = model.heap.as_mut().expect("the model has a heap");
        heap.members_alike = true;
        let last = model.globals.iter().position(|slot| slot.name == "last").expect("there is such a variable");
        let place = quotient_ir::Place::scalar(quotient_ir::Scope::Global, last, model.globals[last].scalar);
        let process = model.proctypes.iter().position(|ty| ty.name == "Q").expect("there is such a process");
        let is_wait = |action: &Action| matches!(action, Action::Condition(Expr::Const(0)));
        let statements = &mut model.proctypes[process].statements;
        let waits = statements.iter_mut().find(|statement| is_wait(&statement.action)).expect("it waits");
        waits.action = Action::Assert(heap_models::not(equal(Expr::Read(place), Expr::Const(number))));
        let kinds = |model: &quotient_ir::Model| search(model, Options::default()).kinds;
        let believed = kinds(&model);
        quotient_symmetry::detect(&mut model);
        assert!(!model.heap.as_ref().is_some_and(|heap| heap.members_alike));
        assert!(kinds(&model).contains("assertion"));
        lost += usize::from(!believed.contains("assertion"));
    }
    assert!(lost > 0, "nothing is lost without the proof");
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
