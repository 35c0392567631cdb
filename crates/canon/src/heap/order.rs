//! Threads by their control states.

use std::cmp::Ordering;

use quotient_ir::schema::HeapLayout;

use super::View;

/// Sorts the threads by the type and the control state of their topmost frames. Those that have the same keep their order.
pub(super) fn by_control(layout: &HeapLayout, view: &View, state: &[u8], control_bytes: usize, order: &mut [u8]) {
    let control = |thread: u8| {
        let mut top = (0, 0);
        layout.frames_of(state, view.thread(usize::from(thread)), |ty, at| {
            let high = if control_bytes == 2 { usize::from(state[at + 1]) << 8 } else { 0 };
            top = (ty, usize::from(state[at]) | high);
        });
        top
    };
    insert_sort(order, |a, b| control(a).cmp(&control(b)));
}

/// Sorts by a comparison that need not be an order: it never panics, and what is not greater stays where it is.
pub(super) fn insert_sort(order: &mut [u8], mut compare: impl FnMut(u8, u8) -> Ordering) {
    for end in 1..order.len() {
        let mut at = end;
        while at > 0 && compare(order[at - 1], order[at]) == Ordering::Greater {
            order.swap(at - 1, at);
            at -= 1;
        }
    }
}
