//! Ordered partitions: points in a row that is cut into cells. A point's colour is the place at which its cell starts.

use std::ops::Range;

/// An ordered partition of `0..n`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    /// The points in order; those of a cell are side by side.
    order: Vec<u16>,
    /// Where each point is in the order.
    place: Vec<u16>,
    /// Start of each point's cell.
    cell: Vec<u16>,
    /// Length of each cell, by its start.
    length: Vec<u16>,
}

impl Partition {
    /// Makes room for `n` points and leaves none in it.
    pub(crate) fn clear(&mut self, n: usize) {
        self.order.clear();
        for row in [&mut self.place, &mut self.cell, &mut self.length] {
            row.resize(n, 0);
        }
    }

    /// Appends a cell.
    pub(crate) fn push_cell(&mut self, points: impl Iterator<Item = u16>) {
        let start = self.order.len();
        self.order.extend(points);
        self.set_cell(start..self.order.len());
    }

    /// Declares the points at these places to be one cell.
    pub(crate) fn set_cell(&mut self, places: Range<usize>) {
        self.length[places.start] = places.len() as u16;
        for place in places.clone() {
            let point = usize::from(self.order[place]);
            self.place[point] = place as u16;
            self.cell[point] = places.start as u16;
        }
    }

    /// Makes every point of a region a cell of its own.
    pub(crate) fn separate(&mut self, region: Range<usize>) {
        region.for_each(|place| self.set_cell(place..place + 1));
    }

    /// Puts a point first in its cell and in a new cell of its own. The start of the new cell is the answer.
    pub(crate) fn individualise(&mut self, point: u16) -> usize {
        let cell = self.cell_at(self.cell_of(point));
        let place = self.place_of(point);
        self.order.swap(cell.start, place);
        self.set_cell(cell.start..cell.start + 1);
        self.set_cell(cell.start + 1..cell.end);
        cell.start
    }

    /// The points of a region in order.
    pub(crate) fn points(&self, region: Range<usize>) -> &[u16] {
        &self.order[region]
    }

    /// The same, to be rearranged: the cells must be declared again.
    pub(crate) fn points_mut(&mut self, region: Range<usize>) -> &mut [u16] {
        &mut self.order[region]
    }

    /// Where a point is in the order.
    pub(crate) fn place_of(&self, point: u16) -> usize {
        usize::from(self.place[usize::from(point)])
    }

    /// Where a point's cell starts.
    pub(crate) fn cell_of(&self, point: u16) -> usize {
        usize::from(self.cell[usize::from(point)])
    }

    /// The cell that starts at a place.
    pub(crate) fn cell_at(&self, start: usize) -> Range<usize> {
        start..start + usize::from(self.length[start])
    }

    /// Whether a point is alone in its cell.
    pub(crate) fn is_single(&self, point: u16) -> bool {
        self.length[self.cell_of(point)] == 1
    }

    /// The cells of a region, in order.
    pub(crate) fn cells(&self, region: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut start = region.start;
        std::iter::from_fn(move || {
            let cell = (start < region.end).then(|| self.cell_at(start))?;
            start = cell.end;
            Some(cell)
        })
    }

    /// Keeps a region's order and cells in `saved`.
    pub(crate) fn save(&self, region: Range<usize>, saved: &mut Saved) {
        saved.order.clear();
        saved.order.extend_from_slice(&self.order[region.clone()]);
        saved.length.clear();
        saved.length.extend_from_slice(&self.length[region]);
    }

    /// Brings back what was saved.
    pub(crate) fn restore(&mut self, region: Range<usize>, saved: &Saved) {
        self.order[region.clone()].copy_from_slice(&saved.order);
        let mut start = region.start;
        while start < region.end {
            let end = start + usize::from(saved.length[start - region.start]);
            self.set_cell(start..end);
            start = end;
        }
    }
}

/// Order and cells of a region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    pub(crate) order: Vec<u16>,
    length: Vec<u16>,
}
