//! The code of Quotient's own that is linked into every program: objects that were made when Quotient was built, and headers.
//!
//! Objects need not be made by the compiler of the program: they call, and are called by, nothing but functions of C.

use crate::input::Language;
use std::io::Result;
use std::path::{Path, PathBuf};

/// Objects by their names, as `build.rs` has made them.
macro_rules! objects {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name)))),*]
    };
}

/// What is linked in front of the program.
const FRONT: [(&str, &[u8]); 1] = objects!("begin.o");
/// What is linked behind it, in this order.
const BEHIND: [(&str, &[u8]); 7] =
    objects!("glue_begin.o", "glue.o", "time.o", "ends.o", "memory.o", "zones.o", "library.o");
/// The stubs, which follow, and those that make events of writes to volatile variables.
const STUBS: [(&str, &[u8]); 2] = objects!("stubs.o", "flushing_stubs.o");
/// What C++ programs have beside.
const THROW: [(&str, &[u8]); 1] = objects!("throw.o");

const HEADERS: [(&str, &str); 15] = [
    ("latch", include_str!("../../include/latch")),
    ("semaphore", include_str!("../../include/semaphore")),
    ("bits/std_thread.h", include_str!("../../include/bits/std_thread.h")),
    ("stdatomic.h", include_str!("../../include/stdatomic.h")),
    ("bits/quotient_builtins.h", include_str!("../../include/bits/quotient_builtins.h")),
    ("bits/quotient_alloca.h", include_str!("../../include/bits/quotient_alloca.h")),
    ("bits/stl_tree.h", include_str!("../../include/bits/stl_tree.h")),
    ("bits/stl_list.h", include_str!("../../include/bits/stl_list.h")),
    ("bits/hash_bytes.h", include_str!("../../include/bits/hash_bytes.h")),
    ("bits/quotient_weak.h", include_str!("../../include/bits/quotient_weak.h")),
    ("bits/atomic_timed_wait.h", include_str!("../../include/bits/atomic_timed_wait.h")),
    ("bits/shared_ptr_atomic.h", include_str!("../../include/bits/shared_ptr_atomic.h")),
    ("quotient.h", include_str!("../../include/quotient.h")),
    ("genmc.h", include_str!("../../include/genmc.h")),
    ("bits/atomic_wait.h", include_str!("../../include/bits/atomic_wait.h")),
];

/// Headers of the C++ library whose templates are there as code. They are compiled with the program, to see what they do.
const TEMPLATES: [&str; 7] = [
    "basic_string.tcc",
    "basic_ios.tcc",
    "streambuf.tcc",
    "ostream.tcc",
    "ostream_insert.h",
    "istream.tcc",
    "sstream.tcc",
];

/// Says whether templates are in the C++ library as code.
const EXTERN: &str = "_GLIBCXX_EXTERN_TEMPLATE";

/// Objects to be linked with a program.
pub(crate) struct Objects {
    /// In front of it.
    pub front: Vec<PathBuf>,
    /// Behind it.
    pub behind: Vec<PathBuf>,
}

/// Writes the objects for a program in this language into a directory. With `flush`, writes to volatile variables become
/// events.
pub(crate) fn write_objects(directory: &Path, language: Language, flush: bool) -> Result<Objects> {
    let write = |&(name, bytes): &(&str, &[u8])| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).map(|()| path)
    };
    let stubs = &STUBS[usize::from(flush)..][..1];
    let more: &[_] = if language == Language::Cpp { &THROW } else { &[] };
    Ok(Objects {
        front: FRONT.iter().map(write).collect::<Result<_>>()?,
        behind: BEHIND.iter().chain(stubs).chain(more).map(write).collect::<Result<_>>()?,
    })
}

/// Writes the headers into a directory of their own; gives that.
pub(crate) fn write_headers(directory: &Path) -> Result<PathBuf> {
    let include = directory.join("include");
    std::fs::create_dir_all(include.join("bits"))?;
    for (name, text) in HEADERS {
        std::fs::write(include.join(name), text)?;
    }
    for name in TEMPLATES {
        let text = format!(
            "#pragma GCC system_header\n#pragma push_macro(\"{EXTERN}\")\n#undef {EXTERN}\n#define {EXTERN} 0\n\
             #include_next <bits/{name}>\n#pragma pop_macro(\"{EXTERN}\")\n"
        );
        std::fs::write(include.join("bits").join(name), text)?;
    }
    Ok(include)
}
