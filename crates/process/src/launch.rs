//! Starts a program so that the tracer has it from its first instruction on, and so that it does the same thing every time.
//! Follows section 6 of the design of process checks: fixed addresses, a small environment, a session of its own, hard limits.

use crate::loaded::{self, Image};
use crate::slot::{Slots, memory_file};
use crate::tracee::{Lost, Stop, Tracee};
use crate::{filter, start};
use nix::errno::Errno;
use nix::sys::personality::{self, Persona};
use nix::sys::ptrace;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, raise};
use nix::unistd::{ForkResult, Pid, fork, setsid};
use seccompiler::BpfProgram;
use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The descriptor that stands behind those which the checker plays. It is above all that a process can get itself.
pub(crate) const PLACEHOLDER: i32 = 1023;

/// Descriptors for the loader, which it passes on: its own program, and the file of slots.
const LOADER: i32 = 1021;
const SLOTS: i32 = 1022;

/// How many descriptors a process may have.
pub(crate) const DESCRIPTORS: i32 = 1000;

/// A program to start.
#[derive(Clone, Debug)]
pub struct Program {
    /// The command: a path, or a name that is looked up in the usual directories.
    pub command: String,
    /// What comes after it.
    pub arguments: Vec<String>,
    /// Variables beside the few that every process gets.
    pub environment: Vec<(String, String)>,
    /// The directory in which it starts.
    pub directory: PathBuf,
}

/// How processes are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// With ptrace if the system allows it, otherwise with the loader.
    #[default]
    Any,
    /// With ptrace.
    Ptrace,
    /// With a loader that catches the calls of a program from within.
    Loader,
}

/// What a process may use at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Seconds of processor time between two visible operations.
    pub stall_timeout: u64,
    /// Bytes of address space of one process.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stall_timeout: 10, memory: 8 << 30 }
    }
}

/// Why a program does not start.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no such file.
    #[error("there is no program {0}")]
    Missing(String),
    /// The file cannot be run.
    #[error("{0} is not executable")]
    NotExecutable(String),
    /// An argument or variable has a zero byte in it.
    #[error("an argument of {0} has a zero byte in it")]
    ZeroByte(String),
    /// The system refused the program.
    #[error("{0} cannot be run: {1}")]
    Refused(String, std::io::Error),
    /// Processes cannot be traced here.
    #[error("processes cannot be traced here: {0}{hint}", hint = hint())]
    Tracing(std::io::Error),
    /// Nor can they be followed with the loader.
    #[error("processes cannot be followed with the loader here: {0} (it needs syscall user dispatch, of Linux 5.11)")]
    Loading(std::io::Error),
}

/// Who may forbid tracing.
fn hint() -> String {
    match std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").as_deref().map(str::trim) {
        Ok(scope @ ("2" | "3")) => format!(" (/proc/sys/kernel/yama/ptrace_scope is {scope}; 0 or 1 is needed)"),
        _ => " (a container or a sandbox may forbid ptrace; --follow loader does without)".to_owned(),
    }
}

/// Directories in which commands are found.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables that every process has: they keep what it does the same on all machines and days.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("PATH", PATH),
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
    ("TZ", "UTC0"),
    ("PYTHONHASHSEED", "0"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
];

/// The file that a command stands for.
fn locate(program: &Program) -> Result<PathBuf, LaunchError> {
    let executable =
        |path: &Path| path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0);
    let command = &program.command;
    if !command.contains('/') {
        let mut found = PATH.split(':').map(|directory| Path::new(directory).join(command));
        return found.find(|path| executable(path)).ok_or_else(|| LaunchError::Missing(command.clone()));
    }
    let path = program.directory.join(command);
    if !path.exists() {
        return Err(LaunchError::Missing(command.clone()));
    }
    if !executable(&path) {
        return Err(LaunchError::NotExecutable(command.clone()));
    }
    Ok(path)
}

/// A list of strings as the system takes them.
struct Strings(Vec<CString>);

impl Strings {
    fn pointers(&self) -> Vec<*const libc::c_char> {
        self.0.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    }
}

fn c_string(text: impl AsRef<OsStr>, of: &str) -> Result<CString, LaunchError> {
    CString::new(text.as_ref().as_bytes()).map_err(|_| LaunchError::ZeroByte(of.to_owned()))
}

/// What is needed to follow processes with the loader: its file, and the file of slots.
#[derive(Debug)]
pub(crate) struct Loader {
    program: OwnedFd,
    slots: Rc<Slots>,
}

