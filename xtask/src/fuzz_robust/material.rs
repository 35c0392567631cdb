//! What is damaged: the programs, models and descriptions of the project, and saved runs and texts of executions that are made
//! from them when the command begins.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::Scratch;

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the project").to_path_buf()
}

/// A file with its text.
#[derive(Clone, Debug)]
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

impl File {
    /// How the file's name ends.
    pub fn ending(&self) -> &str {
        self.path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
    }
}

/// All files below a directory of the project whose names end so, in the order of their names.
pub fn files(below: &str, endings: &[&str]) -> Vec<File> {
    let mut found = Vec::new();
    let mut directories = vec![root().join(below)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one))
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.push(File { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// C and C++ programs. Those that want to harm the system are left out: damage could make them succeed where a sandbox is
/// missing.
pub fn programs() -> Vec<File> {
    let mut all = files("programs/c", &["c"]);
    all.extend(files("programs/cpp", &["cpp"]));
    all.retain(|file| !file.path.components().any(|part| part.as_os_str() == "hostile"));
    all
}

/// A run that was saved, and the model it belongs to.
#[derive(Clone, Debug)]
pub struct Saved {
    pub model: File,
    pub trace: String,
}

/// Runs of models of the project that show something wrong.
pub fn traces(binary: &Path) -> Vec<Saved> {
    let models = files("models", &["pml"]).into_iter().filter(|file| file.text.len() < 4000);
    let save = |model: File| {
        let scratch = Scratch::new().ok()?;
        fs::write(scratch.path().join("model.pml"), &model.text).ok()?;
        let mut command = Command::new(binary);
        command.current_dir(scratch.path()).args(["check", "model.pml", "--quiet", "--trace", "run.json"]);
        command.args(["--max-states", "5000", "--max-time", "2"]).output().ok()?;
        let trace = fs::read_to_string(scratch.path().join("run.json")).ok()?;
        Some(Saved { model, trace })
    };
    models.filter_map(save).take(40).collect()
}

/// A program, and the text of an execution of it in which something goes wrong.
#[derive(Clone, Debug)]
pub struct Execution {
    pub program: File,
    pub text: String,
}

/// Executions of C programs of the project.
pub fn executions(binary: &Path) -> Vec<Execution> {
    let small = |file: &File| file.ending() == "c" && file.text.contains("verdict=violated") && file.text.len() < 3000;
    let run = |program: File| {
        let scratch = Scratch::new().ok()?;
        fs::write(scratch.path().join("program.c"), &program.text).ok()?;
        let mut command = Command::new(binary);
        command.current_dir(scratch.path()).args(["check", "program.c", "--format=json", "--max-time=5"]);
        let answer: Value = serde_json::from_slice(&command.output().ok()?.stdout).ok()?;
        let text = answer["violations"][0]["replay"].as_str()?.to_owned();
        Some(Execution { program, text })
    };
    let all: Vec<File> = programs().into_iter().filter(small).collect();
    // Some from every folder.
    let step = (all.len() / 30).max(1);
    all.into_iter().step_by(step).filter_map(run).collect()
}

/// A check that was stopped: its input, its arguments, and its checkpoint.
#[derive(Clone, Debug)]
pub struct Stopped {
    pub input: File,
    pub arguments: Vec<&'static str>,
    pub saved: Vec<u8>,
}

/// Checks of small programs and models that were stopped early.
pub fn stopped(binary: &Path) -> Vec<Stopped> {
    let all: [(&str, &[&'static str], &str); 7] = [
        ("programs/c/checkpoint/ids.c", &["--symmetry=ids"], "--max-executions=2"),
        ("programs/c/checkpoint/ids.c", &["--symmetry=off"], "--max-executions=4"),
        ("programs/c/checkpoint/notes.c", &["--symmetry=off", "--jobs=2"], "--max-executions=4"),
        ("programs/c/checkpoint/addresses.c", &[], "--max-executions=60"),
        ("models/peterson.pml", &["-DN=3"], "--max-states=300"),
        ("models/peterson.pml", &["-DN=3", "--order=bfs"], "--max-states=300"),
        ("models/dining-philosophers.pml", &["--symmetry=off"], "--max-states=50"),
    ];
    let stop = |&(name, arguments, limit): &(&str, &[&'static str], &str)| {
        let path = root().join(name);
        let input = File { text: fs::read_to_string(&path).ok()?, path };
        let scratch = Scratch::new().ok()?;
        let here = format!("input.{}", input.ending());
        fs::write(scratch.path().join(&here), &input.text).ok()?;
        let mut command = Command::new(binary);
        command.current_dir(scratch.path()).args(["check", &here, "--checkpoint=saved", limit]).args(arguments);
        command.output().ok()?;
        let saved = fs::read(scratch.path().join("saved")).ok()?;
        Some(Stopped { input, arguments: arguments.to_vec(), saved })
    };
    all.iter().filter_map(stop).collect()
}
