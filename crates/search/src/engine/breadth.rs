//! Breadth-first order: new states are put into a queue, and each remembers where it was reached from. A counterexample is
//! a shortest one, counted in stored states.

use std::io::{self, Read, Write};
use std::marker::PhantomData;

use quotient_step::machine::Machine;
use quotient_store::{Entry, Exact, Store};

use super::format::{
    damaged, get_bytes, get_number, get_part, get_signed, put_bytes, put_number, put_part, put_signed,
};
use super::frontier::{Frontier, New};
use super::stack::add_part;
use super::visited::Visited;
use crate::frame::Part;
use crate::path::{Event, Path, connect};
use crate::segments::{List, Queue};

/// Breadth-first.
#[derive(Default)]
pub(crate) struct BreadthFirst<S = Exact> {
    /// States to expand, in the order of their numbers.
    queue: Queue,
    /// The bytes of the state being expanded.
    expanded: Vec<u8>,
    /// For each stored state its entry, its parent's number and its depth.
    links: List<Link>,
    /// The number of the state being expanded, and its depth.
    current: u32,
    depth: u64,
    /// Whether the steps from each stored state's parent to it are remembered, and these.
    records: bool,
    recorded: Recorded,
    store: PhantomData<S>,
}

/// The steps that led from one stored state to the next. With symmetry reduction, a stored state's bytes are those of its
/// representative, and where steps are taken at once, those of a state further on: so they do not tell.
#[derive(Default)]
struct Recorded {
    parts: List<Part>,
    /// For each stored state, where its steps end, and whether control was lost after them.
    ends: List<(usize, bool)>,
}

#[derive(Clone, Copy)]
struct Link {
    entry: Entry,
    parent: u32,
    depth: u32,
}

impl<S: Store> Frontier for BreadthFirst<S> {
    type Store = S;

    const DEEPENS: bool = false;

    fn begin(&mut self, initial: Entry, records: bool) {
        self.records = records;
        self.links.push(Link { entry: initial, parent: u32::MAX, depth: 0 });
        self.recorded.ends.push((0, false));
    }

    fn accepts(&mut self, new: New<'_>) -> bool {
        if self.records {
            new.trail.iter().for_each(|&part| self.recorded.parts.push(part));
            self.recorded.ends.push((self.recorded.parts.len(), new.released));
        }
        let depth = (self.depth + new.trail.len() as u64) as u32;
        self.links.push(Link { entry: new.entry, parent: self.current, depth });
        self.queue.push(new.state);
        false
    }

    fn next(&mut self) -> Option<(Entry, &[u8])> {
        // States have their numbers in the order in which they get into the queue.
        if !self.queue.pop(&mut self.expanded) {
            return None;
        }
        self.current += 1;
        let link = self.links.get(self.current as usize)?;
        self.depth = u64::from(link.depth);
        Some((link.entry, &self.expanded))
    }

    #[inline(always)]
    fn depth(&self) -> u64 {
        self.depth
    }

    fn path(&self, machine: &Machine, visited: &Visited<S>) -> Path {
        if self.links.is_empty() {
            // The initial state itself is wrong.
            return Path::new();
        }
        if self.records {
            return self.recorded_path();
        }
        // Only stored states are known; what happened between two of them is found again by expanding the first.
        let mut entries: Vec<Entry> = self.ancestors().map(|(_, link)| link.entry).collect();
        entries.reverse();
        connect(machine.program().model, machine, &visited.set, &entries)
    }

    fn bytes(&self) -> usize {
        self.queue.bytes() + self.links.bytes() + self.recorded.parts.bytes() + self.recorded.ends.bytes()
    }

    fn current(&self) -> u32 {
        self.current
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put_number(out, self.queue.len() as u64)?;
        self.queue.iter().try_for_each(|state| put_bytes(out, state))?;
        put_number(out, self.links.len() as u64)?;
        let mut last = 0;
        for Link { entry, parent, depth } in self.links.iter() {
            put_signed(out, entry.address() as i64 - last)?;
            last = entry.address() as i64;
            put_number(out, u64::from(parent.wrapping_add(1)))?;
            put_number(out, u64::from(depth))?;
        }
        put_number(out, self.recorded.parts.len() as u64)?;
        self.recorded.parts.iter().try_for_each(|part| put_part(out, part))?;
        put_number(out, self.recorded.ends.len() as u64)?;
        let mut last = 0;
        for (end, released) in self.recorded.ends.iter() {
            put_number(out, ((end - last) as u64) << 1 | u64::from(released))?;
            last = end;
        }
        Ok(())
    }

    fn restore(
        &mut self,
        input: &mut dyn Read,
        current: u32,
        records: bool,
        machine: &Machine,
        visited: &Visited<S>,
    ) -> io::Result<()> {
        let wrong = || damaged("its queue is not in order");
        self.records = records;
        self.current = current;
        for _ in 0..get_number(input)? {
            let state = get_bytes(input)?;
            if !machine.knows(&state) {
                return Err(wrong());
            }
            self.queue.push(&state);
        }
        let mut last = 0_i64;
        for number in 0..get_number(input)? {
            last = last.checked_add(get_signed(input)?).ok_or_else(wrong)?;
            let entry = visited.set.entry(last as u64).ok_or_else(wrong)?;
            let parent = (get_number(input)? as u32).wrapping_sub(1);
            let depth = get_number(input)? as u32;
            // States come after those that they were reached from, so that every run ends.
            if (number > 0) != (u64::from(parent) < number) {
                return Err(wrong());
            }
            self.links.push(Link { entry, parent, depth });
        }
        for _ in 0..get_number(input)? {
            self.recorded.parts.push(get_part(input)?);
        }
        let mut last = 0_usize;
        for _ in 0..get_number(input)? {
            let number = get_number(input)?;
            last = last.checked_add((number >> 1) as usize).ok_or_else(wrong)?;
            self.recorded.ends.push((last, number & 1 != 0));
        }
        let recorded = !records || self.recorded.ends.len() == self.links.len();
        let waiting = self.links.len() == self.current as usize + 1 + self.queue.len();
        let Some(link) = self.links.get(self.current as usize).filter(|_| recorded && waiting) else {
            return Err(wrong());
        };
        if last > self.recorded.parts.len() {
            return Err(wrong());
        }
        self.depth = u64::from(link.depth);
        Ok(())
    }
}

impl<S> BreadthFirst<S> {
    /// The state being expanded and those it was reached from, back to the initial one.
    fn ancestors(&self) -> impl Iterator<Item = (u32, Link)> {
        let link = |number: u32| self.links.get(number as usize).map(|link| (number, link));
        std::iter::successors(link(self.current), move |(_, before)| link(before.parent))
    }

    /// The run to the state being expanded, step by step as it was found.
    fn recorded_path(&self) -> Path {
        let numbers: Vec<usize> = self.ancestors().map(|(number, _)| number as usize).collect();
        let end_of = |number: usize| self.recorded.ends.get(number).unwrap_or_default();
        let mut path = Path::new();
        for number in numbers.into_iter().rev() {
            let (end, released) = end_of(number);
            let start = number.checked_sub(1).map_or(0, |before| end_of(before).0);
            let parts = (start..end).filter_map(|at| self.recorded.parts.get(at));
            parts.for_each(|part| add_part(&mut path, part));
            if released {
                path.push(Event::Release);
            }
        }
        path
    }
}
