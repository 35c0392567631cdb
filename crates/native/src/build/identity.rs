//! What a compiled program is, for whoever wants to know whether another one is the same.

use crate::build::compile::Compiled;
use object::{Object, ObjectSection, SectionFlags, SectionKind};

impl Compiled {
    /// The compilers that were used, each with its version.
    pub fn compilers(&self) -> String {
        self.compilers.join(", ")
    }

    /// A hash of the code and the data, or nothing if they cannot be read. What is only for people and debuggers does not
    /// count: the names of directories are in there.
    pub fn fingerprint(&self) -> Option<u64> {
        let bytes = std::fs::read(self.object()).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let mut hash = 0;
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            if !sh_flags.contains(object::elf::SHF_ALLOC) || section.kind() == SectionKind::Note {
                continue;
            }
            let data = section.data().ok()?;
            let place = [hash, section.address(), section.size(), rapidhash::v3::rapidhash_v3(data)];
            let place: Vec<u8> = place.iter().flat_map(|number| number.to_le_bytes()).collect();
            hash = rapidhash::v3::rapidhash_v3(&place);
        }
        Some(hash)
    }
}
