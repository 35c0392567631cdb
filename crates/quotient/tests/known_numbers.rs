//! The numbers of executions that are known for well-known programs: from the SPORE paper (PLDI 2024), from
//! measurements of GenMC 0.11, or by counting. Each program of `programs/` states its own numbers in its header; they
//! are checked here.
//!
//! A line `// expect n=4 off=38 on=10` says: with parameter 4 there are 38 complete executions without symmetry
//! reduction, and 10 with it. `model=sc` asks for another model than RC11, `blocked=0` says how many executions are
//! blocked, and a word right after `expect` names another function than `program`.

use quotient::{Builder, MemoryModel};

/// One line of expectations.
#[derive(Debug)]
struct Expectation {
    function: String,
    n: usize,
    model: MemoryModel,
    off: Option<u64>,
    on: Option<u64>,
    blocked: Option<u64>,
}

impl Expectation {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("// expect ")?.split_whitespace().peekable();
        let function = words.next_if(|word| !word.contains('=')).unwrap_or("program").to_owned();
        let mut expectation =
            Expectation { function, n: 0, model: MemoryModel::Rc11, off: None, on: None, blocked: None };
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or_else(|| panic!("{line}: {word} has no value"));
            let number = || value.parse().unwrap_or_else(|error| panic!("{line}: {word}: {error}"));
            match key {
                "n" => expectation.n = number() as usize,
                "model" => expectation.model = model(value),
                "off" => expectation.off = Some(number()),
                "on" => expectation.on = Some(number()),
                "blocked" => expectation.blocked = Some(number()),
                _ => panic!("{line}: {key} is not known"),
            }
        }
        assert!(expectation.off.is_some() || expectation.on.is_some(), "{line}: nothing is expected");
        Some(expectation)
    }

    /// Explores `program` with and without symmetry reduction, as far as something is expected.
    fn check(&self, program: fn(usize)) {
        for (symmetry, executions) in [(false, self.off), (true, self.on)] {
            let Some(executions) = executions else { continue };
            let n = self.n;
            let report = Builder::new().model(self.model).symmetry(symmetry).run(move || program(n));
            assert!(report.holds(), "{self:?}, symmetry {symmetry}: {report}");
            assert_eq!(report.executions(), executions, "{self:?}, symmetry {symmetry}");
            if let Some(blocked) = self.blocked {
                assert_eq!(report.blocked(), blocked, "blocked executions of {self:?}, symmetry {symmetry}");
            }
        }
    }
}

fn model(name: &str) -> MemoryModel {
    match name {
        "sc" => MemoryModel::Sc,
        "tso" => MemoryModel::Tso,
        "ra" => MemoryModel::Ra,
        "rc11" => MemoryModel::Rc11,
        _ => panic!("{name} is not a memory model"),
    }
}

/// A function of a program, by its name; it takes the number of threads.
type Function = (&'static str, fn(usize));

/// Checks what the header of a program says of its functions.
fn check(source: &str, functions: &[Function]) {
    let expectations: Vec<_> = source.lines().filter_map(Expectation::parse).collect();
    for (name, _) in functions {
        assert!(expectations.iter().any(|expectation| expectation.function == *name), "nothing is expected of {name}");
    }
    for expectation in &expectations {
        let function = functions.iter().find(|(name, _)| *name == expectation.function);
        let (_, program) = function.unwrap_or_else(|| panic!("{} is not checked", expectation.function));
        expectation.check(*program);
    }
}

/// A module and a test for each program, by the name of its file.
macro_rules! programs {
    ($($(#[$attribute:meta])* $name:ident: $path:literal, $($function:ident),+;)+) => {
        $(
            #[path = $path]
            mod $name;

            #[test]
            $(#[$attribute])*
            fn $name() {
                check(include_str!($path), &[$((stringify!($function), $name::$function)),+]);
            }
        )+
    };
}

programs! {
    cas_mutex: "../../../programs/cas_mutex.rs", program;
    dglm_queue: "../../../programs/dglm_queue.rs", program, annotated;
    fetch_add: "../../../programs/fetch_add.rs", program;
    fetch_add_array: "../../../programs/fetch_add_array.rs", program;
    ms_queue: "../../../programs/ms_queue.rs", program, annotated, annotated_inserts;
    mutex: "../../../programs/mutex.rs", program;
    r_rww_rww: "../../../programs/r_rww_rww.rs", program;
    rdcss: "../../../programs/rdcss.rs", program;
    readers: "../../../programs/readers.rs", program;
    rev_ex: "../../../programs/rev_ex.rs", program;
    sp_cyc: "../../../programs/sp_cyc.rs", program;
    ticket: "../../../programs/ticket.rs", program;
    treiber: "../../../programs/treiber.rs", program, pushes;
    ttas: "../../../programs/ttas.rs", program;
    ttas_swap: "../../../programs/ttas_swap.rs", program, cut;
    twa_lock: "../../../programs/twa_lock.rs", program;
    w_r_r_rev: "../../../programs/w_r_r_rev.rs", program;
}

/// Two workers count what one does.
#[test]
fn two_jobs() {
    let count = |jobs, symmetry, program: fn(usize), n| {
        let report = Builder::new().jobs(jobs).symmetry(symmetry).run(move || program(n));
        assert!(report.holds(), "{report}");
        (report.executions(), report.blocked())
    };
    let programs: [(fn(usize), usize); 6] = [
        (fetch_add::program, 5),
        (cas_mutex::program, 4),
        (ticket::program, 4),
        (treiber::program, 4),
        (ms_queue::program, 4),
        (ttas::program, 3),
    ];
    for (number, (program, n)) in programs.into_iter().enumerate() {
        for symmetry in [false, true] {
            let (one, two) = (count(1, symmetry, program, n), count(2, symmetry, program, n));
            assert_eq!(one, two, "program {number}, symmetry {symmetry}");
        }
    }
}
