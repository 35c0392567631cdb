//! Where processes come from: whoever implements [`Grow`] runs a process alone until its next visible operation. Follows the idea
//! that a process is a function from the results it has been given to what it does next.
//!
//! These are matters of the implementation, and no operations: memory, files outside the shared directories, the numbers of
//! descriptors and whether they are closed by `exec`, the working directory and the umask, the process's own id, the clock, random numbers, and everything written to the standard output as long as
//! it is nobody else's.

use crate::op::{Action, Fd, Handler, Id, Op, Pid, Signal};
use crate::outcome::Outcome;

/// The number of a node: a process that has been given certain results and stopped before its next operation. The tree numbers
/// nodes.
pub type Node = u32;

/// Runs processes.
pub trait Grow {
    /// Starts the program with this index, under this process id, and runs it to its first operation, which becomes the node `to`.
    ///
    /// # Errors
    ///
    /// If it does not come to an operation.
    fn start(&mut self, index: usize, pid: Pid, to: Node) -> Result<Step, Trouble>;

    /// Gives a process that is stopped at the node `from` the outcome of its operation, and runs it to its next operation, which
    /// becomes the node `to` unless it is [`Arrival::Same`].
    ///
    /// For a fork this is called once for the child and once for the parent.
    ///
    /// # Errors
    ///
    /// If it does not come to an operation.
    fn grow(&mut self, from: Node, outcome: &Outcome, to: Node) -> Result<Step, Trouble>;

    /// Where in its source the process is at this node.
    fn place(&mut self, node: Node) -> Option<SourceLocation> {
        let _ = node;
        None
    }
}

/// What a process did between two operations, and where it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it stopped.
    pub arrival: Arrival,
    /// What it printed meanwhile.
    pub printed: Vec<Printed>,
    /// What it wrote to shared segments meanwhile.
    pub wrote: Vec<Wrote>,
}

/// Where a process stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// At a new node.
    Stop(Stop),
    /// It cannot be told from a process at this node, which there is already.
    Same(Node),
}

/// A process that is stopped before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The operation.
    pub op: Op,
    /// What becomes of signals.
    pub signals: Signals,
    /// Handlers that block more than their own signal, or less, or run once; in the order of their signals.
    pub handlers: Vec<(Signal, Handler)>,
}

/// What a process does about signals. Bit `n - 1` stands for signal `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signals {
    /// Signals that are not delivered for now.
    pub blocked: u64,
    /// Signals that are ignored. Those that are ignored unless somebody asks need not be told.
    pub ignored: u64,
    /// Signals that have a handler.
    pub handled: u64,
}

impl Signals {
    /// What becomes of signals after an operation.
    pub(crate) fn after(mut self, op: &Op) -> Self {
        match *op {
            Op::SetMask { blocked } => self.blocked = blocked,
            Op::SetAction { signal, action } => {
                let bit = 1 << (signal - 1);
                self.ignored &= !bit;
                self.handled &= !bit;
                match action {
                    Action::Default => {}
                    Action::Ignored => self.ignored |= bit,
                    Action::Handled(_) => self.handled |= bit,
                }
            }
            Op::Exec { .. } => self.handled = 0,
            _ => {}
        }
        self
    }
}

/// Something that was printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Printed {
    /// 1 for the standard output, 2 for errors.
    pub to: Fd,
    /// What.
    pub bytes: Vec<u8>,
}

/// Something that was written to a shared segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wrote {
    /// The segment.
    pub segment: Id,
    /// Where.
    pub offset: usize,
    /// What.
    pub bytes: Vec<u8>,
}

/// Where something is in a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function.
    pub function: Option<String>,
}

/// Why a process did not come to an operation. A process that dies is no trouble: it stops at [`Op::Crash`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// It computed for longer than it may without any operation.
    Divergence,
    /// It made a call that nobody here knows how to answer.
    Unsupported {
        /// The name of the call.
        call: String,
        /// What about it, if not the call as a whole.
        detail: String,
    },
    /// It did something else than the last time, with the same results.
    Nondeterminism {
        /// What it did before.
        before: String,
        /// What it did now.
        now: String,
    },
    /// It would have gone beyond a limit on processes, memory or time.
    Limit {
        /// Which one.
        what: String,
    },
    /// It looked for something without which the check is worth nothing, and did not find it.
    Missing {
        /// What it looked for.
        what: String,
    },
    /// It could not be started or watched.
    Failed {
        /// What happened.
        what: String,
    },
}
