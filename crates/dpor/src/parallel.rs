//! Handing out work: an alternative that is still to be tried, with the graph that it belongs to.
//!
//! Alternatives are independent of each other, so another explorer can take one over; the counts of all explorers add
//! up to those of one.

use crate::explorer::{Alternative, Explorer, Frame};
use quotient_graph::Graph;

/// A part of an exploration that another explorer can do.
#[derive(Debug)]
pub struct Task {
    graph: Graph,
    frame: Frame,
    alternative: Alternative,
    /// What is known about graphs of the program; see [`Explorer`].
    has_classes: bool,
    has_help: bool,
}

impl Explorer {
    /// Gives away the alternative that is likely to be the largest part of what is left: the oldest.
    pub fn donate(&mut self) -> Option<Task> {
        let frame = *self.frames.first()?;
        let alternative = self.alternatives.remove(frame.first as usize);
        let end = self.frames.get(1).map_or(self.alternatives.len() as u32, |next| next.first - 1);
        let level = self.levels.iter().find(|level| level.frames > 0);
        let graph = level.map_or(&self.graph, |level| &level.graph).clone();
        for later in &mut self.frames[1..] {
            later.first -= 1;
        }
        if end == frame.first {
            self.frames.remove(0);
            for level in &mut self.levels {
                level.frames = level.frames.saturating_sub(1);
            }
        }
        Some(Task { graph, frame, alternative, has_classes: self.has_classes, has_help: self.has_help })
    }

    /// Goes on with a task of another explorer; what was counted so far stays. False if there is nothing to do after all.
    pub fn adopt(&mut self, task: Task) -> bool {
        self.forget_tasks();
        self.graph = task.graph;
        self.has_classes |= task.has_classes;
        self.has_help |= task.has_help;
        self.alternatives.push(task.alternative);
        self.frames.push(Frame { first: 0, ..task.frame });
        self.backtrack()
    }

    /// Drops everything that is still to be tried.
    pub fn forget_tasks(&mut self) {
        self.frames.clear();
        self.alternatives.clear();
        self.levels.clear();
    }
}
