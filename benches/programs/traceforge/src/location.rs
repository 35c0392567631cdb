//! A shared location as TraceForge's own atomics have it, with the fetch-add that they lack.
//! A daemon thread keeps the value, and each access is a request with a channel for the answer.

use std::sync::atomic::Ordering;
use traceforge::channel::{Builder, Sender};
use traceforge::thread::{ThreadId, spawn_daemon};
use traceforge::{recv_msg_block, send_msg};

/// A location that holds a number. The ordering of accesses is ignored: they are sequentially consistent.
pub struct Location {
    keeper: ThreadId,
}

#[derive(Clone, Debug, PartialEq)]
struct Request {
    access: Access,
    answer: Sender<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    Load,
    Store(usize),
    FetchAdd(usize),
}

impl Location {
    pub fn new(value: usize) -> Self {
        Location { keeper: spawn_daemon(move || keep(value)).thread().id() }
    }

    pub fn load(&self, _order: Ordering) -> usize {
        self.ask(Access::Load)
    }

    pub fn store(&self, value: usize, _order: Ordering) {
        self.ask(Access::Store(value));
    }

    pub fn fetch_add(&self, increment: usize, _order: Ordering) -> usize {
        self.ask(Access::FetchAdd(increment))
    }

    fn ask(&self, access: Access) -> usize {
        let (answer, receiver) = Builder::<usize>::new().build();
        send_msg(self.keeper, Request { access, answer });
        receiver.recv_msg_block()
    }
}

fn keep(mut value: usize) {
    loop {
        let Request { access, answer } = recv_msg_block();
        answer.send_msg(value);
        match access {
            Access::Load => {}
            Access::Store(new) => value = new,
            Access::FetchAdd(increment) => value = value.wrapping_add(increment),
        }
    }
}
