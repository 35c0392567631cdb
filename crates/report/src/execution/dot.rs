//! An execution graph as a drawing, in the language of Graphviz: a column for each thread with program order downwards,
//! reads-from as green dashed arrows, coherence order as orange ones.

use super::act::notation;
use super::names::files;
use super::{Action, Execution, Source, Step};

/// The execution as a `digraph`.
pub fn render(execution: &Execution) -> String {
    let files = files(execution);
    let mut text =
        String::from("digraph execution {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    text.push_str(&format!("  label={}; labelloc=t;\n", quoted(&execution.message)));
    for thread in &execution.threads {
        let steps: Vec<&Step> = execution.steps.iter().filter(|step| step.thread == thread.thread).collect();
        text.push_str(&format!("  subgraph cluster_{} {{\n", thread.thread));
        text.push_str(&format!("    label={}; color=gray;\n", quoted(&execution.who(thread.thread))));
        for step in &steps {
            let place = step.location.as_ref().map_or(String::new(), |site| format!("\n{}", files.place(site)));
            // The arrow of the drawing says what a read reads from.
            let what = notation(execution, step);
            let what = what.split(" ←").next().unwrap_or_default();
            let label = quoted(&format!("{}: {what}{place}", step.step));
            let mark = if execution.concerns.contains(&step.step) { ", color=red, penwidth=2" } else { "" };
            text.push_str(&format!("    s{} [label={label}{mark}];\n", step.step));
        }
        for pair in steps.windows(2) {
            text.push_str(&format!("    s{} -> s{};\n", pair[0].step, pair[1].step));
        }
        text.push_str("  }\n");
    }
    let reads = |source: &Source| {
        execution.steps.iter().any(|step| step.access().is_some_and(|a| a.reads_from == Some(*source)))
    };
    if reads(&Source::Initial) {
        text.push_str("  init [label=\"initial values\", shape=plain];\n");
    }
    for step in &execution.steps {
        text.push_str(&edges_into(execution, step));
    }
    for place in &execution.places {
        for pair in place.writes.windows(2) {
            text.push_str(&edge(pair[0], pair[1], "color=orange, fontcolor=orange, label=\"co\", constraint=false"));
        }
    }
    text.push_str("}\n");
    text
}

/// What a step takes from others: the value it reads, its start, an end it waited for.
fn edges_into(execution: &Execution, step: &Step) -> String {
    const RF: &str = "style=dashed, color=forestgreen, fontcolor=forestgreen, label=\"rf\", constraint=false";
    let of_thread = |thread: usize| execution.steps.iter().filter(move |step| step.thread == thread);
    match &step.action {
        Action::Access(access) => match access.reads_from {
            Some(Source::Step(write)) => edge(write, step.step, RF),
            Some(Source::Initial) => format!("  init -> s{} [{RF}];\n", step.step),
            None => String::new(),
        },
        Action::Spawn { child } => match of_thread(*child).next() {
            Some(first) => edge(step.step, first.step, "style=dotted"),
            None => String::new(),
        },
        Action::Join { child } => match of_thread(*child).next_back() {
            Some(last) => edge(last.step, step.step, "style=dotted"),
            None => String::new(),
        },
        _ => String::new(),
    }
}

fn edge(from: usize, to: usize, how: &str) -> String {
    format!("  s{from} -> s{to} [{how}];\n")
}

/// A text as Graphviz reads it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
