//! Which channel variables a process may still look at. A channel that only dead variables hold is as good as unknown.

use std::collections::HashSet;

use quotient_ir::{Action, Expr, Pattern, Place, Proctype, Scope, Sort};

/// For each control state, the local channel variables that may be read before they are written.
pub(crate) fn live_channels(proctype: &Proctype) -> Vec<HashSet<usize>> {
    let channels: Vec<usize> =
        (0..proctype.slots.len()).filter(|&slot| proctype.slots[slot].scalar.sort == Sort::Channel).collect();
    let mut live = vec![HashSet::new(); proctype.states.len()];
    let effects: Vec<(HashSet<usize>, HashSet<usize>)> =
        proctype.statements.iter().map(|s| (reads(&s.action, &channels), writes(&s.action))).collect();
    loop {
        let mut changed = false;
        for (id, state) in proctype.states.iter().enumerate().rev() {
            let mut found: HashSet<usize> = HashSet::new();
            for transition in &state.transitions {
                let (reads, writes) = &effects[transition.statement];
                found.extend(reads);
                found.extend(live[transition.target].difference(writes));
            }
            if found.len() > live[id].len() {
                live[id] = found;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

fn reads(action: &Action, channels: &[usize]) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut add = |place: &Place| {
        if place.scope == Scope::Local {
            found.extend(place.all_slots().into_iter().filter(|slot| channels.contains(slot)));
        }
    };
    operands(action, &mut add);
    action.walk(&mut |e| match e {
        Expr::Read(place) => add(place),
        Expr::Length(place) | Expr::Probe(_, place) | Expr::Poll { channel: place, .. } => add(place),
        _ => {}
    });
    found
}

/// The channels that sends and receives name.
fn operands(action: &Action, add: &mut dyn FnMut(&Place)) {
    match action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => add(channel),
        Action::Deterministic(body) => body.actions().for_each(|a| operands(a, add)),
        _ => {}
    }
}

/// Variables that the statement certainly writes.
fn writes(action: &Action) -> HashSet<usize> {
    let plain = |place: &Place| (place.scope == Scope::Local && place.indices.is_empty()).then_some(place.slot);
    let bound = |pattern: &[Pattern]| {
        let slot = |part: &Pattern| match part {
            Pattern::Bind(place) => plain(place),
            _ => None,
        };
        pattern.iter().filter_map(slot).collect::<HashSet<usize>>()
    };
    match action {
        Action::Assign(place, _) => plain(place).into_iter().collect(),
        Action::Receive { pattern, .. } => bound(pattern),
        Action::Heap(action) => action.pattern().map_or(HashSet::new(), bound),
        _ => HashSet::new(),
    }
}
