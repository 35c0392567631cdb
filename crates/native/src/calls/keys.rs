//! Keys for thread-specific data, and the destructors that run when a thread ends. A key may be deleted while a thread ends that
//! has something for it: then the destructor runs in some executions and not in others.

use crate::calls::arguments::Call;
use crate::calls::atomic::Atomic;
use crate::calls::{library, sync};
use crate::calls::threads;
use crate::machine::{ProgramError, machine, violate};
use crate::memory::address_space;
use crate::memory::shadow::Touch;
use quotient_runtime::native::Order;

/// A key.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// 0 if it has none.
    destructor: usize,
    is_deleted: bool,
}

/// How often a thread that ends looks for data that its destructors have set anew.
const ROUNDS: usize = 4;

/// What stands for the life of a key, and its value at the end. Nothing is ordered by it.
fn token(key: usize) -> usize {
    address_space::token(0, u32::MAX - 1 - key as u32)
}

const DELETED: u64 = 1;

/// More keys than this have no names in reports.
const NAMED: u32 = 4096;

/// Whether an address stands for the life of a key.
pub(crate) fn is_key(address: usize) -> bool {
    (token(NAMED as usize)..=token(0)).contains(&address)
}

pub(crate) extern "C" fn create(key: *mut u32, destructor: usize) -> i32 {
    let machine = machine();
    machine.note_deed(destructor as u64);
    let number = {
        let keys = &mut machine.threads.borrow_mut().keys;
        keys.push(Key { destructor, is_deleted: false });
        keys.len() as u32 - 1
    };
    Call::here().give(key, number);
    0
}

pub(crate) extern "C" fn delete(key: u32) -> i32 {
    let machine = machine();
    machine.note_deed(key.into());
    check(key, Touch::Destroy);
    if machine.running.get() {
        Atomic::called(token(key as usize), 8).store(DELETED, Order::Relaxed);
    }
    if let Some(key) = machine.threads.borrow_mut().keys.get_mut(key as usize) {
        key.is_deleted = true;
    }
    0
}

/// A key must exist to be used. Who deletes it must be ordered with all who use it, as with any other write.
fn check(key: u32, touch: Touch) {
    let found = machine().threads.borrow().keys.get(key as usize).copied();
    let why = match found {
        Some(Key { is_deleted: false, .. }) => return library::touch_key(key as usize, touch),
        Some(_) => "after it was deleted",
        None => "that was never created",
    };
    let pc = machine().pc();
    violate(ProgramError::Misuse, format!("a key for thread-specific data is used {why}"), pc);
}

pub(crate) extern "C" fn get(key: u32) -> usize {
    check(key, Touch::Read);
    let here = machine().here.get().thread;
    machine().threads.borrow_mut().specific(here).get(key as usize).copied().unwrap_or(0)
}

pub(crate) extern "C" fn set(key: u32, value: usize) -> i32 {
    check(key, Touch::Read);
    let here = machine().here.get().thread;
    let before = {
        let mut threads = machine().threads.borrow_mut();
        let specific = threads.specific(here);
        if specific.len() <= key as usize {
            specific.resize(key as usize + 1, 0);
        }
        std::mem::replace(&mut specific[key as usize], value)
    };
    if before != value {
        machine().note_deed(threads::mix(key.into(), value as u64));
    }
    0
}

/// A thread ends: calls the destructors of the keys that it has something for.
pub(super) fn run_destructors(here: u32) {
    let call = machine().call.get();
    // SAFETY: `call` is a function of the object that calls what it is given, which here is what the program has given.
    let call: extern "C" fn(usize, usize, usize) -> usize = unsafe { std::mem::transmute(call) };
    for _ in 0..ROUNDS {
        let mut left: Vec<usize> = (0..machine().threads.borrow().keys.len()).collect();
        let mut ran = false;
        loop {
            left.retain(|&key| with_destructor(here, key).is_some());
            // In which order they are called nobody says.
            let next = match left.len() {
                0 => break,
                1 => 0,
                several => sync::choose(several as u32, &threads::end_of(here)) as usize,
            };
            let key = left.remove(next);
            let Some((destructor, value)) = with_destructor(here, key) else { continue };
            machine().threads.borrow_mut().specific(here)[key] = 0;
            if exists(here, key) {
                ran = true;
                call(destructor, value, 0);
            }
        }
        if !ran {
            break;
        }
    }
}

/// The destructor of a key and what a thread has for it, if there are both.
fn with_destructor(here: u32, key: usize) -> Option<(usize, usize)> {
    let threads = &mut *machine().threads.borrow_mut();
    let value = threads.specific(here).get(key).copied().unwrap_or_default();
    let destructor = threads.keys[key].destructor;
    (value != 0 && destructor != 0).then_some((destructor, value))
}

/// Whether a key that a thread has something for is there when it ends.
fn exists(here: u32, key: usize) -> bool {
    let may_be_deleted = machine().threads.borrow().deletes_keys;
    !may_be_deleted || Atomic { address: token(key), ..threads::end_of(here) }.load(Order::Relaxed) != DELETED
}
