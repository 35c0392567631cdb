//! Damage to one place of a model: each kind of it is something that a person could get wrong about symmetry or about a
//! promise. It works on tokens, so the result may be no model at all; that is for others to find out.

mod channels;
mod control;
mod data;

use std::fmt;

use crate::random::Random;
use crate::tokens::{Facts, Token, Unit, Variable, facts, text, tokens};

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Damage {
    /// A number in a statement or a declaration.
    Constant,
    /// The index of an array.
    Index,
    /// An initial value.
    Initial,
    /// The type of a variable.
    Type,
    /// An argument of a print.
    Print,
    /// The order in a loop over members.
    Loop,
    /// The channel of one member.
    Channel,
    /// One option of a selection or loop.
    Option,
    /// A trace.
    Trace,
    /// A `_pid`.
    Pid,
    /// A priority.
    Priority,
    /// A `provided` clause.
    Provided,
    /// A remote reference.
    Remote,
    /// What `init` does first.
    Prefix,
    /// A promise (`xr`, `xs`).
    Promise,
    /// An operator.
    Operator,
    /// A statement is left out, doubled or put elsewhere.
    Statement,
    /// The value that is assigned.
    Value,
    /// How a message is sent or received.
    Message,
    /// Which statements belong together: `atomic`, `d_step`, `unless`.
    Grouping,
    /// What only the whole system knows: `timeout`, `else`, `enabled`, `_last`, `_nr_pr`.
    Global,
    /// How long a process lives, or how many there are.
    Life,
}

