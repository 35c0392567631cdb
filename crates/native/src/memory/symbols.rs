//! Names and lines: what the object's symbols and debug information say about addresses.

use crate::build::zones;
use crate::calls::{imports, keys, process_end};
use crate::machine::Machine;
use crate::memory::locals::Information;
use crate::memory::heap::Block;
use crate::memory::address_space::{self, Part};
use addr2line::Loader;
use object::read::elf::ProgramHeader;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SectionFlags, SegmentFlags, SymbolKind};
use quotient_runtime::native::Callee;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The flags of a section that is there when the program runs, and can be written.
const IN_MEMORY: object::elf::SectionFlags = object::elf::SectionFlags(object::elf::SHF_ALLOC.0 | object::elf::SHF_WRITE.0);

/// How the names of the C++ library's own variables begin.
const OF_LIBRARY: [&str; 4] = ["_ZSt", "_ZNSt", "_ZN14__gnu_internal", "_ZN9__gnu_cxx"];

/// What an object says about itself.
pub(crate) struct Symbols {
    loader: Option<Loader>,
    /// What functions of the checker's do with addresses that they are given.
    callees: HashMap<u64, Callee>,
    /// Functions that are told of plain accesses: whether they write, and how many bytes.
    hooks: HashMap<u64, (bool, usize)>,
    /// Variables that all threads have in common.
    variables: Variables,
    /// Those that every thread has for itself, by their places in its memory for them.
    thread_locals: Variables,
    segments: Vec<(u64, u64, bool)>,
    /// Sections that can be written: where they begin and end.
    sections: Vec<(u64, u64)>,
    /// What must not be written after loading.
    relro: (u64, u64),
    locals: (u64, u64, u64),
    main: Option<u64>,
    /// Whether it asks for stacks on which code may run.
    pub(crate) runs_on_stack: bool,
    /// Where the addresses of functions are that run at the end.
    at_end: (u64, u64),
    bias: u64,
    /// Where the check runs.
    directory: String,
    path: PathBuf,
    /// What is known of local variables, if somebody has asked.
    information: OnceLock<Option<Information>>,
}

/// Why an object's tables are not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SymbolsError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Format(#[from] object::Error),
}

