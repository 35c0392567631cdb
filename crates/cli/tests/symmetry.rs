//! Symmetry from outside: what is said of it, runs in the user's names, and refusals.

mod common;

use common::Dir;

const LOCK: &str = "byte owner = 3; byte inside;
proctype P(byte me) {
   do :: owner == 3 -> owner = me; inside++; assert(inside == 1); inside--; owner = 3 od
}
init { atomic { run P(0); run P(1); run P(2) } }
";
const LOCK_SYMMETRY: &str = "scalarset PID; PID owner; proctype P[PID] { PID me }\n";

const HOLDS: &str = "bool flag[3]; byte count;
proctype P(byte me) { do :: atomic { !flag[me] -> flag[me] = true; count++ } :: atomic { flag[me] -> flag[me] = false; count-- } od }
init { atomic { run P(0); run P(1); run P(2) } }
";
const HOLDS_SYMMETRY: &str = "scalarset PID; bool flag[PID]; proctype P[PID] { PID me }\n";

/// The parts of `check`'s arguments that most tests share.
fn check<'a>(model: &'a str, description: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["check", model, "--symmetry-file", description], more].concat()
}

#[test]
fn the_answer_says_what_was_renamed_and_what_that_saved() {
    let dir = Dir::new(&[("m.pml", HOLDS), ("m.sym", HOLDS_SYMMETRY)]);
    let ran = dir.run(&check("m.pml", "m.sym", &["--reduce", "off"]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for line in [
        "depth-first, with symmetry reduction",
        "states                   5 stored",
        "symmetry reduction       canonical: one state stored per orbit",
        "3 members of PID: 6 renamings",
        "5 orbits for 9 states;",
        "self-check passed on ",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
    let answer = dir.run(&check("m.pml", "m.sym", &["--reduce", "off", "--format", "json"])).json();
    let symmetry = &answer["stats"]["symmetry"];
    assert_eq!(symmetry["strategy"], "canonical");
    assert_eq!(symmetry["canonical"], true);
    assert_eq!(symmetry["group_size"], 6.0);
    assert_eq!((&symmetry["orbits"], &symmetry["represented_states"]), (&5.into(), &9.into()));
    assert!(symmetry.get("estimated_states").is_none());
    assert_eq!(symmetry["sets"], serde_json::json!([{"name": "PID", "size": 3, "group": "symmetric"}]));
    assert_eq!(answer["stats"]["normalised_states"], 0);
    let sorted = dir.run(&check("m.pml", "m.sym", &["--symmetry", "sorted"]));
    assert!(sorted.stdout.contains("sorted, not canonical: orbits can be stored more than once"), "{}", sorted.stdout);
}

/// How many states there are without symmetry is told only where it can be: not if an orbit may be stored twice, and not
/// with partial-order reduction.
#[test]
fn the_number_of_states_without_symmetry_is_right_or_absent() {
    let model = "byte n[4];
        proctype P(byte me) {
           byte k;
           do :: atomic { n[me] < 2 -> n[me]++ }; k = 1; k = 0 :: atomic { n[me] == 2 -> n[me] = 0 } od
        }
        init { atomic { run P(0); run P(1); run P(2); run P(3) } }\n";
    let dir = Dir::new(&[("m.pml", model), ("m.sym", "scalarset PID; byte n[PID]; proctype P[PID] { PID me }\n")]);
    let plain = dir.run(&["check", "m.pml", "--reduce", "off", "--symmetry", "off", "--format", "json"]).json();
    let states = plain["stats"]["states"].as_u64().expect("a number");
    for strategy in ["canonical", "full", "segmented", "pc-segmented", "sorted", "pc-sorted"] {
        for (reduce, order) in [("off", "dfs"), ("off", "bfs"), ("spin", "dfs")] {
            let options = ["--symmetry", strategy, "--reduce", reduce, "--order", order, "--format", "json"];
            let stats = dir.run(&check("m.pml", "m.sym", &options)).json()["stats"].clone();
            let told = ["represented_states", "estimated_states"].map(|key| stats["symmetry"][key].as_u64());
            let reduced = stats["por"]["reduced_states"].as_u64().is_some_and(|states| states > 0);
            assert_eq!(reduced, reduce == "spin", "{strategy}");
            match strategy.ends_with("sorted") || reduced {
                true => assert_eq!(told, [None, None], "{strategy}, {reduce}, {order}"),
                false => {
                    let told = told[0].or(told[1]).expect("it can be told");
                    assert!(told.abs_diff(states) * 10 < states, "{strategy}, {order}: {told} for {states}");
                }
            }
        }
    }
}

#[test]
fn runs_are_real_in_both_orders_and_replay() {
    let dir = Dir::new(&[("m.pml", LOCK), ("m.sym", LOCK_SYMMETRY)]);
    for order in ["dfs", "bfs"] {
        let options = ["--order", order, "--trace", "m.trace", "--symmetry", "canonical"];
        let ran = dir.run(&check("m.pml", "m.sym", &options));
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("VIOLATED: assertion violated"), "{}", ran.stdout);
        let replayed = dir.run(&["replay", "m.trace"]);
        assert_eq!(replayed.code, Some(1), "{}{}", replayed.stdout, replayed.stderr);
        assert!(replayed.stdout.contains("REPRODUCED"), "{}", replayed.stdout);
    }
}

#[test]
fn what_is_not_symmetric_is_dropped() {
    let asymmetric = HOLDS.replace("!flag[me] ->", "!flag[me] && (me != 1 || flag[0]) ->");
    let dir = Dir::new(&[("m.pml", &asymmetric), ("m.sym", HOLDS_SYMMETRY)]);
    let plain = dir.run(&["check", "m.pml", "--symmetry", "off", "--format", "json"]).json();
    let ran = dir.run(&check("m.pml", "m.sym", &[]));
    let code = if plain["verdict"] == "holds" { 0 } else { 1 };
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let line = ran.stdout.lines().find(|line| line.contains("symmetry reduction was dropped")).expect("it is told");
    assert!(line.contains("m.pml:2:") && line.contains("what m.sym says is not true"), "{line}");
    assert!(dir.run(&check("m.pml", "m.sym", &["-q"])).stdout.contains("symmetry reduction was dropped"));
    let answer = dir.run(&check("m.pml", "m.sym", &["--format", "json"])).json();
    assert_eq!((&answer["verdict"], &answer["stats"]["states"]), (&plain["verdict"], &plain["stats"]["states"]));
    assert_eq!(answer["stats"]["dropped"][0]["reduction"], "symmetry");
    assert_eq!(answer["stats"]["symmetry"]["reason"], "it was dropped");
    // Nobody looks.
    let ran = dir.run(&check("m.pml", "m.sym", &["--selfcheck", "off"]));
    assert!(!ran.stdout.contains("dropped"), "{}", ran.stdout);
}

#[test]
fn processes_that_end_unseen_stay() {
    let ending = "byte n; proctype P(byte me) { n++; assert(n < 3) }
                  init { atomic { run P(0); run P(1); run P(2) } }\n";
    let dir = Dir::new(&[("m.pml", ending)]);
    let ran = dir.run(&["check", "m.pml", "--trace", "t"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("S_3 on P[1..3]"), "{}", ran.stdout);
    assert!(ran.stdout.contains("where P ends, it stays: nobody can tell"), "{}", ran.stdout);
    assert_eq!(dir.run(&["replay", "t"]).code, Some(1));
}

#[test]
fn processes_whose_ends_can_be_told_need_an_option() {
    let ending = "byte n; proctype P(byte me) { chan own = [1] of { bit }; n++; assert(n < 3) }
                  init { atomic { run P(0); run P(1); run P(2) } }\n";
    let dir = Dir::new(&[("m.pml", ending), ("m.sym", "scalarset PID; proctype P[PID] { PID me }\n")]);
    let refused = dir.run(&check("m.pml", "m.sym", &[]));
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("processes of type P can end"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--order-free-termination"), "{}", refused.stderr);
    let ran = dir.run(&check("m.pml", "m.sym", &["--order-free-termination", "--trace", "t"]));
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(dir.run(&["replay", "t"]).code, Some(1));
}

#[test]
fn a_declared_scalarset_that_is_not_symmetric_is_told() {
    let text = "scalarset T[3]; T o; bit b; bool go;
        active [T] proctype P(T id) { end: do
           :: atomic { o == undef -> o = id }
           :: atomic { o != undef && !go -> go = 1; b = 0;
                 for (i : T) { b = b || (i == i); b = b && (i != o) }; assert(!b) }
           od }\n";
    let dir = Dir::new(&[("m.pml", text)]);
    let plain = dir.run(&["check", "m.pml", "--symmetry", "off"]);
    let ran = dir.run(&["check", "m.pml"]);
    assert_eq!((plain.code, ran.code), (Some(1), Some(1)), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("warning") && ran.stderr.contains("does not treat all of `T` alike"), "{}", ran.stderr);
    let asked = dir.run(&["check", "m.pml", "--symmetry", "require"]);
    assert_eq!(asked.code, Some(2));
    assert!(asked.stderr.contains("does not treat all of `T` alike"), "{}", asked.stderr);
}

#[test]
fn a_wrong_description_is_refused_with_its_line() {
    let dir = Dir::new(&[("m.pml", HOLDS), ("m.sym", "scalarset PID;\nbyte flog[PID];\nproctype P[PID];\n")]);
    let ran = dir.run(&check("m.pml", "m.sym", &[]));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr.contains("the model has no variable `flog`") && ran.stderr.contains("m.sym:2:"),
        "{}",
        ran.stderr
    );
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let dir = Dir::new(&[("m.pml", HOLDS), ("m.sym", HOLDS_SYMMETRY)]);
    for (options, message) in
        [(&["--symmetry", "off"][..], "--symmetry-file says nothing"), (&["--unreached"], "--unreached needs all runs")]
    {
        let ran = dir.run(&check("m.pml", "m.sym", options));
        assert_eq!(ran.code, Some(2), "{options:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(message), "{options:?}: {}", ran.stderr);
    }
}
