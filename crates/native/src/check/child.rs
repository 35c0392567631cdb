//! A process that checks a program, and how its answer gets out.
//!
//! The answer is left in memory that both processes share and that cannot be accessed while the program runs: it is opened by
//! a system call that carries a secret (`sandbox`), with which the answer must begin. It counts only if the process has then
//! ended as it should. The process that waits watches over time and memory, so that the limits hold whatever the program does.

use crate::problem::Problem;
use crate::check::{Part, crash};
use crate::check::carried::Saved;
use crate::check::keep::Keeper;
use crate::options::Options;
use crate::check::sandbox;
use crate::memory::address_space;
use quotient_report::Answer;
use quotient_report::stats::ProgramStats;
use quotient_report::verdict::{Shortfall, StopReason};
use quotient_runtime::Whereabouts;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How large an answer can be. Of what is never touched nothing is taken.
const ROOM: usize = 1 << 30;
/// How large what is said of where the process is can be; it lies behind the answer.
const MIDDLE: usize = 1 << 28;
/// How often the limits are looked at.
const GLANCE: Duration = Duration::from_millis(10);
/// The same once the process has taken half of the memory that it may take.
const CLOSE_GLANCE: Duration = Duration::from_millis(1);
/// How long the process may take to come to an end when the time is over.
const GRACE: Duration = Duration::from_millis(600);
/// How long it may do nothing at all after a crash. What has crashed may hold a lock that is needed to tell of it, such as the
/// allocator's.
const LONGEST_SILENCE: Duration = Duration::from_secs(20);

/// What a process says in the end.
type Message = Result<Part, Complaint>;

/// Why there is no answer.
#[derive(Debug, Serialize, Deserialize)]
enum Complaint {
    /// Something is wrong with the program or its surroundings.
    Problem(String, Vec<String>),
    /// Nothing can be said of the program.
    Unknown(String),
}

/// How far a process is; shared memory.
#[repr(C)]
#[derive(Debug, Default)]
struct Progress {
    /// Executions that have begun; 0 as long as constructors run.
    begun: AtomicU64,
    /// How often the process was asked where it is.
    asked: AtomicU64,
    /// How many of these questions it has answered.
    answered: AtomicU64,
    /// The last signal that was to be told of, and the number of the system call if that was refused; 0 if there was none.
    crash: AtomicU64,
}

impl Progress {
    /// What is known of a crash of which nothing more was told.
    fn crash(&self) -> Option<String> {
        let crash = self.crash.load(Ordering::Relaxed);
        let (signal, call) = ((crash >> 32) as i32, crash as u32 as usize);
        match signal {
            0 => None,
            libc::SIGSYS => Some(format!("the program {}", crash::say_call(call))),
            _ => Some(format!("the program crashes (signal {signal}), and where cannot be said")),
        }
    }
}

/// The memory that two processes share.
#[derive(Clone, Copy, Debug)]
struct Channel {
    start: usize,
    secret: u64,
    progress: &'static Progress,
}

/// What an answer begins with.
#[repr(C)]
struct Head {
    secret: u64,
    length: u64,
}

/// In a process that checks: where its answer goes.
static OURS: OnceLock<Channel> = OnceLock::new();

