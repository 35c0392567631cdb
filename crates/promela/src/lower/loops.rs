//! Counting loops: `for` and `select`, written out as the assignments and choices that SPIN makes of them.

use quotient_ir::{Action, BinaryOp, Expr, Pattern, Place, Scalar, Scope, Slot, Sort, Width};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowering;
use super::elements::{ElementId, Jump, Kind, SequenceId};
use super::expressions::{Reference, local};
use crate::ast::{self, VarRef};
use crate::symbols::{Pointee, Type, Variable};

/// The counter of a loop over a channel, which the user did not declare.
const COUNTER: &str = "for …";

impl Lowering {
    /// `for (v : from .. to)`: an assignment, then a loop whose first option is the exit.
    pub(super) fn lower_for_range(
        &mut self,
        var: &VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &ast::Sequence,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        let number = self.open_loop();
        let Some(counter) = self.counter(var) else {
            self.body.loops.pop();
            return self.skip(span, into);
        };
        self.note_read(var);
        let (start, limit) = (self.plain(from), self.plain(to));
        self.basic(Action::Assign(counter.clone(), start), span, format!("{var} = {from}"), into);
        let guard = Expr::Binary(BinaryOp::Le, Box::new(Expr::Read(counter.clone())), Box::new(limit));
        let option = self.body.graph.sequence();
        self.basic(Action::Condition(guard), span, format!("{var} <= {to}"), option);
        self.finish_for(option, Some(body), &counter, &var.to_string(), number, true, span, into)
    }

    /// `for (v in array)` counts indices; `for (v in channel)` takes each message out and puts it back.
    pub(super) fn lower_for_in(
        &mut self,
        var: &VarRef,
        collection: &VarRef,
        body: &ast::Sequence,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        let number = self.open_loop();
        let element = self.lower_for_in_loop(var, collection, body, number, span, into);
        element.unwrap_or_else(|| {
            self.body.loops.pop();
            self.skip(span, into)
        })
    }

    fn lower_for_in_loop(
        &mut self,
        var: &VarRef,
        collection: &VarRef,
        body: &ast::Sequence,
        number: usize,
        span: Span,
        into: SequenceId,
    ) -> Option<ElementId> {
        let name = &collection.path[0].name;
        let found = self.body.scopes.find(&name.text).or_else(|| self.symbols.globals.get(&name.text)).cloned();
        let Some(variable) = found else {
            if !self.symbols.rejected.contains(&name.text) {
                self.error(super::undeclared(name, "variable"));
            }
            return None;
        };
        if let (Some(length), [_]) = (variable.length, &collection.path[..])
            && collection.path[0].index.is_none()
        {
            let counter = self.counter(var)?;
            self.note_read(var);
            let last = length as i32 - 1;
            self.basic(Action::Assign(counter.clone(), Expr::Const(0)), span, format!("{var} = 0"), into);
            let guard = Expr::Binary(BinaryOp::Le, Box::new(Expr::Read(counter.clone())), Box::new(Expr::Const(last)));
            let option = self.body.graph.sequence();
            self.basic(Action::Condition(guard), span, format!("{var} <= {last}"), option);
            return Some(self.finish_for(option, Some(body), &counter, &var.to_string(), number, true, span, into));
        }
        let is_channel = match &variable.ty {
            Type::Scalar(scalar, _) => scalar.sort == Sort::Channel,
            Type::Pointer(_, to) => *to == Pointee::Channel,
            Type::Structure(_) => false,
        };
        let (Some(channel), true) = (variable.channel, is_channel) else {
            self.error(
                Diagnostic::error(collection.span, format!("`{collection}` cannot be iterated over"))
                    .help("`for (x in …)` works on arrays and on channels declared with their messages"),
            );
            return None;
        };
        let (used, _) = self.channel(collection)?;
        let fields = match self.reference(var)? {
            Reference::Places(places, ..) => places,
            _ => return None,
        };
        self.check_fields(fields.len(), Some(channel), var.span, "takes");
        let fitting = self.message_types(Some(channel)).into_iter().take(usize::from(fields.len() == 1)).next();
        if let Some(ty) = fitting {
            let value = ast::Expr { kind: ast::ExprKind::Var(var.clone()), span: var.span };
            self.check_value(&value, &ty, "the field of the message");
        }
        let capacity = self.model.channels[channel].capacity;
        let needed = Scalar::plain(match capacity {
            0..=255 => Width::Byte,
            256..=32_767 => Width::Short,
            _ => Width::Int,
        });
        // Loops over channels between the same braces share their counter, if it is large enough.
        let next = self.body.slots.len();
        let shared = self.body.scopes.braces().and_then(|names| names.get(COUNTER)).map(|variable| variable.slot);
        let shared = shared.filter(|&slot| self.body.slots[slot].scalar.bytes() >= needed.bytes());
        let slot = shared.unwrap_or(next);
        if shared.is_none() {
            let name = COUNTER.to_string();
            self.body.slots.push(Slot { name, scalar: needed, ..super::declarations::TEMPLATE.clone() });
            let ty = Type::Scalar(needed, None);
            let fresh = Variable { scope: Scope::Local, slot, ty, length: None, channel: None, ..variable };
            self.body.scopes.braces().map(|names| names.insert(COUNTER.into(), fresh));
        }
        let scalar = self.body.slots[slot].scalar;
        let counter = local(slot, scalar);
        self.basic(Action::Assign(counter.clone(), Expr::Const(0)), span, "for: start".to_string(), into);
        let option = self.body.graph.sequence();
        let guard = Expr::Binary(BinaryOp::Lt, Box::new(Expr::Read(counter.clone())), Box::new(used.length()));
        self.basic(Action::Condition(guard), span, format!("for: more in {collection}"), option);
        let pattern: Vec<Pattern> = fields.iter().cloned().map(Pattern::Bind).collect();
        let receive = used.clone().receive(pattern, false, false);
        self.basic(receive, span, format!("{collection}?{var}"), option);
        let values = fields.into_iter().map(Expr::Read).collect();
        self.basic(used.send(values, false), span, format!("{collection}!{var}"), option);
        Some(self.finish_for(option, Some(body), &counter, "for: count", number, true, span, into))
    }

