//! Limits: a search that must end early says why, has counted what it did, and keeps what it found.

mod common;

use std::time::Duration;

use quotient_search::{Exploration, Options, Order, Reduce, Stop};

use common::{
    EVERY_WAY, check_replay, conformance_directory, explore, load, models_directory, models_in, name, parse, stem, way,
};

const ORDERS: [Order; 2] = [Order::DepthFirst, Order::BreadthFirst];

/// 4096 states: two counters that go up and down.
const COUNTERS: &str = "byte x, y;
    active proctype P() { do :: x = (x < 63 -> x + 1 : 63) :: x = (x > 0 -> x - 1 : 0) od }
    active proctype Q() { do :: y = (y < 63 -> y + 1 : 63) :: y = (y > 0 -> y - 1 : 0) od }";

/// Trouble at once, halfway and at the end of a long run; it is written so that depth-first meets it in that order.
const TROUBLE: &str = "byte x;
    active proctype P() { assert(false); do :: x == 100 -> assert(false); x = 101 :: x != 100 && x < 200 -> x++ :: x == 200 -> assert(false); break od }";

/// States and transitions fit together, and no violation was lost.
#[track_caller]
fn is_sensible(found: &Exploration) {
    assert!(found.states >= 1, "the initial state is stored");
    assert!(found.store_bytes > 0 && found.state_bytes > 0);
    assert_eq!(found.violations.len() as u64, found.errors);
}

#[test]
fn without_limits_everything_is_seen() {
    for order in ORDERS {
        let found = explore(&parse(COUNTERS), &way(order, false));
        // Each of the 64 · 64 states has four moves, and all states but the initial one were once new.
        assert_eq!((found.states, found.matched), (64 * 64, 4 * 64 * 64 - (64 * 64 - 1)), "{order:?}");
        assert_eq!((found.stop, found.errors), (None, 0), "{order:?}");
    }
}

#[test]
fn no_more_states_than_allowed() {
    for order in ORDERS {
        for limit in [1, 2, 10, 1000, 4095] {
            let found = explore(&parse(COUNTERS), &Options { max_states: Some(limit), ..way(order, false) });
            assert_eq!((found.states, found.stop), (limit, Some(Stop::States)), "{order:?}");
            is_sensible(&found);
        }
        let found = explore(&parse(COUNTERS), &Options { max_states: Some(4097), ..way(order, false) });
        assert_eq!((found.states, found.stop), (4096, None), "{order:?}: the limit was not reached");
    }
}

#[test]
fn no_deeper_than_allowed() {
    for order in ORDERS {
        for limit in [1_u64, 5, 20] {
            let found = explore(&parse(COUNTERS), &Options { max_depth: Some(limit), ..way(order, false) });
            assert_eq!((found.depth, found.stop), (limit, Some(Stop::Depth)), "{order:?}");
            is_sensible(&found);
            if order == Order::BreadthFirst {
                // Breadth-first, exactly the states that many steps away are seen: x + y <= limit.
                assert_eq!(found.states, (limit + 1) * (limit + 2) / 2);
            }
        }
        // Moves of the deepest state lead back; one more step is enough to see that.
        let all = explore(&parse(COUNTERS), &way(order, false));
        let found = explore(&parse(COUNTERS), &Options { max_depth: Some(all.depth + 1), ..way(order, false) });
        assert_eq!((found.states, found.matched, found.stop), (all.states, all.matched, None), "{order:?}");
    }
    // Breadth-first, the state furthest away is (63, 63).
    assert_eq!(explore(&parse(COUNTERS), &way(Order::BreadthFirst, false)).depth, 126);
}

/// Steps inside an atomic sequence are not stored, but they are steps: a sequence that never ends must not be followed
/// forever.
#[test]
fn an_endless_atomic_sequence_is_cut_at_the_depth_allowed() {
    let model = parse("byte x; active proctype P() { atomic { x = 1; do :: x = 3 - x od } }");
    for order in ORDERS {
        let max_time = Some(Duration::from_secs(20)); // rather than take all memory when it goes wrong
        let found = explore(&model, &Options { max_depth: Some(1000), max_time, ..way(order, false) });
        assert_eq!((found.depth, found.stop), (1000, Some(Stop::Depth)), "{order:?}");
    }
}

