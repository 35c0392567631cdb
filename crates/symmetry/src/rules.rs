//! What verification rests on: the rule, for every construct of the intermediate form, by which it commutes with a
//! renaming, or makes the symmetry fail.
//!
//! Let `g` be a renaming and `s` a state. The rules compare an expression `a` in `s`, evaluated by process `p`, with an
//! expression `b` in `g(s)`, evaluated by process `g(p)`; mostly `b` is `a` itself, or what stands in its place in another
//! option. [`Rules::expr`] gives the values that `a` can have, each with the value that `b` has then. Nothing else is
//! assumed: not what a variable was declared to be, and not what [`crate::infer`] made of it. What is used:
//!
//! - **Values.** [`crate::ranges`] says which values every variable and field can have, in all states that are reached and
//!   in all their renamed selves ([`crate::verify`] closes the ranges under the group). Operators are tried value by value,
//!   with the truncation, the remainders and the faults that they really have. If one value could have two images, the
//!   image is unknown, and whatever depends on it fails.
//! - **Faults.** Two expressions that are compared fail together: the same operators are applied to the same operands in the
//!   same order. Where the order is changed (`Rules::chain`, [`crate::sequence`]), no operand may fail, or all fail alike.
//! - **Places.** An access `x[i]` goes over to an access `y[j]` if for all values of the indices the slot of the one moves to
//!   the slot of the other. Which slots move where is data ([`Renaming`]), which is checked, not trusted.
//!
//! Every `match` on constructs names all variants and all fields, so that a new one does not compile until somebody has
//! thought about it. The rules, by construct:
//!
//! | construct | commutes if |
//! |---|---|
//! | constant | always: `5` in a place of `7` is the image 5 ↦ 7 |
//! | variable | its slot moves to the other's slot; values follow the slot's names |
//! | `- ~ + * / % & \| ^ << >> < …`, `==`, `!` | value by value |
//! | `&&`, `\|\|`, `(c -> a : b)`, conditions, assertions | each operand is zero on both sides or on none |
//! | `len`, `full`, `empty`, … | the channels correspond |
//! | polls and receives | so do all fields, value by value, and what is bound is stored by the rule for `=` |
//! | sends | fields are stored by the rule for `=`; a sorted send fails if some field's order changes |
//! | `=` | the stored value, cut to the variable's type, is the image of the stored value |
//! | `_pid`, `_last` | values follow the processes |
//! | `_nr_pr`, `timeout`, `np_`, `_priority` | always: a renaming keeps them |
//! | `enabled(p)`, `get_priority(p)`, `set_priority(p, n)` | `p` follows the processes |
//! | `pc_value(p)` | no control state moves |
//! | `P[i]@l`, `P[i]:x` | `i` follows the processes, `l` the control states, `x` the slots |
//! | `P@l`, `P:x` | the oldest `P` stays |
//! | `run` | never: all processes exist |
//! | the end of a process | the process stays, or it is let stay when it has ended (`quotient_canon::obstacle` sees to it) |
//! | prints | their arguments fail together |
//! | `d_step` | the options of each node correspond in order ([`crate::sequence`]) |

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use quotient_ir::{Action, BinaryOp, Expr, Model, NamesId, Pattern, Place, ProctypeKind, Scope, Sort, Symmetry};
use quotient_step::reference::State;

use crate::act::Renaming;
use crate::ranges::Ranges;
use crate::values::{Image, Values, equal_together};

/// More slots than this under one access are not compared one by one.
const MOST_SLOTS: usize = 1 << 14;

/// The rules for statements of one process type.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The model.
    pub model: &'a Model,
    /// A state in which all processes exist.
    pub state: &'a State,
    /// What values can be.
    pub ranges: &'a Ranges,
    /// What names members.
    pub symmetry: &'a Symmetry,
    /// The renaming.
    pub renaming: &'a Renaming,
    /// The process type.
    pub proctype: usize,
    /// Global variables that may be taken for each other while a renaming is being guessed.
    pub guess: Option<&'a RefCell<Guess>>,
}

/// Global variables outside arrays that change places, as far as a guess goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    /// For each of them, where it goes.
    pub globals: BTreeMap<usize, usize>,
    /// Those that may be guessed.
    pub free: BTreeSet<usize>,
}

