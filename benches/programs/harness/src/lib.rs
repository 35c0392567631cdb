//! What the programs' binaries have in common: they check one program with one tool and print one line of JSON.
//! CPU time is that of the process (user and system), because a busy machine stretches any other.

mod answer;
mod arguments;
mod meter;

pub use arguments::Arguments;
pub use meter::execute;

use std::process::ExitCode;

/// A program, given how many threads it has besides the main one.
pub type Program = fn(usize);

/// How many executions a check has needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub executions: u64,
    /// Those that came to the program's end; the others were given up on the way.
    pub complete: u64,
}

impl Counts {
    /// As the program itself has counted them, by [`execute`].
    pub fn by_program() -> Self {
        meter::counts()
    }
}

/// Why a tool does not check a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Checks the program that the command line asks for, again and again until the time to be repeated for is over.
/// A repeated check that would have less than `enough` executions explores the program several times, after a free choice
/// that is its first operation: else it would be measured how long it takes to begin a check.
///
/// # Panics
/// If the tool finds something wrong: all programs are correct. Also if two checks of one program have different counts.
pub fn main(
    find: impl Fn(&str) -> Option<Program>,
    check: impl Fn(Program, &Arguments, u64) -> Result<Counts, Refused>,
    enough: u64,
) -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let Some(program) = find(&arguments.program) else {
        answer::missing();
        return ExitCode::SUCCESS;
    };
    let start = meter::cpu_seconds();
    meter::watch(start, arguments.limit);
    let Ok(counts) = check(program, &arguments, 1) else {
        answer::refused();
        return ExitCode::SUCCESS;
    };
    meter::stop_watching();
    let mut checks = 1;
    let copies = (enough / counts.executions).max(1);
    while meter::cpu_seconds() - start < arguments.repeat {
        meter::reset();
        let all = Counts { executions: counts.executions * copies, complete: counts.complete * copies };
        assert_eq!(check(program, &arguments, copies), Ok(all), "another check of {}", arguments.program);
        checks += copies;
    }
    answer::finished(counts, checks, meter::cpu_seconds() - start);
    ExitCode::SUCCESS
}
