//! Sequential consistency: there is one order of all accesses, and reads see the last write in it. As an axiom:
//! `acyclic(po ∪ rf ∪ co ∪ rb)` (Alglave, Maranget, Tautschnig, TOPLAS 2014).

use crate::graph::Graph;

/// Whether the model allows the graph; modes have no part in it.
pub(super) fn allows(graph: &Graph) -> bool {
    graph.po.clone().or(&graph.rf).or(&graph.co).or(&graph.rb()).is_acyclic()
}
