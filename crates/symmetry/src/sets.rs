//! From classes to scalarsets: which classes stand for the members of a family of processes (or are declared to). This is
//! a guess, which [`crate::verify`] proves or not; what speaks against it is kept to explain why not.

use std::collections::{BTreeMap, HashMap, HashSet};

use quotient_ir::{Group, Model, Names, Scalar, Scalarset, SetId, Sort};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use crate::classes::{NodeId, Use, Used};
use crate::infer::{Inference, component};
use crate::start::{Start, statements, writes};

/// A member of a set.
pub type Member = (SetId, u8);

/// The scalarsets of a model and what belongs to them.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    /// The sets; those declared come first.
    pub sets: Vec<Scalarset>,
    /// How many of them are declared.
    pub declared: usize,
    /// For the representative of a class: the values that stand for members.
    pub roots: HashMap<NodeId, BTreeMap<i32, Member>>,
    /// Families of processes.
    pub families: Vec<Family>,
    /// Variables that are never assigned, by component and slot.
    pub constants: HashSet<(usize, usize)>,
    /// Axes that only constants index: they may belong to a set or not.
    pub guesses: Vec<NodeId>,
    /// Global variables that belong to a member each, with a name for those that change places.
    pub owned: BTreeMap<usize, (String, Member)>,
    /// Control states that belong to a member each, by process type, with a name for those that change places.
    pub controls: BTreeMap<(usize, usize), (String, Member)>,
}

/// Processes of one type that a renaming exchanges.
#[derive(Clone, Debug)]
pub struct Family {
    /// Their type.
    pub proctype: usize,
    /// For every process that changes places, in order of ids: its id and its members.
    pub processes: Vec<(usize, Vec<Member>)>,
}

impl Family {
    /// Whether a set indexes the family.
    pub fn is_of(&self, set: SetId) -> bool {
        self.processes.iter().any(|(_, members)| members.iter().any(|(s, _)| *s == set))
    }
}

impl Sets {
    /// The values of `node + offset` that stand for members.
    pub fn names(&self, inference: &Inference, node: NodeId, offset: i32) -> Option<Names> {
        let (root, own) = inference.classes.find(node);
        let values = self.roots.get(&root)?.iter().map(|(value, &(set, k))| (value + own + offset, set, k));
        Some(Names { values: values.collect() })
    }

    /// Whether values of a node stand for members of a set.
    pub fn is_of(&self, inference: &Inference, node: NodeId, set: SetId) -> bool {
        let root = inference.classes.find(node).0;
        self.roots.get(&root).is_some_and(|values| values.values().any(|(s, _)| *s == set))
    }

    /// Whether a set is of any use.
    pub fn is_used(&self, set: SetId) -> bool {
        let named = self.roots.values().any(|values| values.values().any(|(s, _)| *s == set));
        (set < self.declared && named) || self.families.iter().any(|f| f.is_of(set))
    }

    /// Says anew what each member of every set is; `None` for one that is none any more.
    pub fn renumber(&mut self, new: &dyn Fn(Member) -> Option<Member>) {
        for values in self.roots.values_mut() {
            *values = values.iter().filter_map(|(&value, &member)| Some((value, new(member)?))).collect();
        }
        self.roots.retain(|_, values| !values.is_empty());
        for family in &mut self.families {
            family.processes.retain_mut(|(_, members)| {
                let renumbered: Option<Vec<Member>> = members.iter().map(|&member| new(member)).collect();
                *members = renumbered.unwrap_or_default();
                !members.is_empty()
            });
        }
        self.families.retain(|family| !family.processes.is_empty());
        self.owned = self.owned.iter().filter_map(|(&s, (n, m))| Some((s, (n.clone(), new(*m)?)))).collect();
        self.controls = self.controls.iter().filter_map(|(&s, (n, m))| Some((s, (n.clone(), new(*m)?)))).collect();
    }

    /// Divides a set into several: each gets the members that are listed, the others are none any more.
    pub fn divide(&mut self, set: SetId, parts: &[Vec<u8>]) -> Vec<SetId> {
        let first = self.sets.len();
        for part in parts {
            let scalarset = Scalarset { size: part.len(), ..self.sets[set].clone() };
            self.sets.push(scalarset);
        }
        let place = |k: u8| {
            let part = parts.iter().position(|part| part.contains(&k))?;
            let at = parts[part].iter().position(|&other| other == k)?;
            Some((first + part, at as u8))
        };
        self.renumber(&|member| if member.0 == set { place(member.1) } else { Some(member) });
        (first..self.sets.len()).collect()
    }

