//! Where a function has its variables: what the debug information (DWARF 5) says of those that have a fixed place in the
//! frame.

use gimli::{
    AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, Expression, NativeEndian, Operation, Unit,
    UnitOffset, X86_64,
};
use object::{Object, ObjectSection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, OsStr, c_void};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;

/// A variable in a frame; offsets are from the end of the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub start: i64,
    pub end: i64,
    pub name: String,
    /// The code in which it exists; everywhere in the function, if there is none.
    pub scope: Vec<Range<usize>>,
    /// Whether it is always there, and nothing else: so it is in code that is not optimised.
    pub is_fixed: bool,
}

type Reader = EndianSlice<'static, NativeEndian>;

/// The debug information of an executable or a library.
struct Module {
    dwarf: Dwarf<Reader>,
    /// The code of each unit.
    units: Vec<(Range<u64>, gimli::UnitHeader<Reader>)>,
}

/// The variables of a function, and what its stack pointer was taken to be.
type Known = (Option<i64>, Option<Rc<Vec<Variable>>>);

thread_local! {
    static MODULES: RefCell<HashMap<usize, Option<Rc<Module>>>> = RefCell::default();
    static FUNCTIONS: RefCell<HashMap<usize, Known>> = RefCell::default();
}

/// The variables of the function that begins at `start`; `stack` is where its stack pointer is after the prologue, if it is
/// known. `None` without debug information.
pub(super) fn of_function(start: usize, stack: Option<i64>) -> Option<Rc<Vec<Variable>>> {
    let known = FUNCTIONS.with_borrow(|all| all.get(&start).filter(|(of, _)| *of == stack).cloned());
    if let Some((_, variables)) = known {
        return variables;
    }
    let variables = find(start, stack).map(Rc::new);
    FUNCTIONS.with_borrow_mut(|all| all.insert(start, (stack, variables.clone())));
    variables
}

/// The name of the variable at an offset in the frame of a function that was looked at before.
pub(super) fn name_at(start: usize, offset: i64) -> Option<String> {
    let stack = FUNCTIONS.with_borrow(|all| all.get(&start).and_then(|(stack, _)| *stack));
    let variables = of_function(start, stack)?;
    let around = variables.iter().filter(|variable| (variable.start..variable.end).contains(&offset));
    // The smallest one, if they share their place.
    around.min_by_key(|variable| variable.end - variable.start).map(|variable| variable.name.clone())
}

/// How far the frame pointer is below the end of the frame.
const POINTER: i64 = 16;

/// The bytes that belong to the same variable as one, or lie between the same variables, in a function that is not optimised.
/// Offsets are from the frame pointer. `None` if it is not known where variables are.
pub(super) fn place(function: usize, offset: i64) -> Option<Range<i64>> {
    let variables = of_function(function, None).filter(|all| all.iter().all(|one| one.is_fixed))?;
    let at = offset.checked_sub(POINTER)?;
    let of_frame = |from: i64, to: i64| from.saturating_add(POINTER)..to.saturating_add(POINTER);
    if let Some(variable) = variables.iter().find(|one| (one.start..one.end).contains(&at)) {
        return Some(of_frame(variable.start, variable.end));
    }
    let below = variables.iter().map(|one| one.end).filter(|&end| end <= at).max();
    let above = variables.iter().map(|one| one.start).filter(|&start| start > at).min();
    Some(of_frame(below.unwrap_or(i64::MIN), above.unwrap_or(i64::MAX)))
}

fn find(start: usize, stack: Option<i64>) -> Option<Vec<Variable>> {
    let (base, path) = module_of(start)?;
    let module = MODULES.with_borrow_mut(|all| all.entry(base).or_insert_with(|| open(&path).map(Rc::new)).clone())?;
    let address = (start - base) as u64;
    module.units.iter().filter(|(range, _)| range.contains(&address)).find_map(|&(_, header)| {
        let unit = module.dwarf.unit(header).ok()?;
        let mut variables = in_unit(&module.dwarf, &unit, address, stack)?;
        for variable in &mut variables {
            variable.scope.iter_mut().for_each(|code| *code = code.start + base..code.end + base);
        }
        Some(variables)
    })
}

