//! Saved runs: repeated, broken, and no longer fitting.

mod common;

use std::fs;

use common::{DEADLOCK, Dir, RACE};

#[test]
fn a_saved_run_reproduces_the_violation() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    let check = dir.run(&["check", "race.pml", "--trace", "t.json"]);
    assert!(check.stdout.ends_with("The run is saved; repeat it with: quotient replay t.json\n"), "{}", check.stdout);
    let replay = dir.run(&["replay", "t.json"]);
    assert_eq!(replay.code, Some(1));
    assert!(replay.stdout.starts_with("Replaying t.json: race.pml, "), "{}", replay.stdout);
    assert!(replay.stdout.ends_with("REPRODUCED: assertion violated\n"), "{}", replay.stdout);
    assert!(!replay.stdout.contains("The run to the error"));
    let steps = dir.run(&["replay", "t.json", "--steps"]).stdout;
    let run = |text: &str| text.split("The run to the error").nth(1).map(|t| t.split("VIOLATED").next().map(str::len));
    assert!(run(&steps).is_some() && steps.contains("x = mine + 1"), "{steps}");
}

#[test]
fn defines_and_the_directory_are_part_of_a_saved_run() {
    let model = "active proctype P() { byte i; do :: i < N -> i++ :: i == N -> assert(false) od }\n";
    let dir = Dir::new(&[("n.pml", model)]);
    assert_eq!(dir.run(&["check", "n.pml", "-DN=3", "--trace", "t.json"]).code, Some(1));
    let other = Dir::new(&[]);
    let trace = dir.0.join("t.json");
    let ran = other.run(&["replay", trace.to_str().expect("a path"), "--format", "json"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.json()["violation"]["trace_length"], 8);
}

#[test]
fn a_changed_model_is_noticed() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    dir.run(&["check", "race.pml", "--trace", "t.json"]);
    fs::write(dir.0.join("race.pml"), RACE.replace("assert(x == _pid + 1)", "skip")).expect("a change");
    let ran = dir.run(&["replay", "t.json"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("does not fit the model"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`race.pml` has changed since the run was saved"), "{}", ran.stderr);
    // A comment changes nothing that matters, but it is said.
    fs::write(dir.0.join("race.pml"), format!("/* new */\n{RACE}")).expect("a change");
    let ran = dir.run(&["replay", "t.json"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("has changed since the run was saved, but the run still fits"), "{}", ran.stdout);
    fs::remove_file(dir.0.join("race.pml")).expect("the model is there");
    assert_eq!(dir.run(&["replay", "t.json"]).code, Some(2));
}

#[test]
fn a_broken_file_is_refused() {
    let dir = Dir::new(&[("race.pml", RACE), ("not.json", "{"), ("other.json", "{\"a\": 1}"), ("empty.json", "")]);
    dir.run(&["check", "race.pml", "--trace", "t.json"]);
    let good = fs::read_to_string(dir.0.join("t.json")).expect("a trace");
    let broken = [
        ("schema.json", good.replace("\"schema\":1", "\"schema\":99")),
        ("events.json", good.replace("\"events\":[", "\"events\":[7,")),
        ("process.json", good.replace("\"process\":", "\"process\":9")),
        ("cut.json", good[..good.len() / 2].to_string()),
        ("kind.json", good.replace("\"kind\":\"assertion\"", "\"kind\":\"trace\"")),
    ];
    for (name, text) in &broken {
        fs::write(dir.0.join(name), text).expect("a file");
    }
    let names = broken.iter().map(|(name, _)| *name).chain(["not.json", "other.json", "empty.json", "none.json", "."]);
    for name in names {
        let ran = dir.run(&["replay", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{name}");
        assert!(ran.stderr.starts_with("error: ") && !ran.stderr.contains("panicked"), "{name}: {}", ran.stderr);
        let json = dir.run(&["replay", name, "--format", "json"]);
        assert_eq!(json.code, Some(2), "{name}");
        assert_eq!(json.json()["error"]["diagnostics"][0]["severity"], "error", "{name}");
    }
}

#[test]
fn a_run_can_be_followed_in_a_simulation() {
    let dir = Dir::new(&[("deadlock.pml", DEADLOCK)]);
    let check = dir.run(&["check", "deadlock.pml", "--trace", "t.json", "--format", "json"]).json();
    let along = dir.run(&["simulate", "deadlock.pml", "--along", "t.json", "--format", "json"]);
    assert_eq!(along.code, Some(1));
    assert_eq!(along.json()["violation"], check["violations"][0]);
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_search() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    for path in ["no/such/dir/t.json", "."] {
        let ran = dir.run(&["check", "race.pml", "--trace", path]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("cannot write"), "{}", ran.stderr);
    }
}

#[test]
fn a_run_that_was_found_counting_as_spin_does_has_every_statement() {
    let model = "byte g;\nactive proctype P() { byte x; atomic { g = 1; x = g + 1; g = x; assert(g == 3) } }\n";
    let dir = Dir::new(&[("m.pml", model)]);
    let check = dir.run(&["check", "m.pml", "--count-as", "spin-default", "--trace", "t.json"]);
    assert_eq!(check.code, Some(1), "{}{}", check.stdout, check.stderr);
    assert!(check.stdout.contains("counted as               SPIN does by default"), "{}", check.stdout);
    let replay = dir.run(&["replay", "t.json", "--format", "json"]);
    assert_eq!((replay.code, &replay.json()["violation"]["trace_length"]), (Some(1), &4.into()), "{}", replay.stdout);
}
