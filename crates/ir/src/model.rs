//! The model: everything an engine needs to know about the system under check.

use std::borrow::Cow;

use crate::heap::MOST_THREADS;
use crate::{
    Action, Claim, ClaimKind, Declared, Expr, Heap, HeapAction, HeapExpr, MAX_INSTANCES, Proctype, ProctypeId,
    ProctypeKind, Scalar, Setup, Slot, Symmetry,
};

/// A closed system of processes.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Global variables.
    pub globals: Vec<Slot>,
    /// How they are initialised, in order.
    pub setup: Vec<Setup>,
    /// Channel types, one per channel declaration.
    pub channels: Vec<ChannelType>,
    /// Process types.
    pub proctypes: Vec<Proctype>,
    /// The processes that exist at the start, in order of their ids.
    pub initial: Vec<Instance>,
    /// Those of them that claims name, each with a type of its own.
    pub named: Vec<Named>,
    /// A requirement on the order of channel events.
    pub trace: Option<EventTrace>,
    /// Sets of symbolic names; in each, name `i` stands for value `i + 1`, or `i` ([`Model::names_from_zero`]).
    pub mtypes: Vec<Vec<String>>,
    /// The first name of a set stands for 0, and not for 1.
    pub names_from_zero: bool,
    /// Claims about whole runs that the model carries; safety searches do not check them.
    pub claims: Vec<Claim>,
    /// What the model makes use of.
    pub uses: Uses,
    /// The heap, if it has one.
    pub heap: Option<Heap>,
    /// What its author declared symmetric.
    pub declared: Declared,
    /// What may be renamed in it, where something is known.
    pub symmetry: Option<Symmetry>,
    /// The model is made to count as SPIN does: its statements are merged as SPIN merges them, and it is reduced by SPIN's
    /// rules ([`crate::spin`]). Errors can be lost.
    pub counts_as_spin: bool,
}

/// A process that exists at the start; its parameters are zero.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// Its type.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// A process that exists at the start and that a claim names. Its own type is a copy of that which it has otherwise, and it has it
/// where the claim is checked ([`Model::naming`]): so it is told from all others, wherever it is in a state, and others are not told
/// apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The process, by its place in [`Model::initial`].
    pub instance: usize,
    /// The type that it has otherwise.
    pub proctype: ProctypeId,
    /// Its own type.
    pub own: ProctypeId,
}

/// What channels made by one declaration have in common.
#[derive(Clone, Debug)]
pub struct ChannelType {
    /// The name in the declaration.
    pub name: String,
    /// How many messages fit; zero for a rendezvous channel.
    pub capacity: usize,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
    /// For each field, the set of symbolic names of its values.
    pub mtypes: Vec<Option<usize>>,
}

/// An automaton over channel events (`trace` and `notrace`).
#[derive(Clone, Debug)]
pub struct EventTrace {
    /// The automaton; its statements are sends and receives.
    pub proctype: ProctypeId,
    /// Matching to the end is the error (`notrace`), rather than an event that does not match.
    pub negated: bool,
}

/// What a model makes use of, so that engines carry only what is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// `_last` is read, so the last mover is part of a state.
    pub last: bool,
    /// Priorities are set or read, so they are part of a state and restrict who moves.
    pub priority: bool,
    /// `timeout` occurs.
    pub timeout: bool,
    /// A rendezvous channel can exist.
    pub rendezvous: bool,
    /// A channel that holds messages can exist.
    pub buffered: bool,
    /// `unless` occurs.
    pub unless: bool,
    /// Some process type is constrained by `provided`.
    pub provided: bool,
    /// Some `else` stands beside channel operations.
    pub mixed_else: bool,
}

impl Uses {
    /// What a model makes use of, as far as it shows. A front end may know of more.
    pub fn of(model: &Model) -> Self {
        let mut uses = Uses {
            priority: model.initial.iter().any(|instance| instance.priority != 1),
            rendezvous: model.channels.iter().any(|channel| channel.capacity == 0),
            buffered: model.channels.iter().any(|channel| channel.capacity > 0),
            provided: model.proctypes.iter().any(|proctype| proctype.provided.is_some()),
            ..Uses::default()
        };
        model.walk(&mut |expr| match expr {
            Expr::Last => uses.last = true,
            Expr::Timeout => uses.timeout = true,
            Expr::OwnPriority | Expr::PriorityOf(_) => uses.priority = true,
            Expr::Run { priority, .. } => uses.priority |= *priority != 1,
            _ => {}
        });
        let on_channel = |action: &Action| match action {
            Action::Send { .. } | Action::Receive { .. } => true,
            Action::Heap(action) => action.uses_channel(),
            Action::Condition(value) => value.any(&Expr::is_probe),
            _ => false,
        };
        for proctype in &model.proctypes {
            let sets_priority = |action: &Action| matches!(action, Action::SetPriority(..));
            uses.priority |= proctype.statements.iter().any(|statement| match &statement.action {
                Action::Deterministic(body) => body.actions().any(sets_priority),
                action => sets_priority(action),
            });
            for state in &proctype.states {
                let statements = state.transitions.iter().filter_map(|next| proctype.statements.get(next.statement));
                let mut actions = statements.map(|statement| &statement.action);
                uses.unless |= state.transitions.iter().any(|transition| transition.escape != 0);
                uses.mixed_else |=
                    actions.clone().any(|action| matches!(action, Action::Else)) && actions.any(on_channel);
            }
        }
        uses
    }
}

