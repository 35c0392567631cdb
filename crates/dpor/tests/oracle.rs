//! The explorer against the brute-force oracle: the same executions, none twice; with symmetry, one per orbit.
//!
//! `QUOTIENT_ORACLE_PROGRAMS` sets the number of random programs for each memory model.

mod driver;

use quotient_oracle::{Execution, MemoryModel, Program, classes, executions, race, random};
use std::collections::BTreeSet;

/// One line for an execution: what every access reads and writes, and coherence.
fn brief(execution: &Execution) -> String {
    let accesses = execution.threads.iter().map(|thread| {
        let each = thread
            .iter()
            .map(|access| format!("{:?}<-{:?} r{:?} w{:?}", access.loc, access.rf, access.read, access.written));
        each.collect::<Vec<_>>().join("; ")
    });
    format!("{}  co {:?}", accesses.collect::<Vec<_>>().join(" || "), execution.co)
}

fn difference<'a>(of: &'a BTreeSet<Execution>, without: &'a BTreeSet<Execution>) -> Vec<String> {
    of.difference(without).map(brief).collect()
}

fn compare(program: &Program, model: MemoryModel) -> bool {
    let Ok(expected) = executions(program, model) else { return false };
    let plain = driver::explore(program, driver::model(model), false);
    let found: BTreeSet<Execution> = plain.executions.iter().cloned().collect();
    assert_eq!(found.len(), plain.executions.len(), "an execution was explored twice\n{model:?}\n{program}");
    let (missing, extra) = (difference(&expected, &found), difference(&found, &expected));
    assert!(missing.is_empty() && extra.is_empty(), "{model:?}\n{program}\nmissing {missing:#?}\nextra {extra:#?}");
    let classes = classes(program);
    let reduced = driver::explore(program, driver::model(model), true);
    if reduced.statistics.cyclic > 0 {
        return true;
    }
    let orbits: BTreeSet<Execution> = expected.iter().map(|execution| execution.canonical(&classes)).collect();
    let representatives: BTreeSet<Execution> = reduced.executions.iter().map(|one| one.canonical(&classes)).collect();
    let missing = difference(&orbits, &representatives);
    assert!(missing.is_empty(), "an orbit without an execution\n{model:?}\n{program}\n{missing:#?}");
    assert_eq!(reduced.executions.len(), orbits.len(), "an orbit with several executions\n{model:?}\n{program}");
    true
}

/// How many random programs to compare for each memory model.
fn count() -> u64 {
    std::env::var("QUOTIENT_ORACLE_PROGRAMS").map_or(2000, |count| count.parse().expect("a number"))
}

fn sample(model: MemoryModel, count: u64, shape: random::Shape) {
    let compared = (0..count).filter(|&seed| compare(&random::program(seed, shape.clone()), model)).count();
    assert!(compared * 10 >= count as usize * 9, "only {compared} of {count} programs are small enough for the oracle");
}

/// Without races, which end an exploration.
fn atomic() -> random::Shape {
    random::Shape { non_atomic: 0, ..random::Shape::default() }
}

#[test]
fn sc() {
    sample(MemoryModel::Sc, count(), atomic());
}

#[test]
fn tso() {
    sample(MemoryModel::Tso, count(), atomic());
}

#[test]
fn ra() {
    sample(MemoryModel::Ra, count(), atomic());
}

#[test]
fn rc11() {
    sample(MemoryModel::Rc11, count(), atomic());
}

#[test]
fn locks() {
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra, MemoryModel::Rc11] {
        sample(model, count() / 4, random::Shape { locks: 60, total: 7, ..atomic() });
    }
}

#[test]
fn weak_exchanges() {
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra, MemoryModel::Rc11] {
        sample(model, count() / 4, random::Shape { weak: true, updates: 50, ..atomic() });
    }
}

/// Parts of an exploration add up to the whole: the same executions, each counted once.
#[test]
fn shares() {
    let mut divided = 0;
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra, MemoryModel::Rc11] {
        for seed in 0..count() / 8 {
            let program = random::program(seed, atomic());
            for symmetry in [false, true] {
                let whole = driver::explore(&program, driver::model(model), symmetry);
                let parts: Vec<_> = (0..3)
                    .map(|index| driver::explore_share(&program, driver::model(model), symmetry, (index, 3)))
                    .collect();
                let mut sum = quotient_dpor::Statistics::default();
                parts.iter().for_each(|part| sum.add(&part.statistics));
                sum.cyclic = whole.statistics.cyclic;
                assert_eq!(sum, whole.statistics, "{model:?}, symmetry {symmetry}\n{program}");
                let all = |of: &[Execution]| of.iter().cloned().collect::<BTreeSet<_>>();
                let together: BTreeSet<Execution> = parts.iter().flat_map(|part| all(&part.executions)).collect();
                assert_eq!(together, all(&whole.executions), "{model:?}, symmetry {symmetry}\n{program}");
                divided += parts.iter().all(|part| part.statistics.complete > 0) as u32;
            }
        }
    }
    assert!(divided > 20, "only {divided} explorations were divided");
}

/// A race is found if and only if some execution has one.
#[test]
fn races() {
    let shape = random::Shape { non_atomic: 40, assumes: 0, ..random::Shape::default() };
    let (mut racy, mut safe) = (0, 0);
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra, MemoryModel::Rc11] {
        for seed in 0..count() / 4 {
            let program = random::program(seed, shape.clone());
            let Ok(expected) = executions(&program, model) else { continue };
            let expected = expected.iter().any(|execution| race(&program, execution, model));
            for symmetry in [false, true] {
                let found = driver::explore(&program, driver::model(model), symmetry).races > 0;
                assert_eq!(found, expected, "{model:?}, symmetry {symmetry}\n{program}");
            }
            if expected { racy += 1 } else { safe += 1 }
        }
    }
    assert!(racy > 20 && safe > 20, "both kinds of programs are needed: {racy} racy, {safe} not");
}
