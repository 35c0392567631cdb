//! The engine. The search expands concrete states and keeps the run it is on as a stack of frames; breadth-first
//! order uses the same frames, only for what happens between two stored states.

use std::collections::VecDeque;
use std::time::Instant;

use quotient_ir::Model;
use quotient_por::{Condition, Fill, Reduction, Safety};
use quotient_step::machine::{Attempt, Machine, Move, Program};
use quotient_step::{Choice, Fault};
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Exact, Insert};

use crate::frame::{Frame, Scope};
use crate::path::{Event, Path};
use crate::{Error, Exploration, MOST_VIOLATIONS, Options, Order, Stop, Violation};

/// What an observer is told from time to time.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// States stored.
    pub states: u64,
    /// States met again.
    pub matched: u64,
    /// The longest path so far.
    pub depth: u64,
    /// Steps on the current path.
    pub current: u64,
    /// Bytes of the visited set and the stack.
    pub bytes: u64,
}

/// How many steps lie between two looks at the clock.
const TICK: u64 = 1 << 12;

/// Explores a model. The observer is called now and then; the search ends when it gives back false.
pub fn explore(model: &Model, options: &Options, observer: &mut dyn FnMut(Progress) -> bool) -> Exploration {
    let program = Program::new(model);
    let reduction = (options.por && quotient_por::obstacle(model).is_none()).then(|| Reduction::new(model));
    let mut engine = Engine {
        model,
        options,
        reduction,
        machine: Machine::new(&program, options.por),
        program: &program,
        visited: Exact::new(),
        bytes: Vec::new(),
        frames: Vec::new(),
        queue: VecDeque::new(),
        links: Vec::new(),
        current: 0,
        found: Exploration {
            reached: model.proctypes.iter().map(|p| vec![false; p.statements.len()]).collect(),
            ..Exploration::default()
        },
        ticks: 0,
        started: Instant::now(),
        observer,
        gated: model.uses.provided || model.uses.priority,
    };
    engine.run();
    let Engine { mut found, visited, .. } = engine;
    found.states = visited.len() as u64;
    found.store_bytes = visited.bytes_used() as u64;
    found
}

struct Engine<'p, 'm, 'o> {
    model: &'m Model,
    options: &'o Options,
    reduction: Option<Reduction>,
    program: &'p Program<'m>,
    machine: Machine<'p, 'm>,
    visited: Exact,
    /// The states of the frames, one after another.
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    /// Breadth-first: states to expand, with their numbers.
    queue: VecDeque<(u32, Box<[u8]>)>,
    /// Breadth-first: for each stored state its entry, its parent's number and its depth.
    links: Vec<Link>,
    /// Breadth-first: the state being expanded.
    current: u32,
    found: Exploration,
    ticks: u64,
    started: Instant,
    observer: &'o mut dyn FnMut(Progress) -> bool,
    /// Processes must be asked whether they may move at all.
    gated: bool,
}

#[derive(Clone, Copy)]
struct Link {
    entry: Entry,
    parent: u32,
    depth: u32,
}

const ROOT: Choice = Choice { process: 0, transition: 0, partner: None };

