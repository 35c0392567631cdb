//! Random models with every kind of symmetry, and random states of them. The models do nothing: a renaming looks at
//! states only.

#![allow(dead_code)]

pub(crate) use quotient_generate::random::Random;
use quotient_ir::{
    ChannelType, Element, Group, Instance, Model, Names, NamesId, Position, Proctype, ProctypeKind, Scalar, Scalarset,
    SetId, Setup, Slot, Sort, State as Control, Steady, Symmetry, Width,
};
use quotient_report::source::Span;
use quotient_step::reference::{Channel, Process, State};
use quotient_symmetry::act::{Permutations, targets};

/// The most renamings that a model has.
const MOST_RENAMINGS: usize = 72;

struct Maker<'r> {
    random: &'r mut Random,
    model: Model,
    symmetry: Symmetry,
    classes: u32,
}

/// A random model with its symmetry.
pub(crate) fn model(random: &mut Random) -> Model {
    let mut maker = Maker { random, model: Model::default(), symmetry: Symmetry::default(), classes: 0 };
    maker.sets();
    maker.globals();
    for _ in 0..1 + maker.random.below(3) {
        maker.proctype();
    }
    maker.processes();
    maker.model.uses.last = maker.random.chance(50);
    maker.model.uses.priority = maker.random.chance(30);
    maker.steady();
    maker.unread();
    maker.model.symmetry = Some(maker.symmetry);
    maker.model
}

