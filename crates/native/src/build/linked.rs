//! Whether what was compiled and linked is what will be checked: nobody has put something else in the place of the functions
//! that accesses are reported to, and all that can be run is code.

use crate::problem::Problem;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, elf};
use std::path::{Path, PathBuf};

/// How the names of these functions begin.
const RESERVED: [&str; 4] = ["__tsan_", "__ubsan_handle_", "__sanitizer_cov_", "__asan_"];
/// What programs may define for such tools, which nobody calls here.
const HOOKS: [&str; 4] = ["__tsan_default_", "__tsan_on_", "__asan_default_", "__asan_on_"];

/// What the parts of a program define and must not, given the parts of Quotient that they are linked with.
pub(crate) fn taken(parts: &[PathBuf], own: &[PathBuf]) -> Option<Problem> {
    let ours: Vec<String> = own.iter().flat_map(|part| defined(part)).collect();
    let is_ours = |name: &str| {
        (name.starts_with("quotient_") || name.starts_with("__wrap_")) && ours.iter().any(|our| our == name)
    };
    let name = parts.iter().flat_map(|part| defined(part)).find(|name| is_reserved(name) || is_ours(name))?;
    Some(problem(&name))
}

/// What is wrong with the object that has been linked, given the parts of Quotient in it.
pub(crate) fn problem_of(linked: &Path, own: &[PathBuf]) -> Option<Problem> {
    let data = std::fs::read(linked).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let address =
        |wanted: &str| file.symbols().find(|symbol| symbol.name() == Ok(wanted)).map(|symbol| symbol.address());
    if let (Some(start), Some(end)) = (address("quotient_glue_begin"), address("quotient_glue_end")) {
        // The stubs begin where the rest ends.
        let stubs = own.iter().filter(|part| defined(part).iter().any(|name| name == "quotient_glue_end"));
        let end = end + stubs.filter_map(|part| size_of_code(part)).max().unwrap_or(0);
        let is_elsewhere = |address: u64| !(start..end).contains(&address);
        for symbol in file.symbols().filter(|symbol| symbol.is_definition() && is_elsewhere(symbol.address())) {
            if let Ok(name) = symbol.name()
                && is_reserved(name)
            {
                return Some(problem(name));
            }
        }
    }
    let name = data_among_code(&data)?;
    Some(Problem::new(format!(
        "the linker has put `{name}` into memory that can be run: what is done there would not be seen; use another linker"
    )))
}

/// The name of a section that is no code and lies in memory that can be run.
fn data_among_code(data: &[u8]) -> Option<String> {
    let header = elf::FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    for segment in header.program_headers(endian, data).ok()? {
        if segment.p_type(endian) != elf::PT_LOAD || !segment.p_flags(endian).contains(elf::PF_X) {
            continue;
        }
        let (start, end) = (segment.p_vaddr(endian), segment.p_vaddr(endian) + segment.p_memsz(endian));
        for section in sections.iter() {
            let flags = section.sh_flags(endian);
            let is_there = flags.contains(elf::SHF_ALLOC) && (start..end).contains(&section.sh_addr(endian));
            let is_empty = section.sh_size(endian) == 0 || flags.contains(elf::SHF_TLS);
            if is_there && !is_empty && !flags.contains(elf::SHF_EXECINSTR) {
                let name = sections.section_name(endian, section).unwrap_or_default();
                return Some(String::from_utf8_lossy(name).into_owned());
            }
        }
    }
    None
}

fn problem(name: &str) -> Problem {
    Problem::new(format!(
        "the program defines `{name}`, which is reserved: through it, Quotient sees what the program does"
    ))
}

fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|start| name.starts_with(start)) && !HOOKS.iter().any(|start| name.starts_with(start))
}

/// How much code an object has.
fn size_of_code(path: &Path) -> Option<u64> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    Some(file.section_by_name(".text")?.size())
}

/// The names that an object defines, for itself or for others.
fn defined(path: &Path) -> Vec<String> {
    let Ok(data) = std::fs::read(path) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*data) else { return Vec::new() };
    let is_defined = |symbol: &object::Symbol<'_, '_>| !symbol.is_undefined();
    file.symbols().filter(is_defined).filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect()
}

/// Whether an object has code that is made only when it is linked.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    let Ok(data) = std::fs::read(path) else { return false };
    let Ok(file) = object::File::parse(&*data) else { return data.starts_with(b"BC") };
    file.sections().any(|section| section.name().is_ok_and(|name| name.starts_with(".gnu.lto_") || name == ".llvm.lto"))
}
