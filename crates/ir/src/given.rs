//! Expressions in which some variables are known: what a never claim asks of a state once its own variables have values.

use crate::{Expr, Pattern, Place, Scope};

impl Expr {
    /// The expression with the values of the local variables in place of them, as simple as that makes it. A variable stays where
    /// its index is not known, or is none.
    #[must_use]
    pub fn given(&self, locals: &[i32]) -> Expr {
        match self {
            Expr::Read(place) => {
                let place = place.given(locals);
                let known = place.offset().filter(|_| place.scope == Scope::Local);
                match known.and_then(|slot| locals.get(slot)) {
                    Some(&value) => Expr::Const(value),
                    None => Expr::Read(place),
                }
            }
            Expr::Poll { channel, pattern, random } => Expr::Poll {
                channel: Box::new(channel.given(locals)),
                pattern: pattern.iter().map(|part| part.given(locals)).collect(),
                random: *random,
            },
            _ => self.map(&|part| part.given(locals)).simple(),
        }
    }

    /// The same, worked out as far as its operands are constants.
    fn simple(self) -> Expr {
        let truth = |value: i32| Expr::Const(i32::from(value != 0));
        match self {
            Expr::Unary(op, ref a) => match **a {
                Expr::Const(a) => Expr::Const(op.apply(a)),
                _ => self,
            },
            // A division by zero stays, and goes wrong when it is worked out.
            Expr::Binary(op, ref a, ref b) => match (&**a, &**b) {
                (&Expr::Const(a), &Expr::Const(b)) => op.apply(a, b).map_or(self, Expr::Const),
                _ => self,
            },
            Expr::And(ref a, ref b) => match (&**a, &**b) {
                (Expr::Const(0), _) => Expr::Const(0),
                (Expr::Const(_), &Expr::Const(b)) => truth(b),
                _ => self,
            },
            Expr::Or(ref a, ref b) => match (&**a, &**b) {
                (&Expr::Const(a), _) if a != 0 => Expr::Const(1),
                (Expr::Const(_), &Expr::Const(b)) => truth(b),
                _ => self,
            },
            Expr::Cond(c, a, b) => match *c {
                Expr::Const(0) => *b,
                Expr::Const(_) => *a,
                _ => Expr::Cond(c, a, b),
            },
            _ => self,
        }
    }

    /// Whether it reads a variable of the process that asks.
    pub fn reads_locals(&self) -> bool {
        let local = |place: &Place| place.scope == Scope::Local;
        self.any(&|e| match e {
            Expr::Read(place) => local(place),
            Expr::Length(place) | Expr::Probe(_, place) => local(place),
            Expr::Poll { channel, .. } => local(channel),
            _ => false,
        })
    }
}

impl Place {
    /// The place with the values of the local variables in place of them, where its indices read them.
    #[must_use]
    pub fn given(&self, locals: &[i32]) -> Place {
        self.map(&|value| value.given(locals))
    }

    /// Which slot it is, if its indices are constants and within the array.
    pub fn offset(&self) -> Option<usize> {
        self.indices.iter().try_fold(self.slot, |slot, index| match index.value {
            Expr::Const(value) => {
                let value = usize::try_from(value).ok().filter(|&value| value < index.length)?;
                Some(slot + value * index.stride)
            }
            _ => None,
        })
    }
}

impl Pattern {
    /// For a poll, which binds nothing: a variable stands for any value.
    fn given(&self, locals: &[i32]) -> Pattern {
        match self {
            Pattern::Match(value) => Pattern::Match(value.given(locals)),
            Pattern::Bind(place) if place.scope == Scope::Local => Pattern::Ignore,
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, Index, Scalar, Width};
    use quotient_report::source::Span;

    fn read(scope: Scope, slot: usize, index: Option<(Expr, usize)>) -> Expr {
        let mut place = Place::scalar(scope, slot, Scalar::plain(Width::Byte));
        place.indices.extend(index.map(|(value, length)| Index { value, length, stride: 1, span: Span::default() }));
        Expr::Read(place)
    }

    #[test]
    fn known_variables_become_values() {
        let sum = |a: Expr, b: Expr| Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b));
        let local = |slot| read(Scope::Local, slot, None);
        let text = |e: &Expr| format!("{e:?}");
        assert_eq!(text(&sum(local(0), local(1)).given(&[3, 4])), "Const(7)");
        assert_eq!(text(&read(Scope::Local, 1, Some((local(0), 2))).given(&[1, 5, 6])), "Const(6)");
        // Beyond the end of the array, it stays, and so does what the model knows.
        assert!(read(Scope::Local, 1, Some((local(0), 2))).given(&[2, 5, 6]).reads_locals());
        let global = read(Scope::Global, 0, Some((local(0), 4))).given(&[2]);
        assert!(!global.reads_locals() && matches!(&global, Expr::Read(place) if place.offset() == Some(2)));
        let division = Expr::Binary(BinaryOp::Div, Box::new(Expr::Const(1)), Box::new(local(0)));
        assert!(matches!(division.given(&[0]), Expr::Binary(..)));
        let guarded = Expr::And(Box::new(local(0)), Box::new(division));
        assert_eq!(text(&guarded.given(&[0])), "Const(0)");
    }
}
