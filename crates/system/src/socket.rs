//! Sockets: Unix sockets, and TCP and UDP on the machine itself. Follows Linux as far as processes on one machine can notice it; a
//! connection is made as soon as the other side listens.

use crate::errno::{
    EADDRINUSE, EAFNOSUPPORT, EAGAIN, ECONNREFUSED, ECONNRESET, EDESTADDRREQ, EINPROGRESS, EINVAL, EISCONN, EMSGSIZE,
    ENOENT, ENOTCONN, ENOTSOCK, EOPNOTSUPP, EPERM, EPIPE, EPROTOTYPE,
};
use crate::names::ObjectId;
use crate::object::{Inode, Kind, Message, Object, OpenFile, OpenKind, Phase, Socket};
use crate::op::{Address, Fd, SocketKind, SocketOp};
use crate::outcome::{Extra, Outcome};
use crate::pipe::{POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDHUP};
use crate::signal::SIGPIPE;
use crate::work::{Done, WHOLE, Work, error, value};

/// How many bytes, and how many single messages, wait at most.
const MOST_BYTES: usize = 212_992;
const MOST_MESSAGES: usize = 11;
const FIRST_PORT: u16 = 32768;

impl Socket {
    fn new(kind: SocketKind, family: Address) -> Self {
        Self {
            kind,
            family,
            name: None,
            phase: Phase::New,
            messages: Vec::new(),
            read_shut: false,
            write_shut: false,
            peer_name: Address::Unnamed,
            reset: false,
        }
    }

    /// How many bytes can be read.
    pub(crate) fn bytes(&self) -> usize {
        match self.kind {
            SocketKind::Stream | SocketKind::SeqPacket => self.messages.iter().map(|message| message.bytes.len()).sum(),
            SocketKind::Datagram => self.messages.first().map_or(0, |message| message.bytes.len()),
        }
    }

    fn has_room(&self, bytes: usize) -> bool {
        let held: usize = self.messages.iter().map(|message| message.bytes.len()).sum();
        let many = self.kind == SocketKind::Datagram && self.messages.len() >= MOST_MESSAGES;
        held == 0 || (held + bytes <= MOST_BYTES && !many)
    }

    fn is_unix(&self) -> bool {
        matches!(self.family, Address::Unnamed | Address::Path(_) | Address::Abstract(_))
    }

    fn own_name(&self) -> Address {
        self.name.clone().unwrap_or_else(|| self.family.clone())
    }
}

