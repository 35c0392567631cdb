//! Temporal properties from outside: verdicts, runs with a cycle, fairness, saved runs, and bad input. What the search itself does is
//! tested with `quotient-search`.

mod common;

use common::Dir;

/// Worker 0 can wait forever: the lock is never free for long.
const LOCK: &str = "\
bool wants[2];
byte lock;

active [2] proctype Worker() {
  do
  :: wants[_pid] = true;
     atomic { lock == 0 -> lock = 1 };
     wants[_pid] = false;
     lock = 0
  od
}

ltl served { [] (wants[0] -> <> !wants[0]) }
";

/// A run that ends, and one claim of each kind.
const ENDS: &str = "\
byte x;
active proctype P() { x = 1; x = 2 }
ltl rises { <> (x == 2) }
ltl stays { <> [] (x == 1) }
ltl below { [] (x < 2) }
";

#[test]
fn fairness_decides() {
    let dir = Dir::new(&[("lock.pml", LOCK)]);
    for (fair, code, verdict) in [("", 1, "violated"), ("--fair", 1, "violated"), ("--fair=strong", 0, "holds")] {
        let mut args = vec!["check", "lock.pml", "--format", "json"];
        args.extend(Some(fair).filter(|fair| !fair.is_empty()));
        for reductions in [&["--reduce", "off", "--symmetry", "off"][..], &["--reduce", "off"], &[]] {
            let ran = dir.run(&[&args[..], reductions].concat());
            let answer = ran.json();
            assert_eq!((ran.code, &answer["verdict"]), (Some(code), &verdict.into()), "{fair} {reductions:?}");
            assert_eq!(answer["properties"][0]["verdict"], "holds");
            assert_eq!(answer["properties"][1]["name"], "served");
            assert_eq!(answer["properties"][1]["verdict"], verdict);
        }
    }
}

/// What is wrong shows only after the last step, while the last state repeats.
#[test]
fn a_run_that_has_ended_can_violate_later() {
    let claim = "never { do :: _nr_pr > 0 -> skip :: _nr_pr == 0 -> break od }";
    let asserts = "never { true; do :: true -> assert(_nr_pr > 0) od }";
    let model = "byte x; active proctype P() { x = 1; x = 2 }\n";
    let dir = Dir::new(&[
        ("plain.pml", model),
        ("claim.pml", &format!("{model}{claim}")),
        ("asserts.pml", &format!("{model}{asserts}")),
    ]);
    let cases = [
        (&["claim.pml"][..], "claim-completed"),
        (&["asserts.pml"], "claim-assertion"),
        (&["plain.pml", "--property", "X X X X X X (x == 0)"], "ltl-violated"),
        (&["plain.pml", "--property", "!(X X X X X X (x == 2))"], "ltl-violated"),
    ];
    for (args, kind) in cases {
        for how in [&[][..], &["--order=bfs"], &["--algorithm=ndfs"], &["--fair"], &["--reduce=off"]] {
            let file = ["check", "--format=json", "--trace=saved"];
            let ran = dir.run(&[&file, args, how].concat());
            let violation = &ran.json()["violations"][0];
            assert_eq!((ran.code, &violation["kind"]), (Some(1), &kind.into()), "{args:?} {how:?}: {}", ran.stderr);
            assert_eq!(dir.run(&["replay", "saved"]).code, Some(1), "{args:?} {how:?}");
        }
    }
}

