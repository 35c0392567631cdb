//! Mistakes that are easily made in an optimal explorer, each with a small program that would show it. Counts are written
//! for SC, TSO, RA and RC11 in this order; they come from reasoning, and the oracle is asked as well.

mod driver;

use driver::Exploration;
use quotient_dpor::graph::{Outcome, Rmw, Update, When};
use quotient_oracle::{Execution, MemoryModel, Program, classes, executions, holds, orbits, parse};
use std::collections::BTreeSet;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")).program
}

fn explore(text: &str, model: MemoryModel, symmetry: bool) -> Exploration {
    driver::explore(&program(text), driver::model(model), symmetry)
}

/// How many executions each model has, without symmetry. None is found twice, and the oracle finds the same.
fn counts(text: &str) -> [usize; 4] {
    let program = program(text);
    MemoryModel::ALL.map(|model| {
        let found = explore(text, model, false).executions;
        let distinct: BTreeSet<Execution> = found.iter().cloned().collect();
        assert_eq!(distinct.len(), found.len(), "{model}: an execution is found twice\n{program}");
        if let Ok(expected) = executions(&program, model) {
            assert!(distinct == expected, "{model}: {} executions, not {}\n{program}", found.len(), expected.len());
        }
        found.len()
    })
}

/// How many executions each model has with symmetry. There is one for each orbit, and the oracle has as many orbits.
fn reduced(text: &str) -> [usize; 4] {
    let program = program(text);
    let classes = classes(&program);
    MemoryModel::ALL.map(|model| {
        let found = explore(text, model, true);
        assert_eq!(found.statistics.cyclic, 0, "{model}\n{program}");
        let found = found.executions;
        let distinct: BTreeSet<Execution> = found.iter().map(|execution| execution.canonical(&classes)).collect();
        assert_eq!(distinct.len(), found.len(), "{model}: an orbit is found twice\n{program}");
        if let Ok(expected) = executions(&program, model) {
            assert_eq!(found.len(), orbits(&program, &expected), "{model}: the orbits\n{program}");
        }
        found.len()
    })
}

/// Whether each model finds a race; symmetry makes no difference.
fn races(text: &str) -> [bool; 4] {
    MemoryModel::ALL.map(|model| {
        let [plain, reduced] = [false, true].map(|symmetry| explore(text, model, symmetry).races > 0);
        assert_eq!(plain, reduced, "{model}: races with symmetry\n{text}");
        plain
    })
}

/// Whether each model has an execution with the outcome that the text ends with.
fn seen(text: &str) -> [bool; 4] {
    let litmus = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let condition = &litmus.outcomes[0].condition;
    MemoryModel::ALL.map(|model| {
        let found = explore(text, model, false).executions;
        found.iter().any(|execution| holds(&litmus.program, execution, condition))
    })
}

/// So many threads that increment a location.
fn increments(threads: usize) -> String {
    format!("init x=0\nthreads {threads} {{ r0 = add rlx x 1 }}")
}

/// An update is inconsistent where another has taken its source; if this were found out before its revisits are tried,
/// only the first of all orders would be left.
#[test]
fn consistency_is_not_checked_before_the_revisits_of_an_update() {
    for (threads, orders) in [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        assert_eq!(counts(&increments(threads)), [orders; 4]);
        assert_eq!(reduced(&increments(threads)), [1; 4]);
    }
}

/// An update that stays only until it has revisited another is no execution; counted as one, it would make these
/// programs look as if they could block.
#[test]
fn conflicting_updates_do_not_count_as_blocked() {
    for (model, symmetry) in MemoryModel::ALL.into_iter().flat_map(|model| [(model, false), (model, true)]) {
        let statistics = explore(&increments(4), model, symmetry).statistics;
        assert_eq!((statistics.complete, statistics.blocked), (if symmetry { 1 } else { 24 }, 0));
    }
}

/// If another thread could run between the halves of an update, these reads and writes would get between them, and what
/// comes first in the order of insertion would no longer be what a revisit keeps.
#[test]
fn no_thread_runs_between_the_halves_of_an_update() {
    let reads = "init x=0\nthreads 2 { r0 = add rlx x 1; r1 = load rlx x }";
    assert_eq!(counts(reads), [4; 4]);
    assert_eq!(reduced(reads), [2; 4]);
    let write = "init x=0\nthreads 2 { r0 = add rlx x 1 }\nthread { store rlx x 5 }";
    assert_eq!(counts(write), [6; 4]);
    assert_eq!(reduced(write), [3; 4]);
}

/// What was there when an event was added does not include the new write; if it did, no read would ever be maximal and
/// nothing would be revisited.
#[test]
fn the_revisiting_write_does_not_count_among_the_writes_before() {
    assert_eq!(counts("init x=0\nthread { r0 = load rlx x }\nthread { store rlx x 1 }"), [2; 4]);
}

