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
pub enum Gather {
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
    /// Set to this value, which does not depend on what was there before.
    Set(i32),
}

/// What something reads, changes and may do wrong.
#[derive(Clone, Debug, Default)]
pub struct Effects {
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
    pub fn of(rules: &Rules, action: &Action) -> Self {
        let mut effects = Effects::default();
        effects.action(rules, action);
        effects
    }

    /// Adds those of a part.
    pub fn add(&mut self, rules: &Rules, part: &Part) {
        match part {
            Part::Do(action, _) => self.action(rules, action),
            Part::Choose(options) => {
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
    pub fn touches(&self, at: Variable) -> bool {
        self.looks_at_all || self.reads.contains(&at) || self.changes(at)
    }

    /// Whether a variable is changed.
    pub fn changes(&self, at: Variable) -> bool {
        self.writes.contains(&at) || self.gathers.contains_key(&at)
    }

    /// Whether a variable is read, also in gathering.
    pub fn reads_from(&self, at: Variable) -> bool {
        let gathers = |ways: &BTreeSet<Gather>| ways.iter().any(|how| !matches!(how, Gather::Set(_)));
        self.looks_at_all || self.reads.contains(&at) || self.gathers.get(&at).is_some_and(gathers)
    }

    /// Whether two parts may change places: neither sees what the other does, and nothing that can go wrong depends on the
    /// order.
    pub fn is_independent(&self, other: &Effects) -> bool {
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
                let gathers = gathered(place, value).filter(|(_, rest)| rules.aborts(rest).is_empty());
                match gathers {
                    Some((how, rest)) => {
                        self.expr(rules, rest);
                        self.gathers.entry((place.scope, place.slot)).or_default().insert(how);
                    }
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
            Action::SetPriority(..) | Action::End | Action::Deterministic(_) => {
                self.looks_at_all = true;
                self.changes_more = true;
                self.aborts.insert(Abort::Other);
                action.walk(&mut |e| self.expr(rules, e));
                crate::start::writes(action, &mut |place| self.write(rules, place));
            }
        }
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

/// `x = x + e`, `x = x || e` and the like, where `e` does not look at `x`: how, and `e`. Sums and bits are cut to the
/// variable's type in any order alike.
pub fn gathered<'e>(place: &Place, value: &'e Expr) -> Option<(Gather, &'e Expr)> {
    if !place.indices.is_empty() || place.scalar.sort == Sort::Channel {
        return None;
    }
    let is_self =
        |e: &Expr| matches!(e, Expr::Read(p) if p.scope == place.scope && p.slot == place.slot && p.indices.is_empty());
    let (how, a, b) = match value {
        Expr::Binary(BinaryOp::Add, a, b) => (Gather::Sum, a, b),
        Expr::Binary(BinaryOp::Sub, a, b) if is_self(a) => (Gather::Sum, a, b),
        Expr::Binary(BinaryOp::BitOr, a, b) => (Gather::BitOr, a, b),
        Expr::Binary(BinaryOp::BitAnd, a, b) => (Gather::BitAnd, a, b),
        Expr::Binary(BinaryOp::BitXor, a, b) => (Gather::BitXor, a, b),
        Expr::And(a, b) => (Gather::And, a, b),
        Expr::Or(a, b) => (Gather::Or, a, b),
        _ => return None,
    };
    let rest: &Expr = if is_self(a) {
        b
    } else if is_self(b) {
        a
    } else {
        return None;
    };
    let looks = |e: &Expr| match e {
        Expr::Read(p) => p.scope == place.scope && p.all_slots().contains(&place.slot),
        Expr::RemoteRead { .. } => true,
        _ => false,
    };
    (!rest.any(&looks)).then_some((how, rest))
}
