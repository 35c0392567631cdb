//! Models with a heap: a step is local if it uses no global variable and no record but those that its process alone can reach.
//!
//! Follows Iosif, "Symmetry reductions for model checking of concurrent dynamic software" (making a record commutes with
//! everything, up to the names of records), and goes beyond it: what only one process can reach is its own. Which records a step
//! uses, and whose they are, is asked of the state when a step is tried (`quotient_step::machine`, `search/src/engine/own.rs`);
//! here is what can be said without a state. `docs/src/reduction.md` has the general proof; what follows is what it needs.
//!
//! # Local moves wait
//!
//! A record is *owned* by a process `p` if it can be reached from `p`'s frames, and neither from global variables nor from the frames
//! of another process. Let all that `p` can try in a state use `p`'s own variables and records only, or make records.
//!
//! 1. *Others cannot get hold of what `p` owns.* They store only references that they can read, and they can read none to it. So
//!    as long as `p` does not move, what `p` owns stays its own and keeps its values. Two things change without a reference:
//!    the holder of a lock becomes "one that has ended" when it ends, which blocks `p` as it did before; and a thread
//!    ends: asking whether one has ended is local only if it has. The flag of a process that waits is set by whoever
//!    notifies it, and that needs a reference to the record it waits for.
//! 2. *So `p` can do the same things later.* What a step reads decides what it reads next, so the whole evaluation is repeated, also
//!    that of a condition which is false, and that of the steps inside an atomic sequence.
//! 3. *Others do not notice.* What they reach is as it was: `p` stores nothing in it, and a reference from there to what `p`
//!    owns would need a store. Which name a new record gets nobody can tell (`quotient_ir::heap`), and
//!    collection takes away what nobody can reach. So both orders lead to the same state, up to names. That is symmetric
//!    independence. States that differ in names behave alike, so that no error is lost even where they are stored
//!    as two (`none`, or where a labelling was not canonical): then only less is saved.
//! 4. *A thread that ends* is noticed by whoever asks whether it has ended, and by whoever starts one when there are as many as
//!    allowed. So it is local only if nobody asks, and no other process can start one any more. *A thread that is started*
//!    comes after those that were started before it. So it is local only where threads may change places, or where no other
//!    process can start one any more.
//! 5. *Giving back a lock that others can see* only lets others do more: nobody else can take it, give it back or notify before. That
//!    is local if nobody can tell that a lock is held but by waiting for it (`locks_are_waited_for`).
//! 6. *Leaks.* In both orders the same records are lost in the end. So if one order has a step that loses a record, the
//!    other has one too. A move of `p` that loses one itself goes wrong, and is not made alone.
//!
//! # Locks that protect their records
//!
//! Where the model says so (`quotient_ir::Heap::locks_protect`), using what is in a record while another process holds its lock is an
//! error, found wherever it is tried. Then what is in a record is its holder's own, too, as long as the lock is held: let `p` hold
//! the lock of `r` in a state `s`, and let all that it can try use only what is in `r`, beside what is its own. Take a run of
//! others from `s` to an error. If none of them uses what is in `r`, nobody notices that `p` has moved first, and `p` notices
//! nothing. If one does, it is in error when it does so, and it is in the same error if `p` has moved first: whether it
//! holds the lock is its own affair, and `p`'s moves did not give the lock back. That is why giving back a lock that others can see
//! is not local here, whatever point 5 says; nor is any other use of a lock, or deleting `r`. What `p` stores in `r` others
//! can reach, but not see. What it takes out of `r` was not its own, and may be from then on, where nobody else refers to
//! it: whoever could get hold of it would have had to read `r`. If `p` ends, the lock stays held, and to use what is in `r` stays an
//! error.
//!
//! # Cycles
//!
//! Sticky control states cut all cycles of a graph in which calls lead into functions, returns lead to whatever follows
//! a call of the function, and what is thrown leads to every handler. On a cycle of what is explored nobody ends, since someone
//! else would have to be started; so every process that moves comes back to where it was, with the same frames.
//!
//! # The limit on records
//!
//! More records than allowed are an error, and how many there are depends on the order: a local move, or a reset, may let go of
//! a record before others make one. So the search looks at how many there are. Let `s` be a state that is left out, in
//! which a process is about to make a record. The search has explored a run to a state `t` that is `s` after more local moves. A
//! record of `s` that is not one of `t` was let go of in these, so it is reached in `s` from a process `p` that has moved on.
//! Let `e` be the explored state in which `p` first moved on, or in which a variable died.
//!
//! - If a record can still be made in `e`: the record is one of `p`'s own in `e`; or it is reached in `s` through one
//!   of the references that led from `p`'s frames, its own records and those that it has locked to others in `e`. What lies
//!   behind such a reference was in one explored state when the last of the others lost it, and nobody has changed it since.
//! - If not: the record was there in the first explored state in which none could be made any more, since none was made after it.
//!
//! So with `M` records, `n` processes and `K` such references at most, `s` has at most `M (2 + n (1 + K))` records. If
//! that is more than allowed, the search starts again without the reduction.
//!
//! The first point has a gap: what lies behind such a reference may have grown at its far end, where others still reached it, and each
//! of them may have lost another part of it at another time. So a list whose beginning only a variable keeps that is not read again may
//! be longer in `s` than in any explored state. Only the error of too many records can be missed by that; `docs/src/limits.md` says so.

