//! Expressions: types are checked, and the intermediate form is made.

use std::rc::Rc;

use quotient_ir::{
    BinaryOp as Op, Expr as Ir, Gives, HeapExpr, Part, Place, Question, RecordKind, Scalar, Scope, UnaryOp as Un,
    Which, Width,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowerer;
use super::extensions::extends;
use super::split::{accesses, size};
use crate::ast::{Expr, ExprKind, MonitorTest, Name};
use crate::constants::Constant;
use crate::declare::Symbol;
use crate::types::{Range, Ty};

/// Larger expressions, with funs and `let` written out, are refused.
const LARGEST: usize = 20_000;

/// An expression with its type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub ir: Ir,
    pub ty: Ty,
}

/// A name of `let`, or a parameter of a fun.
pub(super) struct Binding {
    name: Rc<str>,
    value: Typed,
    uses: usize,
}

/// Something that can be assigned to.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Place(Place),
    Part(Part),
}

impl Typed {
    pub(super) fn error() -> Self {
        Typed { ir: Ir::Const(0), ty: Ty::Error }
    }
}

pub(super) fn boolean(ir: Ir) -> Typed {
    Typed { ir, ty: Ty::Boolean }
}

pub(super) fn integer(ir: Ir) -> Typed {
    Typed { ir, ty: Ty::Int(None) }
}

pub(super) fn not(ir: Ir) -> Ir {
    Ir::Unary(Un::Not, Box::new(ir))
}

pub(super) fn binary(op: Op, a: Ir, b: Ir) -> Ir {
    Ir::Binary(op, Box::new(a), Box::new(b))
}

