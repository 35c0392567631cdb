//! Operations on files and directories that processes share. Paths are absolute and normalised as text.

use super::Fd;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpenHow {
    /// It may be read.
    pub read: bool,
    /// It may be written.
    pub write: bool,
    /// `O_CREAT`.
    pub create: bool,
    /// `O_EXCL`.
    pub exclusive: bool,
    /// `O_TRUNC`.
    pub truncate: bool,
    /// `O_APPEND`.
    pub append: bool,
    /// `O_NONBLOCK`.
    pub nonblocking: bool,
    /// `O_DIRECTORY`.
    pub directory: bool,
    /// `O_NOFOLLOW`.
    pub no_follow: bool,
    /// `O_PATH`.
    pub path_only: bool,
    /// The mode of a new file, already without what the umask takes away.
    pub mode: u32,
}

/// A file, by path or by descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// By its absolute path; a symbolic link at the end is followed.
    Path(Vec<u8>),
    /// By its absolute path; a symbolic link at the end is meant itself.
    Link(Vec<u8>),
    /// By descriptor.
    Fd(Fd),
}

/// What is done with files and directories that processes share. An outcome may be
/// [`Extra::Elsewhere`](crate::Extra::Elsewhere): then a symbolic link leads to a path outside, where the operation goes on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileOp {
    /// Opens a file or a directory. Value: its number.
    Open {
        /// Its number.
        fd: Fd,
        /// Its path.
        path: Vec<u8>,
        /// How.
        how: OpenHow,
    },
    /// Asks what a file is. Extra: [`Extra::Stat`](crate::Extra::Stat).
    Stat {
        /// Which one.
        target: Target,
    },
    /// Asks whether a file may be used. Bits: 4 read, 2 write, 1 execute.
    Access {
        /// Which one.
        target: Target,
        /// How.
        mode: u32,
    },
    /// Makes a directory.
    MakeDir {
        /// Its path.
        path: Vec<u8>,
        /// Its mode, without what the umask takes away.
        mode: u32,
    },
    /// Makes a named pipe.
    MakeFifo {
        /// Its path.
        path: Vec<u8>,
        /// Its mode, without what the umask takes away.
        mode: u32,
    },
    /// Removes a directory.
    RemoveDir {
        /// Its path.
        path: Vec<u8>,
    },
    /// Removes a name of a file.
    Unlink {
        /// Its path.
        path: Vec<u8>,
    },
    /// Gives a file another name.
    Rename {
        /// The old name.
        from: Vec<u8>,
        /// The new name.
        to: Vec<u8>,
        /// Fails if the new name is taken (`RENAME_NOREPLACE`).
        no_replace: bool,
        /// Both change places (`RENAME_EXCHANGE`).
        exchange: bool,
    },
    /// Gives a file a further name.
    Link {
        /// The old name, or a descriptor (`AT_EMPTY_PATH`).
        from: Target,
        /// The new name.
        to: Vec<u8>,
    },
    /// Makes a symbolic link.
    Symlink {
        /// Where it leads, as it is written.
        text: Vec<u8>,
        /// Its path.
        path: Vec<u8>,
    },
    /// Reads a symbolic link. Value: number of bytes; extra: the bytes.
    ReadLink {
        /// Its path.
        path: Vec<u8>,
        /// The largest number of bytes.
        count: usize,
    },
    /// Lists a directory from where its descriptor is. Extra: [`Extra::Entries`](crate::Extra::Entries), all that are left.
    /// The caller gives as many as there is room for and keeps the others.
    List {
        /// The descriptor.
        fd: Fd,
    },
    /// Moves the position of a descriptor. Value: the new position.
    Seek {
        /// The descriptor.
        fd: Fd,
        /// By how much.
        by: i64,
        /// From where.
        from: Whence,
    },
    /// Sets the size of a file.
    Truncate {
        /// Which one.
        target: Target,
        /// Its size.
        size: i64,
    },
    /// Makes room for a range (`fallocate` without flags, `posix_fallocate`).
    Allocate {
        /// The descriptor.
        fd: Fd,
        /// The size that the file has at least.
        size: i64,
    },
    /// Sets the mode of a file.
    SetMode {
        /// Which one.
        target: Target,
        /// The mode.
        mode: u32,
    },
    /// Sets times, in nanoseconds. Only those of files are kept.
    SetTimes {
        /// Which one.
        target: Target,
        /// When it was read last; `None` leaves it as it is.
        read: Option<i64>,
        /// When it was written last; `None` leaves it as it is.
        written: Option<i64>,
    },
    /// Sets the owner to whoever it is: only looks whether the file exists.
    Touch {
        /// Which one.
        target: Target,
    },
    /// Looks whether a path is a directory, for `chdir`. Extra: [`Extra::Path`](crate::Extra::Path) without symbolic links.
    ChangeDir {
        /// Which one.
        target: Target,
    },
    /// Has written everything to the disk (`fsync`).
    Sync {
        /// The descriptor.
        fd: Fd,
    },
}

/// From where a position counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whence {
    /// The beginning.
    Start,
    /// The position.
    Position,
    /// The end.
    End,
}
