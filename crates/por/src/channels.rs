//! Which channels a variable can hold, and how they are used. A flow-insensitive analysis: channels are told apart by
//! their declarations, and flow through initial values, assignments, arguments and messages.

use std::collections::{HashMap, HashSet};

use quotient_ir::{Action, BinaryOp, Expr, Model, Pattern, Place, Probe, ProctypeId, Scope, Setup, Slot, Sort};

/// A variable: its process type (`None` for a global) and slot.
pub(crate) type Variable = (Option<ProctypeId>, usize);

/// How a channel is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Send { sorted: bool },
    Receive { random: bool },
    Probe(Probe),
    Length,
    Poll,
}

impl Kind {
    /// Whether the use is one of a receiver, and whether it is one of a sender; the checks at run time say the same.
    pub(crate) fn directions(self) -> (bool, bool) {
        match self {
            Kind::Send { .. } | Kind::Probe(Probe::NotFull) => (false, true),
            Kind::Receive { .. } | Kind::Probe(Probe::NotEmpty) => (true, false),
            Kind::Probe(Probe::Full | Probe::Empty) | Kind::Length | Kind::Poll => (true, true),
        }
    }
}

/// One use of a channel in an action or expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'m> {
    pub(crate) place: &'m Place,
    pub(crate) kind: Kind,
    /// The statement waits until the channel is as wanted, and does nothing else as long as it is not.
    pub(crate) waits: bool,
}

/// The uses in an action.
pub(crate) fn action_uses<'m>(action: &'m Action, visit: &mut dyn FnMut(Use<'m>)) {
    match action {
        // A model with a heap is not reduced.
        Action::Skip | Action::Else | Action::End | Action::Heap(_) => {}
        Action::Condition(e) => guard_uses(e, visit),
        Action::Assert(e) => value_uses(e, visit),
        Action::Assign(place, value) => {
            index_uses(place, visit);
            value_uses(value, visit);
        }
        Action::Send { channel, values, sorted } => {
            visit(Use { place: channel, kind: Kind::Send { sorted: *sorted }, waits: true });
            index_uses(channel, visit);
            values.iter().for_each(|value| value_uses(value, visit));
        }
        Action::Receive { channel, pattern, random, copy: _ } => {
            visit(Use { place: channel, kind: Kind::Receive { random: *random }, waits: true });
            index_uses(channel, visit);
            for part in pattern {
                match part {
                    Pattern::Match(value) => value_uses(value, visit),
                    Pattern::Bind(place) => index_uses(place, visit),
                    Pattern::Ignore => {}
                }
            }
        }
        Action::Print { format: _, args, mtype: _ } => args.iter().for_each(|arg| value_uses(arg, visit)),
        Action::SetPriority(a, b) => {
            value_uses(a, visit);
            value_uses(b, visit);
        }
        Action::Deterministic(body) => {
            // Only the first statement waits. Later ones must not be blocked, and one of several options is chosen by
            // what can be executed.
            let again = body.nodes.iter().flat_map(|node| &node.options).any(|option| option.next == Some(0));
            for (number, node) in body.nodes.iter().enumerate() {
                let first = number == 0 && node.options.len() == 1 && !again;
                for option in &node.options {
                    action_uses(&option.action, &mut |u| visit(Use { waits: u.waits && first, ..u }));
                }
            }
        }
    }
}

