//! A search whose parts can be exchanged, as those of Bogor can: in which order states are looked at ([`Frontier`]), and
//! which states are taken for one ([`Representative`]). It is for trying things out. It steps with the reference interpreter,
//! so that there is nothing in it but these parts, and is much slower than [`crate::explore()`].

use std::collections::{HashSet, VecDeque};

use quotient_canon::{HeapReducer, HeapStrategy, Representative};
use quotient_ir::Model;
use quotient_step::Control;
use quotient_step::machine::{Machine, Program};
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_step::replay::{Error, Event, Path};

/// A state that is to be looked at.
#[derive(Clone, Debug)]
pub struct Pending {
    /// The state. Its records have names that are never used twice.
    pub state: State,
    /// Who may move there.
    pub control: Control,
    /// How it was come to.
    pub path: Path,
}

/// In which order states are looked at. It must give back everything that it was given, once; if it does not, the search says
/// that it is not complete.
pub trait Frontier {
    /// Takes a state in.
    fn push(&mut self, pending: Pending);

    /// The next state, as long as there is one.
    fn pop(&mut self) -> Option<Pending>;
}

/// The state that was met last comes first.
#[derive(Clone, Debug, Default)]
pub struct LastFirst(Vec<Pending>);

/// The state that was met first comes first: violations have shortest runs.
#[derive(Clone, Debug, Default)]
pub struct FirstFirst(VecDeque<Pending>);

impl Frontier for LastFirst {
    fn push(&mut self, pending: Pending) {
        self.0.push(pending);
    }

    fn pop(&mut self) -> Option<Pending> {
        self.0.pop()
    }
}

impl Frontier for FirstFirst {
    fn push(&mut self, pending: Pending) {
        self.0.push_back(pending);
    }

    fn pop(&mut self) -> Option<Pending> {
        self.0.pop_front()
    }
}

/// What such a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// States that were not taken for one that was met before.
    pub states: u64,
    /// States that were.
    pub matched: u64,
    /// What is wrong, with a run that shows it.
    pub errors: Vec<(Error, Path)>,
    /// Whether everything was looked at. If not, nothing follows from finding no errors.
    pub complete: bool,
}

/// A representative that is no renaming of its state: the search would be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct NoRenaming {
    /// How the state is come to.
    pub path: Path,
}

/// Explores a model, up to so many states. Where the model has a canonical representative, those that are given are compared
/// with it.
///
/// # Errors
/// A representative is no renaming of its state.
pub fn explore(
    model: &Model,
    frontier: &mut dyn Frontier,
    representative: &mut dyn Representative,
    limit: u64,
) -> Result<Found, NoRenaming> {
    let program = Program::new(model);
    let mut machine = Machine::new(&program, false);
    let mut canonical = HeapReducer::new(model, &program.schema, HeapStrategy::Canonical);
    let interpreter = Interpreter { model, promises: false };
    let (initial, faults) = interpreter.initial();
    let mut found = Found::default();
    found.errors.extend(faults.into_iter().map(|fault| (Error::Fault(fault), Path::new())));
    let mut visited: HashSet<Vec<u8>> = HashSet::new();
    let mut open = 1u64;
    frontier.push(Pending { state: initial, control: Control::Free, path: Path::new() });
    while let Some(Pending { state, control, path }) = frontier.pop() {
        open = open.wrapping_sub(1);
        if control == Control::Free {
            let bytes = machine.encode(&interpreter.visible(&state));
            let chosen = representative.representative(&bytes);
            if let Some(canonical) = &mut canonical
                && (!machine.knows(&chosen)
                    || canonical.representative(&chosen).to_vec() != canonical.representative(&bytes))
            {
                return Err(NoRenaming { path });
            }
            if !visited.insert(chosen) {
                found.matched += 1;
                continue;
            }
            found.states += 1;
            if found.states > limit {
                return Ok(found);
            }
        }
        open = open.wrapping_add(expand(&interpreter, frontier, &mut found, (state, control, path)));
    }
    found.complete = open == 0;
    Ok(found)
}

/// Puts what follows a state into the frontier; gives back how many that are.
fn expand(
    interpreter: &Interpreter<'_>,
    frontier: &mut dyn Frontier,
    found: &mut Found,
    (state, control, path): (State, Control, Path),
) -> u64 {
    let then = |event| [&path[..], &[event]].concat();
    if let Moves::Some(outcomes) = interpreter.moves(&state, control) {
        for outcome in &outcomes {
            let faults = outcome.faults.iter().map(|&fault| (Error::Fault(fault), then(Event::Move(outcome.choice))));
            found.errors.extend(faults);
        }
    }
    let mut pushed = 0;
    let mut push = |pending| {
        frontier.push(pending);
        pushed += 1;
    };
    match interpreter.executable(&state, control) {
        Moves::Some(outcomes) => {
            for outcome in outcomes {
                if let Some((state, control)) = outcome.next {
                    push(Pending { state, control, path: then(Event::Move(outcome.choice)) });
                }
            }
        }
        Moves::Release => push(Pending { state, control: Control::Free, path: then(Event::Release) }),
        Moves::End => {}
        Moves::Deadlock => found.errors.push((Error::Deadlock, path)),
    }
    pushed
}
