//! Lists of directories. Follows `getdents64(2)`.

use super::{Decision, Finish, Looked, Moment};
use crate::own::{Kind, Own, Shared};
use nix::errno::Errno;
use quotient_system::{Entry, Fd, FileOp, Op};

impl Moment<'_> {
    /// Lists a directory.
    pub(super) fn list(&mut self, fd: Fd) -> Looked {
        let (address, room) = (self.arguments[1], self.size(2));
        match self.own.kind(fd)? {
            Kind::Private(_) => self.list_private(fd),
            Kind::Shared(Shared::File { entries, .. }) if entries.is_empty() => {
                Ok(Decision::Visible(Op::File(FileOp::List { fd }), Finish::Entries { fd, address, room }))
            }
            Kind::Shared(Shared::File { .. }) => {
                let bytes = take(self.own, fd, room)?;
                self.give(address, &bytes, bytes.len() as i64)
            }
            _ => Err(Errno::ENOTDIR.into()),
        }
    }
}

/// Takes as many of the entries that are left as there is room for.
pub(crate) fn take(own: &mut Own, fd: Fd, room: usize) -> Result<Vec<u8>, Errno> {
    let Some(Kind::Shared(Shared::File { entries, .. })) =
        own.descriptors.get_mut(&fd).map(|descriptor| &mut descriptor.kind)
    else {
        return Err(Errno::EBADF);
    };
    let mut bytes = Vec::new();
    let mut count = 0;
    for (index, entry) in entries.iter().enumerate() {
        let record = record(entry, index as i64 + 1);
        if bytes.len() + record.len() > room {
            break;
        }
        bytes.extend(record);
        count += 1;
    }
    if count == 0 && !entries.is_empty() {
        return Err(Errno::EINVAL);
    }
    entries.drain(..count);
    Ok(bytes)
}

/// One entry as the system writes it.
fn record(entry: &Entry, next: i64) -> Vec<u8> {
    let length = (19 + entry.name.len() + 1).next_multiple_of(8);
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(entry.inode.to_le_bytes());
    bytes.extend(next.to_le_bytes());
    bytes.extend((length as u16).to_le_bytes());
    // The kind is the upper part of the mode.
    bytes.push((entry.mode >> 12) as u8);
    bytes.extend(&entry.name);
    bytes.resize(length, 0);
    bytes
}
