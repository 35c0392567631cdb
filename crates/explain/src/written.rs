//! From a run of a model in which statements are carried out together to the same run of the model as it is written, with
//! every statement. It follows both models step by step, so that what cannot happen as it is written is noticed.

use quotient_ir::{Action, Model};
use quotient_step::Choice;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::replay::{Error, Event, Replayer};

/// The run of the model `written` that a run of the model `counted` stands for. The statements of `written` are those of
/// `counted` that stand for themselves, with the same numbers. The run ends where `error` shows.
///
/// It is `None` if there is no such run, or it does not show the error: the statements that were carried out together, or what was reset between them, have
/// shown something that the model as it is written does not do.
pub fn as_written(
    written: Interpreter<'_>,
    counted: Interpreter<'_>,
    error: &Error,
    run: &[Event],
) -> Option<Vec<Event>> {
    let (written_model, counted_model) = (written.model, counted.model);
    let mut follower = Follower { model: written_model, replayer: Replayer::new(written), run: Vec::new() };
    let mut leader = Replayer::new(counted);
    for (number, &event) in run.iter().enumerate() {
        let until = (number + 1 == run.len()).then_some(error);
        match event {
            Event::Release => follower.release(),
            Event::Move(choice) => {
                let state = leader.state();
                let parts = |process, transition| parts(counted_model, state, process, transition);
                let own = parts(choice.process, choice.transition)?;
                let partner = match choice.partner {
                    Some((process, transition)) => Some((process, parts(process, transition)?)),
                    None => None,
                };
                follower.follow(choice.process, &own, partner.as_ref().map(|(id, parts)| (*id, &parts[..])), until)?;
            }
        }
        leader.event(event).ok()?;
    }
    follower.replayer.end().0.contains(error).then_some(follower.run)
}

/// The statements that a transition carries out.
fn parts(model: &Model, state: &State, process: usize, transition: usize) -> Option<Vec<usize>> {
    let process = state.processes.get(process)?;
    let proctype = &model.proctypes[process.proctype];
    let statement = proctype.states[process.control].transitions.get(transition)?.statement;
    let merged = &proctype.statements[statement].merged;
    Some(if merged.is_empty() { vec![statement] } else { merged.clone() })
}

/// The run of the model as it is written, as far as it is known.
struct Follower<'m> {
    model: &'m Model,
    replayer: Replayer<'m>,
    run: Vec<Event>,
}

impl Follower<'_> {
    fn release(&mut self) {
        if matches!(self.replayer.moves(), Moves::Release) {
            self.replayer.release();
            self.run.push(Event::Release);
        }
    }

    /// Carries out statements of one process, the first of them with a partner; then those of the partner. It stops where
    /// an error shows.
    fn follow(
        &mut self,
        process: usize,
        parts: &[usize],
        partner: Option<(usize, &[usize])>,
        until: Option<&Error>,
    ) -> Option<()> {
        let first = partner.and_then(|(id, parts)| Some((id, *parts.first()?)));
        let own = parts.iter().enumerate().map(|(n, &part)| (process, part, first.filter(|_| n == 0)));
        let others =
            partner.into_iter().flat_map(|(id, parts)| parts.iter().skip(1).map(move |&part| (id, part, None)));
        let steps: Vec<_> = own.chain(others).collect();
        for (process, part, partner) in steps {
            self.step(process, part, partner)?;
            let shows = |fault| until == Some(&Error::Fault(fault));
            if self.replayer.is_over() || self.replayer.faults().iter().copied().any(shows) {
                break;
            }
        }
        Some(())
    }

    /// Carries out one statement. A jump that takes no step as it is written is passed over.
    fn step(&mut self, process: usize, part: usize, partner: Option<(usize, usize)>) -> Option<()> {
        let own = self.transitions(process, part)?;
        if own.is_empty() {
            let proctype = &self.model.proctypes[self.replayer.state().processes[process].proctype];
            let statement = proctype.statements.get(part)?;
            return matches!(statement.action, Action::Skip).then_some(());
        }
        let partners = match partner {
            None => vec![None],
            Some((id, part)) => {
                self.transitions(id, part)?.into_iter().map(|transition| Some((id, transition))).collect()
            }
        };
        for &transition in &own {
            for &partner in &partners {
                let event = Event::Move(Choice { process, transition, partner });
                if self.replayer.event(event).is_ok() {
                    self.run.push(event);
                    return Some(());
                }
            }
        }
        None
    }

    /// The transitions of a process where it is that carry out a statement.
    fn transitions(&self, process: usize, statement: usize) -> Option<Vec<usize>> {
        let process = self.replayer.state().processes.get(process)?;
        let transitions = &self.model.proctypes[process.proctype].states[process.control].transitions;
        Some((0..transitions.len()).filter(|&number| transitions[number].statement == statement).collect())
    }
}
