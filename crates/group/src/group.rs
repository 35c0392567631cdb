//! The groups that act on a sort of points, their elements one after the other, and products of several of them.

use crate::permutation::Permutation;

/// A group of permutations of `0..n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// All permutations.
    Symmetric,
    /// The rotations of a ring, in which `i + 1` follows `i` and `0` follows `n - 1`.
    Cyclic,
    /// The rotations and reflections of a ring.
    Dihedral,
}

/// A set of points and the group that permutes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// How many points there are, at most [`crate::permutation::MAX_POINTS`].
    pub size: usize,
    /// Which renamings of the points there are.
    pub group: Group,
}

impl Sort {
    /// The number of elements of the group; `None` if it does not fit.
    pub fn order(self) -> Option<u128> {
        let size = self.size as u128;
        match self.group {
            Group::Symmetric => (1..=size).try_fold(1_u128, u128::checked_mul),
            Group::Dihedral if size > 2 => Some(2 * size),
            Group::Cyclic | Group::Dihedral => Some(size.max(1)),
        }
    }

    /// The element that moves nothing.
    pub fn identity(self) -> Permutation {
        Permutation::identity(self.size)
    }

    /// Whether a permutation is in the group.
    pub fn contains(self, permutation: &Permutation) -> bool {
        let n = self.size;
        let turns = |step: usize| {
            (0..n).all(|point| permutation.image((point + 1) % n) == (permutation.image(point) + step) % n)
        };
        permutation.len() == n
            && match self.group {
                Group::Symmetric => true,
                Group::Cyclic => turns(1),
                Group::Dihedral => turns(1) || turns(n - 1),
            }
    }

    /// Turns an element of the group into the next one. After the last it becomes the identity, which is the first, and
    /// the answer is `false`.
    pub fn advance(self, element: &mut Permutation) -> bool {
        let n = self.size;
        if self.group == Group::Symmetric {
            return next_in_order(element.images_mut());
        }
        if n < 2 {
            return false;
        }
        let rotation = (element.image(0) + 1) % n == element.image(1);
        let first = element.image(0) + 1;
        *element = match (rotation, first < n) {
            (true, true) => Permutation::from_fn(n, |point| (point + first) % n),
            (true, false) if n > 2 && self.group == Group::Dihedral => Permutation::from_fn(n, |point| (n - point) % n),
            (false, true) => Permutation::from_fn(n, |point| (n - point + first) % n),
            (_, false) => self.identity(),
        };
        !element.is_identity()
    }

    /// All elements of the group, beginning with the identity.
    pub fn elements(self) -> impl Iterator<Item = Permutation> {
        let mut next = Some(self.identity());
        std::iter::from_fn(move || {
            let element = next?;
            let mut successor = element;
            next = self.advance(&mut successor).then_some(successor);
            Some(element)
        })
    }

    /// An element of the group, all equally likely if the numbers of `random` are.
    pub fn random(self, random: &mut impl FnMut() -> u64) -> Permutation {
        let n = self.size;
        let mut below = |bound: usize| (random() % bound.max(1) as u64) as usize;
        match self.group {
            Group::Symmetric => {
                let mut element = self.identity();
                for end in (1..n).rev() {
                    element.images_mut().swap(end, below(end + 1));
                }
                element
            }
            Group::Cyclic => {
                let first = below(n);
                Permutation::from_fn(n, |point| (point + first) % n)
            }
            Group::Dihedral => {
                let (first, reflected) = (below(n), below(2) == 1);
                Permutation::from_fn(n, |point| (first + if reflected { n - point } else { point }) % n)
            }
        }
    }
}

/// The number of elements of the product of the sorts' groups; `None` if it does not fit.
pub fn order(sorts: &[Sort]) -> Option<u128> {
    sorts.iter().try_fold(1_u128, |product, sort| product.checked_mul(sort.order()?))
}

/// The element of the product that moves nothing.
pub fn identity(sorts: &[Sort]) -> Vec<Permutation> {
    sorts.iter().map(|sort| sort.identity()).collect()
}

/// Turns an element of the product of the sorts' groups, one permutation for each sort, into the next one. After the
/// last it becomes the identity, which is the first, and the answer is `false`.
pub fn advance(sorts: &[Sort], element: &mut [Permutation]) -> bool {
    sorts.iter().zip(element).any(|(sort, factor)| sort.advance(factor))
}

/// Knuth's algorithm L: the next arrangement in lexicographic order, or the first and `false`.
fn next_in_order(images: &mut [u8]) -> bool {
    let Some(pivot) = images.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        images.reverse();
        return false;
    };
    let successor =
        images.iter().rposition(|&image| image > images[pivot]).expect("the one after the pivot is greater");
    images.swap(pivot, successor);
    images[pivot + 1..].reverse();
    true
}
