//! Wake-ups without a reason. If a check finds nothing wrong and a thread has waited to be notified, some executions in which
//! such a thread wakes up once without a reason are explored as well; if one of them goes wrong, the answer has a warning.
//! That a wait stands in an `if` is then no mistake by itself: what counts is that something goes wrong.

use crate::check::Part;
use crate::options::Options;
use crate::machine::machine;
use crate::memory::symbols::Symbols;
use quotient_report::Answer;
use quotient_report::verdict::Verdict;

/// How many executions are explored for this.
const EXECUTIONS: u64 = 1000;

/// Whether executions with such wake-ups are to be explored after this answer.
pub(crate) fn are_asked_for(options: &Options, answer: &Answer) -> bool {
    options.spurious_wakeups == 0 && options.replay.is_none() && answer.verdict == Verdict::Holds
}

/// How they are explored.
pub(crate) fn options(options: &Options) -> Options {
    let most = options.max_executions.map_or(EXECUTIONS, |most| most.min(EXECUTIONS));
    Options { spurious_wakeups: 1, max_executions: Some(most), jobs: 1, ids: false, ..options.clone() }
}

/// Where a thread has woken up without a reason in the execution that has just ended.
pub(crate) fn place() -> Option<String> {
    let machine = machine();
    let symbols: &Symbols = &machine.image()?.symbols;
    let (file, line, _) = symbols.place(machine.woken_at.get()?)?;
    Some(format!("{file}:{line}"))
}

/// The warning, if something goes wrong.
pub(crate) fn warning(part: &Part) -> Option<String> {
    let answer = Some(&part.found.answer).filter(|answer| answer.verdict == Verdict::Violated)?;
    let violation = answer.execution()?;
    let place = part.woken_at.as_ref()?;
    Some(format!(
        "if the wait at {place} ends without a reason, which is allowed, something goes wrong: {}; wait in a loop that \
         looks at the condition again (--spurious-wakeups 1 shows the execution)",
        violation.message
    ))
}
