//! What may be done with references: they are compared, assigned and followed, and nothing else.

use quotient_ir::{Expr, Scalar, Scope, Sort};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::super::Lowering;
use crate::ast::{self, ExprKind, VarRef};
use crate::symbols::{Pointee, Type, Variable};

/// What an expression is, as far as references are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Number,
    Null,
    Pointer(Pointee),
    Function,
    /// All of a structure.
    Structure(usize),
    /// What is wrong with it is told elsewhere.
    Unknown,
}

/// Whether a variable of a process is read.
fn reads_process(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::RemoteVar { .. } => true,
        ExprKind::Unary(_, a) => reads_process(a),
        ExprKind::Binary(_, a, b) => reads_process(a) || reads_process(b),
        ExprKind::Cond(c, a, b) => reads_process(c) || reads_process(a) || reads_process(b),
        _ => false,
    }
}

impl Lowering {
    pub(super) fn found(&self, expr: &ast::Expr) -> Found {
        match &expr.kind {
            ExprKind::Null => Found::Null,
            ExprKind::Address(var) => self.pointee_of(var).map_or(Found::Unknown, Found::Pointer),
            ExprKind::Var(var) => match self.static_type(var) {
                Some(Type::Pointer(_, to)) => Found::Pointer(to),
                Some(ty) => self.found_type(&ty),
                None if self.is_function_name(var) => Found::Function,
                _ => Found::Number,
            },
            ExprKind::Cond(_, a, b) => match self.found(a) {
                Found::Null => self.found(b),
                found => found,
            },
            ExprKind::RemoteVar { proctype, var, .. } => {
                let id = self.symbols.proctypes.get(&proctype.text);
                let variable = id.and_then(|&id| self.symbols.signatures[id].locals.get(&var.path[0].name.text));
                let ty = variable.and_then(|variable| self.type_at(variable, var));
                ty.map_or(Found::Unknown, |ty| self.found_type(&ty))
            }
            _ => Found::Number,
        }
    }

    fn found_type(&self, ty: &Type) -> Found {
        match ty {
            Type::Pointer(_, to) => Found::Pointer(*to),
            Type::Structure(id) => Found::Structure(*id),
            ty if self.symbols.is_function(ty) => Found::Function,
            Type::Scalar(..) => Found::Number,
        }
    }

    /// Whether this is all of a structure.
    pub(in crate::lower) fn is_structure(&self, var: &VarRef) -> bool {
        matches!(self.type_of(var), Some(Type::Structure(_)))
    }

    /// Whether this is a function, which is a value here.
    fn is_function_name(&self, var: &VarRef) -> bool {
        var.path.len() == 1 && self.symbols.functions.contains_key(&var.path[0].name.text)
    }

    /// A side of a comparison, with the other one: compared with a function, `null` is no function.
    pub(in crate::lower) fn compared(&mut self, side: &ast::Expr, other: &ast::Expr, set: Option<usize>) -> Expr {
        match (&side.kind, self.found(other)) {
            (ExprKind::Null, Found::Function) => Expr::Const(0),
            _ => self.expr_in(side, set),
        }
    }

    /// A number must stand here.
    pub(in crate::lower) fn no_reference(&mut self, expr: &ast::Expr) {
        if self.model.heap.is_none() {
            return;
        }
        if let ExprKind::Cond(_, a, b) = &expr.kind {
            self.no_reference(a);
            return self.no_reference(b);
        }
        match self.found(expr) {
            Found::Null | Found::Pointer(_) => {
                let message = format!("`{expr}` is a reference, and a number is needed here");
                self.error(Diagnostic::error(expr.span, message).help("compare it with `null`, or name a field"));
            }
            Found::Function => {
                let message = format!("`{expr}` is a function, and a number is needed here");
                self.error(Diagnostic::error(expr.span, message).help("call it, or compare it with `null`"));
            }
            // Where a structure stands for a value, that is told when it is read.
            Found::Number | Found::Structure(_) | Found::Unknown => {}
        }
    }

