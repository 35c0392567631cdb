//! Total store order: a write may be delayed past later reads of its thread. The axioms are those of Alglave, Maranget,
//! Tautschnig (TOPLAS 2014) with the x86 mapping of modes: only what is SC or updates is a full fence.

use crate::graph::Graph;
use crate::program::Mode;
use crate::relation::{Relation, bits};

/// Whether the model allows the graph. Acquire and release do nothing; a failed compare-and-swap is a mere read.
pub(super) fn allows(graph: &Graph) -> bool {
    let rb = graph.rb();
    let po_loc = graph.po.clone().and(&graph.same_location());
    let per_location = po_loc.or(&graph.rf).or(&graph.co).or(&rb);
    let external = graph.rf.clone().minus(&graph.po);
    let global = preserved(graph).or(&external).or(&graph.co).or(&rb);
    per_location.is_acyclic() && global.is_acyclic()
}

/// Program order of accesses without those pairs of a write and a later read that nothing keeps in order.
fn preserved(graph: &Graph) -> Relation {
    let n = graph.events.len();
    let updates = bits(graph.reads).filter(|&read| graph.rmw.has(read, read + 1)).fold(0, |set, read| set | 3 << read);
    let sc_writes_and_fences = graph.with_mode(|mode| mode == Mode::Sc) & (graph.writes | graph.fences);
    // An SC store is a store with a full fence behind it, so it keeps itself and what is before in order with what is
    // after. An update is a full fence on both sides.
    let fences = Relation::identity(n, sc_writes_and_fences | updates);
    let behind = graph.po.clone().optional().then(&fences).then(&graph.po);
    let before = graph.po.clone().to(updates);
    let delayed = graph.po.clone().from(graph.writes).to(graph.reads);
    // Only accesses are ordered: a weak fence must not carry order from the write before it to the read behind it.
    let accesses = graph.reads | graph.writes;
    graph.po.clone().from(accesses).to(accesses).minus(&delayed.minus(&behind).minus(&before))
}
