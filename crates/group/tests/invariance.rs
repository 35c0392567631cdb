//! Renaming a state does not change its representative.

mod common;

use common::{FAMILIES, Namer, Random, cyclic, dihedral, element, symmetric};
use quotient_group::{Canonizer, Sort};

/// Names random states of every family, and renamed copies of them.
fn hold(sorts: &[Sort], count: usize, random: &mut Random) {
    for family in FAMILIES {
        let mut namer = Namer::new(sorts, Canonizer::new());
        for _ in 0..count {
            let state = family.state(sorts, random);
            let renamed = state.rename(&element(random, sorts));
            assert_eq!(namer.name(&state), namer.name(&renamed), "{} over {sorts:?}: {state:?}", family.name);
        }
    }
}

#[test]
fn one_symmetric_sort() {
    let mut random = Random(1);
    for size in 0..=12 {
        hold(&[symmetric(size)], 800, &mut random);
    }
    hold(&[symmetric(30)], 50, &mut random);
    hold(&[symmetric(60)], 5, &mut random);
}

#[test]
fn one_ring() {
    let mut random = Random(2);
    for size in 0..=12 {
        hold(&[cyclic(size)], 200, &mut random);
        hold(&[dihedral(size)], 200, &mut random);
    }
    hold(&[cyclic(40)], 20, &mut random);
    hold(&[dihedral(40)], 20, &mut random);
}

#[test]
fn several_sorts() {
    let mut random = Random(3);
    for sorts in [
        [symmetric(3), symmetric(4), symmetric(2)],
        [symmetric(4), cyclic(5), symmetric(1)],
        [cyclic(3), dihedral(4), symmetric(3)],
        [cyclic(4), cyclic(4), dihedral(6)],
        [dihedral(3), cyclic(2), dihedral(2)],
        [symmetric(5), dihedral(1), symmetric(0)],
    ] {
        hold(&sorts, 300, &mut random);
    }
}

/// A ring that is not alone is searched as any other structure.
#[test]
fn a_ring_beside_a_point() {
    let mut random = Random(4);
    for size in 1..=9 {
        hold(&[cyclic(size), symmetric(1)], 100, &mut random);
        hold(&[symmetric(1), dihedral(size)], 100, &mut random);
    }
}
