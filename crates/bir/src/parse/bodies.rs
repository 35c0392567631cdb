//! Bodies of threads and functions: locations with transformations, or statements.

use quotient_report::diagnostic::Diagnostic;

use super::cursor::{Cursor, Parsed};
use crate::ast::{
    Action, ActionKind, Body, Branch, Catch, Expr, ExprKind, Handler, Invoke, Jump, JumpKind, Location, MonitorOp,
    Stmt, StmtKind, Transformation, Work,
};

/// What can be done to a lock.
const MONITOR: &[(&str, MonitorOp)] = &[
    ("lock", MonitorOp::Lock),
    ("unlock", MonitorOp::Unlock),
    ("wait", MonitorOp::Wait),
    ("unwait", MonitorOp::Unwait),
    ("notify", MonitorOp::Notify),
    ("notifyAll", MonitorOp::NotifyAll),
];

/// Words before which a sequence of statements ends.
const ENDS: &[&str] = &["end", "else", "elseif", "catch", "when", "do", "loc"];

impl Cursor {
    /// A body in either form.
    pub(super) fn body(&mut self) -> Parsed<Body> {
        if self.at_word("loc") {
            return self.locations();
        }
        let body = self.statements()?;
        Ok(Body::High(body))
    }

    // ---- the low-level form ----

    fn locations(&mut self) -> Parsed<Body> {
        let mut locations = Vec::new();
        while self.at_word("loc") {
            locations.push(self.location()?);
        }
        let mut catches = Vec::new();
        while self.at_word("catch") {
            catches.push(self.catch()?);
        }
        Ok(Body::Low { locations, catches })
    }

    fn location(&mut self) -> Parsed<Location> {
        self.bump();
        let name = self.name("the name of the location")?;
        self.expect(":", "after the name of the location")?;
        let live = match self.eat_word("live") {
            true => Some(self.live()?),
            false => None,
        };
        let mut transformations = vec![self.transformation()?];
        while !self.at_word("loc") && !self.at_word("catch") && !self.at("}") && !self.at_end() {
            transformations.push(self.transformation()?);
        }
        Ok(Location { name, live, transformations })
    }

    fn live(&mut self) -> Parsed<Vec<crate::ast::Name>> {
        let open = self.expect("{", "after `live`")?;
        let mut names = Vec::new();
        while !self.at("}") {
            names.push(self.name("the name of a local variable")?);
            if !self.eat(",") {
                break;
            }
        }
        self.close("}", open)?;
        Ok(names)
    }

    fn transformation(&mut self) -> Parsed<Transformation> {
        let start = self.pos;
        let guard = if self.eat_word("when") { Some(self.expr()?) } else { None };
        let work = if self.eat_word("do") {
            let invisible = self.eat_word("invisible");
            if !invisible {
                self.eat_word("visible");
            }
            let open = self.expect("{", "before the actions")?;
            let mut actions = Vec::new();
            while !self.at("}") && !self.at_end() && !self.at_word("goto") && !self.at_word("loc") {
                actions.push(self.action()?);
            }
            self.close("}", open)?;
            Work::Actions { invisible, actions }
        } else if self.at_word("invoke") || guard.is_some() || self.is_name(0) {
            if guard.is_some() && !self.at_word("invoke") && !self.is_name(0) {
                return Err(self.expected("`do` after the guard"));
            }
            let result = match self.at_word("invoke") {
                true => None,
                false => {
                    let place = self.expr()?;
                    self.expect(":=", "and `invoke`")?;
                    Some(place)
                }
            };
            Work::Invoke(Box::new(self.invoke(result)?))
        } else {
            return Err(self.expected("`when`, `do` or `invoke`"));
        };
        let span = self.span_from(start);
        let jump = self.jump()?;
        Ok(Transformation { guard, work, jump, span })
    }

    fn jump(&mut self) -> Parsed<Jump> {
        let start = self.pos;
        let kind = if self.eat_word("goto") {
            JumpKind::Goto(self.name("the name of a location")?)
        } else if self.eat_word("return") {
            JumpKind::Return(if self.at(";") { None } else { Some(self.expr()?) })
        } else {
            return Err(self.expected("`goto` or `return` after the transformation"));
        };
        let span = self.span_from(start);
        self.expect(";", "after the jump")?;
        Ok(Jump { kind, span })
    }

    fn catch(&mut self) -> Parsed<Catch> {
        self.bump();
        let record = self.name("the name of a record")?;
        let variable = self.name("the name of a variable")?;
        if self.word(0).as_deref() != Some("at") {
            return Err(self.expected("`at` and the locations"));
        }
        self.bump();
        let mut locations = vec![self.name("the name of a location")?];
        while self.eat(",") {
            locations.push(self.name("the name of a location")?);
        }
        self.expect_word("goto", "after the locations")?;
        let target = self.name("the name of a location")?;
        self.expect(";", "after the location")?;
        Ok(Catch { record, variable, locations, target })
    }

    // ---- the high-level form ----

