//! What dSPIN adds to Promela: references, functions, and records that are made and deleted (Iosif & Sisto, *dSPIN: A Dynamic
//! Extension of SPIN*, 1999). Its words are reserved only where it is asked for, so that other models keep them as names.

use quotient_report::diagnostic::Diagnostic;

use super::cursor::{self, Cursor, Parsed};
use super::statements::{self, finish};
use super::{declarations, expressions};
use crate::ast::{
    Call, Declarator, Expr, ExprKind, Field, Function, Made, Name, Returned, Stmt, StmtKind, Taken, VarRef,
};
use crate::token::{Punct, TokenKind};

/// Words that are no names in dSPIN.
const RESERVED: [&str; 5] = ["delete", "ftype", "function", "new", "null"];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether `&` or `& &` and a name stand so many tokens ahead, which after a type declare a reference.
pub(super) fn pointer_ahead(p: &Cursor, n: usize) -> bool {
    let twice = p.ahead(n).is(Punct::Ampersand) && p.ahead(n + 1).is(Punct::Ampersand);
    let is_one = p.ahead(n).is(Punct::Ampersand) || p.ahead(n).is(Punct::AndAnd);
    p.dynamic && is_one && matches!(p.ahead(n + 1 + usize::from(twice)).kind, TokenKind::Word(_))
}

/// `&`, `& &` or nothing, after a type: whether it is a reference, and one to a reference.
pub(super) fn pointers(p: &mut Cursor) -> (bool, bool) {
    if !p.dynamic {
        return (false, false);
    }
    if p.eat(Punct::AndAnd) {
        return (true, true);
    }
    let pointer = p.eat(Punct::Ampersand);
    (pointer, pointer && p.eat(Punct::Ampersand))
}

/// `function name(params) [: type [&]] { … }`
pub(super) fn function(p: &mut Cursor) -> Parsed<Function> {
    p.bump();
    let name = p.name("a function")?;
    let open = p.open_paren("and the parameters after the name of the function")?;
    let params = declarations::parameters(p)?;
    p.close_paren(open)?;
    let mut result = None;
    if p.eat(Punct::Colon) {
        let (ty, span) = declarations::type_name(p)?;
        let (pointer, indirect) = pointers(p);
        let name = Name { text: "".into(), span };
        result = Some((ty, Declarator { pointer, indirect, name, width: None, length: None, init: None }));
    }
    let body = declarations::body(p, "before the body of the function")?;
    Ok(Function { name, params, result, body })
}

/// Whether a statement that only dSPIN has begins here.
pub(super) fn statement_ahead(p: &Cursor) -> bool {
    let returns = p.at_word("return") && p.frames.is_empty();
    let stores = p.at(Punct::Star) && p.buffer[statements::var_ref_end(p, 1)].token.is(Punct::Assign);
    p.dynamic && (p.at_word("delete") || stores || returns || call_ahead(p) || call_through_ahead(p))
}

/// `delete p`, `f(args)`, `return e`, `*p = e`
pub(super) fn statement(p: &mut Cursor) -> Parsed<Stmt> {
    let start = p.pos;
    let kind = if p.at_word("delete") {
        p.bump();
        StmtKind::Delete(expressions::var_ref(p)?)
    } else if p.at_word("return") {
        p.bump();
        StmtKind::Return(returned(p)?)
    } else if p.at(Punct::Star) {
        let var = followed(p)?;
        p.expect(Punct::Assign, "and a value after what is to be assigned")?;
        match assigned(p, &var)? {
            Some(kind) => kind,
            None => StmtKind::Assign(var, expressions::full_expression(p)?),
        }
    } else {
        StmtKind::Call { target: None, call: call(p)? }
    };
    Ok(finish(p, start, kind))
}

fn returned(p: &mut Cursor) -> Parsed<Returned> {
    let ends = p.separated() || p.at(Punct::RightBrace) || p.at(Punct::Option) || p.at_word("fi") || p.at_word("od");
    if ends || p.at_end() {
        return Ok(Returned::Nothing);
    }
    if p.at_word("new") {
        return Ok(Returned::Made(made(p)?));
    }
    if call_ahead(p) || call_through_ahead(p) {
        return Ok(Returned::Call(call(p)?));
    }
    Ok(Returned::Value(expressions::full_expression(p)?))
}

/// `new T` or `f(args)` on the right of `=`, if that stands here.
pub(super) fn assigned(p: &mut Cursor, target: &VarRef) -> Parsed<Option<StmtKind>> {
    if !p.dynamic {
        return Ok(None);
    }
    if p.at_word("new") {
        return Ok(Some(StmtKind::New { target: target.clone(), made: made(p)? }));
    }
    if call_ahead(p) || call_through_ahead(p) {
        return Ok(Some(StmtKind::Call { target: Some(target.clone()), call: call(p)? }));
    }
    Ok(None)
}

