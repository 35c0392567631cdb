//! One damaged input of each kind, and how the checker is run on it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quotient_generate::damage::{Damage, damage};
use quotient_generate::random::Random;
use quotient_generate::{statements, text};

use super::material::{self, Execution, File, Saved, Stopped};
use super::watch::Call;
use super::{Kind, rust, seal};

/// What an examination does.
#[derive(Default)]
pub struct Case {
    /// The files that it has made, for whoever wants to see it again.
    pub files: Vec<String>,
    pub calls: Vec<Call>,
    /// How many damaged inputs these are.
    pub inputs: u64,
    /// How many were dropped, because they do not compile.
    pub dropped: u64,
}

/// What there is to be damaged.
pub struct Material {
    kind: Kind,
    binary: PathBuf,
    files: Vec<File>,
    headers: Vec<File>,
    traces: Vec<Saved>,
    executions: Vec<Execution>,
    stopped: Vec<Stopped>,
    rust: Option<rust::Library>,
    /// The program that repeats executions of Rust programs, and their names and texts.
    replayer: Option<(PathBuf, Vec<(String, String)>)>,
}

impl Material {
    /// Collects it.
    pub fn new(kind: Kind, binary: &Path) -> Result<Self, String> {
        let files = match kind {
            Kind::C => material::programs(),
            Kind::Rust => material::files("crates/quotient/tests", &["rs"]),
            Kind::Model => material::files("models", &["pml"]),
            Kind::Sym => material::files("models", &["sym"]),
            Kind::Trace | Kind::Replay | Kind::Checkpoint => Vec::new(),
        };
        let traces = if kind == Kind::Trace { material::traces(binary) } else { Vec::new() };
        let executions = if kind == Kind::Replay { material::executions(binary) } else { Vec::new() };
        let stopped = if kind == Kind::Checkpoint { material::stopped(binary) } else { Vec::new() };
        let rust = if matches!(kind, Kind::Rust | Kind::Replay) { Some(rust::Library::build()?) } else { None };
        let replayer = match &rust {
            Some(library) if kind == Kind::Replay => Some(library.replayer()?),
            _ => None,
        };
        if files.is_empty() && traces.is_empty() && executions.is_empty() && stopped.is_empty() {
            return Err("there is nothing to damage".to_owned());
        }
        let headers = material::files("programs", &["h"]);
        Ok(Material { kind, binary: binary.to_path_buf(), files, headers, traces, executions, stopped, rust, replayer })
    }

    /// The damaged input that the random numbers stand for.
    pub fn case(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        match self.kind {
            Kind::C => self.program(random, scratch),
            Kind::Rust => match &self.rust {
                Some(library) => library.case(&self.files, random, scratch),
                None => Ok(Case::default()),
            },
            Kind::Model => self.model(random, scratch),
            Kind::Sym => self.description(random, scratch),
            Kind::Trace => self.trace(random, scratch),
            Kind::Replay => self.replay(random, scratch),
            Kind::Checkpoint => self.checkpoint(random, scratch),
        }
    }

