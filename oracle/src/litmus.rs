//! Litmus tests: programs together with what is known about their executions. They play the part of the catalogues of
//! Alglave, Maranget, Tautschnig (TOPLAS 2014) and of the examples in the RC11 and SPORE papers.

use std::collections::BTreeSet;

use crate::axioms::{MemoryModel, race};
use crate::enumerate::{TooLarge, executions};
use crate::execution::Execution;
use crate::interleave::stuck;
use crate::program::{Program, classes};

/// A litmus test. Its text form is that of the program followed by lines of claims, each for one or more models or for
/// `all`: `outcome 0:r0=1 & x=2  sc: never`, `executions sc, tso: 3`, `orbits all: 2` (executions up to renaming of
/// identical threads), `races rc11: yes` (some execution has a data race), and `deadlock yes` (under SC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Litmus {
    /// The program.
    pub program: Program,
    /// Which outcomes there are.
    pub outcomes: Vec<Claim>,
    /// How many executions there are.
    pub executions: Vec<(MemoryModel, usize)>,
    /// How many executions there are if renaming identical threads makes no difference.
    pub orbits: Vec<(MemoryModel, usize)>,
    /// Whether some execution has a data race.
    pub races: Vec<(MemoryModel, bool)>,
    /// Whether the program can get stuck on locks under SC.
    pub deadlock: Option<bool>,
}

/// What is claimed about an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// All of these hold at the end.
    pub condition: Vec<Term>,
    /// How often that is so.
    pub verdicts: Vec<(MemoryModel, Verdict)>,
    /// Where it is claimed, counted from 1.
    pub line: usize,
}

/// A part of a condition on the end of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A register has a value: thread, register, value.
    Register(usize, usize, u64),
    /// A location has a value: location, value.
    Memory(usize, u64),
}

/// In how many executions an outcome is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// In none.
    Never,
    /// In one at least.
    Sometimes,
    /// In all.
    Always,
}

/// What the oracle disagrees with, in words; nothing if all claims hold.
pub fn check(litmus: &Litmus) -> Result<Vec<String>, TooLarge> {
    let program = &litmus.program;
    let mut wrong = Vec::new();
    for model in MemoryModel::ALL {
        let found = executions(program, model)?;
        for claim in &litmus.outcomes {
            let hits = found.iter().filter(|execution| holds(program, execution, &claim.condition)).count();
            for verdict in of(&claim.verdicts, model) {
                let right = match verdict {
                    Verdict::Never => hits == 0,
                    Verdict::Sometimes => hits > 0,
                    Verdict::Always => hits == found.len(),
                };
                if !right {
                    let all = found.len();
                    wrong.push(format!("line {}: {model}: {verdict:?}, but {hits} of {all}", claim.line));
                }
            }
        }
        let mut compare = |what: &str, claims: &[(MemoryModel, usize)], count: usize| {
            let differing = of(claims, model).filter(|claim| *claim != count);
            wrong.extend(differing.map(|claim| format!("{what}: {model}: {claim}, but {count}")));
        };
        compare("executions", &litmus.executions, found.len());
        compare("orbits", &litmus.orbits, orbits(program, &found));
        let races = found.iter().any(|execution| race(program, execution, model));
        let differing = of(&litmus.races, model).filter(|claim| *claim != races);
        wrong.extend(differing.map(|claim| format!("races: {model}: {claim}, but {races}")));
    }
    let differing = litmus.deadlock.filter(|claim| *claim != stuck(program));
    wrong.extend(differing.map(|claim| format!("deadlock: {claim}, but {}", !claim)));
    Ok(wrong)
}

/// How many executions there are if renaming identical threads makes no difference.
pub fn orbits(program: &Program, executions: &BTreeSet<Execution>) -> usize {
    let classes = classes(program);
    executions.iter().map(|execution| execution.canonical(&classes)).collect::<BTreeSet<_>>().len()
}

/// What is claimed for a model.
fn of<T: Copy>(claims: &[(MemoryModel, T)], wanted: MemoryModel) -> impl Iterator<Item = T> {
    claims.iter().filter(move |(model, _)| *model == wanted).map(|(_, claim)| *claim)
}

/// Whether all parts of a condition hold at the end of an execution of the program.
pub fn holds(program: &Program, execution: &Execution, condition: &[Term]) -> bool {
    let registers = execution.registers(program).unwrap_or_default();
    let memory = execution.memory(program);
    condition.iter().all(|term| match *term {
        // A register that no instruction mentions is 0.
        Term::Register(thread, reg, value) => {
            registers.get(thread).is_some_and(|registers| registers.get(reg).copied().unwrap_or(0) == value)
        }
        Term::Memory(loc, value) => memory.get(loc) == Some(&value),
    })
}
