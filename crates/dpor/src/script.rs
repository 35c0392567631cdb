//! An execution as a line of text: which thread goes next, and what it reads, where it writes, what it chooses.
//!
//! The line has a token for every operation in run order: the thread; then, for a read, `<` and the write it reads (`i`
//! for the initial value, or thread and position); for a write that is not the newest, `>` and the write before it; for
//! a choice, `=` and the number; `!` for an exchange that fails without a reason. `1*3` stands for `1-1-1`.

use crate::explorer::{Alternative, Explorer};
use quotient_graph::{EventId, Graph, Kind, ThreadId};
use std::collections::HashMap;

/// One operation of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub thread: ThreadId,
    source: EventId,
    after: EventId,
    choice: u32,
}

impl Explorer {
    /// The current execution as a line of text.
    pub fn script(&self) -> String {
        let order = self.graph.run_order();
        let places: HashMap<EventId, usize> = order.iter().enumerate().map(|(place, &id)| (id, place)).collect();
        let lines = order.iter().filter_map(|&id| token(&self.graph, &places, id));
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
            text.push_str(&line);
            if times > 1 {
                text.push_str(&format!("*{times}"));
            }
        }
        text
    }

    /// Makes the next run follow a script.
    ///
    /// # Errors
    ///
    /// If the text is not a script.
    pub fn follow(&mut self, text: &str) -> Result<(), String> {
        self.script = parse(text)?;
        self.script.reverse();
        Ok(())
    }

    /// The alternative that the script asks for; nothing when there is no script, or it has ended.
    pub(crate) fn next_line(&mut self) -> Option<Alternative> {
        let line = self.script.pop()?;
        let Line { source, after, choice, .. } = line;
        Some(Alternative { source, after, choice, ..Alternative::PLAIN })
    }
}

fn token(graph: &Graph, places: &HashMap<EventId, usize>, id: EventId) -> Option<String> {
    let event = graph.event(id);
    let name = |write: EventId| {
        if write == EventId::INIT { "i".to_owned() } else { format!("{}.{}", write.thread(), write.position()) }
    };
    let thread = id.thread();
    Some(match event.kind {
        Kind::Begin => return None,
        Kind::Write if event.exclusive => return None,
        Kind::Read => format!("{thread}<{}{}", name(event.other), if event.spurious { "!" } else { "" }),
        Kind::Write => format!("{thread}>{}", name(before_when_added(graph, places, id))),
        Kind::Choose => format!("{thread}={}", event.value),
        _ => thread.to_string(),
    })
}

/// The write that was before this one in coherence order when it was made: later ones may have come between.
fn before_when_added(graph: &Graph, places: &HashMap<EventId, usize>, id: EventId) -> EventId {
    let event = graph.event(id);
    let writes = &graph.location(event.location).writes[..event.rank as usize - 1];
    writes.iter().rev().find(|other| places[other] < places[&id]).copied().unwrap_or(EventId::INIT)
}

fn parse(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    if text.trim().is_empty() {
        return Ok(lines);
    }
    for token in text.trim().split('-') {
        let (token, times) = token.split_once('*').unwrap_or((token, "1"));
        let times: usize = times.parse().map_err(|_| format!("`{times}` is not a number of repetitions"))?;
        let line = parse_token(token).ok_or_else(|| format!("`{token}` is not a step of an execution"))?;
        lines.extend(std::iter::repeat_n(line, times.min(EventId::MAX_EVENTS)));
    }
    Ok(lines)
}

fn parse_token(token: &str) -> Option<Line> {
    let digits = token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len());
    let (thread, rest) = token.split_at(digits);
    let thread = thread.parse().ok().filter(|&thread: &ThreadId| (thread as usize) < EventId::MAX_THREADS)?;
    let mut line = Line { thread, source: EventId::NONE, after: EventId::NONE, choice: 0 };
    let mut rest = rest;
    if let Some(shorter) = rest.strip_suffix('!') {
        line.choice = 1;
        rest = shorter;
    }
    match rest.chars().next() {
        None => {}
        Some('<') => line.source = parse_write(&rest[1..])?,
        Some('>') => line.after = parse_write(&rest[1..])?,
        Some('=') => line.choice = rest[1..].parse().ok()?,
        Some(_) => return None,
    }
    Some(line)
}

fn parse_write(text: &str) -> Option<EventId> {
    if text == "i" {
        return Some(EventId::INIT);
    }
    let (thread, position) = text.split_once('.')?;
    let thread: ThreadId = thread.parse().ok()?;
    let position: u32 = position.parse().ok()?;
    let fits = (thread as usize) < EventId::MAX_THREADS && (position as usize) < EventId::MAX_EVENTS;
    fits.then(|| EventId::new(thread, position))
}
