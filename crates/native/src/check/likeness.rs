//! Threads that run the same function with different arguments: whether the program can tell them apart.
//!
//! Every execution is run again with such threads in each other's places (`quotient_runtime::likeness`). Each must then do
//! what the other did: the same operations on the same memory with the same values. What it keeps for itself may have
//! another address, as long as no other of the threads uses it, and there it may read its own argument. All that
//! others write must have the same value. So an id or an index is accepted if it only says where a thread keeps its own
//! things, and nobody else looks at them, or finds the same whoever was there.

mod carried;

use crate::calls::threads;
use crate::machine::{ByAddress, Machine, ProgramError, machine};
use crate::memory::shadow::Touch;
use crate::memory::address_space;
use quotient_runtime::graph::{Event, Kind};
use quotient_runtime::native::{Explorer, LocationId, Operation, Site, Update};
use quotient_runtime::{ThreadPermutation, rename_update, rename_when};
use rapidhash::fast::RandomState;
use std::collections::{HashMap, HashSet};

pub(crate) use carried::Carried;

/// What is known about threads that may be alike. It outlives executions.
#[derive(Default)]
pub(crate) struct Likeness {
    /// Whether it is of interest which threads are alike.
    pub matters: bool,
    /// Whether threads that run the same function are taken to be alike, whatever their arguments.
    pub by_function: bool,
    /// Why threads were not taken to be alike.
    pub refused: Vec<String>,
    /// How many times an execution was run again.
    pub runs: u64,
    /// By class.
    groups: HashMap<u64, Group, RandomState>,
    /// All threads with the same function, whether they are taken to be alike or not.
    families: HashMap<u64, Group, RandomState>,
    /// What was last noted of the start of each thread, which is mostly the same in every execution.
    started: Vec<Option<Start>>,
    /// What each thread does in the run that is compared.
    log: Option<Vec<Vec<Access>>>,
    /// What each thread does with every thread in its own place, and what it then waits for.
    baseline: Baseline,
    places: Option<ThreadPermutation>,
    /// Of the execution that is looked at: where its locations are, what it has printed, whether it has ended with the
    /// program, and which locations are mutexes.
    names: Vec<(usize, u8)>,
    output: Vec<u8>,
    ended: bool,
    mutexes: HashSet<usize>,
    /// Who uses a byte of memory, in any execution, by class.
    usage: HashMap<u64, ByAddress<Usage>>,
    /// What threads of a class return.
    results: HashMap<u64, usize>,
}

/// What each thread did, and what those that have not ended do next.
type Baseline = (Vec<Vec<Access>>, Vec<(u32, Operation)>);

/// How a thread is started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub class: u64,
    /// The class of those with the same function.
    pub family: u64,
    pub argument: usize,
    /// Whether the program says that those of the class are alike.
    pub claimed: bool,
    pub pc: usize,
}

/// Threads that were started one after the other with the same function.
struct Group {
    argument: usize,
    /// Whether their arguments differ.
    differs: bool,
    /// Whether the program says that they are alike.
    claimed: bool,
    /// Where the last one was started.
    pc: usize,
    /// The first and the last.
    threads: (u32, u32),
}

/// An access to memory, or a result of a thread, in a run that is compared.
#[derive(Clone, Copy, Debug)]
struct Access {
    kind: AccessKind,
    address: usize,
    size: usize,
    /// How many events the thread had.
    position: u32,
    /// What is read, if another thread may have written it.
    value: Option<u64>,
    /// What is to be done, if it is a visible operation.
    operation: Option<Operation>,
    pc: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessKind {
    Read,
    Write,
    Atomic,
    /// An operation without memory.
    Other,
    /// The result of the thread whose number is the address.
    Result,
}

/// Who uses a byte of memory.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// The threads of a class, one bit each.
    users: u128,
    /// Whether one of them writes it.
    written: bool,
    /// Whether it is used in another thread's place of something else.
    own: bool,
    /// Whether it is used by atomic operations of other threads.
    elsewhere: bool,
}

impl Usage {
    fn is_good(&self) -> bool {
        !self.own || !(self.elsewhere || self.written && self.users.count_ones() > 1)
    }
}

impl Likeness {
    /// A thread of a class has been started.
    #[inline]
    pub(crate) fn note_start(&mut self, thread: u32, start: Start) {
        if self.started.get(thread as usize) != Some(&Some(start)) {
            self.note_new_start(thread, start);
        }
    }

