//! Backward: bytes of the frame and registers are live if they are read before they are written.

use super::code::{Next, Step, called, leaves, reads, zeroes};
use super::{REST, State, Value, number, saved_number};
use crate::native::Callee;
use iced_x86::{Mnemonic, OpAccess, OpKind, Register};
use std::ops::Range;

/// The backward analysis.
pub(super) struct Backward {
    pub live: Vec<Vec<u64>>,
    pub registers: Vec<u16>,
    pub arguments: i64,
    low: i64,
    pub reads: Vec<Vec<Range<i64>>>,
    writes: Vec<Vec<Range<i64>>>,
    /// What of the registers each instruction reads, and what it writes.
    used: Vec<(u16, u16)>,
}

impl Backward {
    pub(super) fn new(
        code: &[Step],
        states: &[Option<State>],
        needed: &[u16],
        low: i64,
        callee: &dyn Fn(usize) -> Callee,
    ) -> Result<Self, &'static str> {
        let words = (-low as usize).div_ceil(64);
        if words * code.len() > 1 << 22 {
            return Err("too much to look at");
        }
        let mut backward = Backward {
            live: vec![vec![0; words]; code.len()],
            registers: vec![0; code.len()],
            arguments: 0,
            low,
            reads: vec![Vec::new(); code.len()],
            writes: vec![Vec::new(); code.len()],
            used: vec![(0, 0); code.len()],
        };
        for (at, step) in code.iter().enumerate() {
            let Some(state) = &states[at] else { continue };
            backward.note(at, step, state, callee);
            if is_for_nothing(step, needed) {
                backward.reads[at].clear();
            }
        }
        Ok(backward)
    }

    /// Notes what an instruction reads and writes.
    fn note(&mut self, at: usize, step: &Step, state: &State, callee: &dyn Fn(usize) -> Callee) {
        let instruction = &step.instruction;
        let frame = |register: Register| match number(register).map(|number| state[number]) {
            Some(Value::Frame(offset)) => Some(offset),
            _ => None,
        };
        let is_call = instruction.mnemonic() == Mnemonic::Call;
        if is_call
            && let Callee::Operand(size) = called(step, callee)
            && let Some(offset) = frame(Register::RSI)
        {
            self.reads[at].push(offset..offset + i64::from(size));
        }
        for memory in &step.memory {
            let Some(base) = frame(memory.base()).filter(|_| memory.index() == Register::None) else { continue };
            let own = memory.base() == Register::RSP
                && (is_call && memory.access() == OpAccess::Write || instruction.mnemonic() == Mnemonic::Ret);
            if own {
                // The return address.
                continue;
            }
            let start = base.wrapping_add(memory.displacement() as i64);
            let range = start..start + memory.memory_size().size() as i64;
            self.arguments = self.arguments.max(range.end);
            if memory.access() == OpAccess::Write && !instruction.is_string_instruction() {
                self.writes[at].push(range);
            } else if memory.access() != OpAccess::NoMemAccess {
                self.reads[at].push(range);
            }
        }
        let zeroes = zeroes(instruction);
        let (mut read, mut written) = (0, 0);
        for used in &step.registers {
            let Some(number) = saved_number(used.register()) else { continue };
            let (low, rest): (u16, u16) = (1 << number, 1 << (number + REST));
            let register = used.register();
            // The second byte of a register has a name of its own.
            let is_second = matches!(register, Register::BH);
            if reads(used.access()) && !zeroes {
                read |= match register.size() {
                    1 if is_second => rest,
                    1 => low,
                    _ => low | rest,
                };
            }
            if matches!(used.access(), OpAccess::Write | OpAccess::ReadWrite) {
                // A write of four bytes sets the others to 0.
                written |= match register.size() {
                    1 if is_second => 0,
                    1 | 2 => low,
                    _ => low | rest,
                };
            }
        }
        self.used[at] = (read, written);
    }

    pub(super) fn run(&mut self, code: &[Step], states: &[Option<State>]) -> Result<(), &'static str> {
        let words = self.live.first().map_or(0, Vec::len);
        let mut passes = 0;
        let mut changed = true;
        let mut bits = vec![0u64; words];
        while std::mem::take(&mut changed) {
            passes += 1;
            if passes > 200 {
                return Err("no end");
            }
            for at in (0..code.len()).rev() {
                let Some(state) = &states[at] else { continue };
                bits.fill(0);
                let mut registers = 0;
                for next in code[at].all_next() {
                    match next {
                        Next::To(to) => self.join(to, &mut bits, &mut registers),
                        Next::Away if leaves(&code[at], state) => {}
                        Next::Away | Next::Anywhere => {
                            bits.fill(!0);
                            registers = !0;
                        }
                    }
                }
                self.writes[at].iter().for_each(|range| self.set(&mut bits, range, false));
                self.reads[at].iter().for_each(|range| self.set(&mut bits, range, true));
                let (read, written) = self.used[at];
                registers = registers & !written | read;
                if bits != self.live[at] || registers != self.registers[at] {
                    self.live[at].copy_from_slice(&bits);
                    self.registers[at] = registers;
                    changed = true;
                }
            }
        }
        Ok(())
    }

    fn join(&self, at: usize, bits: &mut [u64], registers: &mut u16) {
        bits.iter_mut().zip(&self.live[at]).for_each(|(bits, live)| *bits |= live);
        *registers |= self.registers[at];
    }

    fn set(&self, bits: &mut [u64], range: &Range<i64>, on: bool) {
        for offset in range.start.max(self.low)..range.end.min(0) {
            let bit = (offset - self.low) as usize;
            if on { bits[bit / 64] |= 1 << (bit % 64) } else { bits[bit / 64] &= !(1 << (bit % 64)) }
        }
    }
}

/// Whether an instruction takes from the stack what nobody needs: it only moves the stack pointer.
fn is_for_nothing(step: &Step, needed: &[u16]) -> bool {
    let instruction = &step.instruction;
    let is_needed =
        |register| step.next.iter().any(|next| matches!(next, Next::To(at) if needed[*at] >> register & 1 == 1));
    let only_follows = step.next.iter().all(|next| matches!(next, Next::To(_)));
    instruction.mnemonic() == Mnemonic::Pop
        && instruction.op0_kind() == OpKind::Register
        && only_follows
        && number(instruction.op0_register()).is_some_and(|register| !is_needed(register))
}
