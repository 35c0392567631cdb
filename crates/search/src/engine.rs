//! The engine. The search expands concrete states and keeps the run it is on as a stack of frames; breadth-first
//! order uses the same frames, only for what happens between two stored states.

mod ample;
mod atomic;
mod commute;
mod leftout;
mod nets;
mod sample;
mod saved;
mod violation;

use std::io;
use std::time::{Duration, Instant};

use quotient_canon::{Arrangement, Reducer};
use quotient_ir::Model;
use quotient_por::{Reduction, Trust};
use quotient_step::Fault;
use quotient_step::machine::{Attempt, Component, Effect, Machine, Move, Program, Shape};
use quotient_store::exact::LONGEST_STATE;
use quotient_store::{Entry, Exact, Insert};

use crate::checkpoint::{Keeper, Session};
use crate::frame::{Frame, Part, Role};
use crate::segments::{List, Queue};
use crate::{Disorder, Dropped, Error, Event, Exploration, Options, Order, Stop};
use sample::{Choices, ORBITS, Samples};
use violation::Kept;

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

/// Explores a model. The observer is called now and then; the search ends when it gives back false. A reduction that turns
/// out not to be right is dropped, and the search starts again without it.
pub fn explore(model: &Model, options: &Options, observer: &mut dyn FnMut(Progress) -> bool) -> Exploration {
    explore_in(model, options, Session::default(), observer).expect("nothing is read")
}

/// As [`explore`], keeping checkpoints, or going on from one. `Err` says why that one cannot be used.
pub fn explore_in(
    model: &Model,
    options: &Options,
    session: Session<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<Exploration> {
    let started = Instant::now();
    let Session { mut resume, mut keeper } = session;
    let mut allowed = *options;
    let mut history = match &mut resume {
        Some(input) => saved::read_history(input)?,
        None => History::default(),
    };
    history.dropped.iter().for_each(|wrong| drop_reduction(&mut allowed, wrong));
    loop {
        let asked = Asked { model, options, allowed: &allowed, history: &history, started };
        let (mut found, wrong) = attempt(asked, resume.take(), reborrow(&mut keeper), observer)?;
        let Some(wrong) = wrong else {
            found.dropped = history.dropped;
            found.time = history.time + started.elapsed();
            return Ok(found);
        };
        drop_reduction(&mut allowed, &wrong);
        history.dropped.push(wrong);
    }
}

/// What happened before the search that is under way.
#[derive(Default)]
struct History {
    /// Reductions that were dropped.
    dropped: Vec<Dropped>,
    /// How long it took until the checkpoint that this process goes on from.
    time: Duration,
}

fn drop_reduction(allowed: &mut Options, wrong: &Dropped) {
    match wrong {
        Dropped::Symmetry { .. } => allowed.symmetry = None,
        Dropped::Order(_) => allowed.por = false,
    }
}

fn reborrow<'a>(keeper: &'a mut Option<&mut dyn Keeper>) -> Option<&'a mut dyn Keeper> {
    match keeper {
        Some(keeper) => Some(&mut **keeper),
        None => None,
    }
}

/// What a search is to do.
#[derive(Clone, Copy)]
struct Asked<'m, 'o> {
    model: &'m Model,
    options: &'o Options,
    /// The options without reductions that were dropped.
    allowed: &'o Options,
    history: &'o History,
    started: Instant,
}

