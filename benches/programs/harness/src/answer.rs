//! The line that a binary prints: one JSON object, whose `status` says whether the other fields are there.
//! It is written by hand, since it has only numbers and fixed words.

use crate::Counts;

/// The search was exhaustive.
pub fn finished(counts: Counts, checks: u64, seconds: f64) {
    print("finished", counts, checks, seconds);
}

/// The limit was reached; the counts are those so far.
pub fn unfinished(counts: Counts, seconds: f64) {
    print("unfinished", counts, 1, seconds);
}

/// The tool does not take the program in this size.
pub fn refused() {
    println!(r#"{{"status":"refused"}}"#);
}

/// The program is not written for this tool.
pub fn missing() {
    println!(r#"{{"status":"missing"}}"#);
}

fn print(status: &str, Counts { executions, complete }: Counts, checks: u64, seconds: f64) {
    let finished = status == "finished";
    println!(
        r#"{{"status":"{status}","executions":{executions},"complete":{complete},"checks":{checks},"seconds":{seconds:.6},"finished":{finished}}}"#
    );
}
