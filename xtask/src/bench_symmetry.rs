//! Measures symmetry reduction: the models of `benches/symmetry.tsv` with and without it, what is required of Peterson's
//! algorithm and of the data base managers, and the protocols of `benches/rumur` beside rumur.
//! Times are CPU times, the best of a few runs in turn. Verdicts must agree, and so must the counts of both checkers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::pan::Side;
use crate::quotient;
use crate::rumur::{Reduction, Rumur};

/// Options of `bench-symmetry`.
#[derive(clap::Args)]
pub struct Options {
    /// How often each side runs; the best time counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only models whose name contains this, and neither rumur nor what is required
    #[arg(long)]
    only: Option<String>,
    /// The `quotient` binary; by default the one next to this program
    #[arg(long)]
    quotient: Option<PathBuf>,
}

/// Fewer states and fewer symmetric processes than these are not worth measuring.
const LEAST_STATES: u64 = 10_000;
const LEAST_PROCESSES: u64 = 3;

/// Protocols written in both languages: the model, the Murphi text, and the number of processes up to which each of
/// rumur's reductions is measured.
const PROTOCOLS: [Protocol; 2] = [
    Protocol { model: "german", text: "german", sizes: &[3, 4, 5], unreduced: 4, exhaustive: 4 },
    Protocol { model: "peterson-scalarset", text: "peterson", sizes: &[3, 4, 5], unreduced: 4, exhaustive: 4 },
];

struct Protocol {
    model: &'static str,
    text: &'static str,
    sizes: &'static [u32],
    unreduced: u32,
    exhaustive: u32,
}

/// One way to run Quotient, and what came of it.
struct Run {
    side: Side,
    verdict: String,
    /// Members of the largest set that can be renamed.
    members: u64,
}

