//! The state of the program that runs: one per process, used by the one OS thread that explores.

use crate::calls::atomic::Atomic;
use crate::calls::clock::Clocks;
use crate::calls::lifetime::Lives;
use crate::calls::sync::Primitives;
use crate::calls::threads::Threads;
use crate::calls::unroll::Unroll;
use crate::calls::atomic128::Wide;
use crate::check::likeness::Likeness;
use crate::options::{Leaks, Stuck};
use crate::check::order::Order;
use crate::memory::bits::{self, Half};
use crate::memory::heap::Heap;
use crate::memory::image::Image;
use crate::memory::shadow::Entry;
use crate::memory::unwritten::Fills;
use crate::memory::address_space;
use quotient_runtime::ViolationKind;
use quotient_runtime::native::{self, LocationId, Site};
use rapidhash::fast::RandomState;
use std::borrow::Cow;
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// Everything about the program that runs.
pub(crate) struct Machine {
    pub shared: *mut Shared,
    /// Calls a function of the program with two arguments; nothing unwinds through it.
    pub call: usize,
    /// Differs between executions; what is in the shadow is about the one it is tagged with.
    pub tag: u32,
    /// Where instrumented code was last seen.
    pub last_pc: usize,
    /// Who runs now. Kept up to date after every visible operation.
    pub here: Point,
    /// Whether the program runs: calls before and after, of constructors, are not looked at.
    pub running: bool,
    pub image_start: usize,
    pub image_size: usize,
    pub image_shadow: usize,
    /// Which bytes of each 8 of the image exist; all, if there are none.
    pub image_valid: Vec<u8>,
    /// Where the user's code is in the image, and its size.
    pub users: (usize, usize),
    pub image: Option<Image>,
    /// More accesses than a cell has room for.
    pub more_entries: ByAddress<Vec<Entry>>,
    /// More locations than a cell has room for.
    pub more_locations: ByAddress<Vec<(u8, LocationId)>>,
    /// Reads of what nobody has written, by threads that seem to change bits of it.
    pub halves: Vec<Half>,
    /// Locations in memory that is not the program's.
    pub foreign: ByAddress<LocationId>,
    /// The address and the size of each location.
    pub names: Vec<(usize, u8)>,
    pub sites: ByAddress<Site>,
    /// Some of them, where they are found at once.
    recent_sites: [Option<(usize, Site)>; RECENT],
    pub places: HashMap<usize, usize, RandomState>,
    pub heap: Heap,
    pub threads: Threads,
    pub clocks: Clocks,
    pub likeness: Likeness,
    /// Where the program computes with addresses.
    pub order: Order,
    pub primitives: Primitives,
    /// When each of them was made and destroyed.
    pub lives: Lives,
    /// The names of values of 16 bytes.
    pub wide: Wide,
    pub output: Vec<u8>,
    /// Whether a thread has waited, without a deadline, to be woken, in any execution.
    pub waits_for_others: bool,
    /// Where a thread has woken up without a reason, the last one in this execution.
    pub woken_at: Option<usize>,
    /// What the program has done wrong.
    pub mistake: Option<ProgramError>,
    /// The accesses that race, the latest first: the thread and its next event, what it has done, and where.
    pub racing: Vec<(Point, &'static str, usize)>,
    /// An access that was not instrumented and is wrong, until it is reported.
    pub wrong: Option<crate::memory::bare::Wrong>,
    /// A thread that may be in a loop, and what it has written.
    pub journal: Option<(u32, Journal)>,
    /// For each thread, how many events it had had when it wrote to memory other than its own stack.
    pub written: Vec<Vec<u32>>,
    /// Where threads have begun to do what they say is final, and at which of their events that ends.
    pub finals: Vec<(Point, u32)>,
    /// Whether the program can look at its error number.
    pub reads_errno: bool,
    /// How often each thread has done something that lasts and is neither an event nor a write: memory freed, a primitive made or
    /// destroyed, a value kept for a thread.
    pub deeds: Vec<u64>,
    /// How often loops have gone back.
    pub unroll: Unroll,
    /// Why something was cut off, if it was.
    pub cut: Option<Cut>,
    /// Whether accesses to volatile variables are atomic operations.
    pub relaxed_volatile: bool,
    /// The last write to a volatile variable, if it is not an event yet, and what was there before.
    pub pending: Option<(Atomic, u64)>,
    /// Who has read a volatile variable, where, and how often in a row.
    pub busy: (Point, usize, u32),
    /// What local variables are filled with where they are declared.
    pub fills: Fills,
    pub leaks: Leaks,
    /// The first leak, when it is only a warning.
    pub leak_warning: Option<(String, Option<Site>)>,
    /// Whether `main` has returned, or somebody has called `exit`.
    pub ended: bool,
    /// What to do about threads that are stuck when the program ends, and the first of them.
    pub stuck: Stuck,
    pub stuck_note: Option<String>,
    /// What was registered for the end of the program: function, argument.
    pub exit_handlers: Vec<(usize, usize)>,
    /// Those of them that constructors have registered, and that are there in every execution.
    pub early_exit_handlers: Vec<(usize, usize)>,
    /// The same for the end by `quick_exit`.
    pub quick_exit_handlers: Vec<usize>,
    pub early_quick_exit_handlers: Vec<usize>,
}

const RECENT: usize = 256;

struct Global(UnsafeCell<Option<Machine>>);

// SAFETY: only the OS thread that explores uses it, after it was set up.
unsafe impl Sync for Global {}

static MACHINE: Global = Global(UnsafeCell::new(None));

/// The machine. References to it must not be kept across visible operations.
#[inline]
pub(crate) fn machine() -> &'static mut Machine {
    // SAFETY: only the OS thread that explores comes here, after `set_up`; no function keeps a reference while it runs
    // the program or waits.
    unsafe { (*MACHINE.0.get()).as_mut().expect("the machine is set up before the program is loaded") }
}

