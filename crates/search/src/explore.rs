//! What a caller asks for: a search of a model with options, from the start or from a checkpoint. A reduction that turns
//! out not to be right is dropped here, and the search starts again without it.

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use quotient_canon::{HeapReducer, HeapStrategy, Reducer};
use quotient_ir::Model;
use quotient_por::{HeapRule, Reduction, Trust};
use quotient_step::machine::{Most, Naming, Program};
use quotient_store::Tree;

use crate::checkpoint::{Keeper, Session};
use crate::engine::{BreadthFirst, DepthFirst, Engine, Expander, Frontier, Visited, Visitor, read_history};
use crate::{Dropped, Exploration, Options, Order, Reduce};

/// What an observer is told from time to time.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// States stored.
    pub states: u64,
    /// States met again.
    pub matched: u64,
    /// The longest path so far.
    pub depth: u64,
    /// Steps on the current path.
    pub current: u64,
    /// Bytes of the visited set and the stack.
    pub bytes: u64,
}

/// Explores a model. The observer is called now and then; the search ends when it gives back false. A reduction that turns
/// out not to be right is dropped, and the search starts again without it.
pub fn explore(model: &Model, options: &Options, observer: &mut dyn FnMut(Progress) -> bool) -> Exploration {
    explore_in(model, options, Session::default(), observer).expect("nothing is read")
}

/// As [`explore`], keeping checkpoints, or going on from one. `Err` says why that one cannot be used.
pub fn explore_in(
    model: &Model,
    options: &Options,
    session: Session<'_>,
    observer: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<Exploration> {
    let started = Instant::now();
    let Session { mut resume, mut keeper } = session;
    // Without reduction, states are counted as SPIN counts them.
    let seen = if options.reduce.is_on() && !model.counts_as_spin { model.seen_by(None) } else { Cow::Borrowed(model) };
    let model = &*seen;
    let tree = options.store.is_tree();
    let mut allowed = *options;
    let mut history = match &mut resume {
        Some(input) => read_history(input)?,
        None => History::default(),
    };
    history.dropped.iter().for_each(|wrong| drop_reduction(&mut allowed, wrong));
    loop {
        let asked = Request { model, options, allowed: &allowed, history: &history, started };
        let (resume, keeper) = (resume.take(), reborrow(&mut keeper));
        let (mut found, wrong) = match (options.order, tree) {
            (Order::DepthFirst, false) => attempt::<DepthFirst, ()>(asked, &mut (), resume, keeper, observer),
            (Order::DepthFirst, true) => attempt::<DepthFirst<Tree>, ()>(asked, &mut (), resume, keeper, observer),
            (Order::BreadthFirst, false) => attempt::<BreadthFirst, ()>(asked, &mut (), resume, keeper, observer),
            (Order::BreadthFirst, true) => attempt::<BreadthFirst<Tree>, ()>(asked, &mut (), resume, keeper, observer),
        }?;
        let Some(wrong) = wrong else {
            found.dropped = history.dropped;
            found.time = history.time + started.elapsed();
            return Ok(found);
        };
        drop_reduction(&mut allowed, &wrong);
        history.dropped.push(wrong);
    }
}

/// What happened before the search that is under way.
#[derive(Default)]
pub(crate) struct History {
    /// Reductions that were dropped.
    pub(crate) dropped: Vec<Dropped>,
    /// How long it took until the checkpoint that this process goes on from.
    pub(crate) time: Duration,
}

fn drop_reduction(allowed: &mut Options, wrong: &Dropped) {
    match wrong {
        Dropped::Symmetry { .. } => allowed.symmetry = None,
        Dropped::Order(_) => allowed.reduce = Reduce::Off,
    }
}

fn reborrow<'a>(keeper: &'a mut Option<&mut dyn Keeper>) -> Option<&'a mut dyn Keeper> {
    match keeper {
        Some(keeper) => Some(&mut **keeper),
        None => None,
    }
}

/// What a search is to do.
#[derive(Clone, Copy)]
pub(crate) struct Request<'m, 'o> {
    pub(crate) model: &'m Model,
    pub(crate) options: &'o Options,
    /// The options without reductions that were dropped.
    pub(crate) allowed: &'o Options,
    pub(crate) history: &'o History,
    pub(crate) started: Instant,
}

/// One search in the order `F`, with the reductions that are still allowed of those asked for, from the start or from a
/// checkpoint; also tells which one is not right.
fn attempt<'o, F: Frontier, V: Visitor>(
    asked: Request<'_, 'o>,
    visitor: &'o mut V,
    resume: Option<&mut dyn io::Read>,
    keeper: Option<&'o mut dyn Keeper>,
    observer: &'o mut dyn FnMut(Progress) -> bool,
) -> io::Result<(Exploration, Option<Dropped>)> {
    let Request { model, options: all_options, allowed: options, .. } = asked;
    let full = options.reduce == Reduce::Full;
    let program = if full { Program::new(model).with_resets() } else { Program::new(model) };
    let mut expander = Expander::new(&program, reduction(model, options), full, all_options.reduce.is_on());
    if options.heap == HeapStrategy::None {
        expander.machine.name_records(Naming::Allocation);
    }
    if model.heap.is_some() && options.reduce.is_on() {
        expander.machine.measure_heap(Most::default());
    }
    expander.watch.making_is_shared = !options.symmetric_independence;
    expander.watch.all_is_own = options.left_out == Some(HeapRule::Owners);
    expander.watch.forgets_globals = options.left_out == Some(HeapRule::Roots);
    expander.watch.locked_is_own = program.access.locks_protect || options.left_out == Some(HeapRule::Protection);
    expander.watch.unlocking_is_own |= options.left_out == Some(HeapRule::Unlocking);
    let heap = HeapReducer::with_members(model, &program.schema, options.heap);
    let strategy = options.symmetry.filter(|&strategy| quotient_canon::obstacle(model, strategy).is_none());
    let reducer = strategy.and_then(|strategy| Reducer::new(model, &program.schema, strategy));
    let mut engine = Engine::<F, V>::new(asked, expander, Visited::new(reducer, heap), visitor, keeper, observer);
    match resume {
        None => engine.start(),
        Some(input) => engine.restore(input)?,
    }
    engine.run();
    if engine.can_go_on() {
        engine.keep();
    }
    engine.examine();
    let (mut found, dropped) = engine.into_found();
    found.heap = model.heap.as_ref().map(|_| match options.heap {
        HeapStrategy::Canonical if quotient_canon::heap::renames_members(model) => HeapStrategy::Canonical,
        strategy if strategy.orders_threads() && quotient_canon::heap::obstacle(model).is_some() => HeapStrategy::Heap,
        strategy => strategy,
    });
    Ok((found, dropped))
}

