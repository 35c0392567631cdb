//! What may be done with references: they are compared, assigned and followed, and nothing else.

use quotient_report::diagnostic::Diagnostic;

use super::super::Lowering;
use crate::ast::{self, ExprKind};
use crate::symbols::{Pointee, Type};

/// What an expression is, as far as references are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Number,
    Null,
    Pointer(Pointee),
    /// What is wrong with it is told elsewhere.
    Unknown,
}

impl Lowering {
    pub(super) fn found(&self, expr: &ast::Expr) -> Found {
        match &expr.kind {
            ExprKind::Null => Found::Null,
            ExprKind::Var(var) => match self.static_type(var) {
                Some(Type::Pointer(_, to)) => Found::Pointer(to),
                Some(Type::Structure(_)) => Found::Unknown,
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

    /// A number must stand here.
    pub(in crate::lower) fn no_reference(&mut self, expr: &ast::Expr) {
        if self.model.heap.is_some() && matches!(self.found(expr), Found::Null | Found::Pointer(_)) {
            let message = format!("`{expr}` is a reference, and a number is needed here");
            self.error(Diagnostic::error(expr.span, message).help("compare it with `null`, or name a field"));
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
            (Found::Pointer(first), Found::Pointer(second)) if first != second => {
                let message = format!("`{a}` and `{b}` refer to different types");
                self.error(Diagnostic::error(a.span.to(b.span), message));
            }
            _ => {}
        }
    }

    /// A value for something of a type; `what` names it.
    pub(in crate::lower) fn check_value(&mut self, value: &ast::Expr, ty: &Type, what: &str) {
        if self.model.heap.is_none() {
            return;
        }
        let wrong = match (ty, self.found(value)) {
            (Type::Pointer(_, to), Found::Pointer(other)) if *to != other => "refers to another type than",
            (Type::Pointer(..), Found::Number) => "is a number, and not a reference as",
            (Type::Scalar(..), Found::Null | Found::Pointer(_)) => "is a reference, and not a number as",
            _ => return,
        };
        self.error(Diagnostic::error(value.span, format!("`{value}` {wrong} {what}")));
    }
}
