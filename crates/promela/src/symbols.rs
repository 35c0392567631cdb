//! Names and what they stand for: types, variables, symbolic constants and process signatures. Scopes nest as blocks
//! do; every declaration has slots of its own, so two blocks of one process never share storage.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use quotient_ir::{ChannelTypeId, Expr, RecordId, Scalar, Scope, Slot, Sort, StateId, Width};
use quotient_report::source::Span;

/// A user-defined structure.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    /// The fields, in order.
    pub fields: Vec<FieldInfo>,
    /// Slots of one instance.
    pub slots: usize,
    /// Where it is declared.
    pub span: Span,
    /// The records that are made of it, in a model with a heap.
    pub record: Option<RecordId>,
    /// Its fields are known.
    pub defined: bool,
}

/// What a reference refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pointee {
    /// Records of a structure, by its index in [`Symbols::structures`].
    Structure(usize),
    /// Arrays of scalars.
    Array(RecordId),
    /// Channels, where they come and go.
    Channel,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionInfo {
    /// Its place among the process types.
    pub id: usize,
    /// The number that stands for it where it is a value: its place among the functions, from 1 on.
    pub number: i32,
    /// The types of its parameters.
    pub params: Vec<Type>,
    /// The type of its result.
    pub result: Option<Type>,
}

/// A field of a [`Structure`].
#[derive(Clone, Debug)]
pub(crate) struct FieldInfo {
    /// The name.
    pub name: Rc<str>,
    /// The type of an element.
    pub ty: Type,
    /// The array's length.
    pub length: Option<usize>,
    /// The scalarset that indexes the array.
    pub axis: Option<usize>,
    /// The first slot, counted from the structure's.
    pub slot: usize,
    /// Its address is taken: each element has one slot, which refers to its box.
    pub boxed: bool,
    /// The initial value.
    pub init: FieldInit,
}

/// How a structure's field starts.
#[derive(Clone, Debug)]
pub(crate) enum FieldInit {
    /// As zero.
    Zero,
    /// As a constant.
    Value(i32),
    /// As a new channel.
    Channel(ChannelTypeId),
    /// As a new box, for a field whose address is taken.
    Boxed(Expr),
}

/// The type of a variable or of an array's element.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    /// A scalar, with its set of symbolic names.
    Scalar(Scalar, Option<usize>),
    /// A structure, by its index in [`Symbols::structures`].
    Structure(usize),
    /// A reference.
    Pointer(Scalar, Pointee),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Whose it is.
    pub scope: Scope,
    /// The first slot.
    pub slot: usize,
    /// The type of an element.
    pub ty: Type,
    /// The array's length.
    pub length: Option<usize>,
    /// The scalarset that indexes the array.
    pub axis: Option<usize>,
    /// Its address is taken: each element has one slot, which refers to its box.
    pub boxed: bool,
    /// The channel type it was initialised with, if it was.
    pub channel: Option<ChannelTypeId>,
    /// Its initial value, when that is a constant.
    pub constant: Option<i32>,
    /// Where it is declared.
    pub span: Span,
}

/// What is known of a process type before its body is lowered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signature {
    /// The scalar types of its parameters' slots.
    pub params: Vec<Scalar>,
    /// The types of its parameters.
    pub types: Vec<Type>,
    /// Local variables by name, outermost scope first; filled by the first pass.
    pub locals: HashMap<Rc<str>, Variable>,
    /// Control states by label; filled by the first pass.
    pub labels: HashMap<Rc<str>, StateId>,
    /// Labels that some expression refers to from another process.
    pub observed: Vec<Rc<str>>,
    /// Processes of this type exist from the start.
    pub active: bool,
}

