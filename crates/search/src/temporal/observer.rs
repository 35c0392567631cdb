//! The automaton that watches the runs of a model: it accepts those that violate a claim. Formulas are translated
//! ([`quotient_ltl`]), never claims are taken as they stand (`claimed.rs`), and labels have automata of their own.

use std::borrow::Cow;

use quotient_ir::{BinaryOp, Claim, ClaimKind, Expr, Model, Place, Scope};
use quotient_ltl::{Automaton, Cube, Kind};
use quotient_report::source::Span;
use quotient_step::Fault;

use super::claimed::Claimed;
use super::successors::Successors;
use super::system::System;
use super::{LassoKind, Refused, Size};

/// What is watched.
#[derive(Clone, Debug)]
pub(super) enum Watched<'m> {
    /// Whether an expression holds.
    Expr(Cow<'m, Expr>, Span),
    /// Whether no process is left.
    Empty,
    /// Whether no process is at a progress label.
    NonProgress,
    /// Whether some process is at an acceptance label.
    Accepting,
}

/// An automaton over what is watched.
#[derive(Clone, Debug)]
pub(super) struct Observer<'m> {
    pub(super) nodes: Vec<Node>,
    pub(super) sets: u32,
    pub(super) start: u16,
    pub(super) watched: Vec<Watched<'m>>,
    /// It is a claim in the sense of SPIN's verifiers, which store a state when it is the claim's turn.
    pub(super) has_turns: bool,
    /// The bit that is true of a state that repeats forever because nobody can move; 0 if it makes no difference.
    pub(super) rests: u64,
    /// How many states of the automaton there are where it does not matter. Those behind them are reached when a state repeats.
    pub(super) awake: usize,
}

/// A state of the automaton.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) edges: Vec<Edge>,
    /// It has an acceptance label.
    pub(super) accepts: bool,
    /// The claim has come to its end.
    pub(super) ends: bool,
    /// Whatever follows, the run is accepted.
    pub(super) terminal: bool,
    /// No run that comes back here again and again is accepted.
    pub(super) rejects: bool,
}

/// An edge of the automaton.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) guard: Cube,
    pub(super) target: u16,
    /// Acceptance sets that it belongs to.
    pub(super) marks: u64,
    /// What a claim asserts on the way: a bit for each.
    pub(super) asserts: u64,
    /// How many statements of a claim it stands for.
    pub(super) length: u32,
}

impl<'m> Observer<'m> {
    /// One that takes turns with the model.
    pub(super) fn new_claim(nodes: Vec<Node>, sets: u32, start: u16, watched: Vec<Watched<'m>>) -> Self {
        let awake = nodes.len();
        Observer { nodes, sets, start, watched, has_turns: true, rests: 0, awake }
    }

    /// The automaton for the violations of a claim. `one_set` asks for an automaton whose states accept.
    pub(super) fn new(model: &'m Model, claim: &'m Claim, one_set: bool) -> Result<Self, Refused> {
        let mut observer = Self::of_claim(model, claim, one_set)?;
        let asks = |e: &Expr| matches!(e, Expr::NonProgress);
        let reads_progress = |watched: &Watched<'_>| matches!(watched, Watched::Expr(expr, _) if expr.any(&asks));
        if !one_set && observer.watched.iter().any(reads_progress) {
            observer.tell_rest_apart()?;
        }
        observer.find_rejecting();
        for watched in &observer.watched {
            let Watched::Expr(expr, span) = watched else { continue };
            let hides = |place: &Place| place.all_slots().iter().any(|&slot| model.globals[slot].hidden);
            if expr.any(&|e| matches!(e, Expr::Read(place) if place.scope == Scope::Global && hides(place))) {
                let message = "a claim about a hidden variable, which is not part of a state,".to_string();
                return Err(Refused::Unsupported { span: *span, message });
            }
        }
        Ok(observer)
    }

