//! High-level bodies: statements become states and edges. Every function takes the state before and the state after.

use quotient_ir::{
    Action as IrAction, Callee, Expr as Ir, Handler, HeapAction, HeapExpr, MonitorOp as IrMonitor, Scope,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowerer;
use super::actions::Effect;
use super::expressions::{Target, Typed};
use super::split::changes;
use crate::ast::{Action, ActionKind, Branch, Expr, ExprKind, Handler as Catch, Invoke, MonitorOp, Stmt, StmtKind};

/// Whether there is no step in a statement.
fn is_empty(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Atomic(body) | StmtKind::Try(body, _) => all_empty(body),
        _ => false,
    }
}

fn all_empty(body: &[Stmt]) -> bool {
    body.iter().all(is_empty)
}

impl Lowerer<'_, '_> {
    /// A whole body; gives the state where it begins.
    pub(super) fn high(&mut self, body: &[Stmt], end: Span) -> usize {
        self.is_low = false;
        let start = self.fresh();
        let last = if all_empty(body) { start } else { self.fresh() };
        self.sequence(body, start, last);
        if self.graph.reaches(start, last) {
            self.ends(last, end);
        }
        start
    }

    /// What happens where a body ends without `return`.
    fn ends(&mut self, last: usize, end: Span) {
        let routine = &self.declared.routines[self.id];
        match &routine.returns {
            None => self.graph.edge(last, last, HeapAction::Exit.into(), end, "return".to_string()),
            Some(None) => self.graph.edge(last, last, HeapAction::Return(None).into(), end, "return".to_string()),
            Some(Some(_)) => {
                let message = format!("function `{}` can end without a value", routine.code.name.text);
                self.declared.tell(Diagnostic::error(end, message).help("write `return` with a value before this"));
            }
        }
    }

    fn sequence(&mut self, body: &[Stmt], from: usize, to: usize) {
        let steps: Vec<&Stmt> = body.iter().filter(|stmt| !is_empty(stmt)).collect();
        let mut at = from;
        for (index, stmt) in steps.iter().enumerate() {
            let next = if index + 1 == steps.len() { to } else { self.fresh() };
            self.statement(stmt, at, next);
            at = next;
        }
    }

    /// Where a sequence begins that goes on to a state: there, if it is empty.
    fn entry(&mut self, body: &[Stmt], to: usize) -> usize {
        if all_empty(body) { to } else { self.fresh() }
    }

