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
