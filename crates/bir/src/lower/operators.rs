//! Operators of expressions: arithmetic, comparisons, casts and tests of types, and arrays that are made.

use quotient_ir::{BinaryOp as Op, Expr as Ir, HeapExpr, UnaryOp as Un};
use quotient_report::source::Span;

use super::Lowerer;
use super::expressions::{Typed, binary, boolean, integer, not};
use crate::ast::{BinaryOp, Expr, Type, UnaryOp};
use crate::types::Ty;

impl Lowerer<'_, '_> {
    pub(super) fn unary(&mut self, op: UnaryOp, value: &Expr) -> Typed {
        match op {
            UnaryOp::Plus => integer(self.integer(value)),
            UnaryOp::Minus => match self.integer(value) {
                Ir::Const(value) => integer(Ir::Const(value.wrapping_neg())),
                value => integer(Ir::Unary(Un::Neg, Box::new(value))),
            },
            UnaryOp::Not => boolean(not(self.condition(value))),
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Typed {
        let arithmetic = |op| (op, false);
        let (op, compares) = match op {
            BinaryOp::And => {
                let (a, b) = (self.condition(a), self.condition(b));
                return boolean(Ir::And(Box::new(a), Box::new(b)));
            }
            BinaryOp::Or => {
                let (a, b) = (self.condition(a), self.condition(b));
                return boolean(Ir::Or(Box::new(a), Box::new(b)));
            }
            BinaryOp::Implies => {
                let (a, b) = (self.condition(a), self.condition(b));
                return boolean(Ir::Or(Box::new(not(a)), Box::new(b)));
            }
            BinaryOp::Eq | BinaryOp::Ne => return self.equality(op, a, b, span),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => return self.bitwise(op, a, b),
            BinaryOp::UShr => return self.unsigned_shift(a, b),
            BinaryOp::Add => arithmetic(Op::Add),
            BinaryOp::Sub => arithmetic(Op::Sub),
            BinaryOp::Mul => arithmetic(Op::Mul),
            BinaryOp::Div => arithmetic(Op::Div),
            BinaryOp::Rem => arithmetic(Op::Rem),
            BinaryOp::Shl => arithmetic(Op::Shl),
            BinaryOp::Shr => arithmetic(Op::Shr),
            BinaryOp::Lt => (Op::Lt, true),
            BinaryOp::Le => (Op::Le, true),
            BinaryOp::Gt => (Op::Gt, true),
            BinaryOp::Ge => (Op::Ge, true),
        };
        let (a, right) = (self.integer(a), self.integer(b));
        if matches!((op, &right), (Op::Div | Op::Rem, Ir::Const(0))) {
            self.fail(b.span, "this divides by zero");
        }
        let ir = binary(op, a, right);
        if compares { boolean(ir) } else { integer(ir) }
    }

    fn equality(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Typed {
        let (left, right) = (self.expr(a), self.expr(b));
        if !self.declared.types.comparable(&left.ty, &right.ty) {
            let types = &self.declared.types;
            let message = format!(
                "`{}` and `{}` cannot be compared by `{}`",
                types.show(&left.ty),
                types.show(&right.ty),
                op.text()
            );
            return self.fail(span, message);
        }
        let (left, right) = (Self::beside(left.clone(), &right.ty), Self::beside(right, &left.ty));
        boolean(binary(if op == BinaryOp::Eq { Op::Eq } else { Op::Ne }, left.ir, right.ir))
    }

    /// `&`, `|` and `^`, of numbers or booleans.
    fn bitwise(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Typed {
        let ir_op = match op {
            BinaryOp::BitAnd => Op::BitAnd,
            BinaryOp::BitOr => Op::BitOr,
            _ => Op::BitXor,
        };
        let left = self.expr(a);
        if left.ty == Ty::Boolean {
            let right = self.condition(b);
            return boolean(binary(ir_op, left.ir, right));
        }
        let right = self.integer(b);
        let left = self.fitted(left, &Ty::Int(None), a.span);
        integer(binary(ir_op, left, right))
    }

    fn unsigned_shift(&mut self, a: &Expr, b: &Expr) -> Typed {
        let (value, distance) = (self.integer(a), self.integer(b));
        match distance {
            Ir::Const(0) => integer(value),
            Ir::Const(distance @ 1..=31) => {
                let shifted = binary(Op::Shr, value, Ir::Const(distance));
                integer(binary(Op::BitAnd, shifted, Ir::Const((u32::MAX >> distance) as i32)))
            }
            _ => self.fail(b.span, "the distance of `ushr` must be a constant from 0 to 31"),
        }
    }

    pub(super) fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr, span: Span) -> Typed {
        let condition = self.condition(condition);
        let (yes, no) = (self.expr(yes), self.expr(no));
        let types = &self.declared.types;
        let ty = match (&yes.ty, &no.ty) {
            (Ty::Int(_), Ty::Int(_)) => Ty::Int(None),
            (a, b) if types.fits(a, b) => b.clone(),
            (a, b) if types.fits(b, a) => a.clone(),
            (a, b) => {
                let message = format!("one value is `{}`, the other `{}`", types.show(a), types.show(b));
                return self.fail(span, message);
            }
        };
        let (yes, no) = (Self::beside(yes, &ty), Self::beside(no, &ty));
        Typed { ir: Ir::Cond(Box::new(condition), Box::new(yes.ir), Box::new(no.ir)), ty }
    }

    pub(super) fn cast(&mut self, ty: &Type, value: &Expr, span: Span) -> Typed {
        let target = self.declared.ty(ty);
        let value = self.expr(value);
        let types = &self.declared.types;
        match (&value.ty, &target) {
            (Ty::Error, _) | (_, Ty::Error) => Typed::error(),
            (Ty::Int(_), Ty::Int(_)) => Typed { ir: self.fitted(value, &target, span), ty: target },
            (Ty::Ref(_) | Ty::Null, Ty::Ref(_)) if types.fits(&value.ty, &target) => Typed { ir: value.ir, ty: target },
            (Ty::Ref(_), Ty::Ref(record)) if types.fits(&target, &value.ty) => {
                Typed { ir: HeapExpr::Cast { object: value.ir, record: *record, span }.into(), ty: target }
            }
            (from, to) if from == to => value,
            (from, to) => {
                let message = format!("`{}` is never `{}`", types.show(from), types.show(to));
                self.fail(span, message)
            }
        }
    }

    pub(super) fn instance_of(&mut self, value: &Expr, ty: &Type, exact: bool, span: Span) -> Typed {
        let target = self.declared.ty(ty);
        let value = self.expr(value);
        match (&value.ty, &target) {
            (Ty::Error, _) | (_, Ty::Error) => Typed::error(),
            (_, Ty::Ref(record)) if self.declared.types.comparable(&value.ty, &target) => boolean(match exact {
                true => HeapExpr::IsExactly(value.ir, *record).into(),
                false => HeapExpr::InstanceOf(value.ir, *record).into(),
            }),
            (from, to) => {
                let types = &self.declared.types;
                let message = format!("`{}` is never `{}`", types.show(from), types.show(to));
                self.fail(span, message)
            }
        }
    }

    pub(super) fn new_array(&mut self, element: &Type, length: &Expr, span: Span) -> Typed {
        let element = self.declared.ty(element);
        let length = self.integer(length);
        if matches!(length, Ir::Const(..0)) {
            return self.fail(span, "the length of an array is not negative");
        }
        if element == Ty::Error {
            return Typed::error();
        }
        let ty = self.declared.types.array(&element, span);
        let Ty::Ref(record) = ty else { return Typed::error() };
        Typed { ir: HeapExpr::New { record, length: Some(length), inits: Vec::new(), span }.into(), ty }
    }
}