    fn program(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let file = random.pick(&self.files);
        let bytes = match random.chance(90) {
            true => statements::changed(&file.text, random).into_bytes(),
            false => text::damage(&file.text, &random.pick(&self.files).text.clone(), random),
        };
        let name = format!("program.{}", file.ending());
        fs::write(scratch.join(&name), bytes)?;
        let mut call = Call::new(&self.binary, &["check", &name, "--max-time=4", "--max-memory=400M"]);
        call.limit = Duration::from_secs(30);
        call.addresses = None;
        let mut add = |text: &str| call.arguments.push(text.to_owned());
        add(&format!("--max-executions={}", 1 << random.between(3, 9)));
        for (percent, argument) in [
            (15, "--symmetry=off"),
            (15, "--jobs=2"),
            (10, "--leaks=error"),
            (10, "--spurious-wakeups=1"),
            (10, "--spurious-failures"),
            (10, "--unroll=3"),
            (10, "--memory-model=tso"),
            (10, "--volatile=relaxed"),
            (10, "--address-order=both"),
            (10, "--stuck-threads=error"),
            (30, "--format=json"),
            (10, "--max-events=40"),
        ] {
            if random.chance(percent) {
                add(argument);
            }
        }
        if random.chance(15) && !call.arguments.iter().any(|one| one.starts_with("--symmetry")) {
            call.arguments.push("--symmetry=ids".to_owned());
        }
        if random.chance(20) {
            call.arguments.extend(["--".to_owned(), format!("-O{}", random.between(1, 3))]);
        }
        if random.chance(20) {
            call.environment =
                [("CC", "clang"), ("CXX", "clang++")].map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
        }
        // Programs use headers that lie beside them.
        let beside = file.path.parent().unwrap_or(Path::new("."));
        let mut files = vec![name];
        for header in self.headers.iter().filter(|header| header.path.parent() == Some(beside)) {
            if let Some(name) = header.path.file_name() {
                fs::write(scratch.join(name), &header.text)?;
                files.push(name.to_string_lossy().into_owned());
            }
        }
        Ok(Case { files, calls: vec![call], inputs: 1, dropped: 0 })
    }

    fn model(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let (file, other) = (random.pick(&self.files), random.pick(&self.files));
        let kind = *random.pick(&Damage::ALL);
        let bytes = match damage(&file.text, kind, random).filter(|_| random.chance(50)) {
            Some(text) => text.into_bytes(),
            None => text::damage(&file.text, &other.text, random),
        };
        fs::write(scratch.join("model.pml"), bytes)?;
        let mut call = self.check_model(random);
        let strategies = ["full", "segmented", "pc-segmented", "sorted", "pc-sorted", "require", "canonical"];
        // These are refused where there is no symmetry.
        let strategy = if random.chance(20) { random.pick(&strategies) } else { random.pick(&["auto", "auto", "off"]) };
        call.arguments.push(format!("--symmetry={strategy}"));
        for (percent, argument) in [
            (20, "--order=bfs"),
            (20, "--reduce=off"),
            (20, "--reduce=spin"),
            (10, "--count-as=spin"),
            (30, "--all-errors"),
            (20, "--unreached"),
            (30, "--format=json"),
            (10, "--order-free-termination"),
            (20, "--trace=run.json"),
            (20, "--max-depth=50"),
        ] {
            if random.chance(percent)
                && !(argument == "--reduce=spin" && call.arguments.contains(&"--reduce=off".to_owned()))
            {
                call.arguments.push(argument.to_owned());
            }
        }
        let mut simulate = Call::new(&self.binary, &["simulate", "model.pml", "--seed=1", "--steps=200"]);
        simulate.limit = call.limit;
        let calls = if random.chance(20) { vec![call, simulate] } else { vec![call] };
        Ok(Case { files: vec!["model.pml".to_owned()], calls, inputs: 1, dropped: 0 })
    }

    fn check_model(&self, random: &mut Random) -> Call {
        let mut call = Call::new(&self.binary, &["check", "model.pml", "--max-time=3", "--max-memory=300M"]);
        call.arguments.push(format!("--max-states={}", 1 << random.between(4, 14)));
        call
    }

    fn description(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let (file, other) = (random.pick(&self.files), random.pick(&self.files));
        let model = fs::read_to_string(file.path.with_extension("pml"))?;
        // Words of the model are as likely as those of other descriptions.
        let other = if random.chance(50) { &model } else { &other.text };
        fs::write(scratch.join("model.pml"), &model)?;
        fs::write(scratch.join("model.sym"), text::damage(&file.text, other, random))?;
        let mut call = self.check_model(random);
        call.arguments.extend(["--symmetry-file=model.sym".to_owned(), "-DN=3".to_owned()]);
        Ok(Case {
            files: vec!["model.pml".to_owned(), "model.sym".to_owned()],
            calls: vec![call],
            inputs: 1,
            dropped: 0,
        })
    }

