//! Saved runs: a JSON file that names the model, what it was read with, and what happened, so that the run can be
//! repeated. A fingerprint of the source text tells whether the model is still the same.
//!
//! A run can have millions of events. They are written and read one by one.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::marker::PhantomData;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use quotient_report::property::Fairness;
use quotient_report::source::{Location, SourceMap};
use quotient_step::Choice;
use quotient_step::replay::Event;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A macro that a model is read with: its name, and what it stands for if that is not 1.
pub type Define = (String, Option<String>);

/// The version of the file's form.
const SCHEMA: u32 = 1;
/// The version of the form of runs that violate temporal properties.
const LASSO_SCHEMA: u32 = 2;
/// What the file is.
const FORMAT: &str = "quotient-trace";

/// What is wrong with the file of a saved run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceFileError {
    /// It cannot be read.
    #[error("cannot read `{}`: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is something else.
    #[error("`{}` is not a saved run{}", .path.display(), .error.as_ref().map_or(String::new(), |error| format!(": {error}")))]
    Other {
        /// The file.
        path: PathBuf,
        /// What is wrong with it as JSON.
        error: Option<serde_json::Error>,
    },
    /// It has a form that is not known.
    #[error("`{}` was saved in a form (schema {schema}) that is not known here", .path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// The version of its form.
        schema: serde_json::Value,
    },
    /// Something in it is missing or wrong.
    #[error("`{}` is a broken saved run{}", .path.display(), .error.as_ref().map_or(String::new(), |error| format!(": {error}")))]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Option<serde_json::Error>,
    },
    /// What happened cannot be read.
    #[error("the saved run cannot be read: {0}")]
    Events(serde_json::Error),
    /// It cannot be written.
    #[error("cannot write `{}`: {error}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// A saved run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceFile {
    /// Says what the file is.
    pub format: String,
    /// The version of its form.
    pub schema: u32,
    /// The model's path as the user wrote it.
    pub input: String,
    /// The directory that the path starts from.
    pub directory: String,
    /// Macros from the command line.
    pub defines: Vec<Define>,
    /// Whether `xr` and `xs` promises were checked, as they are under partial-order reduction.
    pub promises: bool,
    /// Types of processes that stay when they end, as with `--order-free-termination`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// The hash of all files that the model was read from.
    pub fingerprint: String,
    /// Formulas from the command line, each with its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formulas: Vec<(String, String)>,
    /// How the model was read, where that was asked for.
    #[serde(default, skip_serializing_if = "SavedReading::is_usual")]
    pub reading: SavedReading,
    /// What the run shows, if anything.
    pub violation: Option<Shown>,
    /// What is special about a run that violates a temporal property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasso: Option<SavedLasso>,
    /// How much happened.
    #[serde(rename = "events", skip_serializing)]
    pub length: Length,
}

/// How a model was read, as far as the command line said so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedReading {
    /// The language, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// How many records there may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_limit: Option<u16>,
    /// How many frames a thread may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_limit: Option<u16>,
    /// Records must be deleted before nobody refers to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_delete: bool,
    /// Locks protect their records.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assume_locks: bool,
}

impl SavedReading {
    /// Whether nothing was asked for.
    pub fn is_usual(&self) -> bool {
        *self == SavedReading::default()
    }
}

/// How long a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length {
    /// Events.
    pub events: usize,
    /// Those among them that are steps.
    pub steps: usize,
}

/// A saved run that is being read.
#[derive(Debug)]
pub struct Saved {
    /// All but what happened.
    pub head: TraceFile,
    file: File,
}

/// What is special about a run that violates a temporal property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLasso {
    /// The property.
    pub property: String,
    /// The number of events before the cycle; none if the run violates the property however it goes on.
    pub loop_start: Option<usize>,
    /// In which sense the run is fair.
    pub fairness: Option<Fairness>,
    /// The process types that it is fair to; all if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fair_to: Vec<String>,
    /// Acceptance labels of processes count for a never claim, as in SPIN.
    pub processes_accept: bool,
}

