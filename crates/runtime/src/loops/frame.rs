//! What a function still needs of its frame and of the registers at a place that a call returns to: liveness, found in
//! the machine code.
//!
//! Forward, each register is an address in the frame, or unknown; so every access to the frame is known, and every
//! address of it that goes elsewhere, and whether the functions that get it keep it. Backward, bytes of the frame and
//! registers are live if they are read before they are written, also by handlers of exceptions. What is not understood is an
//! error, and then everything is compared.

mod backward;
mod code;
mod forward;
mod given;
mod needed;
mod table;
mod target;
mod twice;

use super::unwind::{self, Row};
use super::variables::{self, Variable};
use crate::native::Callee;
use backward::Backward;
use code::{Before, Next, Step, decode, leaves};
use forward::{ALL, Forward};
use iced_x86::Register;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(super) use code::writes;

/// The registers that a function leaves as they were, in the order in which they are saved on entry to the checker.
pub(super) const SAVED: [Register; 6] =
    [Register::R15, Register::R14, Register::R13, Register::R12, Register::RBX, Register::RBP];

/// Where the bits for all bytes of a register but the lowest begin.
pub(super) const REST: usize = 8;

/// The registers that arguments are passed in.
const ARGUMENTS: [Register; 7] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9, Register::R10];

/// The registers in which a function returns something. Compilers use the third one for functions of their own languages.
const RESULTS: [Register; 3] = [Register::RAX, Register::RDX, Register::RCX];

/// The registers that a call does not keep.
pub(super) const CLOBBERED: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

/// Larger frames are compared as a whole.
const LARGEST_FRAME: i64 = 1 << 14;

/// What matters at a place that a call returns to. Offsets are from where the frame ends, the caller's stack pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Live {
    /// How far the stack pointer is below the end.
    pub depth: i64,
    /// The live bytes of the frame, without saved registers.
    pub bytes: Vec<Range<i64>>,
    /// A bit for each register whose lowest byte is live, and above [`REST`] one for each whose other bytes are.
    pub registers: u16,
    /// Where registers of callers are saved.
    pub saved: [Option<i64>; 6],
    /// How much of what the caller has passed on the stack is read.
    pub arguments: i64,
    /// Where the function begins.
    pub function: usize,
}

/// What is known of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Unknown,
    /// An address in the frame.
    Frame(i64),
    /// So far behind the address, if it is one, that was in a register when the function was called.
    Given(u8, i64),
}

impl Value {
    /// The same with something added.
    fn moved(self, by: i64) -> Self {
        match self {
            Value::Unknown => Value::Unknown,
            Value::Frame(offset) => Value::Frame(offset.wrapping_add(by)),
            Value::Given(register, offset) => Value::Given(register, offset.wrapping_add(by)),
        }
    }
}

/// What is known of all registers, by number.
type State = [Value; 16];

pub(super) fn number(register: Register) -> Option<usize> {
    let full = register.full_register();
    (Register::RAX..=Register::R15).contains(&full).then(|| full as usize - Register::RAX as usize)
}

fn saved_number(register: Register) -> Option<usize> {
    SAVED.iter().position(|&saved| saved == register.full_register())
}

/// The number of the stack pointer.
pub(super) const RSP: usize = 4;

/// A function that has been understood.
pub(super) struct Function {
    start: usize,
    /// The calls, by where they return to.
    calls: HashMap<u64, usize>,
    /// What is known before each instruction, if the program comes there.
    states: Vec<Option<State>>,
    live: Vec<Vec<u64>>,
    registers: Vec<u16>,
    /// The bytes that each instruction reads; those to which a call is given an address.
    reads: Vec<Vec<Range<i64>>>,
    low: i64,
    arguments: i64,
    escaped: Vec<Escaped>,
    /// Where the program goes on after each call: it returns, or ends by an exception.
    after: Vec<Vec<Next>>,
    /// Where it may come from to each instruction.
    before: Before,
}

