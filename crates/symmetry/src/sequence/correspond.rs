//! Whether two sequences, or two `d_step`s, correspond: one can be brought into the order of the other by exchanging parts that
//! are independent, such that parts correspond by the rules.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use quotient_ir::{Action, Deterministic, Scope};

use super::{Code, End, Known, Part, Sequence, Stored};
use crate::effects::Effects;
use crate::rules::Rules;

/// More pairs of points inside one `d_step` than this are not compared.
const MOST_PAIRS: usize = 2_000;

/// Whether two sequences correspond. `unread` says which variables nobody will read after the first, `unread_there` after
/// the second one; a global variable that nobody will read is one that nobody ever reads.
pub fn corresponds(
    rules: &Rules,
    ours: &Sequence,
    theirs: &Sequence,
    unread: &dyn Fn(Scope, usize) -> bool,
    unread_there: &dyn Fn(Scope, usize) -> bool,
    ordered: bool,
) -> Result<(), usize> {
    let used = OnceCell::new();
    let reads = |at: (Scope, usize)| {
        let all = || {
            let mut used = Effects::default();
            ours.parts.iter().chain(&theirs.parts).for_each(|part| used.add(rules, part));
            used
        };
        used.get_or_init(all).reads_from(at)
    };
    // Global variables that nobody reads are not read here, either: what is stored of one in itself does not count.
    let unread_now =
        |scope: Scope, slot: usize| unread(scope, slot) && (scope == Scope::Global || !reads((scope, slot)));
    parts(rules, &ours.parts, &theirs.parts, &unread_now, ordered)?;
    let mut left: Vec<_> = theirs.constants.iter().collect();
    for (&(scope, slot), stored) in &ours.constants {
        let same = |&(&(to_scope, to), there): &(&(Scope, usize), &Stored)| {
            let same = || rules.constant(scope, slot, stored.value, (to_scope, to, there.value)).then_some(());
            rules.saved(same).is_some()
        };
        match left.iter().position(same) {
            Some(at) => drop(left.swap_remove(at)),
            None if unread(scope, slot) => {}
            None => return Err(stored.statement),
        }
    }
    match left.iter().find(|((scope, slot), _)| !unread_there(*scope, *slot)) {
        Some((_, stored)) => Err(stored.statement),
        None => Ok(()),
    }
}

/// Whether some parts can be brought into the order of others.
fn parts(
    rules: &Rules,
    ours: &[Part],
    theirs: &[Part],
    unread: &dyn Fn(Scope, usize) -> bool,
    ordered: bool,
) -> Result<(), usize> {
    let mut left: Vec<(&Part, OnceCell<Effects>)> = theirs.iter().map(|part| (part, OnceCell::new())).collect();
    for one in ours {
        let fits = |at: usize| {
            rules.saved(|| {
                part(rules, one, left[at].0, unread, ordered).ok()?;
                left[..at]
                    .iter()
                    .all(|before| effects(rules, before).is_independent(effects(rules, &left[at])))
                    .then_some(())
            })
        };
        match (0..left.len()).find(|&at| fits(at).is_some()) {
            Some(at) => drop(left.remove(at)),
            None => return Err(statement(one)),
        }
    }
    match left.first() {
        Some((part, _)) => Err(statement(part)),
        None => Ok(()),
    }
}

/// The effects of a part, which are found once.
fn effects<'p>(rules: &Rules, (part, effects): &'p (&Part, OnceCell<Effects>)) -> &'p Effects {
    effects.get_or_init(|| {
        let mut effects = Effects::default();
        effects.add(rules, part);
        effects
    })
}

fn statement(part: &Part) -> usize {
    match part {
        Part::Do(_, statement) => *statement,
        Part::Choose(options) => {
            options.iter().flat_map(|(_, parts)| parts).map(statement).next().unwrap_or(usize::MAX)
        }
    }
}

fn part(rules: &Rules, a: &Part, b: &Part, unread: &dyn Fn(Scope, usize) -> bool, ordered: bool) -> Result<(), usize> {
    match (a, b) {
        (Part::Do(a, at), Part::Do(b, _)) => rules.action(a, b, unread).then_some(()).ok_or(*at),
        (Part::Choose(a), Part::Choose(b)) if a.len() == b.len() => {
            let mut left: Vec<&(Action, Vec<Part>)> = b.iter().collect();
            for (guard, rest) in a {
                let choices = if ordered { 1 } else { left.len() };
                let fits = |at: &usize| {
                    let both = || {
                        let guards = rules.action(guard, &left[*at].0, &|_, _| false);
                        (guards && parts(rules, rest, &left[*at].1, unread, ordered).is_ok()).then_some(())
                    };
                    rules.saved(both).is_some()
                };
                match (0..choices).find(fits) {
                    Some(at) => drop(left.remove(at)),
                    None => return Err(rest.first().map_or(usize::MAX, statement)),
                }
            }
            Ok(())
        }
        (Part::Do(..) | Part::Choose(_), _) => Err(statement(a)),
    }
}

/// Whether two `d_step`s correspond.
pub fn bodies(rules: &Rules, a: &Deterministic, b: &Deterministic, unread: &dyn Fn(Scope, usize) -> bool) -> bool {
    let (ours, theirs) = (Code::body(a), Code::body(b));
    let mut work = vec![((0, Known::new()), (0, Known::new()))];
    let mut seen = BTreeSet::new();
    while let Some(pair) = work.pop() {
        if !seen.insert(pair.clone()) {
            continue;
        }
        let ((p, known), (q, known_there)) = pair;
        if p >= a.nodes.len() || q >= b.nodes.len() {
            if p >= a.nodes.len() && q >= b.nodes.len() {
                continue;
            }
            return false;
        }
        if seen.len() > MOST_PAIRS {
            return false;
        }
        let (ways, there) = (ours.ways(rules, p, &known), theirs.ways(rules, q, &known_there));
        if ways.len() != there.len() {
            return false;
        }
        for (one, other) in ways.iter().zip(&there) {
            // Inside, local variables are looked at again; only what is stored at the very end may be of no use.
            let leaves = matches!(one.end, End::Left(_));
            let of_no_use = |scope: Scope, slot: usize| (leaves || scope == Scope::Global) && unread(scope, slot);
            let alike = rules.action(&one.first, &other.first, &|_, _| false)
                && corresponds(rules, &one.rest, &other.rest, &of_no_use, &of_no_use, true).is_ok();
            if !alike {
                return false;
            }
            match (&one.end, &other.end) {
                (End::Left(_), End::Left(_)) => {}
                (End::Inside(p, known), End::Inside(q, there)) => {
                    work.push(((*p, known.clone()), (*q, there.clone())));
                }
                (End::Left(_) | End::Inside(..), _) => return false,
            }
        }
    }
    true
}
