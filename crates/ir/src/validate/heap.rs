//! What is malformed about records, references, functions and threads. References are names: they are read, stored, compared
//! and followed, and never computed with. All reductions of heap models rest on that.

use super::{At, Check, Defect};
use crate::heap::MOST_CALLS;
use crate::{
    Action, BinaryOp, Callee, Expr, Heap, HeapAction, HeapExpr, MonitorOp, Part, Proctype, ProctypeId, ProctypeKind,
    RecordId, RecordKind, RecordType, Scalar, Setup, Slot, Sort, Termination, Which,
};

/// The most types of records, and of process types in a model with a heap: their numbers have one byte.
const MOST_TYPES: usize = 255;

/// The most records: references have at most two bytes.
const MOST_RECORDS: usize = u16::MAX as usize;

impl<'m> Check<'m> {
    /// Checks what the model says of its heap.
    pub(super) fn heap(&mut self) {
        let model = self.model;
        let Some(heap) = &model.heap else { return };
        for (number, most) in [
            (heap.records.len(), MOST_TYPES - 1),
            (model.proctypes.len(), MOST_TYPES),
            (heap.most_records, MOST_RECORDS),
            (heap.most_calls, MOST_CALLS),
            (model.initial.len(), model.most_processes()),
        ] {
            self.demand(number <= most, Defect::TooMany(number));
        }
        for record in &heap.records {
            self.slots(&record.fields);
            let expected = match record.kind {
                RecordKind::Object => record.fields.len(),
                RecordKind::Array => 1,
                RecordKind::Thread => 0,
                RecordKind::Value(kind) => record.fields.len().max(kind.head),
                RecordKind::Channel(channel) => match model.channels.get(channel) {
                    Some(channel) => {
                        let expected = RecordType::channel_fields(channel);
                        let same = |(a, b): (&Slot, &Slot)| a.scalar == b.scalar;
                        let fits = record.fields.iter().zip(&expected).all(same) && !channel.fields.is_empty();
                        self.demand(fits && !record.monitor && record.supers.is_empty(), Defect::MixedSorts);
                        expected.len()
                    }
                    None => {
                        self.report(Defect::NoChannelType(channel));
                        continue;
                    }
                },
            };
            let found = record.fields.len();
            self.demand(expected == found, Defect::Length { expected, found });
        }
        for (id, record) in heap.records.iter().enumerate() {
            for &parent in &record.supers {
                match heap.records.get(parent) {
                    None => self.report(Defect::NoRecord(parent)),
                    Some(parent_type) => {
                        let same = |(a, b): (&Slot, &Slot)| a.scalar == b.scalar;
                        let is_prefix = parent_type.fields.len() <= record.fields.len()
                            && parent_type.fields.iter().zip(&record.fields).all(same);
                        let is_like = parent_type.kind == record.kind
                            || (parent_type.kind == RecordKind::Object && parent_type.fields.is_empty());
                        let locks = record.monitor || !parent_type.monitor;
                        let is_circle = heap.is_a(parent, id);
                        self.demand(is_prefix && is_like && locks && !is_circle, Defect::BadExtension(id, parent));
                    }
                }
            }
        }
        if let Some(thread) = heap.thread {
            let is_thread = heap.records.get(thread).is_some_and(|record| record.kind == RecordKind::Thread);
            self.demand(is_thread, Defect::NoRecord(thread));
        }
        let owned = model.proctypes.iter().flat_map(|proctype| &proctype.setup);
        let has_channels = owned.into_iter().any(|setup| matches!(setup, Setup::Channel(..)));
        self.demand(!has_channels, Defect::ChannelsWithHeap);
        let has_records = heap.records.iter().any(|record| matches!(record.kind, RecordKind::Channel(_)));
        let has_fixed = model.setup.iter().any(|setup| matches!(setup, Setup::Channel(..)));
        self.demand(!has_records || !has_fixed, Defect::ChannelsWithHeap);
        let mut messages = model.channels.iter().flat_map(|channel| &channel.fields);
        let is_traced = model.trace.is_some() && (has_records || messages.any(|scalar| scalar.sort == Sort::Ref));
        self.demand(!is_traced, Defect::TracedReferences);
        self.demand(model.globals.iter().all(|slot| !slot.hidden || slot.scalar.sort != Sort::Ref), Defect::HiddenRef);
    }

