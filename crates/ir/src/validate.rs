//! Whether a model is well-formed: all indices name something, all jumps lead somewhere, types fit. Engines rely on it and
//! do not check it again; front ends and the [`crate::Builder`] do.

mod extend;
mod heap;

use std::fmt;

use crate::schema::MOST_STATES;
use crate::{
    Action, ClaimKind, Deterministic, Expr, MAX_INSTANCES, Model, Pattern, Place, Proctype, ProctypeId, ProctypeKind,
    RecordId, Scalar, Scope, Setup, Slot, Sort, StateId, StatementId, Termination, Uses, Width,
};

/// What is wrong with a model, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Where.
    pub at: At,
    /// What.
    pub kind: Defect,
}

/// A part of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum At {
    /// The model itself: its variables, channels, first processes and claims.
    Model,
    /// A process type.
    Proctype(ProctypeId),
    /// A control state of a process type.
    State(ProctypeId, StateId),
    /// A statement of a process type.
    Statement(ProctypeId, StatementId),
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Defect {
    /// There is no such process type.
    NoProctype(ProctypeId),
    /// The process type is not one of processes.
    NotAProcess(ProctypeId),
    /// There is no such control state.
    NoState(StateId),
    /// There is no such statement.
    NoStatement(StatementId),
    /// There is no such atomic sequence.
    NoBlock(usize),
    /// There is no such channel type.
    NoChannelType(usize),
    /// There is no such set of symbolic names.
    NoMtype(usize),
    /// There is no such declared scalarset.
    NoScalarset(usize),
    /// There is no such variable.
    NoSlot(Scope, usize),
    /// A local variable is named where there is no process.
    NoProcess,
    /// There is no such proposition.
    NoProposition(usize),
    /// There is no such node in a `d_step`.
    NoNode(usize),
    /// A `d_step` does nothing, or has another one inside.
    BadDeterministic,
    /// A field has no bits, or too many.
    BadWidth(u8),
    /// The type of a place is not that of its variable.
    OtherType(Scope, usize),
    /// The variable does not hold a channel.
    NotAChannel(Scope, usize),
    /// An array has no elements, or elements of no size.
    EmptyArray,
    /// A list is not as long as what it belongs to.
    Length {
        /// How long it should be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// There are more than there may be: processes at the start, or control states.
    TooMany(usize),
    /// The model makes use of something that [`Model::uses`] does not mention.
    UnsetUse(&'static str),
    /// There is no such type of records, or it is not of the right kind.
    NoRecord(RecordId),
    /// There is no such field, or it has another type.
    NoField(RecordId, usize),
    /// A type of records does not begin with the fields of the one that it extends, or cannot be locked although that can.
    BadExtension(RecordId, RecordId),
    /// There is no such operation of an extension, or it is not used as it must be.
    NoOperation(usize),
    /// Something is about a heap, and the model has none like that.
    NoHeap,
    /// A reference is taken for a number, or the other way round; or a record is made where nothing is stored.
    MixedSorts,
    /// In a model with a heap, a process has channels of its own.
    ChannelsWithHeap,
    /// A trace looks at messages with references, or they are sent in order.
    TracedReferences,
    /// A reference is hidden from comparison.
    HiddenRef,
    /// Something else can be done where a function is called.
    CallNotAlone,
    /// A step goes on although it has left its place.
    JumpNotLast,
    /// A thread ends inside an atomic sequence.
    AtomicExit,
    /// A process returns from a function that it is not in.
    NoFunction,
    /// A thread ends whose type does not say that it is removed.
    NotRemoved,
    /// There are no slots for waiting.
    NoWaiting,
    /// A process is removed although processes of its type [stay](Termination::AnyOrder).
    EndsButStays,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::Model => write!(f, "the model: ")?,
            At::Proctype(ty) => write!(f, "process type {ty}: ")?,
            At::State(ty, state) => write!(f, "process type {ty}, control state {state}: ")?,
            At::Statement(ty, statement) => write!(f, "process type {ty}, statement {statement}: ")?,
        }
        self.kind.fmt(f)
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Defect::NoProctype(ty) => write!(f, "there is no process type {ty}"),
            Defect::NotAProcess(ty) => write!(f, "process type {ty} is not one of processes"),
            Defect::NoState(state) => write!(f, "there is no control state {state}"),
            Defect::NoStatement(statement) => write!(f, "there is no statement {statement}"),
            Defect::NoBlock(block) => write!(f, "there is no atomic sequence {block}"),
            Defect::NoChannelType(ty) => write!(f, "there is no channel type {ty}"),
            Defect::NoMtype(set) => write!(f, "there is no set of names {set}"),
            Defect::NoScalarset(set) => write!(f, "there is no scalarset {set}"),
            Defect::NoSlot(scope, slot) => write!(f, "there is no {} variable {slot}", name(scope)),
            Defect::NoProcess => write!(f, "a local variable is named where there is no process"),
            Defect::NoProposition(number) => write!(f, "there is no proposition {number}"),
            Defect::NoNode(node) => write!(f, "there is no node {node} in the d_step"),
            Defect::BadDeterministic => write!(f, "a d_step does nothing, or has another one inside"),
            Defect::BadWidth(bits) => write!(f, "a field cannot have {bits} bits"),
            Defect::OtherType(scope, slot) => write!(f, "{} variable {slot} has another type", name(scope)),
            Defect::NotAChannel(scope, slot) => write!(f, "{} variable {slot} holds no channel", name(scope)),
            Defect::EmptyArray => write!(f, "an array has no elements, or elements of no size"),
            Defect::Length { expected, found } => write!(f, "a list has {found} items instead of {expected}"),
            Defect::TooMany(number) => write!(f, "{number} are too many"),
            Defect::UnsetUse(what) => write!(f, "it makes use of {what}, and does not say so"),
            Defect::NoRecord(record) => write!(f, "there is no such record type {record}"),
            Defect::NoField(record, field) => write!(f, "record type {record} has no such field {field}"),
            Defect::BadExtension(record, parent) => write!(f, "record type {record} cannot extend {parent}"),
            Defect::NoOperation(operation) => write!(f, "there is no operation {operation} that is used like this"),
            Defect::NoHeap => write!(f, "it needs a heap that the model does not have"),
            Defect::MixedSorts => write!(f, "a reference is taken for a number, or a number for a reference"),
            Defect::ChannelsWithHeap => write!(f, "a model with a heap cannot have channels of processes"),
            Defect::TracedReferences => write!(f, "references in messages are traced, or put in order"),
            Defect::HiddenRef => write!(f, "a reference is hidden"),
            Defect::CallNotAlone => write!(f, "something else can be done where a function is called"),
            Defect::JumpNotLast => write!(f, "a step goes on although it has left its place"),
            Defect::AtomicExit => write!(f, "a thread ends inside an atomic sequence"),
            Defect::NoFunction => write!(f, "it returns from a function that it is not in"),
            Defect::NotRemoved => write!(f, "a thread ends whose type does not say that it is removed"),
            Defect::NoWaiting => write!(f, "there are no slots for waiting"),
            Defect::EndsButStays => write!(f, "it removes a process of a type that stays"),
        }
    }
}

