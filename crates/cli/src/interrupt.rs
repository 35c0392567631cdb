//! Ctrl-C, and other signals that ask the program to end: the first one asks the search to stop and tell what it covered,
//! the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::output;

/// Whether somebody looks at the flag. Nobody does while a model is read, which takes forever if it comes from a pipe into which
/// nobody writes.
static LOOKED_AT: AtomicBool = AtomicBool::new(false);

/// How long a check may take to begin after a signal.
const TO_BEGIN: Duration = Duration::from_secs(3);

/// A flag that such a signal sets. Where no handler can be installed, Ctrl-C ends the program as usual.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&flag);
    let _ = ctrlc::set_handler(move || {
        if shared.swap(true, Ordering::Relaxed) {
            end(130);
        }
        if !LOOKED_AT.load(Ordering::Relaxed) {
            thread::sleep(TO_BEGIN);
            if !LOOKED_AT.load(Ordering::Relaxed) {
                output::err("INCONCLUSIVE: interrupted before the search began\n");
                end(3);
            }
        }
    });
    flag
}

/// From now on, a check looks at the flag.
pub(crate) fn is_looked_at() {
    LOOKED_AT.store(true, Ordering::Relaxed);
}

fn end(code: i32) -> ! {
    quotient_native::remove_all();
    std::process::exit(code);
}
