//! What a loop keeps in forms that the compiler makes less plain code of: calls, tables of jumps, closures, state machines,
//! values that are larger than a register.

use super::*;
use quotient::sync::atomic::{AtomicUsize, Ordering::*};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A thread waits that sees 0, then maybe 1, then 2. It must not end with something.
fn waiting(wait: fn(&AtomicUsize) -> usize, never: usize) -> impl Fn() + Copy + Send + Sync + 'static {
    move || {
        let wait = move |x: &AtomicUsize| assert_ne!(wait(x), never);
        beside(AtomicUsize::new(0), wait, |x| (1..=2).for_each(|value| x.store(value, Release)));
    }
}

#[track_caller]
fn ends_with(wait: fn(&AtomicUsize) -> usize, result: usize) {
    fails(waiting(wait, result));
}

#[track_caller]
fn never_ends_with(wait: fn(&AtomicUsize) -> usize, result: usize) {
    holds(waiting(wait, result));
}

/// Counts up to two how often 1 was seen.
fn more(kept: usize, now: usize) -> usize {
    if now == 1 { (kept + 1).min(2) } else { kept }
}

#[test]
fn a_table_of_jumps() {
    fn wait(x: &AtomicUsize) -> usize {
        let mut kept = 0;
        loop {
            match (x.load(Acquire), kept) {
                (0, 0) => kept = 1,
                (0, 1) | (2, 7) => {}
                (0, 2) => kept = 5,
                (1, 0) => kept = 3,
                (1, 1) => kept = 4,
                (1, 3) => kept = 6,
                (1, 4) => kept = 8,
                (2, kept) => return kept,
                (_, other) => kept = other,
            }
        }
    }
    [0, 1, 3, 4, 6, 8].into_iter().for_each(|kept| ends_with(wait, kept));
    [2, 5, 7].into_iter().for_each(|kept| never_ends_with(wait, kept));
}

#[test]
fn an_argument_of_a_function_that_calls_itself() {
    #[inline(never)]
    fn wait(x: &AtomicUsize, kept: usize) -> usize {
        match x.load(Acquire) {
            2 => kept,
            now => wait(x, more(kept, now)),
        }
    }
    ends_with(|x| wait(x, 0), 2);
}

#[test]
fn a_state_behind_a_trait() {
    trait Look {
        fn look(&mut self, now: usize) -> usize;
    }
    struct Twice(usize);
    impl Look for Twice {
        fn look(&mut self, now: usize) -> usize {
            self.0 = more(self.0, now);
            self.0
        }
    }
    fn wait(x: &AtomicUsize) -> usize {
        let mut state: Box<dyn Look> = Box::new(Twice(0));
        loop {
            match x.load(Acquire) {
                2 => return state.look(2),
                now => _ = state.look(now),
            }
        }
    }
    ends_with(wait, 2);
    never_ends_with(wait, 3);
}

#[test]
fn a_state_in_a_closure() {
    fn wait(x: &AtomicUsize) -> usize {
        let mut kept = 0;
        let mut look = move || {
            let now = x.load(Acquire);
            kept = more(kept, now);
            (now == 2).then_some(kept)
        };
        loop {
            if let Some(kept) = look() {
                return kept;
            }
        }
    }
    ends_with(wait, 2);
    never_ends_with(wait, 3);
}

#[test]
fn a_state_in_a_future() {
    async fn look(x: &AtomicUsize) -> usize {
        let mut kept = 0;
        loop {
            match x.load(Acquire) {
                2 => return kept,
                now => kept = more(kept, now),
            }
            let mut is_second = false;
            std::future::poll_fn(
                |_| if std::mem::replace(&mut is_second, true) { Poll::Ready(()) } else { Poll::Pending },
            )
            .await;
        }
    }
    fn wait(x: &AtomicUsize) -> usize {
        let mut future = pin!(look(x));
        loop {
            if let Poll::Ready(kept) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return kept;
            }
        }
    }
    ends_with(wait, 2);
    never_ends_with(wait, 3);
}

#[test]
fn a_function_that_stands_for_a_state() {
    #[derive(Clone, Copy)]
    struct State(fn(usize) -> State, usize);
    fn first(now: usize) -> State {
        if now == 1 { State(second, 1) } else { State(first, 0) }
    }
    fn second(now: usize) -> State {
        if now == 1 { State(third, 2) } else { State(second, 1) }
    }
    fn third(_: usize) -> State {
        State(third, 2)
    }
    fn wait(x: &AtomicUsize) -> usize {
        let mut state = State(first, 0);
        loop {
            match x.load(Acquire) {
                2 => return state.1,
                now => state = (state.0)(now),
            }
        }
    }
    ends_with(wait, 2);
    never_ends_with(wait, 3);
}

