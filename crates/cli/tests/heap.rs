//! Models in BIR from outside: the table of Bogor's paper, runs, saved runs, simulation, and what is refused.

mod common;

use std::path::{Path, PathBuf};

use common::{Dir, Ran};

fn model(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dynamic").join(name);
    path.display().to_string()
}

fn run(args: &[&str]) -> Ran {
    Dir::new(&[]).run(args)
}

/// A strategy, states stored, and states met again.
type Counts = (&'static str, u64, u64);

/// Table 1 of "Space-Reduction Strategies for Model Checking Dynamic Software", stored and seen states for each strategy; the
/// last column is ours.
const TABLE: [(u32, [Counts; 4]); 4] = [
    (3, [("heap", 36, 41), ("pc", 19, 21), ("kbots", 14, 15), ("canonical", 14, 15)]),
    (5, [("heap", 393, 1024), ("pc", 250, 659), ("kbots", 160, 410), ("canonical", 81, 208)]),
    (7, [("heap", 4287, 17394), ("pc", 3337, 13683), ("kbots", 2207, 8937), ("canonical", 615, 2490)]),
    (
        10,
        [
            ("heap", 154_451, 961_681),
            ("pc", 137_863, 860_763),
            ("kbots", 99_976, 623_240),
            ("canonical", 15_490, 96_440),
        ],
    ),
];

#[test]
fn table_1_of_bogors_paper() {
    for (number, row) in TABLE {
        for (strategy, stored, seen) in row {
            let constant = format!("C.N={number}");
            let file = model("dining-philosophers.bir");
            let options = ["--symmetry", strategy, "--reduce", "off", "--all-errors", "--format", "json"];
            let ran = run(&[&["check", &file, "-D", &constant][..], &options].concat());
            let stats = &ran.json()["stats"];
            let counts = (stats["states"].as_u64(), stats["matched"].as_u64(), stats["errors"].as_u64());
            assert_eq!(counts, (Some(stored), Some(seen), Some(1)), "{number} {strategy}");
        }
    }
}

#[test]
fn a_run_names_records_and_shows_every_line() {
    let ran = run(&["check", &model("dining-philosophers.bir"), "-D", "C.N=2", "--order", "bfs"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for part in ["invalid end state", "when !left.isHeld do { left.isHeld := true; }", "Fork#2", "Philosopher"] {
        assert!(ran.stdout.contains(part), "{part} is missing:\n{}", ran.stdout);
    }
}

#[test]
fn a_saved_run_is_repeated() {
    let directory = Dir::new(&[("m", include_str!("../../../models/dynamic/lost-node.bir"))]);
    let ran = directory.run(&["check", "m", "--language", "bir", "--heap-limit", "9", "--trace", "run.json"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let ran = directory.run(&["replay", "run.json", "--steps"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("REPRODUCED: assertion violated"), "{}", ran.stdout);
    assert!(ran.stdout.contains("l.head := n"), "{}", ran.stdout);
    let ran = directory.run(&["simulate", "m", "--along", "run.json"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}

/// Also of a variable whose process has ended.
#[test]
fn a_dangling_reference_shows_where_its_record_was_made_and_deleted() {
    let record =
        "typedef node { byte v };\nnode &g;\nactive proctype P() { node &n; n = new node; g = n; delete n; g.v = 1 }\n";
    let variable =
        "byte &g;\nactive proctype Q() { g != null; timeout; *g = 1 }\nactive proctype P() { byte l; g = &l }\n";
    for (text, made, deleted) in [(record, "node#1", "m.dprom:3"), (variable, "&byte#1", "m.dprom:3")] {
        let ran = Dir::new(&[("m.dprom", text)]).run(&["check", "m.dprom"]);
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
        for part in [
            &format!("{made} is made here"),
            &format!("{made} is deleted here"),
            &format!("{made}: deleted at {deleted}"),
        ] {
            assert!(ran.stdout.contains(part.as_str()), "{part} is missing:\n{}", ran.stdout);
        }
    }
}

/// Numbers far outside come back into the range as well.
#[test]
fn ranges_with_wrap_are_remainders() {
    for (low, high, value, expected) in [
        (-3, 2, 2_147_483_647, 1),
        (-3, 2, 2_147_483_644, -2),
        (-3, 2, -2_147_483_648, -2),
        (0, 6, -2_147_483_648, 5),
        (-1_000_000_000, 1, 2_147_483_647, -852_516_359),
        (0, 1_073_741_823, -1, 1_073_741_823),
    ] {
        let text = format!(
            "system W {{ int wrap ({low}, {high}) q; int n := {value}; active thread T() {{ q := n; assert q == {expected}; }} }}"
        );
        let ran = Dir::new(&[("m.bir", &text)]).run(&["check", "m.bir", "-q"]);
        assert_eq!(ran.code, Some(0), "{text}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A statement that is several steps inside is one.
#[test]
fn notify_is_one_statement() {
    let text = "system U {
      top record Object {}
      Object o := new Object;
      int (0, 1) ready;
      active thread W() { lock(o); ready := 1; wait(o); unlock(o); }
      active thread N() { choose when <ready == 1> do skip; end lock(o); notify(o); unlock(o); }
    }";
    let ran = Dir::new(&[("m.bir", text)]).run(&["check", "m.bir", "--unreached"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for line in ["unreached in proctype W: 0 of 9 statements", "unreached in proctype N: 0 of 9 statements"] {
        assert!(ran.stdout.contains(line), "{line} is missing:\n{}", ran.stdout);
    }
}

/// The option is saved with the run: without it there is no error to be repeated.
#[test]
fn a_use_of_what_a_lock_protects_is_found_and_repeated() {
    let directory = Dir::new(&[("m.bir", include_str!("../../../models/dynamic/ordered-list.bir"))]);
    assert_eq!(directory.run(&["check", "m.bir", "-q"]).code, Some(0));
    let ran = directory.run(&["check", "m.bir", "--assume-locks", "--trace", "run.json"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for part in ["a record is used while another thread holds its lock", "choose when <l.size > 0>"] {
        assert!(ran.stdout.contains(part), "{part} is missing:\n{}", ran.stdout);
    }
    let ran = directory.run(&["replay", "run.json"]);
    assert!(ran.stdout.contains("REPRODUCED: a record is used"), "{}{}", ran.stdout, ran.stderr);
}

/// Where everybody keeps to the rule, fewer states are left.
#[test]
fn what_locks_protect_needs_fewer_states() {
    let states = |args: &[&str]| {
        let file = model("one-place-buffer.bir");
        let ran = run(&[&["check", &file, "--format", "json"], args].concat());
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        ran.json()["stats"]["states"].as_u64()
    };
    assert!(states(&["--assume-locks"]) < states(&[]));
}

#[test]
fn a_simulation_follows_one_run() {
    let ran = run(&["simulate", &model("job-pool.bir"), "--seed", "7", "--steps", "30"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("ready := true"), "{}", ran.stdout);
}

#[test]
fn constants_are_set_from_outside() {
    let file = model("lost-node.bir");
    assert_eq!(run(&["check", &file, "-q"]).code, Some(1));
    assert_eq!(run(&["check", &file, "-q", "-D", "C.LOCKED=true"]).code, Some(0));
    for (define, problem) in [
        ("C.LOCKED=3", "-D C.LOCKED=3: the value must be true or false"),
        ("C.NONE=3", "the model has no constant `C.NONE` that -D could set"),
        ("N=3", "the model has no constant `N` that -D could set"),
    ] {
        let ran = run(&["check", &file, "-D", define]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let directory = Dir::new(&[
        ("m.pml", common::RACE),
        ("m.bir", "system S { active thread T() { skip; } }"),
        ("m.dprom", "typedef n { byte k } n &p; proctype U() { skip }\ninit { run U() }\n"),
    ]);
    for (args, problem) in [
        (&["m.pml", "--heap-limit", "9"][..], "--heap-limit is for models with a heap, and Promela has none"),
        (&["m.pml", "--stack-limit", "9"], "--stack-limit is for models with a heap, and Promela has none"),
        (&["m.pml", "--symmetry", "kbots:2"], "this strategy for --symmetry is for models with a heap"),
        (&["m.pml", "--assume-locks"], "--assume-locks is for BIR: Promela has no locks"),
        (&["m.bir", "--property", "[] true", "--assume-locks"], "--assume-locks is for safety searches"),
        (&["m.bir", "--symmetry", "sorted"], "this strategy for --symmetry is not for models with a heap"),
        (&["m.bir", "--symmetry", "kbots:x"], "invalid value 'kbots:x'"),
        (&["m.bir", "--symmetry", "other"], "kbots, kbots:K]"),
        (&["m.pml", "--stack-limit", "255"], "255 is not in 1..=254"),
        (
            &["m.pml", "--must-delete"],
            "--must-delete (as --leaks error) is for models with a heap, and Promela has none",
        ),
        (&["m.bir", "--must-delete"], "--must-delete (as --leaks error) is for dSPIN's Promela: BIR deletes nothing"),
        (&["m.pml", "--leaks", "warn"], "--leaks is for dSPIN's Promela: Promela has no records to delete"),
        (&["m.pml", "--leaks", "off"], "--leaks is for dSPIN's Promela: Promela has no records to delete"),
        (&["m.bir", "--leaks", "warn"], "--leaks is for dSPIN's Promela: BIR deletes nothing"),
        (
            &["m.dprom", "--property", "[] true", "--leaks", "warn"],
            "--leaks warn is for safety searches, and none is made",
        ),
        (&["m.dprom", "--symmetry", "canonical"], "m.dprom:2: processes are started with `run`, which gives their ids"),
        (
            &["m.pml", "--symmetric-independence", "off"],
            "--symmetric-independence is for models with a heap, and the model has none",
        ),
        (&["m.bir", "--count-as", "spin"], "--count-as is not for models with a heap"),
        (&["m.bir", "--order-free-termination"], "--order-free-termination is not for models with a heap"),
        (&["m.bir", "--symmetry-file", "m.pml"], "--symmetry-file is not for models with a heap"),
        (&["m.bir", "--property", "[] x"], "variable `x` is not declared"),
        (&["m.bir", "--property", "[] (true U"], "expected an expression, found the end of the formula"),
        (&["m.bir", "--property", "[] true ->"], "expected an expression, found the end of the formula"),
        (
            &["m.bir", "--property", "[] hasLock(null)"],
            "this asks about the thread that asks, and a formula is not one",
        ),
        (&["m.bir", "--property", "[] 1"], "a boolean is needed here, and this is `int`"),
        (&["m.bir", "--language", "promela"], "expected"),
        (&["m.pml", "--language", "bir"], "expected `system` at the beginning of the model"),
        (&["none.bir"], "cannot read `none.bir`"),
    ] {
        let ran = directory.run(&[&["check"][..], args].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(problem), "{args:?}: {}", ran.stderr);
    }
}

/// A thread that is put off, and one that waits for a record that others make anew in every round.
const RELAY: &str = "system Relay {
  record Job { boolean done; }
  Job job;
  boolean served;

  active thread Maker() {
    while true do
      job := new Job;
      job.done := true;
      job := null;
    end
  }

  active thread Waiter() {
    served := true;
  }

  ltl served { <> served }
  ltl done { [] (job != null -> <> (job == null || job.done)) }
}
";

#[test]
fn temporal_properties_are_checked() {
    let directory = Dir::new(&[("m.bir", RELAY)]);
    let ran = directory.run(&["check", "m.bir", "--trace", "t"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for part in ["VIOLATED      ltl served: <> served", "repeat forever", "Job#2", "HOLDS         ltl done"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let ran = directory.run(&["replay", "t"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for strategy in ["none", "heap", "pc", "kbots", "canonical"] {
        let ran = directory.run(&["check", "m.bir", "--fair", "--symmetry", strategy]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("HOLDS         ltl served: <> served, with weak fairness"), "{}", ran.stdout);
    }
    let ran = directory.run(&["check", "m.bir", "--property", "<> job.done"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    let place = "a proposition (--property:1:4) cannot be worked out in a state after 0 steps: null is used as if it were a record";
    assert!(ran.stdout.contains(place), "{}", ran.stdout);
}

/// Formulas of BIR have the operators of Promela's, in signs and in words, also before parentheses.
#[test]
fn operators_of_formulas_have_words() {
    let text = "system K {\n  int (0,9) k;\n  int (0,9) X;\n  active thread T() { k := 1; k := 2; X := 1; }\n}\n";
    let directory = Dir::new(&[("m.bir", text)]);
    let cases = [
        ("[] (X (k == 0))", 1),
        ("X (k == 1)", 0),
        ("[] (always (k < 9))", 0),
        ("(k == 0) && (next (k == 0) || F (k == 2))", 0),
        ("G (k < 9) && <> G (k == 2)", 0),
        ("k == 0 stronguntil k == 1", 0),
        ("[] (X == 0 || X == 1)", 0),
        ("[] (X == 0 or X == 2)", 1),
        ("[] (k == 2 implies (eventually (X == 1)))", 0),
        ("X == 0 U X == 1", 0),
    ];
    for (formula, code) in cases {
        let ran = directory.run(&["check", "m.bir", "--property", formula]);
        assert_eq!(ran.code, Some(code), "{formula}: {}{}", ran.stdout, ran.stderr);
    }
    let ran = directory.run(&["check", "m.bir", "--property", "(k =="]);
    let message = "expected an expression, found the end of the formula\n --> --property:1:6";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

/// In dSPIN's Promela, propositions follow references of a process.
#[test]
fn remote_references_go_into_records() {
    let text = "\
typedef node { byte v; node &next; byte a[3] }
byte x;
active [2] proctype P() {
  node &n; byte &b;
  n = new node; n.v = 1; n.next = new node; n.next.v = 5; n.a[1] = 2; b = new byte[2]; b[1] = 3; x++
}
";
    let directory = Dir::new(&[("m.dprom", text)]);
    let cases = [
        ("[] (P[0]:n == null || P[0]:n.v < 2)", 0),
        ("[] (P[1]:n == null || P[1]:n.v < 1)", 1),
        ("<> (P[1]:n != null && P[1]:n.next != null && P[1]:n.next.v == 5)", 0),
        ("[] (P[1]:n == null || P[1]:n.a[x + 1] < 2)", 1),
        ("<> (P[1]:b != null && P[1]:b[1] == 3)", 0),
        ("[] (P[0]:n.v < 2)", 3),
        ("[] (P[0]:n.w < 2)", 2),
    ];
    for (formula, code) in cases {
        let ran = directory.run(&["check", "m.dprom", "--property", formula]);
        assert_eq!(ran.code, Some(code), "{formula}: {}{}", ran.stdout, ran.stderr);
    }
    // Plain Promela has no such references.
    let plain = Dir::new(&[("m.pml", "typedef T { byte v } active proctype P() { T t; t.v = 1 }\n")]);
    let ran = plain.run(&["check", "m.pml", "--property", "<> (P[0]:t.v == 1)"]);
    assert!(ran.stderr.contains("a remote reference cannot go into the fields of a variable"), "{}", ran.stderr);
}

#[test]
fn limits_are_errors_of_the_model() {
    let file = model("endless-recursion.bir");
    let ran = run(&["check", &file, "--stack-limit", "5", "--format", "json"]);
    assert_eq!(ran.json()["violations"][0]["kind"], "stack-limit", "{}", ran.stdout);
    let ran = run(&["check", &model("dining-philosophers.bir"), "--heap-limit", "3", "--format", "json"]);
    assert_eq!(ran.json()["violations"][0]["kind"], "heap-limit", "{}", ran.stdout);
}

#[test]
fn mistakes_are_shown_with_their_lines() {
    let directory = Dir::new(&[("m.bir", "system S {\n  active thread T() {\n    x := 1;\n  }\n}\n")]);
    let ran = directory.run(&["check", "m.bir"]);
    assert_eq!(ran.code, Some(2));
    let expected = "\
error: variable `x` is not declared
 --> m.bir:3:5
  |
3 |     x := 1;
  |     ^

m.bir: 1 error
";
    assert_eq!(ran.stderr, expected);
}

/// A thread that takes a lock three times, and calls one function.
const LOCKS: &str = "system Locks {
  top record Object {}
  record Counter extends Object { int value; }
  Counter c := new Counter;
  function step() { int i; while i < TIMES do lock(c); i := i + 1; end c.value := 1; }
  active thread T() { invoke step(); }
}
";

#[test]
fn locks_and_calls_have_limits_of_their_own() {
    let check = |times: &str, args: &[&str]| {
        let text = LOCKS.replace("TIMES", times);
        let directory = Dir::new(&[("m.bir", &text)]);
        directory.run(&[&["check", "m.bir", "--format", "json"], args].concat())
    };
    let ran = check("3", &["--stack-limit", "1"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(check("255", &[]).code, Some(0));
    let ran = check("256", &[]);
    assert_eq!(ran.json()["violations"][0]["kind"], "lock-limit", "{}", ran.stdout);
    let message = "a thread takes a lock more than 255 times without giving it back";
    assert_eq!(ran.json()["violations"][0]["message"], message);
}

/// Two calls inside each other, and an error in the inner one.
const CALLS: &str = "function inner(byte x) { byte y; y = x + 1; assert(y == 0) }
function outer(byte a) { byte b; b = a + 1; inner(b) }
active proctype P() { byte z = 4; outer(z) }
";

#[test]
fn all_calls_of_a_process_are_shown() {
    let directory = Dir::new(&[("m.dprom", CALLS)]);
    let ran = directory.run(&["check", "m.dprom"]);
    let end = ran.stdout.split("At the end:").nth(1).expect("a state at the end");
    let lines: Vec<&str> = end.lines().map(str::trim).filter(|line| !line.is_empty()).take(6).collect();
    let expected = [
        "P:0  at m.dprom:1",
        "x = 5   y = 6",
        "called by outer at m.dprom:2",
        "a = 4   b = 5",
        "called by P at m.dprom:3",
        "z = 4",
    ];
    assert_eq!(lines, expected, "{end}");
    let ran = directory.run(&["check", "m.dprom", "--format", "json"]);
    let process = &ran.json()["violations"][0]["end_state"]["processes"][0];
    assert_eq!(process["calls"][0]["caller"], "outer", "{process}");
    assert_eq!(process["calls"][1]["location"]["line"], 3, "{process}");
}

/// Threads of one type that are started one after another, each when the one before has ended; the last one is wrong.
const ONE_BY_ONE: &str = "system OneByOne {
  top record Object {}
  lock l := new lock;
  int (0, 3) ended;
  tid last;
  thread Worker(int (0, 3) number) { assert number != 3; atomic ended := ended + 1; end }
  main thread Main() {
    last := start Worker(1);
    choose when <ended == 1 && threadTerminated(last)> do skip; end
    last := start Worker(2);
    choose when <ended == 2 && threadTerminated(last)> do skip; end
    last := start Worker(3);
  }
}
";

#[test]
fn a_thread_keeps_its_name_and_nobody_gets_it_again() {
    let directory = Dir::new(&[("m.bir", ONE_BY_ONE)]);
    let ran = directory.run(&["check", "m.bir", "--reduce", "off"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for part in ["starts Worker#1", "starts Worker#2", "starts Worker#3", "Main#1", "thread = Worker#3", "lock = free"]
    {
        assert!(ran.stdout.contains(part), "{part} is missing:\n{}", ran.stdout);
    }
    for part in ["Worker:", "nothing in it"] {
        assert!(!ran.stdout.contains(part), "{part} is there:\n{}", ran.stdout);
    }
    let ran = directory.run(&["check", "m.bir", "--reduce", "off", "--format", "json"]);
    let answer = ran.json();
    let steps = answer["violations"][0]["trace"].as_array().expect("steps").clone();
    let ended = |number: u64| {
        steps.iter().filter(|s| s["ended"] == true && s["proctype"] == "Worker" && s["number"] == number).count()
    };
    assert_eq!((ended(1), ended(2)), (1, 1), "{answer}");
}

#[test]
fn lost_records_are_mentioned_where_that_is_asked_for() {
    let text = "typedef n { byte k } n &p;\nactive proctype P() { p = new n; p = null; skip }\n";
    let directory = Dir::new(&[("m.dprom", text), ("kept.dprom", &text.replace("p = null", "delete p"))]);
    let note = "a record can no longer be reached, and was not deleted (m.dprom:2)";
    for (args, mentions) in
        [(&["m.dprom"][..], false), (&["m.dprom", "--leaks", "warn"], true), (&["m.dprom", "--leaks", "off"], false)]
    {
        let ran = directory.run(&[&["check"][..], args].concat());
        assert_eq!(
            (ran.code, ran.stdout.contains(note)),
            (Some(0), mentions),
            "{args:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    let ran = directory.run(&["check", "kept.dprom", "--leaks", "warn"]);
    assert!(ran.code == Some(0) && !ran.stdout.contains("no longer"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(directory.run(&["check", "m.dprom", "-q", "--leaks", "error"]).code, Some(1));
}
