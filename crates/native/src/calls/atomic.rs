//! Atomic operations of every size but 16 bytes (see `wide`), which become events of the execution graph.

use crate::calls::abi::{check_stack_above, fail, foreign, note, read_memory, read_value, write_value};
use crate::calls::threads::Helping;
use crate::calls::atomic128;
use crate::machine::{Machine, Point, ProgramError, machine, violate};
use crate::memory::shadow::{Cell, Fault, Touch, mask_of};
use crate::memory::unwritten;
use crate::memory::address_space::{self, Part};
use quotient_runtime::ViolationKind;
use quotient_runtime::native::{self, LocationId, Operation, Order, Replayed, Rmw, Update, When};

/// The memory order with a number of the ABI.
pub(crate) fn order(number: i32) -> Order {
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
pub(crate) struct Atomic {
    pub address: usize,
    pub size: usize,
    pub pc: usize,
    pub frame: usize,
}

impl Atomic {
    /// The operation that has just been called.
    #[inline]
    pub(crate) fn called(address: usize, size: usize) -> Self {
        let machine = machine();
        let (pc, frame) = (machine.pc(), machine.frame());
        machine.last_pc.set(pc);
        Atomic { address, size, pc, frame }
    }

    /// Performs it; its location need not be set.
    #[inline(always)]
    pub(crate) fn perform(&self, touch: Touch, operation: Operation) -> (u64, bool) {
        match self.replay(touch, &operation) {
            Some(result) => result,
            None => self.perform_anew(touch, operation),
        }
    }

    /// Performs it, whatever is to be done for that.
    #[inline(never)]
    fn perform_anew(&self, touch: Touch, operation: Operation) -> (u64, bool) {
        if !machine().running.get() {
            return self.perform_early(operation);
        }
        self.check(touch);
        self.perform_checked(touch, operation)
    }

    /// Performs it in a constructor, where nobody else is there.
    fn perform_early(&self, operation: Operation) -> (u64, bool) {
        // SAFETY: before `main`, accesses are not checked; a wild one is a crash as in any program.
        let old = unsafe { read_memory(self.address, self.size) };
        let Operation::Read { update, when, .. } = operation else { return (old, true) };
        if !when.holds(old) {
            let message = "a constructor waits for another thread, and there is none".to_owned();
            violate(ProgramError::Deadlock, message, self.pc);
        }
        let happens = !matches!(update, Update::Exchange { expected, .. } if expected != old);
        (old, happens)
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
        check_stack_above(machine, self.frame, (address, size), touch, pc);
        let location = match cell.location_of(address, size) {
            Some(location) => location,
            None if cell.is_new() => self.locate_next(machine)?,
            None => return None,
        };
        let site = machine.site(pc);
        let Replayed { value, happened, position } = native::replay(location, &operation.asked(), site)?;
        let Point { thread, .. } = machine.here.get();
        machine.here.set(Point { thread, position });
        // That the bytes exist has been seen.
        if !cell.cannot_race(thread) {
            self.look_at(machine, cell, touch, happened);
        }
        Some((value, happened))
    }

    /// The location of memory that has none yet in this execution, if it has one in the graph.
    #[inline(never)]
    fn locate_next(&self, machine: &Machine) -> Option<LocationId> {
        // SAFETY: the memory exists, as has been checked.
        let init = unsafe { read_memory(self.address, self.size) };
        let location = native::locate_next(init, machine.heap.borrow().origin_of(self.address))?;
        machine.bind(self.address, self.size, location);
        Some(location)
    }

    fn perform_checked(&self, touch: Touch, mut operation: Operation) -> (u64, bool) {
        let Atomic { address, size, pc, frame } = *self;
        let machine_now = machine();
        machine_now.note_waits(frame);
        let site = machine_now.site(pc);
        if machine_now.is_noting() {
            machine_now.note_atomic(address, size, operation, pc);
        }
        if machine_now.unroll.borrow().is_beyond(machine_now.here.get().thread) && !native::is_supposing() {
            machine_now.note_cut("some executions were cut off at the limit on loops (--unroll)", None);
            native::block(site, frame);
        }
        let mut overtaken = false;
        let result = native::perform(site, frame, |explorer, thread| {
            let machine = machine();
            let known = machine.location_at(address, size).ok().flatten();
            // While the thread waited for its turn, a plain write may have taken the place of the location: they race.
            let replaced = || native::location_known(explorer, thread).filter(|&it| machine.address_of(it) == address);
            let location = match known.or_else(|| replaced().inspect(|_| overtaken = true)) {
                Some(location) => location,
                None => {
                    // SAFETY: the memory exists, as has been checked.
                    let init = unsafe { read_value(machine, address, size) };
                    let location = native::locate(explorer, thread, init);
                    explorer.set_origin(location, machine.heap.borrow().origin_of(address));
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
        if overtaken {
            let message = "the program is not deterministic: memory is accessed that was written differently before";
            native::violate(ViolationKind::Nondeterminism, message.to_owned(), Some(site));
        }
        result
    }

    /// Whether the memory exists and is not used with another size.
    pub(crate) fn check(&self, touch: Touch) {
        let Atomic { address, size, pc, .. } = *self;
        let machine = machine();
        if !address.is_multiple_of(size) {
            let what = machine.describe_memory(address);
            let message = format!("an atomic operation on {size} bytes of {what}, which are not aligned");
            violate(ProgramError::Misuse, message, pc);
        }
        for (address, size) in self.parts() {
            let Some(cell) = machine.cell(address) else { return foreign(address, size, touch, pc) };
            let mask = mask_of(address, size);
            if cell.valid.get() & mask != mask {
                fail(Fault::Outside, address, size, touch, pc);
            }
            if cell.written.get() & mask != mask && touch == Touch::AtomicRead && unwritten::looks_new(address, size) {
                unwritten::read(cell, address, size, pc);
            }
            cell.note_written(mask);
        }
        if machine.location_at(address, size).is_err() {
            if matches!(address_space::part_of(address), Some((_, Part::Stack))) {
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
            violate(ProgramError::MixedSize, message, pc);
        }
        // Others may have run since the program has called.
        check_stack_above(machine, self.frame, (address, size), touch, pc);
    }

    /// The parts that lie within 8 bytes.
    fn parts(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let size = self.size.min(8);
        [(self.address, size), (self.address + 8, size)].into_iter().take(if self.size > 8 { 2 } else { 1 })
    }

    /// Finds plain accesses that race with it, now that it is an event.
    #[inline]
    fn look_at(&self, machine: &Machine, cell: &Cell, touch: Touch, happened: bool) {
        let Atomic { address, size, pc, .. } = *self;
        // An exchange that fails is only a read.
        let touch = if touch == Touch::AtomicExchange && !happened { Touch::AtomicRead } else { touch };
        if let Err(fault) = machine.touch_atomic(cell, address, size, touch, pc) {
            // It may have been freed while the thread waited.
            fail(fault, address, size, touch, pc);
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self, mode: Order) -> u64 {
        self.wait(When::Always, mode)
    }

    /// A relaxed store for which it has been checked that the memory exists.
    pub(crate) fn store_checked(&self, value: u64) {
        let operation = Operation::Write { location: 0, order: Order::Relaxed, value, frees: false };
        self.perform_checked(Touch::AtomicWrite, operation);
        self.write(value);
    }

    #[inline(always)]
    pub(crate) fn store(&self, value: u64, order: Order) {
        self.perform(Touch::AtomicWrite, Operation::Write { location: 0, order, value, frees: false });
        self.write(value);
    }

    #[inline(always)]
    pub(crate) fn update(&self, op: Rmw, operand: u64, when: When, order: Order) -> u64 {
        let bits = (self.size.min(8) * 8) as u8;
        let orders = (order, if when == When::Always { order } else { Order::Relaxed });
        let update = Update::Fetch { op, operand, bits };
        let (old, _) =
            self.perform(Touch::AtomicWrite, Operation::Read { location: 0, orders, update, when, weak: false });
        self.write(op.apply(old, operand, bits));
        old
    }

    #[inline(always)]
    pub(crate) fn exchange(&self, expected: u64, new: u64, success: Order, failure: Order, weak: bool) -> (u64, bool) {
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
    pub(crate) fn wait(&self, when: When, order: Order) -> u64 {
        let (orders, update) = ((order, order), Update::Load);
        self.perform(Touch::AtomicRead, Operation::Read { location: 0, orders, update, when, weak: false }).0
    }

    #[inline(always)]
    pub(crate) fn write(&self, value: u64) {
        if address_space::part_of(self.address).is_none_or(|(_, part)| part != Part::Token) {
            // SAFETY: the memory exists, as has been checked.
            unsafe { write_value(machine(), self.address, self.size, value) };
        }
    }
}

/// Compare and exchange, which may be one that helps another thread or is left to helpers.
pub(crate) fn compare_exchange(
    atomic: &Atomic,
    expected: u64,
    new: u64,
    orders: (i32, i32),
    weak: bool,
) -> (u64, bool) {
    let (success, failure) = (order(orders.0), order(orders.1));
    let helping = machine().threads.borrow_mut().take_helping(machine().here.get().thread);
    if helping == Helping::No {
        return atomic.exchange(expected, new, success, failure, weak);
    }
    let site = machine().site(atomic.pc);
    machine().note_waits(atomic.frame);
    let operation = crate::calls::threads::operation_number(atomic.address, expected as usize, new as usize);
    if helping == Helping::Helps {
        native::perform_bare(site, atomic.frame, Operation::Help(operation));
        machine().refresh();
        return (expected, true);
    }
    native::primary_operation(site, atomic.frame, operation);
    let result = atomic.exchange(expected, new, success, failure, false);
    native::end_primary_operation();
    result
}

macro_rules! atomics {
    ($module:ident, $type:ty, $size:literal) => {
        pub(crate) mod $module {
            use super::*;

            pub(crate) extern "C" fn load(address: *mut $type, mode: i32) -> $type {
                if !machine().running.get() {
                    // SAFETY: constructors run before the threads do.
                    return unsafe { *address };
                }
                Atomic::called(address as usize, $size).load(order(mode)) as $type
            }

            pub(crate) extern "C" fn store(address: *mut $type, value: $type, mode: i32) {
                if !machine().running.get() {
                    // SAFETY: constructors run before the threads do.
                    return unsafe { *address = value };
                }
                Atomic::called(address as usize, $size).store(value as u64, order(mode));
            }

            fn fetch(address: *mut $type, op: Rmw, value: $type, mode: i32) -> $type {
                if !machine().running.get() {
                    // SAFETY: constructors run before the threads do.
                    return unsafe {
                        let old = *address;
                        *address = op.apply(old as u64, value as u64, $size * 8) as $type;
                        old
                    };
                }
                Atomic::called(address as usize, $size).update(op, value as u64, When::Always, order(mode)) as $type
            }

            pub(crate) extern "C" fn exchange(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Swap, value, mode)
            }
            pub(crate) extern "C" fn fetch_add(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Add, value, mode)
            }
            pub(crate) extern "C" fn fetch_sub(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Sub, value, mode)
            }
            pub(crate) extern "C" fn fetch_and(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::And, value, mode)
            }
            pub(crate) extern "C" fn fetch_or(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Or, value, mode)
            }
            pub(crate) extern "C" fn fetch_xor(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Xor, value, mode)
            }
            pub(crate) extern "C" fn fetch_nand(address: *mut $type, value: $type, mode: i32) -> $type {
                fetch(address, Rmw::Nand, value, mode)
            }

            fn exchange_if(
                address: *mut $type,
                expected: $type,
                new: $type,
                orders: (i32, i32),
                weak: bool,
            ) -> ($type, bool) {
                if !machine().running.get() {
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

            pub(crate) extern "C" fn strong(
                address: *mut $type,
                expected: *mut $type,
                new: $type,
                yes: i32,
                no: i32,
            ) -> i32 {
                exchange_at(address, expected, new, (yes, no), false)
            }
            pub(crate) extern "C" fn weak(
                address: *mut $type,
                expected: *mut $type,
                new: $type,
                yes: i32,
                no: i32,
            ) -> i32 {
                exchange_at(address, expected, new, (yes, no), true)
            }
            pub(crate) extern "C" fn value(
                address: *mut $type,
                expected: $type,
                new: $type,
                yes: i32,
                no: i32,
            ) -> $type {
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
pub(crate) extern "C" fn weak_exchange(
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
            _ => atomic128::weak(object as _, expected as _, *(wanted as *const u128), success, failure),
        }
    }
}

pub(crate) extern "C" fn thread_fence(mode: i32) {
    if !machine().running.get() {
        return;
    }
    let (pc, frame) = (machine().pc(), machine().frame());
    let site = machine().site(pc);
    let order = order(mode);
    if order != Order::Relaxed {
        machine().note_operation(Operation::Fence(order), pc);
        machine().note_waits(frame);
        native::perform_bare(site, frame, Operation::Fence(order));
        machine().refresh();
    }
}
