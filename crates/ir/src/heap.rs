//! Heap models: records that come and go, references to them, functions with frames, exceptions, monitors, and threads that
//! end in any order.
//!
//! A reference is a name and no number: it is read, stored, compared and followed, and nothing else
//! ([`crate::validate`] holds models to that). So it does not matter which name a record has, and states that differ only
//! in that may be taken for one.

use std::sync::Arc;

use quotient_report::source::Span;

use crate::extension::{Alternative, Contents, Extension};
use crate::{ChannelType, ChannelTypeId, Expr, Model, Pattern, Probe, ProctypeId, Scalar, Slot, Sort, Width};

/// Index of a record type in [`Heap::records`].
pub type RecordId = usize;

/// What a model with a heap has beside other models.
#[derive(Clone, Debug)]
pub struct Heap {
    /// Types of records.
    pub records: Vec<RecordType>,
    /// How many records may be in use at once. One more is an error of the model, and does not block.
    pub most_records: usize,
    /// How many calls of functions a thread may be in at once. One more is an error of the model.
    pub most_calls: usize,
    /// Who is tried first.
    pub order: Order,
    /// The type of the records that stand for threads, if the model keeps references to threads.
    pub thread: Option<RecordId>,
    /// A record that nobody refers to any more, and that was not deleted, is an error of the model.
    pub leaks: bool,
    /// Locks protect their records: to use what is in one while another thread holds its lock is an error of the model.
    pub locks_protect: bool,
    /// The members of each declared scalarset differ by name only: that was proved.
    pub members_alike: bool,
    /// The extensions that the model uses.
    pub extensions: Vec<Arc<dyn Extension>>,
}

impl Default for Heap {
    fn default() -> Self {
        Heap {
            records: Vec::new(),
            most_records: MOST_RECORDS,
            most_calls: USUAL_CALLS,
            order: Order::YoungestFirst,
            thread: None,
            leaks: false,
            locks_protect: false,
            members_alike: false,
            extensions: Vec::new(),
        }
    }
}

/// How many records there may be, unless a model says otherwise.
pub const MOST_RECORDS: usize = 255;

/// How many calls a thread may be in, unless a model says otherwise.
pub const USUAL_CALLS: usize = 64;

/// The most processes of a model whose records have locks, or whose threads have records: the number 255 stands for a thread that
/// has ended with a lock.
pub const MOST_THREADS: usize = 254;

/// The most calls that a thread may be in: with its own frame there are 255, whose number has one byte.
pub const MOST_CALLS: usize = 254;

/// In which order the moves of processes are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The youngest process first, as in SPIN.
    #[default]
    YoungestFirst,
    /// The oldest process first, as in Bogor.
    OldestFirst,
}

/// A type of records.
#[derive(Clone, Debug)]
pub struct RecordType {
    /// The name.
    pub name: String,
    /// What its records are.
    pub kind: RecordKind,
    /// The fields. Those of the types it extends come first, in their order. An array has one, its element; a thread none.
    pub fields: Vec<Slot>,
    /// The types it extends directly.
    pub supers: Vec<RecordId>,
    /// Its records can be locked.
    pub monitor: bool,
    /// Its records are boxes: see [`Slot::boxed`]. They are deleted with the variable or record that they belong to, and not by
    /// themselves.
    pub boxed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What the records of a type are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Fields.
    #[default]
    Object,
    /// Elements, as many as it was made with.
    Array,
    /// What a reference to a thread refers to. It tells only whether the thread has ended.
    Thread,
    /// Values of an extension: the fields are the cells of the head, and then those of an entry.
    Value(ValueKind),
    /// Channels of a type that come and go as other records do. The fields are those that [`RecordType::channel_fields`] says.
    Channel(ChannelTypeId),
}

/// What the values of an extension are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueKind {
    /// How many cells the head has.
    pub head: usize,
    /// The order of the entries means nothing.
    pub unordered: bool,
}

