//! Sets of values, and what a renaming makes of them: the domain in which the rules of [`crate::rules`] compute. It is
//! exact where it is small, and says "unknown" where it is not.

use std::collections::{BTreeMap, BTreeSet};

use quotient_ir::{BinaryOp, Scalar, UnaryOp, Width};

/// More different values than this are kept as a range.
const MOST: usize = 300;
/// More combinations of values than this are not tried.
const MOST_PAIRS: usize = 1 << 17;

/// The values that something may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// These.
    Some(BTreeSet<i32>),
    /// All from one to another.
    Range(i32, i32),
}

impl Default for Values {
    fn default() -> Self {
        Values::Some(BTreeSet::new())
    }
}

impl Values {
    /// Any value at all.
    pub const ANY: Values = Values::Range(i32::MIN, i32::MAX);

    /// One value.
    pub fn one(value: i32) -> Self {
        Values::Some(BTreeSet::from([value]))
    }

    /// The values from one to another.
    pub fn range(low: i32, high: i32) -> Self {
        match i64::from(high) - i64::from(low) < MOST as i64 {
            true => Values::Some((low..=high).collect()),
            false => Values::Range(low, high),
        }
    }

    /// All values that a scalar can hold.
    pub fn of(scalar: Scalar) -> Self {
        match scalar.width {
            Width::Bit => Values::range(0, 1),
            Width::Byte => Values::range(0, 255),
            Width::Short => Values::range(i32::from(i16::MIN), i32::from(i16::MAX)),
            Width::Int => Values::ANY,
            Width::Unsigned(bits) if bits >= 32 => Values::ANY,
            Width::Unsigned(bits) => Values::range(0, ((1i64 << bits) - 1) as i32),
        }
    }

    /// Whether a value is among them.
    pub fn contains(&self, value: i32) -> bool {
        match self {
            Values::Some(values) => values.contains(&value),
            Values::Range(low, high) => (*low..=*high).contains(&value),
        }
    }

    /// The values one by one, if there are not too many.
    pub fn list(&self) -> Option<impl Iterator<Item = i32> + '_> {
        match self {
            Values::Some(values) => Some(values.iter().copied()),
            Values::Range(..) => None,
        }
    }

    /// The one value that it can be.
    pub fn single(&self) -> Option<i32> {
        match self {
            Values::Some(values) if values.len() == 1 => values.first().copied(),
            _ => None,
        }
    }

    fn bounds(&self) -> Option<(i32, i32)> {
        match self {
            Values::Some(values) => Some((*values.first()?, *values.last()?)),
            Values::Range(low, high) => Some((*low, *high)),
        }
    }

    /// Those that one or the other has.
    pub fn join(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Some(a), Values::Some(b)) => {
                let both: BTreeSet<i32> = a.union(b).copied().collect();
                match (both.len() > MOST, both.first(), both.last()) {
                    (true, Some(&low), Some(&high)) => Values::Range(low, high),
                    _ => Values::Some(both),
                }
            }
            _ => match (self.bounds(), other.bounds()) {
                (Some((a, b)), Some((c, d))) => Values::Range(a.min(c), b.max(d)),
                (Some(_), None) => self.clone(),
                (None, _) => other.clone(),
            },
        }
    }

    /// What is left of them when they are stored.
    pub fn cut(&self, scalar: Scalar) -> Values {
        match self {
            Values::Some(values) => Values::Some(values.iter().map(|&v| scalar.truncate(v)).collect()),
            Values::Range(low, high) => match Values::of(scalar) {
                all if all.contains(*low) && all.contains(*high) => self.clone(),
                all => all,
            },
        }
    }

    /// The values of an operator; never too few.
    pub fn unary(&self, op: UnaryOp) -> Values {
        match self.list() {
            Some(values) => Values::Some(values.map(|v| op.apply(v)).collect()),
            None if op == UnaryOp::Not => Values::range(0, 1),
            None => Values::ANY,
        }
    }

    /// The values of an operator; never too few.
    pub fn binary(&self, op: BinaryOp, other: &Values) -> Values {
        if let (Values::Some(a), Values::Some(b)) = (self, other)
            && a.len() * b.len() <= MOST_PAIRS / 8
        {
            let all: BTreeSet<i32> = a.iter().flat_map(|&x| b.iter().filter_map(move |&y| op.apply(x, y))).collect();
            return Values::Some(BTreeSet::new()).join(&Values::Some(all));
        }
        match op {
            BinaryOp::Gt | BinaryOp::Lt | BinaryOp::Ge | BinaryOp::Le | BinaryOp::Eq | BinaryOp::Ne => {
                Values::range(0, 1)
            }
            BinaryOp::Rem => match other.bounds() {
                Some((low, high)) if low > i32::MIN => {
                    let most = low.abs().max(high.abs()).saturating_sub(1).max(0);
                    let least = if self.bounds().is_some_and(|(low, _)| low >= 0) { 0 } else { -most };
                    Values::range(least, most)
                }
                _ => Values::ANY,
            },
            BinaryOp::Add | BinaryOp::Sub => {
                let (Some((a, b)), Some((c, d))) = (self.bounds(), other.bounds()) else { return Values::default() };
                let (low, high) = match op {
                    BinaryOp::Add => (i64::from(a) + i64::from(c), i64::from(b) + i64::from(d)),
                    _ => (i64::from(a) - i64::from(d), i64::from(b) - i64::from(c)),
                };
                match (i32::try_from(low), i32::try_from(high)) {
                    (Ok(low), Ok(high)) => Values::range(low, high),
                    _ => Values::ANY,
                }
            }
            _ => Values::ANY,
        }
    }
}

