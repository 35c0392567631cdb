//! Inlines: definitions are kept as tokens, and a call is replaced by the body with the arguments put in for the
//! parameters, then parsed where it stands. Embedded C, which Quotient does not run, is skipped here too.

use std::collections::HashMap;
use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::cursor::{Cursor, Lexeme, Parsed};
use super::statements;
use crate::ast::{Name, Stmt, StmtKind, VarRef};
use crate::token::{Punct, Token, TokenKind};

/// How many inlines may be inside one another.
const MAX_NESTING: usize = 100;
/// How many tokens all expansions together may have: calls that call twice grow like powers of two.
const MAX_EXPANDED: usize = 2_000_000;

/// An inline as defined.
pub(super) struct Definition {
    name: Name,
    parameters: Vec<Name>,
    /// From `{` to `}`.
    body: Rc<Vec<Lexeme>>,
    home: u32,
}

/// A call that is being expanded.
pub(super) struct Frame {
    pub name: Rc<str>,
    pub call: Span,
    pub home: u32,
    /// What `return` assigns to.
    target: Option<VarRef>,
}

/// `inline name(a, b) { … }`
pub(super) fn definition(p: &mut Cursor) -> Parsed<()> {
    p.bump();
    let name = p.name("an inline")?;
    let open = p.open_paren("after the name of the inline")?;
    let mut parameters: Vec<Name> = Vec::new();
    while !p.at(Punct::RightParen) {
        let parameter = p.name("a parameter")?;
        if let Some(first) = parameters.iter().find(|n| n.text == parameter.text) {
            let message = format!("two parameters of `{}` are named `{}`", name.text, parameter.text);
            p.error(Diagnostic::error(parameter.span, message).related(first.span, "the first one"));
        }
        parameters.push(parameter);
        if !p.eat(Punct::Comma) {
            break;
        }
    }
    p.close_paren(open)?;
    let body = body(p)?;
    if let Some(first) = p.inlines.get(&name.text).map(|d| d.name.span) {
        let message = format!("inline `{}` is defined twice", name.text);
        p.error(Diagnostic::error(name.span, message).related(first, "first defined here"));
        return Ok(());
    }
    let home = p.inlines.len() as u32 + 1;
    let body = body.into_iter().map(|l| Lexeme { home, ..l }).collect();
    p.inlines.insert(name.text.clone(), Definition { name, parameters, body: Rc::new(body), home });
    Ok(())
}

/// Takes the tokens from `{` to its partner. A word that begins a unit cannot be inside, so it ends an unclosed body.
fn body(p: &mut Cursor) -> Parsed<Vec<Lexeme>> {
    let start = p.pos;
    let open = p.expect(Punct::LeftBrace, "before the body of the inline")?;
    let mut depth = 1;
    while depth > 0 {
        if p.at_end() || p.at_unit_word() {
            let message = format!("expected `}}`, found {}", p.found());
            return Err(p.fail(Diagnostic::error(p.span(), message).related(open, "this `{` is never closed")));
        }
        depth += i32::from(p.at(Punct::LeftBrace)) - i32::from(p.at(Punct::RightBrace));
        p.bump();
    }
    Ok(p.buffer[start..p.pos].to_vec())
}

/// Whether a call of an inline stands `n` tokens ahead.
pub(super) fn call_ahead(p: &Cursor, n: usize) -> bool {
    let TokenKind::Word(word) = &p.ahead(n).kind else { return false };
    p.inline_names.contains(word) && p.ahead(n + 1).is(Punct::LeftParen)
}