#[test]
fn a_violation_has_a_cycle_and_says_why_it_is_fair() {
    let dir = Dir::new(&[("lock.pml", LOCK)]);
    let answer = dir.run(&["check", "lock.pml", "--format", "json", "--fair"]).json();
    let violation = &answer["violations"][0];
    assert_eq!((&violation["kind"], &violation["property"]), (&"ltl-violated".into(), &"served".into()));
    let start = violation["loop_start"].as_u64().expect("there is a cycle");
    let steps = violation["trace"].as_array().expect("steps");
    assert!(start >= 1 && start <= steps.len() as u64);
    // In the cycle only the other worker moves, and worker 0 wants the lock all the time.
    assert!(steps[start as usize - 1..].iter().all(|step| step["process"] == 1));
    assert!(steps.iter().any(|step| step["becomes"][0]["proposition"] == "wants[0]"));
    let facts: Vec<&str> =
        violation["facts"].as_array().expect("facts").iter().map(|fact| fact.as_str().expect("a text")).collect();
    assert!(facts[0].contains("repeat forever; `wants[0]` always holds"), "{facts:?}");
    assert!(facts[1].starts_with("weakly fair: Worker:1 moves in the cycle; Worker:0 is blocked at step"), "{facts:?}");
    let text = dir.run(&["check", "lock.pml", "--fair"]).stdout;
    assert!(text.contains("the cycle begins here") && text.contains("`wants[0]` becomes true"), "{text}");
}

#[test]
fn a_saved_cycle_is_repeated() {
    let dir = Dir::new(&[("lock.pml", LOCK)]);
    let formula = "[] <> (lock == 2)";
    dir.run(&["check", "lock.pml", "--property", formula, "--trace", "run.json"]);
    let replay = dir.run(&["replay", "run.json"]);
    assert_eq!(replay.code, Some(1), "{}", replay.stderr);
    assert!(replay.stdout.contains("repeat forever"), "{}", replay.stdout);
    assert!(replay.stdout.contains("REPRODUCED: ltl cli_1 does not hold"), "{}", replay.stdout);
    let along = dir.run(&["simulate", "lock.pml", "--along", "run.json"]);
    assert!(along.stdout.contains("and so on forever"), "{}", along.stdout);
    // A run that goes elsewhere is refused.
    let text = std::fs::read_to_string(dir.0.join("run.json")).expect("a saved run");
    let start = text.find("\"loop_start\":").expect("a cycle") + "\"loop_start\":".len();
    let end = start + text[start..].find(',').expect("more");
    let altered = format!("{}1{}", &text[..start], &text[end..]);
    std::fs::write(dir.0.join("run.json"), altered).expect("it can be written");
    let altered = dir.run(&["replay", "run.json"]);
    assert_eq!(altered.code, Some(2), "{}", altered.stdout);
    assert!(altered.stderr.contains("the cycle does not close"), "{}", altered.stderr);
}

