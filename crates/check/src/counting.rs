//! Counting as SPIN does: what goes with it, what the answer says of it, and how what was found is told on the
//! model as it is written. It follows `quotient_promela::Loaded::as_spin_counts`, whose model is for counting only.

use quotient_explain::as_written;
use quotient_report::text::count;
use quotient_report::verdict::{Shortfall, StopReason};
use quotient_search::Exploration;
use quotient_step::reference::Interpreter;

use crate::Error;
use crate::input::Input;
use crate::options::ModelOptions;
use crate::words::{CountAs, Order, Reduce};

/// Refuses what does not go with the counts that are asked for.
pub(crate) fn refuse(options: &ModelOptions) -> Result<(), Error> {
    match (options.count_as, options.order) {
        (CountAs::SpinDefault, Order::Bfs) => {
            Err(Error::option("--count-as spin-default needs --order dfs: the counts are those of SPIN's order"))
        }
        _ => Ok(()),
    }
}

/// Whose states the answer counts, if not the model's own.
pub(crate) fn whose(options: &ModelOptions) -> Option<String> {
    match options.count_as {
        CountAs::Quotient => None,
        CountAs::Spin => Some("SPIN does without its optimisations".to_string()),
        CountAs::SpinDefault => Some("SPIN does by default".to_string()),
    }
}

/// What an answer that counts so falls short of.
pub(crate) fn shortfall(options: &ModelOptions) -> Option<Shortfall> {
    loses_errors(options).then_some(Shortfall::Counting)
}

/// Whether something is believed that SPIN believes, and nobody checks.
fn loses_errors(options: &ModelOptions) -> bool {
    match options.count_as {
        CountAs::Quotient => false,
        CountAs::Spin => options.reduce != Reduce::Off,
        CountAs::SpinDefault => true,
    }
}

/// Why such an answer is inconclusive, if the search did not end early.
pub(crate) fn reason(options: &ModelOptions, stop: Option<StopReason>) -> Option<String> {
    let reason = match options.count_as {
        CountAs::SpinDefault => {
            "no error was confirmed, but SPIN's optimisations can lose errors, and states were counted with them"
        }
        _ => "no error was found, but SPIN's reduction can lose errors, and states were counted with it",
    };
    (loses_errors(options) && stop.is_none_or(|stop| stop == StopReason::FirstViolation)).then(|| reason.to_string())
}

/// Turns what was found into what the model as it is written does: runs with every statement, and statements that were
/// executed. It returns how many violations there are that the model as it is written does not show; they are left out.
pub(crate) fn tell_as_written(input: &Input, promises: bool, found: &mut Exploration) -> usize {
    let Some(counted) = &input.counted else { return 0 };
    let written = &input.model;
    for ((counted, written), reached) in counted.proctypes.iter().zip(&written.proctypes).zip(&mut found.reached) {
        for (number, statement) in counted.statements.iter().enumerate() {
            if reached[number] {
                statement.merged.iter().for_each(|&part| reached[part] = true);
            }
        }
        reached.truncate(written.statements.len());
    }
    let before = found.violations.len();
    found.violations.retain_mut(|violation| {
        let (written, counted) = (Interpreter { model: written, promises }, Interpreter { model: counted, promises });
        match as_written(written, counted, &violation.error, &violation.path) {
            Some(path) => violation.path = path,
            None => return false,
        }
        true
    });
    before - found.violations.len()
}

/// What to say of violations that the model as it is written does not show.
pub(crate) fn note(lost: usize) -> Option<String> {
    let errors = count(lost as u64, "error");
    (lost > 0).then(|| format!("SPIN would report {errors} more that the model as it is written does not have"))
}
