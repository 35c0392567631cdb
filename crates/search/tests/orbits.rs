//! Small symmetric models, each with a description of what is symmetric about it: every canonical strategy stores as many
//! states as there are orbits, counted by brute force on the full state space, in any order; every strategy gives the
//! verdict of a search without symmetry; and every run to an error can be repeated.

mod common;

use std::path::Path;

use quotient_canon::{Obstacle, Strategy};
use quotient_ir::Model;
use quotient_search::{Dropped, Exploration, Options, Order, Reduce};

use common::orbits::orbits;
use common::{EVERY_WAY, check_replay, explore, way};

/// Clients ask a server for a lock, by name; the server's variable and the queue hold names.
const LOCK_SERVER: (&str, &str) = (
    "chan request = [2] of { byte }; chan grant[3] = [1] of { bit }; byte holder = 3;
     proctype client(byte me) {
        do :: request!me; grant[me]?1; assert(holder == me); holder = 3 od
     }
     proctype server() {
        byte who = 3;
        do :: request?who -> atomic { holder = who; grant[who]!1; who = 3 }; holder == 3 od
     }
     init { atomic { run server(); run client(0); run client(1); run client(2) } }",
    "scalarset PID; PID holder; chan request of { PID }; chan grant[PID];
     proctype server { PID who } proctype client[PID] { PID me }",
);

/// Clients send channels of their own; a channel's id follows the channel.
const REPLY_CHANNELS: (&str, &str) = (
    "chan ask = [2] of { chan, byte };
     active [3] proctype client() {
        chan mine = [1] of { byte }; byte got;
        do :: ask!mine,_pid; mine?got od
     }
     active proctype server() { chan c; byte who = 9; do :: ask?c,who -> c!who od }",
    "scalarset C; chan ask of { chan, C }; proctype server { C who } proctype client[C] { C got; chan mine of { C } }",
);

/// Who has heard of whom: arrays of two members, one of them of plain data in a structure, one local to each process.
const GOSSIP: (&str, &str) = (
    "typedef row { bool to[3] }; row sent[3];
     #define TELL(j) :: atomic { me != j && !sent[me].to[j] -> sent[me].to[j] = true }
     #define HEAR(j) :: atomic { sent[j].to[me] && !seen[j] -> seen[j] = true }
     proctype P(byte me) { bool seen[3]; do TELL(0) TELL(1) TELL(2) HEAR(0) HEAR(1) HEAR(2) od }
     init { atomic { run P(0); run P(1); run P(2) } }",
    "scalarset PID; bool sent[PID].to[PID]; proctype P[PID] { PID me; bool seen[PID] }",
);

/// Votes: an array of two members whose elements are members.
const VOTES: (&str, &str) = (
    "typedef row { byte to[3] }; row vote[3]; byte leader = 3;
     #define CAST(j) :: atomic { vote[me].to[j] == 3 && j != me -> vote[me].to[j] = j }
     #define COPY(j) :: atomic { vote[j].to[me] == me && leader == 3 -> leader = j }
     proctype P(byte me) { do CAST(0) CAST(1) CAST(2) COPY(0) COPY(1) COPY(2) od }
     init { atomic {
        vote[0].to[0] = 3; vote[0].to[1] = 3; vote[0].to[2] = 3; vote[1].to[0] = 3; vote[1].to[1] = 3;
        vote[1].to[2] = 3; vote[2].to[0] = 3; vote[2].to[1] = 3; vote[2].to[2] = 3;
        run P(0); run P(1); run P(2) } }",
    "scalarset PID; PID vote[PID].to[PID]; PID leader; proctype P[PID] { PID me }",
);

/// Two independent sets.
const TWO_SETS: (&str, &str) = (
    "typedef row { byte n[2] }; row link[3]; byte last = 2; mtype = { data }; chan q[2] = [1] of { mtype, byte };
     #define TO(j) :: atomic { link[me].n[j] < 1 && nfull(q[j]) -> q[j]!data,me; link[me].n[j]++ }
     proctype S(byte me) { do TO(0) TO(1) od }
     proctype R(byte me) { byte from = 3; do :: q[me]?data,from -> last = me; from = 3 od }
     init { atomic { run S(0); run S(1); run S(2); run R(0); run R(1) } }",
    "scalarset TX; scalarset RX; byte link[TX].n[RX]; RX last; chan q[RX] of { mtype, TX };
     proctype S[TX] { TX me } proctype R[RX] { RX me; TX from }",
);

