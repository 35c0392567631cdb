//! From a model to a program: process types, effects and the event automaton.

use std::sync::Arc;

use quotient_ir::{
    Action, Deterministic, Expr, Model, Pattern, Place, ProctypeKind, Scope, Setup, Sort, schema::Schema,
};
use quotient_report::source::Span;

use super::Numbers;
use super::code::{Memory, Op, Reg, mask};
use super::heap::HeapAccess;
use super::program::{
    CompiledChannel, CompiledNode, CompiledProctype, CompiledSetup, CompiledState, Effect, Event, Events, Field, Move,
    Part, Program, Receive, Send,
};

impl<'m> Program<'m> {
    /// Compiles a model.
    pub fn new(model: &'m Model) -> Self {
        let schema = Schema::new(model);
        let channels = model
            .channels
            .iter()
            .zip(&schema.channels)
            .enumerate()
            .map(|(number, (ty, layout))| CompiledChannel {
                capacity: layout.capacity,
                count_bytes: layout.count_bytes,
                message: layout.message,
                fields: ty.fields.iter().zip(&layout.fields).map(|(&scalar, &offset)| field(scalar, offset)).collect(),
                references: ty.fields.iter().any(|scalar| scalar.sort == Sort::Ref),
                ty: number as u32,
            })
            .collect();
        let mut program = Program {
            model,
            access: HeapAccess::new(model, &schema),
            schema,
            code: Vec::new(),
            sites: Vec::new(),
            rare: Vec::new(),
            heap_ops: Vec::new(),
            proctypes: Vec::new(),
            channels,
            setup: Vec::new(),
            events: None,
            resets: Vec::new(),
            registers: 1,
            numbers: Arc::new(Numbers::new(model)),
        };
        program.setup = program.setup_code(&model.setup, None);
        for id in 0..model.proctypes.len() {
            let compiled = program.proctype(id);
            program.proctypes.push(compiled);
        }
        program.events = program.event_code();
        program
    }

    fn proctype(&mut self, id: usize) -> CompiledProctype {
        let model = self.model;
        let ty = &model.proctypes[id];
        if !matches!(ty.kind, ProctypeKind::Process | ProctypeKind::Init | ProctypeKind::Function) {
            return CompiledProctype::default();
        }
        let mut compiled = CompiledProctype::default();
        for state in &ty.states {
            let first = compiled.moves.len() as u32;
            for (number, transition) in state.transitions.iter().enumerate() {
                let statement = &ty.statements[transition.statement];
                let is_else = |t: &quotient_ir::Transition| matches!(ty.statements[t.statement].action, Action::Else);
                let final_but_else = state.transitions[number + 1..].iter().all(is_else);
                let effect = self.effect(&statement.action, id, statement.span);
                let simple = matches!(effect, Effect::Skip | Effect::Else | Effect::Condition(_) | Effect::Assign(_));
                let alone = ty.deterministic && !matches!(statement.action, Action::Else);
                compiled.moves.push(Move {
                    passable: simple
                        && transition.atomic
                        && final_but_else
                        && transition.escape == 0
                        && !alone
                        && model.heap.is_none(),
                    final_but_else,
                    effect,
                    target: transition.target as u16,
                    atomic: transition.atomic,
                    alone,
                    escape: transition.escape,
                    resets: (0, 0),
                    statement: transition.statement as u32,
                    span: statement.span,
                });
            }
            compiled.states.push(CompiledState { first, end: compiled.moves.len() as u32, rest: state.end });
        }
        compiled.provided = ty.provided.as_ref().map(|e| self.value(e, id, ty.span));
        compiled.params =
            (0..ty.params).map(|slot| field(ty.slots[slot].scalar, self.schema.locals[id].offsets[slot])).collect();
        compiled.setup = self.setup_code(&ty.setup, Some(id));
        compiled.promises =
            ty.exclusive.iter().map(|e| (e.receive, self.value(&Expr::Read(e.channel.clone()), id, e.span))).collect();
        compiled
    }