    fn of_claim(model: &'m Model, claim: &'m Claim, one_set: bool) -> Result<Self, Refused> {
        match &claim.kind {
            ClaimKind::Never(ty) => Claimed::new(&model.proctypes[*ty]).observer(),
            ClaimKind::Ltl { formula, text: _ } => {
                let automaton = quotient_ltl::translate(&formula.clone().negated())
                    .map_err(|e| Refused::TooLarge(e.to_string()))?;
                let watched =
                    claim.propositions.iter().map(|p| Watched::Expr(Cow::Borrowed(&p.expr), p.span)).collect();
                Ok(match one_set {
                    true => degeneralised(&automaton, watched)?,
                    false => generalised(&automaton, watched),
                })
            }
            ClaimKind::Acceptance => Ok(acceptance()),
            ClaimKind::Progress => Ok(progress()),
            _ => Err(Refused::Unsupported { span: claim.span, message: "this kind of claim".to_string() }),
        }
    }

    /// Whether every run that reads a state here violates the claim; the inner option is none for a formula.
    pub(super) fn verdict(&self, node: u16, word: u64) -> Option<Option<LassoKind>> {
        let edges = &self.nodes[usize::from(node)].edges;
        edges.iter().filter(|edge| edge.guard.contains(word)).find_map(|edge| {
            match (edge.asserts & !word, &self.nodes[usize::from(edge.target)]) {
                (0, Node { ends: true, .. }) => Some(Some(LassoKind::ClaimCompleted)),
                (0, Node { terminal: true, .. }) => Some(None),
                (0, _) => None,
                _ => Some(Some(LassoKind::ClaimAssertion)),
            }
        })
    }

    /// Whether a state of the automaton reads a state of the model that repeats, and was read before.
    pub(super) fn is_repeat(&self, node: u16) -> bool {
        usize::from(node) >= self.awake
    }

    /// What a state of the automaton reads in the loaded state, which can go on so.
    pub(super) fn read(&self, system: &mut System, node: u16, successors: &Successors) -> Result<u64, Fault> {
        let word = system.word(successors.timeout, self.is_repeat(node))?;
        Ok(if successors.moved { word } else { word | self.rests })
    }

    /// Makes states of the automaton of their own for a state of the model that repeats forever because nobody can move: `np_` is
    /// false there, as in SPIN's verifiers, but not when the state is read for the first time.
    fn tell_rest_apart(&mut self) -> Result<(), Refused> {
        let (awake, bit) = (self.nodes.len(), self.watched.len());
        let (Ok(more), true) = (u16::try_from(awake), 2 * awake <= 1 << 16 && bit < quotient_ltl::MAX_PROPOSITIONS)
        else {
            return Err(Refused::TooLarge("the automaton of a claim with `np_` is too large".to_string()));
        };
        self.rests = 1 << bit;
        let with = |edge: &Edge, yes: u64, no: u64, more: u16| Edge {
            guard: Cube { yes: edge.guard.yes | yes, no: edge.guard.no | no },
            target: edge.target + more,
            ..*edge
        };
        let copies: Vec<Node> = (self.nodes.iter())
            .map(|node| Node {
                edges: node.edges.iter().map(|edge| with(edge, self.rests, 0, more)).collect(),
                ..*node
            })
            .collect();
        for node in &mut self.nodes {
            let edges = std::mem::take(&mut node.edges);
            let apart = |edge: &Edge| [with(edge, 0, self.rests, 0), with(edge, self.rests, 0, more)];
            node.edges = edges.iter().flat_map(apart).collect();
        }
        self.nodes.extend(copies);
        Ok(())
    }

    /// Finds the states that no accepted run comes back to again and again.
    fn find_rejecting(&mut self) {
        let plain = |edge: &Edge| quotient_ltl::Edge { guard: edge.guard, target: edge.target, marks: edge.marks };
        let states = self.nodes.iter().map(|node| node.edges.iter().map(plain).collect()).collect();
        let rejecting = Automaton { states, sets: self.sets }.rejecting();
        self.nodes.iter_mut().zip(rejecting).for_each(|(node, rejects)| node.rejects = rejects);
    }

