//! What a step does, in words for the table and in the short notation of the execution graph.

use super::names::value;
use super::{Access, Action, Execution, Operation, Order, Source, Step};

impl Operation {
    /// The name of the method in std.
    pub(super) fn method(self) -> &'static str {
        match self {
            Operation::Load => "load",
            Operation::Store => "store",
            Operation::Swap => "swap",
            Operation::FetchAdd => "fetch_add",
            Operation::FetchSub => "fetch_sub",
            Operation::FetchAnd => "fetch_and",
            Operation::FetchNand => "fetch_nand",
            Operation::FetchOr => "fetch_or",
            Operation::FetchXor => "fetch_xor",
            Operation::FetchMax => "fetch_max",
            Operation::FetchMin => "fetch_min",
            Operation::CompareExchange | Operation::CompareExchangeFailed => "compare_exchange",
            Operation::CompareExchangeSpurious => "compare_exchange_weak",
            Operation::Lock => "lock",
            Operation::Unlock | Operation::DropGuard => "unlock",
            Operation::Wait => "wait",
            Operation::Free => "free",
        }
    }
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Order::Plain => "plain",
            Order::Relaxed => "Relaxed",
            Order::Acquire => "Acquire",
            Order::Release => "Release",
            Order::AcqRel => "AcqRel",
            Order::SeqCst => "SeqCst",
        }
    }

    fn short(self) -> &'static str {
        match self {
            Order::Plain => "na",
            Order::Relaxed => "rlx",
            Order::Acquire => "acq",
            Order::Release => "rel",
            Order::AcqRel => "ar",
            Order::SeqCst => "sc",
        }
    }
}

/// What a step does, as the end of a sentence that begins with the thread.
pub(super) fn words(execution: &Execution, step: &Step) -> String {
    match &step.action {
        Action::Access(access) => access_words(execution, access),
        Action::Fence { order } => format!("fence ({})", order.name()),
        Action::Spawn { child } => format!("starts {}", execution.who(*child)),
        Action::Join { child } => format!("joins {}", execution.who(*child)),
        Action::End => "ends".to_string(),
        Action::Choose { value } => format!("chooses {value}"),
        Action::Clock { passed: false } => "reads the clock: no time has passed".to_string(),
        Action::Clock { passed: true } => "reads the clock: a long time has passed".to_string(),
        Action::Spin { .. } => "waits in a loop".to_string(),
        Action::Assume => "stops: an assumption does not hold".to_string(),
        Action::Primary { operation } => {
            format!("begins operation {}, which others may leave to it", value(*operation))
        }
        Action::Help { operation } => {
            format!("leaves operation {} to the thread that runs it", value(*operation))
        }
    }
}

fn access_words(execution: &Execution, access: &Access) -> String {
    let Access { operation, order, expected, read, written, .. } = access;
    let label = execution.label(access.place);
    let is = |value_of: &Option<u64>| value_of.map_or(String::new(), |number| format!(" = {}", value(number)));
    let change = match (read, written) {
        (Some(old), Some(new)) => format!(": {} → {}", value(*old), value(*new)),
        _ => String::new(),
    };
    let order = order.name();
    let method = operation.method();
    match (operation, access.order) {
        (Operation::Load, Order::Plain) => format!("plain read of {label}{}", is(read)),
        (Operation::Store, Order::Plain) => format!("plain write of {label}{}", is(written)),
        (Operation::Load, _) => format!("reads {label}{} ({order})", is(read)),
        (Operation::Store, _) => format!("writes {label}{} ({order})", is(written)),
        (Operation::Wait, _) => format!("has waited until {label}{} ({order})", is(read)),
        (Operation::Free, _) => format!("frees {label}"),
        // The values of a mutex are the library's own affair.
        (Operation::Lock, _) if (*read, *written) == (Some(0), Some(1)) => format!("locks {label}"),
        (Operation::Unlock, _) if *written == Some(0) => format!("unlocks {label}"),
        (Operation::DropGuard, _) if *written == Some(0) => format!("unlocks {label}, whose guard was taken here"),
        (Operation::Lock, _) if read == written => format!("has waited for {label}"),
        (Operation::Lock, _) => format!("locks {label}{change}"),
        (Operation::Unlock, _) => format!("unlocks {label}{change}"),
        (Operation::DropGuard, _) => format!("unlocks {label}{change}, whose guard was taken here"),
        (Operation::CompareExchangeFailed, _) => {
            let not = expected.map_or(String::new(), |number| format!(", not {}", value(number)));
            format!("{method} {label} fails: it{}{not} ({order})", is(read).replace(" =", " is"))
        }
        (Operation::CompareExchangeSpurious, _) => {
            format!("{method} {label} fails without a reason: it{} ({order})", is(read).replace(" =", " is"))
        }
        _ => format!("{method} {label}{change} ({order})"),
    }
}

/// What a step does, in the notation of the execution graph: `R[acq] flag=1 ←4`.
pub(super) fn notation(execution: &Execution, step: &Step) -> String {
    match &step.action {
        Action::Access(access) => {
            let from = match access.reads_from {
                Some(Source::Initial) => " ←init".to_string(),
                Some(Source::Step(write)) => format!(" ←{write}"),
                None => String::new(),
            };
            format!("{}{from}", access_notation(execution, access))
        }
        Action::Fence { order } => format!("F[{}]", order.short()),
        Action::Spawn { child } => format!("spawn {child}"),
        Action::Join { child } => format!("join {child}"),
        Action::End => "end".to_string(),
        Action::Choose { value } => format!("choose {value}"),
        Action::Clock { passed } => format!("clock {}", u8::from(*passed)),
        Action::Spin { .. } => "spins".to_string(),
        Action::Assume => "assume".to_string(),
        Action::Primary { operation } => format!("primary {}", value(*operation)),
        Action::Help { operation } => format!("help {}", value(*operation)),
    }
}

fn access_notation(execution: &Execution, access: &Access) -> String {
    let kind = match (access.reads(), access.writes()) {
        (true, true) => "U",
        (false, true) => "W",
        _ => "R",
    };
    let values: Vec<String> = [access.read, access.written].into_iter().flatten().map(value).collect();
    let values = if values.is_empty() { String::new() } else { format!("={}", values.join("→")) };
    format!("{kind}[{}] {}{values}", access.order.short(), execution.label(access.place))
}
