//! Statements: each becomes elements of the body's graph, in the order SPIN completes them.

use quotient_ir::{Action, BinaryOp, Expr, ProctypeKind, Scope, Sort};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowering;
use super::dynamic::Used;
use super::elements::{D_STEP, ElementId, Jump, Kind, Label, SequenceId};
use super::expressions::{Reference, whole_assigned};
use super::rules::Ty;
use crate::ast::{self, Step, Stmt, StmtKind, VarRef};
use crate::symbols::Type;

impl Lowering {
    /// A sequence in a scope of its own; closed, not yet linked to what follows.
    pub(super) fn lower_sequence(&mut self, sequence: &ast::Sequence) -> SequenceId {
        self.body.scopes.open();
        self.lower_scope(sequence)
    }

    /// A sequence in a scope that was just opened.
    fn lower_scope(&mut self, sequence: &ast::Sequence) -> SequenceId {
        self.body.fresh = false;
        let id = self.lower_sequence_into(sequence, false);
        self.body.scopes.close();
        id
    }

    /// A sequence in the current scope; left open when more follows.
    pub(super) fn lower_sequence_into(&mut self, sequence: &ast::Sequence, open: bool) -> SequenceId {
        let id = self.body.graph.sequence();
        for step in &sequence.steps {
            self.lower_step(step, id);
        }
        if self.body.graph.sequences[id].first.is_none() && !open {
            self.error(
                Diagnostic::error(sequence.open, "a sequence must have at least one statement").help("write `skip`"),
            );
            let skip = self.body.graph.element(Kind::Basic(Action::Skip), sequence.open, "skip");
            self.body.graph.append(id, skip);
        }
        if !open {
            self.body.graph.close(id);
        }
        id
    }

    pub(super) fn lower_step(&mut self, step: &Step, into: SequenceId) {
        match step {
            Step::Decl(decl) => self.lower_decl(decl, into),
            Step::Exclusive { receive, channels, span } => {
                for var in channels {
                    let channel = match self.channel(var) {
                        Some((Used::Held(channel), _)) => channel,
                        Some((Used::Record(_), _)) => {
                            let message = "`xr` and `xs` cannot be used where channels come and go";
                            self.error(
                                Diagnostic::error(*span, message).help("leave them out: they change no verdict"),
                            );
                            continue;
                        }
                        None => continue,
                    };
                    self.body.exclusive.push(quotient_ir::Exclusive { receive: *receive, channel, span: *span });
                }
            }
            Step::Stmt(stmt) => {
                self.lower_stmt(stmt, into);
                self.body.fresh = false;
            }
            Step::Unless { body, escape, span } => {
                self.model.uses.unless = true;
                if self.body.inside_dstep {
                    self.error(Diagnostic::error(*span, "`unless` cannot be used inside a d_step"));
                }
                self.lower_unless(body, escape, *span, into);
                self.body.fresh = false;
            }
        }
    }

    /// `body unless escape`. A block's own sequence is used as it is; a labelled block is wrapped, so that the label
    /// names the whole construct.
    fn lower_unless(&mut self, body: &Stmt, escape: &Stmt, span: Span, into: SequenceId) {
        if let StmtKind::Labelled(label, Some(inner)) = &body.kind
            && let StmtKind::Block(sequence) | StmtKind::Atomic(sequence) | StmtKind::DStep(sequence) = &inner.kind
        {
            let normal = self.lower_sequence(sequence);
            let escape = self.lower_as_sequence(escape);
            let wrapper = self.body.graph.sequence();
            self.append_unless(normal, escape, span, wrapper);
            self.body.graph.close(wrapper);
            let kind = match &inner.kind {
                StmtKind::Atomic(_) => Kind::Atomic(wrapper),
                StmtKind::DStep(_) => Kind::DStep(wrapper),
                _ => Kind::Block(wrapper),
            };
            match kind {
                Kind::Atomic(_) => self.body.graph.make_atomic(wrapper, 0),
                Kind::DStep(_) => self.body.graph.make_atomic(wrapper, D_STEP),
                _ => {}
            }
            let element = self.body.graph.element(kind, body.span, "{ … }");
            self.set_label(label, element);
            self.body.graph.append(into, element);
            return;
        }
        let normal = self.lower_as_sequence(body);
        self.body.fresh = false;
        let escape = self.lower_as_sequence(escape);
        self.append_unless(normal, escape, span, into);
    }

