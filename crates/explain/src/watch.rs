//! What a run that repeats shows of a claim. It follows the run state by state and judges at the end, without the automaton that the
//! search has used: formulas are evaluated on the run itself, and never claims are run beside it.

use std::collections::HashSet;

use quotient_ir::{Claim, ClaimKind, Expr, Model, Proctype};
use quotient_ltl::{lasso, prefix};
use quotient_report::source::Span;
use quotient_step::reference::{Interpreter, State};
use quotient_step::{Choice, Fault};

use crate::claim::{self, Places};
use crate::lasso::Refuted;

/// Where a run repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It goes back to where the cycle begins.
    Cycle,
    /// Nothing can happen, and the last state repeats.
    Stutters,
    /// It does not matter how it goes on.
    Open,
}

/// Follows a run.
pub(crate) struct Watch<'m> {
    interpreter: Interpreter<'m>,
    claim: &'m Claim,
    /// Acceptance labels of processes count for a never claim, as in SPIN.
    processes_accept: bool,
    /// The process types that the run is to be fair to; all if there is none.
    fair_to: &'m [String],
    /// The propositions that hold in each state seen.
    letters: Vec<u64>,
    /// The number of the first state of the cycle.
    cycle: Option<usize>,
    /// Where a never claim can be before the next state.
    places: Vec<bool>,
    /// All places of a never claim that were met. If it has no variables, these are its control states.
    known: Places,
    /// Where a never claim can be when the cycle begins.
    entry: Vec<bool>,
    /// What a never claim can do in each state of the cycle, from where to where, wherever it is.
    moves: Vec<Vec<(usize, usize)>>,
    /// The states of the cycle, if the claim has variables: where else it can be there is found out at the end.
    states: Vec<State>,
    /// A never claim has come to its end.
    completed: bool,
    /// An assertion of a never claim has failed.
    asserted: bool,
    /// For each state of the cycle whether a process is at an acceptance label.
    accepting: Vec<bool>,
    /// A state of the cycle has a progress label.
    progress: bool,
    /// What each process does in the cycle, by id.
    pub(crate) processes: Vec<InCycle>,
    /// The first id of a thread that ends in the cycle. Those behind it get its place; so in the long run nobody stays there.
    pub(crate) leaves: Option<usize>,
}

/// What a process does in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct InCycle {
    /// It moves, or receives in a rendezvous.
    pub(crate) moves: bool,
    /// Before this step it cannot move, or is not there; where it waits.
    pub(crate) idle: Option<(usize, Option<Span>)>,
    /// It can move somewhere.
    pub(crate) able: bool,
    /// What it is called.
    pub(crate) name: String,
    /// It is of a type that the run need not be fair to.
    pub(crate) passed_over: bool,
}

impl<'m> Watch<'m> {
    pub(crate) fn new(
        interpreter: Interpreter<'m>,
        claim: &'m Claim,
        processes_accept: bool,
        fair_to: &'m [String],
    ) -> Self {
        let mut known = Places::default();
        let mut places = Vec::new();
        if let ClaimKind::Never(ty) = claim.kind {
            let start = known.begin(&interpreter.model.proctypes[ty]);
            places = vec![false; known.list.len()];
            places[start] = true;
        }
        Watch {
            interpreter,
            claim,
            processes_accept,
            fair_to,
            letters: Vec::new(),
            cycle: None,
            places,
            known,
            entry: Vec::new(),
            moves: Vec::new(),
            states: Vec::new(),
            completed: false,
            asserted: false,
            accepting: Vec::new(),
            progress: false,
            processes: Vec::new(),
            leaves: None,
        }
    }

    /// The next state is the first of the cycle.
    pub(crate) fn begin_cycle(&mut self) {
        self.cycle = Some(self.letters.len());
        self.entry = self.places.clone();
    }

    /// Whether the claim asks for `np_`, which is false while a state repeats because nobody can move.
    pub(crate) fn asks_progress(&self) -> bool {
        let asks = |e: &Expr| matches!(e, Expr::NonProgress);
        let by_claim = |ty: usize| {
            let statements = &self.interpreter.model.proctypes[ty].statements;
            statements.iter().any(|statement| statement.action.any(&asks))
        };
        let by_formula = self.claim.propositions.iter().any(|proposition| proposition.expr.any(&asks));
        by_formula || matches!(self.claim.kind, ClaimKind::Never(ty) if by_claim(ty))
    }

    /// The state seen last repeats forever.
    pub(crate) fn rest(&mut self, state: &State) -> Result<(), Fault> {
        let state = &State { rests: true, ..state.clone() };
        if self.asks_progress() {
            let letter = self.letter(state)?;
            self.letters.push(letter);
        }
        self.cycle = Some(self.letters.len().saturating_sub(1));
        if let ClaimKind::Never(ty) = self.claim.kind {
            // Whatever a claim can come to, it comes to in as many steps as it has places.
            let mut round = 0;
            while round < self.known.list.len() {
                self.entry = self.places.clone();
                self.moves.clear();
                self.states.clear();
                self.claim_moves(&self.interpreter.model.proctypes[ty], state)?;
                round += 1;
            }
        }
        Ok(())
    }

