//! Reads and writes the memory of a stopped process. Follows `process_vm_readv(2)` and `process_vm_writev(2)`.

use crate::tracee::Tracee;
use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use std::io::{IoSlice, IoSliceMut};
use std::os::unix::fs::FileExt;

/// The size of a page.
pub(crate) const PAGE: u64 = 4096;

/// The longest path.
const LONGEST_PATH: usize = 4096;

/// The longest argument of a program.
pub(crate) const LONGEST_ARGUMENT: usize = 32 * PAGE as usize;

/// Reads all of `into`, or says that the address is bad.
pub(crate) fn read_into(tracee: &Tracee, address: u64, into: &mut [u8]) -> Result<(), Errno> {
    if into.is_empty() {
        return Ok(());
    }
    if let Some(loaded) = tracee.loaded() {
        return loaded.read(address, into);
    }
    let length = into.len();
    let remote = RemoteIoVec { base: address as usize, len: length };
    match process_vm_readv(tracee.pid(), &mut [IoSliceMut::new(into)], &[remote]) {
        Ok(count) if count == length => Ok(()),
        Ok(_) => Err(Errno::EFAULT),
        Err(error) => Err(error),
    }
}

/// Some bytes of the process.
pub(crate) fn read(tracee: &Tracee, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = vec![0; length];
    read_into(tracee, address, &mut bytes)?;
    Ok(bytes)
}

/// Writes all of `bytes`, or says that the address is bad.
pub(crate) fn write(tracee: &Tracee, address: u64, bytes: &[u8]) -> Result<(), Errno> {
    if bytes.is_empty() {
        return Ok(());
    }
    if let Some(loaded) = tracee.loaded() {
        return loaded.write(address, bytes);
    }
    let remote = RemoteIoVec { base: address as usize, len: bytes.len() };
    match process_vm_writev(tracee.pid(), &[IoSlice::new(bytes)], &[remote]) {
        Ok(count) if count == bytes.len() => Ok(()),
        Ok(_) => Err(Errno::EFAULT),
        Err(error) => Err(error),
    }
}

/// Writes to memory that the process itself may only be allowed to read.
pub(crate) fn write_always(tracee: &Tracee, address: u64, bytes: &[u8]) -> std::io::Result<()> {
    if write(tracee, address, bytes).is_ok() {
        return Ok(());
    }
    if let Some(loaded) = tracee.loaded() {
        return Ok(loaded.write_always(address, bytes)?);
    }
    let file = std::fs::OpenOptions::new().write(true).open(format!("/proc/{}/mem", tracee.pid()))?;
    file.write_all_at(bytes, address)
}

/// A number of eight bytes.
pub(crate) fn read_u64(tracee: &Tracee, address: u64) -> Result<u64, Errno> {
    let mut bytes = [0; 8];
    read_into(tracee, address, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// A number of four bytes.
pub(crate) fn read_i32(tracee: &Tracee, address: u64) -> Result<i32, Errno> {
    let mut bytes = [0; 4];
    read_into(tracee, address, &mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

/// A string that ends with a zero byte, which is not part of the result.
pub(crate) fn read_string(tracee: &Tracee, address: u64) -> Result<Vec<u8>, Errno> {
    read_string_with(address, LONGEST_PATH, |at, into| read_into(tracee, at, into))
}

/// An argument of a program, which may be longer.
pub(crate) fn read_argument(tracee: &Tracee, address: u64) -> Result<Vec<u8>, Errno> {
    read_string_with(address, LONGEST_ARGUMENT, |at, into| read_into(tracee, at, into))
}

/// A string that ends with a zero byte, from a memory that this reads.
pub(crate) fn read_string_with(
    address: u64,
    limit: usize,
    read: impl Fn(u64, &mut [u8]) -> Result<(), Errno>,
) -> Result<Vec<u8>, Errno> {
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < limit {
        let mut piece = vec![0; (PAGE - at % PAGE) as usize];
        read(at, &mut piece)?;
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return if text.len() < limit { Ok(text) } else { Err(Errno::ENAMETOOLONG) };
        }
        at += piece.len() as u64;
        text.extend_from_slice(&piece);
    }
    Err(Errno::ENAMETOOLONG)
}