/// One search, with the reductions that are still allowed of those asked for, from the start or from a checkpoint; also
/// tells which one is not right.
fn attempt<'o>(
    asked: Asked<'_, 'o>,
    resume: Option<&mut dyn io::Read>,
    keeper: Option<&'o mut dyn Keeper>,
    observer: &'o mut dyn FnMut(Progress) -> bool,
) -> io::Result<(Exploration, Option<Dropped>)> {
    let Asked { model, options: all_options, allowed: options, history, started } = asked;
    let program = Program::new(model);
    let reduction = (options.por && quotient_por::obstacle(model).is_none()).then(|| {
        let trust = if options.trust { Trust::Spin } else { Trust::Nothing };
        let believed: Vec<usize> =
            (0..model.proctypes.len().min(64)).filter(|id| options.believed >> id & 1 == 1).collect();
        Reduction::new(model, trust).believing(&believed)
    });
    let relying = reduction.as_ref().is_some_and(|r| model.process_types().any(|(id, _)| r.relies_on(id)));
    let strategy = options.symmetry.filter(|&strategy| quotient_canon::obstacle(model, strategy).is_none());
    let reducer = strategy.and_then(|strategy| Reducer::new(model, &program.schema, strategy));
    let (symmetric, reduced) = (reducer.is_some(), reduction.is_some());
    let mut engine = Engine {
        model,
        options,
        reduction,
        relying,
        broken: false,
        dropped: None,
        reducer,
        machine: Machine::new(&program, all_options.por),
        program: &program,
        visited: Exact::new(),
        gone: None,
        bytes: Vec::new(),
        frames: Vec::new(),
        trail: Vec::new(),
        pending: Vec::new(),
        loaded: false,
        waiting: None,
        waiting_state: Vec::new(),
        waiting_key: Vec::new(),
        queue: Queue::default(),
        expanded: Vec::new(),
        links: List::default(),
        current: 0,
        base: 0,
        recorded: Recorded::default(),
        samples: Samples::new(options.selfcheck.max(ORBITS), options.selfcheck > 0 && symmetric),
        choices: Choices::new(
            if reduced { options.selfcheck } else { 0 },
            model.proctypes.iter().map(|p| vec![false; p.states.len()]).collect(),
        ),
        kept: Kept::default(),
        found: Exploration {
            reached: model.proctypes.iter().map(|p| vec![false; p.statements.len()]).collect(),
            ..Exploration::default()
        },
        cut: false,
        ticks: 0,
        history,
        keeper,
        started,
        observer,
        gated: model.uses.provided || model.uses.priority,
    };
    match resume {
        None => engine.start(),
        Some(input) => engine.restore(input)?,
    }
    engine.run();
    if engine.can_go_on() {
        engine.keep();
    }
    engine.examine();
    let sizes = engine.sizes();
    let Engine { mut found, dropped, .. } = engine;
    (found.states, found.store_bytes) = sizes;
    Ok((found, dropped))
}

struct Engine<'p, 'm, 'o> {
    model: &'m Model,
    options: &'o Options,
    reduction: Option<Reduction>,
    /// The reduction relies on promises of processes.
    relying: bool,
    /// A promise was broken, and that was reported.
    broken: bool,
    /// A reduction that turned out not to be right.
    dropped: Option<Dropped>,
    /// Finds the representatives under which states are stored; none without symmetry reduction.
    reducer: Option<Reducer<'m>>,
    program: &'p Program<'m>,
    machine: Machine<'p, 'm>,
    visited: Exact,
    /// How many states were stored and how many bytes they took, once the visited set is gone.
    gone: Option<(u64, u64)>,
    /// The states of the frames, one after another.
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    /// The steps that led to the top frame.
    trail: Vec<Part>,
    /// What went wrong in making the offer of the top frame; reported when someone receives.
    pending: Vec<Fault>,
    /// Whether the machine holds the top frame's state.
    loaded: bool,
    /// A successor of the top frame that was not looked up yet, and its state's bytes. Looking up a state means waiting
    /// for memory; meanwhile the next successor is made.
    waiting: Option<Waiting>,
    waiting_state: Vec<u8>,
    /// With symmetry reduction, the bytes that the waiting successor is looked up by.
    waiting_key: Vec<u8>,
    /// Breadth-first: states to expand, in the order of their numbers.
    queue: Queue,
    /// Breadth-first: the bytes of the state being expanded.
    expanded: Vec<u8>,
    /// Breadth-first: for each stored state its entry, its parent's number and its depth.
    links: List<Link>,
    /// Breadth-first: the number of the state being expanded, and its depth.
    current: u32,
    base: u64,
    /// Breadth-first with symmetry reduction: the steps from each stored state's parent to it.
    recorded: Recorded,
    /// With symmetry reduction, states to look at again in the end.
    samples: Samples,
    /// What is kept of violations.
    kept: Kept,
    /// With partial-order reduction, states where one process was enough.
    choices: Choices,
    found: Exploration,
    /// Some path was cut at the depth allowed.
    cut: bool,
    ticks: u64,
    history: &'o History,
    keeper: Option<&'o mut dyn Keeper>,
    started: Instant,
    observer: &'o mut dyn FnMut(Progress) -> bool,
    /// Processes must be asked whether they may move at all.
    gated: bool,
}

