//! What a thread finds when it starts, and where it leaves its result: one piece of memory, which belongs to the thread
//! and to those who may ask for the result.

use std::alloc::Layout;
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::{internal, ops};

#[repr(C)]
struct Packet<T, F> {
    front: Front<T>,
    /// Until the thread starts.
    body: UnsafeCell<Option<F>>,
}

/// What those know of a packet who wait for the thread.
#[repr(C)]
struct Front<T> {
    header: Header,
    result: UnsafeCell<Option<T>>,
}

struct Header {
    owners: AtomicUsize,
    joined: AtomicBool,
    /// What the thread has said when it panicked.
    panic: UnsafeCell<Option<Payload>>,
    /// Drops the packet and frees its memory.
    remove: unsafe fn(NonNull<Header>),
}

/// What a panic has said.
pub(super) type Payload = Box<dyn Any + Send>;

/// An owner of a packet.
pub(super) struct Delivery {
    packet: NonNull<Header>,
}

// SAFETY: owners look at atomics only, and the last of them drops the packet. Body and result are `Send`, see `pack`.
unsafe impl Send for Delivery {}
// SAFETY: as above.
unsafe impl Sync for Delivery {}

impl Delivery {
    /// Whether somebody has waited for the thread.
    pub(super) fn is_joined(&self) -> bool {
        self.header().joined.load(Ordering::Relaxed)
    }

    /// Takes what the thread has said when it panicked, if it has.
    pub(super) fn take_panic(&self) -> Option<Payload> {
        // SAFETY: all threads of an execution run on one OS thread, and no reference to this is kept.
        unsafe { (*self.header().panic.get()).take() }
    }

    fn header(&self) -> &Header {
        // SAFETY: the packet is there as long as it has owners.
        unsafe { self.packet.as_ref() }
    }
}

impl Clone for Delivery {
    fn clone(&self) -> Self {
        self.header().owners.fetch_add(1, Ordering::Relaxed);
        Delivery { packet: self.packet }
    }
}

impl Drop for Delivery {
    #[inline]
    fn drop(&mut self) {
        let header = self.header();
        // Who is alone need not count.
        if header.owners.load(Ordering::Acquire) == 1 || header.owners.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: this was the last owner.
            unsafe { (header.remove)(self.packet) };
        }
    }
}

/// An owner of a packet who may ask for the result.
pub(super) struct Outcome<T> {
    delivery: Delivery,
    result: PhantomData<UnsafeCell<Option<T>>>,
}

// SAFETY: the result is put there by the thread, and taken by whoever has waited for its end. All threads of an execution
// run on one OS thread, and no reference to the result is kept.
unsafe impl<T: Send> Sync for Outcome<T> {}

impl<T> Outcome<T> {
    pub(super) fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// Takes the result, if there is one. The caller has waited for the thread, or its execution is over.
    #[inline]
    pub(super) fn collect(&self) -> Option<T> {
        self.delivery.header().joined.store(true, Ordering::Relaxed);
        // SAFETY: the packet begins with its front, and the result is of this type. Nobody else looks at it now.
        unsafe { (*self.delivery.packet.cast::<Front<T>>().as_ref().result.get()).take() }
    }
}

/// Makes a packet: what a thread does, and the way to its result.
///
/// # Safety
/// What the body and its result borrow must outlive the thread, and the result its owners.
#[inline]
pub(super) unsafe fn pack<T: Send, F: FnOnce() -> T + Send>(body: F) -> (ops::Body, Outcome<T>) {
    let header = Header {
        owners: AtomicUsize::new(2),
        joined: AtomicBool::new(false),
        panic: UnsafeCell::new(None),
        remove: Packet::<T, F>::remove,
    };
    let front = Front { header, result: UnsafeCell::new(None) };
    let packet = take_memory(Layout::new::<Packet<T, F>>()).cast::<Packet<T, F>>();
    // SAFETY: the memory is new, and made for a packet.
    unsafe { packet.write(Packet { front, body: UnsafeCell::new(Some(body)) }) };
    // SAFETY: one of the two owners is the body; its functions are those of the packet.
    let body = unsafe { ops::Body::task(packet.cast(), Packet::<T, F>::TASK) };
    (body, Outcome { delivery: Delivery { packet: packet.cast() }, result: PhantomData })
}

impl<T, F: FnOnce() -> T> Packet<T, F> {
    const TASK: &'static ops::Task = &ops::Task { run: Self::run, discard: Self::discard };

