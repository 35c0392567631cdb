//! From source files to a shared object: the user's compiler, what is asked of it, and what is put into the assembly that it makes.

pub(crate) mod addresses;
pub(crate) mod bare;
pub(crate) mod compile;
pub(crate) mod compiler;
pub(crate) mod declare;
pub(crate) mod directory;
pub(crate) mod flags;
pub(crate) mod frames;
pub(crate) mod glue;
pub(crate) mod identity;
pub(crate) mod inline_asm;
pub(crate) mod linked;
pub(crate) mod own;
pub(crate) mod said;
pub(crate) mod sections;
pub(crate) mod watch;
pub(crate) mod zones;
