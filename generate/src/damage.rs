//! Damage to one place of a model: each kind of it is something that a person could get wrong about symmetry or about a
//! promise. It works on tokens, so the result may be no model at all; that is for others to find out.

use std::fmt;

use crate::random::Random;
use crate::tokens::{Facts, TYPES, Token, Unit, Variable, closing, facts, is_name, is_number, text, tokens};

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

    fn constant(&mut self) -> Option<()> {
        let at = self.places(|at, token, _| is_number(token) && self.token(at.wrapping_sub(1)) != "..");
        let at = self.pick(&at)?;
        let old: i64 = self.tokens[at].parse().ok()?;
        let new = match self.random.below(8) {
            0 | 1 => old + 1,
            2 | 3 => (old - 1).max(0),
            4 => 0,
            5 => 255,
            6 => 256 + old,
            _ => self.random.below(4) as i64,
        };
        self.replace(at, at + 1, &new.to_string())
    }

    /// Brackets of an index in a statement: where they open and close.
    fn brackets(&self) -> Vec<(usize, usize)> {
        let opens = self.places(|at, token, unit| {
            token == "[" && at > 0 && is_name(self.token(at - 1)) && matches!(unit, Unit::Process | Unit::Init)
        });
        let opens = opens.into_iter().filter(|&at| at < 2 || !TYPES.contains(&self.token(at - 2)));
        opens.filter_map(|open| Some((open, closing(&self.tokens, open)?))).collect()
    }

    fn index(&mut self) -> Option<()> {
        let (open, close) = self.pick(&self.brackets())?;
        let old = self.tokens[open + 1..close].join(" ");
        let members = self.facts.is_member_index(&self.tokens[open - 1]);
        let new = match self.random.below(9) {
            _ if members => self.member()?,
            0 => format!("1 - {old}"),
            1 => format!("({old} + 1) % 2"),
            2 => format!("({old} + 1) % 3"),
            3 => format!("({old} - 1) % 3"),
            4 => format!("{old} + 1"),
            5 => format!("{}[{old}]", self.tokens[open - 1]),
            6 => self.expression(),
            7 => "_pid".to_string(),
            _ => self.number(2).to_string(),
        };
        self.replace(open + 1, close, &new)
    }

    fn initial(&mut self) -> Option<()> {
        let sets = self.facts.scalarsets.clone();
        let variable = self.variable(|v| v.ty != "chan" && v.ty != "mtype" && !sets.contains(&v.ty))?;
        let mut end = variable.at + 1;
        if self.token(end) == "[" {
            end = closing(&self.tokens, end)? + 1;
        }
        let value = match self.random.below(6) {
            0 if !variable.global => "_pid".to_string(),
            1 => "-1".to_string(),
            2 => "255".to_string(),
            3 => self.expression(),
            _ => self.number(3).to_string(),
        };
        match self.token(end) {
            "=" if self.token(end + 1) == "-" => self.replace(end + 1, end + 3, &value),
            "=" => self.replace(end + 1, end + 2, &value),
            ";" | "," => self.replace(end, end, &format!("= {value}")),
            _ => None,
        }
    }

    fn ty(&mut self) -> Option<()> {
        // Fields of messages and of structures count, too.
        let at = self.places(|_, token, _| matches!(token, "bit" | "bool" | "byte" | "short" | "int" | "pid"));
        let at = self.pick(&at)?;
        let new = *self.random.pick(&["bit", "bool", "byte", "short", "int", "pid", "unsigned"]);
        if new != "unsigned" {
            return self.replace(at, at + 1, new);
        }
        if !is_name(self.token(at + 1)) || self.token(at + 2) == "[" {
            return self.replace(at, at + 1, "bit");
        }
        let name = self.tokens[at + 1].clone();
        let width = self.random.between(1, 2);
        self.replace(at, at + 2, &format!("unsigned {name} : {width}"))
    }

    fn print(&mut self) -> Option<()> {
        let prints = self.places(|_, token, _| token == "printf");
        let expression = self.expression();
        if let (Some(at), true) = (self.pick(&prints), self.random.chance(50)) {
            let comma = (at..closing(&self.tokens, at + 1)?).find(|&at| self.token(at) == ",")?;
            let end = closing(&self.tokens, at + 1)?;
            let end = (comma + 1..end).find(|&at| self.token(at) == ",").unwrap_or(end);
            return self.replace(comma + 1, end, &expression);
        }
        self.insert_statement(&format!("printf(\"%d\\n\", {expression})"))
    }

    fn order(&mut self) -> Option<()> {
        let loops: Vec<usize> = self.places(|at, token, _| token == "for" && self.token(at + 1) == "(");
        let at = self.pick(&loops);
        if let (Some(at), true) = (at, self.random.chance(60)) {
            let close = closing(&self.tokens, at + 1)?;
            let open = close + 1;
            let name = self.tokens[at + 2].clone();
            return match self.random.below(4) {
                0 => {
                    let dots = (at..close).find(|&at| self.token(at) == "..")?;
                    let start = self.number(1).to_string();
                    self.replace(dots - 1, dots, &start)
                }
                1 => {
                    let scalar = self.scalar()?;
                    self.replace(open + 1, open + 1, &format!("{scalar} = {name};"))
                }
                2 => {
                    let scalar = self.scalar()?;
                    let join = *self.random.pick(&["||", "&&", "+", "-", "|", "*"]);
                    let condition = self.condition();
                    self.replace(open + 1, open + 1, &format!("{scalar} = {scalar} {join} ({condition});"))
                }
                _ => {
                    let condition = self.condition();
                    self.replace(open + 1, open + 1, &format!("if :: {condition} -> skip :: else -> skip fi;"))
                }
            };
        }
        let (scalar, other) = (self.scalar()?, self.scalar()?);
        let array = self.variable(|v| v.global && v.array && v.ty != "chan")?.name;
        let statement = match (self.facts.scalarsets.first().cloned(), self.random.below(5)) {
            (Some(set), 0) => format!("for (l : {set}) {{ {scalar} = {scalar} || (1 / {array}[l] == 1) }}"),
            (Some(set), 1) => {
                format!("for (l : {set}) {{ {scalar} = {scalar} + {array}[l]; {scalar} = {scalar} | 1 }}")
            }
            (Some(set), 2) => format!("for (l : {set}) {{ {scalar} = {array}[l] }}"),
            (Some(set), 3) => format!("for (l : {set}) {{ {array}[l] = {scalar}; {scalar} = {other} }}"),
            (Some(set), _) => format!("for (l : {set}) {{ {array}[l] = {other} }}"),
            (None, 0) => format!("d_step {{ {scalar} = {array}[0]; {other} = {array}[1] }}"),
            (None, 1) => format!("{array}[1] = {array}[0]"),
            (None, 2) => format!("{array}[0] = {scalar}; {array}[1] = {other}"),
            (None, 3) => format!("if :: {array}[0] -> {scalar} = 0 :: else -> {scalar} = 1 fi"),
            (None, _) => format!("{scalar} = {array}[0] || (1 / {array}[1] == 1)"),
        };
        self.insert_statement(&statement)
    }

    fn channel(&mut self) -> Option<()> {
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

    /// Options: where each `::` stands and where its last statement ends.
    fn options(&self) -> Vec<(usize, usize)> {
        let starts = self.places(|_, token, unit| token == "::" && matches!(unit, Unit::Process | Unit::Init));
        let end = |start: usize| {
            let mut depth = 0i32;
            for at in start + 1..self.tokens.len() {
                match self.token(at) {
                    "(" | "[" | "{" | "if" | "do" => depth += 1,
                    "::" | "fi" | "od" if depth == 0 => return Some(at),
                    ")" | "]" | "}" | "fi" | "od" => depth -= 1,
                    _ => {}
                }
            }
            None
        };
        starts.into_iter().filter_map(|start| Some((start, end(start)?))).collect()
    }

    fn option(&mut self) -> Option<()> {
        let options = self.options();
        let (start, end) = self.pick(&options)?;
        let mut copy = self.tokens[start..end].to_vec();
        match self.random.below(5) {
            0 if self.token(end) == "::" || self.token(start - 1) != "if" && self.token(start - 1) != "do" => {
                self.replace(start, end, "")
            }
            1 => {
                let numbers: Vec<usize> = (0..copy.len()).filter(|&at| is_number(&copy[at])).collect();
                let at = self.pick(&numbers)?;
                copy[at] = self.number(2).to_string();
                self.replace(end, end, &copy.join(" "))
            }
            2 => {
                let names: Vec<usize> = (0..copy.len()).filter(|&at| copy[at] == "_pid" || copy[at] == "id").collect();
                let at = self.pick(&names)?;
                copy[at] = self.number(2).to_string();
                self.replace(start, end, &copy.join(" "))
            }
            3 => {
                let condition = self.condition();
                let scalar = self.scalar()?;
                let value = self.expression();
                self.replace(end, end, &format!(":: {condition} -> {scalar} = {value}"))
            }
            _ => {
                let condition = self.condition();
                self.replace(end, end, &format!(":: atomic {{ {condition} -> assert(false) }}"))
            }
        }
    }

    fn trace(&mut self) -> Option<()> {
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
    fn fields(&self, at: usize) -> Option<usize> {
        let open = (at..self.tokens.len().min(at + 12)).find(|&at| self.token(at) == "{")?;
        let close = closing(&self.tokens, open)?;
        Some(1 + (open..close).filter(|&at| self.token(at) == ",").count())
    }

    fn pid(&mut self) -> Option<()> {
        let pids = self.places(|_, token, _| token == "_pid");
        if let (Some(at), true) = (self.pick(&pids), self.random.chance(60)) {
            let new = match self.random.below(6) {
                0 => "(1 - _pid)".to_string(),
                1 => "(_pid + 1)".to_string(),
                2 => "(_pid % 2)".to_string(),
                3 => self.scalar()?,
                _ => self.number(2).to_string(),
            };
            return self.replace(at, at + 1, &new);
        }
        let values = self.places(|at, token, unit| {
            matches!(unit, Unit::Process | Unit::Init)
                && (is_number(token) || token == "id")
                && matches!(self.token(at.wrapping_sub(1)), "=" | "==" | "!=" | "[" | "!" | "(" | ",")
        });
        match self.pick(&values) {
            Some(at) => self.replace(at, at + 1, "_pid"),
            None => {
                let condition = format!("(_pid != {})", self.number(2));
                self.insert_statement(&condition)
            }
        }
    }

    /// Where the body of a process type opens.
    fn open(&mut self) -> Option<usize> {
        let opens: Vec<usize> = self.facts.processes.iter().map(|(_, open)| *open).collect();
        self.pick(&opens)
    }

    fn priority(&mut self) -> Option<()> {
        let priority = self.random.between(1, 3);
        let runs = self.places(|_, token, _| token == "run");
        match self.random.below(4) {
            0 => {
                let open = self.open()?;
                self.replace(open, open, &format!("priority {priority}"))
            }
            1 if !runs.is_empty() => {
                let at = self.pick(&runs)?;
                let close = closing(&self.tokens, at + 2)?;
                self.replace(close + 1, close + 1, &format!("priority {priority}"))
            }
            2 => {
                let pid = if self.random.chance(50) { "_pid".to_string() } else { self.number(2).to_string() };
                self.insert_statement(&format!("set_priority({pid}, {priority})"))
            }
            _ => {
                let pid = self.number(2);
                self.insert_statement(&format!("get_priority({pid}) != {priority}"))
            }
        }
    }

    fn provided(&mut self) -> Option<()> {
        let open = self.open()?;
        let condition = self.condition();
        self.replace(open, open, &format!("provided ({condition})"))
    }

    fn remote(&mut self) -> Option<()> {
        let at = self.places(|at, token, _| token == "@" && self.token(at - 1) == "]");
        if let (Some(at), true) = (self.pick(&at), self.random.chance(60)) {
            let index = self.number(3).to_string();
            return self.replace(at - 2, at - 1, &index);
        }
        let labels = self.facts.labels.clone();
        let (label, of) = self.pick(&labels)?;
        let local = self.variable(|v| !v.global && v.ty != "chan");
        let scalar = self.scalar();
        let pid = match self.random.below(4) {
            0 => scalar.clone().unwrap_or_else(|| "1".to_string()),
            1 => "(1 - _pid)".to_string(),
            _ => self.number(2).to_string(),
        };
        let reference = match (self.random.below(3), local) {
            (0, Some(local)) => format!("{of}[{pid}]:{} == {}", local.name, self.number(2)),
            _ => format!("{of}[{pid}]@{label}"),
        };
        let negate = if self.random.chance(50) { "!" } else { "" };
        let statement = match self.random.below(3) {
            0 => format!("{} = ({reference})", scalar?),
            1 => format!("assert({negate}({reference}))"),
            _ => format!("{negate}({reference})"),
        };
        self.insert_statement(&statement)
    }

    fn prefix(&mut self) -> Option<()> {
        let scalar = self.scalar()?;
        let value = self.expression();
        let channel = self.variable(|v| v.global && v.ty == "chan");
        let statement = match (self.random.below(6), channel) {
            (0, Some(channel)) if !channel.array => {
                let fields = self.fields(channel.at)?;
                format!("{}!{}", channel.name, vec!["0"; fields].join(","))
            }
            (1, Some(channel)) if channel.array => format!("{0}[0] = {0}[1]", channel.name),
            (2, _) => "skip".to_string(),
            _ => format!("{scalar} = {value}"),
        };
        let Some(init) = self.facts.init else {
            let process = "proctype Extra() { end: do :: false od }";
            let end = self.tokens.len();
            let text = match self.random.below(4) {
                0 => format!("init {{ {statement} }}"),
                1 => format!("init {{ atomic {{ {statement} }} }}"),
                2 => format!("{process} init {{ {statement}; run Extra() }}"),
                _ => format!("{process} init {{ atomic {{ {statement}; run Extra() }} }}"),
            };
            return self.replace(end, end, &text);
        };
        let close = closing(&self.tokens, init)?;
        let runs: Vec<usize> = (init..close).filter(|&at| self.token(at) == "run").collect();
        let atomic = (init..close).find(|&at| self.token(at) == "atomic" && self.token(at + 1) == "{");
        match (self.random.below(5), atomic) {
            (0, Some(at)) => self.replace(at, at + 1, ""),
            (1, Some(at)) => self.replace(at, at, &format!("{statement};")),
            (2, Some(at)) => self.replace(at + 2, at + 2, &format!("{statement};")),
            _ => {
                let at = self.pick(&runs)?;
                self.replace(at, at, &format!("{statement};"))
            }
        }
    }

    fn promise(&mut self) -> Option<()> {
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

    fn operator(&mut self) -> Option<()> {
        let at = self.places(|_, token, unit| {
            matches!(unit, Unit::Process | Unit::Init)
                && matches!(token, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "+" | "%")
        });
        let at = self.pick(&at)?;
        let new = match self.token(at) {
            "&&" => "||",
            "||" => "&&",
            "+" => *self.random.pick(&["-", "*", "|", "||"]),
            "%" => *self.random.pick(&["/", "-", "&"]),
            _ => *self.random.pick(&["==", "!=", "<", ">", "<=", ">="]),
        };
        self.replace(at, at + 1, new)
    }

    fn statement(&mut self) -> Option<()> {
        let at = self.places(|at, token, unit| {
            token == ";" && matches!(unit, Unit::Process | Unit::Init) && self.facts.inserts.contains(&(at + 1))
        });
        let start = self.pick(&at)?;
        let mut depth = 0i32;
        let mut end = start + 1;
        while end < self.tokens.len() {
            match self.token(end) {
                "(" | "[" | "{" | "if" | "do" => depth += 1,
                ";" | "::" | "}" | "fi" | "od" | "->" if depth == 0 => break,
                ")" | "]" | "}" | "fi" | "od" => depth -= 1,
                _ => {}
            }
            end += 1;
        }
        let copy = self.tokens[start..end].join(" ");
        match self.random.below(3) {
            0 => self.replace(start, end, ""),
            1 => self.replace(end, end, &copy),
            _ => {
                let (scalar, value) = (self.scalar()?, self.expression());
                self.replace(start, end, &format!("; {scalar} = {value}"))
            }
        }
    }

    fn value(&mut self) -> Option<()> {
        let at = self.places(|_, token, unit| token == "=" && matches!(unit, Unit::Process | Unit::Init));
        if let (Some(at), true) = (self.pick(&at), self.random.chance(60)) {
            let mut depth = 0i32;
            let mut end = at + 1;
            while end < self.tokens.len() {
                match self.token(end) {
                    "(" | "[" | "{" => depth += 1,
                    ";" | "::" | "}" | "fi" | "od" | "->" | ")" | "," if depth == 0 => break,
                    ")" | "]" | "}" => depth -= 1,
                    _ => {}
                }
                end += 1;
            }
            let value = self.expression();
            return self.replace(at + 1, end, &value);
        }
        let (scalar, value) = (self.scalar()?, self.expression());
        self.insert_statement(&format!("{scalar} = {value}"))
    }

    fn message(&mut self) -> Option<()> {
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

    fn grouping(&mut self) -> Option<()> {
        let blocks = self.places(|at, token, _| matches!(token, "atomic" | "d_step") && self.token(at + 1) == "{");
        let at = self.pick(&blocks)?;
        let close = closing(&self.tokens, at + 1)?;
        match self.random.below(4) {
            0 => self.replace(at, at + 1, ""),
            1 => self.replace(at, at + 1, "d_step"),
            2 => {
                let condition = self.condition();
                self.replace(close + 1, close + 1, &format!("unless {{ {condition} }}"))?;
                // `unless` wants a sequence before it.
                self.replace(close + 1, close + 1, "}")?;
                self.replace(at, at, "{")
            }
            _ => {
                let condition = self.condition();
                self.replace(close, close, &format!("; {condition}"))
            }
        }
    }

    fn global(&mut self) -> Option<()> {
        let k = self.number(2);
        let scalar = self.scalar();
        let condition = match self.random.below(7) {
            0 => format!("enabled({k})"),
            1 => format!("!enabled({})", scalar.clone()?),
            2 => format!("_last != {k}"),
            3 => format!("_nr_pr > {k}"),
            4 => "timeout".to_string(),
            5 => "_last == _pid".to_string(),
            _ => format!("pc_value({k}) < 3"),
        };
        let options = self.options();
        match (self.random.below(4), self.pick(&options), scalar) {
            (0, Some((_, end)), _) if self.token(end) != "::" => self.replace(end, end, ":: else -> skip"),
            (1, _, Some(scalar)) if condition != "timeout" => {
                self.insert_statement(&format!("{scalar} = ({condition})"))
            }
            (2, Some((_, end)), _) => self.replace(end, end, &format!(":: atomic {{ {condition} -> assert(false) }}")),
            _ => self.insert_statement(&condition),
        }
    }

    fn life(&mut self) -> Option<()> {
        let options = self.options();
        let option = self.pick(&options);
        let families =
            self.places(|at, token, unit| unit == Unit::Outside && token == "active" && self.token(at + 1) == "[");
        let runs = self.places(|at, token, _| token == "run" && self.token(at + 2) == "(");
        match self.random.below(4) {
            0 if !families.is_empty() => {
                let at = self.pick(&families)?;
                let size = self.random.between(1, 4).to_string();
                self.replace(at + 2, at + 3, &size)
            }
            1 if !runs.is_empty() => {
                let at = self.pick(&runs)?;
                let close = closing(&self.tokens, at + 2)?;
                let copy = self.tokens[at..=close].join(" ");
                self.replace(at, at, &format!("{copy};"))
            }
            2 => {
                let (name, _) = self.pick(&self.facts.processes.clone())?;
                let init = self.facts.init;
                if init.is_some() {
                    return self.insert_statement("if :: _nr_pr > 5 -> skip :: else -> skip fi");
                }
                let end = self.tokens.len();
                self.replace(end, end, &format!("init {{ run {name}() }}"))
            }
            _ => {
                let (_, end) = option?;
                let condition = self.condition();
                self.replace(end, end, &format!(":: {condition} -> break"))
            }
        }
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
