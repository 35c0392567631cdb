//! Building a plan: every scalar of a state with its position, gathered into classes, and classes that lie side by side
//! everywhere joined into one block.

use std::collections::BTreeMap;

use quotient_ir::schema::Schema;
use quotient_ir::{Element, Model, NamesId, Position, ProctypeId, Scalar, SetId, Sort, Symmetry, Width};

use super::code::{self, Code, Coded, Naming};
use super::{Arrangement, Axis, Block, IdClass, Ids, Key, Keys, Member, Plan, Queue, Set, Steady, Unread};
use crate::Misfit;

/// What tells classes of elements apart, in the order in which the main array is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ClassKey {
    Global {
        class: u32,
    },
    /// The control state of a family.
    Header {
        ty: ProctypeId,
        family: u32,
    },
    /// A variable of a family.
    Local {
        ty: ProctypeId,
        family: u32,
        slot: usize,
    },
    /// A local array that is indexed itself, of a family or of one process.
    LocalArray {
        ty: ProctypeId,
        family: u32,
        alone: Option<usize>,
        class: u32,
    },
    /// Channels may be of several declarations that make the same kind of channel.
    Channel {
        class: u32,
    },
}

/// The members that index an element.
type Members = Vec<(SetId, u8)>;

/// A class under construction: elements by their members, all with one layout.
struct Class {
    layout: Block,
    elements: BTreeMap<Members, u32>,
    /// Width and signedness of a plain number.
    number: Option<(usize, bool)>,
}

struct Builder<'a> {
    model: &'a Model,
    schema: &'a Schema,
    symmetry: &'a Symmetry,
    sets: Vec<Set>,
    classes: BTreeMap<ClassKey, Class>,
    /// What stays where it is.
    fixed: Block,
    codes: Vec<Code>,
    /// By process type, the code of its control states; `None` if all of them stay.
    controls: Vec<Option<u16>>,
}

impl Plan {
    /// Compiles a symmetry for states of an arrangement; says what does not fit together if it cannot.
    pub fn new(model: &Model, schema: &Schema, symmetry: &Symmetry, arrangement: &Arrangement) -> Result<Plan, Misfit> {
        let mut vertices = 0;
        let mut sets = Vec::new();
        for set in &symmetry.sets {
            if set.size == 0 || set.size > 255 {
                return Err(Misfit::SetSize { set: set.name.clone(), size: set.size });
            }
            sets.push(Set { base: vertices, size: set.size, group: set.group });
            vertices += set.size;
        }
        let fixed = Block { offsets: vec![0], ..Block::default() };
        let (codes, controls) = (Vec::new(), vec![None; model.proctypes.len()]);
        let mut builder = Builder { model, schema, symmetry, sets, classes: BTreeMap::new(), fixed, codes, controls };
        builder.controls()?;
        let steady = builder.steady(arrangement)?;
        builder.globals()?;
        builder.processes(arrangement)?;
        builder.channels(arrangement)?;
        let channels = builder.ids(&symmetry.channels, arrangement.channels.len(), 1)?;
        let processes = builder.ids(&symmetry.processes, arrangement.processes.len(), 0)?;
        let keys = builder.keys();
        let blocks = builder.blocks()?;
        let holds_ids =
            |block: &Block| !block.channels.is_empty() || block.queues.iter().any(|queue| !queue.channels.is_empty());
        let unread = Unread::new(model, schema, symmetry, arrangement, &builder.sets);
        Ok(Plan {
            identity: builder.sets.iter().flat_map(|set| (0..set.size).map(|member| member as u8)).collect(),
            sets: builder.sets,
            vertices,
            renames_channels: !channels.classes.is_empty() && blocks.iter().any(holds_ids),
            blocks,
            channels,
            processes,
            last: schema.last.map(|at| at as usize),
            keys,
            hidden: schema.hidden as usize,
            codes: builder.codes,
            steady,
            unread,
        })
    }
}

