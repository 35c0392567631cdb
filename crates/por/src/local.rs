//! Which statements touch nothing that another process can see or change.

use quotient_ir::{Action, Expr, Model, Pattern, Place, Scope, Slot};

use crate::channels::action_uses;
use crate::identity::Identity;
use crate::promise::Promises;

/// Decides locality inside one process type.
#[derive(Clone, Copy)]
pub(crate) struct Locality<'m> {
    pub(crate) model: &'m Model,
    pub(crate) identity: &'m Identity,
    pub(crate) promises: &'m Promises<'m>,
    pub(crate) proctype: usize,
    /// Global variables are taken for local ones, which is wrong ([`crate::HeapRule`]).
    pub(crate) forgets: bool,
}

impl Locality<'_> {
    /// Whether a statement is not local, by itself or because its atomic sequence is not.
    pub(crate) fn is_global(&self, statement: usize) -> bool {
        let proctype = &self.model.proctypes[self.proctype];
        if proctype.provided.is_some() {
            return true;
        }
        let statement = &proctype.statements[statement];
        match statement.block {
            None => self.action(&statement.action),
            Some(block) => {
                proctype.blocks[block].exits
                    || proctype.statements.iter().any(|s| s.block == Some(block) && self.action(&s.action))
            }
        }
    }

    fn action(&self, action: &Action) -> bool {
        let mut promised = true;
        // Promises are not followed through functions.
        let has_heap = self.model.heap.is_some();
        action_uses(action, &mut |u| promised &= !has_heap && self.promises.cover(self.proctype, u));
        if !promised {
            return true;
        }
        match action {
            Action::Skip | Action::Else | Action::End => false,
            Action::Condition(e) | Action::Assert(e) => self.expr(e),
            Action::Assign(place, value) => self.place(place, true) || self.expr(value),
            Action::Send { channel, values, .. } => values.iter().any(|v| self.expr(v)) || self.indices(channel),
            Action::Receive { channel, pattern, .. } => self.pattern(pattern) || self.indices(channel),
            Action::Print { args, .. } => args.iter().any(|a| self.expr(a)),
            Action::SetPriority(..) => true,
            Action::Heap(action) => self.heap_action(action),
            Action::Deterministic(body) => body.actions().any(|a| self.action(a)),
        }
    }

    fn pattern(&self, pattern: &[Pattern]) -> bool {
        pattern.iter().any(|part| match part {
            Pattern::Match(value) => self.expr(value),
            Pattern::Bind(place) => self.place(place, true),
            Pattern::Ignore => false,
        })
    }

    fn indices(&self, place: &Place) -> bool {
        place.indices.iter().any(|index| self.varies(&index.value))
    }

    /// Whether an expression reads something shared that some process writes. SPIN does not look into indices and the
    /// arguments of `run` at all; reading what nobody writes is harmless there.
    fn varies(&self, expr: &Expr) -> bool {
        let has_heap = self.model.heap.is_some();
        match expr {
            Expr::Read(place) if place.scope == Scope::Global => {
                self.indices(place)
                    || place
                        .all_slots()
                        .iter()
                        .any(|&slot| self.identity.is_written(slot) && (has_heap || !self.promises.is_local(slot)))
            }
            Expr::Unary(_, a) => self.varies(a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => self.varies(a) || self.varies(b),
            Expr::Cond(c, a, b) => self.varies(c) || self.varies(a) || self.varies(b),
            Expr::Read(_)
            | Expr::Const(_)
            | Expr::Length(_)
            | Expr::Probe(..)
            | Expr::Poll { .. }
            | Expr::Run { .. }
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::PcValue(_)
            | Expr::PriorityOf(_)
            | Expr::RemoteAt { .. }
            | Expr::RemoteRead { .. }
            | Expr::Heap(_) => self.expr(expr),
        }
    }

    fn place(&self, place: &Place, written: bool) -> bool {
        if self.indices(place) {
            return true;
        }
        let has_heap = self.model.heap.is_some();
        match place.scope {
            // Promises are not followed through functions; but what nobody writes is the same at any time.
            Scope::Global if self.forgets => false,
            Scope::Global if has_heap => {
                written || place.all_slots().iter().any(|&slot| self.identity.is_written(slot))
            }
            Scope::Global => place.all_slots().iter().any(|&slot| !self.promises.is_local(slot)),
            Scope::Local => {
                written && place.all_slots().iter().any(|&slot| self.identity.is_remote(self.proctype, slot))
            }
        }
    }

    pub(crate) fn expr(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::OwnPriority => false,
            Expr::Read(place) => self.place(place, false),
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => self.expr(a) || self.expr(b),
            Expr::Cond(c, a, b) => self.expr(c) || self.expr(a) || self.expr(b),
            // Whether a promise covers the use was asked for the whole action, which tells in which place it stands.
            Expr::Length(place) | Expr::Probe(_, place) => self.indices(place),
            Expr::Poll { channel, pattern, .. } => self.pattern(pattern) || self.indices(channel),
            Expr::Run { proctype, args, .. } => {
                self.model.proctypes[*proctype].global_setup
                    || args.iter().any(|a| self.varies(a))
                    || self.identity.creation_is_observed()
            }
            Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::PcValue(_)
            | Expr::PriorityOf(_)
            | Expr::RemoteAt { .. }
            | Expr::RemoteRead { .. } => true,
            Expr::Heap(expr) => self.heap_expr(expr),
        }
    }
}

/// All slots of the variable (or of the field, in all elements of an array of structures) that a place is part of.
pub(crate) fn family(model: &Model, proctype: usize, place: &Place) -> Vec<usize> {
    let slots: &[Slot] = match place.scope {
        Scope::Global => &model.globals,
        Scope::Local => &model.proctypes[proctype].slots,
    };
    let name = bare(&slots[place.slot].name);
    (0..slots.len()).filter(|&slot| bare(&slots[slot].name) == name).collect()
}

/// A slot's name without its indices.
fn bare(name: &str) -> String {
    let mut depth = 0;
    name.chars()
        .filter(|&c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => return depth == 0,
            }
            false
        })
        .collect()
}
