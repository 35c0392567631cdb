//! Functions of the library that are done here: those that print, those that keep something between calls, and those whose
//! result must be known before it is known what they write.

use super::numbers::put;
use super::{Arguments, effects, kept, real};
use crate::calls::libc_calls;
use crate::calls::{abi, alloc};
use crate::machine::{ProgramError, machine, violate};
use crate::memory::shadow::Touch;
use crate::memory::unwritten;

/// How a function is done.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// By the C library.
    Library,
    /// Here. The function also tells of what its row cannot say.
    Own(fn(&Arguments, usize) -> usize),
    /// By the C library, which reads a number.
    Number,
    /// By C code that is linked into the program.
    Glue,
}

/// Calls a function of the C library by its name.
fn by_name(name: &str, arguments: &[usize]) -> usize {
    let mut all: Arguments = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    super::call_real(real(name), &all)
}

pub(super) fn copy(&[to, from, size, ..]: &Arguments, unit: usize) -> usize {
    abi::memmove(to as *mut u8, from as *const u8, size * unit);
    to
}

/// `mempcpy`: gives the end.
pub(super) fn copy_to_end(arguments @ &[to, _, size, ..]: &Arguments, unit: usize) -> usize {
    copy(arguments, unit);
    to + size * unit
}

pub(super) fn duplicate(&[text, ..]: &Arguments, unit: usize) -> usize {
    new_copy(text, effects::length(text, unit, usize::MAX) * unit, unit)
}

pub(super) fn duplicate_at_most(&[text, most, ..]: &Arguments, unit: usize) -> usize {
    new_copy(text, effects::length(text, unit, most) * unit, unit)
}

fn new_copy(text: usize, size: usize, unit: usize) -> usize {
    // SAFETY: so many bytes have been looked at.
    let mut bytes = unsafe { std::slice::from_raw_parts(text as *const u8, size) }.to_vec();
    bytes.resize(size + unit, 0);
    new_text(&bytes)
}

/// New memory of the program with some bytes in it.
pub(super) fn new_text(bytes: &[u8]) -> usize {
    let block = alloc::malloc(bytes.len()) as usize;
    put(block, bytes);
    block
}

/// Is the file one that Quotient shows? Others are refused.
fn is_shown(file: usize, name: &str) -> bool {
    unsafe extern "C" {
        static stdout: usize;
        static stderr: usize;
    }
    // SAFETY: the C library has these.
    let shown = unsafe { file == stdout || file == stderr };
    if !shown {
        refuse(name);
    }
    shown
}

fn refuse(name: &str) {
    if machine().running.get() {
        let pc = machine().pc();
        let what = "which cannot be checked: it acts on the world outside the program";
        violate(ProgramError::Unsupported, format!("the program calls `{name}`, {what}"), pc);
    }
}

fn show(text: usize, size: usize) {
    libc_calls::output(text as *const u8, size);
}

pub(super) fn puts(&[text, ..]: &Arguments, _: usize) -> usize {
    show(text, effects::length(text, 1, usize::MAX));
    show(c"\n".as_ptr() as usize, 1);
    1
}

pub(super) fn fputs(&[text, file, ..]: &Arguments, _: usize) -> usize {
    if is_shown(file, "fputs") {
        show(text, effects::length(text, 1, usize::MAX));
    }
    1
}

pub(super) fn perror(&[text, ..]: &Arguments, _: usize) -> usize {
    if text != 0 {
        show(text, effects::length(text, 1, usize::MAX));
    }
    show(c"\n".as_ptr() as usize, 1);
    0
}

pub(super) fn fwrite(&[data, size, count, file, ..]: &Arguments, _: usize) -> usize {
    if is_shown(file, "fwrite") {
        unwritten::refuse_new(data, size * count);
        show(data, size * count);
    }
    count
}

pub(super) fn write(&[file, data, size, ..]: &Arguments, _: usize) -> usize {
    if file as i32 != 1 && file as i32 != 2 {
        refuse("write");
        return usize::MAX;
    }
    unwritten::refuse_new(data, size);
    show(data, size);
    size
}

/// Parts of a text, each with an address and a size.
pub(super) fn writev(&[file, parts, count, ..]: &Arguments, _: usize) -> usize {
    if file as i32 != 1 && file as i32 != 2 {
        refuse("writev");
        return usize::MAX;
    }
    let mut written = 0;
    for part in 0..count {
        let at = parts + part * 16;
        abi::range(at, 16, Touch::Read);
        // SAFETY: the memory has been looked at.
        let (data, size) = unsafe { (*(at as *const usize), *((at + 8) as *const usize)) };
        abi::copy_as_a_whole(data, size);
        show(data, size);
        written += size;
    }
    written
}

