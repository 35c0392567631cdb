//! Top-level units and declarations. Whatever is wrong inside a unit, the next word that can only begin a unit starts
//! a new one.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::cursor::{Cursor, Failed, Parsed, is_reserved};
use super::{dynamic, expressions, formulas, inline, statements};
use crate::ast::{
    Active, Decl, Declarator, Expr, Init, Initialiser, MessageField, MtypeDecl, Never, Proctype, ScalarsetDecl,
    Sequence, Taken, Trace, TypeName, Typedef, Unit, Visibility,
};
use crate::token::{Punct, TokenKind};

/// The whole specification.
pub(super) fn units(p: &mut Cursor) -> Vec<Unit> {
    let mut units = Vec::new();
    while !p.at_end() {
        let start = p.pos;
        match unit(p) {
            Ok(unit) => {
                let has_body = unit.as_ref().is_some_and(is_body);
                let body = units.iter().filter(|unit| is_body(unit)).count();
                let taken = std::mem::take(&mut p.taken_in_unit);
                let taken = taken.into_iter().map(|taken| Taken { body: has_body.then_some(body), ..taken });
                p.taken.extend(taken);
                units.extend(unit);
            }
            Err(Failed) => next_unit(p, start),
        }
        p.parens = 0;
        p.in_body = false;
        p.in_ltl = false;
    }
    units
}

/// Whether a unit is one of the bodies that are counted.
fn is_body(unit: &Unit) -> bool {
    matches!(unit, Unit::Proctype(_) | Unit::Init(_) | Unit::Never(_) | Unit::Trace(_) | Unit::Function(_))
}

/// Skips to where a unit may begin, and at least one token.
fn next_unit(p: &mut Cursor, start: usize) {
    if p.pos == start {
        p.bump();
    }
    while !p.at_end() && !p.at_unit_word() {
        if p.at(Punct::LeftBrace) {
            p.skip_brackets(Punct::LeftBrace, Punct::RightBrace);
            return;
        }
        if p.at(Punct::Semicolon) && p.parens == 0 {
            return;
        }
        // Parameters are separated by `;` too, so an unclosed parenthesis is left by its partner or a brace.
        if p.at(Punct::RightParen) {
            p.parens = 0;
        }
        p.bump();
    }
}

fn unit(p: &mut Cursor) -> Parsed<Option<Unit>> {
    let unit = match p.word().as_deref() {
        Some("active" | "proctype" | "D_proctype") => Unit::Proctype(proctype(p)?),
        Some("init") => Unit::Init(init(p)?),
        Some("never") => Unit::Never(never(p)?),
        Some("trace" | "notrace") => {
            let negated = p.at_word("notrace");
            let span = p.bump();
            Unit::Trace(Trace { span, negated, body: body(p, "after `trace`")? })
        }
        Some("ltl") => Unit::Ltl(formulas::ltl(p)?),
        Some("typedef") => Unit::Typedef(typedef(p)?),
        Some("function") if p.dynamic => Unit::Function(dynamic::function(p)?),
        Some("scalarset") if matches!(p.ahead(1).kind, TokenKind::Word(_)) && p.ahead(2).is(Punct::LeftBracket) => {
            p.bump();
            let name = p.name("a scalarset")?;
            Unit::Scalarset(ScalarsetDecl { name, size: bracketed(p)? })
        }
        Some("inline") => {
            inline::definition(p)?;
            return Ok(None);
        }
        _ if p.at_separator() => {
            p.bump();
            return Ok(None);
        }
        _ if inline::at_embedded_c(p) => {
            inline::skip_embedded_c(p);
            return Ok(None);
        }
        _ if mtype_names_ahead(p) => Unit::Mtype(mtype_names(p)?),
        _ if ahead(p) || two_names(p) => Unit::Decl(declaration(p, "")?),
        Some(word) if is_reserved(word) && !is_type_word(word) => {
            let message = format!("`{word}` can only stand inside the body of a process");
            return Err(p.fail(Diagnostic::error(p.span(), message)));
        }
        _ => return Err(p.expected("a declaration, a proctype, `init`, `never`, `ltl` or `inline`")),
    };
    Ok(Some(unit))
}

