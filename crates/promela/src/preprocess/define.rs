//! Definitions of macros: what `#define` says, checked once when it is read. Expansion is in `expand`.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::lex::{Raw, RawKind};
use crate::token::Punct;

/// A macro.
pub(super) struct Macro {
    /// Its name.
    pub name: Rc<str>,
    /// Where the name stands in the definition.
    pub span: Span,
    /// Its parameters; `None` for a macro that is used without parentheses.
    pub parameters: Option<Vec<Rc<str>>>,
    /// Whether the last parameter takes all the remaining arguments.
    pub variadic: bool,
    /// What it stands for.
    pub body: Vec<Raw>,
    /// For each token of the body, the parameter that it names.
    pub parameter_at: Vec<Option<usize>>,
    /// Whether its expansion is being read; a use of it in there is left alone.
    pub active: Cell<bool>,
}

impl Macro {
    /// Whether a second definition says the same.
    pub(super) fn same_as(&self, other: &Macro) -> bool {
        let same =
            |(i, (a, b)): (usize, (&Raw, &Raw))| a.kind == b.kind && (i == 0 || a.space_before == b.space_before);
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(same)
    }
}

/// Whether nothing may be defined under this name.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(name, "defined" | "__LINE__" | "__VA_ARGS__")
}

/// Reads what follows `#define`.
pub(super) fn parse(line: &[Raw], directive: Span) -> Result<Macro, Diagnostic> {
    let Some((first, rest)) = line.split_first() else {
        return Err(Diagnostic::error(directive, "`#define` must be followed by a name"));
    };
    let Some(name) = first.word() else {
        return Err(Diagnostic::error(first.span, "`#define` must be followed by a name"));
    };
    if is_reserved(name) {
        return Err(Diagnostic::error(first.span, format!("`{name}` cannot be defined")));
    }
    let (parameters, variadic, body) = match rest.first() {
        // Only a parenthesis right behind the name starts parameters.
        Some(paren) if paren.is(Punct::LeftParen) && !paren.space_before => {
            let (parameters, variadic, used) = parse_parameters(&rest[1..], directive)?;
            (Some(parameters), variadic, &rest[1 + used..])
        }
        _ => (None, false, rest),
    };
    let index: HashMap<&str, usize> = parameters.iter().flatten().enumerate().map(|(i, name)| (&**name, i)).collect();
    let parameter_at: Vec<_> = body.iter().map(|t| t.word().and_then(|w| index.get(&**w).copied())).collect();
    check_body(body, &parameter_at, parameters.is_some())?;
    Ok(Macro {
        name: name.clone(),
        span: first.span,
        parameters,
        variadic,
        body: body.to_vec(),
        parameter_at,
        active: Cell::new(false),
    })
}

/// Reads parameters behind `(` to the closing `)`: names, whether the last is variadic, and the number of tokens.
fn parse_parameters(line: &[Raw], directive: Span) -> Result<(Vec<Rc<str>>, bool, usize), Diagnostic> {
    let end = line.last().map_or(directive, |t| t.span);
    let error = |at: usize| {
        let span = line.get(at).map_or(end, |t| t.span);
        Diagnostic::error(span, "the macro's parameters must be names with commas between them, then `)`")
            .help("leave a space before `(` if the parenthesis belongs to the macro's text")
    };
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut seen: HashMap<Rc<str>, Span> = HashMap::new();
    if line.first().is_some_and(|t| t.is(Punct::RightParen)) {
        return Ok((names, false, 1));
    }
    let mut at = 0;
    loop {
        let mut variadic = false;
        match line.get(at).map(|t| &t.kind) {
            Some(RawKind::Word(name)) => {
                if let Some(first) = seen.insert(name.clone(), line[at].span) {
                    let message = format!("two parameters of the macro are named `{name}`");
                    return Err(Diagnostic::error(line[at].span, message).related(first, "the first one"));
                }
                names.push(name.clone());
                // `rest...` names the remaining arguments, as gcc has it.
                if line.get(at + 1).is_some_and(|t| t.kind == RawKind::Ellipsis) {
                    variadic = true;
                    at += 1;
                }
            }
            Some(RawKind::Ellipsis) => {
                names.push("__VA_ARGS__".into());
                variadic = true;
            }
            _ => return Err(error(at)),
        }
        at += 1;
        match line.get(at) {
            Some(token) if token.is(Punct::RightParen) => return Ok((names, variadic, at + 1)),
            Some(token) if token.is(Punct::Comma) && !variadic => at += 1,
            _ => return Err(error(at)),
        }
    }
}

fn check_body(body: &[Raw], parameter_at: &[Option<usize>], with_parameters: bool) -> Result<(), Diagnostic> {
    for (i, token) in body.iter().enumerate() {
        let last = i + 1 == body.len();
        if token.kind == RawKind::HashHash && (i == 0 || last) {
            return Err(Diagnostic::error(token.span, "`##` must stand between two tokens"));
        }
        if with_parameters && token.kind == RawKind::Hash && (last || parameter_at[i + 1].is_none()) {
            let problem = Diagnostic::error(token.span, "`#` must be followed by a parameter of the macro");
            return Err(problem.help("`#x` makes a string of the argument for `x`"));
        }
    }
    Ok(())
}