    /// The run is in this state, where everyone may move, before the step of this number. It returns the propositions that hold.
    pub(crate) fn state(&mut self, state: &State, step: usize) -> Result<u64, Fault> {
        let letter = self.letter(state)?;
        self.letters.push(letter);
        let model = self.interpreter.model;
        if let ClaimKind::Never(ty) = self.claim.kind {
            self.claim_moves(&model.proctypes[ty], state)?;
        }
        if self.cycle.is_some() {
            self.in_cycle(model, state, step);
        }
        Ok(letter)
    }

    /// The propositions that hold in a state.
    fn letter(&self, state: &State) -> Result<u64, Fault> {
        let mut letter = 0;
        for (number, proposition) in self.claim.propositions.iter().enumerate() {
            if self.interpreter.holds(state, &proposition.expr)? {
                letter |= 1 << number;
            }
        }
        Ok(letter)
    }

    /// A process moves in the cycle, in this state.
    pub(crate) fn step(&mut self, state: &State, choice: Choice) {
        let model = self.interpreter.model;
        if let Some(process) = state.processes.get(choice.process).filter(|_| model.heap.is_some()) {
            let proctype = &model.proctypes[process.proctype];
            let transition = proctype.states[process.control].transitions.get(choice.transition);
            let ends = transition.is_some_and(|t| crate::heap::exits(&proctype.statements[t.statement].action));
            if ends && self.leaves.is_none_or(|first| choice.process < first) {
                self.leaves = Some(choice.process);
            }
        }
        for process in [Some(choice.process), choice.partner.map(|(process, _)| process)].into_iter().flatten() {
            self.process(process).moves = true;
        }
    }

    fn process(&mut self, id: usize) -> &mut InCycle {
        if self.processes.len() <= id {
            self.processes.resize_with(id + 1, InCycle::default);
        }
        &mut self.processes[id]
    }

    fn in_cycle(&mut self, model: &Model, state: &State, step: usize) {
        let mut at = (false, false);
        for process in &state.processes {
            let control = &model.proctypes[process.proctype].states[process.control];
            at = (at.0 || control.accept, at.1 || control.progress);
        }
        self.accepting.push(at.0);
        self.progress |= at.1;
        let known = self.processes.len().max(state.processes.len());
        for id in 0..known {
            let there = state.processes.get(id);
            let passed_over = !self.fair_to.is_empty()
                && there.is_some_and(|process| !self.fair_to.contains(&model.proctypes[process.started_as()].name));
            let able = there.is_some() && !passed_over && self.interpreter.can_move(state, id);
            let here = there.map(|process| {
                let proctype = &model.proctypes[process.proctype];
                let first = proctype.states[process.control].transitions.first();
                first.map_or(proctype.span, |transition| proctype.statements[transition.statement].span)
            });
            let name = there.map(|_| crate::names::process(model, state, id).to_string());
            let earlier = self.accepting.len() > 1;
            let is_new = self.processes.len() <= id;
            let entry = self.process(id);
            if is_new && earlier {
                // It was not there in the first state of the cycle.
                entry.idle = Some((step, None));
            }
            entry.able |= able;
            entry.passed_over |= passed_over;
            entry.name = name.unwrap_or_else(|| std::mem::take(&mut entry.name));
            if !able && entry.idle.is_none() {
                entry.idle = Some((step, here));
            }
        }
    }

    /// Takes all steps that a never claim can take in a state.
    fn claim_moves(&mut self, proctype: &Proctype, state: &State) -> Result<(), Fault> {
        let mut after = Vec::new();
        let mut moves = Vec::new();
        for from in 0..self.places.len() {
            let is_there = self.places[from];
            if !is_there && self.cycle.is_none() {
                continue;
            }
            let place = &self.known.list[from];
            let step = claim::step(&self.interpreter, proctype, state, place);
            let step = match step {
                Ok(step) => step,
                Err(fault) if is_there => return Err(fault),
                // The claim is not there in this round, so that nobody asks.
                Err(_) => continue,
            };
            self.asserted |= is_there && step.failed;
            self.completed |= is_there && proctype.end == Some(place.0);
            for target in step.targets {
                self.completed |= is_there && proctype.end == Some(target.0);
                let to = self.known.number(target);
                moves.push((from, to));
                if is_there {
                    after.push(to);
                }
            }
        }
        self.places = vec![false; self.known.list.len()];
        after.into_iter().for_each(|to| self.places[to] = true);
        if self.cycle.is_some() {
            self.moves.push(moves);
            if self.known.has_variables {
                self.states.push(state.clone());
            }
        }
        Ok(())
    }

