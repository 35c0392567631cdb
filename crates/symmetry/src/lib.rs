//! The symmetry of a model: finds out which of its processes and values differ by name only, and proves it.
//!
//! [`detect`] works on the intermediate form, so that it serves every front end, and on what really runs. It guesses, and
//! then proves:
//!
//! 1. [`start`] carries out what `init` does first, up to the state in which all processes exist.
//! 2. [`infer`] puts variables, array indices, message fields and process ids that share values into classes, after the
//!    scalarset rules of Ip and Dill; [`sets`] makes scalarsets of the classes that hold the ids of a family of processes;
//!    `learn` finds variables and control states that belong to a member each.
//! 3. [`verify`] proves that the generators of the group commute with every step, by the [`rules`]. Whatever was guessed
//!    before, only what passes here is reported: in doubt there is no symmetry.
//! 4. [`trial`] tries the renamings out on states of random runs: nothing should come of it.
//!
//! A renaming that commutes with every step relates bisimilar states, whatever the initial state is. That the state in
//! which all processes exist is symmetric is required all the same, because otherwise nothing would be gained; only a
//! variable that merely starts out naming some process, and can name another one later, is let pass.
//!
//! # Where things are
//!
//! - Guessing: `start.rs` carries out what `init` does first; `arrays.rs` reads the arrays off the names of slots;
//!   `infer.rs` and `classes.rs` put what shares values into classes; `sets.rs` makes scalarsets of them; `learn.rs`
//!   finds variables and control states that belong to a member each; `positions.rs` makes an `ir::Symmetry` of it.
//! - Proving: `rules.rs` is the page on *what verification rests on*, with the rule for every construct; `faults.rs` says
//!   how expressions can fail, `effects.rs` which parts may change places; `sequence.rs` compares atomic sequences and
//!   `d_step`s, `automaton.rs` control automata; `values.rs` and `ranges.rs` are the values that the rules compute with,
//!   `dead.rs` what nobody will read; `verify.rs` puts the proof together.
//! - `heap.rs` proves the declared scalarsets of models with a heap, by rules of its own: nothing is guessed there.
//! - `act.rs` is the meaning of a renaming on states of the reference interpreter; `trial.rs` tries renamings out;
//!   `report.rs` has the words.
//!
//! It works on the intermediate form and not on Promela's tree: what is verified is what runs, it serves every front end,
//! and declared and detected symmetries go the same way. Statements and indices have spans there, which is enough to show
//! the reason. The rules of declared scalarsets need the place of every operand, and so are checked by the front end
//! (`promela/src/lower/rules.rs`); the verification here does not rely on that.
//!
//! # What must stay true
//!
//! - Nothing is reported that was not proved of the model, and nothing that was guessed is believed by the proof. In
//!   doubt there is no symmetry. The rules match on all variants and all fields, so that a new construct does not compile
//!   until somebody has thought about it.

#![forbid(unsafe_code)]

pub mod act;
pub mod arrays;
mod automaton;
pub mod classes;
mod effects;
mod faults;
mod heap;
pub mod infer;
mod learn;
mod positions;
pub mod ranges;
mod report;
pub mod rules;
pub mod sequence;
pub mod sets;
pub mod start;
pub mod trial;
pub mod values;
pub mod verify;

use std::cell::RefCell;
use std::collections::BTreeSet;

use quotient_ir::{Group, Model, ProctypeId, SetId, Symmetry, Unread};
use quotient_report::diagnostic::{Diagnostic, Severity};

use act::{Permutations, Renaming, permutations};
use infer::Inference;
use learn::exchange;
use quotient_ir::dead::Dead;
use ranges::Ranges;
use sets::Sets;
use verify::{Blame, Ignored, Subject};

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
    /// A symmetry was proved, and the trial has shown that it is none: a mistake of this crate.
    pub mistaken: bool,
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
    /// Whether one of them can come to its end, where it matters how processes go (see [`quotient_ir::Termination`]).
    pub terminates: bool,
}

impl Detection {
    /// Whether a declared scalarset is used in a way that breaks its symmetry.
    pub fn failed(&self) -> bool {
        self.reasons.iter().any(|reason| reason.severity == Severity::Error)
    }
}