impl Channel {
    fn new() -> std::io::Result<Self> {
        let map = |size, rights, kind| {
            // SAFETY: new memory is asked for, which replaces nothing.
            let mapped = unsafe { libc::mmap(std::ptr::null_mut(), size, rights, kind, -1, 0) };
            if mapped == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(mapped as usize) }
        };
        let shared = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = map(ROOM + MIDDLE, libc::PROT_NONE, shared)?;
        let progress = map(size_of::<Progress>(), libc::PROT_READ | libc::PROT_WRITE, shared)?;
        let mut secret = [0; 8];
        // SAFETY: there is room for 8 bytes.
        if unsafe { libc::getrandom(secret.as_mut_ptr().cast(), secret.len(), 0) } != secret.len() as isize {
            return Err(std::io::Error::last_os_error());
        }
        // SAFETY: the memory is there, all zeros, and is never given back.
        let progress = unsafe { &*(progress as *const Progress) };
        Ok(Channel { start, secret: u64::from_ne_bytes(secret), progress })
    }

    fn range(&self) -> Range<usize> {
        self.start..self.start + ROOM + MIDDLE
    }

    /// Says where the process is, while it goes on. Answers are given one at a time, so nobody reads this now.
    fn tell_middle(&self, text: &[u8]) {
        let start = self.start + ROOM;
        if text.len() > MIDDLE - size_of::<Head>() {
            return;
        }
        let set_rights = |rights: i32| {
            // SAFETY: these are rights to our own memory, which the program does not use; it does not run now.
            unsafe { libc::syscall(libc::SYS_mprotect, start, MIDDLE, rights as usize, self.secret) == 0 }
        };
        if !set_rights(libc::PROT_READ | libc::PROT_WRITE) {
            return;
        }
        // A process that is ended in between leaves no secret, so that nothing counts.
        // SAFETY: the memory is ours, large enough for both, and accessible.
        unsafe {
            std::ptr::write_volatile(start as *mut Head, Head { secret: 0, length: 0 });
            std::ptr::copy_nonoverlapping(text.as_ptr(), (start + size_of::<Head>()) as *mut u8, text.len());
            std::sync::atomic::compiler_fence(Ordering::SeqCst);
            std::ptr::write_volatile(start as *mut Head, Head { secret: self.secret, length: text.len() as u64 });
        }
        set_rights(libc::PROT_NONE);
    }

    /// Where the process was when it was asked last, or came to an end.
    fn hear_middle(&self) -> Option<Vec<u8>> {
        let start = self.start + ROOM;
        // SAFETY: the memory is ours; the process that writes it waits to be asked again, or is gone.
        unsafe {
            if libc::mprotect(start as *mut _, MIDDLE, libc::PROT_READ) != 0 {
                return None;
            }
            let head = std::ptr::read_volatile(start as *const Head);
            if head.secret != self.secret || head.length > (MIDDLE - size_of::<Head>()) as u64 {
                return None;
            }
            let bytes = (start + size_of::<Head>()) as *const u8;
            Some(std::slice::from_raw_parts(bytes, head.length as usize).to_vec())
        }
    }

    /// Leaves the message and ends the process.
    fn send(&self, message: &Message) -> ! {
        let text = serde_json::to_vec(message).unwrap_or_default();
        let too_long = || {
            let complaint = Complaint::Unknown("the report of what was found is too large".to_owned());
            serde_json::to_vec(&Message::Err(complaint)).unwrap_or_default()
        };
        let text = if text.len() > ROOM - size_of::<Head>() { too_long() } else { text };
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let head = Head { secret: self.secret, length: text.len() as u64 };
        // SAFETY: the memory is ours, large enough for both, and accessible from the first call on. The process ends without
        // running anything else; the program's threads are gone with it.
        unsafe {
            libc::syscall(libc::SYS_mprotect, self.start, ROOM, rights as usize, self.secret);
            std::ptr::copy_nonoverlapping(text.as_ptr(), (self.start + size_of::<Head>()) as *mut u8, text.len());
            std::ptr::write(self.start as *mut Head, head);
            libc::syscall(libc::SYS_exit_group, 0, self.secret);
        }
        unreachable!("the process has ended")
    }

    /// What was left, if it is from the checker.
    fn receive(&self) -> Option<Message> {
        // SAFETY: the memory is ours; the process that wrote it is gone.
        let text = unsafe {
            if libc::mprotect(self.start as *mut _, ROOM, libc::PROT_READ) != 0 {
                return None;
            }
            let head = &*(self.start as *const Head);
            if head.secret != self.secret || head.length > (ROOM - size_of::<Head>()) as u64 {
                return None;
            }
            std::slice::from_raw_parts((self.start + size_of::<Head>()) as *const u8, head.length as usize)
        };
        serde_json::from_slice(text).ok()
    }

    /// Gives the memory for the answer back; the page that tells of progress stays.
    fn give_back(&self) {
        // SAFETY: nobody uses the memory any more.
        unsafe { libc::munmap(self.start as *mut _, ROOM + MIDDLE) };
    }
}

/// In a process that checks: closes the door before the program is loaded.
///
/// # Errors
/// The system does not take the filters.
pub(crate) fn enter_sandbox(options: &Options) -> Result<(), Problem> {
    let Some(channel) = OURS.get().filter(|_| options.sandbox) else { return Ok(()) };
    sandbox::enter(channel.range(), channel.secret).map_err(|problem| Problem {
        message: problem.to_string(),
        help: vec!["--sandbox off checks the program without one: whatever it does is then done for real".to_owned()],
    })
}

