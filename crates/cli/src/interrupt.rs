//! Ctrl-C, and other signals that ask the program to end: the first one asks the search to stop and tell what it covered,
//! the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that such a signal sets. Where no handler can be installed, Ctrl-C ends the program as usual.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&flag);
    let _ = ctrlc::set_handler(move || {
        if shared.swap(true, Ordering::Relaxed) {
            quotient_native::remove_all();
            std::process::exit(130);
        }
    });
    flag
}
