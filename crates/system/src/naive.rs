//! A search of a few lines that leaves nothing out, to which tests hold the others. Follows the definition of the state space.

use rapidhash::RapidHashSet;

use crate::found::{Exploration, Stopped, Unwatched, Violation, ViolationKind};
use crate::grow::Grow;
use crate::names::Names;
use crate::op::Op;
use crate::options::{Compare, Options};
use crate::perform::Choice;
use crate::search::explore_in;
use crate::state::State;
use crate::symmetry::Group;
use crate::world::{System, World, meet};

/// Searches a system plainly, and then in other ways, with the same names for everything, so that what was found can be compared.
/// The plain search ends with [`Stopped::States`] if there are more than `most` states; then there are no others.
pub fn compare(system: &System, grow: &mut dyn Grow, most: usize, ways: &[Options]) -> (Exploration, Vec<Exploration>) {
    let mut world = World::new(system.clone(), grow, Names::default());
    let plain = naive(&mut world, most);
    if plain.stopped.is_some() {
        return (plain, Vec::new());
    }
    let others = ways.iter().map(|options| explore_in(&mut world, options, &mut Unwatched)).collect();
    (plain, others)
}

/// Searches a system plainly, and then with symmetry. Returns, for both, one final state for all that are renamed to each other;
/// `None` if it is not symmetric.
pub fn compare_symmetric(
    system: &System,
    grow: &mut dyn Grow,
    most: usize,
    ways: &[Options],
) -> Option<(Exploration, Vec<Exploration>)> {
    let mut world = World::new(system.clone(), grow, Names::default());
    let first = world.start().ok()?;
    let mut group = Group::find(&mut world, &first, ways.first()?).ok()?;
    let mut plain = naive(&mut world, most);
    if plain.stopped.is_some() {
        return None;
    }
    group.check(&mut world, ways.first()?).ok()?;
    let mut representatives = |world: &mut World<'_>, found: &mut Exploration| -> Option<()> {
        group.check(world, ways.first()?).ok()?;
        let ends = std::mem::take(&mut found.ends);
        for end in ends {
            found.ends.insert(group.canonical(world, &end, Compare::Canonical).ok()?.0);
        }
        Some(())
    };
    representatives(&mut world, &mut plain)?;
    let mut others = Vec::new();
    for options in ways {
        let mut found = explore_in(&mut world, options, &mut Unwatched);
        if !found.dropped.iter().any(|dropped| matches!(dropped, crate::found::Dropped::Symmetry(_))) {
            world.crossed = Some(Vec::new());
            representatives(&mut world, &mut found)?;
        }
        others.push(found);
    }
    Some((plain, others))
}

/// Looks, in up to `most` states of a system, for two transitions that seem to have nothing to do with each other and do not commute.
pub fn strangers_that_meet(system: &System, grow: &mut dyn Grow, most: usize) -> Option<String> {
    let mut world = World::new(system.clone(), grow, Names::default());
    let first = world.start().ok()?;
    let mut seen: RapidHashSet<State> = RapidHashSet::default();
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        if seen.len() > most || !seen.insert(state.clone()) {
            continue;
        }
        let all: Vec<_> = world.moves(&state).into_iter().flat_map(|entry| entry.1.list).collect();
        for (at, one) in all.iter().enumerate() {
            let Ok(after) = world.arrive(one.clone()) else { continue };
            for other in all[at + 1..].iter().filter(|other| other.pid != one.pid && !meet(&state, one, other)) {
                let Ok(after_other) = world.arrive(other.clone()) else { continue };
                let one_first = world.step(&after, other.pid, &other.choice);
                let other_first = world.step(&after_other, one.pid, &one.choice);
                if one_first.is_none() || one_first != other_first {
                    let op = |pid| state.process(pid).map(|process| world.tree.op(process.node).to_string());
                    return Some(format!(
                        "{:?} {:?} and {:?} {:?}",
                        op(one.pid),
                        one.choice,
                        op(other.pid),
                        other.choice
                    ));
                }
            }
            open.push(after);
        }
    }
    None
}

fn naive(world: &mut World<'_>, most: usize) -> Exploration {
    loop {
        world.names.noticed = world.habits.noticed;
        let found = naive_with_these(world, most);
        // Now it is known who sends which signals.
        if world.names.noticed == world.habits.noticed || found.stopped.is_some() {
            return found;
        }
    }
}

fn naive_with_these(world: &mut World<'_>, most: usize) -> Exploration {
    let mut found = Exploration::default();
    // What comes before the first state is not renamed.
    let crossed = world.crossed.take();
    let Ok(first) = world.start() else {
        found.stopped = Some(Stopped::Failed);
        return found;
    };
    world.crossed = crossed;
    let mut seen: RapidHashSet<State> = RapidHashSet::default();
    seen.insert(first.clone());
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        for process in state.processes.iter().filter(|process| process.runs()) {
            found.locals.insert((process.pid, process.node));
        }
        let mut stuck = true;
        for attempt in world.moves(&state).into_iter().flat_map(|entry| entry.1.list) {
            stuck = false;
            found.transitions += 1;
            let node = state.process(attempt.pid).expect("it moves").node;
            let fails = matches!(world.tree.op(node), Op::Assert { holds: false }) && attempt.choice == Choice::Go;
            if fails {
                note(&mut found, ViolationKind::Assertion, Some(attempt.pid));
            }
            match world.arrive(attempt) {
                Err(_) => found.stopped = Some(Stopped::Failed),
                Ok(next) => {
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        if stuck {
            if !world.may_end(&state) {
                found.deadlocks += 1;
                note(&mut found, ViolationKind::Deadlock, None);
            }
            found.ends.insert(state);
        }
        if seen.len() > most {
            found.stopped = Some(Stopped::States);
            return found;
        }
    }
    found.states = seen.len() as u64;
    found
}

fn note(found: &mut Exploration, kind: ViolationKind, pid: Option<i32>) {
    if !found.violations.iter().any(|known| known.kind == kind && known.pid == pid) {
        found.violations.push(Violation { kind, pid, run: Vec::new() });
    }
}
