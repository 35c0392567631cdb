//! The functions that stand behind the program's calls, and the list of the stubs through which it calls them. The stubs
//! themselves are in `glue/stubs.s` and are assembled when Quotient is built.

use crate::calls::{
    abi, alloc, atomic, bounds, clock, finals, keys, libc_calls, library, lifetime, locals, process_end, sync, threads, timed, unroll,
    volatile, atomic128,
};
use crate::machine::{Shared, machine};
use crate::memory::unwritten;
use quotient_runtime::native::Callee;
use std::fmt::Write;
use std::mem::offset_of;

/// What a stub notes before it calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stub {
    /// Where it was called from.
    Quick,
    /// Also the registers, on the stack: all that the program's thread is at this point.
    Full,
    /// The same, and which function of the library it is and its arguments, on the stack.
    Library(usize),
}

/// Every function: its name in the program, its stub, and where it is.
fn functions() -> Vec<(String, Stub, usize)> {
    let mut list: Vec<(String, Stub, usize)> = Vec::new();
    macro_rules! add {
        ($stub:ident: $($name:expr => $function:path),* $(,)?) => {
            $(list.push(($name.to_string(), Stub::$stub, $function as *const () as usize));)*
        };
    }
    macro_rules! plain {
        ($($size:literal $read:ident $write:ident),*) => {
            $(
                for form in ["", "unaligned_"] {
                    add!(Quick: format!("__tsan_{form}read{}", $size) => abi::$read);
                    add!(Quick: format!("__tsan_{form}write{}", $size) => abi::$write);
                    add!(Full: format!("__tsan_{form}volatile_read{}", $size) => volatile::$read);
                    add!(Full: format!("__tsan_{form}volatile_write{}", $size) => volatile::$write);
                }
                for form in ["", "unaligned_"] {
                    add!(Quick: format!("__tsan_{form}read_write{}", $size) => abi::$write);
                }
            )*
        };
    }
    macro_rules! atomic {
        ($($bits:literal $($module:ident)::*),*) => {
            $(
                let name = |what: &str| format!("__tsan_atomic{}_{what}", $bits);
                add!(Full:
                    name("load") => $($module)::*::load,
                    name("store") => $($module)::*::store,
                    name("exchange") => $($module)::*::exchange,
                    name("fetch_add") => $($module)::*::fetch_add,
                    name("fetch_sub") => $($module)::*::fetch_sub,
                    name("fetch_and") => $($module)::*::fetch_and,
                    name("fetch_or") => $($module)::*::fetch_or,
                    name("fetch_xor") => $($module)::*::fetch_xor,
                    name("fetch_nand") => $($module)::*::fetch_nand,
                    name("compare_exchange_strong") => $($module)::*::strong,
                    name("compare_exchange_weak") => $($module)::*::weak,
                    name("compare_exchange_val") => $($module)::*::value,
                );
            )*
        };
    }
    plain!(1 read1 write1, 2 read2 write2, 4 read4 write4, 8 read8 write8, 16 read16 write16);
    atomic!(8 atomic::atomic8, 16 atomic::atomic16, 32 atomic::atomic32, 64 atomic::atomic64, 128 atomic128);
    add!(Quick:
        "__tsan_func_entry" => unroll::enter,
        "__tsan_func_exit" => unroll::leave,
        "__sanitizer_cov_trace_pc" => unroll::block,
        "__tsan_ignore_thread_begin" => abi::nothing,
        "__tsan_ignore_thread_end" => abi::nothing,
        "__tsan_atomic_signal_fence" => abi::nothing,
        "__tsan_read_range" => abi::read_range,
        "__tsan_write_range" => abi::write_range,
        "__tsan_vptr_read" => abi::read8,
        "__tsan_vptr_update" => abi::vptr_update,
        "__tsan_memcpy" => abi::memcpy,
        "__tsan_memmove" => abi::memmove,
        "__tsan_memset" => abi::memset,
        "memcpy" => abi::memcpy,
        "memmove" => abi::memmove,
        "memset" => abi::memset,
        "memcmp" => abi::memcmp,
        "__memcpy_chk" => abi::memcpy,
        "__memmove_chk" => abi::memmove,
        "__memset_chk" => abi::memset,
        "__memcmpeq" => abi::memcmp,
        "quotient_real" => libc_calls::real,
        "quotient_range" => abi::host_range,
        "__atomic_is_lock_free" => atomic128::is_lock_free,
        "__tls_get_addr" => locals::tls_get_addr,
    );
    add!(Full:
        "__tsan_atomic_thread_fence" => atomic::thread_fence,
        "quotient_flush" => volatile::flush,
        "quotient_weak_exchange" => atomic::weak_exchange,
        "__atomic_load_16" => atomic128::load,
        "__atomic_store_16" => atomic128::store,
        "__atomic_exchange_16" => atomic128::exchange,
        "__atomic_compare_exchange_16" => atomic128::strong,
        "__atomic_fetch_add_16" => atomic128::fetch_add,
        "__atomic_fetch_sub_16" => atomic128::fetch_sub,
        "__atomic_fetch_and_16" => atomic128::fetch_and,
        "__atomic_fetch_or_16" => atomic128::fetch_or,
        "__atomic_fetch_xor_16" => atomic128::fetch_xor,
        "__atomic_fetch_nand_16" => atomic128::fetch_nand,
        "__atomic_load" => atomic128::load_sized,
        "__atomic_store" => atomic128::store_sized,
        "__atomic_exchange" => atomic128::exchange_sized,
        "__atomic_compare_exchange" => atomic128::compare_exchange_sized,
        "pthread_create" => threads::create,
        "pthread_join" => threads::join,
        "pthread_detach" => threads::detach,
        "quotient_thread_exit" => threads::exit,
        "pthread_self" => threads::current,
        "pthread_key_create" => keys::create,
        "pthread_key_delete" => keys::delete,
        "pthread_getspecific" => keys::get,
        "pthread_setspecific" => keys::set,
        "__cxa_thread_atexit" => threads::thread_atexit,
        "__cxa_thread_atexit_impl" => threads::thread_atexit,
        "pthread_mutex_init" => sync::mutex_init,
        "pthread_mutex_destroy" => sync::mutex_destroy,
        "pthread_mutex_lock" => sync::mutex_lock,
        "pthread_mutex_trylock" => sync::mutex_trylock,
        "pthread_mutex_timedlock" => timed::mutex_timedlock,
        "pthread_mutex_clocklock" => timed::mutex_clocklock,
        "pthread_mutex_unlock" => sync::mutex_unlock,
        "pthread_cond_init" => sync::cond_init,
        "pthread_cond_destroy" => sync::cond_destroy,
        "pthread_cond_wait" => sync::cond_wait,
        "pthread_cond_timedwait" => timed::cond_timedwait,
        "pthread_cond_clockwait" => timed::cond_clockwait,
        "pthread_cond_signal" => sync::cond_signal,
        "pthread_cond_broadcast" => sync::cond_broadcast,
        "pthread_rwlock_init" => sync::rwlock_init,
        "pthread_rwlock_destroy" => sync::rwlock_destroy,
        "pthread_rwlock_rdlock" => sync::rwlock_rdlock,
        "pthread_rwlock_tryrdlock" => sync::rwlock_tryrdlock,
        "pthread_rwlock_timedrdlock" => timed::rwlock_timedrdlock,
        "pthread_rwlock_clockrdlock" => timed::rwlock_clockrdlock,
        "pthread_rwlock_wrlock" => sync::rwlock_wrlock,
        "pthread_rwlock_trywrlock" => sync::rwlock_trywrlock,
        "pthread_rwlock_timedwrlock" => timed::rwlock_timedwrlock,
        "pthread_rwlock_clockwrlock" => timed::rwlock_clockwrlock,
        "pthread_rwlock_unlock" => sync::rwlock_unlock,
        "pthread_barrier_init" => sync::barrier_init,
        "pthread_barrier_destroy" => sync::barrier_destroy,
        "pthread_barrier_wait" => sync::barrier_wait,
        "pthread_spin_init" => sync::spin_init,
        "pthread_spin_destroy" => sync::spin_destroy,
        "pthread_spin_lock" => sync::spin_lock,
        "pthread_spin_trylock" => sync::spin_trylock,
        "pthread_spin_unlock" => sync::spin_unlock,
        "sem_init" => sync::sem_init,
        "sem_destroy" => sync::sem_destroy,
        "sem_wait" => sync::sem_wait,
        "sem_trywait" => sync::sem_trywait,
        "sem_timedwait" => timed::sem_timedwait,
        "sem_clockwait" => timed::sem_clockwait,
        "sem_post" => sync::sem_post,
        "sem_getvalue" => sync::sem_getvalue,
        "quotient_once_begin" => sync::once_begin,
        "quotient_once_end" => sync::once_end,
        "quotient_once_abort" => sync::once_abort,
        "__cxa_guard_acquire" => sync::guard_acquire,
        "__cxa_guard_release" => sync::guard_release,
        "__cxa_guard_abort" => sync::guard_abort,
        "quotient_futex_wait" => timed::futex_wait,
        "pthread_tryjoin_np" => timed::tryjoin,
        "pthread_timedjoin_np" => timed::timedjoin,
        "pthread_clockjoin_np" => timed::clockjoin,
        "quotient_now" => clock::now,
        "quotient_pass_for" => clock::pass_for,
        "quotient_pass_until" => clock::pass_until,
        "quotient_futex_wake" => sync::futex_wake,
        "quotient_assume_" => sync::assume,
        "quotient_nondet" => sync::nondet,
        "quotient_spin" => sync::spin,
        "sched_yield" => sync::spin,
        "quotient_spawn_symmetric" => threads::create_symmetric,
        "quotient_primary_begin" => threads::primary_begin,
        "quotient_primary_end" => threads::primary_end,
        "quotient_help" => threads::help,
        "quotient_helped_begin" => threads::helped_begin,
        "quotient_helping_begin" => threads::helping_begin,
        "quotient_helped_end" => threads::helped_end,
        "quotient_deed" => threads::deed,
        "quotient_wait_begin" => sync::wait_begin,
        "quotient_wait_end" => sync::wait_end,
        "quotient_notify" => sync::notify_at,
        "quotient_final_begin" => finals::begin,
        "quotient_final_end" => finals::end,
        "__assert_fail" => libc_calls::assert_fail,
        "abort" => libc_calls::abort,
        "quotient_exit" => process_end::exit,
        "quotient_exit_now" => process_end::exit_now,
        "quotient_quick_exit" => process_end::quick_exit,
        "quotient_at_quick_exit" => process_end::at_quick_exit,
        "__cxa_atexit" => process_end::cxa_atexit,
        "quotient_output" => libc_calls::output,
        "quotient_stream_buffer" => libc_calls::stream_buffer,
        "quotient_unsupported_call" => libc_calls::unsupported,
        "quotient_counted" => sync::counted,
    );
    memory(&mut list);
    list.extend(library_functions());
    list
}