/// A token that goes both ways around a ring; who had it last.
const DIHEDRAL: (&str, &str) = (
    "bool has[5]; bool was[5]; byte last = 5; bool once;
     active [5] proctype node() {
        do
        :: atomic { has[_pid] -> has[_pid] = false; has[(_pid + 1) % 5] = true; was[_pid] = true; last = _pid }
        :: atomic { has[_pid] -> has[_pid] = false; has[(_pid + 4) % 5] = true; was[_pid] = true; last = _pid }
        :: atomic { !once -> once = true; has[_pid] = true }
        od
     }",
    "dihedral NODE; bool has[NODE]; bool was[NODE]; NODE last; proctype node[NODE];",
);

/// A lock that does not lock; names begin with the ids of processes, which begin with 1.
const BROKEN_LOCK: (&str, &str) = (
    "byte owner; byte inside;
     proctype P() { do :: owner == 0 -> owner = _pid; inside++; assert(inside == 1); inside--; owner = 0 od }
     init { atomic { run P(); run P(); run P() } }",
    "scalarset PID; PID(1) owner; proctype P[PID];",
);

/// A rendezvous in a ring of two-way links, and a deadlock.
const RENDEZVOUS: (&str, &str) = (
    "chan c[4] = [0] of { byte }; byte count;
     active [4] proctype P() {
        byte from = 4;
        do
        :: atomic { count < 3 -> c[(_pid + 1) % 4]!_pid; count++ }
        :: c[_pid]?from
        od
     }",
    "ring R; chan c[R] of { R }; proctype P[R] { R from }",
);

/// A token that `init` sends before it creates the processes that pass it on.
const TOKEN: (&str, &str) = (
    "chan token = [2] of { bit }; byte holder = 3; byte turns;
     proctype P(byte me) { do :: token?1 -> atomic { turns < 2; turns++; holder = me }; holder = 3; token!1 od }
     init { atomic { token!1; run P(0); run P(1); run P(2) } }",
    "scalarset PID; PID holder; proctype P[PID] { PID me }",
);

/// Processes that end: they stay where they are.
const ENDING: (&str, &str) = (
    "byte done; byte winner = 3; bool mark[3];
     proctype P(byte me) {
        mark[me] = true;
        if :: winner == 3 -> winner = me :: winner != 3 fi;
        done++;
        (done == 3);
        assert(winner != me || mark[me])
     }
     init { atomic { run P(0); run P(1); run P(2) } }",
    "scalarset PID; PID winner; bool mark[PID]; proctype P[PID] { PID me }",
);

/// A family of pairs: each worker belongs to a member of either set.
const PAIRS: (&str, &str) = (
    "byte a[2]; byte b[2]; byte who = 2;
     proctype W(byte x; byte y) {
        do :: a[x] < 1 && b[y] < 1 -> atomic { a[x]++; b[y]++; who = x } :: atomic { a[x] > 0 && b[y] > 0 -> a[x]--; b[y]-- } od
     }
     init { atomic { run W(0, 0); run W(1, 0); run W(0, 1); run W(1, 1) } }",
    "scalarset X; scalarset Y; byte a[X]; byte b[Y]; X who; proctype W[X, Y] { X x; Y y }",
);

fn model((text, description): (&str, &str)) -> Model {
    let mut model = common::parse(text);
    describe(&mut model, description);
    model
}

fn describe(model: &mut Model, description: &str) {
    let mut sources = quotient_report::source::SourceMap::default();
    let loader = |_: &Path| Ok(description.as_bytes().to_vec());
    let options = quotient_promela::Options::default();
    let problems = quotient_promela::describe(model, "m.sym".as_ref(), &options, &mut sources, &loader);
    assert!(problems.is_empty(), "{}", quotient_report::render::render(&problems, &sources, false));
}

/// Holds a model to everything that is said above.
fn check(model: &Model) {
    check_from(model, true);
}

