//! Release/acquire: every read synchronises with the write it reads from. With `hb = (po ∪ rf)⁺` the axiom is
//! `irreflexive(hb ; eco?)` (Lahav, Giannarakis, Vafeiadis, POPL 2016, section 3).

use crate::graph::Graph;

/// Whether the model allows the graph. Modes have no part in it, and fences do nothing.
pub fn allows(graph: &Graph) -> bool {
    let hb = graph.po.clone().or(&graph.rf).plus();
    hb.then(&graph.eco().optional()).is_irreflexive()
}
