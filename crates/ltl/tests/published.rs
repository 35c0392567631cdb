//! The formulas that papers on such translations measure, and the number of states beside SPIN's. SPIN's numbers were got with
//! `spin -f` of SPIN 6.5.2: labels of the claim that it prints, where two labels of the first state count as one. `a W b` was
//! given to it as `b V (a || b)`, and it refuses `X`.

mod common;
mod notation;

use common::Random;
use notation::parse;
use quotient_ltl::{Formula, lasso, translate};

/// What SPIN makes of a formula.
#[derive(Clone, Copy)]
enum Spin {
    /// A claim with so many states.
    States(usize),
    /// It has `X`, which SPIN does not take.
    Next,
    /// SPIN was not ready after 20 seconds.
    TooLong,
}

use Spin::{Next, States, TooLong};

/// Dwyer, Avrunin & Corbett, *Property specification patterns for finite-state verification*, 1998: eleven patterns in
/// five scopes. What is translated is the negation, as a check does.
const PATTERNS: [(&str, Spin); 55] = [
    ("G !p", States(2)),
    ("F r -> (!p U r)", States(3)),
    ("G(q -> G !p)", States(3)),
    ("G((q & !r & F r) -> (!p U r))", States(4)),
    ("G((q & !r) -> (!p W r))", States(3)),
    ("F p", States(1)),
    ("!r W (p & !r)", States(2)),
    ("G !q | F(q & F p)", States(3)),
    ("G((q & !r) -> (!r W (p & !r)))", States(3)),
    ("G((q & !r) -> (!r U (p & !r)))", States(3)),
    ("!p W (p W (!p W (p W G !p)))", TooLong),
    ("F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))", TooLong),
    ("F q -> (!q U (q & (!p W (p W (!p W (p W G !p))))))", TooLong),
    ("G((q & F r) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))", TooLong),
    ("G(q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | ((!p W r) | G p))))))))))", TooLong),
    ("G p", States(2)),
    ("F r -> (p U r)", States(3)),
    ("G(q -> G p)", States(3)),
    ("G((q & !r & F r) -> (p U r))", States(4)),
    ("G((q & !r) -> (p W r))", States(3)),
    ("!p W s", States(2)),
    ("F r -> (!p U (s | r))", States(4)),
    ("G !q | F(q & (!p W s))", States(6)),
    ("G((q & !r & F r) -> (!p U (s | r)))", States(5)),
    ("G((q & !r) -> (!p W (s | r)))", States(3)),
    ("G(p -> F s)", States(2)),
    ("F r -> ((p -> (!r U (s & !r))) U r)", States(6)),
    ("G(q -> G(p -> F s))", States(3)),
    ("G((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))", States(7)),
    ("G((q & !r) -> ((p -> (!r U (s & !r))) W r))", States(4)),
    ("F p -> (!p U (s & !p & X(!p U t)))", Next),
    ("F r -> (!p U (r | (s & !p & X(!p U t))))", Next),
    ("G !q | (!q U (q & (F p -> (!p U (s & !p & X(!p U t))))))", Next),
    ("G((q & F r) -> (!p U (r | (s & !p & X(!p U t)))))", Next),
    ("G(q -> (F p -> (!p U (r | (s & !p & X(!p U t))))))", Next),
    ("F(s & X F t) -> (!s U p)", Next),
    ("F r -> (!(s & !r & X(!r U (t & !r))) U (r | p))", Next),
    ("G !q | (!q U (q & (F(s & X F t) -> (!s U p))))", Next),
    ("G((q & F r) -> (!(s & !r & X(!r U (t & !r))) U (r | p)))", Next),
    ("G(q -> ((!(s & !r & X(!r U (t & !r))) U (r | p)) | G !(s & X F t)))", Next),
    ("G((s & X F t) -> X F(t & F p))", Next),
    ("F r -> (((s & X(!r U t)) -> X(!r U (t & F p))) U r)", Next),
    ("G(q -> G((s & X F t) -> X(!t U (t & F p))))", Next),
    ("G((q & F r) -> (((s & X(!r U t)) -> X(!r U (t & F p))) U r))", Next),
    ("G(q -> (((s & X(!r U t)) -> X(!r U (t & F p))) U (r | G((s & X(!r U t)) -> X(!r U (t & F p))))))", Next),
    ("G(p -> F(s & X F t))", Next),
    ("F r -> ((p -> (!r U (s & !r & X(!r U t)))) U r)", Next),
    ("G(q -> G(p -> (s & X F t)))", Next),
    ("G((q & F r) -> ((p -> (!r U (s & !r & X(!r U t)))) U r))", Next),
    ("G(q -> ((p -> (!r U (s & !r & X(!r U t)))) U (r | G(p -> (s & X F t)))))", Next),
    ("G(p -> F(s & !z & X(!z U t)))", Next),
    ("F r -> ((p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r)", Next),
    ("G(q -> G(p -> (s & !z & X(!z U t))))", Next),
    ("G((q & F r) -> ((p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r))", Next),
    ("G(q -> ((p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U (r | G(p -> (s & !z & X(!z U t))))))", Next),
];

