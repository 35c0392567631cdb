//! Strongly connected components on the fly: a depth-first search over pairs of a state and an automaton's state, which joins
//! components as cycles close, and ends as soon as one has all marks. It follows Couvreur's algorithm in Dijkstra's form
//! (Renault, Duret-Lutz, Kordon & Poitrenaud, *Three SCC-based emptiness checks for generalized Büchi automata*, 2013).

use std::io::{self, Read, Write};

use quotient_step::machine::Machine;
use quotient_step::replay::Path;
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Exact, Insert};

use super::bits::{Bits, Marks};
use super::component::Component;
use super::names::{Ids, Keys, Partition};
use super::observer::Node;
use super::saved::{self, Saving, get_entry, get_root, get_small};
use super::successors::{Successors, add_steps};
use super::system::System;
use super::threads::Threads;
use super::{ClaimRequest, Fairness, Found, Lasso, LassoKind, LeftOut, TICK, strong};
use crate::engine::format::{damaged, get_bytes, get_number, put_bytes, put_number};
use crate::{Progress, Stop};

/// A pair that is being expanded. What is left of its successors lies in [`Search::bytes`], the next one last.
struct Frame {
    /// Where its state is in [`Search::bytes`], and how long.
    base: usize,
    length: u32,
    /// The automaton's state, and the next of its edges to take.
    node: u16,
    edge: u16,
    /// How many successors there were, how many are left, and which one the search follows.
    total: u32,
    left: u32,
    taken: u32,
    /// What is true of the state.
    word: u64,
    /// Its number among the live pairs.
    number: usize,
}

/// A component that may still grow: those live pairs from a number on up to the next root.
pub(super) struct Root {
    pub(super) number: usize,
    /// What its cycles have.
    pub(super) marks: Marks,
    /// What the edge has that led to it.
    pub(super) entry: Marks,
    /// Whether it has a cycle.
    pub(super) closed: bool,
    /// Which processes take each other's places on its cycles, if some do.
    pub(super) partition: Option<Partition>,
}

/// A search that is under way.
struct Search<'a, 'p, 'm> {
    system: System<'p, 'm>,
    asked: ClaimRequest<'a>,
    keys: Keys<'a>,
    visited: Exact,
    frames: Vec<Frame>,
    bytes: Vec<u8>,
    /// The pairs that are in a component that may still grow, in the order in which they were stored. The visited set
    /// marks them, and addresses grow in that order too.
    live: Vec<Entry>,
    /// For each of them the names of its processes, where that is of interest.
    ids: Vec<Ids>,
    roots: Vec<Root>,
    successors: Successors,
    current: Vec<u8>,
    key: Vec<u8>,
    found: Found,
}

/// Looks for a run that the automaton accepts.
pub(super) fn search<'a>(
    system: System,
    keys: Keys<'a>,
    asked: ClaimRequest<'a>,
    saving: &mut Saving<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<Found> {
    let mut search = Search {
        system,
        asked,
        keys,
        visited: Exact::new(),
        frames: Vec::new(),
        bytes: Vec::new(),
        live: Vec::new(),
        ids: Vec::new(),
        roots: Vec::new(),
        successors: Successors::default(),
        current: Vec::new(),
        key: Vec::new(),
        found: Found { ever: vec![(false, false); asked.automaton.watched.len()], ..Found::default() },
    };
    let waits = search.waits();
    match saving.resume.take() {
        Some(input) => search.restore(input)?,
        None => search.begin(),
    }
    search.run(saving, observer);
    if saved::can_go_on(&search.found) {
        saving.keep(&|out| search.save(out));
    }
    let Search { mut found, visited, keys, .. } = search;
    // Fairness of a whole component is looked for among all states of its orbits.
    found.torn |= waits && found.lassos.is_empty() && keys.has_several();
    (found.states, found.store_bytes) = (visited.len() as u64, visited.bytes() as u64);
    found.payload_bytes = visited.payload() as u64;
    found.visited = found.states;
    found.errors = found.lassos.len() as u64;
    Ok(found)
}

