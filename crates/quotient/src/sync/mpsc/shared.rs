//! The state of a channel. A send draws a ticket, and its message goes to the slot with that number.
//!
//! A slot's `ready` says that the message (or the end of all messages) is there, `taken` that the receiver has it.
//! Each is written once, so whoever waits for it can read only one write. In a bounded channel a sender waits until
//! the message `bound` tickets before its own is taken. It holds its ticket meanwhile, which takes no behaviour away:
//! a sender that is overtaken while it waits is one that draws its ticket later.

use std::cell::UnsafeCell;
use std::sync::mpsc::{RecvError, SendError, TryRecvError, TrySendError};

use crate::contents::Contents;
use crate::engine;
use crate::internal::Internal;
use crate::ops::{self, MemoryCell, Order, Rmw, When};

pub(super) struct Shared<T> {
    /// `None` if senders never wait.
    bound: Option<u64>,
    /// How many tickets are drawn, and two bits for who is gone.
    tickets: MemoryCell,
    /// How many senders are dropped.
    dropped: MemoryCell,
    state: Contents<State<T>>,
}

const RECEIVER_GONE: u64 = 1 << 63;
const SENDERS_GONE: u64 = 1 << 62;
const COUNT: u64 = SENDERS_GONE - 1;

/// What a slot's places say.
const NOT_YET: u64 = 0;
const MESSAGE: u64 = 1;
const CLOSED: u64 = 2;
const TAKEN: u64 = 1;
const REFUSED: u64 = 2;
const ASKED: u64 = 1;

/// Ordinary memory: a sender's parts change right after it has drawn a ticket, the receiver's are its own.
struct State<T> {
    slots: Vec<Internal<Slot<T>>>,
    /// How many senders there have ever been.
    senders: u64,
    /// How many messages are received.
    received: u64,
    /// Whether the receiver knows that no message will come.
    closed: bool,
}

struct Slot<T> {
    ready: MemoryCell,
    taken: MemoryCell,
    /// In a channel without room: whether the receiver waits for this message.
    asked: MemoryCell,
    message: UnsafeCell<Option<T>>,
}

// SAFETY: the threads of a program take turns on one OS thread; a message is put in by the sender that has drawn the
// slot's number, and taken out by one thread when the places say so.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    fn put(&self, message: T) {
        // SAFETY: see above; no reference to the message is ever kept.
        unsafe { *self.message.get() = Some(message) };
    }

    fn take(&self) -> Option<T> {
        // SAFETY: see above; no reference to the message is ever kept.
        unsafe { (*self.message.get()).take() }
    }
}

impl<T> Shared<T> {
    /// A channel with one sender.
    pub(super) fn new(bound: Option<u64>) -> Self {
        let state = State { slots: Vec::new(), senders: 1, received: 0, closed: false };
        Shared { bound, tickets: MemoryCell::new(), dropped: MemoryCell::new(), state: Contents::new(state) }
    }

    #[track_caller]
    pub(super) fn send(&self, message: T) -> Result<(), SendError<T>> {
        if ops::abandoning() {
            return Ok(());
        }
        let tickets = ops::update(&self.tickets, 0, Rmw::Add, 1, 64, Order::AcqRel);
        if tickets & RECEIVER_GONE != 0 {
            return Err(SendError(message));
        }
        let ticket = tickets & COUNT;
        let slot = self.slot(ticket);
        slot.put(message);
        let answer = match self.bound {
            None => TAKEN,
            Some(0) => {
                ops::store(&slot.ready, NOT_YET, MESSAGE, Order::Release);
                return match ops::wait(&slot.taken, NOT_YET, When::IsNot(NOT_YET), Order::Acquire, "for a receiver") {
                    REFUSED => Err(SendError(slot.take().expect("nobody has taken a refused message"))),
                    _ => Ok(()),
                };
            }
            Some(bound) if ticket < bound => TAKEN,
            Some(bound) => {
                let leaver = self.slot(ticket - bound);
                ops::wait(&leaver.taken, NOT_YET, When::IsNot(NOT_YET), Order::Acquire, "for room in a channel")
            }
        };
        if answer == REFUSED {
            return Err(SendError(slot.take().expect("nobody has taken a refused message")));
        }
        ops::store(&slot.ready, NOT_YET, MESSAGE, Order::Release);
        Ok(())
    }