    /// Without the arrays that were guessed to belong to a set; none if there are none.
    pub fn unguessed(&self, set: SetId) -> Option<Sets> {
        let of_set = |root: &&NodeId| self.roots.get(root).is_some_and(|v| v.values().any(|(s, _)| *s == set));
        let guessed: Vec<NodeId> = self.guesses.iter().filter(of_set).copied().collect();
        let mut without = self.clone();
        without.roots.retain(|root, _| !guessed.contains(root));
        (!guessed.is_empty()).then_some(without)
    }
}

/// Finds the scalarsets, and reasons why some families of processes have none. `strict` leaves variables that are computed
/// with out of account.
pub fn find(model: &Model, start: &Start, inference: &mut Inference, strict: bool) -> (Sets, Vec<Diagnostic>) {
    let mut finder = Finder { model, start, sets: Sets::default(), reasons: Vec::new(), strict };
    finder.constants(inference);
    finder.declared(inference);
    finder.any_process(inference);
    finder.processes(inference);
    finder.guess(inference);
    finder.channels(inference);
    (finder.sets, finder.reasons)
}

struct Finder<'a> {
    model: &'a Model,
    start: &'a Start,
    sets: Sets,
    reasons: Vec<Diagnostic>,
    strict: bool,
}

/// What tells the processes of a family apart.
#[derive(Clone, Debug)]
struct Source {
    node: NodeId,
    /// The value for each process.
    values: Vec<i32>,
}

