//! Checkpoint files: what a search has done so far, so that another process can go on with it. This is the form that those
//! of models and programs share: who made it, for what, and whether it is still as it was written.
//!
//! A file begins with [`MAGIC`], the version of its form, and its kind. The rest comes in blocks: four bytes for the length,
//! eight for a hash of the block and of the hash before it, and the bytes. The first block is the identity of the search, as
//! JSON; a block without bytes is the last one. A reader sees no byte that has not been checked.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rapidhash::v3::rapidhash_v3;

/// How every checkpoint begins.
const MAGIC: [u8; 16] = *b"quotient search\n";
/// The version of the form.
const VERSION: u32 = 6;
/// Bytes of a block, but for the last one.
const BLOCK: usize = 1 << 20;
/// In front of a block while it is hashed: the hash before it.
const CHAIN: usize = 8;

/// What is wrong with a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("cannot read `{}`: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is something else.
    #[error("`{}` is not a checkpoint", .0.display())]
    Other(PathBuf),
    /// It has the form of another version.
    #[error("`{}` is a checkpoint of another version of Quotient", .0.display())]
    Version(PathBuf),
    /// It is one of another kind of input.
    #[error("`{}` is a checkpoint of {there}, and this is {here}", .path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it is for.
        there: &'static str,
        /// What was to go on.
        here: &'static str,
    },
    /// It is one of another search.
    #[error("`{}` is a checkpoint of another search: {difference}", .path.display())]
    Search {
        /// The file.
        path: PathBuf,
        /// The first thing that is not the same.
        difference: String,
    },
    /// It is not as it was written.
    #[error("`{}` is damaged: {problem}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What shows that.
        problem: String,
    },
}

/// What was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A model.
    Model = 1,
    /// A C or C++ program.
    Program = 2,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Model => "a model",
            Kind::Program => "a program",
        }
    }
}

/// What must be the same for a search to go on: names, such as options, with their values. Values that are long are hashed
/// (see [`struct@Hash`]).
pub(crate) type Identity = Vec<(String, String)>;

/// A hash of text that is put together bit by bit, for an [`Identity`] (FNV-1a).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl std::fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How long it is from one checkpoint to the next, unless it is said.
pub(crate) const EVERY: Duration = Duration::from_secs(60);
/// Writing takes at most one part in so many of the time.
const SHARE: u32 = 30;

/// When checkpoints are due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    every: Duration,
    /// None if that is beyond what can be told.
    next: Option<Instant>,
}

impl Pace {
    /// One checkpoint each so often, if writing one takes no time.
    pub(crate) fn new(every: Duration) -> Self {
        Pace { every, next: Instant::now().checked_add(every) }
    }

    /// Whether one is due.
    pub(crate) fn is_due(&self) -> bool {
        self.next.is_some_and(|next| Instant::now() >= next)
    }

    /// Takes note that one was written, or could not be, and how long that took.
    pub(crate) fn written(&mut self, took: Duration) {
        self.next = Instant::now().checked_add(self.every.max(took.saturating_mul(SHARE)));
    }
}

/// Writes a checkpoint: under another name first, so that there is always all of it or all of the one before.
pub(crate) fn write(
    path: &Path,
    kind: Kind,
    identity: &Identity,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // A link stays, and what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    // The name is always the same: a process that was killed leaves one such file at most.
    let unfinished = path.with_file_name(format!(".{name}.unfinished"));
    let result = write_to(&unfinished, kind, identity, body).and_then(|()| fs::rename(&unfinished, &path));
    if result.is_err() {
        // There is nothing more that could be done about it.
        let _ = fs::remove_file(&unfinished);
    }
    result?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Not every file system can do this, and the file is there already.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

fn write_to(
    path: &Path,
    kind: Kind,
    identity: &Identity,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let opening = opening(kind);
    file.write_all(&opening)?;
    let mut blocks = Blocks { file, chain: rapidhash_v3(&opening), buffer: vec![0; CHAIN] };
    blocks.write_all(&serde_json::to_vec(identity)?)?;
    blocks.end_block()?;
    body(&mut blocks)?;
    if blocks.buffer.len() > CHAIN {
        blocks.end_block()?;
    }
    // The last one is empty.
    blocks.end_block()?;
    blocks.file.sync_all()
}

fn opening(kind: Kind) -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes(), &[kind as u8]].concat()
}

