//! Reading a model, from a file or from text. What is wrong with it is an error with places; what is dubious goes with the
//! model.

use std::path::{Path, PathBuf};

use quotient_explain::trace_file::Define;
use quotient_ir::Model;
use quotient_ir::heap::MOST_CALLS;
use quotient_promela::{Dynamic, Loaded, Options};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::SourceMap;

use crate::Error;
use crate::messages;
use crate::options::Reading;
use crate::words::{CountAs, Language};

/// Where a model is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ModelSource {
    /// In a file.
    File(PathBuf),
    /// Here.
    Text {
        /// The name of the file that it would be in; what it includes is looked for beside it.
        name: PathBuf,
        /// The text.
        text: String,
    },
}

impl ModelSource {
    /// A model that is in no file.
    pub fn text(text: impl Into<String>) -> Self {
        ModelSource::Text { name: PathBuf::from("model.pml"), text: text.into() }
    }

    /// The name of its file.
    pub fn name(&self) -> &Path {
        match self {
            ModelSource::File(name) | ModelSource::Text { name, .. } => name,
        }
    }
}

impl From<PathBuf> for ModelSource {
    fn from(path: PathBuf) -> Self {
        ModelSource::File(path)
    }
}

impl From<&Path> for ModelSource {
    fn from(path: &Path) -> Self {
        ModelSource::File(path.to_path_buf())
    }
}

/// A model that can be used.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its path as the user wrote it.
    pub path: String,
    /// The model.
    pub model: Model,
    /// Its files.
    pub sources: SourceMap,
    /// What is dubious about it.
    pub warnings: Vec<Diagnostic>,
    /// The model that is searched to count as SPIN does by default, if that was asked for.
    pub counted: Option<Model>,
}

/// Reads a model.
///
/// # Errors
/// It cannot be read, or something is wrong with it.
pub fn load(source: &ModelSource, defines: &[Define]) -> Result<Input, Error> {
    load_with(source, defines, &[])
}

/// Reads a model with formulas beside its own, each with its name.
///
/// # Errors
/// It cannot be read, or something is wrong with it or with a formula.
pub fn load_with(source: &ModelSource, defines: &[Define], formulas: &[(String, String)]) -> Result<Input, Error> {
    read(source, defines, formulas, &Reading::default())
}

/// Reads a model in one of the languages.
///
/// # Errors
/// It cannot be read, or something is wrong with it or with a formula.
pub fn read(
    source: &ModelSource,
    defines: &[Define],
    formulas: &[(String, String)],
    reading: &Reading,
) -> Result<Input, Error> {
    load_as(source, defines, formulas, CountAs::Quotient, reading)
}

/// Reads a model, and makes what is needed to count as asked for.
pub(crate) fn load_as(
    source: &ModelSource,
    defines: &[Define],
    formulas: &[(String, String)],
    count_as: CountAs,
    reading: &Reading,
) -> Result<Input, Error> {
    let name = source.name().display().to_string();
    if let ModelSource::File(path) = source
        && path.is_dir()
    {
        let problem = Diagnostic::global(format!("`{name}` is a directory, not a model"));
        return Err(Error::Rejected { input: name, diagnostics: vec![problem], sources: Box::default() });
    }
    if reading.stack_limit.is_some_and(|limit| usize::from(limit) > MOST_CALLS) {
        return Err(Error::option(format!("--stack-limit can be {MOST_CALLS} at most")));
    }
    if reading.language.is_none()
        && let Some(problem) = no_model(source.name())
    {
        return Err(Error::Rejected { input: name, diagnostics: vec![problem], sources: Box::default() });
    }
    match reading.language_of(source.name()) {
        Language::Bir => bir(source, name, defines, formulas, reading),
        Language::Promela | Language::Dspin => promela(source, name, defines, formulas, count_as, reading),
    }
}

/// Endings of programs that are not read, each with the name of the language.
const UNREAD: [(&str, &str); 12] = [
    ("py", "Python"),
    ("go", "Go"),
    ("java", "Java"),
    ("js", "JavaScript"),
    ("ts", "TypeScript"),
    ("cs", "C#"),
    ("kt", "Kotlin"),
    ("swift", "Swift"),
    ("rb", "Ruby"),
    ("sh", "shell"),
    ("tla", "TLA+"),
    ("smv", "SMV"),
];

