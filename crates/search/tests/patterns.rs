//! The symmetry that is found in models that are easily missed, put to use: as many states are stored as there are orbits,
//! counted by brute force, and the verdict is that of a search without symmetry.

mod common;

use quotient_canon::Strategy;
use quotient_generate::patterns::{self as list, Pattern};
use quotient_search::{Options, Order};

use common::orbits::orbits;
use common::{EVERY_WAY, check_replay, explore, way};

fn check(pattern: &Pattern) -> Result<(), String> {
    let mut model = common::parse(pattern.text);
    quotient_symmetry::detect(&mut model);
    let plain = explore(&model, &way(Order::DepthFirst, false));
    if model.symmetry.is_none() {
        return if pattern.found.is_empty() { Ok(()) } else { Err("nothing is found".to_string()) };
    }
    if let Some(reason) = quotient_canon::obstacle(&model, Strategy::Canonical) {
        return Err(reason.to_string());
    }
    let (orbits, states) = orbits(&model);
    if plain.states != states {
        return Err(format!("{} states without symmetry, not {states}", plain.states));
    }
    for options in EVERY_WAY {
        let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: 300, ..options };
        let found = explore(&model, &options);
        let way = common::name(&options);
        if !options.reduce.is_on() && found.states != orbits {
            return Err(format!("{way}: {} states for {orbits} orbits", found.states));
        }
        if !found.dropped.is_empty() {
            return Err(format!("{way}: {:?}", found.dropped));
        }
        if (found.errors > 0) != (plain.errors > 0) {
            return Err(format!("{way}: {} errors, {} without symmetry", found.errors, plain.errors));
        }
        for violation in &found.violations {
            check_replay(&model, options.reduce.is_on(), violation).map_err(|problem| format!("{way}: {problem}"))?;
        }
    }
    Ok(())
}

/// All of them but those whose members end.
#[test]
fn as_many_states_as_orbits() {
    let lists = [
        list::RESETS,
        list::OPTIONS,
        list::OUTSIDE_ARRAYS,
        list::SPECIAL,
        list::LOOPS,
        list::GUARDED,
        list::NONE,
        list::SCRATCH,
        list::ARITHMETIC,
        list::REMOTE,
        list::GAPS,
        list::UNREAD,
        list::NESTED,
        list::ORDER,
        list::NEAR,
    ];
    let problems: Vec<String> = lists
        .into_iter()
        .flatten()
        .filter_map(|pattern| check(pattern).err().map(|problem| format!("{}: {problem}", pattern.name)))
        .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
