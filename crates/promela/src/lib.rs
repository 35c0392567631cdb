//! Promela: preprocess · lex · parse · resolve · check · lower (to the intermediate form).

pub mod ast;
pub mod display;
pub mod lex;
pub mod parse;
pub mod preprocess;
pub mod token;
