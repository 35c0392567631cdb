//! What dSPIN adds to Promela: references, records that are made and deleted, and functions. A typedef is also a type of records;
//! a reference to scalars refers to an array of them.

mod boxes;
mod channels;
mod functions;
mod parts;
mod records;
mod rules;
mod types;

use quotient_ir::{Action, At, Deterministic, Heap, Node, NodeOption};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use super::Lowering;
use crate::ast::{self, Declarator, Spec, Stmt, Unit};
use crate::preprocess::Dynamic;
pub(super) use channels::{Used, come_and_go};
pub(super) use parts::Followed;

/// A heap with these limits.
pub(super) fn heap(dynamic: Dynamic) -> Heap {
    let Dynamic { most_records, most_calls, leaks } = dynamic;
    Heap { most_records, most_calls, leaks, ..Heap::default() }
}

/// What is looked for in a body: certain declarations and certain statements.
pub(super) struct Walk<'a> {
    decl: &'a dyn Fn(&ast::Decl) -> bool,
    stmt: &'a dyn Fn(&Stmt) -> bool,
}

/// Whether there is one of them in a sequence.
pub(super) fn any(sequence: &ast::Sequence, walk: &Walk<'_>) -> bool {
    fn in_statement(stmt: &Stmt, walk: &Walk<'_>) -> bool {
        use ast::StmtKind;
        (walk.stmt)(stmt)
            || match &stmt.kind {
                StmtKind::Labelled(_, Some(inner)) => in_statement(inner, walk),
                StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(|option| any(option, walk)),
                StmtKind::Atomic(body)
                | StmtKind::DStep(body)
                | StmtKind::Block(body)
                | StmtKind::Inlined { body, .. }
                | StmtKind::ForRange { body, .. }
                | StmtKind::ForIn { body, .. }
                | StmtKind::ForEach { body, .. } => any(body, walk),
                _ => false,
            }
    }
    sequence.steps.iter().any(|step| match step {
        ast::Step::Decl(decl) => (walk.decl)(decl),
        ast::Step::Stmt(stmt) => in_statement(stmt, walk),
        ast::Step::Unless { body, escape, .. } => in_statement(body, walk) || in_statement(escape, walk),
        ast::Step::Exclusive { .. } => false,
    })
}

/// Whether a specification makes use of what dSPIN adds.
pub(super) fn has_heap(spec: &Spec) -> bool {
    use ast::StmtKind;
    let in_messages = |var: &Declarator| matches!(&var.init, Some(ast::Initialiser::Channel { fields, .. }) if fields.iter().any(|field| field.pointer));
    let pointers = |decl: &ast::Decl| decl.vars.iter().any(|var| var.pointer || in_messages(var));
    let dynamic = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::New { .. } | StmtKind::Delete(_) | StmtKind::Call { .. } | StmtKind::Return(_))
    };
    let walk = Walk { decl: &pointers, stmt: &dynamic };
    !spec.taken.is_empty()
        || spec.has_null
        || come_and_go(spec)
        || spec.units.iter().any(|unit| match unit {
            Unit::Function(_) => true,
            Unit::Decl(decl) => pointers(decl),
            Unit::Typedef(typedef) => typedef.fields.iter().flatten().any(pointers),
            Unit::Proctype(proctype) => proctype.params.iter().any(pointers) || any(&proctype.body, &walk),
            Unit::Init(init) => any(&init.body, &walk),
            _ => false,
        })
}

/// A variable without a name, for a type that stands alone.
pub(super) fn anonymous(span: Span) -> Declarator {
    let name = ast::Name { text: "".into(), span };
    Declarator { pointer: false, indirect: false, name, width: None, length: None, init: None }
}

impl Lowering {
    /// What the intermediate form does not allow is told here, if nothing else was.
    pub(super) fn check_heap(&mut self) {
        let failed = self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if self.model.heap.is_none() || failed {
            return;
        }
        self.model.make_calls_atomic();
        let mut messages = self.model.channels.iter().flat_map(|channel| &channel.fields);
        if let Some(trace) = &self.model.trace
            && (self.symbols.channels_are_records || messages.any(|scalar| scalar.sort == quotient_ir::Sort::Ref))
        {
            let span = self.model.proctypes[trace.proctype].span;
            let message = match self.symbols.channels_are_records {
                true => "a trace cannot be used where channels come and go",
                false => "a trace cannot be used where messages have references",
            };
            return self.error(Diagnostic::error(span, message));
        }
        let Err(defects) = self.model.validate() else { return };
        for defect in defects {
            let message = format!("the model cannot be checked: {}", defect.kind);
            let problem = match self.place_of(defect.at) {
                Some(span) => Diagnostic::error(span, message),
                None => Diagnostic::global(message),
            };
            self.error(problem.help("that this is not told better is a mistake of Quotient; please report it"));
        }
    }

    /// Where a part of the model stands in the text.
    fn place_of(&self, at: At) -> Option<Span> {
        let proctype = |ty: usize| self.model.proctypes.get(ty);
        match at {
            At::Statement(ty, statement) => proctype(ty)?.statements.get(statement).map(|statement| statement.span),
            At::State(ty, state) => {
                let first = proctype(ty)?.states.get(state)?.transitions.first()?;
                proctype(ty)?.statements.get(first.statement).map(|statement| statement.span)
            }
            At::Proctype(ty) => proctype(ty).map(|proctype| proctype.span),
            _ => self.model.initial.first().and_then(|first| proctype(first.proctype)).map(|proctype| proctype.span),
        }
    }
}

/// Several actions as one step.
fn together(actions: Vec<Action>, span: Span) -> Action {
    let last = actions.len() - 1;
    let node = |(at, action): (usize, Action)| {
        let next = (at < last).then_some(at + 1);
        Node { options: vec![NodeOption { action, next, span, direct: true }], span }
    };
    Action::Deterministic(Deterministic {
        nodes: actions.into_iter().enumerate().map(node).collect(),
        loops: Vec::new(),
    })
}