impl std::error::Error for Malformed {}

fn name(scope: Scope) -> &'static str {
    match scope {
        Scope::Global => "global",
        Scope::Local => "local",
    }
}

impl Model {
    /// Looks for everything that is malformed.
    ///
    /// # Errors
    /// What was found, in the order of the model.
    pub fn validate(&self) -> Result<(), Vec<Malformed>> {
        let mut check = Check { model: self, at: At::Model, owner: None, found: Vec::new() };
        check.model();
        for ty in 0..self.proctypes.len() {
            check.proctype(ty);
        }
        match check.found.is_empty() {
            true => Ok(()),
            false => Err(check.found),
        }
    }
}

/// A check that is under way.
struct Check<'m> {
    model: &'m Model,
    at: At,
    /// Whose local variables are meant.
    owner: Option<ProctypeId>,
    found: Vec<Malformed>,
}

impl<'m> Check<'m> {
    fn report(&mut self, kind: Defect) {
        self.found.push(Malformed { at: self.at, kind });
    }

    /// Reports a defect unless something is right.
    fn demand(&mut self, right: bool, kind: Defect) {
        if !right {
            self.report(kind);
        }
    }

    fn model(&mut self) {
        let model = self.model;
        self.slots(&model.globals);
        self.setup(&model.setup);
        for channel in &model.channels {
            channel.fields.iter().for_each(|&field| self.scalar(field));
            channel.mtypes.iter().for_each(|&set| self.mtype(set));
            let (expected, found) = (channel.fields.len(), channel.mtypes.len());
            self.demand(expected == found, Defect::Length { expected, found });
        }
        self.demand(model.initial.len() <= MAX_INSTANCES, Defect::TooMany(model.initial.len()));
        model.initial.iter().for_each(|instance| self.process_type(instance.proctype));
        for named in &model.named {
            self.demand(
                named.instance < model.initial.len(),
                Defect::Length { expected: model.initial.len(), found: named.instance },
            );
            [named.proctype, named.own].into_iter().for_each(|ty| self.process_type(ty));
        }
        if let Some(trace) = &model.trace {
            self.demand(trace.proctype < model.proctypes.len(), Defect::NoProctype(trace.proctype));
        }
        for claim in &model.claims {
            match &claim.kind {
                ClaimKind::Never(ty) => self.demand(*ty < model.proctypes.len(), Defect::NoProctype(*ty)),
                ClaimKind::Ltl { formula, text: _ } => {
                    let most = formula.propositions().last().copied();
                    let number = claim.propositions.len();
                    self.demand(most.is_none_or(|most| most < number), Defect::NoProposition(most.unwrap_or(0)));
                }
                ClaimKind::Acceptance | ClaimKind::Progress => {}
            }
            claim.propositions.iter().for_each(|proposition| self.expr(&proposition.expr));
        }
        self.heap();
        let (said, seen) = (model.uses, Uses::of(model));
        for (what, said, seen) in [
            ("_last", said.last, seen.last),
            ("priorities", said.priority, seen.priority),
            ("timeout", said.timeout, seen.timeout),
            ("rendezvous channels", said.rendezvous, seen.rendezvous),
            ("buffered channels", said.buffered, seen.buffered),
            ("unless", said.unless, seen.unless),
            ("provided", said.provided, seen.provided),
        ] {
            self.demand(said || !seen, Defect::UnsetUse(what));
        }
    }

