//! What a function of the library reads and writes in one call. Extents are found by looking at memory that is there; what is
//! not there is left to the report.

use super::{Arguments, Case, Function, Size, Span};
use crate::calls::abi;
use crate::machine::{Machine, machine};
use crate::memory::proc_maps;
use crate::memory::shadow::Touch;
use crate::memory::address_space;

/// Tells of a read.
pub(super) fn read(span: &Span, arguments: &Arguments, unit: usize) {
    // Of what is copied, not every byte need have been written.
    let copied = matches!(span, Span::Bytes(..));
    for (address, size) in extents(span, arguments, unit) {
        if copied { abi::copy_as_a_whole(address, size) } else { abi::range(address, size, Touch::Read) }
    }
}

/// Tells of a write that comes.
pub(super) fn write(span: &Span, arguments: &Arguments, unit: usize) {
    for (address, size) in extents(span, arguments, unit) {
        abi::range(address, size, Touch::Write);
    }
}

/// A function must not write where it reads. Of what it is to append to, it reads the end that it overwrites.
pub(super) fn refuse_overlap(function: &Function, arguments: &Arguments) {
    let start = |span: &Span| match *span {
        Span::Bytes(i, _) | Span::Text(i) | Span::TextAtMost(i, _) | Span::Until(i, ..) => Some(i),
        Span::Copy(i, _) | Span::CopyUntil(i, ..) | Span::Append(i, _) | Span::AppendAtMost(i, ..) => Some(i),
        _ => None,
    };
    let Some(written) = function.writes.first() else { return };
    let others = function.reads.iter().filter(|span| start(span) != start(written));
    let read: Vec<_> = others.flat_map(|span| extents(span, arguments, function.unit)).collect();
    // To copy memory to where it is does nothing.
    let is_same = function.name.contains("mem") && arguments[0] == arguments[1];
    for range in extents(written, arguments, function.unit).into_iter().filter(|_| !is_same) {
        abi::refuse_overlap(range, &read);
    }
}

/// The parts of memory that are touched: addresses and sizes.
fn extents(span: &Span, arguments: &Arguments, unit: usize) -> Vec<(usize, usize)> {
    let at = |argument: u8| arguments[usize::from(argument)];
    match *span {
        Span::Bytes(i, size) => {
            let size = match size {
                Size::Argument(j) => at(j).saturating_mul(unit),
                Size::Product(j, k) => at(j).saturating_mul(at(k)),
                Size::Constant(size) => size,
            };
            vec![(at(i), size)]
        }
        Span::Value(i, size) => vec![(at(i), if at(i) == 0 { 0 } else { size })],
        Span::Text(i) => vec![(at(i), text(at(i), unit, usize::MAX))],
        Span::TextIfAny(i) => vec![(at(i), if at(i) == 0 { 0 } else { text(at(i), unit, usize::MAX) })],
        Span::TextAtMost(i, n) => vec![(at(i), text(at(i), unit, at(n)))],
        Span::Until(i, c, n) => vec![(at(i), until(at(i), unit, at(n), |value| value == element(at(c), unit)))],
        Span::UntilFound(i, c) => vec![(at(i), until(at(i), unit, usize::MAX, |value| value == element(at(c), unit)))],
        Span::TextUntil(i, c) => {
            let wanted = element(at(c), unit);
            vec![(at(i), until(at(i), unit, usize::MAX, |value| value == wanted || value == 0))]
        }
        Span::Compared(i, j, case) => compared(at(i), at(j), unit, usize::MAX, case),
        Span::ComparedAtMost(i, j, n, case) => compared(at(i), at(j), unit, at(n), case),
        Span::While(i, j) => {
            let set = elements(at(j), unit, usize::MAX);
            vec![(at(i), until(at(i), unit, usize::MAX, |value| value == 0 || !set.contains(&value)))]
        }
        Span::WhileNot(i, j) => {
            let set = elements(at(j), unit, usize::MAX);
            vec![(at(i), until(at(i), unit, usize::MAX, |value| value == 0 || set.contains(&value)))]
        }
        Span::Match(i, j, case) => vec![(at(i), matched(at(i), at(j), unit, case))],
        Span::Copy(to, from) => vec![(at(to), text(at(from), unit, usize::MAX))],
        Span::CopyUntil(to, from, c, n) => {
            vec![(at(to), until(at(from), unit, at(n), |value| value == element(at(c), unit)))]
        }
        Span::Append(to, from) => {
            let end = at(to) + length(at(to), unit, usize::MAX) * unit;
            vec![(end, (length(at(from), unit, usize::MAX) + 1) * unit)]
        }
        Span::AppendAtMost(to, from, n) => {
            let end = at(to) + length(at(to), unit, usize::MAX) * unit;
            vec![(end, (length(at(from), unit, at(n)) + 1) * unit)]
        }
        // The functions themselves tell of these.
        Span::Token(..) | Span::Number(_) | Span::Result(_) | Span::Format(_) | Span::Elements(_) | Span::New => {
            Vec::new()
        }
    }
}

