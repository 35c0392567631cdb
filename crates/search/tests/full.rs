//! The full reduction: what it must not leave out, and what it leaves out. Each of the models with an error is right for
//! one rule only, so that taking the rule out loses the error.

mod common;

use common::{EVERY_WAY, check_replay, explore, full, load, models_directory, name, parse, way};
use quotient_canon::Strategy;
use quotient_ir::Model;
use quotient_search::{Exploration, Options, Order, SELFCHECK};
use quotient_step::machine::Program;

/// Random programs with more states than this are left out.
const MOST_STATES: u64 = 20_000;

/// There is an error, and every way of searching finds the same kinds; the runs can be repeated.
fn is_wrong(text: &str) {
    let model = parse(text);
    let plain = explore(&model, &EVERY_WAY[0]);
    assert!(plain.errors > 0, "no error in {text}");
    for options in EVERY_WAY {
        let found = explore(&model, &options);
        assert_eq!(found.kinds, plain.kinds, "{}: {text}", name(&options));
        for violation in &found.violations {
            check_replay(&model, options.reduce.is_on(), violation)
                .unwrap_or_else(|e| panic!("{}: {e}", name(&options)));
        }
    }
}

/// The full reduction in both orders, which store the same.
fn both_orders(model: &Model) -> Exploration {
    let [deep, broad] = [Order::DepthFirst, Order::BreadthFirst].map(|order| explore(model, &full(order)));
    assert_eq!((deep.states, deep.matched, deep.errors), (broad.states, broad.matched, broad.errors));
    deep
}

/// Nobody is put off forever by a process that chooses between local things in a loop, or goes in a circle without a
/// choice.
#[test]
fn nobody_is_put_off_for_ever() {
    let other = "active proctype Q() { x = 1; assert(x == 0) }";
    for body in [
        "byte i; do :: i = 0 :: i = 1 od",
        "byte i; do :: i == 0 -> i = 1 :: i == 1 -> i = 0 od",
        "byte i; do :: atomic { i = 1 - i; if :: skip :: i = 0 fi } od",
        "byte i; do :: i < 200 -> if :: i++ :: i = i + 2 fi :: else -> i = 0 od",
        "again: skip; goto again",
        "byte i; do :: i++ od",
        "byte i; one: i = 1 - i; goto two; two: if :: i == 0 -> goto one :: i == 1 -> goto one fi",
    ] {
        is_wrong(&format!("byte x; active proctype L() {{ {body} }} {other}"));
        is_wrong(&format!("byte x; {other} active proctype L() {{ {body} }}"));
        is_wrong(&format!("byte x; active proctype L() {{ {body} }} active proctype M() {{ {body} }} {other}"));
    }
}

/// Steps that go on for longer than anybody follows them are given up, and everyone is expanded.
#[test]
fn nobody_is_put_off_for_long() {
    let model = parse(
        "byte x; active proctype L() { int i; do :: i < 2000000000 -> i++ od }
         active proctype Q() { x = 1; assert(x == 0) }",
    );
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let found = explore(&model, &Options { all_errors: false, ..full(order) });
        assert_eq!(found.errors, 1);
    }
}

/// Two processes that pass messages over channels of their own can go on forever, too.
#[test]
fn nobody_is_put_off_for_ever_by_messages() {
    is_wrong(
        "chan c = [1] of { byte }; chan d = [1] of { byte }; byte x;
         active proctype A() { xs c; xr d; byte i; do :: c!1; d?i od }
         active proctype B() { xr c; xs d; byte i; do :: c?i; d!i od }
         active proctype Q() { x = 1; assert(x == 0) }",
    );
}

/// A step that somebody asks about is not skipped.
#[test]
fn what_is_observed_is_stored() {
    is_wrong("active proctype P() { skip; L: skip; skip } active proctype Q() { P@L -> assert(false) }");
    is_wrong("active proctype P() { byte i; i = 1; i = 0 } active proctype Q() { P:i == 1 -> assert(false) }");
    is_wrong("active proctype P() { byte i; i = 1; i = 2 } init { _nr_pr == 1 -> assert(false) }");
    is_wrong(
        "chan c = [1] of { byte }; trace { c!1; c!2 }
         active proctype P() { xs c; c!1; c!1 } active proctype Q() { xr c; byte i; c?i; c?i }",
    );
    is_wrong(
        "byte x; active proctype P() { byte i; i = 1; i = 2; x = 1 } active proctype Q() { timeout -> assert(false) }",
    );
}

