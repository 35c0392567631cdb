//! The strategy `canonical`: a state becomes a structure of points (the members) with colours, edges, relations and
//! facts, and a canonical labelling of the structure names the representative.
//!
//! Plain data of a member is in its colour; a name that a member's variable holds is an edge; plain data of two members
//! is a relation; whatever else names several members is a fact. Names in variables that no renaming moves are colours
//! of those named. Colours are hashes: a collision could give an orbit a second representative, never two orbits one.

use quotient_group::{Canonizer, Group, Point, RelationId, Sort, Structure};
use quotient_ir::Group as Renamings;

use crate::plan::code::Coded;
use crate::plan::{Axis, Block, Ids, Member, Plan, read};

/// Tells the labels of coded fields from all others.
const CODES: u64 = 1 << 63;

/// Labels states that have one plan.
#[derive(Clone, Debug)]
pub(crate) struct Labeller {
    structure: Structure,
    /// The point of each vertex.
    points: Vec<Point>,
    /// For each block that two members index, the relation of its plain data.
    relations: Vec<Option<RelationId>>,
    /// The members that are together in the fact under construction.
    fact: Vec<Point>,
}

impl Labeller {
    pub(crate) fn new(plan: &Plan) -> Self {
        let sorts: Vec<Sort> = plan
            .sets
            .iter()
            .map(|set| Sort {
                size: set.size,
                group: match set.group {
                    Renamings::Symmetric => Group::Symmetric,
                    Renamings::Cyclic => Group::Cyclic,
                    Renamings::Dihedral => Group::Dihedral,
                },
            })
            .collect();
        let mut structure = Structure::new(&sorts);
        let relations = plan.blocks.iter().map(|block| match block.axes[..] {
            [rows, columns] => Some(structure.add_relation(rows.set, columns.set)),
            _ => None,
        });
        let relations = relations.collect();
        let points = (0..sorts.len())
            .flat_map(|sort| (0..sorts[sort].size).map(move |member| (sort, member)))
            .map(|(sort, member)| structure.point(sort, member))
            .collect();
        Labeller { structure, points, relations, fact: Vec::new() }
    }

    /// Finds the renaming that takes a state to its representative; tells whether the representative is the only one of
    /// its orbit.
    pub(crate) fn label(&mut self, plan: &Plan, canonizer: &mut Canonizer, state: &[u8], images: &mut Vec<u8>) -> bool {
        self.describe(plan, state);
        let labelling = canonizer.canonize(&self.structure);
        images.clear();
        for sort in 0..plan.sets.len() {
            images.extend_from_slice(labelling.images(sort));
        }
        labelling.is_canonical()
    }

    /// For each vertex, a number that no renaming changes: members of different colours never become each other without a
    /// difference.
    pub(crate) fn colours(&mut self, plan: &Plan, state: &[u8]) -> Vec<u64> {
        self.describe(plan, state);
        self.points.iter().map(|&point| *self.structure.colour_mut(point)).collect()
    }

    /// Turns a state into a structure.
    fn describe(&mut self, plan: &Plan, state: &[u8]) {
        self.structure.clear();
        for (number, block) in plan.blocks.iter().enumerate() {
            let seed = (number as u64 + 1) << 32;
            match block.axes[..] {
                [] => self.element(plan, block, seed, state, 0, None),
                [axis] => {
                    for (member, &start) in block.offsets.iter().enumerate() {
                        self.element(plan, block, seed, state, start as usize, Some(axis.base + member));
                    }
                }
                _ => self.table(plan, number, seed, state),
            }
        }
        if !plan.codes.is_empty() {
            self.codes(plan, state);
        }
        if let Some(at) = plan.last {
            self.thing(&plan.processes, usize::from(state[at]), u64::from(u32::MAX) << 32, None);
        }
    }

    /// Describes an element of a member, or what no renaming moves.
    #[inline(always)]
    fn element(&mut self, plan: &Plan, block: &Block, seed: u64, state: &[u8], start: usize, owner: Option<usize>) {
        if let Some(owner) = owner {
            self.add(owner, hash(seed, state, start, &block.plain));
        }
        let mut label = self.names(plan, (&block.members, &block.channels), seed, state, start, owner);
        for queue in &block.queues {
            for number in 0..queue.count(state, start) {
                let message = queue.start(start, number);
                let label = label + number as u64;
                if let Some(owner) = owner {
                    self.add(owner, hash(label, state, message, &queue.plain));
                }
                self.names(plan, (&queue.members, &queue.channels), label, state, message, owner);
            }
            label += ((queue.members.len() + queue.channels.len()) as u64) << 16;
        }
    }

