//! Expressions: 32-bit integers throughout, as in SPIN's generated verifiers.

use quotient_report::source::Span;

use crate::{HeapExpr, Pattern, ProctypeId, Scalar, StateId};

/// An expression; its value is an `i32`.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a variable.
    Read(Place),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator that evaluates both sides.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a && b`, which does not evaluate `b` when `a` is zero.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`, which does not evaluate `b` when `a` is not zero.
    Or(Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The number of messages in a channel.
    Length(Box<Place>),
    /// A test of a channel's fill state.
    Probe(Probe, Box<Place>),
    /// Whether a receive with this pattern would succeed; has no effect.
    Poll {
        /// The channel.
        channel: Box<Place>,
        /// What to match.
        pattern: Vec<Pattern>,
        /// Any message, not only the oldest.
        random: bool,
    },
    /// Creates a process and gives its id.
    Run {
        /// Its type.
        proctype: ProctypeId,
        /// Values of its parameters' slots.
        args: Vec<Expr>,
        /// Its priority.
        priority: u8,
    },
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `_priority`
    OwnPriority,
    /// True when nothing else in the system can move.
    Timeout,
    /// `np_`: no process is at a progress label.
    NonProgress,
    /// Whether the process with this id can move.
    Enabled(Box<Expr>),
    /// The control state of the process with this id.
    PcValue(Box<Expr>),
    /// The priority of the process with this id.
    PriorityOf(Box<Expr>),
    /// Whether a process is at a control state.
    RemoteAt {
        /// The type it must have.
        proctype: ProctypeId,
        /// Its id; `None` is the only (or oldest) instance.
        pid: Option<Box<Expr>>,
        /// The state, or [nowhere](crate::Proctype::nowhere).
        state: StateId,
    },
    /// A local variable of another process; zero if there is no such process.
    RemoteRead {
        /// The type it must have.
        proctype: ProctypeId,
        /// Its id; `None` is the only (or oldest) instance.
        pid: Option<Box<Expr>>,
        /// A place among the locals of that type.
        place: Box<Place>,
    },
    /// Something about the heap. A reference is a value, too, but not one to compute with.
    Heap(Box<HeapExpr>),
}

/// A scalar variable, perhaps inside arrays and structures: slot `slot` plus, for every index, its value times its
/// stride.
#[derive(Clone, Debug)]
pub struct Place {
    /// Whose variable it is.
    pub scope: Scope,
    /// The slot of the first element.
    pub slot: usize,
    /// Indices, outermost first.
    pub indices: Vec<Index>,
    /// The element's type.
    pub scalar: Scalar,
}

/// One array index of a [`Place`].
#[derive(Clone, Debug)]
pub struct Index {
    /// Its value; outside `0..length` is an error of the model.
    pub value: Expr,
    /// The array's length.
    pub length: usize,
    /// Slots per element.
    pub stride: usize,
    /// Where it is written.
    pub span: Span,
}

/// Whose variable a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The model's.
    Global,
    /// The executing process's.
    Local,
}

/// Tests of a channel's fill state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Probe {
    Full,
    NotFull,
    Empty,
    NotEmpty,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Neg,
    BitNot,
}

/// Binary operators that evaluate both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitXor,
    BitOr,
    Gt,
    Lt,
    Ge,
    Le,
    Eq,
    Ne,
    Shl,
    Shr,
}

impl UnaryOp {
    /// The operator's value.
    pub fn apply(self, value: i32) -> i32 {
        match self {
            UnaryOp::Not => (value == 0) as i32,
            UnaryOp::Neg => value.wrapping_neg(),
            UnaryOp::BitNot => !value,
        }
    }
}

impl BinaryOp {
    /// The operator's value; `None` for a division by zero.
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::BitOr => a | b,
            BinaryOp::Gt => (a > b) as i32,
            BinaryOp::Lt => (a < b) as i32,
            BinaryOp::Ge => (a >= b) as i32,
            BinaryOp::Le => (a <= b) as i32,
            BinaryOp::Eq => (a == b) as i32,
            BinaryOp::Ne => (a != b) as i32,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
        })
    }
}

impl Place {
    /// A scalar variable without indices.
    pub fn scalar(scope: Scope, slot: usize, scalar: Scalar) -> Self {
        Place { scope, slot, indices: Vec::new(), scalar }
    }

