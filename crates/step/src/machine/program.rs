//! A model compiled for the machine: code, moves and tables, all addresses resolved against the schema.

use std::sync::Arc;

use quotient_ir::{Model, schema::Schema};
use quotient_report::source::Span;

use super::Numbers;
use super::code::{CodeRef, Memory, Op};
use super::heap::{HeapAccess, HeapEffect, HeapOp};

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
    /// Operations on the heap.
    pub heap_ops: Vec<HeapOp>,
    /// How things on the heap are read and written.
    pub access: HeapAccess,
    /// Process types.
    pub proctypes: Vec<CompiledProctype>,
    /// Channel types.
    pub channels: Vec<CompiledChannel>,
    /// How global variables start.
    pub setup: Vec<CompiledSetup>,
    /// The event automaton.
    pub events: Option<Events>,
    /// What steps write over because nobody will read it; nothing unless [`Program::with_resets`] was asked for.
    pub resets: Vec<Reset>,
    /// Registers the code needs.
    pub registers: usize,
    /// The numbers of shapes, which all machines for the program share.
    pub numbers: Arc<Numbers>,
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
    /// In a model with a heap: by control state, what is written over when a return or an exception leads there.
    pub arrivals: Vec<Resets>,
    /// What is written over when an instance is created.
    pub resets: Resets,
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
    /// Can be executed in passing inside an atomic sequence: keeps control, leaves nothing to try, and does no more than
    /// evaluate.
    pub passable: bool,
    /// See [`quotient_ir::Transition::escape`].
    pub escape: u32,
    /// What is written over when it was made.
    pub resets: Resets,
    /// The statement, in its process type.
    pub statement: u32,
    /// Where it is written.
    pub span: Span,
}

/// Which of [`Program::resets`] are carried out: from the first number up to the second.
pub type Resets = (u32, u32);

/// A field that nobody will read before it is written again, with the value that it gets.
#[derive(Clone, Copy, Debug)]
pub struct Reset {
    /// Whether it is a variable of the process that has moved.
    pub local: bool,
    /// Where it is, from the start of the process or of the state.
    pub offset: u32,
    /// How it lies in memory.
    pub memory: Memory,
    /// Its value from now on.
    pub value: i32,
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
    /// Something with the heap, a stack or a monitor.
    Heap(Box<HeapEffect>),
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
    /// Which fields are references; empty if the model has no heap.
    pub references: Vec<Option<bool>>,
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
    /// Which fields must be references; empty if the model has no heap.
    pub references: Vec<Option<bool>>,
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
    /// Some of them are references.
    pub references: bool,
    /// Its number among the model's types.
    pub ty: u32,
}

/// Rare operations.
#[derive(Clone, Debug)]
pub enum Rare {
    /// Whether a receive on the channel in the register would succeed.
    Poll(Vec<Part>, bool, Vec<Option<bool>>),
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
