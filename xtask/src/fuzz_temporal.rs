//! `cargo xtask fuzz-temporal`: random models with formulas and never claims on SPIN, unreduced, on the oracle, and on Quotient with every
//! algorithm, reduction and fairness. All verdicts must agree, and every run that violates must stand on the reference interpreter.

mod claims;
mod models;
mod oracle;
mod spin;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::{Args, ValueEnum};
use quotient_canon::{Strategy, obstacle};
use quotient_explain::{Keep, Lasso, Subject, explain_lasso};
use quotient_generate::random::Random;
use quotient_ir::{Claim, ClaimKind, Expr, Model, Proposition};
use quotient_ltl::Formula;
use quotient_promela::{Loaded, load_with};
use quotient_report::property;
use quotient_report::source::Span;
use quotient_search::temporal::{self, Algorithm, LeftOut, Refused, check};
use quotient_search::{Options as Search, Reduce};
use quotient_step::reference::Interpreter;

use crate::seeds::Seeds;
use models::Class;
use oracle::{Fairness, Graph};

/// Options of `fuzz-temporal`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    seeds: Seeds,
    /// Ask SPIN about one model in so many; 0 is never
    #[arg(long, default_value_t = 1)]
    spin: u64,
    /// Leave out a rule of the reductions, to see that this is noticed
    #[arg(long, value_enum)]
    leave_out: Option<Mutation>,
}

/// A rule that can be left out.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mutation {
    /// Steps that the property sees are not local
    Visibility,
    /// Cycles of local steps are cut
    Sticky,
    /// With fairness, steps that change whether another process can move are not local
    Enabling,
    /// Processes that take each other's places are treated fairly together
    Partition,
}

const NAME: &str = "fuzz-temporal";

/// A model with its property.
struct Case {
    class: Class,
    /// It has a never claim, and no formula.
    claims: bool,
    text: String,
}

/// What came of the models of a class.
#[derive(Clone, Copy, Default)]
struct Tally {
    models: usize,
    skipped: usize,
    /// Questions that were refused because the claim is too large.
    refused: usize,
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
    let seeds = &options.seeds;
    if seeds.print {
        match case(seeds.seed) {
            Some(case) => println!("{}", case.text),
            None => println!("/* there is nothing to ask about this model */"),
        }
        return ExitCode::SUCCESS;
    }
    let left_out = options.leave_out.map(|rule| match rule {
        Mutation::Visibility => LeftOut::Order(quotient_por::Rule::Visibility),
        Mutation::Sticky => LeftOut::Order(quotient_por::Rule::Sticky),
        Mutation::Enabling => LeftOut::Order(quotient_por::Rule::Enabling),
        Mutation::Partition => LeftOut::Partition,
    });
    let tallies = Mutex::new(BTreeMap::<String, Tally>::new());
    let code = seeds.examine(NAME, |seed| {
        let Some(case) = case(seed) else { return "nothing to ask".to_string() };
        let mut tally = Tally { models: 1, ..Tally::default() };
        let with_spin = options.spin > 0 && seed.is_multiple_of(options.spin);
        let result = examine(&case, with_spin, left_out, &mut tally);
        let kind = if case.claims { "never claims" } else { "formulas" };
        add(&tallies, &format!("{:?}, {kind}", case.class), &tally);
        match result {
            Ok(()) if tally.skipped > 0 => "too large, or something goes wrong in it".to_string(),
            Ok(()) => "agrees".to_string(),
            Err(difference) => {
                println!("seed {seed}: {difference}");
                seeds.keep(NAME, seed, &[("pml", &format!("/* {difference} */\n{}", case.text))]);
                format!("differs: {difference}")
            }
        }
    });
    for (class, tally) in &tallies.into_inner().expect("no worker panics with the lock") {
        let Tally {
            models,
            skipped,
            refused,
            violated: [none, weak, strong],
            spin,
            fair_spin,
            lost_by_spin,
            checks,
            reduced: [order, symmetry],
        } = tally;
        println!(
            "{class}: {models} models, {skipped} skipped, {refused} too large to ask; violated {none}, weakly fair {weak}, strongly fair {strong}; \
             {spin} with SPIN, {fair_spin} with its fairness (which lost {lost_by_spin}); {checks} checks, {order} with partial-order and {symmetry} with symmetry reduction"
        );
    }
    code
}

fn add(tallies: &Mutex<BTreeMap<String, Tally>>, class: &str, new: &Tally) {
    let mut tallies = tallies.lock().expect("no worker panics with the lock");
    let tally = tallies.entry(class.to_string()).or_default();
    tally.models += new.models;
    tally.skipped += new.skipped;
    tally.refused += new.refused;
    tally.spin += new.spin;
    tally.fair_spin += new.fair_spin;
    tally.lost_by_spin += new.lost_by_spin;
    tally.checks += new.checks;
    (0..3).for_each(|i| tally.violated[i] += new.violated[i]);
    (0..2).for_each(|i| tally.reduced[i] += new.reduced[i]);
}

/// The model of a seed with a property at its end. `None` if it has no variable to speak of.
fn case(seed: u64) -> Option<Case> {
    let class = Class::ALL[(seed % 3) as usize];
    let claims = seed % 5 < 2;
    let mut text = class.model(seed);
    let mut names = models::names(&load(&text).model?);
    if names.is_empty() {
        return None;
    }
    let mut random = Random::new(seed ^ 0x7e);
    text.push('\n');
    match claims {
        true => {
            // SPIN does not read variables of processes everywhere in a claim.
            names.retain(|name| !name.contains(':'));
            text.push_str(&claims::claim(&mut random, &names));
        }
        false => text.push_str(&format!("ltl p {{ {} }}\n", models::formula(&mut random, &names))),
    }
    Some(Case { class, claims, text })
}

