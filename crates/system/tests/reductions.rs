//! Every reduction against the naive search on random systems: the same final states, the same assertions that fail, the same places
//! that each process can come to. `QUOTIENT_SYSTEMS` is the number of systems, `QUOTIENT_FIRST_SYSTEM` the seed of the first.

mod random;

use quotient_generate::random::Random;
use quotient_system::script::Scripts;
use quotient_system::{
    Damage, Exploration, Independence, Options, Persistent, ViolationKind, compare, strangers_that_meet,
};

const MOST_STATES: usize = 3_000;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

fn kept(options: Options) -> Options {
    Options { keep: true, all_violations: true, ..options }
}

fn ways() -> Vec<(&'static str, Options)> {
    let stateless = Options { most_transitions: Some(4_000), ..Options::stateless() };
    vec![
        ("plain", Options::plain(true)),
        ("sleep", Options { persistent: Persistent::All, ..Options::stateful() }),
        ("persistent", Options { sleep: false, ..Options::stateful() }),
        ("touches", Options { independence: Independence::Touches, ..Options::stateful() }),
        ("stateful", Options::stateful()),
        ("stateless", stateless.clone()),
        ("stateless sleep", Options { persistent: Persistent::All, ..stateless }),
    ]
}

fn kinds(found: &Exploration) -> Vec<(ViolationKind, Option<i32>)> {
    let mut kinds: Vec<_> = found.violations.iter().map(|violation| (violation.kind.clone(), violation.pid)).collect();
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    kinds
}

/// What differs from the naive search, if anything.
fn difference(plain: &Exploration, found: &Exploration) -> Option<String> {
    if found.stopped.is_some() {
        return None;
    }
    if plain.ends != found.ends {
        return Some(format!("{} final states, {} expected", found.ends.len(), plain.ends.len()));
    }
    if plain.locals != found.locals {
        return Some(format!("{} places, {} expected", found.locals.len(), plain.locals.len()));
    }
    if kinds(plain) != kinds(found) {
        return Some(format!("{:?}, {:?} expected", kinds(found), kinds(plain)));
    }
    None
}

fn try_out(seed: u64, ways: &[Options]) -> Option<(Exploration, Vec<Exploration>)> {
    let program = random::system(&mut Random::new(seed));
    let (plain, others) = compare(&random::start(), &mut Scripts::new(vec![program], true), MOST_STATES, ways);
    plain.stopped.is_none().then_some((plain, others))
}

#[test]
fn every_reduction_finds_what_the_naive_search_finds() {
    let (names, ways): (Vec<_>, Vec<_>) = ways().into_iter().map(|(name, options)| (name, kept(options))).unzip();
    let mut tried = 0;
    let mut transitions = vec![0; ways.len() + 1];
    let mut through = vec![0; ways.len()];
    let first = number("QUOTIENT_FIRST_SYSTEM", 0);
    for seed in first..first + number("QUOTIENT_SYSTEMS", 300) {
        let Some((plain, others)) = try_out(seed, &ways) else { continue };
        tried += 1;
        transitions[0] += plain.transitions;
        for (at, found) in others.iter().enumerate() {
            transitions[at + 1] += found.transitions;
            through[at] += u64::from(found.stopped.is_none());
            if let Some(difference) = difference(&plain, found) {
                panic!("system {seed}, {}: {difference}", names[at]);
            }
        }
    }
    assert!(tried * 10 >= number("QUOTIENT_SYSTEMS", 300) * 5, "{tried} systems were small enough");
    assert!(through.iter().all(|&count| count * 10 >= tried * 5), "{through:?} of {tried}");
    assert!(transitions[5] < transitions[1], "something is saved: {transitions:?}");
}

#[test]
fn rules_that_are_left_out_are_missed() {
    let cases = [Damage::SleepAfterCycle, Damage::SleepForever, Damage::NoClosure, Damage::NoProviso];
    for damage in cases {
        let options = kept(Options { damage: Some(damage), ..Options::stateful() });
        let caught = (0..4_000).find(|&seed| {
            let found = try_out(seed, std::slice::from_ref(&options));
            found.is_some_and(|(plain, others)| difference(&plain, &others[0]).is_some())
        });
        assert!(caught.is_some(), "nobody misses {damage:?}");
    }
}

#[test]
fn what_touches_nothing_in_common_commutes() {
    for seed in 0..number("QUOTIENT_SYSTEMS", 300) {
        let program = random::system(&mut Random::new(seed));
        let found = strangers_that_meet(&random::start(), &mut Scripts::new(vec![program], true), 200);
        assert_eq!(found, None, "system {seed}");
    }
}
