//! C and C++ programs: compiled by the user's own compiler with `-fsanitize=thread`, loaded, and explored.
//!
//! The instrumentation turns every access to memory into a call. The program is linked, together with the C++ library,
//! into one shared object in which those calls, and all of the C library that must not be done for real, lead to a table
//! of functions of this crate (`calls/imports.rs`, and `glue/`). Nothing of the process itself is replaced, so the checker can go
//! on using its own memory and threads.
//!
//! Atomic operations and what blocks are visible operations: they become events of the execution graph. Plain accesses
//! do not: threads always run in an order that extends happens-before, so plain memory behaves as it should as long as
//! there is no race, and races are found with clocks (`memory/shadow.rs`), as in FastTrack (PLDI 2009).
//!
//! All of that is for Linux on an x86-64 processor. Elsewhere a program cannot be compiled, and the problem says so.
//!
//! # Where things are
//!
//! - `build/`: from source files to a shared object. `compile.rs` runs the compiler, of which `compiler.rs` knows what
//!   kind it is; `said.rs` passes on what it says. `frames.rs` has Clang put room around local variables. What is put into
//!   its assembly: `zones.rs` room between global variables, `declare.rs` marks where variables are declared,
//!   `addresses.rs` marks where the program may compute with addresses, `bare.rs` traps in front of accesses that the
//!   compiler has not instrumented, with `own.rs` for what a function does to its own variables; `inline_asm.rs` and `sections.rs` look for inline assembly and for bytes among
//!   code. `flags.rs` refuses options, `linked.rs` looks at what came of it all. `identity.rs` says what the program is.
//!   `glue/` is C and assembly that is linked into the program: the build script compiles it when Quotient is built, and
//!   `glue.rs` has the objects. `include/` has headers for the program, among them parts of the C++ library that are there
//!   as code otherwise.
//! - `calls/`: what stands behind the program's calls. `imports.rs` has the functions, and the list of the stubs through
//!   which they are reached (`glue/list.s`, which a test makes). `abi.rs`, `atomic.rs`, `atomic128.rs` and `volatile.rs`
//!   are for accesses; `sync.rs` (with queues of waiters, locks, barriers and semaphores, once), `threads.rs`,
//!   `locals.rs` (thread-local variables), `keys.rs` and `lifetime.rs` for threads and what they wait with; `clock.rs` and
//!   `timed.rs` for time; `alloc.rs` for the heap; `bounds.rs`, `unroll.rs` and `finals.rs` for what the compiler or the program tells. `library.rs` has the table of
//!   functions of the C library: what each reads and writes, from which the stubs, the table in the book and a test come;
//!   `library/unseen.rs` names what nobody has looked at. `libc_calls.rs` has the rest.
//! - `memory/`: `address_space.rs`, `heap.rs` and `image.rs` keep the program's memory; `shadow.rs` knows every byte and
//!   finds races; `unwritten.rs` finds reads of what nobody has written; `bare.rs` looks at what the instruction behind a
//!   trap touches, `own.rs` whether only one function knows it; `bits.rs` knows changes of single bits; `zones.rs` knows what of a stack belongs to no variable;
//!   `proc_maps.rs` knows foreign memory; `symbols.rs` and `locals.rs` have names.
//! - `check/`: `child.rs` is a process that checks, `processes.rs` several, `sandbox.rs` what they may do, `crash.rs` how
//!   they die; `host.rs` answers what the explorer asks of the program; `likeness.rs` compares threads that differ in an
//!   id; `order.rs` looks at computations with addresses, `layouts.rs` checks in both orders of them; `wakeups.rs` has
//!   wake-ups without a reason; `keep.rs` and `carried.rs` are for checkpoints; `answer.rs` adds to the answer what only
//!   this crate knows.
//! - `machine.rs`: everything about the program that runs, one per process, in parts.
//!
//! **Safety.** A program is run by a process of its own (`child.rs`), in a sandbox (`sandbox.rs`) that is closed before
//! the program is loaded. The process has no descriptors. What it has found is left in memory that it shares with its
//! parent, which is inaccessible until a system call with a secret in a register that the call does not use opens it; the
//! filter lets no other call touch that memory. The parent watches over time, memory and signals, and over compilers
//! (`watch.rs`). What a refused system call has wanted is told by the handler (`crash.rs`). Accesses to memory that is
//! not the program's end in `abi::foreign`, which asks `proc_maps.rs` what may be read and written.
//!
//! *Why the explorer is in the process of the program.* Two processes with shared memory were weighed. Every atomic
//! operation would be a switch between processes and back, where it is a call now; the fastest programs explore some
//! hundred thousand executions of dozens of operations a second (docs/performance.md). The program would be kept from
//! writing to the explorer by the system and not only by what is instrumented. But code that is not instrumented can
//! spoil its own memory as well, which makes a verdict just as wrong, and such code is what an answer already names. So
//! the explorer stays, and what counts is protected: the answer, and the system.
//!
//! # What must stay true
//!
//! - Nothing of the checker's process is replaced. The program's calls are bound when it is linked, to hidden symbols;
//!   the C++ library is linked in statically, so that its calls and its memory are the program's too.
//! - Plain accesses are not events. They are checked against clocks; the shadow has the plain accesses, the graph the
//!   atomic ones that they may race with. A plain write begins a new life of the locations it touches, which is sound
//!   because it comes after all their accesses, or is a race.
//! - A part of the machine is borrowed for one call. No borrow lasts while the program or the explorer runs, and none when a
//!   thread may not come back; `violate` checks that in builds with debug assertions.
//! - What a process keeps from one execution to the next, and an answer depends on, is in `carried.rs`, or is only a
//!   saving of work.
//! - What a clock shows depends on nothing but what the thread can know: its events, and those that they depend on. A
//!   host function that does several operations keeps nothing between them that the state of the thread (`Host::mark`) or
//!   the next operation does not show, or a loop around it is taken for one that waits.
//! - A function of the library touches memory only after it was told what; a string is looked at only as far as it
//!   exists.
//! - An allocation is a write to the whole block. A cell of the shadow learns of it when it is looked at for the first
//!   time in an execution, so that a large block costs what is used of it. No cell of a block was looked at before it was
//!   allocated.
//! - Memory is reported as unwritten only if it has the value that it was filled with, nobody has said that he writes it
//!   since, the reader does not only change bits of it (`bits.rs`), and, on a stack, the debug information or the code
//!   says that a variable of this size is there.
//! - Frames that are left without returning leave no marks of room behind (`zones.rs`), or those that come to lie there would
//!   be taken for it. So whoever lets a thread wait says how deep its stack is then (`note_waits`).
//! - Addresses depend on nothing but what the thread itself has done, and on the order of threads in memory, which is one
//!   for a process.
//! - Like threads stay alike only as long as no execution takes an address in the memory of one of them for a number
//!   (`addresses.rs` lists what is blind to that).
//! - Threads with different arguments are alike only as long as no execution, run again with them in each other's places,
//!   shows a difference.

mod input;
mod options;
mod problem;

pub use input::{Language, is_native};
pub use options::{AddressOrder, Checkpoints, Interrupted, Leaks, Options, Stuck, Writer};
pub use problem::Problem;

/// Declares what there is on this system only.
macro_rules! here {
    ($($item:item)*) => {
        $(#[cfg(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere)))] $item)*
    };
}

here! {
    mod build;
    mod calls;
    mod check;
    mod machine;
    mod memory;
    mod scarce;

    use check::sandbox::is_available as is_sandbox_available;

    pub use build::compile::{Build, Compiled, compile};
    pub use build::directory::remove_all;
    pub use calls::library;
    pub use check::layouts::check;
    pub use scarce::when_addresses_are_used_up;
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere))))]
mod elsewhere;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere))))]
use elsewhere::is_sandbox_available;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(quotient_elsewhere))))]
pub use elsewhere::{Build, Compiled, check, compile, remove_all, when_addresses_are_used_up};
