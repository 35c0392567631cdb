//! Verification: a renaming is accepted only if it is proved to commute with every step, by the rules of
//! [`crate::rules`]. Whatever was guessed before, nothing is believed here.
//!
//! The proof is for all states whose values lie in the ranges. [`close`] makes the ranges hold for the renamed selves of
//! all states that are reached, so that generators may be applied one after the other.

use std::cell::RefCell;
use std::collections::BTreeSet;

use quotient_ir::dead::Dead;
use quotient_ir::{Element, Model, ProctypeKind, Scope, Sort, Symmetry};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::act::{Permutations, Renaming};
use crate::automaton::{Partners, compare, compare_trace};
use crate::ranges::Ranges;
use crate::rules::Rules;
use crate::start::Start;
use crate::values::Values;

/// What a proof is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The model.
    pub model: &'a Model,
    /// The state in which all processes exist.
    pub start: &'a Start,
    /// What nobody will read.
    pub dead: &'a Dead,
    /// What values can be in the states that are reached.
    pub ranges: &'a Ranges,
}

/// Why a renaming is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blame {
    /// A statement of a process type.
    Statement(usize, usize),
    /// A process type: its `provided` clause, or the shape of its code.
    Type(usize, &'static str),
    /// A promise of a process type.
    Promise(usize, usize),
    /// Something that does not fit together: which, in words.
    Misfit(String),
}

/// A variable that nobody will read: whose, and which.
pub type Ignored = (Option<usize>, usize);

/// Makes ranges hold for renamed states, too.
pub fn close(subject: &Subject, symmetry: &Symmetry, ranges: &mut Ranges, renamings: &[Renaming]) {
    let Subject { model, start, .. } = *subject;
    let names = |elements: &[Element], slot: usize| elements.get(slot).and_then(|e| e.names);
    loop {
        let mut grown = false;
        for renaming in renamings {
            let image = |values: &Values, sort: Sort, names: Option<usize>| match values.list() {
                Some(values) => Values::Some(values.map(|v| renaming.value(sort, names, v)).collect()),
                None => values.clone(),
            };
            let mut add = |to: &mut Values, values: Values| {
                let joined = to.join(&values);
                grown |= joined != *to;
                *to = joined;
            };
            for (slot, &to) in renaming.globals.iter().enumerate() {
                let sort = model.globals[slot].scalar.sort;
                let values = image(&ranges.globals[slot], sort, names(&symmetry.globals, slot));
                add(&mut ranges.globals[to], values);
            }
            for (id, slots) in renaming.locals.iter().enumerate() {
                for (slot, &to) in slots.iter().enumerate() {
                    let sort = model.proctypes[id].slots[slot].scalar.sort;
                    let of_type = symmetry.locals.get(id).map_or(&[][..], |locals| locals);
                    let values = image(&ranges.locals[id][slot], sort, names(of_type, slot));
                    add(&mut ranges.locals[id][to], values);
                }
            }
            for (channel, &to) in renaming.channels.iter().enumerate() {
                let (ty, there) = (start.state.channels[channel].ty, start.state.channels[to].ty);
                for (field, scalar) in model.channels[ty].fields.iter().enumerate() {
                    let names = symmetry.fields.get(ty).and_then(|fields| fields.get(field).copied().flatten());
                    let values = image(&ranges.fields[ty][field], scalar.sort, names);
                    if let Some(field) = ranges.fields[there].get_mut(field) {
                        add(field, values);
                    }
                }
            }
        }
        if !grown {
            return;
        }
    }
}

/// Proves that renamings commute with every step. `excused` gets the variables for which that holds only because nobody
/// will read them; with `None`, those that the symmetry says nobody reads are.
pub fn prove(
    subject: &Subject,
    symmetry: &Symmetry,
    permutations: &[Permutations],
    excused: Option<&RefCell<BTreeSet<Ignored>>>,
) -> Result<(), Blame> {
    let model = subject.model;
    let renamings: Vec<Renaming> = permutations.iter().map(|p| Renaming::new(model, symmetry, p)).collect();
    for renaming in &renamings {
        well_formed(subject, symmetry, renaming)?;
    }
    let mut ranges = subject.ranges.clone();
    close(subject, symmetry, &mut ranges, &renamings);
    renamings.iter().try_for_each(|renaming| commutes(subject, symmetry, &ranges, renaming, excused))
}

