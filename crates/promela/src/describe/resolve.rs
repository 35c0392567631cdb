//! Resolving a description: its names become slots, processes and channels of the model, each with its position.

use quotient_ir::{
    Element, Model, Names, NamesId, Position, Scalarset, SetId, Setup, Slot, Sort, Symmetry, Width, population,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::{Declaration, Description, Family, Index, Step, Type};

type Members = Vec<(SetId, u8)>;

/// The symmetry that a description tells of.
pub(super) fn resolve(model: &Model, description: &Description) -> Result<Symmetry, Vec<Diagnostic>> {
    let mut resolver = Resolver {
        description,
        model,
        sizes: description.sets.iter().map(|set| set.size).collect(),
        problems: Vec::new(),
        symmetry: Symmetry::default(),
    };
    resolver.sizes();
    resolver.globals();
    resolver.locals();
    resolver.processes();
    resolver.channels();
    let Resolver { sizes, mut problems, mut symmetry, .. } = resolver;
    for (set, size) in description.sets.iter().zip(sizes) {
        match size {
            Some(size @ 1..=255) => {
                symmetry.sets.push(Scalarset { name: set.name.clone(), size, group: set.group });
            }
            Some(size) => {
                let problem = format!("scalarset `{}` has {size} members; there can be 1 to 255", set.name);
                problems.push(Diagnostic::error(set.span, problem));
            }
            None => {
                let problem = format!("nothing tells how many members scalarset `{}` has", set.name);
                let help = format!("write `{}[n]`, or declare an array or a proctype that it indexes", set.name);
                problems.push(Diagnostic::error(set.span, problem).help(help));
            }
        }
    }
    if problems.is_empty() { Ok(symmetry) } else { Err(problems) }
}

struct Resolver<'d> {
    description: &'d Description,
    model: &'d Model,
    sizes: Vec<Option<usize>>,
    problems: Vec<Diagnostic>,
    symmetry: Symmetry,
}

