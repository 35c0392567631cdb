//! What checked code may ask of the system: next to nothing. A process that checks a program has no descriptors but three that
//! lead nowhere, may write no file (Landlock), and makes only the system calls that the checker itself needs (seccomp). Any
//! other one ends the check before it takes effect, and is named in the answer.
//!
//! The program's calls of library functions that act on the world are noticed earlier (`compile`, `table`). This is for what
//! is left: functions that nobody has thought of, `dlsym`, and system calls without a function.
//!
//! When the program has been loaded, and before any of its code runs, more is refused: no file is opened, and no memory becomes
//! code, but by calls of the checker, which carry a secret.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, sock_filter,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

/// Where the program's object is loaded: no system call is made from there.
const PROGRAM: Range<u32> = 0x5100..0x5101;

/// Signals from here on have no meaning but what programs give them.
const FIRST_REAL_TIME: u64 = 32;

/// What the checker and the libraries that it is made of need, whatever the arguments are.
const ALLOWED: [i64; 34] = [
    // Files are read, never written: the object, sources for reports, and what memory there is.
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_lseek,
    libc::SYS_getcwd,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_access,
    libc::SYS_faccessat2,
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    // Threads, signals and time of the process itself.
    libc::SYS_futex,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrusage,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    // Refused by another filter, in a way that makes the C library take an older one.
    libc::SYS_clone3,
    libc::SYS_uname,
];

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    #[error("the sandbox cannot be set up: {0}")]
    Descriptors(#[from] std::io::Error),
    #[error("the sandbox cannot be set up: {0}")]
    Filter(#[from] seccompiler::BackendError),
    #[error("the sandbox cannot be set up: {0}")]
    Apply(#[from] seccompiler::Error),
}

/// Closes the door. From now on only this thread, and those that it starts, may make the few system calls that are allowed;
/// memory at `kept` cannot be made accessible but by a call that carries the secret.
///
/// # Errors
/// The system does not know such filters, or does not take them.
pub(crate) fn enter(kept: Range<usize>, secret: u64) -> Result<(), SandboxError> {
    forget_descriptors()?;
    forbid_writing();
    load_what_libraries_read();
    // The last one lets no further filters through.
    let filters = [refuse(libc::SYS_clone3)?, never_from(PROGRAM), allow(kept, secret)?];
    let rest = when_loaded(secret)?;
    filters.iter().try_for_each(|filter| apply_filter(filter))?;
    let _ = REST.set((rest, secret));
    quotient_runtime::files::read_with(read);
    Ok(())
}

/// What is refused once the program has been loaded, and the secret of the calls that are not.
static REST: OnceLock<(BpfProgram, u64)> = OnceLock::new();

/// The program has been loaded, and none of its code has run: closes the door behind the loader.
pub(crate) fn close_for_loader() {
    const MODE_FILTER: usize = 1;
    let Some((filter, secret)) = REST.get() else { return };
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut().cast() };
    // SAFETY: the filter stays as long as the process; the system copies it.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, MODE_FILTER, 0, &raw const program, *secret) };
    if result != 0 {
        let error = std::io::Error::last_os_error();
        crate::check::child::complain(format!("the sandbox cannot be set up: {error}"));
    }
}

/// Sets the rights to memory of the program.
///
/// # Safety
/// As for the system call: whoever uses the memory must be content with these rights.
pub(crate) unsafe fn protect(start: usize, size: usize, rights: i32) -> bool {
    let secret = REST.get().map_or(0, |(_, secret)| *secret);
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_mprotect, start, size, rights as usize, secret) == 0 }
}

/// What is in a file, for the checker.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let secret = REST.get().map_or(0, |(_, secret)| *secret);
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let how = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK;
    // SAFETY: the name is a text that ends.
    let descriptor = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, name.as_ptr(), how, 0, 0, secret) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new.
    let mut file = unsafe { File::from_raw_fd(descriptor as i32) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The C library reads files the first time that it needs to know the local time, or the user's language, and when it gives memory
/// of a thread back to the system.
fn load_what_libraries_read() {
    unsafe extern "C" {
        fn tzset();
    }
    // SAFETY: no other thread runs in this process. The names are texts that end; in the end all is as before.
    unsafe {
        tzset();
        libc::setlocale(libc::LC_ALL, c"".as_ptr());
        libc::setlocale(libc::LC_ALL, c"C".as_ptr());
    }
    // Blocks that are too small for memory of their own, and together more than is kept.
    let blocks = || drop((0..64).map(|_| std::hint::black_box(Vec::<u8>::with_capacity(100 << 10))).collect::<Vec<_>>());
    let _ = std::thread::Builder::new().spawn(blocks).map(std::thread::JoinHandle::join);
}

/// Whether this system can keep checked code in.
pub(crate) const fn is_available() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64"))
}

/// The name of a system call.
pub(crate) fn name_of(number: usize) -> String {
    syscalls::Sysno::new(number).map_or_else(|| format!("number {number}"), |call| call.name().to_owned())
}

/// Descriptors 0 to 2 lead nowhere, and there are no others.
fn forget_descriptors() -> std::io::Result<()> {
    // SAFETY: descriptors of this process are closed; nothing of it uses any of them from here on.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        if nowhere < 0 {
            return Err(std::io::Error::last_os_error());
        }
        for standard in 0..3 {
            if libc::dup2(nowhere, standard) < 0 {
                return Err(std::io::Error::last_os_error());
            }
        }
        if libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// No file can be written and no connection made. Where the system has no Landlock the filters must do.
