//! What a temporal property sees of a model. It follows the classical condition on visible steps (Peled, *All from one, one for
//! all*, 1993): a step that may change what the property says of a state is not chosen to move alone.

use std::collections::HashSet;

use quotient_ir::dead::written;
use quotient_ir::{Action, Expr, Model, Proctype, Scope, StateId, Transition};

use crate::Safety;

/// What a property sees.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Global variables.
    globals: HashSet<usize>,
    /// Local variables, by process type and slot.
    locals: HashSet<(usize, usize)>,
    /// Control states, by process type and number.
    controls: HashSet<(usize, StateId)>,
    /// How full channels are, or what is in them.
    channels: bool,
    /// Who lives.
    population: bool,
    /// Only fair runs count, so that it is seen, too, whether a process can move.
    pub fair: bool,
    /// A rule that is left out. That is wrong, and is there to see that it is noticed.
    #[doc(hidden)]
    pub left_out: Option<Rule>,
}

/// A rule that a test leaves out.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Steps that the property sees are not local.
    Visibility,
    /// Cycles of local steps are cut.
    Sticky,
    /// With fairness, steps that change whether another process can move are not local.
    Enabling,
}

impl View {
    /// A property that sees nothing so far. `fair` says whether only fair runs count.
    pub fn new(fair: bool) -> Self {
        View { fair, ..View::default() }
    }

    /// The property looks at an expression.
    ///
    /// # Errors
    /// The expression is one that every step may change.
    pub fn look_at(&mut self, expr: &Expr) -> Result<(), &'static str> {
        let mut obstacle = None;
        expr.walk(&mut |e| match e {
            Expr::Read(place) => self.globals.extend(place.all_slots()),
            Expr::Length(place) | Expr::Probe(_, place) => {
                self.globals.extend(place.all_slots());
                self.channels = true;
            }
            Expr::Poll { channel, pattern: _, random: _ } => {
                self.globals.extend(channel.all_slots());
                self.channels = true;
            }
            Expr::ProcessCount | Expr::Run { .. } => self.population = true,
            Expr::RemoteAt { proctype, pid: _, state } => {
                self.controls.insert((*proctype, *state));
                self.population = true;
            }
            Expr::RemoteRead { proctype, pid: _, place } => {
                self.locals.extend(place.all_slots().into_iter().map(|slot| (*proctype, slot)));
                self.population = true;
            }
            Expr::Last => obstacle = Some("the property looks at `_last`"),
            Expr::Timeout => obstacle = Some("the property looks at `timeout`"),
            Expr::NonProgress => obstacle = Some("the property looks at `np_`"),
            Expr::Enabled(_) => obstacle = Some("the property looks at `enabled`"),
            Expr::PcValue(_) => obstacle = Some("the property looks at `pc_value`"),
            Expr::Heap(_) => obstacle = Some("the property looks at the heap"),
            Expr::OwnPriority | Expr::PriorityOf(_) => obstacle = Some("the property looks at priorities"),
            Expr::Const(_)
            | Expr::Pid
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Cond(..) => {}
        });
        obstacle.map_or(Ok(()), Err)
    }

    /// The property looks at whether processes are at some control states.
    pub fn look_at_states(&mut self, model: &Model, seen: impl Fn(&quotient_ir::State) -> bool) {
        for (id, proctype) in model.process_types() {
            let states = proctype.states.iter().enumerate().filter(|(_, state)| seen(state));
            self.controls.extend(states.map(|(number, _)| (id, number)));
        }
        self.population = true;
    }

    /// Whether the property may see that a process does what it can at a control state.
    pub(crate) fn sees(&self, model: &Model, id: usize, state: StateId) -> bool {
        let proctype = &model.proctypes[id];
        let sees_control = |state: StateId| self.controls.contains(&(id, state));
        let mut passed = HashSet::new();
        let mut work: Vec<&Transition> = proctype.states[state].transitions.iter().collect();
        if self.left_out != Some(Rule::Visibility) && sees_control(state) {
            return true;
        }
        while let Some(transition) = work.pop() {
            let action = &proctype.statements[transition.statement].action;
            let seen = self.sees_action(id, action) || sees_control(transition.target);
            if self.left_out != Some(Rule::Visibility) && seen {
                return true;
            }
            if self.fair && self.left_out != Some(Rule::Enabling) && enables(model, proctype, transition, action) {
                return true;
            }
            if transition.atomic && passed.insert(transition.target) {
                work.extend(&proctype.states[transition.target].transitions);
            }
        }
        false
    }

    fn sees_action(&self, id: usize, action: &Action) -> bool {
        let writes = written(action).into_iter().any(|(scope, slot)| match scope {
            Scope::Global => self.globals.contains(&slot),
            Scope::Local => self.locals.contains(&(id, slot)),
        });
        writes || (self.channels && uses_channels(action)) || (self.population && changes_population(action))
    }
}

/// Whether an action may send or receive.
fn uses_channels(action: &Action) -> bool {
    match action {
        Action::Send { .. } | Action::Receive { .. } => true,
        Action::Heap(action) => action.uses_channel(),
        Action::Deterministic(body) => body.actions().any(uses_channels),
        _ => false,
    }
}

fn changes_population(action: &Action) -> bool {
    matches!(action, Action::End) || action.any(&|e| matches!(e, Expr::Run { .. }))
}

/// Whether a step that is local may change whether another process can move: it sends, receives, creates a process or ends
/// one, or it comes to where a partner in a rendezvous waits, or leaves such a place.
fn enables(model: &Model, proctype: &Proctype, transition: &Transition, action: &Action) -> bool {
    let waits = |state: StateId| {
        model.uses.rendezvous
            && proctype.states[state]
                .transitions
                .iter()
                .any(|t| uses_channels(&proctype.statements[t.statement].action))
    };
    uses_channels(action) || changes_population(action) || waits(transition.target)
}

/// The safety of a model's control states, without those at which the property may see something.
pub(crate) fn unseen(model: &Model, view: &View, safety: &mut [Vec<Safety>]) {
    for (id, _) in model.process_types() {
        for (state, safety) in safety[id].iter_mut().enumerate() {
            if *safety != Safety::Unsafe && view.sees(model, id, state) {
                *safety = Safety::Unsafe;
            }
        }
    }
}
