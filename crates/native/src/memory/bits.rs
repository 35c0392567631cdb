//! Who changes some bits of a number reads all of it and writes it back. Compilers do so for bit-fields, and
//! `std::vector<bool>` for its elements, also if nobody has written the number before: that is no use of what is read.
//!
//! The code behind a read says whether it may be meant so. Then the thread has until its next visible operation to write the
//! number; if it has not, it has read what nobody has written after all.

use crate::build::addresses;
use crate::build::addresses::MARK;
use crate::machine::{Machine, machine};
use crate::memory::shadow::mask_of;
use crate::memory::unwritten;
use crate::memory::address_space::{self, Part};
use iced_x86::{ConditionCode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

/// A read of what nobody has written, by a thread that seems to change bits of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Half {
    thread: u32,
    address: usize,
    size: usize,
    pc: usize,
}

/// More instructions than this are not looked at.
const MOST: usize = 160;
/// More bytes than they have.
const BYTES: usize = 1024;

/// Whether the read that returns to `pc` may be the first half of a change of bits; if so, it is noted.
pub(crate) fn note(address: usize, size: usize, pc: usize) -> bool {
    let machine = machine();
    let may_be = is_element(machine, pc) || changes_bits(machine, address, pc, size);
    if may_be {
        machine.halves.borrow_mut().push(Half { thread: machine.here.get().thread, address, size, pc });
    }
    may_be
}

/// Whether the access is one to elements of `std::vector<bool>`, which are bits.
fn is_element(machine: &Machine, pc: usize) -> bool {
    machine.image().is_some_and(|image| image.symbols.is_in_header(pc, "/bits/stl_bvector.h"))
}

/// The current thread has come to a visible operation, or to its end: what it has noted must be written by now.
#[inline]
pub(crate) fn expect_written(machine: &Machine) {
    if !machine.halves.borrow().is_empty() {
        expect_own_written();
    }
}

#[cold]
fn expect_own_written() {
    let machine = machine();
    let here = machine.here.get().thread;
    let (own, others) = std::mem::take(&mut *machine.halves.borrow_mut()).into_iter().partition(|half| half.thread == here);
    machine.halves.replace(others);
    let own: Vec<Half> = own;
    for Half { address, size, pc, .. } in own {
        let Some(cell) = machine.cell_in_use(address) else { continue };
        let mask = mask_of(address, size);
        if cell.written.get() & mask != mask {
            unwritten::report(cell, address, size, pc);
        }
    }
}

/// Whether the code from here on changes only bits of what it reads, so many bytes, and writes it.
fn changes_bits(machine: &Machine, address: usize, pc: usize, size: usize) -> bool {
    let Some(image) = machine.image().filter(|image| image.is_users(pc)) else { return false };
    // SAFETY: this is code of the program, and what is linked behind it has more bytes than that.
    let code_at = |pc: usize| unsafe { std::slice::from_raw_parts(pc as *const u8, BYTES) };
    let (mut pc, mut code) = (pc, code_at(pc));
    let mut change = Change {
        size,
        is_local: address_space::part_of(address).is_some_and(|(_, part)| part == Part::Stack),
        ..Change::default()
    };
    let mut decoder = Decoder::with_ip(64, code, pc as u64, DecoderOptions::NONE);
    for _ in 0..MOST {
        let instruction = decoder.decode();
        let next = match instruction.flow_control() {
            _ if asks_for_address(&instruction) => Next::GoOn,
            FlowControl::ConditionalBranch => match behind_mark(code, pc, &instruction) {
                Some(offset) if decoder.set_position(offset).is_ok() => {
                    decoder.set_ip((pc + offset) as u64);
                    Next::GoOn
                }
                _ => Next::No,
            },
            FlowControl::UnconditionalBranch if image.is_users(instruction.near_branch_target() as usize) => {
                pc = instruction.near_branch_target() as usize;
                code = code_at(pc);
                decoder = Decoder::with_ip(64, code, pc as u64, DecoderOptions::NONE);
                Next::GoOn
            }
            FlowControl::Next if instruction.mnemonic() == Mnemonic::Nop => Next::GoOn,
            FlowControl::Next => change.follow(&instruction),
            FlowControl::Call => match image.symbols.hook(instruction.near_branch_target() as usize) {
                Some((true, written)) => change.hears_of_write(written),
                Some((false, _)) => Next::GoOn,
                None => Next::No,
            },
            _ => Next::No,
        };
        match next {
            Next::GoOn => {}
            Next::Yes => return true,
            Next::No => return false,
        }
    }
    false
}

