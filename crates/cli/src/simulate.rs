//! `quotient simulate`: follows one run of a model on the reference interpreter, and shows what it prints.

use quotient_check::{Input, Reading};
use quotient_explain::target::{TargetError, check_writable, spare_inputs};
use quotient_explain::trace_file::{Saved, Shown, TraceFile, TraceFileError, fingerprint};
use quotient_explain::{Explained, Keep, Lives, Replay, Subject, snapshot, violation};
use quotient_report::answer::{ModelViolation, SCHEMA, to_json};
use quotient_report::standing;
use quotient_report::text::{Palette, count};
use quotient_report::trace::{Snapshot, Step};
use quotient_step::Choice;
use quotient_step::reference::{Moves, State};
use quotient_step::replay::{Error, Event, Path, steps};
use serde::Serialize;

use crate::args::{Format, Simulate};
use crate::choose::{Chooser, Decision, SplitMix};
use crate::drawing::DrawingError;
use crate::output::{self, Failure};
use crate::{drawing, failure, human, lines};

/// The JSON form of the answer.
#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    input: &'a str,
    /// The seed of a random run.
    seed: Option<u64>,
    /// Why the run ended.
    end: End,
    violation: Option<&'a ModelViolation>,
    /// The run and how things stand at its end (in the violation, if there is one).
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a [Step]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_state: Option<&'a Snapshot>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum End {
    /// Something is wrong.
    Violation,
    /// Nothing can happen, and that is all right.
    Finished,
    /// As many steps as allowed.
    MaxSteps,
    /// The user quit, or the saved run ended.
    Stopped,
}

/// A finished run.
struct Run {
    events: Path,
    steps: Vec<Step>,
    end: End,
    state: State,
    explained: Option<Explained>,
    executable: Vec<Choice>,
    lives: Lives,
}

/// Whether `xr` and `xs` promises are checked: as in a check with partial-order reduction, which is the default.
const PROMISES: bool = true;

/// A run that is not a saved one is stopped after so many steps, unless another number is asked for.
const MOST_STEPS: usize = 1000;

/// Carries the command out; gives the exit code.
pub(crate) fn run(args: &Simulate) -> Result<u8, Failure> {
    let refuse = |problem: String| failure::because(&args.input.file, problem, args.output);
    let unwritable = |problem: TargetError| refuse(problem.to_string());
    let unusable = |problem: TraceFileError| refuse(problem.to_string());
    let undrawn = |problem: DrawingError| refuse(problem.to_string());
    if let Some(path) = &args.trace {
        check_writable(path).map_err(unwritable)?;
    }
    let mut along = args.along.as_ref().map(|path| Saved::open(path)).transpose().map_err(unusable)?;
    let saved = along.as_ref().map(|along| along.head.clone());
    let defines = match &saved {
        Some(saved) if args.input.defines.is_empty() => &saved.defines,
        _ => &args.input.defines,
    };
    let formulas = saved.as_ref().map_or(&[][..], |saved| &saved.formulas);
    let reading = match &saved {
        Some(saved) if args.reading == Reading::default() => Reading::from(&saved.reading),
        _ => args.reading,
    };
    let mut input = failure::load(&args.input.file, defines, formulas, &reading, args.output)?;
    if let Some(path) = &args.trace {
        let files = input.sources.files().iter().map(|file| file.path.as_path());
        spare_inputs(path, "model", files.chain(args.along.as_deref())).map_err(unwritable)?;
    }
    let files = input.sources.files().iter().map(|file| file.path.as_path());
    let language = reading.language_of(&args.input.file);
    drawing::check(args.heap_graph.as_ref(), language, files.chain(args.along.as_deref())).map_err(undrawn)?;
    let kept = saved.as_ref().map_or(Vec::new(), |saved| saved.kept.clone());
    quotient_canon::keep_types(&mut input.model, &kept);
    let promises = saved.as_ref().map_or(PROMISES, |saved| saved.promises);
    let seed = (!args.interactive && saved.is_none()).then(|| args.seed.unwrap_or_else(new_seed));
    let human = args.output.format == Format::Human;
    let palette = Palette { color: output::color(args.output.color, &std::io::stdout()) };
    if human {
        output::err(&failure::warnings(&input.warnings, &input.sources, args.output));
        let how = match (seed, &args.along) {
            (Some(seed), _) => format!("at random with --seed {seed}"),
            (None, Some(along)) => format!("along {}", along.display()),
            (None, None) => "by your choices".to_string(),
        };
        let file = palette.bold(&input.path);
        output::out(&format!("Simulating {file}{} {how}\n\n", human::defines(defines)));
    }
    let mut chooser = match (seed, &mut along) {
        (Some(seed), _) => Chooser::Random(SplitMix(seed)),
        (None, Some(along)) => Chooser::Along(along.run().map_err(unusable)?, 0),
        (None, None) => Chooser::Interactive,
    };
    let table = human.then(|| lines::table(&input.model, &input.sources));
    let mut show = |step: &Step| {
        if let Some(table) = &table {
            let printed = step.effect.output.iter().chain(step.inner.iter().filter_map(|inner| inner.output.as_ref()));
            let printed: String = printed.map(|text| format!("{}\n", text.trim_end_matches('\n'))).collect();
            let line = table.step(&silent(step), palette);
            output::out(&format!("{line}{}", palette.bold(&printed)));
        }
    };
    let subject = Subject { model: &input.model, sources: &input.sources, promises };
    let most = args.steps.unwrap_or(if args.along.is_some() { usize::MAX } else { MOST_STEPS });
    let run = follow(subject, &mut chooser, most, &mut show).map_err(|number| {
        let changed = saved.as_ref().is_some_and(|saved| saved.fingerprint != fingerprint(&input.sources));
        let why = if changed { "; the model has changed since the run was saved" } else { "" };
        refuse(format!("the saved run does not fit the model: event {number} cannot happen{why}"))
    })?;
    drawing::draw(args.heap_graph.as_ref(), Some(&end_state(&input, &run))).map_err(undrawn)?;
    if let Some(path) = &args.trace {
        let shown = run.explained.as_ref().map(|explained| {
            let ModelViolation { kind, message, location, .. } = explained.violation.clone();
            Shown { kind, message, location }
        });
        let saved = TraceFile::new(&input.path, &input.sources, promises, shown);
        TraceFile { defines: defines.clone(), reading: reading.into(), kept, ..saved }
            .write(path, &run.events)
            .map_err(unusable)?;
    }
    match args.output.format {
        Format::Json => output::out(&json(&input, seed, &run)),
        Format::Human => output::out(&ending(&input, &run, cycle(saved.as_ref(), &run.events), palette)),
    }
    Ok(u8::from(run.explained.is_some()))
}

