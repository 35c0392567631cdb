//! The functions that instrumented code calls: every access to memory, plain or atomic, of every size.

use crate::heap::is_untouched;
use crate::machine::{Machine, Mistake, Point, machine, violate};
use crate::maps;
use crate::shadow::{Cell, Entry, Fault, Touch, mask_of};
use crate::threads::Helping;
use crate::wide;
use crate::world::{self, Part};
use quotient_runtime::graph::Clock;
use quotient_runtime::native::{self, EventId, LocationId, Operation, Order, Replayed, Rmw, Update, When};
use std::ptr;

/// A plain access within 8 bytes.
#[inline(always)]
fn plain(address: usize, size: usize, touch: Touch) {
    let machine = machine();
    if !machine.running {
        return;
    }
    let pc = machine.quick_pc();
    let Some(cell) = machine.cell(address) else {
        return foreign(address, size, touch, pc);
    };
    if let Err(fault) = machine.touch(cell, address, size, touch, pc) {
        fail(fault, address, size, touch, pc);
    }
    let mask = mask_of(address, size);
    if touch.writes() {
        cell.written |= mask;
        if cell.has_location() {
            replace_locations(machine, cell, address, size);
        }
        note(machine, address, size);
    } else {
        if cell.written & mask != mask && is_untouched(address, size) {
            cell.written |= mask;
            uninitialised(address, size, pc);
        }
        if cell.has_location() {
            bring_up_to_date(machine, address, size);
        }
    }
    if machine.likeness.is_noting() {
        machine.note_access(address, size, touch, pc);
    }
    check_stack(machine, address, pc);
}

/// A plain write takes the place of locations.
#[cold]
fn replace_locations(machine: &mut Machine, cell: &mut Cell, address: usize, size: usize) {
    if cell.reaches_beyond(address, size) {
        bring_up_to_date(machine, address, size);
        machine.keep_atomic(cell, address);
    }
    machine.unbind(cell, address, size);
}

/// Notes what is in memory that is about to be written, if that matters.
#[inline]
pub fn note(machine: &mut Machine, address: usize, size: usize) {
    if let Some(journal) = &mut machine.journal {
        // SAFETY: the memory exists, or the access would have been refused.
        journal.push((address, size as u8, unsafe { read_memory(address, size) }));
    }
}

/// A plain read of memory that is also accessed by atomic operations: puts the newest value that the thread knows of
/// there, which is the only one that it can read without a race.
#[cold]
fn bring_up_to_date(machine: &mut Machine, address: usize, size: usize) {
    if let Ok(Some(location)) = machine.location_at(address & !15, 16) {
        let value = newest(machine, location);
        // SAFETY: the memory is a location of the program, so it exists.
        return unsafe { write_value(machine, address & !15, 16, value) };
    }
    let (start, width) = match machine.location_at(address, size) {
        Ok(Some(_)) => (address, size),
        // Part of a location, or more than one: all of those in the 8 bytes.
        _ => (address & !7, 0),
    };
    let candidates = if width != 0 {
        vec![(start, width)]
    } else {
        (0..8).flat_map(|o| [1, 2, 4, 8].map(|w| (start + o, w))).collect()
    };
    for (start, width) in candidates {
        if start & 7 > 8 - width {
            continue;
        }
        if let Ok(Some(location)) = machine.location_at(start, width) {
            let value = newest(machine, location);
            // SAFETY: the memory is a location of the program, so it exists.
            unsafe { write_memory(start, width, value) };
        }
    }
}

/// The value of the last write to a location, in coherence order, that happens before now.
fn newest(machine: &Machine, location: LocationId) -> u64 {
    let here = machine.here;
    native::look(|explorer, _| {
        let graph = explorer.graph();
        let last = EventId::new(here.thread, here.position.saturating_sub(1));
        let known = |write: &&EventId| graph.covers(last, Clock::Before, **write);
        let write = graph.location(location).writes.iter().rev().find(known);
        write.map_or(graph.location(location).init, |&write| graph.value_of(write, location))
    })
}

