//! Parts of records, and how they are read and stored. An array inside a record is so many fields; which of them an index names is
//! found out when it is used.

use quotient_ir::{
    Action, BinaryOp, Deterministic, Expr, HeapAction, HeapExpr, Index, Node, NodeOption, Part, Place, RecordId,
    Scalar, Scope, Slot, Sort, Which,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::super::Lowering;
use super::super::declarations::TEMPLATE;
use super::super::expressions::Reference;
use super::together;
use crate::ast::VarRef;
use crate::symbols::Type;

/// An array inside a record has at most so many elements if its index is worked out.
const MOST_PARTS: usize = 64;

/// A part of a record that a reference leads to.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Followed {
    /// Where it is: a variable, or a part of a record.
    pub(super) parts: Vec<Target>,
    /// Which of them it is, if there are several.
    pub(super) index: Option<Index>,
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    Place(Place),
    Part(Part),
}

impl Target {
    fn read(&self) -> Expr {
        match self {
            Target::Place(place) => Expr::Read(place.clone()),
            Target::Part(part) => HeapExpr::Read(part.clone()).into(),
        }
    }
}

impl Followed {
    /// Whether it is known which part it is.
    pub(in crate::lower) fn is_one(&self) -> bool {
        self.index.is_none()
    }

    /// What lies at a place: of a variable, or, where references were followed, of a record.
    pub(in crate::lower) fn new(
        record: Option<(Expr, RecordId)>,
        element: Option<Expr>,
        place: Place,
        span: Span,
    ) -> Self {
        let Some((object, record)) = record else { return Followed { parts: vec![Target::Place(place)], index: None } };
        let scalar = place.scalar;
        let part = |which: Which| Target::Part(Part { object: object.clone(), record, which, scalar, span });
        if let Some(element) = element {
            return Followed { parts: vec![part(Which::Element(element))], index: None };
        }
        match <[Index; 1]>::try_from(place.indices) {
            Ok([index]) => {
                let fields = (0..index.length).map(|k| part(Which::Field(place.slot + k * index.stride)));
                Followed { parts: fields.collect(), index: Some(index) }
            }
            Err(_) => Followed { parts: vec![part(Which::Field(place.slot))], index: None },
        }
    }

    /// The value.
    pub(in crate::lower) fn read(&self) -> Expr {
        let Some((last, before)) = self.parts.split_last() else { return Expr::Const(0) };
        let Some(index) = &self.index else { return last.read() };
        let mut value = last.read();
        for (k, part) in before.iter().enumerate().rev() {
            let is_it = Expr::Binary(BinaryOp::Eq, Box::new(index.value.clone()), Box::new(Expr::Const(k as i32)));
            value = Expr::Cond(Box::new(is_it), Box::new(part.read()), Box::new(value));
        }
        // The index is looked at first, and must be one of an element.
        let sound = Expr::Binary(BinaryOp::Ge, Box::new(self.checked(index)), Box::new(Expr::Const(0)));
        Expr::Cond(Box::new(sound), Box::new(value), Box::new(last.read()))
    }

    fn checked(&self, index: &Index) -> Expr {
        let high = self.parts.len() as i32 - 1;
        HeapExpr::Ranged { value: index.value.clone(), low: 0, high, span: index.span }.into()
    }
}

impl Lowering {
    /// What a reference with parts of records in it stands for.
    pub(in crate::lower) fn part(
        &mut self,
        record: Option<(Expr, RecordId)>,
        element: Option<Expr>,
        place: Place,
        ty: &Type,
        var: &VarRef,
    ) -> Option<Reference> {
        let scalar = match ty {
            Type::Scalar(scalar, _) | Type::Pointer(scalar, _) => *scalar,
            Type::Structure(_) => {
                let message = format!("`{var}` is a structure in a record; a value is needed here");
                self.error(Diagnostic::error(var.span, message).help("name one of its fields"));
                return None;
            }
        };
        let many = place.indices.iter().any(|index| index.length > MOST_PARTS);
        if place.indices.len() > 1 || many {
            let message = match many {
                true => format!("an array of more than {MOST_PARTS} elements in a record needs a constant index"),
                false => "only one index inside a record may be worked out; the others must be constants".to_string(),
            };
            self.error(Diagnostic::error(var.span, message).help("use a reference to an array: `new byte[n]`"));
            return None;
        }
        Some(Reference::Part(Followed::new(record, element, Place { scalar, ..place }, var.span)))
    }

    /// A variable for a field of a message that goes into a part of a record.
    pub(in crate::lower) fn received_slot(&mut self, var: &VarRef, field: Scalar, part: &Followed) -> Place {
        let is_reference = part.read().is_reference();
        let scalar = match self.symbols.reference.filter(|_| is_reference) {
            Some(reference) => reference,
            None if field.sort == Sort::Ref => super::super::expressions::SCRATCH,
            None => field,
        };
        let slot = self.body.slots.len();
        self.body.slots.push(Slot { name: format!("${var}"), scalar, ..TEMPLATE.clone() });
        Place::scalar(Scope::Local, slot, scalar)
    }

    /// A receive that stores in parts of records, as one step: what is received is in variables first, which are empty again
    /// after it.
    pub(in crate::lower) fn receive_into_parts(&mut self, receive: Action, span: Span) -> Action {
        let received = std::mem::take(&mut self.body.received);
        if received.is_empty() {
            return receive;
        }
        let mut actions = vec![receive];
        for (part, place) in received {
            let empty = if place.scalar.sort == Sort::Ref { HeapExpr::Null.into() } else { Expr::Const(0) };
            actions.push(self.set(part, Expr::Read(place.clone())));
            actions.push(Action::Assign(place, empty));
        }
        together(actions, span)
    }

    /// Stores a value in a part of a record.
    pub(in crate::lower) fn set(&mut self, followed: Followed, value: Expr) -> Action {
        let store = |target: &Target| match target {
            Target::Place(place) => Action::Assign(place.clone(), value.clone()),
            Target::Part(part) => HeapAction::Set(part.clone(), value.clone()).into(),
        };
        let Some(index) = &followed.index else { return followed.parts.first().map_or(Action::Skip, store) };
        if self.body.inside_dstep {
            let message = "an index that is worked out cannot be used to store into a record inside a d_step";
            self.error(Diagnostic::error(index.span, message).help("use `atomic`, or a constant index"));
            return Action::Skip;
        }
        // The index is looked at first; then the one of the parts that it names is stored into.
        let span = index.span;
        let node = |options: Vec<NodeOption>| Node { options, span };
        let option = |action: Action, next: Option<usize>| NodeOption { action, next, span, direct: true };
        let is_it = |k: usize| {
            let equal = Expr::Binary(BinaryOp::Eq, Box::new(index.value.clone()), Box::new(Expr::Const(k as i32)));
            option(Action::Condition(equal), Some(k + 2))
        };
        let check = HeapAction::Evaluate(followed.checked(index)).into();
        let mut nodes = vec![node(vec![option(check, Some(1))])];
        nodes.push(node((0..followed.parts.len()).map(is_it).collect()));
        nodes.extend(followed.parts.iter().map(|part| node(vec![option(store(part), None)])));
        Action::Deterministic(Deterministic { nodes, loops: Vec::new() })
    }
}
