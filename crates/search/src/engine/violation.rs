//! Violations: noting what went wrong, with the run that leads to it.

use std::collections::HashSet;

use quotient_report::source::Span;
use quotient_step::{Fault, FaultKind};

use super::stack::add_part;
use super::{Engine, Frontier, Visitor};
use crate::frame::{Part, Role};
use crate::path::{Event, Path};
use crate::{Error, MOST_VIOLATIONS, Stop, Violation};

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

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Reports what the machine found wrong; `step` is the move it happened in.
    #[cold]
    pub(super) fn report_faults(&mut self, step: Option<(usize, u32)>) {
        let mut faults: Vec<Fault> = self.expander.machine.take_faults();
        if self.stack.frames.last().is_some_and(|frame| frame.offer != 0) {
            faults.splice(0..0, self.expander.pending.iter().copied());
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
                self.visited.let_go();
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
                let stuck = (0..self.expander.machine.processes()).find_map(|process| {
                    let (ty, control) = self.expander.machine.control(process);
                    let proctype = &self.expander.program.model.proctypes[ty];
                    let state = &proctype.states[control];
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
        let mut path = self.frontier.path(&self.expander.machine, &self.visited);
        path.reserve_exact(self.stack.trail.len() + 1);
        self.stack.add_run(&mut path);
        if let (Some((process, transition)), Some(top)) = (step, self.stack.frames.last()) {
            let role = if top.offer == 0 { Role::Alone } else { Role::Receives };
            add_part(&mut path, Part { transition, process: process as u16, role });
        }
        path
    }
}
