//! Expressions, by precedence climbing over SPIN's table of operators. SPIN keeps expressions with a probe (`full(c)`
//! and its kin) apart, so that they cannot be negated by mistake; here that is checked where an operator takes them.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::cursor::{Cursor, Parsed, is_reserved};
use super::{dynamic, inline};
use crate::ast::{BinaryOp, Expr, ExprKind, Field, Probe, Quantifier, RecvArg, UnaryOp, VarRef};
use crate::token::{Punct, TokenKind};

/// An expression and the height of its tree, which is bounded so that nothing that recurses over it overflows.
type Tree = (Expr, usize);

/// An expression in which a probe may stand, alone or under `&&` and `||`.
pub(super) fn full_expression(p: &mut Cursor) -> Parsed<Expr> {
    let (expr, height) = binary(p, 0)?;
    p.tallest = p.tallest.max(height);
    Ok(expr)
}

/// An expression without a probe.
pub(super) fn expression(p: &mut Cursor) -> Parsed<Expr> {
    let expr = full_expression(p)?;
    reject_probe(p, &expr, "here");
    Ok(expr)
}

fn binary(p: &mut Cursor, min: u8) -> Parsed<Tree> {
    let start = p.pos;
    let (mut left, mut height) = unary(p)?;
    while let Some((op, precedence)) = binary_operator(p) {
        if precedence < min {
            break;
        }
        if op == BinaryOp::Sub && p.at_line_break() {
            let message = "a line break ends the statement before this `-`, which therefore starts a new one";
            let help = "put the `-` at the end of the line before, or the expression in parentheses";
            p.error(Diagnostic::warning(p.span(), message).help(help));
            break;
        }
        let spelling = p.token().text();
        p.bump();
        p.enter()?;
        let right = binary(p, precedence + 1);
        p.leave();
        let (right, right_height) = right?;
        height = height.max(right_height) + 1;
        p.check_depth(height)?;
        let span = p.span_from(start);
        if !matches!(op, BinaryOp::And | BinaryOp::Or) && !is_temporal_operator(op) {
            for operand in [&left, &right] {
                reject_probe(p, operand, &format!("as an operand of `{spelling}`"));
                reject_temporal(p, operand, &spelling);
            }
        }
        left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
    }
    Ok((left, height))
}

/// The binary operator here with its precedence; all of them associate to the left.
fn binary_operator(p: &Cursor) -> Option<(BinaryOp, u8)> {
    use BinaryOp::*;
    Some(match &p.token().kind {
        TokenKind::Punct(punct) => match punct {
            Punct::Arrow if p.in_ltl => (Implies, 1),
            Punct::Equivalent if p.in_ltl => (Equivalent, 1),
            Punct::OrOr => (Or, 2),
            Punct::AndAnd => (And, 3),
            Punct::Bar => (BitOr, 5),
            Punct::Caret => (BitXor, 6),
            Punct::Ampersand => (BitAnd, 7),
            Punct::EqualEqual => (Eq, 8),
            Punct::NotEqual => (Ne, 8),
            Punct::Less => (Lt, 9),
            Punct::LessEqual => (Le, 9),
            Punct::Greater => (Gt, 9),
            Punct::GreaterEqual => (Ge, 9),
            Punct::ShiftLeft => (Shl, 10),
            Punct::ShiftRight => (Shr, 10),
            Punct::Plus => (Add, 11),
            Punct::Minus => (Sub, 11),
            Punct::Star => (Mul, 12),
            Punct::Slash => (Div, 12),
            Punct::Percent => (Rem, 12),
            _ => return None,
        },
        TokenKind::Word(word) if p.in_ltl => match &**word {
            "implies" => (Implies, 1),
            "equivalent" => (Equivalent, 1),
            "or" => (Or, 2),
            "and" => (And, 3),
            "U" | "until" | "stronguntil" => (Until, 4),
            "W" | "weakuntil" => (WeakUntil, 4),
            "V" | "R" | "release" => (Release, 4),
            _ => return None,
        },
        _ => return None,
    })
}

