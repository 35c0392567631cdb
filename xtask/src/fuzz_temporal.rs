//! `cargo xtask fuzz-temporal`: random models and formulas on SPIN, unreduced, on the oracle, and on Quotient with every algorithm,
//! reduction and fairness. All verdicts must agree, and every run that violates a formula must stand on the reference interpreter.

mod models;
mod oracle;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use quotient_canon::{Strategy, obstacle};
use quotient_explain::{Keep, Lasso, Subject, explain_lasso};
use quotient_generate::random::Random;
use quotient_ir::{Claim, ClaimKind, Expr, Model, Proposition};
use quotient_ltl::Formula;
use quotient_promela::{Loaded, load_with};
use quotient_report::property;
use quotient_report::source::Span;
use quotient_search::temporal::{self, Algorithm, check};
use quotient_search::{Options as Search, Reduce};
use quotient_step::reference::Interpreter;

use crate::process::{Scratch, run_limited};
use models::{Class, formula};
use oracle::{Fairness, Graph};

/// Options of `fuzz-temporal`.
#[derive(Args)]
pub struct Options {
    /// Number of models
    #[arg(long, default_value_t = 300)]
    pub count: u64,
    /// Seed of the first model
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Models examined at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Ask SPIN about one model in so many; 0 is never
    #[arg(long, default_value_t = 1)]
    pub spin: u64,
    /// Directory for models that differ
    #[arg(long, default_value = "target/fuzz-temporal")]
    pub out: PathBuf,
    /// Print the model of the seed and stop
    #[arg(long)]
    pub print: bool,
}

const LIMIT: Duration = Duration::from_secs(60);
/// How deep SPIN's verifier may go.
const DEPTH: u64 = 50_000;

/// A model with its formula.
struct Case {
    class: Class,
    text: String,
}

/// What came of the models of a class.
#[derive(Clone, Copy, Default)]
struct Tally {
    models: usize,
    skipped: usize,
    /// Violated without, with weak and with strong fairness.
    violated: [usize; 3],
    /// Models that SPIN has answered, and those with weak fairness.
    spin: usize,
    fair_spin: usize,
    /// Violations of runs that end which SPIN loses with weak fairness.
    lost_by_spin: usize,
    /// Checks of Quotient.
    checks: usize,
    /// Checks in which partial-order reduction and symmetry were used.
    reduced: [usize; 2],
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    if options.print {
        match case(options.seed) {
            Some(case) => println!("{}", case.text),
            None => println!("/* there is no formula for this model */"),
        }
        return ExitCode::SUCCESS;
    }
    let tallies = Mutex::new(BTreeMap::<String, Tally>::new());
    let differences = Mutex::new(Vec::new());
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= options.count {
                        return;
                    }
                    let seed = options.seed + index;
                    let Some(case) = case(seed) else { continue };
                    let mut tally = Tally { models: 1, ..Tally::default() };
                    let with_spin = options.spin > 0 && index.is_multiple_of(options.spin);
                    let result = examine(&case, with_spin, &mut tally);
                    add(&tallies, &format!("{:?}", case.class), &tally);
                    if let Err(difference) = result {
                        println!("seed {seed}: {difference}");
                        publish(options, seed, &case, &difference);
                        differences.lock().expect("no worker panics with the lock").push(seed);
                    }
                }
            });
        }
    });
    let tallies = tallies.into_inner().expect("no worker panics with the lock");
    for (class, tally) in &tallies {
        let Tally {
            models,
            skipped,
            violated: [none, weak, strong],
            spin,
            fair_spin,
            lost_by_spin,
            checks,
            reduced: [order, symmetry],
        } = tally;
        println!(
            "{class}: {models} models, {skipped} skipped; violated {none}, weakly fair {weak}, strongly fair {strong}; \
             {spin} with SPIN, {fair_spin} with its fairness (which lost {lost_by_spin}); {checks} checks, {order} with partial-order and {symmetry} with symmetry reduction"
        );
    }
    let differences = differences.into_inner().expect("no worker panics with the lock");
    println!("fuzz-temporal: {} differences", differences.len());
    if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn add(tallies: &Mutex<BTreeMap<String, Tally>>, class: &str, new: &Tally) {
    let mut tallies = tallies.lock().expect("no worker panics with the lock");
    let tally = tallies.entry(class.to_string()).or_default();
    tally.models += new.models;
    tally.skipped += new.skipped;
    tally.spin += new.spin;
    tally.fair_spin += new.fair_spin;
    tally.lost_by_spin += new.lost_by_spin;
    tally.checks += new.checks;
    (0..3).for_each(|i| tally.violated[i] += new.violated[i]);
    (0..2).for_each(|i| tally.reduced[i] += new.reduced[i]);
}

/// The model of a seed with a formula at its end. `None` if it has no variable to speak of.
fn case(seed: u64) -> Option<Case> {
    let class = Class::ALL[(seed % 3) as usize];
    let mut text = class.model(seed);
    let model = load(&text).model?;
    let formula = formula(&mut Random::new(seed ^ 0x7e), &model)?;
    text.push_str(&format!("\nltl p {{ {formula} }}\n"));
    Some(Case { class, text })
}

