//! The fields of messages in sends, receives, polls and events of a trace. What SPIN accepts is accepted, with a warning.

use quotient_ir::{Expr, Pattern, ProctypeKind};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowering;
use super::expressions::{Reference, SCRATCH, count};
use super::scalarsets::member_set;
use crate::ast::{self, RecvArg, VarRef};
use crate::symbols::Type;

/// What happens to a message that matches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiving {
    /// It is taken out: `?`, `??`.
    Take,
    /// It stays, and its fields are copied: `?<…>`, `??<…>`.
    Copy,
    /// It is only asked for: `?[…]`, `??[…]`.
    Poll,
    /// A trace takes note of it.
    Event,
}

impl Receiving {
    fn noun(self) -> &'static str {
        match self {
            Receiving::Take | Receiving::Copy => "receive",
            Receiving::Poll => "poll",
            Receiving::Event => "event",
        }
    }
}

impl Lowering {
    /// How a receive statement treats messages here.
    pub(super) fn receiving(&self, copy: bool) -> Receiving {
        match (self.body.kind, copy) {
            (ProctypeKind::Trace, _) => Receiving::Event,
            (_, true) => Receiving::Copy,
            (_, false) => Receiving::Take,
        }
    }

    /// The types of the fields of messages, if they are known and stand for one value each.
    pub(super) fn message_types(&self, channel: Option<usize>) -> Vec<Type> {
        let types = channel.and_then(|channel| self.symbols.message_types.get(&channel)).cloned().unwrap_or_default();
        types.into_iter().take_while(|ty| !matches!(ty, Type::Structure(_))).collect()
    }

    /// Checks that references are sent where references are expected. Where the channel is not known, that is found out when the
    /// send is executed.
    pub(super) fn check_sent_types(&mut self, args: &[ast::Expr], channel: Option<usize>, sorted: bool) {
        if self.body.kind == ProctypeKind::Trace {
            return;
        }
        if sorted {
            args.iter().for_each(|arg| self.no_reference(arg));
        }
        for (arg, ty) in args.iter().zip(self.message_types(channel)) {
            self.check_value(arg, &ty, "the field of the message");
        }
    }

    /// Checks that a reference is received where one is expected.
    fn check_received_type(&mut self, arg: &RecvArg, ty: &Type) {
        let value = match arg {
            RecvArg::Var(var) if var.path[0].name.text.as_ref() == "_" => return,
            RecvArg::Var(var) => ast::Expr { kind: ast::ExprKind::Var(var.clone()), span: var.span },
            RecvArg::Eval(value) => value.clone(),
            RecvArg::Const(value, span) => ast::Expr { kind: ast::ExprKind::Const(*value), span: *span },
        };
        self.check_value(&value, ty, "the field of the message");
    }

    /// Checks how many fields a send has.
    pub(super) fn check_sent(&mut self, given: usize, channel: Option<usize>, span: Span) {
        match (self.body.kind, channel) {
            (ProctypeKind::Trace, Some(ty)) if given < self.model.channels[ty].fields.len() => {
                self.looks_at_fewer(given, ty, span, Receiving::Event);
            }
            _ => self.check_fields(given, channel, span, "sends"),
        }
    }

    /// Warns of what looks at the first fields of a message only.
    fn looks_at_fewer(&mut self, given: usize, channel: usize, span: Span, how: Receiving) {
        let ty = &self.model.channels[channel];
        let (name, fields, what) = (&ty.name, ty.fields.len(), how.noun());
        let message = format!("channel `{name}` has messages of {fields} fields, and this {what} looks at {given}");
        self.error(Diagnostic::warning(span, message).help("write `_` for a field that does not matter"));
    }