/// The executable or library that an address belongs to: how far it was moved, and its file.
fn module_of(address: usize) -> Option<(usize, PathBuf)> {
    struct Search {
        address: usize,
        found: Option<(usize, PathBuf)>,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> i32 {
        // SAFETY: the loader calls with a valid description, and with what it was given below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: the table has so many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            if header.p_type == libc::PT_LOAD && (start..start + header.p_memsz as usize).contains(&search.address) {
                // SAFETY: the name is a string of the loader's.
                let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
                let name = if name.is_empty() { b"/proc/self/exe" } else { name };
                search.found = Some((info.dlpi_addr as usize, OsStr::from_bytes(name).into()));
                return 1;
            }
        }
        0
    }
    let mut search = Search { address, found: None };
    // SAFETY: `look` gets what is given, and nothing else uses it meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// Reads the debug information of a file. It stays in memory: there are few such files.
fn open(path: &std::path::Path) -> Option<Module> {
    let data: &'static [u8] = Box::leak(crate::files::read(path).ok()?.into_boxed_slice());
    let file = object::File::parse(data).ok()?;
    let section = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default();
        let data: &'static [u8] = match data {
            std::borrow::Cow::Borrowed(data) => data,
            std::borrow::Cow::Owned(data) => Box::leak(data.into_boxed_slice()),
        };
        Ok(EndianSlice::new(data, NativeEndian))
    };
    let dwarf = Dwarf::load(section).ok()?;
    let mut units = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let Ok(mut ranges) = dwarf.unit_ranges(&unit) else { continue };
        while let Ok(Some(range)) = ranges.next() {
            units.push((range.begin..range.end, header));
        }
    }
    Some(Module { dwarf, units })
}

type Entry = DebuggingInformationEntry<Reader>;

/// The variables of the function at an address, if it is in this unit.
fn in_unit(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, address: u64, stack: Option<i64>) -> Option<Vec<Variable>> {
    let mut entries = unit.entries();
    let mut function: Option<(isize, i64)> = None;
    let mut variables = Vec::new();
    // The blocks that the search is in: how deep each is, and its code.
    let mut blocks: Vec<(isize, Vec<Range<usize>>)> = Vec::new();
    while let Ok(Some(entry)) = entries.next_dfs() {
        let depth = entry.depth();
        blocks.retain(|&(of, _)| of < depth);
        match function {
            Some((above, _)) if depth <= above => break,
            Some((_, base)) => match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    let scope = blocks.last().map(|(_, code)| code.clone()).unwrap_or_default();
                    add_variable(dwarf, unit, entry, (base, stack), scope, &mut variables);
                }
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                    let code = code_of(dwarf, unit, entry);
                    // Without code of its own it is where the block around it is.
                    let around = blocks.last().map(|(_, code)| code.clone()).unwrap_or_default();
                    blocks.push((depth, if code.is_empty() { around } else { code }));
                }
                _ => {}
            },
            None => {
                if entry.tag() == gimli::DW_TAG_subprogram
                    && let Some(low) = entry.attr_value(gimli::DW_AT_low_pc)
                    && dwarf.attr_address(unit, low).ok().flatten() == Some(address)
                {
                    function = Some((depth, base_of(unit, entry, stack)?));
                }
            }
        }
    }
    function.map(|_| variables)
}

/// Where the code of a block is.
fn code_of(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, block: &Entry) -> Vec<Range<usize>> {
    let mut code = Vec::new();
    if let Ok(mut ranges) = dwarf.die_ranges(unit, block) {
        while let Ok(Some(range)) = ranges.next() {
            code.push(range.begin as usize..range.end as usize);
        }
    }
    code
}

