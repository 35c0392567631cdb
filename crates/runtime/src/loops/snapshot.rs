//! The state of a thread at an operation: its stack and registers, how it computes, and the memory of the program. Two states
//! are the same if they agree in everything that the thread can still use.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use super::{ByAddress, frame, unwind, variables};
use crate::environment::Environment;
use crate::memory;
use crate::native::{Callee, Changes, Mark};
use std::io::Write;
use std::ops::Range;
use std::ptr;
use std::rc::Rc;

/// A word of the stack.
const WORD: usize = size_of::<usize>();
/// What stands at the beginning of a snapshot: the registers that calls leave as they were, and the place that the checker
/// was called from.
const REGISTERS: usize = 6;

/// The state of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// The lowest address of the stack that is in use.
    top: usize,
    words: Vec<usize>,
    /// The blocks of the program's heap: the name of each, and what is in it.
    blocks: Vec<(usize, Vec<u64>)>,
    /// How far the host's notes were, if there is one.
    pub mark: Mark,
    environment: Environment,
}

/// What is different in two states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// They are at different places in the code.
    Place,
    /// A variable in the frame of a function.
    Variable {
        /// Where the function begins.
        function: usize,
        /// Where the variable is, from the end of the frame.
        offset: i64,
    },
    /// A variable in a register.
    Register,
    /// Something on the stack.
    Stack,
    /// Memory elsewhere, at this address if it is known.
    Memory(Option<usize>),
}

impl Difference {
    /// The name of the variable, if it is known.
    pub(crate) fn name(&self) -> Option<String> {
        match *self {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Difference::Variable { function, offset } => {
                variables::name_at(function, offset).filter(|name| !name.is_empty())
            }
            _ => None,
        }
    }
}

/// Takes a snapshot of the stack of a thread that has called the checker. `places` are words that the checker keeps in the
/// program's memory, with what it has written there: they count as 0.
pub(crate) fn take(
    (top, base): (usize, usize),
    blocks: Vec<(usize, Vec<u64>)>,
    places: &[(usize, u64)],
    mark: Mark,
) -> Snapshot {
    let top = top.next_multiple_of(WORD);
    // SAFETY: the address is within the part of a coroutine's stack that is in use, which is mapped; the read is volatile
    // because nothing is known about what, if anything, was written there.
    let word = |address: usize| unsafe { ptr::read_volatile(address as *const usize) };
    let mut words: Vec<usize> = (0..(base - top).div_ceil(WORD)).map(|index| word(top + index * WORD)).collect();
    for &(place, value) in places.iter().filter(|(place, _)| (top..base).contains(place)) {
        let word = &mut words[(place - top) / WORD];
        if *word as u64 == value {
            *word = 0;
        }
    }
    if memory::has_blocks() {
        for word in &mut words {
            *word = memory::unaddressed(*word as u64) as usize;
        }
    }
    Snapshot { top, words, blocks, mark, environment: Environment::now() }
}

/// Whether two states of one run are the same as far as stack, registers and heap are concerned.
pub(crate) fn compare(first: &Snapshot, second: &Snapshot, callee: &dyn Fn(usize) -> Callee) -> Result<(), Difference> {
    if first.blocks != second.blocks {
        return Err(Difference::Memory(None));
    }
    compare_stacks(first, second, callee, &|_| false)
}

/// Whether two states are the same that a thread has come to in two runs from one state, of which each run has a snapshot,
/// too: what has changed in neither run since is the same, even where nobody has ever written.
pub(crate) fn compare_runs(
    [first_before, first]: [&Snapshot; 2],
    [second_before, second]: [&Snapshot; 2],
    callee: &dyn Fn(usize) -> Callee,
) -> Result<(), Difference> {
    let is_kept = |before: &Snapshot, after: &Snapshot, at: i64| {
        let address = after.top + at as usize;
        let is_there = (before.top..before.top + before.words.len() * WORD).contains(&address);
        is_there && byte(before, (address - before.top) as i64) == byte(after, at)
    };
    let is_old = |at: i64| is_kept(first_before, first, at) && is_kept(second_before, second, at);
    compare_stacks(first, second, callee, &is_old)
}

/// What has happened to the heap from one snapshot to another one of the same run.
pub(crate) fn changes(before: &Snapshot, after: &Snapshot) -> Changes {
    let more = after.blocks.len().wrapping_sub(before.blocks.len()) as u64;
    let mut changes = Changes::default();
    changes.counts[0] = more;
    for (name, old) in &before.blocks {
        let Some((_, new)) = after.blocks.iter().find(|(other, _)| other == name) else {
            // A block that is gone is not one that was never there.
            changes.counts[1] = changes.counts[1].wrapping_mul(31).wrapping_add(*name as u64 + 1);
            continue;
        };
        for (index, (&old, &new)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            changes.words.insert(name.wrapping_mul(1 << 24).wrapping_add(index), (old, new));
        }
    }
    let is_new = |name: usize| before.blocks.iter().all(|&(other, _)| other != name);
    for (name, new) in after.blocks.iter().filter(|&&(name, _)| is_new(name)) {
        for (index, &new) in new.iter().enumerate() {
            changes.words.insert(name.wrapping_mul(1 << 24).wrapping_add(index), (0, new));
        }
    }
    changes
}

