//! Renamings of states of the reference interpreter: the meaning of a [`Symmetry`], written to be read. Representative
//! functions do the same on bytes; tests hold them to this.

use std::collections::{BTreeMap, HashMap};

use quotient_ir::{Element, Model, NamesId, Position, SetId, Sort, Symmetry};
use quotient_step::reference::{Process, State};

/// A permutation for each scalarset: member `k` of set `s` becomes `permutations[s][k]`.
pub type Permutations = Vec<Vec<u8>>;

/// What a renaming does to everything that a state is made of. Each vector says where an element goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// Global variable slots.
    pub globals: Vec<usize>,
    /// Local variable slots, by process type.
    pub locals: Vec<Vec<usize>>,
    /// Channels, in order of ids from one.
    pub channels: Vec<usize>,
    /// Processes.
    pub processes: Vec<usize>,
    /// Control states, by process type.
    pub controls: Vec<Vec<usize>>,
    /// Values that change, for each way of naming members.
    pub names: Vec<BTreeMap<i32, i32>>,
}

/// The permutations that change nothing.
pub fn identity(symmetry: &Symmetry) -> Permutations {
    symmetry.sets.iter().map(|set| (0..set.size as u8).collect()).collect()
}

/// The identity but for one set.
pub fn permutations(symmetry: &Symmetry, set: SetId, permutation: &[u8]) -> Permutations {
    let mut permutations = identity(symmetry);
    permutations[set] = permutation.to_vec();
    permutations
}

impl Renaming {
    /// What some permutations do to the states of a model.
    pub fn new(model: &Model, symmetry: &Symmetry, permutations: &Permutations) -> Self {
        let positions = |elements: &[Element]| elements.iter().map(|e| e.position.clone()).collect::<Vec<_>>();
        let within = |positions: Vec<Position>, length: usize| match positions.is_empty() {
            true => (0..length).collect(),
            false => targets(&positions, permutations),
        };
        let of_types = |at: usize| symmetry.locals.get(at).map_or(Vec::new(), |locals| positions(locals));
        let controls = |at: usize| symmetry.controls.get(at).cloned().unwrap_or_default();
        let types = model.proctypes.iter().enumerate();
        Renaming {
            globals: within(positions(&symmetry.globals), model.globals.len()),
            locals: types.clone().map(|(id, p)| within(of_types(id), p.slots.len())).collect(),
            channels: targets(&symmetry.channels, permutations),
            processes: targets(&symmetry.processes, permutations),
            controls: types.map(|(id, p)| within(controls(id), p.states.len())).collect(),
            names: symmetry
                .names
                .iter()
                .map(|names| {
                    let renamed = |&(value, set, k): &(i32, SetId, u8)| {
                        let image = names.value((set, permutations[set][usize::from(k)])).unwrap_or(value);
                        (value != image).then_some((value, image))
                    };
                    names.values.iter().filter_map(renamed).collect()
                })
                .collect(),
        }
    }

    /// What a value becomes.
    pub fn value(&self, sort: Sort, names: Option<NamesId>, value: i32) -> i32 {
        match (names, sort) {
            (Some(names), _) => self.names[names].get(&value).copied().unwrap_or(value),
            (None, Sort::Channel) => self.channel(value),
            (None, Sort::Plain | Sort::Process | Sort::Ref | Sort::Member { .. }) => value,
        }
    }

    /// What the id of a channel becomes.
    pub fn channel(&self, id: i32) -> i32 {
        let at = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        at.and_then(|at| self.channels.get(at)).map_or(id, |&to| to as i32 + 1)
    }

    /// What the id of a process becomes.
    pub fn process(&self, id: i32) -> i32 {
        usize::try_from(id).ok().and_then(|id| self.processes.get(id)).map_or(id, |&to| to as i32)
    }

