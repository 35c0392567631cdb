//! A model compiled for the machine: code, moves and tables, all addresses resolved against the schema.

use quotient_ir::{
    Action, BinaryOp, Deterministic, Expr, Model, Pattern, Place, Probe, Scope, Setup, UnaryOp, schema::Schema,
};
use quotient_report::source::Span;

use super::code::{CodeRef, Memory, Op, Reg, mask};

/// A compiled model.
#[derive(Clone, Debug)]
pub struct Program<'m> {
    /// The model.
    pub model: &'m Model,
    /// Where its fields lie.
    pub schema: Schema,
    /// All operations.
    pub code: Vec<Op>,
    /// Places in the source that an operation may have to name, each with an array length for index checks.
    pub sites: Vec<(Span, u32)>,
    /// Operations that are too rare to have codes of their own.
    pub rare: Vec<Rare>,
    /// Process types.
    pub proctypes: Vec<CompiledProctype>,
    /// Channel types.
    pub channels: Vec<CompiledChannel>,
    /// How global variables start.
    pub setup: Vec<CompiledSetup>,
    /// The event automaton.
    pub events: Option<Events>,
    /// Registers the code needs.
    pub registers: usize,
}

/// A compiled process type.
#[derive(Clone, Debug, Default)]
pub struct CompiledProctype {
    /// For each control state, the range of its moves, and whether a process may rest there.
    pub states: Vec<CompiledState>,
    /// Moves of all states.
    pub moves: Vec<Move>,
    /// An instance may move only while this is not zero.
    pub provided: Option<CodeRef>,
    /// Where parameters go.
    pub params: Vec<Field>,
    /// How the rest starts.
    pub setup: Vec<CompiledSetup>,
    /// `xr` and `xs`: whether receiving, and the channel's code.
    pub promises: Vec<(bool, CodeRef)>,
}

/// A control state's moves.
#[derive(Clone, Copy, Debug)]
pub struct CompiledState {
    /// The first of its moves.
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// A process may rest here.
    pub rest: bool,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Move {
    /// What it does.
    pub effect: Effect,
    /// The next control state.
    pub target: u16,
    /// The process keeps control.
    pub atomic: bool,
    /// The process type forbids a second executable move.
    pub alone: bool,
    /// After it, its control state has no move left but `else`.
    pub final_but_else: bool,
    /// See [`quotient_ir::Transition::escape`].
    pub escape: u32,
    /// The statement, in its process type.
    pub statement: u32,
    /// Where it is written.
    pub span: Span,
}

/// What a move does.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Nothing.
    Skip,
    /// Nothing, when no other move of the state is executable.
    Else,
    /// Nothing, when the code's value is not zero.
    Condition(CodeRef),
    /// As `Condition`, but the code can create a process, so a zero value must be undone.
    RunCondition(CodeRef),
    /// Runs the code.
    Assign(CodeRef),
    /// Sets a priority: the code leaves the process id and the priority in registers 0 and 1.
    SetPriority(CodeRef),
    /// Ends the process.
    End,
    /// Sends.
    Send(Box<Send>),
    /// Receives.
    Receive(Box<Receive>),
    /// A `d_step`.
    Deterministic(Box<Vec<CompiledNode>>),
}

/// A compiled send: the code leaves the channel's id in register 0; the values' code its fields from register 0 on.
#[derive(Clone, Debug)]
pub struct Send {
    /// The channel.
    pub channel: CodeRef,
    /// The fields.
    pub values: CodeRef,
    /// How many.
    pub count: u32,
    /// Insert in order.
    pub sorted: bool,
}

/// A compiled receive.
#[derive(Clone, Debug)]
pub struct Receive {
    /// The channel.
    pub channel: CodeRef,
    /// What to do with each field.
    pub pattern: Vec<Part>,
    /// Any message.
    pub random: bool,
    /// Leave the message.
    pub copy: bool,
}

/// What a receive does with a field.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// Its value must be the code's.
    Match(CodeRef),
    /// Its value must be this.
    MatchConst(i32),
    /// The code stores register 0.
    Bind(CodeRef),
    /// Nothing.
    Ignore,
}

/// A node of a compiled `d_step`.
#[derive(Clone, Debug)]
pub struct CompiledNode {
    /// Effects with the next node (`u32::MAX` to leave) and where they are written.
    pub options: Vec<(Effect, u32, Span)>,
    /// Where it is written.
    pub span: Span,
}

