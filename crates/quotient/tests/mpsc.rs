//! Channels.

mod common;

use common::{complaint, executions, outcomes, violation};
use quotient::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError, channel, sync_channel};
use quotient::{ViolationKind, thread};
use std::time::Duration;

#[test]
fn messages_of_one_sender_arrive_in_order() {
    let program = || {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || (0..3).for_each(|number| sender.send(number).unwrap()));
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(receiver.recv(), Err(RecvError));
        thread.join().unwrap();
    };
    // Nothing is left open: a receiver waits, and whether it had to does not matter.
    assert_eq!(executions(program), 1);
}

#[test]
fn messages_of_several_senders_arrive_in_any_order_that_keeps_each_of_theirs() {
    let program = || {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let threads = [
            thread::spawn(move || [1, 2].map(|number| sender.send(number).unwrap()).len()),
            thread::spawn(move || [3].map(|number| other.send(number).unwrap()).len()),
        ];
        let messages: Vec<u32> = receiver.into_iter().collect();
        threads.into_iter().for_each(|thread| drop(thread.join()));
        messages
    };
    assert_eq!(outcomes(program), [[1, 2, 3], [1, 3, 2], [3, 1, 2]]);
    // Three orders of messages, and two in which the senders are dropped.
    assert_eq!(executions(program), 6);
}

#[test]
fn trying_sees_what_is_there() {
    let results = outcomes(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || sender.send(5).unwrap());
        let first = receiver.try_recv();
        thread.join().unwrap();
        let rest: Vec<_> = receiver.try_iter().collect();
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        (first.ok(), first.err() == Some(TryRecvError::Empty), rest)
    });
    assert_eq!(results, [(None, true, vec![5]), (Some(5), false, vec![])]);
}

#[test]
fn a_timed_receive_gives_up_or_not() {
    let results = outcomes(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || sender.send(5).unwrap());
        let result = receiver.recv_timeout(Duration::from_millis(1));
        thread.join().unwrap();
        assert_ne!(result, Err(RecvTimeoutError::Disconnected));
        result.ok()
    });
    assert_eq!(results, [None, Some(5)]);
}

#[test]
fn a_sender_learns_that_the_receiver_is_gone() {
    let results = outcomes(|| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || drop(receiver));
        let result = sender.send(String::from("anybody?"));
        thread.join().unwrap();
        assert_eq!(sender.send(String::new()), Err(SendError(String::new())));
        result.err().map(|error| error.0)
    });
    assert_eq!(results, [None, Some(String::from("anybody?"))]);
}

#[test]
fn a_forgotten_sender_leaves_the_receiver_waiting() {
    let message = complaint(|| {
        let (sender, receiver) = channel::<u32>();
        let _ = receiver.recv();
        drop(sender);
    });
    assert!(message.contains("thread 0 waits for a message"), "{message}");
}

#[test]
fn a_bounded_channel_makes_senders_wait() {
    let only = executions(|| {
        let (sender, receiver) = sync_channel(1);
        let thread = thread::spawn(move || (0..3).for_each(|number| sender.send(number).unwrap()));
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
        thread.join().unwrap();
    });
    assert_eq!(only, 1);
    let found = violation(|| {
        let (sender, receiver) = sync_channel(1);
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        drop(receiver);
    });
    assert_eq!(found, ViolationKind::Deadlock);
}

#[test]
fn there_is_never_more_in_a_channel_than_its_bound() {
    let results = outcomes(|| {
        let (sender, receiver) = sync_channel(1);
        let other = sender.clone();
        let thread = thread::spawn(move || other.send(1).unwrap());
        let tried = sender.try_send(2);
        let first = receiver.recv().unwrap();
        drop(sender);
        let rest: Vec<u32> = receiver.iter().collect();
        thread.join().unwrap();
        (tried.is_ok(), first, rest)
    });
    assert_eq!(results, [(false, 1, vec![]), (true, 2, vec![1])]);
}

#[test]
fn a_sender_that_waits_for_room_gets_its_message_back() {
    let results = outcomes(|| {
        let (sender, receiver) = sync_channel(1);
        sender.send(1).unwrap();
        let thread = thread::spawn(move || sender.send(2));
        drop(receiver);
        thread.join().unwrap().map_err(|error| error.0)
    });
    assert_eq!(results, [Err(2)]);
}

#[test]
fn a_rendezvous_is_a_meeting() {
    // The sender knows that its message was taken, and so what the receiver did before.
    let only = executions(|| {
        let (sender, receiver) = sync_channel(0);
        let before = std::sync::Arc::new(common::Shared::new(0));
        let written = before.clone();
        let thread = thread::spawn(move || {
            written.set(7);
            receiver.recv()
        });
        sender.send("hello").unwrap();
        assert_eq!(before.get(), 7);
        assert_eq!(thread.join().unwrap(), Ok("hello"));
    });
    assert_eq!(only, 1);
}

#[test]
fn nobody_to_meet_is_a_deadlock_or_an_error() {
    let found = violation(|| {
        let (sender, receiver) = sync_channel(0);
        let _ = sender.send(1);
        drop(receiver);
    });
    assert_eq!(found, ViolationKind::Deadlock);
    let results = outcomes(|| {
        let (sender, receiver) = sync_channel(0);
        let thread = thread::spawn(move || drop(receiver));
        let result = sender.send(1);
        thread.join().unwrap();
        result.map_err(|error| error.0)
    });
    assert_eq!(results, [Err(1)]);
}

#[test]
fn trying_to_send_meets_a_receiver_that_waits() {
    let results = outcomes(|| {
        let (sender, receiver) = sync_channel(0);
        let thread = thread::spawn(move || receiver.recv().ok());
        let tried = match sender.try_send(1) {
            Ok(()) => "sent",
            Err(TrySendError::Full(1)) => "full",
            Err(_) => "gone",
        };
        drop(sender);
        (tried, thread.join().unwrap())
    });
    assert_eq!(results, [("full", None), ("sent", Some(1))]);
}

/// Which thread drops a message is decided by the order of operations, so a message may own a channel end itself.
#[test]
fn messages_that_nobody_receives_are_dropped() {
    let results = outcomes(|| {
        let (outer, outer_receiver) = channel();
        let (inner, inner_receiver) = channel::<u32>();
        let thread = thread::spawn(move || drop(outer_receiver));
        let result = outer.send(inner).is_ok();
        assert_eq!(inner_receiver.recv(), Err(RecvError));
        thread.join().unwrap();
        result
    });
    assert_eq!(results, [false, true]);
}
