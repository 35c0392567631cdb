//! The tree against a map of byte strings. It follows what a search does: states come by small steps from states before.

use std::collections::HashMap;

use super::*;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Where the components of a state end: its first byte says it.
fn cut(state: &[u8]) -> Vec<u32> {
    let Some(&kind) = state.first() else { return Vec::new() };
    let size = [1, 3, 8, 20, 61][usize::from(kind) % 5];
    (1..=state.len() / size).map(|number| (number * size) as u32).collect()
}

/// A state that differs from another one as a successor does.
fn successor(state: &[u8], random: &mut Random) -> Vec<u8> {
    let mut next = state.to_vec();
    for _ in 0..random.below(3) {
        if !next.is_empty() {
            let at = random.below(next.len());
            next[at] = random.below(3) as u8;
        }
    }
    match random.below(12) {
        0 => next.truncate(random.below(200)),
        1 => next.extend((0..random.below(30)).map(|number| number as u8)),
        _ => {}
    }
    next
}

fn insert(tree: &mut Tree, state: &[u8]) -> Insert {
    Store::insert(tree, state, &cut(state)).expect("there are numbers left")
}

/// A tree of random states, and the map that says what is in it.
fn filled(seed: u64, steps: usize) -> (Tree, HashMap<Vec<u8>, Entry>) {
    let mut random = Random(seed);
    let mut tree = <Tree>::new();
    let mut known: HashMap<Vec<u8>, Entry> = HashMap::new();
    let mut order: Vec<Vec<u8>> = Vec::new();
    let mut state = vec![1; 40];
    for _ in 0..steps {
        let next = successor(&state, &mut random);
        let prepared = tree.prepare(&next, &cut(&next)).expect("there are numbers left");
        // A search may read a state before it looks the prepared one up.
        if random.below(4) == 0 && !order.is_empty() {
            let other = &order[random.below(order.len())];
            assert_eq!(tree.state(known[other]), other);
        }
        match (tree.insert_prepared(&next, prepared), known.get(&next)) {
            (Insert::New(entry), None) => {
                assert!(!tree.is_on_stack(entry));
                known.insert(next.clone(), entry);
                order.push(next.clone());
                state = next;
            }
            (Insert::Old(entry), Some(&expected)) => assert_eq!(entry, expected),
            (found, expected) => panic!("{next:?}: {found:?} but {expected:?}"),
        }
        match random.below(6) {
            // Back to an earlier state, as when a search backtracks.
            0 => {
                state.clone_from(&order[random.below(order.len())]);
                assert_eq!(tree.state(known[&state]), state);
            }
            1 => state.clone_from(&order[order.len() - 1 - random.below(order.len().min(4))]),
            _ => {}
        }
    }
    assert_eq!(tree.len(), known.len());
    (tree, known)
}

#[test]
fn agrees_with_a_map_of_byte_strings() {
    for seed in 1..20 {
        let (mut tree, known) = filled(seed, 8_000);
        for (state, &entry) in &known {
            assert_eq!(tree.state(entry), &state[..]);
            assert_eq!(tree.copy(entry), &state[..]);
            assert_eq!(insert(&mut tree, state), Insert::Old(entry));
            assert_eq!(tree.entry(entry.address()), Some(entry));
        }
    }
}

#[test]
fn entries_and_marks_survive_growth() {
    let mut tree = <Tree>::new();
    let state = |number: u32| [&[2][..], &number.to_le_bytes(), &[7; 30]].concat();
    let mut entries = Vec::new();
    for number in 0..50_000 {
        let Insert::New(entry) = insert(&mut tree, &state(number)) else { panic!("all states differ") };
        entries.push(entry);
        tree.set_on_stack(entry, number % 3 == 0);
    }
    for (number, &entry) in (0..).zip(&entries) {
        assert_eq!(tree.is_on_stack(entry), number % 3 == 0);
        assert_eq!(tree.state(entry), state(number));
        tree.set_on_stack(entry, number % 3 == 1);
    }
    assert!((0..).zip(&entries).all(|(number, &entry)| tree.is_on_stack(entry) == (number % 3 == 1)));
}

#[test]
fn equal_parts_are_kept_once() {
    let mut tree = <Tree>::new();
    let mut count = 0;
    for (a, b) in (0..300_u32).flat_map(|a| (0..300_u32).map(move |b| (a, b))) {
        let part = |number: u32| [&number.to_le_bytes()[..], &[number as u8; 26]].concat();
        let state = [part(a), part(b)].concat();
        assert!(matches!(Store::insert(&mut tree, &state, &[30, 60]), Some(Insert::New(_))));
        count += 1;
    }
    let payload = tree.payload() as f64 / f64::from(count);
    assert!((8.0..9.5).contains(&payload), "{payload} bytes of payload");
    assert!(tree.bytes() as f64 / f64::from(count) < 14.0, "{} bytes", tree.bytes());
}

