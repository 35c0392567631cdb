//! Partial-order reduction: at which control states the moves of one process alone are enough.
//!
//! The static rules are those measured on SPIN's verifiers (Holzmann and Peled's ample sets: a statement is local if it
//! touches nothing shared; channel operations under `xr`/`xs` promises are local while the channel is neither full nor
//! empty, as the case may be). It deviates where SPIN loses errors: see [`identity`] for models that observe process
//! ids or the number of processes, the reading of globals in indices and `run` arguments, and [`promise`] for what is
//! believed of promises.
//!
//! # Where things are
//!
//! - `promise.rs` says what is believed of `xr`, `xs` and `local`, from when and for how long, how it is checked, and why
//!   that is enough; `channels.rs` has the uses of channels and where channels can flow, `after.rs` who may still use one
//!   when the maker of a promise ends.
//! - `local.rs`: which statements touch nothing shared. `identity.rs`: what a model can tell about ids, deaths and the
//!   number of processes. `live.rs`: which channel variables a process may still use.
//! - `literal.rs` is SPIN's own reduction, for models that are made to count as SPIN does. Nothing else may rest on it.
//! - `view.rs`: what a temporal property sees; no step that it may see is local.
//! - `sticky.rs`: at which control states a process is never chosen to move alone, so that cycles are cut before the
//!   search.
//! - `obstacle` says why a model cannot be reduced at all.
//!
//! # What must stay true
//!
//! - A reduction never changes a verdict. In doubt it says *unsafe*. Nothing is believed that is not checked in every
//!   state, unless the user asks for `--count-as spin`. The rules match on every kind of action and expression, so that a
//!   new one does not compile until someone has thought about it.

#![forbid(unsafe_code)]

mod after;
mod channels;
mod heap;
pub mod identity;
mod literal;
mod live;
mod local;
pub mod promise;
mod sticky;
mod view;

use std::collections::HashSet;

use quotient_ir::{Action, Expr, Model, Place, Probe, Proctype, Scope, Transition};

pub use after::Users;
use channels::{Use, action_uses};
#[doc(hidden)]
pub use heap::HeapRule;
use heap::HeapRules;
use identity::Identity;
use local::Locality;
use promise::Promises;
pub use view::{Rule, View};

/// What is believed without being checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Trust {
    /// Nothing.
    #[default]
    Nothing,
    /// What SPIN believes: that `local` variables are used by one process, and that nobody notices that a channel
    /// operation is blocked. Errors can be lost.
    Spin,
}

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
    /// The process can be removed now (see [`quotient_ir::Termination`]), and nobody can tell that it dies.
    Youngest,
    /// Nobody else holds a channel that the process created.
    ChannelsUnknown,
    /// In a model with a heap: no other process can start one any more.
    NobodyStarts,
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
    /// By process type and control state: whether it is safe on some condition, and not sticky.
    free: Vec<Vec<bool>>,
    /// By process type and control state: whether a process there may still create another.
    creates: Vec<Vec<bool>>,
    /// By process type and control state: the channel variables that may still be looked at.
    live: Vec<Vec<HashSet<usize>>>,
    /// By process type: whether the reduction relies on its promises.
    relies: Vec<bool>,
    /// By process type and control state: through which variables channels may still be used.
    users: Vec<Vec<Users>>,
    identity: Identity,
    /// It is SPIN's own reduction, which asks nothing about ids of processes.
    literal: bool,
    heap: Option<HeapRules>,
    /// Giving back a lock is local, whoever can see it.
    unlocks: bool,
    /// How many processes there may be at once.
    most_processes: usize,
}

/// More different conditions than this at one control state make it unsafe, as in SPIN.
const MOST_CONDITIONS: usize = 6;

