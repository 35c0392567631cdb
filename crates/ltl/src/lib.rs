//! Linear temporal logic: formulas over numbered propositions, the automata that accept the runs of a formula, and the
//! direct evaluation of a formula on a run that repeats. What a proposition means is for the caller to say.
//!
//! ```
//! use quotient_ltl::{Formula, lasso, translate};
//!
//! // Every request (0) is answered (1) at some time.
//! let request = Formula::Proposition(0);
//! let answer = Formula::Proposition(1);
//! let formula = Formula::always(Formula::implies(request, Formula::eventually(answer)));
//!
//! // A request, and then nothing forever.
//! let word = [0b01, 0b00];
//! assert!(!lasso::holds(&formula, &word, 1));
//! let violations = translate(&formula.negated()).unwrap();
//! assert!(lasso::accepts(&violations, &word, 1));
//! ```
//!
//! The automaton is generalised, with its marks on edges, and is found by expanding the formula (Couvreur, *On-the-fly
//! verification of linear temporal logic*, 1999). Formulas are rewritten first (Somenzi & Bloem, *Efficient Büchi automata from
//! LTL formulae*, 2000; Etessami & Holzmann, *Optimizing Büchi automata*, 2000), and states that simulate each other are one.
//!
//! # Where things are
//!
//! - `formula.rs` is what a front end builds. `pool.rs` keeps formulas in negation normal form, `rewrite.rs` makes them
//!   smaller while they are built, `expand.rs` turns them into generalised automata with marks on edges.
//! - `clean.rs` and `simulate.rs` make automata smaller; `classify.rs` says what can still happen in a component;
//!   `degeneralise.rs` is for a nested search.
//! - `lasso.rs` evaluates a formula on a word that repeats, `prefix.rs` on the beginning of one: the judges of every
//!   violation. `stutter.rs` says whether a property counts steps.
//!
//! # What must stay true
//!
//! - `lasso.rs` and `prefix.rs` use no automaton of a search. An automaton misses no word on which its formula holds
//!   (`expand.rs` says why), and accepts no other: `tests/random.rs` compares.

#![forbid(unsafe_code)]

mod automaton;
mod classify;
mod clean;
mod components;
mod cubes;
mod degeneralise;
mod expand;
mod formula;
pub mod lasso;
mod pool;
pub mod prefix;
mod rewrite;
mod simulate;
pub mod stutter;

pub use automaton::{Automaton, Cube, Edge, TooLarge};
pub use classify::Kind;
pub use degeneralise::{Buchi, degeneralise};
pub use formula::Formula;

/// The largest number of propositions that a formula may have.
pub const MAX_PROPOSITIONS: usize = 64;

/// The automaton that accepts the runs on which the formula holds.
///
/// # Errors
///
/// The formula needs more propositions, acceptance sets or states than there can be.
pub fn translate(formula: &Formula) -> Result<Automaton, TooLarge> {
    let mut pool = pool::Pool::new();
    let root = pool.normal(formula)?;
    let automaton = expand::expand(&mut pool, root)?;
    Ok(clean::clean(automaton))
}