#[test]
fn values_larger_than_a_register() {
    fn wait(x: &AtomicUsize) -> usize {
        let (mut wide, mut number, mut many) = (0u128, 0f64, [0u8; 100]);
        loop {
            let now = x.load(Acquire);
            if now == 2 {
                return (wide >> 70) as usize + number as usize + usize::from(many[90]);
            }
            wide |= (now as u128) << 70;
            number = (number + now as f64).min(1.5);
            let before = many;
            many[90] = (before[90] + now as u8).min(3);
        }
    }
    ends_with(wait, 5);
    never_ends_with(wait, 6);
}

#[test]
fn a_neighbour_of_what_a_function_is_given() {
    struct Both {
        kept: usize,
        last: usize,
    }
    #[inline(never)]
    fn look(x: &AtomicUsize, both: &mut Both) -> bool {
        let now = x.load(Acquire);
        both.kept = more(both.kept, both.last);
        both.last = now;
        now == 2
    }
    fn wait(x: &AtomicUsize) -> usize {
        let mut both = Both { kept: 0, last: 0 };
        while !look(x, &mut both) {}
        both.kept
    }
    ends_with(wait, 2);
    never_ends_with(wait, 3);
}

#[test]
fn what_a_function_keeps_the_address_of() {
    struct Keeps<'a>(Option<&'a Cell<usize>>);
    #[inline(never)]
    fn keep<'a>(keeps: &mut Keeps<'a>, cell: &'a Cell<usize>) {
        keeps.0 = Some(cell);
    }
    #[inline(never)]
    fn look(x: &AtomicUsize, keeps: &Keeps<'_>) -> Result<usize, usize> {
        match x.load(Acquire) {
            2 => Err(keeps.0.map_or(9, Cell::get)),
            now => Ok(now),
        }
    }
    fn wait(x: &AtomicUsize) -> usize {
        let (last, mut keeps) = (Cell::new(0), Keeps(None));
        keep(&mut keeps, &last);
        loop {
            match look(x, &keeps) {
                Ok(now) => last.set(now),
                Err(last) => return last,
            }
        }
    }
    ends_with(wait, 1);
    never_ends_with(wait, 2);
}

#[test]
fn what_an_iterator_gathers() {
    fn values(x: &AtomicUsize) -> impl Iterator<Item = usize> {
        std::iter::repeat_with(|| x.load(Acquire)).take_while(|&now| now != 2)
    }
    ends_with(|x| values(x).fold(0, more), 2);
    ends_with(|x| values(x).last().unwrap_or(5), 1);
    ends_with(|x| values(x).max().unwrap_or(5), 1);
    ends_with(|x| usize::from(values(x).any(|now| now == 1)), 1);
    never_ends_with(|x| values(x).fold(0, more), 3);
}

#[test]
fn what_containers_have_in_them() {
    fn last_two(x: &AtomicUsize) -> usize {
        let mut seen = VecDeque::with_capacity(4);
        loop {
            match x.load(Acquire) {
                2 => return seen.iter().sum(),
                now => seen.push_back(now),
            }
            if seen.len() > 2 {
                seen.pop_front();
            }
        }
    }
    fn counted(x: &AtomicUsize) -> usize {
        let mut seen = BTreeMap::from([(0, 0), (1, 0)]);
        loop {
            match x.load(Acquire) {
                2 => return seen[&1],
                now => seen.entry(now).and_modify(|kept| *kept = more(*kept, now)),
            };
        }
    }
    ends_with(last_two, 2);
    ends_with(counted, 2);
    never_ends_with(counted, 3);
}

#[test]
fn a_loop_that_is_left_from_inside_another() {
    fn wait(x: &AtomicUsize) -> usize {
        let mut kept = 0;
        'outer: loop {
            let mut rounds = 0;
            loop {
                match x.load(Acquire) {
                    0 if rounds == 0 => rounds = 1,
                    0 => continue 'outer,
                    1 => break,
                    _ => return kept,
                }
            }
            kept = more(kept, rounds);
        }
    }
    ends_with(wait, 1);
    never_ends_with(wait, 3);
}
