//! What the checker and a loaded process share: a part of one file in memory. The same layout is in `loader/slot.h`.

use nix::errno::Errno;
use std::cell::RefCell;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{read_volatile, write_volatile};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the slot is in every process.
pub(crate) const SLOT_AT: u64 = 0x0fff_0000_0000;
/// Its size.
const SLOT_SIZE: usize = 1 << 20;
/// Where its data begin.
const DATA: usize = 4096;
/// How much fits there.
pub(crate) const ROOM: usize = SLOT_SIZE - DATA;
/// Where the data are in every process.
pub(crate) const DATA_AT: u64 = SLOT_AT + DATA as u64;

/// Whose turn it is.
const PROCESS: u32 = 0;
const CHECKER: u32 = 1;

/// What both know of each other.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) turn: u32,
    pub(crate) event: u32,
    pub(crate) command: u32,
    pub(crate) index: u32,
    pub(crate) value: i64,
    pub(crate) arguments: [u64; 7],
    pub(crate) mask: u64,
    pub(crate) vectors: u64,
    pub(crate) vectors_size: u64,
    pub(crate) signal: u32,
    pub(crate) checker: u32,
    pub(crate) registers: libc::user_regs_struct,
    pub(crate) info: [u8; 128],
}

/// The file of all slots, and which of them are free.
#[derive(Debug)]
pub(crate) struct Slots {
    file: OwnedFd,
    free: RefCell<Vec<u32>>,
    made: RefCell<u32>,
}

/// A file in memory that programs inherit.
pub(crate) fn memory_file(name: &std::ffi::CStr) -> std::io::Result<OwnedFd> {
    // SAFETY: the name is a string that outlives the call; a descriptor that is no error is new and nobody else's.
    unsafe {
        let file = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        if file < 0 { Err(std::io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(file)) }
    }
}

impl Slots {
    /// No slots.
    pub(crate) fn new() -> std::io::Result<Self> {
        let file = memory_file(c"slots")?;
        Ok(Self { file, free: RefCell::default(), made: RefCell::default() })
    }

    /// The descriptor of the file.
    pub(crate) fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// A slot that nobody uses.
    pub(crate) fn take(slots: &Rc<Self>) -> Result<Slot, Errno> {
        let index = slots.free.borrow_mut().pop().map_or_else(|| slots.grow(), Ok)?;
        let offset = i64::from(index) * SLOT_SIZE as i64;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the address is the system's choice, and the part of the file is there.
        let at = unsafe {
            libc::mmap(std::ptr::null_mut(), SLOT_SIZE, rights, libc::MAP_SHARED, slots.descriptor(), offset)
        };
        if at == libc::MAP_FAILED {
            slots.free.borrow_mut().push(index);
            return Err(Errno::last());
        }
        let slot = Slot { at: at.cast(), index, slots: Rc::clone(slots) };
        // SAFETY: all numbers may be 0.
        let mut head: Head = unsafe { std::mem::zeroed() };
        (head.index, head.checker) = (index, std::process::id());
        slot.put(head);
        Ok(slot)
    }

    /// Makes the file larger, by one slot.
    fn grow(&self) -> Result<u32, Errno> {
        let mut made = self.made.borrow_mut();
        let size = i64::from(*made + 1) * SLOT_SIZE as i64;
        // SAFETY: the call has no pointers.
        Errno::result(unsafe { libc::ftruncate(self.descriptor(), size) })?;
        *made += 1;
        Ok(*made - 1)
    }
}

/// A slot, which one process uses.
#[derive(Debug)]
pub(crate) struct Slot {
    at: *mut u8,
    index: u32,
    slots: Rc<Slots>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        // What was in it takes no more memory.
        let offset = i64::from(self.index) * SLOT_SIZE as i64;
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: the memory is this slot's alone, and the process that had it is gone.
        unsafe {
            libc::munmap(self.at.cast(), SLOT_SIZE);
            libc::fallocate(self.slots.descriptor(), how, offset, SLOT_SIZE as i64);
        }
        self.slots.free.borrow_mut().push(self.index);
    }
}

impl Slot {
    /// Its number.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// The other slots.
    pub(crate) fn slots(&self) -> &Rc<Slots> {
        &self.slots
    }

    /// What is in it. The process must stand still.
    pub(crate) fn head(&self) -> Head {
        // SAFETY: the mapping is large enough and lives as long as this; the process does not write while it stands still.
        unsafe { read_volatile(self.at.cast()) }
    }

    /// Sets what is in it. The process must stand still.
    pub(crate) fn put(&self, head: Head) {
        // SAFETY: as above.
        unsafe { write_volatile(self.at.cast(), head) }
    }

    /// Changes what is in it.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Head)) {
        let mut head = self.head();
        change(&mut head);
        self.put(head);
    }

    /// Writes data; there must be room.
    pub(crate) fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= ROOM);
        // SAFETY: there is room, and the process stands still.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at.add(DATA), bytes.len()) }
    }

    /// Reads data.
    pub(crate) fn read(&self, into: &mut [u8]) {
        assert!(into.len() <= ROOM);
        // SAFETY: there are as many, and the process stands still.
        unsafe { std::ptr::copy_nonoverlapping(self.at.add(DATA), into.as_mut_ptr(), into.len()) }
    }

    fn turn(&self) -> &AtomicU32 {
        // SAFETY: the slot begins with this number, which is aligned and lives as long as this.
        unsafe { AtomicU32::from_ptr(self.at.cast()) }
    }

    /// Lets the process go on.
    pub(crate) fn let_go(&self) {
        self.turn().store(PROCESS, Ordering::Release);
        // SAFETY: the word is mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.at, libc::FUTEX_WAKE, 1) };
    }

    /// Waits a little for the process to stand still, and says whether it does.
    pub(crate) fn wait(&self) -> bool {
        let little = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        if self.turn().load(Ordering::Acquire) == PROCESS {
            // SAFETY: the word is mapped, and the time outlives the call.
            unsafe { libc::syscall(libc::SYS_futex, self.at, libc::FUTEX_WAIT, PROCESS, &raw const little) };
        }
        self.turn().load(Ordering::Acquire) == CHECKER
    }
}