/// What a saved run shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The machine-readable kind.
    pub kind: String,
    /// What to tell a person.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SavedEvent {
    /// A process took a transition of its control state.
    Move {
        /// The process's id.
        process: usize,
        /// The transition's number.
        transition: usize,
        /// In a rendezvous, the receiver's id and transition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partner: Option<(usize, usize)>,
    },
    /// The process inside an atomic sequence was blocked and lost control.
    Release,
}

impl TraceFile {
    /// A run of a model, which is in a file of this name.
    pub fn new(input: &str, sources: &SourceMap, promises: bool, violation: Option<Shown>) -> Self {
        TraceFile {
            format: FORMAT.to_string(),
            schema: SCHEMA,
            input: input.to_string(),
            directory: std::env::current_dir().map_or(String::new(), |path| path.display().to_string()),
            defines: Vec::new(),
            promises,
            kept: Vec::new(),
            fingerprint: fingerprint(sources),
            formulas: Vec::new(),
            reading: SavedReading::default(),
            violation,
            lasso: None,
            length: Length::default(),
        }
    }

    /// The same as a run that violates a temporal property. Its form is a newer one, which those who do not know it refuse.
    #[must_use]
    pub fn about(self, lasso: SavedLasso) -> Self {
        TraceFile { schema: LASSO_SCHEMA, lasso: Some(lasso), ..self }
    }

    /// Where the model is: the path as it was written, or from the directory of that time.
    pub fn model(&self) -> PathBuf {
        let path = PathBuf::from(&self.input);
        if path.exists() { path } else { Path::new(&self.directory).join(path) }
    }

    /// Writes the file: under another name first, so that there is either all of it or what was there before.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: &Path, run: &[Event]) -> Result<(), TraceFileError> {
        let say = |error| TraceFileError::Unwritable { path: path.to_path_buf(), error };
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if path.exists() && !path.is_file() {
            // A pipe or a device: there is nothing to lose.
            let file = fs::OpenOptions::new().write(true).open(path).map_err(say)?;
            return self.write_to(file, run).map_err(say);
        }
        let file = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o644)).tempfile_in(directory);
        let file = file.map_err(say)?;
        self.write_to(file.as_file(), run).map_err(say)?;
        file.persist(path).map_err(|error| say(error.error))?;
        Ok(())
    }

    fn write_to(&self, file: impl Write, run: &[Event]) -> io::Result<()> {
        let mut file = BufWriter::new(file);
        serde_json::to_writer(&mut file, &Whole { head: self, events: Events(run) })?;
        file.write_all(b"\n")?;
        file.flush()
    }
}

/// A run with what happened in it, as it is written.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    head: &'a TraceFile,
    events: Events<'a>,
}

struct Events<'a>(&'a [Event]);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|event| match *event {
            Event::Move(Choice { process, transition, partner }) => SavedEvent::Move { process, transition, partner },
            Event::Release => SavedEvent::Release,
        }))
    }
}

/// What every version of the form has.
#[derive(Deserialize)]
struct Marks {
    #[serde(default)]
    format: serde_json::Value,
    #[serde(default)]
    schema: serde_json::Value,
}

impl Saved {
    /// Opens a file and reads all but what happened.
    ///
    /// # Errors
    /// It is no saved run, or one that is not known or not whole.
    pub fn open(path: &Path) -> Result<Saved, TraceFileError> {
        let path = path.to_path_buf();
        let mut file = match seekable(&path) {
            Ok(file) => file,
            Err(error) => return Err(TraceFileError::Unreadable { path, error }),
        };
        let first: Result<TraceFile, _> = read(&mut file, PhantomData);
        if let Ok(head) = &first
            && head.format == FORMAT
            && head.schema == if head.lasso.is_some() { LASSO_SCHEMA } else { SCHEMA }
        {
            return Ok(Saved { head: head.clone(), file });
        }
        Err(match read::<PhantomData<Marks>>(&mut file, PhantomData) {
            Err(error) => TraceFileError::Other { path, error: Some(error) },
            Ok(marks) if marks.format != FORMAT => TraceFileError::Other { path, error: None },
            Ok(marks) if marks.schema != SCHEMA && marks.schema != LASSO_SCHEMA => {
                TraceFileError::Schema { path, schema: marks.schema }
            }
            Ok(_) => TraceFileError::Broken { path, error: first.err() },
        })
    }

