//! Programs with loops on a machine that interleaves threads (Lamport, 1979), with or without store buffers (Owens,
//! Sarkar, Sewell, TPHOLs 2009). States are remembered, so loops end when nothing new comes of them.

use std::collections::{HashMap, VecDeque};

use super::unroll::{CUT, try_lock};
use super::{Answer, Program, REGISTERS, Stmt};
use crate::enumerate::TooLarge;
use crate::interleave::Outcome;
use crate::program::{Expr, Instr, Mode};

/// How many writes a store buffer holds. A machine whose buffers are shorter does less, and nothing else.
const BUFFER: usize = 4;

/// Code with jumps.
enum Code {
    Access(Instr),
    Set(usize, Expr),
    /// Jumps if the condition is false.
    Unless(Expr, usize),
    Jump(usize),
    Assert(Expr),
    End,
}

/// The code of a thread, and where each of its loops begins.
#[derive(Default)]
struct Flat {
    code: Vec<Code>,
    heads: Vec<usize>,
}

/// A thread: where it is, and its registers.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Local {
    at: usize,
    registers: [u64; REGISTERS],
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    locals: Vec<Local>,
    memory: Vec<u64>,
    /// Writes that have not reached memory, the oldest first.
    buffers: Vec<VecDeque<(usize, u64)>>,
    /// Threads that must empty their buffers before they go on, because an SC store came last.
    draining: Vec<bool>,
}

/// How far a thread is.
#[derive(PartialEq, Eq)]
enum Point {
    Access,
    Done,
    Failed,
}

/// What can come of the program, data races aside.
pub(super) fn run(program: &Program, buffers: bool, limit: usize) -> Result<Answer, TooLarge> {
    let code: Vec<Flat> = program.threads.iter().map(|thread| flatten(thread)).collect();
    let locals = vec![Local { at: 0, registers: [0; REGISTERS] }; code.len()];
    explore(&code, State::new(locals, program.init.clone()), buffers, limit)
}

/// Finds out whether threads that were cut off in loops could have gone on to their ends. By then every write has come to
/// everybody, so the threads can be interleaved.
pub(super) struct Hopeless {
    code: Vec<Flat>,
    known: HashMap<State, bool>,
    limit: usize,
}

impl Hopeless {
    pub(super) fn new(program: &Program, limit: usize) -> Self {
        let code = program.threads.iter().map(|thread| flatten(thread)).collect();
        Hopeless { code, known: HashMap::new(), limit }
    }

    /// `over` says for each thread at which loop it was cut off, or 0 if it has ended.
    pub(super) fn is_hopeless(
        &mut self,
        over: &[u64],
        registers: Vec<Vec<u64>>,
        memory: Vec<u64>,
    ) -> Result<bool, TooLarge> {
        let local = |((over, registers), flat): ((&u64, Vec<u64>), &Flat)| {
            let at = over.checked_sub(CUT).map_or(flat.code.len() - 1, |number| flat.heads[number as usize]);
            Local { at, registers: registers.try_into().expect("so many registers") }
        };
        let locals = over.iter().zip(registers).zip(&self.code).map(local).collect();
        let state = State::new(locals, memory);
        if let Some(&known) = self.known.get(&state) {
            return Ok(known);
        }
        let hopeless = explore(&self.code, state.clone(), false, self.limit)?.stuck;
        self.known.insert(state, hopeless);
        Ok(hopeless)
    }
}

fn flatten(thread: &[Stmt]) -> Flat {
    let mut flat = Flat::default();
    flat.block(thread, &mut Vec::new());
    flat.code.push(Code::End);
    flat
}

impl Flat {
    /// Adds a block. `breaks` gets the places of jumps out of the innermost loop.
    fn block(&mut self, block: &[Stmt], breaks: &mut Vec<usize>) {
        for stmt in block {
            match stmt {
                Stmt::Access(instr) => self.code.push(Code::Access(instr.clone())),
                Stmt::TryLock { ok, loc } => self.code.push(Code::Access(try_lock(*ok, *loc))),
                Stmt::Set { reg, value } => self.code.push(Code::Set(*reg, value.clone())),
                Stmt::Assert { cond } => self.code.push(Code::Assert(cond.clone())),
                Stmt::Break => {
                    breaks.push(self.code.len());
                    self.code.push(Code::End);
                }
                Stmt::If { cond, then, otherwise } => {
                    let branch = self.code.len();
                    self.code.push(Code::End);
                    self.block(then, breaks);
                    let over = self.code.len();
                    self.code.push(Code::End);
                    self.code[branch] = Code::Unless(cond.clone(), self.code.len());
                    self.block(otherwise, breaks);
                    self.code[over] = Code::Jump(self.code.len());
                }
                Stmt::Loop { body } => {
                    let (head, mut own) = (self.code.len(), Vec::new());
                    self.heads.push(head);
                    self.block(body, &mut own);
                    self.code.push(Code::Jump(head));
                    for place in own {
                        self.code[place] = Code::Jump(self.code.len());
                    }
                }
            }
        }
    }
}

impl State {
    fn new(locals: Vec<Local>, memory: Vec<u64>) -> Self {
        let threads = locals.len();
        State { locals, memory, buffers: vec![VecDeque::new(); threads], draining: vec![false; threads] }
    }
}

