//! The search of the interleavings: depth first, with or without a memory of states, with persistent sets, sleep sets and symmetry.
//! Follows figure 1 of the paper; with a memory of states it follows Godefroid, *Partial-Order Methods for the Verification of
//! Concurrent Systems* (1996): sleep sets are kept with states, and cycles are not closed by a reduced choice.

use rapidhash::RapidHashMap;

use crate::found::{Doubt, Dropped, Exploration, KILLED, Move, Stopped, Violation, ViolationKind, Watch};
use crate::grow::{Grow, Trouble};
use crate::leak;
use crate::livelock;
use crate::names::{FIRST_CHILD, Names};
use crate::op::{Op, Pid};
use crate::options::{Compare, Damage, Independence, Options, Persistent, Symmetry};
use crate::perform::Choice;
use crate::reach;
use crate::sem;
use crate::state::State;
use crate::symmetry::{Asymmetry, Group, Label, Renaming};
use crate::work::Spot;
use crate::world::{Attempt, System, Trap, World, meet};

/// Searches a system.
pub fn explore(system: &System, grow: &mut dyn Grow, options: &Options, watch: &mut dyn Watch) -> Exploration {
    let mut world = World::new(system.clone(), grow, Names::default());
    explore_in(&mut world, options, watch)
}

pub(crate) fn explore_in(world: &mut World<'_>, options: &Options, watch: &mut dyn Watch) -> Exploration {
    let mut dropped = Vec::new();
    let mut options = options.clone();
    loop {
        world.crossed = None;
        world.names.noticed = world.habits.noticed;
        let mut search = Search {
            world: &mut *world,
            options: &options,
            watch: &mut *watch,
            found: Exploration::default(),
            visited: RapidHashMap::default(),
            frames: Vec::new(),
            group: Group::trivial(),
            again: None,
        };
        search.found.dropped.clone_from(&dropped);
        search.run();
        let (again, mut found) = (search.again, search.found);
        found.steps = world.tree.steps();
        found.nodes = world.tree.len();
        found.names = world.names.clone();
        let Some(reason) = again else {
            if let Some(fairness) = options.livelock
                && found.stopped.is_none()
            {
                livelock::look_for(world, fairness, &options, watch, &mut found);
            }
            return found;
        };
        if matches!(reason, Dropped::Symmetry(_)) {
            options.symmetry = Symmetry::None;
        }
        // A plain search does not rely on it.
        if reason != Dropped::Signals || (options.persistent != Persistent::All && !dropped.contains(&reason)) {
            dropped.push(reason);
        }
    }
}

struct Search<'s, 'a> {
    world: &'s mut World<'a>,
    options: &'s Options,
    watch: &'s mut dyn Watch,
    found: Exploration,
    visited: RapidHashMap<State, Visited>,
    frames: Vec<Frame>,
    group: Group,
    /// The search must begin again without this.
    again: Option<Dropped>,
}

/// What is remembered of a state.
struct Visited {
    sleep: Vec<Move>,
    /// How often it is on the stack.
    on_stack: u32,
}

/// A state that the search is at.
struct Frame {
    state: State,
    /// The state under which it is remembered, and the renaming that leads there.
    key: Option<(State, Renaming)>,
    enabled: Vec<Enabled>,
    /// What is to be done, last first, as indices.
    todo: Vec<usize>,
    /// What is left out, as indices.
    left_out: Vec<usize>,
    sleep: Vec<Move>,
    /// The transition that is being explored.
    current: Option<Move>,
    /// That transition closes a cycle. It must not sleep afterwards: what would follow it is not explored there but here.
    closes: bool,
    /// Something is left out only as long as every transition leads to a state that was never entered.
    ///
    /// Along a cycle, something must be left out nowhere. As long as each state is entered once, it is enough that no state leaves
    /// something out that leads back to the stack. When a state is entered again because something woke up, a cycle can be closed
    /// by transitions that were made at different times, none of which led to the stack. From there on the rule is stricter: then
    /// all states behind such a transition are new, and the cycle cannot be closed.
    strict: bool,
}

