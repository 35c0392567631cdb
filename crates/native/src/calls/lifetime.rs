//! The lives of the objects that threads wait with: made once, used, destroyed when nobody uses them. What POSIX and C11
//! leave undefined is reported; an object in memory that has been overwritten since is a new one.

use crate::calls::arguments::Call;
use crate::calls::{abi, sync};
use crate::machine::{ByAddress, ProgramError, machine, violate};
use crate::memory::shadow::Touch;
use crate::memory::unwritten;
use crate::memory::address_space::{self, Part};
use quotient_runtime::native;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mutex,
    Condition,
    ReadWriteLock,
    Barrier,
    Semaphore,
    SpinLock,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Mutex => "mutex",
            Kind::Condition => "condition variable",
            Kind::ReadWriteLock => "read-write lock",
            Kind::Barrier => "barrier",
            Kind::Semaphore => "semaphore",
            Kind::SpinLock => "spin lock",
        }
    }

    fn of(name: &str) -> Option<Self> {
        let kinds = [Kind::Mutex, Kind::Condition, Kind::ReadWriteLock, Kind::Barrier, Kind::Semaphore, Kind::SpinLock];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Where the mark of an object that was made by a call is; its state is elsewhere. A spin lock has no room for one.
    fn mark(self) -> Option<usize> {
        match self {
            Kind::Mutex | Kind::Condition | Kind::ReadWriteLock => Some(32),
            Kind::Barrier | Kind::Semaphore => Some(24),
            Kind::SpinLock => None,
        }
    }

    /// Whether there is no way to make one but to call a function.
    fn needs_call(self) -> bool {
        matches!(self, Kind::Barrier | Kind::Semaphore | Kind::SpinLock)
    }

    /// How many bytes decide who may go on.
    fn state(self) -> usize {
        if self == Kind::SpinLock { 4 } else { 8 }
    }
}

/// What is in memory where an object was made by a call, as long as nothing else was put there.
const MARK: u64 = 0x7175_6F74_6D61_6465;

/// The objects of an execution, by their addresses.
#[derive(Default)]
pub(crate) struct Lives {
    made: ByAddress<Life>,
    /// Those that constructors have made, in every execution.
    early: Vec<(usize, Life)>,
    /// How many threads are in a call that may wait, by object.
    waiting: ByAddress<u32>,
    /// How often all that waited for something have been let go.
    releases: u64,
}

#[derive(Clone, Copy)]
struct Life {
    kind: Kind,
    /// Where it was made.
    pc: usize,
    /// Where it was destroyed.
    destroyed: Option<usize>,
}

impl Lives {
    pub(crate) fn reset(&mut self) {
        self.made.clear();
        self.waiting.clear();
        self.made.extend(self.early.iter().copied());
    }

    /// What there is now is there in every execution.
    pub(crate) fn keep(&mut self) {
        self.early = self.made.iter().map(|(&address, &life)| (address, life)).collect();
    }
}

/// Whether the object that was made at an address is still there: nothing else has been written over it.
fn is_marked(address: usize, kind: Kind) -> bool {
    match kind.mark() {
        // SAFETY: an object of this kind has so many bytes, and was made at this address.
        Some(offset) => unsafe { std::ptr::read_unaligned((address + offset) as *const u64) == MARK },
        None => true,
    }
}

/// What is known of the object at an address, unless the memory has been given to something else.
fn life(address: usize) -> Option<Life> {
    let life = machine().lives.borrow().made.get(&address).copied()?;
    is_marked(address, life.kind).then_some(life)
}

/// An object is about to be made.
pub(crate) fn before_making(address: usize, kind: Kind) {
    let pc = machine().pc();
    let name = kind.name();
    if address < 4096 {
        violate(ProgramError::Misuse, format!("a null pointer is used as a {name}"), pc);
    }
    if is_waited_for(address) {
        violate(ProgramError::Misuse, format!("a {name} is initialised while a thread waits for it"), pc);
    }
    // Without a mark, it may be another one on the stack, of a later call.
    let is_sure = kind.mark().is_some() || !matches!(address_space::part_of(address), Some((_, Part::Stack)));
    if let Some(Life { kind: earlier, pc: before, destroyed: None }) = life(address).filter(|_| is_sure) {
        let message = format!(
            "a {name} is initialised a second time; it was initialised{} at {}, and not destroyed since",
            if earlier == kind { String::new() } else { format!(" as a {}", earlier.name()) },
            machine().describe(before),
        );
        violate(ProgramError::Misuse, message, pc);
    }
}

/// An object has been made.
pub(crate) fn made(address: usize, kind: Kind) {
    let pc = machine().pc();
    if let Some(offset) = kind.mark() {
        // SAFETY: an object of this kind has so many bytes, which exist: they have just been written.
        unsafe { std::ptr::write_unaligned((address + offset) as *mut u64, MARK) };
    }
    machine().lives.borrow_mut().made.insert(address, Life { kind, pc, destroyed: None });
}

