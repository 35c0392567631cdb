//! How things stand at the end of a run: variables, channels, and where each process is.

use crate::text::{Palette, cut, fill, pad, place, width};
use crate::trace::{Binding, Next, ProcessView, Snapshot, message_text};

const LINE: usize = 110;
/// More statements of one process than this are counted only.
const MOST_NEXT: usize = 8;
/// More calls that a process is in than this are counted only.
const MOST_CALLS: usize = 8;

/// A state as text. `stuck` says that nothing can happen, so that it matters what everyone waits for.
pub fn render(state: &Snapshot, stuck: bool, palette: Palette) -> String {
    let channels: Vec<&str> = state.channels.iter().map(|c| c.channel.as_str()).collect();
    // A channel variable that holds its own channel says nothing.
    let told = |b: &&Binding| !channels.contains(&b.variable.as_str()) || b.value.to_string() != b.variable;
    let globals: Vec<Binding> = state.globals.iter().filter(told).cloned().collect();
    let mut text = fill(&bindings(&globals), "   ", "  ", LINE);
    for channel in &state.channels {
        let held = channel.messages.len();
        let contents = match (channel.capacity, held) {
            (0, _) => continue,
            (capacity, 0) => format!("empty (room for {capacity})"),
            (capacity, _) => {
                let messages: Vec<String> = channel.messages.iter().map(|m| message_text(m)).collect();
                format!("{} ({held} of {capacity})", messages.join(" · "))
            }
        };
        text.push_str(&format!("  {}: {}\n", channel.channel, cut(&contents, 2 * LINE)));
    }
    for record in &state.records {
        let fields: Vec<String> =
            record.fields.iter().map(|field| format!("{} = {}", field.variable, field.value)).collect();
        let fields = match &record.deleted {
            Some(deleted) => format!("deleted at {}", place(deleted)),
            None if fields.is_empty() => "empty".to_string(),
            None => fields.join("   "),
        };
        text.push_str(&format!("  {}: {}\n", record.record, cut(&fields, 2 * LINE)));
    }
    let names = state.processes.iter().map(|p| width(&p.who.to_string())).max().unwrap_or(0);
    for process in &state.processes {
        text.push_str(&process_text(process, names, stuck, palette));
    }
    text
}

fn process_text(process: &ProcessView, names: usize, stuck: bool, palette: Palette) -> String {
    let name = palette.who(&pad(&process.who.to_string(), names));
    let locals = bindings(&process.locals);
    let rest = if stuck && process.may_rest { " (may rest here)" } else { "" };
    let mut text = match process.next.first() {
        Some(next) => format!("  {name}  at {}{rest}", place(&next.location)),
        None => format!("  {name}  at its end"),
    };
    text.push('\n');
    let indent = " ".repeat(names + 6);
    text.push_str(&fill(&locals, "   ", &indent, LINE));
    for call in process.calls.iter().take(MOST_CALLS) {
        text.push_str(&format!("{indent}called by {} at {}\n", call.caller, place(&call.location)));
        text.push_str(&fill(&bindings(&call.locals), "   ", &format!("{indent}  "), LINE));
    }
    if process.calls.len() > MOST_CALLS {
        text.push_str(&format!("{indent}… and {} more calls around these\n", process.calls.len() - MOST_CALLS));
    }
    for Next { location, statement, waits } in process.next.iter().take(MOST_NEXT) {
        let what = if stuck { "waits for" } else { "next" };
        let why = waits.as_ref().map_or(String::new(), |why| format!("  — {why}"));
        let line = match statement.as_str() {
            "-end-" => "its end",
            statement => statement,
        };
        let here = palette.dim(&format!("line {}", location.line));
        text.push_str(&format!("{indent}{what} {}  {here}{why}\n", cut(line, 60)));
    }
    if process.next.len() > MOST_NEXT {
        text.push_str(&format!("{indent}… and {} more\n", process.next.len() - MOST_NEXT));
    }
    text
}

/// Variables with their values; the elements of an array together.
fn bindings(all: &[Binding]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let array = first.variable.strip_suffix("[0]");
        let element = |(index, b): (usize, &Binding)| array.is_some_and(|a| b.variable == format!("{a}[{index}]"));
        let length = rest.iter().enumerate().take_while(|&(index, b)| element((index, b))).count();
        match array {
            Some(array) if length > 1 => {
                let values: Vec<String> = rest[..length].iter().map(|b| b.value.to_string()).collect();
                let same = length > 8 && values.iter().all(|value| *value == values[0]);
                let values = if same { format!("{} × {length}", values[0]) } else { values.join(", ") };
                texts.push(format!("{array} = [{}]", cut(&values, LINE)));
                rest = &rest[length..];
            }
            _ => {
                texts.push(format!("{} = {}", first.variable, first.value));
                rest = &rest[1..];
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Value;

    #[test]
    fn arrays_are_shown_together() {
        let variable = |name: &str, value| Binding { variable: name.to_string(), value: Value::Number(value) };
        let mut all = vec![variable("x", 1), variable("a[0]", 1), variable("a[1]", 2), variable("b[0]", 3)];
        all.extend((0..9).map(|i| variable(&format!("c[{i}]"), 0)));
        assert_eq!(bindings(&all), ["x = 1", "a = [1, 2]", "b[0] = 3", "c = [0 × 9]"]);
    }
}