    /// Describes the names that an element or a message at `start` holds: of members, and of channels. Each has a label of
    /// its own; gives the last one.
    #[inline(always)]
    fn names(
        &mut self,
        plan: &Plan,
        (members, channels): (&[Member], &[u32]),
        mut label: u64,
        state: &[u8],
        start: usize,
        owner: Option<usize>,
    ) -> u64 {
        for member in members {
            label += 1 << 16;
            let value = read(state, start + member.at as usize, usize::from(member.width));
            self.name(owner, member.of(value).map(|m| usize::from(member.base) + m), label, value);
        }
        for &at in channels {
            label += 1 << 16;
            self.thing(&plan.channels, usize::from(state[start + at as usize]), label, owner);
        }
        label
    }

    /// Describes a name that something of `owner` holds.
    #[inline]
    fn name(&mut self, owner: Option<usize>, target: Option<usize>, label: u64, value: u32) {
        match (owner, target) {
            (None, None) => {}
            (Some(owner), None) => self.add(owner, mix(label, 2 + u64::from(value))),
            (Some(owner), Some(target)) if owner != target => {
                self.structure.edge(short(mix(label, 0)), self.points[owner], self.points[target]);
            }
            (_, Some(target)) => self.add(target, mix(label, 1)),
        }
    }

    /// Describes an id of a channel or process that something of `owner` holds.
    fn thing(&mut self, ids: &Ids, id: usize, label: u64, owner: Option<usize>) {
        match ids.places.get(id).copied().flatten() {
            None => self.name(owner, None, label, id as u32),
            Some((class, element)) => {
                let axes = &ids.classes[usize::from(class)].axes;
                self.several(axes, usize::from(element), mix(label, u64::from(class) + 1), owner);
            }
        }
    }

    /// Describes the coded fields of elements of a member, and of what no renaming moves. They have labels of their own.
    fn codes(&mut self, plan: &Plan, state: &[u8]) {
        for (number, block) in plan.blocks.iter().enumerate().filter(|(_, block)| block.axes.len() < 2) {
            for (member, &start) in block.offsets.iter().enumerate() {
                let owner = block.axes.first().map(|axis| axis.base + member);
                let start = start as usize;
                let mut label = CODES | (number as u64 + 1) << 32;
                for coded in &block.coded {
                    label += 1 << 16;
                    self.coded(plan, coded, label, state, start, owner);
                }
                for queue in block.queues.iter().filter(|queue| !queue.coded.is_empty()) {
                    for number in 0..queue.count(state, start) {
                        let message = queue.start(start, number);
                        for (field, coded) in queue.coded.iter().enumerate() {
                            let label = label + ((field as u64 + 1) << 16) + number as u64;
                            self.coded(plan, coded, label, state, message, owner);
                        }
                    }
                    label += (queue.coded.len() as u64) << 16;
                }
            }
        }
    }

    /// Describes a value that stands for members as a code says: its class counts, and whom it stands for, never the
    /// value itself.
    fn coded(&mut self, plan: &Plan, coded: &Coded, label: u64, state: &[u8], start: usize, owner: Option<usize>) {
        let code = &plan.codes[usize::from(coded.code)];
        let value = coded.value(state, start);
        match code.place(value) {
            None => self.name(owner, None, label, value),
            Some((class, element)) => {
                self.several(&code.classes[class].axes, element, mix(label, class as u64 + 1), owner);
            }
        }
    }

    /// Describes that something of `owner` stands for one or several members.
    #[inline(always)]
    fn several(&mut self, axes: &[Axis], element: usize, label: u64, owner: Option<usize>) {
        if let [axis] = axes[..] {
            return self.name(owner, Some(axis.base + element), label, 0);
        }
        self.fact.clear();
        self.fact.extend(owner.map(|owner| self.points[owner]));
        self.fact.extend(vertices(axes, element).map(|vertex| self.points[vertex]));
        self.structure.fact(label, &self.fact);
    }

    /// Describes a block whose elements belong to several members each.
    fn table(&mut self, plan: &Plan, number: usize, seed: u64, state: &[u8]) {
        let block = &plan.blocks[number];
        let bare =
            block.members.is_empty() && block.coded.is_empty() && block.channels.is_empty() && block.queues.is_empty();
        for (element, &start) in block.offsets.iter().enumerate() {
            let start = start as usize;
            let bytes = &state[start..start + block.length];
            if bytes.iter().all(|&byte| byte == 0) && bare {
                continue;
            }
            if let (true, Some(relation)) = (bare, self.relations[number]) {
                let value = match bytes {
                    [byte] => u32::from(*byte),
                    _ => short(hash(seed, state, start, &block.plain)),
                };
                self.structure.relation_mut(relation)[element] = value;
                continue;
            }
            self.fact.clear();
            self.fact.extend(vertices(&block.axes, element).map(|vertex| self.points[vertex]));
            let colour = self.gather(plan, block, seed, state, start);
            self.structure.fact(colour, &self.fact);
        }
    }

