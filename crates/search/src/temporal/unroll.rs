//! Cycles that close. A search that writes over what nobody will read finds cycles that close but for that; going round them often
//! enough leads back to the very state, since what nobody reads decides nothing.

use std::collections::HashMap;

use quotient_ir::Model;
use quotient_step::reference::Interpreter;
use quotient_step::replay::Replayer;

use super::Lasso;

/// So many events are tried.
const MOST_EVENTS: usize = 200_000;

/// The same violation with a cycle that leads back to the state where it begins, on the reference interpreter; `None` if that takes
/// too long.
pub(super) fn unrolled(model: &Model, lasso: &Lasso) -> Option<Lasso> {
    let Some(start) = lasso.loop_start.filter(|&start| start < lasso.path.len()) else { return Some(lasso.clone()) };
    let interpreter = Interpreter { model, promises: false };
    let mut replayer = Replayer::new(interpreter);
    let mut path = lasso.path[..start].to_vec();
    for &event in &path {
        replayer.event(event).ok()?;
    }
    let mut seen = HashMap::from([(interpreter.visible(replayer.state()), start)]);
    while path.len() < MOST_EVENTS {
        for &event in &lasso.path[start..] {
            replayer.event(event).ok()?;
            path.push(event);
        }
        let state = interpreter.visible(replayer.state());
        if let Some(&first) = seen.get(&state) {
            return Some(Lasso { loop_start: Some(first), path, ..lasso.clone() });
        }
        seen.insert(state, path.len());
    }
    None
}
