//! What people read, word for word.

mod common;

use common::{DEADLOCK, Dir, HOLDS, RACE, RENDEZVOUS};

#[test]
fn a_violated_assertion_is_told_as_a_run() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    let ran = dir.run(&["check", "race.pml", "--order", "bfs"]);
    assert_eq!(
        ran.masked(),
        "\
Checking race.pml for safety errors: breadth-first, with partial-order reduction

The run to the error, 3 steps:

  1  P:1  race.pml:5  mine = x
  2  P:1  race.pml:6  x = mine + 1           x: 0 → 1
  3  P:1  race.pml:7  assert(x == _pid + 1)

error: assertion violated
 --> race.pml:7:4
  |
7 |    assert(x == _pid + 1)
  |    ^^^^^^^^^^^^^^^^^^^^^ x is 1

At the end:

  x = 1
  P:0  at race.pml:5
         mine = 0
         next mine = x  line 5
  P:1  at race.pml:8
         mine = 0
         next its end  line 8

VIOLATED: assertion violated (race.pml:7)
  states                   6 stored, 1 met again: 7 transitions
  depth  …
  memory  …
  time  …
  partial-order reduction  on, 0 states needed only one process
  symmetry reduction       off: race.pml:6: `x` has a constant added to it
  stopped                  at the first violation (--all-errors goes on)
"
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let dir = Dir::new(&[("deadlock.pml", DEADLOCK)]);
    let ran = dir.run(&["check", "deadlock.pml"]);
    assert_eq!(
        ran.masked(),
        "\
Checking deadlock.pml for safety errors: depth-first, with partial-order reduction

The run to the error, 5 steps:

  1  Client:0  deadlock.pml:7   ask!request,3  sends request,3 to ask
  2  Server:1  deadlock.pml:15  ask?request,n  receives request,3 from ask (sent by Client:0 in step 1), n: 0 → 3
  3  Server:1  deadlock.pml:16  answer!grant   sends grant to answer
  4  Client:0  deadlock.pml:8   ask!request,4  sends request,4 to ask
  5  Client:0  deadlock.pml:9   answer?grant   receives grant from answer (sent by Server:1 in step 3)

error: invalid end state: nothing can happen any more, and Client:0 and Server:1 are not at an end
  --> deadlock.pml:10:4
   |
10 |    answer?grant
   |    ^^^^^^^^^^^^ Client:0 waits here
...
17 |    ask?grant,n
   |    ----------- Server:1 waits here

Messages:

     Client:0           Server:1
  1  ├─► ask!request,3  │
  2  ├──ask?request,3──►│
  3  │                  ├─► answer!grant
  4  ├─► ask!request,4  │
  5  │◄──answer?grant───┤

At the end:

  ask: request,4 (1 of 2)
  answer: empty (room for 1)
  Client:0  at deadlock.pml:10
              waits for answer?grant  line 10  — answer is empty
  Server:1  at deadlock.pml:17
              n = 3
              waits for ask?grant,n  line 17  — no message that matches in ask, which starts with request,4

VIOLATED: invalid end state: nothing can happen any more, and Client:0 and Server:1 are not at an end (deadlock.pml:10)
  states                   6 stored, 0 met again: 6 transitions
  depth  …
  memory  …
  time  …
  partial-order reduction  on, 0 states needed only one process
  symmetry reduction       off: deadlock.pml:6: no two processes are of the same type
  stopped                  at the first violation (--all-errors goes on)
"
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn a_rendezvous_shows_both_partners() {
    let dir = Dir::new(&[("rv.pml", RENDEZVOUS)]);
    let ran = dir.run(&["check", "rv.pml"]);
    assert_eq!(
        ran.masked(),
        "\
Checking rv.pml for safety errors: depth-first, with partial-order reduction

The run to the error, 4 steps:

  1  Client:0  rv.pml:6   link!req,7    sends req,7 to Server:1
     Server:1  rv.pml:13  link?req,who  receives req,7 from Client:0, who: 0 → 7
  2  Server:1  rv.pml:14  served = who  served: 0 → 7
  3  Server:1  rv.pml:15  link!ack,who  sends ack,7 to Client:0
     Client:0  rv.pml:7   link?ack,_    receives ack,7 from Server:1
  4  Server:1  rv.pml:16  -end-         ends

error: invalid end state: nothing can happen any more, and Client:0 is not at an end
 --> rv.pml:8:4
  |
8 |    link?ack,_
  |    ^^^^^^^^^^ Client:0 waits here

Messages:

     Client:0        Server:1
  1  ├──link!req,7──►│
  3  │◄──link!ack,7──┤

At the end:

  served = 7
  Client:0  at rv.pml:8
              waits for link?ack,_  line 8  — nobody is ready to send on link

VIOLATED: invalid end state: nothing can happen any more, and Client:0 is not at an end (rv.pml:8)
  states                   4 stored, 0 met again: 4 transitions
  depth  …
  memory  …
  time  …
  partial-order reduction  on, 1 local step taken at once, 0 states needed only one process
  symmetry reduction       off: rv.pml:5: no two processes are of the same type
  stopped                  at the first violation (--all-errors goes on)
"
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn a_model_that_holds_is_told_in_a_few_lines() {
    let dir = Dir::new(&[("holds.pml", HOLDS)]);
    let ran = dir.run(&["check", "holds.pml", "--unreached"]);
    assert_eq!(
        ran.masked(),
        "\
Checking holds.pml for safety errors: depth-first, with partial-order reduction

unreached in proctype P: holds.pml:7: x > 3
unreached in proctype P: holds.pml:7: x = 0
unreached in proctype P: 2 of 6 statements

HOLDS: no error in any run
  states                   8 stored, 0 met again: 8 transitions
  depth  …
  memory  …
  time  …
  partial-order reduction  on, 1 local step taken at once, 0 states needed only one process
  symmetry reduction       off: holds.pml:3: no two processes are of the same type
"
    );
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_d_step_and_an_interrupted_atomic_sequence_are_told_in_full() {
    let model = "\
byte x;
chan q = [1] of { byte };

active proctype P() {
   d_step { x = 1; if :: x == 1 -> x = 2 :: else fi; q!x };
   atomic { x = 5; q!x; x = 6 }
}

active proctype Q() {
   byte y;
   d_step { q?y; printf(\"got %d\\n\", y) };
   assert(x != 5)
}
";
    let dir = Dir::new(&[("d.pml", model)]);
    let ran = dir.run(&["check", "d.pml", "--order", "bfs", "--reduce", "off"]);
    let run = ran.stdout.split("error:").next().expect("a run");
    assert_eq!(
        run,
        "\
Checking d.pml for safety errors: breadth-first, without reductions

The run to the error, 4 steps:

  1  P:0  d.pml:5   d_step
     P:0  d.pml:5     x = 1                  x: 0 → 1
     P:0  d.pml:5     x == 1
     P:0  d.pml:5     x = 2                  x: 1 → 2
     P:0  d.pml:5     q!x                    sends 2 to q
  2  P:0  d.pml:6   x = 5                    x: 2 → 5
     P:0 is blocked inside its atomic sequence: the others may move
  3  Q:1  d.pml:11  d_step
     Q:1  d.pml:11    q?y                    receives 2 from q (sent by P:0 in step 1), y: 0 → 2
     Q:1  d.pml:11    printf(\"got %d\\n\", y)  prints \"got 2\\n\"
  4  Q:1  d.pml:12  assert(x != 5)

"
    );
}

#[test]
fn an_error_before_the_first_step_has_a_run_of_no_steps() {
    let index = "byte a[2];\nbyte i = 5;\nbyte x = a[i];\ninit { skip }\n";
    let dir = Dir::new(&[("index.pml", index), ("stuck.pml", "active proctype P() { false }\n")]);
    for (file, kind) in [("index.pml", "index-out-of-range"), ("stuck.pml", "invalid-end-state")] {
        let ran = dir.run(&["check", file, "--trace", "t.json"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        assert!(ran.stdout.contains("The error is there from the start, before any step.\n"), "{}", ran.stdout);
        let violation = &dir.run(&["check", file, "--format", "json"]).json()["violations"][0];
        assert_eq!((&violation["kind"], &violation["trace"]), (&kind.into(), &serde_json::json!([])));
        assert_eq!(dir.run(&["replay", "t.json"]).code, Some(1));
    }
}

#[test]
fn a_long_run_loses_its_middle_unless_all_is_asked_for() {
    let model = "byte x;\nactive proctype P() { do :: x < 200 -> x++ :: x == 200 -> assert(false) od }\n";
    let dir = Dir::new(&[("long.pml", model)]);
    let lines = |args: &[&str]| dir.run(args).stdout.lines().filter(|line| line.contains("P:0  long")).count();
    let short = dir.run(&["check", "long.pml"]);
    assert!(short.stdout.contains("… 342 steps left out (--full-trace shows all) …"), "{}", short.stdout);
    assert_eq!(lines(&["check", "long.pml"]), 60);
    assert_eq!(lines(&["check", "long.pml", "--full-trace"]), 402);
    assert_eq!(lines(&["check", "long.pml", "--trace", "t.json"]), 402);
}

#[test]
fn quiet_tells_the_verdict_only() {
    let dir = Dir::new(&[("race.pml", RACE), ("holds.pml", HOLDS)]);
    assert_eq!(dir.run(&["check", "race.pml", "-q"]).stdout, "VIOLATED: assertion violated (race.pml:7)\n");
    assert_eq!(dir.run(&["check", "holds.pml", "--quiet"]).stdout, "HOLDS: no error in any run\n");
}

#[test]
fn colours_are_used_when_asked_for() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    let colored = dir.run(&["check", "race.pml", "--color", "always"]).stdout;
    assert!(colored.contains("\u{1b}[1;31mVIOLATED\u{1b}[0m"), "{colored}");
    for when in ["auto", "never"] {
        assert!(!dir.run(&["check", "race.pml", "--color", when]).stdout.contains('\u{1b}'));
    }
}

#[test]
fn other_errors_are_listed() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    let ran = dir.run(&["check", "race.pml", "--all-errors", "--reduce", "off"]);
    assert!(ran.stdout.contains("Other errors:\n\n  assertion violated (race.pml:7:4)"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" errors in all\n"), "{}", ran.stdout);
}

#[test]
fn temporal_properties_are_checked_and_those_that_were_not_are_named() {
    let model = format!("{HOLDS}\nltl rises {{ <> (x == 3) }}\n");
    let dir = Dir::new(&[("ltl.pml", &model)]);
    let all = dir.run(&["check", "ltl.pml", "-q"]);
    assert_eq!(
        all.stdout,
        "\
HOLDS: no error in any run
  HOLDS         safety
  HOLDS         ltl rises: <>(x == 3)
"
    );
    let safety = dir.run(&["check", "ltl.pml", "-q", "--property", "safety"]);
    assert_eq!(
        safety.stdout,
        "\
HOLDS: no safety error in any run
note: not checked: ltl rises
      (--property checks one by name; --property none leaves this note out)
"
    );
    let silent = dir.run(&["check", "ltl.pml", "-q", "--property", "none"]);
    assert_eq!(silent.stdout, "HOLDS: no error in any run\n");
    assert_eq!((all.code, safety.code, silent.code), (Some(0), Some(0), Some(0)));
    assert!(dir.run(&["check", "ltl.pml"]).stdout.contains(&all.stdout));
    let help = dir.run(&["check", "--help"]).stdout;
    assert!(help.contains("3 inconclusive") && help.contains("see --property"), "{help}");
}

#[test]
fn why_a_model_is_not_reduced_is_said() {
    let dir = Dir::new(&[("last.pml", "byte x;\nactive [2] proctype P() { x = _last }\n")]);
    let ran = dir.run(&["check", "last.pml"]);
    assert!(ran.stdout.contains("partial-order reduction  off: the model looks at `_last`\n"), "{}", ran.stdout);
    let por = &dir.run(&["check", "last.pml", "--format", "json"]).json()["stats"]["por"];
    assert_eq!((por["requested"] == true, por["active"] == true), (true, false));
    assert_eq!(por["reason"], "the model looks at `_last`");
}
