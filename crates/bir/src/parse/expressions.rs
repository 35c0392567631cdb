//! Expressions, by precedence.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::MAX_DEPTH;
use super::cursor::{Cursor, Parsed};
use crate::ast::{BinaryOp, Expr, ExprKind, ExtensionCall, MonitorTest, Name, Remote, UnaryOp};
use crate::token::TokenKind;

/// Binary operators with their precedence, as in Java; `=>` binds least.
#[rustfmt::skip]
const BINARY: &[(&str, BinaryOp, u8)] = &[
    ("=>", BinaryOp::Implies, 1),
    ("||", BinaryOp::Or, 2), ("&&", BinaryOp::And, 3),
    ("|", BinaryOp::BitOr, 4), ("^", BinaryOp::BitXor, 5), ("&", BinaryOp::BitAnd, 6),
    ("==", BinaryOp::Eq, 7), ("!=", BinaryOp::Ne, 7),
    ("<", BinaryOp::Lt, 8), ("<=", BinaryOp::Le, 8), (">", BinaryOp::Gt, 8), (">=", BinaryOp::Ge, 8),
    ("shl", BinaryOp::Shl, 9), ("shr", BinaryOp::Shr, 9), ("ushr", BinaryOp::UShr, 9),
    ("+", BinaryOp::Add, 10), ("-", BinaryOp::Sub, 10),
    ("*", BinaryOp::Mul, 11), ("/", BinaryOp::Div, 11), ("%", BinaryOp::Rem, 11),
];

/// Operators that bind less are those of formulas.
const OF_FORMULAS: u8 = 4;

/// The precedence of `instanceof` and `kindof`.
const INSTANCE: u8 = 8;

/// Questions about locks and threads.
const TESTS: &[(&str, MonitorTest)] = &[
    ("lockAvailable", MonitorTest::LockAvailable),
    ("hasLock", MonitorTest::HasLock),
    ("wasNotified", MonitorTest::WasNotified),
    ("threadTerminated", MonitorTest::ThreadTerminated),
];

