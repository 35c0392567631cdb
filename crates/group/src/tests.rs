//! What can be tested only from inside: labellings are canonical even if all hashes collide.

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::HashMap;

use crate::Canonizer;
use common::{FAMILIES, Namer, Random, cyclic, dihedral, least, symmetric};

#[test]
fn exact_without_hashes() {
    let mut random = Random(1);
    for sorts in [
        vec![symmetric(4)],
        vec![symmetric(5)],
        vec![symmetric(2), symmetric(3)],
        vec![symmetric(2), cyclic(3)],
        vec![dihedral(4), symmetric(2)],
    ] {
        for mut family in FAMILIES {
            family.facts = family.facts.min(5);
            let mut namer = Namer::new(&sorts, Canonizer::blind());
            let mut names = HashMap::new();
            for _ in 0..300 {
                let state = family.state(&sorts, &mut random);
                let name = namer.name(&state);
                assert_eq!(*names.entry(least(&sorts, &state)).or_insert_with(|| name.clone()), name);
            }
        }
    }
}