/// The functions of the C library, and what C code calls that stands for some of them.
fn library_functions() -> Vec<(String, Stub, usize)> {
    let to = |name: &str, function: usize| (name.to_owned(), Stub::Full, function);
    let mut list = vec![
        to("quotient_print", library::format::print as *const () as usize),
        to("quotient_print_into", library::format::print_into as *const () as usize),
        to("quotient_print_new", library::format::print_new as *const () as usize),
        to("quotient_scan", library::scan::scan as *const () as usize),
        to("quotient_number_begin", library::numbers::begin as *const () as usize),
        to("quotient_number_end", library::numbers::end as *const () as usize),
        to("_ZSt21__glibcxx_assert_failPKciS0_S0_", libc_calls::library_assert_fail as *const () as usize),
    ];
    // A program may declare these itself, instead of including a header.
    list.push(to("__VERIFIER_assume", sync::assume as *const () as usize));
    list.push(to("__VERIFIER_error", libc_calls::abort as *const () as usize));
    let call = library::call as *const () as usize;
    list.extend(library::stubs().into_iter().map(|(name, row)| (name.to_owned(), Stub::Library(row), call)));
    list
}

/// What belongs to allocation and to the life of memory.
fn memory(list: &mut Vec<(String, Stub, usize)>) {
    macro_rules! add {
        ($stub:ident: $($name:expr => $function:path),* $(,)?) => {
            $(list.push(($name.to_string(), Stub::$stub, $function as *const () as usize));)*
        };
    }
    add!(Quick:
        "quotient_declared1" => unwritten::declared1,
        "quotient_declared2" => unwritten::declared2,
        "quotient_declared4" => unwritten::declared4,
        "quotient_declared8" => unwritten::declared8,
        "quotient_declared16" => unwritten::declared16,
        "quotient_declared_range" => unwritten::declared_range,
        "quotient_declared_memset" => unwritten::declared_memset,
        "quotient_declared_memcpy" => unwritten::declared_memcpy,
    );
    add!(Full:
        "__ubsan_handle_out_of_bounds" => bounds::index,
        "__ubsan_handle_out_of_bounds_abort" => bounds::index,
        "__ubsan_handle_vla_bound_not_positive" => bounds::length,
        "__ubsan_handle_vla_bound_not_positive_abort" => bounds::length,
        "quotient_declared_block" => unwritten::declared_block,
        "quotient_check_made" => lifetime::check_made,
        "quotient_check_attributes" => lifetime::check_attributes,
        "quotient_check_timed" => lifetime::check_timed,
        "malloc" => alloc::malloc,
        "calloc" => alloc::calloc,
        "realloc" => alloc::realloc,
        "free" => alloc::free,
        "aligned_alloc" => alloc::aligned_alloc,
        "memalign" => alloc::aligned_alloc,
        "posix_memalign" => alloc::posix_memalign,
        "malloc_usable_size" => alloc::malloc_usable_size,
        "_Znwm" => alloc::new,
        "_Znam" => alloc::new_array,
        "_ZnwmSt11align_val_t" => alloc::new_aligned,
        "_ZnamSt11align_val_t" => alloc::new_array_aligned,
        "_ZdlPv" => alloc::delete,
        "_ZdaPv" => alloc::delete_array,
        "_ZdlPvm" => alloc::delete_sized,
        "_ZdaPvm" => alloc::delete_array_sized,
        "_ZdlPvSt11align_val_t" => alloc::delete_aligned,
        "_ZdaPvSt11align_val_t" => alloc::delete_array_aligned,
        "_ZdlPvmSt11align_val_t" => alloc::delete_sized_aligned,
        "_ZdaPvmSt11align_val_t" => alloc::delete_array_sized_aligned,
    );
}

