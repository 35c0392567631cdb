//! The C preprocessor as far as models use it: macros, conditional groups, included files. Line markers (`#line` and
//! `# 1 "file"`) are accepted and ignored, so every span and `__LINE__` tell where the text really stands.

mod condition;
mod constant;
mod define;
mod directive;
mod expand;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::{FileId, SourceMap, Span};

use crate::lex::{Lexer, Raw, RawKind, Spellings, lexer};
use crate::token::{Punct, Token, TokenKind};
use define::Macro;
use directive::Conditional;
use expand::Context;

/// What comes out of the preprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preprocessed {
    /// The tokens; the last one is [`TokenKind::End`], and no other.
    pub tokens: Vec<Token>,
    /// What is wrong, in the order in which it was found.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the user sets from outside the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Macros defined before the first line, as by `-D NAME=VALUE`; a name alone stands for 1.
    pub defines: Vec<(String, Option<String>)>,
    /// Temporal formulas, each with its name: they are read as if `ltl name { formula }` stood at the end of the model.
    pub formulas: Vec<(String, String)>,
    /// Whether what dSPIN adds to Promela is understood.
    pub dynamic: Option<Dynamic>,
}

/// Limits of models that are written in dSPIN's Promela.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// How many records there may be at once.
    pub most_records: usize,
    /// How many calls a process may be in at once.
    pub most_calls: usize,
    /// A record that nobody refers to any more must have been deleted.
    pub leaks: bool,
}

impl Default for Dynamic {
    fn default() -> Self {
        Dynamic {
            most_records: quotient_ir::heap::MOST_RECORDS,
            most_calls: quotient_ir::heap::USUAL_CALLS,
            leaks: false,
        }
    }
}

/// How files are read; tests hand in texts instead of a disk.
pub type Loader<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// The deepest chain of files that include one another.
const MAX_INCLUDE_DEPTH: usize = 64;
/// The most times that any file is included: two files of two lines each can otherwise include forever.
const MAX_INCLUDES: usize = 20_000;
/// The most tokens that reach the parser.
const MAX_TOKENS: usize = 10_000_000;
/// The most steps in all: tokens read from files, and tokens moved while macros are expanded.
const MAX_WORK: usize = 60_000_000;
/// The most steps for one use of a macro; also bounds the memory that it takes.
const MAX_WORK_PER_USE: usize = 4_000_000;
/// The largest file, in bytes.
const MAX_FILE_SIZE: usize = 256 << 20;
/// How often the same message is told.
const MAX_SAME_MESSAGE: usize = 5;
/// How many messages are told in all.
const MAX_MESSAGES: usize = 100;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error("cannot read `{}`: {_1}", _0.display())]
    Unreadable(PathBuf, io::Error),
    #[error("`{}` is larger than {} MiB", _0.display(), MAX_FILE_SIZE >> 20)]
    TooLarge(PathBuf),
    #[error("`{}` is not a text file", _0.display())]
    NotText(PathBuf),
}

/// Reads a model and everything it includes through `loader`, registers the files in `sources` (the model's own
/// first), and carries out the preprocessor's directives.
///
/// A token that comes out of a macro carries the span of the outermost use in a file; one from an included file
/// carries a span in that file. Problems never stop it early, except where going on could take forever.
pub fn preprocess(path: &Path, options: &Options, sources: &mut SourceMap, loader: Loader<'_>) -> Preprocessed {
    let mut state = State::new(sources, loader);
    match state.load(path) {
        Ok(main) => state.open_file(main, None),
        Err(problem) => {
            let main = state.sources.add(path, String::new());
            state.report(Diagnostic::global(problem.to_string()));
            state.open_file(main, None);
        }
    }
    state.open_command_line(options);
    state.run(&options.formulas);
    Preprocessed { tokens: state.output, diagnostics: state.diagnostics }
}

/// A file that is being read.
struct OpenFile {
    id: FileId,
    lexer: Lexer,
    peeked: Option<Raw>,
    conditionals: Vec<Conditional>,
    included_at: Option<Span>,
}

/// Everything the preprocessor knows at one moment.
struct State<'a> {
    sources: &'a mut SourceMap,
    loader: Loader<'a>,
    spellings: Spellings,
    /// The file being read last, after the files that include it.
    files: Vec<OpenFile>,
    loaded: HashMap<PathBuf, FileId>,
    includes: usize,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// Tokens to read before those of the file: bodies of macros, arguments, the text of a directive.
    contexts: Vec<Context>,
    /// How many contexts there are while tokens are read that the user wrote in place: none in a file's text, one
    /// in a directive's.
    root: usize,
    /// The outermost macro use whose expansion is being read, or the token itself.
    use_span: Span,
    /// How deep arguments are being expanded within arguments.
    argument_depth: usize,
    /// Whether the arguments of a macro are being read from a file.
    collecting: bool,
    in_condition: bool,
    work: usize,
    use_work: usize,
    /// Set when going on could take forever; everything then ends as if the input did.
    stopped: bool,
    output: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
    told: HashMap<String, usize>,
}

