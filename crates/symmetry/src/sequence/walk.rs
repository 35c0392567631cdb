//! Follows a sequence for as long as there is one way to go. What is known on the way is put into the statements, constants are
//! stored as late as possible, and a choice whose options come together again is one part.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use quotient_ir::{Action, Expr, Place, Scope};

use super::{Code, Edge, End, Known, Part, Sequence, Stored, Way, free};
use crate::effects::Effects;
use crate::rules::{Rules, constant, folded};

/// More steps than this are not followed.
const LONGEST: usize = 2_000;

/// What is known after some steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    parts: Vec<Part>,
    /// Constants that were not stored yet.
    pending: BTreeMap<(Scope, usize), Stored>,
    known: Known,
}

impl Path {
    /// No step has been taken yet.
    pub(super) fn knowing(known: &Known) -> Self {
        Path { known: known.clone(), ..Path::default() }
    }

    /// The way that led here.
    pub(super) fn way(self, first: Action, statement: usize, stop: Stop) -> Way {
        let end = match stop {
            Stop::At(point) => End::Inside(point, self.known),
            Stop::Left(target) => End::Left(target),
        };
        let rest = Sequence { parts: self.parts, constants: self.pending };
        Way { first, statement, rest, end, escape: 0, keeps: true }
    }

    /// Takes note of a statement that is executed.
    pub(super) fn apply(&mut self, rules: &Rules, action: &Action, statement: usize) {
        match action {
            Action::Skip => return,
            Action::Print { format: _, args, mtype: _ } if args.iter().all(|arg| rules.aborts(arg).is_empty()) => {
                return;
            }
            Action::Assign(place, value) => {
                let place = folded(place);
                if let (true, Some(value)) = (place.indices.is_empty(), constant(value)) {
                    let (at, value) = ((place.scope, place.slot), place.scalar.truncate(value));
                    self.known.insert(at, value);
                    self.pending.insert(at, Stored { value, scalar: place.scalar, statement });
                    return;
                }
            }
            _ => {}
        }
        let effects = Effects::of(rules, action);
        self.store(&|at| effects.touches(at));
        self.forget(&effects);
        self.parts.push(Part::Do(action.clone(), statement));
    }

    /// Stores pending constants that somebody looks at.
    fn store(&mut self, wanted: &dyn Fn((Scope, usize)) -> bool) {
        let pending = std::mem::take(&mut self.pending);
        for (at, stored) in pending {
            if !wanted(at) {
                self.pending.insert(at, stored);
                continue;
            }
            let place = Place::scalar(at.0, at.1, stored.scalar);
            self.parts.push(Part::Do(Action::Assign(place, Expr::Const(stored.value)), stored.statement));
        }
    }

    /// Forgets the values of variables that change.
    pub(super) fn forget(&mut self, effects: &Effects) {
        self.known.retain(|at, _| !effects.changes(*at));
    }
}

/// Who follows the code.
pub(super) struct Walker<'w, 'a> {
    rules: &'w Rules<'w>,
    code: &'w Code<'a>,
    steps: Cell<usize>,
    /// Points whose choices are being followed.
    choosing: RefCell<Vec<usize>>,
}

/// Where a walk has ended.
pub(super) enum Stop {
    At(usize),
    Left(usize),
}

/// What became of a choice.
enum Choice {
    /// It is one part, and its options come together here.
    Joined(usize),
    /// Values that are known before it, but not after it, are forgotten: it is to be looked at again.
    Forgotten,
    /// Its options do not come together.
    Open,
}

impl<'w, 'a> Walker<'w, 'a> {
    pub(super) fn new(rules: &'w Rules<'w>, code: &'w Code<'a>) -> Self {
        Walker { rules, code, steps: Cell::new(0), choosing: RefCell::default() }
    }

