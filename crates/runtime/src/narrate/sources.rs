//! The program's text, as far as it can be found: paths in a program are relative to the workspace it was compiled in,
//! which is the current directory or one above it.

use crate::native::Host;
use quotient_graph::LocationId;
use quotient_report::execution::Site;
use quotient_report::shown::is_source;
use quotient_report::source::Location;
use std::collections::HashMap;
use std::panic::Location as Caller;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files and lines that have been looked for.
#[derive(Default)]
pub(super) struct Sources {
    host: Option<Arc<dyn Host>>,
    files: HashMap<String, Option<String>>,
    sites: HashMap<(String, u32, u32), Site>,
}

impl Sources {
    /// Nothing has been looked for. The host knows the places of a native program.
    pub(super) fn new(host: Option<Arc<dyn Host>>) -> Self {
        Sources { host, ..Sources::default() }
    }

    /// What the host of a native program calls a location.
    pub(super) fn name_of(&self, location: LocationId) -> Option<String> {
        self.host.as_ref()?.name_of(location)
    }

    /// Whether the program is a native one.
    pub(super) fn is_native(&self) -> bool {
        self.host.is_some()
    }

    /// A place of the user's program with its line; nothing for a place inside the library.
    pub(super) fn of(&mut self, caller: &'static Caller<'static>) -> Option<Site> {
        if let Some(host) = &self.host {
            let (file, line, column) = host.place_of(caller)?;
            return self.site(&file, line, column);
        }
        self.site(caller.file(), caller.line(), caller.column())
    }

    /// The same for a place that is given by its parts.
    pub(super) fn site(&mut self, file: &str, line: u32, column: u32) -> Option<Site> {
        if is_library(file) {
            return None;
        }
        let key = (file.to_owned(), line, column);
        if let Some(site) = self.sites.get(&key) {
            return Some(site.clone());
        }
        let source = self.text(file).and_then(|text| text.lines().nth(line.checked_sub(1)? as usize));
        let source = source.map(|line| line.trim_end().to_owned());
        let site = Site { location: Location { file: file.to_owned(), line, column }, source };
        self.sites.insert(key, site.clone());
        Some(site)
    }

    /// The text of a file.
    pub(super) fn text(&mut self, file: &str) -> Option<&str> {
        if !self.files.contains_key(file) {
            self.files.insert(file.to_owned(), find(file));
        }
        self.files.get(file)?.as_deref()
    }
}

fn find(file: &str) -> Option<String> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let bases = std::env::current_dir().ok().into_iter().chain(package);
    let candidates = bases.flat_map(|base| base.ancestors().map(|above| above.join(file)).collect::<Vec<_>>());
    // An absolute path stays as it is when it is joined to another.
    candidates.into_iter().filter(|path| is_source(path)).find_map(|path| crate::files::text(&path).ok())
}

/// Whether a file belongs to the library, whose sources lie beside those of this crate, or to Rust's own.
pub(super) fn is_library(file: &str) -> bool {
    if file.starts_with("/rustc/") || file.contains("/rustlib/src/rust/library/") {
        return true;
    }
    let here = Path::new(file!()).parent().and_then(Path::parent).and_then(Path::parent);
    let (Some(own), Some(beside)) = (here, here.and_then(Path::parent)) else { return false };
    let path = Path::new(file);
    let Ok(inside) = path.strip_prefix(beside) else { return false };
    let mut parts = inside.components().filter_map(|part| part.as_os_str().to_str());
    let named = parts.next().is_some_and(|package| package == "quotient" || package.starts_with("quotient-"));
    (path.starts_with(own) || named) && parts.next() == Some("src")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_from_any_directory_of_the_workspace() {
        let mut sources = Sources::default();
        assert!(sources.text(file!()).is_some_and(|text| text.starts_with("//! The program's text")));
        assert_eq!(sources.text("no/such/file.rs"), None);
        let site = sources.site("no/such/file.rs", 3, 1).expect("a place");
        assert_eq!((site.location.line, site.source), (3, None));
    }

    #[test]
    fn the_library_is_told_from_the_program() {
        let beside = Path::new(file!()).ancestors().nth(4).expect("the directory of the crates").to_owned();
        let is = |path: &str| is_library(beside.join(path).to_str().expect("a path of this project"));
        assert!(is_library(file!()));
        assert!(is("quotient/src/sync/mutex.rs") && is("quotient-0.1.0/src/sync/mutex.rs"));
        assert!(!is("quotient/tests/mutex.rs") && !is("queue/src/lib.rs") && !is_library("src/lib.rs"));
    }
}
