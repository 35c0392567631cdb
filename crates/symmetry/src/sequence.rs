//! What happens inside an atomic sequence or a `d_step`, as one step: nobody sees what lies between, so the order of parts
//! that do not disturb each other is free.
//!
//! A sequence is followed for as long as there is one way to go. Values that are known on the way are put in, so that a
//! loop over all members is unrolled; constants that are stored are kept until the end, as one assignment to many
//! variables; choices whose options all come together again are one part. Two sequences correspond if one can be brought
//! into the order of the other by exchanging parts that are independent of each other (a trace in the sense of
//! Mazurkiewicz), such that parts correspond by the rules.

mod correspond;
mod fold;
mod walk;

pub use correspond::{bodies, corresponds};

use std::collections::BTreeMap;

use quotient_ir::{Action, Deterministic, Proctype, Scalar, Scope};

use crate::effects::Effects;
use crate::rules::{Rules, constant};
use fold::fold_action;
use walk::{Path, Stop, Walker};

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
        let walker = Walker::new(rules, self);
        if self.ordered && !self.may_block(rules, point, known) {
            // Nothing decides whether it can be taken: all of it is one sequence.
            let mut path = Path::knowing(known);
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
            let mut path = Path::knowing(known);
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