/// Finds the symmetry of a model, proves it, and fills in [`Model::symmetry`].
pub fn detect(model: &mut Model) -> Detection {
    let mut detection = Detection::default();
    model.symmetry = None;
    if model.heap.is_some() {
        // What is alike about threads and records is found state by state (see `quotient_canon::heap`).
        heap::detect(model, &mut detection);
        return detection;
    }
    let start = match start::start(model) {
        Ok(start) => start,
        Err(reason) => {
            detection.reasons.push(declared_is_error(model, reason));
            return detection;
        }
    };
    let dead = Dead::new(model);
    let ranges = Ranges::of(model, &start);
    let subject = Subject { model, start: &start, dead: &dead, ranges: &ranges };
    // Variables that are computed with hardly name members: at first they are left alone.
    let mut found = search(&subject, Inference::new(model, &start, false), true);
    for (reflects, strict) in [(false, false), (true, true)] {
        if !found.accepted.is_empty() || !model.declared.sets.is_empty() {
            break;
        }
        let other = search(&subject, Inference::new(model, &start, reflects), strict);
        if !reflects || !other.accepted.is_empty() {
            found = other;
        }
    }
    detection.reasons = found.reasons;
    let Some(symmetry) = found.symmetry else {
        if detection.reasons.is_empty() {
            detection.reasons.push(report::nothing_to_exchange(model));
        }
        return detection;
    };
    if let Err(asymmetry) = trial::trial(model, &symmetry, TRIAL.0, TRIAL.1) {
        let message = format!(
            "a symmetry that was proved is none (state {:?}): this is a mistake of Quotient; please report it",
            asymmetry.state
        );
        detection.reasons.insert(0, Diagnostic::global(message));
        detection.reasons[0].severity = Severity::Warning;
        detection.mistaken = true;
        return detection;
    }
    for (set, notes) in found.accepted.iter().enumerate() {
        let text = report::finding(model, &start, &found.inference, &found.sets, set);
        detection.found.push(Finding { set, text, notes: notes.clone() });
    }
    let terminates = |proctype: usize| model.proctypes[proctype].end.is_some_and(|end| start.reachable[proctype][end]);
    let families = found.sets.families.iter().map(|family| Family {
        proctype: family.proctype,
        size: family.processes.len(),
        terminates: terminates(family.proctype),
    });
    detection.families = families.collect();
    model.symmetry = Some(symmetry.clone());
    detection.symmetry = Some(symmetry);
    detection
}

/// How many random runs are tried before a symmetry is reported, and how long they are.
const TRIAL: (usize, usize) = (2, 24);

/// Proves the symmetry that a description gave a model, and says from when on states may be renamed.
pub fn prove_described(model: &mut Model) -> Result<(), Diagnostic> {
    let start = start::start(model)?;
    let Some(mut symmetry) = model.symmetry.take() else { return Err(report::nothing_to_exchange(model)) };
    symmetry.steady = positions::steady(&start);
    let (processes, channels) = (start.state.processes.len(), start.state.channels.len());
    let fits = symmetry.processes.len() == processes && symmetry.channels.len() == channels;
    let dead = Dead::new(model);
    let ranges = Ranges::of(model, &start);
    let subject = Subject { model, start: &start, dead: &dead, ranges: &ranges };
    let generators = act::generators(&symmetry);
    let proved = match (fits, generators.first()) {
        (true, Some(_)) => verify::prove(&subject, &symmetry, &generators, None).map_err(|blame| {
            let set = symmetry.sets.first().map_or("", |set| &set.name);
            verify::asymmetric(model, set, &[], &blame)
        }),
        _ => Err(Diagnostic::global("some processes or channels are not described")),
    };
    model.symmetry = Some(symmetry);
    proved
}

fn declared_is_error(model: &Model, reason: Diagnostic) -> Diagnostic {
    let severity = if model.declared.sets.is_empty() { reason.severity } else { Severity::Error };
    Diagnostic { severity, ..reason }
}

/// What a search for symmetry came to.
#[derive(Default)]
struct Found {
    inference: Inference,
    sets: Sets,
    /// Notes for every set, all of which are proved.
    accepted: Vec<Vec<String>>,
    symmetry: Option<Symmetry>,
    reasons: Vec<Diagnostic>,
}