    /// How large it is.
    pub(super) fn size(&self) -> Size {
        Size { states: self.awake, sets: self.sets }
    }

    /// The marks of all acceptance sets.
    pub(super) fn all_sets(&self) -> u64 {
        if self.sets >= 64 { u64::MAX } else { (1 << self.sets) - 1 }
    }
}

fn edge(guard: Cube, target: u16, marks: u64) -> Edge {
    Edge { guard, target, marks, asserts: 0, length: 1 }
}

fn generalised<'m>(automaton: &Automaton, watched: Vec<Watched<'m>>) -> Observer<'m> {
    let kinds = automaton.kinds();
    let nodes = automaton.states.iter().zip(kinds).map(|(edges, kind)| Node {
        edges: edges.iter().map(|e| edge(e.guard, e.target, e.marks)).collect(),
        terminal: kind == Kind::Terminal,
        ..Node::default()
    });
    Observer::new_claim(nodes.collect(), automaton.sets, 0, watched)
}

/// With one acceptance set that all edges out of an accepting state belong to.
fn degeneralised<'m>(automaton: &Automaton, watched: Vec<Watched<'m>>) -> Result<Observer<'m>, Refused> {
    let too_large = || Refused::TooLarge("the automaton of the formula is too large".to_string());
    let buchi = quotient_ltl::degeneralise(automaton).ok_or_else(too_large)?;
    let nodes = buchi.states.iter().map(|(accepts, edges)| Node {
        edges: edges.iter().map(|e| edge(e.guard, e.target, u64::from(*accepts))).collect(),
        accepts: *accepts,
        ..Node::default()
    });
    Ok(Observer::new_claim(nodes.collect(), 1, 0, watched))
}

/// Visits acceptance labels forever.
fn acceptance() -> Observer<'static> {
    let (at, elsewhere) = (Cube { yes: 1, no: 0 }, Cube { yes: 0, no: 1 });
    let node = Node { edges: vec![edge(at, 0, 1), edge(elsewhere, 0, 0)], ..Node::default() };
    Observer { has_turns: false, ..Observer::new_claim(vec![node], 1, 0, vec![Watched::Accepting]) }
}

/// From some time on there is no progress. That nothing happens any more is not held against a run, as in SPIN's verifiers.
fn progress() -> Observer<'static> {
    let rests = 2;
    let none = Cube { yes: 1, no: rests };
    let waiting = Node { edges: vec![edge(none, 1, 0), edge(Cube::TRUE, 0, 0)], ..Node::default() };
    let stuck = Node { edges: vec![edge(none, 1, 1)], accepts: true, ..Node::default() };
    Observer { rests, ..Observer::new_claim(vec![waiting, stuck], 1, 0, vec![Watched::NonProgress]) }
}

impl Watched<'_> {
    /// The same of a state that repeats forever because nobody can move, where that is something else: there, `np_` is false.
    pub(super) fn at_rest(&self) -> Option<(Expr, Span)> {
        let awake = |e: &Expr| matches!(e, Expr::NonProgress);
        match self {
            Watched::Expr(expr, span) if expr.any(&awake) => Some((without_progress(expr), *span)),
            _ => None,
        }
    }

    /// The expression that says it, where there is one.
    pub(super) fn expr(&self) -> Option<(Expr, Span)> {
        match self {
            Watched::Expr(expr, span) => Some((expr.as_ref().clone(), *span)),
            Watched::Empty => {
                let none = Expr::Binary(BinaryOp::Eq, Box::new(Expr::ProcessCount), Box::new(Expr::Const(0)));
                Some((none, Span::default()))
            }
            Watched::NonProgress => Some((Expr::NonProgress, Span::default())),
            Watched::Accepting => None,
        }
    }
}

/// An expression as it is where `np_` is false.
fn without_progress(expr: &Expr) -> Expr {
    match expr {
        Expr::NonProgress => Expr::Const(0),
        _ => expr.map(&without_progress),
    }
}
