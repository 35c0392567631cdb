//! Small models whose temporal properties are easily answered wrong: rendezvous, atomic sequences that block, `else`, processes
//! that end, `unless` and `timeout`, symmetric processes with a formula about one of them. The header of each says for every formula
//! whether it holds for all runs, for weakly fair and for strongly fair ones. SPIN says the same of the first two (`pan -a` and `pan -a -f`
//! with -DNOREDUCE; where a model asks for `_nr_pr`, with one more, since SPIN counts the claim).

mod common;
mod lasso;

use std::path::Path;

use common::{load, models_in};
use lasso::certify;
use quotient_canon::Strategy;
use quotient_search::temporal::{self, Algorithm, Fairness, Options};
use quotient_search::{Options as Search, Order, Reduce};

/// Every way to ask.
fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for reduce in [Reduce::Off, Reduce::Full] {
        for symmetry in [None, Some(Strategy::Canonical), Some(Strategy::Sorted)] {
            for order in [Order::DepthFirst, Order::BreadthFirst] {
                let search = Search { reduce, symmetry, order, ..Search::default() };
                for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                    ways.push(Options { search, fairness, ..Options::default() });
                }
            }
        }
    }
    ways.push(Options { algorithm: Algorithm::Nested, ..Options::default() });
    ways
}

#[test]
fn every_way_gives_the_verdict_of_the_header() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/temporal_pitfalls");
    let (mut formulas, mut reduced) = (0, [0, 0]);
    for path in models_in(&directory) {
        let text = std::fs::read_to_string(&path).expect("the model can be read");
        let mut model = load(&path, &[]);
        quotient_symmetry::detect(&mut model);
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let (name, verdicts) = line.split_once(": ").expect("a name and verdicts");
            let verdicts: Vec<bool> = verdicts.split(", ").map(|verdict| verdict == "holds").collect();
            let claim = model.claims.iter().find(|claim| claim.name == name).expect("there is such a formula");
            formulas += 1;
            for options in ways() {
                let told = format!("{} {name}: {options:?}", path.display());
                let found = temporal::check(&model, claim, &options, &mut |_| true).expect("it can be checked");
                assert!(found.stop.is_none() || !found.lassos.is_empty(), "{told}: {:?}", found.stop);
                assert_eq!(found.lassos.is_empty(), verdicts[options.fairness as usize], "{told}");
                for lasso in &found.lassos {
                    certify(&model, claim, options.fairness, lasso).unwrap_or_else(|why| panic!("{told}: {why}"));
                }
                reduced[0] += usize::from(found.applied.order == Some(Ok(())));
                reduced[1] += usize::from(found.applied.symmetry == Some(Ok(())));
            }
        }
    }
    assert!(formulas >= 65 && reduced[0] > 500 && reduced[1] > 50, "{formulas} formulas, {reduced:?} reduced");
}
