//! Which files are C and C++ programs.

use std::path::Path;

/// The language of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
}

impl Language {
    /// The language that a file's name tells.
    pub fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cc" | "cpp" | "cxx" | "c++" | "C" => Some(Language::Cpp),
            _ => None,
        }
    }
}

/// Whether a file is a C or C++ program.
pub fn is_native(file: &Path) -> bool {
    Language::of(file).is_some()
}