/// An expression about the heap.
#[derive(Clone, Debug)]
pub enum HeapExpr {
    /// No record.
    Null,
    /// What a part of a record holds.
    Read(Part),
    /// How many elements an array has.
    Length {
        /// The array.
        array: Expr,
        /// Where it is written.
        span: Span,
    },
    /// Whether something is a record of a type or of one that extends it. Null is not.
    InstanceOf(Expr, RecordId),
    /// The same record, if it is of a type or of one that extends it, or null; anything else is an error.
    Cast {
        /// The record.
        object: Expr,
        /// The type.
        record: RecordId,
        /// Where it is written.
        span: Span,
    },
    /// Whether something is a record of a type, and of none that extends it.
    IsExactly(Expr, RecordId),
    /// The same number, if it is in a range; anything else is an error.
    Ranged {
        /// The number.
        value: Expr,
        /// The least that is allowed.
        low: i32,
        /// The greatest that is allowed.
        high: i32,
        /// Where it is written.
        span: Span,
    },
    /// Makes a record. Its fields are zero, but for those that are given.
    New {
        /// Its type.
        record: RecordId,
        /// How many elements it has, for an array.
        length: Option<Expr>,
        /// Initial values of fields, by index; an array can have one for its first element. They are worked out after the
        /// record is made.
        inits: Vec<(usize, Expr)>,
        /// Where it is written.
        span: Span,
    },
    /// Starts a thread; gives a reference to it if the model keeps any, else null.
    Start {
        /// Its type.
        proctype: ProctypeId,
        /// Values of its parameters' slots.
        args: Vec<Expr>,
    },
    /// Something about a lock or a thread.
    Ask(Question, Expr),
    /// An operation of an extension.
    Extend(Extend),
    /// How many messages are in a channel that is a record.
    Messages(Expr),
    /// A test of the fill state of a channel that is a record.
    Probe(Probe, Expr),
    /// Whether a receive from a channel that is a record would succeed; it has no effect.
    Poll {
        /// The channel.
        channel: Expr,
        /// What to match.
        pattern: Vec<Pattern>,
        /// Any message, not only the oldest.
        random: bool,
    },
}

/// A call of an operation of an extension.
#[derive(Clone, Debug)]
pub struct Extend {
    /// The extension, an index into [`Heap::extensions`].
    pub extension: usize,
    /// The operation, by its number.
    pub operation: usize,
    /// The arguments.
    pub args: Vec<Expr>,
    /// By argument, what is done with it.
    pub access: Vec<Access>,
    /// What it gives back.
    pub gives: Gives,
    /// Which alternative is taken.
    pub alternative: Alternative,
    /// Where it is written.
    pub span: Span,
}

/// What an operation does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It uses the number, or stores the reference.
    Plain,
    /// It looks into the value, which is of this type.
    Reads(RecordId),
    /// It changes the value, which is of this type.
    Writes(RecordId),
}

/// What an operation gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gives {
    /// A number, or nothing.
    Number,
    /// A reference that it was given.
    Reference,
    /// A new value of this type.
    New(RecordId),
}

/// What can be asked about a lock or a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether the lock is free, or held by the thread that asks.
    LockAvailable,
    /// Whether the thread that asks holds the lock.
    HasLock,
    /// Whether the thread that asks waits for the lock, and was notified.
    WasNotified,
    /// Whether the thread has ended.
    HasEnded,
}

/// A part of a record.
#[derive(Clone, Debug)]
pub struct Part {
    /// The record.
    pub object: Expr,
    /// The type of which it must be, or of one that extends it.
    pub record: RecordId,
    /// Which part.
    pub which: Which,
    /// The part's type.
    pub scalar: Scalar,
    /// Where it is written.
    pub span: Span,
}

/// Which part of a record.
#[derive(Clone, Debug)]
pub enum Which {
    /// A field, by its index in [`RecordType::fields`].
    Field(usize),
    /// An element of an array.
    Element(Expr),
}

