//! Nets under the reductions: a symmetry that is none, and steps that are not local, are noticed by a search with default
//! options; the reduction is dropped, and the verdict is right.

mod common;

use std::path::Path;

use quotient_canon::Strategy;
use quotient_ir::Model;
use quotient_search::{Disorder, Dropped, Exploration, Options, Order, Reduce, SELFCHECK};

use common::{EVERY_WAY, explore, models_directory, models_in, name, parse, stem};

/// As many states are checked as by default.
fn way(order: Order, por: bool) -> Options {
    Options { selfcheck: SELFCHECK, ..common::way(order, por) }
}

/// A model with the symmetry that a description tells of.
fn described(text: &str, description: &str) -> Model {
    let mut model = parse(text);
    let mut sources = quotient_report::source::SourceMap::default();
    let loader = |_: &Path| Ok(description.as_bytes().to_vec());
    let options = quotient_promela::Options::default();
    let problems = quotient_promela::describe(&mut model, "inline.sym".as_ref(), &options, &mut sources, &loader);
    assert!(problems.is_empty(), "{}", quotient_report::render::render(&problems, &sources, false));
    model
}

/// Models that are not symmetric in the way that their descriptions say. Most of them are wrong in a way that a reduction
/// by this symmetry can hide.
const ASYMMETRIC: [(&str, &str); 13] = [
    // A value that is cut to fit becomes a name.
    (
        "byte y = 3; unsigned x : 2; bool f[3]; active [3] proctype P() { do :: f[_pid] = 1; x = y + 1 :: x == _pid -> f[_pid] = 0; x = 1 od }
         active proctype W() { do :: x == 0 && f[1] -> assert(false) :: skip od }",
        "scalarset PID; bool f[PID]; PID x; proctype P[PID] { }",
    ),
    // A process that is not one of them has a number that is.
    (
        "byte x = 2; bool go; active [2] proctype P() { do :: x = _pid :: go = !go od }
         active proctype W() { do :: go && x == 1 -> assert(false) :: else od }",
        "scalarset PID; PID x; proctype P[PID] { }",
    ),
    // Neighbours in a line are not neighbours in a ring.
    (
        "byte f[3]; active [3] proctype P() { do :: _pid > 0 && f[_pid - 1] == 0 -> f[_pid] = 1 :: f[_pid] = 0 od }
         active proctype W() { do :: f[0] == 1 -> assert(false) :: f[1] == 1 && f[2] == 1 -> assert(false) od }",
        "ring PID; byte f[PID]; proctype P[PID] { }",
    ),
    // A print that fails for one of them.
    (
        "byte f[3]; byte a[3]; active [3] proctype P() { do :: f[_pid] = 3 * _pid; printf(\"%d\", a[f[2]]) :: f[_pid] = 0 od }",
        "scalarset PID; byte f[PID]; proctype P[PID] { }",
    ),
    // The same, in one state only, which differs from its neighbours but not from the one that is stored.
    (
        "byte f[3] = 1; byte a[4]; bool go; active [3] proctype P() {
           end: do :: atomic { !go -> go = 1; f[_pid] = 7 } :: atomic { go -> printf(\"%d\", a[f[0]]) } od }",
        "scalarset PID; byte f[PID]; proctype P[PID] { }",
    ),
    // A loop over all of them that stops early for some.
    (
        "byte o = 3; bool b, go; byte c[3] = 1; active [3] proctype P() {
           end: do :: atomic { o == 3 -> o = _pid; c[_pid] = 0 }
           :: d_step { o != 3 && !go -> go = 1; b = b || (1 / c[0] == 1); b = b || (1 / c[1] == 1); b = b || (1 / c[2] == 1) } od }",
        "scalarset PID; PID o; byte c[PID]; proctype P[PID] { }",
    ),
    // The order of names.
    (
        "byte o = 3; active [3] proctype P() { do :: o > _pid -> o = _pid :: o <= _pid -> o = 3 od }
         active proctype W() { do :: o == 0 -> assert(false) od }",
        "scalarset PID; PID o; proctype P[PID] { }",
    ),
    // One of them has a channel that all use.
    (
        "chan c[3] = [1] of { byte }; active [3] proctype P() { do :: c[0]!_pid :: c[_pid]?_ od }
         active proctype W() { do :: full(c[1]) -> assert(false) :: full(c[0]) && len(c[2]) == 0 -> assert(false) od }",
        "scalarset PID; chan c[PID] of { PID }; proctype P[PID] { }",
    ),
    // An error that only one of them can make.
    (
        "byte n; active [3] proctype P() { do :: n < 4 -> n++ :: n == 4 && _pid == 0 -> assert(false) :: n = 0 od }",
        "scalarset PID; proctype P[PID] { }",
    ),
    (
        "byte n; active [3] proctype P() { do :: n < 4 -> n++ :: n == 4 -> n = 5 / _pid :: n > 4 -> n = 0 od }",
        "scalarset PID; proctype P[PID] { }",
    ),
    // A trace that begins with one of them.
    (
        "chan c[2] = [1] of { bit }; trace { do :: c[0]!1; c[1]!1 od }
         active [2] proctype P() { bit b; do :: c[_pid]!1 :: c[_pid]?b od }",
        "scalarset PID; chan c[PID]; proctype P[PID] { }",
    ),
    // One of them can block all.
    (
        "byte stop; active [3] proctype P() { do :: stop == 0 -> skip :: stop == 0 && _pid == 2 -> stop = 1 od }",
        "scalarset PID; proctype P[PID] { }",
    ),
    // A ring that cannot be turned over.
    (
        "byte at; active [4] proctype P() { do :: at == _pid -> at = (_pid + 1) % 4 od }
         active proctype W() { byte last; do :: atomic { at != last -> assert(at == (last + 1) % 4); last = at } od }",
        "dihedral PID; PID at; proctype P[PID] { } proctype W { PID last }",
    ),
];

fn same(found: &Exploration, plain: &Exploration) -> bool {
    (found.states, found.errors > 0) == (plain.states, plain.errors > 0)
}

#[test]
fn a_symmetry_that_is_none_is_dropped() {
    for (text, description) in ASYMMETRIC {
        let model = described(text, description);
        for options in EVERY_WAY {
            let plain = explore(&model, &options);
            let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: SELFCHECK, ..options };
            assert_eq!(quotient_canon::obstacle(&model, Strategy::Canonical), None, "{text}");
            let found = explore(&model, &options);
            assert!(matches!(found.dropped[..], [Dropped::Symmetry { .. }]), "{text}: {}", name(&options));
            assert!(found.symmetry.is_none() && same(&found, &plain), "{text}: {}", name(&options));
        }
        // With default options a violation that is found is enough.
        let plain = explore(&model, &Options { reduce: Reduce::Spin, selfcheck: 0, ..Options::default() });
        let found = explore(
            &model,
            &Options { reduce: Reduce::Spin, symmetry: Some(Strategy::Canonical), ..Options::default() },
        );
        assert_eq!(found.errors > 0, plain.errors > 0, "{text}");
        // Without the net, nothing is noticed.
        let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: 0, ..way(Order::DepthFirst, false) };
        assert!(explore(&model, &options).dropped.is_empty());
    }
}

