//! Runs through stored states: which events lead from one to the next. What a run is, and how it is repeated, is in
//! [`quotient_step::replay`].

use std::collections::HashSet;

use quotient_ir::Model;
use quotient_step::Control;
use quotient_step::machine::Machine;
use quotient_step::reference::{Interpreter, Moves};
pub(crate) use quotient_step::replay::{Event, Path};
use quotient_store::{Entry, Store};

/// The run through a sequence of stored states, each a successor of the one before.
pub(crate) fn connect(model: &Model, machine: &Machine, visited: &impl Store, entries: &[Entry]) -> Path {
    let interpreter = Interpreter { model, promises: false };
    let hidden = machine.program().schema.hidden as usize;
    let mut path = Path::new();
    let mut state = interpreter.initial().0;
    for &entry in entries.iter().skip(1) {
        let bytes = [&vec![0; hidden][..], &visited.copy(entry)].concat();
        let target = machine.decode_bytes(&bytes);
        // Each step inside atomic sequences with the one before it; the first is none. Sequences need not end, so that no state is
        // expanded twice.
        let mut steps: Vec<(usize, Event)> = vec![(0, Event::Release)];
        let mut work = vec![(state.clone(), Control::Free, 0)];
        let mut met = HashSet::new();
        let mut found = None;
        while let (None, Some((from, control, last))) = (&found, work.pop()) {
            match interpreter.executable(&from, control) {
                Moves::Release if interpreter.visible(&from) == target => {
                    found = Some((from, last, Event::Release));
                }
                Moves::Some(outcomes) => {
                    for outcome in outcomes.into_iter().rev() {
                        let Some((next, control)) = outcome.next else { continue };
                        let step = Event::Move(outcome.choice);
                        match control {
                            Control::Free if interpreter.visible(&next) == target => found = Some((next, last, step)),
                            Control::Free => {}
                            Control::Exclusive(_) => work.push((next, control, steps.len())),
                        }
                        steps.push((last, step));
                    }
                }
                _ => {}
            }
            while work.last().is_some_and(|(next, control, _)| !met.insert((next.clone(), *control))) {
                work.pop();
            }
        }
        let Some((next, mut last, step)) = found else { break };
        state = next;
        let start = path.len();
        path.push(step);
        while last > 0 {
            let (before, step) = steps[last];
            path.push(step);
            last = before;
        }
        path[start..].reverse();
    }
    path
}
