//! Beginnings of words that decide a formula. The formula is carried through the letters: what is left of it must hold on
//! the rest of the word (Bacchus & Kabanza, *Planning for temporally extended goals*, 1998).

use std::collections::HashMap;

use crate::pool::{FALSE, Id, Node, Pool, TRUE};
use crate::{Formula, TooLarge, clean, expand};

/// Whether the formula is false on every word that begins like this.
///
/// # Errors
///
/// What is left of the formula is too large.
pub fn refutes(formula: &Formula, beginning: &[u64]) -> Result<bool, TooLarge> {
    let mut pool = Pool::new();
    let mut left = pool.normal(formula)?;
    for &letter in beginning {
        left = after(&mut pool, left, letter, &mut HashMap::new())?;
    }
    if left == FALSE {
        return Ok(true);
    }
    let automaton = clean::clean(expand::expand(&mut pool, left)?);
    Ok(automaton.edges() == 0)
}

/// What must hold after the letter so that the formula holds before it.
fn after(pool: &mut Pool, id: Id, letter: u64, known: &mut HashMap<Id, Id>) -> Result<Id, TooLarge> {
    if let Some(&known) = known.get(&id) {
        return Ok(known);
    }
    pool.spend(1)?;
    let left = match pool.node(id).clone() {
        Node::True => TRUE,
        Node::False => FALSE,
        Node::Literal(number, value) => match (letter >> number & 1 == 1) == value {
            true => TRUE,
            false => FALSE,
        },
        Node::And(parts) => {
            let parts = parts.into_iter().map(|part| after(pool, part, letter, known)).collect::<Result<_, _>>()?;
            pool.and(parts)
        }
        Node::Or(parts) => {
            let parts = parts.into_iter().map(|part| after(pool, part, letter, known)).collect::<Result<_, _>>()?;
            pool.or(parts)
        }
        Node::Next(a) => a,
        Node::Until(a, b) => {
            let (a, b) = (after(pool, a, letter, known)?, after(pool, b, letter, known)?);
            let stay = pool.and(vec![a, id]);
            pool.or(vec![b, stay])
        }
        Node::Release(a, b) => {
            let (a, b) = (after(pool, a, letter, known)?, after(pool, b, letter, known)?);
            let stay = pool.or(vec![a, id]);
            pool.and(vec![b, stay])
        }
    };
    known.insert(id, left);
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::refutes;
    use crate::Formula;

    #[test]
    fn beginnings_refute_what_nothing_can_repair() {
        let (p, q) = (Formula::Proposition(0), Formula::Proposition(1));
        let always = Formula::always(p.clone());
        assert_eq!(refutes(&always, &[1, 1]), Ok(false));
        assert_eq!(refutes(&always, &[1, 0]), Ok(true));
        let answer = Formula::always(Formula::implies(p.clone(), Formula::eventually(q.clone())));
        assert_eq!(refutes(&answer, &[1, 0, 0]), Ok(false));
        let until = Formula::until(p.clone(), q.clone());
        assert_eq!(refutes(&until, &[1, 1, 0]), Ok(true));
        assert_eq!(refutes(&until, &[1, 2, 0]), Ok(false));
        // What is left is false, but one has to look for it: q forever and not q at some time.
        let never = Formula::and(
            Formula::next(Formula::always(q.clone())),
            Formula::next(Formula::next(Formula::eventually(q.negated()))),
        );
        assert_eq!(refutes(&never, &[0]), Ok(true));
    }
}
