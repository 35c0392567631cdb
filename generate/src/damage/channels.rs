//! Damage to channels: who uses them, how, and what is promised or traced.
//! A channel that is shared where it should not be is the usual mistake.

use super::Work;
use crate::tokens::{Unit, Variable, closing, is_name, is_number};

impl Work<'_> {
    pub(super) fn channel(&mut self) -> Option<()> {
        let runs = self.places(|at, token, _| token == "run" && self.token(at + 2) == "(");
        let channels: Vec<Variable> =
            self.facts.variables.iter().filter(|v| v.ty == "chan" && v.global).cloned().collect();
        let [one, other] = [self.pick(&channels)?, self.pick(&channels)?];
        if let (Some(at), true) = (self.pick(&runs), self.random.chance(40))
            && channels.iter().any(|channel| channel.name == self.token(at + 3))
        {
            return self.replace(at + 3, at + 4, &one.name);
        }
        let capacities = self.places(|at, token, unit| {
            unit == Unit::Outside && is_number(token) && self.token(at + 1) == "]" && self.token(at + 2) == "of"
        });
        if let (Some(at), true) = (self.pick(&capacities), self.random.chance(30)) {
            let capacity = self.number(3).to_string();
            return self.replace(at, at + 1, &capacity);
        }
        let element = |work: &mut Self, channel: &Variable| match channel.array {
            true => format!("{}[{}]", channel.name, work.number(1)),
            false => channel.name.clone(),
        };
        let left = element(self, &one);
        let same = self.random.chance(60);
        let right = element(self, if same { &one } else { &other });
        let statement = match self.random.below(5) {
            0 => format!("if :: nfull({left}) -> {left}!0 :: else fi"),
            1 => format!("{left}?_"),
            2 => {
                let scalar = self.scalar()?;
                format!("{scalar} = len({left})")
            }
            _ => format!("{left} = {right}"),
        };
        self.insert_statement(&statement)
    }

    pub(super) fn trace(&mut self) -> Option<()> {
        let inside = self.places(|_, token, unit| unit == Unit::Trace && (is_number(token) || token == "_"));
        if let Some(at) = self.pick(&inside) {
            let new = if self.random.chance(70) { self.number(2).to_string() } else { "_".to_string() };
            return self.replace(at, at + 1, &new);
        }
        let channel = self.variable(|v| v.global && v.ty == "chan" && !v.array)?;
        let fields = self.fields(channel.at)?;
        let name = channel.name;
        let event = |work: &mut Self, op: &str| {
            let values: Vec<String> = (0..fields)
                .map(|_| if work.random.chance(50) { "_".to_string() } else { work.number(2).to_string() })
                .collect();
            format!("{name}{op}{}", values.join(","))
        };
        let any = vec!["_"; fields].join(",");
        let automaton = match self.random.below(4) {
            0 => format!("notrace {{ {}; {} }}", event(self, "!"), event(self, "!")),
            1 => {
                let (a, b, c) = (event(self, "!"), event(self, "!"), event(self, "!"));
                format!(
                    "trace {{ endS: if :: {a} -> goto endT :: {b} -> goto endU :: {c} -> goto endT fi; endT: {name}?{any}; \
                     goto endT; endU: {name}?{any}; goto endS }}"
                )
            }
            2 => format!("trace {{ endS: do :: {} :: {} :: {name}?{any} od }}", event(self, "!"), event(self, "!")),
            _ => format!("trace {{ endS: do :: {name}!{any} -> endT: {} od }}", event(self, "?")),
        };
        let end = self.tokens.len();
        self.replace(end, end, &automaton)
    }

    /// How many fields the messages of a channel declared at a place have.
    pub(super) fn fields(&self, at: usize) -> Option<usize> {
        let open = (at..self.tokens.len().min(at + 12)).find(|&at| self.token(at) == "{")?;
        let close = closing(&self.tokens, open)?;
        Some(1 + (open..close).filter(|&at| self.token(at) == ",").count())
    }

    pub(super) fn promise(&mut self) -> Option<()> {
        let promises = self.places(|_, token, _| token == "xr" || token == "xs");
        if let (Some(at), true) = (self.pick(&promises), self.random.chance(40)) {
            let new = if self.tokens[at] == "xr" { "xs" } else { "xr" };
            return self.replace(at, at + 1, new);
        }
        let channel = self.variable(|v| v.global && v.ty == "chan")?;
        let index = match channel.array {
            true if self.random.chance(70) => format!("[{}]", self.number(1)),
            _ => String::new(),
        };
        let kind = *self.random.pick(&["xr", "xs"]);
        let promise = format!("{kind} {}{index};", channel.name);
        if self.random.chance(20) {
            let statement = self.random.pick(&["skip", "false", "end: do :: false od"]);
            let process = format!("active proctype Promise() {{ {promise} {statement} }}");
            let end = self.tokens.len();
            return self.replace(end, end, &process);
        }
        let open = self.open()?;
        self.replace(open + 1, open + 1, &promise)
    }

    pub(super) fn message(&mut self) -> Option<()> {
        let at = self.places(|at, token, unit| {
            matches!(unit, Unit::Process | Unit::Init)
                && matches!(token, "!" | "?" | "!!" | "??")
                && (is_name(self.token(at.wrapping_sub(1))) || self.token(at.wrapping_sub(1)) == "]")
        });
        let at = self.pick(&at)?;
        let which = self.random.below(3);
        let new = match (self.token(at), which) {
            ("!", 0) => "!!",
            ("!!", _) => "!",
            ("?", 0) => "??",
            ("??", 0) => "?",
            _ => {
                let last = at + 1;
                if self.token(last) == "eval" {
                    let close = closing(&self.tokens, last + 1)?;
                    let value = self.expression();
                    return self.replace(last + 2, close, &value);
                }
                let sends = self.token(at).starts_with('!');
                let end = if self.token(last) == "(" { closing(&self.tokens, last)? + 1 } else { last + 1 };
                let value = match sends {
                    true => self.expression(),
                    false if self.random.chance(50) => self.number(2).to_string(),
                    false => format!("eval({})", self.expression()),
                };
                return self.replace(last, end, &value);
            }
        };
        self.replace(at, at + 1, new)
    }
}