use std::collections::HashSet;

use quotient_ir::ahead::{ahead, called};
use quotient_ir::{
    Action, Expr, HeapAction, HeapExpr, Model, MonitorOp, Proctype, ProctypeId, Question, Setup, StateId, Transition,
};

use crate::local::Locality;
use crate::sticky::{components, has_choice};
use crate::{Condition, Safety, any_in_sequence};

/// A rule of the reduction of models with a heap. Without it errors are lost; it is left out to see that this is noticed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapRule {
    /// Records have owners: without it every record is the mover's own.
    Owners,
    /// What global variables refer to is shared.
    Roots,
    /// Global variables are shared.
    Globals,
    /// Cycles are cut.
    Sticky,
    /// Whoever ends or starts a thread can be noticed.
    Threads,
    /// What is in a record is its holder's own only where locks protect their records.
    Protection,
    /// Where it is, giving back a lock is not local.
    Unlocking,
}

/// What can be told about threads and locks without a state.
#[derive(Clone, Debug)]
pub(crate) struct HeapRules {
    /// By process type and control state, whether a process may still be started.
    pub(crate) starts: Vec<Vec<bool>>,
    /// Threads may change places.
    alike: bool,
    /// Someone can tell that a thread has ended, or how many there are.
    ends_are_seen: bool,
    /// Processes meet. Then no step is local: one that leads to a receive, in whatever frame, lets a sender go on inside an atomic
    /// sequence that would have been left there, and others could have looked at it then.
    meets: bool,
}

impl HeapRules {
    pub(crate) fn new(model: &Model) -> Option<Self> {
        model.heap.as_ref()?;
        let any = |test: &dyn Fn(&Expr) -> bool| {
            let mut found = false;
            model.walk(&mut |e| found |= test(e));
            found
        };
        let named = any(&|e| {
            matches!(
                e,
                Expr::Pid | Expr::ProcessCount | Expr::Run { .. } | Expr::RemoteAt { .. } | Expr::RemoteRead { .. }
            )
        });
        let in_order = |ty: &Proctype| ty.end.is_some() && !ty.termination.is_symmetric();
        let asked = |e: &Expr| matches!(e, Expr::Heap(e) if matches!(**e, HeapExpr::Ask(Question::HasEnded, _)));
        Some(HeapRules {
            starts: ahead(model, &is_start),
            alike: !named && !model.process_types().any(|(_, ty)| in_order(ty)),
            ends_are_seen: named || any(&asked),
            meets: model.uses.rendezvous,
        })
    }

    /// As if nobody could notice who ends or starts.
    pub(crate) fn forget_threads(&mut self) {
        (self.alike, self.ends_are_seen) = (true, false);
        self.starts.iter_mut().for_each(|starts| starts.fill(false));
    }

    /// What must hold for a transition, and the sequence that it begins, beside that it uses only what is its process's own; none
    /// if it is never local.
    pub(crate) fn conditions(&self, proctype: &Proctype, first: &Transition) -> Option<Vec<Condition>> {
        let action = |transition: &Transition| &proctype.statements[transition.statement].action;
        let ends = any_in_sequence(proctype, first, |transition| any_action(action(transition), &ends));
        let starts = any_in_sequence(proctype, first, |transition| action(transition).any(&is_start));
        // What follows in another frame is not looked at, and a message makes others reach what it refers to.
        let leaves = any_in_sequence(proctype, first, |t| t.atomic && any_action(action(t), &changes_frames));
        let publishes = any_in_sequence(proctype, first, |t| any_action(action(t), &carries_references));
        if leaves || publishes || self.meets {
            return None;
        }
        let runs = any_in_sequence(proctype, first, |t| action(t).any(&|e| matches!(e, Expr::Run { .. })));
        if runs || (ends && self.ends_are_seen) {
            return None;
        }
        Some(if ends || (starts && !self.alike) { vec![Condition::NobodyStarts] } else { Vec::new() })
    }
}