fn unary_operator(p: &Cursor) -> Option<UnaryOp> {
    Some(match &p.token().kind {
        TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
        TokenKind::Punct(Punct::Minus) => UnaryOp::Neg,
        TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
        TokenKind::Punct(Punct::Box) if p.in_ltl => UnaryOp::Always,
        TokenKind::Punct(Punct::Diamond) if p.in_ltl => UnaryOp::Eventually,
        TokenKind::Word(word) if p.in_ltl => match &**word {
            "always" => UnaryOp::Always,
            "eventually" => UnaryOp::Eventually,
            "X" | "next" => UnaryOp::Next,
            "G" if operand_ahead(p) => UnaryOp::Always,
            "F" if operand_ahead(p) => UnaryOp::Eventually,
            _ => return None,
        },
        _ => return None,
    })
}

/// Whether an operand comes next. Then a letter before it is an operator and not a variable.
fn operand_ahead(p: &Cursor) -> bool {
    match &p.ahead(1).kind {
        TokenKind::Number(_) => true,
        TokenKind::Punct(punct) => matches!(punct, Punct::LeftParen | Punct::Bang | Punct::Box | Punct::Diamond),
        TokenKind::Word(word) => {
            let between = ["U", "until", "stronguntil", "W", "weakuntil", "V", "R", "release"];
            !between.contains(&&**word) && !["implies", "equivalent", "or", "and"].contains(&&**word)
        }
        _ => false,
    }
}

fn unary(p: &mut Cursor) -> Parsed<Tree> {
    p.enter()?;
    let tree = match unary_operator(p) {
        Some(op) => applied(p, op),
        None => primary(p),
    };
    p.leave();
    tree
}

fn applied(p: &mut Cursor, op: UnaryOp) -> Parsed<Tree> {
    let start = p.pos;
    let spelling = p.token().text();
    p.bump();
    if op == UnaryOp::Neg && p.token().kind == TokenKind::Number(i32::MIN) {
        p.bump();
        return Ok((Expr { kind: ExprKind::Const(i32::MIN), span: p.span_from(start) }, 1));
    }
    let (operand, height) = unary(p)?;
    p.check_depth(height + 1)?;
    if matches!(op, UnaryOp::Not | UnaryOp::Neg | UnaryOp::BitNot) {
        reject_probe(p, &operand, &format!("under `{spelling}`"));
    }
    Ok((Expr { kind: ExprKind::Unary(op, Box::new(operand)), span: p.span_from(start) }, height + 1))
}

fn primary(p: &mut Cursor) -> Parsed<Tree> {
    let start = p.pos;
    // What is read from here to the end are the trees below this one: indices and arguments.
    let beside = std::mem::take(&mut p.tallest);
    let kind = match p.token().kind.clone() {
        TokenKind::Number(i32::MIN) => {
            let problem = Diagnostic::error(p.span(), format!("`{}` is too large", p.token().text()));
            return Err(p.fail(problem.help(format!("the largest number is {}", i32::MAX))));
        }
        TokenKind::Number(n) => {
            p.bump();
            ExprKind::Const(n)
        }
        TokenKind::Punct(Punct::LeftParen) => {
            p.tallest = beside;
            let tree = parenthesised(p)?;
            return match p.dynamic && p.at(Punct::Dot) {
                true => Err(dynamic::field_of_parentheses(p, &tree.0)),
                false => Ok(tree),
            };
        }
        TokenKind::Punct(op @ (Punct::PlusPlus | Punct::MinusMinus | Punct::BangBang)) => {
            let help = match op {
                Punct::BangBang => "`!!` is a sorted send; for a double negation write `!(!x)`".to_string(),
                op => format!("`{0}` stands after a variable: `x{0}`, and only as a statement", op.text()),
            };
            let message = format!("expected an expression, found `{}`", op.text());
            return Err(p.fail(Diagnostic::error(p.span(), message).help(help)));
        }
        _ if dynamic::primary_ahead(p) => dynamic::primary(p)?,
        TokenKind::Word(word) if p.proctypes.contains(&word) => remote(p)?,
        TokenKind::Word(word) if is_reserved(&word) => keyword(p, &word)?,
        // `and` and `or` may be names.
        TokenKind::Word(word) if p.in_ltl && binary_operator(p).is_some() && !["and", "or"].contains(&&*word) => {
            let message = format!("expected a formula before the operator `{word}`");
            return Err(p.fail(Diagnostic::error(p.span(), message)));
        }
        TokenKind::Word(_) if quantifier_ahead(p).is_some() => quantified(p)?,
        TokenKind::Word(word) if inline::call_ahead(p, 0) => {
            let message = format!("`{word}` is an inline, and calling one is a statement, not part of an expression");
            let help = format!("write `x = {word}(…)` as a statement of its own, then use `x`");
            return Err(p.fail(Diagnostic::error(p.span(), message).help(help)));
        }
        TokenKind::Word(_) => variable_or_poll(p)?,
        TokenKind::Text(_) => {
            let message = "a string cannot be used in an expression";
            return Err(p.fail(Diagnostic::error(p.span(), message)));
        }
        _ => return Err(p.expected("an expression")),
    };
    let below = std::mem::replace(&mut p.tallest, beside);
    Ok((Expr { kind, span: p.span_from(start) }, below + 1))
}