/// What is said of a file whose name says that it is no model.
fn no_model(path: &Path) -> Option<Diagnostic> {
    let ending = path.extension()?.to_str()?;
    let name = path.display();
    let read = "Quotient reads Promela (.pml), dSPIN's Promela (.dprom), BIR (.bir), C (.c) and C++ (.cc, .cpp, .cxx); \
                --language says that a file is a model";
    if ending == "rs" {
        let problem = Diagnostic::global(format!("`{name}` is a Rust program; these are checked by `cargo test`"));
        let help = "use the library `quotient`: `#[quotient::test]` checks a test in all its executions \
                    (docs/src/first-program.md)";
        return Some(problem.help(help).help(read));
    }
    let (_, language) = UNREAD.iter().find(|(known, _)| *known == ending)?;
    Some(Diagnostic::global(format!("`{name}` is not a model: {language} is not read")).help(read))
}

fn promela(
    source: &ModelSource,
    name: String,
    defines: &[Define],
    formulas: &[(String, String)],
    count_as: CountAs,
    reading: &Reading,
) -> Result<Input, Error> {
    let dynamic = match reading.language_of(source.name()) {
        Language::Dspin => {
            let defaults = Dynamic::default();
            Some(Dynamic {
                most_records: reading.heap_limit.map_or(defaults.most_records, usize::from),
                most_calls: reading.stack_limit.map_or(defaults.most_calls, usize::from),
                leaks: reading.must_delete,
            })
        }
        _ => None,
    };
    if reading.assume_locks {
        return Err(Error::option("--assume-locks is for BIR: Promela has no locks"));
    }
    let limits = [
        (reading.heap_limit.is_some(), "--heap-limit"),
        (reading.stack_limit.is_some(), "--stack-limit"),
        (reading.must_delete, "--must-delete (as --leaks error)"),
    ];
    if let (None, Some((_, option))) = (dynamic, limits.iter().find(|(is_given, _)| *is_given)) {
        let help = "--language dspin has references and records".to_string();
        let message = format!("{option} is for models with a heap, and Promela has none");
        return Err(Error::Option { message, help: vec![help] });
    }
    let options = Options { defines: defines.to_vec(), formulas: formulas.to_vec(), dynamic };
    let loaded = match source {
        ModelSource::File(path) => quotient_promela::load(path, &options),
        ModelSource::Text { name, text } => {
            let read = |path: &Path| match path == name {
                true => Ok(text.clone().into_bytes()),
                false => quotient_promela::read_file(path),
            };
            quotient_promela::load_with(name, &options, &read)
        }
    };
    let counted = if count_as == CountAs::SpinDefault { loaded.as_spin_counts() } else { None };
    let Loaded { model, sources, diagnostics, .. } = loaded;
    usable(name, model, sources, diagnostics, counted)
}

fn bir(
    source: &ModelSource,
    name: String,
    defines: &[Define],
    formulas: &[(String, String)],
    reading: &Reading,
) -> Result<Input, Error> {
    if reading.must_delete {
        return Err(Error::option("--must-delete (as --leaks error) is for dSPIN's Promela: BIR deletes nothing"));
    }
    let defaults = quotient_bir::Options::default();
    let options = quotient_bir::Options {
        defines: defines.to_vec(),
        most_records: reading.heap_limit.map_or(defaults.most_records, usize::from),
        most_calls: reading.stack_limit.map_or(defaults.most_calls, usize::from),
        formulas: formulas.to_vec(),
        ..defaults
    };
    let read;
    let text = match source {
        ModelSource::Text { text, .. } => text.as_bytes(),
        ModelSource::File(path) => match quotient_promela::read_file(path) {
            Ok(text) => {
                read = text;
                &read
            }
            Err(error) => {
                let problem = Diagnostic::global(format!("cannot read `{name}`: {error}"));
                return Err(Error::Rejected { input: name, diagnostics: vec![problem], sources: Box::default() });
            }
        },
    };
    let mut loaded = quotient_bir::load(source.name(), text, &options);
    if let Some(heap) = loaded.model.as_mut().and_then(|model| model.heap.as_mut()) {
        heap.locks_protect = reading.assume_locks;
    }
    usable(name, loaded.model, loaded.sources, loaded.diagnostics, None)
}

/// A model that was read, unless something is wrong with it.
fn usable(
    path: String,
    model: Option<Model>,
    mut sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    counted: Option<Model>,
) -> Result<Input, Error> {
    sources.hide_others();
    let diagnostics = messages::told(diagnostics, &sources);
    match model {
        Some(model) if diagnostics.iter().all(|one| one.severity != Severity::Error) => {
            Ok(Input { path, model, sources, warnings: diagnostics, counted })
        }
        _ => Err(Error::Rejected { input: path, diagnostics, sources: Box::new(sources) }),
    }
}