pub(super) fn body(p: &mut Cursor, place: &str) -> Parsed<Sequence> {
    p.in_body = true;
    p.parens = 0;
    statements::block(p, place)
}

/// `[active [n]] proctype name(params) [priority n] [provided (e)] { … }`
fn proctype(p: &mut Cursor) -> Parsed<Proctype> {
    let active = if p.at_word("active") { Some(active(p)?) } else { None };
    let deterministic = p.at_word("D_proctype");
    if !deterministic && !p.at_word("proctype") {
        return Err(p.expected("`proctype` after `active`"));
    }
    p.bump();
    let name = p.name("a proctype")?;
    let open = p.open_paren("and the parameters after the name of the proctype")?;
    let params = parameters(p)?;
    p.close_paren(open)?;
    let priority = expressions::priority(p)?;
    let provided = if p.eat_word("provided") {
        let open = p.open_paren("after `provided`")?;
        let expr = expressions::full_expression(p)?;
        p.close_paren(open)?;
        Some(expr)
    } else {
        None
    };
    let body = body(p, "before the body of the proctype")?;
    Ok(Proctype { active, deterministic, name, params, priority, provided, body })
}

fn active(p: &mut Cursor) -> Parsed<Active> {
    let span = p.bump();
    if p.at(Punct::Box) {
        return Err(p.expected("the number of processes between the brackets"));
    }
    let count = if p.at(Punct::LeftBracket) { Some(bracketed(p)?) } else { None };
    Ok(Active { count, span })
}

/// `[e]`
pub(super) fn bracketed(p: &mut Cursor) -> Parsed<Expr> {
    let open = p.expect(Punct::LeftBracket, "")?;
    p.parens += 1;
    let expr = expressions::expression(p)?;
    p.close(Punct::RightBracket, open)?;
    Ok(expr)
}

/// `byte a, b; chan c`
pub(super) fn parameters(p: &mut Cursor) -> Parsed<Vec<Decl>> {
    let mut params = Vec::new();
    while !p.at(Punct::RightParen) {
        let decl = declaration(p, "in the parameters")?;
        let initialised = decl.vars.iter().find_map(|v| v.init.as_ref().map(|_| v.name.clone()));
        if let Some(name) = initialised {
            let message = format!("the parameter `{}` cannot have an initial value", name.text);
            p.error(Diagnostic::error(name.span, message).help("its value is given by `run`, or 0 if it is `active`"));
        }
        params.push(decl);
        if !p.eat(Punct::Semicolon) {
            break;
        }
    }
    Ok(params)
}

fn init(p: &mut Cursor) -> Parsed<Init> {
    let span = p.bump();
    let priority = expressions::priority(p)?;
    Ok(Init { span, priority, body: body(p, "after `init`")? })
}

fn never(p: &mut Cursor) -> Parsed<Never> {
    let span = p.bump();
    let name = if p.at(Punct::LeftBrace) { None } else { Some(p.name("a never claim")?) };
    Ok(Never { span, name, body: body(p, "after `never`")? })
}

/// `typedef Name { fields }`
fn typedef(p: &mut Cursor) -> Parsed<Typedef> {
    p.bump();
    let name = p.name("a type")?;
    if p.dynamic && p.at(Punct::Semicolon) {
        return Ok(Typedef { name, fields: None });
    }
    let open = p.expect(Punct::LeftBrace, "before the fields of the type")?;
    p.in_body = true;
    let mut fields = Vec::new();
    loop {
        while p.at(Punct::Semicolon) {
            p.bump();
        }
        if p.at(Punct::RightBrace) {
            break;
        }
        if !ahead(p) && !two_names(p) {
            p.parens += 1;
            p.close(Punct::RightBrace, open)?;
        }
        fields.push(declaration(p, "in a typedef")?);
        if !p.separated() && !p.at(Punct::RightBrace) {
            return Err(p.expected("`;` between fields"));
        }
    }
    let close = p.bump();
    if fields.is_empty() {
        let message = format!("the type `{}` has no fields", name.text);
        p.error(Diagnostic::error(open.to(close), message));
    }
    Ok(Typedef { name, fields: Some(fields) })
}

