//! A never claim as an automaton. Its places are control states with the values of its variables: so what it asks is about the
//! model alone. What it takes over from the model into a variable is asked bit by bit.

use std::borrow::Cow;
use std::collections::HashMap;

use quotient_ir::{Action, BinaryOp, Deterministic, Expr, Place, Proctype, Scalar, Scope, Setup, UnaryOp, Width};
use quotient_ltl::Cube;
use quotient_report::source::Span;

use super::Refused;
use super::observer::{Edge, Node, Observer, Watched};

/// No more bits are taken over from the model at once.
const MOST_BITS: u32 = 8;

/// No more statements are followed within an atomic sequence or a `d_step`.
const LONGEST_SEQUENCE: usize = 1000;

/// Where a claim is: a control state, and the values of its variables.
type Position = (usize, Vec<i32>);

/// A never claim that becomes an automaton.
pub(super) struct Claimed<'m> {
    proctype: &'m Proctype,
    watched: Vec<Watched<'m>>,
    /// The number of what is watched, by its text.
    asked: HashMap<String, usize>,
    numbers: HashMap<Position, u16>,
    positions: Vec<Position>,
}

/// What a part of a claim can do.
#[derive(Clone)]
struct Way {
    /// When.
    guard: Cube,
    /// The values of the variables then.
    values: Vec<i32>,
    /// What is asserted on the way.
    asserts: u64,
}

/// When a statement can be executed, as cubes that exclude each other, and what it does then.
type Effect = (Vec<Cube>, Vec<Way>);

fn refuse<T>(span: Span, message: &str) -> Result<T, Refused> {
    Err(Refused::Unsupported { span, message: message.to_string() })
}

impl<'m> Claimed<'m> {
    pub(super) fn new(proctype: &'m Proctype) -> Self {
        Claimed { proctype, watched: Vec::new(), asked: HashMap::new(), numbers: HashMap::new(), positions: Vec::new() }
    }

