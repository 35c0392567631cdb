//! The order in which the steps of an execution are told: an interleaving in which every read reads the newest write,
//! if there is one. Then no weak memory is needed to understand the execution; otherwise it is told as it was run.

use quotient_graph::{EventId, Graph, Kind, ThreadId};
use std::collections::HashMap;

/// The first events of all steps in the order in which they are told, and whether no interleaving explains them. A step
/// of `last`, if possible, comes last.
pub(super) fn interleave(graph: &Graph, last: Option<ThreadId>) -> (Vec<EventId>, bool) {
    let steps: Vec<EventId> = graph.run_order().iter().copied().filter(|&id| is_step(graph, id)).collect();
    match sequential(graph, &steps, last) {
        Some(order) => (order.into_iter().map(|index| steps[index]).collect(), false),
        None => (steps, true),
    }
}

/// Whether an event is a step of its own, or the first half of one.
fn is_step(graph: &Graph, id: EventId) -> bool {
    let event = graph.event(id);
    !(event.kind == Kind::Begin || event.kind == Kind::Write && event.exclusive)
}

/// The steps, as indices, in an order that agrees with program order, reads-from, coherence and from-reads; nothing if
/// these form a cycle. It is built from its end, and a thread goes on for as long as it can.
fn sequential(graph: &Graph, steps: &[EventId], last: Option<ThreadId>) -> Option<Vec<usize>> {
    let (earlier, mut later_count) = dependencies(graph, steps);
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); graph.threads().len()];
    for (index, id) in steps.iter().enumerate() {
        left[id.thread() as usize].push(index);
    }
    let mut current = last.or(steps.last().map(|id| id.thread())).unwrap_or_default() as usize;
    let mut order = Vec::with_capacity(steps.len());
    while order.len() < steps.len() {
        let free = |thread: usize| left.get(thread)?.last().copied().filter(|&index| later_count[index] == 0);
        let next = free(current).or_else(|| (0..left.len()).filter_map(free).max())?;
        current = steps[next].thread() as usize;
        left[current].pop();
        order.push(next);
        for &index in &earlier[next] {
            later_count[index] -= 1;
        }
    }
    order.reverse();
    Some(order)
}

/// For every step, the steps that must come before it; and how many must come after it.
fn dependencies(graph: &Graph, steps: &[EventId]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut index: HashMap<EventId, usize> = HashMap::with_capacity(graph.run_order().len());
    for (number, &id) in steps.iter().enumerate() {
        index.insert(id, number);
        if graph.event(id).exclusive {
            index.insert(id.next(), number);
        }
    }
    let step_of = |id: EventId| index.get(&id).copied();
    let mut earlier = vec![Vec::new(); steps.len()];
    let mut later_count = vec![0; steps.len()];
    let mut add = |from: Option<usize>, to: Option<usize>| {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            earlier[to].push(from);
            later_count[from] += 1;
        }
    };
    let mut before: Vec<Option<usize>> = vec![None; graph.threads().len()];
    for (number, &id) in steps.iter().enumerate() {
        let event = graph.event(id);
        let before = &mut before[id.thread() as usize];
        let spawn = graph.threads()[id.thread() as usize].spawned_by;
        add(before.or_else(|| step_of(spawn)), Some(number));
        *before = Some(number);
        match event.kind {
            Kind::Join => add(step_of(event.other), Some(number)),
            Kind::Read => {
                add(step_of(event.other), Some(number));
                let overwritten = graph.location(event.location).writes.get(graph.rank(event.other) as usize);
                add(Some(number), overwritten.and_then(|&write| step_of(write)));
            }
            _ => {}
        }
    }
    for location in 0..graph.location_count() {
        for pair in graph.location(location as u32).writes.windows(2) {
            add(step_of(pair[0]), step_of(pair[1]));
        }
    }
    (earlier, later_count)
}
