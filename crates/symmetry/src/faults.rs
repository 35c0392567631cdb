//! How an expression can fail: what must be known before operands may be evaluated in another order. Part of the rules.

use std::collections::BTreeSet;

use quotient_ir::{BinaryOp, Expr, Pattern, Place, UnaryOp};

use crate::rules::{Abort, Rules, constant, flatten, folded};
use crate::values::Values;

/// What can go wrong in evaluating an expression, as text that is the same for the same cause.
#[derive(Clone, Debug, Default)]
struct Risks {
    /// What goes wrong whenever the cause is there.
    must: BTreeSet<(Abort, String)>,
    /// What may go wrong.
    may: BTreeSet<(Abort, String)>,
}

impl Risks {
    fn of(kind: Abort, cause: String) -> Self {
        Risks { must: BTreeSet::from([(kind, cause.clone())]), may: BTreeSet::from([(kind, cause)]) }
    }

    /// Both are evaluated.
    fn and(mut self, other: Risks) -> Self {
        self.must.extend(other.must);
        self.may.extend(other.may);
        self
    }

    /// The other may be evaluated after this.
    fn then(mut self, other: Risks) -> Self {
        self.may.extend(other.may);
        self
    }
}

/// What is known of variables inside an operand, because operands before it were true or false.
type Known = Vec<(String, Values)>;

/// Whether there is at most one way to fail, and it is a single one.
pub(crate) fn one_kind(kinds: &BTreeSet<Abort>) -> bool {
    kinds.len() <= 1 && !kinds.contains(&Abort::Other)
}