/// An access to memory that is not the program's: of the C library, or nobody's.
#[cold]
fn foreign(address: usize, size: usize, touch: Touch, pc: usize) {
    if !maps::is_mapped(address, size, touch.writes()) {
        fail(Fault::Outside, address, size, touch, pc);
    }
}

/// An access to a stack must be to a part that is in use.
#[inline]
fn check_stack(machine: &Machine, address: usize, pc: usize) {
    let offset = address.wrapping_sub(world::WORLD);
    if offset >= world::SIZE || offset % world::REGION >= world::STACK {
        return;
    }
    let owner = (offset / world::REGION) as u32;
    let here = machine.here.thread;
    // SAFETY: the program has called, so it has been attached.
    let top = if owner == here { unsafe { (*machine.shared).sp } } else { machine.threads.top(owner) };
    if address < top {
        dead_stack(here, owner, top == usize::MAX, pc);
    }
}

#[cold]
fn dead_stack(here: u32, owner: u32, has_ended: bool, pc: usize) -> ! {
    let message = if has_ended {
        format!("thread {here} accesses the stack of thread {owner}, which has ended")
    } else {
        format!("thread {here} accesses a local variable of a function that has returned")
    };
    violate(Mistake::DeadStack, message, pc)
}

#[cold]
fn uninitialised(address: usize, size: usize, pc: usize) -> ! {
    let machine = machine();
    let what = machine.describe_memory(address);
    let message = format!("thread {} reads {size} bytes of {what} that nobody has written", machine.here.thread);
    violate(Mistake::Uninitialised, message, pc)
}

/// What an access has done wrong.
#[cold]
pub fn fail(fault: Fault, address: usize, size: usize, touch: Touch, pc: usize) -> ! {
    match fault {
        Fault::Race(other) => race(other, touch, address, pc),
        Fault::Outside => outside(address, size, touch, pc),
    }
}

#[cold]
fn outside(address: usize, size: usize, touch: Touch, pc: usize) -> ! {
    let machine = machine();
    let verb = if touch.writes() { "writes" } else { "reads" };
    let thread = machine.here.thread;
    let (mistake, message) = match world::part_of(address) {
        _ if address < 4096 => {
            let message = format!("thread {thread} {verb} {size} bytes through a null pointer (address {address:#x})");
            (Mistake::NullPointer, message)
        }
        Some((owner, Part::Heap)) => match machine.heap.block(owner, address).copied() {
            Some(block) if address < block.start + block.size.max(1) && block.freed.is_some() => {
                let (freed, by) = block.freed.unwrap_or_default();
                let message = format!(
                    "use after free: thread {thread} {verb} {size} bytes of a block that was freed at {} by thread {by}, \
                     and allocated at {}",
                    machine.describe(freed),
                    machine.describe(block.pc)
                );
                (Mistake::UseAfterFree, message)
            }
            Some(block) => (
                Mistake::OutOfBounds,
                format!(
                    "out of bounds: thread {thread} {verb} {size} bytes, {} bytes behind the beginning of a block of {} bytes \
                 that was allocated at {}",
                    address - block.start,
                    block.size,
                    machine.describe(block.pc)
                ),
            ),
            None => {
                let message = format!("thread {thread} {verb} {size} bytes of memory that was not allocated");
                (Mistake::WildPointer, format!("{message} (address {address:#x})"))
            }
        },
        _ => {
            let message = format!("thread {thread} {verb} {size} bytes through a wild pointer (address {address:#x})");
            (Mistake::WildPointer, message)
        }
    };
    violate(mistake, message, pc)
}

