//! Repaired C11: release/acquire synchronisation by modes and fences, and a partial order of SC accesses. The axioms are
//! those of Lahav, Vafeiadis, Kang, Hur, Dreyer (PLDI 2017) with the release sequences of C++20.

use crate::graph::Graph;
use crate::program::Mode;
use crate::relation::{Relation, Set};

/// Whether the model allows the graph.
pub(super) fn allows(graph: &Graph) -> bool {
    let hb = happens_before(graph);
    let eco = graph.eco();
    let coherent = hb.then(&eco.clone().optional()).is_irreflexive();
    coherent && partial_sc(graph, &hb, &eco).is_acyclic()
}

/// `hb = (po ∪ sw)⁺`
pub(super) fn happens_before(graph: &Graph) -> Relation {
    graph.po.clone().or(&synchronizes_with(graph)).plus()
}

/// `sw = [E ⊒ rel] ; ([F] ; po)? ; rs ; rf ; [R ⊒ rlx] ; (po ; [F])? ; [E ⊒ acq]`
fn synchronizes_with(graph: &Graph) -> Relation {
    let atomic = graph.with_mode(|mode| mode != Mode::Na);
    let release = graph.with_mode(Mode::releases);
    let acquire = graph.with_mode(Mode::acquires);
    let from = graph.po.clone().from(graph.fences).optional().from(release);
    let to = graph.po.clone().to(graph.fences).optional().to(acquire);
    let read = graph.rf.clone().to(graph.reads & atomic);
    from.then(&release_sequence(graph)).then(&read).then(&to)
}

/// `rs = [W ⊒ rlx] ; (rf ; rmw)*`
fn release_sequence(graph: &Graph) -> Relation {
    let atomic = graph.with_mode(|mode| mode != Mode::Na);
    graph.rf.then(&graph.rmw).star().from(graph.writes & atomic)
}

/// `psc = psc_base ∪ psc_F`
fn partial_sc(graph: &Graph, hb: &Relation, eco: &Relation) -> Relation {
    let sc: Set = graph.with_mode(|mode| mode == Mode::Sc);
    let fences = sc & graph.fences;
    let n = graph.events.len();
    let into = Relation::identity(n, sc).or(&hb.clone().optional().from(fences));
    let out_of = Relation::identity(n, sc).or(&hb.clone().optional().to(fences));
    let base = into.then(&sc_before(graph, hb)).then(&out_of);
    let between = hb.clone().or(&hb.then(eco).then(hb));
    base.or(&between.from(fences).to(fences))
}

/// `scb = po ∪ (po|≠loc ; hb ; po|≠loc) ∪ hb|loc ∪ co ∪ rb`
fn sc_before(graph: &Graph, hb: &Relation) -> Relation {
    let same = graph.same_location();
    let elsewhere = graph.po.clone().minus(&same);
    let around = elsewhere.then(hb).then(&elsewhere);
    graph.po.clone().or(&around).or(&hb.clone().and(&same)).or(&graph.co).or(&graph.rb())
}
