//! Sequences and statements. A mistake in a statement is reported and the statement stands as `skip`; reading goes on
//! at the next separator, so that one mistake does not hide the next.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::cursor::{Cursor, Failed, Open, Parsed, is_reserved};
use super::{declarations, dynamic, expressions, headed, inline};
use crate::ast::{Expr, ExprKind, Sequence, Step, Stmt, StmtKind};
use crate::token::{Punct, TokenKind};

/// What a sequence is the inside of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Braces,
    Option,
}

/// `skip`, for what could not be read.
pub(super) fn placeholder(span: Span) -> Stmt {
    Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Const(1), span }), span }
}

/// `{ … }`; `place` says where the brace should be.
pub(super) fn block(p: &mut Cursor, place: &str) -> Parsed<Sequence> {
    block_with_else(p, place, false)
}

fn block_with_else(p: &mut Cursor, place: &str, may_else: bool) -> Parsed<Sequence> {
    let open = p.expect(Punct::LeftBrace, place)?;
    p.open.push(Open::Brace);
    let mut body = sequence(p, open, Inside::Braces, may_else);
    p.open.pop();
    body.close = p.span();
    if !p.eat(Punct::RightBrace) {
        let message = format!("expected `}}`, found {}", p.found());
        p.error(Diagnostic::error(p.span(), message).related(open, "this `{` is never closed"));
    }
    Ok(body)
}

fn ends_here(p: &Cursor, inside: Inside) -> bool {
    let in_choice = inside == Inside::Option || p.open.iter().any(|o| *o != Open::Brace);
    let choice_goes_on = p.at(Punct::Option) || p.at_word("fi") || p.at_word("od");
    p.at_end() || p.at(Punct::RightBrace) || p.at_unit_word() || in_choice && choice_goes_on
}

fn sequence(p: &mut Cursor, open: Span, inside: Inside, may_else: bool) -> Sequence {
    let mut steps: Vec<Step> = Vec::new();
    loop {
        while p.at_separator() {
            p.bump();
        }
        if ends_here(p, inside) {
            break;
        }
        let start = p.pos;
        let first = steps.is_empty();
        if let Err(Failed) = step(p, &mut steps, may_else && first) {
            unreadable(p, &mut steps, start);
            continue;
        }
        let stray = p.at(Punct::Option) || p.at_word("fi") || p.at_word("od");
        if stray || p.separated() || ends_here(p, inside) {
            continue;
        }
        missing_separator(p, steps.last());
    }
    if steps.is_empty() {
        empty(p, open);
    }
    Sequence { steps, open, close: p.buffer[p.pos.saturating_sub(1)].token.span }
}

// The functions that report are kept out of `sequence`, which recurses and should need little stack.

#[cold]
#[inline(never)]
fn missing_separator(p: &mut Cursor, before: Option<&Step>) {
    let message = format!("expected `;` or `->` between statements, found {}", p.found());
    let mut diagnostic = Diagnostic::error(p.span(), message);
    if let (Some(Step::Stmt(Stmt { kind: StmtKind::Expr(e), .. })), Some(_)) = (before, p.word())
        && let ExprKind::Var(var) = &e.kind
    {
        diagnostic = diagnostic.help(format!("if `{var}` is meant to be a type, declare it with `typedef`"));
    }
    p.error(diagnostic);
    if !matches!(p.token().kind, TokenKind::Word(_) | TokenKind::Punct(Punct::LeftBrace)) {
        p.resynchronise(p.pos);
    }
}

#[cold]
#[inline(never)]
fn empty(p: &mut Cursor, open: Span) {
    let span = if p.at_end() { p.span() } else { open };
    p.error(Diagnostic::error(span, "a sequence must have at least one statement").help("write `skip` to do nothing"));
}

#[cold]
#[inline(never)]
fn unreadable(p: &mut Cursor, steps: &mut Vec<Step>, start: usize) {
    steps.push(Step::Stmt(placeholder(p.buffer[start].token.span)));
    p.resynchronise(start);
}

