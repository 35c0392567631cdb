//! How the parts of a checkpoint are written: numbers in as few bytes as they need, frames by how they differ from the one
//! before. What is read is checked, and no memory is taken for what the file does not have.

use std::io::{self, Read, Write};

use quotient_store::Entry;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::deep::Pack;
use crate::frame::{Frame, Part, Role};

/// No word that is read is longer than this.
const LONGEST_WORD: usize = 64;

/// Where the frame before starts: the next one starts soon after.
#[derive(Default)]
pub(super) struct Before {
    start: usize,
    trail: usize,
    entry: u64,
}

impl Pack for Frame {
    type Before = Before;

    #[inline]
    fn put<W: Write + ?Sized>(&self, before: &mut Before, out: &mut W) -> io::Result<()> {
        let Frame { entry, start, length, trail, next, end, escape, offer, process, last, flags } = *self;
        put_signed(out, start as i64 - before.start as i64)?;
        put_signed(out, trail as i64 - before.trail as i64)?;
        let address = entry.map_or(0, Entry::address);
        put_number(out, u64::from(entry.is_some()))?;
        if entry.is_some() {
            put_signed(out, address as i64 - before.entry as i64)?;
            before.entry = address;
        }
        (before.start, before.trail) = (start, trail);
        for number in [length, next.wrapping_add(1), end, escape, offer.into(), flags.into()] {
            put_number(out, u64::from(number))?;
        }
        put_signed(out, process.into())?;
        put_signed(out, last.into())
    }

    /// Whether there is such an entry, whoever reads a file must ask.
    #[inline]
    fn get<R: Read + ?Sized>(before: &mut Before, input: &mut R) -> io::Result<Frame> {
        let wrong = || damaged("its stack is not in order");
        let add = |to: u64, step: i64| to.checked_add_signed(step).ok_or_else(wrong);
        before.start = add(before.start as u64, get_signed(input)?)? as usize;
        before.trail = add(before.trail as u64, get_signed(input)?)? as usize;
        let mut entry = None;
        if get_number(input)? != 0 {
            before.entry = add(before.entry, get_signed(input)?)?;
            entry = Some(Entry::at(before.entry).ok_or_else(wrong)?);
        }
        let mut numbers = [0_u32; 6];
        for number in &mut numbers {
            *number = u32::try_from(get_number(input)?).map_err(|_| wrong())?;
        }
        let [length, next, end, escape, offer, flags] = numbers;
        let small = |number: u32| u16::try_from(number).map_err(|_| wrong());
        let signed = |number: i64| i16::try_from(number).map_err(|_| wrong());
        let (offer, flags) = (small(offer)?, small(flags)?);
        let (process, last) = (signed(get_signed(input)?)?, signed(get_signed(input)?)?);
        let next = next.wrapping_sub(1);
        let (start, trail) = (before.start, before.trail);
        Ok(Frame { entry, start, length, trail, next, end, escape, offer, process, last, flags })
    }
}

impl Pack for Part {
    type Before = ();

    #[inline]
    fn put<W: Write + ?Sized>(&self, (): &mut (), out: &mut W) -> io::Result<()> {
        put_part(out, *self)
    }

    #[inline]
    fn get<R: Read + ?Sized>((): &mut (), input: &mut R) -> io::Result<Part> {
        get_part(input)
    }
}

#[inline]
pub(super) fn put_part<W: Write + ?Sized>(out: &mut W, part: Part) -> io::Result<()> {
    let role = match part.role {
        Role::Alone => 0,
        Role::Offers => 1,
        Role::Receives => 2,
    };
    put_number(out, u64::from(part.process) << 2 | role)?;
    put_number(out, u64::from(part.transition))
}

#[inline]
pub(super) fn get_part<R: Read + ?Sized>(input: &mut R) -> io::Result<Part> {
    let wrong = || damaged("its steps are not in order");
    let number = get_number(input)?;
    let role = match number & 3 {
        0 => Role::Alone,
        1 => Role::Offers,
        2 => Role::Receives,
        _ => return Err(wrong()),
    };
    let process = u16::try_from(number >> 2).map_err(|_| wrong())?;
    let transition = u32::try_from(get_number(input)?).map_err(|_| wrong())?;
    Ok(Part { transition, process, role })
}

/// A number in as many groups of seven bits as it needs.
#[inline(always)]
pub(crate) fn put_number<W: Write + ?Sized>(out: &mut W, number: u64) -> io::Result<()> {
    // Most numbers are small.
    match number < 128 {
        true => out.write_all(&[number as u8]),
        false => put_large(out, number),
    }
}

fn put_large<W: Write + ?Sized>(out: &mut W, mut number: u64) -> io::Result<()> {
    let mut bytes = [0; 10];
    let mut length = 0;
    loop {
        bytes[length] = (number & 127) as u8 | u8::from(number > 127) << 7;
        length += 1;
        number >>= 7;
        if number == 0 {
            return out.write_all(&bytes[..length]);
        }
    }
}

#[inline(always)]
pub(crate) fn get_number<R: Read + ?Sized>(input: &mut R) -> io::Result<u64> {
    let mut byte = [0];
    input.read_exact(&mut byte)?;
    match byte[0] < 128 {
        true => Ok(u64::from(byte[0])),
        false => get_large(u64::from(byte[0] & 127), input),
    }
}

/// The rest of a number whose first group is known.
fn get_large<R: Read + ?Sized>(mut number: u64, input: &mut R) -> io::Result<u64> {
    for shift in (7..64).step_by(7) {
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 127) << shift;
        if byte[0] & 128 == 0 {
            return Ok(number);
        }
    }
    Err(damaged("a number in it is too long"))
}

#[inline]
pub(super) fn put_signed<W: Write + ?Sized>(out: &mut W, number: i64) -> io::Result<()> {
    put_number(out, (number << 1 ^ number >> 63) as u64)
}

#[inline]
pub(super) fn get_signed<R: Read + ?Sized>(input: &mut R) -> io::Result<i64> {
    let number = get_number(input)?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

pub(crate) fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    put_number(out, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// Reads bytes. No memory is taken for bytes that the file does not have.
pub(crate) fn get_bytes(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let length = get_number(input)?;
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early")),
    }
}

pub(crate) fn put(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    postcard::to_io(value, out).map(|_| ()).map_err(io::Error::other)
}

pub(crate) fn get<T: DeserializeOwned>(input: &mut dyn Read) -> io::Result<T> {
    let mut word = [0; LONGEST_WORD];
    let (value, _) = postcard::from_io((input, &mut word[..])).map_err(|_| damaged("a part of it makes no sense"))?;
    Ok(value)
}

pub(crate) fn damaged(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let numbers = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1, u64::MAX >> bit]);
        for number in numbers {
            let mut file = Vec::new();
            put_number(&mut file, number).expect("memory takes it");
            put_signed(&mut file, number as i64).expect("memory takes it");
            let mut file = &file[..];
            assert_eq!(get_number(&mut file).ok(), Some(number));
            assert_eq!(get_signed(&mut file).ok(), Some(number as i64));
            assert!(file.is_empty());
        }
    }
}
