//! What is left of the C library: assertions, `abort`, output, and calls that cannot be checked.

use crate::machine::{ProgramError, Shared, machine, violate};
use crate::memory::image::Image;
use quotient_runtime::native;
use std::ffi::{CStr, c_char};

/// # Safety
/// It must be null or a string of the program.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

pub(crate) extern "C" fn assert_fail(
    assertion: *const c_char,
    _file: *const c_char,
    _line: u32,
    _function: *const c_char,
) {
    // SAFETY: the macro gives the text of the assertion.
    let assertion = unsafe { text(assertion) };
    let pc = machine().pc();
    violate(ProgramError::Assertion, format!("assertion `{assertion}` does not hold"), pc);
}

/// The C++ library has found that a function is used in a way in which it must not be.
pub(crate) extern "C" fn library_assert_fail(
    _file: *const c_char,
    _line: i32,
    function: *const c_char,
    condition: *const c_char,
) {
    // SAFETY: the library gives the texts.
    let (function, condition) = unsafe { (text(function), text(condition)) };
    let pc = machine().pc();
    let message = format!("the C++ library finds a mistake: `{condition}` does not hold in `{function}`");
    violate(ProgramError::Abort, message, pc);
}

pub(crate) extern "C" fn real(name: *const c_char) -> usize {
    // SAFETY: the program's C code gives the name of a function.
    crate::calls::library::real(&unsafe { text(name) })
}

pub(crate) extern "C" fn abort() {
    let pc = machine().pc();
    // SAFETY: the program has called, so it has been attached.
    let caller = unsafe { (*machine().shared.get()).pc };
    // Parts of the library that are rarely used lie in front of the user's code; only the user's has lines.
    let is_users = |image: &Image| image.is_users(caller) && image.symbols.place(caller).is_some();
    if machine().image().is_none_or(is_users) {
        violate(ProgramError::Abort, "the program aborts".to_owned(), pc);
    }
    match exception() {
        Some((name, thrown)) => {
            let message = format!("the program is terminated: an exception of type `{name}` is not caught");
            violate(ProgramError::Abort, message, thrown)
        }
        None => violate(
            ProgramError::Abort,
            "the program is terminated: an exception is not caught, or the C++ library has found a mistake".to_owned(),
            pc,
        ),
    }
}

/// The type of the exception that is handled, if there is one, and where an exception was thrown last.
fn exception() -> Option<(String, usize)> {
    // SAFETY: the program has called, so it has been attached.
    let Shared { exception_type: function, thrown, .. } = unsafe { &*machine().shared.get() };
    let (function, thrown) = (*function, *thrown);
    if function == 0 || thrown == 0 {
        return None;
    }
    // SAFETY: this is a function of the C++ library, which takes no arguments.
    let function: extern "C" fn() -> *const [usize; 2] = unsafe { std::mem::transmute(function) };
    // SAFETY: it gives null or the address of a description of a type, whose second word is the name.
    let name = unsafe { function().as_ref() }?[1] as *const c_char;
    // SAFETY: the name is a string. A type that is local to a file has a star in front.
    let name = unsafe { text(name) };
    let known = addr2line::demangle_auto(format!("_ZTS{}", name.trim_start_matches('*')).into(), None);
    Some((known.strip_prefix("typeinfo name for ").unwrap_or(&name).to_owned(), thrown))
}

/// More output of one execution is not kept.
const MOST_OUTPUT: usize = 1 << 16;

/// What stands at the end of output of which some is missing.
const CUT: &[u8] = b"\n[more was printed, which is not shown]\n";

/// The output gets a buffer of the program, or has none.
pub(crate) extern "C" fn stream_buffer(buffer: usize) {
    if machine().running.get() {
        machine().note_deed(buffer as u64);
        machine().buffer.set(buffer);
    }
}

pub(crate) extern "C" fn output(text: *const u8, length: usize) {
    let machine = machine();
    let buffer = machine.buffer.get();
    if buffer != 0 && machine.running.get() {
        crate::calls::abi::refuse_gone(buffer);
    }
    let mut output = machine.output.borrow_mut();
    if !machine.running.get() || native::is_supposing() || output.len() > MOST_OUTPUT {
        return;
    }
    // SAFETY: the program has given a text of this length.
    let text = unsafe { std::slice::from_raw_parts(text, length) };
    let room = MOST_OUTPUT - output.len();
    output.extend_from_slice(&text[..length.min(room)]);
    if length > room {
        output.extend_from_slice(CUT);
    }
}

pub(crate) extern "C" fn unsupported(name: *const c_char) {
    // SAFETY: the stub of a function gives its name.
    let name = unsafe { text(name) };
    let pc = machine().pc();
    let what = format!("calls `{name}`, which cannot be checked: {}", why_not(&name));
    if !machine().running.get() {
        crate::check::child::know_nothing(format!("a constructor {what}"));
    }
    violate(ProgramError::Unsupported, format!("the program {what}"), pc);
}

/// Why a call cannot be checked.
fn why_not(name: &str) -> &'static str {
    match name {
        "pthread_cancel" => "threads are not cancelled here",
        "pthread_getname_np" | "pthread_getattr_np" | "pthread_getschedparam" | "pthread_setschedparam"
        | "pthread_setschedprio" | "pthread_getcpuclockid" | "pthread_getaffinity_np" | "pthread_setaffinity_np" => {
            "the system does not know the threads of a program that is checked"
        }
        "pthread_mutexattr_setrobust" => "mutexes are not robust here",
        "signal" | "sigaction" | "pthread_kill" | "alarm" | "timer_create" => "signals are not followed",
        "mmap" | "mmap64" | "munmap" | "mprotect" | "mremap" | "pkey_mprotect" | "madvise" | "brk" | "sbrk" | "shmat" => "memory that the system maps is not followed",
        "open_memstream" | "fmemopen" | "ungetc" => "streams are not followed, but for what is printed",
        "pthread_atfork" | "on_exit" => "what it registers is not called",
        _ => "it acts on the world outside the program",
    }
}