    /// Both sides of an operator, or both values of a choice between two, which are as those of a comparison.
    pub(in crate::lower) fn check_comparison(&mut self, compares: bool, a: &ast::Expr, b: &ast::Expr) {
        if self.model.heap.is_none() {
            return;
        }
        if !compares {
            self.no_reference(a);
            self.no_reference(b);
            return;
        }
        match (self.found(a), self.found(b)) {
            (Found::Number, Found::Null | Found::Pointer(_)) => self.no_reference(b),
            (Found::Null | Found::Pointer(_), Found::Number) => self.no_reference(a),
            (Found::Function, Found::Number | Found::Pointer(_)) => self.no_reference(a),
            (Found::Number | Found::Pointer(_), Found::Function) => self.no_reference(b),
            // Beside a function, `null` is no function; but a choice between two of them is a reference.
            (Found::Function, Found::Null) if !matches!(b.kind, ExprKind::Null) => self.no_reference(b),
            (Found::Null, Found::Function) if !matches!(a.kind, ExprKind::Null) => self.no_reference(a),
            (Found::Pointer(first), Found::Pointer(second)) if first != second => {
                let message = format!("`{a}` and `{b}` refer to different types");
                self.error(Diagnostic::error(a.span.to(b.span), message));
            }
            _ => {}
        }
    }

    /// What is wrong with a value for something of a type.
    pub(super) fn misfit(&self, value: &ast::Expr, ty: &Type) -> Option<&'static str> {
        if let ExprKind::Cond(_, a, b) = &value.kind {
            let is_null = self.found(value) == Found::Null && self.symbols.is_function(ty);
            let of_both = self.misfit(a, ty).or_else(|| self.misfit(b, ty));
            return of_both.or_else(|| is_null.then_some("is a reference, and not a function as"));
        }
        Some(match (ty, self.found(value)) {
            (Type::Pointer(_, to), Found::Pointer(other)) if *to != other => "refers to another type than",
            (Type::Pointer(..), Found::Number) => "is a number, and not a reference as",
            (Type::Pointer(..), Found::Function) => "is a function, and not a reference as",
            (ty, Found::Null | Found::Function) if self.symbols.is_function(ty) => return None,
            (ty, Found::Number) if self.symbols.is_function(ty) => "is a number, and not a function as",
            (ty, Found::Pointer(_)) if self.symbols.is_function(ty) => "is a reference, and not a function as",
            (Type::Scalar(..), Found::Null | Found::Pointer(_)) => "is a reference, and not a number as",
            (Type::Scalar(..), Found::Function) => "is a function, and not a number as",
            (Type::Pointer(..), Found::Structure(_)) => "is a structure, and not a reference as",
            (ty, Found::Structure(_)) if self.symbols.is_function(ty) => "is a structure, and not a function as",
            (Type::Structure(id), Found::Structure(other)) if *id != other => "is a structure of another type than",
            (Type::Structure(_), Found::Null | Found::Pointer(_)) => "is a reference, and not a structure as",
            (Type::Structure(_), Found::Number) => "is a number, and not a structure as",
            (Type::Structure(_), Found::Function) => "is a function, and not a structure as",
            _ => return None,
        })
    }

    /// Arguments for parameters, where a structure stands for all its fields: references must be where references are expected.
    pub(in crate::lower) fn check_sorts(&mut self, args: &[Expr], params: &[Scalar], span: Span) {
        let fits = |(arg, param): (&Expr, &Scalar)| arg.is_reference() == (param.sort == Sort::Ref);
        let is_inside = |at: Span| at.file == span.file && span.start <= at.start && at.end <= span.end;
        let failed = self.diagnostics.iter().any(|diagnostic| diagnostic.span.is_some_and(is_inside));
        if !failed && !args.iter().zip(params).all(fits) {
            let message = "a reference is given here for a number, or a number for a reference";
            self.error(Diagnostic::error(span, message).help("give a structure where the parameter is one"));
        }
    }

    /// The initial value of a variable. That of a global one is there before any process is.
    pub(in crate::lower) fn check_initial_value(&mut self, value: &ast::Expr, variable: &Variable) {
        if variable.scope == Scope::Global && reads_process(value) {
            let message = "the initial value of a global variable cannot be read from a process";
            return self.error(Diagnostic::error(value.span, message).help("assign it when the process runs"));
        }
        self.check_value(value, &variable.ty, "this variable");
    }

    /// Initial values in a list: they must be known before the model runs.
    pub(in crate::lower) fn check_list(&mut self, values: &[ast::Expr], ty: &Type, span: Span) {
        if matches!(ty, Type::Pointer(..)) {
            let message = "references cannot have initial values in a list";
            let help = "they are `null` at the beginning; assign to them when the model runs";
            return self.error(Diagnostic::error(span, message).help(help));
        }
        values.iter().for_each(|value| self.check_value(value, ty, "this variable"));
    }

    /// A value for something of a type; `what` names it.
    pub(in crate::lower) fn check_value(&mut self, value: &ast::Expr, ty: &Type, what: &str) {
        if self.model.heap.is_none() {
            return;
        }
        if let Some(wrong) = self.misfit(value, ty) {
            self.error(Diagnostic::error(value.span, format!("`{value}` {wrong} {what}")));
        }
    }
}