/// As [`check`]; says whether the start is symmetric too. If not, how many states there are without symmetry is not told.
fn check_from(model: &Model, symmetric_start: bool) {
    let (orbits, states) = orbits(model);
    let plain = explore(model, &way(Order::DepthFirst, false));
    assert_eq!(plain.states, states);
    for strategy in Strategy::ALL {
        if let Some(reason) = quotient_canon::obstacle(model, strategy) {
            // Only what sorts can lack something to sort by.
            assert!(matches!(reason, Obstacle::NoProcesses { .. } | Obstacle::NoArray { .. }), "{strategy}: {reason}");
            continue;
        }
        for options in EVERY_WAY {
            let options = Options { symmetry: Some(strategy), selfcheck: 300, ..options };
            let found = explore(model, &options);
            let reduced = found.symmetry.as_ref().expect("symmetry is on");
            let way = format!("{strategy}, {}", common::name(&options));
            assert_eq!(found.errors > 0, plain.errors > 0, "{way}");
            assert!(reduced.checked > 1 && found.dropped.is_empty(), "{way}: {:?}", found.dropped);
            assert_eq!(reduced.counts.normalised, 0, "{way}");
            if strategy.is_canonical() && !options.reduce.is_on() {
                assert_eq!(found.states, orbits, "{way}");
            }
            assert!(found.states <= plain.states, "{way}");
            check_represented(&found, &options, plain.states, symmetric_start);
            for violation in &found.violations {
                check_replay(model, options.reduce.is_on(), violation)
                    .unwrap_or_else(|problem| panic!("{way}: {problem}"));
            }
        }
    }
}

/// What is said of the number of states without symmetry is right, or nothing is said.
fn check_represented(found: &Exploration, options: &Options, states: u64, symmetric_start: bool) {
    let way = format!("{:?}, {}", options.symmetry, common::name(options));
    let represented = found.symmetry.as_ref().expect("symmetry is on").represented;
    let can_tell = symmetric_start && options.symmetry.is_some_and(Strategy::is_canonical) && found.reduced == 0;
    // With the full reduction it depends on whether there is anything to leave out.
    let must_tell = can_tell && options.reduce != Reduce::Full;
    let Some(represented) = represented else { return assert!(!must_tell, "{way}: nothing is said") };
    assert!(can_tell, "{way}: {represented:?} for {states}");
    assert_eq!(represented.exact, found.states <= options.selfcheck as u64, "{way}");
    match represented.exact {
        true => assert_eq!(represented.states, states, "{way}"),
        false => assert!(represented.states.abs_diff(states) < states / 5, "{way}: {represented:?} for {states}"),
    }
}

/// A start that is not symmetric, and processes that move before all are there: not all states that differ by a renaming
/// from those met are met, so nothing is said of their number.
#[test]
fn a_beginning_that_is_not_symmetric() {
    let first = "bool flag[3]; byte count;
        proctype P(byte me) { do :: atomic { !flag[me] && count < 2 -> flag[me] = true; count++ } od }
        init { atomic { flag[0] = true; run P(0); run P(1); run P(2) } }";
    let early = "bool flag[3]; byte all;
        proctype P(byte me) { do :: atomic { !all && !flag[me] -> flag[me] = true } od }
        init { run P(0); run P(1); run P(2); all = true; do :: skip od }";
    let symmetric = "bool flag[3]; byte all;
        proctype P(byte me) { do :: atomic { all && !flag[me] -> flag[me] = true } od }
        init { run P(0); run P(1); run P(2); all = true; do :: skip od }";
    for (text, said) in [(first, false), (early, false), (symmetric, true)] {
        let model = model((text, "scalarset PID; bool flag[PID]; proctype P[PID] { PID me }"));
        let plain = explore(&model, &way(Order::DepthFirst, false));
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let found = explore(&model, &Options { symmetry: Some(Strategy::Canonical), ..way(order, false) });
            let represented = found.symmetry.expect("symmetry is on").represented;
            assert_eq!(represented.map(|represented| represented.states), said.then_some(plain.states), "{text}");
        }
    }
}

/// Members of which no two are in the same place are not tried one by one; with more renamings than can be counted, nothing
/// is said.
#[test]
fn many_renamings() {
    for members in [7, 8, 10, 21] {
        let text =
            format!("byte n; active [{members}] proctype P() {{ do :: atomic {{ n < 2 -> n++ }}; skip; n-- od }}");
        let mut model = common::parse(&text);
        quotient_symmetry::detect(&mut model);
        let plain = explore(&model, &way(Order::DepthFirst, false));
        let found = explore(&model, &Options { symmetry: Some(Strategy::Canonical), ..way(Order::DepthFirst, false) });
        let represented = found.symmetry.expect("symmetry is on").represented.map(|represented| represented.states);
        assert_eq!(represented, (members < 21).then_some(plain.states), "{members} members");
    }
}

