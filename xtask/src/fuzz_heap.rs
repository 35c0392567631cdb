//! `cargo xtask fuzz-heap`: random programs with a heap, written in BIR and in dSPIN's Promela. Both must have the same orbits and
//! errors, and every strategy, order and store must agree with brute force over all orders of threads and names of records; with
//! reduction the errors are the same. Of what only dSPIN's Promela has, one program with addresses of variables and one with channels that
//! come and go is examined for each seed in the same way.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use quotient_canon::HeapStrategy;
use quotient_generate::addresses;
use quotient_generate::channels::{self, Form};
use quotient_generate::heap::generate;
use quotient_ir::Model;
use quotient_search::{Disorder, Dropped, Options as Search, Order, Reduce, Storage, explore};
use quotient_step::reference::Interpreter;
use quotient_step::replay::{DEADLOCK, errors};

use crate::heap_oracle::{self, Found, Renamings};
use crate::seeds::Seeds;

/// Options of `fuzz-heap`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    seeds: Seeds,
}

const NAME: &str = "fuzz-heap";

const BOTH: Renamings = Renamings { threads: true, records: true, entries: true, members: false };
const RECORDS: Renamings = Renamings { threads: false, records: true, entries: false, members: false };

/// Programs with more states are not compared.
const MOST_STATES: u64 = 2_000;

/// Few records, so that programs that make them forever come to an end.
const MOST_RECORDS: usize = 4;

/// Runs the command.
pub fn run(Options { seeds }: &Options) -> ExitCode {
    if seeds.print {
        Texts::of(seeds.seed).files().iter().for_each(|(_, text)| println!("{text}"));
        return ExitCode::SUCCESS;
    }
    seeds.examine(NAME, |seed| {
        let texts = Texts::of(seed);
        match examine(&texts) {
            Ok(Some(kinds)) if kinds.is_empty() => "agrees: no errors".to_string(),
            Ok(Some(_)) => "agrees: errors".to_string(),
            Ok(None) => "too large".to_string(),
            Err(difference) => {
                seeds.keep(NAME, seed, &texts.files());
                format!("differs: {difference}")
            }
        }
    })
}

/// The programs of a seed.
struct Texts {
    bir: String,
    dspin: String,
    addresses: String,
    fixed: String,
    records: String,
    new: String,
}

impl Texts {
    fn of(seed: u64) -> Self {
        let (program, channels) = (generate(seed), channels::generate(seed));
        Texts {
            bir: program.bir(),
            dspin: program.dspin(),
            addresses: addresses::generate(seed).addresses(),
            fixed: channels.written(Form::Fixed),
            records: channels.written(Form::Records),
            new: channels.written(Form::New),
        }
    }

    /// With the ends of their names.
    fn files(&self) -> [(&'static str, &str); 6] {
        [
            ("bir", &self.bir),
            ("dprom", &self.dspin),
            ("addresses.dprom", &self.addresses),
            ("fixed.dprom", &self.fixed),
            ("records.dprom", &self.records),
            ("new.dprom", &self.new),
        ]
    }
}

/// The kinds of errors, if all agree; nothing if there are too many states.
fn examine(texts: &Texts) -> Result<Option<BTreeSet<&'static str>>, String> {
    orbits(&load_dspin(&texts.addresses, 14)?).map_err(|difference| format!("addresses: {difference}"))?;
    orbits(&load_dspin(&texts.new, 6)?).map_err(|difference| format!("new channels: {difference}"))?;
    let fixed = orbits(&load_dspin(&texts.fixed, 6)?).map_err(|difference| format!("fixed channels: {difference}"))?;
    let records = orbits(&load_dspin(&texts.records, 6)?).map_err(|difference| format!("channels: {difference}"))?;
    if fixed != records {
        return Err(format!("fixed channels have {fixed:?}, channels that are records {records:?}"));
    }
    let (bir, dspin) = (load_bir(&texts.bir)?, load_dspin(&texts.dspin, MOST_RECORDS)?);
    let Some((first, kinds)) = orbits(&bir).map_err(|difference| format!("BIR: {difference}"))? else {
        return Ok(None);
    };
    let Some((second, others)) = orbits(&dspin).map_err(|difference| format!("dSPIN: {difference}"))? else {
        return Err("only one of the languages has too many states".to_string());
    };
    if first != second || kinds != others {
        return Err(format!("BIR has {first:?} {kinds:?}, dSPIN {second:?} {others:?}"));
    }
    Ok(Some(kinds))
}

fn load_bir(text: &str) -> Result<Model, String> {
    let options = quotient_bir::Options { most_records: MOST_RECORDS, ..Default::default() };
    let loaded = quotient_bir::load(Path::new("random.bir"), text.as_bytes(), &options);
    loaded.model.ok_or_else(|| format!("BIR: {:?}", loaded.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()))
}

