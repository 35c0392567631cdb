//! An execution as a line of text: which thread goes next, and what it reads, where it writes, what it chooses.
//!
//! The line has a token for every operation in run order: the thread; then, for a read, `<` and the write it reads (`i`
//! for the initial value, or thread and position); for a write that is not the newest, `>` and the write before it; for
//! a choice, `=` and the number; `!` for an exchange that fails without a reason. `1*3` stands for `1-1-1`.

use crate::explorer::Explorer;
use quotient_graph::{EventId, Graph, Kind, ThreadId};
use std::collections::HashMap;

/// One operation of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub thread: ThreadId,
    pub form: Form,
}

/// How an operation happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// There is nothing to say.
    Bare,
    /// It reads from this write; an exchange may then fail without a reason.
    Reads { source: EventId, fails: bool },
    /// It writes, just after this write.
    Writes { after: EventId },
    /// It chooses.
    Chooses(u32),
}

impl Line {
    /// Whether the operation reads.
    pub(crate) fn reads(&self) -> bool {
        self.form != Form::Bare
    }
}

impl Explorer {
    /// The current execution as a line of text.
    pub fn script(&self) -> String {
        let order = self.graph.run_order();
        let places: HashMap<EventId, usize> = order.iter().enumerate().map(|(place, &id)| (id, place)).collect();
        let lines = order.iter().filter_map(|&id| line(&self.graph, &places, id));
        let mut text = String::new();
        let mut lines = lines.peekable();
        while let Some(line) = lines.next() {
            let mut times = 1;
            while lines.next_if_eq(&line).is_some() {
                times += 1;
            }
            if !text.is_empty() {
                text.push('-');
            }
            text.push_str(&line.token());
            if times > 1 {
                text.push_str(&format!("*{times}"));
            }
        }
        text
    }
}

impl Line {
    /// The line as text.
    pub(crate) fn token(&self) -> String {
        let name = |write: EventId| {
            if write == EventId::INIT { "i".to_owned() } else { format!("{}.{}", write.thread(), write.position()) }
        };
        let thread = self.thread;
        match self.form {
            Form::Bare => thread.to_string(),
            Form::Reads { source, fails } => format!("{thread}<{}{}", name(source), if fails { "!" } else { "" }),
            Form::Writes { after } => format!("{thread}>{}", name(after)),
            Form::Chooses(choice) => format!("{thread}={choice}"),
        }
    }
}

/// The line of an event, if it has one of its own.
fn line(graph: &Graph, places: &HashMap<EventId, usize>, id: EventId) -> Option<Line> {
    let event = graph.event(id);
    let form = match event.kind {
        Kind::Begin => return None,
        Kind::Write if event.exclusive => return None,
        Kind::Read => Form::Reads { source: event.other, fails: event.spurious },
        Kind::Write => Form::Writes { after: before_when_added(graph, places, id) },
        Kind::Choose => Form::Chooses(event.value as u32),
        _ => Form::Bare,
    };
    Some(Line { thread: id.thread(), form })
}

/// The write that was before this one in coherence order when it was made: later ones may have come between.
fn before_when_added(graph: &Graph, places: &HashMap<EventId, usize>, id: EventId) -> EventId {
    let event = graph.event(id);
    let writes = &graph.location(event.location).writes[..event.rank as usize - 1];
    writes.iter().rev().find(|other| places[other] < places[&id]).copied().unwrap_or(EventId::INIT)
}

/// Why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// After `*` there is no number from 1.
    #[error("`{0}` is not repeated a number of times")]
    Times(String),
    /// This is not a step.
    #[error("`{0}` is not a step of an execution")]
    NoStep(String),
    /// There are more steps than this.
    #[error("it has more than {0} steps, the limit on events")]
    TooLong(usize),
}

/// Reads a script of at most so many lines.
pub(crate) fn parse(text: &str, most: usize) -> Result<Vec<Line>, ScriptError> {
    let mut lines = Vec::new();
    if text.trim().is_empty() {
        return Ok(lines);
    }
    for token in text.trim().split('-') {
        let (token, times) = token.split_once('*').unwrap_or((token, "1"));
        let times = number(times).filter(|&times| times > 0);
        let times = times.ok_or_else(|| ScriptError::Times(shown(token)))?;
        let line = parse_token(token).ok_or_else(|| ScriptError::NoStep(shown(token)))?;
        if times as usize > most - lines.len() {
            return Err(ScriptError::TooLong(most));
        }
        lines.extend(std::iter::repeat_n(line, times as usize));
    }
    Ok(lines)
}

/// The beginning of a token that may be long.
fn shown(token: &str) -> String {
    let mut text: String = token.chars().take(LONGEST_SHOWN).collect();
    if text.len() < token.len() {
        text.push('…');
    }
    text
}

/// More of a token is not shown.
const LONGEST_SHOWN: usize = 40;

fn parse_token(token: &str) -> Option<Line> {
    let digits = token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len());
    let (thread, rest) = token.split_at(digits);
    let thread = parse_thread(thread)?;
    let mut rest = rest.chars();
    let form = match rest.next() {
        None => Form::Bare,
        Some('<') => {
            let source = rest.as_str();
            let fails = source.ends_with('!');
            Form::Reads { source: parse_write(source.strip_suffix('!').unwrap_or(source))?, fails }
        }
        Some('>') => Form::Writes { after: parse_write(rest.as_str())? },
        Some('=') => Form::Chooses(number(rest.as_str())?),
        Some(_) => return None,
    };
    Some(Line { thread, form })
}

fn parse_write(text: &str) -> Option<EventId> {
    if text == "i" {
        return Some(EventId::INIT);
    }
    let (thread, position) = text.split_once('.')?;
    let position = number(position).filter(|&position| (position as usize) < EventId::MAX_EVENTS)?;
    Some(EventId::new(parse_thread(thread)?, position))
}

fn parse_thread(text: &str) -> Option<ThreadId> {
    number(text).filter(|&thread| (thread as usize) < EventId::MAX_THREADS)
}

/// A number of digits only.
fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
