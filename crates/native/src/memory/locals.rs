//! The local variable at an address of a stack: what the debug information (DWARF 5) says of the frames that are there.
//! Frames of the running thread are found by unwinding, those of others by their frame pointers.

use crate::machine::{Machine, machine};
use crate::calls::abi::read_memory;
use crate::memory::address_space::{self, Part};
use crate::memory::symbols::Symbols;
use crate::memory::unwritten;
use addr2line::gimli::{
    self, AttributeValue, DW_ATE_float, DebuggingInformationEntry, Dwarf, EndianSlice, NativeEndian, Operation, Unit,
    UnitOffset, X86_64,
};
use object::{Object, ObjectSection};
use std::ffi::c_void;
use std::path::Path;

/// A variable, and the part of it that was asked for.
pub(crate) struct Local {
    pub name: String,
    /// The file, by its number in the line table of its unit, resolved; and the line.
    file: Option<String>,
    line: Option<u64>,
    pub is_parameter: bool,
    /// The scalar that begins at the address, if there is one.
    pub leaf: Option<Leaf>,
}

/// A part of a variable that has no parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub size: usize,
    pub is_float: bool,
}

impl Local {
    /// Where it was declared.
    pub(crate) fn place(&self, machine: &Machine) -> String {
        let file = self.file.as_ref().map(|file| match machine.image() {
            Some(image) => image.symbols.relative(file.clone()),
            None => file.clone(),
        });
        match (file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (_, Some(line)) => format!("line {line}"),
            _ => "a place that is not known".to_owned(),
        }
    }
}

type Reader = EndianSlice<'static, NativeEndian>;
type Entry = DebuggingInformationEntry<Reader>;

/// The debug information of the program.
pub(crate) struct Information {
    dwarf: Dwarf<Reader>,
}

impl Information {
    /// Reads it. It stays in memory.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let data: &'static [u8] = Box::leak(quotient_runtime::files::read(path).ok()?.into_boxed_slice());
        let file = object::File::parse(data).ok()?;
        let section = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
            let data: &'static [u8] = match data.unwrap_or_default() {
                std::borrow::Cow::Borrowed(data) => data,
                std::borrow::Cow::Owned(data) => Box::leak(data.into_boxed_slice()),
            };
            Ok(EndianSlice::new(data, NativeEndian))
        };
        Some(Information { dwarf: Dwarf::load(section).ok()? })
    }
}

/// A frame: where its code is, its frame pointer, and the lowest address of the stack that is not part of it or of what it
/// has called.
#[derive(Clone, Copy, Debug)]
struct Frame {
    pc: usize,
    pointer: usize,
    sp: usize,
}

/// The variable at an address of the stack of a thread.
pub(crate) fn find(owner: u32, address: usize) -> Option<Local> {
    let machine = machine();
    let frames = all_frames(machine, owner);
    let image = machine.image()?;
    let is_users = |frame: &&Frame| image.is_users(frame.pc);
    // The frame that the address is in is the first that ends above it; that it has no variable there may be because the
    // address belongs to what was inlined into another one, so all are asked.
    let frames = frames.iter().filter(is_users).filter(|frame| frame.sp <= address && address < frame.pointer + 16);
    frames.into_iter().find_map(|frame| variable(&image.symbols, frame, address))
}

/// Whether an address is in the frame with this frame pointer, of a function that is still there.
pub(crate) fn is_in_frame(owner: u32, pointer: usize, address: usize) -> bool {
    let frames = all_frames(machine(), owner);
    frames.iter().any(|frame| frame.pointer == pointer && (frame.sp..pointer).contains(&address))
}

fn all_frames(machine: &Machine, owner: u32) -> Vec<Frame> {
    if owner == machine.here.get().thread { own_frames() } else { frames_of(machine, owner) }
}

extern "C" fn look(context: *mut c_void, frames: *mut c_void) -> i32 {
    // SAFETY: the unwinder calls with its context and with what it was given below.
    unsafe {
        let frames = &mut *frames.cast::<Vec<Frame>>();
        frames.push(Frame {
            pc: _Unwind_GetIP(context),
            pointer: _Unwind_GetGR(context, i32::from(X86_64::RBP.0)),
            sp: _Unwind_GetCFA(context),
        });
        i32::from(frames.len() > MOST_FRAMES) * 5
    }
}

/// More frames are not looked at.
const MOST_FRAMES: usize = 256;

