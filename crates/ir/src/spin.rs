//! What SPIN takes for shared, word for word: which actions touch something that other processes can see. It follows SPIN's
//! rule and not the truth: it does not look into the indices of arrays and the arguments of `run`, and believes promises
//! wherever they are made. It is for counting as SPIN does; nothing that is to be right may rest on it.

use crate::{Action, Exclusive, Expr, Pattern, Place, Probe, ProctypeId, Scope, Slot};

/// Where actions are looked at.
#[derive(Clone, Copy)]
pub struct Sharing<'a> {
    /// Global variables.
    pub globals: &'a [Slot],
    /// Whether some process has promised to be alone on a channel, in receiving (`true`) or in sending.
    pub promised: &'a dyn Fn(&Place, bool) -> bool,
    /// Whether the creation of a process may read more than its parameters.
    pub global_setup: &'a dyn Fn(ProctypeId) -> bool,
}

impl Sharing<'_> {
    /// Whether an action touches something shared.
    pub fn action(&self, action: &Action) -> bool {
        match action {
            Action::Skip | Action::Else | Action::End => false,
            Action::Condition(value) | Action::Assert(value) => self.expr(value),
            Action::Assign(place, value) => self.place(place) || self.expr(value),
            Action::Send { channel, values, .. } => {
                values.iter().any(|value| self.expr(value)) || !(self.promised)(channel, false)
            }
            Action::Receive { channel, pattern, .. } => self.pattern(pattern) || !(self.promised)(channel, true),
            Action::Print { args, .. } => args.iter().any(|arg| self.expr(arg)),
            Action::SetPriority(..) => true,
            Action::Deterministic(body) => body.actions().any(|action| self.action(action)),
            Action::Heap(_) => true,
        }
    }

    /// Whether an expression looks at something shared.
    pub fn expr(&self, value: &Expr) -> bool {
        match value {
            Expr::Const(_) | Expr::Pid | Expr::OwnPriority => false,
            Expr::Read(place) => self.place(place),
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => self.expr(a) || self.expr(b),
            Expr::Cond(c, a, b) => self.expr(c) || self.expr(a) || self.expr(b),
            Expr::Probe(Probe::NotEmpty | Probe::Full, channel) => !(self.promised)(channel, true),
            Expr::Probe(Probe::NotFull | Probe::Empty, channel) => !(self.promised)(channel, false),
            Expr::Length(channel) => !self.is_private(channel),
            Expr::Poll { channel, pattern, .. } => self.pattern(pattern) || !self.is_private(channel),
            Expr::Run { proctype, .. } => (self.global_setup)(*proctype),
            Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::PcValue(_)
            | Expr::PriorityOf(_)
            | Expr::RemoteAt { .. }
            | Expr::RemoteRead { .. }
            | Expr::Heap(_) => true,
        }
    }

    fn pattern(&self, pattern: &[Pattern]) -> bool {
        pattern.iter().any(|part| match part {
            Pattern::Match(value) => self.expr(value),
            Pattern::Bind(place) => self.place(place),
            Pattern::Ignore => false,
        })
    }

    fn place(&self, place: &Place) -> bool {
        place.scope == Scope::Global && !self.globals[place.slot].private
    }

    fn is_private(&self, channel: &Place) -> bool {
        (self.promised)(channel, true) && (self.promised)(channel, false)
    }
}

/// The variable that a promise on a channel is made for: whose it is, and its slot. It is `None` for an element of an array
/// and for a field of a structure, of which SPIN knows no promises.
pub fn variable_of(channel: &Place, globals: &[Slot], locals: &[Slot]) -> Option<(Scope, usize)> {
    let slots = if channel.scope == Scope::Global { globals } else { locals };
    let is_plain = !slots.get(channel.slot)?.name.contains(['.', '[']);
    is_plain.then_some((channel.scope, channel.slot))
}

/// Whether promises of one process type are made for a channel's variable.
pub fn are_made_for(promises: &[Exclusive], channel: &Place, receive: bool, globals: &[Slot], locals: &[Slot]) -> bool {
    let variable = variable_of(channel, globals, locals);
    let is_for = |p: &Exclusive| p.receive == receive && variable_of(&p.channel, globals, locals) == variable;
    variable.is_some() && promises.iter().any(is_for)
}
