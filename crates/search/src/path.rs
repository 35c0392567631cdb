//! Runs through stored states: which events lead from one to the next. What a run is, and how it is repeated, is in
//! [`quotient_step::replay`].

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
        let mut work = vec![(state.clone(), Control::Free, Path::new())];
        let mut found = None;
        while let (None, Some((from, control, steps))) = (&found, work.pop()) {
            match interpreter.executable(&from, control) {
                Moves::Release if interpreter.visible(&from) == target => {
                    found = Some((from, [&steps[..], &[Event::Release]].concat()));
                }
                Moves::Some(outcomes) => {
                    for outcome in outcomes.into_iter().rev() {
                        let Some((next, control)) = outcome.next else { continue };
                        let steps = [&steps[..], &[Event::Move(outcome.choice)]].concat();
                        match control {
                            Control::Free if interpreter.visible(&next) == target => found = Some((next, steps)),
                            Control::Free => {}
                            Control::Exclusive(_) => work.push((next, control, steps)),
                        }
                    }
                }
                _ => {}
            }
        }
        let Some((next, steps)) = found else { break };
        state = next;
        path.extend(steps);
    }
    path
}
