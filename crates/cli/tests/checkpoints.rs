//! Checkpoints of searches of models, from outside: a search that is killed goes on from the last one and answers the same;
//! files that do not fit are refused.
//!
//! `QUOTIENT_KILLS=20` kills more searches.

mod common;

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use common::Dir;

/// 24,576 states, and a violation that is found late if BAD is 2.
const MODEL: &str = "unsigned x : 7, y : 6; byte a;
    active proctype P() { do :: x++ :: x-- od }
    active proctype Q() { do :: y++ :: y-- od }
    active proctype R() { do :: a < 2 -> a++ :: a == 2 && x == 100 && y == 40 -> assert(a != BAD) od }\n";

/// The answer without what depends on time, or on how the process went.
fn counts(mut answer: Value) -> Value {
    let stats = answer["stats"].as_object_mut().expect("statistics");
    stats.remove("seconds");
    stats.remove("peak_memory_bytes");
    stats["symmetry"].as_object_mut().expect("symmetry").remove("time_share");
    for property in answer["properties"].as_array_mut().into_iter().flatten() {
        property["stats"].as_object_mut().and_then(|stats| stats.remove("seconds"));
    }
    answer
}

/// The model with formulas that hold on it.
fn with_formulas() -> String {
    format!("{MODEL}ltl small {{ [] (a < 3) }}\nltl again {{ [] (x == 100 -> X (a < 2 || y < 64)) }}\n")
}

fn philosophers() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dining-philosophers.pml");
    std::fs::read_to_string(path).expect("a model")
}

#[test]
fn a_search_goes_on_and_answers_the_same() {
    let philosophers = philosophers();
    let place = Dir::new(&[("m.pml", MODEL), ("p.pml", &philosophers)]);
    let ways: [&[&str]; 8] = [
        &["m.pml", "-DBAD=3", "--all-errors"],
        &["m.pml", "-DBAD=2", "--order=bfs"],
        &["m.pml", "-DBAD=3", "--max-depth=50"],
        &["p.pml", "-DN=5", "--symmetry=off", "--reduce=off"],
        &["p.pml", "-DN=6", "--order=bfs"],
        &["p.pml", "-DN=6", "--symmetry=pc-sorted", "--reduce=off"],
        &["p.pml", "-DN=6", "--reduce=spin", "--symmetry=off", "--store=tree"],
        &["p.pml", "-DN=6", "--order=bfs", "--store=tree"],
    ];
    for way in ways {
        let whole = place.run(&[&["check", "--format=json"], way].concat());
        let expected = counts(whole.json());
        let states = expected["stats"]["states"].as_u64().expect("a number");
        let mut resume: Vec<String> = Vec::new();
        let mut pieces = 0;
        let answer = loop {
            pieces += 1;
            let limit = format!("--max-states={}", pieces * (states / 5 + 1));
            let mut args = vec!["check", "--format=json", "--checkpoint=ck", &limit];
            args.extend(way);
            args.extend(resume.iter().map(String::as_str));
            let ran = place.run(&args);
            if ran.json()["stop"] != "max-states" {
                break counts(ran.json());
            }
            assert_eq!(ran.code, Some(3), "{}", ran.stderr);
            resume = vec!["--resume=ck".to_string()];
        };
        assert!(pieces > 3, "{way:?}: {pieces} pieces");
        assert_eq!(answer, expected, "{way:?}");
    }
}