impl Symbols {
    /// Reads the object's tables; its code is not loaded by this.
    pub(crate) fn read(path: &Path) -> Result<Self, SymbolsError> {
        let data = std::fs::read(path)?;
        let file = object::File::parse(&*data)?;
        let named = |symbol: &object::Symbol<'_, '_>| symbol.name().map(str::to_owned).unwrap_or_default();
        let variables = |kind: SymbolKind| {
            let of_kind = file.symbols().filter(|symbol| symbol.kind() == kind && symbol.size() > 0);
            Variables::new(of_kind.map(|symbol| (symbol.address(), symbol.size(), named(&symbol))).collect())
        };
        let (variables, thread_locals) = (variables(SymbolKind::Data), variables(SymbolKind::Tls));
        let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
        let (mut callees, mut hooks) = (HashMap::new(), HashMap::new());
        for (symbol, name) in functions.filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?))) {
            callees.extend(imports::callee(name).map(|callee| (symbol, callee)));
            hooks.extend(imports::hook(name).map(|hook| (symbol, hook)));
        }
        let main = file.symbols().find(|symbol| symbol.name() == Ok("main") && symbol.is_definition());
        let writable = |segment: &object::Segment<'_, '_>| match segment.flags() {
            SegmentFlags::Elf { p_flags, .. } => p_flags.contains(object::elf::PF_W),
            _ => true,
        };
        let segments = file
            .segments()
            .map(|segment| (segment.address(), segment.address() + segment.size(), writable(&segment)))
            .collect();
        let in_memory = |section: &object::Section<'_, '_>| match section.flags() {
            SectionFlags::Elf { sh_flags, .. } => sh_flags.contains(IN_MEMORY),
            _ => true,
        };
        let sections = file.sections().filter(in_memory);
        let sections = sections.map(|section| (section.address(), section.address() + section.size())).collect();
        let at_end = file.section_by_name(".fini_array");
        let at_end = at_end.map_or((0, 0), |section| (section.address(), section.size()));
        let (relro, locals) = headers(&file);
        Ok(Symbols {
            loader: Loader::new(path).ok(),
            callees,
            hooks,
            variables,
            thread_locals,
            segments,
            sections,
            relro,
            locals,
            main: main.map(|symbol| symbol.address()),
            runs_on_stack: runs_on_stack(&file),
            at_end,
            bias: 0,
            directory: std::env::current_dir().map_or("/".to_owned(), |directory| directory.display().to_string()),
            path: path.to_owned(),
            information: OnceLock::new(),
        })
    }

    /// The debug information about local variables.
    pub(crate) fn information(&self) -> Option<&Information> {
        self.information.get_or_init(|| Information::read(&self.path)).as_ref()
    }

    /// Where an address of memory is in the object.
    pub(crate) fn unmoved(&self, address: usize) -> u64 {
        (address as u64).wrapping_sub(self.bias)
    }

    /// What the function at an address does with addresses that it is given.
    pub(crate) fn callee(&self, address: usize) -> Callee {
        let address = (address as u64).wrapping_sub(self.bias);
        self.callees.get(&address).copied().unwrap_or(Callee::Unknown)
    }

    /// Whether the function at an address is told of a plain write (or read), and of how many bytes.
    pub(crate) fn hook(&self, address: usize) -> Option<(bool, usize)> {
        self.hooks.get(&(address as u64).wrapping_sub(self.bias)).copied()
    }

    /// Where the list of functions that run at the end is now, and how many there are.
    pub(crate) fn at_end(&self) -> (usize, usize) {
        (self.at_end.0.wrapping_add(self.bias) as usize, self.at_end.1 as usize / size_of::<usize>())
    }

    /// Whether there is a `main`.
    pub(crate) fn has_main(&self) -> bool {
        self.main.is_some()
    }

    /// How far the object has been moved, given where `main` is now.
    pub(crate) fn bias(&self, main: usize) -> usize {
        main.wrapping_sub(self.main.unwrap_or(main as u64) as usize)
    }

    pub(crate) fn set_bias(&mut self, bias: usize) {
        self.bias = bias as u64;
    }

    /// The first values of thread-local variables where they are now, their size, and the size of all.
    pub(crate) fn locals(&self, bias: usize) -> (usize, usize, usize) {
        let (address, length, size) = self.locals;
        ((address as usize).wrapping_add(bias), length as usize, size as usize)
    }

    /// Where the object begins in memory, and its size.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let start = self.segments.iter().map(|segment| segment.0).min().unwrap_or(0);
        let end = self.segments.iter().map(|segment| segment.1).max().unwrap_or(0);
        (start.wrapping_add(self.bias) as usize, (end - start) as usize)
    }

    /// The parts that can be written after loading.
    pub(crate) fn writable(&self) -> Vec<(usize, usize)> {
        let moved = |address: u64| address.wrapping_add(self.bias) as usize;
        let mut parts = Vec::new();
        for &(start, end, _) in self.segments.iter().filter(|segment| segment.2) {
            let start = if (start..end).contains(&self.relro.0) {
                // What is relocated and then read-only ends at a page boundary.
                (self.relro.0 + self.relro.1) & !0xFFF
            } else {
                start
            };
            parts.push((moved(start), moved(end)));
        }
        parts
    }

    /// The part of a page that sections reach into, from the first byte to the last.
    pub(crate) fn used(&self, page: usize, size: usize) -> (usize, usize) {
        let moved = |address: u64| address.wrapping_add(self.bias) as usize;
        let inside = self.sections.iter().map(|&(start, end)| (moved(start).max(page), moved(end).min(page + size)));
        let parts = inside.filter(|(start, end)| start < end);
        parts.reduce(|(first, last), (start, end)| (first.min(start), last.max(end))).unwrap_or((page, page + size))
    }

    /// The file, line and column of a call.
    pub(crate) fn place(&self, pc: usize) -> Option<(String, u32, u32)> {
        // A call returns to the instruction behind it.
        let address = (pc as u64).checked_sub(self.bias)?.checked_sub(1)?;
        let mut frames = self.loader.as_ref()?.find_frames(address).ok()?;
        let mut place = None;
        // The innermost place that is not in a header of the system; if there is none, the innermost.
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            let (Some(file), Some(line)) = (location.file, location.line) else { continue };
            let file = tidy(file);
            let system = file.starts_with("/usr/");
            let here = (self.relative(file), line, location.column.unwrap_or(0));
            if !system {
                return Some(here);
            }
            place.get_or_insert(here);
        }
        place
    }

    /// Whether a call is in a header of the system, whose name ends like this, whatever it was inlined into.
    pub(crate) fn is_in_header(&self, pc: usize, name: &str) -> bool {
        let address = (pc as u64).wrapping_sub(self.bias).wrapping_sub(1);
        let frame = self.loader.as_ref().and_then(|loader| loader.find_frames(address).ok()?.next().ok()?);
        frame.and_then(|frame| frame.location?.file).is_some_and(|file| file.ends_with(name))
    }

    /// Whether a call is in a file that is not the system's.
    pub(crate) fn is_in_users_file(&self, pc: usize) -> bool {
        self.place(pc).is_some_and(|(file, ..)| !file.starts_with("/usr/"))
    }

    /// Whether the variable at an address is one of the C++ library's own.
    pub(crate) fn is_of_library(&self, address: usize) -> bool {
        let found = self.variables.at(self.unmoved(address));
        found.is_some_and(|(_, _, name)| OF_LIBRARY.iter().any(|begins| name.starts_with(begins)))
    }

    /// A path as whoever runs the check would write it.
    pub(crate) fn relative(&self, file: String) -> String {
        let below = file.strip_prefix(&*self.directory).and_then(|rest| rest.strip_prefix('/'));
        below.map_or(file.clone(), str::to_owned)
    }

    /// For every 8 bytes from the first address on, as many as the size says, the bytes that are not room between variables;
    /// nothing if there is no such room.
    pub(crate) fn valid(&self, start: usize, size: usize) -> Vec<u8> {
        if self.variables.zones.is_empty() {
            return Vec::new();
        }
        self.variables.valid(self.unmoved(start), size)
    }

    /// The same for the variables of a thread, all of them.
    pub(crate) fn valid_locals(&self) -> Vec<u8> {
        self.thread_locals.valid(0, self.locals.2 as usize)
    }

    /// The variable that is nearest to an address between variables: its name, its size, and the distance from its
    /// beginning.
    pub(crate) fn neighbour(&self, address: usize) -> Option<(Cow<'_, str>, u64, i64)> {
        self.variables.neighbour(self.unmoved(address))
    }

    /// The same for a place in the memory for the variables of a thread.
    pub(crate) fn neighbour_among_locals(&self, place: usize) -> Option<(Cow<'_, str>, u64, i64)> {
        self.thread_locals.neighbour(place as u64)
    }

    /// The variable at an address, and how far behind its beginning the address is.
    pub(crate) fn variable(&self, address: usize) -> Option<(Cow<'_, str>, u64)> {
        let address = self.unmoved(address);
        self.variables.at(address).map(|(start, _, name)| (readable(name), address - start))
    }

    /// The name of the variable at a place in the memory for the variables of a thread.
    pub(crate) fn thread_local(&self, place: usize) -> Option<Cow<'_, str>> {
        self.thread_locals.at(place as u64).map(|(_, _, name)| readable(name))
    }
}