    /// Adds everything that an element names to the fact under construction; gives the hash of the rest, including what
    /// is named where.
    fn gather(&mut self, plan: &Plan, block: &Block, seed: u64, state: &[u8], start: usize) -> u64 {
        let mut colour = hash(seed, state, start, &block.plain);
        for member in &block.members {
            let value = read(state, start + member.at as usize, usize::from(member.width));
            colour = self.gather_name(colour, member.of(value).map(|m| usize::from(member.base) + m), value);
        }
        for coded in &block.coded {
            colour = self.gather_coded(colour, plan, coded, state, start);
        }
        for &at in &block.channels {
            colour = self.gather_thing(colour, &plan.channels, usize::from(state[start + at as usize]));
        }
        for queue in &block.queues {
            let count = queue.count(state, start);
            colour = mix(colour, count as u64);
            for number in 0..count {
                let message = queue.start(start, number);
                colour = hash(colour, state, message, &queue.plain);
                for member in &queue.members {
                    let value = read(state, message + member.at as usize, usize::from(member.width));
                    colour = self.gather_name(colour, member.of(value).map(|m| usize::from(member.base) + m), value);
                }
                for coded in &queue.coded {
                    colour = self.gather_coded(colour, plan, coded, state, message);
                }
                for &at in &queue.channels {
                    colour = self.gather_thing(colour, &plan.channels, usize::from(state[message + at as usize]));
                }
            }
        }
        colour
    }

    fn gather_name(&mut self, colour: u64, target: Option<usize>, value: u32) -> u64 {
        match target {
            None => mix(colour, 2 + u64::from(value)),
            Some(target) => {
                self.fact.push(self.points[target]);
                mix(colour, 1)
            }
        }
    }

    fn gather_coded(&mut self, colour: u64, plan: &Plan, coded: &Coded, state: &[u8], start: usize) -> u64 {
        let code = &plan.codes[usize::from(coded.code)];
        let value = coded.value(state, start);
        match code.place(value) {
            None => mix(colour, 2 + u64::from(value)),
            Some((class, element)) => {
                self.fact.extend(vertices(&code.classes[class].axes, element).map(|vertex| self.points[vertex]));
                mix(colour, (class as u64) << 32 | 1)
            }
        }
    }

    fn gather_thing(&mut self, colour: u64, ids: &Ids, id: usize) -> u64 {
        match ids.places.get(id).copied().flatten() {
            None => mix(colour, 2 + id as u64),
            Some((class, element)) => {
                let axes = &ids.classes[usize::from(class)].axes;
                self.fact.extend(vertices(axes, usize::from(element)).map(|vertex| self.points[vertex]));
                mix(colour, u64::from(class) << 32 | 1)
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, vertex: usize, hash: u64) {
        let colour = self.structure.colour_mut(self.points[vertex]);
        *colour = colour.wrapping_add(hash);
    }
}

/// The members that index an element, as vertices.
fn vertices(axes: &[Axis], element: usize) -> impl Iterator<Item = usize> {
    axes.iter().map(move |axis| axis.base + element / axis.stride % axis.size)
}

/// A label or value of 31 bits: the group keeps the highest for itself.
fn short(hash: u64) -> u32 {
    ((hash ^ hash >> 32) & 0x7fff_ffff) as u32
}

/// The hash of some runs of bytes.
#[inline]
fn hash(seed: u64, state: &[u8], start: usize, runs: &[(u32, u32)]) -> u64 {
    let mut hash = seed;
    for &(at, length) in runs {
        let (mut at, mut left) = (start + at as usize, length as usize);
        while left > 0 {
            let taken = left.min(8);
            hash = mix(hash, word(state, at, taken));
            at += taken;
            left -= taken;
        }
    }
    hash
}

/// At most 8 bytes as a number.
#[inline(always)]
fn word(state: &[u8], at: usize, length: usize) -> u64 {
    match state[at..].first_chunk() {
        // What follows the bytes is read with them and taken away again.
        Some(bytes) => u64::from_le_bytes(*bytes) & (u64::MAX >> (64 - 8 * length)),
        None => state[at..at + length].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// A folded product, as in wyhash.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xe703_7ed1_a0b4_28db);
    (product as u64) ^ (product >> 64) as u64
}