/// Everything that has a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    /// By channel type, the types of the fields of its messages, as they are declared.
    pub(crate) message_types: HashMap<usize, Vec<Type>>,
    /// Structures.
    pub structures: Vec<Structure>,
    /// Structures by name.
    pub structure_names: HashMap<Rc<str>, usize>,
    /// Names of variables and fields whose declarations are wrong. That has been said, so nothing is said about their uses.
    pub rejected: HashSet<Rc<str>>,
    /// Scalarsets by name.
    pub scalarsets: HashMap<Rc<str>, usize>,
    /// Sets of symbolic names by the set's name; the unnamed set is `""`.
    pub mtype_sets: HashMap<Rc<str>, usize>,
    /// Symbolic constants: set, value, and where declared.
    pub constants: HashMap<Rc<str>, (usize, i32, Span)>,
    /// Global variables.
    pub globals: HashMap<Rc<str>, Variable>,
    /// Process types by name.
    pub proctypes: HashMap<Rc<str>, usize>,
    /// The type of references, in a model with a heap.
    pub reference: Option<Scalar>,
    /// Channels are records, which come and go.
    pub channels_are_records: bool,
    /// Functions by name.
    pub functions: HashMap<Rc<str>, FunctionInfo>,
    /// The set of symbolic names that are the functions, if there are any.
    pub function_set: Option<usize>,
    /// What references to variables that hold references lead to, by the type of arrays of these.
    pub reference_arrays: HashMap<RecordId, Pointee>,
    /// Names of local variables whose addresses are taken, each with the body; of all variables; and of fields.
    pub taken_locals: HashSet<(usize, Rc<str>)>,
    pub taken_variables: HashSet<Rc<str>>,
    pub taken_fields: HashSet<Rc<str>>,
    /// Functions that are values somewhere, by number.
    pub function_values: BTreeSet<i32>,
    /// Signatures, parallel to the model's process types.
    pub signatures: Vec<Signature>,
}

impl Symbols {
    /// Whether values of a type are functions.
    pub(crate) fn is_function(&self, ty: &Type) -> bool {
        matches!(ty, Type::Scalar(_, Some(set)) if Some(*set) == self.function_set)
    }

    /// Slots of one element of a type.
    pub(crate) fn slots(&self, ty: &Type) -> usize {
        match ty {
            Type::Scalar(..) | Type::Pointer(..) => 1,
            Type::Structure(id) => self.structures[*id].slots,
        }
    }

    /// Slots of one element of a variable or a field.
    pub(crate) fn stride(&self, ty: &Type, boxed: bool) -> usize {
        if boxed { 1 } else { self.slots(ty) }
    }

    /// Whether a type has parts whose addresses are taken.
    pub(crate) fn has_boxes(&self, ty: &Type) -> bool {
        let Type::Structure(id) = ty else { return false };
        self.structures[*id].fields.iter().any(|field| field.boxed || self.has_boxes(&field.ty))
    }

    /// Whether addresses of variables of a type can be taken: not where there are channels, or numbers of unusual widths.
    pub(crate) fn can_be_boxed(&self, ty: &Type) -> bool {
        match ty {
            Type::Scalar(scalar, _) => {
                matches!(scalar.sort, Sort::Plain | Sort::Process) && !matches!(scalar.width, Width::Unsigned(_))
            }
            Type::Pointer(_, to) => *to != Pointee::Channel,
            Type::Structure(id) => {
                let is_channel = |ty: &Type| match ty {
                    Type::Scalar(scalar, _) => scalar.sort == Sort::Channel,
                    Type::Pointer(_, to) => *to == Pointee::Channel,
                    Type::Structure(_) => false,
                };
                let fields = &self.structures[*id].fields;
                fields.iter().all(|field| {
                    let inner = !matches!(field.ty, Type::Structure(_)) || self.can_be_boxed(&field.ty);
                    inner && !is_channel(&field.ty)
                })
            }
        }
    }

    /// Appends the slots of a variable, one for each element, that refer to their boxes.
    pub(crate) fn flatten_boxed(&self, name: &str, length: Option<usize>, template: &Slot, slots: &mut Vec<Slot>) {
        for element in 0..length.unwrap_or(1) {
            let name = if length.is_some() { format!("{name}[{element}]") } else { name.to_string() };
            slots.push(Slot {
                name,
                scalar: self.reference.unwrap_or(template.scalar),
                boxed: true,
                ..template.clone()
            });
        }
    }