/// `(e)` or `(c -> a : b)`
fn parenthesised(p: &mut Cursor) -> Parsed<Tree> {
    let start = p.pos;
    let open = p.open_paren("")?;
    let (expr, height) = binary(p, 0)?;
    if p.in_ltl || !p.at(Punct::Arrow) {
        p.close_paren(open)?;
        return Ok((expr, height));
    }
    p.bump();
    reject_probe(p, &expr, "as the condition of `->`");
    let (yes, yes_height) = binary(p, 0)?;
    if !p.at(Punct::Colon) {
        let message = format!("expected `:` and the value otherwise, found {}", p.found());
        return Err(p.fail(Diagnostic::error(p.span(), message).help("a conditional is `(c -> a : b)`")));
    }
    p.bump();
    let (no, no_height) = binary(p, 0)?;
    reject_probe(p, &yes, "in a conditional");
    reject_probe(p, &no, "in a conditional");
    p.close_paren(open)?;
    let height = height.max(yes_height).max(no_height) + 1;
    p.check_depth(height)?;
    let kind = ExprKind::Cond(Box::new(expr), Box::new(yes), Box::new(no));
    Ok((Expr { kind, span: p.span_from(start) }, height))
}

/// An expression that begins with a reserved word.
fn keyword(p: &mut Cursor, word: &str) -> Parsed<ExprKind> {
    let constant = |p: &mut Cursor, kind| {
        p.bump();
        Ok(kind)
    };
    match word {
        "true" | "skip" => constant(p, ExprKind::Const(1)),
        "false" => constant(p, ExprKind::Const(0)),
        "timeout" => constant(p, ExprKind::Timeout),
        "np_" => constant(p, ExprKind::NonProgress),
        "run" => run(p),
        "len" => Ok(ExprKind::Len(channel_argument(p)?)),
        "full" => Ok(ExprKind::Probe(Probe::Full, channel_argument(p)?)),
        "nfull" => Ok(ExprKind::Probe(Probe::Nfull, channel_argument(p)?)),
        "empty" => Ok(ExprKind::Probe(Probe::Empty, channel_argument(p)?)),
        "nempty" => Ok(ExprKind::Probe(Probe::Nempty, channel_argument(p)?)),
        "enabled" => Ok(ExprKind::Enabled(Box::new(argument(p)?))),
        "pc_value" => Ok(ExprKind::PcValue(Box::new(argument(p)?))),
        "get_priority" => Ok(ExprKind::GetPriority(Box::new(argument(p)?))),
        "c_expr" => {
            inline::skip_embedded_c(p);
            Ok(ExprKind::Const(1))
        }
        "eval" => {
            let message = "`eval` may stand only among the arguments of a receive";
            Err(p.fail(Diagnostic::error(p.span(), message)))
        }
        _ => {
            let message = format!("expected an expression, found the reserved word `{word}`");
            Err(p.fail(Diagnostic::error(p.span(), message)))
        }
    }
}