/// How a variable starts.
#[derive(Clone, Copy, Debug)]
pub enum CompiledSetup {
    /// With the value of the code, which stores it.
    Assign(CodeRef),
    /// With the id of the next channel.
    Channel(Field),
}

/// A field of a component or message.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its offset.
    pub offset: u32,
    /// How it lies in memory.
    pub memory: Memory,
    /// Bits to keep, all ones when its bytes say it all.
    pub mask: i32,
}

/// A channel type.
#[derive(Clone, Debug)]
pub struct CompiledChannel {
    /// How many messages fit.
    pub capacity: u32,
    /// Bytes of the message count.
    pub count_bytes: u32,
    /// Bytes of a message.
    pub message: u32,
    /// Fields of a message.
    pub fields: Vec<Field>,
}

/// Rare operations.
#[derive(Clone, Debug)]
pub enum Rare {
    /// Whether a receive on the channel in the register would succeed.
    Poll(Vec<Part>, bool),
    /// Creates a process; arguments are in the register and those after it.
    Run {
        /// Its type.
        proctype: u32,
        /// How many arguments.
        args: u32,
        /// Its priority.
        priority: u8,
    },
    /// Whether the process in the register can move.
    Enabled,
    /// The control state's number of the process in the register.
    PcValue,
    /// The priority of the process in the register.
    PriorityOf,
    /// No process is at a progress label.
    NonProgress,
    /// Whether a process of a type is at a control state; its id is in the register, or it is the oldest.
    RemoteAt(u32, bool, u32),
    /// A local variable of another process, at an offset that the next register holds; its id as above.
    RemoteRead(u32, bool, Memory, u32),
}

/// The compiled event automaton.
#[derive(Clone, Debug)]
pub struct Events {
    /// For each state, its events.
    pub states: Vec<Vec<Event>>,
    /// Channels whose sends (true) or receives are observed.
    pub scope: Vec<(bool, CodeRef)>,
    /// The state at the end.
    pub end: u32,
    /// Reaching the end is the error.
    pub negated: bool,
}

/// A transition of the event automaton.
#[derive(Clone, Debug)]
pub struct Event {
    /// A send rather than a receive.
    pub send: bool,
    /// The channel.
    pub channel: CodeRef,
    /// What the fields must be.
    pub fields: Vec<Part>,
    /// The next state.
    pub target: u32,
}

