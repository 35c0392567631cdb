//! Violations: noting what went wrong, with the run that leads to it.

use std::collections::HashSet;

use quotient_report::source::Span;
use quotient_step::{Choice, Fault, FaultKind};

use super::Engine;
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
    events: usize,
    /// The kinds and places of the runs kept.
    seen: HashSet<(&'static str, Option<Span>)>,
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
        let before =
            if self.options.order == Order::BreadthFirst { self.links.get(self.current as usize) } else { None };
        before.map_or(0, |link| link.depth as usize) + self.trail.len()
    }

    /// The run to the top frame's state and through a last step.
    fn path(&self, step: Option<(usize, u32)>) -> Path {
        let mut path = match self.options.order {
            Order::BreadthFirst if !self.links.is_empty() => self.path_to(self.current),
            _ => Path::new(),
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
        let mut entries = Vec::new();
        let mut at = number;
        while at != u32::MAX {
            entries.push(self.links[at as usize].entry);
            at = self.links[at as usize].parent;
        }
        entries.reverse();
        if self.reducer.is_some() {
            return self.recorded_path(number);
        }
        crate::path::connect(self.model, &self.machine, &self.visited, &entries)
    }
}

impl Engine<'_, '_, '_> {
    /// Breadth-first with symmetry reduction: the run to a stored state, step by step as it was found.
    fn recorded_path(&self, number: u32) -> Path {
        let mut numbers = Vec::new();
        let mut at = number;
        while at != u32::MAX {
            numbers.push(at as usize);
            at = self.links[at as usize].parent;
        }
        let mut path = Path::new();
        for number in numbers.into_iter().rev() {
            let (end, released) = self.recorded.ends[number];
            let start = number.checked_sub(1).map_or(0, |before| self.recorded.ends[before].0);
            self.recorded.parts[start..end].iter().for_each(|part| add_part(&mut path, *part));
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
