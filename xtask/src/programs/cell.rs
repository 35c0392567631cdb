//! What a tool did with a program: a cell of the table.
//! Of two runs of the same the faster one is kept, and their counts must be the same.

use std::fmt;

use serde_json::Value;

/// One tool on one program.
pub enum Cell {
    /// It explored everything.
    Finished {
        /// All executions.
        executions: u64,
        /// Those that came to the program's end.
        complete: u64,
        /// CPU time of one check.
        seconds: f64,
    },
    /// It reached the limit after so many executions.
    Unfinished(u64),
    /// It does not take so many threads.
    Refused,
    /// The program is not written for it.
    Missing,
    /// It was not tried, because it did not manage fewer threads.
    Skipped,
    /// It says that something is wrong with the program, or something is wrong with it.
    Failed(String),
}

impl Cell {
    /// Reads the answer of a binary.
    pub fn read(line: &str) -> Result<Self, String> {
        let answer: Value = serde_json::from_str(line).map_err(|e| format!("{e}: {line}"))?;
        let count = |name: &str| answer[name].as_u64().ok_or_else(|| format!("no {name} in {line}"));
        match answer["status"].as_str() {
            Some("finished") => {
                let seconds = answer["seconds"].as_f64().ok_or_else(|| format!("no seconds in {line}"))?;
                let seconds = seconds / count("checks")? as f64;
                Ok(Cell::Finished { executions: count("executions")?, complete: count("complete")?, seconds })
            }
            Some("unfinished") => Ok(Cell::Unfinished(count("executions")?)),
            Some("refused") => Ok(Cell::Refused),
            Some("missing") => Ok(Cell::Missing),
            _ => Err(format!("not an answer: {line}")),
        }
    }

    /// The better of this and another run.
    pub fn best(self, other: Cell) -> Cell {
        match (self, other) {
            (
                Cell::Finished { executions, complete, seconds },
                Cell::Finished { executions: others, complete: completes, seconds: time },
            ) => {
                if (executions, complete) != (others, completes) {
                    return Cell::Failed(format!("{executions} executions in one run, {others} in another"));
                }
                Cell::Finished { executions, complete, seconds: seconds.min(time) }
            }
            (Cell::Finished { executions, complete, seconds }, Cell::Unfinished(_)) => {
                Cell::Finished { executions, complete, seconds }
            }
            (_, other) => other,
        }
    }

    /// Executions per second of CPU time, if it finished.
    pub fn rate(&self) -> Option<f64> {
        match self {
            Cell::Finished { executions, seconds, .. } => Some(*executions as f64 / seconds),
            _ => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Finished { executions, complete, seconds } => {
                write!(f, "{}", grouped(*complete))?;
                if executions > complete {
                    write!(f, " + {}", grouped(executions - complete))?;
                }
                write!(f, "; {}; {}", time(*seconds), rate(*executions as f64 / seconds))
            }
            Cell::Unfinished(executions) => write!(f, "did not finish (> {})", grouped(*executions)),
            Cell::Refused => f.write_str("refused"),
            Cell::Missing | Cell::Skipped => f.write_str("–"),
            Cell::Failed(_) => f.write_str("**failed**"),
        }
    }
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn time(seconds: f64) -> String {
    if seconds < 0.001 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.1} s")
    }
}

/// A rate to three digits or so: more would be noise.
pub fn rate(rate: f64) -> String {
    if rate < 10_000.0 { format!("{:.2} k/s", rate / 1e3) } else { format!("{:.0} k/s", rate / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_for_one_check() {
        let line = r#"{"status":"finished","executions":24,"complete":20,"checks":4,"seconds":0.002,"finished":true}"#;
        let cell = Cell::read(line).expect("a readable answer");
        assert_eq!(cell.to_string(), "20 + 4; 500 µs; 48 k/s");
        assert!(Cell::read("{}").is_err());
    }

    #[test]
    fn runs_must_have_the_same_counts() {
        let finished = |executions, seconds| Cell::Finished { executions, complete: executions, seconds };
        assert_eq!(finished(24, 2.0).best(finished(24, 1.5)).to_string(), "24; 1.5 s; 0.02 k/s");
        assert!(matches!(finished(24, 2.0).best(finished(25, 1.5)), Cell::Failed(_)));
        assert!(matches!(Cell::Skipped.best(Cell::Refused), Cell::Refused));
    }

    #[test]
    fn digits_are_grouped() {
        let texts = [7, 999, 1000, 56_805, 1_867_824].map(grouped);
        assert_eq!(texts, ["7", "999", "1,000", "56,805", "1,867,824"]);
    }
}