struct Enabled {
    attempt: Attempt,
    after: Option<Result<State, Trap>>,
}

impl Enabled {
    fn is(&self, other: &Move) -> bool {
        self.attempt.pid == other.pid && self.attempt.choice == other.choice
    }

    fn name(&self) -> Move {
        Move { pid: self.attempt.pid, choice: self.attempt.choice.clone() }
    }
}

impl Search<'_, '_> {
    fn run(&mut self) {
        let first = match self.world.start() {
            Ok(state) => state,
            Err(trap) => return self.trapped(trap),
        };
        match Group::find(self.world, &first, self.options) {
            Ok(group) => self.group = group,
            Err(why) => {
                self.again = Some(Dropped::Symmetry(why));
                return;
            }
        }
        self.found.renamings = self.group.len();
        self.enter(first, Vec::new());
        while let Some(frame) = self.frames.last_mut() {
            if self.again.is_some() || self.found.stopped.is_some() {
                return;
            }
            let closes = std::mem::take(&mut frame.closes);
            if let Some(done) = frame.current.take()
                && self.options.sleep
                && !closes
            {
                frame.sleep.push(done);
            }
            let Some(index) = frame.todo.pop() else {
                let frame = self.frames.pop().expect("there is one");
                if let Some((key, _)) = &frame.key
                    && let Some(visited) = self.visited.get_mut(key)
                {
                    visited.on_stack -= 1;
                }
                continue;
            };
            self.take(index);
        }
    }

    /// Makes a transition of the last state.
    fn take(&mut self, index: usize) {
        self.found.transitions += 1;
        if self.options.most_transitions.is_some_and(|most| self.found.transitions > most) {
            self.found.stopped = Some(Stopped::Transitions);
            return;
        }
        if self.found.transitions.is_multiple_of(100) && !self.watch.goes_on(&self.found) {
            self.found.stopped = Some(Stopped::Interrupted);
            return;
        }
        let depth = self.frames.len() - 1;
        self.after(depth, index);
        let frame = &mut self.frames[depth];
        let entry = &frame.enabled[index];
        let name = entry.name();
        let after = entry.after.clone().expect("it was made");
        frame.current = Some(name.clone());
        self.look_at(depth, index);
        self.found.longest = self.found.longest.max(self.frames.len());
        if self.world.habits.noticed != self.world.names.noticed {
            self.again = Some(Dropped::Signals);
            return;
        }
        if self.world.habits.signals
            && !self.found.dropped.contains(&Dropped::Signals)
            && self.options.persistent != Persistent::All
        {
            self.again = Some(Dropped::Signals);
            return;
        }
        match after {
            Err(trap) => self.trapped(trap),
            Ok(state) => {
                let sleep = self.sleep_after(depth, index);
                self.enter(state, sleep);
            }
        }
    }

    /// Carries out a transition of a state on the stack, unless that was done before.
    fn after(&mut self, depth: usize, index: usize) -> &Result<State, Trap> {
        let entry = &mut self.frames[depth].enabled[index];
        if entry.after.is_none() {
            entry.after = Some(self.world.arrive(entry.attempt.clone()));
        }
        entry.after.as_ref().expect("it was made")
    }

    /// Notes what is wrong with a transition itself.
    fn look_at(&mut self, depth: usize, index: usize) {
        let frame = &self.frames[depth];
        let Move { pid, choice } = frame.enabled[index].name();
        let attempt = &frame.enabled[index].attempt;
        self.found.handlers |= attempt.delivers();
        if let Some(signal) = attempt.dies {
            self.ended_with(pid, KILLED + signal);
        }
        let frame = &self.frames[depth];
        let node = frame.state.process(pid).expect("it moves").node;
        match (choice, self.world.tree.op(node)) {
            (Choice::Die(signal), _) => self.ended_with(pid, KILLED + signal),
            (Choice::Go, Op::Exit { status }) => {
                let status = *status;
                self.ended_with(pid, status);
            }
            (Choice::Go, Op::Assert { holds: false }) => self.violated(ViolationKind::Assertion, Some(pid)),
            (Choice::Go, Op::Crash { signal, reason }) => {
                let kind = ViolationKind::Crash { signal: *signal, reason: reason.clone() };
                self.violated(kind, Some(pid));
            }
            _ => {}
        }
    }

