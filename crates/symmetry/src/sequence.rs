//! What happens inside an atomic sequence or a `d_step`, as one step: nobody sees what lies between, so the order of parts
//! that do not disturb each other is free.
//!
//! A sequence is followed for as long as there is one way to go. Values that are known on the way are put in, so that a
//! loop over all members is unrolled; constants that are stored are kept until the end, as one assignment to many
//! variables; choices whose options all come together again are one part. Two sequences correspond if one can be brought
//! into the order of the other by exchanging parts that are independent of each other (a trace in the sense of
//! Mazurkiewicz), such that parts correspond by the rules.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use quotient_ir::{Action, Deterministic, Expr, Pattern, Place, Proctype, Scalar, Scope};

use crate::effects::{Effects, gathered};
use crate::rules::{Rules, constant, folded};

/// More steps than this are not followed.
const LONGEST: usize = 2_000;
/// More pairs of points inside one `d_step` than this are not compared.
const MOST_PAIRS: usize = 2_000;

/// Variables whose values are known, with the statement that stored them.
pub type Known = BTreeMap<(Scope, usize), i32>;

/// A part of a sequence.
#[derive(Clone, Debug)]
pub enum Part {
    /// A statement, with its number.
    Do(Action, usize),
    /// A choice whose options come together again: guards, and what follows them.
    Choose(Vec<(Action, Vec<Part>)>),
}

/// What happens after a first statement, up to the next point where it matters who moves.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The parts, in order.
    pub parts: Vec<Part>,
    /// What is stored in the end: constants, with the statements that store them.
    pub constants: BTreeMap<(Scope, usize), Stored>,
}

/// A constant that is stored: its value, the type of the variable, and the number of the statement.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    value: i32,
    scalar: Scalar,
    statement: usize,
}

/// One way on from a point of the code.
#[derive(Clone, Debug)]
pub struct Way {
    /// The statement that decides whether it can be taken.
    pub first: Action,
    /// Its number.
    pub statement: usize,
    /// What follows at once.
    pub rest: Sequence,
    /// Where it leads.
    pub end: End,
    /// The rank of an escape.
    pub escape: usize,
    /// Whether control is kept after the first statement.
    pub keeps: bool,
}

/// Where a way leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// To a point where others may move.
    Left(usize),
    /// To a point inside the sequence, where these values are known.
    Inside(usize, Known),
}

/// Code as a graph: control states of a process type, or nodes of a `d_step`.
pub struct Code<'a> {
    points: Vec<Vec<Edge<'a>>>,
    /// Where all ways from a point come together.
    joins: Vec<Option<usize>>,
    /// The first option that can be executed is taken, and it is an error that there is none.
    ordered: bool,
    /// Sequences are not interrupted between two statements that can always be executed.
    whole: bool,
}

struct Edge<'a> {
    action: &'a Action,
    statement: usize,
    /// The next point, and whether control is kept.
    next: Option<usize>,
    target: usize,
    escape: usize,
}

impl<'a> Code<'a> {
    /// The control states of a process type. `whole` is false where a process may lose control at any point.
    pub fn automaton(proctype: &'a Proctype, whole: bool) -> Self {
        let points = proctype.states.iter().map(|state| {
            let mut ranks: Vec<u32> = vec![0];
            let edges = state.transitions.iter().map(|transition| {
                if !ranks.contains(&transition.escape) {
                    ranks.push(transition.escape);
                }
                Edge {
                    action: &proctype.statements[transition.statement].action,
                    statement: transition.statement,
                    next: transition.atomic.then_some(transition.target),
                    target: transition.target,
                    escape: ranks.iter().position(|&r| r == transition.escape).unwrap_or(0),
                }
            });
            edges.collect()
        });
        Code::new(points.collect(), false, whole)
    }

    /// The nodes of a `d_step`; where it ends is one more point.
    fn body(body: &'a Deterministic) -> Self {
        let mut statement = 0;
        let outside = body.nodes.len();
        let points = body.nodes.iter().map(|node| {
            let edges = node.options.iter().map(|option| {
                statement += 1;
                let (next, action) = (Some(option.next.unwrap_or(outside)), &option.action);
                Edge { action, statement: statement - 1, next, target: 0, escape: 0 }
            });
            edges.collect()
        });
        Code::new(points.collect(), true, true)
    }

    fn new(points: Vec<Vec<Edge<'a>>>, ordered: bool, whole: bool) -> Self {
        let joins = joins(&points, ordered);
        Code { points, joins, ordered, whole }
    }