    /// Appends the slots of a field.
    pub(crate) fn flatten_field(&self, field: &FieldInfo, name: &str, template: &Slot, slots: &mut Vec<Slot>) {
        match field.boxed {
            true => self.flatten_boxed(name, field.length, template, slots),
            false => self.flatten(name, &field.ty, field.length, template, slots),
        }
    }

    /// Appends the slots of a variable, element by element and field by field, with the names a user would write.
    pub(crate) fn flatten(&self, name: &str, ty: &Type, length: Option<usize>, template: &Slot, slots: &mut Vec<Slot>) {
        let elements = length.unwrap_or(1);
        for element in 0..elements {
            let path = if length.is_some() { format!("{name}[{element}]") } else { name.to_string() };
            match ty {
                Type::Scalar(scalar, mtype) => {
                    slots.push(Slot { name: path, scalar: *scalar, mtype: *mtype, ..template.clone() });
                }
                Type::Pointer(scalar, _) => slots.push(Slot { name: path, scalar: *scalar, ..template.clone() }),
                Type::Structure(id) => {
                    for field in &self.structures[*id].fields {
                        let name = format!("{path}.{}", field.name);
                        self.flatten_field(field, &name, template, slots);
                    }
                }
            }
        }
    }

    /// The slots that lie along a dimension that a scalarset indexes: slot, dimension and scalarset.
    pub(crate) fn axes(
        &self,
        ty: &Type,
        length: Option<usize>,
        axis: Option<usize>,
        slot: usize,
        dimension: usize,
        out: &mut Vec<(usize, usize, usize)>,
    ) {
        let size = self.slots(ty);
        for element in 0..length.unwrap_or(1) {
            let base = slot + element * size;
            out.extend(axis.into_iter().flat_map(|set| (base..base + size).map(move |slot| (slot, dimension, set))));
            if let Type::Structure(id) = ty {
                let inner = dimension + usize::from(length.is_some());
                for field in &self.structures[*id].fields {
                    self.axes(&field.ty, field.length, field.axis, base + field.slot, inner, out);
                }
            }
        }
    }

    /// The initial values of one variable's slots that are not zero, in order.
    pub(crate) fn field_inits(&self, ty: &Type, length: Option<usize>, slot: usize, out: &mut Vec<(usize, FieldInit)>) {
        let Type::Structure(id) = ty else { return };
        let structure = &self.structures[*id];
        for element in 0..length.unwrap_or(1) {
            let base = slot + element * structure.slots;
            for field in &structure.fields {
                let at = base + field.slot;
                match &field.init {
                    FieldInit::Zero => self.field_inits(&field.ty, field.length, at, out),
                    init => out.extend((0..field.length.unwrap_or(1)).map(|i| (at + i, init.clone()))),
                }
            }
        }
    }
}

/// Nested scopes of one process body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scopes {
    stack: Vec<ScopeNames>,
}

/// The names of one scope.
#[derive(Clone, Debug, Default)]
struct ScopeNames {
    names: HashMap<Rc<str>, Variable>,
    /// An option of a selection, which has no braces of its own.
    option: bool,
}

impl Scopes {
    /// Opens a block.
    pub(crate) fn open(&mut self) {
        self.stack.push(ScopeNames::default());
    }

    /// Opens an option of a selection.
    pub(crate) fn open_option(&mut self) {
        self.stack.push(ScopeNames { option: true, ..ScopeNames::default() });
    }

    /// Closes a block or an option.
    pub(crate) fn close(&mut self) {
        self.stack.pop();
    }

    /// Declares a variable in the innermost block or option; gives back the one it clashes with.
    pub(crate) fn declare(&mut self, name: Rc<str>, variable: Variable) -> Option<Variable> {
        self.stack.last_mut().and_then(|scope| scope.names.insert(name, variable))
    }

    /// Finds a variable, innermost scope first.
    pub(crate) fn find(&self, name: &str) -> Option<&Variable> {
        self.stack.iter().rev().find_map(|scope| scope.names.get(name))
    }

    /// The names declared between the innermost pair of braces itself.
    pub(crate) fn braces(&mut self) -> Option<&mut HashMap<Rc<str>, Variable>> {
        self.stack.iter_mut().rev().find(|scope| !scope.option).map(|scope| &mut scope.names)
    }
}
