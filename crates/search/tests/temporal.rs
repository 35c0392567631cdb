//! Temporal searches: SPIN's counts with the nested search on the models with one construct each, and the verdicts of both
//! searches with and without fairness. Every violation is repeated on the reference interpreter.

mod common;
mod lasso;

use std::collections::HashMap;
use std::path::Path;

use common::{conformance_directory, load, parse};
use lasso::certify;
use quotient_canon::Strategy;
use quotient_ir::{Claim, Model};
use quotient_por::Rule;
use quotient_search::temporal::{self, Algorithm, Bits, Fairness, Found, LeftOut, Options};
use quotient_search::{Event, Order, Reduce};

/// Checks a claim of a model.
fn check(model: &Model, claim: &Claim, options: &Options) -> Found {
    let found = temporal::check(model, claim, options, &mut |_| true).expect("the claim can be checked");
    for lasso in &found.lassos {
        certify(model, claim, options.fairness, lasso).unwrap_or_else(|why| panic!("{why}"));
    }
    found
}

fn nested(all_errors: bool) -> Options {
    let search = quotient_search::Options { all_errors, ..quotient_search::Options::default() };
    Options { search, algorithm: Algorithm::Nested, ..Options::default() }
}

fn with(fairness: Fairness) -> Options {
    Options { fairness, ..Options::default() }
}

/// A row of a table of counts, by the names of the columns.
type Row = HashMap<String, String>;

fn rows(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).expect("the table can be read");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().expect("there is a heading").split('\t').collect();
    lines.map(|line| names.iter().map(|n| n.to_string()).zip(line.split('\t').map(str::to_string)).collect()).collect()
}

/// The claim that SPIN's flags ask for.
fn asked(model: &Model, flags: &str) -> Claim {
    match flags {
        "np" => Claim::progress(),
        _ => model.claims.first().cloned().unwrap_or_else(Claim::acceptance),
    }
}

/// What `spin -f` makes of the formulas of three models. Quotient's translation is another, and counts are those of SPIN's.
const TRANSLATED: [(&str, &str); 3] = [
    (
        "ltl_always",
        "never { T0_init: do :: atomic { (! ((x<4))) -> assert(!(! ((x<4)))) } :: (1) -> goto T0_init od; accept_all: skip }",
    ),
    (
        "ltl_eventually",
        "never { T0_init: do :: (! ((x==3))) -> goto accept_S4 :: (1) -> goto T0_init od; \
         accept_S4: do :: (! ((x==3))) -> goto accept_S4 od }",
    ),
    ("ltl_fail", "never { accept_init: T0_init: do :: (! ((x==3))) -> goto T0_init od }"),
];

#[test]
fn the_nested_search_counts_as_spin_does() {
    let directory = conformance_directory();
    let mut seen = 0;
    for row in rows(&directory.join("counts.tsv")) {
        let (mode, _) = row["combo"].split_once(':').expect("a mode has a name");
        if !["F", "F0", "NP"].contains(&mode) {
            continue;
        }
        seen += 1;
        let path = directory.join(&row["model"]);
        let stem = row["model"].trim_end_matches(".pml");
        let model = match TRANSLATED.iter().find(|(name, _)| *name == stem) {
            Some((_, claim)) => {
                let text = std::fs::read_to_string(&path).expect("the model can be read");
                let start = text.find("ltl").expect("there is a formula");
                parse(&format!("{}{claim}", &text[..start]))
            }
            None => load(&path, &[]),
        };
        let claim = asked(&model, if mode == "NP" { "np" } else { "" });
        let found = check(&model, &claim, &nested(mode == "F0"));
        assert_eq!(difference(&row, &found), None);
        assert_eq!(row["depth"], found.depth.to_string());
    }
    assert_eq!(seen, 13);
}

