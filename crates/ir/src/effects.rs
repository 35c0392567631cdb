//! What a part of a `d_step` reads and writes, to decide whether two parts may change places.

use std::collections::HashMap;

use quotient_report::source::Span;

use crate::{Action, BinaryOp, Deterministic, Expr, Pattern, Place, Scope, Sort, Unordered};

/// Variables with how they are used. Channels count by the variables that hold them.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    reads: HashMap<(Scope, usize), Span>,
    writes: HashMap<(Scope, usize), Span>,
    /// Variables that are only added to, or only have conditions joined to them, with the operator.
    gathers: HashMap<(Scope, usize), (&'static str, Span)>,
    /// Channels that messages are put into or taken out of, by variable.
    channels: HashMap<(Scope, usize), Span>,
}

impl Effects {
    /// A variable through which the order of two parts can be seen.
    pub fn disturbs(&self, other: &Effects) -> Option<(Span, Scope, usize)> {
        let mut found: Vec<((Scope, usize), Span)> = Vec::new();
        for (at, span) in &self.writes {
            if other.reads.contains_key(at) || other.writes.contains_key(at) || other.gathers.contains_key(at) {
                found.push((*at, *span));
            }
        }
        for (at, (how, span)) in &self.gathers {
            let same = other.gathers.get(at).is_none_or(|(other, _)| other == how);
            if other.reads.contains_key(at) || !same {
                found.push((*at, *span));
            }
        }
        for (at, span) in &self.channels {
            if other.channels.contains_key(at) {
                found.push((*at, *span));
            }
        }
        found.sort_by_key(|&((scope, slot), _)| (scope == Scope::Local, slot));
        found.first().map(|&((scope, slot), span)| (span, scope, slot))
    }
}

/// A variable through which the order of a loop's iterations can be seen, if there is one, and where it is changed.
pub fn ordered(body: &Deterministic, unordered: &Unordered) -> Option<(Span, Scope, usize)> {
    let iterations: Vec<Effects> = unordered.iterations.iter().map(|nodes| of(body, nodes)).collect();
    let pairs = iterations.iter().enumerate().flat_map(|(i, one)| {
        iterations.iter().enumerate().filter(move |(j, _)| i != *j).map(move |(_, other)| (one, other))
    });
    pairs.into_iter().find_map(|(one, other)| one.disturbs(other))
}

/// The effects of some nodes of a `d_step`.
pub fn of(body: &Deterministic, nodes: &[usize]) -> Effects {
    let mut effects = Effects::default();
    for option in nodes.iter().flat_map(|&node| &body.nodes[node].options) {
        effects.action(&option.action, option.span);
    }
    effects
}

impl Effects {
    fn action(&mut self, action: &Action, span: Span) {
        match action {
            Action::Assign(place, value) => {
                self.indices(place, span);
                if let Some((how, rest)) = gathered(place, value) {
                    self.reads_of(rest, span);
                    for slot in place.all_slots() {
                        self.gathers.insert((place.scope, slot), (how, span));
                    }
                    return;
                }
                self.reads_of(value, span);
                self.write(place, span);
            }
            Action::Send { channel, values, .. } => {
                values.iter().for_each(|value| self.reads_of(value, span));
                self.channel(channel, span);
            }
            Action::Receive { channel, pattern, .. } => {
                self.channel(channel, span);
                for part in pattern {
                    match part {
                        Pattern::Match(value) => self.reads_of(value, span),
                        Pattern::Bind(place) => {
                            self.indices(place, span);
                            self.write(place, span);
                        }
                        Pattern::Ignore => {}
                    }
                }
            }
            other => {
                other.walk(&mut |e| self.read(e, span));
                for (scope, slot) in crate::dead::written(other) {
                    self.writes.insert((scope, slot), span);
                }
            }
        }
    }

    fn write(&mut self, place: &Place, span: Span) {
        for slot in place.all_slots() {
            self.writes.insert((place.scope, slot), span);
        }
    }

    fn indices(&mut self, place: &Place, span: Span) {
        place.walk(&mut |e| self.read(e, span));
    }

    fn channel(&mut self, place: &Place, span: Span) {
        self.indices(place, span);
        for slot in place.all_slots() {
            self.reads.insert((place.scope, slot), span);
            self.channels.insert((place.scope, slot), span);
        }
    }

    fn reads_of(&mut self, expr: &Expr, span: Span) {
        expr.walk(&mut |e| self.read(e, span));
    }

    fn read(&mut self, expr: &Expr, span: Span) {
        match expr {
            Expr::Read(place) => {
                for slot in place.all_slots() {
                    self.reads.insert((place.scope, slot), span);
                }
            }
            Expr::Length(place) | Expr::Probe(_, place) => self.channel(place, span),
            Expr::Poll { channel, .. } => self.channel(channel, span),
            _ => {}
        }
    }
}

/// `x = x + e`, `x = x || e` and the like, where `e` does not look at `x`: the operator and `e`.
fn gathered<'e>(place: &Place, value: &'e Expr) -> Option<(&'static str, &'e Expr)> {
    if !place.indices.is_empty() || place.scalar.sort == Sort::Channel {
        return None;
    }
    let is_self =
        |e: &Expr| matches!(e, Expr::Read(p) if p.scope == place.scope && p.slot == place.slot && p.indices.is_empty());
    let (how, a, b) = match value {
        Expr::Binary(BinaryOp::Add, a, b) => ("+", a, b),
        Expr::Binary(BinaryOp::BitOr, a, b) => ("|", a, b),
        Expr::Binary(BinaryOp::BitAnd, a, b) => ("&", a, b),
        Expr::And(a, b) => ("&&", a, b),
        Expr::Or(a, b) => ("||", a, b),
        _ => return None,
    };
    let rest: &Expr = if is_self(a) {
        b
    } else if is_self(b) {
        a
    } else {
        return None;
    };
    let looks =
        rest.any(&|e| matches!(e, Expr::Read(p) if p.scope == place.scope && p.all_slots().contains(&place.slot)));
    (!looks).then_some((how, rest))
}
