//! Errors of the model that a single step can show. Small and free of formatting, because they are made on the hot
//! path; the text is put together when a violation is reported.

use quotient_ir::extension::Failure;
use quotient_report::source::Span;
use serde::{Deserialize, Serialize};

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FaultKind {
    /// An assertion does not hold.
    Assertion,
    /// An array index is out of range.
    Index {
        /// The index.
        index: i32,
        /// The array's length.
        length: u32,
    },
    /// A division or remainder by zero.
    DivisionByZero,
    /// A statement inside a `d_step` cannot be executed.
    DStepBlocked,
    /// A `d_step` goes round in circles.
    DStepEndless,
    /// A rendezvous was attempted inside a `d_step`.
    DStepRendezvous,
    /// A channel variable holds no channel.
    NoChannel,
    /// A message has the wrong number of fields.
    FieldCount {
        /// How many the statement has.
        given: u32,
        /// How many the channel has.
        expected: u32,
    },
    /// A message has a number where a reference is expected, or the other way round.
    FieldSort,
    /// A rendezvous channel was polled or copied from.
    RendezvousPoll,
    /// More processes than there can be.
    TooManyProcesses {
        /// How many there can be.
        most: u32,
    },
    /// More than 255 channels.
    TooManyChannels,
    /// A priority outside 1 to 255.
    Priority,
    /// A channel promised to one receiver (`xr`) or sender (`xs`) is used by another process.
    Exclusive {
        /// `xr` rather than `xs`.
        receive: bool,
        /// The process that made the promise.
        owner: u32,
    },
    /// An event that the `trace` automaton does not allow.
    TraceUnexpected,
    /// The `notrace` automaton was matched to its end.
    TraceMatched,
    /// Two transitions of a `D_proctype` are executable at once.
    Nondeterminism,
    /// Whether a process is enabled depends on whether it is.
    EnabledCircle,
    /// Something is asked of null.
    NullDereference,
    /// A record is used after it was deleted.
    Dangling,
    /// A record is deleted twice.
    DoubleDelete,
    /// `delete` of a reference to a variable or to a part of a record.
    DeletedVariable,
    /// A record that was not deleted cannot be reached any more.
    Leak,
    /// More records than allowed.
    HeapLimit {
        /// How many are allowed.
        most: u32,
    },
    /// A thread is in more calls than allowed.
    StackLimit {
        /// How many are allowed.
        most: u32,
    },
    /// A thread takes a lock that it holds once more than it can.
    LockLimit {
        /// How often it can take it.
        most: u32,
    },
    /// A record is of another type.
    BadCast,
    /// A call of what is no function, or none with these parameters.
    NoFunction,
    /// An array of a length that cannot be.
    BadLength {
        /// The length.
        length: i32,
    },
    /// A value is not in its range.
    OutOfRange {
        /// The value.
        value: i32,
        /// The least that is allowed.
        low: i32,
        /// The greatest that is allowed.
        high: i32,
    },
    /// A thread does something with a lock that it does not hold.
    NotOwner,
    /// A thread uses what is in a record while another one holds its lock, where locks protect their records.
    LockedByAnother,
    /// Nobody handles an exception.
    UncaughtException,
    /// An operation of an extension cannot be carried out.
    Extension(Failure),
    /// An operation can choose between more alternatives than allowed.
    TooManyAlternatives {
        /// How many are allowed.
        most: u32,
    },
    /// A value of an extension has more entries than allowed.
    ValueLimit {
        /// How many are allowed.
        most: u32,
    },
}

/// Something that went wrong in a step, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The statement or expression.
    pub span: Span,
}

impl FaultKind {
    /// All names of kinds.
    pub const NAMES: [&'static str; 32] = [
        "assertion",
        "index-out-of-range",
        "division-by-zero",
        "blocked-d-step",
        "channel-misuse",
        "too-many-processes",
        "too-many-channels",
        "priority-out-of-range",
        "exclusive-channel",
        "trace",
        "nondeterminism",
        "enabled-circle",
        "null-reference",
        "dangling-reference",
        "double-delete",
        "deleted-variable",
        "leak",
        "heap-limit",
        "stack-limit",
        "lock-limit",
        "bad-cast",
        "no-function",
        "bad-length",
        "out-of-range",
        "not-owner",
        "locked-by-another",
        "uncaught-exception",
        "empty-value",
        "missing-element",
        "full-value",
        "invalid-operation",
        "too-many-alternatives",
    ];

