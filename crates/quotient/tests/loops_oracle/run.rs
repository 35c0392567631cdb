//! Runs a program of the oracle's loop language as a checked program: threads interpret their code. A thread keeps its
//! registers in an array on its stack or in a block of the heap.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use quotient::sync::atomic::{AtomicU64, Ordering, fence};
use quotient::sync::{Mutex, MutexGuard};
use quotient::{Builder, MemoryModel, Report, thread};
use quotient_oracle::loops::{Program, REGISTERS, Stmt};
use quotient_oracle::{Instr, Mode, Op, Outcome};

use crate::common::Shared;

/// A location.
enum Place {
    Atomic(AtomicU64),
    Mutex(Mutex<()>),
    Plain(Shared<u64>),
}

/// What all threads have.
struct World {
    places: Vec<Place>,
    program: Arc<Program>,
}

/// Whether the loop goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Leave,
}

/// A final state without memory of its own, because it outlives the execution.
type Final = [u64; 3 * REGISTERS + 4];

/// Checks the program; gives the report and the final states.
pub(crate) fn check(program: &Program, model: MemoryModel, symmetry: bool, heap: bool) -> (Report, BTreeSet<Outcome>) {
    let program = Arc::new(program.clone());
    let seen = Arc::new(StdMutex::new(BTreeSet::new()));
    let (shared, finals) = (program.clone(), seen.clone());
    let builder = Builder::new().model(model).symmetry(symmetry).max_events(150).max_executions(3000);
    let report = builder.run(move || {
        let last = execute(&shared, heap);
        finals.lock().expect("nobody panics while it is held").insert(last);
    });
    let finals = std::mem::take(&mut *seen.lock().expect("nobody panics while it is held"));
    (report, finals.iter().map(|last| outcome(&program, last)).collect())
}

/// One execution: all threads side by side, then the final state.
fn execute(program: &Arc<Program>, heap: bool) -> Final {
    let place = |loc: usize| match program.init[loc] {
        _ if program.mutexes.contains(&loc) => Place::Mutex(Mutex::new(())),
        init if program.plain.contains(&loc) => Place::Plain(Shared::new(init)),
        init => Place::Atomic(AtomicU64::new(init)),
    };
    let places = (0..program.init.len()).map(place).collect();
    let world = Arc::new(World { places, program: program.clone() });
    let first_like = |number: usize| program.threads.iter().position(|code| *code == program.threads[number]);
    let handles: Vec<_> = (0..program.threads.len())
        .map(|number| {
            // Like threads are given the same code.
            let (world, code) = (world.clone(), first_like(number).unwrap_or(number));
            thread::spawn(move || if heap { in_heap(&world, code) } else { on_stack(&world, code) })
        })
        .collect();
    let mut last = [0; 3 * REGISTERS + 4];
    for (number, handle) in handles.into_iter().enumerate() {
        let registers = handle.join().expect("a thread that panics ends the execution");
        last[number * REGISTERS..][..REGISTERS].copy_from_slice(&registers);
    }
    for (loc, place) in world.places.iter().enumerate() {
        last[3 * REGISTERS + loc] = match place {
            Place::Atomic(atomic) => atomic.load(Ordering::Relaxed),
            Place::Mutex(_) => 0,
            Place::Plain(plain) => plain.get(),
        };
    }
    last
}

fn outcome(program: &Program, last: &Final) -> Outcome {
    let registers = last.chunks(REGISTERS).take(program.threads.len()).map(<[u64]>::to_vec).collect();
    Outcome { registers, memory: last[3 * REGISTERS..][..program.init.len()].to_vec() }
}

fn on_stack(world: &World, code: usize) -> [u64; REGISTERS] {
    let mut registers = [0; REGISTERS];
    let mut thread = Thread { world, registers: &mut registers, guard: None };
    thread.block(&world.program.threads[code]);
    drop(thread);
    registers
}

fn in_heap(world: &World, code: usize) -> [u64; REGISTERS] {
    let mut registers = vec![0; REGISTERS];
    let mut thread = Thread { world, registers: &mut registers, guard: None };
    thread.block(&world.program.threads[code]);
    drop(thread);
    std::array::from_fn(|reg| registers[reg])
}

