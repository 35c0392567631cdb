//! Colour refinement: cells are split until all members of a cell have the same edges, by label and direction, to and
//! from the members of every cell, and the same values in relations.
//!
//! It takes one cell after the other and adds up, for every other point, hashes of what connects it with that cell (the
//! refinement of McKay & Piperno, §3, with Hopcroft's rule that the largest part of a cell need not be looked at again).
//! Sums do not depend on how points are numbered, and neither does the order in which cells are taken. Two different
//! neighbourhoods with the same sum leave a cell whole, which costs time but is not wrong.

use std::ops::Range;

use crate::arcs::Arcs;
use crate::partition::Partition;
use crate::structure::{Relation, Structure};

/// A workspace for refinement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refiner {
    /// Starts of the cells to look at, first come first served; those before `head` are done.
    queue: Vec<u16>,
    head: usize,
    /// Which cells are waiting in the queue, by start.
    waiting: Vec<bool>,
    /// The sum of each point. Zero between cells.
    sums: Vec<u64>,
    /// Starts of the cells that may have to be split, and which they are.
    touched: Vec<u16>,
    is_touched: Vec<bool>,
    sorted: Vec<(u64, u16)>,
    /// Whether all hashes are taken to be the same.
    #[cfg(test)]
    pub(crate) blind: bool,
}

impl Refiner {
    /// Makes room for `n` points.
    pub(crate) fn clear(&mut self, n: usize) {
        self.waiting.resize(n, false);
        self.is_touched.resize(n, false);
        self.sums.resize(n, 0);
    }

    /// Refines all cells of a structure.
    pub(crate) fn refine_all(&mut self, structure: &Structure, arcs: &Arcs, partition: &mut Partition) {
        const ROUNDS: usize = 3;
        let region = 0..structure.colours().len();
        partition.cells(region.clone()).for_each(|cell| self.push(cell.start));
        // Looking at all cells together is faster as long as many are split, unless that means whole matrices.
        let rounds = if structure.relations().is_empty() { ROUNDS } else { 0 };
        for _ in 0..rounds {
            self.forget();
            for cell in partition.cells(region.clone()).filter(|cell| cell.len() > 1) {
                self.touch(cell.start);
                for &point in partition.points(cell) {
                    let colour = |other: u16| (partition.cell_of(other) as u64) << 48;
                    let words = arcs.of(point).iter().map(|arc| arc.kind() | colour(arc.other()));
                    self.sums[usize::from(point)] = words.map(mix).fold(0, u64::wrapping_add);
                }
            }
            let more = self.split_touched(structure, partition, 0, &mut 0);
            if more == 0 {
                break;
            }
        }
        self.refine(structure, arcs, partition, region);
    }

    /// Asks for a look at the cell that starts here.
    pub(crate) fn push(&mut self, start: usize) {
        if !std::mem::replace(&mut self.waiting[start], true) {
            self.queue.push(start as u16);
        }
    }

    /// Refines the cells of a region, beginning with those that were pushed. The answer is a number that is the same for
    /// refinements that went the same way.
    pub(crate) fn refine(
        &mut self,
        structure: &Structure,
        arcs: &Arcs,
        partition: &mut Partition,
        region: Range<usize>,
    ) -> u64 {
        let mut trace = 0;
        let mut cells = partition.cells(region.clone()).count();
        while self.head < self.queue.len() && cells < region.len() {
            let start = usize::from(self.queue[self.head]);
            self.head += 1;
            self.waiting[start] = false;
            self.add_up(structure, arcs, partition, partition.cell_at(start), region.clone());
            self.touched.sort_unstable();
            cells += self.split_touched(structure, partition, region.start, &mut trace);
        }
        self.forget();
        trace
    }

    /// Empties the queue.
    fn forget(&mut self) {
        for &start in &self.queue[self.head..] {
            self.waiting[usize::from(start)] = false;
        }
        self.queue.clear();
        self.head = 0;
    }