    /// A claim with variables can come to more places in later rounds.
    fn complete_moves(&mut self, proctype: &Proctype) {
        let rounds = self.states.len();
        let mut seen = HashSet::new();
        let entry = self.entry.iter().enumerate().filter(|(_, is_there)| **is_there);
        let mut waiting: Vec<(usize, usize)> = entry.map(|(place, _)| (place, 0)).collect();
        self.moves = vec![Vec::new(); rounds];
        while let Some((from, position)) = waiting.pop() {
            if !seen.insert((from, position)) {
                continue;
            }
            let step = claim::step(&self.interpreter, proctype, &self.states[position], &self.known.list[from]);
            for target in step.map(|step| step.targets).unwrap_or_default() {
                let to = self.known.number(target);
                self.moves[position].push((from, to));
                waiting.push((to, (position + 1) % rounds));
            }
        }
    }

    /// Whether the run violates the claim, if it ends so.
    pub(crate) fn violates(&mut self, ending: Ending) -> Result<(), Refuted> {
        if let (ClaimKind::Never(ty), false) = (&self.claim.kind, self.states.is_empty()) {
            self.complete_moves(&self.interpreter.model.proctypes[*ty]);
        }
        let shown = match (&self.claim.kind, self.cycle) {
            (ClaimKind::Ltl { formula, .. }, Some(start)) => !lasso::holds(formula, &self.letters, start),
            (ClaimKind::Ltl { formula, .. }, None) => {
                prefix::refutes(formula, &self.letters).map_err(|problem| Refuted::Unclear(problem.to_string()))?
            }
            (ClaimKind::Never(_), _) if ending != Ending::Cycle && (self.completed || self.asserted) => true,
            (ClaimKind::Never(ty), Some(_)) => self.claim_accepts(&self.interpreter.model.proctypes[*ty]),
            (ClaimKind::Acceptance, Some(_)) => self.accepting.contains(&true),
            (ClaimKind::Progress, Some(_)) => !self.progress,
            _ => false,
        };
        if shown { Ok(()) } else { Err(Refuted::NoViolation) }
    }

    /// What kind of violation it is.
    pub(crate) fn kind(&self, ending: Ending) -> &'static str {
        match self.claim.kind {
            ClaimKind::Ltl { .. } => "ltl-violated",
            ClaimKind::Progress => "non-progress-cycle",
            ClaimKind::Never(_) if ending != Ending::Cycle && self.completed => "claim-completed",
            ClaimKind::Never(_) if ending != Ending::Cycle && self.asserted => "claim-assertion",
            _ => "acceptance-cycle",
        }
    }

    /// What the propositions do in the cycle: those that stay true, and those that stay false.
    pub(crate) fn constant(&self) -> (Vec<&str>, Vec<&str>) {
        let Some(start) = self.cycle else { return (Vec::new(), Vec::new()) };
        let cycle = &self.letters[start..];
        let (always, ever) = cycle.iter().fold((u64::MAX, 0), |(all, any), letter| (all & letter, any | letter));
        let texts = |bits: u64| -> Vec<&str> {
            let numbered = self.claim.propositions.iter().enumerate();
            numbered.filter(|(number, _)| bits >> number & 1 == 1).map(|(_, p)| p.text.as_str()).collect()
        };
        (texts(always), texts(!ever))
    }

    /// Whether a never claim can accept: some accepting place that it comes to, at some state of the cycle, comes back to itself.
    fn claim_accepts(&self, proctype: &Proctype) -> bool {
        let (places, length) = (self.known.list.len(), self.moves.len());
        // A node is a place of the claim and a state of the cycle that it has not read yet.
        let node = |place: usize, position: usize| place * length + position;
        let mut edges = vec![Vec::new(); places * length];
        for (position, moves) in self.moves.iter().enumerate() {
            for &(from, to) in moves {
                edges[node(from, position)].push(node(to, (position + 1) % length));
            }
        }
        let reach = |mut waiting: Vec<usize>| {
            let mut seen = vec![false; edges.len()];
            while let Some(node) = waiting.pop() {
                for &next in &edges[node] {
                    if !std::mem::replace(&mut seen[next], true) {
                        waiting.push(next);
                    }
                }
            }
            seen
        };
        // Every node on a cycle is reached by a step, also the first ones.
        let entry = self.entry.iter().enumerate().filter(|(_, is_there)| **is_there);
        let reached = reach(entry.map(|(place, _)| node(place, 0)).collect());
        (0..edges.len()).filter(|&node| reached[node]).any(|node| {
            let (place, position) = (node / length, node % length);
            let accepts =
                proctype.states[self.known.list[place].0].accept || (self.processes_accept && self.accepting[position]);
            accepts && reach(vec![node])[node]
        })
    }
}
