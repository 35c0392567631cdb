//! Renamings of states of the reference interpreter: the meaning of a [`Symmetry`], written to be read. Representative
//! functions do the same on bytes; tests hold them to this.

use std::collections::HashMap;

use quotient_ir::{Model, Position, Scalar, SetId, Sort, Symmetry};
use quotient_step::reference::{Process, State};

/// A permutation for each scalarset: member `k` of set `s` becomes `renaming[s][k]`.
pub type Renaming = Vec<Vec<u8>>;

/// The renaming that changes nothing.
pub fn identity(symmetry: &Symmetry) -> Renaming {
    symmetry.sets.iter().map(|set| (0..set.size as u8).collect()).collect()
}

/// The identity but for one set.
pub fn renaming(symmetry: &Symmetry, set: SetId, permutation: &[u8]) -> Renaming {
    let mut renaming = identity(symmetry);
    renaming[set] = permutation.to_vec();
    renaming
}

/// Whether a state has the processes and channels that the symmetry speaks of.
pub fn applies(symmetry: &Symmetry, state: &State) -> bool {
    state.processes.len() == symmetry.processes.len() && state.channels.len() == symmetry.channels.len()
}

/// Renames a state. The state must be one to which the symmetry applies.
pub fn act(model: &Model, symmetry: &Symmetry, renaming: &Renaming, state: &State) -> State {
    let channels = targets(&symmetry.channels, renaming);
    let value = |scalar: Scalar, value: i32| match scalar.sort {
        Sort::Member { set, first } => {
            let permutation = &renaming[usize::from(set)];
            let first = i32::from(first);
            match usize::try_from(value - first).ok().and_then(|k| permutation.get(k)) {
                Some(&member) => first + i32::from(member),
                None => value,
            }
        }
        Sort::Channel => match usize::try_from(value - 1).ok().and_then(|c| channels.get(c)) {
            Some(&channel) => channel as i32 + 1,
            None => value,
        },
        Sort::Plain | Sort::Process => value,
    };
    let mut renamed = state.clone();
    for (slot, target) in targets(&symmetry.globals, renaming).into_iter().enumerate() {
        renamed.globals[target] = value(model.globals[slot].scalar, state.globals[slot]);
    }
    for (process, target) in targets(&symmetry.processes, renaming).into_iter().enumerate() {
        let Process { proctype, control, priority, locals } = &state.processes[process];
        let mut moved = locals.clone();
        for (slot, place) in targets(&symmetry.locals[*proctype], renaming).into_iter().enumerate() {
            moved[place] = value(model.proctypes[*proctype].slots[slot].scalar, locals[slot]);
        }
        let process = Process { proctype: *proctype, control: *control, priority: *priority, locals: moved };
        renamed.processes[target] = process;
    }
    for (channel, &target) in channels.iter().enumerate() {
        let from = &state.channels[channel];
        let fields = &model.channels[from.ty].fields;
        let rename = |message: &Vec<i32>| message.iter().zip(fields).map(|(&v, &field)| value(field, v)).collect();
        // A channel lives and dies with its place, not with its content.
        renamed.channels[target].messages = from.messages.iter().map(rename).collect();
    }
    renamed
}

/// Where each element goes.
pub fn targets(positions: &[Position], renaming: &Renaming) -> Vec<usize> {
    let at: HashMap<&Position, usize> = positions.iter().enumerate().map(|(i, p)| (p, i)).collect();
    positions
        .iter()
        .enumerate()
        .map(|(own, position)| {
            if position.members.is_empty() {
                return own;
            }
            let members = position.members.iter().map(|&(set, k)| (set, renaming[set][usize::from(k)])).collect();
            at.get(&Position { class: position.class, members }).copied().unwrap_or(own)
        })
        .collect()
}
