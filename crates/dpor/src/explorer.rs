//! The state of an exploration: the current graph, and what is still to be tried.
//!
//! Alternatives are listed when an operation is added, checked at once, and kept on one stack. A backward revisit works
//! on a restricted copy of the graph; the graph it came from waits below until the copy is exhausted, or is restricted
//! itself if nothing else is to be tried in it. So memory is polynomial in the size of an execution.

use crate::alarm::Alarm;
use crate::difference::Difference;
use crate::estimate::Walk;
use crate::going::Going;
use crate::position::Trail;
use crate::repeat::Repeating;
use crate::rounds::Publication;
use crate::share::Share;
use crate::told::Following;
use crate::violation::Violation;
use crate::{Operation, run::Run};
use quotient_graph::{EventId, Graph};
use quotient_memory::{Checker, MemoryModel, race};
use std::panic::Location as Site;

/// What is explored.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The memory model.
    pub model: MemoryModel,
    /// Whether one execution stands for all that differ in the names of like threads.
    pub symmetry: bool,
    /// Whether a weak exchange may fail without a reason.
    pub spurious_failures: bool,
    /// How many events an execution may have.
    pub max_events: u32,
    /// How many threads an execution may have.
    pub max_threads: u32,
}

/// How many events an execution may have if nobody says it.
pub const MAX_EVENTS: u32 = 100_000;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            model: MemoryModel::Rc11,
            symmetry: true,
            spurious_failures: false,
            max_events: MAX_EVENTS,
            max_threads: 1000,
        }
    }
}

/// What has been explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Executions in which every thread has ended.
    pub complete: u64,
    /// Executions in which some thread could not go on.
    pub blocked: u64,
    /// Events of all executions together.
    pub events: u64,
    /// Backward revisits.
    pub revisits: u64,
    /// Executions with a cycle of program order, reads-from and coherence: symmetry reduction may be incomplete.
    pub cyclic: u64,
    /// The most events an execution has had.
    pub longest: u64,
}

impl Statistics {
    /// Adds what another worker has explored.
    pub fn add(&mut self, other: &Statistics) {
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.events += other.events;
        self.revisits += other.revisits;
        self.cyclic += other.cyclic;
        self.longest = self.longest.max(other.longest);
    }
}

/// One way for an operation to happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alternative {
    /// The write to read from.
    pub source: EventId,
    /// The write to be placed after.
    pub after: EventId,
    /// The read that the new write revisits, or `NONE`.
    pub revisit: EventId,
    /// Where the new write goes in the graph that the revisit leaves.
    pub revisit_after: EventId,
    /// Whether the revisited read, of a weak exchange, then fails without a reason.
    pub revisit_fails: bool,
    /// The choice, or 1 for an exchange that fails without a reason.
    pub choice: u32,
    /// Whether the revisits of the new write are still to be listed.
    pub lists: bool,
    /// Whether the consistency of the graph is still to be checked.
    pub unchecked: bool,
}

impl Alternative {
    pub(crate) const PLAIN: Alternative = Alternative {
        source: EventId::NONE,
        after: EventId::NONE,
        revisit: EventId::NONE,
        revisit_after: EventId::NONE,
        revisit_fails: false,
        choice: 0,
        lists: false,
        unchecked: false,
    };
}

/// A point to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// How many events of the run order stay.
    pub length: u32,
    /// How many alternatives lie between the first execution and the one that it belongs to.
    pub depth: u32,
    /// Where its alternatives begin; they end where those of the next frame begin.
    pub first: u32,
    /// The operation to add after those events; without one, the newest event is a write whose revisits are listed.
    pub pending: Option<Pending>,
}

/// An operation that is to be added to a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// Its first event.
    pub id: EventId,
    pub operation: Operation,
    pub site: &'static Site<'static>,
}

/// A graph that waits for a restricted copy of it to be exhausted.
#[derive(Debug)]
pub(crate) struct Level {
    pub graph: Graph,
    /// How many frames belong to this graph and those below.
    pub frames: usize,
}

/// Explores the executions of a program.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) settings: Settings,
    pub(crate) graph: Graph,
    pub(crate) levels: Vec<Level>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) alternatives: Vec<Alternative>,
    pub(crate) spare: Vec<Graph>,
    pub(crate) scratch: Graph,
    pub(crate) keep: Vec<u32>,
    pub(crate) prefix: Vec<u32>,
    pub(crate) candidates: Vec<(u32, EventId)>,
    pub(crate) going: Going,
    pub(crate) checker: Checker,
    pub(crate) alarm: Alarm,
    pub(crate) run: Run,
    pub(crate) statistics: Statistics,
    pub(crate) violation: Option<Violation>,
    /// Whether some graph has had two like threads.
    pub(crate) has_classes: bool,
    /// Whether some graph has had a helping operation.
    pub(crate) has_help: bool,
    /// A random walk, if not everything is to be explored.
    pub(crate) walk: Option<Walk>,
    /// What the current run is told to do, if it is told.
    pub(crate) following: Option<Following>,
    /// Whether threads take turns as they did before when a graph is replayed.
    pub(crate) keep_order: bool,
    /// Whether they ever did otherwise.
    pub(crate) left_order: bool,
    /// How many alternatives lie between the first execution and the current one.
    pub(crate) depth: u32,
    /// The part that is explored, if not everything is.
    pub(crate) share: Option<Share>,
    /// Whether the graph is replayed and not extended.
    pub(crate) replay_only: bool,
    /// What differed from the graph that was replayed.
    pub(crate) difference: Option<Difference>,
    /// Whether it is an error to access memory that another thread has made, without being ordered after that.
    pub checks_publication: bool,
    /// What is known of memory that threads make and let others know of.
    pub publication: Publication,
    /// Whether places in the code are compared when a graph is replayed.
    pub(crate) has_exact_sites: bool,
    /// How many runs there have been, but for those that were run again at once.
    pub(crate) runs: u64,
    /// The execution is being run once more, to see that the program does the same.
    pub(crate) repeating: Option<Repeating>,
    /// How the present execution was come to, if somebody wants to know.
    pub(crate) trail: Option<Box<Trail>>,
}