/// What is known of two expressions, one in a state and one in the renamed state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// They have the same value, one of these.
    Same(Values),
    /// Each value of the first with the value that the second has then.
    Moves(BTreeMap<i32, i32>),
    /// They may differ in any way.
    Unknown,
}

impl Image {
    /// The same value in both.
    pub fn one(value: i32) -> Self {
        Image::Same(Values::one(value))
    }

    /// The same number in both, not below zero.
    pub fn natural() -> Self {
        Image::Same(Values::Range(0, i32::MAX))
    }

    /// A truth value.
    pub fn truth() -> Self {
        Image::Same(Values::range(0, 1))
    }

    /// From pairs of values; unknown if one value has two images.
    pub fn of(pairs: impl IntoIterator<Item = (i32, i32)>) -> Self {
        let mut map: BTreeMap<i32, i32> = BTreeMap::new();
        for (value, image) in pairs {
            if *map.entry(value).or_insert(image) != image {
                return Image::Unknown;
            }
        }
        match map.iter().all(|(a, b)| a == b) {
            true => Image::Same(Values::default().join(&Values::Some(map.into_keys().collect()))),
            false => Image::Moves(map),
        }
    }

    /// What some values become; unknown where they are too many and some of them move.
    pub fn of_values(values: &Values, moved: &BTreeMap<i32, i32>) -> Self {
        if !moved.iter().any(|(from, to)| from != to && values.contains(*from)) {
            return Image::Same(values.clone());
        }
        match values.list() {
            Some(values) => Image::of(values.map(|v| (v, moved.get(&v).copied().unwrap_or(v)))),
            None => Image::Unknown,
        }
    }

    /// The pairs, if they are known and not too many.
    pub fn pairs(&self) -> Option<Vec<(i32, i32)>> {
        match self {
            Image::Same(values) => Some(values.list()?.map(|v| (v, v)).collect()),
            Image::Moves(map) => Some(map.iter().map(|(&a, &b)| (a, b)).collect()),
            Image::Unknown => None,
        }
    }

    /// One or the other.
    pub fn join(&self, other: &Image) -> Image {
        match (self, other) {
            (Image::Same(a), Image::Same(b)) => Image::Same(a.join(b)),
            _ => match (self.pairs(), other.pairs()) {
                (Some(a), Some(b)) => Image::of(a.into_iter().chain(b)),
                _ => Image::Unknown,
            },
        }
    }

