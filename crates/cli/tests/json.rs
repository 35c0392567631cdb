//! The JSON answer: its shape, and that it says the same as the exit code.

mod common;

use common::{DEADLOCK, Dir, HOLDS, RACE, RENDEZVOUS, models};
use quotient_report::answer::{Answer, Rejection, to_json};

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn the_shape_is_the_documented_one() {
    let dir = Dir::new(&[("rv.pml", RENDEZVOUS)]);
    let ran = dir.run(&["check", "rv.pml", "--format", "json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let answer = ran.json();
    let outer = ["schema", "input", "verdict", "stop", "violations", "violations_left_out", "unchecked_properties"];
    assert_eq!(keys(&answer), [&outer[..], &["warnings", "notes", "stats"]].concat());
    assert_eq!(answer["violations_left_out"], 0);
    assert_eq!(answer["schema"], 2);
    assert_eq!(answer["input"], "rv.pml");
    assert_eq!(answer["verdict"], "violated");
    assert_eq!(answer["stop"], "first-violation");
    let violation = &answer["violations"][0];
    assert_eq!(keys(violation), ["kind", "message", "location", "trace_length", "trace", "end_state"]);
    assert_eq!(violation["kind"], "invalid-end-state");
    assert_eq!(violation["location"], serde_json::json!({"file": "rv.pml", "line": 8, "column": 4}));
    let expected = serde_json::json!({
        "step": 1, "process": 0, "proctype": "Client",
        "location": {"file": "rv.pml", "line": 6, "column": 4},
        "statement": "link!req,7",
        "changes": [{"variable": "who", "process": 1, "from": 0, "to": 7}],
        "event": {"kind": "send", "channel": "link", "message": ["req", 7]},
        "partner": {"process": 1, "proctype": "Server",
                    "location": {"file": "rv.pml", "line": 13, "column": 4}, "statement": "link?req,who"},
    });
    assert_eq!(violation["trace"][0], expected);
    let stats = &answer["stats"];
    let counts = ["states", "matched", "transitions", "depth", "errors"];
    let kept = ["store", "bytes_per_state", "payload_per_state"];
    assert_eq!(keys(stats), [&counts[..], &kept, &["symmetry", "por", "seconds", "peak_memory_bytes"]].concat());
    assert_eq!(keys(&stats["por"]), ["requested", "active", "reason", "reduced_states", "skipped_steps"]);
    let number = |name: &str| stats[name].as_u64().expect("a number");
    assert_eq!(number("transitions"), number("states") + number("matched"));
}

#[test]
fn a_receive_says_who_sent_the_message() {
    let dir = Dir::new(&[("deadlock.pml", DEADLOCK)]);
    let answer = dir.run(&["check", "deadlock.pml", "--format", "json"]).json();
    let steps = answer["violations"][0]["trace"].as_array().expect("steps").clone();
    let receive = steps.iter().find(|step| step["event"]["kind"] == "receive").expect("a receive");
    assert_eq!(receive["event"]["message"], serde_json::json!(["request", 3]));
    assert_eq!(receive["event"]["sent"]["proctype"], "Client");
    let sender = receive["event"]["sent"]["step"].as_u64().expect("a step") as usize;
    assert_eq!(steps[sender - 1]["event"]["message"], receive["event"]["message"]);
}

#[test]
fn answers_survive_being_read_and_written() {
    let dir = Dir::new(&[("a.pml", RACE), ("b.pml", DEADLOCK), ("c.pml", RENDEZVOUS), ("d.pml", HOLDS)]);
    for file in ["a.pml", "b.pml", "c.pml", "d.pml"] {
        let text = dir.run(&["check", file, "--format", "json", "--all-errors", "--unreached"]).stdout;
        let answer: Answer = serde_json::from_str(&text).expect("an answer");
        assert_eq!(to_json(&answer), text);
    }
    let text = dir.run(&["check", "missing.pml", "--format", "json"]).stdout;
    let rejection: Rejection = serde_json::from_str(&text).expect("a rejection");
    assert_eq!(to_json(&rejection), text);
}

#[test]
fn a_limit_gives_an_inconclusive_answer_that_names_it() {
    let model = "int x;\nactive proctype P() { do :: x < 1000000 -> x++ :: x = 0 od }\n";
    let dir = Dir::new(&[("big.pml", model)]);
    let limits = [("--max-states", "1000"), ("--max-depth", "50"), ("--max-time", "0.02"), ("--max-memory", "64K")];
    for (option, value) in limits {
        let ran = dir.run(&["check", "big.pml", "--format", "json", option, value]);
        let answer = ran.json();
        assert_eq!(ran.code, Some(3), "{option}: {}", ran.stdout);
        assert_eq!(answer["verdict"], "inconclusive");
        assert_eq!(answer["stop"], option.trim_start_matches('-'));
        assert_eq!(answer["inconclusive_because"], serde_json::json!(["search-cut-short"]));
        assert!(answer["stats"]["states"].as_u64().is_some_and(|states| states > 0));
    }
}

/// What the list of violations leaves out is counted: with it there are as many as `stats.errors` says.
#[test]
fn what_is_left_out_is_counted() {
    let model = "byte x, y;
        active proctype P() { do :: x < 250 -> x++ :: x > 0 -> assert(false) :: y = (y + 1) % 8 od }
        active proctype Q() { byte a[2]; x == 200; a[x] = 1 }\n";
    let dir = Dir::new(&[("many.pml", model)]);
    for options in [&[][..], &["--full-trace"], &["--order", "bfs"]] {
        let common = ["check", "many.pml", "--format", "json", "--all-errors", "--symmetry=off", "--reduce=off"];
        let answer = dir.run(&[&common[..], options].concat()).json();
        let violations = answer["violations"].as_array().expect("a list");
        let errors = answer["stats"]["errors"].as_u64().expect("a number");
        assert!(errors > 1000 && (100..110).contains(&violations.len()), "{errors}, {}", violations.len());
        assert_eq!(violations.len() as u64 + answer["violations_left_out"].as_u64().expect("a number"), errors);
        for kind in ["assertion", "index-out-of-range"] {
            assert!(violations.iter().any(|violation| violation["kind"] == kind), "{options:?}: no {kind}");
        }
        let mut cut = 0;
        for violation in violations {
            let steps = violation["trace"].as_array().expect("steps");
            let left_out = violation["steps_left_out"].as_u64().unwrap_or(0);
            assert_eq!(steps.len() as u64 + left_out, violation["trace_length"].as_u64().expect("a number"));
            cut += usize::from(left_out > 0);
        }
        // Breadth-first, runs are short.
        assert_eq!(cut > 0, options.is_empty(), "{options:?}: {cut} runs are cut");
    }
}

#[test]
fn properties_are_checked_as_asked() {
    let ltl = format!("{HOLDS}\nltl rises {{ <> (x == 3) }}\nltl stays {{ [] (x < 4) }}\n");
    let never = format!("{HOLDS}\nnever {{ do :: x > 3 -> break :: else od }}\n");
    let labels = "byte x; active proctype P() { accept_here: do :: x = 1 - x; progress: skip od }\n";
    let broken = format!("{RACE}\nltl rises {{ <> (x == 3) }}\n");
    let dir = Dir::new(&[("ltl.pml", &ltl), ("never.pml", &never), ("labels.pml", labels), ("broken.pml", &broken)]);
    let stated = [("ltl.pml", &["ltl rises", "ltl stays"][..]), ("never.pml", &["never claim never"])];
    for (file, names) in stated {
        for (property, checked) in [
            (&[][..], names.len() + 1),
            (&["--property", "all"], names.len() + 1),
            (&["--property", "safety"], 0),
            (&["--property", "none"], 0),
        ] {
            let ran = dir.run(&[&["check", file, "--format", "json"][..], property].concat());
            let answer = ran.json();
            assert_eq!((ran.code, &answer["verdict"]), (Some(0), &"holds".into()), "{file} {property:?}");
            assert_eq!(answer["stop"], serde_json::Value::Null);
            let named = if property.last() == Some(&"safety") { names } else { &[][..] };
            assert_eq!(answer["unchecked_properties"], serde_json::json!(named), "{file} {property:?}");
            let properties = answer.get("properties").map_or(0, |all| all.as_array().expect("a list").len());
            assert_eq!(properties, checked, "{file} {property:?}");
        }
        let cut = dir.run(&["check", file, "--format", "json", "--max-states", "2"]).json();
        let because = serde_json::json!(["search-cut-short"]);
        assert_eq!((&cut["inconclusive_because"], &cut["stop"]), (&because, &"max-states".into()));
    }
    // Labels alone state no property.
    assert_eq!(dir.run(&["check", "labels.pml"]).code, Some(0));
    // A safety error is one, whatever else there is.
    let broken = dir.run(&["check", "broken.pml", "--format", "json"]);
    assert_eq!((broken.code, &broken.json()["verdict"]), (Some(1), &"violated".into()));
    assert_eq!(broken.json()["properties"][0]["verdict"], "violated");
    assert_eq!(broken.json()["unchecked_properties"], serde_json::json!([]));
}

#[test]
fn defines_reach_the_model() {
    let model = "#ifndef N\n#define N 1\n#endif\nactive proctype P() { assert(N == 3) }\n";
    let dir = Dir::new(&[("n.pml", model)]);
    for (args, code) in [(&["-DN=3"][..], 0), (&["-D", "N=3"], 0), (&["-DN"], 1), (&[], 1)] {
        assert_eq!(dir.run(&[&["check", "n.pml", "-q"], args].concat()).code, Some(code), "{args:?}");
    }
}

#[test]
fn every_violation_of_the_models_replays() {
    let dir = Dir::new(&[]);
    let mut violated = 0;
    for model in models() {
        let path = model.to_str().expect("a path");
        for order in ["dfs", "bfs"] {
            for reduce in ["full", "spin", "off"] {
                let check =
                    ["check", path, "--order", order, "--reduce", reduce, "--format", "json", "--trace", "t.json"];
                let ran = dir.run(&[&check[..], &["--all-errors", "--property", "none"]].concat());
                let answer = ran.json();
                if ran.code == Some(1) {
                    violated += 1;
                    let again = dir.run(&["replay", "t.json", "--format", "json"]);
                    assert_eq!(again.code, Some(1), "{path}: {}{}", again.stdout, again.stderr);
                    assert_eq!(again.json()["violation"], answer["violations"][0], "{path}");
                } else {
                    // A violation that does not replay is an internal error.
                    assert!(!ran.stdout.contains("internal error"), "{path}: {}", ran.stdout);
                }
            }
        }
    }
    assert!(violated >= 8, "{violated}");
}

/// The name that `--reduce` had before is understood.
#[test]
fn the_old_name_of_a_reduction_is_understood() {
    let dir = Dir::new(&[("m.pml", "byte x; active [2] proctype P() { byte t; t = x; t = t + 1; x = t }\n")]);
    let states = |option: &str, value: &str| {
        let answer = dir.run(&["check", "m.pml", "--format=json", "--symmetry=off", option, value]).json();
        answer["stats"]["states"].as_u64().expect("a number")
    };
    for (old, new) in [("on", "full"), ("off", "off"), ("spin", "spin")] {
        assert_eq!(states("--por", old), states("--reduce", new));
    }
    assert!(states("--por", "on") < states("--por", "off"));
}
