//! `quotient check`: calls the check that fits the input, then tells what was found.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;
use clap::parser::ValueSource;
use quotient_check::{
    Answer, Common, Error, Keep, Language, Leaks, ModelOptions, Observed, ProgramOptions, Reading, Told,
};
use quotient_report::answer::{Violation, to_json};
use quotient_report::execution::text::Again;
use quotient_report::program::render;
use quotient_report::text::Palette;
use quotient_report::{property, summary};

use crate::args::{Check, Format, given};
use crate::drawing::DrawingError;
use crate::output::{self, Failure};
use crate::overdue::Kind;
use crate::watch::Watcher;
use crate::{drawing, failure, human};

/// Carries the command out; gives the exit code. `matches` has what was given on the command line.
pub(crate) fn run(args: &Check, matches: &ArgMatches) -> Result<u8, Failure> {
    let is_program = quotient_native::is_native(&args.input.file);
    if let Some(option) = misplaced(args, matches, is_program) {
        let (own, other) = if is_program { ("C and C++ programs", "models") } else { ("models", "C and C++ programs") };
        let problem = format!("{option} is for {other}, not for {own}");
        return Err(failure::because(&args.input.file, problem, args.output));
    }
    // Before anything is said, so that whoever reads it can interrupt.
    let watcher = Arc::new(Watcher::new(args, if is_program { Kind::Program } else { Kind::Model }));
    let common =
        Common { defines: args.input.defines.clone(), observer: Observed(watcher.clone()), ..args.common.clone() };
    let explain = |error: Error| failure::of(&args.input.file, &error, args.output);
    if is_program {
        program(args, common, &watcher).map_err(explain)
    } else {
        model(args, matches, common, &watcher).map_err(explain)
    }
}

/// An option that is not for this kind of input.
fn misplaced(args: &Check, matches: &ArgMatches, is_program: bool) -> Option<String> {
    let word = |given: bool, name: &str| given.then(|| name.to_string());
    match is_program {
        true => given::<ModelOptions>(matches, "")
            .or_else(|| word(args.full_trace, "--full-trace"))
            .or_else(|| word(args.heap_graph.is_some(), "--heap-graph")),
        false => word(!args.more_files.is_empty(), "more than one file")
            .or_else(|| word(!args.compiler_flags.is_empty(), "what follows `--`"))
            .or_else(|| given::<ProgramOptions>(matches, "leaks")),
    }
}

fn program(args: &Check, common: Common, watcher: &Watcher) -> Result<u8, Error> {
    let files: Vec<PathBuf> = std::iter::once(&args.input.file).chain(&args.more_files).cloned().collect();
    let options = ProgramOptions { common, compiler_flags: args.compiler_flags.clone(), ..args.program.clone() };
    let answer = quotient_check::program(&files, &options);
    watcher.is_answered();
    let answer = answer?;
    output::out(&match args.output.format {
        Format::Json => to_json(&answer),
        Format::Human if args.quiet => summary::verdict(&answer, palette(args)),
        Format::Human => render(&answer, Again::CommandLine),
    });
    Ok(answer.verdict.exit_code())
}

fn model(args: &Check, matches: &ArgMatches, common: Common, watcher: &Watcher) -> Result<u8, Error> {
    let file = args.input.file.as_path();
    let language = args.model.reading.language_of(file);
    drawing::check(args.heap_graph.as_ref(), language, [file]).map_err(unusable)?;
    // For models, `--leaks error` is --must-delete, and nothing is mentioned unless that is asked for.
    let leaks = args.program.leaks;
    let says_leaks = matches.value_source("leaks") == Some(ValueSource::CommandLine);
    if says_leaks && leaks != Leaks::Error && language != Language::Dspin {
        let other = if language == Language::Bir { "BIR deletes nothing" } else { "Promela has no records to delete" };
        return Err(Error::Option { message: format!("--leaks is for dSPIN's Promela: {other}"), help: Vec::new() });
    }
    let must_delete = args.model.reading.must_delete || leaks == Leaks::Error;
    let reading = Reading { must_delete, ..args.model.reading };
    let mention_leaks = says_leaks && leaks == Leaks::Warn;
    let options = ModelOptions { common, told: told(args), reading, mention_leaks, ..args.model.clone() };
    let result = quotient_check::model(args.input.file.as_path(), &options);
    watcher.is_answered();
    let told = watcher.finish();
    let answer = result?;
    let first = answer.violations.iter().find_map(|violation| match violation {
        Violation::Model(violation) => Some(&violation.end_state),
        _ => None,
    });
    drawing::draw(args.heap_graph.as_ref(), first).map_err(unusable)?;
    let palette = palette(args);
    output::out(&match args.output.format {
        Format::Json => to_json(&answer),
        Format::Human if args.quiet => {
            let unchecked = summary::unchecked(&answer, palette);
            let dropped = summary::dropped(&answer, palette);
            let properties = property::list(&answer.properties, false, palette);
            format!("{}{properties}{dropped}{unchecked}", summary::verdict(&answer, palette))
        }
        Format::Human => {
            let mut text = String::new();
            for (number, (explained, sources)) in told.iter().enumerate() {
                text.push_str(&human::story(explained, sources, palette));
                text.push_str(human::advice(args, &explained.violation));
                if number == 0 {
                    text.push_str(&human::others(&answer));
                }
            }
            text.push_str(&human::summary(&answer, palette));
            text.push_str(&saved(args, &answer));
            text.push_str(&drawing::told(args.heap_graph.as_ref(), first.is_some()));
            text
        }
    });
    Ok(answer.verdict.exit_code())
}

/// An option that cannot be honoured.
fn unusable(problem: DrawingError) -> Error {
    Error::Option { message: problem.to_string(), help: Vec::new() }
}

fn palette(args: &Check) -> Palette {
    Palette { color: output::color(args.output.color, &std::io::stdout()) }
}

/// How much is told: people get the first run only, the others need not be repeated for them.
fn told(args: &Check) -> Told {
    match args.output.format {
        Format::Human if args.full_trace && !args.quiet => Told::first(Keep::ALL),
        Format::Human if args.model.trace.is_some() => Told::first(Keep::MANY),
        Format::Human => Told::first(Keep::READABLE),
        Format::Json if args.full_trace => Told::everything(),
        Format::Json => Told::default(),
    }
}

/// Where the run is saved, if that was asked for.
fn saved(args: &Check, answer: &Answer) -> String {
    match &args.model.trace {
        None => String::new(),
        Some(_) if answer.violations.is_empty() => "There is no run to save.\n".to_string(),
        Some(path) => format!("The run is saved; repeat it with: quotient replay {}\n", path.display()),
    }
}
