//! The interleaving machine: memory is an array, and one thread at a time takes one step (Lamport, 1979). All
//! interleavings are run; two that have led to the same partial execution are continued only once.

use std::collections::{BTreeSet, HashSet};

use crate::execution::{Execution, Source};
use crate::program::{Instr, Program};
use crate::thread::{Local, Next, location, reads};

/// A state of the machine: the threads, the last write and the value of each location, and what has happened.
#[derive(Clone)]
struct State<'p> {
    locals: Vec<Local<'p>>,
    memory: Vec<(Source, u64)>,
    execution: Execution,
}

/// All complete executions of the program on a machine that interleaves the threads.
pub fn interleavings(program: &Program) -> BTreeSet<Execution> {
    let mut found = BTreeSet::new();
    run(program, |state, next| {
        if next.iter().all(|next| *next == Next::Done) {
            found.insert(state.execution.clone());
        }
    });
    found
}

/// Whether the threads can get stuck on locks: at the end some wait for a mutex that nobody gives back, and the rest
/// has finished. An execution in which an assumption failed does not count.
pub fn stuck(program: &Program) -> bool {
    let mut any = false;
    run(program, |_, next| {
        let lock = |next: &Next| matches!(next, Next::Access(Instr::Lock { .. }));
        any |= next.iter().any(lock) && next.iter().all(|next| lock(next) || *next == Next::Done);
    });
    any
}

/// Runs all interleavings and calls `at_end` where no thread can take a step.
fn run<'p>(program: &'p Program, mut at_end: impl FnMut(&State<'p>, &[Next<'p>])) {
    let mut todo = vec![State {
        locals: program.threads.iter().map(Local::new).collect(),
        memory: program.init.iter().map(|&value| (Source::Init, value)).collect(),
        execution: Execution {
            threads: vec![Vec::new(); program.threads.len()],
            co: vec![Vec::new(); program.init.len()],
        },
    }];
    let mut seen = HashSet::new();
    while let Some(mut state) = todo.pop() {
        let next: Vec<Next> = state.locals.iter_mut().map(Local::next).collect();
        let mut can_step = false;
        for (thread, next) in next.iter().enumerate() {
            for after in steps(&state, thread, *next) {
                can_step = true;
                if seen.insert(after.execution.clone()) {
                    todo.push(after);
                }
            }
        }
        if !can_step {
            at_end(&state, &next);
        }
    }
}

/// What the machine may be in after a step of the thread.
fn steps<'p>(state: &State<'p>, thread: usize, next: Next<'p>) -> Vec<State<'p>> {
    let Next::Access(instr) = next else { return Vec::new() };
    let source = location(instr).filter(|_| reads(instr)).map(|loc| state.memory[loc]);
    let step = |spurious| {
        let mut after = state.clone();
        let access = after.locals[thread].perform(source, spurious)?.access;
        let place = (thread, after.execution.threads[thread].len());
        after.execution.threads[thread].push(access);
        if let (Some(loc), Some(value)) = (access.loc, access.written) {
            after.memory[loc] = (Source::Write(place.0, place.1), value);
            after.execution.co[loc].push(place);
        }
        Some(after)
    };
    [false, true].into_iter().filter_map(step).collect()
}
