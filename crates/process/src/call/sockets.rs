//! Sockets on one machine. Follows `socket(2)`, `unix(7)` and `ip(7)`.

use super::{Buffer, Decision, Finish, Header, Looked, Moment, visible};
use crate::own::{Kind, Shared};
use nix::errno::Errno;
use quotient_system::{Address, Fd, Op, SocketKind, SocketOp};

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn socket_call(&mut self) -> Option<Looked> {
        let [_, second, third, fourth, fifth, sixth] = self.arguments;
        let fd = self.int(0);
        Some(match self.number {
            libc::SYS_socket => self.new_socket(),
            libc::SYS_socketpair => self.socket_pair(fourth),
            libc::SYS_bind => self.with_address(|fd, address| SocketOp::Bind { fd, address }),
            libc::SYS_connect => self.with_address(|fd, address| SocketOp::Connect { fd, address }),
            libc::SYS_listen => {
                self.on_socket(SocketOp::Listen { fd, backlog: self.int(1).max(0) as usize }, Finish::Value)
            }
            libc::SYS_accept => self.accept(0),
            libc::SYS_accept4 => self.accept(self.int(3)),
            libc::SYS_sendto => self.send(
                vec![Buffer { address: second, length: self.size(2) }],
                fifth,
                sixth as usize,
                (0, 0),
                self.int(3),
            ),
            libc::SYS_sendmsg => {
                self.header(second).map_err(Into::into).and_then(|(name, size, from, control, room)| {
                    self.send(from, name, size, (control, room), self.int(2))
                })
            }
            libc::SYS_recvfrom => self.receive_from(second, fifth, sixth),
            libc::SYS_recvmsg => self.receive_message(second),
            libc::SYS_shutdown => {
                let how = self.int(1);
                let op = SocketOp::Shutdown { fd, read: how != libc::SHUT_WR, write: how != libc::SHUT_RD };
                self.on_socket(op, Finish::Value)
            }
            libc::SYS_getsockname => {
                self.on_socket(SocketOp::Name { fd }, Finish::Address { address: second, size: third })
            }
            libc::SYS_getpeername => {
                self.on_socket(SocketOp::Peer { fd }, Finish::Address { address: second, size: third })
            }
            libc::SYS_setsockopt => self.set_option(),
            libc::SYS_getsockopt => self.get_option(fourth, fifth),
            _ => return None,
        })
    }

    /// That the descriptor is a socket's.
    fn is_socket(&self, fd: Fd) -> Result<(), Errno> {
        match self.own.kind(fd)? {
            Kind::Shared(Shared::Socket { .. } | Shared::Passed) => Ok(()),
            _ => Err(Errno::ENOTSOCK),
        }
    }

    fn on_socket(&self, op: SocketOp, finish: Finish) -> Looked {
        self.is_socket(self.int(0))?;
        Ok(Decision::Visible(Op::Socket(op), finish))
    }

    fn with_address(&self, op: impl Fn(Fd, Address) -> SocketOp) -> Looked {
        self.is_socket(self.int(0))?;
        let address = self.address(self.arguments[1], self.size(2))?;
        visible(Op::Socket(op(self.int(0), address)))
    }

    /// The kind of a new socket, whether it does not wait, and whether `exec` closes it.
    fn socket_kind(&self) -> Result<(SocketKind, bool, bool), super::Refusal> {
        let flags = self.int(1);
        let kind = match flags & !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) {
            libc::SOCK_STREAM => SocketKind::Stream,
            libc::SOCK_DGRAM => SocketKind::Datagram,
            libc::SOCK_SEQPACKET => SocketKind::SeqPacket,
            _ => return Err(self.unsupported("this kind of socket")),
        };
        Ok((kind, flags & libc::SOCK_NONBLOCK != 0, flags & libc::SOCK_CLOEXEC != 0))
    }

    fn new_socket(&self) -> Looked {
        let (kind, nonblocking, close_on_exec) = self.socket_kind()?;
        let family = match self.int(0) {
            libc::AF_UNIX => Address::Unnamed,
            libc::AF_INET => Address::Loopback(0),
            libc::AF_INET6 => Address::Loopback6(0),
            family => return Err(self.unsupported(format!("family {family}"))),
        };
        let fd = self.own.free(1, 0)?[0];
        let op = Op::Socket(SocketOp::New { fd, family, kind, nonblocking });
        self.new_one(fd, op, Shared::Socket { datagram: kind == SocketKind::Datagram }, close_on_exec)
    }

    fn socket_pair(&self, address: u64) -> Looked {
        if self.int(0) != libc::AF_UNIX {
            return Err(Errno::EOPNOTSUPP.into());
        }
        let (kind, nonblocking, close_on_exec) = self.socket_kind()?;
        let numbers = self.own.free(2, 0)?;
        let op = Op::Socket(SocketOp::Pair { fds: [numbers[0], numbers[1]], kind, nonblocking });
        let numbers = numbers.into_iter().map(|fd| (fd, Shared::Socket { datagram: false })).collect();
        Ok(Decision::Visible(op, Finish::New { numbers, close_on_exec, address: Some(address), peer: None }))
    }

    fn accept(&self, flags: i32) -> Looked {
        let [_, address, size, ..] = self.arguments;
        self.is_socket(self.int(0))?;
        let new = self.own.free(1, 0)?[0];
        let op = SocketOp::Accept { fd: self.int(0), new, nonblocking: flags & libc::SOCK_NONBLOCK != 0 };
        let finish = Finish::New {
            numbers: vec![(new, Shared::Socket { datagram: false })],
            close_on_exec: flags & libc::SOCK_CLOEXEC != 0,
            address: None,
            peer: (address != 0).then_some((address, size)),
        };
        Ok(Decision::Visible(Op::Socket(op), finish))
    }

    fn send(&self, from: Vec<Buffer>, name: u64, size: usize, control: (u64, usize), flags: i32) -> Looked {
        self.is_socket(self.int(0))?;
        let known = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL | libc::MSG_MORE;
        if flags & !known != 0 {
            return Err(self.unsupported(format!("flags {flags:#x}")));
        }
        let to = if name == 0 { None } else { Some(self.address(name, size)?) };
        visible(Op::Socket(SocketOp::Send {
            fd: self.int(0),
            bytes: self.gather(&from)?,
            to,
            fds: self.passed(control.0, control.1)?,
            no_wait: flags & libc::MSG_DONTWAIT != 0,
            no_signal: flags & libc::MSG_NOSIGNAL != 0,
        }))
    }

    fn receive_from(&self, to: u64, name: u64, name_size: u64) -> Looked {
        let name_room = if name == 0 { 0 } else { crate::memory::read_i32(self.tracee, name_size)?.max(0) as usize };
        let header = Header {
            buffers: vec![Buffer { address: to, length: self.size(2) }],
            name,
            name_room,
            name_size,
            control: 0,
            header: 0,
            close_on_exec: false,
        };
        self.receive(header, Vec::new(), self.int(3))
    }

    fn receive_message(&self, at: u64) -> Looked {
        let (name, name_room, buffers, control, room) = self.header(at)?;
        let flags = self.int(2);
        let count = if control == 0 { 0 } else { Self::room_for_descriptors(room) };
        let free = (0..=count).rev().find_map(|count| self.own.free(count, 0).ok()).unwrap_or_default();
        let close_on_exec = flags & libc::MSG_CMSG_CLOEXEC != 0;
        let header = Header { buffers, name, name_room, name_size: at + 8, control, header: at, close_on_exec };
        self.receive(header, free, flags & !libc::MSG_CMSG_CLOEXEC)
    }

    fn receive(&self, header: Header, free: Vec<Fd>, flags: i32) -> Looked {
        self.is_socket(self.int(0))?;
        let known = libc::MSG_DONTWAIT | libc::MSG_PEEK | libc::MSG_WAITALL | libc::MSG_NOSIGNAL;
        if flags & !known != 0 {
            return Err(self.unsupported(format!("flags {flags:#x}")));
        }
        let op = SocketOp::Receive {
            fd: self.int(0),
            count: header.buffers.iter().map(|buffer| buffer.length).sum(),
            free,
            no_wait: flags & libc::MSG_DONTWAIT != 0,
            peek: flags & libc::MSG_PEEK != 0,
            all: flags & libc::MSG_WAITALL != 0,
        };
        Ok(Decision::Visible(Op::Socket(op), Finish::Received(header)))
    }

    fn set_option(&self) -> Looked {
        let known = match (self.int(1), self.int(2)) {
            // Several sockets with one address are for datagrams only.
            (libc::SOL_SOCKET, libc::SO_REUSEADDR) => {
                self.own.shared(self.int(0)) == Some(&Shared::Socket { datagram: false })
            }
            (libc::SOL_SOCKET, option) => {
                matches!(option, libc::SO_KEEPALIVE | libc::SO_SNDBUF | libc::SO_RCVBUF | libc::SO_BROADCAST)
            }
            (libc::IPPROTO_TCP, _) => true,
            (libc::IPPROTO_IPV6, option) => option == libc::IPV6_V6ONLY,
            _ => false,
        };
        if !known {
            return Err(self.unsupported(format!("option {} of level {}", self.int(2), self.int(1))));
        }
        self.on_socket(SocketOp::Option { fd: self.int(0) }, Finish::Value)
    }

    fn get_option(&self, value: u64, _size: u64) -> Looked {
        match (self.int(1), self.int(2)) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                self.on_socket(SocketOp::Error { fd: self.int(0) }, Finish::Number(value))
            }
            (level, option) => Err(self.unsupported(format!("option {option} of level {level}"))),
        }
    }
}