/// The first read takes the second thread's write; if that write could then be removed, because the read before it is
/// revisited, the first read would be left with nothing to read, or an execution would come twice.
#[test]
fn a_write_that_a_kept_read_reads_is_not_removed() {
    let chain =
        "init x=0 y=0\nthread { r0 = load rlx x }\nthread { r0 = load rlx y; store rlx x 1 }\nthread { store rlx y 1 }";
    assert_eq!(counts(chain), [4; 4]);
    let longer = "
        init x=0 y=0 z=0
        thread { r0 = load rlx x }
        thread { r0 = load rlx y; store rlx x 1 }
        thread { r0 = load rlx z; store rlx y 1 }
        thread { store rlx z 1 }";
    assert_eq!(counts(longer), [8; 4]);
}

/// Example 3 of the SPORE paper: a read can be revisited from two explorations, and only one of them may do so.
#[test]
fn rev_ex_has_four_executions() {
    let text = "
        init x=0 y=0
        thread { r0 = load rlx y }
        thread { r0 = load rlx x; if r0 == 1 { store rlx x 2; r1 = load rlx x } }
        thread { store rlx x 1; store rlx y 1 }";
    assert_eq!(counts(text), [4; 4]);
}

/// Where the new write stands in coherence order makes no difference to what a revisit leaves; if every place were
/// tried with every revisit, executions would come twice.
#[test]
fn revisits_are_not_repeated_for_each_place_of_the_write() {
    let two = "init x=0\nthread { r0 = load rlx x }\nthread { store rlx x 1 }\nthread { store rlx x 2 }";
    assert_eq!(counts(two), [6; 4]);
    let three = format!("{two}\nthread {{ store rlx x 3 }}");
    assert_eq!(counts(&three), [24; 4]);
}

/// A read that has been revisited keeps its place in the order of insertion, before the write that it reads; as the
/// youngest event it would look as if it had been added maximally, and would be revisited again by every later write.
#[test]
fn a_revisited_read_does_not_become_younger() {
    let text = "
        init x=0 y=0
        thread { r0 = load rlx x }
        thread { r0 = load rlx y; store rlx x 1 }
        thread { store rlx x 2; store rlx y 1 }";
    assert_eq!(counts(text), [9, 9, 12, 12]);
}

/// Example 5 of the SPORE paper: a write's prefix must have in it what like threads have done before it; without that,
/// revisits remove what the representative of an orbit needs.
#[test]
fn prefixes_have_the_matching_events_of_like_threads() {
    let text = "
        init x=0 y=0
        thread { r0 = load rlx y }
        threads 2 { r0 = load rlx x; store rlx x 1; store rlx y 1 }";
    assert_eq!(counts(text), [24; 4]);
    assert_eq!(reduced(text), [12; 4]);
}

/// Example 4 of the SPORE paper, and increments: if the right one of like threads went first, it would have to read what
/// the left one is yet to write, and orbits would be lost.
#[test]
fn the_leftmost_of_like_threads_goes_first() {
    let text = "
        init x=0 y=0
        thread { store rlx x 1; r0 = load rlx y }
        threads 2 { r0 = load rlx x }
        thread { store rlx y 1 }";
    assert_eq!(counts(text), [8; 4]);
    assert_eq!(reduced(text), [6; 4]);
    assert_eq!(reduced(&increments(3)), [1; 4]);
}

/// Example 6 of the SPORE paper: a cycle of program order, reads-from and coherence, with which the reduction may lose
/// orbits; to say nothing would pass a part off as the whole.
#[test]
fn cycles_outside_the_fragment_are_reported() {
    let text = "
        init x=0 y=0
        thread { store rlx x 2 }
        threads 2 { r0 = load rlx x; if r0 == 2 { store rlx y 1 } }
        thread { r0 = load rlx y; store rlx x 1 }";
    assert_eq!(counts(text), [28, 28, 36, 36]);
    let program = program(text);
    for model in MemoryModel::ALL {
        let found = explore(text, model, true);
        if let MemoryModel::Ra | MemoryModel::Rc11 = model {
            assert!(found.statistics.cyclic > 0, "{model}");
        } else {
            assert_eq!(found.statistics.cyclic, 0, "{model}");
            let orbits = orbits(&program, &found.executions.iter().cloned().collect());
            assert_eq!((found.executions.len(), orbits), (16, 16), "{model}");
        }
    }
}