/// A state where the difference shows is rare, but the statement that makes it is executed once.
#[test]
fn what_is_done_for_the_first_time_is_looked_at() {
    let model = described(
        "byte n; byte o = 3; active [3] proctype P() { byte l;
           do :: n < 200 -> n++ :: n = 0 :: l = (l + 1) % 7 :: n == 199 && l == 6 -> o = 0 od }",
        "scalarset PID; PID o; proctype P[PID] { }",
    );
    let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: 1, ..way(Order::DepthFirst, false) };
    let found = explore(&model, &options);
    assert!(matches!(found.dropped[..], [Dropped::Symmetry { .. }]), "{:?}", found.symmetry);
}

/// Models in which a process type (the number comes first) is not as local as the search is made to believe.
const DEPENDENT: [(u64, &str); 8] = [
    (
        0,
        "byte x; active proctype A() { x = 1; x = 2 } active proctype B() { if :: x == 1 -> assert(false) :: timeout fi }",
    ),
    (1, "byte x; active proctype A() { x = 1 } active proctype B() { byte l; l = x; assert(l == 0) }"),
    (
        1,
        "byte x; active proctype A() { x = 1; x = 0 } active proctype B() { if :: x == 1 -> assert(false) :: else fi }",
    ),
    (
        0,
        "chan c = [2] of { byte }; active proctype A() { c!1; c!2 } active proctype B() { c!3 }
         active proctype C() { byte x; c?x; assert(x != 3); c?x; c?x }",
    ),
    (
        1,
        "chan c = [0] of { byte }; byte g; active proctype B() { byte x; end: if :: c?x :: g == 0 -> assert(false) fi }
         active proctype A() { end: c!1 }",
    ),
    (1, "byte x; active proctype A() { x = 1 } active proctype B() { assert(x == 1); x = 2 }"),
    (
        1,
        "byte x; active proctype A() { atomic { x = 1; x = 2 } }
         active proctype B() { byte l; atomic { l = 1; l = x }; assert(l != 2) }",
    ),
    (
        0,
        "byte x; active proctype A() { x = 0; x = 1 } active proctype B() { byte l; d_step { l = 0; l = 6 / (1 - x) } }",
    ),
];

#[test]
fn steps_that_are_not_local_are_noticed() {
    for (ty, text) in DEPENDENT {
        let model = parse(text);
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let plain = explore(&model, &way(order, false));
            assert!(plain.errors > 0, "{text}");
            let found = explore(&model, &Options { believed: 1 << ty, ..way(order, true) });
            assert!(
                matches!(found.dropped[..], [Dropped::Order(Disorder::Step { .. })]),
                "{text}: {:?}",
                found.dropped
            );
            assert!(same(&found, &plain), "{text}");
        }
        let lost = explore(&model, &Options { believed: 1 << ty, selfcheck: 0, ..way(Order::DepthFirst, true) });
        assert!(lost.dropped.is_empty() && lost.reduced > 0, "{text}");
    }
}

/// Nothing is dropped without reason: the project's models, with the symmetry that is found in them.
#[test]
fn what_is_right_is_not_dropped() {
    let mut checked = (0, 0);
    for path in models_in(&models_directory()) {
        let mut model = common::load(&path, &[]);
        quotient_symmetry::detect(&mut model);
        let symmetry = Some(Strategy::Canonical).filter(|&s| quotient_canon::obstacle(&model, s).is_none());
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let options = Options { symmetry, max_states: Some(30_000), ..way(order, true) };
            let found = explore(&model, &options);
            assert!(found.dropped.is_empty(), "{}: {:?}", stem(&path), found.dropped);
            checked.0 += found.order_checked;
            checked.1 += found.symmetry.map_or(0, |reduced| reduced.checked);
        }
    }
    assert!(checked.0 > 1_000 && checked.1 > 1_000, "{checked:?}");
}
