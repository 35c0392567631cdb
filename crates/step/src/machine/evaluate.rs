//! The evaluation loop.

use super::code::{CodeRef, Memory, Op};
use super::{Machine, Trap, channels};
use crate::{Fault, FaultKind};

impl Machine<'_, '_> {
    /// Runs code to its end; gives back the value it returns.
    pub(super) fn evaluate(&mut self, start: CodeRef) -> Result<i32, Trap> {
        let program = self.program;
        let code = &program.code[..];
        let mut at = start as usize;
        debug_assert!(self.registers.len() > program.registers);
        macro_rules! r {
            ($reg:expr) => {
                // SAFETY: the compiler counts the registers that the code uses (`Program::need`), an operand in the
                // next register included, and the machine is made with more than that many; they never get fewer.
                *unsafe { self.registers.get_unchecked_mut($reg as usize) }
            };
        }
        macro_rules! with_next {
            ($reg:expr, $f:expr) => {{
                let (a, b) = (r!($reg), r!($reg + 1));
                r!($reg) = $f(a, b);
            }};
        }
        loop {
            // SAFETY: code starts at a reference made by the compiler, jumps only inside its sequence, and every
            // sequence ends with `Return`.
            let op = *unsafe { code.get_unchecked(at) };
            at += 1;
            match op {
                Op::Return(reg) => return Ok(r!(reg)),
                Op::Const(reg, value) => r!(reg) = value,
                Op::GlobalByte(reg, offset) => r!(reg) = i32::from(self.work[offset as usize]),
                Op::LocalByte(reg, offset) => r!(reg) = i32::from(self.work[self.base + offset as usize]),
                Op::Global(reg, memory, offset) => r!(reg) = memory.read(&self.work, offset as usize),
                Op::Local(reg, memory, offset) => r!(reg) = memory.read(&self.work, self.base + offset as usize),
                Op::GlobalByteAt(reg, offset) => {
                    r!(reg) = i32::from(self.work[offset as usize + r!(reg) as usize]);
                }
                Op::LocalByteAt(reg, offset) => {
                    r!(reg) = i32::from(self.work[self.base + offset as usize + r!(reg) as usize]);
                }
                Op::GlobalAt(reg, memory, offset) => {
                    r!(reg) = memory.read(&self.work, offset as usize + r!(reg) as usize);
                }
                Op::LocalAt(reg, memory, offset) => {
                    r!(reg) = memory.read(&self.work, self.base + offset as usize + r!(reg) as usize);
                }
                Op::SetGlobalByte(reg, offset) => self.work[offset as usize] = r!(reg) as u8,
                Op::SetLocalByte(reg, offset) => self.work[self.base + offset as usize] = r!(reg) as u8,
                Op::SetGlobal(reg, memory, offset) => memory.write(&mut self.work, offset as usize, r!(reg)),
                Op::SetLocal(reg, memory, offset) => {
                    memory.write(&mut self.work, self.base + offset as usize, r!(reg));
                }
                Op::SetGlobalAt(reg, memory, offset) => {
                    memory.write(&mut self.work, offset as usize + r!(reg + 1) as usize, r!(reg));
                }
                Op::SetLocalAt(reg, memory, offset) => {
                    memory.write(&mut self.work, self.base + offset as usize + r!(reg + 1) as usize, r!(reg));
                }
                Op::Bound(reg, site) => {
                    let (span, length) = program.sites[site as usize];
                    let index = r!(reg);
                    if index as u32 >= length {
                        return Err(Trap::Fault(Fault { kind: FaultKind::Index { index, length }, span }));
                    }
                }
                Op::Scale(reg, factor) => r!(reg) = r!(reg).wrapping_mul(factor),
                Op::Mask(reg, mask) => r!(reg) &= mask,
                Op::Truth(reg) => r!(reg) = (r!(reg) != 0) as i32,
                Op::Not(reg) => r!(reg) = (r!(reg) == 0) as i32,
                Op::Neg(reg) => r!(reg) = r!(reg).wrapping_neg(),
                Op::BitNot(reg) => r!(reg) = !r!(reg),
                Op::Add(reg) => with_next!(reg, |a: i32, b| a.wrapping_add(b)),
                Op::Sub(reg) => with_next!(reg, |a: i32, b| a.wrapping_sub(b)),
                Op::Mul(reg) => with_next!(reg, |a: i32, b| a.wrapping_mul(b)),
                Op::Div(reg, site) => {
                    if r!(reg + 1) == 0 {
                        return Err(self.division(site));
                    }
                    with_next!(reg, |a: i32, b| a.wrapping_div(b));
                }
                Op::Rem(reg, site) => {
                    if r!(reg + 1) == 0 {
                        return Err(self.division(site));
                    }
                    with_next!(reg, |a: i32, b| a.wrapping_rem(b));
                }
                Op::BitAnd(reg) => with_next!(reg, |a, b| a & b),
                Op::BitXor(reg) => with_next!(reg, |a, b| a ^ b),
                Op::BitOr(reg) => with_next!(reg, |a, b| a | b),
                Op::Shl(reg) => with_next!(reg, |a: i32, b| a.wrapping_shl(b as u32)),
                Op::Shr(reg) => with_next!(reg, |a: i32, b| a.wrapping_shr(b as u32)),
                Op::Eq(reg) => with_next!(reg, |a, b| (a == b) as i32),
                Op::Ne(reg) => with_next!(reg, |a, b| (a != b) as i32),
                Op::Lt(reg) => with_next!(reg, |a, b| (a < b) as i32),
                Op::Le(reg) => with_next!(reg, |a, b| (a <= b) as i32),
                Op::Gt(reg) => with_next!(reg, |a, b| (a > b) as i32),
                Op::Ge(reg) => with_next!(reg, |a, b| (a >= b) as i32),
                Op::AddConst(reg, value) => r!(reg) = r!(reg).wrapping_add(value),
                Op::EqConst(reg, value) => r!(reg) = (r!(reg) == value) as i32,
                Op::NeConst(reg, value) => r!(reg) = (r!(reg) != value) as i32,
                Op::LtConst(reg, value) => r!(reg) = (r!(reg) < value) as i32,
                Op::LeConst(reg, value) => r!(reg) = (r!(reg) <= value) as i32,
                Op::GtConst(reg, value) => r!(reg) = (r!(reg) > value) as i32,
                Op::GeConst(reg, value) => r!(reg) = (r!(reg) >= value) as i32,
                Op::Jump(target) => at = target as usize,
                Op::IfZero(reg, target) => {
                    if r!(reg) == 0 {
                        at = target as usize;
                    }
                }
                Op::IfNotZero(reg, target) => {
                    if r!(reg) != 0 {
                        at = target as usize;
                    }
                }
                Op::Pid(reg) => r!(reg) = self.me as i32,
                Op::ProcessCount(reg) => r!(reg) = self.processes() as i32,
                Op::Timeout(reg) => r!(reg) = self.timeout as i32,
                Op::Length(reg) => {
                    let channel = r!(reg);
                    r!(reg) = self.fill(channel, true, true)?.0 as i32;
                }
                Op::Full(reg) => {
                    let channel = r!(reg);
                    let (used, capacity) = self.fill(channel, true, true)?;
                    r!(reg) = (used >= capacity) as i32;
                }
                Op::NotFull(reg) => {
                    let channel = r!(reg);
                    let (used, capacity) = self.fill(channel, false, true)?;
                    r!(reg) = (used < capacity) as i32;
                }
                Op::Empty(reg) => {
                    let channel = r!(reg);
                    r!(reg) = (self.fill(channel, true, true)?.0 == 0) as i32;
                }
                Op::NotEmpty(reg) => {
                    let channel = r!(reg);
                    r!(reg) = (self.fill(channel, true, false)?.0 != 0) as i32;
                }
                Op::Rare(reg, number) => {
                    let value = self.rare(&program.rare[number as usize], reg)?;
                    r!(reg) = value;
                }
                Op::Heap(reg, number) => self.heap_op(program.heap_ops[number as usize], reg)?,
                Op::Assert(reg, site) => {
                    if r!(reg) == 0 {
                        let span = program.sites[site as usize].0;
                        self.faults.push(Fault { kind: FaultKind::Assertion, span });
                    }
                }
            }
        }
    }

    fn division(&self, site: u32) -> Trap {
        let span = self.program.sites[site as usize].0;
        Trap::Fault(Fault { kind: FaultKind::DivisionByZero, span })
    }

    /// How many messages the channel with an id holds and can hold; a rendezvous channel counts as one that is never
    /// full.
    fn fill(&mut self, id: i32, receive: bool, send: bool) -> Result<(u32, u32), Trap> {
        let (channel, at) = self.channel(id)?;
        if self.promises {
            self.check_promises(id, receive, send);
        }
        Ok((channels::count(channel, &self.work, at), channel.capacity.max(1)))
    }

    /// Reads a field of a process.
    pub(super) fn field_of(&self, process: usize, memory: Memory, offset: u32) -> i32 {
        let base = self.shapes.get(self.shape).processes[process].offset;
        memory.read(&self.work, (base + offset) as usize)
    }
}
