//! Sets of cubes. What they say together is the disjunction.

use crate::Cube;

/// Whether the disjunction of the cubes is true everywhere.
pub(crate) fn cover_all(cubes: &[Cube]) -> bool {
    covered(Cube::TRUE, cubes)
}

/// Whether one of the cubes is true wherever `part` is.
fn covered(part: Cube, cubes: &[Cube]) -> bool {
    if cubes.iter().any(|cube| cube.covers(part)) {
        return true;
    }
    let touching: Vec<Cube> = cubes.iter().copied().filter(|cube| cube.and(part).is_some()).collect();
    let Some(open) = touching.iter().map(|cube| (cube.yes | cube.no) & !(part.yes | part.no)).find(|&open| open != 0)
    else {
        return false;
    };
    let bit = open & open.wrapping_neg();
    covered(Cube { yes: part.yes | bit, ..part }, &touching) && covered(Cube { no: part.no | bit, ..part }, &touching)
}

/// The one cube that says what these two say together, if there is one.
pub(crate) fn joined(a: Cube, b: Cube) -> Option<Cube> {
    if a.covers(b) {
        return Some(a);
    }
    if b.covers(a) {
        return Some(b);
    }
    let differing = (a.yes ^ b.yes) | (a.no ^ b.no);
    let same_support = (a.yes | a.no) == (b.yes | b.no);
    (differing.count_ones() == 1 && same_support).then_some(Cube { yes: a.yes & !differing, no: a.no & !differing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_are_found() {
        let p = Cube { yes: 1, no: 0 };
        let not_p = Cube { yes: 0, no: 1 };
        let q = Cube { yes: 2, no: 0 };
        let not_p_not_q = Cube { yes: 0, no: 3 };
        assert!(cover_all(&[p, not_p]));
        assert!(cover_all(&[p, q, not_p_not_q]));
        assert!(!cover_all(&[p, q]));
        assert!(!cover_all(&[]));
        assert_eq!(joined(p, not_p), Some(Cube::TRUE));
        assert_eq!(joined(Cube { yes: 3, no: 0 }, Cube { yes: 1, no: 2 }), Some(p));
        assert_eq!(joined(p, q), None);
        assert_eq!(joined(p, Cube { yes: 3, no: 0 }), Some(p));
    }
}