/// Whether `mtype [: sub] [=] {` stands here.
fn mtype_names_ahead(p: &Cursor) -> bool {
    if !p.at_word("mtype") {
        return false;
    }
    let skipped = if p.ahead(1).is(Punct::Colon) { 3 } else { 1 };
    p.ahead(skipped).is(Punct::LeftBrace)
        || p.ahead(skipped).is(Punct::Assign) && p.ahead(skipped + 1).is(Punct::LeftBrace)
}

/// `mtype [: sub] [=] { a, b, c }`; the commas are optional.
fn mtype_names(p: &mut Cursor) -> Parsed<MtypeDecl> {
    let span = p.bump();
    let subtype = if p.eat(Punct::Colon) { Some(p.name("a kind of mtype")?) } else { None };
    p.eat(Punct::Assign);
    let open = p.expect(Punct::LeftBrace, "before the names")?;
    let mut names = Vec::new();
    while matches!(p.token().kind, TokenKind::Word(_)) {
        names.push(p.name("an mtype constant")?);
        while p.eat(Punct::Comma) {}
    }
    p.close(Punct::RightBrace, open)?;
    if names.is_empty() {
        p.error(Diagnostic::error(open, "an mtype declaration needs at least one name"));
    }
    Ok(MtypeDecl { span, subtype, names })
}

