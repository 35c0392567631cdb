//! dSPIN's Promela: every form of statement with operands of every sort. Whatever is wrong with such a model is told with its
//! place, and no model gets past the front end that the intermediate form does not allow.

use std::path::Path;

use quotient_promela::{Dynamic, Loaded, Options, load_with};
use quotient_report::diagnostic::Severity;

const DECLARATIONS: &str = "typedef one { byte k };
typedef pair { byte k; pair &next; one in };
typedef holder { one in; pair &to; ftype act; byte all[3] };
byte n;
byte many[3];
one s;
holder h;
one &p;
pair &q;
holder &r;
byte &a;
pair & &place;
ftype f;
chan c = [1] of { byte };
chan d = [1] of { one & };
chan e = [1] of { pair &, byte };
chan g = [1] of { ftype };
chan u;
mtype = { red };
function takes_number(byte x) : byte { return x }
function takes_one(one &x) : one & { return x }
function takes_pair(pair &x; byte y) : pair & { return x }
function takes_function(ftype x) : ftype { return x }
function takes_structure(one x) : byte { return x.k }
function takes_nothing() { skip }
proctype Number(byte x) { skip }
proctype Reference(one &x) { skip }
proctype Structure(one x) { skip }
proctype Other(pair &z) { one &mine; byte number; one whole; pair both; ftype act; skip }
";

/// Values of every sort.
const VALUES: [&str; 39] = [
    "1",
    "n",
    "many[1]",
    "many",
    "red",
    "null",
    "s",
    "s.k",
    "h",
    "h.in",
    "h.in.k",
    "h.to",
    "h.act",
    "h.all[n]",
    "p",
    "p.k",
    "q",
    "q.in",
    "q.in.k",
    "q.next",
    "q.next.in",
    "r.act",
    "r.all[n]",
    "a",
    "a[0]",
    "*a",
    "place",
    "*place",
    "f",
    "takes_one",
    "c",
    "d",
    "_pid",
    "_",
    "&n",
    "&s",
    "&q.next",
    "nobody",
    "h.all",
];

/// Values that are no variables.
const EXPRESSIONS: [&str; 16] = [
    "Other:z",
    "Other:mine",
    "Other:number",
    "Other:whole",
    "Other:both",
    "Other:act",
    "Other[1]:z",
    "Other:many",
    "Other:nobody",
    "(n -> p : q)",
    "(n -> p : null)",
    "(n -> 1 : p)",
    "(n -> f : null)",
    "(n -> null : null)",
    "(n -> s : p)",
    "(p == null)",
];

/// Statements about one value.
const ABOUT_ONE: [&str; 70] = [
    "delete V",
    "V = new one",
    "V = new pair",
    "V = new byte",
    "V = new byte[2]",
    "V++",
    "V--",
    "V",
    "!V",
    "-V == 1",
    "assert(V)",
    "printf(\"%d\", V)",
    "printm(V)",
    "n = V + 1",
    "n = many[V]",
    "many[V] = 1",
    "a = new byte[V]",
    "a[V] = 1",
    "h.all[V] = 1",
    "select (V : 0 .. 3)",
    "select (n : V .. 3)",
    "select (n : 0 .. V)",
    "for (V : 0 .. 2) { skip }",
    "for (n : V .. 2) { skip }",
    "for (n : 0 .. V) { skip }",
    "for (V in many) { skip }",
    "for (V in c) { skip }",
    "for (V in d) { skip }",
    "for (n in V) { skip }",
    "c!V",
    "d!V",
    "e!V,1",
    "e!q,V",
    "g!V",
    "u!V",
    "c!!V",
    "c?V",
    "d?V",
    "e?V,n",
    "g?V",
    "u?V",
    "c?<V>",
    "d?<V>",
    "c?eval(V)",
    "d?eval(V)",
    "c?[eval(V)]",
    "d?[V]",
    "V!1",
    "V?n",
    "len(V) == 1",
    "full(V)",
    "run Number(V)",
    "run Reference(V)",
    "run Structure(V)",
    "run Other(V)",
    "takes_number(V)",
    "takes_one(V)",
    "takes_pair(V, 1)",
    "takes_pair(q, V)",
    "takes_function(V)",
    "takes_structure(V)",
    "V(1)",
    "V()",
    "enabled(V)",
    "pc_value(V) == 1",
    "get_priority(V) == 1",
    "set_priority(V, 1)",
    "set_priority(1, V)",
    "Other[V]:number == 1",
    "Other[V]@here",
];

