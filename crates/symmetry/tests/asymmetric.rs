//! Models that are symmetric but for one thing: which members are still alike, and what is said about that thing.

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

type Change = (&'static str, &'static str);
type Case = (&'static str, &'static [Change], &'static str, u32, &'static str);

/// The changes, how what is found begins (nothing if nothing may be), the line that is to blame and what is said about it.
const CASES: &[Case] = &[
    (
        "a literal",
        &[(HERE, "if :: id == 0 -> skip :: else fi;")],
        "S_2 on P[2..3]",
        14,
        "`id == 0` does not treat all of `P` alike",
    ),
    ("an order", &[(HERE, "if :: turn < id -> skip :: else fi;")], "", 14, "is compared with `<`"),
    (
        "a literal index",
        &[(HERE, "flag[0] = true;")],
        "S_2 on P[2..3]",
        14,
        "`flag[0] = 1` does not treat all of `P` alike",
    ),
    (
        "a ring with none",
        &[(HERE, "who = (who + 1) % N; flag[who] = false;")],
        "",
        14,
        "`who = (who + 1) % 3` does not treat all of `P` alike",
    ),
    ("a shifted id", &[(HERE, "busy = id + 1;")], "S_2 on P[2..3]", 11, "`busy = 1` does not treat all of `P` alike"),
    ("arithmetic", &[(HERE, "busy = id * 2;")], "", 14, "`id` is computed with"),
    ("a sorted send", &[(HERE, "q[id]!!ask(id);")], "", 14, "is compared by a sorted send"),
    ("an assertion", &[(HERE, "assert(turn != 1);")], "S_2 on P[1, 3]", 14, "does not treat all of `P` alike"),
    (
        "the order of options in a d_step",
        &[(HERE, "d_step { if :: flag[0] -> turn = 0 :: flag[1] -> turn = 1 :: flag[2] -> turn = 2 :: else fi };")],
        "",
        14,
        "does not treat all of `P` alike",
    ),
    (
        "an initial value",
        &[("skip;\nrun", "flag[1] = true;\nrun"), (HERE, "flag[id];")],
        "S_2 on P[1, 3]",
        23,
        "not alike in the beginning: `flag[",
    ),
    (
        "a parameter",
        &[(HEAD, "proctype P(byte id; bool boss)"), (CREATE, "run P(0, 0); run P(1, 1); run P(2, 0)"), (HERE, "boss;")],
        "S_2 on P[1, 3]",
        24,
        "not alike in the beginning: `boss`",
    ),
    ("a priority", &[("run P(1)", "run P(1) priority 2")], "", 24, "`init` waits here"),
    ("a pattern of bits", &[(HERE, "busy = id & 1;")], "S_2 on P[1, 3]", 14, "is used as a pattern of bits"),
    ("a truth value", &[(HERE, "if :: id -> skip :: else fi;")], "S_2 on P[2..3]", 14, "is used as a truth value"),
    (
        "another's label",
        &[(HERE, "if :: P[2]@inside -> skip :: else fi;")],
        "S_2 on P[1, 3]",
        14,
        "does not treat all of `P` alike",
    ),
    (
        "a short array",
        &[(DECLARE, "bool flag[2];")],
        "S_2 on P[1..2]",
        13,
        "`flag[id] = 1` does not treat all of `P` alike",
    ),
    // The bit is 0 with member 2 as with member 0, and is looked at.
    (
        "a narrow variable",
        &[("byte turn = 255;", "byte turn = 255; bit last;"), (HERE, "last = id; last == id;")],
        "",
        14,
        "does not treat all of `P` alike",
    ),
    (
        "a scan in order",
        &[("byte who = 255;", "byte who = 255; byte k;"), (HERE, "for (k : 0 .. 2) { !flag[k] || k == id }; k = 0;")],
        "",
        14,
        "`k` ",
    ),
    ("a new process", &[(HERE, "run P(id);")], "", 14, "creates processes while the system is running"),
    ("a choice in init", &[("run P(2)", "if :: run P(2) :: run P(1) fi")], "", 24, "`init` has a choice here"),
    (
        "a member left out",
        &[(HERE, "if :: turn == 0 -> skip :: turn == 1 -> skip fi;")],
        "S_2 on P[1..2]",
        14,
        "does not treat all of `P` alike",
    ),
    (
        "members treated differently",
        &[(HERE, "if :: turn == 0 -> busy = 1 :: turn == 1 -> busy = 1 :: turn == 2 -> busy = 0 fi;")],
        "S_2 on P[1..2]",
        14,
        "does not treat all of `P` alike",
    ),
    ("another modulus", &[(HERE, "turn = (id + 2) % 4;")], "S_2 on P[1, 3]", 14, "modulo 4"),
    (
        "a process that knows one of them",
        &[("mtype =", "active proctype Q() { do :: flag[1] -> busy = 0 od }\nmtype =")],
        "S_2 on P[2, 4]",
        2,
        "does not treat all of `P` alike",
    ),
    ("the number of a channel", &[(HERE, "busy = q[id];")], "", 14, "`busy = q[id]` does not treat all of `P` alike"),
    (
        "a provided clause",
        &[(HEAD, "proctype P(byte id) provided (turn != 0)")],
        "S_2 on P[2..3]",
        7,
        "does not treat all of `P` alike",
    ),
    (
        "an escape",
        &[(HERE, "{ skip; skip } unless { turn == 2 };")],
        "S_2 on P[1..2]",
        14,
        "does not treat all of `P` alike",
    ),
    (
        "two shifts of one value",
        &[(HERE, "turn = id; busy = turn + 1; turn = busy;")],
        "",
        14,
        "has a constant added to it",
    ),
    (
        "a conjunction that leaves one out",
        &[(HERE, "(turn == 0 || !flag[0]) && (turn == 1 || !flag[1]);")],
        "S_2 on P[1..2]",
        14,
        "does not treat all of `P` alike",
    ),
];