fn load_dspin(text: &str, most_records: usize) -> Result<Model, String> {
    let dynamic = quotient_promela::Dynamic { most_records, ..Default::default() };
    let options = quotient_promela::Options { dynamic: Some(dynamic), ..Default::default() };
    let read = |_: &Path| Ok(text.as_bytes().to_vec());
    let loaded = quotient_promela::load_with(Path::new("random.dprom"), &options, &read);
    loaded
        .model
        .ok_or_else(|| format!("dSPIN: {:?}", loaded.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()))
}

/// Numbers of states up to names of records, and up to these and the order of threads.
type Orbits = (u64, u64);

/// The orbits of a model and its kinds of errors, by brute force; every search has the same.
fn orbits(model: &Model) -> Result<Option<(Orbits, BTreeSet<&'static str>)>, String> {
    let Some(both) = heap_oracle::explore(model, BOTH, MOST_STATES) else { return Ok(None) };
    let Some(records) = heap_oracle::explore(model, RECORDS, 6 * MOST_STATES) else { return Ok(None) };
    let kinds = kinds(&both);
    if kinds != self::kinds(&records) {
        return Err("brute force has other errors with symmetry of threads".to_string());
    }
    for strategy in ["none", "heap", "pc", "kbots:1", "kbots", "canonical"] {
        let heap: HeapStrategy =
            strategy.parse().map_err(|error: quotient_canon::UnknownStrategy| error.to_string())?;
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            for store in [Storage::Exact, Storage::Tree] {
                let most = (strategy == "none").then_some(20 * MOST_STATES);
                let options = Search { heap, order, store, all_errors: true, max_states: most, ..Search::default() };
                let what = format!("{strategy}, {order:?}, {store:?}");
                compare(model, &options, (records.states, both.states), &kinds, &what)?;
            }
            keeps_errors(model, heap, order, &kinds)?;
        }
    }
    Ok(Some(((records.states, both.states), kinds)))
}

fn kinds(found: &Found) -> BTreeSet<&'static str> {
    found.faults.iter().copied().chain((found.deadlocks > 0).then_some(DEADLOCK)).collect()
}

/// Reduced searches find the same kinds of errors.
fn keeps_errors(model: &Model, heap: HeapStrategy, order: Order, kinds: &BTreeSet<&'static str>) -> Result<(), String> {
    for reduce in [Reduce::Spin, Reduce::Full] {
        let most = (heap == HeapStrategy::None).then_some(20 * MOST_STATES);
        let options = Search { heap, order, reduce, all_errors: true, max_states: most, ..Search::default() };
        let found = explore(model, &options, &mut |_| true);
        let is_early = heap == HeapStrategy::None && found.kinds.contains("heap-limit");
        if found.stop.is_none() && found.kinds != *kinds && !is_early {
            return Err(format!("{heap}, {order:?}, {reduce:?}: {:?}, and not {kinds:?}", found.kinds));
        }
        let is_limit = |dropped: &Dropped| matches!(dropped, Dropped::Order(Disorder::Records { .. }));
        if !found.dropped.iter().all(is_limit) {
            return Err(format!("{heap}, {order:?}, {reduce:?}: dropped {:?}", found.dropped));
        }
    }
    Ok(())
}

/// Compares a search with what brute force has found.
fn compare(
    model: &Model,
    options: &Search,
    (records, both): Orbits,
    kinds: &BTreeSet<&'static str>,
    what: &str,
) -> Result<(), String> {
    let found = explore(model, options, &mut |_| true);
    if found.stop.is_some() {
        return Ok(());
    }
    let expected = match options.heap {
        HeapStrategy::None => records..=u64::MAX,
        HeapStrategy::Heap => records..=records,
        HeapStrategy::Pc | HeapStrategy::Bots(_) => both..=records,
        HeapStrategy::Canonical => both..=both,
    };
    if !expected.contains(&found.states) {
        return Err(format!("{what}: {} states, and not {expected:?}", found.states));
    }
    // Where garbage stays for a while, the limit on records can be met sooner.
    let is_early = options.heap == HeapStrategy::None && found.kinds.contains("heap-limit");
    if found.kinds != *kinds && !is_early {
        return Err(format!("{what}: {:?}, and not {kinds:?}", found.kinds));
    }
    for violation in &found.violations {
        let shown = errors(Interpreter { model, promises: false }, &violation.path);
        if !shown.is_ok_and(|shown| shown.contains(&violation.error)) {
            return Err(format!("{what}: a run does not show {:?}", violation.error));
        }
    }
    Ok(())
}