impl<'a> State<'a> {
    fn new(sources: &'a mut SourceMap, loader: Loader<'a>) -> Self {
        State {
            sources,
            loader,
            spellings: Spellings::default(),
            files: Vec::new(),
            loaded: HashMap::new(),
            includes: 0,
            macros: HashMap::new(),
            contexts: Vec::new(),
            root: 0,
            use_span: Span { file: FileId(0), start: 0, end: 0 },
            argument_depth: 0,
            collecting: false,
            in_condition: false,
            work: 0,
            use_work: 0,
            stopped: false,
            output: Vec::new(),
            diagnostics: Vec::new(),
            told: HashMap::new(),
        }
    }

    /// Registers a file's text, once for each path.
    fn load(&mut self, path: &Path) -> Result<FileId, LoadError> {
        if let Some(&id) = self.loaded.get(path) {
            return Ok(id);
        }
        let bytes = (self.loader)(path).map_err(|error| LoadError::Unreadable(path.to_path_buf(), error))?;
        if bytes.len() > MAX_FILE_SIZE {
            return Err(LoadError::TooLarge(path.to_path_buf()));
        }
        if !is_text(&bytes) {
            return Err(LoadError::NotText(path.to_path_buf()));
        }
        let id = self.sources.add(path, String::from_utf8_lossy(&bytes).into_owned());
        self.loaded.insert(path.to_path_buf(), id);
        Ok(id)
    }

    fn open_file(&mut self, id: FileId, included_at: Option<Span>) {
        let lexer = lexer(id, &self.sources.file(id).text);
        self.files.push(OpenFile { id, lexer, peeked: None, conditionals: Vec::new(), included_at });
    }

    /// The definitions from the command line are read before the model, as a file of directives of their own, so
    /// that messages can point at them.
    fn open_command_line(&mut self, options: &Options) {
        let mut text = String::new();
        for (name, value) in &options.defines {
            let value = value.as_deref().unwrap_or("1");
            let is_name = |s: &str| {
                s.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            };
            let plain = name.split_once('(').map_or(name.as_str(), |(plain, _)| plain);
            if !is_name(plain) || name.contains(['\n', '\\']) || (plain != name && !name.ends_with(')')) {
                let message = format!("`-D {name}`: `{name}` is not a name for a macro");
                self.report(Diagnostic::global(message).help("write `-D NAME` or `-D NAME=VALUE`"));
            } else if value.contains('\n') || value.trim_end().ends_with('\\') {
                self.report(Diagnostic::global(format!("`-D {name}`: the value must be one line")));
            } else {
                text.push_str(&format!("#define {name} {value}\n"));
            }
        }
        if !text.is_empty() {
            let id = self.sources.add("<command line>", text);
            self.open_file(id, None);
        }
    }

    fn run(&mut self, formulas: &[(String, String)]) {
        let mut formulas = formulas.iter();
        let mut end = None;
        loop {
            match self.next_expanded() {
                Some(token) => self.emit(&token),
                None if self.stopped => break,
                None if self.close_file() => {
                    if self.files.len() == 1
                        && let Some(span) = end.take()
                    {
                        self.output.push(Token { kind: TokenKind::Punct(Punct::RightBrace), span });
                    }
                }
                None => match formulas.next() {
                    Some((name, text)) => end = Some(self.open_formula(name, text)),
                    None => break,
                },
            }
        }
        let main = self.files[0].id;
        let end = self.sources.file(main).text.len() as u32;
        self.output.push(Token { kind: TokenKind::End, span: Span { file: main, start: end, end } });
    }

    /// Starts to read a formula of the command line; gives back the place where it ends.
    fn open_formula(&mut self, name: &str, text: &str) -> Span {
        let id = self.sources.add("--property", text.to_string());
        let at = |place: usize| Span { file: id, start: place as u32, end: place as u32 };
        let (ltl, name) = (self.spellings.share("ltl"), self.spellings.share(name));
        for kind in [TokenKind::Word(ltl), TokenKind::Word(name), TokenKind::Punct(Punct::LeftBrace)] {
            self.output.push(Token { kind, span: at(0) });
        }
        self.open_file(id, None);
        at(text.len())
    }