    #[track_caller]
    pub(super) fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let bound = self.bound.unwrap_or(COUNT);
        let mut tickets = ops::load(&self.tickets, 0, Order::Relaxed);
        loop {
            let ticket = tickets & COUNT;
            let leaving = match bound {
                _ if tickets & RECEIVER_GONE != 0 => REFUSED,
                0 => ops::load(&self.slot(ticket).asked, NOT_YET, Order::Acquire),
                _ if ticket < bound => TAKEN,
                _ => ops::load(&self.slot(ticket - bound).taken, NOT_YET, Order::Acquire),
            };
            match leaving {
                REFUSED => return Err(TrySendError::Disconnected(message)),
                NOT_YET => return Err(TrySendError::Full(message)),
                _ => {}
            }
            match ops::exchange(&self.tickets, 0, tickets, tickets + 1, Order::AcqRel, Order::Relaxed, false) {
                Ok(_) => {
                    let slot = self.slot(ticket);
                    slot.put(message);
                    ops::store(&slot.ready, NOT_YET, MESSAGE, Order::Release);
                    return Ok(());
                }
                Err(_) if ops::abandoning() => return Err(TrySendError::Full(message)),
                Err(newer) => tickets = newer,
            }
        }
    }

    #[track_caller]
    pub(super) fn receive(&self) -> Result<T, RecvError> {
        let slot = self.slot(self.with_state(|state| state.received));
        if self.bound == Some(0) {
            ops::store(&slot.asked, NOT_YET, ASKED, Order::Release);
        }
        match ops::wait(&slot.ready, NOT_YET, When::IsNot(NOT_YET), Order::Acquire, "for a message") {
            MESSAGE => Ok(self.take(&slot)),
            _ => {
                self.with_state(|state| state.closed = true);
                Err(RecvError)
            }
        }
    }

    #[track_caller]
    pub(super) fn try_receive(&self) -> Result<T, TryRecvError> {
        let received = self.with_state(|state| state.received);
        let tickets = ops::load(&self.tickets, 0, Order::Acquire);
        if tickets & COUNT > received {
            let slot = self.slot(received);
            // The sender that has drawn the ticket has room, so it is only a moment away.
            ops::wait(&slot.ready, NOT_YET, When::Is(MESSAGE), Order::Acquire, "for a message");
            Ok(self.take(&slot))
        } else if tickets & SENDERS_GONE != 0 {
            self.with_state(|state| state.closed = true);
            Err(TryRecvError::Disconnected)
        } else {
            Err(TryRecvError::Empty)
        }
    }

    #[track_caller]
    fn take(&self, slot: &Slot<T>) -> T {
        self.with_state(|state| state.received += 1);
        let message = slot.take().expect("a slot that is ready has a message");
        if self.bound.is_some() {
            ops::store(&slot.taken, NOT_YET, TAKEN, Order::Release);
        }
        message
    }

    pub(super) fn add_sender(&self) {
        self.with_state(|state| state.senders += 1);
    }

    /// A sender is dropped. That it is the last is known as soon as all that have ever been made are dropped: only a
    /// living one could make more.
    #[track_caller]
    pub(super) fn remove_sender(&self) {
        if engine::is_over() {
            return;
        }
        let alone = self.with_state(|state| state.senders) == 1;
        let last = alone || {
            let earlier = ops::update(&self.dropped, 0, Rmw::Add, 1, 64, Order::AcqRel);
            earlier + 1 == self.with_state(|state| state.senders)
        };
        if last {
            let tickets = ops::update(&self.tickets, 0, Rmw::Or, SENDERS_GONE, 64, Order::AcqRel);
            if tickets & RECEIVER_GONE == 0 {
                ops::store(&self.slot(tickets & COUNT).ready, NOT_YET, CLOSED, Order::Release);
            }
        }
    }

    /// The receiver is dropped, and with it the messages that have found room. Senders that wait get theirs back.
    #[track_caller]
    pub(super) fn remove_receiver(&self) {
        if engine::is_over() || self.with_state(|state| state.closed) {
            return;
        }
        let tickets = ops::update(&self.tickets, 0, Rmw::Or, RECEIVER_GONE, 64, Order::AcqRel) & COUNT;
        let received = self.with_state(|state| state.received);
        let bound = self.bound.unwrap_or(COUNT);
        let refused = tickets.min(received + bound);
        for ticket in received..refused {
            drop(self.slot(ticket).take());
        }
        for ticket in refused..tickets {
            ops::store(&self.slot(ticket - bound).taken, NOT_YET, REFUSED, Order::Release);
        }
    }

    fn slot(&self, number: u64) -> Internal<Slot<T>> {
        let new = || {
            let (ready, taken, asked) = (MemoryCell::new(), MemoryCell::new(), MemoryCell::new());
            Internal::new(Slot { ready, taken, asked, message: UnsafeCell::new(None) })
        };
        self.with_state(|state| {
            let number = number as usize;
            if state.slots.len() <= number {
                state.slots.resize_with(number + 1, new);
            }
            state.slots[number].clone()
        })
    }

    fn with_state<R>(&self, body: impl FnOnce(&mut State<T>) -> R) -> R {
        // SAFETY: no `body` performs an operation or comes back here, so the reference is the only one.
        body(unsafe { &mut *self.state.get("channel") })
    }
}
