//! From classes to scalarsets: which classes stand for the members of a family of processes (or are declared to), and
//! why the others do not.

use std::collections::{HashMap, HashSet};

use quotient_ir::{Expr, Group, Index, Model, Scalar, Scalarset, SetId, Sort};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use crate::classes::{NodeId, Use};
use crate::infer::{Inference, component};
use crate::start::{Start, statements, writes};

/// The scalarsets of a model and what belongs to them.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    /// The sets; those declared come first.
    pub sets: Vec<Scalarset>,
    /// How many of them are declared.
    pub declared: usize,
    /// For the representative of a class: the set, and the value of member 0.
    pub roots: HashMap<NodeId, (SetId, i32)>,
    /// Whether values of a set are always members of it.
    pub defined: Vec<bool>,
    /// Whether steps around a ring are made.
    pub rings: Vec<bool>,
    /// Families of processes.
    pub families: Vec<Family>,
    /// Channel variables that always hold the channel they were created with, by component and slot.
    pub channels: HashSet<(usize, usize)>,
    /// Variables that are never assigned, by component and slot.
    pub constants: HashSet<(usize, usize)>,
    /// Axes that only constants index: they may belong to a set or not.
    pub guesses: Vec<NodeId>,
}

/// Processes of one type that a renaming exchanges.
#[derive(Clone, Debug)]
pub struct Family {
    /// Their type.
    pub proctype: usize,
    /// For every process, in order of ids: its id and its members.
    pub processes: Vec<(usize, Vec<(SetId, u8)>)>,
}

impl Sets {
    /// The set whose members an expression `node + offset` stands for, and the value of member 0.
    pub fn member(&self, inference: &Inference, node: NodeId, offset: i32) -> Option<(SetId, i32)> {
        let (root, own) = inference.classes.find(node);
        self.roots.get(&root).map(|&(set, first)| (set, first + own + offset))
    }

    /// Whether an index is never outside its array.
    pub fn inside(&self, inference: &Inference, proctype: usize, index: &Index) -> bool {
        let Some((node, offset)) = inference.ty(&index.value, proctype) else { return false };
        let Some((set, first)) = self.member(inference, node, offset) else { return false };
        let fits = first >= 0 && first as usize + self.sets[set].size <= index.length;
        let certain = match &index.value {
            Expr::Pid => self.families.iter().any(|f| f.proctype == proctype),
            Expr::Read(place) if place.indices.is_empty() => {
                self.constants.contains(&(component(place.scope, proctype), place.slot))
                    && self.families.iter().any(|f| f.proctype == proctype)
            }
            _ => false,
        };
        fits && (certain || self.defined[set])
    }
}

/// Finds the scalarsets, and the reasons why some families of processes have none.
pub fn find(model: &Model, start: &Start, inference: &mut Inference) -> (Sets, Vec<Diagnostic>) {
    let mut finder = Finder { model, start, sets: Sets::default(), reasons: Vec::new(), fixed: HashSet::new() };
    finder.constants(inference);
    finder.declared(inference);
    finder.named(inference);
    finder.processes(inference);
    finder.check(inference);
    finder.guess(inference);
    (finder.sets, finder.reasons)
}

