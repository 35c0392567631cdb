//! Which function a call calls, and whether it ever returns.

use crate::loops::unwind;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;

/// The function that an instruction calls or jumps to, if it is always the same.
pub(super) fn of(instruction: &Instruction) -> Option<usize> {
    if !matches!(instruction.mnemonic(), Mnemonic::Call | Mnemonic::Jmp) {
        return None;
    }
    match instruction.flow_control() {
        FlowControl::Call | FlowControl::UnconditionalBranch => Some(instruction.near_branch_target() as usize),
        FlowControl::IndirectCall | FlowControl::IndirectBranch if instruction.is_ip_rel_memory_operand() => {
            let place = instruction.ip_rel_memory_address() as usize;
            is_constant(place).then(|| entry(instruction))
        }
        _ => None,
    }
}

/// What a table of functions has where an instruction looks.
pub(super) fn entry(instruction: &Instruction) -> usize {
    let place = instruction.ip_rel_memory_address() as *const usize;
    // SAFETY: the place belongs to the object that the instruction is in, and is filled when that is loaded.
    unsafe { std::ptr::read_unaligned(place) }
}

/// Whether an instruction calls a function that never returns: it may end by an exception, if at all.
pub(super) fn never_returns(instruction: &Instruction) -> bool {
    thread_local! {
        static KNOWN: RefCell<HashMap<usize, bool>> = RefCell::default();
    }
    let Some(called) = of(instruction).filter(|_| instruction.mnemonic() == Mnemonic::Call) else { return false };
    let known = KNOWN.with_borrow(|all| all.get(&called).copied());
    known.unwrap_or_else(|| {
        let found = has_no_end(called);
        KNOWN.with_borrow_mut(|all| all.insert(called, found));
        found
    })
}

/// Whether a function neither returns nor jumps out of its code.
fn has_no_end(address: usize) -> bool {
    let look_up = || unwind::look_up(address.checked_add(1)?);
    let Some((code, _)) = look_up().filter(|(code, _)| code.start == address) else { return false };
    // SAFETY: the unwinder has said that this is the code of a function, which stays where it is.
    let bytes = unsafe { std::slice::from_raw_parts(code.start as *const u8, code.len()) };
    let stays = |instruction: Instruction| match instruction.flow_control() {
        FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => !instruction.is_invalid(),
        FlowControl::Interrupt | FlowControl::Exception => !instruction.is_invalid(),
        FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
            code.contains(&(instruction.near_branch_target() as usize))
        }
        _ => false,
    };
    Decoder::with_ip(64, bytes, code.start as u64, DecoderOptions::NONE).into_iter().all(stays)
}

/// Whether nobody can write to a place: it is read-only, or the loader has made it so.
fn is_constant(place: usize) -> bool {
    struct Search {
        place: usize,
        found: bool,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> i32 {
        // SAFETY: the loader calls with a valid description, and with what it was given below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: the table has so many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            let is_constant = match header.p_type {
                libc::PT_LOAD => header.p_flags & libc::PF_W == 0,
                kind => kind == libc::PT_GNU_RELRO,
            };
            search.found |= is_constant && (start..start + header.p_memsz as usize).contains(&search.place);
        }
        i32::from(search.found)
    }
    let mut search = Search { place, found: false };
    // SAFETY: `look` gets what is given, and nothing else uses it meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}