impl Maker<'_> {
    fn sets(&mut self) {
        while self.symmetry.sets.is_empty() || renamings(&self.symmetry).len() > MOST_RENAMINGS {
            self.symmetry.sets.clear();
            for number in 0..1 + self.random.below(3) {
                let group = [Group::Symmetric, Group::Symmetric, Group::Cyclic, Group::Dihedral][self.random.below(4)];
                let (name, size) = (format!("S{number}"), 1 + self.random.below(5));
                self.symmetry.sets.push(Scalarset { name, size, group });
            }
        }
    }

    fn class(&mut self) -> u32 {
        self.classes += 1;
        self.classes
    }

    /// The sets that index something.
    fn indices(&mut self) -> Vec<SetId> {
        let count = [0, 1, 1, 1, 2][self.random.below(5)];
        (0..count).map(|_| self.random.below(self.symmetry.sets.len())).collect()
    }

    /// Positions of all elements that some sets index, in any order.
    fn class_of(&mut self, indices: &[SetId]) -> Vec<Position> {
        let class = self.class();
        let mut all = vec![Vec::new()];
        for &set in indices {
            let size = self.symmetry.sets[set].size as u8;
            all = all
                .iter()
                .flat_map(|members: &Vec<(SetId, u8)>| (0..size).map(move |k| [&members[..], &[(set, k)]].concat()))
                .collect();
        }
        self.random.shuffle(&mut all);
        all.into_iter().map(|members| Position { class, members }).collect()
    }

    /// A type that can hold the names of all members of some sets, with a table of them.
    fn named(&mut self) -> (Scalar, Option<NamesId>) {
        let mut sets: Vec<SetId> = (0..self.symmetry.sets.len()).collect();
        self.random.shuffle(&mut sets);
        sets.truncate(1 + self.random.below(2));
        let mut members: Vec<(SetId, u8)> = Vec::new();
        for &set in &sets {
            members.extend((0..self.symmetry.sets[set].size as u8).map(|k| (set, k)));
        }
        let count = members.len() as i32;
        let bits = 32 - (count as u32 - 1).leading_zeros();
        let (width, first, gap) = match self.random.below(8) {
            0 if count <= 2 => (Width::Bit, 0, 1),
            1 => (Width::Unsigned(bits.max(1) as u8), 0, 1),
            2 => (Width::Unsigned(20), 1 << 19, 1 + 2 * self.random.below(2) as i64),
            3 => (Width::Short, -2, 1),
            4 => (Width::Short, -32768, 7000),
            5 => (Width::Int, i32::MIN, 400_000_000),
            6 => (Width::Int, -1, 1),
            _ => (Width::Byte, self.random.below(100) as i32, 1 + self.random.below(15) as i64),
        };
        // A run of one set in order is what is usual.
        if !self.random.chance(30) {
            self.random.shuffle(&mut members);
        }
        let values = members
            .iter()
            .enumerate()
            .map(|(at, &(set, k))| ((i64::from(first) + at as i64 * gap) as i32, set, k))
            .collect();
        self.symmetry.names.push(Names { values });
        (Scalar::plain(width), Some(self.symmetry.names.len() - 1))
    }

    fn scalar(&mut self) -> (Scalar, Option<NamesId>) {
        match self.random.below(10) {
            0..5 => self.named(),
            5 => (Scalar::CHANNEL, None),
            6 => (Scalar::plain(Width::Short), None),
            7 => (Scalar::plain(Width::Bit), None),
            8 => (Scalar { width: Width::Byte, sort: Sort::Process }, None),
            _ => (Scalar::plain(Width::Byte), None),
        }
    }

    /// Some arrays of variables.
    fn variables(&mut self, most: usize) -> (Vec<Slot>, Vec<Element>) {
        let mut all = Vec::new();
        for _ in 0..self.random.below(most + 1) {
            let indices = self.indices();
            let (scalar, names) = self.scalar();
            for position in self.class_of(&indices) {
                all.push((slot(scalar), Element { position, names }));
            }
        }
        if self.random.chance(60) {
            self.random.shuffle(&mut all);
        }
        all.into_iter().unzip()
    }

    fn channel_type(&mut self) -> usize {
        let mut fields = Vec::new();
        let mut names = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let (scalar, table) = self.scalar();
            fields.push(scalar);
            names.push(table);
        }
        let mtypes = vec![None; fields.len()];
        let capacity = [0, 1, 2, 2, 300][self.random.below(5)];
        self.model.channels.push(ChannelType { name: "c".to_string(), capacity, fields, mtypes });
        self.symmetry.fields.push(names);
        self.model.channels.len() - 1
    }

    fn globals(&mut self) {
        (self.model.globals, self.symmetry.globals) = self.variables(4);
        let mut channels = Vec::new();
        for _ in 0..self.random.below(3) {
            let (ty, indices) = (self.channel_type(), self.indices());
            let class = self.class();
            for position in self.class_of(&indices) {
                let of_channel = Position { class, members: position.members.clone() };
                channels.push((ty, of_channel, self.model.globals.len()));
                self.model.globals.push(slot(Scalar::CHANNEL));
                self.symmetry.globals.push(Element { position, names: None });
            }
        }
        self.random.shuffle(&mut channels);
        for (ty, position, slot) in channels {
            self.model.setup.push(Setup::Channel(slot, ty));
            self.symmetry.channels.push(position);
        }
    }

    fn proctype(&mut self) {
        let (mut slots, mut elements) = self.variables(3);
        let mut setup = Vec::new();
        if self.random.chance(30) {
            let ty = self.channel_type();
            setup.push(Setup::Channel(slots.len(), ty));
            let class = self.class();
            slots.push(slot(Scalar::CHANNEL));
            elements.push(Element { position: Position { class, members: Vec::new() }, names: None });
        }
        let controls = self.controls();
        let mut states = Vec::new();
        for _ in &controls {
            states.push(Control { number: self.random.below(20) as u32, ..Control::default() });
        }
        self.symmetry.locals.push(elements);
        self.symmetry.controls.push(controls);
        self.model.proctypes.push(proctype(self.model.proctypes.len(), slots, setup, states));
    }

    /// Control states: some stay, some are those of a member, some of two members that differ.
    fn controls(&mut self) -> Vec<Position> {
        let staying = if self.random.chance(10) { 300 } else { 1 + self.random.below(3) };
        let mut all = vec![Position { class: self.class(), members: Vec::new() }; staying];
        for _ in 0..self.random.below(3) {
            let indices = self.indices();
            let mut moving = self.class_of(&indices);
            if let [a, b] = indices[..]
                && a == b
            {
                moving.retain(|position| position.members[0] != position.members[1]);
            }
            all.extend(moving);
        }
        self.random.shuffle(&mut all);
        all
    }

    fn processes(&mut self) {
        let mut all = Vec::new();
        for proctype in 0..self.model.proctypes.len() {
            let indices = self.indices();
            all.extend(self.class_of(&indices).into_iter().map(|position| (proctype, position)));
            if self.random.chance(30) {
                all.extend(self.class_of(&[]).into_iter().map(|position| (proctype, position)));
            }
        }
        self.random.shuffle(&mut all);
        for (proctype, position) in all {
            self.model.initial.push(Instance { proctype, priority: 1 });
            for step in &self.model.proctypes[proctype].setup {
                if let Setup::Channel(..) = step {
                    // Channels of one family are one class; a process that stays has its own.
                    let class = 100_000 * (proctype as u32 + 1) + position.class;
                    self.symmetry.channels.push(Position { class, members: position.members.clone() });
                }
            }
            self.symmetry.processes.push(position);
        }
    }

    fn steady(&mut self) {
        let lone = (0..self.model.initial.len()).find(|&id| self.symmetry.processes[id].members.is_empty());
        let Some(process) = lone.filter(|_| self.random.chance(25)) else { return };
        let controls = &self.symmetry.controls[self.model.initial[process].proctype];
        let mut flags = Vec::new();
        for position in controls {
            // A renaming does not change whether a state is renamed.
            flags.push(if position.members.is_empty() { self.random.chance(70) } else { position.class % 3 != 0 });
        }
        self.symmetry.steady = Some(Steady { process, controls: flags });
    }

    /// Whether a field can hold a value that is nobody's name.
    fn has_neutral(&self, scalar: Scalar, element: &Element) -> bool {
        let names = element.names.map(|names| &self.symmetry.names[names]);
        (0..256).any(|v| scalar.truncate(v) == v && names.is_none_or(|names| names.member(v).is_none()))
    }

    fn unread(&mut self) {
        if self.random.chance(40) {
            return;
        }
        let all = renamings(&self.symmetry);
        let mut globals = Vec::new();
        for slot in 0..self.model.globals.len() {
            let element = &self.symmetry.globals[slot];
            if self.has_neutral(self.model.globals[slot].scalar, element) && element.position.class.is_multiple_of(3) {
                globals.push(slot);
            }
        }
        self.symmetry.unread.globals = globals;
        for ty in 0..self.model.proctypes.len() {
            let (slots, elements) = (&self.model.proctypes[ty].slots, &self.symmetry.locals[ty]);
            let mut unread = vec![Vec::new(); self.model.proctypes[ty].states.len()];
            let positions: Vec<Position> = elements.iter().map(|element| element.position.clone()).collect();
            for _ in 0..self.random.below(8) {
                let (control, slot) = (self.random.below(unread.len()), self.random.below(slots.len()));
                if slots.is_empty() || !self.has_neutral(slots[slot].scalar, &elements[slot]) {
                    continue;
                }
                for renaming in &all {
                    let control = targets(&self.symmetry.controls[ty], renaming)[control];
                    let slot = targets(&positions, renaming)[slot];
                    if !unread[control].contains(&slot) {
                        unread[control].push(slot);
                    }
                }
            }
            self.symmetry.unread.locals.push(unread);
        }
    }
}