    fn append_unless(&mut self, normal: SequenceId, escape: SequenceId, span: Span, into: SequenceId) {
        let graph = &mut self.body.graph;
        let element = graph.element(Kind::Unless(normal, escape), span, "unless");
        let joint = graph.element(Kind::Joint, span, "goto");
        graph.append(normal, joint);
        graph.append(escape, joint);
        graph.attach_escape(normal, escape);
        graph.append(into, element);
        graph.append(into, joint);
    }

    fn lower_as_sequence(&mut self, stmt: &Stmt) -> SequenceId {
        if let StmtKind::Block(sequence) = &stmt.kind {
            return self.lower_sequence(sequence);
        }
        let id = self.body.graph.sequence();
        self.lower_stmt(stmt, id);
        self.body.graph.close(id);
        id
    }

    /// Lowers a statement and appends it; gives back the element that a label before it names.
    fn lower_stmt(&mut self, stmt: &Stmt, into: SequenceId) -> ElementId {
        let span = stmt.span;
        let trace = self.body.kind == ProctypeKind::Trace;
        let event = matches!(
            stmt.kind,
            StmtKind::Labelled(..)
                | StmtKind::Send { .. }
                | StmtKind::Receive { .. }
                | StmtKind::If(_)
                | StmtKind::Do(_)
                | StmtKind::Break
                | StmtKind::Goto(_)
                | StmtKind::Block(_)
                | StmtKind::Inlined { .. }
        );
        if trace && !event {
            self.error(Diagnostic::error(span, "only sends and receives can stand in a trace"));
        }
        if self.checking() {
            self.check_stmt(stmt);
        }
        let kind = match &stmt.kind {
            StmtKind::Labelled(label, inner) => {
                let element = match inner {
                    // The label is set before the element is appended: a labelled jump may need a `skip` before it.
                    Some(inner) => match &inner.kind {
                        StmtKind::Goto(_) | StmtKind::Break => {
                            let element = self.new_jump(inner);
                            self.set_label(label, element);
                            self.body.graph.append(into, element);
                            return element;
                        }
                        _ => self.lower_stmt(inner, into),
                    },
                    None => {
                        let element = self.body.graph.element(Kind::Basic(Action::Skip), span, "skip");
                        self.body.graph.append(into, element);
                        element
                    }
                };
                self.set_label(label, element);
                return element;
            }
            StmtKind::Goto(_) | StmtKind::Break => {
                let element = self.new_jump(stmt);
                self.body.graph.append(into, element);
                return element;
            }
            StmtKind::If(options) => return self.lower_selection(options, None, span, into),
            StmtKind::Do(options) => {
                let number = self.open_loop();
                let element = self.lower_selection(options, Some(number), span, into);
                self.body.loops.pop();
                return element;
            }
            StmtKind::ForRange { var, from, to, body } => return self.lower_for_range(var, from, to, body, span, into),
            StmtKind::ForIn { var, collection, body } => return self.lower_for_in(var, collection, body, span, into),
            StmtKind::ForEach { var, set, body } => return self.lower_for_each(var, set, body, stmt, into),
            StmtKind::Choose { var, set } => return self.lower_choose(var, set, span, into),
            StmtKind::Select { var, from, to } => return self.lower_select(var, from, to, span, into),
            StmtKind::Atomic(body) => {
                self.body.inside_atomic += 1;
                let sequence = self.lower_sequence(body);
                self.body.inside_atomic -= 1;
                self.body.graph.make_atomic(sequence, 0);
                Kind::Atomic(sequence)
            }
            StmtKind::DStep(body) => {
                let outer = std::mem::replace(&mut self.body.inside_dstep, true);
                let sequence = self.lower_sequence(body);
                self.body.inside_dstep = outer;
                self.body.graph.make_atomic(sequence, D_STEP);
                Kind::DStep(sequence)
            }
            StmtKind::Block(body) => Kind::Block(self.lower_sequence(body)),
            StmtKind::Inlined { id, body, mentioned, .. } => {
                mentioned.iter().for_each(|name| self.note_name(&name.text));
                let outer = std::mem::replace(&mut self.body.inline, *id);
                let sequence = self.lower_sequence(body);
                self.body.inline = outer;
                Kind::Block(sequence)
            }
            StmtKind::New { target, made } => Kind::Basic(self.lower_new(target, made)),
            StmtKind::Delete(var) => Kind::Basic(self.lower_delete(var)),
            StmtKind::Call { target, call } => return self.lower_call(target.as_ref(), call, stmt, into),
            StmtKind::Return(returned) => return self.lower_return(returned, stmt, into),
            StmtKind::Assign(var, value) => Kind::Basic(self.assign(var, value)),
            StmtKind::Increment(var) => Kind::Basic(self.step_by(var, BinaryOp::Add)),
            StmtKind::Decrement(var) => Kind::Basic(self.step_by(var, BinaryOp::Sub)),
            StmtKind::Send { channel, args, sorted } => {
                let target = self.channel(channel);
                let ty = target.as_ref().and_then(|(_, ty)| *ty);
                let fields = ty.map(|ty| self.model.channels[ty].fields.clone()).unwrap_or_default();
                self.check_sent_types(args, ty, *sorted);
                let values = self.arguments(args, &self.message_types(ty), &fields);
                let Some((place, ty)) = target else { return self.skip(span, into) };
                if values.iter().any(Expr::runs) {
                    self.error(Diagnostic::error(span, "`run` cannot be used in a send"));
                }
                self.check_sent(values.len(), ty, span);
                Kind::Basic(place.send(values, *sorted))
            }
            StmtKind::Receive { channel, args, random, copy } => {
                let Some((place, ty)) = self.channel(channel) else { return self.skip(span, into) };
                let pattern = self.pattern(args, ty, span, self.receiving(*copy));
                let receive = place.receive(pattern, *random, *copy);
                Kind::Basic(self.receive_into_parts(receive, span))
            }
            StmtKind::Assert(e) => {
                self.no_reference(e);
                Kind::Basic(Action::Assert(self.expr(e)))
            }
            StmtKind::Printf { format, args } => {
                let mtype = args.iter().find_map(|arg| self.mtype_of(arg));
                let args = self.printed(args);
                Kind::Basic(Action::Print { format: Some(format.to_string()), args, mtype })
            }
            StmtKind::Printm(e) => {
                let mtype = self.mtype_of(e).or_else(|| self.symbols.mtype_sets.get("").copied());
                let args = self.printed(std::slice::from_ref(e));
                Kind::Basic(Action::Print { format: None, args, mtype })
            }
            StmtKind::Expr(e) => {
                self.no_reference(e);
                let value = self.expr(e);
                Kind::Basic(match value {
                    Expr::Const(1) => Action::Skip,
                    value => Action::Condition(value),
                })
            }
            StmtKind::Else => Kind::Basic(Action::Else),
            StmtKind::SetPriority(pid, value) => {
                self.model.uses.priority = true;
                let (pid, value) = (self.plain(pid), self.plain(value));
                Kind::Basic(Action::SetPriority(pid, value))
            }
        };
        if self.body.kind == ProctypeKind::Claim {
            self.check_claim(&kind, span);
        }
        let element = self.body.graph.element(kind, span, stmt.to_string());
        if let (StmtKind::Assign(_, value), Kind::Basic(action)) = (&stmt.kind, &self.body.graph.elements[element].kind)
            && !matches!(action, Action::Assign(..))
        {
            self.body.graph.elements[element].assigned = Some(self.expr(value));
        }
        self.body.graph.append(into, element);
        element
    }