    /// Notes with which status a process has ended that was started.
    fn ended_with(&mut self, pid: Pid, status: i32) {
        if pid >= FIRST_CHILD || status == 0 {
            return;
        }
        if self.options.exit_status {
            self.violated(ViolationKind::ExitStatus(status), Some(pid));
        } else if !self.found.statuses.iter().any(|known| known.0 == pid) {
            self.found.statuses.push((pid, status));
        }
    }

    fn run_so_far(&self) -> Vec<Move> {
        self.frames.iter().filter_map(|frame| frame.current.clone()).collect()
    }

    /// The run so far, as it is compared with others.
    fn labels(&self) -> Vec<Label> {
        let label = |frame: &Frame| {
            let made = frame.current.as_ref()?;
            let entry = frame.enabled.iter().find(|entry| entry.is(made))?;
            let node = frame.state.process(made.pid)?.node;
            Some(Label {
                pid: made.pid,
                op: self.world.tree.op(node).clone(),
                choice: made.choice.clone(),
                spots: entry.attempt.touched.iter().map(|touch| touch.spot).collect(),
            })
        };
        self.frames.iter().filter_map(label).collect()
    }

    fn violated(&mut self, kind: ViolationKind, pid: Option<Pid>) {
        let known = self.found.violations.iter().any(|other| other.kind == kind && other.pid == pid);
        if !known {
            let run = self.run_so_far();
            self.found.violations.push(Violation { kind, pid, run });
        }
        if !self.options.all_violations {
            self.found.stopped = Some(Stopped::Violation);
        }
    }

    fn trapped(&mut self, trap: Trap) {
        let Trap { pid, trouble, .. } = trap;
        match trouble {
            Trouble::Divergence => self.violated(ViolationKind::Divergence, Some(pid)),
            Trouble::Nondeterminism { before, now } => {
                self.violated(ViolationKind::Nondeterminism { before, now }, Some(pid));
                self.found.stopped = Some(Stopped::Violation);
            }
            trouble => {
                let fatal = matches!(trouble, Trouble::Failed { .. });
                if !self.found.doubts.iter().any(|doubt| doubt.trouble == trouble) {
                    let run = self.run_so_far();
                    self.found.doubts.push(Doubt { pid, trouble, run });
                }
                if fatal {
                    self.found.stopped = Some(Stopped::Failed);
                }
            }
        }
    }

    /// What sleeps after a transition: what slept before and is independent of it.
    fn sleep_after(&mut self, depth: usize, index: usize) -> Vec<Move> {
        let sleeping = self.frames[depth].sleep.clone();
        sleeping.into_iter().filter(|other| self.independent(depth, index, other)).collect()
    }

    /// Whether a transition is independent of another, which is possible too, in a state on the stack.
    fn independent(&mut self, depth: usize, index: usize, other: &Move) -> bool {
        let frame = &self.frames[depth];
        let entry = &frame.enabled[index];
        if entry.attempt.pid == other.pid {
            return false;
        }
        if self.options.damage == Some(Damage::SleepForever) {
            return true;
        }
        let Some(second) = frame.enabled.iter().position(|entry| entry.is(other)) else { return false };
        if !meet(&frame.state, &entry.attempt, &frame.enabled[second].attempt) {
            return true;
        }
        if self.options.independence == Independence::Touches {
            return false;
        }
        let this = entry.name();
        let Ok(first_state) = self.after(depth, index).clone() else { return false };
        let Ok(second_state) = self.after(depth, second).clone() else { return false };
        let Some(Ok(one)) = self.world.step(&first_state, other.pid, &other.choice) else { return false };
        let Some(Ok(two)) = self.world.step(&second_state, this.pid, &this.choice) else { return false };
        one == two
    }

