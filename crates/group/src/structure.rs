//! What a [`crate::Canonizer`] labels: points in several sorts, and what is known of them.
//!
//! A structure over a state must *be* the state, up to what no renaming touches. For a labelling to be canonical, the
//! caller guarantees three things:
//!
//! 1. **Equivariance.** Renaming the state by an element of the group renames the structure in the same way. Nothing
//!    that is pushed may depend on the number of a member.
//! 2. **Completeness.** A renaming that leaves the structure as it is leaves the state as it is. Whatever of the state a
//!    renaming can change is in a colour, an edge, a relation or a fact.
//! 3. **Exact colours.** Points of one sort with equal colours have equal data. If colours are hashes, pass a comparison
//!    of the data itself to [`crate::Canonizer::canonize_by`], or live with the consequence of a collision.
//!
//! Should one of them fail, the labelling is still made of elements of the groups, and the renamed state is still in the
//! orbit of the given one. An orbit then has several representatives: more states, never a wrong one. Edges and
//! relations are compared exactly, whatever the caller does.

use crate::group::{Group, Sort};
use crate::refine::mix;

/// A point of a structure: a member of a sort, or an auxiliary point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(pub(crate) u16);

impl Point {
    /// Its number: members of the first sort come first, then those of the second, and so on, then auxiliary points.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A relation of a structure, as [`Structure::add_relation`] numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(usize);

/// Points in several sorts with their colours, edges and relations.
///
/// Sorts and relations are declared once. [`clear`](Self::clear) forgets the rest, so that a structure can be filled
/// again and again without allocating.
#[derive(Clone, Debug)]
pub struct Structure {
    sorts: Vec<Sort>,
    /// Number of the first point of each sort, and of the first auxiliary point.
    first: Vec<usize>,
    /// The sort of each member.
    sort_of: Vec<u16>,
    colours: Vec<u64>,
    edges: Vec<Edge>,
    /// The edges of the rings are the first ones, and always there.
    ring_edges: usize,
    relations: Vec<Relation>,
    /// What colours are mixed with.
    sums: Vec<u64>,
}

/// A labelled edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) label: u32,
    pub(crate) from: u16,
    pub(crate) to: u16,
}

/// A value for every pair of members of two sorts.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    /// The points that rows and columns stand for.
    pub(crate) rows: std::ops::Range<usize>,
    pub(crate) columns: std::ops::Range<usize>,
    /// Row by row.
    pub(crate) values: Vec<u32>,
}

impl Relation {
    /// The value for two points, of which the first must be a row and the second a column.
    pub(crate) fn value(&self, row: usize, column: usize) -> u32 {
        self.values[(row - self.rows.start) * self.columns.len() + column - self.columns.start]
    }

    /// The values of a row.
    pub(crate) fn row(&self, row: usize) -> &[u32] {
        let start = (row - self.rows.start) * self.columns.len();
        &self.values[start..start + self.columns.len()]
    }

    /// Whether rows and columns are the same points.
    pub(crate) fn is_square(&self) -> bool {
        self.rows == self.columns
    }
}

impl Structure {
    /// Labels from here on are the rings' own.
    const SUCCESSOR: u32 = u32::MAX;
    const NEIGHBOUR: u32 = u32::MAX - 1;