impl Finder<'_> {
    /// Finds the variables that are never assigned once all processes exist.
    fn constants(&mut self, inference: &Inference) {
        let mut written: HashSet<(usize, usize)> = HashSet::new();
        for id in 0..self.model.proctypes.len() {
            for statement in statements(self.model, id, &self.start.reachable[id]) {
                writes(&statement.action, &mut |place| {
                    let component = component(place.scope, id);
                    written.extend(place.all_slots().into_iter().map(|slot| (component, slot)));
                });
            }
        }
        for (component, arrays) in inference.arrays.iter().enumerate() {
            let slots = (0..arrays.elements.len()).map(|slot| (component, slot));
            self.sets.constants.extend(slots.filter(|at| !written.contains(at)));
        }
    }

    fn slot(&self, component: usize, slot: usize) -> Scalar {
        match component {
            0 => self.model.globals[slot].scalar,
            _ => self.model.proctypes[component - 1].slots[slot].scalar,
        }
    }

    /// The scalarsets that the model declares.
    fn declared(&mut self, inference: &mut Inference) {
        for set in &self.model.declared.sets {
            self.sets.sets.push(Scalarset { name: set.name.clone(), size: set.size, group: Group::Symmetric });
        }
        self.sets.declared = self.sets.sets.len();
        let mut pins: Vec<(NodeId, SetId)> = Vec::new();
        for (component, arrays) in inference.arrays.iter().enumerate() {
            for slot in 0..arrays.elements.len() {
                if let Sort::Member { set } = self.slot(component, slot).sort {
                    pins.push((inference.value(component, slot), usize::from(set)));
                }
            }
        }
        for (ty, channel) in self.model.channels.iter().enumerate() {
            for (field, scalar) in channel.fields.iter().enumerate() {
                if let Sort::Member { set } = scalar.sort {
                    pins.push((inference.fields[ty][field], usize::from(set)));
                }
            }
        }
        for axis in &self.model.declared.axes {
            let component = axis.proctype.map_or(0, |p| p + 1);
            let shape = inference.arrays[component].elements[axis.slot].shape;
            pins.push((inference.axis(component, shape, axis.dimension), axis.set));
        }
        for (node, set) in pins {
            let values = (0..self.sets.sets[set].size).map(|k| (k as i32, (set, k as u8))).collect();
            if let Err(other) = self.name(inference, node, &values) {
                let (a, b) = (&self.sets.sets[other.0], &self.model.declared.sets[set]);
                let message = format!("values of `{}` and of `{}` are mixed", a.name, b.name);
                let mut diagnostic = Diagnostic::error(b.span, message);
                if let Some(a) = self.model.declared.sets.get(other.0) {
                    diagnostic = diagnostic.related(a.span, "the other scalarset");
                }
                if !self.reasons.contains(&diagnostic) {
                    self.reasons.push(diagnostic);
                }
            }
        }
    }

    /// Lets values of a node stand for members; if some stand for others already, gives one of those.
    fn name(&mut self, inference: &Inference, node: NodeId, values: &BTreeMap<i32, Member>) -> Result<(), Member> {
        let (root, own) = inference.classes.find(node);
        let named = self.sets.roots.entry(root).or_default();
        if let Some(other) = values.iter().find_map(|(v, m)| named.get(&(v - own)).filter(|other| *other != m)) {
            return Err(*other);
        }
        named.extend(values.iter().map(|(v, &m)| (v - own, m)));
        Ok(())
    }

    /// Ids of whatever process.
    fn any_process(&mut self, inference: &mut Inference) {
        if inference.any_pid_used {
            for id in 0..self.model.proctypes.len() {
                if self.instances(id).len() > 1 {
                    let (node, span) = (inference.pids[id], self.model.proctypes[id].span);
                    inference.classes.unify(inference.any_pid, node, 0, span);
                    inference.pid_used[id] = true;
                }
            }
        }
    }

    fn instances(&self, proctype: usize) -> Vec<usize> {
        let processes = self.start.state.processes.iter().enumerate();
        processes.filter(|(_, p)| p.proctype == proctype).map(|(pid, _)| pid).collect()
    }

    /// Families of processes.
    fn processes(&mut self, inference: &Inference) {
        for id in 0..self.model.proctypes.len() {
            let pids = self.instances(id);
            if pids.len() < 2 || self.declared_family(id, &pids, inference) {
                continue;
            }
            let mut sources = Vec::new();
            if inference.pid_used[id] {
                let values = pids.iter().map(|&pid| pid as i32).collect();
                sources.push(Source { node: inference.pids[id], values });
            }
            sources.extend(self.telling_slots(id, &pids, inference));
            self.family_of(id, &pids, &sources, inference);
        }
    }

    /// Makes a family of the processes of a type: members are those of a set that has their names already, or of a new one.
    fn family_of(&mut self, id: usize, pids: &[usize], sources: &[Source], inference: &Inference) {
        let known = |source: &Source| -> Option<Vec<Member>> {
            let (root, own) = inference.classes.find(source.node);
            let named = self.sets.roots.get(&root)?;
            source.values.iter().map(|value| named.get(&(value - own)).copied()).collect()
        };
        let whole = |members: &Vec<Member>| {
            let set = members[0].0;
            let all: HashSet<Member> = members.iter().copied().collect();
            all.len() == self.sets.sets[set].size && all.iter().all(|(s, _)| *s == set) && all.len() == pids.len()
        };
        let members = sources.iter().filter_map(known).find(whole).unwrap_or_else(|| {
            let set = self.new_set(id, pids.len());
            let mut order: Vec<usize> = (0..pids.len()).collect();
            if let Some(main) = sources.first() {
                order.sort_by_key(|&at| main.values[at]);
            }
            let rank = |at: usize| order.iter().position(|&other| other == at).unwrap_or(at);
            (0..pids.len()).map(|at| (set, rank(at) as u8)).collect()
        });
        let mut mixed = None;
        for source in sources {
            let values = source.values.iter().copied().zip(members.iter().copied()).collect();
            mixed = mixed.or(self.name(inference, source.node, &values).err());
        }
        if let Some((other, _)) = mixed {
            let name = &self.model.proctypes[id].name;
            let message =
                format!("ids of `{name}` are mixed with those of `{}`, which are others", self.sets.sets[other].name);
            self.reasons.push(self.mild(other, Diagnostic::warning(self.model.proctypes[id].span, message)));
        }
        let processes = pids.iter().copied().zip(members.into_iter().map(|member| vec![member])).collect();
        self.sets.families.push(Family { proctype: id, processes });
    }

    /// A reason about a declared set is an error.
    fn mild(&self, set: SetId, diagnostic: Diagnostic) -> Diagnostic {
        match set < self.sets.declared {
            true => Diagnostic { severity: Severity::Error, ..diagnostic },
            false => diagnostic,
        }
    }

    fn new_set(&mut self, proctype: usize, size: usize) -> SetId {
        let name = self.model.proctypes[proctype].name.clone();
        self.sets.sets.push(Scalarset { name, size, group: Group::Symmetric });
        self.sets.sets.len() - 1
    }

    /// A family whose processes have parameters of declared scalarsets, one process for each combination of members.
    fn declared_family(&mut self, id: usize, pids: &[usize], inference: &Inference) -> bool {
        let slots = &self.model.proctypes[id].slots;
        let member = |slot: usize| match slots[slot].scalar.sort {
            Sort::Member { set } => Some((slot, usize::from(set))),
            _ => None,
        };
        let typed: Vec<(usize, SetId)> = (0..slots.len()).filter_map(member).collect();
        let singles = typed.iter().map(|&one| vec![one]);
        let pairs = typed.iter().enumerate().flat_map(|(i, &a)| typed[i + 1..].iter().map(move |&b| vec![a, b]));
        for choice in singles.chain(pairs) {
            let size: usize = choice.iter().map(|&(_, set)| self.sets.sets[set].size).product();
            let constant = choice.iter().all(|&(slot, _)| self.sets.constants.contains(&(id + 1, slot)));
            if size != pids.len() || !constant {
                continue;
            }
            let tuple = |pid: usize| -> Option<Vec<(SetId, u8)>> {
                let value = |&(slot, set): &(usize, SetId)| {
                    let value = self.start.state.processes[pid].locals[slot];
                    (0..self.sets.sets[set].size as i32).contains(&value).then_some((set, value as u8))
                };
                choice.iter().map(value).collect()
            };
            let Some(tuples) = pids.iter().map(|&pid| tuple(pid)).collect::<Option<Vec<_>>>() else { continue };
            if tuples.iter().collect::<HashSet<_>>().len() == tuples.len() {
                let processes = pids.iter().copied().zip(tuples).collect();
                self.sets.families.push(Family { proctype: id, processes });
                return true;
            }
        }
        if typed.is_empty() || inference.pid_used[id] {
            return false;
        }
        // Processes that share members, or have none: they stay where they are.
        true
    }

    /// Local variables that tell the processes of a family apart in the beginning, parameters first.
    fn telling_slots(&self, id: usize, pids: &[usize], inference: &Inference) -> Vec<Source> {
        let arrays = &inference.arrays[id + 1];
        let mut sources: Vec<Source> = Vec::new();
        for slot in 0..self.model.proctypes[id].slots.len() {
            let node = inference.value(id + 1, slot);
            let scalar = self.model.proctypes[id].slots[slot].scalar;
            let known = sources.iter().any(|s| inference.classes.find(s.node).0 == inference.classes.find(node).0);
            if known
                || scalar.sort == Sort::Channel
                || !arrays.elements[slot].indices.is_empty()
                || (self.strict && plain(inference, node).is_some())
            {
                continue;
            }
            let values: Vec<i32> = pids.iter().map(|&pid| self.start.state.processes[pid].locals[slot]).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            if sorted.windows(2).all(|pair| pair[1] != pair[0]) {
                sources.push(Source { node, values });
            }
        }
        sources
    }

    /// Arrays that only constants index may belong to a set of their length.
    fn guess(&mut self, inference: &Inference) {
        let mut members: HashMap<NodeId, usize> = HashMap::new();
        for values in &inference.values {
            values.iter().for_each(|&v| *members.entry(inference.classes.find(v).0).or_default() += 1);
        }
        for used in &inference.classes.uses {
            *members.entry(inference.classes.find(used.node).0).or_default() += 1;
        }
        let mut axes: Vec<(&(usize, usize, String), &NodeId)> = inference.axes.iter().collect();
        axes.sort();
        for ((component, variable, name), &node) in axes {
            let root = inference.classes.find(node).0;
            if members.contains_key(&root) || self.sets.roots.contains_key(&root) {
                continue;
            }
            let shapes = inference.arrays[*component].shapes.iter().filter(|s| s.variable == *variable);
            let mut lengths = shapes.flat_map(|s| (0..s.lengths.len()).map(move |d| (s.axis(d), s.lengths[d])));
            let length = lengths.find(|(axis, _)| axis == name).map(|(_, length)| length);
            let used = |set: &SetId| self.sets.families.iter().any(|f| f.is_of(*set));
            let fits = |set: &SetId| Some(self.sets.sets[*set].size) == length && used(set);
            if let Some(set) = (0..self.sets.sets.len()).find(fits) {
                let values = (0..self.sets.sets[set].size).map(|k| (k as i32, (set, k as u8)));
                self.sets.roots.insert(root, values.collect());
                self.sets.guesses.push(root);
            }
        }
    }

    /// Channels that the members of a family were given belong to these members, and so do the global variables that they
    /// were created with, if these are not in an array of the set.
    fn channels(&mut self, inference: &Inference) {
        let created = self.model.setup.iter().filter_map(|setup| match setup {
            quotient_ir::Setup::Channel(slot, _) => Some(*slot),
            quotient_ir::Setup::Assign(..) => None,
        });
        let created: Vec<usize> = created.collect();
        for family in &self.sets.families {
            let proctype = &self.model.proctypes[family.proctype];
            for (slot, declared) in proctype.slots.iter().enumerate() {
                if declared.scalar.sort != Sort::Channel || family.processes.iter().any(|(_, m)| m.len() != 1) {
                    continue;
                }
                let given = |pid: usize| {
                    let id = usize::try_from(self.start.state.processes[pid].locals[slot]).ok()?.checked_sub(1)?;
                    let channel = self.start.state.channels.get(id).filter(|c| c.owner.is_none());
                    channel.and_then(|_| created.get(id).copied())
                };
                let holders: Option<Vec<usize>> = family.processes.iter().map(|(pid, _)| given(*pid)).collect();
                let Some(holders) = holders else { continue };
                let in_array = |&holder: &usize| {
                    let element = &inference.arrays[0].elements[holder];
                    let axes = (0..element.indices.len()).map(|d| inference.axis(0, element.shape, d));
                    axes.into_iter().any(|axis| self.sets.roots.contains_key(&inference.classes.find(axis).0))
                };
                let distinct = holders.iter().collect::<HashSet<_>>().len() == holders.len();
                let taken = |holder: &usize| self.sets.owned.contains_key(holder);
                if distinct && !holders.iter().any(in_array) && !holders.iter().any(taken) {
                    let name = format!("{}:{}", proctype.name, declared.name);
                    for (holder, (_, members)) in holders.iter().zip(&family.processes) {
                        self.sets.owned.insert(*holder, (name.clone(), members[0]));
                    }
                }
            }
        }
    }
}

