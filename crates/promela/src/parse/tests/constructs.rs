//! Every construct, precedence, inlines. Each test parses text and looks at the tree through `Display`.

use super::{bodies, body, formula, good, parse_text};
use crate::ast::{Initialiser, Step, StmtKind, TypeName, Unit, Visibility};

#[test]
fn statements_come_back_in_one_line() {
    for same in [
        "x = x + 1",
        "x++",
        "a[i].b--",
        "c!3,4",
        "c!!x",
        "c?x,3,-1,eval(k + 1),_",
        "c??x",
        "c?<x>",
        "c??<x,y>",
        "c??[eval(k),_]",
        "c?[x] && y",
        "printf(\"x\\n\")",
        "printf(\"%d %d\",x,y + 1)",
        "printm(m)",
        "timeout",
        "run B(1,2)",
        "run B() priority 3",
        "x = run B() + 1",
        "(c -> a : b)",
        "x = (c -> a : b) + 1",
        "goto end",
        "break",
        "assert(x > 0)",
        "P[1]@here",
        "P@here && P[0]:v[2] == 1",
        "P:v",
        "np_",
        "enabled(2)",
        "pc_value(_pid)",
        "get_priority(1)",
        "set_priority(1,2)",
        "len(c) < 2",
        "full(c)",
        "nfull(c) && x || empty(d)",
        "xr c,d",
        "xs c[1]",
        "if :: x -> y :: else fi",
        "do :: x; break :: else; skip od",
        "for (i : 0 .. n - 1) { x = i }",
        "for (m in c) { x = m.a }",
        "select (i : 1 .. 4)",
        "atomic { x = 1; y = 2 }",
        "d_step { x = 1 }",
        "{ x = 1 }",
        "x unless y",
        "{ x } unless { y }",
        "L: x = 1",
        "L: M: x = 1 unless y",
        "L:",
        "byte x = 3, y[4]",
        "T t",
        "unsigned x : 3 = 2",
        "mtype:k m = a",
        "chan c = [2] of { byte,T,mtype:k }",
        "int a[3] = { 1,2,3 }",
        "hidden int x",
        "c!(!x)",
        "c!(!x + 1),2",
        "x = -(-y)",
        "x = a - -b",
        "x = !(!y)",
        "x = ~y",
    ] {
        let expected = same.replace("x -> y", "x; y");
        assert_eq!(body(same), expected);
        assert_eq!(body(&body(same)), expected, "round trip");
    }
}

#[test]
fn other_spellings_give_the_same_tree() {
    for (text, expected) in [
        ("c!a(b,c)", "c!a,b,c"),
        ("c!!a(b)", "c!!a,b"),
        ("c?a(b,c)", "c?a,b,c"),
        ("c?(a,b)", "c?a,b"),
        ("c?a,(b)", "c?a,b"),
        ("c?a(b(c))", "c?a,b,c"),
        ("c ? [a(b)]", "c?[a,b]"),
        ("assert x > 0", "assert(x > 0)"),
        ("assert(x) && y", "assert(x && y)"),
        ("skip; true; false", "skip; skip; false"),
        ("c?true", "c?1"),
        ("((x))", "x"),
        ("x -> y -> ; ; z;", "x; y; z"),
        ("for (i : 1 .. 2); { skip }", "for (i : 1 .. 2) { skip }"),
        ("{ x } y; { z } ; w", "{ x }; y; { z }; w"),
        ("if :: x fi y", "if :: x fi; y"),
        ("do :: else x = 1 od", "do :: else; x = 1 od"),
        ("if :: atomic { else -> x } fi", "if :: atomic { else; x } fi"),
        ("L: ; x", "L:; x"),
        ("do :: x -> L: od", "do :: x; L: od"),
    ] {
        let text = text.replace("fi y", "fi\n y");
        assert_eq!(body(&text), expected);
    }
}

#[test]
fn precedence_is_that_of_spin() {
    for (text, expected) in [
        ("(a || b) && c", "(a || b) && c"),
        ("a || (b && c)", "a || b && c"),
        ("a && (b | c)", "a && b | c"),
        ("(a & b) == c", "(a & b) == c"),
        ("a & (b == c)", "a & b == c"),
        ("(a == b) < c", "(a == b) < c"),
        ("a == (b < c)", "a == b < c"),
        ("(a < b) << c", "(a < b) << c"),
        ("a < (b << c)", "a < b << c"),
        ("a << (b + c)", "a << b + c"),
        ("a + (b * c)", "a + b * c"),
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("a | (b ^ (c & d))", "a | b ^ c & d"),
        ("(!a) == b", "!a == b"),
        ("!(a == b)", "!(a == b)"),
        ("(-a) * b", "-a * b"),
        ("a >= b", "a >= b"),
        ("a != b % c / d", "a != b % c / d"),
    ] {
        assert_eq!(body(text), expected);
        assert_eq!(body(expected), expected);
    }
}

