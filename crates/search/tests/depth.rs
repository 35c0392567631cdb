//! Limits on depth: a run that is cut is never taken for one that ends. With every small limit, what is found is among
//! what is found without one, every run replays, and nothing holds that was not seen to its end.

mod common;

use std::collections::HashSet;

use quotient_canon::Strategy;
use quotient_ir::Model;
use quotient_report::source::Span;
use quotient_search::{Error, Exploration, Options, Reduce, Stop};

use common::{EVERY_WAY, check_replay, explore, kind, name, parse};

/// Each has something that a cut can fall into the middle of.
const MODELS: [(&str, &str); 16] = [
    (
        "rendezvous",
        "chan c = [0] of { byte }; byte x;
         active proctype P() { end: do :: x < 10 -> x++; c!1 od }
         active proctype Q() { end: do :: c?_ -> x = x % 5 od }",
    ),
    (
        "a deadlock after rendezvous",
        "chan c = [0] of { byte }; byte n;
         active proctype P() { do :: n < 4 -> c!n; n++ :: n == 4 -> c!9 od }
         active proctype Q() { byte m; do :: c?m -> assert(m != 3); if :: m == 9 -> break :: else fi od; c?m }",
    ),
    (
        "rendezvous or else",
        "chan c = [0] of { byte }; byte n;
         active proctype P() { end: do :: c!1 :: else -> assert(false) od }
         active proctype Q() { end: do :: c?_ -> n = (n + 1) % 3 od }",
    ),
    (
        "rendezvous of like processes",
        "chan c = [0] of { byte }; byte n;
         active [3] proctype P() { end: do :: atomic { n < 6 -> n++ }; if :: c!1 :: c?_ fi od }",
    ),
    (
        "rendezvous inside atomic sequences",
        "chan c = [0] of { byte }; chan d = [0] of { byte }; byte x;
         active proctype P() { end: do :: atomic { x < 5 -> x++; c!x; d?x; assert(x < 5); x++ } od }
         active proctype Q() { byte y; end: do :: atomic { c?y; y = y + 1; d!y } od }",
    ),
    (
        "a rendezvous whose receiver goes on atomically",
        "chan c = [0] of { byte }; byte x, y;
         active proctype P() { atomic { x = 1; c!1; x = 2; c!2; x = 3 } }
         active proctype Q() { atomic { c?_; y = 1; y = 2; c?_ }; assert(x != 2) }
         active proctype R() { end: do :: x == 2 -> x = 4 :: x == 4 -> x = 2 od }",
    ),
    (
        "atomic sequences that block",
        "byte x, y;
         active proctype P() { end: do :: atomic { x < 4 -> x++; y == x; y = 0 } od }
         active proctype Q() { end: do :: y == 0 && x > 0 -> y = x; assert(x != 3) od }",
    ),
    (
        "d_steps",
        "byte x; chan q = [2] of { byte };
         active proctype P() { end: do :: d_step { x < 6 -> x++; x = x } ; q!x :: d_step { x == 6 -> x = 0 } od }
         active proctype Q() { byte y; end: do :: d_step { q?y; assert(y != 5) } od }",
    ),
    (
        "unless",
        "byte x; bool stop;
         active proctype P() { { do :: x = (x + 1) % 7 od } unless { stop -> x = 9; assert(x != 9) } }
         active proctype Q() { x == 4 -> stop = true }",
    ),
    (
        "escapes that are rendezvous",
        "chan c = [0] of { byte }; byte x;
         active proctype P() { end: do :: { x = (x + 1) % 5; assert(x < 4) } unless { c!x } od }
         active proctype Q() { byte y; end: do :: x != 2 -> c?y; assert(y != 3) od }",
    ),
    (
        "escapes that receive",
        "chan c = [0] of { byte }; byte x;
         active proctype P() { { do :: x = (x + 1) % 5 od } unless { c?_ -> assert(x != 3) } }
         active proctype Q() { x == 1 -> x = x; c!1 }",
    ),
    (
        "timeout",
        "byte x; chan q = [1] of { byte }; chan r = [0] of { byte };
         active proctype P() { end: do :: q!x; x++ :: x == 3 -> r!1; x = 0 :: timeout -> assert(x != 2); q?_ od }
         active proctype Q() { end: do :: r?_ -> q?_ od }",
    ),
    (
        "timeout with nothing but a rendezvous before it",
        "chan c = [0] of { byte }; byte n;
         active proctype P() { do :: n < 3 -> c!1; n++ :: timeout -> assert(n == 3); break od }
         active proctype Q() { end: do :: c?_ od }",
    ),
    (
        "one choice only",
        "chan c = [0] of { byte }; byte x;
         active D_proctype P() { end: do :: x < 5 -> c!x; x++ :: x == 5 -> x = 0 od }
         active proctype Q() { end: do :: c?_ od }",
    ),
    (
        "a condition to move at all",
        "chan c = [0] of { byte }; byte x;
         active proctype P() provided (x < 6) { end: do :: c!x; x++ od }
         active proctype Q() { end: do :: c?_ :: x == 6 -> x = 1; assert(x == 0) od }",
    ),
    (
        "faults in a rendezvous",
        "chan c = [0] of { byte }; byte a[3], i;
         active proctype P() { end: do :: i < 4 -> i++; c!a[i % 4] od }
         active proctype Q() { end: do :: c?a[i % 3] od }",
    ),
];