/// The uses in a condition that is waited for.
fn guard_uses<'m>(expr: &'m Expr, visit: &mut dyn FnMut(Use<'m>)) {
    match expr {
        Expr::Probe(probe, place) => {
            visit(Use { place, kind: Kind::Probe(*probe), waits: true });
            index_uses(place, visit);
        }
        Expr::And(a, b) => {
            guard_uses(a, visit);
            guard_uses(b, visit);
        }
        // The second is evaluated only if the first is false, so what the first waits for could hide an error.
        Expr::Or(a, b) if !b.any(&can_fault) => {
            guard_uses(a, visit);
            guard_uses(b, visit);
        }
        Expr::Or(a, b) => {
            value_uses(a, visit);
            guard_uses(b, visit);
        }
        Expr::Const(_)
        | Expr::Read(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Cond(..)
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
        | Expr::Heap(_) => value_uses(expr, visit),
    }
}

/// Whether evaluating an expression can go wrong, apart from what is below it.
fn can_fault(expr: &Expr) -> bool {
    match expr {
        Expr::Read(place) => !place.indices.is_empty(),
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => true,
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
        | Expr::NonProgress => false,
        Expr::Length(_)
        | Expr::Probe(..)
        | Expr::Poll { .. }
        | Expr::Run { .. }
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::PriorityOf(_)
        | Expr::RemoteAt { .. }
        | Expr::RemoteRead { .. }
        | Expr::Heap(_) => true,
    }
}

/// The uses in an expression whose value matters, whatever it is.
pub(crate) fn value_uses<'m>(expr: &'m Expr, visit: &mut dyn FnMut(Use<'m>)) {
    expr.walk(&mut |e| match e {
        Expr::Probe(probe, place) => visit(Use { place, kind: Kind::Probe(*probe), waits: false }),
        Expr::Length(place) => visit(Use { place, kind: Kind::Length, waits: false }),
        Expr::Poll { channel, .. } => visit(Use { place: channel, kind: Kind::Poll, waits: false }),
        Expr::Const(_)
        | Expr::Read(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Cond(..)
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
    });
}

fn index_uses<'m>(place: &'m Place, visit: &mut dyn FnMut(Use<'m>)) {
    place.indices.iter().for_each(|index| value_uses(&index.value, visit));
}

/// Calls `visit` on every place that an action writes.
pub(crate) fn writes<'m>(action: &'m Action, visit: &mut dyn FnMut(&'m Place)) {
    let mut bound = |pattern: &'m [Pattern]| {
        for part in pattern {
            match part {
                Pattern::Bind(place) => visit(place),
                Pattern::Match(_) | Pattern::Ignore => {}
            }
        }
    };
    match action {
        Action::Assign(place, _) => visit(place),
        Action::Receive { pattern, .. } => bound(pattern),
        Action::Heap(action) => action.pattern().into_iter().for_each(bound),
        Action::Deterministic(body) => body.actions().for_each(|action| writes(action, visit)),
        Action::Skip
        | Action::Condition(_)
        | Action::Else
        | Action::Send { .. }
        | Action::Assert(_)
        | Action::Print { .. }
        | Action::SetPriority(..)
        | Action::End => {}
    }
}

/// A place's owner: the process type, or `None` for the model.
pub(crate) fn owner(proctype: ProctypeId, place: &Place) -> Option<ProctypeId> {
    match place.scope {
        Scope::Global => None,
        Scope::Local => Some(proctype),
    }
}

/// The slots of a process type, or the model's.
pub(crate) fn slots(model: &Model, owner: Option<ProctypeId>) -> &[Slot] {
    match owner {
        None => &model.globals,
        Some(id) => &model.proctypes[id].slots,
    }
}

/// Which declarations the channels in variables come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    held: HashMap<Variable, HashSet<usize>>,
    messages: HashSet<usize>,
    /// A channel variable can get a value that was computed, so it can hold any channel.
    pub(crate) forged: bool,
}

impl Flow {
    pub(crate) fn new(model: &Model) -> Self {
        let mut flow = Flow::default();
        loop {
            let before = flow.size();
            flow.round(model);
            if flow.forged || flow.size() == before {
                return flow;
            }
        }
    }

    /// The declarations of the channels that a place can hold.
    pub(crate) fn of(&self, proctype: ProctypeId, place: &Place) -> HashSet<usize> {
        let owner = owner(proctype, place);
        place.all_slots().into_iter().filter_map(|slot| self.held.get(&(owner, slot))).flatten().copied().collect()
    }

    fn size(&self) -> (usize, usize) {
        (self.held.values().map(HashSet::len).sum(), self.messages.len())
    }

