//! Addresses of variables. A variable whose address is taken lives in a box, which is a record of its own: whoever has the address
//! refers to that. So nothing else has to know of addresses: they are names, as those of other records, and they dangle when the
//! variable is gone. Which names stand after `&` is known before anything is declared; a local variable has a box if one
//! with its name is meant in its body, and so has each field with the name of one that is meant anywhere.

use quotient_ir::{
    Action, Expr, HeapAction, HeapExpr, Part, Place, RecordId, RecordKind, RecordType, Scope, Setup, Which,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::super::expressions::{Reference, SCRATCH, local};
use super::super::{Lowering, undeclared};
use super::Followed;
use crate::ast::{Decl, Declarator, Name, Spec, TypeName, VarRef};
use crate::symbols::{FieldInit, Pointee, Type, Variable};

/// What a parameter is named, whose value goes into a box. It is a variable that the tool has made.
fn given(name: &str) -> String {
    format!("${name}")
}

impl Lowering {
    /// Takes note of what addresses are taken of.
    pub(in crate::lower) fn note_addresses(&mut self, spec: &Spec) {
        self.symbols.reference = self.model.heap.as_ref().map(|heap| heap.reference());
        for taken in &spec.taken {
            if taken.field {
                self.symbols.taken_fields.insert(taken.name.clone());
                continue;
            }
            self.symbols.taken_variables.insert(taken.name.clone());
            self.symbols.taken_locals.extend(taken.body.map(|body| (body, taken.name.clone())));
        }
    }

    /// Whether the address of a local variable is taken.
    pub(in crate::lower) fn is_taken(&self, name: &std::rc::Rc<str>) -> bool {
        self.body.proctype.is_some_and(|body| self.symbols.taken_locals.contains(&(body, name.clone())))
    }

    /// The type of what is declared, and whether it has a box.
    pub(in crate::lower) fn declared_type(
        &mut self,
        ty: &TypeName,
        var: &Declarator,
        is_taken: bool,
    ) -> Option<(Type, bool)> {
        let found = self.resolve_type(ty, var)?;
        let boxed = is_taken
            && self.model.heap.is_some()
            && self.model.declared.sets.is_empty()
            && self.symbols.can_be_boxed(&found);
        match boxed && var.length.is_some() {
            // Each element is a variable of its own, and no part of an array of bits.
            true => Some((self.resolve_type(ty, &Declarator { length: None, ..var.clone() })?, true)),
            false => Some((found, boxed)),
        }
    }

    /// The type of the records that the box of a variable extends: it can be referred to as these.
    fn base(&mut self, name: &TypeName, ty: &Type) -> Option<RecordId> {
        match ty {
            Type::Structure(id) => self.symbols.structures[*id].record,
            Type::Scalar(scalar, mtype) => self.array_of(name, *scalar, *mtype),
            Type::Pointer(_, to) => self.array_of_references(name, *to),
        }
    }

    /// The type of the boxes of variables of a type.
    fn box_of(&mut self, name: &TypeName, ty: &Type) -> Option<RecordId> {
        let base = self.base(name, ty)?;
        let records = &mut self.model.heap.as_mut()?.records;
        if let Some(known) = records.iter().position(|record| record.boxed && record.supers == [base]) {
            return Some(known);
        }
        let RecordType { name, kind, fields, span, .. } = records[base].clone();
        let name = name.trim_end_matches("[]").trim_end().to_string();
        records.push(RecordType { name, kind, fields, supers: vec![base], monitor: false, boxed: true, span });
        Some(records.len() - 1)
    }

    /// Gives the types of boxes the fields of what they extend.
    pub(super) fn complete_boxes(&mut self) {
        let Some(heap) = &mut self.model.heap else { return };
        for id in 0..heap.records.len() {
            if let (true, [base]) = (heap.records[id].boxed, &heap.records[id].supers[..]) {
                heap.records[id].fields = heap.records[*base].fields.clone();
            }
        }
    }

    /// A new box, with initial values by slot.
    fn new_box(&mut self, name: &TypeName, ty: &Type, inits: Vec<(usize, Expr)>, span: Span) -> Expr {
        let Some(record) = self.box_of(name, ty) else { return HeapExpr::Null.into() };
        let length = (!matches!(ty, Type::Structure(_))).then_some(Expr::Const(1));
        HeapExpr::New { record, length, inits, span }.into()
    }

    /// How the parts of a structure begin, where they are not zero.
    fn inits(&self, ty: &Type) -> Vec<(usize, Expr)> {
        let mut inits = Vec::new();
        self.symbols.field_inits(ty, None, 0, &mut inits);
        let value = |(slot, init)| match init {
            FieldInit::Value(value) => Some((slot, Expr::Const(value))),
            FieldInit::Boxed(value) => Some((slot, value)),
            FieldInit::Zero | FieldInit::Channel(_) => None,
        };
        inits.into_iter().filter_map(value).collect()
    }

    /// How a field with a box begins.
    pub(in crate::lower) fn boxed_field(&mut self, name: &TypeName, ty: &Type, init: &FieldInit, span: Span) -> Expr {
        let inits = match init {
            FieldInit::Value(value) => vec![(0, Expr::Const(*value))],
            _ => self.inits(ty),
        };
        self.new_box(name, ty, inits, span)
    }

    /// Makes the boxes of a variable; `values` are the initial values that its elements would have without, counted from 0.
    pub(in crate::lower) fn boxed_setup(
        &mut self,
        name: &TypeName,
        variable: &Variable,
        values: Vec<Setup>,
    ) -> Vec<Setup> {
        let elements = variable.length.unwrap_or(1);
        let mut setup = Vec::new();
        for element in 0..elements {
            let inits = match &variable.ty {
                Type::Structure(_) => self.inits(&variable.ty),
                _ => {
                    let of_element = |step: &Setup| match step {
                        Setup::Assign(slot, value) if *slot == element => Some((0, value.clone())),
                        _ => None,
                    };
                    values.iter().find_map(of_element).into_iter().collect()
                }
            };
            let value = self.new_box(name, &variable.ty, inits, variable.span);
            setup.push(Setup::Assign(variable.slot + element, value));
        }
        setup
    }

    /// Declares a parameter that goes into a box: for now only what is given.
    pub(in crate::lower) fn declare_given(&mut self, var: &Declarator, ty: &Type) {
        let name = Name { text: given(&var.name.text).into(), span: var.name.span };
        self.declare_local(&Declarator { name, ..var.clone() }, ty.clone(), None, false);
    }

    /// Puts what is given for parameters into their boxes.
    pub(in crate::lower) fn box_params(&mut self, params: &[Decl]) {
        for (decl, var) in params.iter().flat_map(|decl| decl.vars.iter().map(move |var| (decl, var))) {
            let Some(found) = self.body.scopes.find(&given(&var.name.text)).cloned() else { continue };
            let slots = found.slot..found.slot + self.symbols.slots(&found.ty);
            let read = |slot: usize| Expr::Read(local(slot, self.body.slots[slot].scalar));
            let inits = slots.enumerate().map(|(field, slot)| (field, read(slot))).collect();
            let value = self.new_box(&decl.ty, &found.ty, inits, var.name.span);
            if let Some(variable) = self.declare_local(var, found.ty, None, true) {
                self.body.setup.push(Setup::Assign(variable.slot, value));
            }
        }
    }

    /// A structure with boxes inside cannot be handed over as a whole: then two would have the same boxes.
    pub(in crate::lower) fn no_boxes_inside(&mut self, ty: &Type, span: Span) {
        if self.symbols.has_boxes(ty) {
            let message =
                "the address of a field of this structure is taken, so that it cannot be handed over as a whole";
            self.error(Diagnostic::error(span, message).help("hand over a reference to it: `T &x`"));
        }
    }

    /// What is in the box of a variable or field, as a part of a record.
    #[allow(clippy::type_complexity)]
    pub(in crate::lower) fn open_box(
        &mut self,
        record: Option<(Expr, RecordId)>,
        element: Option<Expr>,
        place: Place,
        ty: &Type,
        var: &VarRef,
    ) -> (Option<(Expr, RecordId)>, Option<Expr>, Place) {
        let scalar = self.symbols.reference.unwrap_or(SCRATCH);
        let object = Followed::new(record, element, Place { scalar, ..place }, var.span).read();
        // The type has a box, so the type of its arrays is known.
        let base = match (ty, self.array_for(ty)) {
            (Type::Structure(id), _) => self.symbols.structures[*id].record,
            (_, array) => array,
        };
        let element = (!matches!(ty, Type::Structure(_))).then_some(Expr::Const(0));
        let inside = Place { scope: Scope::Local, slot: 0, indices: Vec::new(), scalar: SCRATCH };
        (base.map(|base| (object, base)), element, inside)
    }

    /// The type of the arrays of a type, if there is one.
    fn array_for(&self, ty: &Type) -> Option<RecordId> {
        match ty {
            Type::Structure(_) => None,
            Type::Pointer(_, to) => {
                self.symbols.reference_arrays.iter().find(|(_, other)| *other == to).map(|(&array, _)| array)
            }
            Type::Scalar(scalar, mtype) => {
                let is_it = |record: &RecordType| {
                    let is_array = record.kind == RecordKind::Array && !record.boxed;
                    is_array && record.fields[0].scalar == *scalar && record.fields[0].mtype == *mtype
                };
                self.model.heap.as_ref()?.records.iter().position(is_it)
            }
        }
    }

    /// What the address of something refers to.
    pub(super) fn pointee_of(&self, var: &VarRef) -> Option<Pointee> {
        match self.static_type(var)? {
            Type::Structure(id) => Some(Pointee::Structure(id)),
            ty => self.array_for(&ty).map(Pointee::Array),
        }
    }

    /// `&x`
    pub(in crate::lower) fn address(&mut self, var: &VarRef) -> Expr {
        let name = &var.path[0].name;
        let found = self.body.scopes.find(&name.text).or_else(|| self.symbols.globals.get(&name.text)).cloned();
        let Some(variable) = found else {
            if !self.symbols.rejected.contains(&name.text) {
                self.error(undeclared(name, "variable"));
            }
            return HeapExpr::Null.into();
        };
        match self.places(&variable, var, true) {
            Some(Reference::Value(value)) => value,
            _ => HeapExpr::Null.into(),
        }
    }

    /// Says why the address of something cannot be taken.
    pub(in crate::lower) fn no_address(&mut self, var: &VarRef, ty: &Type, in_array: bool) {
        let why = if in_array {
            "it is an element of an array that is made with `new`".to_string()
        } else if !self.model.declared.sets.is_empty() {
            "the model has scalarsets".to_string()
        } else if !self.symbols.can_be_boxed(ty) {
            "it is or has a channel, or is `unsigned`".to_string()
        } else {
            "it is declared `hidden`, `show` or `local`".to_string()
        };
        let message = format!("the address of `{var}` cannot be taken: {why}");
        self.error(Diagnostic::error(var.span, message).help("put it into a record, and refer to that"));
    }

    /// Stores a value in the box of a variable.
    pub(in crate::lower) fn set_boxed(&mut self, variable: &Variable, value: Expr, span: Span) -> Action {
        let (Some(scalar), Some(record)) = (self.symbols.reference, self.array_for(&variable.ty)) else {
            return Action::Skip;
        };
        let (Type::Scalar(content, _) | Type::Pointer(content, _)) = &variable.ty else { return Action::Skip };
        let object = Expr::Read(Place::scalar(variable.scope, variable.slot, scalar));
        let part = Part { object, record, which: Which::Element(Expr::Const(0)), scalar: *content, span };
        HeapAction::Set(part, value).into()
    }
}
