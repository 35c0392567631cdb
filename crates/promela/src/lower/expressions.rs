//! Expressions and references to variables, with the checks that need types.

use quotient_ir::{BinaryOp, Expr, HeapExpr, Index, Place, Probe, RecordId, Scalar, Scope, Sort, UnaryOp, Width};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use super::dynamic::Followed;
use super::messages::Receiving;
use super::rules::Ty;
use super::scalarsets::member_set;
use super::{Lowering, undeclared};
use crate::ast::{self, ExprKind, VarRef};
use crate::symbols::{Pointee, Type, Variable};

/// What a reference stands for.
pub(super) enum Reference {
    /// Scalars: one, or all fields of a structure in order; with the channel type it was declared with.
    Places(Vec<Place>, Option<usize>, Option<usize>),
    /// A part of a record.
    Part(Followed),
    /// Something that is not a variable.
    Value(Expr),
    /// `_`
    Scratch,
}

impl Lowering {
    /// An expression where values of a type are expected.
    pub(super) fn expr_of(&mut self, expr: &ast::Expr, ty: &Type) -> Expr {
        match ty {
            // No function is the number 0.
            _ if matches!(expr.kind, ExprKind::Null) && self.symbols.is_function(ty) => Expr::Const(0),
            Type::Scalar(scalar, _) => self.expr_for(expr, *scalar),
            Type::Structure(_) | Type::Pointer(..) => self.expr(expr),
        }
    }

    /// An expression where values of a scalar type are expected.
    pub(super) fn expr_for(&mut self, expr: &ast::Expr, scalar: Scalar) -> Expr {
        self.expr_in(expr, member_set(scalar))
    }

