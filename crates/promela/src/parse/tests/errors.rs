//! Every error, one by one, and that one mistake gives one message.

use super::{complaints, messages, parse_text};

/// Exactly one message about the body, with these words in it.
#[track_caller]
fn one(text: &str, words: &str) {
    let found = complaints(text);
    assert!(found.len() == 1 && found[0].contains(words), "{text}\nwants: {words}\nfound: {found:#?}");
}

/// Exactly one message about the specification.
#[track_caller]
fn one_in(text: &str, words: &str) {
    let found = messages(text);
    assert!(found.len() == 1 && found[0].contains(words), "{text}\nwants: {words}\nfound: {found:#?}");
}

#[test]
fn statements() {
    one("x = 1 y = 2", "expected `;` or `->` between statements, found `y`");
    one("x = 1 3; y = 2", "expected `;` or `->` between statements, found `3`");
    one("foo x; y = 1", "expected `;` or `->` between statements, found `x`");
    one("x = ; y = 2", "expected an expression, found `;`");
    one("x + 1 = 2; y = 2", "the left side of `=` is not a variable");
    one("if :: x -> else fi", "`else` may stand only first");
    one("else; x", "`else` may stand only first");
    one("do x = 1 od", "expected `::` after `do`, found `x`");
    one("if fi", "expected `::` after `if`");
    one("if :: x :: fi", "a sequence must have at least one statement");
    one("{ }", "a sequence must have at least one statement");
    one("atomic { ; }", "a sequence must have at least one statement");
    one("if :: x od; y", "`od` closes an `if`");
    one("do :: if :: x -> y od; z", "`if` without `fi`");
    one("if :: x", "`if` without `fi`: found `}`");
    one("x fi", "`fi` without `if`");
    one("x; fi; y", "`fi` without `if`");
    one("x; :: y", "`::` outside `if` and `do`");
    one("++x", "expected an expression, found `++`");
    one("x = !!y", "expected an expression, found `!!`");
    one("x = (a + b; y = 1", "expected `)`, found `;`");
    one("x = a[1; y = 1", "expected `]`, found `;`");
    one("x = a[]; y = 1", "expected an index");
    one("x = (a -> b); y", "expected `:`");
    one("x = (a + -> b : c); y", "expected an expression, found `->`");
    one("c?x+1; y", "expected `;` or `->` between statements, found `+`");
    one("c?<x; y", "expected `>`");
    one("c?[]; y", "expected the arguments of the poll");
    one("c?; y", "to receive into");
    one("c!; y", "expected an expression");
    one("goto 3; y", "expected the name of a label");
    one("goto if; y", "`if` is a reserved word and cannot be the name of a label");
    one("byte len; y", "`len` is a reserved word");
    one("timeout = 1; y", "the left side of `=` is not a variable");
    one("printf(x); y", "a string, which `printf` needs first");
    one("printm(x + 1); y", "`printm` takes one variable or constant");
    one("x = \"s\"; y", "a string cannot be used in an expression");
    one("for (i = 1; i < 2; i++) { skip }; y", "`:` or `in`");
    one("for (i : 1 .. 2) skip; y", "expected `{`");
    one("L: byte x; y", "a label cannot stand before a declaration");
    one("x unless y unless z; w", "cannot be followed by another `unless`");
    one("unless x; y", "expected a statement before `unless`");
    one("mtype = { q }; y", "must be declared outside bodies");
    one("x = eval(y); y", "`eval` may stand only among");
    one("foo(1); y", "there is no inline named `foo`");
    one("return 1; y", "`return` outside an inline");
    one("x = P; y", "`P` is a proctype, not a variable");
    one("byte a[2][3]; y", "arrays have one dimension only");
    one("byte a[]; y", "expected the length of the array");
    one("chan c = [] of { byte }; y", "expected the capacity");
    one("chan c = [1] { byte }; y", "expected `of`");
    one("x = np_ + of; y", "the reserved word `of`");
}

#[test]
fn probes_and_runs() {
    one("!full(c); y", "`full` cannot be used under `!`");
    one("x = full(c) + 1; y", "`full` cannot be used as an operand of `+`");
    one("(full(c) -> x : y); y", "`full` cannot be used as the condition");
    one("!(x && empty(c)); y", "`empty` cannot be used under `!`");
    one("c!nempty(d); y", "`nempty` cannot be used here");
    let help = parse_text("init { !full(q[1]) }").1.remove(0).help;
    assert_eq!(help, ["use nfull(q[1]) instead of !full(q[1])"]);
    one("run B() && run B(); y", "more than one `run`");
    one("run B() && x; y", "`run` inside a larger expression");
    one("c!run B(); y", "`run` cannot stand in a message");
    one("byte x = run B(); y", "`run` cannot give a variable its initial value");
    one_in("ltl { run B() } init { skip }", "`run` cannot stand in a formula");
}

