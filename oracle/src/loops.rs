//! Small concurrent programs with loops, and what can come of them by brute force: every round is followed, up to a
//! bound. It follows no rule about waiting; that is what such rules are compared with.
//!
//! Under SC and TSO the program runs on a machine whose states are remembered, so that loops need no bound. Under RA and
//! RC11 loops are unrolled into the loop-free language, and all executions are enumerated.

mod c;
mod display;
mod machine;
pub mod random;
mod shrink;
mod unroll;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::axioms::{MemoryModel, race};
use crate::enumerate::{TooLarge, executions_within};
use crate::interleave::Outcome;
use crate::program::{Expr, Instr};

pub use c::{Layout, c_source};
pub use shrink::shrink;
pub use unroll::unroll;

/// How many registers every thread has.
pub const REGISTERS: usize = 6;

/// A program: shared locations and threads that all start at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// Initial values, one per location.
    pub init: Vec<u64>,
    /// Which locations are a mutex; they are used by `Lock`, `Unlock` and [`Stmt::TryLock`] only.
    pub mutexes: Vec<usize>,
    /// Which locations are not atomic; they are used by loads and stores of mode `Na` only.
    pub plain: Vec<usize>,
    /// The code of each thread over [`REGISTERS`] registers of its own, which start at 0.
    pub threads: Vec<Vec<Stmt>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// A load, store, read-modify-write, compare-and-swap, fence, lock or unlock.
    Access(Instr),
    /// Takes a mutex if it is free.
    TryLock {
        /// Gets 1 if it was free and 0 otherwise.
        ok: usize,
        /// The mutex.
        loc: usize,
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
        then: Vec<Stmt>,
        /// Runs if it is false.
        otherwise: Vec<Stmt>,
    },
    /// Runs again and again, until a `Break` of its own.
    Loop {
        /// One round.
        body: Vec<Stmt>,
    },
    /// Leaves the innermost loop.
    Break,
    /// An error if the condition is false.
    Assert {
        /// The condition.
        cond: Expr,
    },
}

/// What can come of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The final registers and memory of all executions that end.
    pub finals: BTreeSet<Outcome>,
    /// Whether an assertion fails in some execution.
    pub fails: bool,
    /// Whether some execution comes to a point from which it cannot end, however it goes on.
    pub stuck: bool,
    /// Whether some execution has a data race.
    pub races: bool,
}

/// What can come of the program under the model. Threads follow loops for so many rounds, where a bound is needed; to
/// look at more than `limit` executions or states is too much.
pub fn answer(program: &Program, model: MemoryModel, bound: usize, limit: usize) -> Result<Answer, TooLarge> {
    let mut answer = match model {
        MemoryModel::Tso => machine::run(program, true, limit)?,
        // What happens under SC can happen under every model.
        MemoryModel::Sc | MemoryModel::Ra | MemoryModel::Rc11 => machine::run(program, false, limit)?,
    };
    if matches!(model, MemoryModel::Ra | MemoryModel::Rc11) || !program.plain.is_empty() {
        enumerate(program, model, bound, limit, &mut answer)?;
    }
    Ok(answer)
}

/// Adds what the executions of the unrolled program show.
fn enumerate(
    program: &Program,
    model: MemoryModel,
    bound: usize,
    limit: usize,
    answer: &mut Answer,
) -> Result<(), TooLarge> {
    let unrolled = unroll(program, bound);
    let mut hopeless = machine::Hopeless::new(program, limit);
    for execution in executions_within(&unrolled, model, limit)? {
        let registers = execution.registers(&unrolled).expect("an execution of the program");
        let memory = execution.memory(&unrolled);
        answer.races |= !program.plain.is_empty() && race(&unrolled, &execution, model);
        let over: Vec<u64> = registers.iter().map(|registers| registers[unroll::OVER]).collect();
        if over.contains(&unroll::FAILED) {
            answer.fails = true;
            continue;
        }
        let registers: Vec<Vec<u64>> = registers.iter().map(|all| all[..REGISTERS].to_vec()).collect();
        if over.iter().all(|&over| over == 0) {
            answer.finals.insert(Outcome { registers, memory });
        } else {
            answer.stuck |= hopeless.is_hopeless(&over, registers, memory)?;
        }
    }
    Ok(())
}

impl Program {
    /// The threads cut into maximal runs of consecutive threads with equal code.
    pub fn classes(&self) -> Vec<Range<usize>> {
        let mut classes: Vec<Range<usize>> = Vec::new();
        for (index, thread) in self.threads.iter().enumerate() {
            match classes.last_mut() {
                Some(class) if self.threads[class.start] == *thread => class.end = index + 1,
                _ => classes.push(index..index + 1),
            }
        }
        classes
    }

    /// The outcome with like threads in a fixed order, the same for all outcomes that differ in which of them did what.
    pub fn canonical(&self, outcome: &Outcome) -> Outcome {
        let mut outcome = outcome.clone();
        self.classes().into_iter().for_each(|class| outcome.registers[class].sort());
        outcome
    }
}

/// How many loops there are in the code.
fn loops_in(code: &[Stmt]) -> usize {
    let each = code.iter().map(|stmt| match stmt {
        Stmt::Loop { body } => 1 + loops_in(body),
        Stmt::If { then, otherwise, .. } => loops_in(then) + loops_in(otherwise),
        _ => 0,
    });
    each.sum()
}
