//! Temporal formulas: `ltl name { formula }`, and those of the command line. They follow SPIN's: temporal operators bind tighter than
//! `&&` and `||`, and what stands between them is an expression.

use super::cursor::{Cursor, Parsed};
use crate::ast::{Claim, Formula, FormulaKind, Name, Temporal};
use crate::token::TokenKind;

/// How operators between two formulas are spelt, in signs and in words, with their precedence.
const BINARY: &[(&[&str], &str, Temporal, u8)] = &[
    (&["<", "->"], "equivalent", Temporal::Equivalent, 1),
    (&["->"], "implies", Temporal::Implies, 1),
    (&["=>"], "implies", Temporal::Implies, 1),
    (&["||"], "or", Temporal::Or, 2),
    (&["&&"], "and", Temporal::And, 3),
];

/// Temporal operators between two formulas.
const UNTIL: &[(&str, Temporal)] = &[
    ("U", Temporal::Until),
    ("until", Temporal::Until),
    ("stronguntil", Temporal::Until),
    ("W", Temporal::WeakUntil),
    ("weakuntil", Temporal::WeakUntil),
    ("V", Temporal::Release),
    ("R", Temporal::Release),
    ("release", Temporal::Release),
];

/// Operators before a formula, in signs and in words, and how many signs there are.
const PREFIX: &[(&[&str], &[&str], Temporal, usize)] = &[
    (&["[", "]"], &["always", "G"], Temporal::Always, 2),
    (&["<", ">"], &["eventually", "F"], Temporal::Eventually, 2),
    (&[], &["next", "X"], Temporal::Next, 1),
];

impl Cursor {
    /// `ltl name { formula }`
    pub(super) fn claim(&mut self) -> Parsed<Claim> {
        self.bump();
        let name = self.name("the name of a formula")?;
        let open = self.expect("{", "before the formula")?;
        self.in_formula = true;
        let formula = self.formula(1);
        self.in_formula = false;
        let formula = formula?;
        self.close("}", open)?;
        Ok(Claim { name, formula })
    }

    /// A formula that stands alone.
    pub(super) fn whole_formula(&mut self, name: Name) -> Parsed<Claim> {
        (self.in_formula, self.whole) = (true, "formula");
        let formula = self.formula(1)?;
        if !self.at_end() {
            return Err(self.expected("an operator or the end of the formula"));
        }
        Ok(Claim { name, formula })
    }

    fn combined(&mut self, start: usize, op: Temporal, parts: Vec<Formula>) -> Formula {
        Formula { kind: FormulaKind::Operator(op, parts), span: self.span_from(start) }
    }

    /// The operator here, how many tokens it has, and its precedence.
    fn formula_operator(&self) -> Option<(Temporal, usize, u8)> {
        BINARY.iter().find_map(|(signs, word, op, precedence)| {
            let spelt = signs.iter().enumerate().all(|(number, sign)| self.is(number, sign));
            let length = if spelt { signs.len() } else { 1 };
            (spelt || self.at_word(word)).then_some((*op, length, *precedence))
        })
    }

    /// Operators of at least this precedence; `->` groups to the right.
    fn formula(&mut self, least: u8) -> Parsed<Formula> {
        let start = self.pos;
        let mut left = self.deeper(Self::temporal)?;
        while let Some((op, length, precedence)) = self.formula_operator().filter(|(.., binds)| *binds >= least) {
            (0..length).for_each(|_| {
                self.bump();
            });
            let next = if op == Temporal::Implies { precedence } else { precedence + 1 };
            let right = self.deeper(|cursor| cursor.formula(next))?;
            left = self.combined(start, op, vec![left, right]);
        }
        Ok(left)
    }

    /// The operator before a formula that stands here, and how many tokens it has.
    pub(super) fn prefix_operator(&self) -> Option<(Temporal, usize)> {
        let (_, _, op, length) = PREFIX.iter().find(|(signs, words, _, _)| {
            let spelt = !signs.is_empty() && signs.iter().enumerate().all(|(number, sign)| self.is(number, sign));
            // A letter may be a variable.
            spelt || words.iter().any(|word| self.at_word(word) && (word.len() > 1 || self.begins_operand(1)))
        })?;
        Some((*op, if self.word(0).is_some() { 1 } else { *length }))
    }

    /// `[] f`, `<> f`, `f U g` and the like.
    fn temporal(&mut self) -> Parsed<Formula> {
        let start = self.pos;
        if let Some((op @ (Temporal::Always | Temporal::Eventually), length)) = self.prefix_operator() {
            (0..length).for_each(|_| {
                self.bump();
            });
            let inner = self.deeper(Self::temporal)?;
            return Ok(self.combined(start, op, vec![inner]));
        }
        let mut left = self.formula_unary()?;
        while let Some((_, op)) = UNTIL.iter().find(|(word, _)| self.at_word(word)) {
            self.bump();
            let right = self.operand()?;
            left = self.combined(start, *op, vec![left, right]);
        }
        Ok(left)
    }

    /// What an operator that binds tightly is about.
    fn operand(&mut self) -> Parsed<Formula> {
        match self.prefix_operator() {
            Some((Temporal::Always | Temporal::Eventually, _)) => self.deeper(Self::temporal),
            _ => self.deeper(Self::formula_unary),
        }
    }

    fn formula_unary(&mut self) -> Parsed<Formula> {
        let start = self.pos;
        let op = match self.prefix_operator() {
            _ if self.at("!") => Temporal::Not,
            Some((Temporal::Next, _)) => Temporal::Next,
            _ => return self.formula_part(),
        };
        self.bump();
        let inner = self.operand()?;
        Ok(self.combined(start, op, vec![inner]))
    }

    /// Whether the token `n` further on begins an operand, so that a letter before it is an operator and not a variable.
    fn begins_operand(&self, n: usize) -> bool {
        let signs = PREFIX.iter().any(|(signs, ..)| {
            !signs.is_empty() && signs.iter().enumerate().all(|(number, sign)| self.is(n + number, sign))
        });
        let between = |word: &str| {
            UNTIL.iter().any(|(until, _)| *until == word)
                || BINARY.iter().any(|(_, operator, ..)| *operator == word)
                || ["instanceof", "kindof", "shl", "shr", "ushr"].contains(&word)
        };
        let is_number = matches!(self.ahead(n).kind, TokenKind::Number(_));
        signs || is_number || self.is(n, "(") || self.is(n, "!") || self.word(n).is_some_and(|word| !between(&word))
    }

    /// An expression, or a formula in parentheses.
    fn formula_part(&mut self) -> Parsed<Formula> {
        let (start, known) = (self.pos, self.messages());
        if self.at("(") {
            // What is no expression is a formula.
            if let Ok(expr) = self.comparison()
                && !self.at("?")
            {
                return Ok(Formula { kind: FormulaKind::State(Box::new(expr)), span: self.span_from(start) });
            }
            self.go_back(start, known);
            let open = self.bump();
            let mut inner = self.formula(1)?;
            self.close(")", open)?;
            inner.span = self.span_from(start);
            return Ok(inner);
        }
        let expr = self.comparison()?;
        Ok(Formula { kind: FormulaKind::State(Box::new(expr)), span: self.span_from(start) })
    }
}
