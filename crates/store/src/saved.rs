//! Writing a visited set to a file and reading it back: the states in the order they were inserted, with their marks. The
//! table is made anew, and every state has the address that it had.

use std::io::{self, Read, Write};

use crate::exact::{ADDRESS, CHUNK, CHUNK_BITS, FIRST_ADDRESS, HEADER, LAST, LONG, LONG_HEADER};
use crate::pages::Pages;
use crate::{Entry, Exact};

/// How much is read at a time: no memory is taken for what a file does not have.
const PIECE: usize = 1 << 20;

impl Exact {
    /// Writes all states.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&(self.count as u64).to_le_bytes())?;
        out.write_all(&self.end.to_le_bytes())?;
        for (number, chunk) in self.chunks.iter().enumerate() {
            out.write_all(&chunk.bytes()[..used(self.end, number)])?;
        }
        Ok(())
    }

    /// Reads what [`Self::save`] wrote.
    pub fn load(input: &mut dyn Read) -> io::Result<Exact> {
        let mut numbers = [0; 16];
        input.read_exact(&mut numbers)?;
        let number = |at: usize| u64::from_le_bytes(numbers[at..at + 8].try_into().expect("eight bytes"));
        let (count, end) = (number(0), number(8));
        let mut set = Exact::new();
        if !(FIRST_ADDRESS..=ADDRESS).contains(&end) {
            return Err(damaged());
        }
        let chunks = if count == 0 { 0 } else { ((end - 1) >> CHUNK_BITS) as usize + 1 };
        for number in 0..chunks {
            let mut chunk = Pages::new(CHUNK);
            for piece in chunk.bytes_mut()[..used(end, number)].chunks_mut(PIECE) {
                input.read_exact(piece)?;
            }
            set.chunks.push(chunk);
        }
        set.end = end;
        set.count = usize::try_from(count).map_err(|_| damaged())?;
        if !set.is_whole() {
            return Err(damaged());
        }
        set.fit_table();
        Ok(set)
    }

    /// The entry at an address, if it is one where a state could be.
    pub fn entry(&self, address: u64) -> Option<Entry> {
        (FIRST_ADDRESS..self.end).contains(&address).then(|| Entry::new(address))
    }

    /// Whether the arena holds as many states as it should, one after another.
    fn is_whole(&self) -> bool {
        let mut at = FIRST_ADDRESS;
        for _ in 0..self.count {
            let mark =
                self.chunks.get((at >> CHUNK_BITS) as usize).map(|chunk| chunk.bytes()[at as usize & (CHUNK - 1)]);
            if mark.is_some_and(|mark| mark & LAST != 0) {
                at = ((at >> CHUNK_BITS) + 1) << CHUNK_BITS;
            }
            let Some(chunk) = self.chunks.get((at >> CHUNK_BITS) as usize).map(Pages::bytes) else { return false };
            let rest = &chunk[at as usize & (CHUNK - 1)..];
            let length = match rest {
                [_, LONG, low, high, ..] => LONG_HEADER + usize::from(u16::from_le_bytes([*low, *high])),
                [_, length, ..] => HEADER + usize::from(*length),
                _ => return false,
            };
            // A state never ends at the very end of a chunk.
            if length >= rest.len() {
                return false;
            }
            at += length as u64;
            if at > self.end {
                return false;
            }
        }
        at == self.end
    }
}

/// How many bytes of a chunk are in use.
fn used(end: u64, number: usize) -> usize {
    ((end - ((number as u64) << CHUNK_BITS)) as usize).min(CHUNK)
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the visited states are not in order")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Insert;

    fn states(count: u32, length: usize) -> impl Iterator<Item = Vec<u8>> {
        (0..count).map(move |i| [&i.to_le_bytes()[..], &vec![7; length + i as usize % 3]].concat())
    }

    #[test]
    fn a_set_is_the_same_after_it_was_saved() {
        for (count, length) in [(0, 0), (1, 3), (10_000, 5), (2_500, 60_000), (300_000, 250)] {
            let mut set = Exact::new();
            let entries: Vec<Entry> = states(count, length)
                .map(|state| match set.insert(&state) {
                    Insert::New(entry) => entry,
                    Insert::Old(_) => panic!("all states differ"),
                })
                .collect();
            entries.iter().step_by(3).for_each(|&entry| set.set_on_stack(entry, true));
            let mut file = Vec::new();
            set.save(&mut file).expect("memory takes it");
            let mut read = Exact::load(&mut &file[..]).expect("it is whole");
            assert_eq!((read.len(), read.bytes()), (set.len(), set.bytes()));
            for ((number, state), &entry) in states(count, length).enumerate().zip(&entries) {
                assert_eq!(read.insert(&state), Insert::Old(entry));
                assert_eq!(read.is_on_stack(entry), number % 3 == 0);
            }
            // Both go on alike.
            assert_eq!(read.insert(b"another"), set.insert(b"another"));
        }
    }

    #[test]
    fn a_damaged_set_is_refused_or_another_set() {
        let mut set = Exact::new();
        states(100, 5).for_each(|state| assert!(matches!(set.insert(&state), Insert::New(_))));
        let mut file = Vec::new();
        set.save(&mut file).expect("memory takes it");
        for at in 0..file.len() {
            assert!(Exact::load(&mut &file[..at]).is_err());
            for bit in 0..8 {
                let mut bad = file.clone();
                bad[at] ^= 1 << bit;
                if let Ok(read) = Exact::load(&mut &bad[..]) {
                    assert_eq!(read.iter().count(), read.len());
                }
            }
        }
    }
}