    /// Does what the thread does.
    ///
    /// # Safety
    /// This is a packet of this type, and the caller one of its owners, who ceases to be one.
    unsafe fn run(packet: NonNull<()>) {
        let owner = Delivery { packet: packet.cast() };
        // SAFETY: the caller's promise.
        let packet = unsafe { packet.cast::<Self>().as_ref() };
        // SAFETY: nobody else looks at the body.
        if let Some(body) = unsafe { (*packet.body.get()).take() } {
            match ops::catch_end(body) {
                Ok(result) => packet.leave(packet.front.result.get(), result),
                Err(panic) => packet.leave(packet.front.header.panic.get(), panic),
            }
        }
        drop(owner);
    }

    /// Puts something where others find it when the thread has ended. As long as somebody may look for it, that is part of what
    /// the thread is like at its end.
    fn leave<R>(&self, place: *mut Option<R>, what: R) {
        let counts = size_of::<R>() > 0 && self.front.header.owners.load(Ordering::Relaxed) > 1;
        // SAFETY: the place is in this packet; nobody else looks there while the thread runs, and nothing is there that could
        // be dropped. Bytes that are no part of the value are the same in all runs.
        unsafe {
            if counts {
                place.cast::<u8>().write_bytes(0, size_of::<Option<R>>());
            }
            place.write(Some(what));
            if counts {
                ops::note_result(place.cast(), size_of::<Option<R>>());
            }
        }
    }

    /// Drops what the thread would have used.
    ///
    /// # Safety
    /// As for `run`.
    unsafe fn discard(packet: NonNull<()>) {
        let owner = Delivery { packet: packet.cast() };
        // SAFETY: the caller's promise; nobody else looks at the body.
        drop(unsafe { (*packet.cast::<Self>().as_ref().body.get()).take() });
        drop(owner);
    }

    /// Drops a packet and frees its memory.
    ///
    /// # Safety
    /// This is a packet of this type that has no owner any more.
    unsafe fn remove(packet: NonNull<Header>) {
        let packet = packet.cast::<Self>();
        // SAFETY: the caller's promise; the memory was taken with this layout.
        unsafe {
            packet.drop_in_place();
            give_memory(packet.cast(), Layout::new::<Self>());
        }
    }
}

/// Memory for packets is kept, by size: all have the same few, and each execution needs as many as the one before. What an
/// OS thread has kept is lost when it ends; but workers are few, and kept as well.
const SIZES: usize = 8;
const STEP: usize = 64;

/// Memory that is not in use.
struct Unused {
    next: *mut Unused,
}

std::thread_local! {
    static UNUSED: [Cell<*mut Unused>; SIZES] = const { [const { Cell::new(ptr::null_mut()) }; SIZES] };
}

/// Which of the kept sizes is right, and its layout.
#[inline]
const fn kept(layout: Layout) -> Option<(usize, Layout)> {
    let index = layout.size().saturating_sub(1) / STEP;
    if index >= SIZES || layout.align() > STEP {
        return None;
    }
    match Layout::from_size_align((index + 1) * STEP, STEP) {
        Ok(layout) => Some((index, layout)),
        Err(_) => None,
    }
}

#[inline]
fn take_memory(layout: Layout) -> NonNull<u8> {
    let Some((index, layout)) = kept(layout) else { return internal::allocate(layout) };
    let unused = UNUSED.with(|unused| unused[index].get());
    match NonNull::new(unused) {
        Some(first) => {
            // SAFETY: it is unused memory of this OS thread.
            let next = unsafe { first.as_ref().next };
            UNUSED.with(|unused| unused[index].set(next));
            first.cast()
        }
        None => internal::allocate(layout),
    }
}

/// Gives memory back.
///
/// # Safety
/// It came from `take_memory` with this layout, and nobody uses it any more.
#[inline]
unsafe fn give_memory(memory: NonNull<u8>, layout: Layout) {
    match kept(layout) {
        Some((index, _)) if ops::checking() => UNUSED.with(|unused| {
            let first = memory.cast::<Unused>();
            // SAFETY: nobody uses the memory, and it is large enough.
            unsafe { first.write(Unused { next: unused[index].get() }) };
            unused[index].set(first.as_ptr());
        }),
        // SAFETY: the memory came from `allocate`, with this layout.
        Some((_, layout)) => unsafe { internal::free(memory, layout) },
        // SAFETY: as above.
        None => unsafe { internal::free(memory, layout) },
    }
}
