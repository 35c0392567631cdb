//! The program's shared object in memory: what of it can be written, which is put back before every execution.
//!
//! Pages that have not been written since the program was loaded are write-protected. The first write to one is noticed
//! (see `crash`), and from then on the page is copied back each time. So a large object costs nothing that it does not
//! change.

use crate::check::sandbox;
use crate::machine::{Shared, machine};
use crate::memory::symbols::{Symbols, SymbolsError};
use crate::memory::address_space::{self, PAGE};
use std::cell::Cell;
use std::ffi::{CStr, CString, NulError};
use std::io;
use std::path::Path;
use std::ptr;

/// The name that a program finds in its arguments.
const NAME: &[u8; 8] = b"program\0";

/// A program that has been loaded.
pub(crate) struct Image {
    pub symbols: Symbols,
    /// The writable pages: address, contents, and whether they have been written since.
    pages: Vec<Page>,
    /// Addresses of the first values of thread-local variables, how many bytes have one, and the size of all.
    locals: (usize, usize, usize),
    /// Which bytes of each 8 of them exist.
    valid_locals: Vec<u8>,
    pub main: usize,
    /// Where the user's code is.
    users: (usize, usize),
    arguments: Box<[usize; 2]>,
}

struct Page {
    address: usize,
    /// The part of it that belongs to the program: where it begins, and what was in it.
    start: usize,
    contents: Box<[u8]>,
    dirty: Cell<bool>,
}

