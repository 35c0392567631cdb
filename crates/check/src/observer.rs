//! Who watches a check: progress, warnings and long runs are told while it goes on, and it can be interrupted. It follows
//! the rule that libraries never print.

use std::fmt;
use std::sync::Arc;

use quotient_canon::{HeapStrategy, Strategy};
use quotient_explain::Explained;
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::SourceMap;
use quotient_report::trace::Step;
pub use quotient_search::Progress;

/// Watches a check. Every method has a default, which does nothing. Several threads may call at the same time.
pub trait Observer: Send + Sync {
    /// Whether the check is to stop now and say what it has covered.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// The search of a model begins: the input has been read, and what is to be done about symmetry is known.
    fn begins(&self, _beginning: &Beginning<'_>) {}

    /// How far the search of a model is.
    fn progress(&self, _progress: &Progress) {}

    /// The search for a violation of a property begins, which reports call by this name.
    fn searches(&self, _property: &str) {}

    /// Something wrong was found. What is left is to repeat and tell it, which takes as long as it takes.
    fn found(&self) {}

    /// Something does not work, and the check goes on: a checkpoint cannot be written.
    fn warns(&self, _warning: &str) {}

    /// Whether the steps of a run of so many steps, of which all are wanted, are to be told one by one instead of being kept.
    fn takes_steps(&self, _length: usize) -> bool {
        false
    }

    /// A step of such a run.
    fn step(&self, _step: &Step) {}

    /// A violation of a model was repeated. It will be in the answer, without its places in the sources.
    fn explained(&self, _explained: &Explained, _sources: &SourceMap) {}
}

/// What is known when the search of a model begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// The strategy for symmetry reduction, if there is one.
    pub strategy: Option<Strategy>,
    /// Which states of a model with a heap are taken for one.
    pub heap: Option<HeapStrategy>,
    /// Whether runs that differ only in the order of independent steps are left out.
    pub reduces: bool,
    /// What is dubious about the model.
    pub warnings: &'a [Diagnostic],
    /// The files of the model.
    pub sources: &'a SourceMap,
    /// The model.
    pub model: &'a quotient_ir::Model,
    /// Whether safety is checked.
    pub safety: bool,
    /// How many temporal properties are checked.
    pub properties: usize,
    /// Temporal properties are searched as SPIN's verifiers do it, without reductions.
    pub nested: bool,
}

/// Nobody watches.
impl Observer for () {}

/// An observer that is shared between a check and whoever started it.
#[derive(Clone)]
pub struct Observed(pub Arc<dyn Observer>);

impl Default for Observed {
    fn default() -> Self {
        Observed(Arc::new(()))
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observed")
    }
}

impl std::ops::Deref for Observed {
    type Target = dyn Observer;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}
