//! Reductions of models with a heap, against brute force on random models: the same kinds of errors with every strategy, order,
//! reduction and rule.
//!
//! `without_a_rule_errors_are_lost` takes out one rule after another, and sees that errors are lost then, and that the net notices:
//!
//! | mutation | rule |
//! |---|---|
//! | every record is the mover's own (owner wrong, publishing taken for safe) | `Owners` |
//! | global variables are no roots | `Roots` |
//! | writing a global variable is taken for local | `Globals` |
//! | no cycle is cut | `Sticky` |
//! | nobody asks who ends or starts | `Threads` |

mod heap_models;

use std::collections::BTreeSet;

use heap_models::oracle::{self, Renamings};
use heap_models::{equal, local, null, random};
use quotient_canon::HeapStrategy;
use quotient_ir::{Action, Builder, Expr, HeapAction, HeapExpr, Model, Question};
use quotient_por::HeapRule;
use quotient_search::{Disorder, Dropped, Error, Exploration, Options, Order, Reduce, Storage, explore};
use quotient_step::reference::Interpreter;
use quotient_step::replay::{DEADLOCK, errors};

const RECORDS: Renamings = Renamings { threads: false, records: true, entries: false, members: false };

/// More states than this of a random model are not looked at.
const MOST_STATES: u64 = 1_000;

/// Which random models are looked at; more with `QUOTIENT_HEAPS=20000`, from another one on with `QUOTIENT_FIRST_HEAP=500`.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let first = number("QUOTIENT_FIRST_HEAP").unwrap_or(0);
    first..first + number("QUOTIENT_HEAPS").unwrap_or(400)
}

fn search(model: &quotient_ir::Model, options: Options) -> Exploration {
    // Where records keep the names that they were made with, there may be no end of states.
    let max_states = (options.heap == HeapStrategy::None).then_some(2 * MOST_STATES);
    let found = explore(model, &Options { all_errors: true, max_states, ..options }, &mut |_| true);
    assert!(found.stop.is_none() || max_states.is_some(), "{:?}", found.stop);
    found
}

/// All ways to search, but for stores, which change from one to the next.
fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for strategy in ["none", "heap", "pc", "kbots", "canonical"] {
        let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            for (reduce, symmetric_independence) in [(Reduce::Spin, true), (Reduce::Full, true), (Reduce::Full, false)]
            {
                let store = if ways.len() % 2 == 0 { Storage::Exact } else { Storage::Tree };
                ways.push(Options { heap, order, reduce, symmetric_independence, store, ..Options::default() });
            }
        }
    }
    ways
}

fn is_limit(dropped: &Dropped) -> bool {
    matches!(dropped, Dropped::Order(Disorder::Records { .. }))
}

