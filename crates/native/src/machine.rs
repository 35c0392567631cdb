//! The state of the program that runs: one per process, used by the one OS thread that explores.

use crate::calls::atomic::Atomic;
use crate::calls::clock::Clocks;
use crate::calls::lifetime::Lives;
use crate::calls::process_end::Ends;
use crate::calls::sync::Primitives;
use crate::calls::threads::Threads;
use crate::calls::unroll::Unroll;
use crate::calls::atomic128::Wide;
use crate::check::likeness::Likeness;
use crate::options::{Leaks, Stuck};
use crate::check::order::Order;
use crate::memory::bare::Wrong;
use crate::memory::bits::{self, Half};
use crate::memory::heap::Heap;
use crate::memory::image::Image;
use crate::memory::shadow::Entry;
use crate::memory::unwritten::{Fills, StackBlock};
use crate::memory::address_space;
use quotient_runtime::ViolationKind;
use quotient_runtime::native::{self, LocationId, Site};
use rapidhash::fast::RandomState;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::MaybeUninit;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

/// A map from addresses.
pub(crate) type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// Spreads the bits of an address.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

/// What was written: address, size, what was there.
pub(crate) type Journal = Vec<(usize, u8, u64)>;

/// Something of the program was cut off.
#[derive(Debug)]
pub(crate) struct Cut {
    /// What, in words.
    pub what: Cow<'static, str>,
    /// Where, if that is of interest.
    pub pc: Option<usize>,
}

/// A thread and how many events it has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Point {
    pub thread: u32,
    pub position: u32,
}

/// What the program and the host share, at the beginning of the object; `glue.c` has the same.
#[repr(C)]
pub(crate) struct Shared {
    /// Where the last call of a stub came from.
    pub pc: usize,
    /// The stack pointer then.
    pub sp: usize,
    /// The lowest address of the stack that belongs to the program, its registers included.
    pub frame: usize,
    /// Between these are functions that call others of them on behalf of the program.
    pub glue: [usize; 2],
    /// Whether a write to a volatile variable has happened and not yet been made an event.
    pub pending: usize,
    /// Where an exception was thrown last.
    pub thrown: usize,
    /// The function of the C++ library that gives the type of the exception that is handled, if there is one.
    pub exception_type: usize,
    /// Where the user's code begins.
    pub users: usize,
    /// What functions of the library keep between calls.
    pub kept: usize,
    pub functions: [usize; 1014],
}

/// What one thread has written to memory other than its own stack.
#[derive(Default)]
pub(crate) struct Written {
    /// How many events it had had at the last such write; this is looked at on every write.
    last: Cell<Option<u32>>,
    /// The same for all such writes.
    positions: RefCell<Vec<u32>>,
}

impl Written {
    /// The thread, which has had so many events, writes.
    #[inline(always)]
    pub(crate) fn note(&self, position: u32, is_elsewhere: impl FnOnce() -> bool) {
        if self.last.get() != Some(position) && is_elsewhere() {
            self.add(position);
        }
    }

    #[inline(never)]
    fn add(&self, position: u32) {
        self.last.set(Some(position));
        self.positions.borrow_mut().push(position);
    }

    /// Whether it has written when it had had so many events.
    pub(crate) fn is_within(&self, positions: RangeInclusive<u32>) -> bool {
        self.positions.borrow().iter().any(|position| positions.contains(position))
    }

    fn clear(&self) {
        if self.last.take().is_some() {
            self.positions.borrow_mut().clear();
        }
    }
}

