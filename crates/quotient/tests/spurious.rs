//! Wake-ups without a reason, with the numbers of executions.

use quotient::sync::{Condvar, Mutex};
use quotient::{Builder, Report, thread};

fn run(most: u32, program: fn()) -> Report {
    Builder::new().spurious_wakeups(most).run(program)
}

fn executions(most: u32, program: fn()) -> u64 {
    let report = run(most, program);
    assert!(report.holds(), "{report}");
    report.executions()
}

/// A thread that waits for a flag; `again` says whether it looks at the flag again.
fn flag(again: bool) {
    let (flag, condvar) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut set = flag.lock().unwrap();
            while !*set {
                set = condvar.wait(set).unwrap();
                if !again {
                    break;
                }
            }
            assert!(*set, "the flag is not set");
        });
        scope.spawn(|| {
            *flag.lock().unwrap() = true;
            condvar.notify_one();
        });
    });
}

/// The flag is set before the thread looks, or it waits. With wake-ups: it wakes and finds the flag unset, and waits for
/// good; or it wakes after the flag is set, before it is notified.
#[test]
fn condvar() {
    assert_eq!(executions(0, || flag(true)), 2);
    assert_eq!(executions(1, || flag(true)), 4);
    assert_eq!(executions(0, || flag(false)), 2);
    let report = run(1, || flag(false));
    assert!(report.to_string().contains("the flag is not set"), "{report}");
}

fn parked(again: bool) {
    use quotient::sync::Arc;
    use quotient::sync::atomic::AtomicBool;
    use quotient::sync::atomic::Ordering::{Acquire, Release};
    let flag = Arc::new(AtomicBool::new(false));
    let sleeper = thread::spawn({
        let flag = flag.clone();
        move || {
            thread::park();
            while again && !flag.load(Acquire) {
                thread::park();
            }
            assert!(flag.load(Acquire), "the flag is not set");
        }
    });
    flag.store(true, Release);
    sleeper.thread().unpark();
    sleeper.join().unwrap();
}

/// It parks and is unparked; or it wakes and finds the flag set; or it wakes, finds it unset, and parks again.
#[test]
fn park() {
    assert_eq!(executions(0, || parked(true)), 1);
    assert_eq!(executions(1, || parked(true)), 3);
    assert_eq!(executions(0, || parked(false)), 1);
    let report = run(1, || parked(false));
    assert!(report.to_string().contains("the flag is not set"), "{report}");
}