/// Proves that one renaming commutes with every step.
fn commutes(
    subject: &Subject,
    symmetry: &Symmetry,
    ranges: &Ranges,
    renaming: &Renaming,
    excused: Option<&RefCell<BTreeSet<Ignored>>>,
) -> Result<(), Blame> {
    let Subject { model, start, dead, .. } = *subject;
    for (id, proctype) in model.proctypes.iter().enumerate() {
        let rules = Rules { model, state: &start.state, ranges, symmetry, renaming, proctype: id, guess: None };
        match proctype.kind {
            // Temporal properties are not checked yet.
            ProctypeKind::Claim | ProctypeKind::Function => continue,
            ProctypeKind::Trace => {
                compare_trace(&rules).map_err(|statement| Blame::Statement(id, statement))?;
                continue;
            }
            ProctypeKind::Process | ProctypeKind::Init => {}
        }
        let unread = |control: usize, scope: Scope, slot: usize| {
            let Some(excused) = excused else {
                let unread = &symmetry.unread;
                return match scope {
                    Scope::Global => unread.globals.contains(&slot),
                    Scope::Local => {
                        let slots = unread.locals.get(id).and_then(|of_type| of_type.get(control));
                        slots.is_some_and(|slots| slots.contains(&slot))
                    }
                };
            };
            let is_dead = dead.is_dead(id, control, scope, slot);
            if is_dead {
                excused.borrow_mut().insert(((scope == Scope::Local).then_some(id), slot));
            }
            is_dead
        };
        let mut partners = Partners::fixed(&renaming.controls[id]);
        compare(&rules, &starts(subject, id), &mut partners, &unread).map_err(|statement| blame(id, statement))?;
        if let Some(provided) = &proctype.provided
            && !rules.truth(provided, provided)
        {
            return Err(Blame::Type(id, "provided"));
        }
        for (number, promise) in proctype.exclusive.iter().enumerate() {
            let same = |other: &quotient_ir::Exclusive| {
                other.receive == promise.receive && rules.channel(&promise.channel, &other.channel)
            };
            if !proctype.exclusive.iter().any(same) {
                return Err(Blame::Promise(id, number));
            }
        }
    }
    Ok(())
}

/// The control states from which processes of a type go on once all processes exist.
pub fn starts(subject: &Subject, proctype: usize) -> Vec<usize> {
    let own = subject.start.state.processes.iter().filter(|p| p.proctype == proctype).map(|p| p.control);
    let mut starts: Vec<usize> = own.collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

pub(crate) fn blame(proctype: usize, statement: usize) -> Blame {
    match statement {
        usize::MAX => Blame::Type(proctype, "code"),
        statement => Blame::Statement(proctype, statement),
    }
}

/// Checks that a renaming is one: everything goes somewhere, and only to its like.
pub(crate) fn well_formed(subject: &Subject, symmetry: &Symmetry, renaming: &Renaming) -> Result<(), Blame> {
    let Subject { model, start, .. } = *subject;
    let misfit = |what: &str| Err(Blame::Misfit(what.to_string()));
    let one_to_one = |to: &[usize], count: usize| {
        to.len() == count && to.iter().copied().collect::<BTreeSet<usize>>() == (0..count).collect()
    };
    for moved in &renaming.names {
        let images: BTreeSet<i32> = moved.values().copied().collect();
        if images != moved.keys().copied().collect() {
            return misfit("names");
        }
    }
    let state = &start.state;
    if !one_to_one(&renaming.processes, state.processes.len())
        || renaming
            .processes
            .iter()
            .enumerate()
            .any(|(p, &q)| state.processes[p].proctype != state.processes[q].proctype)
    {
        return misfit("processes");
    }
    if !one_to_one(&renaming.channels, state.channels.len())
        || renaming.channels.iter().enumerate().any(|(c, &d)| {
            let (a, b) = (&state.channels[c], &state.channels[d]);
            !alike(model, symmetry, renaming, a.ty, b.ty) || a.owner.map(|p| renaming.processes[p]) != b.owner
        })
    {
        return misfit("channels");
    }
    let components = std::iter::once((&model.globals, &renaming.globals, Some(&symmetry.globals))).chain(
        model.proctypes.iter().enumerate().map(|(id, p)| (&p.slots, &renaming.locals[id], symmetry.locals.get(id))),
    );
    for (slots, to, elements) in components {
        let names = |slot: usize| elements.and_then(|e| e.get(slot)).and_then(|e| e.names);
        let like = |(from, &to): (usize, &usize)| {
            let (a, b) = (&slots[from], &slots[to]);
            // One way of naming on both sides, or none of the values moves on either.
            let naming = |at: usize| names(at).map(|n| &renaming.names[n]).filter(|moved| !moved.is_empty());
            let fits = naming(from).is_none_or(|moved| {
                moved.iter().all(|(v, w)| a.scalar.truncate(*v) == *v && a.scalar.truncate(*w) == *w)
            });
            a.scalar == b.scalar && a.hidden == b.hidden && a.private == b.private && naming(from) == naming(to) && fits
        };
        if !one_to_one(to, slots.len()) || !to.iter().enumerate().all(like) {
            return misfit("variables");
        }
    }
    for (ty, channel) in model.channels.iter().enumerate() {
        for (field, scalar) in channel.fields.iter().enumerate() {
            let names = symmetry.fields.get(ty).and_then(|fields| fields.get(field).copied().flatten());
            let moved = names.map(|names| &renaming.names[names]);
            let fits = |moved: &std::collections::BTreeMap<i32, i32>| {
                moved.iter().all(|(v, w)| scalar.truncate(*v) == *v && scalar.truncate(*w) == *w)
            };
            if !moved.is_none_or(fits) {
                return misfit("message fields");
            }
        }
    }
    for (id, proctype) in model.proctypes.iter().enumerate() {
        if !one_to_one(&renaming.controls[id], proctype.states.len()) {
            return misfit("control states");
        }
    }
    let creator_moves = start.creator.is_some_and(|creator| renaming.processes[creator] != creator);
    if creator_moves { misfit("the process that creates the others") } else { Ok(()) }
}

/// Whether two declarations make channels of the same kind, whose messages are renamed alike.
fn alike(model: &Model, symmetry: &Symmetry, renaming: &Renaming, a: usize, b: usize) -> bool {
    let moved = |ty: usize, field: usize| {
        let names = symmetry.fields.get(ty).and_then(|fields| fields.get(field).copied().flatten());
        names.map(|names| &renaming.names[names]).filter(|moved| !moved.is_empty())
    };
    let (one, other) = (&model.channels[a], &model.channels[b]);
    one.capacity == other.capacity
        && one.fields == other.fields
        && (0..one.fields.len()).all(|field| moved(a, field) == moved(b, field))
}

/// A statement that does not treat all members alike, in words.
pub fn asymmetric(model: &Model, name: &str, permutation: &[u8], blame: &Blame) -> Diagnostic {
    let (span, text): (Span, &str) = match blame {
        Blame::Statement(proctype, statement) => {
            let statement = &model.proctypes[*proctype].statements[*statement];
            (statement.span, &statement.text)
        }
        Blame::Type(proctype, what) => (model.proctypes[*proctype].span, what),
        Blame::Promise(proctype, promise) => (model.proctypes[*proctype].exclusive[*promise].span, "xr or xs"),
        Blame::Misfit(what) => {
            let message = format!("the {what} of `{name}` are not alike");
            return Diagnostic::global(message);
        }
    };
    let moved: Vec<String> = permutation
        .iter()
        .enumerate()
        .filter(|&(k, &member)| k != usize::from(member))
        .map(|(k, member)| format!("{k} as {member}"))
        .collect();
    let text = if text.chars().count() > 60 { "this statement" } else { &format!("`{text}`") };
    Diagnostic::warning(span, format!("{text} does not treat all of `{name}` alike"))
        .label(format!("not the same with member {} ", moved.join(", ")).trim_end().to_string())
        .help("treat members by variables, not by number; over all of them write `forall`, `exists`, `count` or `for`")
}

/// A variable that a renaming changes in the state in which all processes exist.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Whose variable it is: a process, or none for a global one.
    pub process: Option<usize>,
    /// Its slot; `None` for anything else in the state.
    pub slot: Option<usize>,
    /// It is only a matter of which member a variable starts with, and that can change.
    pub passing: bool,
}

