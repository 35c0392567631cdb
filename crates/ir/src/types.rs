//! Scalar types: how wide a field is, what its values stand for, and how a value is cut to fit.

/// How many bits a field has and how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// One bit; a value is cut to its lowest bit.
    Bit,
    /// Eight bits, unsigned.
    Byte,
    /// Sixteen bits, signed.
    Short,
    /// Thirty-two bits, signed.
    Int,
    /// One to thirty-two bits, unsigned.
    Unsigned(u8),
}

/// What a field's values stand for: symmetry reductions rename values of all sorts but the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Plain data.
    Plain,
    /// A channel id; zero is no channel.
    Channel,
    /// A process id.
    Process,
    /// A reference to a record of the [heap](crate::heap); zero is none.
    Ref,
    /// A member of a declared scalarset: the value `k` stands for member `k`, any other value for none.
    Member {
        /// The scalarset, an index into [`crate::Declared::sets`].
        set: u8,
    },
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// Size and signedness.
    pub width: Width,
    /// What the values stand for.
    pub sort: Sort,
}

impl Scalar {
    /// Plain data of a width.
    pub const fn plain(width: Width) -> Self {
        Scalar { width, sort: Sort::Plain }
    }

    /// A channel id.
    pub const CHANNEL: Scalar = Scalar { width: Width::Byte, sort: Sort::Channel };

    /// Cuts a value to what the field can hold, silently, as a SPIN verifier does.
    pub fn truncate(self, value: i32) -> i32 {
        match self.width {
            // A reference is no number: there is nothing to cut.
            _ if self.sort == Sort::Ref => value,
            Width::Bit => value & 1,
            Width::Byte => value & 0xff,
            Width::Short => value as i16 as i32,
            Width::Int => value,
            Width::Unsigned(bits) if bits >= 32 => value,
            Width::Unsigned(bits) => value & ((1i32 << bits) - 1),
        }
    }

    /// Bytes the field takes in a state.
    pub fn bytes(self) -> usize {
        match self.width {
            Width::Bit | Width::Byte => 1,
            Width::Short => 2,
            Width::Int => 4,
            Width::Unsigned(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
        }
    }
}

/// One scalar field of a component.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The full name a user would write: `x`, `a[2]`, `t[1].g[0]`.
    pub name: String,
    /// Its type.
    pub scalar: Scalar,
    /// For `mtype` fields: which set of names in [`crate::Model::mtypes`] gives its values names.
    pub mtype: Option<usize>,
    /// Declared `hidden`: has a value, but two states that differ only here are the same.
    pub hidden: bool,
    /// A global that its user promised to be used by one process only (`local`).
    pub private: bool,
    /// Its address is taken, so that its value lives in a record of its own, its box. The slot refers to that, is written when it
    /// is made, and lets go of it when it goes itself: then the box is deleted.
    pub boxed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_as_c_does() {
        let cut = |width, value| Scalar::plain(width).truncate(value);
        assert_eq!(cut(Width::Bit, 2), 0);
        assert_eq!(cut(Width::Bit, 3), 1);
        assert_eq!(cut(Width::Byte, 300), 44);
        assert_eq!(cut(Width::Byte, -1), 255);
        assert_eq!(cut(Width::Short, 32768), -32768);
        assert_eq!(cut(Width::Int, i32::MIN), i32::MIN);
        assert_eq!(cut(Width::Unsigned(3), 15), 7);
        assert_eq!(cut(Width::Unsigned(32), -1), -1);
    }
}