    /// Checks what concerns the stack and the waiting of a process type or function.
    pub(super) fn frames(&mut self, ty: ProctypeId, proctype: &'m Proctype) {
        if self.model.heap.is_none() {
            let is_function = proctype.kind == ProctypeKind::Function;
            self.demand(!is_function && proctype.waiting.is_none(), Defect::NoHeap);
            self.demand(proctype.termination != Termination::Removed, Defect::NoHeap);
        }
        if let Some(waiting) = proctype.waiting {
            for (slot, reference) in [(waiting.object, true), (waiting.depth, false), (waiting.notified, false)] {
                let fits = |slot: &Slot| (slot.scalar.sort == Sort::Ref) == reference;
                self.demand(proctype.slots.get(slot).is_some_and(fits), Defect::NoSlot(crate::Scope::Local, slot));
            }
        }
        for (number, state) in proctype.states.iter().enumerate() {
            self.at = At::State(ty, number);
            for handler in &state.handlers {
                self.record(handler.record);
                self.demand(handler.target < proctype.states.len(), Defect::NoState(handler.target));
                if let Some(slot) = handler.slot {
                    self.reference_slot(proctype, slot);
                }
            }
            for transition in &state.transitions {
                let Some(statement) = proctype.statements.get(transition.statement) else { continue };
                let calls = |action: &Action| matches!(action, Action::Heap(action) if matches!(**action, HeapAction::Call { .. }));
                let exits =
                    |action: &Action| matches!(action, Action::Heap(action) if matches!(**action, HeapAction::Exit));
                let (all, jumps) = match &statement.action {
                    Action::Deterministic(body) => {
                        // A step may end with a jump, and with nothing else than its end.
                        for option in body.nodes.iter().flat_map(|node| &node.options) {
                            let jumps = matches!(&option.action, Action::Heap(action) if action.jumps());
                            self.demand(!jumps || option.next.is_none(), Defect::JumpNotLast);
                        }
                        (body.actions().collect::<Vec<_>>(), body.actions().any(calls))
                    }
                    action => (vec![action], calls(action)),
                };
                self.demand(!jumps || state.transitions.len() == 1, Defect::CallNotAlone);
                self.demand(!jumps || matches!(statement.action, Action::Heap(_)), Defect::CallNotAlone);
                self.demand(!transition.atomic || !all.into_iter().any(exits), Defect::AtomicExit);
            }
        }
    }

    fn reference_slot(&mut self, proctype: &Proctype, slot: usize) {
        let fits = |slot: &Slot| slot.scalar.sort == Sort::Ref;
        self.demand(proctype.slots.get(slot).is_some_and(fits), Defect::NoSlot(crate::Scope::Local, slot));
    }

    /// A scalar that is a reference must be of the heap's width.
    pub(super) fn reference_scalar(&mut self, scalar: Scalar) {
        if scalar.sort == Sort::Ref {
            let expected = self.model.heap.as_ref().map(Heap::reference);
            self.demand(expected == Some(scalar), Defect::NoHeap);
        }
    }

