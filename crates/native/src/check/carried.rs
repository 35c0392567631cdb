//! What a process knows of all executions so far, besides what the explorer knows: it goes with a checkpoint, so that a check
//! that was interrupted says in the end what it would have said.

use crate::check::host::Native;
use crate::check::likeness;
use crate::check::order::Order;
use crate::machine::{Cut, machine};
use quotient_runtime::native::Names;
use quotient_runtime::{Knowledge, Position, Whereabouts};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Where a process is, in a form that can be saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    knowledge: SavedKnowledge,
    position: Vec<u64>,
    executions: u64,
    undecided: Option<String>,
    carried: Carried,
}

/// What is known of a program; see [`Knowledge`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedKnowledge {
    distinguished: Vec<u64>,
    keep_order: bool,
    orders_addresses: Option<String>,
    distrusts_publication: bool,
    rounds: u32,
}

/// What the program has done in some execution.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Carried {
    compared: Vec<usize>,
    computed: Vec<usize>,
    waits_for_others: bool,
    cut: Option<String>,
    leak_warning: Option<String>,
    stuck_note: Option<String>,
    likeness: likeness::Carried,
}

/// In a process that goes on: what the other one knew.
static BEFORE: OnceLock<Carried> = OnceLock::new();

impl SavedKnowledge {
    /// Takes all of it.
    pub(crate) fn of(knowledge: &Knowledge) -> Self {
        let mut distinguished: Vec<u64> = knowledge.distinguished.iter().copied().collect();
        distinguished.sort_unstable();
        SavedKnowledge {
            distinguished,
            keep_order: knowledge.keep_order,
            orders_addresses: knowledge.orders_addresses.clone(),
            distrusts_publication: knowledge.distrusts_publication,
            rounds: knowledge.rounds,
        }
    }

    /// The knowledge that it was.
    pub(crate) fn knowledge(&self) -> Knowledge {
        Knowledge {
            distinguished: self.distinguished.iter().copied().collect(),
            keep_order: self.keep_order,
            orders_addresses: self.orders_addresses.clone(),
            distrusts_publication: self.distrusts_publication,
            rounds: self.rounds,
            ..Knowledge::default()
        }
    }
}

impl Saved {
    /// In a process that checks: where it is now.
    pub(crate) fn now(whereabouts: &Whereabouts) -> Self {
        let machine = machine();
        let leak_warning = machine.leak_warning.borrow().as_ref().map(|(message, site)| {
            let place = site.and_then(|site| Native.place_of(site));
            place.map_or(message.clone(), |(file, line, _)| format!("{message} ({file}:{line})"))
        });
        Saved {
            knowledge: SavedKnowledge::of(&whereabouts.knowledge),
            position: whereabouts.position.numbers(),
            executions: whereabouts.executions,
            undecided: whereabouts.undecided.clone(),
            carried: Carried {
                compared: machine.order.borrow().compared.clone(),
                computed: machine.order.borrow().computed.clone(),
                waits_for_others: machine.waits_for_others.get(),
                cut: machine.say_cut(),
                leak_warning,
                stuck_note: machine.stuck_note.borrow().clone(),
                likeness: machine.likeness.borrow().carried(),
            },
        }
    }

    /// In a process that is to go on: what it has to know. `None` if that makes no sense.
    pub(crate) fn take_up(&self) -> Option<Whereabouts> {
        let whereabouts = Whereabouts {
            knowledge: self.knowledge.knowledge(),
            position: Position::from_numbers(&self.position)?,
            executions: self.executions,
            undecided: self.undecided.clone(),
        };
        let _ = BEFORE.set(self.carried.clone());
        Some(whereabouts)
    }
}

/// In a process that goes on, and has come to where the other one was: what that one knew is known now.
pub(crate) fn carry_on() {
    let Some(before) = BEFORE.get() else { return };
    let machine = machine();
    let Order { compared, computed } = &mut *machine.order.borrow_mut();
    for (places, more) in [(compared, &before.compared), (computed, &before.computed)]
    {
        let new: Vec<usize> = more.iter().copied().filter(|place| !places.contains(place)).collect();
        places.extend(new);
    }
    machine.waits_for_others.update(|waits| waits | before.waits_for_others);
    if let Some(what) = &before.cut {
        machine.cut.replace(Some(Cut { what: Cow::Owned(what.clone()), pc: None }));
    }
    if let Some(text) = &before.leak_warning {
        machine.leak_warning.replace(Some((text.clone(), None)));
    }
    if let Some(note) = &before.stuck_note {
        machine.stuck_note.replace(Some(note.clone()));
    }
    machine.likeness.borrow_mut().carry_on(&before.likeness);
}
