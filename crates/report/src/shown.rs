//! Which files a message may show lines of. A checked file can name any other file, as in an include or a `#line`; of what is no
//! source, such as a list of passwords, only the place is told.

use std::path::Path;

/// How the names of sources end.
const SOURCES: [&str; 20] = [
    "c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp", "pml", "prm",
    "prom", "promela", "rs",
];
/// Where headers are whose names have no end.
const HEADERS: [&str; 3] = ["/usr/include", "/usr/local/include", "/usr/lib"];

/// Whether a file is a source by its name, once links are followed.
pub fn is_source(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    let is_header = HEADERS.iter().any(|directory| path.starts_with(directory)) && end.is_none();
    path.is_file() && (end.is_some_and(|end| SOURCES.contains(&&*end)) || is_header)
}

/// Whether a file is in the directory of another one or below, and is not hidden there.
pub fn is_beside(path: &Path, input: &Path) -> bool {
    let (Ok(path), Ok(input)) = (path.canonicalize(), input.canonicalize()) else { return false };
    let inside = input.parent().and_then(|directory| path.strip_prefix(directory).ok());
    let is_hidden = |part: &std::ffi::OsStr| part.to_string_lossy().starts_with('.');
    path.is_file() && inside.is_some_and(|inside| !inside.iter().any(is_hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_from_other_files() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(is_source(&here.join("src/shown.rs")));
        assert!(!is_source(&here.join("Cargo.toml")) && !is_source(&here.join("src")));
        assert!(!is_source(Path::new("/etc/passwd")) && !is_source(Path::new("/dev/zero")));
        assert!(!is_source(&here.join("no/such/file.rs")));
    }

    #[test]
    fn what_lies_beside_the_input_is_meant() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(is_beside(&here.join("Cargo.toml"), &here.join("Cargo.toml")));
        assert!(is_beside(&here.join("src/shown.rs"), &here.join("Cargo.toml")));
        assert!(!is_beside(&here.join("Cargo.toml"), &here.join("src/shown.rs")));
        assert!(!is_beside(Path::new("/etc/passwd"), &here.join("Cargo.toml")));
    }
}
