//! The renamings that leave a property as it is: those that leave every member where it is that the property names. A set some
//! of whose members are named becomes the set of the others; rings keep no renaming then.

use std::collections::{BTreeSet, HashMap};

use quotient_ir::{
    BinaryOp, Element, Expr, Group, Model, Names, NamesId, Place, Position, Scalarset, Scope, Symmetry, Unread,
};

use super::observer::Watched;

/// What is left of a model's symmetry for a property; `None` if that is nothing.
pub(super) fn stabiliser(model: &Model, watched: &[Watched]) -> Option<Symmetry> {
    let symmetry = model.symmetry.as_ref()?;
    let mut named = Named { symmetry, members: vec![BTreeSet::new(); symmetry.sets.len()] };
    for watched in watched {
        match watched {
            Watched::Expr(expr, _) => named.expr(expr),
            Watched::Empty => {}
            Watched::NonProgress | Watched::Accepting => named.labels(),
        }
    }
    let pinned = Pinned::new(symmetry, &named.members).symmetry();
    (!pinned.sets.is_empty()).then_some(pinned)
}

/// The members that a property names, by set.
struct Named<'s> {
    symmetry: &'s Symmetry,
    members: Vec<BTreeSet<u8>>,
}

impl Named<'_> {
    fn everyone(&mut self) {
        for (members, set) in self.members.iter_mut().zip(&self.symmetry.sets) {
            members.extend(0..set.size as u8);
        }
    }

    fn position(&mut self, position: Option<&Position>) {
        for &(set, member) in position.iter().flat_map(|position| &position.members) {
            self.members[set].insert(member);
        }
    }

    /// The property asks which labels processes are at.
    fn labels(&mut self) {
        if self.symmetry.controls.iter().flatten().any(|position| !position.members.is_empty()) {
            self.everyone();
        }
    }

    /// All that values may stand for.
    fn values(&mut self, names: &[NamesId]) {
        for &(_, set, _) in names.iter().flat_map(|&names| &self.symmetry.names[names].values) {
            self.members[set].extend(0..self.symmetry.sets[set].size as u8);
        }
    }

    /// What a value stands for, if it stands for something.
    fn value(&mut self, names: &[NamesId], value: i32) {
        for &names in names {
            if let Some((set, member)) = self.symmetry.names[names].member(value) {
                self.members[set].insert(member);
            }
        }
    }

    /// Where a variable stands; gives back what its values stand for.
    fn place(&mut self, place: &Place, proctype: Option<usize>) -> Vec<NamesId> {
        let constant = |value: &Expr| match value {
            Expr::Const(value) => usize::try_from(*value).ok(),
            _ => None,
        };
        let offsets: Option<Vec<usize>> =
            place.indices.iter().map(|index| Some(constant(&index.value)? * index.stride)).collect();
        let slots = match offsets {
            Some(offsets) => vec![place.slot + offsets.iter().sum::<usize>()],
            None => place.all_slots(),
        };
        place.indices.iter().for_each(|index| self.expr(&index.value));
        let symmetry = self.symmetry;
        let elements: Option<&Vec<Element>> = match (proctype, place.scope) {
            (Some(ty), _) => symmetry.locals.get(ty),
            (None, Scope::Global) => Some(&symmetry.globals),
            (None, Scope::Local) => {
                self.everyone();
                None
            }
        };
        let mut names = BTreeSet::new();
        for element in slots.iter().filter_map(|&slot| elements?.get(slot)) {
            self.position(Some(&element.position));
            names.extend(element.names);
        }
        names.into_iter().collect()
    }

    /// The process that a remote reference is about.
    fn process(&mut self, pid: Option<&Expr>) {
        match pid {
            Some(Expr::Const(pid)) => {
                let position = usize::try_from(*pid).ok().and_then(|pid| self.symmetry.processes.get(pid));
                self.position(position);
            }
            _ => self.everyone(),
        }
    }

    /// What the values of an expression stand for, where it is a variable.
    fn variable(&mut self, expr: &Expr) -> Option<Vec<NamesId>> {
        match expr {
            Expr::Read(place) => Some(self.place(place, None)),
            Expr::RemoteRead { proctype, pid, place } => {
                self.process(pid.as_deref());
                Some(self.place(place, Some(*proctype)))
            }
            _ => None,
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => match (&**a, &**b) {
                (variable, Expr::Const(value)) | (Expr::Const(value), variable) => match self.variable(variable) {
                    Some(names) => self.value(&names, *value),
                    None => self.expr(variable),
                },
                (a, b) => {
                    let (first, second) = (self.variable(a), self.variable(b));
                    if let (Some(first), Some(second)) = (&first, &second)
                        && first == second
                        && first.len() < 2
                    {
                        return;
                    }
                    self.expr(a);
                    self.expr(b);
                }
            },
            Expr::Read(_) | Expr::RemoteRead { .. } => {
                let names = self.variable(expr).unwrap_or_default();
                self.values(&names);
            }
            Expr::Length(place) | Expr::Probe(_, place) => {
                let names = self.place(place, None);
                self.values(&names);
            }
            // A model with a heap has no names of members.
            Expr::Heap(_) => {}
            Expr::RemoteAt { proctype, pid, state } => {
                self.process(pid.as_deref());
                let position = self.symmetry.controls.get(*proctype).and_then(|states| states.get(*state));
                self.position(position);
            }
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            Expr::Const(_) | Expr::ProcessCount | Expr::Timeout => {}
            Expr::NonProgress => self.labels(),
            Expr::Poll { .. }
            | Expr::Run { .. }
            | Expr::Pid
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Enabled(_)
            | Expr::PcValue(_)
            | Expr::PriorityOf(_) => self.everyone(),
        }
    }
}

