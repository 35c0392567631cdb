//! Which memory of the process exists, for accesses to what is not the program's own.

use std::cell::RefCell;

/// A mapped range and whether it can be written.
type Range = (usize, usize, bool);

thread_local! {
    static KNOWN: RefCell<Vec<Range>> = const { RefCell::new(Vec::new()) };
}

/// Whether all of the bytes are mapped, and can be written if that is wanted.
pub fn is_mapped(address: usize, size: usize, write: bool) -> bool {
    let covers = |&(start, end, writable): &Range| start <= address && address + size <= end && (writable || !write);
    KNOWN.with_borrow_mut(|known| {
        if known.iter().any(covers) {
            return true;
        }
        *known = read();
        known.iter().any(covers)
    })
}

fn read() -> Vec<Range> {
    let text = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let range = |line: &str| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        rights.starts_with('r').then_some((number(start)?, number(end)?, rights.contains('w')))
    };
    text.lines().filter_map(range).collect()
}