/// A thread that interprets its code.
struct Thread<'a> {
    world: &'a World,
    registers: &'a mut [u64],
    guard: Option<MutexGuard<'a, ()>>,
}

impl<'a> Thread<'a> {
    fn block(&mut self, block: &[Stmt]) -> Flow {
        for stmt in block {
            match stmt {
                Stmt::Access(instr) => self.access(instr),
                Stmt::TryLock { ok, loc } => {
                    self.guard = self.mutex(*loc).try_lock().ok();
                    self.registers[*ok] = u64::from(self.guard.is_some());
                }
                Stmt::Set { reg, value } => self.registers[*reg] = value.eval(self.registers),
                Stmt::Assert { cond } => assert!(cond.eval(self.registers) != 0, "an assertion fails"),
                Stmt::Break => return Flow::Leave,
                Stmt::If { cond, then, otherwise } => {
                    let taken = if cond.eval(self.registers) != 0 { then } else { otherwise };
                    if self.block(taken) == Flow::Leave {
                        return Flow::Leave;
                    }
                }
                Stmt::Loop { body } => while self.block(body) == Flow::On {},
            }
        }
        Flow::On
    }

    fn access(&mut self, instr: &Instr) {
        match instr {
            Instr::Load { reg, loc, mode } => {
                self.registers[*reg] = match &self.world.places[*loc] {
                    Place::Plain(plain) => plain.get(),
                    _ => self.atomic(*loc).load(order(*mode)),
                }
            }
            Instr::Store { loc, mode, value } => {
                let value = value.eval(self.registers);
                match &self.world.places[*loc] {
                    Place::Plain(plain) => plain.set(value),
                    _ => self.atomic(*loc).store(value, order(*mode)),
                }
            }
            Instr::Rmw { reg, loc, mode, op, value } => {
                let (atomic, value, order) = (self.atomic(*loc), value.eval(self.registers), order(*mode));
                self.registers[*reg] = match op {
                    Op::Add => atomic.fetch_add(value, order),
                    Op::Sub => atomic.fetch_sub(value, order),
                    Op::And => atomic.fetch_and(value, order),
                    Op::Or => atomic.fetch_or(value, order),
                    Op::Xor => atomic.fetch_xor(value, order),
                    Op::Swap => atomic.swap(value, order),
                    Op::Max => atomic.fetch_max(value, order),
                    Op::Min => atomic.fetch_min(value, order),
                }
            }
            Instr::Cas { reg, ok, loc, success, failure, expected, new, .. } => {
                let (expected, new) = (expected.eval(self.registers), new.eval(self.registers));
                let result = self.atomic(*loc).compare_exchange(expected, new, order(*success), order(*failure));
                self.registers[*reg] = result.unwrap_or_else(|old| old);
                ok.iter().for_each(|ok| self.registers[*ok] = u64::from(result.is_ok()));
            }
            Instr::Fence { mode } => fence(order(*mode)),
            Instr::Lock { loc } => self.guard = self.mutex(*loc).lock().ok(),
            Instr::Unlock { .. } => self.guard = None,
            Instr::Set { .. } | Instr::If { .. } | Instr::Assume { .. } => unreachable!("statements of their own"),
        }
    }

    fn atomic(&self, loc: usize) -> &'a AtomicU64 {
        let Place::Atomic(atomic) = &self.world.places[loc] else { panic!("location {loc} is not atomic") };
        atomic
    }

    fn mutex(&self, loc: usize) -> &'a Mutex<()> {
        let Place::Mutex(mutex) = &self.world.places[loc] else { panic!("location {loc} is not a mutex") };
        mutex
    }
}

fn order(mode: Mode) -> Ordering {
    match mode {
        Mode::Na | Mode::Rlx => Ordering::Relaxed,
        Mode::Acq => Ordering::Acquire,
        Mode::Rel => Ordering::Release,
        Mode::AcqRel => Ordering::AcqRel,
        Mode::Sc => Ordering::SeqCst,
    }
}