/// Why a model cannot be reduced at all; `None` when it can. In such models every step can be seen by others.
pub fn obstacle(model: &Model) -> Option<&'static str> {
    let looks =
        |test: &dyn Fn(&Expr) -> bool| model.bodies().any(|(_, p)| p.statements.iter().any(|s| s.action.any(test)));
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
    pub fn new(model: &Model, trust: Trust) -> Self {
        Self::without(model, trust, None)
    }

    /// As [`Self::new`], without a rule for models with a heap.
    #[doc(hidden)]
    pub fn without(model: &Model, trust: Trust, left_out: Option<HeapRule>) -> Self {
        if model.counts_as_spin {
            return Self::literally(model);
        }
        let mut heap = HeapRules::new(model);
        if let (Some(heap), Some(HeapRule::Threads)) = (&mut heap, left_out) {
            heap.forget_threads();
        }
        let identity = Identity::new(model);
        let promises = Promises::new(model, trust);
        let safety: Vec<Vec<Safety>> = (0..model.proctypes.len())
            .map(|id| {
                let forgets = left_out == Some(HeapRule::Globals);
                let locality = Locality { model, identity: &identity, promises: &promises, proctype: id, forgets };
                let proctype = &model.proctypes[id];
                (0..proctype.states.len())
                    .map(|state| match trust == Trust::Spin || sequences_are_stable(&locality, proctype, state) {
                        true => state_safety(model, &locality, heap.as_ref(), proctype, state),
                        false => Safety::Unsafe,
                    })
                    .collect()
            })
            .collect();
        let relies = (0..model.proctypes.len()).map(|id| relies(&model.proctypes[id], &safety[id])).collect();
        let creates = model.proctypes.iter().map(creates).collect();
        let live = model.proctypes.iter().map(live::live_channels).collect();
        let free = match heap.is_some() {
            true => heap::free(model, &safety, left_out),
            false => free(model, &safety),
        };
        let unlocks = heap.is_some() && heap::locks_are_waited_for(model);
        let users = after::users(model);
        let most_processes = model.most_processes();
        Reduction {
            safety,
            free,
            creates,
            live,
            relies,
            users,
            identity,
            literal: false,
            heap,
            unlocks,
            most_processes,
        }
    }

    /// The reduction for a temporal property that sees something of the model: no step that it may see is local.
    #[must_use]
    pub fn seen_by(mut self, model: &Model, view: &View) -> Self {
        view::unseen(model, view, &mut self.safety);
        self.relies = (0..model.proctypes.len()).map(|id| relies(&model.proctypes[id], &self.safety[id])).collect();
        self.free = free(model, &self.safety);
        if view.left_out == Some(Rule::Sticky) {
            let safe = |safety: &Vec<Safety>| safety.iter().map(|safety| *safety != Safety::Unsafe).collect();
            self.free = self.safety.iter().map(safe).collect();
        }
        self
    }

    /// SPIN's own reduction, of a model that is made to count as SPIN does.
    fn literally(model: &Model) -> Self {
        let none = |proctype: &Proctype| vec![false; proctype.states.len()];
        Reduction {
            safety: literal::safety(model),
            free: model.proctypes.iter().map(none).collect(),
            creates: model.proctypes.iter().map(none).collect(),
            live: model.proctypes.iter().map(|proctype| vec![HashSet::new(); proctype.states.len()]).collect(),
            relies: vec![false; model.proctypes.len()],
            users: after::users(model),
            identity: Identity::new(model),
            literal: true,
            heap: None,
            unlocks: false,
            most_processes: model.most_processes(),
        }
    }

    /// A reduction that takes the control states of some process types for safe without asking anything. It is wrong, and
    /// is there to see that what is wrong is noticed.
    #[doc(hidden)]
    pub fn believing(mut self, proctypes: &[usize]) -> Self {
        for &id in proctypes {
            self.safety[id].fill(Safety::Safe(Vec::new()));
            self.free[id].fill(true);
        }
        self
    }

    /// Whether the reduction relies on promises of a process type: what becomes of them must be looked at when an
    /// instance ends.
    #[inline]
    pub fn relies_on(&self, proctype: usize) -> bool {
        self.relies[proctype]
    }

    /// Through which variables a process at a control state, or one that it creates, may still use channels.
    pub fn users(&self, proctype: usize, state: usize) -> &Users {
        &self.users[proctype][state]
    }

    /// When the moves of a control state are enough.
    #[inline]
    pub fn safety(&self, proctype: usize, state: usize) -> &Safety {
        &self.safety[proctype][state]
    }

    /// Whether a process at a control state may be chosen to move alone, if the conditions are met, by a search that cuts
    /// cycles at sticky control states.
    #[inline(always)]
    pub fn is_free(&self, proctype: usize, state: usize) -> bool {
        self.free[proctype][state]
    }

    /// Whether a process may be chosen anywhere.
    pub fn is_ever_free(&self) -> bool {
        self.free.iter().flatten().any(|&free| free)
    }

    /// Whether a process with a frame at a control state may still start a process.
    pub fn starts(&self, proctype: usize, state: usize) -> bool {
        self.heap.as_ref().is_none_or(|rules| rules.starts[proctype][state])
    }

    /// Whether giving back a lock that others can see is local.
    pub fn unlocks(&self) -> bool {
        self.unlocks
    }

    /// Whether a process at a control state may still look at a channel variable.
    pub fn is_live(&self, proctype: usize, state: usize, slot: usize) -> bool {
        self.live[proctype][state].contains(&slot) || self.identity.is_remote(proctype, slot)
    }

    /// Whether the death of the youngest process can be told by nobody; `others` gives the types and control states of
    /// the others.
    pub fn death_is_silent(&self, mut others: impl ExactSizeIterator<Item = (usize, usize)>) -> bool {
        let processes = others.len() + 1;
        processes < self.most_processes
            && (self.literal
                || self.identity.death_is_silent(processes, || others.any(|(ty, state)| self.creates[ty][state])))
    }
}

