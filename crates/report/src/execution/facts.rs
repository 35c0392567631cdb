//! What follows from an execution: which values were out of date when they were read, who holds a lock, which message
//! from thread to thread was passed on too weakly. Steps are found by their numbers, from one.

use super::{Access, Action, Execution, Operation, Order, Source, Step};

impl Execution {
    /// The step with this number.
    pub(super) fn step(&self, number: usize) -> Option<&Step> {
        self.steps.get(number.checked_sub(1)?)
    }
}

impl Step {
    /// The access that this step is.
    pub(super) fn access(&self) -> Option<&Access> {
        if let Action::Access(access) = &self.action { Some(access) } else { None }
    }
}

impl Access {
    /// Whether it writes.
    pub(super) fn writes(&self) -> bool {
        use Operation::{CompareExchangeFailed, CompareExchangeSpurious, Load, Wait};
        !matches!(self.operation, Load | Wait | CompareExchangeFailed | CompareExchangeSpurious)
    }

    /// Whether it reads.
    pub(super) fn reads(&self) -> bool {
        self.reads_from.is_some()
    }
}

impl Order {
    /// Whether a read of this order orders what follows it.
    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether a write of this order orders what precedes it.
    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// For every step, the newest write to its place that had run by then, if the step reads or writes an older one.
pub(super) fn newer(execution: &Execution) -> Vec<Option<usize>> {
    // How new a write is; initial values are 0.
    let mut rank = vec![0; execution.steps.len() + 1];
    for place in &execution.places {
        for (index, &write) in place.writes.iter().enumerate() {
            if let Some(rank) = rank.get_mut(write) {
                *rank = index + 1;
            }
        }
    }
    let mut newest = vec![0; execution.places.len()];
    let newer = |step: &Step| {
        let access = step.access()?;
        let newest = newest.get_mut(access.place)?;
        let before = *newest;
        let mine = match access.reads_from {
            Some(Source::Step(write)) => *rank.get(write)?,
            Some(Source::Initial) => 0,
            None => rank[step.step],
        };
        if access.writes() && rank[step.step] > rank[before] {
            *newest = step.step;
        }
        (rank[before] > mine).then_some(before)
    };
    execution.steps.iter().map(newer).collect()
}

/// The locks that are held at the end: a place, and the step that took it.
pub(super) fn held(execution: &Execution) -> Vec<(usize, &Step)> {
    let places = execution.places.iter().enumerate();
    places
        .filter_map(|(index, place)| {
            let last = execution.step(*place.writes.last()?)?;
            let access = last.access()?;
            let is_lock = |step: &Step| {
                step.access().is_some_and(|access| access.operation == Operation::Lock && access.place == index)
            };
            let takes = match access.operation {
                Operation::Lock => true,
                // An attempt that succeeded, at a place that is a lock.
                Operation::CompareExchange => execution.steps.iter().any(is_lock),
                _ => false,
            };
            (takes && access.written != place.initial).then_some((index, last))
        })
        .collect()
}

/// A message from one thread to another that was passed on too weakly to order what came before it.
pub(super) struct Weak<'a> {
    /// The write.
    pub write: &'a Step,
    /// The read of its value.
    pub read: &'a Step,
    /// Whether the write would have to release.
    pub needs_release: bool,
    /// Whether the read would have to acquire.
    pub needs_acquire: bool,
}

impl Weak<'_> {
    /// What it lacks, as a sentence.
    pub(super) fn why(&self) -> &'static str {
        match (self.needs_release, self.needs_acquire) {
            (true, true) => "neither does the write release nor the read acquire",
            (true, false) => "the write does not release",
            _ => "the read does not acquire",
        }
    }
}

/// Why `early` is not before `late` although the latter's thread has heard from the former's in between.
pub(super) fn weak_link(execution: &Execution, early: usize, late: usize) -> Option<Weak<'_>> {
    let (from, to) = (execution.step(early)?.thread, execution.step(late)?.thread);
    weak_message(execution, (from, early), (to, late))
}

/// The same for what is no step: the threads, the last step of the first one before, and one after which the second one
/// has made none.
pub(super) fn weak_message(execution: &Execution, early: (usize, usize), late: (usize, usize)) -> Option<Weak<'_>> {
    let ((from, early), (to, late)) = (early, late);
    let before = execution.steps.get(..late - 1)?;
    before.iter().rev().filter(|step| step.thread == to).find_map(|read| {
        let access = read.access()?;
        let Some(Source::Step(number)) = access.reads_from else { return None };
        let write = execution.step(number).filter(|write| write.thread == from && write.step > early)?;
        let needs_release = !write.access()?.order.releases();
        let needs_acquire = !access.order.acquires();
        let atomic = write.access()?.order != Order::Plain && access.order != Order::Plain;
        let weak = atomic && from != to && (needs_release || needs_acquire);
        weak.then_some(Weak { write, read, needs_release, needs_acquire })
    })
}
