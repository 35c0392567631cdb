//! What a function does with addresses that it is given, as its code says: whether it keeps them, and what it looks at. A
//! variable whose address goes to functions that do not keep it is nobody else's, whatever is known of variables.

use super::code::{Next, Step, decode, leaves};
use super::forward::Forward;
use super::{ARGUMENTS, RESULTS, State, Value, number, target, twice};
use crate::loops::unwind;
use crate::native::Callee;
use iced_x86::{FlowControl, Mnemonic, Register};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// How many calls deep it is looked what becomes of addresses. What is found does not depend on what was asked before.
pub(super) const DEPTH: u32 = 6;

/// Of longer functions nothing is known.
const MOST_INSTRUCTIONS: usize = 2_000;

/// What becomes of addresses that are in registers when a function is called. Registers are numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// A bit for each register whose address may be known to others afterwards.
    kept: u16,
    /// A bit for each register with accesses at places that are computed.
    computed: u16,
    /// The other accesses: the register, and the bytes from its address on.
    bytes: BTreeSet<(u8, i64, i64)>,
}

impl Given {
    /// Of a function of which nothing is known.
    fn unknown() -> Self {
        Given { kept: !0, computed: !0, bytes: BTreeSet::new() }
    }

    /// The address of a register goes elsewhere.
    pub(super) fn keep(&mut self, register: u8) {
        self.kept |= 1 << register;
    }

    /// Bytes at the address of a register are accessed.
    pub(super) fn look(&mut self, register: u8, bytes: Range<i64>) {
        self.bytes.insert((register, bytes.start, bytes.end));
    }

    /// What is `offset` behind the address of a register goes to a function in the register `to`.
    pub(super) fn pass(&mut self, register: u8, offset: i64, called: &Given, to: u8) {
        if called.keeps(to) {
            return self.keep(register);
        }
        match called.looks_at(to) {
            None => self.computed |= 1 << register,
            Some(all) => {
                all.for_each(|bytes| self.look(register, bytes.start + offset..bytes.end + offset));
            }
        }
    }

    /// Whether others may know the address afterwards.
    pub(super) fn keeps(&self, register: u8) -> bool {
        self.kept >> register & 1 == 1
    }

    /// The bytes that are accessed, from the address on; `None` if they may be any.
    pub(super) fn looks_at(&self, register: u8) -> Option<impl Iterator<Item = Range<i64>>> {
        let own = self.bytes.iter().filter(move |(of, ..)| *of == register);
        (self.computed >> register & 1 == 0).then(|| own.map(|&(_, start, end)| start..end))
    }

    /// What an instruction accesses.
    fn note(&mut self, step: &Step, state: &State) {
        for memory in &step.memory {
            let value = |register: Register| number(register).map_or(Value::Unknown, |number| state[number]);
            let size = memory.memory_size().size() as i64;
            let is_plain = memory.index() == Register::None && memory.base().size() == 8 && size > 0;
            match value(memory.base()) {
                Value::Given(by, offset) if is_plain => {
                    let start = offset.wrapping_add(memory.displacement() as i64);
                    self.look(by, start..start.saturating_add(size));
                }
                Value::Given(by, _) => self.computed |= 1 << by,
                _ => {}
            }
            if let Value::Given(by, _) = value(memory.index()) {
                self.computed |= 1 << by;
            }
        }
    }

    /// What others get to know where the function is left.
    fn leave(&mut self, step: &Step, state: &State, callee: &dyn Fn(usize) -> Callee, depth: u32) {
        let flow = step.instruction.flow_control();
        if !step.all_next().any(|next| matches!(next, Next::Away | Next::Anywhere)) {
            return;
        }
        let is_end = leaves(step, state) && !step.all_next().any(|next| next == Next::Anywhere);
        for (at, value) in state.iter().enumerate() {
            let Value::Given(by, offset) = *value else { continue };
            let is_one_of = |registers: &[Register]| registers.iter().any(|&register| number(register) == Some(at));
            if !is_end {
                self.keep(by);
            } else if flow == FlowControl::Return {
                if is_one_of(&RESULTS) {
                    self.keep(by);
                }
            } else if is_one_of(&ARGUMENTS) {
                self.pass(by, offset, &of_call(step, callee, depth), at as u8);
            }
        }
    }
}

/// What becomes of addresses that are given to a call, or to a function that is jumped to.
pub(super) fn of_call(step: &Step, callee: &dyn Fn(usize) -> Callee, depth: u32) -> Rc<Given> {
    let Some(called) = target::of(&step.instruction).filter(|_| depth > 0) else { return Rc::new(Given::unknown()) };
    thread_local! {
        static KNOWN: RefCell<HashMap<(usize, u32), Rc<Given>>> = RefCell::default();
    }
    let key = (called, depth);
    KNOWN.with_borrow(|all| all.get(&key).cloned()).unwrap_or_else(|| {
        let found = Rc::new(of_function(called, callee, depth - 1).unwrap_or_else(Given::unknown));
        KNOWN.with_borrow_mut(|all| all.insert(key, found.clone()));
        found
    })
}

/// What the function at an address does; `None` if its code is not understood.
fn of_function(address: usize, callee: &dyn Fn(usize) -> Callee, depth: u32) -> Option<Given> {
    let (function, _) = unwind::look_up(address.checked_add(1)?)?;
    // No instruction is longer than 16 bytes.
    if function.start != address || function.len() > 16 * MOST_INSTRUCTIONS {
        return None;
    }
    let code = decode(function.start, function.end).ok()?;
    let is_odd = |step: &Step| {
        // Calls of the system are calls, too.
        let is_call = step.instruction.flow_control() == FlowControl::Call;
        is_call && step.instruction.mnemonic() != Mnemonic::Call || twice::may_return_twice(step)
    };
    if code.len() > MOST_INSTRUCTIONS || code.iter().any(is_odd) {
        return None;
    }
    let mut first = [Value::Unknown; 16];
    for register in ARGUMENTS.into_iter().filter_map(number) {
        first[register] = Value::Given(register as u8, 0);
    }
    let mut forward = Forward::new(&code, callee, first, depth);
    forward.run().ok()?;
    let Forward { mut given, states, .. } = forward;
    for (step, state) in code.iter().zip(&states) {
        let Some(state) = state else { continue };
        given.note(step, state);
        given.leave(step, state, callee, depth);
    }
    Some(given)
}
