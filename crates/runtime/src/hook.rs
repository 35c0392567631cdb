//! Panics of the checked program: their message and place, instead of what the default hook prints.

use crate::context::{Context, checking, with};
use crate::failure::SourcePosition;
use crate::memory;
use crate::threads::dropping;
use quotient_dpor::{Violation, ViolationKind};
use std::any::Any;
use std::cell::Cell;
use std::panic::{Location, PanicHookInfo};
use std::sync::Once;

/// Makes panics of modelled threads known to their execution; all others are left to the hook that was there before.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        abort::intercept();
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !checking() {
                previous(info);
            } else if memory::program_runs() {
                record(info);
            } else if !dropping() && !has_mistake() {
                // The first panic says what is wrong; that it cannot be unwound comes later.
                note_mistake(info);
                previous(info);
            }
        }));
    });
}

thread_local! {
    /// Why the engine cannot go on, on this OS thread.
    static MISTAKE: Cell<Option<String>> = const { Cell::new(None) };
}

/// The engine itself has panicked.
fn note_mistake(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|location| format!(" at {location}")).unwrap_or_default();
    MISTAKE.set(Some(format!("{}{place}", message_of(info.payload()))));
}

/// What the engine's last panic on this OS thread said.
pub(crate) fn take_mistake() -> Option<String> {
    MISTAKE.take()
}

fn record(info: &PanicHookInfo<'_>) {
    let message = message_of(info.payload());
    let site = info.location().map(|location| (location.file().to_owned(), location.line(), location.column()));
    with(|context| {
        let index = context.current.0 as usize;
        if context.unwinds && !context.abandoning && !context.is_supposing() {
            let slot = &mut context.slots[index];
            (slot.unwinding, slot.panic) = (true, Some((message, site)));
            return;
        }
        let again = std::mem::replace(&mut context.slots[index].unwinding, true);
        if again && !context.abandoning {
            let message = format!("{message} (while unwinding from an earlier panic)");
            context.violate(ViolationKind::Panic, message, site);
        } else if context.is_supposing() {
            // The thread was told what did not happen.
            context.give_up();
        } else if !context.abandoning {
            context.violate(ViolationKind::Panic, message, site);
        }
    });
}

/// Records a panic that did not go through the hook (`resume_unwind`).
pub(crate) fn record_payload(context: &mut Context, payload: &(dyn Any + Send)) {
    if !context.abandoning {
        let current = context.current.0 as usize;
        let (message, place) = context.slots[current].panic.take().unwrap_or_else(|| (message_of(payload), None));
        context.violate(ViolationKind::Panic, message, place);
    }
}

/// A destructor that panics while a stack is unwound makes the language abort the process. When it is the stack of a
/// modelled thread, the thread is given up instead, and the OS thread with it.
#[cfg(unix)]
mod abort {
    use super::has_mistake;
    use crate::ViolationKind;
    use crate::context::{checking, with};
    use crate::threads::suspend;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;

    /// What was to be done about an abort before.
    static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

    pub(super) fn intercept() {
        // SAFETY: an action of zeros is valid, and so is the one that is made of it; the handler stays as long as the
        // process.
        let previous = unsafe {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            let mut previous = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            action.sa_sigaction = on_abort as extern "C" fn(libc::c_int) as usize;
            action.sa_flags = libc::SA_NODEFER;
            libc::sigaction(libc::SIGABRT, &action, &mut previous);
            previous
        };
        let _ = PREVIOUS.set(previous);
    }

    extern "C" fn on_abort(_signal: libc::c_int) {
        let ours = checking()
            && with(|context| {
                let thread = context.current.0 as usize;
                context.poisoned = context.in_program && (context.slots[thread].unwinding || has_mistake());
                if context.poisoned && context.unwinds && !context.abandoning {
                    let (message, place) = context.slots[thread].panic.take().unwrap_or_default();
                    let message = format!("{message} (while unwinding from an earlier panic)");
                    context.violate(ViolationKind::Panic, message, place);
                }
                context.poisoned
            });
        if ours {
            // `abort` is left without returning, as its standard allows. The coroutine is never resumed.
            loop {
                suspend();
            }
        }
        if let Some(previous) = PREVIOUS.get() {
            // SAFETY: the action was valid before. `abort` raises the signal again.
            unsafe { libc::sigaction(libc::SIGABRT, previous, ptr::null_mut()) };
        }
    }
}

/// Whether the engine has panicked.
pub(crate) fn has_mistake() -> bool {
    let mistake = MISTAKE.take();
    let known = mistake.is_some();
    MISTAKE.set(mistake);
    known
}

#[cfg(not(unix))]
mod abort {
    pub fn intercept() {}
}

pub(crate) fn message_of(payload: &dyn Any) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".to_owned())
}

impl Context {
    /// Ends the execution with a violation of the program's making.
    pub(crate) fn violate(&mut self, kind: ViolationKind, message: String, place: Option<SourcePosition>) {
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
            let thread = self.current.0;
            let is_own = match kind {
                ViolationKind::Panic => true,
                ViolationKind::Misuse | ViolationKind::Annotation => self.host.is_none(),
                _ => false,
            };
            if is_own && self.in_program && self.explorer.is_to_go_on(thread) {
                // What others do, and have not done before, cannot be the reason.
                self.panic_place = None;
                self.explorer.report_end(thread, &format!("it fails: {message}"), site);
                self.abandoning = true;
                return;
            }
            self.culprit = Some(thread);
        }
        self.explorer.report(Violation { kind, message, events: Vec::new(), site });
        self.abandoning = true;
    }
}
