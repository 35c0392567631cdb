//! What the unwinder knows of a function: where it begins and ends, and for a place in it how to find the caller's frame.
//! It is read from the tables that exceptions use, which are in memory with the code.

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EndianSlice, FrameDescriptionEntry, NativeEndian, Pointer, Reader, RegisterRule,
    UnwindContext, UnwindSection, X86_64,
};
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

/// An entry of the tables about a function, and what is needed to read it.
struct Entry {
    section: EhFrame<EndianSlice<'static, NativeEndian>>,
    bases: BaseAddresses,
    entry: FrameDescriptionEntry<EndianSlice<'static, NativeEndian>>,
}

/// The entry about the function that an address is in.
fn entry(address: usize) -> Option<Entry> {
    let mut bases = Bases { text: 0, data: 0, function: 0 };
    // SAFETY: the tables are those of the process, and stay.
    let entry = unsafe { _Unwind_Find_FDE(address, &mut bases) };
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
    let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) };
    let section = EhFrame::new(bytes, NativeEndian);
    let bases = BaseAddresses::default().set_eh_frame(start as u64);
    let offset = gimli::EhFrameOffset(entry.addr() - start);
    let entry = section.fde_from_offset(&bases, offset, EhFrame::cie_from_offset).ok()?;
    Some(Entry { section, bases, entry })
}

impl Entry {
    /// The code that the entry is about.
    fn code(&self) -> Range<usize> {
        self.entry.initial_address() as usize..self.entry.end_address() as usize
    }

    /// What is known at an address, and how much is passed on the stack there to a function that is called.
    fn row(&self, address: u64) -> Option<(Row, i64)> {
        let mut context = UnwindContext::new();
        let row = self.entry.unwind_info_for_address(&self.section, &self.bases, &mut context, address).ok()?;
        let base = match *row.cfa() {
            CfaRule::RegisterAndOffset { register: X86_64::RSP, offset } => Base::StackPointer(offset),
            CfaRule::RegisterAndOffset { register: X86_64::RBP, offset } => Base::FramePointer(offset),
            _ => return None,
        };
        let mut saved = [None; 6];
        for (saved, register) in saved.iter_mut().zip(REGISTERS) {
            *saved = match row.register(register) {
                Some(RegisterRule::Offset(offset)) => Some(offset),
                None | Some(RegisterRule::Undefined | RegisterRule::SameValue) => None,
                Some(_) => return None,
            };
        }
        Some((Row { base, saved }, row.saved_args_size() as i64))
    }

    /// Whether a function begins with this code; else it is a part that was moved away. `None` if that is not known.
    fn is_beginning(&self) -> Option<bool> {
        let (first, _) = self.row(self.entry.initial_address())?;
        Some(first == Row { base: Base::StackPointer(8), saved: [None; 6] })
    }
}

/// The function that a call returns to at `address`, and what is known of its frame there. `None` also for the part of a
/// function that was moved away from its beginning.
pub(super) fn look_up(address: usize) -> Option<(Range<usize>, Row)> {
    // The call is just before the address.
    let entry = entry(address - 1).filter(|entry| entry.code().contains(&(address - 1)))?;
    let (row, _) = entry.row(address as u64 - 1)?;
    entry.is_beginning()?.then(|| (entry.code(), row))
}

/// What is known at an address of the frame there.
pub(super) fn row_at(address: usize) -> Option<Row> {
    let entry = entry(address).filter(|entry| entry.code().contains(&address))?;
    entry.row(address as u64).map(|(row, _)| row)
}

/// The part of a function, moved away from its beginning, that has an address.
pub(super) fn part_at(address: usize) -> Option<Range<usize>> {
    let entry = entry(address).filter(|entry| entry.code().contains(&address))?;
    (!entry.is_beginning()?).then(|| entry.code())
}

/// The code of calls, and where it goes on after them. What other calls throw is not caught.
type Caught = Vec<(Range<usize>, usize)>;

/// Where calls lead that end by an exception.
pub(super) struct Handlers {
    entry: Entry,
    of_calls: Caught,
}

impl Handlers {
    /// Where the program goes on if a call throws whose last byte is at `address`; and how much that it was passed on the
    /// stack is gone then. The error is that the latter is not known.
    pub(super) fn of_call(&self, address: usize) -> Result<Option<(usize, i64)>, &'static str> {
        let Some(&(_, handler)) = self.of_calls.iter().find(|(calls, _)| calls.contains(&address)) else {
            return Ok(None);
        };
        let (_, passed) = self.entry.row(address as u64).ok_or("an unknown frame at a call")?;
        Ok(Some((handler, passed)))
    }
}

/// Where exceptions are caught by the code that begins at `start`. `None` if that is not known.
pub(super) fn handlers(start: usize) -> Option<Handlers> {
    let entry = entry(start).filter(|entry| entry.code().start == start)?;
    let table = match entry.entry.lsda() {
        None => return Some(Handlers { entry, of_calls: Vec::new() }),
        Some(Pointer::Direct(table)) => table,
        Some(Pointer::Indirect(_)) => return None,
    };
    // SAFETY: the table is in memory. How long it is, it says itself; nothing behind its end is read.
    let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(table as *const u8, LONGEST_TABLE) };
    let of_calls = read_handlers(&mut EndianSlice::new(bytes, NativeEndian), start).ok().flatten()?;
    Some(Handlers { entry, of_calls })
}

/// Tables are shorter.
const LONGEST_TABLE: usize = 1 << 20;

/// Reads a table of handlers, in the form that the C++ ABI for Itanium gives it and that compilers for Linux use.
fn read_handlers(table: &mut EndianSlice<'static, NativeEndian>, function: usize) -> gimli::Result<Option<Caught>> {
    let omitted = gimli::DW_EH_PE_omit.0;
    if table.read_u8()? != omitted {
        // Handlers are counted from somewhere else.
        return Ok(None);
    }
    if table.read_u8()? != omitted {
        // Where the types of exceptions are.
        table.read_uleb128()?;
    }
    let encoding = gimli::DwEhPe(table.read_u8()?);
    let number = |table: &mut EndianSlice<'static, NativeEndian>| match encoding {
        gimli::DW_EH_PE_uleb128 => table.read_uleb128(),
        gimli::DW_EH_PE_udata4 => table.read_u32().map(u64::from),
        _ => Err(gimli::Error::UnknownPointerEncoding(encoding)),
    };
    let length = table.read_uleb128()? as usize;
    let mut calls = table.split(length)?;
    let mut handlers = Vec::new();
    while !calls.is_empty() {
        let start = function.wrapping_add(number(&mut calls)? as usize);
        let length = number(&mut calls)? as usize;
        let handler = number(&mut calls)? as usize;
        calls.read_uleb128()?;
        if handler != 0 {
            handlers.push((start..start.wrapping_add(length), function.wrapping_add(handler)));
        }
    }
    Ok(Some(handlers))
}