impl Resolver<'_> {
    /// Finds out how many members sets have: as many as the first array or family that they index.
    fn sizes(&mut self) {
        let description = self.description;
        for declaration in &description.globals {
            self.size_by(declaration, &self.model.globals);
        }
        for family in &description.families {
            let Some(ty) = self.model.proctypes.iter().position(|proctype| proctype.name == family.name) else {
                let problem = format!("the model has no proctype `{}`", family.name);
                self.problems.push(Diagnostic::error(family.span, problem));
                continue;
            };
            if let [set] = family.sets[..] {
                let count = population(self.model).iter().filter(|founder| founder.proctype == ty).count();
                self.sizes[set] = self.sizes[set].or(Some(count).filter(|&count| count > 0));
            }
            for declaration in &family.locals {
                self.size_by(declaration, &self.model.proctypes[ty].slots);
            }
        }
    }

    fn size_by(&mut self, declaration: &Declaration, slots: &[Slot]) {
        for (depth, step) in declaration.path.iter().enumerate() {
            if let Some(Index::Set(set)) = step.index {
                let index = |slot: &Slot| matches(slot, &declaration.path).and_then(|steps| steps[depth].1);
                let size = slots.iter().filter_map(index).max().map(|last| last + 1);
                self.sizes[set] = self.sizes[set].or(size);
            }
        }
    }

    fn globals(&mut self) {
        let (model, declarations) = (self.model, &self.description.globals);
        self.symmetry.globals = self.elements(&model.globals, declarations);
        self.symmetry.fields = model.channels.iter().map(|channel| vec![None; channel.fields.len()]).collect();
        self.fields(&model.setup, declarations, &model.globals);
    }

    fn locals(&mut self) {
        for proctype in &self.model.proctypes {
            let family = self.description.families.iter().find(|family| family.name == proctype.name);
            let declarations = family.map_or(&[][..], |family| &family.locals);
            let elements = self.elements(&proctype.slots, declarations);
            self.symmetry.locals.push(elements);
            self.fields(&proctype.setup, declarations, &proctype.slots);
        }
    }

    /// Positions of slots, and what the values of those stand for that are names.
    fn elements(&mut self, slots: &[Slot], declarations: &[Declaration]) -> Vec<Element> {
        let mut classes: Vec<String> = Vec::new();
        let mut used = vec![false; declarations.len()];
        let mut elements = Vec::new();
        for slot in slots {
            let (mut members, mut names) = (Members::new(), None);
            let mut class = slot.name.clone();
            // What is said last is the most specific.
            for (number, declaration) in declarations.iter().enumerate() {
                let Some(steps) = matches(slot, &declaration.path) else { continue };
                used[number] = true;
                (members, class) = place(&steps, &declaration.path);
                if let Some(&(set, member)) =
                    members.iter().find(|(set, member)| self.sizes[*set].is_some_and(|s| usize::from(*member) >= s))
                {
                    let (size, set) = (self.sizes[set].unwrap_or(0), &self.description.sets[set].name);
                    let problem = format!("`{}` has more elements than scalarset `{set}` has members", slot.name);
                    let help = format!("`{set}` has {size}: element {member} is one too many");
                    self.once(Diagnostic::error(declaration.span, problem).help(help));
                }
                self.give_names(&mut names, slot, declaration, steps.len() == declaration.path.len());
            }
            let class = classes.iter().position(|other| *other == class).unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            });
            elements.push(Element { position: Position { class: class as u32, members }, names });
        }
        for (declaration, _) in declarations.iter().zip(used).filter(|(_, used)| !used) {
            let problem = format!("the model has no variable `{}` here", text(&declaration.path));
            self.once(Diagnostic::error(declaration.span, problem));
        }
        elements
    }

    fn give_names(&mut self, names: &mut Option<NamesId>, slot: &Slot, declaration: &Declaration, whole: bool) {
        match declaration.ty {
            Type::Plain => *names = None,
            Type::Channel if slot.scalar.sort == Sort::Channel || !whole => {}
            Type::Channel => {
                self.once(Diagnostic::error(declaration.span, format!("`{}` is not a channel", slot.name)))
            }
            Type::Member(set, first) => {
                let bad = match slot.scalar {
                    _ if !whole => Some("is a structure: declare its fields"),
                    scalar if scalar.sort == Sort::Channel => Some("is a channel, not a name of a member"),
                    scalar if scalar.width == Width::Bit => Some("is a single bit, too narrow for names"),
                    _ => None,
                };
                match bad {
                    Some(bad) => {
                        self.once(Diagnostic::error(declaration.span, format!("`{}` {bad}", text(&declaration.path))));
                    }
                    None => *names = Some(self.names(set, first)),
                }
            }
        }
    }

    /// The table of a set whose first member is named by a value.
    fn names(&mut self, set: SetId, first: u8) -> NamesId {
        let size = self.sizes[set].unwrap_or(0).min(255);
        let names = Names::run(set, i32::from(first), size);
        self.symmetry.names.iter().position(|other| *other == names).unwrap_or_else(|| {
            self.symmetry.names.push(names);
            self.symmetry.names.len() - 1
        })
    }

    /// What the fields of messages stand for.
    fn fields(&mut self, setup: &[Setup], declarations: &[Declaration], slots: &[Slot]) {
        for declaration in declarations {
            let Some(fields) = &declaration.fields else { continue };
            for step in setup {
                let Setup::Channel(slot, ty) = step else { continue };
                if matches(&slots[*slot], &declaration.path).is_none() {
                    continue;
                }
                let channel = &self.model.channels[*ty];
                if channel.fields.len() != fields.len() {
                    let problem = format!(
                        "messages of `{}` have {} fields, not {}",
                        channel.name,
                        channel.fields.len(),
                        fields.len()
                    );
                    self.once(Diagnostic::error(declaration.span, problem));
                    break;
                }
                for (number, field) in fields.iter().enumerate() {
                    if let Type::Member(set, first) = *field {
                        self.symmetry.fields[*ty][number] = Some(self.names(set, first));
                    }
                }
            }
        }
    }

    fn processes(&mut self) {
        let founders = population(self.model);
        let fixed = |id: usize| Position { class: id as u32, members: Members::new() };
        let mut positions: Vec<Position> = (0..founders.len()).map(fixed).collect();
        let exists = |family: &Family| self.model.proctypes.iter().any(|proctype| proctype.name == family.name);
        let families = self.description.families.iter().enumerate();
        for (number, family) in families.filter(|(_, family)| !family.sets.is_empty() && exists(family)) {
            let of_family = |proctype: usize| self.model.proctypes[proctype].name == family.name;
            let ids: Vec<usize> = (0..founders.len()).filter(|&id| of_family(founders[id].proctype)).collect();
            let sizes: Vec<usize> = family.sets.iter().map(|&set| self.sizes[set].unwrap_or(0)).collect();
            let expected: usize = sizes.iter().product();
            if ids.len() != expected {
                let problem = format!(
                    "{} processes of type `{}` are created at the start, not {expected}",
                    ids.len(),
                    family.name
                );
                let help = "all of them must be `active`, or run by `init` before anything that depends on others";
                self.problems.push(Diagnostic::error(family.span, problem).help(help));
                continue;
            }
            let parameters = self.parameters(family);
            let named = |id: usize| parameters.as_ref().and_then(|slots| by_parameters(slots, &founders[id].args));
            let mut taken: Vec<Vec<usize>> = Vec::new();
            for (order, &id) in ids.iter().enumerate() {
                let members = named(id).unwrap_or_else(|| by_order(&sizes, order));
                if members.iter().zip(&sizes).any(|(member, size)| member >= size) || taken.contains(&members) {
                    let problem = format!("the instances of `{}` do not stand for one member each", family.name);
                    self.problems.push(Diagnostic::error(family.span, problem));
                    break;
                }
                let class = (founders.len() + number) as u32;
                let position = family.sets.iter().zip(&members).map(|(&set, &member)| (set, member as u8)).collect();
                positions[id] = Position { class, members: position };
                taken.push(members);
            }
        }
        self.symmetry.processes = positions;
    }

    /// For each set of a family, the parameter that is a name of it and the value of the first member; none when some set
    /// has no such parameter.
    fn parameters(&self, family: &Family) -> Option<Vec<(usize, i32)>> {
        let ty = self.model.proctypes.iter().position(|proctype| proctype.name == family.name)?;
        let mut used: Vec<(usize, i32)> = Vec::new();
        for &set in &family.sets {
            let name = |slot: usize| {
                let names = &self.symmetry.names[self.symmetry.locals[ty][slot].names?];
                let &(first, of, _) = names.values.first()?;
                (of == set && !used.iter().any(|&(other, _)| other == slot)).then_some((slot, first))
            };
            let found = (0..self.model.proctypes[ty].params).find_map(name)?;
            used.push(found);
        }
        Some(used)
    }

    /// Channels stand where the variables do that they were created for.
    fn channels(&mut self) {
        let mut classes: Vec<(Option<u32>, u32, usize)> = Vec::new();
        let mut add = |key: (Option<u32>, u32, usize), members: Members| {
            let class = classes.iter().position(|other| *other == key).unwrap_or_else(|| {
                classes.push(key);
                classes.len() - 1
            });
            Position { class: class as u32, members }
        };
        let mut positions = Vec::new();
        for step in &self.model.setup {
            if let Setup::Channel(slot, _) = step {
                let position = &self.symmetry.globals[*slot].position;
                positions.push(add((None, position.class, 0), position.members.clone()));
            }
        }
        for (id, founder) in population(self.model).iter().enumerate() {
            let outer = &self.symmetry.processes[id];
            for step in &self.model.proctypes[founder.proctype].setup {
                if let Setup::Channel(slot, _) = step {
                    let inner = &self.symmetry.locals[founder.proctype][*slot].position;
                    let members = [&outer.members[..], &inner.members[..]].concat();
                    positions.push(add((Some(outer.class), inner.class, founder.proctype), members));
                }
            }
        }
        self.symmetry.channels = positions;
    }

    /// Takes note of a problem, unless it was said already of the same place.
    fn once(&mut self, problem: Diagnostic) {
        let same = |other: &Diagnostic| other.span == problem.span && other.message == problem.message;
        let said: Option<Span> = self.problems.iter().find(|other| same(other)).and_then(|other| other.span);
        if said.is_none() {
            self.problems.push(problem);
        }
    }
}