/// Runs the benchmark; prints the tables and what is required.
pub fn run(options: &Options) -> ExitCode {
    match measure_all(options) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            failures.iter().for_each(|failure| eprintln!("bench-symmetry: {failure}"));
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("bench-symmetry: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints everything; gives back what falls short.
fn measure_all(options: &Options) -> Result<Vec<String>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let quotient = quotient::binary(options.quotient.as_deref())?;
    let bench = Bench { models: root.join("models"), quotient, runs: options.runs };
    let mut failures = Vec::new();
    bench.models(&root.join("benches/symmetry.tsv"), options.only.as_deref(), &mut failures)?;
    if options.only.is_none() {
        bench.required(&mut failures)?;
        bench.beside_rumur(&root.join("benches/rumur"))?;
    }
    Ok(failures)
}

struct Bench {
    models: PathBuf,
    quotient: PathBuf,
    runs: u32,
}

impl Bench {
    /// The table of models with and without symmetry.
    fn models(&self, list: &Path, only: Option<&str>, failures: &mut Vec<String>) -> Result<(), String> {
        println!(
            "| model | renamed | states, off | states, canonical | off ÷ canonical | CPU s, off | CPU s, canonical | off ÷ canonical |"
        );
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for (name, arguments) in &quotient::list(list)? {
            if only.is_some_and(|only| !name.contains(only)) {
                continue;
            }
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let label = format!("{name} {}", arguments.join(" "));
            eprintln!("{label} …");
            let [off, canonical] = self.compare(name, &arguments, "--reduce=off", self.runs)?;
            print_row(&label, &off, &canonical);
            if off.side.states < LEAST_STATES || canonical.members < LEAST_PROCESSES {
                return Err(format!("{label} is too small to be measured"));
            }
            if canonical.side.cpu >= off.side.cpu {
                failures.push(format!("{label} is not faster with symmetry"));
            }
        }
        println!();
        Ok(())
    }

    /// What is required of single models.
    fn required(&self, failures: &mut Vec<String>) -> Result<(), String> {
        eprintln!("peterson -DN=5 …");
        let [off, canonical] = self.compare("peterson", &["-DN=5"], "--reduce=spin", 1)?;
        let time = off.side.cpu / canonical.side.cpu;
        let states = off.side.states as f64 / canonical.side.states as f64;
        println!("peterson -DN=5 with partial-order reduction, off ÷ canonical:\n");
        println!(
            "- states: {} ÷ {} = {states:.1} (required: 50); CPU time: {:.2} s ÷ {:.2} s = {time:.1} (required: 10)",
            off.side.states, canonical.side.states, off.side.cpu, canonical.side.cpu
        );
        if time < 10.0 || states < 50.0 {
            failures.push("peterson -DN=5 with partial-order reduction gains less than required".to_string());
        }
        println!("\ndata base managers, N=30, canonical:\n");
        let description = self.models.join("database-managers.sym");
        let described = ["-DN=30", "--symmetry-file", &description.to_string_lossy()];
        for (name, arguments) in [("database-managers-scalarset", &["-DN=30"][..]), ("database-managers", &described)] {
            for reduce in ["--reduce=off", "--count-as=spin"] {
                let found = self.best(name, arguments, "canonical", reduce)?;
                let (cpu, states) = (found.side.cpu, found.side.states);
                println!("- {name}, {reduce}: {states} states, {cpu:.3} s of CPU time (required: 1)");
                if cpu >= 1.0 {
                    failures.push(format!("{name} -DN=30 takes more than a second"));
                }
            }
        }
        println!();
        Ok(())
    }

    /// The table of protocols beside rumur. That the counts differ is an error.
    fn beside_rumur(&self, texts: &Path) -> Result<(), String> {
        println!(
            "| protocol | N | states | orbits | CPU s: Quotient, off | canonical | rumur, off | heuristic | exhaustive |"
        );
        println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for protocol in PROTOCOLS {
            let text = texts.join(protocol.text).with_extension("m");
            for &size in protocol.sizes {
                eprintln!("{} × {size} beside rumur …", protocol.text);
                let define = format!("-DN={size}");
                let canonical = self.best(protocol.model, &[&define], "canonical", "--reduce=off")?;
                let off = (size <= protocol.unreduced)
                    .then(|| self.best(protocol.model, &[&define], "off", "--reduce=off"))
                    .transpose()?;
                let mut cells = Vec::new();
                for reduction in [Reduction::Off, Reduction::Heuristic, Reduction::Exhaustive] {
                    let ours = match reduction {
                        Reduction::Off => off.as_ref(),
                        Reduction::Exhaustive if size > protocol.exhaustive => None,
                        _ => Some(&canonical),
                    };
                    let Some(ours) = ours else {
                        cells.push("–".to_string());
                        continue;
                    };
                    let theirs = Rumur::build(&text, size, reduction)?.best(self.runs)?;
                    let counts = |side: &Side| (side.states, side.transitions);
                    let same = counts(&theirs) == counts(&ours.side);
                    // Sorting may miss that two states are the same.
                    let more = reduction == Reduction::Heuristic && theirs.states > ours.side.states;
                    if !same && !more {
                        return Err(format!(
                            "{} × {size}, {reduction:?}: rumur has {} states and {} transitions, quotient {} and {}",
                            protocol.text, theirs.states, theirs.transitions, ours.side.states, ours.side.transitions
                        ));
                    }
                    let note = if more { format!(" ({} states)", theirs.states) } else { String::new() };
                    cells.push(format!("{:.2}{note}", theirs.cpu));
                }
                let (states, cpu) = off.map_or(("–".to_string(), "–".to_string()), |off| {
                    (off.side.states.to_string(), format!("{:.2}", off.side.cpu))
                });
                println!(
                    "| {} | {size} | {states} | {} | {cpu} | {:.2} | {} |",
                    protocol.text,
                    canonical.side.states,
                    canonical.side.cpu,
                    cells.join(" | ")
                );
            }
        }
        Ok(())
    }

    /// Without and with symmetry in turn; that the verdicts differ is an error.
    fn compare(&self, name: &str, arguments: &[&str], reduce: &str, runs: u32) -> Result<[Run; 2], String> {
        let [mut off, mut canonical] =
            [self.once(name, arguments, "off", reduce)?, self.once(name, arguments, "canonical", reduce)?];
        for _ in 1..runs {
            off.side.cpu = off.side.cpu.min(self.once(name, arguments, "off", reduce)?.side.cpu);
            canonical.side.cpu = canonical.side.cpu.min(self.once(name, arguments, "canonical", reduce)?.side.cpu);
        }
        if off.verdict != canonical.verdict {
            return Err(format!(
                "{name} {arguments:?} {} without symmetry, {} with it",
                off.verdict, canonical.verdict
            ));
        }
        Ok([off, canonical])
    }

    fn best(&self, name: &str, arguments: &[&str], symmetry: &str, reduce: &str) -> Result<Run, String> {
        let mut best = self.once(name, arguments, symmetry, reduce)?;
        for _ in 1..self.runs {
            best.side.cpu = best.side.cpu.min(self.once(name, arguments, symmetry, reduce)?.side.cpu);
        }
        Ok(best)
    }

    fn once(&self, name: &str, arguments: &[&str], symmetry: &str, reduce: &str) -> Result<Run, String> {
        let model = self.models.join(name).with_extension("pml");
        let ways = [arguments, &["--symmetry", symmetry, reduce]].concat();
        let (side, answer) = quotient::measure(&self.quotient, &model, &ways)?;
        let normalised = answer["stats"]["normalised_states"].as_u64().ok_or("no normalised_states in the answer")?;
        if symmetry != "off" && normalised > 0 {
            return Err(format!("{name} {arguments:?}: some representatives need not be the only one of their orbit"));
        }
        let verdict = answer["verdict"].as_str().ok_or("no verdict in the answer")?.to_string();
        let sets = answer["stats"]["symmetry"]["sets"].as_array();
        let members = sets.into_iter().flatten().filter_map(|set| set["size"].as_u64()).max().unwrap_or(0);
        Ok(Run { side, verdict, members })
    }
}

fn print_row(label: &str, off: &Run, canonical: &Run) {
    println!(
        "| {label} | {} | {} | {} | {:.1} | {:.3} | {:.3} | {:.1} |",
        canonical.members,
        off.side.states,
        canonical.side.states,
        off.side.states as f64 / canonical.side.states as f64,
        off.side.cpu,
        canonical.side.cpu,
        off.side.cpu / canonical.side.cpu
    );
}
