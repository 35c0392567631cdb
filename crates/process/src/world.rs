//! What is the same for all processes of a check: which directories they share. Follows section 5 of the design of process
//! checks: what is below them is played by the checker, and everything else is real and must not change.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// What is the same for all processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// The shared directories: absolute paths without a slash at the end.
    pub(crate) shared: Vec<Vec<u8>>,
}

impl World {
    /// Whether this absolute, normalised path is in a shared directory.
    pub(crate) fn is_shared(&self, path: &[u8]) -> bool {
        self.shared.iter().any(|directory| {
            path.strip_prefix(directory.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        })
    }

    /// A path from a directory on, without needless slashes and `.`. Symbolic links before `..` are followed outside the shared
    /// directories; inside them `..` stays, and whoever plays them goes back.
    pub(crate) fn join(&self, directory: &[u8], path: &[u8]) -> Vec<u8> {
        let whole = if path.starts_with(b"/") { path.to_vec() } else { [directory, b"/", path].concat() };
        let mut joined = Vec::new();
        for name in whole.split(|&byte| byte == b'/').filter(|name| !matches!(*name, b"" | b".")) {
            let inside = self.is_shared(&joined) && !self.shared.contains(&joined);
            if name == b".." && !inside {
                let real = Path::new(std::ffi::OsStr::from_bytes(&joined)).canonicalize();
                if let Ok(real) = real.map(|real| real.into_os_string().into_vec())
                    && !self.shared.contains(&joined)
                {
                    joined = real;
                }
                joined.truncate(joined.iter().rposition(|&byte| byte == b'/').unwrap_or(0));
            } else {
                joined.push(b'/');
                joined.extend_from_slice(name);
            }
        }
        if joined.is_empty() { b"/".to_vec() } else { joined }
    }

    /// Where a path leads when the symbolic links outside the shared directories are followed, if that is in a shared one.
    pub(crate) fn leads_in(&self, path: &[u8], follow: bool) -> Option<Vec<u8>> {
        let path = Path::new(std::ffi::OsStr::from_bytes(path));
        let real = if follow { path.canonicalize().ok() } else { None };
        let real = real.or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))?;
        let real = real.into_os_string().into_vec();
        self.is_shared(&real).then_some(real)
    }
}

/// The path without `.`, `..` and needless slashes. It must be absolute.
pub(crate) fn normalise(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    let mut whole = Vec::with_capacity(path.len());
    for part in parts {
        whole.push(b'/');
        whole.extend_from_slice(part);
    }
    if whole.is_empty() {
        whole.push(b'/');
    }
    whole
}

/// A path from a directory on.
pub(crate) fn join(directory: &[u8], path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") {
        return normalise(path);
    }
    normalise(&[directory, b"/", path].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        assert_eq!(join(b"/a/b", b"../c/./d//"), b"/a/c/d");
        assert_eq!(join(b"/a", b"/x/.."), b"/");
        assert_eq!(join(b"/", b"../.."), b"/");
    }

    #[test]
    fn inside_a_shared_directory_the_way_back_stays() {
        let world = World { shared: vec![b"/data".to_vec()] };
        assert_eq!(world.join(b"/data/a", b"l/../x"), b"/data/a/l/../x");
        assert_eq!(world.join(b"/data", b"../usr/./bin/"), b"/usr/bin");
        assert_eq!(world.join(b"/data", b"/nowhere/../data/x"), b"/data/x");
        assert_eq!(world.join(b"/", b"../.."), b"/");
    }

    #[test]
    fn what_is_below_a_shared_directory_is_shared() {
        let world = World { shared: vec![b"/data".to_vec()] };
        assert!(world.is_shared(b"/data") && world.is_shared(b"/data/x"));
        assert!(!world.is_shared(b"/database") && !world.is_shared(b"/"));
    }
}
