//! Control automata up to renaming: which control state corresponds to which. Starting from where processes start, the
//! ways on from a control state must correspond one to one to those on from its partner, and lead to partners again.
//!
//! The same comparison finds the partners, where they are not known yet, and proves that they are partners.

use std::collections::{BTreeSet, HashSet};

use quotient_ir::{Action, Expr, Model, Proctype, Scope};

use crate::rules::Rules;
use crate::sequence::{Code, End, Known, Way, corresponds};

/// More pairs of points than this are not compared.
const MOST_PAIRS: usize = 20_000;

/// Which control states are partners.
#[derive(Clone, Debug)]
pub(crate) struct Partners {
    /// For each control state its partner, as far as it is known.
    pub to: Vec<Option<usize>>,
    taken: HashSet<usize>,
    /// Nothing may be added.
    fixed: bool,
}

impl Partners {
    /// Nothing is known yet.
    pub(crate) fn unknown(states: usize) -> Self {
        Partners { to: vec![None; states], taken: HashSet::new(), fixed: false }
    }

    /// These are the partners, which is to be proved.
    pub(crate) fn fixed(to: &[usize]) -> Self {
        Partners { to: to.iter().map(|&q| Some(q)).collect(), taken: HashSet::new(), fixed: true }
    }

    /// Whether two control states are, or can be, partners.
    fn may_be(&self, p: usize, q: usize) -> bool {
        match self.to.get(p) {
            None => p == q,
            Some(Some(known)) => *known == q,
            Some(None) => !self.fixed && !self.taken.contains(&q),
        }
    }

    fn add(&mut self, p: usize, q: usize) {
        if let (Some(to @ None), false) = (self.to.get_mut(p), self.fixed) {
            *to = Some(q);
            self.taken.insert(q);
        }
    }
}

/// What nobody will read after a control state was reached.
pub(crate) type Unread<'u> = &'u dyn Fn(usize, Scope, usize) -> bool;

/// A point with what is known there.
type Point = (usize, Known);

/// Compares the automaton of a process type with itself, renamed, from some control states on. The error is the number of
/// the first statement without a partner.
pub(crate) fn compare(rules: &Rules, starts: &[usize], partners: &mut Partners, unread: Unread) -> Result<(), usize> {
    let proctype = &rules.model.proctypes[rules.proctype];
    let code = Code::automaton(proctype, is_whole(rules.model, proctype));
    let comparison = Comparison { rules, proctype, code, in_order: asks_enabled(rules.model), unread };
    let mut seen: BTreeSet<(Point, Point)> = BTreeSet::new();
    let mut work: Vec<(Point, Point)> = Vec::new();
    for &start in starts {
        let partner = partners.to.get(start).copied().flatten().unwrap_or(start);
        comparison.partner(start, partner, partners, &mut work).ok_or(usize::MAX)?;
    }
    // Points that were found first are compared first, so that the first difference is the one to tell.
    let mut at = 0;
    while at < work.len() {
        let pair = work[at].clone();
        at += 1;
        if !seen.insert(pair.clone()) {
            continue;
        }
        if seen.len() > MOST_PAIRS {
            return Err(usize::MAX);
        }
        comparison.point(&pair.0, &pair.1, partners, &mut work)?;
    }
    Ok(())
}

/// Whether atomic sequences of a type are carried out as a whole, unseen by anybody.
fn is_whole(model: &Model, proctype: &Proctype) -> bool {
    let looks = |e: &Expr| matches!(e, Expr::PcValue(_) | Expr::Enabled(_) | Expr::NonProgress);
    let mut statements = model.proctypes.iter().flat_map(|p| &p.statements);
    proctype.provided.is_none()
        && !model.uses.priority
        && !proctype.states.iter().any(|state| state.observed)
        && !statements.any(|s| s.action.any(&looks))
}

/// Whether the order of options can matter, because somebody asks whether a process is enabled.
fn asks_enabled(model: &Model) -> bool {
    let asks = |e: &Expr| matches!(e, Expr::Enabled(_));
    let mut statements = model.proctypes.iter().flat_map(|p| &p.statements);
    let mut provided = model.proctypes.iter().filter_map(|p| p.provided.as_ref());
    model.uses.priority || statements.any(|s| s.action.any(&asks)) || provided.any(|e| e.any(&asks))
}

