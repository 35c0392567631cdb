//! Permutations of at most 255 points, without a heap.

use std::fmt;

/// How many points a permutation may have.
pub const MAX_POINTS: usize = 255;

/// A permutation of `0..n`, given by the image of every point. The order is that of the images.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permutation {
    len: u8,
    /// Zero beyond `len`, so that equality and hashes need not look at it.
    images: [u8; MAX_POINTS],
}

impl Permutation {
    /// The permutation of `0..n` that moves nothing.
    ///
    /// # Panics
    /// If `n` exceeds [`MAX_POINTS`].
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, |point| point)
    }

    /// The permutation of `0..n` with these images, which must be different numbers below `n`.
    ///
    /// # Panics
    /// If `n` exceeds [`MAX_POINTS`].
    pub fn from_fn(n: usize, mut image: impl FnMut(usize) -> usize) -> Self {
        assert!(n <= MAX_POINTS, "a permutation of {n} points");
        let mut permutation = Self { len: n as u8, images: [0; MAX_POINTS] };
        for (point, slot) in permutation.images_mut().iter_mut().enumerate() {
            *slot = image(point) as u8;
        }
        permutation
    }

    /// The permutation with these images; `None` if a number below `images.len()` is missing among them.
    pub fn from_images(images: &[u8]) -> Option<Self> {
        let mut hit = [false; MAX_POINTS];
        let hit = hit.get_mut(..images.len())?;
        for &image in images {
            let seen = hit.get_mut(usize::from(image))?;
            if std::mem::replace(seen, true) {
                return None;
            }
        }
        Some(Self::from_fn(images.len(), |point| usize::from(images[point])))
    }

    /// How many points it permutes.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether it permutes no points at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it moves nothing.
    pub fn is_identity(&self) -> bool {
        self.images().iter().enumerate().all(|(point, &image)| point == usize::from(image))
    }

    /// The image of every point.
    pub fn images(&self) -> &[u8] {
        &self.images[..usize::from(self.len)]
    }

    pub(crate) fn images_mut(&mut self) -> &mut [u8] {
        &mut self.images[..usize::from(self.len)]
    }

    /// The image of a point.
    pub fn image(&self, point: usize) -> usize {
        usize::from(self.images()[point])
    }

    /// First this permutation, then `next`, of as many points.
    pub fn then(&self, next: &Self) -> Self {
        Self::from_fn(self.len(), |point| next.image(self.image(point)))
    }

    /// The permutation that undoes this one.
    pub fn inverse(&self) -> Self {
        let mut inverse = Self { len: self.len, images: [0; MAX_POINTS] };
        for (point, &image) in self.images().iter().enumerate() {
            inverse.images[usize::from(image)] = point as u8;
        }
        inverse
    }

    /// How often it must be repeated to move nothing: the least common multiple of the lengths of its cycles.
    pub fn order(&self) -> u64 {
        let mut seen = [false; MAX_POINTS];
        let mut order = 1;
        for first in 0..self.len() {
            let mut length = 0;
            let mut point = first;
            while !std::mem::replace(&mut seen[point], true) {
                length += 1;
                point = self.image(point);
            }
            if length > 1 {
                order *= length / gcd(order, length);
            }
        }
        order
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl fmt::Debug for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.images().fmt(f)
    }
}
