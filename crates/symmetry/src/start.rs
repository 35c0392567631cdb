//! The state in which all processes exist: what `init` does first is carried out rather than analysed, because it
//! treats every process by name. States before that one are never reduced.

use quotient_ir::{Action, Expr, Model, ProctypeKind, Scope, StateId};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};

use crate::ranges::Ranges;

/// More steps than this before all processes exist are not attempted.
const LONGEST: usize = 100_000;

/// The state in which all processes exist.
#[derive(Clone, Debug)]
pub struct Start {
    /// The state.
    pub state: State,
    /// The statements of `init` that lead there.
    pub executed: Vec<(Action, Span)>,
    /// For every process type, the control states that matter from then on.
    pub reachable: Vec<Vec<bool>>,
    /// The process that creates the others, where it does so while others can already be seen: until it has, no state is
    /// renamed.
    pub creator: Option<usize>,
    /// The values that were met on the way there.
    pub met: Ranges,
}

/// Carries out what `init` does until all processes exist; or says why that cannot be done once and for all.
pub fn start(model: &Model) -> Result<Start, Diagnostic> {
    let interpreter = Interpreter { model, promises: false };
    let (mut state, faults) = interpreter.initial();
    if let Some(fault) = faults.first() {
        return Err(Diagnostic::warning(fault.span, "the initial state is in error"));
    }
    let mut reachable: Vec<Vec<bool>> = model.proctypes.iter().map(|p| reach(p, p.start)).collect();
    for (id, proctype) in model.proctypes.iter().enumerate() {
        let alive = proctype.kind == ProctypeKind::Process;
        let creates = alive.then(|| first_run(model, id, &reachable[id])).flatten();
        if let Some(span) = creates {
            let message = format!("`{}` creates processes while the system is running", proctype.name);
            return Err(Diagnostic::warning(span, message).help("create all processes in `init`, or with `active`"));
        }
    }
    let is_init = |p: &quotient_step::reference::Process| model.proctypes[p.proctype].kind == ProctypeKind::Init;
    let Some(init) = state.processes.iter().position(is_init) else {
        let mut met = Ranges::new(model);
        met.absorb(&state);
        return Ok(Start { state, executed: Vec::new(), reachable, creator: None, met });
    };
    let mut met = Ranges::new(model);
    let proctype = state.processes[init].proctype;
    let alone = state.processes.len() == 1;
    let mut control = Control::Free;
    let mut executed = Vec::new();
    let mut interrupted = false;
    // What `init` chose from, where there was a choice.
    let mut options: Vec<(Action, Span)> = Vec::new();
    // Types of processes that may have moved, and ended, before the last one was created; and those that may have if a
    // channel was full.
    let (mut early, mut early_if_full): (Vec<usize>, Vec<usize>) = Default::default();
    loop {
        met.absorb(&state);
        let at = state.processes[init].control;
        let ahead = reach(&model.proctypes[proctype], at);
        if control == Control::Free && first_run(model, proctype, &ahead).is_none() {
            reachable[proctype] = ahead;
            break;
        }
        interrupted |= control == Control::Free && !executed.is_empty();
        if control == Control::Free {
            // Those older than `init` cannot die before it.
            early.extend(state.processes.iter().skip(init + 1).map(|p| p.proctype));
        }
        let span = model.proctypes[proctype].states[at]
            .transitions
            .first()
            .map_or(model.proctypes[proctype].span, |t| model.proctypes[proctype].statements[t.statement].span);
        let outcomes = match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => outcomes.into_iter().filter(|o| o.choice.process == init).collect(),
            _ => Vec::new(),
        };
        let unsettled = |message: &str| {
            Diagnostic::warning(span, message).help("create all processes in one `atomic` at the start of `init`")
        };
        let [outcome] = &outcomes[..] else {
            let message = if outcomes.is_empty() {
                "`init` waits here before it has created all processes"
            } else {
                "`init` has a choice here before it has created all processes"
            };
            return Err(unsettled(message));
        };
        let (Some((next, who)), None, true) = (&outcome.next, outcome.choice.partner, outcome.faults.is_empty()) else {
            return Err(unsettled("`init` is in error or talks to others before it has created all processes"));
        };
        let transitions = &model.proctypes[proctype].states[at].transitions;
        let step = |transition: &quotient_ir::Transition| {
            let statement = &model.proctypes[proctype].statements[transition.statement];
            (statement.action.clone(), statement.span)
        };
        executed.push(step(&transitions[outcome.choice.transition]));
        if transitions.len() > 1 {
            options.extend(transitions.iter().map(step));
        }
        if executed.last().is_some_and(|(action, _)| sends(action)) {
            early_if_full.extend(state.processes.iter().skip(init + 1).map(|p| p.proctype));
        }
        (state, control) = (next.clone(), *who);
        if executed.len() > LONGEST {
            return Err(unsettled("`init` takes too many steps before it has created all processes"));
        }
    }
    if interrupted || !alone {
        independent(model, &executed, &options, proctype, &reachable)?;
        early.extend(early_if_full);
    }
    if early.iter().any(|&ty| model.proctypes[ty].end.is_some_and(|end| reachable[ty][end])) {
        let message = "processes can end before `init` has created all of them";
        let span = executed.first().map_or(model.proctypes[proctype].span, |(_, span)| *span);
        return Err(Diagnostic::warning(span, message).help("create all processes in one `atomic`"));
    }
    let creator = (interrupted || !alone).then_some(init);
    Ok(Start { state, executed, reachable, creator, met })
}

