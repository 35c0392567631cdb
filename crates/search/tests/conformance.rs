//! The engine counts what SPIN counts: every model of `models/conformance`, one construct each, run in five modes. States,
//! states met again, transitions, errors and depth are those of `counts.tsv`. Modes C and D are SPIN's default.

mod common;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use quotient_search::{Options, Reduce};

use common::{conformance_directory, explore, load, load_as_spin, models_in, stem};

/// The modes by their names in `counts.tsv`: whether with reduction, and whether to go on after an error.
const MODES: [(&str, bool, bool); 5] =
    [("A:", false, false), ("A0:", false, true), ("B:", true, true), ("C:", false, true), ("D:", true, true)];

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    states: u64,
    matched: u64,
    transitions: u64,
    errors: u64,
    depth: u64,
}

/// Models with a claim. Their rows in `counts.tsv` were measured with the claim running, which Quotient's safety search
/// does not do; these are SPIN's counts for the bare model, the same in all five modes:
/// `spin [-o1 -o2 -o3] -a M; cc -DSAFETY -DNOCLAIM [-DNOREDUCE] -o pan pan.c; ./pan [-c0] -m10000`.
const WITHOUT_CLAIM: [(&str, Counts); 5] = [
    ("enabled_pcvalue", Counts { states: 3, matched: 0, transitions: 3, errors: 0, depth: 2 }),
    ("never_safety", Counts { states: 4, matched: 0, transitions: 4, errors: 0, depth: 3 }),
    ("ltl_always", Counts { states: 8, matched: 1, transitions: 9, errors: 0, depth: 7 }),
    ("ltl_eventually", Counts { states: 8, matched: 1, transitions: 9, errors: 0, depth: 7 }),
    ("ltl_fail", Counts { states: 7, matched: 4, transitions: 11, errors: 0, depth: 6 }),
];

/// Models that SPIN reduces by a promise that is not checked, and is not kept.
const BELIEVED: [&str; 1] = ["local_tag"];

fn main() {
    let arguments = Arguments::from_args();
    let table = Arc::new(spin_counts(&conformance_directory().join("counts.tsv")));
    let models = models_in(&conformance_directory());
    let mut trials: Vec<Trial> = models
        .iter()
        .flat_map(|path| MODES.map(|mode| (path.clone(), mode)))
        .map(|(path, (mode, por, all_errors))| {
            let table = Arc::clone(&table);
            Trial::test(format!("{} mode {}", stem(&path), mode.trim_end_matches(':')), move || {
                let expected = expected(&table, &stem(&path), mode)?;
                let trust = BELIEVED.contains(&stem(&path).as_str());
                let reduce = if por { Reduce::Spin } else { Reduce::Off };
                let options = Options { reduce, trust, all_errors, ..Options::default() };
                let model = if ["C:", "D:"].contains(&mode) { load_as_spin(&path) } else { load(&path, &[]) };
                let found = explore(&model, &options);
                let (states, matched) = (found.states, found.matched);
                let (transitions, errors, depth) = (states + matched, found.errors, found.depth);
                let counted = Counts { states, matched, transitions, errors, depth };
                if counted == expected { Ok(()) } else { Err(format!("SPIN: {expected:?}\nhere: {counted:?}").into()) }
            })
        })
        .collect();
    let count = models.len();
    trials.push(Trial::test("all 97 models are there", move || {
        if count == 97 { Ok(()) } else { Err(format!("there are {count}").into()) }
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

fn expected(table: &HashMap<(String, String), Counts>, model: &str, mode: &str) -> Result<Counts, Failed> {
    if let Some((_, counts)) = WITHOUT_CLAIM.iter().find(|(name, _)| *name == model) {
        return Ok(*counts);
    }
    table.get(&(model.to_string(), mode.to_string())).copied().ok_or_else(|| "counts.tsv does not have it".into())
}

/// The rows of `counts.tsv` by model and mode.
fn spin_counts(path: &Path) -> HashMap<(String, String), Counts> {
    let text = std::fs::read_to_string(path).expect("counts.tsv can be read");
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("counts.tsv has a header");
    let column = |name: &str| header.iter().position(|column| *column == name).expect("counts.tsv has the column");
    let (model, combo) = (column("model"), column("combo"));
    let numbers = ["stored", "matched", "transitions", "errors", "depth"].map(column);
    lines
        .map(|line| {
            let [states, matched, transitions, errors, depth] = numbers.map(|n| line[n].parse().expect("a number"));
            let mode = line[combo].split_inclusive(':').next().expect("a combo begins with a mode");
            let name = line[model].trim_end_matches(".pml").to_string();
            ((name, mode.to_string()), Counts { states, matched, transitions, errors, depth })
        })
        .collect()
}
