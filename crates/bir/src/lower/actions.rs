//! Actions, in both forms of bodies.

use quotient_ir::{
    Action as IrAction, Callee, Deterministic, Expr as Ir, Extend, HeapAction, HeapExpr, MonitorOp as IrMonitor, Node,
    NodeOption, Scalar, Slot, Waiting, Width,
};
use quotient_report::source::Span;

use super::Lowerer;
use super::expressions::{Target, count};
use super::extensions::extends;
use crate::ast::{Action, ActionKind, Expr, ExprKind, Invoke, MonitorOp, Name};
use crate::declare::Symbol;
use crate::types::Ty;

/// What an action is in the intermediate form.
pub(super) enum Effect {
    /// One action.
    One(IrAction),
    /// Somebody who waits is notified, whoever it is.
    Notify(Ir),
    /// Something is wrong with it, which has been told.
    Nothing,
}

/// One indivisible step that does several things, in order.
pub(super) fn together(actions: Vec<(IrAction, Span)>, span: Span) -> IrAction {
    let last = actions.len().saturating_sub(1);
    let node = |(at, (action, place)): (usize, (IrAction, Span))| {
        let next = (at < last).then_some(at + 1);
        Node { options: vec![NodeOption { action, next, span: place, direct: true }], span: place }
    };
    match <[_; 1]>::try_from(actions) {
        Ok([(action, _)]) => action,
        Err(actions) if actions.is_empty() => IrAction::Skip,
        Err(actions) => {
            let nodes = actions.into_iter().enumerate().map(node).collect();
            let _ = span;
            IrAction::Deterministic(Deterministic { nodes, loops: Vec::new() })
        }
    }
}

impl Lowerer<'_, '_> {
    /// What storing a value is.
    pub(super) fn store(&self, target: Target, value: Ir) -> IrAction {
        match target {
            Target::Place(place) => IrAction::Assign(place, value),
            Target::Part(part) => HeapAction::Set(part, value).into(),
        }
    }

    /// Says so if something is created inside an expression.
    pub(super) fn whole(&mut self, ir: &Ir, span: Span) {
        let acts = |ir: &Ir| ir.any(&|part| matches!(part, Ir::Heap(heap) if heap.acts()));
        let deep = match ir {
            Ir::Heap(heap) => match &**heap {
                HeapExpr::Ranged { value, .. } | HeapExpr::Cast { object: value, .. } => {
                    return self.whole(value, span);
                }
                HeapExpr::New { length, .. } => length.as_ref().is_some_and(acts),
                HeapExpr::Start { args, .. } | HeapExpr::Extend(Extend { args, .. }) => {
                    args.iter().for_each(|arg| self.whole(arg, span));
                    false
                }
                _ => acts(ir),
            },
            ir => acts(ir),
        };
        if deep {
            let acts = if extends(ir) { "an operation that changes something" } else { "`new`" };
            self.fail(span, format!("{acts} must be the whole value: assign it to a variable first"));
        }
    }

    /// An action as one step, with nothing split.
    pub(super) fn effect(&mut self, action: &Action) -> Effect {
        let one = match &action.kind {
            ActionKind::Assign(target, value) => {
                let Some((place, ty)) = self.target(target) else {
                    self.expr(value);
                    return Effect::Nothing;
                };
                let value = self.assigned(value, &ty);
                self.store(place, value)
            }
            ActionKind::Assert(value) => {
                let ir = self.condition(value);
                self.pure(&ir, value.span, "an assertion");
                IrAction::Assert(ir)
            }
            ActionKind::Assume(value) => {
                let ir = self.condition(value);
                self.pure(&ir, value.span, "an assumption");
                HeapAction::Assume(ir).into()
            }
            ActionKind::Monitor(op, value) => {
                let object = self.lockable(value);
                self.pure(&object, value.span, "an operation on a lock");
                match self.monitor(*op) {
                    Some(op) => HeapAction::Monitor(op, object).into(),
                    None => return Effect::Notify(object),
                }
            }
            ActionKind::Throw(value) => HeapAction::Throw(self.thrown(value)).into(),
            ActionKind::Start { result, name, args } => {
                let Some(start) = self.start(name, args, action.span) else { return Effect::Nothing };
                match result {
                    None => HeapAction::Evaluate(start).into(),
                    Some(result) => match self.tid_target(result) {
                        Some(target) => self.store(target, start),
                        None => return Effect::Nothing,
                    },
                }
            }
            ActionKind::Exit => HeapAction::Exit.into(),
            ActionKind::Extension(call) => {
                let Some(call) = self.extension_action(call, action.span) else { return Effect::Nothing };
                HeapAction::Evaluate(call.into()).into()
            }
        };
        Effect::One(one)
    }