/// Everything about the program that runs.
///
/// Many functions have the machine at the same time: those of the host call each other, the explorer calls them in the
/// middle of an operation, and a signal may come at any time. So nobody has it alone. What is small is in a [`Cell`]; every
/// larger part is borrowed for one call at a time. A borrow must be over before the program, the explorer or [`violate`] is
/// called: from there the thread may never come back, and the part would stay borrowed.
pub(crate) struct Machine {
    pub shared: Cell<*mut Shared>,
    /// Calls a function of the program with two arguments; nothing unwinds through it.
    pub call: Cell<usize>,
    /// Differs between executions; what is in the shadow is about the one it is tagged with.
    pub tag: Cell<u32>,
    /// Where instrumented code was last seen.
    pub last_pc: Cell<usize>,
    /// Who runs now. Kept up to date after every visible operation.
    pub here: Cell<Point>,
    /// Whether the program runs: calls before and after, of constructors, are not looked at.
    pub running: Cell<bool>,
    pub image_start: Cell<usize>,
    pub image_size: Cell<usize>,
    pub image_shadow: Cell<usize>,
    /// Which bytes of each 8 of the image exist; all, if there are none.
    pub image_valid: OnceCell<Vec<u8>>,
    /// Where the user's code is in the image, and its size.
    pub users: Cell<(usize, usize)>,
    pub image: OnceCell<Image>,
    /// More accesses than a cell has room for.
    pub more_entries: RefCell<ByAddress<Vec<Entry>>>,
    /// More locations than a cell has room for.
    pub more_locations: RefCell<ByAddress<Vec<(u8, LocationId)>>>,
    /// Reads of what nobody has written, by threads that seem to change bits of it.
    pub halves: RefCell<Vec<Half>>,
    /// Locations in memory that is not the program's.
    pub foreign: RefCell<ByAddress<LocationId>>,
    /// The address and the size of each location.
    pub names: RefCell<Vec<(usize, u8)>>,
    pub sites: RefCell<ByAddress<Site>>,
    /// Some of them, where they are found at once.
    recent_sites: [Cell<Option<(usize, Site)>>; RECENT],
    pub places: RefCell<HashMap<usize, usize, RandomState>>,
    pub heap: RefCell<Heap>,
    pub threads: RefCell<Threads>,
    pub clocks: RefCell<Clocks>,
    pub likeness: RefCell<Likeness>,
    /// Whether what threads do is noted there, to be compared.
    pub noting: Cell<bool>,
    /// Where the program computes with addresses.
    pub order: RefCell<Order>,
    pub primitives: RefCell<Primitives>,
    /// When each of them was made and destroyed.
    pub lives: RefCell<Lives>,
    /// The names of values of 16 bytes.
    pub wide: RefCell<Wide>,
    pub output: RefCell<Vec<u8>>,
    /// The buffer that the program has given to the output.
    pub buffer: Cell<usize>,
    /// Whether a thread has waited, without a deadline, to be woken, in any execution.
    pub waits_for_others: Cell<bool>,
    /// Where a thread has woken up without a reason, the last one in this execution.
    pub woken_at: Cell<Option<usize>>,
    /// What the program has done wrong.
    pub mistake: Cell<Option<ProgramError>>,
    /// The accesses that race, the latest first: the thread and its next event, what it has done, and where.
    pub racing: RefCell<Vec<(Point, &'static str, usize)>>,
    /// An access that was not instrumented and is wrong, until it is reported.
    pub wrong: Cell<Option<Wrong>>,
    /// A thread that may be in a loop.
    pub watched: Cell<Option<u32>>,
    /// What it has written.
    pub journal: RefCell<Journal>,
    /// For each thread, when it wrote to memory other than its own stack.
    pub written: Box<[Written]>,
    /// Where threads have begun to do what they say is final, and at which of their events that ends.
    pub finals: RefCell<Vec<(Point, u32)>>,
    /// Whether the program can look at its error number.
    pub reads_errno: Cell<bool>,
    /// For each thread, what it has done that lasts and is neither an event nor a write: memory freed, a primitive made or
    /// destroyed, a value kept for a thread. A number for each.
    pub deeds: Box<[RefCell<Vec<u64>>]>,
    /// Whether there are any.
    has_deeds: Cell<bool>,
    /// How often loops have gone back.
    pub unroll: RefCell<Unroll>,
    /// Whether there is a limit on that.
    limits_loops: bool,
    /// Why something was cut off, if it was.
    pub cut: RefCell<Option<Cut>>,
    /// Whether accesses to volatile variables are atomic operations.
    pub relaxed_volatile: Cell<bool>,
    /// The last write to a volatile variable, if it is not an event yet, and what was there before.
    pub pending: Cell<Option<(Atomic, u64)>>,
    /// Who has read a volatile variable, where, and how often in a row.
    pub busy: Cell<(Point, usize, u32)>,
    /// What local variables are filled with where they are declared.
    pub fills: Cell<Fills>,
    /// The blocks of `alloca` and the arrays that were filled by calls, and some of those that are gone.
    pub stack_blocks: RefCell<Vec<StackBlock>>,
    pub leaks: Leaks,
    /// The first leak, when it is only a warning.
    pub leak_warning: RefCell<Option<(String, Option<Site>)>>,
    /// Whether `main` has returned, or somebody has called `exit`.
    pub ended: Cell<bool>,
    /// What to do about threads that are stuck when the program ends, and the first of them.
    pub stuck: Cell<Stuck>,
    pub stuck_note: RefCell<Option<String>>,
    /// Who ends the process, and what is done then.
    pub ends: Ends,
}

const RECENT: usize = 256;

struct Global(UnsafeCell<MaybeUninit<Machine>>);

// SAFETY: one OS thread uses it at a time: the one that sets it up and that waits, when it has begun a check, for the one
// that explores.
unsafe impl Sync for Global {}

static MACHINE: Global = Global(UnsafeCell::new(MaybeUninit::uninit()));
static IS_SET_UP: AtomicBool = AtomicBool::new(false);

/// The machine. Every call of the program asks for it more than once, so whether it is set up is not looked at: that is the
/// first thing that a process does which checks a program, and nobody else comes here.
#[inline(always)]
pub(crate) fn machine() -> &'static Machine {
    debug_assert!(IS_SET_UP.load(Ordering::Relaxed), "the machine is set up before the program is loaded");
    // SAFETY: it has been set up, as said above, and only has parts that can be changed one by one.
    unsafe { (*MACHINE.0.get()).assume_init_ref() }
}

