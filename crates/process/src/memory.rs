//! Reads and writes the memory of a stopped process. Follows `process_vm_readv(2)` and `process_vm_writev(2)`.

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;
use std::io::{IoSlice, IoSliceMut};
use std::os::unix::fs::FileExt;

/// The size of a page.
pub(crate) const PAGE: u64 = 4096;

/// The longest path.
const LONGEST_PATH: usize = 4096;

/// Reads all of `into`, or says that the address is bad.
pub(crate) fn read_into(pid: Pid, address: u64, into: &mut [u8]) -> Result<(), Errno> {
    if into.is_empty() {
        return Ok(());
    }
    let length = into.len();
    let remote = RemoteIoVec { base: address as usize, len: length };
    match process_vm_readv(pid, &mut [IoSliceMut::new(into)], &[remote]) {
        Ok(count) if count == length => Ok(()),
        Ok(_) => Err(Errno::EFAULT),
        Err(error) => Err(error),
    }
}

/// Some bytes of the process.
pub(crate) fn read(pid: Pid, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = vec![0; length];
    read_into(pid, address, &mut bytes)?;
    Ok(bytes)
}

/// Writes all of `bytes`, or says that the address is bad.
pub(crate) fn write(pid: Pid, address: u64, bytes: &[u8]) -> Result<(), Errno> {
    if bytes.is_empty() {
        return Ok(());
    }
    let remote = RemoteIoVec { base: address as usize, len: bytes.len() };
    match process_vm_writev(pid, &[IoSlice::new(bytes)], &[remote]) {
        Ok(count) if count == bytes.len() => Ok(()),
        Ok(_) => Err(Errno::EFAULT),
        Err(error) => Err(error),
    }
}

/// Writes to memory that the process itself may only be allowed to read.
pub(crate) fn write_always(pid: Pid, address: u64, bytes: &[u8]) -> std::io::Result<()> {
    if write(pid, address, bytes).is_ok() {
        return Ok(());
    }
    let file = std::fs::OpenOptions::new().write(true).open(format!("/proc/{pid}/mem"))?;
    file.write_all_at(bytes, address)
}

/// A number of eight bytes.
pub(crate) fn read_u64(pid: Pid, address: u64) -> Result<u64, Errno> {
    let mut bytes = [0; 8];
    read_into(pid, address, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// A number of four bytes.
pub(crate) fn read_i32(pid: Pid, address: u64) -> Result<i32, Errno> {
    let mut bytes = [0; 4];
    read_into(pid, address, &mut bytes)?;
    Ok(i32::from_le_bytes(bytes))
}

/// A string that ends with a zero byte, which is not part of the result.
pub(crate) fn read_string(pid: Pid, address: u64) -> Result<Vec<u8>, Errno> {
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < LONGEST_PATH {
        let upto_page = (PAGE - at % PAGE) as usize;
        let piece = read(pid, at, upto_page)?;
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return if text.len() < LONGEST_PATH { Ok(text) } else { Err(Errno::ENAMETOOLONG) };
        }
        text.extend_from_slice(&piece);
        at += upto_page as u64;
    }
    Err(Errno::ENAMETOOLONG)
}