/// Variables, by their addresses in the object.
struct Variables {
    /// Address, size, name.
    all: Vec<(u64, u64, String)>,
    /// Room between them: where it begins and ends.
    zones: Vec<(u64, u64)>,
}

impl Variables {
    fn new(mut all: Vec<(u64, u64, String)>) -> Self {
        all.sort();
        let zones = zones_among(&all);
        all.retain(|(_, _, name)| !name.starts_with(zones::NAME));
        Variables { all, zones }
    }

    /// The variable at an address.
    fn at(&self, address: u64) -> Option<&(u64, u64, String)> {
        let index = self.all.partition_point(|variable| variable.0 <= address).checked_sub(1)?;
        self.all.get(index).filter(|(start, size, _)| address < start + size)
    }

    /// The variable that is nearest to an address: its name, its size, and the distance from its beginning.
    fn neighbour(&self, address: u64) -> Option<(Cow<'_, str>, u64, i64)> {
        let index = self.all.partition_point(|variable| variable.0 <= address);
        let before = index.checked_sub(1).and_then(|index| self.all.get(index));
        let distance = |&&(start, size, _): &&(u64, u64, String)| {
            if address < start { start - address } else { address + 1 - (start + size).min(address + 1) }
        };
        let (start, size, name) = before.into_iter().chain(self.all.get(index)).min_by_key(distance)?;
        Some((readable(name), *size, address.wrapping_sub(*start) as i64))
    }

