//! A program for which symmetry reduction is not known to be complete (example 6 of the SPORE paper) is not said to hold.

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::{Builder, MemoryModel, Report, thread};
use std::sync::Arc;

fn run(model: MemoryModel, symmetry: bool) -> Report {
    Builder::new().model(model).symmetry(symmetry).run(|| {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let first = x.clone();
        thread::spawn(move || first.store(2, Relaxed));
        let (a, b) = (x.clone(), y.clone());
        thread::spawn_symmetric(2, move || {
            if a.load(Relaxed) == 2 {
                b.store(1, Relaxed);
            }
        });
        thread::spawn(move || {
            y.load(Relaxed);
            x.store(1, Relaxed);
        });
    })
}

#[test]
fn cycles_are_inconclusive() {
    for model in [MemoryModel::Rc11, MemoryModel::Ra] {
        let report = run(model, true);
        assert!(!report.holds() && report.is_outside_fragment() && report.violation().is_none(), "{report}");
        assert!(report.to_string().starts_with("INCONCLUSIVE"), "{report}");
        let report = run(model, false);
        assert!(report.holds(), "{report}");
        assert_eq!(report.executions(), 36);
    }
    for model in [MemoryModel::Sc, MemoryModel::Tso] {
        let report = run(model, true);
        assert!(report.holds(), "{report}");
        assert_eq!(report.executions(), 16);
    }
}