    fn proctype(&mut self, ty: ProctypeId) {
        let proctype: &'m Proctype = &self.model.proctypes[ty];
        (self.at, self.owner) = (At::Proctype(ty), Some(ty));
        self.slots(&proctype.slots);
        let (expected, found) = (proctype.slots.len(), proctype.params);
        self.demand(found <= expected, Defect::Length { expected, found });
        self.setup(&proctype.setup);
        proctype.exclusive.iter().for_each(|promise| self.channel(&promise.channel));
        proctype.provided.iter().for_each(|provided| self.expr(provided));
        self.demand(proctype.states.len() <= MOST_STATES, Defect::TooMany(proctype.states.len()));
        for state in [proctype.start].into_iter().chain(proctype.end) {
            self.demand(state < proctype.states.len(), Defect::NoState(state));
        }
        for (number, state) in proctype.states.iter().enumerate() {
            self.at = At::State(ty, number);
            for transition in &state.transitions {
                self.demand(transition.target < proctype.states.len(), Defect::NoState(transition.target));
                match proctype.statements.get(transition.statement) {
                    None => self.report(Defect::NoStatement(transition.statement)),
                    Some(statement) => {
                        let ends = matches!(statement.action, Action::End);
                        let stays = proctype.termination != Termination::YoungestFirst;
                        self.demand(!ends || !stays, Defect::EndsButStays);
                    }
                }
            }
        }
        self.frames(ty, proctype);
        for (number, statement) in proctype.statements.iter().enumerate() {
            self.at = At::Statement(ty, number);
            if let Some(block) = statement.block {
                self.demand(block < proctype.blocks.len(), Defect::NoBlock(block));
            }
            for &part in &statement.merged {
                self.demand(part < proctype.statements.len(), Defect::NoStatement(part));
            }
            self.action(&statement.action);
        }
    }