impl Explorer {
    /// An explorer at its beginning.
    pub fn new(settings: Settings) -> Self {
        Explorer {
            settings,
            graph: Graph::default(),
            levels: Vec::new(),
            frames: Vec::new(),
            alternatives: Vec::new(),
            spare: Vec::new(),
            scratch: Graph::default(),
            keep: Vec::new(),
            prefix: Vec::new(),
            candidates: Vec::new(),
            going: Going::default(),
            checker: Checker::default(),
            alarm: Alarm::default(),
            run: Run::default(),
            statistics: Statistics::default(),
            violation: None,
            has_classes: false,
            has_help: false,
            walk: None,
            following: None,
            keep_order: false,
            left_order: false,
            depth: 0,
            share: None,
            replay_only: false,
            difference: None,
            checks_publication: true,
            publication: Publication::default(),
            has_exact_sites: true,
            runs: 0,
            repeating: None,
            trail: None,
        }
    }

    /// What is explored.
    #[inline]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The current graph.
    #[inline]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether some execution so far has had two like threads.
    #[inline]
    pub fn has_classes(&self) -> bool {
        self.has_classes
    }

    /// What has been explored so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// What is wrong with the current execution.
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Forgets the violation, so that the search can go on.
    pub fn clear_violation(&mut self) -> Option<Violation> {
        self.violation.take()
    }

    /// Goes to the next graph to be extended; false when there is none, or no time is left to look for it.
    pub fn backtrack(&mut self) -> bool {
        'next: loop {
            if self.is_out_of_time() {
                return false;
            }
            let base = self.levels.last().map_or(0, |level| level.frames);
            while self.frames.len() > base {
                let frame = *self.frames.last().expect("a frame above the base");
                if self.alternatives.len() > frame.first as usize {
                    let own = self.is_own(frame.depth);
                    let alternative = self.alternatives.pop().expect("an alternative of the frame");
                    if self.alternatives.len() == frame.first as usize {
                        self.frames.pop();
                    }
                    if !own {
                        continue;
                    }
                    self.depth = frame.depth + 1;
                    self.note_taken(&frame, &alternative);
                    if self.take_alternative(frame, alternative, base) {
                        return true;
                    }
                    continue 'next;
                }
                self.frames.pop();
            }
            let Some(level) = self.levels.pop() else { return false };
            self.spare.push(std::mem::replace(&mut self.graph, level.graph));
        }
    }

    /// Makes the current graph what an alternative says; false if that is not consistent.
    fn take_alternative(&mut self, frame: Frame, alternative: Alternative, base: usize) -> bool {
        if alternative.revisit.is_real() {
            // When nothing else is to be tried in the present graph, it is not needed again.
            let write = self.perform_revisit(frame, alternative, self.frames.len() > base);
            let Some(write) = write else { return false };
            self.check_update(write);
        } else if let Some(Pending { id, operation, site }) = frame.pending {
            self.go_back(frame.length);
            self.realise(id.thread(), &operation, site, alternative);
            if alternative.unchecked && !self.is_consistent() {
                return false;
            }
            if alternative.lists {
                self.list_revisits();
            }
        }
        self.check_update(self.graph.newest());
        true
    }

    /// Whether the current graph, which is coherent and atomic, is consistent.
    pub(crate) fn is_consistent(&mut self) -> bool {
        let consistent = self.checker.consistent(&self.graph, self.settings.model);
        self.spend(self.graph.run_order().len());
        consistent
    }

    /// Whether an alternative that may be inconsistent is checked when its turn comes, not when it is listed. Of like
    /// threads a representative is looked for at once, and a random walk has to know how many ways there are.
    pub(crate) fn checks_later(&self) -> bool {
        !self.has_classes && self.walk.is_none()
    }

    /// How many nodes, edges and events have been looked at to check graphs and to list revisits.
    pub fn work(&self) -> u64 {
        self.checker.work() + self.going.work
    }

    /// Removes what was added since the graph had so many events.
    pub(crate) fn go_back(&mut self, length: u32) {
        while self.graph.run_order().len() > length as usize {
            self.graph.pop();
        }
    }

    /// Whether an update writes depends on what it reads, so a race of its write half is found only here.
    pub(crate) fn check_update(&mut self, write: EventId) {
        let event = self.graph.event(write);
        if event.is_write()
            && event.exclusive
            && let Some(other) = race(&self.graph, write)
        {
            self.report_race(write, other);
        }
    }
}