/// In a process that checks: an execution begins.
pub(crate) fn note_begin() {
    if let Some(channel) = OURS.get() {
        channel.progress.begun.fetch_add(1, Ordering::Relaxed);
    }
}

/// In a process that checks: the program has crashed, or a system call with this number was refused. That will be told next.
pub(crate) fn note_crash(signal: i32, call: usize) {
    if let Some(channel) = OURS.get() {
        channel.progress.crash.store((signal as u64) << 32 | u64::from(call as u32), Ordering::Relaxed);
    }
}

/// In a process that checks: whether it was asked where it is, and has not said so yet.
pub(crate) fn is_asked() -> bool {
    OURS.get().is_some_and(|channel| {
        channel.progress.asked.load(Ordering::Acquire) != channel.progress.answered.load(Ordering::Relaxed)
    })
}

/// In a process that checks: says where it is.
pub(crate) fn keep(whereabouts: &Whereabouts) {
    let Some(channel) = OURS.get() else { return };
    let asked = channel.progress.asked.load(Ordering::Acquire);
    let text = serde_json::to_vec(&Saved::now(whereabouts)).unwrap_or_default();
    channel.tell_middle(&text);
    channel.progress.answered.store(asked, Ordering::Release);
}

/// In a process that checks: there is no answer, because of the program or its surroundings.
pub(crate) fn complain(message: impl Into<String>) -> ! {
    end_with(Complaint::Problem(message.into(), Vec::new()))
}

/// In a process that checks: nothing can be said of the program.
pub(crate) fn know_nothing(reason: impl Into<String>) -> ! {
    end_with(Complaint::Unknown(reason.into()))
}

fn end_with(complaint: Complaint) -> ! {
    match OURS.get() {
        Some(channel) => channel.send(&Err(complaint)),
        None => std::process::abort(),
    }
}

/// The checker itself has failed.
fn on_panic(info: &PanicHookInfo) {
    let what = info.payload_as_str().unwrap_or("of an unknown kind");
    if what.contains("during or after destruction") {
        // What the checker keeps for a thread goes when the thread or the process ends for real.
        know_nothing("the program ends in a way that is not followed: a library calls `exit`, or it is found by its name");
    }
    let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    let message = format!("Quotient has made a mistake and cannot go on: {what}{place}");
    let help = "this is a mistake of Quotient, not of the program; please report it together with the program";
    end_with(Complaint::Problem(message, vec![help.to_owned()]));
}

/// A process that explores.
pub(crate) struct Child {
    pub process: i32,
    /// Its number among those that explore together.
    pub index: usize,
    channel: Channel,
}

impl Child {
    /// Starts a process that does some work and leaves the result.
    pub(crate) fn start(index: usize, work: impl FnOnce() -> Result<Part, Problem>) -> Result<Self, Problem> {
        let channel = Channel::new().map_err(|error| Problem::new(format!("no memory for an answer: {error}")))?;
        // SAFETY: the child does what it does in `work`, and ends there. Other threads of this process, if there are any,
        // do not exist in it; the allocator of the C library is made to survive that.
        let process = unsafe { libc::fork() };
        if process < 0 {
            return Err(Problem::new(format!("no process for the program: {}", std::io::Error::last_os_error())));
        }
        if process == 0 {
            // Whoever stops the checker stops the program as well; signals of a terminal are for the checker.
            // SAFETY: these set numbers of the process.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
            let _ = OURS.set(channel);
            std::panic::set_hook(Box::new(on_panic));
            channel.send(&work().map_err(|problem| Complaint::Problem(problem.message, problem.help)))
        }
        Ok(Child { process, index, channel })
    }