    fn note_new_start(&mut self, thread: u32, start: Start) {
        if self.started.len() <= thread as usize {
            self.started.resize(thread as usize + 1, None);
        }
        self.started[thread as usize] = Some(start);
        let Start { class, family, argument, claimed, pc } = start;
        for (groups, class) in [(&mut self.groups, class), (&mut self.families, family)] {
            let new = Group { argument, differs: false, claimed: false, pc, threads: (thread, thread) };
            let group = groups.entry(class).or_insert(new);
            group.differs |= group.argument != argument;
            group.claimed |= claimed;
            group.pc = pc;
            group.threads = (group.threads.0.min(thread), group.threads.1.max(thread));
        }
    }

    /// Whether the threads of a class have different arguments.
    pub(crate) fn is_in_doubt(&self, class: u64) -> bool {
        self.groups.get(&class).is_some_and(|group| group.differs)
    }

    /// Threads that run the same function with different arguments: the first, the last, and where they are started.
    pub(crate) fn candidates(&self) -> Vec<(u32, u32, usize)> {
        let differ = self.families.values().filter(|group| group.differs && !group.claimed);
        let mut list: Vec<_> = differ.map(|group| (group.threads.0, group.threads.1, group.pc)).collect();
        list.sort_unstable();
        list
    }

    /// What threads have returned, by class.
    pub(crate) fn results(&self) -> Vec<(u64, usize)> {
        self.results.iter().map(|(&class, &result)| (class, result)).collect()
    }

    /// Whether all threads of a class have returned the same so far.
    pub(crate) fn is_usual_result(&mut self, class: u64, result: usize) -> bool {
        *self.results.entry(class).or_insert(result) == result
    }

}

impl Machine {
    /// Notes an access of the current thread to at most 8 bytes.
    #[cold]
    pub(crate) fn note_access(&self, address: usize, size: usize, touch: Touch, pc: usize) {
        let kind = if touch.writes() { AccessKind::Write } else { AccessKind::Read };
        let member = self.likeness.borrow().places.as_ref().is_some_and(|places| places.index(self.here.get().thread).is_some());
        let communicates = kind == AccessKind::Read && (!member || self.is_written_by_others(address, size));
        let value = communicates.then(|| {
            let mut bytes = [0; 8];
            // SAFETY: the program is about to read this memory, which has been checked to exist.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), size) };
            u64::from_le_bytes(bytes)
        });
        self.note(Access { kind, address, size, position: self.here.get().position, value, operation: None, pc });
    }

    /// Notes an atomic operation that the current thread has come to.
    #[cold]
    pub(crate) fn note_atomic(&self, address: usize, size: usize, operation: Operation, pc: usize) {
        let (position, operation) = (self.here.get().position, Some(operation));
        self.note(Access { kind: AccessKind::Atomic, address, size, position, value: None, operation, pc });
    }

    /// Notes another operation that the current thread has come to.
    pub(crate) fn note_operation(&self, operation: Operation, pc: usize) {
        if self.is_noting() {
            let (position, operation) = (self.here.get().position, Some(operation));
            self.note(Access { kind: AccessKind::Other, address: 0, size: 0, position, value: None, operation, pc });
        }
    }

    /// Notes that a mutex is at an address.
    pub(crate) fn note_mutex(&self, address: usize) {
        if self.is_noting() {
            self.likeness.borrow_mut().mutexes.insert(address & !7);
        }
    }

    /// Notes that the current thread takes the result of another.
    #[cold]
    pub(crate) fn note_result(&self, thread: u32, result: usize, pc: usize) {
        let (address, value, position) = (thread as usize, Some(result as u64), self.here.get().position);
        self.note(Access { kind: AccessKind::Result, address, size: 0, position, value, operation: None, pc });
    }

    fn note(&self, access: Access) {
        let here = self.here.get().thread as usize;
        if let Some(log) = &mut self.likeness.borrow_mut().log {
            if log.len() <= here {
                log.resize_with(here + 1, Vec::new);
            }
            log[here].push(access);
        }
    }

