//! Normal forms: what a model does, as text in which the members of one scalarset are renamed. A renaming leaves the
//! model as it is when the text is the same with and without it, up to the order of options and of operands that can
//! be evaluated in any order.

use std::collections::BTreeSet;

use quotient_ir::{Action, BinaryOp, Deterministic, Expr, Model, Pattern, Place, Scope, SetId};

use crate::infer::{Inference, component};
use crate::sets::Sets;

/// A renaming of the members of one set.
#[derive(Clone, Debug)]
pub struct Rename {
    /// The set.
    pub set: SetId,
    /// The new member for each.
    pub permutation: Vec<u8>,
    /// What the renaming does to steps around a ring.
    pub ring: Ring,
}

/// What a renaming does to steps around a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// They stay (a rotation).
    Keeps,
    /// They change direction (a reflection).
    Turns,
    /// They are lost.
    Breaks,
}

/// Writes normal forms of one process type.
pub struct Normal<'a> {
    /// The model.
    pub model: &'a Model,
    /// What things are.
    pub inference: &'a Inference,
    /// The scalarsets.
    pub sets: &'a Sets,
    /// The process type.
    pub proctype: usize,
    /// The renaming; `None` for the model as it is.
    pub rename: Option<&'a Rename>,
}

/// What can go wrong in evaluating an expression, as text that is the same for the same cause.
#[derive(Clone, Debug, Default)]
struct Risks {
    /// Whenever the cause is there.
    must: BTreeSet<String>,
    /// At most.
    may: BTreeSet<String>,
}

impl Risks {
    fn of(cause: String) -> Self {
        Risks { must: BTreeSet::from([cause.clone()]), may: BTreeSet::from([cause]) }
    }

    /// Both are evaluated.
    fn and(mut self, other: Risks) -> Self {
        self.must.extend(other.must);
        self.may.extend(other.may);
        self
    }

    /// The other may be evaluated after this.
    fn then(mut self, other: Risks) -> Self {
        self.may.extend(other.may);
        self
    }
}

/// A member's type: its set, and the value of member 0.
type Member = Option<(SetId, i32)>;

