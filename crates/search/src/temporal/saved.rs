//! What of a temporal search is written into a checkpoint, and how the search goes on from there: what was found of the parts of the
//! formula before, and all of the search that is under way, as it lies between two of its steps.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use quotient_canon::Counts;
use quotient_step::machine::Machine;
use quotient_step::replay::Path;
use quotient_store::{Entry, Exact};
use serde::{Deserialize, Serialize};

use super::bits::{Bits, Marks};
use super::names::{Keys, Partition};
use super::{Found, Lasso, LassoKind, scc};
use crate::engine::format::{damaged, get, get_bytes, get_number, put, put_bytes, put_number};
use crate::{Keeper, Stop};

/// What happened before the search that is under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Before {
    /// How many parts of the formula were checked.
    pub(super) parts: usize,
    /// What was found of them: whether each proposition was ever true and ever false, and numbers in the order of
    /// [`Before::take`].
    ever: Vec<(bool, bool)>,
    counts: [u64; 9],
    /// For this part, what was found not to be right: promises, symmetry, values that nobody reads.
    pub(super) broken: bool,
    pub(super) torn: bool,
    pub(super) unread: bool,
    time: Duration,
}

impl Before {
    /// Takes note of what was found of the parts before.
    pub(super) fn take(&mut self, parts: usize, found: &Found) {
        let Found { faults, states, visited, matched, depth, store_bytes, state_bytes, automaton, by_symmetry, .. } =
            *found;
        let states_of = automaton.states as u64 | u64::from(automaton.sets) << 32;
        *self = Before {
            parts,
            ever: found.ever.clone(),
            counts: [faults, states, visited, matched, depth, store_bytes, state_bytes, states_of, by_symmetry],
            time: self.time,
            ..Before::default()
        };
    }

    /// What was found of the parts before.
    pub(super) fn found(&self) -> Found {
        let [faults, states, visited, matched, depth, store_bytes, state_bytes, automaton, by_symmetry] = self.counts;
        let automaton =
            super::Size { states: (automaton & u64::from(u32::MAX)) as usize, sets: (automaton >> 32) as u32 };
        let ever = self.ever.clone();
        Found {
            faults,
            states,
            visited,
            matched,
            depth,
            store_bytes,
            state_bytes,
            automaton,
            by_symmetry,
            ever,
            ..Found::default()
        }
    }
}

/// Where a search goes on from, and who keeps its checkpoints.
pub(super) struct Saving<'a> {
    pub(super) resume: Option<&'a mut dyn Read>,
    pub(super) keeper: Option<&'a mut dyn Keeper>,
    pub(super) before: Before,
    pub(super) started: Instant,
}

impl<'a> Saving<'a> {
    pub(super) fn new(session: crate::Session<'a>, propositions: usize) -> io::Result<Self> {
        let crate::Session { mut resume, keeper } = session;
        let before = match &mut resume {
            Some(input) => get::<Before>(input)?,
            None => Before { ever: vec![(true, true); propositions], ..Before::default() },
        };
        if before.ever.len() != propositions {
            return Err(damaged("it is of another formula"));
        }
        Ok(Saving { resume, keeper, before, started: Instant::now() })
    }

    /// How long the search has taken, with that before.
    pub(super) fn elapsed(&self) -> Duration {
        self.before.time + self.started.elapsed()
    }

    pub(super) fn is_due(&mut self) -> bool {
        self.keeper.as_mut().is_some_and(|keeper| keeper.is_due())
    }

    /// Has a checkpoint kept.
    #[cold]
    pub(super) fn keep(&mut self, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) {
        let before = Before { time: self.elapsed(), ..self.before.clone() };
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(&mut |out| {
                put(out, &before)?;
                write(out)
            });
        }
    }
}

/// Whether a search was ended by a limit or by the user, so that it can go on.
pub(super) fn can_go_on(found: &Found) -> bool {
    let ended = matches!(found.stop, Some(Stop::States | Stop::Time | Stop::Memory | Stop::Interrupted));
    ended && !found.torn && !found.broken
}

/// What both searches count.
#[derive(Serialize, Deserialize)]
struct Small {
    lineage: Vec<(u32, u32, u32)>,
    faults: u64,
    errors: u64,
    matched: u64,
    depth: u64,
    state_bytes: u64,
    cut: bool,
    ever: Vec<(bool, bool)>,
    lassos: Vec<(u8, Path, Option<usize>)>,
    renamed: (u64, u64, Duration),
}

/// The kinds of violations, as they are numbered here.
const KINDS: [LassoKind; 5] = [
    LassoKind::AcceptanceCycle,
    LassoKind::NonProgressCycle,
    LassoKind::LtlViolated,
    LassoKind::ClaimCompleted,
    LassoKind::ClaimAssertion,
];