    /// The values that a statement prints.
    fn printed(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        self.body.printing = true;
        args.iter().for_each(|arg| self.no_reference(arg));
        let values = args.iter().map(|arg| self.expr(arg)).collect();
        self.body.printing = false;
        values
    }

    fn check_claim(&mut self, kind: &Kind, span: Span) {
        let Kind::Basic(action) = kind else { return };
        let changes = match action {
            Action::Assign(place, _) => place.scope == Scope::Global,
            Action::Send { .. } | Action::Receive { .. } | Action::SetPriority(..) | Action::Heap(_) => true,
            _ => false,
        };
        if changes {
            let error = Diagnostic::error(span, "a never claim cannot have side effects");
            self.error(error.help("it may assign to variables that are declared in it"));
        }
    }

    pub(super) fn skip(&mut self, span: Span, into: SequenceId) -> ElementId {
        let element = self.body.graph.element(Kind::Basic(Action::Skip), span, "skip");
        self.body.graph.append(into, element);
        element
    }

    fn new_jump(&mut self, stmt: &Stmt) -> ElementId {
        let jump = match &stmt.kind {
            StmtKind::Goto(name) => {
                let label = self.label_index(&name.text, name.span);
                self.body.pending.push((label, name.span));
                Jump::Label(label)
            }
            _ => match self.body.loops.last() {
                Some(&number) => Jump::Loop(number),
                None => {
                    self.error(Diagnostic::error(stmt.span, "`break` outside a loop"));
                    return self.body.graph.element(Kind::Basic(Action::Skip), stmt.span, "skip");
                }
            },
        };
        self.body.graph.element(Kind::Goto(jump), stmt.span, stmt.to_string())
    }