    fn setup_code(&mut self, setup: &[Setup], proctype: Option<usize>) -> Vec<CompiledSetup> {
        let model = self.model;
        setup
            .iter()
            .map(|step| {
                let (slot, scope) = match step {
                    Setup::Assign(slot, _) | Setup::Channel(slot, _) => {
                        (*slot, if proctype.is_some() { Scope::Local } else { Scope::Global })
                    }
                };
                let (scalar, offset) = match proctype {
                    Some(id) => (model.proctypes[id].slots[slot].scalar, self.schema.locals[id].offsets[slot]),
                    None => (model.globals[slot].scalar, self.schema.globals.offsets[slot]),
                };
                match step {
                    Setup::Assign(_, value) => {
                        let action = Action::Assign(Place::scalar(scope, slot, scalar), value.clone());
                        let span = proctype.map_or(Span::default(), |id| model.proctypes[id].span);
                        match self.effect(&action, proctype.unwrap_or(0), span) {
                            Effect::Assign(code) => CompiledSetup::Assign(code),
                            _ => unreachable!("an assignment compiles to an assignment"),
                        }
                    }
                    Setup::Channel(..) => CompiledSetup::Channel(field(scalar, offset)),
                }
            })
            .collect()
    }

    fn effect(&mut self, action: &Action, id: usize, span: Span) -> Effect {
        match action {
            Action::Skip => Effect::Skip,
            Action::Else => Effect::Else,
            Action::End => Effect::End,
            Action::Condition(e) if e.runs() => Effect::RunCondition(self.value(e, id, span)),
            Action::Condition(e) => Effect::Condition(self.value(e, id, span)),
            Action::Assign(place, value) => {
                let start = self.here();
                self.expr(value, 0, id, span);
                self.store(place, 0, id);
                self.emit(Op::Return(0));
                Effect::Assign(start)
            }
            Action::Assert(e) => {
                let start = self.here();
                self.expr(e, 0, id, span);
                let site = self.site(span, 0);
                self.emit(Op::Assert(0, site));
                self.emit(Op::Return(0));
                Effect::Assign(start)
            }
            Action::Print { args, .. } => {
                if args.iter().all(|arg| matches!(arg, Expr::Const(_))) {
                    return Effect::Skip;
                }
                let start = self.here();
                for arg in args {
                    self.expr(arg, 0, id, span);
                }
                self.emit(Op::Return(0));
                Effect::Assign(start)
            }
            Action::SetPriority(pid, value) => {
                let start = self.here();
                self.expr(pid, 0, id, span);
                self.expr(value, 1, id, span);
                self.emit(Op::Return(0));
                Effect::SetPriority(start)
            }
            Action::Send { channel, values, sorted } => {
                self.send(&Expr::Read(channel.clone()), values, *sorted, id, span)
            }
            Action::Receive { channel, pattern, random, copy } => {
                self.receive(&Expr::Read(channel.clone()), pattern, (*random, *copy), id, span)
            }
            Action::Deterministic(body) => self.d_step(body, id),
            Action::Heap(action) => self.heap_effect(action, id, span),
        }
    }

    pub(super) fn send(&mut self, channel: &Expr, values: &[Expr], sorted: bool, id: usize, span: Span) -> Effect {
        let channel = self.value(channel, id, span);
        let start = self.here();
        for (i, value) in values.iter().enumerate() {
            self.expr(value, i as Reg, id, span);
        }
        self.emit(Op::Return(0));
        self.need(values.len() as Reg);
        let references = self.references(values.iter().map(|value| Some(value.is_reference())));
        let count = values.len() as u32;
        Effect::Send(Box::new(Send { channel, values: start, count, sorted, references }))
    }

