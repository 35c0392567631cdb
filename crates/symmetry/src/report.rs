//! What was found, and why not more, in the user's words.

use quotient_ir::{Expr, Group, Model, SetId, Sort};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::classes::Use;
use crate::infer::{Inference, component};
use crate::sets::{Sets, describe};
use crate::start::{Start, writes};
use crate::verify::Difference;

/// A set in words: `S_4 on P[1..4] via flag[], values of turn`.
pub fn finding(model: &Model, start: &Start, inference: &Inference, sets: &Sets, set: SetId) -> String {
    let scalarset = &sets.sets[set];
    let letter = match scalarset.group {
        Group::Symmetric => "S",
        Group::Cyclic => "C",
        Group::Dihedral => "D",
    };
    let mut on: Vec<String> = Vec::new();
    for family in sets.families.iter().filter(|f| f.processes[0].1.iter().any(|(s, _)| *s == set)) {
        let pids: Vec<usize> = family.processes.iter().map(|(pid, _)| *pid).collect();
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
            let of_set = |node| sets.member(inference, node, 0).is_some_and(|(s, _)| s == set);
            let local = component.checked_sub(1).map_or(String::new(), |p| format!("{}:", model.proctypes[p].name));
            if (0..shape.lengths.len()).any(|d| of_set(inference.axis(component, number, d))) {
                via.push(format!("{local}{}", shape.pattern));
            }
            let alive = component == 0 || start.state.processes.iter().any(|p| p.proctype + 1 == component);
            if alive && of_set(inference.values[component][number]) {
                via.push(format!("values of {local}{}", shape.pattern));
            }
        }
    }
    for (ty, channel) in model.channels.iter().enumerate() {
        for (field, &node) in inference.fields[ty].iter().enumerate() {
            if sets.member(inference, node, 0).is_some_and(|(s, _)| s == set) {
                via.push(format!("field {} of {}", field + 1, channel.name));
            }
        }
    }
    let via = if via.is_empty() { String::new() } else { format!(" via {}", via.join(", ")) };
    format!("{letter}_{} on {}{via}", scalarset.size, on.join(", "))
}

/// Notes on variables that start out naming a member.
pub fn passing(model: &Model, start: &Start, differences: &[Difference]) -> Vec<String> {
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
pub fn beginning(
    model: &Model,
    start: &Start,
    inference: &Inference,
    sets: &Sets,
    set: SetId,
    difference: &Difference,
) -> Diagnostic {
    let name = &sets.sets[set].name;
    let family = sets.families.iter().find(|f| f.processes[0].1.iter().any(|(s, _)| *s == set));
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
    let root = inference.classes.find(node).0;
    let plain = inference.classes.uses.iter().find_map(|used| match &used.how {
        Use::Plain(how) if inference.classes.find(used.node).0 == root => Some((used, how)),
        _ => None,
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
pub fn most_telling<'d>(start: &Start, differences: &[&'d Difference]) -> Option<&'d Difference> {
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

/// Channel ids that are used as numbers: they could not be renamed.
pub fn channels_as_numbers(model: &Model, inference: &Inference) -> Option<Diagnostic> {
    let mut channels = std::collections::HashSet::new();
    let mut others = std::collections::HashMap::new();
    for (component, arrays) in inference.arrays.iter().enumerate() {
        for slot in 0..arrays.elements.len() {
            let (scalar, span) = match component {
                0 => (model.globals[slot].scalar, None),
                _ => (model.proctypes[component - 1].slots[slot].scalar, Some(model.proctypes[component - 1].span)),
            };
            let node = inference.value(component, slot);
            let root = inference.classes.find(node).0;
            if scalar.sort == Sort::Channel {
                channels.insert(root);
            } else {
                others.insert(root, (node, span));
            }
        }
    }
    for used in &inference.classes.uses {
        let is_number = match &used.how {
            Use::Plain(_) | Use::Ring { .. } => true,
            Use::Literal(value) => *value != 0,
            Use::Truth => false,
        };
        if is_number && channels.contains(&inference.classes.find(used.node).0) {
            let what = describe(model, inference, used.node);
            return Some(Diagnostic::warning(used.span, format!("the channel in {what} is used as a number")));
        }
    }
    let mixed = others.iter().filter(|(root, _)| channels.contains(*root)).min_by_key(|(root, _)| **root)?;
    let (node, span) = *mixed.1;
    let message = format!("{} is not a channel, but holds the number of one", describe(model, inference, node));
    Some(Diagnostic::warning(span.or_else(|| model.proctypes.first().map(|p| p.span)).unwrap_or_default(), message))
}

/// There is no family of processes.
pub fn nothing_to_exchange(model: &Model) -> Diagnostic {
    let span = model.proctypes.first().map_or(Span::default(), |p| p.span);
    Diagnostic::warning(span, "no two processes are of the same type")
}
