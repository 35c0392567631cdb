//! Promela: preprocess · lex · parse · resolve · check · lower (to the intermediate form).

pub mod ast;
pub mod token;