impl Cursor {
    /// An expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|cursor| {
            if cursor.at_word("let") {
                return cursor.let_in();
            }
            let start = cursor.pos;
            let condition = cursor.binary(1)?;
            if !cursor.eat("?") {
                return Ok(condition);
            }
            let yes = cursor.choosing(true, Self::expr)?;
            cursor.expect(":", "between the two values of `?`")?;
            let no = cursor.expr()?;
            let height = condition.height.max(yes.height).max(no.height);
            cursor.make(start, height, ExprKind::Cond(Box::new(condition), Box::new(yes), Box::new(no)))
        })
    }

    /// An expression of a kind, one higher than its highest part.
    pub(super) fn make(&mut self, start: usize, parts: usize, kind: ExprKind) -> Parsed<Expr> {
        if parts >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(Expr { kind, span: self.span_from(start), height: parts + 1 })
    }

    /// Reads a part that is the first value of `?`, or that stands in parentheses of its own.
    fn choosing<T>(&mut self, chooses: bool, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = std::mem::replace(&mut self.in_choice, chooses);
        let read = part(self);
        self.in_choice = outer;
        read
    }

    fn let_in(&mut self) -> Parsed<Expr> {
        let start = self.pos;
        self.bump();
        let mut bindings = Vec::new();
        let mut height = 0;
        while !self.at_word("in") {
            let name = self.name("a name after `let`")?;
            self.expect("=", "after the name")?;
            let value = self.expr()?;
            height = height.max(value.height);
            bindings.push((name, value));
            self.eat(",");
        }
        self.bump();
        let body = self.expr()?;
        let height = height.max(body.height);
        self.make(start, height, ExprKind::Let(bindings, Box::new(body)))
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        let (_, op, precedence) = BINARY.iter().find(|(text, ..)| self.at(text) || self.at_word(text))?;
        // In `when <guard> do`, the second bracket is no operator.
        let closes = *op == BinaryOp::Gt && self.is_word(1, "do");
        // In formulas, `<>` and `<->` are none either.
        let closes = closes || (*op == BinaryOp::Lt && (self.is(1, ">") || self.is(1, "->")));
        (!closes).then_some((*op, *precedence))
    }

    /// An expression without `&&`, `||` and `=>`, which are the formula's.
    pub(super) fn comparison(&mut self) -> Parsed<Expr> {
        self.binary(OF_FORMULAS)
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.pos;
        let mut left = self.unary()?;
        loop {
            if (self.at_word("instanceof") || self.at_word("kindof")) && INSTANCE >= least {
                let exact = self.at_word("kindof");
                self.bump();
                let ty = self.ty()?;
                let height = left.height;
                left = self.make(start, height, ExprKind::InstanceOf { value: Box::new(left), ty, exact })?;
                continue;
            }
            let Some((op, precedence)) = self.operator().filter(|(_, precedence)| *precedence >= least) else {
                return Ok(left);
            };
            self.bump();
            // `=>` groups to the right, the others to the left.
            let next = if op == BinaryOp::Implies { precedence } else { precedence + 1 };
            let right = self.deeper(|cursor| cursor.binary(next))?;
            let height = left.height.max(right.height);
            left = self.make(start, height, ExprKind::Binary(op, Box::new(left), Box::new(right)))?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.pos;
        if self.at("-") && self.ahead(1).kind == TokenKind::Number(i32::MIN) {
            self.bump();
            self.bump();
            return self.make(start, 0, ExprKind::Int(i32::MIN));
        }
        let op = match () {
            () if self.at("-") => UnaryOp::Minus,
            () if self.at("+") => UnaryOp::Plus,
            () if self.at("!") => UnaryOp::Not,
            () => return self.cast_or_postfix(),
        };
        self.bump();
        let value = self.deeper(Self::unary)?;
        let height = value.height;
        self.make(start, height, ExprKind::Unary(op, Box::new(value)))
    }

    fn cast_or_postfix(&mut self) -> Parsed<Expr> {
        let start = self.pos;
        if self.at("(") && self.is_cast() {
            self.bump();
            let ty = self.ty()?;
            self.expect(")", "after the type")?;
            let value = self.deeper(Self::unary)?;
            let height = value.height;
            return self.make(start, height, ExprKind::Cast(ty, Box::new(value)));
        }
        let mut value = self.primary()?;
        loop {
            let height = value.height;
            if self.eat(".") {
                let name = self.name("the name of a field")?;
                value = self.make(start, height, ExprKind::Member(Box::new(value), name))?;
            } else if self.at("[") {
                let open = self.bump();
                let index = self.expr()?;
                self.close("]", open)?;
                let height = height.max(index.height);
                value = self.make(start, height, ExprKind::Index(Box::new(value), Box::new(index)))?;
            } else {
                return self.no_thread_by_index(value);
            }
        }
    }

    /// `T[0]:x` is how Promela names a process.
    fn no_thread_by_index(&mut self, value: Expr) -> Parsed<Expr> {
        let asks = self.in_formula && (self.at("@") || (self.at(":") && !self.in_choice));
        match &value.kind {
            ExprKind::Index(base, _) if asks => match &base.kind {
                ExprKind::Name(name) => {
                    let message = format!("threads have the names that runs give them: `{}#1` is the first", name.text);
                    Err(self.fail(Diagnostic::error(value.span, message)))
                }
                _ => Ok(value),
            },
            _ => Ok(value),
        }
    }

    /// Whether `(` begins a cast: a type in parentheses, and then something that only begins a value.
    fn is_cast(&self) -> bool {
        let Some(end) = self.type_end(1).filter(|&end| self.is(end, ")")) else { return false };
        if !self.is_name(1) {
            return true;
        }
        let after = end + 1;
        let begins = ["new", "null", "true", "false"].iter().any(|word| self.is_word(after, word));
        let is_number = matches!(self.ahead(after).kind, TokenKind::Number(_));
        begins || is_number || self.is_name(after) || self.is(after, "(")
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.pos;
        if self.ahead(0).kind == TokenKind::Number(i32::MIN) {
            let message = "`2147483648` is too large: integers have 32 bits";
            return Err(self.fail(Diagnostic::error(self.span(), message)));
        }
        let simple = match &self.ahead(0).kind {
            TokenKind::Number(value) => Some(ExprKind::Int(*value)),
            TokenKind::Text => Some(ExprKind::Text),
            TokenKind::Word(word) => match &**word {
                "true" => Some(ExprKind::Bool(true)),
                "false" => Some(ExprKind::Bool(false)),
                "null" => Some(ExprKind::Null),
                _ => None,
            },
            _ => None,
        };
        if let Some(kind) = simple {
            self.bump();
            return self.make(start, 0, kind);
        }
        if self.at("(") {
            let open = self.bump();
            let mut inner = self.choosing(false, Self::expr)?;
            self.close(")", open)?;
            inner.span = self.span_from(start);
            return Ok(inner);
        }
        if self.eat_word("new") {
            return self.allocation(start);
        }
        if let Some((_, test)) = TESTS.iter().find(|(word, _)| self.at_word(word)) {
            self.bump();
            let open = self.expect("(", "before the lock or thread")?;
            let value = self.expr()?;
            self.close(")", open)?;
            let height = value.height;
            return self.make(start, height, ExprKind::Test(*test, Box::new(value)));
        }
        if !self.is_name(0) || (self.in_formula && self.prefix_operator().is_some()) {
            return Err(self.expected("an expression"));
        }
        if self.is(1, "(") {
            let name = self.name("a name")?;
            let (args, height) = self.args()?;
            return self.make(start, height, ExprKind::Call(name, args));
        }
        if self.at_extension_call() {
            let (call, height) = self.extension_call()?;
            return self.make(start, height, ExprKind::Extension(call));
        }
        let name = self.name("a name")?;
        if self.in_formula && (self.at("#") || self.at("@") || (self.at(":") && !self.in_choice)) {
            let remote = self.remote(name)?;
            return self.make(start, 0, ExprKind::Remote(remote));
        }
        self.make(start, 0, ExprKind::Name(name))
    }

    /// What is asked of a thread, whose name was read: `#1:x`, `@l`.
    fn remote(&mut self, thread: Name) -> Parsed<Remote> {
        let mut number = None;
        if self.eat("#")
            && let TokenKind::Number(value) = self.ahead(0).kind
        {
            number = Some((value, self.bump()));
        }
        let is_location = self.at("@");
        if !is_location && !self.at(":") {
            return Err(self.expected("`:` and a variable, or `@` and a location, after the thread"));
        }
        self.bump();
        let name = self.name(if is_location { "the name of a location" } else { "the name of a variable" })?;
        Ok(Remote { thread, number, is_location, name })
    }

    fn allocation(&mut self, start: usize) -> Parsed<Expr> {
        if self.at_word("lock") && !self.is(1, "[") {
            self.bump();
            return self.make(start, 0, ExprKind::NewLock);
        }
        // The brackets of `new int[][n]` belong to the type but for the last ones.
        if self.is_name(0) && !self.is(1, "[") && !self.is(1, ".") {
            let name = self.name("the name of a record")?;
            return self.make(start, 0, ExprKind::New(name));
        }
        let ty = self.ty()?;
        let open = self.expect("[", "and the length of the array")?;
        let length = self.expr()?;
        self.close("]", open)?;
        let height = length.height;
        self.make(start, height, ExprKind::NewArray(ty, Box::new(length)))
    }

    /// Whether `E.op(` or `E.op<types>(` stands here.
    pub(super) fn at_extension_call(&self) -> bool {
        if !(self.is_name(0) && self.is(1, ".") && self.word(2).is_some()) {
            return false;
        }
        self.is(3, "(") || self.type_arguments_end(3, 0).is_some_and(|end| self.is(end, "("))
    }

    /// A call of an extension, and the height of its arguments.
    pub(super) fn extension_call(&mut self) -> Parsed<(ExtensionCall, usize)> {
        let extension = self.name("the name of an extension")?;
        self.expect(".", "after the extension")?;
        let operation = self.member_name("the name of an operation")?;
        let types = if self.at("<") { self.type_arguments()? } else { Vec::new() };
        let (args, height) = self.args()?;
        Ok((ExtensionCall { extension, operation, types, args }, height))
    }

    /// Arguments in parentheses, and the height of the highest.
    pub(super) fn args(&mut self) -> Parsed<(Vec<Expr>, usize)> {
        let open: Span = self.expect("(", "before the arguments")?;
        let mut args: Vec<Expr> = Vec::new();
        while !self.at(")") {
            args.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        self.close(")", open)?;
        let height = args.iter().map(|arg| arg.height).max().unwrap_or(0);
        Ok((args, height))
    }

    /// A parenthesised list of `type name`.
    pub(super) fn params(&mut self) -> Parsed<Vec<(crate::ast::Type, Name)>> {
        let open = self.expect("(", "before the parameters")?;
        let mut params = Vec::new();
        while !self.at(")") {
            let ty = self.ty()?;
            params.push((ty, self.name("the name of a parameter")?));
            if !self.eat(",") {
                break;
            }
        }
        self.close(")", open)?;
        Ok(params)
    }
}
