//! What a process may still do from a control state on, in the frame that is there: itself, in functions that it calls, or through
//! processes that it starts.

use crate::{Action, Expr, HeapAction, HeapExpr, Model, ProctypeId, Setup};

/// By process type and control state, whether an expression that a test picks may still be worked out. Frames are looked at one
/// by one: what a caller does after a call is told by where the caller is.
pub fn ahead(model: &Model, test: &dyn Fn(&Expr) -> bool) -> Vec<Vec<bool>> {
    let mut ahead: Vec<Vec<bool>> = model.proctypes.iter().map(|p| vec![false; p.states.len()]).collect();
    let begins = |ahead: &[Vec<bool>], ty: ProctypeId| {
        let proctype = &model.proctypes[ty];
        let picked = |setup: &Setup| matches!(setup, Setup::Assign(_, value) if value.any(test));
        ahead[ty][proctype.start] || proctype.setup.iter().any(picked)
    };
    loop {
        let mut changed = false;
        for (ty, proctype) in model.proctypes.iter().enumerate() {
            for (id, state) in proctype.states.iter().enumerate().filter(|(id, _)| !ahead[ty][*id]).collect::<Vec<_>>()
            {
                let handled = state.handlers.iter().any(|handler| ahead[ty][handler.target]);
                let found = handled
                    || state.transitions.iter().any(|transition| {
                        let action = &proctype.statements[transition.statement].action;
                        let begun = began(action).into_iter().any(|ty| begins(&ahead, ty));
                        begun || action.any(test) || ahead[ty].get(transition.target).is_some_and(|&ahead| ahead)
                    });
                changed |= found;
                ahead[ty][id] = found;
            }
        }
        if !changed {
            return ahead;
        }
    }
}

/// The functions that an action may call, and the types of the processes that it may start.
pub fn began(action: &Action) -> Vec<ProctypeId> {
    let mut begun = called(action);
    action.walk(&mut |e| match e {
        Expr::Run { proctype, .. } => begun.push(*proctype),
        Expr::Heap(e) => {
            if let HeapExpr::Start { proctype, .. } = &**e {
                begun.push(*proctype);
            }
        }
        _ => {}
    });
    begun
}

/// The functions that an action may call.
pub fn called(action: &Action) -> Vec<ProctypeId> {
    let Action::Heap(action) = action else { return Vec::new() };
    match &**action {
        HeapAction::Call { callee, .. } => callee.functions(),
        _ => Vec::new(),
    }
}