impl Builder<'_> {
    /// The codes of control states that stand for members.
    fn controls(&mut self) -> Result<(), Misfit> {
        for (ty, (positions, proctype)) in self.symmetry.controls.iter().zip(&self.model.proctypes).enumerate() {
            if positions.len() > proctype.states.len() {
                let (ty, states) = (proctype.name.clone(), proctype.states.len());
                return Err(Misfit::ControlCount { ty, states, positions: positions.len() });
            }
            if let Some(code) = Code::of_controls(positions, &self.sets, &proctype.name)? {
                self.controls[ty] = Some(self.intern(code));
            }
        }
        Ok(())
    }

    fn intern(&mut self, code: Code) -> u16 {
        let known = self.codes.iter().position(|other| *other == code);
        known.unwrap_or_else(|| {
            self.codes.push(code);
            self.codes.len() - 1
        }) as u16
    }

    /// Which states are renamed. No renaming may change that.
    fn steady(&self, arrangement: &Arrangement) -> Result<Option<Steady>, Misfit> {
        let Some(steady) = &self.symmetry.steady else { return Ok(None) };
        let Some(&(ty, start)) = arrangement.processes.get(steady.process) else { return Ok(None) };
        let name = &self.model.proctypes[ty].name;
        if self.symmetry.processes.get(steady.process).is_some_and(|position| !position.members.is_empty()) {
            return Err(Misfit::SteadyMoves(name.clone()));
        }
        if let Some(code) = self.controls[ty] {
            let mut flags: Vec<u32> = (0..self.model.proctypes[ty].states.len())
                .map(|state| u32::from(steady.controls.get(state).copied().unwrap_or(false)))
                .collect();
            let own = flags.clone();
            self.codes[usize::from(code)].shared(&mut flags);
            if flags != own {
                return Err(Misfit::SteadyDepends(name.clone()));
            }
        }
        let width = self.schema.control_bytes as usize;
        Ok(Some(Steady { at: start as usize, width, controls: steady.controls.clone() }))
    }

    fn globals(&mut self) -> Result<(), Misfit> {
        for (number, slot) in self.model.globals.iter().enumerate() {
            let (class, members, names) = element(self.symmetry.globals.get(number));
            let layout = self.scalar(slot.scalar, names)?;
            let at = self.schema.globals.offsets[number];
            self.add(ClassKey::Global { class }, members, at, layout, numeric(slot.scalar, names), &slot.name)?;
        }
        Ok(())
    }

    fn processes(&mut self, arrangement: &Arrangement) -> Result<(), Misfit> {
        for (id, &(ty, start)) in arrangement.processes.iter().enumerate() {
            let (family, outer) = place(self.symmetry.processes.get(id));
            let proctype = &self.model.proctypes[ty];
            let header = self.schema.control_bytes + u32::from(self.schema.priority.is_some());
            let mut layout = Block { length: header as usize, plain: vec![(0, header)], ..Block::default() };
            if let Some(code) = self.controls[ty] {
                let control = self.schema.control_bytes;
                layout.coded.push(Coded { at: 0, width: control as u8, code });
                layout.plain = (header > control).then_some((control, header - control)).into_iter().collect();
            }
            self.add(ClassKey::Header { ty, family }, outer.clone(), start, layout, None, &proctype.name)?;
            for (slot, declared) in proctype.slots.iter().enumerate() {
                let (class, inner, names) = element(self.symmetry.locals.get(ty).and_then(|locals| locals.get(slot)));
                let layout = self.scalar(declared.scalar, names)?;
                let at = start + self.schema.locals[ty].offsets[slot];
                let alone = outer.is_empty().then_some(id);
                let key = match inner.is_empty() {
                    true => ClassKey::Local { ty, family, slot },
                    false => ClassKey::LocalArray { ty, family, alone, class },
                };
                let number = numeric(declared.scalar, names).filter(|_| inner.is_empty());
                self.add(key, [&outer[..], &inner[..]].concat(), at, layout, number, &declared.name)?;
            }
        }
        Ok(())
    }

    fn channels(&mut self, arrangement: &Arrangement) -> Result<(), Misfit> {
        let mut kinds: BTreeMap<u32, usize> = BTreeMap::new();
        for (number, &(ty, start)) in arrangement.channels.iter().enumerate() {
            let (class, members) = place(self.symmetry.channels.get(number));
            let (channel, first) = (&self.model.channels[ty], &self.model.channels[*kinds.entry(class).or_insert(ty)]);
            if !members.is_empty() && (channel.capacity, &channel.fields) != (first.capacity, &first.fields) {
                return Err(Misfit::ChannelTypes(channel.name.clone(), first.name.clone()));
            }
            let layout = self.queue(ty)?;
            if layout.length > 0 {
                self.add(ClassKey::Channel { class }, members, start, layout, None, &channel.name)?;
            }
        }
        Ok(())
    }

    /// Takes note of an element.
    fn add(
        &mut self,
        key: ClassKey,
        members: Members,
        offset: u32,
        layout: Block,
        number: Option<(usize, bool)>,
        name: &str,
    ) -> Result<(), Misfit> {
        if members.is_empty() {
            self.fixed.append(&layout, offset);
            return Ok(());
        }
        let exists = |&(set, member): &(SetId, u8)| self.sets.get(set).is_some_and(|s| usize::from(member) < s.size);
        if !members.iter().all(exists) {
            return Err(Misfit::IndexMember(name.to_string()));
        }
        let new = || Class { layout: layout.clone(), elements: BTreeMap::new(), number };
        let class = self.classes.entry(key).or_insert_with(new);
        let sets = |members: &Members| members.iter().map(|&(set, _)| set).collect::<Vec<_>>();
        let like = class.elements.keys().next().is_none_or(|other| sets(other) == sets(&members));
        if !like || !class.layout.is_like(&layout) {
            return Err(Misfit::ClassTypes(name.to_string()));
        }
        match class.elements.insert(members, offset) {
            None => Ok(()),
            Some(_) => Err(Misfit::PositionTwice(name.to_string())),
        }
    }

    fn scalar(&mut self, scalar: Scalar, names: Option<NamesId>) -> Result<Block, Misfit> {
        let mut block = Block { length: scalar.bytes(), ..Block::default() };
        self.field(scalar, names, 0, &mut block)?;
        Ok(block)
    }

    fn field(&mut self, scalar: Scalar, names: Option<NamesId>, at: u32, block: &mut Block) -> Result<(), Misfit> {
        let naming = match (names, scalar.sort) {
            (Some(_), Sort::Channel) => return Err(Misfit::ChannelName),
            (None, Sort::Channel) => {
                block.channels.push(at);
                return Ok(());
            }
            (None, _) => Naming::Plain,
            (Some(id), _) => {
                let names = self.symmetry.names.get(id).ok_or(Misfit::NoNames(id))?;
                code::naming(names, scalar, at, &self.sets)?
            }
        };
        match naming {
            Naming::Plain => block.plain.push((at, scalar.bytes() as u32)),
            Naming::Run(member) => block.members.push(member),
            Naming::Code(code) => {
                let code = self.intern(code);
                block.coded.push(Coded { at, width: scalar.bytes() as u8, code });
            }
        }
        Ok(())
    }

    fn queue(&mut self, ty: usize) -> Result<Block, Misfit> {
        let layout = &self.schema.channels[ty];
        let mut message = Block::default();
        for (number, (field, &at)) in self.model.channels[ty].fields.iter().zip(&layout.fields).enumerate() {
            let names = self.symmetry.fields.get(ty).and_then(|fields| fields.get(number).copied().flatten());
            self.field(*field, names, at, &mut message)?;
        }
        let mut block = Block { length: layout.size as usize, ..Block::default() };
        if message.members.is_empty() && message.coded.is_empty() && message.channels.is_empty() {
            block.plain.push((0, layout.size));
        } else if layout.size > 0 {
            block.plain.push((0, layout.count_bytes));
            block.queues.push(Queue {
                at: 0,
                count_bytes: layout.count_bytes,
                message: layout.message,
                plain: join(message.plain),
                members: message.members,
                coded: message.coded,
                channels: message.channels,
            });
        }
        Ok(block)
    }

    fn axes(&self, members: Option<&Members>) -> Vec<Axis> {
        let sets: Vec<SetId> = members.into_iter().flatten().map(|&(set, _)| set).collect();
        code::axes(&sets, &self.sets)
    }

    fn ids(&self, positions: &[Position], count: usize, first: usize) -> Result<Ids, Misfit> {
        let mut classes: BTreeMap<u32, BTreeMap<Members, u8>> = BTreeMap::new();
        for (number, position) in positions.iter().enumerate().take(count) {
            if !position.members.is_empty() {
                let class = classes.entry(position.class).or_default();
                class.insert(position.members.clone(), (number + first) as u8);
            }
        }
        let mut ids = Ids { places: vec![None; count + first], classes: Vec::new() };
        for elements in classes.into_values() {
            let axes = self.axes(elements.keys().next());
            if elements.len() != axes.iter().map(|axis| axis.size).product::<usize>() {
                return Err(Misfit::IdMissing);
            }
            for (element, &id) in elements.values().enumerate() {
                ids.places[usize::from(id)] = Some((ids.classes.len() as u16, element as u16));
            }
            ids.classes.push(IdClass { axes, ids: elements.into_values().collect() });
        }
        Ok(ids)
    }

    /// What the members of each set can be sorted by: the first array of plain values (of global variables, if there is
    /// one), and the control states of the families.
    fn keys(&self) -> Vec<Keys> {
        let mut all = vec![Keys::default(); self.sets.len()];
        for (key, class) in &self.classes {
            let Some([(set, _)]) = class.elements.keys().next().map(|members| &members[..]) else { continue };
            let offsets: Vec<u32> = class.elements.values().copied().collect();
            if let (Some((width, signed)), None) = (class.number, &all[*set].array) {
                all[*set].array = Some(Key { offsets: offsets.clone(), width, signed });
            }
            if let ClassKey::Header { ty, .. } = key {
                let mut numbers: Vec<u32> = self.model.proctypes[*ty].states.iter().map(|state| state.number).collect();
                if let Some(code) = self.controls[*ty] {
                    self.codes[usize::from(code)].shared(&mut numbers);
                }
                let width = self.schema.control_bytes as usize;
                all[*set].controls.push((Key { offsets, width, signed: false }, numbers));
            }
        }
        all
    }

    fn blocks(&mut self) -> Result<Vec<Block>, Misfit> {
        let mut blocks: Vec<Block> = Vec::new();
        for class in std::mem::take(&mut self.classes).into_values() {
            let axes = self.axes(class.elements.keys().next());
            if class.elements.len() != axes.iter().map(|axis| axis.size).product::<usize>() {
                return Err(Misfit::VariableMissing);
            }
            let offsets = class.elements.into_values().collect();
            blocks.push(Block { axes, offsets, ..class.layout });
        }
        blocks.sort_by(|a, b| a.axes.len().cmp(&b.axes.len()).then_with(|| a.offsets.cmp(&b.offsets)));
        let mut joined: Vec<Block> = Vec::new();
        for block in blocks {
            match joined.last_mut() {
                Some(last) if last.meets(&block) => last.append(&block, last.length as u32),
                _ => joined.push(block),
            }
        }
        joined.push(std::mem::take(&mut self.fixed));
        joined.iter_mut().for_each(|block| block.plain = join(std::mem::take(&mut block.plain)));
        Ok(joined)
    }
}

