//! One model under every strategy, order and partial-order reduction, against the naive search on the reference
//! interpreter: verdict, kinds of errors, and the number of orbits, which is found by brute force.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use quotient_canon::{Obstacle, Strategy, ends_are_unseen, group_size, keep_ended, obstacle};
use quotient_ir::{Expr, Model};
use quotient_search::{Disorder, Dropped, Error, Exploration, Options, Order, Reduce, Violation};
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_symmetry::act::{Renaming, applies, forget, generators, is_steady};

/// On how many states renaming and moving are checked to commute.
const SELFCHECK: usize = 300;
/// The most renamings that there may be for strategies that try them all: those of seven members.
const MOST_RENAMINGS: f64 = 5040.0;

/// What came of one model.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// No model at all.
    pub rejected: bool,
    /// More states than allowed.
    pub large: bool,
    /// It goes wrong without any reduction.
    pub violated: bool,
    /// Some symmetry was used.
    pub symmetric: bool,
    /// Orbits were counted.
    pub orbits: bool,
    /// A promise was found broken.
    pub broken_promise: bool,
    /// Searches done.
    pub searches: usize,
    /// What differs.
    pub difference: Option<String>,
}

/// Everything that there is, without any reduction.
struct Everything {
    states: Vec<State>,
    kinds: BTreeSet<&'static str>,
}

/// Examines a text; a panic is a difference.
pub fn examine(text: &str, most: u64) -> Outcome {
    let mut outcome = Outcome::default();
    let result = catch_unwind(AssertUnwindSafe(|| look(text, most, &mut outcome)));
    outcome.difference = match result {
        Ok(Ok(())) => None,
        Ok(Err(difference)) => Some(difference),
        Err(_) => Some(super::PANIC.take()),
    };
    outcome
}

fn look(text: &str, most: u64, outcome: &mut Outcome) -> Result<(), String> {
    let loader = |_: &Path| Ok(text.as_bytes().to_vec());
    let loaded = quotient_promela::load_with("model.pml".as_ref(), &quotient_promela::Options::default(), &loader);
    let Some(mut model) = loaded.model else {
        outcome.rejected = true;
        return Ok(());
    };
    let Some(everything) = everything(&model, most) else {
        outcome.large = true;
        return Ok(());
    };
    outcome.violated = !everything.kinds.is_empty();
    let detection = quotient_symmetry::detect(&mut model);
    if detection.mistaken {
        return Err(format!("a false proof: {:?}", detection.reasons));
    }
    compare(&model, &everything, outcome)?;
    let ends = |reason: Obstacle| matches!(reason, Obstacle::CanEnd(_));
    let counts = |e: &Expr| matches!(e, Expr::ProcessCount);
    let counted = model.proctypes.iter().any(|p| {
        p.statements.iter().any(|s| s.action.any(&counts)) || p.provided.as_ref().is_some_and(|e| e.any(&counts))
    });
    if !counted && obstacle(&model, Strategy::Canonical).is_some_and(ends) {
        let unseen = ends_are_unseen(&model);
        keep_ended(&mut model);
        if let Some(kept) = self::everything(&model, most) {
            if unseen && kept.kinds != everything.kinds {
                return Err(format!("ended processes stay unseen: {:?}, but {:?}", kept.kinds, everything.kinds));
            }
            let everything = kept;
            compare(&model, &everything, outcome).map_err(|e| format!("ended processes stay: {e}"))?;
        }
    }
    Ok(())
}