/// `name(arguments)`, or `target = name(arguments)` with the target already read since `start`.
pub(super) fn call(p: &mut Cursor, start: usize, target: Option<VarRef>) -> Parsed<Stmt> {
    let name = p.name("an inline")?;
    let open = p.open_paren("after the name of the inline")?;
    let arguments = arguments(p, open)?;
    let mentioned = words(&arguments);
    let span = p.span_from(start);
    p.ended_at = p.pos;
    // Whatever is wrong with the call, the text around it can be read on.
    let skip = statements::placeholder(span);
    let Some(definition) = p.inlines.get(&name.text) else {
        let message = format!("inline `{}` is called before it is defined", name.text);
        p.error(Diagnostic::error(name.span, message).help("move the definition above the first use"));
        return Ok(skip);
    };
    let defined = definition.name.span;
    if p.frames.iter().any(|f| f.name == name.text) {
        let message = format!("inline `{}` calls itself", name.text);
        let help = "an inline is replaced by its body, so the expansion would not end; use a proctype or a loop";
        p.error(Diagnostic::error(name.span, message).related(defined, "defined here").help(help));
        return Ok(skip);
    }
    if arguments.len() != definition.parameters.len() {
        let wants = definition.parameters.len();
        let message = format!("inline `{}` takes {}, but {} given", name.text, count(wants), given(arguments.len()));
        p.error(Diagnostic::error(name.span, message).related(defined, "defined here"));
        return Ok(skip);
    }
    let home = definition.home;
    let expanded = substitute(definition, &arguments, p.span(), MAX_EXPANDED.saturating_sub(p.expanded));
    let Some(expanded) = expanded.filter(|_| p.frames.len() < MAX_NESTING) else {
        let message = match p.frames.len() {
            MAX_NESTING.. => format!("inlines nested deeper than {MAX_NESTING} levels"),
            _ => format!("the inline calls expand to more than {MAX_EXPANDED} tokens"),
        };
        let failed = p.fail(Diagnostic::error(name.span, message));
        p.abandon();
        return Err(failed);
    };
    p.expanded += expanded.len();
    p.calls += 1;
    let id = p.calls;
    p.frames.push(Frame { name: name.text.clone(), call: name.span, home, target });
    // The body closes what it opens: nothing outside is any of its business.
    let outer_open = std::mem::take(&mut p.open);
    let outer = (std::mem::replace(&mut p.buffer, Rc::new(expanded)), std::mem::replace(&mut p.pos, 0));
    let outer_end = std::mem::replace(&mut p.ended_at, usize::MAX);
    let outer_parens = std::mem::take(&mut p.parens);
    let body = statements::block(p, "before the body of the inline");
    p.parens = outer_parens;
    p.ended_at = outer_end;
    p.resume(outer.0, outer.1);
    p.open = outer_open;
    p.frames.pop();
    Ok(Stmt { kind: StmtKind::Inlined { name, id, mentioned, body: body? }, span })
}

/// `return e` inside an inline that was called as `x = f(…)` is the assignment `x = e`.
pub(super) fn return_statement(p: &mut Cursor) -> Parsed<Stmt> {
    let start = p.pos;
    let word = p.bump();
    let value = super::expressions::full_expression(p)?;
    let span = p.span_from(start);
    match p.frames.last().map(|f| (f.target.clone(), f.name.clone())) {
        Some((Some(target), _)) => Ok(Stmt { kind: StmtKind::Assign(target, value), span }),
        Some((None, name)) => {
            let message = format!("`return` in `{name}`, which is called without anything to assign to");
            p.error(Diagnostic::error(word, message).help(format!("call it as `x = {name}(…)`")));
            Ok(statements::placeholder(span))
        }
        None => {
            p.error(Diagnostic::error(word, "`return` outside an inline"));
            Ok(statements::placeholder(span))
        }
    }
}

