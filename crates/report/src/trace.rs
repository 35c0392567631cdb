//! Runs in the user's names: who did what, on which line, with which values, and how things stand at the end.
//! Plain data, made by replaying a run on the reference interpreter and rendered by [`crate::text`].

use serde::{Deserialize, Serialize};

use crate::source::Location;

/// A value: a number, or a symbolic name (`mtype` values, channels).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Value {
    /// A number.
    Number(i32),
    /// A name.
    Name(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Name(name) => name.fmt(f),
        }
    }
}

/// A process by id and type: `P:2`; a thread by type and number: `Worker#3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessName {
    /// Its id.
    pub process: usize,
    /// Its type's name.
    pub proctype: String,
    /// For a thread of a model in BIR, whose id changes when an older one ends: its number among those of its type, from 1 on, which is
    /// not used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

impl std::fmt::Display for ProcessName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.number {
            Some(number) => write!(f, "{}#{number}", self.proctype),
            None => write!(f, "{}:{}", self.proctype, self.process),
        }
    }
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its number, from one.
    pub step: usize,
    /// Who moved.
    #[serde(flatten)]
    pub who: ProcessName,
    /// What was executed and where, and what it did.
    #[serde(flatten)]
    pub effect: Effect,
    /// In a rendezvous, the receiver and what it executed.
    pub partner: Option<Partner>,
    /// Processes that the step created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started: Vec<ProcessName>,
    /// The process ended with this step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// Afterwards the process is blocked inside an atomic sequence, and everyone may move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost_control: bool,
    /// The statements executed inside a `d_step`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<Effect>,
    /// Propositions of a temporal property that change with the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub becomes: Vec<Becomes>,
}

/// A proposition that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Becomes {
    /// The proposition as it is written.
    pub proposition: String,
    /// Whether it holds from now on.
    pub holds: bool,
}

/// A statement and what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Where the statement is.
    pub location: Location,
    /// The statement on one line.
    pub statement: String,
    /// Variables that changed.
    pub changes: Vec<Change>,
    /// The message sent or received.
    pub event: Option<Traffic>,
    /// What it printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// The receiver in a rendezvous.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Partner {
    /// Who.
    #[serde(flatten)]
    pub who: ProcessName,
    /// Where the receive is.
    pub location: Location,
    /// The receive on one line.
    pub statement: String,
}

/// A variable that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its name as the user would write it.
    pub variable: String,
    /// Whose local variable it is; absent for a global one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<usize>,
    /// The name of that process, if it is a thread: `Worker#3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The value before.
    pub from: Value,
    /// The value after.
    pub to: Value,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Which way.
    pub kind: Direction,
    /// The channel.
    pub channel: String,
    /// The fields of the message.
    pub message: Vec<Value>,
    /// For a receive from a buffer: the step in which the message was sent, and the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Sent>,
    /// The message was only looked at, and stays in the channel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copied: bool,
}

/// Which way a message went. A rendezvous is a send with a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Direction {
    /// Into the channel.
    Send,
    /// Out of the channel.
    Receive,
}

/// When and by whom a message was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sent {
    /// The number of the step.
    pub step: usize,
    /// The sender.
    #[serde(flatten)]
    pub who: ProcessName,
}

/// How things stand in one state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Global variables.
    pub globals: Vec<Binding>,
    /// Channels and what is in them.
    pub channels: Vec<ChannelView>,
    /// Processes, by id.
    pub processes: Vec<ProcessView>,
    /// Records of the heap that can be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RecordView>,
}

/// A record of the heap and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordView {
    /// Its name.
    pub record: String,
    /// Its fields or elements.
    pub fields: Vec<Binding>,
    /// Where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Location>,
    /// Where it was deleted, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Location>,
}

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Its name.
    pub variable: String,
    /// Its value.
    pub value: Value,
}

/// A channel and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelView {
    /// Its name.
    pub channel: String,
    /// How many messages fit; zero for a rendezvous channel.
    pub capacity: usize,
    /// The messages, oldest first.
    pub messages: Vec<Vec<Value>>,
}

/// A process and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessView {
    /// Who.
    #[serde(flatten)]
    pub who: ProcessName,
    /// Local variables.
    pub locals: Vec<Binding>,
    /// Those of the functions that wait for the one it is in, oldest first: `f: x`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<Binding>,
    /// The calls that it is in, the last one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallView>,
    /// It may rest here without that being an error.
    pub may_rest: bool,
    /// What it would do next.
    pub next: Vec<Next>,
}

/// A call that a process is in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallView {
    /// The function or process type that has called.
    pub caller: String,
    /// Where the call is.
    pub location: Location,
    /// The caller's local variables.
    pub locals: Vec<Binding>,
}

/// A statement that a process may execute next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Next {
    /// Where it is.
    pub location: Location,
    /// The statement on one line.
    pub statement: String,
    /// Why it cannot be executed now; `None` if it can, or if nothing more is known.
    pub waits: Option<String>,
}

/// A message as Promela writes it: `req,1`.
pub fn message_text(message: &[Value]) -> String {
    message.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
}
