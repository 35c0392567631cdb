//! Temporal properties of models with a heap: random models and formulas against an explicit product that is made with the reference
//! interpreter, with every strategy and fairness. `QUOTIENT_TEMPORAL=10000` tries more of them.

mod heap_models;
mod heap_temporal;
mod lasso;

use heap_models::random;
use heap_temporal::models::{self, formula, propositions, swapping, threads};
use heap_temporal::oracle::Graph;
use lasso::certify;
use quotient_canon::HeapStrategy;
use quotient_generate::random::Random;
use quotient_ir::{Claim, ClaimKind, Model};
use quotient_search::Order;
use quotient_search::temporal::{self, Algorithm, Fairness, Found, Options};

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

fn check(model: &Model, claim: &Claim, options: &Options) -> Option<Found> {
    let found = temporal::check(model, claim, options, &mut |_| true).expect("the claim can be checked");
    let complete = found.stop.is_none() || !found.lassos.is_empty();
    (complete && found.unknown.is_none()).then_some(found)
}

/// The ways in which a model is searched.
fn ways(fairness: Fairness) -> Vec<Options> {
    let with = |heap: &str, order: Order, algorithm: Algorithm| {
        let heap: HeapStrategy = heap.parse().expect("there is such a strategy");
        let search = quotient_search::Options { heap, order, ..quotient_search::Options::default() };
        Options { search, fairness, algorithm, ..Options::default() }
    };
    let mut ways: Vec<Options> = ["none", "heap", "pc", "kbots", "canonical"]
        .iter()
        .map(|heap| with(heap, Order::DepthFirst, Algorithm::Scc))
        .collect();
    ways.push(with("canonical", Order::BreadthFirst, Algorithm::Scc));
    if fairness == Fairness::None {
        ways.push(with("heap", Order::DepthFirst, Algorithm::Nested));
    }
    ways
}

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    violated: [usize; 3],
    ordered: usize,
}

/// Compares the verdicts about a claim with those of the oracle; false if the oracle has none.
fn compare(model: &Model, claim: &Claim, told: &str, tally: &mut Tally) -> bool {
    let Some(graph) = Graph::new(model, claim) else { return false };
    tally.compared += 1;
    for (number, fairness) in FAIRNESS.into_iter().enumerate() {
        let expected = graph.is_violated(fairness);
        tally.violated[number] += usize::from(expected);
        for options in ways(fairness) {
            let told = format!("{told}: {fairness:?}, {} {:?}", options.search.heap, options.algorithm);
            let found = match check(model, claim, &options) {
                Some(found) => found,
                // It stops where a step goes wrong, as SPIN does.
                None if options.algorithm == Algorithm::Nested => continue,
                None => panic!("{told}: there is no verdict"),
            };
            assert_eq!(!found.lassos.is_empty(), expected, "{told}");
            let strategy = found.heap.as_ref().map(|(strategy, _)| strategy.orders_threads());
            tally.ordered += usize::from(strategy == Some(true));
            for lasso in &found.lassos {
                certify(model, claim, fairness, lasso).unwrap_or_else(|why| panic!("{told}: {why}"));
            }
        }
    }
    true
}

#[test]
fn every_strategy_has_the_verdict_of_the_oracle() {
    let number = std::env::var("QUOTIENT_TEMPORAL").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let first: u64 = std::env::var("QUOTIENT_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    for seed in first..first + number {
        let mut random = Random::new(seed ^ 0x4ea9);
        let model = if seed % 4 == 0 { random::model(seed) } else { models::model(seed) };
        let propositions = propositions(&model);
        let depth = random.between(1, 3);
        let formula = formula(&mut random, propositions.len(), depth);
        let kind = ClaimKind::Ltl { formula, text: String::new() };
        let claim = Claim { propositions, ..Claim::new("p", kind, Default::default()) };
        compare(&model, &claim, &format!("seed {seed}, {:?}", claim.kind), &mut tally);
    }
    let Tally { compared, violated, ordered } = tally;
    assert!(compared * 2 > number as usize, "{compared} of {number} were compared");
    assert!(violated.iter().all(|&violated| violated * 5 >= compared), "{violated:?} of {compared} are violated");
    assert!(ordered > 0, "threads changed places");
}

/// A thread that never moves while others end and begin is put off; where it ends, too, it is not.
#[test]
fn threads_that_come_and_go_are_treated_fairly() {
    let mut tally = Tally::default();
    for (model, claim, expected) in threads() {
        assert!(compare(&model, &claim, &claim.name, &mut tally));
        let graph = Graph::new(&model, &claim).expect("the model is small");
        assert_eq!(FAIRNESS.map(|fairness| graph.is_violated(fairness)), expected, "{}", claim.name);
    }
}

/// Two records change places in every round: the cycle that is told has two.
#[test]
fn cycles_go_round_until_records_have_their_places_again() {
    let (model, claim) = swapping();
    let found = check(&model, &claim, &Options::default()).expect("there is a verdict");
    let lasso = found.lassos.first().expect("the claim is violated");
    certify(&model, &claim, Fairness::None, lasso).expect("the run stands");
    let start = lasso.loop_start.expect("there is a cycle");
    assert_eq!(lasso.path.len() - start, 6, "three steps, twice");
}
