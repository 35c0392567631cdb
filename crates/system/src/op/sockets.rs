//! Operations on sockets, and waiting for descriptors to be ready. Addresses are those that one machine can reach by itself.

use super::{Fd, Timeout};

/// The family and kind of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SocketKind {
    /// A stream of bytes.
    Stream,
    /// Single messages.
    Datagram,
    /// Messages over a connection.
    SeqPacket,
}

/// The address of a socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// A Unix socket without a name.
    Unnamed,
    /// A Unix socket with a path in a shared directory.
    Path(Vec<u8>),
    /// A Unix socket with an abstract name.
    Abstract(Vec<u8>),
    /// A port of the machine itself, IPv4. Port 0 in `bind` asks for a free one.
    Loopback(u16),
    /// A port of the machine itself, IPv6.
    Loopback6(u16),
}

/// What is done with sockets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SocketOp {
    /// Makes a pair. Extra: nothing.
    Pair {
        /// Their numbers.
        fds: [Fd; 2],
        /// Their kind.
        kind: SocketKind,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// Makes a socket. Value: its number.
    New {
        /// Its number.
        fd: Fd,
        /// `Unnamed` for a Unix socket, a port 0 for the others.
        family: Address,
        /// Its kind.
        kind: SocketKind,
        /// `SOCK_NONBLOCK`.
        nonblocking: bool,
    },
    /// Gives it an address.
    Bind {
        /// The socket.
        fd: Fd,
        /// The address.
        address: Address,
    },
    /// Waits for connections.
    Listen {
        /// The socket.
        fd: Fd,
        /// How many may wait.
        backlog: usize,
    },
    /// Connects.
    Connect {
        /// The socket.
        fd: Fd,
        /// To whom.
        address: Address,
    },
    /// Takes a connection. Value: the new number; extra: the other's address.
    Accept {
        /// The socket.
        fd: Fd,
        /// The number of the connection.
        new: Fd,
        /// `SOCK_NONBLOCK` for the connection.
        nonblocking: bool,
    },
    /// Sends. Value: number of bytes.
    Send {
        /// The socket.
        fd: Fd,
        /// What.
        bytes: Vec<u8>,
        /// To whom, if it is said.
        to: Option<Address>,
        /// Descriptors that are passed on (`SCM_RIGHTS`): only the checker's.
        fds: Vec<Fd>,
        /// `MSG_DONTWAIT`.
        no_wait: bool,
        /// `MSG_NOSIGNAL`.
        no_signal: bool,
    },
    /// Receives. Value: number of bytes; extra: [`Extra::Received`](crate::Extra::Received).
    Receive {
        /// The socket.
        fd: Fd,
        /// The largest number of bytes.
        count: usize,
        /// Free numbers for descriptors that are passed on, as many as there is room for.
        free: Vec<Fd>,
        /// `MSG_DONTWAIT`.
        no_wait: bool,
        /// `MSG_PEEK`.
        peek: bool,
        /// `MSG_WAITALL`.
        all: bool,
    },
    /// Ends one direction or both.
    Shutdown {
        /// The socket.
        fd: Fd,
        /// Nothing will be received.
        read: bool,
        /// Nothing will be sent.
        write: bool,
    },
    /// Asks for its own address. Extra: it.
    Name {
        /// The socket.
        fd: Fd,
    },
    /// Asks for the other's address. Extra: it.
    Peer {
        /// The socket.
        fd: Fd,
    },
    /// Asks for the error of a connection (`SO_ERROR`). Value: the error's number, or 0.
    Error {
        /// The socket.
        fd: Fd,
    },
    /// Sets an option that changes nothing here, such as `SO_REUSEADDR` or `TCP_NODELAY`.
    Option {
        /// The socket.
        fd: Fd,
    },
}

/// One descriptor of `poll`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PollEntry {
    /// The descriptor.
    pub fd: Fd,
    /// What is waited for, in the bits of `poll`.
    pub events: i16,
    /// What is known already, for descriptors that are not the checker's.
    pub ready: Option<i16>,
}

/// What is done with epoll instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EpollOp {
    /// Makes one. Value: its number.
    New {
        /// Its number.
        fd: Fd,
    },
    /// Adds, changes or removes a descriptor.
    Control {
        /// The instance.
        epoll: Fd,
        /// The descriptor.
        fd: Fd,
        /// What is wanted of it; `None` removes it.
        wanted: Option<EpollEntry>,
        /// It must be there already (`EPOLL_CTL_MOD`); otherwise it must not (`EPOLL_CTL_ADD`).
        change: bool,
    },
    /// Waits. Value: how many; extra: [`Extra::Events`](crate::Extra::Events).
    Wait {
        /// The instance.
        epoll: Fd,
        /// The largest number of events.
        count: usize,
        /// How long.
        timeout: Timeout,
        /// The signals that are blocked meanwhile (`epoll_pwait`).
        mask: Option<u64>,
    },
}

/// What an epoll instance is to tell of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EpollEntry {
    /// The events, in the bits of `epoll`, with `EPOLLET` and `EPOLLONESHOT`.
    pub events: u32,
    /// What the process wants to be told with them.
    pub data: u64,
}
