//! What stands behind the program's calls: the functions of the instrumentation, of threads, of the C and C++ libraries. Each makes
//! events of the execution graph, looks at memory, or says why it cannot.

pub(crate) mod abi;
pub(crate) mod alloc;
pub(crate) mod arguments;
pub(crate) mod atomic;
pub(crate) mod bounds;
pub(crate) mod clock;
pub(crate) mod errno;
pub(crate) mod finals;
pub(crate) mod keys;
pub(crate) mod libc_calls;
pub(crate) mod process_end;
pub(crate) mod locals;
pub mod library;
pub(crate) mod lifetime;
pub(crate) mod sync;
pub(crate) mod imports;
pub(crate) mod threads;
pub(crate) mod timed;
pub(crate) mod unroll;
pub(crate) mod volatile;
pub(crate) mod atomic128;
