//! The error number of the C library, as the program sees it. It is that of the OS thread on which all threads of the program
//! run; the runtime keeps it for each of them while others run.

/// The error number.
pub(crate) fn get() -> i32 {
    // SAFETY: the address of this OS thread's error number is valid.
    unsafe { *libc::__errno_location() }
}

/// Sets the error number.
pub(crate) fn set(error: i32) {
    // SAFETY: the address of this OS thread's error number is valid.
    unsafe { *libc::__errno_location() = error };
}

/// Sets the error number; gives what many functions return then.
pub(crate) fn fail(error: i32) -> i32 {
    set(error);
    -1
}
