mod common;
use quotient::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use quotient::sync::{Mutex, Arc, LazyLock};
use quotient::{thread, Builder};

static SHARED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn static_in_two_checks_at_once() {
    let run = || std::thread::spawn(|| {
        for _ in 0..50 {
            let report = Builder::new().symmetry(false).run(|| {
                thread::scope(|s| for _ in 0..4 { s.spawn(|| { SHARED.fetch_add(1, Relaxed); }); });
                assert_eq!(SHARED.load(Relaxed), 4);
            });
            assert!(report.holds(), "{report}");
            assert_eq!(report.executions(), 24);
        }
    });
    let (a, b) = (run(), run());
    a.join().unwrap(); b.join().unwrap();
}

struct Op(std::sync::Arc<AtomicUsize>);
impl Drop for Op { fn drop(&mut self) { self.0.fetch_add(1, Relaxed); } }

#[test]
fn unstarted_closure_with_destructor() {
    let report = Builder::new().run(|| {
        let a = std::sync::Arc::new(AtomicUsize::new(0));
        let op = Op(a.clone());
        let t = thread::spawn(move || drop(op));
        if true { panic!("stop"); }
        t.join().unwrap();
    });
    println!("{report}");
}

#[test]
fn static_contents_with_destructor() {
    static LAZY: LazyLock<Op> = LazyLock::new(|| Op(std::sync::Arc::new(AtomicUsize::new(0))));
    let report = Builder::new().run(|| { let _ = LAZY.0.load(Relaxed); });
    println!("{report}");
}

struct Uses<'a>(&'a Vec<String>, &'a str);
impl Drop for Uses<'_> { fn drop(&mut self) { assert_eq!(self.0[0], "alive", "{}", self.1); } }

#[test]
fn scoped_children_unwind_before_parents() {
    for main_panics in [false, true] {
        let report = Builder::new().run(move || {
            let data = vec![String::from("alive")];
            let lock = Mutex::new(());
            thread::scope(|s| {
                let _g = lock.lock();
                s.spawn(|| { let _u = Uses(&data, "child"); let _g = lock.lock(); });
                thread::yield_now();
                s.spawn(|| { if !main_panics { panic!("other") } });
                thread::yield_now();
                if main_panics { panic!("main") }
            });
        });
        println!("{report}");
    }
}

#[test]
fn join_in_destructor() {
    struct Pool(Option<thread::JoinHandle<()>>, Option<quotient::sync::mpsc::Sender<u32>>);
    impl Drop for Pool { fn drop(&mut self) { drop(self.1.take()); self.0.take().unwrap().join().unwrap(); } }
    let report = Builder::new().run(|| {
        let (tx, rx) = quotient::sync::mpsc::channel();
        let pool = Pool(Some(thread::spawn(move || while rx.recv().is_ok() {})), Some(tx));
        pool.1.as_ref().unwrap().send(1).unwrap();
        panic!("now");
    });
    println!("{report}");
    let report = Builder::new().run(|| {
        let (tx, rx) = quotient::sync::mpsc::channel();
        let pool = Pool(Some(thread::spawn(move || while rx.recv().is_ok() {})), Some(tx));
        pool.1.as_ref().unwrap().send(1).unwrap();
    });
    println!("{report}");
}

#[test]
fn arc_destructor_lockfree() {
    struct Stack(AtomicUsize);
    impl Drop for Stack { fn drop(&mut self) { assert!(*self.0.get_mut() <= 2); } }
    for symmetry in [false, true] {
    let report = Builder::new().symmetry(symmetry).run(|| {
        let s = Arc::new(Stack(AtomicUsize::new(0)));
        let ts: Vec<_> = (0..2).map(|_| { let s = s.clone(); thread::spawn(move || { s.0.fetch_add(1, Relaxed); }) }).collect();
        for t in ts { t.join().unwrap(); }
    });
    println!("joined {report}");
    let report = Builder::new().symmetry(symmetry).run(|| {
        let s = Arc::new(Stack(AtomicUsize::new(0)));
        let ts: Vec<_> = (0..2).map(|_| { let s = s.clone(); thread::spawn(move || { s.0.fetch_add(1, Relaxed); }) }).collect();
        drop(s);
        for t in ts { t.join().unwrap(); }
    });
    println!("dropped first {report}");
    }
}
