//! Progress on standard error, on a terminal only: states, rate, depth and memory.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use quotient_check::Progress;
use quotient_report::text::{bytes, thousands};

/// Shows how far a search is.
pub(crate) struct Meter {
    bar: Option<ProgressBar>,
    /// What is searched, if it has a name.
    what: String,
    started: Instant,
    told: Instant,
}

/// Short searches show nothing, and long ones don't flicker.
const PAUSE: Duration = Duration::from_millis(200);

impl Meter {
    /// A meter that shows something only if it is wanted and standard error is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = style { bar.with_style(style) } else { bar }
        });
        Meter { bar, what: String::new(), started: Instant::now(), told: Instant::now() }
    }

    /// The search for a violation of a property begins.
    pub(crate) fn begins(&mut self, property: &str) {
        (self.what, self.started) = (format!("{property}: "), Instant::now());
    }

    /// Takes note of how far the search is.
    pub(crate) fn tell(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if self.told.elapsed() < PAUSE {
            return;
        }
        self.told = Instant::now();
        let rate = progress.states as f64 / self.started.elapsed().as_secs_f64();
        bar.set_message(format!(
            "{}{} states, {}/s, depth {}, {}",
            self.what,
            thousands(progress.states),
            thousands(rate as u64),
            thousands(progress.current),
            bytes(progress.bytes),
        ));
        bar.tick();
    }

    /// Shows nothing any more; what it showed is gone.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