fn load(text: &str) -> Loaded {
    let read = |_: &Path| Ok(text.as_bytes().to_vec());
    load_with(Path::new("m.pml"), &quotient_promela::Options::default(), &read)
}

/// Compares all verdicts on a model.
fn examine(case: &Case, with_spin: bool, tally: &mut Tally) -> Result<(), String> {
    let loaded = load(&case.text);
    let Some(mut model) = loaded.model.clone() else {
        return Err(format!("the model is refused: {:?}", loaded.diagnostics.first()));
    };
    let Some(claim) = model.claims.first().cloned() else { return Err("there is no claim".to_string()) };
    let ClaimKind::Ltl { formula, .. } = &claim.kind else { return Err("the claim is no formula".to_string()) };
    let graph = Graph::new(Interpreter { model: &model, promises: false }, &claim.propositions);
    let (Some(graph), Ok(automaton)) = (graph, quotient_ltl::translate(&formula.clone().negated())) else {
        tally.skipped += 1;
        return Ok(());
    };
    let all = [Fairness::None, Fairness::Weak, Fairness::Strong];
    let expected = all.map(|fairness| graph.accepts(&automaton, fairness));
    (0..3).for_each(|i| tally.violated[i] += usize::from(expected[i]));
    if with_spin {
        let found = spin(&case.text, &[], "-a")?;
        tally.spin += usize::from(found[0].is_some());
        tally.fair_spin += usize::from(found[1].is_some());
        // With -f, SPIN loses violations of runs that end: where the claim accepts at every other step only, and the claim of a run
        // that has ended moves twice. So there its silence counts for runs that go on forever; its errors always count.
        let lost = found[1] == Some(false) && expected[1] && !graph.accepts_endless(&automaton, Fairness::Weak);
        tally.lost_by_spin += usize::from(lost);
        let differs = |i: usize| found[i].is_some_and(|found| found != expected[i]);
        if differs(0) || (differs(1) && !lost) {
            return Err(format!("SPIN says {found:?} without and with -f, the oracle {expected:?}"));
        }
    }
    quotient_symmetry::detect(&mut model);
    let text = case.text.split("\nltl ").next().unwrap_or_default();
    let asked = Question { model: &model, loaded: &loaded, claim: &claim, text, fair_to: None };
    let first = graph.fair_to_first_type();
    let to_first = Question { fair_to: Some(0), ..asked };
    for (number, fairness) in all.into_iter().enumerate() {
        compare(asked, fairness, expected[number], tally)?;
        if fairness != Fairness::None {
            compare(to_first, fairness, first.accepts(&automaton, fairness), tally)?;
        }
    }
    if case.text.contains("progress:") {
        progress(asked, with_spin, tally)?;
    }
    Ok(())
}

/// Compares the verdicts about cycles without progress.
fn progress(asked: Question<'_>, with_spin: bool, tally: &mut Tally) -> Result<(), String> {
    let np = Proposition { expr: Expr::NonProgress, text: "np_".to_string(), span: Span::default() };
    let Some(graph) = Graph::new(Interpreter { model: asked.model, promises: false }, &[np]) else { return Ok(()) };
    let stays = Formula::eventually(Formula::always(Formula::Proposition(0)));
    let automaton = quotient_ltl::translate(&stays).map_err(|error| format!("{error:?}"))?;
    let claim = Claim::progress();
    let asked = Question { claim: &claim, ..asked };
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        // As for SPIN, a run that ends has no cycle.
        let expected = graph.accepts_endless(&automaton, fairness);
        compare(asked, fairness, expected, tally).map_err(|difference| format!("progress: {difference}"))?;
        if fairness == Fairness::None && with_spin {
            let found = spin(asked.text, &["-DNP"], "-l")?[0];
            if found.is_some_and(|found| found != expected) {
                return Err(format!("progress: SPIN says {found:?}, and the oracle {expected}"));
            }
        }
    }
    Ok(())
}

/// What Quotient is asked.
#[derive(Clone, Copy)]
struct Question<'a> {
    model: &'a Model,
    loaded: &'a Loaded,
    claim: &'a Claim,
    /// The model's text without the claim.
    text: &'a str,
    /// The process type that runs are to be fair to, if not all.
    fair_to: Option<usize>,
}

/// Asks Quotient in every way, and compares.
fn compare(asked: Question<'_>, fairness: Fairness, expected: bool, tally: &mut Tally) -> Result<(), String> {
    for way in ways(asked.model, fairness) {
        let (algorithm, reduce, symmetric) = way;
        let told = format!(
            "{algorithm:?}, {reduce:?}, symmetry {symmetric}, fairness {fairness:?} to {}",
            asked.fair_to.map_or("all".to_string(), |ty| asked.model.proctypes[ty].name.clone())
        );
        let found = quotient(asked, way, fairness, tally).map_err(|problem| format!("{told}: {problem}"))?;
        if found != expected {
            return Err(format!("{told}: violated is {found}, and the oracle says {expected}"));
        }
    }
    Ok(())
}

