//! That no input makes the parser panic, overflow the stack or go on forever. Tests run on 2 MB stacks.

use super::{bodies, messages, parse_text, scan};
use crate::parse::MAX_DEPTH;
use crate::token::Token;

/// A bit of everything.
const MODEL: &str = r#"
mtype = { a, b }; mtype:k = { e } typedef T { byte f; int g[2] }; chan q = [2] of { mtype, byte };
inline f(x, y) { x = y; if :: x > 1 -> return x :: else -> skip fi } inline g(z) { z = f(z, 2) q!a(z) }
active [2] proctype P(byte x, y; chan c) priority 2 provided (x > 0 && nfull(q)) {
  T t; xr q; L: t.g[x + 1] = (x -> y : -3); do :: q?a(x) -> q??<b,eval(y)>; break :: q?[a,_] && timeout ->
  atomic { run P(1, 2, q); g(x) } :: else; for (x : 1 .. 3) { y++; printf("%d\n", y) } od unless { goto L };
  d_step { select (x : 0 .. 2); assert(P[0]@L && P:x == len(q)); c!!1,2 } { x--; g(y) } c_code { x = { 1 } }
}
init priority 3 { byte h[2] = { 1, 2 }; h[0] = run P(1, 2, q); set_priority(1, get_priority(0)); for (x in h) { skip } }
never n { do :: !np_ :: enabled(1) -> pc_value(2) od } trace { q!a,1 } ltl p { [] (x == 1 -> <> y U X z W q V r <-> w) }
"#;

struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

#[test]
fn the_model_has_one_mistake() {
    assert_eq!(messages(MODEL), ["`c_code` is embedded C, which Quotient does not run"]);
}

#[test]
fn random_mutations_do_no_harm() {
    let original = scan(MODEL);
    let mut random = Lcg(7);
    let mut shown = 0;
    for _ in 0..20_000 {
        let mut tokens: Vec<Token> = original.clone();
        for _ in 0..1 + random.below(6) {
            let (i, j) = (random.below(tokens.len()), random.below(tokens.len()));
            match random.below(5) {
                0 => drop(tokens.remove(i)),
                1 => tokens.insert(i, original[random.below(original.len())].clone()),
                2 => tokens.swap(i, j),
                3 => tokens.truncate(i.max(1)),
                _ => tokens[i] = original[random.below(original.len())].clone(),
            }
            if tokens.is_empty() {
                break;
            }
        }
        let lines = 1 + random.below(12) as u32;
        let dynamic = random.below(2) == 0;
        let (spec, diagnostics) = crate::parse::run(&tokens, dynamic, |before, _| before.span.start % lines == 1);
        assert!(diagnostics.len() <= 101);
        shown += bodies(&spec).iter().map(|b| b.to_string().len()).sum::<usize>();
    }
    assert!(shown > 0);
}

#[test]
fn text_survives_the_round_trip() {
    // Mutations that still parse are good material: their text must be stable.
    let original = scan(&MODEL.replace("c_code { x = { 1 } }", ""));
    let proctype = "proctype P() { skip }";
    let mut random = Lcg(11);
    let mut tried = 0;
    for _ in 0..3_000 {
        let mut tokens = original.clone();
        let i = random.below(tokens.len() - 1);
        tokens[i] = original[random.below(original.len() - 1)].clone();
        let (spec, diagnostics) = crate::parse::parse(&tokens);
        if !diagnostics.is_empty() {
            continue;
        }
        for body in bodies(&spec) {
            let text = body.to_string();
            let (again, diagnostics) = parse_text(&format!("typedef T {{ int x }} {proctype} init {text}"));
            // A mutation may rename the proctype or the typedef, and then remote references differ.
            if diagnostics.is_empty() {
                tried += 1;
                assert_eq!(bodies(&again).last().map(|b| b.to_string()), Some(text));
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn deep_nesting_is_reported() {
    let n = 20_000;
    let wrap = |open: &str, inside: &str, close: &str| {
        let text = format!("init {{ {}{inside}{} }}", open.repeat(n), close.repeat(n));
        assert_eq!(messages(&text), [format!("nested deeper than {MAX_DEPTH} levels")], "{open}");
    };
    wrap("{ ", "x", " }");
    wrap("atomic { ", "x", " }");
    wrap("if :: ", "x", " fi");
    wrap("do :: x -> ", "x", " od");
    wrap("for (i : 1 .. 2) { ", "x", " }");
    wrap("(", "x", ")");
    wrap("x == (", "x", ")");
    wrap("- ", "x", "");
    wrap("! ", "x", "");
    wrap("x + ", "x", "");
    wrap("x + (", "x", ")");
    wrap("(y -> x : ", "x", ")");
    wrap("a[", "1", "]");
    wrap("a[1 + ", "1", "] + 1");
    wrap("a[1].b[", "1", "]");
    wrap("a.", "b", "");
    wrap("a || b && c | d ^ e & f == g < h << i + j * (", "1", ")");
    wrap("L: ", "x", "");
    wrap("run P(", "x", ")");
    wrap("enabled(", "x", ")");
    wrap("{ x unless ", "x", " }");
    wrap("{ ", "", "");
    wrap("if :: ", "", "");
    wrap("(", "", "");
    let text = format!("init {{ c?{}x{} }}", "(".repeat(n), ")".repeat(n));
    assert_eq!(messages(&text), [format!("nested deeper than {MAX_DEPTH} levels")]);
}

#[test]
fn nesting_up_to_the_limit_fits_the_stack() {
    let wrap = |n: usize, open: &str, inside: &str, close: &str| {
        let text = format!("proctype P() {{ skip }} init {{ {}{inside}{} }}", open.repeat(n), close.repeat(n));
        let (spec, diagnostics) = parse_text(&text);
        assert!(diagnostics.is_empty(), "{open} {diagnostics:#?}");
        assert!(bodies(&spec)[1].clone().to_string().starts_with("{ "));
    };
    let n = MAX_DEPTH - 5;
    wrap(n, "{ ", "x", " }");
    wrap(n, "if :: ", "x", " fi");
    wrap(n, "for (i : 1 .. 2) { ", "x", " }");
    wrap(n, "{ x unless ", "x", " }");
    wrap(n, "(", "x", ")");
    wrap(n, "- ", "x", "");
    wrap(n, "x + ", "x", "");
    wrap(n, "(y -> x : ", "x", ")");
    wrap(n, "a[", "1", "]");
    wrap(n / 11, "a || b && c | d ^ e & f == g < h << i + j * (", "1", ")");
    wrap(n / 2, "{ if :: a -> ", "x", " fi }");
    wrap(n, "L: ", "x", "");
    wrap(n, "enabled(", "x", ")");
}

#[test]
fn odd_streams() {
    assert!(crate::parse::parse(&[]).1.is_empty());
    let tokens = scan("init { skip }");
    assert!(crate::parse::parse(&tokens[..tokens.len() - 1]).1.is_empty(), "no end token");
    for i in 0..tokens.len() {
        let _ = crate::parse::parse(&tokens[i..]);
    }
}
