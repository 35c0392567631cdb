//! What was found, and why not more, in the user's words.

use quotient_ir::{Expr, Group, Model, SetId};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::Problem;
use crate::classes::Use;
use crate::infer::{Inference, component};
use crate::positions::holds;
use crate::sets::{Sets, describe, origin, plain};
use crate::start::{Start, writes};
use crate::verify::{Difference, asymmetric};

/// A set in words: `S_4 on P[1..4] via flag[], values of turn`.
pub(crate) fn finding(model: &Model, start: &Start, inference: &Inference, sets: &Sets, set: SetId) -> String {
    let scalarset = &sets.sets[set];
    let letter = match scalarset.group {
        Group::Symmetric => "S",
        Group::Cyclic => "C",
        Group::Dihedral => "D",
    };
    let mut on: Vec<String> = Vec::new();
    for family in sets.families.iter().filter(|f| f.is_of(set)) {
        let of_set = family.processes.iter().filter(|(_, members)| members.iter().any(|(s, _)| *s == set));
        let pids: Vec<usize> = of_set.map(|(pid, _)| *pid).collect();
        let name = &model.proctypes[family.proctype].name;
        on.push(match (pids.first(), pids.last()) {
            (Some(first), Some(last)) if last - first + 1 == pids.len() => format!("{name}[{first}..{last}]"),
            _ => format!("{name}{pids:?}"),
        });
    }
    if on.is_empty() {
        on.push(scalarset.name.clone());
    }
    let mut via: Vec<String> = Vec::new();
    for (component, arrays) in inference.arrays.iter().enumerate() {
        for (number, shape) in arrays.shapes.iter().enumerate() {
            let of_set = |node| sets.is_of(inference, node, set);
            let local = component.checked_sub(1).map_or(String::new(), |p| format!("{}:", model.proctypes[p].name));
            if (0..shape.lengths.len()).any(|d| of_set(inference.axis(component, number, d))) {
                via.push(format!("{local}{}", shape.pattern));
            }
            let alive = component == 0 || start.state.processes.iter().any(|p| p.proctype + 1 == component);
            let holds = || {
                let names = sets.names(inference, inference.values[component][number], 0);
                let slot = arrays.elements.iter().position(|element| element.shape == number);
                names.zip(slot).is_some_and(|(names, slot)| holds(model, component, slot, &names))
            };
            if alive && of_set(inference.values[component][number]) && holds() {
                via.push(format!("values of {local}{}", shape.pattern));
            }
        }
    }
    for (ty, channel) in model.channels.iter().enumerate() {
        for (field, &node) in inference.fields[ty].iter().enumerate() {
            if sets.is_of(inference, node, set) {
                via.push(format!("field {} of {}", field + 1, channel.name));
            }
        }
    }
    let owned = sets.owned.iter().filter(|(_, (_, member))| member.0 == set);
    via.extend(owned.map(|(slot, _)| model.globals[*slot].name.clone()));
    let via = if via.is_empty() { String::new() } else { format!(" via {}", via.join(", ")) };
    format!("{letter}_{} on {}{via}", scalarset.size, on.join(", "))
}

/// Why a set is not symmetric, in words: what is done with its members, if that explains it, or the statement that has no
/// partner.
pub(crate) fn because(
    model: &Model,
    start: &Start,
    inference: &Inference,
    sets: &Sets,
    set: SetId,
    problem: &Problem,
) -> Diagnostic {
    let name = &sets.sets[set].name;
    let (blame, permutation) = match problem {
        Problem::Beginning(reason) => return (**reason).clone(),
        Problem::None => return nothing_to_exchange(model),
        Problem::Code(blame, permutation) => (blame, permutation),
    };
    if let Some(reason) = telling_use(model, inference, sets, set) {
        return reason;
    }
    if let Some((proctype, span)) = oldest(start, inference, sets, set) {
        let name = &model.proctypes[proctype].name;
        let message = format!("the oldest `{name}` is singled out, but there are several");
        return Diagnostic::warning(span, message).help(format!("write `{name}[pid]`"));
    }
    asymmetric(model, name, permutation, blame)
}

/// Where the oldest process of a family is looked at.
fn oldest(start: &Start, inference: &Inference, sets: &Sets, set: SetId) -> Option<(usize, Span)> {
    let several = |proctype: usize| start.state.processes.iter().filter(|p| p.proctype == proctype).count() > 1;
    let of_set = |proctype: usize| sets.families.iter().any(|f| f.proctype == proctype && f.is_of(set));
    inference.named.iter().copied().find(|&(proctype, _)| several(proctype) && of_set(proctype))
}