/// A revisit may change what the left one of two like threads has read; if only the right one were compared with those
/// before it, the two orders of a pair would both be left. With a mutex the right one may even stay when the left one is
/// revisited.
#[test]
fn both_neighbours_of_a_revisited_read_are_compared() {
    for readers in 2..=6 {
        let last = format!("init x=0\nthreads {readers} {{ r0 = load rlx x }}\nthread {{ store rlx x 1 }}");
        let first = format!("init x=0\nthread {{ store rlx x 1 }}\nthreads {readers} {{ r0 = load rlx x }}");
        for text in [last, first] {
            assert_eq!(counts(&text), [1 << readers; 4]);
            assert_eq!(reduced(&text), [readers + 1; 4]);
        }
    }
    let locks = "
        init m=0
        thread { lock m }
        threads 2 { lock m; unlock m }";
    assert_eq!(counts(locks), [2; 4]);
    assert_eq!(reduced(locks), [1; 4]);
}

/// Two writes of the same value are two writes; if threads counted as alike because they have read the same value,
/// executions would be taken for one orbit that are not.
#[test]
fn likeness_compares_sources_and_not_values() {
    let text = "
        init x=0 y=0
        thread { store rlx x 1; store rlx x 1 }
        threads 2 { r0 = load rlx x; r1 = load rlx y }
        thread { store rlx y 1 }";
    assert_eq!(counts(text), [36; 4]);
    assert_eq!(reduced(text), [21; 4]);
}

/// The left one of two like threads blocks, and the right one does not: an explorer that waited for the left one would
/// never come to what the right one does.
#[test]
fn a_blocked_left_thread_does_not_hold_up_the_right_one() {
    let race = "
        init x=0 c=0
        threads 2 { r0 = add rlx x 1; assume r0 == 1; store na c 1 }
        thread { r0 = load na c }";
    assert_eq!(races(race), [true; 4]);
    let both_pass = "
        init x=0 y=0
        threads 2 { r0 = load rlx x; assume r0 == 1; store rlx y 1 }
        thread { store rlx x 1 }";
    assert_eq!(counts(both_pass), [2; 4]);
    assert_eq!(reduced(both_pass), [1; 4]);
}

/// The order of the threads is the order in which events are added; only what blocks may depend on it, so complete
/// executions that came and went with it would be lost or found twice.
#[test]
fn the_order_of_threads_changes_no_count() {
    let threads = [
        "thread { store rlx x 1; store rel y 1 }",
        "thread { r0 = load acq y; assume r0 == 1; r1 = load rlx x }",
        "thread { r0 = load rlx x; r1 = add rlx x 2 }",
    ];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let text = format!("init x=0 y=0\n{}", order.map(|thread| threads[thread]).join("\n"));
        assert_eq!(counts(&text), [5, 5, 5, 5], "{text}");
    }
}

/// A compare-and-swap that fails orders as its failure says; with the order of a success, which it does not have, the
/// race would be missed. The other thread may be met before or after the exchange, so both orders are tried.
#[test]
fn a_failed_exchange_has_the_order_of_its_failure() {
    let writer = "thread { store na x 1; store rel y 1 }";
    for (failure, race) in [("rlx", [false, false, true, true]), ("acq", [false; 4])] {
        let reader = format!("thread {{ r0 = cas acqrel {failure} y 7 8; if r0 == 1 {{ r1 = load na x }} }}");
        assert_eq!(races(&format!("init x=0 y=0\n{writer}\n{reader}")), race);
        assert_eq!(races(&format!("init x=0 y=0\n{reader}\n{writer}")), race);
    }
}

/// An update wraps around at the width of its location; computed in 64 bits it would write a value that the location
/// cannot hold.
#[test]
fn updates_wrap_around_at_their_width() {
    let add = |bits| Update::Fetch { op: Rmw::Add, operand: 1, bits };
    for (bits, most) in [(8, u8::MAX.into()), (16, u16::MAX.into()), (32, u32::MAX.into()), (64, u64::MAX)] {
        assert_eq!(add(bits).outcome(When::Always, most), Outcome::Writes(0));
    }
    assert_eq!(add(16).outcome(When::Always, u8::MAX.into()), Outcome::Writes(0x100));
}

/// Since C++20 a relaxed store ends its own thread's release sequence, and only read-modify-writes go on with one; with
/// the older definition the first race would be missed, with none at all the second program would seem to have one.
#[test]
fn release_sequences_are_those_of_cpp20() {
    let store = "
        init x=0 y=0
        thread { store na x 1; store rel y 1; store rlx y 2 }
        thread { r0 = load acq y; if r0 == 2 { r1 = load na x } }";
    assert_eq!(races(store), [false, false, true, true]);
    let update = "
        init x=0 y=0
        thread { store na x 1; store rel y 1 }
        thread { r0 = add rlx y 1 }
        thread { r0 = load acq y; if r0 == 2 { r1 = load na x } }";
    assert_eq!(races(update), [false; 4]);
}