/// Goes on to the next access, which is the only thing that others can see.
fn advance(flat: &Flat, local: &mut Local) -> Result<Point, TooLarge> {
    // A round of a loop in which nothing is accessed would go on forever.
    for _ in 0..10_000 {
        match &flat.code[local.at] {
            Code::Access(_) => return Ok(Point::Access),
            Code::End => return Ok(Point::Done),
            Code::Set(reg, value) => local.registers[*reg] = value.eval(&local.registers),
            Code::Assert(cond) if cond.eval(&local.registers) == 0 => return Ok(Point::Failed),
            Code::Unless(cond, target) if cond.eval(&local.registers) == 0 => {
                local.at = *target;
                continue;
            }
            Code::Jump(target) => {
                local.at = *target;
                continue;
            }
            Code::Assert(_) | Code::Unless(..) => {}
        }
        local.at += 1;
    }
    Err(TooLarge)
}

/// All that comes of a state.
fn explore(code: &[Flat], mut start: State, buffers: bool, limit: usize) -> Result<Answer, TooLarge> {
    let mut answer = Answer::default();
    for (flat, local) in code.iter().zip(&mut start.locals) {
        advance(flat, local)?;
    }
    let mut numbers = HashMap::from([(start.clone(), 0)]);
    let mut todo = vec![(start, 0)];
    let (mut before, mut ends): (Vec<Vec<usize>>, Vec<usize>) = (vec![Vec::new()], Vec::new());
    while let Some((state, number)) = todo.pop() {
        let mut points = Vec::new();
        for (flat, local) in code.iter().zip(&state.locals) {
            points.push(advance(flat, &mut local.clone())?);
        }
        if points.contains(&Point::Failed) {
            answer.fails = true;
            ends.push(number);
            continue;
        }
        if points.iter().all(|point| *point == Point::Done) && state.buffers.iter().all(VecDeque::is_empty) {
            let registers = state.locals.iter().map(|local| local.registers.to_vec()).collect();
            answer.finals.insert(Outcome { registers, memory: state.memory.clone() });
            ends.push(number);
            continue;
        }
        let mut next = Vec::new();
        for (thread, point) in points.iter().enumerate() {
            next.extend(flush(&state, thread));
            if *point == Point::Access {
                next.extend(step(code, &state, thread, buffers)?);
            }
        }
        for state in next {
            let count = numbers.len();
            let target = *numbers.entry(state.clone()).or_insert(count);
            if target == count {
                if count == limit {
                    return Err(TooLarge);
                }
                before.push(Vec::new());
                todo.push((state, target));
            }
            before[target].push(number);
        }
    }
    let mut hopeful = vec![false; before.len()];
    while let Some(number) = ends.pop() {
        if !std::mem::replace(&mut hopeful[number], true) {
            ends.extend(&before[number]);
        }
    }
    answer.stuck = hopeful.contains(&false);
    Ok(answer)
}

/// The oldest write of a thread's buffer reaches memory.
fn flush(state: &State, thread: usize) -> Option<State> {
    let mut after = state.clone();
    let (loc, value) = after.buffers[thread].pop_front()?;
    after.memory[loc] = value;
    after.draining[thread] &= !after.buffers[thread].is_empty();
    Some(after)
}

/// The thread performs its next access, if it can now.
fn step(code: &[Flat], state: &State, thread: usize, buffers: bool) -> Result<Option<State>, TooLarge> {
    let mut after = state.clone();
    let State { locals, memory, buffers: all, draining } = &mut after;
    let (local, buffer) = (&mut locals[thread], &mut all[thread]);
    let Code::Access(instr) = &code[thread].code[local.at] else { return Ok(None) };
    if draining[thread] {
        return Ok(None);
    }
    let old = |loc: usize| buffer.iter().rev().find(|(at, _)| *at == loc).map_or(memory[loc], |(_, value)| *value);
    let registers = &mut local.registers;
    // What is written, and whether that is one step with a read, for which the buffer must be empty.
    let (written, needs_empty, drains) = match instr {
        Instr::Load { reg, loc, .. } => {
            registers[*reg] = old(*loc);
            (None, false, false)
        }
        Instr::Store { loc, mode, value } => (Some((*loc, value.eval(registers))), false, *mode == Mode::Sc),
        Instr::Unlock { loc } => (Some((*loc, 0)), false, false),
        Instr::Lock { loc } if old(*loc) != 0 => return Ok(None),
        Instr::Lock { loc } => (Some((*loc, 1)), true, false),
        Instr::Rmw { reg, loc, op, value, .. } => {
            let read = old(*loc);
            let new = op.apply(read, value.eval(registers));
            registers[*reg] = read;
            (Some((*loc, new)), true, false)
        }
        Instr::Cas { reg, ok, loc, expected, new, .. } => {
            let read = old(*loc);
            let happens = read == expected.eval(registers);
            let new = happens.then(|| (*loc, new.eval(registers)));
            registers[*reg] = read;
            ok.iter().for_each(|ok| registers[*ok] = u64::from(happens));
            (new, happens, false)
        }
        Instr::Fence { mode } => (None, *mode == Mode::Sc, false),
        Instr::Set { .. } | Instr::If { .. } | Instr::Assume { .. } => return Err(TooLarge),
    };
    if needs_empty && !buffer.is_empty() {
        return Ok(None);
    }
    if let Some((loc, value)) = written {
        if needs_empty || !buffers {
            memory[loc] = value;
        } else if buffer.len() == BUFFER {
            return Ok(None);
        } else {
            buffer.push_back((loc, value));
            draining[thread] = drains;
        }
    }
    local.at += 1;
    advance(&code[thread], local)?;
    Ok(Some(after))
}
