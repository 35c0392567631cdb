//! Sends and receives, whichever kind of channel they use.

use quotient_ir::{Action, ChannelType, Expr, HeapAction, Model, Pattern, RecordKind};
use quotient_step::reference::State;

use crate::names;

/// A send or a receive.
pub(crate) enum Operation<'m> {
    /// Of these values.
    Send(&'m [Expr]),
    Receive {
        pattern: &'m [Pattern],
        random: bool,
        copy: bool,
    },
}

/// What an action does, if it sends or receives.
pub(crate) fn operation(action: &Action) -> Option<Operation<'_>> {
    Some(match action {
        Action::Send { values, .. } => Operation::Send(values),
        Action::Receive { pattern, random, copy, .. } => Operation::Receive { pattern, random: *random, copy: *copy },
        Action::Heap(action) => match &**action {
            HeapAction::Send { values, .. } => Operation::Send(values),
            HeapAction::Receive { pattern, random, copy, .. } => {
                Operation::Receive { pattern, random: *random, copy: *copy }
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// The expression whose value is the channel that an action uses.
pub(crate) fn channel_of(action: &Action) -> Option<Expr> {
    match action {
        Action::Send { channel, .. } | Action::Receive { channel, .. } => Some(Expr::Read(channel.clone())),
        Action::Heap(action) => match &**action {
            HeapAction::Send { channel, .. } | HeapAction::Receive { channel, .. } => Some(channel.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A channel of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Channel {
    /// By its index.
    Fixed(usize),
    /// A record by its name.
    Record(i32),
}

impl Channel {
    /// The channel with a value, which is an id or the name of a record.
    pub(crate) fn of(model: &Model, value: i32) -> Option<Self> {
        match model.has_channel_records() {
            true => Some(Channel::Record(value)),
            false => Some(Channel::Fixed(usize::try_from(value).ok()?.checked_sub(1)?)),
        }
    }

    /// Its type, if it is there.
    pub(crate) fn ty<'m>(self, model: &'m Model, state: &State) -> Option<&'m ChannelType> {
        let ty = match self {
            Channel::Fixed(index) => state.channels.get(index)?.ty,
            Channel::Record(name) => {
                let record = state.heap.records.get(&name).filter(|record| !record.deleted)?;
                match model.heap.as_ref()?.records.get(record.ty)?.kind {
                    RecordKind::Channel(ty) => ty,
                    _ => return None,
                }
            }
        };
        model.channels.get(ty)
    }

    /// Its messages, oldest first, if it is there.
    pub(crate) fn messages(self, model: &Model, state: &State) -> Option<Vec<Vec<i32>>> {
        let ty = self.ty(model, state)?;
        Some(match self {
            Channel::Fixed(index) => state.channels[index].messages.clone(),
            Channel::Record(name) => state.heap.records.get(&name)?.messages(ty),
        })
    }

    /// What it is called.
    pub(crate) fn name(self, model: &Model, state: &State) -> String {
        match self {
            Channel::Fixed(index) => names::channel(model, state, index),
            Channel::Record(name) => names::record(model, state, name),
        }
    }
}
