//! What need not be searched: cells whose members are interchangeable, and components that can be labelled one by one.
//!
//! All tests are exact. They look at edges and values, and not at the hashes that refinement goes by.

use std::ops::Range;

use crate::arcs::Arcs;
use crate::classes::Classes;
use crate::partition::Partition;
use crate::structure::{Relation, Structure};

/// A workspace that finds the components of a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    classes: Classes,
    /// Whether the order of a point is left to be decided, by point.
    open: Vec<bool>,
    /// Starts of the cells that are left to be decided.
    cells: Vec<u16>,
    /// Class, cell and number of the points of a region.
    arranged: Vec<(u32, usize, u16)>,
}

impl Components {
    /// Rearranges a region in which refinement is done. First come the points whose order does not matter, each in a
    /// cell of its own; then come the components, which `segments` receives. Points of different components are related
    /// as their cells are: by no edge, and in relations by a value that all pairs of their cells have, unless they are
    /// in the same component. `interchangeable` hears of the cells in which any order is as good as another.
    pub(crate) fn find(
        &mut self,
        structure: &Structure,
        arcs: &Arcs,
        partition: &mut Partition,
        region: Range<usize>,
        segments: &mut Vec<Range<usize>>,
        mut interchangeable: impl FnMut(&[u16]),
    ) {
        let n = structure.colours().len();
        self.open.resize(n, false);
        self.cells.clear();
        segments.clear();
        for cell in partition.cells(region.clone()) {
            let points = partition.points(cell.clone());
            let open = cell.len() > 1 && !are_interchangeable(structure, arcs, partition, cell.clone());
            points.iter().for_each(|&point| self.open[usize::from(point)] = open);
            if open {
                self.cells.push(cell.start as u16);
            } else if cell.len() > 1 {
                interchangeable(points);
            }
        }
        if self.cells.is_empty() {
            partition.separate(region);
            return;
        }
        self.connect(structure, arcs, partition);
        self.arrange(partition, region, segments);
    }

    /// Joins the points of open cells that depend on each other.
    fn connect(&mut self, structure: &Structure, arcs: &Arcs, partition: &Partition) {
        self.classes.clear(structure.colours().len());
        let cells = self.cells.iter().map(|&start| partition.cell_at(usize::from(start)));
        let mut classes = cells.clone().map(|cell| cell.len()).sum::<usize>();
        for &point in cells.clone().flat_map(|cell| partition.points(cell)) {
            for other in arcs.of(point).iter().map(|arc| arc.other()) {
                // Points outside the region are alone in their cells.
                if !partition.is_single(other) && self.open[usize::from(other)] {
                    classes -= usize::from(self.classes.join(point, other));
                }
            }
        }
        for relation in structure.relations() {
            for rows in cells.clone().map(|cell| partition.points(cell)) {
                for columns in cells.clone().map(|cell| partition.points(cell)) {
                    if classes > 1
                        && relation.rows.contains(&usize::from(rows[0]))
                        && relation.columns.contains(&usize::from(columns[0]))
                        && !is_uniform(relation, rows, columns)
                    {
                        for (row, column) in pairs(rows, columns) {
                            if relation.value(usize::from(row), usize::from(column)) != 0 {
                                classes -= usize::from(self.classes.join(row, column));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Puts the points that are settled first, and then class after class, each in the order of its cells.
    fn arrange(&mut self, partition: &mut Partition, region: Range<usize>, segments: &mut Vec<Range<usize>>) {
        const SETTLED: u32 = 0;
        self.arranged.clear();
        for &point in partition.points(region.clone()) {
            let open = self.open[usize::from(point)];
            let class = if open { u32::from(self.classes.find(point)) + 1 } else { SETTLED };
            self.arranged.push((class, partition.cell_of(point), point));
        }
        self.arranged.sort_unstable();
        for (slot, &(_, _, point)) in partition.points_mut(region.clone()).iter_mut().zip(&self.arranged) {
            *slot = point;
        }
        let mut start = region.start;
        for class in self.arranged.chunk_by(|left, right| left.0 == right.0) {
            let segment = start..start + class.len();
            if class[0].0 == SETTLED {
                partition.separate(segment.clone());
            } else {
                for cell in class.chunk_by(|left, right| left.1 == right.1) {
                    partition.set_cell(start..start + cell.len());
                    start += cell.len();
                }
                segments.push(segment.clone());
            }
            start = segment.end;
        }
    }
}

/// Whether every exchange of two members of a cell leaves the structure as it is.
fn are_interchangeable(structure: &Structure, arcs: &Arcs, partition: &Partition, cell: Range<usize>) -> bool {
    let (&first, rest) = partition.points(cell.clone()).split_first().expect("cells are not empty");
    let inside = |point: u16| partition.cell_of(point) == cell.start;
    let same_arcs = |point: u16| {
        let (left, right) = (arcs.of(first), arcs.of(point));
        left.len() == right.len()
            && left
                .iter()
                .zip(right)
                .all(|(left, right)| left == right || left.is_loop() && left.kind() == right.kind())
    };
    rest.iter().all(|&point| same_arcs(point))
        && structure.relations().iter().all(|relation| {
            let value = |row: u16, column: u16| relation.value(usize::from(row), usize::from(column));
            let (is_row, is_column) =
                (relation.rows.contains(&usize::from(first)), relation.columns.contains(&usize::from(first)));
            let outside =
                |range: &Range<usize>| range.clone().map(|point| point as u16).filter(|&point| !inside(point));
            rest.iter().all(|&point| {
                (!is_row || outside(&relation.columns).all(|column| value(first, column) == value(point, column)))
                    && (!is_column || outside(&relation.rows).all(|row| value(row, first) == value(row, point)))
                    && (!is_row || !is_column || value(first, first) == value(point, point))
            }) && (!is_row || !is_column || {
                let points = partition.points(cell.clone());
                is_uniform(relation, points, points)
            })
        })
}

/// Whether a relation has the same value for all pairs of different points of two cells.
fn is_uniform(relation: &Relation, rows: &[u16], columns: &[u16]) -> bool {
    let mut values = pairs(rows, columns).map(|(row, column)| relation.value(usize::from(row), usize::from(column)));
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// The pairs of different points of two cells.
fn pairs(rows: &[u16], columns: &[u16]) -> impl Iterator<Item = (u16, u16)> {
    let all = rows.iter().flat_map(move |&row| columns.iter().map(move |&column| (row, column)));
    all.filter(|(row, column)| row != column)
}
