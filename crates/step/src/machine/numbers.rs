//! Numbers of shapes. A state carries the number of its shape and nothing else about it, so the number must mean the same
//! to every machine of a program, in every order of search, and in every process that works on the same model.
//!
//! A shape is a *word*: the types of its processes in order of creation. The number is computed from the word. Nearly all
//! words are those of the processes that the model starts with ([`mod@quotient_ir::population`]), as far as they live, and a
//! few more on top. So a number is made of the length of that beginning and the rank of the rest, shorter words first.
//! No table is needed for these, and no order of discovery shows in them.
//!
//! There are words without end and numbers of three bytes, so this cannot work for all. Words of larger rank get their
//! numbers by a hash, in the upper half, from a table that all machines of the program share. Two words with one hash are
//! told apart by the table: the one that comes second gets the next free number. Only then, and only in this half, does a
//! number depend on who asked first; within a program it still means one shape. Longer numbers would be the alternative;
//! they would make every state of every model longer.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use quotient_ir::schema::SHAPE_BYTES;
use quotient_ir::{Expr, MAX_INSTANCES, Model, population};

/// Numbers below this are ranks; those from here on come from the table.
const RANKS: u32 = 1 << (8 * SHAPE_BYTES - 1);

/// The numbers of a program's shapes.
#[derive(Debug)]
pub struct Numbers {
    /// Types of the processes that the model starts with.
    founders: Vec<u32>,
    /// Types of which processes can be created later.
    created: Vec<u32>,
    table: Mutex<Table>,
}

/// Words without a rank.
#[derive(Debug, Default)]
struct Table {
    numbers: HashMap<Vec<u32>, u32>,
    words: HashMap<u32, Vec<u32>>,
}

impl Numbers {
    /// For the shapes of a model.
    pub(super) fn new(model: &Model) -> Self {
        let founders =
            population(model).into_iter().take(MAX_INSTANCES).map(|founder| founder.proctype as u32).collect();
        Numbers { founders, created: created(model).into_iter().collect(), table: Mutex::default() }
    }

    /// The number of a word; none when there are no numbers left.
    pub(super) fn number(&self, word: &[u32]) -> Option<u32> {
        if let Some(rank) = self.rank(word) {
            return Some(rank);
        }
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = table.numbers.get(word) {
            return Some(number);
        }
        let first = hash(word);
        let free =
            (0..RANKS).map(|step| RANKS + (first + step) % RANKS).find(|number| !table.words.contains_key(number))?;
        table.add(word, free);
        Some(free)
    }

    /// The word with this number, if there is one.
    pub(super) fn word(&self, number: u32) -> Option<Vec<u32>> {
        if number >= RANKS {
            let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
            return table.words.get(&number).cloned();
        }
        let width = self.founders.len() as u32 + 1;
        let mut word = self.founders[..(number % width) as usize].to_vec();
        let (mut rank, kinds) = (number / width, self.created.len() as u32);
        let mut rest = Vec::new();
        while rank > 0 {
            let digit = (rank - 1).checked_rem(kinds)?;
            rest.push(self.created[digit as usize]);
            rank = (rank - 1) / kinds;
            if rest.len() > MAX_INSTANCES {
                return None;
            }
        }
        word.extend(rest.iter().rev());
        // What goes on like the beginning belongs to the beginning.
        (self.rank(&word) == Some(number)).then_some(word)
    }

    /// Gives a word the number that it has in another process; false if that cannot be.
    pub(super) fn claim(&self, word: &[u32], number: u32) -> bool {
        if number < RANKS || self.rank(word).is_some() {
            return self.rank(word) == Some(number);
        }
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        match (table.numbers.get(word), table.words.contains_key(&number)) {
            (Some(&known), _) => known == number,
            (None, taken) => {
                if !taken && number < 2 * RANKS {
                    table.add(word, number);
                }
                !taken && number < 2 * RANKS
            }
        }
    }

    /// The rank of a word, if there is a number for it.
    fn rank(&self, word: &[u32]) -> Option<u32> {
        let known = word.iter().zip(&self.founders).take_while(|(ty, founder)| ty == founder).count();
        let mut rank = 0_u32;
        for ty in &word[known..] {
            let digit = self.created.iter().position(|created| created == ty)? as u32;
            rank = rank.checked_mul(self.created.len() as u32)?.checked_add(digit + 1)?;
        }
        let width = self.founders.len() as u32 + 1;
        rank.checked_mul(width)?.checked_add(known as u32).filter(|&number| number < RANKS)
    }
}