/// Makes the machine ready for a program to be loaded.
pub(crate) fn set_up(leaks: Leaks, unroll: Option<u32>) {
    let machine = Machine {
        shared: std::ptr::null_mut(),
        call: 0,
        tag: 1,
        last_pc: 0,
        here: Point::default(),
        running: false,
        image_start: 0,
        image_size: 0,
        image_shadow: 0,
        image_valid: Vec::new(),
        users: (0, 0),
        image: None,
        more_entries: ByAddress::default(),
        more_locations: ByAddress::default(),
        halves: Vec::new(),
        finals: Vec::new(),
        reads_errno: false,
        foreign: ByAddress::default(),
        names: Vec::new(),
        sites: ByAddress::default(),
        recent_sites: [None; RECENT],
        places: HashMap::default(),
        heap: Heap::default(),
        threads: Threads::default(),
        clocks: Clocks::default(),
        likeness: Likeness::default(),
        order: Order::default(),
        primitives: Primitives::default(),
        lives: Lives::default(),
        wide: Wide::default(),
        output: Vec::new(),
        waits_for_others: false,
        woken_at: None,
        mistake: None,
        racing: Vec::new(),
        wrong: None,
        journal: None,
        deeds: vec![0; address_space::THREADS],
        written: vec![Vec::new(); address_space::THREADS],
        unroll: Unroll::new(unroll),
        cut: None,
        relaxed_volatile: false,
        pending: None,
        busy: (Point::default(), 0, 0),
        fills: Fills::default(),
        leaks,
        leak_warning: None,
        ended: false,
        stuck: Stuck::Note,
        stuck_note: None,
        exit_handlers: Vec::new(),
        quick_exit_handlers: Vec::new(),
        early_quick_exit_handlers: Vec::new(),
        early_exit_handlers: Vec::new(),
    };
    // SAFETY: nobody uses the machine yet.
    unsafe { *MACHINE.0.get() = Some(machine) };
}

impl Machine {
    /// Where the last call of instrumented code came from.
    #[inline]
    pub(crate) fn quick_pc(&mut self) -> usize {
        // SAFETY: the program has called, so it has been attached.
        self.last_pc = unsafe { (*self.shared).pc };
        self.last_pc
    }

    /// Where the last call came from. If a library has called, where the program was seen last.
    #[inline]
    pub(crate) fn pc(&mut self) -> usize {
        // SAFETY: the program has called, so it has been attached.
        let pc = unsafe { (*self.shared).pc };
        if pc.wrapping_sub(self.users.0) < self.users.1 { pc } else { self.distant_pc() }
    }