/// The first use of a class that depends on more than which member a value is.
pub fn plain(inference: &Inference, node: NodeId) -> Option<&Used> {
    let root = inference.classes.find(node).0;
    let of_class = |used: &&Used| inference.classes.find(used.node).0 == root;
    inference.classes.uses.iter().filter(of_class).find(|used| matches!(used.how, Use::Plain(_)))
}

/// Whether steps around a ring are made with members of a set.
pub fn is_ring(inference: &Inference, sets: &Sets, set: SetId) -> bool {
    let steps = inference.classes.uses.iter().filter(|used| matches!(used.how, Use::Ring { .. }));
    steps.into_iter().any(|used| sets.is_of(inference, used.node, set))
}

/// Where a set comes from.
pub fn origin(model: &Model, sets: &Sets, set: SetId) -> Span {
    if let Some(declared) = model.declared.sets.get(set) {
        return declared.span;
    }
    sets.families.iter().find(|f| f.is_of(set)).map_or(Span::default(), |f| model.proctypes[f.proctype].span)
}

/// A node in the user's words.
pub fn describe(model: &Model, inference: &Inference, node: NodeId) -> String {
    for (component, values) in inference.values.iter().enumerate() {
        if let Some(shape) = values.iter().position(|&v| v == node) {
            return format!("`{}`", inference.arrays[component].shapes[shape].pattern);
        }
    }
    if let Some(((_, _, axis), _)) = inference.axes.iter().find(|&(_, &n)| n == node) {
        return format!("the index of `{axis}`");
    }
    for (channel, fields) in model.channels.iter().zip(&inference.fields) {
        if let Some(field) = fields.iter().position(|&f| f == node) {
            return format!("field {} of `{}`", field + 1, channel.name);
        }
    }
    if inference.pids.contains(&node) {
        return "`_pid`".to_string();
    }
    "a value".to_string()
}
