//! Promises: what `xr`, `xs` and `local` let the reduction believe, from when, and for how long. Follows the ideas of
//! SPIN's verifiers (Holzmann and Peled), but nothing is believed that is not checked in every state of the search.
//!
//! # What is promised
//!
//! `xr v` in a process type: from its creation on, every instance is the only process that *receives* from the channel
//! that its variable `v` holds. `xs v`: it is the only one that *sends* to it. A process receives by `?`, `??`, their
//! copying forms and `nempty`; it sends by `!`, `!!` and `nfull`. `len`, `full`, `empty` and polls are both.
//!
//! The promise is about the channel, not about the name: whoever uses it under another name (a parameter, another
//! variable, an element of an array, a message) is found by the channel's number. It is about one channel: `xr q[0]`
//! says nothing of `q[1]`.
//!
//! # When it is relied on
//!
//! The reduction relies on a promise for a statement of a process `p` only if
//!
//! 1. `p`'s own type makes it. So it is made (`p` exists) and binding (`p` has not ended). Promises of others, of
//!    processes that do not exist yet, or no longer, or never, are not relied on. That two types, or two instances,
//!    promise the same channel is a promise that the first use breaks.
//! 2. The statement names exactly what was promised: the same variable with constant indices (or every element that the
//!    index can choose), or the same variable with the same indices, made of `_pid`, constants and variables that never
//!    change.
//! 3. Neither the variable nor what its indices are made of is ever assigned, so `p` holds the same channel forever.
//! 4. No channel variable of the model gets a value that was computed; otherwise nobody knows who holds which channel.
//! 5. No `trace` or `notrace` watches: it sees the order of all sends and receives.
//! 6. The channel holds messages. In a rendezvous both sides move, and a partner can go away.
//!
//! # How it is checked
//!
//! With partial-order reduction asked for, every use of a channel, also one that turns out to be blocked, looks at all
//! other live processes: if one of them promised to be alone there, that is a violation (`FaultKind::Exclusive`). This is
//! done by the reference interpreter and by the machine, in every state, wherever an expression is evaluated.
//!
//! When a process that made a promise ends, nobody can be asked any more. So the search looks at who is left when it
//! takes that step ([`crate::Reduction::users`]): does a variable of a live process or of the model, that may still be
//! used in the promised direction or passed on, hold the channel, or a message? Then the promise could be broken behind
//! its maker's back, and the search starts again without reduction.
//!
//! # Why that is enough
//!
//! Let the moves of `p` be all that is explored in a state `s`. They must commute with whatever the others can do before
//! `p` moves. Suppose the others, going on from `s`, come to a first step that does not. By the rules of locality it uses
//! a channel that `p` relies on.
//!
//! - If it uses it in the promised direction, it breaks the promise. The steps before it commute with those of `p`, so
//!   after them it is attempted in the reduced search too: in a later state, since the proviso lets nobody be put off for
//!   ever. There `p` still lives and holds the same channel (3), and the use is reported; or `p` has ended, and the one
//!   who uses the channel then, or the one from whom it has it, was there with the channel at hand, and the search was
//!   started again.
//! - If it uses it in the other direction, it commutes, because of what is asked of `p`'s statement and of all the others:
//!
//! | `p` does | in a state where | others may | and it commutes because |
//! |---|---|---|---|
//! | `c!m` under `xs` | `c` is not full | receive, wait for `nempty` | a message at the end changes neither the first nor the first that matches; `c` does not become full |
//! | `c?…` under `xr` | `c` is not empty | send, wait for `nfull` | the first message stays, whatever comes behind it |
//! | `nfull`, `empty` under `xs` | it is true | receive | it stays true |
//! | `nempty`, `full` under `xr` | it is true | send | it stays true |
//! | anything under both | | nothing | the channel is `p`'s alone |
//!
//!   Not so, and so not relied on with one promise alone: a sorted send `!!` puts a message before others; a random
//!   receive `??` may match what is not there yet; `len` and polls see everything; a probe whose value is computed with,
//!   asserted or assigned can be false.
//!
//! A step of `p` can make others' statements executable. That commutes as long as they only *wait*: a statement that was
//! blocked and now is not. It does not where being blocked is noticed (`Promises::is_noticed`): beside an `else`, in
//! the escape of an `unless`, as a value, in a `d_step` after its first statement or among several options, and in an
//! atomic sequence after its first statement, where being blocked lets others in. If a model has such a use of a channel
//! of the same declaration, in the direction that is made executable, the promise is not relied on.
//!
//! A rendezvous needs no promise, but the same goes for it: a step of `p`, however local, can bring it to where it
//! receives, and who was blocked without a partner is not blocked any more. Where that is noticed, a step that leads
//! there is not local (`Promises::is_awaited`); nor is `run` of a process that begins there.
//!
//! The same holds for `p` itself: inside a sequence, after the first statement, the fill of a channel is not what it was
//! when the choice was made. There a channel operation must be the only thing that can be done (`sequence_is_stable` in
//! the crate's root).
//!
//! # `local`
//!
//! `local x` promises that one process uses the global variable `x`. It is relied on where it can be seen to be true:
//! all statements that touch `x` belong to one process type, which has one instance at the start and is never run.
//! Elsewhere it could be checked only by remembering who used `x`, and states would no longer be SPIN's; so it is not
//! relied on.
//!
//! # Trust
//!
//! With [`Trust::Spin`], `local` is believed, and so is that nobody notices being blocked. Errors can be lost. It is for
//! reproducing SPIN's numbers.

