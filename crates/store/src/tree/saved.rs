//! Writing a set of trees to a file and reading it back: the words of the nodes, then the slots of the roots with their marks.
//! Tables are made anew; every state has the entry that it had.

use std::io::{self, Read, Write};
use std::num::NonZeroU32;

use super::nodes::{Node, below, node};
use super::roots::{self, Roots};
use super::{Nodes, Tree};

impl<const NUMBERS: usize> Tree<NUMBERS> {
    /// Writes all states.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&(self.nodes.count as u64).to_le_bytes())?;
        out.write_all(&(self.roots.count as u64).to_le_bytes())?;
        for words in self.nodes.words() {
            words.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))?;
        }
        self.roots.slots().try_for_each(|slot| out.write_all(&slot.to_le_bytes()))
    }

    /// Reads what [`Self::write`] wrote. No memory is taken for what a file does not have.
    pub(super) fn read_from(input: &mut dyn Read) -> io::Result<Self> {
        let (nodes, count) = (read_word(input)?, read_word(input)?);
        let mut tree = Self::default();
        if nodes > tree.nodes.most as u64 {
            return Err(damaged());
        }
        // How many bytes of a state are below each node.
        let mut lengths: Vec<u16> = vec![0];
        for _ in 0..nodes {
            let word = read_word(input)?;
            lengths.push(length_of(word, &lengths).ok_or_else(damaged)?);
            tree.nodes.push(word);
        }
        tree.nodes.fit_index();
        if !has_each_once(&mut tree.nodes) {
            return Err(damaged());
        }
        let slots = (0..count).map(|_| {
            let slot = read_word(input)?;
            is_root(slot, &lengths).then_some(slot).ok_or_else(damaged)
        });
        tree.roots = Roots::collect(slots)?.ok_or_else(damaged)?;
        Ok(tree)
    }
}

/// How many bytes of a state are below a node that comes after those of these lengths; none if there is no such node.
fn length_of(word: u64, lengths: &[u16]) -> Option<u16> {
    match node(word) {
        Node::Leaf(bytes, length) => {
            // What a leaf does not use is 0, so that no leaf is there twice.
            (bytes & !below(length) == 0 && word >> 59 == 16).then_some(length as u16)
        }
        Node::Pair([left, right]) => {
            let of = |number: u32| lengths.get(number as usize).copied().filter(|&length| length > 0);
            of(left)?.checked_add(of(right)?)
        }
    }
}

/// Whether a slot has a root whose nodes are of these lengths.
fn is_root(slot: u64, lengths: &[u16]) -> bool {
    let [left, right] = roots::root(slot >> roots::MARK_BITS);
    let length = |number: u32| lengths.get(number as usize).copied();
    let sum = length(left).and_then(|before| before.checked_add(length(right)?));
    left != 0 && sum.is_some()
}

/// Whether every word is found under its own number.
fn has_each_once(nodes: &mut Nodes) -> bool {
    (1..=nodes.count as u32).all(|number| nodes.number(nodes.word(number)).map(NonZeroU32::get) == Some(number))
}

fn read_word(input: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the visited states are not in order")
}
