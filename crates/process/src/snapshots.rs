//! Keeps stopped processes, up to a limit: the one that was used longest ago is ended first. Follows section 3 of the design of
//! process checks.

use crate::tracee::Tracee;
use quotient_system::Node;
use std::collections::{BTreeMap, HashMap};

/// Stopped processes by node.
#[derive(Debug)]
pub(crate) struct Snapshots {
    kept: HashMap<Node, (Tracee, u64)>,
    by_use: BTreeMap<u64, Node>,
    clock: u64,
    limit: usize,
    /// How many were ended because of the limit.
    pub(crate) evicted: u64,
}

impl Snapshots {
    /// None, and room for so many.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: HashMap::new(), by_use: BTreeMap::new(), clock: 0, limit: limit.max(1), evicted: 0 }
    }

    /// The process of a node, if it is kept.
    pub(crate) fn get(&mut self, node: Node) -> Option<&Tracee> {
        let (tracee, used) = self.kept.get_mut(&node)?;
        self.by_use.remove(used);
        self.clock += 1;
        *used = self.clock;
        self.by_use.insert(self.clock, node);
        Some(tracee)
    }

    /// Keeps a process.
    pub(crate) fn put(&mut self, node: Node, tracee: Tracee) {
        self.shrink(self.limit - 1);
        self.clock += 1;
        self.by_use.insert(self.clock, node);
        if let Some((_, used)) = self.kept.insert(node, (tracee, self.clock)) {
            self.by_use.remove(&used);
        }
    }

    /// Ends the half that was used longest ago, and keeps no more from now on.
    pub(crate) fn keep_half(&mut self) {
        self.limit = (self.kept.len() / 2).max(1);
        self.shrink(self.limit);
    }

    fn shrink(&mut self, most: usize) {
        while self.kept.len() > most
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.kept.remove(&oldest);
            self.evicted += 1;
        }
    }

    /// The system's ids of the processes that are kept.
    pub(crate) fn ids(&self) -> Vec<i32> {
        self.kept.values().map(|(tracee, _)| tracee.pid().as_raw()).collect()
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }
}
