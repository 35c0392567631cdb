//! Reductions that were dropped, in one line each: what showed that they are not right, and whose fault it is.

use quotient_ir::Model;
use quotient_report::stats::Dropped;
use quotient_search::{Asymmetry, Disorder, Exploration};
use quotient_step::Choice;
use quotient_step::reference::State;

use crate::input::Input;
use crate::options::ModelOptions;

/// The reason that is given where a reduction is said to be off.
pub(crate) const REASON: &str = "it was dropped";
/// What partial-order reduction is called in answers.
pub(crate) const ORDER: &str = "partial-order";
/// What symmetry reduction is called in answers.
const SYMMETRY: &str = "symmetry";

/// What is to be said about reductions that were dropped.
pub(crate) fn tell(options: &ModelOptions, input: &Input, found: &Exploration) -> Vec<Dropped> {
    let report = "please report this";
    let tell = |dropped: &quotient_search::Dropped| match dropped {
        quotient_search::Dropped::Symmetry { asymmetry, .. } => {
            let fault = match &options.symmetry_file {
                Some(path) => format!("what {} says is not true", path.display()),
                None => report.to_string(),
            };
            Dropped {
                reduction: SYMMETRY.to_string(),
                message: format!(
                    "two states that differ by names only behave differently ({}); {fault}",
                    difference(input, asymmetry)
                ),
            }
        }
        quotient_search::Dropped::Order(Disorder::Step { state, process, other }) => Dropped {
            reduction: ORDER.to_string(),
            message: format!(
                "moves that were taken for independent are not ({} beside {}); {report}",
                statement(input, state, *other),
                named(&input.model, state, *process),
            ),
        },
        quotient_search::Dropped::Order(Disorder::Records { may_be }) => Dropped {
            reduction: ORDER.to_string(),
            message: format!(
                "states that are left out may have up to {may_be} records, and {} are allowed; with a higher --heap-limit it \
                 can be applied",
                input.model.heap.as_ref().map_or(0, |heap| heap.most_records)
            ),
        },
        quotient_search::Dropped::Order(Disorder::Promise { proctype }) => Dropped {
            reduction: ORDER.to_string(),
            message: format!(
                "an instance of `{}` ended, and others may still use a channel that it promised to be alone on",
                input.model.proctypes[*proctype].name
            ),
        },
    };
    found.dropped.iter().map(tell).collect()
}

fn difference(input: &Input, asymmetry: &Asymmetry) -> String {
    let Asymmetry { state, renamed, choice, of_renamed } = asymmetry;
    let (can, cannot) = if *of_renamed { (renamed, state) } else { (state, renamed) };
    let what = match choice {
        Some(choice) => statement(input, can, *choice),
        None => "that nothing can happen".to_string(),
    };
    format!("{what} in the state {}, but not in {}", show(&input.model, can), show(&input.model, cannot))
}

/// What a process executes, and where that is written.
fn statement(input: &Input, state: &State, choice: Choice) -> String {
    let process = &state.processes[choice.process];
    let proctype = &input.model.proctypes[process.proctype];
    let transition = &proctype.states[process.control].transitions[choice.transition];
    let statement = &proctype.statements[transition.statement];
    let location = input.sources.location(statement.span);
    let who = named(&input.model, state, choice.process);
    format!("{}:{}: `{}` of {who}", location.file, location.line, statement.text)
}

fn named(model: &Model, state: &State, process: usize) -> String {
    format!("process {process} ({})", model.proctypes[state.processes[process].proctype].name)
}

/// A state in a line: variables that are not zero.
fn show(model: &Model, state: &State) -> String {
    let mut parts = Vec::new();
    for (slot, value) in model.globals.iter().zip(&state.globals).filter(|(_, value)| **value != 0) {
        parts.push(format!("{} = {}", slot.name, model.show(slot.mtype, *value)));
    }
    for (id, process) in state.processes.iter().enumerate() {
        let proctype = &model.proctypes[process.proctype];
        let locals = proctype.slots.iter().zip(&process.locals).filter(|(_, value)| **value != 0);
        let locals: Vec<String> =
            locals.map(|(slot, value)| format!("{} = {}", slot.name, model.show(slot.mtype, *value))).collect();
        let number = proctype.states[process.control].number;
        parts.push(format!("{}({id}) at {number} [{}]", proctype.name, locals.join(", ")));
    }
    for (id, channel) in state.channels.iter().enumerate().filter(|(_, channel)| !channel.messages.is_empty()) {
        parts.push(format!("channel {} holds {:?}", id + 1, channel.messages));
    }
    parts.join("; ")
}
