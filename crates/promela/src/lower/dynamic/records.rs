//! `new` and `delete`.

use quotient_ir::{Action, Expr, HeapAction, HeapExpr};
use quotient_report::diagnostic::Diagnostic;

use super::super::Lowering;
use super::super::expressions::Reference;
use super::anonymous;
use super::parts::{Followed, Target};
use super::rules::Found;
use crate::ast::{self, Declarator, ExprKind, Made, VarRef};
use crate::symbols::{FieldInit, Pointee, Type};

/// What `new` makes.
pub(super) struct NewRecord {
    /// The record, as a value.
    pub(super) value: Expr,
    /// What a reference to it refers to.
    pub(super) to: Pointee,
}

impl Lowering {
    /// What `new T` makes.
    pub(super) fn made(&mut self, made: &Made) -> Option<NewRecord> {
        let declarator = Declarator { pointer: true, ..anonymous(made.span) };
        let Type::Pointer(_, to) = self.pointer_type(&made.ty, &declarator)? else { return None };
        let mut inits = Vec::new();
        let (record, length) = match (to, &made.length) {
            (Pointee::Structure(id), None) => {
                let structure = &self.symbols.structures[id];
                let record = structure.record?;
                self.symbols.field_inits(&Type::Structure(id), None, 0, &mut inits);
                (record, None)
            }
            (Pointee::Structure(_), Some(length)) => {
                let message = "arrays of records are not supported";
                let help = "make the records one by one, or put the array into the type";
                self.error(Diagnostic::error(length.span, message).help(help));
                return None;
            }
            // A channel has no name that could stand behind `new`.
            (Pointee::Channel, _) => return None,
            (Pointee::Array(record), None) => (record, Some(Expr::Const(1))),
            (Pointee::Array(record), Some(length)) => {
                self.no_reference(length);
                (record, Some(self.expr(length)))
            }
        };
        let mut values = Vec::new();
        for (slot, init) in inits {
            match init {
                FieldInit::Value(value) => values.push((slot, Expr::Const(value))),
                FieldInit::Boxed(value) => values.push((slot, value)),
                FieldInit::Zero => {}
                FieldInit::Channel(channel) => values.push((slot, self.new_channel(channel, made.span)?)),
            }
        }
        let value = HeapExpr::New { record, length, inits: values, span: made.span }.into();
        Some(NewRecord { value, to })
    }

    /// `target = new T`
    pub(in crate::lower) fn lower_new(&mut self, target: &VarRef, made: &Made) -> Action {
        let Some(NewRecord { value, to }) = self.made(made) else { return Action::Skip };
        match self.static_type(target) {
            Some(Type::Pointer(_, wanted)) if wanted == to => {}
            Some(_) => {
                let message = format!("`{target}` does not refer to what is made here");
                self.error(Diagnostic::error(target.span, message));
                return Action::Skip;
            }
            None => {}
        }
        let followed = match self.reference(target) {
            Some(Reference::Places(mut places, ..)) if places.len() == 1 => {
                Followed { parts: places.drain(..).map(Target::Place).collect(), index: None }
            }
            Some(Reference::Part(part)) => part,
            Some(_) => {
                self.error(Diagnostic::error(target.span, format!("`{target}` cannot be assigned")));
                return Action::Skip;
            }
            None => return Action::Skip,
        };
        self.set(followed, value)
    }

    /// `delete p`
    pub(in crate::lower) fn lower_delete(&mut self, var: &VarRef) -> Action {
        let expr = ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span };
        if self.found(&expr) == Found::Pointer(Pointee::Channel) {
            let message = format!("`{var}` is a channel, and cannot be deleted");
            self.error(Diagnostic::error(var.span, message).help("it is gone when nobody refers to it any more"));
            return Action::Skip;
        }
        let problem = match self.found(&expr) {
            Found::Number => "not a reference",
            Found::Function => "a function",
            Found::Structure(_) => "a structure, and no reference to one",
            Found::Null | Found::Pointer(_) | Found::Unknown => return HeapAction::Delete(self.expr(&expr)).into(),
        };
        self.error(
            Diagnostic::error(var.span, format!("`{var}` is {problem}, and cannot be deleted"))
                .help("what `new` has made can be deleted, through a reference to it"),
        );
        Action::Skip
    }
}
