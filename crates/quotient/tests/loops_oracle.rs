//! Programs with loops against the brute-force oracle, which follows every round: the same final states and the same
//! errors, whatever is recognised as waiting. The programs are random, under all four memory models.
//!
//! `QUOTIENT_LOOP_PROGRAMS` sets the number of programs for each memory model; `QUOTIENT_LOOP_SEED` the first seed.

mod common;
#[path = "loops_oracle/run.rs"]
mod run;

use std::collections::{BTreeMap, BTreeSet};

use quotient::ViolationKind;
use quotient_oracle::loops::random::{Shape, program};
use quotient_oracle::loops::{Answer, Program, Stmt, answer, shrink};
use quotient_oracle::{Expr, Instr, MemoryModel, Mode, Outcome};

/// How many states or executions the oracle looks at.
const LIMIT: usize = 100_000;
/// The same for programs that are made smaller: loops that have lost their end can be large.
const SMALL: usize = 3_000;
/// Rounds that are followed where a bound is needed; one more must give the same answer.
const ROUNDS: usize = 3;
/// How many programs that differ are shown.
const SHOWN: usize = 3;

/// What a comparison has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Comparison {
    Same,
    /// Too large for the oracle, or more rounds may give more.
    Skipped,
    /// The check came to a limit.
    Undecided,
    /// Final states or errors differ: in one word, and in full.
    Differs(&'static str, String),
}

/// The oracle's answer, and whether it is known to be all. `None` if the program is too large.
fn expected(program: &Program, model: MemoryModel, limit: usize) -> Option<(Answer, bool)> {
    let with_bound = matches!(model, MemoryModel::Ra | MemoryModel::Rc11) || !program.plain.is_empty();
    let less = answer(program, model, ROUNDS, limit).ok()?;
    if !with_bound {
        return Some((less, true));
    }
    match answer(program, model, ROUNDS + 1, limit) {
        Ok(more) => Some((more.clone(), less == more)),
        Err(_) => Some((less, false)),
    }
}

/// One way to run a check.
#[derive(Clone, Copy, Debug)]
struct Way {
    symmetry: bool,
    heap: bool,
}

fn compare(program: &Program, model: MemoryModel, way: Way, limit: usize) -> Comparison {
    let Some((expected, settled)) = expected(program, model, limit) else { return Comparison::Skipped };
    let (report, found) = run::check(program, engine(model), way.symmetry, way.heap);
    let differs = |word, text: String| Comparison::Differs(word, text);
    match report.violation() {
        Some(ViolationKind::Bound) => return Comparison::Undecided,
        Some(kind) => {
            let real = match kind {
                ViolationKind::Panic => expected.fails,
                ViolationKind::Race => expected.races,
                ViolationKind::Livelock | ViolationKind::Deadlock => expected.stuck,
                _ => false,
            };
            return match (real, settled) {
                (true, _) => Comparison::Same,
                (false, false) => Comparison::Skipped,
                (false, true) => differs("false alarm", format!("{kind:?}: {}", report.message().unwrap_or_default())),
            };
        }
        None if report.stop().is_some() || report.is_outside_fragment() => return Comparison::Undecided,
        None => {}
    }
    for (error, word) in [
        (expected.fails, "a failing assertion is missed"),
        (expected.races, "a race is missed"),
        (expected.stuck, "a livelock is missed"),
    ] {
        if error {
            return differs(word, report.to_string());
        }
    }
    let canonical = |all: &BTreeSet<Outcome>| -> BTreeSet<Outcome> {
        all.iter().map(|outcome| if way.symmetry { program.canonical(outcome) } else { outcome.clone() }).collect()
    };
    let (wanted, found) = (canonical(&expected.finals), canonical(&found));
    let missing: Vec<_> = wanted.difference(&found).collect();
    let extra: Vec<_> = found.difference(&wanted).collect();
    if !missing.is_empty() {
        return differs("final states are missing", format!("missing {missing:?}\n{report}"));
    }
    if extra.is_empty() {
        return Comparison::Same;
    }
    // More rounds may show that they are possible.
    let is_real = |more: &Answer| canonical(&more.finals).is_superset(&found);
    if !settled || answer(program, model, ROUNDS + 3, 20 * limit).is_ok_and(|more| is_real(&more)) {
        return Comparison::Skipped;
    }
    differs("there are too many final states", format!("extra {extra:?}\n{report}"))
}

