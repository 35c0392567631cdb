//! What may be done with references: they are compared, assigned and followed, and nothing else.

use quotient_ir::Expr;
use quotient_report::diagnostic::Diagnostic;

use super::super::Lowering;
use crate::ast::{self, ExprKind, VarRef};
use crate::symbols::{Pointee, Type};

/// What an expression is, as far as references are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Number,
    Null,
    Pointer(Pointee),
    Function,
    /// What is wrong with it is told elsewhere.
    Unknown,
}

impl Lowering {
    pub(super) fn found(&self, expr: &ast::Expr) -> Found {
        match &expr.kind {
            ExprKind::Null => Found::Null,
            ExprKind::Address(var) => self.pointee_of(var).map_or(Found::Unknown, Found::Pointer),
            ExprKind::Var(var) => match self.static_type(var) {
                Some(Type::Pointer(_, to)) => Found::Pointer(to),
                Some(Type::Structure(_)) => Found::Unknown,
                Some(ty) if self.symbols.is_function(&ty) => Found::Function,
                None if self.is_function_name(var) => Found::Function,
                _ => Found::Number,
            },
            ExprKind::Cond(_, a, b) => match self.found(a) {
                Found::Null => self.found(b),
                found => found,
            },
            ExprKind::RemoteVar { .. } => Found::Unknown,
            _ => Found::Number,
        }
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
        match self.found(expr) {
            Found::Null | Found::Pointer(_) => {
                let message = format!("`{expr}` is a reference, and a number is needed here");
                self.error(Diagnostic::error(expr.span, message).help("compare it with `null`, or name a field"));
            }
            Found::Function => {
                let message = format!("`{expr}` is a function, and a number is needed here");
                self.error(Diagnostic::error(expr.span, message).help("call it, or compare it with `null`"));
            }
            Found::Number | Found::Unknown => {}
        }
    }

    /// Both sides of an operator.
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
            (Found::Pointer(first), Found::Pointer(second)) if first != second => {
                let message = format!("`{a}` and `{b}` refer to different types");
                self.error(Diagnostic::error(a.span.to(b.span), message));
            }
            _ => {}
        }
    }

    /// What is wrong with a value for something of a type.
    pub(super) fn misfit(&self, value: &ast::Expr, ty: &Type) -> Option<&'static str> {
        Some(match (ty, self.found(value)) {
            (Type::Pointer(_, to), Found::Pointer(other)) if *to != other => "refers to another type than",
            (Type::Pointer(..), Found::Number) => "is a number, and not a reference as",
            (Type::Pointer(..), Found::Function) => "is a function, and not a reference as",
            (ty, Found::Null | Found::Function) if self.symbols.is_function(ty) => return None,
            (ty, Found::Number) if self.symbols.is_function(ty) => "is a number, and not a function as",
            (ty, Found::Pointer(_)) if self.symbols.is_function(ty) => "is a reference, and not a function as",
            (Type::Scalar(..), Found::Null | Found::Pointer(_)) => "is a reference, and not a number as",
            (Type::Scalar(..), Found::Function) => "is a function, and not a number as",
            _ => return None,
        })
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
