//! Types of BIR once names are resolved, and which value fits where.

use std::collections::HashMap;
use std::rc::Rc;

use quotient_ir::{RecordId, RecordKind, RecordType, Scalar, Slot, Sort, ValueKind, Width};
use quotient_report::source::Span;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Boolean,
    /// With its range, if it has one.
    Int(Option<Range>),
    Enum(usize),
    /// A record, a lock, an array or a thread.
    Ref(RecordId),
    /// A function with such parameters and such a result, or none.
    Function(Vec<Ty>, Option<Box<Ty>>),
    /// The type of `null`.
    Null,
    /// Something is wrong with it, which has been told; it fits everywhere.
    Error,
}

/// The range of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    pub low: i32,
    pub high: i32,
    /// Values outside come back in at the other side.
    pub wrap: bool,
}

/// A record with its fields and those of the records it extends.
#[derive(Clone, Debug)]
pub(crate) struct RecordInfo {
    pub name: Rc<str>,
    pub fields: Vec<(Rc<str>, Ty)>,
    pub supers: Vec<RecordId>,
    pub kind: RecordKind,
    pub throwable: bool,
    /// Some lock operation is about it, or about a record that it extends.
    pub monitor: bool,
    /// Of a value: its extension, the number of its type, and what the type variables stand for.
    pub value: Option<Instance>,
    pub span: Span,
}

/// A type of an extension with the types that its variables stand for.
pub(crate) type Instance = (usize, usize, Vec<Ty>);

/// An enum with its values.
#[derive(Clone, Debug)]
pub(crate) struct EnumInfo {
    pub name: Rc<str>,
    pub values: Vec<Rc<str>>,
}

/// All types of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub records: Vec<RecordInfo>,
    pub enums: Vec<EnumInfo>,
    /// There is a record that all others extend, so that every record can be locked.
    pub top: Option<RecordId>,
    arrays: HashMap<Ty, RecordId>,
    values: HashMap<Instance, RecordId>,
    lock: Option<RecordId>,
    thread: Option<RecordId>,
}

/// The sets of names in [`quotient_ir::Model::mtypes`]: the truth values come first, then the enums.
const TRUTH: usize = 0;

impl Types {
    /// The type of arrays with these elements.
    pub(crate) fn array(&mut self, element: &Ty, span: Span) -> Ty {
        if let Some(&known) = self.arrays.get(element) {
            return Ty::Ref(known);
        }
        let name = format!("{}[]", self.show(element));
        let id = self.add(&name, RecordKind::Array, span);
        self.records[id].fields.push(("[]".into(), element.clone()));
        self.arrays.insert(element.clone(), id);
        Ty::Ref(id)
    }

    /// The type of values of an extension, with the types of their cells.
    pub(crate) fn value(
        &mut self,
        instance: Instance,
        name: &str,
        kind: ValueKind,
        cells: Vec<(Rc<str>, Ty)>,
        span: Span,
    ) -> Ty {
        if let Some(&known) = self.values.get(&instance) {
            return Ty::Ref(known);
        }
        let id = self.add(name, RecordKind::Value(kind), span);
        self.records[id].fields = cells;
        self.records[id].value = Some(instance.clone());
        self.values.insert(instance, id);
        Ty::Ref(id)
    }

    /// The type of locks that are no records.
    pub(crate) fn lock(&mut self, span: Span) -> Ty {
        let id = match self.lock {
            Some(id) => id,
            None => self.add("lock", RecordKind::Object, span),
        };
        self.records[id].monitor = true;
        self.lock = Some(id);
        Ty::Ref(id)
    }

    /// The type of references to threads.
    pub(crate) fn tid(&mut self, span: Span) -> Ty {
        let id = match self.thread {
            Some(id) => id,
            None => self.add("tid", RecordKind::Thread, span),
        };
        self.thread = Some(id);
        Ty::Ref(id)
    }

    /// The type of records for threads, if the model has any.
    pub(crate) fn thread(&self) -> Option<RecordId> {
        self.thread
    }

    fn add(&mut self, name: &str, kind: RecordKind, span: Span) -> RecordId {
        let (fields, supers) = (Vec::new(), Vec::new());
        let name = name.into();
        self.records.push(RecordInfo {
            name,
            fields,
            supers,
            kind,
            throwable: false,
            monitor: false,
            value: None,
            span,
        });
        self.records.len() - 1
    }