    /// A value that is stored as a whole.
    pub(super) fn stored(&mut self, value: &Expr, ty: &Ty) -> Ir {
        let ir = self.assigned(value, ty);
        self.not_chosen(&ir, value.span);
        ir
    }

    /// A value that is assigned to a variable; it may be chosen.
    pub(super) fn assigned(&mut self, value: &Expr, ty: &Ty) -> Ir {
        let ir = self.value(value, ty);
        self.whole(&ir, value.span);
        ir
    }

    /// An operation on a lock; `None` for `notify`, which has a choice.
    fn monitor(&mut self, op: MonitorOp) -> Option<IrMonitor> {
        Some(match op {
            MonitorOp::Lock => IrMonitor::Lock,
            MonitorOp::Unlock => IrMonitor::Unlock,
            MonitorOp::Wait => {
                self.waits();
                IrMonitor::Wait
            }
            MonitorOp::Unwait => {
                self.waits();
                IrMonitor::Unwait
            }
            MonitorOp::Notify => return None,
            MonitorOp::NotifyAll => IrMonitor::NotifyAll,
        })
    }

    /// Makes room for what is needed while the routine waits.
    pub(super) fn waits(&mut self) {
        if self.waiting.is_some() {
            return;
        }
        let first = self.slots.len();
        let mut slot = |name: &str, scalar: Scalar| {
            self.slots.push(Slot {
                name: name.to_string(),
                scalar,
                mtype: None,
                hidden: false,
                private: false,
                boxed: false,
            });
        };
        slot("$waits for", self.reference);
        slot("$depth", Scalar::plain(Width::Byte));
        slot("$notified", Self::TRUTH);
        self.waiting = Some(Waiting { object: first, depth: first + 1, notified: first + 2 });
    }

    /// Edges that notify somebody, whoever it is.
    pub(super) fn notify(&mut self, object: Ir, from: usize, to: usize, span: Span) {
        let text = self.text(span);
        for number in 0..self.most_waiting {
            let action = HeapAction::Monitor(IrMonitor::Notify(number), object.clone());
            self.graph.edge(from, to, action.into(), span, text.clone());
        }
        // More than that is an error rather than a choice that is never made.
        let crowd = HeapAction::Monitor(IrMonitor::Crowd(self.most_waiting + 1), object);
        let refuse = IrAction::Assert(Ir::Const(0));
        let action = together(vec![(crowd.into(), span), (refuse, span)], span);
        self.graph.edge(from, to, action, span, format!("{text} (more than {} threads wait)", self.most_waiting));
    }

    /// An exception.
    pub(super) fn thrown(&mut self, value: &Expr) -> Ir {
        let thrown = self.expr(value);
        self.whole(&thrown.ir, value.span);
        match thrown.ty {
            Ty::Ref(record) if self.declared.types.records[record].throwable => {}
            Ty::Error => {}
            ty => {
                let shown = self.declared.types.show(&ty);
                self.fail(value.span, format!("`{shown}` cannot be thrown: it is no `throwable record`"));
            }
        }
        thrown.ir
    }

    /// The arguments of a thread or function.
    fn arguments(&mut self, name: &Name, id: usize, args: &[Expr], span: Span) -> Vec<Ir> {
        let params = self.declared.routines[id].params.clone();
        if params.len() != args.len() {
            let message = format!("`{}` takes {}, not {}", name.text, count(params.len()), args.len());
            self.fail(span, message);
            args.iter().for_each(|arg| drop(self.expr(arg)));
            return Vec::new();
        }
        args.iter().zip(&params).map(|(arg, ty)| self.stored(arg, ty)).collect()
    }

    /// A thread that is started.
    pub(super) fn start(&mut self, name: &Name, args: &[Expr], span: Span) -> Option<Ir> {
        let id = match self.declared.symbol(name) {
            Some(Symbol::Code(id)) if self.declared.routines[id].is_thread() => id,
            Some(Symbol::Code(_)) => {
                self.fail(name.span, format!("`{}` is a function, not a thread", name.text));
                return None;
            }
            Some(_) => {
                self.fail(name.span, format!("`{}` is not a thread", name.text));
                return None;
            }
            None => {
                self.fail(name.span, format!("thread `{}` is not declared", name.text));
                return None;
            }
        };
        let args = self.arguments(name, id, args, span);
        Some(HeapExpr::Start { proctype: id, args }.into())
    }

