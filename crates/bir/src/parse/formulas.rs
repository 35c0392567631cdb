//! Temporal formulas: `ltl name { formula }`, and those of the command line. They follow SPIN's: temporal operators bind tighter than
//! `&&` and `||`, and what stands between them is an expression.

use super::cursor::{Cursor, Parsed};
use crate::ast::{Claim, Formula, FormulaKind, Name, Temporal};

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
    ("W", Temporal::WeakUntil),
    ("weakuntil", Temporal::WeakUntil),
    ("V", Temporal::Release),
    ("R", Temporal::Release),
    ("release", Temporal::Release),
];

impl Cursor {
    /// `ltl name { formula }`
    pub(super) fn claim(&mut self) -> Parsed<Claim> {
        self.bump();
        let name = self.name("the name of a formula")?;
        let open = self.expect("{", "before the formula")?;
        let formula = self.formula(1)?;
        self.close("}", open)?;
        Ok(Claim { name, formula })
    }

    /// A formula that stands alone.
    pub(super) fn whole_formula(&mut self, name: Name) -> Parsed<Claim> {
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

    /// `[] f`, `<> f`, `f U g` and the like.
    fn temporal(&mut self) -> Parsed<Formula> {
        let start = self.pos;
        let always = self.at("[") && self.is(1, "]");
        let eventually = self.at("<") && self.is(1, ">");
        if always || eventually || self.at_word("always") || self.at_word("eventually") {
            let op = if always || self.at_word("always") { Temporal::Always } else { Temporal::Eventually };
            self.bump();
            if always || eventually {
                self.bump();
            }
            let inner = self.deeper(Self::temporal)?;
            return Ok(self.combined(start, op, vec![inner]));
        }
        let mut left = self.formula_unary()?;
        while let Some((_, op)) = UNTIL.iter().find(|(word, _)| self.at_word(word)) {
            self.bump();
            let begins = (self.at("[") && self.is(1, "]")) || (self.at("<") && self.is(1, ">"));
            let right = if begins { self.deeper(Self::temporal)? } else { self.deeper(Self::formula_unary)? };
            left = self.combined(start, *op, vec![left, right]);
        }
        Ok(left)
    }

    fn formula_unary(&mut self) -> Parsed<Formula> {
        let start = self.pos;
        let op = match () {
            () if self.at("!") => Temporal::Not,
            () if self.at_word("next") || (self.at_word("X") && self.begins_operand(1)) => Temporal::Next,
            () => return self.formula_part(),
        };
        self.bump();
        let begins = (self.at("[") && self.is(1, "]")) || (self.at("<") && self.is(1, ">"));
        let inner = if begins { self.deeper(Self::temporal)? } else { self.deeper(Self::formula_unary)? };
        Ok(self.combined(start, op, vec![inner]))
    }

    /// Whether the token `n` further on begins an operand, so that what stands before it is an operator.
    fn begins_operand(&self, n: usize) -> bool {
        let operator = UNTIL.iter().any(|(word, _)| self.is_word(n, word));
        let brackets = (self.is(n, "[") && self.is(n + 1, "]")) || (self.is(n, "<") && self.is(n + 1, ">"));
        let word = self.word(n).is_some_and(|word| &*word != "instanceof" && &*word != "kindof");
        brackets || self.is(n, "(") || self.is(n, "!") || (word && !operator)
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
