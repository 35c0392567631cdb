//! Symmetry: which renamings take the first state to itself, and whether processes keep doing the same under other names. Follows
//! section 7.4 of the design. The paper believes what it is told; here every edge of a tree is grown under every renaming and
//! compared.

use std::rc::Rc;

use rapidhash::{RapidHashMap, RapidHashSet};

use crate::found::Move;
use crate::grow::{Node, Stop};
use crate::label::{FIRST_UNSEEN, label};
use crate::names::{FIRST_CHILD, FIRST_PID, ObjectId};
use crate::object::Object;
use crate::op::{Op, Pid};
use crate::options::{Compare, Damage, Options, Symmetry};
use crate::outcome::Outcome;
use crate::perform::Choice;
pub(crate) use crate::rename::Renaming;
use crate::signal::{SIGCHLD, bit};
use crate::state::State;
use crate::work::{Spot, WHOLE};
use crate::world::{Crossed, World};

/// A group of renamings.
#[derive(Debug)]
pub(crate) struct Group {
    elements: Vec<Renaming>,
    /// Where nodes of processes are taken to, by renaming.
    images: RapidHashMap<(usize, Pid, Node), Node>,
    checked: RapidHashSet<(Pid, Node, Outcome)>,
    /// Who is whose child does not matter, because nobody asks.
    strangers: bool,
}

/// One transition of a run, as it is compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) pid: Pid,
    pub(crate) op: Op,
    pub(crate) choice: Choice,
    pub(crate) spots: Vec<Spot>,
}

/// The largest group of which every element is tried on every state.
const MOST: usize = 5040;
/// How far processes are followed to see in which order they use objects.
const FOLLOWED: usize = 1000;

/// Why processes are not symmetric, as far as that is seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Asymmetry {
    #[error("there are more than {MOST} renamings")]
    TooMany,
    #[error("process {0} is not there at the start")]
    Absent(Pid),
    #[error("the first state is not symmetric")]
    FirstState,
    #[error("processes do not use objects in the same way")]
    Objects,
    #[error("nothing is known of process {0} under other names")]
    Unknown(Pid),
    #[error("process {0} does not do the same under another name")]
    Otherwise(Pid),
    #[error("process {0} comes to different places under another name")]
    OtherPlaces(Pid),
    #[error("process {0} does {op:?}, and under another name {other:?}", op = _1[0], other = _1[1])]
    OtherOp(Pid, Box<[Op; 2]>),
    #[error("process {0} is the parent of others, and somebody asks who is whose child")]
    Parents(Pid),
    #[error("a state has no image")]
    NoImage,
}