impl Rules<'_> {
    /// The ways in which an expression can fail.
    pub fn aborts(&self, expr: &Expr) -> BTreeSet<Abort> {
        self.risks(expr, &mut Vec::new()).may.into_iter().map(|(kind, _)| kind).collect()
    }

    /// The ways in which an access can fail.
    pub fn place_aborts(&self, place: &Place) -> BTreeSet<Abort> {
        self.place_risks(place, &mut Vec::new()).may.into_iter().map(|(kind, _)| kind).collect()
    }

    /// The ways in which using a channel can fail.
    pub fn channel_aborts(&self, place: &Place) -> BTreeSet<Abort> {
        self.channel_risks(place, &mut Vec::new()).may.into_iter().map(|(kind, _)| kind).collect()
    }

    /// Whether operands that are all evaluated fail in one way, if at all.
    pub fn fail_alike(&self, operands: &[&Expr]) -> bool {
        let all: BTreeSet<Abort> = operands.iter().flat_map(|e| self.aborts(e)).collect();
        one_kind(&all)
    }

    /// Whether operands of which some may not be evaluated fail whatever their order is: all that can go wrong in one goes
    /// wrong in each.
    pub fn fail_together(&self, operands: &[&Expr]) -> bool {
        let risks: Vec<Risks> = operands.iter().map(|e| self.risks(e, &mut Vec::new())).collect();
        let kinds: BTreeSet<Abort> = risks.iter().flat_map(|r| r.may.iter().map(|(kind, _)| *kind)).collect();
        one_kind(&kinds) && risks.iter().all(|r| risks.iter().all(|first| r.may.is_subset(&first.must)))
    }

    fn risks(&self, expr: &Expr, known: &mut Known) -> Risks {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress => Risks::default(),
            Expr::Heap(_) => Risks::of(Abort::Other, format!("{expr:?}")),
            Expr::Read(place) => self.place_risks(place, known),
            Expr::Unary(_, a) => self.risks(a, known),
            Expr::Binary(op, a, b) => {
                let both = self.risks(a, known).and(self.risks(b, known));
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                match divides && self.range(b, known).contains(0) {
                    true => both.and(Risks::of(Abort::Division, format!("{b:?}"))),
                    false => both,
                }
            }
            Expr::And(..) | Expr::Or(..) => {
                let and = matches!(expr, Expr::And(..));
                let mut operands = Vec::new();
                flatten(expr, and, &mut operands);
                let outer = known.len();
                let mut all: Option<Risks> = None;
                for operand in operands {
                    if constant(operand).is_some_and(|value| (value != 0) == and) {
                        continue;
                    }
                    let risks = self.risks(operand, known);
                    all = Some(match all {
                        None => risks,
                        Some(first) => first.then(risks),
                    });
                    self.assume(operand, and, known);
                }
                known.truncate(outer);
                all.unwrap_or_default()
            }
            Expr::Cond(c, a, b) => {
                let outer = known.len();
                let mut risks = self.risks(c, known);
                for (part, truth) in [(a, true), (b, false)] {
                    self.assume(c, truth, known);
                    risks = risks.then(self.risks(part, known));
                    known.truncate(outer);
                }
                risks
            }
            Expr::Length(place) | Expr::Probe(_, place) => self.channel_risks(place, known),
            Expr::Poll { channel, pattern, random: _ } => {
                let mut risks = self.channel_risks(channel, known);
                let types = self.ranges.channel_types(self.proctype, channel);
                let fits = |&ty: &usize| {
                    let channel = &self.model.channels[ty];
                    channel.capacity > 0 && channel.fields.len() == pattern.len()
                };
                if !types.iter().all(fits) {
                    risks = risks.and(Risks::of(Abort::Other, format!("{expr:?}")));
                }
                for part in pattern {
                    risks = risks.then(match part {
                        Pattern::Match(value) => self.risks(value, known),
                        Pattern::Bind(place) => self.place_risks(place, known),
                        Pattern::Ignore => Risks::default(),
                    });
                }
                risks
            }
            Expr::RemoteAt { proctype: _, pid, state: _ } => {
                pid.as_ref().map_or_else(Risks::default, |pid| self.risks(pid, known))
            }
            Expr::RemoteRead { proctype: _, pid, place } => {
                let pid = pid.as_ref().map_or_else(Risks::default, |pid| self.risks(pid, known));
                pid.then(self.place_risks(place, known))
            }
            Expr::PcValue(pid) | Expr::PriorityOf(pid) => self.risks(pid, known),
            Expr::Run { .. } | Expr::Enabled(_) => Risks::of(Abort::Other, format!("{expr:?}")),
        }
    }

    fn place_risks(&self, place: &Place, known: &mut Known) -> Risks {
        let mut risks = Risks::default();
        for index in &place.indices {
            risks = risks.and(self.risks(&index.value, known));
            let inside = match self.range(&index.value, known) {
                Values::Some(values) => values.iter().all(|&v| v >= 0 && (v as usize) < index.length),
                Values::Range(low, high) => low >= 0 && (high as usize) < index.length,
            };
            if !inside {
                risks = risks.and(Risks::of(Abort::Index, format!("{:?} of {}", index.value, index.length)));
            }
        }
        risks
    }

    fn channel_risks(&self, place: &Place, known: &mut Known) -> Risks {
        let risks = self.place_risks(place, known);
        let channels = self.renaming.channels.len() as i32;
        let lives = |&id: &i32| id >= 1 && id <= channels && self.lives(id as usize - 1);
        match self.ranges.place(self.proctype, place) {
            Values::Some(ids) if ids.iter().all(lives) => risks,
            _ => risks.and(Risks::of(Abort::Channel, format!("{place:?}"))),
        }
    }

    /// Whether a channel lives as long as the system does.
    fn lives(&self, channel: usize) -> bool {
        self.state.channels[channel].owner.is_none()
    }

    /// The values of an expression, given what is known.
    fn range(&self, expr: &Expr, known: &Known) -> Values {
        match expr {
            Expr::Read(place) => {
                let key = format!("{:?}", folded(place));
                let last = known.iter().rev().find(|(other, _)| *other == key);
                last.map_or_else(|| self.ranges.expr(self.proctype, expr), |(_, values)| values.clone())
            }
            Expr::Unary(op, a) => self.range(a, known).unary(*op),
            Expr::Binary(op, a, b) => self.range(a, known).binary(*op, &self.range(b, known)),
            _ => self.ranges.expr(self.proctype, expr),
        }
    }

    /// Adds what follows from an expression being true or false.
    fn assume(&self, expr: &Expr, truth: bool, known: &mut Known) {
        match expr {
            Expr::Unary(UnaryOp::Not, a) => self.assume(a, !truth, known),
            Expr::And(a, b) if truth => {
                self.assume(a, true, known);
                self.assume(b, true, known);
            }
            Expr::Or(a, b) if !truth => {
                self.assume(a, false, known);
                self.assume(b, false, known);
            }
            Expr::Read(place) => self.restrict(place, &|value| (value != 0) == truth, known),
            Expr::Binary(op, a, b) => match (&**a, &**b) {
                (Expr::Read(place), b) if constant(b).is_some() => {
                    let b = constant(b).unwrap_or(0);
                    self.restrict(place, &|v| op.apply(v, b).is_some_and(|r| (r != 0) == truth), known);
                }
                (a, Expr::Read(place)) if constant(a).is_some() => {
                    let a = constant(a).unwrap_or(0);
                    self.restrict(place, &|v| op.apply(a, v).is_some_and(|r| (r != 0) == truth), known);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn restrict(&self, place: &Place, keep: &dyn Fn(i32) -> bool, known: &mut Known) {
        let values = self.range(&Expr::Read(place.clone()), known);
        if let Values::Some(values) = values {
            let kept = values.into_iter().filter(|&v| keep(v)).collect();
            known.push((format!("{:?}", folded(place)), Values::Some(kept)));
        }
    }
}
