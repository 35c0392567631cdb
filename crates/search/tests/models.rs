//! The models of the project, against what their headers expect.
//!
//! A line `// expect [-DN=3 …] por=off states=… matched=… transitions=… errors=…` gives SPIN's counts, which the engine
//! must have in depth-first order, with `por=spin` if it believes what SPIN believes; `// expect [-DN=3 …] verdict=violated kind=assertion` says what must come out in
//! every order, with and without reduction. Every violation found on the way is replayed on the reference interpreter.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};
use quotient_ir::Model;
use quotient_search::{Exploration, MOST_VIOLATIONS, Options, Order, SELFCHECK};

use common::{EVERY_WAY, check_replay, explore, kind, load, models_directory, models_in, name, stem, way};

/// With more states than this, only the counts that the header gives are checked.
const MOST_STATES: u64 = 60_000;

/// Macros to define, as by `-D`.
type Defines = Vec<(String, Option<String>)>;

/// What an `expect` line says after the macros.
#[derive(Clone, Debug)]
enum Expect {
    Counts { por: Por, states: u64, matched: u64, transitions: u64, errors: u64 },
    Verdict { violated: bool, kind: Option<String> },
}

/// Partial-order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Por {
    Off,
    On,
    /// Believing what SPIN believes.
    Spin,
}