/// A use of members that depends on more than which member it is.
fn telling_use(model: &Model, inference: &Inference, sets: &Sets, set: SetId) -> Option<Diagnostic> {
    let name = &sets.sets[set].name;
    let inferred = origin(model, sets, set);
    for used in &inference.classes.uses {
        let Some(names) = sets.names(inference, used.node, used.offset) else { continue };
        let values: Vec<i32> = names.values.iter().filter(|(_, s, _)| *s == set).map(|(v, _, _)| *v).collect();
        let (Some(&first), Some(&last)) = (values.iter().min(), values.iter().max()) else { continue };
        let what = describe(model, inference, used.node);
        let tell = |message: String, help: &str| {
            let stands = format!("{what} stands for one of `{name}`");
            Some(Diagnostic::warning(used.span, message).related(inferred, stands).help(help))
        };
        match &used.how {
            Use::Plain(how) => {
                return tell(
                    format!("{what} {how}"),
                    "members may only be compared with `==` and `!=`, assigned, sent, and used as indices",
                );
            }
            Use::Truth if values.contains(&0) => {
                return tell(
                    format!("{what} is used as a truth value, but 0 is a member"),
                    "compare it with a value that is not a member",
                );
            }
            Use::Ring { modulus, .. } if *modulus as usize != values.len() || first != 0 => {
                return tell(
                    format!("{what} is computed with, modulo {modulus}, but the members are {first} to {last}"),
                    "steps around a ring of n members are written `(i + 1) % n` with members from 0 on",
                );
            }
            Use::Truth | Use::Literal(_) | Use::Ring { .. } => {}
        }
    }
    None
}

/// Notes on variables that start out naming a member.
pub(crate) fn passing(model: &Model, start: &Start, differences: &[Difference]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for difference in differences {
        let Some(slot) = difference.slot else { continue };
        let note = format!("{} starts out naming one member", variable(model, start, difference, slot));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

fn variable(model: &Model, start: &Start, difference: &Difference, slot: usize) -> String {
    match difference.process {
        None => format!("`{}`", model.globals[slot].name),
        Some(pid) => {
            let proctype = &model.proctypes[start.state.processes[pid].proctype];
            format!("`{}` of {}[{pid}]", proctype.slots[slot].name, proctype.name)
        }
    }
}

/// Why the state in which all processes exist is not symmetric.
pub(crate) fn beginning(
    model: &Model,
    start: &Start,
    inference: &Inference,
    sets: &Sets,
    set: SetId,
    difference: &Difference,
) -> Diagnostic {
    let name = &sets.sets[set].name;
    let family = sets.families.iter().find(|f| f.is_of(set));
    let span = match difference.process {
        Some(pid) => model.proctypes[start.state.processes[pid].proctype].span,
        None => family.map_or_else(
            || model.declared.sets.get(set).map_or(Span::default(), |s| s.span),
            |f| model.proctypes[f.proctype].span,
        ),
    };
    let Some(slot) = difference.slot else {
        let what = if difference.process.is_some() { "priorities or places" } else { "channels" };
        return Diagnostic::warning(span, format!("the {what} of `{name}` are not alike in the beginning"));
    };
    let (component, value) = match difference.process {
        None => (0, start.state.globals[slot]),
        Some(pid) => (start.state.processes[pid].proctype + 1, start.state.processes[pid].locals[slot]),
    };
    let node = inference.value(component, slot);
    let plain = plain(inference, node).and_then(|used| match &used.how {
        Use::Plain(how) => Some((used, how)),
        Use::Truth | Use::Literal(_) | Use::Ring { .. } => None,
    });
    let what = variable(model, start, difference, slot);
    let message = format!("the members of `{name}` are not alike in the beginning: {what} is {value}");
    let at = assigned(start, component, slot, difference.process.is_some()).unwrap_or(span);
    match plain {
        Some((used, how)) => Diagnostic::warning(used.span, format!("{} {how}", describe(model, inference, used.node)))
            .label("depends on more than which member it is")
            .related(at, format!("{what} starts as {value} and others with other values, so it tells `{name}` apart"))
            .help("compare ids with `==` and `!=` only, and use them as indices; use another variable for numbers"),
        None => Diagnostic::warning(at, message)
            .help("give all members the same initial value, or one that stands for none of them"),
    }
}

/// The difference to report: one that `init` made, if there is one.
pub(crate) fn most_telling<'d>(start: &Start, differences: &[&'d Difference]) -> Option<&'d Difference> {
    let made = |d: &&&Difference| d.process.is_none() && d.slot.is_some_and(|s| assigned(start, 0, s, false).is_some());
    differences.iter().find(made).or_else(|| differences.first()).copied()
}

/// Where `init` gave a variable its value, or created the process.
fn assigned(start: &Start, component_of: usize, slot: usize, local: bool) -> Option<Span> {
    let mut found = None;
    for (action, span) in &start.executed {
        writes(action, &mut |place| {
            if component(place.scope, usize::MAX - 1) == component_of && place.all_slots().contains(&slot) {
                found = Some(*span);
            }
        });
        let creates = |e: &Expr| matches!(e, Expr::Run { proctype, .. } if proctype + 1 == component_of);
        if local && found.is_none() && action.any(&creates) {
            found = Some(*span);
        }
    }
    found
}

/// There is no family of processes.
pub(crate) fn nothing_to_exchange(model: &Model) -> Diagnostic {
    let span = model.proctypes.first().map_or(Span::default(), |p| p.span);
    Diagnostic::warning(span, "no two processes are of the same type")
}
