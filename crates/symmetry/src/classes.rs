//! Which things of a model have values of one kind: union-find over slots, array indices, message fields and process
//! ids. Two things are in one class when a value can go from one to the other or both are compared. Values may be
//! shifted on the way (`flag[_pid - 1]`), so links carry an offset; channels carry the classes of their fields.

use quotient_report::source::Span;

/// Index of a thing with values.
pub type NodeId = usize;

/// How values of a class are used, where it matters.
#[derive(Clone, Debug)]
pub enum Use {
    /// In a way that depends on more than which member it is; the text says how.
    Plain(String),
    /// As a truth value.
    Truth,
    /// Beside this constant (assigned or compared).
    Literal(i32),
    /// In `(x + shift) % modulus`.
    Ring {
        /// What is added.
        shift: i32,
        /// The divisor.
        modulus: i32,
    },
}

/// A use and where it is.
#[derive(Clone, Debug)]
pub struct Used {
    /// Of which node.
    pub node: NodeId,
    /// The node's value plus this is what is used.
    pub offset: i32,
    /// How.
    pub how: Use,
    /// Where.
    pub span: Span,
}

/// The classes.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Parent and how much greater the node's values are than the parent's.
    parents: Vec<(NodeId, i32)>,
    fields: Vec<Option<Vec<NodeId>>>,
    /// All uses.
    pub uses: Vec<Used>,
}

impl Classes {
    /// A new class of its own.
    pub fn fresh(&mut self) -> NodeId {
        self.parents.push((self.parents.len(), 0));
        self.fields.push(None);
        self.parents.len() - 1
    }

    /// The representative of a node's class, and how much greater the node's values are than the representative's.
    pub fn find(&self, node: NodeId) -> (NodeId, i32) {
        let (mut at, mut offset) = (node, 0);
        while self.parents[at].0 != at {
            offset += self.parents[at].1;
            at = self.parents[at].0;
        }
        (at, offset)
    }

    /// Notes that values of `a` are values of `b` plus an offset.
    pub fn unify(&mut self, a: NodeId, b: NodeId, offset: i32, span: Span) {
        let ((ra, oa), (rb, ob)) = (self.find(a), self.find(b));
        if ra == rb {
            if oa != ob + offset {
                let how = Use::Plain("has a constant added to it".to_string());
                self.uses.push(Used { node: a, offset: 0, how, span });
            }
            return;
        }
        // a = ra + oa = b + offset = rb + ob + offset
        self.parents[ra] = (rb, ob + offset - oa);
        let fields = self.fields[ra].take();
        match (fields, self.fields[rb].clone()) {
            (Some(a), Some(b)) => a.into_iter().zip(b).for_each(|(a, b)| self.unify(a, b, 0, span)),
            (Some(a), None) => self.fields[rb] = Some(a),
            _ => {}
        }
    }

    /// The fields of the messages of a channel.
    pub fn fields(&mut self, channel: NodeId, count: usize) -> Vec<NodeId> {
        let root = self.find(channel).0;
        let mut fields = self.fields[root].clone().unwrap_or_default();
        while fields.len() < count {
            fields.push(self.fresh());
        }
        self.fields[root] = Some(fields.clone());
        fields
    }

    /// The fields of the messages of a channel, as far as they are known.
    pub fn known_fields(&self, channel: NodeId) -> &[NodeId] {
        self.fields[self.find(channel).0].as_deref().unwrap_or(&[])
    }

    /// Gives the messages of a channel their fields.
    pub fn set_fields(&mut self, channel: NodeId, fields: &[NodeId], span: Span) {
        let known = self.fields(channel, fields.len());
        known.into_iter().zip(fields).for_each(|(a, &b)| self.unify(a, b, 0, span));
    }

    /// Notes a use.
    pub fn note(&mut self, node: NodeId, offset: i32, how: Use, span: Span) {
        self.uses.push(Used { node, offset, how, span });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_add_up() {
        let mut classes = Classes::default();
        let [a, b, c] = [(); 3].map(|()| classes.fresh());
        let span = Span::default();
        classes.unify(a, b, 1, span);
        classes.unify(c, b, -2, span);
        let ((ra, oa), (rc, oc)) = (classes.find(a), classes.find(c));
        assert_eq!((ra, oa - oc), (rc, 3));
        classes.unify(a, c, 3, span);
        assert!(classes.uses.is_empty());
        classes.unify(a, c, 0, span);
        assert_eq!(classes.uses.len(), 1);
    }

    #[test]
    fn channels_bring_their_fields() {
        let mut classes = Classes::default();
        let [a, b] = [(); 2].map(|()| classes.fresh());
        let (fa, fb) = (classes.fields(a, 2), classes.fields(b, 2));
        classes.unify(a, b, 0, Span::default());
        assert_eq!(classes.find(fa[1]), classes.find(fb[1]));
        assert_ne!(classes.find(fa[0]).0, classes.find(fb[1]).0);
    }
}
