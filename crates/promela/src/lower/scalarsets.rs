//! Scalarsets: types whose values differ by name only. Declares them, and lowers quantifiers, choices and loops over them to
//! what there is in the intermediate form: an expression, an option or an iteration for each member. What may be done with
//! members is in `rules.rs`.

use std::rc::Rc;

use quotient_ir::{Action, BinaryOp, DeclaredSet, Expr, Scalar, Sort, Width};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowering;
use super::elements::{D_STEP, ElementId, Kind, SequenceId};
use crate::ast::{self, ExprKind, Name, Quantifier, Step, Stmt, StmtKind, VarRef};
use crate::symbols::Type;

/// The largest scalarset: one value of a byte is needed for none of its members.
const LARGEST: i32 = 255;

/// A name that stands for one member, inside a quantifier or a loop.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) name: Rc<str>,
    pub(super) set: usize,
    value: i32,
}

impl Bound {
    /// A name that stands for any member of a set.
    pub(super) fn any(name: &Name, set: usize) -> Self {
        Bound { name: name.text.clone(), set, value: 0 }
    }
}

/// The scalarset whose members a field holds.
pub(super) fn member_set(scalar: Scalar) -> Option<usize> {
    match scalar.sort {
        Sort::Member { set } => Some(usize::from(set)),
        Sort::Plain | Sort::Channel | Sort::Process | Sort::Ref => None,
    }
}

impl Lowering {
    pub(super) fn declare_scalarset(&mut self, decl: &ast::ScalarsetDecl) {
        let name = &decl.name;
        if let Some(&first) = self.symbols.scalarsets.get(&name.text) {
            let span = self.model.declared.sets[first].span;
            let message = format!("scalarset `{}` is declared twice", name.text);
            self.error(Diagnostic::error(name.span, message).related(span, "first declared here"));
            return;
        }
        let size = self.constant(&decl.size).unwrap_or(1);
        if !(1..LARGEST).contains(&size) {
            let message = format!("a scalarset cannot have {size} members");
            self.error(Diagnostic::error(decl.size.span, message).help(format!("it has 1 to {} members", LARGEST - 1)));
        }
        let set =
            DeclaredSet { name: name.text.to_string(), size: size.clamp(1, LARGEST - 1) as usize, span: name.span };
        self.model.declared.sets.push(set);
        self.symbols.scalarsets.insert(name.text.clone(), self.model.declared.sets.len() - 1);
    }

    /// The scalar type of a scalarset's values.
    pub(super) fn member_type(&self, name: &str) -> Option<Type> {
        let &set = self.symbols.scalarsets.get(name)?;
        let scalar = Scalar { width: Width::Byte, sort: Sort::Member { set: set as u8 } };
        Some(Type::Scalar(scalar, None))
    }

    /// The scalarset that an expression names as a whole, as in `flag[PID]`.
    pub(super) fn named_set(&self, expr: &ast::Expr) -> Option<usize> {
        let ExprKind::Var(var) = &expr.kind else { return None };
        let [field] = &var.path[..] else { return None };
        if field.index.is_some() {
            return None;
        }
        self.symbols.scalarsets.get(&field.name.text).copied()
    }

    /// The value that stands for no member.
    pub(super) fn undef(&self, set: usize) -> i32 {
        self.model.declared.sets[set].size as i32
    }

    /// The value that a variable of a type has when it is not given one.
    pub(super) fn default_value(&self, ty: &Type) -> i32 {
        match ty {
            Type::Scalar(Scalar { sort: Sort::Member { set }, .. }, _) => self.undef(usize::from(*set)),
            _ => 0,
        }
    }

    /// The member that a name stands for inside a quantifier or a loop.
    pub(super) fn bound(&self, name: &str) -> Option<Expr> {
        self.bounds.iter().rev().find(|b| *b.name == *name).map(|b| Expr::Const(b.value))
    }

    fn find_set(&mut self, name: &Name) -> Option<usize> {
        let set = self.symbols.scalarsets.get(&name.text).copied();
        if set.is_none() {
            self.error(super::undeclared(name, "scalarset").help("as in `scalarset PID[4]`, outside bodies"));
        }
        set
    }

    /// Evaluates something once for each member, with a name standing for it.
    fn each<T>(&mut self, name: &Name, set: usize, mut f: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut results = Vec::new();
        for value in 0..self.undef(set) {
            self.bounds.push(Bound { name: name.text.clone(), set, value });
            results.push(f(self));
            self.bounds.pop();
        }
        results
    }