impl Loader {
    /// Gets it ready.
    ///
    /// # Errors
    /// The system gives no files in memory.
    pub(crate) fn new() -> std::io::Result<Self> {
        let program = memory_file(c"loader")?;
        let mut file = std::fs::File::from(program);
        std::io::Write::write_all(&mut file, loaded::LOADER)?;
        Ok(Self { program: file.into(), slots: Rc::new(Slots::new()?) })
    }
}

/// What a new process is given.
struct Plan {
    file: CString,
    directory: CString,
    arguments: Strings,
    environment: Strings,
    limits: Limits,
}

/// Starts the program, with the loader if there is one. The result is stopped before its first instruction; its path comes with it.
///
/// # Errors
/// There is no such program, or the system does not run or trace it.
pub(crate) fn launch(
    program: &Program,
    limits: Limits,
    loader: Option<&Loader>,
) -> Result<(Tracee, PathBuf), LaunchError> {
    let path = locate(program)?;
    let name = &program.command;
    let arguments = std::iter::once(name).chain(&program.arguments).map(|text| c_string(text, name));
    let set = |key: &str| program.environment.iter().any(|(other, _)| other == key);
    let standard = ENVIRONMENT.iter().filter(|(key, _)| !set(key)).map(|(key, value)| format!("{key}={value}"));
    let own = program.environment.iter().map(|(key, value)| format!("{key}={value}"));
    let plan = Plan {
        file: c_string(&path, name)?,
        directory: c_string(&program.directory, name)?,
        arguments: Strings(arguments.collect::<Result<_, _>>()?),
        environment: Strings(standard.chain(own).map(|text| c_string(text, name)).collect::<Result<_, _>>()?),
        limits,
    };
    let tracee = match loader {
        None => traced(&plan, name)?,
        Some(loader) => load(&plan, name, &program.directory, loader)?,
    };
    Ok((tracee, path))
}

/// Starts a program that is traced.
fn traced(plan: &Plan, name: &str) -> Result<Tracee, LaunchError> {
    // They point into the strings, which live to the end of this function.
    let (arguments, environment) = (plan.arguments.pointers(), plan.environment.pointers());
    let filter = filter::program().map_err(|error| LaunchError::Tracing(std::io::Error::other(error)))?;
    let start = || {
        ptrace::traceme()?;
        raise(Signal::SIGSTOP)?;
        settle(plan)?;
        Err(Errno::from_raw(enter(&plan.file, &arguments, &environment, &filter)))
    };
    begin(child(start)?, name)
}

/// Starts a program with the loader.
fn load(plan: &Plan, name: &str, directory: &Path, loader: &Loader) -> Result<Tracee, LaunchError> {
    let refused = |error: Errno| LaunchError::Refused(name.to_owned(), error.into());
    let bytes = |strings: &Strings| strings.0.iter().map(|text| text.as_bytes().to_vec()).collect();
    let image = Image::new(plan.file.as_bytes().to_vec(), bytes(&plan.arguments), bytes(&plan.environment));
    let image = image.without_interpreters(directory).map_err(refused)?;
    let slot = image.slot(&loader.slots).map_err(refused)?;
    let number = c_string(format!("{:08x}", slot.index()), name)?;
    let arguments = [c"loader".as_ptr(), number.as_ptr(), std::ptr::null()];
    let files = [(loader.program.as_raw_fd(), LOADER), (loader.slots.descriptor(), SLOTS)];
    let start = || {
        settle(plan)?;
        Err(Errno::from_raw(enter_loader(&arguments, files)))
    };
    let tracee = Tracee::adopt_loaded(child(start)?, slot);
    match tracee.wait() {
        Ok(Stop::Exec) => {}
        Ok(Stop::Exited(number)) => return Err(LaunchError::Loading(std::io::Error::from_raw_os_error(number))),
        Ok(stop) => return Err(LaunchError::Loading(std::io::Error::other(format!("{stop:?}")))),
        Err(lost) => return Err(LaunchError::Loading(lost.0.into())),
    }
    start::hide_chance(&tracee).map_err(|lost| LaunchError::Loading(lost.0.into()))?;
    Ok(tracee)
}

/// Makes a child that does this, and ends with the error's number if that fails.
fn child(start: impl Fn() -> nix::Result<()>) -> Result<Pid, LaunchError> {
    // SAFETY: the child calls only functions that are safe after a fork of a program with threads, and allocates nothing:
    // all it needs was made before.
    match unsafe { fork() }.map_err(|error| LaunchError::Tracing(error.into()))? {
        ForkResult::Parent { child } => Ok(child),
        ForkResult::Child => {
            let number = start().map_or_else(|error| error as i32, |()| 0);
            // SAFETY: ends the child at once, without running anything of the parent's.
            unsafe { libc::_exit(number) }
        }
    }
}

