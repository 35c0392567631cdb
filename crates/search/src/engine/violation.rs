//! Violations: noting what went wrong, with the run that leads to it.

use quotient_step::{Choice, Fault, FaultKind};

use super::Engine;
use crate::frame::{Frame, Part, Role};
use crate::path::{Event, Path};
use crate::{Error, MOST_VIOLATIONS, Order, Stop, Violation};

/// How many events of runs are kept in all: a deep search could otherwise fill the memory with runs.
const MOST_EVENTS: usize = 1 << 21;

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
            let path = self.path(step);
            self.violation(Error::Fault(fault), path);
        }
    }

    pub(super) fn violation(&mut self, error: Error, path: Option<Path>) {
        self.found.errors += 1;
        self.broken |= matches!(error, Error::Fault(Fault { kind: FaultKind::Exclusive { .. }, .. }));
        if let Some(path) = path {
            self.found.violations.push(Violation { error, path });
        }
        if !self.options.all_errors {
            self.found.stop = Some(Stop::Violation);
        }
    }

    /// The run to the top frame's state and through a last step; `None` when enough runs are kept already. The first
    /// is always kept.
    pub(super) fn path(&self, step: Option<(usize, u32)>) -> Option<Path> {
        let kept: usize = self.found.violations.iter().map(|violation| violation.path.len()).sum();
        let enough = kept + self.trail.len() > MOST_EVENTS || self.found.violations.len() >= MOST_VIOLATIONS;
        if enough && !self.found.violations.is_empty() {
            return None;
        }
        let mut path = match self.options.order {
            Order::DepthFirst => Path::new(),
            Order::BreadthFirst => self.path_to(self.current),
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