#[test]
fn formulas() {
    for (text, expected) in [
        ("[] p", "[]p"),
        ("always (p implies eventually q)", "[](p -> <>q)"),
        ("p until q", "p U q"),
        ("p stronguntil q", "p U q"),
        ("p W q", "p W q"),
        ("p weakuntil q", "p W q"),
        ("p V q", "p V q"),
        ("p release q", "p V q"),
        ("X p", "X p"),
        ("next next p", "X X p"),
        ("p <-> q", "p <-> q"),
        ("p equivalent q", "p <-> q"),
        ("([] p) U q", "[]p U q"),
        ("[] (p U q)", "[](p U q)"),
        ("(p -> q) -> r", "p -> q -> r"),
        ("p -> (q -> r)", "p -> (q -> r)"),
        ("p || (q && (r U s))", "p || q && r U s"),
        ("(p U q) U r", "p U q U r"),
        ("[] (x == 1 -> <> (y > 2))", "[](x == 1 -> <>(y > 2))"),
        ("<> a[2] ;", "<>a[2]"),
        ("[]<>p && <>[]q", "[]<>p && <>[]q"),
        ("! p", "!p"),
    ] {
        assert_eq!(formula(text), expected);
        assert_eq!(formula(expected), expected);
    }
    // Outside formulas these are names like any other, and so is `in` outside `for`.
    assert_eq!(body("int U, always; in = U + always + X"), "int U, always; in = U + always + X");
}

#[test]
fn units() {
    let spec = good(
        "mtype = { a, b c }; mtype { d } mtype : k = { e }
         mtype:k v = e; hidden byte x, y[3] = 2; show bit s; local int t
         typedef T { byte f; U g[2]
                     int h };
         chan q[2] = [4] of { byte, chan, T }; unsigned u : 5 = 3
         active [2] D_proctype A(byte a, b; chan c) priority 3 provided (x > 1 && nfull(q)) { skip }
         active proctype B() { skip }; proctype C() { skip }
         init priority 2 { skip } never { skip } never n { skip } trace { skip } notrace { skip }
         ltl { x } ltl f { [] x }",
    );
    let kinds: String = spec
        .units
        .iter()
        .map(|u| match u {
            Unit::Mtype(_) => 'm',
            Unit::Decl(_) => 'd',
            Unit::Typedef(_) => 't',
            Unit::Scalarset(_) => 's',
            Unit::Proctype(_) => 'p',
            Unit::Function(_) => 'f',
            Unit::Init(_) => 'i',
            Unit::Never(_) => 'n',
            Unit::Trace(_) => 'r',
            Unit::Ltl(_) => 'l',
        })
        .collect();
    assert_eq!(kinds, "mmmddddtddpppinnrrll");
    let Unit::Mtype(names) = &spec.units[0] else { panic!() };
    assert_eq!(names.names.iter().map(|n| &*n.text).collect::<Vec<_>>(), ["a", "b", "c"]);
    let Unit::Decl(decl) = &spec.units[4] else { panic!() };
    assert_eq!(decl.visibility.map(|v| v.0), Some(Visibility::Hidden));
    assert_eq!(decl.to_string(), "hidden byte x, y[3] = 2");
    let Unit::Typedef(typedef) = &spec.units[7] else { panic!() };
    assert_eq!(typedef.fields.as_ref().map(Vec::len), Some(3));
    let Unit::Decl(chan) = &spec.units[8] else { panic!() };
    assert!(matches!(chan.ty, TypeName::Chan));
    assert!(matches!(&chan.vars[0].init, Some(Initialiser::Channel { fields, .. }) if fields.len() == 3));
    let Unit::Proctype(a) = &spec.units[10] else { panic!() };
    assert!(a.deterministic && a.active.as_ref().is_some_and(|a| a.count.is_some()));
    assert_eq!((a.params.len(), a.params[0].vars.len(), a.priority.map(|p| p.0)), (2, 2, Some(3)));
    assert_eq!(a.provided.as_ref().map(|e| e.to_string()).as_deref(), Some("x > 1 && nfull(q)"));
}

