//! The parser gives programs back as they were printed, and says where a text is wrong.

use quotient_oracle::random::{Shape, program};
use quotient_oracle::{Expr, Instr, MemoryModel, Term, Verdict, parse};

#[test]
fn printed_programs_are_read_back() {
    let shape = Shape { total: 14, weak: true, locks: 30, branches: 40, assumes: 20, ..Shape::default() };
    for seed in 0..2_000 {
        let program = program(seed, shape.clone());
        let text = program.to_string();
        let read = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.program, program, "{text}");
    }
}

#[test]
fn operators_bind_as_usual() {
    let text = "init x=0\nthread { assume r0 + 1 == 2 && !r1 || r2 < 3 }";
    let [Instr::Assume { cond }] = &parse(text).expect("a program").program.threads[0].code[..] else {
        panic!("one assumption")
    };
    assert_eq!(cond.to_string(), "((((r0 + 1) == 2) && !r1) || (r2 < 3))");
    assert_eq!(cond.eval(&[1, 0, 7]), 1);
    assert_eq!(Expr::Reg(9).eval(&[]), 0);
}

#[test]
fn claims_are_read() {
    let text = "init x=0\nthread { store rlx x 1 }\noutcome 0:r0=0 & x=1 all: always\nexecutions sc, ra: 1\norbits tso: 1\nraces rc11: no\ndeadlock no";
    let litmus = parse(text).expect("a litmus test");
    assert_eq!(litmus.outcomes[0].condition, [Term::Register(0, 0, 0), Term::Memory(0, 1)]);
    assert_eq!(litmus.outcomes[0].verdicts, MemoryModel::ALL.map(|model| (model, Verdict::Always)));
    assert_eq!(litmus.outcomes[0].line, 3);
    assert_eq!(litmus.executions, [(MemoryModel::Sc, 1), (MemoryModel::Ra, 1)]);
    assert_eq!(
        (litmus.orbits, litmus.races, litmus.deadlock),
        (vec![(MemoryModel::Tso, 1)], vec![(MemoryModel::Rc11, false)], Some(false))
    );
}

/// Texts, the line of the error, and a part of the message.
const WRONG: &[(&str, usize, &str)] = &[
    ("", 1, "no threads"),
    ("name only", 1, "no threads"),
    ("init x=0 x=1", 1, "already"),
    ("init x", 1, "expected `=`"),
    ("init x=99999999999999999999", 1, "64 bits"),
    ("init x=0\nthread { store rlx y 1 }", 2, "no location `y`"),
    ("init x=0\nthread {\n  store rlx x 1\n  r0 = lod rlx x\n}", 4, "`lod`"),
    ("init x=0\nthread { store acq x 1 }", 2, "`acq` is not a mode"),
    ("init x=0\nthread { r0 = load rel x }", 2, "`rel` is not a mode"),
    ("init x=0\nthread { r0 = add na x 1 }", 2, "`na` is not a mode"),
    ("init x=0\nthread { r0 = cas sc rel x 0 1 }", 2, "`rel` is not a mode"),
    ("init x=0\nthread { fence rlx }", 2, "`rlx` is not a mode"),
    ("init x=0\nthread { r0, r1 = load rlx x }", 2, "two registers"),
    ("init x=0\nthread { r999 = load rlx x }", 2, "not a register"),
    ("init x=0\nthread { q = load rlx x }", 2, "not a register"),
    ("init x=0\nthread { r0 = load rlx x", 2, "expected"),
    ("init x=0\nthread { r0 = load rlx x r1 = load rlx x }", 2, "expected `;`"),
    ("init x=0\nthread { store rlx x }", 2, "an expression"),
    ("init x=0\nthread { store rlx x (1 }", 2, "expected `)`"),
    ("init x=0\nthread { if r0 store rlx x 1 }", 2, "expected `{`"),
    ("init x=0\nthread { store rlx x 1 } }", 2, "the end of the line"),
    ("init x=0\nthread { store rlx x 1 % 2 }", 2, "`%`"),
    ("threads 65 { }", 1, "more than 64"),
    ("threads 99999999999999999 { }", 1, "more than 64"),
    ("thread { }\noutcome 1:r0=0 sc: never", 2, "no thread 1"),
    ("thread { }\noutcome x=0 sc: never", 2, "no location `x`"),
    ("thread { }\noutcome 0:r0=0", 2, "nothing is claimed"),
    ("thread { }\noutcome 0:r0=0 arm: never", 2, "not a model"),
    ("thread { }\noutcome 0:r0=0 sc: perhaps", 2, "not a verdict"),
    ("thread { }\n\n\nraces sc: maybe", 4, "`yes` or `no`"),
    ("thread { }\nexecutions sc: many", 2, "a number"),
    ("thread { }\nforbidden x=1", 2, "cannot begin with"),
    ("thread { }\n§", 2, "`§`"),
];

#[test]
fn wrong_texts_are_refused_with_their_line() {
    for (text, line, part) in WRONG {
        let error = parse(text).expect_err(text);
        assert_eq!(error.line, *line, "{text}\n{error}");
        assert!(error.message.contains(part), "{text}\n{error}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = [("(", "1", ")"), ("!", "1", "")].map(|(open, middle, close)| {
        format!("init x=0\nthread {{ store rlx x {}{middle}{} }}", open.repeat(100_000), close.repeat(100_000))
    });
    let blocks = format!("thread {{ {} {} }}", "if 1 { ".repeat(50_000), "} ".repeat(50_000));
    let chain = format!("thread {{ assume 1{} }}", " + 1".repeat(50_000));
    for text in deep.iter().chain([&blocks, &chain]) {
        assert!(parse(text).is_err());
    }
}

#[test]
fn no_cut_of_a_text_makes_the_parser_panic() {
    let program = program(7, Shape { total: 14, weak: true, branches: 60, ..Shape::default() });
    let text = format!("{program}outcome 0:r0=1 & x=1 sc, tso: never all: sometimes\nexecutions all: 3\n");
    for at in 0..text.len() {
        let _ = parse(&text[..at]);
        let _ = parse(&text[at..]);
    }
}
