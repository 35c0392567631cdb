//! Strongly connected components on the fly: a depth-first search over pairs of a state and an automaton's state, which joins
//! components as cycles close, and ends as soon as one has all marks. It follows Couvreur's algorithm in Dijkstra's form
//! (Renault, Duret-Lutz, Kordon & Poitrenaud, *Three SCC-based emptiness checks for generalized Büchi automata*, 2013).

use std::io::{self, Read, Write};
use std::ops::Range;

use quotient_step::machine::Machine;
use quotient_step::replay::Path;
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Exact, Insert};

use super::bits::{Bits, Marks};
use super::component::Component;
use super::names::{Ids, Keys, Partition};
use super::observer::{Edge, Node};
use super::saved::{self, Saving, get_entry, get_root, get_small};
use super::stack::Stack;
use super::successors::{Successors, add_steps};
use super::system::System;
use super::threads::Threads;
use super::{ClaimRequest, Fairness, Found, Lasso, LassoKind, LeftOut, TICK, strong};
use crate::engine::format::{damaged, get_bytes, get_number, put_bytes, put_number};
use crate::{Progress, Stop};

/// A pair that is being expanded.
struct Frame {
    /// Where its state is on the stack of successors, and how long: it is one of them.
    base: usize,
    length: u32,
    /// Where its own successors begin, and where the one is that the search follows.
    first: usize,
    next: usize,
    /// The automaton's state, and the next of its edges to take.
    node: u16,
    edge: u16,
    /// How many successors there were, and how many are left, with the one that the search follows.
    total: u32,
    left: u32,
    /// What is true of the state, and a bit for each of the first 64 edges that it allows.
    word: u64,
    allowed: u64,
    /// Its number among the live pairs, or [`NOT_LIVE`].
    number: usize,
}

/// In the place of a number: the automaton's state rejects, so that no cycle through the pair counts.
const NOT_LIVE: usize = usize::MAX;

