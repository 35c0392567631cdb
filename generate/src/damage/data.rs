//! Damage to data: numbers, indices, types, values.
//! What is put there instead is what people confuse it with.

use super::Work;
use crate::tokens::{TYPES, Unit, closing, is_name, is_number};

impl Work<'_> {
    pub(super) fn constant(&mut self) -> Option<()> {
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
    pub(super) fn brackets(&self) -> Vec<(usize, usize)> {
        let opens = self.places(|at, token, unit| {
            token == "[" && at > 0 && is_name(self.token(at - 1)) && matches!(unit, Unit::Process | Unit::Init)
        });
        let opens = opens.into_iter().filter(|&at| at < 2 || !TYPES.contains(&self.token(at - 2)));
        opens.filter_map(|open| Some((open, closing(&self.tokens, open)?))).collect()
    }

    pub(super) fn index(&mut self) -> Option<()> {
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

    pub(super) fn initial(&mut self) -> Option<()> {
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

    pub(super) fn ty(&mut self) -> Option<()> {
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

    pub(super) fn print(&mut self) -> Option<()> {
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

    pub(super) fn pid(&mut self) -> Option<()> {
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

    pub(super) fn operator(&mut self) -> Option<()> {
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

    pub(super) fn value(&mut self) -> Option<()> {
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
}
