//! Time for one canonical labelling, on the families of states that were measured when the algorithm was chosen, on
//! rings, and on graphs that are hard for such algorithms. `cargo bench -p quotient-group`
//!
//! Times are in microseconds, the least of several rounds; filling the structure is not counted. `enumerate` tries all elements of the group
//! on the same description of a state, and `prototype` is what the throwaway prototype needed.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use common::{FAMILIES, Random, State, element, graphs, least, symmetric};
use quotient_group::{Canonizer, Group, Sort, Structure};

const SIZES: [usize; 5] = [5, 10, 16, 30, 60];

/// The prototype's figures for these sizes, in the order of the families; none for a family that it did not have.
const PROTOTYPE: [Option<[f64; 5]>; 9] = [
    Some([0.6, 1.7, 2.3, 2.8, 4.6]),
    Some([0.7, 1.4, 2.7, 4.2, 10.6]),
    Some([1.0, 2.1, 2.3, 3.9, 8.5]),
    Some([0.9, 2.3, 2.9, 5.4, 12.7]),
    Some([1.0, 1.7, 4.1, 7.6, 15.4]),
    Some([1.1, 1.9, 4.5, 14.0, 60.0]),
    Some([2.1, 6.7, 15.0, 36.0, 127.0]),
    None,
    Some([1.1, 1.0, 1.6, 2.2, 2.9]),
];

fn main() {
    println!("µs per labelling (prototype)");
    print!("{:<32}", "symmetric sort");
    SIZES.iter().for_each(|size| print!("{:>18}", format!("n={size}")));
    println!("{:>16}", "enumerate n=7");
    for (family, prototype) in FAMILIES.iter().zip(PROTOTYPE) {
        print!("{:<32}", family.name);
        for (column, size) in SIZES.into_iter().enumerate() {
            let sorts = [symmetric(size)];
            let time = measure(&structures(&sorts, |random| family.state(&sorts, random), 200));
            let prototype = prototype.map_or(String::new(), |times| format!(" ({:.1})", times[column]));
            print!("{:>18}", format!("{time:.2}{prototype}"));
        }
        let sorts = [symmetric(7)];
        let state = family.state(&sorts, &mut Random(1));
        let started = Instant::now();
        black_box(least(&sorts, &state));
        println!("{:>16.0}", started.elapsed().as_secs_f64() * 1e6);
    }

    println!("\nrings, pc + 1 pid variable");
    for (name, group, beside) in [
        ("cyclic", Group::Cyclic, None),
        ("dihedral", Group::Dihedral, None),
        ("cyclic × one point", Group::Cyclic, Some(symmetric(1))),
        ("dihedral × one point", Group::Dihedral, Some(symmetric(1))),
    ] {
        print!("{name:<32}");
        for size in SIZES {
            let sorts = std::iter::once(Sort { size, group }).chain(beside).collect::<Vec<_>>();
            let time = measure(&structures(&sorts, |random| FAMILIES[1].state(&sorts, random), 200));
            print!("{time:>18.2}");
        }
        println!();
    }

    println!("\nhard graphs");
    for (name, graph, prototype) in [
        ("ring of 30 as edges", graphs::ring(30), "26-36"),
        ("ring of 30 as a relation", graphs::as_relation(&graphs::ring_both_ways(30)), "300"),
        ("15 swaps", graphs::swaps(15), "32"),
        ("random cubic, n=30", graphs::cubic(30, &mut Random(1)), "400-500"),
        ("hypercube, n=32", graphs::hypercube(5), "1100"),
        ("rook 5x5", graphs::rook(5), "750"),
        ("Paley, n=29", graphs::paley(29), "200"),
        ("Shrikhande, n=16", graphs::shrikhande(), "140"),
    ] {
        let sorts = [symmetric(graph.colours[0].len())];
        let time = measure(&structures(&sorts, |random| graph.rename(&element(random, &sorts)), 20));
        println!("{name:<32}{:>18}", format!("{time:.1} ({prototype})"));
    }
}

fn structures(sorts: &[Sort], mut make: impl FnMut(&mut Random) -> State, count: usize) -> Vec<Structure> {
    let mut random = Random(1);
    (0..count).map(|_| make(&mut random).structure(sorts)).collect()
}

/// Microseconds for one labelling.
fn measure(structures: &[Structure]) -> f64 {
    let mut canonizer = Canonizer::new();
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let started = Instant::now();
        for structure in structures {
            black_box(canonizer.canonize(black_box(structure)).images(0));
        }
        best = best.min(started.elapsed().as_secs_f64() * 1e6 / structures.len() as f64);
    }
    best
}