/// With more renamings than can be tried, the strategies that try them all take the first: more states may be stored, and
/// nothing is missed.
#[test]
fn too_many_renamings_to_try() {
    let text = "byte n; active [12] proctype P() { atomic { n < 2 -> n++ }; assert(n < 2); n--; do :: skip od }";
    let mut model = common::parse(text);
    quotient_symmetry::detect(&mut model);
    let search = |symmetry| explore(&model, &Options { symmetry, all_errors: true, ..way(Order::DepthFirst, false) });
    let canonical = search(Some(Strategy::Canonical));
    assert!(!canonical.kinds.is_empty());
    let full = search(Some(Strategy::Full));
    assert_eq!(full.kinds, canonical.kinds);
    assert!(full.states >= canonical.states);
    let reduced = full.symmetry.expect("symmetry is on");
    assert!(reduced.counts.normalised > 0 && reduced.represented.is_none());
}

#[test]
fn names_in_queues_and_variables() {
    check(&model(LOCK_SERVER));
}

#[test]
fn channels_of_processes_in_messages() {
    // Every `got` is 0 at first, which is the name of one of the clients.
    check_from(&model(REPLY_CHANNELS), false);
}

#[test]
fn arrays_of_two_members() {
    check(&model(GOSSIP));
}

#[test]
fn arrays_of_two_members_that_hold_names() {
    check(&model(VOTES));
}

#[test]
fn two_sets() {
    check(&model(TWO_SETS));
}

#[test]
fn rings_that_can_be_turned_over() {
    check(&model(DIHEDRAL));
}

#[test]
fn names_that_begin_with_one() {
    check(&model(BROKEN_LOCK));
}

#[test]
fn rendezvous_in_a_ring() {
    check(&model(RENDEZVOUS));
}

#[test]
fn processes_indexed_by_two_sets() {
    check(&model(PAIRS));
}

#[test]
fn messages_that_are_there_before_the_processes() {
    check(&model(TOKEN));
    // The same is found in the plain model.
    let mut plain = common::parse(TOKEN.0);
    quotient_symmetry::detect(&mut plain);
    check(&plain);
}

#[test]
fn processes_that_end() {
    let mut model = model(ENDING);
    let reason = quotient_canon::obstacle(&model, Strategy::Canonical).expect("SPIN's order of ending is in the way");
    assert!(matches!(&reason, Obstacle::CanEnd(ty) if ty == "P"), "{reason}");
    let ordered = explore(&model, &way(Order::DepthFirst, false));
    assert_eq!(quotient_canon::keep_ended(&mut model), ["P"]);
    check(&model);
    assert_eq!(explore(&model, &way(Order::DepthFirst, false)).errors, ordered.errors);
}

#[test]
fn the_self_check_finds_what_is_not_symmetric() {
    let asymmetric = [
        // One process is treated differently from the start.
        ("flag[me] = (me == 0)", "bool flag[PID]"),
        // An order of names.
        ("if :: last > me -> last = me :: last <= me fi", "PID last"),
        // Arithmetic.
        ("atomic { if :: last == 3 -> last = me :: last == me -> last = (me + 1) % 3 :: else fi }", "PID last"),
        // A name that is not said to be one.
        ("atomic { if :: last == 3 -> last = me :: last == me -> flag[me] = 1 :: else fi }", "byte flag[PID]"),
        // A control state that stands for a member.
        ("if :: last == 0 -> last = 3 :: last == 1 -> skip; last = 3 :: last > 1 -> last = me fi", "PID last"),
        // An array that is not said to be indexed by members.
        ("flag[me] = 1; flag[me] = 0", "PID last"),
    ];
    for (body, described) in asymmetric {
        let text = format!(
            "byte flag[3]; byte last = 3; proctype P(byte me) {{ do :: {body} od }}
             init {{ atomic {{ run P(0); run P(1); run P(2) }} }}"
        );
        let model = model((&text, &format!("scalarset PID; {described}; proctype P[PID] {{ PID me }}")));
        let options = Options { symmetry: Some(Strategy::Canonical), selfcheck: 1000, ..way(Order::DepthFirst, false) };
        let found = explore(&model, &options);
        assert!(matches!(found.dropped[..], [Dropped::Symmetry { .. }]), "{body}: passed on {:?}", found.symmetry);
        assert_eq!(found.states, explore(&model, &way(Order::DepthFirst, false)).states);
    }
}
