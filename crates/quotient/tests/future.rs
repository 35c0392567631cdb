//! Futures.

mod common;

use common::{complaint, executions};
use quotient::future::{AtomicWaker, block_on, poll_fn, ready};
use quotient::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};
use quotient::thread;
use std::sync::Arc;
use std::task::Poll;

#[derive(Default)]
struct Event {
    happened: AtomicBool,
    waker: AtomicWaker,
}

impl Event {
    fn set(&self) {
        self.happened.store(true, Release);
        self.waker.wake();
    }

    /// Looks again after it has left its waker, unless it is `hasty`.
    async fn wait(&self, hasty: bool) {
        poll_fn(|context| {
            if self.happened.load(Acquire) {
                return Poll::Ready(());
            }
            self.waker.register_by_ref(context.waker());
            if !hasty && self.happened.load(Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

fn event(hasty: bool) {
    let event = Arc::new(Event::default());
    let other = event.clone();
    let thread = thread::spawn(move || other.set());
    block_on(event.wait(hasty));
    thread.join().unwrap();
}

#[test]
fn a_future_is_woken() {
    assert!(executions(|| event(false)) > 1);
}

#[test]
fn a_wakeup_before_the_waker_is_there_is_lost() {
    let message = complaint(|| event(true));
    assert!(message.contains("thread 0 waits for a future's waker"), "{message}");
}

#[test]
fn a_ready_future_does_not_wait() {
    assert_eq!(executions(|| assert_eq!(block_on(async { ready(2).await + 3 }), 5)), 1);
}