/// Changes after which all members are still alike.
const STILL: &[(&str, &[Change])] = &[
    ("the last mover", &[(HERE, "if :: _last == _pid -> skip :: else fi;")]),
    ("ids with a gap", &[("#define N 3", "#define N 4"), ("run P(2)", "run P(3)")]),
    (
        "a narrow variable that nobody reads",
        &[("byte turn = 255;", "byte turn = 255; bit last;"), (HERE, "last = id;")],
    ),
    ("an initial value that nobody reads", &[("skip;\nrun", "flag[1] = true;\nrun")]),
    ("a ring that nobody reads", &[(HERE, "who = (who + 1) % N;")]),
    ("a constant that stands for none", &[(HERE, "if :: turn == 3 -> skip :: else fi;")]),
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
fn some_changes_leave_all_alike() {
    for (name, changes) in STILL {
        let subject = common::load_text(&model(changes));
        let lines = subject.lines();
        assert!(lines.len() == 1 && lines[0].starts_with("S_3 on P[1..3] "), "{name}: {lines:?}");
        assert!(subject.check(2000).expect("renamings commute with steps") > 30, "{name}");
    }
}

#[test]
fn one_asymmetry_is_enough() {
    let mut problems = Vec::new();
    for (name, changes, found, line, message) in CASES {
        let subject = common::load_text(&model(changes));
        let lines = subject.lines();
        let as_expected = match (&subject.detection.found[..], *found) {
            ([], "") => true,
            ([one], found) => !found.is_empty() && one.text.starts_with(&format!("{found} ")),
            _ => false,
        };
        if !as_expected {
            problems.push(format!("{name}: expected `{found}`, found {lines:?}"));
        }
        if let Err(problem) = subject.check(600) {
            problems.push(format!("{name}: {problem}"));
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
