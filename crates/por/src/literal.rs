//! SPIN's own partial-order reduction, for models that are made to count as SPIN does. It follows SPIN's rules word for word
//! ([`quotient_ir::spin`]), also where they lose errors: nothing is asked about ids of processes, about who holds a channel,
//! or about indices.

use quotient_ir::spin::{Sharing, are_made_for};
use quotient_ir::{Model, Place, Scope};

use crate::{Condition, MOST_CONDITIONS, Safety, statement_conditions};

/// When the moves of each control state are enough, by process type.
pub(crate) fn safety(model: &Model) -> Vec<Vec<Safety>> {
    (0..model.proctypes.len())
        .map(|id| (0..model.proctypes[id].states.len()).map(|state| state_safety(model, id, state)).collect())
        .collect()
}

fn state_safety(model: &Model, id: usize, state: usize) -> Safety {
    let proctype = &model.proctypes[id];
    let state = &proctype.states[state];
    let mut conditions: Vec<Condition> = Vec::new();
    for transition in &state.transitions {
        // The first of several statements that are carried out as one stands for all, and so does what it leads to.
        let leading = proctype.leading(transition.statement);
        let alone = proctype.statements[transition.statement].merged.len() <= 1;
        let observed = state.observed || (alone && proctype.states[transition.target].observed);
        if observed || is_shared(model, id, leading) {
            return Safety::Unsafe;
        }
        let Some(found) = statement_conditions(model, id, leading) else { return Safety::Unsafe };
        for condition in found {
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
    }
    if state.transitions.is_empty() || conditions.len() > MOST_CONDITIONS {
        return Safety::Unsafe;
    }
    Safety::Safe(conditions)
}

/// Whether a statement is shared, by itself or because its atomic sequence is.
fn is_shared(model: &Model, id: usize, statement: usize) -> bool {
    let proctype = &model.proctypes[id];
    if proctype.provided.is_some() {
        return true;
    }
    let promised = |channel: &Place, receive: bool| match channel.scope {
        // A promise about a global channel is believed in every process.
        Scope::Global => model
            .proctypes
            .iter()
            .any(|other| are_made_for(&other.exclusive, channel, receive, &model.globals, &other.slots)),
        Scope::Local => are_made_for(&proctype.exclusive, channel, receive, &model.globals, &proctype.slots),
    };
    let global_setup = |created: usize| model.proctypes[created].global_setup;
    let sharing = Sharing { globals: &model.globals, promised: &promised, global_setup: &global_setup };
    let statement = &proctype.statements[statement];
    match statement.block {
        None => sharing.action(&statement.action),
        Some(block) => {
            let inside =
                proctype.statements.iter().filter(|other| other.block == Some(block) && other.merged.is_empty());
            proctype.blocks[block].exits || inside.into_iter().any(|other| sharing.action(&other.action))
        }
    }
}
