//! One-line text of statements and expressions, as reports show them. Parentheses appear only where the parser would
//! otherwise read something else, so the text parses back to the same tree.

use std::fmt::{Display, Formatter, Result};

use crate::ast::{
    BinaryOp, Call, Decl, Declarator, Expr, ExprKind, Initialiser, Made, Probe, Quantifier, RecvArg, Returned,
    Sequence, Step, Stmt, StmtKind, TypeName, UnaryOp, VarRef, Visibility,
};

/// How tightly unary operators bind: tighter than all binary ones.
const UNARY: u8 = 13;
const ATOM: u8 = 14;

/// The spelling of a binary operator and how tightly it binds, as in the parser.
fn binary(op: BinaryOp) -> (&'static str, u8) {
    use BinaryOp::*;
    match op {
        Implies => ("->", 1),
        Equivalent => ("<->", 1),
        Or => ("||", 2),
        And => ("&&", 3),
        Until => ("U", 4),
        WeakUntil => ("W", 4),
        Release => ("V", 4),
        BitOr => ("|", 5),
        BitXor => ("^", 6),
        BitAnd => ("&", 7),
        Eq => ("==", 8),
        Ne => ("!=", 8),
        Lt => ("<", 9),
        Le => ("<=", 9),
        Gt => (">", 9),
        Ge => (">=", 9),
        Shl => ("<<", 10),
        Shr => (">>", 10),
        Add => ("+", 11),
        Sub => ("-", 11),
        Mul => ("*", 12),
        Div => ("/", 12),
        Rem => ("%", 12),
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Always => "[]",
        UnaryOp::Eventually => "<>",
        UnaryOp::Next => "X ",
    }
}

fn precedence(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(op, ..) => binary(*op).1,
        ExprKind::Unary(..) => UNARY,
        ExprKind::Const(n) if *n < 0 => UNARY,
        _ => ATOM,
    }
}

/// An operand, in parentheses if it binds less tightly than its place needs.
fn operand(f: &mut Formatter<'_>, expr: &Expr, min: u8) -> Result {
    if precedence(expr) < min { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

/// Whether the text begins with this sign, which must not touch the same sign before it.
fn begins_with(expr: &Expr, op: UnaryOp) -> bool {
    match &expr.kind {
        ExprKind::Unary(own, _) => *own == op,
        ExprKind::Const(n) => *n < 0 && op == UnaryOp::Neg,
        ExprKind::Binary(own, left, _) => precedence(left) >= binary(*own).1 && begins_with(left, op),
        _ => false,
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, items: &[T], separator: &str) -> Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            ExprKind::Const(n) => write!(f, "{n}"),
            ExprKind::Var(var) => write!(f, "{var}"),
            ExprKind::Unary(op, inner) => {
                f.write_str(unary(*op))?;
                let clash = matches!(op, UnaryOp::Not | UnaryOp::Neg) && begins_with(inner, *op);
                operand(f, inner, if clash { ATOM } else { UNARY })
            }
            ExprKind::Binary(op, left, right) => {
                let (spelling, precedence) = binary(*op);
                operand(f, left, precedence)?;
                write!(f, " {spelling} ")?;
                operand(f, right, precedence + 1)
            }
            ExprKind::Cond(c, yes, no) => write!(f, "({c} -> {yes} : {no})"),
            ExprKind::Run { proctype, args, priority } => {
                write!(f, "run {}(", proctype.text)?;
                list(f, args, ",")?;
                f.write_str(")")?;
                priority.map_or(Ok(()), |(n, _)| write!(f, " priority {n}"))
            }
            ExprKind::Len(var) => write!(f, "len({var})"),
            ExprKind::Probe(probe, var) => {
                let word = match probe {
                    Probe::Full => "full",
                    Probe::Nfull => "nfull",
                    Probe::Empty => "empty",
                    Probe::Nempty => "nempty",
                };
                write!(f, "{word}({var})")
            }
            ExprKind::Quantified { quantifier, var, set, body } => {
                let word = match quantifier {
                    Quantifier::All => "forall",
                    Quantifier::Some => "exists",
                    Quantifier::Count => "count",
                };
                write!(f, "{word} ({} : {}) ({body})", var.text, set.text)
            }
            ExprKind::Poll { channel, args, random } => {
                write!(f, "{channel}{}[", if *random { "??" } else { "?" })?;
                list(f, args, ",")?;
                f.write_str("]")
            }
            ExprKind::Enabled(e) => write!(f, "enabled({e})"),
            ExprKind::PcValue(e) => write!(f, "pc_value({e})"),
            ExprKind::GetPriority(e) => write!(f, "get_priority({e})"),
            ExprKind::Timeout => f.write_str("timeout"),
            ExprKind::NonProgress => f.write_str("np_"),
            ExprKind::Null => f.write_str("null"),
            ExprKind::Address(var) => write!(f, "&{var}"),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                f.write_str(&proctype.text)?;
                index(f, pid)?;
                write!(f, "@{}", label.text)
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                f.write_str(&proctype.text)?;
                index(f, pid)?;
                write!(f, ":{var}")
            }
        }
    }
}