unsafe extern "C" {
    fn _Unwind_Backtrace(look: extern "C" fn(*mut c_void, *mut c_void) -> i32, argument: *mut c_void) -> i32;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
    fn _Unwind_GetGR(context: *mut c_void, register: i32) -> usize;
}

/// The frames of the thread that runs, the innermost first.
fn own_frames() -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    // SAFETY: `look` gets what is given, and nothing else uses it meanwhile.
    unsafe { _Unwind_Backtrace(look, (&raw mut frames).cast()) };
    frames
}

/// The frames of a thread that waits in a call, as far as they are the program's own.
fn frames_of(machine: &Machine, owner: u32) -> Vec<Frame> {
    let (lowest, highest) = address_space::stack(owner);
    let top = machine.threads.borrow().top(owner);
    let is_inside = |address: usize| (lowest + 4096..highest - 8).contains(&address) && address.is_multiple_of(8);
    let mut frames = Vec::new();
    if !is_inside(top) || !is_inside(top + 48) {
        return frames;
    }
    // SAFETY: these are words of the stack of a thread, which is mapped.
    let word = |address: usize| unsafe { *(address as *const usize) };
    // The stub of the call has saved the frame pointer, and below is where it was called from.
    let (mut pointer, mut pc, mut sp) = (word(top + 40), word(top + 48), top + 56);
    while frames.len() < MOST_FRAMES && is_inside(pointer) && is_inside(pointer + 8) && pointer >= sp.saturating_sub(16)
    {
        frames.push(Frame { pc, pointer, sp });
        sp = pointer + 16;
        (pc, pointer) = (word(pointer + 8), word(pointer));
    }
    frames
}

/// The variable at an address, among those of the function that a frame belongs to and of what was inlined there.
fn variable(symbols: &Symbols, frame: &Frame, address: usize) -> Option<Local> {
    let information = symbols.information()?;
    let dwarf = &information.dwarf;
    let pc = symbols.unmoved(frame.pc).checked_sub(1)?;
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let mut ranges = dwarf.unit_ranges(&unit).ok()?;
        let mut contains = false;
        while let Ok(Some(range)) = ranges.next() {
            contains |= (range.begin..range.end).contains(&pc);
        }
        if contains && let Some(found) = in_unit(dwarf, &unit, pc, frame, address) {
            return Some(found);
        }
    }
    None
}

/// The name of the variable that is declared in the line of the code at an address, if there is only one.
pub(crate) fn name_of_declared(pc: usize) -> Option<String> {
    let symbols = &machine().image()?.symbols;
    let (_, line, _) = symbols.place(pc)?;
    let pc = symbols.unmoved(pc).checked_sub(1)?;
    let dwarf = &symbols.information()?.dwarf;
    let mut names = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let mut entries = unit.entries();
        let mut function = None;
        while let Ok(Some(entry)) = entries.next_dfs() {
            let depth = entry.depth();
            if function.is_some_and(|above| depth <= above) {
                break;
            }
            let is_variable = entry.tag() == gimli::DW_TAG_variable && function.is_some();
            if entry.tag() == gimli::DW_TAG_subprogram && has_code(dwarf, &unit, entry, pc) == Some(true) {
                function = Some(depth);
            } else if is_variable {
                let about = origin(&unit, entry);
                let named = about.as_ref().unwrap_or(entry);
                let name = named.attr(gimli::DW_AT_name);
                let name = name.and_then(|name| dwarf.attr_string(&unit, name.value()).ok());
                if let Some(name) = name.filter(|_| number(named, gimli::DW_AT_decl_line) == Some(line.into())) {
                    names.push(name.to_string_lossy().into_owned());
                }
            }
        }
    }
    names.sort();
    names.dedup();
    if names.len() == 1 { names.pop() } else { None }
}

