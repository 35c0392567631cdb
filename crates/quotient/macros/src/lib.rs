//! Attributes.
