//! Destructors of programs whose execution ends early, and statics that several checks use at once.

use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::sync::{Arc, LazyLock, Mutex, mpsc};
use quotient::{Builder, ViolationKind, thread};

#[test]
fn a_static_in_two_checks_at_once() {
    static SHARED: AtomicUsize = AtomicUsize::new(0);
    let program = || {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    SHARED.fetch_add(1, Relaxed);
                });
            }
        });
        assert_eq!(SHARED.load(Relaxed), 4);
    };
    let run = move || {
        for _ in 0..20 {
            let report = Builder::new().symmetry(false).run(program);
            assert!(report.holds(), "{report}");
            assert_eq!(report.executions(), 24);
        }
    };
    let checks = [std::thread::spawn(run), std::thread::spawn(run)];
    for check in checks {
        check.join().expect("both hold");
    }
}

#[test]
fn a_static_in_several_workers() {
    static SHARED: AtomicUsize = AtomicUsize::new(0);
    let report = Builder::new().symmetry(false).jobs(3).run(|| {
        let threads: Vec<_> = (0..5).map(|_| thread::spawn(|| SHARED.fetch_add(1, Relaxed))).collect();
        threads.into_iter().for_each(|thread| drop(thread.join()));
        assert_eq!(SHARED.load(Relaxed), 5);
    });
    assert!(report.holds(), "{report}");
    assert_eq!(report.executions(), 120);
}

/// Does a visible operation when it is dropped.
struct Counted(std::sync::Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_thread_that_never_started() {
    let report = Builder::new().run(|| {
        let counted = Counted(std::sync::Arc::new(AtomicUsize::new(0)));
        let thread = thread::spawn(move || drop(counted));
        assert!(std::hint::black_box(false), "stop");
        thread.join().unwrap();
    });
    assert_eq!(report.violation(), Some(ViolationKind::Panic), "{report}");
}

#[test]
fn contents_of_statics() {
    static LAZY: LazyLock<Counted> = LazyLock::new(|| Counted(std::sync::Arc::new(AtomicUsize::new(0))));
    let report = Builder::new().run(|| {
        LAZY.0.load(Relaxed);
    });
    assert!(report.holds(), "{report}");
}

/// What a scoped thread borrows is there until it is gone, however the execution ends.
#[test]
fn borrowed_data() {
    struct Uses<'a>(&'a [String]);
    impl Drop for Uses<'_> {
        fn drop(&mut self) {
            assert_eq!(self.0[0], "alive");
        }
    }
    for main_panics in [false, true] {
        let report = Builder::new().run(move || {
            let data = vec![String::from("alive")];
            let lock = Mutex::new(());
            thread::scope(|scope| {
                let _guard = lock.lock();
                scope.spawn(|| {
                    let _uses = Uses(&data);
                    let _guard = lock.lock();
                });
                scope.spawn(|| assert!(main_panics, "the other thread"));
                assert!(!main_panics, "the main thread");
            });
        });
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "{report}");
    }
}

/// Joins its thread when it is dropped.
struct Pool {
    worker: Option<thread::JoinHandle<()>>,
    queue: Option<mpsc::Sender<u32>>,
}

impl Pool {
    fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        let worker = thread::spawn(move || while receiver.recv().is_ok() {});
        Pool { worker: Some(worker), queue: Some(sender) }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.queue.take());
        let _ = self.worker.take().expect("joined once").join();
    }
}

#[test]
fn a_pool_that_joins() {
    let report = Builder::new().run(|| {
        let pool = Pool::new();
        pool.queue.as_ref().expect("open").send(1).unwrap();
    });
    assert!(report.holds(), "{report}");
    let report = Builder::new().run(|| {
        let _pool = Pool::new();
        assert!(std::hint::black_box(false), "now");
    });
    assert_eq!(report.violation(), Some(ViolationKind::Panic), "{report}");
}

#[test]
fn the_last_reference() {
    struct Stack(AtomicUsize);
    impl Drop for Stack {
        fn drop(&mut self) {
            assert!(*self.0.get_mut() <= 2);
        }
    }
    for symmetry in [false, true] {
        let report = Builder::new().symmetry(symmetry).run(|| {
            let stack = Arc::new(Stack(AtomicUsize::new(0)));
            for _ in 0..2 {
                let stack = stack.clone();
                thread::spawn(move || {
                    stack.0.fetch_add(1, Relaxed);
                });
            }
        });
        assert!(report.holds(), "{report}");
    }
}

/// Whenever an execution is left, this destructor panics and the language aborts. What was to be found out by running the
/// execution again is found out all the same.
#[test]
fn a_destructor_that_always_panics() {
    struct Stack(AtomicUsize);
    impl Drop for Stack {
        fn drop(&mut self) {
            assert!(*self.0.get_mut() <= 2, "too large");
        }
    }
    for symmetry in [false, true] {
        let report = Builder::new().symmetry(symmetry).max_executions(100).run(|| {
            let stack = Arc::new(Stack(AtomicUsize::new(17)));
            for _ in 0..2 {
                let stack = stack.clone();
                thread::spawn(move || {
                    stack.0.fetch_add(1, Relaxed);
                });
            }
        });
        assert_eq!(report.violation(), Some(ViolationKind::Panic), "{report}");
        assert!(report.to_string().contains("too large"), "{report}");
    }
}

/// What a thread would have used is gone before what it borrows, even if it never started and somebody has its handle still,
/// and whoever makes the check begin again: the thread itself, one like it, or the one that has spawned them.
#[test]
fn threads_go_before_what_they_borrow() {
    static ALIVE: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);
    static LATE: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);
    static USED: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(0);
    struct Data;
    impl Drop for Data {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Relaxed);
        }
    }
    struct Uses<'a>(#[expect(dead_code)] &'a Data);
    impl Drop for Uses<'_> {
        fn drop(&mut self) {
            USED.fetch_add(1, Relaxed);
            LATE.fetch_add(i32::from(ALIVE.load(Relaxed) == 0), Relaxed);
        }
    }
    for parent_asks in [false, true] {
        let report = Builder::new().run(move || {
            let mut handles = Vec::new();
            ALIVE.fetch_add(1, Relaxed);
            let data = Data;
            for _ in 0..2 {
                let uses = Uses(&data);
                let body = move || {
                    if !parent_asks {
                        // Whoever asks first makes the check begin again, because the program can tell the threads apart.
                        thread::current();
                    }
                    drop(uses);
                };
                // SAFETY: the threads are joined, or the execution is given up.
                handles.push(unsafe { thread::Builder::new().spawn_unchecked(body) }.unwrap());
            }
            if parent_asks {
                let _ = handles[1].thread();
            }
            while !handles.is_empty() {
                handles.remove(0).join().unwrap();
            }
        });
        assert!(report.holds(), "{report}");
        assert!(USED.swap(0, Relaxed) > 2);
        assert_eq!((ALIVE.load(Relaxed), LATE.load(Relaxed)), (0, 0), "{parent_asks}");
    }
}