impl Damage {
    /// All kinds.
    pub const ALL: [Damage; 22] = [
        Damage::Constant,
        Damage::Index,
        Damage::Initial,
        Damage::Type,
        Damage::Print,
        Damage::Loop,
        Damage::Channel,
        Damage::Option,
        Damage::Trace,
        Damage::Pid,
        Damage::Priority,
        Damage::Provided,
        Damage::Remote,
        Damage::Prefix,
        Damage::Promise,
        Damage::Operator,
        Damage::Statement,
        Damage::Value,
        Damage::Message,
        Damage::Grouping,
        Damage::Global,
        Damage::Life,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Damage::Constant => "constant",
            Damage::Index => "index",
            Damage::Initial => "initial value",
            Damage::Type => "type",
            Damage::Print => "print",
            Damage::Loop => "loop",
            Damage::Channel => "channel",
            Damage::Option => "option",
            Damage::Trace => "trace",
            Damage::Pid => "_pid",
            Damage::Priority => "priority",
            Damage::Provided => "provided",
            Damage::Remote => "remote reference",
            Damage::Prefix => "prefix of init",
            Damage::Promise => "promise",
            Damage::Operator => "operator",
            Damage::Statement => "statement",
            Damage::Value => "value",
            Damage::Message => "message",
            Damage::Grouping => "grouping",
            Damage::Global => "global knowledge",
            Damage::Life => "life",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The model damaged in one place; nothing if there is no such place.
pub fn damage(model: &str, kind: Damage, random: &mut Random) -> Option<String> {
    let original = tokens(model);
    let facts = facts(&original);
    let mut work = Work { tokens: original.clone(), facts, random };
    let done = match kind {
        Damage::Constant => work.constant(),
        Damage::Index => work.index(),
        Damage::Initial => work.initial(),
        Damage::Type => work.ty(),
        Damage::Print => work.print(),
        Damage::Loop => work.order(),
        Damage::Channel => work.channel(),
        Damage::Option => work.option(),
        Damage::Trace => work.trace(),
        Damage::Pid => work.pid(),
        Damage::Priority => work.priority(),
        Damage::Provided => work.provided(),
        Damage::Remote => work.remote(),
        Damage::Prefix => work.prefix(),
        Damage::Promise => work.promise(),
        Damage::Operator => work.operator(),
        Damage::Statement => work.statement(),
        Damage::Value => work.value(),
        Damage::Message => work.message(),
        Damage::Grouping => work.grouping(),
        Damage::Global => work.global(),
        Damage::Life => work.life(),
    };
    done?;
    (work.tokens != original).then(|| text(&work.tokens))
}

struct Work<'r> {
    tokens: Vec<Token>,
    facts: Facts,
    random: &'r mut Random,
}

impl Work<'_> {
    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| self.random.pick(items).clone())
    }

    /// Places whose token and unit pass a test.
    fn places(&self, test: impl Fn(usize, &str, Unit) -> bool) -> Vec<usize> {
        (0..self.tokens.len()).filter(|&at| test(at, &self.tokens[at], self.facts.units[at])).collect()
    }

    fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", String::as_str)
    }

    /// Puts a text in the place of some tokens.
    fn replace(&mut self, from: usize, to: usize, with: &str) -> Option<()> {
        self.tokens.splice(from..to, tokens(with));
        Some(())
    }

    fn insert_statement(&mut self, statement: &str) -> Option<()> {
        let at = self.pick(&self.facts.inserts.clone())?;
        self.replace(at, at, &format!("{statement};"))
    }

    fn variable(&mut self, test: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let fitting: Vec<Variable> = self.facts.variables.iter().filter(|v| test(v)).cloned().collect();
        self.pick(&fitting)
    }

    /// A global variable with plain values; an element for an array.
    fn scalar(&mut self) -> Option<String> {
        let sets = self.facts.scalarsets.clone();
        let plain = |v: &Variable| v.global && v.ty != "chan" && v.ty != "mtype" && !sets.contains(&v.ty);
        let variable = self.variable(|v| plain(v) && !v.by_members)?;
        let index = if variable.array { format!("[{}]", self.number(2)) } else { String::new() };
        Some(format!("{}{index}", variable.name))
    }

    /// A variable that holds a member of a declared scalarset.
    fn member(&mut self) -> Option<String> {
        let sets = self.facts.scalarsets.clone();
        Some(self.variable(|v| !v.array && sets.contains(&v.ty))?.name)
    }

    fn number(&mut self, most: usize) -> usize {
        self.random.between(0, most)
    }

    /// An expression that can single out a member, be cut, or go wrong.
    fn expression(&mut self) -> String {
        let scalar = self.scalar().unwrap_or_else(|| "1".to_string());
        let k = self.number(3);
        let array = self.variable(|v| v.global && v.array && v.ty != "chan" && !v.by_members);
        match (self.random.below(12), array) {
            (0 | 1, _) => k.to_string(),
            (2, _) => "_pid".to_string(),
            (3, _) => format!("{scalar} - 1"),
            (4, _) => format!("{scalar} + {k}"),
            (5, _) => format!("({scalar} - 1) % 3"),
            (6, _) => format!("-{scalar}"),
            (7, _) => format!("4 / {scalar}"),
            (8 | 9, Some(array)) => format!("{}[{scalar}]", array.name),
            (10, _) => "-1".to_string(),
            _ => scalar,
        }
    }

    /// A condition that not all members pass alike.
    fn condition(&mut self) -> String {
        let (left, right) = (self.scalar().unwrap_or_else(|| "0".to_string()), self.number(2));
        match self.random.below(7) {
            0 => format!("_pid != {right}"),
            1 => format!("_pid > {right}"),
            2 => format!("{left} < {right}"),
            3 => format!("{left} == {}", self.expression()),
            4 => format!("!({left} == {right})"),
            5 => format!("{left} == _pid"),
            _ => format!("{left} != {right}"),
        }
    }

    /// Where the body of a process type opens.
    fn open(&mut self) -> Option<usize> {
        let opens: Vec<usize> = self.facts.processes.iter().map(|(_, open)| *open).collect();
        self.pick(&opens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_can_be_done() {
        for kind in Damage::ALL {
            let done = (0..100).filter_map(|seed| damage(&crate::idiom::model(seed), kind, &mut Random::new(seed)));
            assert!(done.count() > 30, "{kind}");
        }
    }
}
