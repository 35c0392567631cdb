//! What a format of `printf` asks for: the strings that are read, and the counts that are written. Then the text is made by
//! the C library.

use super::effects::text;
use super::numbers::put;
use super::{caller, own};
use crate::calls::abi;
use crate::calls::libc_calls;
use crate::machine::machine;
use crate::memory::shadow::Touch;
use std::ffi::CStr;

/// The arguments of a function that takes any number of them, on x86-64.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct List {
    general: u32,
    floating: u32,
    others: usize,
    registers: usize,
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    General,
    Floating,
    /// A `long double`, in memory.
    Long,
}

impl List {
    /// A list of pointers, all of them in memory.
    pub(crate) fn of(pointers: &[usize]) -> Self {
        List { general: 48, floating: 176, others: pointers.as_ptr() as usize, registers: 0 }
    }

    /// The list that is there, if the program may read it; else that is reported.
    ///
    /// # Safety
    /// The program must have been stopped if it may not read there.
    pub(crate) unsafe fn at(list: *const List) -> List {
        see(list as usize, size_of::<List>());
        // SAFETY: as the caller promises. It may be anywhere.
        unsafe { list.read_unaligned() }
    }

    /// The next argument: its value, if it is an integer or a pointer.
    fn next(&mut self, class: Class) -> usize {
        let at = match class {
            Class::General if self.general < 48 => {
                self.general += 8;
                self.registers.wrapping_add(self.general as usize - 8)
            }
            Class::Floating if self.floating < 176 => {
                self.floating += 16;
                self.registers.wrapping_add(self.floating as usize - 16)
            }
            _ => {
                let size = if class == Class::Long { 16 } else { 8 };
                let at = self.others.wrapping_add(size - 1) & !(size - 1);
                self.others = at.wrapping_add(size);
                at
            }
        };
        see(at, size_of::<usize>());
        // SAFETY: the program has passed what the format asks for; if not, this is some other memory that it may read.
        unsafe { (at as *const usize).read_unaligned() }
    }

    /// The next pointer.
    pub(crate) fn pointer(&mut self) -> usize {
        self.next(Class::General)
    }
}

/// Reports it if the program may not read there at all. What is on its stacks it may: compilers put arguments there.
fn see(address: usize, size: usize) {
    let machine = machine();
    if machine.running.get() && [address, address.wrapping_add(size - 1)].iter().any(|&at| machine.cell(at).is_none()) {
        abi::range(address, size, Touch::Read);
    }
}

/// What is done with an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Only its value matters.
    Value(Class),
    /// A width or a precision, which is an argument of its own.
    Star,
    /// A string of elements of so many bytes; at most so many are read: a number, or what a star gave.
    Text(usize, Most),
    /// Where to write a count of so many bytes.
    Count(usize),
}

/// How much of a string is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Most {
    All,
    Fixed(usize),
    /// What the argument before says, or the one with this number.
    Starred(Option<usize>),
}

/// Checks what a format reads and writes, and gives the text.
fn formatted(format: usize, list: *mut List) -> Vec<u8> {
    formatted_with_reads(format, list).0
}

/// The same, and where it reads: addresses and sizes.
fn formatted_with_reads(format: usize, list: *mut List) -> (Vec<u8>, Vec<(usize, usize)>) {
    let mut read = Vec::new();
    if machine().running.get() {
        caller::note();
        abi::range(format, text(format, 1, usize::MAX), Touch::Read);
        // SAFETY: the string has been looked at, and the list is the caller's.
        let (format, mut list) = unsafe { (CStr::from_ptr(format as *const _), List::at(list)) };
        read = look_at(format.to_bytes(), &mut list);
    }
    (make(format, list), read)
}

/// The text, by the C library.
fn make(format: usize, list: *mut List) -> Vec<u8> {
    unsafe extern "C" {
        fn vsnprintf(to: *mut u8, size: usize, format: usize, list: *mut List) -> i32;
    }
    let mut bytes = vec![0u8; 256];
    for _ in 0..2 {
        // SAFETY: there is so much room, and the arguments have been looked at. The list is used up by this.
        let length = unsafe {
            let mut copy = list.read_unaligned();
            vsnprintf(bytes.as_mut_ptr(), bytes.len(), format, &raw mut copy)
        };
        let Ok(length) = usize::try_from(length) else { return Vec::new() };
        let is_all = length < bytes.len();
        bytes.resize(length + 1, 0);
        if is_all {
            break;
        }
    }
    bytes.pop();
    bytes
}

/// Tells of what the arguments of a format are used for. Gives the strings that are read.
fn look_at(format: &[u8], list: &mut List) -> Vec<(usize, usize)> {
    let mut read = Vec::new();
    let uses = parse(format);
    // Arguments with numbers are fetched in their order, and used in that of the format.
    let count = uses.iter().filter_map(|(number, _)| *number).max().unwrap_or(0);
    let mut numbered = vec![0; count + 1];
    for (number, value) in numbered.iter_mut().enumerate().skip(1) {
        let used = uses.iter().find(|(other, _)| *other == Some(number));
        *value = list.next(used.map_or(Class::General, |(_, used)| class(*used)));
    }
    let mut last = 0;
    for (number, used) in uses {
        let value = number.map_or_else(|| list.next(class(used)), |number| numbered[number]);
        match used {
            Use::Star => last = value,
            Use::Text(unit, most) => {
                let given = match most {
                    Most::All => usize::MAX,
                    Most::Fixed(most) => most,
                    Most::Starred(number) => {
                        let value = number.map_or(last, |number| numbered[number]) as i32;
                        usize::try_from(value).unwrap_or(usize::MAX)
                    }
                };
                let size = text(value, unit, given);
                abi::range(value, size, Touch::Read);
                read.push((value, size));
            }
            Use::Count(size) => abi::range(value, size, Touch::Write),
            Use::Value(_) => {}
        }
    }
    read
}

