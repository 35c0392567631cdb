//! Symmetries that no description file can tell of: control states that stand for members, values that nobody reads, and
//! a beginning that is not symmetric. Every canonical strategy stores as many states as there are orbits.

mod common;

use std::path::Path;

use quotient_canon::Strategy;
use quotient_ir::{Model, Position, ProctypeId, Steady, Symmetry};
use quotient_search::{Options, Order};

use common::orbits::orbits;
use common::{EVERY_WAY, check_replay, explore, way};

/// A server that remembers by its place in the program whom it serves.
const SERVER: &str = "
    byte flag[3]; byte served;
    proctype P(byte me) {
       do :: atomic { flag[me] == 0 -> flag[me] = 1 } :: atomic { flag[me] == 2 -> flag[me] = 0; served-- } od
    }
    active proctype server() {
       do
       :: flag[0] == 1 -> at0: served++; on0: flag[0] = 2
       :: flag[2] == 1 -> at2: served++; on2: flag[2] = 2
       :: flag[1] == 1 -> at1: served++; on1: flag[1] = 2
       od
    }
    active proctype watch() { assert(served < LIMIT) }
    init { atomic { run P(0); run P(1); run P(2) } }";

/// A variable that is written and never read.
const UNREAD: &str = "
    byte flag[3]; byte last; byte turn = 9;
    proctype P(byte me) {
       byte t;
       do :: atomic { flag[me] == 0 -> flag[me] = 1; last = 7 * me + 1 } :: t = me :: flag[me] = 0
       :: atomic { turn == 9 -> turn = 3 - me } :: atomic { turn == 3 - me -> turn = 9 } od
    }
    init { atomic { run P(0); run P(1); run P(2) } }";

/// Flags are raised one after the other, while the processes run.
const BEGINNING: &str = "
    byte flag[3] = 2;
    proctype P(byte me) { do :: atomic { flag[me] < 2 -> flag[me] = 1 - flag[me] } od }
    init { atomic { run P(0); run P(1); run P(2) }; flag[0] = 1; flag[1] = 1; flag[2] = 1; done: false }";

fn model(text: &str, description: &str, change: impl FnOnce(&Model, &mut Symmetry)) -> Model {
    let mut model = common::parse(text);
    let mut sources = quotient_report::source::SourceMap::default();
    let loader = |_: &Path| Ok(description.as_bytes().to_vec());
    let options = quotient_promela::Options::default();
    let problems = quotient_promela::describe(&mut model, "m.sym".as_ref(), &options, &mut sources, &loader);
    assert!(problems.is_empty(), "{problems:?}");
    let mut symmetry = model.symmetry.take().expect("a symmetry");
    change(&model, &mut symmetry);
    model.symmetry = Some(symmetry);
    model
}

fn proctype(model: &Model, name: &str) -> ProctypeId {
    model.proctypes.iter().position(|proctype| proctype.name == name).expect("a type")
}

fn slot(slots: &[quotient_ir::Slot], name: &str) -> usize {
    slots.iter().position(|slot| slot.name == name).expect("a variable")
}

/// A description of the server without its control states.
const SERVED: &str = "scalarset PID; byte flag[PID]; proctype P[PID] { PID me }";

fn with_controls(model: &Model, symmetry: &mut Symmetry) {
    let ty = proctype(model, "server");
    symmetry.controls = vec![Vec::new(); model.proctypes.len()];
    for state in &model.proctypes[ty].states {
        let place = |label: &String| {
            let class = 1 + ["at", "on"].iter().position(|kind| label.starts_with(kind))? as u32;
            Some(Position { class, members: vec![(0, label[2..].parse().expect("a member"))] })
        };
        let position = state.labels.iter().find_map(place).unwrap_or_default();
        symmetry.controls[ty].push(position);
    }
    let moving = symmetry.controls[ty].iter().filter(|position| !position.members.is_empty()).count();
    assert_eq!(moving, 6);
}

const WRITTEN: &str = "scalarset PID; byte flag[PID]; proctype P[PID] { PID me }";

fn with_unread(model: &Model, symmetry: &mut Symmetry) {
    let ty = proctype(model, "P");
    let t = slot(&model.proctypes[ty].slots, "t");
    symmetry.unread.globals = vec![slot(&model.globals, "last")];
    symmetry.unread.locals = vec![Vec::new(); model.proctypes.len()];
    symmetry.unread.locals[ty] = vec![vec![t]; model.proctypes[ty].states.len()];
    // The names run down from 3, and zero is free; those of `t` run up, and zero is one.
    let down = quotient_ir::Names { values: vec![(1, 0, 2), (2, 0, 1), (3, 0, 0)] };
    symmetry.names.push(down);
    symmetry.globals[slot(&model.globals, "turn")].names = Some(symmetry.names.len() - 1);
    symmetry.locals[ty][t].names = symmetry.locals[ty][slot(&model.proctypes[ty].slots, "me")].names;
}

fn with_steady(model: &Model, symmetry: &mut Symmetry) {
    let ty = proctype(model, "init");
    let process = model.initial.iter().position(|instance| instance.proctype == ty).expect("init");
    let done = |state: &quotient_ir::State| state.labels.iter().any(|label| label == "done");
    symmetry.steady = Some(Steady { process, controls: model.proctypes[ty].states.iter().map(done).collect() });
}

fn check(model: &Model) {
    let (orbits, _) = orbits(model);
    let plain = explore(model, &way(Order::DepthFirst, false));
    let mut checked = 0;
    for strategy in Strategy::ALL.into_iter().filter(|&strategy| quotient_canon::obstacle(model, strategy).is_none()) {
        for options in EVERY_WAY {
            let options = Options { symmetry: Some(strategy), selfcheck: 300, ..options };
            let found = explore(model, &options);
            let reduced = found.symmetry.as_ref().expect("symmetry is on");
            let way = format!("{strategy}, {}", common::name(&options));
            assert_eq!(found.errors > 0, plain.errors > 0, "{way}");
            assert!(reduced.checked > 1 && found.dropped.is_empty(), "{way}: {:?}", found.dropped);
            if strategy.is_canonical() && !options.reduce.is_on() {
                assert_eq!(found.states, orbits, "{way}");
            }
            for violation in &found.violations {
                check_replay(model, options.reduce.is_on(), violation)
                    .unwrap_or_else(|problem| panic!("{way}: {problem}"));
            }
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked}");
}

/// Whether the self-check finds something wrong.
fn is_wrong(model: &Model) -> bool {
    let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: 1000, ..way(Order::DepthFirst, false) };
    !explore(model, &options).dropped.is_empty()
}

#[test]
fn control_states_that_stand_for_members() {
    for limit in ["9", "3"] {
        let text = SERVER.replace("LIMIT", limit);
        check(&model(&text, SERVED, with_controls));
        assert!(is_wrong(&model(&text, SERVED, |_, _| ())));
    }
}

#[test]
fn variables_that_nobody_reads() {
    check(&model(UNREAD, WRITTEN, with_unread));
    let read = |model: &Model, symmetry: &mut Symmetry| {
        with_unread(model, symmetry);
        symmetry.unread = Default::default();
    };
    assert!(is_wrong(&model(UNREAD, WRITTEN, read)));
}

#[test]
fn a_beginning_that_is_not_symmetric() {
    check(&model(BEGINNING, "scalarset PID; byte flag[PID]; proctype P[PID] { PID me }", with_steady));
    assert!(is_wrong(&model(BEGINNING, "scalarset PID; byte flag[PID]; proctype P[PID] { PID me }", |_, _| ())));
}
