//! The code of threads: blocks of instructions. The notation is our own; see [`parse`](super).

use super::ParseError;
use super::cursor::Cursor;
use super::expr::{atom, expr};
use super::lex::Token;
use crate::program::{Instr, Mode, Op};

const FOR_LOADS: &[Mode] = &[Mode::Na, Mode::Rlx, Mode::Acq, Mode::Sc];
const FOR_STORES: &[Mode] = &[Mode::Na, Mode::Rlx, Mode::Rel, Mode::Sc];
const FOR_UPDATES: &[Mode] = &[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];
const FOR_FAILURES: &[Mode] = &[Mode::Rlx, Mode::Acq, Mode::Sc];
const FOR_FENCES: &[Mode] = &[Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];
const OPS: [Op; 8] = [Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor, Op::Swap, Op::Max, Op::Min];

/// A block in braces. `names` are those of the locations.
pub(super) fn block(cursor: &mut Cursor, names: &[String]) -> Result<Vec<Instr>, ParseError> {
    cursor.symbol("{")?;
    let mut code = Vec::new();
    loop {
        cursor.skip_separators(true);
        if cursor.takes("}") {
            return Ok(code);
        }
        code.push(cursor.nested(|cursor| instr(cursor, names))?);
        match cursor.peek() {
            Some(Token::End | Token::Symbol(";" | "}")) => {}
            _ => {
                let found = cursor.take();
                return cursor.expected("`;`, `}` or a new line", found);
            }
        }
    }
}

fn instr(cursor: &mut Cursor, names: &[String]) -> Result<Instr, ParseError> {
    let Some(Token::Word(word)) = cursor.peek().cloned() else {
        let found = cursor.take();
        return cursor.expected("an instruction or `}`", found);
    };
    if !["store", "fence", "if", "assume", "lock", "unlock"].contains(&word.as_str()) {
        return assignment(cursor, names);
    }
    cursor.take();
    Ok(match word.as_str() {
        "store" => {
            let (mode, loc) = (mode(cursor, FOR_STORES)?, location(cursor, names)?);
            Instr::Store { loc, mode, value: expr(cursor)? }
        }
        "fence" => Instr::Fence { mode: mode(cursor, FOR_FENCES)? },
        "assume" => Instr::Assume { cond: expr(cursor)? },
        "lock" => Instr::Lock { loc: location(cursor, names)? },
        "unlock" => Instr::Unlock { loc: location(cursor, names)? },
        _ => {
            let (cond, then) = (expr(cursor)?, block(cursor, names)?);
            let has_else = matches!(cursor.peek(), Some(Token::Word(word)) if word == "else");
            if has_else {
                cursor.take();
            }
            Instr::If { cond, then, otherwise: if has_else { block(cursor, names)? } else { Vec::new() } }
        }
    })
}

/// An instruction that begins with a register.
fn assignment(cursor: &mut Cursor, names: &[String]) -> Result<Instr, ParseError> {
    let reg = cursor.register()?;
    let ok = if cursor.takes(",") { Some(cursor.register()?) } else { None };
    cursor.symbol("=")?;
    let what = cursor.word("`load`, `cas` or an operation")?;
    if let "cas" | "cas_weak" = what.as_str() {
        let (success, failure) = (mode(cursor, FOR_UPDATES)?, mode(cursor, FOR_FAILURES)?);
        let loc = location(cursor, names)?;
        let (expected, new) = (atom(cursor)?, atom(cursor)?);
        return Ok(Instr::Cas { reg, ok, loc, success, failure, expected, new, weak: what == "cas_weak" });
    }
    if ok.is_some() {
        return cursor.error("only `cas` and `cas_weak` set two registers");
    }
    if what == "set" {
        return Ok(Instr::Set { reg, value: expr(cursor)? });
    }
    if what == "load" {
        let mode = mode(cursor, FOR_LOADS)?;
        return Ok(Instr::Load { reg, loc: location(cursor, names)?, mode });
    }
    let Some(op) = OPS.into_iter().find(|op| op.to_string() == what) else {
        return cursor.error(format!("`{what}` is not an operation"));
    };
    let (mode, loc) = (mode(cursor, FOR_UPDATES)?, location(cursor, names)?);
    Ok(Instr::Rmw { reg, loc, mode, op, value: expr(cursor)? })
}

fn mode(cursor: &mut Cursor, allowed: &[Mode]) -> Result<Mode, ParseError> {
    let word = cursor.word("a mode")?;
    match allowed.iter().find(|mode| mode.to_string() == word) {
        Some(mode) => Ok(*mode),
        None => {
            let allowed: Vec<String> = allowed.iter().map(Mode::to_string).collect();
            cursor.error(format!("`{word}` is not a mode that can stand here: {}", allowed.join(", ")))
        }
    }
}

/// A location, by its name.
pub(super) fn location(cursor: &mut Cursor, names: &[String]) -> Result<usize, ParseError> {
    let word = cursor.word("a location")?;
    match names.iter().position(|name| *name == word) {
        Some(loc) => Ok(loc),
        None => cursor.error(format!("there is no location `{word}`")),
    }
}