/// An action on the heap, on the stack of a thread, or on a monitor.
#[derive(Clone, Debug)]
pub enum HeapAction {
    /// Stores a value in a part of a record. The value is worked out first.
    Set(Part, Expr),
    /// Works something out and forgets it, as a thread that is started.
    Evaluate(Expr),
    /// Deletes a record. Whoever still refers to it must not use it.
    Delete(Expr),
    /// Calls a function. It is the only thing that can be done in its control state, where the caller stays until the function
    /// returns; then it goes on to the target.
    Call {
        /// What is called.
        callee: Callee,
        /// Values of its parameters' slots.
        args: Vec<Expr>,
        /// The caller's local slot that gets the result.
        result: Option<usize>,
        /// It is inside an atomic sequence: see [`crate::Model::make_calls_atomic`].
        atomic: bool,
    },
    /// Returns from a function, to what follows the call.
    Return(Option<Expr>),
    /// Leaves frames until one has a [`Handler`] for the record at its control state.
    Throw(Expr),
    /// Ends the thread, whatever is on its stack.
    Exit,
    /// Cuts the run, without an error, if the value is zero.
    Assume(Expr),
    /// Something with a lock.
    Monitor(MonitorOp, Expr),
    /// As [`crate::Action::Send`], where the channel is a record.
    Send {
        /// The channel.
        channel: Expr,
        /// The fields.
        values: Vec<Expr>,
        /// Insert before the first greater message instead of at the end.
        sorted: bool,
    },
    /// As [`crate::Action::Receive`], where the channel is a record.
    Receive {
        /// The channel.
        channel: Expr,
        /// What to match and where to put it.
        pattern: Vec<Pattern>,
        /// Any message, not only the oldest.
        random: bool,
        /// Leave the message in the channel.
        copy: bool,
    },
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// This function.
    Function(ProctypeId),
    /// The function for the type of the first argument, which must not be null.
    Virtual(Vec<(RecordId, ProctypeId)>),
    /// The function for a number, which is a value that the model can store. It is worked out after the arguments; a number that
    /// stands for none of these is an error.
    Value(Expr, Vec<(i32, ProctypeId)>),
}

impl Callee {
    /// The functions that a call can lead to.
    pub fn functions(&self) -> Vec<ProctypeId> {
        match self {
            Callee::Function(function) => vec![*function],
            Callee::Virtual(table) => table.iter().map(|&(_, function)| function).collect(),
            Callee::Value(_, table) => table.iter().map(|&(_, function)| function).collect(),
        }
    }

    /// The number that stands for the function, if one does.
    pub fn value(&self) -> Option<&Expr> {
        match self {
            Callee::Value(value, _) => Some(value),
            Callee::Function(_) | Callee::Virtual(_) => None,
        }
    }

    /// The function that a number stands for.
    pub fn of_value(table: &[(i32, ProctypeId)], value: i32) -> Option<ProctypeId> {
        table.iter().find(|&&(number, _)| number == value).map(|&(_, function)| function)
    }
}

/// What is done with a lock. Locks can be taken several times by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonitorOp {
    /// Takes it; blocks while another thread holds it.
    Lock,
    /// Gives it back once.
    Unlock,
    /// Gives it back as often as it was taken, and begins to wait.
    Wait,
    /// Takes it as often as before the wait; blocks until the thread was notified and the lock is free.
    Unwait,
    /// Notifies the waiting thread with this number, counted from the oldest; with the number 0 it does nothing if no thread
    /// waits, with others it blocks if there is no such thread. So one transition for each number lets every thread be chosen.
    Notify(u8),
    /// Notifies all that wait.
    NotifyAll,
    /// Blocks unless at least so many threads wait: for what is to be done when there are more than a model has numbers for.
    Crowd(u8),
}

/// Where a function or a thread keeps what it needs while it waits: three local slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The record whose lock it waits for.
    pub object: usize,
    /// How often it had taken the lock.
    pub depth: usize,
    /// Whether it was notified.
    pub notified: usize,
}

/// What a control state does with exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// It handles records of this type and of those that extend it.
    pub record: RecordId,
    /// The local slot that gets the record.
    pub slot: Option<usize>,
    /// Where the frame goes on.
    pub target: usize,
}

impl Heap {
    /// The type of references: as wide as needed for so many records.
    pub fn reference(&self) -> Scalar {
        let width = if self.most_records <= 255 { Width::Byte } else { Width::Unsigned(16) };
        Scalar { width, sort: Sort::Ref }
    }

    /// Whether records of a type are records of another: it is the same, or extends it.
    pub fn is_a(&self, record: RecordId, other: RecordId) -> bool {
        // Whoever is on the way is looked at once, so that circles end.
        let mut seen = vec![false; self.records.len()];
        let mut work = vec![record];
        while let Some(next) = work.pop() {
            if next == other {
                return true;
            }
            if seen.get(next).is_some_and(|&seen| !seen) {
                seen[next] = true;
                work.extend(&self.records[next].supers);
            }
        }
        false
    }

    /// The function that a call leads to, for a record of a type.
    pub fn dispatch(table: &[(RecordId, ProctypeId)], record: RecordId) -> Option<ProctypeId> {
        table.iter().find(|&&(ty, _)| ty == record).map(|&(_, function)| function)
    }
}

