//! Formulas of linear temporal logic, as a person writes them. The operators are SPIN's, and their text is SPIN's syntax.

use std::collections::BTreeSet;
use std::fmt;

/// A formula over numbered propositions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// What the proposition of this number says of the first state.
    Proposition(usize),
    /// The formula does not hold.
    Not(Box<Formula>),
    /// Both hold.
    And(Box<Formula>, Box<Formula>),
    /// One holds.
    Or(Box<Formula>, Box<Formula>),
    /// If the first holds, the second does.
    Implies(Box<Formula>, Box<Formula>),
    /// Both hold, or none.
    Equivalent(Box<Formula>, Box<Formula>),
    /// The formula holds in the next state.
    Next(Box<Formula>),
    /// The formula holds now and in all later states.
    Always(Box<Formula>),
    /// The formula holds now or in a later state.
    Eventually(Box<Formula>),
    /// The second holds now or later, and until then the first.
    Until(Box<Formula>, Box<Formula>),
    /// As `Until`, or the first holds forever.
    WeakUntil(Box<Formula>, Box<Formula>),
    /// The second holds up to and including the first state in which the first does; forever if there is none.
    Release(Box<Formula>, Box<Formula>),
}

use Formula::{
    Always, And, Equivalent, Eventually, False, Implies, Next, Not, Or, Proposition, Release, True, Until, WeakUntil,
};

impl Formula {
    /// The negation. Two negations cancel out.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            True => False,
            False => True,
            Not(inner) => *inner,
            other => Not(Box::new(other)),
        }
    }

    /// Both hold.
    pub fn and(first: Self, second: Self) -> Self {
        And(Box::new(first), Box::new(second))
    }

    /// One of them holds.
    pub fn or(first: Self, second: Self) -> Self {
        Or(Box::new(first), Box::new(second))
    }

    /// If the first holds, the second does.
    pub fn implies(first: Self, second: Self) -> Self {
        Implies(Box::new(first), Box::new(second))
    }

    /// Both hold, or none.
    pub fn equivalent(first: Self, second: Self) -> Self {
        Equivalent(Box::new(first), Box::new(second))
    }

    /// It holds in the next state.
    pub fn next(inner: Self) -> Self {
        Next(Box::new(inner))
    }

    /// It holds now and in all later states.
    pub fn always(inner: Self) -> Self {
        Always(Box::new(inner))
    }

    /// It holds now or later.
    pub fn eventually(inner: Self) -> Self {
        Eventually(Box::new(inner))
    }

    /// The second holds now or later, and until then the first.
    pub fn until(first: Self, second: Self) -> Self {
        Until(Box::new(first), Box::new(second))
    }

    /// As [`Formula::until`], or the first holds forever.
    pub fn weak_until(first: Self, second: Self) -> Self {
        WeakUntil(Box::new(first), Box::new(second))
    }

    /// The second holds up to and including the first state in which the first does.
    pub fn release(first: Self, second: Self) -> Self {
        Release(Box::new(first), Box::new(second))
    }

    /// The operands, from left to right.
    pub fn operands(&self) -> impl Iterator<Item = &Self> {
        let (first, second) = match self {
            True | False | Proposition(_) => (None, None),
            Not(inner) | Next(inner) | Always(inner) | Eventually(inner) => (Some(inner), None),
            And(a, b) | Or(a, b) | Implies(a, b) | Equivalent(a, b) | Until(a, b) | WeakUntil(a, b) | Release(a, b) => {
                (Some(a), Some(b))
            }
        };
        first.into_iter().chain(second).map(|operand| &**operand)
    }

    /// The numbers of all propositions in it.
    pub fn propositions(&self) -> BTreeSet<usize> {
        fn collect(formula: &Formula, found: &mut BTreeSet<usize>) {
            if let Proposition(number) = formula {
                found.insert(*number);
            }
            formula.operands().for_each(|operand| collect(operand, found));
        }
        let mut found = BTreeSet::new();
        collect(self, &mut found);
        found
    }

    /// Whether the next state is asked for anywhere. A formula without it cannot count steps.
    pub fn has_next(&self) -> bool {
        matches!(self, Next(_)) || self.operands().any(Self::has_next)
    }

    /// The parts of a conjunction, from left to right. `[] (a && b)` has the parts `[] a` and `[] b`.
    ///
    /// The formula is violated on a run if and only if one of the parts is.
    pub fn conjuncts(&self) -> Vec<Self> {
        match self {
            And(a, b) => [a, b].into_iter().flat_map(|part| part.conjuncts()).collect(),
            Always(inner) => inner.conjuncts().into_iter().map(Self::always).collect(),
            other => vec![other.clone()],
        }
    }

    /// Whether it holds on every run, whatever its propositions are. False if that is not known: it may be too large.
    pub fn is_always_true(&self) -> bool {
        let violations = crate::translate(&self.clone().negated());
        violations.is_ok_and(|automaton| automaton.states.iter().all(Vec::is_empty))
    }

    /// The same formula with other numbers for its propositions.
    #[must_use]
    pub fn renumbered(&self, number: &mut impl FnMut(usize) -> usize) -> Self {
        let mut pair = |a: &Self, b: &Self| (Box::new(a.renumbered(number)), Box::new(b.renumbered(number)));
        match self {
            True => True,
            False => False,
            Proposition(old) => Proposition(number(*old)),
            Not(a) => Not(Box::new(a.renumbered(number))),
            Next(a) => Next(Box::new(a.renumbered(number))),
            Always(a) => Always(Box::new(a.renumbered(number))),
            Eventually(a) => Eventually(Box::new(a.renumbered(number))),
            And(a, b) => joined(And, pair(a, b)),
            Or(a, b) => joined(Or, pair(a, b)),
            Implies(a, b) => joined(Implies, pair(a, b)),
            Equivalent(a, b) => joined(Equivalent, pair(a, b)),
            Until(a, b) => joined(Until, pair(a, b)),
            WeakUntil(a, b) => joined(WeakUntil, pair(a, b)),
            Release(a, b) => joined(Release, pair(a, b)),
        }
    }

    /// The formula as text in SPIN's syntax, with these texts for propositions.
    pub fn shown<N: Fn(usize) -> String>(&self, name: N) -> impl fmt::Display {
        Shown { formula: self.clone(), name }
    }
}

