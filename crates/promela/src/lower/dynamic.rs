//! What dSPIN adds to Promela: references, records that are made and deleted, and functions. A typedef is also a type of records;
//! a reference to scalars refers to an array of them.

use quotient_ir::{
    Action, BinaryOp, Callee, Deterministic, Expr, Heap, HeapAction, HeapExpr, Index, Node, NodeOption, Part, Place,
    ProctypeKind, RecordId, RecordKind, RecordType, Scalar, Scope, Setup, Slot, Sort, State, Statement, Transition,
    Which,
};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use super::declarations::TEMPLATE;
use super::elements::{ElementId, Kind, SequenceId};
use super::expressions::{Reference, count};
use super::{Lowering, undeclared};
use crate::ast::{self, Call, Declarator, ExprKind, Function, Made, Returned, Spec, Stmt, TypeName, Unit, VarRef};
use crate::preprocess::Dynamic;
use crate::symbols::{FieldInit, FunctionInfo, Pointee, Structure, Type};

/// An array inside a record has at most so many elements if its index is worked out.
const MOST_PARTS: usize = 64;

/// A heap with these limits.
pub(super) fn heap(dynamic: Dynamic) -> Heap {
    let Dynamic { most_records, most_frames, leaks } = dynamic;
    Heap { most_records, most_frames, leaks, ..Heap::default() }
}

/// Whether a specification makes use of what dSPIN adds.
pub(super) fn has_heap(spec: &Spec) -> bool {
    let pointers = |decl: &ast::Decl| decl.vars.iter().any(|var| var.pointer);
    fn in_sequence(sequence: &ast::Sequence, pointers: &dyn Fn(&ast::Decl) -> bool) -> bool {
        sequence.steps.iter().any(|step| match step {
            ast::Step::Decl(decl) => pointers(decl),
            ast::Step::Stmt(stmt) => in_statement(stmt, pointers),
            ast::Step::Unless { body, escape, .. } => in_statement(body, pointers) || in_statement(escape, pointers),
            ast::Step::Exclusive { .. } => false,
        })
    }
    fn in_statement(stmt: &Stmt, pointers: &dyn Fn(&ast::Decl) -> bool) -> bool {
        use ast::StmtKind;
        match &stmt.kind {
            StmtKind::Labelled(_, Some(inner)) => in_statement(inner, pointers),
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(|option| in_sequence(option, pointers)),
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::Inlined { body, .. }
            | StmtKind::ForRange { body, .. }
            | StmtKind::ForIn { body, .. }
            | StmtKind::ForEach { body, .. } => in_sequence(body, pointers),
            StmtKind::New { .. } | StmtKind::Delete(_) | StmtKind::Call { .. } | StmtKind::Return(_) => true,
            _ => false,
        }
    }
    spec.units.iter().any(|unit| match unit {
        Unit::Function(_) => true,
        Unit::Decl(decl) => pointers(decl),
        Unit::Typedef(typedef) => typedef.fields.iter().flatten().any(pointers),
        Unit::Proctype(proctype) => proctype.params.iter().any(pointers) || in_sequence(&proctype.body, &pointers),
        Unit::Init(init) => in_sequence(&init.body, &pointers),
        _ => false,
    })
}

/// A variable without a name, for a type that stands alone.
pub(super) fn anonymous(span: Span) -> Declarator {
    Declarator { pointer: false, name: ast::Name { text: "".into(), span }, width: None, length: None, init: None }
}

/// A part of a record that a reference leads to.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    /// Where it is: a variable, or a part of a record.
    parts: Vec<Target>,
    /// Which of them it is, if there are several.
    index: Option<Index>,
}