    /// A structure over these sorts, with all colours zero, and without edges and relations.
    ///
    /// # Panics
    /// If a sort has more than [`crate::permutation::MAX_POINTS`] members, or all together have more than 65,535.
    pub fn new(sorts: &[Sort]) -> Self {
        let mut first = vec![0];
        let mut edges = Vec::new();
        for &Sort { size, group } in sorts {
            assert!(size <= crate::permutation::MAX_POINTS, "a sort of {size} members");
            let start = *first.last().expect("begins with zero");
            first.push(start + size);
            assert!(start + size <= usize::from(u16::MAX), "too many members");
            for member in 0..size {
                let (from, to) = ((start + member) as u16, (start + (member + 1) % size) as u16);
                match group {
                    Group::Symmetric => {}
                    Group::Cyclic => edges.push(Edge { label: Self::SUCCESSOR, from, to }),
                    Group::Dihedral => {
                        edges.push(Edge { label: Self::NEIGHBOUR, from, to });
                        edges.push(Edge { label: Self::NEIGHBOUR, from: to, to: from });
                    }
                }
            }
        }
        let sort_of = sorts.iter().enumerate().flat_map(|(index, sort)| std::iter::repeat_n(index as u16, sort.size));
        let sort_of = sort_of.collect::<Vec<_>>();
        let colours = vec![0; sort_of.len()];
        let ring_edges = edges.len();
        Self {
            sorts: sorts.to_vec(),
            first,
            sort_of,
            colours,
            edges,
            ring_edges,
            relations: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Declares a relation: a value for every pair of a member of sort `rows` and one of sort `columns`, at first zero.
    /// It suits arrays indexed by two members whose elements are plain data. Values that are rare are better zero.
    pub fn add_relation(&mut self, rows: usize, columns: usize) -> RelationId {
        let (rows, columns) = (self.members(rows), self.members(columns));
        let values = vec![0; rows.len() * columns.len()];
        self.relations.push(Relation { rows, columns, values });
        RelationId(self.relations.len() - 1)
    }

    /// Forgets colours, edges, auxiliary points and the values of relations.
    pub fn clear(&mut self) {
        self.colours.truncate(self.first[self.sorts.len()]);
        self.colours.fill(0);
        self.edges.truncate(self.ring_edges);
        for relation in &mut self.relations {
            relation.values.fill(0);
        }
    }

    /// The sorts.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    /// The point that is a member of a sort.
    pub fn point(&self, sort: usize, member: usize) -> Point {
        debug_assert!(member < self.sorts[sort].size);
        Point((self.first[sort] + member) as u16)
    }

    /// The colours of a sort's members. A colour stands for all plain data of a member: its control point, its
    /// variables, the elements of arrays that it indexes, whether some global variable refers to it.
    pub fn colours_mut(&mut self, sort: usize) -> &mut [u64] {
        let members = self.members(sort);
        &mut self.colours[members]
    }

    /// The colour of a point.
    pub fn colour_mut(&mut self, point: Point) -> &mut u64 {
        &mut self.colours[point.index()]
    }

    /// Adds an edge: something of `from` that is named by the label refers to `to`. An edge from a point to itself is a
    /// mark, which says something of that point alone. Labels must be below 2³² − 2.
    pub fn edge(&mut self, label: u32, from: Point, to: Point) {
        debug_assert!(label < Self::NEIGHBOUR && from.index().max(to.index()) < self.colours.len());
        self.edges.push(Edge { label, from: from.0, to: to.0 });
    }

    /// Adds an auxiliary point with a colour, and edges labelled 0, 1, … from it to the given points.
    ///
    /// It says that these points, in this order, are in the relation that the colour stands for, and suits arrays
    /// indexed by two members whose elements are members: `fact(A, [i, j, k])` for `a[i][j] == k`. Elements that refer to
    /// nothing are better left out.
    ///
    /// # Panics
    /// If there are too many points.
    pub fn fact(&mut self, colour: u64, points: &[Point]) -> Point {
        assert!(self.colours.len() < usize::from(u16::MAX), "too many auxiliary points");
        let fact = Point(self.colours.len() as u16);
        self.colours.push(colour);
        for (label, &point) in points.iter().enumerate() {
            self.edge(label as u32, fact, point);
        }
        fact
    }

    /// Mixes into every colour those of the points at the other ends of its edges, so many times. For colours that are hashes: it
    /// tells most points apart at once that refinement would tell apart step by step. Points that a renaming takes to each
    /// other have the same colour after it as well.
    pub fn blend_colours(&mut self, rounds: usize) {
        let Structure { colours, edges, sums, .. } = self;
        for _ in 0..rounds {
            sums.clear();
            sums.resize(colours.len(), 0);
            for &Edge { label, from, to } in &*edges {
                let (label, from, to) = (u64::from(label) << 1, usize::from(from), usize::from(to));
                let (out, into) = (mix(colours[to] ^ label), mix(colours[from] ^ (label | 1)));
                sums[from] = sums[from].wrapping_add(out);
                sums[to] = sums[to].wrapping_add(into);
            }
            for (colour, sum) in colours.iter_mut().zip(&*sums) {
                *colour = mix(colour.rotate_left(1).wrapping_add(*sum));
            }
        }
    }

    /// The values of a relation, row by row.
    pub fn relation_mut(&mut self, relation: RelationId) -> &mut [u32] {
        &mut self.relations[relation.0].values
    }

    /// Numbers of the points that are a sort's members.
    pub(crate) fn members(&self, sort: usize) -> std::ops::Range<usize> {
        self.first[sort]..self.first[sort + 1]
    }

    /// Numbers of the auxiliary points.
    pub(crate) fn auxiliary(&self) -> std::ops::Range<usize> {
        self.first[self.sorts.len()]..self.colours.len()
    }

    /// The sort of a member.
    pub(crate) fn sort_of(&self, member: usize) -> usize {
        usize::from(self.sort_of[member])
    }

    pub(crate) fn colours(&self) -> &[u64] {
        &self.colours
    }

    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub(crate) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Whether there is nothing but one ring, so that edges can be told by their spans.
    pub(crate) fn is_lone_ring(&self) -> bool {
        matches!(self.sorts[..], [Sort { group: Group::Cyclic | Group::Dihedral, .. }]) && self.auxiliary().is_empty()
    }

    /// The edges that were added, and not those of rings.
    pub(crate) fn added_edges(&self) -> &[Edge] {
        &self.edges[self.ring_edges..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of so many members with a mark on one of them, numbered from `shift` on.
    fn ring(size: usize, shift: usize) -> Structure {
        let mut structure = Structure::new(&[Sort { size, group: Group::Symmetric }]);
        let point = |structure: &Structure, member: usize| structure.point(0, (member + shift) % size);
        for member in 0..size {
            let (from, to) = (point(&structure, member), point(&structure, member + 1));
            structure.edge(member as u32 % 2, from, to);
        }
        let marked = point(&structure, 0);
        *structure.colour_mut(marked) = 7;
        structure
    }

    #[test]
    fn blended_colours_do_not_depend_on_numbers_and_tell_neighbours_apart() {
        let (size, shift) = (8, 3);
        let (mut left, mut right) = (ring(size, 0), ring(size, shift));
        left.blend_colours(4);
        right.blend_colours(4);
        let (left, right) = (left.colours_mut(0), right.colours_mut(0));
        assert!((0..size).all(|member| left[member] == right[(member + shift) % size]));
        let distinct: std::collections::BTreeSet<u64> = left.iter().copied().collect();
        assert_eq!(distinct.len(), size, "four steps from the mark, and labels say on which side");
    }
}