/// A process type that does nothing.
pub(crate) fn proctype(number: usize, slots: Vec<Slot>, setup: Vec<Setup>, states: Vec<Control>) -> Proctype {
    let empty = Proctype::new(format!("P{number}"), ProctypeKind::Process, Span::default());
    Proctype { slots, setup, states, ..empty }
}

/// A variable of a type.
pub(crate) fn slot(scalar: Scalar) -> Slot {
    Slot { name: "v".to_string(), scalar, mtype: None, hidden: false, private: false, boxed: false }
}

/// A random state.
pub(crate) fn state(random: &mut Random, model: &Model) -> State {
    let symmetry = model.symmetry.as_ref().expect("a symmetry");
    let setups = [&model.setup].into_iter().chain(model.initial.iter().map(|i| &model.proctypes[i.proctype].setup));
    let mut created: Vec<(usize, Option<usize>)> = Vec::new();
    for (number, setup) in setups.enumerate() {
        created.extend(setup.iter().filter_map(|step| match step {
            Setup::Channel(_, ty) => Some((*ty, number.checked_sub(1))),
            Setup::Assign(..) => None,
        }));
    }
    let ids = created.len();
    let mut of = |scalar, names| value(random, symmetry, scalar, names, ids);
    let globals = model.globals.iter().zip(&symmetry.globals).map(|(slot, e)| of(slot.scalar, e.names)).collect();
    let mut processes = Vec::new();
    for &Instance { proctype, .. } in &model.initial {
        let (slots, elements) = (&model.proctypes[proctype].slots, &symmetry.locals[proctype]);
        let locals = slots.iter().zip(elements).map(|(s, e)| value(random, symmetry, s.scalar, e.names, ids)).collect();
        let control = random.below(model.proctypes[proctype].states.len());
        let priority = if model.uses.priority { 1 + random.below(2) as u8 } else { 1 };
        processes.push(Process { proctype, control, priority, locals, callers: Vec::new() });
    }
    let mut channels = Vec::new();
    for (ty, owner) in created {
        let ChannelType { capacity, fields, .. } = &model.channels[ty];
        let mut messages = Vec::new();
        for _ in 0..random.below((*capacity).min(3) + 1) {
            let fields = fields.iter().zip(&symmetry.fields[ty]);
            messages.push(fields.map(|(&scalar, &names)| value(random, symmetry, scalar, names, ids)).collect());
        }
        channels.push(Channel { ty, owner, messages });
    }
    let last = if model.uses.last { random.below(processes.len()) } else { 0 };
    State { globals, processes, channels, last, event: 0, rests: false, heap: Default::default() }
}