/// Variables are alive where they are read, however that is written.
#[test]
fn what_is_read_keeps_its_value() {
    // In the escape of an `unless`.
    is_wrong(
        "byte g; active proctype P() { byte i; i = 5; { g == 1 -> g = 2; i = 0 } unless { g == 3 -> assert(i != 5) } }
         active proctype Q() { g = 3 }",
    );
    // In a rendezvous: sent, and compared with what is received.
    is_wrong(
        "chan c = [0] of { byte }; active proctype P() { byte i; i = 5; c!i }
         active proctype Q() { byte i; c?i; assert(i != 5) }",
    );
    is_wrong(
        "chan c = [0] of { byte, byte }; active proctype P() { c!5,7 }
         active proctype Q() { byte i, j; i = 5; c?eval(i),j; assert(j != 7) }",
    );
    // Inside a d_step, on one of its branches, and after one that does not write it.
    is_wrong(
        "byte g; active proctype P() { byte i; i = 5; d_step { if :: g == 0 -> g = i :: else -> i = 0 fi };
         assert(g != 5) }",
    );
    is_wrong(
        "byte g; active proctype P() { byte i; i = 5; d_step { if :: g == 1 -> i = 0 :: else -> skip fi }; g = 2;
         assert(i != 5) }",
    );
    // An element of an array that an index chooses, a field of a structure, a channel.
    is_wrong(
        "byte g; active proctype P() { byte a[3]; byte i; a[1] = 5; g = 1; i = g; a[i - 1] = 0; assert(a[i] != 5) }",
    );
    is_wrong(
        "byte g; typedef T { byte a; byte b }; active proctype P() { T t; t.a = 5; g = 1; t.b = 0; assert(t.a != 5) }",
    );
    is_wrong(
        "byte g; chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype P() { chan e; e = d; g = 1; e!5; g = 2 } active proctype Q() { byte i; d?i; assert(i != 5) }",
    );
    // By another process, by a promise, by what is computed for an index or may fail.
    is_wrong(
        "byte g; active proctype P() { byte i; i = 5; g = 1; i = 0 } active proctype Q() { g == 1 && P:i == 5 -> assert(0) }",
    );
    is_wrong("byte g; active proctype P() { byte a[2]; byte i; i = 5; g = 1; printf(\"%d\", a[i]) }");
    is_wrong("byte g; active proctype P() { byte i, j; i = 0; g = 1; j = 1 / i }");
}

/// What nobody reads makes no difference, and steps without a choice are not stored.
#[test]
fn what_is_left_out() {
    let states = |text: &str| both_orders(&parse(text)).states;
    // A value that is not read again: without the reset there would be ten times as many.
    assert_eq!(
        states("byte g; active proctype P() { byte i; do :: select(i : 0 .. 9); g = 1 - g; i = 0; break od }"),
        3
    );
    // A global that nobody reads.
    assert_eq!(states("byte g; active proctype P() { do :: g++ od }"), 1);
    // Whoever goes in a circle is left at one place of it.
    let circle = "byte g; active proctype P() { again: skip; skip; skip; goto again }
        active proctype Q() { do :: g = (g + 1) % 3; assert(g < 3) od }";
    assert_eq!(states(circle), 6);
    // A loop with an end is not sticky, and followed to its end.
    assert_eq!(
        states("byte g; active proctype P() { byte i; do :: i < 100 -> i++ :: else -> break od; g = 1 - g }"),
        2
    );
    let counting =
        "byte g; active [2] proctype P() { byte i; do :: i < 100 -> i++ :: i >= 100 -> break od; g = 1 - g }";
    assert!(states(counting) < 10);
}

/// The known numbers of the prototype.
#[test]
fn peterson() {
    let path = models_directory().join("peterson.pml");
    for (processes, states, orbits) in [("4", 12_413, 653), ("5", 0, 3_177)] {
        let mut model = load(&path, &[("N".to_string(), Some(processes.to_string()))]);
        if states > 0 {
            assert_eq!(both_orders(&model).states, states);
        }
        quotient_symmetry::detect(&mut model);
        let found = [Order::DepthFirst, Order::BreadthFirst]
            .map(|order| explore(&model, &Options { symmetry: Some(Strategy::Canonical), ..full(order) }));
        assert!(found.iter().all(|found| found.states == orbits && found.errors == 0), "{processes}");
    }
}

