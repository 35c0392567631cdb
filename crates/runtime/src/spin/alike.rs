//! Whether a thread was at the same point of the program before, when compilers have made a copy of the first iteration
//! of a loop: the copy has other return addresses, and what the loop keeps on the stack or in registers may not be there
//! yet.
//!
//! Two return addresses are taken for the same if the debug information says so, down to the column and through all
//! inlined functions; without it they are not. Variables are compared only on demand: what is left on a stack from
//! earlier calls cannot be told from a variable.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;

/// Whether two pictures of a stack are of the same point of the program: no word is a return address in both, of
/// different calls.
pub fn same_point(first: &[usize], second: &[usize]) -> bool {
    let code = code();
    let is_code = |word: usize| code.iter().any(|range| range.contains(&word));
    let same = |(&a, &b): (&usize, &usize)| a == b || !is_code(a) || !is_code(b) || same_call(a, b);
    first.len() == second.len() && first.iter().zip(second).all(same)
}

/// A call in the source: function, file, line and column, and the same of all functions that it is inlined in.
type Call = Vec<(String, String, u32, u32)>;

thread_local! {
    /// What is known about return addresses.
    static CALLS: RefCell<HashMap<usize, Option<Call>>> = RefCell::default();
}

/// Whether two return addresses belong to copies of one call.
fn same_call(first: usize, second: usize) -> bool {
    CALLS.with_borrow_mut(|calls| {
        let mut known = |address: usize| calls.entry(address).or_insert_with(|| find(address)).clone();
        let call = known(first);
        call.is_some() && call == known(second)
    })
}

/// Looks a return address up in the debug information.
fn find(address: usize) -> Option<Call> {
    let mut call = Some(Vec::new());
    // The call is just before the address that it returns to.
    backtrace::resolve((address - 1) as *mut c_void, |symbol| {
        let part = || {
            let name = symbol.name()?.to_string();
            Some((name, symbol.filename()?.display().to_string(), symbol.lineno()?, symbol.colno()?))
        };
        match (part(), &mut call) {
            (Some(part), Some(parts)) => parts.push(part),
            _ => call = None,
        }
    });
    call.filter(|parts| !parts.is_empty())
}

/// Where the code of the process is.
#[cfg(target_os = "linux")]
fn code() -> Vec<Range<usize>> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, ranges: *mut c_void) -> i32 {
        // SAFETY: the loader calls with a valid description, and with the vector that it was given below.
        let (info, ranges) = unsafe { (&*info, &mut *ranges.cast::<Vec<Range<usize>>>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: the table has so many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0 {
                let start = (info.dlpi_addr + header.p_vaddr) as usize;
                ranges.push(start..start + header.p_memsz as usize);
            }
        }
        0
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    // SAFETY: `add` gets the vector, and nothing else uses it meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut ranges).cast()) };
    ranges
}

/// Not known: everything may be code.
#[cfg(not(target_os = "linux"))]
fn code() -> Vec<Range<usize>> {
    vec![1 << 32..1 << 47]
}
