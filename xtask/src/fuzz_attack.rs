//! `cargo xtask fuzz-attack`: symmetric models and promises, each damaged in one place. Whatever the damage does, every
//! strategy, order and partial-order reduction must come to the verdict and the kinds of errors that there are without.

mod check;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use quotient_generate::damage::{Damage, damage};
use quotient_generate::random::Random;
use quotient_generate::shrink::shrink;
use quotient_generate::symmetric::Dialect;
use quotient_generate::{idiom, lives, promise, symmetric};

use check::{Outcome, examine};

/// Options of `fuzz-attack`.
#[derive(Args)]
pub struct Options {
    /// Number of damaged models; texts that are no models do not count
    #[arg(long, default_value_t = 600)]
    pub count: u64,
    /// Seed of the first model
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Models to examine at the same time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Models with more states are left out
    #[arg(long, default_value_t = 3000)]
    pub max_states: u64,
    /// Directory for models that differ
    #[arg(long, default_value = "target/fuzz-attack")]
    pub out: PathBuf,
    /// Examine this file instead, as it is
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print the model of the seed, and its damage, and stop
    #[arg(long)]
    pub print: bool,
}

/// How often a model that differs is made smaller.
const SHRINKING: usize = 1500;
/// Models of the project with more states are not damaged.
const SMALL: u64 = 1200;
/// A model that takes longer to examine than this is named.
const SLOW: Duration = Duration::from_secs(30);

/// What was done for one kind of damage.
#[derive(Clone, Copy, Default)]
struct Row {
    applied: u64,
    rejected: u64,
    large: u64,
    violated: u64,
    symmetric: u64,
    orbits: u64,
    promises: u64,
    different: u64,
}

/// What was done so far.
#[derive(Default)]
struct Summary {
    rows: BTreeMap<Damage, Row>,
    searches: usize,
    differences: BTreeMap<u64, String>,
    /// Models that differ in the same way as one that was made smaller already are kept as they are.
    shrunk: BTreeSet<String>,
}

impl Summary {
    fn total(&self) -> Row {
        let mut total = Row::default();
        for row in self.rows.values() {
            total.applied += row.applied;
            total.rejected += row.rejected;
            total.large += row.large;
            total.violated += row.violated;
            total.symmetric += row.symmetric;
            total.orbits += row.orbits;
            total.promises += row.promises;
            total.different += row.different;
        }
        total
    }
}