#[test]
fn a_table_that_may_not_grow_gets_crowded_and_loses_nothing() {
    let mut tree = <Tree>::new();
    tree.allow(0);
    let mut crowded = 0;
    let state = |number: u32| [&[2][..], &number.to_le_bytes()].concat();
    for number in 0..20_000 {
        assert!(matches!(insert(&mut tree, &state(number)), Insert::New(_)));
        crowded += u32::from(tree.is_crowded());
    }
    assert!(crowded > 500, "{crowded}");
    assert!((0..20_000).all(|number| matches!(insert(&mut tree, &state(number)), Insert::Old(_))));
}

#[test]
fn without_numbers_nothing_is_taken_for_known() {
    let (mut tree, known) = filled(3, 4_000);
    tree.nodes.most = tree.nodes.count + 3;
    let mut refused = 0;
    for number in 0..100_u32 {
        let state = [&[0][..], &number.to_le_bytes(), &[9; 50]].concat();
        match Store::insert(&mut tree, &state, &cut(&state)) {
            None => refused += 1,
            Some(Insert::New(_)) => {}
            Some(Insert::Old(_)) => panic!("{state:?} is new"),
        }
    }
    assert!(refused > 95);
    for (state, &entry) in &known {
        assert_eq!(Store::insert(&mut tree, state, &cut(state)), Some(Insert::Old(entry)));
        assert_eq!(tree.state(entry), &state[..]);
    }
}

#[test]
fn a_set_is_the_same_after_it_was_saved() {
    for (seed, steps) in [(1, 0), (2, 1), (3, 30_000)] {
        let (mut tree, known) = filled(seed, steps);
        let marked = |entry: Entry| entry.address().is_multiple_of(3);
        known.values().for_each(|&entry| tree.set_on_stack(entry, marked(entry)));
        let mut file = Vec::new();
        tree.save(&mut file).expect("memory takes it");
        let mut read = <Tree>::load(&mut &file[..]).expect("it is whole");
        assert_eq!((read.len(), read.bytes(), read.payload()), (tree.len(), tree.bytes(), tree.payload()));
        for (state, &entry) in &known {
            assert_eq!(insert(&mut read, state), Insert::Old(entry));
            assert_eq!(read.is_on_stack(entry), marked(entry));
            assert_eq!(read.state(entry), &state[..]);
        }
        let mut random = Random(seed);
        let mut state = vec![2; 50];
        for _ in 0..1000 {
            state = successor(&state, &mut random);
            assert_eq!(insert(&mut read, &state), insert(&mut tree, &state));
        }
    }
}

#[test]
fn a_damaged_set_is_refused_or_another_set() {
    let (tree, _) = filled(5, 20);
    let mut file = Vec::new();
    tree.save(&mut file).expect("memory takes it");
    for at in 0..file.len() {
        assert!(<Tree>::load(&mut &file[..at]).is_err());
        for bit in 0..8 {
            let mut bad = file.clone();
            bad[at] ^= 1 << bit;
            if let Ok(mut read) = <Tree>::load(&mut &bad[..]) {
                let words: Vec<u64> = read.roots.slots().map(|slot| slot >> roots::MARK_BITS).collect();
                for word in words {
                    let entry = read.entry(word).expect("it is there");
                    assert_eq!(read.copy(entry), read.state(entry));
                }
            }
        }
    }
}

#[test]
fn a_search_goes_back_further_than_bases_are_kept() {
    // States of eight words and a bit, of less than a word, and of more words than fit into a word of bits.
    for length in [5, 8, 67, 700] {
        let mut tree = <Tree>::new();
        let mut path: Vec<(Vec<u8>, Entry)> = Vec::new();
        let mut state = vec![0; length];
        for step in 0..1000_usize {
            state[2 + step * 7 % (length - 2)] ^= 1;
            state[..2].copy_from_slice(&(step as u16).to_le_bytes());
            let cut: Vec<u32> = (1..=length as u32 / 9).map(|component| component * 9).collect();
            if let Some(Insert::New(entry)) = Store::insert(&mut tree, &state, &cut) {
                path.push((state.clone(), entry));
            }
        }
        assert!(path.len() == 1000 && path.len() > 2 * BASES);
        for (state, entry) in path.iter().rev() {
            tree.approach(*entry);
            assert_eq!(tree.state(*entry), state);
            assert_eq!(tree.copy(*entry), *state);
        }
        for (state, entry) in &path {
            assert_eq!(tree.state(*entry), state);
        }
    }
}
