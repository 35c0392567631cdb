//! Expressions and places as code.

use quotient_ir::{BinaryOp, Expr, Pattern, Place, Probe, Scope, Sort, UnaryOp};
use quotient_report::source::Span;

use super::code::{CodeRef, Memory, Op, Reg, mask};
use super::program::{Program, Rare};

impl Program<'_> {
    pub(super) fn here(&self) -> CodeRef {
        self.code.len() as CodeRef
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.push(op);
    }

    pub(super) fn need(&mut self, reg: Reg) {
        self.registers = self.registers.max(reg as usize + 2);
    }

    pub(super) fn site(&mut self, span: Span, length: u32) -> u32 {
        self.sites.push((span, length));
        self.sites.len() as u32 - 1
    }

    /// Code for an expression that somebody outside the model asks about (see [`super::Machine::holds`]). All of it is
    /// made before the first machine.
    pub fn watch(&mut self, expr: &Expr, span: Span) -> CodeRef {
        self.value(expr, 0, span)
    }

    /// Code that ends with the expression's value.
    pub(super) fn value(&mut self, expr: &Expr, id: usize, span: Span) -> CodeRef {
        let start = self.here();
        self.expr(expr, 0, id, span);
        self.emit(Op::Return(0));
        start
    }

    fn offset(&self, place: &Place, slot: usize, id: usize) -> u32 {
        match place.scope {
            Scope::Global => self.schema.globals.offsets[slot],
            Scope::Local => self.schema.locals[id].offsets[slot],
        }
    }

    /// Leaves the byte offset that a place's indices make in a register.
    fn address(&mut self, place: &Place, reg: Reg, id: usize) {
        for (i, index) in place.indices.iter().enumerate() {
            let at = if i == 0 { reg } else { reg + 1 };
            self.expr(&index.value, at, id, index.span);
            let site = self.site(index.span, index.length as u32);
            self.emit(Op::Bound(at, site));
            let stride = if index.length > 1 {
                self.offset(place, place.slot + index.stride, id) - self.offset(place, place.slot, id)
            } else {
                0
            };
            if stride != 1 {
                self.emit(Op::Scale(at, stride as i32));
            }
            if i > 0 {
                self.emit(Op::Add(reg));
            }
        }
    }

    fn load(&mut self, place: &Place, reg: Reg, id: usize) {
        let offset = self.offset(place, place.slot, id);
        let memory = Memory::of(place.scalar);
        let indexed = !place.indices.is_empty();
        self.address(place, reg, id);
        self.emit(match (place.scope, memory, indexed) {
            (Scope::Global, Memory::U8, false) => Op::GlobalByte(reg, offset),
            (Scope::Local, Memory::U8, false) => Op::LocalByte(reg, offset),
            (Scope::Global, memory, false) => Op::Global(reg, memory, offset),
            (Scope::Local, memory, false) => Op::Local(reg, memory, offset),
            (Scope::Global, Memory::U8, true) => Op::GlobalByteAt(reg, offset),
            (Scope::Local, Memory::U8, true) => Op::LocalByteAt(reg, offset),
            (Scope::Global, memory, true) => Op::GlobalAt(reg, memory, offset),
            (Scope::Local, memory, true) => Op::LocalAt(reg, memory, offset),
        });
    }

    /// Stores a register's value.
    pub(super) fn store(&mut self, place: &Place, reg: Reg, id: usize) {
        let offset = self.offset(place, place.slot, id);
        let memory = Memory::of(place.scalar);
        if let Some(mask) = mask(place.scalar) {
            self.emit(Op::Mask(reg, mask));
        }
        if place.scalar.sort == Sort::Ref {
            self.dirty(reg);
        }
        self.need(reg + 1);
        if !place.indices.is_empty() {
            self.address(place, reg + 1, id);
            return self.emit(match place.scope {
                Scope::Global => Op::SetGlobalAt(reg, memory, offset),
                Scope::Local => Op::SetLocalAt(reg, memory, offset),
            });
        }
        self.emit(match (place.scope, memory) {
            (Scope::Global, Memory::U8) => Op::SetGlobalByte(reg, offset),
            (Scope::Local, Memory::U8) => Op::SetLocalByte(reg, offset),
            (Scope::Global, memory) => Op::SetGlobal(reg, memory, offset),
            (Scope::Local, memory) => Op::SetLocal(reg, memory, offset),
        });
    }

    /// Emits code that leaves an expression's value in a register.
    pub(super) fn expr(&mut self, expr: &Expr, reg: Reg, id: usize, span: Span) {
        self.need(reg + 1);
        match expr {
            Expr::Const(value) => self.emit(Op::Const(reg, *value)),
            Expr::Read(place) => self.load(place, reg, id),
            Expr::Unary(op, a) => {
                self.expr(a, reg, id, span);
                self.emit(match op {
                    UnaryOp::Not => Op::Not(reg),
                    UnaryOp::Neg => Op::Neg(reg),
                    UnaryOp::BitNot => Op::BitNot(reg),
                });
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, reg, id, span),
            Expr::And(a, b) => {
                self.expr(a, reg, id, span);
                let hole = self.code.len();
                self.emit(Op::IfZero(reg, 0));
                self.expr(b, reg, id, span);
                self.code[hole] = Op::IfZero(reg, self.here());
                self.emit(Op::Truth(reg));
            }
            Expr::Or(a, b) => {
                self.expr(a, reg, id, span);
                let hole = self.code.len();
                self.emit(Op::IfNotZero(reg, 0));
                self.expr(b, reg, id, span);
                self.code[hole] = Op::IfNotZero(reg, self.here());
                self.emit(Op::Truth(reg));
            }
            Expr::Cond(c, a, b) => {
                self.expr(c, reg, id, span);
                let otherwise = self.code.len();
                self.emit(Op::IfZero(reg, 0));
                self.expr(a, reg, id, span);
                let end = self.code.len();
                self.emit(Op::Jump(0));
                self.code[otherwise] = Op::IfZero(reg, self.here());
                self.expr(b, reg, id, span);
                self.code[end] = Op::Jump(self.here());
            }
            Expr::Length(place) => {
                self.load(place, reg, id);
                self.emit(Op::Length(reg));
            }
            Expr::Probe(probe, place) => {
                self.load(place, reg, id);
                self.probe(*probe, reg);
            }
            Expr::Poll { channel, pattern, random } => {
                let channel = Expr::Read((**channel).clone());
                self.poll(&channel, (pattern, *random), reg, id, span);
            }
            Expr::Run { proctype, args, priority } => {
                for (i, arg) in args.iter().enumerate() {
                    self.expr(arg, reg + i as Reg, id, span);
                }
                self.need(reg + args.len() as Reg);
                let rare = Rare::Run { proctype: *proctype as u32, args: args.len() as u32, priority: *priority };
                self.rare(rare, reg);
            }
            Expr::Pid => self.emit(Op::Pid(reg)),
            Expr::ProcessCount => self.emit(Op::ProcessCount(reg)),
            Expr::Last => self.emit(Op::GlobalByte(reg, self.schema.last.unwrap_or(0))),
            Expr::OwnPriority => self.emit(Op::LocalByte(reg, self.schema.priority.unwrap_or(0))),
            Expr::Timeout => self.emit(Op::Timeout(reg)),
            Expr::NonProgress => self.rare(Rare::NonProgress, reg),
            Expr::Enabled(pid) => {
                self.expr(pid, reg, id, span);
                self.rare(Rare::Enabled, reg);
            }
            Expr::PcValue(pid) => {
                self.expr(pid, reg, id, span);
                self.rare(Rare::PcValue, reg);
            }
            Expr::PriorityOf(pid) => {
                self.expr(pid, reg, id, span);
                self.rare(Rare::PriorityOf, reg);
            }
            Expr::RemoteAt { proctype, pid, state } => {
                if let Some(pid) = pid {
                    self.expr(pid, reg, id, span);
                }
                self.rare(Rare::RemoteAt(*proctype as u32, pid.is_some(), *state as u32), reg);
            }
            Expr::RemoteRead { proctype, pid, place } => {
                if let Some(pid) = pid {
                    self.expr(pid, reg, id, span);
                }
                self.remote_address(place, reg + 1, id, *proctype);
                let offset = self.schema.locals[*proctype].offsets[place.slot];
                self.rare(Rare::RemoteRead(*proctype as u32, pid.is_some(), Memory::of(place.scalar), offset), reg);
            }
            Expr::Heap(heap) => self.heap_expr(heap, reg, id, span),
        }
    }

    /// A test of the fill state of the channel in a register.
    pub(super) fn probe(&mut self, probe: Probe, reg: Reg) {
        self.emit(match probe {
            Probe::Full => Op::Full(reg),
            Probe::NotFull => Op::NotFull(reg),
            Probe::Empty => Op::Empty(reg),
            Probe::NotEmpty => Op::NotEmpty(reg),
        });
    }

    /// Whether there is a message that matches a pattern: the oldest, or any.
    pub(super) fn poll(
        &mut self,
        channel: &Expr,
        (pattern, random): (&[Pattern], bool),
        reg: Reg,
        id: usize,
        span: Span,
    ) {
        // The pattern's code is out of line, so it is emitted behind a jump.
        let over = self.code.len();
        self.emit(Op::Jump(0));
        let parts = self.pattern(pattern, id, span, reg + 1);
        self.code[over] = Op::Jump(self.here());
        self.expr(channel, reg, id, span);
        let references = self.references(pattern.iter().map(Pattern::wants_reference));
        self.rare(Rare::Poll(parts, random, references), reg);
    }

    /// As [`Self::address`], for a place among another process type's locals: indices are this process's expressions.
    fn remote_address(&mut self, place: &Place, reg: Reg, id: usize, other: usize) {
        self.need(reg + 1);
        self.emit(Op::Const(reg, 0));
        for index in &place.indices {
            self.expr(&index.value, reg + 1, id, index.span);
            let site = self.site(index.span, index.length as u32);
            self.emit(Op::Bound(reg + 1, site));
            let offsets = &self.schema.locals[other].offsets;
            let stride = if index.length > 1 { offsets[place.slot + index.stride] - offsets[place.slot] } else { 0 };
            self.emit(Op::Scale(reg + 1, stride as i32));
            self.emit(Op::Add(reg));
        }
    }

    fn rare(&mut self, rare: Rare, reg: Reg) {
        self.rare.push(rare);
        self.emit(Op::Rare(reg, self.rare.len() as u32 - 1));
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, reg: Reg, id: usize, span: Span) {
        self.expr(a, reg, id, span);
        if let Expr::Const(value) = *b {
            let fused = match op {
                BinaryOp::Add => Some(Op::AddConst(reg, value)),
                BinaryOp::Sub => Some(Op::AddConst(reg, value.wrapping_neg())),
                BinaryOp::Eq => Some(Op::EqConst(reg, value)),
                BinaryOp::Ne => Some(Op::NeConst(reg, value)),
                BinaryOp::Lt => Some(Op::LtConst(reg, value)),
                BinaryOp::Le => Some(Op::LeConst(reg, value)),
                BinaryOp::Gt => Some(Op::GtConst(reg, value)),
                BinaryOp::Ge => Some(Op::GeConst(reg, value)),
                BinaryOp::BitAnd => Some(Op::Mask(reg, value)),
                _ => None,
            };
            if let Some(op) = fused {
                return self.emit(op);
            }
        }
        self.expr(b, reg + 1, id, span);
        let op = match op {
            BinaryOp::Add => Op::Add(reg),
            BinaryOp::Sub => Op::Sub(reg),
            BinaryOp::Mul => Op::Mul(reg),
            BinaryOp::Div => Op::Div(reg, self.site(span, 0)),
            BinaryOp::Rem => Op::Rem(reg, self.site(span, 0)),
            BinaryOp::BitAnd => Op::BitAnd(reg),
            BinaryOp::BitXor => Op::BitXor(reg),
            BinaryOp::BitOr => Op::BitOr(reg),
            BinaryOp::Shl => Op::Shl(reg),
            BinaryOp::Shr => Op::Shr(reg),
            BinaryOp::Eq => Op::Eq(reg),
            BinaryOp::Ne => Op::Ne(reg),
            BinaryOp::Lt => Op::Lt(reg),
            BinaryOp::Le => Op::Le(reg),
            BinaryOp::Gt => Op::Gt(reg),
            BinaryOp::Ge => Op::Ge(reg),
        };
        self.emit(op);
    }
}