impl<'m> Program<'m> {
    /// Compiles a model.
    pub fn new(model: &'m Model) -> Self {
        let schema = Schema::new(model);
        let channels = model
            .channels
            .iter()
            .zip(&schema.channels)
            .map(|(ty, layout)| CompiledChannel {
                capacity: layout.capacity,
                count_bytes: layout.count_bytes,
                message: layout.message,
                fields: ty.fields.iter().zip(&layout.fields).map(|(&scalar, &offset)| field(scalar, offset)).collect(),
            })
            .collect();
        let mut program = Program {
            model,
            schema,
            code: Vec::new(),
            sites: Vec::new(),
            rare: Vec::new(),
            proctypes: Vec::new(),
            channels,
            setup: Vec::new(),
            events: None,
            registers: 1,
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
        if !matches!(ty.kind, quotient_ir::ProctypeKind::Process | quotient_ir::ProctypeKind::Init) {
            return CompiledProctype::default();
        }
        let mut compiled = CompiledProctype::default();
        for state in &ty.states {
            let first = compiled.moves.len() as u32;
            for (number, transition) in state.transitions.iter().enumerate() {
                let statement = &ty.statements[transition.statement];
                let is_else = |t: &quotient_ir::Transition| matches!(ty.statements[t.statement].action, Action::Else);
                compiled.moves.push(Move {
                    final_but_else: state.transitions[number + 1..].iter().all(is_else),
                    effect: self.effect(&statement.action, id, statement.span),
                    target: transition.target as u16,
                    atomic: transition.atomic,
                    alone: ty.deterministic && !matches!(statement.action, Action::Else),
                    escape: transition.escape,
                    statement: transition.statement as u32,
                    span: statement.span,
                });
            }
            compiled.states.push(CompiledState { first, end: compiled.moves.len() as u32, rest: state.end });
        }
        compiled.provided = ty.provided.as_ref().map(|e| self.value(e, id, ty.span));
        compiled.params = (0..ty.params)
            .map(|slot| field(ty.slots[slot].scalar, self.schema.locals[id].offsets[slot]))
            .collect();
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
                        match self.effect(&action, proctype.unwrap_or(0), Span::default()) {
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
                let channel = self.value(&Expr::Read(channel.clone()), id, span);
                let start = self.here();
                for (i, value) in values.iter().enumerate() {
                    self.expr(value, i as Reg, id, span);
                }
                self.emit(Op::Return(0));
                self.need(values.len() as Reg);
                Effect::Send(Box::new(Send { channel, values: start, count: values.len() as u32, sorted: *sorted }))
            }
            Action::Receive { channel, pattern, random, copy } => {
                let channel = self.value(&Expr::Read(channel.clone()), id, span);
                let pattern = self.pattern(pattern, id, span, 0);
                Effect::Receive(Box::new(Receive { channel, pattern, random: *random, copy: *copy }))
            }
            Action::Deterministic(body) => self.d_step(body, id),
        }
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

    fn pattern(&mut self, pattern: &[Pattern], id: usize, span: Span, reg: Reg) -> Vec<Part> {
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

    fn here(&self) -> CodeRef {
        self.code.len() as CodeRef
    }

    fn emit(&mut self, op: Op) {
        self.code.push(op);
    }

    fn need(&mut self, reg: Reg) {
        self.registers = self.registers.max(reg as usize + 2);
    }

    fn site(&mut self, span: Span, length: u32) -> u32 {
        self.sites.push((span, length));
        self.sites.len() as u32 - 1
    }

    /// Code that ends with the expression's value.
    fn value(&mut self, expr: &Expr, id: usize, span: Span) -> CodeRef {
        let start = self.here();
        self.expr(expr, 0, id, span);
        self.emit(Op::Return(0));
        start
    }

    fn offset(&self, place: &Place, slot: usize, id: usize) -> u32 {
        match place.scope {
            Scope::Global => self.schema.globals.offsets[slot],
            Scope::Local => self.schema.locals[id].offsets[slot],
        }
    }

    /// Leaves the byte offset that a place's indices make in a register.
    fn address(&mut self, place: &Place, reg: Reg, id: usize) {
        for (i, index) in place.indices.iter().enumerate() {
            let at = if i == 0 { reg } else { reg + 1 };
            self.expr(&index.value, at, id, index.span);
            let site = self.site(index.span, index.length as u32);
            self.emit(Op::Bound(at, site));
            let stride = if index.length > 1 {
                self.offset(place, place.slot + index.stride, id) - self.offset(place, place.slot, id)
            } else {
                0
            };
            if stride != 1 {
                self.emit(Op::Scale(at, stride as i32));
            }
            if i > 0 {
                self.emit(Op::Add(reg));
            }
        }
    }

    fn load(&mut self, place: &Place, reg: Reg, id: usize) {
        let offset = self.offset(place, place.slot, id);
        let memory = Memory::of(place.scalar);
        let indexed = !place.indices.is_empty();
        self.address(place, reg, id);
        self.emit(match (place.scope, memory, indexed) {
            (Scope::Global, Memory::U8, false) => Op::GlobalByte(reg, offset),
            (Scope::Local, Memory::U8, false) => Op::LocalByte(reg, offset),
            (Scope::Global, memory, false) => Op::Global(reg, memory, offset),
            (Scope::Local, memory, false) => Op::Local(reg, memory, offset),
            (Scope::Global, Memory::U8, true) => Op::GlobalByteAt(reg, offset),
            (Scope::Local, Memory::U8, true) => Op::LocalByteAt(reg, offset),
            (Scope::Global, memory, true) => Op::GlobalAt(reg, memory, offset),
            (Scope::Local, memory, true) => Op::LocalAt(reg, memory, offset),
        });
    }

    /// Stores a register's value.
    fn store(&mut self, place: &Place, reg: Reg, id: usize) {
        let offset = self.offset(place, place.slot, id);
        let memory = Memory::of(place.scalar);
        if let Some(mask) = mask(place.scalar) {
            self.emit(Op::Mask(reg, mask));
        }
        self.need(reg + 1);
        if !place.indices.is_empty() {
            self.address(place, reg + 1, id);
            return self.emit(match place.scope {
                Scope::Global => Op::SetGlobalAt(reg, memory, offset),
                Scope::Local => Op::SetLocalAt(reg, memory, offset),
            });
        }
        self.emit(match (place.scope, memory) {
            (Scope::Global, Memory::U8) => Op::SetGlobalByte(reg, offset),
            (Scope::Local, Memory::U8) => Op::SetLocalByte(reg, offset),
            (Scope::Global, memory) => Op::SetGlobal(reg, memory, offset),
            (Scope::Local, memory) => Op::SetLocal(reg, memory, offset),
        });
    }

    /// Emits code that leaves an expression's value in a register.
    fn expr(&mut self, expr: &Expr, reg: Reg, id: usize, span: Span) {
        self.need(reg + 1);
        match expr {
            Expr::Const(value) => self.emit(Op::Const(reg, *value)),
            Expr::Read(place) => self.load(place, reg, id),
            Expr::Unary(op, a) => {
                self.expr(a, reg, id, span);
                self.emit(match op {
                    UnaryOp::Not => Op::Not(reg),
                    UnaryOp::Neg => Op::Neg(reg),
                    UnaryOp::BitNot => Op::BitNot(reg),
                });
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, reg, id, span),
            Expr::And(a, b) => {
                self.expr(a, reg, id, span);
                let hole = self.code.len();
                self.emit(Op::IfZero(reg, 0));
                self.expr(b, reg, id, span);
                self.code[hole] = Op::IfZero(reg, self.here());
                self.emit(Op::Truth(reg));
            }
            Expr::Or(a, b) => {
                self.expr(a, reg, id, span);
                let hole = self.code.len();
                self.emit(Op::IfNotZero(reg, 0));
                self.expr(b, reg, id, span);
                self.code[hole] = Op::IfNotZero(reg, self.here());
                self.emit(Op::Truth(reg));
            }
            Expr::Cond(c, a, b) => {
                self.expr(c, reg, id, span);
                let otherwise = self.code.len();
                self.emit(Op::IfZero(reg, 0));
                self.expr(a, reg, id, span);
                let end = self.code.len();
                self.emit(Op::Jump(0));
                self.code[otherwise] = Op::IfZero(reg, self.here());
                self.expr(b, reg, id, span);
                self.code[end] = Op::Jump(self.here());
            }
            Expr::Length(place) => {
                self.load(place, reg, id);
                self.emit(Op::Length(reg));
            }
            Expr::Probe(probe, place) => {
                self.load(place, reg, id);
                self.emit(match probe {
                    Probe::Full => Op::Full(reg),
                    Probe::NotFull => Op::NotFull(reg),
                    Probe::Empty => Op::Empty(reg),
                    Probe::NotEmpty => Op::NotEmpty(reg),
                });
            }
            Expr::Poll { channel, pattern, random } => {
                // The pattern's code is out of line, so it is emitted behind a jump.
                let over = self.code.len();
                self.emit(Op::Jump(0));
                let parts = self.pattern(pattern, id, span, reg + 1);
                self.code[over] = Op::Jump(self.here());
                self.load(channel, reg, id);
                self.rare(Rare::Poll(parts, *random), reg);
            }
            Expr::Run { proctype, args, priority } => {
                for (i, arg) in args.iter().enumerate() {
                    self.expr(arg, reg + i as Reg, id, span);
                }
                self.need(reg + args.len() as Reg);
                let rare = Rare::Run { proctype: *proctype as u32, args: args.len() as u32, priority: *priority };
                self.rare(rare, reg);
            }
            Expr::Pid => self.emit(Op::Pid(reg)),
            Expr::ProcessCount => self.emit(Op::ProcessCount(reg)),
            Expr::Last => self.emit(Op::GlobalByte(reg, self.schema.last.unwrap_or(0))),
            Expr::OwnPriority => self.emit(Op::LocalByte(reg, self.schema.priority.unwrap_or(0))),
            Expr::Timeout => self.emit(Op::Timeout(reg)),
            Expr::NonProgress => self.rare(Rare::NonProgress, reg),
            Expr::Enabled(pid) => {
                self.expr(pid, reg, id, span);
                self.rare(Rare::Enabled, reg);
            }
            Expr::PcValue(pid) => {
                self.expr(pid, reg, id, span);
                self.rare(Rare::PcValue, reg);
            }
            Expr::PriorityOf(pid) => {
                self.expr(pid, reg, id, span);
                self.rare(Rare::PriorityOf, reg);
            }
            Expr::RemoteAt { proctype, pid, state } => {
                if let Some(pid) = pid {
                    self.expr(pid, reg, id, span);
                }
                self.rare(Rare::RemoteAt(*proctype as u32, pid.is_some(), *state as u32), reg);
            }
            Expr::RemoteRead { proctype, pid, place } => {
                if let Some(pid) = pid {
                    self.expr(pid, reg, id, span);
                }
                self.remote_address(place, reg + 1, id, *proctype);
                let offset = self.schema.locals[*proctype].offsets[place.slot];
                self.rare(Rare::RemoteRead(*proctype as u32, pid.is_some(), Memory::of(place.scalar), offset), reg);
            }
        }
    }

    /// As [`Self::address`], for a place among another process type's locals: indices are this process's expressions.
    fn remote_address(&mut self, place: &Place, reg: Reg, id: usize, other: usize) {
        self.need(reg + 1);
        self.emit(Op::Const(reg, 0));
        for index in &place.indices {
            self.expr(&index.value, reg + 1, id, index.span);
            let site = self.site(index.span, index.length as u32);
            self.emit(Op::Bound(reg + 1, site));
            let offsets = &self.schema.locals[other].offsets;
            let stride = if index.length > 1 { offsets[place.slot + index.stride] - offsets[place.slot] } else { 0 };
            self.emit(Op::Scale(reg + 1, stride as i32));
            self.emit(Op::Add(reg));
        }
    }

    fn rare(&mut self, rare: Rare, reg: Reg) {
        self.rare.push(rare);
        self.emit(Op::Rare(reg, self.rare.len() as u32 - 1));
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, reg: Reg, id: usize, span: Span) {
        self.expr(a, reg, id, span);
        if let Expr::Const(value) = *b {
            let fused = match op {
                BinaryOp::Add => Some(Op::AddConst(reg, value)),
                BinaryOp::Sub => Some(Op::AddConst(reg, value.wrapping_neg())),
                BinaryOp::Eq => Some(Op::EqConst(reg, value)),
                BinaryOp::Ne => Some(Op::NeConst(reg, value)),
                BinaryOp::Lt => Some(Op::LtConst(reg, value)),
                BinaryOp::Le => Some(Op::LeConst(reg, value)),
                BinaryOp::Gt => Some(Op::GtConst(reg, value)),
                BinaryOp::Ge => Some(Op::GeConst(reg, value)),
                BinaryOp::BitAnd => Some(Op::Mask(reg, value)),
                _ => None,
            };
            if let Some(op) = fused {
                return self.emit(op);
            }
        }
        self.expr(b, reg + 1, id, span);
        let op = match op {
            BinaryOp::Add => Op::Add(reg),
            BinaryOp::Sub => Op::Sub(reg),
            BinaryOp::Mul => Op::Mul(reg),
            BinaryOp::Div => Op::Div(reg, self.site(span, 0)),
            BinaryOp::Rem => Op::Rem(reg, self.site(span, 0)),
            BinaryOp::BitAnd => Op::BitAnd(reg),
            BinaryOp::BitXor => Op::BitXor(reg),
            BinaryOp::BitOr => Op::BitOr(reg),
            BinaryOp::Shl => Op::Shl(reg),
            BinaryOp::Shr => Op::Shr(reg),
            BinaryOp::Eq => Op::Eq(reg),
            BinaryOp::Ne => Op::Ne(reg),
            BinaryOp::Lt => Op::Lt(reg),
            BinaryOp::Le => Op::Le(reg),
            BinaryOp::Gt => Op::Gt(reg),
            BinaryOp::Ge => Op::Ge(reg),
        };
        self.emit(op);
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
        Some(Events { states, scope, end: automaton.end as u32, negated: trace.negated })
    }
}

fn field(scalar: quotient_ir::Scalar, offset: u32) -> Field {
    Field { offset, memory: Memory::of(scalar), mask: mask(scalar).unwrap_or(-1) }
}
