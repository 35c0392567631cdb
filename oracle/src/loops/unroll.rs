//! Loops written out up to a bound, in the loop-free language. A thread that would go on beyond stops there and says at
//! which loop; so does one whose assertion fails.

use super::{Program, REGISTERS, Stmt, loops_in};
use crate::program::{self, Expr, Instr, Mode, Thread};

/// The register that says how a thread has ended: 0 if it has come to its end, [`FAILED`], or [`CUT`] and more.
pub(super) const OVER: usize = REGISTERS;
/// An assertion has failed.
pub(super) const FAILED: u64 = 1;
/// Added to the number of the loop that was cut off; loops are numbered in the order in which they are written.
pub(super) const CUT: u64 = 2;

/// The program with so many rounds of every loop.
pub fn unroll(program: &Program, bound: usize) -> program::Program {
    let names = (0..program.init.len()).map(|loc| format!("x{loc}"));
    let thread = |code: &Vec<Stmt>| {
        let mut out = vec![set(OVER, 0)];
        out.extend(Unroll { bound, depth: 0 }.block(code, 0));
        Thread { code: out }
    };
    program::Program {
        name: "unrolled".to_string(),
        locations: names.collect(),
        init: program.init.clone(),
        threads: program.threads.iter().map(thread).collect(),
    }
}

fn set(reg: usize, value: u64) -> Instr {
    Instr::Set { reg, value: Expr::Const(value) }
}

struct Unroll {
    bound: usize,
    /// How many loops are around.
    depth: usize,
}

impl Unroll {
    /// A block whose first loop has this number.
    fn block(&mut self, code: &[Stmt], mut number: usize) -> Vec<Instr> {
        let mut out = Vec::new();
        for (index, stmt) in code.iter().enumerate() {
            out.extend(self.stmt(stmt, number));
            number += loops_in(std::slice::from_ref(stmt));
            if may_leave(stmt) && index + 1 < code.len() {
                let then = self.block(&code[index + 1..], number);
                out.push(self.if_going_on(then));
                break;
            }
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, number: usize) -> Vec<Instr> {
        match stmt {
            Stmt::Access(instr) => vec![instr.clone()],
            Stmt::TryLock { ok, loc } => vec![try_lock(*ok, *loc)],
            Stmt::Set { reg, value } => vec![Instr::Set { reg: *reg, value: value.clone() }],
            Stmt::If { cond, then, otherwise } => {
                let (cond, after) = (cond.clone(), number + loops_in(then));
                vec![Instr::If { cond, then: self.block(then, number), otherwise: self.block(otherwise, after) }]
            }
            Stmt::Break => vec![set(left(self.depth), 1)],
            Stmt::Assert { cond } => {
                vec![Instr::If { cond: cond.clone(), then: Vec::new(), otherwise: vec![set(OVER, FAILED)] }]
            }
            Stmt::Loop { body } => {
                self.depth += 1;
                let mut rounds = vec![self.if_going_on(vec![set(OVER, CUT + number as u64)])];
                for _ in 0..self.bound {
                    let mut round = self.block(body, number + 1);
                    round.push(self.if_going_on(rounds));
                    rounds = round;
                }
                let mut out = vec![set(left(self.depth), 0)];
                out.extend(rounds);
                self.depth -= 1;
                out
            }
        }
    }

    /// The instructions, if neither the innermost loop nor the thread is over.
    fn if_going_on(&self, then: Vec<Instr>) -> Instr {
        let over = Expr::Reg(OVER);
        let cond = match self.depth {
            0 => Expr::Not(Box::new(over)),
            depth => Expr::Not(Box::new(Expr::Or(Box::new(over), Box::new(Expr::Reg(left(depth)))))),
        };
        Instr::If { cond, then, otherwise: Vec::new() }
    }
}

/// To take a mutex if it is free is a compare-and-swap. What it reads goes nowhere.
pub(super) fn try_lock(ok: usize, loc: usize) -> Instr {
    let (expected, new) = (Expr::Const(0), Expr::Const(1));
    Instr::Cas { reg: ok, ok: Some(ok), loc, success: Mode::Acq, failure: Mode::Rlx, expected, new, weak: false }
}

/// The register that says that the loop of this depth was left.
fn left(depth: usize) -> usize {
    OVER + depth
}

/// Whether what comes behind may not run.
fn may_leave(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Break | Stmt::Assert { .. } | Stmt::Loop { .. } => true,
        Stmt::If { then, otherwise, .. } => then.iter().chain(otherwise).any(may_leave),
        Stmt::Access(_) | Stmt::TryLock { .. } | Stmt::Set { .. } => false,
    }
}
