//! What the system says about memory. Only Linux is asked; elsewhere nothing is known.

use std::fs;
use std::path::Path;

/// The most memory this process had at any time, in bytes; 0 if unknown.
pub(crate) fn peak() -> u64 {
    field("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// The memory that this process has now, in bytes; 0 if unknown.
pub(crate) fn now() -> u64 {
    field("/proc/self/status", "VmRSS:").unwrap_or(0)
}

/// What a limit on this process leaves for a search. What was taken before counts, and so does what comes after it: the
/// answer needs a little memory for itself and for its code.
pub(crate) fn left_for_search(limit: u64) -> u64 {
    const FOR_THE_ANSWER: u64 = 4 << 20;
    limit.saturating_sub(now()).saturating_sub(FOR_THE_ANSWER.min(limit / 16))
}

/// How much memory a search takes at most if nobody says it: three quarters of what the system, the group of processes and
/// the limits of this process leave.
pub(crate) fn limit() -> Option<u64> {
    let all = [field("/proc/meminfo", "MemAvailable:"), left_in_group(), left_of_addresses()];
    all.into_iter().flatten().min().map(|bytes| bytes / 4 * 3)
}

/// What the limits of the groups that this process is in leave (cgroups, second version and first).
fn left_in_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut words = line.splitn(3, ':').skip(1);
        let (Some(kind), Some(group)) = (words.next(), words.next()) else { continue };
        let (root, most, used) = match kind {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            _ if kind.split(',').any(|kind| kind == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        // A limit of a group holds for those in it. What is outside a container is not seen there.
        let own = Path::new(root).join(group.trim_start_matches('/'));
        for group in own.ancestors().take_while(|path| path.starts_with(root)) {
            if let Some(most) = number(&group.join(most)) {
                let left = most.saturating_sub(number(&group.join(used)).unwrap_or(0));
                least = Some(least.map_or(left, |least| least.min(left)));
            }
        }
    }
    least
}

/// What the limit on addresses of this process leaves (`ulimit -v`).
fn left_of_addresses() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(field("/proc/self/status", "VmSize:")?))
}

/// A field that is given in kB.
fn field(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
