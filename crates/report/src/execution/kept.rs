//! Which steps of a long run are shown: the last ones, those that are about the same memory as the violation, and the
//! writes that these read from.

use super::facts::newer;
use super::{Action, Execution, Source, Step};

/// A run that is not longer is shown as it is.
const SHORT: usize = 60;
/// So many of the steps about the memory of the violation are shown, the last ones.
const MOST_CONCERNED: usize = 40;

/// For every step, whether it is shown; of a long run the `last` ones are.
pub(super) fn kept(execution: &Execution, last: usize) -> Vec<bool> {
    let count = execution.steps.len();
    if count <= SHORT {
        return vec![true; count];
    }
    let mut kept: Vec<bool> = (0..count).map(|index| index + last >= count).collect();
    let places = places(execution);
    let concerned = |step: &&Step| step.access().is_some_and(|access| places.contains(&access.place));
    let concerned = execution.steps.iter().rev().filter(concerned).take(MOST_CONCERNED).map(|step| step.step);
    for step in concerned.chain(execution.concerns.iter().copied()) {
        if let Some(kept) = kept.get_mut(step - 1) {
            *kept = true;
        }
    }
    let newer = newer(execution);
    for index in (0..count).filter(|&index| kept[index]).collect::<Vec<_>>() {
        let source = execution.steps[index].access().and_then(|access| access.reads_from);
        let source = source.and_then(|source| if let Source::Step(write) = source { Some(write) } else { None });
        for write in source.into_iter().chain(newer[index]) {
            kept[write - 1] = true;
        }
    }
    // A note that one step is left out is as long as the step.
    for index in 0..count - 1 {
        kept[index] |= kept[index + 1] && (index == 0 || kept[index - 1]);
    }
    kept
}

/// The places of memory that the violation is about.
fn places(execution: &Execution) -> Vec<usize> {
    let mut about: Vec<usize> = execution.waiting.iter().filter_map(|waiting| waiting.place).collect();
    let concerns = execution.concerns.iter().filter_map(|&number| execution.step(number));
    about.extend(concerns.filter_map(|step| Some(step.access()?.place)));
    for spin in &execution.steps {
        about.extend(repeated(execution, spin).filter_map(|step| Some(step.access()?.place)));
    }
    about.sort_unstable();
    about.dedup();
    about
}

/// The steps that a thread would repeat forever, the last first.
pub(super) fn repeated<'a>(execution: &'a Execution, spin: &'a Step) -> impl Iterator<Item = &'a Step> {
    let length = if let Action::Spin { steps } = spin.action { steps } else { 0 };
    let before = &execution.steps[..(spin.step - 1).min(execution.steps.len())];
    before.iter().rev().filter(move |step| step.thread == spin.thread).take(length)
}