    pub(super) fn receive(
        &mut self,
        channel: &Expr,
        pattern: &[Pattern],
        (random, copy): (bool, bool),
        id: usize,
        span: Span,
    ) -> Effect {
        let channel = self.value(channel, id, span);
        let references = self.references(pattern.iter().map(Pattern::wants_reference));
        let pattern = self.pattern(pattern, id, span, 0);
        Effect::Receive(Box::new(Receive { channel, pattern, random, copy, references }))
    }

    /// Which fields of a message are references, if the model has any.
    pub(super) fn references(&self, fields: impl Iterator<Item = Option<bool>>) -> Vec<Option<bool>> {
        if self.model.heap.is_some() { fields.collect() } else { Vec::new() }
    }

    fn d_step(&mut self, body: &Deterministic, id: usize) -> Effect {
        let nodes = body
            .nodes
            .iter()
            .map(|node| CompiledNode {
                options: node
                    .options
                    .iter()
                    .map(|option| {
                        let next = option.next.map_or(u32::MAX, |next| next as u32);
                        (self.effect(&option.action, id, option.span), next, option.span)
                    })
                    .collect(),
                span: node.span,
            })
            .collect();
        Effect::Deterministic(Box::new(nodes))
    }

    pub(super) fn pattern(&mut self, pattern: &[Pattern], id: usize, span: Span, reg: Reg) -> Vec<Part> {
        pattern
            .iter()
            .map(|part| match part {
                Pattern::Match(Expr::Const(value)) => Part::MatchConst(*value),
                Pattern::Match(value) => {
                    let start = self.here();
                    self.expr(value, reg, id, span);
                    self.emit(Op::Return(reg));
                    Part::Match(start)
                }
                Pattern::Bind(place) => {
                    let start = self.here();
                    self.store(place, 0, id);
                    self.emit(Op::Return(0));
                    Part::Bind(start)
                }
                Pattern::Ignore => Part::Ignore,
            })
            .collect()
    }

    fn event_code(&mut self) -> Option<Events> {
        let model = self.model;
        let trace = model.trace.as_ref()?;
        let automaton = &model.proctypes[trace.proctype];
        let id = trace.proctype;
        let mut scope = Vec::new();
        for statement in &automaton.statements {
            match &statement.action {
                Action::Send { channel, .. } => {
                    scope.push((true, self.value(&Expr::Read(channel.clone()), id, statement.span)));
                }
                Action::Receive { channel, .. } => {
                    scope.push((false, self.value(&Expr::Read(channel.clone()), id, statement.span)));
                }
                _ => {}
            }
        }
        let mut states = Vec::new();
        for state in &automaton.states {
            let mut events = Vec::new();
            for transition in &state.transitions {
                let statement = &automaton.statements[transition.statement];
                let (send, channel, fields) = match &statement.action {
                    Action::Send { channel, values, .. } => {
                        let parts = values
                            .iter()
                            .map(|value| match value {
                                Expr::Const(value) => Part::MatchConst(*value),
                                _ => Part::Ignore,
                            })
                            .collect();
                        (true, channel, parts)
                    }
                    Action::Receive { channel, pattern, .. } => {
                        let parts = pattern
                            .iter()
                            .map(|part| match part {
                                Pattern::Match(Expr::Const(value)) => Part::MatchConst(*value),
                                Pattern::Match(value) => Part::Match(self.value(value, id, statement.span)),
                                _ => Part::Ignore,
                            })
                            .collect();
                        (false, channel, parts)
                    }
                    _ => continue,
                };
                let channel = self.value(&Expr::Read(channel.clone()), id, statement.span);
                events.push(Event { send, channel, fields, target: transition.target as u32 });
            }
            states.push(events);
        }
        Some(Events { states, scope, end: automaton.end.unwrap_or(automaton.nowhere()) as u32, negated: trace.negated })
    }
}

fn field(scalar: quotient_ir::Scalar, offset: u32) -> Field {
    Field { offset, memory: Memory::of(scalar), mask: mask(scalar).unwrap_or(-1) }
}
