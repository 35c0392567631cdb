//! Which local variables a statement sets to zero after it, because nobody will read them. It follows SPIN's search; see
//! [`resets`] for what it leaves alone, and [`super::flow`] for the reads that it overlooks.

use quotient_ir::{Action, Expr};

use super::super::elements::{Graph, Kind};
use super::flow::{Edge, Flow};

/// For every element, the variables that are reset after it.
///
/// Only a statement that uses a variable resets it: a condition or a receive that reads it, an assignment or a receive that
/// writes it. So a variable that is read last by an assignment, a send or an assertion keeps its value. An assignment of the
/// constant 0 resets nothing.
pub(super) fn resets(graph: &Graph, flow: &Flow) -> Vec<Vec<usize>> {
    let mut resets = vec![Vec::new(); graph.elements.len()];
    for edge in flow.points.iter().flat_map(|point| &point.edges) {
        let Some(step) = edge.step else { continue };
        let e = &graph.elements[step];
        let (after_read, after_write) = match &e.kind {
            Kind::Basic(Action::Condition(_)) => (e.assigned.is_none(), true),
            Kind::Basic(Action::Receive { .. }) => (true, true),
            Kind::Basic(Action::Assign(_, Expr::Const(0))) => (false, false),
            _ => (false, true),
        };
        let mut reset = |variables: &[usize], wanted: bool| {
            for &variable in variables.iter().filter(|_| wanted) {
                if !resets[step].contains(&variable) && is_dead(flow, edge, variable) {
                    resets[step].push(variable);
                }
            }
        };
        reset(&edge.reads, after_read);
        reset(&edge.writes, after_write);
    }
    resets
}

/// Whether SPIN takes a variable for dead after an edge: no path leads to a read before a write. The newest edges of a point
/// are looked at first, and after one that uses the variable no others are; only one edge of a point uses any.
fn is_dead(flow: &Flow, edge: &Edge, variable: usize) -> bool {
    let mut seen = vec![false; flow.points.len()];
    let mut stack = Vec::new();
    let enter = |point: usize, seen: &mut [bool], stack: &mut Vec<(usize, usize)>| {
        if !std::mem::replace(&mut seen[point], true) {
            stack.push((point, flow.points[point].edges.len()));
        }
    };
    enter(edge.to, &mut seen, &mut stack);
    while let Some((point, left)) = stack.last_mut() {
        if *left == 0 {
            stack.pop();
            continue;
        }
        *left -= 1;
        let edge = &flow.points[*point].edges[*left];
        if edge.reads.contains(&variable) {
            return false;
        }
        if edge.writes.contains(&variable) {
            stack.pop();
        } else {
            enter(edge.to, &mut seen, &mut stack);
        }
    }
    true
}