/// Makes the machine ready for a program to be loaded, once in a process.
pub(crate) fn set_up(leaks: Leaks, unroll: Option<u32>) {
    let machine = Machine {
        shared: Cell::new(std::ptr::null_mut()),
        call: Cell::default(),
        tag: Cell::new(1),
        last_pc: Cell::default(),
        here: Cell::default(),
        running: Cell::default(),
        image_start: Cell::default(),
        image_size: Cell::default(),
        image_shadow: Cell::default(),
        image_valid: OnceCell::new(),
        users: Cell::default(),
        image: OnceCell::new(),
        more_entries: RefCell::default(),
        more_locations: RefCell::default(),
        halves: RefCell::default(),
        finals: RefCell::default(),
        reads_errno: Cell::default(),
        foreign: RefCell::default(),
        names: RefCell::default(),
        sites: RefCell::default(),
        recent_sites: [const { Cell::new(None) }; RECENT],
        places: RefCell::default(),
        heap: RefCell::default(),
        threads: RefCell::default(),
        clocks: RefCell::default(),
        likeness: RefCell::default(),
        noting: Cell::default(),
        order: RefCell::default(),
        primitives: RefCell::default(),
        lives: RefCell::default(),
        wide: RefCell::default(),
        output: RefCell::default(),
        buffer: Cell::default(),
        waits_for_others: Cell::default(),
        woken_at: Cell::default(),
        mistake: Cell::default(),
        racing: RefCell::default(),
        wrong: Cell::default(),
        watched: Cell::default(),
        journal: RefCell::default(),
        deeds: (0..address_space::THREADS).map(|_| RefCell::default()).collect(),
        has_deeds: Cell::default(),
        written: (0..address_space::THREADS).map(|_| Written::default()).collect(),
        unroll: RefCell::new(Unroll::new(unroll)),
        limits_loops: unroll.is_some(),
        cut: RefCell::default(),
        relaxed_volatile: Cell::default(),
        pending: Cell::default(),
        busy: Cell::default(),
        fills: Cell::default(),
        stack_blocks: RefCell::default(),
        leaks,
        leak_warning: RefCell::default(),
        ended: Cell::default(),
        stuck: Cell::new(Stuck::Note),
        stuck_note: RefCell::default(),
        ends: Ends::default(),
    };
    assert!(!IS_SET_UP.swap(true, Ordering::Relaxed), "a process checks one program");
    // SAFETY: nobody has asked for the machine before, and nobody else sets it.
    unsafe { (*MACHINE.0.get()).write(machine) };
}

impl Machine {
    /// Where the last call of instrumented code came from.
    #[inline]
    pub(crate) fn quick_pc(&self) -> usize {
        // SAFETY: the program has called, so it has been attached.
        let pc = unsafe { (*self.shared.get()).pc };
        self.last_pc.set(pc);
        pc
    }

    /// Where the last call came from. If a library has called, where the program was seen last.
    #[inline]
    pub(crate) fn pc(&self) -> usize {
        // SAFETY: the program has called, so it has been attached.
        let pc = unsafe { (*self.shared.get()).pc };
        let (start, size) = self.users.get();
        if pc.wrapping_sub(start) < size { pc } else { self.distant_pc() }
    }

