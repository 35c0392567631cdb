//! Why a reduction that was asked for is not applied in the search for a property. It is told with the answer, and changes no
//! verdict.

use quotient_canon::Obstacle;

/// Why a reduction is not applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Unapplied {
    #[error("the nested search counts as SPIN does without reductions")]
    Nested,
    #[error("SPIN's reduction depends on the order of the search")]
    SpinOrder,
    #[error("the model has a heap")]
    Heap,
    #[error("with fairness, every step may change who waits for a `timeout`")]
    Timeout,
    #[error("the formula counts steps")]
    FormulaCounts,
    #[error("the never claim may count steps")]
    ClaimCounts,
    #[error("with fairness, every orbit must have one representative, as with `canonical`")]
    NeedsCanonical,
    #[error("the property names members of every set, and no renaming leaves it as it is")]
    NamesMembers,
    #[error("the property names a process")]
    NamesProcess,
    #[error("it relies on promises (xr, xs) that are not kept to the end")]
    NotKept,
    #[error("a violation was not found again in the names of the model")]
    NotFoundAgain,
    #[error(transparent)]
    Symmetry(#[from] Obstacle),
    /// What in the model or the property is in the way.
    #[error("{0}")]
    Other(&'static str),
}
