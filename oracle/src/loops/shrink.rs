//! Smaller programs that still have a property. Statements are taken out one at a time, and blocks are put in place of
//! branches and loops, as long as that helps (delta debugging, Zeller and Hildebrandt, 2002, in its simplest form).

use super::{Program, Stmt};

/// A program that has the property, and of which no single part can be taken out. Programs whose loops could run without
/// an access are not asked about.
pub fn shrink(program: &Program, mut keeps: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| is_sensible(candidate) && keeps(candidate));
        let Some(smaller) = smaller else { return best };
        best = smaller;
    }
}

fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for thread in 0..program.threads.len() {
        if program.threads.len() > 1 {
            let mut without = program.clone();
            without.threads.remove(thread);
            found.push(without);
        }
        for code in blocks(&program.threads[thread]) {
            let mut changed = program.clone();
            changed.threads[thread] = code;
            found.push(changed);
        }
    }
    found
}

/// The block with one thing simpler.
fn blocks(block: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    for (index, stmt) in block.iter().enumerate() {
        let mut with = |instead: Vec<Stmt>| {
            let mut changed = block.to_vec();
            changed.splice(index..=index, instead);
            found.push(changed);
        };
        with(Vec::new());
        match stmt {
            Stmt::If { cond, then, otherwise } => {
                with(then.clone());
                with(otherwise.clone());
                let same = |then, otherwise| Stmt::If { cond: cond.clone(), then, otherwise };
                blocks(then).into_iter().for_each(|then| with(vec![same(then, otherwise.clone())]));
                blocks(otherwise).into_iter().for_each(|otherwise| with(vec![same(then.clone(), otherwise)]));
            }
            Stmt::Loop { body } => blocks(body).into_iter().for_each(|body| with(vec![Stmt::Loop { body }])),
            _ => {}
        }
    }
    found
}

/// Every round of a loop begins with an access or comes to one, and every `Break` is in a loop.
fn is_sensible(program: &Program) -> bool {
    program.threads.iter().all(|thread| check(thread, false).is_some())
}

/// Whether every path through the block has an access; `None` if something in it is not sensible.
fn check(block: &[Stmt], in_loop: bool) -> Option<bool> {
    let mut accesses = false;
    for stmt in block {
        accesses |= match stmt {
            Stmt::Access(_) | Stmt::TryLock { .. } => true,
            Stmt::Set { .. } | Stmt::Assert { .. } => false,
            Stmt::Break if in_loop => true,
            Stmt::Break => return None,
            Stmt::If { then, otherwise, .. } => check(then, in_loop)? & check(otherwise, in_loop)?,
            Stmt::Loop { body } if check(body, true)? => true,
            Stmt::Loop { .. } => return None,
        };
    }
    Some(accesses)
}