/// What one of these functions, by its name, does with addresses that it is given; `None` if it may keep them.
pub(crate) fn callee(name: &str) -> Option<Callee> {
    let told = ["quotient_declared", "__ubsan_handle_", "__sanitizer_cov_trace_pc"];
    if told.iter().any(|begins| name.starts_with(begins)) {
        return Some(Callee::Told);
    }
    let hook = name.strip_prefix("__tsan_")?;
    if let Some(atomic) = hook.strip_prefix("atomic") {
        let (bits, what) = atomic.split_once('_')?;
        let exchanges = matches!(what, "compare_exchange_strong" | "compare_exchange_weak");
        if what == "store" && bits != "128" {
            return Some(Callee::Store);
        }
        return bits.parse::<u8>().ok().filter(|_| exchanges).map(|bits| Callee::Operand(bits / 8));
    }
    let hook = hook.strip_prefix("unaligned_").unwrap_or(hook);
    let told = ["read", "write", "func_entry", "func_exit", "vptr"].iter().any(|begins| hook.starts_with(begins));
    told.then_some(Callee::Told)
}

/// Whether a function, by its name, is told of a plain write (or read), and of how many bytes.
pub(crate) fn hook(name: &str) -> Option<(bool, usize)> {
    let hook = name.strip_prefix("__tsan_")?;
    let hook = hook.strip_prefix("unaligned_").unwrap_or(hook);
    let (writes, size) =
        hook.strip_prefix("read").map_or((true, hook.strip_prefix("write")), |size| (false, Some(size)));
    Some((writes, size?.parse().ok()?))
}

