//! Types, and the question whether a type stands here.

use super::cursor::{Cursor, Parsed};
use crate::ast::{Expr, ExprKind, IntRange, Type, TypeKind};
use crate::token::TokenKind;

/// Types without parts.
const SIMPLE: &[(&str, TypeKind)] = &[
    ("boolean", TypeKind::Boolean),
    ("tid", TypeKind::Tid),
    ("lock", TypeKind::Lock),
    ("string", TypeKind::String),
    ("float", TypeKind::Refused("float")),
    ("double", TypeKind::Refused("double")),
    ("long", TypeKind::Refused("long")),
];

impl Cursor {
    /// A type.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.pos;
        let mut ty = self.base_type()?;
        while self.at("[") && self.is(1, "]") {
            self.bump();
            self.bump();
            let height = self.pos - start;
            if height > 2 * super::MAX_DEPTH {
                return Err(self.too_deep());
            }
            ty = Type { kind: TypeKind::Array(Box::new(ty)), span: self.span_from(start) };
        }
        Ok(ty)
    }

    fn base_type(&mut self) -> Parsed<Type> {
        let start = self.pos;
        let simple = SIMPLE.iter().find(|(word, _)| self.at_word(word));
        let kind = if let Some((_, kind)) = simple {
            self.bump();
            kind.clone()
        } else if self.eat_word("int") {
            TypeKind::Int(self.range()?)
        } else if self.eat("`") {
            self.name("the name of a type")?;
            TypeKind::Variable
        } else if self.at_word("fun") {
            self.bump();
            let open = self.expect("(", "and the types of the parameters")?;
            let mut params = Vec::new();
            while !self.at(")") {
                params.push(self.deeper(Self::ty)?);
                if !self.eat(",") {
                    break;
                }
            }
            self.close(")", open)?;
            let result = if self.eat_word("returns") { Some(Box::new(self.deeper(Self::ty)?)) } else { None };
            TypeKind::Function(params, result)
        } else {
            let name = self.name("a type")?;
            if self.eat(".") {
                let member = self.member_name("the name of an extension's type")?;
                let types = if self.at("<") { self.type_arguments()? } else { Vec::new() };
                TypeKind::Extension(name, member, types)
            } else {
                TypeKind::Named(name)
            }
        };
        Ok(Type { kind, span: self.span_from(start) })
    }

    /// `<int, Job>`
    pub(super) fn type_arguments(&mut self) -> Parsed<Vec<Type>> {
        let open = self.expect("<", "before types")?;
        let mut types = vec![self.deeper(Self::ty)?];
        while self.eat(",") {
            types.push(self.deeper(Self::ty)?);
        }
        self.close(">", open)?;
        Ok(types)
    }

    fn range(&mut self) -> Parsed<Option<IntRange>> {
        let wrap = self.eat_word("wrap");
        if !wrap && !self.at("(") {
            return Ok(None);
        }
        let open = self.expect("(", "and the range after `wrap`")?;
        let low = Box::new(self.number()?);
        self.expect(",", "between the limits of the range")?;
        let high = Box::new(self.number()?);
        self.close(")", open)?;
        Ok(Some(IntRange { wrap, low, high }))
    }

    /// A number: a literal, or a constant of a block.
    pub(super) fn number(&mut self) -> Parsed<Expr> {
        let start = self.pos;
        let negative = self.eat("-");
        if let TokenKind::Number(value) = self.ahead(0).kind {
            self.bump();
            let kind = ExprKind::Int(if negative { value.wrapping_neg() } else { value });
            return Ok(Expr { kind, span: self.span_from(start), height: 1 });
        }
        if negative || !self.is_name(0) {
            return Err(self.expected("a number or a constant"));
        }
        let block = self.name("a constant")?;
        let span = block.span;
        let block = Expr { kind: ExprKind::Name(block), span, height: 1 };
        self.expect(".", "and the name of a constant")?;
        let name = self.name("the name of a constant")?;
        Ok(Expr { kind: ExprKind::Member(Box::new(block), name), span: self.span_from(start), height: 2 })
    }

    /// The place after the type that begins `n` tokens further on; `None` if there is no type. Nothing is told.
    pub(super) fn type_end(&self, n: usize) -> Option<usize> {
        self.nested_type_end(n, 0)
    }

    fn nested_type_end(&self, n: usize, depth: usize) -> Option<usize> {
        let mut at = n;
        let word = self.word(at)?;
        if SIMPLE.iter().any(|(simple, _)| *simple == &*word) {
            at += 1;
        } else if &*word == "int" {
            at += 1 + usize::from(self.is_word(at + 1, "wrap"));
            if self.is(at, "(") {
                // The longest range is `(C.LOW, C.HIGH)`.
                at = 1 + (at..at + 9).find(|&i| self.is(i, ")"))?;
            }
        } else if &*word == "fun" && self.is(at + 1, "(") && depth <= super::MAX_DEPTH {
            at += 2;
            while !self.is(at, ")") {
                at = self.nested_type_end(at, depth + 1)?;
                if !self.is(at, ",") && !self.is(at, ")") {
                    return None;
                }
                at += usize::from(self.is(at, ","));
            }
            at += 1;
            if self.is_word(at, "returns") {
                return self.nested_type_end(at + 1, depth + 1);
            }
        } else if self.is_name(at) {
            at += 1;
            if self.is(at, ".") && self.word(at + 1).is_some() {
                at += 2;
                if self.is(at, "<") {
                    at = self.type_arguments_end(at, depth)?;
                }
            }
        } else {
            return None;
        }
        while self.is(at, "[") && self.is(at + 1, "]") {
            at += 2;
        }
        Some(at)
    }

    /// The place after `<types>` that begins `n` tokens further on.
    pub(super) fn type_arguments_end(&self, n: usize, depth: usize) -> Option<usize> {
        if !self.is(n, "<") || depth > super::MAX_DEPTH {
            return None;
        }
        let mut at = self.nested_type_end(n + 1, depth + 1)?;
        while self.is(at, ",") {
            at = self.nested_type_end(at + 1, depth + 1)?;
        }
        self.is(at, ">").then_some(at + 1)
    }
}