    pub(super) fn observer(mut self) -> Result<Observer<'m>, Refused> {
        for statement in &self.proctype.statements {
            if statement.action.any(&|e| matches!(e, Expr::Pid | Expr::OwnPriority)) {
                return refuse(statement.span, "`_pid` or `_priority` in a never claim");
            }
        }
        let first = self.first_values()?;
        let start = self.number((self.proctype.start, first))?;
        let mut nodes = Vec::new();
        while let Some((control, values)) = self.positions.get(nodes.len()).cloned() {
            let Some(state) = self.proctype.states.get(control) else {
                // The claim is gone, or goes no further.
                nodes.push(Node { ends: control == self.proctype.nowhere(), ..Node::default() });
                continue;
            };
            let mut edges = Vec::new();
            let way = Way { guard: Cube::TRUE, values, asserts: 0 };
            self.follow(control, way, 0, &mut Vec::new(), &mut edges)?;
            edges.iter_mut().for_each(|edge| edge.marks = u64::from(state.accept));
            nodes.push(Node {
                edges,
                accepts: state.accept,
                ends: self.proctype.end == Some(control),
                terminal: false,
                rejects: false,
            });
        }
        Ok(Observer::new_claim(nodes, 1, start, self.watched))
    }

    /// The values that the variables begin with.
    fn first_values(&self) -> Result<Vec<i32>, Refused> {
        let Proctype { slots, setup, span, .. } = self.proctype;
        let mut values = vec![0; slots.len()];
        for setup in setup {
            match setup {
                Setup::Assign(slot, value) => match value.given(&values) {
                    Expr::Const(value) => values[*slot] = slots[*slot].scalar.truncate(value),
                    _ => return refuse(*span, "a variable of a never claim that begins with a value of the model"),
                },
                Setup::Channel(..) => return refuse(*span, "a channel of a never claim"),
            }
        }
        Ok(values)
    }

    /// The number of a place of the automaton.
    fn number(&mut self, position: Position) -> Result<u16, Refused> {
        let next = self.positions.len();
        let Ok(new) = u16::try_from(next) else {
            let message = format!("the never claim has more than {next} places: its variables take too many values");
            return Err(Refused::TooLarge(message));
        };
        let number = *self.numbers.entry(position.clone()).or_insert(new);
        if number == new {
            self.positions.push(position);
        }
        Ok(number)
    }

    /// What is asked, as a bit of what is watched.
    fn watch(&mut self, watched: Watched<'m>) -> Result<u64, Refused> {
        let (expr, span) = watched.expr().unwrap_or((Expr::Const(0), Span::default()));
        if expr.reads_locals() {
            return refuse(span, "an index that is beyond an array of a never claim, or depends on the model,");
        }
        let next = self.watched.len();
        let number = *self.asked.entry(format!("{expr:?}")).or_insert(next);
        if number == next {
            if next == quotient_ltl::MAX_PROPOSITIONS {
                return Err(Refused::TooLarge(format!("the never claim has more than {next} conditions")));
            }
            self.watched.push(watched);
        }
        Ok(1 << number)
    }

    fn watch_expr(&mut self, expr: Expr, span: Span) -> Result<u64, Refused> {
        self.watch(Watched::Expr(Cow::Owned(expr), span))
    }

    /// The bits of a value of the model, the lowest first.
    fn watch_bits(&mut self, value: &Expr, width: u32, span: Span) -> Result<Vec<u64>, Refused> {
        let bit = |bit: u32| {
            let shifted = Expr::Binary(BinaryOp::Shr, Box::new(value.clone()), Box::new(Expr::Const(bit as i32)));
            Expr::Binary(BinaryOp::BitAnd, Box::new(shifted), Box::new(Expr::Const(1)))
        };
        (0..width).map(|number| self.watch_expr(bit(number), span)).collect()
    }

    /// When a condition holds.
    fn condition(&mut self, expr: &Expr, span: Span, values: &[i32]) -> Result<Vec<Cube>, Refused> {
        let compares = expr.reads_locals();
        let (mut expr, mut holds) = (expr.given(values), true);
        if let Some(place) = only_variable(&expr).filter(|_| compares)
            && let Some(truth) = truth(&expr, bits(place.scalar))
        {
            // There would be another condition for each value of the claim's variables.
            let asked = self.watch_bits(&Expr::Read(place.clone()), bits(place.scalar), span)?;
            return Ok(cover(&asked, &truth));
        }
        while let Expr::Unary(UnaryOp::Not, inner) = expr {
            (expr, holds) = (*inner, !holds);
        }
        if let Expr::Const(value) = expr {
            return Ok(if (value != 0) == holds { vec![Cube::TRUE] } else { Vec::new() });
        }
        let bit = self.watch_expr(expr, span)?;
        Ok(vec![if holds { Cube { yes: bit, no: 0 } } else { Cube { yes: 0, no: bit } }])
    }

    /// Adds the edges that begin with a part of one, through an atomic sequence.
    fn follow(
        &mut self,
        control: usize,
        part: Way,
        length: u32,
        passed: &mut Vec<Position>,
        edges: &mut Vec<Edge>,
    ) -> Result<(), Refused> {
        let proctype = self.proctype;
        for (number, ways) in self.options(control, &part)? {
            let transition = &proctype.states[control].transitions[number];
            let ends = matches!(proctype.statements[transition.statement].action, Action::End);
            for way in ways {
                let target = match ends {
                    true => (proctype.nowhere(), Vec::new()),
                    false => (transition.target, way.values.clone()),
                };
                if transition.atomic && !passed.contains(&target) {
                    if passed.len() == LONGEST_SEQUENCE {
                        return Err(Refused::TooLarge("an atomic sequence of the never claim is too long".to_string()));
                    }
                    passed.push(target);
                    let (first, guard, asserts) = (edges.len(), way.guard, way.asserts);
                    self.follow(transition.target, way, length + 1, passed, edges)?;
                    passed.pop();
                    self.fail_early(guard, asserts & !part.asserts, length + 1, first, edges)?;
                } else {
                    let Way { guard, asserts, .. } = way;
                    let target = self.number(target)?;
                    edges.push(Edge { guard, target, asserts, marks: 0, length: length + 1 });
                }
            }
        }
        Ok(())
    }

    /// Adds edges for assertions inside an atomic sequence that fail where the sequence cannot be followed to its end: not by the
    /// edges from a number on.
    fn fail_early(
        &mut self,
        guard: Cube,
        asserts: u64,
        length: u32,
        first: usize,
        edges: &mut Vec<Edge>,
    ) -> Result<(), Refused> {
        if asserts == 0 {
            return Ok(());
        }
        let followed: Vec<Cube> = edges[first..].iter().map(|edge| edge.guard).collect();
        let fails = (0..64).map(|bit| 1 << bit).filter(|bit| asserts & bit != 0);
        let fails: Vec<Cube> = fails.filter_map(|bit| guard.and(Cube { yes: 0, no: bit })).collect();
        let early = without(&fails, &followed);
        if !early.is_empty() {
            let target = self.number((self.proctype.nowhere() + 1, Vec::new()))?;
            edges.extend(early.into_iter().map(|guard| Edge { guard, target, asserts, marks: 0, length }));
        }
        Ok(())
    }

    /// What can be done in a control state after a part of an edge, by the number of the transition.
    fn options(&mut self, control: usize, part: &Way) -> Result<Vec<(usize, Vec<Way>)>, Refused> {
        let proctype = self.proctype;
        let transitions = &proctype.states[control].transitions;
        let is_else = |number: usize| matches!(proctype.statements[transitions[number].statement].action, Action::Else);
        let mut options = Vec::new();
        // When one of them can be executed; those of escapes with their numbers.
        let mut all = Vec::new();
        let mut escapes: Vec<(u32, Vec<Cube>)> = Vec::new();
        for number in (0..transitions.len()).filter(|&number| !is_else(number)) {
            let escape = transitions[number].escape;
            let statement = &proctype.statements[transitions[number].statement];
            let (can, ways) = self.effect(&statement.action, statement.span, &part.values)?;
            let others = escapes.iter().filter(|(other, _)| *other != escape);
            let free = others.fold(vec![part.guard], |free, (_, can)| without(&free, can));
            options.push((number, under(&free, part, &ways)));
            if escape != 0 {
                escapes.push((escape, can.clone()));
            }
            all.extend(can);
        }
        for number in (0..transitions.len()).filter(|&number| is_else(number)) {
            let free = without(&[part.guard], &all);
            options.push((number, free.into_iter().map(|guard| Way { guard, ..part.clone() }).collect()));
        }
        Ok(options)
    }

    /// What a statement does.
    fn effect(&mut self, action: &Action, span: Span, values: &[i32]) -> Result<Effect, Refused> {
        let stay = |guard: Cube| Way { guard, values: values.to_vec(), asserts: 0 };
        let always = vec![Cube::TRUE];
        Ok(match action {
            Action::Skip | Action::Print { .. } => (always, vec![stay(Cube::TRUE)]),
            Action::Condition(expr) => {
                let can = self.condition(expr, span, values)?;
                let ways = can.iter().copied().map(stay).collect();
                (can, ways)
            }
            Action::Assert(expr) => {
                let asserts = match expr.given(values) {
                    Expr::Const(value) if value != 0 => 0,
                    expr => self.watch_expr(expr, span)?,
                };
                (always, vec![Way { asserts, ..stay(Cube::TRUE) }])
            }
            Action::End => {
                let gone = Cube { yes: self.watch(Watched::Empty)?, no: 0 };
                (vec![gone], vec![stay(gone)])
            }
            Action::Assign(place, value) => (always, self.assign(place, value, span, values)?),
            Action::Deterministic(body) => self.deterministic(body, span, values)?,
            _ => return refuse(span, "a never claim with side effects"),
        })
    }

    /// The ways of an assignment: one, or one for each value of the model.
    fn assign(&mut self, place: &Place, value: &Expr, span: Span, values: &[i32]) -> Result<Vec<Way>, Refused> {
        let place = place.given(values);
        if place.scope == Scope::Global {
            return refuse(span, "a never claim with side effects");
        }
        let Some(slot) = place.offset() else {
            return refuse(span, "an index that is beyond an array of a never claim, or depends on the model,");
        };
        let with = |guard: Cube, value: i32| {
            let mut values = values.to_vec();
            values[slot] = place.scalar.truncate(value);
            Way { guard, values, asserts: 0 }
        };
        let value = match value.given(values) {
            Expr::Const(value) => return Ok(vec![with(Cube::TRUE, value)]),
            value => value,
        };
        let width = bits(place.scalar).min(width(&value));
        if width > MOST_BITS {
            let message =
                format!("a value of the model with more than {MOST_BITS} bits in a variable of a never claim");
            return refuse(span, &message);
        }
        let asked = self.watch_bits(&value, width, span)?;
        let cube = |value: i32| {
            let bits = asked.iter().enumerate();
            bits.fold(Cube::TRUE, |cube, (number, &bit)| match value >> number & 1 {
                1 => Cube { yes: cube.yes | bit, ..cube },
                _ => Cube { no: cube.no | bit, ..cube },
            })
        };
        Ok((0..1 << width).map(|value| with(cube(value), value)).collect())
    }

    /// What a `d_step` does: the first option that can be taken is.
    fn deterministic(&mut self, body: &Deterministic, span: Span, values: &[i32]) -> Result<Effect, Refused> {
        let first = Way { guard: Cube::TRUE, values: values.to_vec(), asserts: 0 };
        let (mut can, mut done) = (Vec::new(), Vec::new());
        let mut waiting = vec![(0, 0, first)];
        while let Some((node, steps, part)) = waiting.pop() {
            if steps == LONGEST_SEQUENCE {
                return Err(Refused::TooLarge("a `d_step` of the never claim is too long".to_string()));
            }
            let mut free = vec![part.guard];
            for option in &body.nodes[node].options {
                let (able, ways) = match &option.action {
                    Action::Else => (vec![Cube::TRUE], vec![Way { guard: Cube::TRUE, asserts: 0, ..part.clone() }]),
                    action => self.effect(action, option.span, &part.values)?,
                };
                for way in under(&free, &part, &ways) {
                    match option.next {
                        Some(next) => waiting.push((next, steps + 1, way)),
                        None => done.push(way),
                    }
                }
                free = without(&free, &able);
            }
            if node == 0 && steps == 0 {
                can = without(&[Cube::TRUE], &free);
            } else if !free.is_empty() {
                return refuse(span, "a `d_step` of a never claim that may block after its first statement");
            }
        }
        Ok((can, done))
    }
}

