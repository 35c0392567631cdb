//! `quotient replay`: repeats a saved run on the reference interpreter, or with real processes, and says whether it still shows the
//! same.

use quotient_explain::trace_file::{Saved, TraceFileError, fingerprint};
use quotient_explain::{
    Explained, Keep, Lasso, MOST_KEPT, Misfit, Subject, explain_lasso, message, snapshot, violation,
};
use quotient_ir::Claim;
use quotient_report::answer::{ModelViolation, SCHEMA, to_json};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::run;
use quotient_report::source::{Location, SourceMap};
use quotient_report::text::{Palette, count};
use quotient_report::trace::Step;
use quotient_step::replay::Error;
use serde::Serialize;

use crate::args::{Format, Replay};
use crate::drawing::DrawingError;
use crate::lines::{Lines, table};
use crate::output::{self, Failure};
use crate::{drawing, failure, human};

/// The JSON form of the answer.
#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    input: &'a str,
    /// The violation is the one that was saved (or there was none, and there is none).
    reproduced: bool,
    /// The model's text is not the one that the run was saved with.
    model_changed: bool,
    violation: Option<&'a ModelViolation>,
    /// The run, when it shows no violation (otherwise it is there).
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a [Step]>,
}

/// Carries the command out; gives the exit code.
pub(crate) fn run(args: &Replay) -> Result<u8, Failure> {
    let saved = quotient_check::replay_processes(&args.trace);
    if let Some(answer) = saved.map_err(|error| failure::of(&args.trace, &error, args.output))? {
        crate::run::tell(&answer, args.output, false);
        return Ok(answer.verdict.exit_code());
    }
    let name = args.trace.display().to_string();
    let refuse = |problem: Diagnostic| failure::reject(&name, &[problem], &SourceMap::default(), args.output);
    let unusable = |problem: TraceFileError| failure::because(&args.trace, problem, args.output);
    let mut file = Saved::open(&args.trace).map_err(unusable)?;
    let saved = file.head.clone();
    let mut input =
        failure::load(&saved.model(), &saved.defines, &saved.formulas, &(&saved.reading).into(), args.output)?;
    quotient_canon::keep_types(&mut input.model, &saved.kept);
    let files = input.sources.files().iter().map(|file| file.path.as_path());
    let undrawn = |problem: DrawingError| refuse(Diagnostic::global(problem.to_string()));
    let language = quotient_check::Reading::from(&saved.reading).language_of(&saved.model());
    drawing::check(args.heap_graph.as_ref(), language, files.chain([args.trace.as_path()])).map_err(undrawn)?;
    let changed = fingerprint(&input.sources) != saved.fingerprint;
    let misfit = |problem: String| {
        let why = match changed {
            true => format!("`{}` has changed since the run was saved", input.path),
            false => {
                "the model is the one the run was saved with, so the file was made by another version of Quotient, \
                      or altered"
                    .to_string()
            }
        };
        refuse(Diagnostic::global(format!("the run does not fit the model: {problem}")).help(why))
    };
    let keep = match (args.output.format, args.steps) {
        (_, true) => Keep::ALL,
        (Format::Json, false) => Keep::MANY,
        (Format::Human, false) => Keep::READABLE,
    };
    let length = saved.length;
    let palette = Palette { color: output::color(args.output.color, &std::io::stdout()) };
    let json = args.output.format == Format::Json;
    let heading = format!(
        "Replaying {name}: {}{}, {}\n\n",
        palette.bold(&input.path),
        human::defines(&saved.defines),
        count(length.events as u64, "event")
    );
    // All steps of a long run are shown at once, and the heading before them.
    let shown = args.steps && !json && length.steps > MOST_KEPT;
    let mut lines = shown.then(|| {
        output::out(&heading);
        let title = saved.violation.as_ref().map_or(String::new(), |_| human::title(length.steps, palette));
        Lines::new(table(&input.model, &input.sources), title, palette)
    });
    let heading = if shown { String::new() } else { heading };
    let mut show = lines.as_mut().map(|lines| |step: &Step| lines.step(step));
    let note = match changed {
        true => format!(
            "{}: `{}` has changed since the run was saved, but the run still fits\n",
            palette.note("note"),
            input.path
        ),
        false => String::new(),
    };
    let tell = |explained: &Explained| {
        output::out(&match json {
            true => to_json(&Answer {
                schema: SCHEMA,
                input: &input.path,
                reproduced: true,
                model_changed: changed,
                violation: Some(&explained.violation),
                trace: None,
            }),
            false => {
                let story = match args.steps {
                    true => human::story(explained, &input.sources, palette),
                    false => human::end(explained, &input.sources, palette),
                };
                let verdict = palette.bad("REPRODUCED");
                format!("{heading}{story}{note}{verdict}: {}\n", explained.violation.message)
            }
        });
    };
    let subject = Subject { model: &input.model, sources: &input.sources, promises: saved.promises };
    if let Some(lasso) = &saved.lasso {
        let run = file.run().map_err(unusable)?;
        let labels = [Claim::acceptance(), Claim::progress()];
        let Some(claim) = input.model.claims.iter().chain(&labels).find(|claim| claim.name == lasso.property) else {
            return Err(misfit(format!("the model has no property `{}`", lasso.property)));
        };
        let lasso = Lasso {
            claim,
            run: &run,
            loop_start: lasso.loop_start,
            fairness: lasso.fairness,
            fair_to: &lasso.fair_to,
            processes_accept: lasso.processes_accept,
        };
        let show = show.as_mut().map(|show| show as &mut dyn FnMut(&Step));
        let explained = explain_lasso(subject, lasso, keep, show).map_err(|problem| misfit(problem.to_string()))?;
        drop(lines);
        drawing::draw(args.heap_graph.as_ref(), Some(&explained.violation.end_state)).map_err(undrawn)?;
        tell(&explained);
        return Ok(1);
    }
    let mut replay = quotient_explain::Replay::new(subject, length.steps, keep);
    if let Some(show) = &mut show {
        replay = replay.showing(show);
    }
    let mut result = Ok(());
    file.events(&mut |event| {
        result = replay.event(event);
        result.is_ok()
    })
    .map_err(unusable)?;
    result.map_err(|Misfit { event }| misfit(format!("event {event} of {} cannot happen", length.events)))?;
    let replayed = replay.finish();
    drop(lines);
    let Some(wanted) = &saved.violation else {
        if let Some(error) = replayed.errors.first() {
            return Err(misfit(format!(
                "it now ends with a violation: {}",
                message(&input.model, &replayed.end, error)
            )));
        }
        let end = snapshot(subject, &replayed.end, &replayed.executable, &replayed.lives);
        drawing::draw(args.heap_graph.as_ref(), Some(&end)).map_err(undrawn)?;
        output::out(&match json {
            true => to_json(&Answer {
                schema: SCHEMA,
                input: &input.path,
                reproduced: true,
                model_changed: changed,
                violation: None,
                trace: Some(&replayed.steps),
            }),
            false => {
                let steps = if args.steps { run::render(&replayed.steps, palette) + "\n" } else { String::new() };
                format!("{heading}{steps}{note}{}: no violation, as saved\n", palette.good("REPRODUCED"))
            }
        });
        return Ok(0);
    };
    let is_wanted =
        |error: &&Error| error.kind() == wanted.kind && message(&input.model, &replayed.end, error) == wanted.message;
    let Some(error) = replayed.errors.iter().find(is_wanted).cloned() else {
        return Err(misfit(format!("it does not end with the violation that was saved ({})", wanted.message)));
    };
    let explained = violation(subject, &error, replayed);
    let position = |location: &Option<Location>| location.as_ref().map(|place| (place.line, place.column));
    if !changed && position(&explained.violation.location) != position(&wanted.location) {
        return Err(misfit("the violation is at another place".to_string()));
    }
    drawing::draw(args.heap_graph.as_ref(), Some(&explained.violation.end_state)).map_err(undrawn)?;
    tell(&explained);
    Ok(1)
}