fn is_start(e: &Expr) -> bool {
    match e {
        Expr::Run { .. } => true,
        Expr::Heap(e) => matches!(**e, HeapExpr::Start { .. }),
        _ => false,
    }
}

/// Whether an action goes on in another frame.
fn changes_frames(action: &Action) -> bool {
    matches!(action, Action::Heap(a) if matches!(**a, HeapAction::Call { .. } | HeapAction::Return(_)))
}

/// Whether an action sends or receives references.
fn carries_references(action: &Action) -> bool {
    match action {
        Action::Send { values, .. } => values.iter().any(Expr::is_reference),
        Action::Receive { pattern, .. } => pattern.iter().any(|part| part.wants_reference() != Some(false)),
        Action::Heap(action) => action.uses_channel(),
        _ => false,
    }
}

/// Whether an action ends its process.
fn ends(action: &Action) -> bool {
    match action {
        Action::End => true,
        Action::Heap(action) => matches!(**action, HeapAction::Exit),
        _ => false,
    }
}

/// Whether something is true of an action, or of one in the `d_step` that it is.
fn any_action(action: &Action, test: &dyn Fn(&Action) -> bool) -> bool {
    match action {
        Action::Deterministic(body) => body.actions().any(test),
        action => test(action),
    }
}

impl Locality<'_> {
    /// Whether an action on the heap uses something shared that is no record.
    pub(crate) fn heap_action(&self, action: &HeapAction) -> bool {
        let mut shared = false;
        action.each(&mut |e| shared = shared || self.expr(e));
        match action {
            HeapAction::Call { callee, .. } => shared || callee.functions().into_iter().any(|f| self.setup(f)),
            // Others may use the channel, too.
            HeapAction::Send { .. } | HeapAction::Receive { .. } => true,
            _ => shared,
        }
    }

    /// Whether an expression about the heap reads something shared that is no record.
    pub(crate) fn heap_expr(&self, expr: &HeapExpr) -> bool {
        let mut shared = false;
        expr.each(&mut |e| shared = shared || self.expr(e));
        match expr {
            HeapExpr::Start { proctype, args: _ } => shared || self.setup(*proctype),
            // What it does with its values is its own affair: others may look into them.
            HeapExpr::Extend(_) => true,
            HeapExpr::Messages(_) | HeapExpr::Probe(..) | HeapExpr::Poll { .. } => true,
            _ => shared,
        }
    }

    /// Whether what a function or a process does at its start uses something shared.
    fn setup(&self, proctype: ProctypeId) -> bool {
        let own = Locality { proctype, ..*self };
        self.model.proctypes[proctype].setup.iter().any(|setup| match setup {
            Setup::Assign(_, value) => own.expr(value),
            Setup::Channel(..) => true,
        })
    }
}

/// Whether nobody can tell that a lock is held but by waiting for it: nobody asks, being blocked there lets nobody do anything else,
/// nobody who waits has done a part of an atomic sequence, and no record is deleted.
pub(crate) fn locks_are_waited_for(model: &Model) -> bool {
    let mut asked = false;
    model.walk(&mut |e| {
        asked |= matches!(e, Expr::Heap(e) if matches!(**e, HeapExpr::Ask(Question::LockAvailable, _)));
    });
    let takes = |action: &Action| {
        matches!(action, Action::Heap(action)
            if matches!(**action, HeapAction::Monitor(MonitorOp::Lock | MonitorOp::Unwait, _)))
    };
    let deletes = |action: &Action| matches!(action, Action::Heap(action) if matches!(**action, HeapAction::Delete(_)));
    let waits = |proctype: &Proctype| {
        let interior: HashSet<StateId> =
            proctype.states.iter().flat_map(|s| &s.transitions).filter(|t| t.atomic).map(|t| t.target).collect();
        proctype.states.iter().enumerate().all(|(id, state)| {
            let mut actions = state.transitions.iter().map(|t| &proctype.statements[t.statement].action);
            let takes = |action: &Action| any_action(action, &takes);
            let waits = actions.clone().any(takes);
            let plain = |action: &Action| !matches!(action, Action::Deterministic(_) | Action::Else);
            !waits || (!interior.contains(&id) && actions.all(plain))
        })
    };
    let statements = model.proctypes.iter().flat_map(|proctype| &proctype.statements);
    !asked
        && !model.has_boxes()
        && !model.uses.unless
        && !statements.into_iter().any(|statement| any_action(&statement.action, &deletes))
        && model.proctypes.iter().all(waits)
}