/// What is written over is no name: states that differ by a renaming stay one.
#[test]
fn a_reset_names_nobody() {
    let text = |reset: &str| {
        format!(
            "mtype = {{ no, yes }}; byte owner; mtype state[3];
        proctype P(byte me) {{ byte who = 3; do :: atomic {{ owner == 3 -> owner = me }}; who = owner; state[me] = yes;
            atomic {{ assert(who == me); owner = 3 {reset} }}; state[me] = no od }}
        init {{ owner = 3; atomic {{ run P(0); run P(1); run P(2) }} }}"
        )
    };
    let description = "scalarset PID; PID owner; mtype state[PID]; proctype P[PID] { PID me; PID who }";
    let [by_tool, by_hand] = ["", "; who = 3"].map(|reset| {
        let mut model = parse(&text(reset));
        let mut sources = quotient_report::source::SourceMap::default();
        let loader = |_: &std::path::Path| Ok(description.as_bytes().to_vec());
        let options = quotient_promela::Options::default();
        let problems = quotient_promela::describe(&mut model, "m.sym".as_ref(), &options, &mut sources, &loader);
        assert!(problems.is_empty(), "{}", quotient_report::render::render(&problems, &sources, false));
        // The values 0 to 2 are names.
        let program = Program::new(&model).with_resets();
        assert!(program.resets.iter().any(|reset| reset.value == 3), "{:?}", program.resets);
        let reduced = |way| explore(&model, &Options { symmetry: Some(Strategy::Canonical), ..way });
        let (found, plain) = (reduced(full(Order::DepthFirst)), reduced(way(Order::DepthFirst, false)));
        assert!(found.states < plain.states && found.errors == 0, "{} of {}", found.states, plain.states);
        found.states
    });
    assert_eq!(by_tool, by_hand);
}

/// A variable that nobody reads keeps its value if a renaming can put it in the place of one that is read.
#[test]
fn a_reset_is_not_moved_to_where_it_is_read() {
    let text = "byte b[4] = 4; active [4] proctype P() { printf(\"%d\", 4 / b[1]) }";
    let mut model = parse(text);
    quotient_symmetry::detect(&mut model);
    quotient_canon::keep_ended(&mut model);
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: SELFCHECK, ..full(order) };
        let found = explore(&model, &options);
        assert!(found.dropped.is_empty() && found.errors == 0, "{:?}", found.dropped);
    }
}

/// Random programs of the whole language: every way of searching finds the same kinds of errors as the naive search, runs can
/// be repeated, and the full reduction stores the same in both orders. `QUOTIENT_RANDOM=20000` tries more of them.
#[test]
fn random_programs() {
    let wanted = std::env::var("QUOTIENT_RANDOM").ok().map_or(300, |text| text.parse().expect("a number"));
    let (mut compared, mut violated, mut fewer) = (0, 0, 0);
    for seed in 0..wanted {
        let text = quotient_generate::promela::generate(seed, &[], seed % 4 == 0).program.to_string();
        let loader = |_: &std::path::Path| Ok(text.as_bytes().to_vec());
        let options = quotient_promela::Options::default();
        let Some(model) = quotient_promela::load_with("m.pml".as_ref(), &options, &loader).model else { continue };
        let limited = |options: Options| Options { max_states: Some(MOST_STATES), ..options };
        let plain = explore(&model, &limited(EVERY_WAY[0]));
        if plain.stop.is_some() {
            continue;
        }
        compared += 1;
        violated += usize::from(plain.errors > 0);
        let found = EVERY_WAY.map(|options| explore(&model, &limited(options)));
        let [.., deep, broad] = &found;
        let broken = found.iter().any(|found| found.kinds.contains("exclusive-channel") || !found.dropped.is_empty());
        for (options, found) in EVERY_WAY.iter().zip(&found) {
            let way = format!("seed {seed}, {}", name(options));
            assert!(broken || found.kinds == plain.kinds, "{way}: {:?}, not {:?}\n{text}", found.kinds, plain.kinds);
            for violation in found.violations.iter().take(3) {
                check_replay(&model, options.reduce.is_on(), violation)
                    .unwrap_or_else(|e| panic!("{way}: {e}\n{text}"));
            }
        }
        assert!(deep.states <= plain.states, "seed {seed}: {} of {} states\n{text}", deep.states, plain.states);
        assert_eq!((deep.states, deep.matched), (broad.states, broad.matched), "seed {seed}\n{text}");
        fewer += usize::from(deep.states < plain.states);
    }
    let enough = compared * 2 > wanted as usize && violated * 8 > compared && fewer * 2 > compared;
    assert!(enough, "{compared} programs, {violated} with errors, {fewer} with fewer states");
}
