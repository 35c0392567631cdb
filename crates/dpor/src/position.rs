//! Where an exploration is, so that another process can go on from there.
//!
//! Executions form a tree: each but the first comes from another one by an alternative (see `share`). So the alternatives that
//! lead from the first execution to the present one say where the exploration is: whoever runs these executions again finds
//! the same alternatives beside them, and leaves out those that have been explored. No graph need be saved.

use crate::explorer::{Alternative, Explorer, Frame, Statistics};
use quotient_graph::ThreadId;

/// An alternative on the way to an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    /// How many alternatives were left below it when it was taken.
    index: u32,
    /// A hash of it, to see that it is the same again.
    print: u64,
    /// What was known then; see [`Explorer`].
    has_classes: bool,
    has_help: bool,
}

/// The alternatives that lead to the present execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    nodes: Vec<Node>,
    /// What is to be reached before anything is explored.
    goal: Option<Position>,
}

/// Where an exploration is, and what it has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    nodes: Vec<Node>,
    /// If the execution that they lead to is done: how many alternatives are left.
    left: Option<u32>,
    /// What has been explored.
    pub statistics: Statistics,
    /// Where parts are dealt out, and how many have been.
    share: (u32, u32),
    left_order: bool,
    /// What is known of memory that threads make and let others know of.
    relied_on: Vec<(ThreadId, u32)>,
    weak: Vec<(ThreadId, u32)>,
}

impl Explorer {
    /// From now on the explorer keeps in mind how it has come to the present execution.
    pub fn keep_position(&mut self) {
        self.trail.get_or_insert_default();
    }

    /// Makes a new explorer go to where another one was, before it explores anything.
    pub fn go_to(&mut self, position: Position) {
        self.trail = Some(Box::new(Trail { nodes: Vec::new(), goal: Some(position) }));
    }

    /// Whether it is still on the way there.
    pub fn is_on_the_way(&self) -> bool {
        self.trail.as_ref().is_some_and(|trail| trail.goal.is_some())
    }

    /// Where the exploration is: the present execution is the next to be run.
    pub fn whereabouts(&self) -> Option<Position> {
        self.whereabouts_with(None)
    }

    /// Where it is when there was no time to look for the next execution.
    pub fn whereabouts_between(&self) -> Option<Position> {
        self.whereabouts_with(Some(self.alternatives.len() as u32))
    }

    fn whereabouts_with(&self, left: Option<u32>) -> Option<Position> {
        let trail = self.trail.as_ref()?;
        if let Some(goal) = &trail.goal {
            return Some(goal.clone());
        }
        let mut nodes = trail.nodes.clone();
        if let Some(left) = left {
            nodes.truncate(nodes.iter().position(|node| node.index >= left).unwrap_or(nodes.len()));
        }
        let sorted = |set: &std::collections::HashSet<(ThreadId, u32)>| {
            let mut list: Vec<_> = set.iter().copied().collect();
            list.sort_unstable();
            list
        };
        Some(Position {
            nodes,
            left,
            statistics: self.statistics,
            share: self.share.map_or((0, 0), |share| share.progress()),
            left_order: self.left_order,
            relied_on: sorted(&self.publication.relied_on),
            weak: sorted(&self.publication.weak),
        })
    }

    /// An alternative of a frame has been taken from the end of the list.
    #[inline]
    pub(crate) fn note_taken(&mut self, frame: &Frame, alternative: &Alternative) {
        if self.trail.is_some() {
            self.note_on_trail(frame, alternative);
        }
    }

    #[cold]
    fn note_on_trail(&mut self, frame: &Frame, alternative: &Alternative) {
        let (has_classes, has_help) = (self.has_classes, self.has_help);
        let index = self.alternatives.len() as u32;
        let Some(trail) = &mut self.trail else { return };
        // Those that were taken from higher up have been explored with all that came from them.
        while trail.nodes.last().is_some_and(|node| node.index > index) {
            trail.nodes.pop();
        }
        trail.nodes.push(Node { index, print: print(frame, alternative), has_classes, has_help });
    }

    /// Takes the next alternative on the way, or, at its end, goes on as the other explorer would have. Says whether there is an
    /// execution to be run.
    ///
    /// # Errors
    /// The alternative is not there: the program is another one, or does not do the same.
    pub fn go_on_the_way(&mut self) -> Result<bool, Astray> {
        let Some(trail) = &mut self.trail else { return Err(Astray) };
        let at = trail.nodes.len();
        let Some(goal) = &mut trail.goal else { return Err(Astray) };
        let Some(&node) = goal.nodes.get(at) else {
            let left = goal.left.ok_or(Astray)?;
            self.arrive();
            self.leave_out(left)?;
            return Ok(self.backtrack());
        };
        let is_last = at + 1 == goal.nodes.len() && goal.left.is_none();
        self.leave_out(node.index.checked_add(1).ok_or(Astray)?)?;
        (self.has_classes, self.has_help) = (self.has_classes | node.has_classes, self.has_help | node.has_help);
        // Whose part it is was decided before.
        let share = self.share.take();
        let found = self.backtrack();
        self.share = share;
        let reached = self.trail.as_ref().and_then(|trail| trail.nodes.get(at).filter(|_| trail.nodes.len() == at + 1));
        if self.is_out_of_time() {
            return Ok(false);
        }
        let same = |there: &Node| (there.index, there.print) == (node.index, node.print);
        if !found || !reached.is_some_and(same) {
            return Err(Astray);
        }
        if is_last {
            self.arrive();
        }
        Ok(true)
    }

