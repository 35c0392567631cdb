//! Models that attack what reductions believe: one file for each cause, with variants chosen by the macro `V`, and one of
//! them that is correct. A line `// expect [-DV=1] verdict=violated kind=assertion` in the header gives the right verdict
//! and all kinds of errors, which must come out with every strategy, in every order, with and without partial-order
//! reduction. With `promise=broken` partial-order reduction must tell of a broken promise instead.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use libtest_mimic::{Arguments, Trial};
use quotient_canon::{Strategy, obstacle};
use quotient_ir::Model;
use quotient_search::{Disorder, Dropped, Options};

use common::{EVERY_WAY, check_replay, explore, load, models_directory, models_in, name, stem};

/// On how many states renaming and moving are checked to commute.
const SELFCHECK: usize = 300;

/// What a model must come to.
struct Case {
    path: PathBuf,
    defines: Vec<(String, Option<String>)>,
    kinds: BTreeSet<String>,
    broken_promise: bool,
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for path in models_in(&models_directory().join("attacks")) {
        let text = std::fs::read_to_string(&path).expect("the model can be read");
        for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
            let case = parse(path.clone(), line).unwrap_or_else(|| panic!("{}: `{line}`", path.display()));
            let variant = case.defines.first().and_then(|(_, value)| value.clone()).unwrap_or_default();
            trials.push(Trial::test(format!("{} {variant}", stem(&path)).trim_end(), move || {
                let problems = problems(&case);
                if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn parse(path: PathBuf, line: &str) -> Option<Case> {
    let mut case = Case { path, defines: Vec::new(), kinds: BTreeSet::new(), broken_promise: false };
    let mut violated = None;
    for word in line.split_whitespace() {
        match word.split_once('=')? {
            ("verdict", "holds") => violated = Some(false),
            ("verdict", "violated") => violated = Some(true),
            ("kind", kind) => drop(case.kinds.insert(kind.to_string())),
            ("promise", "broken") => case.broken_promise = true,
            (name, value) => case.defines.push((name.strip_prefix("-D")?.to_string(), Some(value.to_string()))),
        }
    }
    (violated? != case.kinds.is_empty()).then_some(case)
}

/// What a model does that is not right.
fn problems(case: &Case) -> Vec<String> {
    let plain = load(&case.path, &case.defines);
    let mut model = plain.clone();
    let detection = quotient_symmetry::detect(&mut model);
    let mut problems = Vec::new();
    if detection.mistaken {
        problems.push(format!("a false proof: {:?}", detection.reasons));
    }
    for options in EVERY_WAY {
        examine(case, &plain, &options, &mut problems);
        for depth in [1, 2, 3, 5, 8] {
            limited(&plain, &Options { max_depth: Some(depth), ..options }, &mut problems);
        }
        for strategy in Strategy::ALL.into_iter().filter(|&strategy| obstacle(&model, strategy).is_none()) {
            let selfcheck = if options.reduce.is_on() { 0 } else { SELFCHECK };
            examine(case, &model, &Options { symmetry: Some(strategy), selfcheck, ..options }, &mut problems);
        }
    }
    problems
}

fn examine(case: &Case, model: &Model, options: &Options, problems: &mut Vec<String>) {
    let found = explore(model, options);
    let strategy = options.symmetry.map_or("no symmetry".to_string(), |strategy| strategy.to_string());
    let way = format!("{strategy}, {}", name(options));
    let kinds: BTreeSet<String> = found.kinds.iter().map(|kind| (*kind).to_string()).collect();
    let told = options.reduce.is_on() && kinds.contains("exclusive-channel");
    // A promise that is found broken is reported; an error must not be missed for it.
    if !told && (kinds != case.kinds || options.reduce.is_on() && case.broken_promise) {
        problems.push(format!("{way}: {kinds:?}, but {:?} is right", case.kinds));
    }
    if told && case.kinds.is_empty() && !case.broken_promise {
        problems.push(format!("{way}: {kinds:?}, but no promise is broken"));
    }
    // The nets must not be needed; only a promise that cannot be checked any more may end a reduction.
    let caught = |dropped: &&Dropped| !matches!(dropped, Dropped::Order(Disorder::Promise { .. }));
    if let Some(dropped) = found.dropped.iter().find(caught) {
        problems.push(format!("{way}: {dropped:?}"));
    }
    for violation in &found.violations {
        if let Err(problem) = check_replay(model, options.reduce.is_on(), violation) {
            problems.push(format!("{way}: {problem}"));
        }
    }
}

/// With a limit on the depth fewer errors may be found, but those are real.
fn limited(model: &Model, options: &Options, problems: &mut Vec<String>) {
    for violation in &explore(model, options).violations {
        if let Err(problem) = check_replay(model, options.reduce.is_on(), violation) {
            problems.push(format!("{}, depth {:?}: {problem}", name(options), options.max_depth));
        }
    }
}