fn compare_stacks(
    first: &Snapshot,
    second: &Snapshot,
    callee: &dyn Fn(usize) -> Callee,
    is_old: &dyn Fn(i64) -> bool,
) -> Result<(), Difference> {
    if (first.top, first.words.len()) != (second.top, second.words.len()) {
        return Err(Difference::Place);
    }
    if !first.environment.is_like(&second.environment) {
        return Err(Difference::Register);
    }
    if first.words == second.words {
        return Ok(());
    }
    let total = first.words.len() * WORD;
    let differs = |range: Range<i64>| first_difference(first, second, range, is_old);
    let same = |range: Range<i64>| differs(range.start.max(0)..range.end.min(total as i64)).is_none();
    let walked = walk(&first.words, callee, |frame| {
        let at = frame.return_address;
        if !same(at..at + WORD as i64) {
            return Err(Difference::Place);
        }
        let Some(live) = &frame.live else {
            let rest = frame.top..total as i64;
            let registers = frame.registers.iter().all(|&at| same(at..at + WORD as i64));
            return if same(rest) && registers { Ok(()) } else { Err(Difference::Stack) };
        };
        for (register, &at) in frame.registers.iter().enumerate() {
            let low = live.registers >> register & 1 == 0 || same(at..at + 1);
            let rest = live.registers >> (register + REST) & 1 == 0 || same(at + 1..at + WORD as i64);
            if !low || !rest {
                return Err(Difference::Register);
            }
        }
        for range in &live.bytes {
            if let Some(at) = differs(frame.end + range.start..frame.end + range.end) {
                return Err(Difference::Variable { function: live.function, offset: at - frame.end });
            }
        }
        if same(frame.end..frame.end + live.arguments) { Ok(()) } else { Err(Difference::Stack) }
    });
    match walked {
        Ok(rest) if same(rest..total as i64) => Ok(()),
        Ok(_) => Err(Difference::Stack),
        Err(difference) => Err(difference),
    }
}

/// Whether two states are at the same place in the code, as far as the innermost call tells.
pub(crate) fn is_same_call(first: &Snapshot, second: &Snapshot) -> bool {
    first.words.get(REGISTERS) == second.words.get(REGISTERS)
}

/// The first byte of a range that is not the same in two stacks of one size, but for those that are old.
fn first_difference(
    first: &Snapshot,
    second: &Snapshot,
    range: Range<i64>,
    is_old: &dyn Fn(i64) -> bool,
) -> Option<i64> {
    let mut at = range.start;
    while at < range.end {
        let word = at as usize / WORD;
        let end = ((word + 1) * WORD) as i64;
        if first.words[word] != second.words[word]
            && let found @ Some(_) =
                (at..end.min(range.end)).find(|&at| byte(first, at) != byte(second, at) && !is_old(at))
        {
            return found;
        }
        at = end;
    }
    None
}

/// A byte of a stack.
fn byte(snapshot: &Snapshot, at: i64) -> u8 {
    snapshot.words[at as usize / WORD].to_ne_bytes()[at as usize % WORD]
}

