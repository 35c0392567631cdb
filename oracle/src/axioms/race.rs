//! Data races: conflicting accesses, one of them not atomic, that nothing orders. The definition is that of RC11 (Lahav
//! et al., PLDI 2017); SC and TSO take `(po ∪ rf)⁺` for happens-before.

use crate::axioms::{MemoryModel, graph, rc11};
use crate::execution::Execution;
use crate::graph::Graph;
use crate::program::{Mode, Program};
use crate::relation::bits;

/// Whether an execution of the program has a data race: two accesses of different threads to one location, one of them
/// a write, one of them not atomic, unordered by happens-before.
///
/// Under SC and TSO a read is ordered after the write it reads from even if neither is atomic; the race then shows in
/// the execution in which the read comes first. An execution that is not of the program has no race.
pub fn race(program: &Program, execution: &Execution, model: MemoryModel) -> bool {
    graph(program, execution).is_some_and(|graph| has_race(&graph, model))
}

fn has_race(graph: &Graph, model: MemoryModel) -> bool {
    let hb = match model {
        MemoryModel::Ra | MemoryModel::Rc11 => rc11::happens_before(graph),
        MemoryModel::Sc | MemoryModel::Tso => graph.po.clone().or(&graph.rf).plus(),
    };
    let plain = graph.with_mode(|mode| mode == Mode::Na);
    bits(plain).any(|a| {
        let one = graph.events[a];
        let conflicts = |b: usize| (graph.writes >> a | graph.writes >> b) & 1 == 1;
        let rivals = graph.select(|other| other.loc == one.loc && other.thread != one.thread);
        bits(rivals).any(|b| conflicts(b) && !hb.has(a, b) && !hb.has(b, a))
    })
}