    /// Statements up to a word that ends them. A statement that is not understood is left out, with a message.
    fn statements(&mut self) -> Parsed<Vec<Stmt>> {
        let mut statements = Vec::new();
        while !self.at("}") && !self.at_end() && !self.at_member() && !ENDS.iter().any(|word| self.at_word(word)) {
            if self.is_abandoned() {
                return Err(self.expected("fewer mistakes"));
            }
            let start = self.pos;
            match self.deeper(Self::statement) {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    if self.pos == start {
                        self.bump();
                    }
                    self.skip_statement();
                }
            }
        }
        Ok(statements)
    }

    /// Goes to the next statement after one that was not understood.
    pub(super) fn skip_statement(&mut self) {
        while !self.at_end() && !self.at("}") && !self.at_member() && !ENDS.iter().any(|word| self.at_word(word)) {
            if self.eat(";") {
                return;
            }
            self.bump();
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.pos;
        let word = self.word(0);
        let kind = match word.as_deref() {
            Some("atomic") => {
                self.bump();
                let span = self.span_from(start);
                let body = self.block("atomic")?;
                return Ok(Stmt { kind: StmtKind::Atomic(body), span });
            }
            Some("while") => {
                self.bump();
                let condition = self.expr()?;
                let span = self.span_from(start);
                self.expect_word("do", "after the condition")?;
                let body = self.block("while")?;
                return Ok(Stmt { kind: StmtKind::While(condition, body), span });
            }
            Some("if") => return self.selection(),
            Some("choose") => return self.choose(),
            Some("try") => return self.attempt(),
            Some("return") => {
                self.bump();
                StmtKind::Return(if self.at(";") { None } else { Some(self.expr()?) })
            }
            Some("skip") => {
                self.bump();
                StmtKind::Skip
            }
            Some("invoke") => StmtKind::Invoke(self.invoke(None)?),
            _ if self.at("<") => {
                let open = self.bump();
                let action = self.action()?;
                self.close(">", open)?;
                self.eat(";");
                return Ok(Stmt { kind: StmtKind::Action { action, whole: true }, span: self.span_from(start) });
            }
            _ if self.type_end(0).is_some_and(|end| self.is_name(end)) => {
                let problem = Diagnostic::error(self.span(), "a variable is declared after a statement")
                    .help("declare all variables at the beginning of the body");
                return Err(self.fail(problem));
            }
            _ => {
                return match self.assignment_or_invoke()? {
                    Assigned::Invoke(invoke) => {
                        let span = self.span_from(start);
                        self.expect(";", "after the statement")?;
                        Ok(Stmt { kind: StmtKind::Invoke(invoke), span })
                    }
                    Assigned::Action(action) => {
                        let span = action.span;
                        Ok(Stmt { kind: StmtKind::Action { action, whole: false }, span })
                    }
                };
            }
        };
        let span = self.span_from(start);
        self.expect(";", "after the statement")?;
        Ok(Stmt { kind, span })
    }

    /// The rest of a block, with its `end`.
    fn block(&mut self, what: &str) -> Parsed<Vec<Stmt>> {
        let body = self.statements()?;
        self.expect_word("end", &format!("of `{what}`"))?;
        Ok(body)
    }

    fn selection(&mut self) -> Parsed<Stmt> {
        let start = self.pos;
        let head = self.span();
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let begin = self.pos;
            self.bump();
            let guard = Some(self.expr()?);
            let span = self.span_from(begin);
            self.expect_word("do", "after the condition")?;
            branches.push(Branch { guard, body: self.statements()?, span });
            if !self.at_word("elseif") {
                break;
            }
        }
        if self.eat_word("else") {
            self.expect_word("do", "after `else`")?;
            otherwise = Some(self.statements()?);
        }
        self.expect_word("end", "of `if`")?;
        let span = branches.first().map_or(head, |branch| branch.span);
        debug_assert!(self.pos > start);
        Ok(Stmt { kind: StmtKind::If(branches, otherwise), span })
    }

    fn choose(&mut self) -> Parsed<Stmt> {
        let span = self.bump();
        let mut branches = Vec::new();
        while self.at_word("when") || self.at_word("do") {
            let begin = self.pos;
            let guard = match self.eat_word("when") {
                true => {
                    let open = self.expect("<", "before the guard")?;
                    let guard = self.expr()?;
                    self.close(">", open)?;
                    Some(guard)
                }
                false => None,
            };
            let span = if guard.is_some() { self.span_from(begin) } else { self.span() };
            self.expect_word("do", "after the guard")?;
            branches.push(Branch { guard, body: self.statements()?, span });
        }
        if branches.is_empty() {
            return Err(self.expected("`when` or `do` after `choose`"));
        }
        let mut otherwise = None;
        if self.eat_word("else") {
            self.expect_word("do", "after `else`")?;
            otherwise = Some(self.statements()?);
        }
        self.expect_word("end", "of `choose`")?;
        Ok(Stmt { kind: StmtKind::Choose(branches, otherwise), span })
    }

    fn attempt(&mut self) -> Parsed<Stmt> {
        let span = self.bump();
        let body = self.statements()?;
        let mut handlers = Vec::new();
        while self.eat_word("catch") {
            let open = self.expect("(", "before the record")?;
            let record = self.name("the name of a record")?;
            let variable = self.name("the name of a variable")?;
            self.close(")", open)?;
            handlers.push(Handler { record, variable, body: self.statements()? });
        }
        if handlers.is_empty() {
            return Err(self.expected("`catch` after the statements of `try`"));
        }
        self.expect_word("end", "of `try`")?;
        Ok(Stmt { kind: StmtKind::Try(body, handlers), span })
    }

    // ---- actions ----

    fn invoke(&mut self, result: Option<Expr>) -> Parsed<Invoke> {
        self.expect_word("invoke", "and the name of a function")?;
        let is_virtual = self.eat_word("virtual");
        let start = self.pos;
        let name = self.name("the name of a function")?;
        let mut through = None;
        while self.at(".") || self.at("[") {
            let base = match through.take() {
                Some(base) => base,
                None => self.make(start, 0, ExprKind::Name(name.clone()))?,
            };
            through = Some(self.part(start, base)?);
        }
        let (args, _) = self.args()?;
        Ok(Invoke { result, is_virtual, name, through, args })
    }

    /// A field or an element of something.
    fn part(&mut self, start: usize, base: Expr) -> Parsed<Expr> {
        let height = base.height;
        if self.eat(".") {
            let name = self.member_name("the name of a field")?;
            return self.make(start, height, ExprKind::Member(Box::new(base), name));
        }
        let open = self.bump();
        let index = self.expr()?;
        self.close("]", open)?;
        let height = height.max(index.height);
        self.make(start, height, ExprKind::Index(Box::new(base), Box::new(index)))
    }

    fn action(&mut self) -> Parsed<Action> {
        match self.assignment_or_invoke()? {
            Assigned::Action(action) => Ok(action),
            Assigned::Invoke(invoke) => {
                let problem = Diagnostic::error(invoke.name.span, "`invoke` is no action: it is a step by itself")
                    .help("write a transformation `x := invoke f(…) goto …;`");
                Err(self.fail(problem))
            }
        }
    }

    /// An action with its semicolon, or an invocation without.
    fn assignment_or_invoke(&mut self) -> Parsed<Assigned> {
        let start = self.pos;
        let kind = match self.simple_action()? {
            Some(kind) => kind,
            None => {
                let place = self.expr()?;
                if self.at("=") {
                    let problem =
                        Diagnostic::error(self.span(), "expected `:=`, found `=`").help("write `:=` to assign");
                    return Err(self.fail(problem));
                }
                self.expect(":=", "after the expression")?;
                if !is_place(&place) {
                    let problem = Diagnostic::error(place.span, "this cannot be assigned to");
                    self.tell(problem);
                }
                if self.at_word("invoke") {
                    return Ok(Assigned::Invoke(self.invoke(Some(place))?));
                }
                match self.at_word("start") {
                    true => self.start(Some(place))?,
                    false => ActionKind::Assign(place, self.expr()?),
                }
            }
        };
        let span = self.span_from(start);
        self.expect(";", "after the action")?;
        Ok(Assigned::Action(Action { kind, span }))
    }

    /// An action that begins with a keyword or calls an extension.
    fn simple_action(&mut self) -> Parsed<Option<ActionKind>> {
        if let Some((_, op)) = MONITOR.iter().find(|(word, _)| self.at_word(word)) {
            self.bump();
            let open = self.expect("(", "before the lock")?;
            let value = self.expr()?;
            self.close(")", open)?;
            return Ok(Some(ActionKind::Monitor(*op, value)));
        }
        let kind = match self.word(0).as_deref() {
            Some("assert") => {
                self.bump();
                ActionKind::Assert(self.expr()?)
            }
            Some("assume") => {
                self.bump();
                ActionKind::Assume(self.expr()?)
            }
            Some("throw") => {
                self.bump();
                ActionKind::Throw(self.expr()?)
            }
            Some("invoke") => {
                let problem = Diagnostic::error(self.span(), "`invoke` is no action: it is a step by itself")
                    .help("write a transformation `x := invoke f(…) goto …;`");
                return Err(self.fail(problem));
            }
            Some("exit") => {
                self.bump();
                ActionKind::Exit
            }
            Some("start") => self.start(None)?,
            _ if self.at_extension_call() => {
                let start = self.pos;
                let (call, _) = self.extension_call()?;
                if self.at(":=") || self.at(".") || self.at("[") {
                    // The value of an expression is used as a place.
                    self.pos = start;
                    return Ok(None);
                }
                ActionKind::Extension(call)
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn start(&mut self, result: Option<Expr>) -> Parsed<ActionKind> {
        self.bump();
        let name = self.name("the name of a thread")?;
        let (args, _) = self.args()?;
        Ok(ActionKind::Start { result, name, args })
    }
}

/// What stands after a place, or in its stead.
enum Assigned {
    Action(Action),
    Invoke(Invoke),
}

fn is_place(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..))
}