fn call_ahead(p: &Cursor) -> bool {
    p.word().is_some_and(|word| p.functions.contains(&word)) && p.ahead(1).is(Punct::LeftParen)
}

/// Whether a variable stands here that is called, in a model that has variables for functions.
fn call_through_ahead(p: &Cursor) -> bool {
    let callable = p.word().is_some_and(|word| {
        !cursor::is_reserved(&word)
            && !is_reserved(&word)
            && !p.proctypes.contains(&word)
            && !p.inline_names.contains(&word)
    });
    if !p.dynamic || !p.function_values || !callable {
        return false;
    }
    let end = &p.buffer[statements::var_ref_end(p, 0)];
    end.token.is(Punct::LeftParen) && !end.starts_line
}

fn call(p: &mut Cursor) -> Parsed<Call> {
    let start = p.pos;
    let through = if call_ahead(p) { None } else { Some(expressions::var_ref(p)?) };
    let name = match &through {
        Some(var) => var.path[0].name.clone(),
        None => p.name("a function")?,
    };
    let open = p.open_paren("after the name of the function")?;
    let args = if p.at(Punct::RightParen) { Vec::new() } else { expressions::expressions(p)? };
    p.close_paren(open)?;
    Ok(Call { name, through, args, span: p.span_from(start) })
}

/// `new T`, `new T[length]`
fn made(p: &mut Cursor) -> Parsed<Made> {
    let start = p.pos;
    p.bump();
    let (ty, _) = declarations::type_name(p)?;
    let length = if p.at(Punct::LeftBracket) { Some(declarations::bracketed(p)?) } else { None };
    Ok(Made { ty, length, span: p.span_from(start) })
}

/// Whether an expression that only dSPIN has begins here.
pub(super) fn primary_ahead(p: &Cursor) -> bool {
    p.dynamic
        && (p.at(Punct::Star)
            || p.at(Punct::Ampersand)
            || p.word().is_some_and(|word| is_reserved(&word))
            || call_ahead(p))
}

/// `null`, `*p`, `&x`
pub(super) fn primary(p: &mut Cursor) -> Parsed<ExprKind> {
    if p.at_word("null") {
        p.bump();
        return Ok(ExprKind::Null);
    }
    if p.at(Punct::Star) {
        return Ok(ExprKind::Var(followed(p)?));
    }
    if p.eat(Punct::Ampersand) {
        let var = expressions::var_ref(p)?;
        if let Some(last) = var.path.last() {
            let (field, name) = (var.path.len() > 1, last.name.text.clone());
            p.taken_in_unit.push(Taken { body: None, field, name });
        }
        return Ok(ExprKind::Address(var));
    }
    let (message, help) = if p.at_word("new") {
        let message = "`new` can stand only on the right of `=`, and after `return`".to_string();
        (message, "assign it to a variable first")
    } else if call_ahead(p) {
        let message = format!("a call of `{}` cannot be part of an expression", p.token().text());
        (message, "write `x = f(…)` as a statement of its own, then use `x`")
    } else {
        (format!("expected an expression, found the reserved word `{}`", p.token().text()), "choose another name")
    };
    Err(p.fail(Diagnostic::error(p.span(), message).help(help)))
}

/// `(*p).key`, which is written in another way.
pub(super) fn field_of_parentheses(p: &mut Cursor, inside: &Expr) -> cursor::Failed {
    let problem = Diagnostic::error(p.span(), "a field cannot be named behind parentheses");
    let help = match (&inside.kind, &p.ahead(1).kind) {
        (ExprKind::Var(var), TokenKind::Word(field)) => format!("write `{var}.{field}`"),
        _ => "name the variable without them: `p.key`, or `p[0].key` where `*p` is a reference".to_string(),
    };
    p.fail(problem.help(help))
}

/// `*p`, which is the first element of what `p` refers to.
pub(super) fn followed(p: &mut Cursor) -> Parsed<VarRef> {
    let start = p.pos;
    let star = p.bump();
    let mut var = expressions::var_ref(p)?;
    if let Some(Field { index: index @ None, .. }) = var.path.last_mut() {
        *index = Some(Box::new(Expr { kind: ExprKind::Const(0), span: star }));
    } else {
        let message = "`*` stands before a reference, and this is an element already";
        p.error(Diagnostic::error(star, message).help("leave the `*` out"));
    }
    var.span = p.span_from(start);
    Ok(var)
}
