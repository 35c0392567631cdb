//! The heap of a state as a graph, in the language of Graphviz: records are boxes, variables and messages lead to them.

use std::fmt::Write as _;

use crate::trace::{Binding, RecordView, Snapshot};

/// The heap of a state as a DOT file.
pub fn dot(state: &Snapshot) -> String {
    let mut text = "digraph heap {\n  rankdir=LR;\n  node [shape=box];\n".to_string();
    for record in &state.records {
        let name = quoted(&record.record);
        let style = if record.deleted.is_some() { ", style=dashed" } else { "" };
        let _ = writeln!(text, "  {name} [label={}{style}];", quoted(&label(state, record)));
        for field in record.fields.iter().filter(|field| is_reference(state, field)) {
            let _ =
                writeln!(text, "  {name} -> {} [label={}];", quoted(&field.value.to_string()), quoted(&field.variable));
        }
    }
    root(&mut text, state, "", &state.globals);
    for channel in &state.channels {
        let messages = channel.messages.iter().zip(1..).flat_map(|(message, number)| {
            message.iter().map(move |value| Binding { variable: format!("message {number}"), value: value.clone() })
        });
        let held: Vec<Binding> = messages.collect();
        for binding in held.iter().filter(|binding| is_reference(state, binding)) {
            edge(&mut text, &channel.channel, &binding.value.to_string(), &binding.variable);
        }
    }
    for process in &state.processes {
        let prefix = format!("{} ", process.who);
        root(&mut text, state, &prefix, &process.callers);
        root(&mut text, state, &prefix, &process.locals);
    }
    text.push_str("}\n");
    text
}

/// Variables that refer to records.
fn root(text: &mut String, state: &Snapshot, prefix: &str, variables: &[Binding]) {
    for binding in variables.iter().filter(|binding| is_reference(state, binding)) {
        edge(text, &format!("{prefix}{}", binding.variable), &binding.value.to_string(), "");
    }
}

/// An edge from something that is not a record.
fn edge(text: &mut String, from: &str, to: &str, name: &str) {
    let (from, to) = (quoted(from), quoted(to));
    let label = if name.is_empty() { String::new() } else { format!(" [label={}]", quoted(name)) };
    let _ = writeln!(text, "  {from} [shape=plaintext];\n  {from} -> {to}{label};");
}

/// What is in a record, without references.
fn label(state: &Snapshot, record: &RecordView) -> String {
    let mut lines = vec![record.record.clone()];
    if record.deleted.is_some() {
        lines.push("deleted".to_string());
    }
    let plain = record.fields.iter().filter(|field| !is_reference(state, field));
    lines.extend(plain.map(|field| format!("{} = {}", field.variable, field.value)));
    lines.join("\n")
}

fn is_reference(state: &Snapshot, binding: &Binding) -> bool {
    let value = binding.value.to_string();
    state.records.iter().any(|record| record.record == value)
}

/// A text as DOT has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{ChannelView, Value};

    fn binding(variable: &str, value: &str) -> Binding {
        Binding { variable: variable.to_string(), value: Value::Name(value.to_string()) }
    }

    #[test]
    fn references_are_edges() {
        let record = |name: &str, next: &str| RecordView {
            record: name.to_string(),
            fields: vec![binding("key", "RED"), binding("next", next)],
            made: None,
            deleted: None,
        };
        let messages = vec![vec![Value::Number(1), Value::Name("node#2".to_string())]];
        let state = Snapshot {
            globals: vec![binding("head", "node#1"), binding("colour", "RED")],
            channels: vec![ChannelView { channel: "c".to_string(), capacity: 1, messages }],
            processes: Vec::new(),
            records: vec![record("node#1", "node#2"), record("node#2", "null")],
        };
        let expected = [
            "digraph heap {",
            "  rankdir=LR;",
            "  node [shape=box];",
            "  \"node#1\" [label=\"node#1\\nkey = RED\"];",
            "  \"node#1\" -> \"node#2\" [label=\"next\"];",
            "  \"node#2\" [label=\"node#2\\nkey = RED\\nnext = null\"];",
            "  \"head\" [shape=plaintext];",
            "  \"head\" -> \"node#1\";",
            "  \"c\" [shape=plaintext];",
            "  \"c\" -> \"node#2\" [label=\"message 1\"];",
            "}",
            "",
        ];
        assert_eq!(dot(&state), expected.join("\n"));
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
    }
}