/// It is no error, either: nobody else moves any more. The search ends by itself, however the sequence is passed, and has seen
/// all that can be reached.
#[test]
fn an_endless_atomic_sequence_is_recognised() {
    let loops = [
        // No choice.
        ("byte x; active proctype P() { atomic { do :: x < 1 -> x = 1 :: else -> x = 0 od } }", 0),
        ("byte x; active proctype P() { atomic { do :: x = 3 - x od } }", 0),
        ("byte x; active proctype P() { x = 7; atomic { do :: x++ od } }", 0),
        ("byte x; active proctype P() provided (x < 2) { atomic { do :: x = 1 - x od } }", 0),
        ("active proctype P() { byte x; atomic { do :: x++ od } }", 0),
        // A choice, so that the runs inside are many.
        ("byte x; active proctype P() { atomic { do :: x = 0 :: x = 1 od } }", 0),
        ("byte x, y; active proctype P() { atomic { do :: if :: y = 1 :: y = 0 fi; x++ :: x = 0 od } }", 0),
        ("byte x; active proctype P() { atomic { do :: x = 1 - x :: break od }; assert(x == 0) }", 1),
        ("byte x; active proctype P() { atomic { do :: x == 200 -> assert(false) :: x++ :: skip od } }", 1),
        ("byte x; active proctype P() { atomic { do :: x < 9 -> x++ :: x == 7 -> break :: skip od }; x == 0 }", 1),
        ("byte x; active proctype P() { { atomic { do :: x = 1 - x od } } unless { x == 3 } }", 0),
        // Control goes from one to the other and back.
        (
            "chan c = [0] of { bit }; active proctype P() { atomic { do :: c!0; c?_ od } }
            active proctype Q() { atomic { do :: c?_; c!0 od } }",
            0,
        ),
        // What others do before the sequence begins.
        ("byte x; active proctype P() { atomic { do :: x = 1 - x od } } active proctype Q() { assert(x == 0) }", 0),
        ("byte x; active proctype P() { atomic { do :: x = 1 - x od } } active proctype Q() { assert(x == 1) }", 1),
        ("active proctype P() { byte x; atomic { do :: x++ od } } active proctype Q() { assert(false) }", 1),
    ];
    for (text, errors) in loops {
        for order in ORDERS {
            for reduce in [Reduce::Off, Reduce::Spin, Reduce::Full] {
                let max_time = Some(Duration::from_secs(20)); // rather than take all memory when it goes wrong
                let options = Options { max_time, reduce, ..way(order, false) };
                let found = explore(&parse(text), &options);
                assert_eq!((found.stop, found.kinds.len()), (None, errors), "{order:?}, {reduce:?}: {text}");
            }
        }
    }
}

/// There are 2⁴⁰ runs through the sequence, and few states.
#[test]
fn an_atomic_sequence_with_very_many_runs_is_searched() {
    let text = "byte x, n; active proctype P() {
        atomic { do :: n < 40 -> n++; if :: x = 1 - x :: skip fi :: else -> break od }; assert(x == 0) }";
    for order in ORDERS {
        let max_time = Some(Duration::from_secs(20));
        let found = explore(&parse(text), &Options { max_time, ..way(order, false) });
        assert_eq!((found.stop, found.errors), (None, 1), "{order:?}");
        let found = explore(&parse(&text.replace("x == 0", "x < 2")), &Options { max_time, ..way(order, false) });
        assert_eq!((found.stop, found.errors), (None, 0), "{order:?}");
        assert!(found.states < 10, "{order:?}: {} states", found.states);
    }
}

#[test]
fn no_more_memory_than_allowed() {
    // Big enough for the memory to be looked at many times on the way.
    let model = load(&models_directory().join("peterson.pml"), &[("N".to_string(), Some("4".to_string()))]);
    for order in ORDERS {
        for limit in [1, 4 << 20] {
            let found = explore(&model, &Options { max_memory: Some(limit), ..way(order, false) });
            assert_eq!(found.stop, Some(Stop::Memory), "{order:?}");
            assert!(found.states < 542_921, "{order:?}: {} states", found.states);
            is_sensible(&found);
        }
    }
}

#[test]
fn no_longer_than_allowed() {
    let model = load(&models_directory().join("peterson.pml"), &[]);
    for order in ORDERS {
        let found = explore(&model, &Options { max_time: Some(Duration::ZERO), ..way(order, false) });
        assert_eq!(found.stop, Some(Stop::Time), "{order:?}");
        assert!(found.states < 11_318, "{order:?}: {} states", found.states);
        is_sensible(&found);
    }
}

