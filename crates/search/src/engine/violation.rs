//! Violations: noting what went wrong, with the run that leads to it.

use std::collections::HashSet;

use quotient_report::source::Span;
use quotient_step::{Choice, Fault, FaultKind};
use quotient_store::{Entry, Exact};

use super::{Engine, Link};
use crate::frame::{Frame, Part, Role};
use crate::path::{Event, Path};
use crate::{Error, MOST_VIOLATIONS, Order, Stop, Violation};

/// How many events of runs are kept in all: a deep search could otherwise fill the memory with runs.
const MOST_EVENTS: usize = 1 << 21;

/// How many events there may be with those of the first run to each kind of error at each place.
const MOST_EVENTS_OF_FIRSTS: usize = 4 * MOST_EVENTS;

/// What is kept of violations.
#[derive(Default)]
pub(super) struct Kept {
    /// Events of all runs kept.
    pub(super) events: usize,
    /// The kinds and places of the runs kept.
    pub(super) seen: HashSet<(&'static str, Option<Span>)>,
}

impl Kept {
    pub(super) fn bytes(&self) -> usize {
        self.events * std::mem::size_of::<Event>()
    }
}

impl Engine<'_, '_, '_> {
    /// Reports what the machine found wrong; `step` is the move it happened in.
    #[cold]
    pub(super) fn report_faults(&mut self, step: Option<(usize, u32)>) {
        let mut faults: Vec<Fault> = self.machine.take_faults();
        if self.frames.last().is_some_and(|frame| frame.offer != 0) {
            faults.splice(0..0, self.pending.iter().copied());
        }
        for fault in faults {
            if self.found.stop == Some(Stop::Violation) {
                break;
            }
            self.violation(Error::Fault(fault), step);
        }
    }

    /// Counts a violation, and keeps its run: that to the top frame's state and through a last step. When many are kept
    /// already, it is kept only if it is the first of its kind at its place. The first of all is always kept.
    #[cold]
    pub(super) fn violation(&mut self, error: Error, step: Option<(usize, u32)>) {
        self.found.errors += 1;
        self.broken |= matches!(error, Error::Fault(Fault { kind: FaultKind::Exclusive { .. }, .. }));
        self.found.kinds.insert(error.kind());
        let place = self.place(&error);
        let first = !self.kept.seen.contains(&place);
        let events = self.kept.events + self.length();
        let keep = match (self.found.violations.len(), first) {
            (0, _) => true,
            (_, true) => events <= MOST_EVENTS_OF_FIRSTS,
            (number, false) => number < MOST_VIOLATIONS && events <= MOST_EVENTS,
        };
        if keep {
            if self.ends_with_stack() {
                // The run takes its place.
                self.gone = Some(self.sizes());
                self.visited = Exact::new();
            }
            let path = self.path(step);
            self.kept.events += path.len();
            self.kept.seen.insert(place);
            self.found.violations.push(Violation { error, path, first });
        }
        if !self.options.all_errors {
            self.found.stop = Some(Stop::Violation);
        }
    }

    /// The kind of an error, and where it is told to be: a deadlock at the first process that may not rest.
    fn place(&self, error: &Error) -> (&'static str, Option<Span>) {
        match error {
            Error::Fault(fault) => (fault.kind.name(), Some(fault.span)),
            Error::Deadlock => {
                let stuck = (0..self.machine.processes()).find_map(|process| {
                    let (ty, control) = self.machine.control(process);
                    let (proctype, state) = (&self.model.proctypes[ty], &self.model.proctypes[ty].states[control]);
                    let first = state.transitions.first().map(|next| proctype.statements[next.statement].span);
                    (!state.end).then(|| first.unwrap_or(proctype.span))
                });
                ("", stuck)
            }
        }
    }

    /// About how many events there are in the run to the top frame's state.
    fn length(&self) -> usize {
        self.depth() as usize
    }

    /// The run to the top frame's state and through a last step.
    fn path(&self, step: Option<(usize, u32)>) -> Path {
        let mut path = match self.options.order {
            Order::BreadthFirst if !self.links.is_empty() => self.path_to(self.current),
            _ => Path::with_capacity(self.trail.len() + 1),
        };
        for (number, frame) in self.frames.iter().enumerate() {
            let end = self.frames.get(number + 1).map_or(self.trail.len(), |above| above.trail);
            for part in &self.trail[frame.trail..end] {
                add_part(&mut path, *part);
            }
            if frame.is(Frame::RELEASED) {
                path.push(Event::Release);
            }
        }
        if let (Some((process, transition)), Some(top)) = (step, self.frames.last()) {
            let role = if top.offer == 0 { Role::Alone } else { Role::Receives };
            add_part(&mut path, Part { transition, process: process as u16, role });
        }
        path
    }

    /// Breadth-first: the run to a stored state. Only its stored states are known; what happened between two of them
    /// is found again by expanding the first.
    fn path_to(&self, number: u32) -> Path {
        if self.links.is_empty() {
            // The initial state itself is wrong.
            return Path::new();
        }
        if self.reducer.is_some() {
            return self.recorded_path(number);
        }
        let mut entries: Vec<Entry> = self.ancestors(number).map(|(_, link)| link.entry).collect();
        entries.reverse();
        crate::path::connect(self.model, &self.machine, &self.visited, &entries)
    }
}

impl Engine<'_, '_, '_> {
    /// Breadth-first: a stored state and those it was reached from, back to the initial one.
    fn ancestors(&self, number: u32) -> impl Iterator<Item = (u32, Link)> {
        let link = |number: u32| self.links.get(number as usize).map(|link| (number, link));
        std::iter::successors(link(number), move |(_, before)| link(before.parent))
    }

    /// Breadth-first with symmetry reduction: the run to a stored state, step by step as it was found.
    fn recorded_path(&self, number: u32) -> Path {
        let numbers: Vec<usize> = self.ancestors(number).map(|(number, _)| number as usize).collect();
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

/// Adds a process's part in a step to a run; the two parts of a rendezvous become one event.
fn add_part(path: &mut Path, part: Part) {
    let (process, transition) = (usize::from(part.process), part.transition as usize);
    match (part.role, path.last_mut()) {
        (Role::Receives, Some(Event::Move(choice))) => choice.partner = Some((process, transition)),
        _ => path.push(Event::Move(Choice { process, transition, partner: None })),
    }
}
