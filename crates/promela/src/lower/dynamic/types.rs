//! Types of references and records.

use quotient_ir::{RecordId, RecordKind, RecordType, Scalar, Slot};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::super::declarations::TEMPLATE;
use super::super::{Lowering, undeclared};
use crate::ast::{Declarator, Spec, TypeName, Unit, VarRef};
use crate::symbols::{Pointee, Structure, Type, Variable};

impl Lowering {
    /// Gives every typedef its place, so that references to one that is defined further down can be declared.
    pub(in crate::lower) fn declare_records(&mut self, spec: &Spec) {
        let Some(mut heap) = self.model.heap.take() else { return };
        for unit in &spec.units {
            let Unit::Typedef(decl) = unit else { continue };
            if self.symbols.structure_names.contains_key(&decl.name.text) {
                continue;
            }
            let span = decl.name.span;
            let id = self.symbols.structures.len();
            self.symbols.structure_names.insert(decl.name.text.clone(), id);
            let record = Some(heap.records.len());
            self.symbols.structures.push(Structure { fields: Vec::new(), slots: 1, span, record, defined: false });
            let (name, kind) = (decl.name.text.to_string(), RecordKind::Object);
            heap.records.push(RecordType {
                name,
                kind,
                fields: Vec::new(),
                supers: Vec::new(),
                monitor: false,
                boxed: false,
                span,
            });
        }
        self.model.heap = Some(heap);
    }

    /// Gives the types of records their fields.
    pub(in crate::lower) fn define_records(&mut self) {
        if self.model.heap.is_none() {
            return;
        }
        for id in 0..self.symbols.structures.len() {
            let Structure { span, record, defined, slots, .. } = self.symbols.structures[id];
            if !defined {
                self.error(
                    Diagnostic::error(span, "this type is never defined").help("add its fields: `typedef T { … }`"),
                );
                continue;
            }
            if slots > usize::from(u16::MAX) {
                continue;
            }
            let mut fields: Vec<Slot> = Vec::new();
            let structure = self.symbols.structures[id].clone();
            for field in &structure.fields {
                self.symbols.flatten_field(field, &field.name, &TEMPLATE, &mut fields);
            }
            if let (Some(heap), Some(record)) = (&mut self.model.heap, record) {
                heap.records[record].fields = fields;
            }
        }
        self.complete_boxes();
    }

    /// The type of a declared reference.
    pub(in crate::lower) fn pointer_type(&mut self, ty: &TypeName, var: &Declarator) -> Option<Type> {
        let scalar = self.model.heap.as_ref()?.reference();
        if var.indirect {
            let direct = Declarator { indirect: false, ..var.clone() };
            let Type::Pointer(_, to) = self.pointer_type(ty, &direct)? else { return None };
            return Some(Type::Pointer(scalar, Pointee::Array(self.array_of_references(ty, to)?)));
        }
        let refuse = |message: &str| Some(Diagnostic::error(var.name.span, message.to_string()));
        let problem = match ty {
            TypeName::User(name) => match self.symbols.structure_names.get(&name.text) {
                Some(&id) => return Some(Type::Pointer(scalar, Pointee::Structure(id))),
                None if self.symbols.scalarsets.contains_key(&name.text) => {
                    refuse("references to members of a scalarset are not supported")
                }
                None => Some(undeclared(name, "type").help("types are declared with `typedef`")),
            },
            TypeName::Chan => refuse("references to channels are not supported"),
            TypeName::Unsigned => refuse("references to `unsigned` are not supported"),
            _ => None,
        };
        if let Some(problem) = problem {
            self.error(problem);
            return None;
        }
        let element = Declarator { pointer: false, length: None, width: None, init: None, ..var.clone() };
        let Type::Scalar(element, mtype) = self.resolve_type(ty, &element)? else { return None };
        Some(Type::Pointer(scalar, Pointee::Array(self.array_of(ty, element, mtype)?)))
    }

    /// The type of the arrays of references.
    pub(super) fn array_of_references(&mut self, ty: &TypeName, to: Pointee) -> Option<RecordId> {
        if let Some((&known, _)) = self.symbols.reference_arrays.iter().find(|(_, other)| **other == to) {
            return Some(known);
        }
        let heap = self.model.heap.as_mut()?;
        let fields = vec![Slot { scalar: heap.reference(), ..TEMPLATE.clone() }];
        let (name, span, kind) = (format!("{ty} &[]"), Span::default(), RecordKind::Array);
        heap.records.push(RecordType { name, kind, fields, supers: Vec::new(), monitor: false, boxed: false, span });
        let array = heap.records.len() - 1;
        self.symbols.reference_arrays.insert(array, to);
        Some(array)
    }

    /// The type of the arrays of a type.
    pub(super) fn array_of(&mut self, ty: &TypeName, element: Scalar, mtype: Option<usize>) -> Option<RecordId> {
        let records = &mut self.model.heap.as_mut()?.records;
        let is_it = |record: &RecordType| {
            record.kind == RecordKind::Array
                && !record.boxed
                && record.fields[0].scalar == element
                && record.fields[0].mtype == mtype
        };
        if let Some(known) = records.iter().position(is_it) {
            return Some(known);
        }
        let fields = vec![Slot { scalar: element, mtype, ..TEMPLATE.clone() }];
        let (name, span) = (format!("{ty}[]"), Span::default());
        records.push(RecordType {
            name,
            kind: RecordKind::Array,
            fields,
            supers: Vec::new(),
            monitor: false,
            boxed: false,
            span,
        });
        Some(records.len() - 1)
    }

    /// The type of the elements of arrays.
    pub(in crate::lower) fn element_type(&self, array: RecordId) -> Type {
        if let (Some(&to), Some(reference)) = (self.symbols.reference_arrays.get(&array), self.symbols.reference) {
            return Type::Pointer(reference, to);
        }
        let slot = self.model.heap.as_ref().and_then(|heap| heap.records.get(array)?.fields.first());
        slot.map_or(Type::Scalar(TEMPLATE.scalar, None), |slot| Type::Scalar(slot.scalar, slot.mtype))
    }

    /// The type of a variable or of a part of a record, if it is sound, in a model with a heap.
    pub(in crate::lower) fn static_type(&self, var: &VarRef) -> Option<Type> {
        self.model.heap.as_ref()?;
        self.type_of(var)
    }

    /// The same in every model.
    pub(super) fn type_of(&self, var: &VarRef) -> Option<Type> {
        let name = &var.path[0].name.text;
        let variable = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name))?;
        self.type_at(variable, var)
    }

    /// The type of what a path leads to that begins at a variable.
    pub(in crate::lower) fn type_at(&self, variable: &Variable, var: &VarRef) -> Option<Type> {
        let (mut ty, mut length) = (variable.ty.clone(), variable.length);
        for (depth, field) in var.path.iter().enumerate() {
            if depth > 0 {
                let (Type::Structure(id) | Type::Pointer(_, Pointee::Structure(id))) = ty else { return None };
                let info = self.symbols.structures[id].fields.iter().find(|info| info.name == field.name.text)?;
                (ty, length) = (info.ty.clone(), info.length);
            }
            if let (Some(_), None, Type::Pointer(_, Pointee::Array(array))) = (&field.index, length, &ty) {
                ty = self.element_type(*array);
            }
        }
        Some(ty)
    }
}