fn is_type_word(word: &str) -> bool {
    matches!(word, "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "chan" | "mtype")
}

/// Whether a declaration begins here.
pub(super) fn ahead(p: &Cursor) -> bool {
    let TokenKind::Word(word) = &p.token().kind else { return false };
    is_type_word(word)
        || matches!(&**word, "hidden" | "show" | "local")
        || p.dynamic && &**word == "ftype"
        || p.typedefs.contains(word) && matches!(p.ahead(1).kind, TokenKind::Word(_))
        || p.typedefs.contains(word) && dynamic::pointer_ahead(p, 1)
}

/// Two names in a row: outside bodies this can only be a declaration with a type that does not exist, about which
/// `resolve` has more to say.
fn two_names(p: &Cursor) -> bool {
    let name = |n: usize| matches!(&p.ahead(n).kind, TokenKind::Word(w) if !is_reserved(w));
    name(0) && (name(1) || dynamic::pointer_ahead(p, 1))
}

/// `[hidden|show|local] type a, b = 1`; `place` says where, for messages.
pub(super) fn declaration(p: &mut Cursor, place: &str) -> Parsed<Decl> {
    let visibility = match p.word().as_deref() {
        Some("hidden") => Some((Visibility::Hidden, p.bump())),
        Some("show") => Some((Visibility::Show, p.bump())),
        Some("local") => Some((Visibility::Local, p.bump())),
        _ => None,
    };
    if mtype_names_ahead(p) {
        let message = match visibility {
            Some(_) => "`hidden`, `show` and `local` are for variables, not for the names of an mtype",
            None => "the names of an mtype must be declared outside bodies",
        };
        p.error(Diagnostic::error(p.span(), message));
        let names = mtype_names(p)?;
        return Ok(Decl { span: names.span, visibility, ty: TypeName::Mtype(names.subtype), vars: Vec::new() });
    }
    let (ty, span) = type_name(p)?;
    let mut vars = vec![declarator(p)?];
    while p.eat(Punct::Comma) {
        if place == "in the parameters" && ahead(p) {
            let message = "expected `;` between parameters of different types, found `,`";
            let comma = p.buffer[p.pos - 1].token.span;
            return Err(p.fail(Diagnostic::error(comma, message).help("as in `proctype P(byte a, b; chan c)`")));
        }
        vars.push(declarator(p)?);
    }
    Ok(Decl { span, visibility, ty, vars })
}

pub(super) fn type_name(p: &mut Cursor) -> Parsed<(TypeName, Span)> {
    let Some(word) = p.word() else { return Err(p.expected("a type")) };
    if is_reserved(&word) && !is_type_word(&word) {
        return Err(p.expected("a type"));
    }
    let start = p.pos;
    let ty = match &*word {
        "bit" => TypeName::Bit,
        "bool" => TypeName::Bool,
        "byte" => TypeName::Byte,
        "pid" => TypeName::Pid,
        "short" => TypeName::Short,
        "int" => TypeName::Int,
        "unsigned" => TypeName::Unsigned,
        "chan" => TypeName::Chan,
        "mtype" => {
            p.bump();
            let subtype = if p.eat(Punct::Colon) { Some(p.name("a kind of mtype")?) } else { None };
            return Ok((TypeName::Mtype(subtype), p.span_from(start)));
        }
        "ftype" if p.dynamic => TypeName::Function,
        _ => TypeName::User(p.name("a type")?),
    };
    if is_type_word(&word) || matches!(ty, TypeName::Function) {
        p.bump();
    }
    Ok((ty, p.span_from(start)))
}

/// `name`, `name : width`, `name[n]`, with an optional initialiser.
fn declarator(p: &mut Cursor) -> Parsed<Declarator> {
    let (pointer, indirect) = dynamic::pointers(p);
    let name = p.name("a variable")?;
    let mut width = None;
    if p.eat(Punct::Colon) {
        let TokenKind::Number(n) = p.token().kind else { return Err(p.expected("a number of bits after `:`")) };
        width = Some((n, p.bump()));
    }
    if p.at(Punct::Box) {
        return Err(p.expected("the length of the array between the brackets"));
    }
    let length = if p.at(Punct::LeftBracket) { Some(bracketed(p)?) } else { None };
    if p.at(Punct::LeftBracket) {
        let message = "arrays have one dimension only";
        let help = "use a `typedef` with an array in it, and an array of that type";
        return Err(p.fail(Diagnostic::error(p.span(), message).help(help)));
    }
    let init = if p.eat(Punct::Assign) { Some(initialiser(p)?) } else { None };
    Ok(Declarator { pointer, indirect, name, width, length, init })
}

fn initialiser(p: &mut Cursor) -> Parsed<Initialiser> {
    let start = p.pos;
    if p.at(Punct::LeftBracket) || p.at(Punct::Box) {
        return channel(p);
    }
    if p.at(Punct::LeftBrace) {
        let open = p.bump();
        p.parens += 1;
        let values = expressions::expressions(p)?;
        p.close(Punct::RightBrace, open)?;
        return Ok(Initialiser::List(values, p.span_from(start)));
    }
    let expr = expressions::expression(p)?;
    let mut runs = Vec::new();
    expressions::runs(&expr, &mut runs);
    if let Some(&run) = runs.first() {
        let message = "`run` cannot give a variable its initial value";
        p.error(Diagnostic::error(run, message).help("declare the variable first, then assign to it"));
    }
    Ok(Initialiser::Expr(expr))
}

/// `[capacity] of { types }`
fn channel(p: &mut Cursor) -> Parsed<Initialiser> {
    let start = p.pos;
    if p.at(Punct::Box) {
        return Err(p.expected("the capacity of the channel between the brackets"));
    }
    let capacity = bracketed(p)?;
    if !p.eat_word("of") {
        return Err(p.expected("`of` and the types of the messages after the capacity"));
    }
    let open = p.expect(Punct::LeftBrace, "before the types of the messages")?;
    p.parens += 1;
    let mut fields = vec![message_field(p)?];
    while p.eat(Punct::Comma) {
        fields.push(message_field(p)?);
    }
    p.close(Punct::RightBrace, open)?;
    Ok(Initialiser::Channel { capacity, fields, span: p.span_from(start) })
}

/// The type of a field of messages.
fn message_field(p: &mut Cursor) -> Parsed<MessageField> {
    let (ty, span) = type_name(p)?;
    let (pointer, indirect) = dynamic::pointers(p);
    Ok(MessageField { ty, pointer, indirect, span })
}