    /// Every slot the place can stand for, whatever its indices.
    pub fn all_slots(&self) -> Vec<usize> {
        let mut slots = vec![self.slot];
        for index in &self.indices {
            slots = slots.iter().flat_map(|&slot| (0..index.length).map(move |i| slot + i * index.stride)).collect();
        }
        slots
    }

    /// The place with other indices.
    #[must_use]
    pub fn map(&self, change: &dyn Fn(&Expr) -> Expr) -> Place {
        let index = |index: &Index| Index { value: change(&index.value), ..index.clone() };
        Place { indices: self.indices.iter().map(index).collect(), ..self.clone() }
    }

    /// Calls `visit` on the place's index expressions and everything below them.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for index in &self.indices {
            index.value.walk(visit);
        }
    }
}

impl Expr {
    /// Calls `visit` on this expression and every expression below it, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match self {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress => {}
            Expr::Read(place) => place.walk(visit),
            Expr::Length(place) => place.walk(visit),
            Expr::Probe(_, place) => place.walk(visit),
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::PriorityOf(a) => a.walk(visit),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Expr::Cond(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            Expr::Poll { channel, pattern, .. } => {
                channel.walk(visit);
                for part in pattern {
                    part.walk(visit);
                }
            }
            Expr::Run { args, .. } => {
                for arg in args {
                    arg.walk(visit);
                }
            }
            Expr::RemoteAt { pid, .. } => {
                if let Some(pid) = pid {
                    pid.walk(visit);
                }
            }
            Expr::RemoteRead { pid, place, .. } => {
                if let Some(pid) = pid {
                    pid.walk(visit);
                }
                place.walk(visit);
            }
            Expr::Heap(expr) => expr.walk(visit),
        }
    }

    /// The expression with others in place of those directly below it, indices included. What is about the heap stays as it is.
    #[must_use]
    pub fn map(&self, change: &dyn Fn(&Expr) -> Expr) -> Expr {
        let boxed = |e: &Expr| Box::new(change(e));
        let place = |place: &Place| Box::new(place.map(change));
        match self {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Heap(_) => self.clone(),
            Expr::Read(from) => Expr::Read(from.map(change)),
            Expr::Length(of) => Expr::Length(place(of)),
            Expr::Probe(probe, of) => Expr::Probe(*probe, place(of)),
            Expr::Unary(op, a) => Expr::Unary(*op, boxed(a)),
            Expr::Enabled(a) => Expr::Enabled(boxed(a)),
            Expr::PcValue(a) => Expr::PcValue(boxed(a)),
            Expr::PriorityOf(a) => Expr::PriorityOf(boxed(a)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, boxed(a), boxed(b)),
            Expr::And(a, b) => Expr::And(boxed(a), boxed(b)),
            Expr::Or(a, b) => Expr::Or(boxed(a), boxed(b)),
            Expr::Cond(c, a, b) => Expr::Cond(boxed(c), boxed(a), boxed(b)),
            Expr::Poll { channel, pattern, random } => Expr::Poll {
                channel: place(channel),
                pattern: pattern.iter().map(|part| part.map(change)).collect(),
                random: *random,
            },
            Expr::Run { proctype, args, priority } => {
                Expr::Run { proctype: *proctype, args: args.iter().map(change).collect(), priority: *priority }
            }
            Expr::RemoteAt { proctype, pid, state } => {
                Expr::RemoteAt { proctype: *proctype, pid: pid.as_deref().map(boxed), state: *state }
            }
            Expr::RemoteRead { proctype, pid, place: of } => {
                Expr::RemoteRead { proctype: *proctype, pid: pid.as_deref().map(boxed), place: place(of) }
            }
        }
    }

    /// Whether any expression in it satisfies a test.
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }

    /// Whether it tests the fill state of a channel itself.
    pub fn is_probe(&self) -> bool {
        match self {
            Expr::Probe(..) => true,
            Expr::Heap(expr) => matches!(**expr, HeapExpr::Probe(..)),
            _ => false,
        }
    }

    /// Whether evaluating it can create a process.
    pub fn runs(&self) -> bool {
        self.any(&|e| matches!(e, Expr::Run { .. }))
    }
}