/// The members that the parameters of a process name: for each set, the slot and the value of the first member.
fn by_parameters(slots: &[(usize, i32)], args: &[Option<i32>]) -> Option<Vec<usize>> {
    let member = |&(slot, first): &(usize, i32)| {
        let value = args.get(slot).copied().flatten()?;
        usize::try_from(value - first).ok()
    };
    slots.iter().map(member).collect()
}

/// The members that a process stands for by its number, if the last set runs fastest.
fn by_order(sizes: &[usize], mut number: usize) -> Vec<usize> {
    let mut members = vec![0; sizes.len()];
    for (member, &size) in members.iter_mut().zip(sizes).rev() {
        *member = number % size;
        number /= size;
    }
    members
}

/// The steps of a slot's name, if the path leads to it or to a structure around it.
fn matches(slot: &Slot, path: &[Step]) -> Option<Vec<(String, Option<usize>)>> {
    let steps = steps(&slot.name);
    let fits = |((name, index), step): (&(String, Option<usize>), &Step)| {
        *name == step.name
            && match (index, step.index) {
                (Some(index), Some(Index::Number(number))) => *index == number,
                (None, Some(_)) => false,
                _ => true,
            }
    };
    (steps.len() >= path.len() && steps.iter().zip(path).all(fits)).then_some(steps)
}

/// The members that index a slot, and its name without them.
fn place(steps: &[(String, Option<usize>)], path: &[Step]) -> (Members, String) {
    let mut members = Members::new();
    let mut class = String::new();
    for (depth, (name, index)) in steps.iter().enumerate() {
        class.push('.');
        class.push_str(name);
        match (index, path.get(depth).and_then(|step| step.index)) {
            (Some(index), Some(Index::Set(set))) => {
                members.push((set, (*index).min(255) as u8));
                class.push_str("[]");
            }
            (Some(index), _) => class.push_str(&format!("[{index}]")),
            (None, _) => {}
        }
    }
    (members, class)
}

/// `t[1].g` as its steps: `t` with index 1, and `g`.
fn steps(name: &str) -> Vec<(String, Option<usize>)> {
    let step = |part: &str| match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
        Some((name, index)) => (name.to_string(), index.parse().ok()),
        None => (part.to_string(), None),
    };
    name.split('.').map(step).collect()
}

/// A path as its author wrote it.
fn text(path: &[Step]) -> String {
    let steps: Vec<String> = path.iter().map(|step| step.name.clone()).collect();
    steps.join(".")
}