/// What kinds of errors there are, and where.
fn errors(found: &Exploration) -> HashSet<(&'static str, Option<Span>)> {
    let place = |error: &Error| match error {
        Error::Fault(fault) => (kind(error), Some(fault.span)),
        Error::Deadlock => (kind(error), None),
    };
    found.violations.iter().map(|violation| place(&violation.error)).collect()
}

/// The model as it is, and as it is reduced by symmetry if it has any.
fn with_and_without_symmetry(text: &str) -> Vec<(Model, Option<Strategy>)> {
    let mut symmetric = parse(text);
    quotient_symmetry::detect(&mut symmetric);
    let mut models = vec![(parse(text), None)];
    if quotient_canon::obstacle(&symmetric, Strategy::Canonical).is_none() {
        models.push((symmetric, Some(Strategy::Canonical)));
    }
    models
}

#[test]
fn what_is_cut_is_neither_an_end_nor_a_block() {
    let mut cut_short = 0;
    for (title, text) in MODELS {
        for (model, symmetry) in with_and_without_symmetry(text) {
            for way in EVERY_WAY {
                let way = Options { symmetry, ..way };
                let all = explore(&model, &way);
                assert_eq!(all.stop, None, "{title}");
                // With reduction, promises are checked too; a cut can make the search look at more than it had to.
                let most = errors(&explore(&model, &Options { reduce: Reduce::Off, ..way }));
                assert!(errors(&all).is_subset(&most), "{title}");
                for limit in 0..=60 {
                    let options = Options { max_depth: Some(limit), ..way };
                    let found = explore(&model, &options);
                    let label = format!("{title}, {}, {symmetry:?}, at most {limit} steps", name(&options));
                    let strange: Vec<_> = errors(&found).difference(&most).copied().collect();
                    assert!(strange.is_empty(), "{label}: {strange:?}");
                    for violation in &found.violations {
                        check_replay(&model, way.reduce.is_on(), violation).unwrap_or_else(|e| panic!("{label}: {e}"));
                    }
                    assert!(found.depth <= limit, "{label}: {}", found.depth);
                    match found.stop {
                        None => {
                            let counts = |found: &Exploration| (found.states, found.matched, found.errors);
                            assert_eq!(counts(&found), counts(&all), "{label}: nothing was cut");
                        }
                        stop => assert_eq!(stop, Some(Stop::Depth), "{label}"),
                    }
                    cut_short += usize::from(found.stop.is_some());
                }
            }
        }
    }
    assert!(cut_short > 500, "{cut_short}");
}