/// Whether an instruction belongs to the code, added to that of the program, which looks for addresses in registers: it turns
/// them, and compares one byte.
fn asks_for_address(instruction: &Instruction) -> bool {
    let last = instruction.op_count().checked_sub(1);
    let number = last.filter(|&last| instruction.op_kind(last) == OpKind::Immediate8);
    match instruction.mnemonic() {
        Mnemonic::Ror | Mnemonic::Rol => {
            number.is_some_and(|last| instruction.immediate(last) == 8 * addresses::BYTE as u64)
        }
        Mnemonic::Cmp => number.is_some_and(|last| instruction.immediate(last) == addresses::FIRST),
        _ => false,
    }
}

/// If a branch belongs to that code, where the program's own goes on.
fn behind_mark(code: &[u8], pc: usize, branch: &Instruction) -> Option<usize> {
    let from = (branch.next_ip() as usize).checked_sub(pc)?;
    let to = (branch.near_branch_target() as usize).checked_sub(pc).filter(|to| (from..code.len()).contains(to))?;
    let has_mark = |code: &[u8]| code.windows(MARK.len()).any(|bytes| bytes == MARK);
    if has_mark(&code[from..to]) {
        return Some(to);
    }
    // It leads to the mark.
    has_mark(code.get(to..to + 2 + MARK.len())?).then_some(from)
}

/// Whether more has to be looked at.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Yes,
    No,
}

/// What is known of a change of bits, as far as the code has been looked at.
#[derive(Default)]
struct Change {
    /// How many bytes are read, and whether they may be in the frame.
    size: usize,
    is_local: bool,
    /// Registers, and places in the frame, that have what was read.
    registers: Vec<Register>,
    places: Vec<u64>,
    /// Whether bits of it have been changed, and a write was announced.
    changes: bool,
    writes: bool,
}

impl Change {
    fn hears_of_write(&mut self, size: usize) -> Next {
        self.writes |= size == self.size;
        if size == self.size { Next::GoOn } else { Next::No }
    }

    fn follow(&mut self, instruction: &Instruction) -> Next {
        let in_memory = (0..instruction.op_count()).find(|&operand| instruction.op_kind(operand) == OpKind::Memory);
        let in_memory = in_memory.filter(|_| instruction.mnemonic() != Mnemonic::Lea);
        let in_frame = in_memory.is_some() && matches!(instruction.memory_base(), Register::RBP | Register::RSP);
        let is_it =
            in_memory.is_some() && instruction.memory_size().size() == self.size && (!in_frame || self.is_local);
        let moves = matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Movzx);
        let register = |operand: u32| match instruction.op_kind(operand) {
            OpKind::Register => Some(instruction.op_register(operand).full_register()),
            _ => None,
        };
        let has = |operand: u32| register(operand).is_some_and(|register| self.registers.contains(&register));
        let in_address = |register: Register| self.registers.contains(&register.full_register());
        let used = (0..instruction.op_count()).any(has)
            || instruction.mnemonic() == Mnemonic::Lea
                && (in_address(instruction.memory_base()) || in_address(instruction.memory_index()));
        if moves {
            let place = instruction.memory_displacement64();
            let has_it = if register(1).is_some() { has(1) } else { is_it || in_frame && self.places.contains(&place) };
            return match register(0) {
                Some(register) => {
                    self.registers.retain(|&other| other != register);
                    self.registers.extend(has_it.then_some(register));
                    Next::GoOn
                }
                None if has_it && is_it && self.changes && self.writes => Next::Yes,
                None if has_it && in_frame => {
                    self.places.push(place);
                    Next::GoOn
                }
                None if has_it => Next::No,
                None => Next::GoOn,
            };
        }
        if !used && !is_it {
            // Something else is computed. What it has overwritten is not followed any more, which can only mean no.
            return Next::GoOn;
        }
        use Mnemonic::{Add, And, Btc, Btr, Bts, Lea, Not, Or, Xor};
        match instruction.mnemonic() {
            And | Btc | Btr | Bts | Not | Or | Xor => {}
            // What was masked before may be added as well, or chosen.
            Add | Lea if self.changes && !is_it => {}
            _ if self.changes && !is_it && instruction.condition_code() != ConditionCode::None => {}
            _ => return Next::No,
        }
        self.changes = true;
        match register(0) {
            Some(register) => self.registers.push(register),
            None if is_it => return if self.writes { Next::Yes } else { Next::No },
            None => {}
        }
        Next::GoOn
    }
}
