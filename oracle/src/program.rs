//! Small concurrent programs over shared atomic locations, the input of the oracle. Modes and read-modify-writes are
//! those of RC11 (Lahav et al., PLDI 2017); every thread is loop-free code that starts at once.

use std::ops::Range;

/// A program: shared locations and threads that all start at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// What the program is called.
    pub name: String,
    /// Names of the locations.
    pub locations: Vec<String>,
    /// Initial values, one per location.
    pub init: Vec<u64>,
    /// The threads.
    pub threads: Vec<Thread>,
}

/// A thread: code over registers of its own, which start at 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The instructions, in program order.
    pub code: Vec<Instr>,
}

/// How an access or a fence orders others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Not atomic: may take part in a data race.
    Na,
    /// Relaxed.
    Rlx,
    /// Acquire.
    Acq,
    /// Release.
    Rel,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    Sc,
}

/// What a read-modify-write does with the old value; 64-bit, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Old plus operand.
    Add,
    /// Old minus operand.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand.
    Swap,
    /// The greater one.
    Max,
    /// The lesser one.
    Min,
}

/// An expression over a thread's registers. Comparisons and connectives give 0 or 1; anything but 0 counts as true.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Const(u64),
    /// A register.
    Reg(usize),
    /// Wrapping sum.
    Add(Box<Expr>, Box<Expr>),
    /// Equal.
    Eq(Box<Expr>, Box<Expr>),
    /// Different.
    Ne(Box<Expr>, Box<Expr>),
    /// Less than.
    Lt(Box<Expr>, Box<Expr>),
    /// Both are true.
    And(Box<Expr>, Box<Expr>),
    /// One at least is true.
    Or(Box<Expr>, Box<Expr>),
    /// Is false.
    Not(Box<Expr>),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    /// Reads a location.
    Load {
        /// Gets the value.
        reg: usize,
        /// Where.
        loc: usize,
        /// How.
        mode: Mode,
    },
    /// Writes a location.
    Store {
        /// Where.
        loc: usize,
        /// How.
        mode: Mode,
        /// What.
        value: Expr,
    },
    /// Reads and writes a location in one step.
    Rmw {
        /// Gets the old value.
        reg: usize,
        /// Where.
        loc: usize,
        /// How.
        mode: Mode,
        /// Makes the new value of the old one and the operand.
        op: Op,
        /// The operand.
        value: Expr,
    },
    /// Compares and swaps. A failure is a plain read.
    Cas {
        /// Gets the old value.
        reg: usize,
        /// Gets 1 after a success and 0 after a failure.
        ok: Option<usize>,
        /// Where.
        loc: usize,
        /// How, if it succeeds.
        success: Mode,
        /// How, if it fails.
        failure: Mode,
        /// Succeeds if this is the old value.
        expected: Expr,
        /// Written by a success.
        new: Expr,
        /// May fail although the old value is the expected one.
        weak: bool,
    },
    /// A fence.
    Fence {
        /// How.
        mode: Mode,
    },
    /// Computes a register.
    Set {
        /// Gets the value.
        reg: usize,
        /// What.
        value: Expr,
    },
    /// A branch.
    If {
        /// Decides.
        cond: Expr,
        /// Runs if the condition is true.
        then: Vec<Instr>,
        /// Runs if it is false.
        otherwise: Vec<Instr>,
    },
    /// Blocks the thread for good if the condition is false; such an execution is never complete.
    Assume {
        /// The condition.
        cond: Expr,
    },
    /// Takes a mutex: an acquire read-modify-write that reads 0 and writes 1, and waits otherwise.
    Lock {
        /// The mutex.
        loc: usize,
    },
    /// Gives a mutex back: a release store of 0.
    Unlock {
        /// The mutex.
        loc: usize,
    },
}