    /// Whether a process at a point may find nothing to execute.
    pub fn may_block(&self, rules: &Rules, point: usize, known: &Known) -> bool {
        let options = self.options(rules, point, known);
        !options
            .iter()
            .any(|(edge, action)| edge.escape == 0 && (matches!(action, Action::Else) || free(rules, action)))
    }

    /// The ways on from a point, given what is known there.
    pub fn ways(&self, rules: &Rules, point: usize, known: &Known) -> Vec<Way> {
        let walker = Walker { rules, code: self, steps: Cell::new(0), choosing: RefCell::default() };
        if self.ordered && !self.may_block(rules, point, known) {
            // Nothing decides whether it can be taken: all of it is one sequence.
            let mut path = Path { known: known.clone(), ..Path::default() };
            let stop = walker.walk(&mut path, point, None);
            if !matches!(stop, Stop::At(at) if at == point) {
                return vec![path.way(Action::Skip, 0, stop)];
            }
        }
        let ways = self.options(rules, point, known).into_iter().map(|(edge, action)| {
            let (statement, escape, keeps) = (edge.statement, edge.escape, edge.next.is_some());
            let rendezvous = matches!(&action, Action::Send { channel, .. } if rules.may_be_rendezvous(channel));
            let (Some(next), true, false) = (edge.next, self.whole, rendezvous) else {
                let end = match edge.next {
                    Some(next) if self.ordered => End::Inside(next, Known::new()),
                    _ => End::Left(edge.target),
                };
                return Way { first: action, statement, rest: Sequence::default(), end, escape, keeps };
            };
            let mut path = Path { known: known.clone(), ..Path::default() };
            let first = match free(rules, &action) {
                true => {
                    path.apply(rules, &action, statement);
                    Action::Skip
                }
                false => {
                    path.forget(&Effects::of(rules, &action));
                    action
                }
            };
            let stop = walker.walk(&mut path, next, None);
            Way { escape, keeps, ..path.way(first, statement, stop) }
        });
        ways.collect()
    }

    /// What can be executed at a point, as far as that is known.
    fn options(&self, rules: &Rules, point: usize, known: &Known) -> Vec<(&Edge<'a>, Action)> {
        let mut options: Vec<(&Edge, Action)> = Vec::new();
        let escapes = self.points[point].iter().any(|edge| edge.escape > 0);
        let mut certain = false;
        for edge in &self.points[point] {
            let action = fold_action(edge.action, known);
            let action = match &action {
                Action::Condition(e) if !escapes => match constant(e) {
                    Some(0) => continue,
                    Some(_) => Action::Skip,
                    None => action,
                },
                Action::Else if certain && !escapes => continue,
                _ => action,
            };
            let first = options.is_empty();
            options.push((edge, action));
            if free(rules, &options[options.len() - 1].1) && !matches!(options[options.len() - 1].1, Action::Else) {
                certain = true;
                if self.ordered && first {
                    break;
                }
            }
        }
        options
    }
}

/// Where all ways from each point come together: the nearest point on all of them.
fn joins(points: &[Vec<Edge>], ordered: bool) -> Vec<Option<usize>> {
    let count = points.len();
    let words = count / 64 + 1;
    // Point `count` is the outside. Each point with all points that every way from it leads through, as bits.
    let mut through: Vec<Vec<u64>> = vec![vec![u64::MAX; words]; count + 1];
    let bit = |point: usize| (point / 64, 1u64 << (point % 64));
    through[count] = vec![0; words];
    through[count][bit(count).0] |= bit(count).1;
    loop {
        let mut changed = false;
        for point in (0..count).rev() {
            let next = points[point].iter().map(|edge| edge.next.filter(|&next| next < count).unwrap_or(count));
            let mut common: Option<Vec<u64>> = None;
            for next in next {
                common = Some(match common {
                    None => through[next].clone(),
                    Some(common) => common.iter().zip(&through[next]).map(|(a, b)| a & b).collect(),
                });
            }
            let mut common = common.unwrap_or_else(|| through[count].clone());
            common[bit(point).0] |= bit(point).1;
            changed |= common != through[point];
            through[point] = common;
        }
        if !changed {
            break;
        }
    }
    let size = |point: usize| through[point].iter().map(|word| word.count_ones()).sum::<u32>();
    let nearest = |point: usize| {
        let passed = |&other: &usize| through[point][bit(other).0] & bit(other).1 != 0;
        let others = (0..=count).filter(|&other| other != point && (other < count || ordered));
        others.filter(passed).max_by_key(|&other| size(other))
    };
    (0..count).map(nearest).collect()
}

