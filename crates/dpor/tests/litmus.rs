//! Every litmus test of the oracle holds on the explorer: each claim under each memory model, without symmetry and with
//! it. What is claimed comes from reasoning about the programs, and the oracle agrees with it by its own tests.

mod driver;

use quotient_oracle::{Execution, Litmus, MemoryModel, Program, Verdict, classes, holds, parse, permutations};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How many litmus tests there are: none may go missing unnoticed.
const FILES: usize = 146;

/// A claim compared with what the explorer has found.
struct Compared {
    line: usize,
    right: bool,
    what: String,
}

#[test]
fn all_claims_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../oracle/litmus");
    let files: BTreeSet<_> =
        fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(files.len(), FILES, "the number of litmus tests");
    let mut wrong = Vec::new();
    let mut without_races = 0;
    for file in files {
        let name = file.file_name().unwrap_or_default().display();
        let text = fs::read_to_string(&file).expect("a text");
        let litmus = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut racy = false;
        for (model, symmetry) in MemoryModel::ALL.into_iter().flat_map(|model| [(model, false), (model, true)]) {
            let (compared, races) = compare(&litmus, &text, model, symmetry);
            racy |= races;
            let with = if symmetry { " with symmetry" } else { "" };
            assert!(!compared.is_empty() || symmetry, "{name}: nothing is claimed for {model}");
            let bad = compared.into_iter().filter(|compared| !compared.right);
            wrong.extend(bad.map(|bad| format!("{name}:{}: {model}{with}: {}", bad.line, bad.what)));
        }
        without_races += usize::from(!racy);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(without_races >= 60, "only {without_races} litmus tests are compared in full");
}

/// Compares what is claimed for a model. Also says whether there are races: an execution ends at a race, so nothing else
/// can be compared then.
fn compare(litmus: &Litmus, text: &str, model: MemoryModel, symmetry: bool) -> (Vec<Compared>, bool) {
    let program = &litmus.program;
    let found = driver::explore(program, driver::model(model), symmetry);
    let mut all = Vec::new();
    let mut add = |line, right, what| all.push(Compared { line, right, what });
    let races = found.races > 0;
    for claim in of(&litmus.races, model) {
        add(line_of(text, "races"), claim == races, format!("races: {claim}, but found {}", found.races));
    }
    if races {
        if litmus.races.is_empty() {
            add(1, false, format!("{} races, of which nothing is said", found.races));
        }
        return (all, races);
    }
    if let Some(claim) = litmus.deadlock {
        let line = line_of(text, "deadlock");
        add(line, claim == (found.stuck > 0), format!("deadlock: {claim}, but {} are stuck", found.stuck));
    }
    if symmetry && found.statistics.cyclic > 0 {
        // The explorer says itself that there may be more.
        return (all, races);
    }
    let count = found.executions.len();
    let executions = if symmetry { renamed(program, &found.executions) } else { found.executions };
    let expected = quotient_oracle::executions(program, model).expect("small");
    let same =
        executions.len() == expected.len() && executions.iter().collect::<BTreeSet<_>>() == expected.iter().collect();
    add(1, same, format!("{} executions, but not those {} of the oracle", executions.len(), expected.len()));
    for claim in &litmus.outcomes {
        let hits = executions.iter().filter(|execution| holds(program, execution, &claim.condition)).count();
        for verdict in of(&claim.verdicts, model) {
            let right = match verdict {
                Verdict::Never => hits == 0,
                Verdict::Sometimes => hits > 0,
                Verdict::Always => hits == executions.len(),
            };
            add(claim.line, right, format!("{verdict:?}, but {hits} of {}", executions.len()));
        }
    }
    for claim in of(&litmus.executions, model) {
        let found = executions.len();
        add(line_of(text, "executions"), claim == found, format!("executions: {claim}, but {found}"));
    }
    for claim in of(&litmus.orbits, model).filter(|_| symmetry) {
        add(line_of(text, "orbits"), claim == count, format!("orbits: {claim}, but {count}"));
    }
    (all, races)
}

/// All executions that renaming like threads gives.
fn renamed(program: &Program, executions: &[Execution]) -> Vec<Execution> {
    let permutations = permutations(program.threads.len(), &classes(program));
    let all = executions.iter().flat_map(|execution| permutations.iter().map(|perm| execution.permuted(perm)));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What is claimed for a model.
fn of<T: Copy>(claims: &[(MemoryModel, T)], wanted: MemoryModel) -> impl Iterator<Item = T> {
    claims.iter().filter(move |(model, _)| *model == wanted).map(|(_, claim)| *claim)
}

/// The line that begins with a keyword, counted from 1.
fn line_of(text: &str, keyword: &str) -> usize {
    text.lines().position(|line| line.starts_with(keyword)).map_or(0, |index| index + 1)
}