/// Understands the function from `start` to `end`. `callee` says what is called at an address.
pub(super) fn understand(start: usize, end: usize, callee: &dyn Fn(usize) -> Callee) -> Result<Function, &'static str> {
    let code = decode(start, end)?;
    let places: HashSet<usize> = code.iter().skip(1).map(|step| step.instruction.ip() as usize).collect();
    if code.iter().any(|step| twice::may_return_twice(step) || twice::keeps_place(step, &places)) {
        return Err("a place to which the program may come back");
    }
    let mut forward = Forward::new(&code, callee, [Value::Unknown; 16], given::DEPTH);
    forward.run()?;
    let stack = forward.after_calls.filter(|_| !forward.calls_differ).map(|state| state[RSP]);
    let Forward { states, escapes, taken, lent, low, needed, .. } = forward;
    if !handlers_agree(&code, &states) {
        return Err("an unknown frame where an exception is caught");
    }
    if low < -LARGEST_FRAME {
        return Err("a large frame");
    }
    let addresses = escapes.iter().chain(taken.iter().map(|(_, offset)| offset));
    if addresses.chain(lent.iter().map(|(_, offset, _)| offset)).any(|&offset| offset >= 0) {
        return Err("the address of an argument");
    }
    let stack = if let Some(Value::Frame(offset)) = stack { Some(offset) } else { None };
    let known = if escapes.contains(&ALL) { None } else { variables::of_function(start, stack) };
    let mut escaped = Vec::new();
    escapes.iter().for_each(|&offset| extents(known.as_deref(), low, offset, None, &mut escaped));
    taken.iter().for_each(|&(at, offset)| extents(known.as_deref(), low, offset, Some(at), &mut escaped));
    escaped.dedup();
    let mut backward = Backward::new(&code, &states, &needed, low, callee)?;
    let unknown = lent.iter().filter(|(_, _, bytes)| bytes.is_none()).map(|&(at, offset, _)| (at, offset));
    for (at, offset) in taken.iter().copied().chain(unknown) {
        let mut ranges = Vec::new();
        extents(known.as_deref(), low, offset, Some(at), &mut ranges);
        backward.reads[at].extend(ranges.into_iter().map(|escaped| escaped.bytes));
    }
    for &(at, _, bytes) in &lent {
        backward.reads[at].extend(bytes.map(|(start, end)| start..end));
    }
    backward.run(&code, &states)?;
    let Backward { live, registers, arguments, reads, .. } = backward;
    let calls = code.iter().enumerate().filter(|(_, step)| step.is_call());
    let calls = calls.map(|(at, step)| (step.instruction.next_ip(), at)).collect();
    let after = code.iter().map(|step| if step.is_call() { step.all_next().collect() } else { Vec::new() }).collect();
    let before = Before::new(&code, |at| states[at].as_ref().is_none_or(|state| leaves(&code[at], state)));
    Ok(Function { start, calls, states, live, registers, reads, low, arguments, escaped, after, before })
}

