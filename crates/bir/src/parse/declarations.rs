//! The system and its members.

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::cursor::{Cursor, Failed, Parsed};
use crate::ast::{
    Activation, Code, ConstBlock, EntryKind, Enum, Extension, ExtensionEntry, Fun, Function, Member, Name, Record,
    System, Thread, Type, Variable, Virtual,
};

impl Cursor {
    /// The whole file.
    pub(super) fn system(&mut self) -> Parsed<System> {
        self.expect_word("system", "at the beginning of the model")?;
        let name = self.name("the name of the system")?;
        let open = self.expect("{", "after the name of the system")?;
        let mut members = Vec::new();
        while !self.at("}") && !self.at_end() && !self.is_abandoned() {
            let start = self.pos;
            match self.member() {
                Ok(member) => members.push(member),
                Err(_) => self.skip_member(start),
            }
        }
        if self.has_failed() {
            return Err(Failed);
        }
        self.close("}", open)?;
        if !self.at_end() {
            return Err(self.expected("the end of the file after the system"));
        }
        Ok(System { name, members })
    }

    /// Goes to the next member after one that was not understood.
    fn skip_member(&mut self, start: usize) {
        if self.pos == start {
            self.bump();
        }
        while !self.at_member() && !self.at_end() {
            self.bump();
        }
    }

    fn member(&mut self) -> Parsed<Member> {
        let Some(word) = self.word(0) else { return Err(self.expected("a declaration")) };
        match &*word {
            "const" => self.const_block(),
            "enum" => self.enumeration(),
            "record" | "top" | "throwable" => self.record(),
            "extension" => self.extension(),
            "typealias" => {
                self.bump();
                let ty = self.ty()?;
                let name = self.name("the new name of the type")?;
                self.expect(";", "after the declaration")?;
                Ok(Member::Alias(ty, name))
            }
            "thread" | "main" | "active" => self.thread(),
            "function" => self.function(),
            "virtual" => self.virtual_table(),
            "fun" if !self.is(1, "(") => self.fun(),
            "ltl" if self.is_name(1) && self.is(2, "{") => Ok(Member::Claim(self.claim()?)),
            _ if self.at_word("transient") || self.type_end(0).is_some() => Ok(Member::Global(self.variable()?)),
            _ => Err(self.expected("a declaration")),
        }
    }

    /// `[transient] type name [:= expr];`
    pub(super) fn variable(&mut self) -> Parsed<Variable> {
        // It says that the value need not be kept in states. It is kept.
        self.eat_word("transient");
        let ty = self.ty()?;
        let name = self.name("the name of a variable")?;
        let init = if self.eat(":=") { Some(self.expr()?) } else { None };
        if self.at("=") {
            let problem = Diagnostic::error(self.span(), "expected `;`, found `=`").help("write `:=` to assign");
            return Err(self.fail(problem));
        }
        self.expect(";", "after the declaration")?;
        Ok(Variable { ty, name, init })
    }