fn index(f: &mut Formatter<'_>, index: &Option<Box<Expr>>) -> Result {
    index.as_ref().map_or(Ok(()), |e| write!(f, "[{e}]"))
}

impl Display for VarRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (i, field) in self.path.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { "." } else { "" }, field.name.text)?;
            index(f, &field.index)?;
        }
        Ok(())
    }
}

impl Display for RecvArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            RecvArg::Var(var) => write!(f, "{var}"),
            RecvArg::Const(n, _) => write!(f, "{n}"),
            RecvArg::Eval(e) => write!(f, "eval({e})"),
        }
    }
}

impl Display for Stmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            StmtKind::Labelled(name, None) => write!(f, "{}:", name.text),
            StmtKind::Labelled(name, Some(stmt)) => write!(f, "{}: {stmt}", name.text),
            StmtKind::Assign(var, e) => write!(f, "{var} = {e}"),
            StmtKind::Increment(var) => write!(f, "{var}++"),
            StmtKind::Decrement(var) => write!(f, "{var}--"),
            StmtKind::Send { channel, args, sorted } => {
                write!(f, "{channel}{}", if *sorted { "!!" } else { "!" })?;
                match args.split_first() {
                    Some((first, rest)) if begins_with(first, UnaryOp::Not) => {
                        write!(f, "({first}){}", if rest.is_empty() { "" } else { "," })?;
                        list(f, rest, ",")
                    }
                    _ => list(f, args, ","),
                }
            }
            StmtKind::Receive { channel, args, random, copy } => {
                write!(f, "{channel}{}{}", if *random { "??" } else { "?" }, if *copy { "<" } else { "" })?;
                list(f, args, ",")?;
                f.write_str(if *copy { ">" } else { "" })
            }
            StmtKind::If(options) => choice(f, "if", options, "fi"),
            StmtKind::Do(options) => choice(f, "do", options, "od"),
            StmtKind::ForRange { var, from, to, body } => write!(f, "for ({var} : {from} .. {to}) {body}"),
            StmtKind::ForIn { var, collection, body } => write!(f, "for ({var} in {collection}) {body}"),
            StmtKind::ForEach { var, set, body } => write!(f, "for ({} : {}) {body}", var.text, set.text),
            StmtKind::Choose { var, set } => write!(f, "select ({var} : {})", set.text),
            StmtKind::Select { var, from, to } => write!(f, "select ({var} : {from} .. {to})"),
            StmtKind::Break => f.write_str("break"),
            StmtKind::Goto(label) => write!(f, "goto {}", label.text),
            StmtKind::Assert(e) => write!(f, "assert({e})"),
            StmtKind::Printf { format, args } => {
                write!(f, "printf(\"{format}\"{}", if args.is_empty() { "" } else { "," })?;
                list(f, args, ",")?;
                f.write_str(")")
            }
            StmtKind::Printm(e) => write!(f, "printm({e})"),
            StmtKind::Expr(Expr { kind: ExprKind::Const(1), .. }) => f.write_str("skip"),
            StmtKind::Expr(Expr { kind: ExprKind::Const(0), .. }) => f.write_str("false"),
            StmtKind::Expr(e) => write!(f, "{e}"),
            StmtKind::Else => f.write_str("else"),
            StmtKind::Atomic(body) => write!(f, "atomic {body}"),
            StmtKind::DStep(body) => write!(f, "d_step {body}"),
            StmtKind::Block(body) | StmtKind::Inlined { body, .. } => write!(f, "{body}"),
            StmtKind::SetPriority(process, priority) => write!(f, "set_priority({process},{priority})"),
            StmtKind::New { target, made } => write!(f, "{target} = {made}"),
            StmtKind::Delete(var) => write!(f, "delete {var}"),
            StmtKind::Call { target: None, call } => write!(f, "{call}"),
            StmtKind::Call { target: Some(target), call } => write!(f, "{target} = {call}"),
            StmtKind::Return(Returned::Nothing) => f.write_str("return"),
            StmtKind::Return(Returned::Value(value)) => write!(f, "return {value}"),
            StmtKind::Return(Returned::Made(made)) => write!(f, "return {made}"),
            StmtKind::Return(Returned::Call(call)) => write!(f, "return {call}"),
        }
    }
}

