//! Directives: the lines that start with `#`. Conditional groups are kept with the file they stand in, since a group
//! must end in the file where it starts.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::{MAX_INCLUDE_DEPTH, MAX_INCLUDES, State, condition, constant, define};
use crate::lex::{Raw, RawKind};
use crate::token::Punct;

/// A conditional group that has not met its `#endif`.
pub(super) struct Conditional {
    /// The `#if`.
    pub start: Span,
    /// Whether one of its branches has been read, so that no further one may be.
    taken: bool,
    /// Whether the present branch is being read.
    active: bool,
    /// Where its `#else` stands.
    otherwise: Option<Span>,
}

impl State<'_> {
    /// Whether the text here is in a branch that is not read.
    pub(super) fn is_skipping(&self) -> bool {
        self.files.last().and_then(|file| file.conditionals.last()).is_some_and(|group| !group.active)
    }

    /// Carries out the directive whose `#` has just been read.
    pub(super) fn directive(&mut self, hash: &Raw) {
        let line = self.rest_of_line();
        let Some((first, rest)) = line.split_first() else { return };
        let span = hash.span.to(first.span);
        let whole = line.last().map_or(span, |last| hash.span.to(last.span));
        let skipping = self.is_skipping();
        // What macros the directive uses is no business of a macro use whose arguments it interrupts.
        let (use_span, use_work) = (self.use_span, self.use_work);
        self.use_span = whole;
        match first.word().map_or("", |name| &**name) {
            name @ ("if" | "ifdef" | "ifndef") => {
                let holds = !skipping && self.holds(name, rest, whole);
                let group = Conditional { start: span, taken: skipping || holds, active: holds, otherwise: None };
                if let Some(file) = self.files.last_mut() {
                    file.conditionals.push(group);
                }
            }
            name @ ("elif" | "elifdef" | "elifndef") => self.else_if(name, rest, span, whole),
            "else" => {
                self.expect_end(rest, "#else", skipping);
                self.otherwise(span);
            }
            "endif" => {
                self.expect_end(rest, "#endif", skipping);
                if self.files.last_mut().and_then(|file| file.conditionals.pop()).is_none() {
                    self.report(Diagnostic::error(span, "`#endif` without `#if`"));
                }
            }
            _ if skipping => {}
            "define" => self.define(rest, span),
            "undef" => self.undefine(rest, span),
            "include" => self.include(rest, span, whole),
            "error" => self.report(Diagnostic::error(whole, format!("#error: {}", self.text_of(rest)))),
            "warning" => self.report(Diagnostic::warning(whole, format!("#warning: {}", self.text_of(rest)))),
            "line" | "pragma" | "ident" => {}
            _ if matches!(first.kind, RawKind::Number(_)) => {}
            _ => {
                let name = constant::brief(&first.spelling());
                self.report(Diagnostic::error(span, format!("`#{name}` is not a directive")).help(
                    "the directives are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #error, \
                     #warning, #line and #pragma",
                ));
            }
        }
        (self.use_span, self.use_work) = (use_span, use_work);
    }

    fn rest_of_line(&mut self) -> Vec<Raw> {
        let mut line = Vec::new();
        while !self.stopped && !self.peek_in_file().line_start {
            let token = self.take_in_file();
            match token.kind {
                RawKind::OpenComment => self.report_open_comment(token.span),
                _ => line.push(token),
            }
        }
        line
    }

    /// The text of a line as the user wrote it.
    fn text_of(&self, line: &[Raw]) -> String {
        match line {
            [first, .., last] => self.sources.text(first.span.to(last.span)).to_string(),
            [only] => only.spelling(),
            [] => String::new(),
        }
    }

    fn expect_end(&mut self, rest: &[Raw], name: &str, skipping: bool) {
        if let (Some(extra), false) = (rest.first(), skipping) {
            self.report(Diagnostic::warning(extra.span, format!("text after `{name}` is ignored")));
        }
    }

    fn else_if(&mut self, name: &str, rest: &[Raw], span: Span, whole: Span) {
        let Some(group) = self.files.last().and_then(|file| file.conditionals.last()) else {
            return self.report(Diagnostic::error(span, format!("`#{name}` without `#if`")));
        };
        if let Some(otherwise) = group.otherwise {
            let problem = Diagnostic::error(span, format!("`#{name}` after `#else`"));
            return self.report(problem.related(otherwise, "the `#else` is here"));
        }
        let holds = !group.taken && self.holds(&name[2..], rest, whole);
        if let Some(group) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
            group.active = holds;
            group.taken |= holds;
        }
    }

    fn otherwise(&mut self, span: Span) {
        let Some(group) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) else {
            return self.report(Diagnostic::error(span, "`#else` without `#if`"));
        };
        if let Some(first) = group.otherwise {
            return self.report(Diagnostic::error(span, "a second `#else`").related(first, "the first one is here"));
        }
        group.otherwise = Some(span);
        group.active = !group.taken;
        group.taken = true;
    }

    /// Whether the condition of `#if`, `#ifdef` or `#ifndef` (or of their `el` kin: `#elif` comes as `if`) holds.
    fn holds(&mut self, name: &str, rest: &[Raw], whole: Span) -> bool {
        if name == "ifdef" || name == "ifndef" {
            let Some(word) = rest.first().and_then(Raw::word) else {
                self.report(Diagnostic::error(whole, format!("`#{name}` must be followed by a name")));
                return false;
            };
            self.expect_end(&rest[1..], &format!("#{name} {word}"), false);
            let defined = self.macros.contains_key(word) || &**word == "__LINE__";
            return defined == (name == "ifdef");
        }
        self.in_condition = true;
        let tokens = self.expand_line(rest);
        self.in_condition = false;
        if self.stopped {
            return false;
        }
        let (value, problems) = condition::evaluate(&tokens, whole);
        for problem in problems {
            self.report(problem);
        }
        value.is_some_and(|value| value != 0)
    }

    fn expand_line(&mut self, line: &[Raw]) -> Vec<Raw> {
        // A file's text is read only when no context is left, so the line's own context is the first.
        let root = std::mem::replace(&mut self.root, 1);
        let collecting = std::mem::replace(&mut self.collecting, false);
        let tokens = self.expand_list(line.to_vec());
        self.root = root;
        self.collecting = collecting;
        tokens
    }

    fn define(&mut self, rest: &[Raw], span: Span) {
        let new = match define::parse(rest, span) {
            Ok(new) => new,
            Err(problem) => return self.report(problem),
        };
        if let Some(old) = self.macros.get(&new.name)
            && !old.same_as(&new)
        {
            let message = format!("the macro `{}` is defined a second time, differently", new.name);
            let mut problem = Diagnostic::warning(new.span, message).related(old.span, "it was first defined here");
            if self.sources.file(old.span.file).path == Path::new("<command line>") {
                problem =
                    problem.help(format!("put `#ifndef {0}` before and `#endif` after, so that -D {0} wins", new.name));
            }
            self.report(problem);
        }
        self.macros.insert(new.name.clone(), Rc::new(new));
    }

    fn undefine(&mut self, rest: &[Raw], span: Span) {
        match rest.first().and_then(Raw::word) {
            Some(name) if define::is_reserved(name) => {
                self.report(Diagnostic::error(rest[0].span, format!("`{name}` cannot be undefined")));
            }
            Some(name) => {
                self.expect_end(&rest[1..], &format!("#undef {name}"), false);
                self.macros.remove(name);
            }
            None => self.report(Diagnostic::error(span, "`#undef` must be followed by a name")),
        }
    }

    fn include(&mut self, rest: &[Raw], span: Span, whole: Span) {
        if self.collecting {
            return self.report(Diagnostic::error(span, "`#include` within the arguments of a macro"));
        }
        // The name itself may come from a macro.
        let name = included_name(rest).or_else(|| included_name(&self.expand_line(rest)));
        let Some((name, used)) = name.filter(|(name, _)| !name.is_empty()) else {
            let problem = Diagnostic::error(whole, "`#include` must be followed by the name of a file");
            return self.report(problem.help("write `#include \"file\"`"));
        };
        self.expect_end(rest.get(used..).unwrap_or(&[]), "#include", false);
        self.includes += 1;
        if self.files.len() >= MAX_INCLUDE_DEPTH {
            return self.stop_including(whole, format!("files include one another more than {MAX_INCLUDE_DEPTH} deep"));
        }
        if self.includes > MAX_INCLUDES {
            return self.stop_including(whole, format!("more than {MAX_INCLUDES} files are included"));
        }
        let path = match self.files.last().map(|file| &self.sources.file(file.id).path) {
            Some(including) => including.parent().unwrap_or(Path::new("")).join(&name),
            None => PathBuf::from(&name),
        };
        match self.load(&path) {
            Ok(id) => self.open_file(id, Some(whole)),
            Err(problem) => {
                let looked = "an included file is looked for beside the file that includes it";
                self.report(Diagnostic::error(whole, problem.to_string()).help(looked));
            }
        }
    }

    /// Gives up, and shows how the files came to include one another.
    fn stop_including(&mut self, span: Span, message: String) {
        let mut problem = Diagnostic::error(span, message);
        let mut shown = vec![span];
        for included_at in self.files.iter().rev().filter_map(|file| file.included_at) {
            // The chain is a circle as a rule, and once round is enough.
            if shown.contains(&included_at) || shown.len() > 8 {
                break;
            }
            shown.push(included_at);
            problem = problem.related(included_at, "which was included from here");
        }
        self.report(problem);
        self.stopped = true;
    }
}

/// The name in `"name"` or `<name>`, and how many tokens it takes.
fn included_name(line: &[Raw]) -> Option<(String, usize)> {
    match line.first()? {
        Raw { kind: RawKind::Text(name), .. } => Some((name.to_string(), 1)),
        first if first.is(Punct::Less) => {
            let end = line.iter().position(|t| t.is(Punct::Greater))?;
            let mut name = String::new();
            for (i, token) in line[1..end].iter().enumerate() {
                if i > 0 && token.space_before {
                    name.push(' ');
                }
                name.push_str(&token.spelling());
            }
            Some((name, end + 1))
        }
        _ => None,
    }
}