impl Table {
    fn add(&mut self, word: &[u32], number: u32) {
        self.numbers.insert(word.to_vec(), number);
        self.words.insert(number, word.to_vec());
    }
}

/// FNV-1a, folded to the numbers of the table.
fn hash(word: &[u32]) -> u32 {
    let mix = |hash: u64, ty: &u32| (hash ^ u64::from(*ty)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = word.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    ((hash ^ hash >> 23 ^ hash >> 46) % u64::from(RANKS)) as u32
}

/// Types of which some expression creates a process.
fn created(model: &Model) -> BTreeSet<u32> {
    let mut created = BTreeSet::new();
    model.walk(&mut |expr| {
        if let Expr::Run { proctype, .. } = expr {
            created.insert(*proctype as u32);
        }
    });
    created
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(founders: &[u32], created: &[u32]) -> Numbers {
        Numbers { founders: founders.to_vec(), created: created.to_vec(), table: Mutex::default() }
    }

    /// All words up to a length over some types.
    fn words(types: &[u32], length: usize) -> Vec<Vec<u32>> {
        let mut words = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..length {
            let to = words.len();
            for word in from..to {
                for ty in types {
                    words.push([&words[word][..], &[*ty]].concat());
                }
            }
            from = to;
        }
        words
    }

    #[test]
    fn every_number_has_one_word() {
        for numbers in [numbers(&[0, 1, 1, 2], &[1, 2]), numbers(&[], &[1, 2]), numbers(&[0], &[2, 1])] {
            let mut seen = HashMap::new();
            for word in
                words(&[1, 2], 8).into_iter().chain(words(&[1, 2], 5).into_iter().map(|w| [&[0], &w[..]].concat()))
            {
                let number = numbers.number(&word).expect("there are numbers enough");
                assert_eq!(*seen.entry(number).or_insert_with(|| word.clone()), word);
                assert_eq!(numbers.word(number), Some(word));
            }
        }
    }

    #[test]
    fn what_is_read_from_a_number_has_that_number() {
        for numbers in [numbers(&[0, 1, 1, 2], &[1, 2]), numbers(&[0, 0], &[]), numbers(&[], &[]), numbers(&[1], &[1])]
        {
            for number in (0..5_000).chain([RANKS - 1, RANKS, 2 * RANKS - 1, u32::MAX]) {
                if let Some(word) = numbers.word(number) {
                    assert_eq!(numbers.number(&word), Some(number));
                }
            }
        }
    }

    #[test]
    fn the_processes_of_the_start_are_counted() {
        let founders = [0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3];
        let numbers = numbers(&founders, &[1, 2, 3, 4, 5, 6, 7]);
        for length in 0..=founders.len() {
            assert_eq!(numbers.number(&founders[..length]), Some(length as u32));
        }
    }

    #[test]
    fn long_words_have_numbers_that_do_not_depend_on_the_order() {
        let long = |number: u32| (0..40).map(|bit| 1 + (number >> (bit % 10) & 1)).collect::<Vec<u32>>();
        let (forward, backward) = (numbers(&[0], &[1, 2]), numbers(&[0], &[1, 2]));
        let one: Vec<_> = (0..200).map(|n| forward.number(&long(n))).collect();
        let mut other: Vec<_> = (0..200).rev().map(|n| backward.number(&long(n))).collect();
        other.reverse();
        assert_eq!(one, other);
        assert!(one.iter().all(|number| number.is_some_and(|number| number >= RANKS)));
        assert_eq!(one.iter().collect::<BTreeSet<_>>().len(), 200);
        assert!(one.iter().zip(0..).all(|(number, n)| forward.word(number.unwrap_or(0)) == Some(long(n))));
    }

    #[test]
    fn a_number_that_is_taken_is_not_given_again() {
        let numbers = numbers(&[0], &[1, 2]);
        let (one, other) = ([1; 30], [2; 30]);
        let number = numbers.number(&one).expect("there are numbers enough");
        assert!(numbers.claim(&one, number) && !numbers.claim(&other, number) && !numbers.claim(&one, number + 1));
        assert!(numbers.claim(&other, number + 1) && numbers.number(&other) == Some(number + 1));
        assert!(numbers.claim(&[0], 1) && !numbers.claim(&[0], 2) && !numbers.claim(&[0], RANKS));
        assert!(!numbers.claim(&[1; 31], 2 * RANKS));
    }
}