use std::collections::HashSet;

use quotient_ir::{Action, Expr, Model, Place, Probe, ProctypeId, Scope, Setup, Sort};

use crate::Trust;
use crate::channels::{Flow, Kind, Use, Variable, action_uses, owner, slots, value_uses, writes};

/// What the promises of a model are good for.
#[derive(Clone, Debug)]
pub(crate) struct Promises<'m> {
    model: &'m Model,
    trust: Trust,
    flow: Flow,
    /// Variables that some statement assigns.
    written: HashSet<Variable>,
    /// Declarations of channels that are sent to in order.
    sorted: HashSet<usize>,
    /// Declarations of channels on which it is noticed that a receive is blocked.
    receives_noticed: HashSet<usize>,
    /// The same of sends.
    sends_noticed: HashSet<usize>,
    /// Global variables that one process uses.
    alone: HashSet<usize>,
}

impl<'m> Promises<'m> {
    pub(crate) fn new(model: &'m Model, trust: Trust) -> Self {
        let mut promises = Promises {
            model,
            trust,
            flow: Flow::new(model),
            written: written(model),
            sorted: HashSet::new(),
            receives_noticed: HashSet::new(),
            sends_noticed: HashSet::new(),
            alone: alone(model),
        };
        for (id, proctype) in model.process_types() {
            let values = proctype.setup.iter().filter_map(|step| match step {
                Setup::Assign(_, value) => Some(value),
                Setup::Channel(..) => None,
            });
            for value in values.chain(&proctype.provided) {
                value_uses(value, &mut |u| promises.note(id, u));
            }
            let inside = kept_control(model, id);
            for (number, state) in proctype.states.iter().enumerate() {
                let noticed = inside[number] || state.transitions.iter().any(|t| is_else(model, id, t.statement));
                for transition in &state.transitions {
                    let waits = !noticed && transition.escape == 0;
                    action_uses(&proctype.statements[transition.statement].action, &mut |u| {
                        promises.note(id, Use { waits: u.waits && waits, ..u });
                    });
                }
            }
        }
        promises
    }

    fn note(&mut self, proctype: ProctypeId, u: Use) {
        let held = self.flow.of(proctype, u.place);
        if u.kind == (Kind::Send { sorted: true }) {
            self.sorted.extend(&held);
        }
        if !u.waits {
            let (receive, send) = u.kind.directions();
            if receive {
                self.receives_noticed.extend(&held);
            }
            if send {
                self.sends_noticed.extend(&held);
            }
        }
    }

    /// Whether someone notices that a receive from (or a send to) a channel that a place can hold is blocked.
    fn is_noticed(&self, proctype: ProctypeId, place: &Place, receive: bool) -> bool {
        let noticed = if receive { &self.receives_noticed } else { &self.sends_noticed };
        self.trust != Trust::Spin && !self.flow.of(proctype, place).is_disjoint(noticed)
    }

