//! What is malformed about calls of extensions. References must stay where references are expected: a cell that holds one is
//! found by collection and renaming only if its type says so.

use super::{Check, Defect};
use crate::extension::{Alternative, Extension, Term};
use crate::{Access, Expr, Extend, Gives, RecordId, RecordKind, Sort};

/// By type variable, whether it stands for references.
type Variables = Vec<Option<bool>>;

impl Check<'_> {
    /// Checks a call of an operation of an extension.
    pub(super) fn extend(&mut self, call: &Extend) {
        let heap = self.model.heap.as_ref();
        let Some(extension) = heap.and_then(|heap| heap.extensions.get(call.extension)) else {
            return self.report(Defect::NoOperation(call.operation));
        };
        let Some(operation) = extension.operations().get(call.operation) else {
            return self.report(Defect::NoOperation(call.operation));
        };
        let (expected, found) = (call.args.len(), call.access.len());
        self.demand(expected == found, Defect::Length { expected, found });
        let (least, most) = operation.arguments();
        let fits = expected >= least && most.is_none_or(|most| expected <= most);
        self.demand(fits, Defect::Length { expected: least, found: expected });
        let mut variables = Variables::new();
        for (number, (arg, &access)) in call.args.iter().zip(&call.access).enumerate() {
            self.stored(arg, arg.is_reference());
            // An alternative that is not there must leave nothing behind.
            let acts = arg.any(&|part| matches!(part, Expr::Heap(heap) if heap.acts()));
            self.demand(!acts || !operation.chooses, Defect::NoOperation(call.operation));
            let Some(parameter) = operation.parameter(number) else { continue };
            let writes = matches!(access, Access::Writes(_));
            self.demand(writes == parameter.writes, Defect::NoOperation(call.operation));
            self.term(&**extension, parameter.term, arg.is_reference(), access.value(), &mut variables);
        }
        let (reference, made) = match call.gives {
            Gives::Number => (false, None),
            Gives::Reference => (true, None),
            Gives::New(record) => (true, Some(record)),
        };
        match operation.result {
            Some(term) => self.term(&**extension, term, reference, made, &mut variables),
            None => self.demand(call.gives == Gives::Number, Defect::MixedSorts),
        }
        let chooses = call.alternative != Alternative::Only;
        self.demand(chooses == operation.chooses, Defect::NoOperation(call.operation));
    }

    /// Checks something that an extension says is of a type.
    fn term(
        &mut self,
        extension: &dyn Extension,
        term: Term,
        reference: bool,
        value: Option<RecordId>,
        variables: &mut Variables,
    ) {
        self.demand(matches!(term, Term::Own(_)) == value.is_some(), Defect::MixedSorts);
        match term {
            Term::Boolean | Term::Int => self.demand(!reference, Defect::MixedSorts),
            Term::Variable(variable) => {
                variables.resize(variables.len().max(variable + 1), None);
                let known = *variables[variable].get_or_insert(reference);
                self.demand(known == reference, Defect::MixedSorts);
            }
            Term::Own(ty) => {
                self.demand(reference, Defect::MixedSorts);
                let (Some(record), Some(ty)) = (value.and_then(|value| self.record(value)), extension.types().get(ty))
                else {
                    return;
                };
                let cells = ty.head.iter().chain(ty.entry);
                let is_like = matches!(record.kind, RecordKind::Value(kind)
                    if kind.head == ty.head.len() && kind.unordered == ty.unordered)
                    && record.fields.len() == cells.clone().count();
                self.demand(is_like, Defect::MixedSorts);
                for (&cell, slot) in cells.zip(&record.fields) {
                    self.term(extension, cell, slot.scalar.sort == Sort::Ref, None, variables);
                }
            }
        }
    }
}
