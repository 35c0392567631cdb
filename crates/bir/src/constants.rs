//! Constants of a model: `const` blocks, and what is worked out while a model is loaded.

use std::collections::HashMap;
use std::rc::Rc;

use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::ast::{BinaryOp, ConstBlock, Expr, ExprKind, UnaryOp};

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Int(i32),
    Bool(bool),
}

/// All constants, by block and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    blocks: HashMap<Rc<str>, HashMap<Rc<str>, Constant>>,
}

/// A definition from outside that is no constant of the model.
fn unknown(name: &str) -> Diagnostic {
    Diagnostic::global(format!("the model has no constant `{name}` that -D could set"))
        .help("write -D BLOCK.NAME=VALUE for a constant of a `const` block")
}

impl Constants {
    /// A constant by name.
    pub(crate) fn get(&self, block: &str, name: &str) -> Option<Constant> {
        self.blocks.get(block)?.get(name).copied()
    }

    /// Works out the constants of a block; `defines` replaces values, as `C.N` and text.
    pub(crate) fn declare(
        &mut self,
        block: &ConstBlock,
        defines: &[(String, Option<String>)],
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut seen: HashMap<Rc<str>, Span> = HashMap::new();
        self.blocks.entry(block.name.text.clone()).or_default();
        for (name, value) in &block.entries {
            if let Some(first) = seen.insert(name.text.clone(), name.span) {
                let problem = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
                diagnostics.push(problem.related(first, "first declared here"));
                continue;
            }
            let written = match self.evaluate(value) {
                Ok(written) => written,
                Err(problem) => {
                    diagnostics.push(problem);
                    Constant::Int(0)
                }
            };
            let full = format!("{}.{}", block.name.text, name.text);
            let given = defines.iter().rev().find(|(define, _)| *define == full);
            let value = match given {
                None => written,
                Some((_, text)) => match replaced(written, text.as_deref()) {
                    Some(value) => value,
                    None => {
                        let text = text.as_deref().unwrap_or("");
                        let wanted = if matches!(written, Constant::Int(_)) { "an integer" } else { "true or false" };
                        let problem = format!("-D {full}={text}: the value must be {wanted}");
                        diagnostics.push(Diagnostic::global(problem));
                        written
                    }
                },
            };
            self.blocks.entry(block.name.text.clone()).or_default().insert(name.text.clone(), value);
        }
    }

    /// Says which definitions from outside fit no constant.
    pub(crate) fn check_defines(&self, defines: &[(String, Option<String>)], diagnostics: &mut Vec<Diagnostic>) {
        let is_known = |name: &str| name.split_once('.').is_some_and(|(block, name)| self.get(block, name).is_some());
        let strangers = defines.iter().filter(|(name, _)| !is_known(name));
        diagnostics.extend(strangers.map(|(name, _)| unknown(name)));
    }

    /// An integer that must be known now.
    pub(crate) fn integer(&self, expr: &Expr) -> Result<i32, Diagnostic> {
        match self.evaluate(expr)? {
            Constant::Int(value) => Ok(value),
            Constant::Bool(_) => Err(Diagnostic::error(expr.span, "a number is needed here, and this is a boolean")),
        }
    }