/// The naive search; nothing if there are more states than allowed.
fn everything(model: &Model, most: u64) -> Option<Everything> {
    let interpreter = Interpreter { model, promises: false };
    let (initial, faults) = interpreter.initial();
    let mut kinds: BTreeSet<&'static str> = faults.iter().map(|fault| fault.kind.name()).collect();
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut work = vec![(initial, Control::Free)];
    let mut steps = 0u64;
    while let Some((state, control)) = work.pop() {
        if control == Control::Free {
            let number = numbers.len();
            let visible = interpreter.visible(&state);
            if numbers.contains_key(&visible) {
                continue;
            }
            numbers.insert(visible, number);
        }
        steps += 1;
        if numbers.len() as u64 > most || steps > 20 * most {
            return None;
        }
        match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => {
                for outcome in outcomes {
                    kinds.extend(outcome.faults.iter().map(|fault| fault.kind.name()));
                    work.extend(outcome.next);
                }
            }
            Moves::Release => work.push((state, Control::Free)),
            Moves::End => {}
            Moves::Deadlock => drop(kinds.insert(Error::Deadlock.kind())),
        }
    }
    Some(Everything { states: numbers.into_keys().collect(), kinds })
}

fn compare(model: &Model, everything: &Everything, outcome: &mut Outcome) -> Result<(), String> {
    // A strategy that tries every renaming takes too long where a damaged constant makes a large family.
    let few = model.symmetry.as_ref().is_some_and(|symmetry| group_size(symmetry) <= MOST_RENAMINGS);
    let ends = |strategy: Strategy| few || strategy == Strategy::Canonical || !strategy.is_canonical();
    let fits = |&strategy: &Strategy| ends(strategy) && obstacle(model, strategy).is_none();
    let strategies = Strategy::ALL.into_iter().filter(fits);
    let strategies: Vec<Option<Strategy>> = std::iter::once(None).chain(strategies.map(Some)).collect();
    let symmetric = strategies.len() > 1;
    outcome.symmetric |= symmetric;
    let orbits = if symmetric { orbits(model, &everything.states) } else { None };
    outcome.orbits |= orbits.is_some();
    for &strategy in &strategies {
        let mut full_counts = None;
        let orders = [Order::DepthFirst, Order::BreadthFirst];
        let reductions = [Reduce::Off, Reduce::Spin, Reduce::Full];
        for (order, reduce) in orders.into_iter().flat_map(|order| reductions.map(|reduce| (order, reduce))) {
            let (reduces, full) = (reduce.is_on(), reduce == Reduce::Full);
            let netted = strategy == Some(Strategy::Canonical) || strategy.is_none() && reduces;
            let selfcheck = if netted { SELFCHECK } else { 0 };
            let allowed = Options { order, reduce, symmetry: strategy, ..Options::default() };
            let options = Options { selfcheck, all_errors: true, ..allowed };
            let found = quotient_search::explore(model, &options, &mut |_| true);
            outcome.searches += 1;
            let name = strategy.map_or("off".to_string(), |strategy| strategy.to_string());
            let way = format!("symmetry {name}, reduce {}, {order:?}", format!("{reduce:?}").to_lowercase());
            if reduces && found.kinds.contains("exclusive-channel") {
                outcome.broken_promise = true;
            } else if found.kinds != everything.kinds {
                return Err(format!("{way}: {:?}, but {:?} without", found.kinds, everything.kinds));
            }
            // The nets must not be needed; only a promise that cannot be checked any more may end a reduction.
            let caught = |dropped: &&Dropped| !matches!(dropped, Dropped::Order(Disorder::Promise { .. }));
            if let Some(dropped) = found.dropped.iter().find(caught) {
                return Err(format!("{way}: {dropped:?}"));
            }
            let states = everything.states.len() as u64;
            let counts = (found.states, found.matched);
            if full && strategy.is_none() && found.dropped.is_empty() && *full_counts.get_or_insert(counts) != counts {
                return Err(format!("{way}: {counts:?}, but {full_counts:?} in the other order"));
            }
            if full && strategy.is_none() && found.states > states {
                return Err(format!("{way}: {} states, but {states} without", found.states));
            }
            if strategy.is_none() && !reduces && found.states != states {
                return Err(format!("{way}: {} states, but the naive search has {states}", found.states));
            }
            if let (Some(strategy), Some(orbits), false) = (strategy, orbits, reduces)
                && strategy.is_canonical()
                && normalised(&found) == 0
                && (found.states < orbits || found.states > orbits && everything_counts(model))
            {
                return Err(format!("{way}: {} states, but {orbits} orbits", found.states));
            }
            if let Some(violation) = found.violations.first() {
                replays(model, reduces, violation).map_err(|problem| format!("{way}: {problem}"))?;
            }
        }
    }
    Ok(())
}

