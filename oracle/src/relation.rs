//! Relations over a handful of events as boolean matrices, with the operators that memory models are written in. The
//! names are those of the cat language (Alglave, Maranget, Tautschnig, TOPLAS 2014).

/// The most events a relation can be over: a row is one word.
pub(crate) const MOST: usize = 64;

/// A set of events.
pub(crate) type Set = u64;

/// A relation: bit `b` of row `a` says whether `a` is related to `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    rows: Vec<Set>,
}

impl Relation {
    /// The pairs of events below `n` for which `holds` holds.
    pub(crate) fn new(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let row = |a| (0..n).filter(|&b| holds(a, b)).fold(0, |row, b| row | 1 << b);
        Relation { rows: (0..n).map(row).collect() }
    }

    /// No pair.
    pub(crate) fn empty(n: usize) -> Self {
        Relation { rows: vec![0; n] }
    }

    /// The identity on a set: `[set]`.
    pub(crate) fn identity(n: usize, set: Set) -> Self {
        Relation { rows: (0..n).map(|a| set & 1 << a).collect() }
    }

    pub(crate) fn add(&mut self, a: usize, b: usize) {
        self.rows[a] |= 1 << b;
    }

    pub(crate) fn has(&self, a: usize, b: usize) -> bool {
        self.rows[a] & 1 << b != 0
    }

    /// `self ∪ other`
    pub(crate) fn or(mut self, other: &Relation) -> Self {
        self.rows.iter_mut().zip(&other.rows).for_each(|(row, other)| *row |= other);
        self
    }

    /// `self ∩ other`
    pub(crate) fn and(mut self, other: &Relation) -> Self {
        self.rows.iter_mut().zip(&other.rows).for_each(|(row, other)| *row &= other);
        self
    }

    /// `self \ other`
    pub(crate) fn minus(mut self, other: &Relation) -> Self {
        self.rows.iter_mut().zip(&other.rows).for_each(|(row, other)| *row &= !other);
        self
    }

    /// `self ; other`
    pub(crate) fn then(&self, other: &Relation) -> Self {
        let row = |row: &Set| bits(*row).fold(0, |image, middle| image | other.rows[middle]);
        Relation { rows: self.rows.iter().map(row).collect() }
    }

    /// `self⁻¹`
    pub(crate) fn inverse(&self) -> Self {
        let n = self.rows.len();
        let mut inverse = Relation::empty(n);
        (0..n).for_each(|a| bits(self.rows[a]).for_each(|b| inverse.add(b, a)));
        inverse
    }

    /// `self?`: the pairs of the relation and the identity.
    pub(crate) fn optional(mut self) -> Self {
        (0..self.rows.len()).for_each(|a| self.add(a, a));
        self
    }

    /// `self⁺`, by Warshall's algorithm.
    pub(crate) fn plus(mut self) -> Self {
        for middle in 0..self.rows.len() {
            let through = self.rows[middle];
            self.rows.iter_mut().filter(|row| **row & 1 << middle != 0).for_each(|row| *row |= through);
        }
        self
    }

    /// `self*`
    pub(crate) fn star(self) -> Self {
        self.plus().optional()
    }

    /// `[set] ; self`
    pub(crate) fn from(mut self, set: Set) -> Self {
        self.rows.iter_mut().enumerate().filter(|(a, _)| set & 1 << a == 0).for_each(|(_, row)| *row = 0);
        self
    }

    /// `self ; [set]`
    pub(crate) fn to(mut self, set: Set) -> Self {
        self.rows.iter_mut().for_each(|row| *row &= set);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| *row == 0)
    }

    pub(crate) fn is_irreflexive(&self) -> bool {
        self.rows.iter().enumerate().all(|(a, row)| row & 1 << a == 0)
    }

    pub(crate) fn is_acyclic(&self) -> bool {
        self.clone().plus().is_irreflexive()
    }
}

/// The events of a set.
pub(crate) fn bits(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn less(n: usize) -> Relation {
        Relation::new(n, |a, b| a + 1 == b)
    }

    #[test]
    fn closure_relates_all_later_events() {
        assert_eq!(less(5).plus(), Relation::new(5, |a, b| a < b));
        assert_eq!(less(5).star(), Relation::new(5, |a, b| a <= b));
    }

    #[test]
    fn composition_and_inverse() {
        assert_eq!(less(5).then(&less(5)), Relation::new(5, |a, b| a + 2 == b));
        assert_eq!(less(5).inverse(), Relation::new(5, |a, b| b + 1 == a));
        assert!(less(5).and(&less(5).inverse()).is_empty());
    }

    #[test]
    fn a_ring_is_cyclic() {
        assert!(less(4).is_acyclic());
        let mut ring = less(4);
        ring.add(3, 0);
        assert!(ring.is_irreflexive());
        assert!(!ring.is_acyclic());
    }

    #[test]
    fn restriction_to_sets() {
        let all = Relation::new(3, |_, _| true);
        assert_eq!(all.clone().from(0b001).to(0b110), Relation::new(3, |a, b| a == 0 && b > 0));
        assert_eq!(all.minus(&Relation::identity(3, 0b111)), Relation::new(3, |a, b| a != b));
    }
}
