//! Temporal formulas: what they say of single states becomes propositions, the rest a tree of temporal operators. An operand
//! that cannot go wrong is split at `&&`, `||` and `!`; one that can is kept whole, so that `i < N && a[i]` asks as it stands.

use quotient_ir::{Action, BinaryOp, Claim, ClaimKind, Expr, HeapExpr, Proposition, UnaryOp};
use quotient_ltl::{Formula, MAX_PROPOSITIONS};
use quotient_report::diagnostic::Diagnostic;

use super::Lowering;
use crate::ast::{self, ExprKind};

impl Lowering {
    /// Lowers the formula of a claim.
    pub(super) fn lower_formula(&mut self, claim: usize, formula: &ast::Expr) {
        let mut propositions = Vec::new();
        self.in_formula = true;
        let lowered = self.formula(formula, &mut propositions);
        self.in_formula = false;
        if propositions.len() > MAX_PROPOSITIONS {
            let message = format!("the formula says {} things of single states", propositions.len());
            self.error(
                Diagnostic::error(formula.span, message).help(format!("at most {MAX_PROPOSITIONS} are allowed")),
            );
        }
        let Claim { kind, propositions: known, .. } = &mut self.model.claims[claim];
        *kind = ClaimKind::Ltl { formula: lowered, text: formula.to_string() };
        *known = propositions;
    }

    fn formula(&mut self, formula: &ast::Expr, known: &mut Vec<Proposition>) -> Formula {
        use ast::{BinaryOp as B, UnaryOp as U};
        if !is_temporal(formula) {
            let expr = self.proposition(formula);
            if can_go_wrong(&expr) || !is_boolean(formula) {
                return Proposition { expr, text: formula.to_string(), span: formula.span }.number(known);
            }
        }
        match &formula.kind {
            ExprKind::Unary(op, a) => {
                let a = self.formula(a, known);
                match op {
                    U::Always => Formula::always(a),
                    U::Eventually => Formula::eventually(a),
                    U::Next => Formula::next(a),
                    U::Not | U::Neg | U::BitNot => a.negated(),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.formula(a, known), self.formula(b, known));
                match op {
                    B::Until => Formula::until(a, b),
                    B::WeakUntil => Formula::weak_until(a, b),
                    B::Release => Formula::release(a, b),
                    B::Implies => Formula::implies(a, b),
                    B::Equivalent => Formula::equivalent(a, b),
                    B::And => Formula::and(a, b),
                    _ => Formula::or(a, b),
                }
            }
            _ => Formula::True,
        }
    }

    /// What a formula without temporal operators says of a state.
    fn proposition(&mut self, formula: &ast::Expr) -> Expr {
        use ast::{BinaryOp as B, UnaryOp as U};
        let not = |e: Expr| Box::new(Expr::Unary(UnaryOp::Not, Box::new(e)));
        match &formula.kind {
            ExprKind::Unary(U::Not, a) => *not(self.proposition(a)),
            ExprKind::Binary(op @ (B::Implies | B::Equivalent | B::And | B::Or), a, b) => {
                let (a, b) = (self.proposition(a), self.proposition(b));
                match op {
                    B::Implies => Expr::Or(not(a), Box::new(b)),
                    B::Equivalent => Expr::Binary(BinaryOp::Eq, not(a), not(b)),
                    B::And => Expr::And(Box::new(a), Box::new(b)),
                    _ => Expr::Or(Box::new(a), Box::new(b)),
                }
            }
            _ => {
                if self.checking() {
                    self.check(formula);
                }
                let expr = self.plain(formula);
                if expr.runs() || expr.any(&|e| matches!(e, Expr::Heap(heap) if heap.acts())) {
                    self.error(Diagnostic::error(formula.span, "a formula cannot have side effects"));
                }
                let own = [(Expr::Pid, "_pid"), (Expr::OwnPriority, "_priority")];
                for (what, name) in own {
                    if expr.any(&|e| std::mem::discriminant(e) == std::mem::discriminant(&what)) {
                        let message = format!("`{name}` stands for the process that asks, and a formula is not one");
                        self.error(Diagnostic::error(formula.span, message));
                        return Expr::Const(0);
                    }
                }
                expr
            }
        }
    }
}

/// Whether a formula is made with `!`, `&&`, `||`, `->` or `<->`.
fn is_boolean(formula: &ast::Expr) -> bool {
    use ast::{BinaryOp as B, UnaryOp as U};
    matches!(
        formula.kind,
        ExprKind::Unary(U::Not, _) | ExprKind::Binary(B::And | B::Or | B::Implies | B::Equivalent, ..)
    )
}

/// Whether a formula has temporal operators where they may stand.
fn is_temporal(formula: &ast::Expr) -> bool {
    use ast::{BinaryOp as B, UnaryOp as U};
    match &formula.kind {
        ExprKind::Unary(U::Always | U::Eventually | U::Next, _)
        | ExprKind::Binary(B::Until | B::WeakUntil | B::Release, ..) => true,
        ExprKind::Unary(U::Not, a) => is_temporal(a),
        ExprKind::Binary(B::And | B::Or | B::Implies | B::Equivalent, a, b) => is_temporal(a) || is_temporal(b),
        _ => false,
    }
}

/// Whether working an expression out may go wrong.
fn can_go_wrong(expr: &Expr) -> bool {
    let asks = Action::Condition(expr.clone());
    let mut may = false;
    asks.walk(&mut |e| {
        may |= match e {
            Expr::Read(place) => !place.indices.iter().all(is_within),
            Expr::RemoteRead { place, .. } => !place.indices.iter().all(is_within),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => !matches!(**by, Expr::Const(value) if value != 0),
            Expr::Heap(heap) => !matches!(**heap, HeapExpr::Null),
            Expr::Length(_) | Expr::Probe(..) | Expr::Poll { .. } | Expr::Enabled(_) => true,
            _ => false,
        }
    });
    may
}

fn is_within(index: &quotient_ir::Index) -> bool {
    matches!(index.value, Expr::Const(value) if value >= 0 && (value as usize) < index.length)
}