/// The first 64 edges that a state allows: a bit for each.
fn allowed(edges: &[Edge], word: u64) -> u64 {
    let bit = |(number, edge): (usize, &Edge)| u64::from(edge.guard.contains(word)) << number;
    edges.iter().take(64).enumerate().map(bit).fold(0, |all, bit| all | bit)
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
    /// The pairs that are in a component that may still grow, in the order in which they were stored. The visited set
    /// marks them, and addresses grow in that order too.
    live: Vec<Entry>,
    /// For each of them the names of its processes, where that is of interest.
    ids: Vec<Ids>,
    roots: Vec<Root>,
    successors: Successors,
    key: Vec<u8>,
    /// A bit for each proposition: whether it was ever true, and ever false.
    ever: (u64, u64),
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
    let stack = Stack::new(keys.node_bytes, system.fair);
    let successors = Successors { stack: Some(stack), ..Successors::default() };
    let mut search = Search {
        system,
        asked,
        keys,
        visited: Exact::new(),
        frames: Vec::new(),
        live: Vec::new(),
        ids: Vec::new(),
        roots: Vec::new(),
        successors,
        key: Vec::new(),
        ever: (0, 0),
        found: Found { ever: vec![(false, false); asked.automaton.watched.len()], ..Found::default() },
    };
    let waits = search.waits();
    match saving.resume.take() {
        Some(input) => search.restore(input)?,
        None => search.begin(),
    }
    search.run(saving, observer);
    search.tell_ever();
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

impl Frame {
    /// Where its state is.
    #[inline]
    fn state(&self) -> Range<usize> {
        self.base..self.base + self.length as usize
    }

    /// The next of the automaton's edges that the state allows.
    #[inline]
    fn next_edge(&self, edges: &[Edge]) -> Option<usize> {
        let from = u32::from(self.edge);
        let left = self.allowed.checked_shr(from).unwrap_or(0);
        if left != 0 {
            return Some((from + left.trailing_zeros()) as usize);
        }
        let rest = usize::from(self.edge).max(64);
        (rest..edges.len()).find(|&number| edges[number].guard.contains(self.word))
    }

    /// Which of its successors the search follows.
    fn taken(&self) -> usize {
        (self.total - self.left) as usize
    }
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
        self.meet(0, self.asked.automaton.start, 0);
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
                    self.tell_ever();
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
        put_bytes(out, self.stack().bytes())?;
        put_number(out, self.frames.len() as u64)?;
        for frame in &self.frames {
            let Frame { base: _, length: _, allowed: _, first, next, node, edge, total, left, word, number } = *frame;
            for number in [first, next, node.into(), edge.into(), total as usize, left as usize] {
                put_number(out, number as u64)?;
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
        let stack = get_bytes(input)?;
        let (nodes, most) = (&self.asked.automaton.nodes, stack.len());
        self.stack_mut().set_bytes(stack);
        for _ in 0..get_number(input)? {
            let (first, next) = (get_small(input, most)?, get_small(input, most)?);
            let node = get_small(input, nodes.len() - 1)?;
            let edge = get_small(input, nodes[node].edges.len())?;
            let (total, left) = (get_small(input, most)? as u32, get_small(input, most)? as u32);
            let (word, number) = (get_number(input)?, get_small(input, usize::MAX)?);
            let allowed = allowed(&nodes[node].edges, word);
            let (base, length, node, edge) = (0, 0, node as u16, edge as u16);
            self.frames.push(Frame { base, length, first, next, node, edge, total, left, word, allowed, number });
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
        if !self.frames_fit() {
            return Err(wrong());
        }
        let ids = if self.names_change() { self.live.len() } else { 0 };
        let numbers: Vec<usize> = self.frames.iter().map(|frame| frame.number).filter(|&n| n != NOT_LIVE).collect();
        let is_whole = numbers.is_sorted_by(|before, number| before < number)
            && numbers.iter().all(|&number| number < self.live.len())
            && self.ids.len() == ids
            && (numbers.is_empty() || !self.roots.is_empty());
        if !is_whole {
            return Err(wrong());
        }
        if self.asked.is_full(self.visited.len() as u64) {
            self.found.stop = Some(Stop::States);
        }
        Ok(())
    }

    /// Whether the frames that were read and the successors on the stack go together. The state of a frame is that of the successor
    /// which the frame before follows.
    fn frames_fit(&mut self) -> bool {
        let Search { frames, successors, system, asked, .. } = self;
        let (Some(stack), machine) = (&successors.stack, &system.expander.machine) else { return false };
        let whole = frames.first().map_or(0, |frame| frame.first);
        let mut below = stack.all(machine, 0..whole, u32::from(!frames.is_empty()));
        let (mut followed, count) = (0, frames.len());
        for number in 0..count {
            let end = frames.get(number + 1).map_or(stack.len(), |frame| frame.first);
            let frame = &mut frames[number];
            let place = below.iter().flatten().find(|(at, _)| *at == followed);
            let Some(state) = place.map(|(_, state)| state.clone()) else { return false };
            (frame.base, frame.length) = (state.start, state.len() as u32);
            below = stack.all(machine, frame.first..end, frame.total);
            let Some(own) = &below else { return false };
            let is_next = match frame.left {
                0 => number + 1 == count,
                left => left <= frame.total && own[frame.taken()].0 == frame.next,
            };
            let rejects = asked.automaton.nodes[usize::from(frame.node)].rejects;
            if !is_next || rejects != (frame.number == NOT_LIVE) {
                return false;
            }
            followed = frame.next;
        }
        true
    }

    fn stack(&self) -> &Stack {
        self.successors.stack.as_ref().expect("the search has its stack here")
    }

    fn stack_mut(&mut self) -> &mut Stack {
        self.successors.stack.as_mut().expect("the search has its stack here")
    }

    /// Takes note of which propositions were ever true, and ever false.
    fn tell_ever(&mut self) {
        for (number, (yes, no)) in self.found.ever.iter_mut().enumerate() {
            *yes |= self.ever.0 >> number & 1 == 1;
            *no |= self.ever.1 >> number & 1 == 1;
        }
    }

    fn is_stopped(&self) -> bool {
        self.found.stop.is_some_and(|stop| stop != Stop::Depth)
    }

    fn check_limits(&mut self, observer: &mut dyn FnMut(Progress) -> bool) {
        let states = self.visited.len() as u64;
        let stack = self.stack().capacity() + self.live.capacity() * 8 + self.frames.capacity() * size_of::<Frame>();
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
        let (Some(top), Some(stack)) = (self.frames.last_mut(), &self.successors.stack) else { return };
        let edges = &self.asked.automaton.nodes[usize::from(top.node)].edges;
        let edge = loop {
            if top.left == 0 {
                return self.leave();
            }
            if let Some(number) = top.next_edge(edges) {
                top.edge = number as u16 + 1;
                break edges[number];
            }
            let state = stack.state_at(top.next);
            top.next = stack.after(&state);
            top.left -= 1;
            top.edge = 0;
        };
        let at = top.next;
        self.meet(at, edge.target, edge.marks);
    }

    /// Looks up the pair of a state, which is that of the successor at some place, and an automaton's state. An edge with these marks
    /// leads to it.
    #[inline]
    fn meet(&mut self, at: usize, node: u16, sets: u64) {
        let Some(stack) = &mut self.successors.stack else { return };
        let state = stack.state_at(at);
        let key = match self.keys.is_plain() {
            true => &stack.pair(state.clone(), node)[self.keys.hidden..],
            false => {
                self.keys.make(&mut self.key, &mut self.system.expander.machine, stack.state(state.clone()), node);
                &self.key
            }
        };
        if key.len() > LONGEST_STATE {
            self.found.stop = Some(Stop::StateSize);
            return;
        }
        match self.visited.insert(key) {
            Insert::New(entry) => {
                self.enter(entry, at, node, sets);
                if self.found.stop.is_none() && self.asked.is_full(self.visited.len() as u64) {
                    self.found.stop = Some(Stop::States);
                }
            }
            Insert::Old(entry) => {
                self.found.matched += 1;
                if self.visited.is_on_stack(entry) {
                    let marks = Marks { sets, fair: self.stack().served(at) };
                    self.close(entry, state, marks);
                }
            }
        }
    }

    /// Puts the pair of the successor at some place and an automaton's state on the stack. An edge with these marks led to it.
    fn enter(&mut self, entry: Entry, at: usize, number: u16, sets: u64) {
        let node = &self.asked.automaton.nodes[usize::from(number)];
        let (state, first) = (self.stack().state_at(at), self.stack().len());
        self.found.state_bytes = self.found.state_bytes.max(state.len() as u64);
        self.frames.push(Frame {
            base: state.start,
            length: state.len() as u32,
            first,
            next: first,
            node: number,
            edge: 0,
            total: 0,
            left: 0,
            word: 0,
            allowed: 0,
            number: if node.rejects { NOT_LIVE } else { self.live.len() },
        });
        self.found.depth = self.found.depth.max(self.frames.len() as u64);
        if node.ends || node.terminal {
            return self.report_prefix(if node.ends { LassoKind::ClaimCompleted } else { self.asked.kind });
        }
        if node.rejects {
            self.expand(node);
            return;
        }
        self.visited.set_on_stack(entry, true);
        self.live.push(entry);
        if self.names_change() {
            let Search { keys, system, successors, .. } = self;
            let Some(stack) = &successors.stack else { return };
            self.ids.push(keys.ids(system.machine(), stack.state(state)));
        }
        let Some(able) = self.expand(node) else { return };
        let own = Marks { sets: 0, fair: able.others() };
        let marks = Marks { sets, fair: self.stack().served(at) };
        self.roots.push(Root { number: self.live.len() - 1, marks: own, entry: marks, closed: false, partition: None });
    }

    /// Expands the pair on top; gives back the processes that can move, unless the search ends here.
    fn expand(&mut self, node: &Node) -> Option<Bits> {
        let top = self.frames.last()?;
        let (number, state) = (top.node, top.state());
        let stack = self.successors.stack.as_ref()?;
        self.system.load(stack.state(state.clone()));
        let automaton = self.asked.automaton;
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
        (self.ever.0, self.ever.1) = (self.ever.0 | word, self.ever.1 | !word);
        let rests = !dead_end && !self.successors.moved;
        let word = if rests { word | automaton.rests } else { word };
        let top = self.frames.last_mut()?;
        top.word = word;
        top.allowed = allowed(&node.edges, word);
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
        let stack = self.successors.stack.as_mut()?;
        if cut {
            stack.truncate(top.first);
            return Some(self.successors.enabled);
        }
        top.total = self.successors.stacked;
        if !self.successors.moved {
            // The run ends here: its last state repeats forever.
            let state = stack.state(state).to_vec();
            stack.truncate(top.first);
            stack.push(&state, Bits::ALL);
            top.total = 1;
        }
        top.left = top.total;
        Some(self.successors.enabled)
    }

    /// An edge from the pair on top leads to a live one: what lies between them is one component.
    fn close(&mut self, entry: Entry, state: Range<usize>, marks: Marks) {
        let mut all = marks;
        let mut partition: Option<Partition> = None;
        if self.names_change() && self.asked.options.left_out != Some(LeftOut::Partition) {
            let Ok(number) = self.live.binary_search(&entry) else { return };
            let Search { keys, system, successors, .. } = self;
            let Some(stack) = &successors.stack else { return };
            let from = keys.ids(system.machine(), stack.state(state));
            if from != self.ids[number] {
                partition.get_or_insert_default().close(&from, &self.ids[number]);
            }
        }
        // Addresses grow in the order of live pairs.
        let joined = self.roots.iter().rposition(|root| self.live[root.number] <= entry).map_or(0, |last| last + 1);
        for root in self.roots.drain(joined..) {
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
        if let Some(first) = self.frames.last().map(|frame| frame.first) {
            self.stack_mut().truncate(first);
            self.frames.truncate(self.frames.len() - 1);
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
            let state = self.stack().state(self.frames[number].state()).to_vec();
            self.system.expand(&state, &mut self.successors);
            if let Some(&successor) = self.successors.list().get(self.frames[number].taken()) {
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
        let node = self.frames[frame].node;
        let start = self.stack().state(self.frames[frame].state()).to_vec();
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