/// Two SC fences are ordered by any chain of reads-from, coherence and reads-before between them; with coherence alone,
/// or reads-before alone, these outcomes would be seen.
#[test]
fn sc_fences_are_ordered_by_extended_coherence() {
    let programs = [
        "init x=0 y=0
        thread { store rlx x 1; FENCE; r0 = load rlx y }
        thread { store rlx y 1; FENCE; r0 = load rlx x }
        outcome 0:r0=0 & 1:r0=0 all: never",
        "init x=0 y=0
        thread { store rlx x 1; FENCE; store rlx y 2 }
        thread { store rlx y 1; FENCE; store rlx x 2 }
        outcome x=1 & y=1 all: never",
        "init x=0 y=0
        thread { store rlx x 1 }
        thread { r0 = load rlx x; FENCE; r1 = load rlx y }
        thread { store rlx y 1; FENCE; r0 = load rlx x }
        outcome 1:r0=1 & 1:r1=0 & 2:r0=0 all: never",
        "init x=0 y=0 z=0
        thread { store rlx x 1; store rel y 1 }
        thread { r0 = load acq y; FENCE; r1 = load rlx z }
        thread { store rlx z 1; FENCE; r0 = load rlx x }
        outcome 1:r0=1 & 1:r1=0 & 2:r0=0 all: never",
        "init x=0 y=0
        thread { store rlx x 1; FENCE; store rlx y 1 }
        thread { r0 = add acqrel y 1; r1 = load rlx y }
        thread { store rlx y 3; FENCE; r0 = load rlx x }
        outcome 1:r0=1 & 1:r1=3 & 2:r0=0 all: never",
        "init x=0 y=0
        thread { store sc x 1; r0 = load sc y }
        thread { store rlx y 1; FENCE; r0 = load rlx x }
        outcome 0:r0=0 & 1:r0=0 all: never",
    ];
    for text in programs {
        assert_eq!(seen(&text.replace("FENCE", "fence sc")), [false, false, true, false], "{text}");
        let [sc, _, ra, rc11] = seen(&text.replace("FENCE", "fence acqrel"));
        assert_eq!([sc, ra, rc11], [false, true, true], "{text}");
    }
}

/// Initial values are there before every thread; as a write of somebody, they would race with plain accesses.
#[test]
fn initial_values_race_with_nothing() {
    assert_eq!(races("init x=3\nthreads 2 { r0 = load na x }"), [false; 4]);
    let handed_over = "
        init x=3 y=0
        thread { r0 = load na x; store rel y 1 }
        thread { r0 = load acq y; if r0 == 1 { store na x 4 } }";
    assert_eq!(races(handed_over), [false; 4]);
}

/// A race needs a write and an access that is not atomic: with less asked for, reads or atomics would race; with more, a
/// mixed pair would not.
#[test]
fn races_need_a_write_and_a_plain_access() {
    let pair = |one: &str, other: &str| races(&format!("init x=0\nthread {{ {one} }}\nthread {{ {other} }}"));
    assert_eq!(pair("r0 = load na x", "r1 = load na x"), [false; 4]);
    assert_eq!(pair("r0 = load na x", "r1 = load rlx x"), [false; 4]);
    assert_eq!(pair("store rlx x 1", "r0 = load rlx x"), [false; 4]);
    assert_eq!(pair("store rlx x 1", "r0 = add rlx x 1"), [false; 4]);
    for (plain, atomic) in [
        ("store na x 1", "r0 = load acq x"),
        ("r0 = load na x", "store rel x 1"),
        ("r0 = load na x", "r0 = add sc x 1"),
    ] {
        assert_eq!(pair(plain, atomic), [true; 4]);
        assert_eq!(pair(atomic, plain), [true; 4]);
    }
    assert_eq!(pair("store na x 1", "store na x 2"), [true; 4]);
}

/// A write must not revisit a read that comes before it, in its own thread or by what others have read; the read would
/// see what depends on it.
#[test]
fn no_read_sees_a_write_that_depends_on_it() {
    assert_eq!(counts("init x=0\nthread { r0 = load rlx x; store rlx x 1 }"), [1; 4]);
    let increments = "init x=0\nthreads 2 { r0 = load rlx x; store rlx x (r0 + 1) }";
    assert_eq!(counts(increments), [4; 4]);
    assert_eq!(reduced(increments), [2; 4]);
    let crossed = "
        init x=0 y=0
        thread { r0 = load rlx x; store rlx y 1 }
        thread { r0 = load rlx y; store rlx x 1 }";
    assert_eq!(counts(crossed), [3; 4]);
}