    fn slots(&mut self, slots: &[Slot]) {
        for slot in slots {
            self.scalar(slot.scalar);
            self.mtype(slot.mtype);
        }
    }

    fn scalar(&mut self, scalar: Scalar) {
        if let Width::Unsigned(bits) = scalar.width {
            self.demand((1..=32).contains(&bits), Defect::BadWidth(bits));
        }
        self.reference_scalar(scalar);
        if let Sort::Member { set } = scalar.sort {
            self.demand(usize::from(set) < self.model.declared.sets.len(), Defect::NoScalarset(set.into()));
        }
    }

    fn mtype(&mut self, set: Option<usize>) {
        if let Some(set) = set {
            self.demand(set < self.model.mtypes.len(), Defect::NoMtype(set));
        }
    }

    fn setup(&mut self, setup: &[Setup]) {
        let scope = if self.owner.is_some() { Scope::Local } else { Scope::Global };
        for step in setup {
            match step {
                Setup::Assign(slot, value) => {
                    let variable = self.variable(scope, *slot);
                    self.demand(variable.is_some(), Defect::NoSlot(scope, *slot));
                    self.stored(value, variable.is_some_and(|variable| variable.scalar.sort == Sort::Ref));
                }
                Setup::Channel(slot, ty) => {
                    match self.variable(scope, *slot) {
                        None => self.report(Defect::NoSlot(scope, *slot)),
                        Some(variable) => {
                            let holds = variable.scalar.sort == Sort::Channel;
                            self.demand(holds, Defect::NotAChannel(scope, *slot));
                        }
                    }
                    self.demand(*ty < self.model.channels.len(), Defect::NoChannelType(*ty));
                }
            }
        }
    }

    /// A type that has processes.
    fn process_type(&mut self, ty: ProctypeId) {
        match self.model.proctypes.get(ty).map(|proctype| proctype.kind) {
            None => self.report(Defect::NoProctype(ty)),
            Some(ProctypeKind::Process | ProctypeKind::Init) => {}
            Some(ProctypeKind::Claim | ProctypeKind::Trace | ProctypeKind::Function) => {
                self.report(Defect::NotAProcess(ty))
            }
        }
    }

