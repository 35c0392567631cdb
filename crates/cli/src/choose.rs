//! Who decides what happens next in a simulation: chance, the user, or a saved run.

use std::io::BufRead;

use quotient_explain::names;
use quotient_ir::Model;
use quotient_report::source::SourceMap;
use quotient_report::text::{cut, pad, place, width};
use quotient_step::reference::{Outcome, State};
use quotient_step::replay::Event;

use crate::output;

/// Who decides.
pub(crate) enum Chooser {
    /// Chance, from a seed.
    Random(SplitMix),
    /// The user.
    Interactive,
    /// A saved run, and how much of it has been followed.
    Along(Vec<Event>, usize),
}

/// What was decided.
pub(crate) enum Decision {
    /// Take this one of the moves.
    Take(usize),
    /// Stop here.
    Stop,
    /// The saved run does not fit.
    Misfit,
}

/// The splitmix64 generator: small, and the same forever, so that a seed can be written down.
pub(crate) struct SplitMix(pub u64);

impl SplitMix {
    /// A number below a limit. The bias of the remainder is far too small to matter here.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

impl Chooser {
    /// Decides between the moves of a state.
    pub(crate) fn choose(&mut self, model: &Model, sources: &SourceMap, state: &State, moves: &[Outcome]) -> Decision {
        match self {
            Chooser::Random(random) => Decision::Take(random.below(moves.len())),
            Chooser::Interactive => ask(&menu(model, sources, state, moves), moves.len()),
            Chooser::Along(run, followed) => {
                let Some(event) = run.get(*followed) else { return Decision::Stop };
                *followed += 1;
                let wanted = moves.iter().position(|outcome| Event::Move(outcome.choice) == *event);
                wanted.map_or(Decision::Misfit, Decision::Take)
            }
        }
    }

    /// The process inside an atomic sequence loses control; a saved run must say so too.
    pub(crate) fn release(&mut self) -> Decision {
        let Chooser::Along(run, followed) = self else { return Decision::Take(0) };
        *followed += 1;
        match run.get(*followed - 1) {
            Some(Event::Release) => Decision::Take(0),
            Some(Event::Move(_)) => Decision::Misfit,
            None => Decision::Stop,
        }
    }

    /// Whether a saved run goes on.
    pub(crate) fn has_more(&self) -> bool {
        matches!(self, Chooser::Along(run, followed) if *followed < run.len())
    }
}

/// The moves as a numbered list.
fn menu(model: &Model, sources: &SourceMap, state: &State, moves: &[Outcome]) -> String {
    let one = |process: usize, transition: usize| {
        let view = &state.processes[process];
        let proctype = &model.proctypes[view.proctype];
        let transition = &proctype.states[view.control].transitions[transition];
        let statement = &proctype.statements[transition.statement];
        let location = sources.location(statement.span);
        (names::process(model, state, process).to_string(), place(&location), cut(&statement.text, 60))
    };
    let rows: Vec<(String, String, String)> = moves
        .iter()
        .map(|outcome| {
            let (who, place, mut statement) = one(outcome.choice.process, outcome.choice.transition);
            if let Some((process, transition)) = outcome.choice.partner {
                let (partner, _, receive) = one(process, transition);
                statement = format!("{statement}  with {partner}: {receive}");
            }
            (who, place, statement)
        })
        .collect();
    let who = rows.iter().map(|row| width(&row.0)).max().unwrap_or(0);
    let at = rows.iter().map(|row| width(&row.1)).max().unwrap_or(0);
    let line = |(number, row): (usize, &(String, String, String))| {
        format!("  {:>3}  {}  {}  {}\n", number + 1, pad(&row.0, who), pad(&row.1, at), row.2)
    };
    rows.iter().enumerate().map(line).collect()
}

/// Asks the user until the answer makes sense; the end of the input is an answer too.
fn ask(menu: &str, moves: usize) -> Decision {
    output::err(menu);
    loop {
        output::err(&format!("Which one (1 to {moves}, q quits)? "));
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => {
                output::err("\n");
                return Decision::Stop;
            }
            Ok(_) => {}
        }
        match (line.trim(), line.trim().parse::<usize>()) {
            ("q" | "quit", _) => return Decision::Stop,
            (_, Ok(number)) if (1..=moves).contains(&number) => return Decision::Take(number - 1),
            _ => output::err("That is not one of them.\n"),
        }
    }
}