#[derive(Clone, Debug)]
enum Target {
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
    /// What lies at a place: of a variable, or, where references were followed, of a record.
    pub(super) fn new(record: Option<(Expr, RecordId)>, element: Option<Expr>, place: Place, span: Span) -> Self {
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
    pub(super) fn read(&self) -> Expr {
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

/// What an expression is, as far as references are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Number,
    Null,
    Pointer(Pointee),
    /// What is wrong with it is told elsewhere.
    Unknown,
}

impl Lowering {
    // ---- types ----

    /// Gives every typedef its place, so that references to one that is defined further down can be declared.
    pub(super) fn declare_records(&mut self, spec: &Spec) {
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
            heap.records.push(RecordType { name, kind, fields: Vec::new(), supers: Vec::new(), monitor: false, span });
        }
        self.model.heap = Some(heap);
    }

    /// Gives the types of records their fields.
    pub(super) fn define_records(&mut self) {
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
                self.symbols.flatten(&field.name, &field.ty, field.length, &TEMPLATE, &mut fields);
            }
            if let (Some(heap), Some(record)) = (&mut self.model.heap, record) {
                heap.records[record].fields = fields;
            }
        }
    }

    /// The type of a declared reference.
    pub(super) fn pointer_type(&mut self, ty: &TypeName, var: &Declarator) -> Option<Type> {
        let scalar = self.model.heap.as_ref()?.reference();
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
        // The elements of an array of bits are bytes, as elsewhere.
        let length = Some(ast::Expr { kind: ExprKind::Const(1), span: var.name.span });
        let element = Declarator { pointer: false, length, width: None, init: None, ..var.clone() };
        let Type::Scalar(element, mtype) = self.resolve_type(ty, &element)? else { return None };
        Some(Type::Pointer(scalar, Pointee::Array(self.array_of(ty, element, mtype)?)))
    }

    /// The type of the arrays of a type.
    fn array_of(&mut self, ty: &TypeName, element: Scalar, mtype: Option<usize>) -> Option<RecordId> {
        let records = &mut self.model.heap.as_mut()?.records;
        let is_it = |record: &RecordType| {
            record.kind == RecordKind::Array && record.fields[0].scalar == element && record.fields[0].mtype == mtype
        };
        if let Some(known) = records.iter().position(is_it) {
            return Some(known);
        }
        let fields = vec![Slot { scalar: element, mtype, ..TEMPLATE.clone() }];
        let (name, span) = (format!("{ty}[]"), Span::default());
        records.push(RecordType { name, kind: RecordKind::Array, fields, supers: Vec::new(), monitor: false, span });
        Some(records.len() - 1)
    }

    /// The type of the elements of arrays.
    pub(super) fn element_type(&self, array: RecordId) -> Type {
        let slot = self.model.heap.as_ref().and_then(|heap| heap.records.get(array)?.fields.first());
        slot.map_or(Type::Scalar(TEMPLATE.scalar, None), |slot| Type::Scalar(slot.scalar, slot.mtype))
    }

    /// The type of a variable or of a part of a record, if it is sound.
    pub(super) fn static_type(&self, var: &VarRef) -> Option<Type> {
        self.model.heap.as_ref()?;
        let name = &var.path[0].name.text;
        let variable = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name))?;
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

    fn found(&self, expr: &ast::Expr) -> Found {
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

    // ---- rules ----

    /// A number must stand here.
    pub(super) fn no_reference(&mut self, expr: &ast::Expr) {
        if self.model.heap.is_some() && matches!(self.found(expr), Found::Null | Found::Pointer(_)) {
            let message = format!("`{expr}` is a reference, and a number is needed here");
            self.error(Diagnostic::error(expr.span, message).help("compare it with `null`, or name a field"));
        }
    }

    /// Both sides of an operator.
    pub(super) fn check_comparison(&mut self, compares: bool, a: &ast::Expr, b: &ast::Expr) {
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
    pub(super) fn check_value(&mut self, value: &ast::Expr, ty: &Type, what: &str) {
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

    // ---- parts ----

    /// What a reference with parts of records in it stands for.
    pub(super) fn part(
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
        if scalar.sort == Sort::Channel {
            let message = "channels in records are not supported";
            self.error(Diagnostic::error(var.span, message).help("declare the channel as a global variable"));
            return None;
        }
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

    /// Stores a value in a part of a record.
    pub(super) fn set(&mut self, followed: Followed, value: Expr) -> Action {
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

    // ---- statements ----

    /// `new T`, as a value; with its type and what to store in it afterwards.
    fn made(&mut self, made: &Made) -> Option<(Expr, Pointee, Vec<(usize, i32)>)> {
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
            (Pointee::Array(record), None) => (record, Some(Expr::Const(1))),
            (Pointee::Array(record), Some(length)) => {
                self.no_reference(length);
                (record, Some(self.expr(length)))
            }
        };
        let mut values = Vec::new();
        for (slot, init) in inits {
            match init {
                FieldInit::Value(value) => values.push((slot, value)),
                FieldInit::Zero => {}
                FieldInit::Channel(_) => {
                    let message = "a record with channels cannot be made: channels in records are not supported";
                    self.error(Diagnostic::error(made.span, message));
                    return None;
                }
            }
        }
        Some((HeapExpr::New { record, length, span: made.span }.into(), to, values))
    }

    /// `target = new T`
    pub(super) fn lower_new(&mut self, target: &VarRef, made: &Made) -> Action {
        let Some((value, to, inits)) = self.made(made) else { return Action::Skip };
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
        if inits.is_empty() {
            return self.set(followed, value);
        }
        // The new record is made first, and then its fields get their initial values, all in one step.
        let record = match to {
            Pointee::Structure(id) => self.symbols.structures[id].record,
            Pointee::Array(_) => None,
        };
        let Some(record) = record else { return Action::Skip };
        if self.body.inside_dstep || followed.index.is_some() {
            let message = "a record whose fields have initial values can be made only in a variable, outside d_step";
            self.error(Diagnostic::error(made.span, message));
            return Action::Skip;
        }
        let object = followed.read();
        let mut actions = vec![self.set(followed, value)];
        for (slot, value) in inits {
            let fields = self.model.heap.as_ref().map(|heap| heap.records[record].fields[slot].scalar);
            let Some(scalar) = fields else { continue };
            let part = Part { object: object.clone(), record, which: Which::Field(slot), scalar, span: made.span };
            actions.push(HeapAction::Set(part, Expr::Const(value)).into());
        }
        together(actions, made.span)
    }

    /// `delete p`
    pub(super) fn lower_delete(&mut self, var: &VarRef) -> Action {
        let expr = ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span };
        if matches!(self.found(&expr), Found::Number) {
            self.error(Diagnostic::error(var.span, format!("`{var}` is not a reference, and cannot be deleted")));
            return Action::Skip;
        }
        HeapAction::Delete(self.expr(&expr)).into()
    }

    /// A call as an action, with a local slot for its result.
    fn call(&mut self, call: &Call, result: Option<usize>) -> Option<Action> {
        let Some(info) = self.symbols.functions.get(&call.name.text).cloned() else {
            self.error(undeclared(&call.name, "function"));
            return None;
        };
        let place = match self.body.kind {
            ProctypeKind::Claim | ProctypeKind::Trace => Some("a claim or a trace"),
            _ if self.body.inside_dstep => Some("a d_step"),
            _ if self.body.inside_atomic > 0 => Some("an atomic sequence"),
            _ => None,
        };
        if let Some(place) = place {
            let message = format!("a function cannot be called in {place}");
            self.error(Diagnostic::error(call.span, message).help("its steps are steps of their own"));
        }
        if call.args.len() == info.params.len() {
            for (arg, ty) in call.args.iter().zip(&info.params) {
                self.check_value(arg, ty, "the parameter");
            }
        }
        let scalars = self.symbols.signatures[info.id].params.clone();
        let args = self.arguments(&call.args, &scalars);
        if args.len() != scalars.len() {
            let name = &call.name.text;
            let message = format!("`{name}` takes {} but is given {}", count(scalars.len(), "argument"), args.len());
            let at = self.model.proctypes[info.id].span;
            self.error(Diagnostic::error(call.span, message).related(at, "declared here"));
            return None;
        }
        Some(HeapAction::Call { callee: Callee::Function(info.id), args, result }.into())
    }

    /// A local variable for the result of a call.
    fn result_slot(&mut self, call: &Call) -> Option<Place> {
        let result = self.symbols.functions.get(&call.name.text).and_then(|info| info.result.clone());
        let Some(Type::Scalar(scalar, _) | Type::Pointer(scalar, _)) = result else {
            if self.symbols.functions.contains_key(&call.name.text) {
                let message = format!("`{}` has no result", call.name.text);
                self.error(Diagnostic::error(call.span, message).help("declare one: `function f() : int { … }`"));
            }
            return None;
        };
        let slot = self.body.slots.len();
        let name = format!("result of {}", call.name.text);
        self.body.slots.push(Slot { name, scalar, ..TEMPLATE.clone() });
        Some(Place::scalar(Scope::Local, slot, scalar))
    }

    /// `f(args)`, `target = f(args)`
    pub(super) fn lower_call(
        &mut self,
        target: Option<&VarRef>,
        call: &Call,
        stmt: &Stmt,
        into: SequenceId,
    ) -> ElementId {
        let Some(target) = target else {
            let action = self.call(call, None).unwrap_or(Action::Skip);
            return self.basic(action, stmt.span, stmt.to_string(), into);
        };
        let info = self.symbols.functions.get(&call.name.text).cloned();
        if let (Some(Some(result)), Some(ty)) = (info.as_ref().map(|info| &info.result), self.static_type(target)) {
            let fits = match (&ty, result) {
                (Type::Pointer(_, a), Type::Pointer(_, b)) => a == b,
                (Type::Scalar(..), Type::Scalar(..)) => true,
                _ => false,
            };
            if !fits {
                let message = format!("the result of `{}` is of another type than `{target}`", call.name.text);
                self.error(Diagnostic::error(call.span, message));
                return self.skip(stmt.span, into);
            }
        }
        let reference = self.reference(target);
        if let (Some(Reference::Places(places, ..)), Some(FunctionInfo { result: Some(result), .. })) =
            (&reference, &info)
            && let [Place { scope: Scope::Local, slot, indices, scalar }] = &places[..]
            && indices.is_empty()
            && matches!(result, Type::Scalar(other, _) | Type::Pointer(other, _) if other == scalar)
        {
            let action = self.call(call, Some(*slot)).unwrap_or(Action::Skip);
            return self.basic(action, stmt.span, stmt.to_string(), into);
        }
        let Some(result) = self.result_slot(call) else { return self.skip(stmt.span, into) };
        let action = self.call(call, Some(result.slot)).unwrap_or(Action::Skip);
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
    pub(super) fn lower_return(&mut self, returned: &Returned, stmt: &Stmt, into: SequenceId) -> ElementId {
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
            Returned::Value(value) => Some(self.expr(value)),
            Returned::Made(made) => self.made(made).and_then(|(value, to, inits)| {
                if !inits.is_empty() || !matches!(result, Some(Type::Pointer(_, wanted)) if wanted == to) {
                    let message = "this cannot be returned: it has initial values, or is of another type";
                    self.error(Diagnostic::error(made.span, message).help("assign it to a variable first"));
                    return None;
                }
                Some(value)
            }),
            Returned::Call(call) => {
                let place = self.result_slot(call);
                if let (Some(place), Some(Type::Scalar(scalar, _) | Type::Pointer(scalar, _))) = (&place, &result)
                    && (place.scalar.sort == Sort::Ref) != (scalar.sort == Sort::Ref)
                {
                    self.error(Diagnostic::error(call.span, "the results of the two functions are of different types"));
                }
                let action = self.call(call, place.as_ref().map(|place| place.slot)).unwrap_or(Action::Skip);
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
    pub(super) fn last_return(&mut self, id: usize, span: Span) -> ElementId {
        let info = self.symbols.functions.values().find(|info| info.id == id);
        let value = info.and_then(|info| info.result.as_ref()).map(|result| match result {
            Type::Pointer(..) => HeapExpr::Null.into(),
            _ => Expr::Const(0),
        });
        self.body.graph.element(Kind::Basic(HeapAction::Return(value).into()), span, "return")
    }

    // ---- functions ----

    /// Gives a function its name.
    pub(super) fn declare_function(&mut self, function: &Function) {
        let id = self.model.proctypes.len();
        let name = function.name.text.clone();
        let taken = self.symbols.proctypes.contains_key(&name);
        let info = FunctionInfo { id, params: Vec::new(), result: None };
        if self.symbols.functions.insert(name.clone(), info).is_some() || taken {
            self.error(Diagnostic::error(function.name.span, format!("`{name}` is declared twice")));
        }
    }

    /// Finds the types of a function's parameters and result.
    pub(super) fn declare_signature(&mut self, id: usize, function: &Function) {
        let mut params = Vec::new();
        let mut scalars = Vec::new();
        for (decl, var) in function.params.iter().flat_map(|decl| decl.vars.iter().map(move |var| (decl, var))) {
            let Some(ty) = self.resolve_type(&decl.ty, var) else { continue };
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
    /// does nothing else. A return ends an atomic sequence.
    pub(super) fn set_calls_apart(&mut self, states: &mut Vec<State>, statements: &mut Vec<Statement>) {
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
                    states[state].transitions[number] = Transition { statement, target, ..transition };
                }
            }
        }
    }

    /// What the intermediate form does not allow is told here, if nothing else was.
    pub(super) fn check_heap(&mut self) {
        let failed = self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if self.model.heap.is_none() || failed {
            return;
        }
        for proctype in &self.model.proctypes {
            let has_channel = proctype.setup.iter().any(|setup| matches!(setup, Setup::Channel(..)));
            if has_channel {
                let message = "channels of processes are not supported in a model with references";
                let diagnostic =
                    Diagnostic::error(proctype.span, message).help("declare the channels as global variables");
                self.diagnostics.push(diagnostic);
                return;
            }
        }
        if let Err(defect) = self.model.validate() {
            self.error(Diagnostic::global(format!("the model cannot be checked: {defect:?}")));
        }
    }
}

/// Several actions as one step.
fn together(actions: Vec<Action>, span: Span) -> Action {
    let last = actions.len() - 1;
    let node = |(at, action): (usize, Action)| {
        let next = (at < last).then_some(at + 1);
        Node { options: vec![NodeOption { action, next, span, direct: true }], span }
    };
    Action::Deterministic(Deterministic {
        nodes: actions.into_iter().enumerate().map(node).collect(),
        loops: Vec::new(),
    })
}
