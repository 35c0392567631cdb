//! Classes of points that are joined one pair at a time: orbits, and components.

/// A partition of `0..n` without an order (union-find).
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    parent: Vec<u16>,
}

impl Classes {
    /// Puts each of `n` points in a class of its own.
    pub(crate) fn clear(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u16);
    }

    /// The point that stands for a point's class.
    pub(crate) fn find(&mut self, mut point: u16) -> u16 {
        loop {
            let parent = self.parent[usize::from(point)];
            if parent == point {
                return point;
            }
            let next = self.parent[usize::from(parent)];
            self.parent[usize::from(point)] = next;
            point = next;
        }
    }

    /// Makes one class of two. Whether they were two is the answer.
    pub(crate) fn join(&mut self, left: u16, right: u16) -> bool {
        let (left, right) = (self.find(left), self.find(right));
        self.parent[usize::from(right)] = left;
        left != right
    }
}
