//! What is said when the system gives no more memory: where addresses are limited (`ulimit -v`), an allocation fails before the
//! limit on memory is reached, and the process is about to be ended by a signal.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// What to say, and who says it: processes that were started by this one say nothing.
static LAST_WORDS: OnceLock<(i32, String)> = OnceLock::new();

/// If addresses are limited, this is said when they are used up, and the exit code is 3. The text gets the limit in megabytes.
pub fn when_addresses_are_used_up(text: impl FnOnce(u64) -> String) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for a limit.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    if !known || limit.rlim_cur == libc::RLIM_INFINITY {
        return;
    }
    // SAFETY: this asks for a number.
    let own = unsafe { libc::getpid() };
    if LAST_WORDS.set((own, text(limit.rlim_cur >> 20))).is_err() {
        return;
    }
    for signal in [libc::SIGABRT, libc::SIGSEGV] {
        // SAFETY: an action of zeros is valid, and so is what is made of it; the handler stays as long as the process.
        unsafe {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            action.sa_sigaction = on_signal as extern "C" fn(i32) as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn on_signal(signal: i32) {
    // SAFETY: these functions may be called by a handler; the text stays as long as the process.
    unsafe {
        match LAST_WORDS.get() {
            Some((own, text)) if *own == libc::getpid() => {
                libc::write(libc::STDOUT_FILENO, text.as_ptr().cast(), text.len());
                libc::_exit(3);
            }
            _ => {
                libc::raise(signal);
            }
        }
    }
}
