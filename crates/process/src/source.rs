//! Where in its source a stopped process is: the innermost call in its own program, found from what is on the stack. Follows the
//! debug information of the program; without it, nothing is said.

use crate::memory;
use crate::tracee::Tracee;
use addr2line::Loader;
use quotient_system::SourceLocation;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How much of the stack is looked at.
const STACK: usize = 16 * 1024;

/// The debug information of programs, by path.
#[derive(Default)]
pub(crate) struct SourceLocations {
    programs: HashMap<Vec<u8>, Option<Source>>,
}

impl std::fmt::Debug for SourceLocations {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SourceLocations").field("programs", &self.programs.len()).finish()
    }
}

struct Source {
    loader: Loader,
    /// The program is where it was linked, and not moved.
    fixed: bool,
}

impl SourceLocations {
    /// Where a process is that runs this program.
    pub(crate) fn of(&mut self, tracee: &Tracee, program: &[u8]) -> Option<SourceLocation> {
        let source = self.programs.entry(program.to_vec()).or_insert_with(|| open(program)).as_ref()?;
        let code = code(tracee, program)?;
        let base = if source.fixed { 0 } else { code.base };
        let registers = tracee.registers().ok()?;
        let place = |address: u64| find(&source.loader, address.checked_sub(base)?);
        let within = |address: &u64| code.ranges.iter().any(|(from, to)| (*from..*to).contains(address));
        if within(&registers.rip)
            && let Some(place) = place(registers.rip)
        {
            return Some(place);
        }
        let stack = read_up_to(tracee, registers.rsp, STACK);
        let words = stack.chunks_exact(8).map(|word| u64::from_le_bytes(std::array::from_fn(|i| word[i])));
        words.filter(within).filter(|&address| follows_call(tracee, address)).find_map(|address| place(address - 1))
    }
}

/// Reads the debug information of a program.
fn open(program: &[u8]) -> Option<Source> {
    let path = Path::new(std::ffi::OsStr::from_bytes(program));
    let mut head = [0; 18];
    std::io::Read::read_exact(&mut std::fs::File::open(path).ok()?, &mut head).ok()?;
    /// The kind of a program that is not moved: `ET_EXEC`.
    const EXECUTABLE: u8 = 2;
    Some(Source { loader: Loader::new(path).ok()?, fixed: head[16] == EXECUTABLE })
}

/// Where a program's code is in the memory of a process.
struct Code {
    base: u64,
    ranges: Vec<(u64, u64)>,
}

fn code(tracee: &Tracee, program: &[u8]) -> Option<Code> {
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", tracee.pid())).ok()?;
    let name = String::from_utf8_lossy(program);
    let mut code = Code { base: u64::MAX, ranges: Vec::new() };
    for line in maps.lines().filter(|line| line.ends_with(&*name)) {
        let mut words = line.split_ascii_whitespace();
        let (from, to) = words.next()?.split_once('-')?;
        let (from, to) = (u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?);
        code.base = code.base.min(from);
        if words.next()?.as_bytes()[2] == b'x' {
            code.ranges.push((from, to));
        }
    }
    (!code.ranges.is_empty()).then_some(code)
}

/// The line of an address, if the program's author knows it.
fn find(loader: &Loader, address: u64) -> Option<SourceLocation> {
    let location = loader.find_location(address).ok()??;
    let (file, line) = (location.file?.to_owned(), location.line?);
    let mut frames = loader.find_frames(address).ok()?;
    let function = frames.next().ok().flatten().and_then(|frame| Some(frame.function?.demangle().ok()?.into_owned()));
    Some(SourceLocation { file, line, function })
}

/// As many bytes as there are, up to a limit.
fn read_up_to(tracee: &Tracee, address: u64, limit: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < limit {
        let at = address + bytes.len() as u64;
        let length = (memory::PAGE - at % memory::PAGE) as usize;
        match memory::read(tracee, at, length) {
            Ok(more) => bytes.extend(more),
            Err(_) => break,
        }
    }
    bytes
}

/// Whether the instruction before an address is a call.
fn follows_call(tracee: &Tracee, address: u64) -> bool {
    let Ok(bytes) = memory::read(tracee, address - 6, 6) else { return false };
    let indirect = |at: usize| bytes[at] == 0xff && bytes[at + 1] & 0x38 == 0x10;
    bytes[1] == 0xe8 || indirect(0) || indirect(3) || indirect(4)
}