fn joined(
    operator: fn(Box<Formula>, Box<Formula>) -> Formula,
    (first, second): (Box<Formula>, Box<Formula>),
) -> Formula {
    operator(first, second)
}

struct Shown<N> {
    formula: Formula,
    name: N,
}

impl<N: Fn(usize) -> String> fmt::Display for Shown<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&self.formula, &self.name, f)
    }
}

/// Writes a formula; operands that have two operands themselves stand in parentheses.
fn write<N: Fn(usize) -> String>(formula: &Formula, name: &N, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let unary = |operator: &str, inner: &Formula, f: &mut fmt::Formatter<'_>| {
        f.write_str(operator)?;
        operand(inner, name, f)
    };
    let binary = |a: &Formula, operator: &str, b: &Formula, f: &mut fmt::Formatter<'_>| {
        operand(a, name, f)?;
        write!(f, " {operator} ")?;
        operand(b, name, f)
    };
    match formula {
        True => f.write_str("true"),
        False => f.write_str("false"),
        Proposition(number) => f.write_str(&name(*number)),
        Not(a) => unary("!", a, f),
        Next(a) => unary("X ", a, f),
        Always(a) => unary("[] ", a, f),
        Eventually(a) => unary("<> ", a, f),
        And(a, b) => binary(a, "&&", b, f),
        Or(a, b) => binary(a, "||", b, f),
        Implies(a, b) => binary(a, "->", b, f),
        Equivalent(a, b) => binary(a, "<->", b, f),
        Until(a, b) => binary(a, "U", b, f),
        WeakUntil(a, b) => binary(a, "W", b, f),
        Release(a, b) => binary(a, "V", b, f),
    }
}

fn operand<N: Fn(usize) -> String>(formula: &Formula, name: &N, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let plain = match formula {
        Proposition(number) => name(*number).chars().all(|c| c.is_alphanumeric() || c == '_'),
        other => other.operands().count() < 2,
    };
    if plain {
        return write(formula, name, f);
    }
    f.write_str("(")?;
    write(formula, name, f)?;
    f.write_str(")")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(number: usize) -> String {
        ["p", "q == 1"][number].to_string()
    }

    #[test]
    fn text_has_parentheses_where_they_are_needed() {
        let (p, q) = (Proposition(0), Proposition(1));
        let formula = Formula::always(Formula::implies(p.clone(), Formula::eventually(q.clone())));
        assert_eq!(formula.shown(letter).to_string(), "[] (p -> <> (q == 1))");
        let formula = Formula::until(Formula::next(p).negated(), Formula::weak_until(q, True));
        assert_eq!(formula.shown(letter).to_string(), "!X p U ((q == 1) W true)");
    }

    #[test]
    fn conjunctions_have_parts() {
        let (p, q) = (Proposition(0), Proposition(1));
        let both = Formula::always(Formula::and(p.clone(), q.clone()));
        assert_eq!(both.conjuncts(), [Formula::always(p.clone()), Formula::always(q.clone())]);
        let either = Formula::or(p, q);
        assert_eq!(either.conjuncts(), std::slice::from_ref(&either));
    }

    #[test]
    fn some_formulas_are_always_true() {
        let (p, q) = (Proposition(0), Proposition(1));
        let either = Formula::or(p.clone(), q.clone());
        assert!(Formula::always(Formula::implies(p.clone(), either.clone())).is_always_true());
        assert!(Formula::implies(Formula::always(p.clone()), Formula::eventually(p.clone())).is_always_true());
        assert!(!Formula::always(Formula::implies(either, p)).is_always_true());
        assert!(!Formula::eventually(q).is_always_true());
    }

    #[test]
    fn propositions_are_found_and_renumbered() {
        let formula = Formula::release(Proposition(3), Formula::next(Proposition(7)));
        assert_eq!(formula.propositions().into_iter().collect::<Vec<_>>(), [3, 7]);
        assert!(formula.has_next());
        let renumbered = formula.renumbered(&mut |number| number - 3);
        assert_eq!(renumbered.propositions().into_iter().collect::<Vec<_>>(), [0, 4]);
    }
}