/// Kinds of faults that end a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Abort {
    Index,
    Division,
    Channel,
    Blocked,
    /// Several kinds, which are not told apart.
    Other,
}

impl Rules<'_> {
    /// Whether two conditions are true together, and fail together.
    pub fn truth(&self, a: &Expr, b: &Expr) -> bool {
        self.expr(a, b).is_some_and(|image| image.is_truth())
    }

    /// The values of an expression with those of another one in the renamed state; `None` if one of them can fail alone,
    /// or they are too different to compare.
    pub fn expr(&self, a: &Expr, b: &Expr) -> Option<Image> {
        match (a, b) {
            (Expr::Const(a), Expr::Const(b)) => Some(Image::of([(*a, *b)])),
            (Expr::Read(a), Expr::Read(b)) => self.read(a, b),
            (Expr::Unary(op, a), Expr::Unary(other, b)) if op == other => Some(self.expr(a, b)?.unary(*op)),
            (Expr::Binary(op, a, c), Expr::Binary(other, b, d)) if op == other => self.binary(*op, (a, c), (b, d)),
            (Expr::And(..), Expr::And(..)) => self.chain(a, b, true),
            (Expr::Or(..), Expr::Or(..)) => self.chain(a, b, false),
            (Expr::Cond(a, c, e), Expr::Cond(b, d, f)) => {
                let images = (self.expr(c, d)?, self.expr(e, f)?);
                self.truth(a, b).then(|| images.0.join(&images.1))
            }
            (Expr::Length(a), Expr::Length(b)) => self.channel(a, b).then(Image::natural),
            (Expr::Probe(probe, a), Expr::Probe(other, b)) if probe == other => self.channel(a, b).then(Image::truth),
            (Expr::Poll { channel: a, pattern: c, random }, Expr::Poll { channel: b, pattern: d, random: other })
                if random == other =>
            {
                (self.channel(a, b) && self.pattern(a, c, d)).then(Image::truth)
            }
            (Expr::Pid, Expr::Pid) => Some(self.processes(self.ranges.pids(self.proctype))),
            (Expr::Last, Expr::Last) => Some(self.processes(&self.ranges.all_pids())),
            (Expr::ProcessCount, Expr::ProcessCount) | (Expr::OwnPriority, Expr::OwnPriority) => Some(Image::natural()),
            (Expr::Timeout, Expr::Timeout) | (Expr::NonProgress, Expr::NonProgress) => Some(Image::truth()),
            (Expr::Enabled(a), Expr::Enabled(b)) => self.process(a, b).then(Image::truth),
            (Expr::PriorityOf(a), Expr::PriorityOf(b)) => self.process(a, b).then(Image::natural),
            (Expr::PcValue(a), Expr::PcValue(b)) => {
                let stay =
                    self.renaming.controls.iter().all(|of_type| of_type.iter().enumerate().all(|(q, &r)| q == r));
                (stay && self.process(a, b)).then(Image::natural)
            }
            (Expr::RemoteAt { proctype, pid: a, state }, Expr::RemoteAt { proctype: other, pid: b, state: there })
                if proctype == other =>
            {
                let corresponds = self.renaming.controls[*proctype].get(*state) == Some(there);
                (corresponds && self.remote(*proctype, a.as_deref(), b.as_deref())).then(Image::truth)
            }
            (
                Expr::RemoteRead { proctype, pid: a, place: c },
                Expr::RemoteRead { proctype: other, pid: b, place: d },
            ) if proctype == other => {
                if !self.remote(*proctype, a.as_deref(), b.as_deref()) {
                    return None;
                }
                // There may be no such process: then the value is zero on both sides.
                Some(self.values(c, d, Some(*proctype))?.join(&Image::one(0)))
            }
            // All processes exist, so nobody may create one; and expressions of different kinds are not compared.
            (
                Expr::Const(_)
                | Expr::Read(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::And(..)
                | Expr::Or(..)
                | Expr::Cond(..)
                | Expr::Length(_)
                | Expr::Probe(..)
                | Expr::Poll { .. }
                | Expr::Run { .. }
                | Expr::Pid
                | Expr::ProcessCount
                | Expr::Last
                | Expr::OwnPriority
                | Expr::Timeout
                | Expr::NonProgress
                | Expr::Enabled(_)
                | Expr::PcValue(_)
                | Expr::PriorityOf(_)
                | Expr::RemoteAt { .. }
                | Expr::RemoteRead { .. }
                | Expr::Heap(_),
                _,
            ) => None,
        }
    }

    /// An operator that evaluates both operands. Where it commutes, operands may be exchanged: they are evaluated in any
    /// case, so that something goes wrong in any order or in none.
    fn binary(&self, op: BinaryOp, (a, c): (&Expr, &Expr), (b, d): (&Expr, &Expr)) -> Option<Image> {
        if op == BinaryOp::Add {
            let (ours, theirs) = (sum(a, c), sum(b, d));
            if ours.len() > 2 && ours.len() == theirs.len() {
                return self.sum(&ours, &theirs);
            }
        }
        let straight = self.saved(|| self.expr(a, b)?.binary(op, &self.expr(c, d)?));
        let commutes = match op {
            BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => self.fail_alike(&[a, c]),
            BinaryOp::Sub
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Gt
            | BinaryOp::Lt
            | BinaryOp::Ge
            | BinaryOp::Le
            | BinaryOp::Shl
            | BinaryOp::Shr => false,
        };
        match straight {
            Some(Image::Unknown) | None if commutes => {
                self.saved(|| self.expr(a, d)?.binary(op, &self.expr(c, b)?)).or(straight)
            }
            straight => straight,
        }
    }

    /// `a + b + c`, whose operands may stand in any order.
    fn sum(&self, ours: &[&Expr], theirs: &[&Expr]) -> Option<Image> {
        let mut left: Vec<&Expr> = theirs.to_vec();
        let any_order = self.fail_alike(ours);
        let mut total = Image::one(0);
        for a in ours {
            let choices = if any_order { left.len() } else { 1 };
            let known = |image: &Image| *image != Image::Unknown;
            let (at, image) =
                (0..choices).find_map(|at| Some((at, self.saved(|| self.expr(a, left[at]).filter(known))?)))?;
            left.remove(at);
            total = total.binary(BinaryOp::Add, &image)?;
        }
        Some(total)
    }

    /// `a && b && c` or `a || b || c`: in the same order, or in any order if no operand can fail.
    fn chain(&self, a: &Expr, b: &Expr, and: bool) -> Option<Image> {
        let (ours, theirs) = (self.operands(a, and), self.operands(b, and));
        let in_order =
            || (ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| self.truth(a, b))).then_some(());
        if self.saved(in_order).is_some() {
            return Some(Image::truth());
        }
        if !self.fail_together(&ours) || !self.fail_together(&theirs) {
            return None;
        }
        // No operand fails alone, so the chain is a set: each operand has a partner on the other side.
        let covered = |from: &[&Expr], to: &[&Expr], forth: bool| {
            from.iter().all(|a| {
                to.iter().any(|b| {
                    let (a, b) = if forth { (a, b) } else { (b, a) };
                    self.saved(|| self.truth(a, b).then_some(())).is_some()
                })
            })
        };
        (covered(&ours, &theirs, true) && covered(&theirs, &ours, false)).then(Image::truth)
    }

    /// The operands of a chain, without those that decide nothing; one that decides all is the last.
    fn operands<'e>(&self, expr: &'e Expr, and: bool) -> Vec<&'e Expr> {
        let mut all = Vec::new();
        flatten(expr, and, &mut all);
        let mut operands = Vec::new();
        for operand in all {
            match constant(operand) {
                Some(value) if (value != 0) == and => {}
                Some(_) => {
                    operands.push(operand);
                    break;
                }
                None => operands.push(operand),
            }
        }
        operands
    }

    /// A variable with its values.
    fn read(&self, a: &Place, b: &Place) -> Option<Image> {
        self.values(a, b, None)
    }

    /// The values of a variable of the executing process, or of some process of a type.
    fn values(&self, a: &Place, b: &Place, remote: Option<usize>) -> Option<Image> {
        let slots = self.slots(a, b, remote)?;
        let mut image = Image::Same(Values::default());
        for slot in slots {
            let (values, names, sort) = self.slot(a.scope, slot, remote);
            image = image.join(&self.image(values, names, sort));
        }
        Some(image)
    }

    /// What is known of a slot.
    fn slot(&self, scope: Scope, slot: usize, remote: Option<usize>) -> (&Values, Option<NamesId>, Sort) {
        match (remote, scope) {
            (None, Scope::Global) => {
                let names = self.symmetry.globals.get(slot).and_then(|e| e.names);
                (&self.ranges.globals[slot], names, self.model.globals[slot].scalar.sort)
            }
            (remote, _) => {
                let owner = remote.unwrap_or(self.proctype);
                let names = self.symmetry.locals.get(owner).and_then(|locals| locals.get(slot)).and_then(|e| e.names);
                (&self.ranges.locals[owner][slot], names, self.model.proctypes[owner].slots[slot].scalar.sort)
            }
        }
    }

    /// What values of some naming become.
    fn image(&self, values: &Values, names: Option<NamesId>, sort: Sort) -> Image {
        match (names, sort) {
            (Some(names), _) => Image::of_values(values, &self.renaming.names[names]),
            (None, Sort::Channel) => {
                let ids = 1..=self.renaming.channels.len() as i32;
                Image::of_values(values, &ids.map(|id| (id, self.renaming.channel(id))).collect())
            }
            (None, Sort::Plain | Sort::Process | Sort::Ref | Sort::Member { .. }) => Image::Same(values.clone()),
        }
    }

    fn processes(&self, ids: &Values) -> Image {
        let moves = self.renaming.processes.iter().enumerate().map(|(from, &to)| (from as i32, to as i32));
        Image::of_values(ids, &moves.collect())
    }

    /// The slots that a place can stand for, if each of them moves to the slot that the other place stands for then, and
    /// both are outside their arrays together.
    pub fn slots(&self, a: &Place, b: &Place, remote: Option<usize>) -> Option<Vec<usize>> {
        let (a, b) = (&folded(a), &folded(b));
        if a.scope != b.scope || a.indices.len() != b.indices.len() || a.scalar != b.scalar {
            return None;
        }
        // Pairs of slots, for all values of the indices so far.
        let mut pairs = vec![(a.slot, b.slot)];
        for (i, j) in a.indices.iter().zip(&b.indices) {
            if i.length != j.length {
                return None;
            }
            let image = self.expr(&i.value, &j.value)?;
            let inside = |value: i32| usize::try_from(value).ok().filter(|&at| at < i.length);
            let moves: Vec<(usize, usize)> = match &image {
                Image::Same(values) => {
                    (0..i.length).filter(|&at| values.contains(at as i32)).map(|at| (at, at)).collect()
                }
                Image::Moves(map) => {
                    if map.iter().any(|(&v, &w)| inside(v).is_some() != inside(w).is_some()) {
                        return None;
                    }
                    map.iter().filter_map(|(&v, &w)| Some((inside(v)?, inside(w)?))).collect()
                }
                Image::Unknown => return None,
            };
            if pairs.len() * moves.len() > MOST_SLOTS {
                return None;
            }
            pairs = pairs
                .iter()
                .flat_map(|&(x, y)| moves.iter().map(move |&(v, w)| (x + v * i.stride, y + w * j.stride)))
                .collect();
        }
        let exact = a.indices.is_empty();
        pairs.iter().all(|&(x, y)| self.moves_to(a.scope, x, y, remote, exact)).then(|| {
            let mut slots: Vec<usize> = pairs.into_iter().map(|(x, _)| x).collect();
            slots.sort_unstable();
            slots.dedup();
            slots
        })
    }

    fn moves_to(&self, scope: Scope, from: usize, to: usize, remote: Option<usize>, exact: bool) -> bool {
        match (remote, scope) {
            (None, Scope::Global) => {
                let Some(guess) = self.guess else { return self.renaming.globals[from] == to };
                let mut guess = guess.borrow_mut();
                if let Some(&guessed) = guess.globals.get(&from) {
                    return guessed == to;
                }
                let fixed = self.renaming.globals[from] == from && self.renaming.globals[to] == to;
                let free = |slot: usize| guess.free.contains(&slot) && !guess.globals.contains_key(&slot);
                if from != to && fixed && exact && free(from) && free(to) {
                    guess.globals.extend([(from, to), (to, from)]);
                    return true;
                }
                self.renaming.globals[from] == to && !guess.globals.contains_key(&to)
            }
            (remote, _) => self.renaming.locals[remote.unwrap_or(self.proctype)][from] == to,
        }
    }

    /// Tries something; what was guessed on the way is forgotten if it fails.
    pub fn saved<T>(&self, attempt: impl FnOnce() -> Option<T>) -> Option<T> {
        let before = self.guess.map(|guess| guess.borrow().clone());
        let result = attempt();
        if let (None, Some(guess), Some(before)) = (&result, self.guess, before) {
            *guess.borrow_mut() = before;
        }
        result
    }

    /// Whether two channel variables hold channels that correspond.
    pub fn channel(&self, a: &Place, b: &Place) -> bool {
        let ids = 1..=self.renaming.channels.len() as i32;
        self.read(a, b).is_some_and(|image| image.follows(|id| self.renaming.channel(id), ids))
            || self.guessed_channel(a, b)
    }

    /// While guessing, two channel variables that are guessed to change places hold what changes places.
    fn guessed_channel(&self, a: &Place, b: &Place) -> bool {
        self.guess.is_some() && a.scope == Scope::Global && self.slots(a, b, None).is_some()
    }

    /// Whether two expressions are ids of processes that correspond.
    fn process(&self, a: &Expr, b: &Expr) -> bool {
        let ids = 0..self.renaming.processes.len() as i32;
        self.expr(a, b).is_some_and(|image| image.follows(|id| self.renaming.process(id), ids))
    }

    /// Whether two remote references are about processes that correspond.
    fn remote(&self, proctype: usize, a: Option<&Expr>, b: Option<&Expr>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.process(a, b),
            (None, None) => {
                let oldest = self.state.processes.iter().position(|p| p.proctype == proctype);
                oldest.is_none_or(|oldest| self.renaming.processes[oldest] == oldest)
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Whether the fields of messages are matched and bound alike, whatever the channel is.
    fn pattern(&self, channel: &Place, a: &[Pattern], b: &[Pattern]) -> bool {
        a.len() == b.len()
            && self.ranges.channel_types(self.proctype, channel).into_iter().all(|ty| {
                let fields = a.len().min(self.model.channels[ty].fields.len());
                (0..fields).all(|at| {
                    let field = self.field(ty, at);
                    match (&a[at], &b[at]) {
                        (Pattern::Match(a), Pattern::Match(b)) => {
                            self.expr(a, b).is_some_and(|image| equal_together(&field, &image))
                        }
                        (Pattern::Bind(a), Pattern::Bind(b)) => {
                            self.slots(a, b, None).is_some_and(|slots| self.store(a, &slots, &field))
                        }
                        (Pattern::Ignore, Pattern::Ignore) => true,
                        (Pattern::Match(_) | Pattern::Bind(_) | Pattern::Ignore, _) => false,
                    }
                })
            })
    }

    fn field(&self, ty: usize, field: usize) -> Image {
        let names = self.symmetry.fields.get(ty).and_then(|fields| fields.get(field).copied().flatten());
        self.image(&self.ranges.fields[ty][field], names, self.model.channels[ty].fields[field].sort)
    }

    /// Whether what is left of a value in a variable is what the renaming makes of it: the rule for `=`.
    fn store(&self, place: &Place, slots: &[usize], image: &Image) -> bool {
        slots.iter().all(|&slot| {
            let (_, names, sort) = self.slot(place.scope, slot, None);
            self.kept(place.scalar, names, sort, image)
        })
    }

    /// Whether a value is renamed rightly when it is cut to a type and put where values have some naming.
    fn kept(&self, scalar: quotient_ir::Scalar, names: Option<NamesId>, sort: Sort, image: &Image) -> bool {
        let renamed = |value: i32| self.renaming.value(sort, names, value);
        match image {
            Image::Unknown => false,
            Image::Same(values) => match values.list() {
                Some(mut values) => values.all(|v| renamed(scalar.truncate(v)) == scalar.truncate(v)),
                None => {
                    let stored = values.cut(scalar);
                    self.moved(names, sort).into_iter().all(|v| !stored.contains(v))
                }
            },
            Image::Moves(map) => map.iter().all(|(&v, &w)| renamed(scalar.truncate(v)) == scalar.truncate(w)),
        }
    }

    /// The values of a naming that the renaming changes.
    fn moved(&self, names: Option<NamesId>, sort: Sort) -> Vec<i32> {
        match (names, sort) {
            (Some(names), _) => self.renaming.names[names].keys().copied().collect(),
            (None, Sort::Channel) => {
                (1..=self.renaming.channels.len() as i32).filter(|&id| self.renaming.channel(id) != id).collect()
            }
            (None, Sort::Plain | Sort::Process | Sort::Ref | Sort::Member { .. }) => Vec::new(),
        }
    }

    /// Whether a constant in one variable goes over to a constant in another.
    pub fn constant(&self, scope: Scope, slot: usize, value: i32, other: (Scope, usize, i32)) -> bool {
        let (_, names, sort) = self.slot(scope, slot, None);
        scope == other.0
            && self.moves_to(scope, slot, other.1, None, true)
            && self.renaming.value(sort, names, value) == other.2
    }

    /// Whether two actions correspond: executable together, failing together, with corresponding results. `unread` says
    /// which variables nobody will read afterwards.
    pub fn action(&self, a: &Action, b: &Action, unread: &dyn Fn(Scope, usize) -> bool) -> bool {
        match (a, b) {
            (Action::Skip, Action::Skip) | (Action::Else, Action::Else) | (Action::End, Action::End) => true,
            (Action::Condition(a), Action::Condition(b)) | (Action::Assert(a), Action::Assert(b)) => self.truth(a, b),
            (Action::Assign(x, a), Action::Assign(y, b)) => {
                let Some(image) = self.expr(a, b) else { return false };
                let Some(slots) = self.slots(x, y, None) else { return false };
                self.store(x, &slots, &image) || slots.iter().all(|&slot| unread(x.scope, slot))
            }
            (Action::Send { channel: c, values: a, sorted }, Action::Send { channel: d, values: b, sorted: other }) => {
                sorted == other && self.send(c, d, a, b, *sorted)
            }
            (
                Action::Receive { channel: c, pattern: a, random, copy },
                Action::Receive { channel: d, pattern: b, random: other, copy: another },
            ) => random == other && copy == another && self.channel(c, d) && self.pattern(c, a, b),
            (Action::Print { format: _, args: a, mtype: _ }, Action::Print { format: _, args: b, mtype: _ }) => {
                let together =
                    || (a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.expr(a, b).is_some())).then_some(());
                (self.is_silent(a) && self.is_silent(b)) || self.saved(together).is_some()
            }
            (Action::Print { format: _, args, mtype: _ }, Action::Skip)
            | (Action::Skip, Action::Print { format: _, args, mtype: _ }) => self.is_silent(args),
            (Action::SetPriority(p, a), Action::SetPriority(q, b)) => {
                self.process(p, q) && matches!(self.expr(a, b), Some(Image::Same(_)))
            }
            (Action::Deterministic(a), Action::Deterministic(b)) => crate::sequence::bodies(self, a, b, unread),
            (
                Action::Skip
                | Action::Else
                | Action::End
                | Action::Condition(_)
                | Action::Assert(_)
                | Action::Assign(..)
                | Action::Send { .. }
                | Action::Receive { .. }
                | Action::Print { .. }
                | Action::SetPriority(..)
                | Action::Heap(_)
                | Action::Deterministic(_),
                _,
            ) => false,
        }
    }

    /// Whether a channel variable can hold a channel without room for messages.
    pub fn may_be_rendezvous(&self, channel: &Place) -> bool {
        let types = self.ranges.channel_types(self.proctype, channel);
        types.into_iter().any(|ty| self.model.channels[ty].capacity == 0)
    }

    fn is_silent(&self, args: &[Expr]) -> bool {
        args.iter().all(|arg| self.aborts(arg).is_empty())
    }

    fn send(&self, c: &Place, d: &Place, a: &[Expr], b: &[Expr], sorted: bool) -> bool {
        if a.len() != b.len() || !self.channel(c, d) {
            return false;
        }
        let images: Option<Vec<Image>> = a.iter().zip(b).map(|(a, b)| self.expr(a, b)).collect();
        let Some(images) = images else { return false };
        self.ranges.channel_types(self.proctype, c).into_iter().all(|ty| {
            let fields = &self.model.channels[ty].fields;
            // A message is put in order by its fields as numbers.
            let in_order = !sorted
                || ((0..fields.len()).all(|at| matches!(self.field(ty, at), Image::Same(_)))
                    && images.iter().all(|image| matches!(image, Image::Same(_))));
            let names = |at: usize| self.symmetry.fields.get(ty).and_then(|f| f.get(at).copied().flatten());
            let mut stored = fields.iter().zip(&images).enumerate();
            in_order && stored.all(|(at, (&scalar, image))| self.kept(scalar, names(at), scalar.sort, image))
        })
    }

    /// Whether an event of a trace corresponds to another: constants of a send and what a receive matches decide, the rest
    /// is not looked at.
    pub fn event(&self, a: &Action, b: &Action) -> bool {
        debug_assert_eq!(self.model.proctypes[self.proctype].kind, ProctypeKind::Trace);
        match (a, b) {
            (Action::Send { channel: c, values: a, sorted: _ }, Action::Send { channel: d, values: b, sorted: _ }) => {
                let alike = |ty: usize, at: usize| match (&a[at], &b[at]) {
                    (Expr::Const(v), Expr::Const(w)) => equal_together(&self.field(ty, at), &Image::of([(*v, *w)])),
                    (Expr::Const(_), _) | (_, Expr::Const(_)) => false,
                    _ => true,
                };
                a.len() == b.len()
                    && self.channel(c, d)
                    && self
                        .ranges
                        .channel_types(self.proctype, c)
                        .into_iter()
                        .all(|ty| (0..a.len().min(self.model.channels[ty].fields.len())).all(|at| alike(ty, at)))
            }
            (
                Action::Receive { channel: c, pattern: a, random: _, copy: _ },
                Action::Receive { channel: d, pattern: b, random: _, copy: _ },
            ) => {
                let alike = |ty: usize, at: usize| match (&a[at], &b[at]) {
                    (Pattern::Match(v), Pattern::Match(w)) => {
                        self.expr(v, w).is_some_and(|image| equal_together(&self.field(ty, at), &image))
                    }
                    (Pattern::Match(_), _) | (_, Pattern::Match(_)) => false,
                    (Pattern::Bind(_) | Pattern::Ignore, Pattern::Bind(_) | Pattern::Ignore) => true,
                };
                a.len() == b.len()
                    && self.channel(c, d)
                    && self
                        .ranges
                        .channel_types(self.proctype, c)
                        .into_iter()
                        .all(|ty| (0..a.len().min(self.model.channels[ty].fields.len())).all(|at| alike(ty, at)))
            }
            // Joints between events match nothing.
            (Action::Send { .. } | Action::Receive { .. }, _) | (_, Action::Send { .. } | Action::Receive { .. }) => {
                false
            }
            (
                Action::Skip
                | Action::Else
                | Action::End
                | Action::Condition(_)
                | Action::Assert(_)
                | Action::Assign(..)
                | Action::Print { .. }
                | Action::SetPriority(..)
                | Action::Heap(_)
                | Action::Deterministic(_),
                _,
            ) => true,
        }
    }
}