impl Search<'_, '_, '_> {
    /// Whether the names of processes change where cycles close, and who is who is of interest.
    fn names_change(&self) -> bool {
        self.keys.reducer.is_some() && self.asked.options.fairness == Fairness::Weak
    }

    /// Whether a component must be complete before it can be told if its cycles are fair.
    fn waits(&self) -> bool {
        match self.asked.options.fairness {
            Fairness::None => false,
            Fairness::Weak => self.keys.heap.is_some(),
            Fairness::Strong => true,
        }
    }

    /// Begins with the initial state.
    fn begin(&mut self) {
        self.system.initial(&mut self.successors);
        self.found.faults += self.successors.faults;
        let first = self.successors.list()[0];
        self.bytes.extend_from_slice(self.successors.state(&first));
        self.meet((0, self.bytes.len()), self.asked.automaton.start, Marks::default());
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
        saved::put_found(out, &self.found, &self.system.expander.machine, self.keys.counts())?;
        self.visited.save(out)?;
        put_bytes(out, &self.bytes)?;
        put_number(out, self.frames.len() as u64)?;
        for frame in &self.frames {
            let Frame { base, length, node, edge, total, left, taken, word, number } = *frame;
            put_number(out, base as u64)?;
            for number in [length, node.into(), edge.into(), total, left, taken] {
                put_number(out, number.into())?;
            }
            put_number(out, word)?;
            put_number(out, number as u64)?;
        }
        put_number(out, self.live.len() as u64)?;
        self.live.iter().try_for_each(|entry| put_number(out, entry.address()))?;
        put_number(out, self.ids.len() as u64)?;
        self.ids.iter().try_for_each(|ids| put_bytes(out, ids))?;
        put_number(out, self.roots.len() as u64)?;
        self.roots.iter().try_for_each(|root| saved::put_root(out, root))
    }

    /// Takes this search, which has not begun, to where another one was.
    fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let wrong = || damaged("its stack is not in order");
        let counts = saved::get_found(input, &mut self.found, &mut self.system.expander.machine)?;
        self.keys.count_from(counts);
        self.visited = Exact::load(input)?;
        self.bytes = get_bytes(input)?;
        let nodes = &self.asked.automaton.nodes;
        for _ in 0..get_number(input)? {
            let base = get_small(input, self.bytes.len())?;
            let mut numbers = [0_u32; 6];
            for number in &mut numbers {
                *number = get_small(input, u32::MAX as usize)? as u32;
            }
            let [length, node, edge, total, left, taken] = numbers;
            let (word, number) = (get_number(input)?, get_small(input, usize::MAX)?);
            let small = |number: u32, most: usize| {
                u16::try_from(number).ok().filter(|&number| usize::from(number) <= most).ok_or_else(wrong)
            };
            let node = small(node, nodes.len() - 1)?;
            let edge = small(edge, nodes[usize::from(node)].edges.len())?;
            self.frames.push(Frame { base, length, node, edge, total, left, taken, word, number });
        }
        for _ in 0..get_number(input)? {
            let entry = get_entry(input, &self.visited)?;
            if self.live.last().is_some_and(|&before| before >= entry) {
                return Err(wrong());
            }
            self.visited.set_on_stack(entry, true);
            self.live.push(entry);
        }
        for _ in 0..get_number(input)? {
            self.ids.push(get_bytes(input)?.into());
        }
        for _ in 0..get_number(input)? {
            let root = get_root(input, self.live.len().saturating_sub(1))?;
            if self.roots.last().is_some_and(|before| before.number >= root.number) {
                return Err(wrong());
            }
            self.roots.push(root);
        }
        let more = if self.system.fair { 32 } else { 0 };
        let machine = &self.system.expander.machine;
        let ends = self.frames.iter().skip(1).map(|frame| frame.base).chain([self.bytes.len()]);
        let fits = |(frame, end): (&Frame, usize)| {
            let Frame { base, length, total, left, taken, number, .. } = *frame;
            let start = base + length as usize;
            let is_known = |state: &[u8]| machine.knows(state);
            start <= end
                && self.bytes.get(base..start).is_some_and(is_known)
                && saved::are_states(machine, &self.bytes, start, end, left, more)
                && left <= total
                && (taken < total || total == 0)
                && number < self.live.len()
        };
        let ids = if self.names_change() { self.live.len() } else { 0 };
        let is_whole = self.frames.iter().zip(ends).all(fits)
            && self.frames.is_sorted_by(|before, frame| before.number < frame.number)
            && self.ids.len() == ids
            && (self.frames.is_empty() || !self.roots.is_empty());
        if !is_whole {
            return Err(wrong());
        }
        if self.asked.is_full(self.visited.len() as u64) {
            self.found.stop = Some(Stop::States);
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.found.stop.is_some_and(|stop| stop != Stop::Depth)
    }

    fn check_limits(&mut self, observer: &mut dyn FnMut(Progress) -> bool) {
        let states = self.visited.len() as u64;
        let stack = self.bytes.capacity() + self.live.capacity() * 8 + self.frames.capacity() * size_of::<Frame>();
        let bytes = (self.visited.bytes() + stack + self.roots.capacity() * size_of::<Root>()) as u64;
        if let Some(stop) = self.asked.limit(states, bytes) {
            self.found.stop = Some(stop);
        }
        let (matched, depth) = (self.found.matched, self.found.depth);
        let progress = Progress { states, matched, depth, current: self.frames.len() as u64, bytes };
        if !observer(progress) {
            self.found.stop = Some(Stop::Interrupted);
        }
    }

    /// Follows the next edge of the pair on top, or leaves it.
    fn advance(&mut self) {
        let fair = self.system.fair;
        let Some(top) = self.frames.last_mut() else { return };
        if top.left == 0 {
            return self.leave();
        }
        let edges = &self.asked.automaton.nodes[usize::from(top.node)].edges;
        let end = self.bytes.len();
        let length = u32::from_le_bytes(self.bytes[end - 4..].try_into().unwrap_or_default()) as usize;
        let next = (usize::from(top.edge)..edges.len()).find(|&number| edges[number].guard.contains(top.word));
        let size = length + 4 + if fair { 32 } else { 0 };
        let Some(number) = next else {
            self.bytes.truncate(end - size);
            top.left -= 1;
            top.edge = 0;
            return;
        };
        let edge = edges[number];
        top.edge = number as u16 + 1;
        top.taken = top.total - top.left;
        let movers = match fair {
            true => Bits::of_bytes(&self.bytes[end - 36..end - 4]),
            false => Bits::default(),
        };
        self.meet((end - size, length), edge.target, Marks { sets: edge.marks, fair: movers });
    }

    /// Looks up the pair of a state, which lies in [`Search::bytes`], and an automaton's state. An edge with these marks leads to it.
    fn meet(&mut self, (start, length): (usize, usize), node: u16, marks: Marks) {
        let state = &self.bytes[start..start + length];
        self.keys.make(&mut self.key, self.system.machine(), state, node);
        if self.key.len() > LONGEST_STATE {
            self.found.stop = Some(Stop::StateSize);
            return;
        }
        let known = self.visited.insert(&self.key);
        let is_new = matches!(known, Insert::New(_));
        if is_new || self.names_change() {
            self.current.clear();
            self.current.extend_from_slice(&self.bytes[start..start + length]);
        }
        match known {
            Insert::New(entry) => {
                self.enter(entry, node, marks);
                if self.found.stop.is_none() && self.asked.is_full(self.visited.len() as u64) {
                    self.found.stop = Some(Stop::States);
                }
            }
            Insert::Old(entry) => {
                self.found.matched += 1;
                if self.visited.is_on_stack(entry) {
                    self.close(entry, marks);
                }
            }
        }
    }

    /// Puts the pair of the current state and an automaton's state on the stack.
    fn enter(&mut self, entry: Entry, number: u16, marks: Marks) {
        self.found.state_bytes = self.found.state_bytes.max(self.current.len() as u64);
        let base = self.bytes.len();
        let frame = Frame {
            base,
            length: self.current.len() as u32,
            node: number,
            edge: 0,
            total: 0,
            left: 0,
            taken: 0,
            word: 0,
            number: self.live.len(),
        };
        self.bytes.extend_from_slice(&self.current);
        self.frames.push(frame);
        self.found.depth = self.found.depth.max(self.frames.len() as u64);
        self.visited.set_on_stack(entry, true);
        self.live.push(entry);
        if self.names_change() {
            self.ids.push(self.keys.ids(self.system.machine(), &self.current));
        }
        let node = &self.asked.automaton.nodes[usize::from(number)];
        if node.ends || node.terminal {
            return self.report_prefix(if node.ends { LassoKind::ClaimCompleted } else { self.asked.kind });
        }
        let Some(able) = self.expand(node) else { return };
        let own = Marks { sets: 0, fair: able.others() };
        self.roots.push(Root { number: self.live.len() - 1, marks: own, entry: marks, closed: false, partition: None });
    }

    /// Expands the pair on top; gives back the processes that can move, unless the search ends here.
    fn expand(&mut self, node: &Node) -> Option<Bits> {
        self.system.load(&self.current);
        let automaton = self.asked.automaton;
        let number = self.frames.last().map(|top| top.node)?;
        let repeats = automaton.is_repeat(number);
        let early = match self.system.asks_timeout() {
            true => None,
            false => {
                Some(self.system.word(false, repeats).map(|word| if repeats { word | automaton.rests } else { word }))
            }
        };
        let leads_on = |word: u64| node.edges.iter().any(|edge| edge.guard.contains(word));
        let cut = self.asked.options.search.max_depth.is_some_and(|most| self.frames.len() as u64 > most);
        let dead_end = matches!(early, Some(Ok(word)) if !leads_on(word));
        if !dead_end {
            self.system.expand_loaded(&mut self.successors);
        }
        let word = match early.unwrap_or_else(|| self.system.word(self.successors.timeout, repeats)) {
            Ok(word) => word,
            Err(fault) => {
                let path = self.path(self.frames.len() - 1);
                self.found.unknown = Some((fault, path));
                self.found.stop = Some(Stop::Violation);
                return None;
            }
        };
        for (number, (yes, no)) in self.found.ever.iter_mut().enumerate() {
            let holds = word >> number & 1 == 1;
            *yes |= holds;
            *no |= !holds;
        }
        let rests = !dead_end && !self.successors.moved;
        let word = if rests { word | automaton.rests } else { word };
        let top = self.frames.last_mut()?;
        top.word = word;
        if dead_end {
            return Some(Bits::default());
        }
        if let Some(kind) = automaton.verdict(number, word) {
            self.report_prefix(kind.unwrap_or(self.asked.kind));
            return None;
        }
        self.found.faults += self.successors.faults;
        if self.successors.promise {
            self.found.broken = true;
            self.found.stop = Some(Stop::Interrupted);
            return None;
        }
        if self.successors.endless || cut {
            (self.found.stop, self.found.cut) = (Some(Stop::Depth), true);
        }
        if cut {
            return Some(self.successors.enabled);
        }
        let mut put = |state: &[u8], movers: Bits| {
            self.bytes.extend_from_slice(state);
            if self.system.fair {
                self.bytes.extend_from_slice(&movers.to_bytes());
            }
            self.bytes.extend_from_slice(&(state.len() as u32).to_le_bytes());
        };
        let list = self.successors.list();
        for successor in list.iter().rev() {
            put(self.successors.state(successor), successor.served());
        }
        top.total = list.len() as u32;
        if !self.successors.moved {
            // The run ends here: its last state repeats forever.
            put(&self.current, Bits::ALL);
            top.total = 1;
        }
        top.left = top.total;
        Some(self.successors.enabled)
    }

    /// An edge from the pair on top leads to a live one: what lies between them is one component.
    fn close(&mut self, entry: Entry, marks: Marks) {
        let mut all = marks;
        let mut partition: Option<Partition> = None;
        if self.names_change() && self.asked.options.left_out != Some(LeftOut::Partition) {
            let Ok(number) = self.live.binary_search(&entry) else { return };
            let from = self.keys.ids(self.system.machine(), &self.current);
            if from != self.ids[number] {
                partition.get_or_insert_default().close(&from, &self.ids[number]);
            }
        }
        // Addresses grow in the order of live pairs.
        while self.roots.last().is_some_and(|root| self.live[root.number] > entry)
            && let Some(root) = self.roots.pop()
        {
            all.add(root.marks);
            all.add(root.entry);
            if let Some(other) = root.partition {
                partition.get_or_insert_default().join(&other);
            }
        }
        let Some(root) = self.roots.last_mut() else { return };
        root.marks.add(all);
        root.closed = true;
        if let Some(other) = partition {
            root.partition.get_or_insert_default().join(&other);
        }
        let complete = match self.asked.options.fairness {
            Fairness::None => true,
            Fairness::Weak => match &root.partition {
                None => root.marks.fair == Bits::ALL,
                Some(partition) => partition.covers(root.marks.fair),
            },
            Fairness::Strong => false,
        };
        if complete && root.marks.sets == self.asked.automaton.all_sets() && !self.waits() && !self.report_lasso(false)
        {
            self.give_up();
        }
    }

    /// There is a violation, and it was not found in the user's names: the search is done again without symmetry.
    fn give_up(&mut self) {
        self.found.torn = true;
        self.found.stop = Some(Stop::Interrupted);
    }

    /// Tells a cycle of the newest component, which is complete and has the automaton's marks, if there is one that is fair.
    fn report_complete(&mut self, number: usize) {
        if self.asked.options.fairness == Fairness::Strong {
            self.report_lasso(true);
            return;
        }
        let Search { system, asked, keys, visited, live, .. } = self;
        let threads = Threads { system, automaton: asked.automaton, keys, visited, live: &live[number..] };
        if threads.are_served() && !self.report_lasso(false) {
            self.give_up();
        }
    }

    /// Takes the pair on top off the stack; its component is complete if the pair is its root.
    fn leave(&mut self) {
        let Some(number) = self.frames.last().map(|frame| frame.number) else { return };
        if let Some(root) = self.roots.last()
            && root.number == number
        {
            let accepts = root.closed && root.marks.sets == self.asked.automaton.all_sets();
            if accepts && self.waits() {
                self.report_complete(number);
                if self.is_stopped() {
                    return;
                }
            }
            self.roots.pop();
            for entry in self.live.drain(number..) {
                self.visited.set_on_stack(entry, false);
            }
            self.ids.truncate(number);
        }
        if let Some(frame) = self.frames.pop() {
            self.bytes.truncate(frame.base);
        }
    }

    /// The run to a pair on the stack.
    fn path(&mut self, frame: usize) -> Path {
        let mut path = Path::new();
        self.system.records = true;
        self.system.initial(&mut self.successors);
        let first = self.successors.list()[0];
        add_steps(&mut path, self.successors.steps(&first));
        for number in 0..frame {
            let Frame { base, length, taken, .. } = self.frames[number];
            let state = self.bytes[base..base + length as usize].to_vec();
            self.system.expand(&state, &mut self.successors);
            if let Some(&successor) = self.successors.list().get(taken as usize) {
                add_steps(&mut path, self.successors.steps(&successor));
            }
        }
        self.system.records = false;
        path
    }

    /// The run to the pair on top violates the claim however it goes on.
    fn report_prefix(&mut self, kind: LassoKind) {
        let path = self.path(self.frames.len() - 1);
        self.found.lassos.push(Lasso { kind, path, loop_start: None });
        self.found.stop = Some(Stop::Violation);
    }

    /// Tells a cycle of the newest component, if there is one that counts; it must be strongly fair if so asked.
    fn report_lasso(&mut self, strong: bool) -> bool {
        let Some(root) = self.roots.last().map(|root| root.number) else { return false };
        let Some(frame) = self.frames.iter().position(|frame| frame.number == root) else { return false };
        let Frame { base, length, node, .. } = self.frames[frame];
        let start = self.bytes[base..base + length as usize].to_vec();
        let prefix = self.path(frame);
        let (first, visited, keys) = (self.live[root], &self.visited, &mut self.keys);
        let mut key = Vec::new();
        let mut member = |machine: &mut Machine, state: &[u8], node: u16| {
            keys.make(&mut key, machine, state, node);
            visited.find(&key).is_some_and(|entry| entry >= first && visited.is_on_stack(entry))
        };
        let weak = self.asked.options.fairness == Fairness::Weak;
        let mut component = Component::new(&mut self.system, self.asked.automaton, &mut member);
        let at = component.begin(start, node);
        let lasso = match strong {
            true => strong::cycle(&mut component, at),
            false => component.cycle(at, weak),
        };
        let Some((way, cycle)) = lasso else { return false };
        let mut path = prefix;
        way.iter().for_each(|steps| add_steps(&mut path, steps));
        let loop_start = Some(path.len());
        cycle.iter().for_each(|steps| add_steps(&mut path, steps));
        self.found.lassos.push(Lasso { kind: self.asked.kind, path, loop_start });
        self.found.stop = Some(Stop::Violation);
        true
    }
}