/// An object is about to be used.
pub(crate) fn check(address: usize, name: &'static str) {
    let machine = machine();
    let pc = machine.pc();
    if address < 4096 {
        violate(ProgramError::Misuse, format!("a null pointer is used as a {name}"), pc);
    }
    let life = life(address);
    // A thread that is replayed may be behind others: what it does next is in the execution, and is looked at after that.
    if !machine.running.get() || !native::look(|explorer, thread| explorer.is_to_go_on(thread)) {
        refuse_if_destroyed(address, name);
    }
    let kind = Kind::of(name);
    if let (Some(life), Some(kind)) = (life, kind)
        && life.kind != kind
    {
        let place = machine.describe(life.pc);
        let message = format!("a {} is used as a {name}; it was initialised at {place}", life.kind.name());
        violate(ProgramError::Misuse, message, pc);
    }
    let is_new = machine.cell(address).is_some_and(|cell| cell.valid.get() != 0 && cell.written.get() == 0);
    if is_new && unwritten::looks_new(address, 4) || life.is_none() && kind.is_some_and(Kind::needs_call) {
        violate(ProgramError::Misuse, format!("a {name} is used that was never initialised"), pc);
    }
}

/// An object must not be used any more once it has been destroyed.
pub(crate) fn refuse_if_destroyed(address: usize, name: &str) {
    if let Some(destroyed) = life(address).and_then(|life| life.destroyed) {
        let machine = machine();
        let (pc, place) = (machine.pc(), machine.describe(destroyed));
        violate(ProgramError::Misuse, format!("a {name} is used after it was destroyed, at {place}"), pc);
    }
}

/// An object that only a function can make, such as those of C11, is about to be used.
pub(crate) extern "C" fn check_made(address: usize) {
    if machine().running.get() && life(address).is_none() {
        let pc = machine().pc();
        let what = machine().describe_memory(address);
        violate(ProgramError::Misuse, format!("{what} is used as if it had been initialised, and never was"), pc);
    }
}

/// What attributes begin with when they have been destroyed; `glue.c` has the same.
const ATTRIBUTES_GONE: i32 = 0x676F_6E65;

/// Attributes are used, of whatever kind: they must have been made, and not destroyed.
pub(crate) extern "C" fn check_attributes(attributes: *const i32) {
    let call = Call::here();
    call.reads(attributes);
    // SAFETY: the program gives null or attributes, which begin with a number, and have been looked at.
    if unsafe { attributes.as_ref() }.is_some_and(|&first| first == ATTRIBUTES_GONE) {
        violate(ProgramError::Misuse, "attributes are used after they were destroyed".to_owned(), call.pc);
    }
}

/// A mutex of C11 is locked with a deadline: it must have been made for that.
pub(crate) extern "C" fn check_timed(mutex: usize) {
    check_made(mutex);
    if machine().running.get() && !sync::is_timed(mutex) {
        let pc = machine().pc();
        let message = "`mtx_timedlock` with a mutex that was not made with `mtx_timed`".to_owned();
        violate(ProgramError::Misuse, message, pc);
    }
}

/// An object ends. Whoever uses it must have done so before: that is a race otherwise, as with any other write.
pub(crate) fn destroy(address: usize, kind: Kind) {
    let pc = machine().pc();
    let name = kind.name();
    check(address, name);
    if is_waited_for(address) {
        violate(ProgramError::Misuse, format!("a {name} is destroyed while a thread waits for it"), pc);
    }
    // What is done with a condition variable orders no memory, so the end of one has a turn in its queue instead.
    if kind != Kind::Condition {
        abi::range(address, kind.state(), Touch::Destroy);
    }
    if life(address).is_none() {
        made(address, kind);
    }
    if let Some(life) = machine().lives.borrow_mut().made.get_mut(&address) {
        life.destroyed = Some(pc);
    }
}

fn is_waited_for(address: usize) -> bool {
    machine().lives.borrow().waiting.get(&address).is_some_and(|&threads| threads > 0)
}

/// A thread is in a call that may wait for an object.
pub(crate) struct Use {
    address: usize,
    tag: u32,
    releases: u64,
}

/// Notes that the current thread may wait for an object, until the result is dropped.
pub(crate) fn wait(address: usize) -> Use {
    let machine = machine();
    let mut lives = machine.lives.borrow_mut();
    *lives.waiting.entry(address).or_default() += 1;
    Use { address, tag: machine.tag.get(), releases: lives.releases }
}

/// All that wait for an object may go on, and look at it no more.
pub(crate) fn release_all(address: usize) {
    let mut lives = machine().lives.borrow_mut();
    lives.waiting.remove(&address);
    lives.releases += 1;
}

impl Drop for Use {
    fn drop(&mut self) {
        let machine = machine();
        let mut lives = machine.lives.borrow_mut();
        // A thread that is given up may be gone only when the next execution runs.
        if machine.tag.get() == self.tag
            && lives.releases == self.releases
            && let Some(threads) = lives.waiting.get_mut(&self.address)
        {
            *threads = threads.saturating_sub(1);
        }
    }
}
