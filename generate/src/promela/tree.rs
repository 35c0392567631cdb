//! The generator's own syntax tree of a Promela program, and how it is printed.
//! It knows structure only where shrinking needs it; everything else is text with holes for values.

use std::fmt::{self, Display, Formatter, Write};

/// Text with holes: an expression or a basic statement.
#[derive(Clone, Debug, Default)]
pub struct Phrase(pub Vec<Piece>);

/// A piece of a phrase.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Fixed text.
    Text(String),
    /// A value, which shrinking may replace by a constant or by a value inside it.
    Value(Phrase),
    /// Something that must stay, such as an assigned variable; values inside it may be replaced.
    Place(Phrase),
}

/// Builds a [`Phrase`] from strings, values (phrases) and [`Piece`]s.
#[macro_export]
macro_rules! phrase {
    ($($piece:expr),* $(,)?) => {
        $crate::promela::tree::Phrase(vec![$($crate::promela::tree::Piece::from($piece)),*])
    };
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Phrase> for Piece {
    fn from(value: Phrase) -> Self {
        Self::Value(value)
    }
}

/// A comma-separated list of phrases, spliced so that each element stays in its place.
pub fn list(items: Vec<Phrase>) -> Piece {
    let mut pieces = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::from(", "));
        }
        pieces.push(Piece::Place(item));
    }
    Piece::Place(Phrase(pieces))
}

/// `if` or `do`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `if … fi`
    If,
    /// `do … od`
    Do,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// `{ … }`
    Plain,
    /// `atomic { … }`
    Atomic,
    /// `d_step { … }`
    DStep,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// One transition, which may carry a label.
    Basic(Phrase),
    /// Expanded by SPIN into several statements (`select`, an inline call): never labelled.
    Macro(Phrase),
    /// A declaration: never labelled, nor the first statement of an option.
    Declare(Phrase),
    /// `else`
    Else,
    /// `break`
    Break,
    /// `goto`
    Goto(String),
    /// A label and its statement.
    Labelled(String, Box<Statement>),
    /// A selection or repetition.
    Select(Choice, Vec<Vec<Statement>>),
    /// A block.
    Group(Block, Vec<Statement>),
    /// `main unless escape`, both printed as blocks.
    Unless(Vec<Statement>, Vec<Statement>),
    /// `for (header) { … }`
    For(Phrase, Vec<Statement>),
}

/// A proctype or `init`.
#[derive(Clone, Debug)]
pub struct Process {
    /// Everything before the body, without the `provided` clause.
    pub header: String,
    /// Number of copies started by `active`; 0 when it is started by `run` or is `init`.
    pub active: usize,
    /// The `provided` clause.
    pub provided: Option<Phrase>,
    /// The body.
    pub body: Vec<Statement>,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Preprocessor lines and global declarations, one each.
    pub declarations: Vec<Phrase>,
    /// Inlines: header and body.
    pub inlines: Vec<(String, Vec<Statement>)>,
    /// Processes in textual order.
    pub processes: Vec<Process>,
    /// A `trace` or `notrace` declaration.
    pub trace: Option<String>,
}

impl Display for Phrase {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Value(phrase) | Piece::Place(phrase) => write!(f, "{phrase}")?,
            }
        }
        Ok(())
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for declaration in &self.declarations {
            writeln!(f, "{declaration}")?;
        }
        for (header, body) in &self.inlines {
            writeln!(f, "\n{header} {{")?;
            sequence(f, body, 1)?;
            writeln!(f, "}}")?;
        }
        for process in &self.processes {
            writeln!(f)?;
            match process.active {
                0 => {}
                1 => f.write_str("active ")?,
                copies => write!(f, "active [{copies}] ")?,
            }
            f.write_str(&process.header)?;
            if let Some(condition) = &process.provided {
                write!(f, " provided ({condition})")?;
            }
            writeln!(f, " {{")?;
            sequence(f, &process.body, 1)?;
            writeln!(f, "}}")?;
        }
        if let Some(trace) = &self.trace {
            writeln!(f, "\n{trace}")?;
        }
        Ok(())
    }
}

/// Prints statements one per line; an empty sequence becomes `skip`, so that every deletion stays well formed.
fn sequence(f: &mut Formatter, statements: &[Statement], depth: usize) -> fmt::Result {
    if statements.iter().all(|statement| matches!(statement, Statement::Declare(_))) {
        for declaration in statements {
            line(f, depth, declaration)?;
            f.write_str(";\n")?;
        }
        indent(f, depth)?;
        return f.write_str("skip\n");
    }
    for (index, statement) in statements.iter().enumerate() {
        line(f, depth, statement)?;
        f.write_str(if index + 1 < statements.len() { ";\n" } else { "\n" })?;
    }
    Ok(())
}

fn indent(f: &mut Formatter, depth: usize) -> fmt::Result {
    write!(f, "{:width$}", "", width = 2 * depth)
}

fn line(f: &mut Formatter, depth: usize, statement: &Statement) -> fmt::Result {
    indent(f, depth)?;
    print(f, depth, statement)
}

fn braces(f: &mut Formatter, depth: usize, body: &[Statement]) -> fmt::Result {
    f.write_str("{\n")?;
    sequence(f, body, depth + 1)?;
    indent(f, depth)?;
    f.write_char('}')
}

fn print(f: &mut Formatter, depth: usize, statement: &Statement) -> fmt::Result {
    match statement {
        Statement::Basic(phrase) | Statement::Macro(phrase) | Statement::Declare(phrase) => write!(f, "{phrase}"),
        Statement::Else => f.write_str("else"),
        Statement::Break => f.write_str("break"),
        Statement::Goto(label) => write!(f, "goto {label}"),
        Statement::Labelled(label, inner) => {
            write!(f, "{label}: ")?;
            print(f, depth, inner)
        }
        Statement::Select(choice, options) => {
            let (open, close) = if *choice == Choice::If { ("if", "fi") } else { ("do", "od") };
            writeln!(f, "{open}")?;
            for option in options {
                indent(f, depth)?;
                writeln!(f, "::")?;
                sequence(f, option, depth + 1)?;
            }
            indent(f, depth)?;
            f.write_str(close)
        }
        Statement::Group(block, body) => {
            f.write_str(match block {
                Block::Plain => "",
                Block::Atomic => "atomic ",
                Block::DStep => "d_step ",
            })?;
            braces(f, depth, body)
        }
        Statement::Unless(main, escape) => {
            braces(f, depth, main)?;
            f.write_str(" unless ")?;
            braces(f, depth, escape)
        }
        Statement::For(header, body) => {
            write!(f, "for ({header}) ")?;
            braces(f, depth, body)
        }
    }
}