/// An argument as an element of so many bytes.
fn element(value: usize, unit: usize) -> u32 {
    if unit == 1 { u32::from(value as u8) } else { value as u32 }
}

/// How many bytes are read up to the first element that is looked for, or to the first that is not there.
pub(super) fn until(address: usize, unit: usize, most: usize, stop: impl FnMut(u32) -> bool) -> usize {
    let (count, found) = peek(address, unit, most, stop);
    // The element at which it ends has been read; or it is missing, which the report is about.
    (count + usize::from(found || count < most)) * unit
}

/// The same up to a zero.
pub(super) fn text(address: usize, unit: usize, most: usize) -> usize {
    until(address, unit, most, |value| value == 0)
}

/// How many elements are in front of a zero.
pub(super) fn length(address: usize, unit: usize, most: usize) -> usize {
    peek(address, unit, most, |value| value == 0).0
}

/// The elements of a string, as far as it is there, and at most so many.
pub(super) fn elements(address: usize, unit: usize, most: usize) -> Vec<u32> {
    let mut elements = Vec::new();
    peek(address, unit, most, |value| {
        let ends = value == 0;
        if !ends {
            elements.push(value);
        }
        ends
    });
    elements
}

/// What of an element is compared.
fn compares(case: Case) -> impl Fn(&u32) -> u32 {
    move |&value| match u8::try_from(value) {
        Ok(byte) if case == Case::Ignored => byte.to_ascii_lowercase().into(),
        _ => value,
    }
}

/// Two strings are read up to the first difference.
fn compared(a: usize, b: usize, unit: usize, most: usize, case: Case) -> Vec<(usize, usize)> {
    let (first, second) = (elements(a, unit, most), elements(b, unit, most));
    let of = compares(case);
    let same = first.iter().zip(&second).take_while(|(a, b)| of(a) == of(b)).count();
    let read = (same + 1).min(most) * unit;
    vec![(a, read), (b, read)]
}

/// How many bytes of a string are read to find another one in it.
fn matched(text: usize, part: usize, unit: usize, case: Case) -> usize {
    let (whole, part) = (elements(text, unit, usize::MAX), elements(part, unit, usize::MAX));
    let of = compares(case);
    let is_there = |window: &[u32]| window.iter().map(&of).eq(part.iter().map(&of));
    let found = if part.is_empty() { Some(0) } else { whole.windows(part.len()).position(is_there) };
    found.map_or((whole.len() + 1) * unit, |position| (position + part.len()) * unit)
}

/// How many elements are in front of the first that is looked for, and whether that is there. Ends before memory that does
/// not exist.
pub(super) fn peek(address: usize, unit: usize, most: usize, mut stop: impl FnMut(u32) -> bool) -> (usize, bool) {
    let machine = machine();
    let mut end = if machine.running.get() { address } else { usize::MAX };
    for count in 0..most {
        let at = address.wrapping_add(count * unit);
        while end < at + unit {
            let next = readable(machine, end.max(at));
            if next == end.max(at) {
                return (count, false);
            }
            end = next;
        }
        // SAFETY: the bytes can be read.
        let value =
            unsafe { if unit == 1 { u32::from(*(at as *const u8)) } else { (at as *const u32).read_unaligned() } };
        if stop(value) {
            return (count, true);
        }
    }
    (most, false)
}

/// The first address from here on that cannot be read, or the end of the 8 bytes in which it lies. What can be read is
/// brought up to date.
fn readable(machine: &Machine, address: usize) -> usize {
    let behind = (address & !7) + 8;
    if address >= usize::MAX - 16 {
        return address;
    }
    let Some(cell) = machine.cell(address) else {
        return address + usize::from(proc_maps::may_access(machine, address, 1, false));
    };
    let new_page = address & 4095 < 8;
    let in_image = machine.is_in_image(address);
    if in_image && new_page && !proc_maps::is_readable(address) {
        return address;
    }
    if address_space::is_guarded(address) {
        return address;
    }
    let there = (cell.valid.get() >> (address & 7)).trailing_ones() as usize;
    let end = (address + there).min(behind);
    if end > address && cell.has_location() {
        abi::bring_up_to_date(machine, address, end - address);
    }
    end
}
