//! The memory that belongs to a program's threads: for each a stack, thread-local variables and a heap, at addresses that
//! depend on nothing but the number of the thread, and on whether they ascend or descend with it. So a pointer is the same in
//! every execution.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the memory begins.
pub(crate) const WORLD: usize = 0x2000_0000_0000;
/// How much of it a thread has.
pub(crate) const REGION: usize = 128 << 20;
/// How many threads there can be.
pub(crate) const THREADS: usize = 128;
/// What a thread's region begins with: its stack, below which lies a page that cannot be accessed.
pub(crate) const STACK: usize = 8 << 20;
/// Then come addresses that stand for things without memory, such as what a waiter waits for.
const TOKENS: usize = STACK;
/// Then its thread-local variables.
const LOCALS: usize = TOKENS + (1 << 20);
/// Then its heap, up to the end.
const HEAP: usize = LOCALS + (1 << 20);
/// Behind the memory is the shadow, of which each 8 bytes have 64.
pub(crate) const SHADOW: usize = WORLD + (1 << 40);
/// How much larger a shadow is than what it belongs to.
pub(crate) const SHADOW_FACTOR: usize = 8;
/// How much memory there is.
pub(crate) const SIZE: usize = REGION * THREADS;

/// The size of a page.
pub(crate) const PAGE: usize = 4096;

/// The bits by which the number of a thread and that of its region differ: none, or all, if the last thread is to have the
/// first region.
static FLIPPED: AtomicUsize = AtomicUsize::new(0);
const _: () = assert!(THREADS.is_power_of_two());

/// From now on, threads have their memory in descending order of addresses, or in ascending order. To be said before there
/// is a thread.
pub(crate) fn set_descending(descending: bool) {
    FLIPPED.store(if descending { THREADS - 1 } else { 0 }, Ordering::Relaxed);
}

/// Where the region of a thread begins.
#[inline]
fn region(thread: u32) -> usize {
    WORLD + (thread as usize ^ FLIPPED.load(Ordering::Relaxed)) * REGION
}

/// The thread that has the memory so far behind the beginning.
#[inline]
pub(crate) fn owner(offset: usize) -> u32 {
    ((offset / REGION) ^ FLIPPED.load(Ordering::Relaxed)) as u32
}

/// Maps the memory. Of what is never touched nothing is taken.
pub(crate) fn map() -> io::Result<()> {
    reserve(WORLD, SIZE)?;
    reserve(SHADOW, SIZE * SHADOW_FACTOR)?;
    for thread in 0..THREADS {
        // SAFETY: the page is part of what was mapped above.
        unsafe { libc::mprotect((WORLD + thread * REGION) as *mut _, PAGE, libc::PROT_NONE) };
    }
    Ok(())
}

/// Maps memory at an address; anywhere, if it is 0.
pub(crate) fn reserve(address: usize, size: usize) -> io::Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let flags = if address == 0 { flags } else { flags | libc::MAP_FIXED_NOREPLACE };
    // SAFETY: a new mapping is asked for, which replaces nothing.
    let mapped = unsafe { libc::mmap(address as *mut _, size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if mapped == libc::MAP_FAILED || (address != 0 && mapped != ptr::without_provenance_mut(address)) {
        return Err(io::Error::last_os_error());
    }
    Ok(mapped as usize)
}

/// The part of the world that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Stack,
    Token,
    Local,
    Heap,
}

/// The thread and the part of its memory that an address belongs to.
#[inline]
pub(crate) fn part_of(address: usize) -> Option<(u32, Part)> {
    let offset = address.wrapping_sub(WORLD);
    if offset >= SIZE {
        return None;
    }
    let part = match offset % REGION {
        TOKENS..LOCALS => Part::Token,
        LOCALS..HEAP => Part::Local,
        HEAP.. => Part::Heap,
        _ => Part::Stack,
    };
    Some((owner(offset), part))
}

/// Whether an address is on the stack of any thread.
#[inline]
pub(crate) fn is_on_a_stack(address: usize) -> bool {
    let offset = address.wrapping_sub(WORLD);
    offset < SIZE && offset % REGION < STACK
}

/// The stack of a thread: lowest and highest address.
pub(crate) fn stack(thread: u32) -> (usize, usize) {
    let start = region(thread);
    (start, start + STACK - stagger(thread))
}

/// Whether an address is on the stack of a thread.
#[inline]
pub(crate) fn is_on_stack(address: usize, thread: u32) -> bool {
    address.wrapping_sub(region(thread)) < STACK
}

/// Whether an address is in a page below a stack, which cannot be accessed.
pub(crate) fn is_guarded(address: usize) -> bool {
    let offset = address.wrapping_sub(WORLD);
    offset < SIZE && offset % REGION < PAGE
}

/// How far the parts of a thread's region are moved, so that those of different threads do not share lines of caches.
fn stagger(thread: u32) -> usize {
    thread as usize * (PAGE + 7 * 64)
}

/// The address that is in the region of another thread what this one is in its own.
pub(crate) fn moved(address: usize, from: u32, to: u32) -> usize {
    let offset = address.wrapping_sub(region(from));
    let offset = match part_of(address) {
        Some((_, Part::Stack)) => offset + stagger(from) - stagger(to),
        Some((_, Part::Heap)) => offset - stagger(from) + stagger(to),
        _ => offset,
    };
    region(to) + offset
}

/// An address that stands for the `number`th thing without memory of a thread.
pub(crate) fn token(thread: u32, number: u32) -> usize {
    region(thread) + TOKENS + number as usize % (1 << 17) * 8
}

/// Where a thread's variables are.
pub(crate) fn locals(thread: u32) -> usize {
    region(thread) + LOCALS
}

/// The heap of a thread: first address and the one behind the last.
pub(crate) fn heap(thread: u32) -> (usize, usize) {
    let start = region(thread);
    (start + HEAP + stagger(thread), start + REGION)
}