/// A place whose constant indices are part of its slot.
pub fn folded(place: &Place) -> Place {
    let mut slot = place.slot;
    let mut indices = Vec::new();
    for index in &place.indices {
        match constant(&index.value).and_then(|value| usize::try_from(value).ok()).filter(|&at| at < index.length) {
            Some(at) => slot += at * index.stride,
            None => indices.push(index.clone()),
        }
    }
    Place { slot, indices, ..place.clone() }
}

/// The value of an expression without variables.
pub fn constant(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Unary(op, a) => Some(op.apply(constant(a)?)),
        Expr::Binary(op, a, b) => op.apply(constant(a)?, constant(b)?),
        Expr::And(a, b) => match constant(a)? {
            0 => Some(0),
            _ => Some(i32::from(constant(b)? != 0)),
        },
        Expr::Or(a, b) => match constant(a)? {
            0 => Some(i32::from(constant(b)? != 0)),
            _ => Some(1),
        },
        Expr::Cond(c, a, b) => match constant(c)? {
            0 => constant(b),
            _ => constant(a),
        },
        _ => None,
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

/// The operands of `a && b && c` or `a || b || c`, in order.
pub fn flatten<'e>(expr: &'e Expr, and: bool, operands: &mut Vec<&'e Expr>) {
    match (expr, and) {
        (Expr::And(a, b), true) | (Expr::Or(a, b), false) => {
            flatten(a, and, operands);
            flatten(b, and, operands);
        }
        _ => operands.push(expr),
    }
}