    /// The same if it was not the user's code that has called.
    #[cold]
    fn distant_pc(&self) -> usize {
        // SAFETY: as above; nothing of the program runs meanwhile that could change it.
        let Shared { pc, frame, glue: [begin, end], .. } = unsafe { &*self.shared.get() };
        let mut pc = *pc;
        if (*begin..*end).contains(&pc) {
            // SAFETY: the stub has saved the frame pointer of its caller, which keeps one, at the end of the frame.
            let pointer = unsafe { *((frame + 40) as *const usize) };
            // A program that has written into its frames has none left that is worth following.
            let is_frame = address_space::part_of(*frame).is_none_or(|(thread, _)| {
                let (_, end) = address_space::stack(thread);
                (*frame..end - 16).contains(&pointer)
            });
            // SAFETY: behind where it points, on the same stack, is where the caller was called from.
            pc = if is_frame { unsafe { *((pointer + 8) as *const usize) } } else { 0 };
        }
        let known = self.image().is_none_or(|image| image.is_users(pc));
        let last = self.last_pc.get();
        if known || last == 0 { pc } else { last }
    }

    /// The program's object, once it has been loaded.
    #[inline]
    pub(crate) fn image(&self) -> Option<&Image> {
        self.image.get()
    }

    /// Whether what threads do is being noted, to be compared.
    #[inline]
    pub(crate) fn is_noting(&self) -> bool {
        self.noting.get()
    }

    /// Whether more is done about an operation than to perform it.
    #[inline]
    pub(crate) fn looks_closely(&self) -> bool {
        self.limits_loops || self.is_noting() || !self.running.get()
    }

    /// The lowest address of the stack that belongs to the program.
    #[inline]
    pub(crate) fn frame(&self) -> usize {
        // SAFETY: as above.
        unsafe { (*self.shared.get()).frame }
    }

    /// The place in the code that a call came from.
    #[inline]
    pub(crate) fn site(&self, pc: usize) -> Site {
        match self.recent_sites[pc % RECENT].get() {
            Some((of, site)) if of == pc => site,
            _ => self.find_site(pc),
        }
    }

    #[inline(never)]
    fn find_site(&self, pc: usize) -> Site {
        let site = *self.sites.borrow_mut().entry(pc).or_insert_with(|| {
            let site = native::new_site();
            self.places.borrow_mut().insert(std::ptr::from_ref(site) as usize, pc);
            site
        });
        self.recent_sites[pc % RECENT].set(Some((pc, site)));
        site
    }

    /// The place in the code that a site stands for.
    pub(crate) fn pc_of_site(&self, site: Site) -> Option<usize> {
        self.places.borrow().get(&(std::ptr::from_ref(site) as usize)).copied()
    }

    /// Where a location is; 0 if that is not known.
    pub(crate) fn address_of(&self, location: LocationId) -> usize {
        self.names.borrow().get(location as usize).map_or(0, |&(address, _)| address)
    }

    /// Notes that something was cut off. The first is what is told. This allocates nothing, so signal handlers may call it.
    pub(crate) fn note_cut(&self, what: &'static str, pc: Option<usize>) {
        self.cut.borrow_mut().get_or_insert(Cut { what: Cow::Borrowed(what), pc });
    }

    /// What was cut off, and where.
    pub(crate) fn say_cut(&self) -> Option<String> {
        let cut = self.cut.borrow();
        let Cut { what, pc } = cut.as_ref()?;
        Some(pc.map_or_else(|| what.to_string(), |pc| format!("{what} ({})", self.describe(pc))))
    }

    /// The current thread does something that lasts and is neither an event nor a write. `what` says as much of it as others
    /// may find out, such as a value that is kept.
    pub(crate) fn note_deed(&self, what: u64) {
        self.deeds[self.here.get().thread as usize].borrow_mut().push(what);
        self.has_deeds.set(true);
    }

    /// The same, of something that nobody knows: it is like nothing that is done in another run.
    pub(crate) fn note_unknown_deed(&self) {
        self.note_deed(u64::from(self.tag.get()));
    }

    /// Notes who runs, after something that may have let others run.
    #[inline]
    pub(crate) fn refresh(&self) {
        self.here.set(native::look(|explorer, thread| Point { thread, position: explorer.position(thread) }));
        bits::expect_written(self);
    }

    /// The current thread may have to wait for others. Its stack is in use from here on.
    #[inline(always)]
    pub(crate) fn note_waits(&self, frame: usize) {
        self.threads.borrow_mut().note_top(self.here.get().thread, frame);
    }