impl Model {
    /// Calls `visit` on every expression of the model.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.walk_steps(visit);
        for proposition in self.claims.iter().flat_map(|claim| &claim.propositions) {
            proposition.expr.walk(visit);
        }
    }

    /// The same, but for what formulas ask.
    pub fn walk_steps<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for setup in self.proctypes.iter().flat_map(|proctype| &proctype.setup).chain(&self.setup) {
            if let Setup::Assign(_, value) = setup {
                value.walk(visit);
            }
        }
        for proctype in &self.proctypes {
            proctype.statements.iter().for_each(|statement| statement.action.walk(visit));
            proctype.exclusive.iter().for_each(|promise| promise.channel.walk(visit));
            proctype.provided.iter().for_each(|provided| provided.walk(visit));
        }
    }

    /// How many processes there may be at once. One more is an error of the model.
    pub fn most_processes(&self) -> usize {
        let tells_ended = |heap: &Heap| heap.thread.is_some() || heap.records.iter().any(|record| record.monitor);
        match self.heap.as_ref().is_some_and(tells_ended) {
            true => MOST_THREADS,
            false => MAX_INSTANCES,
        }
    }

    /// The model in which the processes that a claim names have types of their own.
    pub fn naming(&self, claim: &Claim) -> Cow<'_, Model> {
        let asks = |named: &&Named| {
            let is_about = |e: &Expr| match e {
                Expr::RemoteAt { proctype, .. } | Expr::RemoteRead { proctype, .. } => *proctype == named.own,
                _ => false,
            };
            claim.propositions.iter().any(|proposition| proposition.expr.any(&is_about))
        };
        let mut model = Cow::Borrowed(self);
        for named in self.named.iter().filter(asks) {
            model.to_mut().initial[named.instance].proctype = named.own;
        }
        model
    }

    /// The type that a type is a copy of, or the type itself.
    pub fn plain_type(&self, proctype: ProctypeId) -> ProctypeId {
        self.named.iter().find(|named| named.own == proctype).map_or(proctype, |named| named.proctype)
    }

    /// Whether a process of a type may come to its end.
    pub fn may_end(&self, proctype: ProctypeId) -> bool {
        let is_exit = |action: &Action| matches!(action, Action::Heap(heap) if matches!(**heap, HeapAction::Exit));
        let exits = |ty: &Proctype| {
            ty.statements.iter().any(|statement| match &statement.action {
                Action::Deterministic(body) => body.actions().any(is_exit),
                action => is_exit(action),
            })
        };
        // A function can end the thread that calls it.
        let mut functions = self.proctypes.iter().filter(|ty| ty.kind == ProctypeKind::Function);
        self.proctypes[proctype].end.is_some() || exits(&self.proctypes[proctype]) || functions.any(exits)
    }

    /// Whether there is never more than one process of a type.
    pub fn is_only(&self, proctype: ProctypeId) -> bool {
        let mut starts = false;
        self.walk(&mut |expr| match expr {
            Expr::Run { proctype: other, .. } => starts |= *other == proctype,
            Expr::Heap(heap) => {
                starts |= matches!(**heap, HeapExpr::Start { proctype: other, .. } if other == proctype)
            }
            _ => {}
        });
        !starts && self.initial.iter().filter(|instance| instance.proctype == proctype).count() <= 1
    }

    /// Process types whose instances are part of a state.
    pub fn process_types(&self) -> impl Iterator<Item = (ProctypeId, &Proctype)> {
        self.proctypes.iter().enumerate().filter(|(_, p)| matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init))
    }

    /// Process types, and functions that they may call: all that runs.
    pub fn bodies(&self) -> impl Iterator<Item = (ProctypeId, &Proctype)> {
        let runs = |kind| matches!(kind, ProctypeKind::Process | ProctypeKind::Init | ProctypeKind::Function);
        self.proctypes.iter().enumerate().filter(move |(_, p)| runs(p.kind))
    }

    /// The model as a search for violations of a claim needs it, or one for safety errors. What only other claims look at is no part
    /// of a state: that is who moved last.
    pub fn seen_by(&self, claim: Option<&Claim>) -> Cow<'_, Model> {
        let asks = |action: &Action| action.any(&|e| matches!(e, Expr::Last));
        let never = |claim: &Claim| match claim.kind {
            ClaimKind::Never(ty) => Some(ty),
            _ => None,
        };
        let own = claim.and_then(never);
        let others: Vec<ProctypeId> = self.claims.iter().filter_map(never).filter(|&ty| Some(ty) != own).collect();
        let mut rest = Model { claims: claim.into_iter().cloned().collect(), ..self.clone_if(self.uses.last) };
        for ty in others {
            if let Some(proctype) = rest.proctypes.get_mut(ty) {
                let asking = proctype.statements.iter_mut().filter(|statement| asks(&statement.action));
                asking.for_each(|statement| statement.action = Action::Skip);
            }
        }
        match self.uses.last && !Uses::of(&rest).last {
            true => {
                rest.uses.last = false;
                Cow::Owned(rest)
            }
            false => Cow::Borrowed(self),
        }
    }

    fn clone_if(&self, wanted: bool) -> Model {
        if wanted { self.clone() } else { Model::default() }
    }

    /// A value of an `mtype` by name, where it has one.
    pub fn mtype_name(&self, set: usize, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(usize::from(!self.names_from_zero))?;
        self.mtypes.get(set)?.get(index).map(String::as_str)
    }

    /// A value as a person would write it: symbolic where the set of names has one.
    pub fn show(&self, mtype: Option<usize>, value: i32) -> String {
        match mtype.and_then(|set| self.mtype_name(set, value)) {
            Some(name) => name.to_string(),
            None => value.to_string(),
        }
    }
}