#[test]
fn units() {
    one_in("init { x = 1", "expected `}`, found the end of the file");
    one_in("init { if :: x -> { y fi } proctype Q() { skip }", "expected `}`, found `fi`");
    one_in("proctype A() { x = 1 proctype Q() { skip }", "expected `}`, found `proctype`");
    let unclosed = parse_text("init { x = 1; { y = 2 ").1.remove(0);
    assert_eq!(unclosed.related[0].0.start, 14, "the innermost open brace");
    one_in("proctype A(byte a, byte b) { skip } init { skip }", "expected `;` between parameters");
    one_in("proctype A(byte a = 1) { skip } init { skip }", "cannot have an initial value");
    one_in("proctype A { skip } init { skip }", "expected `(` and the parameters");
    one_in("active byte x; init { skip }", "expected `proctype` after `active`");
    one_in("active [] proctype A() { skip } init { skip }", "the number of processes");
    one_in("proctype 3() { skip } init { skip }", "expected the name of a proctype");
    one_in("x = 1; init { skip }", "expected a declaration");
    one_in("assert(x); init { skip }", "can only stand inside the body");
    one_in("} init { skip }", "expected a declaration");
    one_in("typedef T { } init { skip }", "has no fields");
    one_in("typedef T { byte a byte b } init { skip }", "expected `;` between fields");
    one_in("mtype = { } init { skip }", "needs at least one name");
    one_in("mtype = { a, skip } init { skip }", "`skip` is a reserved word");
    one_in("ltl p { [] x == 1 } init { skip }", "a temporal formula cannot be an operand of `==`");
    one_in("ltl p { U x } init { skip }", "expected a formula before the operator `U`");
    one_in("ltl p { x y } init { skip }", "expected an operator or `}`, found `y`");
    one_in("init { skip } init", "expected `{` after `init`");
    one_in("byte x[3] = { 1, 2 ; init { skip }", "expected `}`, found `;`");
}

#[test]
fn inlines() {
    let f = "inline f(a) { x = a }";
    one_in(&format!("{f} init {{ f(); y }}"), "inline `f` takes 1 argument, but none are given");
    one_in(&format!("{f} init {{ f(1, 2); y }}"), "inline `f` takes 1 argument, but 2 are given");
    one_in(&format!("{f} init {{ f(1,); y }}"), "expected an argument");
    one_in(&format!("{f} init {{ f(1; y }}"), "expected `)`, found `;`");
    one_in(&format!("{f} init {{ f(1 +); f(2 +) }}").replace("; f(2 +)", ""), "expected an expression, found `}`");
    one_in(&format!("{f} {f} init {{ f(1) }}"), "inline `f` is defined twice");
    one_in(&format!("init {{ f(1); y }} {f}"), "called before it is defined");
    one_in(&format!("{f} init {{ x = 1 + f(1); y }}"), "calling one is a statement");
    one_in("inline f(a) { f(a) } init { f(1); y }", "inline `f` calls itself");
    one_in("inline g() { f() } inline f() { g() } init { f() }", "inline `f` calls itself");
    one_in("inline f() { return 1 } init { f() }", "called without anything to assign to");
    one_in("inline f(a, a) { skip } init { skip }", "two parameters");
    one_in("inline f() { { skip } init { skip }", "expected `}`, found `init`");
    one_in("inline f() { } init { f() }", "a sequence must have at least one statement");
    // A mistake in the body is reported once, at the body, with the first call.
    let (_, found) = parse_text("inline f() { x = }\ninit { f(); f(); f() }");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].span.map(|s| s.start), found[0].related[0].0.start), (Some(17), 26));
}

#[test]
fn expansions_are_limited() {
    let mut text = String::from("inline f0() { skip }\n");
    for i in 1..40 {
        text.push_str(&format!("inline f{i}() {{ f{0}(); f{0}() }}\n", i - 1));
    }
    let found = messages(&format!("{text} init {{ f39() }}"));
    assert_eq!(found, ["the inline calls expand to more than 2000000 tokens"]);
    let mut text = String::from("inline f0() { skip }\n");
    for i in 1..150 {
        text.push_str(&format!("inline f{i}() {{ f{}() }}\n", i - 1));
    }
    let found = messages(&format!("{text} init {{ f149() }}"));
    assert_eq!(found, ["inlines nested deeper than 100 levels"]);
}

#[test]
fn embedded_c() {
    let text = "c_decl { typedef struct { int x; } S; } c_state \"int x\" \"Global\"
        c_track \"&x\" \"4\" \"Matched\"
        c_code { int f(void) { return 1; } }
        init { c_code [now.x > 0] { now.x = 1; }; c_expr { now.x } -> y = 1; x = c_expr { 1 } + 1 }";
    let found = messages(text);
    assert_eq!(found.len(), 7, "{found:#?}");
    assert!(found.iter().all(|m| m.contains("is embedded C, which Quotient does not run")));
}

#[test]
fn many_mistakes_are_all_reported() {
    let found = complaints("x = ; y = 1 +; if :: z = -> w :: goto 3 fi; do :: run 3 od; c!");
    assert_eq!(found.len(), 6, "{found:#?}");
    let found = complaints(&"x = ; ".repeat(500));
    assert_eq!(found.len(), 101);
    assert!(found[100].contains("the rest are not shown"));
}