/// The partial-order reduction that the options allow for a model.
fn reduction(model: &Model, options: &Options) -> Option<Reduction> {
    if !options.reduce.is_on() || quotient_por::obstacle(model).is_some() {
        return None;
    }
    let trust = if options.trust { Trust::Spin } else { Trust::Nothing };
    let believed: Vec<usize> =
        (0..model.proctypes.len().min(64)).filter(|id| options.believed >> id & 1 == 1).collect();
    let reduction = Reduction::without(model, trust, options.left_out).believing(&believed);
    (options.reduce != Reduce::Full || reduction.is_ever_free()).then_some(reduction)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use quotient_store::Entry;

    use super::*;
    use crate::Stop;

    /// Checks that states are entered and left as a stack, and counts.
    #[derive(Default)]
    struct Counter {
        stack: Vec<u64>,
        entered: u64,
        met_again: u64,
        /// States met again while they are on the stack: each closes a cycle.
        cycles: u64,
        deepest: usize,
    }

    impl Visitor for Counter {
        fn enter(&mut self, state: Entry) {
            self.entered += 1;
            self.stack.push(state.address());
            self.deepest = self.deepest.max(self.stack.len());
        }

        fn meet_again(&mut self, state: Entry) {
            self.met_again += 1;
            self.cycles += u64::from(self.stack.contains(&state.address()));
        }

        fn leave(&mut self, state: Entry) {
            assert_eq!(self.stack.pop(), Some(state.address()));
        }
    }

    /// Searches a model with a visitor, to the end.
    fn visited<F: Frontier>(text: &str, reduce: Reduce) -> (Counter, Exploration) {
        let (counter, found) = visited_partly::<F>(text, reduce);
        assert!(found.stop.is_none() && counter.stack.is_empty());
        assert_eq!((counter.entered, counter.met_again), (found.states, found.matched));
        (counter, found)
    }

    /// Searches a model with a visitor.
    fn visited_partly<F: Frontier>(text: &str, reduce: Reduce) -> (Counter, Exploration) {
        let read = |_: &Path| Ok(text.as_bytes().to_vec());
        let loaded =
            quotient_promela::load_with(Path::new("visited.pml"), &quotient_promela::Options::default(), &read);
        let model = loaded.model.expect("the model is well-formed");
        let options = Options { reduce, all_errors: true, ..Options::default() };
        let asked = Request {
            model: &model,
            options: &options,
            allowed: &options,
            history: &History::default(),
            started: Instant::now(),
        };
        let mut counter = Counter::default();
        let observer = &mut |_: Progress| true;
        let (found, dropped) =
            attempt::<F, Counter>(asked, &mut counter, None, None, observer).expect("nothing is read");
        assert!(dropped.is_none());
        (counter, found)
    }

    const CIRCLE: &str =
        "byte x; active [2] proctype p() { do :: x = (x + 1) % 3 :: atomic { x == 2; x = 0; x == 1 } od }";
    const LINE: &str = "byte x; active [2] proctype p() { x++; atomic { x++; x++ }; x++ }";

    const ALL: [Reduce; 3] = [Reduce::Off, Reduce::Spin, Reduce::Full];

    #[test]
    fn every_state_is_entered_and_left_once() {
        for (text, reduce) in [CIRCLE, LINE].into_iter().flat_map(|text| ALL.map(|reduce| (text, reduce))) {
            let (_, deep) = visited::<DepthFirst>(text, reduce);
            let (broad, found) = visited::<BreadthFirst>(text, reduce);
            assert_eq!(broad.deepest, 1, "breadth-first, one state is expanded after another");
            assert!(reduce == Reduce::Spin || (found.states, found.matched) == (deep.states, deep.matched));
        }
    }

    #[test]
    fn a_set_without_room_ends_the_search_and_nothing_holds() {
        for (text, reduce) in [CIRCLE, LINE].into_iter().flat_map(|text| ALL.map(|reduce| (text, reduce))) {
            let (_, whole) = visited::<DepthFirst<Tree>>(text, reduce);
            for (_, found) in [
                visited_partly::<DepthFirst<Tree<3>>>(text, reduce),
                visited_partly::<BreadthFirst<Tree<3>>>(text, reduce),
            ] {
                assert_eq!(found.stop, Some(Stop::StoreFull), "{reduce:?}: {text}");
                assert!(found.states < whole.states, "{reduce:?}: {text}");
            }
        }
    }

    #[test]
    fn a_visitor_sees_cycles() {
        assert!(visited::<DepthFirst>(CIRCLE, Reduce::Off).0.cycles > 0);
        assert_eq!(visited::<DepthFirst>(LINE, Reduce::Off).0.cycles, 0);
    }
}
