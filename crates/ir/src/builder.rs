//! Models written in Rust. A [`Builder`] collects variables, channels and processes, and gives a [`Model`] that is
//! well-formed; what it makes use of is found out.
//!
//! Two processes that take turns:
//!
//! ```
//! use quotient_ir::{Action, BinaryOp, Builder, Expr, Scalar, Width};
//!
//! let mut builder = Builder::new();
//! let turn = builder.global("turn", Scalar::plain(Width::Byte));
//! let inside = builder.global("inside", Scalar::plain(Width::Byte));
//! for me in 0..2 {
//!     let mut process = builder.process(["left", "right"][me as usize]);
//!     let waiting = process.start();
//!     let (entering, working, leaving, done) = (process.state(), process.state(), process.state(), process.state());
//!     let is_my_turn = Expr::Binary(BinaryOp::Eq, Box::new(turn.read()), Box::new(Expr::Const(me)));
//!     let is_alone = Expr::Binary(BinaryOp::Eq, Box::new(inside.read()), Box::new(Expr::Const(1)));
//!     process.step(waiting, "turn == me", Action::Condition(is_my_turn), entering);
//!     process.step(entering, "inside++", inside.increase(1), working);
//!     process.step(working, "assert(inside == 1)", Action::Assert(is_alone), leaving);
//!     process.step(leaving, "inside--", inside.increase(-1), done);
//!     process.step(done, "turn = other", turn.set(Expr::Const(1 - me)), waiting);
//!     process.rests_at(waiting);
//!     let ty = process.finish();
//!     builder.start(ty);
//! }
//! let model = builder.build().expect("the model is well-formed");
//! assert_eq!(model.proctypes.len(), 2);
//! ```

mod heap;

use quotient_report::source::Span;

use crate::{
    Action, BinaryOp, Block, ChannelType, ChannelTypeId, Expr, Instance, Malformed, Model, Place, Proctype, ProctypeId,
    ProctypeKind, Scalar, Scope, Setup, Slot, State, StateId, Statement, Transition, Uses,
};

/// Collects the parts of a model.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    model: Model,
}

/// A variable of a model that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    scope: Scope,
    slot: usize,
    scalar: Scalar,
}

impl Variable {
    /// The place that the variable is.
    pub fn place(self) -> Place {
        Place::scalar(self.scope, self.slot, self.scalar)
    }

    /// Its value.
    pub fn read(self) -> Expr {
        Expr::Read(self.place())
    }

    /// Gives it a value.
    pub fn set(self, value: Expr) -> Action {
        Action::Assign(self.place(), value)
    }

    /// Adds to its value.
    pub fn increase(self, amount: i32) -> Action {
        self.set(Expr::Binary(BinaryOp::Add, Box::new(self.read()), Box::new(Expr::Const(amount))))
    }
}

impl Builder {
    /// A model of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A global variable; it starts with zero.
    pub fn global(&mut self, name: &str, scalar: Scalar) -> Variable {
        self.model.globals.push(slot(name, scalar));
        Variable { scope: Scope::Global, slot: self.model.globals.len() - 1, scalar }
    }

    /// Lets a global variable start with a value.
    pub fn initially(&mut self, variable: Variable, value: Expr) {
        self.model.setup.push(Setup::Assign(variable.slot, value));
    }

    /// A kind of channels: how many messages fit, none for a rendezvous, and the fields of a message.
    pub fn channel_type(&mut self, name: &str, capacity: usize, fields: &[Scalar]) -> ChannelTypeId {
        let mtypes = vec![None; fields.len()];
        self.model.channels.push(ChannelType { name: name.to_string(), capacity, fields: fields.to_vec(), mtypes });
        self.model.channels.len() - 1
    }

    /// A global variable that holds a new channel.
    pub fn channel(&mut self, name: &str, capacity: usize, fields: &[Scalar]) -> Variable {
        let ty = self.channel_type(name, capacity, fields);
        let variable = self.global(name, Scalar::CHANNEL);
        self.model.setup.push(Setup::Channel(variable.slot, ty));
        variable
    }

