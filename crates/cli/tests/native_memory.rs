//! The programs of `programs/c/memory`: errors of memory, and programs that only look as if they had one.

mod ways;

use ways::Programs;

#[test]
fn errors_of_memory_are_seen() {
    ways::check_all(&Programs { directory: "memory", options: &[], both_symmetries: false, group: ways::together });
}