impl HeapExpr {
    /// Calls `visit` on every expression below it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.each(&mut |e| e.walk(visit));
    }

    /// Calls `visit` on the expressions directly below it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            HeapExpr::Null => {}
            HeapExpr::Read(part) => part.each(visit),
            HeapExpr::Length { array: object, span: _ }
            | HeapExpr::InstanceOf(object, _)
            | HeapExpr::IsExactly(object, _)
            | HeapExpr::Ranged { value: object, low: _, high: _, span: _ }
            | HeapExpr::Cast { object, record: _, span: _ }
            | HeapExpr::Ask(_, object) => visit(object),
            HeapExpr::New { record: _, length, inits, span: _ } => {
                length.iter().chain(inits.iter().map(|(_, value)| value)).for_each(visit);
            }
            HeapExpr::Start { proctype: _, args } => args.iter().for_each(visit),
            HeapExpr::Extend(call) => call.args.iter().for_each(visit),
            HeapExpr::Messages(channel) | HeapExpr::Probe(_, channel) => visit(channel),
            HeapExpr::Poll { channel, pattern, random: _ } => {
                visit(channel);
                pattern.iter().for_each(|part| part.each(visit));
            }
        }
    }

    /// Whether it changes the state, or can be worked out in several ways.
    pub fn acts(&self) -> bool {
        match self {
            HeapExpr::New { .. } | HeapExpr::Start { .. } => true,
            HeapExpr::Extend(call) => call.acts(),
            _ => false,
        }
    }
}

impl Extend {
    /// Whether it changes the state, or can be worked out in several ways.
    pub fn acts(&self) -> bool {
        let changes = self.access.iter().any(|access| matches!(access, Access::Writes(_)));
        changes || matches!(self.gives, Gives::New(_)) || self.alternative != Alternative::Only
    }
}

impl Access {
    /// The type of the value that is looked into.
    pub fn value(self) -> Option<RecordId> {
        match self {
            Access::Plain => None,
            Access::Reads(record) | Access::Writes(record) => Some(record),
        }
    }
}

impl Model {
    /// Whether channels are records, which come and go.
    pub fn has_channel_records(&self) -> bool {
        let mut records = self.heap.iter().flat_map(|heap| &heap.records);
        records.any(|record| matches!(record.kind, RecordKind::Channel(_)))
    }

    /// Whether addresses of variables are taken.
    pub fn has_boxes(&self) -> bool {
        let records = self.heap.iter().flat_map(|heap| &heap.records).flat_map(|record| &record.fields);
        let locals = self.proctypes.iter().flat_map(|proctype| &proctype.slots);
        self.heap.is_some() && self.globals.iter().chain(records).chain(locals).any(|slot| slot.boxed)
    }
}

impl RecordType {
    /// How many cells are at the head of a value, and how many are in an entry; an array is a value without a head.
    pub fn shape(&self) -> (usize, usize) {
        match self.kind {
            RecordKind::Value(kind) => (kind.head, self.fields.len() - kind.head),
            RecordKind::Array => (0, 1),
            RecordKind::Object | RecordKind::Thread | RecordKind::Channel(_) => (self.fields.len(), 0),
        }
    }

    /// What is in a channel: the number of messages, unless it holds none, and then the messages, oldest first. Those that are not
    /// there are zero.
    pub fn channel_fields(channel: &ChannelType) -> Vec<Slot> {
        let slot = |name: String, scalar: Scalar, mtype: Option<usize>| Slot {
            name,
            scalar,
            mtype,
            hidden: false,
            private: false,
            boxed: false,
        };
        let count = Scalar::plain(if channel.capacity <= 255 { Width::Byte } else { Width::Unsigned(16) });
        let mut fields = Vec::new();
        if channel.capacity > 0 {
            fields.push(slot("count".to_string(), count, None));
        }
        for message in 0..channel.capacity {
            let parts = channel.fields.iter().zip(&channel.mtypes).enumerate();
            fields.extend(parts.map(|(part, (&scalar, &mtype))| slot(format!("{message}.{part}"), scalar, mtype)));
        }
        fields
    }

    /// The slot that the value with a number is in.
    pub fn slot(&self, number: usize) -> &Slot {
        match self.shape() {
            (head, width) if number >= head && width > 0 => &self.fields[head + (number - head) % width],
            _ => &self.fields[number],
        }
    }