/// A set whose renamings are proved.
#[derive(Clone, Debug)]
struct Proved {
    sets: Sets,
    group: Group,
    notes: Vec<String>,
    excused: BTreeSet<Ignored>,
}

/// Guesses scalarsets, and proves what can be proved of them.
fn search(subject: &Subject, mut inference: Inference, strict: bool) -> Found {
    let Subject { model, start, .. } = *subject;
    let (mut sets, mut reasons) = sets::find(model, start, &mut inference, strict);
    let mut excused: BTreeSet<Ignored> = BTreeSet::new();
    let mut kept: Vec<(SetId, Vec<String>)> = Vec::new();
    let mut set = 0;
    while set < sets.sets.len() {
        let current = set;
        set += 1;
        if !sets.is_used(current) || sets.sets[current].size < 2 {
            continue;
        }
        let search = Search { subject, inference: &inference };
        match search.largest(&sets, current) {
            Ok(proved) => {
                sets = proved.sets;
                sets.sets[current].group = proved.group;
                excused.extend(proved.excused);
                kept.push((current, proved.notes));
            }
            Err(blame) => {
                let reason = report::because(model, start, &inference, &sets, current, &blame);
                let parts = if current < sets.declared { Vec::new() } else { search.parts(&sets, current) };
                let severity = if current < sets.declared { Severity::Error } else { reason.severity };
                reasons.push(Diagnostic { severity, ..reason });
                if parts.is_empty() {
                    sets.renumber(&|member| (member.0 != current).then_some(member));
                } else {
                    sets.divide(current, &parts);
                }
            }
        }
    }
    // What was proved of each set alone must hold of all together.
    while !kept.is_empty() {
        let (together, symmetry) = join(subject, &inference, &sets, &kept, &excused);
        match verify::prove(subject, &symmetry, &act::generators(&symmetry), None) {
            Ok(()) => {
                let accepted = kept.into_iter().map(|(_, notes)| notes).collect();
                return Found { sets: together, accepted, symmetry: Some(symmetry), reasons, inference };
            }
            Err(blame) => {
                let (dropped, _) = kept.remove(kept.len() - 1);
                let size = sets.sets[dropped].size;
                let problem = Problem::Code(blame, exchange(size, 0, 1));
                reasons.push(report::because(model, start, &inference, &sets, dropped, &problem));
            }
        }
    }
    Found { sets, accepted: Vec::new(), symmetry: None, reasons, inference }
}

/// The sets that are kept, numbered anew, and their symmetry.
fn join(
    subject: &Subject,
    inference: &Inference,
    sets: &Sets,
    kept: &[(SetId, Vec<String>)],
    excused: &BTreeSet<Ignored>,
) -> (Sets, Symmetry) {
    let number = |set: SetId| kept.iter().position(|(k, _)| *k == set);
    let mut together = sets.clone();
    together.renumber(&|(set, k)| Some((number(set)?, k)));
    together.sets = kept.iter().map(|(k, _)| sets.sets[*k].clone()).collect();
    let mut symmetry = positions::symmetry(subject.model, subject.start, inference, &together);
    let generators = act::generators(&symmetry);
    leave_unread(subject, &mut symmetry, &generators, excused);
    (together, symmetry)
}

/// Why a group is not one of a model.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    /// A renaming does not commute with the code.
    Code(Blame, Vec<u8>),
    /// Members are not alike in the beginning: the reason in words.
    Beginning(Box<Diagnostic>),
    /// Nobody knows.
    None,
}

struct Search<'a> {
    subject: &'a Subject<'a>,
    inference: &'a Inference,
}

