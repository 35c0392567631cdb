//! Large zeroed memory, in huge pages where the system has them: a visited set is read at random, and with small
//! pages half the time of a lookup goes into address translation.

use memmap2::MmapMut;

/// Memory below this size is taken from the heap.
const LARGE: usize = 1 << 21;

/// Zeroed memory.
#[derive(Debug)]
pub(crate) enum Pages {
    Heap(Vec<u64>),
    Mapped(MmapMut),
}

impl Pages {
    /// So many bytes, a multiple of eight. Memory that is not touched is not taken from the system.
    pub(crate) fn new(bytes: usize) -> Pages {
        if bytes >= LARGE
            && let Ok(map) = MmapMut::map_anon(bytes)
        {
            // Only a hint: without it everything works, slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            return Pages::Mapped(map);
        }
        Pages::Heap(vec![0; bytes.div_ceil(8)])
    }

    /// Takes all the memory from the system now. Memory that is read before it is written would be taken twice.
    pub(crate) fn touch(&mut self) {
        self.bytes_mut().iter_mut().step_by(4096).for_each(|byte| *byte = 0);
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Pages::Heap(words) => bytemuck::cast_slice(words),
            Pages::Mapped(map) => map,
        }
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Pages::Heap(words) => bytemuck::cast_slice_mut(words),
            Pages::Mapped(map) => map,
        }
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &[u64] {
        match self {
            Pages::Heap(words) => words,
            // A mapping starts at a page, so it is aligned.
            Pages::Mapped(map) => bytemuck::cast_slice(map),
        }
    }

    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Pages::Heap(words) => words,
            Pages::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }

    /// The memory as numbers of four bytes.
    #[inline(always)]
    pub(crate) fn halves(&self) -> &[u32] {
        match self {
            Pages::Heap(words) => bytemuck::cast_slice(words),
            Pages::Mapped(map) => bytemuck::cast_slice(map),
        }
    }

    #[inline(always)]
    pub(crate) fn halves_mut(&mut self) -> &mut [u32] {
        match self {
            Pages::Heap(words) => bytemuck::cast_slice_mut(words),
            Pages::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
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
