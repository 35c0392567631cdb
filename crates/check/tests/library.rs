//! Checks as another program would ask for them: answers, errors and observers, without a command line.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quotient_check::{
    Algorithm, Common, Error, ModelOptions, ModelSource, Observer, Order, ProgramOptions, Progress, Property, Reduce,
    StopReason, Symmetry, Verdict, model, program,
};
use quotient_report::answer::to_json;
use quotient_report::verdict::Shortfall;

const LONG: &str = "int x;\nactive proctype P() { do :: x < 10000000 -> x++ od }\n";

#[test]
fn a_model_that_is_text_is_checked() {
    let text = "byte x;\nactive proctype P() { x = N; assert(x == 2) }\n";
    let options = |value: &str| ModelOptions::from(Common::default().define("N", value));
    let holds = model(ModelSource::text(text), &options("2")).expect("it can be checked");
    assert_eq!((holds.verdict, holds.violations.len()), (Verdict::Holds, 0));
    let options = ModelOptions { order: Order::Bfs, ..options("3") };
    let violated = model(ModelSource::text(text), &options).expect("it can be checked");
    assert_eq!(violated.verdict, Verdict::Violated);
    assert_eq!(violated.violations[0].kind(), "assertion");
    assert_eq!(violated.violations[0].location().map(|location| location.line), Some(2));
}

#[test]
fn errors_are_types_with_places() {
    let wrong = model(ModelSource::text("active proctype P() { y = 1 }\n"), &ModelOptions::default());
    let Err(error @ Error::Rejected { .. }) = wrong else { panic!("{wrong:?}") };
    let diagnostics = error.diagnostics();
    let line = diagnostics[0].span.map(|span| error.sources().location(span).line);
    assert_eq!((diagnostics.len(), line), (1, Some(1)), "{error}");
    let options = ModelOptions::from(Common { symmetry: Symmetry::Ids, ..Common::default() });
    assert!(matches!(model(ModelSource::text(LONG), &options), Err(Error::Option { .. })));
    let options = ProgramOptions::from(Common { symmetry: Symmetry::Sorted, ..Common::default() });
    assert!(matches!(program(&[PathBuf::from("a.c")], &options), Err(Error::Option { .. })));
    let options = ModelOptions { trace: Some(PathBuf::from("no/such/directory")), ..ModelOptions::default() };
    assert!(matches!(model(ModelSource::text(LONG), &options), Err(Error::Target(_))));
}

/// Stops a check when it was told of progress a few times.
#[derive(Default)]
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 3
    }

    fn progress(&self, _: &Progress) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn an_observer_can_interrupt_a_check() {
    let options = ModelOptions::from(Common::default().observer(Arc::new(Impatient::default())));
    let answer = model(ModelSource::text(LONG), &options).expect("it can be checked");
    assert_eq!((answer.verdict, answer.stop), (Verdict::Inconclusive, Some(StopReason::Interrupted)));
    assert_eq!(answer.inconclusive_because, [Shortfall::SearchCutShort]);
    // So can one of a temporal property, however cycles are looked for.
    for algorithm in [Algorithm::Scc, Algorithm::Ndfs] {
        let mut common = Common::default().observer(Arc::new(Impatient::default()));
        common.property = vec![Property::Claim("[] (x >= 0)".to_string())];
        let options = ModelOptions { algorithm, ..ModelOptions::from(common) };
        let answer = model(ModelSource::text(LONG), &options).expect("it can be checked");
        let stop = answer.properties[0].stop;
        assert_eq!((answer.verdict, stop), (Verdict::Inconclusive, Some(StopReason::Interrupted)), "{algorithm:?}");
    }
}

#[test]
fn two_checks_run_side_by_side() {
    let options = ModelOptions { reduce: Reduce::Off, ..ModelOptions::default() };
    let check = || model(ModelSource::text("byte x;\nactive proctype P() { do :: x++ od }\n"), &options);
    let (here, there) = std::thread::scope(|scope| {
        let there = scope.spawn(check);
        (check(), there.join().expect("no panic"))
    });
    let states = |answer: Result<_, Error>| -> u64 {
        let answer: quotient_check::Answer = answer.expect("it can be checked");
        answer.stats.model().expect("a model").states
    };
    assert_eq!((states(here), states(there)), (256, 256));
}

#[test]
fn a_search_goes_on_from_a_checkpoint() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("saved");
    let text = "byte x, y;\nactive proctype P() { do :: x++ :: y++ od }\n";
    let first = Common { checkpoint: Some(path.clone()), ..Common::default() };
    let first = ModelOptions { max_states: Some(1000), reduce: Reduce::Off, ..ModelOptions::from(first) };
    let cut = model(ModelSource::text(text), &first).expect("it can be checked");
    assert_eq!(cut.stop, Some(StopReason::MaxStates));
    assert!(cut.notes[0].contains("--resume"), "{:?}", cut.notes);
    let second = Common { resume: Some(path.clone()), ..Common::default() };
    let second = ModelOptions { reduce: Reduce::Off, ..ModelOptions::from(second) };
    let whole = model(ModelSource::text(text), &second).expect("it can go on");
    assert_eq!((whole.verdict, whole.stats.model().map(|stats| stats.states)), (Verdict::Holds, Some(65_536)));
    let other = ModelOptions { order: Order::Bfs, ..second };
    let refused = model(ModelSource::text(text), &other).expect_err("another search");
    assert!(refused.to_string().contains("--order is dfs there, and bfs here"), "{refused}");
}

/// Needs a C compiler, as every check of a C program.
#[test]
fn answers_about_programs_are_read_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.c");
    let options = ProgramOptions { memory_model: quotient_check::MemoryModel::Sc, ..ProgramOptions::default() };
    for (text, verdict) in [("return 0;", Verdict::Holds), ("assert(0);", Verdict::Violated)] {
        std::fs::write(&file, format!("#include <assert.h>\nint main(void) {{ {text} }}\n")).expect("a file");
        let answer = program(std::slice::from_ref(&file), &options).expect("it can be checked");
        assert_eq!((answer.verdict, answer.input.as_str()), (verdict, file.to_str().expect("a name")), "{answer:?}");
        let mut read: quotient_check::Answer = serde_json::from_str(&to_json(&answer)).expect("an answer");
        // The last digit of a time may be lost.
        read.stats.seconds = answer.stats.seconds;
        assert_eq!(read, answer);
    }
}