impl Search<'_> {
    /// The largest group of renamings of a set that leaves the model and its beginning as they are.
    fn largest(&self, sets: &Sets, set: SetId) -> Result<Proved, Problem> {
        let size = sets.sets[set].size;
        let candidates: &[Group] = match size {
            2 => &[Group::Symmetric],
            _ if set < sets.declared => &[Group::Symmetric],
            _ => &[Group::Symmetric, Group::Dihedral, Group::Cyclic],
        };
        let mut first = Problem::None;
        for &group in candidates {
            for sets in std::iter::once(sets.clone()).chain(sets.unguessed(set)) {
                match self.group(&sets, set, group) {
                    Ok(proved) => return Ok(proved),
                    Err(problem) if matches!(first, Problem::None) => first = problem,
                    Err(_) => {}
                }
            }
        }
        Err(first)
    }

    /// Proves one group.
    fn group(&self, sets: &Sets, set: SetId, group: Group) -> Result<Proved, Problem> {
        let Subject { model, start, .. } = *self.subject;
        let size = sets.sets[set].size;
        let attempt = |sets: Sets| {
            let mut symmetry = positions::symmetry(model, start, self.inference, &sets);
            let generators: Vec<Permutations> =
                generators(group, size).iter().map(|p| permutations(&symmetry, set, p)).collect();
            let (excused, notes) = self.prove(&mut symmetry, &sets, set, &generators)?;
            Ok(Proved { sets, group, notes, excused })
        };
        match attempt(sets.clone()) {
            Err(Problem::Code(..)) if group == Group::Symmetric => {
                // Something else may change places with the members.
                let symmetry = positions::symmetry(model, start, self.inference, sets);
                let learned = learn::learn(self.subject, &symmetry, sets, set);
                attempt(learned.map_err(|blame| Problem::Code(blame, exchange(size, 0, 1)))?)
            }
            result => result,
        }
    }

    /// Proves that some renamings of a set commute with the code and leave the beginning as it is.
    fn prove(
        &self,
        symmetry: &mut Symmetry,
        sets: &Sets,
        set: SetId,
        generators: &[Permutations],
    ) -> Result<(BTreeSet<Ignored>, Vec<String>), Problem> {
        let Subject { model, start, .. } = *self.subject;
        let mut excused = BTreeSet::new();
        if verify::prove(self.subject, symmetry, generators, None).is_err() {
            let used = RefCell::new(BTreeSet::new());
            let problem = |blame| Problem::Code(blame, generators[0][set].clone());
            verify::prove(self.subject, symmetry, generators, Some(&used)).map_err(problem)?;
            excused = used.into_inner();
            leave_unread(self.subject, symmetry, generators, &excused);
            verify::prove(self.subject, symmetry, generators, None).map_err(problem)?;
        }
        let constant = |component: usize, slot: usize| sets.constants.contains(&(component, slot));
        let mut differences = verify::beginning(self.subject, symmetry, generators, &constant);
        let unseen: BTreeSet<Ignored> =
            differences.iter().filter(|d| !d.passing).filter_map(|d| self.unseen(d)).collect();
        if !unseen.is_empty() {
            // Nobody will read them, so they need not be alike.
            excused.extend(unseen);
            leave_unread(self.subject, symmetry, generators, &excused);
            let problem = |blame| Problem::Code(blame, generators[0][set].clone());
            verify::prove(self.subject, symmetry, generators, None).map_err(problem)?;
            differences = verify::beginning(self.subject, symmetry, generators, &constant);
        }
        let lasting: Vec<_> = differences.iter().filter(|difference| !difference.passing).collect();
        match report::most_telling(start, &lasting) {
            None => Ok((excused, report::passing(model, start, &differences))),
            Some(difference) => {
                let reason = report::beginning(model, start, self.inference, sets, set, difference);
                Err(Problem::Beginning(Box::new(reason)))
            }
        }
    }

    /// The variable in which the beginning differs, if nobody will read it.
    fn unseen(&self, difference: &verify::Difference) -> Option<Ignored> {
        let Subject { start, dead, .. } = *self.subject;
        let slot = difference.slot?;
        match difference.process.and_then(|pid| start.state.processes.get(pid)) {
            None => dead.globals[slot].then_some((None, slot)),
            Some(process) => dead
                .is_dead(process.proctype, process.control, quotient_ir::Scope::Local, slot)
                .then_some((Some(process.proctype), slot)),
        }
    }

    /// The members of a set that can be exchanged with each other, where not all can. Each part is smaller than the set, so
    /// that dividing comes to an end.
    fn parts(&self, sets: &Sets, set: SetId) -> Vec<Vec<u8>> {
        let size = sets.sets[set].size;
        if size < 3 {
            return Vec::new();
        }
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let mut left: Vec<u8> = (0..size as u8).collect();
        while !left.is_empty() {
            let first = left.remove(0);
            let mut part = vec![first];
            left.retain(|&other| {
                let mut pair = sets.clone();
                let divided = pair.divide(set, &[vec![first, other]]);
                let like = self.group(&pair, divided[0], Group::Symmetric).is_ok();
                if like {
                    part.push(other);
                }
                !like
            });
            parts.push(part);
        }
        parts.retain(|part| part.len() > 1);
        // All can be exchanged with the first one, and yet not all with each other: two of them can.
        if let [all] = &mut parts[..]
            && all.len() == size
        {
            all.truncate(2);
        }
        parts
    }
}