/// Each property is a search of its own. What was answered before is kept, and the answer is the same in the end.
#[test]
fn a_check_of_several_properties_goes_on() {
    let model = format!("{}ltl never_five {{ [] (x != 5) }}\nltl last {{ <>[] (a < 3) }}\n", with_formulas());
    let place = Dir::new(&[("m.pml", &model)]);
    let ways: [&[&str]; 5] = [
        &[],
        &["--fair"],
        &["--property=again", "--property=never_five", "--property=[] (y < 64)", "--reduce=off"],
        &["--property=small", "--property=last", "--algorithm=ndfs", "--all-errors"],
        &["--property=last", "--property=small", "--order=bfs"],
    ];
    for way in ways {
        let way = [&["check", "m.pml", "-DBAD=3", "--format=json"], way].concat();
        let expected = counts(place.run(&way).json());
        let mut resume: Option<&str> = None;
        let mut pieces = 0;
        let answer = loop {
            pieces += 1;
            // Later searches go on from a limit that they have not come to.
            let limit = format!("--max-states={}", pieces * 7_000);
            let ran = place.run(&[&way[..], &["--checkpoint=ck", &limit], resume.as_slice()].concat());
            let answer = ran.json();
            let is_cut = |property: &Value| property["stop"] == "max-states";
            let properties = answer["properties"].as_array().expect("properties");
            if !properties.iter().any(is_cut) {
                break counts(answer);
            }
            let notes = answer["notes"].to_string();
            assert!(notes.contains("--resume ck"), "{way:?}: {notes}{}", ran.stderr);
            resume = Some("--resume=ck");
        };
        assert!(pieces > 1, "{way:?}: {pieces} pieces");
        assert_eq!(answer, expected, "{way:?} in {pieces} pieces");
    }
    // Another property is another search.
    place.run(&["check", "m.pml", "-DBAD=3", "--property=small", "--max-states=900", "--checkpoint=ck"]);
    let ran = place.run(&["check", "m.pml", "-DBAD=3", "--property=again", "--resume=ck"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("`ck` is a checkpoint of another search"), "{}", ran.stderr);
}

#[test]
fn a_check_of_several_properties_that_is_killed_goes_on() {
    for number in 0..kills() {
        end_again_and_again(&with_formulas(), 2 * number, libc::SIGKILL, &["--checkpoint-every=0.000001"]);
        end_again_and_again(&with_formulas(), 2 * number, libc::SIGINT, &[]);
    }
}

/// Ends a search by a signal at random moments and goes on, until it has come to its end.
fn end_again_and_again(model: &str, number: u64, signal: i32, more: &[&str]) {
    let place = Dir::new(&[("m.pml", model)]);
    let order = if number.is_multiple_of(2) { "--order=dfs" } else { "--order=bfs" };
    let store = if number % 4 < 2 { "--store=tree" } else { "--store=exact" };
    let way = ["check", "m.pml", "-DBAD=3", "--reduce=off", "--format=json", order, store];
    let expected = counts(place.run(&way).json());
    let mut seed = 0x9e37_79b9_u64.wrapping_mul(number + 1);
    let mut ended = 0;
    let answer = loop {
        let mut args = [&way[..], &["--checkpoint=ck"], more].concat();
        if place.0.join("ck").exists() {
            args.push("--resume=ck");
        }
        let child = place.command(&args).stdout(Stdio::piped()).spawn().expect("the command runs");
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Later and later, so that it comes to an end on any machine.
        std::thread::sleep(Duration::from_millis((seed >> 33) % (40 + 20 * ended)));
        // SAFETY: the process is our child, and has not been waited for.
        unsafe { libc::kill(child.id() as i32, signal) };
        let output = child.wait_with_output().expect("it ends");
        // It may have been too early for a summary, or too late to matter.
        match output.status.code() {
            Some(0) => break serde_json::from_slice(&output.stdout).expect("an answer"),
            code => assert!(matches!(code, None | Some(3)), "search {number}, signal {signal}: {code:?}"),
        }
        ended += 1;
    };
    assert_eq!(counts(answer), expected, "search {number}, signal {signal} {ended} times");
}

fn kills() -> u64 {
    std::env::var("QUOTIENT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4)
}

#[test]
fn a_search_that_is_killed_goes_on() {
    for number in 0..kills() {
        end_again_and_again(MODEL, number, libc::SIGKILL, &["--checkpoint-every=0.000001"]);
    }
}

#[test]
fn a_search_that_is_interrupted_goes_on() {
    for number in 0..kills() {
        let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
        end_again_and_again(MODEL, number, signals[number as usize % signals.len()], &[]);
    }
}

#[test]
fn another_search_is_refused_and_told_why() {
    let other = MODEL.replace("a < 2", "a < 3");
    let place = Dir::new(&[("m.pml", MODEL), ("other.pml", &other), ("empty", ""), ("text", "quotient search\n")]);
    let made = place.run(&["check", "m.pml", "-DBAD=2", "--max-states=500", "--checkpoint=ck"]);
    assert_eq!(made.code, Some(3));
    assert!(made.stdout.contains("go on with: --resume ck"), "{}", made.stdout);
    let cases: [(&[&str], &str); 11] = [
        (
            &["other.pml", "-DBAD=2", "--resume=ck"],
            "`ck` is a checkpoint of another search: the text of the model is not the same",
        ),
        (&["m.pml", "-DBAD=3", "--resume=ck"], "-D is BAD=2 there, and BAD=3 here"),
        (&["m.pml", "-DBAD=2", "--order=bfs", "--resume=ck"], "--order is dfs there, and bfs here"),
        (&["m.pml", "-DBAD=2", "--store=tree", "--resume=ck"], "--store is auto there, and tree here"),
        (&["m.pml", "-DBAD=2", "--reduce=off", "--resume=ck"], "--reduce is full there, and off here"),
        (&["m.pml", "-DBAD=2", "--all-errors", "--resume=ck"], "--all-errors is not given there, and given here"),
        (&["m.pml", "-DBAD=2", "--max-depth=9", "--resume=ck"], "--max-depth is not given there, and 9 here"),
        (&["m.pml", "-DBAD=2", "--selfcheck=9", "--resume=ck"], "--selfcheck is 256 there, and 9 here"),
        (&["m.pml", "-DBAD=2", "--resume=none"], "cannot read `none`"),
        (&["m.pml", "-DBAD=2", "--resume=empty"], "`empty` is not a checkpoint"),
        (&["m.pml", "-DBAD=2", "--resume=text"], "`text` is not a checkpoint"),
    ];
    for (args, expected) in cases {
        let ran = place.run(&[&["check"], args].concat());
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
    // What only limits the search, or the answer, may be another.
    let ran =
        place.run(&["check", "m.pml", "-DBAD=2", "--resume=ck", "--max-memory=1G", "--max-time=100", "--unreached"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn damaged_files_are_refused() {
    let place = Dir::new(&[("m.pml", MODEL)]);
    place.run(&["check", "m.pml", "-DBAD=2", "--max-states=300", "--checkpoint=ck", "--order=bfs"]);
    let good = std::fs::read(place.0.join("ck")).expect("a checkpoint");
    let mut seed = 5_u64;
    for round in 0..60 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (seed >> 20) as usize % good.len();
        let mut bad = good.clone();
        match round % 4 {
            0 => bad.truncate(at),
            1 => bad[at] ^= 1 << (seed % 8),
            2 => bad.splice(at..at, [7; 9]).for_each(drop),
            _ => bad[at..].iter_mut().take(40).for_each(|byte| *byte = 255),
        }
        std::fs::write(place.0.join("bad"), &bad).expect("it can be written");
        let ran = place.run(&["check", "m.pml", "-DBAD=2", "--order=bfs", "--resume=bad"]);
        let same = bad == good;
        assert_eq!(ran.code == Some(2), !same, "round {round}: {}{}", ran.stdout, ran.stderr);
        assert!(same || ran.stderr.contains("bad"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("mistake of Quotient"), "{}", ran.stderr);
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_told_of() {
    let place = Dir::new(&[("m.pml", MODEL)]);
    let cases = [
        ("no/ck", "there is no directory"),
        (".", "it is a directory"),
        ("m.pml", "it is a file of the model"),
        ("/dev/null", "it is no regular file"),
    ];
    for (path, expected) in cases {
        let ran = place.run(&["check", "m.pml", "-DBAD=2", "--checkpoint", path]);
        assert_eq!(ran.code, Some(2), "{path}");
        assert!(ran.stderr.contains(expected), "{path}: {}", ran.stderr);
    }
    // A search that ends leaves nothing but its answer.
    assert_eq!(place.run(&["check", "m.pml", "-DBAD=2", "--checkpoint=ck"]).code, Some(1));
    assert!(!place.0.join("ck").exists());
}