    /// Goes through what happened, until `each` returns false.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn events(&mut self, each: &mut dyn FnMut(Event) -> bool) -> Result<(), TraceFileError> {
        let mut stopped = false;
        let mut go_on = |event| {
            stopped = !each(event);
            !stopped
        };
        match read(&mut self.file, Inside(&mut go_on)) {
            Err(error) if !stopped => Err(TraceFileError::Events(error)),
            _ => Ok(()),
        }
    }

    /// What happened.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn run(&mut self) -> Result<Vec<Event>, TraceFileError> {
        let mut run = Vec::new();
        self.events(&mut |event| {
            run.push(event);
            true
        })?;
        Ok(run)
    }
}

/// The longest run that is read through a pipe, in bytes.
const LONGEST_COPY: u64 = 1 << 30;

/// A file that can be read more than once; what comes through a pipe is copied.
fn seekable(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    if kind.is_char_device() || kind.is_block_device() {
        return Err(io::Error::other("it is a device, which may have no end"));
    }
    let mut copy = tempfile::tempfile()?;
    if io::copy(&mut file.take(LONGEST_COPY), &mut copy)? == LONGEST_COPY {
        return Err(io::Error::other("through a pipe, at most 1 GiB is read"));
    }
    Ok(copy)
}

/// Reads all of a JSON file.
fn read<'de, T: DeserializeSeed<'de>>(file: &mut File, seed: T) -> serde_json::Result<T::Value> {
    file.rewind().map_err(serde_json::Error::io)?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, file));
    let value = seed.deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut length = Length::default();
        let each = &mut |event| {
            length.events += 1;
            length.steps += usize::from(matches!(event, Event::Move(_)));
            true
        };
        Each(each).deserialize(deserializer)?;
        Ok(length)
    }
}

/// Passes on the events of a list, one by one.
struct Each<'a>(&'a mut dyn FnMut(Event) -> bool);

impl<'de> DeserializeSeed<'de> for Each<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(event) = list.next_element()? {
            let event = match event {
                SavedEvent::Move { process, transition, partner } => {
                    Event::Move(Choice { process, transition, partner })
                }
                SavedEvent::Release => Event::Release,
            };
            if !(self.0)(event) {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// Passes on the events in a saved run.
struct Inside<'a>(&'a mut dyn FnMut(Event) -> bool);

impl<'de> DeserializeSeed<'de> for Inside<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Inside<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a saved run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "events" => map.next_value_seed(Each(&mut *self.0))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A hash of the text of all files (FNV-1a): it tells a changed model, and is the same on every machine.
pub fn fingerprint(sources: &SourceMap) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in sources.files() {
        // The zero keeps the end of one file apart from the start of the next.
        for byte in file.text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_survives_being_saved() {
        let choice = Choice { process: 1, transition: 2, partner: None };
        let run = [Event::Move(choice), Event::Move(Choice { partner: Some((0, 3)), ..choice }), Event::Release];
        let mut sources = SourceMap::default();
        sources.add("m.pml", "init { skip }".to_string());
        let saved = TraceFile::new("m.pml", &sources, true, None);
        let saved = TraceFile { defines: vec![("N".to_string(), Some("3".to_string()))], ..saved };
        let file = tempfile::NamedTempFile::new().expect("a file");
        saved.write(file.path(), &run).expect("it can be written");
        let mut read = Saved::open(file.path()).expect("the same form");
        let length = Length { events: 3, steps: 2 };
        assert_eq!(read.head, TraceFile { length, ..saved });
        assert_eq!(read.run().expect("it is whole"), run);
    }

    #[test]
    fn the_fingerprint_depends_on_texts_and_their_bounds() {
        let of = |texts: &[&str]| {
            let mut sources = SourceMap::default();
            for text in texts {
                sources.add("f", (*text).to_string());
            }
            fingerprint(&sources)
        };
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["ab"]));
        assert_ne!(of(&["a"]), of(&["b"]));
    }
}
