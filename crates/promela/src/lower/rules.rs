//! The rules of scalarsets: what may be done with members of a set, so that a model stays symmetric. Follows Ip and Dill; it
//! only reports, and changes nothing in what is lowered.

use quotient_ir::{Scalar, Sort};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowering;
use super::scalarsets::Bound;
use crate::ast::{self, ExprKind, RecvArg, Stmt, StmtKind, VarRef};
use crate::symbols::{Pointee, Type};

/// What an expression is, as far as scalarsets are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    /// A number.
    Plain,
    /// A member of a scalarset, or none of them.
    Member(usize),
    /// `undef`
    Undef,
    /// Something else, or something wrong that is reported elsewhere.
    Other,
}

impl Lowering {
    /// What an expression is.
    pub(super) fn ty(&self, expr: &ast::Expr) -> Ty {
        match &expr.kind {
            ExprKind::Var(var) => self.var_ty(var),
            ExprKind::Cond(_, a, b) => match self.ty(a) {
                Ty::Undef | Ty::Other => self.ty(b),
                ty => ty,
            },
            ExprKind::Address(_) => Ty::Other,
            ExprKind::RemoteVar { var, .. } if var.path.len() > 1 => Ty::Other,
            ExprKind::RemoteVar { proctype, var, .. } => {
                let id = self.symbols.proctypes.get(&proctype.text);
                let variable = id.and_then(|&id| self.symbols.signatures[id].locals.get(&var.path[0].name.text));
                variable.map_or(Ty::Other, |v| type_ty(&v.ty))
            }
            _ => Ty::Plain,
        }
    }