    /// An expression, as a value.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        self.expr_in(expr, None)
    }

    /// An expression that must be a number.
    pub(super) fn plain(&mut self, expr: &ast::Expr) -> Expr {
        self.no_reference(expr);
        self.expr(expr)
    }

    /// An expression where values of a scalarset are expected, or numbers.
    pub(super) fn expr_in(&mut self, expr: &ast::Expr, expected: Option<usize>) -> Expr {
        match &expr.kind {
            ExprKind::Quantified { quantifier, var, set, body } => self.quantified(*quantifier, var, set, body),
            ExprKind::Const(value) => Expr::Const(*value),
            ExprKind::Null => HeapExpr::Null.into(),
            ExprKind::Address(var) => self.address(var),
            ExprKind::Var(var) => self.read(var, expected),
            ExprKind::Unary(op, a) => {
                let op = match op {
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::Neg => UnaryOp::Neg,
                    ast::UnaryOp::BitNot => UnaryOp::BitNot,
                    ast::UnaryOp::Always | ast::UnaryOp::Eventually | ast::UnaryOp::Next => {
                        self.error(temporal(expr.span));
                        UnaryOp::Not
                    }
                };
                self.no_reference(a);
                let a = self.expr(a);
                Expr::Unary(op, Box::new(a))
            }
            ExprKind::Binary(op, a, b) => {
                use ast::BinaryOp as Op;
                self.check_comparison(matches!(op, Op::Eq | Op::Ne), a, b);
                let set = match (op, self.ty(a), self.ty(b)) {
                    (Op::Eq | Op::Ne, Ty::Member(set), _) | (Op::Eq | Op::Ne, _, Ty::Member(set)) => Some(set),
                    _ => None,
                };
                let left = Box::new(self.compared(a, b, set));
                let right = Box::new(self.compared(b, a, set));
                let op = match op {
                    Op::And => return Expr::And(left, right),
                    Op::Or => return Expr::Or(left, right),
                    Op::Add => BinaryOp::Add,
                    Op::Sub => BinaryOp::Sub,
                    Op::Mul => BinaryOp::Mul,
                    Op::Div => BinaryOp::Div,
                    Op::Rem => BinaryOp::Rem,
                    Op::BitAnd => BinaryOp::BitAnd,
                    Op::BitXor => BinaryOp::BitXor,
                    Op::BitOr => BinaryOp::BitOr,
                    Op::Gt => BinaryOp::Gt,
                    Op::Lt => BinaryOp::Lt,
                    Op::Ge => BinaryOp::Ge,
                    Op::Le => BinaryOp::Le,
                    Op::Eq => BinaryOp::Eq,
                    Op::Ne => BinaryOp::Ne,
                    Op::Shl => BinaryOp::Shl,
                    Op::Shr => BinaryOp::Shr,
                    Op::Until | Op::WeakUntil | Op::Release | Op::Implies | Op::Equivalent => {
                        self.error(temporal(expr.span));
                        BinaryOp::Eq
                    }
                };
                Expr::Binary(op, left, right)
            }
            ExprKind::Cond(c, a, b) => {
                self.no_reference(c);
                self.check_comparison(true, a, b);
                let c = self.expr(c);
                let set = match (expected, self.ty(a), self.ty(b)) {
                    (None, Ty::Member(set), _) | (None, _, Ty::Member(set)) => Some(set),
                    _ => expected,
                };
                let (first, second) = (self.compared(a, b, set), self.compared(b, a, set));
                Expr::Cond(Box::new(c), Box::new(first), Box::new(second))
            }
            ExprKind::Run { proctype, args, priority } => self.run(expr.span, proctype, args, *priority),
            ExprKind::Len(channel) => match self.channel(channel) {
                Some((channel, _)) => channel.length(),
                None => Expr::Const(0),
            },
            ExprKind::Probe(probe, channel) => {
                let probe = match probe {
                    ast::Probe::Full => Probe::Full,
                    ast::Probe::Nfull => Probe::NotFull,
                    ast::Probe::Empty => Probe::Empty,
                    ast::Probe::Nempty => Probe::NotEmpty,
                };
                match self.channel(channel) {
                    Some((channel, _)) => channel.probe(probe),
                    None => Expr::Const(0),
                }
            }
            ExprKind::Poll { channel, args, random } => {
                let Some((used, ty)) = self.channel(channel) else { return Expr::Const(0) };
                if ty.is_some_and(|ty| self.model.channels[ty].capacity == 0) {
                    self.error(
                        Diagnostic::error(expr.span, "a rendezvous channel cannot be polled")
                            .label("holds no messages"),
                    );
                }
                let pattern = self.pattern(args, ty, expr.span, Receiving::Poll);
                used.poll(pattern, *random)
            }
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.plain(pid))),
            ExprKind::PcValue(pid) => Expr::PcValue(Box::new(self.plain(pid))),
            ExprKind::GetPriority(pid) => {
                self.model.uses.priority = true;
                Expr::PriorityOf(Box::new(self.plain(pid)))
            }
            ExprKind::Timeout => {
                self.model.uses.timeout = true;
                Expr::Timeout
            }
            ExprKind::NonProgress => Expr::NonProgress,
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let pid = pid.as_ref().map(|pid| Box::new(self.plain(pid)));
                let Some(&id) = self.symbols.proctypes.get(&proctype.text) else {
                    self.error(undeclared(proctype, "proctype"));
                    return Expr::Const(0);
                };
                let signature = &mut self.symbols.signatures[id];
                if !signature.observed.contains(&label.text) {
                    signature.observed.push(label.text.clone());
                }
                match signature.labels.get(&label.text) {
                    Some(&state) => Expr::RemoteAt { proctype: id, pid, state },
                    None => {
                        if self.complete {
                            let message = format!("proctype `{}` has no label `{}`", proctype.text, label.text);
                            self.error(Diagnostic::error(label.span, message));
                        }
                        Expr::Const(0)
                    }
                }
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                self.note_remote();
                let pid = pid.as_ref().map(|pid| Box::new(self.plain(pid)));
                let Some(&id) = self.symbols.proctypes.get(&proctype.text) else {
                    self.error(undeclared(proctype, "proctype"));
                    return Expr::Const(0);
                };
                let field = &var.path[0];
                let Some(variable) = self.symbols.signatures[id].locals.get(&field.name.text).cloned() else {
                    if self.complete && !self.symbols.rejected.contains(&field.name.text) {
                        let message = format!("proctype `{}` has no variable `{}`", proctype.text, field.name.text);
                        self.error(Diagnostic::error(field.name.span, message));
                    }
                    return Expr::Const(0);
                };
                if variable.boxed || self.symbols.has_boxes(&variable.ty) {
                    let message = format!("`{}` cannot be read from outside: its address is taken", field.name.text);
                    self.error(Diagnostic::error(field.name.span, message));
                    return Expr::Const(0);
                }
                self.remote = Some((id, pid.clone()));
                match self.places(&variable, var, false) {
                    Some(Reference::Places(places, ..))
                        if places.len() == 1 && !matches!(self.type_at(&variable, var), Some(Type::Structure(_))) =>
                    {
                        let place = Box::new(places.into_iter().next().expect("one place"));
                        Expr::RemoteRead { proctype: id, pid, place }
                    }
                    Some(Reference::Part(part)) => part.read(),
                    Some(Reference::Places(..)) => {
                        self.error(whole_structure(var));
                        Expr::Const(0)
                    }
                    _ => Expr::Const(0),
                }
            }
        }
    }

    fn run(&mut self, span: Span, name: &ast::Name, args: &[ast::Expr], priority: Option<(i32, Span)>) -> Expr {
        let Some(&proctype) = self.symbols.proctypes.get(&name.text) else {
            self.error(undeclared(name, "proctype"));
            return Expr::Const(0);
        };
        match self.body.kind {
            quotient_ir::ProctypeKind::Claim | quotient_ir::ProctypeKind::Trace => {
                self.error(Diagnostic::error(span, "`run` cannot be used in a claim or a trace"));
            }
            _ if self.body.inside_dstep => {
                self.error(Diagnostic::error(span, "`run` cannot be used in a d_step").help("use `atomic` instead"));
            }
            _ if self.body.proctype.is_none() => {
                self.error(Diagnostic::error(span, "`run` can be used only inside a process"));
            }
            _ => {}
        }
        let params = self.symbols.signatures[proctype].params.clone();
        let members = params.iter().any(|p| matches!(p.sort, Sort::Member { .. }));
        if members && self.symbols.signatures[proctype].active {
            let message = format!("`{}` is active already: its processes are members of a scalarset", name.text);
            let at = self.model.proctypes[proctype].span;
            self.error(
                Diagnostic::error(span, message)
                    .related(at, "declared here")
                    .help("create all of them in `init`, or none"),
            );
        }
        let types = self.symbols.signatures[proctype].types.clone();
        if args.len() == types.len() {
            for (arg, ty) in args.iter().zip(&types) {
                self.check_value(arg, ty, "the parameter");
            }
        }
        let values = self.arguments(args, &types, &params);
        let expected = self.symbols.signatures[proctype].params.len();
        if values.len() != expected {
            let at = self.model.proctypes[proctype].span;
            self.error(
                Diagnostic::error(
                    span,
                    format!("`{}` takes {} but is given {}", name.text, count(expected, "argument"), values.len()),
                )
                .related(at, "declared here"),
            );
        }
        self.check_sorts(&values, &params, span);
        let priority = self.priority(priority);
        Expr::Run { proctype, args: values, priority }
    }

    /// Arguments of `run` or a send: a structure stands for all its fields.
    /// The types of the first ones are known.
    pub(super) fn arguments(&mut self, args: &[ast::Expr], types: &[Type], fields: &[Scalar]) -> Vec<Expr> {
        let mut values = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            if let Some(ty) = types.get(number).filter(|ty| self.symbols.is_function(ty)) {
                values.push(self.expr_of(arg, ty));
                continue;
            }
            let field = fields.get(values.len()).copied().unwrap_or(SCRATCH);
            if self.ty(arg) == Ty::Undef {
                let value = self.expr_for(arg, field);
                values.push(value);
                continue;
            }
            if let ExprKind::Var(var) = &arg.kind {
                self.note_read(var);
                match self.reference(var) {
                    Some(Reference::Places(places, ..)) => values.extend(places.into_iter().map(Expr::Read)),
                    Some(Reference::Value(value)) => values.push(value),
                    Some(Reference::Part(part)) => values.push(part.read()),
                    // In a trace, whatever is not a constant stands for any value.
                    Some(Reference::Scratch) if self.body.kind == quotient_ir::ProctypeKind::Trace => {
                        values.push(Expr::Pid);
                    }
                    Some(Reference::Scratch) => {
                        self.error(unreadable(var));
                        values.push(Expr::Const(0));
                    }
                    None => values.push(Expr::Const(0)),
                }
            } else {
                let value = self.expr_for(arg, field);
                values.push(value);
            }
        }
        values
    }

    fn read(&mut self, var: &VarRef, expected: Option<usize>) -> Expr {
        self.note_read(var);
        match self.reference_in(var, expected) {
            Some(Reference::Places(places, ..)) => {
                if places.len() != 1 || self.is_structure(var) {
                    self.error(whole_structure(var));
                    return Expr::Const(0);
                }
                Expr::Read(places.into_iter().next().expect("one place"))
            }
            Some(Reference::Value(value)) => value,
            Some(Reference::Part(part)) => part.read(),
            Some(Reference::Scratch) => {
                self.error(unreadable(var));
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }

    /// A scalar variable to store into.
    pub(super) fn target(&mut self, var: &VarRef) -> Option<Place> {
        match self.reference(var)? {
            Reference::Places(places, ..) if places.len() == 1 && !self.is_structure(var) => places.into_iter().next(),
            Reference::Places(..) => {
                self.error(whole_assigned(var));
                None
            }
            Reference::Value(_) => {
                self.error(Diagnostic::error(var.span, format!("`{var}` cannot be assigned")));
                None
            }
            Reference::Part(_) => {
                self.error(
                    Diagnostic::error(var.span, format!("`{var}` is part of a record, and a variable is needed here"))
                        .help("use a variable, and assign it to the record afterwards"),
                );
                None
            }
            Reference::Scratch => None,
        }
    }

    /// What a reference stands for; `None` after reporting that it stands for nothing.
    pub(super) fn reference(&mut self, var: &VarRef) -> Option<Reference> {
        self.reference_in(var, None)
    }

    /// What a reference stands for where values of a scalarset are expected: `undef` is that set's.
    pub(super) fn reference_in(&mut self, var: &VarRef, expected: Option<usize>) -> Option<Reference> {
        let first = &var.path[0];
        let name = &first.name.text;
        if let Some(member) = self.bound(name) {
            return Some(Reference::Value(member));
        }
        if let Some(variable) = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name)).cloned() {
            return self.places(&variable, var, false);
        }
        if var.path.len() > 1 || first.index.is_some() {
            if !self.symbols.rejected.contains(name) {
                self.error(undeclared(&first.name, "variable"));
            }
            return None;
        }
        if let Some(&(_, value, _)) = self.symbols.constants.get(name) {
            return Some(Reference::Value(Expr::Const(value)));
        }
        if let Some(function) = self.symbols.functions.get(name) {
            let number = function.number;
            self.symbols.function_values.insert(number);
            return Some(Reference::Value(Expr::Const(number)));
        }
        Some(Reference::Value(match &**name {
            "_" => return Some(Reference::Scratch),
            "undef" if !self.model.declared.sets.is_empty() => match expected {
                Some(set) => Expr::Const(self.undef(set)),
                // Where nothing says of which scalarset: the rules have more to say about it.
                None => {
                    if !self.complete {
                        let message = "`undef` stands for no member of a scalarset, but nothing says of which one here";
                        self.error(Diagnostic::error(var.span, message));
                    }
                    Expr::Const(0)
                }
            },
            "_pid" => Expr::Pid,
            "_nr_pr" => Expr::ProcessCount,
            "_last" => {
                self.model.uses.last = true;
                Expr::Last
            }
            "_priority" => {
                self.model.uses.priority = true;
                Expr::OwnPriority
            }
            _ if self.symbols.rejected.contains(name) => return None,
            _ => {
                let diagnostic = undeclared(&first.name, "variable");
                let diagnostic = match self.similar(name) {
                    Some(other) => diagnostic.help(format!("there is a variable `{other}`")),
                    None => diagnostic,
                };
                self.error(diagnostic);
                return None;
            }
        }))
    }

    /// A declared name that differs from this one in case, or in one letter.
    fn similar(&self, name: &str) -> Option<String> {
        let mut names: Vec<&str> =
            self.symbols.globals.keys().chain(self.symbols.constants.keys()).map(|n| &**n).collect();
        if let Some(id) = self.body.proctype {
            names.extend(self.symbols.signatures[id].locals.keys().map(|n| &**n));
        }
        names.sort_unstable();
        names.into_iter().find(|other| close(name, other)).map(str::to_string)
    }

    /// The places a reference to a variable stands for; or, if its address is wanted, the box at its end.
    pub(super) fn places(&mut self, variable: &Variable, var: &VarRef, address: bool) -> Option<Reference> {
        let mut place = Place { scope: variable.scope, slot: variable.slot, indices: Vec::new(), scalar: SCRATCH };
        let mut ty = variable.ty.clone();
        let mut length = variable.length;
        let mut channel = variable.channel;
        let mut boxed = variable.boxed;
        // A variable of another process, if a remote reference begins with it. Indices are none of its business.
        let remote = self.remote.take();
        let begin = |record: Option<(Expr, RecordId)>, element: Option<Expr>, at: Place| match (&remote, record) {
            (Some((proctype, pid)), None) => {
                Expr::RemoteRead { proctype: *proctype, pid: pid.clone(), place: Box::new(at) }
            }
            (_, record) => Followed::new(record, element, at, var.span).read(),
        };
        // The record whose part it is, where references are followed.
        let mut record: Option<(Expr, RecordId)> = None;
        let mut element: Option<Expr> = None;
        for (depth, field) in var.path.iter().enumerate() {
            if depth > 0 {
                if let Type::Pointer(scalar, Pointee::Structure(id)) = ty {
                    let at = Place { scalar, ..place };
                    let object = begin(record.take(), element.take(), at);
                    record = self.symbols.structures[id].record.map(|record| (object, record));
                    place = Place { scope: Scope::Local, slot: 0, indices: Vec::new(), scalar: SCRATCH };
                    ty = Type::Structure(id);
                }
                let Type::Structure(id) = ty else {
                    self.error(Diagnostic::error(
                        field.name.span,
                        format!("there is no field `{}` here", field.name.text),
                    ));
                    return None;
                };
                let structure = &self.symbols.structures[id];
                let Some(info) = structure.fields.iter().find(|f| f.name == field.name.text).cloned() else {
                    if self.symbols.rejected.contains(&field.name.text) {
                        return None;
                    }
                    let names: Vec<_> = structure.fields.iter().map(|f| format!("`{}`", f.name)).collect();
                    let span = structure.span;
                    self.error(
                        Diagnostic::error(field.name.span, format!("there is no field `{}`", field.name.text))
                            .related(span, format!("the fields are {}", names.join(", "))),
                    );
                    return None;
                };
                place.slot += info.slot;
                ty = info.ty;
                length = info.length;
                boxed = info.boxed;
                channel = match info.init {
                    crate::symbols::FieldInit::Channel(channel) => Some(channel),
                    _ => None,
                };
            }
            let stride = self.symbols.stride(&ty, boxed);
            // `p[i]`, where `p` is a reference in a box.
            if boxed && length.is_none() && field.index.is_some() {
                (record, element, place) = self.open_box(record, element, place, &ty, var);
                boxed = false;
            }
            match (&field.index, length) {
                (None, None) => {}
                (Some(index), Some(length)) => {
                    self.no_reference(index);
                    let value = self.expr(index);
                    if let Expr::Const(value) = value {
                        if value < 0 || value as usize >= length {
                            // A member that there is not has been told.
                            let is_told =
                                |told: &Diagnostic| told.span == Some(index.span) && told.severity == Severity::Error;
                            if !self.diagnostics.iter().any(is_told) {
                                self.error(
                                    Diagnostic::error(index.span, format!("index {value} is outside the array"))
                                        .help(format!("`{}` has elements 0 to {}", field.name.text, length - 1)),
                                );
                            }
                            return None;
                        }
                        place.slot += value as usize * stride;
                    } else {
                        place.indices.push(Index { value, length, stride, span: index.span });
                    }
                }
                (Some(index), None) if matches!(ty, Type::Pointer(..)) => {
                    let Type::Pointer(scalar, pointee) = ty else { return None };
                    let Pointee::Array(array) = pointee else {
                        let message = format!("`{}` refers to one record, not to an array", field.name.text);
                        self.error(Diagnostic::error(index.span, message));
                        return None;
                    };
                    self.no_reference(index);
                    let value = self.expr(index);
                    let object = begin(record.take(), element.take(), Place { scalar, ..place });
                    record = Some((object, array));
                    element = Some(value);
                    place = Place { scope: Scope::Local, slot: 0, indices: Vec::new(), scalar: SCRATCH };
                    ty = self.element_type(array);
                }
                (Some(index), None) => {
                    // SPIN allows a scalar to be written as an array of one.
                    if !matches!(index.kind, ExprKind::Const(0)) {
                        self.error(Diagnostic::error(index.span, format!("`{}` is not an array", field.name.text)));
                        return None;
                    }
                }
                (None, Some(_)) => {
                    self.error(
                        Diagnostic::error(
                            field.name.span,
                            format!("`{}` is an array; an index is missing", field.name.text),
                        )
                        .help(format!("write `{}[i]`", field.name.text)),
                    );
                    return None;
                }
            }
            let is_last = depth + 1 == var.path.len();
            if is_last && address {
                if !boxed {
                    self.no_address(var, &ty, element.is_some());
                    return None;
                }
                let at = Place { scalar: self.symbols.reference.unwrap_or(SCRATCH), ..place };
                return Some(Reference::Value(Followed::new(record, element, at, var.span).read()));
            }
            if boxed {
                (record, element, place) = self.open_box(record, element, place, &ty, var);
            }
        }
        if record.is_some() {
            return self.part(record, element, place, &ty, var);
        }
        match ty {
            Type::Scalar(scalar, mtype) => {
                place.scalar = scalar;
                Some(Reference::Places(vec![place], channel, mtype))
            }
            Type::Pointer(scalar, _) => {
                place.scalar = scalar;
                Some(Reference::Places(vec![place], None, None))
            }
            Type::Structure(_) => {
                let mut slots = Vec::new();
                self.symbols.flatten("", &ty, None, &super::declarations::TEMPLATE, &mut slots);
                let places = slots
                    .iter()
                    .enumerate()
                    .map(|(i, slot)| Place { slot: place.slot + i, scalar: slot.scalar, ..place.clone() })
                    .collect();
                Some(Reference::Places(places, None, None))
            }
        }
    }

    /// The set of symbolic names an expression's values have, for printing.
    pub(super) fn mtype_of(&mut self, expr: &ast::Expr) -> Option<usize> {
        let ExprKind::Var(var) = &expr.kind else { return None };
        if let [field] = &var.path[..]
            && let Some(&(set, ..)) = self.symbols.constants.get(&field.name.text)
        {
            return Some(set);
        }
        match self.reference(var)? {
            Reference::Places(_, _, mtype) => mtype,
            _ => None,
        }
    }
}

pub(super) const SCRATCH: Scalar = Scalar { width: Width::Int, sort: Sort::Plain };

/// `2 fields`, `1 field`
pub(super) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

fn temporal(span: Span) -> Diagnostic {
    Diagnostic::error(span, "a temporal operator can stand only in an `ltl` formula, outside other operators")
}

pub(super) fn whole_assigned(var: &VarRef) -> Diagnostic {
    Diagnostic::error(var.span, format!("`{var}` is a structure and cannot be assigned as a whole"))
        .help("assign its fields one by one")
}

fn whole_structure(var: &VarRef) -> Diagnostic {
    Diagnostic::error(var.span, format!("`{var}` is a structure; a value is needed here"))
        .help("name one of its fields")
}

fn unreadable(var: &VarRef) -> Diagnostic {
    Diagnostic::error(var.span, "`_` can be written but not read")
}

fn close(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 1 || a.len().min(b.len()) < 3 {
        return false;
    }
    let prefix = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    prefix + suffix + 1 >= a.len().max(b.len())
}

/// A local scalar, for loop counters that the user did not declare.
pub(super) fn local(slot: usize, scalar: Scalar) -> Place {
    Place::scalar(Scope::Local, slot, scalar)
}
