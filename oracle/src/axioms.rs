//! Which executions a memory model allows: axioms on whole execution graphs, transcribed one by one. What all models
//! share is here (Lahav et al., PLDI 2017); each model has a module of its own.

mod ra;
mod race;
mod rc11;
mod sc;
mod tso;

use std::fmt;

use crate::execution::Execution;
use crate::graph::Graph;
use crate::program::Program;
use crate::thread;

pub use race::race;

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryModel {
    /// Sequential consistency.
    Sc,
    /// Total store order, as on x86.
    Tso,
    /// Release/acquire: RC11 without its condition on SC events, which only release and acquire.
    Ra,
    /// Repaired C11 with the release sequences of C++20.
    Rc11,
}

impl MemoryModel {
    /// All models.
    pub const ALL: [MemoryModel; 4] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra, MemoryModel::Rc11];
}

impl fmt::Display for MemoryModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Ra => "ra",
            MemoryModel::Rc11 => "rc11",
        })
    }
}

/// Whether an execution is one of the program and the model allows it.
pub fn consistent(program: &Program, execution: &Execution, model: MemoryModel) -> bool {
    graph(program, execution).is_some_and(|graph| allows(model, &graph))
}

/// Whether the model allows a graph.
pub(crate) fn allows(model: MemoryModel, graph: &Graph) -> bool {
    let own = match model {
        MemoryModel::Sc => sc::allows,
        MemoryModel::Tso => tso::allows,
        MemoryModel::Ra => ra::allows,
        MemoryModel::Rc11 => rc11::allows,
    };
    is_atomic(graph) && has_no_thin_air(graph) && own(graph)
}

/// The graph of an execution; `None` if the program has no such execution, or it is not well formed.
fn graph(program: &Program, execution: &Execution) -> Option<Graph> {
    let threads: Vec<_> = thread::replay(program, execution)?.into_iter().map(|run| run.entries).collect();
    let mut graph = Graph::new(program.init.len(), &threads)?;
    for (loc, order) in execution.co.iter().enumerate() {
        let mut listed = order.clone();
        listed.sort_unstable();
        if listed != writes(execution, loc) {
            return None;
        }
    }
    graph.set_co(&execution.co);
    Some(graph)
}

/// The writes of a location, by thread and index.
fn writes(execution: &Execution, loc: usize) -> Vec<(usize, usize)> {
    let of = |(thread, accesses): (usize, &Vec<crate::Access>)| {
        let all = accesses.iter().enumerate();
        let chosen = all.filter(|(_, access)| access.loc == Some(loc) && access.written.is_some());
        chosen.map(|(index, _)| (thread, index)).collect::<Vec<_>>()
    };
    execution.threads.iter().enumerate().flat_map(of).collect()
}

/// No write comes between the halves of a read-modify-write: `rmw ∩ (rb ; co) = ∅`.
fn is_atomic(graph: &Graph) -> bool {
    graph.rmw.clone().and(&graph.rb().then(&graph.co)).is_empty()
}

/// No event depends on itself: `acyclic(po ∪ rf)`. RC11 states it and RA has it from there; in SC and TSO it follows from
/// the rest.
fn has_no_thin_air(graph: &Graph) -> bool {
    graph.po.clone().or(&graph.rf).is_acyclic()
}
