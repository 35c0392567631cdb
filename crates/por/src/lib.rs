//! Partial-order reduction: at which control states the moves of one process alone are enough.
//!
//! The static rules are those measured on SPIN's verifiers (Holzmann and Peled's ample sets: a statement is local if it
//! touches nothing shared; channel operations under `xr`/`xs` promises are local while the channel is neither full nor
//! empty, as the case may be). It deviates where SPIN loses errors: see [`identity`] for models that observe process
//! ids or the number of processes, and the reading of globals in indices and `run` arguments.

pub mod identity;
mod live;
mod local;

use std::collections::HashSet;

use quotient_ir::{Action, Expr, MAX_INSTANCES, Model, Place, Probe, Proctype, Scope};

use identity::Identity;
use local::Locality;

/// What must hold at run time for the moves of a control state to be enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A property of every channel that these slots hold.
    Channels {
        /// What is asked.
        fill: Fill,
        /// Whose variables they are.
        scope: Scope,
        /// The slots.
        slots: Vec<usize>,
    },
    /// The process is the youngest, and nobody can tell that it dies now.
    Youngest,
    /// Nobody else holds a channel that the process created.
    ChannelsUnknown,
}

/// What is asked of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// It is not full.
    NotFull,
    /// It is not empty.
    NotEmpty,
    /// It is empty.
    Empty,
    /// It is full.
    Full,
    /// It is neither; asked instead of the first two when the model uses `unless`.
    Between,
}

/// When the moves of a control state are enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// Never.
    Unsafe,
    /// When all conditions hold; there may be none.
    Safe(Vec<Condition>),
}

/// The static part of the reduction of one model.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// By process type and control state.
    safety: Vec<Vec<Safety>>,
    /// By process type and control state: whether a process there may still create another.
    creates: Vec<Vec<bool>>,
    /// By process type and control state: the channel variables that may still be looked at.
    live: Vec<Vec<HashSet<usize>>>,
    identity: Identity,
}

/// More different conditions than this at one control state make it unsafe, as in SPIN.
const MOST_CONDITIONS: usize = 6;

/// Why a model cannot be reduced at all; `None` when it can. In such models every step can be seen by others.
pub fn obstacle(model: &Model) -> Option<&'static str> {
    let looks = |test: &dyn Fn(&Expr) -> bool| {
        model.process_types().any(|(_, p)| p.statements.iter().any(|s| s.action.any(test)))
    };
    if model.uses.last {
        Some("the model looks at `_last`")
    } else if model.uses.priority {
        Some("the model uses priorities")
    } else if model.uses.mixed_else {
        Some("an `else` stands beside channel operations")
    } else if looks(&|e| matches!(e, Expr::Enabled(_))) {
        Some("the model uses `enabled`")
    } else if looks(&|e| matches!(e, Expr::PcValue(_))) {
        Some("the model uses `pc_value`")
    } else if looks(&|e| matches!(e, Expr::NonProgress)) {
        Some("the model looks at `np_`")
    } else {
        None
    }
}

impl Reduction {
    /// Analyses a model that can be reduced (see [`obstacle`]).
    pub fn new(model: &Model) -> Self {
        let identity = Identity::new(model);
        let safety = (0..model.proctypes.len())
            .map(|id| {
                let locality = Locality { model, identity: &identity, proctype: id };
                let proctype = &model.proctypes[id];
                (0..proctype.states.len()).map(|state| state_safety(model, &locality, proctype, state)).collect()
            })
            .collect();
        let creates = model.proctypes.iter().map(creates).collect();
        let live = model.proctypes.iter().map(live::live_channels).collect();
        Reduction { safety, creates, live, identity }
    }

    /// When the moves of a control state are enough.
    #[inline]
    pub fn safety(&self, proctype: usize, state: usize) -> &Safety {
        &self.safety[proctype][state]
    }

    /// Whether a process at a control state may still look at a channel variable.
    pub fn is_live(&self, proctype: usize, state: usize, slot: usize) -> bool {
        self.live[proctype][state].contains(&slot) || self.identity.is_remote(proctype, slot)
    }

    /// Whether the death of the youngest process can be told by nobody; `others` gives the types and control states of
    /// the others.
    pub fn death_is_silent(&self, mut others: impl ExactSizeIterator<Item = (usize, usize)>) -> bool {
        let processes = others.len() + 1;
        processes < MAX_INSTANCES
            && self.identity.death_is_silent(processes, || others.any(|(ty, state)| self.creates[ty][state]))
    }
}

