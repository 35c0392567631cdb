//! Paths in shared directories: which file one leads to. Follows the kernel's walk, component by component, and notes every name that
//! is looked at on the way.

use crate::errno::{EEXIST, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR};
use crate::names::ObjectId;
use crate::object::Kind;
use crate::outcome::{Extra, Outcome};
use crate::work::{Done, Work, error, part};

/// The largest number of symbolic links on a way.
const MOST_LINKS: usize = 40;
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 4096;

/// Where a path leads.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The directory and the name in it; `None` for the beginning of a shared tree.
    place: Option<(ObjectId, Vec<u8>)>,
    /// The file, if there is one.
    pub(crate) inode: Option<ObjectId>,
    /// The path ends with a slash.
    pub(crate) must_be_directory: bool,
    /// The path without symbolic links.
    pub(crate) path: Vec<u8>,
}

impl Found {
    pub(crate) fn existing(&self) -> Result<ObjectId, Done> {
        self.inode.ok_or(error(ENOENT))
    }

    pub(crate) fn free(&self) -> Result<(), Done> {
        if self.inode.is_some() { Err(error(EEXIST)) } else { Ok(()) }
    }

    pub(crate) fn place(&self) -> Result<(ObjectId, Vec<u8>), Done> {
        self.place.clone().ok_or(error(EEXIST))
    }
}

impl Work<'_> {
    /// Follows a path.
    pub(crate) fn resolve(&mut self, path: &[u8], follows: bool) -> Result<Found, Done> {
        if path.len() >= LONGEST_PATH {
            return Err(error(ENAMETOOLONG));
        }
        let must_be_directory = path.len() > 1 && path.ends_with(b"/");
        let mut path = self.tidy(path);
        let mut links = 0;
        'again: loop {
            let Some((root, directory)) = self.root_of(&path) else {
                return Err(Outcome::with(0, Extra::Elsewhere(path)).into());
            };
            let mut seen = root.clone();
            let names: Vec<Vec<u8>> = components(&path[root.len()..]);
            let mut found = Found { place: None, inode: Some(directory), must_be_directory, path: seen.clone() };
            for (index, name) in names.iter().enumerate() {
                let directory = found.inode.ok_or(error(ENOENT))?;
                if name == b".." {
                    let Kind::Directory { parent, .. } = self.inode(directory, crate::files::CONTENT).kind else {
                        return Err(error(ENOTDIR));
                    };
                    let Some(parent) = parent.filter(|_| seen != root) else {
                        path = self.tidy(&names[index..].iter().fold(root, |path, name| join(&path, name)));
                        continue 'again;
                    };
                    seen.truncate(seen.iter().rposition(|&byte| byte == b'/').unwrap_or(0));
                    found = Found { place: None, inode: Some(parent), must_be_directory, path: seen.clone() };
                    continue;
                }
                if name.len() > LONGEST_NAME {
                    return Err(error(ENAMETOOLONG));
                }
                let Kind::Directory { entries, .. } = &self.inode(directory, part(name)).kind else {
                    return Err(error(ENOTDIR));
                };
                let entry = entries.binary_search_by(|entry| entry.0.cmp(name)).ok().map(|at| entries[at].1);
                let last = index + 1 == names.len();
                if let Some(id) = entry
                    && (!last || follows || must_be_directory)
                    && let Kind::Symlink(text) = self.inode(id, crate::files::CONTENT).kind.clone()
                {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(error(ELOOP));
                    }
                    let mut next = if text.starts_with(b"/") { text } else { join(&seen, &text) };
                    for rest in &names[index + 1..] {
                        next = join(&next, rest);
                    }
                    path = self.tidy(&next);
                    continue 'again;
                }
                seen = join(&seen, name);
                found = Found {
                    place: Some((directory, name.clone())),
                    inode: entry,
                    must_be_directory,
                    path: seen.clone(),
                };
            }
            if must_be_directory
                && let Some(id) = found.inode
                && !matches!(self.inode(id, crate::files::CONTENT).kind, Kind::Directory { .. })
            {
                return Err(error(ENOTDIR));
            }
            return Ok(found);
        }
    }

    /// A path without `.` and double slashes. Inside a shared tree `..` stays, because what comes before it may be a symbolic link.
    fn tidy(&self, path: &[u8]) -> Vec<u8> {
        let mut tidy = Vec::new();
        for name in components(path) {
            let below = self.root_of(&tidy).is_some_and(|(root, _)| root.len() < tidy.len());
            match &name[..] {
                b"." => {}
                b".." if !below => tidy.truncate(tidy.iter().rposition(|&byte| byte == b'/').unwrap_or(0)),
                _ => tidy = join(&tidy, &name),
            }
        }
        tidy
    }

    /// The shared tree that a path is in.
    fn root_of(&self, path: &[u8]) -> Option<(Vec<u8>, ObjectId)> {
        let inside = |root: &[u8]| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest[0] == b'/');
        self.roots.iter().filter(|root| inside(&root.0)).max_by_key(|root| root.0.len()).cloned()
    }
}

fn components(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
}

/// A name in a directory.
fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    [directory, b"/", name].concat()
}