/// What renamings change in the state in which all processes exist. `constant` tells which variables never change.
pub fn beginning(
    subject: &Subject,
    symmetry: &Symmetry,
    permutations: &[Permutations],
    constant: &dyn Fn(usize, usize) -> bool,
) -> Vec<Difference> {
    let Subject { model, start, .. } = *subject;
    let mut differences = Vec::new();
    let before = crate::act::forget(symmetry, &start.state);
    for permutations in permutations {
        let renaming = Renaming::new(model, symmetry, permutations);
        let after = crate::act::forget(symmetry, &renaming.act(model, symmetry, &start.state));
        let named = |elements: Option<&Vec<Element>>, slot: usize| {
            elements.and_then(|e| e.get(slot)).is_some_and(|e| e.names.is_some())
        };
        for (slot, (a, b)) in before.globals.iter().zip(&after.globals).enumerate() {
            if a != b {
                let passing = named(Some(&symmetry.globals), slot) && !constant(0, slot);
                differences.push(Difference { process: None, slot: Some(slot), passing });
            }
        }
        for (pid, (a, b)) in before.processes.iter().zip(&after.processes).enumerate() {
            let proctype = a.proctype;
            for (slot, (x, y)) in a.locals.iter().zip(&b.locals).enumerate() {
                if x != y {
                    let passing = named(symmetry.locals.get(proctype), slot) && !constant(proctype + 1, slot);
                    differences.push(Difference { process: Some(pid), slot: Some(slot), passing });
                }
            }
            if (a.control, a.priority) != (b.control, b.priority) {
                differences.push(Difference { process: Some(pid), slot: None, passing: false });
            }
        }
        if before.channels != after.channels {
            differences.push(Difference { process: None, slot: None, passing: false });
        }
    }
    differences
}