/// By process type and control state, whether it is safe on some condition, and not sticky.
fn free(model: &Model, safety: &[Vec<Safety>]) -> Vec<Vec<bool>> {
    if model.heap.is_some() {
        return heap::free(model, safety, None);
    }
    let free = |(proctype, safety): (&Proctype, &Vec<Safety>)| {
        let sticky = sticky::sticky(proctype, safety);
        safety.iter().zip(sticky).map(|(safety, sticky)| !sticky && *safety != Safety::Unsafe).collect()
    };
    model.proctypes.iter().zip(safety).map(free).collect()
}

/// Whether some safe control state of a process type has channel operations, which are local by promises only.
fn relies(proctype: &Proctype, safety: &[Safety]) -> bool {
    let uses = |statement: usize| {
        let mut uses = false;
        let block = proctype.statements[statement].block;
        let together =
            |number: usize| number == statement || (block.is_some() && proctype.statements[number].block == block);
        for number in (0..proctype.statements.len()).filter(|&number| together(number)) {
            action_uses(&proctype.statements[number].action, &mut |_| uses = true);
        }
        uses
    };
    proctype
        .states
        .iter()
        .zip(safety)
        .any(|(state, safety)| matches!(safety, Safety::Safe(_)) && state.transitions.iter().any(|t| uses(t.statement)))
}

/// Whether what a process does in one go from a control state, where it may be chosen, does not depend on how full
/// channels are after its first statement. See [`promise`].
fn sequences_are_stable(locality: &Locality, proctype: &Proctype, state: usize) -> bool {
    let transitions = &proctype.states[state].transitions;
    transitions.iter().all(|transition| {
        steps_are_stable(locality, &proctype.statements[transition.statement].action)
            && (!transition.atomic || sequence_is_stable(locality, proctype, transition))
    })
}

/// Whether a move can bring its process, or one that it creates, to where a partner in a rendezvous was missing.
fn meets_someone(model: &Model, locality: &Locality, proctype: &Proctype, first: &Transition) -> bool {
    let awaited = |ty: usize, state: usize| locality.promises.is_awaited(ty, state);
    let creates =
        |e: &Expr| matches!(e, Expr::Run { proctype, .. } if awaited(*proctype, model.proctypes[*proctype].start));
    any_in_sequence(proctype, first, |transition| {
        awaited(locality.proctype, transition.target) || proctype.statements[transition.statement].action.any(&creates)
    })
}

/// Whether something is true of a transition, or of one that may follow it in the sequence that it begins.
fn any_in_sequence(proctype: &Proctype, first: &Transition, is_so: impl Fn(&Transition) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![first];
    while let Some(transition) = work.pop() {
        if is_so(transition) {
            return true;
        }
        if transition.atomic && seen.insert(transition.target) {
            work.extend(&proctype.states[transition.target].transitions);
        }
    }
    false
}

