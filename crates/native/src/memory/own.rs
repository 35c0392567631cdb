//! Whether a function alone knows the part of its frame that an instruction accesses. The compiler has marked where addresses of
//! frames are given away (`build/own.rs`), and the debug information says where variables are.

use crate::build::own::GIVEN_AWAY;
use crate::check::order;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use quotient_runtime::native;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// The addresses of a frame that its function gives away: from the frame pointer, and whether an index is added.
type GivenAway = Rc<[(i64, bool)]>;

thread_local! {
    /// Instructions of which it is known that they may access what others know.
    static SHARED: RefCell<HashSet<usize>> = RefCell::default();
}

/// Whether the instruction at an address, with these registers, accesses what only its function knows, whatever is in the registers.
pub(crate) fn is_private(pc: usize, registers: &[i64]) -> bool {
    if SHARED.with_borrow(|all| all.contains(&pc)) {
        return false;
    }
    let instruction = order::read(pc);
    let variable = if instruction.memory_base() == Register::RBP && !is_string(&instruction) {
        variable_of_function(pc, instruction.memory_displacement64() as i64)
    } else {
        None
    };
    let Some(variable) = variable else {
        SHARED.with_borrow_mut(|all| all.insert(pc));
        return false;
    };
    let index = match instruction.memory_index() {
        Register::None => 0,
        index => (order::full(index, registers) as i64).wrapping_mul(i64::from(instruction.memory_index_scale())),
    };
    // With another index, it is still in the same variable.
    variable.contains(&(instruction.memory_displacement64() as i64).wrapping_add(index))
}

/// The variable, or what lies between two of them, at an offset in the frame of the function at an address, if nobody else knows it.
fn variable_of_function(pc: usize, offset: i64) -> Option<Range<i64>> {
    let function = native::function_around(pc)?;
    let place = native::place_in_frame(function.start, offset)?;
    let is_known = given_away(function.clone()).iter().any(|&at| may_be_in(function.start, at, &place));
    (!is_known).then_some(place)
}

/// Whether an address that is given away may be in a variable.
fn may_be_in(function: usize, (at, has_index): (i64, bool), place: &Range<i64>) -> bool {
    // Which variable an index begins in is known if it begins where the variable does.
    let is_known = !has_index || native::place_in_frame(function, at).is_some_and(|other| other.start == at);
    !is_known || place.contains(&at)
}

fn is_string(instruction: &Instruction) -> bool {
    instruction.is_string_instruction() || instruction.has_rep_prefix() || instruction.has_repne_prefix()
}

/// What a function gives away.
fn given_away(function: Range<usize>) -> GivenAway {
    thread_local! {
        static KNOWN: RefCell<HashMap<usize, GivenAway>> = RefCell::default();
    }
    let known = KNOWN.with_borrow(|all| all.get(&function.start).cloned());
    known.unwrap_or_else(|| {
        let found: GivenAway = find(function.clone()).into();
        KNOWN.with_borrow_mut(|all| all.insert(function.start, found.clone()));
        found
    })
}

fn find(function: Range<usize>) -> Vec<(i64, bool)> {
    // SAFETY: the tables of the program say that this is the code of a function, which stays where it is.
    let bytes = unsafe { std::slice::from_raw_parts(function.start as *const u8, function.len()) };
    let mut found = Vec::new();
    let mut decoder = Decoder::with_ip(64, bytes, function.start as u64, DecoderOptions::NONE);
    let mut is_marked = false;
    for instruction in &mut decoder {
        let at = instruction.ip() as usize - function.start;
        if is_marked && instruction.mnemonic() == Mnemonic::Lea && instruction.op1_kind() == OpKind::Memory {
            let has_index = instruction.memory_index() != Register::None;
            match instruction.memory_base() {
                Register::RBP => found.push((instruction.memory_displacement64() as i64, has_index)),
                // Nothing is known of addresses that are made in other ways.
                _ => found.push((i64::MIN, true)),
            }
        }
        is_marked = bytes[at..].starts_with(&GIVEN_AWAY);
    }
    found
}
