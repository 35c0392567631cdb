//! Signals: a write to a page that is protected only to notice it, and crashes of the program.
//!
//! Accesses of instrumented code are looked at before they happen, so they do not crash. What does is code without
//! instrumentation that got a bad pointer, a stack that is too small, or a division by zero.

use crate::check::{child, order, sandbox};
use crate::machine::{Machine, ProgramError, machine, violate};
use crate::memory::{bare, address_space};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// How large the stack is on which a signal is handled, and the one on which a crash is reported.
const STACK: usize = 256 << 10;

static SIGNAL: AtomicI32 = AtomicI32::new(0);
static ADDRESS: AtomicUsize = AtomicUsize::new(0);
static PC: AtomicUsize = AtomicUsize::new(0);
/// The highest address of the stack for reports.
static SPARE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static READY: Cell<bool> = const { Cell::new(false) };
}

/// Handles signals of this process.
pub(crate) fn install() -> std::io::Result<()> {
    SPARE.store(address_space::reserve(0, STACK)? + STACK, Ordering::Relaxed);
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSYS] {
        // SAFETY: an action of zeros is valid, and so is what is made of it; the handler stays as long as the process.
        unsafe {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            action.sa_sigaction = on_signal as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
    Ok(())
}

/// Gives the current OS thread a stack for signals.
pub(crate) fn prepare_thread() {
    if READY.replace(true) {
        return;
    }
    if let Ok(start) = address_space::reserve(0, STACK) {
        let stack = libc::stack_t { ss_sp: start as *mut _, ss_flags: 0, ss_size: STACK };
        // SAFETY: the memory was mapped for this and stays.
        unsafe { libc::sigaltstack(&stack, std::ptr::null_mut()) };
    }
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives both.
    let (address, context) = unsafe { ((*info).si_addr() as usize, &mut *context.cast::<libc::ucontext_t>()) };
    let machine = machine();
    if signal == libc::SIGSEGV && machine.image().is_some_and(|image| image.unprotect(address)) {
        return;
    }
    let registers = &mut context.uc_mcontext.gregs;
    let pc = registers[libc::REG_RIP as usize] as usize;
    let end: Option<extern "C" fn() -> !> = match signal {
        libc::SIGILL if order::is_mark(pc) => order::look(registers).then_some(order::tell_apart),
        libc::SIGSEGV if was_refused(info) && bare::is_mark(pc) => bare::look(registers).then_some(bare::report),
        _ => return crashed(signal, info, address, registers),
    };
    if let Some(end) = end {
        end_with(registers, end);
    }
}

/// Has a function run outside the handler, on a stack that has room. The thread does not go on; its stack is left as it is.
fn end_with(registers: &mut [i64], function: extern "C" fn() -> !) {
    let machine = machine();
    // SAFETY: the program runs, so it is there.
    unsafe { (*machine.shared.get()).sp = registers[libc::REG_RSP as usize] as usize };
    registers[libc::REG_RSP as usize] = (SPARE.load(Ordering::Relaxed) - 4096 - 8) as i64;
    registers[libc::REG_RIP as usize] = function as usize as i64;
}

/// Whether the processor has refused to run an instruction, as opposed to an access to memory.
fn was_refused(info: *const libc::siginfo_t) -> bool {
    const BY_KERNEL: i32 = 0x80;
    // SAFETY: the system gives it.
    unsafe { (*info).si_code == BY_KERNEL }
}

/// The program has crashed, or made a system call that is refused.
fn crashed(signal: i32, info: *mut libc::siginfo_t, address: usize, registers: &mut [i64]) {
    let machine = machine();
    let pc = registers[libc::REG_RIP as usize] as usize;
    let sp = registers[libc::REG_RSP as usize] as usize;
    // Before a large frame is used, the pages below the stack are tried from its upper end on: then the stack is said to end a
    // page further down.
    let is_stack = [sp, sp.wrapping_add(address_space::PAGE)].into_iter().any(|at| address_space::part_of(at).is_some());
    let in_program = machine.running.get() && is_stack;
    if signal == libc::SIGSYS {
        // SAFETY: with this signal the system gives a number there, behind an address.
        let number = unsafe { *info.byte_add(SYSTEM_CALL).cast::<i32>() };
        if i64::from(number) == libc::SYS_clone {
            // The library holds its locks: nothing can be reported here. The call fails, and the answer will say so.
            registers[libc::REG_RAX as usize] = -i64::from(libc::EAGAIN);
            let place = caller(machine, pc, sp) + 1;
            let what = "the program starts a process, which cannot be checked; here it is told that there is no room";
            machine.note_cut(what, Some(place));
            return;
        }
        if !in_program {
            let when = if machine.running.get() { "the checker" } else { "a constructor" };
            child::know_nothing(format!("{when} {}", say_call(number as usize)));
        }
        ADDRESS.store(number as usize, Ordering::Relaxed);
        PC.store(caller(machine, pc, sp), Ordering::Relaxed);
    } else {
        ADDRESS.store(address, Ordering::Relaxed);
        PC.store(pc, Ordering::Relaxed);
    }
    if !in_program {
        let who = if machine.running.get() { "the checker, or code that is not instrumented," } else { "a constructor" };
        child::complain(format!("{who} has crashed (signal {signal}, address {address:#x})"));
    }
    SIGNAL.store(signal, Ordering::Relaxed);
    child::note_crash(signal, ADDRESS.load(Ordering::Relaxed));
    end_with(registers, report);
}

/// Where the number of a refused system call is in what a handler is given.
const SYSTEM_CALL: usize = 24;
/// So many bytes of registers are on the stack below where a call comes from, if the call has noted them (`glue/stubs.s`).
const REGISTERS: usize = 48;
/// So much of a stack is searched for who has called the library.
const DEEPEST: usize = 8192;

/// The instruction of the program from which a refused system call comes: it may be made by a function of the library.
fn caller(machine: &Machine, pc: usize, sp: usize) -> usize {
    let image = machine.image();
    let is_users = |pc: usize| image.is_some_and(|image| image.is_users(pc));
    if is_users(pc) {
        return pc;
    }
    let highest = address_space::part_of(sp).map_or(sp, |(thread, _)| address_space::stack(thread).1.min(sp + DEEPEST));
    // What lies below where instrumented code was last seen may be left from calls that have returned.
    let (seen, frame) = match machine.running.get() {
        // SAFETY: the program runs, so what it shares with the checker is there.
        true => unsafe { ((*machine.shared.get()).sp, (*machine.shared.get()).frame) },
        false => (sp, 0),
    };
    let seen = if seen == frame { seen + REGISTERS } else { seen };
    let lowest = if (sp..highest).contains(&seen) { seen } else { sp };
    // SAFETY: this is the part of the stack that is in use.
    let words = (lowest & !7..highest).step_by(8).map(|at| unsafe { *(at as *const usize) });
    let found = words.into_iter().find(|&word| is_users(word));
    found.unwrap_or_else(|| machine.pc())
}

/// What a system call that was refused has wanted.
pub(super) fn say_call(number: usize) -> String {
    let name = sandbox::name_of(number);
    format!("makes the system call `{name}`, which cannot be checked: it acts on the world outside the program")
}

/// Reports the crash; the thread that has crashed does not go on.
extern "C" fn report() -> ! {
    let (signal, address, pc) =
        (SIGNAL.load(Ordering::Relaxed), ADDRESS.load(Ordering::Relaxed), PC.load(Ordering::Relaxed));
    let thread = machine().here.get().thread;
    let (lowest, _) = address_space::stack(thread);
    let (mistake, message) = match signal {
        libc::SIGSYS => (ProgramError::Unsupported, format!("the program {}", say_call(address))),
        libc::SIGFPE => (ProgramError::Crash, format!("thread {thread} divides by zero, or another arithmetic error")),
        libc::SIGILL => (ProgramError::Crash, format!("thread {thread} runs into an instruction that does not exist")),
        _ if address.wrapping_sub(lowest) < 4096 => {
            let message = format!("stack overflow: thread {thread} needs more than {} MB", address_space::STACK >> 20);
            (ProgramError::StackOverflow, message)
        }
        _ if address == pc && is_code_on_stack(pc) => {
            let what = "which cannot be checked: only stacks without code are there";
            let message = format!("the program runs code on a stack, as of a function inside a function, {what}");
            (ProgramError::Unsupported, message)
        }
        _ => (ProgramError::Crash, format!("thread {thread} crashes: access to address {address:#x}")),
    };
    // The place of a crash in a library is where the library was last called from.
    let known = machine().image().is_some_and(|image| image.symbols.place(pc + 1).is_some());
    let pc = if known || signal == libc::SIGSYS { pc + 1 } else { machine().pc() };
    violate(mistake, message, pc)
}

/// Whether the program may expect that code on a stack runs.
fn is_code_on_stack(pc: usize) -> bool {
    let is_on_stack = matches!(address_space::part_of(pc), Some((_, address_space::Part::Stack)));
    is_on_stack && machine().image().is_some_and(|image| image.symbols.runs_on_stack)
}
