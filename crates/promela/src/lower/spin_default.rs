//! SPIN's default optimisations, for its default counts: dead variables are reset, statements are merged, and globals that
//! nobody reads are hidden. It follows what `spin -a` of SPIN 6.5 does, in SPIN's order and with its quirks; each quirk is
//! documented where it is imitated.
//!
//! - [`flow`] is the graph of statements that SPIN analyses, with the local variables that each reads and writes.
//! - [`dead`] says which variables a statement resets after it, [`merge`] which statements are carried out together.
//! - [`chains`] says what becomes of each statement's transition in the verifier.
//!
//! Nothing here is proved to keep errors, and some of it does not. So what is made of it is for counting: no verdict rests
//! on it, and runs are told on the model as it is written.
//!
//! A reference to a variable of another process (`P:x`) turns resets and merging off for the whole model, and `provided`
//! turns merging off. Globals are hidden in any case.

mod chains;
mod dead;
mod flow;
mod merge;

use std::collections::{HashMap, HashSet};

use quotient_ir::spin::{Sharing, are_made_for, variable_of};
use quotient_ir::{Action, Deterministic, Expr, Node, NodeOption, Place, ProctypeKind, Scope, Sort, Statement};

pub(super) use chains::Chain;

use super::Lowering;
use super::elements::{ElementId, Graph, Kind, SequenceId};
use crate::ast::VarRef;
use crate::symbols::Type;

/// What is known of the whole model. Every pass over the bodies adds to it, and the first one finds everything.
#[derive(Clone, Debug, Default)]
pub(super) struct Whole {
    /// Slots of global variables that are read somewhere.
    read: HashSet<usize>,
    /// Some expression reads a variable of another process.
    remote: bool,
    /// Some process type is constrained by `provided`.
    provided: bool,
    /// Some channel has no capacity.
    rendezvous: bool,
    /// Global channels that some process has promised to be alone on, and whether in receiving.
    promised: HashSet<(bool, (Scope, usize))>,
    /// Process types whose creation is not a local step.
    global_setup: HashSet<usize>,
}

impl Lowering {
    /// Takes note that an expression reads a variable. Printing does not count, and neither do `x++` and `x--`.
    pub(super) fn note_read(&mut self, var: &VarRef) {
        self.note_name(&var.path[0].name.text);
    }

    /// As [`Self::note_read`], by the variable's name.
    pub(super) fn note_name(&mut self, name: &str) {
        let printing = self.body.printing;
        let Some(whole) = self.whole.as_mut().filter(|_| !printing) else { return };
        if self.body.scopes.find(name).is_none()
            && let Some(variable) = self.symbols.globals.get(name)
        {
            whole.read.extend(variable.slot..variable.slot + variable.length.unwrap_or(1));
        }
    }

    /// Takes note that an expression reads a variable of another process.
    pub(super) fn note_remote(&mut self) {
        if let Some(whole) = &mut self.whole {
            whole.remote = true;
        }
    }

    /// Takes note of what one pass over the bodies has found.
    pub(super) fn note_pass(&mut self) {
        let Some(whole) = &mut self.whole else { return };
        whole.provided |= self.model.uses.provided;
        whole.rendezvous |= self.model.channels.iter().any(|channel| channel.capacity == 0);
        for (id, proctype) in self.model.proctypes.iter().enumerate() {
            if proctype.global_setup {
                whole.global_setup.insert(id);
            }
            for promise in proctype.exclusive.iter().filter(|promise| promise.channel.scope == Scope::Global) {
                let variable = variable_of(&promise.channel, &self.model.globals, &proctype.slots);
                whole.promised.extend(variable.map(|variable| (promise.receive, variable)));
            }
        }
    }

    /// Hides global scalars, and arrays of scalars, that nobody reads.
    pub(super) fn hide_unread(&mut self) {
        let Some(whole) = &self.whole else { return };
        for variable in self.symbols.globals.values() {
            let slots = variable.slot..variable.slot + variable.length.unwrap_or(1);
            let scalar = matches!(&variable.ty, Type::Scalar(scalar, _) if scalar.sort != Sort::Channel);
            if scalar && !slots.clone().any(|slot| whole.read.contains(&slot)) {
                self.model.globals[slots].iter_mut().for_each(|slot| slot.hidden = true);
            }
        }
    }