/// Reads a step and adds it to the others.
fn step(p: &mut Cursor, steps: &mut Vec<Step>, may_else: bool) -> Parsed<()> {
    if declarations::ahead(p) || p.at_word("xr") || p.at_word("xs") {
        return declared(p, steps);
    }
    let start = p.pos;
    let body = statement(p, may_else)?;
    if !p.eat_word("unless") {
        steps.push(Step::Stmt(body));
        return Ok(());
    }
    let escape = statement(p, false)?;
    steps.push(Step::Unless { body, escape, span: p.span_from(start) });
    if p.at_word("unless") {
        let message = "`unless` cannot be followed by another `unless`";
        return Err(p.fail(Diagnostic::error(p.span(), message).help("group with braces: `{ a unless b } unless c`")));
    }
    Ok(())
}

/// A declaration, or `xr c, d`, `xs c`.
#[inline(never)]
fn declared(p: &mut Cursor, steps: &mut Vec<Step>) -> Parsed<()> {
    if declarations::ahead(p) {
        steps.push(Step::Decl(declarations::declaration(p, "in a body")?));
        return Ok(());
    }
    let receive = p.at_word("xr");
    let span = p.bump();
    let mut channels = vec![expressions::var_ref(p)?];
    while p.eat(Punct::Comma) {
        channels.push(expressions::var_ref(p)?);
    }
    steps.push(Step::Exclusive { receive, channels, span });
    Ok(())
}

/// A statement; `may_else` if `else` may stand here, which is first in an option.
fn statement(p: &mut Cursor, may_else: bool) -> Parsed<Stmt> {
    p.enter()?;
    let stmt = match p.token().kind.clone() {
        _ if dynamic::statement_ahead(p) => dynamic::statement(p),
        TokenKind::Word(word) if is_reserved(&word) => keyword(p, &word, may_else),
        TokenKind::Word(_) => named(p, may_else),
        TokenKind::Punct(Punct::LeftBrace) => {
            let start = p.pos;
            block_with_else(p, "", may_else).map(|body| finish(p, start, StmtKind::Block(body)))
        }
        TokenKind::Punct(Punct::Option) => {
            let message = "`::` outside `if` and `do`";
            Err(p.fail(Diagnostic::error(p.span(), message)))
        }
        _ => condition(p),
    };
    p.leave();
    stmt
}

pub(super) fn finish(p: &Cursor, start: usize, kind: StmtKind) -> Stmt {
    Stmt { kind, span: p.span_from(start) }
}

/// A statement that begins with a reserved word.
fn keyword(p: &mut Cursor, word: &str, may_else: bool) -> Parsed<Stmt> {
    let start = p.pos;
    let kind = match word {
        "if" => choice(p, Open::If),
        "do" => choice(p, Open::Do),
        "for" => headed::for_loop(p)?,
        "select" => headed::select(p)?,
        "break" => {
            p.bump();
            StmtKind::Break
        }
        "goto" => {
            p.bump();
            StmtKind::Goto(p.name("a label")?)
        }
        "assert" => {
            p.bump();
            StmtKind::Assert(expressions::full_expression(p)?)
        }
        "printf" => headed::printf(p)?,
        "printm" => headed::printm(p)?,
        "set_priority" => headed::set_priority(p)?,
        "atomic" => {
            p.bump();
            StmtKind::Atomic(block_with_else(p, "after `atomic`", may_else)?)
        }
        "d_step" => {
            p.bump();
            StmtKind::DStep(block_with_else(p, "after `d_step`", may_else)?)
        }
        "else" => {
            if !may_else {
                let message = "`else` may stand only first in an option of `if` or `do`";
                p.error(Diagnostic::error(p.span(), message));
            }
            p.bump();
            StmtKind::Else
        }
        "return" => return inline::return_statement(p),
        "c_code" | "c_decl" | "c_state" | "c_track" => {
            inline::skip_embedded_c(p);
            return Ok(placeholder(p.span_from(start)));
        }
        "fi" | "od" => {
            let opener = if word == "fi" { "if" } else { "do" };
            return Err(p.fail(Diagnostic::error(p.span(), format!("`{word}` without `{opener}`"))));
        }
        "unless" => return Err(p.expected("a statement before `unless`")),
        _ => return condition(p),
    };
    Ok(finish(p, start, kind))
}

