//! The symmetry of a model: finds out which of its processes and values differ by name only, and verifies it.
//!
//! [`detect`] works on the intermediate form, so that it serves every front end, and on what really runs. It follows
//! the scalarset rules of Ip and Dill where a model declares scalarsets, and infers the scalarsets where it does not:
//!
//! 1. [`start`] carries out what `init` does first, up to the state in which all processes exist.
//! 2. [`infer`] puts variables, array indices, message fields and process ids that share values into classes.
//! 3. [`sets`] makes scalarsets of the classes that hold the ids of a family of processes.
//! 4. [`verify`] applies generators of the group to the model and compares [`normal`] forms. Whatever was inferred or
//!    guessed before, only what passes here is reported: in doubt there is no symmetry.
//!
//! A renaming that leaves the model as it is relates bisimilar states, whatever the initial state is. That the state in
//! which all processes exist is symmetric is required all the same, because otherwise nothing would be gained; only a
//! variable that merely starts out naming some process, and can name another one later, is let pass.

pub mod act;
pub mod arrays;
pub mod classes;
pub mod infer;
pub mod normal;
mod positions;
mod report;
pub mod sets;
pub mod start;
mod verify;

use quotient_ir::{Group, Model, ProctypeId, SetId, Sort, Symmetry};
use quotient_report::diagnostic::{Diagnostic, Severity};

use infer::Inference;
use normal::{Rename, Ring};
use sets::Sets;
use start::Start;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// The symmetry, if there is any; [`detect`] also puts it into the model.
    pub symmetry: Option<Symmetry>,
    /// What was found, one per scalarset.
    pub found: Vec<Finding>,
    /// The families of processes that a renaming exchanges.
    pub families: Vec<Family>,
    /// Why there is no more symmetry than this. An error is about a declared scalarset.
    pub reasons: Vec<Diagnostic>,
}

/// A scalarset that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The set.
    pub set: SetId,
    /// In words: `S_4 on P[1..4] via flag[], values of turn`.
    pub text: String,
    /// What should be known about it.
    pub notes: Vec<String>,
}

/// Processes of one type that a renaming exchanges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Their type.
    pub proctype: ProctypeId,
    /// How many there are.
    pub size: usize,
    /// Whether one of them can end. Processes die youngest first, which is not symmetric.
    pub terminates: bool,
}

impl Detection {
    /// Whether a declared scalarset is used in a way that breaks its symmetry.
    pub fn failed(&self) -> bool {
        self.reasons.iter().any(|reason| reason.severity == Severity::Error)
    }
}

/// Finds the symmetry of a model, verifies it, and fills in [`Model::symmetry`] and the sorts of slots and fields.
pub fn detect(model: &mut Model) -> Detection {
    let mut detection = Detection::default();
    model.symmetry = None;
    let start = match start::start(model) {
        Ok(start) => start,
        Err(reason) => {
            detection.reasons.push(declared_is_error(model, reason));
            return detection;
        }
    };
    if let Err(reason) = verify::loops(model, &start) {
        detection.reasons.push(reason);
        return detection;
    }
    let mut inference = Inference::new(model, &start);
    let (sets, reasons) = sets::find(model, &start, &mut inference);
    detection.reasons = reasons;
    if let Some(reason) = report::channels_as_numbers(model, &inference) {
        detection.reasons.push(declared_is_error(model, reason));
        return detection;
    }
    let (sets, accepted) = accept(model, &start, &inference, sets, &mut detection.reasons);
    for accepted in &accepted {
        let (set, notes) = (accepted.set, accepted.notes.clone());
        let text = report::finding(model, &start, &inference, &sets, set);
        detection.found.push(Finding { set, text, notes });
    }
    detection.families = sets
        .families
        .iter()
        .map(|family| Family {
            proctype: family.proctype,
            size: family.processes.len(),
            terminates: start.reachable[family.proctype].get(model.proctypes[family.proctype].end) == Some(&true),
        })
        .collect();
    positions::stamp(model, &inference, &sets);
    if !accepted.is_empty() {
        let symmetry = positions::symmetry(model, &start, &inference, &sets);
        model.symmetry = Some(symmetry.clone());
        detection.symmetry = Some(symmetry);
    } else if detection.reasons.is_empty() {
        detection.reasons.push(report::nothing_to_exchange(model));
    }
    detection
}

fn declared_is_error(model: &Model, reason: Diagnostic) -> Diagnostic {
    let severity = if model.declared.sets.is_empty() { reason.severity } else { Severity::Error };
    Diagnostic { severity, ..reason }
}

/// A set whose renamings were verified.
struct Accepted {
    set: SetId,
    notes: Vec<String>,
}

