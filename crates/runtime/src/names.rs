//! Names for addresses. A program may store addresses in its atomics; they change from run to run, but executions must be
//! comparable. So the explorer sees names: of memory that the execution has allocated, and of the stacks of its threads.

use crate::call::{OpCode, OpWords};
use crate::context::Context;
use crate::memory;

/// Names of addresses on a stack begin with this; the thread and the distance from the far end of its stack follow.
const ON_STACK: u64 = *quotient_dpor::NAMES.end() << 48;
const STACK_BITS: u32 = 36;
const THREADS: u64 = 1 << 12;

/// Smaller values are not addresses.
const SMALLEST_ADDRESS: u64 = 1 << 32;

impl Context {
    /// An operation with names for the addresses in it.
    #[inline(always)]
    pub(crate) fn with_names(&self, mut asked: OpWords) -> OpWords {
        match asked.what.code {
            OpCode::Write | OpCode::Fetch => asked.first = self.name(asked.first),
            OpCode::Exchange => (asked.first, asked.second) = (self.name(asked.first), self.name(asked.second)),
            _ => {}
        }
        asked
    }

    /// The name of a value, if it is an address that changes from run to run; else the value itself.
    #[inline]
    pub(crate) fn name(&self, value: u64) -> u64 {
        if (SMALLEST_ADDRESS..1 << 48).contains(&value) { self.name_address(value) } else { value }
    }

    fn name_address(&self, value: u64) -> u64 {
        let size = self.stack_size as u64 + 4096;
        let on_stack = self.slots.iter().position(|slot| {
            let base = slot.base as u64;
            (base.saturating_sub(size)..base).contains(&value)
        });
        match on_stack {
            // Counted from below, so that low bits and differences are those of the address.
            Some(thread) if (thread as u64) < THREADS => {
                let base = self.slots[thread].base as u64;
                ON_STACK | (thread as u64) << STACK_BITS | (value + (1 << (STACK_BITS - 1)) - base)
            }
            _ => memory::name_of(value).unwrap_or(value),
        }
    }

    /// The value that has this name in the current run.
    #[inline]
    pub(crate) fn value_named(&self, name: u64) -> u64 {
        if name < 1 << 48 { name } else { self.look_up(name) }
    }

    fn look_up(&self, name: u64) -> u64 {
        if name & (0xFFFF << 48) != ON_STACK {
            return memory::named(name).unwrap_or(name);
        }
        let thread = (name >> STACK_BITS & (THREADS - 1)) as usize;
        let distance = name & ((1 << STACK_BITS) - 1);
        self.slots.get(thread).map_or(name, |slot| slot.base as u64 + distance - (1 << (STACK_BITS - 1)))
    }
}