    /// What SPIN makes of the statements of the body: for every element whose transition is not as it was, its chain. The
    /// ends of blocks are tied already, and jumps are not patched yet: that is when SPIN looks.
    pub(super) fn optimise(&self, body: SequenceId) -> Option<chains::Plan> {
        let whole = self.whole.as_ref()?;
        if !matches!(self.body.kind, ProctypeKind::Process | ProctypeKind::Init) {
            return None;
        }
        let flow = flow::build(&self.body.graph, &self.body.slots, body);
        let resets = match whole.remote {
            true => vec![Vec::new(); self.body.graph.elements.len()],
            false => dead::resets(&self.body.graph, &flow),
        };
        let (globals, locals) = (&self.model.globals, &self.body.slots);
        let promised = |channel: &Place, receive| match channel.scope {
            Scope::Global => variable_of(channel, globals, locals)
                .is_some_and(|variable| whole.promised.contains(&(receive, variable))),
            Scope::Local => are_made_for(&self.body.exclusive, channel, receive, globals, locals),
        };
        let global_setup = |id| whole.global_setup.contains(&id);
        let merged = (!whole.provided && !whole.remote).then(|| {
            let id = self.body.proctype.unwrap_or_default();
            let known = merge::Known {
                sharing: Sharing { globals, promised: &promised, global_setup: &global_setup },
                rendezvous: whole.rendezvous,
                observed: &self.symbols.signatures[id].observed,
            };
            merge::merge(&self.body.graph, &flow, &known, body)
        });
        Some(chains::Plan { resets, merged })
    }

    /// The statements for chains, after those that are there: the chain as one step. It returns, for each element, which
    /// statement is carried out instead of its own.
    pub(super) fn chain_statements(
        &self,
        chains: &HashMap<ElementId, Chain>,
        statement_of: &HashMap<ElementId, usize>,
        statements: &mut Vec<Statement>,
    ) -> HashMap<ElementId, usize> {
        for (&element, &statement) in statement_of {
            if matches!(self.body.graph.elements[element].kind, Kind::DStep(_)) {
                statements[statement].alone = 0;
            }
        }
        let mut instead = HashMap::new();
        let mut elements: Vec<ElementId> = chains.keys().copied().collect();
        elements.sort_unstable();
        for element in elements {
            let chain = &chains[&element];
            if chain.removed || !statement_of.contains_key(&element) {
                continue;
            }
            let parts: Vec<usize> =
                chain.parts.iter().filter_map(|(part, _)| statement_of.get(part).copied()).collect();
            let steps: Vec<(Action, usize)> =
                chain.parts.iter().flat_map(|part| self.steps(part, statement_of)).collect();
            let first = statement_of[&element];
            statements[first].alone = chain.alone;
            if parts.len() <= 1 && steps.len() <= 1 {
                continue;
            }
            let texts: Vec<&str> = parts.iter().map(|&part| statements[part].text.as_str()).collect();
            let (text, action) = (texts.join("; "), sequence(steps, statements));
            let merged = Statement { text, action, merged: parts, ..statements[first].clone() };
            instead.insert(element, statements.len());
            statements.push(merged);
        }
        instead
    }

    /// What is done in one part of a chain, with the statement that it belongs to: its action and the resets.
    fn steps(
        &self,
        (part, resets): &(ElementId, Vec<usize>),
        statement_of: &HashMap<ElementId, usize>,
    ) -> Vec<(Action, usize)> {
        let Some(&statement) = statement_of.get(part) else { return Vec::new() };
        let own = match &self.body.graph.elements[*part].kind {
            Kind::Basic(action) => Some(action.clone()),
            _ => None,
        };
        let reset = |slot: &usize| {
            let place = Place::scalar(Scope::Local, *slot, self.body.slots[*slot].scalar);
            Action::Assign(place, Expr::Const(0))
        };
        own.into_iter().chain(resets.iter().map(reset)).map(|action| (action, statement)).collect()
    }
}

/// Some steps as one action, each with the place of its statement.
fn sequence(steps: Vec<(Action, usize)>, statements: &[Statement]) -> Action {
    let count = steps.len();
    let node = |(number, (action, statement)): (usize, (Action, usize))| {
        let span = statements[statement].span;
        let next = (number + 1 < count).then_some(number + 1);
        Node { options: vec![NodeOption { action, next, span, direct: true }], span }
    };
    match count {
        0 => Action::Skip,
        1 => steps.into_iter().next().map_or(Action::Skip, |(action, _)| action),
        _ => {
            let nodes = steps.into_iter().enumerate().map(node).collect();
            Action::Deterministic(Deterministic { nodes, loops: Vec::new() })
        }
    }
}

/// Whether a label names an element. The exits of loops have labels too, which `break` jumps to.
fn is_labelled(graph: &Graph, element: ElementId) -> bool {
    graph.is_labelled(element) || graph.exits.contains(&Some(element))
}
