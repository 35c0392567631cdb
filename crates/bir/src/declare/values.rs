//! Types of the values of extensions.

use std::rc::Rc;

use quotient_extension::Term;
use quotient_ir::ValueKind;
use quotient_report::source::Span;

use super::{Declared, Symbol};
use crate::ast::{self, EntryKind, Name, Type};
use crate::types::Ty;

impl Declared<'_> {
    /// A type of an extension.
    pub(super) fn extension_type(&mut self, extension: &Name, name: &Name, types: &[Type], span: Span) -> Ty {
        let types: Vec<Ty> = types.iter().map(|ty| self.ty(ty)).collect();
        let Some(Symbol::Extension(id)) = self.symbol(extension) else {
            self.error(extension.span, format!("extension `{}` is not declared", extension.text));
            return Ty::Error;
        };
        let is_type = |entry: &ast::ExtensionEntry| entry.kind == EntryKind::Type && entry.name.text == name.text;
        if !self.extensions[id].entries.iter().any(is_type) {
            self.error(name.span, format!("extension `{}` declares no type `{}`", extension.text, name.text));
            return Ty::Error;
        }
        let Some(implementation) = self.implementations[id].clone() else { return Ty::Error };
        let Some(number) = implementation.types().iter().position(|ty| *ty.name == *name.text) else {
            return Ty::Error;
        };
        let expected = implementation.types()[number].variables;
        if expected != types.len() {
            let needed = crate::extensions::variables(expected);
            let message = format!("`{}.{}` has {needed}", extension.text, name.text);
            self.error(span, message);
            return Ty::Error;
        }
        self.value_type(id, number, types, span)
    }

    /// The type of the values of an extension with these types for its variables.
    pub(crate) fn value_type(&mut self, extension: usize, number: usize, types: Vec<Ty>, span: Span) -> Ty {
        let Some(implementation) = self.implementations[extension].clone() else { return Ty::Error };
        if types.contains(&Ty::Error) {
            return Ty::Error;
        }
        let ty = &implementation.types()[number];
        let cell = |term: &Term| match *term {
            Term::Boolean => Ty::Boolean,
            Term::Int => Ty::Int(None),
            Term::Variable(variable) => types.get(variable).cloned().unwrap_or(Ty::Error),
            Term::Own(_) => Ty::Error,
        };
        let cells: Vec<(Rc<str>, Ty)> = ty.head.iter().chain(ty.entry).map(|term| ("".into(), cell(term))).collect();
        let kind = ValueKind { head: ty.head.len(), unordered: ty.unordered };
        let shown: Vec<String> = types.iter().map(|ty| self.types.show(ty)).collect();
        let shown = if shown.is_empty() { String::new() } else { format!("<{}>", shown.join(", ")) };
        let name = format!("{}.{}{shown}", self.extensions[extension].name.text, ty.name);
        self.types.value((extension, number, types), &name, kind, cells, span)
    }
}
