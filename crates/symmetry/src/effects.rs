//! What a part of a sequence reads, changes and may do wrong, to decide whether two parts may change places. Part of the
//! rules: in doubt they may not.

use std::collections::{BTreeMap, BTreeSet};

use quotient_ir::{Action, BinaryOp, Expr, Pattern, Place, Scope, Sort};

use crate::faults::one_kind;
use crate::rules::{Abort, Rules, constant, folded};
use crate::sequence::Part;
use crate::values::Values;

/// A variable of the model or of the executing process.
type Variable = (Scope, usize);

/// How a variable can gather values whose order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gather {
    /// Added to, or subtracted from.
    Sum,
    /// Bits that are set.
    BitOr,
    /// Bits that are left.
    BitAnd,
    /// Bits that change.
    BitXor,
    /// True if one is.
    Or,
    /// True if all are.
    And,
    /// The largest.
    Largest,
    /// The least.
    Least,
    /// Set to this value, which does not depend on what was there before.
    Set(i32),
}

/// What something reads, changes and may do wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    reads: BTreeSet<Variable>,
    writes: BTreeSet<Variable>,
    gathers: BTreeMap<Variable, BTreeSet<Gather>>,
    /// Channels, and whether their messages change.
    channels: BTreeMap<i32, bool>,
    aborts: BTreeSet<Abort>,
    asserts: bool,
    /// Looks at something that any change may change.
    looks_at_all: bool,
    /// Changes something that is no variable: priorities, or the state of a trace.
    changes_more: bool,
}

impl Effects {
    /// Of a statement.
    pub(crate) fn of(rules: &Rules, action: &Action) -> Self {
        let mut effects = Effects::default();
        effects.action(rules, action);
        effects
    }

    /// Adds those of a part.
    pub(crate) fn add(&mut self, rules: &Rules, part: &Part) {
        match part {
            Part::Do(action, _) => self.action(rules, action),
            Part::Choose(options) => {
                if let Some((place, how, rest)) = chosen(options)
                    && gathers_rightly(rules, place, how, rest)
                {
                    self.gather(rules, place, how, rest);
                    return;
                }
                let mut certain = false;
                for (guard, rest) in options {
                    match guard {
                        Action::Condition(e) => self.expr(rules, e),
                        Action::Else | Action::Skip => certain = true,
                        guard => self.action(rules, guard),
                    }
                    rest.iter().for_each(|part| self.add(rules, part));
                }
                if !certain {
                    self.aborts.insert(Abort::Blocked);
                }
            }
        }
    }

    /// Whether a variable is read or changed.
    pub(crate) fn touches(&self, at: Variable) -> bool {
        self.looks_at_all || self.reads.contains(&at) || self.changes(at)
    }

    /// Whether a variable is changed.
    pub(crate) fn changes(&self, at: Variable) -> bool {
        self.writes.contains(&at) || self.gathers.contains_key(&at)
    }

    /// Whether a variable is read, also in gathering.
    pub(crate) fn reads_from(&self, at: Variable) -> bool {
        let gathers = |ways: &BTreeSet<Gather>| ways.iter().any(|how| !matches!(how, Gather::Set(_)));
        self.looks_at_all || self.reads.contains(&at) || self.gathers.get(&at).is_some_and(gathers)
    }

    /// Whether two parts may change places: neither sees what the other does, and nothing that can go wrong depends on the
    /// order.
    pub(crate) fn is_independent(&self, other: &Effects) -> bool {
        !self.disturbs(other) && !other.disturbs(self) && {
            let kinds: BTreeSet<Abort> = self.aborts.union(&other.aborts).copied().collect();
            let quiet = |ends: &Effects, other: &Effects| ends.aborts.is_empty() || !other.asserts;
            one_kind(&kinds) && quiet(self, other) && quiet(other, self)
        }
    }

    fn disturbs(&self, other: &Effects) -> bool {
        let changes = !self.writes.is_empty()
            || !self.gathers.is_empty()
            || self.channels.values().any(|&w| w)
            || self.changes_more;
        let seen = |at: &Variable| other.touches(*at);
        (other.looks_at_all && changes)
            || (self.changes_more && other.changes_more)
            || self.writes.iter().any(seen)
            || self.gathers.iter().any(|(at, ways)| {
                let same = |theirs: &BTreeSet<Gather>| theirs == ways && ways.len() == 1;
                other.reads.contains(at) || other.writes.contains(at) || !other.gathers.get(at).is_none_or(same)
            })
            || self.channels.iter().any(|(id, &writes)| other.channels.get(id).is_some_and(|&w| writes || w))
    }

