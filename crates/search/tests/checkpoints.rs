//! A search that is interrupted and goes on from its checkpoint, as often as you like, finds what one that was never
//! interrupted finds: every count, every violation with its run, and what the checks behind the reductions looked at.
//!
//! `QUOTIENT_ALL_CHECKPOINTS=1` looks at every model in every way; otherwise the ways change from model to model.

mod common;
mod heap_models;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use quotient_canon::{HeapStrategy, Strategy};
use quotient_generate::random::Random;
use quotient_ir::Model;
use quotient_search::{Exploration, Keeper, Options, Order, Session, Stop, Storage, explore_in};

use common::{conformance_directory, load, models_directory, models_in, parse, stem, way};

/// Searches of large models end here, whether they were interrupted or not.
const MOST_STATES: u64 = 5_000;

/// Keeps the last checkpoint.
#[derive(Default)]
struct Last {
    file: Option<Vec<u8>>,
    /// One is due at every so many questions; none if it is 0.
    every: u64,
    asked: u64,
}

impl Keeper for Last {
    fn is_due(&mut self) -> bool {
        self.asked += 1;
        self.every > 0 && self.asked.is_multiple_of(self.every)
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut file = Vec::new();
        write(&mut file).expect("memory takes it");
        self.file = Some(file);
    }
}

/// Everything that is found, but how long it took.
fn told(mut found: Exploration) -> String {
    found.time = Duration::ZERO;
    if let Some(symmetry) = &mut found.symmetry {
        symmetry.counts.time = Duration::ZERO;
    }
    format!("{found:?}")
}

/// Searches in pieces of so many states. Returns what is found in the end, and the number of pieces.
fn in_pieces(model: &Model, options: &Options, mut piece: impl FnMut() -> u64) -> (Exploration, u64) {
    let mut file: Option<Vec<u8>> = None;
    let mut limit = 0;
    for number in 1.. {
        limit = MOST_STATES.min(limit + piece());
        let mut keeper = Last::default();
        let mut input = file.as_deref();
        let resume = input.as_mut().map(|input| input as &mut dyn io::Read);
        let session = Session { resume, keeper: Some(&mut keeper) };
        let piece = Options { max_states: Some(limit), ..*options };
        let found = explore_in(model, &piece, session, &mut |_| true).expect("the checkpoint is good");
        assert!(input.is_none_or(<[u8]>::is_empty), "all of the checkpoint was read");
        if limit == MOST_STATES || found.stop != Some(Stop::States) {
            return (found, number);
        }
        file = keeper.file;
        assert!(file.is_some(), "a search that was cut short leaves a checkpoint");
    }
    unreachable!("a search ends")
}

fn random(seed: u64, most: u64) -> impl FnMut() -> u64 {
    let mut random = Random::new(seed);
    move || 1 + random.below(most as usize) as u64
}

/// Every order with every way to keep states.
const ORDERS_AND_STORES: [(Order, Storage); 4] = [
    (Order::DepthFirst, Storage::Exact),
    (Order::BreadthFirst, Storage::Exact),
    (Order::DepthFirst, Storage::Tree),
    (Order::BreadthFirst, Storage::Tree),
];

fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for (order, store) in ORDERS_AND_STORES {
        for por in [false, true] {
            for symmetry in [None, Some(Strategy::Canonical), Some(Strategy::PcSorted), Some(Strategy::Segmented)] {
                for (all_errors, max_depth) in [(true, None), (false, None), (true, Some(30))] {
                    let selfcheck = if all_errors { 20 } else { 0 };
                    ways.push(Options { symmetry, store, selfcheck, all_errors, max_depth, ..way(order, por) });
                }
            }
        }
    }
    ways
}

fn check(name: &str, model: &Model, options: &Options, seed: u64) -> u64 {
    let whole = Options { max_states: Some(MOST_STATES), ..*options };
    let expected = quotient_search::explore(model, &whole, &mut |_| true);
    let most = 1 + expected.states / 4;
    let (found, pieces) = in_pieces(model, options, random(seed, most));
    assert_eq!(told(found), told(expected), "{name}: {options:?} in {pieces} pieces");
    pieces
}

/// The files, with the symmetry that is found in them.
fn models() -> Vec<(PathBuf, Model)> {
    let mut files = models_in(&models_directory());
    files.extend(models_in(&conformance_directory()));
    files.extend(models_in(&models_directory().join("attacks")));
    let loaded = files.into_iter().map(|path| {
        let mut model = load(&path, &[]);
        quotient_symmetry::detect(&mut model);
        (path, model)
    });
    loaded.collect()
}

#[test]
fn models_with_a_heap_are_the_same_in_pieces() {
    let mut pieces = 0;
    for (number, (order, store)) in ORDERS_AND_STORES.into_iter().enumerate() {
        for strategy in [HeapStrategy::None, HeapStrategy::Heap, HeapStrategy::Bots(None), HeapStrategy::Canonical] {
            let options = Options { heap: strategy, store, ..way(order, false) };
            let seed = number as u64;
            pieces += check("philosophers", &heap_models::philosophers(5), &options, seed);
            pieces += check("list", &heap_models::list(2, 1), &options, seed);
            pieces += check("random", &heap_models::random::model(seed), &options, seed);
        }
    }
    assert!(pieces > 100, "{pieces}");
}