    /// Whether a process that comes to a control state is there to receive in a rendezvous, where someone notices whether
    /// anybody is.
    pub(crate) fn is_awaited(&self, proctype: ProctypeId, state: usize) -> bool {
        let own = &self.model.proctypes[proctype];
        let noticed = |ty: &usize| self.model.channels[*ty].capacity == 0 && self.sends_noticed.contains(ty);
        let any = self.flow.forged && self.sends_noticed.iter().any(&noticed);
        self.trust != Trust::Spin
            && own.states[state].transitions.iter().any(|transition| {
                let mut awaited = false;
                action_uses(&own.statements[transition.statement].action, &mut |u| match u.kind {
                    Kind::Receive { .. } => awaited |= any || self.flow.of(proctype, u.place).iter().any(&noticed),
                    Kind::Send { .. } | Kind::Probe(_) | Kind::Length | Kind::Poll => {}
                });
                awaited
            })
    }

    /// Whether a use of a channel by a process of a type is local under its promises, in states where the channel is
    /// filled as the use asks for.
    pub(crate) fn cover(&self, proctype: ProctypeId, u: Use) -> bool {
        if self.model.trace.is_some() || self.flow.forged {
            return false;
        }
        let (xr, xs) = (self.has(proctype, u.place, true), self.has(proctype, u.place, false));
        if xr && xs {
            return true;
        }
        match u.kind {
            Kind::Send { sorted } => xs && !sorted && !self.is_noticed(proctype, u.place, true),
            Kind::Receive { random } => {
                let sorted = !self.flow.of(proctype, u.place).is_disjoint(&self.sorted);
                xr && !random && !sorted && !self.is_noticed(proctype, u.place, false)
            }
            Kind::Probe(Probe::NotFull | Probe::Empty) => xs && u.waits,
            Kind::Probe(Probe::NotEmpty | Probe::Full) => xr && u.waits,
            Kind::Length | Kind::Poll => false,
        }
    }

    /// Whether the channel in a place is the process's alone: it made both promises.
    pub(crate) fn is_private(&self, proctype: ProctypeId, place: &Place) -> bool {
        self.has(proctype, place, true) && self.has(proctype, place, false)
    }

    /// Whether a process type promises what a place names, in one direction.
    fn has(&self, proctype: ProctypeId, place: &Place, receive: bool) -> bool {
        let promised = self.model.proctypes[proctype].exclusive.iter().filter(|promise| promise.receive == receive);
        let promised: Vec<&Place> =
            promised.map(|promise| &promise.channel).filter(|channel| self.is_stable(proctype, channel)).collect();
        let slot = |slot: &usize| {
            promised.iter().any(|channel| channel.scope == place.scope && fixed_slot(channel) == Some(*slot))
        };
        promised.iter().any(|channel| same_place(channel, place))
            || match fixed_slot(place) {
                Some(fixed) => slot(&fixed),
                None => place.all_slots().iter().all(slot),
            }
    }

    /// Whether a place always names the same variable, which is never assigned.
    fn is_stable(&self, proctype: ProctypeId, place: &Place) -> bool {
        let owner = owner(proctype, place);
        place.all_slots().into_iter().all(|slot| !self.written.contains(&(owner, slot)))
            && place.indices.iter().all(|index| self.is_constant(proctype, &index.value))
    }

    fn is_constant(&self, proctype: ProctypeId, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Pid => true,
            Expr::Read(place) => self.is_stable(proctype, place),
            Expr::Unary(_, a) => self.is_constant(proctype, a),
            Expr::Binary(_, a, b) => self.is_constant(proctype, a) && self.is_constant(proctype, b),
            Expr::And(..)
            | Expr::Or(..)
            | Expr::Cond(..)
            | Expr::Length(_)
            | Expr::Probe(..)
            | Expr::Poll { .. }
            | Expr::Run { .. }
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
            | Expr::Heap(_) => false,
        }
    }

    /// Whether a global variable is used by one process only.
    pub(crate) fn is_local(&self, slot: usize) -> bool {
        self.model.globals[slot].private && (self.trust == Trust::Spin || self.alone.contains(&slot))
    }
}

/// The slot of a place whose indices are constants in range.
fn fixed_slot(place: &Place) -> Option<usize> {
    place.indices.iter().try_fold(place.slot, |slot, index| match index.value {
        Expr::Const(value) if (0..index.length as i64).contains(&i64::from(value)) => {
            Some(slot + value as usize * index.stride)
        }
        _ => None,
    })
}

