//! Conjuncts of a formula that renamings exchange. A run that violates one of them becomes, renamed, a run that violates the other; so
//! one of them is checked, and the others follow. A formula is taken apart only where that leaves something out.

use quotient_ir::{BinaryOp, Claim, ClaimKind, Element, Expr, Group, Model, Place, Position, Scope, SetId, Symmetry};
use quotient_ltl::Formula;

use super::stabiliser::stabiliser;
use super::{Algorithm, Options};

/// Conjuncts that renamings exchange.
pub(super) struct Family {
    /// One of them, as a claim of its own.
    pub(super) claim: Claim,
    /// For each of its propositions the number that it has in the whole claim.
    pub(super) propositions: Vec<usize>,
    /// How many others there are.
    pub(super) others: usize,
}

/// The families of conjuncts of a claim; none if there is nothing to leave out.
pub(super) fn families(model: &Model, claim: &Claim, options: &Options) -> Option<Vec<Family>> {
    let ClaimKind::Ltl { formula, text } = &claim.kind else { return None };
    let strategy = options.search.symmetry.filter(|_| options.algorithm == Algorithm::Scc)?;
    // Renamings must be good for all states from the first one on.
    let symmetry = stabiliser(model, &[]).filter(|symmetry| symmetry.steady.is_none())?;
    let whole = Model { symmetry: Some(symmetry), ..model.clone() };
    if quotient_canon::obstacle(&whole, strategy).is_some() {
        return None;
    }
    let symmetry = whole.symmetry.as_ref()?;
    let conjuncts = formula.conjuncts();
    let forms: Vec<Option<Vec<Token>>> = conjuncts.iter().map(|conjunct| form(symmetry, claim, conjunct)).collect();
    let first = |number: usize| match &forms[number] {
        Some(_) => forms.iter().position(|form| *form == forms[number]).unwrap_or(number),
        None => number,
    };
    let families: Vec<Family> = conjuncts
        .iter()
        .enumerate()
        .filter(|&(number, _)| first(number) == number)
        .map(|(number, conjunct)| {
            let others = (number + 1..conjuncts.len()).filter(|&other| first(other) == number).count();
            family(claim, conjunct, text, others)
        })
        .collect();
    (families.len() < conjuncts.len()).then_some(families)
}

/// A conjunct as a claim that has no propositions but its own: what a claim does not ask about may be renamed.
fn family(whole: &Claim, conjunct: &Formula, text: &str, others: usize) -> Family {
    let mut propositions = Vec::new();
    let formula = conjunct.renumbered(&mut |number| {
        propositions.iter().position(|&known| known == number).unwrap_or_else(|| {
            propositions.push(number);
            propositions.len() - 1
        })
    });
    let claim = Claim {
        name: whole.name.clone(),
        kind: ClaimKind::Ltl { formula, text: text.to_string() },
        propositions: propositions.iter().map(|&number| whole.propositions[number].clone()).collect(),
        span: whole.span,
    };
    Family { claim, propositions, others }
}

/// So many ways to turn rings are tried at most.
const MOST_TURNS: usize = 1 << 12;

/// What a conjunct and all that renamings make of it have in common, if that can be told. The members of a set that may be renamed in
/// any way are numbered as they come; rings are turned in every way, and the least form is taken.
fn form(symmetry: &Symmetry, claim: &Claim, conjunct: &Formula) -> Option<Vec<Token>> {
    let mut turns: Vec<Vec<Turn>> = vec![Vec::new()];
    for set in &symmetry.sets {
        let sides: &[bool] = if set.group == Group::Dihedral { &[false, true] } else { &[false] };
        let around = if set.group == Group::Symmetric { 1 } else { set.size as u8 };
        let turned = |turn: &Vec<Turn>| -> Vec<Vec<Turn>> {
            let ways = (0..around).flat_map(|by| sides.iter().map(move |&flipped| Turn { by, flipped }));
            ways.map(|way| turn.iter().copied().chain([way]).collect()).collect()
        };
        turns = turns.iter().flat_map(turned).collect();
        if turns.len() > MOST_TURNS {
            return None;
        }
    }
    let written = |turns: &Vec<Turn>| {
        let seen = vec![Vec::new(); symmetry.sets.len()];
        let mut writer = Writer { symmetry, turns, seen, claim, tokens: Vec::new() };
        writer.formula(conjunct).map(|()| writer.tokens)
    };
    turns.iter().map(written).collect::<Option<Vec<_>>>()?.into_iter().min()
}