/// A random value of a type.
fn value(random: &mut Random, symmetry: &Symmetry, scalar: Scalar, names: Option<NamesId>, ids: usize) -> i32 {
    match names.map(|names| &symmetry.names[names].values) {
        Some(values) if random.chance(70) => values[random.below(values.len())].0,
        Some(values) => scalar.truncate(values[random.below(values.len())].0.wrapping_add(1)),
        None if scalar.sort == Sort::Channel => random.below(ids + 2) as i32,
        None if random.chance(10) => scalar.truncate(random.below(70_000) as i32 - 1000),
        None => random.below(2) as i32,
    }
}

/// The same state, but for what nobody will read.
pub(crate) fn scramble(random: &mut Random, model: &Model, state: &State) -> State {
    let symmetry = model.symmetry.as_ref().expect("a symmetry");
    let mut scrambled = state.clone();
    for &slot in &symmetry.unread.globals {
        let (scalar, names) = (model.globals[slot].scalar, symmetry.globals[slot].names);
        scrambled.globals[slot] = value(random, symmetry, scalar, names, state.channels.len());
    }
    for process in &mut scrambled.processes {
        let ty = process.proctype;
        let unread = symmetry.unread.locals.get(ty).map_or(&[][..], |by_control| &by_control[process.control]);
        for &slot in unread {
            let (scalar, names) = (model.proctypes[ty].slots[slot].scalar, symmetry.locals[ty][slot].names);
            process.locals[slot] = value(random, symmetry, scalar, names, state.channels.len());
        }
    }
    scrambled
}

/// Every renaming of a symmetry.
pub(crate) fn renamings(symmetry: &Symmetry) -> Vec<Permutations> {
    let mut all = vec![Permutations::new()];
    for set in &symmetry.sets {
        let n = set.size as u8;
        let rotations = (0..n).map(|by| (0..n).map(|m| (m + by) % n).collect());
        let own: Vec<Vec<u8>> = match set.group {
            Group::Symmetric => permutations(n),
            Group::Cyclic => rotations.collect(),
            Group::Dihedral => rotations.chain((0..n).map(|by| (0..n).map(|m| (by + n - m) % n).collect())).collect(),
        };
        all = all
            .iter()
            .flat_map(|head| own.iter().map(move |tail| [&head[..], std::slice::from_ref(tail)].concat()))
            .collect();
    }
    all
}

fn permutations(n: u8) -> Vec<Vec<u8>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |shorter: Vec<u8>| {
        (0..n as usize).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, n - 1);
            longer
        })
    };
    permutations(n - 1).into_iter().flat_map(insert).collect()
}
