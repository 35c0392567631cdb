//! Expressions and actions on the heap as code.

use quotient_ir::{Action, Callee, Expr, HeapAction, HeapExpr, MonitorOp, Part, Question, RecordId, RecordKind, Which};
use quotient_report::source::Span;

use super::super::code::{CodeRef, Memory, Op, Reg, mask};
use super::super::program::{Effect, Program};
use super::extend::Operation;

/// An operation on the heap. Operands are in the register and those after it; the result goes into the register.
#[derive(Clone, Copy, Debug)]
pub enum HeapOp {
    /// A reference was stored in a variable.
    Dirty,
    /// Checks that a reference refers to a record of a type.
    Check(RecordId, Span),
    /// A field of the record, which must be of a type.
    Field(RecordId, Memory, u32, Span),
    /// The element of an array that was checked, at the index in the next register.
    Element(Span),
    /// Stores the register in a field of the record in the next one. The flag says whether it is a reference.
    SetField(RecordId, Memory, u32, bool, Span),
    /// Stores the register in an element of the array in the next one, which was checked, at the index in the one after.
    SetElement(Span),
    /// The length of an array.
    Length(Span),
    /// Whether a record is of a type or extends it.
    InstanceOf(RecordId, Span),
    /// Whether a record is of a type and none that extends it.
    IsExactly(RecordId, Span),
    /// Checks that a reference is null or refers to a record of a type.
    Cast(RecordId, Span),
    /// Checks a number.
    Ranged(i32, i32, Span),
    /// Makes a record; for an array, the register holds the length.
    New(RecordId, Span),
    /// Stores the next register in a new record, at an offset.
    Init(Memory, u32),
    /// Starts a thread of a type with so many arguments.
    Start(u32, u32, Span),
    /// Something about a lock or a thread.
    Ask(Question, Span),
    /// An operation of an extension, by its number among those of the program.
    Extend(u32),
}

/// An effect on the heap, a stack or a monitor.
#[derive(Clone, Debug)]
pub enum HeapEffect {
    /// Deletes the record that the code gives.
    Delete(CodeRef),
    /// Calls a function; the code leaves its arguments in the registers from 0 on, and behind them the number that stands for the
    /// function, if one does.
    Call(Callee, CodeRef, u32),
    /// Returns from a function.
    Return(Option<CodeRef>),
    /// Throws the record that the code gives.
    Throw(CodeRef),
    /// Ends the thread.
    Exit,
    /// Cuts the run if the code gives zero.
    Assume(CodeRef),
    /// Something with the lock of the record that the code gives.
    Monitor(MonitorOp, CodeRef),
}

