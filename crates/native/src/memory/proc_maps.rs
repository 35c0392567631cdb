//! Memory that is not the program's own: what of it a program may read, and the little that it may write.
//!
//! A program may read what libraries have made for it (tables of characters, for example), and its environment. All other
//! memory of the process belongs to the checker, and an access to it is as wild as one to no memory at all. It may write only
//! variables of the library that are meant for it.

use crate::machine::Machine;
use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::OnceLock;

/// A range of addresses that can be read.
type Range = (usize, usize);

thread_local! {
    /// What a program may read.
    static KNOWN: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
    /// What can be read.
    static READABLE: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
}

/// Variables of the C library that a program may write, with their sizes.
const WRITABLE: [(&CStr, usize); 14] = [
    (c"optarg", 8),
    (c"optind", 4),
    (c"opterr", 4),
    (c"optopt", 4),
    (c"environ", 8),
    (c"stdin", 8),
    (c"stdout", 8),
    (c"stderr", 8),
    (c"signgam", 4),
    (c"tzname", 16),
    (c"timezone", 8),
    (c"daylight", 4),
    (c"program_invocation_name", 8),
    (c"program_invocation_short_name", 8),
];

/// Functions of the C library that give the address of something that each thread has.
const OF_THREAD: [(&CStr, bool); 5] = [
    (c"__errno_location", true),
    (c"__h_errno_location", true),
    (c"__ctype_b_loc", false),
    (c"__ctype_tolower_loc", false),
    (c"__ctype_toupper_loc", false),
];

/// Whether a program may read, or write, all of these bytes, which are not in its own mappings: arguments of `main`, and what the
/// C library lets it.
pub(crate) fn may_access(machine: &Machine, address: usize, size: usize, write: bool) -> bool {
    machine.image().is_some_and(|image| image.is_argument(address, size)) || is_lent(address, size, write)
}

/// Whether the C library lets a program read, or write, all of these bytes.
fn is_lent(address: usize, size: usize, write: bool) -> bool {
    let within = |start: usize, length: usize| start <= address && address + size <= start + length;
    let known = known();
    let is_for_threads = known.of_thread.iter().any(|&(function, writable)| {
        // SAFETY: the functions of these names take nothing and give an address.
        (writable || !write) && within(unsafe { locate(function) }, size_of::<usize>())
    });
    if is_for_threads {
        return true;
    }
    if write {
        return known.writable.iter().any(|&(start, length)| within(start, length));
    }
    let covers = |&(start, end): &Range| start <= address && address + size <= end;
    KNOWN.with_borrow_mut(|known| {
        if known.iter().any(covers) {
            return true;
        }
        *known = read();
        known.iter().any(covers)
    })
}

/// Whether there is memory at an address that can be read, whoever it belongs to.
pub(crate) fn is_readable(address: usize) -> bool {
    let covers = |&(start, end): &Range| (start..end).contains(&address);
    READABLE.with_borrow_mut(|known| {
        if known.iter().any(covers) {
            return true;
        }
        *known = mapped().into_iter().map(|Mapped { range, .. }| range).collect();
        known.iter().any(covers)
    })
}

/// What the C library has under the names above.
struct Known {
    /// Variables and their sizes.
    writable: Vec<(usize, usize)>,
    /// Functions, and whether what they tell of may be written.
    of_thread: Vec<(usize, bool)>,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| Known {
        writable: WRITABLE.iter().map(|&(name, size)| (find(name), size)).filter(|&(at, _)| at != 0).collect(),
        of_thread: OF_THREAD
            .iter()
            .map(|&(name, writable)| (find(name), writable))
            .filter(|&(at, _)| at != 0)
            .collect(),
    })
}

/// The address of something in the C library; 0 if it has no such thing.
fn find(name: &CStr) -> usize {
    // SAFETY: the name is a text that ends.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
}

/// Calls a function that gives an address.
///
/// # Safety
/// There must be such a function there.
unsafe fn locate(function: usize) -> usize {
    // SAFETY: as said above.
    unsafe { std::mem::transmute::<usize, extern "C" fn() -> usize>(function)() }
}

/// What a program may read: the memory of shared libraries, and its environment.
fn read() -> Vec<Range> {
    let mut ranges = environment();
    // What follows an object's file is what it has in memory only.
    let mut in_library = false;
    for Mapped { range, name } in mapped() {
        in_library = name.contains(".so") || name == "[vdso]" || name.is_empty() && in_library;
        if in_library {
            ranges.push(range);
        }
    }
    ranges
}

/// Memory that can be read, and the file that it comes from.
struct Mapped {
    range: Range,
    name: String,
}

/// All memory of the process that can be read.
fn mapped() -> Vec<Mapped> {
    let text = quotient_runtime::files::read("/proc/self/maps".as_ref()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let one = |line: &str| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let range = (number(start)?, number(end)?);
        let can_be_read = words.next()?.starts_with('r');
        can_be_read.then(|| Mapped { range, name: words.nth(3).unwrap_or("").to_owned() })
    };
    text.lines().filter_map(one).collect()
}

/// Where the array of the environment is, and its texts.
fn environment() -> Vec<Range> {
    let variable = find(c"environ") as *const *const usize;
    if variable.is_null() {
        return Vec::new();
    }
    let mut ranges = Vec::new();
    // SAFETY: the variable is the C library's; the array behind it ends with zero, and so does each text.
    unsafe {
        let first = *variable;
        let mut entry = first;
        while !entry.is_null() && *entry != 0 {
            ranges.push((*entry, *entry + libc::strlen(*entry as *const _) + 1));
            entry = entry.add(1);
        }
        ranges.push((first as usize, entry.wrapping_add(1) as usize));
    }
    ranges
}
