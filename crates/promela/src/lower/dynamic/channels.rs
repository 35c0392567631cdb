//! Channels that come and go. Where a type has a channel among its fields, or a body makes one, all channels of the model are
//! records: a variable for a channel refers to one, and a channel is gone when nobody refers to it any more. In other models channels
//! are made at the beginning and stay.

use quotient_ir::{
    Action, ChannelTypeId, Expr, HeapAction, HeapExpr, Pattern, Place, Probe, RecordId, RecordKind, RecordType, Setup,
    Sort,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::super::Lowering;
use super::super::expressions::Reference;
use super::{Walk, any};
use crate::ast::{Decl, Initialiser, Spec, TypeName, Unit, VarRef};
use crate::symbols::{FieldInit, Pointee, Type};

/// A channel that a statement uses.
#[derive(Clone, Debug)]
pub(in crate::lower) enum Used {
    /// The one that a variable holds.
    Held(Place),
    /// The record that a reference refers to.
    Record(Expr),
}

/// Whether channels come and go in a specification in dSPIN's Promela.
pub(in crate::lower) fn come_and_go(spec: &Spec) -> bool {
    let makes = |decl: &Decl| decl.vars.iter().any(|var| matches!(var.init, Some(Initialiser::Channel { .. })));
    let in_bodies = Walk { decl: &makes, stmt: &|_| false };
    spec.units.iter().any(|unit| match unit {
        Unit::Typedef(typedef) => typedef.fields.iter().flatten().any(|decl| matches!(decl.ty, TypeName::Chan)),
        Unit::Proctype(proctype) => any(&proctype.body, &in_bodies),
        Unit::Function(function) => any(&function.body, &in_bodies),
        Unit::Init(init) => any(&init.body, &in_bodies),
        _ => false,
    })
}

impl Used {
    /// How many messages are in it.
    pub(in crate::lower) fn length(&self) -> Expr {
        match self.clone() {
            Used::Held(place) => Expr::Length(Box::new(place)),
            Used::Record(channel) => HeapExpr::Messages(channel).into(),
        }
    }

    /// A test of its fill state.
    pub(in crate::lower) fn probe(self, probe: Probe) -> Expr {
        match self {
            Used::Held(place) => Expr::Probe(probe, Box::new(place)),
            Used::Record(channel) => HeapExpr::Probe(probe, channel).into(),
        }
    }

    /// Whether there is a message that matches.
    pub(in crate::lower) fn poll(self, pattern: Vec<Pattern>, random: bool) -> Expr {
        match self {
            Used::Held(place) => Expr::Poll { channel: Box::new(place), pattern, random },
            Used::Record(channel) => HeapExpr::Poll { channel, pattern, random }.into(),
        }
    }

    /// A send.
    pub(in crate::lower) fn send(self, values: Vec<Expr>, sorted: bool) -> Action {
        match self {
            Used::Held(channel) => Action::Send { channel, values, sorted },
            Used::Record(channel) => HeapAction::Send { channel, values, sorted }.into(),
        }
    }

    /// A receive.
    pub(in crate::lower) fn receive(self, pattern: Vec<Pattern>, random: bool, copy: bool) -> Action {
        match self {
            Used::Held(channel) => Action::Receive { channel, pattern, random, copy },
            Used::Record(channel) => HeapAction::Receive { channel, pattern, random, copy }.into(),
        }
    }
}

impl Lowering {
    /// The type of variables for channels.
    pub(in crate::lower) fn channel_variable(&self) -> Type {
        match self.symbols.reference.filter(|_| self.symbols.channels_are_records) {
            Some(reference) => Type::Pointer(reference, Pointee::Channel),
            None => Type::Scalar(quotient_ir::Scalar::CHANNEL, None),
        }
    }

    /// Declares the records that are channels of a type.
    pub(in crate::lower) fn add_channel_record(&mut self, channel: ChannelTypeId, span: Span) {
        let Some(heap) = self.model.heap.as_mut().filter(|_| self.symbols.channels_are_records) else { return };
        let ty = &self.model.channels[channel];
        heap.records.push(RecordType {
            name: ty.name.clone(),
            kind: RecordKind::Channel(channel),
            fields: RecordType::channel_fields(ty),
            supers: Vec::new(),
            monitor: false,
            boxed: false,
            span,
        });
    }

    fn channel_record(&self, channel: ChannelTypeId) -> Option<RecordId> {
        let records = &self.model.heap.as_ref()?.records;
        records.iter().position(|record| record.kind == RecordKind::Channel(channel))
    }

    /// A new channel that is a record.
    pub(in crate::lower) fn new_channel(&self, channel: ChannelTypeId, span: Span) -> Option<Expr> {
        let record = self.channel_record(channel)?;
        Some(HeapExpr::New { record, length: None, inits: Vec::new(), span }.into())
    }

    /// How a variable gets its channel.
    pub(in crate::lower) fn channel_setup(&self, slot: usize, channel: ChannelTypeId, span: Span) -> Setup {
        match self.new_channel(channel, span) {
            Some(value) => Setup::Assign(slot, value),
            None => Setup::Channel(slot, channel),
        }
    }

    /// The type of the channels that a variable or a field was declared with.
    fn declared_channel(&self, var: &VarRef) -> Option<ChannelTypeId> {
        let name = &var.path[0].name.text;
        let variable = self.body.scopes.find(name).or_else(|| self.symbols.globals.get(name))?;
        let (mut ty, mut channel) = (variable.ty.clone(), variable.channel);
        for field in &var.path[1..] {
            let (Type::Structure(id) | Type::Pointer(_, Pointee::Structure(id))) = ty else { return None };
            let info = self.symbols.structures[id].fields.iter().find(|info| info.name == field.name.text)?;
            ty = info.ty.clone();
            channel = match info.init {
                FieldInit::Channel(channel) => Some(channel),
                _ => None,
            };
        }
        channel
    }

    /// The channel that a variable or a field holds and, where it is known, the type of its channels.
    pub(in crate::lower) fn channel(&mut self, var: &VarRef) -> Option<(Used, Option<ChannelTypeId>)> {
        let is_record = matches!(self.static_type(var), Some(Type::Pointer(_, Pointee::Channel)));
        let found = match self.reference(var)? {
            Reference::Places(places, channel, _) if places.len() == 1 => {
                let place = places.into_iter().next()?;
                match place.scalar.sort {
                    Sort::Channel => Some((Used::Held(place), channel)),
                    _ if is_record => Some((Used::Record(Expr::Read(place)), self.declared_channel(var))),
                    _ => None,
                }
            }
            Reference::Part(part) if is_record => Some((Used::Record(part.read()), self.declared_channel(var))),
            _ => None,
        };
        if found.is_none() {
            self.error(Diagnostic::error(var.span, format!("`{var}` is not a channel")));
        }
        found
    }
}