/// Runs the command.
pub fn run(options: &Options) -> ExitCode {
    tell_panics(options);
    if let Some(file) = &options.file {
        let Ok(text) = fs::read_to_string(file) else {
            eprintln!("fuzz-attack: {} cannot be read", file.display());
            return ExitCode::from(2);
        };
        let outcome = examine(&text, options.max_states);
        println!("{outcome:?}");
        return if outcome.difference.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let models = small_models();
    if options.print {
        if let Some((kind, model)) = damaged(options.seed, &models) {
            println!("/* {kind} */\n{model}");
        }
        return ExitCode::SUCCESS;
    }
    let started = Instant::now();
    let summary = Mutex::new(Summary::default());
    let next = AtomicU64::new(options.seed);
    let examined = Mutex::new(BTreeMap::new());
    let work = || {
        while summary.lock().is_ok_and(|summary| summary.total().applied < options.count) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let Some((kind, model)) = damaged(seed, &models) else { continue };
            CURRENT.with_borrow_mut(|current| *current = (seed, model.clone()));
            if let Ok(mut examined) = examined.lock() {
                examined.insert(seed, Instant::now());
            }
            let outcome = examine(&model, options.max_states);
            if let Ok(mut examined) = examined.lock() {
                examined.remove(&seed);
            }
            record(options, &summary, seed, kind, &model, &outcome);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        tell_slow(&workers, &examined);
    });
    let Ok(summary) = summary.into_inner() else { return ExitCode::FAILURE };
    let total = summary.total();
    println!(
        "{:<18}{:>9}{:>10}{:>10}{:>10}{:>10}{:>9}{:>10}{:>11}",
        "damage", "models", "violated", "symmetric", "orbits", "promises", "large", "rejected", "different"
    );
    for (name, row) in summary.rows.iter().map(|(kind, row)| (kind.name(), row)).chain([("all", &total)]) {
        println!(
            "{name:<18}{:>9}{:>10}{:>10}{:>10}{:>10}{:>9}{:>10}{:>11}",
            row.applied, row.violated, row.symmetric, row.orbits, row.promises, row.large, row.rejected, row.different
        );
    }
    println!(
        "fuzz-attack: {} damaged models ({} violated), {} searches, {} differ; {:.0} s",
        total.applied,
        total.violated,
        summary.searches,
        total.different,
        started.elapsed().as_secs_f64()
    );
    if summary.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Says which models take long.
fn tell_slow(workers: &[thread::ScopedJoinHandle<'_, ()>], examined: &Mutex<BTreeMap<u64, Instant>>) {
    let mut told = BTreeSet::new();
    while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
        thread::sleep(Duration::from_millis(200));
        let Ok(examined) = examined.lock() else { return };
        for (&seed, since) in examined.iter() {
            if since.elapsed() > SLOW && told.insert(seed) {
                eprintln!("fuzz-attack: seed {seed} takes long");
            }
        }
    }
}

/// A panic is a difference. Where it can be caught, it is told as such; where it ends everything (as in release builds),
/// the model is kept before that.
fn tell_panics(options: &Options) {
    let out = options.out.clone();
    std::panic::set_hook(Box::new(move |panic| {
        if cfg!(panic = "abort") {
            let (seed, model) = CURRENT.with_borrow(|current| current.clone());
            println!("seed {seed}: {panic}");
            publish(&out, seed, "panic", &model, &panic.to_string());
        }
        PANIC.set(panic.to_string());
    }));
}

thread_local! {
    /// The seed and the model that this thread examines.
    static CURRENT: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
    /// What the last panic of this thread said, and where it was.
    static PANIC: Cell<String> = const { Cell::new(String::new()) };
}

fn record(options: &Options, summary: &Mutex<Summary>, seed: u64, kind: Damage, model: &str, outcome: &Outcome) {
    let Some(difference) = &outcome.difference else {
        let Ok(mut summary) = summary.lock() else { return };
        note(&mut summary, kind, outcome);
        let applied = summary.total().applied;
        if applied.is_multiple_of(1000) && !outcome.rejected && !outcome.large {
            eprintln!("fuzz-attack: {applied} models, {} differ", summary.differences.len());
        }
        return;
    };
    let sort = sort(difference);
    let fresh = summary.lock().is_ok_and(|mut summary| summary.shrunk.insert(format!("{kind} {sort}")));
    let model = match fresh {
        true => shrink(model, SHRINKING, |smaller| {
            examine(smaller, options.max_states).difference.is_some_and(|difference| self::sort(&difference) == sort)
        }),
        false => model.to_string(),
    };
    println!("seed {seed}, {kind}: {difference}");
    publish(&options.out, seed, kind.name(), &model, difference);
    let Ok(mut summary) = summary.lock() else { return };
    note(&mut summary, kind, outcome);
    summary.differences.insert(seed, difference.clone());
}

/// Differences of one sort have their causes in common, as a rule.
fn sort(difference: &str) -> String {
    if let Some(panic) = difference.split("panicked at ").nth(1) {
        return panic.lines().next().unwrap_or_default().to_string();
    }
    let known = ["not symmetric", "orbits", "cannot happen", "does not show it", "naive"];
    let what = known.iter().find(|known| difference.contains(**known)).copied().unwrap_or("kinds");
    let reduce = ["full", "spin"].into_iter().find(|reduce| difference.contains(&format!("reduce {reduce}")));
    let off = if difference.contains("symmetry off") { "off" } else { "" };
    format!("{what} {} {off}", reduce.unwrap_or_default())
}

fn note(summary: &mut Summary, kind: Damage, outcome: &Outcome) {
    summary.searches += outcome.searches;
    let row = summary.rows.entry(kind).or_default();
    row.rejected += u64::from(outcome.rejected);
    row.large += u64::from(outcome.large);
    row.applied += u64::from(!outcome.rejected && !outcome.large);
    row.violated += u64::from(outcome.violated);
    row.symmetric += u64::from(outcome.symmetric);
    row.orbits += u64::from(outcome.orbits);
    row.promises += u64::from(outcome.broken_promise);
    row.different += u64::from(outcome.difference.is_some());
}

fn publish(out: &Path, seed: u64, kind: &str, model: &str, difference: &str) {
    let text = format!("/* seed {seed}, {kind}: {} */\n{model}", difference.replace("*/", "* /"));
    let written = fs::create_dir_all(out).and_then(|()| fs::write(out.join(format!("seed-{seed}.pml")), text));
    if let Err(error) = written {
        eprintln!("fuzz-attack: {}: {error}", out.display());
    }
}

/// The damaged model of a seed; nothing if the damage has no place in the model.
fn damaged(seed: u64, models: &[String]) -> Option<(Damage, String)> {
    let mut random = Random::new(seed ^ 0x0a77_ac4e_d000_0000);
    let kind = *random.pick(&Damage::ALL);
    let base = match random.below(10) {
        0 if !models.is_empty() => random.pick(models).clone(),
        1 => {
            let model = symmetric::generate(seed);
            let dialect = if model.declarable() && random.chance(40) { Dialect::Declared } else { Dialect::Plain };
            model.text(dialect)
        }
        2 => promise::model(seed),
        3 => lives::model(seed),
        _ => idiom::model(seed),
    };
    Some((kind, damage(&base, kind, &mut random)?))
}

/// The project's own models that are small.
fn small_models() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut models: Vec<PathBuf> = fs::read_dir(&directory)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    models.sort();
    let models = models.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "pml"));
    let texts = models.filter_map(|path| fs::read_to_string(path).ok());
    texts.filter(|text| check::is_small(text, SMALL)).collect()
}