/// Control states that can be reached from one.
fn reach(proctype: &quotient_ir::Proctype, from: StateId) -> Vec<bool> {
    let mut seen = vec![false; proctype.states.len()];
    let mut work = vec![from];
    while let Some(state) = work.pop() {
        if state < seen.len() && !std::mem::replace(&mut seen[state], true) {
            let never = |t: &&quotient_ir::Transition| {
                matches!(proctype.statements[t.statement].action, Action::Condition(Expr::Const(0)))
            };
            work.extend(proctype.states[state].transitions.iter().filter(|t| !never(t)).map(|t| t.target));
        }
    }
    seen
}

fn first_run(model: &Model, proctype: usize, states: &[bool]) -> Option<Span> {
    statements(model, proctype, states).find(|s| s.action.any(&|e| matches!(e, Expr::Run { .. }))).map(|s| s.span)
}

/// The statements that can be executed in some control states.
pub fn statements<'m>(
    model: &'m Model,
    proctype: usize,
    states: &'m [bool],
) -> impl Iterator<Item = &'m quotient_ir::Statement> {
    let proctype = &model.proctypes[proctype];
    let used = states.iter().zip(&proctype.states).filter(|(reached, _)| **reached);
    used.flat_map(|(_, state)| &state.transitions).map(|transition| &proctype.statements[transition.statement])
}

/// Checks that what `init` does first does not depend on what others may have done by then: neither what it did, nor that
/// it did nothing else.
fn independent(
    model: &Model,
    executed: &[(Action, Span)],
    options: &[(Action, Span)],
    init: usize,
    reachable: &[Vec<bool>],
) -> Result<(), Diagnostic> {
    let mut written = vec![false; model.globals.len()];
    for (id, states) in reachable.iter().enumerate().filter(|(id, _)| *id != init) {
        for statement in statements(model, id, states) {
            writes(&statement.action, &mut |place| {
                if place.scope == Scope::Global {
                    place.all_slots().into_iter().for_each(|slot| written[slot] = true);
                }
            });
        }
    }
    let changed = |place: &quotient_ir::Place| {
        let changed = place.all_slots().into_iter().find(|&slot| written[slot])?;
        Some(format!("`{}`", model.globals[changed].name))
    };
    // What `init` may look at: what nobody else writes. Everything else is foreign.
    let looks = |e: &Expr| match e {
        Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Cond(..)
        | Expr::Run { .. }
        | Expr::Pid
        | Expr::OwnPriority => None,
        Expr::Read(place) if place.scope == Scope::Local => None,
        Expr::Read(place) => changed(place),
        Expr::Length(_) | Expr::Probe(..) | Expr::Poll { .. } => Some("the messages in a channel".to_string()),
        Expr::ProcessCount
        | Expr::Last
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::PriorityOf(_)
        | Expr::RemoteAt { .. }
        | Expr::RemoteRead { .. } => Some("the state of other processes".to_string()),
        Expr::Heap(_) => Some("the heap".to_string()),
    };
    // That a message fits into a channel decides nothing only where there is nothing else to do.
    let messages = |action: &Action, alone: bool| match action {
        Action::Receive { .. } => Some("the messages in a channel".to_string()),
        Action::Send { .. } if !alone => Some("the messages in a channel".to_string()),
        Action::Send { channel, .. } if channel.scope == Scope::Global => changed(channel),
        Action::Deterministic(body) if body.actions().any(|a| sends(a) || matches!(a, Action::Receive { .. })) => {
            Some("the messages in a channel".to_string())
        }
        _ => None,
    };
    let all = executed.iter().map(|step| (step, true)).chain(options.iter().map(|step| (step, false)));
    for ((action, span), alone) in all {
        let mut foreign = messages(action, alone);
        let mut created: Vec<usize> = Vec::new();
        action.walk(&mut |e| {
            foreign = foreign.take().or_else(|| looks(e));
            if let Expr::Run { proctype, .. } = e {
                created.push(*proctype);
            }
        });
        let setups = created.iter().flat_map(|&ty| &model.proctypes[ty].setup);
        for setup in setups {
            if let quotient_ir::Setup::Assign(_, value) = setup {
                value.walk(&mut |e| foreign = foreign.take().or_else(|| looks(e)));
            }
        }
        if let Some(what) = foreign {
            let message = format!("how `init` starts depends on {what}, which others may have changed by then");
            return Err(Diagnostic::warning(*span, message));
        }
    }
    Ok(())
}

fn sends(action: &Action) -> bool {
    match action {
        Action::Send { .. } => true,
        Action::Deterministic(body) => body.actions().any(sends),
        _ => false,
    }
}

/// Calls `visit` on every variable that an action stores into.
pub fn writes<'a>(action: &'a Action, visit: &mut dyn FnMut(&'a quotient_ir::Place)) {
    match action {
        Action::Assign(place, _) => visit(place),
        Action::Receive { pattern, .. } => {
            for part in pattern {
                if let quotient_ir::Pattern::Bind(place) = part {
                    visit(place);
                }
            }
        }
        Action::Deterministic(body) => body.actions().for_each(|a| writes(a, visit)),
        _ => {}
    }
}
