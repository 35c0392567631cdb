//! Release/acquire: what RC11 asks of coherence and synchronisation, and nothing of SC accesses, which only release and
//! acquire here (Lahav, Giannarakis, Vafeiadis, POPL 2016, with the relaxed accesses of RC11 beside it).

use super::rc11::happens_before;
use crate::graph::Graph;

/// Whether the model allows the graph: `irreflexive(hb ; eco?)`.
pub(super) fn allows(graph: &Graph) -> bool {
    happens_before(graph).then(&graph.eco().optional()).is_irreflexive()
}
