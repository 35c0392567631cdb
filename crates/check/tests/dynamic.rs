//! The models with a heap in `models/dynamic`, against what their headers expect:
//!
//! ```text
//! // expect -D C.N=5 symmetry=heap states=393 matched=1024 errors=1
//! // expect -D C.LOCKED=true verdict=holds
//! // expect verdict=violated kind=assertion
//! ```
//!
//! Counts are those of a depth-first search without partial-order reduction. A verdict is the same with every strategy, in both
//! orders, with and without reduction.

use std::path::{Path, PathBuf};

use quotient_check::{Common, ModelOptions, Order, Reduce, Symmetry, Verdict, model};
use quotient_report::answer::Answer;

/// Strategies by name.
const STRATEGIES: [(&str, Symmetry); 6] = [
    ("none", Symmetry::None),
    ("heap", Symmetry::Heap),
    ("pc", Symmetry::Pc),
    ("kbots:1", Symmetry::KbotsTo(1)),
    ("kbots", Symmetry::Kbots),
    ("canonical", Symmetry::Canonical),
];

/// Where states differ in the names of records forever, or are too many.
const MOST_STATES: u64 = 20_000;

fn models() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dynamic");
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "bir" || extension == "dprom"));
    files.sort();
    files
}

/// A line of a header: constants, and what is expected with them.
struct Expect {
    defines: Vec<(String, Option<String>)>,
    wanted: Vec<(String, String)>,
}

impl Expect {
    fn get(&self, key: &str) -> Option<&str> {
        self.wanted.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

fn expects(text: &str) -> Vec<Expect> {
    let mut all = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("// expect ")) {
        let mut expect = Expect { defines: Vec::new(), wanted: Vec::new() };
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let pair = if word == "-D" { words.next().expect("a constant") } else { word };
            let (name, value) = pair.split_once('=').expect("a value");
            match word {
                "-D" => expect.defines.push((name.to_string(), Some(value.to_string()))),
                _ => expect.wanted.push((name.to_string(), value.to_string())),
            }
        }
        all.push(expect);
    }
    all
}

fn check(path: &Path, expect: &Expect, options: ModelOptions, symmetry: Symmetry) -> Answer {
    let common = Common { defines: expect.defines.clone(), symmetry, ..Common::default() };
    model(path, &ModelOptions { common, ..options }).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn counts_are_those_of_the_headers() {
    let mut seen = 0;
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model");
        for expect in expects(&text).iter().filter(|expect| expect.get("states").is_some()) {
            let name = expect.get("symmetry").unwrap_or("canonical");
            let symmetry = STRATEGIES.iter().find(|(known, _)| *known == name).expect("a strategy").1;
            let options = ModelOptions { reduce: Reduce::Off, all_errors: true, ..ModelOptions::default() };
            let answer = check(&path, expect, options, symmetry);
            let stats = answer.stats.model().expect("a model");
            for (key, found) in [("states", stats.states), ("matched", stats.matched), ("errors", stats.errors)] {
                let wanted = expect.get(key).map(|text| text.parse::<u64>().expect("a number"));
                let place = format!("{} {:?} {name}: {key}", path.display(), expect.defines);
                assert_eq!(wanted.unwrap_or(found), found, "{place}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 60, "only {seen} lines");
}

#[test]
fn verdicts_are_those_of_the_headers_in_every_way() {
    let mut seen = 0;
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model");
        let verdicts: Vec<Expect> = expects(&text).into_iter().filter(|e| e.get("verdict").is_some()).collect();
        assert!(!verdicts.is_empty(), "{} expects nothing", path.display());
        for expect in &verdicts {
            for ((name, symmetry), order, reduce) in ways() {
                // Processes of Promela have ids, and cannot change places.
                let is_promela = path.extension().is_some_and(|extension| extension == "dprom");
                if is_promela && !["none", "heap"].contains(&name) {
                    continue;
                }
                // Without names that are made normal, some models have no end of states.
                let max_states = (name == "none").then_some(MOST_STATES);
                let options = ModelOptions { order, reduce, max_states, ..ModelOptions::default() };
                let answer = check(&path, expect, options, symmetry);
                let place = format!("{} {:?} {name} {order:?} {reduce:?}", path.display(), expect.defines);
                match expect.get("verdict") {
                    Some("holds") => {
                        let cut = max_states.is_some() && answer.verdict == Verdict::Inconclusive;
                        assert!(cut || answer.verdict == Verdict::Holds, "{place}: {:?}", answer.violations);
                    }
                    _ => {
                        assert_eq!(answer.verdict, Verdict::Violated, "{place}");
                        assert_eq!(Some(answer.violations[0].kind()), expect.get("kind"), "{place}");
                    }
                }
            }
            seen += 1;
        }
    }
    assert!(seen >= 25, "only {seen} lines");
}

/// Every strategy, order and reduction.
fn ways() -> impl Iterator<Item = ((&'static str, Symmetry), Order, Reduce)> {
    let orders = [Order::Dfs, Order::Bfs];
    let reductions = [Reduce::Off, Reduce::Full];
    let all = STRATEGIES.into_iter().flat_map(move |strategy| orders.map(move |order| (strategy, order)));
    all.flat_map(move |(strategy, order)| reductions.map(move |reduce| (strategy, order, reduce)))
}
