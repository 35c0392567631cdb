//! The strategies of "Symmetric Spin": members are sorted by a number that each of them has (an element of the main
//! array, or a control state), and the representative is the least of the states that the sorting renamings give, or
//! that of the first one.
//!
//! As in the paper, sorting repeatedly swaps the first minimum to the front; it is not stable, and the published
//! numbers for `sorted` and `pc-sorted` depend on that. For a ring, the sorting renamings are those that give the least
//! word.

use std::cmp::Ordering;

use quotient_ir::Group;

use crate::Strategy;
use crate::plan::{Images, Key, Plan, Set, read};

/// The most renamings that are tried on one state: those of ten members.
const MOST_RENAMINGS: f64 = 3_628_800.0;

/// Finds representatives by sorting and enumerating; keeps its memory from one state to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorter {
    /// For each vertex, the number to sort by.
    keys: Vec<i64>,
    /// For each set, its members in their new order.
    order: Vec<u8>,
    images: Vec<u8>,
    /// What is left to choose.
    choices: Vec<Choice>,
    best: Vec<u8>,
    /// The images that gave the best state, where they are kept.
    best_images: Vec<u8>,
    candidate: Vec<u8>,
}

/// A choice between renamings.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// Any order of these members of a set.
    Order { base: usize, start: usize, end: usize },
    /// Any of the rotations (and reflections) of a ring that give the least word.
    Turn { set: Set },
}

impl Choice {
    /// At most how many ways there are to choose.
    fn ways(&self) -> f64 {
        match *self {
            Choice::Order { start, end, .. } => (1..=end - start).map(|factor| factor as f64).product(),
            Choice::Turn { set } => Turn::all(set).count() as f64,
        }
    }
}

impl Sorter {
    /// The representative of a state, the renaming that leads to it, and whether it is what the strategy says: where there are too many renamings to try,
    /// it is that of the first one. `KEEP` says whether the renaming is kept.
    pub(crate) fn representative<const KEEP: bool>(
        &mut self,
        plan: &Plan,
        strategy: Strategy,
        state: &[u8],
    ) -> (&mut [u8], &Images, bool) {
        self.keys.clear();
        self.keys.resize(plan.vertices, 0);
        self.images.resize(plan.vertices, 0);
        self.order.clear();
        self.choices.clear();
        for (set, keys) in plan.sets.iter().zip(&plan.keys) {
            let own = &mut self.keys[set.base..set.base + set.size];
            if strategy.by_control() {
                for (key, numbers) in &keys.controls {
                    for (own, &at) in own.iter_mut().zip(&key.offsets) {
                        *own = *own << 16 | i64::from(numbers[read(state, at as usize, key.width) as usize]);
                    }
                }
            } else if let (true, Some(key)) = (strategy.by_array(), &keys.array) {
                for (own, &at) in own.iter_mut().zip(&key.offsets) {
                    *own = key.value(state, at as usize);
                }
            }
            self.order.extend((0..set.size).map(|member| member as u8));
            match set.group {
                Group::Symmetric => self.sort(*set),
                Group::Cyclic | Group::Dihedral => self.choices.push(Choice::Turn { set: *set }),
            }
        }
        self.best.clear();
        let can_try = self.choices.iter().map(|choice| choice.ways()).product::<f64>() <= MOST_RENAMINGS;
        self.choose::<KEEP>(plan, state, 0, strategy.is_canonical() && can_try);
        (&mut self.best, &self.best_images, !strategy.is_canonical() || can_try)
    }

    /// Sorts the members of a set; those with equal numbers are left to choose from.
    fn sort(&mut self, set: Set) {
        let keys = &self.keys[set.base..set.base + set.size];
        let order = &mut self.order[set.base..set.base + set.size];
        let key = |member: u8| keys[usize::from(member)];
        for front in 0..order.len() {
            let mut least = front;
            for at in front + 1..order.len() {
                if key(order[at]) < key(order[least]) {
                    least = at;
                }
            }
            order.swap(front, least);
        }
        let mut start = 0;
        for end in 1..=order.len() {
            if end == order.len() || key(order[end]) != key(order[start]) {
                if end - start > 1 {
                    self.choices.push(Choice::Order { base: set.base, start, end });
                }
                start = end;
            }
        }
        for (new, &member) in order.iter().enumerate() {
            self.images[set.base + usize::from(member)] = new as u8;
        }
    }

