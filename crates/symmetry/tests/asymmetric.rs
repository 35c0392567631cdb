//! Models that are symmetric but for one thing, and what is said about that thing. None of them may be reduced.

mod common;

const DECLARE: &str = "bool flag[N];";
const HEAD: &str = "proctype P(byte id)";
const CREATE: &str = "run P(0); run P(1); run P(2)";

/// A symmetric model with some lines replaced.
fn model(changes: &[(&str, &str)]) -> String {
    let mut text = format!(
        "#define N 3\n\
         mtype = {{ ask, tell }};\n\
         chan q[N] = [2] of {{ mtype, byte }};\n\
         {DECLARE}\n\
         byte turn = 255;\n\
         byte busy;\n\
         {HEAD}\n\
         {{\n\
            byte who = 255;\n\
            do\n\
            :: atomic {{ !busy && turn == 255 -> busy = 1; turn = id }};\n\
         inside:\n\
               flag[id] = true;\n\
               skip; /* here */\n\
               flag[id] = false;\n\
               atomic {{ turn = 255; busy = 0 }}\n\
            :: q[id]?ask(who) -> who = 255\n\
            :: turn != id && turn != 255 -> q[id]!ask(turn)\n\
            od\n\
         }}\n\
         init {{\n\
            atomic {{\n\
               skip;\n\
               {CREATE}\n\
            }}\n\
         }}\n"
    );
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

const HERE: &str = "skip; /* here */";

type Case = (&'static str, &'static [(&'static str, &'static str)], u32, &'static str);

/// The changes, the line that is to blame and what is said about it.
const CASES: &[Case] = &[
    ("a literal", &[(HERE, "if :: id == 0 -> skip :: else fi;")], 14, "`id == 0` does not treat all of `P` alike"),
    ("an order", &[(HERE, "if :: turn < id -> skip :: else fi;")], 14, "is compared with `<`"),
    ("a literal index", &[(HERE, "flag[0] = true;")], 14, "`flag[0] = 1` does not treat all of `P` alike"),
    ("a ring with none", &[(HERE, "who = (who + 1) % N;")], 14, "from values that may stand for no member"),
    ("a shifted id", &[(HERE, "busy = id + 1;")], 7, "`busy` cannot hold all values from 1 to 256"),
    ("arithmetic", &[(HERE, "busy = id * 2;")], 14, "`id` is computed with"),
    ("a sorted send", &[(HERE, "q[id]!!ask(id);")], 14, "is compared by a sorted send"),
    ("an assertion", &[(HERE, "assert(turn != 1);")], 14, "does not treat all of `P` alike"),
    (
        "the order of options in a d_step",
        &[(HERE, "d_step { if :: flag[0] -> turn = 0 :: flag[1] -> turn = 1 :: flag[2] -> turn = 2 :: else fi };")],
        14,
        "does not treat all of `P` alike",
    ),
    ("an initial value", &[("skip;\nrun", "flag[1] = true;\nrun")], 23, "not alike in the beginning: `flag["),
    (
        "a parameter",
        &[(HEAD, "proctype P(byte id; bool boss)"), (CREATE, "run P(0, 0); run P(1, 1); run P(2, 0)"), (HERE, "boss;")],
        24,
        "not alike in the beginning: `boss`",
    ),
    ("a priority", &[("run P(1)", "run P(1) priority 2")], 24, "`init` waits here"),
    ("a pattern of bits", &[(HERE, "busy = id & 1;")], 14, "is used as a pattern of bits"),
    ("a truth value", &[(HERE, "if :: id -> skip :: else fi;")], 14, "is used as a truth value"),
    ("the last mover", &[(HERE, "if :: _last == _pid -> skip :: else fi;")], 14, "`_last` tells which process"),
    ("another's label", &[(HERE, "if :: P[2]@inside -> skip :: else fi;")], 14, "does not treat all of `P` alike"),
    ("a short array", &[(DECLARE, "bool flag[2];")], 7, "`flag[]` has 2 elements, but its indices are 0 to 2"),
    (
        "a narrow variable",
        &[("byte turn = 255;", "byte turn = 255; bit last;"), (HERE, "last = id;")],
        7,
        "`last` cannot hold",
    ),
    (
        "a scan in order",
        &[("byte who = 255;", "byte who = 255; byte k;"), (HERE, "for (k : 0 .. 2) { !flag[k] || k == id }; k = 0;")],
        14,
        "`k` ",
    ),
    ("a new process", &[(HERE, "run P(id);")], 14, "creates processes while the system is running"),
    ("a choice in init", &[("run P(2)", "if :: run P(2) :: run P(1) fi")], 24, "`init` has a choice here"),
    (
        "a member left out",
        &[(HERE, "if :: turn == 0 -> skip :: turn == 1 -> skip fi;")],
        14,
        "does not treat all of `P` alike",
    ),
    (
        "members treated differently",
        &[(HERE, "if :: turn == 0 -> busy = 1 :: turn == 1 -> busy = 1 :: turn == 2 -> busy = 0 fi;")],
        14,
        "does not treat all of `P` alike",
    ),
    ("another modulus", &[(HERE, "turn = (id + 2) % 4;")], 14, "modulo 4"),
    (
        "a process that knows one of them",
        &[("mtype =", "active proctype Q() { do :: flag[1] -> busy = 0 od }\nmtype =")],
        2,
        "does not treat all of `P` alike",
    ),
    ("the number of a channel", &[(HERE, "busy = q[id];")], 11, "the channel in `busy` is used as a number"),
    (
        "ids with a gap",
        &[("#define N 3", "#define N 4"), ("run P(2)", "run P(3)")],
        24,
        "not alike in the beginning: `id`",
    ),
    ("a provided clause", &[(HEAD, "proctype P(byte id) provided (turn != 0)")], 7, "does not treat all of `P` alike"),
    ("an escape", &[(HERE, "{ skip; skip } unless { turn == 2 };")], 14, "does not treat all of `P` alike"),
    (
        "two shifts of one value",
        &[(HERE, "turn = id; busy = turn + 1; turn = busy;")],
        14,
        "has a constant added to it",
    ),
    (
        "a conjunction that leaves one out",
        &[(HERE, "(turn == 0 || !flag[0]) && (turn == 1 || !flag[1]);")],
        14,
        "does not treat all of `P` alike",
    ),
];

#[test]
fn the_model_without_the_one_thing_is_symmetric() {
    let subject = common::load_text(&model(&[]));
    assert_eq!(
        subject.lines(),
        ["S_3 on P[1..3] via q[], flag[], values of turn, values of P:id, values of P:who, field 2 of q"]
    );
    assert!(subject.check(2000).expect("renamings commute with steps") > 30);
}

#[test]
fn one_asymmetry_is_enough() {
    let mut problems = Vec::new();
    for (name, changes, line, message) in CASES {
        let subject = common::load_text(&model(changes));
        let lines = subject.lines();
        if !subject.detection.found.is_empty() {
            problems.push(format!("{name}: found {lines:?}"));
            continue;
        }
        let wanted = |r: &quotient_report::diagnostic::Diagnostic| {
            r.message.contains(message)
                && (*line == 1 || r.span.is_some_and(|span| subject.sources.line(span) == *line))
        };
        if !subject.detection.reasons.first().is_some_and(wanted) {
            problems.push(format!("{name}: expected line {line}: {message}\n   found {lines:?}"));
        }
    }
    assert!(CASES.len() >= 20);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