/// How a ring is turned.
#[derive(Clone, Copy)]
struct Turn {
    by: u8,
    flipped: bool,
}

/// A part of a formula as it is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    /// What kind of node it is.
    Node(&'static str),
    /// What kind of node of an expression it is.
    Operation(String),
    /// A number that stays as it is: a slot, a process, a type, a value.
    Number(i64),
    /// A member of a set under its new name.
    Member(SetId, u8),
}

/// Writes a formula down under other names. It gives up where it does not know what a name would become.
struct Writer<'a> {
    symmetry: &'a Symmetry,
    turns: &'a [Turn],
    /// The members of each set that have come, in that order.
    seen: Vec<Vec<u8>>,
    claim: &'a Claim,
    tokens: Vec<Token>,
}

impl Writer<'_> {
    fn number(&mut self, number: usize) {
        self.tokens.push(Token::Number(number as i64));
    }

    fn operation(&mut self, name: impl Into<String>) {
        self.tokens.push(Token::Operation(name.into()));
    }

    fn formula(&mut self, formula: &Formula) -> Option<()> {
        self.tokens.push(Token::Node(node(formula)));
        match formula {
            Formula::True | Formula::False => Some(()),
            Formula::Proposition(number) => self.expr(&self.claim.propositions.get(*number)?.expr),
            Formula::Not(a) | Formula::Next(a) | Formula::Always(a) | Formula::Eventually(a) => self.formula(a),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => {
                self.formula(a)?;
                self.formula(b)
            }
        }
    }

    fn member(&mut self, (set, member): (SetId, u8)) {
        let scalarset = &self.symmetry.sets[set];
        let name = match scalarset.group {
            Group::Symmetric => {
                let seen = &mut self.seen[set];
                seen.iter().position(|&other| other == member).unwrap_or_else(|| {
                    seen.push(member);
                    seen.len() - 1
                }) as u8
            }
            Group::Cyclic | Group::Dihedral => {
                let (turn, size) = (self.turns[set], scalarset.size as u16);
                let member = if turn.flipped { size - 1 - u16::from(member) } else { u16::from(member) };
                ((member + u16::from(turn.by)) % size) as u8
            }
        };
        self.tokens.push(Token::Member(set, name));
    }

    /// Which of some elements it is. Where positions are not told, everything stays.
    fn place<'p>(&mut self, positions: impl Iterator<Item = &'p Position> + Clone, number: usize) -> Option<()> {
        let members = positions.clone().nth(number).filter(|position| !position.members.is_empty());
        let Some(position) = members else {
            self.number(number);
            return Some(());
        };
        if positions.filter(|other| *other == position).count() > 1 {
            return None;
        }
        self.operation("position");
        self.number(position.class as usize);
        position.members.iter().for_each(|&member| self.member(member));
        Some(())
    }

    /// Writes a variable down; gives back what its values stand for.
    fn variable(&mut self, expr: &Expr) -> Option<Option<usize>> {
        let (place, elements): (&Place, &[Element]) = match expr {
            Expr::Read(place) if place.scope == Scope::Global => {
                self.operation("global");
                (place, &self.symmetry.globals)
            }
            Expr::RemoteRead { proctype, pid: Some(pid), place } => {
                self.operation("local");
                self.number(*proctype);
                self.process(pid)?;
                (place, self.symmetry.locals.get(*proctype).map_or(&[], Vec::as_slice))
            }
            _ => return None,
        };
        self.slot(place, elements)
    }

    /// Writes down which slot it is.
    fn slot(&mut self, place: &Place, elements: &[Element]) -> Option<Option<usize>> {
        let mut slot = place.slot;
        for index in &place.indices {
            let Expr::Const(value) = index.value else { return None };
            let value = usize::try_from(value).ok().filter(|&value| value < index.length)?;
            slot += value * index.stride;
        }
        self.place(elements.iter().map(|element| &element.position), slot)?;
        Some(elements.get(slot).and_then(|element| element.names))
    }

    /// The process that a remote reference is about.
    fn process(&mut self, pid: &Expr) -> Option<()> {
        let Expr::Const(pid) = pid else { return None };
        self.place(self.symmetry.processes.iter(), usize::try_from(*pid).ok()?)
    }

    /// A value that a variable is compared with.
    fn value(&mut self, names: Option<usize>, value: i32) {
        match names.and_then(|names| self.symmetry.names[names].member(value)) {
            Some(member) => self.member(member),
            None => self.tokens.push(Token::Number(value.into())),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Option<()> {
        match expr {
            Expr::Const(value) => {
                self.value(None, *value);
                Some(())
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
                self.operation(format!("{op:?}"));
                match (&**a, &**b) {
                    (variable @ (Expr::Read(_) | Expr::RemoteRead { .. }), Expr::Const(value))
                    | (Expr::Const(value), variable @ (Expr::Read(_) | Expr::RemoteRead { .. })) => {
                        let names = self.variable(variable)?;
                        self.value(names, *value);
                        Some(())
                    }
                    (a @ (Expr::Read(_) | Expr::RemoteRead { .. }), b @ (Expr::Read(_) | Expr::RemoteRead { .. })) => {
                        let (first, second) = (self.variable(a)?, self.variable(b)?);
                        (first == second).then_some(())
                    }
                    (a, b) => {
                        self.expr(a)?;
                        self.expr(b)
                    }
                }
            }
            // A name is no number.
            Expr::Read(_) | Expr::RemoteRead { .. } => self.variable(expr)?.is_none().then_some(()),
            Expr::Length(place) if place.scope == Scope::Global => {
                self.operation("length");
                self.slot(place, &self.symmetry.globals).map(|_| ())
            }
            Expr::Probe(probe, place) if place.scope == Scope::Global => {
                self.operation(format!("{probe:?}"));
                self.slot(place, &self.symmetry.globals).map(|_| ())
            }
            Expr::RemoteAt { proctype, pid: Some(pid), state } => {
                self.operation("at");
                self.number(*proctype);
                self.process(pid)?;
                let controls = self.symmetry.controls.get(*proctype).map_or(&[][..], Vec::as_slice);
                self.place(controls.iter(), *state)
            }
            Expr::Unary(op, a) => {
                self.operation(format!("{op:?}"));
                self.expr(a)
            }
            Expr::Binary(op, a, b) => {
                self.operation(format!("{op:?}"));
                self.expr(a)?;
                self.expr(b)
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.operation(if matches!(expr, Expr::And(..)) { "and" } else { "or" });
                self.expr(a)?;
                self.expr(b)
            }
            Expr::ProcessCount => {
                self.operation("processes");
                Some(())
            }
            _ => None,
        }
    }
}

/// What tells a kind of node from the others.
fn node(formula: &Formula) -> &'static str {
    match formula {
        Formula::True => "true",
        Formula::False => "false",
        Formula::Proposition(_) => "proposition",
        Formula::Not(_) => "not",
        Formula::And(..) => "and",
        Formula::Or(..) => "or",
        Formula::Implies(..) => "implies",
        Formula::Equivalent(..) => "equivalent",
        Formula::Next(_) => "next",
        Formula::Always(_) => "always",
        Formula::Eventually(_) => "eventually",
        Formula::Until(..) => "until",
        Formula::WeakUntil(..) => "weak until",
        Formula::Release(..) => "release",
    }
}
