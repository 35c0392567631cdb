//! Programs that compute with addresses: which threads that tells apart, and what an answer has to say of it.
//!
//! `addresses` has put traps in front of instructions that may do so. Here the instruction is looked at: which addresses
//! it has, whose memory they are in, and whether it can tell one of several like threads from another.

use crate::build::addresses::MARK;
use crate::check::sandbox;
use crate::machine::{Machine, machine};
use crate::memory::address_space;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use quotient_runtime::native;
use quotient_runtime::ops::ThreadId;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the program computes with addresses. It outlives executions.
#[derive(Default)]
pub(crate) struct Order {
    /// Where it orders addresses in the memory of different threads.
    pub compared: Vec<usize>,
    /// Where it takes an address for a number.
    pub computed: Vec<usize>,
}

/// More places than this are only counted.
const MOST: usize = 5;

impl Order {
    /// What to know of places where the program orders addresses.
    pub(crate) fn warnings(&self, machine: &Machine) -> Vec<String> {
        let what = "what the program does depends on the order of two addresses in the memory of different threads";
        say(&self.compared, machine, what)
    }

    /// What was taken for granted where the program takes addresses for numbers.
    pub(crate) fn notes(&self, machine: &Machine) -> Vec<String> {
        let what =
            "the program takes an address for a number, and other numbers were not tried than the ones it has here";
        say(&self.computed, machine, what)
    }
}

/// Says of each place what the program does there.
fn say(places: &[usize], machine: &Machine, what: &str) -> Vec<String> {
    let mut lines: Vec<String> = places.iter().map(|&pc| machine.describe(pc)).collect();
    lines.sort();
    lines.dedup();
    let more = lines.len().saturating_sub(MOST);
    let shown = lines.iter().take(MOST).map(|line| format!("{what} ({line})"));
    shown.chain((more > 0).then(|| format!("so it does in {more} more places"))).collect()
}

/// The instruction that traps has two bytes.
const TRAP: usize = 2;

/// Bits of an address that are not the same for like threads: those below are, since memory of threads begins at multiples
/// of this, and there are none above.
const LOWEST: u32 = 6;
const HIGHEST: u32 = 46;
const TELLING: u64 = (1 << (HIGHEST + 1)) - (1 << LOWEST);

/// The thread that is to be told apart.
static THREAD: AtomicU32 = AtomicU32::new(0);

/// Whether an instruction that does not exist is one of the traps.
pub(crate) fn is_mark(pc: usize) -> bool {
    // SAFETY: the program has run into the instruction, so it is there, and code goes on behind it.
    let code = unsafe { std::slice::from_raw_parts((pc + TRAP) as *const u8, MARK.len()) };
    code == MARK
}

/// Looks at the instruction behind a trap, with these registers, and lets it be the next. True if it tells like threads
/// apart: then [`tell_apart`] is to be called instead.
pub(crate) fn look(registers: &mut [i64]) -> bool {
    let pc = registers[libc::REG_RIP as usize] as usize;
    let next = pc + TRAP + MARK.len();
    registers[libc::REG_RIP as usize] = next as i64;
    let machine = machine();
    if !machine.running.get() || native::is_supposing() {
        return false;
    }
    let uses = uses(&read(next), registers);
    if !machine.likeness.borrow().matters && !matches!(uses, Uses::Nothing) {
        // Nothing more can be learnt here.
        remove(pc, &NOTHING);
    }
    let told = match uses {
        Uses::Nothing => return false,
        Uses::Ordered(one, two) => {
            note(&mut machine.order.borrow_mut().compared, next + 1);
            told_by_order(one, two).map(|thread| (thread, "orders addresses of different threads"))
        }
        Uses::Numbers(threads) => {
            note(&mut machine.order.borrow_mut().computed, next + 1);
            let told = threads.into_iter().flatten().find(|&thread| native::is_in_class(thread));
            told.map(|thread| (thread, "computes with an address"))
        }
    };
    let Some((thread, what)) = told else { return false };
    refuse(machine, thread, what, next + 1);
    THREAD.store(thread, Ordering::Relaxed);
    true
}