    fn variable(&self, scope: Scope, slot: usize) -> Option<&'m Slot> {
        match (scope, self.owner) {
            (Scope::Global, _) => self.model.globals.get(slot),
            (Scope::Local, Some(owner)) => self.model.proctypes.get(owner)?.slots.get(slot),
            (Scope::Local, None) => None,
        }
    }

    fn place(&mut self, place: &Place) {
        if place.scope == Scope::Local && self.owner.is_none() {
            return self.report(Defect::NoProcess);
        }
        place.indices.iter().for_each(|index| self.number(&index.value));
        self.slots_of(place);
    }

    /// Checks the variables that a place can stand for, whatever its indices.
    fn slots_of(&mut self, place: &Place) {
        if place.indices.iter().any(|index| index.length == 0 || index.stride == 0) {
            return self.report(Defect::EmptyArray);
        }
        for slot in place.all_slots() {
            match self.variable(place.scope, slot) {
                None => return self.report(Defect::NoSlot(place.scope, slot)),
                Some(variable) if variable.scalar != place.scalar => {
                    return self.report(Defect::OtherType(place.scope, slot));
                }
                Some(_) => {}
            }
        }
    }

    fn channel(&mut self, place: &Place) {
        self.place(place);
        self.demand(place.scalar.sort == Sort::Channel, Defect::NotAChannel(place.scope, place.slot));
    }

    fn pattern(&mut self, pattern: &[Pattern]) {
        for part in pattern {
            match part {
                Pattern::Match(value) => self.expr(value),
                Pattern::Bind(place) => self.place(place),
                Pattern::Ignore => {}
            }
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(value) | Action::Assert(value) => {
                self.plain(&[value]);
                self.expr(value);
            }
            Action::Assign(place, value) => {
                self.place(place);
                self.stored(value, place.scalar.sort == Sort::Ref);
            }
            Action::Send { channel, values, sorted } => {
                self.channel(channel);
                self.demand(!sorted || !values.iter().any(Expr::is_reference), Defect::TracedReferences);
                values.iter().for_each(|value| self.expr(value));
            }
            Action::Receive { channel, pattern, random: _, copy: _ } => {
                self.channel(channel);
                self.pattern(pattern);
            }
            Action::Print { format: _, args, mtype } => {
                args.iter().for_each(|arg| self.expr(arg));
                self.mtype(*mtype);
            }
            Action::SetPriority(pid, value) => {
                self.plain(&[pid, value]);
                self.expr(pid);
                self.expr(value);
            }
            Action::Deterministic(body) => self.deterministic(body),
            Action::Heap(action) => self.heap_action(action),
        }
    }

    fn deterministic(&mut self, body: &Deterministic) {
        self.demand(!body.nodes.is_empty(), Defect::BadDeterministic);
        for option in body.nodes.iter().flat_map(|node| &node.options) {
            if let Some(next) = option.next {
                self.demand(next < body.nodes.len(), Defect::NoNode(next));
            }
            match &option.action {
                Action::Deterministic(_) => self.report(Defect::BadDeterministic),
                action => self.action(action),
            }
        }
        for node in body.loops.iter().flat_map(|unordered| unordered.iterations.iter().flatten()) {
            self.demand(*node < body.nodes.len(), Defect::NoNode(*node));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress => {}
            Expr::Read(place) => self.place(place),
            Expr::Length(place) | Expr::Probe(_, place) => self.channel(place),
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::PriorityOf(a) => {
                self.plain(&[a]);
                self.expr(a);
            }
            Expr::Binary(op, a, b) => {
                let references = (a.is_reference(), b.is_reference());
                let fits = references.0 == references.1 && (!references.0 || heap::compares(*op));
                self.demand(fits, Defect::MixedSorts);
                self.expr(a);
                self.expr(b);
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.plain(&[a, b]);
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(a, b, c) => {
                self.plain(&[a]);
                self.demand(b.is_reference() == c.is_reference(), Defect::MixedSorts);
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Expr::Poll { channel, pattern, random: _ } => {
                self.channel(channel);
                self.pattern(pattern);
            }
            Expr::Run { proctype, args, priority: _ } => {
                self.process_type(*proctype);
                if let Some(created) = self.model.proctypes.get(*proctype) {
                    let (expected, found) = (created.params, args.len());
                    self.demand(expected == found, Defect::Length { expected, found });
                    for (arg, slot) in args.iter().zip(&created.slots) {
                        self.demand(arg.is_reference() == (slot.scalar.sort == Sort::Ref), Defect::MixedSorts);
                    }
                }
                args.iter().for_each(|arg| self.expr(arg));
            }
            Expr::RemoteAt { proctype, pid, state } => {
                self.process_type(*proctype);
                pid.iter().for_each(|pid| self.number(pid));
                if let Some(other) = self.model.proctypes.get(*proctype) {
                    self.demand(*state <= other.nowhere(), Defect::NoState(*state));
                }
            }
            Expr::RemoteRead { proctype, pid, place } => {
                self.process_type(*proctype);
                pid.iter().for_each(|pid| self.number(pid));
                // Its indices are the asking process's; its variable is the other one's.
                place.indices.iter().for_each(|index| self.number(&index.value));
                if *proctype < self.model.proctypes.len() {
                    let owner = self.owner.replace(*proctype);
                    self.slots_of(place);
                    self.owner = owner;
                }
            }
            Expr::Heap(heap) => {
                self.demand(!heap.acts(), Defect::MixedSorts);
                self.heap_expr(heap);
            }
        }
    }

    /// A value that is no reference.
    fn number(&mut self, value: &Expr) {
        self.plain(&[value]);
        self.expr(value);
    }

    /// Values that are no references.
    fn plain(&mut self, values: &[&Expr]) {
        self.demand(!values.iter().any(|value| value.is_reference()), Defect::MixedSorts);
    }
}
