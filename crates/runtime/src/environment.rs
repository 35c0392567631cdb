//! What the processor and the C library keep for each thread: how numbers are rounded and which exceptions of theirs are raised,
//! the locale, and the error number. All threads of a native program run on one OS thread, so it is exchanged with them.

/// What a thread has of its own.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    numbers: Numbers,
    #[cfg(target_os = "linux")]
    locale: usize,
    #[cfg(target_os = "linux")]
    error: i32,
}

/// The control and status of floating-point numbers.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    /// Of the registers that all but `long double` are computed in.
    vector: u32,
    /// Of the others; their status is not kept.
    old: u16,
}

/// Stands for the locale that `setlocale` sets, in `uselocale`.
#[cfg(target_os = "linux")]
const LOCALE_OF_PROCESS: usize = usize::MAX;

impl Environment {
    /// That of a program that begins.
    pub fn at_start() -> Self {
        Environment {
            #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
            numbers: Numbers { vector: 0x1F80, old: 0x37F },
            #[cfg(target_os = "linux")]
            locale: LOCALE_OF_PROCESS,
            #[cfg(target_os = "linux")]
            error: 0,
        }
    }

    /// That of a thread that this one starts: it computes in the same way, and has the locale of the process.
    pub fn of_child() -> Self {
        Environment {
            #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
            numbers: Numbers::now(),
            ..Self::at_start()
        }
    }

    /// That of the thread that runs.
    #[inline]
    pub(crate) fn now() -> Self {
        Environment {
            #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
            numbers: Numbers::now(),
            // SAFETY: it is asked for, not changed.
            #[cfg(target_os = "linux")]
            locale: unsafe { libc::uselocale(std::ptr::null_mut()) }.expose_provenance(),
            // SAFETY: the address of this OS thread's error number is valid.
            #[cfg(target_os = "linux")]
            error: unsafe { *libc::__errno_location() },
        }
    }

    /// Whether numbers are computed in the same way, and the locale is the same. The error number is memory like other memory.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        if self.numbers != other.numbers {
            return false;
        }
        #[cfg(target_os = "linux")]
        if self.locale != other.locale {
            return false;
        }
        true
    }

    /// The thread that runs has this one from now on.
    #[inline]
    pub fn enter(self) {
        // To set what is so already takes longer than to look at it.
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        if Numbers::now() != self.numbers {
            self.numbers.set();
        }
        // SAFETY: the locale is the one of the process, or one that the program has used; the address is valid.
        #[cfg(target_os = "linux")]
        unsafe {
            if libc::uselocale(std::ptr::null_mut()).expose_provenance() != self.locale {
                libc::uselocale(std::ptr::with_exposed_provenance_mut(self.locale));
            }
            *libc::__errno_location() = self.error;
        }
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
impl Numbers {
    #[inline]
    fn now() -> Self {
        let mut numbers = Numbers { vector: 0, old: 0 };
        // SAFETY: both instructions write as many bytes as there are.
        unsafe {
            std::arch::asm!(
                "stmxcsr [{vector}]",
                "fnstcw [{old}]",
                vector = in(reg) &raw mut numbers.vector,
                old = in(reg) &raw mut numbers.old,
                options(nostack, preserves_flags)
            );
        }
        numbers
    }

    #[inline]
    fn set(self) {
        // SAFETY: what was read by `now` can be set; no bit is one that must not be.
        unsafe {
            std::arch::asm!(
                "ldmxcsr [{vector}]",
                "fldcw [{old}]",
                vector = in(reg) &raw const self.vector,
                old = in(reg) &raw const self.old,
                options(nostack, preserves_flags)
            );
        }
    }
}
