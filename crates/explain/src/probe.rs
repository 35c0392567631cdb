//! Asks the reference interpreter what an expression is worth, and what happens inside a `d_step`. Nothing is evaluated
//! here: the question is put into a copy of the model as a statement, so that only one meaning of expressions exists.

use quotient_ir::{Action, Deterministic, Expr, Model, Place, Scalar, Scope, Slot, Statement, Transition, Width};
use quotient_report::source::Span;
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, Process, State};

/// More statements than this inside one `d_step` are not told one by one.
const MOST_INNER: usize = 1000;

/// A copy of a model with a variable to put answers in.
pub(crate) struct Probe {
    model: Model,
    answer: Place,
}

/// A statement executed inside a `d_step`.
pub(crate) struct Inner<'m> {
    /// What it did.
    pub action: &'m Action,
    /// Where it is written.
    pub span: Span,
    /// The state before it.
    pub before: State,
    /// The state after it; `None` if it could not be completed.
    pub after: Option<State>,
}

impl Probe {
    /// Prepares to ask about a model.
    pub(crate) fn new(model: &Model) -> Self {
        let mut model = model.clone();
        let scalar = Scalar::plain(Width::Int);
        let answer = Place::scalar(Scope::Global, model.globals.len(), scalar);
        model.globals.push(Slot {
            name: String::new(),
            scalar,
            mtype: None,
            hidden: true,
            private: false,
            boxed: false,
        });
        // Whoever is asked may answer.
        model.uses.priority = false;
        for proctype in &mut model.proctypes {
            proctype.provided = None;
            proctype.deterministic = false;
        }
        Probe { model, answer }
    }

    /// The value of an expression for a process; `None` if it cannot be evaluated.
    pub(crate) fn value(&mut self, state: &State, process: usize, expr: &Expr) -> Option<i32> {
        let ask = Action::Assign(self.answer.clone(), expr.clone());
        let (_, after) = self.execute(state, process, &[&ask])?;
        after?.globals.last().copied()
    }

    /// Follows a `d_step` through its statements. The last of them may have failed; an empty list means that there is
    /// nothing to tell (a `d_step` that starts with the receive of a rendezvous, or one that is very long).
    pub(crate) fn inside<'m>(&mut self, state: &State, process: usize, body: &'m Deterministic) -> Vec<Inner<'m>> {
        let mut told = Vec::new();
        let mut at = Some(0);
        let mut before = state.clone();
        while let Some(node) = at.and_then(|at| body.nodes.get(at)) {
            let actions: Vec<&Action> = node.options.iter().map(|option| &option.action).collect();
            if told.len() >= MOST_INNER {
                return Vec::new();
            }
            let Some((index, after)) = self.execute(&before, process, &actions) else { break };
            let option = &node.options[index];
            let next = after.as_ref().map(|after| State { globals: strip(&after.globals), ..after.clone() });
            let done = Inner { action: &option.action, span: option.span, before, after: next.clone() };
            told.push(done);
            let Some(next) = next else { break };
            before = next;
            at = option.next;
        }
        told
    }

    /// Executes the first of some actions that can be, as if they stood where the process is. It returns its index and the
    /// state it leads to, with the answer as the last global.
    fn execute(&mut self, state: &State, process: usize, actions: &[&Action]) -> Option<(usize, Option<State>)> {
        let Process { proctype, control, .. } = *state.processes.get(process)?;
        let proctype = &mut self.model.proctypes[proctype];
        let first = proctype.statements.len();
        let mut transitions = Vec::new();
        for action in actions {
            transitions.push(Transition {
                statement: proctype.statements.len(),
                target: control,
                atomic: false,
                escape: 0,
            });
            proctype.statements.push(Statement {
                action: (*action).clone(),
                span: Span::default(),
                text: String::new(),
                block: None,
                direct: false,
                merged: Vec::new(),
                alone: 1,
            });
        }
        let own = std::mem::replace(&mut proctype.states[control].transitions, transitions);
        let mut asked = state.clone();
        asked.globals.push(0);
        let interpreter = Interpreter { model: &self.model, promises: false };
        let moves = interpreter.moves(&asked, Control::Exclusive(process));
        let proctype = &mut self.model.proctypes[state.processes[process].proctype];
        proctype.states[control].transitions = own;
        proctype.statements.truncate(first);
        let Moves::Some(outcomes) = moves else { return None };
        let outcome = outcomes.into_iter().next()?;
        Some((outcome.choice.transition, outcome.next.map(|(state, _)| state)))
    }
}

/// The globals without the answer.
fn strip(globals: &[i32]) -> Vec<i32> {
    globals[..globals.len() - 1].to_vec()
}
