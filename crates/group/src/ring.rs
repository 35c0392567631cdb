//! A lone ring: its rotations are so few and so regular that no search is needed.
//!
//! Seen from a point, another one is so many steps ahead, and no rotation changes that. So the structure is a cyclic word
//! with one letter for each point: its colour, and its edges and relations with the others by distance. The least
//! rotation of a word is found in linear time (Booth, 1980; here with two candidates that overtake each other). For
//! the dihedral group the ring is read in both directions.

use std::cmp::Ordering;

use crate::group::Group;
use crate::structure::{Point, Structure};

/// A workspace for rings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ring {
    forwards: Word,
    backwards: Word,
}

impl Ring {
    /// Appends the images of the ring's points under the rotation or reflection that gives the least word.
    pub(crate) fn canonize(
        &mut self,
        structure: &Structure,
        compare: &mut impl FnMut(Point, Point) -> Ordering,
        images: &mut Vec<u8>,
    ) {
        let n = structure.colours().len();
        let mut letters = |left: (&Word, usize), right: (&Word, usize)| {
            let ((left_word, left), (right_word, right)) = (left, right);
            (structure.colours()[left].cmp(&structure.colours()[right]))
                .then_with(|| compare(Point(left as u16), Point(right as u16)))
                .then_with(|| left_word.spans(left).cmp(right_word.spans(right)))
                .then_with(|| left_word.row(structure, left).cmp(right_word.row(structure, right)))
        };
        self.forwards.read(structure, false);
        let mut word = &self.forwards;
        let mut first = least_rotation(n, |left, right| letters((word, left), (word, right)));
        if structure.sorts()[0].group == Group::Dihedral {
            self.backwards.read(structure, true);
            let other = &self.backwards;
            let start =
                least_rotation(n, |left, right| letters((other, other.at(n, 0, left)), (other, other.at(n, 0, right))));
            let start = other.at(n, 0, start);
            let order = (0..n)
                .map(|steps| letters((other, other.at(n, start, steps)), (word, word.at(n, first, steps))))
                .find(|order| order.is_ne());
            if order == Some(Ordering::Less) {
                (word, first) = (other, start);
            }
        }
        images.extend((0..n).map(|point| word.span(n, first, point) as u8));
    }
}

/// The structure of a ring, read in one direction.
#[derive(Clone, Debug, Default)]
struct Word {
    backwards: bool,
    /// Point, label and span of every edge, sorted, and where those of each point start.
    edges: Vec<(u16, u32, u16)>,
    first: Vec<usize>,
}

impl Word {
    fn read(&mut self, structure: &Structure, backwards: bool) {
        let n = structure.colours().len();
        self.backwards = backwards;
        self.edges.clear();
        self.first.clear();
        let edges = structure.added_edges();
        if edges.is_empty() {
            return;
        }
        for edge in edges {
            let span = self.span(n, usize::from(edge.from), usize::from(edge.to));
            self.edges.push((edge.from, edge.label, span as u16));
        }
        self.edges.sort_unstable();
        let mut next = 0;
        for point in 0..=n {
            while self.edges.get(next).is_some_and(|edge| usize::from(edge.0) < point) {
                next += 1;
            }
            self.first.push(next);
        }
    }

    /// The point that many steps from another.
    fn at(&self, n: usize, from: usize, steps: usize) -> usize {
        let steps = if self.backwards && steps > 0 { n - steps } else { steps };
        if from + steps < n { from + steps } else { from + steps - n }
    }

    /// How many steps it is from one point to another.
    fn span(&self, n: usize, from: usize, to: usize) -> usize {
        let (from, to) = if self.backwards { (to, from) } else { (from, to) };
        if from <= to { to - from } else { n + to - from }
    }

    /// Label and span of a point's edges.
    fn spans(&self, point: usize) -> impl Iterator<Item = (u32, u16)> {
        let edges = if self.first.is_empty() { 0..0 } else { self.first[point]..self.first[point + 1] };
        self.edges[edges].iter().map(|&(_, label, span)| (label, span))
    }

    /// The values of relations between a point and those ahead of it.
    fn row(&self, structure: &Structure, point: usize) -> impl Iterator<Item = u32> {
        let n = structure.colours().len();
        let relations = structure.relations().iter();
        relations.flat_map(move |relation| (0..n).map(move |steps| relation.value(point, self.at(n, point, steps))))
    }
}

/// Where the least rotation of a cyclic word of `n` letters starts. `compare` compares the letters at two places.
pub(crate) fn least_rotation(n: usize, mut compare: impl FnMut(usize, usize) -> Ordering) -> usize {
    let wrap = |place: usize| if place < n { place } else { place - n };
    // Two different starts, and for how many letters the rotations from there are known to agree.
    let (mut left, mut right, mut agree) = (0, 1, 0);
    while left.max(right) < n && agree < n {
        match compare(wrap(left + agree), wrap(right + agree)) {
            Ordering::Equal => {
                agree += 1;
                continue;
            }
            // No start on the way to the difference is better than the one that lost.
            Ordering::Less => right += agree + 1,
            Ordering::Greater => left += agree + 1,
        }
        right += usize::from(left == right);
        agree = 0;
    }
    left.min(right)
}