    /// For every 8 bytes from the first address on, as many as the size says, the bytes that are not room.
    fn valid(&self, start: u64, size: usize) -> Vec<u8> {
        let mut valid = vec![0xFF; size / 8 + 1];
        for address in self.zones.iter().flat_map(|&(begin, end)| begin..end) {
            let offset = address.wrapping_sub(start) as usize;
            valid[offset / 8] &= !(1 << (offset % 8));
        }
        valid
    }
}

/// A name for people. A name of C is what it is: to the demangler, `x` would be `long long`.
fn readable(name: &str) -> Cow<'_, str> {
    if name.starts_with("_Z") { addr2line::demangle_auto(Cow::from(name), None) } else { Cow::from(name) }
}

/// The room between variables, with what lies between it and the variable before it.
fn zones_among(variables: &[(u64, u64, String)]) -> Vec<(u64, u64)> {
    let is_zone = |name: &str| name.starts_with(zones::NAME);
    let each = variables.iter().enumerate().filter(|(_, (_, _, name))| is_zone(name));
    let zone = |(index, &(start, size, _)): (usize, &(u64, u64, String))| {
        let before = index.checked_sub(1).map(|index| &variables[index]).filter(|(_, _, name)| !is_zone(name));
        let end = before.map(|(start, size, _)| start + size).filter(|&end| end <= start && start - end < LARGEST_GAP);
        (end.unwrap_or(start), start + size)
    };
    each.map(zone).collect()
}

/// More than this is not between two variables because of their alignment.
const LARGEST_GAP: u64 = 64;

/// Whether code may run on the stacks of an object, as for functions inside functions whose addresses are taken.
fn runs_on_stack(file: &object::File<'_>) -> bool {
    let object::File::Elf64(file) = file else { return false };
    let is_for_stack = |header: &&object::elf::ProgramHeader64<object::Endianness>| {
        header.p_type(file.endian()) == object::elf::PT_GNU_STACK
    };
    let header = file.elf_program_headers().iter().find(is_for_stack);
    header.is_some_and(|header| header.p_flags(file.endian()).contains(object::elf::PF_X))
}

/// The parts that are read-only after relocation, and the thread-local ones: (address, size), (address, length, size).
fn headers(file: &object::File<'_>) -> ((u64, u64), (u64, u64, u64)) {
    let (mut relro, mut locals) = ((0, 0), (0, 0, 0));
    if let object::File::Elf64(elf) = file {
        let endian = elf.endian();
        for header in elf.elf_program_headers() {
            match header.p_type(endian) {
                object::elf::PT_GNU_RELRO => relro = (header.p_vaddr(endian), header.p_memsz(endian)),
                object::elf::PT_TLS => {
                    locals = (header.p_vaddr(endian), header.p_filesz(endian), header.p_memsz(endian));
                }
                _ => {}
            }
        }
    }
    (relro, locals)
}

