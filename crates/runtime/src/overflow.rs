//! Stack overflow of a modelled thread: the page below its stack cannot be accessed, and who does so gets a signal.
//!
//! The thread cannot go on, and it may be anywhere, in the allocator for example. So its OS thread only notes where it is,
//! and stops for good; whoever watches over the exploration makes a report of it.

use crate::context::Context;
use crate::failure::Failure;
use crate::watch::Pulse;
use quotient_dpor::{Violation, ViolationKind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// How many calls are noted.
const FRAMES: usize = 48;

/// Where a thread was when its stack was used up.
#[derive(Debug, Default)]
pub(crate) struct Overflow {
    /// Set when everything else is.
    happened: AtomicBool,
    /// The instruction.
    pc: AtomicUsize,
    /// The calls that it belongs to, the innermost first.
    frames: Frames,
    /// The exploration, if it was not the engine that ran. Nobody else uses it any more.
    context: AtomicPtr<Context>,
}

/// The addresses of calls.
#[derive(Debug)]
struct Frames([AtomicUsize; FRAMES]);

impl Default for Frames {
    fn default() -> Self {
        Frames([const { AtomicUsize::new(0) }; FRAMES])
    }
}

/// A function of the program, and where it is.
struct Frame {
    function: String,
    place: (String, u32, u32),
}

/// A report, if the thread that gives this pulse has used up its stack.
pub(crate) fn report(pulse: &Pulse, stack_size: usize) -> Option<Failure> {
    let overflow = &pulse.overflow;
    if !overflow.happened.load(Ordering::Acquire) {
        return None;
    }
    let frame = overflow.frame();
    let room = if stack_size.is_multiple_of(1 << 20) {
        format!("{} MB", stack_size >> 20)
    } else {
        format!("{} KB", stack_size >> 10)
    };
    let within = frame.as_ref().map(|frame| format!(" in `{}`", frame.function)).unwrap_or_default();
    let say = |who: &str| {
        format!("stack overflow{within}: {who} needs more than {room} of stack; `stack_size` gives threads more")
    };
    let place = frame.map(|frame| frame.place);
    // SAFETY: the pointer is null, or to the context of the OS thread that has stopped, which no longer uses it.
    let Some(context) = (unsafe { overflow.context.load(Ordering::Relaxed).as_mut() }) else {
        // SAFETY: the pointer is null, or was made from a reference to a static location.
        let site = unsafe { pulse.site.load(Ordering::Relaxed).as_ref() };
        let mut failure = Failure::without_execution(say("a thread"), site);
        (failure.place, failure.violation.kind) = (place, ViolationKind::Memory);
        return Some(failure);
    };
    context.culprit = Some(context.current.0);
    context.panic_place = place;
    let message = say(&format!("thread {}", context.current.0));
    // SAFETY: as above.
    let site = unsafe { pulse.site.load(Ordering::Relaxed).as_ref() };
    Some(Failure::of(context, Violation { kind: ViolationKind::Memory, message, events: Vec::new(), site }))
}

impl Overflow {
    /// The innermost function of the program.
    fn frame(&self) -> Option<Frame> {
        let pc = self.pc.load(Ordering::Relaxed);
        let addresses = self.frames.0.iter().map(|frame| frame.load(Ordering::Relaxed));
        // What comes before is the handler. Other addresses are those that calls return to.
        let calls = addresses.skip_while(|&address| address != pc).skip(1).map_while(|address| address.checked_sub(1));
        std::iter::once(pc).filter(|&pc| pc != 0).chain(calls).find_map(frame_at)
    }
}

/// The function at an address, if it belongs to the program.
fn frame_at(address: usize) -> Option<Frame> {
    let mut found = None;
    // An address is taken for one that a call returns to.
    backtrace::resolve((address + 1) as *mut _, |symbol| {
        let (Some(name), Some(file), Some(line)) = (symbol.name(), symbol.filename(), symbol.lineno()) else { return };
        let (file, function) = (file.display().to_string(), format!("{name:#}"));
        // The standard library is built elsewhere, and the C library is in C.
        let of_program = !file.starts_with("/rustc/") && file.ends_with(".rs") && !is_ours(&function);
        if found.is_none() && of_program {
            found = Some(Frame { function, place: (file, line, symbol.colno().unwrap_or(0)) });
        }
    });
    found
}

/// Whether a function is one of the checker's.
fn is_ours(function: &str) -> bool {
    let path = function.trim_start_matches(['<', '&']);
    path.starts_with("quotient_") || path.starts_with("quotient::")
}

#[cfg(unix)]
mod signals {
    use super::FRAMES;
    use crate::context::current;
    use crate::memory;
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::Ordering;

    /// The signals that the access may lead to.
    const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
    /// The size of the stack on which signals are handled.
    const STACK: usize = 64 << 10;

    /// What was to be done about the signals before.
    static PREVIOUS: OnceLock<[libc::sigaction; 2]> = OnceLock::new();

    thread_local! {
        static READY: Cell<bool> = const { Cell::new(false) };
    }

    /// Handles the signals, from now on and for the whole process.
    pub(crate) fn install() {
        PREVIOUS.get_or_init(|| {
            SIGNALS.map(|signal| {
                // SAFETY: an action of zeros is valid, and so is the one that is made of it.
                unsafe {
                    let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                    let mut previous = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                    action.sa_sigaction =
                        on_signal as extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                    libc::sigaction(signal, &action, &mut previous);
                    previous
                }
            })
        });
    }

    /// Gives the current OS thread a stack for signals.
    pub(crate) fn prepare_thread() {
        if READY.replace(true) {
            return;
        }
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: new memory is asked for, which stays as long as the process.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), STACK, access, flags, -1, 0);
            if start != libc::MAP_FAILED {
                let stack = libc::stack_t { ss_sp: start, ss_flags: 0, ss_size: STACK };
                libc::sigaltstack(&stack, ptr::null_mut());
            }
        }
    }

    extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, registers: *mut libc::c_void) {
        // SAFETY: the system gives it.
        let address = unsafe { (*info).si_addr() as usize };
        // SAFETY: the context lives as long as it is the current one, and what has interrupted it never goes on.
        let context = unsafe { current().as_mut() };
        let Some(context) = context.filter(|context| context.in_program && context.is_below_stack(address)) else {
            // The instruction is repeated, and what was there before gets the signal.
            if let (Some(previous), Some(index)) = (PREVIOUS.get(), SIGNALS.iter().position(|&one| one == signal)) {
                // SAFETY: the action was valid before.
                unsafe { libc::sigaction(signal, &previous[index], ptr::null_mut()) };
            }
            return;
        };
        let pulse = context.pulse.clone();
        let overflow = &pulse.overflow;
        let pc = instruction(registers);
        overflow.pc.store(pc, Ordering::Relaxed);
        let mut count = 0;
        // SAFETY: nobody else looks at frames on this OS thread. It allocates nothing.
        unsafe {
            backtrace::trace_unsynchronized(|frame| {
                overflow.frames.0[count].store(frame.ip() as usize, Ordering::Relaxed);
                count += 1;
                count < FRAMES
            });
        }
        if memory::program_runs() {
            overflow.context.store(context, Ordering::Relaxed);
        }
        overflow.happened.store(true, Ordering::Release);
        loop {
            // SAFETY: it only waits.
            unsafe { libc::pause() };
        }
    }

    /// The instruction that was interrupted; 0 if it is not known how to find it.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn instruction(registers: *mut libc::c_void) -> usize {
        // SAFETY: the system gives it.
        unsafe { (*registers.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize }
    }

    #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
    fn instruction(registers: *mut libc::c_void) -> usize {
        // SAFETY: the system gives it.
        unsafe { (*registers.cast::<libc::ucontext_t>()).uc_mcontext.pc as usize }
    }

    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    fn instruction(_registers: *mut libc::c_void) -> usize {
        0
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn install() {}
    pub fn prepare_thread() {}
}

pub(crate) use signals::{install, prepare_thread};

impl Context {
    /// Whether an address is in the page below the stack of the thread that runs.
    fn is_below_stack(&self, address: usize) -> bool {
        let slot = &self.slots[self.current.0 as usize];
        slot.limit != 0 && (slot.limit..slot.limit + PAGE).contains(&address)
    }
}

/// What lies below a stack is at least so large.
const PAGE: usize = 4096;