/// A frame of a stack; offsets are from the top of the snapshot.
struct Frame {
    /// Where the address is that was called from.
    return_address: i64,
    /// The lowest byte of the frame, and the one behind its last.
    top: i64,
    end: i64,
    /// Where the registers are that its caller expects to find again.
    registers: [i64; REGISTERS],
    /// What is live; `None` if that is not known, and then the frame has no end either.
    live: Option<Rc<Live>>,
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use frame::{Live, REST};
/// As in `frame`.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
const REST: usize = 8;

/// What is live in a frame, on processors whose code is not understood: nobody knows.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
struct Live {
    depth: i64,
    bytes: Vec<Range<i64>>,
    registers: u16,
    saved: [Option<i64>; REGISTERS],
    arguments: i64,
    function: usize,
}

/// Visits the frames of a stack, from the top, until one is not understood. Returns where the rest begins.
fn walk<E>(
    words: &[usize],
    callee: &dyn Fn(usize) -> Callee,
    mut visit: impl FnMut(&Frame) -> Result<(), E>,
) -> Result<i64, E> {
    let total = (words.len() * WORD) as i64;
    let mut registers = [0i64; REGISTERS];
    registers.iter_mut().enumerate().for_each(|(register, at)| *at = (register * WORD) as i64);
    let mut return_address = (REGISTERS * WORD) as i64;
    let mut top = return_address + WORD as i64;
    while top <= total {
        let address = words[return_address as usize / WORD];
        let live = live_at(address, callee).filter(|live| top + live.depth <= total);
        let end = live.as_ref().map_or(total, |live| top + live.depth);
        let frame = Frame { return_address, top, end, registers, live };
        visit(&frame)?;
        let Some(live) = frame.live else { return Ok(total) };
        for (register, saved) in live.saved.iter().enumerate() {
            if let Some(offset) = saved {
                registers[register] = end + offset;
            }
        }
        return_address = end - WORD as i64;
        top = end;
    }
    Ok(top.min(total))
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub(super) fn live_at(_address: usize, _callee: &dyn Fn(usize) -> Callee) -> Option<Rc<Live>> {
    None
}

/// What is live where a call returns to an address.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) fn live_at(address: usize, callee: &dyn Fn(usize) -> Callee) -> Option<Rc<Live>> {
    use std::cell::RefCell;
    thread_local! {
        static PLACES: RefCell<ByAddress<Option<Rc<Live>>>> = RefCell::default();
    }
    if let Some(known) = PLACES.with_borrow(|all| all.get(&address).cloned()) {
        return known;
    }
    let find = || {
        let (function, row) = unwind::look_up(address)?;
        function_at(function.start, function.end, callee)?.at(address, &row).map(Rc::new)
    };
    let found = if address > 4096 { find() } else { None };
    tell(|| format!("live at {address:#x}: {found:?}"));
    PLACES.with_borrow_mut(|all| all.insert(address, found.clone()));
    found
}

/// The function from `start` to `end`, if its code is understood.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(super) fn function_at(start: usize, end: usize, callee: &dyn Fn(usize) -> Callee) -> Option<Rc<frame::Function>> {
    use std::cell::RefCell;
    thread_local! {
        static FUNCTIONS: RefCell<ByAddress<Option<Rc<frame::Function>>>> = RefCell::default();
    }
    FUNCTIONS.with_borrow(|all| all.get(&start).cloned()).unwrap_or_else(|| {
        let found = frame::understand(start, end, callee);
        if let Err(reason) = &found {
            tell(|| format!("the function at {start:#x} is compared as a whole: {reason}"));
        }
        let found = found.ok().map(Rc::new);
        FUNCTIONS.with_borrow_mut(|all| all.insert(start, found.clone()));
        found
    })
}

/// Says what is found out about loops, for who looks for a mistake here: if `QUOTIENT_TELL_LOOPS` is set.
pub(super) fn tell(text: impl FnOnce() -> String) {
    static TELLS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    if *TELLS.get_or_init(|| std::env::var_os("QUOTIENT_TELL_LOOPS").is_some()) {
        // Nobody is harmed if standard error is closed.
        let _ = writeln!(std::io::stderr(), "loops: {}", text());
    }
}

/// Overwrites everything on a stack that is said to be dead: nothing may change by that.
pub(crate) fn scramble((top, base): (usize, usize), callee: &dyn Fn(usize) -> Callee) {
    let snapshot = take((top, base), Vec::new(), &[], Mark::default());
    let mut live_registers = [false; REGISTERS];
    let mut arguments = 0..0;
    let mut dead: Vec<i64> = Vec::new();
    let _ = walk(&snapshot.words, callee, |frame| {
        let Some(live) = &frame.live else { return Err(()) };
        for (register, is_live) in live_registers.iter_mut().enumerate() {
            *is_live |= (live.registers >> register | live.registers >> (register + REST)) & 1 == 1;
        }
        for at in frame.top..frame.end - WORD as i64 {
            let offset = at - frame.end;
            let is_saved = live.saved.iter().flatten().any(|saved| (*saved..saved + WORD as i64).contains(&offset));
            if !is_saved && !arguments.contains(&at) && !live.bytes.iter().any(|range| range.contains(&offset)) {
                dead.push(at);
            }
        }
        for (register, saved) in live.saved.iter().enumerate() {
            // The host may look at the frame pointer, whether the program needs it or not.
            let is_frame_pointer = register == REGISTERS - 1;
            if saved.is_some() && !std::mem::take(&mut live_registers[register]) && !is_frame_pointer {
                // The register is saved here and was not needed since: what it was in the frames above is dead.
                dead.extend(frame.registers[register]..frame.registers[register] + WORD as i64);
            }
        }
        arguments = frame.end..frame.end + live.arguments;
        Ok(())
    });
    tell(|| format!("{} bytes are overwritten", dead.len()));
    for at in dead {
        let address = snapshot.top + at as usize;
        // SAFETY: the address is on the stack of the thread that has called, above everything of the checker's.
        unsafe { ptr::write_volatile(address as *mut u8, 0xA5 ^ address as u8) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_place_is_compared_as_a_whole() {
        let snapshot = |last| Snapshot {
            top: 0,
            words: vec![0, 0, 0, 0, 0, 0, 1, 7, last],
            blocks: Vec::new(),
            mark: Mark::default(),
            environment: Environment::now(),
        };
        let callee = |_| Callee::Unknown;
        assert_eq!(compare(&snapshot(5), &snapshot(5), &callee), Ok(()));
        assert_eq!(compare(&snapshot(5), &snapshot(6), &callee), Err(Difference::Stack));
    }
}