    /// The table entry for a label as seen from here, made when it is first mentioned.
    fn label_index(&mut self, name: &std::rc::Rc<str>, span: Span) -> usize {
        let inline = self.body.inline;
        let labels = &mut self.body.graph.labels;
        if let Some(index) = labels.iter().position(|l| l.name == *name && l.inline == inline) {
            return index;
        }
        labels.push(Label { name: name.clone(), inline, element: None, span });
        labels.len() - 1
    }

    fn set_label(&mut self, name: &ast::Name, element: ElementId) {
        let index = self.label_index(&name.text, name.span);
        let label = &mut self.body.graph.labels[index];
        if label.element.is_some() {
            let first = label.span;
            self.error(
                Diagnostic::error(name.span, format!("label `{}` is declared twice", name.text))
                    .related(first, "first declared here"),
            );
            return;
        }
        label.element = Some(element);
        label.span = name.span;
    }

    /// A jump inside an inline may also go to a label of the process around it.
    pub(super) fn resolve_jumps(&mut self) {
        for (index, span) in std::mem::take(&mut self.body.pending) {
            let labels = &self.body.graph.labels;
            if labels[index].element.is_some() {
                continue;
            }
            let name = labels[index].name.clone();
            let outer = labels.iter().filter(|l| l.name == name).find_map(|l| l.element);
            match outer {
                Some(element) => self.body.graph.labels[index].element = Some(element),
                None => {
                    self.error(Diagnostic::error(span, format!("label `{name}` is not declared in this process")));
                    let skip = self.body.graph.element(Kind::Basic(Action::Skip), span, "skip");
                    self.body.graph.labels[index].element = Some(skip);
                }
            }
        }
    }

    pub(super) fn open_loop(&mut self) -> usize {
        self.body.graph.exits.push(None);
        self.body.loops.push(self.body.graph.exits.len() - 1);
        self.body.graph.exits.len() - 1
    }

    fn lower_selection(
        &mut self,
        options: &[ast::Sequence],
        number: Option<usize>,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        let sequences: Vec<SequenceId> = options
            .iter()
            .map(|option| {
                self.body.scopes.open_option();
                self.lower_scope(option)
            })
            .collect();
        if self.body.kind != ProctypeKind::Claim {
            for &sequence in &sequences {
                self.body.graph.prune_skips(sequence);
            }
        }
        self.append_selection(sequences, number, span, into)
    }

