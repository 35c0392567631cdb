//! Three-address steps: a statement that is not atomic touches shared memory once in a step. What is read before that goes
//! into temporary variables.

use quotient_ir::extension::Alternative;
use quotient_ir::{
    Action, Expr as Ir, Extend, Gives, HeapExpr, Part, Place, Scalar, Scope, Slot, UnaryOp, Which, Width,
};
use quotient_report::source::Span;

use super::Lowerer;
use super::expressions::not;

/// How often an expression touches what others can change, or creates something.
pub(super) fn accesses(ir: &Ir) -> usize {
    let mut count = 0;
    ir.walk(&mut |part| {
        count += match part {
            Ir::Read(place) => usize::from(place.scope == Scope::Global),
            Ir::Heap(heap) => match &**heap {
                HeapExpr::Read(_)
                | HeapExpr::Ask(..)
                | HeapExpr::New { .. }
                | HeapExpr::Start { .. }
                | HeapExpr::Messages(_)
                | HeapExpr::Probe(..)
                | HeapExpr::Poll { .. } => 1,
                HeapExpr::Extend(call) => usize::from(touches(call)),
                // Types and lengths of records never change.
                HeapExpr::Null
                | HeapExpr::Length { .. }
                | HeapExpr::InstanceOf(..)
                | HeapExpr::IsExactly(..)
                | HeapExpr::Cast { .. }
                | HeapExpr::Ranged { .. } => 0,
            },
            _ => 0,
        };
    });
    count
}

/// Whether an operation looks into a value or makes one.
fn touches(call: &Extend) -> bool {
    matches!(call.gives, Gives::New(_)) || looks_into(call)
}

/// Whether it is an operation on a value that is there already.
pub(super) fn changes(heap: &HeapExpr) -> bool {
    matches!(heap, HeapExpr::Extend(call) if looks_into(call))
}

fn looks_into(call: &Extend) -> bool {
    call.access.iter().any(|access| access.value().is_some())
}

/// Whether an expression reads something that is there already, or chooses.
pub(super) fn looks(ir: &Ir) -> bool {
    ir.any(&|part| match part {
        Ir::Read(_) => true,
        Ir::Heap(heap) => match &**heap {
            HeapExpr::Read(_) | HeapExpr::Ask(..) => true,
            HeapExpr::Extend(call) => looks_into(call) || call.alternative != Alternative::Only,
            _ => false,
        },
        _ => false,
    })
}

/// The number of parts of an expression.
pub(super) fn size(ir: &Ir) -> usize {
    let mut count = 0;
    ir.walk(&mut |_| count += 1);
    count
}

/// Whether working an expression out can be an error.
fn can_fail(ir: &Ir) -> bool {
    ir.any(&|part| match part {
        Ir::Binary(op, ..) => matches!(op, quotient_ir::BinaryOp::Div | quotient_ir::BinaryOp::Rem),
        Ir::Heap(heap) => !matches!(**heap, HeapExpr::Null | HeapExpr::InstanceOf(..) | HeapExpr::IsExactly(..)),
        _ => false,
    })
}

impl Lowerer<'_, '_> {
    /// A temporary variable that the statement does not use yet.
    pub(super) fn temporary(&mut self, scalar: Scalar) -> usize {
        let free = self.temporaries.iter_mut().find(|(_, known, used)| *known == scalar && !*used);
        if let Some((slot, _, used)) = free {
            *used = true;
            return *slot;
        }
        let slot = self.slots.len();
        let name = format!("${}", self.temporaries.len() + 1);
        self.slots.push(Slot { name, scalar, mtype: None, hidden: false, private: false, boxed: false });
        self.temporaries.push((slot, scalar, true));
        slot
    }

    /// All temporary variables can be used again.
    pub(super) fn statement_ends(&mut self) {
        self.temporaries.iter_mut().for_each(|(.., used)| *used = false);
    }

    fn local(&self, slot: usize) -> Place {
        Place::scalar(Scope::Local, slot, self.slots[slot].scalar)
    }

    /// Reads into a new temporary variable; gives it, and the state after that.
    fn read(&mut self, ir: Ir, from: usize, span: Span) -> (Ir, usize) {
        let slot = self.temporary(self.scalar_of(&ir));
        let to = self.fresh();
        let (span, text) = self.access_text(&ir, slot, span);
        let place = self.local(slot);
        self.graph.edge(from, to, Action::Assign(place.clone(), ir), span, text);
        (Ir::Read(place), to)
    }

    /// Where an access is written, and how it is shown.
    fn access_text(&self, ir: &Ir, slot: usize, span: Span) -> (Span, String) {
        let name = &self.slots[slot].name;
        match ir {
            Ir::Read(place) if place.scope == Scope::Global => {
                let global = self.declared.globals.get(place.slot).map_or("", |global| &*global.name.text);
                (span, format!("{name} := {global}"))
            }
            Ir::Heap(heap) => match &**heap {
                HeapExpr::Read(Part { span, .. })
                | HeapExpr::New { span, .. }
                | HeapExpr::Extend(Extend { span, .. }) => (*span, format!("{name} := {}", self.text(*span))),
                _ => (span, self.text(span)),
            },
            _ => (span, self.text(span)),
        }
    }

