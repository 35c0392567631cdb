//! Coherence orders of one location that are worth trying. Only what every model here implies is used: coherence per
//! thread and location (Alglave, Maranget, Tautschnig, TOPLAS 2014), and atomicity of updates.

use crate::execution::{Access, Kind, Source};
use crate::relation::{Relation, bits};
use crate::thread::Entry;

/// The writes of a location, the initial one first, and what is known of their order.
struct Known {
    writes: Vec<Source>,
    /// Which writes must come before which; acyclic only if there is an order at all.
    before: Relation,
    /// For each write the update that reads from it, which must come right behind.
    next: Vec<Option<usize>>,
    /// For each update the write it reads from.
    previous: Vec<Option<usize>>,
    /// No update shares its source with another one.
    atomic: bool,
}

/// Whether there is a coherence order of a location that these accesses allow, as far as can be told.
pub(super) fn possible(threads: &[Vec<Entry>], loc: usize) -> bool {
    let known = known(threads, loc);
    known.atomic && known.before.is_acyclic()
}

/// The coherence orders of a location to try, without the initial write; `None` if there are more than `most`.
pub(super) fn orders(threads: &[Vec<Entry>], loc: usize, most: usize) -> Option<Vec<Vec<(usize, usize)>>> {
    let known = known(threads, loc);
    let mut found = Vec::new();
    let whole = known.atomic && known.before.is_acyclic();
    if whole && !extend(&known, &mut vec![0], 1, &mut found, most) {
        return None;
    }
    Some(found)
}

/// Adds the orders that begin like this one; false if there are too many.
fn extend(
    known: &Known,
    order: &mut Vec<usize>,
    placed: u64,
    found: &mut Vec<Vec<(usize, usize)>>,
    most: usize,
) -> bool {
    if order.len() == known.writes.len() {
        let place = |write: &usize| match known.writes[*write] {
            Source::Write(thread, index) => Some((thread, index)),
            Source::Init => None,
        };
        found.push(order.iter().filter_map(place).collect());
        return found.len() <= most;
    }
    let last = order.last().copied();
    let ready = bits(!placed & ((1 << known.writes.len()) - 1)).filter(|&write| {
        let update_due = last.and_then(|last| known.next[last]);
        let in_turn = update_due.is_none_or(|due| due == write);
        let own_turn = known.previous[write].is_none_or(|source| Some(source) == last);
        in_turn
            && own_turn
            && (0..known.writes.len()).all(|other| placed & 1 << other != 0 || !known.before.has(other, write))
    });
    for write in ready {
        order.push(write);
        let fits = extend(known, order, placed | 1 << write, found, most);
        order.pop();
        if !fits {
            return false;
        }
    }
    true
}

/// What is known of the order of a location's writes.
fn known(threads: &[Vec<Entry>], loc: usize) -> Known {
    let mut writes = vec![Source::Init];
    for (thread, entries) in threads.iter().enumerate() {
        let own =
            entries.iter().enumerate().filter(|(_, entry)| is_at(&entry.access, loc) && entry.access.written.is_some());
        writes.extend(own.map(|(index, _)| Source::Write(thread, index)));
    }
    let n = writes.len();
    let position = |source: Source| writes.iter().position(|&write| write == source).unwrap_or(0);
    let mut before = Relation::new(n, |a, b| a == 0 && b != 0);
    let (mut next, mut previous, mut atomic) = (vec![None; n], vec![None; n], true);
    for (thread, entries) in threads.iter().enumerate() {
        // The last write that the thread has written or read: nothing older can be read or written behind it.
        let mut seen = 0;
        for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| is_at(&entry.access, loc)) {
            if let Some(source) = entry.access.rf.map(position) {
                if source != seen {
                    before.add(seen, source);
                }
                seen = source;
            }
            if entry.access.written.is_some() {
                let write = position(Source::Write(thread, index));
                before.add(seen, write);
                if entry.access.kind == Kind::Update {
                    atomic &= next[seen].replace(write).is_none();
                    previous[write] = Some(seen);
                }
                seen = write;
            }
        }
    }
    Known { writes, before, next, previous, atomic }
}

fn is_at(access: &Access, loc: usize) -> bool {
    access.loc == Some(loc)
}
