//! The machine against the reference interpreter: on every state they must offer the same choices in the same order,
//! with the same successors and the same faults. The engine against the naive search: the same counts.

mod common;

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::path::PathBuf;

use quotient_generate::random::Random;
use quotient_ir::Model;
use quotient_search::naive::{self, Counts};
use quotient_search::{Options, Order};
use quotient_step::machine::{Attempt, Machine, Program};
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::{Choice, Control, Fault};

use common::{
    EVERY_WAY, check_replay, conformance_directory, explore, load, models_directory, models_in, name, parse, stem, way,
};

/// Models with more states than this are walked through at random.
const MOST_STATES: u64 = 3_000;

/// An executed choice: what it was, what went wrong, and where it led.
#[derive(PartialEq, Eq, Debug)]
struct Step {
    choice: Choice,
    faults: Vec<Fault>,
    next: Option<(State, Control)>,
}

/// What can happen in a state, as either side sees it.
#[derive(PartialEq, Eq, Debug)]
enum Possible {
    Steps(Vec<Step>),
    Release,
    End,
    Deadlock,
}

/// A state of the machine and who may move in it.
type Point = (Vec<u8>, Control);

fn by_reference(interpreter: &Interpreter, state: &State, control: Control) -> Possible {
    match interpreter.moves(state, control) {
        Moves::Some(outcomes) => Possible::Steps(
            outcomes.into_iter().map(|o| Step { choice: o.choice, faults: o.faults, next: o.next }).collect(),
        ),
        Moves::Release => Possible::Release,
        Moves::End => Possible::End,
        Moves::Deadlock => Possible::Deadlock,
    }
}

/// What the machine can do in a state, and the bytes of the successors.
fn by_machine(machine: &mut Machine, (state, control): &Point) -> (Possible, Vec<Point>) {
    for timeout in [false, true] {
        let (steps, points) = machine_steps(machine, state, *control, timeout);
        if !steps.is_empty() {
            return (Possible::Steps(steps), points);
        }
        machine.load(state);
        if machine.processes() == 0 {
            return (Possible::End, points);
        }
        if *control != Control::Free {
            return (Possible::Release, points);
        }
        if !machine.program().model.uses.timeout {
            break;
        }
    }
    (if machine.may_end() { Possible::End } else { Possible::Deadlock }, Vec::new())
}

fn machine_steps(machine: &mut Machine, state: &[u8], control: Control, timeout: bool) -> (Vec<Step>, Vec<Point>) {
    let (mut steps, mut points) = (Vec::new(), Vec::new());
    machine.load(state);
    for process in (0..machine.processes()).rev() {
        if control != Control::Free && control != Control::Exclusive(process) {
            continue;
        }
        machine.load(state);
        let may = machine.may_move(process, timeout);
        let faults = machine.take_faults();
        if !faults.is_empty() {
            steps.push(Step { choice: Choice { process, transition: 0, partner: None }, faults, next: None });
        }
        if !may {
            continue;
        }
        machine.load(state);
        let (ty, at) = machine.control(process);
        let compiled = &machine.program().proctypes[ty];
        let (first, end) = (compiled.states[at].first, compiled.states[at].end);
        let (mut moved, mut escape) = (false, 0);
        for (transition, mv) in compiled.moves[first as usize..end as usize].iter().enumerate() {
            if escape > 0 && escape != mv.escape {
                break;
            }
            machine.load(state);
            let choice = Choice { process, transition, partner: None };
            machine.enter(process, timeout);
            let attempt = machine.attempt(mv, moved);
            let faults = machine.take_faults();
            match attempt {
                Attempt::Blocked if faults.is_empty() => {
                    assert_eq!(machine.state(), state, "a blocked move leaves the state as it was");
                }
                Attempt::Blocked => steps.push(Step { choice, faults, next: None }),
                Attempt::Failed => {
                    (moved, escape) = (true, mv.escape);
                    steps.push(Step { choice, faults, next: None });
                }
                Attempt::Moved => {
                    (moved, escape) = (true, mv.escape);
                    let control = if mv.atomic { Control::Exclusive(process) } else { Control::Free };
                    points.push((machine.state().to_vec(), control));
                    steps.push(Step { choice, faults, next: Some((machine.decode(), control)) });
                }
                Attempt::Offered => {
                    let before = steps.len();
                    receivers(machine, choice, &faults, &mut steps, &mut points);
                    escape = if steps.len() > before { mv.escape } else { 0 };
                }
            }
        }
    }
    (steps, points)
}

