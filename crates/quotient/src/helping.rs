//! Internal symmetry: operations that several threads may carry out, of which only one has an effect.
//!
//! Follows sections 2.3 and 3.2 of SPORE (Kokologiannakis, Marmanis, Vafeiadis, PLDI 2024). In a lock-free structure a
//! thread that finds another's operation half done often finishes it first. Who does it makes no difference, so Quotient
//! explores only executions in which the thread does it whose operation it is. The annotation is checked: where it
//! does not hold, the check fails.

use std::hash::{DefaultHasher, Hash, Hasher};

use quotient_runtime::ops;

/// An operation that is carried out at most once, whoever tries.
///
/// The code must read shared memory any number of times and then do one `compare_exchange`, and nothing else; what it
/// needs it gets as arguments. The thread whose operation it is calls [`main`](Self::main) directly after the write
/// that makes the operation necessary; threads that find it undone call [`help`](Self::help). In a check, `help` does
/// nothing but note that it was called: the thread then finds the operation still undone, and its loop waits.
///
/// ```
/// use quotient::helping::Idempotent;
/// use quotient::sync::atomic::{AtomicUsize, Ordering};
///
/// static TAIL: AtomicUsize = AtomicUsize::new(0);
///
/// /// Moves the tail on from one node to the next.
/// static ADVANCE: Idempotent<(usize, usize)> = Idempotent::new(|&(from, to)| {
///     let _ = TAIL.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
/// });
/// ```
#[derive(Debug)]
pub struct Idempotent<A> {
    code: fn(&A),
}

impl<A: Hash> Idempotent<A> {
    /// An operation that does this.
    pub const fn new(code: fn(&A)) -> Self {
        Idempotent { code }
    }

    /// Carries out the operation, as the thread whose operation it is.
    #[track_caller]
    pub fn main(&self, arguments: &A) {
        ops::primary_operation(self.number(arguments));
        (self.code)(arguments);
        ops::end_primary_operation();
    }

    /// Helps another thread, whose operation it is.
    #[track_caller]
    pub fn help(&self, arguments: &A) {
        ops::help_operation(self.number(arguments));
    }

    /// Two calls have the same number if they are of the same operation with equal arguments.
    fn number(&self, arguments: &A) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.code as usize).hash(&mut hasher);
        arguments.hash(&mut hasher);
        hasher.finish()
    }
}