    /// `forall`, `exists` and `count`, written out.
    pub(super) fn quantified(&mut self, quantifier: Quantifier, var: &Name, set: &Name, body: &ast::Expr) -> Expr {
        let Some(set) = self.find_set(set) else { return Expr::Const(0) };
        let parts = self.each(var, set, |lowering| lowering.expr(body));
        let join = |a: Expr, b: Expr| match quantifier {
            Quantifier::All => Expr::And(Box::new(a), Box::new(b)),
            Quantifier::Some => Expr::Or(Box::new(a), Box::new(b)),
            Quantifier::Count => Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b)),
        };
        let truth = |e: Expr| Expr::Binary(BinaryOp::Ne, Box::new(e), Box::new(Expr::Const(0)));
        let single = parts.len() == 1 || quantifier == Quantifier::Count;
        let parts = parts.into_iter().map(|e| if single { truth(e) } else { e });
        parts.reduce(join).unwrap_or(Expr::Const(0))
    }

    /// `select (x : T)`: an option for each member.
    pub(super) fn lower_choose(&mut self, var: &VarRef, set: &Name, span: Span, into: SequenceId) -> ElementId {
        let (Some(set), Some(place)) = (self.find_set(set), self.target(var)) else { return self.skip(span, into) };
        let options = (0..self.undef(set)).map(|value| {
            let option = self.body.graph.sequence();
            let action = Action::Assign(place.clone(), Expr::Const(value));
            self.basic(action, span, format!("{var} = {value}"), option);
            self.body.graph.close(option);
            option
        });
        let options = options.collect();
        self.append_selection(options, None, span, into)
    }

    /// `for (i : T) { … }`: all iterations in one step, or, to create processes in `init`, one after the other.
    pub(super) fn lower_for_each(
        &mut self,
        var: &Name,
        set: &Name,
        body: &ast::Sequence,
        stmt: &Stmt,
        into: SequenceId,
    ) -> ElementId {
        let span = stmt.span;
        let Some(set) = self.find_set(set) else { return self.skip(span, into) };
        self.check_iteration(body);
        if creates(body) {
            return self.lower_creations(var, set, body, span, into);
        }
        if self.body.inside_iteration {
            let message = "a loop over a scalarset cannot stand in another one";
            self.error(Diagnostic::error(span, message).help("use `forall`, `exists` or `count` in its place"));
            return self.skip(span, into);
        }
        let nested = std::mem::replace(&mut self.body.inside_dstep, true);
        self.body.inside_iteration = true;
        let sequence = if nested { into } else { self.body.graph.sequence() };
        // A first statement that is always executable: that an iteration cannot go on is an error, not a reason to wait.
        let first = self.skip(span, sequence);
        let iterations = self.each(var, set, |lowering| {
            let iteration = lowering.lower_sequence(body);
            let element = lowering.body.graph.element(Kind::Block(iteration), span, "{ … }");
            lowering.body.graph.append(sequence, element);
            iteration
        });
        self.body.unordered.push((iterations, span));
        self.body.inside_dstep = nested;
        self.body.inside_iteration = false;
        if nested {
            return first;
        }
        self.body.graph.close(sequence);
        self.body.graph.make_atomic(sequence, D_STEP);
        let element = self.body.graph.element(Kind::DStep(sequence), span, stmt.to_string());
        self.body.graph.append(into, element);
        element
    }

    fn lower_creations(
        &mut self,
        var: &Name,
        set: usize,
        body: &ast::Sequence,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        if self.body.kind != quotient_ir::ProctypeKind::Init || self.body.inside_atomic == 0 {
            let message = "processes are created for the members of a scalarset in one `atomic` of `init` only";
            self.error(Diagnostic::error(span, message).help("as in `init { atomic { for (i : PID) { run P(i) } } }`"));
        }
        let first = self.skip(span, into);
        self.each(var, set, |lowering| {
            let iteration = lowering.lower_sequence(body);
            let element = lowering.body.graph.element(Kind::Block(iteration), span, "{ … }");
            lowering.body.graph.append(into, element);
        });
        first
    }

    /// What may not stand in an iteration: declarations, jumps and labels.
    fn check_iteration(&mut self, body: &ast::Sequence) {
        for step in &body.steps {
            match step {
                Step::Decl(decl) => self.error(
                    Diagnostic::error(decl.span, "a variable cannot be declared in a loop over a scalarset")
                        .help("declare it before the loop"),
                ),
                Step::Stmt(stmt) => self.check_iteration_stmt(stmt),
                Step::Unless { .. } | Step::Exclusive { .. } => {}
            }
        }
    }

    fn check_iteration_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Goto(_) | StmtKind::Labelled(..) => self.error(
                Diagnostic::error(stmt.span, "jumps and labels cannot stand in a loop over a scalarset")
                    .help("every member takes part in the loop; leave out some with `if`"),
            ),
            StmtKind::If(options) => options.iter().for_each(|option| self.check_iteration(option)),
            StmtKind::Do(_) | StmtKind::Break => self.error(
                Diagnostic::error(stmt.span, "`do` and `break` cannot stand in a loop over a scalarset")
                    .help("every member takes part in the loop, with a fixed number of steps"),
            ),
            StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Inlined { body, .. } => {
                self.check_iteration(body);
            }
            _ => {}
        }
    }
}

/// Whether a sequence creates processes.
fn creates(body: &ast::Sequence) -> bool {
    body.steps.iter().any(|step| match step {
        Step::Stmt(stmt) => match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Assign(_, e) => matches!(e.kind, ExprKind::Run { .. }),
            StmtKind::If(options) => options.iter().any(creates),
            StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::Inlined { body, .. } => creates(body),
            StmtKind::ForEach { body, .. } => creates(body),
            _ => false,
        },
        _ => false,
    })
}