    /// Waits for the result, and sees to it that the process keeps to the limits; `ends` is called before the process is
    /// forgotten.
    pub(crate) fn finish(
        self,
        options: &Options,
        keeper: Option<&Keeper<'_>>,
        ends: impl FnOnce(),
    ) -> Result<Part, Problem> {
        let excess = self.watch(options, keeper);
        if let Some(keeper) = keeper.filter(|_| excess.is_some()) {
            self.ask();
            let since = Instant::now();
            while since.elapsed() < GRACE && !self.hear(keeper) && !self.is_gone() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        if excess.is_some() {
            // SAFETY: the process is our child, and has not been waited for.
            unsafe { libc::kill(self.process, libc::SIGKILL) };
        }
        ends();
        let (status, peak) = wait(self.process);
        let has_ended_well = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
        let message = if has_ended_well { self.channel.receive() } else { None };
        let begun = self.channel.progress.begun.load(Ordering::Relaxed);
        if let (Some(keeper), Some(saved)) = (keeper, self.channel.hear_middle()) {
            keeper.note(self.index, &saved);
        }
        self.channel.give_back();
        match (message, excess) {
            (Some(Ok(part)), _) => Ok(part),
            (Some(Err(Complaint::Problem(message, help))), _) => Err(Problem { message, help }),
            (Some(Err(Complaint::Unknown(reason))), _) => Ok(unknown(reason, None, begun)),
            (None, Some(Excess { reason, stop })) => Ok(unknown(reason, Some(stop), begun)),
            (None, None) => {
                let reason = self.channel.progress.crash().unwrap_or_else(|| died(status, begun));
                Ok(unknown(reason, None, begun))
            }
        }
        .map(|mut part| {
            part.found.answer.stats.peak_memory_bytes = peak;
            part
        })
    }

    /// Asks the process where it is, unless it has not answered the last question yet.
    fn ask(&self) {
        let Progress { asked, answered, .. } = self.channel.progress;
        if asked.load(Ordering::Relaxed) == answered.load(Ordering::Acquire) {
            asked.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether the process has answered; then the answer is kept.
    fn hear(&self, keeper: &Keeper<'_>) -> bool {
        let Progress { asked, answered, .. } = self.channel.progress;
        let has_answered = asked.load(Ordering::Relaxed) == answered.load(Ordering::Acquire);
        if has_answered && let Some(saved) = self.channel.hear_middle() {
            keeper.note(self.index, &saved);
        }
        has_answered
    }

    /// Whether the process has ended.
    fn is_gone(&self) -> bool {
        has_ended(-1, self.process, GLANCE)
    }

    /// Waits until the process has ended, or has passed a limit.
    fn watch(&self, options: &Options, keeper: Option<&Keeper<'_>>) -> Option<Excess> {
        // SAFETY: a descriptor for our child is asked for.
        let ending = unsafe { libc::syscall(libc::SYS_pidfd_open, self.process, 0) } as i32;
        let started = Instant::now();
        let mut next = started;
        let mut waits = false;
        let mut memory = 0;
        // When it was last seen to do something after a crash, and how much it had done then.
        let mut last_sign = (started, None);
        let most = options.max_memory.map(|most| most / u64::from(options.jobs.max(1)));
        let excess = loop {
            let is_near = most.is_some_and(|most| memory > most / 2);
            if has_ended(ending, self.process, if is_near { CLOSE_GLANCE } else { GLANCE }) {
                break None;
            }
            if let Some(keeper) = keeper {
                if waits && self.hear(keeper) {
                    waits = false;
                    keeper.write();
                } else if !waits && next.elapsed() >= keeper.every() {
                    self.ask();
                    (waits, next) = (true, Instant::now());
                }
            }
            if let Some(excess) = self.excess_of_duration(options, started) {
                break Some(excess);
            }
            if self.channel.progress.crash.load(Ordering::Relaxed) != 0 {
                let work = work_of(self.process);
                if last_sign.1 != work {
                    last_sign = (Instant::now(), work);
                } else if last_sign.0.elapsed() > LONGEST_SILENCE {
                    // SAFETY: the process is our child, and has not been waited for.
                    unsafe { libc::kill(self.process, libc::SIGKILL) };
                }
            }
            if let (Some(most), Some(now)) = (most, resident(self.process)) {
                // What has come since the last look comes again before the next one.
                let more = if is_near { now.saturating_sub(memory).min(most / 32) } else { 0 };
                if now + more > most {
                    let reason = format!("the limit on memory was reached ({} MB)", most >> 20);
                    break Some(Excess { reason, stop: StopReason::MaxMemory });
                }
                memory = now;
            }
        };
        if ending >= 0 {
            // SAFETY: the descriptor is ours.
            unsafe { libc::close(ending) };
        }
        excess
    }

    /// The limit on time that the process has passed.
    fn excess_of_duration(&self, options: &Options, started: Instant) -> Option<Excess> {
        if let Some(excess) = excess_of_time(options, GRACE) {
            return Some(excess);
        }
        if self.channel.progress.begun.load(Ordering::Relaxed) == 0 && started.elapsed() > options.stall_timeout + GRACE {
            let seconds = options.stall_timeout.as_secs();
            let reason = format!("the program has not come to `main` within {seconds} s: a constructor takes long");
            return Some(Excess { reason, stop: StopReason::StallTimeout });
        }
        None
    }
}

/// Whether there is no time left, and has not been for so long.
pub(crate) fn excess_of_time(options: &Options, since: Duration) -> Option<Excess> {
    if options.is_interrupted() {
        return Some(Excess { reason: "the check was interrupted".to_owned(), stop: StopReason::Interrupted });
    }
    let is_over = options.time_left().is_some_and(|left| left.is_zero()) && options.time_over() >= since;
    is_over.then(|| Excess { reason: "the time was not enough".to_owned(), stop: StopReason::MaxTime })
}

/// The answer of a check that was stopped before the program was run.
pub(crate) fn stopped(Excess { reason, stop }: Excess) -> Answer {
    unknown(reason, Some(stop), 0).found.answer
}

/// The answer where a limit of the system leaves too few addresses for a check, if it does.
pub(crate) fn too_few_addresses() -> Option<Answer> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for a limit.
    if unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let needed = (address_space::SIZE * (1 + address_space::SHADOW_FACTOR) + ROOM + MIDDLE + MORE_ADDRESSES) as u64;
    (limit.rlim_cur < needed).then(|| {
        let reason = format!(
            "a check takes {} GB of addresses (hardly any of which take memory), and the limit on addresses is {} MB; \
             `ulimit -v unlimited` lifts it, and --max-memory limits memory",
            needed >> 30,
            limit.rlim_cur >> 20,
        );
        stopped(Excess { reason, stop: StopReason::MaxMemory })
    })
}

/// How many addresses the checker takes besides, at most.
const MORE_ADDRESSES: usize = 4 << 30;

/// Why a process was stopped.
#[derive(Debug)]
pub(crate) struct Excess {
    pub reason: String,
    pub stop: StopReason,
}

/// Waits for so long at most; whether the process has ended.
fn has_ended(ending: i32, process: i32, glance: Duration) -> bool {
    if ending >= 0 {
        let mut wanted = libc::pollfd { fd: ending, events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor is waited for.
        return unsafe { libc::poll(&mut wanted, 1, glance.as_millis() as i32) } > 0;
    }
    std::thread::sleep(glance);
    // SAFETY: all zeros is a valid value; the child is left as it is.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, process as libc::id_t, &mut info, options) == 0 && info.si_pid() != 0
    }
}

/// Waits until a child has ended: its status, and how much memory it has had at most, in bytes.
fn wait(process: i32) -> (i32, u64) {
    let mut status = 0;
    // SAFETY: all zeros is a valid value; the child is ours and is waited for once.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::wait4(process, &mut status, 0, &mut used);
        used
    };
    (status, used.ru_maxrss.unsigned_abs() << 10)
}

/// How much memory a process has taken, in bytes.
pub(crate) fn resident(process: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * address_space::PAGE as u64)
}

/// How long a process has worked, in ticks: for itself, and within system calls.
fn work_of(process: i32) -> Option<[u64; 2]> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may contain anything, these are the twelfth and the next one.
    let mut words = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some([words.next()?.parse().ok()?, words.next()?.parse().ok()?])
}

/// An answer that says that nothing is known.
fn unknown(reason: String, stop: Option<StopReason>, begun: u64) -> Part {
    let stats = ProgramStats { executions: begun.saturating_sub(1), ..ProgramStats::default() };
    let others: &[Shortfall] = if stop.is_some() { &[] } else { &[Shortfall::NoAnswer] };
    let mut answer = Answer::new("", false, stop, others, stats.into());
    answer.reason = Some(reason);
    Part::without_more(answer)
}

/// The process has ended without an answer.
fn died(status: i32, begun: u64) -> String {
    let when = if begun == 0 { "a constructor, before `main` begins" } else { "code that is not instrumented" };
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        if signal == libc::SIGSYS {
            return format!("a system call was refused that acts on the world outside the program, made by {when}");
        }
        return format!("the process that checks the program was ended by signal {signal}, by {when}");
    }
    format!("the process that checks the program has ended without an answer, by {when}")
}