struct Comparison<'c> {
    rules: &'c Rules<'c>,
    proctype: &'c Proctype,
    code: Code<'c>,
    in_order: bool,
    unread: Unread<'c>,
}

impl Comparison<'_> {
    /// Takes two control states for partners, if they can be.
    fn partner(&self, p: usize, q: usize, partners: &mut Partners, work: &mut Vec<(Point, Point)>) -> Option<()> {
        if !partners.may_be(p, q) {
            return None;
        }
        if let (Some(a), Some(b)) = (self.proctype.states.get(p), self.proctype.states.get(q)) {
            if (a.end, a.accept, a.progress) != (b.end, b.accept, b.progress) {
                return None;
            }
            work.push(((p, Known::new()), (q, Known::new())));
        }
        partners.add(p, q);
        Some(())
    }

    /// Compares the ways on from two points.
    fn point(
        &self,
        a: &Point,
        b: &Point,
        partners: &mut Partners,
        work: &mut Vec<(Point, Point)>,
    ) -> Result<(), usize> {
        let states = self.proctype.states.len();
        if a.0 >= states || b.0 >= states {
            return if a.0 >= states && b.0 >= states { Ok(()) } else { Err(usize::MAX) };
        }
        let ours = self.code.ways(self.rules, a.0, &a.1);
        let theirs = self.code.ways(self.rules, b.0, &b.1);
        let mut left: Vec<usize> = (0..theirs.len()).collect();
        let in_order = self.in_order
            || self.by_rendezvous(&ours)
            || ours.iter().chain(&theirs).any(|way| begins_with_else(&way.first));
        for (i, way) in ours.iter().enumerate() {
            // What stands in the same place is the most likely partner.
            let mut order: Vec<usize> = left.iter().copied().filter(|&j| j == i || !in_order).collect();
            order.sort_by_key(|&j| (j != i, j));
            let mut blame = way.statement;
            let mut close = false;
            let found = order.into_iter().find_map(|j| {
                let attempt = self.rules.saved(|| match self.way(way, &theirs[j], partners) {
                    Ok(added) => Some(added),
                    Err(Some(statement)) => {
                        if !std::mem::replace(&mut close, true) && statement != usize::MAX {
                            blame = statement;
                        }
                        None
                    }
                    Err(None) => None,
                });
                attempt.map(|added| (j, added))
            });
            let Some((j, (known, new))) = found else { return Err(blame) };
            left.retain(|&other| other != j);
            *partners = known;
            work.extend(new);
        }
        match left.first() {
            Some(&j) => Err(theirs[j].statement),
            None => Ok(()),
        }
    }

    /// Compares two ways; gives the partners with those that are new, and the points to compare next. The error tells which
    /// statement is different, if the ways begin alike.
    #[allow(clippy::type_complexity)]
    fn way(&self, a: &Way, b: &Way, partners: &Partners) -> Result<(Partners, Vec<(Point, Point)>), Option<usize>> {
        let at = |end: &End| match end {
            End::Left(target) => *target,
            End::Inside(point, _) => *point,
        };
        let (there, here) = (at(&b.end), at(&a.end));
        let alone = a.rest.parts.is_empty() && a.rest.constants.is_empty();
        let first = |scope: Scope, slot: usize| alone && (self.unread)(here, scope, slot);
        if a.escape != b.escape || a.keeps != b.keeps || !self.rules.action(&a.first, &b.first, &first) {
            return Err(None);
        }
        let (ours, theirs) = (
            |scope: Scope, slot: usize| (self.unread)(here, scope, slot),
            |scope: Scope, slot: usize| (self.unread)(there, scope, slot),
        );
        corresponds(self.rules, &a.rest, &b.rest, &ours, &theirs, false).map_err(Some)?;
        let (mut partners, mut work) = (partners.clone(), Vec::new());
        match (&a.end, &b.end) {
            (End::Left(p), End::Left(q)) => self.partner(*p, *q, &mut partners, &mut work).ok_or(None)?,
            (End::Inside(p, known), End::Inside(q, other)) => {
                work.push(((*p, known.clone()), (*q, other.clone())));
                // Control may be lost where nothing can be executed: then the state is stored, and others move.
                if self.loses_control(*p, known) || self.loses_control(*q, other) {
                    self.partner(*p, *q, &mut partners, &mut work).ok_or(None)?;
                }
            }
            (End::Left(_) | End::Inside(..), _) => return Err(None),
        }
        Ok((partners, work))
    }

    /// Whether the order of options can matter because one of them is a rendezvous. One for which nobody waits lets the
    /// process go on as if no escape could be taken, even if one that stands before it can.
    fn by_rendezvous(&self, ways: &[Way]) -> bool {
        let offers =
            |way: &Way| matches!(&way.first, Action::Send { channel, .. } if self.rules.may_be_rendezvous(channel));
        ways.iter().any(|way| way.escape > 0) && ways.iter().any(offers)
    }

    fn loses_control(&self, point: usize, known: &Known) -> bool {
        point >= self.proctype.states.len() || self.code.may_block(self.rules, point, known)
    }
}