    /// The same if it was not the user's code that has called.
    #[cold]
    fn distant_pc(&self) -> usize {
        // SAFETY: as above.
        let Shared { pc, frame, glue: [begin, end], .. } = unsafe { &*self.shared };
        let mut pc = *pc;
        if (*begin..*end).contains(&pc) {
            // SAFETY: the stub has saved the frame pointer of its caller, which keeps one, at the end of the frame; and
            // behind where that points is where the caller was called from.
            pc = unsafe { *((*((frame + 40) as *const usize) + 8) as *const usize) };
        }
        let known = self.image.as_ref().is_none_or(|image| image.is_users(pc));
        if known || self.last_pc == 0 { pc } else { self.last_pc }
    }

    /// Whether more is done about an operation than to perform it.
    #[inline]
    pub(crate) fn looks_closely(&self) -> bool {
        self.unroll.is_on() || self.likeness.is_noting() || !self.running
    }

    /// The lowest address of the stack that belongs to the program.
    #[inline]
    pub(crate) fn frame(&self) -> usize {
        // SAFETY: as above.
        unsafe { (*self.shared).frame }
    }

    /// The place in the code that a call came from.
    #[inline]
    pub(crate) fn site(&mut self, pc: usize) -> Site {
        let recent = pc % RECENT;
        match self.recent_sites[recent] {
            Some((of, site)) if of == pc => site,
            _ => self.find_site(pc),
        }
    }

    #[inline(never)]
    fn find_site(&mut self, pc: usize) -> Site {
        let site = self.sites.get(&pc).copied().unwrap_or_else(|| {
            let site = native::new_site();
            self.sites.insert(pc, site);
            self.places.insert(std::ptr::from_ref(site) as usize, pc);
            site
        });
        self.recent_sites[pc % RECENT] = Some((pc, site));
        site
    }

    /// Notes that something was cut off. The first is what is told. This allocates nothing, so signal handlers may call it.
    pub(crate) fn note_cut(&mut self, what: &'static str, pc: Option<usize>) {
        if self.cut.is_none() {
            self.cut = Some(Cut { what: Cow::Borrowed(what), pc });
        }
    }

    /// What was cut off, and where.
    pub(crate) fn say_cut(&self) -> Option<String> {
        let Cut { what, pc } = self.cut.as_ref()?;
        Some(pc.map_or_else(|| what.to_string(), |pc| format!("{what} ({})", self.describe(pc))))
    }

    /// The current thread does something that lasts and is neither an event nor a write.
    pub(crate) fn note_deed(&mut self) {
        self.deeds[self.here.thread as usize] += 1;
    }

    /// Notes who runs, after something that may have let others run.
    #[inline]
    pub(crate) fn refresh(&mut self) {
        self.here = native::look(|explorer, thread| Point { thread, position: explorer.position(thread) });
        bits::expect_written(self);
    }

    /// An execution begins.
    pub(crate) fn begin(&mut self) {
        self.tag = self.tag.wrapping_add(1).max(1);
        self.more_entries.clear();
        self.more_locations.clear();
        self.halves.clear();
        self.finals.clear();
        self.foreign.clear();
        self.unroll.reset();
        self.heap.reset();
        if !self.shared.is_null() {
            // SAFETY: the program is loaded, and has called. Whoever ran last may have been given up there.
            self.threads.note_top(self.here.thread, unsafe { (*self.shared).sp });
        }
        self.threads.reset();
        self.clocks.reset();
        self.woken_at = None;
        self.primitives.reset();
        self.lives.reset();
        self.output.clear();
        self.mistake = None;
        self.ended = false;
        self.racing.clear();
        self.journal = None;
        self.written.iter_mut().for_each(Vec::clear);
        crate::calls::volatile::forget(self);
        self.exit_handlers.clone_from(&self.early_exit_handlers);
        self.quick_exit_handlers.clone_from(&self.early_quick_exit_handlers);
        self.here = Point { thread: 0, position: 1 };
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
    if !machine.running {
        crate::check::child::complain(format!("before `main` begins: {message}"));
    }
    let pc = crate::calls::library::caller::users_line(pc);
    let machine = self::machine();
    let site = machine.site(pc);
    machine.mistake = Some(mistake);
    native::violate(mistake.kind(), message, Some(site))
}