fn engine(model: MemoryModel) -> quotient::MemoryModel {
    match model {
        MemoryModel::Sc => quotient::MemoryModel::Sc,
        MemoryModel::Tso => quotient::MemoryModel::Tso,
        MemoryModel::Ra => quotient::MemoryModel::Ra,
        MemoryModel::Rc11 => quotient::MemoryModel::Rc11,
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Compares random programs under a model. Every third has assertions, every fifth a location that is not atomic.
fn sample(model: MemoryModel) {
    let count = number("QUOTIENT_LOOP_PROGRAMS", 500);
    let start = number("QUOTIENT_LOOP_SEED", 0);
    let (mut skipped, mut undecided) = (0, 0);
    let mut differences: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut shown = Vec::new();
    for seed in start..start + count {
        let shape = Shape { assertions: seed % 3 == 1, plain: seed % 5 == 2 };
        let program = program(seed, shape);
        let way = Way { symmetry: seed % 2 == 1, heap: (seed / 2) % 2 == 1 };
        match compare(&program, model, way, LIMIT) {
            Comparison::Same => {}
            Comparison::Skipped => skipped += 1,
            Comparison::Undecided => undecided += 1,
            Comparison::Differs(word, _) => {
                let seeds = differences.entry(word).or_default();
                seeds.push(seed);
                if seeds.len() <= SHOWN {
                    let is_like = |one: &Program| matches!(compare(one, model, way, SMALL), Comparison::Differs(other, _) if other == word);
                    let small = shrink(&program, is_like);
                    let Comparison::Differs(_, text) = compare(&small, model, way, LIMIT) else {
                        unreachable!("it differs")
                    };
                    shown.push(format!("seed {seed}, {model}, {way:?}: {word}\n{small}{text}\n"));
                }
            }
        }
    }
    let brief = |(word, seeds): (&&str, &Vec<u64>)| {
        let some: Vec<u64> = seeds.iter().copied().take(20).collect();
        format!("{} × {word}, first seeds {some:?}", seeds.len())
    };
    let found: Vec<String> = differences.iter().map(brief).collect();
    let summary = format!("{model}: {count} programs, {skipped} skipped, {undecided} undecided\n{}", found.join("\n"));
    say(&summary);
    assert!(differences.is_empty(), "{}\n{summary}", shown.join("\n"));
    assert!(skipped * 5 <= count, "too many are skipped: {summary}");
    assert!(undecided * 10 <= count, "too many are undecided: {summary}");
}

#[test]
fn sc() {
    sample(MemoryModel::Sc);
}

#[test]
fn tso() {
    sample(MemoryModel::Tso);
}

#[test]
fn ra() {
    sample(MemoryModel::Ra);
}

#[test]
fn rc11() {
    sample(MemoryModel::Rc11);
}

/// Store buffering behind waiting loops: it is the model that decides, here and in the oracle.
#[test]
fn models_differ() {
    let access = |instr| Stmt::Access(instr);
    let thread = |own, other| {
        let store = access(Instr::Store { loc: own, mode: Mode::Rlx, value: Expr::Const(1) });
        let look = access(Instr::Load { reg: 0, loc: 2, mode: Mode::Rlx });
        let leave = Stmt::If { cond: Expr::Reg(0), then: vec![Stmt::Break], otherwise: Vec::new() };
        let load = access(Instr::Load { reg: 1, loc: other, mode: Mode::Rlx });
        vec![Stmt::Loop { body: vec![look, leave] }, store, load]
    };
    let start = vec![access(Instr::Store { loc: 2, mode: Mode::Rlx, value: Expr::Const(1) })];
    let threads = vec![thread(0, 1), thread(1, 0), start];
    let program = Program { init: vec![0; 3], mutexes: Vec::new(), plain: Vec::new(), threads };
    for (model, wanted) in [(MemoryModel::Sc, 3), (MemoryModel::Tso, 4), (MemoryModel::Ra, 4), (MemoryModel::Rc11, 4)] {
        let (report, found) = run::check(&program, engine(model), false, false);
        let expected = answer(&program, model, ROUNDS, LIMIT).expect("it is small").finals;
        assert_eq!((found.len(), expected.len()), (wanted, wanted), "{model}: {report}");
        assert_eq!(found, expected, "{model}: {report}");
    }
}

/// Tells whoever has asked for output what was compared.
#[allow(clippy::print_stdout)]
fn say(summary: &str) {
    println!("{summary}");
}
