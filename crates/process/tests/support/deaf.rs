//! Processes that do not hear of their children's ends, do not wait for them after `vfork`, and know their parent without asking: as in
//! the first program of the design of process checks.

use quotient_system::{Arrival, Extra, FileOp, Grow, Node, Op, Outcome, Pid, Step, Trouble};
use std::collections::HashMap;

/// Hides that a process has a handler for `SIGCHLD`, so that the signal is ignored, that it waits after `vfork`, that it asks for its
/// parent, and that it changes what becomes of signals.
pub(crate) struct Deaf<G> {
    pub(crate) inner: G,
    /// Parents by node, where there is one.
    parents: HashMap<Node, Pid>,
    /// Nodes at which a process asks for its parent.
    asking: Vec<Node>,
    /// How often a process was about to change what becomes of signals.
    pub(crate) changes: u64,
}

impl<G: Grow> Deaf<G> {
    pub(crate) fn new(inner: G) -> Self {
        Self { inner, parents: HashMap::new(), asking: Vec::new(), changes: 0 }
    }

    fn hide(&mut self, step: Result<Step, Trouble>, to: Node) -> Result<Step, Trouble> {
        let mut step = step?;
        if let Arrival::Stop(stop) = &mut step.arrival {
            stop.signals.handled &= !(1 << (libc::SIGCHLD - 1));
            match &mut stop.op {
                Op::Fork { waits } => *waits = false,
                Op::Parent => {
                    self.asking.push(to);
                    // This is nobody else's business.
                    stop.op = Op::File(FileOp::Sync { fd: 0 });
                }
                // So is what becomes of signals that nobody sends.
                Op::SetMask { .. } | Op::SetAction { .. } => {
                    self.changes += 1;
                    stop.op = Op::File(FileOp::Sync { fd: 0 });
                }
                _ => {}
            }
        }
        Ok(step)
    }
}

impl<G: Grow> Grow for Deaf<G> {
    fn start(&mut self, index: usize, pid: Pid, to: Node) -> Result<Step, Trouble> {
        let step = self.inner.start(index, pid, to);
        self.hide(step, to)
    }

    fn grow(&mut self, from: Node, outcome: &Outcome, to: Node) -> Result<Step, Trouble> {
        let parent = match outcome.extra {
            Extra::Child { parent, .. } => Some(parent),
            _ => self.parents.get(&from).copied(),
        };
        self.parents.extend(parent.map(|parent| (to, parent)));
        let known = Outcome::value(parent.unwrap_or(1).into());
        let outcome = if self.asking.contains(&from) { &known } else { outcome };
        let step = self.inner.grow(from, outcome, to);
        self.hide(step, to)
    }
}
