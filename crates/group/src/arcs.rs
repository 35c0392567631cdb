//! The edges of a structure, seen from each of their ends.

use std::ops::Range;

use crate::structure::Structure;

/// One end of an edge: its label, which end it is, and the point at the other end, in one word that can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arc(u64);

const OUT: u64 = 0;
const IN: u64 = 1;
const LOOP: u64 = 2;

impl Arc {
    fn new(label: u32, end: u64, other: u16) -> Self {
        Self(u64::from(label) << 18 | end << 16 | u64::from(other))
    }

    /// The point at the other end.
    pub(crate) fn other(self) -> u16 {
        self.0 as u16
    }

    /// Label and end.
    pub(crate) fn kind(self) -> u64 {
        self.0 >> 16
    }

    /// Whether it leads back to its own point.
    pub(crate) fn is_loop(self) -> bool {
        self.kind() & 3 == LOOP
    }
}

/// The arcs of every point, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arcs {
    /// Where the arcs of each point start; one more for the end.
    first: Vec<u32>,
    arcs: Vec<Arc>,
}

impl Arcs {
    /// Collects the arcs of a structure.
    pub(crate) fn collect(&mut self, structure: &Structure) {
        let edges = structure.edges();
        let n = structure.colours().len();
        self.first.clear();
        self.first.resize(n + 1, 0);
        for edge in edges {
            self.first[usize::from(edge.from)] += 1;
            self.first[usize::from(edge.to)] += u32::from(edge.from != edge.to);
        }
        let mut end = 0;
        for first in &mut self.first {
            end += *first;
            *first = end;
        }
        self.arcs.clear();
        self.arcs.resize(end as usize, Arc::default());
        // Filled from the back, so that ends turn into starts.
        let mut put = |point: u16, arc| {
            let first = &mut self.first[usize::from(point)];
            *first -= 1;
            self.arcs[*first as usize] = arc;
        };
        for edge in edges {
            if edge.from == edge.to {
                put(edge.from, Arc::new(edge.label, LOOP, edge.to));
            } else {
                put(edge.from, Arc::new(edge.label, OUT, edge.to));
                put(edge.to, Arc::new(edge.label, IN, edge.from));
            }
        }
        for point in 0..n {
            let range = self.range(point);
            if range.len() > 1 {
                self.arcs[range].sort_unstable();
            }
        }
    }

    /// The arcs of a point, sorted.
    pub(crate) fn of(&self, point: u16) -> &[Arc] {
        &self.arcs[self.range(usize::from(point))]
    }

    fn range(&self, point: usize) -> Range<usize> {
        self.first[point] as usize..self.first[point + 1] as usize
    }
}