/// The quantifier that begins here. Its words are names elsewhere.
pub(super) fn quantifier_ahead(p: &Cursor) -> Option<Quantifier> {
    let quantifier = match p.word().as_deref() {
        Some("forall") => Quantifier::All,
        Some("exists") => Quantifier::Some,
        Some("count") => Quantifier::Count,
        _ => return None,
    };
    let bound =
        p.ahead(1).is(Punct::LeftParen) && matches!(p.ahead(2).kind, TokenKind::Word(_)) && p.ahead(3).is(Punct::Colon);
    bound.then_some(quantifier)
}

/// `forall (i : T) (e)`
fn quantified(p: &mut Cursor) -> Parsed<ExprKind> {
    let Some(quantifier) = quantifier_ahead(p) else { return Err(p.expected("a quantifier")) };
    let word = p.token().text();
    p.bump();
    let open = p.open_paren("after the quantifier")?;
    let var = p.name("the member")?;
    p.expect(Punct::Colon, "and a scalarset after the name")?;
    let set = p.name("a scalarset")?;
    p.close_paren(open)?;
    let open = p.open_paren(&format!("and what `{word}` is about"))?;
    let body = Box::new(full_expression(p)?);
    p.close_paren(open)?;
    let mut found = Vec::new();
    runs(&body, &mut found);
    if let Some(&run) = found.first() {
        p.error(Diagnostic::error(run, format!("`run` cannot stand under `{word}`")));
    }
    Ok(ExprKind::Quantified { quantifier, var, set, body })
}

/// `word(e)`
fn argument(p: &mut Cursor) -> Parsed<Expr> {
    let word = p.token().text();
    p.bump();
    let open = p.open_paren(&format!("after `{word}`"))?;
    let expr = expression(p)?;
    p.close_paren(open)?;
    Ok(expr)
}

/// `word(c)`
fn channel_argument(p: &mut Cursor) -> Parsed<VarRef> {
    let word = p.token().text();
    p.bump();
    let open = p.open_paren(&format!("after `{word}`"))?;
    let channel = var_ref(p)?;
    p.close_paren(open)?;
    Ok(channel)
}

/// `run P(args) [priority n]`
fn run(p: &mut Cursor) -> Parsed<ExprKind> {
    p.bump();
    let proctype = p.name("a proctype")?;
    let open = p.open_paren("after the name of the proctype")?;
    let args = if p.at(Punct::RightParen) { Vec::new() } else { expressions(p)? };
    p.close_paren(open)?;
    let priority = priority(p)?;
    Ok(ExprKind::Run { proctype, args, priority })
}

/// `[priority n]`
pub(super) fn priority(p: &mut Cursor) -> Parsed<Option<(i32, Span)>> {
    if !p.eat_word("priority") {
        return Ok(None);
    }
    let TokenKind::Number(n) = p.token().kind else { return Err(p.expected("a number after `priority`")) };
    Ok(Some((n, p.bump())))
}

/// `e, e, …`, at least one.
pub(super) fn expressions(p: &mut Cursor) -> Parsed<Vec<Expr>> {
    let mut all = vec![expression(p)?];
    while p.eat(Punct::Comma) {
        all.push(expression(p)?);
    }
    Ok(all)
}