fn in_unit(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, pc: u64, frame: &Frame, address: usize) -> Option<Local> {
    let mut entries = unit.entries();
    // How deep the function is, and what its variables are relative to.
    let mut function: Option<(isize, usize)> = None;
    // Blocks that the code is not in.
    let mut skipped: Option<isize> = None;
    while let Ok(Some(entry)) = entries.next_dfs() {
        let depth = entry.depth();
        if function.is_some_and(|(above, _)| depth <= above) {
            return None;
        }
        if skipped.is_some_and(|above| depth > above) {
            continue;
        }
        skipped = None;
        match entry.tag() {
            gimli::DW_TAG_subprogram if function.is_none() && has_code(dwarf, unit, entry, pc) == Some(true) => {
                function = Some((depth, frame_base(unit, entry, frame)?));
            }
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine
                if function.is_some() && has_code(dwarf, unit, entry, pc) == Some(false) =>
            {
                skipped = Some(depth);
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                let Some((_, base)) = function else { continue };
                if let Some(found) = is_at(dwarf, unit, entry, (pc, base), address) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the code of an entry contains an address; `None` if it does not say.
fn has_code(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, entry: &Entry, pc: u64) -> Option<bool> {
    let mut ranges = dwarf.die_ranges(unit, entry).ok()?;
    let mut any = None;
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&pc) {
            return Some(true);
        }
        any = Some(false);
    }
    any
}

fn frame_base(unit: &Unit<Reader>, entry: &Entry, frame: &Frame) -> Option<usize> {
    let value = entry.attr_value(gimli::DW_AT_frame_base)?;
    let AttributeValue::Exprloc(expression) = value else { return None };
    match expression.operations(unit.encoding()).next().ok()?? {
        // All code of the program keeps a frame pointer.
        Operation::CallFrameCFA => Some(frame.pointer + 16),
        Operation::Register { register } if register == X86_64::RBP => Some(frame.pointer),
        _ => None,
    }
}

/// The offset of a variable from the base of its frame, if it has a place there, and whether its address is there instead.
fn offset(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, entry: &Entry, pc: u64) -> Option<(i64, bool)> {
    let of = |expression: gimli::Expression<Reader>| {
        let mut operations = expression.operations(unit.encoding());
        let Ok(Some(Operation::FrameOffset { mut offset })) = operations.next() else { return None };
        // Where Clang has put room around variables, it says where all of them begin, and how far it is from there.
        loop {
            match operations.next() {
                Ok(Some(Operation::PlusConstant { value })) => offset += value as i64,
                Ok(Some(Operation::Deref { .. })) => return Some((offset, true)),
                _ => return Some((offset, false)),
            }
        }
    };
    match entry.attr_value(gimli::DW_AT_location)? {
        AttributeValue::Exprloc(expression) => of(expression),
        list => {
            let mut places = dwarf.attr_locations(unit, list).ok()??;
            while let Ok(Some(place)) = places.next() {
                if (place.range.begin..place.range.end).contains(&pc) {
                    return of(place.data);
                }
            }
            None
        }
    }
}

fn is_at(
    dwarf: &Dwarf<Reader>,
    unit: &Unit<Reader>,
    entry: &Entry,
    (pc, base): (u64, usize),
    address: usize,
) -> Option<Local> {
    let (offset, is_indirect) = offset(dwarf, unit, entry, pc)?;
    let mut start = base.wrapping_add_signed(offset as isize);
    let about = origin(unit, entry);
    let named = about.as_ref().unwrap_or(entry);
    let of = type_of(unit, named).or_else(|| type_of(unit, entry))?;
    let size = if is_indirect {
        // An array whose length was computed: its address is in the frame.
        let is_array = plain_type(unit, of)?.tag() == gimli::DW_TAG_array_type;
        let is_stack = matches!(address_space::part_of(start), Some((_, Part::Stack)));
        if !is_array || !is_stack || address_space::is_guarded(start) {
            return None;
        }
        // SAFETY: it is memory of a stack.
        start = unsafe { read_memory(start, 8) } as usize;
        unwritten::size_of_block(machine(), start)?
    } else {
        size_of_type(unit, of)?
    };
    if address < start || address >= start + size {
        return None;
    }
    let name = named.attr(gimli::DW_AT_name)?;
    let name = dwarf.attr_string(unit, name.value()).ok()?;
    let file = match named.attr_value(gimli::DW_AT_decl_file) {
        Some(AttributeValue::FileIndex(file)) => file_name(dwarf, unit, file),
        _ => None,
    };
    Some(Local {
        name: name.to_string_lossy().into_owned(),
        file,
        line: number(named, gimli::DW_AT_decl_line),
        is_parameter: entry.tag() == gimli::DW_TAG_formal_parameter,
        leaf: leaf(unit, of, address - start, 0),
    })
}

/// What an entry is an instance of.
fn origin(unit: &Unit<Reader>, entry: &Entry) -> Option<Entry> {
    match entry.attr_value(gimli::DW_AT_abstract_origin)? {
        AttributeValue::UnitRef(offset) => unit.entry(offset).ok(),
        _ => None,
    }
}

fn file_name(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, file: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let entry = header.file(file)?;
    let text = |value| dwarf.attr_string(unit, value).ok().map(|text| text.to_string_lossy().into_owned());
    let name = text(entry.path_name())?;
    if name.starts_with('/') {
        return Some(name);
    }
    let directory = entry.directory(header).and_then(text).unwrap_or_default();
    let within = unit.comp_dir.as_ref().map(|directory| directory.to_string_lossy().into_owned()).unwrap_or_default();
    let directory = if directory.starts_with('/') { directory } else { format!("{within}/{directory}") };
    Some(crate::memory::symbols::tidy(&format!("{directory}/{name}")))
}

fn type_of(unit: &Unit<Reader>, entry: &Entry) -> Option<UnitOffset> {
    let _ = unit;
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// A type without names and qualifiers.
fn plain_type(unit: &Unit<Reader>, mut of: UnitOffset) -> Option<Entry> {
    for _ in 0..32 {
        let entry = unit.entry(of).ok()?;
        match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_restrict_type => of = type_of(unit, &entry)?,
            _ => return Some(entry),
        }
    }
    None
}

fn number(entry: &Entry, name: gimli::DwAt) -> Option<u64> {
    entry.attr_value(name)?.udata_value()
}

fn size_of_type(unit: &Unit<Reader>, of: UnitOffset) -> Option<usize> {
    let entry = plain_type(unit, of)?;
    if let Some(size) = number(&entry, gimli::DW_AT_byte_size) {
        return Some(size as usize);
    }
    match entry.tag() {
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => Some(8),
        gimli::DW_TAG_array_type => Some(size_of_type(unit, type_of(unit, &entry)?)? * count(unit, &entry)?),
        _ => None,
    }
}

/// How many elements an array has, over all of its dimensions.
fn count(unit: &Unit<Reader>, array: &Entry) -> Option<usize> {
    let mut tree = unit.entries_tree(Some(array.offset())).ok()?;
    let mut children = tree.root().ok()?.children();
    let mut count = 1;
    while let Ok(Some(child)) = children.next() {
        let entry = child.entry();
        if entry.tag() == gimli::DW_TAG_subrange_type {
            let upper = number(entry, gimli::DW_AT_upper_bound).map(|upper| upper + 1);
            count *= number(entry, gimli::DW_AT_count).or(upper)? as usize;
        }
    }
    Some(count)
}

/// The scalar that begins at an offset in a value of a type.
fn leaf(unit: &Unit<Reader>, of: UnitOffset, offset: usize, depth: u32) -> Option<Leaf> {
    let entry = plain_type(unit, of)?;
    match entry.tag() {
        _ if depth > 16 => None,
        gimli::DW_TAG_base_type => {
            let encoding = entry.attr_value(gimli::DW_AT_encoding);
            let is_float = matches!(encoding, Some(AttributeValue::Encoding(encoding)) if encoding == DW_ATE_float);
            (offset == 0).then_some(Leaf { size: size_of_type(unit, of)?, is_float })
        }
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_enumeration_type => {
            (offset == 0).then_some(Leaf { size: size_of_type(unit, of)?, is_float: false })
        }
        gimli::DW_TAG_array_type => {
            let element = type_of(unit, &entry)?;
            leaf(unit, element, offset % size_of_type(unit, element)?.max(1), depth + 1)
        }
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
            let mut tree = unit.entries_tree(Some(entry.offset())).ok()?;
            let mut children = tree.root().ok()?.children();
            while let Ok(Some(child)) = children.next() {
                let member = child.entry();
                if !matches!(member.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) {
                    continue;
                }
                let Some(of) = type_of(unit, member) else { continue };
                // A member of a class that all its objects share has no place in them.
                let is_shared = member.attr(gimli::DW_AT_external).is_some();
                let is_bits = member.attr(gimli::DW_AT_bit_size).is_some();
                let start = number(member, gimli::DW_AT_data_member_location).unwrap_or(0) as usize;
                let Some(size) = size_of_type(unit, of) else { continue };
                if !is_shared && !is_bits && (start..start + size).contains(&offset) {
                    let found = leaf(unit, of, offset - start, depth + 1);
                    if found.is_some() {
                        return found;
                    }
                }
            }
            None
        }
        _ => None,
    }
}