    /// `select (v : from .. to)`. SPIN writes a selection between constants out as a choice of assignments, unless it
    /// is long, in an inline, or the variable's name is not plain.
    pub(super) fn lower_select(
        &mut self,
        var: &VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        let Some(counter) = self.counter(var) else { return self.skip(span, into) };
        let (start, limit) = (self.plain(from), self.plain(to));
        let plain = var.to_string().chars().all(|c| c.is_ascii_alphanumeric()) && self.body.inline == 0;
        if let (Expr::Const(a), Expr::Const(b), true) = (&start, &limit, plain) {
            if a > b {
                self.error(Diagnostic::error(span, format!("there is nothing to select between {a} and {b}")));
                return self.skip(span, into);
            }
            if *a >= 0 && b - a <= 32 {
                let assign = |value| Action::Assign(counter.clone(), Expr::Const(value));
                let options = (*a..=*b).map(|value| {
                    let option = self.body.graph.sequence();
                    self.basic(assign(value), span, format!("{var} = {value}"), option);
                    self.body.graph.close(option);
                    option
                });
                let options = options.collect();
                return self.append_selection(options, None, span, into);
            }
        }
        self.note_read(var);
        self.basic(Action::Assign(counter.clone(), start.clone()), span, format!("{var} = {from}"), into);
        let guard = Expr::Binary(BinaryOp::Lt, Box::new(Expr::Read(counter.clone())), Box::new(limit.clone()));
        let option = self.body.graph.sequence();
        self.basic(Action::Condition(guard), span, format!("{var} < {to}"), option);
        let number = self.open_loop();
        let exit_last = plain && matches!((&start, &limit), (Expr::Const(0..), Expr::Const(_)));
        self.finish_for(option, None, &counter, &var.to_string(), number, exit_last, span, into)
    }

    /// The rest of a counting loop: the body, the increment, and the exit, which waits for `else` if there is a body.
    #[allow(clippy::too_many_arguments)]
    fn finish_for(
        &mut self,
        option: SequenceId,
        body: Option<&ast::Sequence>,
        counter: &Place,
        name: &str,
        number: usize,
        exit_last: bool,
        span: Span,
        into: SequenceId,
    ) -> ElementId {
        let with_else = body.is_some();
        if let Some(body) = body {
            self.body.fresh = false;
            self.body.scopes.open();
            for step in &body.steps {
                self.lower_step(step, option);
            }
            self.body.scopes.close();
        }
        let next = Expr::Binary(BinaryOp::Add, Box::new(Expr::Read(counter.clone())), Box::new(Expr::Const(1)));
        self.basic(Action::Assign(counter.clone(), next), span, format!("{name}++"), option);
        self.body.graph.close(option);
        let exit = self.body.graph.sequence();
        if with_else {
            self.basic(Action::Else, span, "else".to_string(), exit);
        }
        let jump = self.body.graph.element(Kind::Goto(Jump::Loop(number)), span, "break");
        self.body.graph.append(exit, jump);
        self.body.graph.close(exit);
        self.body.loops.pop();
        let options = if exit_last { vec![option, exit] } else { vec![exit, option] };
        self.append_selection(options, Some(number), span, into)
    }

    /// The counter of a loop: a plain scalar variable.
    fn counter(&mut self, var: &VarRef) -> Option<Place> {
        let place = self.target(var)?;
        let is_function = self.static_type(var).is_some_and(|ty| self.symbols.is_function(&ty));
        if is_function
            || place.scalar.sort == Sort::Ref
            || place.scalar.sort == Sort::Channel
            || !place.indices.is_empty()
            || var.path.len() > 1
        {
            self.error(Diagnostic::error(var.span, format!("`{var}` cannot be the counter of a loop")));
            return None;
        }
        Some(place)
    }
}
