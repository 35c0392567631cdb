//! Runs that are repeated, told and saved, each from the text of a model.

use std::path::Path;

use quotient_explain::trace_file::{Saved, Shown, TraceFile, TraceFileError};
use quotient_explain::{Explained, Keep, Misfit, Replay, Subject, explain, replay};
use quotient_promela::Loaded;
use quotient_search::{Event, Options, Violation, explore};

fn load(text: &str) -> Loaded {
    let loaded = quotient_promela::load_with(Path::new("m.pml"), &Default::default(), &|_| Ok(text.into()));
    assert!(loaded.model.is_some(), "{:?}", loaded.diagnostics);
    loaded
}

/// In dSPIN's Promela.
fn load_dynamic(text: &str) -> Loaded {
    let options = quotient_promela::Options { dynamic: Some(Default::default()), ..Default::default() };
    let loaded = quotient_promela::load_with(Path::new("m.dprom"), &options, &|_| Ok(text.into()));
    assert!(loaded.model.is_some(), "{:?}", loaded.diagnostics);
    loaded
}

fn subject(loaded: &Loaded) -> Subject<'_> {
    Subject { model: loaded.model.as_ref().expect("a model"), sources: &loaded.sources, promises: false }
}

fn violation(loaded: &Loaded) -> Violation {
    let found = explore(subject(loaded).model, &Options::default(), &mut |_| true);
    found.violations.into_iter().next().expect("a violation")
}

fn explained(text: &str) -> Explained {
    let loaded = load(text);
    let Violation { error, path, .. } = violation(&loaded);
    explain(subject(&loaded), &error, &path, Keep::ALL, None).expect("it can be repeated")
}

#[test]
fn values_have_the_names_of_the_model() {
    let told = explained(
        "mtype = { red, green }; chan q = [1] of { mtype, byte };
         active proctype P() { mtype c; byte n; q!green,7; q?c,n; assert(c == red) }\n",
    );
    let steps = &told.violation.trace;
    let event = steps[0].effect.event.as_ref().expect("a message");
    assert_eq!((event.channel.as_str(), event.message[0].to_string()), ("q", "green".to_string()));
    let received = steps[1].effect.event.as_ref().expect("a message");
    assert_eq!(received.sent.as_ref().map(|sent| sent.step), Some(1));
    let changes: Vec<String> =
        steps[1].effect.changes.iter().map(|change| format!("{} = {}", change.variable, change.to)).collect();
    assert_eq!(changes, ["c = green", "n = 7"]);
    assert_eq!(told.diagnostic.label, "c is green");
}

#[test]
fn a_deadlock_says_what_everybody_waits_for() {
    let told = explained("chan q = [1] of { byte };\nactive proctype P() { q?1 }\nactive proctype Q() { false }\n");
    let waits: Vec<_> =
        told.violation.end_state.processes.iter().map(|process| process.next[0].waits.clone()).collect();
    assert_eq!(waits, [Some("q is empty".to_string()), Some("not true".to_string())]);
    assert!(told.violation.message.ends_with("P:0 and Q:1 are not at an end"), "{}", told.violation.message);
}

#[test]
fn of_a_long_run_the_ends_are_kept() {
    let loaded = load("byte x;\nactive proctype P() { do :: x < 100 -> x++ :: else -> assert(false) od }\n");
    let Violation { path, .. } = violation(&loaded);
    let whole = replay(subject(&loaded), &path, Keep::ALL, None).expect("it fits");
    let some = replay(subject(&loaded), &path, Keep { head: 2, tail: 3 }, None).expect("it fits");
    assert_eq!((some.length, whole.length), (whole.steps.len(), whole.steps.len()));
    assert_eq!(some.steps, [&whole.steps[..2], &whole.steps[whole.length - 3..]].concat());
    let mut shown = Vec::new();
    let mut show = |step: &_| shown.push(Clone::clone(step));
    let kept = replay(subject(&loaded), &path, Keep::ALL, Some(&mut show)).expect("it fits");
    assert_eq!((kept.steps.len(), &shown), (0, &whole.steps));
}

#[test]
fn what_cannot_happen_is_a_misfit() {
    let loaded = load("byte x;\nactive proctype P() { x = 1; assert(false) }\n");
    let Violation { path, .. } = violation(&loaded);
    let twice = [&path[..1], &[Event::Release], &path[1..]].concat();
    assert_eq!(replay(subject(&loaded), &twice, Keep::ALL, None).err(), Some(Misfit { event: 2 }));
    // Nothing follows a step that could not be completed.
    let mut run = Replay::new(subject(&loaded), path.len(), Keep::ALL);
    path.iter().for_each(|&event| run.event(event).expect("it fits"));
    assert_eq!(run.position().events(), path.len());
}

#[test]
fn a_saved_run_is_read_back_and_damage_has_a_type() {
    let loaded = load("byte x;\nactive proctype P() { x = 1; assert(false) }\n");
    let Violation { path, .. } = violation(&loaded);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("run.json");
    let shown = Shown { kind: "assertion".to_string(), message: String::new(), location: None };
    TraceFile::new("m.pml", &loaded.sources, false, Some(shown)).write(&file, &path).expect("it can be written");
    assert_eq!(Saved::open(&file).and_then(|mut saved| saved.run()).expect("it is whole"), path);
    let text = std::fs::read_to_string(&file).expect("it is there");
    let damaged = |text: String| {
        std::fs::write(&file, text).expect("it can be written");
        Saved::open(&file).expect_err("it is damaged")
    };
    let broken = damaged(text.replace("\"promises\":false", "\"promises\":1"));
    assert!(matches!(broken, TraceFileError::Broken { .. }), "{broken}");
    let other = damaged(text.replace("\"schema\":1", "\"schema\":99"));
    assert!(matches!(other, TraceFileError::Schema { .. }), "{other}");
    let none = damaged("{}".to_string());
    assert!(matches!(none, TraceFileError::Other { error: None, .. }), "{none}");
    let missing = Saved::open(&directory.path().join("missing")).expect_err("there is no such file");
    assert!(matches!(missing, TraceFileError::Unreadable { .. }), "{missing}");
}

/// Channels that are records have names and messages as other channels have, and are shown with the records.
#[test]
fn channels_that_are_records_are_told() {
    let text = "typedef request { chan answer = [2] of { byte } }; request &r;
        active proctype P() { byte x; r = new request; r.answer!7; r.answer!8; r.answer?x; assert(x == 8) }
        active proctype Q() { r != null; r.answer?9 }";
    let loaded = load_dynamic(text);
    let Violation { error, path, .. } = violation(&loaded);
    let Explained { violation, messages, .. } =
        explain(subject(&loaded), &error, &path, Keep::ALL, None).expect("it can be repeated");
    let told: Vec<(String, String)> = messages
        .iter()
        .filter_map(|step| step.effect.event.as_ref())
        .map(|event| (event.channel.clone(), event.message[0].to_string()))
        .collect();
    let expected = ["7", "8", "7"].map(|value| ("answer#2".to_string(), value.to_string()));
    assert_eq!(told, expected);
    let received = messages[2].effect.event.as_ref().and_then(|event| event.sent.as_ref()).expect("it was sent");
    assert_eq!(received.who.proctype, "P");
    let channel = violation.end_state.records.iter().find(|record| record.record == "answer#2").expect("it is shown");
    let shown: Vec<String> = channel.fields.iter().map(|f| format!("{} = {}", f.variable, f.value)).collect();
    assert_eq!(shown, ["message 1 = 8"]);
}
