//! Compares what a document shows with what a command prints. Follows the convention of the book: `[…]` stands for
//! whatever was left out, in a line or for whole lines.

use serde_json::Value;

/// What is left out.
const LEFT_OUT: &str = "[…]";

/// Whether the text that is shown is the text that was printed.
pub(crate) fn same(shown: &str, printed: &str) -> bool {
    lines_match(&steady(shown), &steady(printed), false)
}

/// What was printed, with the times and the memory that were shown.
pub(crate) fn renewed(shown: &str, printed: &str) -> String {
    let (old, new) = (steady(shown), steady(printed));
    let kept = |line: &String| old.iter().position(|other| other == line).and_then(|at| shown.lines().nth(at));
    new.iter()
        .zip(printed.lines())
        .map(|(line, as_printed)| format!("{}\n", kept(line).unwrap_or(as_printed)))
        .collect()
}

/// Whether the text that is shown is among the lines that were printed.
pub(crate) fn within(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (steady(shown), steady(printed));
    (0..=printed.len()).any(|from| lines_match(&shown, &printed[from..], true))
}

/// Whether two texts are the same JSON, but for times and memory.
pub(crate) fn same_json(shown: &str, printed: &str) -> bool {
    let read = |text: &str| {
        let mut value: Value = serde_json::from_str(text).ok()?;
        if let Some(stats) = value.get_mut("stats").and_then(Value::as_object_mut) {
            for key in ["seconds", "peak_memory_bytes"] {
                stats.insert(key.to_string(), Value::Null);
            }
        }
        Some(value)
    };
    read(shown).is_some_and(|shown| read(printed) == Some(shown))
}

/// Lines without what differs from run to run and from machine to machine.
fn steady(text: &str) -> Vec<String> {
    let steady = |line: &str| {
        let line = line.trim_end();
        if let Some(start) = ["  memory  ", "  time  "].into_iter().find(|start| line.starts_with(start)) {
            return start.to_string();
        }
        // How many states are checked depends on how long it takes.
        without_number(&without_number(line, "; ", " % of the time"), "self-check passed on ", " states")
    };
    let mut lines: Vec<String> = text.lines().map(steady).collect();
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(end);
    lines
}

/// A line without the number between two texts.
fn without_number(line: &str, before: &str, after: &str) -> String {
    let numbers = line.match_indices(before).map(|(at, _)| at + before.len());
    for start in numbers {
        let rest = line[start..].trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.starts_with(after) {
            return format!("{}{rest}", &line[..start]);
        }
    }
    line.to_string()
}

/// Whether the lines match, up to the end or, if something may follow, up to the last one that is shown.
fn lines_match(shown: &[String], printed: &[String], more: bool) -> bool {
    match shown.split_first() {
        None => more || printed.is_empty(),
        Some((line, rest)) if line == LEFT_OUT => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..], more))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && lines_match(rest, others, more)),
    }
}

/// Whether a line matches one in which parts may be left out.
fn line_matches(shown: &str, printed: &str) -> bool {
    match shown.split_once(LEFT_OUT) {
        None => shown == printed,
        Some((before, after)) => printed.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| line_matches(after, &rest[at..]))
        }),
    }
}

#[test]
fn what_is_left_out_matches_and_nothing_else_does() {
    assert!(same("a\n[…]\nd\n", "a\nb\nc\nd\n"));
    assert!(same("a\n[…]\n", "a\n"));
    assert!(same("took […] ms\n", "took 17 ms\n"));
    assert!(!same("took […] ms\n", "took 17 s\n"));
    assert!(!same("a\nb\n", "a\nb\nc\n"));
    assert!(!same("a\nb\nc\n", "a\nb\n"));
    assert!(within("b\nc\n", "a\nb\nc\nd\n"));
    assert!(!within("b\nd\n", "a\nb\nc\nd\n"));
}

#[test]
fn times_and_memory_do_not_count() {
    assert!(same("  time      0.1 s\n  x; 3 % of the time; y\n", "  time      7 s\n  x; 41 % of the time; y\n"));
    assert!(same("self-check passed on 58 states\n", "self-check passed on 100 states\n"));
    assert_eq!(renewed("  time      0.1 s\na\n", "  time      7 s\nb\n"), "  time      0.1 s\nb\n");
    assert!(!same("  depth     3\n", "  depth     4\n"));
    let json = |states: u32, seconds: f64| format!("{{\"stats\": {{\"states\": {states}, \"seconds\": {seconds}}}}}");
    assert!(same_json(&json(3, 0.5), &json(3, 7.5)));
    assert!(!same_json(&json(3, 0.5), &json(4, 0.5)));
}
