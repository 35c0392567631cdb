//! Channel events: the automaton of a `trace` or `notrace` follows every send and receive on the channels it names.

use quotient_ir::{Action, Expr, Pattern};

use super::execute::{ChannelAt, Run};
use crate::{Fault, FaultKind};

impl Run<'_> {
    /// Lets the event automaton take note of a send or receive.
    pub(super) fn event(&mut self, send: bool, channel: ChannelAt, message: &[i32]) {
        let Some(trace) = &self.model.trace else { return };
        let automaton = &self.model.proctypes[trace.proctype];
        let named = automaton.statements.iter().any(|s| self.names(&s.action, send) == Some(channel));
        if !named {
            return;
        }
        // An automaton that ran off its end matches nothing any more.
        let matching = automaton
            .states
            .get(self.state.event)
            .map_or(&[][..], |state| &state.transitions)
            .iter()
            .find(|t| self.allows(&automaton.statements[t.statement].action, send, channel, message));
        match matching {
            Some(transition) => {
                self.state.event = transition.target;
                if trace.negated && Some(transition.target) == automaton.end {
                    self.faults.push(Fault { kind: FaultKind::TraceMatched, span: self.span });
                }
            }
            None if trace.negated => self.state.event = automaton.end.unwrap_or(automaton.nowhere()),
            None => self.faults.push(Fault { kind: FaultKind::TraceUnexpected, span: self.span }),
        }
    }

    /// The channel an event statement names, if it is of the given direction.
    fn names(&mut self, action: &Action, send: bool) -> Option<ChannelAt> {
        match action {
            Action::Send { channel, .. } if send => self.channel(channel).ok(),
            Action::Receive { channel, .. } if !send => self.channel(channel).ok(),
            _ => None,
        }
    }

    fn allows(&mut self, action: &Action, send: bool, channel: ChannelAt, message: &[i32]) -> bool {
        if self.names(action, send) != Some(channel) {
            return false;
        }
        match action {
            Action::Send { values, .. } => values.iter().zip(message).all(|(value, &field)| match value {
                Expr::Const(wanted) => *wanted == field,
                _ => true,
            }),
            Action::Receive { pattern, .. } => pattern.iter().zip(message).all(|(part, &field)| match part {
                Pattern::Match(value) => self.evaluate(value).is_ok_and(|wanted| wanted == field),
                _ => true,
            }),
            _ => false,
        }
    }
}