    fn action(&mut self, rules: &Rules, action: &Action) {
        match action {
            Action::Skip | Action::Else => {}
            Action::Condition(e) => {
                self.expr(rules, e);
                self.aborts.insert(Abort::Blocked);
            }
            Action::Assert(e) => {
                self.expr(rules, e);
                self.asserts = true;
            }
            Action::Assign(place, value) => {
                let place = &folded(place);
                if let (true, Some(value)) = (place.indices.is_empty(), constant(value)) {
                    let how = Gather::Set(place.scalar.truncate(value));
                    self.gathers.entry((place.scope, place.slot)).or_default().insert(how);
                    return;
                }
                let gathers = gathered(place, value).filter(|(how, rest)| gathers_rightly(rules, place, *how, rest));
                match gathers {
                    Some((how, rest)) => self.gather(rules, place, how, rest),
                    None => {
                        self.expr(rules, value);
                        self.write(rules, place);
                    }
                }
            }
            Action::Send { channel, values, sorted: _ } => {
                values.iter().for_each(|value| self.expr(rules, value));
                self.message(rules, channel, values.len());
            }
            Action::Receive { channel, pattern, random: _, copy: _ } => {
                self.message(rules, channel, pattern.len());
                for part in pattern {
                    match part {
                        Pattern::Match(value) => self.expr(rules, value),
                        Pattern::Bind(place) => self.write(rules, place),
                        Pattern::Ignore => {}
                    }
                }
            }
            Action::Print { format: _, args, mtype: _ } => args.iter().for_each(|arg| self.expr(rules, arg)),
            Action::SetPriority(..) | Action::End | Action::Deterministic(_) | Action::Heap(_) => {
                self.looks_at_all = true;
                self.changes_more = true;
                self.aborts.insert(Abort::Other);
                action.walk(&mut |e| self.expr(rules, e));
                crate::start::writes(action, &mut |place| self.write(rules, place));
            }
        }
    }

    fn gather(&mut self, rules: &Rules, place: &Place, how: Gather, rest: &Expr) {
        self.expr(rules, rest);
        self.gathers.entry((place.scope, place.slot)).or_default().insert(how);
    }

    /// A message that is put into or taken out of a channel.
    fn message(&mut self, rules: &Rules, channel: &Place, fields: usize) {
        self.channel(rules, channel, true);
        // That a channel is full or empty ends a `d_step`; what else can be wrong with it is not told apart.
        self.aborts.insert(Abort::Blocked);
        let types = rules.ranges.channel_types(rules.proctype, channel);
        let fits = |&ty: &usize| {
            let channel = &rules.model.channels[ty];
            channel.capacity > 0 && channel.fields.len() == fields
        };
        if !types.iter().all(fits) {
            self.aborts.insert(Abort::Other);
        }
        self.changes_more |= rules.model.trace.is_some();
    }

    fn channel(&mut self, rules: &Rules, place: &Place, writes: bool) {
        self.aborts.extend(rules.channel_aborts(place));
        self.read(rules, place);
        let ids: Vec<i32> = match rules.ranges.place(rules.proctype, place) {
            Values::Some(ids) => ids.into_iter().collect(),
            Values::Range(..) => (1..=rules.renaming.channels.len() as i32).collect(),
        };
        for id in ids {
            *self.channels.entry(id).or_default() |= writes;
        }
    }

    fn write(&mut self, rules: &Rules, place: &Place) {
        self.aborts.extend(rules.place_aborts(place));
        self.writes.extend(rules.ranges.slots(rules.proctype, place).into_iter().map(|slot| (place.scope, slot)));
        place.walk(&mut |e| self.look(rules, e));
    }

    fn read(&mut self, rules: &Rules, place: &Place) {
        self.reads.extend(rules.ranges.slots(rules.proctype, place).into_iter().map(|slot| (place.scope, slot)));
        place.walk(&mut |e| self.look(rules, e));
    }

    fn expr(&mut self, rules: &Rules, expr: &Expr) {
        self.aborts.extend(rules.aborts(expr));
        expr.walk(&mut |e| self.look(rules, e));
    }

    /// One expression, not those below it.
    fn look(&mut self, rules: &Rules, expr: &Expr) {
        match expr {
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Cond(..)
            | Expr::Pid => {}
            Expr::Read(place) => {
                let slots = rules.ranges.slots(rules.proctype, place);
                self.reads.extend(slots.into_iter().map(|slot| (place.scope, slot)));
            }
            Expr::Length(place) | Expr::Probe(_, place) => self.channel(rules, place, false),
            Expr::Poll { channel, pattern: _, random: _ } => self.channel(rules, channel, false),
            Expr::RemoteRead { proctype, pid: _, place } => {
                if *proctype == rules.proctype {
                    let slots = rules.ranges.slots(rules.proctype, place);
                    self.reads.extend(slots.into_iter().map(|slot| (Scope::Local, slot)));
                }
            }
            Expr::Run { .. }
            | Expr::Heap(_)
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::PcValue(_)
            | Expr::PriorityOf(_)
            | Expr::RemoteAt { .. } => self.looks_at_all = true,
        }
    }
}