/// `P[e]@label`, `P@label`, `P[e]:v`, `P:v`
fn remote(p: &mut Cursor) -> Parsed<ExprKind> {
    let proctype = p.name("a proctype")?;
    let pid = index(p)?;
    if p.eat(Punct::At) {
        return Ok(ExprKind::RemoteLabel { proctype, pid, label: p.name("a label")? });
    }
    if !p.at(Punct::Colon) {
        let message = format!("`{}` is a proctype, not a variable", proctype.text);
        let help = format!(
            "start a process with `run {0}(…)`; refer to a running one with `{0}[pid]@label` or `{0}[pid]:variable`",
            proctype.text
        );
        return Err(p.fail(Diagnostic::error(proctype.span, message).help(help)));
    }
    p.bump();
    let start = p.pos;
    let name = p.name("a variable of the proctype")?;
    let mut path = vec![Field { name, index: index(p)? }];
    while p.at(Punct::Dot) {
        if !p.dynamic {
            let message = "a remote reference cannot go into the fields of a variable";
            return Err(p.fail(Diagnostic::error(p.span(), message)));
        }
        p.bump();
        path.push(Field { name: p.name("a field")?, index: index(p)? });
        p.check_depth(path.len())?;
    }
    let var = VarRef { path, span: p.span_from(start) };
    Ok(ExprKind::RemoteVar { proctype, pid, var })
}

/// `[e]`, if it is there.
fn index(p: &mut Cursor) -> Parsed<Option<Box<Expr>>> {
    if p.at(Punct::Box) {
        return Err(p.expected("an index between the brackets"));
    }
    if !p.at(Punct::LeftBracket) {
        return Ok(None);
    }
    let open = p.bump();
    p.parens += 1;
    let expr = expression(p)?;
    p.close(Punct::RightBracket, open)?;
    Ok(Some(Box::new(expr)))
}

/// `a`, `a[i]`, `a.b[j].c`
pub(super) fn var_ref(p: &mut Cursor) -> Parsed<VarRef> {
    let start = p.pos;
    let mut path = Vec::new();
    loop {
        let name = p.name(if path.is_empty() { "a variable" } else { "a field" })?;
        let index = index(p)?;
        path.push(Field { name, index });
        // Lowered, each field that follows a reference is a level of its own.
        p.check_depth(path.len())?;
        if !p.eat(Punct::Dot) {
            return Ok(VarRef { path, span: p.span_from(start) });
        }
    }
}

/// A variable, or the poll of a channel: `c?[args]`, `c??[args]`.
fn variable_or_poll(p: &mut Cursor) -> Parsed<ExprKind> {
    let channel = var_ref(p)?;
    let random = p.at(Punct::QuestionQuestion);
    if !(random || p.at(Punct::Question)) || !(p.ahead(1).is(Punct::LeftBracket) || p.ahead(1).is(Punct::Box)) {
        return Ok(ExprKind::Var(channel));
    }
    p.bump();
    if p.at(Punct::Box) {
        return Err(p.expected("the arguments of the poll between the brackets"));
    }
    let open = p.bump();
    p.parens += 1;
    let mut args = Vec::new();
    receive_arguments(p, &mut args)?;
    p.close(Punct::RightBracket, open)?;
    Ok(ExprKind::Poll { channel, args, random })
}

/// `a, b`, `a(b, c)`, `(a, b)`
pub(super) fn receive_arguments(p: &mut Cursor, out: &mut Vec<RecvArg>) -> Parsed<()> {
    loop {
        if p.at(Punct::LeftParen) {
            return receive_arguments_in_parentheses(p, out);
        }
        out.push(receive_argument(p)?);
        if p.at(Punct::LeftParen) && !p.at_line_break() {
            return receive_arguments_in_parentheses(p, out);
        }
        if !p.eat(Punct::Comma) {
            return Ok(());
        }
    }
}

fn receive_arguments_in_parentheses(p: &mut Cursor, out: &mut Vec<RecvArg>) -> Parsed<()> {
    p.enter()?;
    let open = p.open_paren("")?;
    let read = receive_arguments(p, out);
    p.leave();
    read?;
    p.close_paren(open)?;
    Ok(())
}

