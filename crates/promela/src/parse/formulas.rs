//! `ltl` formulas: what is no part of one is told by name, because a formula looks like a statement that acts. A formula of the command
//! line has braces that its author did not write (see `preprocess.rs`), and messages do not speak of them.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::cursor::{Cursor, Failed, Parsed};
use super::expressions;
use crate::ast::Ltl;
use crate::token::{Punct, TokenKind};

/// `ltl [name] { formula }`
pub(super) fn ltl(p: &mut Cursor) -> Parsed<Ltl> {
    let span = p.bump();
    let name = if p.at(Punct::LeftBrace) { None } else { Some(p.name("an ltl formula")?) };
    let open = p.expect(Punct::LeftBrace, "before the formula")?;
    p.in_ltl = true;
    let formula = expressions::full_expression(p)?;
    while p.eat(Punct::Semicolon) {}
    // A brace of the formula's author does not close the one that was not written.
    if !p.at(Punct::RightBrace) || is_implied(open) != is_implied(p.span()) {
        return Err(unfinished(p, open));
    }
    p.bump();
    p.in_ltl = false;
    let mut runs = Vec::new();
    expressions::runs(&formula, &mut runs);
    if let Some(&run) = runs.first() {
        p.error(Diagnostic::error(run, "`run` cannot stand in a formula: it would change the state"));
    }
    Ok(Ltl { span, name, formula })
}

/// Whether a bracket belongs to a formula of the command line, and was not written.
fn is_implied(span: Span) -> bool {
    span.start == span.end
}

/// A formula goes on with something that cannot follow.
fn unfinished(p: &mut Cursor, open: Span) -> Failed {
    let failed = tell_unfinished(p, open);
    if is_implied(open) {
        // The rest of the formula is no model.
        while !(p.at_end() || p.at(Punct::RightBrace) && is_implied(p.span())) {
            p.bump();
        }
    }
    failed
}

fn tell_unfinished(p: &mut Cursor, open: Span) -> Failed {
    if let Some(problem) = misplaced(p) {
        return p.fail(problem);
    }
    let end = if is_implied(open) { "the end of the formula" } else { "`}`" };
    let message = format!("expected an operator or {end}, found {}", p.found());
    let mut problem = Diagnostic::error(p.span(), message);
    let letters = p.pos.checked_sub(1).and_then(|before| match &p.buffer[before].token.kind {
        TokenKind::Word(word) if word.len() > 1 && word.chars().all(|c| "GFX".contains(c)) => Some(word.clone()),
        _ => None,
    });
    if let Some(word) = letters {
        let apart: Vec<String> = word.chars().map(String::from).collect();
        problem = problem.help(format!("operators are words of their own: `{}`", apart.join(" ")));
    } else if !is_implied(open) {
        problem = problem.related(open, "the formula begins here");
    }
    p.fail(problem)
}

/// What is wrong if what stands here is the sign of a statement, or asks about a process where there is none.
pub(super) fn misplaced(p: &Cursor) -> Option<Diagnostic> {
    let TokenKind::Punct(sign) = p.token().kind else { return None };
    let acts = "cannot stand in a formula: it would change the state";
    let (message, help) = match sign {
        Punct::Assign => (acts, Some("to compare, write `==`")),
        Punct::PlusPlus | Punct::MinusMinus => (acts, None),
        Punct::Bang | Punct::BangBang => (acts, Some("for `not equal` write `!=`")),
        Punct::Question | Punct::QuestionQuestion => (acts, Some("to ask what could be received, write `c?[…]`")),
        Punct::At => ("asks where a process is, and what stands before it is no process type", None),
        Punct::Colon => ("asks for a variable of a process, and what stands before it is no process type", None),
        _ => return None,
    };
    let problem = Diagnostic::error(p.span(), format!("`{}` {message}", sign.text()));
    Some(match help {
        Some(help) => problem.help(help),
        None => problem,
    })
}

/// What is read, where the formula of the command line has come to its end.
pub(super) fn is_at_its_end(p: &Cursor) -> bool {
    p.in_ltl && p.at(Punct::RightBrace) && is_implied(p.span())
}