    fn checkpoint(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let Stopped { input, arguments, saved } = random.pick(&self.stopped);
        let name = format!("input.{}", input.ending());
        fs::write(scratch.join(&name), &input.text)?;
        fs::write(scratch.join("saved"), damage_checkpoint(saved, random))?;
        let mut call =
            Call::new(&self.binary, &["check", &name, "--resume=saved", "--max-time=4", "--max-memory=400M"]);
        call.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
        if random.chance(30) {
            call.arguments.push("--checkpoint=more".to_owned());
        }
        call.limit = Duration::from_secs(30);
        if name.ends_with(".c") {
            call.addresses = None;
        }
        Ok(Case { files: vec![name, "saved".to_owned()], calls: vec![call], inputs: 1, dropped: 0 })
    }

    fn trace(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let (saved, other) = (random.pick(&self.traces), random.pick(&self.traces));
        fs::write(scratch.join("model.pml"), &saved.model.text)?;
        fs::write(scratch.join("run.json"), text::damage(&saved.trace, &other.trace, random))?;
        let arguments: &[&str] = match random.below(3) {
            0 => &["replay", "run.json"],
            1 => &["replay", "run.json", "--steps", "--format=json"],
            _ => &["simulate", "model.pml", "--along=run.json"],
        };
        let calls = vec![Call::new(&self.binary, arguments)];
        Ok(Case { files: vec!["model.pml".to_owned(), "run.json".to_owned()], calls, inputs: 1, dropped: 0 })
    }

    fn replay(&self, random: &mut Random, scratch: &Path) -> io::Result<Case> {
        let execution = random.pick(&self.executions);
        let other = &random.pick(&self.executions).text;
        // Most are of Rust programs, which need not be compiled each time.
        if let Some((program, texts)) = self.replayer.as_ref().filter(|_| random.chance(90)) {
            let (name, of_program) = random.pick(texts);
            let damaged = as_argument(&text::damage(of_program, other, random));
            let mut call = Call::new(program, &[name]);
            call.environment.push(("QUOTIENT_REPLAY".to_owned(), damaged));
            call.addresses = None;
            return Ok(Case { files: Vec::new(), calls: vec![call], inputs: 1, dropped: 0 });
        }
        let damaged = as_argument(&text::damage(&execution.text, other, random));
        fs::write(scratch.join("program.c"), &execution.program.text)?;
        let mut call = Call::new(&self.binary, &["check", "program.c", "--max-time=5", "--max-memory=400M"]);
        call.arguments.push(format!("--replay={damaged}"));
        call.limit = Duration::from_secs(30);
        call.addresses = None;
        Ok(Case { files: vec!["program.c".to_owned()], calls: vec![call], inputs: 1, dropped: 0 })
    }
}

/// Damages a checkpoint: behind its hashes, mostly, so that more than the hashes is tried.
fn damage_checkpoint(saved: &[u8], random: &mut Random) -> Vec<u8> {
    let Some((opening, mut blocks)) = seal::open(saved).filter(|(_, blocks)| random.chance(80) && blocks.len() > 1)
    else {
        let mut bytes = saved.to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes.truncate(at + 1),
                1 => bytes.insert(at, random.bits() as u8),
                _ => bytes[at] = random.bits() as u8,
            }
        }
        return bytes;
    };
    // The first block says what it is a checkpoint of.
    let at = random.between(1, blocks.len() - 1);
    match std::str::from_utf8(&blocks[at]).map(str::to_owned) {
        Ok(text) => blocks[at] = text::damage(&text, &text, random),
        Err(_) => {
            for _ in 0..=random.below(6) {
                let place = random.below(blocks[at].len());
                match random.below(6) {
                    0 => blocks[at].truncate(place + 1),
                    1 => blocks[at].insert(place, random.bits() as u8),
                    2 => blocks[at][place] = 255,
                    3 => blocks[at][place] = 0,
                    _ => blocks[at][place] = random.bits() as u8,
                }
            }
        }
    }
    blocks.retain(|block| !block.is_empty());
    seal::close(&opening, &blocks)
}

/// What can be an argument: no zeros, not too long, and not empty.
fn as_argument(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes).replace('\0', "0").chars().take(30_000).collect();
    if text.trim().is_empty() { "-".to_owned() } else { text }
}