/// `strxfrm`, `mbstowcs` and others that write at most so many elements and give how many there are. They write to a copy
/// first, because it is not known before how much they will write.
fn at_most(name: &str, &[to, from, most, ..]: &Arguments, unit: usize, counts_zero: usize) -> usize {
    let mut copy = vec![0u8; most.min(1 << 24) * unit];
    let result = by_name(name, &[copy.as_mut_ptr() as usize, from, most.min(1 << 24)]);
    if to == 0 || result == usize::MAX {
        return by_name(name, &[0, from, 0]);
    }
    put(to, &copy[..(result + counts_zero).min(most) * unit]);
    result
}

pub(super) fn strxfrm(arguments: &Arguments, unit: usize) -> usize {
    at_most(if unit == 1 { "strxfrm" } else { "wcsxfrm" }, arguments, unit, 1)
}

pub(super) fn mbstowcs(arguments: &Arguments, _: usize) -> usize {
    at_most("mbstowcs", arguments, 4, 1)
}

pub(super) fn wcstombs(arguments: &Arguments, _: usize) -> usize {
    at_most("wcstombs", arguments, 1, 1)
}

pub(super) fn strftime(&[to, most, format, time, ..]: &Arguments, _: usize) -> usize {
    let mut copy = vec![0u8; most.min(1 << 20)];
    let result = by_name("strftime", &[copy.as_mut_ptr() as usize, copy.len(), format, time]);
    if result != 0 {
        put(to, &copy[..=result]);
    }
    result
}

/// A result in memory that all threads have in common: writes there.
fn keep(name: &str, bytes: &[u8]) -> usize {
    let at = kept(name);
    put(at, bytes);
    at
}

const TIME: usize = 56;
const SHARED_TIME: &str = super::KEPT[1].0;
const SHARED_TEXT: &str = super::KEPT[2].0;

fn broken_down(name: &str, time: usize) -> usize {
    let mut result = [0u8; TIME];
    by_name(name, &[time, result.as_mut_ptr() as usize]);
    keep(SHARED_TIME, &result)
}

pub(super) fn gmtime(&[time, ..]: &Arguments, _: usize) -> usize {
    broken_down("gmtime_r", time)
}

pub(super) fn localtime(&[time, ..]: &Arguments, _: usize) -> usize {
    broken_down("localtime_r", time)
}

/// A time as a text, with its zero.
fn time_text(name: &str, time: usize) -> Option<Vec<u8>> {
    let mut text = vec![0u8; 64];
    if by_name(name, &[time, text.as_mut_ptr() as usize]) == 0 {
        return None;
    }
    text.truncate(text.iter().position(|&byte| byte == 0)? + 1);
    Some(text)
}

pub(super) fn asctime(&[time, ..]: &Arguments, _: usize) -> usize {
    time_text("asctime_r", time).map_or(0, |text| keep(SHARED_TEXT, &text))
}

pub(super) fn ctime(&[time, ..]: &Arguments, _: usize) -> usize {
    time_text("ctime_r", time).map_or(0, |text| keep(SHARED_TEXT, &text))
}

pub(super) fn asctime_r(&[time, to, ..]: &Arguments, _: usize) -> usize {
    time_text("asctime_r", time).map_or(0, |text| {
        put(to, &text);
        to
    })
}

pub(super) fn ctime_r(&[time, to, ..]: &Arguments, _: usize) -> usize {
    time_text("ctime_r", time).map_or(0, |text| {
        put(to, &text);
        to
    })
}

pub(super) fn strerror(&[number, ..]: &Arguments, _: usize) -> usize {
    keep(super::KEPT[3].0, &error_text(number))
}

/// `strerror` for the C++ library, which copies the text before anything else happens: no other thread is in the way.
pub(super) fn strerror_for_library(&[number, ..]: &Arguments) -> usize {
    let (text, at) = (error_text(number), kept(super::KEPT[3].0));
    // SAFETY: there is room for the longest text, and nobody holds a reference to it.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), at as *mut u8, text.len()) };
    at
}

/// What an error is called, with a zero at the end.
fn error_text(number: usize) -> Vec<u8> {
    let mut text = vec![0u8; super::KEPT[3].1];
    by_name("__xpg_strerror_r", &[number, text.as_mut_ptr() as usize, text.len()]);
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(0);
    text.truncate(end + 1);
    text
}

pub(super) fn strerror_r(&[number, to, most, ..]: &Arguments, _: usize) -> usize {
    let mut text = vec![0u8; most.min(1 << 16)];
    let result = by_name("__xpg_strerror_r", &[number, text.as_mut_ptr() as usize, text.len()]);
    let end = text.iter().position(|&byte| byte == 0);
    if let Some(end) = end {
        put(to, &text[..=end]);
    }
    result
}

/// The form of GNU gives the text.
pub(super) fn gnu_strerror_r(arguments: &Arguments, unit: usize) -> usize {
    strerror_r(arguments, unit);
    arguments[1]
}

/// Reads the environment, which another thread must not change meanwhile.
pub(super) fn getenv(&[name, ..]: &Arguments, _: usize) -> usize {
    if machine().running.get() {
        abi::range(kept(super::KEPT[4].0), 8, Touch::Read);
    }
    by_name("getenv", &[name])
}