/// The program compares memory, which exists, byte by byte: if the first words that differ are addresses, it orders them.
pub(crate) fn compares(a: *const u8, b: *const u8, size: usize) {
    let word = |from: *const u8, index: usize| {
        // SAFETY: the caller has seen that there are so many bytes.
        unsafe { std::ptr::read_unaligned(from.cast::<u64>().add(index)) }
    };
    let words = (0..size / 8).map(|index| (word(a, index), word(b, index)));
    let Some((one, two)) = words.into_iter().find(|(one, two)| one != two) else { return };
    let machine = machine();
    let owners = owner(one).zip(owner(two)).filter(|(one, two)| one != two);
    let Some((one, two)) = owners.filter(|_| machine.running.get() && !native::is_supposing()) else { return };
    let pc = machine.pc();
    note(&mut machine.order.borrow_mut().compared, pc);
    if let Some(thread) = told_by_order(one, two) {
        refuse(machine, thread, "orders addresses of different threads", pc);
        native::distinguish(ThreadId(thread));
    }
}

/// An instruction of two bytes that does nothing.
const NOTHING: [u8; TRAP] = [0x66, 0x90];

/// Puts instructions that do nothing in the place of a trap.
pub(crate) fn remove(pc: usize, nothing: &[u8]) {
    const PAGE: usize = 4096;
    let start = pc & !(PAGE - 1);
    let size = pc + nothing.len() - start;
    // SAFETY: these are pages of the program's code, which nobody else changes, and which the program runs only after this.
    unsafe {
        if sandbox::protect(start, size, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) {
            std::ptr::copy_nonoverlapping(nothing.as_ptr(), pc as *mut u8, nothing.len());
            sandbox::protect(start, size, libc::PROT_READ | libc::PROT_EXEC);
        }
    }
}

/// Tells a thread from those like it; the current thread does not go on.
pub(crate) extern "C" fn tell_apart() -> ! {
    native::distinguish(ThreadId(THREAD.load(Ordering::Relaxed)));
    native::give_up()
}

fn note(places: &mut Vec<usize>, pc: usize) {
    if !places.contains(&pc) {
        places.push(pc);
    }
}

fn refuse(machine: &Machine, thread: u32, what: &str, pc: usize) {
    let here = machine.here.get().thread;
    let place = machine.describe(pc);
    let text = format!("thread {thread} does not count as like others: thread {here} {what} ({place})");
    machine.likeness.borrow_mut().refused.push(text);
}

/// What an instruction does with addresses.
enum Uses {
    Nothing,
    /// It orders two, in the memory of these threads.
    Ordered(u32, u32),
    /// It takes addresses in the memory of these threads for numbers.
    Numbers([Option<u32>; 2]),
}

/// The instruction that the program is about to run.
pub(crate) fn read(pc: usize) -> Instruction {
    // SAFETY: the program is about to run the instruction; no instruction has more bytes, and what follows the user's code
    // in the object is longer than that.
    let code = unsafe { std::slice::from_raw_parts(pc as *const u8, 15) };
    Decoder::with_ip(64, code, pc as u64, DecoderOptions::NONE).decode()
}

/// The thread whose memory a value is an address in, whatever is in the bits that addresses do not have. Where nothing can be,
/// there is no address: a number with one bit, or with a few more, is none.
fn owner(value: u64) -> Option<u32> {
    let address = (value & ((1 << (HIGHEST + 2)) - 1)) as usize;
    address_space::part_of(address).filter(|_| !address_space::is_guarded(address)).map(|(thread, _)| thread)
}

