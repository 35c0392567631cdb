//! The messages of a run as a sequence chart: a column for each process, time going down. An arrow from column to
//! column is a message received (or a rendezvous); one that ends in the open is a message put into a channel.

use crate::text::{Palette, count, cut, pad, thousands, width};
use crate::trace::{Direction, ProcessName, Step, Traffic, message_text};

/// More columns than this are not drawn; who does not get one is written out.
const MOST_COLUMNS: usize = 8;
/// More messages than this are not drawn; the last ones are.
const MOST_ROWS: usize = 40;
const WIDEST: usize = 24;
const NARROWEST: usize = 12;

/// One row of the chart.
struct Row {
    step: usize,
    from: ProcessName,
    to: Option<ProcessName>,
    label: String,
}

/// The chart of a run; empty when no message was sent.
pub fn render(steps: &[Step], palette: Palette) -> String {
    let all = rows(steps);
    let rows = &all[all.len().saturating_sub(MOST_ROWS)..];
    if rows.is_empty() {
        return String::new();
    }
    let columns = columns(rows);
    let longest = rows.iter().map(|row| width(&row.label)).max().unwrap_or(0) + 6;
    let names = columns.iter().map(|who| width(&who.to_string()) + 2).max().unwrap_or(0);
    let wide = longest.max(names).clamp(NARROWEST, WIDEST.max(names));
    let number = width(&thousands(rows.last().map_or(0, |row| row.step as u64))).max(3);
    let mut text = String::new();
    if rows.len() < all.len() {
        let note = format!("… {} left out …", count((all.len() - rows.len()) as u64, "earlier message"));
        text.push_str(&format!("{}\n", palette.dim(&note)));
    }
    let heads: Vec<String> = columns.iter().map(|who| pad(&who.to_string(), wide)).collect();
    text.push_str(&format!("{}  {}\n", " ".repeat(number), palette.who(heads.concat().trim_end())));
    for row in rows {
        let step = format!("{:>number$}", thousands(row.step as u64));
        text.push_str(&format!("{step}  {}\n", draw(row, &columns, wide)));
    }
    text
}

fn rows(steps: &[Step]) -> Vec<Row> {
    let mut rows = Vec::new();
    for step in steps {
        let effects = std::iter::once(&step.effect).chain(&step.inner);
        for event in effects.filter_map(|effect| effect.event.as_ref()).filter(|event| !event.copied) {
            let Traffic { kind, channel, message, sent, .. } = event;
            let message = message_text(message);
            let sender = sent.as_ref().filter(|sent| sent.step > 0).map(|sent| sent.who.clone());
            let (from, to, label) = match kind {
                Direction::Send => {
                    (step.who.clone(), step.partner.as_ref().map(|p| p.who.clone()), format!("{channel}!{message}"))
                }
                Direction::Receive => {
                    (sender.unwrap_or(step.who.clone()), Some(step.who.clone()), format!("{channel}?{message}"))
                }
            };
            rows.push(Row { step: step.step, from, to, label });
        }
    }
    rows
}

/// Who gets a column: those with most messages, in the order of their ids.
fn columns(rows: &[Row]) -> Vec<ProcessName> {
    let mut counted: Vec<(usize, ProcessName)> = Vec::new();
    for who in rows.iter().flat_map(|row| std::iter::once(&row.from).chain(&row.to)) {
        match counted.iter_mut().find(|(_, other)| other == who) {
            Some((times, _)) => *times += 1,
            None => counted.push((1, who.clone())),
        }
    }
    counted.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    counted.truncate(MOST_COLUMNS);
    let mut columns: Vec<ProcessName> = counted.into_iter().map(|(_, who)| who).collect();
    columns.sort_by(|a, b| (a.process, &a.proctype, a.number).cmp(&(b.process, &b.proctype, b.number)));
    columns
}

fn draw(row: &Row, columns: &[ProcessName], wide: usize) -> String {
    let column = |who: &ProcessName| columns.iter().position(|other| other == who);
    let mut line: Vec<char> = vec![' '; columns.len() * wide];
    for index in 0..columns.len() {
        line[index * wide] = '│';
    }
    let mut write = |at: usize, text: &str| {
        for (offset, c) in text.chars().enumerate() {
            if at + offset >= line.len() {
                line.resize(at + offset + 1, ' ');
            }
            line[at + offset] = c;
        }
    };
    match (column(&row.from), row.to.as_ref().map(column)) {
        // Into a channel.
        (Some(from), None) => write(from * wide, &format!("├─► {}", cut(&row.label, wide.saturating_sub(5).max(8)))),
        // To itself, out of a channel.
        (Some(from), Some(Some(to))) if from == to => {
            write(from * wide, &format!("│◄─ {}", cut(&row.label, wide.saturating_sub(5).max(8))));
        }
        (Some(from), Some(Some(to))) => {
            let (left, right) = (from.min(to), from.max(to));
            let inside = (right - left) * wide - 1;
            let label = cut(&row.label, inside.saturating_sub(4));
            let shaft = inside - 1 - width(&label);
            let before = shaft / 2;
            let (before, after) = ("─".repeat(before), "─".repeat(shaft - before));
            let arrow = match from < to {
                true => format!("├{before}{label}{after}►│"),
                false => format!("│◄{before}{label}{after}┤"),
            };
            write(left * wide, &arrow);
        }
        (from, _) => {
            let to = row.to.as_ref().map_or(String::new(), |to| format!(" → {to}"));
            let _ = from;
            write(columns.len() * wide, &format!("{}{to}: {}", row.from, row.label));
        }
    }
    line.into_iter().collect::<String>().trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(process: usize) -> ProcessName {
        ProcessName { process, proctype: "P".to_string(), number: None }
    }

    fn row(from: usize, to: Option<usize>, label: &str) -> Row {
        Row { step: 1, from: who(from), to: to.map(who), label: label.to_string() }
    }

    #[test]
    fn arrows_go_from_sender_to_receiver() {
        let columns: Vec<ProcessName> = (0..3).map(who).collect();
        let drawn = |from, to, label| draw(&row(from, to, label), &columns, 12);
        assert_eq!(drawn(0, None, "q!1"), "├─► q!1     │           │");
        assert_eq!(drawn(0, Some(1), "q?1"), "├───q?1────►│           │");
        assert_eq!(drawn(2, Some(0), "q!req,1"), "│◄───────q!req,1────────┤");
        assert_eq!(drawn(1, Some(1), "q?1"), "│           │◄─ q?1     │");
        assert_eq!(drawn(0, Some(7), "q?1"), "│           │           │           P:0 → P:7: q?1");
        assert_eq!(drawn(0, Some(1), "a_long_channel!1"), "├─a_long…──►│           │");
    }

    #[test]
    fn the_busiest_get_columns() {
        let rows: Vec<Row> = (0..20).flat_map(|p| (0..=p).map(move |_| row(p, None, "q!1"))).collect();
        assert_eq!(columns(&rows).iter().map(|who| who.process).collect::<Vec<_>>(), (12..20).collect::<Vec<_>>());
    }
}