impl Engine<'_, '_, '_> {
    fn run(&mut self) {
        self.machine.initial();
        self.report_faults(None);
        if self.machine.visible().len() > LONGEST_STATE {
            self.found.stop = Some(Stop::StateSize);
            return;
        }
        if self.found.stop.is_some() {
            return;
        }
        let Insert::New(entry) = self.visited.insert(self.machine.visible()) else { return };
        if self.options.order == Order::BreadthFirst {
            self.links.push(Link { entry, parent: u32::MAX, depth: 0 });
        }
        self.push(ROOT, Some(entry), Scope::All, 0);
        loop {
            while !self.frames.is_empty() {
                if self.found.stop.is_some_and(|stop| stop != Stop::Depth) {
                    return;
                }
                self.ticks += 1;
                if self.ticks % TICK == 0 {
                    self.check_limits();
                }
                self.advance();
            }
            let Some((number, state)) = self.queue.pop_front() else { return };
            self.current = number;
            self.machine.load(&state);
            let entry = self.links[number as usize].entry;
            self.push(ROOT, Some(entry), Scope::All, 0);
        }
    }

    /// Puts the machine's state on the stack and chooses what to expand.
    fn push(&mut self, choice: Choice, entry: Option<Entry>, scope: Scope, offer: u32) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(self.machine.state());
        let length = self.bytes.len() - start;
        if offer != 0 {
            let (_, message) = self.machine.offered();
            for field in message {
                self.bytes.extend_from_slice(&field.to_le_bytes());
            }
        }
        if let (Some(entry), true) = (entry, self.reduction.is_some()) {
            self.visited.set_on_stack(entry, true);
        }
        self.frames.push(Frame {
            start,
            length,
            entry,
            process: 0,
            next: None,
            scope,
            moved: false,
            moved_here: false,
            timeout: false,
            preselected: false,
            outside: false,
            passing: entry.is_none(),
            released: false,
            escape: 0,
            offer,
            pending: if offer != 0 { self.machine.take_faults() } else { Vec::new() },
            choice,
        });
        let depth = match self.options.order {
            Order::DepthFirst => self.frames.len() as u64 - 1,
            Order::BreadthFirst => u64::from(self.links[self.current as usize].depth) + self.frames.len() as u64 - 1,
        };
        self.found.depth = self.found.depth.max(depth);
        self.found.state_bytes = self.found.state_bytes.max(length as u64);
        self.load_top();
        self.begin(self.machine.processes() as i32 - 1);
    }

    /// Starts expanding the top frame. With reduction, the moves of one process may be enough: candidates are the
    /// processes up to `from`, youngest first.
    fn begin(&mut self, from: i32) {
        let frame = self.frames.last().expect("a frame is being expanded");
        let (scope, offer) = (frame.scope, frame.offer);
        let processes = self.machine.processes() as i32;
        let mut chosen = None;
        if scope == Scope::All && offer == 0 && processes > 1 && self.reduction.is_some() {
            chosen = (0..=from).rev().find(|&process| self.is_enough(process as usize));
        }
        let frame = self.frames.last_mut().expect("a frame is being expanded");
        if let Some(process) = chosen {
            frame.scope = Scope::One(process as u32);
            frame.preselected = true;
        }
        frame.process = match frame.scope {
            Scope::All => processes - 1,
            Scope::One(process) => process as i32,
        };
        frame.next = None;
    }

    /// Whether the moves of a process are enough, not yet considering where they lead.
    fn is_enough(&self, process: usize) -> bool {
        let Some(reduction) = &self.reduction else { return false };
        let (ty, control) = self.machine.control(process);
        let Safety::Safe(conditions) = reduction.safety(ty, control) else { return false };
        conditions.iter().all(|condition| match condition {
            Condition::Youngest => {
                process + 1 == self.machine.processes()
                    && reduction.death_is_silent((0..process).map(|other| self.machine.control(other)))
            }
            Condition::Channels { fill, scope, slots } => slots.iter().all(|&slot| {
                let Some((used, capacity)) = self.machine.channel_fill(process, *scope, slot) else { return false };
                match fill {
                    Fill::NotFull => used < capacity,
                    Fill::NotEmpty => used > 0,
                    Fill::Empty => used == 0,
                    Fill::Full => used >= capacity,
                    Fill::Between => used > 0 && used < capacity,
                }
            }),
        })
    }

    /// Loads the top frame's state into the machine.
    fn load_top(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let end = frame.start + frame.length;
        self.machine.load(&self.bytes[frame.start..end]);
        if frame.offer != 0 {
            let message: Vec<i32> = self.bytes[end..]
                .chunks_exact(4)
                .map(|field| i32::from_le_bytes([field[0], field[1], field[2], field[3]]))
                .collect();
            self.machine.offer(frame.offer, &message);
        }
    }

    /// Tries moves of the top frame until one is executed or none is left.
    fn advance(&mut self) {
        let program = self.program;
        let top = self.frames.len() - 1;
        loop {
            let frame = &mut self.frames[top];
            if frame.process < 0 || matches!(frame.scope, Scope::One(only) if frame.process < only as i32) {
                return self.finish();
            }
            let process = frame.process as usize;
            let (ty, control) = self.machine.control(process);
            let compiled = &program.proctypes[ty];
            let state = compiled.states[control];
            let mut next = match frame.next {
                Some(next) => next,
                None => {
                    frame.moved_here = false;
                    frame.escape = 0;
                    let waits = frame.offer != 0 && frame.choice.process == process;
                    if waits || (self.gated && !self.may_move(process)) {
                        self.frames[top].process -= 1;
                        continue;
                    }
                    state.first
                }
            };
            let Frame { mut moved_here, timeout, .. } = self.frames[top];
            while next < state.end {
                let mv = &compiled.moves[next as usize];
                let escape = self.frames[top].escape;
                if escape > 0 && escape != mv.escape {
                    break;
                }
                next += 1;
                let attempt = self.machine.attempt(process, mv, moved_here, timeout);
                if attempt == Attempt::Blocked {
                    if self.machine.has_faults() {
                        self.report_faults(Some((process, (next - 1 - state.first) as usize)));
                    }
                    continue;
                }
                let frame = &mut self.frames[top];
                frame.next = Some(next);
                frame.escape = mv.escape;
                self.found.reached[ty][mv.statement as usize] = true;
                if attempt != Attempt::Offered {
                    frame.moved = true;
                    frame.moved_here = true;
                    moved_here = true;
                }
                let transition = (next - 1 - state.first) as usize;
                if attempt != Attempt::Offered && (self.machine.has_faults() || !self.frames[top].pending.is_empty()) {
                    self.report_faults(Some((process, transition)));
                    if self.found.stop == Some(Stop::Violation) {
                        return;
                    }
                }
                match attempt {
                    Attempt::Failed => {
                        self.load_top();
                        continue;
                    }
                    _ => {
                        if self.arrive(process, transition, mv, attempt) {
                            return;
                        }
                        self.load_top();
                    }
                }
            }
            let frame = &mut self.frames[top];
            frame.process -= 1;
            frame.next = None;
        }
    }

    fn may_move(&mut self, process: usize) -> bool {
        let timeout = self.frames.last().is_some_and(|f| f.timeout);
        let may = self.machine.may_move(process, timeout);
        if self.machine.has_faults() {
            self.report_faults(Some((process, 0)));
        }
        may
    }

    /// Deals with the machine's successor state; true when it became the top frame.
    fn arrive(&mut self, process: usize, transition: usize, mv: &Move, attempt: Attempt) -> bool {
        let top = self.frames.last().expect("a frame is being expanded");
        let choice = match top.offer {
            0 => Choice { process, transition, partner: None },
            _ => Choice { partner: Some((process, transition)), ..top.choice },
        };
        if attempt == Attempt::Offered {
            let (channel, _) = self.machine.offered();
            self.push(choice, None, Scope::All, channel);
            return true;
        }
        if self.too_deep() {
            return false;
        }
        if mv.atomic {
            self.found.atomic_steps += 1;
            self.push(choice, None, Scope::One(process as u32), 0);
            return true;
        }
        self.store(choice)
    }

    /// Stores the machine's state; true when it became the top frame.
    fn store(&mut self, choice: Choice) -> bool {
        if self.machine.visible().len() > LONGEST_STATE {
            self.found.stop = Some(Stop::StateSize);
            return false;
        }
        match self.visited.insert(self.machine.visible()) {
            Insert::Old(entry) => {
                self.found.matched += 1;
                if self.reduction.is_some() && !self.is_closed(entry) {
                    self.mark_outside();
                }
                false
            }
            Insert::New(entry) => {
                self.mark_outside();
                if self.options.max_states.is_some_and(|limit| self.visited.len() as u64 >= limit) {
                    self.found.stop = Some(Stop::States);
                }
                if self.options.order == Order::BreadthFirst {
                    let depth = self.links[self.current as usize].depth + self.frames.len() as u32;
                    let number = self.links.len() as u32;
                    self.links.push(Link { entry, parent: self.current, depth });
                    self.queue.push_back((number, self.machine.state().into()));
                    return false;
                }
                self.push(choice, Some(entry), Scope::All, 0);
                true
            }
        }
    }

    /// Whether a successor that was met before does not justify leaving other processes out: depth-first when it is on
    /// the stack, breadth-first when it is or was expanded already. Otherwise a process could be put off for ever.
    fn is_closed(&self, entry: Entry) -> bool {
        self.visited.is_on_stack(entry)
    }

    /// Notes at the innermost stored state that some successor is not on the stack.
    fn mark_outside(&mut self) {
        for frame in self.frames.iter_mut().rev() {
            frame.outside = true;
            if !frame.passing {
                break;
            }
        }
    }

    fn too_deep(&mut self) -> bool {
        let depth = match self.options.order {
            Order::DepthFirst => self.frames.len() as u64,
            Order::BreadthFirst => u64::from(self.links[self.current as usize].depth) + self.frames.len() as u64,
        };
        let too_deep = self.options.max_depth.is_some_and(|limit| depth > limit);
        if too_deep && self.found.stop.is_none() {
            self.found.stop = Some(Stop::Depth);
        }
        too_deep
    }

    /// Called when no move of the top frame is left.
    fn finish(&mut self) {
        let top = self.frames.last_mut().expect("a frame is being expanded");
        if top.preselected && !top.outside {
            // All moves of the chosen process lead back: try the next candidate, or all processes.
            let from = top.process;
            top.scope = Scope::All;
            top.preselected = false;
            top.moved = false;
            return self.begin(from);
        }
        if top.preselected {
            self.found.reduced += 1;
        }
        if !top.moved && top.offer == 0 && self.machine.processes() > 0 {
            if top.passing {
                return self.release();
            }
            if self.model.uses.timeout && !top.timeout {
                top.timeout = true;
                top.process = match top.scope {
                    Scope::All => self.machine.processes() as i32 - 1,
                    Scope::One(process) => process as i32,
                };
                top.next = None;
                return;
            }
            if !(0..self.machine.processes()).all(|process| self.machine.rests(process)) {
                let path = self.path(None);
                self.violation(Error::Deadlock, path);
            }
        }
        self.pop();
    }

    /// The process inside an atomic sequence is blocked: the state is stored after all, and everyone may move.
    fn release(&mut self) {
        match self.visited.insert(self.machine.visible()) {
            Insert::Old(entry) => {
                self.found.matched += 1;
                if self.reduction.is_some() && !self.is_closed(entry) {
                    self.mark_below_outside();
                }
                // Nothing below this frame counts any more: it was only passed through.
                self.pop();
            }
            Insert::New(entry) => {
                self.mark_below_outside();
                if self.options.max_states.is_some_and(|limit| self.visited.len() as u64 >= limit) {
                    self.found.stop = Some(Stop::States);
                }
                if self.options.order == Order::BreadthFirst {
                    let depth = self.links[self.current as usize].depth + self.frames.len() as u32 - 1;
                    let number = self.links.len() as u32;
                    self.links.push(Link { entry, parent: self.current, depth });
                    self.queue.push_back((number, self.machine.state().into()));
                    self.pop();
                    return;
                }
                if self.reduction.is_some() {
                    self.visited.set_on_stack(entry, true);
                }
                let top = self.frames.last_mut().expect("a frame is being expanded");
                top.entry = Some(entry);
                top.passing = false;
                top.released = true;
                top.scope = Scope::All;
                top.timeout = false;
                self.begin(self.machine.processes() as i32 - 1);
            }
        }
    }

    /// As [`Self::mark_outside`], for the state before the top frame's.
    fn mark_below_outside(&mut self) {
        let below = self.frames.len() - 1;
        for frame in self.frames[..below].iter_mut().rev() {
            frame.outside = true;
            if !frame.passing {
                break;
            }
        }
    }

    /// Takes the top frame off the stack.
    fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.bytes.truncate(frame.start);
        if let (Some(entry), true, Order::DepthFirst) = (frame.entry, self.reduction.is_some(), self.options.order) {
            self.visited.set_on_stack(entry, false);
        }
        if let Some(below) = self.frames.last_mut()
            && frame.offer != 0
        {
            // A rendezvous send counts as a move only if someone received.
            if frame.moved {
                below.moved = true;
            } else {
                below.escape = 0;
            }
        }
        self.load_top();
    }

    /// Reports what the machine found wrong; `step` is the move it happened in.
    #[cold]
    fn report_faults(&mut self, step: Option<(usize, usize)>) {
        let offered = self.frames.last().map_or(Vec::new(), |frame| frame.pending.clone());
        let faults: Vec<Fault> = self.machine.take_faults();
        for fault in offered.into_iter().chain(faults) {
            let path = self.path(step);
            self.violation(Error::Fault(fault), path);
        }
    }

    fn violation(&mut self, error: Error, path: Option<Path>) {
        self.found.errors += 1;
        if let Some(path) = path {
            self.found.violations.push(Violation { error, path });
        }
        if !self.options.all_errors {
            self.found.stop = Some(Stop::Violation);
        }
    }

    /// The run to the top frame's state and through a last step; `None` when enough runs are kept already.
    fn path(&self, step: Option<(usize, usize)>) -> Option<Path> {
        if self.found.violations.len() >= MOST_VIOLATIONS {
            return None;
        }
        let mut path = match self.options.order {
            Order::DepthFirst => Path::new(),
            Order::BreadthFirst => self.path_to(self.current),
        };
        let first = usize::from(!self.frames.is_empty());
        let offered = |number: usize| self.frames[number].offer != 0;
        for number in first..self.frames.len() {
            if !offered(number) {
                path.push(Event::Move(self.frames[number].choice));
            }
            if self.frames[number].released {
                path.push(Event::Release);
            }
        }
        if let (Some((process, transition)), Some(top)) = (step, self.frames.last()) {
            path.push(Event::Move(match top.offer {
                0 => Choice { process, transition, partner: None },
                _ => Choice { partner: Some((process, transition)), ..top.choice },
            }));
        }
        Some(path)
    }

    /// Breadth-first: the run to a stored state. Only its stored states are known; what happened between two of them
    /// is found again by expanding the first.
    fn path_to(&self, number: u32) -> Path {
        let mut entries = Vec::new();
        let mut at = number;
        while at != u32::MAX {
            entries.push(self.links[at as usize].entry);
            at = self.links[at as usize].parent;
        }
        entries.reverse();
        crate::path::connect(self.model, &self.machine, &self.visited, &entries)
    }

    fn memory(&self) -> u64 {
        let queue: usize = self.queue.len() * (std::mem::size_of::<(u32, Box<[u8]>)>() + 32);
        let stack = self.bytes.capacity() + self.frames.capacity() * std::mem::size_of::<Frame>();
        let links = self.links.capacity() * std::mem::size_of::<Link>();
        (self.visited.bytes() + stack + queue + links) as u64
    }

    #[cold]
    fn check_limits(&mut self) {
        if self.options.max_time.is_some_and(|limit| self.started.elapsed() >= limit) {
            self.found.stop = Some(Stop::Time);
        }
        let bytes = self.memory();
        if self.options.max_memory.is_some_and(|limit| bytes >= limit) {
            self.found.stop = Some(Stop::Memory);
        }
        let progress = Progress {
            states: self.visited.len() as u64,
            matched: self.found.matched,
            depth: self.found.depth,
            current: self.frames.len() as u64,
            bytes,
        };
        if !(self.observer)(progress) {
            self.found.stop = Some(Stop::Interrupted);
        }
    }
}
