//! The functions of the C library through which a program touches memory: for each what it reads and what it writes. The
//! stubs through which a program calls them, the table in the book and the tests come from here.

mod book;
pub(crate) mod caller;
mod effects;
pub(crate) mod format;
pub(crate) mod numbers;
mod own;
pub(crate) mod scan;
mod strings;
mod table;
mod unseen;

use crate::calls::abi;
use crate::machine::machine;
use crate::memory::shadow::Touch;
use own::Action;
use std::ffi::{CStr, CString};
use std::sync::OnceLock;

pub use book::book;
pub use table::rows;
pub(crate) use unseen::unseen;

/// How many bytes a function touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As many as an argument says, counted in elements.
    Argument(u8),
    /// The product of two arguments.
    Product(u8, u8),
    /// Always the same.
    Constant(usize),
}

/// Whether small and large letters differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They do.
    Matters,
    /// They do not.
    Ignored,
}

/// A part of memory that a function touches. Arguments are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// So many bytes at an argument.
    Bytes(u8, Size),
    /// The string at an argument, with its zero.
    Text(u8),
    /// The same, if the argument is not null.
    TextIfAny(u8),
    /// The next part of a string, without what the string at the second argument has; the string may be one given before.
    Token(u8, u8),
    /// The same, but no more elements than another argument says.
    TextAtMost(u8, u8),
    /// At an argument, up to the element that the second is, and no more elements than the third says.
    Until(u8, u8, u8),
    /// The same without an end.
    UntilFound(u8, u8),
    /// The string at an argument up to the element that the second is, or its zero.
    TextUntil(u8, u8),
    /// The strings at two arguments, up to the first difference.
    Compared(u8, u8, Case),
    /// The same, but no more elements than the third argument says.
    ComparedAtMost(u8, u8, u8, Case),
    /// The string at an argument, up to the first element that is not in the string at the second.
    While(u8, u8),
    /// The string at an argument, up to the first element that is in the string at the second.
    WhileNot(u8, u8),
    /// The string at an argument, up to the end of the string at the second in it.
    Match(u8, u8, Case),
    /// At the first argument as much as the string at the second has, with its zero.
    Copy(u8, u8),
    /// At the first argument as much as is read at the second up to an element (the third), at most so many (the fourth).
    CopyUntil(u8, u8, u8, u8),
    /// Behind the string at the first argument as much as the string at the second has, with its zero.
    Append(u8, u8),
    /// The same, of no more elements than the third argument says.
    AppendAtMost(u8, u8, u8),
    /// What the text at an argument has of a number, and the character behind it.
    Number(u8),
    /// As many bytes as the result has, at an argument.
    Result(u8),
    /// A pointer or a number at an argument, if it is not null.
    Value(u8, usize),
    /// What the format at an argument asks for.
    Format(u8),
    /// The elements of an array that are sorted or looked at.
    Elements(u8),
    /// New memory.
    New,
}

/// A function of the library.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Other names of it, such as those that compilers use.
    pub also: &'static [&'static str],
    /// The header that has it.
    pub header: &'static str,
    /// What it reads.
    pub reads: &'static [Span],
    /// What it writes.
    pub writes: &'static [Span],
    /// What it keeps between calls, which is not the caller's alone.
    pub keeps: Option<&'static str>,
    /// A call, for tests: `a` and `b` are its strings, `w` and `v` wide ones, `n` is a number of elements.
    pub example: &'static str,
    /// The size of its elements.
    pub(crate) unit: usize,
    pub(crate) action: Action,
}

/// What a function is called with.
pub(crate) type Arguments = [usize; 6];

impl Function {
    /// Whether the stub of the function leads here; others are C code that is linked into the program.
    pub(crate) fn has_stub(&self) -> bool {
        !matches!(self.action, Action::Glue)
    }

    /// All its names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }
}

/// Is called by the stubs: tells what a function reads and writes, and does what it does.
pub(crate) extern "C" fn call(number: usize, arguments: *const Arguments) -> usize {
    // SAFETY: the stub has put the registers of six arguments on the stack.
    let arguments = unsafe { *arguments };
    let function = &rows()[number];
    let mut is_users = true;
    if machine().running.get() {
        is_users = caller::note();
        for span in function.reads {
            effects::read(span, &arguments, function.unit);
        }
        if NO_OVERLAP.contains(&function.name) {
            effects::refuse_overlap(function, &arguments);
        }
        if is_users {
            let parts = PARTS_OF_TIMES.iter().find(|(name, _)| *name == function.name).map_or(&[][..], |(_, parts)| parts);
            parts.iter().for_each(|part| abi::range(arguments[0] + part, 4, Touch::Read));
        }
        for span in function.writes {
            effects::write(span, &arguments, function.unit);
        }
    }
    if let (Some(name), Action::Library, true) = (function.keeps, function.action, machine().running.get()) {
        abi::range(kept(name), 8, Touch::Write);
    }
    match function.action {
        Action::Library if function.keeps == Some(KEPT[4].0) => change_environment(real_of(number), &arguments),
        Action::Library => call_real(real_of(number), &arguments),
        Action::Own(_) if function.keeps == Some(KEPT[3].0) && !is_users => own::strerror_for_library(&arguments),
        Action::Own(own) => own(&arguments, function.unit),
        Action::Number => numbers::number(real_of(number), &arguments, function.unit),
        Action::Glue => 0,
    }
}

