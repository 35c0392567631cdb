//! Ways to keep visited states: all find the same, whatever the order and the reductions. What a search finds with whole
//! states is what it must find with trees: counts, violations with their runs, what the nets behind the reductions saw.

mod common;

use std::io::{self, Write};
use std::time::Duration;

use quotient_canon::Strategy;
use quotient_generate::promela;
use quotient_generate::symmetric::{self, Dialect};
use quotient_ir::Model;
use quotient_search::{Exploration, Keeper, Options, Order, Session, Stop, Storage, explore_in};

use common::{
    EVERY_WAY, check_replay, conformance_directory, explore, load, models_directory, models_in, name, parse, stem, way,
};

/// Searches of large models end here.
const MOST_STATES: u64 = 4_000;

/// Everything that is found, but how long it took and how it was kept.
fn told(mut found: Exploration) -> String {
    found.time = Duration::ZERO;
    (found.store, found.store_bytes, found.payload_bytes) = ("", 0, 0);
    if let Some(symmetry) = &mut found.symmetry {
        symmetry.counts.time = Duration::ZERO;
    }
    format!("{found:?}")
}

/// Searches a model with whole states and with trees.
fn compare(label: &str, model: &Model, options: &Options) {
    let options = Options { max_states: Some(MOST_STATES), ..*options };
    let exact = explore(model, &Options { store: Storage::Exact, ..options });
    let tree = explore(model, &Options { store: Storage::Tree, ..options });
    assert_eq!((exact.store, tree.store), ("exact", "tree"));
    assert!(tree.states == 0 || (8 * tree.states..tree.store_bytes).contains(&tree.payload_bytes), "{label}");
    for violation in &tree.violations {
        if let Err(problem) = check_replay(model, options.reduce.is_on(), violation) {
            panic!("{label}, {}: {problem}", name(&options));
        }
    }
    assert_eq!(told(tree), told(exact), "{label}, {}, {:?}", name(&options), options.symmetry);
}

/// Every order and reduction, with and without symmetry.
fn ways() -> Vec<Options> {
    let symmetries = [None, Some(Strategy::Canonical), Some(Strategy::PcSorted)];
    let ways = symmetries.into_iter().flat_map(|symmetry| EVERY_WAY.map(|way| Options { symmetry, ..way }));
    ways.map(|way| Options { selfcheck: 20, ..way }).collect()
}

fn detected(mut model: Model) -> Model {
    quotient_symmetry::detect(&mut model);
    model
}

#[test]
fn every_model_is_the_same_however_states_are_kept() {
    for path in models_in(&models_directory()) {
        let model = detected(load(&path, &[]));
        ways().iter().for_each(|options| compare(&stem(&path), &model, options));
    }
}

#[test]
fn small_models_are_the_same_however_states_are_kept() {
    let mut files = models_in(&conformance_directory());
    files.extend(models_in(&models_directory().join("attacks")));
    files.extend(models_in(&models_directory().join("regressions")));
    let ways = ways();
    for (number, path) in files.iter().enumerate() {
        let model = detected(load(path, &[]));
        let chosen = ways.iter().enumerate().filter(|(way, _)| (way + number) % 3 == 0);
        chosen.for_each(|(_, options)| compare(&stem(path), &model, options));
    }
}

#[test]
fn random_models_are_the_same_however_states_are_kept() {
    let ways = ways();
    for seed in 0..120 {
        let text = promela::generate(seed, &[], seed % 4 == 0).program.to_string();
        let model = parse(&text);
        let options = &ways[seed as usize % 6];
        compare(&format!("seed {seed}\n{text}"), &model, &Options { max_depth: Some(500), ..*options });
    }
    for seed in 0..60 {
        let text = symmetric::generate(seed).text(Dialect::Plain);
        let model = detected(parse(&text));
        compare(&format!("seed {seed}\n{text}"), &model, &ways[seed as usize % ways.len()]);
    }
}

#[test]
fn large_arrays_and_many_processes_are_kept() {
    let array = "int a[2000]; byte i; active [2] proctype P() { do :: i < 40 -> i++; a[i * 50 - 1] = i * 1000 od }";
    let many = "byte n; proctype P(byte k) { k = 3; n-- } 
        active proctype Q() { do :: n < 6 -> n++; run P(n) :: n == 0 -> break od }";
    let channels = "proctype P(chan c) { chan d = [3] of { byte, int }; byte v; do :: d!v,v*1000 -> v = (v+1)%3 :: d?v,_ :: c?v od }
        init { chan c = [2] of { byte }; run P(c); run P(c); do :: c!7 od }";
    for text in [array, many, channels] {
        let model = parse(text);
        EVERY_WAY.iter().for_each(|options| compare(text, &model, options));
    }
}

#[test]
fn states_are_kept_whole_by_default() {
    let kept = |text: &str| explore(&parse(text), &way(Order::DepthFirst, false)).store;
    assert_eq!(kept("byte a[700]; active proctype P() { a[3] = 1 }"), "exact");
    assert_eq!(kept("byte a[4]; active proctype P() { a[3] = 1 }"), "exact");
}

/// Keeps the last checkpoint.
#[derive(Default)]
struct Last(Option<Vec<u8>>);

impl Keeper for Last {
    fn is_due(&mut self) -> bool {
        false
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut file = Vec::new();
        write(&mut file).expect("memory takes it");
        self.0 = Some(file);
    }
}

#[test]
fn a_search_that_ran_out_of_memory_goes_on_with_more() {
    let text = "byte a[50]; unsigned x : 7, y : 7; active proctype P() { do :: x++; a[x % 50] = x :: x-- od }
        active proctype Q() { do :: y++ :: y-- od }";
    let model = parse(text);
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let options = Options { max_states: Some(60_000), store: Storage::Tree, ..way(order, true) };
        let expected = explore(&model, &Options { store: Storage::Exact, ..options });
        let mut file: Option<Vec<u8>> = None;
        let (mut limit, mut pieces) = (200_000, 0);
        let found = loop {
            let mut keeper = Last::default();
            let mut input = file.as_deref();
            let resume = input.as_mut().map(|input| input as &mut dyn io::Read);
            let limited = Options { max_memory: Some(limit), ..options };
            let session = Session { resume, keeper: Some(&mut keeper) };
            let found = explore_in(&model, &limited, session, &mut |_| true).expect("the checkpoint is good");
            if found.stop != Some(Stop::Memory) {
                break found;
            }
            file = keeper.0;
            limit += limit / 3;
            pieces += 1;
        };
        assert!(pieces > 3, "{pieces}");
        assert_eq!(told(found), told(expected), "{order:?}");
    }
}

#[test]
fn a_checkpoint_is_for_the_store_that_it_was_made_with() {
    let model = parse("byte x; active proctype P() { do :: x++ od }");
    let mut keeper = Last::default();
    let options = Options { max_states: Some(50), store: Storage::Tree, ..way(Order::DepthFirst, false) };
    explore_in(&model, &options, Session { resume: None, keeper: Some(&mut keeper) }, &mut |_| true)
        .expect("nothing is read");
    let file = keeper.0.expect("it was cut short");
    let session = Session { resume: Some(&mut &file[..]), keeper: None };
    let found = explore_in(&model, &Options { store: Storage::Exact, ..options }, session, &mut |_| true);
    assert!(found.is_err_and(|error| error.to_string().contains("in another way")));
}
