//! Graphs that are hard for canonical labelling, because their points look alike.

use super::{Random, State, symmetric};

/// The graph with these edges, each in both directions.
fn undirected(n: usize, edge: impl Fn(usize, usize) -> bool) -> State {
    let mut state = State::new(&[symmetric(n)]);
    for from in 0..n {
        let neighbours = (0..n).filter(|&to| to != from && (edge(from, to) || edge(to, from)));
        state.edges.extend(neighbours.map(|to| (0, (0, from), (0, to))));
    }
    state
}

/// The same graph as a matrix.
pub(crate) fn as_relation(graph: &State) -> State {
    let n = graph.colours[0].len();
    let mut state = State::new(&[symmetric(n)]);
    let mut values = vec![0; n * n];
    graph.edges.iter().for_each(|&(label, (_, from), (_, to))| values[from * n + to] = label + 1);
    state.relations.push((0, 0, values));
    state
}

/// A directed ring.
pub(crate) fn ring(n: usize) -> State {
    let mut state = State::new(&[symmetric(n)]);
    state.edges.extend((0..n).map(|point| (0, (0, point), (0, (point + 1) % n))));
    state
}

pub(crate) fn ring_both_ways(n: usize) -> State {
    undirected(n, |from, to| to == (from + 1) % n)
}

/// Pairs of points that refer to each other.
pub(crate) fn swaps(pairs: usize) -> State {
    undirected(2 * pairs, |from, to| from % 2 == 0 && to == from + 1)
}

/// The disjoint union of several copies of a graph.
pub(crate) fn copies(graph: &State, count: usize) -> State {
    let n = graph.colours[0].len();
    let mut state = State::new(&[symmetric(n * count)]);
    for shift in (0..count).map(|copy| copy * n) {
        let edges = graph.edges.iter().map(|&(label, from, to)| (label, (0, from.1 + shift), (0, to.1 + shift)));
        state.edges.extend(edges);
    }
    state
}

/// A random graph in which every point has three neighbours.
pub(crate) fn cubic(n: usize, random: &mut Random) -> State {
    loop {
        let mut ends = (0..3 * n).map(|end| end / 3).collect::<Vec<_>>();
        for last in (1..ends.len()).rev() {
            ends.swap(last, random.below(last + 1));
        }
        let mut edges = ends.chunks(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect::<Vec<_>>();
        edges.sort_unstable();
        edges.dedup();
        if 2 * edges.len() == 3 * n && edges.iter().all(|(from, to)| from != to) {
            return undirected(n, |from, to| edges.contains(&(from, to)));
        }
    }
}

pub(crate) fn hypercube(dimension: u32) -> State {
    undirected(1 << dimension, |from, to| (from ^ to).is_power_of_two())
}

/// Squares of a chess board, joined if a rook can go from one to the other.
pub(crate) fn rook(side: usize) -> State {
    undirected(side * side, |from, to| from / side == to / side || from % side == to % side)
}

/// Numbers modulo a prime, joined if they differ by a square.
pub(crate) fn paley(prime: usize) -> State {
    undirected(prime, |from, to| (1..prime).any(|root| root * root % prime == (prime + to - from % prime) % prime))
}

/// As regular as the rook's graph on a board of 4 × 4, and not isomorphic to it.
pub(crate) fn shrikhande() -> State {
    undirected(16, |from, to| {
        let steps = ((4 + to / 4 - from / 4) % 4, (4 + to % 4 - from % 4) % 4);
        [(0, 1), (1, 0), (1, 1)].contains(&steps)
    })
}
