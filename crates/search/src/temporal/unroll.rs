//! Cycles that close. A search that writes over what nobody will read finds cycles that close but for that, and one of a model with a
//! heap finds cycles that close but for the names of records; going round them often enough leads back to the very state.

use std::collections::HashMap;

use quotient_ir::Model;
use quotient_step::reference::{Interpreter, State};
use quotient_step::replay::Replayer;

use super::Lasso;

/// So many events are tried.
const MOST_EVENTS: usize = 200_000;

/// The same violation with a cycle that leads back to the state where it begins, on the reference interpreter; `None` if that takes
/// too long. Records that are made in the cycle are others in every round; those that stay have their places again.
pub(super) fn unrolled(model: &Model, lasso: &Lasso) -> Option<Lasso> {
    let Some(start) = lasso.loop_start.filter(|&start| start < lasso.path.len()) else { return Some(lasso.clone()) };
    let interpreter = Interpreter { model, promises: false };
    let mut replayer = Replayer::new(interpreter);
    let mut path = lasso.path[..start].to_vec();
    for &event in &path {
        replayer.event(event).ok()?;
    }
    let mut seen: HashMap<State, Vec<(usize, Vec<i32>)>> = HashMap::new();
    seen.insert(interpreter.repeatable(replayer.state()), vec![(start, replayer.state().reachable(model))]);
    let mut shortest = None;
    while path.len() < MOST_EVENTS {
        for &event in &lasso.path[start..] {
            replayer.event(event).ok()?;
            path.push(event);
        }
        let names = replayer.state().reachable(model);
        let earlier = seen.entry(interpreter.repeatable(replayer.state())).or_default();
        if let Some(&(first, _)) = earlier.iter().find(|(_, others)| keep_their_places(others, &names)) {
            return Some(Lasso { loop_start: Some(first), path, ..lasso.clone() });
        }
        if let (None, Some(&(first, _))) = (&shortest, earlier.first()) {
            shortest = Some((first, path.len()));
        }
        earlier.push((path.len(), names));
    }
    // The records that stay take each other's places in more rounds than can be told.
    let (first, end) = shortest?;
    path.truncate(end);
    Some(Lasso { loop_start: Some(first), path, ..lasso.clone() })
}

/// Whether the records that are in both of two states, given by their names in order, have the same places in both.
fn keep_their_places(before: &[i32], after: &[i32]) -> bool {
    let places: HashMap<i32, usize> = before.iter().copied().zip(0..).collect();
    after.iter().zip(0..).all(|(name, place)| places.get(name).is_none_or(|&other| other == place))
}