struct Finder<'a> {
    model: &'a Model,
    start: &'a Start,
    sets: Sets,
    reasons: Vec<Diagnostic>,
    /// Process types whose processes cannot be exchanged.
    fixed: HashSet<usize>,
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
        let constants = &self.sets.constants;
        let holds = |component: usize, slot: usize| match component {
            0 => self.start.state.globals[slot] > 0,
            _ => {
                let of_type = |p: &&quotient_step::reference::Process| p.proctype + 1 == component;
                self.start.state.processes.iter().filter(of_type).all(|p| p.locals[slot] > 0)
            }
        };
        let sort = |component: usize, slot: usize| self.slot(component, slot).sort;
        let lasting = constants.iter().filter(|&&(c, s)| sort(c, s) == Sort::Channel && holds(c, s)).copied();
        self.sets.channels = lasting.collect();
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
        let mut pins: Vec<(NodeId, SetId, i32)> = Vec::new();
        for (component, arrays) in inference.arrays.iter().enumerate() {
            for slot in 0..arrays.elements.len() {
                if let Sort::Member { set, first } = self.slot(component, slot).sort {
                    pins.push((inference.value(component, slot), usize::from(set), i32::from(first)));
                }
            }
        }
        for (ty, channel) in self.model.channels.iter().enumerate() {
            for (field, scalar) in channel.fields.iter().enumerate() {
                if let Sort::Member { set, first } = scalar.sort {
                    pins.push((inference.fields[ty][field], usize::from(set), i32::from(first)));
                }
            }
        }
        for axis in &self.model.declared.axes {
            let component = axis.proctype.map_or(0, |p| p + 1);
            let shape = inference.arrays[component].elements[axis.slot].shape;
            pins.push((inference.axis(component, shape, axis.dimension), axis.set, 0));
        }
        for (node, set, first) in pins {
            let (root, offset) = inference.classes.find(node);
            let pinned = (set, first - offset);
            if let Some(&other) = self.sets.roots.get(&root)
                && other != pinned
            {
                let (a, b) = (&self.model.declared.sets[other.0], &self.model.declared.sets[set]);
                let message = format!("values of `{}` and of `{}` are mixed", a.name, b.name);
                let diagnostic = Diagnostic::error(b.span, message).related(a.span, "the other scalarset");
                if !self.reasons.contains(&diagnostic) {
                    self.reasons.push(diagnostic);
                }
            }
            self.sets.roots.insert(root, pinned);
        }
    }

    /// What names a process or its type's oldest one, and ids of whatever process.
    fn named(&mut self, inference: &mut Inference) {
        if inference.any_pid_used {
            for id in 0..self.model.proctypes.len() {
                if self.instances(id).len() > 1 {
                    let (node, span) = (inference.pids[id], self.model.proctypes[id].span);
                    inference.classes.unify(inference.any_pid, node, 0, span);
                    inference.pid_used[id] = true;
                }
            }
        }
        for (proctype, span) in inference.named.clone() {
            match proctype {
                Some(id) if self.instances(id).len() > 1 => {
                    self.fixed.insert(id);
                    let name = &self.model.proctypes[id].name;
                    let message = format!("the oldest `{name}` is singled out, but there are several");
                    self.reasons.push(Diagnostic::warning(span, message).help(format!("write `{name}[pid]`")));
                }
                Some(_) => {}
                None => {
                    self.fixed.extend(0..self.model.proctypes.len());
                    let message = "`_last` tells which process moved last, by its id";
                    self.reasons.push(Diagnostic::warning(span, message));
                }
            }
        }
    }

    fn instances(&self, proctype: usize) -> Vec<usize> {
        let processes = self.start.state.processes.iter().enumerate();
        processes.filter(|(_, p)| p.proctype == proctype).map(|(pid, _)| pid).collect()
    }

    /// The first use of a class that depends on more than which member a value is.
    fn plain<'i>(&self, inference: &'i Inference, node: NodeId) -> Option<&'i crate::classes::Used> {
        let root = inference.classes.find(node).0;
        let of_class = |used: &&crate::classes::Used| inference.classes.find(used.node).0 == root;
        inference.classes.uses.iter().filter(of_class).find(|used| matches!(used.how, Use::Plain(_)))
    }

    /// Families of processes.
    fn processes(&mut self, inference: &mut Inference) {
        for id in 0..self.model.proctypes.len() {
            let pids = self.instances(id);
            if pids.len() < 2 || self.fixed.contains(&id) {
                continue;
            }
            if self.declared_family(id, &pids, inference) {
                continue;
            }
            let span = self.model.proctypes[id].span;
            let mut sources = Vec::new();
            if inference.pid_used[id] {
                let node = inference.pids[id];
                if let Some(used) = self.plain(inference, node) {
                    let reason = self.because(inference, used, node, id);
                    self.reasons.push(reason);
                    continue;
                }
                sources.push(Source { node, values: pids.iter().map(|&pid| pid as i32).collect() });
            }
            sources.extend(self.telling_slots(id, &pids, inference));
            let Some(main) = sources.first().cloned() else {
                // Nothing refers to these processes: they are exchanged as they are.
                let set = self.new_set(id, pids.len());
                let processes = pids.iter().enumerate().map(|(k, &pid)| (pid, vec![(set, k as u8)])).collect();
                self.sets.families.push(Family { proctype: id, processes });
                continue;
            };
            for other in &sources[1..] {
                let difference = other.values[0] - main.values[0];
                let constant = other.values.iter().zip(&main.values).all(|(a, b)| a - b == difference);
                if constant {
                    inference.classes.unify(other.node, main.node, difference, span);
                }
            }
            self.family_of(id, &pids, &main, inference);
        }
    }

    fn family_of(&mut self, id: usize, pids: &[usize], source: &Source, inference: &Inference) {
        let (root, offset) = inference.classes.find(source.node);
        let lowest = source.values.iter().copied().min().unwrap_or(0);
        let first = lowest - offset;
        let (set, agreed) = match self.sets.roots.get(&root) {
            Some(&(set, known)) => (set, known == first && self.sets.sets[set].size == pids.len()),
            None => {
                let set = self.new_set(id, pids.len());
                self.sets.roots.insert(root, (set, first));
                (set, true)
            }
        };
        if !agreed {
            let name = &self.model.proctypes[id].name;
            let other = &self.sets.sets[set];
            let message = format!("ids of `{name}` are mixed with those of `{}`, which are others", other.name);
            self.reasons.push(self.mild(set, Diagnostic::warning(self.model.proctypes[id].span, message)));
            return;
        }
        let member = |value: i32| vec![(set, (value - lowest) as u8)];
        let processes = pids.iter().zip(&source.values).map(|(&pid, &value)| (pid, member(value))).collect();
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
            Sort::Member { set, .. } => Some((slot, usize::from(set))),
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
                || self.plain(inference, node).is_some()
            {
                continue;
            }
            let values: Vec<i32> = pids.iter().map(|&pid| self.start.state.processes[pid].locals[slot]).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            if sorted.windows(2).all(|pair| pair[1] == pair[0] + 1) {
                sources.push(Source { node, values });
            }
        }
        sources
    }

    /// Why processes of a type cannot be exchanged, from the use that gives their ids more meaning.
    fn because(&self, inference: &Inference, used: &crate::classes::Used, node: NodeId, id: usize) -> Diagnostic {
        let name = &self.model.proctypes[id].name;
        let what = describe(self.model, inference, used.node);
        let how = match &used.how {
            Use::Plain(how) => how.as_str(),
            _ => "has more meaning than which member it is",
        };
        let source = describe(self.model, inference, node);
        let inferred = if what == source {
            format!("it tells processes `{name}` apart")
        } else {
            format!("values of {source} of `{name}`, which tells these processes apart, get there")
        };
        Diagnostic::warning(used.span, format!("{what} {how}"))
            .label("depends on more than which process it is")
            .related(self.model.proctypes[id].span, inferred)
            .help("compare ids with `==` and `!=` only, and use them as indices; use another variable for numbers")
    }

    /// Checks that the classes of each set are used as such; drops the sets that are not.
    fn check(&mut self, inference: &Inference) {
        let count = self.sets.sets.len();
        self.sets.defined = vec![true; count];
        self.sets.rings = vec![false; count];
        let mut failed: HashMap<SetId, Diagnostic> = HashMap::new();
        let classes = &inference.classes;
        for used in &classes.uses {
            let Some((set, first)) = self.sets.member(inference, used.node, used.offset) else { continue };
            let size = self.sets.sets[set].size as i32;
            let what = describe(self.model, inference, used.node);
            let name = &self.sets.sets[set].name;
            let inferred = self.origin(inference, set);
            let mut fail = |message: String, help: &str| {
                let diagnostic = Diagnostic::warning(used.span, message)
                    .related(inferred, format!("{what} stands for one of `{name}`"))
                    .help(help);
                failed.entry(set).or_insert(diagnostic);
            };
            let range = first..first + size;
            match &used.how {
                Use::Plain(how) => fail(
                    format!("{what} {how}"),
                    "members may only be compared with `==` and `!=`, assigned, sent, and used as indices",
                ),
                Use::Truth if range.contains(&0) => {
                    fail(
                        format!("{what} is used as a truth value, but 0 is a member"),
                        "compare it with a value that is not a member",
                    );
                }
                Use::Truth => {}
                Use::Literal(value) => {
                    if !range.contains(value) {
                        self.sets.defined[set] = false;
                    }
                }
                Use::Ring { modulus, .. } => {
                    self.sets.rings[set] = true;
                    if *modulus != size || first != 0 {
                        fail(
                            format!(
                                "{what} is computed with, modulo {modulus}, but the members are {first} to {}",
                                first + size - 1
                            ),
                            "steps around a ring of n members are written `(i + 1) % n` with members from 0 on",
                        );
                    }
                }
            }
        }
        self.check_start(inference);
        for (set, ring) in self.sets.rings.clone().into_iter().enumerate() {
            if ring && !self.sets.defined[set] && !failed.contains_key(&set) {
                let span = classes.uses.iter().find(|u| {
                    matches!(u.how, Use::Ring { .. })
                        && self.sets.member(inference, u.node, 0).is_some_and(|m| m.0 == set)
                });
                let span = span.map_or(self.origin(inference, set), |u| u.span);
                let message = "a step around the ring is made from values that may stand for no member";
                failed.insert(set, Diagnostic::warning(span, message));
            }
        }
        self.check_sizes(inference, &mut failed);
        let mut failed: Vec<(SetId, Diagnostic)> = failed.into_iter().collect();
        failed.sort_by_key(|(set, _)| *set);
        for (set, diagnostic) in failed {
            self.reasons.push(self.mild(set, diagnostic));
            self.sets.roots.retain(|_, (other, _)| *other != set);
            self.sets.families.retain(|f| f.processes.iter().all(|(_, m)| m.iter().all(|(s, _)| *s != set)));
        }
    }

    /// Where a set comes from.
    fn origin(&self, _inference: &Inference, set: SetId) -> Span {
        if let Some(declared) = self.model.declared.sets.get(set) {
            return declared.span;
        }
        let of_set = |f: &&Family| f.processes.iter().any(|(_, m)| m.iter().any(|(s, _)| *s == set));
        self.sets.families.iter().find(of_set).map_or(Span::default(), |f| self.model.proctypes[f.proctype].span)
    }

    /// Whether variables of a set hold members of it in the beginning.
    fn check_start(&mut self, inference: &Inference) {
        let mut held: Vec<(NodeId, i32)> = Vec::new();
        for (slot, &value) in self.start.state.globals.iter().enumerate() {
            held.push((inference.value(0, slot), value));
        }
        for (pid, process) in self.start.state.processes.iter().enumerate() {
            held.push((inference.pids[process.proctype], pid as i32));
            for (slot, &value) in process.locals.iter().enumerate() {
                held.push((inference.value(process.proctype + 1, slot), value));
            }
        }
        for (node, value) in held {
            if let Some((set, first)) = self.sets.member(inference, node, 0)
                && !(first..first + self.sets.sets[set].size as i32).contains(&value)
            {
                self.sets.defined[set] = false;
            }
        }
    }

    /// Whether variables are wide enough and arrays long enough for all members.
    fn check_sizes(&self, inference: &Inference, failed: &mut HashMap<SetId, Diagnostic>) {
        let mut literals: HashMap<NodeId, i32> = HashMap::new();
        for used in &inference.classes.uses {
            if let Use::Literal(value) = used.how {
                let (root, own) = inference.classes.find(used.node);
                let value = value - used.offset - own;
                let highest = literals.entry(root).or_insert(value);
                *highest = value.max(*highest);
            }
        }
        let mut check = |node: NodeId, scalar: Scalar, name: &str| {
            let Some((set, first)) = self.sets.member(inference, node, 0) else { return };
            let (root, own) = inference.classes.find(node);
            let last = first + self.sets.sets[set].size as i32 - 1;
            let highest = literals.get(&root).map_or(last, |&l| last.max(l + own));
            if scalar.truncate(highest) != highest || scalar.truncate(first) != first || !(0..=255).contains(&first) {
                let message = format!("{name} cannot hold all values from {first} to {highest}");
                failed.entry(set).or_insert_with(|| Diagnostic::warning(self.origin(inference, set), message));
            }
        };
        for (component, arrays) in inference.arrays.iter().enumerate() {
            for slot in 0..arrays.elements.len() {
                let name = match component {
                    0 => &self.model.globals[slot].name,
                    _ => &self.model.proctypes[component - 1].slots[slot].name,
                };
                check(inference.value(component, slot), self.slot(component, slot), &format!("`{name}`"));
            }
        }
        for (ty, channel) in self.model.channels.iter().enumerate() {
            for (field, &scalar) in channel.fields.iter().enumerate() {
                check(inference.fields[ty][field], scalar, &format!("a field of channel `{}`", channel.name));
            }
        }
        for (component, arrays) in inference.arrays.iter().enumerate() {
            for (number, shape) in arrays.shapes.iter().enumerate() {
                for (dimension, &length) in shape.lengths.iter().enumerate() {
                    let axis = inference.axis(component, number, dimension);
                    let Some((set, first)) = self.sets.member(inference, axis, 0) else { continue };
                    let end = first + self.sets.sets[set].size as i32;
                    if first < 0 || end as usize > length {
                        let message = format!(
                            "`{}` has {length} elements, but its indices are {first} to {}",
                            shape.axis(dimension),
                            end - 1
                        );
                        failed.entry(set).or_insert_with(|| Diagnostic::warning(self.origin(inference, set), message));
                    }
                }
            }
        }
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
            let used = |set: &SetId| self.sets.families.iter().any(|f| f.processes[0].1.iter().any(|(s, _)| s == set));
            let fits = |set: &SetId| Some(self.sets.sets[*set].size) == length && used(set);
            if let Some(set) = (0..self.sets.sets.len()).find(fits) {
                self.sets.roots.insert(root, (set, 0));
                self.sets.guesses.push(root);
            }
        }
    }
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