/// Statements about two.
const ABOUT_TWO: [&str; 14] = [
    "V = W",
    "V == W",
    "V != W",
    "V < W",
    "V + W == 1",
    "V && W",
    "(n -> V : W) == 1",
    "V = (n -> W : null)",
    "V = takes_one(W)",
    "V = takes_number(W)",
    "V = takes_function(W)",
    "V = takes_structure(W)",
    "_priority = V",
    "d_step { V = W }",
];

/// What a function can return.
const RETURNED: [&str; 6] = ["byte", "one &", "pair &", "ftype", "byte &", "mtype"];

fn load(text: &str) -> Loaded {
    let options = Options { dynamic: Some(Dynamic::default()), ..Options::default() };
    load_with(Path::new("m.dprom"), &options, &|_| Ok(text.as_bytes().to_vec()))
}

/// Loads a model; whether it is accepted, and what is wrong with what is said about it.
fn judge(text: &str, problems: &mut Vec<String>, what: &str) -> bool {
    let loaded = load(text);
    for problem in loaded.diagnostics.iter().filter(|one| one.severity == Severity::Error) {
        let is_placed = problem.span.is_some_and(|span| span.end > span.start);
        let is_ours = problem.message.contains("cannot be checked") || problem.message.contains("Malformed");
        if !is_placed || is_ours {
            problems.push(format!("{what}: {}", problem.message));
        }
    }
    let failed = loaded.diagnostics.iter().any(|one| one.severity == Severity::Error);
    match &loaded.model {
        Some(model) => match model.validate() {
            Ok(()) if !failed => {}
            found => problems.push(format!("{what}: {found:?}")),
        },
        None if !failed => problems.push(format!("{what}: refused without a word")),
        None => {}
    }
    loaded.model.is_some()
}

fn none(problems: &[String]) {
    assert!(
        problems.is_empty(),
        "{} problems, among them\n{}",
        problems.len(),
        problems[..problems.len().min(40)].join("\n")
    );
}

#[test]
fn every_statement_with_every_sort_of_value_is_taken_or_refused_with_its_place() {
    let values: Vec<&str> = VALUES.into_iter().chain(EXPRESSIONS).collect();
    let one = ABOUT_ONE.iter().flat_map(|form| values.iter().map(move |value| form.replace('V', value)));
    let two = ABOUT_TWO.iter().flat_map(|form| {
        let with = |first: &str| form.replace('V', first);
        values.iter().flat_map(move |first| VALUES.map(|second| with(first).replace('W', second)))
    });
    assert!(
        load(&format!("{DECLARATIONS}active proctype T() {{ skip }}\n")).model.is_some(),
        "the declarations are sound"
    );
    let (mut problems, mut taken, mut all) = (Vec::new(), 0, 0);
    for statement in one.chain(two) {
        let text = format!("{DECLARATIONS}active proctype T() {{ u = c; f = takes_number; {statement} }}\n");
        taken += usize::from(judge(&text, &mut problems, &statement));
        all += 1;
    }
    none(&problems);
    assert!(taken > 500 && all - taken > 5_000, "{taken} of {all} are taken");
}