fn class(used: Use) -> Class {
    if let Use::Value(class) = used { class } else { Class::General }
}

/// The arguments of a format, with their numbers if they have some.
fn parse(format: &[u8]) -> Vec<(Option<usize>, Use)> {
    let mut uses = Vec::new();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        rest = &rest[percent + 1..];
        let number = take_number(&mut rest);
        take(&mut rest, b"-+ #0'I");
        if take_star(&mut rest, &mut uses).is_none() {
            take_digits(&mut rest);
        }
        let mut most = Most::All;
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            most = match take_star(&mut rest, &mut uses) {
                Some(number) => Most::Starred(number),
                None => Most::Fixed(take_digits(&mut rest)),
            };
        }
        let modifiers = take(&mut rest, b"hlLqjztZ");
        let Some((&conversion, behind)) = rest.split_first() else { break };
        rest = behind;
        let is_long = modifiers.starts_with(b"l");
        let used = match conversion {
            b'%' | b'm' => continue,
            b's' if is_long => Use::Text(4, most),
            b'S' => Use::Text(4, most),
            b's' => Use::Text(1, most),
            b'n' => Use::Count(match modifiers {
                b"hh" => 1,
                b"h" => 2,
                b"" => 4,
                _ => 8,
            }),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let is_long = matches!(modifiers, b"L" | b"ll" | b"q");
                Use::Value(if is_long { Class::Long } else { Class::Floating })
            }
            _ => Use::Value(Class::General),
        };
        uses.push((number, used));
    }
    uses
}

/// Takes `12$`, if it is there.
fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || rest.get(digits) != Some(&b'$') {
        return None;
    }
    let number = take_digits(rest);
    *rest = &rest[1..];
    Some(number)
}

/// Takes a star, if there is one, and gives the number of its argument, if that has one.
fn take_star(rest: &mut &[u8], uses: &mut Vec<(Option<usize>, Use)>) -> Option<Option<usize>> {
    if rest.first() != Some(&b'*') {
        return None;
    }
    *rest = &rest[1..];
    let number = take_number(rest);
    uses.push((number, Use::Star));
    Some(number)
}

fn take_digits(rest: &mut &[u8]) -> usize {
    let digits = take(rest, b"0123456789");
    digits.iter().fold(0usize, |value, digit| value.saturating_mul(10).saturating_add(usize::from(digit - b'0')))
}

fn take<'a>(rest: &mut &'a [u8], set: &[u8]) -> &'a [u8] {
    let count = rest.iter().take_while(|byte| set.contains(byte)).count();
    let (taken, behind) = rest.split_at(count);
    *rest = behind;
    taken
}

/// `vprintf`.
pub(crate) extern "C" fn print(format: usize, list: *mut List) -> i32 {
    let bytes = formatted(format, list);
    libc_calls::output(bytes.as_ptr(), bytes.len());
    bytes.len() as i32
}

/// `vsnprintf`, and `vsprintf` with the largest size there is.
pub(crate) extern "C" fn print_into(to: usize, size: usize, format: usize, list: *mut List) -> i32 {
    let (mut bytes, read) = formatted_with_reads(format, list);
    let length = bytes.len();
    if size > 0 {
        bytes.truncate(size - 1);
        bytes.push(0);
        abi::refuse_overlap((to, bytes.len()), &read);
        put(to, &bytes);
    }
    length as i32
}

/// `vasprintf`.
pub(crate) extern "C" fn print_new(to: usize, format: usize, list: *mut List) -> i32 {
    let mut bytes = formatted(format, list);
    let length = bytes.len();
    bytes.push(0);
    let block = own::new_text(&bytes);
    put(to, &block.to_le_bytes());
    length as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(format: &str) -> Vec<Use> {
        parse(format.as_bytes()).into_iter().map(|(_, used)| used).collect()
    }

    #[test]
    fn conversions_are_recognised() {
        assert_eq!(uses("plain %% text %m"), []);
        assert_eq!(uses("%5d %-3s"), [Use::Value(Class::General), Use::Text(1, Most::All)]);
        assert_eq!(uses("%.3s"), [Use::Text(1, Most::Fixed(3))]);
        assert_eq!(uses("%.s"), [Use::Text(1, Most::Fixed(0))]);
        assert_eq!(uses("%*.*s"), [Use::Star, Use::Star, Use::Text(1, Most::Starred(None))]);
        assert_eq!(uses("%f %Lf"), [Use::Value(Class::Floating), Use::Value(Class::Long)]);
        assert_eq!(uses("%n%hhn%ln"), [Use::Count(4), Use::Count(1), Use::Count(8)]);
        assert_eq!(uses("%ls%S"), [Use::Text(4, Most::All), Use::Text(4, Most::All)]);
        assert_eq!(uses("100%"), []);
    }

    #[test]
    fn arguments_with_numbers_are_recognised() {
        let expected = vec![(Some(2), Use::Text(1, Most::All)), (Some(1), Use::Value(Class::General))];
        assert_eq!(parse(b"%2$s %1$d"), expected);
        let expected = vec![(Some(3), Use::Star), (Some(1), Use::Text(1, Most::Starred(Some(3))))];
        assert_eq!(parse(b"%1$.*3$s"), expected);
    }
}