/// An expression as a statement.
fn condition(p: &mut Cursor) -> Parsed<Stmt> {
    let start = p.pos;
    if matches!(p.token().kind, TokenKind::Text(_) | TokenKind::Punct(Punct::Comma | Punct::Colon | Punct::RightParen))
    {
        return Err(p.expected("a statement"));
    }
    let expr = expressions::full_expression(p)?;
    let mut runs = Vec::new();
    expressions::runs(&expr, &mut runs);
    if let Some(&second) = runs.get(1) {
        p.error(Diagnostic::error(second, "more than one `run` in an expression").help("use a statement for each"));
    } else if let Some(&run) = runs.first()
        && !matches!(expr.kind, ExprKind::Run { .. })
    {
        let message = "`run` inside a larger expression: it may stand only alone or on the right of `=`";
        p.error(Diagnostic::error(run, message).help("assign it first: `p = run …; p > 0`"));
    }
    if p.at(Punct::Assign) {
        let message = "the left side of `=` is not a variable";
        return Err(p.fail(Diagnostic::error(p.span(), message).help("to compare, write `==`")));
    }
    Ok(finish(p, start, StmtKind::Expr(expr)))
}

/// A statement that begins with a name: a label, a call, or something with a variable.
fn named(p: &mut Cursor, may_else: bool) -> Parsed<Stmt> {
    let start = p.pos;
    let proctype = p.word().is_some_and(|w| p.proctypes.contains(&w));
    if p.ahead(1).is(Punct::Colon) && !proctype {
        return labelled(p, may_else);
    }
    if inline::call_ahead(p, 0) {
        return inline::call(p, start, None);
    }
    if expressions::quantifier_ahead(p).is_some() {
        return condition(p);
    }
    if p.ahead(1).is(Punct::LeftParen) && !proctype && p.pos + 1 < p.buffer.len() && !p.buffer[p.pos + 1].starts_line {
        let name = p.token().text();
        let message = format!("there is no inline named `{name}`");
        let help = format!("to start a process write `run {name}(…)`");
        return Err(p.fail(Diagnostic::error(p.span(), message).help(help)));
    }
    let end = var_ref_end(p, 0);
    let broken = p.in_body && p.buffer[end].starts_line;
    let operator = match p.buffer[end].token.kind {
        TokenKind::Punct(punct) if !proctype => punct,
        _ => return condition(p),
    };
    let polls = [Punct::LeftBracket, Punct::Box].iter().any(|&b| p.buffer.get(end + 1).is_some_and(|l| l.token.is(b)));
    let kind = match operator {
        Punct::Assign => {
            let var = expressions::var_ref(p)?;
            p.bump();
            if inline::call_ahead(p, 0) {
                return inline::call(p, start, Some(var));
            }
            if let Some(kind) = dynamic::assigned(p, &var)? {
                return Ok(finish(p, start, kind));
            }
            StmtKind::Assign(var, expressions::full_expression(p)?)
        }
        Punct::PlusPlus => {
            let var = expressions::var_ref(p)?;
            p.bump();
            StmtKind::Increment(var)
        }
        Punct::MinusMinus => {
            let var = expressions::var_ref(p)?;
            p.bump();
            StmtKind::Decrement(var)
        }
        Punct::Bang if !broken => send(p, false)?,
        Punct::BangBang => send(p, true)?,
        Punct::Question | Punct::QuestionQuestion if !polls => receive(p)?,
        _ => return condition(p),
    };
    Ok(finish(p, start, kind))
}

