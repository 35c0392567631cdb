//! Control automata: process types with their states, statements and transitions.

use quotient_report::source::Span;

use crate::{Action, ChannelTypeId, Expr, Handler, Place, Slot, StateId, StatementId, Termination, Waiting};

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// The name (`init` for the initial process).
    pub name: String,
    /// What it is for.
    pub kind: ProctypeKind,
    /// Local variables, parameters first.
    pub slots: Vec<Slot>,
    /// How many of the slots are parameters.
    pub params: usize,
    /// What happens when an instance is created, in order.
    pub setup: Vec<Setup>,
    /// `xr` and `xs` promises.
    pub exclusive: Vec<Exclusive>,
    /// An instance may move only while this holds.
    pub provided: Option<Expr>,
    /// Nondeterminism is an error of the model.
    pub deterministic: bool,
    /// Creating an instance may read more than its parameters, so `run` is not a local step.
    pub global_setup: bool,
    /// What becomes of instances that have come to their end.
    pub termination: Termination,
    /// Control states.
    pub states: Vec<State>,
    /// The state an instance starts in.
    pub start: StateId,
    /// The state after which an instance dies, if it can come to its end.
    pub end: Option<StateId>,
    /// Statements; several transitions may execute the same one.
    pub statements: Vec<Statement>,
    /// Atomic sequences.
    pub blocks: Vec<Block>,
    /// Where an instance keeps what it needs while it waits for a lock, if it ever does.
    pub waiting: Option<Waiting>,
    /// Where it is declared.
    pub span: Span,
}

impl Proctype {
    /// A type without variables, states and statements.
    pub fn new(name: String, kind: ProctypeKind, span: Span) -> Self {
        Proctype {
            name,
            kind,
            slots: Vec::new(),
            params: 0,
            setup: Vec::new(),
            exclusive: Vec::new(),
            provided: None,
            deterministic: false,
            global_setup: false,
            termination: Termination::default(),
            states: Vec::new(),
            start: 0,
            end: None,
            statements: Vec::new(),
            blocks: Vec::new(),
            waiting: None,
            span,
        }
    }

    /// The statement that decides when another one can be carried out: the first of those that are carried out as one.
    pub fn leading(&self, statement: StatementId) -> StatementId {
        self.statements[statement].merged.first().copied().unwrap_or(statement)
    }

    /// The number of a control state that no process comes to, for those who ask about one that there is not.
    pub fn nowhere(&self) -> StateId {
        self.states.len()
    }
}

/// What a process type is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProctypeKind {
    /// Instances are created by `active` or `run`.
    Process,
    /// The initial process.
    Init,
    /// A never claim: parsed and checked, run only by temporal searches.
    Claim,
    /// A `trace` or `notrace` automaton.
    Trace,
    /// A function: instances are frames on the stack of a process.
    Function,
}

/// A step of creating an instance.
#[derive(Clone, Debug)]
pub enum Setup {
    /// Initialises a local variable.
    Assign(usize, Expr),
    /// Creates a channel and stores its id in a local variable.
    Channel(usize, ChannelTypeId),
}

/// A promise that only instances of this process use a channel in one direction.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// `xr` (receive) rather than `xs` (send).
    pub receive: bool,
    /// The channel.
    pub channel: Place,
    /// Where it is written.
    pub span: Span,
}

/// A control state.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// What can happen here, escapes of an `unless` first, otherwise in textual order, `else` last.
    pub transitions: Vec<Transition>,
    /// A process may rest here without that being a deadlock.
    pub end: bool,
    /// Carries an acceptance label.
    pub accept: bool,
    /// Carries a progress label.
    pub progress: bool,
    /// Some expression asks whether a process is here.
    pub observed: bool,
    /// Labels that name it.
    pub labels: Vec<String>,
    /// What is done with exceptions that are thrown here, or by a function that was called here; the first that fits counts.
    pub handlers: Vec<Handler>,
    /// SPIN's number for it (`pan -d`): statements are numbered as they are parsed.
    pub number: u32,
}

/// An edge of the automaton.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What is executed.
    pub statement: StatementId,
    /// Where it leads.
    pub target: StateId,
    /// The process keeps control after it.
    pub atomic: bool,
    /// Non-zero for the escape of an `unless`: once a transition with some escape number was executed, only those
    /// with the same number may be.
    pub escape: u32,
}

/// Something that can be executed.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub action: Action,
    /// Where it is written.
    pub span: Span,
    /// As a person would write it, on one line.
    pub text: String,
    /// The atomic sequence it is in.
    pub block: Option<usize>,
    /// Whether it stands directly in that sequence rather than in a nested block.
    pub direct: bool,
    /// For statements that are carried out as one: which they are, in order. Empty for a statement by itself.
    pub merged: Vec<StatementId>,
    /// How often it is an error of a process type that is deterministic if something else could be done before it. It is
    /// once, but for models that are made to count as SPIN does.
    pub alone: usize,
}

/// An atomic sequence.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Some jump leaves it.
    pub exits: bool,
}
