//! Nested depth-first search that counts as SPIN's verifiers do (`pan -a`, without reduction): the claim and the system take
//! turns, and a pair is stored when it is the claim's turn. It follows Courcoubetis, Vardi, Wolper & Yannakakis, with the
//! early stop of Schwoon & Esparza, as far as SPIN 6.5.2 has it.
//!
//! The rules were measured:
//!
//! 1. The claim moves first, in the initial state too. Moves of both count for depth.
//! 2. A claim that cannot move cuts the path.
//! 3. Where the system cannot move, the claim moves alone. It moves twice between two stored pairs.
//! 4. A pair is accepting if the claim or some process is at an acceptance label. Beside a formula the labels of processes do
//!    not count here: SPIN calls it violated where it is not.
//! 5. First search: a match on the stack is an error if this pair or the one before it is accepting. After an accepting
//!    pair the second search begins; there, an error is the pair that it began with, or one on the first search's stack.
//! 6. A claim that stands at its end is an error in every frame. It leaves its end when all processes are gone.
//! 7. Where the claim moves alone, `np_` is false.
//! 8. Without a claim, a state at an acceptance label in which nobody can move is an error.
//! 9. If the second search begins where the claim moves alone, the claim moves alone in it at first, and its first pair counts as one
//!    on its stack for ever.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use quotient_canon::Counts;
use quotient_step::replay::Path;
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Exact, Insert};

use super::saved::{self, Saving, get_entry, get_small};
use super::successors::{Successors, add_steps};
use super::system::{System, is_accepting};
use super::{ClaimRequest, Found, Lasso, LassoKind, TICK};
use crate::engine::format::{damaged, get_bytes, get_number, put_bytes, put_number};
use crate::{Progress, Stop};

/// What is done next in a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Claim,
    System,
    Seeded,
}

/// A move's result on the stack.
#[derive(Clone, Copy)]
struct Frame {
    base: usize,
    length: u32,
    node: u16,
    depth: u64,
    stored: Option<Entry>,
    stage: Stage,
    /// It is the claim's turn.
    turn: bool,
    /// It belongs to the second search.
    second: bool,
    accepting: bool,
    /// The frame before is accepting.
    before: bool,
    /// The claim moved alone to come here.
    alone: bool,
    /// The claim moves alone from here.
    stutters: bool,
    moved: bool,
    /// The next edge of the claim, and what is true of the state.
    edge: u16,
    word: u64,
    total: u32,
    left: u32,
}

/// Marks of a stored pair: which search has visited it, and which has it on its stack.
#[derive(Clone, Copy, Default)]
struct Seen {
    visited: u8,
    stacked: u8,
}

struct Nested<'a, 'p, 'm> {
    system: System<'p, 'm>,
    asked: ClaimRequest<'a>,
    set: Exact,
    seen: HashMap<u64, Seen>,
    frames: Vec<Frame>,
    bytes: Vec<u8>,
    successors: Successors,
    current: Vec<u8>,
    key: Vec<u8>,
    /// The pair that the second search began with, and how deep it is.
    seed: Option<Vec<u8>>,
    seed_depth: u64,
    /// Pairs counted, and those that the second search counted again.
    counted: u64,
    again: u64,
    found: Found,
}

/// How a frame is entered.
#[derive(Clone, Copy)]
struct Entering {
    node: u16,
    depth: u64,
    turn: bool,
    second: bool,
    accepting: bool,
    before: bool,
    alone: bool,
    /// The second search begins where the claim moves alone.
    stutters: bool,
}

