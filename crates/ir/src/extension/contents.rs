//! What is in a value.

/// The cells of a value: those of its head, and then those of its entries, one entry after another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Contents {
    cells: Vec<i32>,
    head: usize,
    width: usize,
}

impl Contents {
    /// A value without entries, with so many cells at its head, which are zero, and so many in an entry.
    pub fn new(head: usize, width: usize) -> Self {
        Contents { cells: vec![0; head], head, width }
    }

    /// The value with these cells.
    pub fn of_cells(cells: Vec<i32>, head: usize, width: usize) -> Self {
        debug_assert!(cells.len() >= head && (width == 0 || (cells.len() - head).is_multiple_of(width)));
        Contents { cells, head, width }
    }

    /// All cells.
    pub fn cells(&self) -> &[i32] {
        &self.cells
    }

    /// The same, as they are to be stored.
    pub fn into_cells(self) -> Vec<i32> {
        self.cells
    }

    /// The cells of the head.
    pub fn head(&self) -> &[i32] {
        &self.cells[..self.head]
    }

    /// The same, to be changed.
    pub fn head_mut(&mut self) -> &mut [i32] {
        &mut self.cells[..self.head]
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        (self.cells.len() - self.head).checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &[i32]> + ExactSizeIterator {
        self.cells[self.head..].chunks_exact(self.width.max(1))
    }

    /// An entry, by its number.
    pub fn entry(&self, number: usize) -> Option<&[i32]> {
        self.entries().nth(number)
    }

    /// The number of the first entry that satisfies a test.
    pub fn position(&self, test: impl FnMut(&[i32]) -> bool) -> Option<usize> {
        self.entries().position(test)
    }

    /// Adds an entry behind the others.
    ///
    /// # Panics
    /// It has another number of cells.
    pub fn push(&mut self, entry: &[i32]) {
        assert_eq!(entry.len(), self.width, "an entry has {} cells", self.width);
        self.cells.extend_from_slice(entry);
    }

    /// Puts an entry in the place of another.
    ///
    /// # Panics
    /// There is no such entry, or it has another number of cells.
    pub fn set(&mut self, number: usize, entry: &[i32]) {
        let at = self.head + number * self.width;
        self.cells[at..at + self.width].copy_from_slice(entry);
    }

    /// Takes an entry out; those behind it move up.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn remove(&mut self, number: usize) -> Vec<i32> {
        let at = self.head + number * self.width;
        self.cells.drain(at..at + self.width).collect()
    }

    /// Takes all entries out.
    pub fn clear(&mut self) {
        self.cells.truncate(self.head);
    }

    /// Puts the entries into the order in which they compare.
    pub fn sort(&mut self) {
        let mut entries: Vec<Vec<i32>> = self.entries().map(<[i32]>::to_vec).collect();
        entries.sort_unstable();
        self.clear();
        entries.iter().for_each(|entry| self.push(entry));
    }
}
