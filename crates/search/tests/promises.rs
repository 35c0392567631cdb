//! Random models with promises, kept and broken: wrong elements, wrong processes, processes that end, rendezvous, second
//! users. What goes wrong without reduction goes wrong with it, unless a broken promise is reported.

mod common;

use std::collections::BTreeSet;

use quotient_ir::Model;
use quotient_search::{Disorder, Dropped, Error, Exploration, MOST_VIOLATIONS, Options, Order, SELFCHECK};

use common::{check_replay, explore, kind, parse, way};
use quotient_generate::promising;

const CASES: u64 = 1_500;
const MOST_STATES: u64 = 20_000;

/// What went wrong, and where; `None` when not everything was seen.
fn errors(found: &Exploration) -> Option<BTreeSet<String>> {
    let all = found.stop.is_none() && found.errors <= MOST_VIOLATIONS as u64;
    let show = |error: &Error| match error {
        Error::Fault(fault) => format!("{} {:?}", fault.kind.name(), fault.span),
        Error::Deadlock => "invalid-end-state".to_string(),
    };
    all.then(|| found.violations.iter().map(|violation| show(&violation.error)).collect())
}

fn search(model: &Model, order: Order, por: bool) -> Exploration {
    // Breadth-first with the nets, which catch nothing that the rules let through; depth-first without.
    let selfcheck = if order == Order::BreadthFirst { SELFCHECK } else { 0 };
    explore(model, &Options { max_states: Some(MOST_STATES), selfcheck, ..way(order, por) })
}

#[test]
fn what_goes_wrong_without_reduction_goes_wrong_with_it() {
    let (mut compared, mut violated, mut asserted, mut broken, mut reduced, mut dropped) = (0, 0, 0, 0, 0, 0);
    let mut problems = Vec::new();
    for seed in 0..CASES {
        let text = promising::model(seed);
        let model = parse(&text);
        let full = search(&model, Order::DepthFirst, false);
        let Some(expected) = errors(&full) else { continue };
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let found = search(&model, order, true);
            for violation in &found.violations {
                if let Err(problem) = check_replay(&model, true, violation) {
                    problems.push(format!("{seed}: {order:?}: {problem}\n{text}"));
                }
            }
            let Some(errors) = errors(&found) else { continue };
            dropped += usize::from(!found.dropped.is_empty());
            if found.dropped.iter().any(|dropped| !matches!(dropped, Dropped::Order(Disorder::Promise { .. }))) {
                problems.push(format!("{seed}: {order:?}: {:?}\n{text}", found.dropped));
            }
            if found.violations.iter().any(|violation| kind(&violation.error) == "exclusive-channel") {
                broken += 1;
                continue;
            }
            compared += 1;
            violated += usize::from(!expected.is_empty());
            asserted += usize::from(expected.iter().any(|error| error.starts_with("assertion")));
            reduced += usize::from(found.states < full.states);
            if errors != expected {
                problems.push(format!("{seed}: {order:?}: {errors:?}, without reduction {expected:?}\n{text}"));
            }
        }
    }
    let summary = format!(
        "{compared} compared, {violated} violated, {asserted} with assertions, {broken} with broken promises, \
         {reduced} with fewer states, {dropped} where the reduction was dropped"
    );
    assert!(problems.is_empty(), "{}\n{} problems: {summary}", problems.join("\n"), problems.len());
    assert!(compared > 1_000 && 3 * violated > compared && 4 * asserted > compared, "{summary}");
    assert!(broken > 100 && 10 * reduced > compared && dropped > 10, "{summary}");
}
