//! Which system calls stop a process: all but those that concern nobody but the process itself and have one possible result.
//! Follows section 3 of the design of process checks: a seccomp filter that is inherited over fork and exec.

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Calls that run as they are. They see and change only the memory of the process, or facts that never change.
const HARMLESS: [i64; 13] = [
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_arch_prctl,
    libc::SYS_set_robust_list,
    libc::SYS_uname,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getgroups,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_mprotect,
];

/// The filter. A call that it does not let through is a stop that the tracer sees.
///
/// # Errors
/// The filter cannot be built, which would be a mistake in this file.
pub(crate) fn program() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = HARMLESS.iter().map(|&call| (call, Vec::new())).collect();
    // Memory that belongs to no file.
    let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    let kind = (libc::MAP_SHARED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    let private = SeccompCondition::new(3, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(kind), anonymous)?;
    rules.insert(libc::SYS_mmap, vec![SeccompRule::new(vec![private])?]);
    SeccompFilter::new(rules, SeccompAction::Trace(0), SeccompAction::Allow, TargetArch::x86_64)?.try_into()
}