/// What is left of some cubes without others, as cubes that exclude each other if the first ones do.
fn without(cubes: &[Cube], others: &[Cube]) -> Vec<Cube> {
    let mut left = cubes.to_vec();
    for other in others {
        let mut rest = Vec::new();
        for cube in left {
            if cube.and(*other).is_none() {
                rest.push(cube);
                continue;
            }
            // What differs in the first bit, then what agrees there and differs in the next.
            let mut agreeing = cube;
            for bit in (0..64).map(|bit| 1_u64 << bit) {
                let (yes, no) = (other.yes & bit != 0, other.no & bit != 0);
                if !(yes || no) || (agreeing.yes | agreeing.no) & bit != 0 {
                    continue;
                }
                let (with, without) =
                    (Cube { yes: agreeing.yes | bit, ..agreeing }, Cube { no: agreeing.no | bit, ..agreeing });
                rest.push(if yes { without } else { with });
                agreeing = if yes { with } else { without };
            }
        }
        left = rest;
    }
    left
}

/// Ways that are taken after a part of an edge, in some cases.
fn under(cases: &[Cube], part: &Way, ways: &[Way]) -> Vec<Way> {
    let all = ways.iter().flat_map(|way| cases.iter().map(move |case| (way, case)));
    all.filter_map(|(way, case)| {
        let guard = case.and(way.guard)?;
        Some(Way { guard, values: way.values.clone(), asserts: part.asserts | way.asserts })
    })
    .collect()
}

