//! Atomic operations on 16 bytes, such as a pointer with a counter, and those that compilers leave to a library.
//!
//! The execution graph has values of 8 bytes, and asks of them only whether they are equal. So a value of 16 bytes is
//! given a name of 8, which is the same in all executions. Arithmetic needs the value itself: it is a read, and an
//! exchange that must find the same; executions in which something came between the two are given up, since there is
//! another one for each in which nothing did.

use crate::calls::abi::note;
use crate::calls::atomic::{self, Atomic, compare_exchange, order};
use crate::machine::{ProgramError, machine, violate};
use quotient_runtime::native::{self, Order, Rmw, When};
use rapidhash::fast::RandomState;
use std::collections::HashMap;

/// Values of 16 bytes and their names.
#[derive(Default)]
pub(crate) struct Wide {
    values: Vec<u128>,
    names: HashMap<u128, u64, RandomState>,
}

/// Smaller values are their own names; the others have names from here on.
const FIRST: u64 = 1 << 63;

impl Wide {
    /// The name of a value.
    pub(crate) fn name(&mut self, value: u128) -> u64 {
        if value < u128::from(FIRST) {
            return value as u64;
        }
        *self.names.entry(value).or_insert_with(|| {
            self.values.push(value);
            FIRST + self.values.len() as u64 - 1
        })
    }

    /// The value that a number is the name of, if it is not its own.
    pub(crate) fn named(&self, name: u64) -> Option<u128> {
        self.values.get(name.checked_sub(FIRST)? as usize).copied()
    }

    /// The value that has a name.
    pub(crate) fn value(&self, name: u64) -> u128 {
        if name < FIRST { u128::from(name) } else { self.values[(name - FIRST) as usize] }
    }
}

fn name(value: u128) -> u64 {
    machine().wide.borrow_mut().name(value)
}

fn value_of(name: u64) -> u128 {
    machine().wide.borrow().value(name)
}

/// The operation that has just been called.
fn called(address: *mut u128) -> Atomic {
    if !address.is_aligned() {
        let pc = machine().pc();
        let message =
            format!("an atomic operation on 16 bytes at an address that is not a multiple of 16: {address:p}");
        violate(ProgramError::Misuse, message, pc);
    }
    Atomic::called(address as usize, 16)
}

pub(crate) extern "C" fn load(address: *mut u128, mode: i32) -> u128 {
    if !machine().running.get() {
        // SAFETY: constructors run before the threads do.
        return unsafe { address.read_unaligned() };
    }
    value_of(called(address).load(order(mode)))
}

pub(crate) extern "C" fn store(address: *mut u128, value: u128, mode: i32) {
    if !machine().running.get() {
        // SAFETY: constructors run before the threads do.
        return unsafe { address.write_unaligned(value) };
    }
    called(address).store(name(value), order(mode));
}

pub(crate) extern "C" fn exchange(address: *mut u128, value: u128, mode: i32) -> u128 {
    if !machine().running.get() {
        // SAFETY: constructors run before the threads do.
        return unsafe { address.replace(value) };
    }
    value_of(called(address).update(Rmw::Swap, name(value), When::Always, order(mode)))
}

fn fetch(address: *mut u128, mode: i32, apply: impl Fn(u128) -> u128) -> u128 {
    if !machine().running.get() {
        // SAFETY: constructors run before the threads do.
        return unsafe { address.replace(apply(*address)) };
    }
    let atomic = called(address);
    // The read has a place of its own, in the same line: it is not the exchange again.
    let read = Atomic { pc: atomic.pc - 1, ..atomic };
    let old = read.load(Order::Relaxed);
    let new = name(apply(value_of(old)));
    if !atomic.exchange(old, new, order(mode), Order::Relaxed, false).1 {
        native::block(machine().site(atomic.pc), atomic.frame);
    }
    value_of(old)
}

pub(crate) extern "C" fn fetch_add(address: *mut u128, value: u128, mode: i32) -> u128 {
    fetch(address, mode, |old| old.wrapping_add(value))
}
pub(crate) extern "C" fn fetch_sub(address: *mut u128, value: u128, mode: i32) -> u128 {
    fetch(address, mode, |old| old.wrapping_sub(value))
}
pub(crate) extern "C" fn fetch_and(address: *mut u128, value: u128, mode: i32) -> u128 {
    fetch(address, mode, |old| old & value)
}
pub(crate) extern "C" fn fetch_or(address: *mut u128, value: u128, mode: i32) -> u128 {
    fetch(address, mode, |old| old | value)
}
pub(crate) extern "C" fn fetch_xor(address: *mut u128, value: u128, mode: i32) -> u128 {
    fetch(address, mode, |old| old ^ value)
}
pub(crate) extern "C" fn fetch_nand(address: *mut u128, value: u128, mode: i32) -> u128 {
    fetch(address, mode, |old| !(old & value))
}

