//! Two states have the same representative if, and only if, an element of the group takes one to the other.

mod common;

use std::collections::HashMap;

use common::{FAMILIES, Namer, Random, cyclic, dihedral, least, symmetric};
use quotient_group::{Canonizer, Sort};

/// Compares the classes of random states with those of the least state of every orbit.
fn compare(sorts: &[Sort], count: usize, random: &mut Random) {
    for family in FAMILIES {
        let mut namer = Namer::new(sorts, Canonizer::new());
        let (mut by_name, mut by_least) = (HashMap::new(), HashMap::new());
        for _ in 0..count {
            let state = family.state(sorts, random);
            let (name, least) = (namer.name(&state), least(sorts, &state));
            let known = by_name.entry(name.clone()).or_insert_with(|| least.clone());
            assert_eq!(*known, least, "{}: two orbits have one representative", family.name);
            let known = by_least.entry(least).or_insert_with(|| name.clone());
            assert_eq!(*known, name, "{}: an orbit has two representatives", family.name);
        }
        assert_eq!(by_name.len(), by_least.len());
    }
}

#[test]
fn one_symmetric_sort() {
    let mut random = Random(1);
    compare(&[symmetric(2)], 200, &mut random);
    compare(&[symmetric(3)], 500, &mut random);
    compare(&[symmetric(4)], 500, &mut random);
    compare(&[symmetric(5)], 200, &mut random);
    compare(&[symmetric(6)], 30, &mut random);
}

#[test]
fn one_ring() {
    let mut random = Random(2);
    for size in 1..=6 {
        compare(&[cyclic(size)], 1000, &mut random);
        compare(&[dihedral(size)], 1000, &mut random);
    }
}

#[test]
fn several_sorts() {
    let mut random = Random(3);
    compare(&[symmetric(2), symmetric(2)], 1000, &mut random);
    compare(&[symmetric(3), cyclic(3)], 300, &mut random);
    compare(&[dihedral(4), symmetric(3)], 100, &mut random);
    compare(&[cyclic(3), dihedral(3), symmetric(2)], 100, &mut random);
}