    /// An expression in which nothing shared is touched any more, and the state in which it can be worked out.
    pub(super) fn split(&mut self, ir: Ir, from: usize, span: Span) -> (Ir, usize) {
        if accesses(&ir) == 0 {
            return (ir, from);
        }
        match ir {
            Ir::Unary(op, a) => {
                let (a, at) = self.split(*a, from, span);
                (Ir::Unary(op, Box::new(a)), at)
            }
            Ir::Binary(op, a, b) => {
                let (a, at) = self.split(*a, from, span);
                let (b, at) = self.split(*b, at, span);
                (Ir::Binary(op, Box::new(a), Box::new(b)), at)
            }
            Ir::And(..) | Ir::Or(..) | Ir::Cond(..) => {
                let slot = self.temporary(self.scalar_of(&ir));
                let to = self.fresh();
                self.assign_local(slot, ir, from, to, span, None);
                (Ir::Read(self.local(slot)), to)
            }
            Ir::Heap(heap) => match *heap {
                HeapExpr::Length { array, span: place } => {
                    let (array, at) = self.split(array, from, span);
                    (HeapExpr::Length { array, span: place }.into(), at)
                }
                HeapExpr::InstanceOf(a, record) => {
                    let (a, at) = self.split(a, from, span);
                    (HeapExpr::InstanceOf(a, record).into(), at)
                }
                HeapExpr::IsExactly(a, record) => {
                    let (a, at) = self.split(a, from, span);
                    (HeapExpr::IsExactly(a, record).into(), at)
                }
                HeapExpr::Cast { object, record, span: place } => {
                    let (object, at) = self.split(object, from, span);
                    (HeapExpr::Cast { object, record, span: place }.into(), at)
                }
                HeapExpr::Ranged { value, low, high, span: place } => {
                    let (value, at) = self.split(value, from, span);
                    (HeapExpr::Ranged { value, low, high, span: place }.into(), at)
                }
                heap => {
                    let (ir, at) = self.split_inside(heap, from, span);
                    self.read(ir, at, span)
                }
            },
            ir => self.read(ir, from, span),
        }
    }

    /// An access whose parts touch nothing shared any more.
    pub(super) fn split_inside(&mut self, heap: HeapExpr, from: usize, span: Span) -> (Ir, usize) {
        match heap {
            HeapExpr::Read(part) => {
                let (part, at) = self.split_part(part, from, span);
                (HeapExpr::Read(part).into(), at)
            }
            HeapExpr::Ask(question, object) => {
                let (object, at) = self.split(object, from, span);
                (HeapExpr::Ask(question, object).into(), at)
            }
            HeapExpr::New { record, length: Some(length), inits, span: place } => {
                let (length, at) = self.split(length, from, span);
                (HeapExpr::New { record, length: Some(length), inits, span: place }.into(), at)
            }
            HeapExpr::Start { proctype, args } => {
                let (args, at) = self.split_args(args, from, span);
                (HeapExpr::Start { proctype, args }.into(), at)
            }
            HeapExpr::Extend(mut call) => {
                let (args, at) = self.split_args(std::mem::take(&mut call.args), from, span);
                (HeapExpr::Extend(Extend { args, ..call }).into(), at)
            }
            other => (other.into(), from),
        }
    }

    /// Arguments in which nothing shared is touched any more.
    pub(super) fn split_args(&mut self, args: Vec<Ir>, from: usize, span: Span) -> (Vec<Ir>, usize) {
        let mut at = from;
        let mut done = Vec::new();
        for arg in args {
            let (arg, next) = self.split(arg, at, span);
            done.push(arg);
            at = next;
        }
        (done, at)
    }

    /// A part of a record that can be touched in one step.
    pub(super) fn split_part(&mut self, part: Part, from: usize, span: Span) -> (Part, usize) {
        let Part { object, record, which, scalar, span: place } = part;
        let (object, at) = self.split(object, from, span);
        let (which, at) = match which {
            Which::Field(field) => (Which::Field(field), at),
            Which::Element(index) => {
                let (index, at) = self.split(index, at, span);
                (Which::Element(index), at)
            }
        };
        (Part { object, record, which, scalar, span: place }, at)
    }

