//! Dining philosophers: the orbits of the reachable states under rotations of the table, counted in four ways.

mod common;

use std::collections::HashSet;

use common::{Namer, State, cyclic, symmetric};
use quotient_group::Canonizer;

/// Orbits for 3, 4, … philosophers.
const ORBITS: [usize; 8] = [13, 33, 80, 226, 614, 1788, 5205, 15489];

/// What each philosopher does next: take the left fork, take the right one, put the right one back, put the left one
/// back. Fork `i` is left of philosopher `i` and right of the one before.
type Table = Vec<u8>;

fn is_held(table: &Table, fork: usize) -> bool {
    table[fork] > 0 || table[(fork + table.len() - 1) % table.len()] == 2
}

/// All tables that can be reached from the one where everybody thinks.
fn reachable(n: usize) -> HashSet<Table> {
    let mut seen = HashSet::from([vec![0; n]]);
    let mut open = vec![vec![0; n]];
    while let Some(table) = open.pop() {
        for philosopher in 0..n {
            let enabled = match table[philosopher] {
                0 => !is_held(&table, philosopher),
                1 => !is_held(&table, (philosopher + 1) % n),
                _ => true,
            };
            let mut next = table.clone();
            next[philosopher] = (table[philosopher] + 1) % 4;
            if enabled && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    seen
}

/// The lemma that is not Burnside's: the mean number of states that a rotation leaves as they are.
#[test]
fn by_counting_fixed_states() {
    for (n, orbits) in (3..).zip(ORBITS) {
        let tables = reachable(n);
        let fixed = |turn: usize| {
            tables.iter().filter(|table| (0..n).all(|place| table[place] == table[(place + turn) % n])).count()
        };
        assert_eq!((0..n).map(fixed).sum::<usize>(), n * orbits);
    }
}

#[test]
fn as_one_ring() {
    for (n, orbits) in (3..).zip(ORBITS) {
        let sorts = [cyclic(n)];
        let mut namer = Namer::new(&sorts, Canonizer::new());
        let names = reachable(n).into_iter().map(|table| {
            let mut state = State::new(&sorts);
            state.colours[0] = table.into_iter().map(u64::from).collect();
            namer.name(&state).colours
        });
        assert_eq!(names.collect::<HashSet<_>>().len(), orbits);
    }
}

#[test]
fn as_a_ring_of_philosophers_and_one_of_forks() {
    let n = 6;
    let sorts = [cyclic(n), cyclic(n)];
    let mut namer = Namer::new(&sorts, Canonizer::new());
    let names = reachable(n).into_iter().map(|table| {
        let mut state = seated(State::new(&sorts), &table);
        // Where the second ring begins does not matter.
        state.edges.iter_mut().for_each(|(_, _, (_, fork))| *fork = (*fork + 2) % n);
        state.colours[1].rotate_right(2);
        namer.name(&state)
    });
    assert_eq!(names.collect::<HashSet<_>>().len(), ORBITS[n - 3]);
}

/// Nothing but the references from philosophers to forks says that they sit around a table.
#[test]
fn as_philosophers_and_forks_without_names() {
    for (n, orbits) in (3..=8).zip(ORBITS) {
        let sorts = [symmetric(n), symmetric(n)];
        let mut namer = Namer::new(&sorts, Canonizer::new());
        let names = reachable(n).into_iter().map(|table| namer.name(&seated(State::new(&sorts), &table)));
        assert_eq!(names.collect::<HashSet<_>>().len(), orbits);
    }
}

/// Philosophers who refer to their forks, which are held or not.
fn seated(mut state: State, table: &Table) -> State {
    let n = table.len();
    for place in 0..n {
        state.colours[0][place] = u64::from(table[place]);
        state.colours[1][place] = u64::from(is_held(table, place));
        state.edges.extend([(0, (0, place), (1, place)), (1, (0, place), (1, (place + 1) % n))]);
    }
    state
}