/// `x = x + e`, `x = x || e`, `x = (e > x -> e : x)` and the like, where `e` does not look at `x`: how, and `e`. Sums and
/// bits are cut to the variable's type in any order alike; for the others see [`gathers_rightly`].
pub(crate) fn gathered<'e>(place: &Place, value: &'e Expr) -> Option<(Gather, &'e Expr)> {
    let (how, a, b) = match value {
        Expr::Binary(BinaryOp::Add, a, b) => (Gather::Sum, a, b),
        Expr::Binary(BinaryOp::Sub, a, b) if is_just(place, a) => (Gather::Sum, a, b),
        Expr::Binary(BinaryOp::BitOr, a, b) => (Gather::BitOr, a, b),
        Expr::Binary(BinaryOp::BitAnd, a, b) => (Gather::BitAnd, a, b),
        Expr::Binary(BinaryOp::BitXor, a, b) => (Gather::BitXor, a, b),
        Expr::And(a, b) => (Gather::And, a, b),
        Expr::Or(a, b) => (Gather::Or, a, b),
        Expr::Cond(condition, a, b) => (extreme(condition, a, b)?, a, b),
        _ => return None,
    };
    other_than(place, a, b).map(|rest| (how, rest))
}

/// `if :: e > x -> x = e :: else fi` and the like: `x`, how it gathers, and `e`.
fn chosen(options: &[(Action, Vec<Part>)]) -> Option<(&Place, Gather, &Expr)> {
    let [(Action::Condition(condition), stored), (Action::Else, nothing)] = options else { return None };
    let ([Part::Do(Action::Assign(place, value), _)], []) = (&stored[..], &nothing[..]) else { return None };
    let own = match condition {
        Expr::Binary(_, a, b) => [a, b].into_iter().find(|e| is_just(place, e))?,
        _ => return None,
    };
    let how = extreme(condition, value, own)?;
    other_than(place, value, own).map(|rest| (place, how, rest))
}

/// Whether `(c -> a : b)` is the larger or the lesser of `a` and `b`. Where they are equal it does not matter which is
/// taken.
fn extreme(condition: &Expr, a: &Expr, b: &Expr) -> Option<Gather> {
    let (larger, lesser) = match condition {
        Expr::Binary(BinaryOp::Gt | BinaryOp::Ge, x, y) => (&**x, &**y),
        Expr::Binary(BinaryOp::Lt | BinaryOp::Le, x, y) => (&**y, &**x),
        _ => return None,
    };
    match (same(a, larger) && same(b, lesser), same(a, lesser) && same(b, larger)) {
        (true, _) => Some(Gather::Largest),
        (_, true) => Some(Gather::Least),
        (false, false) => None,
    }
}

/// Whether two expressions are written alike, as far as it is looked at.
fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Const(a), Expr::Const(b)) => a == b,
        (Expr::Pid, Expr::Pid) => true,
        (Expr::Read(a), Expr::Read(b)) => {
            let indices = a.indices.iter().zip(&b.indices);
            (a.scope, a.slot, a.indices.len()) == (b.scope, b.slot, b.indices.len())
                && indices
                    .into_iter()
                    .all(|(i, j)| (i.length, i.stride) == (j.length, j.stride) && same(&i.value, &j.value))
        }
        (Expr::Unary(op, a), Expr::Unary(other, b)) => op == other && same(a, b),
        (Expr::Binary(op, a, c), Expr::Binary(other, b, d)) => op == other && same(a, b) && same(c, d),
        _ => false,
    }
}

/// Whether gathering is a matter of the values alone, in any order: nothing fails, and what is compared is what is kept.
fn gathers_rightly(rules: &Rules, place: &Place, how: Gather, rest: &Expr) -> bool {
    let kept = || {
        let values = rules.ranges.expr(rules.proctype, rest);
        values.cut(place.scalar) == values
    };
    rules.aborts(rest).is_empty() && (!matches!(how, Gather::Largest | Gather::Least) || kept())
}

/// Whether an expression is a variable and nothing else.
fn is_just(place: &Place, expr: &Expr) -> bool {
    let same = |p: &Place| p.scope == place.scope && p.slot == place.slot && p.indices.is_empty();
    place.indices.is_empty() && matches!(expr, Expr::Read(p) if same(p))
}

/// If one of two expressions is a variable, the other one, provided that it does not look at the variable.
fn other_than<'e>(place: &Place, a: &'e Expr, b: &'e Expr) -> Option<&'e Expr> {
    if !place.indices.is_empty() || place.scalar.sort == Sort::Channel {
        return None;
    }
    let rest = match (is_just(place, a), is_just(place, b)) {
        (true, _) => b,
        (_, true) => a,
        (false, false) => return None,
    };
    let looks = |e: &Expr| match e {
        Expr::Read(p) => p.scope == place.scope && p.all_slots().contains(&place.slot),
        Expr::RemoteRead { .. } => true,
        _ => false,
    };
    (!rest.any(&looks)).then_some(rest)
}
