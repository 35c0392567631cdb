//! Makes a program smaller one edit at a time, on the generator's tree, in the manner of delta debugging.
//! Edits are numbered from large (a process) to small (a constant); SPIN itself rejects those that make no sense.

use super::tree::{Phrase, Piece, Process, Program, Statement};
use crate::phrase;

/// `program` after its edit number `number`, or `None` when it has fewer edits.
pub fn edit(program: &Program, number: usize) -> Option<Program> {
    let mut edited = program.clone();
    let mut countdown = Countdown { left: number, done: false };
    edit_program(&mut edited, &mut countdown);
    countdown.done.then_some(edited)
}

/// The smallest program reachable from `program` whose edits all keep `interesting` true, trying at most `attempts`.
pub fn shrink(program: Program, attempts: usize, mut interesting: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program;
    let (mut number, mut since_progress, mut tried) = (0, 0, 0);
    while tried < attempts {
        let Some(candidate) = edit(&best, number) else {
            if since_progress == 0 {
                break;
            }
            (number, since_progress) = (0, 0);
            continue;
        };
        tried += 1;
        if interesting(&candidate) {
            // The edit's number now names another edit of the smaller program, so it is not advanced.
            best = candidate;
            since_progress += 1;
        } else {
            number += 1;
        }
    }
    best
}

/// Counts down to the edit to be made.
struct Countdown {
    left: usize,
    done: bool,
}

impl Countdown {
    /// Whether the edit at this point is the one to make.
    fn reached(&mut self) -> bool {
        if self.done {
            return false;
        }
        self.done = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        self.done
    }
}

/// Removes the item that the countdown selects, if it is one of these.
fn remove<T>(items: &mut Vec<T>, countdown: &mut Countdown) -> bool {
    for index in 0..items.len() {
        if countdown.reached() {
            items.remove(index);
            return true;
        }
    }
    false
}

fn edit_program(program: &mut Program, countdown: &mut Countdown) {
    if remove(&mut program.processes, countdown) {
        return;
    }
    if program.trace.is_some() && countdown.reached() {
        program.trace = None;
        return;
    }
    if remove(&mut program.inlines, countdown) || remove(&mut program.declarations, countdown) {
        return;
    }
    for process in &mut program.processes {
        edit_header(process, countdown);
        edit_sequence(&mut process.body, countdown);
    }
    for (_, body) in &mut program.inlines {
        edit_sequence(body, countdown);
    }
    for declaration in &mut program.declarations {
        edit_phrase(declaration, countdown);
    }
}

fn edit_header(process: &mut Process, countdown: &mut Countdown) {
    if process.active > 1 && countdown.reached() {
        process.active = 1;
    }
    if process.provided.is_some() && countdown.reached() {
        process.provided = None;
    }
    if let Some(condition) = &mut process.provided {
        edit_phrase(condition, countdown);
    }
}

fn edit_sequence(statements: &mut Vec<Statement>, countdown: &mut Countdown) {
    if remove(statements, countdown) {
        return;
    }
    for index in 0..statements.len() {
        for replacement in contents(&statements[index]) {
            if countdown.reached() {
                statements.splice(index..=index, replacement);
                return;
            }
        }
        edit_statement(&mut statements[index], countdown);
        if countdown.done {
            return;
        }
    }
}

/// The sequences by which a compound statement may be replaced.
fn contents(statement: &Statement) -> Vec<Vec<Statement>> {
    match statement {
        Statement::Labelled(_, inner) => vec![vec![(**inner).clone()]],
        // An else means something in a selection only, though SPIN accepts it anywhere.
        Statement::Select(_, options) => {
            let bare = |option: &Vec<Statement>| {
                option.iter().filter(|statement| !matches!(statement, Statement::Else)).cloned().collect()
            };
            options.iter().map(bare).collect()
        }
        Statement::Group(_, body) | Statement::For(_, body) => vec![body.clone()],
        Statement::Unless(main, escape) => vec![main.clone(), escape.clone()],
        Statement::Basic(_)
        | Statement::Macro(_)
        | Statement::Declare(_)
        | Statement::Else
        | Statement::Break
        | Statement::Goto(_) => Vec::new(),
    }
}

fn edit_statement(statement: &mut Statement, countdown: &mut Countdown) {
    match statement {
        Statement::Basic(phrase) => {
            edit_phrase(phrase, countdown);
            if phrase.to_string() != "skip" && countdown.reached() {
                *phrase = phrase!["skip"];
            }
        }
        Statement::Macro(phrase) | Statement::Declare(phrase) => edit_phrase(phrase, countdown),
        Statement::Else | Statement::Break | Statement::Goto(_) => {}
        Statement::Labelled(_, inner) => edit_statement(inner, countdown),
        Statement::Select(_, options) => {
            if options.len() > 1 && remove(options, countdown) {
                return;
            }
            options.iter_mut().for_each(|option| edit_sequence(option, countdown));
        }
        Statement::Group(_, body) => edit_sequence(body, countdown),
        Statement::For(header, body) => {
            edit_phrase(header, countdown);
            edit_sequence(body, countdown);
        }
        Statement::Unless(main, escape) => {
            edit_sequence(main, countdown);
            edit_sequence(escape, countdown);
        }
    }
}

/// Replaces a value by 0, by 1 or by a value inside it.
fn edit_phrase(phrase: &mut Phrase, countdown: &mut Countdown) {
    for piece in &mut phrase.0 {
        match piece {
            Piece::Text(_) => {}
            Piece::Place(inner) => edit_phrase(inner, countdown),
            Piece::Value(inner) => {
                let text = inner.to_string();
                // 1 is simpler than everything except 0, so that the two are not exchanged forever.
                let constants: &[&str] = match text.as_str() {
                    "0" => &[],
                    "1" => &["0"],
                    _ => &["0", "1"],
                };
                let inside = inner.0.iter().filter_map(|piece| match piece {
                    Piece::Value(value) => Some(value.clone()),
                    Piece::Text(_) | Piece::Place(_) => None,
                });
                let replacements = constants.iter().map(|constant| phrase![*constant]).chain(inside);
                let found = replacements.into_iter().find(|_| countdown.reached());
                match found {
                    Some(replacement) => *inner = replacement,
                    None => edit_phrase(inner, countdown),
                }
            }
        }
        if countdown.done {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinks_to_what_is_interesting() {
        let body = vec![
            Statement::Basic(phrase!["x = ", phrase!["(", phrase!["y"], " + ", phrase!["7"], ")"]]),
            Statement::Group(super::super::tree::Block::Atomic, vec![Statement::Basic(phrase!["z++"])]),
        ];
        let process = Process { header: "proctype P()".into(), active: 2, provided: None, body };
        let program = Program { processes: vec![process.clone(), process], ..Program::default() };
        let small = shrink(program, 1000, |candidate| candidate.to_string().contains("z++"));
        assert_eq!(small.to_string(), "\nactive proctype P() {\n  z++\n}\n");
    }
}
