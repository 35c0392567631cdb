//! Which reductions a property allows. Partial-order reduction needs a property that cannot count steps, and steps that it does
//! not see; symmetry reduction needs renamings that leave the property as it is.

use quotient_canon::{HeapStrategy, Strategy};
use quotient_ir::{Claim, ClaimKind, Expr, Model};
use quotient_ltl::{Automaton, Cube, stutter};
use quotient_por::{Reduction, Trust, View};

use super::observer::{Edge, Node, Observer, Watched};
use super::stabiliser::stabiliser;
use super::{Algorithm, Applied, Fairness, LeftOut, Options, Unapplied};
use crate::Reduce;

/// The reductions of a search: none if it was not asked for; why not if it is not applied.
pub(super) struct Reductions {
    pub(super) order: Option<Result<Reduction, Unapplied>>,
    /// The model with the symmetry that leaves the property as it is.
    pub(super) symmetry: Option<Result<(Box<Model>, Strategy), Unapplied>>,
    /// For a model with a heap, which states are taken for one, and why not more.
    pub(super) heap: Option<(HeapStrategy, Option<Unapplied>)>,
}

impl Reductions {
    pub(super) fn new(model: &Model, claim: &Claim, automaton: &Observer, options: &Options) -> Self {
        let counts = (options.algorithm == Algorithm::Nested).then_some(Unapplied::Nested);
        let order = match options.search.reduce {
            Reduce::Off => None,
            Reduce::Spin => Some(Err(Unapplied::SpinOrder)),
            Reduce::Full => Some(order(model, claim, automaton, options)),
        };
        let symmetry =
            options.search.symmetry.filter(|_| model.symmetry.is_some()).map(|strategy| {
                match needs_canonical(options) && !strategy.is_canonical() {
                    true => Err(Unapplied::NeedsCanonical),
                    false => symmetry(model, automaton, strategy),
                }
            });
        let heap = model.heap.as_ref().map(|_| heap(model, automaton, options));
        match counts {
            None => Reductions { order, symmetry, heap },
            Some(why) => Reductions {
                order: order.map(|_| Err(why.clone())),
                symmetry: symmetry.map(|_| Err(why.clone())),
                heap: heap.map(|(strategy, _)| match strategy.orders_threads() {
                    true => (HeapStrategy::Heap, Some(why)),
                    false => (strategy, None),
                }),
            },
        }
    }

    /// Leaves partial-order reduction out.
    pub(super) fn drop_order(&mut self, why: Unapplied) {
        self.order = self.order.take().map(|_| Err(why));
    }

    /// Leaves symmetry out.
    pub(super) fn drop_symmetry(&mut self, why: Unapplied) {
        self.symmetry = self.symmetry.take().map(|_| Err(why.clone()));
        self.heap = self.heap.take().map(|_| (HeapStrategy::Heap, Some(why)));
    }

    /// What was applied.
    pub(super) fn applied(&self) -> Applied {
        let order = self.order.as_ref().map(|order| order.as_ref().map(|_| ()).map_err(Unapplied::clone));
        let symmetry = self.symmetry.as_ref().map(|symmetry| symmetry.as_ref().map(|_| ()).map_err(Unapplied::clone));
        Applied { order, symmetry }
    }
}

/// Of claims with more edges it is not asked whether they count steps.
const MOST_EDGES: usize = 4000;

/// Whether fairness is looked for among all states of orbits.
fn needs_canonical(options: &Options) -> bool {
    options.fairness == Fairness::Strong
}

/// Which states of a model with a heap are taken for one, and why not more. References are compared and followed, and so no property
/// can tell the names of records; but it can tell threads.
fn heap(model: &Model, automaton: &Observer, options: &Options) -> (HeapStrategy, Option<Unapplied>) {
    let strategy = options.search.heap;
    if !strategy.orders_threads() {
        return (strategy, None);
    }
    let names = |watched: &Watched| match watched {
        Watched::Expr(expr, _) => expr.any(&|e| match e {
            // The only process of its type is told from others wherever it is.
            Expr::RemoteAt { proctype, pid, .. } | Expr::RemoteRead { proctype, pid, .. } => {
                pid.is_some() || !model.is_only(*proctype)
            }
            Expr::Last | Expr::Enabled(_) | Expr::PcValue(_) | Expr::PriorityOf(_) => true,
            _ => false,
        }),
        _ => false,
    };
    let why = match quotient_canon::heap::obstacle(model) {
        Some(obstacle) => Unapplied::Other(obstacle),
        None if automaton.watched.iter().any(names) => Unapplied::NamesProcess,
        None if options.fairness != Fairness::None && !strategy.is_canonical() => Unapplied::NeedsCanonical,
        None => return (strategy, None),
    };
    (HeapStrategy::Heap, Some(why))
}