/// Is called by the object's first constructor: fills in the table.
pub(crate) extern "C" fn attach(shared: *mut Shared, call: usize) {
    debug_assert_eq!(list(), LIST, "{REMAKE}");
    let machine = machine();
    machine.shared.set(shared);
    machine.call.set(call);
    for (slot, (_, _, function)) in functions().into_iter().enumerate() {
        // SAFETY: the object has given the address of what it shares, and nobody else uses it now.
        unsafe { (*shared).functions[slot] = function };
    }
    crate::check::sandbox::close_for_loader();
}

/// Where the functions begin in what is shared.
const FUNCTIONS: usize = offset_of!(Shared, functions);

/// The stubs and other code in `glue/` write to these places, and a program cannot be asked.
const _: () = {
    assert!(offset_of!(Shared, pc) == 0 && offset_of!(Shared, sp) == 8 && offset_of!(Shared, frame) == 16);
    assert!(offset_of!(Shared, pending) == 40 && offset_of!(Shared, thrown) == 48);
};

/// What the program must not do for real; calling it is reported. Whoever defines such a function keeps it.
const UNSUPPORTED: &str = "fork vfork execv execve execvp execl execlp system popen socket connect bind listen accept \
    accept4 send sendto sendmsg recv recvfrom recvmsg socketpair open open64 openat creat fopen fopen64 fdopen freopen \
    read pread readv pipe pipe2 dup dup2 epoll_create epoll_create1 epoll_wait kill signal sigaction \
    mmap mmap64 munmap mprotect mremap pkey_mprotect madvise brk sbrk shmat shm_open sem_open wait waitpid pthread_cancel pthread_kill pthread_atfork scanf fscanf getchar \
    fgets fread getline getdelim fgetc getc remove rename unlink mkdir opendir ioctl fcntl ptrace timer_create alarm \
    realpath canonicalize_file_name fputws putwchar fputwc putwc wprintf fwprintf vwprintf \
    vfwprintf open_memstream fmemopen ungetc";