    /// Whether a record is another one, or extends it.
    pub(crate) fn is_a(&self, record: RecordId, other: RecordId) -> bool {
        record == other || self.records[record].supers.iter().any(|&above| self.is_a(above, other))
    }

    /// Whether a value of one type can be used as one of another.
    pub(crate) fn fits(&self, value: &Ty, target: &Ty) -> bool {
        match (value, target) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Boolean, Ty::Boolean) | (Ty::Int(_), Ty::Int(_)) => true,
            (Ty::Enum(a), Ty::Enum(b)) => a == b,
            (Ty::Null, Ty::Ref(_) | Ty::Function(..) | Ty::Null) => true,
            (Ty::Function(..), Ty::Function(..)) => value == target,
            (Ty::Ref(a), Ty::Ref(b)) => self.is_a(*a, *b),
            _ => false,
        }
    }

    /// Whether values of two types can be compared.
    pub(crate) fn comparable(&self, a: &Ty, b: &Ty) -> bool {
        self.fits(a, b) || self.fits(b, a)
    }

    /// Marks what can be locked when something of this type is.
    pub(crate) fn lock_used(&mut self, record: RecordId) {
        for other in 0..self.records.len() {
            if self.is_a(other, record) {
                self.records[other].monitor = true;
            }
        }
    }

    /// A type as a person would write it.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Boolean => "boolean".to_string(),
            Ty::Int(None) => "int".to_string(),
            Ty::Int(Some(Range { low, high, wrap })) => {
                format!("int {}({low}, {high})", if *wrap { "wrap " } else { "" })
            }
            Ty::Enum(id) => self.enums[*id].name.to_string(),
            Ty::Ref(id) => self.records[*id].name.to_string(),
            Ty::Function(params, result) => {
                let params: Vec<String> = params.iter().map(|ty| self.show(ty)).collect();
                let result = result.as_ref().map_or(String::new(), |ty| format!(" returns {}", self.show(ty)));
                format!("fun ({}){result}", params.join(", "))
            }
            Ty::Null => "null".to_string(),
            Ty::Error => "?".to_string(),
        }
    }

    /// How values of a type are kept.
    pub(crate) fn scalar(&self, ty: &Ty, reference: Scalar) -> Scalar {
        match ty {
            Ty::Boolean | Ty::Error => Scalar::plain(Width::Bit),
            Ty::Enum(_) | Ty::Function(..) => Scalar::plain(Width::Byte),
            Ty::Int(None) => Scalar::plain(Width::Int),
            Ty::Int(Some(Range { low, high, .. })) => Scalar::plain(match (*low, *high) {
                (0.., ..=255) => Width::Byte,
                (-32768.., ..=32767) => Width::Short,
                _ => Width::Int,
            }),
            Ty::Ref(_) | Ty::Null => {
                debug_assert_eq!(reference.sort, Sort::Ref);
                reference
            }
        }
    }

    /// A variable or field of a type.
    pub(crate) fn slot(&self, name: &str, ty: &Ty, reference: Scalar) -> Slot {
        let mtype = match ty {
            Ty::Boolean => Some(TRUTH),
            Ty::Enum(id) => Some(id + 1),
            // The names of functions come last.
            Ty::Function(..) => Some(self.enums.len() + 1),
            _ => None,
        };
        Slot {
            name: name.to_string(),
            scalar: self.scalar(ty, reference),
            mtype,
            hidden: false,
            private: false,
            boxed: false,
        }
    }

    /// The names of values, as a model has them, with those of its functions.
    pub(crate) fn names(&self, functions: Vec<String>) -> Vec<Vec<String>> {
        let truth = vec!["false".to_string(), "true".to_string()];
        let of = |one: &EnumInfo| one.values.iter().map(|value| value.to_string()).collect();
        let functions = std::iter::once("null".to_string()).chain(functions).collect();
        std::iter::once(truth).chain(self.enums.iter().map(of)).chain([functions]).collect()
    }

    /// The record types, as a model has them.
    pub(crate) fn record_types(&self, reference: Scalar) -> Vec<RecordType> {
        let of = |one: &RecordInfo| RecordType {
            name: one.name.to_string(),
            kind: one.kind,
            fields: one.fields.iter().map(|(name, ty)| self.slot(name, ty, reference)).collect(),
            supers: one.supers.clone(),
            monitor: one.monitor,
            boxed: false,
            span: one.span,
        };
        self.records.iter().map(of).collect()
    }
}