/// A successor that was not looked up yet.
#[derive(Clone, Copy)]
struct Waiting {
    hash: u64,
    part: Part,
    /// The top frame as it was when the successor was made: if it is new, what was tried since is taken back.
    frame: Frame,
}

/// The steps that led from one stored state to the next. A stored state's bytes are those of its representative, so they
/// do not tell.
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

/// The bytes that the machine's state is looked up by: the visible ones of its representative.
#[inline]
fn key<'a>(reducer: &'a mut Reducer, machine: &'a Machine) -> &'a [u8] {
    let (number, shape) = machine.shape();
    let representative = reducer.representative(number, || arrangement(shape), machine.state());
    &representative[machine.program().schema.hidden as usize..]
}

/// The components of a shape, as renamings see them.
fn arrangement(shape: &Shape) -> Arrangement {
    let place = |component: &Component| (component.ty as usize, component.offset);
    Arrangement {
        processes: shape.processes.iter().map(place).collect(),
        channels: shape.channels.iter().map(place).collect(),
    }
}

impl Engine<'_, '_, '_> {
    /// Stores the initial state and puts it on the stack.
    fn start(&mut self) {
        self.machine.initial();
        self.report_faults(None);
        if self.found.stop.is_some() {
            return;
        }
        let Some((entry, _)) = self.insert() else { return };
        if self.options.order == Order::BreadthFirst {
            self.links.push(Link { entry, parent: u32::MAX, depth: 0 });
            self.recorded.ends.push((0, false));
        }
        self.push(Some(entry), None, 0);
    }

    /// Searches on until everything was seen, or a limit is reached.
    fn run(&mut self) {
        loop {
            while !self.frames.is_empty() {
                if self.found.stop.is_some_and(|stop| stop != Stop::Depth) {
                    return;
                }
                self.ticks += 1;
                if self.ticks.is_multiple_of(TICK) {
                    self.check_limits();
                    if self.keeper.as_mut().is_some_and(|keeper| keeper.is_due()) {
                        self.keep();
                    }
                }
                self.advance();
            }
            // States have their numbers in the order in which they get into the queue.
            if self.found.stop.is_some_and(|stop| stop != Stop::Depth) || !self.queue.pop(&mut self.expanded) {
                return;
            }
            self.current += 1;
            let Some(link) = self.links.get(self.current as usize) else { return };
            self.base = u64::from(link.depth);
            self.machine.load(&self.expanded);
            self.push(Some(link.entry), None, 0);
        }
    }

    /// Puts the machine's state on the stack and chooses what to expand: everyone, or the one process that has control.
    /// The steps that lead here are on the trail already, from `trail` on.
    fn push(&mut self, entry: Option<Entry>, only: Option<usize>, trail: usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(self.machine.state());
        let length = self.bytes.len() - start;
        let (offer, message) = self.machine.offered();
        if offer != 0 {
            self.bytes.extend(message.iter().flat_map(|field| field.to_le_bytes()));
        }
        if let (Some(entry), true) = (entry, self.reduction.is_some()) {
            self.visited.set_on_stack(entry, true);
        }
        if entry.is_some() && self.reducer.is_some() {
            self.samples.offer(self.machine.state(), self.machine.shape().0);
        }
        let passing = if entry.is_none() { Frame::PASSING } else { 0 };
        let exclusive = if only.is_some() { Frame::EXCLUSIVE } else { 0 };
        self.frames.push(Frame {
            entry,
            start,
            length: length as u32,
            trail,
            next: Frame::UNSEEN,
            end: 0,
            escape: 0,
            offer: offer as u16,
            process: only.unwrap_or(0) as i16,
            last: only.unwrap_or(0) as i16,
            flags: passing | exclusive,
        });
        self.note_depth();
        self.found.state_bytes = self.found.state_bytes.max(length as u64);
        self.machine.commit();
        self.loaded = true;
        if only.is_none() {
            self.begin(self.machine.processes() as i16 - 1);
        }
    }

    /// Steps from the initial state to the machine's.
    #[inline]
    fn depth(&self) -> u64 {
        self.base + self.trail.len() as u64
    }

    #[inline]
    fn note_depth(&mut self) {
        self.found.depth = self.found.depth.max(self.depth());
    }

    /// Starts expanding the top frame, where everyone may move. With reduction, the moves of one process may be
    /// enough: candidates are the processes up to `from`, youngest first.
    fn begin(&mut self, from: i16) {
        self.load_top();
        let processes = self.machine.processes() as i16;
        let offered = self.machine.offered().0 != 0;
        let chosen = match self.reduction.is_some() && processes > 1 && !offered {
            true => (0..=from).rev().find(|&process| self.is_enough(process as usize)),
            false => None,
        };
        let frame = self.frames.last_mut().expect("a frame is being expanded");
        frame.next = Frame::UNSEEN;
        match chosen {
            Some(process) => {
                (frame.process, frame.last) = (process, process);
                frame.flags |= Frame::PRESELECTED;
            }
            None => (frame.process, frame.last) = (processes - 1, 0),
        }
    }

    /// Makes the machine hold the top frame's state.
    #[inline]
    fn load_top(&mut self) {
        if self.loaded {
            return;
        }
        let Some(frame) = self.frames.last() else { return };
        let end = frame.start + frame.length as usize;
        self.machine.load(&self.bytes[frame.start..end]);
        if frame.offer != 0 {
            let message = self.bytes[end..].chunks_exact(4);
            let message = message.map(|field| i32::from_le_bytes([field[0], field[1], field[2], field[3]]));
            self.machine.offer(u32::from(frame.offer), message);
        }
        self.loaded = true;
    }

    /// Tries moves of the top frame until one leads to a new top frame, or none is left.
    fn advance(&mut self) {
        let program = self.program;
        let top = self.frames.len() - 1;
        if self.frames[top].exhausted() {
            return self.finish();
        }
        self.load_top();
        if self.frames[top].flags & Frame::PASSED == Frame::PASSED && self.frames[top].next == Frame::UNSEEN {
            self.pass(top);
        }
        loop {
            let frame = self.frames[top];
            if frame.process < frame.last {
                return self.finish();
            }
            let process = frame.process as usize;
            let (ty, control) = self.machine.control(process);
            let compiled = &program.proctypes[ty];
            let state = compiled.states[control];
            let mut next = frame.next;
            let mut flags = frame.flags;
            if next == Frame::UNSEEN {
                let offering = frame.offer != 0 && usize::from(self.trail[self.trail.len() - 1].process) == process;
                if self.gated && self.waiting.is_some() && self.settle() {
                    return;
                }
                if offering || (self.gated && !self.may_move(process)) {
                    if self.found.stop == Some(Stop::Violation) {
                        return;
                    }
                    self.frames[top].process -= 1;
                    continue;
                }
                next = state.first;
                flags &= !Frame::MOVED_HERE;
                self.frames[top].flags = flags;
                self.frames[top].escape = 0;
                self.frames[top].end = state.end;
            }
            self.machine.enter(process, flags & Frame::TIMEOUT != 0);
            let mut moved_here = flags & Frame::MOVED_HERE != 0;
            while next < state.end {
                let mv = &compiled.moves[next as usize];
                let escape = self.frames[top].escape;
                if escape > 0 && escape != mv.escape {
                    break;
                }
                let transition = next - state.first;
                next += 1;
                if self.relying && matches!(mv.effect, Effect::End) && frame.offer == 0 && self.ends_too_early(process)
                {
                    return;
                }
                let attempt = self.machine.attempt(mv, moved_here);
                if attempt == Attempt::Blocked && !self.machine.has_faults() {
                    continue;
                }
                if attempt == Attempt::Blocked && frame.offer != 0 {
                    // Who does not receive what is offered does nothing.
                    self.machine.take_faults();
                    continue;
                }
                if self.waiting.is_some() && self.settle() {
                    return;
                }
                if attempt == Attempt::Blocked && self.frames[top].offer != 0 {
                    // Not a receiver of what is offered: what it does on its own is looked at without the offer.
                    drop(self.machine.take_faults());
                    continue;
                }
                if attempt == Attempt::Blocked {
                    self.report_faults(Some((process, transition)));
                    if self.found.stop == Some(Stop::Violation) {
                        return;
                    }
                    continue;
                }
                self.note_reached(ty, mv.statement);
                let frame = &mut self.frames[top];
                frame.next = next;
                frame.escape = mv.escape;
                if attempt != Attempt::Offered {
                    frame.flags |= Frame::MOVED | Frame::MOVED_HERE;
                    moved_here = true;
                    if mv.final_but_else {
                        frame.next = state.end;
                    }
                    if self.machine.has_faults() || (frame.offer != 0 && !self.pending.is_empty()) {
                        self.report_faults(Some((process, transition)));
                        if self.found.stop == Some(Stop::Violation) {
                            return;
                        }
                    }
                }
                if attempt != Attempt::Failed && self.arrive(process, transition, mv, attempt) {
                    return;
                }
                if self.found.stop.is_some_and(|stop| stop != Stop::Depth) {
                    return;
                }
                // The machine's offer may be used up, so a rendezvous is loaded afresh.
                if self.frames[top].offer != 0 {
                    self.loaded = false;
                    self.load_top();
                } else {
                    self.machine.reload();
                }
            }
            let frame = &mut self.frames[top];
            frame.process -= 1;
            frame.next = Frame::UNSEEN;
        }
    }

    /// Takes note that a statement was executed, the first time with the stored state that this began in.
    #[inline]
    fn note_reached(&mut self, ty: usize, statement: u32) {
        let reached = &mut self.found.reached[ty][statement as usize];
        if !*reached {
            *reached = true;
            if let Some(frame) = self.frames.iter().rev().find(|frame| !frame.is(Frame::PASSING)) {
                self.samples.first(&self.bytes[frame.start..frame.start + frame.length as usize]);
            }
        }
    }

    /// Whether a process, if it is the youngest and so can end now, leaves a promise behind that nobody checks. Then the
    /// search has no use for promises.
    #[cold]
    fn ends_too_early(&mut self, process: usize) -> bool {
        let relies = self.reduction.as_ref().is_some_and(|r| r.relies_on(self.machine.control(process).0));
        if !relies || process + 1 != self.machine.processes() {
            return false;
        }
        if !self.leaves_a_promise(process) {
            return false;
        }
        self.give_up(Dropped::Order(Disorder::Promise { proctype: self.machine.control(process).0 }));
        true
    }

    /// Ends this search because a reduction is not what it should be.
    #[cold]
    fn give_up(&mut self, dropped: Dropped) {
        self.dropped = Some(dropped);
        self.found.stop = Some(Stop::Interrupted);
    }

    fn may_move(&mut self, process: usize) -> bool {
        let timeout = self.frames.last().is_some_and(|frame| frame.is(Frame::TIMEOUT));
        let may = self.machine.may_move(process, timeout);
        if self.machine.has_faults() {
            self.report_faults(Some((process, 0)));
            // Something happens here, if only an error.
            if let Some(frame) = self.frames.last_mut() {
                frame.flags |= Frame::MOVED;
            }
        }
        may
    }

    /// Deals with the machine's successor state; true when it became the top frame's.
    #[inline]
    fn arrive(&mut self, process: usize, transition: u32, mv: &Move, attempt: Attempt) -> bool {
        // An offer is never cut: only its receiver tells whether it is a step at all. If one were, the process would seem
        // to be blocked.
        if self.options.max_depth.is_some() && attempt != Attempt::Offered && self.too_deep() {
            return false;
        }
        let top = self.frames.last_mut().expect("a frame is being expanded");
        let role = match (attempt, top.offer) {
            (Attempt::Offered, _) => Role::Offers,
            (_, 0) => Role::Alone,
            _ => Role::Receives,
        };
        let trail = self.trail.len();
        self.trail.push(Part { transition, process: process as u16, role });
        if attempt == Attempt::Offered {
            self.pending = self.machine.take_faults();
            let depth = self.found.depth;
            self.push(None, None, trail);
            if self.options.max_depth.is_some_and(|limit| self.depth() > limit) {
                self.found.depth = depth;
            }
            return true;
        }
        self.machine.end_offer();
        if mv.atomic {
            self.found.atomic_steps += 1;
            // Inside an atomic sequence with nothing left to try, the frame can be used again: only the trail is
            // needed to tell how it was passed.
            if top.flags & Frame::PASSED == Frame::PASSED && top.exhausted() && top.process as usize == process {
                top.next = Frame::UNSEEN;
                top.flags &= !(Frame::MOVED | Frame::MOVED_HERE);
                self.note_depth();
                self.machine.commit();
                self.save_top();
                return true;
            }
            self.push(None, Some(process), trail);
            return true;
        }
        if self.options.order == Order::DepthFirst && self.machine.visible().len() <= LONGEST_STATE {
            self.postpone();
            return false;
        }
        if self.store(trail) {
            return true;
        }
        self.trail.truncate(trail);
        false
    }

    /// Keeps the machine's state, whose step is the last on the trail, to be looked up after the next one was made.
    #[inline]
    fn postpone(&mut self) {
        let hash = match &mut self.reducer {
            None => self.visited.hash(self.machine.visible()),
            Some(reducer) => {
                let key = key(reducer, &self.machine);
                self.waiting_key.clear();
                self.waiting_key.extend_from_slice(key);
                self.visited.hash(key)
            }
        };
        self.visited.prefetch(hash);
        self.waiting_state.clear();
        self.waiting_state.extend_from_slice(self.machine.state());
        let (Some(part), Some(frame)) = (self.trail.pop(), self.frames.last()) else { return };
        self.waiting = Some(Waiting { hash, part, frame: *frame });
    }

    /// Looks the postponed successor up; true when it is new and became the top frame.
    #[inline]
    fn settle(&mut self) -> bool {
        let Some(Waiting { hash, part, frame }) = self.waiting.take() else { return false };
        let key = match self.reducer {
            None => &self.waiting_state[self.program.schema.hidden as usize..],
            Some(_) => &self.waiting_key,
        };
        let inserted = self.visited.insert_hashed(key, hash);
        let (entry, new) = self.count(inserted);
        if new && let Some(top) = self.frames.last_mut() {
            *top = frame;
        }
        self.note_successor(entry, new, self.frames.len());
        if !new {
            return false;
        }
        self.machine.take_faults();
        self.machine.load(&self.waiting_state);
        let trail = self.trail.len();
        self.trail.push(part);
        self.push(Some(entry), None, trail);
        true
    }

    /// Puts the machine's state in the place of the top frame's.
    fn save_top(&mut self) {
        let top = self.frames.last_mut().expect("a frame is being expanded");
        self.bytes.truncate(top.start);
        self.bytes.extend_from_slice(self.machine.state());
        top.length = (self.bytes.len() - top.start) as u32;
    }

    /// Stores the machine's state; true when it became the top frame's.
    fn store(&mut self, trail: usize) -> bool {
        let Some((entry, new)) = self.insert() else { return false };
        self.note_successor(entry, new, self.frames.len());
        if !new {
            return false;
        }
        if self.options.order == Order::BreadthFirst {
            self.enqueue(entry, false);
            return false;
        }
        self.push(Some(entry), None, trail);
        true
    }

    /// Looks the machine's state up in the visited set, and adds it; tells whether it is new.
    #[inline]
    fn insert(&mut self) -> Option<(Entry, bool)> {
        if self.machine.visible().len() > LONGEST_STATE {
            self.found.stop = Some(Stop::StateSize);
            return None;
        }
        let key = match &mut self.reducer {
            None => self.machine.visible(),
            Some(reducer) => key(reducer, &self.machine),
        };
        let inserted = self.visited.insert(key);
        Some(self.count(inserted))
    }

    /// Counts what inserting found; tells whether the state is new.
    #[inline]
    fn count(&mut self, inserted: Insert) -> (Entry, bool) {
        match inserted {
            Insert::Old(entry) => {
                self.found.matched += 1;
                (entry, false)
            }
            Insert::New(entry) => {
                if self.options.max_states.is_some_and(|limit| self.visited.len() as u64 >= limit) {
                    self.found.stop = Some(Stop::States);
                }
                (entry, true)
            }
        }
    }

    fn enqueue(&mut self, entry: Entry, released: bool) {
        if self.reducer.is_some() {
            self.trail.iter().for_each(|&part| self.recorded.parts.push(part));
            self.recorded.ends.push((self.recorded.parts.len(), released));
        }
        let depth = (self.base + self.trail.len() as u64) as u32;
        self.links.push(Link { entry, parent: self.current, depth });
        self.queue.push(self.machine.state());
    }

    fn too_deep(&mut self) -> bool {
        let too_deep = self.options.max_depth.is_some_and(|limit| self.depth() >= limit);
        self.cut |= too_deep;
        if too_deep && self.found.stop.is_none() {
            self.found.stop = Some(Stop::Depth);
        }
        too_deep
    }

    /// Called when no move of the top frame is left.
    fn finish(&mut self) {
        if self.waiting.is_some() && self.settle() {
            return;
        }
        let top = self.frames.last_mut().expect("a frame is being expanded");
        if top.flags & (Frame::PRESELECTED | Frame::OUTSIDE) == Frame::PRESELECTED {
            // All moves of the chosen process lead back: try the next candidate, or all processes.
            top.flags &= !(Frame::PRESELECTED | Frame::MOVED);
            let from = top.last - 1;
            return self.begin(from);
        }
        if top.is(Frame::PRESELECTED) {
            self.found.reduced += 1;
            let (process, state) = (top.last as usize, top.start..top.start + top.length as usize);
            let state = &self.bytes[state];
            self.choices.offer(state, process, self.machine.control_in(state, process));
        }
        if !top.is(Frame::MOVED) && top.offer == 0 {
            let again = !top.is(Frame::TIMEOUT) && self.model.uses.timeout;
            let passing = top.is(Frame::PASSING);
            self.load_top();
            let processes = self.machine.processes();
            if processes > 0 && passing {
                return self.release();
            }
            if processes > 0 && again {
                let top = self.frames.last_mut().expect("a frame is being expanded");
                top.flags |= Frame::TIMEOUT;
                (top.process, top.last) = (processes as i16 - 1, 0);
                top.next = Frame::UNSEEN;
                return;
            }
            if !self.machine.may_end() {
                self.violation(Error::Deadlock, None);
            }
        }
        self.pop();
    }

    /// Takes the top frame off the stack.
    fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.bytes.truncate(frame.start);
        self.trail.truncate(frame.trail);
        self.loaded = false;
        if let (Some(entry), true, Order::DepthFirst) = (frame.entry, self.reduction.is_some(), self.options.order)
            && self.gone.is_none()
        {
            self.visited.set_on_stack(entry, false);
        }
        if let Some(below) = self.frames.last_mut()
            && frame.offer != 0
        {
            // A rendezvous send counts as a move only if someone received.
            if frame.is(Frame::MOVED) {
                below.flags |= Frame::MOVED | Frame::MOVED_HERE;
            } else {
                below.escape = 0;
            }
        }
    }

    /// How many states were stored, and how many bytes they take.
    fn sizes(&self) -> (u64, u64) {
        self.gone.unwrap_or((self.visited.len() as u64, self.visited.bytes() as u64))
    }

    /// Whether nothing but the stack is needed for the run to a violation, because the search ends with it.
    fn ends_with_stack(&self) -> bool {
        self.options.order == Order::DepthFirst && !self.options.all_errors
    }

    /// What the search takes, and what the run to a violation would take.
    fn memory(&self) -> u64 {
        let run = match self.ends_with_stack() {
            true => 0,
            false => self.depth() as usize * (std::mem::size_of::<Event>() + std::mem::size_of::<Entry>()),
        };
        let stack = self.bytes.capacity()
            + self.frames.capacity() * std::mem::size_of::<Frame>()
            + self.trail.capacity() * std::mem::size_of::<Part>();
        let breadth =
            self.queue.bytes() + self.links.bytes() + self.recorded.parts.bytes() + self.recorded.ends.bytes();
        (self.visited.bytes() + stack + breadth + self.kept.bytes() + run) as u64
    }

    #[cold]
    fn check_limits(&mut self) {
        if self.options.max_time.is_some_and(|limit| self.started.elapsed() >= limit) {
            self.found.stop = Some(Stop::Time);
        }
        let bytes = self.memory();
        if let Some(limit) = self.options.max_memory {
            if bytes >= limit || self.visited.is_crowded() {
                self.found.stop = Some(Stop::Memory);
            }
            let others = bytes - self.visited.bytes() as u64;
            self.visited.allow(usize::try_from(limit.saturating_sub(others)).unwrap_or(usize::MAX));
        }
        let progress = Progress {
            states: self.visited.len() as u64,
            matched: self.found.matched,
            depth: self.found.depth,
            current: self.trail.len() as u64,
            bytes,
        };
        if !(self.observer)(progress) {
            self.found.stop = Some(Stop::Interrupted);
        }
    }
}
