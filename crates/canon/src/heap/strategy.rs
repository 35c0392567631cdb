//! The strategies for heap models by name.

use std::fmt;
use std::str::FromStr;

use crate::UnknownStrategy;

/// Which states of a heap model are taken for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum HeapStrategy {
    /// None: records keep the names that they were made with.
    None,
    /// Those that differ in the names of records.
    Heap,
    /// And in the order of threads, as far as control states tell it.
    Pc,
    /// And in the order of threads, as far as comparing what they reach in so many steps tells it; in any number of steps if
    /// none is given.
    Bots(Option<u32>),
    /// All that differ in the names of records and the order of threads.
    #[default]
    Canonical,
}

impl HeapStrategy {
    /// Whether it changes the order of threads.
    pub const fn orders_threads(self) -> bool {
        !matches!(self, HeapStrategy::None | HeapStrategy::Heap)
    }

    /// Whether all states that differ by a renaming get the same representative, of those renamings that it looks at.
    pub const fn is_canonical(self) -> bool {
        !matches!(self, HeapStrategy::Pc | HeapStrategy::Bots(_))
    }
}

impl fmt::Display for HeapStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeapStrategy::None => f.write_str("none"),
            HeapStrategy::Heap => f.write_str("heap"),
            HeapStrategy::Pc => f.write_str("pc"),
            HeapStrategy::Bots(None) => f.write_str("kbots"),
            HeapStrategy::Bots(Some(depth)) => write!(f, "kbots:{depth}"),
            HeapStrategy::Canonical => f.write_str("canonical"),
        }
    }
}

impl FromStr for HeapStrategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let known = "none, heap, pc, kbots, kbots:K, canonical";
        let unknown = || UnknownStrategy { name: text.to_string(), kind: " for a heap", known: known.to_string() };
        Ok(match text {
            "none" => HeapStrategy::None,
            "heap" => HeapStrategy::Heap,
            "pc" => HeapStrategy::Pc,
            "kbots" => HeapStrategy::Bots(None),
            "canonical" => HeapStrategy::Canonical,
            _ => {
                let depth = text.strip_prefix("kbots:").ok_or_else(unknown)?;
                HeapStrategy::Bots(Some(depth.parse().map_err(|_| unknown())?))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in ["none", "heap", "pc", "kbots", "kbots:0", "kbots:17", "canonical"] {
            assert_eq!(name.parse::<HeapStrategy>().map(|strategy| strategy.to_string()), Ok(name.to_string()));
        }
        for name in ["", "kbots:", "kbots:-1", "sorted"] {
            assert!(name.parse::<HeapStrategy>().is_err());
        }
    }
}