/// Lets a symmetry leave variables that are excused out of account. What nobody ever reads names nobody.
fn leave_unread(subject: &Subject, symmetry: &mut Symmetry, generators: &[Permutations], excused: &BTreeSet<Ignored>) {
    symmetry.unread = unread(subject, symmetry, generators, excused);
    for &slot in &symmetry.unread.globals {
        symmetry.globals[slot].names = None;
    }
}

/// Where variables that are excused need not be told apart: at control states where they are dead, and where what they
/// change places with is dead, too.
fn unread(subject: &Subject, symmetry: &Symmetry, generators: &[Permutations], excused: &BTreeSet<Ignored>) -> Unread {
    let Subject { model, dead, .. } = *subject;
    if excused.is_empty() {
        return Unread::default();
    }
    let renamings: Vec<Renaming> = generators.iter().map(|p| Renaming::new(model, symmetry, p)).collect();
    let mut all = excused.clone();
    loop {
        let image = |renaming: &Renaming, &(owner, slot): &Ignored| match owner {
            None => (None, renaming.globals[slot]),
            Some(ty) => (Some(ty), renaming.locals[ty][slot]),
        };
        let images: Vec<Ignored> =
            renamings.iter().flat_map(|r| all.iter().map(|i| image(r, i)).collect::<Vec<_>>()).collect();
        let before = all.len();
        all.extend(images);
        if all.len() == before {
            break;
        }
    }
    let mut globals: Vec<usize> = all.iter().filter(|(owner, _)| owner.is_none()).map(|(_, slot)| *slot).collect();
    let whole = |slot: usize| dead.globals[slot];
    if !globals.iter().all(|&slot| whole(slot)) {
        globals.clear();
    }
    let of_state = |id: usize, state: usize| -> Vec<usize> {
        let own = all.iter().filter(|(owner, _)| *owner == Some(id)).map(|(_, slot)| *slot);
        own.filter(|&slot| dead.locals[id].get(state).is_some_and(|slots| slots[slot])).collect()
    };
    let mut locals: Vec<Vec<Vec<usize>>> = model
        .proctypes
        .iter()
        .enumerate()
        .map(|(id, p)| (0..p.states.len()).map(|state| of_state(id, state)).collect())
        .collect();
    loop {
        let mut changed = false;
        for renaming in &renamings {
            for id in 0..locals.len() {
                for state in 0..locals[id].len() {
                    let there = locals[id][renaming.controls[id][state]].clone();
                    let before = locals[id][state].len();
                    locals[id][state].retain(|&slot| there.contains(&renaming.locals[id][slot]));
                    changed |= locals[id][state].len() != before;
                }
            }
        }
        if !changed {
            return Unread { globals, locals };
        }
    }
}

/// Generators of a group on the members of a set.
pub fn generators(group: Group, size: usize) -> Vec<Vec<u8>> {
    let rotation = || (0..size).map(|k| ((k + 1) % size) as u8).collect();
    match group {
        Group::Cyclic => vec![rotation()],
        Group::Dihedral => vec![rotation(), (0..size).map(|k| ((size - k) % size) as u8).collect()],
        // An exchange and, if it is another one, a rotation.
        Group::Symmetric if size < 3 => vec![exchange(size, 0, 1)],
        Group::Symmetric => vec![exchange(size, 0, 1), rotation()],
    }
}