    /// The pattern of a receive, poll or event.
    pub(super) fn pattern(
        &mut self,
        args: &[RecvArg],
        channel: Option<usize>,
        span: Span,
        how: Receiving,
    ) -> Vec<Pattern> {
        let mut pattern = Vec::new();
        let fields = channel.map(|channel| self.model.channels[channel].fields.clone()).unwrap_or_default();
        let types = self.message_types(channel);
        for (arg, ty) in args.iter().zip(&types) {
            self.check_received_type(arg, ty);
        }
        for (number, arg) in args.iter().enumerate() {
            let field = fields.get(pattern.len()).copied().unwrap_or(SCRATCH);
            let expected = member_set(field);
            match arg {
                RecvArg::Const(value, _) => pattern.push(Pattern::Match(Expr::Const(*value))),
                RecvArg::Eval(value) => {
                    let value = match types.get(number).filter(|ty| self.symbols.is_function(ty)) {
                        Some(ty) => self.expr_of(value, ty),
                        None => self.expr_in(value, expected),
                    };
                    pattern.push(Pattern::Match(value));
                }
                RecvArg::Var(var) => match self.reference_in(var, expected) {
                    // Looking whether there is such a message stores nothing.
                    Some(Reference::Part(_)) if how == Receiving::Poll => pattern.push(Pattern::Ignore),
                    Some(Reference::Part(part)) if part.is_one() && !self.body.inside_dstep => {
                        let place = self.received_slot(var, field, &part);
                        pattern.push(Pattern::Bind(place.clone()));
                        self.body.received.push((part, place));
                    }
                    Some(Reference::Part(_)) => {
                        let message = format!("`{var}` is part of a record, which cannot be received into");
                        self.error(
                            Diagnostic::error(var.span, message)
                                .help("receive into a variable, and assign it afterwards"),
                        );
                        pattern.push(Pattern::Ignore);
                    }
                    Some(Reference::Places(places, ..)) => {
                        self.note_read(var);
                        pattern.extend(places.into_iter().map(Pattern::Bind));
                    }
                    Some(Reference::Value(value @ Expr::Const(_))) => pattern.push(Pattern::Match(value)),
                    Some(Reference::Value(value)) => pattern.push(self.received_value(var, value, how)),
                    Some(Reference::Scratch) => pattern.push(Pattern::Ignore),
                    None => pattern.push(Pattern::Ignore),
                },
            }
        }
        self.fill_up(&mut pattern, channel, span, how);
        pattern
    }

    /// A field of a pattern that names a value which is no constant, without `eval`.
    fn received_value(&mut self, var: &VarRef, value: Expr, how: Receiving) -> Pattern {
        let eval = format!("write `eval({var})` to match its value");
        match how {
            // In SPIN, polls and events compare constants and what is inside `eval`, and nothing else.
            Receiving::Poll | Receiving::Event => {
                let message = format!("this {} does not look at `{var}`", how.noun());
                self.error(Diagnostic::warning(var.span, message).help(eval));
                Pattern::Ignore
            }
            Receiving::Take | Receiving::Copy if matches!(value, Expr::Pid) => {
                let message = format!("`{var}` is taken as `eval({var})` here; SPIN would overwrite `{var}`");
                let help = format!("write `eval({var})`, which matches its value in SPIN too");
                self.error(Diagnostic::warning(var.span, message).help(help));
                Pattern::Match(value)
            }
            Receiving::Take | Receiving::Copy => {
                let message = format!("`{var}` cannot be received into");
                let spin = format!("SPIN takes this model, but its verifier overwrites `{var}` here");
                self.error(Diagnostic::error(var.span, message).help(eval).help(spin));
                Pattern::Ignore
            }
        }
    }

    /// What only looks at a message may name fewer fields than there are, and looks at no more, as in SPIN. A receive that
    /// takes the message out is an error when it is executed.
    fn fill_up(&mut self, pattern: &mut Vec<Pattern>, channel: Option<usize>, span: Span, how: Receiving) {
        let Some(ty) = channel else { return };
        let (fields, given) = (self.model.channels[ty].fields.len(), pattern.len());
        match how {
            Receiving::Copy | Receiving::Poll | Receiving::Event if given < fields => {
                self.looks_at_fewer(given, ty, span, how);
                pattern.resize(fields, Pattern::Ignore);
            }
            Receiving::Poll => self.check_fields(given, channel, span, "asks for"),
            Receiving::Take | Receiving::Copy | Receiving::Event => {
                self.check_fields(given, channel, span, "receives");
            }
        }
    }

    /// Reports a message with the wrong number of fields, when the channel's type is known. SPIN takes a receive or send
    /// with too few, so these are warnings; the runs that execute it have an error.
    pub(super) fn check_fields(&mut self, given: usize, channel: Option<usize>, span: Span, verb: &str) {
        let Some(channel) = channel else { return };
        let ty = &self.model.channels[channel];
        if ty.fields.len() == given {
            return;
        }
        let fields = count(ty.fields.len(), "field");
        let message = format!("channel `{}` has messages of {fields}, but this {verb} {given}", ty.name);
        let unused = match verb {
            "receives" => "_",
            "sends" => "0",
            _ => return self.error(Diagnostic::error(span, message)),
        };
        if given > ty.fields.len() {
            return self.error(Diagnostic::error(span, message));
        }
        let message = format!("{message}; that is an error when it is executed");
        let help = format!("write `{unused}` for a field that does not matter");
        self.error(Diagnostic::warning(span, message).help(help));
    }
}
