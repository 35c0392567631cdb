//! Locks that protect their records: using what is in one while another thread holds its lock is an error, and the search
//! need not try what others could do there meanwhile. Against brute force, which tries everything.
//!
//! `without_a_rule_errors_are_lost` takes out one rule after another, and sees that errors are lost then, and that the net notices:
//!
//! | mutation | rule |
//! |---|---|
//! | records are protected, and nobody checks it | `Protection` |
//! | giving back a lock is local | `Unlocking` |

mod heap_models;

use std::collections::BTreeSet;

use heap_models::oracle::{self, Renamings};
use heap_models::{BYTE, equal, field, local, not, null};
use quotient_canon::HeapStrategy;
use quotient_generate::random::Random;
use quotient_ir::heap::Order as Threads;
use quotient_ir::{Action, Builder, Expr, HeapAction, HeapExpr, Model, MonitorOp, ProcessBuilder, RecordId, Variable};
use quotient_por::HeapRule;
use quotient_search::{Exploration, Options, Order, Reduce, Storage, explore};
use quotient_step::reference::Interpreter;
use quotient_step::replay::{DEADLOCK, errors};

const RECORDS: Renamings = Renamings { threads: false, records: true, entries: false, members: false };
const MOST_STATES: u64 = 2_000;

/// How many random models are looked at; more with `QUOTIENT_HEAPS=20000`.
fn seeds() -> std::ops::Range<u64> {
    let number = std::env::var("QUOTIENT_HEAPS").ok().and_then(|number| number.parse().ok());
    0..number.unwrap_or(250)
}

fn search(model: &Model, options: Options) -> Exploration {
    let found = explore(model, &Options { all_errors: true, ..options }, &mut |_| true);
    assert!(found.stop.is_none(), "{:?}", found.stop);
    found
}

fn monitor(op: MonitorOp, object: Expr) -> Action {
    HeapAction::Monitor(op, object).into()
}

/// What the parts of a random thread know: its variables and the type of the records.
#[derive(Clone, Copy)]
struct World {
    node: RecordId,
    globals: [Variable; 2],
    q: Variable,
    r: Variable,
    k: Variable,
    /// Whether records are deleted.
    deletes: bool,
}

/// Threads that mostly use records with their locks held.
fn model(seed: u64, protects: bool) -> Model {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new();
    builder.heap().order = if random.chance(50) { Threads::OldestFirst } else { Threads::YoungestFirst };
    builder.heap().locks_protect = protects;
    builder.heap().most_records = 2_000;
    let reference = builder.reference();
    let node = builder.record("Node", &[("next", reference), ("key", BYTE)]);
    let globals = [builder.global("g", reference), builder.global("h", reference)];
    globals.into_iter().for_each(|global| builder.initially(global, HeapExpr::make(node)));
    for _ in 0..2 {
        let mut thread = builder.thread("t");
        let (q, r, k) = (thread.local("q", reference), thread.local("r", reference), thread.local("k", BYTE));
        let world = World { node, globals, q, r, k, deletes: seed.is_multiple_of(5) };
        let mut at = thread.start();
        for _ in 0..random.between(1, 2) {
            at = step(&mut thread, at, q.set(globals[usize::from(random.one_in(4))].read()));
            let locks = !random.one_in(4);
            if locks {
                at = step(&mut thread, at, monitor(MonitorOp::Lock, q.read()));
            }
            for _ in 0..random.between(1, 3) {
                at = access(&mut thread, at, random, world);
            }
            if locks && !random.one_in(8) {
                at = step(&mut thread, at, monitor(MonitorOp::Unlock, q.read()));
            }
        }
        let end = thread.state();
        thread.step(at, "exit", HeapAction::Exit.into(), end);
        let thread = thread.finish();
        builder.start(thread);
    }
    builder.build().unwrap_or_else(|found| panic!("seed {seed}: {found:?}"))
}

fn step(thread: &mut ProcessBuilder<'_>, from: usize, action: Action) -> usize {
    let to = thread.state();
    thread.step(from, "step", action, to);
    to
}

/// Something that a thread does with records.
fn access(thread: &mut ProcessBuilder<'_>, from: usize, random: &mut Random, world: World) -> usize {
    let World { node, globals, q, r, k, deletes } = world;
    if deletes && random.one_in(8) {
        return step(thread, from, HeapAction::Delete(q.read()).into());
    }
    let (next, key) = (field(q.read(), node, 0, r.place().scalar), field(q.read(), node, 1, BYTE));
    let action = match random.below(12) {
        0 | 1 => k.set(key.read()),
        2 | 3 => key.set(Expr::Const(random.below(2) as i32)),
        4 | 5 => r.set(next.read()),
        6 => next.set(r.read()),
        7 => next.set(if random.chance(50) { HeapExpr::make(node) } else { null() }),
        8 => q.set(null()),
        9 => globals[random.below(2)].set(q.read()),
        10 => {
            let to = thread.state();
            let set = Action::Condition(not(equal(r.read(), null())));
            let other = field(r.read(), node, 1, BYTE).set(Expr::Const(1));
            thread.together(from, "through r", [set, other], to);
            thread.step(from, "r == null", Action::Condition(equal(r.read(), null())), to);
            return to;
        }
        _ => Action::Assert(equal(key.read(), Expr::Const(0))),
    };
    step(thread, from, action)
}

fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for strategy in ["heap", "kbots", "canonical"] {
        let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            for reduce in [Reduce::Spin, Reduce::Full] {
                let store = if ways.len() % 2 == 0 { Storage::Exact } else { Storage::Tree };
                ways.push(Options { heap, order, reduce, store, ..Options::default() });
            }
        }
    }
    ways
}

#[test]
fn what_locks_protect_is_not_tried_and_no_error_is_lost() {
    let (mut compared, mut breaches, mut disciplined) = (0, 0, 0);
    let (mut left, mut left_without) = (0, 0);
    for seed in seeds() {
        let checked = model(seed, true);
        let Some(all) = oracle::explore(&checked, RECORDS, MOST_STATES) else { continue };
        compared += 1;
        let mut expected: BTreeSet<&str> = all.faults.clone();
        expected.extend((all.deadlocks > 0).then_some(DEADLOCK));
        breaches += usize::from(expected.contains("locked-by-another"));
        for options in ways() {
            let found = search(&checked, options);
            let what = format!("seed {seed}, {options:?}");
            assert!(found.dropped.is_empty(), "{what}: {:?}", found.dropped);
            assert_eq!(found.kinds, expected, "{what}");
            for violation in &found.violations {
                let shown = errors(Interpreter { model: &checked, promises: false }, &violation.path);
                let shown = shown.unwrap_or_else(|at| panic!("{what}: event {at} cannot happen"));
                assert!(shown.contains(&violation.error), "{what}: {:?} is not shown", violation.error);
            }
        }
        // Where nobody breaks the rule, all else is as it is without it.
        if !expected.contains("locked-by-another") {
            let free = model(seed, false);
            let options = Options { reduce: Reduce::Full, ..Options::default() };
            let (with, without) = (search(&checked, options), search(&free, options));
            assert_eq!(with.kinds, without.kinds, "seed {seed}");
            disciplined += 1;
            (left, left_without) = (left + with.states, left_without + without.states);
        }
    }
    assert!(
        compared > 200 && breaches > 40 && disciplined > 40,
        "{compared} models, {breaches} breaches, {disciplined}"
    );
    assert!(left * 10 < left_without * 9, "{left} states are left, {left_without} without the rule");
}

/// A thread that looks twice at what is in a record, with its lock held, and one that writes to it without.
fn broken(protects: bool) -> Model {
    let mut builder = Builder::new();
    builder.heap().locks_protect = protects;
    let reference = builder.reference();
    let node = builder.record("Node", &[("key", BYTE)]);
    let global = builder.global("g", reference);
    builder.initially(global, HeapExpr::make(node));
    let key = || field(local(0, reference), node, 0, BYTE);
    let mut thread = builder.thread("looks");
    let q = thread.local("q", reference);
    let mut at = step(&mut thread, 0, q.set(global.read()));
    at = step(&mut thread, at, monitor(MonitorOp::Lock, q.read()));
    at = step(&mut thread, at, Action::Assert(equal(key().read(), Expr::Const(0))));
    at = step(&mut thread, at, monitor(MonitorOp::Unlock, q.read()));
    thread.step(at, "exit", HeapAction::Exit.into(), at);
    let looks = thread.finish();
    let mut thread = builder.thread("writes");
    let q = thread.local("q", reference);
    let mut at = step(&mut thread, 0, q.set(global.read()));
    at = step(&mut thread, at, key().set(Expr::Const(1)));
    thread.step(at, "exit", HeapAction::Exit.into(), at);
    let writes = thread.finish();
    builder.start(looks);
    builder.start(writes);
    builder.build().expect("the model is well-formed")
}

#[test]
fn a_breach_is_an_error() {
    let options = Options { reduce: Reduce::Full, ..Options::default() };
    let kinds = |protects: bool| search(&broken(protects), options).kinds;
    assert_eq!(kinds(true), BTreeSet::from(["assertion", "locked-by-another"]));
    assert_eq!(kinds(false), BTreeSet::from(["assertion"]));
}

#[test]
fn without_a_rule_errors_are_lost() {
    for rule in [HeapRule::Protection, HeapRule::Unlocking] {
        let protects = rule == HeapRule::Unlocking;
        let (mut lost, mut noticed) = (false, false);
        for model in [broken(protects)].into_iter().chain(seeds().map(|seed| model(seed, protects))) {
            let Some(all) = oracle::explore(&model, RECORDS, MOST_STATES) else { continue };
            let options = Options { reduce: Reduce::Full, left_out: Some(rule), ..Options::default() };
            let kept = search(&model, Options { selfcheck: 0, ..options });
            let missing = all.faults.iter().any(|kind| !kept.kinds.contains(kind));
            lost |= missing || (all.deadlocks > 0 && !kept.kinds.contains(DEADLOCK));
            noticed |= !search(&model, options).dropped.is_empty();
            if lost && noticed {
                break;
            }
        }
        assert!(lost, "without {rule:?} nothing is lost");
        assert!(noticed, "the net does not notice that {rule:?} is missing");
    }
}