fn receive_argument(p: &mut Cursor) -> Parsed<RecvArg> {
    let start = p.pos;
    let negative = p.eat(Punct::Minus);
    let value = match &p.token().kind {
        TokenKind::Number(n) => Some(*n),
        TokenKind::Word(w) if matches!(&**w, "true" | "skip") => Some(1),
        TokenKind::Word(w) if &**w == "false" => Some(0),
        _ => None,
    };
    if let Some(value) = value {
        p.bump();
        let value = if negative { value.wrapping_neg() } else { value };
        return Ok(RecvArg::Const(value, p.span_from(start)));
    }
    if negative {
        return Err(p.expected("a number after `-`"));
    }
    if p.at_word("eval") {
        return Ok(RecvArg::Eval(argument(p)?));
    }
    if p.dynamic && p.at(Punct::Star) {
        return Ok(RecvArg::Var(dynamic::followed(p)?));
    }
    if !matches!(p.token().kind, TokenKind::Word(_)) {
        return Err(p.expected("a variable, a constant, `eval(…)` or `_` to receive into"));
    }
    Ok(RecvArg::Var(var_ref(p)?))
}

/// The probe in an expression that SPIN would not let be negated or computed with.
fn probe_in(expr: &Expr) -> Option<(Probe, &VarRef, Span)> {
    match &expr.kind {
        ExprKind::Probe(probe, channel) => Some((*probe, channel, expr.span)),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => probe_in(left).or_else(|| probe_in(right)),
        _ => None,
    }
}

fn reject_probe(p: &mut Cursor, expr: &Expr, place: &str) {
    let Some((probe, channel, span)) = probe_in(expr) else { return };
    let (word, opposite) = match probe {
        Probe::Full => ("full", "nfull"),
        Probe::Nfull => ("nfull", "full"),
        Probe::Empty => ("empty", "nempty"),
        Probe::Nempty => ("nempty", "empty"),
    };
    let message = format!("`{word}` cannot be used {place}: it may stand only alone or under `&&` and `||`");
    let diagnostic = match place {
        "under `!`" => {
            Diagnostic::error(span, message).help(format!("use {opposite}({channel}) instead of !{word}({channel})"))
        }
        _ => Diagnostic::error(span, message).help("compare len(c) with a number instead"),
    };
    p.error(diagnostic);
}

fn is_temporal_operator(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Until | WeakUntil | Release | Implies | Equivalent)
}

/// `[] x == 1` is `([] x) == 1`, which means nothing; SPIN takes it and makes a wrong formula of it.
fn reject_temporal(p: &mut Cursor, operand: &Expr, operator: &str) {
    let temporal = match &operand.kind {
        ExprKind::Unary(op, _) => matches!(op, UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next),
        ExprKind::Binary(op, ..) => is_temporal_operator(*op),
        _ => false,
    };
    if temporal {
        let message = format!("a temporal formula cannot be an operand of `{operator}`");
        let help = match operator {
            "&" | "|" => format!("`{operator}` works on bits; for formulas write `{operator}{operator}`"),
            _ => format!("temporal operators bind tighter than `{operator}`: write `[] (a {operator} b)`"),
        };
        p.error(Diagnostic::error(operand.span, message).help(help));
    }
}

/// All the `run`s in an expression.
pub(super) fn runs(expr: &Expr, found: &mut Vec<Span>) {
    let mut index = |var: &VarRef| var.path.iter().filter_map(|f| f.index.as_deref()).for_each(|e| runs(e, found));
    match &expr.kind {
        ExprKind::Run { args, .. } => {
            found.push(expr.span);
            args.iter().for_each(|e| runs(e, found));
        }
        ExprKind::Var(var) | ExprKind::Address(var) | ExprKind::Len(var) | ExprKind::Probe(_, var) => index(var),
        ExprKind::Unary(_, e) | ExprKind::Enabled(e) | ExprKind::PcValue(e) | ExprKind::GetPriority(e) => {
            runs(e, found)
        }
        ExprKind::Quantified { body, .. } => runs(body, found),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| runs(e, found)),
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| runs(e, found)),
        _ => {}
    }
}