    fn const_block(&mut self) -> Parsed<Member> {
        self.bump();
        let name = self.name("the name of the constants")?;
        let open = self.expect("{", "after the name")?;
        let mut entries = Vec::new();
        while !self.at("}") {
            let entry = self.name("the name of a constant")?;
            self.expect("=", "after the name of a constant")?;
            entries.push((entry, self.expr()?));
            if !self.at(";") {
                return Err(self.expected("`;` after the constant"));
            }
            self.bump();
        }
        self.close("}", open)?;
        Ok(Member::Const(ConstBlock { name, entries }))
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn enumeration(&mut self) -> Parsed<Member> {
        self.bump();
        let name = self.name("the name of the enum")?;
        let open = self.expect("{", "after the name")?;
        let values = self.names("the name of a value")?;
        self.close("}", open)?;
        Ok(Member::Enum(Enum { name, values }))
    }

    fn record(&mut self) -> Parsed<Member> {
        let (mut top, mut throwable) = (false, false);
        loop {
            match () {
                () if self.eat_word("top") => top = true,
                () if self.eat_word("throwable") => throwable = true,
                () => break,
            }
        }
        self.expect_word("record", "and the name of a record")?;
        let name = self.name("the name of the record")?;
        let supers = if self.eat_word("extends") { self.names("the name of a record")? } else { Vec::new() };
        let open = self.expect("{", "before the fields")?;
        let mut fields = Vec::new();
        while !self.at("}") && !self.at_end() {
            let ty = self.ty()?;
            fields.push((ty, self.name("the name of a field")?));
            self.expect(";", "after the field")?;
        }
        self.close("}", open)?;
        Ok(Member::Record(Record { name, top, throwable, supers, fields }))
    }

    fn thread(&mut self) -> Parsed<Member> {
        let activation = if self.eat_word("main") {
            Activation::Main
        } else if self.eat_word("active") {
            let count = match self.at("[") {
                true => {
                    let open = self.bump();
                    let count = self.number()?;
                    self.close("]", open)?;
                    Some(count)
                }
                false => None,
            };
            Activation::Active(count)
        } else {
            Activation::Started
        };
        self.expect_word("thread", "and its name")?;
        let name = self.name("the name of the thread")?;
        let params = self.params()?;
        let code = self.code(name, params)?;
        Ok(Member::Thread(Thread { activation, code }))
    }

    fn function(&mut self) -> Parsed<Member> {
        self.bump();
        let name = self.name("the name of the function")?;
        let params = self.params()?;
        let returns = if self.eat_word("returns") { Some(self.ty()?) } else { None };
        let code = self.code(name, params)?;
        Ok(Member::Function(Function { returns, code }))
    }

    /// Local variables and the body, in braces.
    fn code(&mut self, name: Name, params: Vec<(crate::ast::Type, Name)>) -> Parsed<Code> {
        let open = self.expect("{", "before the body")?;
        let mut locals = Vec::new();
        while self.at_word("transient") || self.type_end(0).is_some_and(|end| self.is_name(end)) {
            match self.variable() {
                Ok(variable) => locals.push(variable),
                Err(_) => self.skip_statement(),
            }
        }
        let body = self.body()?;
        if self.has_failed() {
            // What is left of a statement that was not understood is no second mistake.
            while !self.at("}") && !self.at_member() && !self.at_end() {
                self.bump();
            }
        }
        let end: Span = self.close("}", open)?;
        Ok(Code { name, params, locals, body, end })
    }

    fn virtual_table(&mut self) -> Parsed<Member> {
        self.bump();
        let name = self.name("the name of the table")?;
        let on = if self.eat_word("on") { Some(self.name("the name of a record")?) } else { None };
        let open = self.expect("{", "before the functions")?;
        let mut entries = Vec::new();
        while !self.at("}") {
            let record = self.name("the name of a record")?;
            self.expect("->", "and the function for the record")?;
            entries.push((record, self.name("the name of a function")?));
        }
        self.close("}", open)?;
        Ok(Member::Virtual(Virtual { name, on, entries }))
    }

    fn fun(&mut self) -> Parsed<Member> {
        self.bump();
        let name = self.name("the name of the fun")?;
        let params = self.params()?;
        self.expect_word("returns", "and the type of the value")?;
        let returns = self.ty()?;
        self.expect("=", "before the value")?;
        let body = self.expr()?;
        self.expect(";", "after the value")?;
        Ok(Member::Fun(Fun { name, params, returns, body }))
    }

    fn extension(&mut self) -> Parsed<Member> {
        self.bump();
        let name = self.name("the name of the extension")?;
        self.expect_word("for", "and what implements the extension")?;
        let start = self.pos;
        let mut text = self.name("what implements the extension")?.text.to_string();
        while self.eat(".") {
            text.push('.');
            text.push_str(&self.name("the rest of the name")?.text);
        }
        let class = Name { text: text.into(), span: self.span_from(start) };
        let open = self.expect("{", "before what the extension has")?;
        let mut entries = Vec::new();
        while !self.at("}") {
            entries.push(self.extension_entry()?);
        }
        self.close("}", open)?;
        Ok(Member::Extension(Extension { name, class, entries }))
    }

    fn extension_entry(&mut self) -> Parsed<ExtensionEntry> {
        let (kind, result) = match () {
            () if self.eat_word("typedef") || self.eat_word("ptypedef") => (EntryKind::Type, None),
            () if self.eat_word("expdef") => (EntryKind::Expression, Some(self.ty()?)),
            () if self.eat_word("actiondef") => (EntryKind::Action, None),
            () => return Err(self.expected("`typedef`, `expdef` or `actiondef`")),
        };
        let what = if kind == EntryKind::Type { "the name of a type" } else { "the name of an operation" };
        let name = self.member_name(what)?;
        let variables = if self.at("<") { self.type_arguments()?.len() } else { 0 };
        let (params, repeats) = if kind == EntryKind::Type { (Vec::new(), false) } else { self.extension_params()? };
        self.expect(";", "after the declaration")?;
        Ok(ExtensionEntry { kind, name, variables, params, repeats, result })
    }

    /// The parameters of an operation, and whether the last one stands for any number of arguments.
    fn extension_params(&mut self) -> Parsed<(Vec<Type>, bool)> {
        let open = self.expect("(", "before the parameters")?;
        let (mut params, mut repeats) = (Vec::new(), false);
        while !self.at(")") {
            if self.word(0).as_deref() == Some("lazy") && !self.is(1, ",") && !self.is(1, ")") {
                self.bump();
            }
            params.push(self.ty()?);
            if self.is_name(0) {
                self.bump();
            }
            repeats = self.eat("...");
            if repeats || !self.eat(",") {
                break;
            }
        }
        self.close(")", open)?;
        Ok((params, repeats))
    }
}