#[test]
fn the_observer_is_told_how_far_it_is_and_can_end_the_search() {
    let model = load(&models_directory().join("peterson.pml"), &[]);
    for order in ORDERS {
        let mut seen = Vec::new();
        let all = quotient_search::explore(&model, &way(order, false), &mut |progress| {
            seen.push((progress.states, progress.matched, progress.depth));
            true
        });
        assert!(seen.len() > 3, "{order:?}: called {} times", seen.len());
        assert!(
            seen.iter().all(|&(states, matched, depth)| {
                states <= all.states && matched <= all.matched && depth <= all.depth
            })
        );
        assert!(seen.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0 + pair[1].1), "{order:?}: it goes on");

        let mut calls = 0;
        let stopped = quotient_search::explore(&model, &way(order, false), &mut |progress| {
            calls += 1;
            assert_eq!((progress.states, progress.matched, progress.depth), seen[calls - 1], "{order:?}");
            calls < 2
        });
        assert_eq!((calls, stopped.stop), (2, Some(Stop::Interrupted)), "{order:?}: not called again");
        let done = stopped.states + stopped.matched;
        assert!(
            (seen[1].0 + seen[1].1..seen[2].0 + seen[2].1).contains(&done),
            "{order:?}: {done} after {:?}",
            seen[1]
        );
    }
}

#[test]
fn violations_found_before_a_limit_stay() {
    let model = parse(TROUBLE);
    for order in ORDERS {
        assert_eq!(explore(&model, &way(order, false)).errors, 3, "{order:?}");
        for (options, stop, errors) in [
            (Options { max_states: Some(50), ..way(order, false) }, Stop::States, 1),
            (Options { max_states: Some(300), ..way(order, false) }, Stop::States, 2),
            (Options { max_depth: Some(50), ..way(order, false) }, Stop::Depth, 1),
            (Options { max_depth: Some(250), ..way(order, false) }, Stop::Depth, 2),
        ] {
            let found = explore(&model, &options);
            assert_eq!((found.stop, found.errors), (Some(stop), errors), "{order:?}");
            is_sensible(&found);
            for violation in &found.violations {
                check_replay(&model, false, violation).unwrap();
            }
        }
    }
}

/// Stopping at the first error means: there is one, it is the only one, and it can be replayed.
#[test]
fn the_first_violation_ends_the_search() {
    let mut violated = 0;
    for path in [models_in(&conformance_directory()), models_in(&models_directory())].concat() {
        let model = load(&path, &[]);
        for options in EVERY_WAY {
            let label = format!("{}, {}", stem(&path), name(&options));
            let found = explore(&model, &Options { all_errors: false, max_states: Some(20_000), ..options });
            if found.stop == Some(Stop::Violation) {
                violated += 1;
                assert_eq!((found.errors, found.violations.len()), (1, 1), "{label}");
                check_replay(&model, options.reduce.is_on(), &found.violations[0])
                    .unwrap_or_else(|e| panic!("{label}: {e}"));
            } else {
                assert_eq!(found.errors, 0, "{label}");
            }
        }
    }
    assert!(violated >= 40, "only {violated} violations");
}

/// One step can show several errors, and a blocked step can too; the first one is enough.
#[test]
fn the_first_of_several_errors_in_a_step_ends_the_search() {
    for text in [
        "active proctype P() { d_step { assert(false); assert(false) } }",
        "byte x; active proctype P() { if :: 1 / x -> skip :: assert(false) fi }",
        "byte x; active proctype Q() { assert(false) } active proctype P() provided (1 / x) { assert(false) }",
        "chan c = [0] of { byte }; byte a[2], i = 2; active proctype P() { c!a[i] } active proctype Q() { c?a[i] }",
    ] {
        for options in EVERY_WAY {
            let found = explore(&parse(text), &Options { all_errors: false, ..options });
            assert_eq!((found.errors, found.stop), (1, Some(Stop::Violation)), "{text}, {}", name(&options));
        }
    }
}

/// Breadth-first finds a shortest run to a violation.
#[test]
fn the_first_violation_breadth_first_is_near() {
    let model = parse("byte x; active proctype P() { do :: x < 200 -> x++ :: x == 4 -> assert(false) od }");
    let found = explore(&model, &Options { all_errors: false, ..way(Order::BreadthFirst, false) });
    // Four times a guard and a step, then the guard of the assertion and the assertion.
    assert_eq!(found.violations[0].path.len(), 4 * 2 + 2);
}
