//! A never claim that runs beside a run: what it can do in a state, with the values of its variables. It works them out for the state at
//! hand, where the search knows all cases beforehand.

use std::collections::HashMap;

use quotient_ir::{Action, Deterministic, Expr, Proctype, Setup};
use quotient_step::Fault;
use quotient_step::reference::{Interpreter, State};

/// So many steps within a `d_step`, or an atomic sequence, are too many.
const MOST_STEPS: usize = 10_000;

/// Where a claim is: a control state, and the values of its variables.
pub(crate) type Place = (usize, Vec<i32>);

/// Places that were met.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) list: Vec<Place>,
    numbers: HashMap<Place, usize>,
    /// There is more to a place than a control state.
    pub(crate) has_variables: bool,
}

impl Places {
    /// Takes the places of a claim that are known beforehand; gives back where it begins.
    pub(crate) fn begin(&mut self, proctype: &Proctype) -> usize {
        let mut values = vec![0; proctype.slots.len()];
        for setup in &proctype.setup {
            if let Setup::Assign(slot, value) = setup
                && let Expr::Const(value) = value.given(&values)
            {
                values[*slot] = proctype.slots[*slot].scalar.truncate(value);
            }
        }
        self.has_variables = !values.is_empty();
        if !self.has_variables {
            (0..proctype.states.len()).for_each(|state| {
                self.number((state, Vec::new()));
            });
        }
        self.number((proctype.start, values))
    }

    /// The number of a place.
    pub(crate) fn number(&mut self, place: Place) -> usize {
        let next = self.list.len();
        let number = *self.numbers.entry(place.clone()).or_insert(next);
        if number == next {
            self.list.push(place);
        }
        number
    }
}

/// What a claim can do in a state.
#[derive(Default)]
pub(crate) struct Step {
    /// Where it can be then.
    pub(crate) targets: Vec<Place>,
    /// An assertion can fail on the way.
    pub(crate) failed: bool,
}

/// A claim that is asked what it does in a state.
struct Asked<'a> {
    interpreter: &'a Interpreter<'a>,
    proctype: &'a Proctype,
    state: &'a State,
    out: Step,
}

/// What a claim can do from a place, in a state.
pub(crate) fn step(
    interpreter: &Interpreter<'_>,
    proctype: &Proctype,
    state: &State,
    place: &Place,
) -> Result<Step, Fault> {
    let mut asked = Asked { interpreter, proctype, state, out: Step::default() };
    asked.follow(place, &mut Vec::new())?;
    Ok(asked.out)
}

impl Asked<'_> {
    /// Takes one step, which goes on through an atomic sequence.
    fn follow(&mut self, (control, values): &Place, passed: &mut Vec<Place>) -> Result<(), Fault> {
        let proctype = self.proctype;
        let transitions = &proctype.states[*control].transitions;
        let action = |number: usize| &proctype.statements[transitions[number].statement].action;
        let (others, elses): (Vec<usize>, Vec<usize>) =
            (0..transitions.len()).partition(|&number| !matches!(action(number), Action::Else));
        // The escape of an `unless` goes before all else.
        let mut taken: Option<u32> = None;
        for number in others.into_iter().chain(elses) {
            let transition = &transitions[number];
            let is_else = matches!(action(number), Action::Else);
            if taken.is_some_and(|escape| is_else || (escape != 0 && escape != transition.escape)) {
                continue;
            }
            let mut values = values.clone();
            if !is_else && !self.execute(action(number), &mut values)? {
                continue;
            }
            taken = taken.or(Some(transition.escape));
            let place = (transition.target, values);
            if transition.atomic && !passed.contains(&place) && passed.len() < MOST_STEPS {
                passed.push(place.clone());
                self.follow(&place, passed)?;
                passed.pop();
            } else if !matches!(action(number), Action::End) {
                self.out.targets.push(place);
            }
        }
        Ok(())
    }

    /// Executes a statement, if that is possible.
    fn execute(&mut self, action: &Action, values: &mut [i32]) -> Result<bool, Fault> {
        let value = |expr: &Expr, values: &[i32]| self.interpreter.value(self.state, &expr.given(values));
        Ok(match action {
            Action::Condition(condition) => value(condition, values)? != 0,
            Action::Assert(condition) => {
                self.out.failed |= value(condition, values)? == 0;
                true
            }
            Action::Assign(place, expr) => {
                let new = place.scalar.truncate(value(expr, values)?);
                let slot = place.given(values).offset().and_then(|slot| values.get_mut(slot));
                let Some(slot) = slot else { return Ok(false) };
                *slot = new;
                true
            }
            Action::End => self.state.processes.is_empty(),
            Action::Deterministic(body) => self.deterministic(body, values)?,
            _ => true,
        })
    }

    /// Executes a `d_step`.
    fn deterministic(&mut self, body: &Deterministic, values: &mut [i32]) -> Result<bool, Fault> {
        let mut node = 0;
        for _ in 0..MOST_STEPS {
            let mut next = None;
            for option in &body.nodes[node].options {
                if matches!(option.action, Action::Else) || self.execute(&option.action, values)? {
                    next = Some(option.next);
                    break;
                }
            }
            match next {
                None => return Ok(false),
                Some(None) => return Ok(true),
                Some(Some(next)) => node = next,
            }
        }
        Ok(false)
    }
}
