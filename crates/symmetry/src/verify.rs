//! Verification: a renaming is accepted only when it leaves the model as it is, word for word in normal form. That the
//! state in which all processes exist is left as it is, too, is what makes the renaming worth while.

use quotient_ir::effects;
use quotient_ir::{Deterministic, Model, ProctypeKind, Scope, SetId, Sort, Symmetry, Unordered};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::act::{act, renaming};
use crate::infer::Inference;
use crate::normal::{Normal, Rename};
use crate::sets::Sets;
use crate::start::{Start, statements};

/// Why a renaming changes the model; nothing if it does not.
pub fn code(
    model: &Model,
    start: &Start,
    inference: &Inference,
    sets: &Sets,
    rename: &Rename,
) -> Result<(), Diagnostic> {
    for (id, proctype) in model.proctypes.iter().enumerate() {
        if proctype.kind == ProctypeKind::Claim {
            continue;
        }
        let normal = |rename| Normal { model, inference, sets, proctype: id, rename };
        let (plain, renamed) = (normal(None), normal(Some(rename)));
        let states = proctype.states.iter().zip(&start.reachable[id]).filter(|(_, reached)| **reached);
        for (state, _) in states {
            let line = |normal: &Normal, index: usize| {
                let transition = &state.transitions[index];
                let action = normal.action(&proctype.statements[transition.statement].action);
                format!("{action} -> {} {} {}", transition.target, transition.atomic, transition.escape)
            };
            let before: Vec<String> = (0..state.transitions.len()).map(|i| line(&plain, i)).collect();
            let mut after: Vec<String> = (0..state.transitions.len()).map(|i| line(&renamed, i)).collect();
            for (index, text) in before.iter().enumerate() {
                match after.iter().position(|other| other == text) {
                    Some(same) => drop(after.swap_remove(same)),
                    None => {
                        let statement = &proctype.statements[state.transitions[index].statement];
                        return Err(asymmetric(sets, rename, statement.span, &statement.text));
                    }
                }
            }
        }
        if let Some(provided) = &proctype.provided
            && plain.expr(provided, None) != renamed.expr(provided, None)
        {
            return Err(asymmetric(sets, rename, proctype.span, "provided"));
        }
        for promise in &proctype.exclusive {
            if plain.place(&promise.channel, id) != renamed.place(&promise.channel, id) {
                return Err(asymmetric(sets, rename, promise.span, "xr or xs"));
            }
        }
    }
    Ok(())
}

fn asymmetric(sets: &Sets, rename: &Rename, span: Span, text: &str) -> Diagnostic {
    let name = &sets.sets[rename.set].name;
    let moved: Vec<String> = rename
        .permutation
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

/// Checks that the iterations of loops over a scalarset may really be carried out in any order.
pub fn loops(model: &Model, start: &Start) -> Result<(), Diagnostic> {
    for id in 0..model.proctypes.len() {
        for statement in statements(model, id, &start.reachable[id]) {
            if let quotient_ir::Action::Deterministic(body) = &statement.action {
                for unordered in &body.loops {
                    independent(model, id, body, unordered)?;
                }
            }
        }
    }
    Ok(())
}

fn independent(model: &Model, id: usize, body: &Deterministic, unordered: &Unordered) -> Result<(), Diagnostic> {
    let Some((span, scope, slot)) = effects::ordered(body, unordered) else { return Ok(()) };
    let name = match scope {
        Scope::Global => &model.globals[slot].name,
        Scope::Local => &model.proctypes[id].slots[slot].name,
    };
    let message = format!("the iterations of this loop depend on their order: they share `{name}`");
    Err(Diagnostic::error(span, message).related(unordered.span, "over a scalarset, whose members have no order"))
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

/// What renamings of a set change in the state in which all processes exist.
pub fn beginning(
    model: &Model,
    start: &Start,
    symmetry: &Symmetry,
    sets: &Sets,
    set: SetId,
    generators: &[Rename],
) -> Vec<Difference> {
    let mut differences = Vec::new();
    for generator in generators {
        let before = &start.state;
        let after = act(model, symmetry, &renaming(symmetry, set, &generator.permutation), before);
        let passing = |component: usize, slot: usize, scalar: quotient_ir::Scalar| {
            matches!(scalar.sort, Sort::Member { .. }) && !sets.constants.contains(&(component, slot))
        };
        for (slot, (a, b)) in before.globals.iter().zip(&after.globals).enumerate() {
            if a != b {
                let passing = passing(0, slot, model.globals[slot].scalar);
                differences.push(Difference { process: None, slot: Some(slot), passing });
            }
        }
        for (pid, (a, b)) in before.processes.iter().zip(&after.processes).enumerate() {
            let proctype = a.proctype;
            for (slot, (x, y)) in a.locals.iter().zip(&b.locals).enumerate() {
                if x != y {
                    let scalar = model.proctypes[proctype].slots[slot].scalar;
                    let passing = passing(proctype + 1, slot, scalar);
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
