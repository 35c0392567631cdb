//! The x86 machine: each thread has a first-in-first-out buffer of its writes and reads its own ones early. After Owens,
//! Sarkar, Sewell (TPHOLs 2009); it gives outcomes only, to be compared with those of the axioms.

use std::collections::{BTreeSet, HashSet, VecDeque};

use crate::execution::{Kind, Source};
use crate::interleave::Outcome;
use crate::program::{Instr, Mode, Program};
use crate::thread::{Local, Next, location, reads};

/// A state of the machine.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State<'p> {
    locals: Vec<Local<'p>>,
    /// Writes that have not reached memory, the oldest first: location and value.
    buffers: Vec<VecDeque<(usize, u64)>>,
    /// Threads that must empty their buffers before they go on, because an SC store came last.
    draining: Vec<bool>,
    memory: Vec<u64>,
}

/// All outcomes of the program on a machine with store buffers.
///
/// As in the axioms, a failed compare-and-swap is a mere read; a real machine would empty the buffer first.
pub fn buffered(program: &Program) -> BTreeSet<Outcome> {
    let threads = program.threads.len();
    let mut todo = vec![State {
        locals: program.threads.iter().map(Local::new).collect(),
        buffers: vec![VecDeque::new(); threads],
        draining: vec![false; threads],
        memory: program.init.clone(),
    }];
    let mut seen = HashSet::new();
    let mut found = BTreeSet::new();
    while let Some(mut state) = todo.pop() {
        let next: Vec<Next> = state.locals.iter_mut().map(Local::next).collect();
        if !seen.insert(state.clone()) {
            continue;
        }
        if next.iter().all(|next| *next == Next::Done) && state.buffers.iter().all(VecDeque::is_empty) {
            let registers = state.locals.iter().map(|local| local.registers.clone()).collect();
            found.insert(Outcome { registers, memory: state.memory.clone() });
        }
        for (thread, next) in next.iter().enumerate() {
            todo.extend(flush(&state, thread));
            if let Next::Access(instr) = next {
                todo.extend([false, true].into_iter().filter_map(|spurious| step(&state, thread, instr, spurious)));
            }
        }
    }
    found
}

/// The oldest write of a thread's buffer reaches memory.
fn flush<'p>(state: &State<'p>, thread: usize) -> Option<State<'p>> {
    let mut after = state.clone();
    let (loc, value) = after.buffers[thread].pop_front()?;
    after.memory[loc] = value;
    after.draining[thread] &= !after.buffers[thread].is_empty();
    Some(after)
}

/// The thread performs its next access, if it can now.
fn step<'p>(state: &State<'p>, thread: usize, instr: &Instr, spurious: bool) -> Option<State<'p>> {
    if state.draining[thread] {
        return None;
    }
    let mut after = state.clone();
    let buffer = &mut after.buffers[thread];
    let visible = |loc: usize| {
        let own = buffer.iter().rev().find(|(at, _)| *at == loc);
        own.map_or(state.memory[loc], |(_, value)| *value)
    };
    // Where a value comes from does not matter here, so any source will do.
    let source = location(instr).filter(|_| reads(instr)).map(|loc| (Source::Init, visible(loc)));
    let entry = after.locals[thread].perform(source, spurious)?;
    let is_fence = entry.access.kind == Kind::Fence && entry.mode == Mode::Sc;
    if (is_fence || entry.access.kind == Kind::Update) && !buffer.is_empty() {
        return None;
    }
    if let (Some(loc), Some(value)) = (entry.access.loc, entry.access.written) {
        match entry.access.kind {
            Kind::Update => after.memory[loc] = value,
            _ => buffer.push_back((loc, value)),
        }
        after.draining[thread] = entry.access.kind == Kind::Write && entry.mode == Mode::Sc;
    }
    Some(after)
}