    /// Renames a state. It must be one to which the symmetry applies.
    pub fn act(&self, model: &Model, symmetry: &Symmetry, state: &State) -> State {
        let names = |elements: &[Element], slot: usize| elements.get(slot).and_then(|e| e.names);
        let mut renamed = state.clone();
        for (slot, &to) in self.globals.iter().enumerate() {
            let sort = model.globals[slot].scalar.sort;
            renamed.globals[to] = self.value(sort, names(&symmetry.globals, slot), state.globals[slot]);
        }
        for (process, from) in state.processes.iter().enumerate() {
            let Process { proctype, control, priority, locals, callers } = from;
            let elements = symmetry.locals.get(*proctype).map_or(&[][..], |locals| locals);
            let mut moved = locals.clone();
            for (slot, &to) in self.locals[*proctype].iter().enumerate() {
                let sort = model.proctypes[*proctype].slots[slot].scalar.sort;
                moved[to] = self.value(sort, names(elements, slot), locals[slot]);
            }
            let control = self.controls[*proctype].get(*control).copied().unwrap_or(*control);
            let process = self.processes.get(process).copied().unwrap_or(process);
            let (proctype, priority, callers) = (*proctype, *priority, callers.clone());
            renamed.processes[process] = Process { proctype, control, priority, locals: moved, callers };
        }
        for (channel, from) in state.channels.iter().enumerate() {
            let fields = &model.channels[from.ty].fields;
            let named = |field: usize| symmetry.fields.get(from.ty).and_then(|f| f.get(field).copied().flatten());
            let rename = |message: &Vec<i32>| {
                let values = message.iter().zip(fields).enumerate();
                values.map(|(at, (&value, field))| self.value(field.sort, named(at), value)).collect()
            };
            // A channel lives and dies with its place, not with its content.
            let to = self.channels.get(channel).copied().unwrap_or(channel);
            renamed.channels[to].messages = from.messages.iter().map(rename).collect();
        }
        if model.uses.last {
            renamed.last = self.process(state.last as i32) as usize;
        }
        renamed
    }
}

/// Renames a state by permutations. It must be one to which the symmetry applies.
pub fn act(model: &Model, symmetry: &Symmetry, permutations: &Permutations, state: &State) -> State {
    Renaming::new(model, symmetry, permutations).act(model, symmetry, state)
}

/// Whether a state has all the processes and channels that change places, and is one that may be renamed. Others may have
/// gone.
pub fn applies(symmetry: &Symmetry, state: &State) -> bool {
    let needed = |positions: &[Position]| positions.iter().rposition(|p| !p.members.is_empty()).map_or(0, |at| at + 1);
    is_steady(symmetry, state)
        && state.processes.len() >= needed(&symmetry.processes)
        && state.channels.len() >= needed(&symmetry.channels)
}

/// Whether a state is one that may be renamed, once all processes exist.
pub fn is_steady(symmetry: &Symmetry, state: &State) -> bool {
    symmetry.steady.as_ref().is_none_or(|steady| {
        let process = state.processes.get(steady.process);
        process.is_none_or(|p| steady.controls.get(p.control).copied().unwrap_or(false))
    })
}

/// A state with zero in everything that nobody will read.
pub fn forget(symmetry: &Symmetry, state: &State) -> State {
    let mut state = state.clone();
    for &slot in &symmetry.unread.globals {
        state.globals[slot] = 0;
    }
    for process in &mut state.processes {
        let unread = symmetry.unread.locals.get(process.proctype).and_then(|of_type| of_type.get(process.control));
        for &slot in unread.into_iter().flatten() {
            process.locals[slot] = 0;
        }
    }
    state
}

/// Generators of the group of a symmetry.
pub fn generators(symmetry: &Symmetry) -> Vec<Permutations> {
    let mut all = Vec::new();
    for (set, scalarset) in symmetry.sets.iter().enumerate() {
        let of_set = crate::generators(scalarset.group, scalarset.size);
        all.extend(of_set.iter().map(|permutation| permutations(symmetry, set, permutation)));
    }
    all
}

/// Where each element goes.
pub fn targets(positions: &[Position], permutations: &Permutations) -> Vec<usize> {
    let at: HashMap<&Position, usize> = positions.iter().enumerate().map(|(i, p)| (p, i)).collect();
    positions
        .iter()
        .enumerate()
        .map(|(own, position)| {
            if position.members.is_empty() {
                return own;
            }
            let members = position.members.iter().map(|&(set, k)| (set, permutations[set][usize::from(k)])).collect();
            at.get(&Position { class: position.class, members }).copied().unwrap_or(own)
        })
        .collect()
}