impl Mode {
    /// Whether a read or fence of this mode acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Mode::Acq | Mode::AcqRel | Mode::Sc)
    }

    /// Whether a write or fence of this mode releases.
    pub fn releases(self) -> bool {
        matches!(self, Mode::Rel | Mode::AcqRel | Mode::Sc)
    }

    /// The mode of the reading half of a read-modify-write of this mode.
    pub fn read_half(self) -> Mode {
        match self {
            Mode::Rel => Mode::Rlx,
            Mode::AcqRel => Mode::Acq,
            other => other,
        }
    }

    /// The mode of the writing half of a read-modify-write of this mode.
    pub fn write_half(self) -> Mode {
        match self {
            Mode::Acq => Mode::Rlx,
            Mode::AcqRel => Mode::Rel,
            other => other,
        }
    }
}

impl Op {
    /// The new value.
    pub fn apply(self, old: u64, operand: u64) -> u64 {
        match self {
            Op::Add => old.wrapping_add(operand),
            Op::Sub => old.wrapping_sub(operand),
            Op::And => old & operand,
            Op::Or => old | operand,
            Op::Xor => old ^ operand,
            Op::Swap => operand,
            Op::Max => old.max(operand),
            Op::Min => old.min(operand),
        }
    }
}

impl Expr {
    /// The value under these registers; registers beyond the slice are 0.
    pub fn eval(&self, regs: &[u64]) -> u64 {
        match self {
            Expr::Const(value) => *value,
            Expr::Reg(reg) => regs.get(*reg).copied().unwrap_or(0),
            Expr::Add(a, b) => a.eval(regs).wrapping_add(b.eval(regs)),
            Expr::Eq(a, b) => u64::from(a.eval(regs) == b.eval(regs)),
            Expr::Ne(a, b) => u64::from(a.eval(regs) != b.eval(regs)),
            Expr::Lt(a, b) => u64::from(a.eval(regs) < b.eval(regs)),
            Expr::And(a, b) => u64::from(a.eval(regs) != 0 && b.eval(regs) != 0),
            Expr::Or(a, b) => u64::from(a.eval(regs) != 0 || b.eval(regs) != 0),
            Expr::Not(a) => u64::from(a.eval(regs) == 0),
        }
    }

    /// One more than the greatest register mentioned.
    fn registers(&self) -> usize {
        match self {
            Expr::Const(_) => 0,
            Expr::Reg(reg) => reg + 1,
            Expr::Not(a) => a.registers(),
            Expr::Add(a, b) | Expr::Eq(a, b) | Expr::Ne(a, b) | Expr::Lt(a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
                a.registers().max(b.registers())
            }
        }
    }
}

impl Thread {
    /// How many registers the thread has: one more than the greatest one mentioned.
    pub fn registers(&self) -> usize {
        fn of(code: &[Instr]) -> usize {
            let each = code.iter().map(|instr| match instr {
                Instr::Load { reg, .. } => reg + 1,
                Instr::Store { value, .. } => value.registers(),
                Instr::Rmw { reg, value, .. } | Instr::Set { reg, value } => value.registers().max(reg + 1),
                Instr::Cas { reg, ok, expected, new, .. } => {
                    let ok = ok.map_or(0, |ok| ok + 1);
                    expected.registers().max(new.registers()).max(reg + 1).max(ok)
                }
                Instr::If { cond, then, otherwise } => cond.registers().max(of(then)).max(of(otherwise)),
                Instr::Assume { cond } => cond.registers(),
                Instr::Fence { .. } | Instr::Lock { .. } | Instr::Unlock { .. } => 0,
            });
            each.max().unwrap_or(0)
        }
        of(&self.code)
    }
}

/// The symmetric classes of a program: its threads cut into maximal runs of consecutive threads with equal code.
pub fn classes(program: &Program) -> Vec<Range<usize>> {
    let mut classes: Vec<Range<usize>> = Vec::new();
    for (index, thread) in program.threads.iter().enumerate() {
        match classes.last_mut() {
            Some(class) if program.threads[class.start] == *thread => class.end = index + 1,
            _ => classes.push(index..index + 1),
        }
    }
    classes
}
