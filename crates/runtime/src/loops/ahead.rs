//! What a thread does next, whatever its present operation gives: found in the machine code after the call.
//!
//! Code is followed only as long as it does not branch, and only with what is known: the registers that the call keeps,
//! and the variables of the innermost frame whose address nobody has. The way is the same for every value that the
//! operation may give. So if it comes to an atomic store to a known address, and does not read what is there before, then
//! the thread overwrites it, and what was there does not matter to it.

use super::frame::{self, Function, SAVED};
use super::{ByAddress, snapshot, unwind};
use crate::native::Callee;
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The way to the store has at most so many instructions.
const LONGEST: usize = 128;
/// A word of the stack.
const WORD: usize = size_of::<usize>();

/// The way from where a call returns to the call of a store.
struct Way {
    instructions: Vec<Instruction>,
    function: Rc<Function>,
    /// How far the stack pointer is below the end of the frame.
    depth: i64,
}

/// The address that the thread, whose stack in use begins at `top`, stores to next; `None` if it may do something else.
pub(super) fn next_store(top: usize, callee: &dyn Fn(usize) -> Callee) -> Option<usize> {
    thread_local! {
        static WAYS: RefCell<ByAddress<Option<Rc<Way>>>> = RefCell::default();
    }
    let top = top.next_multiple_of(WORD);
    let address = read(top + SAVED.len() * WORD, WORD)? as usize;
    let known = WAYS.with_borrow(|ways| ways.get(&address).cloned());
    let way = known.unwrap_or_else(|| {
        let way = find(address, callee).map(Rc::new);
        WAYS.with_borrow_mut(|ways| ways.insert(address, way.clone()));
        way
    });
    Thread::new(top, way.as_ref()?).follow()
}

/// Follows the code from where a call returns.
fn find(address: usize, callee: &dyn Fn(usize) -> Callee) -> Option<Way> {
    let (code, _) = unwind::look_up(address)?;
    let function = snapshot::function_at(code.start, code.end, callee)?;
    let depth = snapshot::live_at(address, callee)?.depth;
    let mut instructions = Vec::new();
    let mut at = address;
    while instructions.len() < LONGEST && code.contains(&at) {
        // SAFETY: the unwinder has said that this is the code of a function, which stays where it is.
        let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, code.end - at) };
        let instruction = Decoder::with_ip(64, bytes, at as u64, DecoderOptions::NONE).decode();
        if instruction.is_invalid() {
            return None;
        }
        at = instruction.next_ip() as usize;
        match instruction.flow_control() {
            FlowControl::Next => instructions.push(instruction),
            FlowControl::UnconditionalBranch => at = instruction.near_branch_target() as usize,
            FlowControl::Call => match callee(instruction.near_branch_target() as usize) {
                Callee::Told => instructions.push(instruction),
                Callee::Store => return Some(Way { instructions, function, depth }),
                Callee::Unknown | Callee::Operand(_) => return None,
            },
            _ => return None,
        }
    }
    None
}

/// What is known of a thread on its way.
struct Thread<'a> {
    way: &'a Way,
    /// By number; `None` if it depends on what the operation gives.
    registers: [Option<u64>; 16],
    /// Where the innermost frame begins and ends.
    top: u64,
    end: u64,
    /// The bytes of it that were written on the way, each with its address, the latest last.
    written: Vec<(u64, Option<u8>)>,
    /// Other memory that was read on the way.
    read: Vec<Range<u64>>,
}

