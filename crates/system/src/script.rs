//! Processes that are written as data: small programs of operations, tests and jumps. Follows the same contract as real processes, so
//! that everything but those can be tested without an operating system.

use rapidhash::RapidHashMap;

use crate::grow::{Arrival, Grow, Node, Printed, Signals, Step, Stop, Trouble};
use crate::op::{Id, MemoryOp, MsgOp, Op, Pid, SemOp, Who};
use crate::outcome::{Extra, Outcome};

/// One line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// An operation. Its value is in variable 0 afterwards, and the first byte that it gave back in variable 1.
    Do(Op),
    /// An operation on what a variable has the id of.
    On(usize, Op),
    /// Copies a variable.
    Copy {
        /// From here.
        from: usize,
        /// To there.
        to: usize,
    },
    /// Sets a variable.
    Set(usize, i64),
    /// Goes to a line.
    Jump(usize),
    /// Goes to a line if a variable has a value.
    If(usize, i64, usize),
    /// Asserts that a variable has a value.
    Assert(usize, i64),
    /// Prints.
    Print(&'static str),
    /// What is done about signals from here on.
    Signals(Signals),
    /// Goes to a line when a signal's handler is to run; `Return` goes back.
    Handler(usize),
    /// The handler is through.
    Return,
    /// Computes forever.
    Spin,
}

/// The variables of a process.
const VARIABLES: usize = 6;

/// Programs, and how their processes go on.
#[derive(Clone, Debug, Default)]
pub struct Scripts {
    programs: Vec<Vec<Line>>,
    merges: bool,
    at: RapidHashMap<Node, Local>,
    known: RapidHashMap<Local, Node>,
    /// How often a process ran.
    pub runs: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Local {
    program: usize,
    line: usize,
    variables: [i64; VARIABLES],
    signals: Signals,
    handler: usize,
    /// Where the handler goes back to, and whether the operation there was interrupted.
    back: Option<usize>,
}

impl Scripts {
    /// A process for each program. If they merge, processes that cannot be told apart are one node.
    #[must_use]
    pub fn new(programs: Vec<Vec<Line>>, merges: bool) -> Self {
        Self { programs, merges, ..Self::default() }
    }

    fn go(&mut self, mut local: Local, to: Node) -> Result<Step, Trouble> {
        self.runs += 1;
        let mut printed = Vec::new();
        let exit = Line::Do(Op::Exit { status: 0 });
        for _ in 0..10_000 {
            let line = self.programs[local.program].get(local.line).unwrap_or(&exit);
            let op = match line {
                Line::Copy { from, to } => {
                    local.variables[*to] = local.variables[*from];
                    None
                }
                Line::Set(variable, value) => {
                    local.variables[*variable] = *value;
                    None
                }
                Line::Jump(line) => {
                    local.line = *line;
                    continue;
                }
                Line::If(variable, value, line) => {
                    if local.variables[*variable] == *value {
                        local.line = *line;
                        continue;
                    }
                    None
                }
                Line::Print(text) => {
                    printed.push(Printed { to: 1, bytes: text.as_bytes().to_vec() });
                    None
                }
                Line::Signals(signals) => {
                    local.signals = *signals;
                    None
                }
                Line::Handler(line) => {
                    local.handler = *line;
                    None
                }
                Line::Return => {
                    local.line = local.back.take().unwrap_or(local.line + 1);
                    continue;
                }
                Line::Spin => continue,
                Line::Assert(variable, value) => Some(Op::Assert { holds: local.variables[*variable] == *value }),
                Line::Do(op) => Some(op.clone()),
                Line::On(variable, op) => Some(with_id(op.clone(), local.variables[*variable])),
            };
            let Some(op) = op else {
                local.line += 1;
                continue;
            };
            let arrival = match self.known.get(&local) {
                Some(&node) if self.merges => Arrival::Same(node),
                _ => {
                    self.at.insert(to, local.clone());
                    let signals = local.signals;
                    self.known.insert(local, to);
                    Arrival::Stop(Stop { op, signals, handlers: Vec::new() })
                }
            };
            return Ok(Step { arrival, printed, wrote: Vec::new() });
        }
        Err(Trouble::Divergence)
    }
}

impl Grow for Scripts {
    fn start(&mut self, index: usize, _pid: Pid, to: Node) -> Result<Step, Trouble> {
        let local = Local {
            program: index,
            line: 0,
            variables: [0; VARIABLES],
            signals: Signals::default(),
            handler: 0,
            back: None,
        };
        self.go(local, to)
    }

    fn grow(&mut self, from: Node, outcome: &Outcome, to: Node) -> Result<Step, Trouble> {
        let mut local = self.at[&from].clone();
        if let Extra::Delivered { interrupted } = outcome.extra {
            local.back = Some(if interrupted { local.line + 1 } else { local.line });
            if interrupted {
                local.variables[0] = -4;
            }
            local.line = local.handler;
            return self.go(local, to);
        }
        if let Some(Line::Do(op)) = self.programs[local.program].get(local.line) {
            local.signals = local.signals.after(op);
        }
        if !matches!(self.programs[local.program].get(local.line), Some(Line::Assert(..))) {
            local.variables[0] = outcome.value;
            let given = match &outcome.extra {
                Extra::Bytes(bytes) | Extra::Message { bytes, .. } | Extra::Received { bytes, .. } => {
                    bytes.first().copied()
                }
                Extra::Status(status) => Some((status >> 8) as u8),
                _ => None,
            };
            local.variables[1] = given.map_or(-1, i64::from);
        }
        local.line += 1;
        if !outcome.signals.is_empty() {
            local.back = Some(local.line);
            local.line = local.handler;
        }
        self.go(local, to)
    }
}

/// The same operation on what has this id.
fn with_id(mut op: Op, value: i64) -> Op {
    let new = value as Id;
    match &mut op {
        Op::Sem(
            SemOp::Change { id, .. }
            | SemOp::Value { id, .. }
            | SemOp::Values { id }
            | SemOp::SetValue { id, .. }
            | SemOp::SetValues { id, .. }
            | SemOp::LastPid { id, .. }
            | SemOp::Waiting { id, .. }
            | SemOp::Size { id }
            | SemOp::Remove { id },
        )
        | Op::Msg(MsgOp::Send { id, .. } | MsgOp::Receive { id, .. } | MsgOp::Count { id } | MsgOp::Remove { id })
        | Op::Memory(
            MemoryOp::Attach { id } | MemoryOp::Detach { id } | MemoryOp::Size { id } | MemoryOp::Remove { id },
        )
        | Op::Wait { who: Who::Child(id), .. }
        | Op::Kill { to: id, .. }
        | Op::FutexWait { segment: id, .. }
        | Op::FutexWake { segment: id, .. } => *id = new,
        _ => {}
    }
    op
}
