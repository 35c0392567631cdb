//! Models with a heap, written in Rust.

use std::sync::Arc;

use quotient_report::source::Span;

use super::{Builder, ProcessBuilder, slot};
use crate::extension::Extension;
use crate::{
    Action, Deterministic, Expr, Handler, Heap, HeapAction, HeapExpr, Node, NodeOption, Part, ProctypeKind, RecordId,
    RecordKind, RecordType, Scalar, StateId, Termination, ValueKind, Waiting, Which, Width,
};

impl Builder {
    /// The heap; a model that this is called for has one.
    pub fn heap(&mut self) -> &mut Heap {
        self.model.heap.get_or_insert_with(Heap::default)
    }

    /// The type of references, for as many records as the heap may have by now.
    pub fn reference(&mut self) -> Scalar {
        self.heap().reference()
    }

    /// A type of records; they can be locked.
    pub fn record(&mut self, name: &str, fields: &[(&str, Scalar)]) -> RecordId {
        let fields = fields.iter().map(|&(name, scalar)| slot(name, scalar)).collect();
        self.record_type(name, RecordKind::Object, fields)
    }

    /// A type of arrays with elements of a type.
    pub fn array(&mut self, name: &str, element: Scalar) -> RecordId {
        self.record_type(name, RecordKind::Array, vec![slot("", element)])
    }

    /// A type of channels that are records: how many messages fit, and the fields of a message.
    pub fn channel_record(&mut self, name: &str, capacity: usize, fields: &[Scalar]) -> RecordId {
        let ty = self.channel_type(name, capacity, fields);
        let fields = RecordType::channel_fields(&self.model.channels[ty]);
        self.record_type(name, RecordKind::Channel(ty), fields)
    }

    /// The type of what references to threads refer to; a model that this is called for keeps such references.
    pub fn thread_record(&mut self) -> RecordId {
        let thread = self.record_type("thread", RecordKind::Thread, Vec::new());
        self.heap().thread = Some(thread);
        thread
    }

    /// A type of values of an extension: the cells of its head, those of an entry, and whether entries have no order.
    pub fn value(&mut self, name: &str, head: &[Scalar], entry: &[Scalar], unordered: bool) -> RecordId {
        let fields = head.iter().chain(entry).map(|&scalar| slot("", scalar)).collect();
        self.record_type(name, RecordKind::Value(ValueKind { head: head.len(), unordered }), fields)
    }

    /// An extension that the model uses; gives back its number.
    pub fn extension(&mut self, extension: impl Extension + 'static) -> usize {
        let extensions = &mut self.heap().extensions;
        extensions.push(Arc::new(extension));
        extensions.len() - 1
    }

    fn record_type(&mut self, name: &str, kind: RecordKind, fields: Vec<crate::Slot>) -> RecordId {
        let monitor = kind == RecordKind::Object;
        let (name, supers, span) = (name.to_string(), Vec::new(), Span::default());
        let records = &mut self.heap().records;
        records.push(RecordType { name, kind, fields, supers, monitor, boxed: false, span });
        records.len() - 1
    }

    /// A part of a record that is a field.
    ///
    /// # Panics
    /// There is no such field.
    pub fn field(&mut self, object: Expr, record: RecordId, field: usize) -> Part {
        let scalar = self.heap().records[record].fields[field].scalar;
        Part { object, record, which: Which::Field(field), scalar, span: Span::default() }
    }

    /// A part of a record that is an element.
    ///
    /// # Panics
    /// The records are not arrays.
    pub fn element(&mut self, array: Expr, record: RecordId, index: Expr) -> Part {
        let scalar = self.heap().records[record].fields[0].scalar;
        Part { object: array, record, which: Which::Element(index), scalar, span: Span::default() }
    }

    /// A type of threads, which end by [`HeapAction::Exit`].
    pub fn thread(&mut self, name: &str) -> ProcessBuilder<'_> {
        let mut thread = self.process(name);
        thread.proctype.termination = Termination::Removed;
        thread
    }

    /// A function.
    pub fn function(&mut self, name: &str) -> ProcessBuilder<'_> {
        let mut function = self.process(name);
        function.proctype.kind = ProctypeKind::Function;
        function
    }
}

impl ProcessBuilder<'_> {
    /// Some actions as one step, which can be taken when the first of them can.
    pub fn together(&mut self, from: StateId, text: &str, actions: impl IntoIterator<Item = Action>, to: StateId) {
        let span = Span::default();
        let mut nodes: Vec<Node> = (1..)
            .zip(actions)
            .map(|(next, action)| Node {
                options: vec![NodeOption { action, next: Some(next), span, direct: true }],
                span,
            })
            .collect();
        if let Some(last) = nodes.last_mut() {
            last.options[0].next = None;
        }
        self.step(from, text, Action::Deterministic(Deterministic { nodes, loops: Vec::new() }), to);
    }

    /// Lets a control state handle exceptions.
    pub fn handles(&mut self, state: StateId, handler: Handler) {
        self.proctype.states[state].handlers.push(handler);
    }

    /// Makes room for what is needed while waiting for a lock.
    pub fn waits(&mut self) {
        let reference = self.model.heap.get_or_insert_with(Heap::default).reference();
        let object = self.proctype.slots.len();
        for (name, scalar) in
            [("waits for", reference), ("held", Scalar::plain(Width::Byte)), ("notified", Scalar::plain(Width::Bit))]
        {
            self.local(name, scalar);
        }
        self.proctype.waiting = Some(Waiting { object, depth: object + 1, notified: object + 2 });
    }
}

impl Part {
    /// What it holds.
    pub fn read(self) -> Expr {
        HeapExpr::Read(self).into()
    }

    /// Gives it a value.
    pub fn set(self, value: Expr) -> Action {
        HeapAction::Set(self, value).into()
    }
}

impl HeapExpr {
    /// Makes a record.
    pub fn make(record: RecordId) -> Expr {
        HeapExpr::New { record, length: None, inits: Vec::new(), span: Span::default() }.into()
    }

    /// Makes an array.
    pub fn make_array(record: RecordId, length: Expr) -> Expr {
        HeapExpr::New { record, length: Some(length), inits: Vec::new(), span: Span::default() }.into()
    }
}

impl From<HeapAction> for Action {
    fn from(action: HeapAction) -> Self {
        Action::Heap(Box::new(action))
    }
}