    /// Enters a state.
    fn enter(&mut self, state: State, sleep: Vec<Move>) {
        if let Err(why) = self.group.check(self.world, self.options) {
            self.again = Some(Dropped::Symmetry(why));
            return;
        }
        if self.options.keep {
            for process in state.processes.iter().filter(|process| process.runs()) {
                self.found.locals.insert((process.pid, process.node));
            }
        }
        let mut only = None;
        let key = if self.options.stateful {
            let (key, renaming) = match self.group.canonical(self.world, &state, self.options.compare) {
                Ok(found) => found,
                Err(why) => {
                    self.again = Some(Dropped::Symmetry(why));
                    return;
                }
            };
            let renamed: Vec<Move> = sleep.iter().map(|other| renaming.of_move(&mut self.world.names, other)).collect();
            if let Some(visited) = self.visited.get_mut(&key) {
                let last = self.frames.last_mut();
                if let Some(last) = last
                    && (visited.on_stack > 0 || last.strict)
                    && self.options.damage != Some(Damage::NoProviso)
                {
                    expand(last);
                    last.closes = self.options.damage != Some(Damage::SleepAfterCycle);
                }
                let wakes: Vec<Move> = visited.sleep.iter().filter(|other| !renamed.contains(other)).cloned().collect();
                if wakes.is_empty() {
                    return;
                }
                visited.sleep.retain(|other| renamed.contains(other));
                visited.on_stack += 1;
                only = Some(wakes);
            } else {
                if self.options.most_states.is_some_and(|most| self.found.states >= most) {
                    self.found.stopped = Some(Stopped::States);
                    return;
                }
                self.found.states += 1;
                self.visited.insert(key.clone(), Visited { sleep: renamed, on_stack: 1 });
            }
            Some((key, renaming))
        } else {
            self.found.states += 1;
            None
        };
        self.expand_state(state, key, sleep, only);
    }

    fn expand_state(
        &mut self,
        state: State,
        key: Option<(State, Renaming)>,
        sleep: Vec<Move>,
        only: Option<Vec<Move>>,
    ) {
        let mut moves = self.world.moves(&state);
        if self.world.system.exits_wait {
            // The paper's programs have made the others, and come last.
            let children = moves.iter().position(|entry| entry.0 >= FIRST_CHILD).unwrap_or(0);
            moves.rotate_left(children);
        }
        if self.options.persistent != Persistent::All && !self.found.dropped.contains(&Dropped::Semaphores) {
            let odd =
                state.processes.iter().any(|process| process.runs() && sem::is_odd(self.world.tree.op(process.node)));
            if odd || self.world.habits.odd_semaphores {
                self.again = Some(Dropped::Semaphores);
                return;
            }
        }
        let running = state.processes.iter().filter(|process| process.runs());
        self.found.shared_memory |= share_memory(&state);
        if let Some(process) =
            running.clone().find(|process| self.group.is_blind_to(self.world.tree.stop(process.node)))
        {
            self.again = Some(Dropped::Symmetry(Asymmetry::Parents(process.parent)));
            return;
        }
        let enough = self.enough(&state, &moves);
        let enabled: Vec<Enabled> =
            moves.into_iter().flat_map(|entry| entry.1.list).map(|attempt| Enabled { attempt, after: None }).collect();
        if enabled.is_empty() {
            self.found.paths += 1;
            if let Some(pid) = self.world.waits_for_an_exit(&state) {
                let detail = "processes do not end in this mode".to_owned();
                let trouble = Trouble::Unsupported { call: "wait".to_owned(), detail };
                self.trapped(Trap { pid, node: None, trouble });
            } else if !self.world.may_end(&state) {
                self.found.deadlocks += 1;
                self.violated(ViolationKind::Deadlock, None);
            }
            leak::note(self.world, &state, &mut self.found.leaks);
            if self.options.keep {
                self.found.ends.insert(state);
            }
            if let Some((key, _)) = &key
                && let Some(visited) = self.visited.get_mut(key)
            {
                visited.on_stack -= 1;
            }
            return;
        }
        if self.options.most_depth.is_some_and(|most| self.frames.len() >= most) {
            self.found.cut += 1;
            // It may be entered again by a shorter run.
            if let Some((key, _)) = &key
                && self.visited.remove(key).is_some()
            {
                self.found.states -= 1;
            }
            return;
        }
        let (mut todo, mut left_out) = (Vec::new(), Vec::new());
        for (index, entry) in enabled.iter().enumerate() {
            if sleep.iter().any(|other| entry.is(other)) {
                continue;
            }
            let chosen = enough.as_ref().is_none_or(|enough| enough.contains(&entry.attempt.pid));
            if !chosen {
                left_out.push(index);
                continue;
            }
            let wanted = only.as_ref().is_none_or(|only| {
                let name = match &key {
                    Some((_, renaming)) => renaming.of_move(&mut self.world.names, &entry.name()),
                    None => entry.name(),
                };
                only.contains(&name)
            });
            if wanted {
                todo.push(index);
            }
        }
        let names: Vec<Move> = enabled.iter().map(Enabled::name).collect();
        if self.options.compare != Compare::Canonical && self.group.len() > 1 {
            let run = if self.options.compare == Compare::Traces { self.labels() } else { Vec::new() };
            self.group.drop_symmetric(self.world, &state, &run, &names, &mut todo, self.options.compare);
        }
        if todo.is_empty() {
            self.found.paths += 1;
        }
        todo.reverse();
        let strict = only.is_some() || self.frames.last().is_some_and(|last| last.strict);
        self.frames.push(Frame { state, key, enabled, todo, left_out, sleep, current: None, closes: false, strict });
    }