/// By process type and control state, whether it is safe on some condition, and not sticky.
pub(crate) fn free(model: &Model, safety: &[Vec<Safety>], left_out: Option<HeapRule>) -> Vec<Vec<bool>> {
    let first: Vec<usize> = model
        .proctypes
        .iter()
        .scan(0, |at, proctype| Some(std::mem::replace(at, *at + proctype.states.len())))
        .collect();
    let nodes: Vec<(ProctypeId, StateId)> =
        (0..model.proctypes.len()).flat_map(|ty| (0..model.proctypes[ty].states.len()).map(move |s| (ty, s))).collect();
    let is_safe = |node: usize| safety[nodes[node].0][nodes[node].1] != Safety::Unsafe;
    let branching: Vec<bool> =
        (0..nodes.len()).map(|n| is_safe(n) && has_choice(&model.proctypes[nodes[n].0], nodes[n].1)).collect();
    let mut edges = edges(model, &first, &is_safe);
    let mut sticky = vec![false; nodes.len()];
    while left_out != Some(HeapRule::Sticky) {
        let component = components(nodes.len(), edges.iter().copied());
        let inside = |&(from, to): &(usize, usize)| component[from] == component[to];
        let cyclic: HashSet<usize> = edges.iter().filter(|edge| inside(edge)).map(|edge| component[edge.0]).collect();
        let heads = (0..nodes.len()).filter(|&node| branching[node] && cyclic.contains(&component[node]));
        let degree = |node: usize| edges.iter().filter(|e| inside(e) && (e.0 == node || e.1 == node)).count();
        let Some(cut) = heads.max_by_key(|&node| (degree(node), std::cmp::Reverse(node))) else { break };
        sticky[cut] = true;
        edges.retain(|&(from, to)| from != cut && to != cut);
    }
    safety
        .iter()
        .zip(&first)
        .map(|(safety, &first)| {
            let safe = safety.iter().enumerate();
            safe.map(|(state, safety)| *safety != Safety::Unsafe && !sticky[first + state]).collect()
        })
        .collect()
}

/// The steps of processes between control states where they may move alone, or inside the atomic sequences that begin there, from
/// one frame to the next. Control states are numbered through all process types.
fn edges(model: &Model, first: &[usize], is_safe: &dyn Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let all = || model.proctypes.iter().enumerate();
    // Who ends goes nowhere.
    let target = |ty: ProctypeId, transition: &Transition| {
        (transition.target < model.proctypes[ty].states.len()).then_some(first[ty] + transition.target)
    };
    let mut passed: HashSet<usize> = HashSet::new();
    let mut handlers = Vec::new();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); model.proctypes.len()];
    for (ty, proctype) in all() {
        for state in &proctype.states {
            handlers.extend(state.handlers.iter().map(|handler| first[ty] + handler.target));
            for transition in &state.transitions {
                let functions = called(&proctype.statements[transition.statement].action);
                passed.extend(target(ty, transition).filter(|_| transition.atomic));
                functions.into_iter().for_each(|function| after[function].extend(target(ty, transition)));
            }
        }
    }
    let is_used = |node: usize| is_safe(node) || passed.contains(&node);
    let mut edges = Vec::new();
    for (ty, proctype) in all() {
        for (id, state) in proctype.states.iter().enumerate().filter(|(id, _)| is_used(first[ty] + id)) {
            for transition in &state.transitions {
                let action = &proctype.statements[transition.statement].action;
                let jumps = |kind: &dyn Fn(&HeapAction) -> bool| {
                    any_action(action, &|action| matches!(action, Action::Heap(action) if kind(action)))
                };
                let mut to: Vec<usize> = target(ty, transition).into_iter().collect();
                to.extend(called(action).into_iter().map(|f| first[f] + model.proctypes[f].start));
                if jumps(&|action| matches!(action, HeapAction::Return(_))) {
                    to.extend(&after[ty]);
                }
                if jumps(&|action| matches!(action, HeapAction::Throw(_))) {
                    to.extend(&handlers);
                }
                edges.extend(to.into_iter().filter(|&to| is_used(to)).map(|to| (first[ty] + id, to)));
            }
        }
    }
    edges
}