impl Program<'_> {
    fn heap_op(&mut self, op: HeapOp, reg: Reg) {
        self.heap_ops.push(op);
        self.emit(Op::Heap(reg, self.heap_ops.len() as u32 - 1));
    }

    /// Takes note that a reference was stored in a variable.
    pub(in super::super) fn dirty(&mut self, reg: Reg) {
        self.heap_op(HeapOp::Dirty, reg);
    }

    fn field_of(&self, part: &Part, field: usize) -> (Memory, u32) {
        (Memory::of(part.scalar), self.heap_layout().records[part.record].fields[field])
    }

    /// Emits code that leaves the value of an expression about the heap in a register.
    pub(in super::super) fn heap_expr(&mut self, expr: &HeapExpr, reg: Reg, id: usize, span: Span) {
        self.need(reg + 2);
        match expr {
            HeapExpr::Null => self.emit(Op::Const(reg, 0)),
            HeapExpr::Read(part) => {
                self.expr(&part.object, reg, id, span);
                match &part.which {
                    Which::Field(field) => {
                        let (memory, offset) = self.field_of(part, *field);
                        self.heap_op(HeapOp::Field(part.record, memory, offset, part.span), reg);
                    }
                    Which::Element(index) => {
                        self.heap_op(HeapOp::Check(part.record, part.span), reg);
                        self.expr(index, reg + 1, id, span);
                        self.heap_op(HeapOp::Element(part.span), reg);
                    }
                }
            }
            HeapExpr::Length { array, span: at } => {
                self.expr(array, reg, id, span);
                self.heap_op(HeapOp::Length(*at), reg);
            }
            HeapExpr::InstanceOf(object, record) => {
                self.expr(object, reg, id, span);
                self.heap_op(HeapOp::InstanceOf(*record, span), reg);
            }
            HeapExpr::IsExactly(object, record) => {
                self.expr(object, reg, id, span);
                self.heap_op(HeapOp::IsExactly(*record, span), reg);
            }
            HeapExpr::Cast { object, record, span: at } => {
                self.expr(object, reg, id, span);
                self.heap_op(HeapOp::Cast(*record, *at), reg);
            }
            HeapExpr::Ranged { value, low, high, span: at } => {
                self.expr(value, reg, id, span);
                self.heap_op(HeapOp::Ranged(*low, *high, *at), reg);
            }
            HeapExpr::New { record, length, inits, span: at } => {
                match length {
                    Some(length) => self.expr(length, reg, id, span),
                    None => self.emit(Op::Const(reg, 0)),
                }
                self.heap_op(HeapOp::New(*record, *at), reg);
                for (field, value) in inits {
                    self.expr(value, reg + 1, id, span);
                    self.init(*record, *field, reg);
                }
            }
            HeapExpr::Start { proctype, args } => {
                self.arguments(args, reg, id, span);
                self.heap_op(HeapOp::Start(*proctype as u32, args.len() as u32, span), reg);
            }
            HeapExpr::Ask(question, object) => {
                self.expr(object, reg, id, span);
                self.heap_op(HeapOp::Ask(*question, span), reg);
            }
            HeapExpr::Messages(channel) => {
                self.expr(channel, reg, id, span);
                self.emit(Op::Length(reg));
            }
            HeapExpr::Probe(probe, channel) => {
                self.expr(channel, reg, id, span);
                self.probe(*probe, reg);
            }
            HeapExpr::Poll { channel, pattern, random } => self.poll(channel, (pattern, *random), reg, id, span),
            HeapExpr::Extend(call) => {
                self.arguments(&call.args, reg, id, span);
                self.access.calls.push(Operation::of(call));
                self.heap_op(HeapOp::Extend(self.access.calls.len() as u32 - 1), reg);
            }
        }
    }

    /// Stores the next register in a field of a new record, or in its first element.
    fn init(&mut self, record: RecordId, field: usize, reg: Reg) {
        let Some(heap) = &self.model.heap else { return };
        let scalar = heap.records[record].fields[field].scalar;
        if let Some(mask) = mask(scalar) {
            self.emit(Op::Mask(reg + 1, mask));
        }
        let layout = &self.heap_layout().records[record];
        let offset = layout.fields.get(field).copied().unwrap_or(layout.head);
        self.heap_op(HeapOp::Init(Memory::of(scalar), offset), reg);
    }

    fn arguments(&mut self, args: &[Expr], first: Reg, id: usize, span: Span) {
        for (reg, arg) in (first..).zip(args) {
            self.expr(arg, reg, id, span);
        }
        self.need(first + args.len() as Reg);
    }

    /// Compiles an action on the heap.
    pub(in super::super) fn heap_effect(&mut self, action: &HeapAction, id: usize, span: Span) -> Effect {
        let effect = match action {
            HeapAction::Set(part, value) => return self.set_part(part, value, id, span),
            HeapAction::Evaluate(value) => return Effect::Assign(self.value(value, id, span)),
            HeapAction::Delete(object) => HeapEffect::Delete(self.value(object, id, span)),
            HeapAction::Call { callee, args, result: _, atomic: _ } => {
                let start = self.here();
                self.arguments(args, 0, id, span);
                if let Some(value) = callee.value() {
                    self.expr(value, args.len() as Reg, id, span);
                }
                self.emit(Op::Return(0));
                HeapEffect::Call(callee.clone(), start, args.len() as u32)
            }
            HeapAction::Return(value) => HeapEffect::Return(value.as_ref().map(|value| self.value(value, id, span))),
            HeapAction::Throw(value) => HeapEffect::Throw(self.value(value, id, span)),
            HeapAction::Exit => HeapEffect::Exit,
            HeapAction::Assume(value) => HeapEffect::Assume(self.value(value, id, span)),
            HeapAction::Monitor(op, object) => HeapEffect::Monitor(*op, self.value(object, id, span)),
            HeapAction::Send { channel, values, sorted } => return self.send(channel, values, *sorted, id, span),
            HeapAction::Receive { channel, pattern, random, copy } => {
                return self.receive(channel, pattern, (*random, *copy), id, span);
            }
        };
        Effect::Heap(Box::new(effect))
    }

    fn set_part(&mut self, part: &Part, value: &Expr, id: usize, span: Span) -> Effect {
        let start = self.here();
        self.expr(value, 0, id, span);
        if let Some(mask) = mask(part.scalar) {
            self.emit(Op::Mask(0, mask));
        }
        self.expr(&part.object, 1, id, span);
        match &part.which {
            Which::Field(field) => {
                let (memory, offset) = self.field_of(part, *field);
                let is_reference = part.scalar.sort == quotient_ir::Sort::Ref;
                self.heap_op(HeapOp::SetField(part.record, memory, offset, is_reference, part.span), 0);
            }
            Which::Element(index) => {
                self.heap_op(HeapOp::Check(part.record, part.span), 1);
                self.expr(index, 2, id, span);
                self.heap_op(HeapOp::SetElement(part.span), 0);
            }
        }
        self.need(2);
        self.emit(Op::Return(0));
        Effect::Assign(start)
    }

    /// The local slot that gets the result of the call at a control state, and where the caller goes on.
    pub(super) fn call_at(&self, ty: usize, control: usize) -> Option<(Option<usize>, usize)> {
        let proctype = &self.model.proctypes[ty];
        let transition = proctype.states[control].transitions.first()?;
        match &proctype.statements[transition.statement].action {
            Action::Heap(action) => match &**action {
                HeapAction::Call { result, .. } => Some((*result, transition.target)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the records of a type are arrays.
    pub(super) fn is_array(&self, record: RecordId) -> bool {
        self.heap_layout().records[record].kind == RecordKind::Array
    }
}