    /// Adds up what connects the points of the region with a cell.
    fn add_up(
        &mut self,
        structure: &Structure,
        arcs: &Arcs,
        partition: &Partition,
        cell: Range<usize>,
        region: Range<usize>,
    ) {
        for &point in partition.points(cell.clone()) {
            for arc in arcs.of(point) {
                let other = arc.other();
                if !partition.is_single(other) {
                    let sum = &mut self.sums[usize::from(other)];
                    *sum = sum.wrapping_add(mix(arc.kind()));
                    self.touch(partition.cell_of(other));
                }
            }
        }
        for (index, relation) in structure.relations().iter().enumerate() {
            for &point in partition.points(cell.clone()) {
                add_up_relation(&mut self.sums, relation, index, usize::from(point));
            }
        }
        if !structure.relations().is_empty() {
            partition.cells(region).filter(|cell| cell.len() > 1).for_each(|cell| self.touch(cell.start));
        }
    }

    fn touch(&mut self, start: usize) {
        if !std::mem::replace(&mut self.is_touched[start], true) {
            self.touched.push(start as u16);
        }
    }

    /// Splits the cells that were touched, and makes all sums zero. The answer is how many cells there are more.
    fn split_touched(
        &mut self,
        structure: &Structure,
        partition: &mut Partition,
        origin: usize,
        trace: &mut u64,
    ) -> usize {
        let mut more = 0;
        for touched in 0..self.touched.len() {
            let start = usize::from(self.touched[touched]);
            self.is_touched[start] = false;
            more += self.split(partition, partition.cell_at(start), origin, trace);
        }
        self.touched.clear();
        if !structure.relations().is_empty() {
            self.sums.fill(0);
        }
        more
    }

    /// Splits a cell by the sums of its members, which become zero. The answer is how many cells there are more.
    fn split(&mut self, partition: &mut Partition, cell: Range<usize>, origin: usize, trace: &mut u64) -> usize {
        #[cfg(test)]
        if self.blind {
            self.sums.fill(0);
        }
        self.sorted.clear();
        let sums = &mut self.sums;
        self.sorted.extend(
            partition.points(cell.clone()).iter().map(|&point| (std::mem::take(&mut sums[usize::from(point)]), point)),
        );
        if self.sorted.iter().all(|(sum, _)| *sum == self.sorted[0].0) {
            return 0;
        }
        self.sorted.sort_unstable();
        for (slot, (_, point)) in partition.points_mut(cell.clone()).iter_mut().zip(&self.sorted) {
            *slot = *point;
        }
        *trace = mix(*trace ^ (cell.start - origin) as u64);
        let waiting = self.waiting[cell.start];
        let mut largest = cell.start..cell.start;
        let mut start = cell.start;
        let mut parts = 0;
        for part in self.sorted.chunk_by(|left, right| left.0 == right.0) {
            let places = start..start + part.len();
            start = places.end;
            parts += 1;
            *trace = mix(trace.wrapping_add(part[0].0) ^ part.len() as u64);
            partition.set_cell(places.clone());
            if places.len() > largest.len() {
                largest = places;
            }
        }
        for part in partition.cells(cell) {
            if waiting || part.start != largest.start {
                self.push(part.start);
            }
        }
        parts - 1
    }
}

/// Adds the values of a relation between a point and all others to the sums of those.
fn add_up_relation(sums: &mut [u64], relation: &Relation, index: usize, point: usize) {
    // Tells its values from those of other relations, and from edges.
    let salt = (index as u64 + 1) << 34;
    let mut add = |other: usize, value: u32, end: u64| {
        if value != 0 {
            sums[other] = sums[other].wrapping_add(mix(salt | end << 32 | u64::from(value)));
        }
    };
    if relation.rows.contains(&point) {
        for (column, &value) in relation.columns.clone().zip(relation.row(point)) {
            add(column, value, 0);
        }
    }
    if relation.columns.contains(&point) {
        for row in relation.rows.clone() {
            add(row, relation.value(row, point), 1);
        }
        if relation.is_square() {
            add(point, relation.value(point, point), 2);
        }
    }
}

/// A hash of one word. Sums of hashes of different words are different, as good as always.
#[inline(always)]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let word = (word ^ word >> 32).wrapping_mul(0xa076_1d64_78bd_642f);
    word ^ word >> 29
}
