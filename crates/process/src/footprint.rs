//! How much memory processes take, as the system tells. Follows `proc(5)`: memory that several processes share counts once, and what
//! the system keeps about a process counts too.

/// What the system keeps about a stopped process, roughly.
const ABOUT_ONE: u64 = 130 << 10;

/// The memory of these processes together.
pub(crate) fn of_all(ids: &[i32]) -> u64 {
    ids.iter().map(|id| ABOUT_ONE + field(&format!("/proc/{id}/smaps_rollup"), "Pss_Anon:")).sum()
}

/// The memory of the checker.
pub(crate) fn own() -> u64 {
    field("/proc/self/status", "VmRSS:")
}

/// A field of a file that is given in kB; 0 if it is not there.
fn field(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) << 10
}