fn exchange_if(address: *mut u128, expected: u128, new: u128, orders: (i32, i32), weak: bool) -> (u128, bool) {
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
    let (old, happened) = compare_exchange(&called(address), name(expected), name(new), orders, weak);
    (value_of(old), happened)
}

fn exchange_at(address: *mut u128, expected: *mut u128, new: u128, orders: (i32, i32), weak: bool) -> i32 {
    // SAFETY: the program has given the address of the expected value, which is its own.
    let wanted = unsafe { expected.read_unaligned() };
    let (old, happened) = exchange_if(address, wanted, new, orders, weak);
    if !happened {
        note(machine(), expected as usize, 8);
        note(machine(), expected as usize + 8, 8);
        // SAFETY: as above.
        unsafe { expected.write_unaligned(old) };
    }
    happened as i32
}

pub(crate) extern "C" fn strong(address: *mut u128, expected: *mut u128, new: u128, yes: i32, no: i32) -> i32 {
    exchange_at(address, expected, new, (yes, no), false)
}
pub(crate) extern "C" fn weak(address: *mut u128, expected: *mut u128, new: u128, yes: i32, no: i32) -> i32 {
    exchange_at(address, expected, new, (yes, no), true)
}

/// The order for failure does not fit into the registers.
pub(crate) extern "C" fn value(address: *mut u128, expected: u128, new: u128, yes: i32) -> u128 {
    // SAFETY: the stub has put six registers on the stack, below the address it returns to and this argument.
    let no = unsafe { *((machine().frame() + 7 * size_of::<usize>()) as *const i32) };
    exchange_if(address, expected, new, (yes, no), false).0
}

/// Functions of libatomic for objects whose size the compiler only passes on. Their values are given by address, and need not
/// be aligned as the objects are.
macro_rules! by_size {
    ($size:ident, $operation:ident) => {
        // SAFETY: the compiler gives the addresses of values that have this size.
        unsafe {
            match $size {
                1 => $operation!(u8, atomic::atomic8),
                2 => $operation!(u16, atomic::atomic16),
                4 => $operation!(u32, atomic::atomic32),
                8 => $operation!(u64, atomic::atomic64),
                16 => $operation!(u128, crate::calls::atomic128),
                _ => odd($size),
            }
        }
    };
}

fn odd(size: usize) -> ! {
    let pc = machine().pc();
    violate(ProgramError::Unsupported, format!("atomic operations on {size} bytes are not supported"), pc)
}

pub(crate) extern "C" fn is_lock_free(size: usize, _object: usize) -> bool {
    matches!(size, 1 | 2 | 4 | 8 | 16)
}

pub(crate) extern "C" fn load_sized(size: usize, address: usize, result: usize, mode: i32) {
    macro_rules! load {
        ($type:ty, $($module:ident)::*) => {
            (result as *mut $type).write_unaligned($($module)::*::load(address as *mut $type, mode))
        };
    }
    by_size!(size, load);
}

pub(crate) extern "C" fn store_sized(size: usize, address: usize, value: usize, mode: i32) {
    macro_rules! store {
        ($type:ty, $($module:ident)::*) => {
            $($module)::*::store(address as *mut $type, (value as *const $type).read_unaligned(), mode)
        };
    }
    by_size!(size, store);
}

pub(crate) extern "C" fn exchange_sized(size: usize, address: usize, value: usize, result: usize, mode: i32) {
    macro_rules! exchange {
        ($type:ty, $($module:ident)::*) => {
            (result as *mut $type).write_unaligned($($module)::*::exchange(
                address as *mut $type,
                (value as *const $type).read_unaligned(),
                mode,
            ))
        };
    }
    by_size!(size, exchange);
}

pub(crate) extern "C" fn compare_exchange_sized(
    size: usize,
    address: usize,
    expected: usize,
    new: usize,
    yes: i32,
    no: i32,
) -> i32 {
    macro_rules! exchange {
        ($type:ty, $($module:ident)::*) => {
            $($module)::*::strong(
                address as *mut $type,
                expected as *mut $type,
                (new as *const $type).read_unaligned(),
                yes,
                no,
            )
        };
    }
    by_size!(size, exchange)
}