    /// The processes of which the moves are enough.
    fn enough(&self, state: &State, moves: &[(Pid, crate::world::Attempts)]) -> Option<Vec<Pid>> {
        match self.options.persistent {
            Persistent::All => None,
            // What the paper relies on is not so.
            Persistent::Paper if !self.found.dropped.iter().all(|one| matches!(one, Dropped::Symmetry(_))) => None,
            Persistent::Paper => {
                let op = |pid: Pid| self.world.tree.op(state.process(pid).expect("it moves").node);
                let mut enabled = moves.iter().filter(|entry| !entry.1.list.is_empty());
                let gives = enabled.clone().find(|entry| sem::only_gives(op(entry.0)));
                let alone = |entry: &&(Pid, crate::world::Attempts)| {
                    entry.1.touched.iter().all(|touch| touch.spot == Spot::Signals(entry.0))
                };
                let touches_nothing = || enabled.find(alone);
                gives.or_else(touches_nothing).map(|entry| vec![entry.0])
            }
            Persistent::Reach => {
                let looked: Vec<_> =
                    moves.iter().map(|entry| (entry.0, !entry.1.list.is_empty(), &entry.1.touched[..])).collect();
                let mut habits = self.world.habits;
                // What was relied on once is relied on until the search begins again.
                habits.signals = self.found.dropped.contains(&Dropped::Signals);
                habits.odd_semaphores = self.found.dropped.contains(&Dropped::Semaphores);
                let closes = self.options.damage != Some(Damage::NoClosure);
                reach::persistent(state, &looked, |node| self.world.tree.op(node).clone(), habits, closes)
            }
        }
    }
}

/// Whether two processes map the same memory.
fn share_memory(state: &State) -> bool {
    let mut all: Vec<u32> = Vec::new();
    for &(segment, _) in state.processes.iter().flat_map(|process| &process.mapped) {
        if all.contains(&segment) {
            return true;
        }
        all.push(segment);
    }
    false
}

/// Takes up what was left out of a state, because a cycle was closed.
fn expand(frame: &mut Frame) {
    let more = std::mem::take(&mut frame.left_out);
    frame.todo.splice(0..0, more.into_iter().rev());
}
