//! Panics of the checked program: their message and place, instead of what the default hook prints.

use crate::context::{Context, checking, with};
use crate::failure::Place;
use crate::threads::suspend;
use quotient_dpor::{Violation, ViolationKind};
use std::any::Any;
use std::panic::{Location, PanicHookInfo};
use std::sync::Once;

/// Makes panics of modelled threads known to their execution; all others are left to the hook that was there before.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| if checking() { record(info) } else { previous(info) }));
    });
}

fn record(info: &PanicHookInfo<'_>) {
    let message = message_of(info.payload());
    let site = info.location().map(|location| (location.file().to_owned(), location.line(), location.column()));
    let hopeless = with(|context| {
        if !context.in_program {
            return false;
        }
        let index = context.current.0 as usize;
        let again = context.slots[index].unwinding;
        context.slots[index].unwinding = true;
        if again {
            // The language would end the process. The stack of this coroutine is given up instead.
            context.poisoned = true;
            if !context.abandoning {
                let message = format!("{message} (while unwinding from an earlier panic)");
                context.violate(ViolationKind::Panic, message, site);
            }
        } else if context.spin.is_active() {
            // The thread has left the loop that it was let run on in.
            context.give_up();
        } else if !context.abandoning {
            context.violate(ViolationKind::Panic, message, site);
        }
        again
    });
    if hopeless {
        loop {
            suspend();
        }
    }
}

/// Records a panic that did not go through the hook (`resume_unwind`).
pub(crate) fn record_payload(context: &mut Context, payload: &(dyn Any + Send)) {
    if !context.abandoning {
        context.violate(ViolationKind::Panic, message_of(payload), None);
    }
}

fn message_of(payload: &dyn Any) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}

impl Context {
    /// Ends the execution with a violation of the program's making.
    pub(crate) fn violate(&mut self, kind: ViolationKind, message: String, place: Option<Place>) {
        self.panic_place = place;
        self.violate_at(kind, message, None);
    }

    pub(crate) fn violate_at(
        &mut self,
        kind: ViolationKind,
        message: String,
        site: Option<&'static Location<'static>>,
    ) {
        if self.explorer.violation().is_none() {
            self.culprit = Some(self.current.0);
        }
        self.explorer.report(Violation { kind, message, events: Vec::new(), site });
        self.abandoning = true;
    }
}