/// Functions that must not write what they read.
const NO_OVERLAP: [&str; 19] = [
    "mempcpy", "memccpy", "swab", "strcpy", "stpcpy", "strncpy", "stpncpy", "strcat", "strncat", "strlcpy", "strlcat", "wmemcpy",
    "wmempcpy", "wcscpy", "wcpcpy", "wcsncpy", "wcpncpy", "wcscat", "wcsncat",
];

/// Functions that look at these numbers of a `struct tm`.
const PARTS_OF_TIMES: [(&str, &[usize]); 4] = [
    ("mktime", &[0, 4, 8, 12, 16, 20, 32]),
    ("timegm", &[0, 4, 8, 12, 16, 20]),
    ("asctime", &[0, 4, 8, 12, 16, 20, 24]),
    ("asctime_r", &[0, 4, 8, 12, 16, 20, 24]),
];

/// Calls a function of the C library.
fn call_real(function: usize, &[a, b, c, d, e, f]: &Arguments) -> usize {
    // SAFETY: the function takes no more arguments than that, all in these registers; and the memory that it touches has
    // been looked at.
    let function: extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize =
        unsafe { std::mem::transmute(function) };
    function(a, b, c, d, e, f)
}

/// Where the C library has the function of a row.
fn real_of(number: usize) -> usize {
    static REAL: OnceLock<Vec<usize>> = OnceLock::new();
    REAL.get_or_init(|| rows().iter().map(|function| real(function.name)).collect())[number]
}

/// Where the C library, or the one of mathematics, has a function; 0 if they have none of that name.
pub(crate) fn real(name: &str) -> usize {
    let Ok(name) = CString::new(name) else { return 0 };
    // SAFETY: the name is a string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize;
    if found != 0 {
        return found;
    }
    // SAFETY: the library of mathematics has no constructors that matter.
    unsafe {
        let handle = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
        if handle.is_null() { 0 } else { libc::dlsym(handle, name.as_ptr()) as usize }
    }
}

/// The names of the functions that have a stub, and which row they belong to.
pub(crate) fn stubs() -> Vec<(&'static str, usize)> {
    let with_number = rows().iter().enumerate().filter(|(_, function)| function.has_stub());
    with_number.flat_map(|(number, function)| function.names().map(move |name| (name, number))).collect()
}

/// What functions keep: a name for reports, and how many bytes.
pub(crate) const KEPT: [(&str, usize); 6] = [
    ("what strtok keeps", 64),
    ("the result of gmtime and localtime", 64),
    ("the result of asctime and ctime", 64),
    ("the result of strerror", 128),
    ("the environment", 64),
    ("the keys for thread-specific data", 8 * KEYS),
];

/// The system has no more keys than this; with more, the rest are not looked at.
const KEYS: usize = 1024;

/// A key for thread-specific data is used or deleted.
pub(crate) fn touch_key(key: usize, touch: Touch) {
    if machine().running.get() && key < KEYS {
        caller::note();
        abi::range(kept(KEPT[5].0) + 8 * key, 8, touch);
    }
}

/// What is in the environment: where the texts are, and what they say.
fn environment() -> Vec<(usize, CString)> {
    unsafe extern "C" {
        static environ: *const *const std::ffi::c_char;
    }
    let mut all = Vec::new();
    // SAFETY: the environment is an array of strings that ends with null, and no other thread runs.
    unsafe {
        let mut next = environ;
        while !next.is_null() && !(*next).is_null() {
            all.push((*next as usize, CStr::from_ptr(*next).to_owned()));
            next = next.add(1);
        }
    }
    all
}

/// Calls a function of the C library that changes the environment, which nobody sees in memory.
fn change_environment(function: usize, arguments: &Arguments) -> usize {
    let before = environment();
    let result = call_real(function, arguments);
    if machine().running.get() && environment() != before {
        machine().note_unknown_deed();
    }
    result
}

/// Where something is kept.
pub(crate) fn kept(name: &str) -> usize {
    // SAFETY: the program has called, so it has been attached.
    let start = unsafe { (*machine().shared.get()).kept };
    let before = KEPT.iter().take_while(|(other, _)| *other != name).map(|(_, size)| size);
    start + before.sum::<usize>()
}
