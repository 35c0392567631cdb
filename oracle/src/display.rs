//! Programs as text, in the syntax that [`parse`](crate::parse()) reads. The notation is that of litmus tests written
//! sideways (Alglave, Maranget, Tautschnig, TOPLAS 2014): one block of code for each thread.

use std::fmt::{self, Display, Formatter};

use crate::program::{Expr, Instr, Mode, Op, Program, classes};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "name {}", self.name)?;
        f.write_str("init")?;
        self.locations.iter().zip(&self.init).try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        writeln!(f)?;
        for class in classes(self) {
            match class.len() {
                1 => writeln!(f, "thread {{")?,
                several => writeln!(f, "threads {several} {{")?,
            }
            block(f, &self.threads[class.start].code, &self.locations, 1)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

/// Writes the instructions of a block, one per line.
fn block(f: &mut Formatter<'_>, code: &[Instr], names: &[String], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for instr in code {
        f.write_str(&indent)?;
        match instr {
            Instr::If { cond, then, otherwise } => {
                writeln!(f, "if {cond} {{")?;
                block(f, then, names, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{indent}}} else {{")?;
                    block(f, otherwise, names, depth + 1)?;
                }
                writeln!(f, "{indent}}}")?;
            }
            other => {
                simple(f, other, names)?;
                writeln!(f)?;
            }
        }
    }
    Ok(())
}

/// Writes an instruction that has no block in it.
pub(crate) fn simple(f: &mut Formatter<'_>, instr: &Instr, names: &[String]) -> fmt::Result {
    let name = |loc: usize| names.get(loc).map_or("?", String::as_str);
    match instr {
        Instr::Load { reg, loc, mode } => write!(f, "r{reg} = load {mode} {}", name(*loc)),
        Instr::Store { loc, mode, value } => write!(f, "store {mode} {} {value}", name(*loc)),
        Instr::Rmw { reg, loc, mode, op, value } => write!(f, "r{reg} = {op} {mode} {} {value}", name(*loc)),
        Instr::Cas { reg, ok, loc, success, failure, expected, new, weak } => {
            write!(f, "r{reg}")?;
            ok.iter().try_for_each(|ok| write!(f, ", r{ok}"))?;
            let cas = if *weak { "cas_weak" } else { "cas" };
            write!(f, " = {cas} {success} {failure} {} {expected} {new}", name(*loc))
        }
        Instr::Fence { mode } => write!(f, "fence {mode}"),
        Instr::Set { reg, value } => write!(f, "r{reg} = set {value}"),
        Instr::Assume { cond } => write!(f, "assume {cond}"),
        Instr::Lock { loc } => write!(f, "lock {}", name(*loc)),
        Instr::Unlock { loc } => write!(f, "unlock {}", name(*loc)),
        Instr::If { .. } => Ok(()),
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Reg(reg) => write!(f, "r{reg}"),
            Expr::Add(a, b) => write!(f, "({a} + {b})"),
            Expr::Eq(a, b) => write!(f, "({a} == {b})"),
            Expr::Ne(a, b) => write!(f, "({a} != {b})"),
            Expr::Lt(a, b) => write!(f, "({a} < {b})"),
            Expr::And(a, b) => write!(f, "({a} && {b})"),
            Expr::Or(a, b) => write!(f, "({a} || {b})"),
            Expr::Not(a) => write!(f, "!{a}"),
        }
    }
}

impl Display for Mode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Na => "na",
            Mode::Rlx => "rlx",
            Mode::Acq => "acq",
            Mode::Rel => "rel",
            Mode::AcqRel => "acqrel",
            Mode::Sc => "sc",
        })
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Op::Add => "add",
            Op::Sub => "sub",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Swap => "swap",
            Op::Max => "max",
            Op::Min => "min",
        })
    }
}
