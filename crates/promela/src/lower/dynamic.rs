//! What dSPIN adds to Promela: references, records that are made and deleted, and functions. A typedef is also a type of records;
//! a reference to scalars refers to an array of them.

mod boxes;
mod functions;
mod parts;
mod records;
mod rules;
mod types;

use quotient_ir::{Action, Deterministic, Heap, Node, NodeOption, Setup};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use super::Lowering;
use crate::ast::{self, Declarator, Spec, Stmt, Unit};
use crate::preprocess::Dynamic;
pub(super) use parts::Followed;

/// A heap with these limits.
pub(super) fn heap(dynamic: Dynamic) -> Heap {
    let Dynamic { most_records, most_frames, leaks } = dynamic;
    Heap { most_records, most_frames, leaks, ..Heap::default() }
}

/// Whether a specification makes use of what dSPIN adds.
pub(super) fn has_heap(spec: &Spec) -> bool {
    let in_messages = |var: &Declarator| matches!(&var.init, Some(ast::Initialiser::Channel { fields, .. }) if fields.iter().any(|field| field.pointer));
    let pointers = |decl: &ast::Decl| decl.vars.iter().any(|var| var.pointer || in_messages(var));
    fn in_sequence(sequence: &ast::Sequence, pointers: &dyn Fn(&ast::Decl) -> bool) -> bool {
        sequence.steps.iter().any(|step| match step {
            ast::Step::Decl(decl) => pointers(decl),
            ast::Step::Stmt(stmt) => in_statement(stmt, pointers),
            ast::Step::Unless { body, escape, .. } => in_statement(body, pointers) || in_statement(escape, pointers),
            ast::Step::Exclusive { .. } => false,
        })
    }
    fn in_statement(stmt: &Stmt, pointers: &dyn Fn(&ast::Decl) -> bool) -> bool {
        use ast::StmtKind;
        match &stmt.kind {
            StmtKind::Labelled(_, Some(inner)) => in_statement(inner, pointers),
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(|option| in_sequence(option, pointers)),
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::Inlined { body, .. }
            | StmtKind::ForRange { body, .. }
            | StmtKind::ForIn { body, .. }
            | StmtKind::ForEach { body, .. } => in_sequence(body, pointers),
            StmtKind::New { .. } | StmtKind::Delete(_) | StmtKind::Call { .. } | StmtKind::Return(_) => true,
            _ => false,
        }
    }
    !spec.taken.is_empty()
        || spec.units.iter().any(|unit| match unit {
            Unit::Function(_) => true,
            Unit::Decl(decl) => pointers(decl),
            Unit::Typedef(typedef) => typedef.fields.iter().flatten().any(pointers),
            Unit::Proctype(proctype) => proctype.params.iter().any(pointers) || in_sequence(&proctype.body, &pointers),
            Unit::Init(init) => in_sequence(&init.body, &pointers),
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
        for proctype in &self.model.proctypes {
            let has_channel = proctype.setup.iter().any(|setup| matches!(setup, Setup::Channel(..)));
            if has_channel {
                let message = "channels of processes are not supported in a model with references";
                let diagnostic =
                    Diagnostic::error(proctype.span, message).help("declare the channels as global variables");
                self.diagnostics.push(diagnostic);
                return;
            }
        }
        self.model.make_calls_atomic();
        let mut messages = self.model.channels.iter().flat_map(|channel| &channel.fields);
        if let Some(trace) = &self.model.trace
            && messages.any(|scalar| scalar.sort == quotient_ir::Sort::Ref)
        {
            let span = self.model.proctypes[trace.proctype].span;
            let message = "a trace cannot be used where messages have references";
            return self.error(Diagnostic::error(span, message));
        }
        if let Err(defect) = self.model.validate() {
            self.error(Diagnostic::global(format!("the model cannot be checked: {defect:?}")));
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
