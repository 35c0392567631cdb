//! What dSPIN adds to Promela: what is said about mistakes, what plain Promela keeps, and that damaged models never panic.

use std::path::Path;

use quotient_promela::{Dynamic, Loaded, Options, load_with};
use quotient_report::diagnostic::Severity;

fn load(text: &str, dynamic: bool) -> Loaded {
    let options = Options { dynamic: dynamic.then(Dynamic::default), ..Options::default() };
    load_with(Path::new("m.dprom"), &options, &|_| Ok(text.as_bytes().to_vec()))
}

/// The first error.
fn error(text: &str) -> String {
    let loaded = load(text, true);
    let error = loaded.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(loaded.model.is_none(), error.is_some(), "{text}");
    error.map_or(String::new(), |error| error.message.clone())
}

#[test]
fn mistakes_have_their_messages() {
    let in_body = |body: &str| {
        let types = "typedef node; typedef node { byte key; node &next; byte all[3] };\ntypedef other { byte x };\n";
        let functions = "function f(node &n; byte k) : node & { return n }\nfunction g() { skip }\nchan c = [1] of { byte };\nchan r = [1] of { node & };\n";
        format!("{types}{functions}active proctype P() {{ node &p, &q; other &o; byte i; byte &a; {body} }}")
    };
    for (body, message) in [
        ("p = 1", "`1` is a number, and not a reference as what it is assigned to"),
        ("i = p", "`p` is a reference, and not a number as what it is assigned to"),
        ("i = null", "`null` is a reference, and not a number as what it is assigned to"),
        ("p = o", "`o` refers to another type than what it is assigned to"),
        ("p == o", "`p` and `o` refer to different types"),
        ("p == 1", "`p` is a reference, and a number is needed here"),
        ("p < q", "`p` is a reference, and a number is needed here"),
        ("i = i + p", "`p` is a reference, and a number is needed here"),
        ("!p", "`p` is a reference, and a number is needed here"),
        ("p", "`p` is a reference, and a number is needed here"),
        ("assert(p)", "`p` is a reference, and a number is needed here"),
        ("p++", "`p` is a reference, which cannot be counted with"),
        ("printf(\"%d\", p)", "`p` is a reference, and a number is needed here"),
        ("c!p", "`p` is a reference, and not a number as the field of the message"),
        ("c?p", "`p` is a reference, and not a number as the field of the message"),
        ("r!1", "`1` is a number, and not a reference as the field of the message"),
        ("r!o", "`o` refers to another type than the field of the message"),
        ("r?o", "`o` refers to another type than the field of the message"),
        ("r?i", "`i` is a number, and not a reference as the field of the message"),
        ("r?eval(i)", "`i` is a number, and not a reference as the field of the message"),
        ("r!!p", "`p` is a reference, and a number is needed here"),
        ("r!p; r!null; r?q; r?eval(p); r?_; r?<q>; r?[eval(null)]", ""),
        ("c?p.key; c?[p.key]; c?<p.key>; c?p.all[1]", ""),
        ("c?*a; c?<*a>; c??*a; c?[*a]; c?(*a)", ""),
        ("node & &s; s = &p; r?*s; c?*s", "`s[0]` is a reference, and not a number as the field of the message"),
        ("c?*p.key[0]", "`*` stands before a reference, and this is an element already"),
        ("c?p.all[i]", "`p.all[i]` is part of a record, which cannot be received into"),
        ("d_step { c?p.key }", "`p.key` is part of a record, which cannot be received into"),
        ("p.all[p] = 1", "`p` is a reference, and a number is needed here"),
        ("p.nothing = 1", "there is no field `nothing`"),
        ("i.key = 1", "there is no field `key` here"),
        ("p[1].key = 1", "`p` refers to one record, not to an array"),
        ("p = new other", "`p` does not refer to what is made here"),
        ("p = new nothing", "type `nothing` is not declared"),
        ("p = new node[3]", "arrays of records are not supported"),
        ("i = new node", "`i` does not refer to what is made here"),
        ("i = new", "expected a type, found `}`"),
        ("delete i", "`i` is not a reference, and cannot be deleted"),
        ("q = &p", "`&p` refers to another type than what it is assigned to"),
        ("a = &i; a = &p.key; a = &p.all[i]; *a = i; i = *a", ""),
        ("node & &s; s = &p; s = &p.next; s[0].key = 1; *s = p; p = *s; if :: *s == p :: else fi", ""),
        ("(*p).key = 1", "a field cannot be named behind parentheses"),
        ("i = (p).key", "a field cannot be named behind parentheses"),
        ("i = &i", "`&i` is a reference, and not a number as what it is assigned to"),
        ("i = 1 + &i", "`&i` is a reference, and a number is needed here"),
        ("a = &nothing", "variable `nothing` is not declared"),
        ("a = &a[1]", "the address of `a[1]` cannot be taken: it is an element of an array that is made with `new`"),
        ("a = &c", "the address of `c` cannot be taken: it is or has a channel, or is `unsigned`"),
        ("a = &f", "variable `f` is not declared"),
        ("a = &p.all", "`all` is an array; an index is missing"),
        ("a = &1", "expected the name of a variable, found `1`"),
        ("f(p)", "`f` takes 2 arguments but is given 1"),
        ("f(1, 2)", "`1` is a number, and not a reference as the parameter"),
        ("f(o, 2)", "`o` refers to another type than the parameter"),
        ("i = f(p, 1)", "the result of `f` is of another type than `i`"),
        ("i = g()", "`g` has no result"),
        ("i = 1 + f(p, 1)", "a call of `f` cannot be part of an expression"),
        ("atomic { g(); i = 1; q = f(p, 1) }", ""),
        ("d_step { g() }", "a function cannot be called in a d_step"),
        ("{ g() } unless { i == 1 }", "a function cannot be called where `unless` may interrupt it"),
        ("return 1", "`return` outside a function"),
        ("run f(p, 1)", "proctype `f` is not declared"),
        ("ftype x; x = f; q = x(p, 1); assert(x == f || x != null); x = null", ""),
        ("ftype x[2]; x[i] = g; x[i]()", ""),
        ("ftype x; x = 1", "`1` is a number, and not a function as what it is assigned to"),
        ("ftype x; x = p", "`p` is a reference, and not a function as what it is assigned to"),
        ("ftype x; i = x", "`x` is a function, and not a number as what it is assigned to"),
        ("p = f", "`f` is a function, and not a reference as what it is assigned to"),
        ("ftype x; x == 1", "`x` is a function, and a number is needed here"),
        ("ftype x; x + 1", "`x` is a function, and a number is needed here"),
        ("ftype x; x = f; x(1, 2)", "`x` holds no function with these parameters"),
        ("ftype x; i(1)", "`i` cannot be called: it holds no function"),
        ("ftype x; x = g; i = x()", "`x` has no result"),
        ("c!f", "`f` is a function, and not a number as the field of the message"),
        ("byte new", "`new` is a reserved word and cannot be the name of a variable"),
        ("p = new node; p.all[i] = i; p.next.next.key = *a; a = new byte[4]; a[i] = 1; q = f(p, i)", ""),
    ] {
        assert_eq!(error(&in_body(body)), message, "{body}");
    }
    for (text, message) in [
        ("typedef node; active proctype P() { node &p; skip }", "this type is never defined"),
        ("typedef node; node n; typedef node { byte x; byte &y } active proctype P() { skip }", ""),
        (
            "typedef a { b x; byte &y } typedef b { byte y } active proctype P() { skip }",
            "the fields of `b` are not known here",
        ),
        (
            "function f() : byte { return } active proctype P() { skip }",
            "the function has a result, and nothing is returned here",
        ),
        ("function f() { return 1 } active proctype P() { skip }", "the function has no result"),
        ("function f() { skip } function f() { skip } active proctype P() { skip }", "`f` is declared twice"),
        ("byte &p; chan c = [1] of { byte & }; active proctype P() { skip }", ""),
        (
            "byte &p; chan c = [1] of { byte & }; trace { do :: c!_ od } active proctype P() { c!p }",
            "a trace cannot be used where messages have references",
        ),
        ("ftype f; active proctype P() { skip }", "there is no function that a variable could hold"),
        (
            "typedef n { byte x } proctype Q(n a) { skip } byte &b; active proctype P() { n c; b = &c.x }",
            "the address of a field of this structure is taken, so that it cannot be handed over as a whole",
        ),
        (
            "scalarset S[2]; byte x; byte &b; active proctype P() { b = &x }",
            "the address of `x` cannot be taken: the model has scalarsets",
        ),
        (
            "hidden byte x; byte &b; active proctype P() { b = &x }",
            "the address of `x` cannot be taken: it is declared `hidden`, `show` or `local`",
        ),
        ("chan &p; active proctype P() { skip }", "references to channels are not supported"),
        ("byte &p; active proctype P() { chan c = [1] of { byte }; c!1 }", ""),
        (
            "typedef n { chan c = [1] of { byte } } n &p; active proctype P() { p = new n; p.c!1; p.c?_; len(p.c) == 0 }",
            "",
        ),
        (
            "typedef n { chan c = [1] of { byte } } n &p; active proctype P() { p = new n; p.c!p }",
            "`p` is a reference, and not a number as the field of the message",
        ),
        (
            "typedef n { chan c } n &p; chan d = [1] of { chan }; active proctype P() { p = new n; p.c = d; p.c = p }",
            "`p` refers to another type than what it is assigned to",
        ),
        (
            "typedef n { chan c } n &p; chan d = [1] of { chan }; active proctype P() { d!p.c; d?p.c; d!1 }",
            "`1` is a number, and not a reference as the field of the message",
        ),
        (
            "typedef n { chan c } n &p; active proctype P() { p = new n; delete p.c }",
            "`p.c` is a channel, and cannot be deleted",
        ),
        ("typedef n { chan c } n &p; active proctype P() { p!1 }", "`p` is not a channel"),
        (
            "typedef n { chan c } n &p; active proctype P() { p.c = 1 }",
            "`1` is a number, and not a reference as what it is assigned to",
        ),
        (
            "typedef n { chan c } n &p; chan d = [1] of { byte }; active proctype P() { xr d; d?_ }",
            "`xr` and `xs` cannot be used where channels come and go",
        ),
        (
            "typedef n { chan c } n &p; chan d = [1] of { byte }; trace { do :: d!_ od } active proctype P() { d!1 }",
            "a trace cannot be used where channels come and go",
        ),
        (
            "byte &p; active proctype P() { p = new byte; chan c = [1] of { byte }; c!1; chan d[2] = [1] of { byte } }",
            "a channel must be created before the first statement of a process",
        ),
        ("chan c = [1] of { byte }; byte &p; active proctype P() { chan d = c; d!1; p = null }", ""),
        // Nothing else makes a heap here.
        ("chan g; active proctype P() { chan h = [1] of { byte }; g = h; g = null; assert(g == null) }", ""),
        (
            "byte g; active proctype P() { g = null }",
            "`null` is a reference, and not a number as what it is assigned to",
        ),
        (
            "chan g = [1] of { byte }; active proctype P() { g = null }",
            "`null` is a reference, and not a number as what it is assigned to",
        ),
        (
            "chan g = [1] of { byte }; active proctype P() { g!null }",
            "`null` is a reference, and not a number as the field of the message",
        ),
        ("byte g; active proctype P() { assert(g == null) }", "`null` is a reference, and a number is needed here"),
        (
            "byte g; proctype C(byte x) { skip } init { run C(null) }",
            "`null` is a reference, and not a number as the parameter",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn plain_promela_keeps_its_names() {
    let text = "byte new, delete, null, function, ftype; active proctype P() { new = delete & null; function = ftype }";
    assert!(load(text, false).model.is_some());
    assert!(load(text, true).model.is_none());
    // Without references and functions a model has no heap.
    let plain = load("byte x; active proctype P() { x = 1 }", true).model.expect("a model");
    assert!(plain.heap.is_none());
}

/// Words that are put in, taken out or exchanged.
#[test]
fn damaged_models_never_panic() {
    let texts = [
        include_str!("../../../models/dynamic/ordered-list.dprom"),
        include_str!("../../../models/dynamic/lost-node.dprom"),
    ];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let mut loaded = 0;
    for round in 0..1_000 {
        let text = texts[round % texts.len()];
        let mut words: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        for _ in 0..=random(2) {
            let (at, other) = (random(words.len()), random(words.len()));
            match random(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                2 => words.swap(at, other),
                _ => {
                    words[at] =
                        ["null", "&", "*", "new ", "delete ", "return ", "node ", "0", ".next", "f("][random(10)]
                }
            }
        }
        loaded += usize::from(load(&words.concat(), true).model.is_some());
    }
    assert!(loaded > 20, "only {loaded} load: the damage is too great to tell anything");
}