/// Follows a run to its end; `Err` is the number of the event of a saved run that does not fit.
fn follow(subject: Subject<'_>, chooser: &mut Chooser, most: usize, show: &mut dyn FnMut(&Step)) -> Result<Run, usize> {
    let mut run = Replay::new(subject, most, Keep::ALL);
    let mut events = Path::new();
    let mut error = None;
    let end = loop {
        let position = run.position();
        error = error.or_else(|| position.faults().first().copied().map(Error::Fault));
        if error.is_some() {
            break End::Violation;
        }
        let outcomes = match position.moves() {
            Moves::End if chooser.has_more() => return Err(events.len() + 1),
            Moves::End => break End::Finished,
            Moves::Deadlock => {
                error = Some(Error::Deadlock);
                continue;
            }
            Moves::Release => {
                match chooser.release() {
                    Decision::Misfit => return Err(events.len() + 1),
                    Decision::Stop => break End::Stopped,
                    Decision::Take(_) => run.release(),
                }
                events.push(Event::Release);
                continue;
            }
            Moves::Some(outcomes) => outcomes,
        };
        if run.steps() >= most {
            break End::MaxSteps;
        }
        let index = match chooser.choose(subject.model, subject.sources, position.state(), &outcomes) {
            Decision::Take(index) => index,
            Decision::Stop => break End::Stopped,
            Decision::Misfit => return Err(events.len() + 1),
        };
        let Some(outcome) = outcomes.into_iter().nth(index) else { break End::Stopped };
        events.push(Event::Move(outcome.choice));
        if let Some(step) = run.follow(outcome) {
            show(step);
        }
    };
    let told = run.finish();
    let (steps, executable, state) = (told.steps.clone(), told.executable.clone(), told.end.clone());
    let lives = told.lives.clone();
    let explained = error.map(|error| violation(subject, &error, told));
    Ok(Run { events, steps, end, state, explained, executable, lives })
}

/// The first step of the cycle that a saved run repeats forever, if it does.
fn cycle(saved: Option<&TraceFile>, events: &[Event]) -> Option<usize> {
    let start = saved?.lasso.as_ref()?.loop_start?;
    (start < events.len()).then(|| steps(&events[..start]) + 1)
}

/// How a run ended, for people; `cycle` is the first step of what repeats forever.
fn ending(input: &Input, run: &Run, cycle: Option<usize>, palette: Palette) -> String {
    let gap = if run.steps.is_empty() { "" } else { "\n" };
    if let Some(explained) = &run.explained {
        let end = human::end(explained, &input.sources, palette);
        let after = count(run.steps.len() as u64, "step");
        return format!("{gap}{end}{} after {after}: {}\n", palette.bad("VIOLATED"), explained.violation.message);
    }
    let state = standing::render(&end_state(input, run), false, palette);
    let how = match run.end {
        End::Finished => "The run ended: nothing more can happen, and every process is at an end".to_string(),
        End::MaxSteps => "The run was stopped at the limit on steps (--steps)".to_string(),
        End::Stopped | End::Violation => match cycle {
            Some(first) => format!("The run was stopped where it goes back to step {first}, and so on forever"),
            None => "The run was stopped".to_string(),
        },
    };
    let after = count(run.steps.len() as u64, "step");
    format!("{gap}{}\n\n{state}\n{how}, after {after}.\n", palette.bold("At the end:"))
}

fn json(input: &Input, seed: Option<u64>, run: &Run) -> String {
    let violation = run.explained.as_ref().map(|explained| &explained.violation);
    let state = end_state(input, run);
    let is_told = violation.is_none();
    to_json(&Answer {
        schema: SCHEMA,
        input: &input.path,
        seed,
        end: run.end,
        violation,
        trace: is_told.then_some(&run.steps),
        end_state: is_told.then_some(&state),
    })
}

fn end_state(input: &Input, run: &Run) -> Snapshot {
    let subject = Subject { model: &input.model, sources: &input.sources, promises: PROMISES };
    snapshot(subject, &run.state, &run.executable, &run.lives)
}

/// A step without what it printed, which is shown as it is.
fn silent(step: &Step) -> Step {
    let mut step = step.clone();
    step.effect.output = None;
    step.inner.iter_mut().for_each(|inner| inner.output = None);
    step
}

/// A seed that is short enough to be typed again.
fn new_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |time| time.as_nanos() as u64);
    (nanoseconds ^ u64::from(std::process::id()).rotate_left(17)) % 1_000_000_007
}
