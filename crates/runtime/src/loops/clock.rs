//! Looks at the clock in loops. A thread could have looked at any later time at once, so a round that ends in the state in
//! which it would have ended at once with the later time is covered (the second rule of `loops`).

use super::trial::Told;
use quotient_dpor::graph::{Event, Kind, OpCode, OpWords};

/// Whether an event is a look at the clock.
pub(super) fn is_look(event: &Event) -> bool {
    event.kind == Kind::Choose && event.asked.what.code == OpCode::Clock
}

/// Whether a thread that is told something has asked for it. The time that it is at least does not matter: it is told.
pub(super) fn fits(told: &Told, asked: OpWords) -> bool {
    told.asked == asked || told.asked.what.code == OpCode::Clock && asked.what.code == OpCode::Clock
}

/// Whether a thread looks at the clock in these events, and each time finds that a long time has passed, after which it is
/// past everything. If it then does the same again, it does so forever.
pub(super) fn is_past_everything(events: &[Event]) -> bool {
    let mut looks = events.iter().filter(|event| is_look(event)).peekable();
    looks.peek().is_some() && looks.all(|event| event.value == 1 && event.asked.what.weak)
}

/// Whether time may yet pass in these events, so that they are not repeated forever.
pub(super) fn may_pass(events: &[Event]) -> bool {
    events.iter().any(|event| is_look(event) && event.value == 0)
}