impl Block {
    /// Whether elements of another block are laid out in the same way.
    fn is_like(&self, other: &Block) -> bool {
        self.length == other.length
            && self.plain == other.plain
            && self.members == other.members
            && self.coded == other.coded
            && self.channels == other.channels
            && self.queues == other.queues
    }

    /// Whether the elements of another block start where those of this one end.
    fn meets(&self, other: &Block) -> bool {
        self.axes == other.axes && self.offsets.iter().zip(&other.offsets).all(|(a, b)| a + self.length as u32 == *b)
    }

    /// Adds the fields of another block's elements, which lie at an offset.
    fn append(&mut self, other: &Block, at: u32) {
        self.plain.extend(other.plain.iter().map(|&(start, length)| (start + at, length)));
        self.members.extend(other.members.iter().map(|member| Member { at: member.at + at, ..*member }));
        self.coded.extend(other.coded.iter().map(|coded| Coded { at: coded.at + at, ..*coded }));
        self.channels.extend(other.channels.iter().map(|start| start + at));
        self.queues.extend(other.queues.iter().map(|queue| Queue { at: queue.at + at, ..queue.clone() }));
        self.length += other.length;
    }
}

/// Runs of bytes that touch, as one.
fn join(runs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (start, length) in runs {
        match joined.last_mut() {
            Some(last) if last.0 + last.1 == start => last.1 += length,
            _ => joined.push((start, length)),
        }
    }
    joined
}

fn place(position: Option<&Position>) -> (u32, Members) {
    position.map_or((0, Vec::new()), |position| (position.class, position.members.clone()))
}

/// A slot's position, and what its values stand for.
fn element(element: Option<&Element>) -> (u32, Members, Option<NamesId>) {
    let (class, members) = place(element.map(|element| &element.position));
    (class, members, element.and_then(|element| element.names))
}

/// How a plain number lies in memory.
fn numeric(scalar: Scalar, names: Option<NamesId>) -> Option<(usize, bool)> {
    let signed = matches!(scalar.width, Width::Short | Width::Int);
    let is_plain = names.is_none() && matches!(scalar.sort, Sort::Plain | Sort::Member { .. });
    is_plain.then_some((scalar.bytes(), signed))
}