impl Work<'_> {
    fn socket_of(&mut self, fd: Fd) -> Result<(ObjectId, OpenFile), Done> {
        match self.file(fd)?.1 {
            open @ OpenFile { what: OpenKind::Socket(id), .. } => Ok((id, open)),
            _ => Err(error(ENOTSOCK)),
        }
    }

    fn sock(&mut self, id: ObjectId) -> &mut Socket {
        match self.change(id, WHOLE) {
            Some(Object::Socket(socket)) => socket,
            other => unreachable!("a socket is {other:?}"),
        }
    }

    fn open_socket(&mut self, fd: Fd, id: ObjectId, nonblocking: bool) {
        self.open(fd, OpenFile { read: true, write: true, ..OpenFile::new(OpenKind::Socket(id), nonblocking) });
    }

    pub(crate) fn socket(&mut self, op: &SocketOp) -> Done {
        let done = match op {
            SocketOp::Pair { fds, kind, nonblocking } => {
                let one = self.make(Object::Socket(Socket::new(*kind, Address::Unnamed)));
                let other = self.make(Object::Socket(Socket::new(*kind, Address::Unnamed)));
                self.sock(one).phase = Phase::Connected(Some(other));
                self.sock(other).phase = Phase::Connected(Some(one));
                self.open_socket(fds[0], one, *nonblocking);
                self.open_socket(fds[1], other, *nonblocking);
                Ok(value(0))
            }
            SocketOp::New { fd, family, kind, nonblocking } => {
                let id = self.make(Object::Socket(Socket::new(*kind, family.clone())));
                self.open_socket(*fd, id, *nonblocking);
                Ok(value(i64::from(*fd)))
            }
            SocketOp::Bind { fd, address } => self.bind(*fd, address),
            SocketOp::Listen { fd, backlog } => self.listen(*fd, *backlog),
            SocketOp::Connect { fd, address } => self.connect(*fd, address),
            SocketOp::Accept { fd, new, nonblocking } => self.accept(*fd, *new, *nonblocking),
            SocketOp::Send { fd, bytes, to, fds, no_wait, no_signal } => self.socket_of(*fd).and_then(|(id, open)| {
                self.send(id, bytes, to.as_ref(), fds, *no_wait || open.nonblocking, *no_signal)
            }),
            SocketOp::Receive { fd, count, free, no_wait, peek, all } => self
                .socket_of(*fd)
                .and_then(|(id, open)| self.receive(id, *count, free, *no_wait || open.nonblocking, *peek, *all)),
            SocketOp::Shutdown { fd, read, write } => self.shutdown(*fd, *read, *write),
            SocketOp::Name { fd } => self.socket_of(*fd).map(|(id, _)| {
                let name = self.sock(id).own_name();
                Outcome::with(0, Extra::Address(name)).into()
            }),
            SocketOp::Peer { fd } => self.socket_of(*fd).and_then(|(id, _)| {
                let socket = self.sock(id);
                match socket.phase {
                    Phase::Connected(_) => Ok(Outcome::with(0, Extra::Address(socket.peer_name.clone())).into()),
                    _ => Err(error(ENOTCONN)),
                }
            }),
            SocketOp::Error { fd } => self.socket_of(*fd).map(|(id, _)| {
                let reset = std::mem::take(&mut self.sock(id).reset);
                value(if reset { i64::from(ECONNRESET) } else { 0 })
            }),
            SocketOp::Option { fd } => self.socket_of(*fd).map(|_| value(0)),
        };
        done.unwrap_or_else(|done| done)
    }

    /// The socket that has an address.
    fn at_address(&mut self, address: &Address, kind: SocketKind) -> Result<Option<ObjectId>, Done> {
        if let Address::Path(path) = address {
            let Some(inode) = self.resolve(path, true)?.inode else { return Err(error(ENOENT)) };
            return match self.inode(inode, crate::files::CONTENT).kind {
                Kind::Socket(id) => Ok(self.state.object(id).is_some().then_some(id)),
                _ => Err(error(ECONNREFUSED)),
            };
        }
        self.touch_name("socket", address, false);
        let has = |object: &Object| {
            matches!(object, Object::Socket(socket)
                if socket.name.as_ref() == Some(address) && socket.kind == kind && !matches!(socket.phase, Phase::Connected(_) if kind == SocketKind::Stream))
        };
        Ok(self.state.objects.iter().find(|entry| has(&entry.1)).map(|entry| entry.0))
    }

    fn bind(&mut self, fd: Fd, address: &Address) -> Result<Done, Done> {
        let (id, _) = self.socket_of(fd)?;
        let socket = self.sock(id);
        let (kind, named) = (socket.kind, socket.name.is_some());
        if socket.is_unix() == matches!(address, Address::Loopback(_) | Address::Loopback6(_)) {
            return Err(error(EAFNOSUPPORT));
        }
        if let Address::Path(path) = address
            && self.resolve(path, true)?.inode.is_some()
        {
            return Err(error(EADDRINUSE));
        }
        if named {
            return Err(error(EINVAL));
        }
        let address = match address {
            Address::Unnamed => return Err(Done::Unsupported("bind without a name")),
            Address::Path(path) => {
                let (directory, name) = self.resolve(path, true)?.place()?;
                let inode = self.make_inode(Inode::new(Kind::Socket(id), 0o755));
                self.enter(directory, &name, inode);
                address.clone()
            }
            Address::Loopback(0) => Address::Loopback(self.free_port(kind)?),
            Address::Loopback6(0) => Address::Loopback6(self.free_port(kind)?),
            named => {
                self.touch_name("socket", named, true);
                if self.at_address(named, kind)?.is_some() {
                    return Err(error(EADDRINUSE));
                }
                named.clone()
            }
        };
        self.sock(id).name = Some(address);
        Ok(value(0))
    }

    fn free_port(&mut self, kind: SocketKind) -> Result<u16, Done> {
        for port in FIRST_PORT..u16::MAX {
            let taken = self.at_address(&Address::Loopback(port), kind)?.is_some()
                || self.at_address(&Address::Loopback6(port), kind)?.is_some();
            if !taken {
                self.touch_name("socket", Address::Loopback(port), true);
                self.touch_name("socket", Address::Loopback6(port), true);
                return Ok(port);
            }
        }
        Err(error(EADDRINUSE))
    }

    /// Gives a socket a free port, if it needs one.
    fn name_port(&mut self, id: ObjectId) -> Result<(), Done> {
        let socket = self.sock(id);
        let (kind, family) = (socket.kind, socket.family.clone());
        if socket.name.is_none() {
            match family {
                Address::Loopback(_) => self.sock(id).name = Some(Address::Loopback(self.free_port(kind)?)),
                Address::Loopback6(_) => self.sock(id).name = Some(Address::Loopback6(self.free_port(kind)?)),
                _ => {}
            }
        }
        Ok(())
    }

    fn listen(&mut self, fd: Fd, backlog: usize) -> Result<Done, Done> {
        let (id, _) = self.socket_of(fd)?;
        let kind = self.sock(id).kind;
        if kind == SocketKind::Datagram {
            return Err(error(EOPNOTSUPP));
        }
        self.name_port(id)?;
        if self.sock(id).name.is_none() {
            return Err(error(EINVAL));
        }
        match &mut self.sock(id).phase {
            phase @ Phase::New => *phase = Phase::Listening { backlog, waiting: Vec::new() },
            Phase::Listening { backlog: now, .. } => *now = backlog,
            Phase::Connected(_) => return Err(error(EINVAL)),
        }
        Ok(value(0))
    }

    fn connect(&mut self, fd: Fd, address: &Address) -> Result<Done, Done> {
        let (id, open) = self.socket_of(fd)?;
        let socket = self.sock(id).clone();
        if socket.kind == SocketKind::Datagram {
            let other = self.at_address(address, SocketKind::Datagram)?;
            if other.is_some_and(|other| self.sock(other).kind != SocketKind::Datagram) {
                return Err(error(EPROTOTYPE));
            }
            if other.is_none() && socket.is_unix() {
                return Err(error(ECONNREFUSED));
            }
            // Whoever has chosen another one hears nobody else.
            if socket.is_unix()
                && let Some(other) = other
                && let Phase::Connected(chosen) = self.sock(other).phase
                && chosen != Some(id)
            {
                return Err(error(EPERM));
            }
            self.name_port(id)?;
            let socket = self.sock(id);
            socket.peer_name = address.clone();
            socket.phase = Phase::Connected(other);
            return Ok(value(0));
        }
        if !socket.is_unix() && matches!(socket.phase, Phase::Connected(_)) {
            return Err(error(EISCONN));
        }
        let listener = self.at_address(address, socket.kind)?.ok_or(error(ECONNREFUSED))?;
        let listening = self.sock(listener).clone();
        if listening.kind != socket.kind {
            return Err(error(EPROTOTYPE));
        }
        let Phase::Listening { backlog, waiting } = &listening.phase else { return Err(error(ECONNREFUSED)) };
        if waiting.len() > *backlog {
            return Ok(if open.nonblocking { error(EAGAIN) } else { Done::Blocked });
        }
        match socket.phase {
            Phase::New => {}
            Phase::Connected(_) => return Err(error(EISCONN)),
            Phase::Listening { .. } => return Err(error(EINVAL)),
        }
        if socket.name.is_none() && !socket.is_unix() {
            let port = self.free_port(socket.kind)?;
            let port = if matches!(socket.family, Address::Loopback(_)) {
                Address::Loopback(port)
            } else {
                Address::Loopback6(port)
            };
            self.sock(id).name = Some(port);
        }
        let peer_name = self.sock(id).own_name();
        let other = Socket {
            name: listening.name.clone(),
            peer_name,
            phase: Phase::Connected(Some(id)),
            ..Socket::new(socket.kind, socket.family.clone())
        };
        let other = self.make(Object::Socket(other));
        let socket = self.sock(id);
        socket.phase = Phase::Connected(Some(other));
        socket.peer_name = address.clone();
        if let Phase::Listening { waiting, .. } = &mut self.sock(listener).phase {
            waiting.push(other);
        }
        Ok(if open.nonblocking && !listening.is_unix() { error(EINPROGRESS) } else { value(0) })
    }

    fn accept(&mut self, fd: Fd, new: Fd, nonblocking: bool) -> Result<Done, Done> {
        let (id, open) = self.socket_of(fd)?;
        let kind = self.sock(id).kind;
        let Phase::Listening { waiting, .. } = &mut self.sock(id).phase else {
            return Err(error(if kind == SocketKind::Datagram { EOPNOTSUPP } else { EINVAL }));
        };
        if waiting.is_empty() {
            return Ok(if open.nonblocking { error(EAGAIN) } else { Done::Blocked });
        }
        let other = waiting.remove(0);
        self.open_socket(new, other, nonblocking);
        let from = self.sock(other).peer_name.clone();
        Ok(Outcome::with(i64::from(new), Extra::Address(from)).into())
    }

    pub(crate) fn send_bytes(&mut self, id: ObjectId, bytes: &[u8], nonblocking: bool) -> Done {
        self.send(id, bytes, None, &[], nonblocking, false).unwrap_or_else(|done| done)
    }

    fn broken(&mut self, no_signal: bool) -> Done {
        if !no_signal {
            self.post(self.pid, SIGPIPE, 0);
        }
        error(EPIPE)
    }

    fn send(
        &mut self,
        id: ObjectId,
        bytes: &[u8],
        to: Option<&Address>,
        fds: &[Fd],
        nonblocking: bool,
        no_signal: bool,
    ) -> Result<Done, Done> {
        let socket = self.sock(id).clone();
        if socket.reset && socket.kind == SocketKind::Datagram {
            self.sock(id).reset = false;
            return Err(error(ECONNREFUSED));
        }
        if socket.reset && socket.kind == SocketKind::SeqPacket {
            self.sock(id).reset = false;
            return Err(error(ECONNRESET));
        }
        if socket.kind == SocketKind::Datagram {
            self.name_port(id)?;
        }
        if socket.write_shut {
            return Ok(self.broken(no_signal));
        }
        let other = match (&socket.phase, to) {
            (_, Some(address)) if socket.kind == SocketKind::Datagram => {
                self.at_address(address, SocketKind::Datagram)?
            }
            // Whoever has the port now gets it.
            (Phase::Connected(_), _) if socket.kind == SocketKind::Datagram && !socket.is_unix() => {
                self.at_address(&socket.peer_name, SocketKind::Datagram)?
            }
            (Phase::Connected(other), _) => {
                if other.is_none() && socket.kind != SocketKind::Datagram {
                    if socket.reset && !socket.is_unix() {
                        self.sock(id).reset = false;
                        return Err(error(ECONNRESET));
                    }
                    return Ok(self.broken(no_signal));
                }
                *other
            }
            _ if socket.kind == SocketKind::Datagram => {
                return Err(error(if socket.is_unix() { ENOTCONN } else { EDESTADDRREQ }));
            }
            _ => return Err(error(if socket.is_unix() { ENOTCONN } else { EPIPE })),
        };
        let chosen = to.is_none_or(|to| *to == socket.peer_name);
        let connected = matches!(socket.phase, Phase::Connected(_)) && chosen;
        let listens = |work: &Self, other: ObjectId| match work.state.object(other) {
            Some(Object::Socket(receiver)) => {
                // Whoever has chosen one sender hears no other.
                !matches!(receiver.phase, Phase::Connected(_))
                    || receiver.peer_name == socket.own_name()
                    || socket.is_unix()
            }
            _ => false,
        };
        let Some(other) = other.filter(|&other| listens(self, other)) else {
            // A datagram to nobody.
            if socket.is_unix() && to.is_some() {
                return Err(error(ECONNREFUSED));
            }
            if socket.is_unix() {
                // Who has lost the other side loses what came from it, too.
                self.sock(id).phase = Phase::New;
                for message in std::mem::take(&mut self.sock(id).messages) {
                    message.files.into_iter().for_each(|file| self.release(file));
                }
                return Err(error(ECONNREFUSED));
            }
            self.sock(id).reset = connected;
            return Ok(value(bytes.len() as i64));
        };
        if socket.is_unix()
            && socket.kind == SocketKind::Datagram
            && let Phase::Connected(chosen) = self.sock(other).phase
            && chosen != Some(id)
        {
            return Err(error(EPERM));
        }
        let receiver = self.sock(other);
        if receiver.read_shut && socket.kind != SocketKind::Datagram {
            return Ok(self.broken(no_signal));
        }
        if receiver.read_shut && socket.is_unix() {
            return Err(error(EPIPE));
        }
        if socket.kind != SocketKind::Stream && bytes.len() > MOST_BYTES {
            return Err(error(EMSGSIZE));
        }
        let room = MOST_BYTES.saturating_sub(receiver.messages.iter().map(|message| message.bytes.len()).sum());
        let stream = socket.kind == SocketKind::Stream;
        let fits = if stream { room > 0 || bytes.is_empty() } else { receiver.has_room(bytes.len()) };
        if !fits {
            if !stream && !socket.is_unix() {
                // Datagrams that find no room are lost.
                return Ok(value(bytes.len() as i64));
            }
            return Ok(if nonblocking { error(EAGAIN) } else { Done::Blocked });
        }
        let before = match self.me().progress {
            crate::state::Progress::Written(count) if stream => count,
            _ => 0,
        };
        let rest = &bytes[before..];
        let now = if stream { &rest[..rest.len().min(room)] } else { rest };
        let mut files = Vec::new();
        for &fd in fds {
            let (file, _) = self.file(fd)?;
            self.open_mut(file).refs += 1;
            files.push(file);
        }
        let from = (!stream).then(|| socket.own_name());
        let receiver = self.sock(other);
        match receiver.messages.last_mut() {
            Some(last) if stream && files.is_empty() && last.files.is_empty() => last.bytes.extend_from_slice(now),
            _ if stream && now.is_empty() => {}
            _ => receiver.messages.push(Message { bytes: now.to_vec(), from, files }),
        }
        let written = before + now.len();
        if written == bytes.len() || nonblocking {
            self.me_mut().progress = crate::state::Progress::None;
            return Ok(value(written as i64));
        }
        self.me_mut().progress = crate::state::Progress::Written(written);
        Ok(Done::Partly)
    }

    pub(crate) fn receive_bytes(&mut self, id: ObjectId, count: usize, nonblocking: bool) -> Done {
        // The system does not even look at the socket then.
        if count == 0 {
            return Outcome::bytes(Vec::new()).into();
        }
        match self.receive(id, count, &[], nonblocking, false, false).unwrap_or_else(|done| done) {
            Done::Returns(mut outcome) => {
                if let Extra::Received { bytes, .. } = &mut outcome.extra {
                    outcome.extra = Extra::Bytes(std::mem::take(bytes));
                }
                Done::Returns(outcome)
            }
            other => other,
        }
    }

    fn receive(
        &mut self,
        id: ObjectId,
        count: usize,
        free: &[Fd],
        nonblocking: bool,
        peek: bool,
        all: bool,
    ) -> Result<Done, Done> {
        let socket = self.sock(id).clone();
        let stream = socket.kind == SocketKind::Stream;
        if !matches!(socket.phase, Phase::Connected(_)) && socket.kind != SocketKind::Datagram {
            let plain = socket.is_unix() && stream;
            return Err(error(if plain { EINVAL } else { ENOTCONN }));
        }
        let ended = (socket.read_shut && (socket.kind != SocketKind::Datagram || !nonblocking))
            || (socket.kind != SocketKind::Datagram && socket.phase == Phase::Connected(None))
            || self.peer_is_through(&socket);
        if socket.reset && !stream {
            self.sock(id).reset = false;
            return Err(error(if socket.kind == SocketKind::Datagram { ECONNREFUSED } else { ECONNRESET }));
        }
        if socket.messages.is_empty() {
            if socket.reset {
                self.sock(id).reset = false;
                return Err(error(ECONNRESET));
            }
            if ended {
                let extra = Extra::Received { bytes: Vec::new(), from: None, fds: Vec::new(), cut: false };
                return Ok(Outcome::with(0, extra).into());
            }
            return Ok(if nonblocking { error(EAGAIN) } else { Done::Blocked });
        }
        if all && stream && socket.bytes() < count && !ended && !nonblocking && !peek {
            return Ok(Done::Blocked);
        }
        let mut rest = socket.messages.clone();
        let mut bytes = Vec::new();
        let mut files = Vec::new();
        let mut from = None;
        let mut cut = false;
        if stream {
            while bytes.len() < count && !rest.is_empty() {
                // What comes with descriptors is not mixed with what comes before.
                if !bytes.is_empty() && !rest[0].files.is_empty() {
                    break;
                }
                let some = rest[0].bytes.len().min(count - bytes.len());
                bytes.extend(rest[0].bytes.drain(..some));
                let with = std::mem::take(&mut rest[0].files);
                let stops = !with.is_empty();
                files.extend(with);
                if rest[0].bytes.is_empty() {
                    rest.remove(0);
                }
                if stops {
                    break;
                }
            }
        } else {
            let message = rest.remove(0);
            bytes = message.bytes;
            cut = bytes.len() > count;
            bytes.truncate(count);
            from = message.from;
            files = message.files;
        }
        let mut fds = Vec::new();
        if !peek {
            self.sock(id).messages = rest;
            for (at, file) in files.into_iter().enumerate() {
                match free.get(at) {
                    Some(&fd) => {
                        self.set_fd(fd, file);
                        fds.push(fd);
                    }
                    None => self.release(file),
                }
            }
        } else if !files.is_empty() {
            return Err(Done::Unsupported("MSG_PEEK at descriptors"));
        }
        let length = bytes.len() as i64;
        Ok(Outcome::with(length, Extra::Received { bytes, from, fds, cut }).into())
    }

    /// Whether the other side will not send any more.
    fn peer_is_through(&mut self, socket: &Socket) -> bool {
        match socket.phase {
            Phase::Connected(Some(other)) if socket.kind != SocketKind::Datagram => match self.look(other, WHOLE) {
                Some(Object::Socket(other)) => other.write_shut,
                _ => true,
            },
            _ => false,
        }
    }

    /// Whether the other side will not receive any more.
    fn peer_is_deaf(&mut self, other: Option<ObjectId>) -> bool {
        match other.and_then(|other| self.look(other, WHOLE)) {
            Some(Object::Socket(other)) => other.read_shut,
            _ => true,
        }
    }

    fn shutdown(&mut self, fd: Fd, read: bool, write: bool) -> Result<Done, Done> {
        let (id, _) = self.socket_of(fd)?;
        let socket = self.sock(id);
        if !socket.is_unix() && !matches!(socket.phase, Phase::Connected(_)) {
            return Err(error(ENOTCONN));
        }
        socket.read_shut |= read;
        socket.write_shut |= write;
        Ok(value(0))
    }

    pub(crate) fn close_socket(&mut self, id: ObjectId) {
        self.end_socket(id, false);
    }

    /// Ends a socket, which somebody has had or which still waited to be accepted.
    fn end_socket(&mut self, id: ObjectId, waited: bool) {
        let socket = self.sock(id).clone();
        self.remove(id);
        if let Some(name) = &socket.name {
            self.touch_name("socket", name, true);
        }
        for message in &socket.messages {
            for &file in &message.files {
                self.release(file);
            }
        }
        if let Phase::Listening { waiting, .. } = &socket.phase {
            for &other in waiting {
                self.end_socket(other, true);
            }
        }
        // Nobody may keep its name, which another one may get.
        let unread = waited || (!socket.messages.is_empty() && socket.kind != SocketKind::Datagram);
        let keeps = |object: &Object| match object {
            Object::Socket(other) => other.phase == Phase::Connected(Some(id)),
            Object::Inode(inode) => inode.kind == Kind::Socket(id),
            _ => false,
        };
        let keeping: Vec<ObjectId> =
            self.state.objects.iter().filter(|entry| keeps(&entry.1)).map(|entry| entry.0).collect();
        for other in keeping {
            match self.change(other, WHOLE) {
                Some(Object::Socket(other)) => {
                    other.phase = Phase::Connected(None);
                    other.reset |= unread;
                }
                Some(Object::Inode(inode)) => inode.kind = Kind::Socket(0),
                _ => {}
            }
        }
    }

    pub(crate) fn socket_ready(&mut self, id: ObjectId) -> i16 {
        let socket = match self.look(id, WHOLE) {
            Some(Object::Socket(socket)) => socket.clone(),
            _ => return 0,
        };
        let datagram = socket.kind == SocketKind::Datagram;
        match &socket.phase {
            Phase::New if datagram => {
                let some = !socket.messages.is_empty() || socket.read_shut;
                let both = socket.read_shut && socket.write_shut;
                POLLOUT | if some { POLLIN } else { 0 } | if both { POLLHUP } else { 0 }
            }
            Phase::New => POLLOUT | POLLHUP,
            Phase::Listening { waiting, .. } => {
                if waiting.is_empty() {
                    0
                } else {
                    POLLIN
                }
            }
            Phase::Connected(other) => {
                let gone = other.is_none() && !datagram;
                let through = gone || socket.read_shut || self.peer_is_through(&socket);
                let unheard = gone || socket.write_shut || (!datagram && self.peer_is_deaf(*other));
                let mut bits = if !socket.messages.is_empty() || through { POLLIN } else { 0 };
                if through {
                    bits |= POLLRDHUP;
                }
                if through && unheard {
                    bits |= POLLHUP;
                }
                if socket.reset {
                    bits |= POLLERR;
                }
                let room = match other.and_then(|other| self.look(other, WHOLE)) {
                    Some(Object::Socket(other)) => other.has_room(1),
                    _ => true,
                };
                bits | if room { POLLOUT } else { 0 }
            }
        }
    }
}