/// Writes blocks.
struct Blocks {
    file: File,
    /// The hash of the block before.
    chain: u64,
    /// The block, after room for the hash of the block before.
    buffer: Vec<u8>,
}

impl Blocks {
    fn end_block(&mut self) -> io::Result<()> {
        self.buffer[..CHAIN].copy_from_slice(&self.chain.to_le_bytes());
        self.chain = rapidhash_v3(&self.buffer);
        let length = (self.buffer.len() - CHAIN) as u32;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&self.chain.to_le_bytes())?;
        self.file.write_all(&self.buffer[CHAIN..])?;
        self.buffer.truncate(CHAIN);
        Ok(())
    }
}

impl Write for Blocks {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK + CHAIN - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() == BLOCK + CHAIN {
            self.end_block()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A checkpoint that is being read, after its identity.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    path: PathBuf,
    file: BufReader<File>,
    chain: u64,
    /// The block, after the hash of the block before.
    block: Vec<u8>,
    /// How much of it has been read.
    at: usize,
    /// The last block has been met.
    ended: bool,
}

impl Checkpoint {
    /// Opens a checkpoint and sees that it is of this search.
    pub(crate) fn open(path: &Path, kind: Kind, identity: &Identity) -> Result<Checkpoint, CheckpointError> {
        let own = || path.to_path_buf();
        let unreadable = |error| CheckpointError::Unreadable { path: own(), error };
        let damaged = |problem: &str| CheckpointError::Damaged { path: own(), problem: problem.to_string() };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut begin = [0; MAGIC.len() + 5];
        let read = read_all(&mut file, &mut begin).map_err(unreadable)?;
        if read < begin.len() || begin[..MAGIC.len()] != MAGIC {
            return Err(CheckpointError::Other(own()));
        }
        if begin[MAGIC.len()..MAGIC.len() + 4] != VERSION.to_le_bytes() {
            return Err(CheckpointError::Version(own()));
        }
        let other = [Kind::Model, Kind::Program].into_iter().find(|other| *other as u8 == begin[MAGIC.len() + 4]);
        match other {
            None => return Err(damaged("it is a checkpoint of nothing that is known")),
            Some(other) if other != kind => {
                return Err(CheckpointError::Kind { path: own(), there: other.name(), here: kind.name() });
            }
            Some(_) => {}
        }
        let chain = rapidhash_v3(&begin);
        let mut checkpoint =
            Checkpoint { path: own(), file: BufReader::new(file), chain, block: Vec::new(), at: 0, ended: false };
        checkpoint.next_block().map_err(|error| checkpoint.problem(error))?;
        let found: Identity = serde_json::from_slice(&checkpoint.block[CHAIN.min(checkpoint.block.len())..])
            .map_err(|_| damaged("it does not say what it is a checkpoint of"))?;
        checkpoint.at = checkpoint.block.len();
        match difference(&found, identity) {
            Some(difference) => Err(CheckpointError::Search { path: own(), difference }),
            None => Ok(checkpoint),
        }
    }

    /// What an error in reading says about the file.
    pub(crate) fn problem(&self, error: io::Error) -> CheckpointError {
        let path = self.path.clone();
        match error.kind() {
            io::ErrorKind::InvalidData => CheckpointError::Damaged { path, problem: error.to_string() },
            io::ErrorKind::UnexpectedEof => CheckpointError::Damaged { path, problem: "it ends too early".to_string() },
            _ => CheckpointError::Unreadable { path, error },
        }
    }

    /// Sees that everything has been read.
    pub(crate) fn finish(mut self) -> Result<(), CheckpointError> {
        let mut one = [0];
        match self.read(&mut one).map_err(|error| self.problem(error))? {
            0 => Ok(()),
            _ => {
                let problem = "there is something after its end".to_string();
                Err(CheckpointError::Damaged { path: self.path, problem })
            }
        }
    }