    /// The value of an expression that is made of constants.
    pub(crate) fn evaluate(&self, expr: &Expr) -> Result<Constant, Diagnostic> {
        let wrong = || Diagnostic::error(expr.span, "the operator does not fit its operands");
        Ok(match &expr.kind {
            ExprKind::Int(value) => Constant::Int(*value),
            ExprKind::Bool(value) => Constant::Bool(*value),
            ExprKind::Cast(_, value) => self.evaluate(value)?,
            ExprKind::Member(block, name) => match &block.kind {
                ExprKind::Name(block) => match self.get(&block.text, &name.text) {
                    Some(value) => value,
                    None => {
                        let message = format!("there is no constant `{}.{}` before this", block.text, name.text);
                        return Err(Diagnostic::error(expr.span, message));
                    }
                },
                _ => return Err(not_constant(expr)),
            },
            ExprKind::Unary(op, value) => match (op, self.evaluate(value)?) {
                (UnaryOp::Plus, Constant::Int(value)) => Constant::Int(value),
                (UnaryOp::Minus, Constant::Int(value)) => Constant::Int(value.wrapping_neg()),
                (UnaryOp::Not, Constant::Bool(value)) => Constant::Bool(!value),
                _ => return Err(wrong()),
            },
            ExprKind::Binary(op, a, b) => match (self.evaluate(a)?, self.evaluate(b)?) {
                (Constant::Int(a), Constant::Int(b)) => integers(*op, a, b, expr.span)?,
                (Constant::Bool(a), Constant::Bool(b)) => booleans(*op, a, b).ok_or_else(wrong)?,
                _ => return Err(wrong()),
            },
            ExprKind::Cond(condition, yes, no) => match self.evaluate(condition)? {
                Constant::Bool(value) => self.evaluate(if value { yes } else { no })?,
                Constant::Int(_) => return Err(wrong()),
            },
            _ => return Err(not_constant(expr)),
        })
    }
}

fn not_constant(expr: &Expr) -> Diagnostic {
    Diagnostic::error(expr.span, "a constant is needed here")
}

/// A value given from outside, of the kind of the one that was written.
fn replaced(written: Constant, text: Option<&str>) -> Option<Constant> {
    match (written, text) {
        (Constant::Int(_), Some(text)) => text.parse().ok().map(Constant::Int),
        (Constant::Int(_), None) => Some(Constant::Int(1)),
        (Constant::Bool(_), Some(text)) => text.parse().ok().map(Constant::Bool),
        (Constant::Bool(_), None) => Some(Constant::Bool(true)),
    }
}

fn integers(op: BinaryOp, a: i32, b: i32, span: Span) -> Result<Constant, Diagnostic> {
    let by_zero = || Diagnostic::error(span, "this divides by zero");
    Ok(match op {
        BinaryOp::Add => Constant::Int(a.wrapping_add(b)),
        BinaryOp::Sub => Constant::Int(a.wrapping_sub(b)),
        BinaryOp::Mul => Constant::Int(a.wrapping_mul(b)),
        BinaryOp::Div if b == 0 => return Err(by_zero()),
        BinaryOp::Div => Constant::Int(a.wrapping_div(b)),
        BinaryOp::Rem if b == 0 => return Err(by_zero()),
        BinaryOp::Rem => Constant::Int(a.wrapping_rem(b)),
        BinaryOp::Shl => Constant::Int(a.wrapping_shl(b as u32)),
        BinaryOp::Shr => Constant::Int(a.wrapping_shr(b as u32)),
        BinaryOp::UShr => Constant::Int((a as u32).wrapping_shr(b as u32) as i32),
        BinaryOp::BitAnd => Constant::Int(a & b),
        BinaryOp::BitOr => Constant::Int(a | b),
        BinaryOp::BitXor => Constant::Int(a ^ b),
        BinaryOp::Eq => Constant::Bool(a == b),
        BinaryOp::Ne => Constant::Bool(a != b),
        BinaryOp::Lt => Constant::Bool(a < b),
        BinaryOp::Le => Constant::Bool(a <= b),
        BinaryOp::Gt => Constant::Bool(a > b),
        BinaryOp::Ge => Constant::Bool(a >= b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
            return Err(Diagnostic::error(span, "the operator does not fit its operands"));
        }
    })
}

fn booleans(op: BinaryOp, a: bool, b: bool) -> Option<Constant> {
    Some(Constant::Bool(match op {
        BinaryOp::And | BinaryOp::BitAnd => a && b,
        BinaryOp::Or | BinaryOp::BitOr => a || b,
        BinaryOp::Implies => !a || b,
        BinaryOp::Eq => a == b,
        BinaryOp::Ne | BinaryOp::BitXor => a != b,
        _ => return None,
    }))
}