/// The one variable of the model that an expression reads, if it has few bits and there is nothing else.
fn only_variable(expr: &Expr) -> Option<Place> {
    let mut found: Option<&Place> = None;
    let mut is_plain = true;
    expr.walk(&mut |e| match e {
        Expr::Read(place) if found.is_none() => found = Some(place),
        Expr::Read(place) => is_plain &= found.is_some_and(|other| other.slot == place.slot),
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::And(..) | Expr::Or(..) | Expr::Cond(..) => {}
        _ => is_plain = false,
    });
    found.filter(|place| is_plain && place.indices.is_empty() && unsigned_bits(place.scalar) <= MOST_BITS).cloned()
}

/// For each value of the one variable of an expression, whether it holds; none if it goes wrong for one.
fn truth(expr: &Expr, bits: u32) -> Option<Vec<bool>> {
    fn value(expr: &Expr, read: i32) -> Option<i32> {
        let of = |expr: &Expr| value(expr, read);
        Some(match expr {
            Expr::Const(value) => *value,
            Expr::Read(_) => read,
            Expr::Unary(op, a) => op.apply(of(a)?),
            Expr::Binary(op, a, b) => op.apply(of(a)?, of(b)?)?,
            Expr::And(a, b) => i32::from(of(a)? != 0 && of(b)? != 0),
            Expr::Or(a, b) => i32::from(of(a)? != 0 || of(b)? != 0),
            Expr::Cond(c, a, b) => of(if of(c)? != 0 { a } else { b })?,
            _ => return None,
        })
    }
    (0..1 << bits).map(|read| Some(value(expr, read)? != 0)).collect()
}

