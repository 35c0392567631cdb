//! Damage to control: what is done, in which order, by whom, and when a process may move.
//! Statements are put where a statement can begin, so that most results are models.

use super::Work;
use crate::tokens::{Unit, closing, is_number};

impl Work<'_> {
    pub(super) fn order(&mut self) -> Option<()> {
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

    /// Options: where each `::` stands and where its last statement ends.
    pub(super) fn options(&self) -> Vec<(usize, usize)> {
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

    pub(super) fn option(&mut self) -> Option<()> {
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

    pub(super) fn priority(&mut self) -> Option<()> {
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

    pub(super) fn provided(&mut self) -> Option<()> {
        let open = self.open()?;
        let condition = self.condition();
        self.replace(open, open, &format!("provided ({condition})"))
    }

    pub(super) fn remote(&mut self) -> Option<()> {
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

    pub(super) fn prefix(&mut self) -> Option<()> {
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

    pub(super) fn statement(&mut self) -> Option<()> {
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

    pub(super) fn grouping(&mut self) -> Option<()> {
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

    pub(super) fn global(&mut self) -> Option<()> {
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

    pub(super) fn life(&mut self) -> Option<()> {
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