impl Display for Made {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "new {}", self.ty)?;
        self.length.as_ref().map_or(Ok(()), |length| write!(f, "[{length}]"))
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.through {
            Some(var) => write!(f, "{var}(")?,
            None => write!(f, "{}(", self.name.text)?,
        }
        list(f, &self.args, ",")?;
        f.write_str(")")
    }
}

fn choice(f: &mut Formatter<'_>, open: &str, options: &[Sequence], close: &str) -> Result {
    f.write_str(open)?;
    for option in options {
        f.write_str(" :: ")?;
        list(f, &option.steps, "; ")?;
    }
    write!(f, " {close}")
}

/// In braces.
impl Display for Sequence {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("{ ")?;
        list(f, &self.steps, "; ")?;
        f.write_str(" }")
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Step::Decl(decl) => write!(f, "{decl}"),
            Step::Exclusive { receive, channels, .. } => {
                f.write_str(if *receive { "xr " } else { "xs " })?;
                list(f, channels, ",")
            }
            Step::Stmt(stmt) => write!(f, "{stmt}"),
            Step::Unless { body, escape, .. } => write!(f, "{body} unless {escape}"),
        }
    }
}

impl Display for TypeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            TypeName::Bit => "bit",
            TypeName::Bool => "bool",
            TypeName::Byte => "byte",
            TypeName::Pid => "pid",
            TypeName::Short => "short",
            TypeName::Int => "int",
            TypeName::Unsigned => "unsigned",
            TypeName::Chan => "chan",
            TypeName::Mtype(None) => "mtype",
            TypeName::Mtype(Some(sub)) => return write!(f, "mtype:{}", sub.text),
            TypeName::Function => "ftype",
            TypeName::User(name) => &name.text,
        })
    }
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.visibility {
            Some((Visibility::Hidden, _)) => "hidden ",
            Some((Visibility::Show, _)) => "show ",
            Some((Visibility::Local, _)) => "local ",
            None => "",
        })?;
        write!(f, "{} ", self.ty)?;
        list(f, &self.vars, ", ")
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(if self.indirect { "& " } else { "" })?;
        f.write_str(if self.pointer { "&" } else { "" })?;
        f.write_str(&self.name.text)?;
        if let Some((width, _)) = self.width {
            write!(f, " : {width}")?;
        }
        if let Some(length) = &self.length {
            write!(f, "[{length}]")?;
        }
        match &self.init {
            None => Ok(()),
            Some(Initialiser::Expr(e)) => write!(f, " = {e}"),
            Some(Initialiser::List(values, _)) => {
                f.write_str(" = { ")?;
                list(f, values, ",")?;
                f.write_str(" }")
            }
            Some(Initialiser::Channel { capacity, fields, .. }) => {
                write!(f, " = [{capacity}] of {{ ")?;
                for (i, field) in fields.iter().enumerate() {
                    let pointer = match (field.pointer, field.indirect) {
                        (_, true) => " & &",
                        (true, false) => " &",
                        (false, false) => "",
                    };
                    write!(f, "{}{}{pointer}", if i > 0 { "," } else { "" }, field.ty)?;
                }
                f.write_str(" }")
            }
        }
    }
}