    /// Hands a token to the parser.
    fn emit(&mut self, token: &Raw) {
        let span = self.use_span;
        let after_minus = self.output.last().is_some_and(|before| before.is(Punct::Minus));
        let (kind, problem) = constant::value(token, span, after_minus);
        if let Some(problem) = problem {
            // Where the user sees a macro's name, the trouble is in the macro's body.
            let problem = if token.span == span { problem } else { problem.related(token.span, "it is written here") };
            self.report(problem);
        }
        let Some(kind) = kind else { return };
        self.output.push(Token { kind, span });
        if self.output.len() >= MAX_TOKENS {
            self.stop(format!("the model has more than {MAX_TOKENS} tokens"));
        }
    }

    /// Goes back to the including file; false if there is none.
    fn close_file(&mut self) -> bool {
        let Some(file) = self.files.last_mut() else { return false };
        let open: Vec<Span> = file.conditionals.drain(..).map(|c| c.start).collect();
        let more = self.files.len() > 1;
        if more {
            self.files.pop();
        }
        for start in open {
            self.report(Diagnostic::error(start, "this conditional group has no `#endif`"));
        }
        more
    }

    /// The next token of the current file outside directives and skipped groups; [`RawKind::End`] at its end.
    fn next_in_file(&mut self) -> Raw {
        loop {
            let token = self.take_in_file();
            match token.kind {
                RawKind::End => return token,
                RawKind::Hash if token.line_start => self.directive(&token),
                RawKind::OpenComment => self.report_open_comment(token.span),
                _ if self.is_skipping() => {}
                _ => return token,
            }
        }
    }

    /// The next token of the current file whatever it is.
    fn take_in_file(&mut self) -> Raw {
        self.work += 1;
        if self.work > MAX_WORK && !self.stopped {
            self.stop("reading the model takes too many steps".to_string());
        }
        // There is always a file: the last one stays open.
        let file = self.files.last_mut().expect("the main file stays open");
        if self.stopped {
            let span = Span { file: file.id, start: 0, end: 0 };
            return Raw { kind: RawKind::End, span, line_start: true, space_before: false, painted: false };
        }
        file.peeked.take().unwrap_or_else(|| file.lexer.next(&mut self.spellings))
    }

    fn peek_in_file(&mut self) -> &Raw {
        let file = self.files.last_mut().expect("the main file stays open");
        file.peeked.get_or_insert_with(|| file.lexer.next(&mut self.spellings))
    }

    fn report_open_comment(&mut self, span: Span) {
        // The comment has swallowed what would have closed the groups.
        if let Some(file) = self.files.last_mut() {
            file.conditionals.clear();
        }
        let problem = Diagnostic::error(span, "this comment is never closed").help("close it with `*/`");
        self.report(problem);
    }

    /// Tells a problem, unless the same has been told often enough.
    fn report(&mut self, mut problem: Diagnostic) {
        // What goes wrong while everything is being given up is no fault of the user's.
        if self.stopped {
            return;
        }
        let times = self.told.entry(problem.message.clone()).or_insert(0);
        *times += 1;
        if *times > MAX_SAME_MESSAGE {
            return;
        }
        if *times == MAX_SAME_MESSAGE {
            problem = problem.help("further messages like this one are left out");
        }
        self.diagnostics.push(problem);
        if self.diagnostics.len() == MAX_MESSAGES {
            self.diagnostics
                .push(Diagnostic::global(format!("more than {MAX_MESSAGES} problems; the rest is not read")));
            self.stopped = true;
        }
    }

    /// Gives up on the rest of the input.
    fn stop(&mut self, message: String) {
        self.report(Diagnostic::error(self.use_span, message));
        self.stopped = true;
    }

    /// Counts steps of macro expansion, and gives up when there are too many.
    fn charge(&mut self, steps: usize) {
        self.work = self.work.saturating_add(steps);
        self.use_work = self.use_work.saturating_add(steps);
        if self.use_work > MAX_WORK_PER_USE || self.work > MAX_WORK {
            self.stop("the macros used here expand without end, or nearly so".to_string());
        }
    }
}

/// Whether this looks like text. Comments may be in any encoding, so bytes above 127 count only when they are most of
/// the file; a zero byte or many control characters are enough.
fn is_text(bytes: &[u8]) -> bool {
    let control = |b: &u8| (*b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)) || *b == 0x7f;
    let controls = bytes.iter().filter(|b| control(b)).count();
    let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    !bytes.contains(&0) && controls * 20 <= bytes.len() && invalid * 2 <= bytes.len()
}
