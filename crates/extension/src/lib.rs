//! Extensions: the types that models can use beside those of their language, and the laws that hold for them.
//!
//! [`built_in`] are those that come with the project; [`Registry`] has these and one's own. Whoever writes an
//! [`Extension`] tests it with [`laws::check`].

#![forbid(unsafe_code)]

mod choose;
pub mod laws;
mod map;
mod ordered;
mod unordered;

use std::sync::Arc;

pub use quotient_ir::extension::{
    Alternative, Call, Contents, Extension, Failure, MOST_ALTERNATIVES, Operation, Parameter, Stopped, Term, ValueType,
};

pub use choose::Choose;
pub use map::Map;
pub use ordered::{Queue, Stack};
pub use unordered::{Bag, Set};

/// The extensions that come with the project.
pub fn built_in() -> Vec<Arc<dyn Extension>> {
    vec![Arc::new(Set), Arc::new(Bag), Arc::new(Map), Arc::new(Queue), Arc::new(Stack), Arc::new(Choose)]
}

/// The extensions that models can ask for.
#[derive(Clone, Debug)]
pub struct Registry {
    known: Vec<Arc<dyn Extension>>,
}

impl Default for Registry {
    fn default() -> Self {
        Registry { known: built_in() }
    }
}

impl Registry {
    /// Adds an extension; it takes the place of one with the same name.
    pub fn add(&mut self, extension: impl Extension + 'static) {
        self.known.retain(|known| known.name() != extension.name());
        self.known.push(Arc::new(extension));
    }

    /// The extension with a name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Extension>> {
        self.known.iter().find(|known| known.name() == name)
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|known| known.name())
    }
}

/// The number for a truth value.
const fn truth(holds: bool) -> i32 {
    holds as i32
}