/// Looks for runs that the automaton accepts.
pub(super) fn search(
    system: System,
    asked: ClaimRequest,
    saving: &mut Saving<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<Found> {
    let mut nested = Nested {
        system,
        asked,
        set: Exact::new(),
        seen: HashMap::new(),
        frames: Vec::new(),
        bytes: Vec::new(),
        successors: Successors::default(),
        current: Vec::new(),
        key: Vec::new(),
        seed: None,
        seed_depth: 0,
        counted: 0,
        again: 0,
        found: Found { ever: vec![(false, false); asked.automaton.watched.len()], ..Found::default() },
    };
    match saving.resume.take() {
        Some(input) => nested.restore(input)?,
        None => nested.begin(),
    }
    nested.run(saving, observer);
    if saved::can_go_on(&nested.found) {
        saving.keep(&|out| nested.save(out));
    }
    let Nested { mut found, set, counted, again, .. } = nested;
    (found.states, found.visited) = (counted - again, counted);
    (found.store_bytes, found.payload_bytes) = (set.bytes() as u64, set.payload() as u64);
    Ok(found)
}

impl Nested<'_, '_, '_> {
    /// Begins with the initial state.
    fn begin(&mut self) {
        self.system.initial(&mut self.successors);
        self.found.faults += self.successors.faults;
        self.found.errors += self.successors.faults;
        let first = self.successors.list()[0];
        self.current.clear();
        self.current.extend_from_slice(self.successors.state(&first));
        let node = self.asked.automaton.start;
        let turn = self.asked.automaton.has_turns;
        let accepting = self.is_accepting(node);
        self.enter(Entering {
            node,
            depth: 0,
            turn,
            second: false,
            accepting,
            before: false,
            alone: false,
            stutters: false,
        });
    }

    fn run(&mut self, saving: &mut Saving<'_>, observer: &mut dyn FnMut(Progress) -> bool) {
        let mut ticks = 0;
        while !self.frames.is_empty() && !self.is_stopped() {
            ticks += 1;
            if ticks % TICK == 0 {
                self.check_limits(observer);
                if self.is_stopped() {
                    return;
                }
                if saving.is_due() {
                    saving.keep(&|out| self.save(out));
                }
            }
            self.advance();
        }
    }

    /// Writes all of the search, between two steps.
    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        saved::put_found(out, &self.found, &self.system.expander.machine, Counts::default())?;
        self.set.save(out)?;
        put_number(out, self.seen.len() as u64)?;
        for (&address, seen) in &self.seen {
            put_number(out, address)?;
            put_number(out, (seen.visited | seen.stacked << 2).into())?;
        }
        put_bytes(out, &self.bytes)?;
        put_bytes(out, self.seed.as_deref().unwrap_or_default())?;
        for number in [self.seed_depth, self.counted, self.again, self.frames.len() as u64] {
            put_number(out, number)?;
        }
        for frame in &self.frames {
            let Frame { base, length, node, depth, stored, stage, edge, word, total, left, .. } = *frame;
            let Frame { turn, second, accepting, before, alone, stutters, moved, .. } = *frame;
            let flags = [turn, second, accepting, before, alone, stutters, moved, stored.is_some()];
            let flags = flags.iter().enumerate().map(|(bit, &flag)| u64::from(flag) << bit).sum();
            let numbers = [base as u64, length.into(), node.into(), depth, stored.map_or(0, Entry::address), flags];
            numbers.into_iter().try_for_each(|number| put_number(out, number))?;
            let numbers = [stage as u64, edge.into(), word, total.into(), left.into()];
            numbers.into_iter().try_for_each(|number| put_number(out, number))?;
        }
        Ok(())
    }

    /// Takes this search, which has not begun, to where another one was.
    fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let wrong = || damaged("its stack is not in order");
        saved::get_found(input, &mut self.found, &mut self.system.expander.machine)?;
        self.set = Exact::load(input)?;
        for _ in 0..get_number(input)? {
            let entry = get_entry(input, &self.set)?;
            let marks = get_small(input, 15)? as u8;
            self.seen.insert(entry.address(), Seen { visited: marks & 3, stacked: marks >> 2 });
        }
        self.bytes = get_bytes(input)?;
        self.seed = Some(get_bytes(input)?).filter(|seed| !seed.is_empty());
        self.seed_depth = get_number(input)?;
        (self.counted, self.again) = (get_number(input)?, get_number(input)?);
        let nodes = &self.asked.automaton.nodes;
        for _ in 0..get_number(input)? {
            let base = get_small(input, self.bytes.len())?;
            let length = get_small(input, self.bytes.len() - base)? as u32;
            let node = get_small(input, nodes.len() - 1)?;
            let (depth, address, flags) = (get_number(input)?, get_number(input)?, get_small(input, 255)?);
            let flag = |bit: usize| flags >> bit & 1 == 1;
            let stored = match flag(7) {
                true => Some(self.set.entry(address).ok_or_else(wrong)?),
                false => None,
            };
            let stage = [Stage::Claim, Stage::System, Stage::Seeded][get_small(input, 2)?];
            let edge = get_small(input, nodes[node].edges.len())? as u16;
            let word = get_number(input)?;
            let total = get_small(input, u32::MAX as usize)? as u32;
            let left = get_small(input, total as usize)? as u32;
            self.frames.push(Frame {
                base,
                length,
                node: node as u16,
                depth,
                stored,
                stage,
                turn: flag(0),
                second: flag(1),
                accepting: flag(2),
                before: flag(3),
                alone: flag(4),
                stutters: flag(5),
                moved: flag(6),
                edge,
                word,
                total,
                left,
            });
        }
        let machine = &self.system.expander.machine;
        let ends = self.frames.iter().skip(1).map(|frame| frame.base).chain([self.bytes.len()]);
        let fits = |(frame, end): (&Frame, usize)| {
            let start = frame.base + frame.length as usize;
            start <= end
                && machine.knows(&self.bytes[frame.base..start])
                && saved::are_states(machine, &self.bytes, start, end, frame.left, 4)
        };
        if !self.frames.iter().zip(ends).all(fits) || self.again > self.counted {
            return Err(wrong());
        }
        if self.asked.is_full(self.set.len() as u64) {
            self.found.stop = Some(Stop::States);
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.found.stop.is_some_and(|stop| stop != Stop::Depth)
    }

    fn check_limits(&mut self, observer: &mut dyn FnMut(Progress) -> bool) {
        let states = self.set.len() as u64;
        let bytes = (self.set.bytes() + self.bytes.capacity() + self.seen.capacity() * 16) as u64;
        let bytes = bytes + (self.frames.capacity() * size_of::<Frame>()) as u64;
        if let Some(stop) = self.asked.limit(states, bytes) {
            self.found.stop = Some(stop);
        }
        let (matched, depth) = (self.found.matched, self.found.depth);
        let current = self.frames.last().map_or(0, |frame| frame.depth);
        if !observer(Progress { states, matched, depth, current, bytes }) {
            self.found.stop = Some(Stop::Interrupted);
        }
    }

    /// Whether the pair of the current state and an automaton's state is accepting.
    fn is_accepting(&mut self, node: u16) -> bool {
        let automaton = self.asked.automaton;
        (automaton.has_turns && automaton.nodes[usize::from(node)].accepts)
            || self.asked.kind != LassoKind::LtlViolated && {
                self.system.machine().load(&self.current);
                is_accepting(self.system.machine())
            }
    }

    /// Goes on to the current state.
    fn enter(&mut self, new: Entering) {
        let Entering { node, depth, turn, second, accepting, before, alone, stutters } = new;
        let automaton = self.asked.automaton;
        let hidden = self.system.expander.program.schema.hidden as usize;
        self.key.clear();
        self.key.extend_from_slice(&self.current[hidden..]);
        self.key.extend_from_slice(&node.to_le_bytes());
        if self.key.len() > LONGEST_STATE {
            self.found.stop = Some(Stop::StateSize);
            return;
        }
        let mut stored = None;
        if !automaton.has_turns || turn || alone {
            let deeper = depth > self.seed_depth;
            if second && deeper && self.seed.as_ref() == Some(&self.key) {
                return self.cycle(None);
            }
            let entry = match self.set.insert(&self.key) {
                Insert::New(entry) | Insert::Old(entry) => entry,
            };
            let (own, other) = if second { (2, 1) } else { (1, 2) };
            let seen = self.seen.entry(entry.address()).or_default();
            let on_first = second && seen.stacked & other != 0 && deeper;
            if seen.visited & own != 0 {
                let on_stack = seen.stacked & own != 0;
                if on_stack && on_first {
                    self.again -= 1;
                    return self.cycle(Some(entry));
                }
                if on_stack && (accepting || before) && deeper {
                    return self.cycle(Some(entry));
                }
                self.found.matched += 1;
                return;
            }
            let is_new = seen.visited == 0;
            seen.visited |= own;
            seen.stacked |= own;
            if !is_new {
                if on_first {
                    return self.cycle(Some(entry));
                }
                self.again += 1;
            }
            self.counted += 1;
            stored = Some(entry);
            if self.found.stop.is_none() && self.asked.is_full(self.set.len() as u64) {
                self.found.stop = Some(Stop::States);
            }
        }
        self.found.depth = self.found.depth.max(depth);
        self.found.state_bytes = self.found.state_bytes.max(self.current.len() as u64);
        let base = self.bytes.len();
        self.bytes.extend_from_slice(&self.current);
        let claims = automaton.has_turns && turn;
        self.frames.push(Frame {
            base,
            length: self.current.len() as u32,
            node,
            depth,
            stored,
            stage: if claims { Stage::Claim } else { Stage::System },
            turn,
            second,
            accepting,
            before,
            alone,
            stutters,
            moved: false,
            edge: 0,
            word: 0,
            total: 0,
            left: 0,
        });
        if automaton.has_turns && automaton.nodes[usize::from(node)].ends {
            self.error(LassoKind::ClaimCompleted, None, false);
        }
        // A search that is full ends after this step, so that it can go on from there.
        if self.found.stop == Some(Stop::Violation) {
            return;
        }
        match claims {
            true => self.read(),
            false => self.expand(),
        }
    }

    /// Makes the successors of the top frame's state, which is the current one.
    fn expand(&mut self) {
        self.system.expand(&self.current, &mut self.successors);
        self.found.faults += self.successors.faults;
        for _ in 0..self.successors.faults {
            self.count_error();
        }
        let Some(top) = self.frames.last_mut() else { return };
        let too_deep = self.asked.options.search.max_depth.is_some_and(|most| top.depth >= most);
        if self.successors.endless || too_deep {
            (self.found.stop, self.found.cut) = (self.found.stop.or(Some(Stop::Depth)), true);
        }
        top.moved = self.successors.moved;
        if too_deep {
            return;
        }
        top.total = self.successors.list().len() as u32;
        top.left = top.total;
        for successor in self.successors.list().iter().rev() {
            let state = self.successors.state(successor);
            self.bytes.extend_from_slice(state);
            self.bytes.extend_from_slice(&successor.length.to_le_bytes());
            self.bytes.extend_from_slice(&(state.len() as u32).to_le_bytes());
        }
    }

    /// Finds out what is true of the top frame's state, which is the current one.
    fn read(&mut self) {
        let timeout = self.system.asks_timeout() && {
            self.system.expand(&self.current, &mut self.successors);
            self.successors.timeout
        };
        self.system.machine().load(&self.current);
        let stutters = self.frames.last().is_some_and(|top| top.stutters);
        match self.system.word(timeout, stutters) {
            Ok(word) => {
                for (number, (yes, no)) in self.found.ever.iter_mut().enumerate() {
                    let holds = word >> number & 1 == 1;
                    *yes |= holds;
                    *no |= !holds;
                }
                if let Some(top) = self.frames.last_mut() {
                    top.word = if stutters { word | self.asked.automaton.rests } else { word };
                }
            }
            Err(fault) => {
                self.found.unknown = Some((fault, self.path(self.frames.len() - 1).0));
                self.found.stop = Some(Stop::Violation);
            }
        }
    }

    /// Makes the top frame's state the current one.
    fn load_top(&mut self) {
        if let Some(top) = self.frames.last() {
            self.current.clear();
            self.current.extend_from_slice(&self.bytes[top.base..top.base + top.length as usize]);
        }
    }

    fn advance(&mut self) {
        let Some(&top) = self.frames.last() else { return };
        match top.stage {
            Stage::Claim => self.advance_claim(top),
            Stage::System => self.advance_system(top),
            Stage::Seeded => {
                (self.seed, self.seed_depth) = (None, 0);
                self.pop();
            }
        }
    }

    fn advance_claim(&mut self, top: Frame) {
        let edges = &self.asked.automaton.nodes[usize::from(top.node)].edges;
        let next = (usize::from(top.edge)..edges.len()).find(|&number| edges[number].guard.contains(top.word));
        let Some(number) = next else { return self.finish() };
        let edge = edges[number];
        if let Some(top) = self.frames.last_mut() {
            top.edge = number as u16 + 1;
            top.moved = true;
        }
        if edge.asserts & !top.word != 0 {
            self.error(LassoKind::ClaimAssertion, None, false);
            if self.is_stopped() {
                return;
            }
        }
        self.load_top();
        let accepting = self.is_accepting(edge.target);
        self.enter(Entering {
            node: edge.target,
            depth: top.depth + u64::from(edge.length),
            turn: false,
            second: top.second,
            accepting,
            before: top.accepting,
            alone: top.stutters,
            stutters: false,
        });
    }

    fn advance_system(&mut self, top: Frame) {
        if top.left == 0 {
            if top.moved {
                return self.finish();
            }
            if self.asked.automaton.has_turns {
                self.load_top();
                if let Some(top) = self.frames.last_mut() {
                    (top.stutters, top.turn, top.stage) = (true, true, Stage::Claim);
                }
                return self.read();
            }
            if top.accepting {
                self.error(self.asked.kind, Some(self.frames.len() - 1), false);
            }
            return self.finish();
        }
        let end = self.bytes.len();
        let number = |at: usize| u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap_or_default());
        let (steps, length) = (number(end - 8), number(end - 4) as usize);
        let start = end - 8 - length;
        self.current.clear();
        self.current.extend_from_slice(&self.bytes[start..end - 8]);
        self.bytes.truncate(start);
        if let Some(top) = self.frames.last_mut() {
            top.left -= 1;
        }
        let accepting = self.is_accepting(top.node);
        self.enter(Entering {
            node: top.node,
            depth: top.depth + u64::from(steps),
            turn: true,
            second: top.second,
            accepting,
            before: top.accepting,
            alone: false,
            stutters: false,
        });
    }

    /// Everything was tried in the top frame: the second search may begin.
    fn finish(&mut self) {
        let Some(&top) = self.frames.last() else { return };
        // The pair that the second search begins with where the claim moves alone stays marked (rule 9).
        let leaves = !top.stutters || top.alone;
        if let Some(seen) = top.stored.filter(|_| leaves).and_then(|entry| self.seen.get_mut(&entry.address())) {
            seen.stacked &= !(if top.second { 2 } else { 1 });
        }
        let has_turns = self.asked.automaton.has_turns;
        if !top.moved || !top.accepting || top.second || (has_turns && !top.turn) {
            return self.pop();
        }
        self.load_top();
        let hidden = self.system.expander.program.schema.hidden as usize;
        let mut key = self.current[hidden..].to_vec();
        key.extend_from_slice(&top.node.to_le_bytes());
        (self.seed, self.seed_depth) = (Some(key), top.depth);
        if let Some(top) = self.frames.last_mut() {
            top.stage = Stage::Seeded;
        }
        let Frame { node, depth, turn, accepting, before, alone, stutters, .. } = top;
        self.enter(Entering { node, depth, turn, second: true, accepting, before, alone, stutters });
    }

    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.bytes.truncate(frame.base);
        }
    }

    fn count_error(&mut self) {
        self.found.errors += 1;
        if !self.asked.options.search.all_errors {
            self.found.stop = Some(Stop::Violation);
        }
    }

    /// A move from the top frame closes a cycle: it leads to the pair that the second search began with, or to another
    /// one on the stack.
    fn cycle(&mut self, to: Option<Entry>) {
        let start = match to {
            Some(entry) => self.frames.iter().position(|frame| frame.stored == Some(entry)),
            None => self.frames.iter().rposition(|frame| frame.stage == Stage::Seeded),
        };
        self.error(self.asked.kind, start, true);
    }

    /// Counts an error, and keeps the run of the first one: that to the top frame's state, and through one more move of it.
    fn error(&mut self, kind: LassoKind, start: Option<usize>, through: bool) {
        if self.found.lassos.is_empty() {
            let (path, places) = self.path(self.frames.len() - usize::from(!through));
            let loop_start = start.map(|start| places[start]);
            self.found.lassos.push(Lasso { kind, path, loop_start });
        }
        self.count_error();
    }

    /// The run through the moves of the first `frames` frames, and how long it is at each frame.
    fn path(&mut self, frames: usize) -> (Path, Vec<usize>) {
        let mut path = Path::new();
        self.system.records = true;
        self.system.initial(&mut self.successors);
        let first = self.successors.list()[0];
        add_steps(&mut path, self.successors.steps(&first));
        let mut places = Vec::new();
        for number in 0..self.frames.len() {
            places.push(path.len());
            let Frame { base, length, stage, total, left, .. } = self.frames[number];
            if number >= frames || stage != Stage::System || left == total {
                continue;
            }
            let state = self.bytes[base..base + length as usize].to_vec();
            self.system.expand(&state, &mut self.successors);
            if let Some(&successor) = self.successors.list().get((total - left) as usize - 1) {
                add_steps(&mut path, self.successors.steps(&successor));
            }
        }
        self.system.records = false;
        (path, places)
    }
}