    /// Whether both are zero or none is.
    pub fn is_truth(&self) -> bool {
        match self {
            Image::Same(_) => true,
            Image::Moves(map) => map.iter().all(|(a, b)| (*a == 0) == (*b == 0)),
            Image::Unknown => false,
        }
    }

    /// Whether the second value is always what a function makes of the first.
    pub fn follows(&self, function: impl Fn(i32) -> i32, moved: impl IntoIterator<Item = i32>) -> bool {
        match self {
            Image::Same(Values::Range(low, high)) => {
                moved.into_iter().all(|v| !(*low..=*high).contains(&v) || function(v) == v)
            }
            _ => self.pairs().is_some_and(|pairs| pairs.into_iter().all(|(a, b)| function(a) == b)),
        }
    }

    /// An operator applied to both.
    pub fn unary(&self, op: UnaryOp) -> Image {
        match self {
            Image::Same(values) => Image::Same(values.unary(op)),
            Image::Moves(map) => Image::of(map.iter().map(|(&a, &b)| (op.apply(a), op.apply(b)))),
            Image::Unknown => Image::Unknown,
        }
    }

    /// An operator applied to both; `None` if it can fail for one of them alone.
    pub fn binary(&self, op: BinaryOp, other: &Image) -> Option<Image> {
        if let (Image::Same(a), Image::Same(b)) = (self, other) {
            return Some(Image::Same(a.binary(op, b)));
        }
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        let pairs = match (self.pairs(), other.pairs()) {
            (Some(a), Some(b)) if a.len() * b.len() <= MOST_PAIRS => Some((a, b)),
            _ => None,
        };
        let Some((a, b)) = pairs else {
            // What is divided by must be known, or be the same.
            let safe = !divides || matches!(other, Image::Same(_));
            return safe.then_some(Image::Unknown);
        };
        let mut results = Vec::with_capacity(a.len() * b.len());
        for &(x, x2) in &a {
            for &(y, y2) in &b {
                match (op.apply(x, y), op.apply(x2, y2)) {
                    (Some(one), Some(two)) => results.push((one, two)),
                    (None, None) => {}
                    _ => return None,
                }
            }
        }
        Some(Image::of(results))
    }
}

/// Whether two pairs of values are equal in one state exactly when they are in the other.
pub fn equal_together(a: &Image, b: &Image) -> bool {
    match a.binary(BinaryOp::Eq, b) {
        Some(image) => image.is_truth(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remainder_of_a_negative_number_is_negative() {
        let turn = Image::of([(0, 1), (1, 2), (2, 0)]);
        let three = Image::one(3);
        let next = turn.binary(BinaryOp::Add, &Image::one(1)).and_then(|i| i.binary(BinaryOp::Rem, &three));
        assert_eq!(next, Some(turn.clone()));
        let before = turn.binary(BinaryOp::Sub, &Image::one(1)).and_then(|i| i.binary(BinaryOp::Rem, &three));
        assert_eq!(before, Some(Image::of([(-1, 0), (0, 1), (1, -1)])));
    }

    #[test]
    fn a_swap_is_one_minus() {
        let swap = Image::of([(0, 1), (1, 0)]);
        assert_eq!(Image::one(1).binary(BinaryOp::Sub, &swap), Some(swap.clone()));
        assert_eq!(swap.binary(BinaryOp::Lt, &Image::one(1)), Some(Image::of([(1, 0), (0, 1)])));
        assert_eq!(swap.binary(BinaryOp::Lt, &Image::one(2)), Some(Image::one(1)));
    }

    #[test]
    fn a_division_by_zero_in_one_place_is_seen() {
        let swap = Image::of([(0, 1), (1, 0)]);
        assert_eq!(Image::one(1).binary(BinaryOp::Div, &swap), None);
    }
}