#[test]
fn every_property_has_its_verdict() {
    let dir = Dir::new(&[("ends.pml", ENDS)]);
    let ran = dir.run(&["check", "ends.pml", "--format", "json"]);
    let answer = ran.json();
    let verdicts: Vec<(&str, &str)> = answer["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["name"].as_str().expect("a name"), one["verdict"].as_str().expect("a verdict")))
        .collect();
    let expected = [("safety", "holds"), ("rises", "holds"), ("stays", "violated"), ("below", "violated")];
    assert_eq!((ran.code, &verdicts[..]), (Some(1), &expected[..]));
    // The last state repeats forever; and a run that no continuation can repair.
    let [stays, below] = &answer["violations"].as_array().expect("a list")[..] else { panic!("two violations") };
    assert_eq!(
        (&stays["stutter"], &stays["loop_start"]),
        (&true.into(), &(stays["trace_length"].as_u64().map(|n| n + 1)).into())
    );
    assert_eq!(below["loop_start"], serde_json::Value::Null);
    assert_eq!(below["facts"][0], "however the run goes on, the property is violated");
}

#[test]
fn properties_can_be_chosen() {
    let labels = "byte x; active proctype P() { do :: x = 1 - x; accept_here: skip od }\n";
    let never = "byte x; active proctype P() { do :: x = 1 - x od }\nnever { do :: true :: x == 1 -> goto accept od; accept: do :: true od }\n";
    let dir = Dir::new(&[("ends.pml", ENDS), ("labels.pml", labels), ("never.pml", never)]);
    let cases = [
        (&["ends.pml", "--property", "rises"][..], 0, "holds"),
        (&["ends.pml", "--property", "below"], 1, "violated"),
        (&["ends.pml", "--property", "rises", "--property", "X (x == 1)"], 0, "holds"),
        (&["ends.pml", "--property", "X (x == 2)"], 1, "violated"),
        (&["ends.pml", "--property", "rises", "--algorithm", "ndfs", "--reduce", "off"], 0, "holds"),
        (&["ends.pml", "--property", "rises", "--order", "bfs"], 0, "holds"),
        (&["ends.pml", "--property", "stays", "--order", "bfs"], 1, "violated"),
        (&["labels.pml"], 0, "holds"),
        // SPIN calls the formula violated, because of the process's label.
        (&["labels.pml", "--property", "[] (x < 2)", "--algorithm", "ndfs"], 0, "holds"),
        (&["labels.pml", "--property", "acceptance"], 1, "violated"),
        (&["labels.pml", "--property", "progress"], 1, "violated"),
        (&["never.pml"], 1, "violated"),
        (&["never.pml", "--property", "never", "--algorithm", "ndfs"], 1, "violated"),
    ];
    for (args, code, verdict) in cases {
        let ran = dir.run(&[&["check"][..], args, &["--format", "json"]].concat());
        assert_eq!((ran.code, &ran.json()["verdict"]), (Some(code), &verdict.into()), "{args:?}: {}", ran.stderr);
    }
}

/// The model has one run, which is fair: nobody can move. SPIN 6.5.2 finds the violation with `pan -a`, and loses it with `pan -a -f`.
#[test]
fn a_run_that_ends_is_fair() {
    let blocked = "byte c;\nactive proctype P() { c == 5 }\nltl p { ([] [] (c == 0)) U (c > 0) }\n";
    let dir = Dir::new(&[("blocked.pml", blocked)]);
    for fair in [&[][..], &["--fair"], &["--fair=strong"]] {
        let ran = dir.run(&[&["check", "blocked.pml", "--property", "p", "--format", "json"][..], fair].concat());
        assert_eq!((ran.code, &ran.json()["violations"][0]["stutter"]), (Some(1), &true.into()), "{fair:?}");
    }
}

#[test]
fn a_property_that_says_nothing_is_told() {
    let dir = Dir::new(&[("ends.pml", ENDS)]);
    let ran = dir.run(&["check", "ends.pml", "-q", "--property", "[] (x == 7 -> <> (x == 0))"]);
    let note = "note: `x == 7` was never true where it was asked; the property may hold for that reason alone";
    assert!(ran.code == Some(0) && ran.stdout.contains(note), "{}", ran.stdout);
}

#[test]
fn a_search_that_is_cut_short_proves_nothing() {
    let large = "byte x, y; active proctype P() { do :: x++ od }\nactive proctype Q() { do :: y++ od }\nltl p { [] (x < 256) }\n";
    let dir = Dir::new(&[("large.pml", large)]);
    let args = ["check", "large.pml", "--property", "p", "--reduce", "off", "--max-states", "1000", "--format", "json"];
    let ran = dir.run(&args);
    assert_eq!((ran.code, &ran.json()["verdict"]), (Some(3), &"inconclusive".into()));
    assert_eq!(ran.json()["properties"][0]["stop"], "max-states");
    // Neither does one whose runs end at errors.
    let faulty = "byte x; active proctype P() { assert(x == 1); x = 1 }\nltl p { [] (x < 2) }\n";
    std::fs::write(dir.0.join("faulty.pml"), faulty).expect("it can be written");
    let ran = dir.run(&["check", "faulty.pml", "--property", "p", "--format", "json"]);
    assert_eq!((ran.code, &ran.json()["verdict"]), (Some(3), &"inconclusive".into()), "{}", ran.stdout);
    let reason = "some runs end in an error (1 step), and what would come after them is not known";
    assert!(ran.stdout.contains(reason), "{}", ran.stdout);
}

#[test]
fn it_is_explained_under_which_fairness_a_property_holds() {
    let dir = Dir::new(&[("lock.pml", LOCK), ("ends.pml", ENDS)]);
    let cases = [
        (&["lock.pml", "--property", "served"][..], "note: it holds with --fair=strong"),
        (&["lock.pml", "--property", "served", "--fair"], "note: it holds with --fair=strong"),
        (&["lock.pml", "--property", "[] <> (lock == 1)"], ""),
        (&["lock.pml", "--property", "<> (lock == 1)", "--order", "bfs"], ""),
        (&["ends.pml", "--property", "below"], "note: it does not hold with --fair, nor with --fair=strong"),
        (&["ends.pml", "--property", "below", "--fair"], "note: nor does it hold with --fair=strong"),
    ];
    for (args, note) in cases {
        let ran = dir.run(&[&["check", "--explain"], args].concat());
        assert!(ran.stdout.contains(note), "{args:?}: {}", ran.stdout);
        assert_eq!(
            note.is_empty(),
            !ran.stdout.contains("hold with --fair") && !ran.stdout.contains("holds with --fair")
        );
    }
}

#[test]
fn fairness_can_be_for_some_processes() {
    let text = "bit x, y;\nactive proctype A() { do :: x = 1 - x od }\nactive proctype B() { do :: y = 1 - y od }\n";
    let dir = Dir::new(&[("m.pml", text)]);
    for (to, x, y) in [(None, 0, 0), (Some("A"), 0, 1), (Some("B"), 1, 0), (Some("A,B"), 0, 0)] {
        for (formula, code) in [("[] <> (x == 1)", x), ("[] <> (y == 1)", y)] {
            let mut args = vec!["check", "m.pml", "--fair", "--property", formula];
            args.extend(to.iter().flat_map(|to| ["--fair-to", to]));
            let ran = dir.run(&args);
            assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.stdout);
        }
    }
    let ran = dir.run(&["check", "m.pml", "--fair", "--fair-to=A", "--property=[] <> (y == 1)", "--explain"]);
    assert!(ran.stdout.contains("note: nor does it hold with --fair=strong --fair-to A"), "{}", ran.stdout);
}