/// The list of stubs with which this crate was built. A test compares it with the table.
const LIST: &str = include_str!("../../glue/list.s");
/// What to do when they differ.
const REMAKE: &str = "glue/list.s is not that of the table: run QUOTIENT_REMAKE=1 cargo test -p quotient-native imports";

/// The list of stubs, for macros of the assembler: every function with its place in what is shared, functions that cannot be
/// checked, and memory for what functions of the library keep, with names for reports.
fn list() -> String {
    let mut text = String::from("# Made from the table in src/calls/imports.rs by one of its tests.\n");
    for (slot, (name, stub, _)) in functions().iter().enumerate() {
        let at = FUNCTIONS + slot * 8;
        let _ = match stub {
            Stub::Quick => writeln!(text, "\tquick {name}, {at}"),
            Stub::Full => writeln!(text, "\tfull {name}, {at}"),
            Stub::Library(row) => writeln!(text, "\tlibrary {name}, {at}, {row}"),
        };
    }
    for name in UNSUPPORTED.split_whitespace() {
        let _ = writeln!(text, "\trefused {name}");
    }
    text.push_str("\t.bss\n\t.balign 64\n\t.globl quotient_kept\n\t.hidden quotient_kept\nquotient_kept:\n");
    for (name, size) in library::KEPT {
        let _ = writeln!(text, "\"{name}\":\n\t.type \"{name}\", @object\n\t.size \"{name}\", {size}\n\t.zero {size}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stubs_are_those_of_the_table() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("glue/list.s");
        if std::env::var_os("QUOTIENT_REMAKE").is_some() {
            std::fs::write(&path, list()).expect("the list can be written");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("a list"), list(), "{REMAKE}");
    }
}