/// Verifies every set; gives back those that passed, renumbered, with their groups.
fn accept(
    model: &mut Model,
    start: &Start,
    inference: &Inference,
    mut sets: Sets,
    reasons: &mut Vec<Diagnostic>,
) -> (Sets, Vec<Accepted>) {
    let mut kept: Vec<(SetId, Vec<String>)> = Vec::new();
    for set in 0..sets.sets.len() {
        let declared = set < sets.declared;
        let used = declared && sets.roots.values().any(|(s, _)| *s == set)
            || sets.families.iter().any(|f| f.processes[0].1.iter().any(|(s, _)| *s == set));
        if !used || sets.sets[set].size < 2 {
            continue;
        }
        let mut outcome = group(model, start, inference, &sets, set);
        let guessed = sets.guesses.iter().any(|root| sets.roots.get(root).is_some_and(|(s, _)| *s == set));
        if outcome.is_err() && guessed {
            let without = unguessed(&sets, set);
            if let Ok(found) = group(model, start, inference, &without, set) {
                (sets, outcome) = (without, Ok(found));
            }
        }
        match outcome {
            Ok((group, notes)) => {
                sets.sets[set].group = group;
                kept.push((set, notes));
            }
            Err(reason) => {
                let severity = if declared { Severity::Error } else { reason.severity };
                reasons.push(Diagnostic { severity, ..*reason });
            }
        }
    }
    let number = |set: SetId| kept.iter().position(|(k, _)| *k == set);
    sets.roots = sets.roots.iter().filter_map(|(&root, &(set, first))| Some((root, (number(set)?, first)))).collect();
    sets.families.retain(|f| f.processes[0].1.iter().all(|(set, _)| number(*set).is_some()));
    for family in &mut sets.families {
        for (_, members) in &mut family.processes {
            for (set, _) in members {
                *set = number(*set).unwrap_or(0);
            }
        }
    }
    let pick = |old: &[bool]| kept.iter().map(|(k, _)| old[*k]).collect::<Vec<bool>>();
    (sets.defined, sets.rings) = (pick(&sets.defined), pick(&sets.rings));
    sets.sets = kept.iter().map(|(k, _)| sets.sets[*k].clone()).collect();
    let accepted = kept.into_iter().enumerate().map(|(set, (_, notes))| Accepted { set, notes }).collect();
    (sets, accepted)
}

/// Without the arrays that were guessed to belong to a set.
fn unguessed(sets: &Sets, set: SetId) -> Sets {
    let mut without = sets.clone();
    for root in &sets.guesses {
        if without.roots.get(root).is_some_and(|(s, _)| *s == set) {
            without.roots.remove(root);
        }
    }
    without
}

/// The largest group of renamings of a set that leaves the model and its beginning as they are.
fn group(
    model: &mut Model,
    start: &Start,
    inference: &Inference,
    sets: &Sets,
    set: SetId,
) -> Result<(Group, Vec<String>), Box<Diagnostic>> {
    let mut first_reason = None;
    let candidates: &[Group] = if sets.sets[set].size == 2 && !sets.rings[set] {
        &[Group::Symmetric]
    } else if sets.rings[set] {
        &[Group::Dihedral, Group::Cyclic]
    } else {
        &[Group::Symmetric, Group::Dihedral, Group::Cyclic]
    };
    let declared = set < sets.declared;
    for &candidate in candidates {
        if declared && candidate != Group::Symmetric {
            break;
        }
        let generators = generators(candidate, set, sets.sets[set].size);
        let verified = generators.iter().try_for_each(|g| verify::code(model, start, inference, sets, g));
        if let Err(reason) = verified {
            first_reason.get_or_insert(reason);
            continue;
        }
        positions::stamp(model, inference, sets);
        let symmetry = positions::symmetry(model, start, inference, sets);
        let differences = verify::beginning(model, start, &symmetry, sets, set, &generators);
        let lasting: Vec<_> = differences.iter().filter(|difference| !difference.passing).collect();
        match report::most_telling(start, &lasting) {
            None => {
                let notes = report::passing(model, start, &differences);
                // A ring of two can be turned in one way only.
                let group = if sets.sets[set].size == 2 { Group::Symmetric } else { candidate };
                return Ok((group, notes));
            }
            Some(difference) => {
                first_reason.get_or_insert(report::beginning(model, start, inference, sets, set, difference));
            }
        }
    }
    Err(Box::new(first_reason.unwrap_or_else(|| report::nothing_to_exchange(model))))
}

/// Generators of a group on the members of a set.
fn generators(group: Group, set: SetId, size: usize) -> Vec<Rename> {
    let rotation: Vec<u8> = (0..size).map(|k| ((k + 1) % size) as u8).collect();
    let rotation = Rename { set, permutation: rotation, ring: Ring::Keeps };
    match group {
        Group::Cyclic => vec![rotation],
        Group::Dihedral => {
            let reflection = (0..size).map(|k| ((size - k) % size) as u8).collect();
            vec![rotation, Rename { set, permutation: reflection, ring: Ring::Turns }]
        }
        Group::Symmetric => {
            let mut swap: Vec<u8> = (0..size as u8).collect();
            swap.swap(0, 1);
            let around = Rename { ring: if size == 2 { Ring::Keeps } else { Ring::Breaks }, ..rotation };
            vec![Rename { set, permutation: swap, ring: around.ring }, around]
        }
    }
}

/// Whether a slot's values are renamed.
pub fn is_member(sort: Sort) -> bool {
    matches!(sort, Sort::Member { .. })
}