    /// A value of this type without entries.
    pub fn nothing(&self) -> Contents {
        let (head, width) = self.shape();
        Contents::new(head, width)
    }
}

impl Part {
    /// Calls `visit` on the expressions directly in it.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(&self.object);
        if let Which::Element(index) = &self.which {
            visit(index);
        }
    }
}

impl HeapAction {
    /// Calls `visit` on every expression in it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.each(&mut |e| e.walk(visit));
    }

    /// Calls `visit` on the expressions directly in it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            HeapAction::Set(part, value) => {
                visit(value);
                part.each(visit);
            }
            HeapAction::Evaluate(value)
            | HeapAction::Delete(value)
            | HeapAction::Throw(value)
            | HeapAction::Assume(value)
            | HeapAction::Monitor(_, value) => visit(value),
            HeapAction::Call { callee, args, result: _, atomic: _ } => {
                args.iter().chain(callee.value()).for_each(visit);
            }
            HeapAction::Return(value) => value.iter().for_each(visit),
            HeapAction::Exit => {}
            HeapAction::Send { channel, values, sorted: _ } => {
                visit(channel);
                values.iter().for_each(visit);
            }
            HeapAction::Receive { channel, pattern, random: _, copy: _ } => {
                visit(channel);
                pattern.iter().for_each(|part| part.each(visit));
            }
        }
    }

    /// Whether it decides itself where the thread goes on, if it does.
    pub fn jumps(&self) -> bool {
        match self {
            HeapAction::Call { .. } | HeapAction::Return(_) | HeapAction::Throw(_) | HeapAction::Exit => true,
            HeapAction::Set(..)
            | HeapAction::Evaluate(_)
            | HeapAction::Delete(_)
            | HeapAction::Assume(_)
            | HeapAction::Monitor(..)
            | HeapAction::Send { .. }
            | HeapAction::Receive { .. } => false,
        }
    }

    /// Whether it sends to or receives from a channel.
    pub fn uses_channel(&self) -> bool {
        matches!(self, HeapAction::Send { .. } | HeapAction::Receive { .. })
    }

    /// What it does with the fields of a message that it receives.
    pub fn pattern(&self) -> Option<&[Pattern]> {
        match self {
            HeapAction::Receive { pattern, .. } => Some(pattern),
            _ => None,
        }
    }
}

impl Expr {
    /// Whether its value is a reference.
    pub fn is_reference(&self) -> bool {
        match self {
            Expr::Read(place) => place.scalar.sort == Sort::Ref,
            Expr::RemoteRead { proctype: _, pid: _, place } => place.scalar.sort == Sort::Ref,
            Expr::Cond(_, a, b) => a.is_reference() || b.is_reference(),
            Expr::Heap(heap) => match &**heap {
                HeapExpr::Null | HeapExpr::Cast { .. } | HeapExpr::New { .. } | HeapExpr::Start { .. } => true,
                HeapExpr::Read(part) => part.scalar.sort == Sort::Ref,
                HeapExpr::Length { .. }
                | HeapExpr::InstanceOf(..)
                | HeapExpr::IsExactly(..)
                | HeapExpr::Ranged { .. }
                | HeapExpr::Messages(_)
                | HeapExpr::Probe(..)
                | HeapExpr::Poll { .. }
                | HeapExpr::Ask(..) => false,
                HeapExpr::Extend(call) => call.gives != Gives::Number,
            },
            _ => false,
        }
    }
}

impl Pattern {
    /// Whether it wants a reference, and not a number; nothing if it takes either.
    pub fn wants_reference(&self) -> Option<bool> {
        match self {
            Pattern::Match(value) => Some(value.is_reference()),
            Pattern::Bind(place) => Some(place.scalar.sort == Sort::Ref),
            Pattern::Ignore => None,
        }
    }
}

impl ChannelType {
    /// Whether what a statement gives or wants, field by field, is a reference exactly where the messages have one.
    pub fn agrees(&self, wanted: impl IntoIterator<Item = Option<bool>>) -> bool {
        let is_reference = |scalar: &Scalar| scalar.sort == Sort::Ref;
        wanted.into_iter().zip(&self.fields).all(|(wanted, field)| wanted.is_none_or(|w| w == is_reference(field)))
    }
}

impl From<HeapExpr> for Expr {
    fn from(expr: HeapExpr) -> Self {
        Expr::Heap(Box::new(expr))
    }
}