    /// Whether a thread other than the current one, or the one that has started it after doing so, has written here.
    fn is_written_by_others(&self, address: usize, size: usize) -> bool {
        let here = self.here.get().thread;
        let start = quotient_runtime::native::look(|explorer, _| {
            explorer.graph().threads().get(here as usize).map(|thread| thread.spawned_by)
        });
        let start = start.filter(|start| start.is_real());
        self.writers(address, size).into_iter().any(|(thread, position)| {
            let before = start.is_some_and(|start| start.thread() == thread && position <= start.position());
            thread != here && !before
        })
    }
}

/// An address, or a value that may be one, with threads in other places. Who has started a thread has the same handle, whatever that
/// thread does then.
fn moved(places: &ThreadPermutation, address: usize) -> usize {
    match address_space::part_of(address) {
        Some((owner, _)) if threads::handle(owner) == address => address,
        Some((owner, _)) if places.index(owner).is_some() => address_space::moved(address, owner, places.of(owner)),
        _ => address,
    }
}

/// The same for values of a location.
pub(crate) fn renamed_value(places: &ThreadPermutation, location: LocationId, value: u64) -> u64 {
    let address = machine().likeness.borrow().names.get(location as usize).map_or(0, |name| name.0);
    renamed_value_at(places, address, value)
}

fn renamed_value_at(places: &ThreadPermutation, address: usize, value: u64) -> u64 {
    if !machine().likeness.borrow().mutexes.contains(&address) {
        return moved(places, value as usize) as u64;
    }
    // The holder of a mutex, or nobody.
    value.checked_sub(1).map_or(0, |holder| u64::from(places.of(holder as u32)) + 1)
}

/// An execution will be run again.
pub(crate) fn before_permuted_run(places: &ThreadPermutation) {
    let machine = machine();
    let mut likeness = machine.likeness.borrow_mut();
    if places.shift == 0 {
        likeness.names.clone_from(&machine.names.borrow());
        likeness.output.clone_from(&machine.output.borrow());
        likeness.ended = machine.ended.get();
        likeness.mutexes = machine.primitives.borrow().mutex_addresses();
    }
    likeness.runs += 1;
    likeness.places = Some(places.clone());
    likeness.log = Some(Vec::new());
    machine.noting.set(true);
}

/// An execution has been run again; if something was different, what.
pub(crate) fn after_permuted_run(class: u64, places: &ThreadPermutation, explorer: &Explorer) -> Option<String> {
    let machine = machine();
    machine.noting.set(false);
    let log = machine.likeness.borrow_mut().log.take().unwrap_or_default();
    machine.likeness.borrow_mut().places = None;
    let waiting: Vec<(u32, Operation)> = explorer.waiting().map(|(thread, operation, _)| (thread, operation)).collect();
    let reason = if places.shift == 0 {
        machine.likeness.borrow_mut().baseline = (log, waiting);
        different_again(machine, explorer)
    } else {
        compare(machine, class, places, explorer, (log, waiting))
    };
    if reason.is_some() || explorer.violation().is_none() {
        // Whoever looks at the execution finds it as it was.
        let likeness = machine.likeness.borrow();
        machine.names.borrow_mut().clone_from(&likeness.names);
        machine.output.borrow_mut().clone_from(&likeness.output);
        machine.ended.set(likeness.ended);
        machine.mistake.set(None);
    }
    reason
}

/// Compares a run with the one in which every thread was in its own place.
fn compare(machine: &Machine, class: u64, places: &ThreadPermutation, explorer: &Explorer, now: Baseline) -> Option<String> {
    let baseline = std::mem::take(&mut machine.likeness.borrow_mut().baseline);
    let mut usage = machine.likeness.borrow_mut().usage.remove(&class).unwrap_or_default();
    let mut comparison =
        Comparison { machine, places, usage: &mut usage, pairs: HashMap::new(), images: HashMap::new() };
    let cut = explorer.violation().is_some();
    let reason = comparison.accesses(&baseline.0, &now.0, cut).or_else(|| match explorer.difference() {
        Some(_) => Some(comparison.difference(explorer)),
        None if cut => None,
        None => comparison.waiting(&baseline, &now.1),
    });
    machine.likeness.borrow_mut().usage.insert(class, usage);
    machine.likeness.borrow_mut().baseline = baseline;
    reason
}