/// The ways in which Quotient is asked.
fn ways(model: &Model, fairness: Fairness) -> Vec<(Algorithm, Reduce, bool)> {
    let mut ways = vec![(Algorithm::Scc, Reduce::Off, false), (Algorithm::Scc, Reduce::Full, false)];
    if fairness == Fairness::None {
        ways.push((Algorithm::Nested, Reduce::Off, false));
    }
    if model.symmetry.is_some() && obstacle(model, Strategy::Canonical).is_none() {
        ways.push((Algorithm::Scc, Reduce::Off, true));
        ways.push((Algorithm::Scc, Reduce::Full, true));
    }
    ways
}

/// Whether Quotient finds a violation. Its run must stand.
fn quotient(
    Question { model, loaded, claim, fair_to, .. }: Question<'_>,
    (algorithm, reduce, symmetric): (Algorithm, Reduce, bool),
    fairness: Fairness,
    tally: &mut Tally,
) -> Result<bool, String> {
    let search = Search { reduce, symmetry: symmetric.then_some(Strategy::Canonical), ..Search::default() };
    let (wanted, told) = match fairness {
        Fairness::None => (temporal::Fairness::None, None),
        Fairness::Weak => (temporal::Fairness::Weak, Some(property::Fairness::Weak)),
        Fairness::Strong => (temporal::Fairness::Strong, Some(property::Fairness::Strong)),
    };
    let names: Vec<String> = fair_to.iter().map(|&ty| model.proctypes[ty].name.clone()).collect();
    let fair_to = fair_to.map(|ty| temporal::Bits::from_iter([ty]));
    let options = temporal::Options { search, fairness: wanted, fair_to, algorithm, ..temporal::Options::default() };
    let found = check(model, claim, &options, &mut |_| true).map_err(|refused| refused.to_string())?;
    tally.checks += 1;
    tally.reduced[0] += usize::from(matches!(found.applied.order, Some(Ok(()))));
    tally.reduced[1] += usize::from(matches!(found.applied.symmetry, Some(Ok(()))));
    let Some(lasso) = found.lassos.first() else { return Ok(false) };
    let subject = Subject { model, sources: &loaded.sources, promises: false };
    let lasso = Lasso {
        claim,
        run: &lasso.path,
        loop_start: lasso.loop_start,
        fairness: told,
        fair_to: &names,
        processes_accept: algorithm == Algorithm::Nested,
    };
    explain_lasso(subject, lasso, Keep::FEW, None).map_err(|problem| format!("the run does not stand: {problem}"))?;
    Ok(true)
}

/// Whether SPIN finds a violation, without and with weak fairness. `None` if it does not finish: where a run ends, its search with
/// weak fairness goes on to any depth.
fn spin(text: &str, defines: &[&str], search: &str) -> Result<[Option<bool>; 2], String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let directory = scratch.path();
    fs::write(directory.join("m.pml"), text).map_err(|error| error.to_string())?;
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args);
        run_limited(&mut command, directory, LIMIT).map_err(|error| format!("{program}: {error}"))
    };
    // Merging statements would move labels that stand before the first statement of an option.
    let made = run("spin", &["-o3", "-a", "m.pml"])?;
    if made.timed_out {
        return Ok([None; 2]);
    }
    let compiled = run("gcc", &[&["-w", "-O0", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c"], defines].concat())?;
    if compiled.timed_out {
        return Ok([None; 2]);
    }
    if compiled.code != Some(0) {
        return Err(format!("SPIN's verifier does not compile: {}{}", made.text(), compiled.text()));
    }
    let pan = directory.join("pan").display().to_string();
    let mut found = [None; 2];
    let depth = format!("-m{DEPTH}");
    for (index, args) in [&[search, &depth, "-n"][..], &[search, "-f", &depth, "-n"]].into_iter().enumerate() {
        let outcome = run(&pan, args)?;
        let text = outcome.text();
        if outcome.timed_out {
            continue;
        }
        let after = |word: &str| -> Option<u64> {
            let rest = text.split(word).nth(1)?;
            rest.split([' ', ',', '\n']).next()?.parse().ok()
        };
        let (Some(errors), Some(reached)) = (after("errors: "), after("depth reached ")) else {
            return Err(format!("SPIN's verifier says nothing: {text}"));
        };
        let is_whole = reached + 1 < DEPTH && !text.contains("max search depth too small");
        found[index] = (errors > 0 || is_whole).then_some(errors > 0);
    }
    Ok(found)
}

/// Writes a model that differs.
fn publish(options: &Options, seed: u64, case: &Case, difference: &str) {
    let path = options.out.join(format!("seed-{seed}.pml"));
    let text = format!("/* {difference} */\n{}", case.text);
    if let Err(error) = fs::create_dir_all(&options.out).and_then(|()| fs::write(&path, text)) {
        eprintln!("fuzz-temporal: {}: {error}", path.display());
    }
}