/// Two accesses race.
#[cold]
pub fn race(earlier: Entry, touch: Touch, address: usize, pc: usize) -> ! {
    let machine = machine();
    let message = format!(
        "data race on {}: {} by thread {} at {}, and {} by thread {} at {}, are not ordered",
        machine.describe_memory(address),
        touch.describe(),
        machine.here.thread,
        machine.describe(pc),
        earlier.touch().describe(),
        earlier.thread,
        machine.describe(earlier.pc),
    );
    let before = Point { thread: u32::from(earlier.thread), position: earlier.position };
    if !native::in_shadow() {
        machine.racing = vec![(machine.here, touch.describe(), pc), (before, earlier.touch().describe(), earlier.pc)];
    }
    let volatile = touch.is_volatile() || earlier.touch().is_volatile();
    let message = if volatile { format!("{message}; `volatile` is not atomic") } else { message };
    violate(Mistake::Race, message, pc)
}

/// A plain access of any size and alignment.
#[inline(never)]
pub fn range(address: usize, size: usize, touch: Touch) {
    let mut at = address;
    while at < address + size {
        let part = (8 - (at & 7)).min(address + size - at);
        plain(at, part, touch);
        at += part;
    }
}

/// The same for what is copied as a whole: padding need not have been written.
fn copied(address: usize, size: usize) {
    let machine = machine();
    if !machine.running {
        return;
    }
    let pc = machine.quick_pc();
    let mut at = address;
    while at < address + size {
        let part = (8 - (at & 7)).min(address + size - at);
        match machine.cell(at) {
            Some(cell) => {
                if let Err(fault) = machine.touch(cell, at, part, Touch::Read, pc) {
                    fail(fault, at, part, Touch::Read, pc);
                }
                if cell.has_location() {
                    bring_up_to_date(machine, at, part);
                }
            }
            None => foreign(at, part, Touch::Read, pc),
        }
        if machine.likeness.is_noting() {
            machine.note_access(at, part, Touch::Read, pc);
        }
        at += part;
    }
}

/// # Safety
/// So many bytes, at most 8, must be readable there.
#[inline]
pub unsafe fn read_memory(address: usize, size: usize) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        match size {
            1 => u64::from(*(address as *const u8)),
            2 => u64::from(ptr::read_unaligned(address as *const u16)),
            4 => u64::from(ptr::read_unaligned(address as *const u32)),
            8 => ptr::read_unaligned(address as *const u64),
            _ => {
                let mut bytes = [0; 8];
                ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size);
                u64::from_le_bytes(bytes)
            }
        }
    }
}

/// # Safety
/// So many bytes, at most 8, must be writable there.
#[inline]
pub unsafe fn write_memory(address: usize, size: usize, value: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match size {
            1 => *(address as *mut u8) = value as u8,
            2 => ptr::write_unaligned(address as *mut u16, value as u16),
            4 => ptr::write_unaligned(address as *mut u32, value as u32),
            8 => ptr::write_unaligned(address as *mut u64, value),
            _ => ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), address as *mut u8, size),
        }
    }
}

/// The value, as the execution graph has it, of memory of up to 16 bytes.
///
/// # Safety
/// So many bytes must be readable there.
unsafe fn read_value(machine: &mut Machine, address: usize, size: usize) -> u64 {
    // SAFETY: as the caller promises; memory of 16 bytes is aligned.
    unsafe { if size == 16 { machine.wide.name(*(address as *const u128)) } else { read_memory(address, size) } }
}

/// # Safety
/// So many bytes must be writable there.
unsafe fn write_value(machine: &Machine, address: usize, size: usize, value: u64) {
    if size == 16 {
        // SAFETY: as the caller promises; memory of 16 bytes is aligned.
        unsafe { *(address as *mut u128) = machine.wide.value(value) };
    } else {
        // SAFETY: as the caller promises.
        unsafe { write_memory(address, size, value) };
    }
}