/// Whether a `d_step` can be executed only if nothing before it can.
fn begins_with_else(action: &Action) -> bool {
    let Action::Deterministic(body) = action else { return false };
    body.nodes.first().is_some_and(|node| node.options.iter().any(|option| matches!(option.action, Action::Else)))
}

/// Compares the automaton of a `trace` with itself, renamed. It takes the first event that fits, so the order of events may
/// change only where no event fits both, or both lead to the same place.
pub(crate) fn compare_trace(rules: &Rules) -> Result<(), usize> {
    let automaton = &rules.model.proctypes[rules.proctype];
    let is_event = |action: &Action| matches!(action, Action::Send { .. } | Action::Receive { .. });
    for state in &automaton.states {
        let events: Vec<_> =
            state.transitions.iter().filter(|t| is_event(&automaton.statements[t.statement].action)).collect();
        let action = |at: usize| &automaton.statements[events[at].statement].action;
        let mut left: Vec<usize> = (0..events.len()).collect();
        for i in 0..events.len() {
            let fits = |place: usize| {
                let j = left[place];
                let may_pass =
                    |&l: &usize| events[l].target == events[j].target || exclusive(rules, action(l), action(j));
                events[i].target == events[j].target
                    && rules.event(action(i), action(j))
                    && left[..place].iter().all(may_pass)
            };
            match (0..left.len()).find(|&place| fits(place)) {
                Some(place) => drop(left.remove(place)),
                None => return Err(events[i].statement),
            }
        }
    }
    // Which channels are followed at all must not change, either.
    let events: Vec<_> = automaton.statements.iter().enumerate().filter(|(_, s)| is_event(&s.action)).collect();
    for (number, event) in &events {
        let follows = |other: &Action| match (&event.action, other) {
            (Action::Send { channel: c, .. }, Action::Send { channel: d, .. })
            | (Action::Receive { channel: c, .. }, Action::Receive { channel: d, .. }) => rules.channel(c, d),
            _ => false,
        };
        if !events.iter().any(|(_, other)| follows(&other.action)) {
            return Err(*number);
        }
    }
    Ok(())
}

/// Whether no event fits both.
fn exclusive(rules: &Rules, a: &Action, b: &Action) -> bool {
    let apart = |c: &quotient_ir::Place, d: &quotient_ir::Place| {
        let (a, b) = (rules.ranges.place(rules.proctype, c), rules.ranges.place(rules.proctype, d));
        a.list().is_some_and(|mut ids| ids.all(|id| !b.contains(id)))
    };
    match (a, b) {
        (Action::Send { channel: c, values: a, sorted: _ }, Action::Send { channel: d, values: b, sorted: _ }) => {
            let differ = |(a, b): (&Expr, &Expr)| matches!((a, b), (Expr::Const(v), Expr::Const(w)) if v != w);
            apart(c, d) || a.iter().zip(b).any(differ)
        }
        (
            Action::Receive { channel: c, pattern: a, random: _, copy: _ },
            Action::Receive { channel: d, pattern: b, random: _, copy: _ },
        ) => {
            let value = |p: &quotient_ir::Pattern| match p {
                quotient_ir::Pattern::Match(Expr::Const(value)) => Some(*value),
                _ => None,
            };
            let differ = |(a, b): (&quotient_ir::Pattern, &quotient_ir::Pattern)| match (value(a), value(b)) {
                (Some(v), Some(w)) => v != w,
                _ => false,
            };
            apart(c, d) || a.iter().zip(b).any(differ)
        }
        (Action::Send { .. }, Action::Receive { .. }) | (Action::Receive { .. }, Action::Send { .. }) => true,
        _ => false,
    }
}