impl Function {
    /// What matters where a call returns to `address`; `row` is what the unwinder knows there.
    pub(super) fn at(&self, address: usize, row: &Row) -> Option<Live> {
        let &call = self.calls.get(&(address as u64))?;
        let state = self.states[call].as_ref().filter(|state| agrees(state, row))?;
        let Value::Frame(top) = state[RSP] else { return None };
        let ways = || self.after[call].iter().filter_map(|next| if let Next::To(at) = *next { Some(at) } else { None });
        let mut bytes: Vec<Range<i64>> = Vec::new();
        let is_inside =
            |scope: &[Range<usize>]| scope.is_empty() || scope.iter().any(|code| code.contains(&(address - 1)));
        let comes_from = self.before.reaching(call);
        let is_out = |escaped: &&Escaped| escaped.by.is_none_or(|by| comes_from[by]) && is_inside(&escaped.scope);
        let escaped: Vec<&Escaped> = self.escaped.iter().filter(is_out).collect();
        // What the call is given belongs to it until it returns: the caller may be done with it, as with what it has moved.
        let given = &self.reads[call];
        let is_saved = |at: i64| row.saved.iter().flatten().any(|&saved| (saved..saved + 8).contains(&at));
        for offset in self.low.max(top)..-8 {
            let bit = (offset - self.low) as usize;
            let live = ways().any(|at| self.live[at][bit / 64] >> (bit % 64) & 1 == 1)
                || escaped.iter().any(|escaped| escaped.bytes.contains(&offset))
                || given.iter().any(|bytes| bytes.contains(&offset));
            if live && !is_saved(offset) {
                match bytes.last_mut() {
                    Some(last) if last.end == offset => last.end += 1,
                    _ => bytes.push(offset..offset + 1),
                }
            }
        }
        let is_lost = self.after[call].iter().any(|next| !matches!(next, Next::To(_)));
        let registers = ways().fold(if is_lost { !0 } else { 0 }, |all, at| all | self.registers[at]);
        Some(Live { depth: -top, bytes, registers, saved: row.saved, arguments: self.arguments, function: self.start })
    }

    /// Whether only the function itself can access a byte of its frame, whose address goes nowhere.
    pub(super) fn is_known_to_itself(&self, offset: i64) -> bool {
        !self.escaped.iter().any(|escaped| escaped.bytes.contains(&offset))
    }
}

/// Whether the unwinder sees the frame in the same way.
fn agrees(state: &State, row: &Row) -> bool {
    match row.base {
        unwind::Base::StackPointer(offset) => state[RSP] == Value::Frame(-offset),
        unwind::Base::FramePointer(offset) => {
            state[number(Register::RBP).expect("a register")] == Value::Frame(-offset)
        }
    }
}

/// Whether it does so wherever exceptions are caught.
fn handlers_agree(code: &[Step], states: &[Option<State>]) -> bool {
    let pads = code.iter().filter_map(|step| step.pad).filter_map(|pad| match pad.at {
        Next::To(at) => Some(at),
        _ => None,
    });
    let agrees = |at: usize| {
        let row = unwind::row_at(code[at].instruction.ip() as usize);
        states[at].as_ref().is_none_or(|state| row.is_some_and(|row| agrees(state, &row)))
    };
    pads.into_iter().all(agrees)
}

/// Bytes of the frame whose address goes elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Escaped {
    bytes: Range<i64>,
    /// The code in which the variable exists; everywhere, if there is none.
    scope: Vec<Range<usize>>,
    /// The instruction by which it goes elsewhere; nobody knows when, if there is none.
    by: Option<usize>,
}

/// The bytes that belong to an address which goes elsewhere: the variables there; from the address up, if it is none of a
/// variable's; and everything, if nothing is known of variables. `by` is the instruction by which the address goes
/// elsewhere; if it is known, nobody can use the address when the variable does not exist any more, or again.
fn extents(known: Option<&Vec<Variable>>, low: i64, offset: i64, by: Option<usize>, escaped: &mut Vec<Escaped>) {
    let Some(known) = known else { return escaped.push(Escaped { bytes: low..0, scope: Vec::new(), by }) };
    let before = escaped.len();
    for variable in known.iter().filter(|variable| (variable.start..variable.end).contains(&offset)) {
        let scope = if by.is_some() { variable.scope.clone() } else { Vec::new() };
        escaped.push(Escaped { bytes: variable.start..variable.end, scope, by });
    }
    if escaped.len() == before {
        // Without optimisation nothing shares its place with a variable.
        let is_plain = known.iter().all(|variable| variable.is_fixed);
        let next = known.iter().map(|variable| variable.start).filter(|&start| start > offset).min();
        let end = next.filter(|_| is_plain).unwrap_or(0);
        escaped.push(Escaped { bytes: offset..end, scope: Vec::new(), by });
    }
}