impl Group {
    /// Only the renaming that changes nothing.
    pub(crate) fn trivial() -> Self {
        Self {
            elements: vec![Renaming::default()],
            images: RapidHashMap::default(),
            checked: RapidHashSet::default(),
            strangers: false,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    fn is_trivial(&self) -> bool {
        self.elements.len() == 1
    }

    /// The group that is meant, if it takes the first state to itself.
    pub(crate) fn find(world: &mut World<'_>, first: &State, options: &Options) -> Result<Self, Asymmetry> {
        let mut base: Vec<Pid> =
            first.processes.iter().filter(|process| process.runs()).map(|process| process.pid).collect();
        let children = base.iter().position(|&pid| pid >= FIRST_CHILD).unwrap_or(0);
        base.rotate_left(children);
        let permutations = match &options.symmetry {
            Symmetry::None => return Ok(Self::trivial()),
            Symmetry::Ring => {
                (0..base.len()).map(|by| base.iter().copied().zip(rotated(&base, by)).collect()).collect()
            }
            Symmetry::Full => arrangements(&[base.clone()])?,
            Symmetry::Sets(sets) => {
                let sets: Vec<Vec<Pid>> =
                    sets.iter().map(|set| set.iter().map(|&index| FIRST_PID + index as Pid).collect()).collect();
                arrangements(&sets)?
            }
        };
        let uses: Vec<(Pid, Vec<Spot>)> = base.iter().map(|&pid| (pid, first_uses(world, first, pid))).collect();
        let mut group = Self { elements: Vec::new(), ..Self::trivial() };
        for pids in permutations {
            let index = group.elements.len();
            let renaming = match_objects(first, index, pids, &uses)?;
            group.elements.push(renaming);
        }
        for renaming in &group.elements {
            for process in first.processes.iter().filter(|process| process.runs()) {
                let image = renaming.pid(&mut world.names, process.pid);
                let Some(other) = first.process(image) else {
                    return Err(Asymmetry::Absent(image));
                };
                group.images.insert((renaming.index, process.pid, process.node), other.node);
                compare(world, renaming, process.pid, process.node, other.node, options)?;
            }
        }
        if !group.fixes(world, first) {
            group.strangers = true;
            if !group.fixes(world, first) {
                return Err(Asymmetry::FirstState);
            }
        }
        world.crossed = Some(Vec::new());
        Ok(group)
    }

    /// Whether all renamings take a state to itself.
    fn fixes(&self, world: &mut World<'_>, state: &State) -> bool {
        let same = self.view(state);
        self.elements.iter().all(|renaming| self.rename(world, renaming, &same).as_ref() == Some(&same))
    }

    /// Whether a process asks for something that is not looked at here.
    pub(crate) fn is_blind_to(&self, stop: &Stop) -> bool {
        let asks = matches!(stop.op, Op::Wait { .. } | Op::Parent | Op::Kill { .. });
        self.strangers && (asks || stop.signals.handled & bit(SIGCHLD) != 0)
    }

    /// What is looked at of a state.
    fn view(&self, state: &State) -> State {
        let mut view = state.clone();
        if self.strangers {
            view.processes.retain(|process| process.runs());
            for process in &mut view.processes {
                let process = Rc::make_mut(process);
                process.parent = 1;
                process.made = 0;
            }
        }
        view
    }

    fn rename(&self, world: &mut World<'_>, renaming: &Renaming, state: &State) -> Option<State> {
        if renaming.is_identity() {
            return Some(state.clone());
        }
        let images = &self.images;
        let image =
            renaming.state(&mut world.names, state, |pid, node| images.get(&(renaming.index, pid, node)).copied())?;
        Some(label(&mut world.names, image))
    }

    /// Grows the images of the edges that processes have crossed, and compares what they do there.
    pub(crate) fn check(&mut self, world: &mut World<'_>, options: &Options) -> Result<(), Asymmetry> {
        if self.is_trivial() {
            return Ok(());
        }
        for Crossed { before, pid, node, outcome, to } in world.crossed.as_mut().map(std::mem::take).unwrap_or_default()
        {
            if !self.checked.insert((pid, node, outcome.clone())) {
                continue;
            }
            let op = world.tree.op(node).clone();
            for renaming in &self.elements {
                // A child's first edge begins where its parent was.
                let Some(&from) = self.images.get(&(renaming.index, before, node)) else {
                    return Err(Asymmetry::Unknown(before));
                };
                let image = renaming.outcome(&mut world.names, &op, &outcome);
                let edge = world.tree.advance(from, image);
                let Ok(there) = edge.to else {
                    return Err(Asymmetry::Otherwise(pid));
                };
                compare(world, renaming, pid, to, there, options)?;
                let known = self.images.insert((renaming.index, pid, to), there);
                if known.is_some_and(|known| known != there) && options.damage != Some(Damage::BelieveSymmetry) {
                    return Err(Asymmetry::OtherPlaces(pid));
                }
            }
        }
        Ok(())
    }

    /// The least state that a renaming leads to, and that renaming.
    pub(crate) fn canonical(
        &self,
        world: &mut World<'_>,
        state: &State,
        compare: Compare,
    ) -> Result<(State, Renaming), Asymmetry> {
        if self.is_trivial() || compare != Compare::Canonical {
            return Ok((state.clone(), Renaming::default()));
        }
        let state = self.view(state);
        let mut best: Option<(State, &Renaming)> = None;
        for renaming in &self.elements {
            let Some(image) = self.rename(world, renaming, &state) else {
                return Err(Asymmetry::NoImage);
            };
            if best.as_ref().is_none_or(|best| image < best.0) {
                best = Some((image, renaming));
            }
        }
        let (state, renaming) = best.expect("a group has elements");
        Ok((state, renaming.clone()))
    }

    /// Of transitions that a renaming of the state to itself takes to each other, leaves the first.
    pub(crate) fn drop_symmetric(
        &self,
        world: &mut World<'_>,
        state: &State,
        run: &[Label],
        moves: &[Move],
        todo: &mut Vec<usize>,
        compare: Compare,
    ) {
        if self.is_trivial() || todo.len() < 2 {
            return;
        }
        let view = self.view(state);
        let mut fixing = Vec::new();
        for renaming in &self.elements {
            if renaming.is_identity() {
                continue;
            }
            let fixes = match compare {
                Compare::Traces => {
                    let image: Option<Vec<Label>> =
                        run.iter().map(|label| rename_label(world, renaming, state, label)).collect();
                    image.is_some_and(|image| same_trace(run, image))
                }
                Compare::States | Compare::Canonical => self.rename(world, renaming, &view).as_ref() == Some(&view),
            };
            if fixes {
                fixing.push(renaming);
            }
        }
        let mut kept: Vec<usize> = Vec::new();
        for &index in &*todo {
            let known = kept.iter().any(|&other| {
                fixing.iter().any(|renaming| renaming.of_move(&mut world.names, &moves[other]) == moves[index])
            });
            if !known {
                kept.push(index);
            }
        }
        *todo = kept;
    }
}

fn rename_label(world: &mut World<'_>, renaming: &Renaming, state: &State, label: &Label) -> Option<Label> {
    let names = &mut world.names;
    Some(Label {
        pid: renaming.pid(names, label.pid),
        op: renaming.op(names, &label.op)?,
        choice: renaming.choice(names, &label.choice),
        spots: label.spots.iter().map(|&spot| renaming.spot(names, state, spot)).collect(),
    })
}

/// Whether two runs differ only in the order of transitions that have nothing to do with each other.
fn same_trace(run: &[Label], mut other: Vec<Label>) -> bool {
    for label in run {
        let Some(at) = other.iter().position(|found| found == label) else { return false };
        let depends =
            |before: &Label| before.pid == label.pid || before.spots.iter().any(|spot| label.spots.contains(spot));
        if other[..at].iter().any(depends) {
            return false;
        }
        other.remove(at);
    }
    true
}

/// Whether a process does the same at a node as at its image.
fn compare(
    world: &mut World<'_>,
    renaming: &Renaming,
    pid: Pid,
    node: Node,
    image: Node,
    options: &Options,
) -> Result<(), Asymmetry> {
    if options.damage == Some(Damage::BelieveSymmetry) {
        return Ok(());
    }
    let stop = Rc::clone(world.tree.stop(node));
    let other = Rc::clone(world.tree.stop(image));
    if renaming.op(&mut world.names, &stop.op).as_ref() == Some(&other.op)
        && stop.signals == other.signals
        && stop.handlers == other.handlers
    {
        return Ok(());
    }
    Err(Asymmetry::OtherOp(pid, Box::new([stop.op.clone(), other.op.clone()])))
}

fn rotated(base: &[Pid], by: usize) -> Vec<Pid> {
    let mut rotated = base.to_vec();
    rotated.rotate_left(by);
    rotated
}

/// All ways to arrange the members of sets, as pairs.
fn arrangements(sets: &[Vec<Pid>]) -> Result<Vec<Vec<(Pid, Pid)>>, Asymmetry> {
    let mut all: Vec<Vec<(Pid, Pid)>> = vec![Vec::new()];
    for set in sets {
        let mut orders: Vec<Vec<Pid>> = vec![Vec::new()];
        for _ in set {
            orders = orders
                .iter()
                .flat_map(|order| {
                    set.iter().filter(|pid| !order.contains(pid)).map(|&pid| {
                        let mut longer = order.clone();
                        longer.push(pid);
                        longer
                    })
                })
                .collect();
            if orders.len() * all.len() > MOST {
                return Err(Asymmetry::TooMany);
            }
        }
        all = all
            .iter()
            .flat_map(|before| {
                orders.iter().map(|order| {
                    let mut pairs = before.clone();
                    pairs.extend(set.iter().copied().zip(order.iter().copied()));
                    pairs
                })
            })
            .collect();
    }
    Ok(all)
}

/// What a process touches if it runs alone, in the order in which it does so for the first time.
fn first_uses(world: &mut World<'_>, first: &State, pid: Pid) -> Vec<Spot> {
    let mut uses = Vec::new();
    let process = first.process(pid).expect("it is there");
    for &(_, file) in &process.fds {
        uses.push(Spot::Object(file, WHOLE));
        if let Some(Object::Open(open)) = first.object(file)
            && let Some(object) = open.what.object()
        {
            uses.push(Spot::Object(object, WHOLE));
        }
    }
    uses.extend(process.mapped.iter().map(|entry| Spot::Object(entry.0, WHOLE)));
    let mut state = first.clone();
    for _ in 0..FOLLOWED {
        if state.process(pid).is_none_or(|process| !process.runs()) {
            break;
        }
        let attempts = world.attempts(&state, pid);
        for touch in attempts.touched {
            if matches!(touch.spot, Spot::Object(..)) && !uses.contains(&touch.spot) {
                uses.push(touch.spot);
            }
        }
        let Some(attempt) = attempts.list.into_iter().next() else { break };
        match world.arrive(attempt) {
            Ok(next) => state = next,
            Err(_) => break,
        }
    }
    uses
}

/// The renaming of objects that goes with one of processes: what they use first is renamed to what the others use first.
fn match_objects(
    first: &State,
    index: usize,
    pids: Vec<(Pid, Pid)>,
    uses: &[(Pid, Vec<Spot>)],
) -> Result<Renaming, Asymmetry> {
    let mut renaming = Renaming { index, pids, ..Renaming::default() };
    let of = |pid: Pid| uses.iter().find(|entry| entry.0 == pid).map(|entry| &entry.1);
    let mut objects: Vec<(ObjectId, ObjectId)> = Vec::new();
    let contradiction = || Err(Asymmetry::Objects);
    for &(pid, image) in &renaming.pids {
        let (Some(ours), Some(theirs)) = (of(pid), of(image)) else {
            return Err(Asymmetry::Absent(pid));
        };
        for (&one, &other) in ours.iter().zip(theirs) {
            let (Spot::Object(one, part), Spot::Object(other, other_part)) = (one, other) else { continue };
            // Objects that are made later are renamed with their makers.
            let (Some(object), Some(_)) = (first.object(one), first.object(other)) else { continue };
            // Names that nobody sees are given anew.
            if one >= FIRST_UNSEEN || other >= FIRST_UNSEEN {
                continue;
            }
            let pair = (one, other);
            if matches!(object, Object::Sems(_)) && part != WHOLE {
                let pair = ((one, part as usize), (other, other_part as usize));
                if renaming.sems.iter().any(|known| (known.0 == pair.0) != (known.1 == pair.1)) {
                    return contradiction();
                }
                if !renaming.sems.contains(&pair) {
                    renaming.sems.push(pair);
                }
            }
            if objects.iter().any(|known| (known.0 == pair.0) != (known.1 == pair.1)) {
                return contradiction();
            }
            if !objects.contains(&pair) {
                objects.push(pair);
            }
        }
    }
    for &(id, _) in &first.objects {
        if !objects.iter().any(|pair| pair.0 == id) {
            if objects.iter().any(|pair| pair.1 == id) {
                return contradiction();
            }
            objects.push((id, id));
        }
    }
    renaming.objects = objects;
    Ok(renaming)
}
