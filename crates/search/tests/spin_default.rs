//! With SPIN's default optimisations the engine counts what SPIN counts by default: every row of
//! `models/spin-default/counts.tsv`, which were measured with SPIN 6.5.2.

mod common;

use std::path::Path;

use libtest_mimic::{Arguments, Trial};
use quotient_search::naive::{self, Counts};
use quotient_search::{Options, Reduce};

use common::{explore, load_as_spin, models_directory, models_in};

/// Larger searches are not repeated on the reference interpreter.
const MOST_NAIVE: u64 = 2000;

/// A row of the table.
struct Row {
    model: String,
    mode: String,
    /// States stored, states met again, errors, depth.
    counts: [u64; 4],
}

fn main() {
    let directory = models_directory();
    let rows = rows(&directory.join("spin-default/counts.tsv"));
    let missing: Vec<String> = models_in(&directory.join("spin-default"))
        .iter()
        .map(|path| format!("spin-default/{}.pml", common::stem(path)))
        .filter(|model| rows.iter().filter(|row| row.model == *model).count() != 2)
        .collect();
    let mut trials = vec![Trial::test("every model here has its rows", move || match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("not in the table, or not in both modes: {missing:?}").into()),
    })];
    trials.extend(rows.into_iter().map(|row| {
        let path = directory.join(&row.model);
        Trial::test(format!("{} mode {}", row.model.trim_end_matches(".pml"), row.mode), move || {
            let reduce = if row.mode == "D" { Reduce::Spin } else { Reduce::Off };
            let options = Options { reduce, trust: true, all_errors: true, ..Options::default() };
            let model = load_as_spin(&path);
            let found = explore(&model, &options);
            let counts = [found.states, found.matched, found.errors, found.depth];
            if counts != row.counts {
                return Err(format!("SPIN: {:?}\nhere: {counts:?}", row.counts).into());
            }
            // What is carried out together means the same to the machine and to the reference interpreter.
            match naive::explore(&model, MOST_NAIVE).filter(|_| !options.reduce.is_on()) {
                Some(Counts { states, matched, errors }) if counts[..3] != [states, matched, errors] => {
                    Err(format!("SPIN: {:?}\nby the reference interpreter: {states} {matched} {errors}", row.counts)
                        .into())
                }
                _ => Ok(()),
            }
        })
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn rows(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).expect("counts.tsv can be read");
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [model, mode, numbers @ ..] = &columns[..] else { panic!("{line}") };
        let counts: Vec<u64> = numbers.iter().map(|number| number.parse().expect("a number")).collect();
        Row { model: model.to_string(), mode: mode.to_string(), counts: counts.try_into().expect("four numbers") }
    };
    text.lines().skip(1).map(row).collect()
}