#[test]
fn random_models_keep_their_errors() {
    let Kept { compared, whole, left, alone, with_errors, all_deadlocks } = compare(&random::roomy);
    assert!(all_deadlocks > 0 && compared > 50, "only {compared} models were small enough");
    assert!(left * 3 < whole * 2 && alone > 50, "{left} of {whole} states are left, {alone} steps were taken alone");
    for kind in ["null-reference", "bad-cast", "invalid-end-state", "uncaught-exception", "leak"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// Programs that take addresses of variables, and call functions through variables.
#[test]
fn addresses_keep_their_errors() {
    let model = |seed| read(&quotient_generate::addresses::generate(seed).addresses());
    let Kept { compared, whole, left, with_errors, .. } = compare(&model);
    assert!(compared > 50 && left < whole, "{compared} models, {left} of {whole} states are left");
    for kind in ["null-reference", "dangling-reference", "assertion", "no-function"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// Channels that are records.
#[test]
fn channels_keep_their_errors() {
    let Kept { compared, whole, left, with_errors, .. } = compare(&random::roomy_with_channels);
    assert!(compared > 50 && left < whole, "{compared} models, {left} of {whole} states are left");
    for kind in ["channel-misuse", "null-reference", "invalid-end-state"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

fn read(text: &str) -> Model {
    let dynamic = quotient_promela::Dynamic { most_records: 2_000, ..Default::default() };
    let options = quotient_promela::Options { dynamic: Some(dynamic), ..Default::default() };
    let loaded =
        quotient_promela::load_with(std::path::Path::new("m.dprom"), &options, &|_| Ok(text.as_bytes().to_vec()));
    loaded.model.expect("the program has no mistakes")
}

/// What comparing searches of random models has shown.
#[derive(Default)]
struct Kept {
    compared: usize,
    /// States without reduction and with it, and how many steps were taken alone.
    whole: u64,
    left: u64,
    alone: u64,
    with_errors: BTreeSet<&'static str>,
    all_deadlocks: u64,
}

/// Compares reduced searches of random models with brute force.
fn compare(model: &dyn Fn(u64) -> Model) -> Kept {
    let Kept { mut compared, mut whole, mut left, mut alone, mut with_errors, mut all_deadlocks } = Kept::default();
    let ways = ways();
    let all = std::env::var_os("QUOTIENT_HEAPS").is_some();
    for seed in seeds() {
        let model = model(seed);
        let Some(records) = oracle::explore(&model, RECORDS, MOST_STATES) else { continue };
        compared += 1;
        let mut expected: BTreeSet<&'static str> = records.faults.clone();
        expected.extend((records.deadlocks > 0).then_some(DEADLOCK));
        with_errors.extend(expected.iter().copied());
        // Each model is searched in every sixth way, another one each time, and in all of them when there is time.
        for (number, &options) in ways.iter().enumerate() {
            if !all && !(number as u64 + seed).is_multiple_of(6) {
                continue;
            }
            let what = format!("seed {seed}, {options:?}");
            let found = search(&model, options);
            assert!(found.dropped.iter().all(is_limit), "{what}: {:?}", found.dropped);
            match found.stop {
                None => assert_eq!(found.kinds, expected, "{what}"),
                Some(_) => assert!(found.kinds.is_subset(&expected), "{what}"),
            }
            for violation in &found.violations {
                let shown = errors(Interpreter { model: &model, promises: false }, &violation.path);
                let shown = shown.unwrap_or_else(|at| panic!("{what}: event {at} cannot happen"));
                assert!(shown.contains(&violation.error), "{what}: {:?} is not shown", violation.error);
            }
            // Every deadlock is kept, not only one of them.
            let deadlocks =
                found.violations.iter().filter(|violation| violation.error == Error::Deadlock).count() as u64;
            if options.heap == HeapStrategy::Heap && options.reduce == Reduce::Spin && found.errors < 100 {
                assert_eq!(deadlocks, records.deadlocks, "{what}");
                all_deadlocks += deadlocks;
            }
            if options.heap != HeapStrategy::None {
                assert!(found.states <= records.states, "{what}: {} of {} states", found.states, records.states);
            }
            if options.heap == HeapStrategy::Heap && options.reduce == Reduce::Full && options.symmetric_independence {
                (whole, left) = (whole + records.states, left + found.states);
                alone += found.skipped + found.reduced;
            }
        }
    }
    Kept { compared, whole, left, alone, with_errors, all_deadlocks }
}

/// With few records allowed, the reduction is given up before it could hide that there are too many.
#[test]
fn a_limit_on_records_is_not_hidden() {
    let (mut compared, mut dropped, mut limits) = (0, 0, 0);
    for seed in seeds().step_by(4) {
        let model = random::model(seed);
        let Some(records) = oracle::explore(&model, RECORDS, MOST_STATES / 2) else { continue };
        compared += 1;
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let found = search(&model, Options { order, reduce: Reduce::Full, ..Options::default() });
            assert!(found.dropped.iter().all(is_limit), "seed {seed}, {order:?}: {:?}", found.dropped);
            for kind in ["heap-limit", "leak"] {
                let expected = records.faults.contains(kind);
                assert_eq!(found.kinds.contains(kind), expected, "seed {seed}, {order:?}: {kind}");
                limits += usize::from(expected && kind == "heap-limit");
            }
            dropped += found.dropped.len();
        }
    }
    assert!(compared > 25 && dropped > 0 && limits > 0, "{compared} models, {dropped} dropped, {limits} limits");
}

/// A thread that can go round forever, with something to choose, and one that fails. Both steps of the first are local.
fn round() -> Model {
    let mut builder = Builder::new();
    let reference = builder.reference();
    let node = builder.record("Node", &[("next", reference)]);
    let number = builder.global("n", heap_models::BYTE);
    let mut thread = builder.thread("round");
    let q = thread.local("q", reference);
    let start = thread.start();
    thread.step(start, "forget", q.set(null()), start);
    thread.step(start, "make", q.set(HeapExpr::make(node)), start);
    let round = thread.finish();
    let mut thread = builder.thread("fails");
    let states = [thread.start(), thread.state(), thread.state()];
    thread.step(states[0], "write", number.set(Expr::Const(1)), states[1]);
    thread.step(states[1], "assert", Action::Assert(equal(number.read(), Expr::Const(0))), states[2]);
    let fails = thread.finish();
    builder.start(fails);
    builder.start(round);
    builder.build().expect("the model is well-formed")
}

/// A thread that writes to a record that a global variable refers to, or to a global variable, and one that expects it.
fn written(through_record: bool) -> Model {
    let mut builder = Builder::new();
    let reference = builder.reference();
    let node = builder.record("Node", &[("key", heap_models::BYTE)]);
    let global = builder.global("g", reference);
    let number = builder.global("n", heap_models::BYTE);
    builder.initially(global, HeapExpr::make(node));
    let (own, shared) = (builder.field(local(0, reference), node, 0), builder.field(global.read(), node, 0));
    let mut thread = builder.thread("writes");
    let q = thread.local("q", reference);
    let states = [thread.start(), thread.state(), thread.state()];
    thread.step(states[0], "copy", q.set(global.read()), states[1]);
    let write = if through_record { own.set(Expr::Const(1)) } else { number.set(Expr::Const(1)) };
    thread.step(states[1], "write", write, states[2]);
    thread.step(states[2], "exit", HeapAction::Exit.into(), states[2]);
    let writes = thread.finish();
    let mut thread = builder.thread("expects");
    let states = [thread.start(), thread.state()];
    let read = if through_record { shared.read() } else { number.read() };
    thread.step(states[0], "assert", Action::Assert(equal(read, Expr::Const(1))), states[1]);
    thread.step(states[1], "exit", HeapAction::Exit.into(), states[1]);
    let expects = thread.finish();
    builder.start(writes);
    builder.start(expects);
    builder.build().expect("the model is well-formed")
}

/// A thread that asks whether one that it has started has ended, which must not be.
fn ended() -> Model {
    let mut builder = Builder::new();
    builder.thread_record();
    let reference = builder.reference();
    let mut thread = builder.thread("ends");
    let states = [thread.start(), thread.state()];
    thread.step(states[0], "exit", HeapAction::Exit.into(), states[1]);
    let ends = thread.finish();
    let mut thread = builder.thread("asks");
    let q = thread.local("q", reference);
    let states = [thread.start(), thread.state(), thread.state()];
    thread.step(states[0], "start", q.set(HeapExpr::Start { proctype: ends, args: Vec::new() }.into()), states[1]);
    let asked = HeapExpr::Ask(Question::HasEnded, local(0, reference)).into();
    thread.step(states[1], "assert", Action::Assert(asked), states[2]);
    thread.step(states[2], "exit", HeapAction::Exit.into(), states[2]);
    let asks = thread.finish();
    builder.start(asks);
    builder.build().expect("the model is well-formed")
}

#[test]
fn without_a_rule_errors_are_lost() {
    for rule in [HeapRule::Owners, HeapRule::Roots, HeapRule::Globals, HeapRule::Sticky, HeapRule::Threads] {
        let models = [round(), ended(), written(true), written(false)].into_iter().chain(seeds().map(random::roomy));
        let (mut lost, mut noticed) = (false, false);
        for model in models {
            let Some(records) = oracle::explore(&model, RECORDS, 300) else { continue };
            let options = Options { reduce: Reduce::Full, left_out: Some(rule), ..Options::default() };
            let kept = search(&model, Options { selfcheck: 0, ..options });
            let missing = records.faults.iter().any(|kind| !kept.kinds.contains(kind));
            lost |= missing || (records.deadlocks > 0 && !kept.kinds.contains(DEADLOCK));
            noticed |= !search(&model, options).dropped.iter().all(is_limit);
            if lost && (noticed || rule == HeapRule::Sticky) {
                break;
            }
        }
        assert!(lost, "without {rule:?} nothing is lost");
        // Whether cycles are cut cannot be told from one state.
        assert!(noticed || rule == HeapRule::Sticky, "the net does not notice that {rule:?} is missing");
    }
}
