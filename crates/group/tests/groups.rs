//! Permutations, and the elements of groups.

mod common;

use std::collections::HashSet;

use common::{Random, cyclic, dihedral, symmetric};
use quotient_group::{Permutation, group};

#[test]
fn elements_are_as_many_as_the_order_says() {
    for size in 0..=6 {
        for sort in [symmetric(size), cyclic(size), dihedral(size)] {
            let elements = sort.elements().collect::<Vec<_>>();
            assert_eq!(elements.len() as u128, sort.order().unwrap(), "{sort:?}");
            assert_eq!(elements.iter().collect::<HashSet<_>>().len(), elements.len(), "{sort:?}");
            assert!(elements.iter().all(|element| sort.contains(element)), "{sort:?}");
        }
    }
}

/// The elements are exactly the permutations that the group contains.
#[test]
fn nothing_else_is_contained() {
    for size in 0..=6 {
        for sort in [cyclic(size), dihedral(size)] {
            let contained = symmetric(size).elements().filter(|element| sort.contains(element)).collect::<HashSet<_>>();
            assert_eq!(contained, sort.elements().collect(), "{sort:?}");
        }
    }
}

#[test]
fn elements_form_a_group() {
    for sort in [symmetric(4), cyclic(6), dihedral(5), dihedral(2)] {
        for left in sort.elements() {
            assert!(left.then(&left.inverse()).is_identity() && left.inverse().then(&left).is_identity());
            assert!(sort.elements().all(|right| sort.contains(&left.then(&right))));
        }
    }
}

#[test]
fn products_have_every_combination() {
    let sorts = [symmetric(3), cyclic(4), dihedral(3)];
    let mut element = group::identity(&sorts);
    let mut seen = HashSet::from([element.clone()]);
    while group::advance(&sorts, &mut element) {
        seen.insert(element.clone());
    }
    assert_eq!(element, group::identity(&sorts));
    assert_eq!((group::order(&sorts), seen.len()), (Some(6 * 4 * 6), 6 * 4 * 6));
}

#[test]
fn large_groups_have_no_order_that_fits() {
    assert!(symmetric(34).order().is_some());
    assert_eq!(symmetric(35).order(), None);
    assert_eq!(group::order(&[symmetric(20), symmetric(20), symmetric(5)]), None);
}

/// Every element comes up, about as often as every other.
#[test]
fn random_elements() {
    let mut random = Random(1);
    for sort in [symmetric(4), cyclic(5), dihedral(5)] {
        let elements = sort.elements().collect::<Vec<_>>();
        let mut counts = vec![0; elements.len()];
        for _ in 0..1000 * elements.len() {
            let element = sort.random(&mut || random.bits());
            counts[elements.iter().position(|other| *other == element).expect("an element of the group")] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{sort:?}: {counts:?}");
    }
}

#[test]
fn orders_of_permutations() {
    let cycles = Permutation::from_images(&[1, 2, 0, 4, 3, 5, 7, 8, 9, 6]).unwrap();
    assert_eq!(cycles.order(), 12);
    assert_eq!(Permutation::identity(255).order(), 1);
    let mut random = Random(2);
    for _ in 0..100 {
        let element = symmetric(9).random(&mut || random.bits());
        let powers = std::iter::successors(Some(element), |power| Some(power.then(&element)));
        let order = 1 + powers.take_while(|power| !power.is_identity()).count();
        assert_eq!(element.order(), order as u64);
    }
}

#[test]
fn images_must_be_a_permutation() {
    assert_eq!(Permutation::from_images(&[0, 2, 1]).map(|element| element.image(1)), Some(2));
    assert_eq!(Permutation::from_images(&[0, 0]), None);
    assert_eq!(Permutation::from_images(&[0, 2]), None);
    assert_eq!(Permutation::from_images(&[0; 256]), None);
}
