//! Runs executions once more, to see that the program does the same: what it keeps from one execution to the next, or
//! takes from elsewhere, would hide errors.
//!
//! The first execution is always repeated before anything else is explored, and in the end; others as `quotient_dpor` says. A process may do
//! something only once that changes nothing but the names of memory; then the first execution is recorded anew.

use crate::check::{Control, run_once};
use crate::context::Context;
use crate::failure::Failure;
use crate::memory;
use quotient_dpor::Repetition;
use std::sync::Arc;

/// What follows from a repetition.
pub(crate) enum Again {
    /// All was the same, or there was none: the exploration goes on.
    Same,
    /// The execution has to be run anew, and recorded.
    Anew,
    /// The program is not deterministic.
    Different(Box<Failure>),
}

/// Repeats the execution that has just been run, if that is due.
pub(crate) fn repeat(control: &Arc<Control>, pointer: *mut Context) -> Again {
    // SAFETY: no coroutine is running between two runs.
    let context = unsafe { &mut *pointer };
    let disturbed = context.poisoned || context.retry && !context.restart || context.suspect.is_some();
    if disturbed || context.explorer.violation().is_some() || !context.explorer.is_repeat_due() {
        return Again::Same;
    }
    let first = !std::mem::replace(&mut context.warm, true);
    let mut again = repeat_now(control, pointer, first);
    if matches!(again, Again::Same)
        && let Some(failure) = flip(control, pointer)
    {
        again = Again::Different(failure);
    }
    // SAFETY: as above.
    let context = unsafe { &mut *pointer };
    let by_order = !control.seed.keep_order && context.explorer.has_left_order() && control.options.replay.is_none();
    if by_order && matches!(again, Again::Different(_)) {
        // What comes from the order of threads is not there if they keep it.
        (context.keep_order, context.restart) = (true, true);
        return Again::Same;
    }
    if context.first.is_none() && matches!(again, Again::Same) && !context.restart && !context.poisoned {
        context.first = Some(Box::new(context.explorer.record()));
    }
    again
}

/// Repeats the execution with the other order of addresses. If that makes a difference, each time, the check is to begin again.
/// Returns a failure if the program turns out not to be deterministic.
fn flip(control: &Arc<Control>, pointer: *mut Context) -> Option<Box<Failure>> {
    let options = &control.options;
    let is_wanted = options.flips && options.host.is_none() && options.replay.is_none() && options.walks.is_none();
    // SAFETY: as in `repeat`.
    let context = unsafe { &mut *pointer };
    let disturbed = context.restart || context.poisoned || control.seed.orders_addresses.is_some();
    if !is_wanted || disturbed || !memory::had_several_owners() {
        return None;
    }
    let mut place = None;
    for flipped in [true, false, true] {
        // SAFETY: as above.
        unsafe { (*pointer).flipped = flipped };
        let again = repeat_now(control, pointer, false);
        // SAFETY: as above.
        let context = unsafe { &mut *pointer };
        context.flipped = false;
        // What has gone wrong with other addresses is found again, if it does, when they are explored.
        (context.culprit, context.panic_place) = (None, None);
        match again {
            _ if context.poisoned => return None,
            Again::Different(failure) if !flipped => return Some(failure),
            Again::Different(failure) => place = Some(failure.violation.site),
            Again::Same | Again::Anew if flipped => return None,
            Again::Same | Again::Anew => {}
        }
    }
    let place = place.flatten().map(|site| format!("{}:{}", site.file(), site.line()));
    // SAFETY: as above.
    let context = unsafe { &mut *pointer };
    context.orders_addresses = Some(place.unwrap_or_else(|| "somewhere".to_owned()));
    (context.keep_order, context.restart) = (true, true);
    None
}

/// Repeats the first execution when the exploration is over, or begins again: what has changed since then is not all that
/// executions may leave behind, but most of it.
pub(crate) fn repeat_first(control: &Arc<Control>, pointer: *mut Context) -> Option<Failure> {
    // SAFETY: as in `repeat`.
    let context = unsafe { &mut *pointer };
    if context.poisoned {
        return None;
    }
    let mut other = *context.first.take()?;
    std::mem::swap(&mut context.explorer, &mut other);
    let restart = std::mem::replace(&mut context.restart, false);
    let again = repeat_now(control, pointer, false);
    // SAFETY: as above.
    let context = unsafe { &mut *pointer };
    std::mem::swap(&mut context.explorer, &mut other);
    context.restart = restart;
    match again {
        Again::Different(failure) => Some(*failure),
        Again::Same | Again::Anew => None,
    }
}

/// Repeats the execution of the explorer; what it knows of the run is left as it is.
fn repeat_now(control: &Arc<Control>, pointer: *mut Context, first: bool) -> Again {
    // SAFETY: as in `repeat`.
    let context = unsafe { &mut *pointer };
    // What the run has found out is not known while it is repeated.
    let distinguished = std::mem::replace(&mut context.distinguished, control.seed.distinguished.clone());
    let observed = std::mem::replace(&mut context.observe_references, control.seed.observe_references);
    let restart = context.restart;
    let whys: Vec<&'static str> = context.slots.iter().map(|slot| slot.why).collect();
    context.explorer.repeat(first);
    run_once(control, pointer);
    // SAFETY: as above.
    let context = unsafe { &mut *pointer };
    let repetition = match (restart, context.restart) {
        _ if context.poisoned || context.retry => Repetition::Lost,
        (true, true) => Repetition::Cut,
        (false, false) => Repetition::Whole,
        _ => Repetition::Uneven,
    };
    let other_names = context.explorer.end_repeat(repetition);
    (context.distinguished, context.observe_references) = (distinguished, observed);
    (context.restart, context.retry) = (restart, false);
    for (slot, why) in context.slots.iter_mut().zip(whys) {
        slot.why = why;
    }
    if let Some(violation) = context.explorer.clear_violation() {
        return Again::Different(Box::new(Failure::of(context, violation)));
    }
    if other_names && !restart { Again::Anew } else { Again::Same }
}