#[test]
fn what_functions_return_and_variables_begin_with_is_taken_or_refused_with_its_place() {
    let (mut problems, mut taken, mut all) = (Vec::new(), 0, 0);
    let mut judged = |text: String, what: String| {
        taken += usize::from(judge(&format!("{DECLARATIONS}{text}"), &mut problems, &what));
        all += 1;
    };
    let calls =
        ["takes_number(1)", "takes_one(p)", "takes_pair(q, 1)", "takes_function(f)", "takes_nothing()", "new one"];
    for ty in RETURNED {
        for value in VALUES.into_iter().chain(EXPRESSIONS).chain(calls) {
            let what = format!("return {value} for {ty}");
            judged(format!("function made() : {ty} {{ return {value} }} active proctype T() {{ made() }}"), what);
        }
    }
    let declared = [
        "byte x",
        "one &x",
        "pair &x",
        "ftype x",
        "byte &x",
        "one x",
        "chan x",
        "byte x[2]",
        "one &x[2]",
        "ftype x[2]",
    ];
    for variable in declared {
        for value in VALUES.into_iter().chain(EXPRESSIONS) {
            let initial = format!("{variable} = {value}");
            judged(format!("{initial}; active proctype T() {{ skip }}"), format!("global {initial}"));
            judged(format!("active proctype T() {{ {initial}; skip }}"), format!("local {initial}"));
            judged(
                format!("active proctype T() {{ {variable} = {{ {value}, {value} }}; skip }}"),
                format!("list {initial}"),
            );
        }
    }
    for value in VALUES.into_iter().chain(EXPRESSIONS) {
        judged(format!("active proctype T() {{ skip }} ltl {{ [] {value} }}"), format!("ltl {value}"));
        judged(format!("active proctype T() provided ({value}) {{ skip }}"), format!("provided {value}"));
        judged(format!("active proctype T() {{ skip }} never {{ do :: {value} od }}"), format!("never {value}"));
    }
    let (taken, all) = (taken, all);
    none(&problems);
    assert!(taken > 100 && all - taken > 1_000, "{taken} of {all} are taken");
}

/// The messages of what was once refused with the text of a data structure.
#[test]
fn references_and_structures_are_told_apart() {
    for (statement, message, at) in [
        ("delete s", "`s` is a structure, and no reference to one, and cannot be deleted", "s"),
        ("delete f", "`f` is a function, and cannot be deleted", "f"),
        ("delete takes_one", "`takes_one` is a function, and cannot be deleted", "takes_one"),
        ("delete h.in", "`h.in` is a structure, and no reference to one, and cannot be deleted", "h.in"),
        ("s = null", "`s` is a structure and cannot be assigned as a whole", "s"),
        ("p = h.in", "`h.in` is a structure, and not a reference as what it is assigned to", "h.in"),
        ("h.in = p", "`h.in` is a structure and cannot be assigned as a whole", "h.in"),
        ("h.in = null", "`h.in` is a structure and cannot be assigned as a whole", "h.in"),
        ("p = takes_one(h.in)", "`h.in` is a structure, and not a reference as the parameter", "h.in"),
        ("p = Other:z", "`Other:z` refers to another type than what it is assigned to", "Other:z"),
        (
            "p = Other:number",
            "`Other:number` is a number, and not a reference as what it is assigned to",
            "Other:number",
        ),
        ("select (n : p .. 3)", "`p` is a reference, and a number is needed here", "p"),
        ("select (p : 0 .. 3)", "`p` cannot be the counter of a loop", "p"),
        ("f++", "`f` is a function, which cannot be counted with", "f"),
        ("_priority = p", "`p` is a reference, and a number is needed here", "p"),
        ("p = (n -> p : q)", "`(n -> p : q)` refers to another type than what it is assigned to", "(n -> p : q)"),
        ("(n -> p : q) == null", "`p` and `q` refer to different types", "p : q"),
        ("run Structure(p)", "`p` is a reference, and not a structure as the parameter", "p"),
    ] {
        let text = format!("{DECLARATIONS}active proctype T() {{ {statement} }}\n");
        let loaded = load(&text);
        let error = loaded.diagnostics.iter().find(|one| one.severity == Severity::Error).expect("it is refused");
        let span = error.span.expect("it has a place");
        let place = &text[span.start as usize..span.end as usize];
        assert_eq!((error.message.as_str(), place), (message, at), "{statement}");
    }
    for statement in ["q = Other:z", "p = (n -> p : null)", "f = (n -> f : null)", "n = Other:number"] {
        let loaded = load(&format!("{DECLARATIONS}active proctype T() {{ {statement} }}\n"));
        let errors: Vec<_> = loaded.diagnostics.iter().filter(|one| one.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{statement}: {errors:?}");
    }
}