#[test]
fn line_breaks_separate_statements() {
    assert_eq!(
        body("byte y\n x = 1\n y = 2\n (x == 1)\n c!x\n (y)\n !y\n assert(x)\n"),
        "byte y; x = 1; y = 2; x == 1; c!x; y; !y; assert(x)"
    );
    assert_eq!(
        body("x = (a\n - b)\n if\n :: x\n -> y\n :: else\n fi\n x\n unless\n y"),
        "x = a - b; if :: x; y :: else fi; x unless y"
    );
    assert_eq!(body("x = a +\n b; y = a\n + b"), "x = a + b; y = a + b");
    // SPIN ends the statement here, which nobody expects.
    let (spec, diagnostics) = parse_text("init { x = a\n - b }");
    assert_eq!(bodies(&spec)[0].to_string(), "{ x = a; -b }");
    assert!(diagnostics.len() == 1 && diagnostics[0].severity == quotient_report::diagnostic::Severity::Warning);
    let tokens = super::scan("init { x = a\n y = b }");
    assert_eq!(super::super::parse(&tokens).1.len(), 1, "tokens alone have no lines");
}

#[test]
fn inlines_are_expanded() {
    let f = "inline f(a, b) { a = b + 1; c!b }\n inline g(x) { f(x, y * 2) z = 1; f(z, (x)) }\n inline r(n) { if :: n > 1 -> return n * 2 :: else -> return 0 fi }\n";
    let shown = |text: &str| bodies(&good(&format!("{f} init {{ {text} }}")))[0].to_string();
    assert_eq!(shown("f(v, w[1])"), "{ { v = w[1] + 1; c!w[1] } }");
    // Without a separator, because the body ends in a brace.
    assert_eq!(shown("f(v, 1) v = 2"), "{ { v = 1 + 1; c!1 }; v = 2 }");
    assert_eq!(shown("g(q)"), "{ { { q = y * 2 + 1; c!y * 2 }; z = 1; { z = q + 1; c!q } } }");
    assert_eq!(shown("x = r(k)"), "{ { if :: k > 1; x = k * 2 :: else; x = 0 fi } }");
    assert_eq!(shown("a[1].b = r(k)"), "{ { if :: k > 1; a[1].b = k * 2 :: else; a[1].b = 0 fi } }");
    let spec = good(&format!("{f} init {{ f(a, b); L: f(c, d) }}"));
    let ids: Vec<u32> = bodies(&spec)[0]
        .steps
        .iter()
        .filter_map(|s| match s {
            Step::Stmt(s) => Some(s),
            _ => None,
        })
        .filter_map(|s| match &s.kind {
            StmtKind::Inlined { id, .. } => Some(*id),
            StmtKind::Labelled(_, Some(s)) => match &s.kind {
                StmtKind::Inlined { id, .. } => Some(*id),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(ids, [1, 2]);
}

#[test]
fn spans_in_an_inline_are_those_of_its_body() {
    let text = "inline f(a) { a = a + 1 }\ninit { f(long_name) }";
    let spec = good(text);
    let Some(Step::Stmt(call)) = bodies(&spec)[0].steps.first() else { panic!() };
    assert_eq!(&text[call.span.start as usize..call.span.end as usize], "f(long_name)");
    let StmtKind::Inlined { body, .. } = &call.kind else { panic!() };
    let Some(Step::Stmt(stmt)) = body.steps.first() else { panic!() };
    assert_eq!(&text[stmt.span.start as usize..stmt.span.end as usize], "= a + 1");
    let StmtKind::Assign(var, _) = &stmt.kind else { panic!() };
    assert_eq!(&text[var.span.start as usize..var.span.end as usize], "long_name");
}

#[test]
fn statement_spans_cover_the_statement() {
    let text = "init { L: x[2].y = (3 + a) ; if :: c?x -> skip fi }";
    let spec = good(text);
    let spans: Vec<&str> = bodies(&spec)[0]
        .steps
        .iter()
        .filter_map(|s| match s {
            Step::Stmt(s) => Some(&text[s.span.start as usize..s.span.end as usize]),
            _ => None,
        })
        .collect();
    assert_eq!(spans, ["L: x[2].y = (3 + a)", "if :: c?x -> skip fi"]);
}
