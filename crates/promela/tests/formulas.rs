//! Formulas that are given beside a model are read as if they stood at its end, and what is wrong with them is told with its place.

use std::path::Path;

use quotient_ir::ClaimKind;
use quotient_promela::{Loaded, Options};

const MODEL: &str = "#define ready (x == 1)\nbyte x, a[3], i; active proctype P() { here: x = 1 }";

fn load(formula: &str) -> Loaded {
    let options = Options { formulas: vec![("p".to_string(), formula.to_string())], ..Options::default() };
    quotient_promela::load_with(Path::new("m.pml"), &options, &|_: &Path| Ok(MODEL.as_bytes().to_vec()))
}

/// What is wrong with a formula: the messages, each with the text at its place.
fn wrong(formula: &str) -> Vec<(String, String)> {
    let Loaded { model, sources, diagnostics, .. } = load(formula);
    assert!(model.is_none(), "{formula} is wrong");
    let place = |span: quotient_report::source::Span| {
        let file = sources.file(span.file);
        assert_eq!(file.path, Path::new("--property"));
        file.text[span.start as usize..span.end as usize].to_string()
    };
    diagnostics.iter().map(|d| (d.message.clone(), d.span.map(place).unwrap_or_default())).collect()
}

/// A formula as it was understood, with its propositions.
fn understood(formula: &str) -> (String, Vec<String>) {
    let model = load(formula).model.expect("the formula is right");
    let claim = &model.claims[0];
    let ClaimKind::Ltl { formula, .. } = &claim.kind else { panic!("it is a formula") };
    let texts: Vec<String> = claim.propositions.iter().map(|p| p.text.clone()).collect();
    (formula.shown(|number| format!("p{number}")).to_string(), texts)
}

#[test]
fn formulas_are_read_with_the_models_macros() {
    assert_eq!(
        understood("[] (ready -> <> (x == 2))"),
        ("[] (p0 -> <> p1)".into(), vec!["x == 1".into(), "x == 2".into()])
    );
    assert_eq!(understood("G F ready"), ("[] <> p0".into(), vec!["x == 1".into()]));
    assert_eq!(understood("x == 1 R P[0]@here").0, "p0 V p1");
    assert_eq!(understood("X ready U !ready").0, "X p0 U !p0");
}

#[test]
fn what_can_go_wrong_is_asked_as_it_stands() {
    assert_eq!(understood("[] (i < 3 && a[i] == 0)").1, ["i < 3 && a[i] == 0"]);
    assert_eq!(understood("[] (i < 3 && a[2] == 0)").1, ["i < 3", "a[2] == 0"]);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let one = |message: &str, place: &str| vec![(message.to_string(), place.to_string())];
    assert_eq!(wrong("[] (y == 1)"), one("variable `y` is not declared", "y"));
    assert_eq!(wrong("<> P[0]@there"), one("proctype `P` has no label `there`", "there"));
    assert_eq!(wrong("<> (_pid == 1)")[0].1, "_pid == 1");
    assert_eq!(wrong("<> run P()")[0].0, "`run` cannot stand in a formula: it would change the state");
}

/// The braces around a formula of the command line were not written by its author.
#[test]
fn what_is_unfinished_is_told_without_braces() {
    let one = |message: &str, place: &str| vec![(message.to_string(), place.to_string())];
    assert_eq!(wrong("<> (x == 1"), one("expected `)`, found the end of the formula", ""));
    assert_eq!(wrong("<> x =="), one("expected an expression, found the end of the formula", ""));
    assert_eq!(wrong("x U"), one("expected an expression, found the end of the formula", ""));
    assert_eq!(wrong(""), one("expected an expression, found the end of the formula", ""));
    assert_eq!(wrong("[] x y"), one("expected an operator or the end of the formula, found `y`", "y"));
    assert_eq!(wrong("[] GF (x == 1)")[0].0, "expected an operator or the end of the formula, found `(`");
    assert_eq!(load("[] GF (x == 1)").diagnostics[0].help, ["operators are words of their own: `G F`"]);
}

/// Its author cannot close the braces that stand around it.
#[test]
fn a_formula_is_no_more_than_a_formula() {
    for rest in ["} active proctype Z() { x = 9", "} ltl other { <> (x == 1)", "}", "} byte z; ltl q { x == 1"] {
        let message = "expected an operator or the end of the formula, found `}`".to_string();
        assert_eq!(wrong(&format!("[] (x < 3) {rest}")), [(message, "}".to_string())], "{rest}");
    }
}

#[test]
fn operators_have_words() {
    assert_eq!(understood("always (x == 1) and eventually (i == 2) or i == 3").0, "([] p0 && <> p1) || p2");
    assert_eq!(understood("x == 1 stronguntil i == 2").0, "p0 U p1");
    assert_eq!(understood("G (x == 1 implies F (i == 2))").0, "[] (p0 -> <> p1)");
}

#[test]
fn what_would_change_the_state_is_no_formula() {
    for (formula, sign) in [
        ("<> (x = 1)", "="),
        ("<> x = 1", "="),
        ("<> (x++)", "++"),
        ("[] x--", "--"),
        ("[] x!1", "!"),
        ("<> x?1", "?"),
        ("[] (x??1)", "??"),
    ] {
        let message = format!("`{sign}` cannot stand in a formula: it would change the state");
        assert_eq!(wrong(formula), [(message, sign.to_string())], "{formula}");
    }
    assert!(wrong("[] Nobody[1]@here")[0].0.contains("no process type"));
    assert!(wrong("[] Nobody[1]:x")[0].0.contains("no process type"));
}
