//! The memory of the program that runs: where it is, what is known of every byte, and how places in it are named.

pub(crate) mod bare;
pub(crate) mod bits;
pub(crate) mod heap;
pub(crate) mod image;
pub(crate) mod locals;
pub(crate) mod own;
pub(crate) mod proc_maps;
pub(crate) mod shadow;
pub(crate) mod symbols;
pub(crate) mod unwritten;
pub(crate) mod zones;
pub(crate) mod address_space;
