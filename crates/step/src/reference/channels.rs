//! Channels, wherever they are: among the channels of the state, or among its records. The messages of a record lie one after the
//! other behind their number; those that are not there are zero.

use quotient_ir::{ChannelType, Expr, Pattern, Place, Probe, RecordKind};

use super::execute::{ChannelAt, Run, Stop};
use crate::FaultKind;

impl<'m> Run<'m> {
    /// The channel a variable holds.
    pub(super) fn channel(&mut self, place: &Place) -> Result<ChannelAt, Stop> {
        let id = self.read(place)?;
        usize::try_from(id)
            .ok()
            .and_then(|id| id.checked_sub(1))
            .filter(|&channel| channel < self.state.channels.len())
            .map(ChannelAt::Fixed)
            .ok_or_else(|| self.fault(FaultKind::NoChannel))
    }

    /// The channel that a reference refers to.
    pub(super) fn named(&mut self, channel: &Expr) -> Result<ChannelAt, Stop> {
        let name = self.evaluate(channel)?;
        if name == 0 {
            return Err(self.fault(FaultKind::NoChannel));
        }
        let ty = self.used(name, self.span)?.ty;
        match self.heap_model().records[ty].kind {
            RecordKind::Channel(_) => Ok(ChannelAt::Record(name)),
            _ => Err(self.fault(FaultKind::BadCast)),
        }
    }

    pub(super) fn channel_type(&self, channel: ChannelAt) -> &'m ChannelType {
        let model = self.model;
        let ty = match channel {
            ChannelAt::Fixed(index) => self.state.channels[index].ty,
            ChannelAt::Record(name) => match self.heap_model().records[self.state.heap.records[&name].ty].kind {
                RecordKind::Channel(ty) => ty,
                _ => unreachable!("a name of a channel is that of a record of a channel type"),
            },
        };
        &model.channels[ty]
    }

    /// The messages, oldest first.
    pub(super) fn messages(&self, channel: ChannelAt) -> Vec<Vec<i32>> {
        match channel {
            ChannelAt::Fixed(index) => self.state.channels[index].messages.clone(),
            ChannelAt::Record(name) => self.state.heap.records[&name].messages(self.channel_type(channel)),
        }
    }

    /// Changes the messages.
    pub(super) fn change_messages(&mut self, channel: ChannelAt, change: impl FnOnce(&mut Vec<Vec<i32>>)) {
        match channel {
            ChannelAt::Fixed(index) => change(&mut self.state.channels[index].messages),
            ChannelAt::Record(name) => {
                let mut messages = self.messages(channel);
                change(&mut messages);
                let values = &mut self.record_mut(name).values;
                let length = values.len();
                values.clear();
                values.push(messages.len() as i32);
                values.extend(messages.into_iter().flatten());
                values.resize(length, 0);
            }
        }
    }

    pub(super) fn is_full(&self, channel: ChannelAt) -> bool {
        self.messages(channel).len() >= self.channel_type(channel).capacity.max(1)
    }

    /// What a test of the fill state gives.
    pub(super) fn probe(&self, probe: Probe, channel: ChannelAt) -> i32 {
        let (full, empty) = (self.is_full(channel), self.messages(channel).is_empty());
        match probe {
            Probe::Full => full as i32,
            Probe::NotFull => !full as i32,
            Probe::Empty => empty as i32,
            Probe::NotEmpty => !empty as i32,
        }
    }

    /// Whether a receive would succeed.
    pub(super) fn poll(&mut self, channel: ChannelAt, pattern: &[Pattern], random: bool) -> Result<i32, Stop> {
        if self.channel_type(channel).capacity == 0 {
            return Err(self.fault(FaultKind::RendezvousPoll));
        }
        self.check_sorts(channel, pattern.iter().map(Pattern::wants_reference))?;
        Ok(self.find(channel, pattern, random)?.is_some() as i32)
    }
}

impl super::heap::Record {
    /// The messages of a channel that is a record, oldest first.
    pub fn messages(&self, channel: &ChannelType) -> Vec<Vec<i32>> {
        let Some((&count, messages)) = self.values.split_first() else { return Vec::new() };
        messages.chunks_exact(channel.fields.len().max(1)).take(count as usize).map(<[i32]>::to_vec).collect()
    }
}