/// The same execution came out differently with every thread in its own place.
fn different_again(machine: &Machine, explorer: &Explorer) -> Option<String> {
    let difference = explorer.difference()?;
    Some(format!("an execution comes out differently when it is repeated ({})", place(machine, difference.site)))
}

fn place(machine: &Machine, site: Site) -> String {
    machine.pc_of_site(site).map_or_else(|| "somewhere".to_owned(), |pc| machine.describe(pc))
}

/// A comparison of two runs.
struct Comparison<'a> {
    machine: &'a Machine,
    places: &'a ThreadPermutation,
    usage: &'a mut ByAddress<Usage>,
    /// Which memory of atomic operations stands for which, both ways, and the accesses that say so first.
    pairs: HashMap<usize, (Access, Access)>,
    images: HashMap<usize, (Access, Access)>,
}

impl Comparison<'_> {
    fn accesses(&mut self, before: &[Vec<Access>], now: &[Vec<Access>], cut: bool) -> Option<String> {
        for thread in 0..before.len().max(now.len()) as u32 {
            let other = self.places.of(thread);
            let olds = before.get(thread as usize).map_or(&[][..], |log| log);
            let news = now.get(other as usize).map_or(&[][..], |log| log);
            for (old, new) in olds.iter().zip(news) {
                if let Some(reason) = self.access(thread, old, new) {
                    return Some(reason);
                }
            }
            if !cut && olds.len() != news.len() {
                let (longer, who) = if olds.len() > news.len() { (olds, thread) } else { (news, other) };
                let extra = longer[olds.len().min(news.len())];
                let than = if who == thread { other } else { thread };
                let what = self.describe(&extra);
                return Some(format!("thread {who} {what}, and thread {than} in its place does not"));
            }
        }
        None
    }

    /// Compares an access of `thread` with that of the thread in its place.
    fn access(&mut self, thread: u32, old: &Access, new: &Access) -> Option<String> {
        let other = self.places.of(thread);
        let index = self.places.index(thread);
        if (old.kind, old.size, old.position) != (new.kind, new.size, new.position) {
            let (one, two) = (self.describe(old), self.describe(new));
            return Some(format!("thread {thread} {one}, and thread {other} in its place {two}"));
        }
        let same = moved(self.places, old.address) == new.address;
        if index.is_none() && !same {
            let (one, two) = (self.describe(old), self.describe(new));
            return Some(format!("thread {thread} {one}, or {two}, depending on which thread is where"));
        }
        if !same && (old.value.is_some() || new.value.is_some()) {
            let two = self.describe(new);
            return Some(format!(
                "thread {other} {two}, which another thread has written, and thread {thread} does not"
            ));
        }
        if let Some(reason) = self.values(thread, old, new) {
            return Some(reason);
        }
        if let Some(reason) = self.operations(thread, old, new) {
            return Some(reason);
        }
        if new.kind == AccessKind::Atomic {
            let known = *self.pairs.entry(old.address).or_insert((*old, *new));
            let image = *self.images.entry(new.address).or_insert((*old, *new));
            let contrary = if known.1.address == new.address { image } else { known };
            if contrary.0.address != old.address || contrary.1.address != new.address {
                // One of the two says that different memory is the same.
                let telling = moved(self.places, contrary.0.address) != contrary.1.address;
                let (old, new) = if telling { contrary } else { (*old, *new) };
                let (one, two) = (self.describe(&old), self.describe(&new));
                return Some(format!("one thread {one}, and another in its place {two}"));
            }
        }
        let shared = match index {
            Some(index) => {
                let of = (index + self.places.shift) % self.places.members.len();
                self.use_memory(old, Some(index), !same).or_else(|| self.use_memory(new, Some(of), !same))
            }
            None => self.use_memory(new, None, false),
        };
        shared.map(|what| format!("{what} is one of several that each belong to one thread, and others use it as well"))
    }

    /// Compares what two threads are about to do.
    fn operations(&self, thread: u32, old: &Access, new: &Access) -> Option<String> {
        let expected = old.operation.map(|operation| self.renamed(operation, old.address));
        if expected == new.operation {
            return None;
        }
        let start = format!("in the place of thread {thread}, thread {}", self.places.of(thread));
        let put = |operation: Option<Operation>| match operation? {
            Operation::Write { value, .. } => Some(value),
            Operation::Read { update: Update::Fetch { operand, .. }, .. } => Some(operand),
            Operation::Read { update: Update::Exchange { new, .. }, .. } => Some(new),
            _ => None,
        };
        let place = self.machine.describe(new.pc);
        Some(match (put(expected), put(new.operation)) {
            (Some(was), Some(now)) if was != now => {
                let memory = self.machine.describe_memory(new.address);
                format!("{start} puts {now} into {memory} ({place}) instead of {was}")
            }
            _ => format!("{start} does something else ({place})"),
        })
    }

    fn values(&self, thread: u32, old: &Access, new: &Access) -> Option<String> {
        if new.kind == AccessKind::Result {
            let result = new.value.unwrap_or_default() as usize;
            let theirs = address_space::part_of(result).is_some_and(|(owner, _)| self.places.index(owner).is_some());
            return (old.value != new.value || theirs).then(|| {
                let place = self.machine.describe(new.pc);
                format!(
                    "thread {thread} looks at the result of thread {} ({place}), which tells who it was",
                    new.address
                )
            });
        }
        let expected = old.value.map(|value| moved(self.places, value as usize) as u64);
        if expected == new.value {
            return None;
        }
        let what = self.describe(new);
        Some(match (expected, new.value) {
            (Some(expected), Some(found)) => format!(
                "thread {} {what} and finds {expected} or {found}, depending on which thread is where",
                self.places.of(thread)
            ),
            _ => format!("thread {} {what}, which another thread may have written or not", self.places.of(thread)),
        })
    }

    /// Notes who uses memory; gives what it is if it is used in a way that cannot be.
    fn use_memory(&mut self, access: &Access, member: Option<usize>, own: bool) -> Option<String> {
        if matches!(access.kind, AccessKind::Result | AccessKind::Other) {
            return None;
        }
        for byte in access.address..access.address + access.size {
            let usage = self.usage.entry(byte).or_default();
            match member {
                Some(index) => {
                    usage.users |= 1 << index;
                    usage.written |= access.kind != AccessKind::Read;
                }
                None => usage.elsewhere |= access.kind == AccessKind::Atomic,
            }
            usage.own |= own;
            if !usage.is_good() {
                return Some(format!(
                    "{} ({})",
                    self.machine.describe_memory(access.address),
                    self.machine.describe(access.pc)
                ));
            }
        }
        None
    }

    fn describe(&self, access: &Access) -> String {
        let verb = match access.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "accesses",
            AccessKind::Other => return format!("goes on ({})", self.machine.describe(access.pc)),
            AccessKind::Result => return format!("takes the result of thread {}", access.address),
        };
        let (memory, place) = (self.machine.describe_memory(access.address), self.machine.describe(access.pc));
        format!("{verb} {memory} ({place})")
    }

    /// What a thread does instead of what is in the graph.
    fn difference(&self, explorer: &Explorer) -> String {
        let Some(difference) = explorer.difference() else { return String::new() };
        let event = explorer.graph().event(difference.event);
        let who = difference.event.thread();
        let place = place(self.machine, difference.site);
        let owner = self.places.members.iter().copied().find(|&member| self.places.of(member) == who).unwrap_or(who);
        let (now, was) = (self.describe_operation(&difference.operation), self.describe_event(event));
        format!("in the place of thread {owner}, thread {who} {now} ({place}) where the other {was}")
    }

    fn describe_operation(&self, operation: &Operation) -> String {
        match *operation {
            Operation::Read { location, update: Update::Load, .. } => format!("reads {}", self.memory_of(location)),
            Operation::Read { location, .. } => format!("updates {}", self.memory_of(location)),
            Operation::Write { location, .. } => format!("writes {}", self.memory_of(location)),
            Operation::End => "ends".to_owned(),
            _ => "does something else".to_owned(),
        }
    }

    fn describe_event(&self, event: &Event) -> String {
        match event.kind {
            Kind::Read if event.update() == Update::Load => format!("reads {}", self.memory_of(event.location)),
            Kind::Read => format!("updates {}", self.memory_of(event.location)),
            Kind::Write => format!("writes {}", self.memory_of(event.location)),
            Kind::End => "ends".to_owned(),
            _ => "does not".to_owned(),
        }
    }

    fn memory_of(&self, location: LocationId) -> String {
        let address = self.machine.address_of(location);
        self.machine.describe_memory(address)
    }

    /// Compares what threads are about to do.
    fn waiting(&self, baseline: &Baseline, now: &[(u32, Operation)]) -> Option<String> {
        let (log, before) = baseline;
        let find = |list: &[(u32, Operation)], thread: u32| {
            list.iter().find(|(waiting, _)| *waiting == thread).map(|&(_, operation)| operation)
        };
        for thread in 0..log.len().max(self.machine.threads.borrow().len()) as u32 {
            let other = self.places.of(thread);
            let last = log.get(thread as usize).and_then(|log| log.last()).map_or(0, |access| access.address);
            let expected = find(before, thread).map(|operation| match operation {
                // It has ended the program, and waits for itself.
                Operation::Join(child) if child == thread => Operation::Join(other),
                operation => self.renamed(operation, last),
            });
            let mut found = find(now, other);
            // Where it is has been compared already.
            if let Some(operation) = &mut found {
                operation.set_location(0);
            }
            if expected != found {
                return Some(format!("thread {other} goes on in another way than thread {thread} would in its place"));
            }
        }
        None
    }

    /// An operation on memory at this address.
    fn renamed(&self, operation: Operation, address: usize) -> Operation {
        let value = |value| renamed_value_at(self.places, address, value);
        match operation {
            Operation::Read { orders, update, when, weak, .. } => {
                let (update, when) = (rename_update(update, &value), rename_when(when, &value));
                Operation::Read { location: 0, orders, update, when, weak }
            }
            Operation::Write { order, value: written, frees, .. } => {
                Operation::Write { location: 0, order, value: value(written), frees }
            }
            other => other,
        }
    }
}