    /// Leaves out all alternatives but so many.
    fn leave_out(&mut self, all_but: u32) -> Result<(), Astray> {
        if self.alternatives.len() < all_but as usize {
            return Err(Astray);
        }
        self.alternatives.truncate(all_but as usize);
        while self.frames.last().is_some_and(|frame| frame.first >= all_but) {
            self.frames.pop();
        }
        Ok(())
    }

    /// The way is over: what the other explorer had counted counts, and nothing else.
    fn arrive(&mut self) {
        let Some(goal) = self.trail.as_mut().and_then(|trail| trail.goal.take()) else { return };
        self.statistics = goal.statistics;
        self.left_order |= goal.left_order;
        self.publication.relied_on.extend(goal.relied_on);
        self.publication.weak.extend(goal.weak);
        if let Some(share) = &mut self.share {
            share.set_progress(goal.share);
        }
    }

    /// Whether nothing need be run to be there: it is the beginning.
    pub fn is_there_already(&mut self) -> bool {
        let at_the_beginning = self
            .trail
            .as_ref()
            .and_then(|trail| trail.goal.as_ref())
            .is_some_and(|goal| goal.nodes.is_empty() && goal.left.is_none());
        if at_the_beginning {
            self.arrive();
        }
        at_the_beginning
    }
}

/// The explorer does not find the way to where another one was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray;

/// A hash of an alternative (FNV-1a on numbers).
fn print(frame: &Frame, alternative: &Alternative) -> u64 {
    let Alternative { source, after, revisit, revisit_after, revisit_fails, choice, lists, unchecked } = *alternative;
    let place = |id: quotient_graph::EventId| u64::from(id.thread()) << 32 | u64::from(id.position());
    let flags = u64::from(revisit_fails) | u64::from(lists) << 1 | u64::from(unchecked) << 2;
    let numbers = [
        place(source),
        place(after),
        place(revisit),
        place(revisit_after),
        u64::from(choice),
        flags,
        u64::from(frame.depth),
        frame.pending.map_or(u64::MAX, |pending| place(pending.id)),
    ];
    numbers
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| (hash ^ number).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
}

impl Position {
    /// The position as numbers.
    pub fn numbers(&self) -> Vec<u64> {
        let Statistics { complete, blocked, events, revisits, cyclic, longest } = self.statistics;
        let left = self.left.map_or(u64::MAX, u64::from);
        let share = [u64::from(self.share.0), u64::from(self.share.1)];
        let mut all = vec![complete, blocked, events, revisits, cyclic, longest, left, share[0], share[1]];
        all.push(u64::from(self.left_order));
        for pairs in [&self.relied_on, &self.weak] {
            all.push(pairs.len() as u64);
            all.extend(pairs.iter().map(|&(thread, number)| u64::from(thread) << 32 | u64::from(number)));
        }
        for node in &self.nodes {
            let flags = u64::from(node.has_classes) | u64::from(node.has_help) << 1;
            all.extend([u64::from(node.index) << 2 | flags, node.print]);
        }
        all
    }

    /// What [`Position::numbers`] has made; `None` if they are not that.
    pub fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let mut rest = numbers.iter().copied();
        let mut next = || rest.next();
        let statistics = Statistics {
            complete: next()?,
            blocked: next()?,
            events: next()?,
            revisits: next()?,
            cyclic: next()?,
            longest: next()?,
        };
        let left = Some(next()?).filter(|&left| left != u64::MAX);
        let left = match left {
            Some(left) => Some(u32::try_from(left).ok()?),
            None => None,
        };
        let share = (u32::try_from(next()?).ok()?, u32::try_from(next()?).ok()?);
        let left_order = next()? != 0;
        let mut pairs = || {
            let count = next()?;
            (0..count).map(|_| next().map(|pair| ((pair >> 32) as ThreadId, pair as u32))).collect::<Option<Vec<_>>>()
        };
        let (relied_on, weak) = (pairs()?, pairs()?);
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(first) = next() {
            let node = Node {
                index: u32::try_from(first >> 2).ok()?,
                print: next()?,
                has_classes: first & 1 != 0,
                has_help: first & 2 != 0,
            };
            if nodes.last().is_some_and(|last| last.index > node.index) {
                return None;
            }
            nodes.push(node);
        }
        Some(Position { nodes, left, statistics, share, left_order, relied_on, weak })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_position() {
        let node = Node { index: 7, print: 99, has_classes: true, has_help: false };
        let statistics = Statistics { complete: 1, blocked: 2, events: 3, revisits: 4, cyclic: 5, longest: 6 };
        let position = Position {
            nodes: vec![Node { index: 2, ..node }, node],
            left: Some(3),
            statistics,
            share: (4, 5),
            left_order: true,
            relied_on: vec![(1, 2)],
            weak: vec![(3, 4), (5, 6)],
        };
        let numbers = position.numbers();
        assert_eq!(Position::from_numbers(&numbers), Some(position));
        // What is cut off is noticed, but for whole nodes.
        assert!((0..numbers.len() - 4).all(|length| Position::from_numbers(&numbers[..length]).is_none()));
        assert_eq!(Position::from_numbers(&numbers[..numbers.len() - 1]), None);
    }
}