/// Whether two places of one process name the same variable with the same index expressions.
fn same_place(a: &Place, b: &Place) -> bool {
    a.scope == b.scope
        && a.slot == b.slot
        && a.indices.len() == b.indices.len()
        && a.indices.iter().zip(&b.indices).all(|(a, b)| a.stride == b.stride && same_expr(&a.value, &b.value))
}

/// Whether two expressions are written alike; only of the forms that an index of a promise can have.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::Pid, Expr::Pid) => true,
        (Expr::Read(a), Expr::Read(b)) => same_place(a, b),
        (Expr::Unary(f, a), Expr::Unary(g, b)) => f == g && same_expr(a, b),
        (Expr::Binary(f, a, c), Expr::Binary(g, b, d)) => f == g && same_expr(a, b) && same_expr(c, d),
        _ => false,
    }
}

/// Which control states a process can come to while it keeps control.
pub(crate) fn kept_control(model: &Model, proctype: ProctypeId) -> Vec<bool> {
    let states = &model.proctypes[proctype].states;
    let mut kept = vec![false; states.len()];
    for transition in states.iter().flat_map(|state| &state.transitions).filter(|t| t.atomic) {
        kept[transition.target] = true;
    }
    kept
}

/// Whether a statement can be executed only because others cannot.
fn is_else(model: &Model, proctype: ProctypeId, statement: usize) -> bool {
    match &model.proctypes[proctype].statements[statement].action {
        Action::Else => true,
        Action::Deterministic(body) => {
            body.nodes.first().is_some_and(|node| node.options.iter().any(|o| matches!(o.action, Action::Else)))
        }
        Action::Skip
        | Action::Condition(_)
        | Action::Assign(..)
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::Assert(_)
        | Action::Print { .. }
        | Action::SetPriority(..)
        | Action::End
        | Action::Heap(_) => false,
    }
}

fn written(model: &Model) -> HashSet<Variable> {
    let mut written = HashSet::new();
    for (id, proctype) in model.process_types() {
        for statement in &proctype.statements {
            writes(&statement.action, &mut |place| {
                written.extend(place.all_slots().into_iter().map(|slot| (owner(id, place), slot)));
            });
        }
    }
    written
}

/// Global variables that only one process can touch: one type does, with one instance that is there from the start.
fn alone(model: &Model) -> HashSet<usize> {
    let mut users: Vec<HashSet<ProctypeId>> = vec![HashSet::new(); model.globals.len()];
    let mut run: HashSet<ProctypeId> = HashSet::new();
    for (id, proctype) in model.proctypes.iter().enumerate() {
        let mut touch = |place: &Place| {
            if place.scope == Scope::Global {
                place.all_slots().into_iter().for_each(|slot| {
                    users[slot].insert(id);
                });
            }
        };
        let mut in_expr = |e: &Expr| match e {
            Expr::Read(place) => touch(place),
            Expr::Length(place) | Expr::Probe(_, place) | Expr::Poll { channel: place, .. } => touch(place),
            Expr::Run { proctype, .. } => {
                run.insert(*proctype);
            }
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Cond(..)
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
        };
        for step in &proctype.setup {
            match step {
                Setup::Assign(_, value) => value.walk(&mut in_expr),
                Setup::Channel(..) => {}
            }
        }
        proctype.provided.iter().for_each(|e| e.walk(&mut in_expr));
        proctype.statements.iter().for_each(|statement| statement.action.walk(&mut in_expr));
        for statement in &proctype.statements {
            writes(&statement.action, &mut touch);
            action_uses(&statement.action, &mut |u| touch(u.place));
        }
        proctype.exclusive.iter().for_each(|promise| touch(&promise.channel));
    }
    let instances = |id: ProctypeId| model.initial.iter().filter(|instance| instance.proctype == id).count();
    (0..model.globals.len())
        .filter(|&slot| users[slot].iter().all(|id| users[slot].len() == 1 && instances(*id) <= 1 && !run.contains(id)))
        .filter(|&slot| slots(model, None)[slot].scalar.sort != Sort::Channel)
        .collect()
}