fn load(text: &str) -> Loaded {
    let read = |_: &Path| Ok(text.as_bytes().to_vec());
    load_with(Path::new("m.pml"), &quotient_promela::Options::default(), &read)
}

/// Compares all verdicts on a model.
fn examine(case: &Case, with_spin: bool, left_out: Option<LeftOut>, tally: &mut Tally) -> Result<(), String> {
    let loaded = load(&case.text);
    let Some(mut model) = loaded.model.clone() else {
        return Err(format!("the model is refused: {:?}", loaded.diagnostics.first()));
    };
    let Some(claim) = model.claims.first().cloned() else { return Err("there is no claim".to_string()) };
    let interpreter = Interpreter { model: &model, promises: false };
    let graph = Graph::new(interpreter, &claim.propositions);
    let product = |graph: &Graph, with_ends| match &claim.kind {
        ClaimKind::Ltl { formula, .. } => {
            let automaton = quotient_ltl::translate(&formula.clone().negated()).ok()?;
            Some(graph.with_formula(&automaton, with_ends))
        }
        ClaimKind::Never(proctype) => graph.with_claim(interpreter, *proctype, with_ends),
        _ => None,
    };
    let Some((graph, whole)) = graph.and_then(|graph| product(&graph, true).map(|whole| (graph, whole))) else {
        tally.skipped += 1;
        return Ok(());
    };
    let all = [Fairness::None, Fairness::Weak, Fairness::Strong];
    let expected = all.map(|fairness| graph.accepts(&whole, fairness));
    (0..3).for_each(|i| tally.violated[i] += usize::from(expected[i]));
    if with_spin {
        let found = spin::ask(&case.text, &[], "-a")?;
        tally.spin += usize::from(found[0].is_some());
        tally.fair_spin += usize::from(found[1].is_some());
        for (number, fairness) in [Fairness::None, Fairness::Weak].into_iter().enumerate() {
            if found[number].is_none_or(|found| found == expected[number]) {
                continue;
            }
            // The claim of a run that has ended moves twice between two states that SPIN keeps. So SPIN can lose its violations where
            // the claim accepts at every other step only: if it counts steps, or with -f. There its silence counts for runs that
            // go on forever; its errors always count.
            let may_lose = expected[number] && (case.claims || fairness == Fairness::Weak);
            let endless = || product(&graph, false).is_some_and(|endless| graph.accepts(&endless, fairness));
            if !may_lose || endless() {
                return Err(format!("SPIN says {found:?} without and with -f, the oracle {expected:?}"));
            }
            tally.lost_by_spin += 1;
        }
    }
    quotient_symmetry::detect(&mut model);
    let text = case.text.rsplit_once("\nltl ").map_or("", |(text, _)| text);
    let asked = Question { model: &model, loaded: &loaded, claim: &claim, text, fair_to: None, left_out };
    let first = graph.fair_to_first_type();
    let to_first = Question { fair_to: Some(0), ..asked };
    for (number, fairness) in all.into_iter().enumerate() {
        compare(asked, fairness, expected[number], tally)?;
        if fairness != Fairness::None {
            compare(to_first, fairness, first.accepts(&whole, fairness), tally)?;
        }
    }
    if !case.claims && case.text.contains("progress:") {
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
    // As for SPIN, a run that ends has no cycle.
    let endless = graph.with_formula(&automaton, false);
    let claim = Claim::progress();
    let asked = Question { claim: &claim, ..asked };
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let expected = graph.accepts(&endless, fairness);
        compare(asked, fairness, expected, tally).map_err(|difference| format!("progress: {difference}"))?;
        if fairness == Fairness::None && with_spin {
            let found = spin::ask(asked.text, &["-DNP"], "-l")?[0];
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
    left_out: Option<LeftOut>,
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
        let Some(found) = found else {
            tally.refused += 1;
            return Ok(());
        };
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

/// Whether Quotient finds a violation. Its run must stand. `None` if the claim is too large.
fn quotient(
    Question { model, loaded, claim, fair_to, left_out, .. }: Question<'_>,
    (algorithm, reduce, symmetric): (Algorithm, Reduce, bool),
    fairness: Fairness,
    tally: &mut Tally,
) -> Result<Option<bool>, String> {
    let search = Search { reduce, symmetry: symmetric.then_some(Strategy::Canonical), ..Search::default() };
    let (wanted, told) = match fairness {
        Fairness::None => (temporal::Fairness::None, None),
        Fairness::Weak => (temporal::Fairness::Weak, Some(property::Fairness::Weak)),
        Fairness::Strong => (temporal::Fairness::Strong, Some(property::Fairness::Strong)),
    };
    let names: Vec<String> = fair_to.iter().map(|&ty| model.proctypes[ty].name.clone()).collect();
    let fair_to = fair_to.map(|ty| temporal::Bits::from_iter([ty]));
    let options = temporal::Options { search, fairness: wanted, fair_to, algorithm, left_out };
    let found = match check(model, claim, &options, &mut |_| true) {
        Ok(found) => found,
        Err(Refused::TooLarge(_)) => return Ok(None),
        Err(refused) => return Err(refused.to_string()),
    };
    tally.checks += 1;
    tally.reduced[0] += usize::from(matches!(found.applied.order, Some(Ok(()))));
    tally.reduced[1] += usize::from(matches!(found.applied.symmetry, Some(Ok(()))));
    let Some(lasso) = found.lassos.first() else { return Ok(Some(false)) };
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
    Ok(Some(true))
}
