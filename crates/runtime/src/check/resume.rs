//! Going on with an exploration that another process has begun: where it was is told to the host now and then, and when a limit
//! stops it; a new exploration first goes there (`quotient_dpor::Position`).

use super::{Control, Knowledge, describe};
use crate::context::Context;
use crate::failure::Failure;
use quotient_dpor::Position;
use std::sync::atomic::Ordering;

/// Where an exploration is.
#[derive(Clone, Debug)]
pub struct Whereabouts {
    /// What is known of the program.
    pub knowledge: Knowledge,
    /// Where the explorer is, and what it has counted.
    pub position: Position,
    /// How many executions have been complete, whoever counts them.
    pub executions: u64,
    /// The loop that was not followed to its end, if there is one.
    pub undecided: Option<String>,
}

/// When the host is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// If it wants to know. The present execution is the next to be run.
    IfWanted,
    /// A limit stops the exploration before the present execution is run.
    Before,
    /// A limit stops it when the present execution is done and the next one is not found yet.
    After,
}

/// Tells the host where the exploration is.
pub(super) fn tell(control: &Control, context: &Context, when: When) {
    let Some(host) = context.host.as_ref().filter(|host| match when {
        When::IfWanted => host.wants_whereabouts(),
        When::Before | When::After => true,
    }) else {
        return;
    };
    let explorer = &context.explorer;
    let position = if when == When::After { explorer.whereabouts_between() } else { explorer.whereabouts() };
    let Some(position) = position else { return };
    let before = control.resumed();
    if explorer.is_on_the_way() {
        // Nothing is new.
        before.inspect(|before| host.keep_whereabouts(before));
        return;
    }
    let undecided = context.loops.cut.as_ref().map(|cut| describe(&control.options, cut));
    host.keep_whereabouts(&Whereabouts {
        knowledge: control.seed.clone(),
        position,
        executions: control.executions.load(Ordering::Relaxed),
        undecided: undecided.or_else(|| before.and_then(|before| before.undecided.clone())),
    });
}

/// An execution on the way has ended: goes to the next one. False if there is none.
pub(super) fn go_on(control: &Control, context: &mut Context) -> bool {
    match context.explorer.go_on_the_way() {
        Ok(more) => {
            let is_there = !context.explorer.is_on_the_way();
            if is_there {
                arrive(control, context);
            }
            if !more && super::work::stop_if_late(control, &context.explorer) {
                tell(control, context, if is_there { When::After } else { When::Before });
            }
            more
        }
        Err(_) => {
            let message = "the program does not do what it did when the checkpoint was made";
            super::work::fail(control, Failure::of_replay(message.to_owned()));
            false
        }
    }
}

/// From here on everything counts.
pub(super) fn arrive(control: &Control, context: &Context) {
    if let Some(resumed) = control.resumed() {
        control.executions.store(resumed.executions, Ordering::Relaxed);
    }
    context.host.as_ref().inspect(|host| host.carry_on());
}