    /// Where a reference to a thread goes.
    pub(super) fn tid_target(&mut self, result: &Expr) -> Option<Target> {
        let tid = self.declared.types.tid(result.span);
        let (target, ty) = self.target(result)?;
        if ty != tid && ty != Ty::Error {
            let shown = self.declared.types.show(&ty);
            self.fail(result.span, format!("`start` gives a `tid`, and this is `{shown}`"));
            return None;
        }
        Some(target)
    }

    /// A call of the function that a variable holds: it can be any with such parameters and such a result.
    fn held(&mut self, invoke: &Invoke, span: Span) -> Option<(Callee, Vec<Ir>, Option<Ty>)> {
        let name = Expr { kind: ExprKind::Name(invoke.name.clone()), span: invoke.name.span, height: 1 };
        let value = self.expr(invoke.through.as_ref().unwrap_or(&name));
        let (params, returns) = match &value.ty {
            Ty::Function(params, returns) => (params.clone(), returns.as_deref().cloned()),
            Ty::Error => return None,
            ty => {
                let message = format!("a function is needed here, and this is `{}`", self.declared.types.show(ty));
                self.fail(invoke.through.as_ref().map_or(name.span, |through| through.span), message);
                return None;
            }
        };
        if params.len() != invoke.args.len() {
            let message = format!("`{}` takes {}, not {}", invoke.name.text, count(params.len()), invoke.args.len());
            self.fail(span, message);
            return None;
        }
        let fits = |&(_, id): &(i32, usize)| self.declared.function_value(id).is_some_and(|(_, ty)| ty == value.ty);
        let table: Vec<(i32, usize)> = self.declared.numbered().filter(fits).collect();
        if table.is_empty() {
            let shown = self.declared.types.show(&value.ty);
            self.fail(span, format!("there is no function of type `{shown}`"));
            return None;
        }
        let args = invoke.args.iter().zip(&params).map(|(arg, ty)| self.stored(arg, ty)).collect();
        Some((Callee::Value(value.ir, table), args, returns))
    }

    /// What is called, the arguments, and the type of the result.
    pub(super) fn callee(&mut self, invoke: &Invoke, span: Span) -> Option<(Callee, Vec<Ir>, Option<Ty>)> {
        let returns = |lowerer: &Self, id: usize| lowerer.declared.routines[id].returns.clone().flatten();
        if !invoke.is_virtual {
            if let Some(Symbol::Virtual(_)) = self.declared.symbol(&invoke.name) {
                self.fail(invoke.name.span, format!("`{0}` is a table: write `invoke virtual {0}`", invoke.name.text));
                return None;
            }
            if invoke.through.is_some() || self.is_variable(&invoke.name) {
                return self.held(invoke, span);
            }
            let id = self.declared.function(&invoke.name)?;
            let args = self.arguments(&invoke.name, id, &invoke.args, span);
            return Some((Callee::Function(id), args, returns(self, id)));
        }
        if let Some(through) = &invoke.through {
            self.fail(through.span, "a table is needed here: only functions are called through variables");
            return None;
        }
        let Some(Symbol::Virtual(table)) = self.declared.symbol(&invoke.name) else {
            self.fail(invoke.name.span, format!("table `{}` is not declared", invoke.name.text));
            return None;
        };
        let entries = self.declared.tables.get(table)?.entries.clone();
        let Some(first) = invoke.args.first() else {
            self.fail(span, "a virtual call needs an argument that decides which function is called");
            return None;
        };
        let object = self.expr(first);
        let chosen = match object.ty {
            Ty::Ref(record) => entries.iter().find(|&&(known, _)| known == record).map(|&(_, code)| code),
            Ty::Error => return None,
            _ => None,
        };
        let Some(code) = chosen else {
            let shown = self.declared.types.show(&object.ty);
            self.fail(first.span, format!("table `{}` has no function for `{shown}`", invoke.name.text));
            return None;
        };
        self.whole(&object.ir, first.span);
        let params = self.declared.routines[code].params.clone();
        if params.len() != invoke.args.len() {
            let message = format!("`{}` takes {}, not {}", invoke.name.text, count(params.len()), invoke.args.len());
            self.fail(span, message);
            return None;
        }
        let rest = invoke.args.iter().zip(&params).skip(1);
        let rest: Vec<Ir> = rest.map(|(arg, ty)| self.stored(arg, ty)).collect();
        let args = std::iter::once(object.ir).chain(rest).collect();
        Some((Callee::Virtual(entries), args, returns(self, code)))
    }
}
