//! How visited states are kept: whole, or as trees that share equal parts. Both tell all states apart, so that every count is
//! the same; trees take a fraction of the memory, and more time.

/// How visited states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Storage {
    /// Whole: as measured, trees take about 1.3 times the instructions, also for long states.
    #[default]
    Auto,
    /// Whole.
    Exact,
    /// As trees.
    Tree,
}

impl Storage {
    /// Whether states are kept as trees.
    pub(crate) fn is_tree(self) -> bool {
        self == Storage::Tree
    }
}
