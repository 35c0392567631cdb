//! Symmetry reduction: the published numbers, orbits counted by brute force, and independence of strategy and order.

mod common;

use std::collections::HashSet;
use std::path::Path;

use quotient_canon::Strategy;
use quotient_ir::Model;
use quotient_search::{Exploration, Options, Order};

use common::{explore, models_directory, way};

/// A model of the project with the symmetry that its description tells of.
fn load(name: &str, processes: usize) -> Model {
    let defines = vec![("N".to_string(), Some(processes.to_string()))];
    let mut model = common::load(&models_directory().join(name).with_extension("pml"), &defines);
    let options = quotient_promela::Options { defines };
    let path = models_directory().join(name).with_extension("sym");
    let mut sources = quotient_report::source::SourceMap::default();
    let loader = |path: &Path| std::fs::read(path);
    let problems = quotient_promela::describe(&mut model, &path, &options, &mut sources, &loader);
    assert!(problems.is_empty(), "{}", quotient_report::render::render(&problems, &sources, false));
    model
}

fn reduced(model: &Model, strategy: Strategy, order: Order, por: bool) -> Exploration {
    assert_eq!(quotient_canon::obstacle(model, strategy), None);
    explore(model, &Options { symmetry: Some(strategy), ..way(order, por) })
}

/// States with partial-order reduction and without.
fn states(model: &Model, strategy: Strategy) -> (u64, u64) {
    let [with, without] = [true, false].map(|por| {
        let found = reduced(model, strategy, Order::DepthFirst, por);
        assert_eq!(found.errors, 0);
        found.states
    });
    (with, without)
}

const CANONICAL: [Strategy; 4] = [Strategy::Full, Strategy::Segmented, Strategy::PcSegmented, Strategy::Canonical];

#[test]
fn table_1_for_two_and_three_processes() {
    for (processes, canonical, sorted, pc_sorted) in
        [(2, (89, 134), (113, 160), (92, 137)), (3, (980, 1976), (1877, 3967), (1149, 2396))]
    {
        let model = load("peterson", processes);
        for strategy in CANONICAL {
            assert_eq!(states(&model, strategy), canonical, "{strategy}");
        }
        assert_eq!(states(&model, Strategy::Sorted), sorted);
        assert_eq!(states(&model, Strategy::PcSorted), pc_sorted);
    }
}
