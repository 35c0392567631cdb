//! Functions: how they are declared, called and left.

use quotient_ir::{
    Action, Callee, Expr, HeapAction, HeapExpr, Place, ProctypeKind, Scope, Slot, Sort, State, Statement, Transition,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::super::declarations::TEMPLATE;
use super::super::elements::{ElementId, Kind, SequenceId};
use super::super::expressions::{Reference, count};
use super::super::{Lowering, undeclared};
use super::records::NewRecord;
use super::rules::Found;
use super::together;
use crate::ast::{self, Call, ExprKind, Function, Returned, Spec, Stmt, Unit, VarRef};
use crate::symbols::{FunctionInfo, Type};

/// What a call leads to.
struct Called {
    callee: Callee,
    /// The types of the parameters.
    params: Vec<Type>,
    result: Option<Type>,
}

impl Lowering {
    /// Makes the set of symbolic names that the values of `ftype` have.
    pub(in crate::lower) fn name_functions(&mut self, spec: &Spec) {
        let names = spec.units.iter().filter_map(|unit| match unit {
            Unit::Function(function) => Some(function.name.text.to_string()),
            _ => None,
        });
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            self.model.mtypes.push(names);
            self.symbols.function_set = Some(self.model.mtypes.len() - 1);
        }
    }

    /// Gives a function its name.
    pub(in crate::lower) fn declare_function(&mut self, function: &Function) {
        let id = self.model.proctypes.len();
        let name = function.name.text.clone();
        let taken = self.symbols.proctypes.contains_key(&name);
        let names = self.symbols.function_set.map(|set| &self.model.mtypes[set]);
        let number =
            names.and_then(|names| names.iter().position(|other| **other == *name)).map_or(0, |at| at as i32 + 1);
        let info = FunctionInfo { id, number, params: Vec::new(), result: None };
        if self.symbols.functions.insert(name.clone(), info).is_some() || taken {
            self.error(Diagnostic::error(function.name.span, format!("`{name}` is declared twice")));
        }
    }

    /// Finds the types of a function's parameters and result.
    pub(in crate::lower) fn declare_signature(&mut self, id: usize, function: &Function) {
        let mut params = Vec::new();
        let mut scalars = Vec::new();
        for (decl, var) in function.params.iter().flat_map(|decl| decl.vars.iter().map(move |var| (decl, var))) {
            let Some(ty) = self.resolve_type(&decl.ty, var) else { continue };
            self.no_boxes_inside(&ty, var.name.span);
            let mut slots = Vec::new();
            self.symbols.flatten(&var.name.text, &ty, None, &TEMPLATE, &mut slots);
            scalars.extend(slots.iter().map(|slot| slot.scalar));
            params.push(ty);
        }
        let result = function.result.as_ref().and_then(|(ty, declarator)| {
            let found = self.resolve_type(ty, declarator)?;
            if matches!(found, Type::Structure(_)) {
                let message = "the result of a function cannot be a structure";
                self.error(Diagnostic::error(declarator.name.span, message).help("return a reference: `: T &`"));
                return None;
            }
            Some(found)
        });
        self.symbols.signatures[id].params = scalars;
        if let Some(info) = self.symbols.functions.get_mut(&function.name.text).filter(|info| info.id == id) {
            (info.params, info.result) = (params, result);
        }
    }

    /// Where a call is one of several choices, the choice is a step of its own before it: a process that has called a function
    /// does nothing else. A return ends an atomic sequence that is in the
    /// function itself.
    pub(in crate::lower) fn set_calls_apart(&mut self, states: &mut Vec<State>, statements: &mut Vec<Statement>) {
        if self.model.heap.is_none() {
            return;
        }
        let is = |statement: &Statement, which: fn(&HeapAction) -> bool| matches!(&statement.action, Action::Heap(action) if which(action));
        for state in 0..states.len() {
            let several = states[state].transitions.len() > 1;
            for number in 0..states[state].transitions.len() {
                let transition = states[state].transitions[number].clone();
                let statement = &statements[transition.statement];
                if is(statement, |action| matches!(action, HeapAction::Return(_))) {
                    states[state].transitions[number].atomic = false;
                }
                if !is(statement, |action| matches!(action, HeapAction::Call { .. })) {
                    continue;
                }
                if states[state].transitions.iter().any(|other| other.escape != 0) {
                    let message = "a function cannot be called where `unless` may interrupt it";
                    self.error(Diagnostic::error(statements[transition.statement].span, message));
                }
                let is_atomic = is(statement, |action| matches!(action, HeapAction::Call { atomic: true, .. }));
                if several {
                    let chosen = Statement { action: Action::Skip, ..statement.clone() };
                    statements.push(chosen);
                    let apart = State {
                        transitions: vec![Transition { escape: 0, ..transition }],
                        end: false,
                        accept: false,
                        progress: false,
                        observed: false,
                        labels: Vec::new(),
                        handlers: Vec::new(),
                        number: states.len() as u32 + 1,
                    };
                    states.push(apart);
                    let target = states.len() - 1;
                    let statement = statements.len() - 1;
                    let atomic = transition.atomic || is_atomic;
                    states[state].transitions[number] = Transition { statement, target, atomic, ..transition };
                }
            }
        }
    }

    /// The functions that a call can lead to, with the type of their results: the one that is named, or all that are values and
    /// have such parameters.
    fn called(&mut self, call: &Call) -> Option<Called> {
        let Some(var) = &call.through else {
            let Some(info) = self.symbols.functions.get(&call.name.text).cloned() else {
                self.error(undeclared(&call.name, "function"));
                return None;
            };
            return Some(Called { callee: Callee::Function(info.id), params: info.params, result: info.result });
        };
        let name = ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span };
        if self.found(&name) != Found::Function {
            if self.static_type(var).is_some() {
                let message = format!("`{var}` cannot be called: it holds no function");
                self.error(Diagnostic::error(var.span, message).help("declare it with `ftype`"));
            }
            let _ = self.expr(&name);
            return None;
        }
        let value = self.expr(&name);
        let is_value = |info: &&FunctionInfo| self.symbols.function_values.contains(&info.number);
        let mut fitting: Vec<FunctionInfo> = self.symbols.functions.values().filter(is_value).cloned().collect();
        fitting.retain(|info| {
            let fits = |(arg, ty): (&ast::Expr, &Type)| self.misfit(arg, ty).is_none();
            info.params.len() == call.args.len() && call.args.iter().zip(&info.params).all(fits)
        });
        fitting.sort_by_key(|info| info.number);
        let Some(first) = fitting.first().cloned() else {
            if self.complete {
                let message = format!("`{var}` holds no function with these parameters");
                let help = "assign the name of a function to it somewhere: `f = name`";
                self.error(Diagnostic::error(call.span, message).help(help));
            }
            return None;
        };
        let same = |info: &FunctionInfo| match (&info.result, &first.result) {
            (None, None) => true,
            (Some(Type::Pointer(_, a)), Some(Type::Pointer(_, b))) => a == b,
            (Some(Type::Scalar(a, _)), Some(Type::Scalar(b, _))) => a == b,
            _ => false,
        };
        if let Some(other) = fitting.iter().find(|info| !same(info)) {
            let message = format!("the functions that `{var}` may hold have results of different types");
            let at = self.model.proctypes[other.id].span;
            self.error(Diagnostic::error(call.span, message).related(at, "this one differs from the first"));
            return None;
        }
        let table = fitting.iter().map(|info| (info.number, info.id)).collect();
        Some(Called { callee: Callee::Value(value, table), params: first.params, result: first.result })
    }

    /// A call as an action, with a local slot for its result.
    fn call(&mut self, call: &Call, called: Called, result: Option<usize>) -> Option<Action> {
        let place = match self.body.kind {
            ProctypeKind::Claim | ProctypeKind::Trace => Some("a claim or a trace"),
            _ if self.body.inside_dstep => Some("a d_step"),
            _ => None,
        };
        if let Some(place) = place {
            let message = format!("a function cannot be called in {place}");
            self.error(Diagnostic::error(call.span, message).help("its steps are steps of their own"));
        }
        let Called { callee, params, .. } = called;
        if call.args.len() == params.len() {
            for (arg, ty) in call.args.iter().zip(&params) {
                self.check_value(arg, ty, "the parameter");
            }
        }
        let function = callee.functions()[0];
        let scalars = self.symbols.signatures[function].params.clone();
        let args = self.arguments(&call.args, &params, &scalars);
        if args.len() != scalars.len() {
            let name = &call.name.text;
            let message = format!("`{name}` takes {} but is given {}", count(scalars.len(), "argument"), args.len());
            let at = self.model.proctypes[function].span;
            self.error(Diagnostic::error(call.span, message).related(at, "declared here"));
            return None;
        }
        self.check_sorts(&args, &scalars, call.span);
        let atomic = self.body.inside_atomic > 0;
        Some(HeapAction::Call { callee, args, result, atomic }.into())
    }

    /// Whether something of a type can take the result of a function.
    fn takes_result(&self, ty: &Type, result: &Type) -> bool {
        match (ty, result) {
            (Type::Pointer(_, a), Type::Pointer(_, b)) => a == b,
            (Type::Scalar(..), Type::Scalar(..)) => self.symbols.is_function(ty) == self.symbols.is_function(result),
            _ => false,
        }
    }

    /// A local variable for the result of a call.
    fn result_slot(&mut self, call: &Call, result: Option<&Type>) -> Option<Place> {
        let Some(Type::Scalar(scalar, _) | Type::Pointer(scalar, _)) = result else {
            let message = format!("`{}` has no result", call.name.text);
            self.error(Diagnostic::error(call.span, message).help("declare one: `function f() : int { … }`"));
            return None;
        };
        let slot = self.body.slots.len();
        let name = format!("result of {}", call.name.text);
        self.body.slots.push(Slot { name, scalar: *scalar, ..TEMPLATE.clone() });
        Some(Place::scalar(Scope::Local, slot, *scalar))
    }

    /// `f(args)`, `target = f(args)`
    pub(in crate::lower) fn lower_call(
        &mut self,
        target: Option<&VarRef>,
        call: &Call,
        stmt: &Stmt,
        into: SequenceId,
    ) -> ElementId {
        let Some(called) = self.called(call) else { return self.skip(stmt.span, into) };
        let Some(target) = target else {
            let action = self.call(call, called, None).unwrap_or(Action::Skip);
            return self.basic(action, stmt.span, stmt.to_string(), into);
        };
        if let (Some(result), Some(ty)) = (&called.result, self.static_type(target))
            && !self.takes_result(&ty, result)
        {
            let message = format!("the result of `{}` is of another type than `{target}`", call.name.text);
            self.error(Diagnostic::error(call.span, message));
            return self.skip(stmt.span, into);
        }
        let reference = self.reference(target);
        if let (Some(Reference::Places(places, ..)), Some(result)) = (&reference, &called.result)
            && let [Place { scope: Scope::Local, slot, indices, scalar }] = &places[..]
            && indices.is_empty()
            && matches!(result, Type::Scalar(other, _) | Type::Pointer(other, _) if other == scalar)
        {
            let action = self.call(call, called, Some(*slot)).unwrap_or(Action::Skip);
            return self.basic(action, stmt.span, stmt.to_string(), into);
        }
        let Some(result) = self.result_slot(call, called.result.as_ref()) else { return self.skip(stmt.span, into) };
        let action = self.call(call, called, Some(result.slot)).unwrap_or(Action::Skip);
        let first = self.basic(action, stmt.span, stmt.to_string(), into);
        let value = Expr::Read(result.clone());
        let store = match reference {
            Some(Reference::Part(part)) if part.index.is_none() => self.set(part, value),
            Some(Reference::Places(mut places, ..)) if places.len() == 1 => Action::Assign(places.remove(0), value),
            _ => {
                let message = format!("the result of a call cannot be assigned to `{target}`");
                self.error(Diagnostic::error(target.span, message).help("assign it to a variable first"));
                Action::Skip
            }
        };
        let zero = if result.scalar.sort == Sort::Ref { HeapExpr::Null.into() } else { Expr::Const(0) };
        let store = together(vec![store, Action::Assign(result, zero)], stmt.span);
        self.basic(store, stmt.span, format!("{target} = (the result of {})", call.name.text), into);
        first
    }

    /// `return`, `return e`, `return new T`, `return f(args)`
    pub(in crate::lower) fn lower_return(&mut self, returned: &Returned, stmt: &Stmt, into: SequenceId) -> ElementId {
        let result = self.own_result();
        if self.body.kind != ProctypeKind::Function {
            self.error(Diagnostic::error(stmt.span, "`return` outside a function"));
            return self.skip(stmt.span, into);
        }
        if self.body.inside_dstep {
            self.error(Diagnostic::error(stmt.span, "`return` cannot be used in a d_step"));
        }
        match (returned, &result) {
            (Returned::Nothing, Some(_)) => {
                self.error(Diagnostic::error(stmt.span, "the function has a result, and nothing is returned here"));
            }
            (Returned::Nothing, None) => {}
            (_, None) => {
                self.error(
                    Diagnostic::error(stmt.span, "the function has no result")
                        .help("declare one: `function f() : int`"),
                );
            }
            (Returned::Value(value), Some(ty)) => self.check_value(value, ty, "the result of the function"),
            _ => {}
        }
        let value = match returned {
            Returned::Nothing => None,
            Returned::Value(value) => Some(match &result {
                Some(ty) => self.expr_of(value, ty),
                None => self.expr(value),
            }),
            Returned::Made(made) => self.made(made).and_then(|NewRecord { value, to }| {
                if !matches!(result, Some(Type::Pointer(_, wanted)) if wanted == to) {
                    let message = "what is made here is of another type than the result of the function";
                    self.error(Diagnostic::error(made.span, message));
                    return None;
                }
                Some(value)
            }),
            Returned::Call(call) => {
                let Some(called) = self.called(call) else { return self.skip(stmt.span, into) };
                let place = self.result_slot(call, called.result.as_ref());
                if let (Some(own), Some(other)) = (&result, &called.result)
                    && !self.takes_result(own, other)
                {
                    self.error(Diagnostic::error(call.span, "the results of the two functions are of different types"));
                }
                let action = self.call(call, called, place.as_ref().map(|place| place.slot)).unwrap_or(Action::Skip);
                let first = self.basic(action, call.span, call.to_string(), into);
                let value = place.map(Expr::Read);
                self.basic(HeapAction::Return(value).into(), stmt.span, stmt.to_string(), into);
                return first;
            }
        };
        self.basic(HeapAction::Return(value).into(), stmt.span, stmt.to_string(), into)
    }

    /// The type of the result of the function that is being lowered.
    fn own_result(&self) -> Option<Type> {
        let id = self.body.proctype?;
        self.symbols.functions.values().find(|info| info.id == id).and_then(|info| info.result.clone())
    }

    /// What a function does at its closing brace.
    pub(in crate::lower) fn last_return(&mut self, id: usize, span: Span) -> ElementId {
        let info = self.symbols.functions.values().find(|info| info.id == id);
        let value = info.and_then(|info| info.result.as_ref()).map(|result| match result {
            Type::Pointer(..) => HeapExpr::Null.into(),
            _ => Expr::Const(0),
        });
        self.body.graph.element(Kind::Basic(HeapAction::Return(value).into()), span, "return")
    }
}