/// The memory order with a number of the ABI.
pub fn order(number: i32) -> Order {
    match number & 0xFF {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// An atomic operation on memory of the program.
#[derive(Clone, Copy)]
pub struct Atomic {
    pub address: usize,
    pub size: usize,
    pub pc: usize,
    pub frame: usize,
}

impl Atomic {
    /// The operation that has just been called.
    #[inline]
    pub fn called(address: usize, size: usize) -> Self {
        let machine = machine();
        let (pc, frame) = (machine.pc(), machine.frame());
        machine.last_pc = pc;
        Atomic { address, size, pc, frame }
    }

    /// Performs it; its location need not be set.
    #[inline(always)]
    pub fn perform(&self, touch: Touch, operation: Operation) -> (u64, bool) {
        match self.replay(touch, &operation) {
            Some(result) => result,
            None => self.perform_anew(touch, operation),
        }
    }

    /// Performs it, whatever is to be done for that.
    #[inline(never)]
    fn perform_anew(&self, touch: Touch, operation: Operation) -> (u64, bool) {
        self.check(touch);
        self.perform_checked(touch, operation)
    }

    /// Performs it if it is in the graph and nothing about its memory is out of the ordinary.
    #[inline(always)]
    fn replay(&self, touch: Touch, operation: &Operation) -> Option<(u64, bool)> {
        let Atomic { address, size, pc, .. } = *self;
        let machine = machine();
        let cell = machine.cell(address)?;
        if size > 8 || !cell.admits(address, size, touch) || machine.looks_closely() {
            return None;
        }
        check_stack(machine, address, pc);
        let location = match cell.location_of(address, size) {
            Some(location) => location,
            None if cell.is_new() => self.locate_next(machine)?,
            None => return None,
        };
        let site = machine.site(pc);
        let Replayed { value, happened, position } = native::replay(location, &operation.asked(), site)?;
        machine.here.position = position;
        self.look_at(machine, cell, touch, happened);
        Some((value, happened))
    }

    /// The location of memory that has none yet in this execution, if it has one in the graph.
    #[inline(never)]
    fn locate_next(&self, machine: &mut Machine) -> Option<LocationId> {
        // SAFETY: the memory exists, as has been checked.
        let location = native::locate_next(unsafe { read_memory(self.address, self.size) })?;
        machine.bind(self.address, self.size, location);
        Some(location)
    }

    fn perform_checked(&self, touch: Touch, mut operation: Operation) -> (u64, bool) {
        let Atomic { address, size, pc, frame } = *self;
        let machine_now = machine();
        machine_now.threads.note_top(machine_now.here.thread, frame);
        let site = machine_now.site(pc);
        if machine_now.likeness.is_noting() {
            machine_now.note_atomic(address, size, operation, pc);
        }
        if let Some(limit) = machine_now.unroll {
            let visits = machine_now.visits.entry((machine_now.here.thread, pc)).or_default();
            *visits += 1;
            if *visits > limit && !native::in_shadow() {
                machine_now.cut = Some("some executions were cut off at the limit on loops (--unroll)");
                native::block(site, frame);
            }
        }
        let result = native::perform(site, frame, |explorer, thread| {
            let machine = machine();
            let location = match machine.location_at(address, size) {
                Ok(Some(location)) => location,
                _ => {
                    // SAFETY: the memory exists, as has been checked.
                    let init = unsafe { read_value(machine, address, size) };
                    let location = native::locate(explorer, thread, init);
                    machine.bind(address, size, location);
                    location
                }
            };
            operation.set_location(location);
            operation
        });
        let machine = machine();
        machine.refresh();
        for (address, size) in self.parts() {
            if let Some(cell) = machine.cell(address) {
                Atomic { address, size, ..*self }.look_at(machine, cell, touch, result.1);
            }
        }
        result
    }

    /// Whether the memory exists and is not used with another size.
    pub fn check(&self, touch: Touch) {
        let Atomic { address, size, pc, .. } = *self;
        let machine = machine();
        for (address, size) in self.parts() {
            let Some(cell) = machine.cell(address) else { return foreign(address, size, touch, pc) };
            let mask = mask_of(address, size);
            if cell.valid & mask != mask {
                fail(Fault::Outside, address, size, touch, pc);
            }
            if cell.written & mask != mask && is_untouched(address, size) && touch == Touch::AtomicRead {
                uninitialised(address, size, pc);
            }
            cell.written |= mask;
        }
        if machine.location_at(address, size).is_err() {
            if matches!(world::part_of(address), Some((_, Part::Stack))) {
                for (address, size) in self.parts() {
                    if let Some(cell) = machine.cell(address) {
                        machine.keep_atomic(cell, address);
                        machine.unbind(cell, address, size);
                    }
                }
                return;
            }
            let what = machine.describe_memory(address);
            let message = format!(
                "mixed-size atomics: {what} is accessed with {size} bytes here, and with another size elsewhere"
            );
            violate(Mistake::MixedSize, message, pc);
        }
        check_stack(machine, address, pc);
    }

    /// The parts that lie within 8 bytes.
    fn parts(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let size = self.size.min(8);
        [(self.address, size), (self.address + 8, size)].into_iter().take(if self.size > 8 { 2 } else { 1 })
    }

    /// Finds plain accesses that race with it, now that it is an event.
    #[inline]
    fn look_at(&self, machine: &mut Machine, cell: &Cell, touch: Touch, happened: bool) {
        let Atomic { address, size, pc, .. } = *self;
        // An exchange that fails is only a read.
        let touch = if touch == Touch::AtomicExchange && !happened { Touch::AtomicRead } else { touch };
        if let Err(fault) = machine.touch_atomic(cell, address, size, touch, pc) {
            // It may have been freed while the thread waited.
            fail(fault, address, size, touch, pc);
        }
    }

    #[inline(always)]
    pub fn load(&self, mode: Order) -> u64 {
        self.wait(When::Always, mode)
    }

    /// A relaxed store for which it has been checked that the memory exists.
    pub fn store_checked(&self, value: u64) {
        let operation = Operation::Write { location: 0, order: Order::Relaxed, value, frees: false };
        self.perform_checked(Touch::AtomicWrite, operation);
        self.write(value);
    }

    #[inline(always)]
    pub fn store(&self, value: u64, order: Order) {
        self.perform(Touch::AtomicWrite, Operation::Write { location: 0, order, value, frees: false });
        self.write(value);
    }

    #[inline(always)]
    pub fn update(&self, op: Rmw, operand: u64, when: When, order: Order) -> u64 {
        let bits = (self.size.min(8) * 8) as u8;
        let orders = (order, if when == When::Always { order } else { Order::Relaxed });
        let update = Update::Fetch { op, operand, bits };
        let (old, _) =
            self.perform(Touch::AtomicWrite, Operation::Read { location: 0, orders, update, when, weak: false });
        self.write(op.apply(old, operand, bits));
        old
    }

    #[inline(always)]
    pub fn exchange(&self, expected: u64, new: u64, success: Order, failure: Order, weak: bool) -> (u64, bool) {
        let weak = weak && native::look(|explorer, _| explorer.settings().spurious_failures);
        let (orders, update) = ((success, failure), Update::Exchange { expected, new });
        let operation = Operation::Read { location: 0, orders, update, when: When::Always, weak };
        let (old, happened) = self.perform(Touch::AtomicExchange, operation);
        if happened {
            self.write(new);
        }
        (old, happened)
    }

    /// A blocking read.
    #[inline(always)]
    pub fn wait(&self, when: When, order: Order) -> u64 {
        let (orders, update) = ((order, order), Update::Load);
        self.perform(Touch::AtomicRead, Operation::Read { location: 0, orders, update, when, weak: false }).0
    }

    #[inline(always)]
    pub fn write(&self, value: u64) {
        if world::part_of(self.address).is_none_or(|(_, part)| part != Part::Token) {
            // SAFETY: the memory exists, as has been checked.
            unsafe { write_value(machine(), self.address, self.size, value) };
        }
    }
}

/// Compare and exchange, which may be one that helps another thread or is left to helpers.
pub fn compare_exchange(atomic: &Atomic, expected: u64, new: u64, orders: (i32, i32), weak: bool) -> (u64, bool) {
    let (success, failure) = (order(orders.0), order(orders.1));
    let helping = machine().threads.take_helping(machine().here.thread);
    if helping == Helping::No {
        return atomic.exchange(expected, new, success, failure, weak);
    }
    let site = machine().site(atomic.pc);
    let operation = crate::threads::operation_number(atomic.address, expected as usize, new as usize);
    if helping == Helping::Helps {
        native::perform_bare(site, atomic.frame, Operation::Help(operation));
        machine().refresh();
        return (expected, true);
    }
    native::main_operation(site, atomic.frame, operation);
    let result = atomic.exchange(expected, new, success, failure, false);
    native::end_main_operation();
    result
}

macro_rules! plain_accesses {
    ($($read:ident $write:ident $size:literal),*) => {
        $(
            pub extern "C" fn $read(address: usize) {
                plain_or_split(address, $size, Touch::Read);
            }
            pub extern "C" fn $write(address: usize) {
                plain_or_split(address, $size, Touch::Write);
            }
        )*
    };
}

#[inline(always)]
pub fn plain_or_split(address: usize, size: usize, touch: Touch) {
    if (address & 7) + size <= 8 { plain(address, size, touch) } else { range(address, size, touch) }
}

plain_accesses!(read1 write1 1, read2 write2 2, read4 write4 4, read8 write8 8, read16 write16 16);

pub extern "C" fn read_range(address: usize, size: usize) {
    copied(address, size);
}

pub extern "C" fn write_range(address: usize, size: usize) {
    range(address, size, Touch::Write);
}

pub extern "C" fn vptr_update(address: usize, _new: usize) {
    plain_or_split(address, 8, Touch::Write);
}

pub extern "C" fn nothing() {}

pub extern "C" fn host_range(address: usize, size: usize, write: i32) {
    if write != 0 { range(address, size, Touch::Write) } else { copied(address, size) }
}

pub extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    copied(from as usize, size);
    range(to as usize, size, Touch::Write);
    // SAFETY: both ranges exist. If they overlap, that is the program's mistake; a move does no harm.
    unsafe { ptr::copy(from, to, size) };
    to
}

pub extern "C" fn memset(to: *mut u8, byte: i32, size: usize) -> *mut u8 {
    range(to as usize, size, Touch::Write);
    // SAFETY: the range exists.
    unsafe { ptr::write_bytes(to, byte as u8, size) };
    to
}

pub extern "C" fn memcmp(a: *const u8, b: *const u8, size: usize) -> i32 {
    copied(a as usize, size);
    copied(b as usize, size);
    // SAFETY: both ranges exist.
    let (a, b) = unsafe { (std::slice::from_raw_parts(a, size), std::slice::from_raw_parts(b, size)) };
    a.cmp(b) as i32
}

macro_rules! atomics {
    ($module:ident, $type:ty, $size:literal) => {
        pub mod $module {
            use super::*;

            pub extern "C" fn load(address: *mut $type, mode: i32) -> $type {
                if !machine().running {
                    // SAFETY: constructors run before the threads do.
                    return unsafe { *address };
                }
                Atomic::called(address as usize, $size).load(order(mode)) as $type
            }

            pub extern "C" fn store(address: *mut $type, value: $type, mode: i32) {
                if !machine().running {
                    // SAFETY: constructors run before the threads do.
                    return unsafe { *address = value };
                }
                Atomic::called(address as usize, $size).store(value as u64, order(mode));
            }

            fn fetch(address: *mut $type, op: Rmw, value: $type, mode: i32) -> $type {
                if !machine().running {
                    // SAFETY: constructors run before the threads do.
                    return unsafe {
                        let old = *address;
                        *address = op.apply(old as u64, value as u64, $size * 8) as $type;
                        old
                    };
                }
                Atomic::called(address as usize, $size).update(op, value as u64, When::Always, order(mode)) as $type
            }

            pub extern "C" fn exchange(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Swap, value, mode)
            }
            pub extern "C" fn fetch_add(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Add, value, mode)
            }
            pub extern "C" fn fetch_sub(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Sub, value, mode)
            }
            pub extern "C" fn fetch_and(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::And, value, mode)
            }
            pub extern "C" fn fetch_or(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Or, value, mode)
            }
            pub extern "C" fn fetch_xor(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Xor, value, mode)
            }
            pub extern "C" fn fetch_nand(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Nand, value, mode)
            }

            fn exchange_if(
                address: *mut $type,
                expected: $type,
                new: $type,
                orders: (i32, i32),
                weak: bool,
            ) -> ($type, bool) {
                if !machine().running {
                    // SAFETY: constructors run before the threads do.
                    return unsafe {
                        let old = *address;
                        if old == expected {
                            *address = new;
                        }
                        (old, old == expected)
                    };
                }
                let atomic = Atomic::called(address as usize, $size);
                let (old, happened) = compare_exchange(&atomic, expected as u64, new as u64, orders, weak);
                (old as $type, happened)
            }

            fn exchange_at(
                address: *mut $type,
                expected: *mut $type,
                new: $type,
                orders: (i32, i32),
                weak: bool,
            ) -> i32 {
                // SAFETY: the program has given the address of the expected value, which is its own.
                let wanted = unsafe { *expected };
                let (old, happened) = exchange_if(address, wanted, new, orders, weak);
                if !happened {
                    note(machine(), expected as usize, $size);
                    // SAFETY: as above.
                    unsafe { *expected = old };
                }
                happened as i32
            }

            pub extern "C" fn strong(address: *mut $type, expected: *mut $type, new: $type, yes: i32, no: i32) -> i32 {
                exchange_at(address, expected, new, (yes, no), false)
            }
            pub extern "C" fn weak(address: *mut $type, expected: *mut $type, new: $type, yes: i32, no: i32) -> i32 {
                exchange_at(address, expected, new, (yes, no), true)
            }
            pub extern "C" fn value(address: *mut $type, expected: $type, new: $type, yes: i32, no: i32) -> $type {
                exchange_if(address, expected, new, (yes, no), false).0
            }
        }
    };
}