/// The token after the variable that begins so many tokens ahead, found by its brackets alone.
pub(super) fn var_ref_end(p: &Cursor, ahead: usize) -> usize {
    let token = |i: usize| &p.buffer[i.min(p.buffer.len() - 1)].token;
    let mut i = p.pos + ahead + 1;
    loop {
        if token(i).is(Punct::LeftBracket) {
            let mut depth = 0i32;
            loop {
                depth += i32::from(token(i).is(Punct::LeftBracket)) - i32::from(token(i).is(Punct::RightBracket));
                if token(i).kind == TokenKind::End || token(i).is(Punct::Semicolon) {
                    break;
                }
                i += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        if !token(i).is(Punct::Dot) {
            return i.min(p.buffer.len() - 1);
        }
        i += 2;
    }
}

/// `label: stmt`
fn labelled(p: &mut Cursor, may_else: bool) -> Parsed<Stmt> {
    let start = p.pos;
    let label = p.name("a label")?;
    p.bump();
    if declarations::ahead(p) || p.at_word("xr") || p.at_word("xs") {
        let message = "a label cannot stand before a declaration";
        p.error(Diagnostic::error(label.span, message).help("put the label before the next statement"));
        // The declaration is read as if it stood alone.
        p.ended_at = p.pos;
        return Ok(finish(p, start, StmtKind::Labelled(label, None)));
    }
    let alone = p.at_separator() || p.at(Punct::Option) || p.at_word("fi") || p.at_word("od");
    if alone || ends_here(p, Inside::Braces) || p.at_word("unless") {
        return Ok(finish(p, start, StmtKind::Labelled(label, None)));
    }
    let stmt = statement(p, may_else)?;
    Ok(finish(p, start, StmtKind::Labelled(label, Some(Box::new(stmt)))))
}

/// `c!a,b`, `c!a(b)`, `c!!a`
fn send(p: &mut Cursor, sorted: bool) -> Parsed<StmtKind> {
    let channel = expressions::var_ref(p)?;
    p.bump();
    let mut args = vec![expressions::expression(p)?];
    if p.at(Punct::LeftParen) && !p.at_line_break() {
        let open = p.open_paren("")?;
        args.append(&mut expressions::expressions(p)?);
        p.close_paren(open)?;
    } else if p.eat(Punct::Comma) {
        args.append(&mut expressions::expressions(p)?);
    }
    let mut runs = Vec::new();
    args.iter().for_each(|e| expressions::runs(e, &mut runs));
    if let Some(&run) = runs.first() {
        p.error(Diagnostic::error(run, "`run` cannot stand in a message").help("assign it to a variable first"));
    }
    Ok(StmtKind::Send { channel, args, sorted })
}

/// `c?a,b`, `c??a(b)`, `c?<a,b>`
fn receive(p: &mut Cursor) -> Parsed<StmtKind> {
    let channel = expressions::var_ref(p)?;
    let random = p.at(Punct::QuestionQuestion);
    p.bump();
    let copy = p.at(Punct::Less);
    let open = p.span();
    if copy {
        p.bump();
    }
    let mut args = Vec::new();
    expressions::receive_arguments(p, &mut args)?;
    if copy && !p.eat(Punct::Greater) {
        let message = format!("expected `>`, found {}", p.found());
        return Err(p.fail(Diagnostic::error(p.span(), message).related(open, "to close this")));
    }
    Ok(StmtKind::Receive { channel, args, random, copy })
}

/// `if :: … :: … fi`, `do :: … od`
fn choice(p: &mut Cursor, open: Open) -> StmtKind {
    let (word, close) = if open == Open::If { ("if", "fi") } else { ("do", "od") };
    let span = p.bump();
    p.open.push(open);
    let mut options = Vec::new();
    if !p.at(Punct::Option) {
        let message = format!("expected `::` after `{word}`, found {}", p.found());
        let diagnostic = Diagnostic::error(p.span(), message);
        p.error(diagnostic.help(format!("every option begins with `::`, as in `{word} :: guard -> … {close}`")));
        if !ends_here(p, Inside::Option) {
            options.push(sequence(p, span, Inside::Option, true));
        }
    }
    while p.at(Punct::Option) {
        let open = p.bump();
        options.push(sequence(p, open, Inside::Option, true));
    }
    p.open.pop();
    close_choice(p, open, span);
    if open == Open::If { StmtKind::If(options) } else { StmtKind::Do(options) }
}

fn close_choice(p: &mut Cursor, open: Open, span: Span) {
    let (word, close, other) = if open == Open::If { ("if", "fi", "od") } else { ("do", "od", "fi") };
    if p.eat_word(close) {
        return;
    }
    let wrong_close = p.at_word(other);
    // The other kind of end belongs to an outer choice if there is one to belong to.
    let outer = p.open.iter().rev().take_while(|o| **o != Open::Brace).any(|o| *o != open);
    let message = match wrong_close && !outer {
        true => format!("`{other}` closes an `{word}`, which ends with `{close}`"),
        false => format!("`{word}` without `{close}`: found {}", p.found()),
    };
    p.error(Diagnostic::error(p.span(), message).related(span, format!("this `{word}` is not closed")));
    if wrong_close && !outer {
        p.bump();
    }
}
