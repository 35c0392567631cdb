//! Formulas in negation normal form, each kept once. Equal formulas have equal ids, so that questions about them are asked
//! once as well.

use std::collections::HashMap;

use crate::{Formula, MAX_PROPOSITIONS, TooLarge};

/// The id of a formula in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

pub(crate) const TRUE: Id = Id(0);
pub(crate) const FALSE: Id = Id(1);

/// A formula in negation normal form. Conjunctions and disjunctions have two or more parts, sorted, none of its own kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Literal(usize, bool),
    And(Vec<Id>),
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// All formulas that a translation has met.
pub(crate) struct Pool {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    /// Whether the first implies the second, as far as their syntax shows it.
    pub(crate) implied: HashMap<(Id, Id), bool>,
    negations: HashMap<Id, Id>,
    /// What is left of the work that a formula may cost.
    budget: u32,
}

impl Pool {
    pub(crate) fn new() -> Self {
        let mut pool = Self {
            nodes: Vec::new(),
            ids: HashMap::new(),
            implied: HashMap::new(),
            negations: HashMap::new(),
            budget: 4_000_000,
        };
        pool.id(Node::True);
        pool.id(Node::False);
        pool
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The id of a formula, which is added if it is new.
    pub(crate) fn id(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = Id(u32::try_from(self.nodes.len()).expect("the budget is smaller"));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// Uses up a part of the budget.
    pub(crate) fn spend(&mut self, work: usize) -> Result<(), TooLarge> {
        let work = u32::try_from(work).map_err(|_| TooLarge::States)?;
        self.budget = self.budget.checked_sub(work).ok_or(TooLarge::States)?;
        Ok(())
    }

    /// The formula in negation normal form, rewritten.
    pub(crate) fn normal(&mut self, formula: &Formula) -> Result<Id, TooLarge> {
        self.spend(1)?;
        Ok(match formula {
            Formula::True => TRUE,
            Formula::False => FALSE,
            Formula::Proposition(number) if *number >= MAX_PROPOSITIONS => return Err(TooLarge::Propositions),
            Formula::Proposition(number) => self.id(Node::Literal(*number, true)),
            Formula::Not(a) => {
                let a = self.normal(a)?;
                self.negation(a)
            }
            Formula::And(a, b) => {
                let parts = vec![self.normal(a)?, self.normal(b)?];
                self.and(parts)
            }
            Formula::Or(a, b) => {
                let parts = vec![self.normal(a)?, self.normal(b)?];
                self.or(parts)
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                let not_a = self.negation(a);
                self.or(vec![not_a, b])
            }
            Formula::Equivalent(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                let (not_a, not_b) = (self.negation(a), self.negation(b));
                let both = self.and(vec![a, b]);
                let none = self.and(vec![not_a, not_b]);
                self.or(vec![both, none])
            }
            Formula::Next(a) => {
                let a = self.normal(a)?;
                self.next(a)
            }
            Formula::Always(a) => {
                let a = self.normal(a)?;
                self.release(FALSE, a)
            }
            Formula::Eventually(a) => {
                let a = self.normal(a)?;
                self.until(TRUE, a)
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                self.until(a, b)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                let either = self.or(vec![a, b]);
                self.release(b, either)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.normal(a)?, self.normal(b)?);
                self.release(a, b)
            }
        })
    }

    /// The negation, which is no larger than the formula.
    pub(crate) fn negation(&mut self, id: Id) -> Id {
        if let Some(&negation) = self.negations.get(&id) {
            return negation;
        }
        let negation = match self.node(id).clone() {
            Node::True => FALSE,
            Node::False => TRUE,
            Node::Literal(number, value) => self.id(Node::Literal(number, !value)),
            Node::And(parts) => {
                let parts = parts.into_iter().map(|part| self.negation(part)).collect();
                self.or(parts)
            }
            Node::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.negation(part)).collect();
                self.and(parts)
            }
            Node::Next(a) => {
                let a = self.negation(a);
                self.next(a)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.negation(a), self.negation(b));
                self.release(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.negation(a), self.negation(b));
                self.until(a, b)
            }
        };
        self.negations.insert(id, negation);
        negation
    }
}