impl Lowerer<'_, '_> {
    /// An expression of whatever type it has.
    pub(super) fn expr(&mut self, expr: &Expr) -> Typed {
        match &expr.kind {
            ExprKind::Int(value) => integer(Ir::Const(*value)),
            ExprKind::Bool(value) => boolean(Ir::Const(i32::from(*value))),
            ExprKind::Null => Typed { ir: HeapExpr::Null.into(), ty: Ty::Null },
            ExprKind::Text => self.fail(expr.span, "strings are not supported"),
            ExprKind::Name(name) => self.named(name),
            ExprKind::Member(base, name) => self.member(base, name, expr.span),
            ExprKind::Index(base, index) => match self.element(base, index, expr.span) {
                Some((part, ty)) => Typed { ir: HeapExpr::Read(part).into(), ty },
                None => Typed::error(),
            },
            ExprKind::Unary(op, value) => self.unary(*op, value),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr.span),
            ExprKind::Cond(condition, yes, no) => self.conditional(condition, yes, no, expr.span),
            ExprKind::Cast(ty, value) => self.cast(ty, value, expr.span),
            ExprKind::New(name) => match self.declared.record(name) {
                Some(record) => {
                    let new = HeapExpr::New { record, length: None, inits: Vec::new(), span: expr.span };
                    Typed { ir: new.into(), ty: Ty::Ref(record) }
                }
                None => Typed::error(),
            },
            ExprKind::NewLock => {
                let ty = self.declared.types.lock(expr.span);
                let Ty::Ref(record) = ty else { return Typed::error() };
                Typed { ir: HeapExpr::New { record, length: None, inits: Vec::new(), span: expr.span }.into(), ty }
            }
            ExprKind::NewArray(element, length) => self.new_array(element, length, expr.span),
            ExprKind::InstanceOf { value, ty, exact } => self.instance_of(value, ty, *exact, expr.span),
            ExprKind::Test(test, value) => self.test(*test, value, expr.span),
            ExprKind::Let(bindings, body) => self.let_in(bindings, body),
            ExprKind::Call(name, args) => self.call_fun(name, args, expr.span),
            ExprKind::Extension(call) => self.extension(call, expr.span, None),
            ExprKind::Remote(remote) => self.remote(remote),
        }
    }

    pub(super) fn fail(&mut self, span: Span, message: impl Into<String>) -> Typed {
        self.declared.error(span, message);
        Typed::error()
    }

    /// A boolean.
    pub(super) fn condition(&mut self, expr: &Expr) -> Ir {
        let Typed { ir, ty } = self.expr(expr);
        if !matches!(ty, Ty::Boolean | Ty::Error) {
            let shown = self.declared.types.show(&ty);
            self.fail(expr.span, format!("a boolean is needed here, and this is `{shown}`"));
        }
        ir
    }

    /// A boolean that changes nothing.
    pub(super) fn guard(&mut self, expr: &Expr) -> Ir {
        let ir = self.condition(expr);
        self.pure(&ir, expr.span, "a guard");
        ir
    }

    /// Says so if an expression creates something.
    pub(super) fn pure(&mut self, ir: &Ir, span: Span, what: &str) {
        if ir.any(&|e| matches!(e, Ir::Heap(e) if e.acts())) {
            let message = match extends(ir) {
                true => format!("{what} changes and chooses nothing: this operation cannot stand here"),
                false => format!("{what} creates nothing: `new` cannot stand here"),
            };
            self.fail(span, message);
        }
    }

    pub(super) fn integer(&mut self, expr: &Expr) -> Ir {
        let Typed { ir, ty } = self.expr(expr);
        if !matches!(ty, Ty::Int(_) | Ty::Error) {
            let shown = self.declared.types.show(&ty);
            self.fail(expr.span, format!("a number is needed here, and this is `{shown}`"));
        }
        ir
    }

    /// A value that is stored as one of a type.
    pub(super) fn value(&mut self, expr: &Expr, ty: &Ty) -> Ir {
        let value = match &expr.kind {
            ExprKind::Extension(call) => self.extension(call, expr.span, Some(ty)),
            _ => self.expr(expr),
        };
        self.fitted(value, ty, expr.span)
    }

    /// A value made to fit a type, if it can be.
    pub(super) fn fitted(&mut self, value: Typed, ty: &Ty, span: Span) -> Ir {
        if !self.declared.types.fits(&value.ty, ty) {
            let types = &self.declared.types;
            let (found, wanted) = (types.show(&value.ty), types.show(ty));
            let mut problem = Diagnostic::error(span, format!("`{wanted}` is needed here, and this is `{found}`"));
            if self.declared.types.fits(ty, &value.ty) {
                problem = problem.help(format!("write `({wanted})` before it if it is one"));
            }
            self.declared.tell(problem);
        }
        match (&value.ty, ty) {
            (Ty::Int(from), Ty::Int(Some(to))) => self.ranged(value.ir, *from, *to, span),
            (Ty::Null, Ty::Function(..)) => Ir::Const(0),
            _ => value.ir,
        }
    }

    fn ranged(&mut self, value: Ir, from: Option<Range>, to: Range, span: Span) -> Ir {
        let (low, high) = match (&value, from) {
            (Ir::Const(value), _) => (*value, *value),
            (_, Some(from)) => (from.low, from.high),
            (_, None) => (i32::MIN, i32::MAX),
        };
        if low >= to.low && high <= to.high {
            return value;
        }
        if !to.wrap {
            if high < to.low || low > to.high {
                let shown = self.declared.types.show(&Ty::Int(Some(to)));
                self.declared.error(span, format!("{low} is not in the range of `{shown}`"));
            }
            return HeapExpr::Ranged { value, low: to.low, high: to.high, span }.into();
        }
        // A range that is too wide has been told, unless it is that of all numbers.
        let Ok(count) = i32::try_from(i64::from(to.high) - i64::from(to.low) + 1) else { return value };
        // Remainders first, so that nothing overflows; the last one is not negative after the second round.
        let from_low = binary(Op::Sub, binary(Op::Rem, value, Ir::Const(count)), Ir::Const(to.low.rem_euclid(count)));
        let once = binary(Op::Rem, from_low, Ir::Const(count));
        let twice = binary(Op::Rem, binary(Op::Add, once, Ir::Const(count)), Ir::Const(count));
        binary(Op::Add, twice, Ir::Const(to.low))
    }

    // ---- names ----

    fn named(&mut self, name: &Name) -> Typed {
        if let Some(binding) = self.bindings.iter_mut().rev().find(|binding| binding.name == name.text) {
            binding.uses += 1;
            let value = binding.value.clone();
            if size(&value.ir) > LARGEST {
                return self.fail(name.span, "the expression is too large with all its parts written out");
            }
            return value;
        }
        if let (false, Some(Symbol::Code(id))) = (self.locals.contains_key(&name.text), self.declared.symbol(name))
            && let Some((number, ty)) = self.declared.function_value(id)
        {
            return Typed { ir: Ir::Const(number), ty };
        }
        match self.variable(name) {
            Some((place, ty)) => Typed { ir: Ir::Read(place), ty },
            None => Typed::error(),
        }
    }

    /// A variable, local or global.
    fn variable(&mut self, name: &Name) -> Option<(Place, Ty)> {
        if let Some((slot, ty)) = self.locals.get(&name.text).cloned() {
            let scalar = self.declared.types.scalar(&ty, self.reference);
            return Some((Place::scalar(Scope::Local, slot, scalar), ty));
        }
        match self.declared.symbol(name) {
            Some(Symbol::Global(id)) => {
                let ty = self.declared.globals[id].ty.clone();
                let scalar = self.declared.types.scalar(&ty, self.reference);
                Some((Place::scalar(Scope::Global, id, scalar), ty))
            }
            Some(_) => {
                self.fail(name.span, format!("`{}` is not a variable", name.text));
                None
            }
            None => {
                self.fail(name.span, format!("variable `{}` is not declared", name.text));
                None
            }
        }
    }

    /// A value beside another one: beside a function, `null` is no function.
    pub(super) fn beside(value: Typed, other: &Ty) -> Typed {
        match (&value.ty, other) {
            (Ty::Null, Ty::Function(..)) => Typed { ir: Ir::Const(0), ty: other.clone() },
            _ => value,
        }
    }

    /// Whether a name is a variable or a name of `let` here, local or global.
    pub(super) fn is_variable(&self, name: &Name) -> bool {
        self.is_local_name(name) || matches!(self.declared.symbol(name), Some(Symbol::Global(_)))
    }

    /// Whether a name is a variable or a name of `let` here.
    fn is_local_name(&self, name: &Name) -> bool {
        self.locals.contains_key(&name.text) || self.bindings.iter().any(|binding| binding.name == name.text)
    }

    fn member(&mut self, base: &Expr, name: &Name, span: Span) -> Typed {
        if let ExprKind::Name(first) = &base.kind
            && !self.is_local_name(first)
        {
            match self.declared.symbol(first) {
                Some(Symbol::Const) => return self.constant(first, name, span),
                Some(Symbol::Enum(id)) => return self.enum_value(id, name),
                _ => {}
            }
        }
        if &*name.text == "length" {
            let array = self.expr(base);
            if let Ty::Ref(id) = array.ty
                && self.declared.types.records[id].kind == RecordKind::Array
            {
                return integer(HeapExpr::Length { array: array.ir, span }.into());
            }
            return match self.field_of(array, name, span) {
                Some((part, ty)) => Typed { ir: HeapExpr::Read(part).into(), ty },
                None => Typed::error(),
            };
        }
        match self.field(base, name, span) {
            Some((part, ty)) => Typed { ir: HeapExpr::Read(part).into(), ty },
            None => Typed::error(),
        }
    }

    fn constant(&mut self, block: &Name, name: &Name, span: Span) -> Typed {
        match self.declared.constants.get(&block.text, &name.text) {
            Some(Constant::Int(value)) => integer(Ir::Const(value)),
            Some(Constant::Bool(value)) => boolean(Ir::Const(i32::from(value))),
            None => self.fail(span, format!("there is no constant `{}.{}`", block.text, name.text)),
        }
    }

    fn enum_value(&mut self, id: usize, name: &Name) -> Typed {
        let one = &self.declared.types.enums[id];
        match one.values.iter().position(|value| *value == name.text) {
            Some(value) => Typed { ir: Ir::Const(value as i32), ty: Ty::Enum(id) },
            None => {
                let message = format!("enum `{}` has no value `{}`", one.name, name.text);
                self.fail(name.span, message)
            }
        }
    }

    // ---- parts of records ----

    fn field(&mut self, base: &Expr, name: &Name, span: Span) -> Option<(Part, Ty)> {
        let object = self.expr(base);
        self.field_of(object, name, span)
    }

    fn field_of(&mut self, object: Typed, name: &Name, span: Span) -> Option<(Part, Ty)> {
        let record = match object.ty {
            Ty::Ref(record) => record,
            Ty::Error => return None,
            ty => {
                let shown = self.declared.types.show(&ty);
                self.fail(span, format!("`{shown}` has no fields"));
                return None;
            }
        };
        let info = &self.declared.types.records[record];
        let found = info.fields.iter().position(|(field, _)| *field == name.text);
        let Some(field) = found else {
            let message = format!("`{}` has no field `{}`", info.name, name.text);
            self.fail(name.span, message);
            return None;
        };
        let ty = info.fields[field].1.clone();
        let scalar = self.declared.types.scalar(&ty, self.reference);
        Some((Part { object: object.ir, record, which: Which::Field(field), scalar, span }, ty))
    }

    fn element(&mut self, base: &Expr, index: &Expr, span: Span) -> Option<(Part, Ty)> {
        let object = self.expr(base);
        let index = self.integer(index);
        let record = match object.ty {
            Ty::Ref(record) if self.declared.types.records[record].kind == RecordKind::Array => record,
            Ty::Error => return None,
            ty => {
                let shown = self.declared.types.show(&ty);
                self.fail(base.span, format!("this is `{shown}`, not an array"));
                return None;
            }
        };
        let ty = self.declared.types.records[record].fields[0].1.clone();
        let scalar = self.declared.types.scalar(&ty, self.reference);
        Some((Part { object: object.ir, record, which: Which::Element(index), scalar, span }, ty))
    }

    /// Something to assign to.
    pub(super) fn target(&mut self, expr: &Expr) -> Option<(Target, Ty)> {
        match &expr.kind {
            ExprKind::Name(name) if self.bindings.iter().all(|binding| binding.name != name.text) => {
                let (place, ty) = self.variable(name)?;
                Some((Target::Place(place), ty))
            }
            ExprKind::Member(base, name) => {
                if let ExprKind::Name(first) = &base.kind
                    && !self.is_local_name(first)
                    && matches!(self.declared.symbol(first), Some(Symbol::Const | Symbol::Enum(_)))
                {
                    self.fail(expr.span, "a constant cannot be assigned to");
                    return None;
                }
                let object = self.expr(base);
                if let Ty::Ref(id) = object.ty
                    && &*name.text == "length"
                    && self.declared.types.records[id].kind == RecordKind::Array
                {
                    self.fail(expr.span, "the length of an array cannot be assigned to");
                    return None;
                }
                let (part, ty) = self.field_of(object, name, expr.span)?;
                Some((Target::Part(part), ty))
            }
            ExprKind::Index(base, index) => {
                let (part, ty) = self.element(base, index, expr.span)?;
                Some((Target::Part(part), ty))
            }
            _ => {
                self.fail(expr.span, "this cannot be assigned to");
                None
            }
        }
    }

    // ---- locks and threads ----

    fn test(&mut self, test: MonitorTest, value: &Expr, span: Span) -> Typed {
        let question = match test {
            MonitorTest::LockAvailable => Question::LockAvailable,
            MonitorTest::HasLock => Question::HasLock,
            MonitorTest::WasNotified => Question::WasNotified,
            MonitorTest::ThreadTerminated => {
                let tid = self.declared.types.tid(span);
                let thread = self.value(value, &tid);
                return boolean(HeapExpr::Ask(Question::HasEnded, thread).into());
            }
        };
        boolean(HeapExpr::Ask(question, self.lockable(value)).into())
    }

    /// Something that can be locked.
    pub(super) fn lockable(&mut self, expr: &Expr) -> Ir {
        let value = self.expr(expr);
        match value.ty {
            Ty::Error => {}
            Ty::Ref(record) => {
                let types = &mut self.declared.types;
                let info = &types.records[record];
                let is_lock = &*info.name == "lock";
                match info.kind {
                    RecordKind::Object if is_lock || types.top.is_some() => types.lock_used(record),
                    RecordKind::Object => {
                        let message = format!("`{}` cannot be locked", info.name);
                        let problem = Diagnostic::error(expr.span, message);
                        self.declared.tell(problem.help("records are locks if there is a `top record`"));
                    }
                    RecordKind::Array | RecordKind::Thread | RecordKind::Value(_) | RecordKind::Channel(_) => {
                        let message = format!("`{}` cannot be locked", info.name);
                        self.declared.error(expr.span, message);
                    }
                }
            }
            ty => {
                let shown = self.declared.types.show(&ty);
                self.declared.error(expr.span, format!("`{shown}` cannot be locked"));
            }
        }
        value.ir
    }

    // ---- let and fun ----

    fn let_in(&mut self, bindings: &[(Name, Expr)], body: &Expr) -> Typed {
        let before = self.bindings.len();
        for (name, value) in bindings {
            let value = self.expr(value);
            self.bindings.push(Binding { name: name.text.clone(), value, uses: 0 });
        }
        let result = self.expr(body);
        self.unbind(before, body.span);
        result
    }

    /// Forgets names. A value that is used twice would be read twice, so it must be the same each time.
    fn unbind(&mut self, before: usize, span: Span) {
        for binding in self.bindings.split_off(before) {
            let acts = binding.value.ir.any(&|e| matches!(e, Ir::Heap(e) if e.acts()));
            if acts && binding.uses != 1 {
                let message = format!("`{}` creates a record, and is used {} times", binding.name, binding.uses);
                self.fail(span, message);
            } else if binding.uses > 1 && self.splits() && accesses(&binding.value.ir) > 0 {
                let problem = format!("`{}` is read from memory that others can change, and used twice", binding.name);
                let help = "assign it to a local variable first, or write `atomic`";
                self.declared.tell(Diagnostic::error(span, problem).help(help));
            }
        }
    }

    fn call_fun(&mut self, name: &Name, args: &[Expr], span: Span) -> Typed {
        let id = match self.declared.symbol(name) {
            Some(Symbol::Fun(id)) => id,
            Some(Symbol::Code(_)) => {
                let problem = Diagnostic::error(name.span, format!("`{}` is a function, not a fun", name.text));
                self.declared.tell(problem.help(format!("write `x := invoke {}(…);`", name.text)));
                return Typed::error();
            }
            _ => return self.fail(name.span, format!("fun `{}` is not declared", name.text)),
        };
        if self.funs.contains(&id) {
            return self.fail(name.span, format!("fun `{}` calls itself", name.text));
        }
        let (params, returns, fun) = {
            let info = &self.declared.funs[id];
            (info.params.clone(), info.returns.clone(), info.fun)
        };
        if params.len() != args.len() {
            let message = format!("`{}` takes {}, not {}", name.text, count(params.len()), args.len());
            return self.fail(span, message);
        }
        let values: Vec<Ir> = args.iter().zip(&params).map(|(arg, ty)| self.value(arg, ty)).collect();
        // The body sees its parameters and what is global, and nothing of the caller.
        let locals = std::mem::take(&mut self.locals);
        let outer = std::mem::take(&mut self.bindings);
        for (((_, name), ty), ir) in fun.params.iter().zip(params).zip(values) {
            self.bindings.push(Binding { name: name.text.clone(), value: Typed { ir, ty }, uses: 0 });
        }
        self.funs.push(id);
        let result = self.value(&fun.body, &returns);
        self.unbind(0, span);
        self.funs.pop();
        self.locals = locals;
        self.bindings = outer;
        if size(&result) > LARGEST {
            return self.fail(span, "the expression is too large with all its parts written out");
        }
        Typed { ir: result, ty: returns }
    }

    /// The scalar of values that an expression has.
    pub(super) fn scalar_of(&self, ir: &Ir) -> Scalar {
        match ir {
            Ir::Read(place) => place.scalar,
            Ir::RemoteRead { place, .. } => place.scalar,
            Ir::Heap(heap) => match &**heap {
                HeapExpr::Read(part) => part.scalar,
                HeapExpr::Null | HeapExpr::New { .. } | HeapExpr::Start { .. } | HeapExpr::Cast { .. } => {
                    self.reference
                }
                HeapExpr::InstanceOf(..) | HeapExpr::IsExactly(..) | HeapExpr::Ask(..) => Scalar::plain(Width::Bit),
                HeapExpr::Length { .. } | HeapExpr::Ranged { .. } | HeapExpr::Messages(_) => Scalar::plain(Width::Int),
                HeapExpr::Probe(..) | HeapExpr::Poll { .. } => Scalar::plain(Width::Bit),
                HeapExpr::Extend(call) if call.gives == Gives::Number => Scalar::plain(Width::Int),
                HeapExpr::Extend(_) => self.reference,
            },
            Ir::And(..) | Ir::Or(..) | Ir::Unary(Un::Not, _) => Scalar::plain(Width::Bit),
            Ir::Binary(Op::Gt | Op::Lt | Op::Ge | Op::Le | Op::Eq | Op::Ne, ..) => Scalar::plain(Width::Bit),
            Ir::Cond(_, yes, no) => match (self.scalar_of(yes), self.scalar_of(no)) {
                (a, b) if a == b => a,
                (a, _) if a == self.reference => a,
                (_, b) if b == self.reference => b,
                _ => Scalar::plain(Width::Int),
            },
            _ => Scalar::plain(Width::Int),
        }
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn count(args: usize) -> String {
    if args == 1 { "1 argument".to_string() } else { format!("{args} arguments") }
}