/// From which control states a `run` can be reached.
fn creates(proctype: &Proctype) -> Vec<bool> {
    let mut creates: Vec<bool> = proctype
        .states
        .iter()
        .map(|state| {
            state
                .transitions
                .iter()
                .any(|t| proctype.statements[t.statement].action.any(&|e| matches!(e, Expr::Run { .. })))
        })
        .collect();
    loop {
        let mut changed = false;
        for (id, state) in proctype.states.iter().enumerate() {
            if !creates[id] && state.transitions.iter().any(|t| creates[t.target]) {
                creates[id] = true;
                changed = true;
            }
        }
        if !changed {
            return creates;
        }
    }
}

fn state_safety(model: &Model, locality: &Locality, proctype: &Proctype, state: usize) -> Safety {
    let state = &proctype.states[state];
    let mut conditions: Vec<Condition> = Vec::new();
    for transition in &state.transitions {
        let observed = state.observed || proctype.states[transition.target].observed;
        let watched = matches!(proctype.statements[transition.statement].action, Action::End)
            && locality.identity.is_watched(locality.proctype);
        if observed || watched || locality.is_global(transition.statement) {
            return Safety::Unsafe;
        }
        let statement = &proctype.statements[transition.statement];
        let found = match (&statement.action, statement.block) {
            (Action::Deterministic(body), _) => {
                let direct = body.nodes.iter().flat_map(|node| &node.options).filter(|option| option.direct);
                sequence_conditions(model, locality.proctype, direct.map(|option| &option.action))
            }
            (_, Some(block)) => {
                let members = proctype.statements.iter().filter(|s| s.block == Some(block) && s.direct);
                sequence_conditions(model, locality.proctype, members.map(|s| &s.action))
            }
            (action, None) => action_conditions(model, locality.proctype, action),
        };
        let Some(mut found) = found else { return Safety::Unsafe };
        if found.contains(&Condition::Youngest) && locality.identity.shares_channels(locality.proctype) {
            found.push(Condition::ChannelsUnknown);
        }
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

/// The conditions of an atomic sequence: those of all its statements; `None` when there are more than two kinds.
fn sequence_conditions<'a>(
    model: &Model,
    proctype: usize,
    actions: impl Iterator<Item = &'a Action>,
) -> Option<Vec<Condition>> {
    let mut conditions: Vec<Condition> = Vec::new();
    for action in actions {
        if matches!(action, Action::Deterministic(_)) {
            continue;
        }
        for condition in action_conditions(model, proctype, action)? {
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
    }
    (conditions.len() <= 2).then_some(conditions)
}

/// The conditions of one statement; `None` when it makes its control state unsafe.
fn action_conditions(model: &Model, proctype: usize, action: &Action) -> Option<Vec<Condition>> {
    let fill = |wanted| match wanted {
        Fill::NotFull | Fill::NotEmpty if model.uses.unless => Fill::Between,
        wanted => wanted,
    };
    let channels = |wanted, place: &Place| Condition::Channels {
        fill: fill(wanted),
        scope: place.scope,
        slots: local::family(model, proctype, place),
    };
    Some(match action {
        Action::Send { channel, .. } => vec![channels(Fill::NotFull, channel)],
        Action::Receive { channel, .. } => vec![channels(Fill::NotEmpty, channel)],
        Action::End => vec![Condition::Youngest],
        Action::Condition(condition) => {
            let mut found = Vec::new();
            probes(condition, &mut |probe, place| {
                found.push(channels(
                    match probe {
                        Probe::Full => Fill::Full,
                        Probe::NotFull => Fill::NotFull,
                        Probe::Empty => Fill::Empty,
                        Probe::NotEmpty => Fill::NotEmpty,
                    },
                    place,
                ));
            });
            if found.len() > 2 {
                return None;
            }
            found
        }
        _ => Vec::new(),
    })
}

/// The probes of a condition, outside channel operations.
fn probes<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Probe, &'a Place)) {
    match expr {
        Expr::Probe(probe, place) => visit(*probe, place),
        Expr::Unary(_, a) => probes(a, visit),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
            probes(a, visit);
            probes(b, visit);
        }
        Expr::Cond(c, a, b) => {
            probes(c, visit);
            probes(a, visit);
            probes(b, visit);
        }
        _ => {}
    }
}