/// The same for the models of the project, at a few depths.
#[test]
fn models_of_the_project_are_cut_without_harm() {
    let paths = [common::models_in(&common::conformance_directory()), common::models_in(&common::models_directory())];
    for path in paths.concat() {
        let model = common::load(&path, &[]);
        let max_states = Some(20_000);
        let all = explore(&model, &Options { max_states, ..EVERY_WAY[0] });
        for way in EVERY_WAY {
            for limit in [1, 2, 3, 5, 8, 13, 21, 34] {
                let found = explore(&model, &Options { max_depth: Some(limit), max_states, ..way });
                let label = format!("{}, {}, at most {limit} steps", common::stem(&path), name(&way));
                for violation in &found.violations {
                    check_replay(&model, way.reduce.is_on(), violation).unwrap_or_else(|e| panic!("{label}: {e}"));
                }
                if all.stop.is_none() && !way.reduce.is_on() {
                    assert!(errors(&found).is_subset(&errors(&all)), "{label}");
                }
            }
        }
    }
}

/// Many errors: the first of each kind at each place is kept, however many there are of another.
#[test]
fn the_first_error_of_each_kind_at_each_place_is_kept() {
    let text = "byte x, y; byte a[2];
         active proctype P() { do :: x < 250 -> x++ :: x > 0 -> assert(false) :: y++ od }
         active proctype Q() { if :: x == 200 -> assert(x != 200) :: x == 201 -> a[x] = 1 fi; y == 3; false }";
    for way in EVERY_WAY {
        let model = parse(text);
        let found = explore(&model, &way);
        assert!(found.errors > 1000, "{}", found.errors);
        assert!(found.violations.len() >= quotient_search::MOST_VIOLATIONS, "{}", name(&way));
        assert!(found.violations.len() < quotient_search::MOST_VIOLATIONS + 4, "{}", name(&way));
        let firsts: Vec<_> = found.violations.iter().filter(|violation| violation.first).collect();
        assert_eq!(firsts.len(), errors(&found).len(), "{}", name(&way));
        let kinds: HashSet<_> = errors(&found).into_iter().map(|(kind, _)| kind).collect();
        assert!(kinds.contains("assertion") && kinds.contains("index-out-of-range"), "{}: {kinds:?}", name(&way));
        assert_eq!(firsts.len(), 3, "{}", name(&way));
        for violation in &found.violations {
            check_replay(&model, way.reduce.is_on(), violation).unwrap_or_else(|e| panic!("{}: {e}", name(&way)));
        }
    }
}

/// An error in the initial state has a run of no steps, in both orders.
#[test]
fn an_error_before_the_first_step() {
    let model = parse("byte a[2]; byte i = 5; byte x = a[i]; init { skip }");
    for way in EVERY_WAY {
        let found = explore(&model, &way);
        assert_eq!((found.errors, found.violations[0].path.len()), (1, 0), "{}", name(&way));
    }
}

/// A step that is blocked can show an error: a promise is broken by trying. The run goes on as after any other block.
#[test]
fn what_is_blocked_may_show_an_error() {
    for text in [
        "chan c = [1] of { byte }; active proctype P() { xs c; c!1; c?_; c!2 } active proctype Q() { atomic { skip; c!3 } }",
        "chan c = [1] of { byte }; byte x;
         active proctype P() { xs c; c!1; timeout -> c?_; assert(x == 1) } active proctype Q() { c!2; x = 1 }",
        "chan c = [1] of { byte }; active proctype P() { xs c; c!1; c!2 } active proctype Q() { c!3 }",
    ] {
        let model = parse(text);
        for way in EVERY_WAY {
            let found = explore(&model, &way);
            assert_eq!(found.violations.len() as u64, found.errors, "{text}");
            assert_eq!(
                errors(&found).iter().any(|(kind, _)| *kind == "exclusive-channel"),
                way.reduce.is_on(),
                "{text}"
            );
            for violation in &found.violations {
                check_replay(&model, way.reduce.is_on(), violation)
                    .unwrap_or_else(|e| panic!("{text}, {}: {e}", name(&way)));
            }
        }
    }
}
