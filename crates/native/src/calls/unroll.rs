//! A limit on how often a loop goes back to its beginning, each time that it is entered (`--unroll`). The compiler tells of
//! every block of code that a thread comes to, and of every function that it enters and leaves.

use crate::machine::machine;

/// What is known about the loops that threads are in.
#[derive(Default)]
pub(crate) struct Unroll {
    /// How often a loop may go back.
    limit: Option<u32>,
    /// For each thread, the functions that it is in.
    threads: Vec<Vec<Function>>,
}

/// The blocks on the way to where a function is now. A block that is met again is the beginning of a loop, and what came
/// after it is in the loop.
#[derive(Default)]
struct Function(Vec<Block>);

struct Block {
    start: usize,
    /// How often the thread has come back to it.
    rounds: u32,
    /// What is in its loop.
    inside: Vec<usize>,
}

impl Unroll {
    /// Nothing has run yet.
    pub(crate) fn new(limit: Option<u32>) -> Self {
        Unroll { limit, threads: Vec::new() }
    }

    /// An execution begins.
    pub(crate) fn reset(&mut self) {
        self.threads.clear();
    }

    fn functions(&mut self, thread: u32) -> &mut Vec<Function> {
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, Vec::new);
        }
        &mut self.threads[thread]
    }

    /// Whether a thread is in a loop that has gone back too often.
    pub(crate) fn is_beyond(&self, thread: u32) -> bool {
        let Some(limit) = self.limit else { return false };
        let functions = self.threads.get(thread as usize).map_or(&[][..], Vec::as_slice);
        functions.iter().any(|Function(blocks)| {
            blocks.iter().enumerate().any(|(at, block)| {
                let then = blocks.get(at + 1).map(|next| next.start);
                block.rounds > limit && then.is_none_or(|then| block.inside.contains(&then))
            })
        })
    }
}

impl Function {
    fn come_to(&mut self, start: usize) {
        let Function(blocks) = self;
        let Some(at) = blocks.iter().rposition(|block| block.start == start) else {
            return blocks.push(Block { start, rounds: 0, inside: Vec::new() });
        };
        let inside: Vec<usize> =
            blocks.drain(at + 1..).flat_map(|block| [vec![block.start], block.inside].concat()).collect();
        let block = &mut blocks[at];
        block.rounds += 1;
        block.inside.extend(inside);
        block.inside.sort_unstable();
        block.inside.dedup();
    }
}

pub(crate) extern "C" fn block() {
    let machine = machine();
    if !machine.running.get() {
        return;
    }
    let (start, thread) = (machine.quick_pc(), machine.here.get().thread);
    let mut unroll = machine.unroll.borrow_mut();
    let functions = unroll.functions(thread);
    if functions.is_empty() {
        functions.push(Function::default());
    }
    if let Some(function) = functions.last_mut() {
        function.come_to(start);
    }
}

pub(crate) extern "C" fn enter() {
    let machine = machine();
    if machine.running.get() {
        let thread = machine.here.get().thread;
        machine.unroll.borrow_mut().functions(thread).push(Function::default());
    }
}

pub(crate) extern "C" fn leave() {
    let machine = machine();
    if machine.running.get() {
        let thread = machine.here.get().thread;
        machine.unroll.borrow_mut().functions(thread).pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(limit: u32, blocks: &[usize]) -> bool {
        let mut unroll = Unroll::new(Some(limit));
        let functions = unroll.functions(0);
        functions.push(Function::default());
        blocks.iter().for_each(|&block| functions[0].come_to(block));
        unroll.is_beyond(0)
    }

    #[test]
    fn rounds_are_counted() {
        assert!(!walk(2, &[1, 2, 3, 2, 3, 2, 3]));
        assert!(walk(2, &[1, 2, 3, 2, 3, 2, 3, 2, 3]));
    }

    #[test]
    fn a_loop_that_is_entered_again_begins_anew() {
        assert!(!walk(2, &[1, 2, 2, 2, 1, 2, 2, 2]));
    }

    #[test]
    fn behind_a_loop_its_rounds_do_not_count() {
        assert!(walk(1, &[1, 2, 1, 2, 1, 2]));
        assert!(!walk(1, &[1, 2, 1, 2, 1, 3]));
    }
}