/// Whether, as long as a process keeps control after a transition, a channel operation is the only thing it can do
/// wherever it can do one: then being blocked there means only that others are let in earlier.
fn sequence_is_stable(locality: &Locality, proctype: &Proctype, first: &Transition) -> bool {
    let mut seen = HashSet::from([first.target]);
    let mut work = vec![first.target];
    while let Some(state) = work.pop() {
        let transitions = &proctype.states[state].transitions;
        for transition in transitions {
            let action = &proctype.statements[transition.statement].action;
            if (transitions.len() > 1 && uses_shared_channels(locality, action)) || !steps_are_stable(locality, action)
            {
                return false;
            }
            if transition.atomic && seen.insert(transition.target) {
                work.push(transition.target);
            }
        }
    }
    true
}

/// Whether a `d_step` uses no shared channels after its first statement; other actions have no steps.
fn steps_are_stable(locality: &Locality, action: &Action) -> bool {
    match action {
        Action::Deterministic(body) => {
            let again = body.nodes.iter().flat_map(|node| &node.options).any(|option| option.next == Some(0));
            let later = body.nodes.iter().skip(usize::from(!again)).flat_map(|node| &node.options);
            !later.into_iter().any(|option| uses_shared_channels(locality, &option.action))
        }
        Action::Skip
        | Action::Condition(_)
        | Action::Else
        | Action::Assign(..)
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Assert(_)
        | Action::Print { .. }
        | Action::SetPriority(..)
        | Action::End
        | Action::Heap(_) => true,
    }
}

fn uses_shared_channels(locality: &Locality, action: &Action) -> bool {
    let mut shared = false;
    action_uses(action, &mut |Use { place, .. }| shared |= !locality.promises.is_private(locality.proctype, place));
    shared
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

fn state_safety(
    model: &Model,
    locality: &Locality,
    heap: Option<&HeapRules>,
    proctype: &Proctype,
    state: usize,
) -> Safety {
    let state = &proctype.states[state];
    let mut conditions: Vec<Condition> = Vec::new();
    for transition in &state.transitions {
        let is_seen = |transition: &Transition| proctype.states[transition.target].observed;
        let observed = state.observed || any_in_sequence(proctype, transition, is_seen);
        let watched = matches!(proctype.statements[transition.statement].action, Action::End)
            && locality.identity.is_watched(locality.proctype);
        let meets = meets_someone(model, locality, proctype, transition);
        if observed || watched || meets || locality.is_global(transition.statement) {
            return Safety::Unsafe;
        }
        let found = statement_conditions(model, locality.proctype, transition.statement);
        let Some(mut found) = found else { return Safety::Unsafe };
        if found.contains(&Condition::Youngest) && locality.identity.shares_channels(locality.proctype) {
            found.push(Condition::ChannelsUnknown);
        }
        if let Some(heap) = heap {
            let Some(more) = heap.conditions(proctype, transition) else { return Safety::Unsafe };
            found.extend(more);
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

/// The conditions of a statement and of the atomic sequence that it is in; `None` when it makes its control state unsafe.
fn statement_conditions(model: &Model, id: usize, statement: usize) -> Option<Vec<Condition>> {
    let proctype = &model.proctypes[id];
    let statement = &proctype.statements[statement];
    match (&statement.action, statement.block) {
        (Action::Deterministic(body), _) => {
            let first = body.nodes.iter().take(1).flat_map(|node| &node.options);
            let direct = body.nodes.iter().skip(1).flat_map(|node| &node.options).filter(|option| option.direct);
            sequence_conditions(model, id, first.chain(direct).map(|option| &option.action))
        }
        (action, Some(block)) => {
            let members = proctype.statements.iter().filter(|s| s.block == Some(block) && s.direct);
            let actions = std::iter::once(action).chain(members.map(|s| &s.action));
            sequence_conditions(model, id, actions)
        }
        (action, None) => action_conditions(model, id, action),
    }
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
        Action::Skip
        | Action::Else
        | Action::Assign(..)
        | Action::Assert(_)
        | Action::Print { .. }
        | Action::SetPriority(..)
        | Action::Heap(_)
        | Action::Deterministic(_) => Vec::new(),
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
        Expr::Const(_)
        | Expr::Read(_)
        | Expr::Length(_)
        | Expr::Poll { .. }
        | Expr::Run { .. }
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::PriorityOf(_)
        | Expr::RemoteAt { .. }
        | Expr::RemoteRead { .. }
        | Expr::Heap(_) => {}
    }
}
