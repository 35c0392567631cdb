//! What the explorer asks of the program that this process has loaded: where its memory is, what has changed, what to call
//! things.

use crate::calls::errno;
use crate::calls::threads::mix;
use crate::options::{Leaks, Stuck};
use crate::check::{carried, child, crash, likeness};
use crate::machine::{Point, machine};
use crate::memory::address_space;
use quotient_runtime::native::{Callee, Changes, EventId, Execution, Explorer, LikeThreads, LocationId, Mark, Names, Site};
use quotient_runtime::{ThreadPermutation, Whereabouts};
use std::collections::BTreeMap;
use std::ops::Range;

/// The host of the program that this process has loaded.
pub(crate) struct Native;

impl Execution for Native {
    fn begin(&self) {
        child::note_begin();
        crash::prepare_thread();
        let machine = machine();
        machine.running.set(false);
        if let Some(image) = machine.image() {
            image.restore();
        }
        machine.begin();
        machine.running.set(true);
    }

    fn stack(&self, thread: u32) -> (usize, usize) {
        address_space::stack(thread)
    }

    fn callee(&self, function: usize) -> Callee {
        machine().image().map_or(Callee::Unknown, |image| image.symbols.callee(function))
    }

    fn watch(&self, thread: u32) {
        machine().watched.set(Some(thread));
        machine().journal.borrow_mut().clear();
    }

    fn unwatch(&self) {
        machine().watched.set(None);
        machine().journal.borrow_mut().clear();
    }

    fn mark(&self, thread: u32) -> Mark {
        let machine = machine();
        let notes = machine.journal.borrow().len();
        Mark {
            notes,
            counts: [
                machine.heap.borrow().count(thread),
                machine.threads.borrow().count(thread),
                machine.deeds[thread as usize].borrow().len() as u64,
                machine.primitives.borrow().depth(thread),
                if machine.reads_errno.get() { errno::get() as u64 } else { 0 },
                machine.threads.borrow().result(thread) as u64,
            ],
        }
    }

    fn changes(&self, thread: u32, since: Mark) -> Changes {
        let Mark { counts, .. } = self.mark(thread);
        let machine = machine();
        // What is in use of the stack is looked at as a whole, and what is below does not matter.
        let (lowest, highest) = address_space::stack(thread);
        let journal = machine.journal.borrow();
        let (mut words, mut meanwhile) = (BTreeMap::new(), false);
        for &(address, size, old) in journal[since.notes..].iter().filter(|(address, ..)| !(lowest..highest).contains(address)) {
            for (offset, &old) in old.to_le_bytes()[..usize::from(size)].iter().enumerate() {
                // SAFETY: the memory was written through this address, and exists for the whole execution.
                let new = unsafe { *((address + offset) as *const u8) };
                meanwhile |= old != new;
                words.entry(address + offset).or_insert((u64::from(old), u64::from(new)));
            }
        }
        let mut counts = std::array::from_fn(|index| counts[index].wrapping_sub(since.counts[index]));
        // How often something was done is not all that matters of it.
        counts[0] = machine.heap.borrow().made_since(thread, since.counts[0]);
        counts[2] = machine.deeds[thread as usize].borrow()[since.counts[2] as usize..].iter().fold(0, |all, &deed| mix(all, deed));
        Changes { words, meanwhile, counts }
    }

    fn has_written(&self, thread: u32, after: u32, before: u32) -> bool {
        machine().written.get(thread as usize).is_some_and(|written| written.is_within(after..=before))
    }

    fn address_of(&self, location: LocationId) -> usize {
        machine().address_of(location)
    }

    fn has_ended(&self) -> bool {
        machine().ended.get()
    }

    fn is_wrong_at_end(&self, stuck: &[(u32, &'static str, Site)]) -> bool {
        let machine = machine();
        if machine.stuck.get() == Stuck::Note && machine.stuck_note.borrow().is_none() {
            let one = |&(thread, why, site): &(u32, &str, Site)| {
                let place = Native.place_of(site).map_or(String::new(), |(file, line, _)| format!(" ({file}:{line})"));
                format!("thread {thread} waits {why}{place}")
            };
            let list: Vec<String> = stuck.iter().map(one).collect();
            machine.stuck_note.replace(Some(format!(
                "in some executions threads wait forever when the program ends: {}; --stuck-threads error makes that an error",
                list.join(", ")
            )));
        }
        machine.stuck.get() == Stuck::Error
    }

    fn leak(&self) -> Option<(String, Option<Site>)> {
        let machine = machine();
        if machine.leaks == Leaks::Ignore || (machine.leaks == Leaks::Warn && machine.leak_warning.borrow().is_some()) {
            return None;
        }
        let leaked = crate::memory::heap::leaked(machine);
        let first = leaked.first()?;
        let others = if leaked.len() == 1 { String::new() } else { format!(", and {} more", leaked.len() - 1) };
        let message = format!("leak: a block of {} bytes is never freed{others}", first.size);
        let site = machine.site(first.pc);
        if machine.leaks == Leaks::Warn {
            machine.leak_warning.replace(Some((message, Some(site))));
            return None;
        }
        Some((message, Some(site)))
    }

    fn said_to_be_final(&self) -> Vec<(u32, Range<u32>)> {
        machine().finals.borrow().iter().map(|&(start, end)| (start.thread, start.position..end)).collect()
    }

    fn wants_whereabouts(&self) -> bool {
        child::is_asked()
    }

    fn keep_whereabouts(&self, whereabouts: &Whereabouts) {
        child::keep(whereabouts);
    }

    fn carry_on(&self) {
        carried::carry_on();
    }
}

impl Names for Native {
    fn place_of(&self, site: Site) -> Option<(String, u32, u32)> {
        let machine = machine();
        machine.image()?.symbols.place(machine.pc_of_site(site)?)
    }

    fn related(&self) -> Vec<(EventId, String, Site)> {
        let machine = machine();
        let racing = std::mem::take(&mut *machine.racing.borrow_mut());
        let event = |point: Point| EventId::new(point.thread, point.position);
        racing.into_iter().map(|(point, what, pc)| (event(point), what.to_owned(), machine.site(pc))).collect()
    }

    fn describe_memory(&self, address: usize) -> String {
        machine().describe_memory(address)
    }

    fn name_of(&self, location: LocationId) -> Option<String> {
        let machine = machine();
        let address = machine.address_of(location);
        (address != 0).then(|| machine.label(address))
    }
}

impl LikeThreads for Native {
    fn is_in_doubt(&self, class: u64) -> bool {
        machine().likeness.borrow().is_in_doubt(class)
    }

    fn before_permuted_run(&self, _class: u64, places: &ThreadPermutation) {
        likeness::before_permuted_run(places);
    }

    fn renamed_value(&self, places: &ThreadPermutation, location: LocationId, value: u64) -> u64 {
        likeness::renamed_value(places, location, value)
    }

    fn after_permuted_run(&self, class: u64, places: &ThreadPermutation, explorer: &Explorer) -> Option<String> {
        likeness::after_permuted_run(class, places, explorer)
    }

    fn why_not(&self) -> String {
        "they start or join threads, or depend on each other in a way that cannot be run again in other places"
            .to_owned()
    }

    fn refute(&self, class: u64, members: &[u32], reason: String) -> Option<(String, Option<Site>)> {
        likeness::refute(class, members, reason)
    }
}
