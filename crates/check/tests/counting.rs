//! Counting as SPIN does by default: what the answer says, and that runs are those of the model as it is written.

use std::path::{Path, PathBuf};

use quotient_check::{Common, CountAs, Error, ModelOptions, Order, Property, Reduce, Symmetry, Verdict, model};
use quotient_report::answer::{Answer, Violation};
use quotient_report::verdict::Shortfall;

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

fn models(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory(name)).expect("the directory is there");
    let files = entries.map(|entry| entry.expect("it can be read").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "pml")).collect()
}

/// Options that look for every safety error, without symmetry.
fn options(count_as: CountAs, reduce: Reduce) -> ModelOptions {
    let common = Common { symmetry: Symmetry::Off, property: vec![Property::None], ..Common::default() };
    ModelOptions { count_as, reduce, all_errors: true, ..ModelOptions::from(common) }
}

fn check(path: &Path, options: &ModelOptions) -> Answer {
    model(path, options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The statements of the run to a violation.
fn statements(violation: &Violation) -> Vec<String> {
    match violation {
        Violation::Model(violation) => violation.trace.iter().map(|step| step.effect.statement.clone()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_holds_and_what_is_wrong_is_wrong_as_it_is_written() {
    for path in ["spin-default", "conformance"].iter().flat_map(|name| models(name)) {
        let written = check(&path, &options(CountAs::Quotient, Reduce::Off));
        for por in [Reduce::Off, Reduce::Spin] {
            let counted = check(&path, &options(CountAs::SpinDefault, por));
            let stats = counted.stats.model().expect("a model");
            assert!(stats.counted_as.is_some() && written.stats.model().is_some_and(|s| s.counted_as.is_none()));
            match counted.verdict {
                Verdict::Holds => panic!("{}: nothing is known to hold", path.display()),
                // Promises are checked with reduction only.
                Verdict::Violated => assert!(
                    written.verdict == Verdict::Violated || counted.violations[0].kind() == "exclusive-channel",
                    "{}: {:?}",
                    path.display(),
                    counted.violations
                ),
                Verdict::Inconclusive => assert_eq!(counted.inconclusive_because, [Shortfall::Counting]),
            }
        }
    }
}

#[test]
fn a_run_has_every_statement_of_a_chain() {
    let path = directory("spin-default/assertions-in-chain.pml");
    let answer = check(&path, &options(CountAs::SpinDefault, Reduce::Off));
    assert_eq!((answer.verdict, answer.stats.model().map(|stats| stats.errors)), (Verdict::Violated, Some(6)));
    let mut runs: Vec<Vec<String>> = answer.violations.iter().map(statements).collect();
    runs.sort_by_key(Vec::len);
    assert_eq!(runs[0], ["g = 1", "assert(g == 2)"]);
    let long = ["g = 1", "assert(g == 2)", "x = g", "assert(x == 2)"];
    assert!(runs.iter().any(|run| run.ends_with(&long.map(String::from))), "{runs:?}");
}

#[test]
fn an_error_that_only_spin_has_is_not_told() {
    let path = directory("spin-default/priority-argument.pml");
    assert_eq!(check(&path, &options(CountAs::Quotient, Reduce::Off)).verdict, Verdict::Holds);
    let counted = check(&path, &options(CountAs::SpinDefault, Reduce::Off));
    assert_eq!((counted.verdict, counted.violations.len()), (Verdict::Inconclusive, 0));
    assert_eq!(counted.stats.model().map(|stats| stats.errors), Some(1));
    assert!(counted.notes[0].starts_with("SPIN would report 1 error more"), "{:?}", counted.notes);
}

#[test]
fn statements_of_chains_count_as_executed() {
    for path in models("spin-default") {
        // There, what is reset leads to another branch.
        if ["late-array", "priority-argument"].iter().any(|name| path.ends_with(format!("{name}.pml"))) {
            continue;
        }
        let [written, counted] = [CountAs::Quotient, CountAs::SpinDefault].map(|count_as| {
            check(&path, &ModelOptions { unreached: true, ..options(count_as, Reduce::Off) }).unreached
        });
        assert_eq!(counted, written, "{}", path.display());
    }
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let path = directory("peterson.pml");
    let asked = options(CountAs::SpinDefault, Reduce::Spin);
    let with = |symmetry| ModelOptions { common: Common { symmetry, ..asked.common.clone() }, ..asked.clone() };
    let refused = [
        ModelOptions { order: Order::Bfs, ..asked.clone() },
        ModelOptions { order_free_termination: true, ..asked.clone() },
        ModelOptions { symmetry_file: Some(directory("peterson.sym")), ..asked.clone() },
        with(Symmetry::Canonical),
        with(Symmetry::Require),
    ];
    for options in refused {
        assert!(matches!(model(path.as_path(), &options), Err(Error::Option { .. })), "{options:?}");
    }
    let states = |options: &ModelOptions| check(&path, options).stats.model().map(|stats| stats.states);
    assert_eq!((states(&asked), states(&with(Symmetry::Auto))), (Some(1027), Some(1027)));
}