/// Whether a statement can always be executed, cannot fail, and is not an event.
fn free(rules: &Rules, action: &Action) -> bool {
    match action {
        Action::Skip => true,
        Action::Assign(place, value) => rules.place_aborts(place).is_empty() && rules.aborts(value).is_empty(),
        Action::Assert(e) => rules.aborts(e).is_empty(),
        Action::Print { format: _, args, mtype: _ } => args.iter().all(|arg| rules.aborts(arg).is_empty()),
        Action::Condition(_)
        | Action::Else
        | Action::Send { .. }
        | Action::Receive { .. }
        | Action::SetPriority(..)
        | Action::End
        | Action::Heap(_)
        | Action::Deterministic(_) => false,
    }
}

/// What is known after some steps.
#[derive(Clone, Debug, Default)]
struct Path {
    parts: Vec<Part>,
    /// Constants that were not stored yet.
    pending: BTreeMap<(Scope, usize), Stored>,
    known: Known,
}

impl Path {
    /// The way that led here.
    fn way(self, first: Action, statement: usize, stop: Stop) -> Way {
        let end = match stop {
            Stop::At(point) => End::Inside(point, self.known),
            Stop::Left(target) => End::Left(target),
        };
        let rest = Sequence { parts: self.parts, constants: self.pending };
        Way { first, statement, rest, end, escape: 0, keeps: true }
    }