    /// Tries everything that is left to choose from a number on, or only the first.
    fn choose<const KEEP: bool>(&mut self, plan: &Plan, state: &[u8], number: usize, all: bool) {
        match self.choices.get(number).copied() {
            None => {
                plan.apply(&self.images, state, &mut self.candidate);
                if self.best.is_empty() || self.candidate[plan.hidden..] < self.best[plan.hidden..] {
                    std::mem::swap(&mut self.best, &mut self.candidate);
                    if KEEP {
                        self.best_images.clone_from(&self.images);
                    }
                }
            }
            Some(Choice::Order { .. }) if !all => self.choose::<KEEP>(plan, state, number + 1, all),
            Some(Choice::Order { base, start, end }) => self.arrange::<KEEP>(plan, state, number, (base, start, end)),
            Some(Choice::Turn { set }) => {
                let mut least = Turn { shift: 0, mirrored: false };
                for turn in Turn::all(set) {
                    if self.compare(set, turn, least) == Ordering::Less {
                        least = turn;
                    }
                }
                for turn in Turn::all(set) {
                    if turn == least || (all && self.compare(set, turn, least) == Ordering::Equal) {
                        for member in 0..set.size {
                            self.images[set.base + member] = turn.image(member, set.size) as u8;
                        }
                        self.choose::<KEEP>(plan, state, number + 1, all);
                    }
                }
            }
        }
    }

    /// Tries all orders of the members at some places.
    fn arrange<const KEEP: bool>(
        &mut self,
        plan: &Plan,
        state: &[u8],
        number: usize,
        (base, start, end): (usize, usize, usize),
    ) {
        if start == end {
            return self.choose::<KEEP>(plan, state, number + 1, true);
        }
        for at in start..end {
            self.order.swap(base + start, base + at);
            self.images[base + usize::from(self.order[base + start])] = start as u8;
            self.arrange::<KEEP>(plan, state, number, (base, start + 1, end));
            self.order.swap(base + start, base + at);
        }
    }

    /// Compares the words that two turns of a ring give.
    fn compare(&self, set: Set, a: Turn, b: Turn) -> Ordering {
        let keys = &self.keys[set.base..set.base + set.size];
        let word = |turn: Turn| (0..set.size).map(move |place| keys[turn.origin(place, set.size)]);
        word(a).cmp(word(b))
    }
}

/// A symmetry of a ring: `m` becomes `m + shift`, or `shift - m` when mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) shift: usize,
    pub(crate) mirrored: bool,
}

impl Turn {
    /// All turns that a ring's group allows.
    pub(crate) fn all(set: Set) -> impl Iterator<Item = Turn> {
        let mirrored = if set.group == Group::Dihedral { &[false, true][..] } else { &[false] };
        mirrored.iter().flat_map(move |&mirrored| (0..set.size).map(move |shift| Turn { shift, mirrored }))
    }

    /// Where a member goes.
    pub(crate) fn image(self, member: usize, size: usize) -> usize {
        match self.mirrored {
            false => (member + self.shift) % size,
            true => (self.shift + size - member) % size,
        }
    }

    /// The member that goes to a place.
    pub(crate) fn origin(self, place: usize, size: usize) -> usize {
        match self.mirrored {
            false => (place + size - self.shift) % size,
            true => (self.shift + size - place) % size,
        }
    }
}

impl Key {
    fn value(&self, state: &[u8], at: usize) -> i64 {
        let value = read(state, at, self.width);
        match (self.signed, self.width) {
            (true, 2) => i64::from(value as u16 as i16),
            (true, 4) => i64::from(value as i32),
            _ => i64::from(value),
        }
    }
}