    /// The machine-readable name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Assertion => "assertion",
            FaultKind::Index { .. } => "index-out-of-range",
            FaultKind::DivisionByZero => "division-by-zero",
            FaultKind::DStepBlocked | FaultKind::DStepEndless | FaultKind::DStepRendezvous => "blocked-d-step",
            FaultKind::NoChannel | FaultKind::FieldCount { .. } | FaultKind::FieldSort | FaultKind::RendezvousPoll => {
                "channel-misuse"
            }
            FaultKind::TooManyProcesses { .. } => "too-many-processes",
            FaultKind::TooManyChannels => "too-many-channels",
            FaultKind::Priority => "priority-out-of-range",
            FaultKind::Exclusive { .. } => "exclusive-channel",
            FaultKind::TraceUnexpected | FaultKind::TraceMatched => "trace",
            FaultKind::Nondeterminism => "nondeterminism",
            FaultKind::EnabledCircle => "enabled-circle",
            FaultKind::NullDereference => "null-reference",
            FaultKind::Dangling => "dangling-reference",
            FaultKind::DoubleDelete => "double-delete",
            FaultKind::DeletedVariable => "deleted-variable",
            FaultKind::Leak => "leak",
            FaultKind::HeapLimit { .. } => "heap-limit",
            FaultKind::StackLimit { .. } => "stack-limit",
            FaultKind::LockLimit { .. } => "lock-limit",
            FaultKind::BadCast => "bad-cast",
            FaultKind::NoFunction => "no-function",
            FaultKind::BadLength { .. } => "bad-length",
            FaultKind::OutOfRange { .. } => "out-of-range",
            FaultKind::NotOwner => "not-owner",
            FaultKind::LockedByAnother => "locked-by-another",
            FaultKind::UncaughtException => "uncaught-exception",
            FaultKind::Extension(Failure::Empty) => "empty-value",
            FaultKind::Extension(Failure::Missing) => "missing-element",
            FaultKind::Extension(Failure::Full) => "full-value",
            FaultKind::Extension(Failure::Invalid) => "invalid-operation",
            FaultKind::TooManyAlternatives { .. } => "too-many-alternatives",
            FaultKind::ValueLimit { .. } => "heap-limit",
        }
    }

    /// What to tell a person.
    pub fn message(self) -> String {
        match self {
            FaultKind::Assertion => "assertion violated".to_string(),
            FaultKind::Index { index, length } => {
                format!("array index {index} is out of range (the array has {length} elements)")
            }
            FaultKind::DivisionByZero => "division by zero".to_string(),
            FaultKind::DStepBlocked => "a statement inside a d_step is blocked".to_string(),
            FaultKind::DStepEndless => "a d_step does not end".to_string(),
            FaultKind::DStepRendezvous => "a rendezvous cannot happen inside a d_step".to_string(),
            FaultKind::NoChannel => "the channel variable does not hold a channel".to_string(),
            FaultKind::FieldCount { given, expected } => {
                format!("the message has {given} fields here, but the channel's messages have {expected}")
            }
            FaultKind::FieldSort => {
                "the message has a reference here where the channel's messages have a number, or a number for a reference"
                    .to_string()
            }
            FaultKind::RendezvousPoll => "a rendezvous channel holds no messages to look at".to_string(),
            FaultKind::TooManyProcesses { most } => format!("more than {most} processes"),
            FaultKind::TooManyChannels => "more than 255 channels".to_string(),
            FaultKind::Priority => "a priority must be 1 to 255".to_string(),
            FaultKind::Exclusive { receive: true, owner } => {
                format!("process {owner} promised to be the only receiver on this channel (xr)")
            }
            FaultKind::Exclusive { receive: false, owner } => {
                format!("process {owner} promised to be the only sender on this channel (xs)")
            }
            FaultKind::TraceUnexpected => "the event is not allowed by the trace".to_string(),
            FaultKind::TraceMatched => "the events of the notrace happened".to_string(),
            FaultKind::EnabledCircle => "`enabled` asks about itself".to_string(),
            FaultKind::NullDereference => "null is used as if it were a record".to_string(),
            FaultKind::Dangling => "a record is used after it was deleted".to_string(),
            FaultKind::DoubleDelete => "a record is deleted a second time".to_string(),
            FaultKind::DeletedVariable => "what is deleted is a variable or a part of a record, and no record".to_string(),
            FaultKind::Leak => "a record can no longer be reached, and was not deleted".to_string(),
            FaultKind::HeapLimit { most } => format!("more than {}", counted(most, "record")),
            FaultKind::StackLimit { most } => format!("more than {} inside each other", counted(most, "call")),
            FaultKind::LockLimit { most } => format!("a thread takes a lock more than {} without giving it back", counted(most, "time")),
            FaultKind::BadCast => "the record is of another type".to_string(),
            FaultKind::NoFunction => "the value stands for no function that can be called like this".to_string(),
            FaultKind::BadLength { length } => format!("an array cannot have {length} elements"),
            FaultKind::OutOfRange { value, low, high } => format!("{value} is not in the range {low} to {high}"),
            FaultKind::NotOwner => "the thread does not hold the lock".to_string(),
            FaultKind::LockedByAnother => "a record is used while another thread holds its lock".to_string(),
            FaultKind::UncaughtException => "nobody handles the exception".to_string(),
            FaultKind::Extension(Failure::Empty) => "there is nothing in the value to be taken".to_string(),
            FaultKind::Extension(Failure::Missing) => "there is no such element in the value".to_string(),
            FaultKind::Extension(Failure::Full) => "nothing more can be put into the value".to_string(),
            FaultKind::Extension(Failure::Invalid) => "the operation has no meaning for these arguments".to_string(),
            FaultKind::TooManyAlternatives { most } => format!("a choice between more than {most} alternatives"),
            FaultKind::ValueLimit { most } => format!("more than {most} entries in a value"),
            FaultKind::Nondeterminism => "two statements of a D_proctype are executable at once".to_string(),
        }
    }
}

/// `1 call`, `2 calls`.
fn counted(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
