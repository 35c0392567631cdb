//! In which order the memory of the program's threads is laid out: ascending with their numbers, descending, or one after
//! the other.
//!
//! The order of two addresses in the memory of different threads is not fixed by the language. A program that depends on it
//! is explored in both orders, unless that is not wanted: then every two threads have been in each order. Of three threads,
//! not all orders are explored.

use crate::build::compile::Compiled;
use crate::problem::Problem;
use crate::check::answer::Found;
use crate::check::child;
use crate::check::keep::Stage;
use crate::options::{AddressOrder, Options};
use crate::check::{Layout, check_layout};
use quotient_report::Answer;
use quotient_report::verdict::Verdict;

/// What the text of an execution begins with if the memory of threads descends.
const DESCENDING: &str = "descending:";

/// Checks a program.
///
/// # Errors
/// The program cannot be loaded, or ends the process that checks it before the check begins.
pub fn check(program: &Compiled, options: &Options) -> Result<Answer, Problem> {
    if let Some(answer) = child::too_few_addresses() {
        return Ok(answer);
    }
    if let Some(replay) = options.replay.as_deref() {
        let layout = |descending| Layout { descending, first: None };
        let Some(text) = replay.strip_prefix(DESCENDING) else {
            return check_layout(program, options, layout(false), None).map(|found| found.answer);
        };
        let options = Options { replay: Some(text.to_owned()), ..options.clone() };
        let found = check_layout(program, &options, layout(true), None)?;
        return Ok(in_descending_order(found).answer);
    }
    let mut resumed = options.resume.as_deref().map(Stage::read).transpose()?;
    let first = match &mut resumed {
        Some(Stage { descending: true, first, .. }) => {
            first.take().ok_or_else(|| Problem::new("the checkpoint makes no sense: it was made by something else"))?
        }
        _ => check_layout(program, options, Layout { descending: false, first: None }, resumed.take())?,
    };
    let is_wanted = match options.address_order {
        AddressOrder::Auto => first.orders_addresses,
        AddressOrder::Ascending => false,
        AddressOrder::Both => true,
    };
    if !is_wanted || first.answer.verdict != Verdict::Holds {
        return Ok(first.answer);
    }
    let time = options
        .max_time
        .map(|most| most.saturating_sub(std::time::Duration::from_secs_f64(first.answer.stats.seconds)));
    let executions = options.max_executions.map(|most| most.saturating_sub(first.answer.stats.program().executions));
    let options = Options { max_time: time, max_executions: executions, ..options.clone() };
    let layout = Layout { descending: true, first: Some(&first) };
    let second = in_descending_order(check_layout(program, &options, layout, resumed)?);
    Ok(together(first.answer, second.answer))
}

/// The text of an execution says in which order the memory of threads is.
fn in_descending_order(mut found: Found) -> Found {
    if let Some(execution) = found.answer.execution_mut().filter(|execution| !execution.replay.is_empty()) {
        execution.replay.insert_str(0, DESCENDING);
    }
    found
}

/// What both orders say together; nothing is wrong in the first.
fn together(first: Answer, mut second: Answer) -> Answer {
    second.stats.add_before(&first.stats);
    for (mine, others) in [(&mut second.warnings, first.warnings), (&mut second.notes, first.notes)] {
        let new: Vec<String> = others.into_iter().filter(|other| !mine.contains(other)).collect();
        mine.splice(0..0, new);
    }
    second.notes.push(match second.verdict {
        Verdict::Violated => {
            "the memory of later threads has lower addresses in this execution; with higher ones nothing is wrong".to_owned()
        }
        _ => "the memory of threads was laid out in ascending and in descending order of addresses, and the executions of both \
              are counted; other orders of more than two threads were not tried"
            .to_owned(),
    });
    second
}