/// A path without steps back and forth.
pub(crate) fn tidy(file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in file.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

impl Machine {
    /// Whether an address is in the program's object.
    pub(crate) fn is_in_image(&self, address: usize) -> bool {
        address.wrapping_sub(self.image_start.get()) < self.image_size.get()
    }

    /// Whether an address is in a variable of the C++ library's own.
    pub(crate) fn is_of_library(&self, address: usize) -> bool {
        self.is_in_image(address) && self.image().is_some_and(|image| image.symbols.is_of_library(address))
    }

    /// A place in the code, in words.
    pub(crate) fn describe(&self, pc: usize) -> String {
        let place = self.image().and_then(|image| image.symbols.place(pc));
        place.map_or_else(|| format!("{pc:#x}"), |(file, line, _)| format!("{file}:{line}"))
    }

    /// The name of the thread-local variable at an address.
    pub(crate) fn thread_local(&self, owner: u32, address: usize) -> Option<Cow<'_, str>> {
        self.image()?.symbols.thread_local(address - address_space::locals(owner))
    }

    /// The last block of a thread that begins at or before an address.
    fn block_of(&self, owner: u32, address: usize) -> Option<Block> {
        self.heap.borrow().block(owner, address).copied()
    }

    /// A place in memory, in words.
    pub(crate) fn describe_memory(&self, address: usize) -> String {
        match address_space::part_of(address) {
            Some((owner, Part::Heap)) => match self.block_of(owner, address) {
                Some(block) => {
                    let offset = address - block.start;
                    let behind = if offset == 0 { String::new() } else { format!(" at offset {offset}") };
                    format!("the block allocated at {}{behind}", self.describe(block.pc))
                }
                None => format!("memory at {address:#x}"),
            },
            Some((owner, Part::Stack)) => format!("a local variable of thread {owner}"),
            Some((owner, Part::Local)) => match self.thread_local(owner, address) {
                Some(name) => format!("`{name}` of thread {owner}"),
                None => format!("a thread-local variable of thread {owner}"),
            },
            Some((_, Part::Token)) if keys::is_key(address) => "a key for thread-specific data".to_owned(),
            Some((_, Part::Token)) => {
                process_end::name_of(address).map_or("a queue of waiting threads", |(name, _)| name).to_owned()
            }
            None => {
                let variable = self.image().and_then(|image| image.symbols.variable(address));
                match variable {
                    Some((name, 0)) => format!("`{name}`"),
                    Some((name, offset)) => format!("`{name}` at offset {offset}"),
                    None => format!("memory at {address:#x}"),
                }
            }
        }
    }

    /// A short name for a place in memory.
    pub(crate) fn label(&self, address: usize) -> String {
        match address_space::part_of(address) {
            Some((owner, Part::Heap)) => match self.block_of(owner, address) {
                Some(block) => {
                    let line = self.describe(block.pc);
                    let line = line.rsplit('/').next().unwrap_or_default();
                    format!("block({line})+{}", address - block.start)
                }
                None => format!("{address:#x}"),
            },
            Some((owner, Part::Stack)) => format!("local of thread {owner}"),
            Some((owner, Part::Local)) => format!("thread-local of thread {owner}"),
            Some((_, Part::Token)) if keys::is_key(address) => "key".to_owned(),
            Some((_, Part::Token)) => process_end::name_of(address).map_or("waiting", |(_, name)| name).to_owned(),
            None => {
                let variable = self.image().and_then(|image| image.symbols.variable(address));
                match variable {
                    Some((name, 0)) => name.into_owned(),
                    Some((name, offset)) => format!("{name}+{offset}"),
                    None => format!("{address:#x}"),
                }
            }
        }
    }
}