fn uses(instruction: &Instruction, registers: &[i64]) -> Uses {
    let value = |operand: u32| value(instruction, operand, registers);
    let thread = |operand: u32| value(operand).and_then(owner);
    let wide = (0..instruction.op_count())
        .all(|operand| instruction.op_kind(operand) != OpKind::Register || instruction.op_register(operand).is_gpr64());
    let either = |one: Option<u32>, two: Option<u32>| match (one, two) {
        (None, None) => Uses::Nothing,
        _ => Uses::Numbers([one, two]),
    };
    match instruction.mnemonic() {
        Mnemonic::Cmp if wide => match (thread(0), thread(1)) {
            (Some(one), Some(two)) if one != two => Uses::Ordered(one, two),
            _ => Uses::Nothing,
        },
        Mnemonic::Sub if wide => match (thread(0), thread(1)) {
            (Some(one), Some(two)) if one != two => Uses::Numbers([Some(one), Some(two)]),
            (None, Some(two)) => Uses::Numbers([None, Some(two)]),
            _ => Uses::Nothing,
        },
        Mnemonic::And | Mnemonic::Test if wide => {
            let blind = |other: Option<u64>| other.is_some_and(|mask| mask & TELLING == 0 || mask & TELLING == TELLING);
            either(thread(0).filter(|_| !blind(value(1))), thread(1).filter(|_| !blind(value(0))))
        }
        Mnemonic::Or | Mnemonic::Xor if wide => {
            let blind = |other: Option<u64>| other.is_some_and(|bits| bits & TELLING == 0);
            either(thread(0).filter(|_| !blind(value(1))), thread(1).filter(|_| !blind(value(0))))
        }
        Mnemonic::Shr | Mnemonic::Sar | Mnemonic::Shl if wide_target(instruction) => {
            let by = if instruction.op_count() > 1 { shift(instruction, registers) } else { 1 };
            let left = instruction.mnemonic() == Mnemonic::Shl;
            let blind = if left { by >= u64::from(64 - LOWEST) } else { by > u64::from(HIGHEST) };
            either(thread(0).filter(|_| !blind), None)
        }
        Mnemonic::Mul | Mnemonic::Div | Mnemonic::Idiv => either(thread(0), owner(full(Register::RAX, registers))),
        Mnemonic::Imul if instruction.op_count() == 1 => either(thread(0), owner(full(Register::RAX, registers))),
        Mnemonic::Imul if instruction.op_count() == 3 => either(thread(1), None),
        Mnemonic::Neg | Mnemonic::Not | Mnemonic::Bswap | Mnemonic::Rol | Mnemonic::Ror => either(thread(0), None),
        Mnemonic::Mov | Mnemonic::Movq | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Movsxd => {
            either(thread(1), None)
        }
        Mnemonic::Bsf | Mnemonic::Bsr | Mnemonic::Tzcnt | Mnemonic::Lzcnt | Mnemonic::Popcnt => either(thread(1), None),
        Mnemonic::Cvtsi2sd | Mnemonic::Cvtsi2ss => either(thread(1), None),
        _ => either(thread(0), if instruction.op_count() > 1 { thread(1) } else { None }),
    }
}

fn wide_target(instruction: &Instruction) -> bool {
    instruction.op_kind(0) != OpKind::Register || instruction.op_register(0).is_gpr64()
}

/// By how much is shifted.
fn shift(instruction: &Instruction, registers: &[i64]) -> u64 {
    match instruction.op_kind(1) {
        OpKind::Register => full(Register::RCX, registers) & 63,
        _ => instruction.immediate(1),
    }
}

/// The value of an operand; of a register, all of it.
fn value(instruction: &Instruction, operand: u32, registers: &[i64]) -> Option<u64> {
    match instruction.op_kind(operand) {
        OpKind::Register if instruction.op_register(operand).is_gpr() => {
            Some(full(instruction.op_register(operand), registers))
        }
        OpKind::Memory if instruction.memory_size().size() == 8 => {
            let address = instruction.virtual_address(operand, 0, |register, _, _| {
                Some(if register.is_gpr() { full(register, registers) } else { 0 })
            })?;
            // SAFETY: the instruction, which is the next to run, reads this memory.
            Some(unsafe { std::ptr::read_unaligned(address as *const u64) })
        }
        OpKind::Register | OpKind::Memory => None,
        _ => Some(instruction.immediate(operand)),
    }
}

/// What is in a general register, or in the one that it is part of.
pub(crate) fn full(register: Register, registers: &[i64]) -> u64 {
    let index = match register.full_register() {
        Register::RAX => libc::REG_RAX,
        Register::RBX => libc::REG_RBX,
        Register::RCX => libc::REG_RCX,
        Register::RDX => libc::REG_RDX,
        Register::RSI => libc::REG_RSI,
        Register::RDI => libc::REG_RDI,
        Register::RBP => libc::REG_RBP,
        Register::RSP => libc::REG_RSP,
        Register::R8 => libc::REG_R8,
        Register::R9 => libc::REG_R9,
        Register::R10 => libc::REG_R10,
        Register::R11 => libc::REG_R11,
        Register::R12 => libc::REG_R12,
        Register::R13 => libc::REG_R13,
        Register::R14 => libc::REG_R14,
        _ => libc::REG_R15,
    };
    registers[index as usize] as u64
}

/// A thread that the order of two addresses tells from those like it: if the other thread is one of them, or may be between
/// two of them.
fn told_by_order(one: u32, two: u32) -> Option<u32> {
    let alike = native::class_of(one) == native::class_of(two);
    let may_be_between = |thread: u32, other: u32| {
        let class = native::class_of(thread);
        // More threads may follow, whose numbers are higher.
        alike
            || other > thread
            || native::look(|explorer, _| {
                let members = explorer.graph().threads().iter().enumerate();
                members.filter(|(_, one)| one.exists && one.class == class).any(|(number, _)| (number as u32) < other)
            })
    };
    [(one, two), (two, one)]
        .into_iter()
        .find(|&(thread, other)| native::is_in_class(thread) && may_be_between(thread, other))
        .map(|(thread, _)| thread)
}