fn normalised(found: &Exploration) -> u64 {
    found.symmetry.as_ref().map_or(0, |reduced| reduced.counts.normalised)
}

/// Whether a violation's run shows it on the reference interpreter.
fn replays(model: &Model, promises: bool, violation: &Violation) -> Result<(), String> {
    let Violation { error, path, first: _ } = violation;
    let interpreter = Interpreter { model, promises };
    let errors = quotient_step::replay::errors(interpreter, path)
        .map_err(|at| format!("{error:?}: event {at} of {} cannot happen", path.len()))?;
    let same = errors.contains(error);
    if same { Ok(()) } else { Err(format!("{error:?}: the run of {} events does not show it", path.len())) }
}

/// The number of orbits of all states, by uniting every state with its images under generators of the group; nothing if
/// there are states with some of the processes that change places and not all others, since it is not said whether these
/// are reduced.
fn orbits(model: &Model, states: &[State]) -> Option<u64> {
    let symmetry = model.symmetry.as_ref()?;
    let needed =
        symmetry.processes.iter().rposition(|position| !position.members.is_empty()).map_or(0, |last| last + 1);
    // States that differ in nothing that anybody will read are one.
    let mut numbers: HashMap<State, usize> = HashMap::new();
    for state in states {
        let read = if applies(symmetry, state) { forget(symmetry, state) } else { state.clone() };
        let number = numbers.len();
        numbers.entry(read).or_insert(number);
    }
    let mut parents: Vec<usize> = (0..numbers.len()).collect();
    let mut count = numbers.len() as u64;
    let renamings: Vec<_> = generators(symmetry).iter().map(|p| Renaming::new(model, symmetry, p)).collect();
    // States that cannot be reached can lie between two that can, so that images are followed until they come back.
    let mut strangers: HashMap<State, usize> = HashMap::new();
    for state in numbers.keys() {
        if !applies(symmetry, state) {
            if state.processes.len() >= needed && is_steady(symmetry, state) {
                return None;
            }
            continue;
        }
        let mut seen: Vec<State> = vec![state.clone()];
        let mut at = 0;
        while at < seen.len() {
            for renaming in &renamings {
                let image = forget(symmetry, &renaming.act(model, symmetry, &seen[at]));
                let known = numbers.contains_key(&image) || strangers.contains_key(&image);
                if !known && !seen.contains(&image) {
                    seen.push(image.clone());
                }
                let number = numbers.get(&image).or_else(|| strangers.get(&image)).copied();
                if let Some(number) = number {
                    let (a, b) = (root(&mut parents, number), root(&mut parents, numbers[state]));
                    if a != b {
                        parents[a] = b;
                        count -= 1;
                    }
                }
            }
            at += 1;
        }
        strangers.extend(seen.into_iter().skip(1).map(|image| (image, numbers[state])));
    }
    Some(count)
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// Whether no local variable is left out of account: one all of whose values are names counts all the same.
fn everything_counts(model: &Model) -> bool {
    model.symmetry.as_ref().is_none_or(|symmetry| symmetry.unread.locals.iter().flatten().all(Vec::is_empty))
}

/// Whether a text is a model with no more states than some number.
pub fn is_small(text: &str, most: u64) -> bool {
    let loader = |_: &Path| Ok(text.as_bytes().to_vec());
    let loaded = quotient_promela::load_with("model.pml".as_ref(), &quotient_promela::Options::default(), &loader);
    let options = Options { all_errors: true, max_states: Some(most), ..Options::default() };
    loaded.model.is_some_and(|model| quotient_search::explore(&model, &options, &mut |_| true).stop.is_none())
}