    /// A process type, which [`ProcessBuilder::finish`] adds to the model.
    pub fn process(&mut self, name: &str) -> ProcessBuilder<'_> {
        let empty = Proctype::new(name.to_string(), ProctypeKind::Process, Span::default());
        let proctype = Proctype { states: vec![State::default()], ..empty };
        ProcessBuilder { model: &mut self.model, proctype }
    }

    /// Lets a process of a type be there from the start.
    pub fn start(&mut self, proctype: ProctypeId) {
        self.model.initial.push(Instance { proctype, priority: 1 });
    }

    /// The model.
    ///
    /// # Errors
    /// Everything that is malformed about it.
    pub fn build(mut self) -> Result<Model, Vec<Malformed>> {
        self.model.uses = Uses::of(&self.model);
        self.model.validate()?;
        Ok(self.model)
    }
}

/// Collects the parts of a process type.
#[derive(Debug)]
pub struct ProcessBuilder<'b> {
    model: &'b mut Model,
    proctype: Proctype,
}

impl ProcessBuilder<'_> {
    /// A parameter, after those there are. Parameters come before other variables.
    ///
    /// # Panics
    /// There is a variable that is no parameter.
    pub fn parameter(&mut self, name: &str, scalar: Scalar) -> Variable {
        assert_eq!(self.proctype.params, self.proctype.slots.len(), "parameters come before other variables");
        self.proctype.params += 1;
        self.local(name, scalar)
    }

    /// A local variable; it starts with zero.
    pub fn local(&mut self, name: &str, scalar: Scalar) -> Variable {
        self.proctype.slots.push(slot(name, scalar));
        Variable { scope: Scope::Local, slot: self.proctype.slots.len() - 1, scalar }
    }

    /// Where processes start.
    pub fn start(&self) -> StateId {
        self.proctype.start
    }

    /// A new control state.
    pub fn state(&mut self) -> StateId {
        let number = self.proctype.states.len();
        self.proctype.states.push(State { number: number as u32, ..State::default() });
        number
    }

    /// A run may end while a process is there.
    pub fn rests_at(&mut self, state: StateId) {
        self.proctype.states[state].end = true;
    }

    /// A step between two control states, as a person would write it and as it is. Steps of one state are tried in the
    /// order in which they are added.
    pub fn step(&mut self, from: StateId, text: &str, action: Action, to: StateId) {
        self.add(from, (text, action), to, None, false);
    }

    /// Some steps in a row, between which nobody else moves unless one of them is blocked.
    pub fn atomic<'t>(&mut self, from: StateId, steps: impl IntoIterator<Item = (&'t str, Action)>, to: StateId) {
        let block = Some(self.proctype.blocks.len());
        self.proctype.blocks.push(Block::default());
        let mut steps = steps.into_iter().peekable();
        let mut at = from;
        while let Some(step) = steps.next() {
            let goes_on = steps.peek().is_some();
            let next = if goes_on { self.state() } else { to };
            self.add(at, step, next, block, goes_on);
            at = next;
        }
    }

    /// Lets a process that is there end: it is removed once it is the youngest.
    pub fn ends_at(&mut self, state: StateId) {
        self.rests_at(state);
        self.proctype.end = Some(state);
        self.step(state, "-end-", Action::End, state);
    }

    fn add(&mut self, from: StateId, (text, action): (&str, Action), to: StateId, block: Option<usize>, atomic: bool) {
        let statement = self.proctype.statements.len();
        let (span, text) = (Span::default(), text.to_string());
        self.proctype.statements.push(Statement {
            action,
            span,
            text,
            block,
            direct: true,
            merged: Vec::new(),
            alone: 1,
        });
        self.proctype.states[from].transitions.push(Transition { statement, target: to, atomic, escape: 0 });
    }

    /// Adds the type to the model.
    pub fn finish(self) -> ProctypeId {
        self.model.proctypes.push(self.proctype);
        self.model.proctypes.len() - 1
    }
}

fn slot(name: &str, scalar: Scalar) -> Slot {
    Slot { name: name.to_string(), scalar, mtype: None, hidden: false, private: false, boxed: false }
}