/// Cubes over some bits, the lowest first, that exclude each other and hold where they are to.
fn cover(bits: &[u64], truth: &[bool]) -> Vec<Cube> {
    let Some((&top, lower)) = bits.split_last().filter(|_| truth.contains(&!truth[0])) else {
        return if truth[0] { vec![Cube::TRUE] } else { Vec::new() };
    };
    let (without, with) = truth.split_at(truth.len() / 2);
    let without = cover(lower, without).into_iter().map(|cube| Cube { no: cube.no | top, ..cube });
    let with = cover(lower, with).into_iter().map(|cube| Cube { yes: cube.yes | top, ..cube });
    without.chain(with).collect()
}

/// How many bits a variable has.
fn bits(scalar: Scalar) -> u32 {
    match scalar.width {
        Width::Bit => 1,
        Width::Byte => 8,
        Width::Short => 16,
        Width::Int => 32,
        Width::Unsigned(bits) => bits.into(),
    }
}

/// How many bits a value of a variable has, if it is never negative.
fn unsigned_bits(scalar: Scalar) -> u32 {
    if scalar.width == Width::Short { 32 } else { bits(scalar) }
}

/// How many bits an expression has at most: what can be negative has all.
fn width(expr: &Expr) -> u32 {
    match expr {
        Expr::Const(value) if *value >= 0 => 32 - value.leading_zeros(),
        Expr::Read(place) => unsigned_bits(place.scalar),
        Expr::RemoteRead { place, .. } => unsigned_bits(place.scalar),
        Expr::Cond(_, a, b) => width(a).max(width(b)),
        Expr::Unary(UnaryOp::Not, _)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Probe(..)
        | Expr::Poll { .. }
        | Expr::NonProgress
        | Expr::Timeout
        | Expr::Enabled(_)
        | Expr::RemoteAt { .. } => 1,
        Expr::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, ..) => 1,
        Expr::ProcessCount | Expr::Length(_) => 8,
        _ => 32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_is_exact_and_disjoint() {
        for wanted in 0..256_u32 {
            let truth: Vec<bool> = (0..8).map(|value| wanted >> value & 1 == 1).collect();
            let cubes = cover(&[1, 2, 4], &truth);
            for value in 0..8 {
                let times = cubes.iter().filter(|cube| cube.contains(value)).count();
                assert_eq!(times, usize::from(truth[value as usize]));
            }
        }
    }

    #[test]
    fn what_is_left_is_exact_and_disjoint() {
        let cube = |yes, no| Cube { yes, no };
        let all = [cube(0, 0), cube(1, 0), cube(0, 1), cube(5, 2), cube(6, 1), cube(7, 0), cube(0, 7), cube(2, 4)];
        for a in all {
            for b in all {
                for c in all {
                    let left = without(&[a], &[b, c]);
                    for letter in 0..8 {
                        let times = left.iter().filter(|cube| cube.contains(letter)).count();
                        let expected = a.contains(letter) && !b.contains(letter) && !c.contains(letter);
                        assert_eq!(times, usize::from(expected), "{a:?} {b:?} {c:?} {letter}");
                    }
                }
            }
        }
    }
}