fn forbid_writing() {
    let rules = Ruleset::default().handle_access(AccessFs::from_write(ABI::V5));
    let rules = rules.and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V5)));
    let _ = rules.and_then(|rules| rules.create()).map(|rules| rules.restrict_self());
}

/// A part of a filter, if it can be made.
type Made<T> = Result<T, seccompiler::BackendError>;

/// A condition on an argument.
fn is(argument: u8, operator: SeccompCmpOp, value: u64) -> Made<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value)
}

/// The filter that lets through what is needed.
fn allow(kept: Range<usize>, secret: u64) -> Made<BpfProgram> {
    use SeccompCmpOp::{Eq, Ge, Lt, MaskedEq};
    let rule = SeccompRule::new;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    let (start, end) = (kept.start as u64, kept.end as u64);
    for call in [libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mprotect, libc::SYS_mremap] {
        rules.insert(call, vec![rule(vec![is(0, Lt, start)?])?, rule(vec![is(0, Ge, end)?])?]);
    }
    rules.entry(libc::SYS_mprotect).or_default().push(rule(vec![is(3, Eq, secret)?])?);
    rules.insert(libc::SYS_exit_group, vec![rule(vec![is(1, Eq, secret)?])?]);
    let writes = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | (libc::O_TMPFILE & !libc::O_DIRECTORY);
    rules.insert(libc::SYS_openat, vec![rule(vec![is(2, MaskedEq(writes as u64), 0)?])?]);
    rules.insert(libc::SYS_seccomp, vec![rule(vec![is(3, Eq, secret)?])?]);
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![rule(vec![is(0, MaskedEq(thread), thread)?])?]);
    rules.insert(libc::SYS_prctl, vec![rule(vec![is(0, Eq, libc::PR_SET_NAME as u64)?])?]);
    rules.insert(libc::SYS_fcntl, vec![rule(vec![is(1, Eq, libc::F_GETFD as u64)?])?]);
    // The checker has said what happens on all other signals; the C library uses the real-time ones for threads.
    let signals = vec![rule(vec![is(0, Eq, libc::SIGABRT as u64)?])?, rule(vec![is(0, Ge, FIRST_REAL_TIME)?])?];
    rules.insert(libc::SYS_rt_sigaction, signals);
    let abort = vec![is(0, Eq, u64::from(std::process::id()))?, is(2, Eq, libc::SIGABRT as u64)?];
    rules.insert(libc::SYS_tgkill, vec![rule(abort)?]);
    // The standard descriptors lead nowhere.
    for call in [libc::SYS_write, libc::SYS_writev] {
        rules.insert(call, vec![rule(vec![is(0, Eq, libc::STDERR_FILENO as u64)?])?]);
    }
    SeccompFilter::new(rules, SeccompAction::Trap, SeccompAction::Allow, TargetArch::x86_64)?.try_into()
}

/// The filter for when the program has been loaded: it stops what only the loader needs, and what changes the program's memory.
fn when_loaded(secret: u64) -> Made<BpfProgram> {
    use SeccompCmpOp::{Ge, Lt, MaskedEq, Ne};
    let rule = SeccompRule::new;
    let (start, end) = (u64::from(PROGRAM.start) << 32, u64::from(PROGRAM.end) << 32);
    let of_program = || Ok::<_, seccompiler::BackendError>([is(0, Ge, start)?, is(0, Lt, end)?]);
    let (runs, anonymous) = (libc::PROT_EXEC as u64, libc::MAP_ANONYMOUS as u64);
    let mut rules = BTreeMap::from([
        (libc::SYS_openat, vec![rule(vec![is(5, Ne, secret)?])?]),
        (libc::SYS_mmap, vec![rule(vec![is(2, MaskedEq(runs), runs)?])?, rule(vec![is(3, MaskedEq(anonymous), 0)?])?]),
        (libc::SYS_mprotect, vec![rule(vec![is(2, MaskedEq(runs), runs)?, is(3, Ne, secret)?])?]),
    ]);
    for call in [libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mremap] {
        rules.entry(call).or_default().push(rule(of_program()?.into())?);
    }
    let [first, last] = of_program()?;
    rules.entry(libc::SYS_mprotect).or_default().push(rule(vec![first, last, is(3, Ne, secret)?])?);
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Trap, TargetArch::x86_64)?.try_into()
}

/// A filter that says of one system call that it does not exist.
fn refuse(call: i64) -> Made<BpfProgram> {
    let rules = BTreeMap::from([(call, Vec::new())]);
    let no = SeccompAction::Errno(libc::ENOSYS as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, no, TargetArch::x86_64)?.try_into()
}

/// A filter that lets no system call through whose instruction is in this memory, given by the higher halves of addresses.
fn never_from(memory: Range<u32>) -> BpfProgram {
    /// Where the higher half of the instruction's address is in what a filter is given.
    const ADDRESS: u32 = 12;
    let step = |code: u32, jt: u8, jf: u8, k: u32| sock_filter { code: code as u16, jt, jf, k };
    let at_least = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
    vec![
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, ADDRESS),
        step(at_least, 0, 2, memory.start),
        step(at_least, 1, 0, memory.end),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_TRAP),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
