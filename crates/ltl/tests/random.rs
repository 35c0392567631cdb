//! Automata of random formulas against the direct evaluation of the formulas on random words that repeat. The same is asked of
//! the Büchi automata with one acceptance set, of the check for counting steps, and of the kinds of states.

mod common;

use common::Random;
use quotient_ltl::{Automaton, Edge, Formula, Kind, degeneralise, lasso, stutter, translate};

const FORMULAS: usize = 10_000;
const WORDS: usize = 40;
const PROPOSITIONS: usize = 3;

/// A formula of at most this depth.
fn formula(random: &mut Random, depth: usize, propositions: usize, next: bool) -> Formula {
    if depth == 0 || random.below(7) == 0 {
        return match random.below(20) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::Proposition(random.below(propositions)),
        };
    }
    let inner = |random: &mut Random| formula(random, depth - 1, propositions, next);
    let first = inner(random);
    match random.below(if next { 14 } else { 12 }) {
        0 => first.negated(),
        1 => Formula::always(first),
        2 => Formula::eventually(first),
        3 | 4 => Formula::and(first, inner(random)),
        5 | 6 => Formula::or(first, inner(random)),
        7 => Formula::implies(first, inner(random)),
        8 => Formula::equivalent(first, inner(random)),
        9 => Formula::until(first, inner(random)),
        10 => Formula::weak_until(first, inner(random)),
        11 => Formula::release(first, inner(random)),
        _ => Formula::next(first),
    }
}

/// The Büchi automaton as a generalised one: edges from accepting states are marked.
fn generalised(automaton: &Automaton) -> Automaton {
    let buchi = degeneralise(automaton).unwrap();
    let states = buchi
        .states
        .into_iter()
        .map(|(accepting, edges)| edges.into_iter().map(|edge| Edge { marks: u64::from(accepting), ..edge }).collect());
    Automaton { states: states.collect(), sets: 1 }
}

fn letters(number: usize) -> String {
    ["p", "q", "r"][number].to_string()
}

#[test]
fn automata_accept_what_formulas_say() {
    let mut random = Random(20);
    let (mut accepted, mut with_next) = (0, 0);
    for round in 0..FORMULAS {
        let next = round % 5 < 3;
        let depth = 2 + random.below(3);
        let formula = formula(&mut random, depth, PROPOSITIONS, next);
        with_next += usize::from(formula.has_next());
        let automaton = translate(&formula).unwrap();
        let buchi = generalised(&automaton);
        for _ in 0..WORDS {
            let (word, start) = random.word(PROPOSITIONS);
            let expected = lasso::holds(&formula, &word, start);
            accepted += usize::from(expected);
            let text = formula.shown(letters);
            assert_eq!(lasso::accepts(&automaton, &word, start), expected, "{text} on {word:?} from {start}");
            assert_eq!(lasso::accepts(&buchi, &word, start), expected, "Büchi, {text} on {word:?} from {start}");
        }
    }
    let all = FORMULAS * WORDS;
    assert!(accepted > all / 5 && accepted < all * 4 / 5, "{accepted}");
    assert!(with_next > FORMULAS / 5, "{with_next}");
}

#[test]
fn formulas_that_do_not_count_accept_words_with_repetitions() {
    let mut random = Random(21);
    let (mut invariant, mut counting, mut unclear) = (0, 0, 0);
    for _ in 0..4_000 {
        let depth = 1 + random.below(3);
        let formula = formula(&mut random, depth, 2, true);
        if !formula.has_next() {
            continue;
        }
        let claimed = stutter::invariant(&formula);
        let mut same = true;
        for _ in 0..60 {
            let (word, start) = random.word(2);
            let (longer, new_start) = repeated(&mut random, &word, start);
            same &= lasso::holds(&formula, &word, start) == lasso::holds(&formula, &longer, new_start);
        }
        let text = formula.shown(letters);
        assert!(same || !claimed, "{text} counts steps");
        invariant += usize::from(claimed);
        counting += usize::from(!same);
        unclear += usize::from(same && !claimed);
        if stutter::claim_invariant(&translate(&formula).unwrap()) {
            assert!(same, "the automaton of {text} counts steps");
        }
    }
    assert!(invariant > 200 && counting > 200, "{invariant} {counting}");
    // The check is exact, and so many words tell almost all formulas that count.
    assert!(unclear < counting / 10, "{unclear} {counting}");
}

/// The word with some letters repeated.
fn repeated(random: &mut Random, word: &[u64], start: usize) -> (Vec<u64>, usize) {
    let mut longer = Vec::new();
    let mut new_start = 0;
    for (i, &letter) in word.iter().enumerate() {
        if i == start {
            new_start = longer.len();
        }
        let times = 1 + random.below(3);
        longer.extend(std::iter::repeat_n(letter, times));
    }
    (longer, new_start)
}

#[test]
fn kinds_are_what_they_say() {
    let mut random = Random(22);
    let mut met = [0; 4];
    for _ in 0..3_000 {
        let depth = 1 + random.below(4);
        let automaton = translate(&formula(&mut random, depth, PROPOSITIONS, true)).unwrap();
        for (state, kind) in automaton.kinds().into_iter().enumerate() {
            met[kind as usize] += 1;
            if kind != Kind::Terminal {
                continue;
            }
            // The automaton that begins there accepts every word.
            let from = beginning_at(&automaton, state as u16);
            for _ in 0..20 {
                let (word, start) = random.word(PROPOSITIONS);
                assert!(lasso::accepts(&from, &word, start));
            }
        }
    }
    assert!(met.iter().all(|&count| count > 100), "{met:?}");
}

/// The automaton with another first state.
fn beginning_at(automaton: &Automaton, first: u16) -> Automaton {
    let swap = |state: u16| match state {
        0 => first,
        state if state == first => 0,
        state => state,
    };
    let mut states = automaton.states.clone();
    states.swap(0, usize::from(first));
    for edge in states.iter_mut().flatten() {
        edge.target = swap(edge.target);
    }
    Automaton { states, ..*automaton }
}

#[test]
fn large_formulas_end_with_an_error() {
    let many = (0..80).map(Formula::Proposition).reduce(Formula::and).unwrap();
    assert_eq!(translate(&many), Err(quotient_ltl::TooLarge::Propositions));
    // Each of forty things happens before the next, in any order: too many states.
    let until = |p: usize| Formula::until(Formula::Proposition(p), Formula::next(Formula::Proposition(p + 1)));
    let orders = (0..40).map(until).reduce(Formula::and).unwrap();
    assert_eq!(translate(&orders), Err(quotient_ltl::TooLarge::States));
}