    pub(super) fn record(&mut self, record: RecordId) -> Option<&'m crate::RecordType> {
        let heap = self.model.heap.as_ref();
        let found = heap.and_then(|heap| heap.records.get(record));
        self.demand(found.is_some(), Defect::NoRecord(record));
        found
    }

    /// A value that is stored: it may make records and threads.
    pub(super) fn stored(&mut self, value: &Expr, reference: bool) {
        self.demand(value.is_reference() == reference, Defect::MixedSorts);
        match value {
            Expr::Heap(heap) if heap.acts() => self.heap_expr(heap),
            // What an operation of an extension gives back may be checked at once.
            Expr::Heap(heap) => match &**heap {
                HeapExpr::Ranged { value, low, high, span: _ } => {
                    self.demand(low <= high, Defect::MixedSorts);
                    self.stored(value, false);
                }
                HeapExpr::Cast { object, record, span: _ } => {
                    self.record(*record);
                    self.stored(object, true);
                }
                heap => self.heap_expr(heap),
            },
            value => self.expr(value),
        }
    }

    fn arguments(&mut self, callee: ProctypeId, args: &[Expr], kind: ProctypeKind) {
        let Some(proctype) = self.model.proctypes.get(callee) else {
            return self.report(Defect::NoProctype(callee));
        };
        self.demand(proctype.kind == kind, Defect::NotAProcess(callee));
        let (expected, found) = (proctype.params, args.len());
        self.demand(expected == found, Defect::Length { expected, found });
        for (arg, slot) in args.iter().zip(&proctype.slots) {
            self.demand(arg.is_reference() == (slot.scalar.sort == Sort::Ref), Defect::MixedSorts);
        }
    }

    fn followed(&mut self, object: &Expr) {
        self.demand(object.is_reference(), Defect::MixedSorts);
        self.expr(object);
    }

    fn part(&mut self, part: &Part) {
        self.followed(&part.object);
        let Some(record) = self.record(part.record) else { return };
        let slot = match &part.which {
            Which::Field(field) => {
                self.demand(record.kind == RecordKind::Object, Defect::NoField(part.record, *field));
                *field
            }
            Which::Element(index) => {
                self.demand(record.kind == RecordKind::Array, Defect::NoField(part.record, 0));
                self.demand(!index.is_reference(), Defect::MixedSorts);
                self.expr(index);
                0
            }
        };
        let fits = record.fields.get(slot).is_some_and(|slot| slot.scalar == part.scalar);
        self.demand(fits, Defect::NoField(part.record, slot));
    }

    /// Checks an expression about the heap.
    pub(super) fn heap_expr(&mut self, expr: &HeapExpr) {
        self.demand(self.model.heap.is_some(), Defect::NoHeap);
        match expr {
            HeapExpr::Null => {}
            HeapExpr::Read(part) => self.part(part),
            HeapExpr::Length { array, span: _ } => self.followed(array),
            HeapExpr::InstanceOf(object, record)
            | HeapExpr::IsExactly(object, record)
            | HeapExpr::Cast { object, record, span: _ } => {
                self.followed(object);
                self.record(*record);
            }
            HeapExpr::Ranged { value, low, high, span: _ } => {
                self.demand(!value.is_reference() && low <= high, Defect::MixedSorts);
                self.expr(value);
            }
            HeapExpr::New { record, length, inits, span: _ } => {
                let kind = self.record(*record).map(|record| record.kind);
                let fits = match kind {
                    Some(RecordKind::Object | RecordKind::Channel(_)) => length.is_none(),
                    Some(RecordKind::Array) => length.is_some(),
                    Some(RecordKind::Thread | RecordKind::Value(_)) => false,
                    None => true,
                };
                self.demand(fits, Defect::NoRecord(*record));
                length.iter().for_each(|length| self.number(length));
                let holds_one = matches!(length, None | Some(Expr::Const(1..)));
                let is_channel = matches!(kind, Some(RecordKind::Channel(_)));
                self.demand(inits.is_empty() || (holds_one && !is_channel), Defect::NoField(*record, 0));
                for (field, value) in inits {
                    let fields = self.model.heap.as_ref().and_then(|heap| heap.records.get(*record));
                    match fields.and_then(|record| record.fields.get(*field)) {
                        Some(slot) => self.stored(value, slot.scalar.sort == Sort::Ref),
                        None => self.report(Defect::NoField(*record, *field)),
                    }
                }
            }
            HeapExpr::Start { proctype, args } => {
                self.arguments(*proctype, args, ProctypeKind::Process);
                args.iter().for_each(|arg| self.stored(arg, arg.is_reference()));
            }
            HeapExpr::Ask(_, object) => self.followed(object),
            HeapExpr::Extend(call) => self.extend(call),
            HeapExpr::Messages(channel) | HeapExpr::Probe(_, channel) => self.followed(channel),
            HeapExpr::Poll { channel, pattern, random: _ } => {
                self.followed(channel);
                self.pattern(pattern);
            }
        }
    }

    /// Checks an action on the heap.
    pub(super) fn heap_action(&mut self, action: &HeapAction) {
        self.demand(self.model.heap.is_some(), Defect::NoHeap);
        let owner = self.owner.and_then(|owner| self.model.proctypes.get(owner));
        let is_function = owner.is_some_and(|owner| owner.kind == ProctypeKind::Function);
        match action {
            HeapAction::Set(part, value) => {
                self.part(part);
                self.stored(value, part.scalar.sort == Sort::Ref);
            }
            HeapAction::Evaluate(value) => self.stored(value, value.is_reference()),
            HeapAction::Delete(object) => self.followed(object),
            HeapAction::Throw(object) => self.stored(object, true),
            HeapAction::Assume(value) => {
                self.plain(&[value]);
                self.expr(value);
            }
            HeapAction::Call { callee, args, result, atomic: _ } => {
                let functions: Vec<ProctypeId> = match callee {
                    Callee::Function(function) => vec![*function],
                    Callee::Virtual(table) => {
                        for &(record, _) in table {
                            self.record(record);
                        }
                        self.demand(args.first().is_some_and(Expr::is_reference), Defect::MixedSorts);
                        callee.functions()
                    }
                    Callee::Value(value, _) => {
                        self.demand(!value.is_reference(), Defect::MixedSorts);
                        self.expr(value);
                        callee.functions()
                    }
                };
                for function in functions {
                    self.arguments(function, args, ProctypeKind::Function);
                }
                args.iter().for_each(|arg| self.stored(arg, arg.is_reference()));
                if let Some(slot) = *result {
                    let exists = owner.is_some_and(|owner| slot < owner.slots.len());
                    self.demand(exists, Defect::NoSlot(crate::Scope::Local, slot));
                }
            }
            HeapAction::Return(value) => {
                self.demand(is_function, Defect::NoFunction);
                value.iter().for_each(|value| self.stored(value, value.is_reference()));
            }
            HeapAction::Exit => {
                // A function may be called by processes of any type.
                let removed = owner.is_some_and(|owner| owner.termination == Termination::Removed);
                self.demand(is_function || removed, Defect::NotRemoved);
            }
            HeapAction::Send { channel, values, sorted } => {
                self.followed(channel);
                self.demand(!sorted || !values.iter().any(Expr::is_reference), Defect::TracedReferences);
                values.iter().for_each(|value| self.expr(value));
            }
            HeapAction::Receive { channel, pattern, random: _, copy: _ } => {
                self.followed(channel);
                self.pattern(pattern);
            }
            HeapAction::Monitor(op, object) => {
                self.followed(object);
                let waits = matches!(op, MonitorOp::Wait | MonitorOp::Unwait);
                self.demand(!waits || owner.is_some_and(|owner| owner.waiting.is_some()), Defect::NoWaiting);
            }
        }
    }
}

/// Whether an operator compares references.
pub(super) fn compares(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne)
}