    fn round(&mut self, model: &Model) {
        self.setup(model, None, 0, &model.setup);
        for (id, proctype) in model.process_types() {
            self.setup(model, Some(id), id, &proctype.setup);
            for statement in &proctype.statements {
                self.action(model, id, &statement.action);
            }
        }
    }

    fn setup(&mut self, model: &Model, owner: Option<ProctypeId>, id: ProctypeId, setup: &[Setup]) {
        for step in setup {
            match step {
                Setup::Channel(slot, ty) => {
                    self.held.entry((owner, *slot)).or_default().insert(*ty);
                }
                Setup::Assign(slot, value) => {
                    self.expr(model, id, value);
                    self.into(model, id, owner, &[*slot], value);
                }
            }
        }
    }

    fn action(&mut self, model: &Model, id: ProctypeId, action: &Action) {
        action.walk(&mut |e| self.run(model, id, e));
        match action {
            Action::Assign(place, value) => self.into(model, id, owner(id, place), &place.all_slots(), value),
            Action::Send { channel, values, .. } => {
                let fields: Vec<usize> = self.of(id, channel).into_iter().collect();
                for (number, value) in values.iter().enumerate() {
                    match self.value(model, id, value) {
                        Some(held) => self.messages.extend(held),
                        None => {
                            let field = |ty: &usize| model.channels[*ty].fields.get(number);
                            self.forged |= fields.iter().filter_map(field).any(|scalar| scalar.sort == Sort::Channel);
                        }
                    }
                }
            }
            Action::Receive { pattern, copy, .. } => {
                for (number, part) in pattern.iter().enumerate() {
                    let Pattern::Bind(place) = part else { continue };
                    let owner = owner(id, place);
                    if slots(model, owner)[place.slot].scalar.sort != Sort::Channel {
                        continue;
                    }
                    // Looking at a message may leave out its last fields; taking it out may not.
                    let plain = |fields: &[quotient_ir::Scalar]| {
                        let fits = fields.len() == pattern.len() || *copy && fields.len() > pattern.len();
                        fits && fields[number].sort != Sort::Channel
                    };
                    self.forged |= model.channels.iter().any(|channel| plain(&channel.fields));
                    for slot in place.all_slots() {
                        let messages = self.messages.clone();
                        self.held.entry((owner, slot)).or_default().extend(messages);
                    }
                }
            }
            Action::Deterministic(body) => body.actions().for_each(|action| self.action(model, id, action)),
            Action::Skip
            | Action::Condition(_)
            | Action::Else
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority(..)
            | Action::End
            | Action::Heap(_) => {}
        }
    }

    /// What flows into the parameters of a process that an expression creates.
    fn run(&mut self, model: &Model, id: ProctypeId, expr: &Expr) {
        if let Expr::Run { proctype, args, .. } = expr {
            for (slot, arg) in args.iter().enumerate() {
                self.into(model, id, Some(*proctype), &[slot], arg);
            }
        }
    }

    fn expr(&mut self, model: &Model, id: ProctypeId, expr: &Expr) {
        expr.walk(&mut |e| self.run(model, id, e));
    }

    /// A value is stored in slots.
    fn into(&mut self, model: &Model, id: ProctypeId, owner: Option<ProctypeId>, into: &[usize], value: &Expr) {
        let channel = |slot: &&usize| slots(model, owner).get(**slot).is_some_and(|s| s.scalar.sort == Sort::Channel);
        if !into.iter().any(|slot| channel(&slot)) {
            return;
        }
        match self.value(model, id, value) {
            Some(held) => {
                for &slot in into {
                    self.held.entry((owner, slot)).or_default().extend(&held);
                }
            }
            None => self.forged = true,
        }
    }

    /// The channels that an expression's value can be; `None` when it is not the value of a channel variable, or zero.
    fn value(&self, model: &Model, id: ProctypeId, value: &Expr) -> Option<HashSet<usize>> {
        match value {
            Expr::Const(0) => Some(HashSet::new()),
            Expr::Read(place) => {
                let sort = slots(model, owner(id, place))[place.slot].scalar.sort;
                (sort == Sort::Channel).then(|| self.of(id, place))
            }
            _ => None,
        }
    }
}