/// The longest way round is met first by a search in depth.
#[test]
fn shortest_runs_are_told_on_request() {
    let text = "byte x;\nactive proctype P() {\n  do\n  :: x < 9 -> x++\n  :: x == 9 -> x = 5\n  :: x == 2 -> do :: x = 2 od\n  od\n}\n";
    let dir = Dir::new(&[("m.pml", text)]);
    let lengths = |order: &str| {
        let args = ["check", "m.pml", "--property", "<> [] (x == 0)", "--order", order, "--format", "json"];
        let answer = dir.run(&args).json();
        let violation = &answer["violations"][0];
        (violation["loop_start"].as_u64().expect("a cycle"), violation["trace_length"].as_u64().expect("steps"))
    };
    assert_eq!(lengths("bfs"), (6, 6), "up to 2, into the loop, and once around it");
    assert!(lengths("dfs").1 > 6);
}

#[test]
fn a_formula_that_counts_steps_is_told_with_its_place() {
    let dir = Dir::new(&[("ends.pml", ENDS)]);
    let note = "note: `X` (--property:1:15) counts steps, so that partial-order reduction is off";
    let counts = "[] (x == 1 -> X (x == 2))";
    for (formula, counts) in [(counts, true), ("X (<> (x == 1)) || <> (x == 1)", false), ("<> (x == 2)", false)] {
        let told = dir.run(&["check", "ends.pml", "--property", formula]).stdout;
        assert_eq!(told.contains(note), counts, "{formula}: {told}");
    }
    // Who does not ask for the reduction does not miss it.
    let told = dir.run(&["check", "ends.pml", "--property", counts, "--reduce", "off"]).stdout;
    assert!(!told.contains("counts steps"), "{told}");
}