/// Threads are not alike. That is an error if the program says that they are.
pub(crate) fn refute(class: u64, members: &[u32], reason: String) -> Option<(String, Option<Site>)> {
    let machine = machine();
    let (first, last) = (members.first().copied().unwrap_or(0), members.last().copied().unwrap_or(0));
    let likeness = machine.likeness.borrow();
    let (claimed, pc) = likeness.groups.get(&class).map_or((false, 0), |group| (group.claimed, group.pc));
    drop(likeness);
    let place = machine.describe(pc);
    if !claimed {
        let text = format!("threads {first} to {last}, started at {place}, are not taken to be alike: {reason}");
        machine.likeness.borrow_mut().refused.push(text);
        return None;
    }
    machine.mistake.set(Some(ProgramError::Annotation));
    let message = format!("threads {first} to {last} are declared to be alike ({place}), and they are not: {reason}");
    Some((message, Some(machine.site(pc))))
}

/// Why threads with different arguments were not taken to be alike.
pub(crate) fn notes(distinguished: bool) -> Vec<String> {
    let mut likeness = machine().likeness.borrow_mut();
    if distinguished && likeness.refused.is_empty() && likeness.groups.values().any(|group| group.differs) {
        let reason = "a thread asks who it is, or another one joins only some of them or looks at their results";
        likeness.refused.push(format!("threads with different arguments are not taken to be alike: {reason}"));
    }
    std::mem::take(&mut likeness.refused)
}

/// What is to be said about threads with the same function and different arguments: that they can be taken to be alike,
/// if the first execution does not show otherwise.
pub(crate) fn offer(mut engine: quotient_runtime::Options, main: usize) -> Vec<String> {
    let candidates = machine().likeness.borrow().candidates();
    if candidates.is_empty() {
        return Vec::new();
    }
    machine().likeness.borrow_mut().by_function = true;
    (engine.limits.executions, engine.share) = (Some(1), None);
    let known = engine.knowledge.distinguished.len();
    let outcome = quotient_runtime::check(engine, std::sync::Arc::new(move || crate::calls::threads::run_main(main)));
    let machine = machine();
    let refused = std::mem::take(&mut machine.likeness.borrow_mut().refused);
    if outcome.failure.is_some() || outcome.knowledge.distinguished.len() > known || !refused.is_empty() {
        return Vec::new();
    }
    let say = |&(first, last, pc): &(u32, u32, usize)| {
        format!(
            "threads {first} to {last}, started at {}, run the same function with different arguments; --symmetry ids (or \
             quotient_spawn_symmetric) takes them to be alike, and checks that they are",
            machine.describe(pc)
        )
    };
    candidates.iter().map(say).collect()
}