/// What offsets of variables are relative to, from the end of the frame.
fn base_of(unit: &Unit<Reader>, function: &Entry, stack: Option<i64>) -> Option<i64> {
    let Some(AttributeValue::Exprloc(Expression(expression))) = function.attr_value(gimli::DW_AT_frame_base) else {
        return None;
    };
    match Expression(expression).operations(unit.encoding()).next().ok()?? {
        Operation::CallFrameCFA => Some(0),
        Operation::Register { register: X86_64::RBP } => Some(-16),
        Operation::Register { register: X86_64::RSP } => stack,
        _ => None,
    }
}

fn add_variable(
    dwarf: &Dwarf<Reader>,
    unit: &Unit<Reader>,
    entry: &Entry,
    (base, stack): (i64, Option<i64>),
    scope: Vec<Range<usize>>,
    variables: &mut Vec<Variable>,
) {
    let Some(location) = entry.attr_value(gimli::DW_AT_location) else { return };
    let mut offsets = Vec::new();
    let is_fixed = matches!(location, AttributeValue::Exprloc(_));
    let mut note = |expression: Expression<Reader>| {
        let mut operations = expression.operations(unit.encoding());
        let first = operations.next().ok().flatten();
        // With more to it, it is a value that is computed, or what is there is only an address.
        if !matches!(operations.next(), Ok(None)) {
            return;
        }
        match (first, stack) {
            (Some(Operation::FrameOffset { offset }), _) => offsets.push(base + offset),
            (Some(Operation::RegisterOffset { register: X86_64::RSP, offset, .. }), Some(stack)) => {
                offsets.push(stack + offset);
            }
            _ => {}
        }
    };
    if let AttributeValue::Exprloc(expression) = location {
        note(expression);
    } else if let Ok(Some(mut list)) = dwarf.attr_locations(unit, location) {
        while let Ok(Some(part)) = list.next() {
            note(part.data);
        }
    }
    if offsets.is_empty() {
        return;
    }
    // What is said once of several copies is said elsewhere.
    let said = |attribute| {
        let own = entry.attr_value(attribute);
        own.or_else(|| {
            let Some(AttributeValue::UnitRef(origin)) = entry.attr_value(gimli::DW_AT_abstract_origin) else {
                return None;
            };
            unit.entry(origin).ok()?.attr_value(attribute)
        })
    };
    let name = said(gimli::DW_AT_name).and_then(|name| dwarf.attr_string(unit, name).ok());
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let size = match said(gimli::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => size_of_type(unit, offset, 0),
        _ => None,
    };
    for start in offsets {
        // Of unknown size: up to the end.
        let end = size.map_or(0, |size| start.saturating_add_unsigned(size));
        variables.push(Variable { start, end, name: name.clone(), scope: scope.clone(), is_fixed });
    }
}

fn size_of_type(unit: &Unit<Reader>, offset: UnitOffset, depth: u32) -> Option<u64> {
    let entry = unit.entry(offset).ok().filter(|_| depth < 32)?;
    if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).and_then(|size| size.udata_value()) {
        return Some(size);
    }
    let inner = || match entry.attr_value(gimli::DW_AT_type) {
        Some(AttributeValue::UnitRef(inner)) => size_of_type(unit, inner, depth + 1),
        _ => None,
    };
    match entry.tag() {
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => Some(8),
        gimli::DW_TAG_array_type => {
            let mut size = inner()?;
            let mut tree = unit.entries_tree(Some(offset)).ok()?;
            let mut dimensions = tree.root().ok()?.children();
            while let Some(dimension) = dimensions.next().ok()? {
                let entry = dimension.entry();
                let number = |attribute| entry.attr_value(attribute).and_then(|value| value.udata_value());
                let count = number(gimli::DW_AT_count).or_else(|| number(gimli::DW_AT_upper_bound)?.checked_add(1));
                size = size.checked_mul(count?)?;
            }
            Some(size)
        }
        gimli::DW_TAG_typedef
        | gimli::DW_TAG_const_type
        | gimli::DW_TAG_volatile_type
        | gimli::DW_TAG_atomic_type
        | gimli::DW_TAG_restrict_type => inner(),
        _ => None,
    }
}
