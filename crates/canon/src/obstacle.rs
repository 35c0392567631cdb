//! Why a model's symmetry cannot be used.

use quotient_ir::schema::Schema;
use quotient_ir::{Action, Expr, Model, Position, ProctypeId, ProctypeKind, Setup, Symmetry, Termination, population};

use crate::{Arrangement, Obstacle, Plan, Strategy};

/// Why a model cannot be reduced by a strategy, if it cannot.
///
/// A member's process must never end unless its [`Termination`] is symmetric: where the youngest goes first, which of two
/// like processes may go depends on their ids. [`keep_ended`] takes that dependence away.
pub fn obstacle(model: &Model, strategy: Strategy) -> Option<Obstacle> {
    check(model, strategy).err()
}

fn check(model: &Model, strategy: Strategy) -> Result<(), Obstacle> {
    let symmetry = model.symmetry.as_ref().ok_or(Obstacle::NoSymmetry)?;
    let schema = Schema::new(model);
    let arrangement = Arrangement::of_founders(model, &schema, &population(model));
    let needed = symmetry.processes.iter().rposition(|position| !stays(position)).map_or(0, |last| last + 1);
    if arrangement.processes.len() < needed {
        return Err(Obstacle::CreatedLater);
    }
    let plan = Plan::new(model, &schema, symmetry, &arrangement)?;
    if symmetry.sets.iter().all(|set| set.size < 2) || plan.blocks.iter().all(|block| block.axes.is_empty()) {
        return Err(Obstacle::NothingMoves);
    }
    if let Some(ty) = ending_family(model) {
        return Err(Obstacle::CanEnd(model.proctypes[ty].name.clone()));
    }
    for (set, keys) in symmetry.sets.iter().zip(&plan.keys) {
        if strategy.by_control() && keys.controls.is_empty() {
            return Err(Obstacle::NoProcesses { strategy, set: set.name.clone() });
        }
        if strategy.by_array() && keys.array.is_none() {
            return Err(Obstacle::NoArray { strategy, set: set.name.clone() });
        }
    }
    Ok(())
}

/// The type of processes that change places and can end, if there is one.
pub fn ending_family(model: &Model) -> Option<ProctypeId> {
    let asymmetric = |ty: &ProctypeId| !model.proctypes[*ty].termination.is_symmetric() && can_end(model, *ty);
    families(model, model.symmetry.as_ref()?).into_iter().find(asymmetric)
}

/// Lets processes that change places end in [any order](Termination::AnyOrder): they stay where they end. This deviates
/// from SPIN, where an ended process is removed once it is the youngest. Returns the names of their types.
pub fn keep_ended(model: &mut Model) -> Vec<String> {
    let Some(symmetry) = &model.symmetry else { return Vec::new() };
    let types = families(model, symmetry);
    let kept = types.into_iter().map(|ty| model.proctypes[ty].name.clone()).collect::<Vec<_>>();
    keep_types(model, &kept);
    kept
}

/// Whether nobody can tell that processes stay where they end. Then letting them stay changes no verdict: deaths are steps
/// that lead to states with the same errors, and a process that has ended may rest.
///
/// What could tell: the number of processes, ids and control states of processes that are gone, priorities, the last
/// mover; channels that die with their process; promises that last as long as their process; a trace, which need not be
/// complete when no process is left; and new processes, which take the place of dead ones.
pub fn ends_are_unseen(model: &Model) -> bool {
    let ending: Vec<ProctypeId> = model.process_types().map(|(ty, _)| ty).filter(|&ty| can_end(model, ty)).collect();
    let founders = population(model).len();
    let tells = |expr: &Expr| match expr {
        Expr::ProcessCount
        | Expr::Last
        | Expr::OwnPriority
        | Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::PriorityOf(_)
        | Expr::Heap(_) => true,
        Expr::RemoteAt { proctype, pid: _, state } => {
            ending.contains(proctype) && model.proctypes[*proctype].end == Some(*state)
        }
        Expr::RemoteRead { proctype, pid: _, place: _ } => ending.contains(proctype),
        Expr::Run { .. }
        | Expr::Const(_)
        | Expr::Read(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Cond(..)
        | Expr::Length(_)
        | Expr::Probe(..)
        | Expr::Poll { .. }
        | Expr::Pid
        | Expr::Timeout => false,
    };
    // Processes are created in the beginning only, where nobody has ended yet: by `init`, and by nobody else.
    let creates = |ty: ProctypeId| {
        let runs = |expr: &Expr| matches!(expr, Expr::Run { .. });
        model.proctypes[ty].statements.iter().any(|statement| statement.action.any(&runs))
    };
    let others_create = model.process_types().any(|(ty, p)| p.kind == ProctypeKind::Process && creates(ty));
    let quiet = |ty: &ProctypeId| {
        let proctype = &model.proctypes[*ty];
        let channels = proctype.setup.iter().any(|setup| matches!(setup, Setup::Channel(..)));
        let rests = proctype.end.is_some_and(|end| proctype.states[end].end);
        !channels && proctype.exclusive.is_empty() && rests
    };
    let statements = model.proctypes.iter().flat_map(|proctype| &proctype.statements);
    let provided = model.proctypes.iter().filter_map(|proctype| proctype.provided.as_ref());
    let propositions = model.claims.iter().flat_map(|claim| &claim.propositions).map(|proposition| &proposition.expr);
    founders > 0
        && model.trace.is_none()
        && !others_create
        && !model.uses.priority
        && ending.iter().all(quiet)
        && !statements.into_iter().any(|statement| statement.action.any(&tells))
        && !provided.chain(propositions).any(|expr| expr.any(&tells))
}

/// Lets processes of these types stay where they end.
pub fn keep_types(model: &mut Model, types: &[String]) {
    for proctype in model.proctypes.iter_mut().filter(|proctype| types.contains(&proctype.name)) {
        proctype.termination = Termination::AnyOrder;
        let (states, statements) = (&mut proctype.states, &proctype.statements);
        for state in states {
            state.transitions.retain(|transition| !matches!(statements[transition.statement].action, Action::End));
        }
    }
}

fn stays(position: &Position) -> bool {
    position.members.is_empty()
}

/// The types of processes that change places.
fn families(model: &Model, symmetry: &Symmetry) -> Vec<ProctypeId> {
    let founders = population(model);
    let moving = founders.iter().zip(&symmetry.processes).filter(|(_, position)| !stays(position));
    let mut families: Vec<ProctypeId> = moving.map(|(founder, _)| founder.proctype).collect();
    families.sort_unstable();
    families.dedup();
    families
}

/// Whether some way through a process type leads to its end.
fn can_end(model: &Model, ty: ProctypeId) -> bool {
    let proctype = &model.proctypes[ty];
    let mut seen = vec![false; proctype.states.len()];
    let mut work = vec![proctype.start];
    while let Some(state) = work.pop() {
        if std::mem::replace(&mut seen[state], true) {
            continue;
        }
        for transition in &proctype.states[state].transitions {
            match proctype.statements[transition.statement].action {
                Action::End => return true,
                Action::Condition(Expr::Const(0)) => {}
                _ => work.push(transition.target),
            }
        }
    }
    false
}