    /// Takes note of a statement that is executed.
    fn apply(&mut self, rules: &Rules, action: &Action, statement: usize) {
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
    fn forget(&mut self, effects: &Effects) {
        self.known.retain(|at, _| !effects.changes(*at));
    }
}

struct Walker<'w, 'a> {
    rules: &'w Rules<'w>,
    code: &'w Code<'a>,
    steps: Cell<usize>,
    /// Points whose choices are being followed.
    choosing: RefCell<Vec<usize>>,
}

enum Stop {
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

impl Walker<'_, '_> {
    /// Goes on for as long as there is one way, or until a point.
    fn walk(&self, path: &mut Path, mut at: usize, until: Option<usize>) -> Stop {
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
            let mut branch = Path { known: path.known.clone(), ..Path::default() };
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

/// Whether two sequences correspond. `unread` says which variables nobody will read after the first, `unread_there` after
/// the second one; a global variable that nobody will read is one that nobody ever reads.
pub fn corresponds(
    rules: &Rules,
    ours: &Sequence,
    theirs: &Sequence,
    unread: &dyn Fn(Scope, usize) -> bool,
    unread_there: &dyn Fn(Scope, usize) -> bool,
    ordered: bool,
) -> Result<(), usize> {
    let used = OnceCell::new();
    let reads = |at: (Scope, usize)| {
        let all = || {
            let mut used = Effects::default();
            ours.parts.iter().chain(&theirs.parts).for_each(|part| used.add(rules, part));
            used
        };
        used.get_or_init(all).reads_from(at)
    };
    // Global variables that nobody reads are not read here, either: what is stored of one in itself does not count.
    let unread_now =
        |scope: Scope, slot: usize| unread(scope, slot) && (scope == Scope::Global || !reads((scope, slot)));
    parts(rules, &ours.parts, &theirs.parts, &unread_now, ordered)?;
    let mut left: Vec<_> = theirs.constants.iter().collect();
    for (&(scope, slot), stored) in &ours.constants {
        let same = |&(&(to_scope, to), there): &(&(Scope, usize), &Stored)| {
            let same = || rules.constant(scope, slot, stored.value, (to_scope, to, there.value)).then_some(());
            rules.saved(same).is_some()
        };
        match left.iter().position(same) {
            Some(at) => drop(left.swap_remove(at)),
            None if unread(scope, slot) => {}
            None => return Err(stored.statement),
        }
    }
    match left.iter().find(|((scope, slot), _)| !unread_there(*scope, *slot)) {
        Some((_, stored)) => Err(stored.statement),
        None => Ok(()),
    }
}

/// Whether some parts can be brought into the order of others.
fn parts(
    rules: &Rules,
    ours: &[Part],
    theirs: &[Part],
    unread: &dyn Fn(Scope, usize) -> bool,
    ordered: bool,
) -> Result<(), usize> {
    let mut left: Vec<(&Part, OnceCell<Effects>)> = theirs.iter().map(|part| (part, OnceCell::new())).collect();
    for one in ours {
        let fits = |at: usize| {
            rules.saved(|| {
                part(rules, one, left[at].0, unread, ordered).ok()?;
                left[..at]
                    .iter()
                    .all(|before| effects(rules, before).is_independent(effects(rules, &left[at])))
                    .then_some(())
            })
        };
        match (0..left.len()).find(|&at| fits(at).is_some()) {
            Some(at) => drop(left.remove(at)),
            None => return Err(statement(one)),
        }
    }
    match left.first() {
        Some((part, _)) => Err(statement(part)),
        None => Ok(()),
    }
}

/// The effects of a part, which are found once.
fn effects<'p>(rules: &Rules, (part, effects): &'p (&Part, OnceCell<Effects>)) -> &'p Effects {
    effects.get_or_init(|| {
        let mut effects = Effects::default();
        effects.add(rules, part);
        effects
    })
}

fn statement(part: &Part) -> usize {
    match part {
        Part::Do(_, statement) => *statement,
        Part::Choose(options) => {
            options.iter().flat_map(|(_, parts)| parts).map(statement).next().unwrap_or(usize::MAX)
        }
    }
}

fn part(rules: &Rules, a: &Part, b: &Part, unread: &dyn Fn(Scope, usize) -> bool, ordered: bool) -> Result<(), usize> {
    match (a, b) {
        (Part::Do(a, at), Part::Do(b, _)) => rules.action(a, b, unread).then_some(()).ok_or(*at),
        (Part::Choose(a), Part::Choose(b)) if a.len() == b.len() => {
            let mut left: Vec<&(Action, Vec<Part>)> = b.iter().collect();
            for (guard, rest) in a {
                let choices = if ordered { 1 } else { left.len() };
                let fits = |at: &usize| {
                    let both = || {
                        let guards = rules.action(guard, &left[*at].0, &|_, _| false);
                        (guards && parts(rules, rest, &left[*at].1, unread, ordered).is_ok()).then_some(())
                    };
                    rules.saved(both).is_some()
                };
                match (0..choices).find(fits) {
                    Some(at) => drop(left.remove(at)),
                    None => return Err(rest.first().map_or(usize::MAX, statement)),
                }
            }
            Ok(())
        }
        (Part::Do(..) | Part::Choose(_), _) => Err(statement(a)),
    }
}

/// Whether two `d_step`s correspond.
pub fn bodies(rules: &Rules, a: &Deterministic, b: &Deterministic, unread: &dyn Fn(Scope, usize) -> bool) -> bool {
    let (ours, theirs) = (Code::body(a), Code::body(b));
    let mut work = vec![((0, Known::new()), (0, Known::new()))];
    let mut seen = BTreeSet::new();
    while let Some(pair) = work.pop() {
        if !seen.insert(pair.clone()) {
            continue;
        }
        let ((p, known), (q, known_there)) = pair;
        if p >= a.nodes.len() || q >= b.nodes.len() {
            if p >= a.nodes.len() && q >= b.nodes.len() {
                continue;
            }
            return false;
        }
        if seen.len() > MOST_PAIRS {
            return false;
        }
        let (ways, there) = (ours.ways(rules, p, &known), theirs.ways(rules, q, &known_there));
        if ways.len() != there.len() {
            return false;
        }
        for (one, other) in ways.iter().zip(&there) {
            // Inside, local variables are looked at again; only what is stored at the very end may be of no use.
            let leaves = matches!(one.end, End::Left(_));
            let of_no_use = |scope: Scope, slot: usize| (leaves || scope == Scope::Global) && unread(scope, slot);
            let alike = rules.action(&one.first, &other.first, &|_, _| false)
                && corresponds(rules, &one.rest, &other.rest, &of_no_use, &of_no_use, true).is_ok();
            if !alike {
                return false;
            }
            match (&one.end, &other.end) {
                (End::Left(_), End::Left(_)) => {}
                (End::Inside(p, known), End::Inside(q, there)) => {
                    work.push(((*p, known.clone()), (*q, there.clone())));
                }
                (End::Left(_) | End::Inside(..), _) => return false,
            }
        }
    }
    true
}

/// A statement with known values put in.
fn fold_action(action: &Action, known: &Known) -> Action {
    let place = |p: &Place| fold_place(p, known);
    let expr = |e: &Expr| fold(e, known);
    match action {
        Action::Skip | Action::Else | Action::End | Action::Heap(_) | Action::Deterministic(_) => action.clone(),
        Action::Condition(e) => Action::Condition(expr(e)),
        Action::Assert(e) => Action::Assert(expr(e)),
        Action::Assign(to, value) => {
            let to = place(to);
            // What gathers something goes on gathering, unless all is known.
            let value = match gathered(&to, value) {
                Some((_, rest)) if constant(&expr(rest)).is_none() => keep_gathering(&to, value, known),
                _ => expr(value),
            };
            Action::Assign(to, value)
        }
        Action::Send { channel, values, sorted } => {
            Action::Send { channel: place(channel), values: values.iter().map(expr).collect(), sorted: *sorted }
        }
        Action::Receive { channel, pattern, random, copy } => {
            // Where a field goes may depend on what was received just before it: `q?i,a[i]`.
            let bound = |&(scope, slot): &(Scope, usize)| {
                pattern.iter().any(
                    |part| matches!(part, Pattern::Bind(to) if to.scope == scope && to.all_slots().contains(&slot)),
                )
            };
            let mut after = known.clone();
            after.retain(|at, _| !bound(at));
            let part = |part: &Pattern| match part {
                Pattern::Match(value) => Pattern::Match(expr(value)),
                Pattern::Bind(to) => Pattern::Bind(fold_place(to, &after)),
                Pattern::Ignore => Pattern::Ignore,
            };
            let pattern = pattern.iter().map(part).collect();
            Action::Receive { channel: place(channel), pattern, random: *random, copy: *copy }
        }
        Action::Print { format, args, mtype } => {
            Action::Print { format: format.clone(), args: args.iter().map(expr).collect(), mtype: *mtype }
        }
        Action::SetPriority(a, b) => Action::SetPriority(expr(a), expr(b)),
    }
}

/// `x = x + e` with what is known put into `e` only.
fn keep_gathering(to: &Place, value: &Expr, known: &Known) -> Expr {
    let mut rest = known.clone();
    rest.remove(&(to.scope, to.slot));
    fold(value, &rest)
}

fn fold_pattern(pattern: &Pattern, known: &Known) -> Pattern {
    match pattern {
        Pattern::Match(value) => Pattern::Match(fold(value, known)),
        Pattern::Bind(place) => Pattern::Bind(fold_place(place, known)),
        Pattern::Ignore => Pattern::Ignore,
    }
}

fn fold_place(place: &Place, known: &Known) -> Place {
    let mut place = place.clone();
    place.indices.iter_mut().for_each(|index| index.value = fold(&index.value, known));
    folded(&place)
}

/// An expression with known values put in.
fn fold(expr: &Expr, known: &Known) -> Expr {
    let boxed = |e: &Expr| Box::new(fold(e, known));
    let folded = match expr {
        Expr::Read(place) => {
            let place = fold_place(place, known);
            match known.get(&(place.scope, place.slot)).filter(|_| place.indices.is_empty()) {
                Some(&value) => Expr::Const(value),
                None => Expr::Read(place),
            }
        }
        Expr::Unary(op, a) => Expr::Unary(*op, boxed(a)),
        Expr::Binary(op, a, b) => Expr::Binary(*op, boxed(a), boxed(b)),
        Expr::And(a, b) => Expr::And(boxed(a), boxed(b)),
        Expr::Or(a, b) => Expr::Or(boxed(a), boxed(b)),
        Expr::Cond(c, a, b) => Expr::Cond(boxed(c), boxed(a), boxed(b)),
        Expr::Length(place) => Expr::Length(Box::new(fold_place(place, known))),
        Expr::Probe(probe, place) => Expr::Probe(*probe, Box::new(fold_place(place, known))),
        Expr::Poll { channel, pattern, random } => Expr::Poll {
            channel: Box::new(fold_place(channel, known)),
            pattern: pattern.iter().map(|p| fold_pattern(p, known)).collect(),
            random: *random,
        },
        Expr::Enabled(a) => Expr::Enabled(boxed(a)),
        Expr::PcValue(a) => Expr::PcValue(boxed(a)),
        Expr::PriorityOf(a) => Expr::PriorityOf(boxed(a)),
        Expr::RemoteAt { proctype, pid, state } => {
            Expr::RemoteAt { proctype: *proctype, pid: pid.as_ref().map(|pid| boxed(pid)), state: *state }
        }
        Expr::RemoteRead { proctype, pid, place } => {
            // The variable is another process's: only its indices are this one's.
            let mut there = (**place).clone();
            there.indices.iter_mut().for_each(|index| index.value = fold(&index.value, known));
            Expr::RemoteRead { proctype: *proctype, pid: pid.as_ref().map(|pid| boxed(pid)), place: Box::new(there) }
        }
        Expr::Const(_)
        | Expr::Run { .. }
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Heap(_) => expr.clone(),
    };
    match constant(&folded) {
        Some(value) => Expr::Const(value),
        None => folded,
    }
}