    fn var_ty(&self, var: &VarRef) -> Ty {
        let first = &var.path[0];
        let name = &first.name.text;
        if let Some(bound) = self.bounds.iter().rev().find(|b| b.name == *name) {
            return Ty::Member(bound.set);
        }
        let Some(variable) = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name)) else {
            return match &**name {
                "undef" => Ty::Undef,
                "_" => Ty::Other,
                _ => Ty::Plain,
            };
        };
        let mut ty = &variable.ty;
        for field in &var.path[1..] {
            let (Type::Structure(id) | Type::Pointer(_, Pointee::Structure(id))) = ty else { return Ty::Other };
            match self.symbols.structures[*id].fields.iter().find(|f| f.name == field.name.text) {
                Some(info) => ty = &info.ty,
                None => return Ty::Other,
            }
        }
        type_ty(ty)
    }

    /// Whether rules have to be checked now: in the last pass, of a model that has scalarsets.
    pub(super) fn checking(&self) -> bool {
        self.complete && !self.model.declared.sets.is_empty()
    }

    fn set_name(&self, set: usize) -> String {
        format!("`{}`", self.model.declared.sets[set].name)
    }

    fn broken(&mut self, expr: &ast::Expr, set: usize, message: String, help: &str) {
        let declared = self.model.declared.sets[set].span;
        let inferred = match self.declared_at(expr) {
            Some(span) => (span, format!("`{expr}` is a member of {} because it is declared so", self.set_name(set))),
            None => (declared, "the scalarset".to_string()),
        };
        self.error(Diagnostic::error(expr.span, message).related(inferred.0, inferred.1).help(help));
    }

    /// Where the variable in an expression is declared.
    fn declared_at(&self, expr: &ast::Expr) -> Option<Span> {
        let ExprKind::Var(var) = &expr.kind else { return None };
        let name = &var.path[0].name.text;
        if self.bounds.iter().any(|b| b.name == *name) {
            return None;
        }
        self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name)).map(|v| v.span)
    }

    /// A number must stand here.
    fn number(&mut self, expr: &ast::Expr, what: &str, help: &str) {
        match self.ty(expr) {
            Ty::Member(set) => {
                let message = format!("`{expr}` breaks the symmetry of {}: {what}", self.set_name(set));
                self.broken(expr, set, message, help);
            }
            Ty::Undef => {
                let message = "`undef` stands for no member of a scalarset, but a number is needed here";
                self.error(Diagnostic::error(expr.span, message));
            }
            Ty::Plain | Ty::Other => {}
        }
        self.check(expr);
    }

    fn truth(&mut self, expr: &ast::Expr) {
        self.number(expr, "a member is neither true nor false", "compare it with `undef`, or with another member");
    }

    /// A value of a type must stand here: of a scalarset, or a number. `place` says what takes it.
    pub(super) fn accepts(&mut self, expected: Ty, expr: &ast::Expr, place: &str, declared: Option<Span>) {
        let found = self.ty(expr);
        let mut diagnostic = None;
        let before = self.diagnostics.len();
        self.check(expr);
        if self.diagnostics.len() > before {
            // What is wrong inside is why the whole is not what is wanted.
            return;
        }
        match (expected, found) {
            (Ty::Member(a), Ty::Member(b)) if a != b => {
                let (wanted, given) = (self.set_name(a), self.set_name(b));
                let message = format!("`{expr}` is a member of {given}, but {place} is of {wanted}");
                diagnostic = Some(Diagnostic::error(expr.span, message).help("scalarsets cannot be mixed"));
            }
            // Who is named by a formula stays in its place.
            (Ty::Member(set), Ty::Plain) if self.in_formula && matches!(expr.kind, ExprKind::Const(_)) => {
                let size = self.model.declared.sets[set].size;
                if matches!(expr.kind, ExprKind::Const(value) if !(0..size as i32).contains(&value)) {
                    let message = format!("{} has no member `{expr}`", self.set_name(set));
                    let help = format!("its members are 0 to {}", size - 1);
                    diagnostic = Some(Diagnostic::error(expr.span, message).help(help));
                }
            }
            (Ty::Member(set), Ty::Plain) => {
                let name = self.set_name(set);
                let message = format!("`{expr}` is a number, but {place} is a member of {name}");
                let help = match &expr.kind {
                    ExprKind::Const(_) => {
                        "members have no numbers: write `undef` for none, `select (x : T)` for any, \
                                           or `for (i : T)` for each"
                    }
                    _ => "declare it with the type of the scalarset, if it is meant to be one of its members",
                };
                diagnostic = Some(Diagnostic::error(expr.span, message).help(help));
            }
            (Ty::Plain, Ty::Member(set)) => {
                let message = format!("`{expr}` is a member of {}, but {place} is a number", self.set_name(set));
                let help = "members have no numbers: declare what takes it with the type of the scalarset";
                diagnostic = Some(Diagnostic::error(expr.span, message).help(help));
            }
            (Ty::Plain, Ty::Undef) => {
                let message = format!("`undef` stands for no member of a scalarset, but {place} is a number");
                diagnostic = Some(Diagnostic::error(expr.span, message));
            }
            _ => {}
        }
        if let Some(mut diagnostic) = diagnostic {
            if let Some(span) = declared {
                diagnostic = diagnostic.related(span, "declared here");
            }
            if let Some(span) = self.declared_at(expr) {
                diagnostic = diagnostic.related(span, format!("`{expr}` is declared here"));
            }
            self.error(diagnostic);
        }
    }

    /// Both sides of a comparison or a conditional.
    fn alike(&mut self, a: &ast::Expr, b: &ast::Expr) {
        match (self.ty(a), self.ty(b)) {
            (Ty::Member(_), _) => {
                self.check(a);
                self.accepts(self.ty(a), b, &format!("`{a}`"), self.declared_at(a));
            }
            (_, Ty::Member(_)) => {
                self.check(b);
                self.accepts(self.ty(b), a, &format!("`{b}`"), self.declared_at(b));
            }
            (Ty::Undef, _) | (_, Ty::Undef) => {
                self.number(a, "", "");
                self.number(b, "", "");
            }
            _ => {
                self.check(a);
                self.check(b);
            }
        }
    }

    /// Checks an expression, whatever it is used for.
    pub(super) fn check(&mut self, expr: &ast::Expr) {
        use ast::BinaryOp as Op;
        const COMPARE: &str = "members may only be compared with == or !=";
        const NO_ORDER: &str = "for an order, keep a number beside it; to find one with a property, \
                                use `exists (j : T) (…)` or `select (j : T)`";
        const NO_NUMBER: &str = "members have no numbers; a ring or a table needs a plain type and numbers";
        match &expr.kind {
            ExprKind::Var(var) | ExprKind::Address(var) => self.check_indices(var),
            ExprKind::Len(var) | ExprKind::Probe(_, var) => self.check_indices(var),
            ExprKind::Unary(ast::UnaryOp::Neg | ast::UnaryOp::BitNot, a) => {
                self.number(a, "members cannot be computed with", NO_NUMBER);
            }
            ExprKind::Unary(_, a) => self.truth(a),
            ExprKind::Binary(op, a, b) => match op {
                Op::Eq | Op::Ne => self.alike(a, b),
                Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                    self.number(a, COMPARE, NO_ORDER);
                    self.number(b, COMPARE, NO_ORDER);
                }
                Op::And | Op::Or | Op::Until | Op::WeakUntil | Op::Release | Op::Implies | Op::Equivalent => {
                    self.truth(a);
                    self.truth(b);
                }
                _ => {
                    self.number(a, "members cannot be computed with", NO_NUMBER);
                    self.number(b, "members cannot be computed with", NO_NUMBER);
                }
            },
            ExprKind::Cond(c, a, b) => {
                self.truth(c);
                self.alike(a, b);
            }
            ExprKind::Run { proctype, args, .. } => {
                let Some(&id) = self.symbols.proctypes.get(&proctype.text) else { return };
                let params = self.symbols.signatures[id].params.clone();
                self.check_values(args, &params, &format!("the parameter of `{}`", proctype.text));
            }
            ExprKind::Quantified { var, set, body, .. } => {
                let Some(&set) = self.symbols.scalarsets.get(&set.text) else { return };
                self.bounds.push(Bound::any(var, set));
                self.truth(body);
                self.bounds.pop();
            }
            ExprKind::Poll { channel, args, .. } => self.check_received(channel, args),
            ExprKind::Enabled(pid) | ExprKind::PcValue(pid) | ExprKind::GetPriority(pid) => {
                self.number(pid, "a process id is needed here", "use `_pid`, or a variable that holds one");
            }
            ExprKind::RemoteLabel { pid, .. } | ExprKind::RemoteVar { pid, .. } => {
                if let Some(pid) = pid {
                    self.number(pid, "a process id is needed here", "use `_pid`, or a variable that holds one");
                }
            }
            ExprKind::Const(_) | ExprKind::Timeout | ExprKind::NonProgress | ExprKind::Null => {}
        }
    }

    fn check_indices(&mut self, var: &VarRef) {
        let name = &var.path[0].name.text;
        let Some(variable) = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name)).cloned() else {
            return;
        };
        let (mut ty, mut axis, declared) = (variable.ty, variable.axis, variable.span);
        for (depth, field) in var.path.iter().enumerate() {
            if depth > 0 {
                let (Type::Structure(id) | Type::Pointer(_, Pointee::Structure(id))) = ty else { return };
                let Some(info) = self.symbols.structures[id].fields.iter().find(|f| f.name == field.name.text).cloned()
                else {
                    return;
                };
                (ty, axis) = (info.ty, info.axis);
            }
            if let Some(index) = &field.index {
                let expected = axis.map_or(Ty::Plain, Ty::Member);
                self.accepts(expected, index, &format!("the index of `{}`", field.name.text), Some(declared));
            }
        }
    }

    /// Values for fields or parameters; a structure stands for all of its own.
    fn check_values(&mut self, args: &[ast::Expr], fields: &[Scalar], what: &str) {
        let mut at = 0;
        for arg in args {
            if let Some(field) = fields.get(at)
                && self.ty(arg) != Ty::Other
            {
                self.accepts(sort_ty(*field), arg, what, None);
            } else {
                self.check(arg);
            }
            at += self.width(arg);
        }
    }

    /// How many fields a value has.
    fn width(&self, expr: &ast::Expr) -> usize {
        let ExprKind::Var(var) = &expr.kind else { return 1 };
        let name = &var.path[0].name.text;
        let Some(variable) = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name)) else { return 1 };
        let mut ty = &variable.ty;
        for field in &var.path[1..] {
            let (Type::Structure(id) | Type::Pointer(_, Pointee::Structure(id))) = ty else { return 1 };
            match self.symbols.structures[*id].fields.iter().find(|f| f.name == field.name.text) {
                Some(info) => ty = &info.ty,
                None => return 1,
            }
        }
        self.symbols.slots(ty)
    }

    fn check_received(&mut self, channel: &VarRef, args: &[RecvArg]) {
        self.check_indices(channel);
        let fields = self.message_fields(channel);
        let mut at = 0;
        for arg in args {
            let expected = fields.as_ref().and_then(|f| f.get(at)).map(|f| sort_ty(*f));
            let as_expr = match arg {
                RecvArg::Eval(value) => value.clone(),
                RecvArg::Const(value, span) => ast::Expr { kind: ExprKind::Const(*value), span: *span },
                RecvArg::Var(var) => ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span },
            };
            if let Some(expected) = expected
                && self.ty(&as_expr) != Ty::Other
            {
                self.accepts(expected, &as_expr, &format!("the field of `{channel}`"), None);
            } else {
                self.check(&as_expr);
            }
            at += self.width(&as_expr);
        }
    }

    /// The fields of a channel's messages, where they are known.
    fn message_fields(&self, var: &VarRef) -> Option<Vec<Scalar>> {
        let name = &var.path[0].name.text;
        let variable = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name))?;
        let mut channel = variable.channel;
        let mut ty = &variable.ty;
        for field in &var.path[1..] {
            let (Type::Structure(id) | Type::Pointer(_, Pointee::Structure(id))) = ty else { return None };
            let info = self.symbols.structures[*id].fields.iter().find(|f| f.name == field.name.text)?;
            ty = &info.ty;
            channel = match info.init {
                crate::symbols::FieldInit::Channel(channel) => Some(channel),
                _ => None,
            };
        }
        Some(self.model.channels[channel?].fields.clone())
    }

    /// Checks a statement that is not made of others.
    pub(super) fn check_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(var, value) => {
                self.check_indices(var);
                let expected = self.var_ty(var);
                let declared = self.declared_at(&ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span });
                if expected != Ty::Other {
                    self.accepts(expected, value, &format!("`{var}`"), declared);
                } else {
                    self.check(value);
                }
            }
            StmtKind::Increment(var) | StmtKind::Decrement(var) => {
                let expr = ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span };
                self.number(&expr, "members cannot be counted", "they have no next one; use `select (x : T)` for any");
            }
            StmtKind::Send { channel, args, sorted } => {
                self.check_indices(channel);
                let fields = self.message_fields(channel);
                let member = fields.iter().flatten().find_map(|f| match sort_ty(*f) {
                    Ty::Member(set) => Some(set),
                    _ => None,
                });
                if let (true, Some(set)) = (*sorted, member) {
                    let name = self.set_name(set);
                    let message = format!("a sorted send puts messages in order, but members of {name} have none");
                    let declared = self.model.declared.sets[set].span;
                    self.error(
                        Diagnostic::error(stmt.span, message)
                            .related(declared, "the scalarset")
                            .help("send with `!`; `??` finds a message wherever it is"),
                    );
                }
                self.check_values(args, &fields.unwrap_or_default(), &format!("the field of `{channel}`"));
            }
            StmtKind::Receive { channel, args, .. } => self.check_received(channel, args),
            StmtKind::Assert(e) => self.truth(e),
            StmtKind::Expr(e) => match &e.kind {
                ExprKind::Run { .. } => self.check(e),
                _ => self.truth(e),
            },
            StmtKind::Printf { args, .. } => args.iter().for_each(|arg| self.check(arg)),
            StmtKind::ForRange { var, from, to, .. } | StmtKind::Select { var, from, to } => {
                let expr = ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span };
                self.number(&expr, "members have no first and no last", "write the scalarset in place of the range");
                self.number(from, "members are not bounds", "write the scalarset in place of the range");
                self.number(to, "members are not bounds", "write the scalarset in place of the range");
            }
            StmtKind::ForIn { var, .. } => {
                let expr = ast::Expr { kind: ExprKind::Var(var.clone()), span: var.span };
                if self.width(&expr) == 1 {
                    self.number(&expr, "members have no first and no last", "write `for (i : T)` with the scalarset");
                }
            }
            StmtKind::Choose { var, set } => {
                let Some(&chosen) = self.symbols.scalarsets.get(&set.text) else { return };
                self.check_indices(var);
                if self.var_ty(var) != Ty::Member(chosen) {
                    let message = format!("`{var}` is not a variable of the scalarset `{}`", set.text);
                    self.error(
                        Diagnostic::error(var.span, message).help(format!("declare it as `{} {var}`", set.text)),
                    );
                }
            }
            StmtKind::SetPriority(pid, value) => {
                self.number(pid, "a process id is needed here", "use `_pid`, or a variable that holds one");
                self.number(value, "members are not priorities", "use a number");
            }
            _ => {}
        }
    }

    /// Checks the initial value of a variable.
    pub(super) fn check_initial(&mut self, ty: &Type, axis: Option<usize>, var: &ast::Declarator) {
        let expected = type_ty(ty);
        match &var.init {
            Some(ast::Initialiser::Expr(e)) if expected != Ty::Other => {
                self.accepts(expected, e, &format!("`{}`", var.name.text), Some(var.name.span));
            }
            Some(ast::Initialiser::List(values, span)) => {
                for value in values {
                    self.accepts(expected, value, &format!("`{}`", var.name.text), Some(var.name.span));
                }
                if let Some(set) = axis {
                    let constants: Vec<Option<i32>> = values.iter().map(|v| self.constant(v)).collect();
                    if constants.windows(2).any(|pair| pair[0] != pair[1]) {
                        let name = self.set_name(set);
                        let message = format!("the members of {name} start with different values");
                        self.error(
                            Diagnostic::error(*span, message)
                                .related(var.name.span, format!("is indexed by {name}"))
                                .help("give all elements one value, as in `= 0`"),
                        );
                    }
                }
            }
            _ => {}
        }
    }
}

fn type_ty(ty: &Type) -> Ty {
    match ty {
        Type::Scalar(scalar, _) => sort_ty(*scalar),
        Type::Structure(_) | Type::Pointer(..) => Ty::Other,
    }
}

fn sort_ty(scalar: Scalar) -> Ty {
    match scalar.sort {
        Sort::Member { set } => Ty::Member(usize::from(set)),
        Sort::Channel | Sort::Ref => Ty::Other,
        Sort::Plain | Sort::Process => Ty::Plain,
    }
}
