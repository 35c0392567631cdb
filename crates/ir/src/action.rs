//! Actions: what a transition does when it is executed, and when it can be.

use quotient_report::source::Span;

use crate::{Expr, HeapAction, Place};

/// What a transition does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Nothing; always executable (`skip`, `goto`, the joints between sequences).
    Skip,
    /// Nothing; executable when the expression is not zero.
    Condition(Expr),
    /// Nothing; executable when no other transition of the same control state is.
    Else,
    /// Assigns, cutting the value to the place's type.
    Assign(Place, Expr),
    /// Appends a message (or offers it, when the channel has no capacity).
    Send {
        /// The channel.
        channel: Place,
        /// The fields.
        values: Vec<Expr>,
        /// Insert before the first greater message instead of at the end.
        sorted: bool,
    },
    /// Takes a message that matches.
    Receive {
        /// The channel.
        channel: Place,
        /// What to match and where to put it.
        pattern: Vec<Pattern>,
        /// Any message, not only the oldest.
        random: bool,
        /// Leave the message in the channel.
        copy: bool,
    },
    /// An error when the expression is zero; goes on either way.
    Assert(Expr),
    /// Prints; the format with `%` directives as in C, or, with no format, an `mtype` value's name.
    Print {
        /// The format; `None` for `printm`.
        format: Option<String>,
        /// The values.
        args: Vec<Expr>,
        /// Which names an `mtype` argument's values have.
        mtype: Option<usize>,
    },
    /// Sets the priority of a process.
    SetPriority(Expr, Expr),
    /// Ends the process; executable when it is the youngest.
    End,
    /// A whole sequence as one indivisible, deterministic step.
    Deterministic(Deterministic),
    /// Something with the heap, the stack of a thread, or a monitor.
    Heap(Box<HeapAction>),
}

/// What a receive does with one field of a message.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The field must have this value.
    Match(Expr),
    /// The field's value goes here.
    Bind(Place),
    /// Any value will do (`_`).
    Ignore,
}

/// The body of a `d_step`. Node 0 is the entry: the step is executable when one of its options is. From then on
/// the first executable option of every node is taken; that there is none is an error of the model.
#[derive(Clone, Debug)]
pub struct Deterministic {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Loops over the members of a scalarset inside, unrolled: their iterations may be carried out in any order. This
    /// is for the analysis of symmetry; the step itself takes them one after the other.
    pub loops: Vec<Unordered>,
}

/// A loop whose iterations may be carried out in any order.
#[derive(Clone, Debug)]
pub struct Unordered {
    /// The nodes of each iteration, where it begins first; leaving one means entering the next.
    pub iterations: Vec<Vec<usize>>,
    /// Where it is written.
    pub span: Span,
}

/// A point of choice inside a `d_step`.
#[derive(Clone, Debug)]
pub struct Node {
    /// The options in order; a single statement is a node with one option.
    pub options: Vec<NodeOption>,
    /// Where it is written.
    pub span: Span,
}

/// One option of a [`Node`].
#[derive(Clone, Debug)]
pub struct NodeOption {
    /// What it does; never itself [`Action::Deterministic`].
    pub action: Action,
    /// The next node, or `None` to leave the `d_step`.
    pub next: Option<usize>,
    /// Where it is written.
    pub span: Span,
    /// Whether it stands directly in the sequence rather than in a nested block (see `quotient-por`).
    pub direct: bool,
}

impl Pattern {
    /// The pattern with other expressions.
    #[must_use]
    pub fn map(&self, change: &dyn Fn(&Expr) -> Expr) -> Pattern {
        match self {
            Pattern::Match(value) => Pattern::Match(change(value)),
            Pattern::Bind(place) => Pattern::Bind(place.map(change)),
            Pattern::Ignore => Pattern::Ignore,
        }
    }

    /// Calls `visit` on every expression in it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.each(&mut |e| e.walk(visit));
    }

    /// Calls `visit` on the expressions directly in it.
    pub fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Pattern::Match(value) => visit(value),
            Pattern::Bind(place) => place.indices.iter().for_each(|index| visit(&index.value)),
            Pattern::Ignore => {}
        }
    }
}

impl Action {
    /// Calls `visit` on every expression the action evaluates, including those inside a `d_step`.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(e) | Action::Assert(e) => e.walk(visit),
            Action::Assign(place, value) => {
                place.walk(visit);
                value.walk(visit);
            }
            Action::Send { channel, values, .. } => {
                channel.walk(visit);
                values.iter().for_each(|v| v.walk(visit));
            }
            Action::Receive { channel, pattern, .. } => {
                channel.walk(visit);
                pattern.iter().for_each(|p| p.walk(visit));
            }
            Action::Print { args, .. } => args.iter().for_each(|a| a.walk(visit)),
            Action::SetPriority(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Action::Deterministic(body) => body.actions().for_each(|a| a.walk(visit)),
            Action::Heap(action) => action.walk(visit),
        }
    }

    /// Whether an expression that satisfies a test occurs in it.
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }
}

impl Deterministic {
    /// All actions inside, in textual order.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.nodes.iter().flat_map(|node| node.options.iter().map(|option| &option.action))
    }
}