/// Completes a rendezvous, just offered by the machine, with everyone who can receive. As in SPIN, `timeout` is false for
/// the receiver even when the sender could send only because of it.
fn receivers(
    machine: &mut Machine,
    sent: Choice,
    sent_faults: &[Fault],
    steps: &mut Vec<Step>,
    points: &mut Vec<Point>,
) {
    let state = machine.state().to_vec();
    let (channel, message) = machine.offered();
    let message = message.to_vec();
    for process in (0..machine.processes()).rev().filter(|&process| process != sent.process) {
        machine.load(&state);
        machine.offer(channel, message.iter().copied());
        let may = machine.may_move(process, false);
        machine.take_faults();
        machine.load(&state);
        let (ty, at) = machine.control(process);
        let compiled = &machine.program().proctypes[ty];
        let (first, end) = (compiled.states[at].first, compiled.states[at].end);
        let mut escape = 0;
        for (transition, mv) in compiled.moves[first as usize..end as usize].iter().enumerate() {
            if !may || (escape > 0 && escape != mv.escape) {
                break;
            }
            machine.load(&state);
            machine.offer(channel, message.iter().copied());
            let choice = Choice { partner: Some((process, transition)), ..sent };
            machine.enter(process, false);
            let attempt = machine.attempt(mv, false);
            let faults = [sent_faults, &machine.take_faults()].concat();
            match attempt {
                Attempt::Blocked => {}
                Attempt::Failed => steps.push(Step { choice, faults, next: None }),
                Attempt::Moved => {
                    escape = mv.escape;
                    let control = if mv.atomic { Control::Exclusive(process) } else { Control::Free };
                    points.push((machine.state().to_vec(), control));
                    steps.push(Step { choice, faults, next: Some((machine.decode(), control)) });
                }
                Attempt::Offered => panic!("a receiver offers a message"),
            }
        }
    }
}

/// Compares both sides in one state; gives back the successors.
fn compare(machine: &mut Machine, interpreter: &Interpreter, point: &Point) -> Result<Vec<Point>, String> {
    machine.load(&point.0);
    let state = machine.decode();
    let expected = by_reference(interpreter, &state, point.1);
    let (found, mut points) = by_machine(machine, point);
    if found == expected {
        if found == Possible::Release {
            points.push((point.0.clone(), Control::Free));
        }
        return Ok(points);
    }
    let mut message = format!("in {state:?} with control {:?}\n", point.1);
    match (&expected, &found) {
        (Possible::Steps(expected), Possible::Steps(found)) => {
            let first = expected.iter().zip(found).take_while(|(e, f)| e == f).count();
            let _ =
                write!(message, "step {first}: reference {:#?}\nmachine {:#?}", expected.get(first), found.get(first));
        }
        _ => {
            let _ = write!(message, "reference {expected:#?}\nmachine {found:#?}");
        }
    }
    Err(message)
}

/// The initial state, if both sides agree on it.
fn initial(machine: &mut Machine, interpreter: &Interpreter) -> Result<Point, String> {
    machine.initial();
    let faults = machine.take_faults();
    let (state, expected_faults) = interpreter.initial();
    if (machine.decode(), &faults) != (state.clone(), &expected_faults) {
        return Err(format!(
            "initially: reference {state:#?} {expected_faults:?}\nmachine {:#?} {faults:?}",
            machine.decode()
        ));
    }
    Ok((machine.state().to_vec(), Control::Free))
}

