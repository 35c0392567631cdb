//! What the unwinder knows of a function: where it begins and ends, and for a place in it how to find the caller's frame.
//! It is read from the tables that exceptions use, which are in memory with the code.

use gimli::{BaseAddresses, CfaRule, EhFrame, NativeEndian, RegisterRule, UnwindContext, UnwindSection, X86_64};
use std::ops::Range;

/// How the end of a frame is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// So far above the stack pointer.
    StackPointer(i64),
    /// So far above the frame pointer.
    FramePointer(i64),
}

/// What is known of a frame at one place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub base: Base,
    /// Where the registers of callers are saved, from the end of the frame; in the order of `frame::SAVED`.
    pub saved: [Option<i64>; 6],
}

#[repr(C)]
struct Bases {
    text: usize,
    data: usize,
    function: usize,
}

unsafe extern "C" {
    fn _Unwind_Find_FDE(pc: usize, bases: *mut Bases) -> *const u32;
}

/// The registers of `frame::SAVED` as the tables number them.
const REGISTERS: [gimli::Register; 6] = [X86_64::R15, X86_64::R14, X86_64::R13, X86_64::R12, X86_64::RBX, X86_64::RBP];

/// The function that a call returns to at `address`, and what is known of its frame there. `None` also for the part of a
/// function that was moved away from its beginning.
pub(super) fn look_up(address: usize) -> Option<(Range<usize>, Row)> {
    let mut bases = Bases { text: 0, data: 0, function: 0 };
    // SAFETY: the call is just before the address; the tables are those of the process, and stay.
    let entry = unsafe { _Unwind_Find_FDE(address - 1, &mut bases) };
    if entry.is_null() {
        return None;
    }
    // SAFETY: an entry begins with its length, and the distance to what it has in common with others.
    let (length, distance) = unsafe { (*entry as usize, *entry.add(1) as usize) };
    let end = entry.addr() + 4 + length;
    let start = entry.addr() + 4 - distance;
    if length == 0 || length == u32::MAX as usize || start > entry.addr() {
        return None;
    }
    // SAFETY: both are in the table, which is in memory from one to the other.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) };
    let section = EhFrame::new(bytes, NativeEndian);
    let bases = BaseAddresses::default().set_eh_frame(start as u64);
    let offset = gimli::EhFrameOffset(entry.addr() - start);
    let entry = section.fde_from_offset(&bases, offset, EhFrame::cie_from_offset).ok()?;
    let function = entry.initial_address() as usize..entry.end_address() as usize;
    if !function.contains(&(address - 1)) {
        return None;
    }
    let row = |address: u64| {
        let mut context = UnwindContext::new();
        let row = entry.unwind_info_for_address(&section, &bases, &mut context, address).ok()?;
        let base = match *row.cfa() {
            CfaRule::RegisterAndOffset { register: X86_64::RSP, offset } => Base::StackPointer(offset),
            CfaRule::RegisterAndOffset { register: X86_64::RBP, offset } => Base::FramePointer(offset),
            _ => return None,
        };
        let mut saved = [None; 6];
        for (saved, register) in saved.iter_mut().zip(REGISTERS) {
            *saved = match row.register(register) {
                RegisterRule::Offset(offset) => Some(offset),
                RegisterRule::Undefined | RegisterRule::SameValue => None,
                _ => return None,
            };
        }
        Some(Row { base, saved })
    };
    let first = row(entry.initial_address())?;
    let is_beginning = first == Row { base: Base::StackPointer(8), saved: [None; 6] };
    row(address as u64 - 1).filter(|_| is_beginning).map(|row| (function, row))
}