    fn statement(&mut self, stmt: &Stmt, from: usize, to: usize) {
        self.statement_ends();
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Atomic(body) => {
                self.atomic += 1;
                self.sequence(body, from, to);
                self.atomic -= 1;
            }
            StmtKind::While(condition, body) => self.repeat(condition, body, from, to, span),
            StmtKind::If(branches, otherwise) => self.select(branches, otherwise.as_deref(), from, to),
            StmtKind::Choose(branches, otherwise) => self.choose(branches, otherwise.as_deref(), from, to, span),
            StmtKind::Try(body, handlers) => self.attempt(body, handlers, from, to),
            StmtKind::Invoke(invoke) => self.invoke(invoke, from, to, span),
            StmtKind::Return(value) => self.give_back(value.as_ref(), from, span),
            StmtKind::Skip => {
                let text = self.text(span);
                self.graph.edge(from, to, IrAction::Skip, span, text);
            }
            StmtKind::Action { action, whole } => self.action(action, *whole, from, to),
        }
    }

    // ---- compound statements ----

    fn repeat(&mut self, condition: &Expr, body: &[Stmt], from: usize, to: usize, span: Span) {
        let mut head = from;
        if self.atomic > 0 && !self.graph.is_interior(from) {
            // Whoever comes back to the loop is still in the atomic sequence.
            head = self.fresh();
            self.graph.edge(from, head, IrAction::Skip, span, "atomic".to_string());
        }
        if matches!(condition.kind, ExprKind::Bool(true)) {
            match all_empty(body) {
                true => self.graph.edge(head, head, IrAction::Skip, span, "while true".to_string()),
                false => self.sequence(body, head, head),
            }
            return;
        }
        let ir = self.guard(condition);
        let first = self.entry(body, head);
        self.branch(ir, head, first, to, span);
        self.sequence(body, first, head);
    }

    fn select(&mut self, branches: &[Branch], otherwise: Option<&[Stmt]>, from: usize, to: usize) {
        let mut at = from;
        for (index, branch) in branches.iter().enumerate() {
            let Some(guard) = &branch.guard else { continue };
            self.statement_ends();
            let ir = self.guard(guard);
            let yes = self.entry(&branch.body, to);
            let is_last = index + 1 == branches.len();
            let no = match (is_last, otherwise) {
                (true, None) => to,
                (true, Some(body)) => self.entry(body, to),
                (false, _) => self.fresh(),
            };
            self.branch(ir, at, yes, no, branch.span);
            self.sequence(&branch.body, yes, to);
            at = no;
        }
        if let Some(body) = otherwise {
            self.sequence(body, at, to);
        }
    }

    fn choose(&mut self, branches: &[Branch], otherwise: Option<&[Stmt]>, from: usize, to: usize, span: Span) {
        for branch in branches {
            let action = match &branch.guard {
                Some(guard) => IrAction::Condition(self.guard(guard)),
                None => IrAction::Skip,
            };
            let first = self.entry(&branch.body, to);
            let text = self.text(branch.span);
            self.graph.edge(from, first, action, branch.span, text);
            self.sequence(&branch.body, first, to);
        }
        if let Some(body) = otherwise {
            let first = self.entry(body, to);
            self.graph.edge(from, first, IrAction::Else, span, "else".to_string());
            self.sequence(body, first, to);
        }
    }

    fn attempt(&mut self, body: &[Stmt], catches: &[Catch], from: usize, to: usize) {
        let outer = self.handlers.clone();
        let mut inner = Vec::new();
        for catch in catches {
            let Some(record) = self.declared.record(&catch.record) else { continue };
            if !self.declared.types.records[record].throwable {
                self.fail(catch.record.span, format!("`{}` is no `throwable record`", catch.record.text));
            }
            let ty = crate::types::Ty::Ref(record);
            let shadowed = self.locals.remove(&catch.variable.text);
            let slot = self.declare_local(&catch.variable.text, ty);
            let target = self.entry(&catch.body, to);
            self.sequence(&catch.body, target, to);
            match shadowed {
                Some(variable) => self.locals.insert(catch.variable.text.clone(), variable),
                None => self.locals.remove(&catch.variable.text),
            };
            inner.push(Handler { record, slot: Some(slot), target });
        }
        inner.extend(outer.iter().copied());
        self.handlers = inner;
        let handlers = self.handlers.clone();
        self.graph.handle(from, &handlers);
        self.sequence(body, from, to);
        self.handlers = outer;
    }

    // ---- calls ----

    fn invoke(&mut self, invoke: &Invoke, from: usize, to: usize, span: Span) {
        let atomic = self.atomic > 0;
        let Some((callee, args, returns)) = self.callee(invoke, span) else { return };
        let (args, at) = self.split_args(args, from, span);
        let (callee, at) = match callee {
            // Which function it is, is read before the call.
            Callee::Value(value, table) if self.splits() => {
                let (value, at) = self.split(value, at, span);
                (Callee::Value(value, table), at)
            }
            callee => (callee, at),
        };
        let text = self.text(span);
        let Some(result) = &invoke.result else {
            let action = HeapAction::Call { callee, args, result: None, atomic };
            self.graph.edge(at, to, action.into(), span, text);
            return;
        };
        let Some(returns) = returns else {
            self.fail(span, format!("`{}` gives no value back", invoke.name.text));
            return;
        };
        let Some((target, ty)) = self.target(result) else { return };
        if let Target::Place(place) = &target
            && place.scope == Scope::Local
            && (returns == ty || matches!((&returns, &ty), (crate::types::Ty::Ref(_), crate::types::Ty::Ref(_))))
        {
            let checked = Typed { ir: Ir::Const(0), ty: returns };
            self.fitted(checked, &ty, result.span);
            let action = HeapAction::Call { callee, args, result: Some(place.slot), atomic };
            self.graph.edge(at, to, action.into(), span, text);
            return;
        }
        let scalar = self.declared.types.scalar(&returns, self.reference);
        let slot = self.temporary(scalar);
        let after = self.fresh();
        let action = HeapAction::Call { callee, args, result: Some(slot), atomic };
        self.graph.edge(at, after, action.into(), span, text.clone());
        let value = Ir::Read(quotient_ir::Place::scalar(Scope::Local, slot, scalar));
        let value = self.fitted(Typed { ir: value, ty: returns }, &ty, result.span);
        self.put(target, value, after, to, span, text);
    }

    fn give_back(&mut self, value: Option<&Expr>, from: usize, span: Span) {
        let text = self.text(span);
        let returns = self.declared.routines[self.id].returns.clone();
        match (returns, value) {
            (None, None) => self.graph.edge(from, from, HeapAction::Exit.into(), span, text),
            (None, Some(value)) => {
                self.fail(value.span, "a thread gives no value back");
            }
            (Some(None), None) => self.graph.edge(from, from, HeapAction::Return(None).into(), span, text),
            (Some(None), Some(value)) => {
                self.fail(value.span, "the function gives no value back");
            }
            (Some(Some(_)), None) => {
                self.fail(span, "the function gives a value back, and there is none");
            }
            (Some(Some(ty)), Some(value)) => {
                let ir = self.stored(value, &ty);
                let (ir, at) = if self.splits() { self.split_but_last(ir, from, span) } else { (ir, from) };
                self.graph.edge(at, at, HeapAction::Return(Some(ir)).into(), span, text);
            }
        }
    }

    // ---- actions ----

    fn action(&mut self, action: &Action, whole: bool, from: usize, to: usize) {
        let span = action.span;
        if let ActionKind::Monitor(op, value) = &action.kind {
            return self.monitor_steps(*op, value, from, to, span);
        }
        if whole || !self.splits() {
            let is_low = std::mem::replace(&mut self.is_low, true);
            let effect = self.effect(action);
            self.is_low = is_low;
            if let Effect::One(one) = effect {
                let text = self.text(span);
                let to = if leaves(&one) { from } else { to };
                self.graph.edge(from, to, one, span, text);
            }
            return;
        }
        let text = self.text(span);
        match &action.kind {
            ActionKind::Assign(target, value) => {
                let Some((target, ty)) = self.target(target) else {
                    self.expr(value);
                    return;
                };
                let value = self.assigned(value, &ty);
                self.put(target, value, from, to, span, text);
            }
            ActionKind::Start { result, name, args } => {
                let Some(start) = self.start(name, args, span) else { return };
                match result {
                    Some(result) => {
                        let Some(target) = self.tid_target(result) else { return };
                        self.put(target, start, from, to, span, text);
                    }
                    None => {
                        let (start, at) = self.split_but_last_always(start, from, span);
                        self.graph.edge(at, to, HeapAction::Evaluate(start).into(), span, text);
                    }
                }
            }
            ActionKind::Throw(value) => {
                let thrown = self.thrown(value);
                let (thrown, at) = self.split_but_last(thrown, from, span);
                self.graph.edge(at, at, HeapAction::Throw(thrown).into(), span, text);
            }
            ActionKind::Assert(value) | ActionKind::Assume(value) => {
                let ir = self.condition(value);
                self.pure(&ir, value.span, "a condition");
                let (ir, at) = self.split_but_last(ir, from, span);
                let action = match action.kind {
                    ActionKind::Assert(_) => IrAction::Assert(ir),
                    _ => HeapAction::Assume(ir).into(),
                };
                self.graph.edge(at, to, action, span, text);
            }
            ActionKind::Exit => self.graph.edge(from, from, HeapAction::Exit.into(), span, text),
            ActionKind::Extension(call) => {
                let Some(call) = self.extension_action(call, span) else { return };
                let (call, at) = self.split_inside(call, from, span);
                self.graph.edge(at, to, HeapAction::Evaluate(call).into(), span, text);
            }
            ActionKind::Monitor(..) => {}
        }
    }

    /// Steps that store a value.
    fn put(&mut self, target: Target, value: Ir, from: usize, to: usize, span: Span, text: String) {
        match target {
            Target::Place(place) if place.scope == Scope::Local => {
                self.assign_local(place.slot, value, from, to, span, Some(&text));
            }
            Target::Place(place) => {
                let (value, at) = self.split_but_new(value, from, span);
                self.graph.edge(at, to, IrAction::Assign(place, value), span, text);
            }
            Target::Part(part) => {
                let (part, at) = self.split_part(part, from, span);
                let (value, at) = self.split_but_new(value, at, span);
                self.graph.edge(at, to, HeapAction::Set(part, value).into(), span, text);
            }
        }
    }

    /// A value in which nothing shared is read any more; it may create something.
    fn split_but_new(&mut self, value: Ir, from: usize, span: Span) -> (Ir, usize) {
        match &value {
            // A value that is changed is one access, and storing the result is another.
            Ir::Heap(heap) if heap.acts() && !changes(heap) => self.split_but_last_always(value, from, span),
            _ => self.split(value, from, span),
        }
    }

    /// Something that is created, with nothing shared read in it.
    fn split_but_last_always(&mut self, value: Ir, from: usize, span: Span) -> (Ir, usize) {
        match value {
            Ir::Heap(heap) => match *heap {
                HeapExpr::Start { proctype, args } => {
                    let (args, at) = self.split_args(args, from, span);
                    (HeapExpr::Start { proctype, args }.into(), at)
                }
                HeapExpr::New { record, length: Some(length), inits, span: place } => {
                    let (length, at) = self.split(length, from, span);
                    (HeapExpr::New { record, length: Some(length), inits, span: place }.into(), at)
                }
                call @ HeapExpr::Extend(_) => self.split_inside(call, from, span),
                other => (other.into(), from),
            },
            other => (other, from),
        }
    }

    /// An operation on a lock. A wait is two steps: it gives the lock back, and takes it again when it was notified.
    fn monitor_steps(&mut self, op: MonitorOp, value: &Expr, from: usize, to: usize, span: Span) {
        let object = self.lockable(value);
        self.pure(&object, value.span, "an operation on a lock");
        let text = self.text(span);
        let (object, at) = self.split(object, from, span);
        let one = |op: IrMonitor, object: Ir| IrAction::from(HeapAction::Monitor(op, object));
        match op {
            MonitorOp::Lock => self.graph.edge(at, to, one(IrMonitor::Lock, object), span, text),
            MonitorOp::Unlock => self.graph.edge(at, to, one(IrMonitor::Unlock, object), span, text),
            MonitorOp::NotifyAll => self.graph.edge(at, to, one(IrMonitor::NotifyAll, object), span, text),
            MonitorOp::Notify => self.notify(object, at, to, span),
            MonitorOp::Wait => {
                self.waits();
                let asleep = self.fresh();
                self.graph.edge(at, asleep, one(IrMonitor::Wait, object.clone()), span, text.clone());
                self.graph.edge(asleep, to, one(IrMonitor::Unwait, object), span, format!("{text}: goes on"));
            }
            MonitorOp::Unwait => {
                let problem = Diagnostic::error(span, "`unwait` is for bodies with locations");
                self.declared.tell(problem.help("`wait` is followed by it where there are statements"));
            }
        }
    }
}

/// Whether nothing follows an action.
pub(super) fn leaves(action: &IrAction) -> bool {
    matches!(action, IrAction::Heap(heap) if matches!(**heap, HeapAction::Throw(_) | HeapAction::Exit | HeapAction::Return(_)))
}
