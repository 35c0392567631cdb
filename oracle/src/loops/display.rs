//! Programs with loops as text for people. The notation is that of the loop-free language, with `loop`, `break` and
//! `assert`.

use std::fmt::{self, Display, Formatter};

use super::{Program, Stmt};
use crate::program::Instr;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "init {:?} mutexes {:?} plain {:?}", self.init, self.mutexes, self.plain)?;
        for thread in &self.threads {
            writeln!(f, "thread {{")?;
            block(f, thread, 1)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

fn block(f: &mut Formatter<'_>, code: &[Stmt], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for stmt in code {
        f.write_str(&indent)?;
        match stmt {
            Stmt::Access(instr) => writeln!(f, "{}", Access(instr))?,
            Stmt::TryLock { ok, loc } => writeln!(f, "r{ok} = trylock x{loc}")?,
            Stmt::Set { reg, value } => writeln!(f, "r{reg} = {value}")?,
            Stmt::Break => writeln!(f, "break")?,
            Stmt::Assert { cond } => writeln!(f, "assert {cond}")?,
            Stmt::Loop { body } => {
                writeln!(f, "loop {{")?;
                block(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")?;
            }
            Stmt::If { cond, then, otherwise } => {
                writeln!(f, "if {cond} {{")?;
                block(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{indent}}} else {{")?;
                    block(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{indent}}}")?;
            }
        }
    }
    Ok(())
}

/// An access with the locations called `x0`, `x1`, and so on.
struct Access<'a>(&'a Instr);

impl Display for Access<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = (0..8).map(|loc| format!("x{loc}")).collect();
        crate::display::simple(f, self.0, &names)
    }
}
