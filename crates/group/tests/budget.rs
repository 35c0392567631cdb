//! A search that may not go on gives a renaming all the same, and says that it is not canonical.

mod common;

use common::graphs::{cubic, hypercube, rook, shrikhande};
use common::{FAMILIES, Namer, Random, State, cyclic, dihedral, least, symmetric};
use quotient_group::Canonizer;

#[test]
fn no_budget_gives_a_renaming() {
    let mut random = Random(1);
    let graphs = [cubic(20, &mut random), hypercube(4), rook(4), shrikhande()];
    for graph in graphs {
        let sorts = [symmetric(graph.colours[0].len())];
        for budget in [0, 1, 5] {
            // The namer asserts that the labelling is an element of the group.
            let (_, canonical) = Namer::new(&sorts, Canonizer::with_budget(budget)).labelling(&graph);
            assert!(!canonical);
        }
    }
}

/// The representative that is not canonical is in the orbit; and one that is said to be canonical is.
#[test]
fn a_representative_is_in_the_orbit() {
    let mut random = Random(2);
    let mut exhausted = 0;
    for sorts in [vec![symmetric(5)], vec![symmetric(3), cyclic(3)], vec![dihedral(3), symmetric(2)]] {
        for family in FAMILIES {
            let mut namer = Namer::new(&sorts, Canonizer::new());
            let mut limited = Namer::new(&sorts, Canonizer::with_budget(0));
            for _ in 0..50 {
                let state = family.state(&sorts, &mut random);
                let (element, canonical) = limited.labelling(&state);
                let representative = state.rename(&element);
                assert_eq!(least(&sorts, &representative), least(&sorts, &state));
                if canonical {
                    assert_eq!(representative, namer.name(&state));
                }
                exhausted += usize::from(!canonical);
            }
        }
    }
    assert!(exhausted > 0, "no state needed a search");
}

/// States that need no search need no budget.
#[test]
fn what_is_settled_without_a_search_is_canonical() {
    let sorts = [symmetric(20)];
    let mut state = State::new(&sorts);
    state.edges.extend((0..10).map(|pair| (0, (0, 2 * pair), (0, 2 * pair + 1))));
    assert!(Namer::new(&sorts, Canonizer::with_budget(0)).labelling(&state).1);
}
