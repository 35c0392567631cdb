//! Parsing a description.

use quotient_ir::Group;
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::{Declaration, Description, Family, Index, Set, Step, Type};
use crate::token::{Punct, Token, TokenKind};

/// Types of plain data.
const PLAIN: [&str; 8] = ["bit", "bool", "byte", "short", "int", "unsigned", "mtype", "pid"];

/// Parses a description; goes on after an error at the next declaration.
pub(super) fn parse(tokens: &[Token]) -> (Description, Vec<Diagnostic>) {
    let mut parser = Parser { tokens, at: 0, description: Description::default(), local: 0 };
    let mut diagnostics = Vec::new();
    while parser.peek().kind != TokenKind::End {
        if let Err(problem) = parser.item() {
            diagnostics.push(problem);
            parser.skip_item();
        }
    }
    (parser.description, diagnostics)
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    description: Description,
    /// How many braces are open.
    local: usize,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<'t> Parser<'t> {
    fn item(&mut self) -> Parsed<()> {
        let first = self.peek();
        let group = match &first.kind {
            TokenKind::Word(word) => match &**word {
                "scalarset" => Some(Group::Symmetric),
                "ring" => Some(Group::Cyclic),
                "dihedral" => Some(Group::Dihedral),
                "proctype" => return self.family(),
                _ => None,
            },
            _ if self.accept(Punct::Semicolon) => return Ok(()),
            _ => None,
        };
        match group {
            Some(group) => self.set(group)?,
            None => {
                let declarations = self.declarations()?;
                self.description.globals.extend(declarations);
            }
        }
        self.expect(Punct::Semicolon)
    }

    fn set(&mut self, group: Group) -> Parsed<()> {
        self.at += 1;
        let (name, span) = self.word("the name of a scalarset")?;
        if self.find(&name).is_some() {
            return Err(Diagnostic::error(span, format!("scalarset `{name}` is declared twice")));
        }
        let mut size = None;
        if self.accept(Punct::LeftBracket) {
            size = Some(self.number("how many members it has")?);
            self.expect(Punct::RightBracket)?;
        }
        self.description.sets.push(Set { name, size, group, span });
        Ok(())
    }

    fn family(&mut self) -> Parsed<()> {
        self.at += 1;
        let (name, span) = self.word("the name of a proctype")?;
        let mut sets = Vec::new();
        if self.accept(Punct::LeftBracket) {
            loop {
                let (set, span) = self.word("a scalarset")?;
                sets.push(self.find(&set).ok_or_else(|| no_set(&set, span))?);
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RightBracket)?;
        }
        let mut locals = Vec::new();
        if self.accept(Punct::LeftBrace) {
            self.local += 1;
            while !self.accept(Punct::RightBrace) {
                if !self.accept(Punct::Semicolon) {
                    locals.extend(self.declarations()?);
                    if !self.peek().is(Punct::RightBrace) {
                        self.expect(Punct::Semicolon)?;
                    }
                }
            }
            self.local -= 1;
        } else {
            self.expect(Punct::Semicolon)?;
        }
        self.description.families.push(Family { name, span, sets, locals });
        Ok(())
    }

    fn declarations(&mut self) -> Parsed<Vec<Declaration>> {
        let ty = self.ty()?;
        let mut all = vec![self.declaration(ty)?];
        while self.accept(Punct::Comma) {
            all.push(self.declaration(ty)?);
        }
        Ok(all)
    }

    fn declaration(&mut self, ty: Type) -> Parsed<Declaration> {
        let span = self.peek().span;
        let mut path = vec![self.step()?];
        while self.accept(Punct::Dot) {
            path.push(self.step()?);
        }
        let mut fields = None;
        if ty == Type::Channel && self.peek().is_word("of") {
            self.at += 1;
            self.expect(Punct::LeftBrace)?;
            let mut types = vec![self.ty()?];
            while self.accept(Punct::Comma) {
                types.push(self.ty()?);
            }
            self.expect(Punct::RightBrace)?;
            fields = Some(types);
        }
        Ok(Declaration { ty, path, fields, span })
    }

    fn ty(&mut self) -> Parsed<Type> {
        let (word, span) = self.word("a type")?;
        if word == "chan" {
            return Ok(Type::Channel);
        }
        if PLAIN.contains(&&*word) {
            return Ok(Type::Plain);
        }
        let set = self.find(&word).ok_or_else(|| no_set(&word, span))?;
        let mut first = 0;
        if self.accept(Punct::LeftParen) {
            let span = self.peek().span;
            let number = self.number("the value of the first member")?;
            first = u8::try_from(number).map_err(|_| Diagnostic::error(span, "the first value must be below 256"))?;
            self.expect(Punct::RightParen)?;
        }
        Ok(Type::Member(set, first))
    }

    fn step(&mut self) -> Parsed<Step> {
        let (name, _) = self.word("the name of a variable")?;
        let mut index = None;
        if self.accept(Punct::LeftBracket) {
            let token = self.peek();
            index = Some(match &token.kind {
                TokenKind::Punct(Punct::Star) => Index::Any,
                TokenKind::Number(number) if *number >= 0 => Index::Number(*number as usize),
                TokenKind::Word(word) => Index::Set(self.find(word).ok_or_else(|| no_set(word, token.span))?),
                _ => return Err(expected(token, "a scalarset, a number or `*`")),
            });
            self.at += 1;
            self.expect(Punct::RightBracket)?;
        }
        Ok(Step { name, index })
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.description.sets.iter().position(|set| set.name == name)
    }

    fn peek(&self) -> &'t Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn accept(&mut self, punct: Punct) -> bool {
        let found = self.peek().is(punct);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: Punct) -> Parsed<()> {
        match self.accept(punct) {
            true => Ok(()),
            false => Err(expected(self.peek(), &format!("`{}`", punct.text()))),
        }
    }

    fn word(&mut self, what: &str) -> Parsed<(String, Span)> {
        match &self.peek().kind {
            TokenKind::Word(word) => {
                let span = self.peek().span;
                self.at += 1;
                Ok((word.to_string(), span))
            }
            _ => Err(expected(self.peek(), what)),
        }
    }

    fn number(&mut self, what: &str) -> Parsed<usize> {
        match self.peek().kind {
            TokenKind::Number(number) if number >= 0 => {
                self.at += 1;
                Ok(number as usize)
            }
            _ => Err(expected(self.peek(), what)),
        }
    }

    /// Goes to the end of the declaration that went wrong.
    fn skip_item(&mut self) {
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::LeftBrace) => self.local += 1,
                TokenKind::Punct(Punct::RightBrace) => self.local = self.local.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if self.local == 0 && (token.is(Punct::Semicolon) || token.is(Punct::RightBrace)) {
                return;
            }
        }
    }
}

fn expected(token: &Token, what: &str) -> Diagnostic {
    Diagnostic::error(token.span, format!("expected {what}, found `{}`", token.text()))
}

fn no_set(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is neither a scalarset declared above nor a type of Promela"))
}