/// The arguments' tokens, split at the commas that are not inside brackets.
fn arguments(p: &mut Cursor, open: Span) -> Parsed<Vec<Vec<Lexeme>>> {
    let mut all = Vec::new();
    let mut current: Vec<Lexeme> = Vec::new();
    let mut depth = 0usize;
    loop {
        let token = p.token();
        let opens = [Punct::LeftParen, Punct::LeftBracket, Punct::LeftBrace].iter().any(|&b| token.is(b));
        let closes = [Punct::RightParen, Punct::RightBracket, Punct::RightBrace].iter().any(|&b| token.is(b));
        let ends = depth == 0 && (closes || p.at(Punct::Comma));
        if p.at_end() || p.at_unit_word() || p.at(Punct::Semicolon) || depth == 0 && closes && !p.at(Punct::RightParen)
        {
            p.close_paren(open)?;
        }
        if !ends {
            depth = if closes { depth - 1 } else { depth + usize::from(opens) };
            current.push(p.buffer[p.pos].clone());
            p.bump();
            continue;
        }
        let last = closes;
        if current.is_empty() && !(last && all.is_empty()) {
            return Err(p.expected("an argument"));
        }
        if !current.is_empty() {
            all.push(std::mem::take(&mut current));
        }
        if last {
            p.close_paren(open)?;
            return Ok(all);
        }
        p.bump();
    }
}

/// The words in arguments that can be names of variables.
fn words(arguments: &[Vec<Lexeme>]) -> Vec<Name> {
    let mut words = Vec::new();
    for argument in arguments {
        for (number, lexeme) in argument.iter().enumerate() {
            let is_field = number > 0 && argument[number - 1].token.is(Punct::Dot);
            if let TokenKind::Word(text) = &lexeme.token.kind
                && !is_field
            {
                words.push(Name { text: text.clone(), span: lexeme.token.span });
            }
        }
    }
    words
}

/// The body with the arguments in place, or nothing if that is longer than `limit`.
fn substitute(definition: &Definition, arguments: &[Vec<Lexeme>], end: Span, limit: usize) -> Option<Vec<Lexeme>> {
    let names = definition.parameters.iter().map(|n| &*n.text);
    let by_name: HashMap<&str, &Vec<Lexeme>> = names.zip(arguments).collect();
    let mut out: Vec<Lexeme> = Vec::with_capacity(definition.body.len() + 1);
    for lexeme in definition.body.iter() {
        let argument = match &lexeme.token.kind {
            TokenKind::Word(w) => by_name.get(&**w),
            _ => None,
        };
        match argument {
            // An argument stands on the body's line, whatever lines the call is written on.
            Some(tokens) => out.extend(
                tokens
                    .iter()
                    .enumerate()
                    .map(|(i, l)| Lexeme { starts_line: i == 0 && lexeme.starts_line, ..l.clone() }),
            ),
            None => out.push(lexeme.clone()),
        }
        if out.len() > limit {
            return None;
        }
    }
    let span = definition.body.last().map_or(end, |l| l.token.span);
    out.push(Lexeme { token: Token { kind: TokenKind::End, span }, home: definition.home, starts_line: true });
    Some(out)
}

fn count(n: usize) -> String {
    match n {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        _ => format!("{n} arguments"),
    }
}

fn given(n: usize) -> String {
    match n {
        0 => "none are".to_string(),
        1 => "1 is".to_string(),
        _ => format!("{n} are"),
    }
}

/// Whether embedded C stands here.
pub(super) fn at_embedded_c(p: &Cursor) -> bool {
    ["c_code", "c_expr", "c_decl", "c_state", "c_track"].iter().any(|w| p.at_word(w))
}

/// Reports embedded C and steps over it: strings, `[…]` and `{…}` in any number, as each form has its own.
pub(super) fn skip_embedded_c(p: &mut Cursor) {
    let word = p.token().text();
    let span = p.bump();
    let message = format!("`{word}` is embedded C, which Quotient does not run");
    p.error(Diagnostic::error(span, message).help("write this part of the model in Promela"));
    let in_braces = !matches!(&*word, "c_state" | "c_track");
    if in_braces && p.at(Punct::LeftBracket) {
        p.skip_brackets(Punct::LeftBracket, Punct::RightBracket);
    }
    if in_braces && p.at(Punct::LeftBrace) {
        p.skip_brackets(Punct::LeftBrace, Punct::RightBrace);
    }
    while !in_braces && matches!(p.token().kind, TokenKind::Text(_)) {
        p.bump();
    }
}