impl Normal<'_> {
    /// An action.
    pub fn action(&self, action: &Action) -> String {
        match action {
            Action::Skip | Action::Print { .. } => "skip".to_string(),
            Action::Else => "else".to_string(),
            Action::End => "end".to_string(),
            Action::Condition(e) => format!("? {}", self.expr(e, None)),
            Action::Assert(e) => format!("assert {}", self.expr(e, None)),
            Action::Assign(place, value) => {
                let expected = self.place_member(place, self.proctype);
                format!("{} = {}", self.place(place, self.proctype), self.expr(value, expected))
            }
            Action::Send { channel, values, sorted } => {
                let values = self.message(channel, values.iter().map(Some));
                format!("{} !{} {values}", self.place(channel, self.proctype), u8::from(*sorted))
            }
            Action::Receive { channel, pattern, random, copy } => {
                let flags = format!("{}{}", u8::from(*random), u8::from(*copy));
                format!("{} ?{flags} {}", self.place(channel, self.proctype), self.pattern(channel, pattern))
            }
            Action::SetPriority(pid, value) => {
                format!("priority {} {}", self.expr(pid, self.any_pid()), self.expr(value, None))
            }
            Action::Deterministic(body) => self.deterministic(body),
        }
    }

    fn deterministic(&self, body: &Deterministic) -> String {
        let mut inside = vec![None; body.nodes.len()];
        for (number, unordered) in body.loops.iter().enumerate() {
            for (iteration, nodes) in unordered.iterations.iter().enumerate() {
                nodes.iter().for_each(|&node| inside[node] = Some((number, iteration)));
            }
        }
        let mut text = String::from("d_step {");
        for (number, node) in body.nodes.iter().enumerate() {
            if inside[number].is_none() {
                text.push_str(&format!(" {number}:"));
                for option in &node.options {
                    let next = option.next.map(|next| match inside[next] {
                        Some((unordered, _)) => format!("loop {unordered}"),
                        None => next.to_string(),
                    });
                    text.push_str(&format!(" [{} -> {next:?}]", self.action(&option.action)));
                }
            }
        }
        for (number, unordered) in body.loops.iter().enumerate() {
            let mut iterations: Vec<String> = unordered.iterations.iter().map(|n| self.iteration(body, n)).collect();
            iterations.sort();
            let leaves = unordered.iterations.last().map(|nodes| {
                let exits = nodes.iter().flat_map(|&n| &body.nodes[n].options).map(|o| o.next);
                exits.filter(|next| next.is_none_or(|n| !nodes.contains(&n))).collect::<Vec<_>>()
            });
            let leaves = leaves.unwrap_or_default().first().copied().flatten();
            let leaves = leaves.map(|next| match inside[next] {
                Some((unordered, _)) => format!("loop {unordered}"),
                None => next.to_string(),
            });
            text.push_str(&format!(" loop {number} {{ {} }} -> {leaves:?}", iterations.join(" | ")));
        }
        text
    }

    /// One iteration of a loop, its nodes numbered by themselves.
    fn iteration(&self, body: &Deterministic, nodes: &[usize]) -> String {
        let mut order: Vec<usize> = nodes.first().copied().into_iter().collect();
        let mut text = String::new();
        let mut at = 0;
        while at < order.len() {
            text.push_str(&format!(" {at}:"));
            for option in &body.nodes[order[at]].options {
                let next = match option.next {
                    Some(next) if nodes.contains(&next) => {
                        let known = order.iter().position(|&n| n == next).unwrap_or_else(|| {
                            order.push(next);
                            order.len() - 1
                        });
                        known.to_string()
                    }
                    _ => "out".to_string(),
                };
                text.push_str(&format!(" [{} -> {next}]", self.action(&option.action)));
            }
            at += 1;
        }
        text
    }

    fn message<'e>(&self, channel: &Place, values: impl Iterator<Item = Option<&'e Expr>>) -> String {
        let node = self.inference.value(component(channel.scope, self.proctype), channel.slot);
        let fields = self.inference.classes.known_fields(node);
        let values = values.enumerate().map(|(i, value)| match value {
            Some(value) => self.expr(value, fields.get(i).and_then(|&f| self.sets.member(self.inference, f, 0))),
            None => "_".to_string(),
        });
        values.collect::<Vec<_>>().join(", ")
    }

    fn pattern(&self, channel: &Place, pattern: &[Pattern]) -> String {
        let matched = self.message(
            channel,
            pattern.iter().map(|part| match part {
                Pattern::Match(value) => Some(value),
                _ => None,
            }),
        );
        let bound = pattern.iter().map(|part| match part {
            Pattern::Match(_) => "=".to_string(),
            Pattern::Bind(place) => self.place(place, self.proctype),
            Pattern::Ignore => "_".to_string(),
        });
        format!("{matched} / {}", bound.collect::<Vec<_>>().join(", "))
    }

    fn any_pid(&self) -> Member {
        self.sets.member(self.inference, self.inference.any_pid, 0)
    }

    fn pid(&self, proctype: usize) -> Member {
        self.sets.member(self.inference, self.inference.pids[proctype], 0)
    }

    fn place_member(&self, place: &Place, owner: usize) -> Member {
        let node = self.inference.value(component(place.scope, owner), place.slot);
        self.sets.member(self.inference, node, 0)
    }

    fn member(&self, expr: &Expr) -> Member {
        let (node, offset) = self.inference.ty(expr, self.proctype)?;
        self.sets.member(self.inference, node, offset)
    }

    /// A constant among the values of a type.
    fn constant(&self, value: i32, expected: Member) -> i32 {
        match (self.rename, expected) {
            (Some(rename), Some((set, first))) if rename.set == set => {
                let member = usize::try_from(i64::from(value) - i64::from(first)).ok();
                match member.and_then(|k| rename.permutation.get(k)) {
                    Some(&member) => first + i32::from(member),
                    None => value,
                }
            }
            _ => value,
        }
    }

    /// A variable of a process of some type.
    pub fn place(&self, place: &Place, owner: usize) -> String {
        let component = component(place.scope, owner);
        let arrays = &self.inference.arrays[component];
        let element = &arrays.elements[place.slot];
        let shape = &arrays.shapes[element.shape];
        let dimensions = arrays.dimensions(place);
        let mut text = format!("{component}.{}:", shape.variable);
        for (dimension, part) in shape.pattern.split("[]").enumerate() {
            text.push_str(part);
            let Some(&index) = element.indices.get(dimension) else { continue };
            let axis = self.inference.axis(component, element.shape, dimension);
            let expected = self.sets.member(self.inference, axis, 0);
            match dimensions.iter().position(|&d| d == dimension) {
                Some(at) => text.push_str(&format!("[{}]", self.expr(&place.indices[at].value, expected))),
                None => text.push_str(&format!("[{}]", self.constant(index as i32, expected))),
            }
        }
        text
    }

    /// An expression where values of a type are expected.
    pub fn expr(&self, expr: &Expr, expected: Member) -> String {
        match expr {
            Expr::Const(value) => self.constant(*value, expected).to_string(),
            Expr::Read(place) => self.place(place, self.proctype),
            Expr::Unary(op, a) => match (&**a, op) {
                (Expr::Const(value), op) => op.apply(*value).to_string(),
                _ => format!("{op:?}({})", self.expr(a, None)),
            },
            Expr::And(..) => self.chain(expr, true),
            Expr::Or(..) => self.chain(expr, false),
            Expr::Cond(c, a, b) => {
                let expected = expected.or_else(|| self.member(expr));
                format!("({} -> {} : {})", self.expr(c, None), self.expr(a, expected), self.expr(b, expected))
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Length(place) => format!("len({})", self.place(place, self.proctype)),
            Expr::Probe(probe, place) => format!("{probe:?}({})", self.place(place, self.proctype)),
            Expr::Poll { channel, pattern, random } => {
                format!("{} poll{random} {}", self.place(channel, self.proctype), self.pattern(channel, pattern))
            }
            Expr::Run { proctype, args, priority } => {
                let args: Vec<String> = args.iter().map(|arg| self.expr(arg, None)).collect();
                format!("run {proctype}({}) {priority}", args.join(", "))
            }
            Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority | Expr::Timeout | Expr::NonProgress => {
                format!("{expr:?}")
            }
            Expr::Enabled(pid) => format!("enabled({})", self.expr(pid, self.any_pid())),
            Expr::PcValue(pid) => format!("pc_value({})", self.expr(pid, self.any_pid())),
            Expr::PriorityOf(pid) => format!("priority({})", self.expr(pid, self.any_pid())),
            Expr::RemoteAt { proctype, pid, state } => {
                let pid = pid.as_ref().map(|pid| self.expr(pid, self.pid(*proctype)));
                format!("{proctype}[{pid:?}]@{state}")
            }
            Expr::RemoteRead { proctype, pid, place } => {
                let pid = pid.as_ref().map(|pid| self.expr(pid, self.pid(*proctype)));
                let place = Place { scope: Scope::Local, ..(**place).clone() };
                format!("{proctype}[{pid:?}]:{}", self.place(&place, *proctype))
            }
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        if let (Expr::Const(x), Expr::Const(y)) = (a, b)
            && let Some(value) = op.apply(*x, *y)
        {
            return value.to_string();
        }
        if let (BinaryOp::Rem, Some((set, 0)), Some((_, shift)), Expr::Const(modulus)) =
            (op, self.ring_member(a), self.inference.ty(a, self.proctype), b)
        {
            let step = shift.rem_euclid((*modulus).max(1));
            let step = match self.rename {
                Some(rename) if rename.set == set => match rename.ring {
                    Ring::Keeps => step.to_string(),
                    Ring::Turns => (-step).rem_euclid((*modulus).max(1)).to_string(),
                    Ring::Breaks => "?".to_string(),
                },
                _ => step.to_string(),
            };
            return format!("around({}, {step}, {modulus})", self.expr(stripped(a), None));
        }
        let operands = if op == BinaryOp::Add { sum(a, b) } else { vec![a, b] };
        let expected = match op {
            BinaryOp::Eq | BinaryOp::Ne => self.member(a).or_else(|| self.member(b)),
            _ => None,
        };
        let mut texts: Vec<String> = operands.iter().map(|e| self.expr(e, expected)).collect();
        let commutes = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        );
        // All operands are evaluated, so that something goes wrong in any order or in none.
        if commutes {
            texts.sort();
        }
        format!("{op:?}({})", texts.join(", "))
    }

    /// The set around which an expression goes, with the value of its member 0.
    fn ring_member(&self, expr: &Expr) -> Member {
        let (node, _) = self.inference.ty(expr, self.proctype)?;
        self.sets.member(self.inference, node, 0)
    }

    /// `a && b && c` or `a || b || c`
    fn chain(&self, expr: &Expr, and: bool) -> String {
        let mut operands = Vec::new();
        flatten(expr, and, &mut operands);
        let mut texts = Vec::new();
        let mut risks: Vec<Risks> = Vec::new();
        for operand in operands {
            let text = self.expr(operand, None);
            match text.parse::<i32>() {
                // What decides the whole only when it is reached may be preceded by something that goes wrong.
                Ok(value) if (value == 0) == and => {
                    if risks.iter().all(|r| r.may.is_empty()) {
                        return u8::from(!and).to_string();
                    }
                    texts.push(text);
                    risks.push(Risks::default());
                    break;
                }
                Ok(_) => {}
                Err(_) => {
                    texts.push(text);
                    risks.push(self.risks(operand));
                }
            }
        }
        if texts.is_empty() {
            return u8::from(and).to_string();
        }
        // Whatever can go wrong must go wrong in the operand that is evaluated first, whichever that is.
        let unordered = risks.iter().all(|r| risks.iter().all(|first| r.may.is_subset(&first.must)));
        if unordered {
            texts.sort();
            texts.dedup();
        }
        format!("{}[{}]", if and { "and" } else { "or" }, texts.join("; "))
    }

    /// What can go wrong in evaluating an expression.
    fn risks(&self, expr: &Expr) -> Risks {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress => Risks::default(),
            Expr::Read(place) => self.place_risks(place),
            Expr::Unary(_, a) => self.risks(a),
            Expr::Binary(op, a, b) => {
                let both = self.risks(a).and(self.risks(b));
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                match divides && !matches!(**b, Expr::Const(value) if value != 0) {
                    true => both.and(Risks::of(format!("{expr:?}"))),
                    false => both,
                }
            }
            Expr::And(..) | Expr::Or(..) => {
                let and = matches!(expr, Expr::And(..));
                let mut operands = Vec::new();
                flatten(expr, and, &mut operands);
                let decided = |e: &&&Expr| self.expr(e, None).parse::<i32>().is_ok_and(|v| (v == 0) != and);
                let mut parts = operands.iter().filter(|e| !decided(e)).map(|e| self.risks(e));
                let first = parts.next().unwrap_or_default();
                parts.fold(first, Risks::then)
            }
            Expr::Cond(c, a, b) => self.risks(c).then(self.risks(a)).then(self.risks(b)),
            Expr::Length(place) | Expr::Probe(_, place) => self.channel_risks(place),
            Expr::Poll { channel, pattern, .. } => pattern.iter().fold(self.channel_risks(channel), |risks, part| {
                risks.then(match part {
                    Pattern::Match(value) => self.risks(value),
                    Pattern::Bind(place) => self.place_risks(place),
                    Pattern::Ignore => Risks::default(),
                })
            }),
            Expr::RemoteAt { pid, .. } => pid.as_ref().map_or_else(Risks::default, |pid| self.risks(pid)),
            Expr::RemoteRead { .. } | Expr::Run { .. } | Expr::Enabled(_) | Expr::PcValue(_) | Expr::PriorityOf(_) => {
                Risks::of(format!("{expr:?}"))
            }
        }
    }

    fn place_risks(&self, place: &Place) -> Risks {
        place.indices.iter().fold(Risks::default(), |risks, index| {
            let risks = risks.and(self.risks(&index.value));
            match self.sets.inside(self.inference, self.proctype, index) {
                true => risks,
                false => risks.and(Risks::of(format!("{} of {}", self.expr(&index.value, None), index.length))),
            }
        })
    }

    fn channel_risks(&self, place: &Place) -> Risks {
        let risks = self.place_risks(place);
        match self.lasting(place) {
            true => risks,
            false => risks.and(Risks::of(self.place(place, self.proctype))),
        }
    }

    /// Whether a variable always holds the channel that it was created with.
    fn lasting(&self, place: &Place) -> bool {
        let component = component(place.scope, self.proctype);
        place.all_slots().into_iter().all(|slot| self.sets.channels.contains(&(component, slot)))
    }
}

/// An expression without the constants added to it.
fn stripped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => match (&**a, &**b) {
            (a, Expr::Const(_)) | (Expr::Const(_), a) => stripped(a),
            _ => expr,
        },
        _ => expr,
    }
}

/// The operands of a sum.
fn sum<'e>(a: &'e Expr, b: &'e Expr) -> Vec<&'e Expr> {
    let mut operands = Vec::new();
    let mut work = vec![b, a];
    while let Some(expr) = work.pop() {
        match expr {
            Expr::Binary(BinaryOp::Add, a, b) => work.extend([&**b, &**a]),
            _ => operands.push(expr),
        }
    }
    operands
}

fn flatten<'e>(expr: &'e Expr, and: bool, operands: &mut Vec<&'e Expr>) {
    match (expr, and) {
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            flatten(a, and, operands);
            flatten(b, and, operands);
        }
        _ => operands.push(expr),
    }
}
