//! Addresses and headers of messages of sockets. Follows `unix(7)`, `ip(7)` and `sendmsg(2)`.

use super::{Buffer, Moment, Refusal};
use nix::errno::Errno;
use quotient_system::{Address, Fd};

/// Where what is received goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The bytes.
    pub(crate) buffers: Vec<Buffer>,
    /// The address of the sender, and the room for it.
    pub(crate) name: u64,
    /// See `name`.
    pub(crate) name_room: usize,
    /// Where the size of that address goes (four bytes).
    pub(crate) name_size: u64,
    /// Descriptors that were passed on.
    pub(crate) control: u64,
    /// The `msghdr` itself, 0 if there is none.
    pub(crate) header: u64,
    /// Descriptors that were passed on are closed by `exec`.
    pub(crate) close_on_exec: bool,
}

/// The size of the head of one piece of control data.
const CONTROL_HEAD: usize = 16;

impl Moment<'_> {
    /// An address of the process's.
    pub(super) fn address(&self, at: u64, size: usize) -> Result<Address, Refusal> {
        if !(2..=128).contains(&size) {
            return Err(Errno::EINVAL.into());
        }
        let bytes = self.read(at, size)?;
        let family = i32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        let port = || bytes.get(2..4).map_or(Err(Errno::EINVAL), |port| Ok(u16::from_be_bytes([port[0], port[1]])));
        match family {
            libc::AF_UNIX => match &bytes[2..] {
                [] => Ok(Address::Unnamed),
                [0, name @ ..] => Ok(Address::Abstract(name.to_vec())),
                path => self.socket_path(path.split(|&byte| byte == 0).next().unwrap_or_default()),
            },
            libc::AF_INET => match bytes.get(4..8) {
                Some([127, ..] | [0, 0, 0, 0]) => Ok(Address::Loopback(port()?)),
                Some(_) => Err(self.unsupported("another machine")),
                None => Err(Errno::EINVAL.into()),
            },
            libc::AF_INET6 => match bytes.get(8..24) {
                Some([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 | 1]) => Ok(Address::Loopback6(port()?)),
                Some(_) => Err(self.unsupported("another machine")),
                None => Err(Errno::EINVAL.into()),
            },
            _ => Err(Errno::EAFNOSUPPORT.into()),
        }
    }

    /// The path of a Unix socket, which must be in a shared directory.
    fn socket_path(&self, path: &[u8]) -> Result<Address, Refusal> {
        let path = self.world.join(&self.own.directory, path);
        match self.world.is_shared(&path) {
            true => Ok(Address::Path(path)),
            false => match self.world.leads_in(&path, true) {
                Some(inside) => Ok(Address::Path(inside)),
                None if self.number == libc::SYS_connect && !super::files::exists(&path) => Err(Errno::ENOENT.into()),
                None => Err(self.outside(&path)),
            },
        }
    }

    /// The parts of a `msghdr`: the address of a name and its size, the pieces, the address of control data and its size.
    pub(super) fn header(&self, at: u64) -> Result<(u64, usize, Vec<Buffer>, u64, usize), Errno> {
        let bytes = self.read(at, 56)?;
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let name_size = u32::from_le_bytes(std::array::from_fn(|i| bytes[8 + i])) as usize;
        let buffers = self.buffers(number(16), number(24) as usize)?;
        Ok((number(0), name_size, buffers, number(32), number(40) as usize))
    }

    /// The descriptors that are passed on in control data.
    pub(super) fn passed(&self, control: u64, size: usize) -> Result<Vec<Fd>, Refusal> {
        if control == 0 || size < CONTROL_HEAD {
            return Ok(Vec::new());
        }
        let bytes = self.read(control, size.min(4096))?;
        let length = u64::from_le_bytes(std::array::from_fn(|i| bytes[i])) as usize;
        let word = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        if (word(8), word(12)) != (libc::SOL_SOCKET, libc::SCM_RIGHTS) || length < CONTROL_HEAD || length > bytes.len()
        {
            return Err(self.unsupported("control data other than descriptors"));
        }
        if bytes.len() >= length.next_multiple_of(8) + CONTROL_HEAD {
            return Err(self.unsupported("several pieces of control data"));
        }
        let fds: Vec<Fd> = (CONTROL_HEAD..length).step_by(4).map(word).collect();
        for &fd in &fds {
            self.own.kind(fd)?;
            if self.own.shared(fd).is_none() {
                return Err(self.unsupported("a descriptor of a file outside the shared directories"));
            }
        }
        Ok(fds)
    }

    /// How many descriptors fit into control data.
    pub(super) fn room_for_descriptors(size: usize) -> usize {
        size.saturating_sub(CONTROL_HEAD) / 4
    }
}

/// Control data with these descriptors.
pub(crate) fn control(fds: &[Fd]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((CONTROL_HEAD as u64 + 4 * fds.len() as u64).to_le_bytes());
    bytes.extend(libc::SOL_SOCKET.to_le_bytes());
    bytes.extend(libc::SCM_RIGHTS.to_le_bytes());
    fds.iter().for_each(|fd| bytes.extend(fd.to_le_bytes()));
    bytes
}

/// An address as the system writes it.
pub(crate) fn address_bytes(address: &Address) -> Vec<u8> {
    let unix = (libc::AF_UNIX as u16).to_le_bytes();
    let internet = |family: i32, port: &u16| [(family as u16).to_le_bytes(), port.to_be_bytes()].concat();
    match address {
        Address::Unnamed => unix.to_vec(),
        Address::Path(path) => [unix.as_slice(), path, b"\0"].concat(),
        Address::Abstract(name) => [unix.as_slice(), b"\0", name].concat(),
        Address::Loopback(port) => [internet(libc::AF_INET, port).as_slice(), &[127, 0, 0, 1], &[0; 8]].concat(),
        Address::Loopback6(port) => {
            [internet(libc::AF_INET6, port).as_slice(), &[0; 4], &[0; 15], &[1], &[0; 4]].concat()
        }
    }
}
