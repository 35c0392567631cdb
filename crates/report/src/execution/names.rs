//! What things are called in the text of an execution: threads, places in the source, values.

use std::collections::BTreeMap;

use super::{Execution, Site};

impl Execution {
    /// A thread in a sentence: `main`, `thread 2`, `thread 2 'reader'`.
    pub(super) fn who(&self, thread: usize) -> String {
        let name = self.threads.iter().find(|one| one.thread == thread).and_then(|one| one.name.as_deref());
        match (thread, name) {
            (0, None | Some("main")) => "main".to_string(),
            (_, None) => format!("thread {thread}"),
            (_, Some(name)) => format!("thread {thread} '{name}'"),
        }
    }

    /// The label of a place.
    pub(super) fn label(&self, place: usize) -> &str {
        self.places.get(place).map_or("?", |place| &place.label)
    }

    fn sites(&self) -> impl Iterator<Item = &Site> {
        let steps = self.steps.iter().filter_map(|step| step.location.as_ref());
        let spawns = self.threads.iter().filter_map(|thread| thread.spawned.as_ref());
        let waits = self.waiting.iter().filter_map(|waiting| waiting.location.as_ref());
        let leaks = self.leaks.iter().filter_map(|leak| leak.location.as_ref());
        steps.chain(spawns).chain(waits).chain(leaks).chain(&self.location)
    }
}

/// Short names of files: as many of the last parts of a path as tell it from the other paths.
pub(super) struct Files<'a>(BTreeMap<&'a str, String>);

/// The short names of all files of an execution.
pub(super) fn files(execution: &Execution) -> Files<'_> {
    let mut all: Vec<&str> = execution.sites().map(|site| site.location.file.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    let tail = |file: &str, parts: usize| {
        let all: Vec<&str> = file.split(['/', '\\']).collect();
        (parts < all.len()).then(|| all[all.len() - parts..].join("/"))
    };
    let name = |file: &str| {
        let mut parts = 1;
        while let Some(name) = tail(file, parts) {
            let same = |other: &&str| **other != *file && tail(other, parts).as_ref() == Some(&name);
            if !all.iter().any(|other| same(other) || *other == name) {
                return name;
            }
            parts += 1;
        }
        file.to_string()
    };
    Files(all.iter().map(|&file| (file, name(file))).collect())
}

impl Files<'_> {
    /// A place as `file:line`.
    pub(super) fn place(&self, site: &Site) -> String {
        let file = self.0.get(site.location.file.as_str()).unwrap_or(&site.location.file);
        format!("{file}:{}", site.location.line)
    }
}

/// A value: what is too large to be a count is likely an address or a set of bits. Addresses of memory that an execution
/// has allocated, and of its stacks, come with names in place of the numbers that change from run to run: 16 bits that
/// tell them from other values, the thread, the number of the block among those of the thread, and the offset.
pub(super) fn value(value: u64) -> String {
    match value >> 48 {
        0xA5D7 => {
            let (thread, block, offset) = (value >> 38 & 0x3FF, value >> 22 & 0xFFFF, value & 0x3F_FFFF);
            let inside = if offset == 0 { String::new() } else { format!("+{offset}") };
            format!("&block{thread}.{block}{inside}")
        }
        0xA5D8 => {
            let (thread, below) = (value >> 36 & 0xFFF, (1 << 35) - (value & 0xF_FFFF_FFFF) as i64);
            format!("&stack{thread}-{below}")
        }
        _ if value <= u64::from(u32::MAX) => value.to_string(),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Leak;
    use super::*;
    use crate::source::Location;

    #[test]
    fn files_are_called_by_as_little_as_tells_them_apart() {
        let site =
            |file: &str| Site { location: Location { file: file.to_string(), line: 7, column: 1 }, source: None };
        let mut execution = Execution::default();
        let paths = ["src/lib.rs", "src/queue/mod.rs", "src/stack/mod.rs", "lib.rs"];
        for path in paths {
            let what = "a box".to_string();
            execution.leaks.push(Leak { what, location: Some(site(path)) });
        }
        let files = files(&execution);
        let shown = paths.map(|path| files.place(&site(path)));
        assert_eq!(shown, ["src/lib.rs:7", "queue/mod.rs:7", "stack/mod.rs:7", "lib.rs:7"]);
        assert_eq!(files.place(&site("other.rs")), "other.rs:7");
    }

    #[test]
    fn large_values_are_shown_in_hexadecimal() {
        assert_eq!([0, 4_294_967_295, 1 << 40].map(value), ["0", "4294967295", "0x10000000000"]);
    }

    #[test]
    fn addresses_have_names() {
        let block = |thread: u64, number: u64, offset: u64| 0xA5D7 << 48 | thread << 38 | number << 22 | offset;
        assert_eq!([block(0, 3, 0), block(2, 65_535, 8)].map(value), ["&block0.3", "&block2.65535+8"]);
        assert_eq!(value(0xA5D8 << 48 | 4 << 36 | ((1 << 35) - 120)), "&stack4-120");
    }
}