/// Etessami & Holzmann, *Optimizing Büchi automata*, 2000.
const OPTIMIZING: [(&str, Spin); 12] = [
    ("p U (q & G r)", States(2)),
    ("p U (q & X(r U s))", Next),
    ("p U (q & X(r & F(s & X F(t & X F(u & X F v)))))", Next),
    ("F(p & X G q)", Next),
    ("F(p & X(q & X F r))", Next),
    ("F(p & X(q U r))", Next),
    ("F G p | G F q", States(5)),
    ("G(p -> (q U r))", States(4)),
    ("G(p & X F(q & X F(r & X F s)))", Next),
    ("G F p & G F q & G F r & G F s & G F t", TooLong),
    ("(p U (q U r)) | (q U (r U p)) | (r U (p U q))", States(8)),
    ("G(p -> (q U (G r | G s)))", States(8)),
];

/// Somenzi & Bloem, *Efficient Büchi automata from LTL formulae*, 2000.
const EFFICIENT: [(&str, Spin); 27] = [
    ("p U q", States(2)),
    ("p U (q U r)", States(3)),
    ("!(p U (q U r))", States(4)),
    ("G F p -> G F q", States(5)),
    ("(F p) U (G q)", States(4)),
    ("(G p) U q", States(4)),
    ("!(F F p <-> F p)", States(2)),
    ("!(G F p -> G F q)", States(3)),
    ("!(G F p <-> G F q)", States(9)),
    ("p V (p | q)", States(2)),
    ("(X p U X q) | !X(p U q)", Next),
    ("(X p U q) | !X(p U (p & q))", Next),
    ("G(p -> F q) & ((X p U q) | !X(p U (p & q)))", Next),
    ("G(p -> F q) & ((X p U X q) | !X(p U q))", Next),
    ("G(p -> F q)", States(4)),
    ("!G(p -> X(q V r))", Next),
    ("!(G F p | F G q)", States(3)),
    ("G(F p & F q)", States(3)),
    ("F p & F !p", States(4)),
    ("(X q & r) V X(((s U p) V r) U (s V r))", Next),
    ("(G(q | G F p) & G(r | G F !p)) | G q | G r", States(13)),
    ("(G(q | F G p) & G(r | F G !p)) | G q | G r", States(17)),
    ("!((G(q | G F p) & G(r | G F !p)) | G q | G r)", States(23)),
    ("!((G(q | F G p) & G(r | F G !p)) | G q | G r)", States(18)),
    ("G(q | X G p) & G(r | X G !p)", Next),
    ("G(q | (X p & X !p))", Next),
    ("(p U p) | (q U p)", States(2)),
];

/// Every formula with what SPIN makes of it.
fn all() -> impl Iterator<Item = (&'static str, Formula, Spin)> {
    let patterns = PATTERNS.into_iter().map(|(text, spin)| (text, parse(text).negated(), spin));
    let others = OPTIMIZING.into_iter().chain(EFFICIENT).map(|(text, spin)| (text, parse(text), spin));
    patterns.chain(others)
}

#[test]
fn automata_are_smaller_than_spins() {
    let (mut ours, mut spins) = (0, 0);
    for (text, formula, spin) in all() {
        let states = translate(&formula).unwrap().states.len();
        if let States(theirs) = spin {
            assert!(states <= theirs, "{text}: {states} states, and SPIN has {theirs}");
            ours += states;
            spins += theirs;
        }
    }
    assert!(ours * 100 <= spins * 65, "{ours} states, and SPIN has {spins}");
    assert_eq!((ours, spins), (153, 236));
}

#[test]
fn automata_are_not_larger_than_they_were() {
    let total = |list: &[(&str, Spin)], negated: bool| -> usize {
        let formulas = list.iter().map(|(text, _)| if negated { parse(text).negated() } else { parse(text) });
        formulas.map(|formula| translate(&formula).unwrap().states.len()).sum()
    };
    let totals = [total(&PATTERNS, true), total(&OPTIMIZING, false), total(&EFFICIENT, false)];
    assert_eq!(totals, [228, 39, 90]);
}

#[test]
fn automata_accept_what_formulas_say() {
    let mut random = Random(23);
    for (text, formula, _) in all() {
        let automaton = translate(&formula).unwrap();
        let propositions = formula.propositions().len();
        for _ in 0..300 {
            let (word, start) = random.word(propositions);
            let expected = lasso::holds(&formula, &word, start);
            assert_eq!(lasso::accepts(&automaton, &word, start), expected, "{text} on {word:?} from {start}");
        }
    }
}

#[test]
fn formulas_that_spin_does_not_finish_are_small() {
    for (text, formula, _) in all().filter(|(_, _, spin)| matches!(spin, TooLong)) {
        let states = translate(&formula).unwrap().states.len();
        assert!(states <= 12, "{text}: {states}");
    }
}