    /// Goes on for as long as there is one way, or until a point.
    pub(super) fn walk(&self, path: &mut Path, mut at: usize, until: Option<usize>) -> Stop {
        loop {
            self.steps.set(self.steps.get() + 1);
            if self.steps.get() > LONGEST {
                return Stop::At(at);
            }
            if Some(at) == until {
                return Stop::At(at);
            }
            if at >= self.code.points.len() {
                return if self.code.ordered { Stop::Left(0) } else { Stop::At(at) };
            }
            if self.code.points[at].iter().any(|edge| edge.escape > 0) {
                return Stop::At(at);
            }
            let options = self.code.options(self.rules, at, &path.known);
            match &options[..] {
                [(edge, action)] if self.passes(action) => {
                    if !matches!(action, Action::Else) {
                        path.apply(self.rules, action, edge.statement);
                    }
                    match edge.next {
                        Some(next) => at = next,
                        None => return Stop::Left(edge.target),
                    }
                }
                options => match self.choice(path, at, options) {
                    Choice::Joined(join) => at = join,
                    Choice::Forgotten => {}
                    Choice::Open => return Stop::At(at),
                },
            }
        }
    }

    /// Whether a statement that stands alone is always executed; in a `d_step` it is an error if it cannot be.
    fn passes(&self, action: &Action) -> bool {
        match self.code.ordered {
            true => !matches!(action, Action::Deterministic(_) | Action::End | Action::SetPriority(..)),
            false => free(self.rules, action) || matches!(action, Action::Else),
        }
    }

    /// A choice whose options come together again.
    fn choice(&self, path: &mut Path, at: usize, options: &[(&Edge, Action)]) -> Choice {
        let Some(join) = self.code.joins[at].filter(|_| !self.choosing.borrow().contains(&at)) else {
            return Choice::Open;
        };
        self.choosing.borrow_mut().push(at);
        let chosen = self.branches(path, join, options);
        self.choosing.borrow_mut().pop();
        chosen.unwrap_or(Choice::Open)
    }

    fn branches(&self, path: &mut Path, join: usize, options: &[(&Edge, Action)]) -> Option<Choice> {
        let guard = |action: &Action| match action {
            Action::Else => true,
            Action::Condition(e) => self.code.ordered || self.rules.aborts(e).is_empty(),
            action => self.passes(action),
        };
        let always = options.iter().any(|(_, a)| matches!(a, Action::Else) || free(self.rules, a));
        if options.len() < 2 || !options.iter().all(|(_, a)| guard(a)) || !(always || self.code.ordered) {
            return None;
        }
        let mut branches = Vec::new();
        let mut known: Option<Known> = None;
        for (edge, action) in options {
            let mut branch = Path::knowing(&path.known);
            let first = match action {
                Action::Else | Action::Condition(_) => action.clone(),
                action if free(self.rules, action) => {
                    branch.apply(self.rules, action, edge.statement);
                    Action::Skip
                }
                action => {
                    branch.forget(&Effects::of(self.rules, action));
                    action.clone()
                }
            };
            match self.walk(&mut branch, edge.next?, Some(join)) {
                Stop::At(point) if point == join => {}
                Stop::At(_) | Stop::Left(_) => return None,
            }
            branch.store(&|_| true);
            known = Some(match known {
                None => branch.known,
                Some(mut known) => {
                    known.retain(|at, value| branch.known.get(at) == Some(value));
                    known
                }
            });
            branches.push((first, branch.parts));
        }
        let part = Part::Choose(branches);
        let mut effects = Effects::default();
        effects.add(self.rules, &part);
        let known = known.unwrap_or_default();
        // What is known before and not after would make the first round of a loop look unlike the others. To know less is
        // always right.
        let lost = |at: &(Scope, usize)| effects.changes(*at) && !known.contains_key(at);
        if path.known.keys().any(lost) {
            path.store(&|at| lost(&at));
            path.known.retain(|at, _| !lost(at));
            return Some(Choice::Forgotten);
        }
        path.store(&|at| effects.touches(at));
        path.known = known;
        path.parts.push(part);
        Some(Choice::Joined(join))
    }
}