pub(super) fn put_found(out: &mut dyn Write, found: &Found, machine: &Machine, renamed: Counts) -> io::Result<()> {
    let number = |kind: LassoKind| KINDS.iter().position(|&other| other == kind).unwrap_or(0) as u8;
    let small = Small {
        lineage: machine.lineage(),
        faults: found.faults,
        errors: found.errors,
        matched: found.matched,
        depth: found.depth,
        state_bytes: found.state_bytes,
        cut: found.cut,
        ever: found.ever.clone(),
        lassos: found.lassos.iter().map(|lasso| (number(lasso.kind), lasso.path.clone(), lasso.loop_start)).collect(),
        renamed: (renamed.representatives, renamed.normalised, renamed.time),
    };
    put(out, &small)
}

pub(super) fn get_found(input: &mut dyn Read, found: &mut Found, machine: &mut Machine) -> io::Result<Counts> {
    let small: Small = get(input)?;
    if !machine.follow(&small.lineage) {
        return Err(damaged("the kinds of states are not in order"));
    }
    if small.ever.len() != found.ever.len() {
        return Err(damaged("it is of another formula"));
    }
    let wrong = || damaged("its violations are not in order");
    for (kind, path, loop_start) in small.lassos {
        let kind = *KINDS.get(usize::from(kind)).ok_or_else(wrong)?;
        if loop_start.is_some_and(|start| start > path.len()) {
            return Err(wrong());
        }
        found.lassos.push(Lasso { kind, path, loop_start });
    }
    (found.faults, found.errors, found.matched) = (small.faults, small.errors, small.matched);
    (found.depth, found.state_bytes, found.ever) = (small.depth, small.state_bytes, small.ever);
    (found.cut, found.stop) = (small.cut, small.cut.then_some(Stop::Depth));
    let (representatives, normalised, time) = small.renamed;
    Ok(Counts { representatives, normalised, time })
}

impl Keys<'_> {
    pub(super) fn counts(&self) -> Counts {
        let renamed = self.reducer.as_ref().map(quotient_canon::Reducer::counts);
        renamed.or(self.heap.as_ref().map(quotient_canon::HeapReducer::counts)).unwrap_or_default()
    }

    pub(super) fn count_from(&mut self, counts: Counts) {
        match (&mut self.reducer, &mut self.heap) {
            (Some(reducer), _) => reducer.count_from(counts),
            (None, Some(heap)) => heap.count_from(counts),
            (None, None) => {}
        }
    }
}

/// A number that must be below a limit, or be it.
pub(super) fn get_small(input: &mut dyn Read, most: usize) -> io::Result<usize> {
    let number = get_number(input)?;
    usize::try_from(number).ok().filter(|&number| number <= most).ok_or_else(|| damaged("a number is too large"))
}

/// An entry of the visited set.
pub(super) fn get_entry(input: &mut dyn Read, visited: &Exact) -> io::Result<Entry> {
    let address = get_number(input)?;
    visited.entry(address).ok_or_else(|| damaged("its stack is not in order"))
}

/// Whether the successors that are left lie before `end`, the last one first, each a state with its length behind some bytes.
pub(super) fn are_states(machine: &Machine, bytes: &[u8], start: usize, end: usize, left: u32, more: usize) -> bool {
    let mut at = end;
    for _ in 0..left {
        let Some(length) = at.checked_sub(4).and_then(|from| bytes.get(from..at)) else { return false };
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        let state = (at - 4).checked_sub(more).and_then(|to| Some(to.checked_sub(length)?..to));
        let Some(state) = state.filter(|state| state.start >= start) else { return false };
        at = state.start;
        if !machine.knows(&bytes[state]) {
            return false;
        }
    }
    at == start
}

fn put_marks(out: &mut dyn Write, marks: Marks) -> io::Result<()> {
    put_number(out, marks.sets)?;
    out.write_all(&marks.fair.to_bytes())
}

fn get_marks(input: &mut dyn Read) -> io::Result<Marks> {
    let sets = get_number(input)?;
    let mut fair = [0; 32];
    input.read_exact(&mut fair)?;
    Ok(Marks { sets, fair: Bits::of_bytes(&fair) })
}

pub(super) fn put_root(out: &mut dyn Write, root: &scc::Root) -> io::Result<()> {
    put_number(out, root.number as u64)?;
    put_marks(out, root.marks)?;
    put_marks(out, root.entry)?;
    put_number(out, u64::from(root.closed))?;
    put_bytes(out, root.partition.as_ref().map_or(&[][..], Partition::bytes))
}

pub(super) fn get_root(input: &mut dyn Read, live: usize) -> io::Result<scc::Root> {
    let number = get_small(input, live)?;
    let (marks, entry) = (get_marks(input)?, get_marks(input)?);
    let closed = get_number(input)? != 0;
    let partition = match get_bytes(input)? {
        none if none.is_empty() => None,
        bytes => Some(Partition::of_bytes(&bytes).ok_or_else(|| damaged("its components are not in order"))?),
    };
    Ok(scc::Root { number, marks, entry, closed, partition })
}
