//! Simulations: random ones are repeatable, interactive ones do what the user says.

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{Dir, HOLDS, RACE, Ran};

#[test]
fn a_seed_gives_the_same_run_again() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    let run = |seed: &str| dir.run(&["simulate", "race.pml", "--seed", seed]).stdout;
    assert_eq!(run("7"), run("7"));
    let different = (0..20).map(|seed| run(&seed.to_string())).collect::<std::collections::HashSet<_>>();
    assert!(different.len() > 5, "{}", different.len());
}

#[test]
fn a_run_without_a_seed_tells_the_one_it_took() {
    let dir = Dir::new(&[("race.pml", RACE)]);
    let first = dir.run(&["simulate", "race.pml", "--format", "json"]).stdout;
    let answer: serde_json::Value = serde_json::from_str(&first).expect("an answer");
    let seed = answer["seed"].as_u64().expect("a seed").to_string();
    assert_eq!(dir.run(&["simulate", "race.pml", "--format", "json", "--seed", &seed]).stdout, first);
    let human = dir.run(&["simulate", "race.pml"]).stdout;
    assert!(human.starts_with("Simulating race.pml at random with --seed "), "{human}");
}

#[test]
fn what_a_model_prints_is_shown() {
    let model = "mtype = { red, green };\nactive proctype P() { byte x = 3; printf(\"x is %d, %e\\n\", x, green) }\n";
    let dir = Dir::new(&[("print.pml", model)]);
    let ran = dir.run(&["simulate", "print.pml"]);
    assert!(ran.stdout.contains("\nx is 3, green\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("The run ended: nothing more can happen"), "{}", ran.stdout);
    assert_eq!(ran.code, Some(0));
    let json = dir.run(&["simulate", "print.pml", "--format", "json"]).json();
    assert_eq!(json["trace"][0]["output"], "x is 3, green\n");
    assert_eq!(json["end"], "finished");
}

#[test]
fn the_number_of_steps_is_limited() {
    let dir = Dir::new(&[("loop.pml", "byte x;\nactive proctype P() { do :: x++ od }\n")]);
    let ran = dir.run(&["simulate", "loop.pml", "--steps", "5", "--format", "json"]);
    assert_eq!(ran.json()["trace"].as_array().map(Vec::len), Some(5));
    assert_eq!(ran.json()["end"], "max-steps");
    assert_eq!(ran.code, Some(0));
}

/// A saved run is followed to its end, unless a number of steps is asked for.
#[test]
fn a_long_saved_run_is_followed_to_its_end() {
    let model = "int x;\nactive proctype P() { do :: x < 3000 -> x++ :: else -> break od; assert(false) }\n";
    let dir = Dir::new(&[("long.pml", model)]);
    assert_eq!(dir.run(&["check", "long.pml", "--trace", "long.trace", "--quiet"]).code, Some(1));
    let along = |more: &[&str]| {
        dir.run(&[&["simulate", "long.pml", "--along", "long.trace", "--format", "json"], more].concat()).json()
    };
    assert_eq!(along(&[])["end"], "violation");
    assert_eq!(along(&["--steps", "2000"])["end"], "max-steps");
    assert_eq!(along(&["--steps", "2000"])["trace"].as_array().map(Vec::len), Some(2000));
    let random = dir.run(&["simulate", "long.pml", "--seed", "1", "--format", "json"]).json();
    assert_eq!((&random["end"], random["trace"].as_array().map(Vec::len)), (&"max-steps".into(), Some(1000)));
}

fn interactive(dir: &Dir, args: &[&str], answers: &str) -> Ran {
    let all = [args, &["--interactive"]].concat();
    let mut command = dir.command(&all);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(answers.as_bytes()).expect("it listens");
    Ran::new(child.wait_with_output().expect("it ends"))
}

#[test]
fn an_interactive_run_follows_the_choices() {
    let dir = Dir::new(&[("holds.pml", HOLDS)]);
    let ran = interactive(&dir, &["simulate", "holds.pml", "--format", "json"], "1\n7\nx\n\n1\nq\n");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.json()["trace"].as_array().map(Vec::len), Some(2));
    assert_eq!(ran.json()["end"], "stopped");
    assert_eq!(ran.stderr.matches("That is not one of them.").count(), 3, "{}", ran.stderr);
    // The end of the input is the end of the run.
    let ran = interactive(&dir, &["simulate", "holds.pml"], "");
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("1  P:0  holds.pml:5  x < 3"), "{}", ran.stderr);
}

#[test]
fn a_simulated_run_can_be_saved_and_replayed() {
    let dir = Dir::new(&[("holds.pml", HOLDS), ("race.pml", RACE)]);
    assert_eq!(dir.run(&["simulate", "holds.pml", "--trace", "t.json"]).code, Some(0));
    let replay = dir.run(&["replay", "t.json"]);
    assert_eq!(replay.code, Some(0));
    assert!(replay.stdout.ends_with("REPRODUCED: no violation, as saved\n"), "{}", replay.stdout);
    // Some random run of the race shows the error, and replays to it.
    let seed = (0..50).find(|seed| {
        dir.run(&["simulate", "race.pml", "--seed", &seed.to_string(), "--trace", "t.json"]).code == Some(1)
    });
    assert!(seed.is_some());
    assert_eq!(dir.run(&["replay", "t.json"]).code, Some(1));
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let dir = Dir::new(&[("holds.pml", HOLDS)]);
    for args in
        [&["--interactive", "--seed", "1"][..], &["--interactive", "--along", "t"], &["--along", "t", "--seed", "1"]]
    {
        assert_eq!(dir.run(&[&["simulate", "holds.pml"], args].concat()).code, Some(2), "{args:?}");
    }
}
