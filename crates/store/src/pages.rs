//! Large zeroed memory, in huge pages where the system has them: a visited set is read at random, and with small
//! pages half the time of a lookup goes into address translation.

use std::ptr::NonNull;

use memmap2::MmapMut;

/// Memory below this size is taken from the heap.
const LARGE: usize = 1 << 21;

/// Zeroed memory, always at the same place.
#[derive(Debug)]
pub(crate) struct Pages {
    /// Where it is, and how many words it has.
    start: NonNull<u64>,
    length: usize,
    /// What it belongs to: it is given back with this. Nobody looks at it through this.
    _owner: Owner,
}

/// Whose memory it is. Only held, never read.
#[derive(Debug)]
enum Owner {
    Heap(#[expect(dead_code, reason = "it is held for its memory")] Vec<u64>),
    Mapped(#[expect(dead_code, reason = "it is held for its memory")] MmapMut),
}

// SAFETY: the memory belongs to the owner, which may be sent to another thread and be seen by several ones, as a vector may. It
// is changed through `&mut self` only.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// So many bytes, a multiple of eight. Memory that is not touched is not taken from the system.
    pub(crate) fn new(bytes: usize) -> Pages {
        if bytes >= LARGE
            && let Ok(mut map) = MmapMut::map_anon(bytes)
        {
            // Only a hint: without it everything works, slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            // A mapping starts at a page, so its words are aligned.
            let words: &mut [u64] = bytemuck::cast_slice_mut(&mut map);
            let (start, length) = (NonNull::from(&mut *words).cast(), words.len());
            return Pages { start, length, _owner: Owner::Mapped(map) };
        }
        let mut words = vec![0; bytes.div_ceil(8)];
        let (start, length) = (NonNull::from(&mut words[..]).cast(), words.len());
        Pages { start, length, _owner: Owner::Heap(words) }
    }

    /// Takes all the memory from the system now. Memory that is read before it is written would be taken twice.
    pub(crate) fn touch(&mut self) {
        self.bytes_mut().iter_mut().step_by(4096).for_each(|byte| *byte = 0);
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &[u64] {
        // SAFETY: these are the words of the owner, which lives as long as `self` and does not move its memory. Nothing else
        // refers to them, because the owner is never used, and `&self` keeps `words_mut` away.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `words`; `&mut self` keeps everyone else away.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self.words())
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.words_mut())
    }

    /// The memory as numbers of four bytes.
    #[inline(always)]
    pub(crate) fn halves(&self) -> &[u32] {
        bytemuck::cast_slice(self.words())
    }

    #[inline(always)]
    pub(crate) fn halves_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(self.words_mut())
    }

    /// Asks the processor to fetch a word.
    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            let word = &raw const self.words()[at];
            // SAFETY: a prefetch is a hint that reads and writes nothing, whatever the address.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(word.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }
}
