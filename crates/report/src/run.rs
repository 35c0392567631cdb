//! A run as a table: step, process, place, statement, and what it did.

use crate::text::{Palette, count, cut, pad, place, thousands, width};
use crate::trace::{Change, Direction, Effect, ProcessName, Step, Traffic, message_text};

/// More statements of one `d_step` than this are counted only.
const MOST_INNER: usize = 20;
const WIDEST_STATEMENT: usize = 60;

/// A table of steps: how wide its table are.
#[derive(Clone, Debug)]
pub struct Table {
    /// Of the step's number.
    pub number: usize,
    /// Of the process's name.
    pub who: usize,
    /// Of the place in the source.
    pub place: usize,
    /// Of the statement.
    pub statement: usize,
}

/// A run as text. Where the numbers of the steps jump, steps were left out.
pub fn render(steps: &[Step], palette: Palette) -> String {
    render_cycle(steps, None, palette)
}

/// As [`render`], with a line where the cycle begins: before the step of this number.
pub fn render_cycle(steps: &[Step], cycle: Option<usize>, palette: Palette) -> String {
    let table = Table::of(&steps.iter().collect::<Vec<_>>());
    let mut text = String::new();
    let mut expected = steps.first().map_or(1, |step| step.step);
    let indent = " ".repeat(table.number + 2);
    let left_out = |steps: usize| match steps {
        0 => String::new(),
        steps => {
            let note = format!("… {} left out (--full-trace shows all) …", count(steps as u64, "step"));
            format!("{indent}{}\n", palette.dim(&note))
        }
    };
    for step in steps {
        match cycle.filter(|first| (expected..=step.step).contains(first)) {
            Some(first) => {
                // It may begin among the steps that are left out.
                text.push_str(&left_out(first - expected));
                text.push_str(&format!("{indent}{}\n", palette.bold("the cycle begins here")));
                text.push_str(&left_out(step.step - first));
            }
            None => text.push_str(&left_out(step.step - expected)),
        }
        expected = step.step + 1;
        text.push_str(&table.step(step, palette));
    }
    text
}

impl Table {
    /// A table wide enough for some steps.
    pub fn of(steps: &[&Step]) -> Self {
        let mut table = Table { number: 3, who: 0, place: 0, statement: 0 };
        for step in steps {
            table.number = table.number.max(width(&thousands(step.step as u64)));
            table.note(&step.who, &step.effect.location, &statement(step));
            if let Some(partner) = &step.partner {
                table.note(&partner.who, &partner.location, &partner.statement);
            }
            for inner in step.inner.iter().filter(|_| tells_inner(step)) {
                table.note(&step.who, &inner.location, &format!("  {}", inner.statement));
            }
        }
        table
    }

    fn note(&mut self, who: &ProcessName, location: &crate::source::Location, statement: &str) {
        self.who = self.who.max(width(&who.to_string()));
        self.place = self.place.max(width(&place(location)));
        self.statement = self.statement.max(width(&cut(statement, WIDEST_STATEMENT)));
    }

    /// The line or lines of one step.
    pub fn step(&self, step: &Step, palette: Palette) -> String {
        let Effect { location, changes, event, output, .. } = &step.effect;
        let number = format!("{:>1$}", thousands(step.step as u64), self.number);
        let inside = tells_inner(step);
        let mut did = Vec::new();
        match (&step.partner, event) {
            (Some(partner), Some(event)) => {
                did.push(format!("sends {} to {}", message_text(&event.message), partner.who));
            }
            _ if !inside => did.extend(event.iter().map(traffic_text)),
            _ => {}
        }
        if step.partner.is_none() && !inside {
            did.extend(changes.iter().map(|change| change_text(change, &step.who)));
        }
        did.extend(output.iter().map(|text| format!("prints \"{}\"", cut(text, 60))));
        did.extend(step.started.iter().map(|who| format!("starts {who}")));
        if step.ended {
            did.push("ends".to_string());
        }
        did.extend(step.becomes.iter().map(|change| format!("`{}` becomes {}", change.proposition, change.holds)));
        let mut text = self.line(&number, &step.who, &place(location), &statement(step), &did, palette);
        if let Some(partner) = &step.partner {
            let mut did = Vec::new();
            did.extend(event.iter().map(|e| format!("receives {} from {}", message_text(&e.message), step.who)));
            did.extend(changes.iter().map(|change| change_text(change, &partner.who)));
            text.push_str(&self.line("", &partner.who, &place(&partner.location), &partner.statement, &did, palette));
        }
        for inner in step.inner.iter().filter(|_| inside) {
            let mut did: Vec<String> = inner.event.iter().map(traffic_text).collect();
            did.extend(inner.changes.iter().map(|change| change_text(change, &step.who)));
            did.extend(inner.output.iter().map(|text| format!("prints \"{}\"", cut(text, 60))));
            let statement = format!("  {}", inner.statement);
            text.push_str(&self.line("", &step.who, &place(&inner.location), &statement, &did, palette));
        }
        if step.lost_control {
            let note = format!("{} is blocked inside its atomic sequence: the others may move", step.who);
            text.push_str(&format!("{}{}\n", " ".repeat(self.number + 2), palette.dim(&note)));
        }
        text
    }

    fn line(
        &self,
        number: &str,
        who: &ProcessName,
        place: &str,
        statement: &str,
        did: &[String],
        palette: Palette,
    ) -> String {
        let statement = cut(statement, WIDEST_STATEMENT);
        let line = format!(
            "{}  {}  {}  {}  {}",
            pad(number, self.number),
            palette.who(&pad(&who.to_string(), self.who)),
            palette.dim(&pad(place, self.place)),
            pad(&statement, self.statement),
            did.join(", ")
        );
        format!("{}\n", line.trim_end())
    }
}

/// Whether the statements of a `d_step` are told one by one.
fn tells_inner(step: &Step) -> bool {
    (1..=MOST_INNER).contains(&step.inner.len())
}

fn statement(step: &Step) -> String {
    if tells_inner(step) { "d_step".to_string() } else { step.effect.statement.clone() }
}

/// What happened to a variable, as seen by the process that moved.
fn change_text(change: &Change, who: &ProcessName) -> String {
    let Change { variable, process, thread, from, to } = change;
    match (process, thread) {
        (Some(process), Some(thread)) if *process != who.process => format!("{variable} of {thread}: {from} → {to}"),
        (Some(process), None) if *process != who.process => format!("{variable} of process {process}: {from} → {to}"),
        _ => format!("{variable}: {from} → {to}"),
    }
}

/// What happened to a message.
fn traffic_text(traffic: &Traffic) -> String {
    let Traffic { kind, channel, message, sent, copied } = traffic;
    let message = message_text(message);
    match kind {
        Direction::Send => format!("sends {message} to {channel}"),
        Direction::Receive => {
            let verb = if *copied { "reads" } else { "receives" };
            let sent = sent.as_ref().filter(|sent| sent.step > 0);
            let sent = sent.map_or(String::new(), |sent| format!(" (sent by {} in step {})", sent.who, sent.step));
            format!("{verb} {message} from {channel}{sent}")
        }
    }
}
