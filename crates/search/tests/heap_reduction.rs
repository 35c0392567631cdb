//! Reductions of models with a heap, against brute force on random models: the same kinds of errors with every strategy, order,
//! reduction and rule.
//!
//! These mutations, made by hand, are found by `random_models_keep_their_errors` (see also `heap_reduction/README.md`).

mod heap_models;

use std::collections::BTreeSet;

use heap_models::oracle::{self, Renamings};
use heap_models::random;
use quotient_canon::HeapStrategy;
use quotient_search::{Disorder, Dropped, Exploration, Options, Order, Reduce, Storage, explore};
use quotient_step::reference::Interpreter;
use quotient_step::replay::{DEADLOCK, errors};

const RECORDS: Renamings = Renamings { threads: false, records: true };

/// More states than this of a random model are not looked at.
const MOST_STATES: u64 = 2_000;

/// Which random models are looked at; more with `QUOTIENT_HEAPS=20000`, from another one on with `QUOTIENT_FIRST_HEAP=500`.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let first = number("QUOTIENT_FIRST_HEAP").unwrap_or(0);
    first..first + number("QUOTIENT_HEAPS").unwrap_or(400)
}

fn search(model: &quotient_ir::Model, options: Options) -> Exploration {
    let found = explore(model, &Options { all_errors: true, ..options }, &mut |_| true);
    assert_eq!(found.stop, None);
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
    let (mut compared, mut whole, mut left, mut alone) = (0, 0, 0, 0);
    let mut with_errors = BTreeSet::new();
    let ways = ways();
    let all = std::env::var_os("QUOTIENT_HEAPS").is_some();
    for seed in seeds() {
        let model = random::roomy(seed);
        let Some(records) = oracle::explore(&model, RECORDS, MOST_STATES) else { continue };
        compared += 1;
        let mut expected: BTreeSet<&str> = records.faults.clone();
        expected.extend((records.deadlocks > 0).then_some(DEADLOCK));
        with_errors.extend(expected.iter().copied());
        // Each model is searched in every sixth way, another one each time, and in all of them when there is time.
        for (number, &options) in ways.iter().enumerate() {
            if !all && (number as u64 + seed) % 6 != 0 {
                continue;
            }
            let what = format!("seed {seed}, {options:?}");
            let found = search(&model, options);
            assert!(found.dropped.iter().all(is_limit), "{what}: {:?}", found.dropped);
            assert_eq!(found.kinds, expected, "{what}");
            for violation in &found.violations {
                let shown = errors(Interpreter { model: &model, promises: false }, &violation.path);
                let shown = shown.unwrap_or_else(|at| panic!("{what}: event {at} cannot happen"));
                assert!(shown.contains(&violation.error), "{what}: {:?} is not shown", violation.error);
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
    println!("{compared} models: {left} of {whole} states, {alone} steps alone; {with_errors:?}");
    assert!(compared > 100, "only {compared} models were small enough");
    assert!(left * 3 < whole * 2 && alone > 100, "{left} of {whole} states are left, {alone} steps were taken alone");
    for kind in ["null-reference", "bad-cast", "invalid-end-state", "uncaught-exception", "leak"] {
        assert!(with_errors.contains(kind), "no model has {kind}: {with_errors:?}");
    }
}

/// With few records allowed, the reduction is given up before it could hide that there are too many.
#[test]
fn a_limit_on_records_is_not_hidden() {
    let (mut compared, mut dropped, mut limits) = (0, 0, 0);
    for seed in seeds() {
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
    assert!(compared > 100 && dropped > 0 && limits > 0, "{compared} models, {dropped} dropped, {limits} limits");
}
