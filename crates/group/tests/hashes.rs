//! Colours may be hashes. If hashes collide, a comparison of the data makes up for it; without one, representatives are
//! still in the orbit.

mod common;

use common::{FAMILIES, Random, State, cyclic, dihedral, element, least, symmetric};
use quotient_group::{Canonizer, Point, Sort};

/// The state renamed by the labelling of its structure, in which all colours are the same.
fn name(canonizer: &mut Canonizer, sorts: &[Sort], state: &State, compare: bool) -> State {
    let mut structure = state.structure(sorts);
    for sort in 0..sorts.len() {
        structure.colours_mut(sort).fill(7);
    }
    let colours = state.colours.concat();
    let colour = |point: Point| if compare { colours.get(point.index()) } else { None };
    let labelling = canonizer.canonize_by(&structure, |left, right| colour(left).cmp(&colour(right)));
    assert!(labelling.is_canonical());
    state.rename(&(0..sorts.len()).map(|sort| labelling.permutation(sort)).collect::<Vec<_>>())
}

#[test]
fn collisions() {
    let mut random = Random(1);
    let mut canonizer = Canonizer::new();
    let mut differ = 0;
    for sorts in [vec![symmetric(5)], vec![cyclic(5)], vec![dihedral(6)], vec![symmetric(3), cyclic(3)]] {
        for family in FAMILIES {
            for _ in 0..100 {
                let state = family.state(&sorts, &mut random);
                let renamed = state.rename(&element(&mut random, &sorts));
                let [left, right] = [&state, &renamed].map(|state| name(&mut canonizer, &sorts, state, true));
                assert_eq!(left, right);
                let [left, right] = [&state, &renamed].map(|state| name(&mut canonizer, &sorts, state, false));
                assert_eq!(least(&sorts, &left), least(&sorts, &right));
                differ += usize::from(left != right);
            }
        }
    }
    assert!(differ > 0, "collisions made no difference");
}
