//! Accesses to volatile variables. To the language they are plain ones; on demand (`--volatile relaxed`) they are relaxed
//! atomic operations, as kernels, and libraries from before C11, mean them.
//!
//! Instrumented code says that it is about to access memory, and then does so itself. So a value that is read is put there
//! before; a value that is written is fetched from there later, before anything else happens that others could notice:
//! every stub sees to that, and so does whatever calls the program.

use crate::calls::abi::{plain_or_split, read_memory, write_memory};
use crate::calls::atomic::Atomic;
use crate::machine::{Machine, machine};
use crate::memory::shadow::Touch;
use crate::memory::address_space::{self, Part};
use quotient_runtime::native::{self, Order};

macro_rules! accesses {
    ($($read:ident $write:ident $size:literal),*) => {
        $(
            pub(crate) extern "C" fn $read(address: usize) {
                read(address, $size);
            }
            pub(crate) extern "C" fn $write(address: usize) {
                write(address, $size);
            }
        )*
    };
}

accesses!(read1 write1 1, read2 write2 2, read4 write4 4, read8 write8 8, read16 write16 16);

/// Whether an access is an atomic operation. The thread's own stack is not for others.
fn is_atomic(address: usize, size: usize) -> bool {
    let machine = machine();
    machine.relaxed_volatile.get()
        && machine.running.get()
        && address.is_multiple_of(size)
        && size <= 8
        && !is_on_own_stack(machine, address)
}

fn is_on_own_stack(machine: &Machine, address: usize) -> bool {
    address_space::part_of(address) == Some((machine.here.get().thread, Part::Stack))
}

fn read(address: usize, size: usize) {
    if !is_atomic(address, size) {
        plain_or_split(address, size, Touch::VolatileRead);
        return wait_in_vain(address);
    }
    let atomic = Atomic::called(address, size);
    let value = atomic.load(Order::Relaxed);
    // SAFETY: the memory exists, or the operation would have been refused. What cannot be written has not changed.
    if unsafe { read_memory(address, size) } != value {
        atomic.write(value);
    }
}

fn write(address: usize, size: usize) {
    if !is_atomic(address, size) {
        machine().busy.take();
        return plain_or_split(address, size, Touch::VolatileWrite);
    }
    let atomic = Atomic::called(address, size);
    atomic.check(Touch::AtomicWrite);
    let machine = machine();
    // SAFETY: the memory exists, as has been checked; the program has called, so it has been attached.
    unsafe {
        machine.pending.set(Some((atomic, read_memory(address, size))));
        (*machine.shared.get()).pending = 1;
    }
}

/// The write that has happened becomes an event.
pub(crate) extern "C" fn flush() {
    let machine = machine();
    let Some((atomic, old)) = machine.pending.take() else { return };
    let Atomic { address, size, .. } = atomic;
    // SAFETY: as above. The event finds memory as it was before.
    let value = unsafe {
        (*machine.shared.get()).pending = 0;
        let value = read_memory(address, size);
        write_memory(address, size, old);
        value
    };
    let frame = machine.frame();
    Atomic { frame, ..atomic }.store_checked(value);
}

/// An execution has ended.
pub(crate) fn forget(machine: &Machine) {
    machine.pending.set(None);
    // SAFETY: if the program has been attached, it does not run now.
    if let Some(shared) = unsafe { machine.shared.get().as_mut() } {
        shared.pending = 0;
    }
}

/// So many reads of a volatile variable in a row are a loop that waits for another thread.
const BUSY: u32 = 10_000;

/// A thread that waits for a volatile variable goes no further, so that others can show that they race with it.
fn wait_in_vain(address: usize) {
    let machine = machine();
    if is_on_own_stack(machine, address) {
        return;
    }
    let (pc, here) = (machine.last_pc.get(), machine.here.get());
    let (who, place, count) = machine.busy.get();
    let count = if (who, place) == (here, pc) { count + 1 } else { 0 };
    machine.busy.set((here, pc, count));
    if count > BUSY && machine.running.get() && !native::is_supposing() {
        machine.note_cut("a loop that waits for a volatile variable was cut off: `volatile` is not atomic", None);
        machine.note_waits(machine.frame());
        native::block(machine.site(pc), machine.frame());
    }
}
