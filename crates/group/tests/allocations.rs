//! A workspace that has seen structures of a kind allocates nothing for more of them.

mod common;

use common::{FAMILIES, Random, cyclic, dihedral, graphs, symmetric};
use quotient_counting::{Counting, allocations};
use quotient_group::Canonizer;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn none_after_the_first_round() {
    let mut random = Random(1);
    let mut structures = Vec::new();
    for sorts in [vec![symmetric(12)], vec![cyclic(12)], vec![dihedral(12)], vec![symmetric(5), cyclic(5)]] {
        for family in FAMILIES {
            structures.extend((0..20).map(|_| family.state(&sorts, &mut random).structure(&sorts)));
        }
    }
    structures.push(graphs::rook(4).structure(&[symmetric(16)]));
    structures.push(graphs::swaps(8).structure(&[symmetric(16)]));
    let mut canonizer = Canonizer::new();
    let mut round = || structures.iter().map(|structure| canonizer.canonize(structure).images(0).len()).sum::<usize>();
    let members = round();
    let before = allocations();
    assert_eq!(round(), members);
    assert_eq!(allocations(), before);
}
