//! Tells statics from other memory, by asking the loader which parts of the address space it has mapped from program
//! files. What it does not know it calls "not a static".

/// Whether the object at this address is a static of the program.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) fn is_static(address: *const ()) -> bool {
    use std::ops::Range;
    use std::sync::OnceLock;

    unsafe extern "C" fn collect(info: *mut libc::dl_phdr_info, _size: usize, ranges: *mut libc::c_void) -> i32 {
        // SAFETY: the loader passes a valid description of one mapped file, and `ranges` is the vector given below.
        let (info, ranges) = unsafe { (&*info, &mut *ranges.cast::<Vec<Range<usize>>>()) };
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: `dlpi_phdr` points to `dlpi_phnum` headers.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            if header.p_type == libc::PT_LOAD {
                let start = info.dlpi_addr as usize + header.p_vaddr as usize;
                ranges.push(start..start + header.p_memsz as usize);
            }
        }
        0
    }

    static MAPPED: OnceLock<Vec<Range<usize>>> = OnceLock::new();
    let mapped = MAPPED.get_or_init(|| {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        // SAFETY: `collect` is called before this returns, and it treats its last argument as what it is.
        unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut ranges).cast()) };
        ranges
    });
    mapped.iter().any(|range| range.contains(&address.addr()))
}

/// Whether the object at this address is a static of the program.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android", target_os = "freebsd"))))]
pub fn is_static(address: *const ()) -> bool {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `dladdr` accepts any address, and writes to `found` only.
    unsafe { libc::dladdr(address.cast(), found.as_mut_ptr()) != 0 }
}

/// Whether the object at this address is a static of the program.
#[cfg(not(unix))]
pub fn is_static(_address: *const ()) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::is_static;
    use std::sync::atomic::AtomicU64;

    #[test]
    #[cfg(unix)]
    fn only_statics_are_static() {
        static ZERO: AtomicU64 = AtomicU64::new(0);
        static INITIALISED: AtomicU64 = AtomicU64::new(7);
        let (local, boxed) = (AtomicU64::new(0), Box::new(AtomicU64::new(0)));
        let address = |object: &AtomicU64| std::ptr::from_ref(object).cast::<()>();
        assert!(is_static(address(&ZERO)));
        assert!(is_static(address(&INITIALISED)));
        assert!(!is_static(address(&local)));
        assert!(!is_static(address(&boxed)));
    }
}