/// In the child: what a program finds when it starts.
fn settle(plan: &Plan) -> nix::Result<()> {
    setsid()?;
    let persona = personality::get()? | Persona::ADDR_NO_RANDOMIZE;
    personality::set(persona)?;
    nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o022));
    let Limits { stall_timeout, memory } = plan.limits;
    setrlimit(Resource::RLIMIT_CPU, stall_timeout, stall_timeout + 5)?;
    setrlimit(Resource::RLIMIT_AS, memory, memory)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_STACK, 8 << 20, 8 << 20)?;
    setrlimit(Resource::RLIMIT_NOFILE, PLACEHOLDER as u64 + 1, PLACEHOLDER as u64 + 1)?;
    nix::unistd::chdir(plan.directory.as_c_str())
}

/// In the child: the last steps, which the library has no safe calls for. Comes back only with an error's number.
fn enter(
    file: &CString,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
    filter: &BpfProgram,
) -> i32 {
    // SAFETY: this process is a copy that will become another program. All pointers are to strings and lists that end as they must and
    // that live until then.
    unsafe {
        if let Err(error) = clean(&[]) {
            return error as i32;
        }
        if seccompiler::apply_filter(filter).is_err() {
            return libc::EPERM;
        }
        libc::execve(file.as_ptr(), arguments.as_ptr(), environment.as_ptr());
        *libc::__errno_location()
    }
}

/// In the child: the same with the loader. Comes back only with an error's number.
fn enter_loader(arguments: &[*const libc::c_char], files: [(i32, i32); 2]) -> i32 {
    // SAFETY: as above.
    unsafe {
        if let Err(error) = clean(&files) {
            return error as i32;
        }
        let none = [std::ptr::null::<libc::c_char>()];
        libc::syscall(libc::SYS_execveat, LOADER, c"".as_ptr(), arguments.as_ptr(), none.as_ptr(), libc::AT_EMPTY_PATH);
        *libc::__errno_location()
    }
}

/// In the child: descriptors, signals and the clock as a program is to find them, with these files under these numbers.
///
/// # Safety
/// The process is a copy that will become another program: nothing uses its descriptors any more.
unsafe fn clean(files: &[(i32, i32)]) -> nix::Result<()> {
    // SAFETY: as the caller says.
    unsafe {
        for (from, to) in files {
            Errno::result(libc::dup2(*from, *to))?;
        }
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for standard in 0..3 {
            libc::dup2(nowhere, standard);
        }
        let path_only = libc::open(c"/".as_ptr(), libc::O_PATH);
        Errno::result(libc::dup2(path_only, PLACEHOLDER))?;
        let kept = files.iter().map(|(_, to)| *to).min().unwrap_or(PLACEHOLDER);
        libc::syscall(libc::SYS_close_range, 3, kept - 1, 0);
        libc::syscall(libc::SYS_close_range, PLACEHOLDER + 1, u32::MAX, 0);
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV);
    }
    Ok(())
}

/// In the tracer: leads the child from its first stop to the first instruction of the program.
fn begin(child: Pid, name: &str) -> Result<Tracee, LaunchError> {
    let tracee = Tracee::adopt(child);
    let lost = |stop: Stop| match stop {
        Stop::Exited(number) => LaunchError::Tracing(std::io::Error::from_raw_os_error(number)),
        other => LaunchError::Tracing(std::io::Error::other(format!("the new process did not stop ({other:?})"))),
    };
    let trouble = |lost: Lost| LaunchError::Tracing(lost.0.into());
    match tracee.wait().map_err(trouble)? {
        Stop::Signal(libc::SIGSTOP) => {}
        other => return Err(lost(other)),
    }
    tracee.set_options().map_err(trouble)?;
    // The first call that the filter stops is the one that makes it the program.
    match tracee.run(0).map_err(trouble)? {
        Stop::Call => {}
        other => return Err(lost(other)),
    }
    match tracee.run(0).map_err(trouble)? {
        Stop::Exec => start::hide_chance(&tracee).map_err(trouble).map(|()| tracee),
        Stop::Call => {
            let number = tracee.registers().map_err(trouble)?.rdi;
            Err(LaunchError::Refused(name.to_owned(), std::io::Error::from_raw_os_error(number as i32)))
        }
        other => Err(lost(other)),
    }
}
