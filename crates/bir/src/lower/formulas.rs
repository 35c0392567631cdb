//! Temporal formulas: what they say of single states becomes propositions, the rest a tree of temporal operators. What stands between
//! two temporal operators is one proposition, so that `p != null && p.next == q` asks as it stands.

use quotient_ir::{
    BinaryOp as Op, Claim, ClaimKind, Expr as Ir, HeapExpr, Named, Proctype, Proposition, Question, Scalar,
};
use quotient_ltl::{Formula as Ltl, MAX_PROPOSITIONS};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::SourceMap;

use super::Lowerer;
use super::expressions::{binary, not};
use crate::ast::{Claim as Written, Formula, FormulaKind, Member, System, Temporal};
use crate::declare::Declared;

/// The claims of a system, and the threads that they name. Their types follow the threads and functions that are finished.
pub(super) fn claims(
    declared: &mut Declared<'_>,
    sources: &SourceMap,
    reference: Scalar,
    system: &System,
    finished: &[Proctype],
) -> (Vec<Claim>, Vec<Named>) {
    let mut named = Vec::new();
    let mut claims: Vec<Claim> = Vec::new();
    for member in &system.members {
        let Member::Claim(claim) = member else { continue };
        let Written { name, formula } = claim;
        if let Some(other) = claims.iter().find(|other| *other.name == *name.text) {
            let message = format!("there is another claim with the name `{}`", name.text);
            declared.tell(Diagnostic::error(name.span, message).related(other.span, "the first one is here"));
        }
        let mut propositions = Vec::new();
        let mut lowerer = Lowerer::new(declared, sources, reference, usize::MAX, 0);
        (lowerer.finished, lowerer.named) = (finished, named);
        let text = lowerer.whole_text(formula.span);
        let lowered = lowerer.formula(formula, &mut propositions);
        named = lowerer.named;
        if propositions.len() > MAX_PROPOSITIONS {
            let message = format!("the formula says {} things of single states", propositions.len());
            let help = format!("at most {MAX_PROPOSITIONS} are allowed");
            declared.tell(Diagnostic::error(formula.span, message).help(help));
        }
        let kind = ClaimKind::Ltl { formula: lowered, text };
        claims.push(Claim { propositions, ..Claim::new(name.text.to_string(), kind, name.span) });
    }
    (claims, named)
}

/// Whether a formula is about more than one state.
fn is_temporal(formula: &Formula) -> bool {
    use Temporal as T;
    match &formula.kind {
        FormulaKind::State(_) => false,
        FormulaKind::Operator(T::Not | T::And | T::Or | T::Implies | T::Equivalent, parts) => {
            parts.iter().any(is_temporal)
        }
        FormulaKind::Operator(..) => true,
    }
}

impl Lowerer<'_, '_> {
    fn formula(&mut self, formula: &Formula, known: &mut Vec<Proposition>) -> Ltl {
        let parts = match &formula.kind {
            FormulaKind::Operator(op, parts) if is_temporal(formula) => Some((*op, parts)),
            _ => None,
        };
        let Some((op, parts)) = parts else {
            let expr = self.proposition(formula);
            let (text, span) = (self.whole_text(formula.span), formula.span);
            return Proposition { expr, text, span }.number(known);
        };
        let mut parts = parts.iter().map(|part| self.formula(part, known));
        let (first, second) = (parts.next().unwrap_or(Ltl::True), parts.next().unwrap_or(Ltl::True));
        match op {
            Temporal::Not => first.negated(),
            Temporal::Always => Ltl::always(first),
            Temporal::Eventually => Ltl::eventually(first),
            Temporal::Next => Ltl::next(first),
            Temporal::And => Ltl::and(first, second),
            Temporal::Or => Ltl::or(first, second),
            Temporal::Implies => Ltl::implies(first, second),
            Temporal::Equivalent => Ltl::equivalent(first, second),
            Temporal::Until => Ltl::until(first, second),
            Temporal::WeakUntil => Ltl::weak_until(first, second),
            Temporal::Release => Ltl::release(first, second),
        }
    }

    /// What a formula without temporal operators says of a state.
    fn proposition(&mut self, formula: &Formula) -> Ir {
        let (op, parts) = match &formula.kind {
            FormulaKind::State(expr) => {
                let ir = self.condition(expr);
                self.pure(&ir, expr.span, "a formula");
                let own = |e: &Ir| match e {
                    Ir::Heap(heap) => matches!(**heap, HeapExpr::Ask(question, _) if question != Question::HasEnded),
                    _ => false,
                };
                if ir.any(&own) {
                    self.fail(expr.span, "this asks about the thread that asks, and a formula is not one");
                }
                return ir;
            }
            FormulaKind::Operator(op, parts) => (*op, parts),
        };
        let mut parts = parts.iter().map(|part| self.proposition(part));
        let (first, second) = (parts.next().unwrap_or(Ir::Const(1)), parts.next().unwrap_or(Ir::Const(1)));
        match op {
            Temporal::Not => not(first),
            Temporal::And => Ir::And(Box::new(first), Box::new(second)),
            Temporal::Implies => Ir::Or(Box::new(not(first)), Box::new(second)),
            Temporal::Equivalent => binary(Op::Eq, not(first), not(second)),
            _ => Ir::Or(Box::new(first), Box::new(second)),
        }
    }
}