/// Compares both sides in every state, atomic ones included; gives back how many there are.
fn compare_everywhere(model: &Model, promises: bool) -> Result<usize, String> {
    let program = Program::new(model);
    let mut machine = Machine::new(&program, promises);
    let interpreter = Interpreter { model, promises };
    let mut work = vec![initial(&mut machine, &interpreter)?];
    let mut seen: HashSet<Point> = work.iter().cloned().collect();
    while let Some(point) = work.pop() {
        for next in compare(&mut machine, &interpreter, &point)? {
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    Ok(seen.len())
}

/// Compares both sides along random runs; a run that ends starts again.
fn compare_at_random(model: &Model, seed: u64, steps: usize) -> Result<usize, String> {
    let program = Program::new(model);
    let mut machine = Machine::new(&program, true);
    let interpreter = Interpreter { model, promises: true };
    let start = initial(&mut machine, &interpreter)?;
    let mut random = Random(seed);
    let mut at = start.clone();
    let mut seen = HashSet::new();
    for _ in 0..steps {
        let mut next = compare(&mut machine, &interpreter, &at)?;
        seen.insert(at);
        at = match next.len() {
            0 => start.clone(),
            count => next.swap_remove(random.below(count)),
        };
    }
    Ok(seen.len())
}

/// All models, with the number of states that a search without reduction stores.
fn all_models() -> Vec<(String, Model, u64)> {
    let files: Vec<PathBuf> =
        models_in(&conformance_directory()).into_iter().chain(models_in(&models_directory())).collect();
    files
        .iter()
        .map(|path| {
            let model = load(path, &[]);
            let found = explore(&model, &Options { max_states: Some(MOST_STATES), ..way(Order::DepthFirst, false) });
            (stem(path), model, found.states)
        })
        .collect()
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn the_machine_agrees_with_the_reference_on_every_state() {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (name, model, states) in all_models() {
        if states >= MOST_STATES {
            continue;
        }
        let promises = model.proctypes.iter().any(|proctype| !proctype.exclusive.is_empty());
        for promises in BTreeSet::from([false, promises]) {
            match compare_everywhere(&model, promises) {
                Ok(count) => compared += count,
                Err(problem) => problems.push(format!("{name}: {problem}")),
            }
        }
    }
    assert_none(&problems);
    assert!(compared > 20_000, "only {compared} states were compared");
}

#[test]
fn the_machine_agrees_with_the_reference_on_random_runs() {
    let mut problems = Vec::new();
    let mut walked = 0;
    for (name, model, states) in all_models() {
        if states < MOST_STATES {
            continue;
        }
        for seed in 1..=3 {
            match compare_at_random(&model, seed, 2_000) {
                Ok(seen) => walked += seen,
                Err(problem) => problems.push(format!("{name}, seed {seed}: {problem}")),
            }
        }
    }
    assert_none(&problems);
    assert!(walked > 20_000, "the walks saw only {walked} states");
}

#[test]
fn the_engine_counts_what_the_naive_search_counts() {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (name, model, states) in all_models() {
        if states >= MOST_STATES {
            continue;
        }
        let expected = naive::explore(&model, MOST_STATES);
        let found = explore(&model, &way(Order::DepthFirst, false));
        let counted = Counts { states: found.states, matched: found.matched, errors: found.errors };
        if expected != Some(counted) {
            problems.push(format!("{name}: naively {expected:?}, engine {counted:?}"));
        }
        compared += 1;
    }
    assert_none(&problems);
    assert!(compared >= 97, "only {compared} models were compared");
}

#[test]
fn the_engine_counts_what_the_naive_search_counts_where_models_seldom_go() {
    let mut problems = Vec::new();
    for text in RARE {
        let model = parse(text);
        let expected = naive::explore(&model, 20_000).unwrap_or_else(|| panic!("{text}: too many states"));
        let found = explore(&model, &way(Order::DepthFirst, false));
        let counted = Counts { states: found.states, matched: found.matched, errors: found.errors };
        if expected != counted {
            problems.push(format!("{text}\nnaively {expected:?}, engine {counted:?}"));
        }
        for options in EVERY_WAY {
            for violation in explore(&model, &options).violations {
                if let Err(problem) = check_replay(&model, options.reduce.is_on(), &violation) {
                    problems.push(format!("{text}\n{}: {problem}", name(&options)));
                    break;
                }
            }
        }
    }
    assert_none(&problems);
}

/// What few models do: faults in every place, and rendezvous with escapes, `provided` and priorities.
#[test]
fn the_machine_agrees_with_the_reference_where_models_seldom_go() {
    let mut problems = Vec::new();
    let mut states = 0;
    for text in RARE {
        match compare_everywhere(&parse(text), true) {
            Ok(count) => states += count,
            Err(problem) => problems.push(format!("{text}\n{problem}")),
        }
    }
    assert_none(&problems);
    assert!(states > 1_000, "only {states} states were compared");
}

/// Promises are checked alike, whoever breaks them.
#[test]
fn the_machine_agrees_with_the_reference_on_promises() {
    let mut problems = Vec::new();
    let mut states = 0;
    for seed in 0..400 {
        let text = quotient_generate::promising::model(seed);
        let model = parse(&text);
        let size = explore(&model, &Options { max_states: Some(2_000), ..way(Order::DepthFirst, false) }).states;
        if size >= 2_000 {
            continue;
        }
        match compare_everywhere(&model, true) {
            Ok(count) => states += count,
            Err(problem) => problems.push(format!("{text}\n{problem}")),
        }
    }
    assert_none(&problems);
    assert!(states > 10_000, "only {states} states were compared");
}

const RARE: [&str; 23] = [
    // Questions about oneself, directly and in a circle; an event automaton without an end.
    "active proctype P() { assert(enabled(0)) }",
    "byte x; active proctype P() { enabled(1) -> x = 1 } active proctype Q() { enabled(0) -> x = 2 }",
    "chan c = [1] of { byte }; notrace { do :: c!1; c!2 od } active proctype P() { c!1; c!2; c!3 } \
     active proctype Q() { byte x; c?x; c?x; c?x }",
    // Faults in guards, in assignments, in indices, on either side.
    "byte x, y; active proctype P() { do :: x < 3 -> x++ :: y = 6 / x :: 6 % (x - 1) -> y = 0 od }",
    "byte a[3], i; active proctype P() { do :: i < 5 -> i++ :: a[i] = 1 :: a[i] == 1 -> a[i] = a[i - 1] :: i = 0 od }",
    "byte a[2], i = 5; active proctype P() { do :: a[i] == 1 -> skip :: else -> i = 1 od } active proctype Q() { i = 0 }",
    // Faults inside a d_step: blocked, after some steps, and two at once.
    "byte x; active proctype P() { do :: d_step { x < 3 -> x++; if :: x > 2 fi } :: x = (x + 1) % 4 od }",
    "byte x; active proctype P() { do :: d_step { x++; do :: x == 7 -> break :: else -> x = (x + 1) % 9 od } :: x = 6 od }",
    "byte x; active proctype P() { skip; d_step { x = 1; assert(x == 2); x = 6 / (x - 1) } }",
    "chan c = [0] of { byte }; byte x; active proctype P() { d_step { x = 1; c!x } } active proctype Q() { c?x }",
    // Channels that do not exist, messages that do not fit, polls of a rendezvous channel.
    "chan c; byte x; active proctype P() { do :: c!1 :: c?x :: len(c) == 0 -> skip :: empty(c) -> skip :: x++ od }",
    "chan c = [2] of { byte, byte }; chan d; byte x; active proctype P() { d = c; do :: d!1 :: d!1, 2 :: d?x :: d?x, x od }",
    "chan c = [0] of { byte }; chan d; byte x; active proctype P() { d = c; do :: d?[1] -> skip :: d?<x> :: x++ od }",
    // Too few fields and too many: where they match and where not, taken out and looked at.
    "chan c = [2] of { byte, byte }; chan d; byte x; active proctype P() { d = c;
     do :: c!1, 2 :: c!2, 1 :: c!1 :: c?1 :: c??2 :: d?2 :: d?? eval(x) :: d?<x> :: d??<2> :: c?<x> :: d?[2] :: d?2, x, x
     :: d?_, x :: d_step { d?x; x = 0 } od }",
    "chan c = [0] of { byte, byte }; chan d; byte x; active proctype P() { do :: c!1, x :: c!2, 1 :: c!1 od }
     active proctype Q() { d = c; do :: c?1 :: d?2 :: d?2, x, x :: d?x, 1 :: atomic { d?eval(x); x = 3 } od }",
    // Rendezvous in d_steps and atomic sequences, with two receivers and two options each.
    "chan c = [0] of { byte, bit }; byte x;
     active proctype S() { do :: atomic { c!1, 0; x++ } :: c!2, 1 od }
     active [2] proctype R() { byte y; do :: atomic { c?y, 0; y = 0 } :: d_step { c?y, eval(x % 2); y = 0 } :: c?2, _ od }",
    // Escapes: one that must wait for its partner in a rendezvous, and nested ones.
    "chan c = [0] of { bit }; byte x;
     active proctype P() { { do :: x < 3 -> x++ :: atomic { x = 0; x = 1; x = 2 } od } unless { c!1 } }
     active proctype Q() { bit b; { { x == 2 -> skip } unless { c?b } } unless { x == 3 -> skip } }",
    // A receiver that may move only on a timeout, which a rendezvous is not (SPIN: one state, a deadlock).
    "chan c = [0] of { bit }; active proctype S() { c!1 } active proctype R() provided (timeout) { bit x; c?x }",
    // Who may move: provided clauses with faults, and priorities that change.
    "byte x; active proctype P() provided (6 / x) { do :: x = 2 od } active proctype Q() { do :: x < 3 -> x++ :: x = 0 od }",
    "byte x; active [2] proctype P() priority 3 { x++; set_priority(_pid, 1 + x); do :: x < 5 -> x++ :: x > 1 -> x = 1 od }
     active proctype Q() priority 2 provided (x != 2) { do :: set_priority(0, x + 1) :: x < 4 -> x++ od }",
    // Processes and channels that come and go, seen by others.
    "chan q = [1] of { chan }; byte seen;
     proctype C(byte n) { chan own = [1] of { byte }; byte y; q!own; own?y; seen = y; if :: n > 0 -> run C(n - 1) :: else fi }
     active proctype P() { chan c; pid p; do :: _nr_pr < 3 -> p = run C(1) :: q?c -> c!p; c = 0 :: C[p]:y > 0 -> skip od }",
    // Who may move: a clause that uses a channel which another one promised to be alone on.
    "chan c = [1] of { byte }; active proctype P() { xr c; xs c; do :: c!1 :: c?1 od }
     active proctype Q() provided (len(c) == 0) { byte x; do :: x = 1 - x od }",
    // Determinism that is promised and not kept; types that cut values; promises that are broken.
    "byte x; unsigned u : 3; short s; chan c = [2] of { byte };
     active D_proctype P() { xs c; do :: x < 200 -> x = x + 150; u = x; s = x * 300 :: x > 50 -> c!x; x = 0 :: c?7 od }
     active proctype Q() { do :: c!7 :: c?? 7 :: c?? [7] -> skip od }",
];