#[test]
fn every_model_is_the_same_in_pieces() {
    let ways = ways();
    let all = std::env::var_os("QUOTIENT_ALL_CHECKPOINTS").is_some();
    let mut pieces = 0;
    for (number, (path, model)) in models().into_iter().enumerate() {
        for (way, options) in ways.iter().enumerate() {
            // Seven and the number of ways have no common divisor.
            if all || (way + 7 * number) % 32 == 0 {
                pieces += check(&stem(&path), &model, options, (number * ways.len() + way) as u64);
            }
        }
    }
    assert!(pieces > 500, "{pieces}");
}

/// Long atomic sequences, rendezvous inside and outside of them, and control that is lost.
const PASSING: &str = "byte n; chan c = [0] of {byte}; chan d = [1] of {byte}; byte x;
    active [2] proctype P() { byte i; byte v;
        do
        :: atomic { i = 0; do :: i < 90 -> i++ :: i >= 90 -> break od; n = (n + 1) % 5; i = 0; d!i; x = 1 - x }
        :: atomic { n > 3; c!n; x = 1 }
        :: atomic { c?v; v = 0 }
        :: d?v -> x = 0
        od }";

#[test]
fn a_search_goes_on_from_any_moment() {
    let counters = "unsigned x : 6, y : 7; active proctype P() { do :: x++ :: x-- od }
        active proctype Q() { do :: y++ :: y-- od }";
    for text in [PASSING, counters] {
        let model = parse(text);
        for options in ways().into_iter().filter(|options| options.symmetry.is_none()) {
            let expected = told(quotient_search::explore(&model, &options, &mut |_| true));
            // Those that are made while the search goes on.
            for every in 1..5 {
                let mut keeper = Last { every, ..Last::default() };
                let mut asked = 0;
                let session = Session { resume: None, keeper: Some(&mut keeper) };
                let found = explore_in(&model, &options, session, &mut |_| {
                    asked += 1;
                    true
                });
                assert_eq!(told(found.expect("nothing is read")), expected, "{options:?}: making one changes nothing");
                if let Some(file) = keeper.file {
                    let session = Session { resume: Some(&mut &file[..]), keeper: None };
                    let found = explore_in(&model, &options, session, &mut |_| true).expect("the checkpoint is good");
                    assert_eq!(told(found), expected, "{options:?}: the last one of every {every}");
                }
            }
            // Those that an interruption leaves, inside an atomic sequence or not.
            let mut file: Option<Vec<u8>> = None;
            let mut steps = random(7, 3);
            loop {
                let mut keeper = Last::default();
                let mut input = file.as_deref();
                let resume = input.as_mut().map(|input| input as &mut dyn io::Read);
                let mut left = steps();
                let found = explore_in(&model, &options, Session { resume, keeper: Some(&mut keeper) }, &mut |_| {
                    left -= 1;
                    left > 0
                });
                let found = found.expect("the checkpoint is good");
                if found.stop != Some(Stop::Interrupted) {
                    assert_eq!(told(found), expected, "{options:?}: interrupted");
                    break;
                }
                file = keeper.file;
            }
        }
    }
}

#[test]
fn a_reduction_that_was_dropped_stays_dropped() {
    // What A does is taken for local, and is not.
    let model = parse(
        "byte x; active proctype A() { byte i; do :: x = i % 3; i = (i + 1) % 30 od }
         active proctype B() { byte j; do :: x == 1 -> j = (j + 1) % 10 :: x == 2 -> assert(j < 9) od }",
    );
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let options = Options { believed: 1, selfcheck: 256, ..way(order, true) };
        let expected = quotient_search::explore(&model, &options, &mut |_| true);
        assert_eq!(expected.dropped.len(), 1, "{order:?}");
        let (found, pieces) = in_pieces(&model, &options, random(3, 100));
        assert!(pieces > 3);
        assert_eq!(told(found), told(expected), "{order:?}");
    }
}

#[test]
fn damaged_checkpoints_are_refused_or_searched() {
    // The caller protects a file by a hash. Without it, a damaged one must do no worse than give another answer.
    let mut model = load(&models_directory().join("dining-philosophers.pml"), &[]);
    quotient_symmetry::detect(&mut model);
    for (order, store) in ORDERS_AND_STORES {
        let symmetry = Some(Strategy::Canonical);
        let options = Options { symmetry, store, max_states: Some(15), ..way(order, true) };
        let mut keeper = Last::default();
        let session = Session { resume: None, keeper: Some(&mut keeper) };
        explore_in(&model, &options, session, &mut |_| true).expect("nothing is read");
        let file = keeper.file.expect("it was cut short");
        for at in 0..file.len() {
            let found =
                explore_in(&model, &options, Session { resume: Some(&mut &file[..at]), keeper: None }, &mut |_| true);
            assert!(found.is_err(), "{order:?}: {at} of {} bytes are not enough", file.len());
        }
    }
}