#[test]
fn a_process_that_may_be_gone_is_told() {
    let dir = Dir::new(&[("m.pml", "proctype P() { byte x; x = 1 }\ninit { run P(); do :: true od }\n")]);
    let ran = dir.run(&["check", "m.pml", "--property", "<> (P[1]:x == 1)"]);
    let note = "`P[1]:x == 1` (--property:1:5) is about a process that need not be there";
    assert!(ran.stdout.contains(note), "{}", ran.stdout);
}

#[test]
fn bad_properties_are_refused() {
    let dir = Dir::new(&[("ends.pml", ENDS)]);
    let cases = [
        (&["--property", "<> (y == 1)"][..], "`y` is not declared"),
        (&["--property", "<> (x == 1"], "found the end of the formula\n --> --property:1:11"),
        (&["--property", "raises"], "the model's claims are `rises`, `stays`, `below`"),
        (&["--property", "<> (P[0]@nowhere)"], "nowhere"),
        (&["--property", "<> (x++)"], "`++` cannot stand in a formula: it would change the state\n --> --property:1:6"),
        (&["--property", "rises", "--order", "bfs", "--algorithm", "ndfs"], "depth-first"),
        (&["--property", "rises", "--count-as", "spin-default"], "safety searches"),
        (&["--property", "rises", "--fair", "--algorithm", "ndfs"], "fairness"),
        (&["--property", "safety", "--fair"], "--fair is for temporal properties"),
        (&["--property", "safety", "--explain"], "--explain is for temporal properties"),
        (&["--property", "safety", "--algorithm", "ndfs"], "--algorithm ndfs is for temporal properties"),
        (&["--property", "rises", "--algorithm", "ndfs", "--explain"], "--explain asks about fairness"),
        (&["--property", "rises", "--store", "tree"], "--store tree is for safety searches, and ltl rises"),
        (&["--property", "rises", "--unreached"], "--unreached tells of safety searches, and ltl rises"),
        (&["--property", "rises", "--all-errors"], "--all-errors goes on in safety searches"),
        (&["--fair=often"], "--fair"),
    ];
    for (args, message) in cases {
        let ran = dir.run(&[&["check", "ends.pml"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
}

/// An option that cannot do anything is refused, and not ignored.
#[test]
fn options_of_temporal_searches_need_a_property() {
    let dir = Dir::new(&[
        ("m.pml", "byte x; active proctype P() { x = 1 }\n"),
        ("m.bir", "system S { active thread T() { } }\n"),
    ]);
    for option in ["--fair", "--explain", "--algorithm=ndfs"] {
        let ran = dir.run(&["check", "m.pml", option]);
        assert_eq!(ran.code, Some(2), "{option}");
        assert!(ran.stderr.contains("is for temporal properties, and none is checked"), "{}", ran.stderr);
    }
    for property in ["acceptance", "progress"] {
        let ran = dir.run(&["check", "m.bir", "--property", property]);
        assert_eq!(ran.code, Some(2), "{property}");
        assert!(ran.stderr.contains("labels of processes, and models in BIR have none"), "{}", ran.stderr);
    }
    let dir = Dir::new(&[("ends.pml", ENDS)]);
    let ran = dir.run(&["check", "ends.pml", "--store", "tree"]);
    assert!(ran.stdout.contains("note: --store tree is for the safety search"), "{}", ran.stdout);
    let stats = dir.run(&["check", "ends.pml", "--property", "rises", "--format", "json"]).json()["stats"].clone();
    assert_eq!(stats["store"], "exact");
    assert!(stats["payload_per_state"].as_f64() > Some(0.0), "{stats}");
}

#[test]
fn a_formula_that_is_always_true_is_told() {
    let dir = Dir::new(&[("ends.pml", ENDS)]);
    let told = |formula: &str| dir.run(&["check", "ends.pml", "-q", "--property", formula]).stdout;
    let always = told("[] (x == 1 -> (x == 1 || x == 2))");
    assert!(always.contains("note: the formula is always true, whatever the model does"), "{always}");
    assert!(!always.contains("never true"), "{always}");
    let part = told("[] (x == 7 -> x == 7) && [] (x == 5 -> x < 2)");
    assert!(part.contains("note: 1 conjunct of the formula is always true, whatever the model does"), "{part}");
    assert!(part.contains("`x == 5` was never true") && !part.contains("`x == 7` was never true"), "{part}");
}

#[test]
fn the_cycle_begins_where_it_begins() {
    let text = "int x; active proctype P() { do :: x < 50 -> x++ :: else -> x = 10 od }\n";
    let dir = Dir::new(&[("m.pml", text)]);
    let told = dir.run(&["check", "m.pml", "--property", "<> [] (x < 10)"]).stdout;
    let lines: Vec<&str> = told.lines().map(str::trim).collect();
    let mark = lines.iter().position(|line| *line == "the cycle begins here").expect("it is told");
    let steps = ["… 5 steps left out (--full-trace shows all) …", "… 37 steps left out (--full-trace shows all) …"];
    assert_eq!([lines[mark - 1], lines[mark + 1]], steps, "{told}");
    assert!(told.contains("steps 21 to 102 repeat forever"), "{told}");
}

#[test]
fn it_is_told_what_is_searched_and_what_the_numbers_are_about() {
    let dir = Dir::new(&[("ends.pml", ENDS), ("m.pml", "byte x; active proctype P() { x = 1 }\n")]);
    let first = |args: &[&str]| {
        let told = dir.run(&[&["check"], args].concat()).stdout;
        told.lines().next().unwrap_or_default().to_string()
    };
    let reduced = "depth-first, with partial-order reduction";
    assert_eq!(first(&["m.pml"]), format!("Checking m.pml for safety errors: {reduced}"));
    let both = "safety errors and runs that violate 3 properties";
    assert_eq!(first(&["ends.pml"]), format!("Checking ends.pml for {both}: {reduced}"));
    let nested = ["ends.pml", "--algorithm", "ndfs"];
    assert_eq!(first(&nested), format!("Checking ends.pml for {both}: {reduced}, properties without"));
    let only = [&nested[..], &["--property", "rises"]].concat();
    assert_eq!(first(&only), "Checking ends.pml for runs that violate a property: depth-first, without reductions");
    let told = dir.run(&["check", "ends.pml"]).stdout;
    assert!(told.contains(" stored for safety, "), "{told}");
    assert!(told.contains(" for safety, ") && told.contains(" for all properties"), "{told}");
}

/// SPIN's verifiers say so, too.
#[test]
fn that_a_run_ends_is_no_lack_of_progress() {
    let model = "byte x; active proctype P() { x = 1 }\n";
    let never = format!("{model}never {{ do :: np_ -> break :: 1 od; accept1: do :: np_ od }}\n");
    let dir = Dir::new(&[("m.pml", model), ("never.pml", &never)]);
    for how in [&[][..], &["--algorithm=ndfs"], &["--order=bfs"]] {
        let cases =
            [&["never.pml", "--property=never"], &["m.pml", "--property=progress"], &["m.pml", "--property=[]<> !np_"]];
        for args in cases {
            assert_eq!(dir.run(&[&["check"], &args[..], how].concat()).code, Some(0), "{args:?} {how:?}");
        }
        for formula in ["[] np_", "<> [] np_", "[] (x == 1 -> !np_)"] {
            let ran = dir.run(&[&["check", "m.pml", "--trace=run", "--property", formula], how].concat());
            assert_eq!(ran.code, Some(1), "{formula} {how:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(dir.run(&["replay", "run"]).code, Some(1), "{formula} {how:?}");
        }
    }
}
