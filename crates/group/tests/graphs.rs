//! Graphs on which refinement says little or nothing: renamed copies are recognised, other graphs are not.

mod common;

use common::graphs::{as_relation, copies, cubic, hypercube, paley, ring, ring_both_ways, rook, shrikhande, swaps};
use common::{Namer, Random, State, element, symmetric};
use quotient_group::Canonizer;

/// The representative of a graph, the same for renamed copies of it, as edges and as a matrix.
fn name(graph: &State, random: &mut Random) -> State {
    let sorts = [symmetric(graph.colours[0].len())];
    let names = [graph.clone(), as_relation(graph)].map(|graph| {
        let mut namer = Namer::new(&sorts, Canonizer::new());
        let name = namer.name(&graph);
        for _ in 0..20 {
            assert_eq!(namer.name(&graph.rename(&element(random, &sorts))), name);
        }
        name
    });
    let [edges, _] = names;
    edges
}

#[test]
fn regular_graphs() {
    let mut random = Random(1);
    for graph in [
        ring(30),
        ring_both_ways(30),
        swaps(15),
        hypercube(4),
        hypercube(5),
        rook(4),
        rook(5),
        paley(13),
        paley(29),
        shrikhande(),
        copies(&ring(3), 10),
        copies(&ring_both_ways(5), 6),
        copies(&hypercube(3), 4),
        copies(&swaps(3), 5),
    ] {
        name(&graph, &mut random);
    }
}

/// Random cubic graphs have no symmetry that would help, as a rule.
#[test]
fn cubic_graphs() {
    let mut random = Random(2);
    for n in [10, 20, 30] {
        for _ in 0..20 {
            let graph = cubic(n, &mut random);
            name(&graph, &mut random);
        }
    }
}

/// Both are strongly regular with the same parameters, so refinement alone cannot tell them apart.
#[test]
fn the_rook_and_shrikhande() {
    let mut random = Random(3);
    assert_ne!(name(&rook(4), &mut random), name(&shrikhande(), &mut random));
}

/// Two components, or one: refinement sees the same everywhere.
#[test]
fn one_ring_or_two() {
    let mut random = Random(4);
    assert_ne!(name(&copies(&ring(6), 2), &mut random), name(&ring(12), &mut random));
    assert_ne!(name(&copies(&ring_both_ways(6), 2), &mut random), name(&ring_both_ways(12), &mut random));
}

/// Components that are joined to one point by the same edges, and differ inside.
#[test]
fn components_around_a_point() {
    let mut random = Random(5);
    let around = |left: &State, right: &State| {
        let (l, r) = (left.colours[0].len(), right.colours[0].len());
        let mut state = State::new(&[symmetric(l + r + 1)]);
        state.edges.extend(&left.edges);
        state.edges.extend(right.edges.iter().map(|&(label, from, to)| (label, (0, from.1 + l), (0, to.1 + l))));
        state.edges.extend((0..l + r).map(|point| (1, (0, point), (0, l + r))));
        state
    };
    let (rook, shrikhande) = (rook(4), shrikhande());
    let names = [(&rook, &rook), (&rook, &shrikhande), (&shrikhande, &rook), (&shrikhande, &shrikhande)]
        .map(|(left, right)| name(&around(left, right), &mut random));
    assert_eq!(names[1], names[2]);
    assert!(names[0] != names[1] && names[1] != names[3] && names[0] != names[3]);
}

/// Every point of either graph is joined to every point of the other, so that there is one component. Refinement does not
/// tell in which of the two a point is, even if one point is told from the rest.
#[test]
fn two_graphs_joined() {
    let mut random = Random(6);
    let (rook, shrikhande) = (rook(4), shrikhande());
    let joined = |left: &State, right: &State| {
        let mut state = State::new(&[symmetric(32)]);
        state.edges.extend(&left.edges);
        state.edges.extend(right.edges.iter().map(|&(label, from, to)| (label, (0, from.1 + 16), (0, to.1 + 16))));
        let across = (0..16).flat_map(|from| (16..32).map(move |to| (from, to)));
        state.edges.extend(across.flat_map(|(left, right)| [(0, (0, left), (0, right)), (0, (0, right), (0, left))]));
        state
    };
    let names = [(&rook, &rook), (&rook, &shrikhande), (&shrikhande, &rook), (&shrikhande, &shrikhande)]
        .map(|(left, right)| name(&joined(left, right), &mut random));
    assert_eq!(names[1], names[2]);
    assert!(names[0] != names[1] && names[1] != names[3] && names[0] != names[3]);
}