/// Everything a header expects of a model with the same macros.
struct Case {
    path: PathBuf,
    defines: Defines,
    expects: Vec<Expect>,
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let regressions = models_in(&models_directory().join("regressions"));
    for path in models_in(&models_directory()).into_iter().chain(regressions) {
        for case in cases(&path) {
            let macros: String = case.defines.iter().map(|(name, value)| show_define(name, value.as_deref())).collect();
            trials.push(Trial::test(format!("{}{macros}", stem(&path)), move || {
                let problems = problems(&case);
                if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn show_define(name: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!(" -D{name}"), |value| format!(" -D{name}={value}"))
}

/// What a model does that it is not expected to do.
fn problems(case: &Case) -> Vec<String> {
    let model = load(&case.path, &case.defines);
    let mut problems = Vec::new();
    let mut expected_states = None;
    let mut expected_violated = None;
    let mut expected_kind = None;
    for expect in &case.expects {
        match expect {
            &Expect::Counts { por, states, matched, transitions, errors } => {
                let options = Options { trust: por == Por::Spin, ..way(Order::DepthFirst, por != Por::Off) };
                let found = explore(&model, &options);
                let counted = (found.states, found.matched, found.states + found.matched, found.errors);
                if counted != (states, matched, transitions, errors) {
                    problems.push(format!("{expect:?}, but (states, matched, transitions, errors) = {counted:?}"));
                }
                if por == Por::Off {
                    expected_states = Some(states);
                }
                if *expected_violated.get_or_insert(errors > 0) != (errors > 0) {
                    problems.push(format!("the header contradicts itself: {:?}", case.expects));
                }
            }
            Expect::Verdict { violated, kind } => {
                if *expected_violated.get_or_insert(*violated) != *violated {
                    problems.push(format!("the header contradicts itself: {:?}", case.expects));
                }
                expected_kind.clone_from(kind);
            }
        }
    }
    let Some(violated) = expected_violated else { return vec!["the header expects nothing".to_string()] };
    if expected_states.is_none_or(|states| states < MOST_STATES) {
        problems.extend(differences(&model, violated, expected_kind.as_deref()));
    }
    problems
}

/// How orders and reduction disagree on a model, with each other and with the expected verdict.
fn differences(model: &Model, violated: bool, expected_kind: Option<&str>) -> Vec<String> {
    let mut problems = Vec::new();
    let found: Vec<Exploration> =
        EVERY_WAY.iter().map(|options| explore(model, &Options { selfcheck: SELFCHECK, ..*options })).collect();
    let [depth, depth_reduced, breadth, breadth_reduced, depth_full, breadth_full] = &found[..] else {
        unreachable!("there are six ways")
    };
    let mut all_kinds: Option<BTreeSet<&str>> = None;
    for (options, found) in EVERY_WAY.iter().zip(&found) {
        let way = name(options);
        if !found.dropped.is_empty() {
            problems.push(format!("{way}: a reduction was dropped: {:?}", found.dropped));
        }
        if found.stop.is_some() {
            problems.push(format!("{way}: stopped early: {:?}", found.stop));
        }
        if (found.errors > 0) != violated {
            problems.push(format!("{way}: {} errors, but expected violated = {violated}", found.errors));
        }
        let kinds: BTreeSet<&str> = found.violations.iter().map(|violation| kind(&violation.error)).collect();
        if expected_kind.is_some_and(|kind| !kinds.contains(kind)) {
            problems.push(format!("{way}: expected {expected_kind:?}, found {kinds:?}"));
        }
        // Only the first violations are kept; which ones these are depends on the order.
        if found.errors <= MOST_VIOLATIONS as u64 && *all_kinds.get_or_insert_with(|| kinds.clone()) != kinds {
            problems.push(format!("{way}: {kinds:?}, but elsewhere {all_kinds:?}"));
        }
        for violation in &found.violations {
            if let Err(problem) = check_replay(model, options.reduce.is_on(), violation) {
                problems.push(format!("{way}: {problem}"));
            }
        }
    }
    if (depth.states, depth.matched) != (breadth.states, breadth.matched) {
        problems.push(format!(
            "without reduction {} states and {} matched depth-first, {} and {} breadth-first",
            depth.states, depth.matched, breadth.states, breadth.matched
        ));
    }
    if (depth_full.states, depth_full.matched) != (breadth_full.states, breadth_full.matched) {
        problems.push(format!(
            "with the full reduction {} states and {} matched depth-first, {} and {} breadth-first",
            depth_full.states, depth_full.matched, breadth_full.states, breadth_full.matched
        ));
    }
    for (order, full, reduced) in [
        ("depth", depth, depth_reduced),
        ("breadth", breadth, breadth_reduced),
        ("depth", depth, depth_full),
        ("breadth", breadth, breadth_full),
    ] {
        if reduced.states > full.states {
            problems.push(format!("{order}-first: {} states with reduction, {} without", reduced.states, full.states));
        }
    }
    problems
}

/// The expectations in a model's header, by macros; without any there is at least the model as it is.
fn cases(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let mut cases = vec![Case { path: path.to_path_buf(), defines: Defines::new(), expects: Vec::new() }];
    for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
        let (macros, expected): (Vec<&str>, Vec<&str>) =
            line.split_whitespace().partition(|word| word.starts_with("-D"));
        let defines: Defines = macros
            .iter()
            .map(|word| match word[2..].split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (word[2..].to_string(), None),
            })
            .collect();
        let expect = parse_expect(&expected).unwrap_or_else(|| panic!("{}: `{line}`", path.display()));
        match cases.iter_mut().find(|case| case.defines == defines) {
            Some(case) => case.expects.push(expect),
            None => cases.push(Case { path: path.to_path_buf(), defines, expects: vec![expect] }),
        }
    }
    cases
}

fn parse_expect(words: &[&str]) -> Option<Expect> {
    let value = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str| value(name)?.parse().ok();
    let switch = |name: &str, on: &str, off: &str| match value(name)? {
        word if word == on => Some(true),
        word if word == off => Some(false),
        _ => None,
    };
    let expect = if value("verdict").is_some() {
        Expect::Verdict { violated: switch("verdict", "violated", "holds")?, kind: value("kind").map(str::to_string) }
    } else {
        Expect::Counts {
            por: match value("por")? {
                "off" => Por::Off,
                "on" => Por::On,
                "spin" => Por::Spin,
                _ => return None,
            },
            states: number("states")?,
            matched: number("matched")?,
            transitions: number("transitions")?,
            errors: number("errors")?,
        }
    };
    let known = match &expect {
        Expect::Verdict { kind, .. } => 1 + usize::from(kind.is_some()),
        Expect::Counts { .. } => 5,
    };
    (words.len() == known).then_some(expect)
}