    /// An execution begins.
    pub(crate) fn begin(&self) {
        self.tag.set(self.tag.get().wrapping_add(1).max(1));
        self.more_entries.borrow_mut().clear();
        self.more_locations.borrow_mut().clear();
        self.halves.borrow_mut().clear();
        self.finals.borrow_mut().clear();
        self.stack_blocks.borrow_mut().clear();
        self.foreign.borrow_mut().clear();
        self.unroll.borrow_mut().reset();
        self.heap.borrow_mut().reset();
        // SAFETY: the program, if it is loaded, has called.
        if let Some(shared) = unsafe { self.shared.get().as_ref() } {
            // Whoever ran last may have been given up there.
            self.note_waits(shared.sp);
        }
        // Only those that have run have written.
        let ran = self.threads.borrow().len().max(1);
        self.written.iter().take(ran).for_each(Written::clear);
        if self.has_deeds.take() {
            self.deeds.iter().take(ran).for_each(|deeds| deeds.borrow_mut().clear());
        }
        self.threads.borrow_mut().reset();
        self.clocks.borrow_mut().reset();
        self.woken_at.set(None);
        self.primitives.borrow_mut().reset();
        self.lives.borrow_mut().reset();
        self.output.borrow_mut().clear();
        self.buffer.set(0);
        self.mistake.set(None);
        self.ended.set(false);
        self.racing.borrow_mut().clear();
        self.watched.set(None);
        crate::calls::volatile::forget(self);
        self.ends.reset();
        self.here.set(Point { thread: 0, position: 1 });
    }

    /// Whether no part is borrowed, as must be so when a thread may not come back.
    fn is_free(&self) -> bool {
        fn is_free<T>(part: &RefCell<T>) -> bool {
            part.try_borrow_mut().is_ok()
        }
        is_free(&self.more_entries)
            && is_free(&self.more_locations)
            && is_free(&self.halves)
            && is_free(&self.foreign)
            && is_free(&self.names)
            && is_free(&self.sites)
            && is_free(&self.places)
            && is_free(&self.heap)
            && is_free(&self.threads)
            && is_free(&self.clocks)
            && is_free(&self.likeness)
            && is_free(&self.order)
            && is_free(&self.primitives)
            && is_free(&self.lives)
            && is_free(&self.wide)
            && is_free(&self.output)
            && is_free(&self.racing)
            && is_free(&self.journal)
            && is_free(&self.finals)
            && is_free(&self.stack_blocks)
            && is_free(&self.unroll)
            && is_free(&self.cut)
            && self.ends.is_free()
    }
}

/// What a program can do wrong, by the name that reports have for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramError {
    Assertion,
    Abort,
    Race,
    Deadlock,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    NullPointer,
    OutOfBounds,
    WildPointer,
    DeadStack,
    Uninitialised,
    StackOverflow,
    Crash,
    Misuse,
    MixedSize,
    Annotation,
    Unsupported,
}

impl ProgramError {
    /// The name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ProgramError::Assertion => "assertion",
            ProgramError::Abort => "abort",
            ProgramError::Race => "race",
            ProgramError::Deadlock => "deadlock",
            ProgramError::UseAfterFree => "use-after-free",
            ProgramError::DoubleFree => "double-free",
            ProgramError::InvalidFree => "invalid-free",
            ProgramError::NullPointer => "null-pointer",
            ProgramError::OutOfBounds => "out-of-bounds",
            ProgramError::WildPointer => "wild-pointer",
            ProgramError::DeadStack => "dead-stack",
            ProgramError::Uninitialised => "uninitialised",
            ProgramError::StackOverflow => "stack-overflow",
            ProgramError::Crash => "crash",
            ProgramError::Misuse => "misuse",
            ProgramError::MixedSize => "mixed-size",
            ProgramError::Annotation => "annotation",
            ProgramError::Unsupported => "unsupported",
        }
    }

    fn kind(self) -> ViolationKind {
        match self {
            ProgramError::Assertion | ProgramError::Abort => ViolationKind::Panic,
            ProgramError::Race => ViolationKind::Race,
            ProgramError::Deadlock => ViolationKind::Deadlock,
            ProgramError::Misuse | ProgramError::MixedSize => ViolationKind::Misuse,
            ProgramError::Annotation => ViolationKind::Annotation,
            ProgramError::Unsupported => ViolationKind::Bound,
            _ => ViolationKind::Memory,
        }
    }
}

/// Ends the execution with a violation at the place that the last call came from.
pub(crate) fn violate(mistake: ProgramError, message: String, pc: usize) -> ! {
    let machine = machine();
    debug_assert!(machine.is_free(), "a part of the machine would stay borrowed: {message}");
    if !machine.running.get() {
        crate::check::child::complain(format!("before `main` begins: {message}"));
    }
    let site = machine.site(crate::calls::library::caller::users_line(pc));
    machine.mistake.set(Some(mistake));
    native::violate(mistake.kind(), message, Some(site))
}