/// Why an object is not loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error(transparent)]
    Symbols(#[from] SymbolsError),
    #[error(transparent)]
    Name(#[from] NulError),
    /// What the system's loader says.
    #[error("{0}")]
    Loader(String),
    #[error("memory for the shadow of the program: {0}")]
    Shadow(io::Error),
    #[error("the thread-local variables take more than a megabyte")]
    ThreadLocals,
}

impl Image {
    /// Loads the object, whose constructors run.
    pub(crate) fn load(path: &Path) -> Result<Self, LoadError> {
        let symbols = Symbols::read(path)?;
        let file = CString::new(path.to_string_lossy().as_bytes())?;
        let attach: extern "C" fn(*mut Shared, usize) = crate::calls::imports::attach;
        // SAFETY: no other thread runs yet in this process that could look at its environment.
        unsafe { std::env::set_var("QUOTIENT_NATIVE_HOST", format!("{:x}", attach as usize)) };
        // SAFETY: the object's constructors run. That is what the user has asked for.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        // SAFETY: as above. The program has no use for this.
        unsafe { std::env::remove_var("QUOTIENT_NATIVE_HOST") };
        if handle.is_null() {
            // SAFETY: after an error there is a message.
            let message = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(LoadError::Loader(message.to_string_lossy().into_owned()));
        }
        // SAFETY: the object stays loaded.
        let main = unsafe { libc::dlsym(handle, c"main".as_ptr()) } as usize;
        let bias = symbols.bias(main);
        let name = Box::leak(Box::new(*NAME));
        let mut image = Image {
            locals: symbols.locals(bias),
            valid_locals: symbols.valid_locals(),
            pages: Vec::new(),
            main,
            users: (0, 0),
            arguments: Box::new([name.as_ptr() as usize, 0]),
            symbols,
        };
        image.symbols.set_bias(bias);
        // SAFETY: the object has attached itself, or `main` would not have been found in it.
        let users = unsafe { machine().shared.get().as_ref() }.map_or((0, 0), |shared| (shared.users, shared.glue[0]));
        image.users = users;
        let machine = machine();
        machine.users.set((image.users.0, image.users.1.saturating_sub(image.users.0)));
        let (start, size) = image.symbols.extent();
        let (start, size) = (start & !7, size + 8);
        machine.image_start.set(start);
        machine.image_size.set(size);
        machine.image_valid.get_or_init(|| image.symbols.valid(start, size));
        let shadow = address_space::reserve(0, size.next_multiple_of(PAGE) * address_space::SHADOW_FACTOR);
        machine.image_shadow.set(shadow.map_err(LoadError::Shadow)?);
        if image.locals.2 > 1 << 20 {
            return Err(LoadError::ThreadLocals);
        }
        Ok(image)
    }

    /// Remembers what is in the writable pages, and protects them.
    pub(crate) fn keep(&mut self) {
        let shared = machine().shared.get() as usize;
        for (start, end) in self.symbols.writable() {
            let first = start & !(PAGE - 1);
            for address in (first..end).step_by(PAGE) {
                if (shared..shared + size_of::<Shared>()).contains(&address) {
                    continue;
                }
                let (start, end) = self.symbols.used(address, PAGE);
                // SAFETY: the pages of a segment are mapped, to the end of the last one.
                let contents = unsafe { std::slice::from_raw_parts(start as *const u8, end - start) };
                self.pages.push(Page { address, start, contents: contents.into(), dirty: Cell::new(false) });
            }
        }
        for page in &self.pages {
            // SAFETY: a write to the page is noticed and repeated, so the program sees no difference.
            unsafe { sandbox::protect(page.address, PAGE, libc::PROT_READ) };
        }
    }

    /// Puts back what was in the pages that have been written.
    pub(crate) fn restore(&self) {
        for page in self.pages.iter().filter(|page| page.dirty.get()) {
            // SAFETY: the page is mapped, and writable since it was first written.
            unsafe { ptr::copy_nonoverlapping(page.contents.as_ptr(), page.start as *mut u8, page.contents.len()) };
        }
    }

    /// A write was refused: if it was to a page that is protected for that reason, it can be repeated.
    pub(crate) fn unprotect(&self, address: usize) -> bool {
        let found = self.pages.iter().find(|page| page.address == address & !(PAGE - 1) && !page.dirty.get());
        let Some(page) = found else { return false };
        page.dirty.set(true);
        // SAFETY: the page was writable before it was protected.
        unsafe { sandbox::protect(page.address, PAGE, libc::PROT_READ | libc::PROT_WRITE) };
        true
    }

    /// The ranges of memory that the program can write.
    pub(crate) fn writable(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.pages.iter().map(|page| (page.address, page.address + PAGE))
    }

    /// The first values of thread-local variables, and the size of all.
    pub(crate) fn locals(&self) -> (&'static [u8], usize) {
        let (address, length, size) = self.locals;
        if length == 0 {
            return (&[], size);
        }
        // SAFETY: the object stays loaded, and nobody writes there.
        (unsafe { std::slice::from_raw_parts(address as *const u8, length) }, size)
    }

    /// Which of 8 bytes exist, at a place in the memory for the variables of a thread.
    pub(crate) fn valid_locals(&self, place: usize) -> u8 {
        self.valid_locals.get(place / 8).copied().unwrap_or(0)
    }

    /// The user's functions that run at the end of the program, in the order of the object.
    pub(crate) fn destructors(&self) -> Vec<usize> {
        let (start, count) = self.symbols.at_end();
        // SAFETY: the object is loaded, and this part of it has been relocated and is only read.
        let functions = (0..count).map(|index| unsafe { *((start + index * size_of::<usize>()) as *const usize) });
        functions.filter(|&function| self.is_users(function)).collect()
    }

    /// The arguments of `main`: the array, and how many there are.
    pub(crate) fn arguments(&self) -> (usize, usize) {
        (self.arguments.as_ptr() as usize, 1)
    }

    /// Whether memory holds what `main` is given.
    pub(crate) fn is_argument(&self, address: usize, size: usize) -> bool {
        let within = |start: usize, length: usize| start <= address && address + size <= start + length;
        within(self.arguments.as_ptr() as usize, size_of::<[usize; 2]>()) || within(self.arguments[0], NAME.len())
    }

    /// Whether an address in the code is the user's: in front of the parts that are Quotient's and the library's.
    #[inline]
    pub(crate) fn is_users(&self, pc: usize) -> bool {
        (self.users.0..self.users.1).contains(&pc)
    }
}