/// A class of the old symmetry, the members of its positions that stay where they are, and how many others there are.
type OldClass = (u32, Vec<(usize, u8)>, usize);

/// A symmetry some of whose members stay where they are.
struct Pinned<'s> {
    symmetry: &'s Symmetry,
    sets: Vec<Scalarset>,
    /// For each member, what it is now; none if it stays where it is.
    members: Vec<Vec<Option<(usize, u8)>>>,
    classes: HashMap<OldClass, u32>,
}

impl<'s> Pinned<'s> {
    fn new(symmetry: &'s Symmetry, named: &[BTreeSet<u8>]) -> Self {
        let mut sets = Vec::new();
        let mut members = Vec::new();
        for (set, named) in symmetry.sets.iter().zip(named) {
            let left: Vec<u8> = (0..set.size as u8).filter(|member| !named.contains(member)).collect();
            let keeps = left.len() >= 2 && (set.group == Group::Symmetric || named.is_empty());
            let number = sets.len();
            let place = |member: u8| left.iter().position(|&other| other == member).map(|at| (number, at as u8));
            members.push((0..set.size as u8).map(|member| place(member).filter(|_| keeps)).collect());
            if keeps {
                sets.push(Scalarset { size: left.len(), ..set.clone() });
            }
        }
        Pinned { symmetry, sets, members, classes: HashMap::new() }
    }

    fn position(&mut self, position: &Position) -> Position {
        let renamed = |&(set, member): &(usize, u8)| self.members[set][usize::from(member)];
        let members: Vec<(usize, u8)> = position.members.iter().filter_map(renamed).collect();
        let staying: Vec<(usize, u8)> =
            position.members.iter().copied().filter(|member| renamed(member).is_none()).collect();
        let next = self.classes.len() as u32;
        let class = *self.classes.entry((position.class, staying, members.len())).or_insert(next);
        Position { class, members }
    }

    fn element(&mut self, element: &Element) -> Element {
        Element { position: self.position(&element.position), names: element.names }
    }

    fn symmetry(mut self) -> Symmetry {
        let old = self.symmetry;
        let names = |names: &Names| Names {
            values: names
                .values
                .iter()
                .filter_map(|&(value, set, member)| {
                    let (set, member) = self.members[set][usize::from(member)]?;
                    Some((value, set, member))
                })
                .collect(),
        };
        let names = old.names.iter().map(names).collect();
        Symmetry {
            names,
            globals: old.globals.iter().map(|element| self.element(element)).collect(),
            locals: old.locals.iter().map(|slots| slots.iter().map(|slot| self.element(slot)).collect()).collect(),
            fields: old.fields.clone(),
            channels: old.channels.iter().map(|position| self.position(position)).collect(),
            processes: old.processes.iter().map(|position| self.position(position)).collect(),
            controls: old
                .controls
                .iter()
                .map(|states| states.iter().map(|position| self.position(position)).collect())
                .collect(),
            steady: old.steady.clone(),
            // What nobody reads, the property may.
            unread: Unread::default(),
            sets: self.sets,
        }
    }
}
