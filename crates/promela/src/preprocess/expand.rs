//! Expansion of macros, with gcc's rule for recursion: a macro's name is left alone for good when it is met while that
//! macro's expansion is being read. Expansions wait on a stack of their own, so no input can overflow the program's.

use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::FileId;

use super::State;
use super::constant::brief;
use super::define::Macro;
use crate::lex::{Raw, RawKind, lexer};
use crate::token::Punct;

/// How deep a macro's use may stand in the arguments of others.
const MAX_ARGUMENT_DEPTH: usize = 200;

/// Tokens to read before anything else.
pub(super) struct Context {
    tokens: Vec<Raw>,
    position: usize,
    /// The macro whose expansion this is; `None` for a list that is to be read to its end and no further.
    owner: Option<Rc<Macro>>,
}

/// What became of the possible use of a macro.
enum Use {
    /// Its expansion comes next.
    Expanded,
    /// It is only the name of a macro with parameters.
    NameOnly,
    /// It is wrong, and has been told.
    Wrong,
}

impl State<'_> {
    /// The next token that is no use of a macro; `None` at the end of the file or of the list being read.
    pub(super) fn next_expanded(&mut self) -> Option<Raw> {
        loop {
            let token = self.read()?;
            if self.contexts.len() <= self.root {
                self.use_span = token.span;
                self.use_work = 0;
            }
            let Some(name) = token.word().filter(|_| !token.painted) else { return Some(token) };
            if self.in_condition && &**name == "defined" {
                return Some(self.is_defined(token));
            }
            if &**name == "__LINE__" {
                let line = self.sources.line(self.use_span).to_string();
                return Some(self.number_token(&line, &token));
            }
            let Some(definition) = self.macros.get(name).cloned() else { return Some(token) };
            match self.expand(&definition) {
                Use::Expanded => {}
                Use::NameOnly => return Some(token),
                // Anything is better than nothing, where the parser most likely expects an expression.
                Use::Wrong => return Some(self.number_token("0", &token)),
            }
        }
    }

    /// Expands a list by itself.
    pub(super) fn expand_list(&mut self, tokens: Vec<Raw>) -> Vec<Raw> {
        let depth = self.contexts.len();
        self.contexts.push(Context { tokens, position: 0, owner: None });
        let mut expanded = Vec::new();
        while let Some(mut token) = self.next_expanded() {
            if depth < self.root {
                token.span = self.use_span;
            }
            expanded.push(token);
        }
        while self.contexts.len() > depth {
            self.pop_context();
        }
        expanded
    }

    /// The next token from the contexts or else from the file.
    fn read(&mut self) -> Option<Raw> {
        if self.stopped || !self.drop_finished_contexts() {
            return None;
        }
        let mut token = match self.contexts.last_mut() {
            Some(context) => {
                context.position += 1;
                let token = context.tokens[context.position - 1].clone();
                self.charge(1);
                token
            }
            None => self.next_in_file(),
        };
        if token.kind == RawKind::End {
            return None;
        }
        if let Some(name) = token.word() {
            token.painted |= self.macros.get(name).is_some_and(|m| m.active.get());
        }
        Some(token)
    }

    /// Drops expansions that have been read; false at the end of a list that must not be read past.
    fn drop_finished_contexts(&mut self) -> bool {
        while let Some(context) = self.contexts.last() {
            if context.position < context.tokens.len() {
                return true;
            }
            if context.owner.is_none() {
                return false;
            }
            self.pop_context();
        }
        true
    }

    fn pop_context(&mut self) {
        if let Some(owner) = self.contexts.pop().and_then(|context| context.owner) {
            owner.active.set(false);
        }
    }

    fn next_is_paren(&mut self) -> bool {
        if !self.drop_finished_contexts() {
            return false;
        }
        match self.contexts.last() {
            Some(context) => context.tokens[context.position].is(Punct::LeftParen),
            None => self.peek_in_file().is(Punct::LeftParen),
        }
    }

    fn expand(&mut self, definition: &Rc<Macro>) -> Use {
        let arguments = match &definition.parameters {
            None => Vec::new(),
            Some(_) if !self.next_is_paren() => return Use::NameOnly,
            Some(parameters) => match self.arguments(definition, parameters.len()) {
                Some(arguments) => arguments,
                None => return Use::Wrong,
            },
        };
        let tokens = self.substitute(definition, &arguments);
        definition.active.set(true);
        self.contexts.push(Context { tokens, position: 0, owner: Some(definition.clone()) });
        Use::Expanded
    }

    /// Reads the arguments of a use, parentheses and all.
    fn arguments(&mut self, definition: &Macro, expected: usize) -> Option<Vec<Vec<Raw>>> {
        let collecting = std::mem::replace(&mut self.collecting, true);
        let arguments = self.collect(definition, expected);
        self.collecting = collecting;
        let Some(mut arguments) = arguments else {
            let message = format!("the use of the macro `{}` has no closing `)`", definition.name);
            self.report(
                Diagnostic::error(self.use_span, message).related(definition.span, "the macro is defined here"),
            );
            return None;
        };
        let mut given = arguments.len();
        if given == 1 && expected == 0 && arguments[0].is_empty() {
            arguments.clear();
            given = 0;
        }
        if definition.variadic && given + 1 == expected {
            arguments.push(Vec::new());
            given = expected;
        }
        if given == expected {
            return Some(arguments);
        }
        let least = expected - usize::from(definition.variadic);
        let at_least = if definition.variadic { "at least " } else { "" };
        let plural = if least == 1 { "" } else { "s" };
        let message = format!("the macro `{}` takes {at_least}{least} argument{plural}, not {given}", definition.name);
        self.report(Diagnostic::error(self.use_span, message).related(definition.span, "the macro is defined here"));
        None
    }

    fn collect(&mut self, definition: &Macro, expected: usize) -> Option<Vec<Vec<Raw>>> {
        self.read()?;
        let mut arguments = Vec::new();
        let mut current = Vec::new();
        let mut depth = 0usize;
        loop {
            let token = self.read()?;
            if token.is(Punct::LeftParen) {
                depth += 1;
            } else if token.is(Punct::RightParen) {
                if depth == 0 {
                    if self.contexts.len() <= self.root {
                        self.use_span = self.use_span.to(token.span);
                    }
                    arguments.push(current);
                    return Some(arguments);
                }
                depth -= 1;
            } else if token.is(Punct::Comma) && depth == 0 && !(definition.variadic && arguments.len() + 1 == expected)
            {
                arguments.push(std::mem::take(&mut current));
                continue;
            }
            current.push(token);
        }
    }

    /// The body with arguments in place of parameters, and the work of `#` and `##` done.
    fn substitute(&mut self, definition: &Macro, arguments: &[Vec<Raw>]) -> Vec<Raw> {
        let body = &definition.body;
        let with_parameters = definition.parameters.is_some();
        let mut expanded: Vec<Option<Vec<Raw>>> = vec![None; arguments.len()];
        let mut result: Vec<Raw> = Vec::new();
        let mut pasting = false;
        // Whether what stands to the left of a `##` is an empty argument: then there is nothing to paste to.
        let mut left_is_empty = true;
        let mut i = 0;
        while i < body.len() && !self.stopped {
            let token = &body[i];
            i += 1;
            if token.kind == RawKind::HashHash {
                pasting = true;
                continue;
            }
            let pasted_next = |i: usize| body.get(i).is_some_and(|t| t.kind == RawKind::HashHash);
            let operand: Vec<Raw> = if with_parameters && token.kind == RawKind::Hash {
                let argument = definition.parameter_at.get(i).copied().flatten();
                i += 1;
                vec![self.stringize(argument.map_or(&[], |p| &arguments[p][..]), token)]
            } else if let Some(parameter) = definition.parameter_at[i - 1] {
                let rest = definition.variadic && parameter + 1 == arguments.len();
                if pasting && rest && i >= 3 && body[i - 3].is(Punct::Comma) {
                    // gcc's `, ## __VA_ARGS__` does not paste, but drops the comma when there is nothing behind it.
                    pasting = false;
                    if arguments[parameter].is_empty() {
                        result.pop();
                    }
                }
                let mut tokens = if pasting || pasted_next(i) {
                    arguments[parameter].clone()
                } else {
                    self.expanded_argument(parameter, arguments, &mut expanded)
                };
                if let Some(first) = tokens.first_mut() {
                    first.space_before = token.space_before;
                }
                tokens
            } else {
                vec![token.clone()]
            };
            self.charge(operand.len());
            if pasting && !left_is_empty {
                self.paste(&mut result, operand);
            } else {
                left_is_empty = operand.is_empty();
                result.extend(operand);
            }
            pasting = false;
        }
        result
    }

    fn expanded_argument(&mut self, at: usize, arguments: &[Vec<Raw>], known: &mut [Option<Vec<Raw>>]) -> Vec<Raw> {
        if let Some(tokens) = &known[at] {
            return tokens.clone();
        }
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            self.stop(format!(
                "uses of macros stand within one another's arguments more than {MAX_ARGUMENT_DEPTH} deep"
            ));
            return Vec::new();
        }
        self.argument_depth += 1;
        let tokens = self.expand_list(arguments[at].clone());
        self.argument_depth -= 1;
        known[at] = Some(tokens.clone());
        tokens
    }

    /// `#x`: the argument as a string.
    fn stringize(&mut self, argument: &[Raw], operator: &Raw) -> Raw {
        let mut text = String::new();
        for (i, token) in argument.iter().enumerate() {
            if i > 0 && token.space_before {
                text.push(' ');
            }
            let spelling = token.spelling();
            match token.kind {
                RawKind::Text(_) | RawKind::Char(_) => {
                    text.push_str(&spelling.replace('\\', "\\\\").replace('"', "\\\""));
                }
                _ => text.push_str(&spelling),
            }
            self.charge(spelling.len());
            if self.stopped {
                break;
            }
        }
        Raw { kind: RawKind::Text(text.as_str().into()), painted: false, ..operator.clone() }
    }

    /// `##`: makes one token of the last one so far and the first one of `right`.
    fn paste(&mut self, result: &mut Vec<Raw>, right: Vec<Raw>) {
        let mut right = right.into_iter();
        let Some(first) = right.next() else { return };
        let Some(left) = result.pop() else { return };
        let text = left.spelling() + &first.spelling();
        self.charge(text.len());
        let mut lexer = lexer(FileId(0), &text);
        let pasted = lexer.next(&mut self.spellings);
        let broken = matches!(
            pasted.kind,
            RawKind::Stray(_) | RawKind::OpenText(_) | RawKind::OpenChar(_) | RawKind::OpenComment | RawKind::End
        );
        if broken || pasted.space_before || pasted.span.end as usize != text.len() {
            let (a, b) = (brief(&left.spelling()), brief(&first.spelling()));
            let message = format!("`##` makes no token of `{a}` and `{b}`");
            self.report(Diagnostic::error(self.use_span, message).related(left.span, "the left part"));
            result.extend([left, first]);
        } else {
            result.push(Raw { kind: pasted.kind, painted: false, ..left });
        }
        result.extend(right);
    }

    /// `defined NAME` or `defined(NAME)` in a condition, as 1 or 0.
    fn is_defined(&mut self, operator: Raw) -> Raw {
        let first = self.read();
        let in_parens = first.as_ref().is_some_and(|t| t.is(Punct::LeftParen));
        let name = if in_parens { self.read() } else { first };
        let closed = !in_parens || self.read().is_some_and(|t| t.is(Punct::RightParen));
        let Some(name) = name.as_ref().and_then(Raw::word).filter(|_| closed) else {
            let problem = Diagnostic::error(self.use_span, "`defined` must be followed by a name");
            self.report(problem.help("write `defined(NAME)`"));
            return self.number_token("0", &operator);
        };
        let value = self.macros.contains_key(name) || &**name == "__LINE__";
        self.number_token(if value { "1" } else { "0" }, &operator)
    }

    fn number_token(&mut self, digits: &str, place: &Raw) -> Raw {
        Raw { kind: RawKind::Number(self.spellings.share(digits)), ..place.clone() }
    }
}