atomics!(atomic8, u8, 1);
atomics!(atomic16, u16, 2);
atomics!(atomic32, u32, 4);
atomics!(atomic64, u64, 8);

/// A weak exchange by the size of what is exchanged.
pub extern "C" fn weak_exchange(
    object: usize,
    expected: usize,
    wanted: usize,
    size: usize,
    success: i32,
    failure: i32,
) -> i32 {
    // SAFETY: the macros that call this give values of the type that has this size.
    unsafe {
        match size {
            1 => atomic8::weak(object as _, expected as _, *(wanted as *const u8), success, failure),
            2 => atomic16::weak(object as _, expected as _, *(wanted as *const u16), success, failure),
            4 => atomic32::weak(object as _, expected as _, *(wanted as *const u32), success, failure),
            8 => atomic64::weak(object as _, expected as _, *(wanted as *const u64), success, failure),
            _ => wide::weak(object as _, expected as _, *(wanted as *const u128), success, failure),
        }
    }
}

pub extern "C" fn thread_fence(mode: i32) {
    if !machine().running {
        return;
    }
    let (pc, frame) = (machine().pc(), machine().frame());
    let site = machine().site(pc);
    let order = order(mode);
    if order != Order::Relaxed {
        machine().note_operation(Operation::Fence(order), pc);
        native::perform_bare(site, frame, Operation::Fence(order));
        machine().refresh();
    }
}