    /// An expression that touches something shared at most once.
    pub(super) fn split_but_last(&mut self, ir: Ir, from: usize, span: Span) -> (Ir, usize) {
        if accesses(&ir) <= 1 {
            return (ir, from);
        }
        match ir {
            Ir::Unary(op, a) => {
                let (a, at) = self.split_but_last(*a, from, span);
                (Ir::Unary(op, Box::new(a)), at)
            }
            Ir::Binary(op, a, b) => {
                let (a, at) = match accesses(&b) {
                    0 => self.split_but_last(*a, from, span),
                    _ => self.split(*a, from, span),
                };
                let (b, at) = self.split_but_last(*b, at, span);
                (Ir::Binary(op, Box::new(a), Box::new(b)), at)
            }
            Ir::Heap(heap) => match *heap {
                HeapExpr::Read(_)
                | HeapExpr::Ask(..)
                | HeapExpr::New { .. }
                | HeapExpr::Start { .. }
                | HeapExpr::Extend(_) => self.split_inside(*heap, from, span),
                other => self.split(other.into(), from, span),
            },
            other => self.split(other, from, span),
        }
    }

    /// Steps that store a value in a local variable. The last one is shown as `text`, if there is one.
    pub(super) fn assign_local(&mut self, slot: usize, ir: Ir, from: usize, to: usize, span: Span, text: Option<&str>) {
        let is_shared = |ir: &Ir| accesses(ir) > 0;
        match ir {
            Ir::And(a, b) if self.splits() && is_shared(&b) => {
                let (yes, no) = (self.fresh(), self.fresh());
                self.branch(*a, from, yes, no, span);
                self.assign_local(slot, *b, yes, to, span, text);
                self.assign_local(slot, Ir::Const(0), no, to, span, text);
            }
            Ir::Or(a, b) if self.splits() && is_shared(&b) => {
                let (yes, no) = (self.fresh(), self.fresh());
                self.branch(*a, from, yes, no, span);
                self.assign_local(slot, Ir::Const(1), yes, to, span, text);
                self.assign_local(slot, *b, no, to, span, text);
            }
            Ir::Cond(condition, a, b) if self.splits() && (is_shared(&a) || is_shared(&b)) => {
                let (yes, no) = (self.fresh(), self.fresh());
                self.branch(*condition, from, yes, no, span);
                self.assign_local(slot, *a, yes, to, span, text);
                self.assign_local(slot, *b, no, to, span, text);
            }
            ir => {
                let (ir, at) = if self.splits() { self.split_last_of(ir, from, span) } else { (ir, from) };
                let shown = text.map_or_else(|| self.access_text(&ir, slot, span).1, str::to_string);
                let place = self.local(slot);
                self.graph.edge(at, to, Action::Assign(place, ir), span, shown);
            }
        }
    }

    /// As [`Self::split_but_last`], for `a && b` where only `a` touches something.
    fn split_last_of(&mut self, ir: Ir, from: usize, span: Span) -> (Ir, usize) {
        match ir {
            Ir::And(a, b) if accesses(&b) == 0 => {
                let (a, at) = self.split_but_last(*a, from, span);
                (Ir::And(Box::new(a), b), at)
            }
            Ir::Or(a, b) if accesses(&b) == 0 => {
                let (a, at) = self.split_but_last(*a, from, span);
                (Ir::Or(Box::new(a), b), at)
            }
            Ir::Cond(condition, a, b) if accesses(&a) + accesses(&b) == 0 => {
                let (condition, at) = self.split_but_last(*condition, from, span);
                (Ir::Cond(Box::new(condition), a, b), at)
            }
            ir => self.split_but_last(ir, from, span),
        }
    }

    /// Steps to one of two states, as a condition says.
    pub(super) fn branch(&mut self, ir: Ir, from: usize, yes: usize, no: usize, span: Span) {
        let splits = self.splits() && accesses(&ir) > 1;
        match ir {
            Ir::Unary(UnaryOp::Not, a) if splits => self.branch(*a, from, no, yes, span),
            Ir::And(a, b) if splits => {
                let middle = self.fresh();
                self.branch(*a, from, middle, no, span);
                self.branch(*b, middle, yes, no, span);
            }
            Ir::Or(a, b) if splits => {
                let middle = self.fresh();
                self.branch(*a, from, yes, middle, span);
                self.branch(*b, middle, yes, no, span);
            }
            ir => {
                let (ir, at) = if splits { self.split_last_of(ir, from, span) } else { (ir, from) };
                let text = self.text(span);
                match ir {
                    Ir::Const(value) => {
                        let (to, text) = if value == 0 { (no, format!("{text}: no")) } else { (yes, text) };
                        self.graph.edge(at, to, Action::Skip, span, text);
                    }
                    ir => {
                        let other = if can_fail(&ir) { Action::Else } else { Action::Condition(not(ir.clone())) };
                        self.graph.edge(at, yes, Action::Condition(ir), span, text.clone());
                        self.graph.edge(at, no, other, span, format!("{text}: no"));
                    }
                }
            }
        }
    }

    /// The type of truth values.
    pub(super) const TRUTH: Scalar = Scalar::plain(Width::Bit);
}
