//! Finding representatives during a search: one plan for each arrangement of components that is met, and counts of what
//! was done.

use std::time::{Duration, Instant};

use quotient_group::Canonizer;
use quotient_ir::schema::Schema;
use quotient_ir::{Group, Model, Symmetry};

use crate::Strategy;
use crate::label::Labeller;
use crate::plan::{Arrangement, Images, Plan};
use crate::sort::Sorter;

/// Every how many states the clock is looked at.
const SAMPLE: u64 = 32;

/// Finds representatives of the states of a model.
#[derive(Clone, Debug)]
pub struct Reducer<'m> {
    model: &'m Model,
    schema: Schema,
    symmetry: &'m Symmetry,
    strategy: Strategy,
    /// Plans by number of shape; the inner option is none where states are their own representatives.
    plans: Vec<Option<Option<Box<Prepared>>>>,
    sorter: Sorter,
    canonizer: Canonizer,
    images: Vec<u8>,
    renamed: Vec<u8>,
    /// The state, without what nobody will read.
    read: Vec<u8>,
    counts: Counts,
}

/// What is needed for the states of one shape.
#[derive(Clone, Debug)]
struct Prepared {
    plan: Plan,
    labeller: Labeller,
}

/// What a reducer did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Representatives found.
    pub representatives: u64,
    /// Those among them that need not be the only one of their orbit, because the search for it took too long.
    pub normalised: u64,
    /// Time spent, extrapolated from a sample.
    pub time: Duration,
}

impl<'m> Reducer<'m> {
    /// A reducer for a model that has a symmetry.
    pub fn new(model: &'m Model, schema: &Schema, strategy: Strategy) -> Option<Self> {
        let symmetry = model.symmetry.as_ref()?;
        Some(Reducer {
            model,
            schema: schema.clone(),
            symmetry,
            strategy,
            plans: Vec::new(),
            sorter: Sorter::default(),
            canonizer: Canonizer::new(),
            images: Vec::new(),
            renamed: Vec::new(),
            read: Vec::new(),
            counts: Counts::default(),
        })
    }

    /// The strategy.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Goes on with what another reducer has counted.
    pub fn count_from(&mut self, counts: Counts) {
        self.counts = counts;
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The plan for a state of a shape; none for states that are not renamed: not all members have their processes yet,
    /// or are not set up yet.
    pub fn plan(&mut self, shape: u32, arrangement: impl FnOnce() -> Arrangement, state: &[u8]) -> Option<&Plan> {
        self.prepare(shape, arrangement);
        let plan = self.plans[shape as usize].as_ref()?.as_ref().map(|prepared| &prepared.plan)?;
        plan.renames(state).then_some(plan)
    }

    #[inline]
    fn prepare(&mut self, shape: u32, arrangement: impl FnOnce() -> Arrangement) {
        let index = shape as usize;
        if self.plans.get(index).is_none_or(Option::is_none) {
            self.plans.resize(self.plans.len().max(index + 1), None);
            self.plans[index] = Some(self.compile(&arrangement()).map(Box::new));
        }
    }

    #[cold]
    fn compile(&self, arrangement: &Arrangement) -> Option<Prepared> {
        let needed = self.symmetry.processes.iter().rposition(|position| !position.members.is_empty());
        if needed.is_some_and(|last| last >= arrangement.processes.len()) {
            return None;
        }
        let plan = Plan::new(self.model, &self.schema, self.symmetry, arrangement).ok()?;
        Some(Prepared { labeller: Labeller::new(&plan), plan })
    }

    /// The representative of a state of a shape.
    #[inline]
    pub fn representative<'a>(
        &'a mut self,
        shape: u32,
        arrangement: impl FnOnce() -> Arrangement,
        state: &'a [u8],
    ) -> &'a [u8] {
        self.find::<false>(shape, arrangement, state).0
    }

    /// As [`Self::representative`], with the renaming that leads to it: the state renamed by these images is the
    /// representative, up to [what nobody will read](Plan::forget). There is none for states that are not renamed.
    #[inline]
    pub fn representative_and_images<'a>(
        &'a mut self,
        shape: u32,
        arrangement: impl FnOnce() -> Arrangement,
        state: &'a [u8],
    ) -> (&'a [u8], Option<&'a Images>) {
        self.find::<true>(shape, arrangement, state)
    }

    /// Finds a representative; `KEEP` says whether somebody wants the renaming.
    #[inline(always)]
    fn find<'a, const KEEP: bool>(
        &'a mut self,
        shape: u32,
        arrangement: impl FnOnce() -> Arrangement,
        state: &'a [u8],
    ) -> (&'a [u8], Option<&'a Images>) {
        self.prepare(shape, arrangement);
        let Some(Some(prepared)) = &mut self.plans[shape as usize] else { return (state, None) };
        let Prepared { plan, labeller } = &mut **prepared;
        if !plan.renames(state) {
            return (state, None);
        }
        self.counts.representatives += 1;
        let sampled = self.counts.representatives.is_multiple_of(SAMPLE).then(Instant::now);
        let state = match &plan.unread {
            None => state,
            Some(unread) => {
                self.read.clear();
                self.read.extend_from_slice(state);
                unread.neutralise(&mut self.read);
                &self.read
            }
        };
        let (representative, images): (&mut [u8], &Images) = match self.strategy {
            Strategy::Canonical => {
                let canonical = labeller.label(plan, &mut self.canonizer, state, &mut self.images);
                self.counts.normalised += u64::from(!canonical);
                plan.apply(&self.images, state, &mut self.renamed);
                (&mut self.renamed, &self.images)
            }
            strategy => {
                let (representative, images, as_said) = self.sorter.representative::<KEEP>(plan, strategy, state);
                self.counts.normalised += u64::from(!as_said);
                (representative, images)
            }
        };
        if let Some(unread) = plan.unread.as_ref().filter(|unread| unread.has_neutral) {
            unread.clear(representative);
        }
        if let Some(started) = sampled {
            self.counts.time += started.elapsed() * SAMPLE as u32;
        }
        (representative, KEEP.then_some(images))
    }
}

/// How many renamings a symmetry has; infinity where there are too many to count.
pub fn group_size(symmetry: &Symmetry) -> f64 {
    let size = |group, size: usize| match group {
        Group::Symmetric => (1..=size).map(|factor| factor as f64).product::<f64>(),
        Group::Cyclic => size as f64,
        Group::Dihedral if size < 3 => size as f64,
        Group::Dihedral => 2.0 * size as f64,
    };
    symmetry.sets.iter().map(|set| size(set.group, set.size)).product()
}