    /// Reads and checks the next block.
    fn next_block(&mut self) -> io::Result<()> {
        let damaged = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text);
        let mut head = [0; 12];
        if read_all(&mut self.file, &mut head)? < head.len() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early"));
        }
        let (length, hash) = head.split_at(4);
        let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        if length > BLOCK {
            return Err(damaged("the length of a block is wrong"));
        }
        self.block.clear();
        self.block.extend_from_slice(&self.chain.to_le_bytes());
        self.block.resize(CHAIN + length, 0);
        if read_all(&mut self.file, &mut self.block[CHAIN..])? < length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early"));
        }
        self.chain = rapidhash_v3(&self.block);
        if self.chain.to_le_bytes() != *hash {
            return Err(damaged("it is not as it was written"));
        }
        self.at = CHAIN;
        self.ended = length == 0;
        if self.ended && read_all(&mut self.file, &mut [0])? > 0 {
            return Err(damaged("there is something after its end"));
        }
        Ok(())
    }
}

impl Read for Checkpoint {
    #[inline]
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.len() && !self.ended && !bytes.is_empty() {
            self.next_block()?;
        }
        let taken = bytes.len().min(self.block.len() - self.at);
        bytes[..taken].copy_from_slice(&self.block[self.at..self.at + taken]);
        self.at += taken;
        Ok(taken)
    }
}

/// Reads as many bytes as there are, and no more than fit.
fn read_all(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read(&mut bytes[read..]) {
            Ok(0) => break,
            Ok(some) => read += some,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// The first thing that is not the same, in words.
fn difference(found: &Identity, here: &Identity) -> Option<String> {
    let value = |all: &Identity, name: &str| {
        all.iter().find(|(other, _)| other == name).map_or("nothing".to_string(), |(_, value)| value.clone())
    };
    let names = here.iter().chain(found).map(|(name, _)| name);
    names.map(|name| (name, value(found, name), value(here, name))).find(|(_, there, here)| there != here).map(
        |(name, there, here)| match is_hash(&there) && is_hash(&here) {
            true => format!("{name} is not the same"),
            false => format!("{name} is {there} there, and {here} here"),
        },
    )
}

fn is_hash(value: &str) -> bool {
    value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(order: &str) -> Identity {
        vec![("the model".to_string(), Hash::default().to_string()), ("--order".to_string(), order.to_string())]
    }

    fn saved(directory: &Path, body: &[u8]) -> PathBuf {
        let path = directory.join("ck");
        write(&path, Kind::Model, &identity("dfs"), |file| file.write_all(body)).expect("it can be written");
        path
    }

    fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
        let mut checkpoint = Checkpoint::open(path, Kind::Model, &identity("dfs"))?;
        let mut body = Vec::new();
        checkpoint.read_to_end(&mut body).map_err(|error| checkpoint.problem(error))?;
        checkpoint.finish()?;
        Ok(body)
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().expect("a directory");
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let body: Vec<u8> = (0..length).map(|at| ((at * 7) >> 3) as u8).collect();
            assert_eq!(read(&saved(directory.path(), &body)).expect("it is whole"), body);
        }
        assert_eq!(fs::read_dir(directory.path()).expect("it is there").count(), 1);
    }

    #[test]
    fn every_damage_is_noticed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = saved(directory.path(), b"some bytes");
        let good = fs::read(&path).expect("it is there");
        let mut all = vec![[&good[..], &[0]].concat()];
        for at in 0..good.len() {
            all.push(good[..at].to_vec());
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                all.push(bad);
            }
        }
        for bad in all {
            fs::write(&path, &bad).expect("it can be written");
            assert!(read(&path).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn another_search_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = saved(directory.path(), b"");
        let said = Checkpoint::open(&path, Kind::Model, &identity("bfs")).expect_err("another order").to_string();
        assert!(said.ends_with("of another search: --order is dfs there, and bfs here"), "{said}");
        let said = Checkpoint::open(&path, Kind::Program, &identity("dfs")).expect_err("another kind").to_string();
        assert!(said.ends_with("is a checkpoint of a model, and this is a program"), "{said}");
        let mut other = identity("dfs");
        other[0].1 = "0123456789abcdef".to_string();
        let said = Checkpoint::open(&path, Kind::Model, &other).expect_err("another model").to_string();
        assert!(said.ends_with("the model is not the same"), "{said}");
    }
}