impl Thread<'_> {
    fn new(top: usize, way: &Way) -> Thread<'_> {
        let mut registers = [None; 16];
        for (place, &register) in SAVED.iter().enumerate() {
            registers[frame::number(register).expect("a register")] = read(top + place * WORD, WORD);
        }
        let top = (top + (SAVED.len() + 1) * WORD) as u64;
        registers[frame::RSP] = Some(top);
        let end = top.wrapping_add_signed(way.depth);
        Thread { way, registers, top, end, written: Vec::new(), read: Vec::new() }
    }

    /// Where the store at the end of the way goes.
    fn follow(mut self) -> Option<usize> {
        for instruction in &self.way.instructions {
            self.step(instruction)?;
        }
        let address = self.get(Register::RDI)?;
        let is_read = |read: &Range<u64>| read.start < address + WORD as u64 && address < read.end;
        (!self.read.iter().any(is_read)).then_some(address as usize)
    }

    fn get(&self, register: Register) -> Option<u64> {
        let value = self.registers[frame::number(register)?]?;
        match register.size() {
            8 => Some(value),
            4 => Some(value & u64::from(u32::MAX)),
            _ => None,
        }
    }

    fn set(&mut self, register: Register, value: Option<u64>) -> Option<()> {
        let number = frame::number(register).filter(|&number| number != frame::RSP)?;
        self.registers[number] = match register.size() {
            8 => value,
            4 => value.map(|value| value & u64::from(u32::MAX)),
            _ => None,
        };
        Some(())
    }

    /// The address of an instruction's memory, if it is known.
    fn address(&self, instruction: &Instruction) -> Option<u64> {
        if instruction.segment_prefix() != Register::None {
            return None;
        }
        if instruction.is_ip_rel_memory_operand() {
            return Some(instruction.ip_rel_memory_address());
        }
        let part = |register: Register| match register {
            Register::None => Some(0),
            _ if register.size() == 8 => self.get(register),
            _ => None,
        };
        let index = part(instruction.memory_index())?.wrapping_mul(instruction.memory_index_scale().into());
        Some(part(instruction.memory_base())?.wrapping_add(index).wrapping_add(instruction.memory_displacement64()))
    }

    /// The memory of an instruction, if it is in the innermost frame: its address and size.
    fn place(&self, instruction: &Instruction) -> Option<(u64, u64)> {
        let (address, size) = (self.address(instruction)?, instruction.memory_size().size() as u64);
        let is_inside = address >= self.top && address.checked_add(size)? <= self.end - WORD as u64;
        (is_inside && (1..=8).contains(&size)).then_some((address, size))
    }

    /// What is in memory. `Some(None)` if that is not known, `None` if the address is not.
    fn load(&mut self, instruction: &Instruction) -> Option<Option<u64>> {
        let Some((address, size)) = self.place(instruction) else {
            let address = self.address(instruction)?;
            self.read.push(address..address.checked_add(instruction.memory_size().size() as u64)?);
            return Some(None);
        };
        let mut value = Some(0);
        for byte in (address..address + size).rev() {
            let here = match self.written.iter().rev().find(|(address, _)| *address == byte) {
                Some(&(_, byte)) => byte,
                None => read(byte as usize, 1).map(|byte| byte as u8),
            };
            // Others may change what they know of, and the operation may let the thread see that.
            let here = here.filter(|_| self.way.function.is_known_to_itself(byte.wrapping_sub(self.end) as i64));
            value = value.zip(here).map(|(value, byte)| value << 8 | u64::from(byte));
        }
        Some(value)
    }

    fn store(&mut self, instruction: &Instruction, value: Option<u64>) -> Option<()> {
        let (address, size) = self.place(instruction)?;
        for byte in 0..size {
            self.written.push((address + byte, value.map(|value| (value >> (8 * byte)) as u8)));
        }
        Some(())
    }

    /// What an instruction does; `None` if it is not understood.
    fn step(&mut self, instruction: &Instruction) -> Option<()> {
        let (target, source) = (instruction.op0_register(), instruction.op1_register());
        let kinds = [instruction.op0_kind(), instruction.op1_kind()];
        let is_number = !matches!(kinds[1], OpKind::Register | OpKind::Memory) && instruction.op_count() == 2;
        match (instruction.mnemonic(), kinds) {
            (Mnemonic::Call, _) => {
                for register in frame::CLOBBERED {
                    self.set(register, None)?;
                }
                Some(())
            }
            (Mnemonic::Mov, [OpKind::Register, OpKind::Register]) => self.set(target, self.get(source)),
            (Mnemonic::Mov, [OpKind::Register, OpKind::Memory]) => {
                let value = self.load(instruction)?;
                self.set(target, value)
            }
            (Mnemonic::Mov, [OpKind::Memory, OpKind::Register]) => self.store(instruction, self.get(source)),
            (Mnemonic::Mov, [OpKind::Memory, _]) if is_number => {
                self.store(instruction, Some(instruction.immediate(1)))
            }
            (Mnemonic::Mov, [OpKind::Register, _]) if is_number => self.set(target, Some(instruction.immediate(1))),
            (Mnemonic::Lea, [OpKind::Register, OpKind::Memory]) => self.set(target, self.address(instruction)),
            (Mnemonic::Add, [OpKind::Register, _]) if is_number => {
                self.set(target, self.get(target).map(|value| value.wrapping_add(instruction.immediate(1))))
            }
            (Mnemonic::Sub, [OpKind::Register, _]) if is_number => {
                self.set(target, self.get(target).map(|value| value.wrapping_sub(instruction.immediate(1))))
            }
            _ => {
                let mut factory = InstructionInfoFactory::new();
                let info = factory.info(instruction);
                if info.used_memory().iter().any(|memory| memory.access() != OpAccess::NoMemAccess) {
                    return None;
                }
                for used in info.used_registers().iter().filter(|used| frame::writes(used.access())) {
                    if let Some(number) = frame::number(used.register()) {
                        self.registers[number] = None;
                    }
                }
                self.registers[frame::RSP].map(|_| ())
            }
        }
    }
}

/// Memory on the stack of the thread that has called.
fn read(address: usize, size: usize) -> Option<u64> {
    let mut bytes = [0; 8];
    for (at, byte) in bytes.iter_mut().enumerate().take(size) {
        // SAFETY: the address is within the part of a coroutine's stack that is in use, which is mapped; the read is
        // volatile because nothing is known about what, if anything, was written there.
        *byte = unsafe { std::ptr::read_volatile((address + at) as *const u8) };
    }
    Some(u64::from_le_bytes(bytes))
}
