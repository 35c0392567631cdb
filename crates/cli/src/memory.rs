//! What the system says about memory. Only Linux is asked; elsewhere nothing is known.

use std::fs;

/// The most memory this process had at any time, in bytes; 0 if unknown.
pub fn peak() -> u64 {
    field("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// How much memory can be taken without pushing others out, in bytes.
pub fn available() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:")
}

/// A field that is given in kB.
fn field(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
