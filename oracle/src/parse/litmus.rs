//! Whole litmus tests: the program and the claims about it, line by line. The notation is our own; see
//! [`parse`](super).

use super::ParseError;
use super::code::{block, location};
use super::cursor::Cursor;
use super::lex::Token;
use crate::axioms::MemoryModel;
use crate::litmus::{Claim, Litmus, Term, Verdict};
use crate::program::{Program, Thread};

/// The most threads and locations a program may have, so that no text makes it large.
const MOST: usize = 64;

/// Reads a litmus test; a program on its own is one without claims.
pub fn parse(text: &str) -> Result<Litmus, ParseError> {
    let cursor = &mut Cursor::new(text)?;
    let program = Program { name: String::new(), init: Vec::new(), locations: Vec::new(), threads: Vec::new() };
    let mut litmus = Litmus {
        program,
        outcomes: Vec::new(),
        executions: Vec::new(),
        orbits: Vec::new(),
        races: Vec::new(),
        deadlock: None,
    };
    loop {
        cursor.skip_separators(false);
        if cursor.peek().is_none() {
            break;
        }
        let keyword = cursor.word("the beginning of a line")?;
        line(cursor, &keyword, &mut litmus)?;
        cursor.end()?;
    }
    if litmus.program.threads.is_empty() {
        return cursor.error("there are no threads");
    }
    Ok(litmus)
}

fn line(cursor: &mut Cursor, keyword: &str, litmus: &mut Litmus) -> Result<(), ParseError> {
    let program = &mut litmus.program;
    match keyword {
        "name" => match cursor.take() {
            Some(Token::Text(name)) => program.name = name,
            found => return cursor.expected("a name", found),
        },
        "init" => init(cursor, program)?,
        "thread" => threads(cursor, program, 1)?,
        "threads" => {
            let count = cursor.number()?;
            threads(cursor, program, usize::try_from(count).unwrap_or(usize::MAX))?;
        }
        "outcome" => {
            let claim = outcome(cursor, program)?;
            litmus.outcomes.push(claim);
        }
        "executions" => litmus.executions.extend(claims(cursor, count)?),
        "orbits" => litmus.orbits.extend(claims(cursor, count)?),
        "races" => litmus.races.extend(claims(cursor, yes_or_no)?),
        "deadlock" => litmus.deadlock = Some(yes_or_no(cursor)?),
        other => return cursor.error(format!("a line cannot begin with `{other}`")),
    }
    Ok(())
}

fn init(cursor: &mut Cursor, program: &mut Program) -> Result<(), ParseError> {
    while let Some(Token::Word(_)) = cursor.peek() {
        let name = cursor.word("a location")?;
        if program.locations.contains(&name) {
            return cursor.error(format!("the location `{name}` is there already"));
        }
        if program.locations.len() == MOST {
            return cursor.error(format!("there are more than {MOST} locations"));
        }
        cursor.symbol("=")?;
        program.init.push(cursor.number()?);
        program.locations.push(name);
    }
    Ok(())
}

fn threads(cursor: &mut Cursor, program: &mut Program, count: usize) -> Result<(), ParseError> {
    if program.threads.len().saturating_add(count) > MOST {
        return cursor.error(format!("there are more than {MOST} threads"));
    }
    let code = block(cursor, &program.locations)?;
    program.threads.extend(std::iter::repeat_n(Thread { code }, count));
    Ok(())
}

fn outcome(cursor: &mut Cursor, program: &Program) -> Result<Claim, ParseError> {
    let line = cursor.line();
    let mut condition = vec![term(cursor, program)?];
    while cursor.takes("&") {
        condition.push(term(cursor, program)?);
    }
    Ok(Claim { condition, verdicts: claims(cursor, verdict)?, line })
}

fn term(cursor: &mut Cursor, program: &Program) -> Result<Term, ParseError> {
    if let Some(Token::Word(_)) = cursor.peek() {
        let loc = location(cursor, &program.locations)?;
        cursor.symbol("=")?;
        return Ok(Term::Memory(loc, cursor.number()?));
    }
    let thread = usize::try_from(cursor.number()?).unwrap_or(usize::MAX);
    if thread >= program.threads.len() {
        return cursor.error(format!("there is no thread {thread}"));
    }
    cursor.symbol(":")?;
    let reg = cursor.register()?;
    cursor.symbol("=")?;
    Ok(Term::Register(thread, reg, cursor.number()?))
}

/// Claims up to the end of the line: models, a colon and what is claimed for them.
fn claims<T: Copy>(
    cursor: &mut Cursor,
    claim: impl Fn(&mut Cursor) -> Result<T, ParseError>,
) -> Result<Vec<(MemoryModel, T)>, ParseError> {
    let mut claims = Vec::new();
    while !matches!(cursor.peek(), None | Some(Token::End)) {
        let mut models = models(cursor)?;
        while cursor.takes(",") {
            models.extend(self::models(cursor)?);
        }
        cursor.symbol(":")?;
        let claim = claim(cursor)?;
        claims.extend(models.into_iter().map(|model| (model, claim)));
    }
    if claims.is_empty() { cursor.error("nothing is claimed for any model") } else { Ok(claims) }
}

fn models(cursor: &mut Cursor) -> Result<Vec<MemoryModel>, ParseError> {
    let word = cursor.word("a model")?;
    let named: Vec<MemoryModel> =
        MemoryModel::ALL.into_iter().filter(|model| word == "all" || model.to_string() == word).collect();
    if named.is_empty() { cursor.error(format!("`{word}` is not a model: sc, tso, ra, rc11, all")) } else { Ok(named) }
}

fn count(cursor: &mut Cursor) -> Result<usize, ParseError> {
    Ok(usize::try_from(cursor.number()?).unwrap_or(usize::MAX))
}

fn verdict(cursor: &mut Cursor) -> Result<Verdict, ParseError> {
    match cursor.word("a verdict")?.as_str() {
        "never" => Ok(Verdict::Never),
        "sometimes" => Ok(Verdict::Sometimes),
        "always" => Ok(Verdict::Always),
        other => cursor.error(format!("`{other}` is not a verdict: never, sometimes, always")),
    }
}

fn yes_or_no(cursor: &mut Cursor) -> Result<bool, ParseError> {
    match cursor.word("`yes` or `no`")?.as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => cursor.error(format!("expected `yes` or `no`, found `{other}`")),
    }
}