#[test]
fn it_does_so_on_models_with_one_temporal_construct_each() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/temporal");
    let rows = rows(&directory.join("counts.tsv"));
    assert!(rows.len() >= 60);
    let mut wrong = Vec::new();
    for row in &rows {
        let model = load(&directory.join(&row["model"]), &[]);
        let claim = asked(&model, if row["combo"].starts_with("NP") { "np" } else { "" });
        let found = check(&model, &claim, &nested(row["combo"].ends_with('0')));
        wrong.extend(difference(row, &found));
        // The other search has the same verdict, unless the error is one of safety, or a label of a process that does not
        // count beside a claim.
        let other = check(&model, &claim, &with(Fairness::None));
        let comparable = found.faults == 0 && row["model"] != "accept_under_claim.pml";
        if comparable && other.lassos.is_empty() != found.lassos.is_empty() {
            wrong.push(format!("{} {}: the searches disagree", row["model"], row["combo"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How what was found differs from a row.
fn difference(row: &Row, found: &Found) -> Option<String> {
    let number = |name: &str| row[name].parse::<u64>().expect("it is a number");
    let expected = ["stored", "visited", "matched", "transitions", "errors"].map(number);
    let Found { states, visited, matched, errors, .. } = *found;
    let counts = [states, visited, matched, visited + matched, errors];
    (counts != expected).then(|| format!("{} {}: {counts:?}, SPIN {expected:?}", row["model"], row["combo"]))
}

/// What a model's claim is found to be in every way: with and without reductions, as they are applied.
fn ways(text: &str, fairness: Fairness) -> Vec<(bool, Found)> {
    let model = symmetric(text);
    let claim = model.claims[0].clone();
    let mut found = Vec::new();
    for reduce in [Reduce::Off, Reduce::Full] {
        for symmetry in [None, Some(Strategy::Canonical), Some(Strategy::Sorted)] {
            let search = quotient_search::Options { reduce, symmetry, ..quotient_search::Options::default() };
            let result = check(&model, &claim, &Options { search, fairness, ..Options::default() });
            assert!(result.stop.is_none() || !result.lassos.is_empty(), "the search is complete: {:?}", result.stop);
            found.push((result.lassos.is_empty(), result));
        }
    }
    found
}

/// A model with the symmetry that is found in it.
fn symmetric(text: &str) -> Model {
    let mut model = parse(text);
    quotient_symmetry::detect(&mut model);
    model
}

/// The claim holds or not, in every way.
fn expect(text: &str, fairness: Fairness, holds: bool) -> Vec<Found> {
    let ways = ways(text, fairness);
    let verdicts: Vec<bool> = ways.iter().map(|(holds, _)| *holds).collect();
    assert_eq!(verdicts, vec![holds; verdicts.len()], "{fairness:?}\n{text}");
    ways.into_iter().map(|(_, found)| found).collect()
}

/// Whether the claim seems to hold when a rule is left out.
fn without(text: &str, fairness: Fairness, rule: LeftOut) -> bool {
    let model = symmetric(text);
    let symmetry = (rule == LeftOut::Partition).then_some(Strategy::Canonical);
    let reduce = if symmetry.is_none() { Reduce::Full } else { Reduce::Off };
    let search = quotient_search::Options { reduce, symmetry, ..quotient_search::Options::default() };
    let options = Options { search, fairness, left_out: Some(rule), ..Options::default() };
    let found = temporal::check(&model, &model.claims[0], &options, &mut |_| true).expect("the claim can be checked");
    found.lassos.is_empty()
}

/// A partner in a rendezvous is there in one control state only, which a local step leaves.
const RENDEZVOUS: &str = "
    chan c = [0] of { bit };  bit on = 1;  bit moved;
    active proctype P() { bit i; do :: i = 1 - i; if :: c?_ :: on == 1 fi od }
    active proctype Q() { do :: on = 0; on = 1 od }
    active proctype R() { do :: c!1 -> moved = 1 :: on == 1 -> moved = 1 od }
    ltl must_move { <> (moved == 1) }";

#[test]
fn partial_order_with_rendezvous_and_fairness() {
    expect(RENDEZVOUS, Fairness::Weak, false);
    assert!(without(RENDEZVOUS, Fairness::Weak, LeftOut::Order(Rule::Enabling)), "the rule is needed");
}

/// Who has the turn passes it on, and everybody can always do something. In the quotient, passing it on leads back at once,
/// to other names.
const PASS: &str = "
    byte turn, idle;
    active [3] proctype P() {
      do
      :: atomic { turn == _pid -> if :: turn = 0 :: turn = 1 :: turn = 2 fi }
      :: turn != _pid && idle < 2 -> idle = 1
      od
    }
    ltl some_idle { <> (idle == 1) }";

#[test]
fn turns_are_passed_on() {
    let found = expect(PASS, Fairness::Weak, false);
    assert_eq!(found[1].applied.symmetry, Some(Ok(())));
    assert!(without(PASS, Fairness::Weak, LeftOut::Partition), "the names of processes count");
}

#[test]
fn senders_can_begin_and_receivers_cannot() {
    let receiver = "
        chan c = [0] of { bit }; bit z; bit got;
        active proctype P() { do :: c!1 :: z = 1 - z od }
        active proctype R() { c?_; got = 1; do :: z = z od }
        ltl p { <> (got == 1) }";
    expect(receiver, Fairness::Weak, false);
    let sender = "
        chan c = [0] of { bit }; bit z; bit got;
        active proctype P() { do :: c?_ :: z = 1 - z od }
        active proctype R() { c!1; got = 1; do :: z = z od }
        ltl p { <> (got == 1) }";
    expect(sender, Fairness::None, false);
    expect(sender, Fairness::Weak, true);
    expect(sender, Fairness::Strong, true);
}

/// Two processes that wait for a semaphore, which somebody takes again and again.
const SEMAPHORE: &str = "
    byte sem = 1; byte inside[2];
    active [2] proctype P() { do :: atomic { sem > 0 -> sem--; inside[_pid] = 1 }; atomic { sem++; inside[_pid] = 0 } od }
    ltl served { []<> (inside[0] == 1) }";

#[test]
fn a_semaphore_needs_strong_fairness() {
    expect(SEMAPHORE, Fairness::None, false);
    expect(SEMAPHORE, Fairness::Weak, false);
    expect(SEMAPHORE, Fairness::Strong, true);
}

/// A local loop with a choice, beside a process whose step the property sees.
const LOCAL_LOOP: &str = "
    bit done;
    active proctype L() { bit i; do :: i = 0 :: i = 1 od }
    active proctype D() { done = 1 }
    ltl p { [] (done == 0) }";

#[test]
fn nobody_is_put_off_by_a_local_loop() {
    expect(LOCAL_LOOP, Fairness::None, false);
    assert!(without(LOCAL_LOOP, Fairness::None, LeftOut::Order(Rule::Sticky)), "the rule is needed");
}

/// Who changes the variable of the property uses nothing that others do.
const SEEN: &str = "
    bit a; byte other;
    active proctype P() { bit i; i = 1; at: i = 0; i = 1 }
    active proctype Q() { other = 1; other = 2 }
    ltl p { [] !(P[0]@at && other == 2) }";

#[test]
fn what_the_property_sees_is_not_local() {
    expect(SEEN, Fairness::None, false);
}

/// A variable of one process that nobody else reads, but the property.
const REMOTE: &str = "
    byte other;
    active proctype P() { byte i; i = 1; i = 2; do :: i = 2 od }
    active proctype Q() { other = 1; other = 2 }
    ltl p { [] !(P[0]:i == 1 && other == 2) }";

#[test]
fn nor_is_a_step_that_changes_what_it_reads() {
    expect(REMOTE, Fairness::None, false);
    assert!(without(REMOTE, Fairness::None, LeftOut::Order(Rule::Visibility)), "the rule is needed");
}

#[test]
fn a_run_may_end() {
    let text = "byte x; active proctype P() { x = 1 } ltl p { []<> (x == 0) }";
    let found = expect(text, Fairness::Strong, false);
    assert_eq!(found[0].lassos[0].loop_start, Some(found[0].lassos[0].path.len()), "the last state repeats");
    expect("byte x; active proctype P() { x = 1 } ltl p { <>[] (x == 1) }", Fairness::None, true);
}

#[test]
fn next_counts_steps() {
    let text = "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { [] (x == 1 -> X (x == 0)) }";
    expect(text, Fairness::None, true);
    let invariant = "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { X (<> (x == 1)) || <> (x == 1) }";
    let found = expect(invariant, Fairness::None, true);
    assert_eq!(found[5].applied.order, Some(Ok(())), "the formula does not count steps, although it has an X");
}

#[test]
fn processes_come_and_go_in_a_cycle() {
    let text = "
        byte x; byte alive;
        proctype C() { x = 1 - x }
        init { do :: _nr_pr == 1 -> run C() od }
        ltl p { <>[] (x == 0) }";
    expect(text, Fairness::Weak, false);
    expect(&text.replace("<>[] (x == 0)", "[]<> (x == 0)"), Fairness::None, true);
}

#[test]
fn members_that_a_formula_names_stay() {
    let text = "
        byte n[4];
        active [4] proctype P() { do :: n[_pid] < 2 -> n[_pid]++ :: n[_pid] == 2 -> n[_pid] = 0 od }
        ltl p { []<> (n[1] == 2) && []<> (n[1] == 0) }";
    expect(text, Fairness::None, false);
    let found = expect(text, Fairness::Weak, true);
    assert_eq!(found[1].applied.symmetry, Some(Ok(())), "the others can still be renamed");
    assert!(found[1].states * 2 < found[0].states, "{} of {}", found[1].states, found[0].states);
}

/// So do members of scalarsets, whose numbers only formulas know.
#[test]
fn members_of_scalarsets_that_a_formula_names_stay() {
    let declared = "
        scalarset PID[4];
        PID owner; bool waiting[PID];
        active [PID] proctype P(PID me) {
          do :: waiting[me] = 1; atomic { owner == undef -> owner = me; waiting[me] = 0 }; owner = undef od }
        ltl p { FORMULA }";
    let plain = "
        byte owner = 4; bool waiting[4];
        active [4] proctype P() {
          do :: waiting[_pid] = 1; atomic { owner == 4 -> owner = _pid; waiting[_pid] = 0 }; owner = 4 od }
        ltl p { FORMULA }";
    for (formula, holds) in [
        ("[]<> (owner == 2)", [false, false, true]),
        ("[] (waiting[0] -> <> (owner == 0))", [false, false, true]),
        ("[] !(owner == 1 && waiting[1])", [true; 3]),
        ("[]<> (owner == 0 || owner == 3) || <>[] (owner != 0)", [true; 3]),
    ] {
        for (fairness, holds) in [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().zip(holds) {
            let found = expect(&declared.replace("FORMULA", formula), fairness, holds);
            assert_eq!(found[1].applied.symmetry, Some(Ok(())), "{formula}: the others can still be renamed");
            let as_numbers = expect(&plain.replace("FORMULA", formula), fairness, holds);
            if holds {
                assert_eq!(found[0].states, as_numbers[0].states, "{formula}");
                assert!(found[1].states < found[0].states, "{formula}");
            }
        }
    }
}

/// Four processes that differ by name, each with a counter of its own.
const COUNTERS: &str = "
    byte n[4];
    active [4] proctype P() { do :: n[_pid] < 2 -> n[_pid]++ :: n[_pid] == 2 -> n[_pid] = 0 od }
    ltl p { FORMULA }";

/// A formula over all members, from one over `#`.
fn all_members(formula: &str) -> String {
    let parts: Vec<String> = (0..4).map(|member| format!("({})", formula.replace('#', &member.to_string()))).collect();
    COUNTERS.replace("FORMULA", &parts.join(" && "))
}

#[test]
fn one_conjunct_is_enough_for_all_that_renamings_exchange() {
    let one = expect(&COUNTERS.replace("FORMULA", "[] (n[0] == 2 -> <> (n[0] == 0))"), Fairness::Weak, true);
    let all = expect(&all_members("[] (n[#] == 2 -> <> (n[#] == 0))"), Fairness::Weak, true);
    let left_out: Vec<u64> = all.iter().map(|found| found.by_symmetry).collect();
    assert_eq!(left_out, [0, 3, 3, 0, 3, 3], "with symmetry only");
    assert_eq!(all[1].states, one[1].states);
    // Under one operator, and with conjuncts about two members each.
    let found = expect(&COUNTERS.replace("FORMULA", "[] (n[0] < 3 && n[3] < 3)"), Fairness::None, true);
    assert_eq!(found[1].by_symmetry, 1);
    let pairs =
        "[] (n[0] == 2 -> <> (n[1] == 0)) && [] (n[1] == 2 -> <> (n[0] == 0)) && [] (n[3] == 2 -> <> (n[2] == 0))";
    assert_eq!(expect(&COUNTERS.replace("FORMULA", pairs), Fairness::Weak, true)[1].by_symmetry, 2);
    // A violation is one of the whole formula.
    let found = expect(&all_members("<>[] (n[#] == 2)"), Fairness::None, false);
    assert_eq!(found[1].by_symmetry, 3);
}

#[test]
fn conjuncts_that_differ_are_all_checked() {
    // The second is violated, and is not the first under another name.
    for formula in [
        "[] (n[0] < 3) && [] (n[1] < 2)",
        "[] (n[0] < 3) && [] !(n[0] == 2)",
        "[]<> (n[0] == 0) && <>[] (n[1] == 0)",
        "[] (n[0] == n[0]) && [] (n[0] == n[1])",
    ] {
        let found = expect(&COUNTERS.replace("FORMULA", formula), Fairness::Weak, false);
        assert_eq!(found[1].by_symmetry, 0, "{formula}");
    }
    // The processes begin one after the other, and the first is alone for a while.
    let text = "
        byte n[3];
        proctype P(byte me) { n[me] = 1; n[me] = 2 }
        init { run P(0); n[0] == 2; run P(1); run P(2) }
        ltl p { (<>(n[1] == 2) -> <> (n[0] == 1)) && [] (n[1] == 1 -> n[0] == 2) && [] (n[0] == 1 -> n[1] == 2) }";
    expect(text, Fairness::None, false);
}

#[test]
fn a_formula_may_pin_two_members() {
    let text = COUNTERS.replace("FORMULA", "!([]<> (n[0] == 2) && !([]<> (n[1] == 2)))");
    let found = expect(&text, Fairness::None, false);
    assert_eq!(found[1].applied.symmetry, Some(Ok(())), "two others are left");
    expect(&text, Fairness::Weak, true);
}

/// Two tokens go round, one in a ring of two processes, the other in a ring of three. Renamed, each state is the one before.
const TWO_RINGS: &str = "
    byte next[5], a = 5, b = 5, ready;
    bit moved;
    inline choose(x) { if :: x = 0 :: x = 1 :: x = 2 :: x = 3 :: x = 4 fi }
    active [5] proctype P() {
      atomic { choose(next[_pid]); ready++; if :: a == 5 -> choose(a); choose(b) :: else fi };
      do
      :: atomic { ready == 5 && a == _pid && next[a] != a && next[next[a]] == a
                  && next[b] != b && next[next[next[b]]] == b -> moved = 1 };
         atomic { a = next[a]; b = next[b]; moved = 0 }
      od
    }
    ltl p { <>[] (moved == 0) }";

#[test]
fn a_cycle_may_close_after_many_rounds() {
    for found in expect(TWO_RINGS, Fairness::None, false) {
        let lasso = &found.lassos[0];
        let start = lasso.loop_start.expect("there is a cycle");
        let steps = lasso.path[start..].iter().filter(|event| matches!(event, Event::Move(_))).count();
        // Six rounds of two atomic sequences, with two statements and with three.
        assert_eq!(steps, 6 * 5);
    }
}

#[test]
fn fairness_may_be_for_some_types_only() {
    let text = "
        bit x, y;
        active proctype A() { do :: x = 1 - x od }
        active proctype B() { do :: y = 1 - y od }
        ltl p { FORMULA }";
    for (fair_to, x, y) in [(None, true, true), (Some(0), true, false), (Some(1), false, true)] {
        for (formula, holds) in [("[]<> (x == 1)", x), ("[]<> (y == 1)", y)] {
            let model = symmetric(&text.replace("FORMULA", formula));
            for fairness in [Fairness::Weak, Fairness::Strong] {
                for reduce in [Reduce::Off, Reduce::Full] {
                    let search = quotient_search::Options { reduce, ..quotient_search::Options::default() };
                    let fair_to = fair_to.map(|ty| Bits::from_iter([ty]));
                    let options = Options { search, fairness, fair_to, ..Options::default() };
                    let found = temporal::check(&model, &model.claims[0], &options, &mut |_| true).expect("a verdict");
                    assert_eq!(found.lassos.is_empty(), holds, "{formula} {fair_to:?} {fairness:?}");
                }
            }
        }
    }
}

#[test]
fn shortest_violations_are_told_on_request() {
    let text = "
        byte x;
        active proctype P() { do :: x < 9 -> x++ :: x == 9 -> x = 5 :: x == 2 -> do :: x = 2 od od }
        ltl p { <>[] (x == 0) }";
    let model = parse(text);
    let search = quotient_search::Options { order: Order::BreadthFirst, ..quotient_search::Options::default() };
    let short = check(&model, &model.claims[0], &Options { search, ..Options::default() });
    let lasso = &short.lassos[0];
    assert_eq!((lasso.loop_start, lasso.path.len()), (Some(5), 6), "up to 2, into the loop, and once around it");
    let bad = parse(&text.replace("<>[] (x == 0)", "[] (x < 3)"));
    let short = check(&bad, &bad.claims[0], &Options { search, ..Options::default() });
    assert_eq!((short.lassos[0].loop_start, short.lassos[0].path.len()), (None, 6));
}

#[test]
fn as_many_states_are_stored_as_allowed() {
    let model = parse("byte x; active proctype P() { do :: x++ od } ltl p { [] (x < 300) }");
    let search = quotient_search::Options { max_states: Some(3), ..quotient_search::Options::default() };
    for algorithm in [Algorithm::Scc, Algorithm::Nested] {
        let found = check(&model, &model.claims[0], &Options { search, algorithm, ..Options::default() });
        assert_eq!((found.states, found.stop), (3, Some(quotient_search::Stop::States)));
    }
}

#[test]
fn a_claim_may_count_steps() {
    let text = "
        byte x;
        active proctype P() { byte i; do :: i = 1; i = 0; x = 1 - x od }
        never { do :: true :: x == 1 -> break od; x == 0; x == 0; x == 0; SAME x == 1 }";
    for found in expect(&text.replace("SAME", ""), Fairness::None, false).iter().skip(3) {
        assert_eq!(found.applied.order, Some(Err(temporal::Unapplied::ClaimCounts)));
    }
    expect(&text.replace("SAME", "x == 0;"), Fairness::None, true);
    // So may one with an assertion, and one that accepts.
    expect(&text.replace("SAME x == 1", "assert(x == 0); do :: true od"), Fairness::None, false);
    expect(&text.replace("SAME x == 1", "x == 1; accept: do :: true od"), Fairness::None, false);
}

#[test]
fn a_cycle_may_be_one_state() {
    let text = "
        bit done;
        active proctype P() { do :: true od }
        active proctype Q() { done = 1 }
        ltl p { <> (done == 1) }";
    expect(text, Fairness::None, false);
    expect(text, Fairness::Weak, true);
    expect(&text.replace("done = 1", "atomic { done == 1 -> done = 0 }"), Fairness::Strong, false);
}

/// All states are one component, in which a process could move and never does. A part of it goes round without that state.
#[test]
fn a_part_of_a_component_may_be_strongly_fair() {
    let text = "
        byte a; bit got;
        active proctype P() { do :: a == 0 -> a = 1 :: a == 1 -> a = 2 :: a == 2 -> a = 1 :: a == 1 -> a = 0 od }
        active proctype Q() { a == 0 -> got = 1 }
        ltl p { <> (got == 1) }";
    expect(text, Fairness::Strong, false);
    // Without the way round, every cycle comes to where it could move.
    expect(&text.replace(":: a == 2 -> a = 1 ", ":: a == 2 -> a = 0 "), Fairness::Strong, true);
}

#[test]
fn what_a_claim_cannot_do_is_told() {
    let refused = |body: &str| {
        let text = format!("byte x; int wide; byte a[2]; active proctype P() {{ x = 1 }} never {{ {body} }}");
        let model = parse(&text);
        let refused = temporal::check(&model, &model.claims[0], &Options::default(), &mut |_| true).expect_err(body);
        let place = match &refused {
            temporal::Refused::Unsupported { span, .. } => text[span.start as usize..span.end as usize].to_string(),
            _ => String::new(),
        };
        (refused.to_string(), place)
    };
    let is = |body: &str, message: &str, place: &str| {
        let (told, at) = refused(body);
        assert!(told.contains(message), "{body}: {told}");
        assert_eq!(at, place, "{body}");
    };
    is("int n; do :: n = wide od", "more than 8 bits", "n = wide");
    is("byte n; do :: n = n + wide; wide == n + 1 od", "more than 64 conditions", "");
    is("byte n[2]; do :: n[x] = 1 od", "an index", "n[x] = 1");
    is("byte n[2], i; do :: n[i] == 1 -> i++ :: else -> i = 2 od", "an index", "n[i] == 1");
    is("d_step { x == 0; x == 1 }", "may block after its first statement", "d_step { x == 0; x == 1 }");
    is("int n; do :: n++ od", "more than 65536 places", "");
    is("do :: _pid == 1 od", "`_pid`", "_pid == 1");
}

/// How many events there are in the cycle of a shortest violation.
fn shortest_cycle(text: &str, fairness: Fairness) -> usize {
    let model = parse(text);
    let search = quotient_search::Options { order: Order::BreadthFirst, ..quotient_search::Options::default() };
    let found = check(&model, &model.claims[0], &Options { search, fairness, ..Options::default() });
    assert!(!found.may_be_shorter);
    let lasso = &found.lassos[0];
    lasso.path.len() - lasso.loop_start.expect("there is a cycle")
}

/// Who takes what is missing one by one goes to 1 first, and has to go all the way round for what is missing then.
#[test]
fn a_shortest_cycle_goes_through_all_acceptance_sets() {
    let hops = [(0, 1), (1, 10), (10, 11), (11, 12), (12, 13), (13, 0), (0, 3), (3, 4), (4, 5), (5, 6), (6, 0)];
    let options: String = hops.iter().map(|(from, to)| format!(":: atomic {{ x == {from} -> x = {to} }} ")).collect();
    let formula = "!([] <> (x == 1 || x == 5) && [] <> (x == 2 || x == 6))";
    let text = format!("byte x; active proctype P() {{ do {options} od }} ltl p {{ {formula} }}");
    assert_eq!(shortest_cycle(&text, Fairness::None), 10, "0, 3, 4, 5, 6, and back, with two events each");
}

#[test]
fn a_shortest_cycle_may_have_to_be_fair() {
    let text = "byte x;
        active proctype A() {
          do
          :: atomic { x == 0 -> x = 1 } :: atomic { x == 1 -> x = 2 } :: atomic { x == 2 -> x = 3 }
          :: atomic { x == 3 -> x = 0 } :: atomic { x == 0 -> x = 4 } :: atomic { x == 4 -> x = 0 }
          od
        }
        active proctype B() { do :: x != 4 od }
        ltl p { <> (x == 9) }";
    assert_eq!(shortest_cycle(text, Fairness::None), 1, "B moves");
    assert_eq!(shortest_cycle(text, Fairness::Weak), 4, "A goes to 4, where B cannot move, and back");
    assert_eq!(shortest_cycle(text, Fairness::Strong), 5, "and B moves");
}

/// As in SPIN's verifiers, `np_` is false while a state repeats because nobody can move, but not when it is read first.
#[test]
fn that_nothing_happens_any_more_is_not_held_against_a_run() {
    let ends = "byte x; active proctype P() { x = 1 }";
    let blocked = "byte x; active proctype P() { x = 1; x == 2 }";
    let formulas = [
        ("[] <> !np_", true),
        ("<> [] np_", false),
        ("[] np_", false),
        ("<> !np_", true),
        ("[] (x == 1 -> !np_)", false),
        ("[] (x == 1 -> X X !np_)", true),
    ];
    for model in [ends, blocked] {
        assert!(check(&parse(model), &Claim::progress(), &with(Fairness::None)).lassos.is_empty());
        for (formula, holds) in formulas {
            let model = parse(&format!("{model} ltl p {{ {formula} }}"));
            for options in [with(Fairness::None), with(Fairness::Weak), with(Fairness::Strong), nested(false)] {
                let found = check(&model, &model.claims[0], &options);
                assert_eq!(found.lassos.is_empty(), holds, "{formula} {:?}", options.algorithm);
            }
        }
    }
}

/// What one property looks at is no business of the others.
#[test]
fn who_moved_last_matters_to_those_who_ask() {
    let local = "byte i; do :: i < 9 -> i++ :: else -> break od";
    let text = format!(
        "byte x; active proctype A() {{ {local}; x = 1 }} active proctype B() {{ {local} }}
         ltl asks {{ [] (x == 0 || _last >= 0) }} ltl other {{ [] (x < 2) }} ltl b {{ <> (x == 1) }}"
    );
    let model = parse(&text);
    let search = quotient_search::Options { reduce: Reduce::Full, ..quotient_search::Options::default() };
    for (claim, reduced) in model.claims.iter().zip([false, true, true]) {
        let found = check(&model, claim, &Options { search, ..Options::default() });
        assert_eq!(matches!(found.applied.order, Some(Ok(()))), reduced, "{}", claim.name);
    }
    let mut without = model.clone();
    without.claims.clear();
    without.uses.last = false;
    let states = |model: &Model| quotient_search::explore(model, &search, &mut |_| true).states;
    assert_eq!(states(&model), states(&without));
}