fn order(model: &Model, claim: &Claim, automaton: &Observer, options: &Options) -> Result<Reduction, Unapplied> {
    if model.heap.is_some() {
        return Err(Unapplied::Heap);
    }
    if let Some(obstacle) = quotient_por::obstacle(model) {
        return Err(Unapplied::Other(obstacle));
    }
    let fair = options.fairness != Fairness::None;
    if fair && model.uses.timeout {
        return Err(Unapplied::Timeout);
    }
    match &claim.kind {
        ClaimKind::Ltl { formula, .. } if !stutter::invariant(formula) => {
            return Err(Unapplied::FormulaCounts);
        }
        ClaimKind::Never(_) => {
            let edges: usize = automaton.nodes.iter().map(|node| node.edges.len()).sum();
            if edges > MOST_EDGES || !stutter::claim_invariant(&plain(automaton)) {
                return Err(Unapplied::ClaimCounts);
            }
        }
        _ => {}
    }
    let mut view = View::new(fair);
    for watched in &automaton.watched {
        match watched {
            Watched::Expr(expr, _) => view.look_at(expr).map_err(Unapplied::Other)?,
            Watched::Empty => view.look_at(&quotient_ir::Expr::ProcessCount).map_err(Unapplied::Other)?,
            Watched::NonProgress => view.look_at_states(model, |state| state.progress),
            Watched::Accepting => view.look_at_states(model, |state| state.accept),
        }
    }
    if let Some(LeftOut::Order(rule)) = options.left_out {
        view.left_out = Some(rule);
    }
    Ok(Reduction::new(model, Trust::Nothing).seen_by(model, &view))
}

/// The automaton of a claim as one of formulas, to be looked at. Where the claim has come to its end, or an assertion of it
/// fails, every run is accepted.
fn plain(observer: &Observer) -> Automaton {
    let marks = observer.all_sets();
    let all = observer.nodes.len() as u16;
    let accept = |target: u16, guard: Cube| quotient_ltl::Edge { guard, target, marks };
    let edges = |(number, node): (usize, &Node)| {
        if node.ends {
            return vec![accept(number as u16, Cube::TRUE)];
        }
        let fails = |edge: &Edge| {
            let Edge { guard, asserts, .. } = *edge;
            let bits = (0..64).map(|bit| 1 << bit).filter(move |bit| asserts & bit != 0);
            bits.filter_map(move |bit| guard.and(Cube { yes: 0, no: bit })).map(|guard| accept(all, guard))
        };
        let taken = node.edges.iter().map(|edge| quotient_ltl::Edge {
            guard: edge.guard,
            target: edge.target,
            marks: edge.marks,
        });
        taken.chain(node.edges.iter().flat_map(fails)).collect()
    };
    let mut states: Vec<Vec<quotient_ltl::Edge>> = observer.nodes.iter().enumerate().map(edges).collect();
    states.push(vec![accept(all, Cube::TRUE)]);
    // A formula's automaton begins with its first state.
    let start = usize::from(observer.start);
    states.swap(0, start);
    let renamed = |target: u16| match usize::from(target) {
        0 => start as u16,
        other if other == start => 0,
        _ => target,
    };
    states.iter_mut().flatten().for_each(|edge| edge.target = renamed(edge.target));
    Automaton { states, sets: observer.sets }
}

fn symmetry(model: &Model, automaton: &Observer, strategy: Strategy) -> Result<(Box<Model>, Strategy), Unapplied> {
    let Some(symmetry) = stabiliser(model, &automaton.watched) else {
        return Err(Unapplied::NamesMembers);
    };
    let model = Model { symmetry: Some(symmetry), ..model.clone() };
    match quotient_canon::obstacle(&model, strategy) {
        Some(obstacle) => Err(obstacle.into()),
        None => Ok((Box::new(model), strategy)),
    }
}