    /// Links the options of a selection or loop to their joints; `else` moves to the end.
    pub(super) fn append_selection(
        &mut self,
        mut options: Vec<SequenceId>,
        number: Option<usize>,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        let graph = &mut self.body.graph;
        let is_else = |sequence: &SequenceId| {
            graph.sequences[*sequence]
                .first
                .is_some_and(|first| matches!(graph.elements[first].kind, Kind::Basic(Action::Else)))
        };
        let elses: Vec<SequenceId> = options.iter().copied().filter(is_else).collect();
        if elses.len() > 1 {
            let first = graph.sequences[elses[1]].first.map_or(span, |e| graph.elements[e].span);
            self.error(Diagnostic::error(first, "a selection has at most one `else`"));
            return self.skip(span, into);
        }
        if let Some(&last) = elses.first() {
            options.retain(|&option| option != last);
            options.push(last);
        }
        if !elses.is_empty() {
            let graph = &self.body.graph;
            let mixes = |option: &SequenceId| {
                graph.sequences[*option].first.is_some_and(|first| match &graph.elements[first].kind {
                    Kind::Basic(Action::Send { .. } | Action::Receive { .. }) => true,
                    Kind::Basic(Action::Heap(action)) => action.uses_channel(),
                    Kind::Basic(Action::Condition(e)) => e.any(&Expr::is_probe),
                    _ => false,
                })
            };
            if options.iter().any(mixes) {
                self.model.uses.mixed_else = true;
            }
        }
        let text = if number.is_some() { "do" } else { "if" };
        let kind = if number.is_some() { Kind::Do(options.clone()) } else { Kind::If(options.clone()) };
        let graph = &mut self.body.graph;
        let element = graph.element(kind, span, text);
        let joint = graph.element(Kind::Joint, span, "goto");
        for &option in &options {
            graph.append(option, joint);
        }
        match number {
            None => {
                graph.append(into, element);
                graph.append(into, joint);
            }
            Some(number) => {
                graph.append(into, joint);
                let exit = graph.element(Kind::Exit, span, "break");
                graph.exits[number] = Some(exit);
                graph.append(into, element);
                graph.append(into, exit);
            }
        }
        element
    }

    fn assign(&mut self, var: &VarRef, given: &ast::Expr) -> Action {
        match self.static_type(var) {
            Some(Type::Structure(_)) => {
                self.error(whole_assigned(var));
                return Action::Skip;
            }
            Some(ty) => self.check_value(given, &ty, "what it is assigned to"),
            None => {}
        }
        let value = match self.ty(&ast::Expr { kind: ast::ExprKind::Var(var.clone()), span: var.span }) {
            Ty::Member(set) => self.expr_in(given, Some(set)),
            _ => match self.static_type(var) {
                Some(ty) => self.expr_of(given, &ty),
                None => self.expr(given),
            },
        };
        match self.reference(var) {
            // SPIN evaluates the value; what it reads matters to its counts.
            Some(Reference::Scratch) => match value.runs() || self.whole.is_some() {
                true => Action::Condition(Expr::Or(Box::new(value), Box::new(Expr::Const(1)))),
                false => Action::Skip,
            },
            Some(Reference::Value(Expr::OwnPriority)) => {
                self.no_reference(given);
                Action::SetPriority(Expr::Pid, value)
            }
            Some(Reference::Part(part)) => self.set(part, value),
            _ => match self.target(var) {
                Some(place) => Action::Assign(place, value),
                None => Action::Skip,
            },
        }
    }

    fn step_by(&mut self, var: &VarRef, op: BinaryOp) -> Action {
        let what = match self.static_type(var) {
            Some(Type::Pointer(..)) => Some("reference"),
            Some(ty) if self.symbols.is_function(&ty) => Some("function"),
            _ => None,
        };
        if let Some(what) = what {
            self.error(Diagnostic::error(var.span, format!("`{var}` is a {what}, which cannot be counted with")));
            return Action::Skip;
        }
        if let Some(Reference::Part(part)) = self.reference(var) {
            let value = Expr::Binary(op, Box::new(part.read()), Box::new(Expr::Const(1)));
            return self.set(part, value);
        }
        let Some(place) = self.target(var) else { return Action::Skip };
        if place.scalar.sort == Sort::Channel {
            self.error(Diagnostic::error(var.span, format!("`{var}` is a channel; arithmetic makes no sense on it")));
        }
        let value = Expr::Binary(op, Box::new(Expr::Read(place.clone())), Box::new(Expr::Const(1)));
        Action::Assign(place, value)
    }

    pub(super) fn basic(&mut self, action: Action, span: Span, text: String, into: SequenceId) -> ElementId {
        let element = self.body.graph.element(Kind::Basic(action), span, text);
        self.body.graph.append(into, element);
        element
    }
}
